// Package record has the records of a blob that are not a machine's own. They
// are apart from package state so that what generates their codec can be built
// when the generated code cannot.
package record

import (
	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

// Header begins a blob.
type Header struct {
	Container int      `cbor:"1,keyasint"`
	Schema    int      `cbor:"2,keyasint"`
	MinReader int      `cbor:"3,keyasint"`
	Kind      string   `cbor:"4,keyasint"` // "state", or "run" when a script is suspended in it
	Signed    bool     `cbor:"5,keyasint,omitempty"`
	Tools     []string `cbor:"6,keyasint,omitempty"` // names that held a callable
	Dropped   []string `cbor:"7,keyasint,omitempty"` // what did not travel
	Files     int64    `cbor:"8,keyasint,omitempty"`
	Bytes     int64    `cbor:"9,keyasint,omitempty"` // stored in files
	Features  []string `cbor:"10,keyasint,omitempty"`
	Created   int64    `cbor:"11,keyasint,omitempty"` // ns since 1970 on the world's clock
}

// World is the record that begins a world.
type World struct {
	Snapshot string        `cbor:"1,keyasint,omitempty"` // id; empty for the state itself
	Name     string        `cbor:"2,keyasint,omitempty"`
	Created  int64         `cbor:"3,keyasint,omitempty"`
	Parent   string        `cbor:"4,keyasint,omitempty"`
	Size     int64         `cbor:"5,keyasint,omitempty"`
	Command  string        `cbor:"6,keyasint,omitempty"`
	Lineage  uint64        `cbor:"7,keyasint,omitempty"`
	Forks    uint64        `cbor:"8,keyasint,omitempty"`
	SnapSeq  int64         `cbor:"9,keyasint,omitempty"`
	LogNext  int           `cbor:"10,keyasint,omitempty"`
	Log      []core.Entry  `cbor:"11,keyasint,omitempty"`
	Kept     []shell.Chunk `cbor:"12,keyasint,omitempty"`
	Keep     bool          `cbor:"13,keyasint,omitempty"`
	Config   core.Config   `cbor:"14,keyasint"`
	Base     *Budget       `cbor:"15,keyasint,omitempty"`
	At       string        `cbor:"16,keyasint,omitempty"` // id of the snapshot the state comes from
}

// Budget is what a run's own limits replaced, to be put back at its end.
type Budget struct {
	Limits limit.Limits `cbor:"1,keyasint"`
}

// Tree is the record of a file system's counters.
type Tree struct {
	Next vfs.Ino `cbor:"1,keyasint"`
}

// Inode is the record of an inode: its pieces refer to chunks by number.
type Inode struct {
	Record vfs.Record `cbor:"1,keyasint"`
	Chunks []ChunkRef `cbor:"2,keyasint,omitempty"`
}

// ChunkRef says which chunk stands at an index of a file.
type ChunkRef struct {
	_     struct{} `cbor:",toarray"`
	Index int64
	Chunk int
}
