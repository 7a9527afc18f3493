package jq

import (
	"strings"

	"eryxsh/core/large"
)

// term reads a term with its suffixes.
func (p *parser) term() *expr {
	p.enter()
	defer func() { p.depth-- }()
	access := p.tok.kind != "(" // e is an access written here, not one in parentheses
	e := p.atom()
	for width := 0; ; width++ {
		if width > maxNesting*4 {
			p.fail(p.tok.pos, "memory exhausted (Unix shell quoting issues?)")
		}
		t := p.tok
		switch t.kind {
		case tField:
			p.advance()
			access, e = true, &expr{op: xIndex, a: e, b: literalString(t.text), pos: t.pos}
		case ".":
			p.advance()
			switch p.tok.kind {
			case tQuote:
				access, e = true, &expr{op: xIndex, a: e, b: p.quoted(""), pos: t.pos}
			case "[":
				access, e = true, p.bracket(e)
			default:
				p.unexpected()
			}
		case "[":
			access, e = true, p.bracket(e)
		case "?":
			p.advance()
			switch e.op {
			case xIndex, xSlice, xIter: // what comes before is not part of it: .[].a? goes on behind a failure
				if !e.opt && access {
					e.opt = true
					continue
				}
			}
			e = &expr{op: xTry, a: e}
		default:
			return e
		}
	}
}

// bracket reads [], [e], [e:e].
func (p *parser) bracket(target *expr) *expr {
	pos := p.tok.pos
	p.expect("[")
	if p.take("]") {
		return &expr{op: xIter, a: target, pos: pos}
	}
	e := &expr{op: xSlice, a: target, pos: pos}
	if p.take(":") {
		e.c = p.pipe()
		p.expect("]")
		return e
	}
	e.b = p.pipe()
	if p.take(":") {
		if p.tok.kind != "]" {
			e.c = p.pipe()
		}
	} else {
		e.op = xIndex
	}
	p.expect("]")
	return e
}

// atom reads a term without suffixes.
func (p *parser) atom() *expr {
	t := p.tok
	self := &expr{op: xIdentity}
	switch t.kind {
	case tNumber:
		p.advance()
		v, ok := parseNumber([]byte(t.text))
		if !ok {
			p.fail(t.pos, "Invalid numeric literal")
		}
		return &expr{op: xLit, v: v, pos: t.pos}
	case tQuote:
		return p.quoted("")
	case tFormat:
		p.advance()
		if p.tok.kind == tQuote {
			return p.quoted(t.text)
		}
		return &expr{op: xFormat, s: t.text, pos: t.pos}
	case ".":
		p.advance()
		switch p.tok.kind {
		case tQuote:
			return &expr{op: xIndex, a: self, b: p.quoted(""), pos: t.pos}
		case "[":
			return p.bracket(self)
		}
		return self
	case "..":
		p.advance()
		return &expr{op: xRecurse}
	case tField:
		p.advance()
		return &expr{op: xIndex, a: self, b: literalString(t.text), pos: t.pos}
	case tBinding, "$":
		if name := p.binding(); name != "__loc__" {
			return &expr{op: xVar, s: name, pos: t.pos}
		}
		return p.location(t.pos)
	case "(":
		p.advance()
		e := p.pipe()
		p.expect(")")
		return e
	case "[":
		p.advance()
		e := &expr{op: xArray, pos: t.pos}
		if !p.take("]") {
			e.a = p.pipe()
			p.expect("]")
		}
		return e
	case "{":
		return p.object()
	case "if":
		return p.conditional()
	case "reduce", "foreach":
		return p.fold()
	case "break":
		p.unexpected()
	case tIdent:
		if t.text == "break" {
			p.advance()
			if p.tok.kind != tBinding && p.tok.kind != "$" {
				p.fail(t.pos, "break requires a label to break to")
			}
			return &expr{op: xBreak, s: p.binding(), pos: t.pos}
		}
		return p.call()
	}
	p.unexpected()
	return nil
}

// location is what $__loc__ gives.
func (p *parser) location(pos int) *expr {
	line, _ := lineOf(p.src, pos)
	return &expr{op: xObject, pos: pos, args: []*expr{
		literalString("file"), literalString("<top-level>"), literalString("line"), {op: xLit, v: num(float64(line))},
	}}
}

func (p *parser) call() *expr {
	t := p.expect(tIdent)
	e := &expr{op: xCall, s: t.text, pos: t.pos}
	if p.take("(") {
		e.args = append(e.args, p.pipe())
		for p.take(";") {
			e.args = append(e.args, p.pipe())
		}
		p.expect(")")
	}
	return e
}

