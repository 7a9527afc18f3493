package jq

import (
	"math"
	"slices"

	"eryxsh/core/cmd/std/internal/merge"
	"eryxsh/core/large"
)

// order compares two values in jq's order.
func (p *Program) order(a, b Value) int { return p.orderDeep(a, b, 0) }

func (p *Program) orderDeep(a, b Value, depth int) int {
	p.spend(1)
	if a.K != b.K {
		return int(a.K) - int(b.K)
	}
	switch a.K {
	case Number:
		if a.S != "" && b.S != "" {
			p.spend(16 + (len(a.S)+len(b.S))>>1)
		}
		return compareNumbers(a, b)
	case String:
		return compareText(a.S, b.S, p)
	case Array, Object:
		if a.R == b.R {
			return 0
		}
		if depth >= maxDepth {
			if p.err.K == None {
				p.raise("Comparison too deep")
			}
			return 0
		}
	default:
		return 0
	}
	if a.K == Object {
		return p.orderObjects(a, b, depth)
	}
	x, y := p.Heap.items(a), p.Heap.items(b)
	for i := 0; i < len(x) && i < len(y); i++ {
		if d := p.orderDeep(x[i], y[i], depth+1); d != 0 || p.err.K != None {
			return d
		}
	}
	return len(x) - len(y)
}

func (p *Program) orderObjects(a, b Value, depth int) int {
	x, y := p.sortedKeys(a), p.sortedKeys(b)
	for i := 0; i < len(x) && i < len(y); i++ {
		p.spend(1)
		if d := compareText(x[i], y[i], p); d != 0 {
			return d
		}
	}
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	for _, k := range x {
		p.spend(min(len(x), 12))
		if d := p.orderDeep(p.Heap.get(a, k), p.Heap.get(b, k), depth+1); d != 0 || p.err.K != None {
			return d
		}
	}
	return 0
}

// sortedKeys gives the keys of an object in their order.
func (p *Program) sortedKeys(v Value) []string {
	keys := p.Heap.node(v).Keys
	p.spend(len(keys) >> 2)
	if slices.IsSorted(keys) {
		return keys
	}
	if len(keys) <= manyValues {
		keys = slices.Clone(keys)
		slices.Sort(keys)
		return keys
	}
	var s merge.Sort
	s.Begin(len(keys))
	left := math.MaxInt
	s.Turn(func(i, j int32) int {
		p.spend(2)
		return compareText(keys[i], keys[j], p)
	}, &left)
	out := make([]string, 0, len(keys))
	for _, i := range s.Order {
		p.spend(1)
		out = append(out, keys[i])
	}
	return out
}

// equal reports that two values are equal.
func (p *Program) equal(a, b Value) bool {
	p.spend(1)
	if a.K != b.K {
		return false
	}
	if a.K == String {
		return sameText(a.S, b.S, p)
	}
	return p.order(a, b) == 0
}

// contains is the builtin of the same name.
func (p *Program) contains(a, b Value, depth int) (yes, ok bool) {
	if depth > maxDepth {
		return false, p.raise("Containment check too deep")
	}
	p.spend(1)
	bothBool := (a.K == True || a.K == False) && (b.K == True || b.K == False)
	switch {
	case a.K == Object && b.K == Object:
		keys := p.Heap.node(b).Keys
		for _, k := range keys {
			p.spend(min(len(keys), 12))
			if p.Heap.find(a, k) < 0 {
				return false, true
			}
			if yes, ok := p.contains(p.Heap.get(a, k), p.Heap.get(b, k), depth+1); !yes {
				return false, ok
			}
		}
		return true, true
	case a.K == Array && b.K == Array:
		for _, y := range p.Heap.items(b) {
			found := false
			for _, x := range p.Heap.items(a) {
				p.spend(1)
				if x.K != y.K && !(x.K <= True && y.K <= True) {
					continue
				}
				yes, ok := p.contains(x, y, depth+1)
				if !ok {
					return false, false
				}
				if found = yes; found {
					break
				}
			}
			if !found {
				return false, true
			}
		}
		return true, true
	case a.K == String && b.K == String:
		return large.Index(a.S, b.S, p) >= 0, true
	case a.K == b.K || bothBool:
		return p.equal(a, b), true
	}
	if depth > 0 {
		return false, true
	}
	return false, p.raise("%s (%s) and %s (%s) cannot have their containment checked", a.kindName(), p.brief(a), b.kindName(), p.brief(b))
}
