package vfs

import (
	"strings"
	"sync"
	"sync/atomic"

	"eryxsh/vfs/persist"
)

// A mount of a host's directory has no inodes of its own in the tree. What is
// asked for gets a number that follows from its path, and what the host says of
// it is kept beside the tree, shared by forks, and asked for again each time the
// path is resolved. Nothing of it is saved.

// Source is a host's directory. Paths are relative to it, "." is its root; no
// symbolic link is ever followed, of whatever part of a path. Errors are of type
// Errno. It may be used by several threads at once.
type Source interface {
	// Lstat describes a file, and says where a link leads.
	Lstat(path string) (st Stat, target string, err error)
	// ReadDir lists the names of a directory above after in byte order; no numbers. From "" on it is as it is now.
	ReadDir(path, after string) ([]Dirent, error)
	// Read gives some bytes of a regular file from off on, none at its end. They are the caller's to read, not to change.
	Read(path string, off int64) ([]byte, error)
}

// Numbers of a host's files: which mount, and the hash of the path.
const (
	outsideBase  Ino = 1 << 52
	outsideShift     = 42
	outsideMask      = 1<<outsideShift - 1
)

// Outside reports whether the number is of a host's file.
func (i Ino) Outside() bool {
	return i >= outsideBase && i>>outsideShift <= outsideBase>>outsideShift+maxMounts
}

// outside is what is known of a host's directory.
type outside struct {
	id    uint32
	src   Source // nil: a state with the mount was loaded, and nobody has given it again
	mu    sync.Mutex
	nodes map[Ino]*seen
}

type seen struct {
	path string
	in   atomic.Pointer[inode]
}

// outsideMount is the mount that a host's file with a number belongs to.
func (i Ino) outsideMount() uint32 { return uint32((i - outsideBase) >> outsideShift) }

// number gives the number of a path.
func (o *outside) number(path string) (Ino, *seen) {
	base := outsideBase + Ino(o.id)<<outsideShift
	o.mu.Lock()
	defer o.mu.Unlock()
	for at := persist.Hash(path) & outsideMask; ; at = (at + 1) & outsideMask {
		ino := base + Ino(at)
		n := o.nodes[ino]
		if n == nil {
			n = &seen{path: strings.Clone(path)}
			o.nodes[ino] = n
		}
		if n.path == path {
			return ino, n
		}
	}
}

// known gives what has a number.
func (o *outside) known(ino Ino) *seen {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.nodes[ino]
}

// get returns the inode with a number, as it was when its path was last
// resolved; nil: nothing ever had it. What the host does not say any more is a
// directory that cannot be read.
func (o *outside) get(ino Ino) *inode {
	n := o.known(ino)
	if n == nil {
		return nil
	}
	if in := n.in.Load(); in != nil {
		return in
	}
	if in, err := o.ask(n); err == nil {
		return in
	}
	in := o.inode(n, Stat{Mode: TypeDir | 0o755, Nlink: 1}, "")
	n.in.CompareAndSwap(nil, in)
	return n.in.Load()
}

// ask has the host describe a file.
func (o *outside) ask(n *seen) (*inode, error) {
	if o.src == nil {
		return nil, ENODEV
	}
	st, target, err := o.src.Lstat(n.path)
	if err != nil {
		return nil, err
	}
	return o.told(n, st, target), nil
}

// told takes what the host says of a file: the inode stays the same while that does.
func (o *outside) told(n *seen, st Stat, target string) *inode {
	in := n.in.Load()
	if in == nil || in.mode != st.Mode || in.size != st.Size && !in.mode.IsLink() || in.mtime != st.Mtime || in.ctime != st.Ctime || in.nlink != st.Nlink || in.mode.IsLink() && in.target() != target {
		in = o.inode(n, st, target)
		n.in.Store(in)
	}
	return in
}

func (o *outside) inode(n *seen, st Stat, target string) *inode {
	in := &inode{mode: st.Mode, nlink: st.Nlink, uid: st.UID, gid: st.GID, atime: st.Atime, mtime: st.Mtime, ctime: st.Ctime, size: st.Size, mount: o.id}
	up, name := split(n.path)
	in.parent, _ = o.number(up)
	in.name = name
	switch {
	case st.Mode.IsDir():
		in.more = &more{path: n.path}
	case st.Mode.IsLink():
		in.head.b, in.size = []byte(target), int64(len(target))
	}
	return in
}

