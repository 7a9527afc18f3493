package awk

import "slices"

// expr reads an expression of the lowest precedence: a ? b : c.
// Assignments need no level: an lvalue followed by = takes all to its right
// wherever an operand of a comparison or of something weaker may begin.
func (p *parser) expr() *node {
	p.enter()
	defer func() { p.depth-- }()
	at := p.tok
	n := p.or()
	if !p.is("?") {
		return n
	}
	p.advance()
	p.newlines()
	b := p.expr()
	p.newlines()
	p.expect(":")
	p.newlines()
	return p.mk(&node{kind: nCond, at: at, a: n, b: b, c: p.expr()})
}

func (p *parser) or() *node {
	n := p.and()
	for p.is("||") {
		at := p.tok
		p.advance()
		p.newlines()
		n = p.mk(&node{kind: nOr, at: at, a: n, b: p.and()})
	}
	return n
}

func (p *parser) and() *node {
	n := p.in()
	for p.is("&&") {
		at := p.tok
		p.advance()
		p.newlines()
		n = p.mk(&node{kind: nAnd, at: at, a: n, b: p.in()})
	}
	return n
}

func (p *parser) in() *node {
	n := p.match()
	for p.isWord("in") && !p.noIn {
		at := p.tok
		p.advance()
		list := []*node{n}
		n = p.mk(&node{kind: nIn, at: at, a: p.array(), list: list})
	}
	return n
}

func (p *parser) match() *node {
	n := p.compare()
	for p.is("~") || p.is("!~") {
		at := p.tok
		p.advance()
		n = p.mk(&node{kind: nMatch, s: at.s, at: at, a: n, b: p.compare()})
	}
	return n
}

func (p *parser) compare() *node {
	n := p.concat()
	if at := p.tok; p.comparison() {
		p.advance()
		n = p.mk(&node{kind: nCompare, s: at.s, at: at, a: n, b: p.concat()})
		if p.comparison() { // 1 < x < 3 means nothing
			p.syntaxError()
		}
	}
	return n
}

// comparison reports whether the token compares.
func (p *parser) comparison() bool {
	if p.tok.kind != tPunct {
		return false
	}
	switch p.tok.s {
	case ">":
		return !p.noGT
	case "<", "<=", "==", "!=", ">=":
		return true
	}
	return false
}

// operand reports whether the token may begin an operand of a concatenation.
func (p *parser) operand() bool {
	switch p.tok.kind {
	case tNumber, tString, tName, tFuncName, tBuiltin, tTypedRegex:
		return true
	case tPunct:
		switch p.tok.s {
		case "$", "!", "(", "-", "+", "++", "--", "@":
			return true
		}
	}
	return false
}

// joins reports whether the token begins one more operand of a concatenation here.
func (p *parser) joins() bool { return p.operand() && !(p.noIn && p.isWord("in")) }

// concat reads a concatenation, and "cmd" | getline behind it.
func (p *parser) concat() *node {
	at := p.tok
	p.target = at
	n := p.additive()
	for {
		switch {
		case p.joins():
			list := []*node{n}
			if n.kind == nConcat {
				list = n.list
			}
			for p.joins() { // all of them before mk looks at them
				list = append(list, p.additive())
			}
			n = p.mk(&node{kind: nConcat, at: at, list: list})
		case (p.is("|") || p.is("|&")) && !p.noGT:
			m := p.mark()
			kind := p.tok.s
			p.advance()
			if !p.isWord("getline") {
				p.reset(m)
				return n
			}
			g := &node{kind: nGetline, s: kind, at: p.tok, b: n}
			p.advance()
			g.a = p.optionalVariable()
			n = p.sums(p.products(p.mk(g)))
		default:
			return n
		}
	}
}

func (p *parser) additive() *node { return p.sums(p.multiplicative()) }

