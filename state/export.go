package state

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

// The fixed parts of a blob.
const (
	Magic     = "ERYXSH\r\n"
	Container = 1 // version of the framing: magic, header, records, checksum
	Schema    = 1 // version of what the records hold
	MinReader = 1 // the oldest schema a reader must know to read what this code writes
	sumSize   = sha256.Size
)

// Kinds of records. Numbers are saved: append only.
const (
	RecChunk   = 1 // bytes of files, numbered from 1 as they come
	RecWorld   = 2 // begins a world: the state itself, or a snapshot
	RecTree    = 3 // the counters of its file system
	RecInode   = 4
	RecMachine = 5
	RecProcess = 6
	RecEnd     = 7 // ends the world
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

// Export gives a World as the parts of one blob, to be written one after the
// other. Bytes of files are not copied: they are the tree's own and must be
// written before the World changes. key signs with HMAC-SHA256.
func Export(w *core.World, key []byte) ([][]byte, error) {
	e := &exporter{chunks: map[extent]int{}, buf: make([]byte, 0, 8192)}
	if key != nil {
		e.sum = hmac.New(sha256.New, key)
	} else {
		e.sum = sha256.New()
	}
	u := w.M.FS.Usage()
	h := Header{Container: Container, Schema: Schema, MinReader: MinReader, Kind: "state", Signed: key != nil, Files: u.Files, Bytes: u.Bytes}
	if w.M.Run.Active {
		h.Kind = "run"
	}
	for name, t := range w.M.Tools.Sorted() {
		if t.Held {
			h.Tools = append(h.Tools, name)
		}
	}
	e.write([]byte(Magic))
	e.value(h)
	for _, s := range w.Snaps {
		if s.Name == "" {
			continue
		}
		rec := worldRecord(s.World)
		rec.SnapSeq = 0 // the count goes on in the state itself
		rec.Snapshot, rec.Name, rec.Created, rec.Parent, rec.Size, rec.Command = s.ID, s.Name, s.Created, s.Parent, s.Size, s.Command
		if err := e.world(s.World, rec); err != nil {
			return nil, err
		}
	}
	if err := e.world(w, worldRecord(w)); err != nil {
		return nil, err
	}
	e.flush()
	return append(e.parts, e.sum.Sum(nil)), e.err
}

func worldRecord(w *core.World) World {
	c := *w.Config
	c.Files = nil // they are in the tree
	return World{Lineage: w.Lineage, Forks: w.Forks, SnapSeq: w.SnapSeq, LogNext: w.LogNext, Log: w.Log, Kept: w.Kept, Keep: w.Keep, Config: c, Base: budgetOf(w)}
}

type exporter struct {
	sum    hash.Hash
	parts  [][]byte
	buf    []byte
	chunks map[extent]int
	coded  bytes.Buffer // what the general codec has written
	err    error
}

// extent tells a chunk from others. A file that was cut may share the beginning
// of a chunk that a snapshot has whole, so where it begins is not enough.
type extent struct {
	first *byte
	size  int
}

// write adds bytes of our own.
func (e *exporter) write(b []byte) { e.buf = append(e.buf, b...) }

// lend adds bytes that stay where they are.
func (e *exporter) lend(b []byte) {
	e.flush()
	e.sum.Write(b)
	e.parts = append(e.parts, b)
}

func (e *exporter) flush() {
	if len(e.buf) > 0 {
		e.sum.Write(e.buf)
		e.parts = append(e.parts, e.buf)
		if e.buf = e.buf[len(e.buf):]; cap(e.buf) < 1024 {
			e.buf = make([]byte, 0, 1<<15)
		}
	}
}

func (e *exporter) value(x any) {
	e.coded.Reset()
	if err := encMode.MarshalToBuffer(x, &e.coded); err != nil && e.err == nil {
		e.err = fault.New(fault.State, "export", "", "%s", err)
	}
	e.write(e.coded.Bytes())
}

// record adds an array of a record's kind and its body.
func (e *exporter) record(kind int, body any) {
	e.write([]byte{0x82, byte(kind)})
	e.value(body)
}

// lendFrom is the size from which a chunk is lent and not copied.
const lendFrom = 2048

func (e *exporter) chunk(b []byte) int {
	at := extent{&b[0], len(b)}
	if n := e.chunks[at]; n > 0 {
		return n
	}
	n := len(e.chunks) + 1
	e.chunks[at] = n
	e.write([]byte{0x82, RecChunk})
	e.write(byteHead(len(b)))
	if len(b) >= lendFrom {
		e.lend(b)
	} else {
		e.write(b)
	}
	return n
}

// byteHead is the head of a CBOR byte string.
func byteHead(n int) []byte {
	switch {
	case n < 24:
		return []byte{0x40 | byte(n)}
	case n < 1<<8:
		return []byte{0x58, byte(n)}
	case n < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{0x59}, uint16(n))
	}
	return binary.BigEndian.AppendUint32([]byte{0x5a}, uint32(n))
}

func (e *exporter) world(w *core.World, rec World) error {
	img, err := w.M.Save()
	if err != nil {
		return err
	}
	e.record(RecWorld, rec)
	e.record(RecTree, Tree{Next: w.M.FS.NextIno()})
	for r := range w.M.FS.Records() {
		ino := Inode{Record: r}
		for _, p := range r.Pieces {
			ino.Chunks = append(ino.Chunks, ChunkRef{Index: p.Index, Chunk: e.chunk(p.Data)})
		}
		ino.Record.Pieces = nil
		e.buf = appendInode(append(e.buf, 0x82, RecInode), &ino)
	}
	e.record(RecMachine, img)
	for i := range img.Procs {
		p := &img.Procs[i]
		for j := range p.Frames {
			if prog := p.Frames[j].Prog; prog != nil {
				data, err := encMode.Marshal(prog)
				if err != nil {
					return fault.New(fault.NotSuspendable, "export", p.Frames[j].Frame.X.Util.Name, "%s", err)
				}
				p.Frames[j].Data = data
			}
		}
		e.process(p)
	}
	e.record(RecEnd, len(img.Procs))
	return e.err
}

// process adds a process's record.
func (e *exporter) process(p *shell.ProcRecord) {
	members := []struct {
		key   byte
		have  bool
		value any
	}{{1, true, p.Process}, {2, true, p.Shell}, {3, len(p.Vars) > 0, nil}, {4, len(p.Funcs) > 0, p.Funcs}, {5, len(p.Aliases) > 0, p.Aliases},
		{6, len(p.Hashed) > 0, p.Hashed}, {7, len(p.Frames) > 0, p.Frames}, {8, len(p.Gone) > 0, p.Gone}}
	n := byte(0)
	for _, m := range members {
		if m.have {
			n++
		}
	}
	e.write([]byte{0x82, RecProcess, 0xa0 | n})
	for _, m := range members {
		switch {
		case !m.have:
		case m.key == 3:
			e.buf = appendVars(append(e.buf, m.key), p.Vars)
		default:
			e.write([]byte{m.key})
			e.value(m.value)
		}
	}
}

// Join makes one slice of a blob's parts.
func Join(parts [][]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make([]byte, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
