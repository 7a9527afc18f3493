package regex

import (
	"unicode/utf8"
)

// What a character is depends on Options.Bytes. With it the characters are the
// numbers 0 to 255, those from 128 on are in no class and have no other case, and
// a set is a set of bytes; without, they are Unicode's, written as UTF-8.

// next gives the first character of rest, which is not empty; ok is false for a
// byte that is none.
func (o *Options) next(rest []byte) (r rune, n int, ok bool) {
	if o.Bytes || rest[0] < utf8.RuneSelf {
		return rune(rest[0]), 1, true
	}
	r, n = utf8.DecodeRune(rest)
	return r, n, r != utf8.RuneError || n > 1
}

// cases adds the other cases of every character of s.
func (o *Options) cases(s set) set {
	if !o.Bytes {
		return s.fold()
	}
	out := append(set(nil), s...)
	for _, g := range s {
		for _, c := range [...]rng{{'A', 'Z'}, {'a', 'z'}} {
			if lo, hi := max(g.lo, c.lo), min(g.hi, c.hi); lo <= hi {
				out = append(out, rng{lo ^ 0x20, hi ^ 0x20})
			}
		}
	}
	return out.clean()
}

// character is a node for r itself, or for its cases.
func (o *Options) character(r rune) *node {
	if o.Fold {
		cases := runeSet(r)
		if o.Bytes {
			cases = o.cases(cases)
		} else {
			cases = foldRune(r)
		}
		if len(cases) > 1 || cases[0].lo != cases[0].hi {
			return &node{op: opSet, set: cases}
		}
	}
	switch {
	case !o.Bytes || r < utf8.RuneSelf:
		return &node{op: opRune, r: r}
	case r > 0xff:
		return &node{op: opFail}
	}
	return &node{op: opByte, r: r}
}

// byteEdges are the steps over one byte of s.
func byteEdges(s set, next uint32) []edge {
	edges := make([]edge, 0, len(s))
	for _, r := range s {
		if r.lo <= 0xff {
			edges = append(edges, edge{byte(r.lo), byte(min(r.hi, 0xff)), next})
		}
	}
	return edges
}
