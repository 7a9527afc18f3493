package jq

import (
	"fmt"
	"strings"
)

// SyntaxError is what is wrong with a program, and where.
type SyntaxError struct {
	Msg string
	Pos int // -1: no place
}

// Error is the message alone.
func (e *SyntaxError) Error() string { return e.Msg }

// parser reads a program. It reads tokens when it needs them, because the parts of
// a string and the expressions in it follow different rules.
type parser struct {
	src   string
	at    int // behind tok
	tok   token
	depth int
}

// maxNesting bounds the nesting of a program's text.
const maxNesting = 2000

func parseProgram(src string) (e *expr, err error) {
	p := &parser{src: src}
	defer p.rescue(&err)
	p.advance()
	p.module()
	var defs []*definition
	for p.tok.kind == "def" {
		defs = append(defs, p.definition())
	}
	if p.tok.kind == tEOF {
		e = &expr{op: xIdentity}
	} else {
		e = p.pipe()
		if p.tok.kind != tEOF {
			p.unexpected()
		}
	}
	return within(defs, e), nil
}

// parseDefinitions reads a list of definitions.
func parseDefinitions(src string) (defs []*definition, err error) {
	p := &parser{src: src}
	defer p.rescue(&err)
	p.advance()
	for p.tok.kind == "def" {
		defs = append(defs, p.definition())
	}
	if p.tok.kind != tEOF {
		p.unexpected()
	}
	return defs, nil
}

func (p *parser) rescue(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*SyntaxError)
		if !ok {
			panic(r)
		}
		*err = e
	}
}

func within(defs []*definition, e *expr) *expr {
	for i := len(defs) - 1; i >= 0; i-- {
		e = &expr{op: xFunc, def: defs[i], a: e}
	}
	return e
}

// module refuses what needs files of modules.
func (p *parser) module() {
	for p.tok.kind == "module" {
		p.advance()
		meta := p.term()
		if p.tok.kind != ";" {
			p.unexpected()
		}
		if meta.op != xObject {
			p.fail(meta.pos, "Module metadata must be an object")
		}
		p.advance()
	}
	switch p.tok.kind {
	case "import", "include":
		p.fail(p.tok.pos, "%s of modules is not supported", p.tok.kind)
	}
}

func (p *parser) fail(pos int, format string, args ...any) {
	panic(&SyntaxError{fmt.Sprintf(format, args...), pos})
}

func (p *parser) unexpected() {
	k := p.tok.kind
	if len(k) == 1 {
		k = "'" + k + "'"
	}
	p.fail(min(p.tok.pos, max(len(p.src)-1, 0)), "syntax error, unexpected %s (Unix shell quoting issues?)", k)
}

func (p *parser) expect(kind string) token {
	t := p.tok
	if t.kind != kind {
		p.unexpected()
	}
	p.advance()
	return t
}

func (p *parser) take(kind string) bool {
	if p.tok.kind == kind {
		p.advance()
		return true
	}
	return false
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.tok.pos, "memory exhausted (Unix shell quoting issues?)")
	}
}

// pipe reads a whole expression.
func (p *parser) pipe() *expr {
	p.enter()
	defer func() { p.depth-- }()
	if p.tok.kind == "def" {
		d := p.definition()
		return &expr{op: xFunc, def: d, a: p.pipe()}
	}
	parts := []*expr{p.binary(0)}
	for p.take("|") {
		if p.tok.kind == "def" {
			parts = append(parts, p.pipe())
			break
		}
		parts = append(parts, p.binary(0))
		if len(parts) > maxNesting*4 {
			p.fail(p.tok.pos, "memory exhausted (Unix shell quoting issues?)")
		}
	}
	e := parts[len(parts)-1]
	for i := len(parts) - 2; i >= 0; i-- {
		e = &expr{op: xPipe, a: parts[i], b: e}
	}
	return e
}

// level gives the precedence of an operator and how it associates: 'l', 'r' or 'n'.
func level(op string) (prec int, assoc byte) {
	switch op {
	case ",":
		return 1, 'l'
	case "//":
		return 2, 'r'
	case "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=":
		return 3, 'n'
	case "or":
		return 4, 'l'
	case "and":
		return 5, 'l'
	case "==", "!=", "<", "<=", ">", ">=":
		return 6, 'n'
	case "+", "-":
		return 7, 'l'
	case "*", "/", "%":
		return 8, 'l'
	}
	return 0, 0
}

// binary reads operators that bind at least as tightly as least.
func (p *parser) binary(least int) *expr {
	p.enter()
	defer func() { p.depth-- }()
	left := p.unary()
	width, closed := 0, 99
	for {
		op := p.tok
		prec, assoc := level(op.kind)
		if prec == 0 || prec < least {
			return left
		}
		if prec == closed {
			p.unexpected()
		}
		if width++; width > maxNesting*4 {
			p.fail(op.pos, "memory exhausted (Unix shell quoting issues?)")
		}
		p.advance()
		next := prec + 1
		if assoc == 'r' {
			next = prec
		}
		closed = 99
		if assoc == 'n' {
			closed = prec
		}
		var right *expr
		if p.tok.kind == "def" {
			right = p.pipe()
		} else {
			right = p.binary(next)
		}
		left = operation(op, left, right)
	}
}

