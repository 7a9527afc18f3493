// Package fnmatch is fnmatch(3): shell patterns over names and paths, as find,
// tar, diff and tree use them. It is iterative and takes at most
// len(pattern)×len(name) steps.
package fnmatch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Flags change how a pattern matches.
type Flags uint8

// Flags of Match.
const (
	Fold       Flags = 1 << iota // upper and lower case are the same
	Pathname                     // a slash is matched by a slash only
	LeadingDir                   // the pattern may match a leading part that ends before a slash
	Period                       // a leading dot is matched by a dot only
	Bytes                        // a character is a byte
)

// In is Bytes where the locale asks for it.
func In(c interface{ Bytes() bool }) Flags {
	if c.Bytes() {
		return Bytes
	}
	return 0
}

// next is the first character of s and its length. A byte that is none is a number of its own, in no class.
func next(s string, f Flags) (rune, int) {
	if f&Bytes != 0 && s != "" && s[0] >= utf8.RuneSelf {
		return lone + rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		r = lone + rune(s[0])
	}
	return r, n
}

// lone is what the numbers of bytes that are no characters begin at.
const lone = utf8.MaxRune

// Match reports whether name matches pattern.
func Match(pattern, name string, f Flags) bool {
	if f&Bytes == 0 && !(utf8.ValidString(pattern) && utf8.ValidString(name)) {
		f |= Bytes // as in glibc, which reads both as wide characters first
	}
	p, s := 0, 0
	starP, starS := -1, 0
	for {
		if p == len(pattern) {
			if s == len(name) || f&LeadingDir != 0 && name[s] == '/' {
				return true
			}
		} else if pattern[p] == '*' {
			if !leadingDot(name, s, f) {
				starP, starS = p+1, s
				p++
				continue
			}
		} else if s < len(name) {
			if np, ns, ok := one(pattern, p, name, s, f); ok {
				p, s = np, ns
				continue
			}
		}
		// Give the last star one more character.
		if starP < 0 || starS >= len(name) || f&Pathname != 0 && name[starS] == '/' {
			return false
		}
		_, n := next(name[starS:], f)
		starS += n
		p, s = starP, starS
	}
}

// HasMeta reports whether pattern has a character that is special.
func HasMeta(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }

func leadingDot(name string, s int, f Flags) bool {
	return f&Period != 0 && s < len(name) && name[s] == '.' && (s == 0 || f&Pathname != 0 && name[s-1] == '/')
}

// one matches one pattern element that is not a star against one character.
func one(pattern string, p int, name string, s int, f Flags) (int, int, bool) {
	r, n := next(name[s:], f)
	switch pattern[p] {
	case '?':
		if f&Pathname != 0 && r == '/' || leadingDot(name, s, f) {
			return 0, 0, false
		}
		return p + 1, s + n, true
	case '[':
		if end, ok, valid := class(pattern, p, r, f); valid {
			if ok && f&Pathname != 0 && r == '/' || leadingDot(name, s, f) {
				return 0, 0, false
			}
			return end, s + n, ok
		}
	case '\\':
		if p+1 == len(pattern) {
			return 0, 0, false
		}
		p++
	}
	q, m := next(pattern[p:], f)
	return p + m, s + n, q == r || f&Fold != 0 && unicode.ToLower(q) == unicode.ToLower(r)
}

// class matches a bracket expression that begins at p.
func class(pattern string, p int, r rune, f Flags) (end int, ok, valid bool) {
	i := p + 1
	not := false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		not = true
		i++
	}
	in := func(lo, hi rune) bool {
		if lo <= r && r <= hi {
			return true
		}
		if f&Fold == 0 {
			return false
		}
		l, u := unicode.ToLower(r), unicode.ToUpper(r)
		return lo <= l && l <= hi || lo <= u && u <= hi
	}
	e := ends{pattern: pattern}
	for first := true; ; first = false {
		if i >= len(pattern) {
			return 0, false, false
		}
		if pattern[i] == ']' && !first {
			return i + 1, ok != not, true
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			if j := e.find(i+2, 0, ":]"); j >= 0 {
				ok = ok || named(pattern[i+2:i+2+j], r, f)
				i += j + 4
				continue
			}
		}
		lo, n := e.element(i, f)
		if n == 0 {
			return 0, false, false
		}
		i += n
		hi := lo
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if hi, n = e.element(i+1, f); n == 0 {
				return 0, false, false
			}
			i += n + 1
		}
		ok = ok || in(lo, hi)
	}
}

// ends finds where names in a bracket expression end. What was not found once is not further on either.
type ends struct {
	pattern string
	absent  [3]bool // :] =] .]
}

// find is how far from i an end is, -1 if there is none.
func (e *ends) find(i, kind int, end string) int {
	if e.absent[kind] {
		return -1
	}
	j := strings.Index(e.pattern[i:], end)
	e.absent[kind] = j < 0
	return j
}

// element is one character of a bracket expression and its length, 0 if it is cut off.
func (e *ends) element(i int, f Flags) (rune, int) {
	pattern := e.pattern
	for k, c := range [2]string{"[=", "[."} {
		if strings.HasPrefix(pattern[i:], c) {
			if j := e.find(i+2, k+1, c[1:]+"]"); j > 0 {
				r, _ := next(pattern[i+2:], f)
				return r, j + 4
			}
		}
	}
	esc := 0
	if pattern[i] == '\\' {
		esc = 1
		if i++; i >= len(pattern) {
			return 0, 0
		}
	}
	r, n := next(pattern[i:], f)
	return r, n + esc
}

func named(class string, r rune, f Flags) bool {
	switch class {
	case "alpha":
		return unicode.IsLetter(r)
	case "digit":
		return r >= '0' && r <= '9'
	case "alnum":
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	case "upper":
		return unicode.IsUpper(r) || f&Fold != 0 && unicode.IsLower(r)
	case "lower":
		return unicode.IsLower(r) || f&Fold != 0 && unicode.IsUpper(r)
	case "space":
		return unicode.IsSpace(r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return (unicode.IsPunct(r) || unicode.IsSymbol(r))
	case "cntrl":
		return unicode.IsControl(r)
	case "print":
		return unicode.IsPrint(r)
	case "graph":
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	case "xdigit":
		return r < 128 && strings.ContainsRune("0123456789abcdefABCDEF", r)
	}
	return false
}
