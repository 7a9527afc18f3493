package regex

import (
	"bytes"
	"unicode/utf8"
)

// repMax is RE_DUP_MAX of glibc.
const repMax = 32767

// dialect is how a syntax differs from the others.
type dialect struct {
	extended bool
	// lead is what a repetition sign with nothing before it is, in extended syntax.
	lead leadRule
	// strictDup refuses \{ at the start and a second repetition (basic syntax of POSIX).
	strictDup bool
	// looseBrace takes { literally where no interval follows.
	looseBrace bool
	// looseParen takes an unmatched ) literally.
	looseParen bool
	// classHint refuses [:space:] outside of brackets.
	classHint bool
	awk       bool
	backrefs  bool
}

type leadRule uint8

const (
	leadLiteral leadRule = iota
	leadSkip
	leadError
)

func (s Syntax) dialect() dialect {
	switch s {
	case GrepBasic:
		return dialect{backrefs: true, classHint: true}
	case GrepExtended:
		return dialect{extended: true, lead: leadSkip, looseBrace: true, looseParen: true, classHint: true, backrefs: true}
	case SedBasic:
		return dialect{strictDup: true, classHint: true, backrefs: true}
	case SedExtended:
		return dialect{extended: true, lead: leadError, classHint: true, backrefs: true}
	case Bash:
		return dialect{extended: true, lead: leadError, looseParen: true, backrefs: true}
	case Awk:
		return dialect{extended: true, lead: leadLiteral, looseBrace: true, looseParen: true, awk: true}
	}
	return dialect{}
}

// parser reads one pattern. The methods of the Perl syntax are in perl.go.
type parser struct {
	src     []byte
	pos     int
	o       Options
	d       dialect
	ncap    int // groups seen, those of the patterns before this one included
	base    int // groups of the patterns before this one
	closed  map[int]bool
	names   map[string]int
	depth   int
	tracked bool
	// literalBrace says that the { that comes next is itself.
	literalBrace bool
	warnings     []string
	what         string
	narrow       bool // read classes as their ASCII part
	narrowed     bool // and that left something out
	perl         perlFlags
	closing      int // where the next ] behind sought is: nextClose
	sought       int
	total        int // groups of a Perl pattern, counted ahead
	size         int // parts read, those of the patterns before this one included
}

func newParser(src []byte, o Options, ncap int) *parser {
	return &parser{src: src, o: o, d: o.Syntax.dialect(), ncap: ncap, base: ncap, closed: map[int]bool{}}
}

// parse gives the tree of the pattern, or a Code.
func (p *parser) parse() (*node, error) {
	switch p.o.Syntax {
	case Literal:
		var list []*node
		for p.pos < len(p.src) {
			if err := p.grow(); err != nil {
				return nil, err
			}
			list = append(list, p.char())
		}
		return concat(list), nil
	case Perl:
		return p.parsePerl()
	}
	if p.d.classHint && isClassSyntax(p.src) {
		return nil, ClassSyntax
	}
	n, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if n.depth > maxDepth {
		return nil, TooBig
	}
	return n, nil
}

// grow counts a part that is about to be read: a pattern of more than an NFA may have is not read to its end.
func (p *parser) grow() error {
	if p.size++; p.size > maxInsts {
		return TooBig
	}
	if p.size&(partsAtOnce-1) == 0 {
		p.o.charge(partsAtOnce * partCharge)
		p.o.need(p.size * partSize)
	}
	return nil
}

// Parts of a pattern are charged in bunches; what one takes, in steps and about in bytes.
const (
	partsAtOnce = 1 << 10
	partCharge  = 16
	partSize    = 160
)

// isClassSyntax sees a bracket expression [:name:] by itself, as dfa.c does: on
// its first character only inside the brackets.
func isClassSyntax(src []byte) bool {
	for i := 0; i+1 < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			end := bracketEnd(src, i)
			if end < 0 {
				return false
			}
			if in := src[i+1 : end]; len(in) > 2 && in[0] == ':' && in[len(in)-1] == ':' {
				return true
			}
			i = end
		}
	}
	return false
}

