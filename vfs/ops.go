package vfs

// Lookup resolves a path to the number of what is there; follow says whether a
// symbolic link at its end is followed.
//
// ENOENT, ENOTDIR, EACCES (search permission), ELOOP (more than 40 symbolic
// links), ENAMETOOLONG, EINVAL (a NUL byte): every path operation may return
// these, the path errors.
func (f *FS) Lookup(c Cred, path string, follow bool) (Ino, error) {
	p, in, err := f.find(c, path, follow)
	if err != nil {
		return 0, err
	}
	return f.face(p.ino, in), nil
}

// Open resolves a path as open(2) does, makes or empties the file as the O_
// flags say, checks permission, and returns the inode; the caller Holds it for
// as long as it is open. perm is the mode of a new file, the umask applied. A
// generated name of /usr/bin opened for writing becomes a real file.
//
// The path errors; EEXIST (O_CREAT|O_EXCL), EISDIR, ENOTDIR (O_DIRECTORY, or a
// trailing slash), ELOOP (O_NOFOLLOW), EACCES, EROFS (making a file in /dev or
// /proc), ENOSPC (Limits.Files), EINVAL (O_CREAT|O_DIRECTORY).
func (f *FS) Open(c Cred, path string, flags int, perm Mode, now int64) (Ino, error) {
	create := flags&O_CREAT != 0
	if create && flags&O_DIRECTORY != 0 {
		return 0, EINVAL
	}
	excl := create && flags&O_EXCL != 0
	follow := flags&O_NOFOLLOW == 0 && !excl
	p, err := f.walk(c, path, follow || !create && path != "" && path[len(path)-1] == '/')
	switch {
	case err != nil:
		return 0, err
	case create && p.slash && p.last == lastName:
		return 0, EISDIR
	case p.ino != 0 && excl:
		return 0, EEXIST
	case p.ino != 0:
		return f.openOld(c, p, flags, now)
	case !create:
		return 0, ENOENT
	}
	return f.make(c, p, TypeFile|perm&PermMask, now)
}

// openOld is Open of what exists.
func (f *FS) openOld(c Cred, p place, flags int, now int64) (_ Ino, err error) {
	in, want := f.get(p.ino), Mode(R_OK)
	switch flags & O_ACCMODE {
	case O_WRONLY:
		want = W_OK
	case O_RDWR:
		want = R_OK | W_OK
	}
	if flags&O_TRUNC != 0 {
		want |= W_OK
	}
	switch {
	case (p.slash || flags&O_DIRECTORY != 0) && !in.mode.IsDir():
		return 0, ENOTDIR
	case in.mode.IsLink():
		return 0, ELOOP
	case p.ino.Outside() && !in.mode.IsRegular() && !in.mode.IsDir():
		return 0, ENXIO // a host's device, FIFO or socket is never opened
	case in.mode.IsDir() && (want&W_OK != 0 || flags&O_CREAT != 0):
		return 0, EISDIR
	case want&W_OK != 0 && f.sealed(in):
		return 0, EROFS
	case !c.may(in, want):
		return 0, EACCES
	case want&W_OK == 0 || !in.mode.IsRegular():
		return p.ino, nil
	}
	if p.ino.Outside() && flags&O_TRUNC != 0 && f.overlaid(in) {
		p.ino, err = f.copyUp(p.ino, false)
	} else {
		p, err = f.own(p)
	}
	if err != nil {
		return 0, err
	}
	if flags&O_TRUNC != 0 {
		return p.ino, f.TruncateIno(p.ino, 0, now)
	}
	return p.ino, nil
}

// own returns the place of an inode that is about to change. A generated name
// of /usr/bin becomes a real file with the same content, and so does a host's of
// an overlay; other generated inodes give EACCES. ENOSPC.
func (f *FS) own(p place) (place, error) {
	if !p.ino.Generated() {
		return p, nil
	}
	if p.ino.Outside() {
		if f.direct(f.get(p.ino)) != nil {
			return p, nil
		}
		var err error
		p.ino, err = f.copyUp(p.ino, true)
		return p, err
	}
	if _, ok := f.Stub(p.ino); !ok || p.dir != f.bin {
		return p, EACCES
	}
	stub := f.get(p.ino)
	if err := f.room(stub.size, 1); err != nil {
		return p, err
	}
	bin := f.get(f.bin)
	m, t := bin.mtime, bin.ctime
	p.ino = f.alloc(stub.mode, stub.uid, stub.gid, stub.mtime)
	f.attach(f.bin, p.name, p.ino, stub.ctime)
	bin = f.mut(f.bin)
	bin.mtime, bin.ctime = m, t
	in := f.mut(p.ino)
	f.put(in, 0, 0, stub.head.b, false)
	in.size = stub.size
	f.usage.Logical += in.size
	return p, nil
}

