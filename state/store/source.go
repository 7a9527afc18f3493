package store

import (
	"bytes"
	"slices"
)

// Range is bytes of a pack that are needed.
type Range struct {
	Pack PackID
	At   int64
	Size int64
}

// Source is what has been read of some packs. Whoever reads asks it for objects;
// where bytes are missing it says which, and is given them.
type Source struct {
	packs   []*reading
	indexes int        // so many of them are known
	places  map[ID]int // pack of an object
	bodies  map[ID]body
	wanted  []Range
	more    []map[ID]found // what is not in the packs
}

// reading is a pack of which some is there.
type reading struct {
	ref    PackRef
	index  *Index
	tail   int64 // how much of the end was asked for
	blocks map[int][]byte
	asked  map[int]bool
}

// body is an object as it was read, and how many deltas led to it.
type body struct {
	data  []byte
	depth uint8
}

// What is asked for at once: the end of a pack, or all of a small one.
const (
	firstTail = 64 << 10
	wholePack = 256 << 10
	gapMost   = 32 << 10 // bytes nobody asked for, read to save a request
)

// NewSource begins with the packs of a ref.
func NewSource(packs []PackRef) *Source {
	s := &Source{places: map[ID]int{}, bodies: map[ID]body{}}
	for _, p := range packs {
		s.packs = append(s.packs, &reading{ref: p, blocks: map[int][]byte{}, asked: map[int]bool{}})
	}
	return s
}

// Wanted gives the ranges that are needed to go on, and forgets them.
func (s *Source) Wanted() []Range {
	for i, p := range s.packs {
		if p.index == nil && p.tail == 0 {
			s.askEnd(i, firstTail)
		}
	}
	out := s.wanted
	s.wanted = nil
	return join(out)
}

// askEnd asks for the end of a pack.
func (s *Source) askEnd(i int, n int64) {
	p := s.packs[i]
	if p.ref.Size <= wholePack {
		n = p.ref.Size
	}
	p.tail = min(n, p.ref.Size)
	s.wanted = append(s.wanted, Range{PackID(p.ref.ID), p.ref.Size - p.tail, p.tail})
}

// join makes one range of neighbours.
func join(all []Range) (out []Range) {
	slices.SortFunc(all, func(a, b Range) int {
		if c := bytes.Compare(a.Pack[:], b.Pack[:]); c != 0 {
			return c
		}
		return int(a.At - b.At)
	})
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && out[n].Pack == r.Pack && r.At <= out[n].At+out[n].Size+gapMost && out[n].Size < packMost {
			out[n].Size = max(out[n].Size, r.At+r.Size-out[n].At)
			continue
		}
		out = append(out, r)
	}
	return out
}

// Give gives bytes of a range.
func (s *Source) Give(r Range, data []byte) error {
	i := slices.IndexFunc(s.packs, func(p *reading) bool { return PackID(p.ref.ID) == r.Pack })
	if i < 0 {
		return damaged("bytes of a pack that nobody asked for")
	}
	p := s.packs[i]
	if int64(len(data)) != r.Size {
		return damaged("pack %s has %d bytes where %d were expected", r.Pack, len(data), r.Size)
	}
	if p.index == nil {
		if r.At+r.Size != p.ref.Size {
			return damaged("bytes of a pack that nobody asked for")
		}
		if n := IndexSize(data); n > r.Size && n <= p.ref.Size {
			s.askEnd(i, n)
			return nil
		}
		x, err := ReadIndex(r.Pack, p.ref.Size, data)
		if err != nil {
			return err
		}
		p.index = x
		s.indexes++
		for _, id := range x.order {
			// Of several places the one with the fewest deltas: whatever is a delta has another of a lower depth below it.
			if j, ok := s.places[id]; !ok || x.objects[id].depth < s.packs[j].index.objects[id].depth {
				s.places[id] = i
			}
		}
	}
	return p.take(r, data)
}

// take keeps the blocks that are whole in a range.
func (p *reading) take(r Range, data []byte) error {
	all := p.index.blocks
	i, _ := slices.BinarySearchFunc(all, r.At, func(b block, at int64) int { return int(b.at - at) })
	for ; i < len(all) && all[i].at+int64(all[i].stored) <= r.At+r.Size; i++ {
		b := all[i]
		if p.blocks[i] != nil {
			continue
		}
		raw, err := b.inflate(data[b.at-r.At:][:b.stored:b.stored])
		if err != nil {
			return err
		}
		p.blocks[i] = raw
	}
	return nil
}

