package vfs

// Stat describes what a path leads to. The path errors.
func (f *FS) Stat(c Cred, path string) (Stat, error) {
	p, in, err := f.find(c, path, true)
	if err != nil {
		return Stat{}, err
	}
	return f.stat(p.ino, in), nil
}

// Lstat is Stat that does not follow a symbolic link at the end. The path
// errors.
func (f *FS) Lstat(c Cred, path string) (Stat, error) {
	p, in, err := f.find(c, path, false)
	if err != nil {
		return Stat{}, err
	}
	return f.stat(p.ino, in), nil
}

// StatIno describes an inode. EBADF: there is none.
func (f *FS) StatIno(ino Ino) (Stat, error) {
	in := f.get(ino)
	if in == nil {
		return Stat{}, EBADF
	}
	return f.stat(ino, in), nil
}

// Access checks whether c may do what how says (R_OK, W_OK, X_OK together, or
// F_OK) with what a path leads to. The path errors; EACCES.
func (f *FS) Access(c Cred, path string, how int) error {
	p, _, err := f.find(c, path, true)
	if err != nil {
		return err
	}
	return f.AccessIno(c, p.ino, how)
}

// AccessIno is Access of an inode. EACCES, EBADF (there is none).
func (f *FS) AccessIno(c Cred, ino Ino, how int) error {
	in := f.get(ino)
	if in == nil {
		return EBADF
	}
	switch {
	case how&W_OK != 0 && f.sealed(in):
		return EROFS
	case !c.may(in, Mode(how&(R_OK|W_OK|X_OK))):
		return EACCES
	}
	return nil
}

// set changes the attributes of what a path leads to.
func (f *FS) set(c Cred, path string, follow bool, allowed func(in *inode) error, change func(in *inode)) error {
	p, in, err := f.find(c, path, follow)
	if err != nil {
		return err
	}
	if f.sealed(in) {
		return EROFS
	}
	if err := allowed(in); err != nil {
		return err
	}
	if w := f.direct(in); w != nil {
		changed := *in
		change(&changed)
		return f.setDirect(w, f.pathOf(p.ino, in), in, &changed)
	}
	if p, err = f.own(p); err != nil {
		return err
	}
	change(f.mut(p.ino))
	return nil
}

// Chmod sets the permission bits. The path errors; EPERM (not the owner),
// EACCES (generated), ENOTSUP (a symbolic link, with follow false).
func (f *FS) Chmod(c Cred, path string, follow bool, perm Mode, now int64) error {
	return f.set(c, path, follow, func(in *inode) error {
		switch {
		case !c.owns(in):
			return EPERM
		case in.mode.IsLink():
			return ENOTSUP
		}
		return nil
	}, func(in *inode) {
		if !c.Root && c.GID != in.gid {
			perm &^= SetGID
		}
		in.mode = in.mode&TypeMask | perm&PermMask
		in.ctime = now
	})
}

// Chown sets the owner and the group; -1 keeps one. Only root may give a file
// away; its owner may give it its own group. As on Linux the set-id bits of a file
// go. The path errors; EPERM, EACCES (generated), EINVAL
// (out of range).
func (f *FS) Chown(c Cred, path string, follow bool, uid, gid, now int64) error {
	if uid < -1 || uid >= 1<<32-1 || gid < -1 || gid >= 1<<32-1 {
		return EINVAL
	}
	return f.set(c, path, follow, func(in *inode) error {
		ok := uid == -1 || uid == int64(in.uid) && c.UID == in.uid
		ok = ok && (gid == -1 || c.UID == in.uid && (gid == int64(in.gid) || gid == int64(c.GID)))
		if !ok && !c.Root {
			return EPERM
		}
		return nil
	}, func(in *inode) {
		if uid != -1 {
			in.uid = uint32(uid)
		}
		if gid != -1 {
			in.gid = uint32(gid)
		}
		if in.mode.IsRegular() {
			if in.mode &^= SetUID; in.mode&0o010 != 0 {
				in.mode &^= SetGID
			}
		}
		in.ctime = now
	})
}

// Utimes sets the times of access and change of content, each a time in ns,
// TimeNow or TimeOmit. The path errors; EPERM (not the owner), EACCES (TimeNow
// twice, neither the owner nor allowed to write; generated).
func (f *FS) Utimes(c Cred, path string, follow bool, atime, mtime, now int64) error {
	if atime == TimeOmit && mtime == TimeOmit {
		_, _, err := f.find(c, path, follow)
		return err
	}
	return f.set(c, path, follow, func(in *inode) error {
		switch {
		case c.owns(in):
			return nil
		case atime != TimeNow || mtime != TimeNow:
			return EPERM
		case !c.may(in, W_OK):
			return EACCES
		}
		return nil
	}, func(in *inode) { in.touch(atime, mtime, now) })
}

