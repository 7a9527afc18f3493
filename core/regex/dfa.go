package regex

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// dfa is the forward automaton. A state is a list of NFA states in groups: a
// group for each place a match may have begun, earlier ones first. When a group
// reaches the end of a match the later ones are dropped, and so the last end
// seen is that of the leftmost-longest match. If only the question is whether
// there is a match, there is one group and the first end is enough.
//
// An assert needs to know the byte on either side, so it stays in the list until
// the next symbol is known, and a match is noticed one symbol after its end.
type dfa struct {
	p       *prog
	longest bool
	budget  int
	teller

	// trans[s+symbol] is the next state, with flags; a state is its offset in trans.
	trans  []uint32
	states []dstate
	ids    map[string]uint32
	start  [8]uint32 // by what is before; 0 is not made yet
	size   int       // NFA states in all states
	gen    int       // counts the times the cache was cleared
	accel  bool
	dense  bool // the prefilter looks for pairs of bytes
	stale  bool // accel was given up: states marked flagFresh are to go
	tries  int  // how often the prefilter was asked and how far it went
	gained int

	seen  sparse
	queue []uint32
	next  []uint32
	key   []byte
	stack []uint32
}

// dstate is what a state of the automaton stands for.
type dstate struct {
	list    []uint32 // NFA states; group ends are marked
	prev    uint8    // what is before, for the asserts in list
	asserts bool
	done    bool // a match was seen: no new ones begin
	fresh   bool // nothing but the start: the prefilter may skip ahead
}

const (
	flagUnknown = 1 << 31
	flagMatch   = 1 << 30 // a match ended before the symbol
	flagDead    = 1 << 29 // no match can follow
	flagFresh   = 1 << 28
	flagAny     = flagFresh
	stateMask   = flagFresh - 1

	groupMark = ^uint32(0)

	maxTrans = 1 << 19 // entries: 2 MiB
	maxSize  = 1 << 20
)

// sparse is a set of NFA states that is emptied in no time.
type sparse struct {
	at    []uint32
	stamp uint32
}

func (s *sparse) reset(n int) {
	if len(s.at) < n {
		s.at = make([]uint32, n)
		s.stamp = 0
	}
	s.stamp++
	if s.stamp == 0 {
		clear(s.at)
		s.stamp = 1
	}
}

// add reports whether x was not in the set yet.
func (s *sparse) add(x uint32) bool {
	if s.at[x] == s.stamp {
		return false
	}
	s.at[x] = s.stamp
	return true
}

func newDFA(p *prog, longest bool) *dfa {
	d := &dfa{p: p, longest: longest}
	d.accel = !p.anchored && (len(p.prefix) > 0 || p.paired)
	d.dense = len(p.prefix) == 0 && len(p.firsts) == 0
	d.clear()
	return d
}

func (d *dfa) clear() {
	d.trans = append(d.trans[:0], make([]uint32, d.p.nsym)...) // offset 0 is no state
	d.states = append(d.states[:0], dstate{})
	d.ids = map[string]uint32{}
	d.start = [8]uint32{}
	d.size = 0
	d.gen++
}

// expand adds to out what pc leads to without a byte. Asserts stay in the list
// if hold is true; otherwise they are decided by prev and next.
func (d *dfa) expand(out []uint32, pc uint32, hold bool, prev, next uint8) []uint32 {
	stack := append(d.stack[:0], pc)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !d.seen.add(pc) {
			continue
		}
		d.budget--
		switch in := &d.p.insts[pc]; in.op {
		case iSplit:
			stack = append(stack, in.arg, in.out)
		case iCap:
			stack = append(stack, in.out)
		case iAssert:
			if hold {
				out = append(out, pc)
			} else if assert(in.n).holds(prev, next) {
				stack = append(stack, in.out)
			}
		case iEdges, iMatch:
			out = append(out, pc)
		}
	}
	d.stack = stack
	return out
}

// begin gives the state before any byte.
func (d *dfa) begin(prev uint8) uint32 {
	i := prev & 7
	if s := d.start[i]; s != 0 {
		return s
	}
	d.seen.reset(len(d.p.insts))
	d.next = d.expand(d.next[:0], d.p.start, true, 0, 0)
	slices.Sort(d.next)
	d.next = append(d.next, groupMark)
	s := d.intern(d.next, prev, false, true)
	d.start[i] = s
	return s
}

