package regex

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Kinds of instructions of the byte NFA.
const (
	iFail   uint8 = iota
	iMatch        // a match ends here
	iEdges        // one byte: edges[arg:arg+n]
	iSplit        // out, or arg; out is preferred
	iCap          // remember this place as number n, go on at out
	iAssert       // go on at out where assert n holds
)

// inst is an instruction. Its number is a state of the NFA.
type inst struct {
	op  uint8
	n   uint16
	out uint32
	arg uint32
}

// edge is a step over one byte.
type edge struct {
	lo, hi byte
	to     uint32
}

// maxInsts bounds an NFA; beyond it a pattern is TooBig.
const maxInsts = 800_000

// prog is a compiled NFA with what can be known about its matches ahead. It is not changed after compile.
type prog struct {
	insts []inst
	edges []edge
	start uint32

	exact    bool   // the pattern is prefix and nothing else
	prefix   []byte // every match begins with it
	must     []byte // every match holds it; nil where it would not help
	empty    bool   // a match may be empty
	canBegin [256]bool
	ahead
	anchored bool // a match begins only at the begin of the text
	asserts  bool
	words    bool // an assert looks at words
	wordy    bool // and bytes above 127 need a look at their character for it
	lines    bool // an assert looks at line ends
	narrow   bool // it knows no bytes above 127
	eol      byte

	// Symbols of the automata: classes of bytes that no edge and no assert tells
	// apart, and one for the edge of the text, which is the last.
	nsym    int
	sym     [256]uint16
	symByte []byte  // a byte of each
	symCtx  []uint8 // what it is for an assert beside it
}

// ahead is what to look for where nothing has begun yet.
type ahead struct {
	firsts []byte     // the bytes a match can begin with if they are at most 3, and it is not empty
	pair   [256]uint8 // which of pairFirst and pairSecond a byte can be, if paired
	paired bool       // few bytes can begin a match
}

// What asserts want to know of a neighbour.
const (
	ctxEdge uint8 = 1 << iota // there is none
	ctxNL
	ctxWord
	ctxInside // this place is inside of a character
)

// compiler makes a prog. Each method gives the state to enter a part by, given the state to leave to.
type compiler struct {
	p     *prog
	o     Options
	super bool // make a superset: back-references and lookarounds match anything
	sets  map[string][][]byteEdge
	full  bool
}

func compile(tree *node, o Options, super, narrow bool) (*prog, error) {
	p := &prog{eol: '\n', narrow: narrow}
	if o.Records {
		p.eol = o.EOL
	}
	c := compiler{p: p, o: o, super: super, sets: map[string][][]byteEdge{}}
	match := c.add(inst{op: iMatch})
	p.start = c.node(tree, match)
	if c.full {
		return nil, TooBig
	}
	if lit, ok := tree.literal(); ok && !super && !bytes.Contains(lit, []byte{p.eol}) {
		p.exact, p.prefix = true, lit
		return p, nil
	}
	p.prefix, p.must = tree.literals()
	if o.Records && (bytes.IndexByte(p.prefix, p.eol) >= 0 || bytes.IndexByte(p.must, p.eol) >= 0) {
		p.prefix, p.must = nil, nil
	}
	if len(p.must) < 2 || len(p.prefix) >= 2 || len(p.must) < len(p.prefix)+1 {
		p.must = nil
	}
	p.anchored = beginsAt(tree, atBOT)
	p.findFirsts()
	p.findSymbols()
	return p, nil
}

