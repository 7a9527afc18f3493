package format

import (
	"eryxsh/core/cmd/quote"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote writes s so that bash reads it back, as printf %q does: backslashes,
// or $'…' where there is something that cannot be printed.
func Quote(s string) string {
	if s == "" {
		return "''"
	}
	for i := 0; i < len(s); {
		n, ok := printable(s[i:])
		if !ok {
			return AnsiC(s)
		}
		i += n
	}
	if !strings.ContainsAny(s, " !\"$&'()*,;<>?[\\]^`{|}~#") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '!', '"', '$', '&', '\'', '(', ')', '*', ',', ';', '<', '>', '?', '[', '\\', ']', '^', '`', '{', '|', '}':
			b.WriteByte('\\')
		case '#':
			if i == 0 {
				b.WriteByte('\\')
			}
		case '~':
			if i == 0 || s[i-1] == ':' || s[i-1] == '=' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// AnsiC writes s as $'…'.
func AnsiC(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		n, ok := printable(s[i:])
		c := s[i]
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case ok:
			b.WriteString(s[i : i+n])
		default:
			for _, c := range []byte(s[i : i+n]) {
				if k := strings.IndexByte("\a\b\x1b\f\n\r\t\v", c); k >= 0 {
					b.Write([]byte{'\\', "abEfnrtv"[k]})
				} else {
					b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
				}
			}
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// printable gives the length of the first character and whether it can be printed.
func printable(s string) (n int, ok bool) {
	if s[0] < utf8.RuneSelf {
		return 1, s[0] >= ' ' && s[0] < 0x7f
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 1, false
	}
	return n, unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Co, r)
}

// gnuQuote quotes as coreutils' printf %q does.
func gnuQuote(s string) string { return quote.Maybe(s) }
