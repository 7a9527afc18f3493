package store

import (
	"encoding/binary"
	"slices"

	"eryxsh/state/internal/codec"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// node is an object of a tree as it was saved.
type node struct {
	id    ID
	depth uint8 // of deltas: see packer.add
}

// radix is what is known of a tree of objects over numbers: levels[0] are its
// leaves, each level above has a branch for 32 numbers of the one below, the
// last has the root alone, at 0. Its shape follows from the numbers.
type radix struct {
	levels []persist.Vec[node]
}

const (
	radixBits = 5
	fan       = 1 << radixBits
)

// copied gives a tree to be changed under an epoch of its own.
func (t *radix) copied() *radix {
	if t == nil {
		return &radix{make([]persist.Vec[node], 1)}
	}
	return &radix{slices.Clone(t.levels)}
}

// root gives the root and how many levels of branches there are; ok is false
// when the tree is empty.
func (t *radix) root() (id ID, branches int, ok bool) {
	top := len(t.levels) - 1
	n := t.levels[top].At(0)
	if n == nil {
		return id, 0, false
	}
	return n.id, top, true
}

// leaf sets a leaf or, if id is nil, takes it away.
func (t *radix) leaf(ep persist.Epoch, i int64, n *node) {
	if n == nil {
		t.levels[0].Delete(ep, i)
	} else {
		t.levels[0].Set(ep, i, *n)
	}
}

// branch gives the body of branch i of a level, nil when it has no children.
func (t *radix) branch(level int, i int64) []byte {
	if t == nil || level >= len(t.levels) {
		return nil
	}
	body := make([]byte, 4, 4+fan*len(ID{}))
	var have uint32
	for at, n := range t.levels[level-1].From(i << radixBits) {
		if at>>radixBits != i {
			break
		}
		have |= 1 << (at & (fan - 1))
		body = append(body, n.id[:]...)
	}
	if have == 0 {
		return nil
	}
	binary.BigEndian.PutUint32(body, have)
	return body
}

// rise makes the branches above leaves that changed, in order. was is the tree
// before, nil if there was none.
func (t *radix) rise(ep persist.Epoch, changed []int64, was *radix, k *packer) {
	for level := 0; ; level++ {
		if t.levels[level].Max() <= 0 {
			t.levels = t.levels[:level+1]
			return
		}
		if level+1 == len(t.levels) { // the tree grows: all below gets a branch
			t.levels = append(t.levels, persist.Vec[node]{})
			changed = changed[:0]
			for i := range t.levels[level].All() {
				changed = append(changed, i)
			}
		}
		up := parents(changed)
		for _, i := range up {
			t.renew(ep, level+1, i, was, k)
		}
		changed = up
	}
}

func parents(of []int64) (up []int64) {
	for _, i := range of {
		if p := i >> radixBits; len(up) == 0 || up[len(up)-1] != p {
			up = append(up, p)
		}
	}
	return up
}

func (t *radix) renew(ep persist.Epoch, level int, i int64, was *radix, k *packer) {
	body := t.branch(level, i)
	if body == nil {
		t.levels[level].Delete(ep, i)
		return
	}
	id := sum(KindBranch, body)
	var base *former
	if old := t.levels[level].At(i); old != nil {
		if old.id == id {
			return
		}
		base = &former{old.id, old.depth, func() []byte { return was.branch(level, i) }}
	}
	t.levels[level].Set(ep, i, node{id, k.add(KindBranch, id, body, base)})
}

// names is what is known of the tree of a large directory's names. levels[0]
// has its parts by their first names, each level above lists of those below;
// the last has the root alone. The first of each level is at "", any other
// begins at a name whose hash says so: where a part is cut depends on nothing
// but the name, so a change moves no cut elsewhere.
type names struct {
	levels []persist.Sorted[node]
}

const (
	nameBits  = 6  // of 64 names one begins a part
	fewNames  = 32 // up to here they are in the inode's record
	hashSpare = 60 // bits that are of use
)

// begins reports whether a name begins a part of a level.
func begins(name string, level int) bool {
	bits := min(nameBits*(level+1), hashSpare)
	return name == "" || persist.Hash(name)&(1<<bits-1) == 0
}

func (t *names) copied() *names {
	if t == nil {
		return &names{make([]persist.Sorted[node], 1)}
	}
	return &names{slices.Clone(t.levels)}
}

func (t *names) root() (id ID, lists int) {
	top := len(t.levels) - 1
	n, _ := t.levels[top].Get("")
	return n.id, top
}

// directory is where the names are that a tree is of.
type directory struct {
	fs  *vfs.FS
	ino vfs.Ino
}

// has reports whether a level has a name for the one above to begin at.
func (t *names) has(d directory, level int, name string) bool {
	if level < 0 {
		for at := range d.fs.NamesFrom(d.ino, name) {
			return at == name
		}
		return false
	}
	_, ok := t.levels[level].Get(name)
	return ok
}

// body gives the body of what begins at a name on a level.
func (t *names) body(d directory, level int, from string) (body []byte) {
	to, more := "", false
	for to = range t.levels[level].After(from) {
		more = true
		break
	}
	if level == 0 {
		for name, ino := range d.fs.NamesFrom(d.ino, from) {
			if more && name >= to {
				break
			}
			body = codec.AppendName(body, &vfs.Entry{Name: name, Ino: ino})
		}
		return body
	}
	for name, n := range t.levels[level-1].From(from) {
		if more && name >= to {
			break
		}
		body = append(body, n.id[:]...)
	}
	return body
}

// rise brings the tree up to date with names that came, went or lead elsewhere,
// in order. was is the tree before, of the directory before; nil if there was
// none, and then the names are all there are.
func (t *names) rise(ep persist.Epoch, d directory, changed []string, was *names, before directory, k *packer) {
	for level := 0; ; level++ {
		if level == len(t.levels) { // the tree grows: all below is new to it
			t.levels = append(t.levels, persist.Sorted[node]{})
			changed = changed[:0]
			for name := range t.levels[level-1].All() {
				changed = append(changed, name)
			}
		}
		old := was
		if was != nil && level >= len(was.levels) {
			old = nil
		}
		changed = t.renew(ep, d, level, changed, old, before, k)
		if t.levels[level].Len() <= 1 {
			t.levels = t.levels[:level+1]
			return
		}
	}
}

// renew brings one level up to date and returns the names where it changed.
func (t *names) renew(ep persist.Epoch, d directory, level int, changed []string, was *names, before directory, k *packer) (next []string) {
	at := &t.levels[level]
	if _, ok := at.Get(""); !ok {
		at.Set(ep, "", node{})
	}
	dirty := map[string]bool{"": at.Len() == 1}
	for _, name := range changed { // first where parts begin and end
		if name == "" || !begins(name, level) {
			continue
		}
		if _, is := at.Get(name); is == t.has(d, level-1, name) {
			continue
		} else if is {
			at.Delete(ep, name)
			next = append(next, name)
		} else {
			at.Set(ep, name, node{})
			dirty[name] = true
		}
		up, _ := at.Below(name)
		dirty[up] = true
	}
	for _, name := range changed {
		if _, is := at.Get(name); is {
			dirty[name] = true
		} else {
			up, _ := at.Below(name)
			dirty[up] = true
		}
	}
	kind := KindNames
	if level > 0 {
		kind = KindList
	}
	for name, is := range dirty {
		if _, there := at.Get(name); !is || !there {
			continue
		}
		next = append(next, name)
	}
	slices.Sort(next)
	for _, name := range next {
		now, there := at.Get(name)
		if !there {
			continue
		}
		body := t.body(d, level, name)
		id := sum(kind, body)
		if id == now.id {
			continue
		}
		var base *former
		if now.id != (ID{}) && was != nil {
			base = &former{now.id, now.depth, func() []byte { return was.body(before, level, name) }}
		}
		at.Set(ep, name, node{id, k.add(kind, id, body, base)})
	}
	return next
}
