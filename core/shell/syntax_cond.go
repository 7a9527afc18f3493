package shell

// Errors inside [[ ]] are worded by a reader of its own in bash, which this one
// follows: it does not stop at an error, and what is around it may say more.

// condition reads one expression.
type condition struct {
	*syntaxReader
	token string // the one behind what has been read
	depth int

	regular bool // there has been a =~
}

// condFailed stands for a token where there is an error.
const condFailed = "an error"

// conditional reads [[ ]], of which the first word has been read.
func (r *syntaxReader) conditional() bool {
	c, line := &condition{syntaxReader: r}, r.lineAt()
	r.before, r.last, r.cond = r.last, "[[", true
	c.or()
	r.cond = false
	if c.token == "]]" && r.fault == nil {
		r.tok = "]]"
		r.next()
		return r.fault == nil
	}
	switch {
	case c.token == condFailed:
		r.say(line, "")
	case named(c.token):
		r.say(line, "syntax error in conditional expression: unexpected token `"+c.token+"'")
	default:
		r.say(line, "syntax error in conditional expression")
	}
	r.fault.subst = r.fault.subst || r.subst > 0 && !r.fault.open
	r.fault.Cond = !r.fault.Incomplete && !r.fault.subst && !r.fault.list && !r.ended &&
		!(c.token == ")" && c.regular) // a regular expression with a ) too many fails as it does in a session, with 2
	r.toLineEnd()
	return false
}

// toLineEnd goes on to the end of the line: an error of [[ ]] does not keep bash
// from reading the rest, in which there may be another.
func (r *syntaxReader) toLineEnd() {
	first := r.fault
	if first.Cond && r.subst == 0 && !r.deep {
		r.fault, r.tok = nil, tokWord
		for r.tok != "newline" && r.tok != tokEOF && r.fault == nil {
			r.next()
		}
		if more := r.fault; more != nil && !r.deep {
			first.more = append(append(first.more, toldLine{more.Line, more.Text}), more.more...)
			first.Cond, first.Incomplete = false, more.Incomplete
		}
	}
	r.fault, r.tok = first, tokNone
}

// say notes one of the errors of a conditional expression.
func (r *syntaxReader) say(line int, text string) {
	switch {
	case r.fault != nil && r.fault.source != "": // bash has jumped out
	case r.fault == nil:
		r.fault = &SyntaxError{Line: line, Text: text}
	case r.fault.Text == "":
		r.fault.Line, r.fault.Text = line, text
	case text != "":
		r.fault.more = append(r.fault.more, toldLine{line, text})
	}
}

// named reports whether an error names a token.
func named(tok string) bool {
	switch tok {
	case tokWord, tokAssign, tokNumber, tokNamed, tokArith, tokNone, condFailed:
		return false
	}
	return true
}

// fail says what is wrong with a token: before and after its name, if it has one.
func (c *condition) fail(tok, before, after, nameless string) {
	line := c.lineAt()
	if tok == tokEOF || tok == tokNone {
		line = c.lastLine()
	}
	if tok == tokEOF {
		tok = "EOF"
	}
	text := nameless
	if named(tok) && before != "" {
		text = before + " `" + tok + "'" + after
	}
	c.say(line, text)
	c.fault.Incomplete = c.fault.Incomplete || tok == "EOF"
	c.token = condFailed
}

func (c *condition) or() {
	for c.and(); c.token == "||"; {
		c.and()
	}
}

func (c *condition) and() {
	for c.term(); c.token == "&&"; {
		c.term()
	}
}

// skipLines reads the next token that is no line end.
func (c *condition) skipLines() {
	for c.token = c.syntaxReader.token(); c.token == "newline"; {
		c.token = c.syntaxReader.token()
	}
}

// term reads one term and the token behind it.
func (c *condition) term() {
	if c.depth++; c.depth > maxSyntaxDepth {
		c.tooDeep()
		c.token = condFailed
		return
	}
	defer func() { c.depth-- }()
	c.skipLines()
	switch tok, word := c.token, c.word; {
	case tok == "]]":
		c.token = condFailed
		c.say(c.lineAt(), "")
	case tok == "(":
		line := c.lineAt()
		if c.or(); c.token == ")" {
			c.skipLines()
			return
		}
		text := "expected `)'"
		if named(c.token) {
			text = "unexpected token `" + c.token + "', " + text
		}
		c.say(line, text)
		c.token = condFailed
	case tok == tokWord && word == "!":
		c.term()
	case tok == tokNone:
		c.say(c.lastLine(), "unexpected token `\xff' in conditional command")
		c.token = condFailed
	case tok != tokWord:
		c.fail(tok, "unexpected token", " in conditional command", "unexpected token in conditional command")
	case len(word) == 2 && word[0] == '-' && isUnary(word):
		c.operand("unary")
	default:
		c.binary()
	}
}

// operand reads the argument of an operator, which must be a word.
func (c *condition) operand(kind string) {
	tok := c.syntaxReader.token()
	c.regex, c.matches = false, false
	switch tok {
	case tokWord:
		c.skipLines()
	case tokEOF:
		c.fail(tok, "", "", "unexpected argument to conditional "+kind+" operator")
	default:
		c.fail(tok, "unexpected argument", " to conditional "+kind+" operator", "unexpected argument to conditional "+kind+" operator")
	}
}

// binary reads what follows the first word of a term.
func (c *condition) binary() {
	tok := c.syntaxReader.token()
	switch op := c.word; {
	case tok == tokWord && (op == "=~" || isBinary(op)), tok == "<" || tok == ">":
		c.regex = tok == tokWord && op == "=~"
		c.regular = c.regular || c.regex
		c.matches = tok == tokWord && (op == "=" || op == "==" || op == "!=")
		c.operand("binary")
	case tok == "]]" || tok == "&&" || tok == "||" || tok == ")":
		c.token = tok
	default:
		c.fail(tok, "unexpected token", ", conditional binary operator expected", "conditional binary operator expected")
	}
}
