package sed

import (
	"bytes"
	"unicode/utf8"

	"eryxsh/core/regex"
)

// delimited reads up to a delimiter. In a regular expression brackets are
// respected and \n is a newline; elsewhere, only the delimiter loses its backslash.
func (p *parser) delimited(delim int, re bool) ([]byte, bool) {
	if delim == eof || delim == '\n' || delim == '\\' {
		return nil, false
	}
	out := []byte{}
	// A delimiter of more than one byte is a whole character.
	tail := p.runeTail(delim)
	for {
		c := p.next()
		switch {
		case c == eof:
			return nil, false
		case c == '\n':
			p.back(c)
			return nil, false
		case c == delim && p.skip(tail):
			return out, true
		case c == '[' && re:
			n, ok := p.list(&out)
			if !ok {
				return nil, false
			}
			if n {
				continue
			}
		case c == '\\':
			c = p.next()
			switch {
			case c == eof:
				return nil, false
			case c == delim && p.skip(tail):
				if !re && c == '&' {
					out = append(out, '\\')
				}
				out = append(append(out, byte(c)), tail...)
				continue
			case c == 'n' && re:
				c = '\n'
			case c == '\n':
			default:
				out = append(out, '\\')
			}
		}
		out = append(out, byte(c))
	}
}

// runeTail reads the rest of a character that begins with the byte c.
func (p *parser) runeTail(c int) []byte {
	if c < utf8.RuneSelf || p.o.bytes {
		return nil
	}
	_, n := utf8.DecodeRune(p.sources[p.at].Text[p.pos-1:])
	tail := p.sources[p.at].Text[p.pos : p.pos-1+n]
	p.pos += n - 1
	return tail
}

// skip steps over tail if it is next.
func (p *parser) skip(tail []byte) bool {
	if !bytes.HasPrefix(p.sources[p.at].Text[p.pos:], tail) {
		return false
	}
	p.pos += len(tail)
	return true
}

// list copies a bracket expression after its [; false in the second place if it
// has no end. The first is false if [ is an ordinary character here.
func (p *parser) list(out *[]byte) (bool, bool) {
	*out = append(*out, '[')
	c := p.next()
	if c == '^' {
		*out = append(*out, '^')
		c = p.next()
	}
	if c == ']' {
		*out = append(*out, ']')
		c = p.next()
	}
	ends := regex.ClassEnds{Line: true}
	for ; c != eof && c != '\n'; c = p.next() {
		*out = append(*out, byte(c))
		if c == ']' {
			return true, true
		}
		if c != '[' {
			continue
		}
		kind := p.next()
		if kind != '.' && kind != ':' && kind != '=' {
			p.back(kind)
			continue
		}
		if n := regex.ClassEnd(&ends, p.sources[p.at].Text, p.pos, byte(kind)); n > 0 {
			*out = append(append(*out, byte(kind)), p.sources[p.at].Text[p.pos:n]...)
			p.pos = n
			continue
		}
		p.back(kind)
	}
	p.back(c)
	return false, false
}

// escape reads an escape that stands for a character, after its backslash; ok is
// false if it is none, and then nothing was read.
func (p *parser) escape() (text []byte, ok bool) {
	out, n := escaped(p.sources[p.at].Text[p.pos:])
	if n < 0 {
		p.pos += 3
		p.fail("recursive escaping after \\c not allowed")
	}
	p.pos += n
	return out, n > 0
}

// escaped decodes an escape after its backslash and gives its length, 0 if it is
// none, -1 if it is \c\ with something else than a second backslash behind.
func escaped(s []byte) ([]byte, int) {
	if len(s) == 0 {
		return nil, 0
	}
	switch s[0] {
	case 'a':
		return []byte{7}, 1
	case 'f':
		return []byte{'\f'}, 1
	case 'n':
		return []byte{'\n'}, 1
	case 'r':
		return []byte{'\r'}, 1
	case 't':
		return []byte{'\t'}, 1
	case 'v':
		return []byte{'\v'}, 1
	case 'c':
		if len(s) < 2 {
			return []byte{'\\'}, 1
		}
		c := s[1]
		if c >= 'a' && c <= 'z' {
			c -= 32
		}
		if c == '\\' {
			if len(s) < 3 || s[2] != '\\' {
				return nil, -1
			}
			return []byte{c ^ 0x40}, 3
		}
		return []byte{c ^ 0x40}, 2
	case 'd':
		return numeric(s, 10, 3)
	case 'o':
		return numeric(s, 8, 3)
	case 'x':
		return numeric(s, 16, 2)
	}
	return nil, 0
}

// numeric decodes \dNNN, \oNNN and \xNN.
func numeric(s []byte, base, most int) ([]byte, int) {
	v, i := 0, 1
	for ; i <= most && i < len(s); i++ {
		d := 99
		switch c := s[i] | 0x20; {
		case s[i] >= '0' && s[i] <= '9':
			d = int(s[i] - '0')
		case c >= 'a' && c <= 'f':
			d = int(c-'a') + 10
		}
		if d >= base {
			break
		}
		v = v*base + d
	}
	if i == 1 {
		return nil, 0
	}
	return []byte{byte(v)}, i
}

