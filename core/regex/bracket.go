package regex

import (
	"bytes"
	"slices"
)

// bracket reads a list after its [, as parse_bracket_exp of glibc does.
func (p *parser) bracket() (*node, error) {
	if p.pos >= len(p.src) {
		return nil, BadPattern
	}
	neg := false
	if p.src[p.pos] == '^' {
		neg = true
		if p.pos++; p.pos >= len(p.src) {
			return nil, BadPattern
		}
	}
	b := bracketReader{p: p}
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			return nil, BadBracket
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		if err := b.element(first); err != nil {
			return nil, err
		}
	}
	s := b.set.clean()
	if p.o.Fold {
		s = p.o.cases(s)
	}
	if neg {
		return &node{op: opSet, set: p.lineless(s.negate())}, nil
	}
	s = p.records(s)
	if len(b.raw) == 0 {
		return &node{op: opSet, set: s}, nil
	}
	p.tracked = true
	alts := []*node{{op: opSet, set: s}}
	for _, c := range b.raw {
		alts = append(alts, &node{op: opByte, r: rune(c)})
	}
	return alternate(alts), nil
}

// bracketReader gathers what a list holds.
type bracketReader struct {
	p   *parser
	set set
	raw []byte // bytes that are not part of characters
}

// item is an end of a range: a character, or something that cannot be one.
type item struct {
	r     rune
	raw   bool
	class bool // already added
}

func (b *bracketReader) element(first bool) error {
	p := b.p
	if p.src[p.pos] == '-' && !first {
		// A - here is itself only before the closing bracket or as the start of a range.
		if rest := p.src[p.pos+1:]; len(rest) > 0 && rest[0] != ']' && !(rest[0] == '-' && len(rest) > 1 && rest[1] != ']') {
			return BadRange
		}
	}
	lo, err := b.item()
	if err != nil {
		return err
	}
	rest := p.src[p.pos:]
	if len(rest) == 0 {
		return BadBracket
	}
	if rest[0] != '-' || len(rest) > 1 && rest[1] == ']' {
		if !lo.class {
			b.add(lo)
		}
		return nil
	}
	if len(rest) == 1 {
		return BadBracket
	}
	p.pos++
	hi, err := b.item()
	if err != nil {
		return err
	}
	if lo.class || hi.class || lo.raw != hi.raw || lo.r > hi.r {
		return BadRange
	}
	if lo.raw {
		for c := lo.r; c <= hi.r; c++ {
			b.raw = append(b.raw, byte(c))
		}
		return nil
	}
	b.set = append(b.set, rng{lo.r, hi.r})
	return nil
}

func (b *bracketReader) add(i item) {
	if i.raw {
		b.raw = append(b.raw, byte(i.r))
		return
	}
	b.set = append(b.set, rng{i.r, i.r})
}

// item reads a character, [.x.], [=x=] or [:name:].
func (b *bracketReader) item() (item, error) {
	p := b.p
	rest := p.src[p.pos:]
	if rest[0] == '[' && len(rest) > 1 && (rest[1] == ':' || rest[1] == '.' || rest[1] == '=') {
		end := bytes.Index(rest[2:], []byte{rest[1], ']'})
		if end < 0 {
			p.pos = len(p.src)
			return item{}, BadBracket
		}
		name := rest[2 : 2+end]
		p.pos += end + 4
		if rest[1] == ':' {
			return item{class: true}, b.class(string(name))
		}
		if len(name) == 0 {
			return item{}, BadCollation
		}
		r, n, ok := p.o.next(name)
		if n != len(name) || !ok {
			return item{}, BadCollation
		}
		if rest[1] == '=' {
			b.set = append(b.set, rng{r, r})
			return item{class: true}, nil
		}
		return item{r: r}, nil
	}
	r, n, ok := p.o.next(rest)
	if !ok {
		p.pos++
		return item{r: rune(rest[0]), raw: true}, nil
	}
	p.pos += n
	return item{r: r}, nil
}

func (b *bracketReader) class(name string) error {
	if b.p.o.Fold && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	s, ok := b.p.class(name)
	if !ok {
		return BadClass
	}
	b.set = append(b.set, s...)
	return nil
}

// ClassEnds knows which of : . and = end nothing more in a text: as many may be opened
// there as it has room for, and each would be looked for to the end of it.
type ClassEnds struct {
	Line bool // the text ends with the line
	none []byte
}

// ClassEnd gives the place behind the end of the [: [. or [= that begins before from, of
// which kind is the second character; 0 if there is none. It is for the readers of scripts,
// which look for the end of a regular expression.
func ClassEnd[T string | []byte](e *ClassEnds, text T, from int, kind byte) int {
	if slices.Contains(e.none, kind) {
		return 0
	}
	for i := from; i+1 < len(text) && !(e.Line && text[i] == '\n'); i++ {
		if text[i] == kind && text[i+1] == ']' {
			return i + 2
		}
	}
	e.none = append(e.none, kind)
	return 0
}
