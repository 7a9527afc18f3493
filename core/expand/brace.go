package expand

import (
	"slices"
	"strconv"
	"strings"
)

// braces is the brace expansion of a word. It works on text, before anything
// else is looked at: $a{b,c} is $ab $ac.
type braces struct {
	tree  *braceTree
	deep  bool // nested too deeply
	over  bool // too much of it to be looked at
	text  string
	nodes []command
	words []*Word // compiled, if there are not many
}

const fewBraces = 64

// newBraces returns nil if text has no brace expansion.
func newBraces(m *Room, text string, nodes []command) *braces {
	if strings.IndexByte(text, '{') < 0 {
		return nil
	}
	x := braceReader{account: m.meter()}
	tree := x.read(text, 0)
	if !x.found && !x.over {
		return nil
	}
	b := &braces{tree: tree, deep: x.deep, over: x.over, text: text, nodes: nodes}
	if !x.over && tree.n <= fewBraces {
		for k := range tree.n {
			b.words = append(b.words, compileOne(tree.word(k), nodes))
		}
	}
	return b
}

// maxBraced is how many words of a declaration's value are made when it is compiled.
const maxBraced = 4096

// Braced gives the words that the braces of a word make of it, nil if there are
// none or very many.
func (w *Word) Braced() []*Word {
	if w == nil || w.braces == nil || w.braces.over || w.braces.tree.n > maxBraced {
		return nil
	}
	b := w.braces
	if b.words != nil {
		return b.words
	}
	var words []*Word
	for k := range b.tree.n {
		words = append(words, compileOne(b.tree.word(k), b.nodes))
	}
	return words
}

func (b *braces) each(e *eval, f func(*Word) error) error {
	if b.words != nil {
		for _, w := range b.words {
			if err := f(w); err != nil {
				return err
			}
		}
		return nil
	}
	if b.deep {
		return limitError("depth", "brace expansion: nested too deeply")
	}
	if b.over || b.tree.n > maxBraces || b.tree.n*(len(b.text)+8) > maxBraceBytes {
		return limitError("memory", "brace expansion: too many words")
	}
	e.env.Charge(b.tree.n)
	e.env.Hold(e.held + b.tree.n*newField)
	e.out = slices.Grow(e.out, b.tree.n)
	for k := range b.tree.n {
		if k%manyFields == manyFields-1 {
			e.env.Charge(manyFields)
			e.env.Hold(e.held)
		}
		t := b.tree.word(k)
		e.held += newField + len(t)
		if b.tree.plain || plainText(t) {
			e.out = append(e.out, t)
		} else if err := f(compileOne(t, b.nodes)); err != nil {
			return err
		}
	}
	return nil
}

// Count is how many words w stands for by brace expansion, if they are so many
// that they had better be made one by one with Nth: each is one that stands for itself.
func (w *Word) Count() (n int, ok bool) {
	b := w.braces
	if b == nil || b.words != nil || b.over || !b.tree.plain {
		return 0, false
	}
	return b.tree.n, true
}

// Nth is the word with the number k, from 0, of a word that has a Count.
func (w *Word) Nth(k int) string { return w.braces.tree.word(k) }