// beginsAt reports that every match must begin where the assert holds.
func beginsAt(n *node, a assert) bool {
	switch n.op {
	case opAssert:
		return n.assert == a
	case opGroup, opAtomic:
		return beginsAt(n.subs[0], a)
	case opCat:
		return beginsAt(n.subs[0], a)
	case opAlt:
		for _, s := range n.subs {
			if !beginsAt(s, a) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *compiler) add(i inst) uint32 {
	if len(c.p.insts)+len(c.p.edges) >= maxInsts {
		c.full = true
		return 0
	}
	if len(c.p.insts)&(partsAtOnce-1) == partsAtOnce-1 {
		c.o.charge(partsAtOnce * partCharge)
	}
	c.p.insts = append(c.p.insts, i)
	return uint32(len(c.p.insts) - 1)
}

func (c *compiler) step(edges ...edge) uint32 {
	at := uint32(len(c.p.edges))
	c.p.edges = append(c.p.edges, edges...)
	return c.add(inst{op: iEdges, n: uint16(len(edges)), arg: at})
}

func (c *compiler) bytes(b []byte, next uint32) uint32 {
	for i := len(b) - 1; i >= 0; i-- {
		next = c.step(edge{b[i], b[i], next})
	}
	return next
}

func (c *compiler) node(n *node, next uint32) uint32 {
	if c.full {
		return 0
	}
	switch n.op {
	case opEmpty, opKeep, opLook:
		return next
	case opFail:
		return c.add(inst{op: iFail})
	case opRune, opByte:
		b, _ := n.literal()
		if c.o.Records && b[0] == c.o.EOL {
			return c.add(inst{op: iFail})
		}
		return c.bytes(b, next)
	case opSet:
		return c.set(n.set, next)
	case opCat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = c.node(n.subs[i], next)
		}
		return next
	case opAlt:
		return c.alt(n, next)
	case opRepeat:
		return c.repeat(n, next)
	case opAtomic:
		return c.node(n.subs[0], next)
	case opGroup:
		if c.o.NoSub || c.super {
			return c.node(n.subs[0], next)
		}
		next = c.add(inst{op: iCap, n: uint16(2*n.n + 1), out: next})
		next = c.node(n.subs[0], next)
		return c.add(inst{op: iCap, n: uint16(2 * n.n), out: next})
	case opAssert:
		return c.assert(n.assert, next)
	case opBackref:
		return c.anything(next)
	}
	return c.add(inst{op: iFail})
}

// anything matches any bytes: what stands for a back-reference in a superset.
func (c *compiler) anything(next uint32) uint32 {
	loop := c.add(inst{op: iSplit, arg: next})
	edges := []edge{{0, 255, loop}}
	if c.o.Records {
		edges = edges[:0]
		if c.o.EOL > 0 {
			edges = append(edges, edge{0, c.o.EOL - 1, loop})
		}
		edges = append(edges, edge{c.o.EOL + 1, 255, loop})
	}
	at := c.step(edges...)
	c.p.insts[loop].out = at
	return loop
}

func (c *compiler) assert(a assert, next uint32) uint32 {
	c.p.asserts = true
	switch a {
	case atBOL, atEOL:
		c.p.lines = true
	case atBOT, atEOT:
	default:
		c.p.words = true
		c.p.wordy = c.o.Syntax != Perl && !c.o.Bytes
	}
	return c.add(inst{op: iAssert, n: uint16(a), out: next})
}

func (c *compiler) set(s set, next uint32) uint32 {
	if len(s) == 0 {
		return c.add(inst{op: iFail})
	}
	if c.o.Bytes || s[len(s)-1].hi < 0x80 {
		edges := byteEdges(s, next)
		if len(edges) == 0 {
			return c.add(inst{op: iFail})
		}
		return c.step(edges...)
	}
	key := make([]byte, 0, 8*len(s))
	for _, r := range s {
		key = append(key, byte(r.lo), byte(r.lo>>8), byte(r.lo>>16), byte(r.hi), byte(r.hi>>8), byte(r.hi>>16))
	}
	nodes, ok := c.sets[string(key)]
	if !ok {
		nodes = utf8Set(s)
		c.sets[string(key)] = nodes
	}
	// Nodes are numbered so that all but the start come after those they lead to.
	at := make([]uint32, len(nodes))
	build := func(i int) {
		from := uint32(len(c.p.edges))
		for _, e := range nodes[i] {
			to := next
			if e.next >= 0 {
				to = at[e.next]
			}
			c.p.edges = append(c.p.edges, edge{e.lo, e.hi, to})
		}
		at[i] = c.add(inst{op: iEdges, n: uint16(len(nodes[i])), arg: from})
	}
	for i := 1; i < len(nodes); i++ {
		build(i)
	}
	build(0)
	return at[0]
}

func (c *compiler) alt(n *node, next uint32) uint32 {
	if c.o.NoSub && len(n.subs) > 4 {
		if at, ok := c.trie(n, next); ok {
			return at
		}
	}
	entry := c.node(n.subs[len(n.subs)-1], next)
	for i := len(n.subs) - 2; i >= 0; i-- {
		first := c.node(n.subs[i], next)
		entry = c.add(inst{op: iSplit, out: first, arg: entry})
	}
	return entry
}

// unit is a character of a word, or its cases.
type unit struct {
	key  string // equal units have equal keys, and their order is that of the keys
	node *node
}

// trie joins the common beginnings of many words (grep -f).
func (c *compiler) trie(n *node, next uint32) (uint32, bool) {
	words := make([][]unit, 0, len(n.subs))
	for _, s := range n.subs {
		list := []*node{s}
		switch s.op {
		case opCat:
			list = s.subs
		case opEmpty:
			list = nil
		}
		if len(list) > 500 {
			return 0, false
		}
		word := make([]unit, len(list))
		for i, u := range list {
			switch {
			case u.op == opRune || u.op == opByte:
				b, _ := u.literal()
				word[i] = unit{string(b), u}
			case u.op == opSet && len(u.set) <= 4:
				word[i] = unit{fmt.Sprint(u.set), u}
			default:
				return 0, false
			}
		}
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b []unit) int {
		return slices.CompareFunc(a, b, func(x, y unit) int { return cmp.Compare(x.key, y.key) })
	})
	return c.trieNode(words, 0, next), true
}

