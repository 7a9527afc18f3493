package jq

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd/std/internal/merge"
	"eryxsh/core/large"
)

// native is a builtin in Go. run gets the input and then the arguments; when it
// is not ok, Program.Err says why.
type native struct {
	name string
	argc int
	run  func(p *Program, a []Value) (Value, bool)
}

// natives are the builtins in Go. Code names them by number, but only until a load.
var natives = slices.Concat(coreNatives, textNatives, matchNatives, mathNatives, dateNatives)

var coreNatives = []native{
	{"_array", 0, func(p *Program, a []Value) (Value, bool) { return p.Heap.array(nil), true }},
	{"_env", 0, environment},
	{"_negate", 1, func(p *Program, a []Value) (Value, bool) {
		if a[1].K != Number {
			return empty, p.raise("%s (%s) cannot be negated", a[1].kindName(), p.brief(a[1]))
		}
		return num(-a[1].N), true
	}},
	{"_plus", 2, func(p *Program, a []Value) (Value, bool) { return p.plus(a[1], a[2]) }},
	{"not", 0, func(p *Program, a []Value) (Value, bool) { return boolean(!a[0].truthy()), true }},
	{"true", 0, func(p *Program, a []Value) (Value, bool) { return boolean(true), true }},
	{"false", 0, func(p *Program, a []Value) (Value, bool) { return boolean(false), true }},
	{"null", 0, func(p *Program, a []Value) (Value, bool) { return null, true }},
	{"type", 0, func(p *Program, a []Value) (Value, bool) { return str(a[0].kindName()), true }},
	{"length", 0, length},
	{"keys", 0, func(p *Program, a []Value) (Value, bool) { return p.keys(a[0], true) }},
	{"keys_unsorted", 0, func(p *Program, a []Value) (Value, bool) { return p.keys(a[0], false) }},
	{"has", 1, has},
	{"contains", 1, func(p *Program, a []Value) (Value, bool) {
		yes, ok := p.contains(a[0], a[1], 0)
		return boolean(yes), ok
	}},
	{"error", 0, func(p *Program, a []Value) (Value, bool) { p.err = a[0]; return empty, false }},
	{"error", 1, func(p *Program, a []Value) (Value, bool) { p.err = a[1]; return empty, false }},
	{"add", 0, addAll},
	{"setpath", 2, func(p *Program, a []Value) (Value, bool) {
		if a[1].K != Array {
			return empty, p.raise("Path must be specified as an array")
		}
		return p.setPath(a[0], p.Heap.items(a[1]), a[2])
	}},
	{"delpaths", 1, func(p *Program, a []Value) (Value, bool) { return p.deletePaths(a[0], a[1]) }},
	{"to_entries", 0, toEntries},
	{"from_entries", 0, fromEntries},
	{"reverse", 0, reverse},
	{"flatten", 0, func(p *Program, a []Value) (Value, bool) { return p.flatten(a[0], num(1e9)) }},
	{"flatten", 1, func(p *Program, a []Value) (Value, bool) { return p.flatten(a[0], a[1]) }},
	{"sort", 0, func(p *Program, a []Value) (Value, bool) { return p.sortBy(a[0], a[0], sortAll) }},
	{"unique", 0, func(p *Program, a []Value) (Value, bool) { return p.sortBy(a[0], a[0], sortUnique) }},
	{"_sort_by", 1, func(p *Program, a []Value) (Value, bool) { return p.sortBy(a[0], a[1], sortAll) }},
	{"_group_by", 1, func(p *Program, a []Value) (Value, bool) { return p.sortBy(a[0], a[1], sortGroups) }},
	{"_unique_by", 1, func(p *Program, a []Value) (Value, bool) { return p.sortBy(a[0], a[1], sortUnique) }},
	{"min", 0, func(p *Program, a []Value) (Value, bool) { return p.extreme(a[0], a[0], -1) }},
	{"max", 0, func(p *Program, a []Value) (Value, bool) { return p.extreme(a[0], a[0], 1) }},
	{"_min_by", 1, func(p *Program, a []Value) (Value, bool) { return p.extreme(a[0], a[1], -1) }},
	{"_max_by", 1, func(p *Program, a []Value) (Value, bool) { return p.extreme(a[0], a[1], 1) }},
	{"bsearch", 1, bsearch},
	{"input_filename", 0, func(p *Program, a []Value) (Value, bool) {
		if p.In.Name == "" {
			return null, true
		}
		return str(p.In.Name), true
	}},
	{"input_line_number", 0, func(p *Program, a []Value) (Value, bool) { return num(float64(p.In.Reader.lines())), true }},
	{"debug", 0, func(p *Program, a []Value) (Value, bool) {
		p.say("[\"DEBUG:\",", p.json(a[0]), "]\n")
		return a[0], true
	}},
	{"stderr", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == String {
			p.say(a[0].S)
		} else {
			p.say(p.json(a[0]))
		}
		return a[0], true
	}},
	{"abs", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == Number && a[0].N < 0 {
			return num(-a[0].N), true
		}
		return a[0], true
	}},
}

