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
	return &Reader{importer{schema: schema, loader: l, limits: lim, memory: ledger{RecordCost(lim)}}}
}

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
	if of, err = im.placed(w); err != nil {
		return nil, nil, err
	}
	return w, of, nil
}

// placed gives the snapshot whose World was read, to be one of the state's; nil for the state itself, which has those that
// were read before it.
func (im *importer) placed(w *core.World) (*core.Snapshot, error) {
	rec := &im.begun
	if rec.Snapshot == "" {
		w.Snaps = im.snaps
		w.SnapSeq = max(rec.SnapSeq, int64(len(im.snaps)))
		return nil, nil
	}
	if len(im.snaps) > maxSnapshots {
		return nil, bad("too many snapshots")
	}
	of := &core.Snapshot{ID: rec.Snapshot, Name: rec.Name, Created: rec.Created, Parent: rec.Parent, Size: rec.Size, Command: rec.Command, World: w}
	im.snaps = append(im.snaps, of)
	return of, nil
}

// maxSnapshots bounds the snapshots of one state.
const maxSnapshots = 1 << 16
