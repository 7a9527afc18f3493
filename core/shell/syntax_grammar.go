package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// faultIn gives the error that bash finds in a text, nil if it finds none in the first command line.
// a, which may be nil, is charged.
func faultIn(a expand.Account, text string, line int, extglob bool) *SyntaxError {
	r := newSyntaxReader(a, text, line, extglob)
	r.line()
	if r.fault == nil || r.deep {
		return nil
	}
	r.fault.warn = r.warn
	return r.fault
}

func newSyntaxReader(a expand.Account, text string, line int, extglob bool) *syntaxReader {
	return &syntaxReader{account: a, text: text, first: line, extglob: extglob, tokens: tokens{tok: "newline", last: "newline"}}
}

// line reads the first command line.
func (r *syntaxReader) line() {
	r.next()
	for r.tok == "newline" {
		r.next()
	}
	if r.tok != tokEOF && r.pipelines() {
		for r.fault == nil && (r.tok == ";" || r.tok == "&") {
			if r.next(); r.tok == "newline" || r.tok == tokEOF || !r.pipelines() {
				break
			}
		}
		if r.tok != "newline" && r.tok != tokEOF {
			r.unexpected()
		}
	}
}

func (r *syntaxReader) newlines() {
	for r.tok == "newline" {
		r.next()
	}
}

// want takes a token that must come.
func (r *syntaxReader) want(tok string) bool {
	if r.tok != tok {
		return r.unexpected()
	}
	r.next()
	return r.fault == nil
}

// commands reads one or more command lines, up to a token that begins none.
func (r *syntaxReader) commands() bool {
	r.newlines()
	r.lists = append(r.lists, stretch{r.from, r.from})
	for {
		if !r.pipelines() {
			return false
		}
		if r.tok != ";" && r.tok != "&" && r.tok != "newline" {
			break
		}
		whole := r.tok == "newline" && r.subst == 0 && len(r.docs) == 0
		r.next()
		r.newlines()
		if whole && r.fault == nil {
			r.lists[len(r.lists)-1].to = r.from
		}
		if !r.begins() {
			break
		}
	}
	if r.fault != nil {
		return false
	}
	r.lists = r.lists[:len(r.lists)-1]
	return true
}

// rest is a text that ended too early without the whole commands in what is open
// in it: it goes on where the text does.
func (r *syntaxReader) rest() string {
	var b strings.Builder
	from := 0
	for _, l := range r.lists {
		if l.to > l.from && l.from >= from {
			b.WriteString(r.text[from:l.from])
			b.WriteString(":\n")
			from = l.to
		}
	}
	b.WriteString(r.text[from:])
	return b.String()
}

// pipelines reads a && b || c.
func (r *syntaxReader) pipelines() bool {
	for {
		if !r.pipeline() {
			return false
		}
		if r.tok != "&&" && r.tok != "||" {
			return r.fault == nil
		}
		r.next()
		r.newlines()
	}
}

func (r *syntaxReader) pipeline() bool {
	if r.depth++; r.depth > maxSyntaxDepth {
		return r.tooDeep()
	}
	defer func() { r.depth-- }()
	for r.tok == "!" || r.tok == "time" {
		timed := r.tok == "time"
		r.next()
		for timed && (r.tok == "time -p" || r.tok == "time --") {
			r.next()
		}
		if r.tok == ";" || r.tok == "newline" || r.tok == tokEOF {
			return true
		}
	}
	for {
		if !r.command() {
			return false
		}
		if r.tok != "|" && r.tok != "|&" {
			return r.fault == nil
		}
		r.next()
		r.newlines()
	}
}

// begins reports whether the current token begins a command.
func (r *syntaxReader) begins() bool {
	switch r.tok {
	case tokWord, tokAssign, "function", "!", "time", "coproc":
		return true
	}
	return r.redirects() || r.compounds()
}

// compounds reports whether it begins a compound command.
func (r *syntaxReader) compounds() bool {
	switch r.tok {
	case "if", "while", "until", "for", "select", "case", "(", "{", "[[", tokArith:
		return true
	}
	return false
}

// redirects reports whether it begins a redirection.
func (r *syntaxReader) redirects() bool {
	switch r.tok {
	case tokNumber, tokNamed, "<", ">", ">>", "<<", "<<-", "<<<", "<&", ">&", "<>", ">|", "&>", "&>>":
		return true
	}
	return false
}

func (r *syntaxReader) command() bool {
	switch {
	case r.compounds():
		return r.compound() && r.redirections()
	case r.tok == "function":
		return r.function()
	case r.tok == "coproc":
		if r.next(); r.compounds() {
			return r.compound() && r.redirections()
		}
		if r.tok == tokWord {
			if r.next(); r.compounds() {
				return r.compound() && r.redirections()
			}
			return r.elementsOf(1)
		}
		return r.simple()
	}
	return r.simple()
}

func (r *syntaxReader) simple() bool {
	if r.tok == tokWord {
		if r.next(); r.tok == "(" {
			r.next()
			if !r.want(")") {
				return false
			}
			r.newlines()
			return r.functionBody()
		}
		return r.elementsOf(1)
	}
	return r.elementsOf(0)
}