// add is append(items, v), with the machine told meanwhile. Too many make an error.
func (p *Program) add(items []Value, v Value) []Value {
	p.spend(1)
	if len(items) == cap(items) {
		if len(items) >= maxItems {
			p.raise("Array is too large")
			return items
		}
	}
	return append(more(items, p), v)
}

// list makes an array of what was added.
func (p *Program) list(items []Value) (Value, bool) {
	if len(items) > maxItems {
		p.raise("Array is too large")
	}
	return p.Heap.array(items), p.err.K == None
}

func environment(p *Program, a []Value) (Value, bool) {
	var keys []string
	var items []Value
	for _, e := range p.c.Environ() {
		k, v, _ := strings.Cut(e, "=")
		keys, items = append(keys, k), p.add(items, str(valid(v, p)))
	}
	return p.Heap.object(keys, items), true
}

func length(p *Program, a []Value) (Value, bool) {
	switch v := a[0]; v.K {
	case Null:
		return num(0), true
	case Number:
		return num(math.Abs(v.N)), true
	case String:
		p.charge(len(v.S))
		return num(float64(large.Runes(v.S, p))), true
	case Array, Object:
		return num(float64(len(p.Heap.items(v)))), true
	}
	return empty, p.raise("%s (%s) has no length", a[0].kindName(), p.brief(a[0]))
}

func (p *Program) keys(v Value, sorted bool) (Value, bool) {
	items := p.Heap.room(len(p.Heap.items(v.container())))
	switch v.K {
	case Array:
		for i := range p.Heap.items(v) {
			items = p.add(items, num(float64(i)))
		}
	case Object:
		keys := p.Heap.node(v).Keys
		if sorted {
			keys = p.sortedKeys(v)
		}
		for _, k := range keys {
			items = p.add(items, str(k))
		}
	default:
		return empty, p.raise("%s (%s) has no keys", v.kindName(), p.brief(v))
	}
	return p.Heap.array(items), true
}

func has(p *Program, a []Value) (Value, bool) {
	v, k := a[0], a[1]
	switch {
	case v.K == Null:
		return boolean(false), true
	case v.K == Object && k.K == String:
		return boolean(p.Heap.find(v, k.S) >= 0), true
	case v.K == Array && k.K == Number:
		return boolean(k.N >= 0 && math.Trunc(k.N) < float64(len(p.Heap.items(v)))), true
	}
	return empty, p.raise("Cannot check whether %s has a %s key", v.kindName(), k.kindName())
}

func addAll(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != Array && v.K != Object {
		return empty, p.raise("Cannot iterate over %s (%s)", v.kindName(), p.brief(v))
	}
	n := len(p.Heap.items(v))
	sum := null
	for i := 0; i < n; i++ {
		x := p.Heap.items(v)[i]
		p.spend(1)
		if sum.K == Number && x.K == Number {
			sum.N, sum.S = sum.N+x.N, ""
			continue
		}
		var ok bool
		if sum, ok = p.plus(sum, x); !ok {
			return empty, false
		}
	}
	return sum, true
}

func toEntries(p *Program, a []Value) (Value, bool) {
	v := a[0]
	keys, ok := p.keys(v, false)
	if !ok {
		return empty, false
	}
	list := p.Heap.room(len(p.Heap.items(keys)))
	for i, k := range p.Heap.items(keys) {
		pair := p.Heap.space(2)
		pair[0], pair[1] = k, p.Heap.items(v)[i]
		list = p.add(list, p.Heap.object(entryKeys, pair))
		p.spend(2)
	}
	return p.Heap.array(list), true
}

// entryKeys are the keys of an entry.
var entryKeys = []string{"key", "value"}

func fromEntries(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != Array && v.K != Object {
		return empty, p.raise("Cannot iterate over %s (%s)", v.kindName(), p.brief(v))
	}
	n := len(p.Heap.items(v))
	keys, vals := make([]string, 0, n), p.Heap.room(n)
	for i := range n {
		e := p.Heap.items(v)[i]
		key, val := null, null
		for _, name := range [...]string{"key", "k", "name", "Name", "Key", "K"} {
			k, ok := p.element(e, str(name))
			if !ok {
				return empty, false
			}
			if key = k; key.K > False {
				break
			}
			if k.K == False {
				key = k
				break
			}
		}
		for _, name := range [...]string{"value", "v", "Value", "V"} {
			if p.Heap.find(e, name) >= 0 {
				val = p.Heap.get(e, name)
				break
			}
		}
		switch key.K {
		case String:
		case Null:
			key = str("null")
		case Number, False, True:
			key = str(p.json(key))
		default:
			return empty, p.raise("Cannot use %s (%s) as object key", key.kindName(), p.brief(key))
		}
		keys, vals = append(keys, key.S), p.add(vals, val)
		p.spend(4)
	}
	return p.In.Reader.closeObject(&p.Heap, keys, vals), true
}

