package core

import "eryxsh/vfs"

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
