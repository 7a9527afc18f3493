package shell

import (
	"errors"
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// syntaxError turns the parser's error into bash's.
func syntaxError(a expand.Account, err error, text string, line int) *SyntaxError {
	if errors.Is(err, errDepth) {
		return &SyntaxError{Line: line, Text: "eryxsh: input nested too deeply", Depth: true}
	}
	if e := faultIn(a, text, line, false); e != nil {
		e.place(err)
		return e
	}
	var pe syntax.ParseError
	if errors.As(err, &pe) {
		e := &SyntaxError{Line: line + int(pe.Pos.Line()) - 1, Column: int(pe.Pos.Col()), Incomplete: pe.Incomplete, at: int(pe.Pos.Offset())}
		token, end := "", false
		defer func() { e.open = !end && strings.HasPrefix(e.Text, "unexpected EOF") }()
		if e.Text, end = unclosed(pe, text); e.Text == "" {
			if token = unexpected(pe, text); token == "" {
				e.Text, end = "syntax error: unexpected end of file", true
			}
		}
		if end { // bash has read all lines when it says so
			e.Line = line + strings.Count(text, "\n")
			if !strings.HasSuffix(text, "\n") {
				e.Line++
			}
		}
		if token != "" {
			e.near(token, text, e.Line-line)
			e.inside(text[:min(e.at, len(text))])
		}
		return e
	}
	var le syntax.LangError
	if errors.As(err, &le) {
		e := &SyntaxError{Line: line + int(le.Pos.Line()) - 1, Column: int(le.Pos.Col()), at: int(le.Pos.Offset())}
		e.near(tokenAt(text, int(le.Pos.Offset())), text, e.Line-line)
		return e
	}
	return &SyntaxError{Line: line, Text: "syntax error: " + err.Error()}
}

// place notes where the parser found the error.
func (e *SyntaxError) place(err error) {
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		e.at, e.Column = int(pe.Pos.Offset()), int(pe.Pos.Col())
	case errors.As(err, &le):
		e.at, e.Column = int(le.Pos.Offset()), int(le.Pos.Col())
	}
}

// inside notes whether a text, up to the error, ends inside $( ), <( ) or >( ),
// or in a list.
func (e *SyntaxError) inside(text string) {
	var open []byte // of what is open: a quote, ( or the $, <, > or = before it
	top := func() byte {
		if len(open) == 0 {
			return 0
		}
		return open[len(open)-1]
	}
	for i := 0; i < len(text); i++ {
		quoted := top() == '"'
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"' && quoted, c == ')' && !quoted && top() != 0:
			open = open[:len(open)-1]
		case c == '"':
			open = append(open, c)
		case c == '\'' && !quoted:
			if n := strings.IndexByte(text[i+1:], '\''); n >= 0 {
				i += n + 1
			}
		case strings.IndexByte("$<>", c) >= 0 && strings.HasPrefix(text[i+1:], "(") && (!quoted || c == '$'):
			open = append(open, c)
			i++
		case c == '(' && !quoted:
			if i > 0 && text[i-1] == '=' {
				c = '='
			}
			open = append(open, c)
		}
	}
	e.subst, e.list = strings.ContainsAny(string(open), "$<>"), top() == '='
}

// near words the error for a token in line n of text.
func (e *SyntaxError) near(token, text string, n int) {
	e.Text = "syntax error near unexpected token `" + token + "'"
	for range n {
		_, text, _ = strings.Cut(text, "\n")
	}
	e.source, _, _ = strings.Cut(text, "\n")
}

// unclosed words the error for a text that ends inside quotes or brackets. end
// says that bash names the last line and not the one where they open.
func unclosed(pe syntax.ParseError, text string) (words string, end bool) {
	off := int(pe.Pos.Offset())
	closing := ""
	switch {
	case strings.Contains(pe.Text, "closing quote"):
		closing = pe.Text[len(pe.Text)-2 : len(pe.Text)-1]
	case strings.Contains(pe.Text, "invalid parameter name") && off >= len(text),
		strings.HasPrefix(pe.Text, "not a valid parameter expansion operator") && strings.IndexByte(text[min(off, len(text)):], '}') < 0:
		closing = "}"
	case !pe.Incomplete || !strings.Contains(pe.Text, "without matching"):
		return "", false
	case strings.Contains(pe.Text, "`$(`"):
		closing, end = ")", true
	case strings.Contains(pe.Text, "((`"), unclosedArray(pe, text):
		closing = ")"
	case strings.Contains(pe.Text, "`${"):
		closing = "}"
	default:
		return "", false
	}
	return "unexpected EOF while looking for matching `" + closing + "'", end
}

func unclosedArray(pe syntax.ParseError, text string) bool {
	off := int(pe.Pos.Offset())
	return strings.Contains(pe.Text, "without matching `(`") && off > 0 && off <= len(text) && text[off-1] == '='
}

// unexpected is the token at which bash would have found the error, "" at the end of the text.
func unexpected(pe syntax.ParseError, text string) string {
	off := min(int(pe.Pos.Offset()), len(text))
	after, _, follows := strings.Cut(pe.Text, "` must be followed by ")
	if !follows || pe.Incomplete && strings.HasPrefix(what(pe.Text), "a statement") {
		if pe.Incomplete {
			return ""
		}
		return tokenAt(text, off)
	}
	wants := what(pe.Text)
	word := strings.TrimPrefix(after, "`")
	rest := text[off:]
	if strings.HasPrefix(rest, word) {
		rest = rest[len(word):]
	} else if i := strings.IndexAny(rest, ";\n"); i >= 0 {
		rest = rest[i+1:]
	}
	blanks := " \t"
	if strings.HasPrefix(wants, "a statement") || wants == "`do`" {
		blanks = " \t\n"
	}
	rest = strings.TrimLeft(rest, blanks)
	if rest == "" {
		if strings.HasPrefix(wants, "a ") && blanks == " \t" {
			return "newline"
		}
		return ""
	}
	return tokenAt(rest, 0)
}

// what is what the parser says must follow.
func what(text string) string {
	_, w, _ := strings.Cut(text, "must be followed by ")
	return w
}

// tokenAt is the token bash would name at an offset.
func tokenAt(text string, off int) string {
	if off >= len(text) {
		return ""
	}
	t := text[off:]
	if t[0] == '\n' {
		return "newline"
	}
	for _, op := range []string{"&&", "||", ";;&", ";;", ";&", "<<<", "<<-", "<<", ">>", "<&", ">&", "<>", ">|", "&>>", "&>", "|&", "(", ")", ";", "&", "|", "<", ">"} {
		if strings.HasPrefix(t, op) {
			return op
		}
	}
	if i := strings.IndexAny(t, " \t\n;&|()<>"); i > 0 {
		return t[:i]
	}
	return t
}
