package expand

import (
	"strings"
)

// prog is a parsed arithmetic expression.
type prog struct {
	text string // the expression; it may contain marks for operands expanded before
	root *node  // nil if the text is blank
	bad  bool   // there is a syntax error somewhere
}

type nodeOp uint8

const (
	nNum nodeOp = iota
	nLeaf
	nVar
	nNeg
	nPlus
	nNot
	nBitNot
	nChain // first, then operators of one precedence from left to right
	nAnd
	nOr
	nComma
	nPow
	nCond
	nAssign
	nPreInc
	nPreDec
	nPostInc
	nPostDec
	nErr
)

// node is a piece of an expression.
type node struct {
	op   nodeOp
	tok  byte // the operator of nAssign: '=' or that of an op=
	pos  int  // where in the text, for messages
	n    int64
	name string // variable; message of nErr
	cut  int    // nErr: the text of the message ends here
	sub  *Sub
	a, b *node
	c    *node
	rest []link
}

type link struct {
	tok byte
	pos int // after the operator
	n   *node
}

// Tokens longer than one character, and operands.
const (
	tEnd  byte = 0
	tNum  byte = 1
	tStr  byte = 2
	tLeaf byte = 3
	tEq   byte = 0x80 + iota
	tNe
	tLe
	tGe
	tShl
	tShr
	tAnd
	tOr
	tPow
	tOpAssign
	tPreInc
	tPreDec
	tPostInc
	tPostDec
)

// arithParser reads an expression the way bash's expr.c does, one token ahead,
// but builds a tree. A syntax error becomes a node in the place where bash
// would notice it: what is left of it is evaluated first.
type arithParser struct {
	s       string
	i       int // after the current token
	tok     byte
	last    byte // the token before tok
	start   int  // of the last token read, for messages
	num     int64
	name    string
	sub     *Sub
	opTok   byte // operator of tOpAssign
	lval    *node
	unread  *node // the name before the = at hand, whose value bash does not look at
	depth   int
	nesting int
	err     *node
	room    *Room
	skip    skipper // of s
}

