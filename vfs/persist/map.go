package persist

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
)

const mapBits = 6

// Map maps strings to values: a hash trie of 64-way nodes. It has no order of
// its own; Sorted sorts.
type Map[V any] struct {
	root *mapNode[V]
	n    int
}

// mapNode holds the entries whose hash slot is theirs alone and a child for
// each slot that several share. Below the last level, when the whole hash is
// used up, ents alone is used, in key order.
type mapNode[V any] struct {
	own  Epoch
	ours uint64 // slots with an entry
	subs uint64 // slots with a child
	ents []mapEntry[V]
	kids []*mapNode[V]
}

type mapEntry[V any] struct {
	key string
	val V
}

func (n *mapNode[V]) owned(ep Epoch) *mapNode[V] {
	if n.own == ep {
		return n
	}
	return &mapNode[V]{own: ep, ours: n.ours, subs: n.subs,
		ents: append([]mapEntry[V](nil), n.ents...), kids: append([]*mapNode[V](nil), n.kids...)}
}

// search finds key among the sorted entries of a node below the last level.
func (n *mapNode[V]) search(key string) (at int, found bool) {
	return slices.BinarySearchFunc(n.ents, key, func(e mapEntry[V], k string) int { return strings.Compare(e.key, k) })
}

// Len returns how many keys are present.
func (m *Map[V]) Len() int { return m.n }

// Get returns the value of key and whether it is present.
func (m *Map[V]) Get(key string) (val V, ok bool) {
	if p := m.At(Hash(key), key); p != nil {
		return *p, true
	}
	return val, false
}

// At returns the value of key, whose Hash is h, to be read; nil when absent. The
// value may be shared with other versions: it must not be written through, and
// the pointer is good until the next write to m.
func (m *Map[V]) At(h uint64, key string) *V {
	n := m.root
	if n == nil {
		return nil
	}
	for s := uint(0); s < 64; s += mapBits {
		bit := uint64(1) << (h >> s & (1<<mapBits - 1))
		if n.ours&bit != 0 {
			e := &n.ents[bits.OnesCount64(n.ours&(bit-1))]
			if e.key == key {
				return &e.val
			}
			return nil
		}
		if n.subs&bit == 0 {
			return nil
		}
		n = n.kids[bits.OnesCount64(n.subs&(bit-1))]
	}
	if at, ok := n.search(key); ok {
		return &n.ents[at].val
	}
	return nil
}

// Ref returns the value of key, whose Hash is h, to be changed in place; nil
// when absent. The pointer is good until the next write to m or fork of it.
func (m *Map[V]) Ref(ep Epoch, h uint64, key string) *V {
	if m.At(h, key) == nil {
		return nil
	}
	return m.Slot(ep, h, key)
}

// Set stores val under key.
func (m *Map[V]) Set(ep Epoch, key string, val V) { *m.Slot(ep, Hash(key), key) = val }

// Slot returns the value of key, whose Hash is h, to be changed in place,
// making a zero one when absent. The pointer is good until the next write to m
// or fork of it.
func (m *Map[V]) Slot(ep Epoch, h uint64, key string) *V {
	if m.root == nil {
		m.root = &mapNode[V]{own: ep}
	} else if m.root.own != ep {
		m.root = m.root.owned(ep)
	}
	n := m.root
	for s := uint(0); s < 64; s += mapBits {
		bit := uint64(1) << (h >> s & (1<<mapBits - 1))
		if n.subs&bit == 0 {
			at := bits.OnesCount64(n.ours & (bit - 1))
			if n.ours&bit == 0 {
				n.ents = insertAt(n.ents, at, mapEntry[V]{key: key})
				n.ours |= bit
				m.n++
				return &n.ents[at].val
			}
			if n.ents[at].key == key {
				return &n.ents[at].val
			}
			n.push(ep, at, bit, s)
		}
		kid := &n.kids[bits.OnesCount64(n.subs&(bit-1))]
		if (*kid).own != ep {
			*kid = (*kid).owned(ep)
		}
		n = *kid
	}
	at, ok := n.search(key)
	if !ok {
		n.ents = insertAt(n.ents, at, mapEntry[V]{key: key})
		m.n++
	}
	return &n.ents[at].val
}

// push moves the entry at a slot of level s into a child of its own, to make
// room for a second key there.
func (n *mapNode[V]) push(ep Epoch, at int, bit uint64, s uint) {
	e := n.ents[at]
	kid := &mapNode[V]{own: ep, ents: []mapEntry[V]{e}}
	if s+mapBits < 64 {
		kid.ours = 1 << (Hash(e.key) >> (s + mapBits) & (1<<mapBits - 1))
	}
	n.ents = removeAt(n.ents, at)
	n.ours &^= bit
	n.kids = insertAt(n.kids, bits.OnesCount64(n.subs&(bit-1)), kid)
	n.subs |= bit
}

// Delete removes key and reports whether it was present.
func (m *Map[V]) Delete(ep Epoch, key string) bool {
	h := Hash(key)
	if m.At(h, key) == nil {
		return false
	}
	m.n--
	if m.root = m.root.remove(ep, h, key, 0); len(m.root.ents)+len(m.root.kids) == 0 {
		m.root = nil
	}
	return true
}

// remove drops a present key below n. A child left with one entry is folded
// into its parent, so the shape depends on the keys alone, not on history.
func (n *mapNode[V]) remove(ep Epoch, h uint64, key string, s uint) *mapNode[V] {
	n = n.owned(ep)
	if s >= 64 {
		at, _ := n.search(key)
		n.ents = removeAt(n.ents, at)
		return n
	}
	bit := uint64(1) << (h >> s & (1<<mapBits - 1))
	at := bits.OnesCount64(n.ours & (bit - 1))
	if n.ours&bit != 0 {
		n.ents = removeAt(n.ents, at)
		n.ours &^= bit
		return n
	}
	sub := bits.OnesCount64(n.subs & (bit - 1))
	kid := n.kids[sub].remove(ep, h, key, s+mapBits)
	if len(kid.kids) > 0 || len(kid.ents) > 1 {
		n.kids[sub] = kid
		return n
	}
	n.kids = removeAt(n.kids, sub)
	n.subs &^= bit
	n.ents = insertAt(n.ents, at, kid.ents[0])
	n.ours |= bit
	return n
}

// All yields every key and value, in an order that depends on the keys alone.
// m must not be written to meanwhile.
func (m *Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if m.root != nil {
			m.root.walk(yield)
		}
	}
}

func (n *mapNode[V]) walk(yield func(string, V) bool) bool {
	for i := range n.ents {
		if !yield(n.ents[i].key, n.ents[i].val) {
			return false
		}
	}
	for _, k := range n.kids {
		if !k.walk(yield) {
			return false
		}
	}
	return true
}

// Keys returns the keys in byte order.
func (m *Map[V]) Keys() []string {
	keys := make([]string, 0, m.n)
	for k := range m.All() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Sorted yields every key and value in byte order of the keys.
func (m *Map[V]) Sorted() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range m.Keys() {
			if v, ok := m.Get(k); ok && !yield(k, v) {
				return
			}
		}
	}
}
