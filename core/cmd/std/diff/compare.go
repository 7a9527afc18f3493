package diff

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd"
)

// scan is what is rebuilt from the two files after a load: their lines and what equals what.
type scan struct {
	lines   [2][][]byte // with their newlines
	sides   [2]side
	search  *searcher
	changes []change
}

// builder is a scan that is being made.
type builder struct {
	scan
	data    [2][]byte // of the files, not cut into lines yet
	n, tail int       // lines common at both ends; tail is -1 while n is looked for
	side    int       // whose classes are being found
	classes map[string]int
}

// builtLines is how many lines a turn handles.
const builtLines = 1 << 13

// build goes on making the scan, which is there when it is done. The lines common at both
// ends, less the context, are left out. A program that was loaded makes it at once: else
// one that is saved at every turn would not get on.
func (p *Program) build(c *cmd.Ctx) (done bool) {
	if p.s != nil {
		return true
	}
	b := p.b
	if b == nil {
		b = &builder{tail: -1, classes: map[string]int{}}
		for i := range b.data {
			b.data[i] = p.Files[i].Data
			b.lines[i] = make([][]byte, 0, bytes.Count(b.data[i], []byte("\n"))+1)
		}
		p.b = b
	}
	for most := c.Turn(builtLines); ; {
		if b.turn(p, c, &most) {
			p.s, p.b = &b.scan, nil
			return true
		}
		if most <= 0 && !p.loaded {
			return false
		}
		c.Charge(manyLines)
		most = manyLines
	}
}

// turn goes on by at most some lines; true at the end.
func (b *builder) turn(p *Program, c *cmd.Ctx, most *int) (done bool) {
	for i := range b.data {
		for ; len(b.data[i]) > 0; *most-- {
			if *most <= 0 {
				return false
			}
			n := bytes.IndexByte(b.data[i], '\n') + 1
			if n == 0 {
				n = len(b.data[i])
			}
			b.lines[i] = append(b.lines[i], b.data[i][:n:n])
			b.data[i] = b.data[i][n:]
		}
	}
	x, y := b.lines[0], b.lines[1]
	if b.tail < 0 {
		for ; b.n < len(x) && b.n < len(y) && bytes.Equal(x[b.n], y[b.n]); b.n++ {
			if *most--; *most <= 0 {
				return false
			}
		}
		b.tail = 0
	}
	if b.sides[0].changed == nil {
		for ; b.tail < len(x)-b.n && b.tail < len(y)-b.n && bytes.Equal(x[len(x)-1-b.tail], y[len(y)-1-b.tail]); b.tail++ {
			if *most--; *most <= 0 {
				return false
			}
		}
		horizon := 0
		if p.o.format == 'u' || p.o.format == 'c' {
			horizon = p.o.context
		}
		n, tail := max(0, b.n-horizon), max(0, b.tail-horizon)
		p.prefix = n
		for i := range b.sides {
			mid := len(b.lines[i]) - tail - n
			b.sides[i] = side{class: make([]int, 0, mid), changed: make([]byte, mid+2)}
		}
	}
	for ; b.side < len(b.sides); b.side++ {
		s := &b.sides[b.side]
		for len(s.class) < len(s.changed)-2 {
			if *most--; *most <= 0 {
				return false
			}
			s.class = append(s.class, b.class(p, b.lines[b.side][p.prefix+len(s.class)]))
		}
	}
	discard(c, &b.sides, len(b.classes), p.o.minimal)
	b.search = newSearcher(b.sides[0].kept, b.sides[1].kept)
	return true
}

// class is the number of all lines that are equal to one.
func (b *builder) class(p *Program, l []byte) int {
	if p.loose() {
		l = p.canonical(l)
	}
	k, ok := b.classes[string(l)]
	if !ok {
		k = len(b.classes)
		b.classes[string(l)] = k
	}
	return k
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

func lower(b []byte) []byte {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return bytes.Map(unicode.ToLower, b)
		}
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
func (p *Program) search(c *cmd.Ctx) {
	if p.s == nil {
		if !p.build(c) {
			c.Charge(builtLines)
			return
		}
		if p.Files[0].Mark == nil {
			p.Spans = []span{{0, len(p.s.sides[0].kept), 0, len(p.s.sides[1].kept), p.o.minimal}}
		} else {
			for i := range p.s.sides {
				p.s.sides[i].changed = p.Files[i].Mark
			}
		}
		for i := range p.s.sides {
			p.Files[i].Mark = p.s.sides[i].changed
		}
	}
	s := p.s.search
	s.work, s.told, s.charge = 0, 0, c.Charge
	most := c.Turn(turnWork)
	for len(p.Spans) > 0 && s.work < most {
		p.Spans = s.compare(p.Spans, &p.s.sides)
		s.work++
	}
	c.Charge((s.work - s.told) / 8)
	if len(p.Spans) > 0 {
		return
	}
	c.Charge(len(p.s.sides[0].class) / 8)
	shift(&p.s.sides)
	c.Charge(len(p.s.sides[0].class) / 8)
	p.s.changes = p.kept(changes(&p.s.sides))
	p.Phase, p.Hunk = phasePrint, 0
	switch {
	case len(p.s.changes) > 0:
		p.Status = max(p.Status, 1)
	case !p.o.showsAll():
		p.identical(c)
	}
}

// kept are the changes in line numbers of the whole files; those that -B and -I ignore are marked.
func (p *Program) kept(l []change) []change {
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
func (p *Program) ignored(k change) bool {
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
