package vfs

import "strings"

// last says what the last component of a path is: a name, or one of the things
// that cannot be made, removed or renamed.
type last uint8

const (
	lastName last = iota
	lastDot
	lastDotDot
	lastRoot
)

// place is where a path leads.
type place struct {
	dir   Ino    // the directory that has, or would have, the last name
	name  string // the last name, "" when last is not lastName
	ino   Ino    // what is there, 0 for nothing
	last  last
	slash bool   // a slash follows
	rest  string // after an error: what was still to be resolved behind name
	links int    // symbolic links followed
}

// walk resolves a path. Only the last name may be missing; when follow is
// false it is not followed if it is a symbolic link. On an error the place says
// where it stopped. A trailing slash is noted, not enforced.
//
// ENOENT, ENOTDIR, EACCES (no search permission), ELOOP, ENAMETOOLONG, EINVAL
// (a NUL byte).
func (f *FS) walk(c Cred, path string, follow bool) (p place, err error) {
	switch {
	case path == "":
		return place{dir: Root}, ENOENT
	case len(path) > PathMax:
		return place{dir: Root}, ENAMETOOLONG
	case strings.IndexByte(path, 0) >= 0:
		return place{dir: Root}, EINVAL
	}
	p = place{dir: Root, ino: Root, last: lastRoot}
	cur, in, links := Root, f.get(Root), 0
	if c.Dir != 0 && path[0] != '/' {
		p = place{dir: c.Dir, ino: c.Dir, last: lastDot}
		if cur, in = f.near(c.Dir), f.get(c.Dir); in == nil {
			return p, ENOENT
		}
	}
	for rest := path; ; {
		start := 0
		for start < len(rest) && rest[start] == '/' {
			start++
		}
		if rest = rest[start:]; rest == "" {
			p.slash = start > 0
			return p, nil
		}
		name := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			name = rest[:i]
		}
		rest = rest[len(name):]
		if !in.mode.IsDir() {
			return p, ENOTDIR // p is still the place of in
		}
		p = place{dir: cur, name: name, rest: rest, links: links}
		if !c.may(in, X_OK) {
			return p, EACCES
		}
		if name == "." || name == ".." {
			p.last, p.name = lastDot, ""
			if name == ".." {
				p.last, cur = lastDotDot, in.parent
				if cur = f.near(cur); cur == 0 {
					return p, ENOENT
				}
				if in = f.get(cur); in == nil { // removed, and saved when ".." was not kept
					return p, ENOENT
				}
			}
			p.dir, p.ino = cur, cur
			continue
		}
		if len(name) > NameMax {
			return p, ENAMETOOLONG
		}
		ino, ok := f.child(cur, in, name)
		if !ok && in.more.path != "" {
			if ino, err = f.outsideChild(in, name); err != nil && err != ENOENT {
				return p, err
			}
			ok, err = err == nil, nil
		}
		end := strings.TrimLeft(rest, "/") == ""
		if !ok {
			if p.slash = rest != ""; end {
				return p, nil
			}
			return p, ENOENT
		}
		p.ino = ino
		next := f.get(ino)
		if next.mode.IsLink() && (follow || !end) {
			if links++; links > maxFollowed {
				return p, ELOOP
			}
			if rest = next.target() + rest; rest[0] == '/' {
				cur, in = Root, f.get(Root)
				p = place{dir: Root, ino: Root, last: lastRoot, links: links}
			}
			continue
		}
		if end {
			p.slash = rest != ""
			return p, nil
		}
		cur, in = ino, next
	}
}

// find resolves a path to an inode that exists. A trailing slash follows a link
// and demands a directory.
func (f *FS) find(c Cred, path string, follow bool) (place, *inode, error) {
	p, err := f.walk(c, path, follow || strings.HasSuffix(path, "/"))
	if err != nil {
		return p, nil, err
	}
	if p.ino == 0 {
		return p, nil, ENOENT
	}
	in := f.get(p.ino)
	if p.slash && !in.mode.IsDir() {
		return p, in, ENOTDIR
	}
	return p, in, nil
}

// makable checks that a new name may be made at a place: EEXIST, ENOENT (a
// trailing slash where no directory is made), EACCES, EROFS (generated).
func (f *FS) makable(c Cred, p place, dir bool) error {
	if p.ino != 0 {
		return EEXIST
	}
	if p.slash && !dir {
		return ENOENT
	}
	return f.writable(c, p.dir)
}

// writable checks that names of a directory may change: EACCES, EROFS, ENOENT
// (it was removed).
func (f *FS) writable(c Cred, dir Ino) error {
	in := f.get(dir)
	switch {
	case in == nil || in.nlink == 0:
		return ENOENT
	case f.sealed(in):
		return EROFS
	case !c.may(in, W_OK|X_OK):
		return EACCES
	case dir.Generated() && !f.overlaid(in) && f.direct(in) == nil:
		return EROFS
	}
	return nil
}

// removable checks that the name at a place, which exists, may be taken away:
// EACCES, EROFS (generated), EPERM (sticky directory), EBUSY (/dev, /proc, a mount point).
func (f *FS) removable(c Cred, p place) error {
	if err := f.writable(c, p.dir); err != nil {
		return err
	}
	dir, in := f.get(p.dir), f.get(p.ino)
	if dir.mode&Sticky != 0 && !c.Root && c.UID != in.uid && c.UID != dir.uid {
		return EPERM
	}
	if p.dir == Root && p.ino.Generated() || in.mount != dir.mount {
		return EBUSY
	}
	return nil
}