// parseArith parses s. depth counts the expressions around it.
func parseArith(m *Room, s string, depth int) *prog {
	p := &arithParser{s: s, nesting: depth, room: m, skip: skipper{s: s, meter: m.meter()}}
	pr := m.prog()
	pr.text = s
	for p.i < len(s) && isSpace(s[p.i]) {
		p.i++
	}
	if p.i == len(s) {
		return pr
	}
	p.next()
	pr.root = p.comma()
	if p.tok != tEnd && p.err == nil {
		pr.root = &node{op: nComma, a: pr.root, rest: []link{{n: p.fail("syntax error in expression")}}}
	}
	if p.err != nil {
		pr.bad = true
		if pr.root == nil {
			pr.root = p.err
		}
	}
	return pr
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// fail makes the error node and lets every loop end.
func (p *arithParser) fail(msg string) *node {
	if p.err == nil {
		p.err = &node{op: nErr, name: msg, pos: p.start, cut: len(p.s)}
	}
	p.tok = tEnd
	return p.err
}

const arithOps = "+-*/%<>=!~&|^?:,()"

func isOp(tok byte) bool { return tok >= tEq || tok != 0 && strings.IndexByte(arithOps, tok) >= 0 }

// next reads a token.
func (p *arithParser) next() {
	if p.err != nil {
		p.tok = tEnd
		return
	}
	prev, before := p.tok, p.last
	p.last = prev
	for p.i < len(p.s) && isSpace(p.s[p.i]) {
		p.i++
	}
	if p.i == len(p.s) {
		p.tok = tEnd
		return
	}
	p.start = p.i
	c := p.s[p.i]
	switch {
	case nameStart(c):
		p.identifier()
		return
	case c >= '0' && c <= '9':
		end := p.i
		for end < len(p.s) && (nameByte(p.s[end]) || p.s[end] == '#' || p.s[end] == '@') {
			end++
		}
		n, msg := number(p.s[p.i:end])
		p.i, p.num, p.tok = end, n, tNum
		if msg != "" {
			p.fail(msg)
			p.err.cut = end
		}
		return
	case c == mark:
		n, end := markAt(p.s, p.i)
		p.i, p.num, p.tok = end, int64(n), tLeaf
		return
	}
	p.operatorToken(c, prev, before)
}

func (p *arithParser) at(i int) byte {
	if i < len(p.s) {
		return p.s[i]
	}
	return 0
}

func (p *arithParser) operatorToken(c, prev, before byte) {
	d := p.at(p.i + 1)
	p.i++
	two := func(tok byte) {
		p.tok = tok
		p.i++
	}
	shift := func(tok byte) {
		two(tok)
		if p.at(p.i) == '=' {
			p.opTok = tok
			two(tOpAssign)
		}
	}
	switch {
	case c == '=' && d == '=':
		two(tEq)
	case c == '!' && d == '=':
		two(tNe)
	case c == '>' && d == '=':
		two(tGe)
	case c == '<' && d == '=':
		two(tLe)
	case c == '<' && d == '<':
		shift(tShl)
	case c == '>' && d == '>':
		shift(tShr)
	case c == '&' && d == '&':
		two(tAnd)
	case c == '|' && d == '|':
		two(tOr)
	case c == '*' && d == '*':
		two(tPow)
	case (c == '+' || c == '-') && d == c && prev == tStr:
		if c == '+' {
			two(tPostInc)
		} else {
			two(tPostDec)
		}
	case (c == '+' || c == '-') && d == c && prev == tNum && (before == tPreInc || before == tPreDec):
		p.fail(string([]byte{c, c}) + ": assignment requires lvalue")
	case (c == '+' || c == '-') && d == c:
		j := p.i + 1
		for j < len(p.s) && isSpace(p.s[j]) {
			j++
		}
		switch {
		case !nameStart(p.at(j)):
			p.tok = c
		case c == '+':
			two(tPreInc)
		default:
			two(tPreDec)
		}
	case d == '=' && strings.IndexByte("*/%+-&^|", c) >= 0:
		p.opTok = c
		two(tOpAssign)
	case strings.IndexByte(arithOps, c) < 0:
		if prev == tEnd || isOp(prev) {
			p.fail("syntax error: operand expected")
		} else {
			p.fail("syntax error: invalid arithmetic operator")
		}
	default:
		p.tok = c
	}
}

// identifier reads a name and its subscript.
func (p *arithParser) identifier() {
	end := p.i
	for end < len(p.s) && nameByte(p.s[end]) {
		end++
	}
	p.name, p.sub, p.tok = p.s[p.i:end], nil, tStr
	p.i = end
	if p.at(end) == '[' {
		closing, ok := p.skip.to(end + 1)
		if !ok {
			p.fail("bad array subscript")
			return
		}
		if p.nesting+p.depth > maxDepth {
			p.fail("expression recursion level exceeded")
			return
		}
		p.sub = newSub(p.room, p.s[end+1:closing], nil, p.nesting+p.depth+1)
		p.i = closing + 1
	}
}

// number evaluates a constant: decimal, 0octal, 0xhex or base#digits.
func number(s string) (n int64, msg string) {
	base, found := int64(10), false
	i := 0
	if s[0] == '0' {
		i = 1
		if len(s) == 1 {
			return 0, ""
		}
		base, found = 8, true
		if s[1] == 'x' || s[1] == 'X' {
			base, i = 16, 2
		}
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c == '#' {
			if found {
				return 0, "invalid number"
			}
			if n < 2 || n > 64 {
				return 0, "invalid arithmetic base"
			}
			base, n, found = n, 0, true
			if i+1 == len(s) || s[i+1] == '#' {
				return 0, "invalid integer constant"
			}
			continue
		}
		d := int64(0)
		switch {
		case c >= '0' && c <= '9':
			d = int64(c - '0')
		case c >= 'a' && c <= 'z':
			d = int64(c-'a') + 10
		case c >= 'A' && c <= 'Z' && base <= 36:
			d = int64(c-'A') + 10
		case c >= 'A' && c <= 'Z':
			d = int64(c-'A') + 36
		case c == '@':
			d = 62
		case c == '_':
			d = 63
		}
		if d >= base {
			return 0, "value too great for base"
		}
		n = n*base + d
	}
	return n, ""
}

func (p *arithParser) enter() bool {
	if p.depth++; p.depth > maxArith {
		p.fail("expression recursion level exceeded")
		return false
	}
	return true
}

func (p *arithParser) comma() *node {
	n := p.assign()
	if p.tok != ',' {
		return n
	}
	list := &node{op: nComma, a: n}
	for p.tok == ',' {
		p.next()
		list.rest = append(list.rest, link{n: p.assign()})
	}
	p.lval = nil
	return list
}

func (p *arithParser) assign() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.err
	}
	n := p.cond()
	if p.tok != '=' && p.tok != tOpAssign {
		return n
	}
	if p.lval == nil || p.lval != n {
		if p.tok == '=' && p.unread != nil {
			*p.unread = node{op: nNum, pos: p.unread.pos}
		}
		p.fail("attempted assignment to non-variable")
		return &node{op: nComma, a: n, rest: []link{{n: p.err}}}
	}
	tok := p.tok
	if tok == tOpAssign {
		tok = p.opTok
	}
	p.next()
	v := p.assign()
	pos := p.start
	p.lval = nil
	return p.room.node(node{op: nAssign, tok: tok, pos: pos, name: n.name, sub: n.sub, a: v, b: n})
}