func (p *parser) conditional() *expr {
	p.enter()
	defer func() { p.depth-- }()
	e := &expr{op: xIf, pos: p.tok.pos}
	p.advance()
	e.a = p.pipe()
	p.expect("then")
	e.b = p.pipe()
	switch p.tok.kind {
	case "elif":
		e.c = p.conditional()
		return e
	case "else":
		p.advance()
		e.c = p.pipe()
	default:
		e.c = &expr{op: xIdentity}
	}
	p.expect("end")
	return e
}

// fold reads reduce and foreach.
func (p *parser) fold() *expr {
	e := &expr{op: xReduce, pos: p.tok.pos}
	if p.tok.kind == "foreach" {
		e.op = xForeach
	}
	p.advance()
	e.a = p.term()
	p.expect("as")
	e.pats = p.patterns()
	p.expect("(")
	e.b = p.pipe()
	p.expect(";")
	e.c = p.pipe()
	if e.op == xForeach && p.take(";") {
		e.d = p.pipe()
	}
	p.expect(")")
	return e
}

// object reads a construction of an object.
func (p *parser) object() *expr {
	e := &expr{op: xObject, pos: p.tok.pos}
	p.expect("{")
	for p.tok.kind != "}" {
		key, val := p.member()
		e.args = append(e.args, key, val)
		if !p.take(",") {
			break
		}
	}
	p.expect("}")
	return e
}

func (p *parser) member() (key, val *expr) {
	t := p.tok
	own := func(k *expr) *expr { return &expr{op: xIndex, a: &expr{op: xIdentity}, b: k, pos: t.pos} }
	switch {
	case t.kind == tBinding || t.kind == "$":
		name := p.binding()
		key = literalString(name)
		if name == "__loc__" {
			return key, p.location(t.pos)
		}
		return key, &expr{op: xVar, s: name, pos: t.pos}
	case t.kind == tIdent || keyword(t.kind):
		p.advance()
		key = literalString(t.text)
		val = own(key)
	case t.kind == tNumber:
		p.advance()
		p.fail(t.pos, "Object keys must be strings")
	case t.kind == tQuote:
		key = p.quoted("")
		val = own(key)
	case t.kind == tFormat:
		p.advance()
		if p.tok.kind != tQuote {
			p.unexpected()
		}
		key = p.quoted(t.text)
		val = own(key)
	case t.kind == "(":
		p.advance()
		key = p.pipe()
		p.expect(")")
		if key.op == xLit && key.v.K != String {
			p.fail(t.pos, "Object keys must be strings")
		}
		if p.tok.kind != ":" {
			p.unexpected()
		}
	default:
		p.unexpected()
	}
	if !p.take(":") {
		return key, val
	}
	return key, p.memberValue()
}

// memberValue reads terms with | between them.
func (p *parser) memberValue() *expr {
	p.enter()
	defer func() { p.depth-- }()
	e := p.memberTerm()
	if p.take("|") {
		return &expr{op: xPipe, a: e, b: p.memberValue()}
	}
	return e
}

func (p *parser) memberTerm() *expr {
	p.enter()
	defer func() { p.depth-- }()
	if t := p.tok; t.kind == "-" {
		p.advance()
		return &expr{op: xNeg, a: p.memberTerm(), pos: t.pos}
	}
	return p.term()
}

// quoted reads a string; tok is its quote. format is the name of a @format or "".
func (p *parser) quoted(format string) *expr {
	pos := p.tok.pos
	e := &expr{op: xString, s: format, pos: pos}
	s := p.src
	start, i := p.at, p.at
	flush := func(end int) {
		text, ok := unescape(s[start:end], large.Free)
		if !ok {
			p.fail(start, "syntax error, unexpected INVALID_CHARACTER, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END (Unix shell quoting issues?)")
		}
		if text != "" {
			e.args = append(e.args, literalString(text))
		}
	}
	for i < len(s) && s[i] != '"' {
		if s[i] != '\\' {
			i++
			continue
		}
		if !strings.HasPrefix(s[i:], `\(`) {
			i += 2
			continue
		}
		flush(i)
		p.at = i + 2
		p.advance()
		part := p.pipe()
		if p.tok.kind != ")" {
			p.unexpected()
		}
		e.args = append(e.args, &expr{op: xString, s: format, a: part})
		start, i = p.at, p.at
	}
	if i >= len(s) {
		p.tok = token{kind: tEOF, pos: len(s)}
		p.fail(len(s), "syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or QQSTRING_END (Unix shell quoting issues?)")
	}
	flush(i)
	p.at = i + 1
	p.advance()
	if len(e.args) == 0 {
		return &expr{op: xLit, v: str(""), pos: pos}
	}
	if len(e.args) == 1 && e.args[0].op == xLit {
		e.args[0].pos = pos
		return e.args[0]
	}
	return e
}
