// Package host reads directories of the host for mounts, and writes to them. It is the only package
// below core that may.
//
// A Dir is confined to its directory by os.Root: every path is resolved from the
// directory that was opened when it was mounted, name by name and without
// following a symbolic link, so neither "..", nor a link, nor a directory that
// somebody swaps for a link while it is walked leads out. Links are given as
// text: the sandbox resolves them in its own tree. Only regular files are ever
// opened, and nothing is listed or read before it is asked for.
package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"eryxsh/core/ignore"
	"eryxsh/vfs"
)

// Dir is a directory of the host. It may be used by several threads at once.
type Dir struct {
	root     *os.Root
	uid, gid uint32 // whose everything in it is

	mu    sync.Mutex
	subs  map[string]*sub // directories that were gone through last
	files map[string]*file
	lists map[string][]vfs.Dirent
	turn  int64
	temp  int64 // names that were made

	exclude   ignore.Rules
	gitignore bool
	ignores   map[string]*ignoreFile
}

// sub is a directory that is kept open, and which it was.
type sub struct {
	root *os.Root
	info fs.FileInfo
	used int64
}

// file is what was read last of a file, while it is as it was.
type file struct {
	st   vfs.Stat
	at   int64
	data []byte
	used int64
}

const (
	keptDirs  = 64
	keptFiles = 32
	keptLists = 16
	piece     = 256 << 10 // bytes read at once
)

// Open opens a directory of the host by its path there. All of it will belong
// to the user and the group that are given. The error is of type vfs.Errno.
func Open(dir string, uid, gid uint32) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return nil, vfs.ENOTDIR
		}
		return nil, number(err)
	}
	return &Dir{root: root, uid: uid, gid: gid, subs: map[string]*sub{}, files: map[string]*file{}, lists: map[string][]vfs.Dirent{}}, nil
}

// enter gives the directory at a path, one name after the other: what is there
// now, and no link.
func (d *Dir) enter(dir string) (*os.Root, error) {
	if dir == "." {
		return d.root, nil
	}
	up, name := path.Split(dir)
	above, err := d.enter(path.Clean(up + "."))
	if err != nil {
		return nil, err
	}
	info, err := above.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	if s := d.subs[dir]; s != nil && os.SameFile(s.info, info) {
		d.turn++
		s.used = d.turn
		return s.root, nil
	}
	root, err := above.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, info) { // a link was put in its place
		root.Close()
		return nil, syscall.ENOENT
	}
	d.turn++
	if old := d.subs[dir]; old != nil {
		old.root.Close()
	}
	d.subs[dir] = &sub{root, info, d.turn}
	return root, nil
}

// trim closes directories beyond those that are kept. Nothing may be using one.
func (d *Dir) trim() {
	for len(d.subs) > keptDirs {
		oldest := leastRecent(d.subs, func(s *sub) int64 { return s.used })
		d.subs[oldest].root.Close()
		delete(d.subs, oldest)
	}
	for len(d.ignores) > keptIgnores {
		delete(d.ignores, leastRecent(d.ignores, func(f *ignoreFile) int64 { return f.used }))
	}
	for len(d.files) > keptFiles {
		delete(d.files, leastRecent(d.files, func(f *file) int64 { return f.used }))
	}
}

// leastRecent is the name of what was used before all others.
func leastRecent[T any](all map[string]T, used func(T) int64) (oldest string) {
	for name, x := range all {
		if oldest == "" || used(x) < used(all[oldest]) {
			oldest = name
		}
	}
	return oldest
}

// place gives the directory a path is in, and its name there.
func (d *Dir) place(p string) (*os.Root, string, error) {
	if p == "." {
		return d.root, ".", nil
	}
	up, name := path.Split(p)
	root, err := d.enter(path.Clean(up + "."))
	return root, name, err
}

// Lstat describes a file.
func (d *Dir) Lstat(p string) (st vfs.Stat, target string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	root, name, err := d.place(p)
	if err != nil {
		return st, "", number(err)
	}
	info, err := root.Lstat(name)
	if err != nil {
		return st, "", number(err)
	}
	if d.excluded(p, info.IsDir()) {
		return st, "", vfs.ENOENT
	}
	st = d.stat(info)
	if st.Mode.IsLink() {
		if target, err = root.Readlink(name); err != nil {
			return st, "", number(err)
		}
		if target == "" || len(target) > vfs.PathMax {
			return st, "", vfs.ENAMETOOLONG
		}
	}
	if f := d.files[p]; f != nil && (f.st.Size != st.Size || f.st.Mtime != st.Mtime || f.st.Ctime != st.Ctime || f.st.Ino != st.Ino) {
		delete(d.files, p)
	}
	return st, target, nil
}

