// Package cell says how many columns of a terminal a character takes.
package cell

import (
	"sort"
	"unicode"
	"unicode/utf8"
)

// wide are the first and last characters of the ranges that take two columns.
var wide = [...][2]rune{
	{0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec}, {0x23f0, 0x23f0}, {0x23f3, 0x23f3},
	{0x25fd, 0x25fe}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267f, 0x267f}, {0x2693, 0x2693}, {0x26a1, 0x26a1},
	{0x26aa, 0x26ab}, {0x26bd, 0x26be}, {0x26c4, 0x26c5}, {0x26ce, 0x26ce}, {0x26d4, 0x26d4}, {0x26ea, 0x26ea},
	{0x26f2, 0x26f3}, {0x26f5, 0x26f5}, {0x26fa, 0x26fa}, {0x26fd, 0x26fd}, {0x2705, 0x2705}, {0x270a, 0x270b},
	{0x2728, 0x2728}, {0x274c, 0x274c}, {0x274e, 0x274e}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
	{0x27b0, 0x27b0}, {0x27bf, 0x27bf}, {0x2b1b, 0x2b1c}, {0x2b50, 0x2b50}, {0x2b55, 0x2b55}, {0x2e80, 0x303e},
	{0x3041, 0x4dbf}, {0x4e00, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe10, 0xfe19},
	{0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2ff}, {0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
	{0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},
	{0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
	{0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},
	{0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7},
	{0x1f6dc, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f7f0, 0x1f7f0},
	{0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
}

// Width is the number of columns of r as wcwidth(3) gives it: -1 for what
// cannot be printed, 0 for what joins the character before it.
func Width(r rune) int {
	switch {
	case r == 0:
		return 0
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return -1
	case r < 0x300:
		return 1
	case r >= 0x1160 && r <= 0x11ff:
		return 0
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	i := sort.Search(len(wide), func(i int) bool { return wide[i][1] >= r })
	if i < len(wide) && wide[i][0] <= r {
		return 2
	}
	if !unicode.IsGraphic(r) && !unicode.Is(unicode.Co, r) {
		return -1
	}
	return 1
}

// String is Text of a string.
func String(s string, bytes bool) int {
	if n := ascii(s); n >= 0 {
		return n
	}
	return Text([]byte(s), bytes)
}

// Name is the width of a file name, in which ls counts a byte that is no UTF-8 as one column.
func Name(s string, bytes bool) int {
	if n := ascii(s); n >= 0 {
		return n
	}
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case s[i] < utf8.RuneSelf:
			n += max(0, Width(r))
		case bytes:
			size = 1
		case r == utf8.RuneError && size == 1:
			n++
			if !utf8.FullRuneInString(s[i:]) {
				return n
			}
		default:
			if w := Width(r); w >= 0 {
				n += w
			} else if !unicode.IsControl(r) {
				n++
			}
		}
		i += size
	}
	return n
}

// ascii is the width of s, -1 if it holds what is not printable ASCII.
func ascii(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return -1
		}
	}
	return len(s)
}

// Text is the width of a text; what cannot be printed takes none: so does, where characters are bytes, all beyond ASCII.
func Text(s []byte, bytes bool) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if s[i] >= ' ' && s[i] < 0x7f {
				n++
			}
			i++
			continue
		}
		if bytes {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r != utf8.RuneError || size > 1 {
			n += max(0, Width(r))
		}
		i += size
	}
	return n
}