// trieNode compiles sorted words from the unit at depth on.
func (c *compiler) trieNode(words [][]unit, depth int, next uint32) uint32 {
	ends := false
	for len(words) > 0 && len(words[0]) == depth {
		ends = true
		words = words[1:]
	}
	if len(words) == 0 {
		return next
	}
	var edges []edge // all branches that begin with one ASCII character
	var other []uint32
	for len(words) > 0 && !c.full {
		u := words[0][depth]
		n := 1
		for n < len(words) && words[n][depth].key == u.key {
			n++
		}
		rest := c.trieNode(words[:n], depth+1, next)
		words = words[n:]
		if r := u.node.r; (u.node.op == opByte || u.node.op == opRune && r < 0x80) && !(c.o.Records && byte(r) == c.o.EOL) {
			edges = append(edges, edge{byte(r), byte(r), rest})
		} else {
			other = append(other, c.node(u.node, rest))
		}
	}
	if c.full {
		return 0
	}
	if len(edges) > 0 {
		other = append(other, c.step(edges...))
	}
	if ends {
		other = append(other, next)
	}
	at := other[len(other)-1]
	for i := len(other) - 2; i >= 0; i-- {
		at = c.add(inst{op: iSplit, out: other[i], arg: at})
	}
	return at
}

func (c *compiler) repeat(n *node, next uint32) uint32 {
	sub := n.subs[0]
	split := func(in, out uint32) inst {
		if n.lazy {
			in, out = out, in
		}
		return inst{op: iSplit, out: in, arg: out}
	}
	lo := n.min
	if n.max < 0 {
		loop := c.add(inst{op: iSplit})
		entry := c.node(sub, loop)
		if c.full {
			return 0
		}
		c.p.insts[loop] = split(entry, next)
		if lo == 0 {
			return loop
		}
		next, lo = entry, lo-1
	} else {
		out := next
		for i := n.max; i > lo && !c.full; i-- {
			next = c.add(split(c.node(sub, next), out))
		}
	}
	for ; lo > 0 && !c.full; lo-- {
		next = c.node(sub, next)
	}
	return next
}

// What a byte can be in a match.
const (
	pairFirst uint8 = 1 << iota
	pairSecond
)

// maxFirsts is how many bytes a match may begin with for it to be worth while to look for them.
const maxFirsts = 64

