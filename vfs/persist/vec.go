package persist

import (
	"iter"
	"math/bits"
	"sync/atomic"
)

const (
	vecBits = 5
	vecMask = 1<<vecBits - 1
)

// Vec maps int64 indexes (not negative) to values. It may be sparse: an absent
// index takes no room. Access costs one hop for each five bits of the highest
// index; appending is amortised O(1).
type Vec[T any] struct {
	root  *vecNode[T]
	n     int
	shift uint8 // of the root: 0 when it is a leaf
}

// vecNode is a branch (kids) or a leaf (vals); only present slots are stored,
// in order, and have says which they are.
type vecNode[T any] struct {
	own  Epoch
	have uint32
	kids []*vecNode[T]
	vals []T
	kept atomic.Pointer[any] // see Leaf.Keep
}

func (n *vecNode[T]) pos(i int64, shift uint8) (at int, bit uint32) {
	bit = 1 << (uint64(i) >> shift & vecMask)
	return bits.OnesCount32(n.have & (bit - 1)), bit
}

// owned returns n itself when ep owns it, else a copy that ep owns.
func (n *vecNode[T]) owned(ep Epoch) *vecNode[T] {
	if n.own == ep {
		return n
	}
	c := &vecNode[T]{own: ep, have: n.have}
	if n.kids != nil {
		c.kids = append(c.kids, n.kids...)
	} else {
		c.vals = append(c.vals, n.vals...)
	}
	return c
}

// Len returns how many indexes are present.
func (v *Vec[T]) Len() int { return v.n }

// Max returns the highest index present, -1 when there is none.
func (v *Vec[T]) Max() int64 {
	n := v.root
	if n == nil {
		return -1
	}
	var at int64
	for s := v.shift; ; s -= vecBits {
		at |= int64(bits.Len32(n.have)-1) << s
		if s == 0 {
			return at
		}
		n = n.kids[len(n.kids)-1]
	}
}

// At returns the value at i to be read, nil when it is absent. The value may be
// shared with other versions: it must not be written through, and the pointer
// is good until the next write to v.
func (v *Vec[T]) At(i int64) *T {
	n := v.root
	if n == nil || uint64(i)>>(v.shift+vecBits) != 0 {
		return nil
	}
	for s := v.shift; s > 0; s -= vecBits {
		at, bit := n.pos(i, s)
		if n.have&bit == 0 {
			return nil
		}
		n = n.kids[at]
	}
	at, bit := n.pos(i, 0)
	if n.have&bit == 0 {
		return nil
	}
	return &n.vals[at]
}

// Get returns the value at i and whether it is present.
func (v *Vec[T]) Get(i int64) (x T, ok bool) {
	if p := v.At(i); p != nil {
		return *p, true
	}
	return x, false
}

// Ref returns the value at i to be changed in place, nil when it is absent. The
// pointer is good until the next write to v or fork of it.
func (v *Vec[T]) Ref(ep Epoch, i int64) *T {
	if v.At(i) == nil {
		return nil
	}
	return v.Slot(ep, i)
}

// Set stores x at i, which must not be negative.
func (v *Vec[T]) Set(ep Epoch, i int64, x T) { *v.Slot(ep, i) = x }

// Append stores x after the highest index present.
func (v *Vec[T]) Append(ep Epoch, x T) { *v.Slot(ep, v.Max()+1) = x }

// Slot returns the value at i to be changed in place, making a zero one when
// absent. i must not be negative. The pointer is good until the next write to v
// or fork of it.
func (v *Vec[T]) Slot(ep Epoch, i int64) *T {
	if i < 0 {
		panic("persist: negative index")
	}
	if v.root == nil {
		v.root, v.shift = &vecNode[T]{own: ep}, 0
		for uint64(i)>>(v.shift+vecBits) != 0 {
			v.shift += vecBits
		}
	}
	for uint64(i)>>(v.shift+vecBits) != 0 {
		v.root = &vecNode[T]{own: ep, have: 1, kids: []*vecNode[T]{v.root}}
		v.shift += vecBits
	}
	v.root = v.root.owned(ep)
	n := v.root
	for s := v.shift; s > 0; s -= vecBits {
		at, bit := n.pos(i, s)
		if n.have&bit == 0 {
			k := &vecNode[T]{own: ep}
			if s == vecBits && at > 0 && n.kids[at-1].have == 1<<32-1 {
				k.vals = make([]T, 0, 1<<vecBits) // filled in order: the last one is full
			}
			n.kids = insertAt(n.kids, at, k)
			n.have |= bit
		} else if k := n.kids[at]; k.own != ep {
			n.kids[at] = k.owned(ep)
		}
		n = n.kids[at]
	}
	at, bit := n.pos(i, 0)
	if n.have&bit == 0 {
		var zero T
		n.vals = insertAt(n.vals, at, zero)
		n.have |= bit
		v.n++
	}
	return &n.vals[at]
}

