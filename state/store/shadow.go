package store

import (
	"slices"
	"sync"

	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/record"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// shadow is what is known of a world that was saved or loaded: its files as
// they were, which it shares with the world that goes on, and the ids of the
// objects they became. The next save looks only at what the two do not share.
// A shadow does not change any more; the next one shares what it can.
type shadow struct {
	fs    *vfs.FS
	tree  *radix
	pages persist.Vec[*page]

	machine []byte // the records, in the parts that follow
	parts   []part
	list    node
	root    record.Root

	known *inventory // shared with its copies
}

// inventory is the objects of a shadow's files, listed when they are first looked for: thin packs of
// many forks of one state look for them again and again.
type inventory struct {
	once sync.Once
	all  map[ID]found
}

// page is what is known of the contents of 32 inodes: one of those that have
// content outside their record, in order.
type page struct{ contents []content }

// content is where the content of a file or directory is.
type content struct {
	ino    vfs.Ino
	chunk  ID     // of a file of one chunk
	chunks *radix // of any other file
	names  *names // of a directory
}

func (p *page) of(ino vfs.Ino) *content {
	if p == nil {
		return nil
	}
	for i := range p.contents {
		if p.contents[i].ino == ino {
			return &p.contents[i]
		}
	}
	return nil
}

// part is a part of the records of a machine.
type part struct {
	node
	size int
}

// inline is how many bytes of a file stand in its record.
const inline = 128

func pageOf(ino vfs.Ino) int64 { return int64(ino) >> radixBits }

// record gives the record of an inode whose content is known.
func fileRecord(fs *vfs.FS, ino vfs.Ino, c *content) (f record.File, ok bool) {
	if f.Record, ok = fs.Attributes(ino); !ok {
		return f, false
	}
	switch {
	case c == nil && f.Record.Mode.IsDir():
		for name, at := range fs.NamesFrom(ino, "") {
			f.Record.Names = append(f.Record.Names, vfs.Entry{Name: name, Ino: at})
		}
	case c == nil && f.Record.Mode.IsRegular():
		f.Data = fs.Piece(ino, 0)
	case c == nil:
	case c.names != nil:
		id, levels := c.names.root()
		f.Tree, f.Levels = id[:], levels
	case c.chunks != nil:
		id, levels, _ := c.chunks.root()
		f.Tree, f.Levels = id[:], levels
	default:
		f.Chunk = c.chunk[:]
	}
	return f, true
}

// body gives the body of a page, nil when none of its inodes is there.
func (s *shadow) body(i int64) (out []byte) {
	if s == nil {
		return nil
	}
	var known *page
	if p := s.pages.At(i); p != nil {
		known = *p
	}
	for ino := vfs.Ino(i) << radixBits; pageOf(ino) == i; ino++ {
		if f, ok := fileRecord(s.fs, ino, known.of(ino)); ok {
			out = codec.AppendFile(out, &f)
		}
	}
	return out
}

// saver makes the objects of one world.
type saver struct {
	ep  persist.Epoch
	was *shadow // nil: none
	now *shadow
	k   *packer
}

// save makes the objects of a world that changed since was.
func save(fs *vfs.FS, machine []byte, was *shadow, k *packer) *shadow {
	s := &saver{ep: persist.NewEpoch(), was: was, now: &shadow{fs: fs, machine: machine, known: &inventory{}}, k: k}
	if was != nil {
		s.now.tree, s.now.pages = was.tree.copied(), was.pages
		s.files(vfs.Changed(was.fs, fs))
	} else {
		s.now.tree = (*radix)(nil).copied()
		s.files(slices.Collect(fs.Numbers()))
	}
	s.parts()
	id, levels, _ := s.now.tree.root() // there is a root directory
	s.now.root = record.Root{Tree: id[:], Levels: levels, Next: fs.NextIno(), Machine: s.now.list.id[:]}
	return s.now
}

// files makes the pages of inodes that changed, and what is above them.
func (s *saver) files(changed []vfs.Ino) {
	var pages []int64
	for len(changed) > 0 {
		i := pageOf(changed[0])
		n := 1
		for n < len(changed) && pageOf(changed[n]) == i {
			n++
		}
		if s.page(i, changed[:n]) {
			pages = append(pages, i)
		}
		changed = changed[n:]
	}
	var was *radix
	if s.was != nil {
		was = s.was.tree
	}
	s.now.tree.rise(s.ep, pages, was, s.k)
}

// page makes a page and reports whether it is another than before.
func (s *saver) page(i int64, changed []vfs.Ino) bool {
	var before *page
	if s.was != nil {
		if p := s.was.pages.At(i); p != nil {
			before = *p
		}
	}
	now := &page{}
	if before != nil {
		now.contents = slices.Clone(before.contents)
	}
	for _, ino := range changed {
		c := s.content(ino, before.of(ino))
		at, there := slices.BinarySearchFunc(now.contents, ino, func(c content, ino vfs.Ino) int { return int(int64(c.ino) - int64(ino)) })
		switch {
		case c != nil && there:
			now.contents[at] = *c
		case c != nil:
			now.contents = slices.Insert(now.contents, at, *c)
		case there:
			now.contents = slices.Delete(now.contents, at, at+1)
		}
	}
	if len(now.contents) > 0 {
		s.now.pages.Set(s.ep, i, now)
	} else {
		s.now.pages.Delete(s.ep, i)
	}
	body := s.now.body(i)
	if body == nil {
		s.now.tree.leaf(s.ep, i, nil)
		return true
	}
	id := sum(KindPage, body)
	var base *former
	if old := s.now.tree.levels[0].At(i); old != nil {
		if old.id == id {
			return false
		}
		base = &former{old.id, old.depth, func() []byte { return s.was.body(i) }}
	}
	s.now.tree.leaf(s.ep, i, &node{id, s.k.add(KindPage, id, body, base)})
	return true
}

// content makes the objects of the content of an inode; nil where its record
// has all of it.
func (s *saver) content(ino vfs.Ino, before *content) *content {
	r, ok := s.now.fs.Attributes(ino)
	switch {
	case !ok:
		return nil
	case r.Mode.IsDir():
		return s.names(ino, before)
	case r.Mode.IsRegular():
		return s.chunks(ino, before)
	}
	return nil
}

func (s *saver) names(ino vfs.Ino, before *content) *content {
	if s.now.fs.CountNames(ino) <= fewNames {
		return nil
	}
	var t *names
	var changed []string
	was := directory{}
	if before != nil && before.names != nil {
		t, was = before.names, directory{s.was.fs, ino}
		changed = vfs.ChangedNames(s.was.fs, s.now.fs, ino)
	} else {
		for name := range s.now.fs.NamesFrom(ino, "") {
			changed = append(changed, name)
		}
	}
	now := t.copied()
	if t == nil || len(changed) > 0 {
		now.rise(s.ep, directory{s.now.fs, ino}, changed, t, was, s.k)
	}
	return &content{ino: ino, names: now}
}

func (s *saver) chunks(ino vfs.Ino, before *content) *content {
	fs := s.now.fs
	last := fs.LastPiece(ino)
	switch {
	case last < 0:
		return nil
	case last == 0:
		b := fs.Piece(ino, 0)
		if len(b) <= inline {
			return nil
		}
		if before != nil && before.chunks == nil && before.names == nil && !slices.Contains(vfs.ChangedPieces(s.was.fs, fs, ino), 0) {
			return before
		}
		return &content{ino: ino, chunk: s.chunk(b)}
	}
	var t *radix
	var changed []int64
	if before != nil && before.chunks != nil {
		t = before.chunks
		if changed = vfs.ChangedPieces(s.was.fs, fs, ino); len(changed) == 0 {
			return before
		}
	} else {
		changed = slices.Collect(fs.PieceIndexes(ino))
	}
	now := t.copied()
	for _, i := range changed {
		if b := fs.Piece(ino, i); len(b) > 0 {
			now.leaf(s.ep, i, &node{id: s.chunk(b)})
		} else {
			now.leaf(s.ep, i, nil)
		}
	}
	now.rise(s.ep, changed, t, s.k)
	return &content{ino: ino, chunks: now}
}

func (s *saver) chunk(b []byte) ID {
	id := sum(KindChunk, b)
	s.k.chunk(id, b)
	return id
}

// parts makes the objects of the machine's records. What stands between parts
// that did not change is a delta to what stood there.
func (s *saver) parts() {
	var old []part
	var oldText []byte
	var list *former
	if s.was != nil && len(s.was.parts) > 0 {
		old, oldText = s.was.parts, s.was.machine
		list = &former{s.was.list.id, s.was.list.depth, func() []byte { return s.was.listed() }}
	}
	var ends []int
	text := s.now.machine
	for at := 0; at < len(text); {
		at += cut(text[at:])
		ends = append(ends, at)
	}
	starts := make([]int, len(old)+1)
	for i, p := range old {
		starts[i+1] = starts[i] + p.size
	}
	ids := make([]ID, len(ends))
	from := 0
	for i, to := range ends {
		ids[i] = sum(KindPart, text[from:to])
		from = to
	}
	head := 0
	for head < min(len(ids), len(old)) && ids[head] == old[head].id {
		head++
	}
	tail := 0
	for tail < min(len(ids), len(old))-head && ids[len(ids)-1-tail] == old[len(old)-1-tail].id {
		tail++
	}
	from = 0
	for i, to := range ends {
		body, j := text[from:to], i
		if i >= len(ids)-tail {
			j = i - len(ids) + len(old)
		}
		p := part{node{id: ids[i]}, len(body)}
		switch {
		case j < len(old) && old[j].id == ids[i]:
			p.depth = old[j].depth
		case i >= head && i < len(ids)-tail && j < len(old)-tail:
			p.depth = s.k.add(KindPart, ids[i], body, &former{old[j].id, old[j].depth, func() []byte { return oldText[starts[j]:starts[j+1]] }})
		default:
			p.depth = s.k.add(KindPart, ids[i], body, nil)
		}
		s.now.parts = append(s.now.parts, p)
		from = to
	}
	body := s.now.listed()
	id := sum(KindList, body)
	if list != nil && list.id == id {
		s.now.list = s.was.list
		return
	}
	s.now.list = node{id, s.k.add(KindList, id, body, list)}
}

func (s *shadow) listed() (body []byte) {
	for _, p := range s.parts {
		body = append(body, p.id[:]...)
	}
	return body
}
