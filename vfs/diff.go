package vfs

import (
	"bytes"

	"eryxsh/vfs/persist"
)

// Change is one inode that two versions of a tree do not have alike.
type Change struct {
	Ino     Ino
	Before  string // its path in the first version, "" when it has none there
	After   string // its path in the second
	Content bool   // bytes, names or the target differ, not just attributes
}

// Diff returns how b differs from a, in number order. Both must come from one
// tree by forks; what they share is skipped, so the cost follows the changes. A
// directory that moved is one change, whatever is in it.
func Diff(a, b *FS) (all []Change) {
	persist.DiffVec(&a.inodes, &b.inodes, func(x, y **inode) bool { return (*x).same(*y) },
		func(i int64, x, y **inode) bool {
			c := Change{Ino: Ino(i)}
			if x != nil {
				c.Before, _ = a.Path(c.Ino)
			}
			if y != nil {
				c.After, _ = b.Path(c.Ino)
			}
			c.Content = x == nil || y == nil || !(*x).sameContent(*y)
			if c.Before != "" || c.After != "" {
				all = append(all, c)
			}
			return true
		})
	return all
}

// same reports whether two inodes of one number are alike. A name that is only
// not known is no difference.
func (in *inode) same(other *inode) bool {
	if in == other {
		return true
	}
	a, b := *in, *other
	return a.mode == b.mode && a.nlink == b.nlink && a.uid == b.uid && a.gid == b.gid &&
		a.atime == b.atime && a.mtime == b.mtime && a.ctime == b.ctime &&
		(a.parent == 0 || b.parent == 0 || a.parent == b.parent && a.name == b.name) && in.sameContent(other)
}

// sameContent reports whether two inodes of one number hold the same.
func (in *inode) sameContent(other *inode) bool {
	if in.size != other.size || !bytes.Equal(in.head.b, other.head.b) {
		return false
	}
	var none more
	a, b := in.more, other.more
	if a == nil {
		a = &none
	}
	if b == nil {
		b = &none
	}
	if a.num != b.num || !persist.EqualSorted(&a.entries, &b.entries) {
		return false
	}
	alike := true
	persist.DiffVec(&a.chunks, &b.chunks, func(x, y *chunk) bool { return bytes.Equal(x.b, y.b) },
		func(int64, *chunk, *chunk) bool {
			alike = false
			return false
		})
	return alike
}

// NameChange is one name of a directory that two versions do not have alike.
type NameChange struct {
	Name   string
	Before Ino // 0: there was none
	After  Ino // 0: there is none
}

// DiffNames returns how the names of a directory differ between two versions
// of one tree, in byte order. A directory that one of them lacks has none
// there. Generated names, and whiteouts over them, are left out.
func DiffNames(a, b *FS, dir Ino) (all []NameChange) {
	names := func(f *FS) *persist.Sorted[Ino] {
		if in := f.get(dir); in != nil && in.mode.IsDir() && in.more != nil {
			return &in.more.entries
		}
		return &persist.Sorted[Ino]{}
	}
	persist.DiffSorted(names(a), names(b), func(name string, x, y *Ino) bool {
		c := NameChange{Name: name}
		if x != nil {
			c.Before = *x
		}
		if y != nil {
			c.After = *y
		}
		if c.Before != c.After {
			all = append(all, c)
		}
		return true
	})
	return all
}
