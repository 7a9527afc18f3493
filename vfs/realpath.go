package vfs

import (
	"strconv"
	"strings"
)

// Missing says which components of a path Realpath lets be missing.
type Missing uint8

// The three ways of realpath(1).
const (
	MissingNone Missing = iota // realpath -e
	MissingLast                // realpath, readlink -f
	MissingAny                 // realpath -m
)

// Realpath returns the path with no link, "." or ".." in it. With MissingAny
// what cannot be resolved is taken as it is written; more than 40 links are too
// many. The path errors.
func (f *FS) Realpath(c Cred, path string, missing Missing) (string, error) {
	links := 0
	for {
		p, err := f.walk(c, path, true)
		if links += p.links; links > maxFollowed {
			return "", ELOOP
		}
		if err == nil {
			in := f.get(p.ino)
			switch {
			case f.get(p.dir).nlink == 0:
				return "", ENOENT // a removed directory has no path
			case p.ino == 0 && missing == MissingNone:
				return "", ENOENT
			case p.ino != 0 && p.slash && !in.mode.IsDir() && missing != MissingAny:
				return "", ENOTDIR
			case p.ino != 0 && in.mode.IsDir():
				return f.dirPath(p.ino), nil
			}
			return join(f.dirPath(p.dir), p.name), nil
		}
		if missing != MissingAny || path == "" || err == EINVAL || len(path) > PathMax {
			return "", err
		}
		var again bool
		if path, again = f.byLetter(p); !again {
			return path, nil
		}
	}
}

// byLetter returns the path of what cannot be resolved past a place: what follows
// is taken as it is written. If a ".." leads back, the path from there is to be
// resolved again.
func (f *FS) byLetter(p place) (path string, again bool) {
	dir, names := f.dirPath(p.dir), []string(nil)
	for rest := p.name + p.rest; rest != ""; {
		var name string
		switch name, rest, _ = strings.Cut(rest, "/"); name {
		case "", ".":
			continue
		case "..":
		default:
			names = append(names, name)
			continue
		}
		if len(names) > 1 {
			names = names[:len(names)-1]
			continue
		}
		if len(names) == 0 {
			dir = dir[:strings.LastIndexByte(dir, '/')+1]
		}
		return join(dir, rest), true
	}
	return join(dir, strings.Join(names, "/")), false
}

func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// Path returns the absolute path of an inode: of a directory the one it has, of
// a file with several names the newest, or the first in the tree when that is
// gone. False: it has none (unlinked), or there is no such inode.
func (f *FS) Path(ino Ino) (string, bool) {
	in := f.get(ino)
	if in == nil || in.nlink == 0 {
		return "", false
	}
	if n, ok := ino.Fd(); ok {
		return join(f.dirPath(fdDir), strconv.Itoa(n)), true
	}
	if _, stub := f.Stub(ino); stub {
		if f.bin == 0 {
			return "", false
		}
		if at, _ := f.child(f.bin, f.get(f.bin), in.name); at != ino {
			return "", false
		}
		return join(f.dirPath(f.bin), in.name), true
	}
	if in.mode.IsDir() {
		return f.dirPath(ino), true
	}
	if in.parent != 0 {
		return join(f.dirPath(in.parent), in.name), true
	}
	for dir, d := range f.inodes.All() {
		if d.mode.IsDir() && d.nlink > 0 {
			for name, at := range d.more.entries.All() {
				if at == ino {
					return join(f.dirPath(Ino(dir)), name), true
				}
			}
		}
	}
	return "", false
}

// dirPath returns the absolute path of a directory that is in the tree.
func (f *FS) dirPath(dir Ino) string {
	if dir == Root {
		return "/"
	}
	var names []string
	for dir != Root && dir != 0 {
		in := f.get(dir)
		names, dir = append(names, in.name), in.parent
	}
	b := make([]byte, 0, 64)
	for i := len(names) - 1; i >= 0; i-- {
		b = append(append(b, '/'), names[i]...)
	}
	return string(b)
}