func insertAt[E any](s []E, at int, x E) []E {
	s = append(s, x)
	if at < len(s)-1 {
		copy(s[at+1:], s[at:])
		s[at] = x
	}
	return s
}

func removeAt[E any](s []E, at int) []E {
	copy(s[at:], s[at+1:])
	clear(s[len(s)-1:])
	return s[:len(s)-1]
}

// Delete removes index i and reports whether it was present.
func (v *Vec[T]) Delete(ep Epoch, i int64) bool {
	if v.At(i) == nil {
		return false
	}
	v.root = v.root.remove(ep, i, v.shift)
	v.n--
	v.lower()
	return true
}

// remove drops a present index below n; nil means nothing is left. It recurses
// once a level, 13 at most.
func (n *vecNode[T]) remove(ep Epoch, i int64, shift uint8) *vecNode[T] {
	at, bit := n.pos(i, shift)
	if shift > 0 {
		k := n.kids[at].remove(ep, i, shift-vecBits)
		if k != nil {
			n = n.owned(ep)
			n.kids[at] = k
			return n
		}
	}
	if n.have == bit {
		return nil
	}
	n = n.owned(ep)
	n.have &^= bit
	if shift > 0 {
		n.kids = removeAt(n.kids, at)
	} else {
		n.vals = removeAt(n.vals, at)
	}
	return n
}

// lower drops root levels that lead to slot 0 only.
func (v *Vec[T]) lower() {
	for v.root != nil && v.shift > 0 && v.root.have == 1 {
		v.root = v.root.kids[0]
		v.shift -= vecBits
	}
	if v.root == nil {
		v.shift = 0
	}
}

// Truncate removes every index from n on.
func (v *Vec[T]) Truncate(ep Epoch, n int64) {
	if n <= 0 {
		*v = Vec[T]{}
		return
	}
	if v.root == nil || uint64(n)>>(v.shift+vecBits) != 0 {
		return
	}
	v.root = v.root.cut(ep, n, v.shift, &v.n)
	v.lower()
}

// cut drops the indexes from end on below n; nil means nothing is left. It
// recurses once a level.
func (n *vecNode[T]) cut(ep Epoch, end int64, shift uint8, count *int) *vecNode[T] {
	at, bit := n.pos(end, shift)
	if n.have&^(bit-1) == 0 {
		return n
	}
	n = n.owned(ep)
	if shift == 0 {
		*count -= len(n.vals) - at
		clear(n.vals[at:])
		n.vals = n.vals[:at]
	} else {
		whole := n.kids[at:] // children dropped as they are
		if n.have&bit != 0 {
			whole = whole[1:]
			if k := n.kids[at].cut(ep, end, shift-vecBits, count); k != nil {
				n.kids[at] = k
				at++
				bit <<= 1 // wraps to 0 at the last slot: bit-1 then keeps all
			}
		}
		for _, k := range whole {
			*count -= k.size(shift - vecBits)
		}
		clear(n.kids[at:])
		n.kids = n.kids[:at]
	}
	n.have &= bit - 1
	if n.have == 0 {
		return nil
	}
	return n
}

func (n *vecNode[T]) size(shift uint8) int {
	if shift == 0 {
		return len(n.vals)
	}
	sum := 0
	for _, k := range n.kids {
		sum += k.size(shift - vecBits)
	}
	return sum
}

