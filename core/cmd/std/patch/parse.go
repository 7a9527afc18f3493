package patch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/large"
	"eryxsh/core/limit"
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
	shift        int    // how many lines the hunks before it added, if it was rejected
	function     string // what stands behind its numbers
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
	git              git
	torn, tornAfter  int    // how often a line without its end was met: in the hunks, behind them
	crlf             bool   // its lines end in CR LF, and the CRs are none of the text
	wrong            string // what is said of a hunk that cannot be read, "" if all can
	reversed         bool
}

// reader goes through the lines of a patch.
type reader struct {
	data []byte
	pos  int
	num  int // lines before pos
	work large.Meter

	crlf bool // carriage returns at the end are taken off
	torn int  // how often the line without an end was asked for
}

// manyLines are charged for together.
const manyLines = 1 << 10

func (r *reader) peek() ([]byte, bool) {
	if r.pos >= len(r.data) {
		return nil, false
	}
	i := bytes.IndexByte(r.data[r.pos:], '\n')
	if i < 0 {
		return r.data[r.pos:], r.data[r.pos] == '\\' // "\ No newline" may lack its own
	}
	return r.data[r.pos : r.pos+i+1], true
}

// whole reports whether there is a line, and counts one that is cut off as met.
func (r *reader) whole() bool {
	_, ok := r.peek()
	if !ok && r.pos < len(r.data) {
		r.torn++
	}
	return ok
}

