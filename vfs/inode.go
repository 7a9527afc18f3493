package vfs

import (
	"strings"

	"eryxsh/vfs/persist"
)

// inode is a file of any kind. One whose own is the tree's epoch may be changed
// in place, and so may its more; of the content only chunks that say so
// themselves.
type inode struct {
	own                 persist.Epoch
	mode                Mode
	nlink               uint32
	uid, gid            uint32
	atime, mtime, ctime int64
	size                int64
	parent              Ino    // a directory that has it, 0 when not known
	name                string // its name there
	head                chunk  // the first chunk of a file; the target of a link
	more                *more  // nil for links and small files
	mount               uint32 // the mount it belongs to, 0 for the tree itself
}

// more is what small files and links do without.
type more struct {
	chunks  persist.Vec[chunk]  // of a file: the second chunk (index 1) and on
	stored  int64               // bytes these take
	entries persist.Sorted[Ino] // of a directory; 0 is a whiteout over a generated name
	num     uint64              // of a FIFO: its pipe; of a device: one of Dev*
	top     *Mount              // of the root of a mount
	path    string              // of a directory of a host, and of what was copied up from one: below the mount, "." for its root; else empty
	hollow  bool                // its content is the host's: see Original
}

// chunk is up to ChunkSize bytes at a multiple of it; what it lacks is zeros.
type chunk struct {
	own persist.Epoch
	b   []byte
}

// stored returns the bytes the content takes.
func (in *inode) stored() int64 {
	n := int64(len(in.head.b))
	if in.more != nil {
		n += in.more.stored
	}
	return n
}

// target returns what a symbolic link points at.
func (in *inode) target() string { return string(in.head.b) }

// get returns an inode to be read, nil when there is none.
func (f *FS) get(ino Ino) *inode {
	if ino.Generated() {
		return f.far(ino)
	}
	return f.native(ino)
}

// native is get of an inode that the tree itself has.
func (f *FS) native(ino Ino) *inode {
	if p := f.inodes.At(int64(ino)); p != nil {
		return *p
	}
	return nil
}

// mut returns an existing, not generated inode to be changed in place.
func (f *FS) mut(ino Ino) *inode {
	in := f.get(ino)
	if in.own == f.epoch {
		return in
	}
	c := *in
	c.own = f.epoch
	if in.more != nil {
		m := *in.more
		c.more = &m
	}
	f.inodes.Set(f.epoch, int64(ino), &c)
	f.written += inodeCost
	return &c
}

// alloc makes an inode that no directory has yet. The caller asked for room.
func (f *FS) alloc(mode Mode, uid, gid uint32, now int64) Ino {
	in := &inode{own: f.epoch, mode: mode, uid: uid, gid: gid, atime: now, mtime: now, ctime: now}
	if mode.IsDir() {
		in.nlink = 1 // its own "."
		in.more = &more{}
	}
	ino := f.next
	f.next++
	f.inodes.Set(f.epoch, int64(ino), in)
	f.usage.Files++
	f.written += inodeCost
	return ino
}

// kept reports whether something without a name lives on: while a file is open on it, or as the ".." of a removed directory.
func (f *FS) kept(ino Ino) bool { return f.Held(ino) > 0 || f.below.At(int64(ino)) != nil }

// drop frees an inode that was kept and is no more. The last removed directory in another lets go of that one.
func (f *FS) drop(ino Ino) {
	for in := f.get(ino); in != nil && in.nlink == 0 && !f.kept(ino); in = f.get(ino) {
		f.free(ino, in)
		if !in.mode.IsDir() || in.parent == 0 {
			return
		}
		ino = in.parent
		if n := f.below.Ref(f.epoch, int64(ino)); *n > 1 {
			*n--
		} else {
			f.below.Delete(f.epoch, int64(ino))
		}
	}
}

// free forgets an inode.
func (f *FS) free(ino Ino, in *inode) {
	f.usage.Files--
	f.usage.Bytes -= in.stored()
	if in.mode.IsRegular() {
		f.usage.Logical -= in.size
	}
	if in.own == f.epoch {
		f.written -= inodeCost + f.fresh(in, 0)
	}
	f.inodes.Delete(f.epoch, int64(ino))
	if in.mount != 0 && in.more != nil && in.more.path != "" && in.more.top == nil {
		l := f.over(in.mount)
		if at, _ := l.upper.Get(in.more.path); at == ino {
			l.upper.Delete(f.epoch, in.more.path)
		}
	}
}

// lower returns the generated names below a directory, nil when it has none.
func (f *FS) lower(dir Ino) *persist.Sorted[Ino] {
	switch dir {
	case Root:
		return &f.gen.mounts
	case f.bin:
		return &f.gen.bins
	}
	return nil
}

