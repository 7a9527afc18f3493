package awk

import (
	"slices"
	"strings"

	"eryxsh/core/cmd/std/internal/merge"
)

// item is an element to be sorted.
type item struct {
	Key Value `cbor:"1,keyasint,omitempty"`
	Val Value `cbor:"2,keyasint,omitempty"`
}

// order gives the comparison that a name of PROCINFO["sorted_in"] means. With
// ties, equal values are ordered by their subscripts, as for (k in a) does.
func (p *Program) order(how string, ties bool) func(a, b item) int {
	num := func(a, b Value) int {
		x, y := a.num(), b.num()
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(p.str(&a), p.str(&b))
	}
	text := p.compareText
	// tie orders equal values by subscripts that are no integers; the rest keep their order.
	tie := func(a, b item) int {
		if !ties || stringKey(a.Key.S).Int || stringKey(b.Key.S).Int {
			return 0
		}
		return text(a.Key, b.Key)
	}
	var f func(a, b item) int
	switch strings.TrimSuffix(strings.TrimSuffix(how, "_asc"), "_desc") {
	case "@ind_str":
		f = func(a, b item) int { return text(a.Key, b.Key) }
	case "@ind_num":
		f = func(a, b item) int { return num(a.Key, b.Key) }
	case "@val_str":
		f = func(a, b item) int {
			if c := rank(a.Val, b.Val); c != 0 || a.Val.K == Arr {
				return c
			}
			if c := text(a.Val, b.Val); c != 0 {
				return c
			}
			return tie(a, b)
		}
	case "@val_num":
		f = func(a, b item) int {
			if c := rank(a.Val, b.Val); c != 0 || a.Val.K == Arr {
				return c
			}
			if c := num(a.Val, b.Val); c != 0 {
				return c
			}
			return tie(a, b)
		}
	case "@val_type":
		f = func(a, b item) int {
			if c := p.byType(a.Val, b.Val); c != 0 {
				return c
			}
			return tie(a, b)
		}
	default:
		return nil
	}
	if strings.HasSuffix(how, "_desc") {
		return func(a, b item) int { return f(b, a) }
	}
	return f
}

// rank puts arrays behind scalars.
func rank(a, b Value) int {
	x, y := 0, 0
	if a.K == Arr {
		x = 1
	}
	if b.K == Arr {
		y = 1
	}
	return x - y
}

// byType puts numbers before strings before arrays.
func (p *Program) byType(a, b Value) int {
	if c := rank(a, b); c != 0 || a.K == Arr {
		return c
	}
	x, y := a.numeric(), b.numeric()
	switch {
	case x && y:
		switch {
		case a.N < b.N:
			return -1
		case a.N > b.N:
			return 1
		}
		return 0
	case x:
		return -1
	case y:
		return 1
	}
	return p.compareText(a, b)
}

// compareText orders strings; IGNORECASE puts those that differ in case alone next to each other.
func (p *Program) compareText(a, b Value) int {
	s, t := p.str(&a), p.str(&b)
	if p.conv.fold {
		if c := strings.Compare(p.foldCase(s), p.foldCase(t)); c != 0 {
			return c
		}
	}
	return strings.Compare(s, t)
}

// sorted lists the elements of an array in an order. It is false while there is
// more to do, or a user function compares: the instruction is run again in the next turn, or when the function returns.
func (p *Program) sorted(array int32, how string, ties bool) (*Sorting, bool) {
	n := len(p.Sorts)
	if n == 0 || p.Sorts[n-1].Depth != len(p.Frames) {
		p.Sorts = append(p.Sorts, Sorting{Depth: len(p.Frames)})
		n++
	}
	s := &p.Sorts[n-1]
	fn := slices.IndexFunc(p.code.funcs, func(f funcCode) bool { return f.name == how })
	if s.Width == 0 && !p.collect(s, array, fn < 0 && how != "@unsorted") {
		return nil, false
	}
	if fn >= 0 {
		return s, p.sortBy(s, int32(fn))
	}
	if how == "@unsorted" {
		return s, true
	}
	f := p.order(how, ties)
	if f == nil {
		p.fatal("sort comparison function `%s' is not defined", how)
	}
	if !s.Merge.Begun() {
		s.Merge.Begin(len(s.From))
	}
	left := max(p.budget/2, 1)
	was := left
	done := s.Merge.Turn(func(a, b int32) int { return f(s.From[a], s.From[b]) }, &left)
	if p.budget -= 2 * (was - left); !done {
		p.pause()
	}
	return s, done
}

// collect lists the elements of an array, with what those from outside are if look is set; false while there are more.
func (p *Program) collect(s *Sorting, array int32, look bool) bool {
	a := &p.Heap[array]
	if s.From == nil {
		s.From = make([]item, 0, a.Len())
	}
	was := len(s.From)
	s.Got = a.walk(s.Got, max(p.budget/4, 1), func(k Key, v *Value) {
		x := item{keyValue(k), *v}
		if look && x.Val.K == Maybe {
			x.Val.look()
		}
		s.From = append(s.From, x)
	})
	p.budget -= 4 * (len(s.From) - was)
	if s.Got < a.places() {
		p.pause()
		return false
	}
	s.Width, s.J = 1, min(1, len(s.From))
	return true
}

// pause ends the turn; the running instruction is run again in the next.
func (p *Program) pause() {
	p.budget = min(p.budget, 0)
	p.jump(p.PC)
}

