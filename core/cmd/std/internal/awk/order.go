package awk

import "eryxsh/core/large"

// The order of `for (k in a)` is part of what scripts print, so arrays keep
// the three parts whose walk gives gawk's order (Table, Pairs, Leaves below):
//
//   - an array whose first subscript is no integer >= 0 is one hash Table of
//     strings for good; or, if it is a negative integer, Pairs first;
//   - otherwise subscripts are integers in Leaves, listed ascending, as long
//     as that wastes little room; integers that would waste it and negative ones
//     go to Pairs (a hash of integers), other strings to a Table;
//   - the walk goes Table, Pairs, Leaves.

// primes are the sizes a hash takes when its chains get longer than two.
func nextSize(n int) int {
	for _, s := range [...]int{13, 127, 1021, 8191, 16381, 32749, 65497, 131101, 262147, 524309,
		1048583, 2097169, 4194319, 8388617, 16777259, 33554467, 67108879, 134217757} {
		if n < s {
			return s
		}
	}
	return n
}

// stringHash is the sdbm hash, 32 bits.
func stringHash(s string) uint32 {
	var h uint32
	for i := 0; i < len(s); i++ {
		h = h*65599 + uint32(s[i])
	}
	return h
}

// integerHash is the final mixing of Paul Hsieh's SuperFastHash.
func integerHash(k int32) uint32 {
	h := uint32(k)
	h ^= h << 3
	h += h >> 5
	h ^= h << 4
	h += h >> 17
	h ^= h << 25
	h += h >> 6
	return h
}

// Table is a chained hash of strings. New elements go to the head of their chain.
type Table struct {
	Heads []int32 `cbor:"1,keyasint,omitempty"` // index+1 of the first element of each chain
	Elems []Elem  `cbor:"2,keyasint,omitempty"`
	Len   int     `cbor:"4,keyasint,omitempty"`

	free int32 // index+1 of the first unused element
}

// Elem is one element of a Table.
type Elem struct {
	Key  string `cbor:"1,keyasint,omitempty"`
	Val  Value  `cbor:"2,keyasint,omitempty"`
	Hash uint32 `cbor:"3,keyasint,omitempty"`
	Next int32  `cbor:"4,keyasint,omitempty"`
}

func (t *Table) find(key string) *Value {
	if t.Len == 0 {
		return nil
	}
	h := stringHash(key)
	for i := t.Heads[h%uint32(len(t.Heads))]; i != 0; {
		e := &t.Elems[i-1]
		if e.Hash == h && e.Key == key {
			return &e.Val
		}
		i = e.Next
	}
	return nil
}

// add puts in a key that is not there.
func (t *Table) add(key string, m large.Meter) *Value {
	h := stringHash(key)
	if len(t.Heads) == 0 {
		t.Heads = make([]int32, nextSize(0))
	}
	t.Len++
	if t.Len/len(t.Heads) > 2 {
		t.grow(m)
	}
	i := t.free
	if i != 0 {
		t.free = t.Elems[i-1].Next
	} else {
		t.Elems = append(large.Extend(t.Elems, 1, m), Elem{})
		i = int32(len(t.Elems))
	}
	head := &t.Heads[h%uint32(len(t.Heads))]
	t.Elems[i-1] = Elem{Key: key, Hash: h, Next: *head}
	*head = i
	return &t.Elems[i-1].Val
}

func (t *Table) grow(m large.Meter) {
	heads := make([]int32, nextSize(len(t.Heads)))
	if len(heads) == len(t.Heads) {
		return
	}
	for n, i := range t.Heads {
		if n%many == many-1 {
			m.Charge(many)
		}
		for i != 0 {
			e := &t.Elems[i-1]
			next := e.Next
			head := &heads[e.Hash%uint32(len(heads))]
			e.Next, *head = *head, i
			i = next
		}
	}
	t.Heads = heads
}

func (t *Table) remove(key string) (Value, bool) {
	if t.Len == 0 {
		return Value{}, false
	}
	h := stringHash(key)
	for at := &t.Heads[h%uint32(len(t.Heads))]; *at != 0; {
		i := *at
		e := &t.Elems[i-1]
		if e.Hash != h || e.Key != key {
			at = &e.Next
			continue
		}
		v := e.Val
		*at = e.Next
		*e = Elem{Next: t.free}
		t.free = i
		if t.Len--; t.Len == 0 {
			*t = Table{}
		}
		return v, true
	}
	return Value{}, false
}

