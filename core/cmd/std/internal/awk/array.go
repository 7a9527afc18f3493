package awk

import (
	"math/bits"
	"slices"
	"strconv"

	"eryxsh/core/large"
)

// Array is an associative array. See order.go for its parts.
type Array struct {
	Table  Table  `cbor:"1,keyasint,omitempty"`
	Pairs  Pairs  `cbor:"2,keyasint,omitempty"`
	Leaves []Leaf `cbor:"3,keyasint,omitempty"` // by Base
	Dense  int    `cbor:"4,keyasint,omitempty"` // elements in Leaves
	Shape  Shape  `cbor:"6,keyasint,omitempty"`
	// Home is what the array belongs to: 0 a variable or an element, dead nothing any more, otherwise
	// the stack slot+1 of the local variable with which it dies.
	Home int32 `cbor:"7,keyasint,omitempty"`
	// Name is for messages: `a`, `a["x"]`.
	Name string `cbor:"8,keyasint,omitempty"`

	room int // places in Leaves
}

// dead is the Home of an array whose number can be given to another.
const dead = -1

// Shape is which parts an array uses; its first subscript decides.
type Shape uint8

// The shapes.
const (
	ShapeNone    Shape = iota // empty
	ShapeStrings              // Table alone
	ShapeHash                 // Pairs for integers, Table for others
	ShapeDense                // Leaves, then as ShapeHash or ShapeStrings
	// ShapeDenseStrings: Leaves, and a Table for all the rest because the first of it was no integer.
	ShapeDenseStrings
)

// Leaf is a run of places for consecutive integers from Base; a value of kind
// Untyped and R 0 is a hole unless its bit in Used is set.
type Leaf struct {
	Base int32    `cbor:"1,keyasint,omitempty"`
	N    int32    `cbor:"2,keyasint,omitempty"`
	Val  []Value  `cbor:"3,keyasint,omitempty"`
	Used []uint64 `cbor:"4,keyasint,omitempty"`
}

// maxWaste is how many places Leaves may have more than elements.
const maxWaste = 2048

// Key is a subscript: an integer, or a string.
type Key struct {
	S   string `cbor:"1,keyasint,omitempty"`
	I   int32  `cbor:"2,keyasint,omitempty"`
	Int bool   `cbor:"3,keyasint,omitempty"`
}

func (k Key) text() string {
	if k.Int {
		return strconv.Itoa(int(k.I))
	}
	return k.S
}

// stringKey makes a subscript of a string: an integer if it is written as one.
func stringKey(s string) Key {
	if len(s) == 0 || len(s) > 11 || s[0] > '9' {
		return Key{S: s}
	}
	i, neg := 0, false
	if s[0] == '-' {
		i, neg = 1, true
	}
	if i == len(s) || s[i] == '0' && len(s) > 1 {
		return Key{S: s}
	}
	n := int64(0)
	for ; i < len(s); i++ {
		if s[i]-'0' > 9 {
			return Key{S: s}
		}
		n = n*10 + int64(s[i]-'0')
	}
	if neg {
		n = -n
	}
	if n > 1<<31-1 || n < -1<<31 {
		return Key{S: s}
	}
	return Key{I: int32(n), Int: true}
}

// Len is the number of elements.
func (a *Array) Len() int { return a.Dense + a.Pairs.Len + a.Table.Len }

// find gives the element with a subscript, or nil.
func (a *Array) find(k Key) *Value {
	if !k.Int {
		return a.Table.find(k.S)
	}
	if a.Dense > 0 && k.I >= 0 {
		if l := a.leaf(k.I); l != nil {
			if i := uint32(k.I - l.Base); l.Used[i>>6]&(1<<(i&63)) != 0 {
				return &l.Val[i]
			}
		}
	}
	if a.Pairs.Len > 0 {
		return a.Pairs.find(k.I)
	}
	if a.Table.Len > 0 && a.Shape != ShapeDense && a.Shape != ShapeHash {
		return a.Table.find(k.text())
	}
	return nil
}

// add gives the element with a subscript, and makes it if it is not there.
// The key is used as it is: a view must be copied before. m is charged when many elements move.
func (a *Array) add(k Key, m large.Meter) (v *Value, isNew bool) {
	if v := a.find(k); v != nil {
		return v, false
	}
	if a.Shape == ShapeNone {
		switch {
		case !k.Int:
			a.Shape = ShapeStrings
		case k.I < 0:
			a.Shape = ShapeHash
		default:
			a.Shape = ShapeDense
		}
	}
	if !k.Int {
		if a.Shape == ShapeDense && a.Pairs.Len == 0 {
			a.Shape = ShapeDenseStrings
		}
		return a.Table.add(k.S, m), true
	}
	if (a.Shape == ShapeDense || a.Shape == ShapeDenseStrings) && k.I >= 0 {
		if v := a.addDense(k.I); v != nil {
			return v, true
		}
	}
	if a.Shape == ShapeStrings || a.Shape == ShapeDenseStrings {
		return a.Table.add(k.text(), m), true
	}
	return a.Pairs.add(k.I, m), true
}

// leafSpan gives the run that holds k: its first integer and log2 of its length.
func leafSpan(k int32) (base int32, n int) {
	m := 10
	if k >= 1<<10 {
		m = bits.Len32(uint32(k)) - 1
		base = 1 << m
	}
	n = (m + 1) / 2
	if n > 10 {
		base += (k - base) >> n << n
		n = (n + 1) / 2
	}
	return base + (k-base)>>n<<n, n
}

