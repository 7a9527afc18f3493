package regex

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// perlFlags are the settings that (?imsx) changes.
type perlFlags struct{ fold, multi, dotAll, extended bool }

// perlMax is the largest number in a quantifier of PCRE2.
const perlMax = 65535

func (p *parser) parsePerl() (*node, error) {
	p.perl = perlFlags{fold: p.o.Fold, multi: true}
	p.names = map[string]int{}
	p.tracked = true
	p.total = p.base + p.countGroups()
	n, err := p.perlAlt()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.src) {
		return nil, p.fail("unmatched closing parenthesis")
	}
	if n.depth > maxDepth {
		return nil, TooBig
	}
	return n, nil
}

// countGroups counts the groups ahead, for \1 before its group, and gathers their names.
func (p *parser) countGroups() int {
	n, lastClose := 0, bytes.LastIndexByte(p.src, ']')
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			if bytes.HasPrefix(p.src[i:], []byte(`\Q`)) {
				j := bytes.Index(p.src[i:], []byte(`\E`))
				if j < 0 {
					return n
				}
				i += j
			}
			i++
		case '[':
			if i > lastClose { // nor are those after it closed
				continue
			}
			if end := bracketEnd(p.src, i); end > 0 {
				i = end
			} else {
				lastClose = i // what is behind it is not closed either, or an error in any case
			}
		case '(':
			rest := p.src[i+1:]
			if len(rest) > 0 && (rest[0] == '*' || rest[0] == '?' && !namedGroup(rest)) {
				continue
			}
			n++
			if rest = p.src[i+1:]; namedGroup(rest) {
				rest = bytes.TrimLeft(rest[1:], "P<'")
				if j := bytes.IndexAny(rest, ">'"); j > 0 {
					if _, dup := p.names[string(rest[:j])]; !dup {
						p.names[string(rest[:j])] = p.base + n
					}
				}
			}
		}
	}
	return n
}

// namedGroup sees what follows the ( of a group with a name.
func namedGroup(s []byte) bool {
	if bytes.HasPrefix(s, []byte("?P<")) || bytes.HasPrefix(s, []byte("?'")) {
		return true
	}
	return bytes.HasPrefix(s, []byte("?<")) && len(s) > 2 && s[2] != '=' && s[2] != '!'
}

func (p *parser) fail(what string) error {
	p.what = what
	return BadPerl
}

func (p *parser) missing(what string) error {
	p.what = what
	return Unsupported
}

// look reports whether the pattern goes on with s, and steps over it.
func (p *parser) take(s string) bool {
	if bytes.HasPrefix(p.src[p.pos:], []byte(s)) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) perlAlt() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail("parentheses are too deeply nested")
	}
	defer func() { p.depth-- }()
	saved := p.perl
	defer func() { p.perl = saved }()
	var alts []*node
	for {
		if err := p.grow(); err != nil {
			return nil, err
		}
		n, err := p.perlBranch()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		if !p.take("|") {
			return alternate(alts), nil
		}
	}
}

func (p *parser) perlBranch() (*node, error) {
	var list []*node
	for p.pos < len(p.src) {
		if err := p.grow(); err != nil {
			return nil, err
		}
		c := p.src[p.pos]
		switch {
		case c == '|' || c == ')':
			return concat(list), nil
		case p.perl.extended && (c == ' ' || c >= '\t' && c <= '\r'):
			p.pos++
			continue
		case p.perl.extended && c == '#':
			if i := bytes.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
				p.pos += i + 1
			} else {
				p.pos = len(p.src)
			}
			continue
		case p.take(`\Q`):
			for p.pos < len(p.src) && !p.take(`\E`) {
				list = append(list, p.perlChar())
			}
			if n := len(list); n > 0 && bytes.HasSuffix(p.src[:p.pos], []byte(`\E`)) {
				q, err := p.quantify(list[n-1])
				if err != nil {
					return nil, err
				}
				list[n-1] = q
			}
			continue
		case p.take(`\E`), p.comment():
			continue
		}
		n, fixed, err := p.perlAtom()
		if err != nil {
			return nil, err
		}
		if n == nil { // (?i)
			continue
		}
		if !fixed {
			if n, err = p.quantify(n); err != nil {
				return nil, err
			}
		}
		list = append(list, n)
	}
	return concat(list), nil
}

