// Package overlay takes what a sandbox changed in an overlay of a host's
// directory to the host, or away.
//
// A commit has three parts. First it is found out what is to be done, and whether
// the host still has what it had when the overlay hid it; then all that is new is
// written beside its places, under names of its own, from a host that has not
// changed yet; and only then is it given its names, and at last what is gone is
// removed. Until the names are given the host's files are as they were.
package overlay

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"eryxsh/vfs"
)

// Host is a directory of a host that is written to. No path leads out of it, and
// no symbolic link is followed. Errors are of type vfs.Errno.
type Host interface {
	vfs.Source
	// Sum is the SHA-256 of a regular file.
	Sum(path string) ([]byte, error)
	// Free gives a path in a directory that nothing has.
	Free(dir string) (string, error)
	// Create makes a regular file with content, and waits until it is on the disk.
	Create(path string, mode vfs.Mode, content io.Reader) error
	// Symlink makes a symbolic link.
	Symlink(target, path string) error
	// Mkdir makes a directory.
	Mkdir(path string, mode vfs.Mode) error
	// Chmod sets the permission bits of a directory.
	Chmod(path string, mode vfs.Mode) error
	// Rename gives what is in a directory another name there, in place of a file that has it.
	Rename(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(path string) error
	// Sync waits until the names of a directory are on the disk.
	Sync(dir string) error
	// Excluded reports whether the sandbox is not shown a path.
	Excluded(path string, dir bool) bool
	// Keeps reports whether a directory has names that are excluded.
	Keeps(dir string) (bool, error)
}

// PathError is an error at a path below the mount.
type PathError struct {
	Path string
	Err  error
}

// Error names the path.
func (e *PathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *PathError) Unwrap() error { return e.Err }

var (
	errKind = errors.New("only files, directories and symbolic links are committed")
	errKept = errors.New("a directory of the host was moved to where it is excluded")
)

// write is a file, a link or a directory that is made where nothing is.
type write struct {
	path string
	ino  vfs.Ino
	st   vfs.Stat
}

// naming gives what was made, or what is in the way, another name.
type naming struct{ from, to string }

// found is what the host had at a path when the commit was planned.
type found struct {
	path string
	st   vfs.Stat
	none bool
}

// plan is what a commit does.
type plan struct {
	fs    *vfs.FS
	m     vfs.Mounted
	host  Host
	now   int64
	taken map[string]bool // names that were found free

	writes    []write
	names     []naming
	modes     []write
	gone      []string // a directory before what is in it
	seen      []found
	conflicts map[string]bool
}

// Commit does to the host what an overlay says; the overlay stays as it is. If
// there are conflicts, paths where the host has not what it had when it was changed
// in the sandbox, the host is left as it was, and so it is by a *PathError in the
// first two parts.
func Commit(fs *vfs.FS, m vfs.Mounted, host Host, now int64) (conflicts []string, err error) {
	p := &plan{fs: fs, m: m, host: host, now: now, taken: map[string]bool{}, conflicts: map[string]bool{}}
	if err := p.changed(".", m.Root); err != nil || len(p.conflicts) > 0 {
		return slices.Sorted(maps.Keys(p.conflicts)), err
	}
	if err := p.write(); err != nil || len(p.conflicts) > 0 {
		return slices.Sorted(maps.Keys(p.conflicts)), err
	}
	return nil, p.apply()
}

func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// lstat is what the host has at a path now; none: nothing.
func (p *plan) lstat(path string) (st vfs.Stat, target string, none bool, err error) {
	st, target, err = p.host.Lstat(path)
	if err == vfs.ENOENT || err == vfs.ENOTDIR {
		st, err, none = vfs.Stat{}, nil, true
	}
	if err != nil {
		return st, "", false, &PathError{path, err}
	}
	p.seen = append(p.seen, found{path, st, none})
	return st, target, none, nil
}

// changed goes through a directory of the overlay that stands for one the host has at a path.
func (p *plan) changed(path string, dir vfs.Ino) error {
	names := map[string]vfs.Ino{}
	if path == "." || p.fs.Hidden(dir) == path {
		for name, ino := range p.fs.NamesFrom(dir, "") {
			names[name] = ino
		}
	} else { // of which nothing is the host's at this path
		below, err := p.host.ReadDir(path, "")
		if err != nil {
			return &PathError{path, err}
		}
		for _, e := range below {
			names[e.Name] = 0
		}
		if err := p.shown(path, dir, names); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := p.name(join(path, name), names[name]); err != nil {
			return err
		}
	}
	return nil
}

// shown adds what the sandbox sees in a directory to names.
func (p *plan) shown(path string, dir vfs.Ino, names map[string]vfs.Ino) error {
	all, err := p.fs.ReadDirIno(dir, "", 0)
	if err != nil {
		return &PathError{path, err}
	}
	for _, e := range all {
		names[e.Name] = e.Ino
	}
	return nil
}

// name plans what becomes of a path where the sandbox has an inode, 0 for nothing.
func (p *plan) name(path string, ino vfs.Ino) error {
	st, err := p.fs.StatIno(ino)
	if ino != 0 && err != nil {
		return &PathError{path, err}
	}
	if ino != 0 && p.host.Excluded(path, st.Mode.IsDir()) {
		return p.private(path, ino, st)
	}
	is, target, none, err := p.lstat(path)
	switch {
	case err != nil:
		return err
	case ino == 0 && none:
		return nil
	case ino == 0:
		return p.drop(path, path, is)
	case st.Mode.IsDir() && is.Mode.IsDir():
		if b := p.fs.BaseAt(p.m, path); b != nil && b.Mode != st.Mode && is.Mode != st.Mode {
			if is.Mode != b.Mode {
				p.conflicts[path] = true
			}
			p.modes = append(p.modes, write{path, ino, st})
		}
		return p.changed(path, ino)
	case none:
		if p.fs.BaseAt(p.m, path) != nil {
			p.conflicts[path] = true // the host removed it
		}
	default:
		if same, err := p.alike(ino, st, path, is, target); err != nil || same {
			return err
		}
		if err := p.check(path, is); err != nil {
			return err
		}
	}
	return p.put(path, ino, st, is)
}

// private is said of what the host is not given: it may hold nothing that is the host's.
func (p *plan) private(path string, ino vfs.Ino, st vfs.Stat) error {
	todo := []vfs.Ino{ino}
	for len(todo) > 0 && st.Mode.IsDir() {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.fs.Near(dir).Outside() || p.fs.Hidden(dir) != "" {
			return &PathError{path, errKept}
		}
		for _, at := range p.fs.NamesFrom(dir, "") {
			if in, err := p.fs.StatIno(at); err == nil && in.Mode.IsDir() {
				todo = append(todo, at)
			}
		}
	}
	return nil
}

// alike reports whether the host has already what the sandbox has.
func (p *plan) alike(ino vfs.Ino, st vfs.Stat, path string, is vfs.Stat, target string) (bool, error) {
	switch {
	case st.Mode&vfs.TypeMask != is.Mode&vfs.TypeMask || st.Size != is.Size:
		return false, nil
	case st.Mode.IsLink():
		return string(p.fs.Content(ino)) == target, nil
	case permissions(st.Mode) != permissions(is.Mode):
		return false, nil
	}
	sum, err := p.host.Sum(path)
	if err != nil {
		return false, &PathError{path, err}
	}
	mine, err := p.sum(ino)
	if err != nil {
		return false, &PathError{path, err}
	}
	return bytes.Equal(sum, mine), nil
}

// permissions are the bits that a commit gives to a file.
func permissions(m vfs.Mode) vfs.Mode { return m & 0o777 }

// check notes a conflict where the host has not what it had.
func (p *plan) check(path string, is vfs.Stat) error {
	b := p.fs.BaseAt(p.m, path)
	switch {
	case b == nil && p.moved(path):
	case b == nil || b.Mode != is.Mode:
		p.conflicts[path] = true
	case b.Mode.IsDir() || b.Size == is.Size && b.Mtime == is.Mtime && b.Ctime == is.Ctime:
	case len(b.Sum) == 0 || b.Size != is.Size || !b.Mode.IsRegular():
		p.conflicts[path] = true
	default:
		sum, err := p.host.Sum(path)
		if err != nil {
			return &PathError{path, err}
		}
		if !bytes.Equal(sum, b.Sum) {
			p.conflicts[path] = true
		}
	}
	return nil
}

// moved reports whether a path is in a directory that the sandbox has elsewhere.
func (p *plan) moved(path string) bool {
	for path != "." {
		if ino := p.fs.CopiedUp(p.m, path); ino != 0 {
			if st, err := p.fs.StatIno(ino); err == nil && st.Nlink > 0 && st.Mode.IsDir() {
				return true
			}
		}
		path = parent(path)
	}
	return false
}

// drop plans to remove what the host has at a path, which by then is at another.
func (p *plan) drop(path, by string, is vfs.Stat) error {
	if err := p.check(path, is); err != nil {
		return err
	}
	p.gone = append(p.gone, by)
	if !is.Mode.IsDir() {
		return nil
	}
	below, err := p.host.ReadDir(path, "")
	if err != nil {
		return &PathError{path, err}
	}
	for _, e := range below {
		at := join(path, e.Name)
		st, _, none, err := p.lstat(at)
		if err != nil {
			return err
		}
		if !none {
			if err := p.drop(at, join(by, e.Name), st); err != nil {
				return err
			}
		}
	}
	return nil
}

// put plans to give the host a file or a tree where it has nothing, a file, or what is no file.
func (p *plan) put(path string, ino vfs.Ino, st, is vfs.Stat) error {
	at, err := p.free(parent(path))
	if err != nil {
		return &PathError{path, err}
	}
	if is.Mode.IsDir() || is.Mode != 0 && st.Mode.IsDir() {
		aside, err := p.free(parent(path))
		if err != nil {
			return &PathError{path, err}
		}
		if is.Mode.IsDir() {
			if kept, err := p.keeps(path); err != nil || kept {
				p.conflicts[path] = true
				return err
			}
		}
		p.names = append(p.names, naming{path, aside})
		if err := p.drop(path, aside, is); err != nil {
			return err
		}
	}
	p.names = append(p.names, naming{at, path})
	return p.tree(at, path, ino, st)
}

// keeps reports whether the host has something below a directory that the sandbox does not see.
func (p *plan) keeps(dir string) (bool, error) {
	kept, err := p.host.Keeps(dir)
	if err != nil || kept {
		return kept, err
	}
	below, err := p.host.ReadDir(dir, "")
	for _, e := range below {
		if e.Type.IsDir() && err == nil && !kept {
			kept, err = p.keeps(join(dir, e.Name))
		}
	}
	return kept, err
}

// free gives a name in a directory for what is made there.
func (p *plan) free(dir string) (string, error) {
	for {
		at, err := p.host.Free(dir)
		if err != nil || !p.taken[at] {
			p.taken[at] = true
			return at, err
		}
	}
}

// tree plans to make a file or a directory with all that is in it; path is where it will be.
func (p *plan) tree(at, path string, ino vfs.Ino, st vfs.Stat) error {
	switch {
	case !st.Mode.IsDir() && !st.Mode.IsRegular() && !st.Mode.IsLink():
		return &PathError{path, errKind}
	case len(path) > vfs.PathMax:
		return &PathError{path[:vfs.PathMax], vfs.ENAMETOOLONG}
	}
	p.writes = append(p.writes, write{at, ino, st})
	if !st.Mode.IsDir() {
		return nil
	}
	names := map[string]vfs.Ino{}
	if err := p.shown(path, ino, names); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		child := names[name]
		in, err := p.fs.StatIno(child)
		if err != nil {
			return &PathError{join(path, name), err}
		}
		if p.host.Excluded(join(path, name), in.Mode.IsDir()) {
			err = p.private(join(path, name), child, in)
		} else {
			err = p.tree(join(at, name), join(path, name), child, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
