package persist

import (
	"iter"
	"slices"
)

const (
	sortedMax  = 64 // keys or children of a node
	sortedScan = 16 // up to here looking at each key beats a binary search
)

// Sorted maps strings to values in byte order: a B+ tree.
type Sorted[V any] struct {
	root *sortedNode[V]
	n    int
}

// sortedNode is a leaf (keys and vals) or a branch, where keys[i] is at or
// below every key of kids[i] and above every key of kids[i-1]. Only the root
// can be empty.
type sortedNode[V any] struct {
	own  Epoch
	keys []string
	vals []V
	kids []*sortedNode[V]
}

func (n *sortedNode[V]) owned(ep Epoch) *sortedNode[V] {
	if n.own == ep {
		return n
	}
	return &sortedNode[V]{own: ep, keys: append([]string(nil), n.keys...),
		vals: append([]V(nil), n.vals...), kids: append([]*sortedNode[V](nil), n.kids...)}
}

// search returns the first position whose key is at or above key.
func (n *sortedNode[V]) search(key string) int {
	lo, hi := 0, len(n.keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if n.keys[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// kid returns the position of the child of a branch where key belongs.
func (n *sortedNode[V]) kid(key string) int {
	i := n.search(key)
	if i < len(n.keys) && n.keys[i] == key {
		return i
	}
	return max(i-1, 0)
}

// Len returns how many keys are present.
func (t *Sorted[V]) Len() int { return t.n }

// Get returns the value of key and whether it is present.
func (t *Sorted[V]) Get(key string) (val V, ok bool) {
	n := t.root
	if n == nil {
		return val, false
	}
	for n.kids != nil {
		n = n.kids[n.kid(key)]
	}
	if len(n.keys) <= sortedScan {
		for i, k := range n.keys {
			if k == key {
				return n.vals[i], true
			}
		}
		return val, false
	}
	if i := n.search(key); i < len(n.keys) && n.keys[i] == key {
		return n.vals[i], true
	}
	return val, false
}

// Set stores val under key.
func (t *Sorted[V]) Set(ep Epoch, key string, val V) {
	if t.root == nil {
		t.root, t.n = &sortedNode[V]{own: ep, keys: []string{key}, vals: []V{val}}, 1
		return
	}
	t.root = t.root.owned(ep)
	right, added := t.root.set(ep, key, val)
	if added {
		t.n++
	}
	if right != nil {
		t.root = &sortedNode[V]{own: ep, keys: []string{t.root.keys[0], right.keys[0]}, kids: []*sortedNode[V]{t.root, right}}
	}
}

// set stores below the owned node n; right is its new neighbour when it split.
// It recurses once a level.
func (n *sortedNode[V]) set(ep Epoch, key string, val V) (right *sortedNode[V], added bool) {
	if n.kids == nil {
		i := n.search(key)
		if i < len(n.keys) && n.keys[i] == key {
			n.vals[i] = val
			return nil, false
		}
		n.keys = insertAt(n.keys, i, key)
		n.vals = insertAt(n.vals, i, val)
		return n.split(ep, i), true
	}
	i := n.kid(key)
	if key < n.keys[i] {
		n.keys[i] = key
	}
	k := n.kids[i].owned(ep)
	n.kids[i] = k
	r, added := k.set(ep, key, val)
	if r == nil {
		return nil, added
	}
	n.keys = insertAt(n.keys, i+1, r.keys[0])
	n.kids = insertAt(n.kids, i+1, r)
	return n.split(ep, i+1), added
}

// split halves a node that is too full; after an insert at its end it moves
// only the last one over, so names made in order fill their nodes.
func (n *sortedNode[V]) split(ep Epoch, at int) *sortedNode[V] {
	if len(n.keys) <= sortedMax {
		return nil
	}
	h := len(n.keys) / 2
	if at == len(n.keys)-1 {
		h = at
	}
	r := &sortedNode[V]{own: ep, keys: slices.Clone(n.keys[h:])}
	clear(n.keys[h:])
	n.keys = n.keys[:h]
	if n.kids == nil {
		r.vals = slices.Clone(n.vals[h:])
		clear(n.vals[h:])
		n.vals = n.vals[:h]
	} else {
		r.kids = slices.Clone(n.kids[h:])
		clear(n.kids[h:])
		n.kids = n.kids[:h]
	}
	return r
}

// Delete removes key and reports whether it was present.
func (t *Sorted[V]) Delete(ep Epoch, key string) bool {
	if _, ok := t.Get(key); !ok {
		return false
	}
	if t.n--; t.n == 0 {
		t.root = nil
		return true
	}
	t.root = t.root.owned(ep)
	t.root.remove(ep, key)
	for len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
	}
	return true
}

// remove drops a present key below the owned node n and joins a child that
// became small with a neighbour. It recurses once a level.
func (n *sortedNode[V]) remove(ep Epoch, key string) {
	if n.kids == nil {
		i := n.search(key)
		n.keys = removeAt(n.keys, i)
		n.vals = removeAt(n.vals, i)
		return
	}
	i := n.kid(key)
	k := n.kids[i].owned(ep)
	n.kids[i] = k
	k.remove(ep, key)
	if len(k.keys) == 0 {
		n.keys = removeAt(n.keys, i)
		n.kids = removeAt(n.kids, i)
		return
	}
	if len(k.keys) >= sortedMax/4 || len(n.kids) == 1 {
		return
	}
	i = max(i-1, 0)
	a, b := n.kids[i], n.kids[i+1]
	if len(a.keys)+len(b.keys) > sortedMax*3/4 {
		return
	}
	a = a.owned(ep)
	a.keys = append(a.keys, b.keys...)
	a.vals = append(a.vals, b.vals...)
	a.kids = append(a.kids, b.kids...)
	n.kids[i] = a
	n.keys = removeAt(n.keys, i+1)
	n.kids = removeAt(n.kids, i+1)
}

// All yields every key and value in byte order of the keys. t must not be
// written to meanwhile.
func (t *Sorted[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if t.root != nil {
			t.root.walk("", yield)
		}
	}
}

// After yields the keys above key and their values, in byte order. t must not
// be written to meanwhile.
func (t *Sorted[V]) After(key string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if t.root != nil {
			t.root.walk(key+"\x00", yield)
		}
	}
}

// From yields key, if it is present, and the keys above it with their values, in
// byte order. t must not be written to meanwhile.
func (t *Sorted[V]) From(key string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		if t.root != nil {
			t.root.walk(key, yield)
		}
	}
}