// Next returns the lowest index present that is i or above.
func (v *Vec[T]) Next(i int64) (at int64, ok bool) {
	for at = range v.From(i) {
		return at, true
	}
	return 0, false
}

// All yields every index and value in index order. v must not be written to
// meanwhile.
func (v *Vec[T]) All() iter.Seq2[int64, T] { return v.From(0) }

// From yields the indexes from i on and their values, in order. v must not be
// written to meanwhile; a fork of it may be walked instead.
func (v *Vec[T]) From(i int64) iter.Seq2[int64, T] {
	return func(yield func(int64, T) bool) {
		i = max(i, 0)
		if v.root != nil && uint64(i)>>(v.shift+vecBits) == 0 {
			v.root.walk(i, 0, v.shift, yield)
		}
	}
}

func (n *vecNode[T]) walk(from, base int64, shift uint8, yield func(int64, T) bool) bool {
	at := 0
	for have := n.have; have != 0; have &= have - 1 {
		lo := base | int64(bits.TrailingZeros32(have))<<shift
		if lo|(1<<shift-1) >= from {
			if shift == 0 {
				if !yield(lo, n.vals[at]) {
					return false
				}
			} else if !n.kids[at].walk(from, lo, shift-vecBits, yield) {
				return false
			}
		}
		at++
	}
	return true
}

// Leaf is the part of a Vec that has the indexes below 32.
type Leaf[T any] struct{ n *vecNode[T] }

// Frozen returns that part if it is one that nobody will change, for ep is the
// epoch of the Vec's owner and another has made it.
func (v *Vec[T]) Frozen(ep Epoch) (l Leaf[T], ok bool) {
	n := v.root
	for s := v.shift; n != nil && s > 0; s -= vecBits {
		if n.have&1 == 0 {
			return l, false
		}
		n = n.kids[0]
	}
	return Leaf[T]{n}, n != nil && n.own != ep
}

// Kept returns what Keep was given for this part, by any version that has it; nil if nothing.
func (l Leaf[T]) Kept() any {
	if p := l.n.kept.Load(); p != nil {
		return *p
	}
	return nil
}

// Keep keeps something that follows from the part, for as long as a version has it.
func (l Leaf[T]) Keep(x any) { l.n.kept.Store(&x) }

// DiffVec yields the indexes whose values may differ between a and b, in
// order, with nil for an absent one. Nodes the two share are skipped, so the
// cost follows the changes; same says when two values are equal after all.
func DiffVec[T any](a, b *Vec[T], same func(x, y *T) bool, yield func(i int64, x, y *T) bool) {
	ra, rb, sa, sb := a.root, b.root, a.shift, b.shift
	for sa < sb && ra != nil {
		ra, sa = &vecNode[T]{have: 1, kids: []*vecNode[T]{ra}}, sa+vecBits
	}
	for sb < sa && rb != nil {
		rb, sb = &vecNode[T]{have: 1, kids: []*vecNode[T]{rb}}, sb+vecBits
	}
	diffNode(ra, rb, 0, max(sa, sb), same, yield)
}

func diffNode[T any](a, b *vecNode[T], base int64, shift uint8, same func(x, y *T) bool, yield func(int64, *T, *T) bool) bool {
	if a == b {
		return true
	}
	var none vecNode[T]
	if a == nil {
		a = &none
	}
	if b == nil {
		b = &none
	}
	for have := a.have | b.have; have != 0; have &= have - 1 {
		i := base | int64(bits.TrailingZeros32(have))<<shift
		pa, bit := a.pos(i, shift)
		pb, _ := b.pos(i, shift)
		if shift > 0 {
			var ka, kb *vecNode[T]
			if a.have&bit != 0 {
				ka = a.kids[pa]
			}
			if b.have&bit != 0 {
				kb = b.kids[pb]
			}
			if !diffNode(ka, kb, i, shift-vecBits, same, yield) {
				return false
			}
			continue
		}
		var x, y *T
		if a.have&bit != 0 {
			x = &a.vals[pa]
		}
		if b.have&bit != 0 {
			y = &b.vals[pb]
		}
		if x != nil && y != nil && same(x, y) {
			continue
		}
		if !yield(i, x, y) {
			return false
		}
	}
	return true
}
