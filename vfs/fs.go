package vfs

import "eryxsh/vfs/persist"

// FS is one version of a file tree. Copy it with Fork only.
type FS struct {
	epoch   persist.Epoch
	inodes  persist.Vec[*inode]
	held    persist.Vec[uint32] // open files of an inode: beside the tree, so that opening writes no inode
	below   persist.Vec[uint32] // removed directories whose ".." an inode is: it lives as long as they do
	next    Ino                 // the number the next inode gets
	bin     Ino                 // the directory over the generated names of /usr/bin, 0 when removed
	gen     *Generated
	mounts  *mounts // nil: none
	limits  Limits
	usage   Usage
	written int64
}

// Limits bounds a tree; zero is no limit. It is checked before anything is
// changed.
type Limits struct {
	Bytes    int64 // stored bytes of all content; ENOSPC
	Files    int64 // inodes, and names past an inode's first; ENOSPC. There are never more than Bytes have room for, see Most
	FileSize int64 // logical bytes of one file; EFBIG
}

// leastFiles is how many files a limit of bytes always leaves room for.
const leastFiles = 1 << 14

// Most is how many inodes and names there may be, 0 for any number: Files, or as many as may stand beside Bytes of
// content when each takes what it does, so that empty files do not take a host's memory that a limit of bytes was to bound.
func (l Limits) Most() int64 {
	switch n := l.Bytes/inodeCost + leastFiles; {
	case l.Bytes <= 0:
		return l.Files
	case l.Files <= 0:
		return n
	default:
		return min(l.Files, n)
	}
}

// Usage counts what a tree holds.
type Usage struct {
	Bytes   int64 // stored: the sum of Stat.Stored
	Files   int64 // inodes, and names past an inode's first; generated ones are free
	Logical int64 // the sum of the sizes of regular files, holes included
}

const (
	inodeCost = 192  // what an inode with its name adds to Written: about what it takes
	dirSize   = 4096 // the size of every directory
)

// New returns a tree with an empty root directory owned by root, what gen
// generates (nil: nothing) and, when gen has names for it, /usr/bin.
func New(gen *Generated, lim Limits, now int64) *FS {
	if gen == nil {
		gen = NewGenerated(GeneratedTable{})
	}
	f := &FS{epoch: persist.NewEpoch(), next: Root, gen: gen, limits: lim}
	root := f.alloc(TypeDir|0o755, 0, 0, now)
	in := f.mut(root)
	in.nlink, in.parent = 2+uint32(gen.mounts.Len()), root
	if gen.bins.Len() > 0 {
		usr := f.alloc(TypeDir|0o755, 0, 0, now)
		f.attach(root, "usr", usr, now)
		f.bin = f.alloc(TypeDir|0o755, 0, 0, now)
		f.attach(usr, "bin", f.bin, now)
	}
	f.written = 0
	return f
}

// Fork returns an independent tree with the same content, in O(1). Written of
// both starts again at zero. f must not be in use by another thread.
func (f *FS) Fork() *FS { return f.ForkInto(&FS{}) }

// ForkInto is Fork into the memory of a tree that nobody needs any more.
func (f *FS) ForkInto(c *FS) *FS {
	*c = *f
	f.epoch, c.epoch = persist.NewEpoch(), persist.NewEpoch()
	f.written, c.written = 0, 0
	return c
}

// Limits returns the limits in force.
func (f *FS) Limits() Limits { return f.limits }

// SetLimits changes the limits. What is over a new one stays; it only cannot
// grow.
func (f *FS) SetLimits(l Limits) { f.limits = l }

// Usage returns what the tree holds.
func (f *FS) Usage() Usage { return f.usage }

// Statfs is how much a tree has room for, and how much of it is taken (statvfs).
type Statfs struct {
	Bytes, BytesUsed int64
	Files, FilesUsed int64
}

// Room without a limit.
const (
	anyBytes = 1 << 40
	anyFiles = 1 << 32
)

// Statfs returns the limits, and what the tree holds: what is free is never less than none.
func (f *FS) Statfs() Statfs {
	st := Statfs{Bytes: f.limits.Bytes, BytesUsed: f.usage.Bytes, Files: f.limits.Most(), FilesUsed: f.usage.Files}
	if st.Bytes <= 0 {
		st.Bytes = anyBytes
	}
	if st.Files <= 0 {
		st.Files = anyFiles
	}
	st.Bytes, st.Files = max(st.Bytes, st.BytesUsed), max(st.Files, st.FilesUsed)
	return st
}

// Written returns about how many bytes this version alone keeps alive: content,
// inodes and names made since New or the last Fork and still there. The sum
// over a chain of versions, and the first one's Usage, bounds what they hold
// together.
func (f *FS) Written() int64 { return f.written }

// NextIno returns the number the next inode will get.
func (f *FS) NextIno() Ino { return f.next }

// room reports ENOSPC when more bytes or files would pass a limit.
func (f *FS) room(bytes, files int64) error {
	if bytes > 0 && f.limits.Bytes > 0 && f.usage.Bytes+bytes > f.limits.Bytes {
		return ENOSPC
	}
	if most := f.limits.Most(); files > 0 && most > 0 && f.usage.Files+files > most {
		return ENOSPC
	}
	return nil
}

// Hold keeps an inode alive while a file is open on it. A generated one needs
// none.
func (f *FS) Hold(ino Ino) {
	if ino = f.near(ino); ino.Outside() {
		f.holdOutside(ino, 1)
	} else if !ino.Generated() && f.get(ino) != nil {
		*f.held.Slot(f.epoch, int64(ino))++
	}
}

// Release undoes one Hold; with the last one an unlinked inode goes.
func (f *FS) Release(ino Ino) {
	if ino = f.near(ino); ino.Outside() {
		f.holdOutside(ino, -1)
		return
	}
	n := f.held.Ref(f.epoch, int64(ino))
	if n == nil {
		return
	}
	if *n--; *n > 0 {
		return
	}
	f.held.Delete(f.epoch, int64(ino))
	f.drop(ino)
}

// Held returns how many open files hold an inode.
func (f *FS) Held(ino Ino) int {
	n, _ := f.held.Get(int64(f.near(ino)))
	return int(n)
}

// HeldFiles returns how many inodes are held by open files.
func (f *FS) HeldFiles() int { return f.held.Len() }
