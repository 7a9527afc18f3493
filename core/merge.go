package core

import (
	"errors"

	"eryxsh/core/compare"
	"eryxsh/core/fault"
	"eryxsh/core/merge"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

// Merge brings in what theirs changed since base, a state that both come from.
// ask decides conflicts; they are returned in the order they were met. If it
// leaves one, nothing has changed and done is nil; else done says what has.
// Undo takes a merge back in one step. While a run is going it is a Busy fault.
func (w *World) Merge(base, theirs *shell.Mark, ask func(*merge.Conflict) merge.Decision) (done *compare.Difference, conflicts []*merge.Conflict, err error) {
	if err := w.Busy("merge"); err != nil {
		return nil, nil, err
	}
	if path, ok := overlaid(&base.Files, &theirs.Files); ok {
		return nil, nil, fault.New(fault.Unsupported, "merge", path, "what an overlay of a host's directory changed is not merged: commit or discard it first")
	}
	ours := w.Mark()
	next := w.share()
	conflicts, left, err := merge.Machine(next.M, base, ours, theirs, ask)
	if errno := vfs.Errno(0); errors.As(err, &errno) {
		err = &fault.Error{Kind: fault.File, Op: "merge", Err: err}
	}
	if err != nil || left > 0 {
		return nil, conflicts, err
	}
	if path, ok := intruded(&ours.Files, next.M.FS); ok {
		return nil, nil, fault.New(fault.Unsupported, "merge", path, "the other has files where something is mounted here: a merge does not go into a mount; unmount it first")
	}
	done = compare.Marks(ours, next.Mark())
	w.remember()
	w.become(next, nil)
	return done, conflicts, nil
}

// intruded gives the path of a mount, read-only or of a host, in which a merge changed something: it came from a side
// that has files of its own there.
func intruded(ours, merged *vfs.FS) (string, bool) {
	if !merged.Mounted() {
		return "", false
	}
	for _, ino := range vfs.Changed(ours, merged) {
		if in, ok := merged.MountOf(ino); ok && (in.Host || in.Mode != vfs.MountWritable) {
			return in.Path, true
		}
	}
	return "", false
}

// overlaid gives the path of an overlay that theirs changed since base.
func overlaid(base, theirs *vfs.FS) (string, bool) {
	for _, m := range theirs.Mounts() {
		if m.Mode != vfs.MountOverlay {
			continue
		}
		for _, ino := range vfs.Changed(base, theirs) {
			for _, of := range []*vfs.FS{base, theirs} {
				in, ok := of.MountOf(ino)
				if ok && in.ID == m.ID && (ino != m.Root || len(vfs.ChangedNames(base, theirs, ino)) > 0) {
					return m.Path, true
				}
			}
		}
	}
	return "", false
}
