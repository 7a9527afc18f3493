package regex

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Kinds of instructions of the backtracking matcher.
const (
	kFail uint8 = iota
	kMatch
	kByte     // the byte n, not part of a character
	kRune     // the character n
	kSet      // a character of sets[n]
	kSplit    // out, else arg
	kSlot     // slots[n] = place
	kForget   // slots[n] = -1
	kProgress // the end of a turn of a loop that began at slots[n]: on to out, or if it took nothing to arg
	kAssert   // assert n holds
	kBackref  // group n again; arg 1 ignores case
	kLook     // looks[n]
	kAtomic   // arg matches here; its first match is final
)

type tinst struct {
	op  uint8
	n   int32
	out uint32
	arg uint32
}

// look is a lookahead or a lookbehind.
type look struct {
	body   uint32
	neg    bool
	behind bool
	widths []int // of the alternatives of a lookbehind, in characters
}

// tset is a set with a fast path for bytes below 128.
type tset struct {
	ascii [2]uint64
	all   set
}

// track is the backtracking matcher: for patterns with back-references, which it
// searches to the end for the longest match, and for Perl's, where the first
// match counts. Its stack is on the heap and its steps are counted.
type track struct {
	insts []tinst
	sets  []tset
	looks []look
	start uint32
	ncap  int
	nslot int
	// superset is not 0 if the byte NFA matches more than this program does.
	superset int
	perl     bool
	oneLine  bool // a match begins at the begin of a line, and the text is one line
	bytes    bool // a character is a byte
	full     bool
	p        *prog

	budget int
	teller
	slots []int
	best  []int
	stack []choice
}

// choice is what to do when a way was wrong: go on at pc and at, or if pc is
// restoreSlot|n put at back into slot n.
type choice struct {
	pc uint32
	at int
}

const (
	restoreSlot = 1 << 31
	maxChoices  = 16 << 20
	maxNesting  = 200 // lookarounds and atomic groups in each other
)

func (t *track) clone() *track {
	c := *t
	c.slots, c.best, c.stack = nil, nil, nil
	return &c
}

// compile makes the program; the error is a Code.
func (t *track) compile(tree *node, ncap int, o Options, p *prog) error {
	t.p = p
	t.perl, t.bytes = o.Syntax == Perl, o.Bytes
	t.oneLine = o.Records && beginsAt(tree, atBOL)
	t.ncap, t.nslot = ncap, 2*(ncap+1)
	end := t.add(tinst{op: kMatch})
	t.start = t.node(tree, end)
	if t.full {
		return TooBig
	}
	return nil
}

func (t *track) add(i tinst) uint32 {
	if len(t.insts) >= maxInsts {
		t.full = true
		return 0
	}
	t.insts = append(t.insts, i)
	return uint32(len(t.insts) - 1)
}

func (t *track) node(n *node, next uint32) uint32 {
	if t.full {
		return 0
	}
	switch n.op {
	case opEmpty:
		return next
	case opRune:
		return t.add(tinst{op: kRune, n: n.r, out: next})
	case opByte:
		if t.bytes {
			return t.add(tinst{op: kRune, n: n.r, out: next})
		}
		t.superset = 1
		return t.add(tinst{op: kByte, n: n.r, out: next})
	case opSet:
		return t.add(tinst{op: kSet, n: t.set(n.set), out: next})
	case opCat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = t.node(n.subs[i], next)
		}
		return next
	case opAlt:
		entry := t.node(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; i >= 0; i-- {
			entry = t.add(tinst{op: kSplit, out: t.node(n.subs[i], next), arg: entry})
		}
		return entry
	case opRepeat:
		return t.repeat(n, next)
	case opGroup:
		next = t.add(tinst{op: kSlot, n: int32(2*n.n + 1), out: next})
		next = t.node(n.subs[0], next)
		return t.add(tinst{op: kSlot, n: int32(2 * n.n), out: next})
	case opAssert:
		return t.add(tinst{op: kAssert, n: int32(n.assert), out: next})
	case opBackref:
		t.superset = 1
		fold := uint32(0)
		if n.fold {
			fold = 1
		}
		return t.add(tinst{op: kBackref, n: int32(n.n), arg: fold, out: next})
	case opKeep:
		t.superset = 1 // Find must run: it moves the start
		return t.add(tinst{op: kSlot, n: 0, out: next})
	case opAtomic:
		t.superset = 1
		return t.add(tinst{op: kAtomic, arg: t.body(n), out: next})
	case opLook:
		t.superset = 1
		l := look{body: t.body(n), neg: n.neg, behind: n.behind}
		if n.behind {
			l.widths = alternativeWidths(n.subs[0])
		}
		t.looks = append(t.looks, l)
		return t.add(tinst{op: kLook, n: int32(len(t.looks) - 1), out: next})
	}
	return t.add(tinst{op: kFail})
}

