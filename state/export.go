package state

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"iter"
	"slices"
	"sync"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/shell"
	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/record"
	"eryxsh/vfs"
)

// The fixed parts of a blob.
const (
	Magic     = "ERYXSH\r\n"
	Container = 1 // version of the framing: magic, header, records, checksum
	Schema    = 4 // the newest version of what the records hold
	MinReader = 1 // the oldest schema that reads some of what this code writes: see oldest
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

// Blob is a state as bytes, in parts that have to be copied out. Bytes of files
// are not among its own: they are the tree's, so it is good until the World changes.
type Blob struct {
	Size  int
	parts [][]byte
	from  *exporter
}

// CopyTo writes the bytes to memory of the caller's, which has room for Size.
func (b *Blob) CopyTo(dst []byte) {
	for _, p := range b.parts {
		dst = dst[copy(dst, p):]
	}
}

// Bytes gives the bytes in one piece.
func (b *Blob) Bytes() []byte {
	out := make([]byte, b.Size)
	b.CopyTo(out)
	return out
}

// Release gives memory back for the next Export. The Blob is empty afterwards.
// It may be left out.
func (b *Blob) Release() {
	if e := b.from; e != nil && cap(e.first) <= keepBuffer {
		clear(e.parts)
		clear(e.chunks)
		e.saver.Reset()
		e.parts, e.buf, e.rec = e.parts[:0], nil, World{}
		exporters.Put(e)
	}
	*b = Blob{}
}

var exporters = sync.Pool{New: func() any { return &exporter{chunks: map[extent]int{}, first: make([]byte, 0, 8192)} }}

// keepBuffer bounds the buffers that are kept for the next Export.
const keepBuffer = 64 << 10

// Export gives a World as bytes. key signs with HMAC-SHA256.
func Export(w *core.World, key []byte) (Blob, error) {
	e := exporters.Get().(*exporter)
	e.buf = e.first[:0]
	if e.sum = nil; key != nil {
		e.sum = Sum(key)
	}
	img, err := e.saver.Save(w.M)
	if err != nil {
		return Blob{}, err
	}
	h := headerOf(w, img)
	h.Signed = key != nil
	e.buf = codec.AppendHeader(append(e.buf, Magic...), &h)
	for _, s := range w.Snaps {
		if s.Name == "" {
			continue
		}
		was := s.State()
		e.snapshot(was, s)
		if img, err = e.saver.Save(was.M); err == nil {
			err = e.world(was, img)
		}
		if err != nil {
			return Blob{}, err
		}
		img = nil
	}
	if img == nil { // the memory was used for a snapshot
		if img, err = e.saver.Save(w.M); err != nil {
			return Blob{}, err
		}
	}
	e.of(w)
	if err := e.world(w, img); err != nil {
		return Blob{}, err
	}
	return e.end(), nil
}

// headerOf describes a World, but for what it is saved in.
func headerOf(w *core.World, img *shell.Image) Header {
	u := w.M.FS.Usage()
	min := oldest(w)
	h := Header{Container: Container, Schema: max(schemaPlaces, min), MinReader: min, Kind: "state", Files: u.Files, Bytes: u.Bytes, Created: w.M.Clock.Now}
	if w.Going() {
		h.Kind = "run"
	}
	for _, m := range w.M.FS.Mounts() {
		if m.Host {
			h.Dropped = append(h.Dropped, "mount "+m.Path+": files of the host")
		}
	}
	for _, t := range img.Tools {
		if t.Held {
			h.Tools = append(h.Tools, t.Name)
		}
	}
	return h
}

// The schemas that brought something an older reader would miss.
const (
	schemaPlaces  = 2 // a working directory is an inode, and programs in flight keep more
	schemaMounts  = 3 // directories that something is mounted at
	schemaOverlay = 4 // overlays of a host's directories
)

// oldest is the schema a reader must know to continue a World as it is, and so the one it is written in, but for 1. One of schema 1 takes a working directory for what its path
// leads to, and does not see what programs in flight keep since; to a shell that rests where its path leads, neither matters.
func oldest(w *core.World) int {
	plain, mounts := !w.Going() && w.M.Plain(), w.M.FS.Mounts()
	for _, s := range w.Snaps {
		if s.Name != "" {
			mounts = append(mounts, s.World.M.FS.Mounts()...)
			plain = plain && !s.World.Going() && s.World.M.Plain()
		}
	}
	switch {
	case slices.ContainsFunc(mounts, func(m vfs.Mounted) bool { return m.Mode == vfs.MountOverlay || m.Host && m.Mode != vfs.MountReadOnly }):
		return schemaOverlay
	case len(mounts) > 0:
		return schemaMounts
	case plain:
		return MinReader
	}
	return schemaPlaces
}

// of fills the record that begins a world.
func (e *exporter) of(w *core.World) {
	e.rec = World{Lineage: w.Lineage, Forks: w.Forks, SnapSeq: w.SnapSeq, LogNext: w.LogNext, Log: w.Log, Kept: w.Kept, Keep: w.Keep, Config: *w.Config, Base: budgetOf(w), At: w.At}
}

// snapshot fills the record that begins the world of a snapshot.
func (e *exporter) snapshot(was *core.World, s *core.Snapshot) {
	e.of(was)
	rec := &e.rec
	rec.SnapSeq = 0 // the count goes on in the state itself
	rec.Snapshot, rec.Name, rec.Created, rec.Parent, rec.Size, rec.Command = s.ID, s.Name, s.Created, s.Parent, s.Size, s.Command
}

func budgetOf(w *core.World) *Budget {
	if l := w.BaseLimits(); l != nil {
		return &Budget{Limits: *l}
	}
	return nil
}

type exporter struct {
	sum    hash.Hash // nil: not signed, and only one part so far
	parts  [][]byte
	first  []byte // the buffer that is kept
	buf    []byte // what is written and in no part yet
	chunks map[extent]int
	rec    World
	saver  shell.Saver
}

// extent tells a chunk from others. A file that was cut may share the beginning
// of a chunk that a snapshot has whole, so where it begins is not enough.
type extent struct {
	first *byte
	size  int
}

// lend adds bytes that stay where they are.
func (e *exporter) lend(b []byte) {
	e.flush()
	e.sum.Write(b)
	e.parts = append(e.parts, b)
}

// flush makes a part of what is written.
func (e *exporter) flush() {
	if e.sum == nil {
		e.sum = Sum(nil)
	}
	if len(e.buf) > 0 {
		e.sum.Write(e.buf)
		e.parts = append(e.parts, e.buf)
		if e.buf = e.buf[len(e.buf):]; cap(e.buf) < 1024 {
			e.buf = make([]byte, 0, 1<<15)
		}
	}
}

// end adds the sum.
func (e *exporter) end() Blob {
	if e.sum == nil && len(e.parts) == 0 { // most blobs are of one part
		sum := sha256.Sum256(e.buf)
		e.buf = append(e.buf, sum[:]...)
		if cap(e.buf) > cap(e.first) {
			e.first = e.buf
		}
		e.parts = append(e.parts, e.buf)
	} else {
		e.flush()
		e.parts = append(e.parts, e.sum.Sum(nil))
	}
	b := Blob{parts: e.parts, from: e}
	for _, p := range b.parts {
		b.Size += len(p)
	}
	return b
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
		e.buf = append(e.buf, b...)
	}
	return n
}

