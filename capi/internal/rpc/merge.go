package rpc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync/atomic"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/core/merge"
	"eryxsh/core/shell"
)

func mergeMethods() []binding { return []binding{on("sandbox.merge", combine)} }

// descent is where a sandbox comes from: its line, and the points where the lines
// it comes from parted, the oldest first. A line begins with a sandbox that was
// made or loaded, or with a fork; a point on it is one of its forks.
//
// Two sandboxes parted at the last point their lines have in common, and the state
// there is what a merge of the two is compared with: going back by restore or undo
// does not change it, as that is a change like any other. After a merge it is the
// state of the other at that merge, which the sandbox has since.
type descent struct {
	line   int64
	forks  int64   // points on the line
	past   []point // shared with forks
	merged []point // of other lines
}

// point is a state on a line that others know.
type point struct {
	line, at int64
	when     int64 // counts up, whatever the line
	mark     *shell.Mark
}

// Of the past and of merges no more points are kept than these: each keeps a state.
const (
	mostPast   = 16
	mostMerged = 16
)

// serial numbers lines and points.
var serial atomic.Int64

func newDescent() descent { return descent{line: serial.Add(1)} }

// part makes a point where forks leave the line, and returns their past.
func (d *descent) part(mark *shell.Mark) []point {
	return append(slices.Clone(d.past[max(0, len(d.past)-mostPast+1):]), d.point(mark))
}

func (d *descent) point(mark *shell.Mark) point {
	d.forks++
	return point{d.line, d.forks, serial.Add(1), mark}
}

// knows returns the state of another line that was merged last, nil if none was.
func (d *descent) knows(other *descent) *point {
	for i := len(d.merged) - 1; i >= 0; i-- {
		if d.merged[i].line == other.line {
			return &d.merged[i]
		}
	}
	return nil
}

// ancestor finds the state where two sandboxes parted, nil if there is none. now is
// that of the first.
func ancestor(a, b *descent, now *shell.Mark) *shell.Mark {
	if a.line == b.line {
		return now
	}
	x, y := a.knows(b), b.knows(a)
	switch {
	case x != nil && y != nil: // the one that was merged later has the other in it
		if x.when > y.when {
			return x.mark
		}
		return y.mark
	case x != nil:
		return x.mark
	case y != nil:
		return y.mark
	}
	end := func(d *descent) []point { return append(slices.Clone(d.past), point{line: d.line, at: 1 << 62}) }
	mine, other := end(a), end(b)
	for _, p := range slices.Backward(mine) {
		for _, q := range slices.Backward(other) {
			if p.line != q.line {
				continue
			}
			if p.at <= q.at {
				return p.mark
			}
			return q.mark
		}
	}
	return nil
}

// side is a sandbox that a merge only looks at.
type side struct {
	mark    *shell.Mark
	descent descent
	point   point
}

// look takes the state of a sandbox, and lets go of it.
func (c *call) look(handle int64) (*side, error) {
	b, err := c.hold(handle)
	if err != nil {
		return nil, err
	}
	defer c.release()
	if b.Going() {
		return nil, fault.New(fault.Busy, "merge", b.M.RunID, "the sandbox to be merged is busy with the run %s: drive, answer or cancel it first", b.M.RunID)
	}
	s := &side{mark: b.Mark()}
	s.point = b.descent.point(s.mark)
	s.descent = b.descent
	return s, nil
}

func combine(c *call, p *wire.CombineParams) (wire.Combined, error) {
	d := decider{all: p.Take, some: map[string]wire.MergeDecision{}}
	for _, one := range p.Decided {
		d.some[one.ID] = one
	}
	theirs, err := c.look(p.Other)
	if err != nil {
		return wire.Combined{}, err
	}
	base, err := c.base(p)
	if err != nil {
		return wire.Combined{}, err
	}
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Combined{}, err
	}
	b.tick(c)
	if base == nil {
		base = ancestor(&b.descent, &theirs.descent, theirs.mark)
	}
	if base == nil {
		return wire.Combined{}, fault.New(fault.NoAncestor, "merge", "", "the two sandboxes come from no common state: give base=, a snapshot or a sandbox that both were made from")
	}
	done, conflicts, err := b.Merge(base, theirs.mark, d.decide)
	if err != nil {
		return wire.Combined{}, err
	}
	out := wire.Combined{Done: done != nil}
	for _, m := range conflicts {
		out.Conflicts = append(out.Conflicts, conflicting(m))
	}
	slices.SortStableFunc(out.Conflicts, func(x, y wire.MergeConflict) int { return cmp.Compare(x.Path, y.Path) })
	if done != nil {
		b.changed()
		b.merged(theirs.point)
		out.Diff = c.describeDiff(done)
	}
	return out, nil
}

// merged notes what was merged.
func (b *sandbox) merged(p point) {
	if p.line == b.descent.line {
		return
	}
	all := slices.DeleteFunc(slices.Clone(b.descent.merged), func(q point) bool { return q.line == p.line })
	b.descent.merged = append(all[max(0, len(all)-mostMerged+1):], p)
}

// base gives the state that is asked for, nil if none is.
func (c *call) base(p *wire.CombineParams) (*shell.Mark, error) {
	if p.Common != 0 {
		b, err := c.hold(p.Common)
		if err != nil {
			return nil, err
		}
		defer c.release()
		return b.Mark(), nil
	}
	if p.Base == "" {
		return nil, nil
	}
	var first error
	for _, handle := range []int64{p.Sandbox, p.Other} {
		b, err := c.hold(handle)
		if err != nil {
			return nil, err
		}
		s, err := b.Find("merge", p.Base)
		c.release()
		if err == nil {
			return s.Mark(), nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// decider decides conflicts as a request says.
type decider struct {
	all  string
	some map[string]wire.MergeDecision
}

var takes = map[string]merge.Take{"ours": merge.Ours, "theirs": merge.Theirs, "markers": merge.Both, "write": merge.Write}

func (d *decider) decide(m *merge.Conflict) merge.Decision {
	if one, ok := d.some[identity(m)]; ok {
		return merge.Decision{Take: takes[one.Take], Data: one.Data}
	}
	return merge.Decision{Take: takes[d.all]}
}

// identity is the same for the same conflict, however often a merge is tried.
func identity(m *merge.Conflict) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(m.Kind), []byte(m.Path), []byte(m.OursPath), []byte(m.TheirsPath), m.Base, m.Ours, m.Theirs} {
		fmt.Fprintf(h, "%t %d ", part == nil, len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func conflicting(m *merge.Conflict) wire.MergeConflict {
	text := func(b []byte) *string {
		if b == nil {
			return nil
		}
		s := string(b)
		return &s
	}
	return wire.MergeConflict{ID: identity(m), Kind: string(m.Kind), Path: m.Path, OursPath: m.OursPath, TheirsPath: m.TheirsPath,
		Base: text(m.Base), Ours: text(m.Ours), Theirs: text(m.Theirs), Merged: text(m.Merged)}
}