// Below returns the greatest key below key, false when there is none.
func (t *Sorted[V]) Below(key string) (at string, ok bool) {
	n := t.root
	var left *sortedNode[V] // what is next on the left of n's keys
	for n != nil && n.kids != nil {
		i := max(n.search(key)-1, 0) // all behind kids[i] is at or above key
		if i > 0 {
			left = n.kids[i-1]
		}
		n = n.kids[i]
	}
	if n == nil {
		return "", false
	}
	if i := n.search(key); i > 0 {
		return n.keys[i-1], true
	}
	if left == nil {
		return "", false
	}
	for left.kids != nil {
		left = left.kids[len(left.kids)-1]
	}
	return left.keys[len(left.keys)-1], true
}

// walk yields what is at or above from.
func (n *sortedNode[V]) walk(from string, yield func(string, V) bool) bool {
	if n.kids == nil {
		for i := n.search(from); i < len(n.keys); i++ {
			if !yield(n.keys[i], n.vals[i]) {
				return false
			}
		}
		return true
	}
	for _, k := range n.kids[n.kid(from):] {
		if !k.walk(from, yield) {
			return false
		}
	}
	return true
}

// EqualSorted reports whether a and b hold the same keys and values. It is O(1)
// when neither was written to since they were one, O(n) else.
func EqualSorted[V comparable](a, b *Sorted[V]) bool {
	if a.root == b.root {
		return true
	}
	if a.n != b.n {
		return false
	}
	var ia, ib sortedIter[V]
	ia.push(a.root)
	ib.push(b.root)
	for {
		na, nb := ia.leaf(), ib.leaf()
		if na == nil || nb == nil {
			return true // as many keys in both: they end together
		}
		n := min(len(na.keys)-ia.at, len(nb.keys)-ib.at)
		for k := range n {
			if na.keys[ia.at+k] != nb.keys[ib.at+k] || na.vals[ia.at+k] != nb.vals[ib.at+k] {
				return false
			}
		}
		ia.at += n
		ib.at += n
	}
}

// sortedIter goes over the leaves of a tree from left to right.
type sortedIter[V any] struct {
	todo []*sortedNode[V] // the next leaf is under the last one
	at   int              // in that leaf, once it is on top
}

func (it *sortedIter[V]) push(n *sortedNode[V]) {
	if n != nil {
		it.todo = append(it.todo, n)
	}
}

// leaf returns the leaf with keys left to see, nil at the end.
func (it *sortedIter[V]) leaf() *sortedNode[V] {
	for len(it.todo) > 0 {
		n := it.todo[len(it.todo)-1]
		if n.kids == nil && it.at < len(n.keys) {
			return n
		}
		it.open()
	}
	return nil
}

// DiffSorted yields the keys whose values differ between a and b, in byte
// order, with nil for an absent one. Nodes the two share are skipped, so the
// cost follows the changes.
func DiffSorted[V comparable](a, b *Sorted[V], yield func(key string, x, y *V) bool) {
	var ia, ib sortedIter[V]
	ia.push(a.root)
	ib.push(b.root)
	for {
		na, nb := ia.top(), ib.top()
		switch {
		case na == nil && nb == nil:
			return
		case na == nb && ia.at == 0 && ib.at == 0:
			ia.pop()
			ib.pop()
		case nb == nil || na != nil && na.keys[ia.at] < nb.keys[ib.at]: // what is in a here is not in b
			if na.kids != nil {
				ia.open()
			} else if !yield(na.keys[ia.at], &na.vals[ia.at], nil) {
				return
			} else {
				ia.at++
			}
		case na == nil || nb.keys[ib.at] < na.keys[ia.at]:
			if nb.kids != nil {
				ib.open()
			} else if !yield(nb.keys[ib.at], nil, &nb.vals[ib.at]) {
				return
			} else {
				ib.at++
			}
		case na.kids != nil:
			ia.open()
		case nb.kids != nil:
			ib.open()
		default:
			if na.vals[ia.at] != nb.vals[ib.at] && !yield(na.keys[ia.at], &na.vals[ia.at], &nb.vals[ib.at]) {
				return
			}
			ia.at++
			ib.at++
		}
	}
}

// top returns the node where the iteration stands, nil at the end. Its key at
// it.at is at or below all that are left; in a branch it.at is 0.
func (it *sortedIter[V]) top() *sortedNode[V] {
	for len(it.todo) > 0 {
		n := it.todo[len(it.todo)-1]
		if it.at < len(n.keys) {
			return n
		}
		it.pop()
	}
	return nil
}

func (it *sortedIter[V]) pop() { it.todo, it.at = it.todo[:len(it.todo)-1], 0 }

// open puts the children of the branch on top in its place.
func (it *sortedIter[V]) open() {
	n := it.todo[len(it.todo)-1]
	it.pop()
	for i := len(n.kids) - 1; i >= 0; i-- {
		it.todo = append(it.todo, n.kids[i])
	}
}