// comment steps over (?#…).
func (p *parser) comment() bool {
	if !bytes.HasPrefix(p.src[p.pos:], []byte("(?#")) {
		return false
	}
	i := bytes.IndexByte(p.src[p.pos:], ')')
	if i < 0 {
		return false
	}
	p.pos += i + 1
	return true
}

func (p *parser) perlChar() *node {
	p.o.Fold = p.perl.fold
	return p.char()
}

func (p *parser) perlRune(r rune) *node {
	p.o.Fold = p.perl.fold
	return p.rune(r)
}

func (p *parser) perlSet(s set) *node {
	if p.perl.fold {
		s = p.o.cases(s)
	}
	return &node{op: opSet, set: p.records(s)}
}

// perlAtom reads what a quantifier can follow; fixed says that none can.
func (p *parser) perlAtom() (n *node, fixed bool, err error) {
	c := p.src[p.pos]
	switch c {
	case '*', '+', '?':
		return nil, false, p.fail("quantifier does not follow a repeatable item")
	case '{':
		if _, _, ok, _ := p.braces(); ok {
			return nil, false, p.fail("quantifier does not follow a repeatable item")
		}
	case '(':
		p.pos++
		return p.perlGroup()
	case '[':
		p.pos++
		n, err = p.perlBracket()
		return n, false, err
	case '\\':
		p.pos++
		fixed = p.pos < len(p.src) && bytes.IndexByte([]byte("AbBGKzZ"), p.src[p.pos]) >= 0 // takes no character
		n, err = p.perlEscape()
		return n, fixed, err
	case '.':
		p.pos++
		s := set{{0, utf8.MaxRune}}
		if !p.perl.dotAll {
			s = s.without('\n')
		}
		return &node{op: opSet, set: p.records(s)}, false, nil
	case '^':
		p.pos++
		return &node{op: opAssert, assert: p.edge(atBOT, atBOL, p.perl.multi)}, true, nil
	case '$':
		p.pos++
		return p.finish(p.perl.multi), true, nil
	}
	return p.perlChar(), false, nil
}

// finish is the end of the text, or of a line if multi, or what is before the newline that ends the text.
func (p *parser) finish(multi bool) *node {
	if multi || p.o.Records {
		return &node{op: opAssert, assert: atEOL}
	}
	end := &node{op: opAssert, assert: atEOT}
	last := concat([]*node{{op: opRune, r: '\n'}, end})
	return alternate([]*node{end, (&node{op: opLook}).over(last)})
}

func (p *parser) edge(text, line assert, multi bool) assert {
	if multi || p.o.Records {
		return line
	}
	return text
}

// braces reads {n}, {n,} or {n,m} if it is there, and steps over it.
func (p *parser) braces() (lo, hi int, ok bool, err error) {
	i := p.pos + 1
	number := func() (int, bool) {
		n, at := 0, i
		for ; i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9'; i++ {
			n = min(n*10+int(p.src[i]-'0'), perlMax+1)
		}
		return n, i > at
	}
	if lo, ok = number(); !ok {
		return 0, 0, false, nil
	}
	hi = lo
	if i < len(p.src) && p.src[i] == ',' {
		i++
		if hi, ok = number(); !ok {
			hi = -1
		}
	}
	if i >= len(p.src) || p.src[i] != '}' {
		return 0, 0, false, nil
	}
	p.pos = i + 1
	switch {
	case lo > perlMax || hi > perlMax:
		err = p.fail("number too big in {} quantifier")
	case hi >= 0 && hi < lo:
		err = p.fail("numbers out of order in {} quantifier")
	}
	return lo, hi, true, err
}

