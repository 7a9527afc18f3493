package regex

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// property reads \pL, \p{L}, \p{^L} and their \P.
func (p *parser) property() (set, error) {
	neg := p.src[p.pos] == 'P'
	p.pos++
	if p.pos >= len(p.src) {
		return nil, p.fail(`malformed \P or \p sequence`)
	}
	name := string(p.src[p.pos : p.pos+1])
	p.pos++
	if name == "{" {
		end := bytes.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return nil, p.fail(`malformed \P or \p sequence`)
		}
		name = string(p.src[p.pos : p.pos+end])
		p.pos += end + 1
		if rest, ok := strings.CutPrefix(name, "^"); ok {
			name, neg = rest, !neg
		}
	}
	s, ok := propertySet(name)
	if !ok {
		return nil, p.fail(`unknown property after \P or \p`)
	}
	if neg {
		s = s.negate()
	}
	return s, nil
}

func propertySet(name string) (set, bool) {
	switch name {
	case "Any":
		return set{{0, utf8.MaxRune}}, true
	case "L&":
		return table(unicode.Lu, unicode.Ll, unicode.Lt), true
	case "Xan":
		return table(unicode.L, unicode.N), true
	case "Xwd":
		return union(table(unicode.L, unicode.N), runeSet('_')), true
	case "Xsp", "Xps":
		return union(table(unicode.Z), set{{'\t', '\r'}}), true
	}
	if t, ok := unicode.Categories[name]; ok {
		return table(t), true
	}
	if t, ok := unicode.Scripts[name]; ok {
		return table(t), true
	}
	if t, ok := unicode.Properties[name]; ok {
		return table(t), true
	}
	return nil, false
}

// perlBracket reads a list after its [.
func (p *parser) perlBracket() (*node, error) {
	if rest := p.src[p.pos:]; len(rest) > 0 && rest[0] == ':' {
		if end := bytes.IndexByte(rest, ']'); end > 1 && rest[end-1] == ':' {
			return nil, p.fail("POSIX named classes are supported only within a class")
		}
	}
	neg := p.take("^")
	var s set
	for first := true; ; first = false {
		if p.pos >= len(p.src) {
			return nil, p.fail("missing terminating ] for character class")
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		lo, isClass, part, err := p.perlItem()
		if err != nil {
			return nil, err
		}
		rest := p.src[p.pos:]
		if isClass || len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
			if !isClass {
				part = set{{lo, lo}}
			}
			s = append(s, part...)
			continue
		}
		p.pos++
		hi, isClass, part, err := p.perlItem()
		switch {
		case err != nil:
			return nil, err
		case isClass: // [a-\d] is a, - and \d
			s = append(s, rng{lo, lo}, rng{'-', '-'})
			s = append(s, part...)
		case lo > hi:
			return nil, p.fail("range out of order in character class")
		default:
			s = append(s, rng{lo, hi})
		}
	}
	s = s.clean()
	if p.perl.fold {
		s = p.o.cases(s)
	}
	if neg {
		s = s.negate()
	}
	return &node{op: opSet, set: p.records(s)}, nil
}

// nextClose is where the next ] is, from i on; before i if there is none.
func (p *parser) nextClose(i int) int {
	if i < p.sought || i > p.closing {
		p.sought, p.closing = i, len(p.src)
		if n := bytes.IndexByte(p.src[min(i, len(p.src)):], ']'); n >= 0 {
			p.closing = i + n
		}
	}
	if p.closing == len(p.src) {
		return -1
	}
	return p.closing
}

// perlItem reads a character or a class of a list.
func (p *parser) perlItem() (r rune, isClass bool, s set, err error) {
	rest := p.src[p.pos:]
	if rest[0] == '[' && len(rest) > 1 && strings.IndexByte(":.=", rest[1]) >= 0 {
		if end := p.nextClose(p.pos+2) - p.pos - 3; end >= 0 && rest[2+end] == rest[1] {
			if rest[1] != ':' {
				return 0, false, nil, p.fail("POSIX collating elements are not supported")
			}
			p.pos += end + 4
			name, neg := strings.CutPrefix(string(rest[2:2+end]), "^")
			s, ok := class(name, true)
			if name == "word" {
				s, ok = asciiWord(), true
			}
			if !ok {
				return 0, false, nil, p.fail("unknown POSIX class name")
			}
			if neg {
				s = s.negate()
			}
			return 0, true, s, nil
		}
	}
	if rest[0] != '\\' {
		c, n, _ := p.o.next(rest)
		p.pos += n
		return c, false, nil, nil
	}
	if p.pos++; p.pos >= len(p.src) {
		return 0, false, nil, p.fail(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if s, ok := perlClass(c); ok && c != 'N' {
		p.pos++
		return 0, true, s, nil
	}
	switch c {
	case 'p', 'P':
		s, err := p.property()
		return 0, true, s, err
	case 'b':
		p.pos++
		return 8, false, nil, nil
	}
	if r, err = p.perlCharEscape(); err != nil || r >= 0 {
		return r, false, nil, err
	}
	r, n, _ := p.o.next(p.src[p.pos:])
	p.pos += n
	return r, false, nil, nil
}
