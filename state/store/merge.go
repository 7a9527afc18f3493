package store

import (
	"bytes"
	"math/bits"
	"slices"
)

// A save adds a pack, so packs are merged as they become many: eight of about
// one size become one, as in a log-structured merge tree (O'Neil et al., 1996).
// Each object is then written once more for each power of eight packs behind it.
const (
	tierMost  = 8       // packs of one tier
	mergeMost = 4 << 20 // bytes of a pack that is not merged any more
)

// tier says how large a pack is, in powers of eight.
func tier(size int64) int { return max(0, (bits.Len64(uint64(size))-13+2)/3) }

// Mergeable gives the packs of a ref that should become one, nil if none should.
func (r Ref) Mergeable() (ids []PackID) {
	tiers := map[int][]PackID{}
	for _, p := range r.Packs {
		if p.Size >= mergeMost {
			continue
		}
		t := tier(p.Size)
		if tiers[t] = append(tiers[t], PackID(p.ID)); len(tiers[t]) > len(ids) {
			ids = tiers[t]
		}
	}
	if len(ids) < tierMost {
		return nil
	}
	return ids
}

// Merge makes one pack of several that a ref has, given whole, and the ref that
// has it in their place.
func Merge(r Ref, packs [][]byte) (*Pack, Ref, error) {
	gone := make([]PackRef, len(packs))
	for n, data := range packs {
		id, ok := packID(data)
		i := slices.IndexFunc(r.Packs, func(p PackRef) bool { return ok && PackID(p.ID) == id })
		if i < 0 {
			return nil, r, damaged("a pack to be merged is not of the ref, or damaged")
		}
		gone[n] = r.Packs[i]
	}
	from := NewSource(gone)
	for i, p := range gone {
		if err := from.Give(Range{PackID(p.ID), 0, p.Size}, packs[i]); err != nil {
			return nil, r, err
		}
	}
	k := newPacker()
	for i, p := range from.packs {
		for _, id := range p.index.order {
			if from.places[id] != i || k.have[id] {
				continue
			}
			if err := k.copy(from, id); err != nil {
				return nil, r, err
			}
		}
	}
	made := k.end()
	if len(made) != 1 {
		return nil, r, damaged("%d packs cannot become one", len(packs))
	}
	out := Ref{Commit: r.Commit, Time: r.Time, Cut: r.Cut}
	for _, p := range r.Packs {
		if !slices.ContainsFunc(gone, func(g PackRef) bool { return bytes.Equal(g.ID, p.ID) }) {
			out.Packs = append(out.Packs, p)
		}
	}
	out.Packs = append(out.Packs, packRefs(made)...)
	return made[0], out, nil
}

// copy adds an object as it is stored elsewhere.
func (k *packer) copy(from *Source, id ID) error {
	stored, at, ok, err := from.stored(id)
	if err != nil || !ok || at.depth == 0 && sum(at.kind, stored) != id {
		return damaged("object %s is damaged or missing", id)
	}
	if at.kind == KindChunk && at.depth == 0 {
		k.chunk(id, stored)
	} else {
		k.have[id] = true
		k.small(object{id, at.kind, at.depth, at.size}, stored)
	}
	return nil
}

// Moved is what is saved when packs were merged.
func (s *Saved) Moved(r Ref) *Saved {
	c := *s
	c.packs = r.Packs
	return &c
}
