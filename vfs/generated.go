package vfs

import (
	"slices"
	"strconv"
	"strings"

	"eryxsh/vfs/persist"
)

// Numbers of what is never saved. A generated inode's follows from its path, so
// it is the same in every process and release.
const (
	genBase Ino = 1 << 48
	genMask     = 1<<40 - 1
	fdBase  Ino = 1 << 49
	fdDir   Ino = fdBase - 1 // /proc/self/fd
	maxFd       = 1<<20 - 1
)

// Generated reports whether the number is that of something never saved.
func (i Ino) Generated() bool { return i >= genBase }

// Fd reports that the inode is entry n of /dev/fd, which only the shell knows:
// whether n is open and what it is. Its Stat is that of a device.
func (i Ino) Fd() (n int, ok bool) {
	if i < fdBase || i > fdBase+maxFd {
		return 0, false
	}
	return int(i - fdBase), true
}

// IsFdDir reports that the inode is the directory of open files, which lists
// empty: the shell knows its entries.
func (i Ino) IsFdDir() bool { return i == fdDir }

// FdIno returns the number of entry n of /dev/fd.
func FdIno(n int) Ino { return fdBase + Ino(n) }

// fdEntry looks a name up in the directory of open files.
func fdEntry(name string) (Ino, bool) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 0 || n > maxFd || strconv.Itoa(n) != name {
		return 0, false
	}
	return FdIno(n), true
}

// ProcFile is a file of /proc whose content is made when it is read.
type ProcFile struct {
	Path    string // below /proc, as in "meminfo" or "sys/kernel/ostype"
	Content func(now int64) []byte
}

// GeneratedTable says what a Generated has beside /dev.
type GeneratedTable struct {
	Bins   []string                 // names in /usr/bin
	Stub   func(name string) []byte // what a name of /usr/bin reads as; nil: one line of comment
	Proc   []ProcFile               // functions of now alone: they run on any thread
	Mounts string                   // the file of Proc to which what is mounted is added
	Time   int64                    // of every generated inode, ns since 1970
}

// Generated is the part of a tree that is never saved: /dev, /proc and names in
// /usr/bin. It never changes, and every fork of a tree shares it.
type Generated struct {
	nodes  map[Ino]*inode
	makes  map[Ino]func(now int64) []byte
	table  Ino // the file that lists the mounts
	stubs  map[Ino]string
	fds    *inode
	mounts persist.Sorted[Ino] // names in the root directory
	bins   persist.Sorted[Ino] // names in /usr/bin
	time   int64
}

// NewGenerated makes the generated part of a tree. /dev and /proc/self are
// always there.
func NewGenerated(t GeneratedTable) *Generated {
	g := &Generated{nodes: map[Ino]*inode{}, makes: map[Ino]func(int64) []byte{}, stubs: map[Ino]string{}, time: t.Time}
	g.dir("/dev")
	for _, d := range []struct {
		name string
		dev  uint32
	}{{"null", DevNull}, {"zero", DevZero}, {"full", DevFull}, {"random", DevRandom}, {"urandom", DevRandom}, {"tty", DevTTY}} {
		g.node("/dev/"+d.name, TypeChar|0o666).more = &more{num: uint64(d.dev)}
	}
	g.link("/dev/fd", "/proc/self/fd")
	for n, name := range []string{"stdin", "stdout", "stderr"} {
		g.link("/dev/"+name, "/proc/self/fd/"+strconv.Itoa(n))
	}
	g.dir("/proc/self/fd")
	g.fds = &inode{mode: TypeChar | 0o666, nlink: 1, mtime: t.Time, atime: t.Time, ctime: t.Time, parent: fdDir, more: &more{num: uint64(DevFd)}}
	for _, p := range t.Proc {
		path := "/proc/" + strings.Trim(p.Path, "/")
		g.node(path, TypeFile|0o444)
		g.makes[g.find(path)] = p.Content
		if p.Path == t.Mounts {
			g.table = g.find(path)
		}
	}
	bins := slices.Clone(t.Bins)
	slices.Sort(bins)
	for _, name := range slices.Compact(bins) {
		in, ino := g.bare("/usr/bin/"+name, TypeFile|0o755)
		in.name = name
		if t.Stub != nil {
			in.head.b = t.Stub(name)
		} else {
			in.head.b = []byte("# " + name + ": built in\n")
		}
		in.size = int64(len(in.head.b))
		g.bins.Set(0, name, ino)
		g.stubs[ino] = name
	}
	return g
}

// bare makes an inode no directory has, numbered after its path.
func (g *Generated) bare(path string, mode Mode) (*inode, Ino) {
	ino := genBase + Ino(persist.Hash(path)&genMask)
	if path == "/proc/self/fd" {
		ino = fdDir
	}
	for g.nodes[ino] != nil {
		ino++
	}
	in := &inode{mode: mode, nlink: 1, atime: g.time, mtime: g.time, ctime: g.time}
	g.nodes[ino] = in
	return in, ino
}

// node makes an inode at a path, and the directories that lead to it.
func (g *Generated) node(path string, mode Mode) *inode {
	in, ino := g.bare(path, mode)
	at := strings.LastIndexByte(path, '/')
	in.name = path[at+1:]
	if at == 0 {
		in.parent = Root
		g.mounts.Set(0, in.name, ino)
		return in
	}
	in.parent = g.dir(path[:at])
	up := g.nodes[in.parent]
	up.more.entries.Set(0, in.name, ino)
	if mode.IsDir() {
		up.nlink++
	}
	return in
}

// dir returns the directory at a path, making it when it is not there.
func (g *Generated) dir(path string) Ino {
	if ino := g.find(path); ino != 0 {
		return ino
	}
	mode := TypeDir | 0o555
	if path == "/dev" {
		mode = TypeDir | 0o755
	}
	in := g.node(path, mode)
	in.nlink, in.more = 2, &more{}
	return g.find(path)
}

func (g *Generated) link(path, target string) {
	in := g.node(path, TypeLink|0o777)
	in.head.b, in.size = []byte(target), int64(len(target))
}

// find returns the inode at a path, 0 when there is none.
func (g *Generated) find(path string) (ino Ino) {
	names := &g.mounts
	for _, name := range strings.Split(path[1:], "/") {
		if names == nil {
			return 0
		}
		if ino, _ = names.Get(name); ino == 0 {
			return 0
		}
		names = nil
		if in := g.nodes[ino]; in.mode.IsDir() {
			names = &in.more.entries
		}
	}
	return ino
}

func (g *Generated) get(ino Ino) *inode {
	if _, ok := ino.Fd(); ok {
		return g.fds
	}
	return g.nodes[ino]
}

// content returns what a generated file reads as.
func (g *Generated) content(ino Ino, in *inode, now int64) []byte {
	if mk := g.makes[ino]; mk != nil {
		return mk(now)
	}
	return in.head.b
}

// Stub reports that the inode is a generated name of /usr/bin, and which.
func (f *FS) Stub(ino Ino) (name string, ok bool) {
	if !ino.Generated() {
		return "", false
	}
	name, ok = f.gen.stubs[ino]
	return name, ok
}