// bracketEnd gives the place of the ] that ends the list at i, or -1.
func bracketEnd(src []byte, i int) int {
	j := i + 1
	if j < len(src) && src[j] == '^' {
		j++
	}
	if j < len(src) && src[j] == ']' {
		j++
	}
	for ; j < len(src); j++ {
		if src[j] == ']' {
			return j
		}
		if src[j] == '[' && j+1 < len(src) && (src[j+1] == ':' || src[j+1] == '.' || src[j+1] == '=') {
			k := bytes.Index(src[j+2:], []byte{src[j+1], ']'})
			if k < 0 {
				return -1
			}
			j += k + 3
		}
	}
	return -1
}

// char reads one character of the pattern as itself.
func (p *parser) char() *node {
	r, n, ok := p.o.next(p.src[p.pos:])
	if !ok {
		p.pos++
		p.tracked = true // the automata would find it inside of characters too
		return &node{op: opByte, r: rune(p.src[p.pos-1])}
	}
	p.pos += n
	return p.rune(r)
}

func (p *parser) rune(r rune) *node { return p.o.character(r) }

// tok is a token of the POSIX syntaxes.
type tok uint8

const (
	tChar tok = iota
	tEnd
	tOpen
	tClose
	tAlt
	tStar
	tPlus
	tQuest
	tBrace
	tCaret
	tDollar
	tDot
	tBracket
	tBackref
	tEscape // a GNU operator: \w \< …
	tTrailing
)

// peek gives the next token and its length.
func (p *parser) peek() (tok, int) {
	rest := p.src[p.pos:]
	if len(rest) == 0 {
		return tEnd, 0
	}
	ext := p.d.extended
	switch c := rest[0]; c {
	case '\\':
		if len(rest) == 1 {
			return tTrailing, 1
		}
		return p.peekEscape(rest[1]), 2
	case '*':
		return tStar, 1
	case '.':
		return tDot, 1
	case '[':
		return tBracket, 1
	case '^':
		if ext || p.pos == 0 || p.caretHere() {
			return tCaret, 1
		}
	case '$':
		if ext || len(rest) == 1 {
			return tDollar, 1
		}
		if rest[1] == '\\' && len(rest) > 2 && (rest[2] == ')' || rest[2] == '|') {
			return tDollar, 1
		}
	case '(':
		if ext {
			return tOpen, 1
		}
	case ')':
		if ext && !(p.d.looseParen && p.depth == 0) {
			return tClose, 1
		}
	case '|':
		if ext {
			return tAlt, 1
		}
	case '+':
		if ext {
			return tPlus, 1
		}
	case '?':
		if ext {
			return tQuest, 1
		}
	case '{':
		if ext {
			return tBrace, 1
		}
	}
	return tChar, 0
}

