package awk

import (
	"slices"
	"strings"
)

// item is an element to be sorted.
type item struct {
	key Value
	val Value
}

// order gives the comparison that a name of PROCINFO["sorted_in"] means.
func (p *Program) order(how string) func(a, b item) int {
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
	text := func(a, b Value) int {
		s, t := p.str(&a), p.str(&b)
		if p.conv.fold {
			s, t = foldCase(s), foldCase(t)
		}
		return strings.Compare(s, t)
	}
	var f func(a, b item) int
	switch strings.TrimSuffix(strings.TrimSuffix(how, "_asc"), "_desc") {
	case "@ind_str":
		f = func(a, b item) int { return text(a.key, b.key) }
	case "@ind_num":
		f = func(a, b item) int { return num(a.key, b.key) }
	case "@val_str":
		f = func(a, b item) int {
			if c := rank(a.val, b.val); c != 0 || a.val.K == Arr {
				return c
			}
			if c := text(a.val, b.val); c != 0 {
				return c
			}
			return text(a.key, b.key)
		}
	case "@val_num":
		f = func(a, b item) int {
			if c := rank(a.val, b.val); c != 0 || a.val.K == Arr {
				return c
			}
			if c := num(a.val, b.val); c != 0 {
				return c
			}
			return text(a.key, b.key)
		}
	case "@val_type":
		f = func(a, b item) int {
			if c := p.byType(a.val, b.val); c != 0 {
				return c
			}
			return num(a.key, b.key)
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
	s, t := p.str(&a), p.str(&b)
	if p.conv.fold {
		s, t = foldCase(s), foldCase(t)
	}
	return strings.Compare(s, t)
}

func (p *Program) items(array int32) []item {
	var list []item
	p.Heap[array].each(func(k Key, v *Value) { list = append(list, item{keyValue(k), *v}) })
	return list
}

// sort orders elements by a name, which must be one that is known.
func (p *Program) sort(list []item, how string) {
	if how == "@unsorted" {
		return
	}
	f := p.order(how)
	if f == nil {
		if slices.ContainsFunc(p.code.funcs, func(fn funcCode) bool { return fn.name == how }) {
			p.c.Unsupported("awk: sorting by the function " + how)
			p.fatal("sort comparison by the user function `%s' is not supported here", how)
		}
		p.fatal("sort comparison function `%s' is not defined", how)
	}
	for i := range list {
		if list[i].val.K == Maybe {
			list[i].val.look()
		}
	}
	p.spend(64 * len(list))
	slices.SortStableFunc(list, f)
}

// sortedKeys lists subscripts in the order of PROCINFO["sorted_in"].
func (p *Program) sortedKeys(array int32, how string) []Value {
	list := p.items(array)
	p.sort(list, how)
	keys := make([]Value, len(list))
	for i, x := range list {
		keys[i] = x.key
	}
	return keys
}

// asort is asort and asorti: source, destination, order.
func (p *Program) asort(args []Value, byIndex bool) float64 {
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
	list := p.items(from)
	p.sort(list, how)
	for i := range list {
		if byIndex {
			list[i].val = list[i].key
		} else if list[i].val.K == Arr && to != from {
			list[i].val.R = p.copyArray(list[i].val.R, 0)
		}
	}
	if to == from && !byIndex {
		// The arrays in it move: they must not die with their old places.
		p.members(&p.Heap[to], nil)
		p.Heap[to].clear()
	} else {
		p.clearArray(to)
	}
	for i, x := range list {
		v, _ := p.Heap[to].add(Key{I: int32(i + 1), Int: true})
		p.Held += 64 + len(x.val.S)
		*v = x.val
	}
	return float64(len(list))
}

// copyArray makes a copy of an array and of those in it.
func (p *Program) copyArray(from int32, depth int) int32 {
	if depth > maxDepth {
		p.fatal("arrays nest too deeply (limit %d)", maxDepth)
	}
	to := p.newArray(p.Heap[from].Name, 0)
	for _, x := range p.items(from) {
		if x.val.K == Arr {
			x.val.R = p.copyArray(x.val.R, depth+1)
		}
		v, _ := p.Heap[to].add(stringKey(x.key.S))
		p.Held += 64 + len(x.key.S) + len(x.val.S)
		*v = x.val
	}
	return to
}
