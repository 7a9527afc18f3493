package patch

import (
	"bytes"
	"strconv"
	"strings"

	"eryxsh/core/large"
)

// line is one line of a hunk: ' ' context, '-' old, '+' new. Text has its newline, if there is one.
type line struct {
	kind byte
	text []byte
}

// hunk is one place to change.
type hunk struct {
	oldAt, newAt int // line numbers, from 1
	lines        []line
}

// change is what a patch says about one file.
type change struct {
	old, new, index  string // names in the headings; index of an Index: line
	format           byte   // u, c, n
	hunks            []hunk
	oldNone, newNone bool // the file appears, or goes
	head             []string
	start, end       int // in the input, in bytes
	line             int // of the input where the hunks begin
	malformed        int // the input line that cannot be read, 0 if none
}

// reader goes through the lines of a patch.
type reader struct {
	data []byte
	pos  int
	num  int // lines before pos
	work large.Meter
}

// manyLines are charged for together.
const manyLines = 1 << 10

func (r *reader) peek() ([]byte, bool) {
	if r.pos >= len(r.data) {
		return nil, false
	}
	i := bytes.IndexByte(r.data[r.pos:], '\n')
	if i < 0 {
		return r.data[r.pos:], true
	}
	return r.data[r.pos : r.pos+i+1], true
}

func (r *reader) next() []byte {
	l, _ := r.peek()
	r.pos += len(l)
	if r.num++; r.num%manyLines == 0 {
		r.work.Charge(manyLines)
	}
	return l
}

// at reads ahead without moving.
func (r *reader) at(prefix string) bool {
	l, ok := r.peek()
	return ok && bytes.HasPrefix(l, []byte(prefix))
}

// headName is the file name of a --- or +++ line, and whether its time says that there is no file.
func headName(l []byte) (name string, none bool) {
	s := strings.TrimRight(string(l), "\r\n")
	name, stamp, _ := strings.Cut(s, "\t")
	if strings.HasPrefix(name, `"`) {
		if u, err := strconv.Unquote(name); err == nil {
			name = u
		}
	} else if i := strings.IndexByte(name, ' '); i > 0 && stamp == "" && strings.Contains(name[i:], ":") {
		name = name[:i]
	}
	none = name == "/dev/null" || strings.HasPrefix(strings.TrimSpace(stamp), "1970-01-01 00:00:00")
	return strings.TrimRight(name, " "), none
}

// parse finds the next change at or after a place of the input; nil if there is none.
func parse(data []byte, pos, num int, work large.Meter) *change {
	r := &reader{data: data, pos: pos, num: num, work: work}
	k := &change{start: pos}
	for {
		l, ok := r.peek()
		if !ok {
			return nil
		}
		s := string(l)
		switch {
		case strings.HasPrefix(s, "Index: "):
			k.index = strings.TrimSpace(s[7:])
		case strings.HasPrefix(s, "--- ") && followed(r, "+++ "):
			k.head = append(k.head, s)
			k.old, k.oldNone = headName(r.next()[4:])
			k.head = append(k.head, string(r.data[r.pos:r.pos+lineLen(r)]))
			k.new, k.newNone = headName(r.next()[4:])
			k.format, k.line = 'u', r.num+1
			if r.at("@@ -") {
				k.unified(r)
				k.end = r.pos
				return k
			}
			continue
		case strings.HasPrefix(s, "*** ") && followed(r, "--- "):
			k.head = append(k.head, s)
			k.old, k.oldNone = headName(r.next()[4:])
			k.head = append(k.head, string(r.data[r.pos:r.pos+lineLen(r)]))
			k.new, k.newNone = headName(r.next()[4:])
			k.format, k.line = 'c', r.num+1
			if r.at("***************") {
				k.context(r)
				k.end = r.pos
				return k
			}
			continue
		case isNormal(s):
			k.format, k.line = 'n', r.num+1
			k.normal(r)
			k.end = r.pos
			return k
		}
		k.head = append(large.Extend(k.head, 1, work), s)
		r.next()
	}
}

func lineLen(r *reader) int { l, _ := r.peek(); return len(l) }

// followed reports whether the line after the next begins with a prefix.
func followed(r *reader, prefix string) bool {
	l, _ := r.peek()
	return bytes.HasPrefix(r.data[r.pos+len(l):], []byte(prefix))
}

// span reads "3,4" or "3".
func span(s string) (at, n int, ok bool) {
	a, b, two := strings.Cut(s, ",")
	at, err := strconv.Atoi(a)
	if err != nil {
		return 0, 0, false
	}
	n = 1
	if two {
		if n, err = strconv.Atoi(b); err != nil {
			return 0, 0, false
		}
	}
	return at, n, true
}

func (k *change) unified(r *reader) {
	for r.at("@@ -") {
		f := strings.Fields(string(r.next()))
		if len(f) < 3 || !strings.HasPrefix(f[2], "+") {
			k.malformed = r.num
			return
		}
		oldAt, oldN, ok1 := span(f[1][1:])
		newAt, newN, ok2 := span(f[2][1:])
		if !ok1 || !ok2 {
			k.malformed = r.num
			return
		}
		if oldN == 0 {
			oldAt++
		}
		if newN == 0 {
			newAt++
		}
		h := hunk{oldAt: oldAt, newAt: newAt}
		for oldN > 0 || newN > 0 {
			l, ok := r.peek()
			if !ok {
				k.malformed = r.num + 1
				return
			}
			kind := l[0]
			text := l[1:]
			if kind == '\n' || kind == '\t' {
				kind, text = ' ', l
			}
			switch kind {
			case ' ':
				oldN--
				newN--
			case '-':
				oldN--
			case '+':
				newN--
			case '\\':
				h.bare()
				r.next()
				continue
			default:
				k.malformed = r.num + 1
				return
			}
			h.lines = append(large.Extend(h.lines, 1, r.work), line{kind, text})
			r.next()
		}
		if r.at("\\ ") {
			h.bare()
			r.next()
		}
		k.hunks = append(large.Extend(k.hunks, 1, r.work), h)
	}
}

