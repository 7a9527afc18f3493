package core

import (
	"errors"
	"path"
	"slices"
	"strings"

	"eryxsh/core/compare"
	"eryxsh/core/fault"
	"eryxsh/core/host"
	"eryxsh/core/overlay"
	"eryxsh/vfs"
)

// MountHost shows a directory of the host below a path. A mount there whose
// directory was not given since it was loaded gets it again, in the snapshots
// too. The error says which path is meant, the host's or the sandbox's.
func (w *World) MountHost(path, dir string, mode vfs.MountMode, not host.Exclusion, now int64) error {
	src, err := host.Open(dir, userID, userID)
	if err != nil {
		return &fault.Error{Kind: fault.File, Op: "mount", Path: dir, Err: err}
	}
	src.Exclude(not)
	connected, other := false, vfs.MountMode(0)
	connect := func(fs *vfs.FS) {
		for _, m := range fs.Mounts() {
			if m.Path != path || m.Connected() {
				continue
			}
			if other = m.Mode; other == mode {
				fs.Connect(m.Root, src)
				connected = true
			}
		}
	}
	connect(w.M.FS)
	for _, s := range w.Snaps {
		s.mu.Lock()
		connect(s.World.M.FS)
		s.mu.Unlock()
	}
	switch {
	case connected:
		return nil
	case other != mode && w.away(path):
		return fault.New(fault.Invalid, "mount", path, "the state has it mounted %s, not %s", other, mode)
	}
	if err := w.mkdirAll(path, now); err != nil {
		return err
	}
	root, err := w.M.FS.Mount(w.Cred(), path, vfs.Mount{Kind: "host", Source: "host", Mode: mode}, 0o755, now)
	if err != nil {
		return err
	}
	w.M.FS.Connect(root, src)
	return nil
}

// away reports whether a mount at a path waits for its directory.
func (w *World) away(path string) bool {
	return slices.ContainsFunc(w.M.FS.Mounts(), func(m vfs.Mounted) bool { return m.Path == path && !m.Connected() })
}

// overlay gives the overlay that is mounted at a path, and the host's directory it is of.
func (w *World) overlay(op, path string) (m vfs.Mounted, dir *host.Dir, err error) {
	ino, err := w.M.FS.Lookup(w.Cred(), path, true)
	if err != nil {
		return m, nil, &fault.Error{Kind: fault.File, Op: op, Path: path, Err: err}
	}
	m, ok := w.M.FS.MountOf(ino)
	switch {
	case !ok || m.Root != ino || m.Mode != vfs.MountOverlay:
		return m, nil, fault.New(fault.Invalid, op, path, "no directory of the host is mounted there as an overlay")
	case !m.Connected():
		return m, nil, &fault.Error{Kind: fault.File, Op: op, Path: path, Err: vfs.ENODEV}
	}
	return m, m.SourceOf().(*host.Dir), nil
}

// OverlayDiff says how an overlay differs from what the host has now.
func (w *World) OverlayDiff(path string) (*compare.Difference, error) {
	m, dir, err := w.overlay("diff", path)
	if err != nil {
		return nil, err
	}
	after := w.Mark()
	after.Files = *w.M.FS.Public(m, dir.Excluded, w.M.Clock.Now)
	files, err := after.Files.Original(m)
	if err != nil {
		return nil, &fault.Error{Kind: fault.File, Op: "diff", Path: path, Err: err}
	}
	before := *after
	before.Files = *files
	return compare.Marks(&before, after), nil
}

// Commit writes what an overlay changed to the host; then the overlay is empty,
// but for what it has that is excluded. If there are conflicts, paths below it where
// the host has not what it had when the sandbox changed it, nothing is written. While
// a run is going it is a Busy fault.
func (w *World) Commit(path string, now int64) (conflicts []string, err error) {
	m, dir, err := w.overlay("commit", path)
	if err != nil {
		return nil, err
	}
	if err := w.Busy("commit"); err != nil {
		return nil, err
	}
	if conflicts, err = overlay.Commit(w.M.FS, m, dir, now); err != nil || conflicts != nil {
		at, kind := path, fault.Invalid
		if in := (*overlay.PathError)(nil); errors.As(err, &in) {
			at, err = path+"/"+in.Path, in.Err
		}
		if errno := vfs.Errno(0); errors.As(err, &errno) {
			kind = fault.File
		}
		if err != nil {
			err = &fault.Error{Kind: kind, Op: "commit", Path: at, Err: err}
		}
		return conflicts, err
	}
	return nil, w.M.Replacing(m.ID, func() error { return w.M.FS.Settle(m, dir.Excluded, now) })
}

// Discard lets go of what an overlay changed: of all of it, or at some paths below
// it and what is in them. While a run is going it is a Busy fault.
func (w *World) Discard(path string, below []string, now int64) error {
	m, _, err := w.overlay("discard", path)
	if err != nil {
		return err
	}
	if err := w.Busy("discard"); err != nil {
		return err
	}
	if len(below) == 0 {
		return w.M.Replacing(m.ID, func() error { w.M.FS.Discard(m); return nil })
	}
	trial := w.M.FS.Fork()
	if err := reveal(trial, m, below, now); err != nil {
		return err
	}
	return w.M.Replacing(m.ID, func() error { return reveal(w.M.FS, m, below, now) })
}

// reveal lets what a host has at some paths below an overlay be seen again.
func reveal(fs *vfs.FS, m vfs.Mounted, below []string, now int64) error {
	type place struct {
		dir  vfs.Ino
		name string
		path string
	}
	var all []place
	slices.Sort(below)
	for i, at := range below {
		if slices.ContainsFunc(below[:i], func(up string) bool { return up == at || strings.HasPrefix(at, up+"/") }) {
			continue
		}
		dir, p := m.Root, "."
		names := strings.Split(at, "/")
		for _, name := range names[:len(names)-1] {
			next := fs.Entry(dir, name)
			if p = path.Join(p, name); next == 0 {
				dir = 0
				break
			}
			dir = next
		}
		if st, err := fs.StatIno(dir); dir == 0 || err != nil || !st.Mode.IsDir() {
			if child, err := fs.Lookup(vfs.Cred{Root: true}, m.Path+"/"+p, false); err == nil && child.Outside() {
				continue // as the host has it
			}
			return &fault.Error{Kind: fault.File, Op: "discard", Path: m.Path + "/" + p, Err: vfs.ENOENT}
		}
		fs.Withdraw(dir, names[len(names)-1], now)
		all = append(all, place{dir, names[len(names)-1], at})
	}
	for _, p := range all {
		if dir := path.Dir(p.path); dir != "." && fs.Hidden(p.dir) != dir {
			continue // the directory is not the host's
		}
		if err := fs.Reveal(m, p.dir, p.name, now); err != nil {
			return fault.New(fault.Invalid, "discard", m.Path+"/"+p.path, "something of it was moved elsewhere: discard that, too")
		}
	}
	return nil
}

// Unmount takes a mount away: what it covered is there again. EBUSY: a file in it
// is open, or a process works in it.
func (w *World) Unmount(path string) error {
	ino, err := w.M.FS.Lookup(w.Cred(), path, true)
	if err != nil {
		return err
	}
	if m, ok := w.M.FS.MountOf(ino); ok && m.Root == ino && w.M.WorksIn(m.ID) {
		return vfs.EBUSY
	}
	return w.M.FS.Unmount(w.Cred(), path)
}
