package patch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// rejected writes failed hunks: as a unified diff, or as a context diff where the patch is one, or none with headings.
// format is what --reject-format asks for, "" if it is not given.
func (k *change) rejected(list []int, format string) []byte {
	var b bytes.Buffer
	unified := k.format == 'u'
	if format != "" {
		unified = format == "unified"
	}
	old, new := k.headings()
	if unified {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", old, new)
	} else {
		fmt.Fprintf(&b, "*** %s\n--- %s\n", old, new)
	}
	for _, n := range list {
		if unified {
			k.hunks[n].unified(&b)
		} else {
			k.hunks[n].context(&b, k.format == 'n')
		}
	}
	return b.Bytes()
}

// headings are the names in the patch with what stands behind them.
func (k *change) headings() (old, new string) {
	old, new = k.old, k.new
	if n := len(k.head); n >= 2 && k.format != 'n' {
		old, new = strings.TrimRight(k.head[n-2], "\r\n"), strings.TrimRight(k.head[n-1], "\r\n")
		old, new = old[min(4, len(old)):], new[min(4, len(new)):]
		if k.reversed {
			old, new = new, old
		}
	}
	if old == "" {
		old = "/dev/null"
	}
	if new == "" {
		new = "/dev/null"
	}
	return old, new
}

// counts are the lines before and after.
func (h *hunk) counts() (old, new int) {
	for _, l := range h.lines {
		if l.kind != '+' {
			old++
		}
		if l.kind != '-' {
			new++
		}
	}
	return old, new
}

func (h *hunk) unified(b *bytes.Buffer) {
	at := func(line, n int) string {
		switch n {
		case 1:
			return strconv.Itoa(line)
		case 0:
			return strconv.Itoa(line-1) + ",0"
		}
		return strconv.Itoa(line) + "," + strconv.Itoa(n)
	}
	oldN, newN := h.counts()
	fmt.Fprintf(b, "@@ -%s +%s @@%s\n", at(h.oldAt+h.shift, oldN), at(h.newAt+h.shift, newN), h.function)
	for _, l := range h.lines {
		b.WriteByte(l.kind)
		b.Write(l.text)
		if !bytes.HasSuffix(l.text, []byte("\n")) {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// context writes both halves, each whole. What is taken away and what is put in its place is marked !, but not in
// what was a normal diff, which has an old form of its own, too.
func (h *hunk) context(b *bytes.Buffer, normal bool) {
	oldN, newN := h.counts()
	at := func(line, n int) string {
		switch {
		case n == 0:
			return "0"
		case n == 1:
			return strconv.Itoa(line)
		}
		return strconv.Itoa(line) + "," + strconv.Itoa(line+n-1)
	}
	stars, dashes := " ****", " ----"
	if normal {
		stars, dashes = "", " -----"
	}
	marks := h.marks(normal)
	half := func(without byte) {
		for i, l := range h.lines {
			if l.kind != without {
				b.WriteByte(marks[i])
				b.WriteByte(' ')
				b.Write(l.text) // one that has no newline gets none: so does GNU patch
			}
		}
	}
	fmt.Fprintf(b, "***************%s\n*** %s%s\n", h.function, at(h.oldAt+h.shift, oldN), stars)
	half('+')
	fmt.Fprintf(b, "--- %s%s\n", at(h.newAt+h.shift, newN), dashes)
	half('-')
}

// marks are what stands in front of the lines of a context diff.
func (h *hunk) marks(normal bool) []byte {
	marks := make([]byte, len(h.lines))
	for i := 0; i < len(h.lines); {
		end, minus, plus := i, false, false
		for ; end < len(h.lines) && h.lines[end].kind != ' '; end++ {
			minus, plus = minus || h.lines[end].kind == '-', plus || h.lines[end].kind == '+'
		}
		both := minus && plus && !normal
		for ; i < end; i++ {
			if marks[i] = h.lines[i].kind; both {
				marks[i] = '!'
			}
		}
		if i < len(h.lines) {
			marks[i] = ' '
			i++
		}
	}
	return marks
}
