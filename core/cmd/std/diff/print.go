package diff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/linediff"
)

// turnHunks is how many hunks one turn prints.
const turnHunks = 200

// turnOutput is how much output a turn makes at most, before it leaves hunks to the next.
const turnOutput = 1 << 20

// print writes some hunks of the pair; at the end it is done with it.
func (p *Program) print(c *cmd.Ctx) cmd.Next {
	if p.s == nil {
		p.s = p.build(c)
		for i := range p.s.sides {
			p.s.sides[i].Changed = p.Files[i].Mark
		}
		if !linediff.Fit(nil, &p.s.sides) || !linediff.Settled(&p.s.sides) {
			return c.Unfit("which lines have changed")
		}
		p.s.changes = p.kept(linediff.Changes(&p.s.sides))
	}
	l := p.s.changes
	if p.o.format == 'q' {
		c.Out.WriteString("Files " + p.Files[0].Path + " and " + p.Files[1].Path + " differ\n")
		p.close(c)
		return cmd.Again()
	}
	if p.Hunk == 0 && len(l) > 0 {
		p.heading(c)
	}
	for n := c.Turn(turnHunks); n > 0 && p.Hunk < len(l) && c.Out.Len() < turnOutput; n-- {
		if p.o.format == 'e' {
			p.Hunk++
			p.ed(c, l[len(l)-p.Hunk])
			continue
		}
		first := p.Hunk
		p.Hunk++
		if p.o.format == 'y' || p.o.format == 'i' {
			p.between(c, first)
			p.whole(c, l[first])
			continue
		}
		if p.o.format == 'u' || p.o.format == 'c' {
			for p.Hunk < len(l) {
				gap := 2*p.o.context + 1
				if p.ignored(l[p.Hunk]) {
					gap = p.o.context
				}
				if l[p.Hunk].A0-l[p.Hunk-1].A1 >= gap {
					break
				}
				p.Hunk++
			}
		}
		p.hunk(c, l[first:p.Hunk])
	}
	if p.Hunk < len(l) {
		return cmd.Again()
	}
	if p.o.format == 'y' || p.o.format == 'i' {
		p.between(c, len(l))
	}
	p.close(c)
	return cmd.Again()
}

// between writes the common lines before change n, where the format shows them.
func (p *Program) between(c *cmd.Ctx, n int) {
	x := linediff.Change{A1: len(p.s.lines[0]), B1: len(p.s.lines[1])}
	if n > 0 {
		x.A0, x.B0 = p.s.changes[n-1].A1, p.s.changes[n-1].B1
	}
	if n < len(p.s.changes) {
		x.A1, x.B1 = p.s.changes[n].A0, p.s.changes[n].B0
	}
	switch {
	case x.A0 == x.A1 && x.B0 == x.B1:
	case p.o.format == 'y':
		p.common(c, x.A0, x.A1, x.B0, x.B1)
	default:
		p.groups(c, unchanged, x)
	}
}

// whole writes a change in a format that shows common lines too.
func (p *Program) whole(c *cmd.Ctx, x linediff.Change) {
	switch {
	case p.ignored(x):
		if p.o.format == 'y' {
			p.common(c, x.A0, x.A1, x.B0, x.B1)
		} else {
			p.groups(c, unchanged, x)
		}
	case p.o.format == 'y':
		p.sideBySide(c, x)
	case x.A0 == x.A1:
		p.groups(c, fresh, x)
	case x.B0 == x.B1:
		p.groups(c, old, x)
	default:
		p.groups(c, changed, x)
	}
}

// hunk writes changes that share a heading, unless all of them are ignored.
func (p *Program) hunk(c *cmd.Ctx, l []linediff.Change) {
	all := true
	for _, k := range l {
		all = all && p.ignored(k)
	}
	if all {
		return
	}
	switch p.o.format {
	case 'u':
		p.unified(c, l)
	case 'c':
		p.context(c, l)
	case 'r':
		p.rcs(c, l[0])
	default:
		p.normal(c, l[0])
	}
}