func operation(op token, a, b *expr) *expr {
	e := &expr{a: a, b: b, s: op.kind, pos: op.pos}
	switch op.kind {
	case ",":
		e.op = xComma
	case "//":
		e.op = xAlt
	case "=":
		e.op = xAssign
	case "|=":
		e.op = xUpdate
	case "+=", "-=", "*=", "/=", "%=", "//=":
		e.op, e.s = xOpAssign, op.kind[:len(op.kind)-1]
	case "or":
		e.op = xOr
	case "and":
		e.op = xAnd
	default:
		e.op = xBin
	}
	return e
}

// unary reads a term with what can stand before it.
func (p *parser) unary() *expr {
	p.enter()
	defer func() { p.depth-- }()
	t := p.tok
	switch t.kind {
	case "-":
		p.advance()
		return &expr{op: xNeg, a: p.binary(8), pos: t.pos}
	case "try":
		p.advance()
		e := &expr{op: xTry, a: p.tried(), pos: t.pos}
		if p.take("catch") {
			e.b = p.tried()
		}
		return p.suffixed(e)
	case "label":
		p.advance()
		name := p.binding()
		p.expect("|")
		return &expr{op: xLabel, s: name, a: p.pipe(), pos: t.pos}
	}
	e := p.term()
	if p.tok.kind != "as" {
		return e
	}
	p.advance()
	pats := p.patterns()
	p.expect("|")
	return &expr{op: xBind, a: e, pats: pats, b: p.pipe(), pos: t.pos}
}

// tried reads what stands behind try and catch: a term, perhaps with a minus.
func (p *parser) tried() *expr {
	p.enter()
	defer func() { p.depth-- }()
	switch p.tok.kind {
	case "-":
		pos := p.tok.pos
		p.advance()
		return &expr{op: xNeg, a: p.tried(), pos: pos}
	case "try", "label":
		return p.unary()
	}
	return p.term()
}

func (p *parser) suffixed(e *expr) *expr {
	for p.take("?") {
		e = &expr{op: xTry, a: e}
	}
	return e
}

func (p *parser) binding() string {
	if p.tok.kind == "$" {
		p.advance()
		if p.tok.kind == tIdent || keyword(p.tok.kind) {
			name := p.tok.text
			p.advance()
			return name
		}
		p.unexpected()
	}
	return p.expect(tBinding).text
}

func (p *parser) patterns() []*pattern {
	list := []*pattern{p.pattern()}
	for p.take("?//") {
		list = append(list, p.pattern())
	}
	return list
}

func (p *parser) pattern() *pattern {
	p.enter()
	defer func() { p.depth-- }()
	switch p.tok.kind {
	case "[":
		p.advance()
		q := &pattern{items: []*pattern{p.pattern()}}
		for p.take(",") {
			q.items = append(q.items, p.pattern())
		}
		p.expect("]")
		return q
	case "{":
		p.advance()
		q := &pattern{keys: []patternKey{p.patternKey()}}
		for p.take(",") {
			q.keys = append(q.keys, p.patternKey())
		}
		p.expect("}")
		return q
	}
	return &pattern{name: p.binding()}
}

func (p *parser) patternKey() (k patternKey) {
	switch t := p.tok; {
	case t.kind == tBinding || t.kind == "$":
		k.bind = p.binding()
		k.key = literalString(k.bind)
		if p.take(":") {
			k.val = p.pattern()
		}
		return k
	case t.kind == tIdent || keyword(t.kind):
		p.advance()
		k.key = literalString(t.text)
	case t.kind == tQuote:
		k.key = p.quoted("")
	case t.kind == "(":
		p.advance()
		k.key = p.pipe()
		p.expect(")")
	default:
		p.unexpected()
	}
	p.expect(":")
	k.val = p.pattern()
	return k
}

func literalString(s string) *expr { return &expr{op: xLit, v: str(s)} }

// definition reads def name(params): body;
func (p *parser) definition() *definition {
	p.enter()
	defer func() { p.depth-- }()
	p.expect("def")
	d := &definition{}
	if p.tok.kind != tIdent && !keyword(p.tok.kind) {
		p.unexpected()
	}
	d.name = p.tok.text
	p.advance()
	if p.take("(") {
		for {
			if p.tok.kind == tBinding || p.tok.kind == "$" {
				d.params = append(d.params, "$"+p.binding())
			} else if p.tok.kind == tIdent || keyword(p.tok.kind) {
				d.params = append(d.params, p.tok.text)
				p.advance()
			} else {
				p.unexpected()
			}
			if !p.take(";") {
				break
			}
		}
		p.expect(")")
	}
	p.expect(":")
	d.body = p.pipe()
	p.expect(";")
	return d
}

// lineOf gives the number and the text of the line at pos.
func lineOf(src string, pos int) (int, string) {
	pos = min(max(pos, 0), len(src))
	n := strings.Count(src[:pos], "\n")
	start := strings.LastIndexByte(src[:pos], '\n') + 1
	line, _, _ := strings.Cut(src[start:], "\n")
	return n + 1, line
}
