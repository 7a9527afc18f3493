package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// A text the parser refuses is read again as bash reads it, only to find where
// bash's parser would have stopped and what it would have said: which token is
// the first that cannot stand where it is depends on the grammar and on what is
// a token, and the parser's own errors are others. The reader makes nothing of what it
// reads. It has no opinion (fault is nil) about a text in which it finds no error.

// syntaxReader reads tokens as bash's parser does.
type syntaxReader struct {
	account expand.Account // may be nil

	text    string
	at      int  // how far it has been read
	first   int  // the number of the first line
	from    int  // where the current token begins
	shown   int  // where the last token ends, before here-documents
	counted int  // up to where lines have been counted
	lines   int  // of them
	charged int  // up to where the reading has been charged for
	extglob bool // @( ) and its like are patterns
	stream  bool // the text is of a file or of the input, not a string
	ended   bool // the end of a last line without a newline has been read
	tokens
	subst int // how many $( ) are open
	depth int
	deep  bool // too deep to have an opinion
	warn  []warning
	fault *SyntaxError

	aliases *aliasReader // nil: they are not looked for
	noted
}

// stretch is a part of a text.
type stretch struct{ from, to int }

// noted is what has been met on the way.
type noted struct {
	closed     []int // where here-documents ended at the ) of a substitution
	closedWarn []warning
	lists      []stretch // of commands that are open, each with what has been read of it in whole lines
	remark     int       // behind the # of the last comment
	nested     []edit    // what makes two subshells of (( that is no expression
	seams      []seam    // of those, the innermost last
}

// tokens is what decides about the next token. Each substitution has its own.
type tokens struct {
	tok    string // the current one: an operator or a reserved word as it is written, or one of the kinds below
	last   string // the one before it
	before string // and the one before that
	word   string // the text of the current word
	docs   []pendingDoc

	patterns bool // a case pattern is to come: only esac is reserved
	inCase   bool // the word of a case has been read
	body     bool // the { of a function may come
	lead     bool // only redirections have been read of a simple command
	leading  bool // and now what follows one of them
	assigns  bool // operands may be lists: of declare and the like
	list     bool // inside =( )
	cond     bool // inside [[ ]]
	regex    bool // a regular expression is to come
	matches  bool // a pattern is
	braces   int  // how many { are open
	esacs    int
	ins      int // how many in may come
}

// pendingDoc is a here-document whose text has not been read.
type pendingDoc struct {
	delim  string
	tabs   bool // <<-
	quoted bool
}

// Kinds of tokens that are not what they are called.
const (
	tokWord     = "a word"
	tokAssign   = "an assignment"
	tokNumber   = "a number"
	tokNamed    = "a name" // {name} before a redirection
	tokArith    = "an expression"
	tokArithFor = "expressions"
	tokEOF      = "the end"
	tokSubst    = "a substitution"
	tokNone     = ""         // there is an error
	tokReplaced = "an alias" // to token alone: an alias was replaced
)

const maxSyntaxDepth = 500

// syntaxOperators has the longer ones first.
var syntaxOperators = []string{"&>>", "<<<", "<<-", ";;&", "&&", "||", ";;", ";&", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "|&", "(", ")", ";", "&", "|", "<", ">"}

// next reads the next token.
func (r *syntaxReader) next() {
	r.before, r.last = r.last, r.tok
	r.tok = r.token()
}

// lineAt is the number of the line of the last character read.
func (r *syntaxReader) lineAt() int {
	at := max(r.at-1, 0)
	if at < r.counted { // it has been read again
		r.counted, r.lines = 0, 0
	}
	r.lines += strings.Count(r.text[r.counted:at], "\n")
	r.counted = at
	return r.first + r.lines
}

// lastLine is the line that bash names at the end of the text.
func (r *syntaxReader) lastLine() int {
	n := r.first + strings.Count(r.text, "\n")
	if !strings.HasSuffix(r.text, "\n") {
		n++
	}
	return n
}

// fail notes the first error.
func (r *syntaxReader) fail(line int, text string) bool {
	if r.fault == nil {
		r.fault = &SyntaxError{Line: line, Text: text}
	}
	r.tok = tokNone
	return false
}

