package vfs

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// model is a file tree as plain as can be: maps and byte slices, copied whole
// to fork. It knows one user, root.
type model struct {
	nodes map[Ino]*node
	next  Ino
	lim   Limits
}

type node struct {
	Mode       Mode
	UID        uint32
	Mtime      int64
	Data       []byte         // of a file; the target of a link
	Names      map[string]Ino // of a directory
	Parent     Ino
	Links, Use int
}

func newModel(lim Limits) *model {
	return &model{nodes: map[Ino]*node{Root: {Mode: TypeDir | 0o755, Names: map[string]Ino{}, Parent: Root, Links: 1}}, next: 2, lim: lim}
}

func (m *model) fork() *model {
	c := &model{map[Ino]*node{}, m.next, m.lim}
	for i, n := range m.nodes {
		d := *n
		d.Data, d.Names = bytes.Clone(n.Data), maps.Clone(n.Names)
		c.nodes[i] = &d
	}
	return c
}

// split resolves all but the last name of a path without trailing slashes.
func (m *model) resolve(cur Ino, p string, follow bool, links *int) (dir Ino, name string, ino Ino, err error) {
	if strings.HasPrefix(p, "/") {
		cur = Root
	}
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
	dir, ino = cur, cur
	for i, part := range parts {
		n := m.nodes[cur]
		if n.Names == nil {
			return 0, "", 0, ENOTDIR
		}
		dir, name, ino = cur, part, n.Names[part]
		if part == ".." {
			ino = n.Parent
		}
		lastOne := i == len(parts)-1
		if ino == 0 {
			if lastOne {
				return dir, name, 0, nil
			}
			return 0, "", 0, ENOENT
		}
		if t := m.nodes[ino]; t.Mode.IsLink() && (follow || !lastOne) {
			if *links++; *links > 40 {
				return 0, "", 0, ELOOP
			}
			dir, name, ino, err = m.resolve(cur, string(t.Data), true, links)
			if err != nil {
				return 0, "", 0, err
			}
			if ino == 0 {
				if lastOne {
					return dir, name, 0, nil
				}
				return 0, "", 0, ENOENT
			}
		}
		cur = ino
	}
	return dir, name, ino, nil
}

func (m *model) at(p string, follow bool) (dir Ino, name string, ino Ino, err error) {
	links := 0
	return m.resolve(Root, p, follow, &links)
}

func (m *model) usage() (u Usage) {
	for _, n := range m.nodes {
		u.Files++
		if n.Mode.IsDir() {
			continue
		}
		u.Files += int64(max(n.Links-1, 0))
		if n.Mode.IsRegular() {
			u.Logical += int64(len(n.Data))
		}
	}
	return u
}

func (m *model) full(files int64) bool { return m.lim.Files > 0 && m.usage().Files+files > m.lim.Files }

func (m *model) make(p string, mode Mode, data []byte, now int64) error {
	dir, name, ino, err := m.at(p, false)
	switch {
	case err != nil:
		return err
	case ino != 0:
		return EEXIST
	case m.full(1):
		return ENOSPC
	}
	n := &node{Mode: mode, Mtime: now, Data: data, Parent: dir, Links: 1}
	if mode.IsDir() {
		n.Names = map[string]Ino{}
	}
	m.nodes[m.next] = n
	m.enter(dir, name, m.next, now)
	m.next++
	return nil
}

func (m *model) enter(dir Ino, name string, ino Ino, now int64) {
	m.nodes[dir].Names[name] = ino
	m.nodes[dir].Mtime = now
	if m.nodes[ino].Mode.IsDir() {
		m.nodes[ino].Parent = dir
	}
}

func (m *model) drop(dir Ino, name string, now int64) {
	ino := m.nodes[dir].Names[name]
	delete(m.nodes[dir].Names, name)
	m.nodes[dir].Mtime = now
	m.nodes[ino].Links--
	m.gone(ino)
}

func (m *model) gone(ino Ino) {
	if n := m.nodes[ino]; n.Links == 0 && n.Use == 0 {
		delete(m.nodes, ino)
	}
}

