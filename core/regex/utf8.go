package regex

import "unicode/utf8"

// A set of characters becomes a small automaton over bytes: its nodes are
// slices of byteEdge, node 0 is the start, and next -1 is a complete character.

type byteEdge struct {
	lo, hi byte
	next   int32
}

// byteSeq is a sequence of byte ranges: the encodings of a range of characters
// in which every byte varies by itself.
type byteSeq struct {
	n      int
	lo, hi [4]byte
}

// utf8Set gives the automaton of a set.
func utf8Set(s set) [][]byteEdge {
	seqs := make([]byteSeq, 0, 2*len(s)+8)
	for _, r := range s {
		seqs = appendSeqs(seqs, r.lo, r.hi)
	}
	b := utf8Builder{nodes: [][]byteEdge{nil}, ids: map[string]int32{}}
	b.nodes[0] = b.edges(seqs, 0)
	return b.nodes
}

// appendSeqs splits lo to hi where the length of the encoding changes and where
// a byte would not vary by itself.
func appendSeqs(seqs []byteSeq, lo, hi rune) []byteSeq {
	var room [16]rng
	work := append(room[:0], rng{lo, hi})
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		if r.lo > r.hi {
			continue
		}
		if r.lo <= 0xdfff && r.hi >= 0xd800 { // surrogates are not characters
			work = append(work, rng{0xe000, r.hi}, rng{r.lo, 0xd7ff})
			continue
		}
		if at, ok := splitAt(r.lo, r.hi); ok {
			work = append(work, rng{at + 1, r.hi}, rng{r.lo, at})
			continue
		}
		var a, z [4]byte
		n := utf8.EncodeRune(a[:], r.lo)
		utf8.EncodeRune(z[:], r.hi)
		seqs = append(seqs, byteSeq{n, a, z})
	}
	return seqs
}

// splitAt gives the last character of the first part if lo to hi must be split.
func splitAt(lo, hi rune) (rune, bool) {
	for _, m := range [...]rune{0x7f, 0x7ff, 0xffff} {
		if lo <= m && m < hi {
			return m, true
		}
	}
	if hi < utf8.RuneSelf {
		return 0, false
	}
	for shift := 6; shift <= 18; shift += 6 {
		m := rune(1)<<shift - 1
		if lo&^m == hi&^m {
			break
		}
		if lo&m != 0 {
			return lo | m, true
		}
		if hi&m != m {
			return hi&^m - 1, true
		}
	}
	return 0, false
}

type utf8Builder struct {
	nodes [][]byteEdge
	ids   map[string]int32
	key   []byte
}

// edges gives the node for the sequences from byte i on; they are sorted, and
// their first ranges are equal or disjoint.
func (b *utf8Builder) edges(seqs []byteSeq, i int) []byteEdge {
	groups := 0
	for rest := seqs; len(rest) > 0; groups++ {
		rest = rest[alike(rest, i):]
	}
	out := make([]byteEdge, 0, groups)
	for len(seqs) > 0 {
		first := seqs[0]
		n := alike(seqs, i)
		e := byteEdge{first.lo[i], first.hi[i], -1}
		if first.n > i+1 {
			e.next = b.node(seqs[:n], i+1)
		}
		if last := len(out) - 1; last >= 0 && out[last].next == e.next && out[last].hi+1 == e.lo {
			out[last].hi = e.hi
		} else {
			out = append(out, e)
		}
		seqs = seqs[n:]
	}
	return out
}

// alike gives how many sequences begin with the same range at byte i.
func alike(seqs []byteSeq, i int) int {
	first := &seqs[0]
	n := 1
	for n < len(seqs) && seqs[n].lo[i] == first.lo[i] && seqs[n].hi[i] == first.hi[i] && seqs[n].n > i+1 {
		n++
	}
	return n
}

func (b *utf8Builder) node(seqs []byteSeq, i int) int32 {
	edges := b.edges(seqs, i)
	b.key = b.key[:0]
	for _, e := range edges {
		b.key = append(b.key, e.lo, e.hi, byte(e.next), byte(e.next>>8), byte(e.next>>16))
	}
	if id, ok := b.ids[string(b.key)]; ok {
		return id
	}
	id := int32(len(b.nodes))
	b.ids[string(b.key)] = id
	b.nodes = append(b.nodes, edges)
	return id
}
