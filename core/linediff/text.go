package linediff

import (
	"bytes"
	"strconv"
)

// Split cuts a text into lines with their newlines; the last may have none.
func Split(text []byte) [][]byte {
	out := make([][]byte, 0, bytes.Count(text, []byte("\n"))+1)
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n') + 1
		if n == 0 {
			n = len(text)
		}
		out, text = append(out, text[:n:n]), text[n:]
	}
	return out
}

// patient bounds how far Lines searches for the shortest answer, so that two
// large texts without a line in common take a second and not an hour.
const patient = 256

// Lines returns what differs between two lists of lines, in order. The answer is
// the shortest one, but for texts that differ in very many places.
func Lines(a, b [][]byte) []Change {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && bytes.Equal(a[prefix], b[prefix]) {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && bytes.Equal(a[len(a)-1-suffix], b[len(b)-1-suffix]) {
		suffix++
	}
	sides, n := classes(a[prefix:len(a)-suffix], b[prefix:len(b)-suffix])
	search(&sides, n)
	Shift(&sides)
	changes := Changes(&sides)
	for i := range changes {
		c := &changes[i]
		c.A0, c.A1, c.B0, c.B1 = c.A0+prefix, c.A1+prefix, c.B0+prefix, c.B1+prefix
	}
	return changes
}

// classes gives equal lines of two lists one number, and says how many there are.
func classes(a, b [][]byte) (sides [2]Side, count int) {
	known := map[string]int{}
	for i, lines := range [2][][]byte{a, b} {
		sides[i] = Side{Class: make([]int, len(lines)), Changed: make([]byte, len(lines)+2)}
		for n, l := range lines {
			k, old := known[string(l)]
			if !old {
				k = len(known)
				known[string(l)] = k
			}
			sides[i].Class[n] = k
		}
	}
	return sides, len(known)
}

// search marks what has changed between two sides.
func search(sides *[2]Side, classes int) {
	Discard(func(int) {}, sides, classes, false)
	s := NewSearch(sides)
	s.limit = patient
	for stack := Whole(sides, false); len(stack) > 0; {
		stack = s.Compare(stack, sides)
	}
}

// Binary is git's rule for what is no text: a NUL among the first 8,000 bytes.
func Binary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// AppendUnified appends the hunks of a unified diff, without its two heads.
func AppendUnified(out []byte, a, b [][]byte, changes []Change, context int) []byte {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].A0-changes[n-1].A1 <= 2*context {
			n++
		}
		out = appendHunk(out, a, b, changes[:n], context)
		changes = changes[n:]
	}
	return out
}

func appendHunk(out []byte, a, b [][]byte, changes []Change, context int) []byte {
	first, last := changes[0], changes[len(changes)-1]
	w := Change{max(0, first.A0-context), min(len(a), last.A1+context), max(0, first.B0-context), min(len(b), last.B1+context)}
	out = append(out, "@@ -"...)
	out = appendRange(out, w.A0, w.A1)
	out = append(out, " +"...)
	out = appendRange(out, w.B0, w.B1)
	out = append(out, " @@\n"...)
	at := w.A0
	for _, c := range changes {
		out = appendLines(out, ' ', a[at:c.A0])
		out = appendLines(out, '-', a[c.A0:c.A1])
		out = appendLines(out, '+', b[c.B0:c.B1])
		at = c.A1
	}
	return appendLines(out, ' ', a[at:w.A1])
}

// appendRange appends lines [from, to) as the head of a hunk names them: an empty range by the line before it.
func appendRange(out []byte, from, to int) []byte {
	switch to - from {
	case 1:
		return strconv.AppendInt(out, int64(from+1), 10)
	case 0:
		return append(strconv.AppendInt(out, int64(from), 10), ",0"...)
	}
	out = append(strconv.AppendInt(out, int64(from+1), 10), ',')
	return strconv.AppendInt(out, int64(to-from), 10)
}

func appendLines(out []byte, mark byte, lines [][]byte) []byte {
	for _, l := range lines {
		out = append(append(out, mark), l...)
		if l[len(l)-1] != '\n' {
			out = append(out, "\n\\ No newline at end of file\n"...)
		}
	}
	return out
}
