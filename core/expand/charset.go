package expand

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// charSet is a bracket expression.
type charSet struct {
	neg     bool
	fold    bool
	byte    bool
	ranges  []rune // pairs
	classes []func(rune) bool
}

// invalid is the rune a byte outside UTF-8 is compared as.
func invalid(b byte) rune { return lone + rune(b) }

// lone is what the runes of such bytes begin at.
const lone = 0x200000

func decode(s string, bytes bool) (rune, int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	if bytes {
		return invalid(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return invalid(s[0]), 1
	}
	return r, n
}

// nameMarks begin a name in a bracket expression: [: [= [. .
const nameMarks = ":=."

// brackets reads the bracket expressions of one pattern. What it finds not to end is not read again from
// another place, so that a pattern of many unclosed brackets is read in a time that is linear in its length.
type brackets struct {
	s          string
	fold, byte bool
	last       int    // of ], once looked
	looked     bool   // for the last ]
	unclosed   []bool // by position: a bracket expression that goes on there has no end
	names      [len(nameMarks)]struct{ from, end int }
}

// at reads the bracket expression at i; nil if it is none.
func (b *brackets) at(i int) (*charSet, int) {
	if !b.looked {
		b.last, b.looked = strings.LastIndexByte(b.s, ']'), true
	}
	if i >= b.last {
		return nil, 0
	}
	set := &charSet{fold: b.fold, byte: b.byte}
	if end := b.read(set, i, false); end > 0 {
		return set, end
	}
	if b.unclosed == nil {
		b.unclosed = make([]bool, len(b.s))
	}
	b.read(set, i, true)
	return nil, 0
}

// read reads a bracket expression into set and gives its end, 0 if it has none; mark notes where it went on.
func (b *brackets) read(set *charSet, i int, mark bool) (end int) {
	s := b.s
	i++
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		set.neg = true
		i++
	}
	for first := true; i < len(s); first = false {
		if !first && b.unclosed != nil {
			if b.unclosed[i] {
				return 0
			}
			b.unclosed[i] = mark
		}
		if s[i] == ']' && !first {
			return i + 1
		}
		if s[i] == '[' && i+1 < len(s) && strings.IndexByte(nameMarks, s[i+1]) >= 0 {
			if n := b.find(i+2, s[i+1]); n >= 0 {
				name := s[i+2 : i+2+n]
				if s[i+1] == ':' {
					i += n + 4
					f := classFunc(name)
					if f != nil {
						set.classes = append(set.classes, f)
					}
					continue
				}
				if utf8.RuneCountInString(name) == 1 {
					r, _ := decode(name, set.byte)
					i += n + 4
					i = b.addRange(set, i, r)
					continue
				}
				i += n + 4
				continue
			}
			if s[i+1] == ':' { // no class: the bracket counts for nothing
				i++
			}
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		r, n := decode(s[i:], set.byte)
		i = b.addRange(set, i+n, r)
	}
	return 0
}

// find is how far from i the end of [: [. or [= is, -1 if there is none.
func (b *brackets) find(i int, c byte) int {
	k := &b.names[strings.IndexByte(nameMarks, c)]
	if i < k.from || i > k.end { // not what was found before
		k.from, k.end = i, len(b.s)
		if n := strings.Index(b.s[i:], string([]byte{c, ']'})); n >= 0 {
			k.end = i + n
		}
	}
	if k.end == len(b.s) {
		return -1
	}
	return k.end - i
}

// addRange adds lo, or the range that goes on at i.
func (b *brackets) addRange(c *charSet, i int, lo rune) int {
	s, hi := b.s, lo
	if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
		j := i + 1
		if s[j] == '[' && j+1 < len(s) && s[j+1] == '.' {
			if n := b.find(j+2, '.'); n > 0 {
				hi, _ = decode(s[j+2:], c.byte)
				c.ranges = append(c.ranges, lo, hi)
				return j + n + 4
			}
		}
		if s[j] == '\\' && j+1 < len(s) {
			j++
		}
		var n int
		hi, n = decode(s[j:], c.byte)
		i = j + n
	}
	c.ranges = append(c.ranges, lo, hi)
	return i
}

func classFunc(name string) func(rune) bool {
	wide := func(ascii func(rune) bool, other func(rune) bool) func(rune) bool {
		return func(r rune) bool {
			if r < utf8.RuneSelf {
				return ascii(r)
			}
			return r <= utf8.MaxRune && other != nil && other(r)
		}
	}
	between := func(lo, hi rune) func(rune) bool { return func(r rune) bool { return r >= lo && r <= hi } }
	upper, lower, digit := between('A', 'Z'), between('a', 'z'), between('0', '9')
	alpha := func(r rune) bool { return upper(r) || lower(r) }
	graph := between('!', '~')
	switch name {
	case "alpha":
		return wide(alpha, unicode.IsLetter)
	case "digit":
		return digit
	case "alnum":
		return wide(func(r rune) bool { return alpha(r) || digit(r) }, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	case "upper":
		return wide(upper, unicode.IsUpper)
	case "lower":
		return wide(lower, unicode.IsLower)
	case "space":
		return wide(func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }, unicode.IsSpace)
	case "blank":
		return wide(func(r rune) bool { return r == ' ' || r == '\t' }, nil)
	case "punct":
		return wide(func(r rune) bool { return graph(r) && !alpha(r) && !digit(r) },
			func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
	case "cntrl":
		return wide(func(r rune) bool { return r < ' ' || r == 0x7f }, unicode.IsControl)
	case "graph":
		return wide(graph, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
	case "print":
		return wide(between(' ', '~'), unicode.IsPrint)
	case "xdigit":
		return func(r rune) bool { return digit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' }
	case "word":
		return wide(func(r rune) bool { return alpha(r) || digit(r) || r == '_' }, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	case "ascii":
		return between(0, 0x7f)
	}
	return nil
}

func (c *charSet) has(r rune) bool {
	if c.in(r) || c.fold && r <= utf8.MaxRune && (c.in(unicode.ToLower(r)) || c.in(unicode.ToUpper(r))) {
		return !c.neg
	}
	return c.neg
}

func (c *charSet) in(r rune) bool {
	for i := 0; i < len(c.ranges); i += 2 {
		if r >= c.ranges[i] && r <= c.ranges[i+1] {
			return true
		}
	}
	for _, f := range c.classes {
		if f(r) {
			return true
		}
	}
	return false
}