// bare takes the newline off the last line.
func (h *hunk) bare() {
	if n := len(h.lines); n > 0 {
		h.lines[n-1].text = bytes.TrimSuffix(h.lines[n-1].text, []byte("\n"))
	}
}

// context reads context hunks and turns them into the order of unified ones.
func (k *change) context(r *reader) {
	for r.at("***************") {
		r.next()
		l := strings.TrimSpace(string(r.next()))
		oldAt, _, _ := contextSpan(l, "*** ", " ****")
		var sides [2][]line
		read := func(into *[]line, marks string) {
			for {
				l, ok := r.peek()
				if ok && bytes.HasPrefix(l, []byte("\\ ")) {
					h := hunk{lines: *into}
					h.bare()
					r.next()
					continue
				}
				if !ok || len(l) < 2 || strings.IndexByte(marks, l[0]) < 0 || bytes.HasPrefix(l, []byte("--- ")) || bytes.HasPrefix(l, []byte("***")) {
					return
				}
				*into = append(large.Extend(*into, 1, r.work), line{l[0], l[2:]})
				r.next()
			}
		}
		read(&sides[0], " -!")
		l = strings.TrimSpace(string(r.next()))
		newAt, _, ok := contextSpan(l, "--- ", " ----")
		if !ok {
			k.malformed = r.num
			return
		}
		read(&sides[1], " +!")
		k.hunks = append(large.Extend(k.hunks, 1, r.work), hunk{max(oldAt, 1), max(newAt, 1), weave(sides[0], sides[1])})
	}
}

func contextSpan(l, before, after string) (from, to int, ok bool) {
	if !strings.HasPrefix(l, before) || !strings.HasSuffix(l, after) {
		return 0, 0, false
	}
	a, b, two := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(l, before), after), ",")
	from, err := strconv.Atoi(a)
	to = from
	if two {
		to, _ = strconv.Atoi(b)
	}
	return from, to, err == nil
}

// weave makes one list of the two halves of a context hunk; an empty half has the other's context.
func weave(old, new []line) []line {
	if len(old) == 0 {
		for _, l := range new {
			if l.kind == ' ' {
				old = append(old, l)
			}
		}
	}
	if len(new) == 0 {
		for _, l := range old {
			if l.kind == ' ' {
				new = append(new, l)
			}
		}
	}
	var out []line
	i, j := 0, 0
	for i < len(old) || j < len(new) {
		switch {
		case i < len(old) && old[i].kind != ' ':
			out = append(out, line{'-', old[i].text})
			i++
		case j < len(new) && new[j].kind != ' ':
			out = append(out, line{'+', new[j].text})
			j++
		case i < len(old):
			out = append(out, old[i])
			i++
			j++
		default:
			out = append(out, new[j])
			j++
		}
	}
	return out
}

// isNormal reports whether a line is a command of a normal diff: 5d4, 3,4c2, 7a8,9.
func isNormal(s string) bool {
	s = strings.TrimRight(s, "\r\n")
	i := strings.IndexAny(s, "acd")
	if i <= 0 {
		return false
	}
	_, _, ok1 := span(s[:i])
	_, _, ok2 := span(s[i+1:])
	return ok1 && ok2
}

func (k *change) normal(r *reader) {
	for {
		l, ok := r.peek()
		if !ok || !isNormal(string(l)) {
			return
		}
		s := strings.TrimSpace(string(r.next()))
		i := strings.IndexAny(s, "acd")
		oldAt, _, _ := span(s[:i])
		newAt, _, _ := span(s[i+1:])
		h := hunk{oldAt: oldAt, newAt: newAt}
		if s[i] == 'a' {
			h.oldAt++
		}
		if s[i] == 'd' {
			h.newAt++
		}
		for r.at("< ") || r.at("> ") || r.at("---") || r.at("\\ ") {
			l := r.next()
			switch l[0] {
			case '<':
				h.lines = append(large.Extend(h.lines, 1, r.work), line{'-', l[2:]})
			case '>':
				h.lines = append(large.Extend(h.lines, 1, r.work), line{'+', l[2:]})
			case '\\':
				h.bare()
			}
		}
		k.hunks = append(large.Extend(k.hunks, 1, r.work), h)
	}
}

// reverse exchanges old and new.
func (k *change) reverse() {
	k.old, k.new, k.oldNone, k.newNone = k.new, k.old, k.newNone, k.oldNone
	for i := range k.hunks {
		h := &k.hunks[i]
		h.oldAt, h.newAt = h.newAt, h.oldAt
		var out, plus []line
		for _, l := range h.lines {
			switch l.kind {
			case '+':
				out = append(out, line{'-', l.text})
			case '-':
				plus = append(plus, line{'+', l.text})
			default:
				out = append(append(out, plus...), l)
				plus = nil
			}
		}
		h.lines = append(out, plus...)
	}
}
