package diff

import (
	"bytes"

	"eryxsh/core/cmd"
	"eryxsh/core/linediff"
)

// scan is what is rebuilt from the two files after a load: their lines and what equals what.
type scan struct {
	lines   [2][][]byte // with their newlines
	sides   [2]linediff.Side
	search  *linediff.Search
	changes []linediff.Change
}

func splitLines(c *cmd.Ctx, b []byte) [][]byte {
	n := bytes.Count(b, []byte("\n")) + 1
	c.Charge(len(b) >> 8)
	c.Need(n * lineCost)
	out := make([][]byte, 0, n)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n') + 1
		if i == 0 {
			i = len(b)
		}
		if out = append(out, b[:i:i]); len(out)%manyLines == 0 {
			c.Charge(manyLines)
		}
		b = b[i:]
	}
	return out
}

// About what a line takes besides its text, in the lists of a scan and of its search, and one that differs from all before it: bytes.
const (
	lineCost  = 80
	classCost = 96
)

// build makes the scan. The lines common at both ends, less the context, are left out.
func (p *Program) build(c *cmd.Ctx) *scan {
	s := &scan{}
	for i := range s.lines {
		s.lines[i] = splitLines(c, p.Files[i].Data)
	}
	classes := map[string]int{}
	class := func(l []byte) int {
		key := l
		if p.loose() {
			key = p.canonical(l)
		}
		k, ok := classes[string(key)]
		if !ok {
			if k = len(classes); k%manyLines == manyLines-1 {
				c.Need(manyLines * classCost)
			}
			classes[string(key)] = k
		}
		return k
	}
	a, b := s.lines[0], s.lines[1]
	horizon := 0
	if p.o.format == 'u' || p.o.format == 'c' {
		horizon = p.o.context
	}
	n := 0
	for n < len(a) && n < len(b) && bytes.Equal(a[n], b[n]) {
		if n++; n%manyLines == 0 {
			c.Charge(manyLines / 2)
		}
	}
	tail := 0
	for tail < len(a)-n && tail < len(b)-n && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		if tail++; tail%manyLines == 0 {
			c.Charge(manyLines / 2)
		}
	}
	n, tail = max(0, n-horizon), max(0, tail-horizon)
	p.prefix = n
	for i := range s.sides {
		mid := s.lines[i][n : len(s.lines[i])-tail]
		s.sides[i].Class = make([]int, len(mid))
		for k, l := range mid {
			s.sides[i].Class[k] = class(l)
			if k%manyLines == manyLines-1 {
				c.Charge(4 * manyLines)
			}
		}
		s.sides[i].Changed = make([]byte, len(mid)+2)
	}
	linediff.Discard(c.Charge, &s.sides, len(classes), p.o.minimal)
	s.search = linediff.NewSearch(&s.sides)
	return s
}

func (p *Program) loose() bool {
	o := p.o
	return o.fold || o.allSpace || o.space || o.trailing || o.tabs || o.cr
}

// canonical is a line without the differences that are ignored.
func (p *Program) canonical(l []byte) []byte {
	o := p.o
	if l[len(l)-1] == '\n' {
		l = l[:len(l)-1]
		if o.cr {
			l = bytes.TrimSuffix(l, []byte("\r"))
		}
	} else if !(o.allSpace || o.space || o.trailing) {
		l = append(l[:len(l):len(l)], 0) // a missing newline is a difference
	}
	out := make([]byte, 0, len(l))
	column := 0
	for i := 0; i < len(l); i++ {
		c := l[i]
		blank := c == ' ' || c >= '\t' && c <= '\r'
		switch {
		case blank && o.allSpace:
			continue
		case blank && o.space:
			if n := len(out); n == 0 || out[n-1] != ' ' {
				out = append(out, ' ')
			}
			continue
		case c == '\t' && o.tabs:
			for {
				out = append(out, ' ')
				if column++; column%8 == 0 {
					break
				}
			}
			continue
		}
		column++
		out = append(out, c)
	}
	if o.space || o.trailing {
		out = bytes.TrimRight(out, " \t\r\v\f")
	}
	if o.fold {
		out = lower(out)
	}
	return out
}

// lower folds case byte by byte, as GNU diff does in every locale.
func lower(b []byte) []byte {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// manyLines are charged for before there are more.
const manyLines = 1 << 10

// turnWork is how many steps of the search one turn takes.
const turnWork = 1 << 15

// search goes on with the comparison.
func (p *Program) search(c *cmd.Ctx) cmd.Next {
	if p.s == nil {
		p.s = p.build(c)
		if p.Files[0].Mark == nil {
			p.Spans = linediff.Whole(&p.s.sides, p.o.minimal)
		} else {
			for i := range p.s.sides {
				p.s.sides[i].Changed = p.Files[i].Mark
			}
			if !linediff.Fit(p.Spans, &p.s.sides) {
				return c.Unfit("what was compared of the files")
			}
		}
		for i := range p.s.sides {
			p.Files[i].Mark = p.s.sides[i].Changed
		}
	}
	s := p.s.search
	s.Begin(c.Charge)
	most := c.Turn(turnWork)
	for len(p.Spans) > 0 && s.Work() < most {
		p.Spans = s.Compare(p.Spans, &p.s.sides)
	}
	s.End()
	if len(p.Spans) > 0 {
		return cmd.Again()
	}
	if !linediff.Settled(&p.s.sides) {
		return c.Unfit("which lines have changed")
	}
	c.Charge(len(p.s.sides[0].Class) / 8)
	linediff.Shift(&p.s.sides)
	c.Charge(len(p.s.sides[0].Class) / 8)
	p.s.changes = p.kept(linediff.Changes(&p.s.sides))
	p.Phase, p.Hunk = phasePrint, 0
	switch {
	case len(p.s.changes) > 0:
		p.Status = max(p.Status, 1)
	case !p.o.showsAll():
		p.identical(c)
	}
	return cmd.Again()
}

// kept are the changes in line numbers of the whole files; those that -B and -I ignore are marked.
func (p *Program) kept(l []linediff.Change) []linediff.Change {
	any := false
	for i := range l {
		k := &l[i]
		k.A0 += p.prefix
		k.A1 += p.prefix
		k.B0 += p.prefix
		k.B1 += p.prefix
		any = any || !p.ignored(*k)
	}
	if !any {
		return nil
	}
	return l
}

// ignored reports whether a change is one that -B or -I leaves out.
func (p *Program) ignored(k linediff.Change) bool {
	if !p.o.blank && p.o.ignore == nil {
		return false
	}
	for i, r := range [2][2]int{{k.A0, k.A1}, {k.B0, k.B1}} {
		for n := r[0]; n < r[1]; n++ {
			l := bytes.TrimSuffix(p.s.lines[i][n], []byte("\n"))
			if p.o.blank && (len(l) == 0 || (p.o.allSpace || p.o.space || p.o.trailing) && len(bytes.TrimSpace(l)) == 0) {
				continue
			}
			if p.o.ignore != nil {
				if ok, err := p.o.ignore.Match(l); ok && err == nil {
					continue
				}
			}
			return false
		}
	}
	return true
}