// ReadDir lists a directory. What follows a name is of the listing the name was in.
func (d *Dir) ReadDir(p, after string) ([]vfs.Dirent, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	all, ok := d.lists[p]
	if after == "" || !ok {
		root, err := d.enter(p)
		if err != nil {
			return nil, number(err)
		}
		if all, err = list(root); err != nil {
			return nil, number(err)
		}
		if d.excluded(p, true) {
			return nil, vfs.ENOENT
		}
		all = d.shown(p, all)
		if len(d.lists) >= keptLists {
			clear(d.lists)
		}
		d.lists[p] = all
	}
	i, found := slices.BinarySearchFunc(all, after, func(e vfs.Dirent, name string) int { return strings.Compare(e.Name, name) })
	if found {
		i++
	}
	return slices.Clone(all[i:]), nil
}

func list(root *os.Root) ([]vfs.Dirent, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	all := make([]vfs.Dirent, len(entries))
	for i, e := range entries {
		all[i] = vfs.Dirent{Name: e.Name(), Type: mode(e.Type()) & vfs.TypeMask}
	}
	slices.SortFunc(all, func(a, b vfs.Dirent) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Read gives bytes of a regular file from off on.
func (d *Dir) Read(p string, off int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	d.turn++
	if f := d.files[p]; f != nil && off >= f.at && off < f.at+int64(len(f.data)) {
		f.used = d.turn
		return f.data[off-f.at:], nil
	}
	root, name, err := d.place(p)
	if err != nil {
		return nil, number(err)
	}
	if d.excluded(p, false) {
		return nil, vfs.ENOENT
	}
	in, err := regular(root, name)
	if err != nil {
		return nil, number(err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, number(err)
	}
	if off >= info.Size() {
		return nil, nil
	}
	data := make([]byte, min(piece, info.Size()-off))
	n, err := in.ReadAt(data, off)
	if err != nil && err != io.EOF {
		return nil, number(err)
	}
	d.files[p] = &file{d.stat(info), off, data[:n:n], d.turn}
	return data[:n:n], nil
}

// stat is what the sandbox sees of a file.
func (d *Dir) stat(info fs.FileInfo) vfs.Stat {
	st := vfs.Stat{Mode: mode(info.Mode()), Nlink: 1, UID: d.uid, GID: d.gid, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	st.Atime, st.Ctime = st.Mtime, st.Mtime
	more(info, &st)
	return st
}

// mode is a file's type and permission bits as Linux writes them.
func mode(m fs.FileMode) vfs.Mode {
	out := vfs.Mode(m.Perm())
	for _, bit := range []struct {
		is fs.FileMode
		as vfs.Mode
	}{{fs.ModeSetuid, vfs.SetUID}, {fs.ModeSetgid, vfs.SetGID}, {fs.ModeSticky, vfs.Sticky}} {
		if m&bit.is != 0 {
			out |= bit.as
		}
	}
	switch {
	case m.IsRegular():
		return out | vfs.TypeFile
	case m.IsDir():
		return out | vfs.TypeDir
	case m&fs.ModeSymlink != 0:
		return out | vfs.TypeLink
	case m&fs.ModeNamedPipe != 0:
		return out | vfs.TypeFifo
	case m&fs.ModeSocket != 0:
		return out | typeSocket
	case m&fs.ModeCharDevice != 0:
		return out | vfs.TypeChar
	}
	return out | typeBlock
}

// Types that only a host has.
const (
	typeSocket vfs.Mode = 0o140000
	typeBlock  vfs.Mode = 0o060000
)

// number is an error of the host as the sandbox's.
func number(err error) error {
	var code syscall.Errno
	switch {
	case errors.As(err, &code):
		return vfs.Errno(code)
	case errors.Is(err, fs.ErrNotExist):
		return vfs.ENOENT
	case errors.Is(err, fs.ErrPermission):
		return vfs.EACCES
	}
	return vfs.EIO
}
