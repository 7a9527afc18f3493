package merge

import (
	"fmt"
	"slices"
	"strconv"

	"eryxsh/vfs"
)

// describe is the permissions and the owner of a file as text.
func describe(st vfs.Stat) []byte {
	return fmt.Appendf(nil, "%04o %d:%d", st.Mode&vfs.PermMask, st.UID, st.GID)
}

// hold puts a name aside until there is room for it where theirs have it.
func (t *tree) hold(p placement) error {
	p.held = strconv.Itoa(len(t.placed))
	t.placed = append(t.placed, p)
	return t.out.Move(p.from, p.name, t.aside, p.held, t.now)
}

// moveDirs takes the directories that theirs moved out of their places.
func (t *tree) moveDirs() error {
	for _, d := range t.changed.moved {
		up, name := t.theirs.Place(d)
		at := t.o.of(d)
		if at == 0 { // ours removed it: each file of it is a conflict
			t.whole(d)
			continue
		}
		up2, name2 := t.ours.Place(at)
		from, was := t.base.Place(d)
		if t.o.of(from) == up2 && was == name2 {
			if err := t.hold(placement{from: up2, name: name2, up: up, as: name}); err != nil {
				return err
			}
			continue
		}
		oursPath, _ := t.ours.Path(at)
		theirsPath, _ := t.theirs.Path(d)
		if oursPath == theirsPath {
			continue
		}
		decided, err := t.judge.decide(&Conflict{Kind: RenameRename, Path: oursPath, OursPath: oursPath, TheirsPath: theirsPath})
		if err != nil {
			return err
		}
		if decided.Take == Theirs {
			if err := t.hold(placement{from: up2, name: name2, up: up, as: name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// whole adds every name in a directory of theirs to what they changed.
func (t *tree) whole(top vfs.Ino) {
	seen := map[key]bool{}
	for _, k := range t.changed.names {
		seen[k] = true
	}
	for todo := []vfs.Ino{top}; len(todo) > 0; {
		d := todo[0]
		todo = todo[1:]
		names, _ := t.theirs.ReadDirIno(d, "", 0)
		for _, n := range names {
			k := key{dir: t.t.from(d), name: n.Name}
			if k.dir == 0 {
				k.fresh = d
			}
			if n.Type.IsDir() {
				todo = append(todo, n.Ino)
			} else if !seen[k] {
				t.changed.names = append(t.changed.names, k)
			}
		}
	}
}

// removeDirs removes the directories that theirs removed, if nothing is left in them.
func (t *tree) removeDirs() error {
	for _, d := range t.changed.gone {
		at := t.o.of(d)
		if at == 0 {
			continue
		}
		up, name := t.out.Place(at)
		if err := t.out.Take(up, name, t.now); err != nil && err != vfs.ENOTEMPTY {
			return err
		}
	}
	return nil
}

// placeDirs gives the directories that theirs moved their new places. What is in
// its way stays there, and the directory goes back; so does one that would be
// inside itself.
func (t *tree) placeDirs() error {
	for _, p := range t.placed {
		if p.ino != 0 {
			continue
		}
		to, err := t.dir(p.up)
		if err != nil {
			return err
		}
		if to != 0 && t.out.Entry(to, p.as) == 0 {
			if err = t.out.Move(t.aside, p.held, to, p.as, t.now); err == nil {
				continue
			}
		}
		c := &Conflict{Kind: RenameRename, Path: joined(t.ours, p.from, p.name), OursPath: joined(t.ours, p.from, p.name), TheirsPath: joined(t.theirs, p.up, p.as)}
		if to != 0 && t.out.Entry(to, p.as) != 0 {
			c.Kind = BothAdded
		}
		d, err := t.judge.decide(c)
		if err != nil {
			return err
		}
		back, name := p.from, p.name
		if d.Take != Ours && to != 0 && c.Kind == BothAdded {
			back, name = to, t.free(to, p.as+"~theirs")
		}
		if t.out.Entry(back, name) != 0 {
			name = t.free(back, name+"~ours")
		}
		if err := t.out.Move(t.aside, p.held, back, name, t.now); err != nil {
			if err = t.out.Move(t.aside, p.held, vfs.Root, t.free(vfs.Root, name), t.now); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeDirs makes the directories that theirs made.
func (t *tree) makeDirs() error {
	for _, d := range t.changed.fresh {
		if _, err := t.dir(d); err != nil {
			return err
		}
	}
	return nil
}

// dir returns what a directory of theirs is in out, and makes it if it is new or
// was removed; 0 where ours has something else in its place that stays.
func (t *tree) dir(d vfs.Ino) (vfs.Ino, error) {
	var todo []vfs.Ino
	for at := d; ; at, _ = t.theirs.Place(at) {
		if _, known := t.dirs[at]; known || at == 0 {
			break
		}
		if from := t.t.from(at); from != 0 {
			if mine := t.o.of(from); mine != 0 && dir(t.out, mine) {
				t.dirs[at] = mine
				break
			}
		}
		todo = append(todo, at)
	}
	for _, at := range slices.Backward(todo) {
		up, name := t.theirs.Place(at)
		made, err := t.make(t.dirs[up], name, at)
		if err != nil {
			return 0, err
		}
		t.dirs[at] = made
	}
	return t.dirs[d], nil
}

// make makes a directory of theirs, if there is none already.
func (t *tree) make(up vfs.Ino, name string, d vfs.Ino) (vfs.Ino, error) {
	if up == 0 {
		return 0, nil
	}
	at := t.out.Entry(up, name)
	if dir(t.out, at) {
		return at, nil
	}
	if at != 0 {
		where := joined(t.out, up, name)
		c := &Conflict{Kind: FileDirectory, Path: where, OursPath: where, TheirsPath: where, Ours: t.out.Content(at)}
		decided, err := t.judge.decide(c)
		switch {
		case err != nil:
			return 0, err
		case decided.Take == Ours:
			return 0, nil
		case decided.Take == Theirs:
			err = t.out.Take(up, name, t.now)
		default:
			err = t.out.Move(up, name, up, t.free(up, name+"~ours"), t.now)
		}
		if err != nil {
			return 0, err
		}
	}
	return t.out.Graft(up, name, t.theirs, d, t.now)
}

// free returns a name a directory does not have, made of one that it may have.
func (t *tree) free(d vfs.Ino, name string) string {
	name = name[max(0, len(name)-vfs.NameMax+8):]
	for i, try := 0, name; ; i, try = i+1, name+"_"+strconv.Itoa(i) {
		if t.out.Entry(d, try) == 0 {
			return try
		}
	}
}

// fileAtDirectory decides where a file of theirs goes when ours has a directory
// in its place; to is 0 if nowhere.
func (t *tree) fileAtDirectory(up vfs.Ino, name string, ino vfs.Ino) (to vfs.Ino, as string, err error) {
	where := joined(t.out, up, name)
	d, err := t.judge.decide(&Conflict{Kind: FileDirectory, Path: where, OursPath: where, TheirsPath: where, Theirs: t.theirs.Content(ino)})
	switch {
	case err != nil || d.Take == Ours:
		return 0, "", err
	case d.Take == Theirs:
		return up, name, t.clear(up, name)
	}
	return up, t.free(up, name+"~theirs"), nil
}

// clear removes a directory of out with what is in it.
func (t *tree) clear(up vfs.Ino, name string) error {
	type entry struct {
		up   vfs.Ino
		name string
	}
	all := []entry{{up, name}}
	for i := 0; i < len(all); i++ { // it grows by directories
		at := t.out.Entry(all[i].up, all[i].name)
		if !dir(t.out, at) {
			continue
		}
		names, _ := t.out.ReadDirIno(at, "", 0)
		for _, n := range names {
			all = append(all, entry{at, n.Name})
		}
	}
	for _, e := range slices.Backward(all) {
		if err := t.out.Take(e.up, e.name, t.now); err != nil {
			return err
		}
	}
	return nil
}

// bothAdded merges two files that have come to one place.
func (t *tree) bothAdded(up vfs.Ino, name string, at, ino vfs.Ino) error {
	where := joined(t.out, up, name)
	st, _ := t.theirs.StatIno(ino)
	if at == ino && t.linked(ino, st) == at { // both gave one file of the base this name
		return t.content(ino, version{ino: ino, path: where}, version{ino: at, up: up, name: name, path: where})
	}
	if st.Nlink > 1 && same(t.out, at, t.theirs, ino) {
		t.links[ino] = at
	}
	if at.Generated() {
		if same(t.out, at, t.theirs, ino) {
			return nil
		}
		if err := t.out.Take(up, name, t.now); err != nil {
			return err
		}
		_, err := t.graft(up, name, ino)
		return err
	}
	if err := t.merge(at, 0, ino, where, where); err != nil {
		return err
	}
	a, errA := t.out.StatIno(at)
	b, _ := t.theirs.StatIno(ino)
	if errA != nil || a.Mode == b.Mode || a.Mode&vfs.TypeMask != b.Mode&vfs.TypeMask {
		return nil
	}
	d, err := t.judge.decide(&Conflict{Kind: Mode, Path: where, OursPath: where, TheirsPath: where, Ours: describe(a), Theirs: describe(b)})
	if err == nil && d.Take == Theirs {
		t.out.SetAttributes(at, b, t.now)
	}
	return err
}

// renamed is for what theirs renamed and ours has.
func (t *tree) renamed(k key, was vfs.Ino, theirs, ours version) error {
	mine := t.o.of(k.dir)
	if ours.up == mine && ours.name == k.name {
		return t.hold(placement{from: ours.up, name: ours.name, up: theirs.up, as: theirs.name, was: was, is: theirs.ino, ino: ours.ino})
	}
	if ours.path == theirs.path {
		t.later = append(t.later, func() error { return t.content(was, theirs, ours) })
		return nil
	}
	c := &Conflict{Kind: RenameRename, Path: ours.path, OursPath: ours.path, TheirsPath: theirs.path, Base: t.base.Content(was),
		Ours: t.ours.Content(ours.ino), Theirs: t.theirs.Content(theirs.ino)}
	d, err := t.judge.decide(c)
	switch {
	case err != nil:
		return err
	case d.Take == Theirs:
		return t.hold(placement{from: ours.up, name: ours.name, up: theirs.up, as: theirs.name, was: was, is: theirs.ino, ino: ours.ino})
	}
	t.later = append(t.later, func() error {
		if d.Take == Write {
			return t.write(ours.ino, d.Data)
		}
		if err := t.content(was, theirs, ours); err != nil || d.Take == Ours {
			return err
		}
		return t.copyTo(theirs, ours)
	})
	return nil
}

// copyTo gives what was merged in ours the name it has in theirs too.
func (t *tree) copyTo(theirs, ours version) error {
	to, err := t.dir(theirs.up)
	if err != nil || to == 0 {
		return err
	}
	name := theirs.name
	if t.out.Entry(to, name) != 0 {
		name = t.free(to, name+"~theirs")
	}
	made, err := t.out.Graft(to, name, t.theirs, theirs.ino, t.now)
	if st, _ := t.out.StatIno(ours.ino); err != nil || !st.Mode.IsRegular() {
		return err
	}
	return t.write(made, t.out.Content(ours.ino))
}

// placeFiles gives the files that theirs renamed their new places, and merges
// what is in them.
func (t *tree) placeFiles() error {
	for _, p := range t.placed {
		if p.ino == 0 {
			continue
		}
		to, err := t.dir(p.up)
		if err != nil {
			return err
		}
		name := p.as
		if to == 0 {
			to, name = p.from, p.name
		}
		v := version{ino: p.ino, path: joined(t.ours, p.from, p.name)}
		at := t.out.Entry(to, name)
		if _, ok := file(t.out, at); ok { // ours put another file there
			if err := t.content(p.was, version{ino: p.is, path: joined(t.theirs, p.up, p.as)}, v); err != nil {
				return err
			}
			if err := t.collide(to, name, at, p); err != nil {
				return err
			}
			continue
		}
		if at != 0 {
			if to, name, err = t.fileAtDirectory(to, name, p.is); err != nil {
				return err
			}
			if to == 0 {
				to, name = p.from, p.name
			}
		}
		if !dir(t.out, to) {
			to = vfs.Root
		}
		if t.out.Entry(to, name) != 0 {
			name = t.free(to, name+"~ours")
		}
		if err := t.out.Move(t.aside, p.held, to, name, t.now); err != nil {
			return err
		}
		v.up, v.name = to, name
		if err := t.content(p.was, version{ino: p.is, path: joined(t.theirs, p.up, p.as)}, v); err != nil {
			return err
		}
	}
	return nil
}

// collide merges a renamed file with what ours has in its new place.
func (t *tree) collide(to vfs.Ino, name string, at vfs.Ino, p placement) error {
	other := t.out.Fork() // the renamed one, as theirs would have added it
	held := other.Entry(t.aside, p.held)
	if err := t.out.Take(t.aside, p.held, t.now); err != nil {
		return err
	}
	theirs := t.theirs
	defer func() { t.theirs = theirs }()
	t.theirs = other
	return t.bothAdded(to, name, at, held)
}

// attributes merges permissions and owner of directories.
func (t *tree) attributes() error {
	for _, d := range t.changed.dirs {
		at := t.o.of(d)
		if at == 0 || !dir(t.out, at) {
			continue
		}
		where, _ := t.out.Path(at)
		if err := t.mode(at, d, t.t.of(d), where); err != nil {
			return err
		}
	}
	return nil
}