// below joins a name to a path.
func below(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// out gives what is known of the host's directory that a mount is of.
func (f *FS) out(id uint32) *outside {
	if m, _ := f.mount(id); m != nil {
		return m.outside
	}
	return nil
}

// connected is out of a mount whose directory is there; ENODEV: nobody gave it again after a load.
func (f *FS) connected(id uint32) (*outside, error) {
	if o := f.out(id); o != nil && o.src != nil {
		return o, nil
	}
	return nil, ENODEV
}

// far returns an inode with a high number.
func (f *FS) far(ino Ino) *inode {
	if !ino.Outside() {
		return f.gen.get(ino)
	}
	if at := f.near(ino); at != ino {
		return f.native(at)
	}
	if o := f.out(ino.outsideMount()); o != nil {
		return o.get(ino)
	}
	return nil
}

// outsideChild looks a name up in a host's directory. ENOENT, ENODEV (it is not
// there: a state was loaded), what the host says.
func (f *FS) outsideChild(dir *inode, name string) (Ino, error) {
	o, err := f.connected(dir.mount)
	if err != nil {
		return 0, err
	}
	if _, hidden := dir.more.entries.Get(name); hidden {
		return 0, ENOENT
	}
	path := below(dir.more.path, name)
	if len(path) > PathMax {
		return 0, ENAMETOOLONG
	}
	st, target, err := o.src.Lstat(path)
	if err != nil {
		return 0, err
	}
	ino, n := o.number(path)
	o.told(n, st, target)
	return ino, nil
}

// outsideNames lists a host's directory, n < 1: all of it.
func (f *FS) outsideNames(dir *inode, after string, n int) ([]Dirent, error) {
	o, err := f.connected(dir.mount)
	if err != nil {
		return nil, err
	}
	all, err := o.src.ReadDir(dir.more.path, after)
	if err != nil {
		return nil, err
	}
	if n > 0 && len(all) > n {
		all = all[:n]
	}
	out := make([]Dirent, len(all))
	for i, e := range all {
		e.Ino, _ = o.number(below(dir.more.path, e.Name))
		out[i] = e
	}
	return out, nil
}

// outsideChunk is Chunk of a host's file.
func (f *FS) outsideChunk(ino Ino, in *inode, off int64) ([]byte, int64, error) {
	if off >= in.size {
		return nil, 0, nil
	}
	o, err := f.connected(in.mount)
	if err != nil {
		return nil, 0, err
	}
	b, err := o.src.Read(o.known(ino).path, off)
	if err != nil {
		return nil, 0, err
	}
	return b[:min(int64(len(b)), in.size-off)], 0, nil
}

// OutsidePath gives the path of a host's file below its mount, "" for any other.
func (f *FS) OutsidePath(ino Ino) string {
	if !ino.Outside() || f.mounts == nil {
		return ""
	}
	if o := f.out(ino.outsideMount()); o != nil {
		if n := o.known(ino); n != nil {
			return n.path
		}
	}
	return ""
}

// lowerPath reports whether a path is one below a mount.
func lowerPath(path string) bool {
	if len(path) > PathMax || strings.ContainsRune(path, 0) {
		return false
	}
	for _, name := range strings.Split(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// Know says again which path below its mount a number stands for that was saved.
// It is false for a number that is no host's file, and for a path that none has.
func (f *FS) Know(ino Ino, path string) bool {
	if !ino.Outside() || f.mounts == nil || !lowerPath(path) {
		return false
	}
	o := f.out(ino.outsideMount())
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := o.nodes[ino]; n != nil {
		return n.path == path
	}
	o.nodes[ino] = &seen{path: path}
	return true
}

// Connected reports whether the files of a mount can be had: always but for a host's that nobody gave again after a load.
func (m *Mount) Connected() bool { return m.outside == nil || m.outside.src != nil }

// Connect gives the mount with a root directory the host's directory it is of.
func (f *FS) Connect(root Ino, src Source) {
	in := f.mut(root)
	m := *in.more.top
	o := &outside{id: m.ID, src: src, nodes: map[Ino]*seen{}}
	if m.outside != nil {
		m.outside.mu.Lock()
		for ino, n := range m.outside.nodes {
			o.nodes[ino] = &seen{path: n.path}
		}
		m.outside.mu.Unlock()
	}
	m.Host, m.outside = true, o
	in.more.top, in.more.path = &m, "."
}

// outsideContent is Content of a host's file; nil: it cannot be read any more.
func (f *FS) outsideContent(in *inode, ino Ino) []byte {
	o, err := f.connected(in.mount)
	if err != nil {
		return nil
	}
	path := in.more.pathOr(o, ino)
	data := make([]byte, 0, in.size)
	for {
		b, err := o.src.Read(path, int64(len(data)))
		if err != nil {
			return nil
		}
		if data = append(data, b...); len(b) == 0 {
			return data
		}
	}
}

// pathOr is the path a hollow file has, or the number of one that the tree does not have.
func (m *more) pathOr(o *outside, ino Ino) string {
	if m != nil {
		return m.path
	}
	return o.known(ino).path
}
