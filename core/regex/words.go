package regex

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"
)

// words is a great many fixed strings of which any may match: the lines of a file given to grep -f,
// or a|b|c of a million. An automaton of them would take a hundred times their own size. Here they
// stay as they are, in one text, and sorted: those that go on with the bytes at a place of the
// searched text are a range that each byte narrows.
type words struct {
	text  []byte   // as the patterns, each ended by end or a bar; folded if case is ignored
	at    []uint32 // where each begins, sorted by what it is
	bar   byte     // ends a word, too; else it is end
	pairs []uint64 // bits: the two bytes that a word can begin with
	first [257]uint32
	o     Options
	spent int // steps not told yet
	work  int // steps since Work was asked
}

// Of how many bytes patterns are worth more than an automaton of their words.
const manyWords = 256 << 10

const endOfWord = '\n'

// need asks for n bytes, if somebody wants to know.
func (o *Options) need(n int) {
	if n >= 1<<20 {
		o.ask(n)
	}
}

// ask is need of any number; a negative one is given back.
func (o *Options) ask(n int) {
	if o.Need != nil {
		o.Need(n)
	}
}

// charge tells of n steps of about 10 ns.
func (o *Options) charge(n int) {
	if o.Charge != nil {
		o.Charge(max(1, n>>3))
	}
}

// CompileLines is CompileAll for patterns that are lines of a text, the last one without its newline.
func CompileLines(lines []byte, o Options) (*Regexp, error) {
	if len(lines) < manyWords {
		return CompileAll(bytes.Split(lines, []byte{endOfWord}), o)
	}
	return compileLines(lines, o)
}

