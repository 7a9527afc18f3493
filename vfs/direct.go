package vfs

// Writer is a host's directory that is written to at once. It is as confined as
// a Source. Errors are of type Errno.
type Writer interface {
	Source
	// Make makes an empty file, a directory or a symbolic link where nothing is.
	Make(path string, mode Mode, target string) error
	// WriteAt writes bytes of a regular file.
	WriteAt(path string, p []byte, off int64) error
	// Truncate sets the size of a regular file.
	Truncate(path string, size int64) error
	// Link gives a file another name.
	Link(old, new string) error
	// Move renames, replacing what rename(2) would replace.
	Move(old, new string) error
	// Remove removes a file or an empty directory.
	Remove(path string) error
	// SetMode sets permission bits.
	SetMode(path string, mode Mode) error
	// SetTimes sets the times of access and change.
	SetTimes(path string, atime, mtime int64) error
}

// direct gives the directory of a host that an inode is of, if it is written to at once.
func (f *FS) direct(in *inode) Writer {
	if in.mount == 0 {
		return nil
	}
	m, _ := f.mount(in.mount)
	if m == nil || !m.Host || m.Mode != MountWritable || m.outside == nil {
		return nil
	}
	w, _ := m.outside.src.(Writer)
	return w
}

// Direct reports whether a directory of a host is mounted that is written to at once.
func (f *FS) Direct() bool {
	if f.mounts != nil {
		for _, root := range f.mounts.roots {
			if m := f.native(root).more.top; m.Host && m.Mode == MountWritable {
				return true
			}
		}
	}
	return false
}

// hostPath is the path of a name in a directory of a host.
func (f *FS) hostPath(dir Ino, name string) string { return below(f.get(dir).more.path, name) }

// pathOf is the path of a host's file.
func (f *FS) pathOf(ino Ino, in *inode) string {
	if in.more != nil && in.more.top != nil {
		return "."
	}
	return f.OutsidePath(ino)
}

// makeDirect makes what is asked for at a place of a host.
func (f *FS) makeDirect(w Writer, p place, mode Mode, target string) (Ino, error) {
	if err := w.Make(f.hostPath(p.dir, p.name), mode, target); err != nil {
		return 0, err
	}
	return f.outsideChild(f.get(p.dir), p.name)
}

// writeDirect is WriteAt of a host's file.
func (f *FS) writeDirect(w Writer, ino Ino, p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, EINVAL
	case int64(len(p)) > f.maxSize()-off:
		return 0, EFBIG
	case len(p) == 0:
		return 0, nil
	}
	return len(p), f.did(ino, w.WriteAt(f.OutsidePath(ino), p, off))
}

// did has the host say again what a file is that was written to.
func (f *FS) did(ino Ino, err error) error {
	o := f.out(ino.outsideMount())
	if err != nil || o == nil {
		return err
	}
	_, err = o.ask(o.known(ino))
	return err
}

// setDirect has a host set what a change makes of an inode.
func (f *FS) setDirect(w Writer, path string, old, in *inode) error {
	if old.uid != in.uid || old.gid != in.gid {
		return EPERM
	}
	if old.mode != in.mode {
		if err := w.SetMode(path, in.mode); err != nil {
			return err
		}
	}
	if old.atime != in.atime || old.mtime != in.mtime {
		return w.SetTimes(path, in.atime, in.mtime)
	}
	return nil
}
