package store

import (
	"slices"

	"eryxsh/state/internal/record"
)

// mostlyLive is how much of a pack, as a fraction's denominator, may be of no
// use before what is needed of it is written once more.
const mostlyLive = 4

// Trim forgets the beginning of a history. What only the forgotten commits had
// goes: a pack without much of it stays, what is needed of the others is written
// into packs of its own. It is a Reading; Packs and Ref are its result.
type Trim struct {
	from   *Source
	ref    Ref
	keep   int
	since  int64
	log    *Log
	kept   []Commit
	load   *Load        // follows what leads from the kept commits
	needed map[ID]bool  // and what deltas among them are of
	queue  []ID         // needed, and not looked at
	stays  map[int]bool // packs
	Gone   int          // commits that are forgotten
	packs  []*Pack
	done   bool
}

// NewTrim begins to forget all commits but the last keep ones (0: however many)
// and those since a time, ns since 1970. The last one always stays.
func NewTrim(r Ref, keep int, since int64) *Trim {
	log := NewLog(r, 0)
	return &Trim{from: log.from, ref: r, keep: keep, since: since, log: log}
}

// Work does what can be done with the bytes that are there.
func (t *Trim) Work() ([]Range, error) {
	for !t.done {
		wait, err := t.step()
		if err != nil {
			return nil, err
		}
		if wait {
			return t.from.Wanted(), nil
		}
	}
	return nil, nil
}

// Give gives bytes of a range that was needed.
func (t *Trim) Give(r Range, data []byte) error { return t.from.Give(r, data) }

// step takes the next step; wait says that bytes are missing.
func (t *Trim) step() (wait bool, err error) {
	switch {
	case t.load == nil:
		done, err := t.log.work()
		if done {
			t.choose()
		}
		return !done, err
	case t.needed == nil:
		done, err := t.load.work()
		if done {
			t.stay()
		}
		return !done, err
	case len(t.queue) > 0:
		return t.follow()
	}
	return t.write()
}

// choose says which commits stay.
func (t *Trim) choose() {
	t.load = &Load{tasks: tasks{from: t.from, seen: map[ID]bool{}, unread: KindChunk}, left: 1 << 62}
	for i, c := range t.log.Commits {
		if i > 0 && (t.keep > 0 && i >= t.keep || c.Time < t.since) {
			break
		}
		t.kept = append(t.kept, c)
		t.load.need(c.ID, KindCommit, t.load.begin)
	}
	t.Gone = len(t.log.Commits) - len(t.kept)
	t.done = t.Gone == 0
}

// stay says which packs stay as they are: those that are in use for the most part.
func (t *Trim) stay() {
	t.needed, t.stays = map[ID]bool{}, map[int]bool{}
	for i, p := range t.from.packs {
		var all, live int64
		for _, id := range p.index.order {
			size := int64(p.index.objects[id].size)
			all += size
			if t.load.seen[id] && t.from.places[id] == i {
				live += size
			}
		}
		if t.stays[i] = live > 0 && (all-live)*mostlyLive <= all; t.stays[i] {
			t.queue = append(t.queue, p.index.order...)
		}
	}
	for id := range t.load.seen {
		t.queue = append(t.queue, id)
	}
	slices.SortFunc(t.queue, func(a, b ID) int { return slices.Compare(a[:], b[:]) })
}

// follow finds what the deltas among the needed objects are of, and asks for the
// bytes of what is to be written once more.
func (t *Trim) follow() (wait bool, err error) {
	queue := t.queue
	t.queue = nil
	var missing []ID
	for _, id := range queue {
		if t.needed[id] {
			continue
		}
		i, known := t.from.places[id]
		if !known {
			return false, damaged("object %s is missing", id)
		}
		if t.stays[i] && t.from.packs[i].index.objects[id].depth == 0 {
			t.needed[id] = true
			continue
		}
		stored, at, ok, err := t.from.stored(id)
		switch {
		case err != nil:
			return false, err
		case !ok:
			missing = append(missing, id)
			continue
		case at.depth > 0 && len(stored) < len(id):
			return false, damaged("object %s is damaged", id)
		case at.depth > 0:
			t.queue = append(t.queue, ID(stored[:len(id)]))
		}
		t.needed[id] = true
	}
	wait = len(missing) > 0 && len(t.queue) == 0
	t.queue = append(t.queue, missing...)
	return wait, nil
}

// write makes the packs of what is needed from those that go.
func (t *Trim) write() (wait bool, err error) {
	k := newPacker()
	for i, p := range t.from.packs {
		if t.stays[i] {
			continue
		}
		for _, id := range p.index.order {
			if t.needed[id] && t.from.places[id] == i {
				if err := k.copy(t.from, id); err != nil {
					return false, err
				}
			}
		}
	}
	t.packs, t.done = k.end(), true
	return false, nil
}

// Packs are to be put before the ref.
func (t *Trim) Packs() []*Pack { return t.packs }

// Ref stands for the same commit, with the history that is kept.
func (t *Trim) Ref() Ref {
	out := Ref{Commit: t.ref.Commit, Time: t.ref.Time}
	for i, p := range t.ref.Packs {
		if t.stays[i] {
			out.Packs = append(out.Packs, p)
		}
	}
	out.Packs = append(out.Packs, packRefs(t.packs)...)
	for _, c := range t.kept {
		if slices.ContainsFunc(c.Parents, func(p []byte) bool { return !t.load.seen[ID(p)] }) {
			out.Cut = append(out.Cut, c.ID)
		}
	}
	return out
}

// packRefs names packs.
func packRefs(packs []*Pack) (out []PackRef) {
	for _, p := range packs {
		out = append(out, record.PackRef{ID: p.ID[:], Size: p.Size, Objects: p.Objects})
	}
	return out
}