// touch sets the times Utimes was asked for.
func (in *inode) touch(atime, mtime, now int64) {
	in.atime = pick(atime, in.atime, now)
	in.mtime = pick(mtime, in.mtime, now)
	in.ctime = now
}

func pick(asked, old, now int64) int64 {
	switch asked {
	case TimeOmit:
		return old
	case TimeNow:
		return now
	}
	return asked
}

// Truncate sets the size of the regular file a path leads to. The path errors;
// EISDIR, EINVAL also for a negative size or a file of another kind, EACCES,
// EFBIG (Limits.FileSize).
func (f *FS) Truncate(c Cred, path string, size, now int64) error {
	if size < 0 {
		return EINVAL
	}
	p, in, err := f.find(c, path, true)
	switch {
	case err != nil:
		return err
	case in.mode.IsDir():
		return EISDIR
	case !in.mode.IsRegular():
		return EINVAL
	case f.sealed(in):
		return EROFS
	case !c.may(in, W_OK):
		return EACCES
	case size > in.size && size > f.maxSize():
		return EFBIG
	}
	if p, err = f.own(p); err != nil {
		return err
	}
	return f.TruncateIno(p.ino, size, now)
}

// ReadDir lists up to n (n < 1: all) names above after of the directory a path
// leads to, in byte order and without "." and "..": the last name of one call is
// after of the next. The path errors; EACCES (no read permission).
func (f *FS) ReadDir(c Cred, path, after string, n int) ([]Dirent, error) {
	p, in, err := f.find(c, path, true)
	switch {
	case err != nil:
		return nil, err
	case !in.mode.IsDir():
		return nil, ENOTDIR
	case !c.may(in, R_OK):
		return nil, EACCES
	}
	return f.names(p.ino, in, after, n)
}

// ReadDirIno is ReadDir of an inode, with no check of permission. EBADF (there
// is none), ENOTDIR.
func (f *FS) ReadDirIno(dir Ino, after string, n int) ([]Dirent, error) {
	in := f.get(dir)
	switch {
	case in == nil:
		return nil, EBADF
	case !in.mode.IsDir():
		return nil, ENOTDIR
	}
	return f.names(dir, in, after, n)
}

// names lists a directory of the tree or of a host.
func (f *FS) names(dir Ino, in *inode, after string, n int) ([]Dirent, error) {
	switch {
	case in.more.path == "":
	case in.more.entries.Len() > 0:
		return f.mixed(dir, in, after, n)
	default:
		return f.outsideNames(in, after, n)
	}
	return f.list(dir, in, after, n), nil
}

// Child returns what a directory has under a name, with no check of permission;
// a link is not followed. EBADF (no such directory), ENOTDIR, ENOENT.
func (f *FS) Child(dir Ino, name string) (Ino, error) {
	in := f.get(dir)
	switch {
	case in == nil:
		return 0, EBADF
	case !in.mode.IsDir():
		return 0, ENOTDIR
	}
	switch name {
	case ".":
		return dir, nil
	case "..":
		if f.get(in.parent) == nil {
			return 0, ENOENT
		}
		return f.near(in.parent), nil
	}
	if ino, ok := f.child(dir, in, name); ok {
		return ino, nil
	}
	if in.more.path != "" {
		return f.outsideChild(in, name)
	}
	return 0, ENOENT
}

// Fifo returns the pipe of a FIFO as SetFifo left it, 0 for none.
func (f *FS) Fifo(ino Ino) uint64 {
	if in := f.get(ino); in != nil && in.mode&TypeMask == TypeFifo && in.more != nil {
		return in.more.num
	}
	return 0
}

// SetFifo keeps the number of a pipe in a FIFO; what it means is the caller's.
// EBADF (no such inode), EINVAL (not a FIFO).
func (f *FS) SetFifo(ino Ino, pipe uint64) error {
	in := f.get(ino)
	switch {
	case in == nil:
		return EBADF
	case in.mode&TypeMask != TypeFifo:
		return EINVAL
	}
	if in = f.mut(ino); in.more == nil {
		in.more = &more{}
	}
	in.more.num = pipe
	return nil
}