func reverse(p *Program, a []Value) (Value, bool) {
	switch v := a[0]; v.K {
	case Null:
		return p.Heap.array(nil), true
	case String:
		return p.ownText(p.backwards(v.S)), true
	case Array:
		items := p.Heap.items(v)
		out := p.Heap.room(len(items))
		for i := len(items) - 1; i >= 0; i-- {
			out = p.add(out, items[i])
		}
		return p.Heap.array(out), true
	case Object:
		if len(p.Heap.items(v)) == 0 {
			return p.Heap.array(nil), true
		}
	case Number:
		if v.N == 0 {
			return p.Heap.array(nil), true
		}
	}
	return empty, p.raise("Cannot reverse %s", a[0].kindName())
}

// backwards gives the characters of a text, last first.
func (p *Program) backwards(s string) string {
	t := draft{m: p}
	for len(s) > 0 {
		c, n := utf8.DecodeLastRuneInString(s)
		t.b, s = utf8.AppendRune(t.b, c), s[:len(s)-n]
		t.settle()
		p.spend(1)
	}
	return t.text()
}

func (p *Program) flatten(v, depth Value) (Value, bool) {
	if depth.K != Number {
		return empty, p.raise("flatten depth must not be negative")
	}
	if depth.N < 0 {
		return empty, p.raise("flatten depth must not be negative")
	}
	if v.K != Array && v.K != Object {
		return empty, p.raise("Cannot iterate over %s (%s)", v.kindName(), p.brief(v))
	}
	type level struct {
		items []Value
		depth float64
	}
	var out []Value
	stack := []level{{p.Heap.items(v), depth.N}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.items) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		x := top.items[0]
		top.items = top.items[1:]
		if x.K == Array && top.depth > 0 {
			stack = append(stack, level{p.Heap.items(x), top.depth - 1})
			p.spend(2)
			continue
		}
		if out = p.add(out, x); p.err.K != None {
			return empty, false
		}
	}
	return p.list(out)
}

// sortMode says what sortBy makes of the sorted elements.
type sortMode uint8

const (
	sortAll sortMode = iota
	sortUnique
	sortGroups
)

// sorted gives the numbers of values in their order, by the order of the values.
func (p *Program) sorted(by []Value) []int32 {
	var s merge.Sort
	s.Begin(len(by))
	p.spend(len(by) >> 4)
	left := math.MaxInt
	s.Turn(func(i, j int32) int { return p.order(by[i], by[j]) }, &left)
	return s.Order
}

// sortBy sorts the elements of v by those of keys.
func (p *Program) sortBy(v, keys Value, mode sortMode) (Value, bool) {
	if v.K != Array {
		if !same(v, keys) {
			return empty, p.raise("%s (%s) and %s (%s) cannot be sorted, as they are not both arrays", v.kindName(), p.brief(v), keys.kindName(), p.brief(keys))
		}
		return empty, p.raise("%s (%s) cannot be sorted, as it is not an array", v.kindName(), p.brief(v))
	}
	items, by := p.Heap.items(v), p.Heap.items(keys)
	at := p.sorted(by)
	if p.err.K != None {
		return empty, false
	}
	var out []Value
	if mode == sortAll {
		out = p.Heap.room(len(at))
	}
	for i := 0; i < len(at); {
		j := i + 1
		if mode != sortAll {
			for j < len(at) && p.order(by[at[i]], by[at[j]]) == 0 {
				j++
			}
		}
		if mode != sortGroups {
			out = p.add(out, items[at[i]])
		} else {
			group := p.Heap.space(j - i)
			for k := range group {
				group[k] = items[at[i+k]]
				p.spend(1)
			}
			out = p.add(out, p.Heap.array(group))
		}
		i = j
	}
	return p.Heap.array(out), p.err.K == None
}

func (p *Program) extreme(v, keys Value, sign int) (Value, bool) {
	if v.K != Array {
		return empty, p.raise("Cannot index %s with number", v.kindName())
	}
	items, by := p.Heap.items(v), p.Heap.items(keys)
	if len(items) == 0 {
		return null, true
	}
	best := 0
	for i := range items {
		d := p.order(by[i], by[best])
		if sign > 0 && d >= 0 || sign < 0 && d < 0 {
			best = i
		}
	}
	return items[best], p.err.K == None
}

func bsearch(p *Program, a []Value) (Value, bool) {
	if a[0].K != Array {
		return empty, p.raise("%s (%s) cannot be searched from", a[0].kindName(), p.brief(a[0]))
	}
	i, found := slices.BinarySearchFunc(p.Heap.items(a[0]), a[1], p.order)
	if !found {
		i = -1 - i
	}
	return num(float64(i)), p.err.K == None
}
