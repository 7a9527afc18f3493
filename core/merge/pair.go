package merge

import (
	"slices"

	"eryxsh/vfs"
)

// pair is a side beside the base: which directories of the two are the same.
//
// A directory is the same one if it has its number and its place. One that was
// moved is if half of its names came along. One that was removed and made again in
// its place is the same to a merge too.
type pair struct {
	base, side     *vfs.FS
	known          map[vfs.Ino]bool    // same
	inSide, inBase map[vfs.Ino]vfs.Ino // of, from
}

func newPair(base, side *vfs.FS) *pair {
	return &pair{base, side, map[vfs.Ino]bool{}, map[vfs.Ino]vfs.Ino{}, map[vfs.Ino]vfs.Ino{}}
}

// dir reports whether a tree has a directory of a number.
func dir(f *vfs.FS, ino vfs.Ino) bool {
	st, err := f.StatIno(ino)
	return err == nil && st.Mode.IsDir() && st.Nlink > 0
}

// file describes what a tree has under a number if it is no directory.
func file(f *vfs.FS, ino vfs.Ino) (vfs.Stat, bool) {
	st, err := f.StatIno(ino)
	return st, ino != 0 && err == nil && !st.Mode.IsDir() && st.Nlink > 0
}

// same reports whether both trees have the directory of a number and it is one.
func (p *pair) same(ino vfs.Ino) bool {
	if is, known := p.known[ino]; known {
		return is
	}
	is := dir(p.base, ino) && dir(p.side, ino)
	if is && ino != vfs.Root {
		up, name := p.base.Place(ino)
		up2, name2 := p.side.Place(ino)
		is = up == up2 && name == name2 || p.likely(ino)
	}
	p.known[ino] = is
	return is
}

// likely reports whether half of the names of a directory are there on the side.
func (p *pair) likely(ino vfs.Ino) bool {
	gone := 0
	for _, c := range vfs.DiffNames(p.base, p.side, ino) {
		if c.Before != 0 {
			gone++
		}
	}
	return gone*2 <= p.base.CountNames(ino)
}

// of returns what a directory of the base is on the side, 0 if it is gone.
func (p *pair) of(ino vfs.Ino) vfs.Ino {
	return climb(p.base, ino, p.inSide, p.same, func(up vfs.Ino, name string, _ vfs.Ino) vfs.Ino {
		if at := p.side.Entry(up, name); dir(p.side, at) && !p.same(at) {
			return at
		}
		return 0
	})
}

// from returns what a directory of the side was in the base, 0 if it is new.
func (p *pair) from(ino vfs.Ino) vfs.Ino {
	return climb(p.side, ino, p.inBase, p.same, func(up vfs.Ino, name string, of vfs.Ino) vfs.Ino {
		if at := p.base.Entry(up, name); dir(p.base, at) && !p.same(at) && p.of(at) == of {
			return at
		}
		return 0
	})
}

// climb finds what a directory of f is elsewhere, by what those above it are.
func climb(f *vfs.FS, ino vfs.Ino, found map[vfs.Ino]vfs.Ino, same func(vfs.Ino) bool, below func(up vfs.Ino, name string, of vfs.Ino) vfs.Ino) vfs.Ino {
	var todo []vfs.Ino
	for at := ino; ; at, _ = f.Place(at) {
		if _, known := found[at]; known {
			break
		}
		if at == 0 || same(at) {
			found[at] = at
			break
		}
		todo = append(todo, at)
	}
	for _, at := range slices.Backward(todo) {
		up, name := f.Place(at)
		if found[at] = 0; found[up] != 0 {
			found[at] = below(found[up], name, at)
		}
	}
	return found[ino]
}

// moved reports whether a directory of the base has another path on the side.
func (p *pair) moved(ino vfs.Ino) bool {
	before, _ := p.base.Path(ino)
	after, ok := p.side.Path(p.of(ino))
	return ok && before != after
}

// renamed says where the side has the file that the base has under a name which
// the side does not have: a file with one name that is half as it was, at a path
// where the base has none.
func (p *pair) renamed(ino vfs.Ino) (up vfs.Ino, name string, ok bool) {
	was, had := file(p.base, ino)
	is, has := file(p.side, ino)
	up, name = p.side.Place(ino)
	if !had || !has || ino.Generated() || was.Nlink > 1 || is.Nlink > 1 || was.Mode&vfs.TypeMask != is.Mode&vfs.TypeMask || up == 0 {
		return 0, "", false
	}
	if from := p.from(up); from != 0 {
		if _, taken := file(p.base, p.base.Entry(from, name)); taken {
			return 0, "", false
		}
	}
	return up, name, similar(p.base, p.side, ino)
}

// similar is git's rule for a rename: half of the content is the same, in lines or
// pieces of 64 bytes; what is empty is like nothing.
func similar(a, b *vfs.FS, ino vfs.Ino) bool {
	x, _ := a.StatIno(ino)
	y, _ := b.StatIno(ino)
	if x.Size == 0 || y.Size == 0 {
		return false
	}
	if vfs.SameContent(a, ino, b, ino) {
		return true
	}
	if most := max(x.Size, y.Size); !x.Mode.IsRegular() || min(x.Size, y.Size)*2 < most {
		return false
	}
	count := map[string]int{}
	for _, piece := range pieces(a.Content(ino)) {
		count[string(piece)]++
	}
	kept := int64(0)
	for _, piece := range pieces(b.Content(ino)) {
		if count[string(piece)] > 0 {
			count[string(piece)]--
			kept += int64(len(piece))
		}
	}
	return kept*2 >= max(x.Size, y.Size)
}

// pieces cuts content behind every newline, and every 64 bytes.
func pieces(data []byte) (all [][]byte) {
	from := 0
	for i, c := range data {
		if c == '\n' || i+1-from == 64 || i+1 == len(data) {
			all, from = append(all, data[from:i+1]), i+1
		}
	}
	return all
}
