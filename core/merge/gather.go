package merge

import (
	"cmp"
	"slices"

	"eryxsh/vfs"
)

// key is a name in a directory: one the base has or, if that is 0, a new one of
// theirs.
type key struct {
	dir, fresh vfs.Ino
	name       string
}

// change is what theirs did. Everything else is as it is in ours.
type change struct {
	names []key     // that they have otherwise than the base
	moved []vfs.Ino // directories with another place
	gone  []vfs.Ino // directories they do not have any more, what is inside first
	fresh []vfs.Ino // directories of theirs that the base does not have
	dirs  []vfs.Ino // directories with other permissions, owner or time
}

// gather finds what theirs changed.
func gather(p *pair) *change {
	c, seen := &change{}, map[key]bool{}
	add := func(k key) {
		if !seen[k] {
			seen[k] = true
			c.names = append(c.names, k)
		}
	}
	shared := map[vfs.Ino]bool{} // changed files with several names
	for _, ino := range vfs.Changed(p.base, p.side) {
		isDir, wasDir := dir(p.side, ino), dir(p.base, ino)
		switch {
		case isDir && wasDir && p.same(ino):
			c.same(p, ino, add)
			continue
		case wasDir:
			if p.of(ino) == 0 {
				c.gone = append(c.gone, ino)
			}
			listed(p, ino, p.of(ino), add)
		}
		if isDir {
			if p.from(ino) == 0 {
				c.fresh = append(c.fresh, ino)
			}
			listed(p, p.from(ino), ino, add)
			continue
		}
		if was, ok := file(p.base, ino); ok && !wasDir {
			if up, name := p.base.Place(ino); up != 0 && was.Nlink == 1 {
				add(key{dir: up, name: name})
			} else {
				shared[ino] = true
			}
		}
	}
	if len(shared) > 0 { // where all their names are takes a look at every directory
		for r := range p.base.Records() {
			for _, n := range r.Names {
				if shared[n.Ino] && dir(p.base, r.Ino) {
					add(key{dir: r.Ino, name: n.Name})
				}
			}
		}
	}
	c.order(p)
	return c
}

// same gathers what changed in a directory that theirs still have.
func (c *change) same(p *pair, ino vfs.Ino, add func(key)) {
	for _, name := range vfs.ChangedNames(p.base, p.side, ino) {
		add(key{dir: ino, name: name})
	}
	was, _ := p.base.StatIno(ino)
	is, _ := p.side.StatIno(ino)
	if was.Mode != is.Mode || was.UID != is.UID || was.GID != is.GID {
		c.dirs = append(c.dirs, ino)
	}
	up, name := p.base.Place(ino)
	if up2, name2 := p.side.Place(ino); ino != vfs.Root && (name != name2 || p.of(up) != up2) {
		c.moved = append(c.moved, ino)
	}
}

// listed gathers every name of a directory of the base and of what it is in theirs.
func listed(p *pair, was, is vfs.Ino, add func(key)) {
	all := func(f *vfs.FS, ino vfs.Ino) {
		names, _ := f.ReadDirIno(ino, "", 0)
		for _, n := range names {
			if was != 0 {
				add(key{dir: was, name: n.Name})
			} else {
				add(key{fresh: is, name: n.Name})
			}
		}
	}
	if was != 0 {
		all(p.base, was)
	}
	if is != 0 {
		all(p.side, is)
	}
}

// order puts what was gathered in an order that does not depend on numbers.
func (c *change) order(p *pair) {
	path := func(f *vfs.FS, ino vfs.Ino) string { s, _ := f.Path(ino); return s }
	paths := map[key]string{}
	for _, k := range c.names {
		if k.dir != 0 {
			paths[k] = path(p.base, k.dir) + "/" + k.name
		} else {
			paths[k] = path(p.side, k.fresh) + "/" + k.name
		}
	}
	slices.SortFunc(c.names, func(x, y key) int { return cmp.Or(cmp.Compare(paths[x], paths[y]), cmp.Compare(x.fresh, y.fresh)) })
	by := func(f *vfs.FS) func(x, y vfs.Ino) int {
		return func(x, y vfs.Ino) int { return cmp.Compare(path(f, x), path(f, y)) }
	}
	slices.SortFunc(c.moved, by(p.base))
	slices.SortFunc(c.gone, by(p.base))
	slices.Reverse(c.gone)
	slices.SortFunc(c.fresh, by(p.side))
	slices.SortFunc(c.dirs, by(p.base))
}