func (t *track) body(n *node) uint32 {
	return t.node(n.subs[0], t.add(tinst{op: kMatch}))
}

func (t *track) repeat(n *node, next uint32) uint32 {
	sub := n.subs[0]
	split := func(in, out uint32) tinst {
		if n.lazy {
			in, out = out, in
		}
		return tinst{op: kSplit, out: in, arg: out}
	}
	lo := n.min
	if n.max < 0 {
		loop := t.add(tinst{op: kSplit})
		var entry uint32
		slot := int32(-1)
		if sub.canBeEmpty() {
			slot = int32(t.nslot)
			t.nslot += 2
			check := t.add(tinst{op: kProgress, n: slot, out: loop, arg: next})
			entry = t.add(tinst{op: kSlot, n: slot, out: t.node(sub, check)})
		} else {
			entry = t.node(sub, loop)
		}
		if t.full {
			return 0
		}
		t.insts[loop] = split(entry, next)
		if slot >= 0 {
			loop = t.add(tinst{op: kForget, n: slot + 1, out: loop})
		}
		if lo == 0 {
			return loop
		}
		if slot < 0 {
			next, lo = entry, lo-1
		} else {
			next = loop
		}
	} else {
		out := next
		for i := n.max; i > lo && !t.full; i-- {
			next = t.add(split(t.node(sub, next), out))
		}
	}
	for ; lo > 0 && !t.full; lo-- {
		next = t.node(sub, next)
	}
	return next
}

func (t *track) set(s set) int32 {
	ts := tset{all: s}
	for c := rune(0); c < 128; c++ {
		if s.has(c) {
			ts.ascii[c/64] |= 1 << (c % 64)
		}
	}
	t.sets = append(t.sets, ts)
	return int32(len(t.sets) - 1)
}

// find looks for a match from place from on.
func (t *track) find(b []byte, from int, loc []int) (bool, error) {
	if len(t.slots) < t.nslot {
		t.slots = make([]int, t.nslot)
	}
	if t.oneLine && from > 0 {
		return false, nil
	}
	for at := from; at <= len(b); {
		if p := t.p; len(p.prefix) > 0 {
			i := bytes.Index(b[at:], p.prefix)
			if i < 0 {
				return false, nil
			}
			at += i
		} else if !p.empty && !p.anchored {
			for at < len(b) && (!p.canBegin[b[at]] || t.inside(b, at)) {
				at++
			}
			if at == len(b) {
				return false, nil
			}
		}
		for i := range t.slots {
			t.slots[i] = -1
		}
		t.slots[0] = at
		end, err := t.run(b, t.start, at, 0)
		if err != nil {
			return false, err
		}
		if end >= 0 {
			res := t.slots
			if !t.perl {
				res = t.best
			}
			fill(loc, -1, -1)
			copy(loc, res[:2*(t.ncap+1)])
			loc[1] = end
			if loc[0] > end { // \K inside of a lookahead
				loc[0] = end
			}
			return true, nil
		}
		if t.p.anchored || t.oneLine || at >= len(b) {
			break
		}
		_, n := utf8.DecodeRune(b[at:])
		if t.bytes {
			n = 1
		}
		at += n
	}
	return false, nil
}

// inside reports that place i is in the middle of a character.
func (t *track) inside(b []byte, i int) bool {
	if t.bytes || utf8.RuneStart(b[i]) {
		return false
	}
	_, at, n := charAround(b, i)
	return n > 0 && at < i
}

