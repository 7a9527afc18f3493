package jq

import "eryxsh/core/large"

// Node is an array or an object.
//
// A node never changes once a program can see it, with one exception: setting
// or appending one element of a long container moves its contents to a new node
// and leaves in the old one only what is different (Next, At, Items[0]), so that
// building something in a reduce costs one step and not one copy an element.
// The old node gets its contents back when somebody looks at it.
type Node struct {
	Items []Value  `cbor:"1,keyasint,omitempty"`
	Keys  []string `cbor:"2,keyasint,omitempty"` // of an object, as they were inserted; never written to
	Next  int32    `cbor:"3,keyasint,omitempty"` // this is an old version: the newer one
	At    int32    `cbor:"4,keyasint,omitempty"` // where they differ; Items is empty if At is not in this one
	Used  bool     `cbor:"6,keyasint,omitempty"` // not free

	index  map[string]int32 // of an object with many keys; nil: not made
	marked bool
}

// Heap holds the nodes of a program. Number 0 is never used.
type Heap struct {
	Nodes []Node `cbor:"1,keyasint,omitempty"`
	Size  int    `cbor:"3,keyasint,omitempty"` // bytes in use at the last collection and made since, about; by content alone, which a move keeps
	Limit int    `cbor:"4,keyasint,omitempty"` // collect when Size passes it

	free    []int32 // numbers of nodes that are not used
	swept   bool    // free is made
	slab    []Value // small containers are cut from it
	slabbed int     // values in slabs that may still be there
	todo    []int32 // scratch of the collector
	text    [4]tail
	turn    int
	work    large.Meter // hears of what is done to long lists; may be nil
	seen    int         // values since it did
	asked   int         // what Size was when it was asked for last
}

const (
	manyValues = 1 << 12 // are charged for at a time
	valueSize  = 40
	nodeSize   = 96
	keySize    = 16
	indexSize  = 48
	firstGC    = 1 << 20
	// slabValues is how many values are made at once for containers of at most slabMost.
	slabValues = 1024
	slabMost   = 64
	// slowCopy is the length from which a list is copied in pieces.
	slowCopy = 1 << 13
	// firstIndex is how many keys an index has room for from the beginning: room for very many takes long to clear.
	firstIndex = 1 << 12
	// linear is the number of keys up to which an object is searched one by one.
	linear = 12
	// versioned is the length from which containers share by versions and are not copied.
	versioned = 24
	// maxItems bounds an array or object, maxText a string: beyond them an operation fails loudly.
	maxItems = 1 << 24
	maxText  = 1 << 28
)

// newNode takes a node that holds items and keys, which it owns.
func (h *Heap) newNode(items []Value, keys []string) int32 {
	h.Size += nodeSize + valueSize*len(items) + keysSize(keys)
	if h.Size-h.asked > muchMade {
		h.ask()
	}
	if !h.swept {
		h.sweep()
	}
	if n := len(h.free); n > 0 {
		r := h.free[n-1]
		h.free = h.free[:n-1]
		h.Nodes[r] = Node{Items: items, Keys: keys, Used: true}
		return r
	}
	if len(h.Nodes) == 0 {
		h.Nodes = append(h.Nodes, Node{})
	}
	h.Nodes = append(more(h.Nodes, h.work), Node{Items: items, Keys: keys, Used: true})
	return int32(len(h.Nodes) - 1)
}

// muchMade is how many bytes are made between two questions whether there may be so many.
const muchMade = 1 << 20

// ask asks for what was made: an instruction may make very much.
func (h *Heap) ask() {
	h.asked = h.Size
	if k, ok := h.work.(large.Keeper); ok {
		k.Need(0)
	}
}

// keysSize is what the keys of an object take, with an index if there are many. Objects may have them in common; after a move they have not.
func keysSize(keys []string) int {
	n := keySize * len(keys)
	if len(keys) > linear {
		n += indexSize * len(keys)
	}
	for _, k := range keys {
		n += len(k)
	}
	return n
}

// more gives a list room for one more, with m charged meanwhile if it is long. It is
// given little more than that: to clear the room takes long, too.
func more[T any](list []T, m large.Meter) []T {
	if len(list) < cap(list) {
		return list
	}
	return grown(list, m)
}

func grown[T any](list []T, m large.Meter) []T {
	n := len(list)
	if n < slowCopy {
		return list
	}
	return large.Add(large.Empty[T](n+n/4, large.Or(m)), list, large.Or(m))
}

// meter is who hears of the work.
func (h *Heap) meter() large.Meter { return large.Or(h.work) }