// unmatched is the error of a text that ends inside something that began in a line.
func (r *syntaxReader) unmatched(line int, closing byte) bool {
	if r.fault == nil {
		r.fail(line, "unexpected EOF while looking for matching `"+string(rune(closing))+"'")
		r.fault.Incomplete, r.fault.open = true, true
	}
	return false
}

// unexpected is the error of a token that cannot stand where it is.
func (r *syntaxReader) unexpected() bool {
	if r.fault != nil {
		return false
	}
	text := r.tok
	switch r.tok {
	case tokEOF:
		if r.subst > 0 {
			r.fail(r.lastLine(), "unexpected EOF while looking for matching `)'")
		} else {
			r.fail(r.lastLine(), "syntax error: unexpected end of file")
		}
		r.fault.Incomplete = true
		return false
	case tokWord, tokAssign, tokNumber, tokArith, tokArithFor:
		if text = r.word; text == "" && r.at < len(r.text) { // the character that ends it has been read, too
			r.at++
		}
	case tokNamed: // bash has no text for it
		text = r.word
	}
	if text = expand.Decode(text); strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		text = expand.QuoteAt(text, false, nil)
	}
	at := r.at
	if r.tok == "newline" {
		at = r.shown
	} else if n := strings.IndexByte(r.text[at:], '\n'); n >= 0 && len(r.docs) > 0 && r.subst == 0 {
		r.at += n + 1 // what the line's here-documents hold is read before the error is told
		r.gather()
	}
	r.fail(r.lineAt(), "syntax error near unexpected token `"+text+"'")
	r.fault.subst, r.fault.list = r.subst > 0 && !r.list, r.list
	from := strings.LastIndexByte(r.text[:max(at-1, 0)], '\n') + 1
	r.fault.source, _, _ = strings.Cut(r.text[from:], "\n")
	if r.aliases != nil {
		r.fault.source = r.asWritten(at)
	}
	return false
}

// tokensCharged is how many bytes are read between two charges.
const tokensCharged = 1 << 10

// joined skips lines that are continued.
func (r *syntaxReader) joined() {
	for strings.HasPrefix(r.text[r.at:], "\\\n") {
		r.at += 2
	}
}

// token reads a token.
func (r *syntaxReader) token() string {
	for {
		if kind := r.tokenOnce(); kind != tokReplaced {
			return kind
		}
	}
}

// tokenOnce is token, but for an alias, which it only puts its value in the place of.
func (r *syntaxReader) tokenOnce() string {
	if r.fault != nil {
		return tokNone
	}
	if n := r.at - r.charged; n > tokensCharged {
		if r.charged = r.at; r.account != nil {
			r.account.Charge(n)
		}
	}
	if len(r.seams) > 0 {
		if kind := r.atSeam(); kind != "" {
			return kind
		}
	}
	for r.joined(); r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t'); r.joined() {
		r.at++
	}
	if r.at < len(r.text) && r.text[r.at] == '#' {
		r.remark = r.at + 1
		r.at = lineEnd(r.text, r.at)
	}
	r.from = r.at
	if r.at >= len(r.text) {
		if r.ended || strings.HasSuffix(r.text, "\n") || r.text == "" {
			return tokEOF
		}
		r.ended, r.assigns = true, false
		r.at = len(r.text)
		r.shown = r.at
		r.gather()
		return "newline"
	}
	if r.text[r.at] == '\n' {
		r.noAlias()
		r.at++
		r.assigns, r.shown = false, r.at
		r.gather()
		return "newline"
	}
	if r.regex {
		return r.wordToken()
	}
	for _, op := range syntaxOperators {
		if strings.HasPrefix(r.text[r.at:], op) {
			if (op == "<" || op == ">") && strings.HasPrefix(r.text[r.at+1:], "(") {
				break
			}
			return r.operator(op)
		}
	}
	if r.text[r.at] == '-' && (r.last == "<&" || r.last == ">&") {
		r.at++
		return "-"
	}
	return r.wordToken()
}

