package vfs

// What takes parts of one version of a tree into another: content is shared,
// numbers are not, and nobody is asked for permission. Directories are given by
// their numbers.

// SameContent reports whether two inodes of two versions of a tree are of one
// kind and hold the same. What they share is not looked at.
func SameContent(a *FS, x Ino, b *FS, y Ino) bool {
	p, q := a.get(x), b.get(y)
	return p == q || p != nil && q != nil && p.mode&TypeMask == q.mode&TypeMask && p.sameContent(q)
}

// Content returns a copy of what a regular file, or a link, holds: of a link its
// target. It is nil for what has no content of its own.
func (f *FS) Content(ino Ino) []byte {
	ino = f.near(ino)
	in := f.get(ino)
	if in == nil || !in.mode.IsRegular() && !in.mode.IsLink() {
		return nil
	}
	if in.mode.IsRegular() && (ino.Outside() || in.more != nil && in.more.hollow) {
		return f.outsideContent(in, ino)
	}
	data := make([]byte, in.size)
	copy(data, in.head.b)
	if in.more != nil {
		for i, c := range in.more.chunks.All() {
			copy(data[i*ChunkSize:], c.b)
		}
	}
	return data
}

// Entry returns what a directory has under a name, generated names included; 0:
// nothing, or there is no such directory.
func (f *FS) Entry(dir Ino, name string) Ino {
	if in := f.get(dir); in != nil && in.mode.IsDir() && in.nlink > 0 {
		ino, _ := f.child(dir, in, name)
		return ino
	}
	return 0
}

// Place returns a directory that has an inode and its name there, 0 when that is
// not known.
func (f *FS) Place(ino Ino) (dir Ino, name string) {
	if in := f.get(ino); in != nil && in.nlink > 0 {
		return in.parent, in.name
	}
	return 0, ""
}

// Graft gives dir, under a name it does not have, a copy of an inode of another
// version: its kind, mode, owner, times and content, but of a directory no names.
// ENOSPC, EFBIG.
func (f *FS) Graft(dir Ino, name string, from *FS, src Ino, now int64) (Ino, error) {
	if err := f.room(0, 1); err != nil {
		return 0, err
	}
	in := from.get(src)
	ino := f.alloc(in.mode, in.uid, in.gid, in.mtime)
	f.attach(dir, name, ino, now)
	if in.mode.IsDir() {
		return ino, nil
	}
	return ino, f.Adopt(ino, from, src, now)
}

// Adopt makes the content of an inode that of one of the same kind in another
// version (not this one: they would share what each may write to), with the time it was changed. ENOSPC, EFBIG.
func (f *FS) Adopt(ino Ino, from *FS, src Ino, now int64) error {
	theirs, in := from.get(src), f.mut(ino)
	if theirs.size > f.maxSize() && in.mode.IsRegular() {
		return EFBIG
	}
	grow := theirs.stored() - in.stored()
	if err := f.room(grow, 0); err != nil {
		return err
	}
	f.written += theirs.stored() - f.fresh(in, 0)
	f.usage.Bytes += grow
	if in.mode.IsRegular() {
		f.usage.Logical += theirs.size - in.size
	}
	var was string
	if in.more != nil {
		was = in.more.path
	}
	in.head, in.more, in.size = chunk{b: theirs.head.b[:len(theirs.head.b):len(theirs.head.b)]}, nil, theirs.size
	if m := theirs.more; m != nil && in.mode.IsRegular() {
		in.more = &more{chunks: m.chunks, stored: m.stored}
	}
	if was != "" { // copied up, and still what it was copied from
		if in.more == nil {
			in.more = &more{}
		}
		in.more.path = was
	}
	in.mtime, in.ctime = theirs.mtime, now
	return nil
}

// SetAttributes gives an inode the permission bits, the owner and the time of
// change that a Stat says.
func (f *FS) SetAttributes(ino Ino, st Stat, now int64) {
	in := f.mut(ino)
	in.mode = in.mode&TypeMask | st.Mode&PermMask
	in.uid, in.gid, in.mtime, in.ctime = st.UID, st.GID, st.Mtime, now
}

// SetMtime sets the time of change of an inode.
func (f *FS) SetMtime(ino Ino, mtime int64) { f.mut(ino).mtime = mtime }

// Take removes a name from a directory and, with its last name, what it leads
// to. ENOENT, ENOTEMPTY (a directory that has names).
func (f *FS) Take(dir Ino, name string, now int64) error {
	ino := f.Entry(dir, name)
	in := f.get(ino)
	switch {
	case ino == 0:
		return ENOENT
	case in.mode.IsDir() && (ino.Generated() || !f.empty(ino, in)):
		return ENOTEMPTY
	}
	f.detach(dir, name, ino, now)
	return nil
}

// Give lets a directory have an inode that is no directory's under one more
// name, which must be free. ENOSPC, EMLINK.
func (f *FS) Give(dir Ino, name string, ino Ino, now int64) error {
	if f.get(ino).nlink >= LinkMax {
		return EMLINK
	}
	if err := f.room(0, 1); err != nil {
		return err
	}
	f.attach(dir, name, ino, now)
	return nil
}

// Move takes a name from one directory to a free one of another. EINVAL: a
// directory into itself.
func (f *FS) Move(from Ino, old string, to Ino, name string, now int64) error {
	ino := f.Entry(from, old)
	if ino == 0 || ino.Generated() {
		return ENOENT
	}
	if f.get(ino).mode.IsDir() && f.within(to, ino) {
		return EINVAL
	}
	f.move(place{dir: from, name: old, ino: ino}, place{dir: to, name: name}, now)
	return nil
}

// Aside makes a directory that has no name, to keep names in for a while; Forget
// takes an empty one away.
func (f *FS) Aside(now int64) Ino { return f.alloc(TypeDir, 0, 0, now) }

// Forget is said of what Aside made.
func (f *FS) Forget(aside Ino) { f.free(aside, f.get(aside)) }
