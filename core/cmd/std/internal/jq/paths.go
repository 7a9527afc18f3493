package jq

import (
	"math"
	"slices"

	"eryxsh/core/large"
)

// element is v[k].
func (p *Program) element(v, k Value) (Value, bool) {
	h := &p.Heap
	switch {
	case v.K == Object && k.K == String:
		return h.get(v, k.S), true
	case v.K == Array && k.K == Number:
		if math.IsNaN(k.N) {
			return null, true
		}
		items := h.items(v)
		f := math.Floor(k.N)
		if f < 0 {
			f += float64(len(items))
		}
		if f < 0 || f >= float64(len(items)) {
			return null, true
		}
		return items[int(f)], true
	case v.K == Null && (k.K == String || k.K == Number):
		return null, true
	case k.K == Object && (v.K == Array || v.K == String || v.K == Null):
		if v.K == Null {
			return null, true
		}
		return p.slice(v, k)
	case v.K == Array && k.K == Array:
		return p.indices(v, k)
	case k.K == String && v.K != Array || k.K == String:
		if v.K == Object || v.K == Null {
			break
		}
		return empty, p.raise("Cannot index %s with string \"%s\"", v.kindName(), k.S)
	}
	return empty, p.raise("Cannot index %s with %s", v.kindName(), k.kindName())
}

// bounds reads the object of a slice for something of length n.
func (p *Program) bounds(k Value, n int, kind string) (from, to int, ok bool) {
	start, end := p.Heap.get(k, "start"), p.Heap.get(k, "end")
	if start.K != Number && start.K != Null || end.K != Number && end.K != Null ||
		p.Heap.find(k, "start") < 0 || p.Heap.find(k, "end") < 0 {
		return 0, 0, p.raise("Start and end indices of an %s slice must be numbers", kind)
	}
	a, b := 0.0, float64(n)
	if start.K == Number {
		a = start.N
	}
	if end.K == Number {
		b = end.N
	}
	if a < 0 {
		a += float64(n)
	}
	if b < 0 {
		b += float64(n)
	}
	a = min(max(a, 0), float64(n))
	b = min(max(b, 0), float64(n))
	if math.IsNaN(a) || math.IsNaN(b) {
		a, b = 0, 0
	}
	return int(a), max(int(a), int(math.Ceil(b))), true
}

func (p *Program) slice(v, k Value) (Value, bool) {
	if v.K == String {
		from, to, ok := p.bounds(k, large.Runes(v.S, p), "string")
		if !ok {
			return empty, false
		}
		p.charge(len(v.S))
		if from >= to {
			return str(""), true
		}
		s := v.S[prefix(v.S, from, p):]
		return str(s[:prefix(s, to-from, p)]), true
	}
	items := p.Heap.items(v)
	from, to, ok := p.bounds(k, len(items), "array")
	if !ok {
		return empty, false
	}
	p.charge(to - from)
	return p.Heap.array(p.Heap.copyOf(items[from:to])), true
}

// indices finds where an array is part of another.
func (p *Program) indices(v, part Value) (Value, bool) {
	x, y := p.Heap.items(v), p.Heap.items(part)
	if len(y) == 0 {
		return null, true
	}
	var out []Value
	for i := 0; i+len(y) <= len(x); i++ {
		j := 0
		for j < len(y) && p.equal(x[i+j], y[j]) {
			j++
		}
		if j == len(y) {
			out = p.add(out, num(float64(i)))
		}
	}
	return p.list(out)
}

// getPath follows a path from v; null when it leads nowhere.
func (p *Program) getPath(v, path Value) (Value, bool) {
	if path.K != Array {
		return empty, p.raise("Path must be specified as an array")
	}
	keys := p.Heap.items(path)
	if len(keys) > maxDepth {
		return empty, p.raise("Path too deep")
	}
	for _, k := range keys {
		if v.K == Null {
			return null, true
		}
		var ok bool
		if v, ok = p.element(v, k); !ok {
			return empty, false
		}
	}
	return v, true
}

// setPath gives v with x at a path.
func (p *Program) setPath(v Value, keys []Value, x Value) (Value, bool) {
	if len(keys) > maxDepth {
		return empty, p.raise("Path too deep")
	}
	if len(keys) == 0 {
		return x, true
	}
	k := keys[0]
	if len(keys) > 1 {
		child := null
		if v.K != Null {
			var ok bool
			if child, ok = p.element(v, k); !ok {
				return empty, false
			}
		}
		var ok bool
		if x, ok = p.setPath(child, keys[1:], x); !ok {
			return empty, false
		}
	}
	return p.setElement(v, k, x)
}

// setElement gives v with x as its element k.
func (p *Program) setElement(v, k, x Value) (Value, bool) {
	h := &p.Heap
	p.spend(4)
	switch {
	case k.K == String && (v.K == Object || v.K == Null):
		if v.K == Null {
			v = h.object(nil, nil)
		}
		return h.put(v, k.S, x), true
	case k.K == Number && (v.K == Array || v.K == Null):
		return p.setItem(v, k.N, x)
	case k.K == Object && (v.K == Array || v.K == Null):
		return p.setSlice(v, k, x)
	case k.K == Object && v.K == String:
		return empty, p.raise("Cannot update string slices")
	case k.K == Object && v.K != Object:
		return empty, p.raise("Cannot update field at object index of %s", v.kindName())
	case k.K == Array && v.K == Array:
		return empty, p.raise("Cannot update field at array index of array")
	case k.K == String && v.K != Object:
		return empty, p.raise("Cannot index %s with string \"%s\"", v.kindName(), k.S)
	}
	return empty, p.raise("Cannot index %s with %s", v.kindName(), k.kindName())
}

