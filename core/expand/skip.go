package expand

import "strings"

// skipper finds where quoted texts and expansions end in a text, without
// reading what is in them. Whatever is not closed, or nests too deeply, goes to
// the end of the text, and so does all that it stands in: nothing is looked at
// again from further on, and the whole takes time in proportion to the text.
type skipper struct {
	s     string
	depth int
	met   map[int]parens // each $((, which is looked at as arithmetic first and then as commands
	work  int            // characters looked at and not yet charged for
	meter Account        // may be nil

	sought int // characters looked at for the end of subscripts, those within substitutions included

	closed map[int]int // by the position behind a [, where its ] is; the length of the text is nowhere
}

// parens is what a $(( is found to be.
type parens struct {
	end   int  // the position after it
	arith bool // it is closed by )), or by nothing
}

// skipWork is how many characters are looked at between two charges.
const skipWork = 1 << 12

// look counts characters that are looked at.
func (k *skipper) look(n int) {
	if k.work += n; k.work >= skipWork {
		if k.meter != nil {
			k.meter.Charge(k.work >> 4)
		}
		k.work = 0
	}
}

// enter goes one level deeper. It reports whether that is allowed; leave goes back.
func (k *skipper) enter() bool {
	k.depth++
	return k.depth <= maxDepth
}

func (k *skipper) leave() { k.depth-- }

// quoted returns the position after the quoted or nested text that begins
// at i, or i+1. It never goes past the end.
func (k *skipper) quoted(i int, dquote bool) int {
	s := k.s
	end := i + 1
	switch c := s[i]; {
	case c == '\\':
		end = min(i+2, len(s))
	case c == '\'' && !dquote:
		if n := strings.IndexByte(s[i+1:], '\''); n >= 0 {
			end = i + n + 2
		}
	case c == '"':
		return k.double(i + 1)
	case c == '$' && i+1 < len(s) && s[i+1] == '{':
		end, _ = k.brace(i+2, dquote)
		return end
	case c == '$' && i+1 < len(s) && s[i+1] == '(':
		if k.s[i+1:min(i+3, len(s))] == "((" {
			return k.parens(i).end
		}
		end, _ = k.command(i+2, ')')
		return end
	case c == '`':
		end, _ = k.command(i+1, '`')
		return end
	case c == '$' && !dquote && i+1 < len(s) && s[i+1] == '\'':
		_, n := ansiC(s[i+2:])
		end = i + 2 + n
	}
	k.look(end - i)
	return end
}

// double returns the position after the closing double quote.
func (k *skipper) double(i int) int {
	defer k.leave()
	if !k.enter() {
		return len(k.s)
	}
	for i < len(k.s) {
		if k.s[i] == '"' {
			return i + 1
		}
		i = k.quoted(i, true)
	}
	return len(k.s)
}

// parens tells what the $(( at i begins.
func (k *skipper) parens(i int) parens {
	if p, ok := k.met[i]; ok {
		return p
	}
	end, ok := k.arith(i + 3)
	p := parens{end + 2, true}
	if !ok {
		p.arith = end == len(k.s)
		p.end, _ = k.command(i+2, ')')
	}
	if k.met == nil {
		k.met = map[int]parens{}
	}
	k.met[i] = p
	return p
}

// brace returns the position after the } that closes a ${ whose content
// begins at i.
func (k *skipper) brace(i int, dquote bool) (int, bool) {
	defer k.leave()
	if !k.enter() {
		return len(k.s), false
	}
	for i < len(k.s) {
		if k.s[i] == '}' {
			return i + 1, true
		}
		i = k.quoted(i, dquote)
	}
	return i, false
}

// arith returns the position of the )) that closes a $(( whose expression
// begins at i. It is not the end of the text if it is a single ).
func (k *skipper) arith(i int) (int, bool) {
	defer k.leave()
	if !k.enter() {
		return len(k.s), false
	}
	for n := 0; i < len(k.s); {
		switch k.s[i] {
		case '(':
			n++
		case ')':
			if n == 0 {
				return i, i+1 < len(k.s) && k.s[i+1] == ')'
			}
			n--
		case '\'':
			i++
			continue
		}
		i = k.quoted(i, false)
	}
	return i, false
}

// to returns the position of the ] for text that begins at i inside of [ ]. What it finds out about the brackets
// on its way is kept: of many that are open, none is looked for twice.
func (k *skipper) to(i int) (int, bool) {
	if end, ok := k.closed[i]; ok {
		return end, end < len(k.s)
	}
	open := append(make([]int, 0, 8), i)
	for i < len(k.s) {
		switch k.s[i] {
		case '[':
			open = append(open, i+1)
		case ']':
			last := len(open) - 1
			if last == 0 {
				return i, true
			}
			k.closes(open[last], i)
			open = open[:last]
		}
		i = k.quoted(i, false)
	}
	for _, from := range open {
		k.closes(from, len(k.s))
	}
	return i, false
}

func (k *skipper) closes(from, end int) {
	if k.closed == nil {
		k.closed = map[int]int{}
	}
	k.closed[from] = end
}

// command returns the position after the character that closes a command
// substitution whose commands begin at i.
func (k *skipper) command(i int, closing byte) (int, bool) {
	if closing == '`' {
		from := i
		for ; i < len(k.s); i++ {
			switch k.s[i] {
			case '\\':
				i++
			case '`':
				k.look(i - from)
				return i + 1, true
			}
		}
		return len(k.s), false
	}
	m := masker{skipper: k, dry: true, i: i}
	m.commands(closing)
	return m.i, m.closed
}

// SkipQuoted returns the position after the character at i, or after the quoted
// text or expansion that it begins; m, which may be nil, is charged for what is looked at.
func SkipQuoted(s string, i int, m Account) int {
	k := skipper{s: s, meter: m}
	return k.quoted(i, false)
}
