package patch

import (
	"bytes"
	"fmt"

	"eryxsh/core/large"
)

// outcome is what came of one change.
type outcome struct {
	text     []byte
	messages []string
	rejects  []int // hunks that failed
	mismatch bool  // some hunk was not exactly where the patch says
}

func split(b []byte, work large.Meter) [][]byte {
	out := make([][]byte, 0, bytes.Count(b, []byte("\n"))+1)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n') + 1
		if i == 0 {
			i = len(b)
		}
		if out = append(out, b[:i:i]); len(out)%manyLines == 0 {
			work.Charge(manyLines / 4)
		}
		b = b[i:]
	}
	return out
}

// halves are the lines a hunk expects and how much of them is context at both ends.
func (h *hunk) halves() (old []line, prefix, suffix int) {
	for _, l := range h.lines {
		if l.kind != '+' {
			old = append(old, l)
		}
	}
	for prefix < len(h.lines) && h.lines[prefix].kind == ' ' {
		prefix++
	}
	for suffix < len(h.lines)-prefix && h.lines[len(h.lines)-1-suffix].kind == ' ' {
		suffix++
	}
	return old, prefix, suffix
}

// same compares two lines, loosely if blanks are ignored.
func same(a, b []byte, loose bool) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return loose && bytes.Equal(bytes.Join(bytes.Fields(a), []byte(" ")), bytes.Join(bytes.Fields(b), []byte(" ")))
}

// locate finds where the hunk fits: the line index nearest to guess, at or after from; -1 if nowhere.
func (h *hunk) locate(work large.Meter, file [][]byte, guess, from, fuzz int, loose bool) int {
	old, prefix, suffix := h.halves()
	context := max(prefix, suffix)
	cut0 := max(0, fuzz+prefix-context)
	cut1 := max(0, fuzz+suffix-context)
	if cut0+cut1 > len(old) {
		return -1
	}
	if len(old) == 0 && guess >= from && guess <= len(file) { // nothing is everywhere
		return guess
	}
	mid := old[cut0 : len(old)-cut1]
	fits := func(at int) bool {
		if at+cut0 < from || at+cut0+len(mid) > len(file) || at+cut0 < 0 {
			return false
		}
		for i, l := range mid {
			if !same(l.text, file[at+cut0+i], loose) {
				return false
			}
		}
		return true
	}
	// A hunk with less context before than after must be at the start, and the other way round at the end,
	// until fuzz takes the difference away.
	if fuzz+prefix < context && h.oldAt <= 1 {
		if fuzz+suffix < context && (len(old) != len(file) || prefix < from) {
			return -1
		}
		if from <= prefix && fits(0) {
			return 0
		}
		return -1
	}
	if fuzz+suffix < context {
		if at := len(file) - len(old); at >= from && at >= 0 && fits(at) {
			return at
		}
		return -1
	}
	first, last := max(from, 0)-cut0, len(file)-cut0-len(mid) // it fits nowhere else
	if last < first {
		return -1
	}
	for d, most := max(first-guess, guess-last, 0), max(guess-first, last-guess); d <= most; d++ {
		if d%manyLines == manyLines-1 {
			work.Charge(manyLines / 2)
		}
		if fits(guess + d) {
			return guess + d
		}
		if d > 0 && fits(guess-d) {
			return guess - d
		}
	}
	return -1
}

// maxFuzz is the highest level of fuzz at which the hunk is tried.
func (h *hunk) maxFuzz(most int) int {
	_, prefix, suffix := h.halves()
	return min(most, max(prefix, suffix))
}

// fitsReversed reports whether the first hunk fits the other way round, and not as it is with so little fuzz.
func (k *change) fitsReversed(work large.Meter, text []byte, maxFuzz int, loose bool) bool {
	if len(k.hunks) == 0 {
		return false
	}
	first := change{hunks: []hunk{k.hunks[0]}}
	first.reverse()
	h, back, file := &k.hunks[0], &first.hunks[0], split(text, work)
	for fuzz := 0; fuzz <= h.maxFuzz(maxFuzz); fuzz++ {
		if h.locate(work, file, h.oldAt-1, 0, fuzz, loose) >= 0 {
			return false
		}
		if back.locate(work, file, back.oldAt-1, 0, fuzz, loose) >= 0 {
			return true
		}
	}
	return false
}

// apply makes the change to a file's text.
func (k *change) apply(work large.Meter, text []byte, maxFuzz int, loose, verbose bool) outcome {
	file := split(text, work)
	var res outcome
	var out [][]byte
	at, offset := 0, 0 // next line of file, drift so far
	shift := 0         // lines added so far
	for n := range k.hunks {
		h := &k.hunks[n]
		work.Charge(2 + len(h.lines)/8)
		guess := h.oldAt - 1 + offset
		_, prefix, suffix := h.halves()
		context := max(prefix, suffix)
		found, fuzz := -1, 0
		for ; fuzz <= h.maxFuzz(maxFuzz); fuzz++ {
			if found = h.locate(work, file, guess, at, fuzz, loose); found >= 0 {
				break
			}
		}
		if found < 0 {
			res.rejects = append(res.rejects, n)
			h.shift = shift
			res.messages = append(large.Extend(res.messages, 1, work), fmt.Sprintf("Hunk #%d FAILED at %d.", n+1, h.oldAt+shift))
			continue
		}
		cut0, cut1 := max(0, fuzz+prefix-context), max(0, fuzz+suffix-context)
		drift := found - (h.oldAt - 1)
		if fuzz > 0 || drift != 0 || verbose {
			m := fmt.Sprintf("Hunk #%d succeeded at %d", n+1, found+1+shift)
			if fuzz > 0 {
				m += fmt.Sprintf(" with fuzz %d", fuzz)
			}
			if drift != 0 {
				s := "s"
				if drift == 1 {
					s = ""
				}
				m += fmt.Sprintf(" (offset %d line%s)", drift, s)
			}
			res.messages = append(large.Extend(res.messages, 1, work), m+".")
			res.mismatch = res.mismatch || fuzz > 0 || drift != 0
		}
		offset = drift
		start := found + cut0
		out = large.Add(out, file[at:start], work)
		at = start
		cut1 = max(cut1, suffix) // the next hunk may begin with what ends this one
		for i, l := range h.lines[cut0 : len(h.lines)-cut1] {
			if i%manyLines == 0 {
				work.Charge(manyLines / 8)
				out = large.Extend(out, manyLines, work)
			}
			switch l.kind {
			case '+':
				out = append(out, l.text)
				shift++
			case '-':
				at++
				shift--
			default:
				out = append(out, file[at])
				at++
			}
		}
	}
	out = large.Add(out, file[at:], work)
	for i, l := range out {
		if i%manyLines == manyLines-1 {
			work.Charge(manyLines / 4)
			res.text = large.Room(res.text, min(len(res.text), large.Piece), work)
		}
		res.text = large.Push(res.text, l, work)
	}
	return res
}
