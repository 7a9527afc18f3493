package rg

import (
	"strings"
	"unicode/utf8"
)

// Bounds of one comparison: what it may try, how many * are in a row, how many braces, and
// alternatives made of them.
const (
	maxGlobWork     = 1 << 16
	maxStars        = 1 << 10
	maxBraces       = 64
	maxAlternatives = 64
)

// globMatch reports whether a pattern of gitignore(5) matches a whole path. "*"
// and "?" stay within a component, "**" does not; "{a,b}" are alternatives.
func globMatch(pattern, path string) bool {
	work := maxGlobWork
	for _, p := range alternatives(pattern, 0) {
		if globAt(p, path, &work, 0) {
			return true
		}
	}
	return false
}

// alternatives expands the first pair of braces, and so on, as far as the bounds go; depth is how many
// pairs have been expanded.
func alternatives(p string, depth int) []string {
	open := strings.IndexByte(p, '{')
	if open < 0 || depth > maxBraces {
		return []string{p}
	}
	nesting, start := 0, open+1
	var parts []string
	for i := open; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			nesting++
		case ',':
			if nesting == 1 {
				parts = append(parts, p[start:i])
				start = i + 1
			}
		case '}':
			if nesting--; nesting == 0 {
				parts = append(parts, p[start:i])
				var all []string
				tails := alternatives(p[i+1:], depth+1)
				for _, part := range parts {
					middles := alternatives(part, depth+1)
					for _, tail := range tails {
						for _, middle := range middles {
							if len(all) == maxAlternatives {
								return all
							}
							all = append(all, p[:open]+middle+tail)
						}
					}
				}
				return all
			}
		}
	}
	return []string{p}
}

// globAt compares one alternative, as long as there is work left; depth is how many * are around.
func globAt(p, s string, work *int, depth int) bool {
	if depth > maxStars {
		return false
	}
	for len(p) > 0 {
		if *work--; *work < 0 {
			return false
		}
		switch {
		case strings.HasPrefix(p, "**/"):
			p = p[3:]
			for {
				if globAt(p, s, work, depth+1) {
					return true
				}
				i := strings.IndexByte(s, '/')
				if i < 0 {
					return false
				}
				s = s[i+1:]
			}
		case p == "**":
			return true
		case p[0] == '*':
			p = strings.TrimLeft(p, "*")
			for i := 0; ; i++ {
				if globAt(p, s[i:], work, depth+1) {
					return true
				}
				if i == len(s) || s[i] == '/' {
					return false
				}
			}
		case s == "":
			return false
		case p[0] == '?':
			if s[0] == '/' {
				return false
			}
			_, n := utf8.DecodeRuneInString(s)
			p, s = p[1:], s[n:]
		case p[0] == '[':
			n, ok := classAt(p, s)
			if n == 0 && s[0] == '[' { // not closed: itself
				p, s = p[1:], s[1:]
				continue
			}
			if !ok {
				return false
			}
			_, w := utf8.DecodeRuneInString(s)
			p, s = p[n:], s[w:]
		default:
			if p[0] == '\\' && len(p) > 1 {
				p = p[1:]
			}
			if p[0] != s[0] {
				return false
			}
			p, s = p[1:], s[1:]
		}
	}
	return s == ""
}

// classAt compares "[…]" with the first character of s: n is its length, 0 if it is not closed.
func classAt(p, s string) (n int, ok bool) {
	c, _ := utf8.DecodeRuneInString(s)
	i, negated := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	for first := true; i < len(p) && (p[i] != ']' || first); first = false {
		lo, w := utf8.DecodeRuneInString(p[i:])
		i += w
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, w = utf8.DecodeRuneInString(p[i+1:])
			i += 1 + w
		}
		ok = ok || lo <= c && c <= hi
	}
	if i >= len(p) {
		return 0, false
	}
	return i + 1, ok != negated && c != '/'
}

// Rule is a line of an ignore file, or a -g.
type Rule struct {
	Glob string `cbor:"1,keyasint,omitempty"` // of a path below the rule's directory
	Keep bool   `cbor:"2,keyasint,omitempty"` // "!": not ignored after all
	Dir  bool   `cbor:"3,keyasint,omitempty"` // only directories
}

// rule reads a line of an ignore file; false for a comment or an empty one.
func rule(line string) (r Rule, ok bool) {
	line = strings.TrimSuffix(line, "\r")
	if trimmed := strings.TrimRight(line, " \t"); !strings.HasSuffix(trimmed, "\\") {
		line = trimmed
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.Keep = true
		line = line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.Dir = true
		line = strings.TrimRight(line, "/")
	}
	switch {
	case line == "":
		return r, false
	case strings.HasPrefix(line, "/"):
		line = line[1:]
	case !strings.Contains(line, "/"):
		line = "**/" + line
	}
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	r.Glob = line
	return r, true
}

// verdict is the last rule that a path below the rules' directory matches: 1 it is ignored, -1 it is kept, 0 none does.
func verdict(rules []Rule, path string, dir bool) int {
	for i := len(rules) - 1; i >= 0; i-- {
		if r := rules[i]; (!r.Dir || dir) && globMatch(r.Glob, path) {
			if r.Keep {
				return -1
			}
			return 1
		}
	}
	return 0
}
