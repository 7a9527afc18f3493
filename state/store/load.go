package store

import (
	"encoding/binary"
	"math/bits"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/state"
	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/record"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Load is a state on its way out of a store.
type Load struct {
	tasks
	commit ID
	packs  []PackRef
	limits limit.Limits
	head   record.Commit
	worlds []*world
	left   int64 // memory that records may take
	stored int64 // bytes of files so far
}

// world is one world on its way.
type world struct {
	root  record.Root
	tree  *radix
	pages map[int64][]byte // bodies
	parts []part
	texts [][]byte
	list  node
	files map[vfs.Ino]*file
	ep    persist.Epoch
}

// file is an inode whose content is elsewhere.
type file struct {
	chunks map[int64][]byte // of a regular file
	tree   *radix           // of one of several chunks
	names  *named           // of a directory
}

// named is a node of the tree of a directory's names as it is read.
type named struct {
	node
	level int
	kids  []*named
	text  []byte // on level 0
}

// NewLoad begins to load a commit from packs. lim bounds what it may hold, and
// all limits that it brings.
func NewLoad(r Ref, lim limit.Limits) *Load {
	l := &Load{tasks: tasks{from: NewSource(r.Packs)}, commit: r.Commit, packs: r.Packs, limits: lim, left: 2 * state.RecordCost(lim)} // pages are read twice
	l.need(r.Commit, KindCommit, l.begin)
	return l
}

func (l *Load) take(n int) error {
	if l.left -= int64(n); l.left < 0 {
		return fault.New(fault.State, "load", "", "holds more than the limit memory allows")
	}
	return nil
}

// begin reads the commit.
func (l *Load) begin(b body) error {
	c, err := readCommit(b.data)
	if err != nil {
		return err
	}
	l.head = c
	for _, root := range c.Worlds {
		w := &world{root: root, tree: (*radix)(nil).copied(), pages: map[int64][]byte{}, files: map[vfs.Ino]*file{}, ep: persist.NewEpoch()}
		l.worlds = append(l.worlds, w)
		if len(root.Tree) != len(ID{}) || len(root.Machine) != len(ID{}) || root.Levels < 0 || root.Levels > 60/radixBits {
			return damaged("commit %s makes no sense", l.commit)
		}
		l.branches(w.tree, w.ep, ID(root.Tree), root.Levels, 0, KindPage, func(i int64, b body) error { return l.page(w, i, b.data) })
		l.need(ID(root.Machine), KindList, func(b body) error { return l.list(w, b) })
	}
	return nil
}

func readCommit(data []byte) (c record.Commit, err error) {
	left := int64(64*len(data) + 4096)
	rest, err := codec.ReadCommit(data, &c, &left)
	if err == nil && (c.Header.Container > state.Container || c.Header.MinReader > state.Schema) {
		return c, fault.New(fault.StateTooNew, "store", "", "written by a newer version: reader %d is needed, this one has %d", c.Header.MinReader, state.Schema)
	}
	if err != nil || len(rest) > 0 || len(c.Worlds) == 0 || c.Header.Schema < 1 {
		return c, damaged("a commit makes no sense")
	}
	for _, p := range c.Parents {
		if len(p) != len(ID{}) {
			return c, damaged("a commit makes no sense")
		}
	}
	return c, nil
}

// branches asks for a tree over numbers from one of its nodes down. What is read
// of it is kept in t.
func (l *Load) branches(t *radix, ep persist.Epoch, id ID, level int, i int64, leaf Kind, then func(int64, body) error) {
	for len(t.levels) <= level {
		t.levels = append(t.levels, persist.Vec[node]{})
	}
	if level == 0 {
		l.need(id, leaf, func(b body) error {
			t.levels[0].Set(ep, i, node{id, b.depth})
			return then(i, b)
		})
		return
	}
	l.need(id, KindBranch, func(b body) error {
		t.levels[level].Set(ep, i, node{id, b.depth})
		ids, slots, err := readBranch(b.data)
		if err != nil {
			return err
		}
		for j, kid := range ids {
			l.branches(t, ep, kid, level-1, i<<radixBits|int64(slots[j]), leaf, then)
		}
		return nil
	})
}

func readBranch(data []byte) (ids []ID, slots []int, err error) {
	if len(data) < 4 || (len(data)-4)%len(ID{}) != 0 {
		return nil, nil, damaged("a branch makes no sense")
	}
	have := binary.BigEndian.Uint32(data)
	data = data[4:]
	if bits.OnesCount32(have) != len(data)/len(ID{}) || have == 0 {
		return nil, nil, damaged("a branch makes no sense")
	}
	for ; have != 0; have &= have - 1 {
		slots = append(slots, bits.TrailingZeros32(have))
		ids = append(ids, ID(data[:len(ID{})]))
		data = data[len(ID{}):]
	}
	return ids, slots, nil
}

func readList(data []byte) (ids []ID, err error) {
	if len(data)%len(ID{}) != 0 {
		return nil, damaged("a list makes no sense")
	}
	for ; len(data) > 0; data = data[len(ID{}):] {
		ids = append(ids, ID(data[:len(ID{})]))
	}
	return ids, nil
}

// list reads which parts the records of a machine have.
func (l *Load) list(w *world, b body) error {
	ids, err := readList(b.data)
	if err != nil {
		return err
	}
	w.list = node{ID(w.root.Machine), b.depth}
	w.parts, w.texts = make([]part, len(ids)), make([][]byte, len(ids))
	for i, id := range ids {
		l.need(id, KindPart, func(b body) error {
			w.parts[i], w.texts[i] = part{node{id, b.depth}, len(b.data)}, b.data
			return l.take(len(b.data))
		})
	}
	return nil
}

// page looks for what the inodes of a page have elsewhere.
func (l *Load) page(w *world, i int64, data []byte) error {
	w.pages[i] = data
	err := l.each(i, data, func(f *record.File) error {
		ino := f.Record.Ino
		switch {
		case len(f.Chunk) == len(ID{}) && f.Record.Mode.IsRegular():
			it := w.file(f)
			l.need(ID(f.Chunk), KindChunk, func(b body) error { return l.chunk(it, 0, b.data) })
		case len(f.Tree) == len(ID{}) && f.Record.Mode.IsRegular() && f.Levels >= 0 && f.Levels <= 60/radixBits:
			it := w.file(f)
			it.tree = (*radix)(nil).copied()
			l.branches(it.tree, w.ep, ID(f.Tree), f.Levels, 0, KindChunk, func(i int64, b body) error { return l.chunk(it, i, b.data) })
		case len(f.Tree) == len(ID{}) && f.Record.Mode.IsDir() && f.Levels >= 0 && f.Levels <= 12:
			w.file(f).names = l.names(ID(f.Tree), f.Levels)
		case len(f.Tree) > 0 || len(f.Chunk) > 0 || f.Levels != 0:
			return damaged("inode %d makes no sense", ino)
		}
		return nil
	})
	return err
}

func (w *world) file(f *record.File) *file {
	it := &file{chunks: map[int64][]byte{}}
	w.files[f.Record.Ino] = it
	return it
}

// each gives the inodes of a page.
func (l *Load) each(i int64, data []byte, then func(*record.File) error) error {
	for len(data) > 0 {
		var f record.File
		rest, err := codec.ReadFile(data, &f, &l.left)
		if err != nil || pageOf(f.Record.Ino) != i || len(f.Record.Pieces) > 0 {
			return damaged("page %d of the inodes makes no sense", i)
		}
		if err := then(&f); err != nil {
			return err
		}
		data = rest
	}
	return nil
}

func (l *Load) chunk(f *file, i int64, data []byte) error {
	if len(data) == 0 || len(data) > vfs.ChunkSize {
		return damaged("a chunk of %d bytes", len(data))
	}
	l.stored += int64(len(data))
	if err := state.Room("load", l.stored, l.limits); err != nil {
		return err
	}
	f.chunks[i] = data[:len(data):len(data)]
	return nil
}

// names asks for a tree of names from one of its nodes down.
func (l *Load) names(id ID, level int) *named {
	n := &named{node: node{id: id}, level: level}
	if level == 0 {
		l.need(id, KindNames, func(b body) error {
			n.depth, n.text = b.depth, b.data
			return l.take(len(b.data))
		})
		return n
	}
	l.need(id, KindList, func(b body) error {
		ids, err := readList(b.data)
		if err != nil || len(ids) == 0 {
			return damaged("a list of names makes no sense")
		}
		n.depth = b.depth
		for _, kid := range ids {
			n.kids = append(n.kids, l.names(kid, level-1))
		}
		return l.take(len(b.data))
	})
	return n
}

// entries gives the names of a directory, and what the next save is to know of them.
func (l *Load) entries(root *named, ep persist.Epoch) (all []vfs.Entry, t *names, err error) {
	t = &names{make([]persist.Sorted[node], root.level+1)}
	var open []*named // lists whose first name is not known yet
	for todo := []*named{root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open = append(open, n)
		for i := len(n.kids) - 1; i >= 0; i-- {
			todo = append(todo, n.kids[i])
		}
		if n.level > 0 {
			continue
		}
		start := len(all)
		for data := n.text; len(data) > 0; {
			var e vfs.Entry
			if data, err = codec.ReadName(data, &e, &l.left); err != nil {
				return nil, nil, damaged("the names of a directory make no sense")
			}
			all = append(all, e)
		}
		from := "" // what the first of all is known by
		if start > 0 && start < len(all) {
			from = all[start].Name
		}
		for _, o := range open {
			t.levels[o.level].Set(ep, from, o.node)
		}
		open = open[:0]
	}
	return all, t, nil
}

// Loaded is a World that was read, and what the next save begins with.
type Loaded struct {
	World  *core.World
	Header state.Header
	Saved  *Saved
}

// End gives the World when all was read.
func (l *Load) End(loader *state.Loader) (out Loaded, err error) {
	defer func() {
		if x := recover(); x != nil { // a check that is missing must not take the host down
			out, err = Loaded{}, fault.New(fault.Panic, "load", "", "%v", x)
		}
	}()
	out.Header = l.head.Header
	out.Saved = &Saved{Commit: l.commit, packs: l.packs, Time: l.head.Header.Created, snaps: map[*core.Snapshot]*shadow{}}
	r := loader.Reader(l.head.Header.Schema, l.limits)
	for i, w := range l.worlds {
		fs, shade, err := l.files(w)
		if err != nil {
			return Loaded{}, err
		}
		world, of, err := r.World(shade.machine, fs)
		if err != nil {
			return Loaded{}, err
		}
		if (of == nil) != (i == len(l.worlds)-1) {
			return Loaded{}, damaged("commit %s: its snapshots are out of order", l.commit)
		}
		shade.fs = world.Twin().M.FS
		if of != nil {
			out.Saved.snaps[of] = shade
			out.Saved.order = append(out.Saved.order, of)
		} else {
			out.World, out.Saved.world = world, shade
		}
	}
	return out, nil
}

// files builds the files of a world.
func (l *Load) files(w *world) (*vfs.FS, *shadow, error) {
	s := &shadow{tree: w.tree, parts: w.parts, list: w.list, root: w.root, known: &inventory{}}
	for _, text := range w.texts {
		s.machine = append(s.machine, text...)
	}
	b := vfs.NewBuilder(core.Generated(), vfs.Limits{Bytes: l.limits.FileBytes, Files: l.limits.Files, FileSize: l.limits.FileSize})
	for i := range w.tree.levels[0].All() {
		p := &page{}
		err := l.each(i, w.pages[i], func(f *record.File) error {
			c, err := l.inode(w, f)
			if c != nil {
				p.contents = append(p.contents, *c)
			}
			if err != nil {
				return err
			}
			return state.Built("store", b.Add(f.Record))
		})
		if err != nil {
			return nil, nil, err
		}
		if len(p.contents) > 0 {
			s.pages.Set(w.ep, i, p)
		}
	}
	fs, err := b.Finish(w.root.Next)
	if err != nil {
		return nil, nil, damaged("%s", err)
	}
	return fs, s, nil
}

// inode gives a record its names or pieces; c is where these are, if not in the record.
func (l *Load) inode(w *world, f *record.File) (c *content, err error) {
	it := w.files[f.Record.Ino]
	switch {
	case it == nil:
		if len(f.Data) > 0 {
			f.Record.Pieces = []vfs.Piece{{Index: 0, Data: f.Data}}
		}
		return nil, nil
	case it.names != nil:
		c = &content{ino: f.Record.Ino}
		f.Record.Names, c.names, err = l.entries(it.names, w.ep)
		return c, err
	case it.tree != nil:
		for i := range it.tree.levels[0].All() {
			f.Record.Pieces = append(f.Record.Pieces, vfs.Piece{Index: i, Data: it.chunks[i]})
		}
		return &content{ino: f.Record.Ino, chunks: it.tree}, nil
	}
	f.Record.Pieces = []vfs.Piece{{Index: 0, Data: it.chunks[0]}}
	return &content{ino: f.Record.Ino, chunk: ID(f.Chunk)}, nil
}
