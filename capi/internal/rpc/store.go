package rpc

import (
	"bytes"
	"slices"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state/store"
)

func storeMethods() []binding {
	return []binding{
		on("store.save", beginSave),
		does("store.known", func(c *call, p *wire.KnownParams) error {
			s, err := c.saving(p.Save)
			if err != nil {
				return err
			}
			id, err := packID(p.Pack)
			if err != nil {
				return err
			}
			x, err := store.ReadIndex(id, p.Size, c.data(p.Index))
			if err == nil {
				s.Known(x, p.Size)
			}
			return err
		}),
		on("store.seal", seal),
		lends("store.pack", func(c *call, p *wire.PackParams) (int, func([]byte) error, error) {
			s, err := c.saving(p.Save)
			if err != nil {
				return 0, nil, err
			}
			i := slices.IndexFunc(s.packs, func(pack *store.Pack) bool { return bytes.Equal(pack.ID[:], p.Pack) })
			if i < 0 {
				return 0, nil, fault.New(fault.NotFound, "save", "", "this save made no pack %x", p.Pack)
			}
			pack := s.packs[i]
			return int(pack.Size), func(dst []byte) error {
				pack.CopyTo(dst)
				return nil
			}, nil
		}),
		on("store.merge", mergePacks),
		does("store.saved", saved),
		on("store.read", beginRead),
		on("store.need", func(c *call, p *wire.ReadHandle) ([]wire.PackRange, error) {
			r, err := c.reading(p.Read)
			if err != nil {
				return nil, err
			}
			want, err := r.Work()
			out := make([]wire.PackRange, len(want))
			for i, w := range want {
				out[i] = wire.PackRange{Pack: w.Pack[:], At: w.At, Size: w.Size}
			}
			return out, err
		}),
		does("store.give", func(c *call, p *wire.GiveParams) error {
			r, err := c.reading(p.Read)
			if err != nil {
				return err
			}
			id, err := packID(p.Pack)
			if err != nil {
				return err
			}
			data := bytes.Clone(c.data(p.Data)) // what comes of it refers to it
			return r.Give(store.Range{Pack: id, At: p.At, Size: int64(len(data))}, data)
		}),
		on("store.open", openRead),
		on("store.log", readLog),
		on("store.checked", func(c *call, p *wire.ReadHandle) (wire.Checked, error) {
			x, _, err := readingOf[*store.Check](c, p.Read, "this is no check")
			if err != nil {
				return wire.Checked{}, err
			}
			return wire.Checked{Objects: x.Objects, Bytes: x.Bytes, Commits: x.Commits, Faults: x.Faults}, nil
		}),
		on("store.trimmed", func(c *call, p *wire.ReadHandle) (out wire.Trimmed, err error) {
			x, _, err := readingOf[*store.Trim](c, p.Read, "this trims nothing")
			if err != nil {
				return out, err
			}
			if out.Gone = x.Gone; x.Gone == 0 {
				return out, nil
			}
			out.Ref = x.Ref().Bytes()
			for _, made := range x.Packs() {
				data := make([]byte, made.Size)
				made.CopyTo(data)
				out.Packs = append(out.Packs, wire.NewPack{ID: bytes.Clone(made.ID[:]), Data: data})
			}
			return out, nil
		}),
		does("store.forget", func(c *call, p *wire.ReadHandle) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.readings, p.Read)
			return nil
		}),
		on("store.ref", func(c *call, p *wire.RefParams) (wire.RefInfo, error) {
			r, err := store.ReadRef(p.Ref)
			return wire.RefInfo{Commit: r.Commit[:], Time: r.Time, Packs: packInfos(r.Packs, nil)}, err
		}),
		on("store.stamp", func(c *call, p *wire.SandboxParams) (int64, error) {
			b, err := c.find(p.Sandbox)
			if err != nil {
				return 0, err
			}
			return b.uses.Load(), nil
		}),
		on("store.point", func(c *call, p *wire.RefParams) (wire.Blob, error) {
			r, err := store.ReadRef(p.Ref)
			if err == nil && len(p.Commit) > 0 {
				r.Commit, err = commitID(p.Commit)
			}
			r.Time = p.Time
			return r.Bytes(), err
		}),
	}
}

// saving is a save that was begun.
type saving struct {
	*store.Save
	in    *sandbox
	store string
	packs []*store.Pack
}