func (p *parser) peekEscape(c byte) tok {
	if !p.d.extended {
		switch c {
		case '(':
			return tOpen
		case ')':
			return tClose
		case '|':
			return tAlt
		case '{':
			return tBrace
		case '+':
			return tPlus
		case '?':
			return tQuest
		}
	}
	switch c {
	case 'w', 'W', 's', 'S', 'B', '<', '>', '`', '\'':
		return tEscape
	case 'b', 'y':
		if (c == 'y') == p.d.awk {
			return tEscape
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if p.d.backrefs {
			return tBackref
		}
	}
	return tChar
}

// caretHere reports that ^ follows \( or \| in basic syntax.
func (p *parser) caretHere() bool {
	if p.pos < 2 || p.src[p.pos-2] != '\\' {
		return false
	}
	if c := p.src[p.pos-1]; c != '(' && c != '|' {
		return false
	}
	slashes := 0
	for i := p.pos - 2; i >= 0 && p.src[i] == '\\'; i-- {
		slashes++
	}
	return slashes%2 == 1
}

func (p *parser) alternation() (*node, error) {
	if p.depth > maxDepth/4 {
		return nil, TooBig
	}
	var alts []*node
	for {
		if err := p.grow(); err != nil {
			return nil, err
		}
		n, err := p.branch()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		t, l := p.peek()
		if t != tAlt {
			break
		}
		p.pos += l
	}
	return alternate(alts), nil
}

func (p *parser) branch() (*node, error) {
	var list []*node
	start := true // nothing yet that could be repeated
	for {
		t, l := p.peek()
		switch t {
		case tEnd, tAlt:
			return concat(list), nil
		case tClose:
			if p.depth > 0 {
				return concat(list), nil
			}
			p.pos += l
			return nil, BadCloseParen
		}
		if err := p.grow(); err != nil {
			return nil, err
		}
		n, anchor, err := p.atom(t, l, start)
		if err != nil {
			return nil, err
		}
		start = anchor
		if n == nil { // a repetition sign skipped
			start = true
			continue
		}
		if anchor && p.d.lead == leadSkip {
			// GNU grep repeats ^ and $, though it warns; it skips * after \<, and { is itself there.
			rep, _ := p.peek()
			switch {
			case t != tCaret && t != tDollar:
				p.literalBrace = rep == tBrace
			case rep == tStar || rep == tPlus || rep == tQuest:
				p.warn(string(p.src[p.pos]) + " at start of expression")
				anchor, start = false, false
			case rep == tBrace:
				p.warn("{...} at start of expression")
				anchor, start = false, false
			}
		}
		if !anchor {
			if n, err = p.repeats(n); err != nil {
				return nil, err
			}
		}
		list = append(list, n)
	}
}

// atom reads what a repetition can apply to; anchor says that none can.
func (p *parser) atom(t tok, l int, start bool) (n *node, anchor bool, err error) {
	switch t {
	case tTrailing:
		return nil, false, BadEscape
	case tStar, tPlus, tQuest, tBrace:
		return p.leading(t, l, start)
	}
	p.pos += l
	switch t {
	case tCaret:
		a := atBOT
		if p.o.Multiline || p.o.Records {
			a = atBOL
		}
		return &node{op: opAssert, assert: a}, true, nil
	case tDollar:
		a := atEOT
		if p.o.Multiline || p.o.Records {
			a = atEOL
		}
		// In basic syntax $ is an anchor only at an end, where * cannot follow.
		return &node{op: opAssert, assert: a}, true, nil
	case tDot:
		return &node{op: opSet, set: p.dot()}, false, nil
	case tBracket:
		n, err := p.bracket()
		return n, false, err
	case tOpen:
		n, err := p.group()
		return n, false, err
	case tBackref:
		i := p.base + int(p.src[p.pos-1]-'0')
		if !p.closed[i] {
			return nil, false, BadBackref
		}
		p.tracked = true
		return &node{op: opBackref, n: i, fold: p.o.Fold}, false, nil
	case tEscape:
		n := p.escape(p.src[p.pos-1])
		return n, n.op == opAssert, nil
	}
	if l == 2 { // a character after a backslash
		p.pos--
	}
	return p.char(), false, nil
}

// leading treats a repetition sign that has nothing before it.
func (p *parser) leading(t tok, l int, start bool) (*node, bool, error) {
	if !p.d.extended {
		if t == tBrace && p.d.strictDup {
			return nil, false, BadRepeat
		}
		p.pos += l
		return p.rune(rune(p.src[p.pos-1])), false, nil
	}
	switch p.d.lead {
	case leadError:
		p.pos += l
		return nil, false, BadRepeat
	case leadSkip:
		if p.literalBrace {
			p.literalBrace = false
			return p.char(), false, nil
		}
		at := p.pos
		p.pos += l
		if t == tBrace {
			if _, _, err := p.interval(); err == errNoInterval {
				p.pos = at
				return p.char(), false, nil
			} else if err != nil {
				return nil, false, err
			}
			p.warn("{...} at start of expression")
			return nil, false, nil
		}
		p.warn(string(p.src[at]) + " at start of expression")
		return nil, false, nil
	}
	return p.char(), false, nil
}

func (p *parser) warn(s string) {
	if len(p.warnings) < 16 {
		p.warnings = append(p.warnings, s)
	}
}

// repeats applies the repetition signs that follow n.
func (p *parser) repeats(n *node) (*node, error) {
	for count := 0; ; count++ {
		t, l := p.peek()
		lo, hi := 0, -1
		switch t {
		case tStar:
		case tPlus:
			lo = 1
		case tQuest:
			hi = 1
		case tBrace:
		default:
			return n, nil
		}
		at := p.pos
		p.pos += l
		if t == tBrace {
			var err error
			lo, hi, err = p.interval()
			if err == errNoInterval {
				p.pos = at
				return n, nil
			}
			if err != nil {
				return nil, err
			}
		}
		if count > 0 && p.d.strictDup && (t == tStar || t == tBrace) {
			return nil, BadRepeat
		}
		n = repeat(n, lo, hi)
		if n.depth > maxDepth {
			return nil, TooBig
		}
	}
}

// repeat makes n{lo,hi}, and keeps n** from growing.
func repeat(n *node, lo, hi int) *node {
	if n.op == opRepeat && !n.lazy && n.max < 0 && n.min <= 1 && hi != 0 {
		if lo == 0 && hi < 0 || lo == 1 && hi < 0 || lo == 0 && hi == 1 {
			lo = min(lo, n.min)
			return (&node{op: opRepeat, min: lo, max: -1}).over(n.subs[0])
		}
	}
	return (&node{op: opRepeat, min: lo, max: hi}).over(n)
}

// errNoInterval says that { was not the start of an interval and is itself.
const errNoInterval = Code(255)

// interval reads what follows {.
func (p *parser) interval() (lo, hi int, err error) {
	number := func() int {
		if p.pos >= len(p.src) || p.src[p.pos] < '0' || p.src[p.pos] > '9' {
			return -1
		}
		n := 0
		for ; p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9'; p.pos++ {
			n = min(n*10+int(p.src[p.pos]-'0'), repMax+1)
		}
		return n
	}
	bad := func() (int, int, error) {
		switch {
		case p.d.looseBrace:
			return 0, 0, errNoInterval
		case p.d.extended && p.pos < len(p.src):
			return 0, 0, BadRepeat
		case !bytes.Contains(p.src[p.pos:], []byte("\\}")):
			return 0, 0, BadBrace
		}
		return 0, 0, BadInterval
	}
	lo = number()
	hi = lo
	if p.pos < len(p.src) && p.src[p.pos] == ',' {
		p.pos++
		hi = number()
		lo = max(lo, 0)
	} else if lo < 0 {
		return bad()
	}
	closer := "}"
	if !p.d.extended {
		closer = "\\}"
	}
	if !bytes.HasPrefix(p.src[p.pos:], []byte(closer)) {
		return bad()
	}
	p.pos += len(closer)
	if hi >= 0 && lo > hi {
		return 0, 0, BadInterval
	}
	if lo > repMax || hi > repMax {
		return 0, 0, TooBig
	}
	return lo, hi, nil
}