// run matches from pc at a place. It gives the end of the first match, or at the
// outermost level of a POSIX pattern of the longest; -1 if there is none.
func (t *track) run(b []byte, pc uint32, at, nest int) (int, error) {
	if nest > maxNesting {
		return -1, ErrSteps
	}
	floor := len(t.stack)
	longest := -1
	for {
		t.budget--
		t.steps(1)
		if t.budget < 0 || len(t.stack) > maxChoices {
			t.stack = t.stack[:0]
			return -1, ErrSteps
		}
		in := &t.insts[pc]
		ok := false
		switch in.op {
		case kMatch:
			if t.perl || nest > 0 {
				t.stack = t.keepRestores(floor, nest)
				return at, nil
			}
			if at > longest {
				longest = at
				t.best = append(t.best[:0], t.slots...)
			}
			if at == len(b) {
				t.stack = t.stack[:floor]
				return longest, nil
			}
		case kByte:
			if _, n := t.decode(b, at); n == 0 {
				if ok = at < len(b) && b[at] == byte(in.n); ok {
					at++
				}
			}
		case kRune:
			if r, n := t.decode(b, at); n > 0 && r == in.n {
				at += n
				ok = true
			}
		case kSet:
			if r, n := t.decode(b, at); n > 0 && t.sets[in.n].has(r) {
				at += n
				ok = true
			}
		case kSplit:
			t.stack = append(t.stack, choice{in.arg, at})
			ok = true
		case kSlot:
			t.stack = append(t.stack, choice{restoreSlot | uint32(in.n), t.slots[in.n]})
			t.slots[in.n] = at
			ok = true
		case kForget:
			t.stack = append(t.stack, choice{restoreSlot | uint32(in.n), t.slots[in.n]})
			t.slots[in.n] = -1
			ok = true
		case kProgress:
			if t.slots[in.n] != at {
				t.stack = append(t.stack, choice{restoreSlot | uint32(in.n+1), t.slots[in.n+1]})
				t.slots[in.n+1] = at
				ok = true
				break
			}
			// glibc takes a turn without progress only if it is the first.
			if t.perl || t.slots[in.n+1] < 0 {
				pc = in.arg
				continue
			}
		case kAssert:
			ok = t.holds(assert(in.n), b, at)
		case kBackref:
			var n int
			if n, ok = t.again(b, at, int(in.n), in.arg != 0); ok {
				at += n
			}
		case kAtomic:
			end, err := t.run(b, in.arg, at, nest+1)
			if err != nil {
				return -1, err
			}
			if ok = end >= 0; ok {
				at = end
			}
		case kLook:
			var err error
			if ok, err = t.looksAt(b, &t.looks[in.n], at, nest); err != nil {
				return -1, err
			}
		}
		if ok {
			pc = in.out
			continue
		}
		if pc, at, ok = t.retreat(floor); !ok {
			return longest, nil
		}
	}
}

// retreat undoes up to the last choice above floor.
func (t *track) retreat(floor int) (uint32, int, bool) {
	for len(t.stack) > floor {
		c := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if c.pc&restoreSlot == 0 {
			return c.pc, c.at, true
		}
		t.slots[c.pc&^restoreSlot] = c.at
	}
	return 0, 0, false
}

// keepRestores drops the choices above floor and keeps what restores slots, so
// that going back over a whole atomic group or lookaround restores its groups.
func (t *track) keepRestores(floor, nest int) []choice {
	if nest == 0 {
		return t.stack[:floor]
	}
	out := t.stack[:floor]
	for _, c := range t.stack[floor:] {
		if c.pc&restoreSlot != 0 {
			out = append(out, c)
		}
	}
	return out
}

func (t *track) looksAt(b []byte, l *look, at, nest int) (bool, error) {
	floor := len(t.stack)
	found := false
	if !l.behind {
		end, err := t.run(b, l.body, at, nest+1)
		if err != nil {
			return false, err
		}
		found = end >= 0
	}
	for _, w := range l.widths {
		from := at
		for ; w > 0 && from > 0; w-- {
			_, n := utf8.DecodeLastRune(b[:from])
			if t.bytes {
				n = 1
			}
			from -= n
		}
		if w > 0 {
			continue
		}
		end, err := t.run(b, l.body, from, nest+1)
		if err != nil {
			return false, err
		}
		if found = end == at; found {
			break
		}
	}
	if !found || l.neg { // what the body remembered is forgotten
		for len(t.stack) > floor {
			t.retreat(floor)
		}
	}
	return found != l.neg, nil
}