func (m *model) open(p string, flags int, now int64) (Ino, error) {
	dir, name, ino, err := m.at(p, flags&O_EXCL == 0)
	switch {
	case err != nil:
		return 0, err
	case ino == 0 && flags&O_CREAT == 0:
		return 0, ENOENT
	case ino == 0 && m.full(1):
		return 0, ENOSPC
	case ino == 0:
		m.nodes[m.next] = &node{Mode: TypeFile | 0o644, Mtime: now, Parent: dir, Links: 1}
		m.enter(dir, name, m.next, now)
		m.next++
		return m.next - 1, nil
	case flags&O_EXCL != 0:
		return 0, EEXIST
	}
	n := m.nodes[ino]
	switch {
	case n.Mode.IsDir() && flags != O_RDONLY:
		return 0, EISDIR
	case flags&O_TRUNC != 0 && n.Mode.IsRegular():
		n.Data, n.Mtime = nil, now
	}
	return ino, nil
}

func (m *model) write(ino Ino, b []byte, off int64, now int64) error {
	n := m.nodes[ino]
	switch {
	case n == nil:
		return EBADF
	case n.Mode.IsDir():
		return EISDIR
	case !n.Mode.IsRegular():
		return EINVAL
	case len(b) == 0:
		return nil
	case m.lim.FileSize > 0 && off+int64(len(b)) > m.lim.FileSize:
		return EFBIG
	}
	m.size(n, max(off+int64(len(b)), int64(len(n.Data))))
	copy(n.Data[off:], b)
	n.Mtime = now
	return nil
}

func (m *model) size(n *node, size int64) {
	if size <= int64(len(n.Data)) {
		n.Data = n.Data[:size:size]
		return
	}
	n.Data = append(n.Data, make([]byte, size-int64(len(n.Data)))...)
}

func (m *model) truncate(p string, size int64, now int64) error {
	_, _, ino, err := m.at(p, true)
	if err != nil {
		return err
	}
	n := m.nodes[ino]
	switch {
	case n == nil:
		return ENOENT
	case n.Mode.IsDir():
		return EISDIR
	case !n.Mode.IsRegular():
		return EINVAL
	case m.lim.FileSize > 0 && size > m.lim.FileSize && size > int64(len(n.Data)):
		return EFBIG
	}
	m.size(n, size)
	n.Mtime = now
	return nil
}

func (m *model) remove(p string, wantDir bool, now int64) error {
	dir, name, ino, err := m.at(p, false)
	switch {
	case err != nil:
		return err
	case ino == 0:
		return ENOENT
	}
	n := m.nodes[ino]
	switch {
	case wantDir && !n.Mode.IsDir():
		return ENOTDIR
	case !wantDir && n.Mode.IsDir():
		return EISDIR
	case len(n.Names) > 0:
		return ENOTEMPTY
	}
	m.drop(dir, name, now)
	return nil
}

func (m *model) link(old, new string, now int64) error {
	_, _, ino, err := m.at(old, false)
	if err == nil && ino == 0 {
		err = ENOENT
	}
	if err != nil {
		return err
	}
	dir, name, there, err := m.at(new, false)
	switch {
	case err != nil:
		return err
	case there != 0:
		return EEXIST
	case m.nodes[ino].Mode.IsDir():
		return EPERM
	case m.full(1):
		return ENOSPC
	}
	m.enter(dir, name, ino, now)
	m.nodes[ino].Links++
	return nil
}

func (m *model) above(dir, top Ino) bool {
	for ; dir != Root; dir = m.nodes[dir].Parent {
		if dir == top {
			return true
		}
	}
	return top == Root
}