// look charges, now or later, for n values that are looked at or written.
func (h *Heap) look(n int) {
	if h.seen += n; h.seen > manyValues {
		h.tell()
	}
}

func (h *Heap) tell() {
	h.meter().Charge(h.seen >> 4)
	h.seen = 0
}

func (h *Heap) array(items []Value) Value {
	return Value{K: Array, R: h.newNode(items, nil)}
}

func (h *Heap) object(keys []string, items []Value) Value {
	return Value{K: Object, R: h.newNode(items, keys[:len(keys):len(keys)])}
}

// space gives n values to fill.
func (h *Heap) space(n int) []Value {
	if n > slabMost {
		return large.Empty[Value](n, h.meter())[:n]
	}
	if n > len(h.slab) {
		h.slab = make([]Value, slabValues)
		h.slabbed += slabValues
	}
	s := h.slab[:n:n]
	h.slab = h.slab[n:]
	return s
}

// room gives an empty list with room for n values.
func (h *Heap) room(n int) []Value {
	if n > slabMost {
		return large.Empty[Value](n, h.meter())
	}
	return h.space(n)[:0]
}

// copyOf copies values into new space.
func (h *Heap) copyOf(items []Value) []Value {
	if len(items) == 0 {
		return nil
	}
	if len(items) > slabMost {
		return large.List(items, h.meter())
	}
	s := h.space(len(items))
	copy(s, items)
	return s
}

// node gives the node of a container, with its contents.
func (h *Heap) node(v Value) *Node {
	n := &h.Nodes[v.R]
	if n.Next != 0 {
		h.flatten(v.R)
		n = &h.Nodes[v.R]
	}
	return n
}

func (h *Heap) items(v Value) []Value { return h.node(v).Items }

// joined gives the values of two lists.
func (h *Heap) joined(x, y []Value) []Value {
	return large.Add(large.Add(h.room(len(x)+len(y)), x, h.meter()), y, h.meter())
}

// flatten gives an old version its contents back. The chain of versions can be
// long: some of those in between get theirs too, so that walking over many old versions stays cheap.
func (h *Heap) flatten(r int32) {
	chain := h.todo[:0]
	for at := r; h.Nodes[at].Next != 0; at = h.Nodes[at].Next {
		chain = append(chain, at)
		h.look(1)
	}
	newest := &h.Nodes[h.Nodes[chain[len(chain)-1]].Next]
	items := large.Add(large.Empty[Value](len(newest.Items)+1, h.meter()), newest.Items, h.meter())
	keys := newest.Keys[:len(newest.Keys):len(newest.Keys)]
	stride := max(len(items), 64)
	for i := len(chain) - 1; i >= 0; i-- {
		n := &h.Nodes[chain[i]]
		if len(n.Items) == 0 { // it did not have the last element
			items = items[:n.At]
			if keys != nil {
				keys = keys[:n.At:n.At]
			}
		} else {
			items[n.At] = n.Items[0]
		}
		if i == 0 || i%stride == 0 {
			n.Items, n.Keys, n.Next, n.At, n.index = large.List(items, h.meter()), keys, 0, 0, nil
			h.Size += valueSize*len(items) + keysSize(keys)
		}
		h.look(1)
	}
	h.todo = chain[:0]
}

// find gives the place of a key, -1 if it is not there.
func (h *Heap) find(v Value, key string) int {
	n := h.node(v)
	if len(n.Keys) <= linear {
		for i, k := range n.Keys {
			if k == key {
				return i
			}
		}
		return -1
	}
	if n.index == nil {
		n.index = make(map[string]int32, min(len(n.Keys), firstIndex))
		for i, k := range n.Keys {
			n.index[k] = int32(i)
			h.look(32)
		}
	}
	if i, ok := n.index[key]; ok {
		return int(i)
	}
	return -1
}

// get gives the value of a key, null if it is not there.
func (h *Heap) get(v Value, key string) Value {
	if i := h.find(v, key); i >= 0 {
		return h.node(v).Items[i]
	}
	return null
}

// put gives an object in which key is x.
func (h *Heap) put(v Value, key string, x Value) Value {
	i := h.find(v, key)
	n := h.node(v)
	keys := n.Keys
	if i < 0 {
		i = len(keys)
		if i < versioned {
			keys = append(append(make([]string, 0, i+1), keys...), key)
		} else {
			keys = append(more(keys, h.work), key)
			if n.index != nil {
				n.index[key] = int32(i)
			}
		}
	}
	return h.change(v, i, x, keys)
}

