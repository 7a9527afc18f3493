package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// Errors inside [[ ]] are worded by bash's own reader of it, which this one
// follows: the parser's words and places are others.

// condReader reads the inside of a [[ ]] for the error in it.
type condReader struct {
	s       string
	i       int
	token   string // what ended the expression, as an error names it; "" for a word
	failed  bool
	pattern bool // the next word is a pattern: @( | ) belong to it
	regex   bool // the next word is a regular expression: so do ( | )
	depth   int
	ended   bool // the line end behind a text that has none was read
	said    []said
}

type said struct {
	at   int
	text string
}

// Tokens that are no operators.
const (
	condWord = ""
	condEnd  = "]]"
	condEOF  = "EOF"
)

// condError words the error of the last [[ that begins at or before an offset
// of text. ok is false if that expression has none; ended says that the text is over there.
func condError(text string, off int) (found []said, ended, ok bool) {
	at := min(off+2, len(text))
	for {
		at = strings.LastIndex(text[:at], "[[")
		if at < 0 {
			return nil, false, false
		}
		if (at == 0 || strings.IndexByte(" \t\n;&|(){}!`", text[at-1]) >= 0) && at+2 < len(text) && strings.IndexByte(" \t\n", text[at+2]) >= 0 {
			break
		}
	}
	r := &condReader{s: text, i: at + 2}
	r.or()
	switch {
	case r.failed:
	case r.token == condEnd:
		return nil, false, false
	case r.token == condEOF:
		return nil, false, false
	case r.token == condWord:
		r.say(at, "syntax error in conditional expression")
	default:
		r.say(at, "syntax error in conditional expression: unexpected token `"+r.token+"'")
	}
	return r.said, r.ended, true
}

func (r *condReader) say(at int, text string) { r.said = append(r.said, said{at, text}) }

// fail says what is wrong, once: what is around it then fails without a word.
func (r *condReader) fail(text string) {
	r.failed, r.token = true, condWord
	if text == "" {
		return
	}
	at := min(r.i, len(r.s))
	if at > 0 && r.s[at-1] == '\n' && at < len(r.s) { // the newline read is of the line it ends
		at--
	}
	r.say(at, text)
}

func (r *condReader) or() {
	for {
		r.and()
		if r.failed || r.token != "||" {
			return
		}
	}
}

func (r *condReader) and() {
	for {
		r.term()
		if r.failed || r.token != "&&" {
			return
		}
	}
}

// next reads a token. Words give condWord and their text.
func (r *condReader) next() (token, word string) {
	for r.i < len(r.s) && (strings.IndexByte(" \t", r.s[r.i]) >= 0 || strings.HasPrefix(r.s[r.i:], "\\\n")) {
		if r.i++; r.s[r.i-1] == '\\' {
			r.i++
		}
	}
	pattern, regex := r.pattern, r.regex
	r.pattern, r.regex = false, false
	if r.i >= len(r.s) {
		if !r.ended && !strings.HasSuffix(r.s, "\n") {
			r.ended = true
			return "newline", ""
		}
		return condEOF, ""
	}
	rest := r.s[r.i:]
	if rest[0] == '#' {
		r.i += max(strings.IndexByte(rest+"\n", '\n'), 0)
		return r.next()
	}
	if rest[0] == '\n' {
		r.i++
		return "newline", ""
	}
	if !regex && !strings.HasPrefix(rest, "<(") && !strings.HasPrefix(rest, ">(") {
		for _, op := range []string{"&&", "||", ";;&", ";;", ";&", "<<<", "<<-", "<<", ">>", "<&", ">&", "<>", ">|", "&>>", "&>", "|&", "(", ")", ";", "&", "|", "<", ">"} {
			if strings.HasPrefix(rest, op) {
				r.i += len(op)
				return op, ""
			}
		}
	}
	from := r.i
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case pattern && strings.IndexByte("?*+@!", c) >= 0 && r.i+1 < len(r.s) && r.s[r.i+1] == '(':
			r.i++
			r.parens()
			continue
		case regex && c == '(':
			r.parens()
			continue
		case regex && c == '|':
		case strings.IndexByte(" \t\n;&|()<>", c) >= 0:
			goto end
		}
		r.i = expand.SkipQuoted(r.s, r.i)
	}
end:
	if r.i == from { // a lone ) where a regular expression should be
		r.i++
		return r.s[from:r.i], ""
	}
	if word = r.s[from:r.i]; word == condEnd {
		return condEnd, ""
	}
	return condWord, word
}

// parens skips what is in parentheses in a pattern.
func (r *condReader) parens() {
	for n := 0; r.i < len(r.s); {
		switch r.s[r.i] {
		case '(':
			n++
		case ')':
			if n--; n == 0 {
				r.i++
				return
			}
		}
		r.i = expand.SkipQuoted(r.s, r.i)
	}
}

// rest reads the token behind a term, over line ends.
func (r *condReader) rest() {
	for {
		if r.token, _ = r.next(); r.token != "newline" {
			return
		}
	}
}

// term reads one term and the token behind it.
func (r *condReader) term() {
	if r.depth++; r.depth > 1000 {
		r.fail("")
		return
	}
	defer func() { r.depth-- }()
	token, word := "newline", ""
	for token == "newline" {
		token, word = r.next()
	}
	switch {
	case token == condEnd:
		r.fail("")
	case token == "(":
		if r.or(); r.token != ")" || r.failed {
			unexpected := ""
			if r.token != condWord {
				unexpected = "unexpected token `" + r.token + "', "
			}
			r.fail(unexpected + "expected `)'")
			return
		}
		r.rest()
	case token == condWord && word == "!":
		r.term()
	case token != condWord:
		r.fail("unexpected token `" + token + "' in conditional command")
	case len(word) == 2 && word[0] == '-' && isUnary(word):
		r.operand("unary")
	default:
		r.binary()
	}
}

// operand reads the argument of an operator, which must be a word.
func (r *condReader) operand(kind string) {
	token, _ := r.next()
	if token == condWord {
		r.rest()
		return
	}
	if token == condEOF {
		r.fail("unexpected argument to conditional " + kind + " operator")
		return
	}
	r.fail("unexpected argument `" + token + "' to conditional " + kind + " operator")
}

// binary reads what follows the first word of a term.
func (r *condReader) binary() {
	token, op := r.next()
	switch {
	case token == condWord && (op == "=~" || isBinary(op)):
		r.regex = op == "=~"
		r.pattern = op == "=" || op == "==" || op == "!="
		r.operand("binary")
	case token == "<" || token == ">":
		r.operand("binary")
	case token == condEnd || token == "&&" || token == "||" || token == ")":
		r.token = token
	case token == condWord:
		r.fail("conditional binary operator expected")
	default:
		r.fail("unexpected token `" + token + "', conditional binary operator expected")
	}
}