// make gives a place a new inode with no content.
func (f *FS) make(c Cred, p place, mode Mode, now int64) (Ino, error) {
	if err := f.makable(c, p, mode.IsDir()); err != nil {
		return 0, err
	}
	if w := f.direct(f.get(p.dir)); w != nil {
		return f.makeDirect(w, p, mode, "")
	}
	if err := f.room(0, 1); err != nil {
		return 0, err
	}
	at, err := f.changing(p.dir)
	if err != nil {
		return 0, err
	}
	dir := f.get(at)
	gid := c.GID
	if dir.mode&SetGID != 0 {
		if gid = dir.gid; mode.IsDir() {
			mode |= SetGID
		}
	}
	ino := f.alloc(mode, c.UID, gid, now)
	f.attach(at, p.name, ino, now)
	return ino, nil
}

// Mkdir makes a directory with mode perm, the umask applied. The path errors;
// EEXIST, EACCES, EROFS (generated), ENOSPC (Limits.Files).
func (f *FS) Mkdir(c Cred, path string, perm Mode, now int64) error {
	p, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	_, err = f.make(c, p, TypeDir|perm&(0o777|Sticky), now)
	return err
}

// Mkfifo makes a FIFO with mode perm, the umask applied. The errors are those
// of Mkdir.
func (f *FS) Mkfifo(c Cred, path string, perm Mode, now int64) error {
	p, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	_, err = f.make(c, p, TypeFifo|perm&PermMask, now)
	return err
}

// Symlink makes a symbolic link to target. The errors are those of Mkdir;
// ENOENT also when target is empty, ENAMETOOLONG when it is over PathMax, ENOSPC
// also for Limits.Bytes.
func (f *FS) Symlink(c Cred, target, path string, now int64) error {
	if err := checkTarget(target); err != nil {
		return err
	}
	p, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	if err := f.makable(c, p, false); err != nil {
		return err
	}
	if w := f.direct(f.get(p.dir)); w != nil {
		_, err := f.makeDirect(w, p, TypeLink, target)
		return err
	}
	if err := f.room(int64(len(target)), 1); err != nil {
		return err
	}
	ino, err := f.make(c, p, TypeLink|0o777, now)
	if err != nil {
		return err
	}
	in := f.mut(ino)
	f.put(in, 0, 0, []byte(target), false)
	in.size = int64(len(target))
	return nil
}

// checkTarget reports what is wrong with the target of a link.
func checkTarget(target string) error {
	switch {
	case target == "":
		return ENOENT
	case len(target) > PathMax:
		return ENAMETOOLONG
	}
	for i := range len(target) {
		if target[i] == 0 {
			return EINVAL
		}
	}
	return nil
}

// Readlink returns the target of a symbolic link. The path errors; EINVAL also
// when it is no link.
func (f *FS) Readlink(c Cred, path string) (string, error) {
	_, in, err := f.find(c, path, false)
	if err != nil {
		return "", err
	}
	if !in.mode.IsLink() {
		return "", EINVAL
	}
	return in.target(), nil
}

// Link gives the file at old a second name. follow says whether a symbolic link
// at the end of old is followed. As Linux does by default it refuses who neither
// owns the file nor could write it. The path errors of both; EEXIST, EPERM (a
// directory, not allowed), EXDEV (generated), EACCES, EROFS, EMLINK, ENOSPC
// (Limits.Files).
func (f *FS) Link(c Cred, old, new string, follow bool, now int64) error {
	from, in, err := f.find(c, old, follow)
	if err != nil {
		return err
	}
	to, err := f.walk(c, new, false)
	if err != nil {
		return err
	}
	_, stub := f.Stub(from.ino)
	switch {
	case to.ino != 0:
		return EEXIST
	case to.slash:
		return ENOENT
	case from.ino.Generated() && !stub && !from.ino.Outside() || in.mount != f.get(to.dir).mount:
		return EXDEV
	case !c.linkable(in):
		return EPERM
	}
	if err := f.writable(c, to.dir); err != nil {
		return err
	}
	if in.mode.IsDir() {
		return EPERM
	}
	if w := f.direct(in); w != nil {
		return w.Link(f.pathOf(from.ino, in), f.hostPath(to.dir, to.name))
	}
	if in.nlink >= LinkMax {
		return EMLINK
	}
	if err := f.room(0, 1); err != nil {
		return err
	}
	if from, err = f.own(from); err != nil {
		return err
	}
	if to.dir, err = f.changing(to.dir); err != nil {
		return err
	}
	if err := f.room(0, 1); err != nil {
		return err
	}
	f.attach(to.dir, to.name, from.ino, now)
	return nil
}

// linkable reports whether c may give an inode another name.
func (c Cred) linkable(in *inode) bool {
	return c.owns(in) || in.mode.IsRegular() && in.mode&SetUID == 0 && in.mode&(SetGID|0o010) != SetGID|0o010 && c.may(in, R_OK|W_OK)
}

// Unlink removes a name that is no directory's; the file goes with its last
// name and last open file. The path errors; EISDIR, EACCES, EPERM (sticky
// directory), EROFS (generated), EBUSY (/dev, /proc).
func (f *FS) Unlink(c Cred, path string, now int64) error {
	p, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	if p.last != lastName {
		return EISDIR
	}
	if p.ino == 0 {
		return ENOENT
	}
	dir := f.get(p.ino).mode.IsDir()
	if p.slash && !dir {
		return ENOTDIR
	}
	if p.slash {
		return EISDIR
	}
	if err := f.removable(c, p); err != nil {
		return err
	}
	if dir {
		return EISDIR
	}
	return f.remove(p, now)
}