// object gives an object, checked. ok is false while bytes of it are missing: they
// are wanted then.
func (s *Source) object(id ID, kind Kind) (out body, ok bool, err error) {
	var chain []ID // deltas on the way to what is known
	for at := id; ; {
		if b, known := s.bodies[at]; known {
			out = b
			break
		}
		if f, there := s.held(at); there && f.kind == kind {
			// A chunk is what it was when its id was made of it: nobody writes into one. The others are made anew.
			if out = (body{f.body(), 0}); kind != KindChunk && sum(kind, out.data) != at {
				return body{}, false, damaged("object %s is not what it was", at)
			}
			s.keep(kind, at, out)
			break
		}
		stored, where, ok, err := s.stored(at)
		if !ok || err != nil {
			return body{}, false, err
		}
		if where.kind != kind {
			return body{}, false, damaged("object %s is of kind %d, not %d", at, where.kind, kind)
		}
		if where.depth == 0 {
			if sum(kind, stored) != at {
				return body{}, false, damaged("object %s is damaged", at)
			}
			out = body{stored, 0}
			s.keep(kind, at, out)
			break
		}
		if len(stored) < len(id) || int(where.depth)+len(chain) > deltaMost {
			return body{}, false, damaged("object %s is damaged", at)
		}
		chain = append(chain, at)
		at = ID(stored[:len(id)])
	}
	for i := len(chain) - 1; i >= 0; i-- {
		stored, _, _, _ := s.stored(chain[i])
		data, err := applyDelta(out.data, stored[len(id):], objectMost)
		if err != nil || sum(kind, data) != chain[i] {
			return body{}, false, damaged("object %s is damaged", chain[i])
		}
		out = body{data, out.depth + 1}
		s.keep(kind, chain[i], out)
	}
	return out, true, nil
}

// held finds an object that is in memory.
func (s *Source) held(id ID) (f found, ok bool) {
	for i := 0; i < len(s.more) && !ok; i++ {
		f, ok = s.more[i][id]
	}
	return f, ok
}

// keep keeps what may be asked for again.
func (s *Source) keep(kind Kind, id ID, b body) {
	if kind != KindChunk {
		s.bodies[id] = b
	}
}

// stored gives the bytes of an object as they are in its pack.
func (s *Source) stored(id ID) (data []byte, at place, ok bool, err error) {
	if s.indexes < len(s.packs) {
		return nil, at, false, nil // it may be there
	}
	i, known := s.places[id]
	if !known {
		return nil, at, false, damaged("object %s is missing", id)
	}
	p := s.packs[i]
	at = p.index.objects[id]
	b, there := p.blocks[at.block]
	if !there {
		if !p.asked[at.block] {
			p.asked[at.block] = true
			where := p.index.blocks[at.block]
			s.wanted = append(s.wanted, Range{p.index.ID, where.at, int64(where.stored)})
		}
		return nil, at, false, nil
	}
	return b[at.from:][:at.size:at.size], at, true, nil
}

// task is an object that is needed and what is to be done with it.
type task struct {
	id   ID
	kind Kind
	then func(body) error
}

// tasks are worked on until bytes are missing or nothing is left. They make a
// Reading of what has them.
type tasks struct {
	from *Source
	todo []task
	seen map[ID]bool // if it is there: each object once

	unread Kind // of objects that need not be read
}

func (t *tasks) need(id ID, kind Kind, then func(body) error) {
	if t.seen[id] {
		return
	}
	if t.seen != nil {
		t.seen[id] = true
	}
	if kind == t.unread {
		return
	}
	t.todo = append(t.todo, task{id, kind, then})
}

// Work does what can be done with the bytes that are there. It returns the
// ranges that are needed to go on; none are when everything was read.
func (t *tasks) Work() ([]Range, error) {
	if done, err := t.work(); err != nil || done {
		return nil, err
	}
	return t.from.Wanted(), nil
}

// Give gives bytes of a range that was needed.
func (t *tasks) Give(r Range, data []byte) error { return t.from.Give(r, data) }

// work does what can be done and reports whether that was all.
func (t *tasks) work() (done bool, err error) {
	for progress := true; progress; {
		progress = false
		todo := t.todo
		t.todo = nil
		var wait []task
		for _, one := range todo {
			b, ok, err := t.from.object(one.id, one.kind)
			if err == nil && ok {
				progress = true
				err = one.then(b)
			}
			if err != nil {
				return false, err
			}
			if !ok {
				wait = append(wait, one)
			}
		}
		progress = progress && len(t.todo) > 0
		t.todo = append(wait, t.todo...)
	}
	return len(t.todo) == 0, nil
}
