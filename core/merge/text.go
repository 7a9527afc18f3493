package merge

import (
	"bytes"
	"slices"

	"eryxsh/core/linediff"
)

// Labels are what stands behind the markers of a conflict.
type Labels struct{ Ours, Base, Theirs string }

// region is a part of three texts where they do not all agree.
type region struct {
	side   byte // whose lines are taken: 'o', 't'; 0 is a conflict
	b0, b1 int  // lines of the base
	o0, o1 int
	t0, t1 int
}

// Text merges two texts line by line against the one both came from, as git's
// merge does with conflict style diff3: what one side changed is taken, what both
// changed alike is taken once, and where they changed the same or adjoining lines
// differently all three stand between markers. It returns the text and the number
// of conflicts.
func Text(base, ours, theirs []byte, l Labels) (merged []byte, conflicts int) {
	b, o, t := linediff.Split(base), linediff.Split(ours), linediff.Split(theirs)
	at := 0
	for _, r := range regions(b, o, t) {
		merged = appendAll(merged, o[at:r.o0])
		at = r.o1
		switch {
		case r.side == 'o':
			merged = appendAll(merged, o[r.o0:r.o1])
		case r.side == 't':
			merged = ended(merged)
			merged = appendAll(merged, t[r.t0:r.t1])
		default:
			conflicts++
			merged = mark(merged, "<<<<<<<", l.Ours, o, r)
			merged = ended(appendAll(merged, o[r.o0:r.o1]))
			merged = mark(merged, "|||||||", l.Base, o, r)
			merged = ended(appendAll(merged, b[r.b0:r.b1]))
			merged = mark(merged, "=======", "", o, r)
			merged = ended(appendAll(merged, t[r.t0:r.t1]))
			merged = mark(merged, ">>>>>>>", l.Theirs, o, r)
		}
	}
	return appendAll(merged, o[at:]), conflicts
}

func appendAll(text []byte, lines [][]byte) []byte {
	for _, l := range lines {
		text = append(text, l...)
	}
	return text
}

// ended ends a line that has no newline, before another follows.
func ended(text []byte) []byte {
	if n := len(text); n > 0 && text[n-1] != '\n' {
		return append(text, '\n')
	}
	return text
}

// mark appends the line of a marker, which ends as the lines around it do.
func mark(text []byte, sign, label string, ours [][]byte, r region) []byte {
	text = append(ended(text), sign...)
	if label != "" {
		text = append(append(text, ' '), label...)
	}
	if carriage(ours, r.o0) {
		text = append(text, '\r')
	}
	return append(text, '\n')
}

// carriage reports whether the line before a place, or the first, ends in CR LF.
func carriage(lines [][]byte, at int) bool {
	if len(lines) == 0 {
		return false
	}
	return bytes.HasSuffix(lines[max(at-1, 0)], []byte("\r\n"))
}

// regions aligns what the two sides changed.
func regions(b, o, t [][]byte) (all []region) {
	x, y := linediff.Histogram(b, o), linediff.Histogram(b, t)
	add := func(r region) {
		if n := len(all); n > 0 {
			m := &all[n-1]
			if r.o0 <= m.o1 || r.t0 <= m.t1 { // they touch: one region
				if r.side != m.side {
					m.side = 0
				}
				m.b1, m.o1, m.t1 = r.b1, r.o1, r.t1
				return
			}
		}
		all = append(all, r)
	}
	shiftO, shiftT := 0, 0 // from a line of the base that nobody changed to that of a side
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].A1 < y[0].A0:
			c := x[0]
			add(region{side: 'o', b0: c.A0, b1: c.A1, o0: c.B0, o1: c.B1, t0: c.A0 + shiftT, t1: c.A1 + shiftT})
			shiftO, x = c.B1-c.A1, x[1:]
			continue
		case len(x) == 0 || y[0].A1 < x[0].A0:
			c := y[0]
			add(region{side: 't', b0: c.A0, b1: c.A1, o0: c.A0 + shiftO, o1: c.A1 + shiftO, t0: c.B0, t1: c.B1})
			shiftT, y = c.B1-c.A1, y[1:]
			continue
		}
		c, d := x[0], y[0]
		if !alike(c, d, o, t) {
			r := region{b0: min(c.A0, d.A0), b1: max(c.A1, d.A1)}
			r.o0, r.o1 = c.B0-(c.A0-r.b0), c.B1+(r.b1-c.A1)
			r.t0, r.t1 = d.B0-(d.A0-r.b0), d.B1+(r.b1-d.A1)
			add(r)
		}
		if c.A1 <= d.A1 {
			shiftO, x = c.B1-c.A1, x[1:]
		}
		if d.A1 <= c.A1 {
			shiftT, y = d.B1-d.A1, y[1:]
		}
	}
	return all
}

// alike reports whether both sides made the same change.
func alike(c, d linediff.Change, o, t [][]byte) bool {
	return c.A0 == d.A0 && c.A1 == d.A1 && slices.EqualFunc(o[c.B0:c.B1], t[d.B0:d.B1], bytes.Equal)
}