// again matches what group n matched.
func (t *track) again(b []byte, at, n int, fold bool) (int, bool) {
	lo, hi := t.slots[2*n], t.slots[2*n+1]
	if lo < 0 || hi < lo {
		return 0, false
	}
	t.budget -= (hi - lo) / 16
	t.steps((hi - lo) / 16)
	if !fold {
		return hi - lo, bytes.HasPrefix(b[at:], b[lo:hi])
	}
	i := at
	for lo < hi {
		r, n := t.decode(b, lo)
		s, m := t.decode(b, i)
		if n == 0 || m == 0 || r != s && !t.sameFold(r, s) {
			return 0, false
		}
		lo += n
		i += m
	}
	return i - at, true
}

func (t *track) sameFold(r, s rune) bool {
	if t.bytes && (r >= utf8.RuneSelf || s >= utf8.RuneSelf) {
		return false
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f == s {
			return true
		}
	}
	return false
}

// decode gives the character at a place, length 0 if there is none.
func (t *track) decode(b []byte, at int) (rune, int) {
	if at >= len(b) {
		return 0, 0
	}
	if t.bytes || b[at] < utf8.RuneSelf {
		return rune(b[at]), 1
	}
	r, n := utf8.DecodeRune(b[at:])
	if r == utf8.RuneError && n == 1 {
		return 0, 0
	}
	return r, n
}

func (s *tset) has(r rune) bool {
	if r < 128 {
		return s.ascii[r/64]&(1<<(r%64)) != 0
	}
	return s.all.has(r)
}

// holds evaluates an assert at a place.
func (t *track) holds(a assert, b []byte, at int) bool {
	return a.holds(t.ctx(b, at-1), t.ctx(b, at))
}

func (t *track) ctx(b []byte, i int) uint8 {
	switch {
	case i < 0 || i >= len(b):
		return ctxEdge
	case b[i] == t.p.eol:
		return ctxNL
	case b[i] < utf8.RuneSelf:
		if isWord(rune(b[i])) {
			return ctxWord
		}
		return 0
	}
	if r, _, n := charAround(b, i); n > 0 && !t.perl && !t.bytes && isWord(r) {
		return ctxWord
	}
	return 0
}

// canBeEmpty reports whether a node may match nothing; it may err on that side.
func (n *node) canBeEmpty() bool {
	switch n.op {
	case opRune, opByte, opSet, opFail:
		return false
	case opCat:
		for _, s := range n.subs {
			if !s.canBeEmpty() {
				return false
			}
		}
		return true
	case opAlt:
		for _, s := range n.subs {
			if s.canBeEmpty() {
				return true
			}
		}
		return false
	case opRepeat:
		return n.min == 0 || n.subs[0].canBeEmpty()
	case opGroup, opAtomic:
		return n.subs[0].canBeEmpty()
	}
	return true
}

// width gives how many characters a node matches, or -1 if that is not fixed.
func (n *node) width() int {
	switch n.op {
	case opEmpty, opAssert, opLook, opKeep:
		return 0
	case opRune, opByte, opSet, opFail:
		return 1
	case opCat:
		sum := 0
		for _, s := range n.subs {
			w := s.width()
			if w < 0 {
				return -1
			}
			sum += w
		}
		return sum
	case opAlt:
		w := n.subs[0].width()
		for _, s := range n.subs[1:] {
			if s.width() != w {
				return -1
			}
		}
		return w
	case opRepeat:
		if w := n.subs[0].width(); w >= 0 && n.min == n.max {
			return w * n.min
		}
	case opGroup, opAtomic:
		return n.subs[0].width()
	}
	return -1
}

// alternativeWidths gives the different widths of the alternatives of a
// lookbehind; nil if one is not fixed.
func alternativeWidths(n *node) []int {
	list := []*node{n}
	if n.op == opAlt {
		list = n.subs
	}
	var out []int
	for _, s := range list {
		w := s.width()
		if w < 0 {
			return nil
		}
		seen := false
		for _, o := range out {
			seen = seen || o == w
		}
		if !seen {
			out = append(out, w)
		}
	}
	return out
}