func (p *parser) group() (*node, error) {
	p.ncap++
	n := p.ncap
	p.depth++
	sub, err := p.alternation()
	p.depth--
	if err != nil {
		return nil, err
	}
	t, l := p.peekClose()
	if t != tClose {
		return nil, BadParen
	}
	p.pos += l
	p.closed[n] = true
	return (&node{op: opGroup, n: n}).over(sub), nil
}

// peekClose is peek inside of a group.
func (p *parser) peekClose() (tok, int) {
	p.depth++
	defer func() { p.depth-- }()
	return p.peek()
}

// dot is what . matches: any character, without those that end a line where lines count.
func (p *parser) dot() set { return p.lineless(set{{0, utf8.MaxRune}}) }

// lineless takes out of a list what no match may hold.
func (p *parser) lineless(s set) set {
	if p.o.Records {
		s = s.without(rune(p.o.EOL))
	}
	if p.o.Multiline {
		s = s.without('\n')
	}
	return s
}

func (p *parser) records(s set) set {
	if p.o.Records {
		return s.without(rune(p.o.EOL))
	}
	return s
}

// class gives a POSIX class by name.
func (p *parser) class(name string) (set, bool) {
	if p.o.Bytes {
		return class(name, true)
	}
	if p.narrow && name != "digit" && name != "xdigit" {
		p.narrowed = true
	}
	return class(name, p.narrow)
}

// escape gives the node of a GNU operator.
func (p *parser) escape(c byte) *node {
	word := func() set {
		s, _ := p.class("alnum")
		return union(s, runeSet('_'))
	}
	space := func() set { s, _ := p.class("space"); return s }
	a := atBOT
	switch c {
	case 'w':
		return &node{op: opSet, set: word()}
	case 'W':
		return &node{op: opSet, set: p.records(word().negate())}
	case 's':
		return &node{op: opSet, set: p.records(space())}
	case 'S':
		return &node{op: opSet, set: p.records(space().negate())}
	case 'b', 'y':
		a = atWordEdge
	case 'B':
		a = atNoWordEdge
	case '<':
		a = atWordStart
	case '>':
		a = atWordEnd
	case '`':
		if p.o.Records {
			a = atBOL
		}
	case '\'':
		a = atEOT
		if p.o.Records {
			a = atEOL
		}
	}
	return &node{op: opAssert, assert: a}
}
