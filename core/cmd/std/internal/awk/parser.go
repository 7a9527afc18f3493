package awk

import "strings"

// maxDepth bounds how deep a program may nest, and how high its tree may grow:
// the parser and the compiler walk it by recursion.
const maxDepth = 2500

// parser reads awk programs by recursive descent.
type parser struct {
	*lexer
	tok   lexeme
	depth int
	// noGT is set while > would be a redirection, noIn in the head of for (x in a).
	noGT, noIn bool
	target     lexeme // where an assignment may begin
	loops      int    // loops around the statement
	switches   int
	inFunc     bool
	ruleKind   int
	empty      []string // complaints about rules that are nothing
	out        syntax
}

// parse reads a whole program. The error is a *SyntaxError.
func parse(units []Unit) (s *syntax, err error) {
	p := &parser{lexer: newLexer(units)}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			e.Lines = append(p.warn, e.Lines...)
			err = e
		}
	}()
	p.advance()
	for p.newlines(); p.tok.kind != tEOF; p.newlines() {
		if p.is(";") {
			p.empty = append(p.empty, p.where(p.tok.unit, p.tok.line)+"each rule must have a pattern or an action part")
			p.advance()
			continue
		}
		p.item()
		if p.is(";") {
			p.advance()
		}
	}
	if len(p.empty) > 0 {
		panic(&SyntaxError{Lines: p.empty, Status: 1})
	}
	p.out.warn = p.warn
	return &p.out, nil
}

func (p *parser) advance() { p.tok = p.next() }

func (p *parser) is(op string) bool { return p.tok.kind == tPunct && p.tok.s == op }

func (p *parser) isWord(w string) bool { return p.tok.kind == tKeyword && p.tok.s == w }

// syntaxError reports the current token.
func (p *parser) syntaxError() {
	if p.tok.kind == tNewline || p.tok.kind == tEOF {
		if p.tok.kind == tNewline {
			p.tok.line++ // gawk has read on
		}
		p.fail(p.tok, "unexpected newline or end of string")
	}
	p.fail(p.tok, "syntax error")
}

func (p *parser) expect(op string) {
	if !p.is(op) {
		p.syntaxError()
	}
	p.advance()
}

func (p *parser) newlines() {
	for p.tok.kind == tNewline {
		p.advance()
	}
}

// mark and reset go back to an earlier place.
type mark struct {
	tok  lexeme
	lex  lexer
	warn int
}

func (p *parser) mark() mark { return mark{p.tok, *p.lexer, len(p.warn)} }
func (p *parser) reset(m mark) {
	p.tok = m.tok
	*p.lexer = m.lex
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fatal(p.tok, 2, "fatal: program nests too deeply (limit %d)", maxDepth)
	}
}

// mk finishes a node: its height is known here.
func (p *parser) mk(n *node) *node {
	h := 0
	for _, k := range [...]*node{n.a, n.b, n.c, n.d} {
		if k != nil {
			h = max(h, k.height)
		}
	}
	for _, k := range n.list {
		if k != nil {
			h = max(h, k.height)
		}
	}
	if n.height = h + 1; n.height > maxDepth {
		p.fatal(p.tok, 2, "fatal: expression too long (limit %d operators)", maxDepth)
	}
	return n
}

// item reads a rule or a function.
func (p *parser) item() {
	at := p.tok
	if p.isWord("function") {
		p.function()
		return
	}
	r := rule{at: at}
	kinds := map[string]int{"BEGIN": ruleBegin, "END": ruleEnd, "BEGINFILE": ruleBeginFile, "ENDFILE": ruleEndFile}
	if k, ok := kinds[p.tok.s]; ok && p.tok.kind == tKeyword {
		r.kind = k
		p.advance()
		if !p.is("{") {
			p.fatal(at, 1, "%s blocks must have an action part", at.s)
		}
	} else if !p.is("{") {
		r.pattern = p.expr()
		if p.is(",") {
			p.advance()
			p.newlines()
			r.end = p.expr()
		}
	}
	if p.is("{") {
		p.ruleKind = r.kind
		r.body = p.block()
	} else if p.tok.kind != tNewline && p.tok.kind != tEOF && !p.is(";") {
		p.syntaxError()
	}
	p.out.rules = append(p.out.rules, r)
}

