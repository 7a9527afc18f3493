package cmdtest

import (
	"sort"
	"strconv"
	"strings"
	"testing"
)

// Sections are the sections of a txtar archive of script cases; tests/record.py
// describes the format.
type Sections map[string]string

// Archive reads a txtar archive. A section whose name ends in " (quoted)" holds quoted strings.
func Archive(t testing.TB, data string) Sections {
	t.Helper()
	all := Sections{}
	name := ""
	var body strings.Builder
	end := func() {
		if name == "" {
			return
		}
		text := body.String()
		if plain, quoted := strings.CutSuffix(name, " (quoted)"); quoted {
			name = plain
			var b strings.Builder
			for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				s, err := strconv.Unquote(line)
				if err != nil {
					t.Fatalf("section %s: %s: %v", name, line, err)
				}
				b.WriteString(s)
			}
			text = b.String()
		}
		all[name] = text
		body.Reset()
	}
	for _, line := range strings.SplitAfter(data, "\n") {
		mark := strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(mark, "-- ") && strings.HasSuffix(mark, " --") && len(mark) > 6 {
			end()
			name = mark[3 : len(mark)-3]
			continue
		}
		body.WriteString(line)
		if name == "" {
			body.Reset()
		}
	}
	end()
	return all
}

// Cases lists the names of the cases, sorted.
func (s Sections) Cases() []string {
	var names []string
	for name := range s {
		if c, ok := strings.CutSuffix(name, ".sh"); ok && !strings.Contains(name, "/") {
			names = append(names, c)
		}
	}
	sort.Strings(names)
	return names
}

// Files are the files of a case.
func (s Sections) Files(name string) map[string]string {
	files := map[string]string{}
	for n, body := range s {
		if p, ok := strings.CutPrefix(n, name+"/"); ok {
			files[p] = body
		}
	}
	return files
}

// Words splits a script that is one command of literal words; false for any other.
func Words(script string) (words []string, ok bool) {
	script = strings.TrimSuffix(script, "\n")
	var word strings.Builder
	open := false
	for i := 0; i < len(script); i++ {
		switch b := script[i]; b {
		case ' ':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
			continue
		case '\'':
			n := strings.IndexByte(script[i+1:], '\'')
			if n < 0 {
				return nil, false
			}
			word.WriteString(script[i+1 : i+1+n])
			i += n + 1
		case '\\', '"', '$', '`', '\n', '&', '|', ';', '<', '>', '(', ')', '*', '?', '[', ']', '{', '}', '~', '#', '!':
			if b != '!' && b != '~' && b != '#' || !open {
				return nil, false
			}
			word.WriteByte(b)
		case '=':
			if len(words) == 0 {
				return nil, false
			}
			word.WriteByte(b)
		default:
			word.WriteByte(b)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words, len(words) > 0
}