// intern gives the number of a state, with flags, and makes it if it is new.
func (d *dfa) intern(list []uint32, prev uint8, done, fresh bool) uint32 {
	asserts := false
	for _, pc := range list {
		if pc != groupMark && d.p.insts[pc].op == iAssert {
			asserts = true
		}
	}
	if !asserts {
		prev = 0
	}
	flags := byte(0)
	if done {
		flags = 1
	}
	key := append(d.key[:0], prev, flags)
	for _, pc := range list {
		key = append(key, byte(pc), byte(pc>>8), byte(pc>>16), byte(pc>>24))
	}
	d.key = key
	if s, ok := d.ids[string(key)]; ok {
		return s
	}
	if len(list) == 0 {
		d.ids[string(key)] = flagDead
		return flagDead
	}
	if len(d.trans) > maxTrans || d.size > maxSize {
		d.clear()
	}
	s := uint32(len(d.trans))
	for i := 0; i < d.p.nsym; i++ {
		d.trans = append(d.trans, flagUnknown)
	}
	d.states = append(d.states, dstate{list: append([]uint32(nil), list...), prev: prev, asserts: asserts, done: done, fresh: fresh})
	d.size += len(list)
	if fresh && d.accel {
		s |= flagFresh
	}
	d.ids[string(key)] = s
	return s
}

// step makes the transition of a state over a symbol. It may clear the cache:
// then all older state numbers are void.
func (d *dfa) step(s uint32, sym int) (uint32, error) {
	p, left := d.p, d.budget
	st := d.states[int(s)/p.nsym]
	next := p.symCtx[sym]
	list := st.list
	if st.asserts {
		d.seen.reset(len(p.insts))
		q := d.queue[:0]
		for _, pc := range list {
			if pc == groupMark {
				q = append(q, pc)
				continue
			}
			q = d.expand(q, pc, false, st.prev, next)
		}
		d.queue, list = q, q
	}
	d.seen.reset(len(p.insts))
	out := d.next[:0]
	b := p.symByte[sym]
	edge := sym == p.edgeSym()
	matched, any := false, false
	from := 0
	for from < len(list) {
		to := from
		for list[to] != groupMark {
			if p.insts[list[to]].op == iMatch {
				matched = true
			}
			to++
		}
		if matched && !d.longest {
			break
		}
		if !edge {
			n := len(out)
			for _, pc := range list[from:to] {
				out = d.advance(out, pc, b)
			}
			if len(out) > n && d.longest {
				slices.Sort(out[n:])
				out = append(out, groupMark)
			}
		}
		if matched {
			break
		}
		from = to + 1
	}
	any = len(out) > 0
	done := st.done || matched
	if !done && !edge && !p.anchored {
		n := len(out)
		out = d.expand(out, p.start, true, 0, 0)
		if len(out) > n && d.longest {
			slices.Sort(out[n:])
			out = append(out, groupMark)
		}
	}
	if !d.longest && len(out) > 0 {
		slices.Sort(out)
		out = append(out, groupMark)
	}
	d.next = out
	if d.budget < 0 {
		return 0, ErrSteps
	}
	d.steps(left - d.budget)
	gen := d.gen
	r := d.intern(out, next&^ctxInside, done, !any && !done)
	if matched {
		r |= flagMatch
	}
	if d.gen == gen {
		d.trans[int(s)+sym] = r
	}
	return r, nil
}

// advance adds what follows pc after the byte b.
func (d *dfa) advance(out []uint32, pc uint32, b byte) []uint32 {
	in := &d.p.insts[pc]
	if in.op != iEdges {
		return out
	}
	d.budget--
	for _, e := range d.p.edges[in.arg : in.arg+uint32(in.n)] {
		if e.lo <= b && b <= e.hi {
			return d.expand(out, e.to, true, 0, 0)
		}
	}
	return out
}

