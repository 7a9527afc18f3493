// Package width says how many columns text takes on a terminal, as wcwidth(3) does.
package width

import (
	"unicode"
	"unicode/utf8"
)

// String is the number of columns of s; control characters take none.
func String(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c < 0x7f {
				n++
			}
			i++
			continue
		}
		r, l := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || l > 1 {
			n += Rune(r)
		}
		i += l
	}
	return n
}

// Rune is the number of columns of a character: 0, 1 or 2.
func Rune(r rune) int {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0x4dbf, r >= 0x4e00 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