// child returns what a directory has under a name.
func (f *FS) child(dir Ino, in *inode, name string) (Ino, bool) {
	if ino, ok := in.more.entries.Get(name); ok {
		return ino, ino != 0
	}
	if low := f.lower(dir); low != nil {
		return low.Get(name)
	}
	if dir == fdDir {
		return fdEntry(name)
	}
	return 0, false
}

// attach gives an inode a name that dir does not have (or has as a whiteout).
func (f *FS) attach(dir Ino, name string, ino Ino, now int64) {
	name = strings.Clone(name) // the caller's is part of a path
	d := f.mut(dir)
	d.more.entries.Set(f.epoch, name, ino)
	d.mtime, d.ctime = now, now
	in := f.mut(ino)
	if in.nlink++; in.mode.IsDir() {
		d.nlink++
	} else if in.nlink > 1 {
		f.usage.Files++
	}
	in.parent, in.name, in.mount = dir, name, d.mount
	in.ctime = now
}

// detach takes a name from a directory, covers a generated one below it, and
// frees the inode when it was the last.
func (f *FS) detach(dir Ino, name string, ino Ino, now int64) {
	d := f.mut(dir)
	d.mtime, d.ctime = now, now
	if f.uncover(dir, d, name); ino.Generated() {
		return
	}
	in := f.mut(ino)
	in.ctime = now
	if in.parent == dir && in.name == name {
		if in.name = ""; !in.mode.IsDir() { // a removed directory keeps its ".."
			in.parent = 0
		}
	}
	if in.nlink--; in.mode.IsDir() {
		in.nlink = 0
		d.nlink--
		if ino == f.bin {
			f.bin, in.more.entries = 0, persist.Sorted[Ino]{}
		}
	} else if in.nlink > 0 {
		f.usage.Files--
	}
	switch {
	case in.nlink > 0:
	case !f.kept(ino):
		f.free(ino, in)
	case in.mode.IsDir():
		*f.below.Slot(f.epoch, int64(dir))++
	}
}

// uncover removes a directory entry, leaving a whiteout over a generated name.
func (f *FS) uncover(dir Ino, d *inode, name string) {
	if low := f.lower(dir); low != nil {
		if _, ok := low.Get(name); ok {
			d.more.entries.Set(f.epoch, strings.Clone(name), 0)
			return
		}
	}
	if f.hides(d, name) {
		d.more.entries.Set(f.epoch, strings.Clone(name), 0)
		return
	}
	d.more.entries.Delete(f.epoch, name)
}

// empty reports whether a directory shows no name.
func (f *FS) empty(dir Ino, in *inode) bool {
	if in.more.path != "" {
		names, err := f.names(dir, in, "", 1)
		return err == nil && len(names) == 0
	}
	return in.more.entries.Len() == 0 && f.lower(dir) == nil || len(f.list(dir, in, "", 1)) == 0
}

// list returns up to n (n < 1: all) names above after, in byte order.
func (f *FS) list(dir Ino, in *inode, after string, n int) []Dirent {
	if n < 1 {
		n = int(^uint(0) >> 1)
	}
	var low []Dirent
	if l := f.lower(dir); l != nil {
		for name, ino := range l.After(after) {
			if _, covered := in.more.entries.Get(name); !covered {
				if low = append(low, Dirent{name, ino, f.get(ino).mode & TypeMask}); len(low) == n {
					break
				}
			}
		}
	}
	all := make([]Dirent, 0, min(n, in.more.entries.Len()+len(low)))
	for name, ino := range in.more.entries.After(after) {
		for len(low) > 0 && low[0].Name < name && len(all) < n {
			all, low = append(all, low[0]), low[1:]
		}
		if len(all) == n {
			return all
		}
		if ino != 0 {
			child := f.get(ino)
			all = append(all, Dirent{name, f.face(ino, child), child.mode & TypeMask})
		}
	}
	return append(all, low[:min(len(low), n-len(all))]...)
}

// stat describes an inode.
func (f *FS) stat(ino Ino, in *inode) Stat {
	st := Stat{Ino: f.face(ino, in), Dev: in.mount, Mode: in.mode, Nlink: in.nlink, UID: in.uid, GID: in.gid, Size: in.size,
		Stored: in.stored(), Atime: in.atime, Mtime: in.mtime, Ctime: in.ctime}
	switch in.mode & TypeMask {
	case TypeChar:
		st.Rdev = uint32(in.more.num)
	case TypeDir:
		st.Size = dirSize
	case TypeFile:
		if f.near(ino).Outside() {
			st.Stored = in.size
		}
	}
	return st
}
