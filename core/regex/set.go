package regex

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// rng is the characters lo to hi.
type rng struct{ lo, hi rune }

// set is a set of characters: sorted ranges that do not touch, once clean was called.
type set []rng

func (s set) has(r rune) bool {
	lo, hi := 0, len(s)
	for lo < hi {
		m := (lo + hi) / 2
		if s[m].hi < r {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(s) && s[lo].lo <= r
}

// clean sorts the ranges and joins those that touch.
func (s set) clean() set {
	if len(s) < 2 {
		return s
	}
	byLo := func(a, b rng) int { return cmp.Compare(a.lo, b.lo) }
	if !slices.IsSortedFunc(s, byLo) {
		slices.SortFunc(s, byLo)
	}
	out := s[:1]
	for _, r := range s[1:] {
		last := &out[len(out)-1]
		if r.lo > last.hi+1 {
			out = append(out, r)
		} else if r.hi > last.hi {
			last.hi = r.hi
		}
	}
	return out
}

// negate gives all other characters.
func (s set) negate() set {
	out := make(set, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, rng{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, rng{next, utf8.MaxRune})
	}
	return out
}

// without gives the set without the character r.
func (s set) without(r rune) set {
	if !s.has(r) {
		return s
	}
	out := make(set, 0, len(s)+1)
	for _, g := range s {
		if r < g.lo || r > g.hi {
			out = append(out, g)
			continue
		}
		if g.lo < r {
			out = append(out, rng{g.lo, r - 1})
		}
		if r < g.hi {
			out = append(out, rng{r + 1, g.hi})
		}
	}
	return out
}

// fold adds the other cases of every character.
func (s set) fold() set {
	out := append(set(nil), s...)
	for _, cr := range unicode.CaseRanges {
		for _, g := range s {
			lo, hi := max(g.lo, rune(cr.Lo)), min(g.hi, rune(cr.Hi))
			for r := lo; r <= hi; r++ {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					out = append(out, rng{f, f})
				}
			}
		}
	}
	return out.clean()
}

func runeSet(r rune) set { return set{{r, r}} }

// foldRune gives the cases of one character.
func foldRune(r rune) set {
	out := set{{r, r}}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		out = append(out, rng{f, f})
	}
	return out.clean()
}

func table(tables ...*unicode.RangeTable) set {
	n := 0
	for _, t := range tables {
		n += len(t.R16) + len(t.R32)
	}
	out := make(set, 0, 2*n)
	for _, t := range tables {
		for _, r := range t.R16 {
			out = addStride(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			out = addStride(out, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return out.clean()
}

func addStride(s set, lo, hi, stride rune) set {
	if stride == 1 {
		return append(s, rng{lo, hi})
	}
	for r := lo; r <= hi; r += stride {
		s = append(s, rng{r, r})
	}
	return s
}

func union(sets ...set) set {
	n := 0
	for _, s := range sets {
		n += len(s)
	}
	out := make(set, 0, n)
	for _, s := range sets {
		out = append(out, s...)
	}
	return out.clean()
}

func (s set) minus(t set) set {
	return union(s.negate(), t).negate()
}

// isWord reports whether r is a letter, a digit or an underscore, as glibc has it.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.In(r, unicode.L, unicode.Nd, unicode.Nl, unicode.Other_Alphabetic)
}

func asciiWord() set { return set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}} }

// noBreak are the spaces that glibc does not count as such.
func noBreak() set { return set{{0xa0, 0xa0}, {0x2007, 0x2007}, {0x202f, 0x202f}} }

// class gives a POSIX character class by name, as C.UTF-8 of glibc has it.
func class(name string, ascii bool) (set, bool) {
	s, ok := asciiClass(name)
	if !ok || ascii {
		return s, ok
	}
	switch name {
	case "alpha":
		return union(s, table(unicode.L, unicode.Nl, unicode.Other_Alphabetic), table(unicode.Nd).minus(set{{'0', '9'}})), true
	case "alnum":
		return table(unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.Nd), true
	case "upper":
		return table(unicode.Lu, unicode.Lt, unicode.Other_Uppercase), true
	case "lower":
		return table(unicode.Ll, unicode.Other_Lowercase), true
	case "space":
		return union(s, table(unicode.Zs, unicode.Zl, unicode.Zp).minus(noBreak())), true
	case "blank":
		return union(s, table(unicode.Zs).minus(noBreak())), true
	case "cntrl":
		return union(s, table(unicode.Cc, unicode.Zl, unicode.Zp)), true
	case "print":
		return table(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co), true
	case "graph":
		return union(table(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Cf, unicode.Co), noBreak()), true
	case "punct":
		graph, _ := class("graph", false)
		alnum, _ := class("alnum", false)
		return graph.minus(alnum), true
	}
	return s, true
}

func asciiClass(name string) (set, bool) {
	switch name {
	case "alpha":
		return set{{'A', 'Z'}, {'a', 'z'}}, true
	case "alnum":
		return set{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, true
	case "digit":
		return set{{'0', '9'}}, true
	case "xdigit":
		return set{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, true
	case "upper":
		return set{{'A', 'Z'}}, true
	case "lower":
		return set{{'a', 'z'}}, true
	case "space":
		return set{{'\t', '\r'}, {' ', ' '}}, true
	case "blank":
		return set{{'\t', '\t'}, {' ', ' '}}, true
	case "cntrl":
		return set{{0, 31}, {127, 127}}, true
	case "print":
		return set{{32, 126}}, true
	case "graph":
		return set{{33, 126}}, true
	case "punct":
		return set{{33, 47}, {58, 64}, {91, 96}, {123, 126}}, true
	}
	return nil, false
}
