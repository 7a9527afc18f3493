package vfs

import (
	"iter"
	"slices"

	"eryxsh/vfs/persist"
)

// What is saved part by part is asked for part by part: which inodes two
// versions of a tree do not share, and of one inode its attributes, the pieces
// of its content and its names, of which only those are looked at that changed.

// Changed lists, in order, the saved inodes that two versions of a tree do not
// share, and those whose open files differ: what else is in the trees is alike.
// The cost follows the changes if b comes from a by forks.
func Changed(a, b *FS) []Ino {
	var all []Ino
	persist.DiffVec(&a.inodes, &b.inodes, func(x, y **inode) bool { return *x == *y }, func(i int64, _, _ **inode) bool {
		all = append(all, Ino(i))
		return true
	})
	n := len(all)
	for _, held := range []*persist.Vec[uint32]{&a.held, &b.held} { // what is open says more of itself: see Record.Parent
		for i := range held.All() {
			all = append(all, Ino(i))
		}
	}
	if len(all) > n {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// Numbers yields the numbers of the saved inodes, in order.
func (f *FS) Numbers() iter.Seq[Ino] {
	return func(yield func(Ino) bool) {
		for i := range f.inodes.All() {
			if !yield(Ino(i)) {
				return
			}
		}
	}
}

// Attributes returns the record of a saved inode without its names and pieces,
// false when there is none.
func (f *FS) Attributes(ino Ino) (Record, bool) {
	p := f.inodes.At(int64(ino))
	if p == nil {
		return Record{}, false
	}
	return f.attributes(ino, *p), true
}

// ChangedPieces lists the indexes, in chunks of ChunkSize, of the stored pieces
// of a file that two versions do not share.
func ChangedPieces(a, b *FS, ino Ino) (all []int64) {
	x, y := a.contentOf(ino), b.contentOf(ino)
	if !x.head.is(y.head) {
		all = append(all, 0)
	}
	persist.DiffVec(&x.more.chunks, &y.more.chunks, func(p, q *chunk) bool { return p.is(*q) }, func(i int64, _, _ *chunk) bool {
		all = append(all, i)
		return true
	})
	return all
}

// is reports whether two chunks are the same bytes in memory.
func (c chunk) is(other chunk) bool {
	return len(c.b) == len(other.b) && (len(c.b) == 0 || &c.b[0] == &other.b[0])
}

// parts is the content of an inode; what it does without is empty.
type parts struct {
	head chunk
	more *more
}

var noMore more

func (f *FS) contentOf(ino Ino) parts {
	in := f.get(ino)
	switch {
	case in == nil:
		return parts{more: &noMore}
	case in.more == nil:
		return parts{in.head, &noMore}
	}
	return parts{in.head, in.more}
}

// Piece returns the stored bytes of a file at an index, nil where there are
// none. They must not be changed.
func (f *FS) Piece(ino Ino, index int64) []byte {
	p := f.contentOf(ino)
	if index == 0 {
		return p.head.b
	}
	if c := p.more.chunks.At(index); c != nil {
		return c.b
	}
	return nil
}

// LastPiece returns the index of the last stored piece of a file, -1 when none
// is stored.
func (f *FS) LastPiece(ino Ino) int64 {
	p := f.contentOf(ino)
	if last := p.more.chunks.Max(); last > 0 {
		return last
	}
	if len(p.head.b) > 0 {
		return 0
	}
	return -1
}

// PieceIndexes yields the indexes of the stored pieces of a file, in order.
func (f *FS) PieceIndexes(ino Ino) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		p := f.contentOf(ino)
		if len(p.head.b) > 0 && !yield(0) {
			return
		}
		for i := range p.more.chunks.All() {
			if !yield(i) {
				return
			}
		}
	}
}

// CountNames returns how many entries a directory has, whiteouts among them.
func (f *FS) CountNames(dir Ino) int { return f.contentOf(dir).more.entries.Len() }

// NamesFrom yields the entries of a directory from a name on, in byte order,
// whiteouts (number 0) among them.
func (f *FS) NamesFrom(dir Ino, name string) iter.Seq2[string, Ino] {
	return f.contentOf(dir).more.entries.From(name)
}

// Unshared returns how many of the stored bytes of b's files a has not. The cost
// follows the changes.
func Unshared(a, b *FS) (sum int64) {
	for _, ino := range Changed(a, b) {
		for _, i := range ChangedPieces(a, b, ino) {
			sum += chunkCost(i, len(b.Piece(ino, i)))
		}
	}
	return sum
}

// ChangedNames lists the names of a directory that two versions do not have
// alike, in byte order. The cost follows the changes.
func ChangedNames(a, b *FS, dir Ino) (all []string) {
	persist.DiffSorted(&a.contentOf(dir).more.entries, &b.contentOf(dir).more.entries, func(name string, _, _ *Ino) bool {
		all = append(all, name)
		return true
	})
	return all
}
