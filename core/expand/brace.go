package expand

import (
	"strconv"
	"strings"
)

// braces is the brace expansion of a word. It works on text, before anything
// else is looked at: $a{b,c} is $ab $ac.
type braces struct {
	text  string
	nodes []command
	words []*Word // compiled, if there are not many
}

const fewBraces = 64

// newBraces returns nil if text has no brace expansion.
func newBraces(text string, nodes []command) *braces {
	if strings.IndexByte(text, '{') < 0 {
		return nil
	}
	x := braceExpander{limit: fewBraces}
	list := x.expand(text, 0)
	if !x.found && !x.over {
		return nil
	}
	b := &braces{text: text, nodes: nodes}
	if !x.over {
		for _, t := range list {
			b.words = append(b.words, compileOne(t, nodes))
		}
	}
	return b
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
	x := braceExpander{limit: maxBraces, env: e.env}
	list := x.expand(b.text, 0)
	if x.deep {
		return limitError("depth", "brace expansion: nested too deeply")
	}
	if x.over {
		return limitError("memory", "brace expansion: too many words")
	}
	for _, t := range list {
		if plainText(t) {
			e.out = append(e.out, t)
		} else if err := f(compileOne(t, b.nodes)); err != nil {
			return err
		}
	}
	return nil
}

// plainText reports whether a text is a word that stands for itself.
func plainText(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !nameByte(c) && strings.IndexByte("./-+,:%@^", c) < 0 {
			return false
		}
	}
	return s != ""
}

// Brace performs brace expansion on the text of a word. The second result is
// false if there would be too many words.
func Brace(s string) ([]string, bool) {
	x := braceExpander{limit: maxBraces}
	l := x.expand(s, 0)
	return l, !x.over
}

type braceExpander struct {
	limit int
	made  int
	size  int
	over  bool // more words than limit, or nested too deeply
	deep  bool // nested too deeply
	found bool // there was a brace expansion
	env   Env

	scanned int // characters looked at for a closing brace
}

const (
	maxBraceBytes = 1 << 26
	maxBraceScan  = 1 << 26 // many braces left open cost their number times the length
)

func (x *braceExpander) count(n, bytes int) bool {
	x.made += n
	x.size += bytes
	if x.made > x.limit || x.size > maxBraceBytes {
		x.over = true
	}
	if x.env != nil {
		x.env.Charge(n)
	}
	return !x.over
}

// expand returns the words text stands for.
func (x *braceExpander) expand(text string, depth int) []string {
	if depth > maxDepth {
		x.over, x.deep = true, true
	}
	if x.over {
		return nil
	}
	for from := 0; ; {
		open, close, commas, ok := x.findBrace(text, from)
		if x.over {
			return nil
		}
		if !ok {
			return []string{text}
		}
		inner := text[open+1 : close]
		var list []string
		if len(commas) > 0 {
			at := open + 1
			for _, c := range append(commas, close) {
				list = append(list, x.expand(text[at:c], depth+1)...)
				at = c + 1
			}
		} else if list = x.sequence(inner); list == nil {
			if x.over {
				return nil
			}
			// {x} is no expansion, but there may be one inside
			from = open + 1
			continue
		}
		x.found = true
		tails := x.expand(text[close+1:], depth+1)
		if x.over || !x.count(len(list)*len(tails), len(list)*len(tails)*(len(text)+8)) {
			return nil
		}
		out := make([]string, 0, len(list)*len(tails))
		for _, l := range list {
			for _, t := range tails {
				out = append(out, text[:open]+l+t)
			}
		}
		return out
	}
}

// findBrace finds the first brace from position from on that is closed and
// contains a comma or a sequence.
func (x *braceExpander) findBrace(s string, from int) (open, close int, commas []int, ok bool) {
	last := strings.LastIndexByte(s, '}')
	for i := from; i < last; {
		if x.scanned > maxBraceScan {
			x.over = true
			return 0, 0, nil, false
		}
		if s[i] != '{' {
			i = skipBraceText(s, i)
			continue
		}
		if i > 0 && s[i-1] == '$' && (i < 2 || s[i-2] != '\\') {
			i++
			continue
		}
		commas, depth := []int(nil), 0
		j := i + 1
		for j < len(s) {
			x.scanned++
			switch s[j] {
			case '{':
				depth++
			case '}':
				if depth == 0 {
					if len(commas) > 0 || strings.Contains(s[i+1:j], "..") {
						return i, j, commas, true
					}
					// {} and {x}: go on behind the opening brace
					goto next
				}
				depth--
			case ',':
				if depth == 0 {
					commas = append(commas, j)
				}
			}
			j = skipBraceText(s, j)
		}
	next:
		i++
	}
	return 0, 0, nil, false
}

// skipBraceText steps over a character, or over something quoted or nested.
func skipBraceText(s string, i int) int {
	if s[i] == mark {
		_, end := markAt(s, i)
		return end
	}
	return skipQuoted(s, i, false, 0)
}

// sequence returns the words of {from..to..step}; nil if it is none.
func (x *braceExpander) sequence(s string) []string {
	f := strings.Split(s, "..")
	if len(f) != 2 && len(f) != 3 {
		return nil
	}
	step := int64(1)
	if len(f) == 3 {
		n, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil || n == -1<<63 {
			return nil
		}
		if step = n; step < 0 {
			step = -step
		}
		if step == 0 {
			step = 1
		}
	}
	if len(f[0]) == 1 && len(f[1]) == 1 && isLetter(f[0][0]) && isLetter(f[1][0]) {
		return x.count64(int64(f[0][0]), int64(f[1][0]), step, func(n int64) string {
			if n == '\\' { // a backslash before nothing
				return "''"
			}
			if n == '`' || n == '$' || n == '"' || n == '\'' { // stands for itself
				return "\\" + string(rune(n))
			}
			return string(rune(n))
		})
	}
	lo, err1 := strconv.ParseInt(f[0], 10, 64)
	hi, err2 := strconv.ParseInt(f[1], 10, 64)
	if err1 != nil || err2 != nil {
		return nil
	}
	width := 0
	if padded(f[0]) || padded(f[1]) {
		width = max(len(f[0]), len(f[1]))
	}
	return x.count64(lo, hi, step, func(n int64) string {
		t := strconv.FormatInt(n, 10)
		if len(t) < width {
			sign := ""
			if n < 0 {
				sign, t = "-", t[1:]
			}
			t = sign + strings.Repeat("0", width-len(t)-len(sign)) + t
		}
		return t
	})
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

func (x *braceExpander) count64(lo, hi, step int64, f func(int64) string) []string {
	dist := uint64(hi) - uint64(lo)
	if lo > hi {
		dist = uint64(lo) - uint64(hi)
	}
	n := dist / uint64(step)
	if n >= 1<<31-2 { // more than bash counts: no sequence
		return nil
	}
	if n >= uint64(x.limit) {
		x.found, x.over = true, true
		return nil
	}
	x.count(int(n)+1, 0)
	if x.over {
		x.found = true
		return nil
	}
	x.made -= int(n) + 1 // counted again as words
	out := make([]string, 0, n+1)
	for i := uint64(0); i <= n; i++ {
		d := int64(i) * step
		if lo > hi {
			d = -d
		}
		out = append(out, f(lo+d))
	}
	return out
}
