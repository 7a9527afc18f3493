package vfs

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strconv"
	"strings"

	"eryxsh/vfs/persist"
)

// An overlay shows a host's directory and keeps what is written to it in the
// tree, as Linux's overlayfs does. What is about to change is copied up: it gets
// an inode of the tree, which says with more.path what of the host it was. A
// directory that was copied up still shows the names the host has in it, but for
// those it has itself, and whiteouts hide what was removed; it is found by its
// path there wherever it is moved to. What the host had at each path that is
// hidden is noted once, as it was then: a Base.

// Base is what a host had at a path when an overlay hid it.
type Base struct {
	Path  string `cbor:"1,keyasint,omitempty"`
	Mode  Mode   `cbor:"2,keyasint,omitempty"`
	Size  int64  `cbor:"3,keyasint,omitempty"`
	Mtime int64  `cbor:"4,keyasint,omitempty"`
	Ctime int64  `cbor:"5,keyasint,omitempty"`
	Sum   []byte `cbor:"6,keyasint,omitempty"` // SHA-256 of the content, or of a link's target; none where it was not read
}

// layer is what an overlay keeps beside its inodes. Others than an overlay's stay empty.
type layer struct {
	bases persist.Sorted[*Base]  // by path
	upper persist.Sorted[Ino]    // what was copied up, by the path it had
	open  persist.Sorted[uint32] // open files of what was not, by path
}

// layer gives the layer of a mount to be read.
func (f *FS) layer(id uint32) *layer {
	for i, root := range f.mounts.roots {
		if f.native(root).more.top.ID == id {
			return &f.mounts.layers[i]
		}
	}
	return &layer{}
}

// over gives the layer of a mount to be changed.
func (f *FS) over(id uint32) *layer {
	f.mnt()
	return f.layer(id)
}

// overlaid reports whether an inode belongs to an overlay.
func (f *FS) overlaid(in *inode) bool {
	if in.mount == 0 {
		return false
	}
	m, _ := f.mount(in.mount)
	return m != nil && m.Mode == MountOverlay
}

// near gives the number that the tree has for one of a host's file: the root of
// a mount has one of its own, and so has what was copied up.
func (f *FS) near(ino Ino) Ino {
	if !ino.Outside() {
		return ino
	}
	m, root := f.mount(ino.outsideMount())
	if m == nil || m.outside == nil {
		return ino
	}
	n := m.outside.known(ino)
	switch {
	case n == nil:
	case n.path == ".":
		return root
	case m.Mode == MountOverlay:
		if at, ok := f.layer(m.ID).upper.Get(n.path); ok {
			return at
		}
	}
	return ino
}

// face gives the number that is said of an inode: what was copied up keeps the one
// it had, so that nobody takes it for another file.
func (f *FS) face(ino Ino, in *inode) Ino {
	if in.mount == 0 || in.more == nil || in.more.path == "" || in.more.top != nil || ino.Outside() {
		return ino
	}
	o := f.out(in.mount)
	if o == nil {
		return ino
	}
	if at, _ := o.number(in.more.path); f.near(at) == ino {
		return at
	}
	return ino
}

// split parts a path below a mount into the directory and the name there.
func split(path string) (dir, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return ".", path
}

// note keeps what the host has at a path that is about to be hidden, unless it is noted.
func (f *FS) note(id uint32, path string, in *inode, sum []byte) {
	if _, ok := f.layer(id).bases.Get(path); ok {
		return
	}
	b := &Base{Path: strings.Clone(path), Mode: in.mode}
	if !in.mode.IsDir() {
		b.Size, b.Mtime, b.Ctime, b.Sum = in.size, in.mtime, in.ctime, sum
	}
	if in.mode.IsLink() {
		b.Sum = sumOf(in.head.b)
	}
	f.over(id).bases.Set(f.epoch, b.Path, b)
	_, root := f.mount(id)
	f.mut(root) // which is saved with it
}