// operator takes an operator, or the expression that begins with it.
func (r *syntaxReader) operator(op string) string {
	r.assigns = false
	if op[0] == '<' || op[0] == '>' {
		r.noAlias()
	}
	if inner := r.second(); inner > 0 && (r.last == "for" || r.reservable()) {
		from, line := r.at, r.lineAt()
		r.at = inner
		if !r.pair('(', ')', 0) {
			r.fault.Line = line
			return tokNone
		}
		if strings.HasPrefix(r.text[r.at:], ")") {
			r.word = r.text[inner : r.at-1]
			r.at++
			if r.last == "for" {
				return tokArithFor
			}
			return tokArith
		}
		if r.last != "for" {
			r.nest(from+1, r.at)
		}
		r.at = from
	}
	r.at += len(op)
	switch op {
	case ";;", ";&", ";;&":
		r.patterns = true
	case ")":
		if r.last == "(" && r.before == tokWord {
			r.body = true
		}
		r.patterns = false
	}
	return op
}

// reservable reports whether a reserved word may follow the last token.
func (r *syntaxReader) reservable() bool {
	switch r.last {
	case "newline", ";", "(", ")", "|", "&", "{", "}", "&&", tokArith, "!", "|&", "]]", "do", "done", "elif", "else", "esac", "fi", "if", "||",
		";;", ";&", ";;&", "then", "time", "time -p", "time --", "coproc", "until", "while", tokSubst, tokNone:
		return true
	case tokWord:
		return r.before == "coproc" || r.before == "function"
	}
	return false
}

// assignable reports whether an assignment may follow the last token.
func (r *syntaxReader) assignable() bool {
	if r.patterns {
		return false
	}
	return r.last == tokAssign || r.leading || r.last != ";;" && r.last != ";&" && r.last != ";;&" && r.reservable()
}

// wordToken reads a word and says what it is here.
func (r *syntaxReader) wordToken() string {
	from := r.at
	quoted, dollar, ok := r.readWord()
	if !ok {
		return tokNone
	}
	w := strings.ReplaceAll(r.text[from:r.at], "\\\n", "")
	r.word = w
	next := byte(0)
	if r.at < len(r.text) {
		next = r.text[r.at]
	}
	redirects := next == '<' || next == '>'
	if strings.Trim(w, "0123456789") == "" && (redirects || r.last == "<&" || r.last == ">&") {
		return tokNumber
	}
	if kind := r.specialWord(w); kind != "" {
		return kind
	}
	if r.aliases != nil && !quoted && !r.regex {
		if kind := r.posixReserved(w, dollar); kind != "" {
			return kind
		}
		if r.alias(from, w) {
			return tokReplaced
		}
	}
	if !quoted && !dollar && r.reservable() {
		if kind := r.reservedWord(w); kind != "" {
			return kind
		}
	}
	kind := tokWord
	if isAssignment(w) && (r.assignable() || r.list) {
		kind = tokAssign
	}
	if r.last == tokAssign || r.reservable() {
		switch w {
		case "declare", "typeset", "local", "export", "readonly", "alias", "eval", "let":
			r.assigns = true
		}
	}
	if redirects && len(w) > 2 && w[0] == '{' && w[len(w)-1] == '}' {
		if base, _ := splitRef(w[1 : len(w)-1]); validName(base) {
			return tokNamed
		}
	}
	switch r.last {
	case "function":
		r.body = true
	case "case", "select", "for":
		r.ins++
	}
	return kind
}

// posixReserved gives a reserved word that is one before it can be an alias.
func (r *syntaxReader) posixReserved(w string, dollar bool) string {
	if !r.aliases.posix || dollar || !r.reservable() {
		return ""
	}
	return r.reservedWord(w)
}

// isAssignment reports whether a word has the form of an assignment.
func isAssignment(w string) bool {
	i := strings.IndexByte(w, '=')
	if b := strings.IndexByte(w, '['); b >= 0 && b < i {
		end := strings.LastIndexByte(w, ']')
		if end < b || !strings.HasPrefix(w[end+1:], "=") && !strings.HasPrefix(w[end+1:], "+=") {
			return false
		}
		return b == 0 || validName(w[:b])
	}
	return i > 0 && validName(strings.TrimSuffix(w[:i], "+"))
}

