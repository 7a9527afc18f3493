package store

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/state"
	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/record"
)

// Saved is a state that a store has: what the next save begins with. It does
// not change; forks of a sandbox may share one.
type Saved struct {
	Commit ID
	Time   int64 // of the world's clock when it was saved
	packs  []PackRef
	world  *shadow
	snaps  map[*core.Snapshot]*shadow
	order  []*core.Snapshot
}

// Save is a state on its way into a store. Nothing of it is in the store, and
// nothing knows of it, until Seal gave its packs and its ref and they are there.
type Save struct {
	base  *Saved
	now   *Saved
	k     *packer
	head  state.Header
	packs []PackRef // of others, with objects of this one
}

// Begin makes the objects of a World that are not in base, which the same store
// has; nil: none are. The World must be one that nobody else uses, a Twin; it is
// the save's from then on.
func Begin(w *core.World, base *Saved) (*Save, error) {
	s := &Save{base: base, k: newPacker(), now: &Saved{snaps: map[*core.Snapshot]*shadow{}}}
	var was *shadow
	if base != nil {
		was, s.packs = base.world, slices.Clone(base.packs)
	}
	last := was
	for _, snap := range w.Snaps {
		if snap.Name == "" {
			continue
		}
		done := (*shadow)(nil)
		if base != nil {
			done = base.snaps[snap]
		}
		if done == nil {
			twin := snap.State()
			machine, _, err := state.Machine(twin, snap)
			if err != nil {
				return nil, err
			}
			done = save(twin.M.FS, machine, last, s.k)
			last = done
		}
		s.now.snaps[snap] = done
		s.now.order = append(s.now.order, snap)
	}
	if was == nil {
		was = last
	}
	if base != nil && !w.M.Clock.Virtual { // the time that passed is no change
		w.M.Clock.Now = base.Time
	}
	machine, head, err := state.Machine(w, nil)
	if err != nil {
		return nil, err
	}
	s.head, s.now.Time = head, w.M.Clock.Now
	s.now.world = save(w.M.FS, machine, was, s.k)
	return s, nil
}

// Unchanged reports whether the store has this state already.
func (s *Save) Unchanged() bool {
	b := s.base
	return b != nil && slices.Equal(b.order, s.now.order) && bytes.Equal(b.world.root.Tree, s.now.world.root.Tree) &&
		b.world.root.Next == s.now.world.root.Next && b.world.list.id == s.now.world.list.id
}

// hooksFrom is how many bytes of files a save must bring for it to look for
// packs of others that have them.
const hooksFrom = 256 << 10

// hooked is the part of the ids of chunks that are hooks: a sample of a pack that
// finds it when much of it is saved once more (Lillibridge et al., "Sparse
// indexing", FAST 2009).
const hooked = 64

// Hooks lists the ids of chunks under which packs with the same content may be
// found, and under which this one's is to be. There are none where little is new.
func (s *Save) Hooks() (ids []ID) {
	bytes, least := 0, -1
	for i, c := range s.k.chunks {
		bytes += len(c.body)
		if c.id[0]%hooked == 0 {
			ids = append(ids, c.id)
		}
		if least < 0 || slices.Compare(c.id[:], s.k.chunks[least].id[:]) < 0 {
			least = i
		}
	}
	if bytes < hooksFrom {
		return nil
	}
	if id := s.k.chunks[least].id; !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	return ids
}

// Known says that the store has a pack, whose objects need not be saved again.
func (s *Save) Known(x *Index, size int64) {
	used := false
	for _, c := range s.k.chunks {
		if _, ok := x.objects[c.id]; ok && !s.k.known[c.id] {
			s.k.known[c.id], used = true, true
		}
	}
	if used && !slices.ContainsFunc(s.packs, func(p PackRef) bool { return PackID(p.ID) == x.ID }) {
		s.packs = append(s.packs, PackRef{ID: x.ID[:], Size: size, Objects: len(x.order)})
	}
}

// About is what a commit says beside the state.
type About struct {
	Parents []ID
	Time    int64 // of the host, ns since 1970
	Command string
	Note    string
	Onto    []Ref // that have the parents
}