func (m *model) rename(old, new string, now int64) error {
	fd, fn, from, err := m.at(old, false)
	if err != nil {
		return err
	}
	td, tn, to, err := m.at(new, false)
	if err != nil {
		return err
	}
	if from == 0 {
		return ENOENT
	}
	a, b := m.nodes[from], m.nodes[to]
	switch {
	case a.Mode.IsDir() && m.above(td, from):
		return EINVAL
	case to != 0 && b.Mode.IsDir() && m.above(fd, to):
		return ENOTEMPTY
	case from == to:
		return nil
	case to != 0 && a.Mode.IsDir() && !b.Mode.IsDir():
		return ENOTDIR
	case to != 0 && !a.Mode.IsDir() && b.Mode.IsDir():
		return EISDIR
	case to != 0 && len(b.Names) > 0:
		return ENOTEMPTY
	}
	if to != 0 {
		m.drop(td, tn, now)
	}
	delete(m.nodes[fd].Names, fn)
	m.nodes[fd].Mtime = now
	m.enter(td, tn, from, now)
	return nil
}

// view is what the model shows, to be compared with a tree.
func (m *model) view() map[Ino]node {
	all := map[Ino]node{}
	for i, n := range m.nodes {
		v := *n
		if v.Parent = 0; len(v.Data) == 0 {
			v.Data = nil
		}
		all[i] = v
	}
	return all
}