// elementsOf reads the words of a simple command of which n have been read.
func (r *syntaxReader) elementsOf(n int) bool {
	lead := n == 0
	for ; ; n++ {
		switch {
		case r.tok == tokWord || r.tok == tokAssign:
			lead = false
			r.next()
		case r.redirects():
			r.lead = lead
			if !r.redirection() {
				return false
			}
		case n == 0:
			return r.unexpected()
		default:
			return r.fault == nil
		}
	}
}

func (r *syntaxReader) redirections() bool {
	for r.redirects() {
		if !r.redirection() {
			return false
		}
	}
	return r.fault == nil
}

func (r *syntaxReader) redirection() bool {
	if r.tok == tokNumber || r.tok == tokNamed {
		if r.next(); !r.redirects() || r.tok == tokNumber || r.tok == tokNamed || strings.HasPrefix(r.tok, "&") {
			return r.unexpected()
		}
	}
	op := r.tok
	r.next()
	dup := op == "<&" || op == ">&"
	if r.tok != tokWord && !(dup && (r.tok == tokNumber || r.tok == "-")) {
		return r.unexpected()
	}
	if op == "<<" || op == "<<-" {
		delim, quoted := expand.HereDelim(r.word)
		r.docs = append(r.docs, pendingDoc{delim, op == "<<-", quoted})
	}
	r.leading, r.lead = r.lead, false
	r.next()
	r.leading = false
	return r.fault == nil
}

func (r *syntaxReader) function() bool {
	r.next()
	if !r.want(tokWord) {
		return false
	}
	if r.tok == "(" {
		if r.next(); r.tok == ")" {
			r.next()
		} else if !r.begins() && r.tok != "newline" { // a subshell is the body
			return r.unexpected()
		} else {
			return r.commands() && r.want(")") && r.redirections()
		}
	}
	r.newlines()
	return r.functionBody()
}

func (r *syntaxReader) functionBody() bool {
	if !r.compounds() {
		return r.unexpected()
	}
	return r.compound() && r.redirections()
}

// compound reads a compound command.
func (r *syntaxReader) compound() bool {
	if r.depth++; r.depth > maxSyntaxDepth {
		return r.tooDeep()
	}
	defer func() { r.depth-- }()
	kind := r.tok
	switch kind {
	case "[[":
		return r.conditional()
	case tokArith:
		r.next()
		return r.fault == nil
	case "for", "select":
		return r.loop()
	case "case":
		return r.cases()
	}
	r.next()
	if !r.commands() {
		return false
	}
	switch kind {
	case "(":
		return r.want(")")
	case "{":
		return r.want("}")
	case "if":
		for r.want("then") && r.commands() {
			if r.tok != "elif" {
				break
			}
			if r.next(); !r.commands() {
				return false
			}
		}
		if r.fault == nil && r.tok == "else" {
			if r.next(); !r.commands() {
				return false
			}
		}
		return r.fault == nil && r.want("fi")
	}
	return r.want("do") && r.commands() && r.want("done")
}

// loop reads for and select.
func (r *syntaxReader) loop() bool {
	kind := r.tok
	r.next()
	switch {
	case kind == "for" && r.tok == tokArithFor:
		line, parts := r.lineAt()-strings.Count(r.word, "\n"), r.word
		defer func() {
			if r.fault == nil {
				r.threeParts(line, parts)
			}
		}()
		if r.next(); r.tok == ";" || r.tok == "newline" {
			r.next()
			r.newlines()
		}
	case r.tok != tokWord:
		return r.unexpected()
	default:
		if r.next(); r.tok == ";" {
			r.next()
			r.newlines()
			break
		}
		if r.newlines(); r.tok != "in" {
			break
		}
		for r.next(); r.tok == tokWord; {
			r.next()
		}
		if r.tok != ";" && r.tok != "newline" {
			return r.unexpected()
		}
		r.next()
		r.newlines()
	}
	if r.tok == "{" {
		r.next()
		return r.commands() && r.want("}")
	}
	return r.want("do") && r.commands() && r.want("done")
}

// threeParts looks at what is between the parentheses of an arithmetic for when
// all of the loop has been read, as bash does.
func (r *syntaxReader) threeParts(line int, text string) {
	parts, why := 1, "syntax error: arithmetic expression required"
	for i, open := 0, 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
		case '\'', '"', '`':
			if n := strings.IndexByte(text[i+1:], c); n >= 0 {
				i += n + 1
			}
		case '(', '{':
			open++
		case ')', '}':
			open--
		case ';':
			if open == 0 {
				parts++
			}
		}
	}
	switch {
	case parts == 3:
		return
	case parts > 3:
		why = "syntax error: `;' unexpected"
	}
	r.fail(line, why)
	r.fault.more = append(r.fault.more, toldLine{line, "syntax error: `((" + text + "))'"})
}

// cases reads case.
func (r *syntaxReader) cases() bool {
	r.next()
	if !r.want(tokWord) {
		return false
	}
	r.newlines()
	if !r.want("in") {
		return false
	}
	for {
		if r.newlines(); r.tok == "esac" {
			break
		}
		if r.tok == "(" {
			r.next()
		}
		for {
			if !r.want(tokWord) {
				return false
			}
			if r.tok != "|" {
				break
			}
			r.next()
		}
		if !r.want(")") {
			return false
		}
		if r.newlines(); r.begins() && !r.commands() {
			return false
		}
		if r.tok != ";;" && r.tok != ";&" && r.tok != ";;&" {
			break
		}
		r.next()
	}
	return r.want("esac")
}