// sums goes on behind n with + and -.
func (p *parser) sums(n *node) *node {
	for p.is("+") || p.is("-") {
		at := p.tok
		p.advance()
		n = p.mk(&node{kind: nBinary, s: at.s, at: at, a: n, b: p.multiplicative()})
	}
	return n
}

func (p *parser) multiplicative() *node { return p.products(p.unary()) }

// products goes on behind n with *, / and %.
func (p *parser) products(n *node) *node {
	for p.is("*") || p.is("/") || p.is("%") {
		at := p.tok
		p.advance()
		n = p.mk(&node{kind: nBinary, s: at.s, at: at, a: n, b: p.unary()})
	}
	return n
}

func (p *parser) unary() *node {
	if p.is("!") || p.is("-") || p.is("+") {
		p.enter()
		defer func() { p.depth-- }()
		at := p.tok
		p.advance()
		return p.mk(&node{kind: nUnary, s: at.s, at: at, a: p.unary()})
	}
	return p.power()
}

func (p *parser) power() *node {
	n := p.postfix()
	if !p.is("^") {
		return n
	}
	at := p.tok
	p.advance()
	p.enter()
	defer func() { p.depth-- }()
	var b *node
	if p.is("!") || p.is("-") || p.is("+") {
		b = p.unary()
	} else {
		b = p.power()
	}
	return p.mk(&node{kind: nBinary, s: "^", at: at, a: n, b: b})
}

func lvalue(n *node) bool {
	return n.kind == nVar || n.kind == nField || n.kind == nIndex
}

// postfix reads an operand, ++ or -- behind it, or an assignment to it.
func (p *parser) postfix() *node {
	first := p.target == p.tok
	n := p.primary()
	if !lvalue(n) || p.tok.kind != tPunct {
		return n
	}
	at := p.tok
	if !first && at.s != "++" && at.s != "--" {
		return n
	}
	switch p.tok.s {
	case "++", "--":
		p.advance()
		return p.mk(&node{kind: nIncrement, s: at.s, n: 1, at: at, a: n})
	case "=":
		p.advance()
		p.newlines()
		return p.mk(&node{kind: nAssign, at: at, a: n, b: p.expr()})
	case "+=", "-=", "*=", "/=", "%=", "^=":
		p.advance()
		p.newlines()
		return p.mk(&node{kind: nAugment, s: at.s[:1], at: at, a: n, b: p.expr()})
	}
	return n
}

func (p *parser) optionalVariable() *node {
	if p.tok.kind == tName || p.is("$") {
		return p.primary()
	}
	return nil
}

func (p *parser) primary() *node {
	at := p.tok
	switch p.tok.kind {
	case tNumber:
		p.advance()
		return p.mk(&node{kind: nNumber, n: at.n, at: at})
	case tString:
		p.advance()
		return p.mk(&node{kind: nString, s: at.s, at: at})
	case tTypedRegex:
		p.advance()
		return p.mk(&node{kind: nTypedRegex, s: at.s, at: at})
	case tName:
		p.advance()
		n := p.mk(&node{kind: nVar, s: at.s, at: at})
		for p.is("[") {
			n = p.subscripts(n)
		}
		return n
	case tFuncName:
		p.advance()
		p.advance() // (
		n := &node{kind: nCall, s: at.s, at: at, list: p.list(")")}
		p.expect(")")
		return p.mk(n)
	case tBuiltin:
		return p.builtin()
	case tKeyword:
		if p.tok.s == "getline" {
			p.advance()
			n := &node{kind: nGetline, at: at, a: p.optionalVariable()}
			if p.is("<") {
				p.advance()
				n.s = "<"
				n.b = p.getlineFile()
			}
			return p.mk(n)
		}
	case tPunct:
		return p.punct()
	}
	p.syntaxError()
	return nil
}

// getlineFile reads the operand of getline <: all but a concatenation.
func (p *parser) getlineFile() *node {
	p.enter()
	defer func() { p.depth-- }()
	p.target = lexeme{} // no assignment
	return p.additive()
}