// heading writes what goes before the hunks of a pair.
func (p *Program) heading(c *cmd.Ctx) {
	a, b := &p.Files[0], &p.Files[1]
	if p.Inside {
		c.Out.WriteString("diff" + c.Flags.Value("given") + " " + plainName(a.Path) + " " + plainName(b.Path) + "\n")
	}
	marks := [2]string{"---", "+++"}
	switch p.o.format {
	case 'u':
	case 'c':
		marks = [2]string{"***", "---"}
	default:
		return
	}
	for i, f := range []*file{a, b} {
		name := p.headName(c, f)
		if i < len(p.o.labels) {
			name = p.o.labels[i]
		}
		c.Out.WriteString(marks[i] + " " + name + "\n")
	}
}

// plainName is a file's name as headings have it: as in C where it holds blanks or what is not plain ASCII.
func plainName(name string) string {
	for _, b := range []byte(name) {
		if b <= ' ' || b >= 0x80 || b == '"' || b == '\\' {
			return quote.C(quote.ByBytes(true), name)
		}
	}
	return name
}

// headName is a file's name and time as the heading has them.
func (p *Program) headName(c *cmd.Ctx, f *file) string {
	t := f.Mtime
	name := f.Path
	return plainName(name) + "\t" + clock.Strftime("%Y-%m-%d %H:%M:%S.%N %z", p.o.zone.Time(t))
}

// line writes one line of a file behind a mark.
func (p *Program) line(c *cmd.Ctx, side, n int, mark string) {
	if n%manyLines == 0 {
		c.Charge(manyLines)
	}
	l := p.s.lines[side][n]
	text := bytes.TrimSuffix(l, []byte("\n"))
	if p.o.noBlankEmpty && len(text) == 0 {
		mark = strings.TrimRight(mark, " \t")
	} else if p.o.initialTab {
		mark = strings.TrimSuffix(mark, " ") + "\t"
		if mark == "\t" || strings.HasPrefix(mark, " ") {
			mark = "\t"
		}
	}
	c.Out.WriteString(mark)
	if p.o.expand {
		column := 0
		for _, b := range text {
			if b != '\t' {
				c.Out.WriteByte(b)
				column++
				continue
			}
			for c.Out.WriteByte(' '); ; c.Out.WriteByte(' ') {
				if column++; column%8 == 0 {
					break
				}
			}
		}
	} else {
		c.Out.Write(text)
	}
	c.Out.WriteByte('\n')
	if len(text) == len(l) {
		c.Out.WriteString("\\ No newline at end of file\n")
	}
}

func (p *Program) lines(c *cmd.Ctx, side, from, to int, mark string) {
	for n := from; n < to; n++ {
		p.line(c, side, n, mark)
	}
}

// span writes a range as normal and ed diffs do: "3" or "3,5"; before the first line it is "0".
func spanText(from, to int, sep string) string {
	switch {
	case to-from > 1:
		return strconv.Itoa(from+1) + sep + strconv.Itoa(to)
	default:
		return strconv.Itoa(to)
	}
}

func letter(k linediff.Change) string {
	switch {
	case k.A0 == k.A1:
		return "a"
	case k.B0 == k.B1:
		return "d"
	}
	return "c"
}

func (p *Program) normal(c *cmd.Ctx, k linediff.Change) {
	how := letter(k)
	c.Out.WriteString(spanText(k.A0, k.A1, ",") + how + spanText(k.B0, k.B1, ",") + "\n")
	p.lines(c, 0, k.A0, k.A1, "< ")
	if how == "c" {
		c.Out.WriteString("---\n")
	}
	p.lines(c, 1, k.B0, k.B1, "> ")
}

// ed writes one command of an ed script; they go from the last change to the first.
func (p *Program) ed(c *cmd.Ctx, k linediff.Change) {
	if p.ignored(k) {
		return
	}
	c.Out.WriteString(spanText(k.A0, k.A1, ",") + letter(k) + "\n")
	if k.B0 == k.B1 {
		return
	}
	open := true
	for n := k.B0; n < k.B1; n++ {
		l := bytes.TrimSuffix(p.s.lines[1][n], []byte("\n"))
		if !open {
			c.Out.WriteString("a\n")
			open = true
		}
		if string(l) == "." {
			c.Out.WriteString("..\n.\ns/.//\n")
			open = false
			continue
		}
		c.Out.Write(l)
		c.Out.WriteByte('\n')
	}
	if open {
		c.Out.WriteString(".\n")
	}
}