// remove takes a name away that may be.
func (f *FS) remove(p place, now int64) error {
	if w := f.direct(f.get(p.dir)); w != nil {
		return w.Remove(f.hostPath(p.dir, p.name))
	}
	p, err := f.leaving(p)
	if err == nil {
		f.detach(p.dir, p.name, p.ino, now)
	}
	return err
}

// Rmdir removes an empty directory. The path errors; ENOTDIR, ENOTEMPTY, EACCES,
// EPERM (sticky directory), EROFS (generated), EBUSY (the root, /dev, /proc),
// EINVAL (the path ends in ".").
func (f *FS) Rmdir(c Cred, path string, now int64) error {
	p, err := f.walk(c, path, false)
	if err != nil {
		return err
	}
	switch p.last {
	case lastDot:
		return EINVAL
	case lastDotDot:
		return ENOTEMPTY
	case lastRoot:
		return EBUSY
	}
	if p.ino == 0 {
		return ENOENT
	}
	if err := f.removable(c, p); err != nil {
		return err
	}
	in := f.get(p.ino)
	if !in.mode.IsDir() {
		return ENOTDIR
	}
	if !f.empty(p.ino, in) {
		return ENOTEMPTY
	}
	return f.remove(p, now)
}

// Rename moves a file or directory to a new name in O(1), in place of what has
// that name. Two names of one file: nothing happens. The path errors of both;
// EINVAL (a directory into itself), EISDIR and ENOTDIR (one is a directory, the
// other is not), ENOTEMPTY, EACCES, EPERM (sticky directory), EROFS (generated),
// EBUSY (".", "..", the root, /dev, /proc), ENOSPC (a
// generated name of /usr/bin becomes a real file).
func (f *FS) Rename(c Cred, old, new string, now int64) error {
	from, err := f.walk(c, old, false)
	if err != nil {
		return err
	}
	to, err := f.walk(c, new, false)
	if err != nil {
		return err
	}
	if f.get(from.dir).mount != f.get(to.dir).mount {
		return EXDEV
	}
	if from.last != lastName || to.last != lastName {
		return EBUSY
	}
	if from.ino == 0 {
		return ENOENT
	}
	dir := f.get(from.ino).mode.IsDir()
	switch {
	case f.get(to.dir).nlink == 0:
		return ENOENT // it was removed
	case !dir && (from.slash || to.slash):
		return ENOTDIR
	case dir && f.within(to.dir, from.ino):
		return EINVAL
	case to.ino != 0 && f.within(from.dir, to.ino):
		return ENOTEMPTY
	case from.ino == to.ino:
		return nil
	}
	if err := f.renamable(c, from, to, dir); err != nil {
		return err
	}
	if w := f.direct(f.get(from.dir)); w != nil {
		return w.Move(f.hostPath(from.dir, from.name), f.hostPath(to.dir, to.name))
	}
	if from, err = f.own(from); err != nil {
		return err
	}
	for _, dir := range []*Ino{&from.dir, &to.dir} {
		if *dir, err = f.changing(*dir); err != nil {
			return err
		}
	}
	if to.ino != 0 {
		if err := f.remove(to, now); err != nil {
			return err
		}
	}
	f.move(from, to, now)
	return nil
}

// renamable checks the rights and kinds of a rename.
func (f *FS) renamable(c Cred, from, to place, dir bool) error {
	if err := f.removable(c, from); err != nil {
		return err
	}
	if to.ino == 0 {
		if err := f.writable(c, to.dir); err != nil {
			return err
		}
	} else {
		if err := f.removable(c, to); err != nil {
			return err
		}
		old := f.get(to.ino)
		switch {
		case dir && !old.mode.IsDir():
			return ENOTDIR
		case !dir && old.mode.IsDir():
			return EISDIR
		case dir && !f.empty(to.ino, old):
			return ENOTEMPTY
		}
	}
	if dir && from.dir != to.dir && !c.may(f.get(from.ino), W_OK) {
		return EACCES
	}
	return nil
}

// move takes an inode from one name to another that is free.
func (f *FS) move(from, to place, now int64) {
	Files := f.usage.Files
	in := f.mut(from.ino)
	f.attach(to.dir, to.name, from.ino, now)
	f.uncover(from.dir, f.mut(from.dir), from.name)
	d := f.mut(from.dir)
	d.mtime, d.ctime = now, now
	if in.nlink--; in.mode.IsDir() {
		d.nlink--
	}
	f.usage.Files = Files
}

// within reports whether a directory is top or somewhere below it.
func (f *FS) within(dir, top Ino) bool {
	for dir != top {
		if dir == Root || dir == 0 {
			return false
		}
		dir = f.near(f.get(dir).parent)
	}
	return true
}
