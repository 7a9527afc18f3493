package regex

import (
	"slices"

	"eryxsh/core/large"
)

// back is the backward automaton. It runs from the end of a match, known from
// the dfa, to the left. For each place it knows reach: the NFA states from which
// that end can be come to. Where the start state is among them a match begins,
// and with the reach of every place the submatches are found by walking forward
// through the NFA, taking the preferred branch that is in reach.
type back struct {
	p      *prog
	budget int
	need   func(bytes int)
	teller

	eps  [][]uint32   // by NFA state: those that lead to it without a byte
	over [][]backEdge // and those that lead to it over a byte

	trans  []uint32
	reach  []uint32 // beside trans: which of sets holds at the place before the symbol
	states []backState
	ids    map[string]uint32
	start  [16]uint32 // by what follows; 0 is not made yet
	gen    int
	sets   [][]uint64
	words  int

	seen   sparse
	stack  []uint32
	base   []uint32
	key    []byte
	places []uint32
	undo   []capture
}

type backEdge struct {
	lo, hi byte
	from   uint32
}

type backState struct {
	base []uint32 // states that come to the end from here, asserts before them not decided
	next uint8
	set  uint32 // its reach if there are no asserts; 0 is not made yet
}

// maxReach bounds the words in all reach sets of one search.
const maxReach = 8 << 20

func newBack(p *prog) *back {
	k := &back{p: p, eps: make([][]uint32, len(p.insts)), over: make([][]backEdge, len(p.insts))}
	for pc, in := range p.insts {
		switch in.op {
		case iSplit:
			k.eps[in.out] = append(k.eps[in.out], uint32(pc))
			k.eps[in.arg] = append(k.eps[in.arg], uint32(pc))
		case iCap, iAssert:
			k.eps[in.out] = append(k.eps[in.out], uint32(pc))
		case iEdges:
			for _, e := range p.edges[in.arg : in.arg+uint32(in.n)] {
				k.over[e.to] = append(k.over[e.to], backEdge{e.lo, e.hi, uint32(pc)})
			}
		}
	}
	k.clear()
	return k
}

func (k *back) clear() {
	k.trans = append(k.trans[:0], make([]uint32, k.p.nsym)...)
	k.reach = append(k.reach[:0], make([]uint32, k.p.nsym)...)
	k.states = append(k.states[:0], backState{})
	k.ids = map[string]uint32{}
	k.start = [16]uint32{}
	k.gen++
}

func (k *back) intern(base []uint32, next uint8) uint32 {
	if len(base) == 0 {
		return flagDead
	}
	if !k.p.asserts {
		next = 0
	}
	key := append(k.key[:0], next)
	for _, pc := range base {
		key = append(key, byte(pc), byte(pc>>8), byte(pc>>16), byte(pc>>24))
	}
	k.key = key
	if s, ok := k.ids[string(key)]; ok {
		return s
	}
	if len(k.trans) > maxTrans {
		k.clear()
	}
	s := uint32(len(k.trans))
	for i := 0; i < k.p.nsym; i++ {
		k.trans = append(k.trans, flagUnknown)
		k.reach = append(k.reach, 0)
	}
	k.states = append(k.states, backState{base: append([]uint32(nil), base...), next: next})
	k.ids[string(key)] = s
	return s
}

// begin gives the state at the end of a match, before something.
func (k *back) begin(next uint8) uint32 {
	if s := k.start[next&15]; s != 0 {
		return s
	}
	k.base = append(k.base[:0], 0) // the iMatch
	s := k.intern(k.base, next)
	k.start[next&15] = s
	return s
}

// step makes the transition of a state over the symbol before its place. The
// result has flagMatch if a match can begin at the place.
func (k *back) step(s uint32, sym int) (next, set uint32, err error) {
	p, left := k.p, k.budget
	st := &k.states[int(s)/p.nsym]
	prev := p.symCtx[sym] &^ ctxInside
	k.seen.reset(len(p.insts))
	stack := k.stack[:0]
	for _, pc := range st.base {
		k.seen.add(pc)
		stack = append(stack, pc)
	}
	for i := 0; i < len(stack); i++ {
		k.budget--
		for _, e := range k.eps[stack[i]] {
			if in := &p.insts[e]; in.op == iAssert && !assert(in.n).holds(prev, st.next) {
				continue
			}
			if k.seen.add(e) {
				stack = append(stack, e)
			}
		}
	}
	k.stack = stack
	set = st.set
	if set == 0 {
		if len(k.sets) == 0 {
			k.sets = append(k.sets, nil)
		}
		bits := make([]uint64, (len(p.insts)+63)/64)
		for _, pc := range stack {
			bits[pc/64] |= 1 << (pc % 64)
		}
		set = uint32(len(k.sets))
		k.sets = append(k.sets, bits)
		k.words += len(bits)
		if !p.asserts {
			st.set = set
		}
	}
	starts := k.sets[set][p.start/64]&(1<<(p.start%64)) != 0
	base := k.base[:0]
	if sym != p.edgeSym() {
		b := p.symByte[sym]
		k.seen.reset(len(p.insts))
		for _, pc := range stack {
			for _, e := range k.over[pc] {
				k.budget--
				if e.lo <= b && b <= e.hi && k.seen.add(e.from) {
					base = append(base, e.from)
				}
			}
		}
	}
	k.base = base
	if k.budget < 0 || k.words > maxReach {
		return 0, 0, ErrSteps
	}
	k.steps(left - k.budget)
	slices.Sort(base)
	gen := k.gen
	next = k.intern(base, p.symCtx[sym])
	if starts {
		next |= flagMatch
	}
	if k.gen == gen {
		k.trans[int(s)+sym], k.reach[int(s)+sym] = next, set
	}
	return next, set, nil
}

