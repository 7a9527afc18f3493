package locale

import "unicode/utf8"

// The functions here count and cut by characters. A byte that is not part of valid
// UTF-8 is a character by itself, as for a program that goes on behind the EILSEQ of mbrtowc.

// Count is how many characters s has.
func Count(s string, bytes bool) int {
	if bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// Next is how many bytes the first character of s takes, which is not empty.
func Next(s string, bytes bool) int {
	if bytes || s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// Offset is where n characters of s end; its length where it has no more.
func Offset(s string, n int, bytes bool) int {
	if bytes {
		return min(n, len(s))
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += Next(s[i:], false)
	}
	return i
}