func (p *parser) quantify(n *node) (*node, error) {
	for p.comment() {
	}
	if p.pos >= len(p.src) {
		return n, nil
	}
	lo, hi := 0, -1
	switch p.src[p.pos] {
	case '*':
		p.pos++
	case '+':
		lo = 1
		p.pos++
	case '?':
		hi = 1
		p.pos++
	case '{':
		var ok bool
		var err error
		if lo, hi, ok, err = p.braces(); !ok || err != nil {
			return n, err
		}
	default:
		return n, nil
	}
	r := (&node{op: opRepeat, min: lo, max: hi}).over(n)
	switch {
	case p.take("?"):
		r.lazy = true
	case p.take("+"):
		r = (&node{op: opAtomic}).over(r)
	}
	return r, nil
}

func (p *parser) perlGroup() (*node, bool, error) {
	switch {
	case p.take("*"):
		end := bytes.IndexByte(p.src[p.pos:], ')')
		if end < 0 || !verb(string(p.src[p.pos:p.pos+end])) {
			return nil, false, p.fail("(*VERB) not recognized or malformed")
		}
		return nil, false, p.missing("(*" + string(p.src[p.pos:p.pos+end]) + ")")
	case namedGroup(p.src[p.pos:]):
		p.pos++
		p.take("P")
		closer := byte('>')
		if p.src[p.pos] == '\'' {
			closer = '\''
		}
		p.pos++
		name, err := p.groupName(closer)
		if err != nil {
			return nil, false, err
		}
		if p.names[name] != p.ncap+1 {
			return nil, false, p.fail("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
		}
	case p.take("?"):
		return p.perlSpecial()
	}
	p.ncap++
	n := &node{op: opGroup, n: p.ncap}
	return p.closeGroup(n)
}

func verb(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	switch s {
	case "ACCEPT", "FAIL", "F", "COMMIT", "PRUNE", "SKIP", "THEN", "MARK", "UTF", "UCP", "LF", "CR", "CRLF", "ANY", "ANYCRLF",
		"BSR_ANYCRLF", "BSR_UNICODE", "NO_JIT", "NO_START_OPT", "NOTEMPTY", "pla", "plb", "nla", "nlb", "atomic", "sr", "asr", "":
		return true
	}
	return false
}

func (p *parser) groupName(closer byte) (string, error) {
	start := p.pos
	for p.pos < len(p.src) && isWord(rune(p.src[p.pos])) && p.src[p.pos] < utf8.RuneSelf {
		p.pos++
	}
	if p.pos >= len(p.src) || p.src[p.pos] != closer {
		return "", p.fail("syntax error in subpattern name (missing terminator?)")
	}
	name := string(p.src[start:p.pos])
	p.pos++
	if name == "" {
		return "", p.fail("subpattern name expected")
	}
	return name, nil
}

// closeGroup reads what a group holds and its ).
func (p *parser) closeGroup(n *node) (*node, bool, error) {
	sub, err := p.perlAlt()
	if err != nil {
		return nil, false, err
	}
	if !p.take(")") {
		return nil, false, p.fail("missing closing parenthesis")
	}
	if n == nil {
		return sub, false, nil
	}
	n.over(sub)
	if n.op == opLook && n.behind && alternativeWidths(sub) == nil {
		return nil, false, p.fail("lookbehind assertion is not fixed length")
	}
	return n, false, nil
}

// perlSpecial reads what follows (?.
func (p *parser) perlSpecial() (*node, bool, error) {
	switch {
	case p.take(":"):
		return p.closeGroup(nil)
	case p.take("="):
		return p.closeGroup(&node{op: opLook})
	case p.take("!"):
		return p.closeGroup(&node{op: opLook, neg: true})
	case p.take("<="):
		return p.closeGroup(&node{op: opLook, behind: true})
	case p.take("<!"):
		return p.closeGroup(&node{op: opLook, behind: true, neg: true})
	case p.take(">"):
		return p.closeGroup(&node{op: opAtomic})
	case p.take("P="):
		name, err := p.groupName(')')
		if err != nil {
			return nil, false, err
		}
		n, err := p.refName(name)
		return n, false, err
	}
	for _, known := range []string{"R", "&", "P>", "|", "(", "C", "<", "+", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		if bytes.HasPrefix(p.src[p.pos:], []byte(known)) {
			return nil, false, p.missing("(?" + known)
		}
	}
	on := true
	f := p.perl
	for ; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; c {
		case '-':
			on = false
		case '^':
			f = perlFlags{multi: f.multi}
		case 'i':
			f.fold = on
		case 'm':
			f.multi = on
		case 's':
			f.dotAll = on
		case 'x':
			f.extended = on
		case 'n', 'J', 'U':
			return nil, false, p.missing("(?" + string(c) + ")")
		case ')':
			p.pos++
			p.perl = f // until the end of the enclosing group, whose perlAlt restores it
			return nil, false, nil
		case ':':
			p.pos++
			saved := p.perl
			p.perl = f
			n, fixed, err := p.closeGroup(nil)
			p.perl = saved
			return n, fixed, err
		default:
			return nil, false, p.fail("unrecognized character after (? or (?-")
		}
	}
	return nil, false, p.fail("missing closing parenthesis")
}

