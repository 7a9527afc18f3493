package merge

import (
	"eryxsh/core/linediff"
	"eryxsh/vfs"
)

// tree merges files: what theirs changed since the base is done to out, which
// begins as ours.
type tree struct {
	base, ours, theirs, out *vfs.FS
	o, t                    *pair
	now                     int64
	judge                   *judge
	changed                 *change

	dirs   map[vfs.Ino]vfs.Ino // directories of theirs: what they are in out, 0 if they are left out
	links  map[vfs.Ino]vfs.Ino // files of theirs with several names: what they are in out
	done   map[[3]vfs.Ino]bool // contents that are merged
	aside  vfs.Ino             // where names are on their way from one place to another
	placed []placement
	later  []func() error
}

// placement is a name that waits in aside.
type placement struct {
	held         string  // its name there
	from         vfs.Ino // where ours had it
	name         string
	up           vfs.Ino // the directory of theirs it is to have
	as           string
	was, is, ino vfs.Ino // of a file: in the base, in theirs, in out
}

// files merges the trees. Its errors are those of a tree that is full.
func (j *judge) files(base, ours, theirs, out *vfs.FS, now int64) error {
	t := &tree{base: base, ours: ours, theirs: theirs, out: out, now: now, judge: j,
		o: newPair(base, ours), t: newPair(base, theirs),
		dirs: map[vfs.Ino]vfs.Ino{vfs.Root: vfs.Root}, links: map[vfs.Ino]vfs.Ino{}, done: map[[3]vfs.Ino]bool{}}
	if t.changed = gather(t.t); len(t.changed.names)+len(t.changed.moved)+len(t.changed.gone)+len(t.changed.fresh)+len(t.changed.dirs) == 0 {
		return nil
	}
	t.aside = out.Aside(now)
	for _, step := range []func() error{t.moveDirs, t.names, t.removeDirs, t.placeDirs, t.makeDirs, t.placeFiles, t.rest, t.attributes} {
		if err := step(); err != nil {
			return err
		}
	}
	out.Forget(t.aside)
	return nil
}

