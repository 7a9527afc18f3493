// Package dollar writes text as $'…', which set, ${x@Q}, declare -p and printf %q
// do with what cannot be printed.
package dollar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/large"
)

// Quote returns s as $'…'. bytes says that a character is a byte, as in the C locale; m, which may be nil for
// short texts, hears of the work.
func Quote(s string, bytes bool, m large.Meter) string {
	b := large.Builder{M: m}
	b.WriteString("$'")
	for piece := range large.Pieces(s, m) {
		escaped(&b, piece, bytes)
	}
	b.WriteByte('\'')
	return b.String()
}

// escaped writes the inside of $'…'.
func escaped(b *large.Builder, s string, bytes bool) {
	for i := 0; i < len(s); {
		n, ok := Printable(s[i:], bytes)
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

// CodePoint is what \u and \U give of a character that the locale does not have.
func CodePoint(v uint32) string {
	if v < 0x10000 {
		return fmt.Sprintf(`\u%04X`, v)
	}
	return fmt.Sprintf(`\U%08X`, v)
}

// Printable gives the length of the first character of s, which is not empty, and
// whether it can be printed. Where characters are bytes only ASCII can be.
func Printable(s string, bytes bool) (int, bool) {
	if s[0] < utf8.RuneSelf {
		return 1, s[0] >= ' ' && s[0] < 0x7f
	}
	if bytes {
		return 1, false
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return 1, false
	}
	return n, unicode.IsPrint(r) || unicode.In(r, unicode.Zs, unicode.Cf, unicode.Co)
}
