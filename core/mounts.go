package core

import (
	"eryxsh/core/fault"
	"eryxsh/core/host"
	"eryxsh/vfs"
)

// MountHost shows a directory of the host below a path, read-only. A mount there
// whose directory was not given since it was loaded gets it again, in the
// snapshots too. The error says which path is meant, the host's or the sandbox's.
func (w *World) MountHost(path, dir string, now int64) error {
	src, err := host.Open(dir, userID, userID)
	if err != nil {
		return &fault.Error{Kind: fault.File, Op: "mount", Path: dir, Err: err}
	}
	connected := false
	connect := func(fs *vfs.FS) {
		for _, m := range fs.Mounts() {
			if m.Path == path && !m.Connected() {
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
	if connected {
		return nil
	}
	if err := w.mkdirAll(path, now); err != nil {
		return err
	}
	root, err := w.M.FS.Mount(w.Cred(), path, vfs.Mount{Kind: "host", Source: "host", Mode: vfs.MountReadOnly}, 0o755, now)
	if err != nil {
		return err
	}
	w.M.FS.Connect(root, src)
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