// find fills loc for the leftmost match that ends at end and begins at from or later.
func (k *back) find(b []byte, from, end int, loc []int, nsub int) error {
	p := k.p
	if k.words > maxReach/16 { // only between searches: places holds numbers of sets
		k.clear()
		k.sets, k.words = k.sets[:0], 0
	}
	groups := len(loc) > 2 && nsub > 0
	next := ctxEdge
	if end < len(b) {
		next = p.symCtx[p.symAt(b, end)]
	}
	s := k.begin(next)
	start := -1
	k.places = k.places[:0]
	for i := end; ; i-- {
		sym := p.edgeSym()
		if i > 0 {
			sym = p.symAt(b, i-1)
		}
		n, set := k.trans[int(s)+sym], k.reach[int(s)+sym]
		if n == flagUnknown {
			var err error
			if n, set, err = k.step(s, sym); err != nil {
				return err
			}
		}
		if groups {
			if len(k.places) == cap(k.places) {
				k.places = large.Extend(k.places, 1, k)
			}
			k.places = append(k.places, set) // one for each byte of the match
		}
		if n&flagMatch != 0 {
			start = i
		}
		if n&flagDead != 0 || i == from {
			break
		}
		s = n &^ flagMatch
	}
	fill(loc, start, end)
	if groups && start >= 0 {
		k.walk(b, start, end, loc)
	}
	if size := placeSize * cap(k.places); size >= keptPlaces {
		k.need(-size)
		k.places = nil
	}
	return nil
}

const (
	placeSize  = 4       // bytes
	keptPlaces = 1 << 20 // bytes of places from which on they are not kept for the next match: they were asked for
)

// Need asks for bytes; a negative number gives them back.
func (k *back) Need(bytes int) { k.need(bytes) }

// Charge does nothing: how much room there is from the match before is no matter of the work.
func (k *back) Charge(int) {}

// walk fills the groups of loc.
func (k *back) walk(b []byte, start, end int, loc []int) {
	p := k.p
	pc := p.start
	for i := start; ; i++ {
		pc = k.preferred(pc, k.sets[k.places[end-i]], i, loc)
		if i == end {
			return
		}
		in := &p.insts[pc]
		for _, e := range p.edges[in.arg : in.arg+uint32(in.n)] {
			if e.lo <= b[i] && b[i] <= e.hi {
				pc = e.to
				break
			}
		}
	}
}

// capture is a group's bound before it was set, to be restored; or, with slot -1, a branch to try.
type capture struct {
	slot, old int
	pc        uint32
}

// preferred follows the preferred branches in reach to an instruction that
// takes a byte, or to the match, and sets the groups on the way.
func (k *back) preferred(pc uint32, reach []uint64, at int, loc []int) uint32 {
	in := &k.p.insts[pc]
	if in.op == iEdges {
		return pc
	}
	k.seen.reset(len(k.p.insts))
	todo := append(k.undo[:0], capture{slot: -1, pc: pc})
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.slot >= 0 {
			loc[c.slot] = c.old
			continue
		}
		for pc = c.pc; reach[pc/64]&(1<<(pc%64)) != 0 && k.seen.add(pc); {
			in = &k.p.insts[pc]
			if in.op == iEdges || in.op == iMatch {
				k.undo = todo
				return pc
			}
			switch in.op {
			case iSplit:
				todo = append(todo, capture{slot: -1, pc: in.arg})
			case iCap:
				if n := int(in.n); n < len(loc) {
					todo = append(todo, capture{slot: n, old: loc[n]})
					loc[n] = at
				}
			}
			pc = in.out
		}
	}
	k.undo = todo
	return pc
}