// incremented takes what stands behind a variable: ++ or --.
func (p *parser) incremented(n *node) *node {
	if lvalue(n) && (p.is("++") || p.is("--")) {
		at := p.tok
		p.advance()
		return p.mk(&node{kind: nIncrement, s: at.s, n: 1, at: at, a: n})
	}
	return n
}

func (p *parser) punct() *node {
	at := p.tok
	p.enter()
	defer func() { p.depth-- }()
	switch p.tok.s {
	case "/", "/=":
		p.pos, p.line = at.start, at.line
		s := p.regex(at)
		p.advance()
		return p.mk(&node{kind: nRegex, s: s, at: at})
	case "$":
		p.advance()
		var n *node
		if p.is("++") || p.is("--") || p.is("-") || p.is("+") || p.is("!") {
			n = p.dollarUnary()
		} else if n = p.primary(); n.kind == nField { // in $$i++ the inner one is incremented
			n = p.incremented(n)
		}
		return p.mk(&node{kind: nField, at: at, a: n})
	case "++", "--":
		p.advance()
		n := p.primary()
		if !lvalue(n) {
			p.syntaxError()
		}
		return p.mk(&node{kind: nIncrement, s: at.s, at: at, a: n})
	case "-", "+", "!":
		return p.unary()
	case "@":
		p.advance()
		if p.tok.kind != tFuncName {
			p.syntaxError()
		}
		f := p.tok
		p.advance()
		p.advance()
		n := &node{kind: nIndirect, s: f.s, at: at, list: p.list(")")}
		p.expect(")")
		return p.mk(n)
	case "(":
		p.advance()
		list := p.list(")")
		if len(list) == 0 {
			p.syntaxError()
		}
		p.expect(")")
		if len(list) > 1 {
			if !p.isWord("in") {
				p.syntaxError()
			}
			p.advance()
			return p.mk(&node{kind: nIn, at: at, a: p.array(), list: list})
		}
		return p.mk(&node{kind: nGroup, at: at, a: list[0]})
	}
	p.syntaxError()
	return nil
}

// dollarUnary reads what may follow $ besides a plain operand: $++i, $-1.
func (p *parser) dollarUnary() *node {
	at := p.tok
	p.advance()
	if p.is("-") || p.is("+") || p.is("!") {
		p.enter()
		defer func() { p.depth-- }()
		return p.mk(&node{kind: nUnary, s: at.s, at: at, a: p.dollarUnary()})
	}
	n := p.primary()
	if at.s != "++" && at.s != "--" {
		n = p.incremented(n)
	} else {
		if !lvalue(n) {
			p.syntaxError()
		}
		return p.mk(&node{kind: nIncrement, s: at.s, at: at, a: n})
	}
	return p.mk(&node{kind: nUnary, s: at.s, at: at, a: n})
}

// subscripts reads [list] behind an array.
func (p *parser) subscripts(array *node) *node {
	at := p.tok
	p.expect("[")
	n := &node{kind: nIndex, at: at, a: array, list: p.list("]")}
	if len(n.list) == 0 {
		p.syntaxError()
	}
	p.expect("]")
	return p.mk(n)
}

func (p *parser) builtin() *node {
	at := p.tok
	b := builtinOf(at.s)
	p.advance()
	n := &node{kind: nBuiltin, s: at.s, at: at}
	if !p.is("(") {
		if at.s != "length" {
			p.syntaxError()
		}
		return p.mk(n)
	}
	p.advance()
	n.list = p.list(")")
	if !p.is(")") {
		p.syntaxError()
	}
	if len(n.list) < b.min || len(n.list) > b.max {
		p.fail(p.tok, "%d is invalid as number of arguments for %s", len(n.list), at.s)
	}
	p.advance()
	if slices.Contains([]string{"sub", "gsub"}, at.s) && len(n.list) == 3 {
		for n.list[2].kind == nGroup {
			n.list[2] = n.list[2].a
		}
	}
	return p.mk(n)
}