func (t *Table) each(f func(key string, v *Value)) {
	for _, i := range t.Heads {
		for i != 0 {
			e := &t.Elems[i-1]
			f(e.Key, &e.Val)
			i = e.Next
		}
	}
}

// Pairs is a chained hash of integers with two to a link; only the first link
// of a chain may be half full.
type Pairs struct {
	Heads []int32 `cbor:"1,keyasint,omitempty"`
	Links []Link  `cbor:"2,keyasint,omitempty"`
	Len   int     `cbor:"4,keyasint,omitempty"`

	free int32
}

// Link is up to two elements of Pairs.
type Link struct {
	Key  [2]int32 `cbor:"1,keyasint,omitempty"`
	Val  [2]Value `cbor:"2,keyasint,omitempty"`
	N    int32    `cbor:"3,keyasint,omitempty"`
	Next int32    `cbor:"4,keyasint,omitempty"`
}

func (p *Pairs) find(k int32) *Value {
	if p.Len == 0 {
		return nil
	}
	for i := p.Heads[integerHash(k)%uint32(len(p.Heads))]; i != 0; {
		l := &p.Links[i-1]
		for j := range l.N {
			if l.Key[j] == k {
				return &l.Val[j]
			}
		}
		i = l.Next
	}
	return nil
}

func (p *Pairs) add(k int32, m large.Meter) *Value {
	if len(p.Heads) == 0 {
		p.Heads = make([]int32, nextSize(0))
	}
	p.Len++
	if p.Len/len(p.Heads) > 2 {
		p.grow(m)
	}
	return p.insert(k, m)
}

// insert puts k at the head of its chain.
func (p *Pairs) insert(k int32, m large.Meter) *Value {
	head := &p.Heads[integerHash(k)%uint32(len(p.Heads))]
	if *head != 0 {
		if l := &p.Links[*head-1]; l.N == 1 {
			l.N = 2
			l.Key[1] = k
			return &l.Val[1]
		}
	}
	i := p.free
	if i != 0 {
		p.free = p.Links[i-1].Next
	} else {
		p.Links = append(large.Extend(p.Links, 1, m), Link{})
		i = int32(len(p.Links))
	}
	p.Links[i-1] = Link{Key: [2]int32{k}, N: 1, Next: *head}
	*head = i
	return &p.Links[i-1].Val[0]
}

func (p *Pairs) grow(m large.Meter) {
	size := nextSize(len(p.Heads))
	if size == len(p.Heads) {
		return
	}
	old := *p
	p.Heads, p.Links, p.free = make([]int32, size), make([]Link, 0, len(old.Links)), 0
	moved := 0
	old.each(func(k int32, v *Value) {
		if moved++; moved%many == 0 {
			m.Charge(many)
		}
		*p.insert(k, m) = *v
	})
}

func (p *Pairs) remove(k int32) (Value, bool) {
	if p.Len == 0 {
		return Value{}, false
	}
	head := &p.Heads[integerHash(k)%uint32(len(p.Heads))]
	for at := head; *at != 0; at = &p.Links[*at-1].Next {
		i := *at
		l := &p.Links[i-1]
		j := int32(0)
		for j < l.N && l.Key[j] != k {
			j++
		}
		if j == l.N {
			continue
		}
		v := l.Val[j]
		// The hole is filled from the second place, or by the newest of the chain.
		l.Key[j], l.Val[j] = l.Key[1], l.Val[1]
		l.Val[1] = Value{}
		l.N--
		switch h := &p.Links[*head-1]; {
		case l.N == 0:
			*at = l.Next
			p.release(i)
		case i != *head:
			last := h.N - 1
			l.Key[1], l.Val[1], l.N = h.Key[last], h.Val[last], 2
			h.Val[last] = Value{}
			if h.N--; h.N == 0 {
				n := *head
				*head = h.Next
				p.release(n)
			}
		}
		if p.Len--; p.Len == 0 {
			*p = Pairs{}
		}
		return v, true
	}
	return Value{}, false
}

func (p *Pairs) release(i int32) {
	p.Links[i-1] = Link{Next: p.free}
	p.free = i
}

func (p *Pairs) each(f func(k int32, v *Value)) {
	for _, i := range p.Heads {
		for i != 0 {
			l := &p.Links[i-1]
			for j := range l.N {
				f(l.Key[j], &l.Val[j])
			}
			i = l.Next
		}
	}
}