// plainText reports whether a text is a word that stands for itself.
func plainText(s string) bool {
	for i := 0; i < len(s); i++ {
		if !PlainByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// braceTree is a text with its brace expansions. The words it stands for are
// numbered, so that any can be made without the others.
type braceTree struct {
	pre   string       // before the first expansion
	alts  []*braceTree // {a,b}
	ends  []int        // how many words come up to the end of each of alts
	seq   sequence     // {1..9}, if there are no alts
	tail  *braceTree   // what follows; nil if there is no expansion
	n     int          // how many words; maxCount if that is all that is known
	plain bool         // every word stands for itself
}

const maxCount = 1 << 40

// word makes the word with the number k.
func (t *braceTree) word(k int) string {
	if t.tail == nil {
		return t.pre
	}
	return string(t.append(make([]byte, 0, len(t.pre)+16), k))
}

func (t *braceTree) append(to []byte, k int) []byte {
	for ; t.tail != nil; t = t.tail {
		to = append(to, t.pre...)
		i := k / t.tail.n
		k %= t.tail.n
		if t.alts == nil {
			to = t.seq.append(to, i)
			continue
		}
		at, _ := slices.BinarySearch(t.ends, i+1)
		if at > 0 {
			i -= t.ends[at-1]
		}
		to = t.alts[at].append(to, i)
	}
	return append(to, t.pre...)
}

// Brace performs brace expansion on the text of a word. The second result is
// false if there would be too many words.
func Brace(s string) ([]string, bool) {
	x := braceReader{}
	t := x.read(s, 0)
	if x.over || t.n > maxBraces {
		return nil, false
	}
	var out []string
	for k := range t.n {
		out = append(out, t.word(k))
	}
	return out, true
}

type braceReader struct {
	over    bool // too much to look at, or nested too deeply
	deep    bool // nested too deeply
	found   bool // there is a brace expansion
	scanned int  // characters looked at for a closing brace
	account Account
}

const (
	maxBraceBytes = 1 << 26
	maxBraceScan  = 1 << 26 // many braces left open cost their number times the length
)

// read makes the tree of a text; nil if that is too much.
func (x *braceReader) read(text string, depth int) *braceTree {
	if depth > maxDepth {
		x.over, x.deep = true, true
	}
	for from := 0; !x.over; {
		open, closing, commas, ok := x.findBrace(text, from)
		if x.over {
			break
		}
		if !ok {
			return &braceTree{pre: text, n: 1, plain: text == "" || plainText(text)}
		}
		t := &braceTree{pre: text[:open], plain: open == 0 || plainText(text[:open])}
		n, something := 0, open > 0 // something: no word is empty
		if len(commas) > 0 {
			at, all := open+1, true
			for _, c := range append(commas, closing) {
				alt := x.read(text[at:c], depth+1)
				if x.over {
					return nil
				}
				n = min(n+alt.n, maxCount)
				t.alts, t.ends = append(t.alts, alt), append(t.ends, n)
				t.plain = t.plain && alt.plain
				all = all && (alt.tail != nil || alt.pre != "")
				at = c + 1
			}
			something = something || all
		} else if t.seq, n = newSequence(text[open+1 : closing]); n == 0 {
			if inner := x.read(text[open+1:closing], depth+1); inner != nil && strings.IndexByte(text[open+1:closing], ',') >= 0 {
				t.alts, t.ends, n = []*braceTree{inner}, []int{inner.n}, inner.n // {a..{b,c}} is a..b a..c
				t.plain, something = t.plain && inner.plain, something || inner.pre != ""
			} else { // {x..y} is no sequence, and there is none inside
				from = closing + 1
				continue
			}
		} else {
			t.plain, something = t.plain && !t.seq.odd, true
		}
		x.found = true
		if t.tail = x.read(text[closing+1:], depth+1); x.over {
			return nil
		}
		t.plain = t.plain && t.tail.plain && (something || t.tail.tail == nil && t.tail.pre != "")
		if n > maxCount/t.tail.n {
			t.n = maxCount
		} else {
			t.n = n * t.tail.n
		}
		return t
	}
	return nil
}

// findBrace finds the first brace from position from on that is closed and
// contains a comma or a sequence. A closing brace before either is a character
// like others: {a},b} is a} b.
func (x *braceReader) findBrace(s string, from int) (open, close int, commas []int, ok bool) {
	last := strings.LastIndexByte(s, '}')
	k := skipper{s: s, meter: x.account}
	for i := from; i < last; {
		if x.scanned > maxBraceScan {
			x.over = true
			return 0, 0, nil, false
		}
		if s[i] != '{' {
			i = k.braceText(i)
			continue
		}
		if i > 0 && s[i-1] == '$' && (i < 2 || s[i-2] != '\\') {
			i++
			continue
		}
		commas, depth, dots := []int(nil), 0, false
		j := i + 1
		for j < len(s) {
			switch s[j] {
			case '{':
				depth++
			case '}':
				if depth > 0 {
					depth--
				} else if len(commas) > 0 || dots {
					return i, j, commas, true
				} else if j == 1 { // {} at the beginning of a word
					goto next
				}
			case '.':
				dots = dots || depth == 0 && j+2 < len(s) && s[j+1] == '.' && s[j+2] != '}'
			case ',':
				if depth == 0 {
					commas = append(commas, j)
				}
			}
			next := k.braceText(j)
			x.scanned += next - j
			j = next
		}
	next:
		i++
	}
	return 0, 0, nil, false
}

// braceText steps over a character, or over something quoted or nested.
func (k *skipper) braceText(i int) int {
	if k.s[i] == mark {
		_, end := markAt(k.s, i)
		return end
	}
	return k.quoted(i, false)
}

// sequence is {from..to..step}.
type sequence struct {
	from, step int64
	width      int  // to which numbers are filled with zeros
	letters    bool // else numbers
	odd        bool // some letters are none
}

// newSequence reads a sequence and counts its words; 0 if it is none.
func newSequence(s string) (q sequence, n int) {
	f := strings.Split(s, "..")
	if len(f) != 2 && len(f) != 3 {
		return q, 0
	}
	step := int64(1)
	if len(f) == 3 {
		n, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil || n == -1<<63 {
			return q, 0
		}
		if step = n; step < 0 {
			step = -step
		}
		if step == 0 {
			step = 1
		}
	}
	var to int64
	if len(f[0]) == 1 && len(f[1]) == 1 && isLetter(f[0][0]) && isLetter(f[1][0]) {
		q.from, to, q.letters = int64(f[0][0]), int64(f[1][0]), true
		q.odd = (f[0][0] < 'a') != (f[1][0] < 'a')
	} else {
		var err1, err2 error
		q.from, err1 = strconv.ParseInt(f[0], 10, 64)
		to, err2 = strconv.ParseInt(f[1], 10, 64)
		if err1 != nil || err2 != nil {
			return q, 0
		}
		if padded(f[0]) || padded(f[1]) {
			q.width = max(len(f[0]), len(f[1]))
		}
	}
	dist := uint64(to) - uint64(q.from)
	if q.step = step; q.from > to {
		dist, q.step = -dist, -step
	}
	count := dist / uint64(step)
	if count >= 1<<31-2 { // more than bash counts: no sequence
		return q, 0
	}
	return q, int(count) + 1
}

// append adds the word with the number k.
func (q *sequence) append(to []byte, k int) []byte {
	n := q.from + int64(k)*q.step
	if q.letters {
		switch n {
		case '\\': // a backslash before nothing
			return append(to, "''"...)
		case '`', '$', '"', '\'': // stands for itself
			to = append(to, '\\')
		}
		return append(to, byte(n))
	}
	if q.width > 0 {
		digits, width := strconv.FormatInt(n, 10), q.width
		if n < 0 {
			to, digits, width = append(to, '-'), digits[1:], width-1
		}
		for range width - len(digits) {
			to = append(to, '0')
		}
		return append(to, digits...)
	}
	return strconv.AppendInt(to, n, 10)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}