// Sorting is the elements of an array on their way to be in order. A merge sort of their numbers
// is for the orders that awk knows; another waits for a user function to compare two elements.
type Sorting struct {
	Depth int        `cbor:"1,keyasint,omitempty"`  // frames below the sort
	From  []item     `cbor:"2,keyasint,omitempty"`  // runs of Width in order
	To    []item     `cbor:"3,keyasint,omitempty"`  // merged so far
	Width int        `cbor:"4,keyasint,omitempty"`  // 0: not all elements are there
	I     int        `cbor:"5,keyasint,omitempty"`  // next of the left run
	J     int        `cbor:"6,keyasint,omitempty"`  // next of the right run
	Asked bool       `cbor:"7,keyasint,omitempty"`  // the function was called for I and J
	Got   int        `cbor:"8,keyasint,omitempty"`  // place in the array up to which elements are there
	Merge merge.Sort `cbor:"9,keyasint,omitempty"`  // of the elements of From
	Put   int        `cbor:"10,keyasint,omitempty"` // elements that are where asort puts them
}

// at gives element i in order.
func (s *Sorting) at(i int) *item {
	if s.Merge.Begun() {
		i = int(s.Merge.Order[i])
	}
	return &s.From[i]
}

// answer takes what a comparison has answered off the stack, so that the
// instruction that sorts finds its operands.
func (p *Program) answer() {
	if n := len(p.Sorts); n > 0 {
		if s := &p.Sorts[n-1]; s.Asked && s.Depth == len(p.Frames) {
			s.Asked = false
			s.take(p.top(0).num() > 0)
			p.sp--
		}
	}
}

// sortBy goes on with a sort by a user function.
func (p *Program) sortBy(s *Sorting, fn int32) bool {
	for s.Width < len(s.From) {
		mid, hi := s.runs()
		if s.I < mid && s.J < hi {
			s.Asked = true
			p.ask(fn, s.From[s.I], s.From[s.J])
			return false
		}
		s.take(s.I == mid)
	}
	return true
}

// runs gives the ends of the two runs that are being merged.
func (s *Sorting) runs() (mid, hi int) {
	lo := len(s.To) / (2 * s.Width) * (2 * s.Width)
	return min(lo+s.Width, len(s.From)), min(lo+2*s.Width, len(s.From))
}

// take merges the next element of the right run, or of the left.
func (s *Sorting) take(right bool) {
	_, hi := s.runs()
	from := &s.I
	if right {
		from = &s.J
	}
	s.To = append(s.To, s.From[*from])
	*from++
	total := len(s.From)
	if len(s.To) == hi { // this pair of runs is merged
		s.I, s.J = hi, min(hi+s.Width, total)
	}
	if len(s.To) == total {
		s.From, s.To = s.To, nil
		s.Width *= 2
		s.I, s.J = 0, min(s.Width, total)
	}
}

// ask calls a comparison with two elements; the running instruction is run again after it.
func (p *Program) ask(fn int32, a, b item) {
	args := [...]Value{a.Key, a.Val, b.Key, b.Val}
	n := min(len(args), len(p.code.funcs[fn].params))
	p.room(n + 1)
	for _, v := range args[:n] {
		p.push(v)
	}
	at := p.PC
	p.call(fn, n)
	p.Frames[len(p.Frames)-1].Return = at
}

// asort is asort and asorti: source, destination, order. It is false when the
// instruction is to be run again.
func (p *Program) asort(args []Value, byIndex bool) (float64, bool) {
	from := args[0].R
	to := from
	if len(args) > 1 {
		to = args[1].R
	}
	how := "@val_type_asc"
	if byIndex {
		how = "@ind_str_asc"
	}
	if len(args) > 2 {
		how = p.str(&args[2])
	}
	s, ok := p.sorted(from, how, byIndex)
	if !ok {
		return 0, false
	}
	if s.Put == 0 {
		p.makeRoom(s, from, to, byIndex)
	}
	for s.Put < len(s.From) {
		v, _ := p.Heap[to].add(Key{I: int32(s.Put + 1), Int: true}, p.c)
		x := s.at(s.Put)
		if *v = x.Val; byIndex {
			*v = x.Key
		}
		p.Held += 64 + len(v.S)
		s.Put++
		if p.budget -= 8; p.budget <= 0 && s.Put < len(s.From) {
			p.pause()
			return 0, false
		}
	}
	n := len(s.From)
	p.Sorts = p.Sorts[:len(p.Sorts)-1]
	return float64(n), true
}

// makeRoom empties what asort sorts to.
func (p *Program) makeRoom(s *Sorting, from, to int32, byIndex bool) {
	if !byIndex && to == from {
		// The arrays in it move: they must not die with their old places.
		p.members(&p.Heap[to], nil)
		p.Heap[to].clear()
		return
	}
	for i := range s.From {
		if i%many == many-1 {
			p.c.Charge(many / 16)
		}
		if v := &s.From[i].Val; !byIndex && v.K == Arr {
			v.R = p.copyArray(v.R, 0)
		}
	}
	p.clearArray(to)
}

// copyArray makes a copy of an array and of those in it.
func (p *Program) copyArray(from int32, depth int) int32 {
	if depth > maxDepth {
		p.fatal("arrays nest too deeply (limit %d)", maxDepth)
	}
	to := p.newArray(p.Heap[from].Name, 0)
	list := make([]item, 0, p.Heap[from].Len())
	p.Heap[from].each(p.c, func(k Key, v *Value) { list = append(list, item{keyValue(k), *v}) })
	for i, x := range list {
		if i%many == many-1 {
			p.c.Charge(many)
		}
		if x.Val.K == Arr {
			x.Val.R = p.copyArray(x.Val.R, depth+1)
		}
		v, _ := p.Heap[to].add(stringKey(x.Key.S), p.c)
		p.Held += 64 + len(x.Key.S) + len(x.Val.S)
		*v = x.Val
	}
	return to
}
