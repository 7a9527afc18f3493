package regex

import "unicode/utf8"

// symAt gives the symbol of b[i]. Only where words count and b[i] is above 127
// does it need to look at its neighbours.
func (p *prog) symAt(b []byte, i int) int {
	s := int(p.sym[b[i]])
	if !p.wordy || b[i] < utf8.RuneSelf {
		return s
	}
	r, at, n := charAround(b, i)
	if n == 0 {
		return s
	}
	if isWord(r) {
		s++
	}
	if at != i {
		s += 2
	}
	return s
}

// charAround gives the character above 127 that byte i is part of, where it
// begins and its length; length 0 if the byte is not part of one.
func charAround(b []byte, i int) (r rune, at, n int) {
	at = i
	for at > 0 && i-at < utf8.UTFMax-1 && !utf8.RuneStart(b[at]) {
		at--
	}
	r, n = utf8.DecodeRune(b[at:])
	if r == utf8.RuneError && n <= 1 || at+n <= i {
		return 0, i, 0
	}
	return r, at, n
}

// ctxBefore gives what is before place i for an assert.
func (p *prog) ctxBefore(b []byte, i int) uint8 {
	if i == 0 {
		return ctxEdge
	}
	if !p.asserts {
		return 0
	}
	return p.symCtx[p.symAt(b, i-1)] &^ ctxInside
}

// holds evaluates an assert between two neighbours.
func (a assert) holds(prev, next uint8) bool {
	switch a {
	case atBOT:
		return prev&ctxEdge != 0
	case atEOT:
		return next&ctxEdge != 0
	case atBOL:
		return prev&(ctxEdge|ctxNL) != 0
	case atEOL:
		return next&(ctxEdge|ctxNL) != 0
	}
	if next&ctxInside != 0 {
		return false
	}
	before, after := prev&ctxWord != 0, next&ctxWord != 0
	switch a {
	case atWordEdge:
		return before != after
	case atNoWordEdge:
		return before == after
	case atWordStart:
		return !before && after
	case atWordEnd:
		return before && !after
	case atNoWordBefore:
		return !before
	case atNoWordAfter:
		return !after
	}
	return false
}