// viewOf shows a tree the same way.
func viewOf(t *testing.T, f *FS) map[Ino]node {
	t.Helper()
	all := map[Ino]node{}
	for i, in := range f.inodes.All() {
		ino := Ino(i)
		st, err := f.StatIno(ino)
		if err != nil {
			t.Fatal(err)
		}
		v := node{Mode: st.Mode, UID: st.UID, Mtime: st.Mtime, Links: int(st.Nlink), Use: f.Held(ino)}
		switch {
		case st.Mode.IsLink():
			v.Data = []byte(in.target())
		case st.Mode.IsRegular() && st.Size > 0:
			v.Data = make([]byte, st.Size)
			if n, err := f.ReadAt(ino, v.Data, 0, 0); err != nil || int64(n) != st.Size {
				t.Fatalf("inode %d: read %d, %v of %d", ino, n, err, st.Size)
			}
		case st.Mode.IsDir():
			v.Names = map[string]Ino{}
			entries, err := f.ReadDirIno(ino, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			subs := 0
			for _, d := range entries {
				if d.Type == TypeDir {
					subs++
				}
				if !d.Ino.Generated() {
					v.Names[d.Name] = d.Ino
				}
			}
			if v.Links > 0 && v.Links != subs+2 {
				t.Fatalf("directory %d has %d links and %d subdirectories", ino, v.Links, subs)
			}
			v.Links = min(v.Links, 1)
		}
		all[ino] = v
	}
	return all
}

// sameBytes spares cmp from looking at bytes one by one.
var sameBytes = cmp.Comparer(bytes.Equal)

// world is one version under test.
type world struct {
	fs *FS
	m  *model
	id int
}

// paths of few names, so that operations meet.
func somePath(r *rand.Rand) string {
	p := ""
	for range 1 + r.Intn(3) {
		p += "/" + []string{"a", "b", "c", "d", "..", "link"}[r.Intn(6)]
	}
	if base := path.Base(p); base == ".." {
		p += "/z"
	}
	return p
}

// step does one random operation to both and compares the outcome.
func (w *world) step(r *rand.Rand, now int64) (what string, got, want error) {
	c := Cred{Root: true}
	p, q := somePath(r), somePath(r)
	f, m := w.fs, w.m
	switch r.Intn(15) {
	case 0:
		return "mkdir " + p, f.Mkdir(c, p, 0o755, now), m.make(p, TypeDir|0o755, nil, now)
	case 1:
		return "rmdir " + p, f.Rmdir(c, p, now), m.remove(p, true, now)
	case 2:
		return "unlink " + p, f.Unlink(c, p, now), m.remove(p, false, now)
	case 3, 4:
		return "rename " + p + " " + q, f.Rename(c, p, q, now), m.rename(p, q, now)
	case 5:
		return "link " + p + " " + q, f.Link(c, p, q, false, now), m.link(p, q, now)
	case 6:
		t := q
		if r.Intn(2) == 0 {
			t = strings.TrimPrefix(q, "/")
		}
		return "symlink " + t + " " + p, f.Symlink(c, t, p, now), m.make(p, TypeLink|0o777, []byte(t), now)
	case 7:
		return "mkfifo " + p, f.Mkfifo(c, p, 0o600, now), m.make(p, TypeFifo|0o600, nil, now)
	case 8:
		size := []int64{0, 1, 100, ChunkSize - 1, ChunkSize, ChunkSize + 1, 70000}[r.Intn(7)]
		return fmt.Sprint("truncate ", p, size), f.Truncate(c, p, size, now), m.truncate(p, size, now)
	case 9:
		ino := Ino(1 + r.Intn(int(m.next)))
		if n := m.nodes[ino]; n != nil && n.Use > 0 && r.Intn(3) > 0 {
			f.Release(ino)
			n.Use--
			m.gone(ino)
		} else if n != nil {
			f.Hold(ino)
			n.Use++
		}
		return "hold", nil, nil
	case 10:
		_, _, ino, want := m.at(p, true)
		if want == nil && ino == 0 {
			want = ENOENT
		}
		mode := Mode(r.Intn(0o1000))
		if want == nil {
			m.nodes[ino].Mode = m.nodes[ino].Mode&TypeMask | mode
			m.nodes[ino].UID = uint32(mode)
		}
		if got := f.Chown(c, p, true, int64(mode), -1, now); got != want {
			return "chown " + p, got, want
		}
		return "chmod " + p, f.Chmod(c, p, true, mode, now), want
	default:
		flags := []int{O_RDONLY, O_RDWR, O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_TRUNC, O_RDWR | O_CREAT | O_EXCL}[r.Intn(5)]
		got, gotErr := f.Open(c, p, flags, 0o644, now)
		want, wantErr := m.open(p, flags, now)
		if gotErr != wantErr || got != want || gotErr != nil {
			return fmt.Sprintf("open %s %#o: inode %d, want %d", p, flags, got, want), gotErr, wantErr
		}
		b := bytes.Repeat([]byte{byte(now), 'x'}, r.Intn(1+[]int{10, 100, 20000}[r.Intn(3)]))
		off := int64(len(m.nodes[want].Data))
		if r.Intn(2) == 0 {
			off = r.Int63n(60000)
		}
		_, gotErr = f.WriteAt(got, b, off, now)
		return fmt.Sprintf("write %s %d at %d", p, len(b), off), gotErr, m.write(want, b, off, now)
	}
}

// TestTreeIsTheModel runs random operations on several forks at once; every
// version must stay like its own model, whatever the others do.
func TestTreeIsTheModel(t *testing.T) {
	steps := 20000
	if testing.Short() {
		steps = 4000
	}
	for _, lim := range []Limits{{}, {Files: 12, FileSize: 40000}} {
		r := rand.New(rand.NewSource(7))
		w := &world{fs: New(nil, lim, 0), m: newModel(lim)}
		live := []*world{w}
		failed := map[error]int{}
		for now := int64(1); now <= int64(steps); now++ {
			w = live[r.Intn(len(live))]
			switch op := r.Intn(100); {
			case op == 0 && len(live) < 5:
				w = &world{w.fs.Fork(), w.m.fork(), int(now)}
				live = append(live, w)
			case op == 1 && len(live) > 2:
				live = slices.Delete(live, 0, 1)
			default:
				what, got, want := w.step(r, now)
				if got != want {
					t.Fatalf("step %d, fork %d: %s: %v, want %v", now, w.id, what, got, want)
				}
				failed[got]++
			}
			if now%400 == 0 {
				for _, w := range live {
					w.check(t, now)
				}
				w.checkDiff(t, live[r.Intn(len(live))])
			}
		}
		t.Logf("limits %+v: outcomes %v", lim, failed)
	}
}

func (w *world) check(t *testing.T, now int64) {
	t.Helper()
	if d := cmp.Diff(w.m.view(), viewOf(t, w.fs), sameBytes); d != "" {
		t.Fatalf("step %d, fork %d (-model +tree):\n%s", now, w.id, d)
	}
	got, want := w.fs.Usage(), w.m.usage()
	var written int64
	for _, in := range w.fs.inodes.All() {
		want.Bytes += in.stored()
		sum := int64(len(in.head.b))
		if n := len(in.head.b); cap(in.head.b) > 2*n+n/4+64 {
			t.Fatalf("step %d: a first chunk takes %d for %d bytes", now, cap(in.head.b), n)
		}
		if in.more != nil {
			for i, c := range in.more.chunks.All() {
				sum += chunkCost(i, len(c.b))
				if len(c.b) == 0 || len(c.b) > ChunkSize || i*ChunkSize+int64(len(c.b)) > in.size {
					t.Fatalf("step %d: chunk %d has %d bytes in a file of %d", now, i, len(c.b), in.size)
				}
				most := 2*len(c.b) + len(c.b)/4 + 64
				if len(in.chunk(i-1).b) == ChunkSize {
					most = ChunkSize
				}
				if cap(c.b) > most {
					t.Fatalf("step %d: chunk %d takes %d for %d bytes", now, i, cap(c.b), len(c.b))
				}
			}
		}
		if sum != in.stored() {
			t.Fatalf("step %d: stored %d, but the chunks have %d", now, in.stored(), sum)
		}
		if in.own == w.fs.epoch {
			written += inodeCost + w.fs.fresh(in, 0)
		}
	}
	if got != want {
		t.Fatalf("step %d: usage %+v, want %+v", now, got, want)
	}
	if w.fs.Written() != written {
		t.Fatalf("step %d: Written %d, want %d", now, w.fs.Written(), written)
	}
	rebuilt := rebuild(t, w.fs)
	if d := Diff(w.fs, rebuilt); len(d) > 0 {
		t.Fatalf("step %d: the rebuilt tree differs: %+v", now, d)
	}
	if d := cmp.Diff(viewOf(t, w.fs), viewOf(t, rebuilt), sameBytes); d != "" || rebuilt.Usage() != got {
		t.Fatalf("step %d: the rebuilt tree has %+v, want %+v (-tree +rebuilt):\n%s", now, rebuilt.Usage(), got, d)
	}
	for ino, n := range w.m.nodes {
		p, ok := w.fs.Path(ino)
		if ok != (n.Links > 0) {
			t.Fatalf("step %d: Path(%d) = %q, %v", now, ino, p, ok)
		}
		if _, _, at, err := w.m.at(p, false); ok && (at != ino || err != nil) {
			t.Fatalf("step %d: Path(%d) = %q, where %d is (%v)", now, ino, p, at, err)
		}
		if again, _ := rebuilt.Path(ino); again != p {
			t.Fatalf("step %d: Path(%d) = %q, rebuilt %q", now, ino, p, again)
		}
	}
}

// checkDiff compares Diff with all inodes looked at one by one.
func (w *world) checkDiff(t *testing.T, o *world) {
	t.Helper()
	want, got := map[Ino]bool{}, map[Ino]bool{}
	for ino, a := range w.fs.inodes.All() {
		if b := o.fs.get(Ino(ino)); b == nil || !a.same(b) {
			want[Ino(ino)] = true
		}
	}
	for ino := range o.fs.inodes.All() {
		if w.fs.get(Ino(ino)) == nil {
			want[Ino(ino)] = true
		}
	}
	for ino := range want { // unlinked in both: no change anybody can see
		_, a := w.fs.Path(ino)
		_, b := o.fs.Path(ino)
		if !a && !b {
			delete(want, ino)
		}
	}
	for _, c := range Diff(w.fs, o.fs) {
		got[c.Ino] = true
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("Diff (-want +got):\n%s", d)
	}
}

// rebuild takes a tree apart into records and puts it together again.
func rebuild(t *testing.T, f *FS) *FS {
	t.Helper()
	b := NewBuilder(f.gen, f.Limits())
	for r := range f.Records() {
		if err := b.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Finish(f.NextIno())
	if err != nil {
		t.Fatal(err)
	}
	return g
}
