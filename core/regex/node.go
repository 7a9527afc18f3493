package regex

// op is what a node of the tree is.
type op uint8

const (
	opEmpty   op = iota
	opFail       // matches nothing
	opRune       // the character r
	opByte       // the byte r, not part of a character
	opSet        // one character of set
	opCat        // subs one after the other
	opAlt        // one of subs, the first preferred
	opRepeat     // subs[0], min to max times; max -1 is no limit
	opGroup      // subs[0], remembered as group n
	opAssert     // nothing, where assert holds
	opBackref    // what group n matched
	opLook       // subs[0] matches here (or not), nothing consumed
	opAtomic     // subs[0], its first match only
	opKeep       // \K: the match begins here
)

// assert is a condition on a place between two characters.
type assert uint8

const (
	atBOT          assert = iota // begin of text
	atEOT                        // end of text
	atBOL                        // begin of a line
	atEOL                        // end of a line
	atWordEdge                   // \b
	atNoWordEdge                 // \B
	atWordStart                  // \<
	atWordEnd                    // \>
	atNoWordBefore               // grep -w
	atNoWordAfter
)

// node is a part of a pattern.
type node struct {
	op       op
	assert   assert
	lazy     bool // opRepeat prefers fewer
	neg      bool // opLook: must not match
	behind   bool // opLook: before this place
	fold     bool // opBackref ignores case
	r        rune
	n        int
	min, max int
	set      set
	subs     []*node
	depth    int
}

// maxDepth bounds every walk of the tree.
const maxDepth = 1000

func (n *node) over(subs ...*node) *node {
	n.subs = subs
	for _, s := range subs {
		if s.depth >= n.depth {
			n.depth = s.depth + 1
		}
	}
	return n
}

func concat(list []*node) *node {
	switch len(list) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return list[0]
	}
	return (&node{op: opCat}).over(list...)
}

func alternate(list []*node) *node {
	switch len(list) {
	case 0:
		return &node{op: opFail}
	case 1:
		return list[0]
	}
	return (&node{op: opAlt}).over(list...)
}

// literal gives the bytes a node always is, if it is only literal characters.
func (n *node) literal() ([]byte, bool) {
	switch n.op {
	case opEmpty:
		return nil, true
	case opRune:
		return []byte(string(n.r)), true
	case opByte:
		return []byte{byte(n.r)}, true
	case opCat:
		var out []byte
		for _, s := range n.subs {
			if s.op != opRune && s.op != opByte {
				return nil, false
			}
			b, _ := s.literal()
			out = append(out, b...)
		}
		return out, true
	}
	return nil, false
}

// scan walks the parts that every match has, in order, and calls lit for each
// literal character and gap between those that need not be adjacent.
func (n *node) scan(lit func([]byte), gap func()) {
	switch n.op {
	case opRune:
		b, _ := n.literal()
		lit(b)
	case opCat:
		for _, s := range n.subs {
			s.scan(lit, gap)
		}
	case opGroup, opAtomic:
		n.subs[0].scan(lit, gap)
	case opEmpty, opAssert, opKeep, opLook:
	case opRepeat:
		if n.min > 0 {
			n.subs[0].scan(lit, gap)
			if n.min != 1 || n.max != 1 {
				gap()
			}
			return
		}
		gap()
	default:
		gap()
	}
}

// literals gives the literal that every match begins with and the longest
// literal that every match holds.
func (n *node) literals() (prefix, must []byte) {
	var cur []byte
	atStart := true
	flush := func() {
		if atStart {
			prefix = append([]byte(nil), cur...)
			atStart = false
		}
		if len(cur) > len(must) {
			must = append([]byte(nil), cur...)
		}
		cur = cur[:0]
	}
	n.scan(func(b []byte) { cur = append(cur, b...) }, flush)
	flush()
	return prefix, must
}
