package diff

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/linediff"
)

// Kinds of groups and lines, as the --…-format options name them.
const (
	unchanged = iota
	old
	fresh
	changed
)

// formats are the arguments of --line-format, --…-group-format and their like.
type formats struct {
	group [4]string
	line  [3]string
	given [4]bool
}

func newFormats() *formats { return &formats{line: [3]string{"%l\n", "%l\n", "%l\n"}} }

func kindOf(word string) int {
	switch word {
	case "old":
		return old
	case "new":
		return fresh
	case "changed":
		return changed
	}
	return unchanged
}

// set takes one option.
func (f *formats) set(name, value string) {
	if name == "line-format" {
		f.line = [3]string{value, value, value}
		return
	}
	word, what, _ := strings.Cut(name, "-")
	kind := kindOf(word)
	if what == "line-format" {
		f.line[kind] = value
	} else {
		f.group[kind], f.given[kind] = value, true
	}
}

// settle fills in what was not given.
func (f *formats) settle() {
	for i, s := range []string{"%=", "%<", "%>"} {
		if f.given[i] {
			continue
		}
		if f.group[i] = s; f.given[changed] && i != unchanged {
			f.group[i] = f.group[changed]
		}
	}
	if !f.given[changed] {
		f.group[changed] = f.group[old] + f.group[fresh]
	}
}

// groups writes a run of common lines or a change by the group formats.
func (p *Program) groups(c *cmd.Ctx, kind int, x linediff.Change) {
	p.groupText(c, p.o.formats.group[kind], 0, x)
}

// maxGroups is how deep %(A=B?T:E) may nest.
const maxGroups = 50

// groupText writes a group format up to its end.
func (p *Program) groupText(c *cmd.Ctx, s string, depth int, x linediff.Change) {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			c.Out.WriteByte(s[i])
			continue
		}
		rest := s[i+1:]
		switch rest[0] {
		case '%':
			c.Out.WriteByte('%')
			i++
		case '<':
			p.lineText(c, old, 0, x.A0, x.A1)
			i++
		case '=':
			p.lineText(c, unchanged, 0, x.A0, x.A1)
			i++
		case '>':
			p.lineText(c, fresh, 1, x.B0, x.B1)
			i++
		case '(':
			n := p.choice(c, rest, depth, x)
			if n == 0 {
				c.Out.WriteByte('%')
			}
			i += n
		default:
			if n := character(c, rest); n > 0 {
				i += n
				break
			}
			n := number(c, rest, func(letter byte) (int, bool) { return groupNumber(letter, x) })
			if n == 0 {
				c.Out.WriteByte('%')
			}
			i += n
		}
	}
}

// character writes %c'X' and gives its length after the percent sign, 0 if it is something else.
func character(c *cmd.Ctx, s string) int {
	if !strings.HasPrefix(s, "c'") {
		return 0
	}
	end := strings.IndexByte(s[2:], '\'')
	if end < 1 {
		return 0
	}
	body := s[2 : 2+end]
	if body[0] == '\\' {
		v, err := strconv.ParseUint(body[1:], 8, 8)
		if err != nil {
			return 0
		}
		c.Out.WriteByte(byte(v))
	} else if len(body) == 1 {
		c.Out.WriteByte(body[0])
	} else {
		return 0
	}
	return end + 3
}

// number writes a number directive like %-5dF and gives its length, 0 if it is none.
func number(c *cmd.Ctx, s string, value func(letter byte) (int, bool)) int {
	n := 0
	for n < len(s) && strings.IndexByte("-'0123456789.", s[n]) >= 0 {
		n++
	}
	if n+1 >= len(s) || n > 8 || strings.IndexByte("doxX", s[n]) < 0 {
		return 0
	}
	v, ok := value(s[n+1])
	if !ok {
		return 0
	}
	fmt.Fprintf(&c.Out, "%"+strings.ReplaceAll(s[:n], "'", "")+s[n:n+1], v)
	return n + 2
}

// groupNumber is the number a letter stands for: of the old file in lower case, of the new in upper case.
func groupNumber(letter byte, x linediff.Change) (int, bool) {
	from, to := x.B0, x.B1
	if letter >= 'a' {
		from, to = x.A0, x.A1
	}
	switch letter | 0x20 {
	case 'e':
		return from, true
	case 'f':
		return from + 1, true
	case 'l':
		return to, true
	case 'm':
		return to + 1, true
	case 'n':
		return to - from, true
	}
	return 0, false
}

// choice writes %(A=B?T:E) and gives its length after the percent sign.
func (p *Program) choice(c *cmd.Ctx, s string, depth int, x linediff.Change) int {
	eq, q := strings.IndexByte(s, '='), strings.IndexByte(s, '?')
	if eq < 0 || q < eq || depth >= maxGroups {
		return 0
	}
	value := func(t string) (int, bool) {
		if len(t) == 1 {
			if v, ok := groupNumber(t[0], x); ok {
				return v, true
			}
		}
		v, err := strconv.Atoi(t)
		return v, err == nil
	}
	a, ok1 := value(s[1:eq])
	b, ok2 := value(s[eq+1 : q])
	if !ok1 || !ok2 {
		return 0
	}
	then, mid := until(s, q+1, ':')
	other, end := until(s, mid+1, ')')
	if end >= len(s) {
		return 0
	}
	if a == b {
		p.groupText(c, then, depth+1, x)
	} else {
		p.groupText(c, other, depth+1, x)
	}
	return end + 1
}

// until is the text from a place up to a mark outside of inner %( ), and the mark's place.
func until(s string, from int, mark byte) (string, int) {
	depth := 0
	for i := from; i < len(s); i++ {
		switch {
		case s[i] == '%' && i+1 < len(s):
			if s[i+1] == '(' {
				depth++
			}
			i++
		case depth > 0 && s[i] == ')':
			depth--
		case depth == 0 && s[i] == mark:
			return s[from:i], i
		}
	}
	return "", len(s)
}

// lineText writes lines by a line format.
func (p *Program) lineText(c *cmd.Ctx, kind, side, from, to int) {
	format := p.o.formats.line[kind]
	for n := from; n < to; n++ {
		l := p.s.lines[side][n]
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				c.Out.WriteByte(format[i])
				continue
			}
			rest := format[i+1:]
			switch rest[0] {
			case '%':
				c.Out.WriteByte('%')
				i++
			case 'l':
				c.Out.Write(bytes.TrimSuffix(l, []byte("\n")))
				i++
			case 'L':
				c.Out.Write(l)
				i++
			default:
				k := character(c, rest)
				if k == 0 {
					k = number(c, rest, func(letter byte) (int, bool) { return n + 1, letter == 'n' })
				}
				if k == 0 {
					c.Out.WriteByte('%')
				}
				i += k
			}
		}
	}
}