// compileLines is CompileLines for many.
func compileLines(lines []byte, o Options) (*Regexp, error) {
	if !o.NoSub || o.Syntax == Perl || len(lines) >= math.MaxUint32-1 {
		return CompileAll(bytes.Split(lines, []byte{endOfWord}), o)
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	w, rest := newWords(lines, o)
	re := &Regexp{opts: o, patterns: rest, words: w, meter: o.Charge}
	if len(rest) == 0 && w != nil {
		return re, nil
	}
	other, err := CompileAll(rest, o)
	if err != nil {
		return nil, err
	}
	other.words = w
	return other, nil
}

// newWords takes the lines that are fixed strings, or several with bars between, and leaves the rest.
func newWords(lines []byte, o Options) (w *words, rest [][]byte) {
	w = &words{o: o, bar: endOfWord}
	special, bar := "", byte(0)
	switch o.Syntax {
	case Literal:
	case GrepExtended, Awk, SedExtended, Bash:
		special, bar = "\\[].*^$+?{}()", '|'
	default:
		special = "\\[].*^$"
	}
	var odd [256]bool
	for _, c := range []byte(special) {
		odd[c] = true
	}
	if bar != 0 {
		w.bar = bar
	}
	n := bytes.Count(lines, []byte{endOfWord}) + 1
	if bar != 0 {
		n += bytes.Count(lines, []byte{bar})
	}
	o.need(len(lines) + 4*n)
	w.text = make([]byte, 0, len(lines)+1)
	w.at = make([]uint32, 0, n)
	for len(lines) > 0 {
		line, after, _ := bytes.Cut(lines, []byte{endOfWord})
		lines = after
		o.charge(len(line) + 4)
		if !w.take(line, &odd, bar) {
			rest = append(rest, line)
		}
	}
	if len(w.at) == 0 {
		return nil, rest
	}
	w.sort()
	w.pairs = make([]uint64, 1<<10)
	next := 0
	for i, at := range w.at {
		c, d := w.text[at], w.char(at+1)
		for ; next <= int(c); next++ {
			w.first[next] = uint32(i)
		}
		if d < 0 { // a word of one byte
			for d := range 256 {
				w.pair(c, byte(d))
			}
			continue
		}
		w.pair(c, byte(d))
	}
	for ; next <= 256; next++ {
		w.first[next] = uint32(len(w.at))
	}
	return w, rest
}

func (w *words) pair(c, d byte) {
	i := int(c)<<8 | int(d)
	w.pairs[i>>6] |= 1 << (i & 63)
}

// take adds the words of a line; it is false for one that is more than words, or has an empty one.
func (w *words) take(line []byte, odd *[256]bool, bar byte) bool {
	if len(line) == 0 || !w.o.Bytes && !utf8.Valid(line) { // where half a character may match is not asked here
		return false
	}
	last := bar
	for _, c := range line {
		if odd[c] || c == bar && bar != 0 && last == bar {
			return false
		}
		last = c
	}
	if bar != 0 && last == bar {
		return false
	}
	from := len(w.text)
	if w.o.Fold {
		w.text = w.appendFolded(w.text, line)
	} else {
		w.text = append(w.text, line...)
	}
	w.text = append(w.text, endOfWord)
	start := from
	for i := from; i < len(w.text); i++ {
		if c := w.text[i]; c == endOfWord || c == bar && bar != 0 {
			w.at = append(w.at, uint32(start))
			start = i + 1
		}
	}
	return true
}

// appendFolded appends text with each character as the first of its cases.
func (w *words) appendFolded(out, text []byte) []byte {
	for len(text) > 0 {
		r, n := w.decode(text)
		if r == utf8.RuneError && n <= 1 {
			out, text = append(out, text[0]), text[1:]
			continue
		}
		out = utf8.AppendRune(out, w.firstCase(r))
		text = text[n:]
	}
	return out
}

// decode gives the first character; where they are bytes, one above 127 is none.
func (w *words) decode(b []byte) (rune, int) {
	if w.o.Bytes && b[0] >= utf8.RuneSelf {
		return utf8.RuneError, 1
	}
	return utf8.DecodeRune(b)
}

// firstCase is the least of the cases of a character.
func (w *words) firstCase(r rune) rune {
	if w.o.Bytes && 'a' <= r && r <= 'z' || 'a' <= r && r <= 'z' && r != 'k' && r != 's' {
		return r - 'a' + 'A'
	}
	if w.o.Bytes {
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// char is the byte at a place of the text, -1 where a word ends.
func (w *words) char(at uint32) int {
	c := w.text[at]
	if c == endOfWord || c == w.bar {
		return -1
	}
	return int(c)
}

// sort puts the words in order: by the byte at a depth in three parts, and those that are equal in it by the next one.
func (w *words) sort() {
	type part struct {
		lo, hi int
		depth  uint32
	}
	stack := []part{{0, len(w.at), 0}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for p.hi-p.lo > 1 {
			w.o.charge(p.hi - p.lo)
			if p.hi-p.lo <= 12 {
				w.insert(p.lo, p.hi, p.depth)
				break
			}
			pivot := w.middle(p.lo, p.hi, p.depth)
			lt, i, gt := p.lo, p.lo, p.hi
			for i < gt {
				switch c := w.char(w.at[i] + p.depth); {
				case c < pivot:
					w.at[lt], w.at[i] = w.at[i], w.at[lt]
					lt, i = lt+1, i+1
				case c > pivot:
					gt--
					w.at[i], w.at[gt] = w.at[gt], w.at[i]
				default:
					i++
				}
			}
			parts := [3]part{{p.lo, lt, p.depth}, {lt, gt, p.depth + 1}, {gt, p.hi, p.depth}}
			if pivot < 0 {
				parts[1].hi = parts[1].lo // they all end here
			}
			most := 0
			for k := range parts {
				if parts[k].hi-parts[k].lo > parts[most].hi-parts[most].lo {
					most = k
				}
			}
			for k := range parts {
				if k != most && parts[k].hi-parts[k].lo > 1 {
					stack = append(stack, parts[k])
				}
			}
			p = parts[most]
		}
	}
}

// middle is the middle one of three bytes.
func (w *words) middle(lo, hi int, depth uint32) int {
	a, b, c := w.char(w.at[lo]+depth), w.char(w.at[(lo+hi)/2]+depth), w.char(w.at[hi-1]+depth)
	return max(min(a, b), min(max(a, b), c))
}

func (w *words) insert(lo, hi int, depth uint32) {
	for i := lo + 1; i < hi; i++ {
		for k := i; k > lo && w.less(w.at[k], w.at[k-1], depth); k-- {
			w.at[k], w.at[k-1] = w.at[k-1], w.at[k]
		}
	}
}

func (w *words) less(a, b, depth uint32) bool {
	for n := uint32(0); ; n++ {
		if n&1023 == 1023 {
			w.o.charge(1024)
		}
		c, d := w.char(a+depth+n), w.char(b+depth+n)
		if c != d || c < 0 {
			return c < d
		}
	}
}

// narrow gives which of a range of words, equal up to depth, go on with c.
func (w *words) narrow(lo, hi uint32, depth uint32, c byte) (uint32, uint32) {
	from, to := lo, hi
	for from < to {
		if m := (from + to) / 2; w.char(w.at[m]+depth) < int(c) {
			from = m + 1
		} else {
			to = m
		}
	}
	begin, to := from, hi
	for from < to {
		if m := (from + to) / 2; w.char(w.at[m]+depth) <= int(c) {
			from = m + 1
		} else {
			to = m
		}
	}
	return begin, from
}

// longest gives the end of the longest word at b[i], -1 if there is none. It may not go beyond to.
func (w *words) longest(b []byte, i, to int) int {
	if w.o.Words && !w.edge(b, i, true) {
		return -1
	}
	lo, hi, depth, last := uint32(0), uint32(len(w.at)), uint32(0), -1
	var folded [utf8.UTFMax]byte
	for at := i; at < to; {
		if w.o.Records && b[at] == w.o.EOL {
			return last
		}
		chars, n := b[at:at+1], 1
		if w.o.Fold {
			r, size := w.decode(b[at:to])
			if r != utf8.RuneError || size > 1 {
				chars, n = utf8.AppendRune(folded[:0], w.firstCase(r)), size
			}
		}
		for _, c := range chars {
			if depth == 0 {
				lo, hi = w.first[c], w.first[int(c)+1]
			} else {
				lo, hi = w.narrow(lo, hi, depth, c)
			}
			depth++
			if lo == hi {
				w.spend(int(depth))
				return last
			}
		}
		at += n
		if w.char(w.at[lo]+depth) < 0 && (!w.o.Words || w.edge(b, at, false)) && (!w.o.Whole || at == to || w.o.Records && b[at] == w.o.EOL) {
			last = at
		}
	}
	w.spend(int(depth))
	return last
}

// edge reports that the character before b[i], or at it, is not part of a word. The middle of a character is no edge.
func (w *words) edge(b []byte, i int, before bool) bool {
	if w.o.Bytes {
		if before {
			i--
		}
		return i < 0 || i >= len(b) || b[i] >= utf8.RuneSelf || !isWord(rune(b[i]))
	}
	if i < len(b) && b[i] >= utf8.RuneSelf {
		if _, at, n := charAround(b, i); n > 0 && at != i {
			return false
		}
	}
	r, n := utf8.DecodeRune(b[i:])
	if before {
		r, n = utf8.DecodeLastRune(b[:i])
	}
	return n == 0 || r == utf8.RuneError && n == 1 || !isWord(r)
}

// spend counts steps.
func (w *words) spend(n int) {
	w.work += n
	if w.spent += n; w.spent >= 1<<14 {
		w.o.charge(w.spent)
		w.spent = 0
	}
}

// find gives the leftmost of the longest words in b at or after from; start is -1 if there is none.
func (w *words) find(b []byte, from int) (start, end int) {
	for i := from; i < len(b); i++ {
		if i&0xffff == 0xffff {
			w.spend(1 << 13)
		}
		if w.o.Whole && i > 0 && !(w.o.Records && b[i-1] == w.o.EOL) {
			if !w.o.Records {
				break
			}
			k := bytes.IndexByte(b[i:], w.o.EOL)
			if k < 0 {
				break
			}
			i += k
			continue
		}
		if !w.o.Fold && !w.canBegin(b, i) {
			continue
		}
		if end := w.longest(b, i, len(b)); end >= 0 {
			return i, end
		}
	}
	return -1, -1
}

// canBegin reports that some word begins with the byte at i and the one after it.
func (w *words) canBegin(b []byte, i int) bool {
	d := byte(0)
	if i+1 < len(b) {
		d = b[i+1]
	}
	k := int(b[i])<<8 | int(d)
	return w.pairs[k>>6]&(1<<(k&63)) != 0
}