// specialWord gives the words that are reserved because of what stands before them.
func (r *syntaxReader) specialWord(w string) string {
	loop := r.before == "for" || r.before == "select"
	body := r.body
	r.body = false
	switch {
	case w == "in" && (r.last == tokWord && (loop || r.before == "case") || r.ins > 0 && (r.last == tokWord || r.last == "newline")):
		if r.before == "case" || !loop && r.inCase {
			r.patterns = true
			r.esacs++
		}
		r.ins = max(r.ins-1, 0)
		return "in"
	case w == "do" && (r.ins > 0 && (r.last == "newline" || r.last == ";") || r.last == tokWord && loop):
		r.ins = max(r.ins-1, 0)
		return "do"
	case w == "esac" && r.esacs > 0 && r.last == "in":
		r.esacs--
		r.patterns = false
		return "esac"
	case w == "{" && body:
		r.braces++
		return "{"
	case r.last == tokArithFor && (w == "do" || w == "{"):
		if w == "{" {
			r.braces++
		}
		return w
	case w == "}" && r.braces > 0 && r.reservable():
		r.braces--
		return "}"
	case w == "]]" && r.cond:
		return w
	case w == "-p" && r.last == "time":
		return "time -p"
	case w == "--" && (r.last == "time" || r.last == "time -p"):
		return "time --"
	}
	return ""
}

// reservedWord gives a reserved word that stands where one may.
func (r *syntaxReader) reservedWord(w string) string {
	switch w {
	case "esac":
		if r.patterns && (r.last == "|" || r.last == "(") {
			return ""
		}
		r.patterns, r.inCase = false, false
		r.esacs--
		return w
	case "if", "then", "else", "elif", "fi", "case", "for", "select", "while", "until", "do", "done", "in", "function", "{", "}", "!", "[[", "]]", "coproc":
	case "time":
		switch r.last {
		case tokWord, "|", "|&", "}", "fi", "done", "esac", "]]", tokArith, "coproc":
			return ""
		}
	default:
		return ""
	}
	if r.patterns {
		return ""
	}
	switch w {
	case "case":
		r.inCase = true
	case "{":
		r.braces++
	case "}":
		r.braces = max(r.braces-1, 0)
	}
	return w
}

// readWord goes to the end of a word.
func (r *syntaxReader) readWord() (quoted, dollar, ok bool) {
	from := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		follows := byte(0)
		if r.at+1 < len(r.text) {
			follows = r.text[r.at+1]
		}
		switch {
		case c == '\\' && follows == '\n':
			r.at += 2
			continue
		case c == '\\':
			quoted = true
			r.at = min(r.at+2, len(r.text))
			continue
		case c == '\'' || c == '"' || c == '`':
			quoted = quoted || c != '`'
			r.at++
			if !r.pair(c, c, 0) {
				return quoted, dollar, false
			}
			continue
		case r.regex && c == '|':
		case r.regex && c == '(', (r.extglob || r.matches) && strings.IndexByte("?*+@!", c) >= 0 && follows == '(':
			if r.at++; c != '(' {
				r.at++
			}
			if !r.pair('(', ')', 0) {
				return quoted, dollar, false
			}
			continue
		case (c == '$' || c == '<' || c == '>') && follows == '(', c == '$' && (follows == '{' || follows == '['):
			dollar = true
			if !r.expansion() {
				return quoted, dollar, false
			}
			continue
		case c == '$' && (follows == '\'' || follows == '"'):
			quoted = true
			r.at += 2
			if !r.pair(follows, follows, pairEscapes) {
				return quoted, dollar, false
			}
			continue
		case c == '$' && follows == '$':
			dollar = true
			r.at += 2
			continue
		case c == '[' && (r.at > from && r.assignable() && validName(r.text[from:r.at]) || r.at == from && r.list):
			r.at++
			if !r.pair('[', ']', pairSubscript) {
				return quoted, dollar, false
			}
			continue
		case c == '=' && follows == '(' && (r.assignable() || r.assigns) && isAssignment(r.text[from:r.at+1]):
			r.at += 2
			if !r.elements() {
				return quoted, dollar, false
			}
			continue
		case strings.IndexByte(" \t\n;&|()<>", c) >= 0:
			return quoted, dollar, true
		}
		dollar = dollar || c == '$'
		r.at++
	}
	return quoted, dollar, true
}
