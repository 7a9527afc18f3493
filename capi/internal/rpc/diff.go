package rpc

import (
	"eryxsh/capi/internal/wire"
	"eryxsh/core/compare"
	"eryxsh/core/fault"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

func diffMethods() []binding {
	return []binding{
		on("sandbox.diff", diff),
		on("diff.patch", patch),
		does("diff.close", func(c *call, p *wire.DiffHandleParams) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.diffs, p.Diff)
			return nil
		}),
	}
}

// mark returns the state of a snapshot, by its id or its name.
func (b *sandbox) mark(id string) (*shell.Mark, error) {
	s, err := b.Find("diff", id)
	if err != nil {
		return nil, err
	}
	return s.Mark(), nil
}

func diff(c *call, p *wire.DiffParams) (wire.Diff, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Diff{}, err
	}
	before := b.origin
	if p.A != "" {
		before, err = b.mark(p.A)
	}
	var after *shell.Mark
	if err == nil && p.B != "" {
		after, err = b.mark(p.B)
	}
	if err != nil {
		return wire.Diff{}, err
	}
	if after == nil {
		after = b.Mark()
	}
	return c.describeDiff(compare.Marks(before, after)), nil
}

// describeDiff puts a difference into the terms of the wire, and keeps it.
func (s *Server) describeDiff(d *compare.Difference) wire.Diff {
	out := wire.Diff{Variables: changedValues(d.Variables), Functions: changedValues(d.Functions), Handle: s.keepDiff(d)}
	for _, f := range d.Files {
		out.Files = append(out.Files, changedFile(f))
	}
	if d.Dir[0] != d.Dir[1] {
		out.DirBefore, out.DirAfter = d.Dir[0], d.Dir[1]
	}
	return out
}

// keepDiff gives a difference a handle.
func (s *Server) keepDiff(d *compare.Difference) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.handle()
	s.diffs[h] = d
	return h
}

func changedFile(f compare.File) wire.DiffFile {
	out := wire.DiffFile{Change: string(f.Kind), Path: f.Path, From: f.From, ModeBefore: int(f.Before.Mode & vfs.PermMask), ModeAfter: int(f.After.Mode & vfs.PermMask)}
	if f.Before.Mode.IsRegular() {
		out.Before = f.Before.Size
	}
	if f.After.Mode.IsRegular() {
		out.After = f.After.Size
	}
	if out.Type = typeName(f.After.Mode); f.Kind == compare.Removed {
		out.Type = typeName(f.Before.Mode)
	}
	return out
}

func changedValues(values []compare.Value) []wire.DiffValue {
	var out []wire.DiffValue
	for _, v := range values {
		out = append(out, wire.DiffValue{Name: v.Name, Before: v.Before, After: v.After})
	}
	return out
}

func patch(c *call, p *wire.PatchParams) (wire.Blob, error) {
	d, err := kept(c.Server, c.diffs, p.Diff, "the diff")
	if err != nil {
		return nil, err
	}
	if p.Context < 0 || p.Context > 1<<20 {
		return nil, fault.New(fault.Invalid, "patch", "", "%d lines of context", p.Context)
	}
	return d.Patch(compare.PatchOptions{Context: p.Context, Root: p.Root, Most: p.Most})
}