// reading is what is read from a store.
type reading struct {
	store.Reading
	store string
}

func packID(b []byte) (id store.PackID, err error) {
	if len(b) != len(id) {
		return id, fault.New(fault.Invalid, "store", "", "the id of a pack has %d bytes, not %d", len(id), len(b))
	}
	return store.PackID(b), nil
}

func commitID(b []byte) (id store.ID, err error) {
	if len(b) != len(id) {
		return id, fault.New(fault.Invalid, "store", "", "the id of a commit has %d bytes, not %d", len(id), len(b))
	}
	return store.ID(b), nil
}

func (s *Server) saving(handle int64) (*saving, error) { return kept(s, s.savings, handle, "the save") }

func (s *Server) reading(handle int64) (*reading, error) {
	return kept(s, s.readings, handle, "the reading")
}

// readingOf is a reading of one kind; other says what a reading of another is not.
func readingOf[T store.Reading](c *call, handle int64, other string) (of T, r *reading, err error) {
	if r, err = c.reading(handle); err != nil {
		return of, nil, err
	}
	of, ok := r.Reading.(T)
	if !ok {
		return of, nil, badRequest("%s", other)
	}
	return of, r, nil
}

// kept looks up what a handle stands for among what the server keeps.
func kept[T any](s *Server, all map[int64]*T, handle int64, what string) (*T, error) {
	if handle>>generationShift != s.generation {
		return nil, fault.New(wire.KindForked, "", "", "%s belongs to the process this one was forked from", what)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := all[handle]; x != nil {
		return x, nil
	}
	return nil, fault.New(fault.Closed, "", "", "%s is closed", what)
}

// beginSave takes a copy of the state, in O(1), and lets the sandbox go before it does the rest.
func beginSave(c *call, p *wire.SaveParams) (out wire.SaveBegun, err error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return out, err
	}
	twin := b.Twin()
	base := b.saved
	if p.Whole || base != nil && b.savedIn != p.Store {
		base = nil
	}
	if n := len(twin.Log); n > 0 {
		out.Command = twin.Log[n-1].Command
	}
	c.release()
	s, err := store.Begin(twin, base)
	if err != nil {
		return out, err
	}
	if base != nil {
		out.Base = base.Commit[:]
	}
	if out.Unchanged = s.Unchanged(); out.Unchanged && p.If {
		return out, nil
	}
	for _, id := range s.Hooks() {
		out.Hooks = append(out.Hooks, bytes.Clone(id[:]))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out.Save = c.handle()
	c.savings[out.Save] = &saving{Save: s, in: b, store: p.Store}
	return out, nil
}

func seal(c *call, p *wire.SealParams) (out wire.Sealed, err error) {
	s, err := c.saving(p.Save)
	if err != nil {
		return out, err
	}
	about := store.About{Time: p.Time, Command: p.Command, Note: p.Note}
	for _, b := range p.Parents {
		id, err := commitID(b)
		if err != nil {
			return out, err
		}
		about.Parents = append(about.Parents, id)
	}
	for _, b := range p.Onto {
		r, err := store.ReadRef(b)
		if err != nil {
			return out, err
		}
		about.Onto = append(about.Onto, r)
	}
	packs, ref, err := s.Seal(about)
	if err != nil {
		return out, err
	}
	s.packs = packs
	out = wire.Sealed{Commit: ref.Commit[:], Ref: ref.Bytes(), Packs: packInfos(ref.Packs, packs)}
	for _, id := range ref.Mergeable() {
		out.Merge = append(out.Merge, bytes.Clone(id[:]))
	}
	return out, nil
}

// packInfos describes packs, of which some were made now.
func packInfos(all []store.PackRef, made []*store.Pack) []wire.PackInfo {
	out := make([]wire.PackInfo, len(all))
	for i, p := range all {
		out[i] = wire.PackInfo{ID: p.ID, Size: p.Size, Objects: p.Objects,
			New: slices.ContainsFunc(made, func(m *store.Pack) bool { return bytes.Equal(m.ID[:], p.ID) })}
	}
	return out
}

func mergePacks(c *call, p *wire.MergeParams) (out wire.Merged, err error) {
	r, err := store.ReadRef(p.Ref)
	if err != nil {
		return out, err
	}
	pack, ref, err := store.Merge(r, p.Packs)
	if err != nil {
		return out, err
	}
	out = wire.Merged{Ref: ref.Bytes(), Pack: pack.ID[:], Data: make([]byte, pack.Size)}
	pack.CopyTo(out.Data)
	return out, nil
}

// saved makes what a save wrote the base of the sandbox's next one.
func saved(c *call, p *wire.SavedParams) error {
	s, err := c.saving(p.Save)
	if err != nil {
		return err
	}
	c.mu.Lock()
	delete(c.savings, p.Save)
	c.mu.Unlock()
	if len(p.Ref) == 0 {
		return nil
	}
	r, err := store.ReadRef(p.Ref)
	if err != nil {
		return err
	}
	s.in.lock <- struct{}{} // for a moment: whoever drives a run lets go at the end of its slice
	s.in.saved, s.in.savedIn = s.Saved().Moved(r), s.store
	s.in.leave()
	return nil
}

func beginRead(c *call, p *wire.ReadParams) (int64, error) {
	ref, err := store.ReadRef(p.Ref)
	if err == nil && len(p.Commit) > 0 {
		ref.Commit, err = commitID(p.Commit)
	}
	if err != nil {
		return 0, err
	}
	r := &reading{store: p.Store}
	switch p.What {
	case "state":
		bounds, err := c.boundsOf(p)
		if err != nil {
			return 0, err
		}
		r.Reading = store.NewLoad(ref, bounds)
	case "log":
		r.Reading = store.NewLog(ref, max(p.Most, 0))
	case "check":
		r.Reading = store.NewCheck(ref)
	case "trim":
		r.Reading = store.NewTrim(ref, max(p.Most, 0), p.Since)
	default:
		return 0, fault.New(fault.Invalid, "store", "", "%q cannot be read: state, log, check or trim can", p.What)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.handle()
	c.readings[h] = r
	return h, nil
}

// boundsOf is what a state that is read may hold: what the sandbox may whose state it replaces, or what a new one may.
func (c *call) boundsOf(p *wire.ReadParams) (bounds limit.Limits, err error) {
	if p.Sandbox != 0 {
		b, err := c.holdBroken(p.Sandbox)
		if err != nil {
			return bounds, err
		}
		return b.most(), nil
	}
	bounds = limit.Default()
	return bounds, setLimits(&bounds, p.Limits)
}

// openRead makes a sandbox of what was read, or gives one its state.
func openRead(c *call, p *wire.OpenParams) (int64, error) {
	l, r, err := readingOf[*store.Load](c, p.Read, "this is no state")
	if err != nil {
		return 0, err
	}
	loaded, err := l.End(c.loader)
	if err != nil {
		return 0, err
	}
	var b *sandbox
	here := tools(p.Tools)
	if p.Sandbox != 0 {
		if b, err = c.holdBroken(p.Sandbox); err != nil {
			return 0, err
		}
		here = b.tools()
	}
	if err := equip(loaded.World, loaded.Header.Tools, here); err != nil {
		return 0, err
	}
	if b != nil {
		b.become(loaded.World)
	} else {
		bounds := limit.Default()
		if err := setLimits(&bounds, p.Limits); err != nil {
			return 0, err
		}
		b = newSandbox(loaded.World, loaded.World.Mark()).bounded()
		p.Sandbox = c.add(b)
	}
	b.saved, b.savedIn = loaded.Saved, r.store
	return p.Sandbox, nil
}

func readLog(c *call, p *wire.ReadHandle) ([]wire.CommitInfo, error) {
	l, _, err := readingOf[*store.Log](c, p.Read, "this is no log")
	if err != nil {
		return nil, err
	}
	out := make([]wire.CommitInfo, len(l.Commits))
	for i := range l.Commits {
		x := &l.Commits[i]
		out[i] = wire.CommitInfo{ID: x.ID[:], Parents: x.Parents, Time: x.Time, Command: x.Command, Note: x.Note, Kind: x.Header.Kind,
			Files: x.Header.Files, Bytes: x.Header.Bytes, Tools: x.Header.Tools}
	}
	return out, nil
}

// tools lists the tools a sandbox has.
func (b *sandbox) tools() (all []shell.Tool) {
	for _, t := range b.M.Tools.Sorted() {
		all = append(all, t)
	}
	return all
}