// unescape turns the escapes of a regular expression into characters. Those
// that the expression itself knows (\w, \b, \1 …) stay.
func (p *parser) unescape(s []byte) []byte {
	out := make([]byte, 0, len(s))
	inList := false
	var ends regex.ClassEnds
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inList:
			if c == ']' {
				inList = false
			} else if c == '[' && i+1 < len(s) && (s[i+1] == ':' || s[i+1] == '.' || s[i+1] == '=') {
				if j := regex.ClassEnd(&ends, s, i+2, s[i+1]); j > 0 {
					out = append(out, s[i:j]...)
					i = j - 1
					continue
				}
			} else if c == '\\' {
				if text, n := escaped(s[i+1:]); n > 0 && (text[0] != ']' || s[i+1] == ']') {
					out = append(out, text...)
					i += n
					continue
				}
			}
		case c == '[':
			inList = true
			out = append(out, c)
			if i+1 < len(s) && s[i+1] == '^' {
				i++
				out = append(out, '^')
			}
			if i+1 < len(s) && s[i+1] == ']' {
				i++
				out = append(out, ']')
			}
			continue
		case c == '\\' && i+1 < len(s):
			text, n := escaped(s[i+1:])
			if n < 0 {
				p.fail("recursive escaping after \\c not allowed")
			}
			if n > 0 {
				out = append(out, text...)
				i += n
				continue
			}
			out = append(out, c, s[i+1])
			i++
			continue
		}
		out = append(out, c)
	}
	return out
}

// replacement cuts the replacement of s into parts.
func (p *parser) replacement(s *substitute, text []byte) {
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			s.parts = append(s.parts, part{text: lit, group: -1})
			lit = nil
		}
	}
	group := func(n int) {
		flush()
		s.parts = append(s.parts, part{group: n})
		s.groups = max(s.groups, n)
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '&' {
			group(0)
			continue
		}
		if c != '\\' || i+1 >= len(text) {
			lit = append(lit, c)
			continue
		}
		i++
		shift := caseKeep
		switch c = text[i]; c {
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			group(int(c - '0'))
			continue
		case 'U':
			shift = caseUpper
		case 'L':
			shift = caseLower
		case 'E':
			shift = caseEnd
		case 'u':
			shift = caseUp1
		case 'l':
			shift = caseLow1
		}
		if shift != caseKeep && !p.o.posix {
			flush()
			s.parts = append(s.parts, part{group: -1, shift: shift})
			continue
		}
		out, n := escaped(text[i:])
		switch {
		case n < 0:
			p.fail("recursive escaping after \\c not allowed")
		case n > 0:
			lit = append(lit, out...)
			i += n - 1
		default:
			lit = append(lit, c)
		}
	}
	flush()
}

// transliteration reads y/…/…/.
func (p *parser) transliteration(cmd *command) {
	delim := p.next()
	from, ok := p.delimited(delim, false)
	if !ok {
		p.fail("unterminated `y' command")
	}
	to, ok := p.delimited(delim, false)
	if !ok {
		p.fail("unterminated `y' command")
	}
	a, b := p.characters(from), p.characters(to)
	if len(a) != len(b) {
		p.fail("strings for `y' command are different lengths")
	}
	cmd.pairs = map[rune]rune{}
	for i, r := range a {
		if _, dup := cmd.pairs[r]; !dup {
			cmd.pairs[r] = b[i]
		}
	}
	p.end()
}

// invalidByte stands for a byte that is not part of a character.
const invalidByte = 1 << 24

// characters decodes a string of y.
func (p *parser) characters(s []byte) []rune {
	var out []rune
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] == '\\' {
				out = append(out, '\\')
				i += 2
				continue
			}
			text, n := escaped(s[i+1:])
			switch {
			case n > 0:
				out = append(out, char(text, p.o.bytes))
				i += n + 1
				continue
			case s[i+1] == '\n':
				i++
			default:
				i++
			}
		}
		r := char(s[i:], p.o.bytes)
		out = append(out, r)
		i += length(r)
	}
	return out
}

// char gives the first character of s; a byte that is none, or all beyond ASCII
// where characters are bytes, as invalidByte plus it.
func char(s []byte, bytes bool) rune {
	if s[0] < utf8.RuneSelf {
		return rune(s[0])
	}
	r, n := utf8.DecodeRune(s)
	if bytes || r == utf8.RuneError && n <= 1 {
		return invalidByte + rune(s[0])
	}
	return r
}

// length is how many bytes a char takes.
func length(r rune) int {
	if r >= invalidByte {
		return 1
	}
	return utf8.RuneLen(r)
}
