package state

import (
	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/state/internal/codec"
	"eryxsh/vfs"
)

// Machine gives a World without its files, as the records a blob has of it:
// World, Machine, Process* and End. A snapshot's World comes with the snapshot,
// any other with nil. The Header describes it.
func Machine(w *core.World, of *core.Snapshot) ([]byte, Header, error) {
	e := exporters.Get().(*exporter)
	e.buf = make([]byte, 0, 4096)
	img, err := e.saver.Save(w.M)
	if err != nil {
		return nil, Header{}, err
	}
	h := headerOf(w, img)
	if of != nil {
		e.snapshot(w, of)
	} else {
		e.of(w)
	}
	e.record(RecWorld)
	e.buf = codec.AppendWorld(e.buf, &e.rec)
	if err := e.machine(img); err != nil {
		return nil, Header{}, err
	}
	out := e.buf
	b := Blob{from: e}
	b.Release()
	return out, h, nil
}

// Reader reads the worlds of one saved state from the parts that Machine gave
// and their files. What it takes for all of them together is bounded as it is
// for one blob.
type Reader struct {
	im importer
}

// Reader begins the reading of a state that a writer of the schema saved.
func (l *Loader) Reader(schema int, lim limit.Limits) *Reader {
	return &Reader{importer{schema: schema, loader: l, limits: lim, memory: ledger{worldCost(lim)}}}
}

// Stored counts bytes of files that are about to be read. The error is a Quota
// fault.
func (r *Reader) Stored(n int64) error { return r.im.store(n) }

// World reads one World; of a snapshot's, which come before the state itself,
// the snapshot is given as well. Errors are those of Loader.Import.
func (r *Reader) World(machine []byte, fs *vfs.FS) (w *core.World, of *core.Snapshot, err error) {
	defer func() {
		if x := recover(); x != nil { // a check that is missing must not take the host down
			w, of, err = nil, nil, fault.New(fault.Panic, "load", "", "%v", x)
		}
	}()
	im := &r.im
	im.rest, im.begun = machine, World{}
	if err := im.expect(RecWorld, &im.begun, "world"); err != nil {
		return nil, nil, err
	}
	if kind, err := im.next(); err != nil || kind != RecMachine {
		return nil, nil, bad("machine expected")
	}
	if w, err = im.machine(fs); err != nil {
		return nil, nil, err
	}
	if len(im.rest) > 0 {
		return nil, nil, bad("%d bytes after the state", len(im.rest))
	}
	if of = im.snapshot(w); of != nil {
		im.snaps = append(im.snaps, of)
		return w, of, nil
	}
	im.finish(w)
	return w, nil, nil
}

// snapshot makes the snapshot whose World was read, nil for the state itself.
func (im *importer) snapshot(w *core.World) *core.Snapshot {
	rec := &im.begun
	if rec.Snapshot == "" {
		return nil
	}
	return &core.Snapshot{ID: rec.Snapshot, Name: rec.Name, Created: rec.Created, Parent: rec.Parent, Size: rec.Size, Command: rec.Command, World: w}
}

// finish gives the state itself the snapshots that were read before it.
func (im *importer) finish(w *core.World) {
	w.Snaps = im.snaps
	w.SnapSeq = max(im.begun.SnapSeq, int64(len(im.snaps)))
}

// maxSnapshots bounds the snapshots of one state.
const maxSnapshots = 1 << 16

// Generated is the part of every tree that is never saved.
func Generated() *vfs.Generated { return core.Generated() }