func (p *Program) setItem(v Value, at float64, x Value) (Value, bool) {
	h := &p.Heap
	if v.K == Null {
		v = h.array(nil)
	}
	n := len(h.items(v))
	if math.IsNaN(at) {
		return empty, p.raise("Cannot set array element at NaN index")
	}
	i := clampInt(math.Trunc(at))
	if i < 0 {
		if i += n; i < 0 {
			return empty, p.raise("Out of bounds negative array index")
		}
	}
	if i >= maxItems {
		return empty, p.raise("Array index too large")
	}
	if i > n {
		items := large.Add(large.Empty[Value](i+1+i/8, p), h.items(v), p)
		for ; n < i; n++ {
			items = p.add(items, null)
		}
		return h.array(append(items, x)), true
	}
	return h.set(v, i, x), true
}

func (p *Program) setSlice(v, k, x Value) (Value, bool) {
	if x.K != Array {
		return empty, p.raise("A slice of an array can only be assigned another array")
	}
	var items []Value
	if v.K == Array {
		items = p.Heap.items(v)
	}
	from, to, ok := p.bounds(k, len(items), "array")
	if !ok {
		return empty, false
	}
	p.charge(len(items))
	return p.Heap.array(large.Add(p.Heap.joined(items[:from], p.Heap.items(x)), items[to:], p)), true
}

// deletePaths gives v without what the paths lead to.
func (p *Program) deletePaths(v, paths Value) (Value, bool) {
	if paths.K != Array {
		return empty, p.raise("Paths must be specified as an array")
	}
	items := p.Heap.items(paths)
	for _, path := range items {
		p.spend(1)
		if path.K != Array {
			return empty, p.raise("Path must be specified as an array")
		}
	}
	list := p.Heap.copyOf(items)
	if len(list) < versioned {
		slices.SortStableFunc(list, p.order)
	} else {
		for k, i := range p.sorted(items) {
			list[k] = items[i]
			p.spend(1)
		}
	}
	if p.err.K != None {
		return empty, false
	}
	ok := true
	for i := len(list) - 1; i >= 0 && ok; {
		j := i
		keys := p.Heap.items(list[i])
		if len(keys) > maxDepth {
			return empty, p.raise("Path too deep")
		}
		// paths that differ in the last element only are deleted together
		for j > 0 && p.siblings(p.Heap.items(list[j-1]), keys) {
			j--
		}
		if len(keys) == 0 {
			return null, true
		}
		last := p.Heap.room(i - j + 1)
		for _, path := range list[j : i+1] {
			last = p.add(last, p.Heap.items(path)[len(keys)-1])
		}
		v, ok = p.deleteIn(v, keys[:len(keys)-1], last)
		i = j - 1
	}
	return v, ok
}

func (p *Program) siblings(a, b []Value) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	p.spend(1)
	for i := range a[:len(a)-1] {
		if !p.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (p *Program) deleteIn(v Value, keys, last []Value) (Value, bool) {
	if v.K == Null {
		return v, true
	}
	if len(keys) == 0 {
		return p.deleteKeys(v, last)
	}
	child, ok := p.element(v, keys[0])
	if !ok {
		return empty, false
	}
	if child.K == Null {
		return v, true
	}
	x, ok := p.deleteIn(child, keys[1:], last)
	if !ok {
		return empty, false
	}
	return p.setElement(v, keys[0], x)
}

// deleteKeys deletes elements of one container.
func (p *Program) deleteKeys(v Value, keys []Value) (Value, bool) {
	n := len(p.Heap.items(v.container()))
	drop, some := make([]bool, n), false
	for _, k := range keys {
		p.spend(1)
		switch {
		case v.K == Object && k.K == String:
			if i := p.Heap.find(v, k.S); i >= 0 {
				drop[i], some = true, true
			}
		case v.K == Array && k.K == Number:
			i := clampInt(math.Floor(k.N))
			if i < 0 {
				i += n
			}
			if i >= 0 && i < n {
				drop[i], some = true, true
			}
		case v.K == Array && k.K == Object:
			from, to, ok := p.bounds(k, n, "array")
			if !ok {
				return empty, false
			}
			for i := from; i < to; i++ {
				drop[i], some = true, true
			}
			p.charge(to - from)
		case v.K == Object:
			return empty, p.raise("Cannot delete %s field of object", k.kindName())
		case v.K == Array:
			return empty, p.raise("Cannot delete %s element of array", k.kindName())
		default:
			return empty, p.raise("Cannot delete fields from %s", v.kindName())
		}
	}
	if !some {
		return v, true
	}
	return p.Heap.without(v, drop), true
}

// container is v, or the empty node 0 for what is no container.
func (v Value) container() Value {
	if v.K == Array || v.K == Object {
		return v
	}
	return Value{K: Array}
}

// occurrences are the places of a part in a text, also overlapping ones, in characters.
func (p *Program) occurrences(s, part string) (Value, bool) {
	var list []Value
	for at, from, n := 0, 0, 0; p.err.K == None; at++ {
		i := large.Index(s[at:], part, p)
		if i < 0 {
			break
		}
		at += i
		n += large.Runes(s[from:at], p)
		from = at
		list = p.add(list, num(float64(n)))
	}
	p.charge(len(s))
	return p.list(list)
}
