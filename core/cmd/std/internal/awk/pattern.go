package awk

import "strings"

// prepare turns a regular expression as awk writes it into one for the package
// regex: the escapes of strings (\n, \052, \/) become characters, and those in a
// bracket list too, where POSIX has none. odd is told of an escape that means nothing.
func prepare(s string, odd func(c byte)) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '[':
			n := prepareList(&b, s[i:])
			i += n
		case s[i] == '\\' && i+1 < len(s):
			i += 1 + prepareEscape(&b, s[i+1:], odd)
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// prepareEscape writes what stands behind a backslash outside of lists, and gives its length.
func prepareEscape(b *strings.Builder, s string, odd func(c byte)) int {
	c, n := escapeChar(s)
	switch {
	case n > 0:
		b.WriteByte(c)
		return n
	case strings.IndexByte(`\.[]()*+?{}|^$yB<>wWsS`+"`'", s[0]) >= 0:
		b.WriteByte('\\')
	case s[0] != '/' && s[0] != '-' && odd != nil:
		odd(s[0])
	}
	b.WriteByte(s[0])
	return 1
}

// escapeChar reads an escape that names a character, behind its backslash. n is 0 if it is none.
func escapeChar(s string) (c byte, n int) {
	if i := strings.IndexByte("abfnrtv", s[0]); i >= 0 {
		return "\a\b\f\n\r\t\v"[i], 1
	}
	v := 0
	if s[0] == 'x' {
		for n = 1; n < len(s) && n < 3 && isHex(s[n]); n++ {
			v = v*16 + hexValue(s[n])
		}
		if n == 1 {
			return 0, 0
		}
		return byte(v), n
	}
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	return byte(v), n
}

// prepareList writes a bracket list and gives its length in s. A character that
// would mean something where it lands is written as [.c.].
func prepareList(b *strings.Builder, s string) int {
	b.WriteByte('[')
	i := 1
	if i < len(s) && s[i] == '^' {
		b.WriteByte('^')
		i++
	}
	for first := true; i < len(s); first = false {
		switch c := s[i]; {
		case c == ']' && !first:
			b.WriteByte(']')
			return i + 1
		case c == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				b.WriteString(s[i:])
				return len(s)
			}
			b.WriteString(s[i : i+end+4])
			i += end + 4
		case c == '\\' && i+1 < len(s):
			i++
			ch, n := escapeChar(s[i:])
			if n == 0 {
				ch, n = s[i], 1
			} else if ch == ']' && !first { // gawk decodes it first: it ends the list
				b.WriteByte(']')
				return i + n
			}
			i += n
			if strings.IndexByte(`]-^[\`, ch) >= 0 {
				b.WriteString("[." + string(rune(ch)) + ".]")
			} else {
				b.WriteByte(ch)
			}
		default:
			b.WriteByte(c)
			i++
		}
	}
	return i
}
