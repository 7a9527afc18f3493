package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/record"
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

// The records of a blob that are not a machine's own.
type (
	Header   = record.Header
	World    = record.World
	Tree     = record.Tree
	Inode    = record.Inode
	ChunkRef = record.ChunkRef
	Budget   = record.Budget
)

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
	e.buf = codec.AppendHeader(e.buf, &h)
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
	return append(e.parts, e.sum.Sum(nil)), nil
}

func worldRecord(w *core.World) World {
	c := *w.Config
	c.Files = nil // they are in the tree
	return World{Lineage: w.Lineage, Forks: w.Forks, SnapSeq: w.SnapSeq, LogNext: w.LogNext, Log: w.Log, Kept: w.Kept, Keep: w.Keep, Config: c, Base: budgetOf(w)}
}

func budgetOf(w *core.World) *Budget {
	if l := w.BaseLimits(); l != nil {
		return &Budget{Limits: *l}
	}
	return nil
}

type exporter struct {
	sum    hash.Hash
	parts  [][]byte
	buf    []byte
	chunks map[extent]int
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

// record begins a record.
func (e *exporter) record(kind byte) { e.buf = append(e.buf, 0x82, kind) }

// lendFrom is the size from which a chunk is lent and not copied.
const lendFrom = 2048

func (e *exporter) chunk(b []byte) int {
	at := extent{&b[0], len(b)}
	if n := e.chunks[at]; n > 0 {
		return n
	}
	n := len(e.chunks) + 1
	e.chunks[at] = n
	e.record(RecChunk)
	e.buf = codec.AppendSize(e.buf, len(b))
	if len(b) >= lendFrom {
		e.lend(b)
	} else {
		e.write(b)
	}
	return n
}

func (e *exporter) world(w *core.World, rec World) error {
	img, err := w.M.Save()
	if err != nil {
		return err
	}
	e.record(RecWorld)
	e.buf = codec.AppendWorld(e.buf, &rec)
	e.record(RecTree)
	e.buf = codec.AppendTree(e.buf, &Tree{Next: w.M.FS.NextIno()})
	for r := range w.M.FS.Records() {
		ino := Inode{Record: r}
		for _, p := range r.Pieces {
			ino.Chunks = append(ino.Chunks, ChunkRef{Index: p.Index, Chunk: e.chunk(p.Data)})
		}
		ino.Record.Pieces = nil
		e.record(RecInode)
		e.buf = codec.AppendInode(e.buf, &ino)
	}
	e.record(RecMachine)
	e.buf = codec.AppendImage(e.buf, img)
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
		e.record(RecProcess)
		e.buf = codec.AppendProcess(e.buf, p)
	}
	e.record(RecEnd)
	e.buf = codec.AppendCount(e.buf, len(img.Procs))
	return nil
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
