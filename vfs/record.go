package vfs

import (
	"iter"

	"eryxsh/vfs/persist"
)

// Record is one saved inode as plain data. Fields that its kind does not have
// are zero.
type Record struct {
	Ino    Ino     `cbor:"1,keyasint,omitempty"`
	Mode   Mode    `cbor:"2,keyasint,omitempty"`
	Nlink  uint32  `cbor:"3,keyasint,omitempty"` // names; 0 for a directory, where it follows from the tree
	UID    uint32  `cbor:"4,keyasint,omitempty"`
	GID    uint32  `cbor:"5,keyasint,omitempty"`
	Atime  int64   `cbor:"6,keyasint,omitempty"`
	Mtime  int64   `cbor:"7,keyasint,omitempty"`
	Ctime  int64   `cbor:"8,keyasint,omitempty"`
	Size   int64   `cbor:"9,keyasint,omitempty"`  // logical, of a regular file
	Target string  `cbor:"10,keyasint,omitempty"` // of a symbolic link
	Fifo   uint64  `cbor:"11,keyasint,omitempty"` // see FS.Fifo
	Names  []Entry `cbor:"12,keyasint,omitempty"` // of a directory, in byte order
	Pieces []Piece `cbor:"13,keyasint,omitempty"` // of a regular file, in order; holes are absent
	Held   uint32  `cbor:"14,keyasint,omitempty"` // open files
	Bins   bool    `cbor:"15,keyasint,omitempty"` // the directory over the generated names of /usr/bin
	Parent Ino     `cbor:"16,keyasint,omitempty"` // with Hint, the name FS.Path gives a file that has several; of a removed directory ".."
	Hint   string  `cbor:"17,keyasint,omitempty"`
	Top    *Mount  `cbor:"18,keyasint,omitempty"` // of the root of a mount
	Lower  string  `cbor:"19,keyasint,omitempty"` // of what an overlay has from a host: its path there, below the mount
	Of     uint32  `cbor:"20,keyasint,omitempty"` // of that where it has no name any more: the mount
}

// Entry is one name in a Record.
type Entry struct {
	Name string `cbor:"1,keyasint,omitempty"`
	Ino  Ino    `cbor:"2,keyasint,omitempty"` // 0: a whiteout over a generated name
}

// Piece is one stored chunk in a Record.
type Piece struct {
	Index int64  `cbor:"1,keyasint,omitempty"` // in chunks of ChunkSize
	Data  []byte `cbor:"2,keyasint,omitempty"` // shared with the tree: not to be changed
}

// Records yields every saved inode in number order. The bytes of the pieces are
// not copied. The tree must not be written to while the loop goes on, nor while
// a record is kept; a fork may be walked instead.
func (f *FS) Records() iter.Seq[Record] { return f.RecordsFrom(0) }

// Head is the beginning of a tree, the records below number HeadEnd, when it is
// one that forks have in common and nobody will change.
type Head struct {
	leaf persist.Leaf[*inode]
	bin  Ino
}

// HeadEnd is the first number behind a Head.
const HeadEnd = 32

// kept is what somebody made of a Head.
type kept struct {
	bin Ino
	of  any
}

// Head returns the beginning of the tree; ok is false where it may still
// change, or has an open file.
func (f *FS) Head() (h Head, ok bool) {
	if held, any := f.held.Next(0); any && held < HeadEnd {
		return h, false
	}
	leaf, ok := f.inodes.Frozen(f.epoch)
	return Head{leaf, f.bin}, ok
}

// Kept returns what was kept for the same beginning of any tree, nil if nothing.
func (h Head) Kept() any {
	if k, ok := h.leaf.Kept().(kept); ok && k.bin == h.bin {
		return k.of
	}
	return nil
}

// Keep keeps something that follows from the records, to be found by any tree
// that begins with them. It must not change any more.
func (h Head) Keep(x any) { h.leaf.Keep(kept{h.bin, x}) }

// RecordsFrom is Records from a number on.
func (f *FS) RecordsFrom(first Ino) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for ino, in := range f.inodes.From(int64(first)) {
			if !yield(f.record(Ino(ino), in)) {
				return
			}
		}
	}
}

// RecordOf returns the record of one saved inode, false when there is none.
func (f *FS) RecordOf(ino Ino) (Record, bool) {
	p := f.inodes.At(int64(ino))
	if p == nil {
		return Record{}, false
	}
	return f.record(ino, *p), true
}

func (f *FS) record(ino Ino, in *inode) Record {
	r := f.attributes(ino, in)
	switch in.mode & TypeMask {
	case TypeDir:
		if n := in.more.entries.Len(); n > 0 {
			r.Names = make([]Entry, 0, n)
		}
		for name, at := range in.more.entries.All() {
			r.Names = append(r.Names, Entry{name, at})
		}
	case TypeFile:
		r.Pieces = in.pieces()
	}
	return r
}

// attributes is record without names and pieces.
func (f *FS) attributes(ino Ino, in *inode) Record {
	r := Record{Ino: ino, Mode: in.mode, UID: in.uid, GID: in.gid, Atime: in.atime, Mtime: in.mtime, Ctime: in.ctime}
	r.Held, _ = f.held.Get(int64(ino))
	if in.more != nil && in.more.path != "." {
		if r.Lower = in.more.path; in.nlink == 0 {
			r.Of = in.mount
		}
	}
	if in.mode.IsDir() {
		r.Bins, r.Top = ino == f.bin, f.savedTop(in)
		if in.nlink == 0 {
			r.Parent = in.parent
		}
		return r
	}
	r.Nlink = in.nlink
	if in.nlink > 1 {
		r.Parent, r.Hint = in.parent, in.name
	}
	switch in.mode & TypeMask {
	case TypeLink:
		r.Target = in.target()
	case TypeFifo:
		r.Fifo = f.Fifo(ino)
	case TypeFile:
		r.Size = in.size
	}
	return r
}

// savedTop is what is mounted at a directory, with what is saved of an overlay.
func (f *FS) savedTop(in *inode) *Mount {
	if in.more.top == nil || in.more.top.Mode != MountOverlay {
		return in.more.top
	}
	m := *in.more.top
	for _, b := range f.layer(m.ID).bases.All() {
		m.Bases = append(m.Bases, *b)
	}
	return &m
}

// pieces returns the stored chunks of a file.
func (in *inode) pieces() (all []Piece) {
	n := 0
	if in.more != nil {
		n = in.more.chunks.Len()
	}
	if len(in.head.b) > 0 {
		all = append(make([]Piece, 0, n+1), Piece{0, in.head.b})
	}
	if n > 0 {
		for i, c := range in.more.chunks.All() {
			all = append(all, Piece{i, c.b})
		}
	}
	return all
}