func (p *parser) function() {
	p.advance()
	f := &function{at: p.tok, name: p.tok.s}
	if p.tok.kind == tBuiltin {
		p.fail(p.tok, "`%s' is a built-in function, it cannot be redefined", p.tok.s)
	}
	if p.tok.kind != tName && p.tok.kind != tFuncName {
		p.syntaxError()
	}
	p.advance()
	p.expect("(")
	seen := map[string]bool{}
	for !p.is(")") {
		p.newlines()
		if p.tok.kind != tName {
			p.syntaxError()
		}
		name := p.tok.s
		switch {
		case name == f.name:
			p.fatal(p.tok, 1, "error: function `%s': cannot use function name as parameter name", name)
		case specialSlot(name) >= 0:
			p.fatal(p.tok, 1, "error: function `%s': cannot use special variable `%s' as a function parameter", f.name, name)
		case seen[name]:
			p.fatal(p.tok, 1, "error: function `%s': parameter #%d, `%s', duplicates parameter #%d", f.name, len(f.params)+1, name, indexOf(f.params, name)+1)
		}
		seen[name] = true
		f.params = append(f.params, name)
		p.advance()
		p.newlines()
		if p.is(",") {
			p.advance()
			p.newlines()
		} else if !p.is(")") {
			p.syntaxError()
		}
	}
	p.advance()
	p.newlines()
	p.inFunc, p.ruleKind = true, ruleMain
	f.body = p.block()
	p.inFunc = false
	p.out.funcs = append(p.out.funcs, f)
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// block reads { statements }.
func (p *parser) block() *node {
	n := &node{kind: nBlock, at: p.tok}
	p.expect("{")
	for {
		for p.tok.kind == tNewline || p.is(";") {
			p.advance()
		}
		if p.tok.kind == tEOF || p.tok.unit != n.at.unit {
			p.torn(n.at.unit)
		}
		if p.is("}") {
			p.advance()
			return p.mk(n)
		}
		n.list = append(n.list, p.statement())
	}
}

// torn reports a block that does not end in the text that it began in.
func (p *parser) torn(unit int) {
	u := &p.units[unit]
	if p.tok.kind == tEOF && p.tok.unit == unit {
		p.syntaxError()
	}
	if u.Name == "cmd. line" {
		p.fail(lexeme{unit: unit, line: 1 + strings.Count(u.Text, "\n"), start: len(u.Text)}, "unexpected newline or end of string")
	}
	where := p.where(unit, strings.Count(u.Text, "\n"))
	panic(&SyntaxError{Status: 1, Lines: []string{where + "(END OF FILE)", where + "^ source files / command-line arguments must contain complete functions or rules"}})
}

// end takes the end of a simple statement.
func (p *parser) end() {
	switch {
	case p.tok.kind == tNewline || p.is(";"):
		p.advance()
	case p.is("}") || p.tok.kind == tEOF:
	default:
		p.syntaxError()
	}
}

// body reads the statement of if, else, while, for and do.
func (p *parser) body() *node {
	p.newlines()
	if p.is(";") {
		at := p.tok
		p.advance()
		return p.mk(&node{kind: nBlock, at: at})
	}
	return p.statement()
}

func (p *parser) loopBody() *node {
	p.loops++
	b := p.body()
	p.loops--
	return b
}

func (p *parser) statement() *node {
	p.enter()
	defer func() { p.depth-- }()
	at := p.tok
	if p.is("{") {
		return p.block()
	}
	if p.tok.kind != tKeyword {
		n := p.simple()
		p.end()
		return n
	}
	switch p.tok.s {
	case "if":
		return p.ifStatement()
	case "while":
		p.advance()
		p.expect("(")
		n := &node{kind: nWhile, at: at, a: p.group()}
		if p.is(";") {
			p.advance()
			n.b = p.mk(&node{kind: nBlock, at: at})
		} else {
			n.b = p.loopBody()
		}
		return p.mk(n)
	case "do":
		return p.doStatement()
	case "for":
		return p.forStatement()
	case "switch":
		return p.switchStatement()
	}
	n := p.simple()
	p.end()
	return n
}

// group reads an expression and the ) behind it.
func (p *parser) group() *node {
	noGT, noIn := p.noGT, p.noIn
	p.noGT, p.noIn = false, false
	n := p.expr()
	p.noGT, p.noIn = noGT, noIn
	p.expect(")")
	return n
}

func (p *parser) ifStatement() *node {
	at := p.tok
	p.advance()
	p.expect("(")
	n := &node{kind: nIf, at: at, a: p.group()}
	n.b = p.body()
	m := p.mark()
	for p.tok.kind == tNewline || p.is(";") {
		p.advance()
	}
	if !p.isWord("else") {
		p.reset(m)
		return p.mk(n)
	}
	p.advance()
	n.c = p.body()
	return p.mk(n)
}

func (p *parser) doStatement() *node {
	at := p.tok
	p.advance()
	n := &node{kind: nDo, at: at, b: p.loopBody()}
	for p.tok.kind == tNewline || p.is(";") {
		p.advance()
	}
	if !p.isWord("while") {
		p.syntaxError()
	}
	p.advance()
	p.expect("(")
	n.a = p.group()
	p.end()
	return p.mk(n)
}

func (p *parser) forStatement() *node {
	at := p.tok
	p.advance()
	p.expect("(")
	if p.tok.kind == tName {
		m := p.mark()
		name := p.mk(&node{kind: nVar, s: p.tok.s, at: p.tok})
		p.advance()
		if p.isWord("in") {
			p.advance()
			if p.tok.kind == tName {
				array := p.array()
				if p.is(")") {
					p.advance()
					n := &node{kind: nForIn, at: at, a: name, b: array, d: p.loopBody()}
					return p.mk(n)
				}
			}
		}
		p.reset(m)
	}
	n := &node{kind: nFor, at: at}
	if !p.is(";") {
		n.a = p.simple()
	}
	p.expect(";")
	p.newlines()
	if !p.is(";") {
		n.b = p.expr()
	}
	p.expect(";")
	p.newlines()
	if !p.is(")") {
		n.c = p.simple()
	}
	p.expect(")")
	if p.is(";") {
		p.advance()
		n.d = p.mk(&node{kind: nBlock, at: at})
	} else {
		n.d = p.loopBody()
	}
	return p.mk(n)
}

// array reads a name, with subscripts if it is an array of arrays.
func (p *parser) array() *node {
	n := p.mk(&node{kind: nVar, s: p.tok.s, at: p.tok})
	if p.tok.kind != tName {
		p.syntaxError()
	}
	p.advance()
	for p.is("[") {
		n = p.subscripts(n)
	}
	return n
}

func (p *parser) switchStatement() *node {
	at := p.tok
	p.advance()
	p.expect("(")
	n := &node{kind: nSwitch, at: at, a: p.group()}
	p.newlines()
	p.expect("{")
	p.switches++
	for {
		for p.tok.kind == tNewline || p.is(";") {
			p.advance()
		}
		if p.is("}") {
			break
		}
		c := &node{kind: nCase, at: p.tok}
		switch {
		case p.isWord("case"):
			p.advance()
			c.a = p.caseValue()
		case p.isWord("default"):
			p.advance()
		default:
			p.syntaxError()
		}
		p.expect(":")
		for {
			for p.tok.kind == tNewline || p.is(";") {
				p.advance()
			}
			if p.is("}") || p.isWord("case") || p.isWord("default") {
				break
			}
			if p.tok.kind == tEOF {
				p.syntaxError()
			}
			c.list = append(c.list, p.statement())
		}
		n.list = append(n.list, p.mk(c))
	}
	p.switches--
	p.advance()
	return p.mk(n)
}

func (p *parser) caseValue() *node {
	at := p.tok
	sign := 1.0
	for p.is("-") || p.is("+") {
		if p.is("-") {
			sign = -sign
		}
		p.advance()
	}
	switch {
	case p.tok.kind == tNumber:
		n := p.tok.n
		p.advance()
		return p.mk(&node{kind: nNumber, n: sign * n, at: at})
	case p.tok.kind == tString:
		s := p.tok.s
		p.advance()
		return p.mk(&node{kind: nString, s: s, at: at})
	case p.tok.kind == tTypedRegex, p.is("/"), p.is("/="):
		return p.primary()
	}
	p.syntaxError()
	return nil
}

// simple reads a statement that has no statements inside.
func (p *parser) simple() *node {
	at := p.tok
	if p.tok.kind != tKeyword {
		return p.mk(&node{kind: nExpr, at: at, a: p.expr()})
	}
	switch p.tok.s {
	case "print", "printf":
		return p.print()
	case "delete":
		p.advance()
		if p.is("(") {
			p.advance()
			n := &node{kind: nDelete, at: at, a: p.array()}
			p.expect(")")
			return p.mk(n)
		}
		return p.mk(&node{kind: nDelete, at: at, a: p.array()})
	case "break":
		if p.loops == 0 && p.switches == 0 {
			p.fatal(at, 1, "error: `break' is not allowed outside a loop or switch")
		}
		p.advance()
		return p.mk(&node{kind: nBreak, at: at})
	case "continue":
		if p.loops == 0 {
			p.fatal(at, 1, "error: `continue' is not allowed outside a loop")
		}
		p.advance()
		return p.mk(&node{kind: nContinue, at: at})
	case "next", "nextfile":
		if k := p.ruleKind; k == ruleBegin || k == ruleEnd || k == ruleEndFile || k == ruleBeginFile && at.s == "next" {
			p.fatal(at, 1, "error: `%s' used in %s action", at.s, [...]string{"", "BEGIN", "END", "BEGINFILE", "ENDFILE"}[k])
		}
		p.advance()
		if at.s == "next" {
			return p.mk(&node{kind: nNext, at: at})
		}
		return p.mk(&node{kind: nNextFile, at: at})
	case "exit", "return":
		n := &node{kind: nExit, at: at}
		if at.s == "return" {
			n.kind = nReturn
			if !p.inFunc {
				p.fail(at, "`return' used outside function context")
			}
		}
		p.advance()
		if p.tok.kind != tNewline && p.tok.kind != tEOF && !p.is(";") && !p.is("}") {
			n.a = p.expr()
		}
		return p.mk(n)
	case "getline":
		return p.mk(&node{kind: nExpr, at: at, a: p.expr()})
	}
	p.syntaxError()
	return nil
}

// print reads print and printf with their redirection.
func (p *parser) print() *node {
	n := &node{kind: nPrint, at: p.tok}
	if p.tok.s == "printf" {
		n.kind = nPrintf
	}
	p.advance()
	if p.is("(") {
		m := p.mark()
		p.advance()
		n.list = p.list(")")
		p.expect(")")
		if !p.printEnd() {
			p.reset(m)
			n.list = nil
		}
	}
	if n.list == nil && !p.printEnd() {
		p.noGT = true
		n.list = p.exprs()
		p.noGT = false
	}
	if n.kind == nPrintf && len(n.list) == 0 {
		p.fatal(n.at, 2, "fatal: printf: no arguments")
	}
	if p.is(">") || p.is(">>") || p.is("|") || p.is("|&") {
		n.s = p.tok.s
		p.advance()
		p.noGT = true
		n.b = p.concat()
		p.noGT = false
	}
	return p.mk(n)
}

// printEnd reports whether the operands of print are over.
func (p *parser) printEnd() bool {
	switch p.tok.kind {
	case tNewline, tEOF:
		return true
	case tPunct:
		switch p.tok.s {
		case ";", "}", ">", ">>", "|", "|&":
			return true
		case ")":
			return true
		}
	}
	return false
}

// list reads expressions up to an end, with > an operator in them.
func (p *parser) list(end string) []*node {
	noGT, noIn := p.noGT, p.noIn
	p.noGT, p.noIn = false, false
	defer func() { p.noGT, p.noIn = noGT, noIn }()
	if p.is(end) {
		return nil
	}
	return p.exprs()
}

// exprs reads expressions parted by commas.
func (p *parser) exprs() []*node {
	list := []*node{p.expr()}
	for p.is(",") {
		p.advance()
		p.newlines()
		list = append(list, p.expr())
	}
	return list
}