func sumOf(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

// copyUp gives what a number stands for an inode of the tree, if it is a host's
// file of an overlay, and returns its number. whole says that its content is
// needed. ENOENT (its name is gone, or leads elsewhere), EPERM (a device),
// ENOSPC, EFBIG, EBUSY (the host writes to it), and what the host says.
func (f *FS) copyUp(ino Ino, whole bool) (Ino, error) {
	if at := f.near(ino); !at.Outside() {
		return at, nil
	}
	o, err := f.connected(ino.outsideMount())
	if err != nil {
		return 0, err
	}
	if m, _ := f.mount(o.id); m.Mode != MountOverlay {
		return 0, EROFS
	}
	n := o.known(ino)
	up, name := split(n.path)
	above, _ := o.number(up)
	dir, err := f.copyUp(above, false)
	if err != nil {
		return 0, err
	}
	if _, hidden := f.native(dir).more.entries.Get(name); hidden {
		return 0, ENOENT
	}
	at, err := f.raise(o, n, whole, f.next)
	if err != nil {
		return 0, err
	}
	f.place(dir, name, at)
	return at, nil
}

// place attaches what was copied up; to who looks at the directory nothing has changed.
func (f *FS) place(dir Ino, name string, ino Ino) {
	d, in := f.native(dir), f.native(ino)
	mtime, ctime, changed := d.mtime, d.ctime, in.ctime
	f.attach(dir, name, ino, 0)
	f.native(dir).mtime, f.native(dir).ctime, f.native(ino).ctime = mtime, ctime, changed
}

// raise makes the inode of copyUp, under a number that is free, and notes what the host has.
func (f *FS) raise(o *outside, n *seen, whole bool, as Ino) (Ino, error) {
	for range 3 {
		in, err := o.ask(n)
		if err != nil {
			return 0, err
		}
		at, sum, err := f.copied(o, in, n.path, whole, as)
		if err != nil {
			return 0, err
		}
		if again, err := o.ask(n); err == nil && again == in { // else the host wrote to it meanwhile
			f.note(o.id, n.path, in, sum)
			l := f.over(o.id)
			l.upper.Set(f.epoch, n.path, at)
			if held, ok := l.open.Get(n.path); ok {
				l.open.Delete(f.epoch, n.path)
				f.held.Set(f.epoch, int64(at), held)
			}
			return at, nil
		}
		f.forget(at)
	}
	return 0, EBUSY
}

// forget frees what raise made of a file that changed.
func (f *FS) forget(ino Ino) { f.free(ino, f.native(ino)) }

// copied makes an inode like one of the host's.
func (f *FS) copied(o *outside, in *inode, path string, whole bool, as Ino) (Ino, []byte, error) {
	if err := f.room(0, 1); err != nil {
		return 0, nil, err
	}
	if !in.mode.IsRegular() && !in.mode.IsDir() && !in.mode.IsLink() {
		return 0, nil, EPERM
	}
	next := f.next
	f.next = as
	at := f.alloc(in.mode, in.uid, in.gid, in.mtime)
	f.next = max(next, f.next)
	up := f.native(at)
	up.atime, up.ctime, up.mount = in.atime, in.ctime, o.id
	if up.more == nil {
		up.more = &more{}
	}
	up.more.path = path
	var sum []byte
	var err error
	switch {
	case in.mode.IsLink():
		f.put(up, 0, 0, in.head.b, false)
		up.size = in.size
	case in.mode.IsRegular() && whole:
		sum, err = f.fill(o, at, path)
		up.mtime, up.ctime = in.mtime, in.ctime
	}
	if err != nil {
		f.forget(at)
		return 0, nil, err
	}
	return at, sum, nil
}

// fill reads a host's file into an inode.
func (f *FS) fill(o *outside, ino Ino, path string) ([]byte, error) {
	hash := sha256.New()
	for off := int64(0); ; {
		data, err := o.src.Read(path, off)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 {
			return hash.Sum(nil), nil
		}
		hash.Write(data)
		if _, err := f.write(ino, f.native(ino), data, off, 0); err != nil {
			return nil, err
		}
		off += int64(len(data))
	}
}

// changing gives the number of what is about to change: of a host's file of an
// overlay that of its copy.
func (f *FS) changing(ino Ino) (Ino, error) {
	if ino.Outside() {
		return f.copyUp(ino, true)
	}
	return ino, nil
}

// leaving prepares the place of a name that is about to go: a host's file of an
// overlay that is not open is only noted.
func (f *FS) leaving(p place) (place, error) {
	var err error
	if p.dir, err = f.changing(p.dir); err != nil || !p.ino.Outside() {
		return p, err
	}
	in := f.get(p.ino)
	path := below(f.native(p.dir).more.path, p.name)
	if _, open := f.layer(in.mount).open.Get(path); open || in.mode.IsDir() {
		p.ino, err = f.copyUp(p.ino, true)
		return p, err
	}
	f.note(in.mount, path, in, nil)
	return p, nil
}

// hides reports whether a name that goes from a directory of the tree has one of the host below it.
func (f *FS) hides(d *inode, name string) bool {
	if d.more.path == "" || !f.overlaid(d) {
		return false
	}
	_, ok := f.layer(d.mount).bases.Get(below(d.more.path, name))
	return ok
}

// holdOutside counts an open file of what was not copied up.
func (f *FS) holdOutside(ino Ino, more int) {
	o := f.out(ino.outsideMount())
	if o == nil {
		return
	}
	if m, _ := f.mount(o.id); m.Mode != MountOverlay {
		return
	}
	known := o.known(ino)
	if known == nil {
		return
	}
	path, l := known.path, f.over(o.id)
	n, _ := l.open.Get(path)
	if n = uint32(int(n) + more); n == 0 {
		l.open.Delete(f.epoch, path)
	} else {
		l.open.Set(f.epoch, path, n)
	}
}

// mixed lists a directory of an overlay that shows a host's: n < 1 is all.
func (f *FS) mixed(dir Ino, in *inode, after string, n int) ([]Dirent, error) {
	o, err := f.connected(in.mount)
	if err != nil {
		return nil, err
	}
	low, err := o.src.ReadDir(in.more.path, after)
	if err != nil && err != ENOENT && err != ENOTDIR { // the host removed what was changed here
		return nil, err
	}
	low = slices.DeleteFunc(low, func(e Dirent) bool {
		_, hidden := in.more.entries.Get(e.Name)
		return hidden
	})
	if n > 0 && len(low) > n {
		low = low[:n]
	}
	all := f.list(dir, in, after, n)
	for i := range low {
		low[i].Ino, _ = o.number(below(in.more.path, low[i].Name))
	}
	all = append(all, low...)
	slices.SortFunc(all, func(x, y Dirent) int { return strings.Compare(x.Name, y.Name) })
	if n > 0 && len(all) > n {
		all = all[:n]
	}
	return all, nil
}

// Overlay says of a mount's root whether it is one of an overlay.
func (m Mounted) Overlay() bool { return m.Mode == MountOverlay }

// Bases yields what a host had where an overlay hides it, by path.
func (f *FS) Bases(m Mounted) iter.Seq2[string, *Base] { return f.layer(m.ID).bases.All() }

// BaseAt gives what a host had at a path, nil where nothing is noted.
func (f *FS) BaseAt(m Mounted, path string) *Base {
	b, _ := f.layer(m.ID).bases.Get(path)
	return b
}

// Hidden gives the path of what was copied up below its mount, "" of all else.
func (f *FS) Hidden(ino Ino) string {
	if in := f.native(f.near(ino)); in != nil && in.more != nil {
		return in.more.path
	}
	return ""
}

// CopiedUp gives what was copied up from a path, 0 for none.
func (f *FS) CopiedUp(m Mounted, path string) Ino {
	ino, _ := f.layer(m.ID).upper.Get(path)
	return ino
}

// Discard lets go of all that an overlay changed. What is open lives on without a name.
func (f *FS) Discard(m Mounted) {
	f.shed(m.Root)
	l := f.over(m.ID)
	for _, ino := range l.upper.All() { // what is open without a name
		f.mut(ino).more.path = ""
	}
	l.bases, l.upper = persist.Sorted[*Base]{}, persist.Sorted[Ino]{}
}

// shed takes all names from a directory of an overlay, and what they lead to.
func (f *FS) shed(top Ino) {
	dirs := []Ino{top}
	for i := 0; i < len(dirs); i++ { // it grows by those below
		for _, ino := range f.native(dirs[i]).more.entries.All() {
			if ino != 0 && f.native(ino).mode.IsDir() {
				dirs = append(dirs, ino)
			}
		}
	}
	for _, dir := range slices.Backward(dirs) {
		d := f.native(dir)
		for name, ino := range d.more.entries.All() {
			if ino != 0 {
				f.unname(dir, name, ino)
			}
		}
		f.mut(dir).more.entries = persist.Sorted[Ino]{}
	}
}

// unname is detach by who takes all entries away himself.
func (f *FS) unname(dir Ino, name string, ino Ino) {
	d := f.mut(dir)
	names, mtime := d.more.entries, d.mtime
	d.more.entries = persist.Sorted[Ino]{}
	f.detach(dir, name, ino, mtime)
	d.more.entries = names
}

// Reveal lets the host's file at a path be seen again, which a directory of the
// tree hides under a name. EINVAL: something that was below it is elsewhere.
func (f *FS) Reveal(m Mounted, dir Ino, name string, now int64) error {
	path := below(f.native(dir).more.path, name)
	f.Withdraw(dir, name, now)
	l := f.over(m.ID)
	for at, ino := range under(&l.upper, path) {
		if f.native(ino).nlink > 0 {
			return EINVAL
		}
		l.upper.Delete(f.epoch, at)
		f.mut(ino).more.path = ""
	}
	for at := range under(&l.bases, path) {
		l.bases.Delete(f.epoch, at)
	}
	f.mut(dir).more.entries.Delete(f.epoch, name)
	f.mut(m.Root)
	return nil
}

// Withdraw takes a name from a directory of an overlay, with all that is below
// it, and what the host has there stays hidden.
func (f *FS) Withdraw(dir Ino, name string, now int64) {
	if ino, _ := f.native(dir).more.entries.Get(name); ino != 0 {
		if f.native(ino).mode.IsDir() {
			f.shed(ino)
		}
		f.detach(dir, name, ino, now)
	}
}

// under gives what is kept for a path and for all below it.
func under[V any](s *persist.Sorted[V], path string) map[string]V {
	all := map[string]V{}
	for at, v := range s.From(path) {
		if at == path || strings.HasPrefix(at, path+"/") {
			all[at] = v
		} else if at > path+"0" {
			break
		}
	}
	return all
}

// Original is the tree without what an overlay changed: what it hid are files of
// the tree, under the numbers of those that were made of them.
func (f *FS) Original(m Mounted) (*FS, error) {
	g := f.Fork()
	at := map[string]Ino{}
	for path, ino := range f.layer(m.ID).upper.All() {
		if f.native(ino).nlink > 0 {
			at[path] = ino
		}
	}
	all := slices.Collect(func(yield func(string) bool) {
		for path := range f.layer(m.ID).bases.All() {
			if !yield(path) {
				return
			}
		}
	})
	g.held = persist.Vec[uint32]{}
	g.limits = Limits{}
	g.Discard(m)
	o, err := g.connected(m.ID)
	if err != nil {
		return nil, err
	}
	for _, path := range all { // a directory before what is in it
		ino, n := o.number(path)
		if !g.near(ino).Outside() {
			continue
		}
		up, name := split(path)
		above, _ := o.number(up)
		dir := g.near(above)
		if dir.Outside() {
			continue // the host removed it
		}
		as, changed := at[path]
		if !changed {
			as = g.next
		}
		made, err := g.raise(o, n, changed, as)
		if err == ENOENT || err == ENOTDIR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if in := g.native(made); !changed && in.mode.IsRegular() { // read when it is asked for
			in.more.hollow, in.size = true, n.in.Load().size
		}
		g.place(dir, name, made)
	}
	return g, nil
}

// Settle is Discard of an overlay that the host now has, but for what it was not
// given: names for which private is true.
func (f *FS) Settle(m Mounted, private func(path string, dir bool) bool, now int64) error {
	aside := f.Aside(now)
	kept := f.private(m, private)
	for i, k := range kept {
		f.move(k.place, place{dir: aside, name: strconv.Itoa(i)}, now)
	}
	f.Discard(m)
	o, err := f.connected(m.ID)
	for i, k := range kept {
		name := strconv.Itoa(i)
		if err == nil {
			up, as := split(k.path)
			above, _ := o.number(up)
			var dir Ino
			if dir, err = f.copyUp(above, false); err == nil {
				f.move(place{dir: aside, name: name, ino: k.ino}, place{dir: dir, name: as}, now)
				continue
			}
		}
		f.Withdraw(aside, name, now)
	}
	f.Forget(aside)
	return err
}

// privately is a name that is kept from a host, and its path below the mount.
type privately struct {
	place
	path string
}

// private lists the names of an overlay for which is is true, but none below another.
func (f *FS) private(m Mounted, is func(path string, dir bool) bool) (all []privately) {
	todo := []privately{{place{ino: m.Root}, "."}}
	for len(todo) > 0 {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for name, ino := range f.native(d.ino).more.entries.All() {
			if ino == 0 {
				continue
			}
			k := privately{place{dir: d.ino, name: name, ino: ino}, below(d.path, name)}
			switch dir := f.native(ino).mode.IsDir(); {
			case is(k.path, dir):
				all = append(all, k)
			case dir:
				todo = append(todo, k)
			}
		}
	}
	return all
}

// Public is the tree without the names of an overlay for which private is true.
func (f *FS) Public(m Mounted, private func(path string, dir bool) bool, now int64) *FS {
	g := f.Fork()
	g.held = persist.Vec[uint32]{}
	for _, k := range g.private(m, private) {
		g.Withdraw(k.dir, k.name, now)
	}
	return g
}

// Near gives the number that what a number stands for has in the tree, if it has
// one there: a host's file of an overlay gets one when it changes.
func (f *FS) Near(ino Ino) Ino { return f.near(ino) }

// SourceOf gives the host's directory of a mount, nil if it is not there.
func (m *Mount) SourceOf() Source {
	if m.outside == nil {
		return nil
	}
	return m.outside.src
}