// next gives a line, or none at the end.
func (r *reader) next() []byte {
	if !r.whole() {
		return nil
	}
	l, _ := r.peek()
	r.pos += len(l)
	if r.num++; r.num%manyLines == 0 {
		r.work.Charge(manyLines)
	}
	if r.crlf && bytes.HasSuffix(l, []byte("\r\n")) {
		l = append(l[:len(l)-2:len(l)-2], '\n')
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

// parse finds the next change at or after a place of the input; nil if there is none. binary: CRs are text.
func parse(data []byte, pos, num int, binary bool, work large.Meter) *change {
	r := &reader{data: data, pos: pos, num: num, work: work}
	k := &change{start: pos}
	for {
		l, ok := r.peek()
		if !ok {
			if k.git.alone(k, r) {
				return k
			}
			return nil
		}
		s := string(l)
		switch {
		case strings.HasPrefix(s, "diff --git "):
			if k.git.alone(k, r) {
				return k
			}
			k.git.begin(s)
		case k.git.header(k, s):
		case strings.HasPrefix(s, "Index: "):
			k.index = strings.TrimSpace(s[7:])
		case strings.HasPrefix(s, "--- ") && followed(r, "+++ "):
			k.head = append(k.head, s)
			k.old, k.oldNone = headName(r.next()[4:])
			k.head = append(k.head, string(r.data[r.pos:r.pos+lineLen(r)]))
			k.new, k.newNone = headName(r.next()[4:])
			k.format, k.line = 'u', r.num+1
			if r.at("@@ -") {
				k.crlf = !binary && strings.HasSuffix(k.head[len(k.head)-1], "\r\n")
				r.crlf = k.crlf
				k.unified(r)
				k.end, k.torn = r.pos, r.torn
				switch {
				case r.torn > 0:
					k.end = len(r.data) // it counts as the end
				case k.wrong == "" && !r.whole():
					k.tornAfter = r.torn
				}
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
				k.crlf = !binary && strings.HasSuffix(k.head[len(k.head)-1], "\r\n")
				r.crlf = k.crlf
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
	after := reader{data: r.data, pos: r.pos + len(l)}
	return after.at(prefix)
}

// span reads "3,4" or "3".
func span(s string) (at, n int, ok bool) {
	a, b, two := strings.Cut(s, ",")
	at, ok = lineNumber(a)
	n = 1
	if two && ok {
		n, ok = lineNumber(b)
	}
	return at, n, ok
}

// lineNumber reads the number of a line, or of lines: such a one that sums of a few of them do not overflow.
func lineNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n >= limit.Most/2 {
		return 0, false
	}
	return n, true
}

// chopped is how many blank lines of context may lack at the end of a patch.
const chopped = 3

// malformed notes that the line just read cannot be.
func (k *change) malformed(r *reader, l []byte) {
	k.wrong = fmt.Sprintf("malformed patch at line %d: %s", r.num, l)
}

func (k *change) unified(r *reader) {
	for r.at("@@ -") {
		head := r.next()
		f := strings.Fields(string(head))
		if len(f) < 3 || !strings.HasPrefix(f[2], "+") {
			k.malformed(r, head)
			return
		}
		oldAt, oldN, ok1 := span(f[1][1:])
		newAt, newN, ok2 := span(f[2][1:])
		if !ok1 || !ok2 {
			k.wrong = fmt.Sprintf("missing line number at line %d: %s", r.num, head)
			return
		}
		if oldN == 0 {
			oldAt++
		}
		if newN == 0 {
			newAt++
		}
		h := hunk{oldAt: oldAt, newAt: newAt}
		if _, behind, ok := strings.Cut(string(head[2:]), " @@"); ok {
			h.function = strings.TrimRight(behind, "\r\n")
		}
		for oldN > 0 || newN > 0 {
			l := r.next()
			if len(l) == 0 && newN > chopped {
				k.wrong = "unexpected end of file in patch"
				return
			}
			if len(l) == 0 { // a blank line that was chopped off
				l = []byte(" \n")
			}
			kind, text := l[0], l[1:]
			if kind == '\n' || kind == '\t' {
				kind, text = ' ', l
			}
			if kind == '\\' {
				h.bare()
				continue
			}
			old, new := 0, 0
			switch kind {
			case ' ', '=':
				kind, old, new = ' ', 1, 1
			case '-':
				old = 1
			case '+':
				new = 1
			}
			if old+new == 0 || old > oldN || new > newN {
				k.malformed(r, l)
				return
			}
			oldN, newN = oldN-old, newN-new
			h.lines = append(large.Extend(h.lines, 1, r.work), line{kind, text})
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
		function := strings.TrimRight(strings.TrimLeft(string(r.next()), "*"), "\r\n")
		l := strings.TrimSpace(string(r.next()))
		oldAt, _, spanned := contextSpan(l, "*** ", " ****")
		if !spanned {
			k.malformed(r, []byte(l+"\n"))
			return
		}
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
		middle := r.next()
		newAt, newEnd, ok := contextSpan(strings.TrimSpace(string(middle)), "--- ", " ----")
		if !ok {
			k.malformed(r, middle)
			return
		}
		read(&sides[1], " +!")
		if n := newEnd - newAt + 1; len(sides[1]) > 0 && len(sides[1]) < n {
			if l := r.next(); len(l) > 0 {
				k.malformed(r, l)
				return
			}
		}
		k.hunks = append(large.Extend(k.hunks, 1, r.work), hunk{oldAt: max(oldAt, 1), newAt: max(newAt, 1), lines: weave(sides[0], sides[1]), function: function})
	}
}

func contextSpan(l, before, after string) (from, to int, ok bool) {
	if !strings.HasPrefix(l, before) || !strings.HasSuffix(l, after) {
		return 0, 0, false
	}
	a, b, two := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(l, before), after), ",")
	from, ok = lineNumber(a)
	to = from
	if two && ok {
		to, ok = lineNumber(b)
	}
	return from, to, ok
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

// adds reports whether the first hunk takes nothing away and stands at the beginning: the file may not be there yet.
func (k *change) adds() bool {
	if len(k.hunks) == 0 || k.format == 'n' || k.hunks[0].oldAt > 1 {
		return false
	}
	for _, l := range k.hunks[0].lines {
		if l.kind != '+' {
			return false
		}
	}
	return true
}

// isNormal reports whether a line is a command of a normal diff: 5d4, 3,4c2, 7a8,9.
func isNormal(s string) bool {
	s = strings.TrimRight(s, "\r\n")
	i := strings.IndexAny(s, "acd")
	if i <= 0 {
		return false
	}
	return isSpan(s[:i]) && isSpan(s[i+1:])
}

// isSpan reports whether a text is 3,4 or 3, however great the numbers are.
func isSpan(s string) bool {
	a, b, two := strings.Cut(s, ",")
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return number(a) && (!two || number(b))
}

func (k *change) normal(r *reader) {
	for {
		l, ok := r.peek()
		if !ok || !isNormal(string(l)) {
			return
		}
		head := r.next()
		s := strings.TrimSpace(string(head))
		i := strings.IndexAny(s, "acd")
		oldAt, oldN, ok1 := lines(s[:i])
		newAt, newN, ok2 := lines(s[i+1:])
		if !ok1 || !ok2 {
			k.malformed(r, head)
			return
		}
		h := hunk{oldAt: oldAt, newAt: newAt}
		if s[i] == 'a' {
			h.oldAt++
			oldN = 0
		}
		if s[i] == 'd' {
			h.newAt++
			newN = 0
		}
		k.side(r, &h, '<', oldN)
		if s[i] == 'c' && k.wrong == "" {
			if l := r.next(); len(l) == 0 {
				k.wrong = fmt.Sprintf("unexpected end of file in patch at line %d", r.num)
			} else if l[0] != '-' {
				k.wrong = fmt.Sprintf("'---' expected at line %d of patch", r.num)
			}
		}
		if k.side(r, &h, '>', newN); k.wrong != "" {
			return
		}
		k.hunks = append(large.Extend(k.hunks, 1, r.work), h)
	}
}

// side reads so many lines of a normal hunk that begin with a mark.
func (k *change) side(r *reader, h *hunk, mark byte, n int) {
	for ; n > 0 && k.wrong == ""; n-- {
		l := r.next()
		switch {
		case len(l) == 0:
			k.wrong = fmt.Sprintf("unexpected end of file in patch at line %d", r.num)
		case len(l) < 2 || l[0] != mark || l[1] != ' ' && l[1] != '\t':
			k.wrong = fmt.Sprintf("'%c' followed by space or tab expected at line %d of patch", mark, r.num)
		default:
			kind := byte('-')
			if mark == '>' {
				kind = '+'
			}
			h.lines = append(large.Extend(h.lines, 1, r.work), line{kind, l[2:]})
			if r.at("\\ ") {
				h.bare()
				r.next()
			}
		}
	}
}

// lines reads "3,4" or "3" as a range: the first and how many.
func lines(s string) (at, n int, ok bool) {
	at, last, ok := span(s)
	if !strings.Contains(s, ",") {
		return at, 1, ok
	}
	return at, last - at + 1, ok
}

// reverse exchanges old and new.
func (k *change) reverse() {
	k.reversed = !k.reversed
	k.old, k.new, k.oldNone, k.newNone = k.new, k.old, k.newNone, k.oldNone
	k.git.oldMode, k.git.newMode = k.git.newMode, k.git.oldMode
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