// Seal ends a save: it gives the packs to put into the store, in any order, and
// then the ref.
func (s *Save) Seal(a About) (packs []*Pack, ref Ref, err error) {
	c := record.Commit{Header: s.head, Time: a.Time, Command: a.Command, Note: a.Note}
	for i := range a.Parents {
		c.Parents = append(c.Parents, a.Parents[i][:])
	}
	for _, snap := range s.now.order {
		c.Worlds = append(c.Worlds, s.now.snaps[snap].root)
	}
	c.Worlds = append(c.Worlds, s.now.world.root)
	body := codec.AppendCommit(nil, &c)
	if len(body) > objectMost {
		return nil, ref, fault.New(fault.Limit, "save", "", "a commit of %d bytes", len(body))
	}
	id := sum(KindCommit, body)
	s.k.add(KindCommit, id, body, nil)
	packs = s.k.end()
	ref = Ref{Commit: id, Time: a.Time}
	if b := s.base; b != nil && slices.ContainsFunc(a.Onto, func(r Ref) bool { return r.Commit == b.Commit }) {
		s.packs = s.packs[len(b.packs):] // the ref has its objects, perhaps in other packs by now
	}
	for _, onto := range a.Onto {
		ref.Packs = united(ref.Packs, onto.Packs)
		ref.Cut = append(ref.Cut, onto.Cut...)
	}
	ref.Packs = append(united(ref.Packs, s.packs), packRefs(packs)...)
	s.now.Commit, s.now.packs = id, ref.Packs
	return packs, ref, nil
}

// united gives the packs of two lists, each once.
func united(a, b []PackRef) []PackRef {
	out := slices.Clone(a)
	for _, p := range b {
		if !slices.ContainsFunc(out, func(q PackRef) bool { return bytes.Equal(p.ID, q.ID) }) {
			out = append(out, p)
		}
	}
	return out
}

// Saved is what the store has once the packs and the ref are there.
func (s *Save) Saved() *Saved { return s.now }

// PackRef names a pack.
type PackRef = record.PackRef

// Ref is what a name of a store stands for.
type Ref struct {
	Commit ID
	Packs  []PackRef // that have whatever leads from the commit
	Time   int64     // when it was written
	Cut    []ID      // commits whose parents are forgotten
}

// Format is the version of refs, packs and commits that this code writes.
const Format = 1

// Bytes gives the ref as it stands in the store.
func (r Ref) Bytes() []byte {
	rec := record.Ref{Format: Format, Commit: r.Commit[:], Packs: r.Packs, Time: r.Time}
	for i := range r.Cut {
		rec.Cut = append(rec.Cut, r.Cut[i][:])
	}
	b := codec.AppendRef(nil, &rec)
	digest := sha256.Sum256(b)
	return append(b, digest[:]...)
}

// ReadRef reads a ref.
func ReadRef(b []byte) (r Ref, err error) {
	if len(b) < sha256.Size+1 {
		return r, damaged("a ref of %d bytes", len(b))
	}
	body := b[:len(b)-sha256.Size]
	digest := sha256.Sum256(body)
	if !bytes.Equal(digest[:], b[len(body):]) {
		return r, damaged("the ref is damaged: its checksum does not match")
	}
	var rec record.Ref
	left := int64(64*len(b) + 4096)
	rest, err := codec.ReadRef(body, &rec, &left)
	if err == nil && rec.Format > Format {
		return r, fault.New(fault.StateTooNew, "store", "", "the ref is of format %d, this version reads up to %d", rec.Format, Format)
	}
	if err != nil || len(rest) > 0 || rec.Format < 1 || len(rec.Commit) != len(r.Commit) {
		return r, damaged("the ref makes no sense")
	}
	r.Commit, r.Time, r.Packs = ID(rec.Commit), rec.Time, rec.Packs
	for _, id := range rec.Cut {
		if len(id) != len(ID{}) {
			return r, damaged("the ref makes no sense")
		}
		r.Cut = append(r.Cut, ID(id))
	}
	for _, p := range rec.Packs {
		if len(p.ID) != len(PackID{}) || p.Size < int64(len(PackMagic)+packFooter) {
			return r, damaged("the ref makes no sense")
		}
	}
	return r, nil
}