func (p *parser) refName(name string) (*node, error) {
	n, ok := p.names[name]
	if !ok {
		return nil, p.fail("reference to non-existent subpattern")
	}
	return &node{op: opBackref, n: n, fold: p.perl.fold}, nil
}

func (p *parser) ref(n int) (*node, error) {
	if n <= 0 || p.base+n > p.total {
		return nil, p.fail("reference to non-existent subpattern")
	}
	return &node{op: opBackref, n: p.base + n, fold: p.perl.fold}, nil
}

func perlClass(c byte) (set, bool) {
	switch c {
	case 'd':
		return set{{'0', '9'}}, true
	case 'w':
		return asciiWord(), true
	case 's':
		return set{{'\t', '\r'}, {' ', ' '}}, true
	case 'h':
		return union(set{{'\t', '\t'}, {0x180e, 0x180e}}, table(unicode.Zs)), true
	case 'v':
		return set{{'\n', '\r'}, {0x85, 0x85}, {0x2028, 0x2029}}, true
	case 'N':
		return set{{'\n', '\n'}}.negate(), true
	case 'D', 'W', 'S', 'H', 'V':
		s, _ := perlClass(c + 'a' - 'A')
		return s.negate(), true
	}
	return nil, false
}

// perlEscape reads an atom after its backslash.
func (p *parser) perlEscape() (*node, error) {
	if p.pos >= len(p.src) {
		return nil, p.fail(`\ at end of pattern`)
	}
	c := p.src[p.pos]
	if s, ok := perlClass(c); ok && !bytes.HasPrefix(p.src[p.pos:], []byte("N{")) {
		p.pos++
		return &node{op: opSet, set: p.records(s)}, nil
	}
	a := assert(0)
	switch c {
	case 'b':
		a = atWordEdge
	case 'B':
		a = atNoWordEdge
	case 'A':
		a = p.edge(atBOT, atBOL, false)
	case 'z':
		a = p.edge(atEOT, atEOL, false)
	case 'Z':
		p.pos++
		return p.finish(false), nil
	case 'K':
		p.pos++
		return &node{op: opKeep}, nil
	case 'R':
		p.pos++
		v, _ := perlClass('v')
		crlf := concat([]*node{{op: opRune, r: '\r'}, {op: opRune, r: '\n'}})
		return (&node{op: opAtomic}).over(alternate([]*node{crlf, {op: opSet, set: p.records(v)}})), nil
	case 'G', 'X', 'C':
		return nil, p.missing(`\` + string(c))
	case 'p', 'P':
		s, err := p.property()
		if err != nil {
			return nil, err
		}
		return p.perlSet(s), nil
	case 'k':
		p.pos++
		for _, q := range []string{"<>", "''", "{}"} {
			if p.take(q[:1]) {
				name, err := p.groupName(q[1])
				if err != nil {
					return nil, err
				}
				return p.refName(name)
			}
		}
		return nil, p.fail(`\k is not followed by a braced, angle-bracketed, or quoted name`)
	case 'g':
		return p.refG()
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n, i := 0, p.pos
		for ; i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9'; i++ {
			n = min(n*10+int(p.src[i]-'0'), perlMax)
		}
		if n < 10 || p.base+n <= p.total {
			p.pos = i
			return p.ref(n)
		}
	}
	if strings.IndexByte("bBAzZ", c) >= 0 {
		p.pos++
		return &node{op: opAssert, assert: a}, nil
	}
	r, err := p.perlCharEscape()
	if err != nil {
		return nil, err
	}
	if r < 0 {
		return p.perlChar(), nil
	}
	return p.perlRune(r), nil
}

// refG reads \g1, \g{1}, \g{-1} and \g{name}.
func (p *parser) refG() (*node, error) {
	p.pos++
	text := ""
	if p.take("{") {
		end := bytes.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return nil, p.fail(`a numbered reference must not be zero`)
		}
		text = string(p.src[p.pos : p.pos+end])
		p.pos += end + 1
	} else if p.pos < len(p.src) && (p.src[p.pos] == '<' || p.src[p.pos] == '\'') {
		return nil, p.missing(`\g<`)
	} else {
		at := p.pos
		p.take("-")
		for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
			p.pos++
		}
		text = string(p.src[at:p.pos])
	}
	digits := strings.TrimPrefix(text, "-")
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return p.refName(text)
		}
		n = min(n*10+int(c-'0'), perlMax)
	}
	if digits != text {
		n = p.ncap - p.base + 1 - n
	}
	return p.ref(n)
}

// perlCharEscape reads an escape that is one character; -1 means the next
// character is itself.
func (p *parser) perlCharEscape() (rune, error) {
	c := p.src[p.pos]
	p.pos++
	switch c {
	case 'a':
		return 7, nil
	case 'e':
		return 27, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'c':
		if p.pos >= len(p.src) {
			return 0, p.fail(`\c at end of pattern`)
		}
		c = p.src[p.pos]
		p.pos++
		if c >= 'a' && c <= 'z' {
			c -= 32
		}
		return rune(c ^ 64), nil
	case 'x':
		if p.take("{") {
			return p.braced(16, "non-hex character in \\x{} (closing brace missing?)")
		}
		return p.digits(16, 2), nil
	case 'o':
		if !p.take("{") {
			return 0, p.fail(`missing opening brace after \o`)
		}
		return p.braced(8, "non-octal character in \\o{} (closing brace missing?)")
	case 'N':
		if p.take("{U+") {
			return p.braced(16, "non-hex character in \\x{} (closing brace missing?)")
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		p.pos--
		return p.digits(8, 3), nil
	}
	if isWord(rune(c)) && c < utf8.RuneSelf && c != '_' {
		return 0, p.fail(`unrecognized character follows \`)
	}
	p.pos--
	return -1, nil
}

func digitOf(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}

func (p *parser) digits(base, most int) rune {
	n := 0
	for i := 0; i < most && p.pos < len(p.src) && digitOf(p.src[p.pos]) < base; i++ {
		n = n*base + digitOf(p.src[p.pos])
		p.pos++
	}
	return rune(n)
}

func (p *parser) braced(base int, bad string) (rune, error) {
	n := 0
	for ; p.pos < len(p.src) && p.src[p.pos] != '}'; p.pos++ {
		d := digitOf(p.src[p.pos])
		if d >= base {
			return 0, p.fail(bad)
		}
		if n = n*base + d; n > utf8.MaxRune {
			return 0, p.fail(`character code point value in \x{} or \o{} is too large`)
		}
	}
	if p.pos >= len(p.src) {
		return 0, p.fail(bad)
	}
	p.pos++
	return rune(n), nil
}
