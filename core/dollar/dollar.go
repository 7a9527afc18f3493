// Package dollar writes text as $'…', which set, ${x@Q}, declare -p and printf %q
// do with what cannot be printed.
package dollar

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/large"
)

// Quote returns s as $'…'. m, which may be nil for short ones, hears of the work.
func Quote(s string, m large.Meter) string {
	var b strings.Builder
	b.WriteString("$'")
	for piece := range large.Pieces(s, m) {
		escaped(&b, piece)
	}
	b.WriteByte('\'')
	return b.String()
}

// escaped writes the inside of $'…'.
func escaped(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		n, ok := Printable(s[i:])
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
}

// Printable gives the length of the first character of s, which is not empty, and
// whether it can be printed.
func Printable(s string) (int, bool) {
	if s[0] < utf8.RuneSelf {
		return 1, s[0] >= ' ' && s[0] < 0x7f
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 1, false
	}
	return n, unicode.IsPrint(r) || unicode.In(r, unicode.Zs, unicode.Cf, unicode.Co)
}