// leaf finds the run that may hold k, or nil.
func (a *Array) leaf(k int32) *Leaf {
	base, _ := leafSpan(k)
	if k < 1<<10 { // 32 runs of 32: often all there
		if i := int(k >> 5); i < len(a.Leaves) && a.Leaves[i].Base == base {
			return &a.Leaves[i]
		}
	} else if n := len(a.Leaves); a.Leaves[n-1].Base == base {
		return &a.Leaves[n-1]
	}
	i, ok := a.leafIndex(base)
	if !ok {
		return nil
	}
	return &a.Leaves[i]
}

func (a *Array) leafIndex(base int32) (int, bool) {
	return slices.BinarySearchFunc(a.Leaves, base, func(l Leaf, b int32) int { return int(l.Base) - int(b) })
}

// addDense puts k into Leaves unless that would waste too much room.
func (a *Array) addDense(k int32) *Value {
	m := 10
	if k >= 1<<10 {
		m = bits.Len32(uint32(k)) - 1
	}
	for m >= 10 {
		m = (m + 1) / 2
	}
	if a.room+1<<m-a.Dense > maxWaste {
		return nil
	}
	base, n := leafSpan(k)
	i, ok := a.leafIndex(base)
	if !ok {
		size := 1 << n
		a.Leaves = slices.Insert(a.Leaves, i, Leaf{Base: base, Val: make([]Value, size), Used: make([]uint64, (size+63)/64)})
		a.room += size
	}
	l := &a.Leaves[i]
	at := uint32(k - base)
	l.Used[at>>6] |= 1 << (at & 63)
	l.N++
	a.Dense++
	return &l.Val[at]
}

// remove takes an element out and gives what it held.
func (a *Array) remove(k Key) (Value, bool) {
	v, ok := a.removeFrom(k)
	if !ok {
		return v, false
	}
	// What is left of a part whose partner is gone decides how the array goes on.
	switch {
	case a.Len() == 0:
		a.Shape, a.Leaves, a.room = ShapeNone, nil, 0
	case a.Shape >= ShapeDense && a.Dense == 0:
		a.Leaves, a.room = nil, 0
		if a.Pairs.Len > 0 {
			a.Shape = ShapeHash
		} else {
			a.Shape = ShapeStrings
		}
	case a.Shape == ShapeHash && a.Pairs.Len == 0:
		a.Shape = ShapeStrings
	case a.Shape == ShapeDenseStrings && a.Table.Len == 0:
		a.Shape = ShapeDense
	case a.Shape == ShapeDense && a.Pairs.Len == 0 && a.Table.Len > 0:
		a.Shape = ShapeDenseStrings
	}
	return v, true
}

func (a *Array) removeFrom(k Key) (Value, bool) {
	if !k.Int {
		return a.Table.remove(k.S)
	}
	if a.Dense > 0 && k.I >= 0 {
		base, _ := leafSpan(k.I)
		if i, ok := a.leafIndex(base); ok {
			l := &a.Leaves[i]
			at := uint32(k.I - base)
			if l.Used[at>>6]&(1<<(at&63)) != 0 {
				v := l.Val[at]
				l.Val[at] = Value{}
				l.Used[at>>6] &^= 1 << (at & 63)
				a.Dense--
				if l.N--; l.N == 0 {
					a.room -= len(l.Val)
					a.Leaves = slices.Delete(a.Leaves, i, i+1)
				}
				return v, true
			}
		}
	}
	if a.Pairs.Len > 0 {
		return a.Pairs.remove(k.I)
	}
	if a.Shape == ShapeStrings || a.Shape == ShapeDenseStrings {
		return a.Table.remove(k.text())
	}
	return Value{}, false
}

// places is where walk ends.
func (a *Array) places() int { return len(a.Table.Heads) + len(a.Pairs.Heads) + len(a.Leaves) }

// walk visits about most elements in the order of for (k in a), from a place on, and gives the place to go on from.
func (a *Array) walk(from, most int, f func(k Key, v *Value)) (to int) {
	count := func(k Key, v *Value) {
		most--
		f(k, v)
	}
	const chains = 64
	n := len(a.Table.Heads)
	for from < n && most > 0 {
		end := min(from+chains, n)
		part := Table{Heads: a.Table.Heads[from:end], Elems: a.Table.Elems}
		part.each(func(s string, v *Value) { count(stringKey(s), v) })
		from = end
		most--
	}
	for from >= n && from-n < len(a.Pairs.Heads) && most > 0 {
		end := min(from-n+chains, len(a.Pairs.Heads))
		part := Pairs{Heads: a.Pairs.Heads[from-n : end], Links: a.Pairs.Links}
		part.each(func(k int32, v *Value) { count(Key{I: k, Int: true}, v) })
		from = n + end
		most--
	}
	n += len(a.Pairs.Heads)
	for ; from >= n && from-n < len(a.Leaves) && most > 0; from++ {
		a.Leaves[from-n].each(count)
	}
	return from
}

// many is how many elements are visited, or moved, before they are charged for.
const many = 1 << 10

// each visits all elements in the order of for (k in a), with m charged meanwhile.
func (a *Array) each(m large.Meter, f func(k Key, v *Value)) {
	for at := 0; at < a.places(); {
		m.Charge(min(a.Len(), many) / 8)
		at = a.walk(at, many, f)
	}
}

func (l *Leaf) each(f func(k Key, v *Value)) {
	for j := range l.Val {
		if l.Used[j>>6]&(1<<(j&63)) != 0 {
			f(Key{I: l.Base + int32(j), Int: true}, &l.Val[j])
		}
	}
}

// clear empties the array; its identity stays.
func (a *Array) clear() {
	*a = Array{Home: a.Home, Name: a.Name}
}