// rest does what waited for the directories.
func (t *tree) rest() error {
	for _, do := range t.later {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// names goes through the names that theirs changed.
func (t *tree) names() error {
	for _, k := range t.changed.names {
		if err := t.name(k); err != nil {
			return err
		}
	}
	return nil
}

// version is what a side has of a file of the base.
type version struct {
	ino  vfs.Ino // 0: it was removed
	up   vfs.Ino
	name string
	path string
	move bool // it has another path
}

// version finds it under its old name, or where it was renamed to.
func (p *pair) version(d vfs.Ino, name string, was vfs.Ino) version {
	if at := p.of(d); at != 0 {
		if _, ok := file(p.side, p.side.Entry(at, name)); ok {
			return version{p.side.Entry(at, name), at, name, joined(p.side, at, name), p.moved(d)}
		}
	}
	if up, as, ok := p.renamed(was); ok {
		return version{was, up, as, joined(p.side, up, as), true}
	}
	return version{}
}

// joined is the path of a name in a directory.
func joined(f *vfs.FS, d vfs.Ino, name string) string {
	up, _ := f.Path(d)
	if up == "/" {
		return up + name
	}
	return up + "/" + name
}

// name merges one name that theirs changed: what takes a file away at once, what
// needs room for one later.
func (t *tree) name(k key) error {
	was := t.base.Entry(k.dir, k.name)
	if _, ok := file(t.base, was); !ok {
		return t.added(k)
	}
	theirs, ours := t.t.version(k.dir, k.name, was), t.o.version(k.dir, k.name, was)
	switch {
	case theirs.ino == 0 && ours.ino == 0:
		return nil
	case theirs.ino == 0:
		return t.removed(was, ours)
	case ours.ino == 0:
		if theirs.move || !t.alike(t.base, was, t.theirs, theirs.ino) {
			t.later = append(t.later, func() error { return t.revived(was, theirs) })
		}
		return nil
	case theirs.up == t.t.of(k.dir) && theirs.name == k.name:
		t.later = append(t.later, func() error { return t.content(was, theirs, ours) })
		return nil
	}
	return t.renamed(k, was, theirs, ours)
}

// alike reports whether two files have one content and the same permissions.
func (t *tree) alike(a *vfs.FS, x vfs.Ino, b *vfs.FS, y vfs.Ino) bool {
	p, _ := a.StatIno(x)
	q, _ := b.StatIno(y)
	return p.Mode == q.Mode && p.UID == q.UID && p.GID == q.GID && same(a, x, b, y)
}

// same is vfs.SameContent for FIFOs too, which hold nothing that is merged.
func same(a *vfs.FS, x vfs.Ino, b *vfs.FS, y vfs.Ino) bool {
	p, _ := a.StatIno(x)
	q, _ := b.StatIno(y)
	return p.Mode&vfs.TypeMask == vfs.TypeFifo && q.Mode&vfs.TypeMask == vfs.TypeFifo || vfs.SameContent(a, x, b, y)
}

// removed is for what theirs removed and ours has.
func (t *tree) removed(was vfs.Ino, ours version) error {
	if !ours.move && t.alike(t.base, was, t.ours, ours.ino) {
		return t.out.Take(ours.up, ours.name, t.now)
	}
	c := &Conflict{Kind: ModifyDelete, Path: ours.path, OursPath: ours.path, Base: t.base.Content(was), Ours: t.ours.Content(ours.ino)}
	if ours.move {
		c.Kind = RenameDelete
	}
	d, err := t.judge.decide(c)
	switch {
	case err != nil:
		return err
	case d.Take == Theirs:
		return t.out.Take(ours.up, ours.name, t.now)
	case d.Take == Write:
		return t.write(ours.ino, d.Data)
	}
	return nil
}

// revived is for what ours removed and theirs changed or moved.
func (t *tree) revived(was vfs.Ino, theirs version) error {
	c := &Conflict{Kind: ModifyDelete, Path: theirs.path, TheirsPath: theirs.path, Base: t.base.Content(was), Theirs: t.theirs.Content(theirs.ino)}
	if theirs.move {
		c.Kind = RenameDelete
	}
	d, err := t.judge.decide(c)
	if err != nil || d.Take == Ours {
		return err
	}
	return t.add(theirs.up, theirs.name, theirs.ino, d)
}

// added is for a name that the base has not for a file.
func (t *tree) added(k key) error {
	up := k.fresh
	if k.dir != 0 {
		up = t.t.of(k.dir)
	}
	ino := t.theirs.Entry(up, k.name)
	if _, ok := file(t.theirs, ino); !ok {
		return nil
	}
	if from, name := t.base.Place(ino); from != 0 && t.theirs.Entry(t.t.of(from), name) != ino {
		if at, as, ok := t.t.renamed(ino); ok && at == up && as == k.name {
			if _, here := file(t.theirs, t.theirs.Entry(t.t.of(from), name)); !here {
				return nil // it came from elsewhere: see name
			}
		}
	}
	t.later = append(t.later, func() error { return t.add(up, k.name, ino, Decision{}) })
	return nil
}

// add gives out a file of theirs in one of their directories.
func (t *tree) add(up vfs.Ino, name string, ino vfs.Ino, d Decision) error {
	to, err := t.dir(up)
	if err != nil || to == 0 {
		return err
	}
	at := t.out.Entry(to, name)
	if _, ok := file(t.out, at); ok {
		return t.bothAdded(to, name, at, ino)
	}
	if at != 0 {
		if to, name, err = t.fileAtDirectory(to, name, ino); err != nil || to == 0 {
			return err
		}
	}
	made, err := t.graft(to, name, ino)
	if err == nil && d.Take == Write {
		err = t.write(made, d.Data)
	}
	return err
}

// graft gives out a copy of a file of theirs, or another name of what is one.
func (t *tree) graft(to vfs.Ino, name string, ino vfs.Ino) (vfs.Ino, error) {
	st, _ := t.theirs.StatIno(ino)
	if at := t.linked(ino, st); at != 0 {
		return at, t.out.Give(to, name, at, t.now)
	}
	made, err := t.out.Graft(to, name, t.theirs, ino, t.now)
	if st.Nlink > 1 {
		t.links[ino] = made
	}
	return made, err
}

// linked returns what a file of theirs with several names is in out, 0 if it is
// not there yet.
func (t *tree) linked(ino vfs.Ino, st vfs.Stat) vfs.Ino {
	if st.Nlink < 2 {
		return 0
	}
	if at := t.links[ino]; at != 0 {
		return at
	}
	_, was := file(t.base, ino)
	_, ours := file(t.ours, ino)
	if _, still := file(t.out, ino); was && ours && still && t.base.NextIno() > ino {
		return ino
	}
	return 0
}

// write makes content that of a file of out.
func (t *tree) write(ino vfs.Ino, data []byte) error {
	if err := t.out.TruncateIno(ino, 0, t.now); err != nil {
		return err
	}
	_, err := t.out.WriteAt(ino, data, 0, t.now)
	return err
}

// content merges a file that both still have where it was.
func (t *tree) content(was vfs.Ino, theirs, ours version) error {
	id := [3]vfs.Ino{was, ours.ino, theirs.ino}
	if t.done[id] {
		return nil
	}
	t.done[id] = true
	if st, _ := t.out.StatIno(ours.ino); theirs.ino != was && ours.ino == was && st.Nlink > 1 && !ours.ino.Generated() {
		return t.split(was, theirs, ours, st)
	}
	if t.alike(t.base, was, t.ours, ours.ino) && !t.alike(t.base, was, t.theirs, theirs.ino) {
		return t.adopt(was, theirs, ours)
	}
	if err := t.merge(ours.ino, was, theirs.ino, ours.path, theirs.path); err != nil {
		return err
	}
	if st, _ := t.theirs.StatIno(theirs.ino); st.Nlink > 1 && theirs.ino != was && t.links[theirs.ino] == 0 && !ours.ino.Generated() {
		t.links[theirs.ino] = ours.ino // its other names are this one's now
	}
	return t.mode(ours.ino, was, theirs.ino, ours.path)
}

// adopt is for what theirs alone changed.
func (t *tree) adopt(was vfs.Ino, theirs, ours version) error {
	st, _ := t.theirs.StatIno(theirs.ino)
	old, _ := t.out.StatIno(ours.ino)
	if at := t.linked(theirs.ino, st); at != 0 && at != ours.ino || ours.ino.Generated() || old.Mode&vfs.TypeMask != st.Mode&vfs.TypeMask || theirs.ino != was && old.Nlink > 1 {
		if err := t.out.Take(ours.up, ours.name, t.now); err != nil {
			return err
		}
		_, err := t.graft(ours.up, ours.name, theirs.ino)
		return err
	}
	if st.Nlink > 1 {
		t.links[theirs.ino] = ours.ino
	}
	if !same(t.base, was, t.theirs, theirs.ino) {
		if err := t.out.Adopt(ours.ino, t.theirs, theirs.ino, t.now); err != nil {
			return err
		}
	}
	t.out.SetAttributes(ours.ino, st, t.now)
	return nil
}

// split is for what theirs wrote anew under one of several names: in out, too, it
// is a file of its own from then on.
func (t *tree) split(was vfs.Ino, theirs, ours version, st vfs.Stat) error {
	mine := t.out.Content(ours.ino)
	if err := t.out.Take(ours.up, ours.name, t.now); err != nil {
		return err
	}
	made, err := t.graft(ours.up, ours.name, theirs.ino)
	is, _ := t.out.StatIno(made)
	if err != nil || is.Nlink > 1 || !is.Mode.IsRegular() || !st.Mode.IsRegular() || t.alike(t.base, was, t.ours, ours.ino) {
		return err
	}
	if err := t.write(made, mine); err != nil {
		return err
	}
	t.out.SetAttributes(made, st, t.now)
	if err := t.merge(made, was, theirs.ino, ours.path, theirs.path); err != nil {
		return err
	}
	return t.mode(made, was, theirs.ino, ours.path)
}

// merge merges the content of a file of out with that of theirs. was is 0 where
// they have none in common.
func (t *tree) merge(ino, was, theirs vfs.Ino, oursPath, theirsPath string) error {
	a, _ := t.out.StatIno(ino)
	b, _ := t.theirs.StatIno(theirs)
	switch {
	case same(t.out, ino, t.theirs, theirs), was != 0 && same(t.base, was, t.theirs, theirs):
		return nil
	case was != 0 && same(t.base, was, t.out, ino) && a.Mode&vfs.TypeMask == b.Mode&vfs.TypeMask && !ino.Generated():
		return t.out.Adopt(ino, t.theirs, theirs, t.now)
	}
	c := &Conflict{Kind: Content, Path: oursPath, OursPath: oursPath, TheirsPath: theirsPath, Base: t.base.Content(was),
		Ours: t.out.Content(ino), Theirs: t.theirs.Content(theirs)}
	if was == 0 {
		c.Kind = BothAdded
	}
	text := a.Mode.IsRegular() && b.Mode.IsRegular() && !linediff.Binary(c.Base) && !linediff.Binary(c.Ours) && !linediff.Binary(c.Theirs)
	if w, ok := file(t.base, was); text && (!ok || w.Mode.IsRegular()) {
		merged, conflicts := Text(c.Base, c.Ours, c.Theirs, t.judge.labels(oursPath, theirsPath))
		if conflicts == 0 {
			return t.write(ino, merged)
		}
		c.Merged = merged
	}
	d, err := t.judge.decide(c)
	switch {
	case err != nil:
		return err
	case d.Take == Theirs && a.Mode&vfs.TypeMask == b.Mode&vfs.TypeMask && !ino.Generated():
		return t.out.Adopt(ino, t.theirs, theirs, t.now)
	case d.Take == Theirs:
		return t.replace(ino, theirs)
	case d.Take == Both && c.Merged != nil:
		return t.write(ino, c.Merged)
	case d.Take == Write:
		return t.write(ino, d.Data)
	}
	return nil
}

// replace puts a file of theirs in the place of one of another type.
func (t *tree) replace(ino, theirs vfs.Ino) error {
	up, name := t.out.Place(ino)
	if up == 0 {
		return nil
	}
	if err := t.out.Take(up, name, t.now); err != nil {
		return err
	}
	_, err := t.graft(up, name, theirs)
	return err
}

// mode merges permissions, owner and the time of change.
func (t *tree) mode(ino, was, theirs vfs.Ino, where string) error {
	w, ok := t.base.StatIno(was)
	a, err := t.out.StatIno(ino)
	b, _ := t.theirs.StatIno(theirs)
	if err != nil || ok != nil || ino.Generated() || a.Mode&vfs.TypeMask != b.Mode&vfs.TypeMask {
		return nil // another type, which has its own
	}
	type kept struct {
		mode     vfs.Mode
		uid, gid uint32
	}
	x, y, z := kept{w.Mode, w.UID, w.GID}, kept{a.Mode, a.UID, a.GID}, kept{b.Mode, b.UID, b.GID}
	if y != z && x != z {
		take := Theirs
		if x != y {
			c := &Conflict{Kind: Mode, Path: where, OursPath: where, TheirsPath: where, Base: describe(w), Ours: describe(a), Theirs: describe(b)}
			d, err := t.judge.decide(c)
			if err != nil {
				return err
			}
			take = d.Take
		}
		if take == Theirs {
			b.Mtime = a.Mtime
			t.out.SetAttributes(ino, b, t.now)
		}
	}
	if was, err := t.ours.StatIno(ino); err == nil && same(t.out, ino, t.theirs, theirs) && was.Mtime == w.Mtime && b.Mtime != w.Mtime {
		t.out.SetMtime(ino, b.Mtime)
	}
	return nil
}