// set gives an array in which element i, or the one behind the last, is x.
func (h *Heap) set(v Value, i int, x Value) Value { return h.change(v, i, x, nil) }

func (h *Heap) change(v Value, i int, x Value, keys []string) Value {
	n := h.node(v)
	r := v
	if len(n.Items) < versioned {
		items := h.space(max(len(n.Items), i+1))
		copy(items, n.Items)
		items[i] = x
		r.R = h.newNode(items, keys)
	} else {
		items, index := n.Items, n.index
		var old []Value
		if i < len(items) {
			old = h.space(1)
			old[0] = items[i]
			items[i] = x
		} else {
			items = append(more(items, h.work), x)
		}
		n.Items, n.Keys, n.index, n.At = old, nil, nil, int32(i)
		r.R = h.newNode(nil, nil)
		h.Nodes[r.R].Keys = keys
		h.Size += nodeSize + valueSize
		if i == len(items)-1 && keys != nil {
			h.Size += keySize + indexSize + len(keys[i])
		}
		h.Nodes[v.R].Next = r.R
		m := &h.Nodes[r.R]
		m.Items, m.index = items, index
	}
	return r
}

// extend gives an array that is v and then list.
func (h *Heap) extend(v Value, list []Value) Value {
	n := h.node(v)
	items := large.Add(n.Items, list, h.meter())
	r := h.array(nil)
	h.Size += valueSize * len(list)
	n = &h.Nodes[v.R]
	n.At, n.Next = int32(len(n.Items)), r.R
	n.Items = nil
	h.Nodes[r.R].Items = items
	return r
}

// without gives a container without the places that drop names, of which there are some.
func (h *Heap) without(v Value, drop []bool) Value {
	n := h.node(v)
	items := large.Empty[Value](len(n.Items), h.meter())
	var keys []string
	if v.K == Object {
		keys = large.Empty[string](len(n.Items), h.meter())
	}
	for i := range n.Items {
		h.look(1)
		if drop[i] {
			continue
		}
		items = append(items, n.Items[i])
		if v.K == Object {
			keys = append(keys, n.Keys[i])
		}
	}
	if v.K == Object {
		return h.object(keys, items)
	}
	return h.array(items)
}

// collect frees the nodes that those that are marked do not lead to.
func (h *Heap) collect() {
	for len(h.todo) > 0 {
		n := &h.Nodes[h.todo[len(h.todo)-1]]
		h.todo = h.todo[:len(h.todo)-1]
		if n.Next != 0 && !h.Nodes[n.Next].marked {
			h.Nodes[n.Next].marked = true
			h.todo = append(h.todo, n.Next)
		}
		h.mark(n.Items)
	}
	h.Size = 0
	small := 0
	for i := range h.Nodes {
		n := &h.Nodes[i]
		h.look(4)
		if n.marked {
			if len(n.Items) <= slabMost {
				small += len(n.Items)
			}
			n.marked = false
			h.Size += nodeSize + valueSize*len(n.Items) + keysSize(n.Keys)
			h.look(len(n.Keys))
			for j := range n.Items {
				h.Size += len(n.Items[j].S)
				h.look(1)
			}
		} else if n.Used {
			*n = Node{}
		}
	}
	h.asked = h.Size
	h.Limit = max(2*h.Size, firstGC)
	if h.slabbed > 2*small+4*slabValues {
		h.compact()
	}
	h.sweep()
}

// compact moves small containers together: a slab is there for as long as one container in it is.
func (h *Heap) compact() {
	h.slab, h.slabbed = nil, 0
	for i := range h.Nodes {
		if n := &h.Nodes[i]; len(n.Items) <= slabMost {
			n.Items = h.copyOf(n.Items)
			h.look(1 + len(n.Items))
		}
	}
}

// sweep lists the nodes that are free, the first ones last: they are taken first.
func (h *Heap) sweep() {
	h.free, h.swept = h.free[:0], true
	for i := len(h.Nodes) - 1; i > 0; i-- {
		h.look(1)
		if !h.Nodes[i].Used {
			h.free = append(h.free, int32(i))
		}
	}
}

// mark marks what values lead to.
func (h *Heap) mark(list []Value) {
	for i := range list {
		h.reach(&list[i])
	}
}

// reach marks what a value leads to, if it is a container: collect goes on from there.
func (h *Heap) reach(v *Value) {
	h.look(1)
	if v.K == Array || v.K == Object {
		if n := &h.Nodes[v.R]; !n.marked {
			n.marked = true
			h.todo = append(h.todo, v.R)
			h.look(6)
		}
	}
}