func (p *Program) rcs(c *cmd.Ctx, k linediff.Change) {
	if k.A1 > k.A0 {
		fmt.Fprintf(&c.Out, "d%d %d\n", k.A0+1, k.A1-k.A0)
	}
	if k.B1 > k.B0 {
		fmt.Fprintf(&c.Out, "a%d %d\n", k.A1, k.B1-k.B0)
		for n := k.B0; n < k.B1; n++ {
			c.Out.Write(p.s.lines[1][n])
		}
	}
}

// bounds is the range of a hunk with its context.
func (p *Program) bounds(l []linediff.Change) linediff.Change {
	first, last := l[0], l[len(l)-1]
	n := p.o.context
	return linediff.Change{A0: max(0, first.A0-n), A1: min(len(p.s.lines[0]), last.A1+n), B0: max(0, first.B0-n), B1: min(len(p.s.lines[1]), last.B1+n)}
}

// functionLine is the last line before a hunk that -p or -F shows.
func (p *Program) functionLine(before int) string {
	if p.o.function == nil {
		return ""
	}
	for n := before - 1; n >= 0; n-- {
		l := bytes.TrimSuffix(p.s.lines[0][n], []byte("\n"))
		if ok, err := p.o.function.Match(l); ok && err == nil {
			l = bytes.TrimLeft(l, " \t\r\v\f")
			l = l[:min(len(l), 40)]
			return " " + string(bytes.TrimRight(l, " \t\r\v\f"))
		}
	}
	return ""
}

func (p *Program) unified(c *cmd.Ctx, l []linediff.Change) {
	w := p.bounds(l)
	count := func(from, to int) string {
		switch to - from {
		case 1:
			return strconv.Itoa(from + 1)
		case 0:
			return strconv.Itoa(from) + ",0"
		}
		return strconv.Itoa(from+1) + "," + strconv.Itoa(to-from)
	}
	c.Out.WriteString("@@ -" + count(w.A0, w.A1) + " +" + count(w.B0, w.B1) + " @@" + p.functionLine(w.A0) + "\n")
	at := w.A0
	for _, k := range l {
		p.lines(c, 0, at, k.A0, " ")
		p.lines(c, 0, k.A0, k.A1, "-")
		p.lines(c, 1, k.B0, k.B1, "+")
		at = k.A1
	}
	p.lines(c, 0, at, w.A1, " ")
}

func (p *Program) context(c *cmd.Ctx, l []linediff.Change) {
	w := p.bounds(l)
	c.Out.WriteString("***************" + p.functionLine(w.A0) + "\n")
	old, new := false, false
	for _, k := range l {
		old = old || k.A1 > k.A0
		new = new || k.B1 > k.B0
	}
	c.Out.WriteString("*** " + contextSpan(w.A0, w.A1) + " ****\n")
	mark := func(k linediff.Change, only string) string {
		if letter(k) == "c" {
			return "! "
		}
		return only
	}
	if old {
		at := w.A0
		for _, k := range l {
			p.lines(c, 0, at, k.A0, "  ")
			p.lines(c, 0, k.A0, k.A1, mark(k, "- "))
			at = k.A1
		}
		p.lines(c, 0, at, w.A1, "  ")
	}
	c.Out.WriteString("--- " + contextSpan(w.B0, w.B1) + " ----\n")
	if new {
		at := w.B0
		for _, k := range l {
			p.lines(c, 1, at, k.B0, "  ")
			p.lines(c, 1, k.B0, k.B1, mark(k, "+ "))
			at = k.B1
		}
		p.lines(c, 1, at, w.B1, "  ")
	}
}

func contextSpan(from, to int) string {
	if to-from > 1 {
		return strconv.Itoa(from+1) + "," + strconv.Itoa(to)
	}
	return strconv.Itoa(to)
}