func (p *arithParser) cond() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.err
	}
	n := p.binary(0)
	if p.tok != '?' {
		return n
	}
	p.next()
	if p.tok == tEnd || p.tok == ':' {
		p.fail("expression expected")
	}
	if p.err != nil {
		return &node{op: nComma, a: n, rest: []link{{n: p.err}}}
	}
	yes := p.comma()
	if p.tok != ':' {
		p.fail("`:' expected for conditional expression")
		return &node{op: nCond, a: n, b: &node{op: nComma, a: yes, rest: []link{{n: p.err}}}, c: p.err}
	}
	p.next()
	if p.tok == tEnd {
		p.fail("expression expected")
		return &node{op: nCond, a: n, b: &node{op: nComma, a: yes, rest: []link{{n: p.err}}}, c: p.err}
	}
	no := p.cond()
	p.lval = nil
	return &node{op: nCond, a: n, b: yes, c: no}
}

// levelOf ranks the left-associative operators from weak to strong.
func levelOf(tok byte) int {
	switch tok {
	case tOr:
		return 0
	case tAnd:
		return 1
	case '|':
		return 2
	case '^':
		return 3
	case '&':
		return 4
	case tEq, tNe:
		return 5
	case tLe, tGe, '<', '>':
		return 6
	case tShl, tShr:
		return 7
	case '+', '-':
		return 8
	case '*', '/', '%':
		return 9
	}
	return -1
}

// binary parses operators of at least the given level.
func (p *arithParser) binary(level int) *node {
	n := p.power()
	// A chain is extended as long as operators of its level follow; a stronger
	// one is parsed first, as its operand.
	for {
		l := levelOf(p.tok)
		if l < level || p.err != nil {
			return n
		}
		c := p.room.node(node{op: nChain, a: n})
		switch l {
		case 0:
			c.op = nOr
		case 1:
			c.op = nAnd
		}
		for levelOf(p.tok) == l {
			tok, pos := p.tok, p.i
			p.next()
			c.rest = p.room.link(c.rest, link{tok, pos, p.binary(l + 1)})
		}
		p.lval = nil
		n = c
	}
}

func (p *arithParser) power() *node {
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.err
	}
	n := p.unary()
	if p.tok != tPow {
		return n
	}
	p.next()
	r := p.power()
	p.lval = nil
	return &node{op: nPow, a: n, b: r, pos: p.start}
}

func (p *arithParser) unary() *node {
	op := nodeOp(0)
	switch p.tok {
	case '!':
		op = nNot
	case '~':
		op = nBitNot
	case '-':
		op = nNeg
	case '+':
		op = nPlus
	default:
		return p.primary()
	}
	defer func() { p.depth-- }()
	if !p.enter() {
		return p.err
	}
	p.next()
	n := p.room.node(node{op: op, a: p.unary()})
	p.lval = nil
	return n
}

func (p *arithParser) primary() *node {
	p.lval = nil
	if p.err != nil {
		return p.err
	}
	switch p.tok {
	case tPreInc, tPreDec:
		op := nPreInc
		if p.tok == tPreDec {
			op = nPreDec
		}
		p.next()
		if p.tok != tStr {
			return p.fail("identifier expected after pre-increment or pre-decrement")
		}
		n := p.room.node(node{op: op, name: p.name, sub: p.sub, pos: p.start})
		p.tok = tNum
		p.next()
		return p.checked(n)
	case '(':
		p.next()
		n := p.comma()
		p.lval = nil
		if p.err != nil {
			return n
		}
		if p.tok != ')' {
			p.fail("missing `)'")
			return &node{op: nComma, a: n, rest: []link{{n: p.err}}}
		}
		p.next()
		if p.err != nil {
			return &node{op: nComma, a: n, rest: []link{{n: p.err}}}
		}
		return p.checked(n)
	case tNum:
		n := p.room.node(node{op: nNum, n: p.num, pos: p.start})
		p.next()
		return p.checked(n)
	case tLeaf:
		n := p.room.node(node{op: nLeaf, n: p.num, pos: p.start})
		p.next()
		return p.checked(n)
	case tStr:
		n := p.room.node(node{op: nVar, name: p.name, sub: p.sub, pos: p.start})
		p.next()
		switch p.tok {
		case tPostInc, tPostDec:
			n.op = nPostInc
			if p.tok == tPostDec {
				n.op = nPostDec
			}
			p.tok = tNum
			p.next()
			return p.checked(n)
		}
		if p.err == nil {
			p.lval = n
		}
		if p.unread = nil; p.tok == '=' {
			p.unread = n
		}
		return p.checked(n)
	}
	return p.fail("syntax error: operand expected")
}

// checked gives way to an error that the look-ahead has met. A name behind an
// operand is one that is told later: bash has looked at its value by then.
func (p *arithParser) checked(n *node) *node {
	if p.err != nil {
		return p.err
	}
	if p.tok == tStr && !p.assigned() {
		return &node{op: nChain, a: n, rest: []link{{tok: tStr, n: &node{op: nVar, name: p.name, sub: p.sub, pos: p.start}}}}
	}
	return n
}

// assigned reports whether the name just read is followed by =.
func (p *arithParser) assigned() bool {
	rest := strings.TrimLeft(p.s[p.i:], " \t\n")
	return strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "==")
}