// skip gives the next place at or after i where a match may begin, or to.
func (d *dfa) skip(b []byte, i, to int) int {
	p := d.p
	at := -1
	switch {
	case len(p.prefix) > 1:
		at = bytes.Index(b[i:to], p.prefix)
	case len(p.prefix) == 1:
		at = bytes.IndexByte(b[i:to], p.prefix[0])
	case d.dense:
		at = p.indexPair(b[i:to])
	default:
		rest := b[i:to]
		for _, c := range p.firsts {
			if j := bytes.IndexByte(rest, c); j >= 0 {
				at, rest = j, rest[:j]
			}
		}
	}
	if at < 0 {
		at = to - i
	}
	// Where candidates are dense, looking for them costs more than it saves.
	d.tries++
	d.gained += at
	if d.tries == 256 {
		switch {
		case d.gained < 256*64 && !d.dense && len(p.prefix) == 0:
			d.dense = true
		case d.gained < 256*8:
			d.accel, d.stale = false, true
		}
		d.tries, d.gained = 0, 0
	}
	return i + at
}

// block is how many bytes are looked at before the meter is told.
const block = 64 << 10

// find runs over b[from:to]. It gives the end of the leftmost-longest match, or
// if not longest a place at or after the end of some match in the same line; -1 if there is none.
func (d *dfa) find(b []byte, from, to int) (int, error) {
	p := d.p
	if p.anchored && from > 0 {
		return -1, nil
	}
	if d.stale {
		d.clear()
		d.stale = false
	}
	last := -1
	if d.unknown(b, from-1) {
		return -1, errWide
	}
	s := d.begin(p.ctxBefore(b, from))
	i, told := from, from
	for {
		if s&flagFresh != 0 {
			s &= stateMask
			if d.accel && i < to {
				if at := d.skip(b, i, to); at > i {
					if i = at; d.unknown(b, i-1) {
						return -1, errWide
					}
					s = d.begin(p.ctxBefore(b, i)) & stateMask
				}
			}
		}
		if s&flagDead != 0 {
			return last, nil
		}
		if i-told >= block {
			if d.meter != nil {
				d.meter((i - told) >> 6)
			}
			told = i
		}
		s, i = d.run(b[:min(to, i+block)], i, s)
		sym := p.edgeSym()
		if i < to {
			if p.narrow && b[i] >= utf8.RuneSelf {
				return -1, errWide
			}
			sym = p.symAt(b, i)
		}
		n := d.trans[int(s)+sym]
		if n == flagUnknown {
			var err error
			if n, err = d.step(s, sym); err != nil {
				return -1, err
			}
		}
		if n&flagMatch != 0 {
			last = i
			if !d.longest {
				return i, nil
			}
		}
		if i >= to {
			return last, nil
		}
		i++
		s = n &^ flagMatch
	}
}

// unknown reports that an assert may look at b[i] and the program does not know that byte.
func (d *dfa) unknown(b []byte, i int) bool {
	return d.p.narrow && d.p.asserts && i >= 0 && b[i] >= utf8.RuneSelf
}

// run goes on while nothing but the next state matters. It stops before the
// byte that needs a closer look.
func (d *dfa) run(b []byte, i int, s uint32) (uint32, int) {
	trans, sym := d.trans, &d.p.sym
	if d.p.wordy {
		for i < len(b) && b[i] < utf8.RuneSelf {
			n := trans[s+uint32(sym[b[i]])]
			if n >= flagAny {
				break
			}
			s = n
			i++
		}
		return s, i
	}
	for ; i+4 <= len(b); i += 4 {
		c := b[i : i+4 : i+4]
		n := trans[s+uint32(sym[c[0]])]
		if n >= flagAny {
			return s, i
		}
		if s = trans[n+uint32(sym[c[1]])]; s >= flagAny {
			return n, i + 1
		}
		if n = trans[s+uint32(sym[c[2]])]; n >= flagAny {
			return s, i + 2
		}
		if s = trans[n+uint32(sym[c[3]])]; s >= flagAny {
			return n, i + 3
		}
	}
	for i < len(b) {
		n := trans[s+uint32(sym[b[i]])]
		if n >= flagAny {
			break
		}
		s = n
		i++
	}
	return s, i
}