// findFirsts looks at which bytes a match can begin with, and which can follow them.
func (p *prog) findFirsts() {
	var after []uint32
	p.empty = p.edgesFrom([]uint32{p.start}, func(e edge) {
		after = append(after, e.to)
		for b := int(e.lo); b <= int(e.hi); b++ {
			p.canBegin[b] = true
		}
	})
	if p.empty {
		return
	}
	var list []byte
	for b, ok := range p.canBegin {
		if ok || p.narrow && b >= utf8.RuneSelf {
			p.pair[b] |= pairFirst
		}
		if ok {
			list = append(list, byte(b))
		}
	}
	if p.paired = len(list) <= maxFirsts; !p.paired {
		return
	}
	if len(list) <= 3 && !p.narrow {
		p.firsts = list
	}
	all := p.edgesFrom(after, func(e edge) {
		for b := int(e.lo); b <= int(e.hi); b++ {
			p.pair[b] |= pairSecond
		}
	})
	for b := range p.pair {
		if all || p.narrow && b >= utf8.RuneSelf {
			p.pair[b] |= pairSecond
		}
	}
}

// edgesFrom gives the edges that some states lead to without a byte, and reports whether a match can end there.
func (p *prog) edgesFrom(stack []uint32, each func(edge)) (ends bool) {
	seen := make([]bool, len(p.insts))
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := p.insts[pc]; in.op {
		case iMatch:
			return true
		case iSplit:
			stack = append(stack, in.out, in.arg)
		case iCap, iAssert:
			stack = append(stack, in.out)
		case iEdges:
			for _, e := range p.edges[in.arg : in.arg+uint32(in.n)] {
				each(e)
			}
		}
	}
	return false
}

// indexPair gives the first place in b where a match can begin by its first two bytes, -1 if there is none.
func (p *prog) indexPair(b []byte) int {
	is, i := &p.pair, 0
	for ; i+2 < len(b); i += 2 {
		switch c := is[b[i+1]]; {
		case c == 0:
		case c&pairSecond != 0 && is[b[i]]&pairFirst != 0:
			return i
		case c&pairFirst != 0 && is[b[i+2]]&pairSecond != 0:
			return i + 1
		}
	}
	for ; i < len(b); i++ {
		if is[b[i]]&pairFirst != 0 && (i+1 == len(b) || is[b[i+1]]&pairSecond != 0) {
			return i
		}
	}
	return -1
}

// findSymbols groups the bytes.
func (p *prog) findSymbols() {
	var cut [257]bool // a new class begins here
	mark := func(lo, hi int) { cut[lo], cut[hi+1] = true, true }
	for _, e := range p.edges {
		mark(int(e.lo), int(e.hi))
	}
	if p.lines {
		mark(int(p.eol), int(p.eol))
	}
	if p.narrow {
		mark(0, 127)
	}
	if p.words {
		mark('0', '9')
		mark('A', 'Z')
		mark('_', '_')
		mark('a', 'z')
		mark(0, 127)
	}
	// With wordy asserts a byte above 127 has four symbols: by whether its
	// character is of a word, and whether the byte is inside of the character.
	add := func(b int, ctx uint8) {
		p.symByte = append(p.symByte, byte(b))
		p.symCtx = append(p.symCtx, ctx)
	}
	for b := 0; b < 256; b++ {
		if b == 0 || cut[b] {
			var ctx uint8
			if p.lines && byte(b) == p.eol {
				ctx |= ctxNL
			}
			if p.words && b < 128 && isWord(rune(b)) {
				ctx |= ctxWord
			}
			add(b, ctx)
			if p.wordy && b >= 128 {
				add(b, ctxWord)
				add(b, ctxInside)
				add(b, ctxWord|ctxInside)
			}
		}
		p.sym[b] = uint16(len(p.symByte) - 1)
		if p.wordy && b >= 128 {
			p.sym[b] -= 3
		}
	}
	add(0, ctxEdge)
	p.nsym = len(p.symByte)
}

// edgeSym is the symbol of the edge of the text.
func (p *prog) edgeSym() int { return p.nsym - 1 }
