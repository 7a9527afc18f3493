package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/state"
)

// A thin pack is a state as bytes without what the receiver has: a ref and the
// packs that a store would have been given, in one piece, with a sum.

// ThinMagic is what a thin pack begins with.
const ThinMagic = "ERYXTP\r\n"

const thinSigned = 1 // flag: the sum is an HMAC-SHA256

// Have is what a receiver of thin packs has: the files of some states.
type Have struct{ shadows []*shadow }

// Having looks at states that a receiver has. What was is known of one of them,
// or of one that shares memory with them, makes it cheap.
func Having(was *Have, worlds ...*core.World) *Have {
	h := &Have{}
	var last *shadow
	if was != nil && len(was.shadows) > 0 {
		last = was.shadows[len(was.shadows)-1]
	}
	for _, w := range worlds {
		last = save(w.M.FS, nil, last, newPacker())
		h.shadows = append(h.shadows, last)
	}
	return h
}

// Had is what is known of a state that was saved or loaded.
func (s *Saved) Had() *Have { return &Have{[]*shadow{s.world}} }

// Thin gives a World without the files that the receiver has. Its machine is
// all there. parents are the commits that it needs of a store, if any.
func Thin(w *core.World, have *Have, parents []ID, key []byte) ([]byte, error) {
	base := &Saved{world: withoutMachine(have.shadows[len(have.shadows)-1]), Time: w.M.Clock.Now}
	s, err := Begin(w, base)
	if err != nil {
		return nil, err
	}
	if len(s.k.chunks) > 0 { // bytes that are new where they are may be elsewhere in what the receiver has
		for _, sh := range have.shadows {
			has := sh.objects()
			for _, c := range s.k.chunks {
				if _, ok := has[c.id]; ok {
					s.k.known[c.id] = true
				}
			}
		}
	}
	packs, ref, err := s.Seal(About{Parents: parents, Time: w.M.Clock.Now})
	if err != nil {
		return nil, err
	}
	flags := byte(0)
	if key != nil {
		flags |= thinSigned
	}
	head := ref.Bytes()
	out := append([]byte(ThinMagic), flags)
	out = binary.AppendUvarint(out, uint64(len(head)))
	out = append(out, head...)
	for _, p := range packs {
		at := len(out)
		out = append(out, make([]byte, p.Size)...)
		p.CopyTo(out[at:])
	}
	h := state.Sum(key)
	h.Write(out)
	return h.Sum(out), nil
}

// withoutMachine is what is known of files alone.
func withoutMachine(s *shadow) *shadow {
	c := *s
	c.machine, c.parts, c.list = nil, nil, node{}
	return &c
}

// IsThin reports whether bytes are a thin pack.
func IsThin(b []byte) bool { return bytes.HasPrefix(b, []byte(ThinMagic)) }

// ThinPack is a thin pack that was opened.
type ThinPack struct {
	Ref    Ref
	Signed bool
	packs  [][]byte
}

// OpenThin checks a thin pack. lenient: the signature of a signed one is not
// looked at when there is no key.
func OpenThin(b, key []byte, lenient bool) (t ThinPack, err error) {
	if !IsThin(b) || len(b) < len(ThinMagic)+2+sha256.Size {
		return t, damaged("a thin pack of %d bytes: truncated", len(b))
	}
	body, digest := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	rest := body[len(ThinMagic):]
	if rest[0] > thinSigned {
		return t, fault.New(fault.StateTooNew, "import", "", "the thin pack was written by a newer version")
	}
	t.Signed = rest[0] == thinSigned
	if err := state.CheckSum(body, digest, key, t.Signed, lenient); err != nil {
		return t, err
	}
	size, rest, ok := number(rest[1:])
	if !ok || size > uint64(len(rest)) {
		return t, damaged("the thin pack makes no sense")
	}
	if t.Ref, err = ReadRef(rest[:size]); err != nil {
		return t, err
	}
	rest = rest[size:]
	for _, p := range t.Ref.Packs {
		if p.Size > int64(len(rest)) {
			return t, damaged("the thin pack is truncated")
		}
		t.packs = append(t.packs, bytes.Clone(rest[:p.Size]))
		rest = rest[p.Size:]
	}
	if len(rest) > 0 {
		return t, damaged("%d bytes after the thin pack", len(rest))
	}
	return t, nil
}

// Into gives a Load the bytes of the packs, and the objects that it has not from
// what the receiver has.
func (t ThinPack) Into(l *Load, have *Have) error {
	for _, sh := range have.shadows {
		l.from.more = append(l.from.more, sh.objects())
	}
	return t.give(l.from)
}

// give gives a source the bytes of the packs.
func (t ThinPack) give(s *Source) error {
	for i, p := range t.Ref.Packs {
		if err := s.Give(Range{PackID(p.ID), 0, p.Size}, t.packs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Commit reads what a thin pack says of itself.
func (t ThinPack) Commit() (Commit, error) {
	l := NewLog(t.Ref, 1)
	if err := t.give(l.from); err != nil {
		return Commit{}, err
	}
	if _, err := l.Work(); err != nil {
		return Commit{}, err
	}
	if len(l.Commits) == 0 {
		return Commit{}, damaged("the thin pack has no commit")
	}
	return l.Commits[0], nil
}

// found is an object that is in memory.
type found struct {
	kind Kind
	body func() []byte
}

// objects gives the objects that a world's files became. Nobody changes the map.
func (s *shadow) objects() map[ID]found {
	s.known.once.Do(func() { s.known.all = s.listObjects() })
	return s.known.all
}

func (s *shadow) listObjects() map[ID]found {
	all := map[ID]found{}
	s.tree.objects(all, KindPage, s.body)
	for _, p := range s.pages.All() {
		for _, c := range p.contents {
			ino := c.ino
			piece := func(i int64) []byte { return s.fs.Piece(ino, i) }
			switch {
			case c.names != nil:
				c.names.objects(all, directory{s.fs, ino})
			case c.chunks != nil:
				c.chunks.objects(all, KindChunk, piece)
			default:
				all[c.chunk] = found{KindChunk, func() []byte { return piece(0) }}
			}
		}
	}
	return all
}

func (t *radix) objects(all map[ID]found, leaf Kind, body func(int64) []byte) {
	for level := range t.levels {
		for i, n := range t.levels[level].All() {
			if level == 0 {
				all[n.id] = found{leaf, func() []byte { return body(i) }}
			} else {
				all[n.id] = found{KindBranch, func() []byte { return t.branch(level, i) }}
			}
		}
	}
}

func (t *names) objects(all map[ID]found, d directory) {
	for level := range t.levels {
		kind := KindNames
		if level > 0 {
			kind = KindList
		}
		for from, n := range t.levels[level].All() {
			all[n.id] = found{kind, func() []byte { return t.body(d, level, from) }}
		}
	}
}
