package record

import "eryxsh/vfs"

// The records of a store. Ids are SHA-256 sums of 32 bytes.

// File is an inode in a page of a store.
type File struct {
	Record vfs.Record `cbor:"1,keyasint"`           // Names only where there are few, Pieces never
	Data   []byte     `cbor:"2,keyasint,omitempty"` // the first chunk of a file, where that is all and small
	Chunk  []byte     `cbor:"3,keyasint,omitempty"` // id of the first chunk, where that is all
	Tree   []byte     `cbor:"4,keyasint,omitempty"` // id of the tree of a file's chunks or of a directory's names
	Levels int        `cbor:"5,keyasint,omitempty"` // of branches in that tree
}

// Commit is a saved state in its history.
type Commit struct {
	Header  Header   `cbor:"1,keyasint"`
	Parents [][]byte `cbor:"2,keyasint,omitempty"` // ids of commits, the one it was made from first
	Time    int64    `cbor:"3,keyasint,omitempty"` // of the host that saved, ns since 1970
	Command string   `cbor:"4,keyasint,omitempty"` // the last one before
	Note    string   `cbor:"5,keyasint,omitempty"` // for people
	Worlds  []Root   `cbor:"6,keyasint"`           // named snapshots, oldest first, then the state itself
}

// Root says where a world's files and its machine are.
type Root struct {
	Tree    []byte  `cbor:"1,keyasint"` // id of the tree of pages
	Levels  int     `cbor:"2,keyasint,omitempty"`
	Next    vfs.Ino `cbor:"3,keyasint"`
	Machine []byte  `cbor:"4,keyasint"` // id of the list of the parts of its records
}

// Ref is what a name of a store stands for: a commit, and the packs that have
// whatever leads from it.
type Ref struct {
	Format int       `cbor:"1,keyasint"`
	Commit []byte    `cbor:"2,keyasint"`
	Packs  []PackRef `cbor:"3,keyasint,omitempty"`
	Time   int64     `cbor:"4,keyasint,omitempty"` // when it was written, ns since 1970 on the host that did
	Cut    [][]byte  `cbor:"5,keyasint,omitempty"` // ids of commits whose parents are forgotten
}

// PackRef names a pack.
type PackRef struct {
	_       struct{} `cbor:",toarray"`
	ID      []byte
	Size    int64 // bytes
	Objects int
}