func (e *exporter) world(w *core.World, img *shell.Image) error {
	e.record(RecWorld)
	e.buf = codec.AppendWorld(e.buf, &e.rec)
	e.record(RecTree)
	e.buf = codec.AppendTree(e.buf, &Tree{Next: w.M.FS.NextIno()})
	e.tree(w.M.FS)
	return e.machine(img)
}

// machine adds the records of a machine and the end of its world.
func (e *exporter) machine(img *shell.Image) error {
	e.record(RecMachine)
	e.buf = codec.AppendImage(e.buf, img)
	for i := range img.Procs {
		p := &img.Procs[i]
		for j := range p.Frames {
			f := &p.Frames[j]
			if f.Prog != nil {
				data, err := encMode.Marshal(f.Prog)
				if err != nil {
					return fault.New(fault.NotSuspendable, "export", f.Live.X.Util.Name, "%s", err)
				}
				f.Data = data
			}
		}
		e.record(RecProcess)
		e.buf = codec.AppendProcess(e.buf, p)
	}
	e.record(RecEnd)
	e.buf = codec.AppendCount(e.buf, len(img.Procs))
	return nil
}

// opening is the beginning of a tree as it is written at the beginning of a blob.
type opening struct {
	data   []byte
	chunks []extent
}

// tree adds the inodes. What many sandboxes have in common, the files they all
// begin with, is made into bytes once.
func (e *exporter) tree(fs *vfs.FS) {
	h, shared := fs.Head()
	if !shared || len(e.chunks) > 0 {
		e.inodes(fs.Records())
		return
	}
	if found, ok := h.Kept().(*opening); ok {
		e.buf = append(e.buf, found.data...)
		for i, at := range found.chunks {
			e.chunks[at] = i + 1
		}
	} else {
		parts, from := len(e.parts), len(e.buf)
		e.inodes(func(yield func(vfs.Record) bool) {
			for r := range fs.Records() {
				if r.Ino >= vfs.HeadEnd || !yield(r) {
					return
				}
			}
		})
		if len(e.parts) == parts && len(e.buf)-from <= headMost {
			made := &opening{data: bytes.Clone(e.buf[from:]), chunks: make([]extent, len(e.chunks))}
			for at, n := range e.chunks {
				made.chunks[n-1] = at
			}
			h.Keep(made)
		}
	}
	e.inodes(fs.RecordsFrom(vfs.HeadEnd))
}

// headMost bounds the bytes that are kept for the beginning of a tree.
const headMost = 4096

func (e *exporter) inodes(records iter.Seq[vfs.Record]) {
	for r := range records {
		ino := Inode{Record: r}
		if len(r.Pieces) > 0 {
			ino.Chunks = make([]ChunkRef, len(r.Pieces))
		}
		for i, p := range r.Pieces {
			ino.Chunks[i] = ChunkRef{Index: p.Index, Chunk: e.chunk(p.Data)}
		}
		ino.Record.Pieces = nil
		e.record(RecInode)
		e.buf = codec.AppendInode(e.buf, &ino)
	}
}
