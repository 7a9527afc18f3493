package awk

import (
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
	"eryxsh/core/locale"
)

// Characters are those of the locale (package locale): bytes in C and with -b.

// byBytes reports whether a character is a byte. gawk sets each category of the locale by itself.
func (p *Program) byBytes() bool {
	return p.c.Flags.Has("b") || locale.BytesByCategory(p.c.Getenv)
}

// garbled is the mark in Warned that the input was once no UTF-8.
const garbled = 0

// checkText warns, once, of text that is not in the locale's encoding.
func (p *Program) checkText(s string) {
	if p.octets || strings.IndexByte(p.Warned, garbled) >= 0 || utf8.ValidString(s) {
		return
	}
	p.Warned += string(rune(garbled))
	p.warn("Invalid multibyte data detected. There may be a mismatch between your data and your locale")
}

// offset is where n characters of s end, which may be long.
func (p *Program) offset(s string, n int) int {
	const many = large.Piece
	at := 0
	for ; n > many && at < len(s) && !p.octets; n -= many {
		p.c.Charge(many >> 5)
		at += locale.Offset(s[at:], many, false)
	}
	return at + locale.Offset(s[at:], n, p.octets)
}

// runes counts the characters of a text that may be long; a byte that is no UTF-8 is one.
func (p *Program) runes(s string) int {
	switch {
	case p.octets:
		return len(s)
	case len(s) > large.Piece:
		return large.Runes(s, p.c)
	}
	return runes(s)
}

func runes(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i + utf8.RuneCountInString(s[i:])
		}
	}
	return len(s)
}

// insideRune reports whether byte i of s is one of a character but not its first.
func insideRune(s string, i int) bool {
	if i >= len(s) || utf8.RuneStart(s[i]) {
		return false
	}
	at := i - 1
	for at > 0 && i-at < utf8.UTFMax-1 && !utf8.RuneStart(s[at]) {
		at--
	}
	if at < 0 {
		return false
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return at+n > i
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// inCase is s in the case that to gives each character.
func (p *Program) inCase(s string, to func(string) string) string {
	if p.octets {
		return asciiCase(s, to)
	}
	if len(s) <= large.Piece {
		return p.inCaseOf(s, to)
	}
	var b strings.Builder
	b.Grow(len(s))
	for piece := range large.Pieces(s, p.c) {
		b.WriteString(p.inCaseOf(piece, to))
	}
	return b.String()
}

func (p *Program) inCaseOf(s string, to func(string) string) string {
	if ascii(s) {
		return to(s)
	}
	p.checkText(s)
	return mapValid(s, to)
}

// asciiCase is to of the letters of ASCII alone.
func asciiCase(s string, to func(string) string) string {
	if ascii(s) {
		return to(s)
	}
	b := []byte(s)
	for i, c := range b {
		if c < utf8.RuneSelf {
			b[i] = to(string(rune(c)))[0]
		}
	}
	return string(b)
}

// mapValid maps the characters of s; what is no UTF-8 becomes U+FFFD, as in gawk. A character
// whose counterpart is more than one stays.
func mapValid(s string, f func(string) string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		c := s[i : i+n]
		i += n
		if n == 1 && c[0] >= utf8.RuneSelf {
			b.WriteRune(utf8.RuneError)
			continue
		}
		if t := f(c); utf8.RuneCountInString(t) == 1 {
			b.WriteString(t)
		} else {
			b.WriteString(c)
		}
	}
	return b.String()
}

// foldCase is s in the one case in which IGNORECASE compares.
func (p *Program) foldCase(s string) string {
	if p.octets {
		return asciiCase(s, strings.ToLower)
	}
	return strings.ToLower(s)
}
