package tar

import (
	"strings"

	"eryxsh/core/regex"
)

// transform is one s/re/text/flags of --transform.
type transform struct {
	re                    *regex.Regexp
	text                  string
	global                bool
	from                  int // the first match that is replaced, 1 or more
	files, symlinks, hard bool
}

// parseTransform reads the expressions of --transform, parted by semicolons; the
// message is "" unless one is wrong.
func parseTransform(s string, re regex.Options) (list []transform, message string) {
	for s != "" {
		if s[0] != 's' || len(s) < 2 {
			return nil, "Invalid transform expression"
		}
		var parts [2]string
		rest := s[2:]
		for i := range parts {
			end := 0
			for end < len(rest) && rest[end] != s[1] {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, "Invalid transform expression"
			}
			parts[i], rest = rest[:end], rest[end+1:]
		}
		t := transform{text: parts[1], from: 1, files: true, symlinks: true, hard: true}
		o := re
		o.Syntax = regex.SedBasic
		number := 0
		for rest != "" && rest[0] != ';' {
			switch f := rest[0]; {
			case f == 'g':
				t.global = true
			case f == 'i':
				o.Fold = true
			case f == 'x':
				o.Syntax = regex.SedExtended
			case f >= '0' && f <= '9':
				number = min(number*10+int(f-'0'), 1<<20)
			case strings.IndexByte("rRsShH", f) >= 0:
				on := f >= 'a'
				switch f | 0x20 {
				case 'r':
					t.files = on
				case 's':
					t.symlinks = on
				case 'h':
					t.hard = on
				}
			default:
				return nil, "Unknown flag in transform expression: " + rest[:1]
			}
			rest = rest[1:]
		}
		t.from = max(number, 1)
		var err error
		if t.re, err = regex.Compile([]byte(strings.ReplaceAll(parts[0], `\`+s[1:2], s[1:2])), o); err != nil {
			return nil, "Invalid transform expression: " + err.Error()
		}
		list = append(list, t)
		s = strings.TrimPrefix(rest, ";")
	}
	return list, ""
}

// transformed is a member's name, or the target of a link, after --transform.
func (p *Program) transformed(name string, kind byte) string {
	slashes := ""
	if rest := strings.TrimRight(name, "/"); kind == typeFile && len(p.o.transform) > 0 { // of a directory
		name, slashes = rest, name[len(rest):]
	}
	for i := range p.o.transform {
		t := &p.o.transform[i]
		if kind == typeSymlink && t.symlinks || kind == typeLink && t.hard || kind == typeFile && t.files {
			name = t.apply(name)
		}
	}
	return name + slashes
}

func (t *transform) apply(name string) string {
	text := []byte(name)
	loc := make([]int, 2*(t.re.NumSubexp()+1))
	var out []byte
	last, count := 0, 0
	for at := 0; at <= len(text); {
		found, err := t.re.Find(text, at, loc)
		if err != nil || !found {
			break
		}
		at = loc[1]
		if loc[0] == loc[1] {
			at++
		}
		if count++; count < t.from {
			continue
		}
		out = append(out, text[last:loc[0]]...)
		out = t.replacement(out, text, loc)
		last = loc[1]
		if !t.global {
			break
		}
	}
	return string(append(out, text[last:]...))
}

// replacement appends what a match becomes: & and \1 are what matched, \U, \L and their like change its case.
func (t *transform) replacement(out, text []byte, loc []int) []byte {
	mode, once := byte(0), byte(0)
	add := func(s string) {
		switch mode {
		case 'U':
			s = strings.ToUpper(s)
		case 'L':
			s = strings.ToLower(s)
		}
		if once != 0 && s != "" {
			head := strings.ToUpper(s[:1])
			if once == 'l' {
				head = strings.ToLower(s[:1])
			}
			s, once = head+s[1:], 0
		}
		out = append(out, s...)
	}
	group := func(n int) {
		if 2*n+1 < len(loc) && loc[2*n] >= 0 {
			add(string(text[loc[2*n]:loc[2*n+1]]))
		}
	}
	for i := 0; i < len(t.text); i++ {
		c := t.text[i]
		switch {
		case c == '&':
			group(0)
		case c != '\\' || i+1 == len(t.text):
			add(string(c))
		default:
			i++
			switch c = t.text[i]; {
			case c >= '0' && c <= '9':
				group(int(c - '0'))
			case c == 'U' || c == 'L':
				mode = c
			case c == 'E':
				mode = 0
			case c == 'u' || c == 'l':
				once = c
			case c == 'n':
				add("\n")
			case c == 't':
				add("\t")
			default:
				add(string(c))
			}
		}
	}
	return out
}
