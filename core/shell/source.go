package shell

import (
	"errors"
	"fmt"
	"io"
	"iter"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// Guards of the parser, which recurses on its input without a limit of its
// own, and of every recursive walk over what it gives.
const (
	parseFrames = 8192 // Go stack frames at a read: about 1,000 levels of nesting
	parseNodes  = 8192 // depth of a syntax tree
	unitBytes   = 64 << 20
	lookEvery   = 512     // bytes between two looks at the stack
	maxRemarks  = 1 << 18 // comment lines on end inside a command: the parser calls itself at each
)

// errDepth ends a parse that nests too deeply.
var errDepth = errors.New("nested too deeply")

// SyntaxError is a syntax error as bash words it. Line counts from the text's first line.
type SyntaxError struct {
	Line, Column int
	Text         string
	Depth        bool       // the parser's depth limit, not the text's fault
	Incomplete   bool       // the text ended too early
	Cond         bool       // inside [[ ]], where it is not called a syntax error
	open         bool       // inside quotes
	at           int        // offset in the text parsed
	more         []toldLine // what is said after it
	warn         []warning  // and before
	subst        bool       // inside $( ): the shell ends
	list         bool       // inside =( ): the status is 1
	source       string     // the line, which bash shows below the message; "" where it does not
}

// toldLine is a message that names a line.
type toldLine struct {
	line int
	text string
}

// Error is the message in bash's words, without "bash: line N:".
func (e *SyntaxError) Error() string { return e.Text }

// lineReader hands out a text line by line, so that a command is known before
// the line after it is read, and ends when the parser's stack is too deep.
type lineReader struct {
	account expand.Account // charged for what the parser makes; may be nil
	made    int            // bytes of that, about

	text    string
	off     int
	checked int
	stop    bool
	deep    bool   // the text nests too deeply
	tail    string // appended at the end: closes a here-document the text leaves open

	between bool // a unit has ended: comments before the next one are not handed out
	remarks int  // lines just handed out that may be comments
	given   int  // bytes handed out, which the parser's offsets count
	lines   int  // of them, newlines
}

func (r *lineReader) Read(p []byte) (int, error) {
	if r.stop {
		return 0, io.EOF
	}
	if r.off >= len(r.text) {
		if r.tail != "" {
			n := copy(p, r.tail)
			r.tail = r.tail[n:]
			return n, nil
		}
		return 0, io.EOF
	}
	if r.off > unitBytes {
		return r.tooDeep()
	}
	if r.off-r.checked >= lookEvery*(1+min(r.remarks, maxRemarks)/256) { // a look takes as long as the stack is high
		var pc [1]uintptr
		if goruntime.Callers(parseFrames+min(r.remarks, maxRemarks), pc[:]) > 0 {
			return r.tooDeep()
		}
		r.checked = r.off
	}
	if r.between {
		r.off, r.between = skipComments(r.text, r.off), false
		if r.off == len(r.text) {
			return 0, io.EOF
		}
	}
	line := r.text[r.off:min(len(r.text), r.off+len(p))]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
		r.lines++
		if r.remarks++; skipComments(line, 0) < len(line) {
			r.remarks = 0
		}
	}
	r.pay(line)
	r.off += len(line)
	r.given += len(line)
	return copy(p, line), nil
}

// tooDeep ends the text for the parser, which goes round for ever at times when its
// reader gives another error.
func (r *lineReader) tooDeep() (int, error) {
	r.deep = true
	return 0, io.EOF
}

// What the parser makes of a token, about, in bytes: of one that ends a command, the statement, too, and of | what joins two.
const (
	tokenBytes = 160
	stmtBytes  = 256
	pipeBytes  = 400
)

// pay charges for what the parser will make of a piece of text.
func (r *lineReader) pay(text string) {
	if r.account == nil {
		return
	}
	tokens, made := 0, len(text)
	for i := range len(text) {
		switch text[i] {
		case '|':
			made += pipeBytes
		case ';', '&':
			made += stmtBytes
		case ' ', '\t', '\n', '(', ')', '<', '>', '$', '"', '\'', '`', '{', '}':
			made += tokenBytes
		default:
			continue
		}
		tokens++
	}
	r.made += made
	r.account.Charge(len(text)/4 + tokens*4)
	r.account.Hold(r.made)
}

// skipComments gives the offset of the first line from off on that is neither
// blank nor a comment. The parser would nest one level deeper at each.
func skipComments(text string, off int) int {
	for off < len(text) {
		i := off
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i < len(text) && text[i] != '\n' && text[i] != '#' {
			return off
		}
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		off = i + n + 1
	}
	return off
}

// parsers are reused: one costs several KiB. They hold no state between parses.
var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// parseUnit parses the commands of the first complete line of text, as bash
// reads them. It gives their statements and how many bytes they took; no
// statements means that nothing but blanks and comments was left.
// Leaving StmtsSeq early can panic, so the reader ends the input instead.
func parseUnit(a expand.Account, text string) (stmts []*syntax.Stmt, n int, err error) {
	if stmts, n, err = parseLine(a, text); err == nil && faulty(a, text[:n]) {
		err = errRefused
	}
	return stmts, n, err
}

// maxOpenDocs is how many here-documents of a line may be without an end: as many as bash reads.
const maxOpenDocs = 16

// unclosedDoc is what the parser says of a here-document that does not end, in front of its delimiter in Go's quotes.
const unclosedDoc = "unclosed here-document "

// errRefused is of a line that the parser takes and bash does not.
var errRefused = errors.New("refused")

// faulty reports whether bash finds an error in the first command line of a text, or a (( that is no expression.
func faulty(a expand.Account, text string) bool {
	r := newSyntaxReader(a, text, 1, true)
	r.line()
	return r.faulty()
}

func (r *syntaxReader) faulty() bool { return !r.deep && (r.fault != nil || len(r.nested) > 0) }

// otherToBash reports whether a line that the parser refuses is faulty, or will
// be read again with the ends of its here-documents on lines of their own.
func otherToBash(a expand.Account, text string) bool {
	r := newSyntaxReader(a, text, 1, true)
	r.line()
	return r.faulty() || !r.deep && len(r.closed) > 0
}

// hides reports whether a line has something that the parser must not see.
func hides(a expand.Account, text string) bool {
	_, ok := expand.Hide(text, a)
	return ok
}

// parseLine is parseUnit for what the parser knows.
func parseLine(a expand.Account, text string) (stmts []*syntax.Stmt, n int, err error) {
	stmts, n, err = parseOnce(a, text, "")
	if err != nil && !errors.Is(err, errDepth) && !otherToBash(a, text) {
		for piece := range pieces(text, 0) {
			if s2, n2, ok := parseOtherwise(a, piece); ok && (n2 == len(text) || n2 < len(piece) && standsAlone(a, text[:n2])) {
				return s2, n2, nil
			}
		}
	}
	var pe syntax.ParseError
	if err != nil && errors.As(err, &pe) && strings.Contains(pe.Text, unclosedDoc) {
		// bash takes the rest of the text as the body, and as that of those that follow
		tail := ""
		for range maxOpenDocs {
			_, word, _ := strings.Cut(pe.Text, unclosedDoc)
			word, _ = strconv.QuotedPrefix(word)
			word, _ = strconv.Unquote(word)
			tail += "\n" + word + "\n"
			s2, n2, err2 := parseOnce(a, text, tail)
			if err2 == nil {
				return s2, min(n2, len(text)), nil
			}
			if !errors.As(err2, &pe) || !strings.Contains(pe.Text, unclosedDoc) {
				break
			}
		}
	}
	return stmts, n, err
}

// parseOtherwise parses a text that the parser refuses: what package expand
// reads by its own rules may be no syntax to it.
func parseOtherwise(a expand.Account, text string) (stmts []*syntax.Stmt, n int, ok bool) {
	masked, ok := expand.Mask(text, a)
	if ok {
		if stmts, n, err := parseOnce(a, masked, ""); err == nil {
			return stmts, n, true
		}
	}
	if stmts, n, ok := parseBuiltins(a, masked); ok {
		return stmts, n, true
	}
	if stmts, n, ok := parseRepaired(a, masked); ok {
		return stmts, n, true
	}
	if i := strings.Index(masked, "time ! "); i >= 0 { // to bash the same as ! time
		if stmts, n, err := parseOnce(a, masked[:i]+"! time "+masked[i+len("time ! "):], ""); err == nil {
			return stmts, n, true
		}
	}
	if masked, ok := expand.MaskNames(text, a); ok {
		return parseBuiltins(a, masked)
	}
	return nil, 0, false
}

// standsAlone reports whether the text of a unit is one without what follows
// it: so it is saved. What was hidden from the parser may have gone on behind it.
func standsAlone(a expand.Account, text string) bool {
	if _, n, err := parseOnce(a, text, ""); err == nil {
		return n == len(text)
	}
	_, n, ok := parseOtherwise(a, text)
	return ok && n == len(text)
}

// parseRepaired parses a text that the parser refuses in one place after the
// other, each of which package expand can hide from it.
func parseRepaired(a expand.Account, text string) ([]*syntax.Stmt, int, bool) {
	for range 16 {
		stmts, n, err := parseOnce(a, text, "")
		if err == nil {
			return stmts, n, true
		}
		var pe syntax.ParseError
		var le syntax.LangError
		switch {
		case errors.As(err, &pe):
			text, err = repaired(text, pe.Text, int(pe.Pos.Offset()))
		case errors.As(err, &le):
			text, err = repaired(text, le.Error(), int(le.Pos.Offset()))
		}
		if err != nil {
			return nil, 0, false
		}
	}
	return nil, 0, false
}

func repaired(text, why string, at int) (string, error) {
	text, ok := expand.Repair(text, why, at)
	if !ok {
		return text, errors.New(why)
	}
	return text, nil
}

// parseBuiltins parses a text in which declarations the parser refuses, such
// as local a-b=c or let alone, are ordinary commands, as they are to bash: they
// fail when they run. It breaks the keyword before each error.
func parseBuiltins(a expand.Account, text string) ([]*syntax.Stmt, int, bool) {
	for range 16 {
		stmts, n, err := parseOnce(a, text, "")
		if err == nil {
			return stmts, n, true
		}
		last := -1
		var pe syntax.ParseError
		var le syntax.LangError
		switch {
		case errors.As(err, &pe):
			last = keywordBefore(text, int(pe.Pos.Offset()))
		case errors.As(err, &le) && strings.HasPrefix(le.Feature, "redirects before"):
			last = keywordBehind(text, int(le.Pos.Offset()))
		}
		if last < 0 {
			return nil, 0, false
		}
		text = text[:last] + "_" + text[last+1:]
	}
	return nil, 0, false
}

// keywordBefore finds the last declaration in the line of an error, up to it.
func keywordBefore(text string, off int) int {
	at := min(off+len("readonly"), len(text))
	line := strings.LastIndexByte(text[:min(off, len(text))], '\n') + 1
	last := -1
	for _, kw := range declarations {
		i := line + strings.LastIndex(text[line:at], kw)
		if i >= line && i <= off && standsApart(text, i, i+len(kw)) {
			last = max(last, i)
		}
	}
	return last
}

// keywordBehind finds the word that is none to bash behind the redirections that begin at an offset.
func keywordBehind(text string, off int) int {
	line, _, _ := strings.Cut(text[off:], "\n")
	first := -1
	for _, kw := range slices.Concat(declarations, []string{"[[", "{", "if", "while", "until", "for", "case", "select", "function", "time", "coproc"}) {
		for i := strings.Index(line, kw); i >= 0 && (first < 0 || off+i < first); {
			if standsApart(text, off+i, off+i+len(kw)) {
				first = off + i
				break
			}
			n := strings.Index(line[i+1:], kw)
			if n < 0 {
				break
			}
			i += n + 1
		}
	}
	return first
}

// declarations are the builtins that the parser knows as syntax.
var declarations = []string{"declare", "local", "export", "readonly", "typeset", "let"}

// standsApart reports whether a stretch of a text may be a word.
func standsApart(text string, from, to int) bool {
	return (from == 0 || strings.IndexByte(" \t\n;&|({", text[from-1]) >= 0) && (to == len(text) || strings.IndexByte(" \t\n;&|()<>", text[to]) >= 0)
}

// parseOnce parses the first complete line of a text, without what the parser must not see of it.
func parseOnce(a expand.Account, text, tail string) (stmts []*syntax.Stmt, n int, err error) {
	stmts, n, err = parseShown(a, text, tail)
	if err == nil && !hides(a, text[:n]) {
		return stmts, n, err
	}
	for piece := range pieces(text, n) {
		hidden, ok := expand.Hide(piece, a)
		if !ok {
			continue
		}
		if stmts, n, err := parseShown(a, hidden, tail); len(piece) == len(text) || err == nil && n < len(piece) {
			return stmts, n, err
		}
	}
	return stmts, n, err
}

// firstPiece is how much of a text is tried first where it has to be shown otherwise.
const firstPiece = 4096

// pieces gives longer and longer beginnings of a text, each of whole lines and
// longer than from, and the text itself: a line that has to be shown otherwise
// must not cost a look at all the lines of a long script behind it.
func pieces(text string, from int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for size := max(firstPiece, 2*from); size < len(text); size *= 4 {
			if end := lineEnd(text, size) + 1; end < len(text) && !yield(text[:end]) {
				return
			}
		}
		yield(text)
	}
}

func parseShown(a expand.Account, text, tail string) (stmts []*syntax.Stmt, n int, err error) {
	r := &lineReader{account: a, text: text, tail: tail}
	err = r.parse(func(s *syntax.Stmt) {
		stmts = append(stmts, s)
		r.stop = endsLine(text[:r.off], int(s.End().Offset()))
	})
	if !shallowAll(stmts, r.off) {
		err = errDepth
	}
	return stmts, r.off, err
}

// parse gives the statements one by one until the reader stops.
func (r *lineReader) parse(each func(*syntax.Stmt)) (err error) {
	p := parsers.Get().(*syntax.Parser)
	defer func() {
		switch x := recover().(type) {
		case nil:
			parsers.Put(p)
		case *stop: // a limit was met
			panic(x)
		default:
			err = fmt.Errorf("syntax error: parser: %v", x)
		}
	}()
	for s, e := range p.StmtsSeq(r) {
		if r.stop || r.deep {
			continue
		}
		if e != nil {
			err, r.stop = e, true
			continue
		}
		each(s)
	}
	if r.deep {
		return errDepth
	}
	return err
}

// endsLine reports whether what was read after a statement, from end on, is the end of its line.
func endsLine(text string, end int) bool {
	end = min(end, len(text))
	rest := text[end:]
	if end > 0 && text[end-1] != ';' && text[end-1] != '&' { // the parser's end of a[1]+= is within the operator, or before it
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "+"), "=")
	}
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\n':
			return true
		case '#':
			return strings.IndexByte(rest, '\n') >= 0
		case '\\':
			if i+1 < len(rest) && rest[i+1] == '\n' {
				i++
				continue
			}
			return false
		case ' ', '\t', '\r', 0, ';':
		default:
			return false
		}
	}
	return false
}

// shallowAll is shallow for the statements of a text of n bytes, each of which
// makes a few levels at most.
func shallowAll(stmts []*syntax.Stmt, n int) bool {
	if n > parseNodes/16 {
		for _, s := range stmts {
			if !shallow(s) {
				return false
			}
		}
	}
	return true
}

// shallow reports whether a tree is at most parseNodes deep; it goes no deeper itself.
func shallow(n syntax.Node) bool {
	depth, ok := 0, true
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return false
		}
		if depth++; depth > parseNodes {
			ok = false
			depth--
			return false
		}
		return ok
	})
	return ok
}

// nextUnit compiles the next complete line of text[off:], whose first line has the number line.
// a, which may be nil, is charged.
// At the end of the text it gives nil and no error.
func nextUnit(a expand.Account, text string, off, line int) (u *Unit, next int, err error) {
	start := skipComments(text, off)
	rest := text[start:]
	if rest == "" {
		return nil, len(text), nil
	}
	line += strings.Count(text[off:start], "\n")
	to := newShelf(a)
	if u, n := to.direct(rest, line); u != nil {
		return u, start + n, nil
	}
	u, n, err := to.parsed(rest, line)
	if u == nil {
		return nil, len(text), err
	}
	return u, start + n, nil
}

// parsed compiles the first complete line of a text by way of a syntax tree,
// and gives how many bytes it takes.
func (to *shelf) parsed(text string, line int) (u *Unit, n int, err error) {
	stmts, n, err := parseUnit(to.Account, text)
	if err != nil {
		return nil, 0, syntaxError(to.Account, err, text, line)
	}
	if len(stmts) == 0 {
		return nil, 0, nil
	}
	u = newUnit(text[:n], line)
	if err := u.compile(stmts, origin{}, to); err != nil {
		return nil, 0, err
	}
	return u, n, nil
}

func newUnit(text string, line int) *Unit {
	return &Unit{Line: line, Text: text}
}

// loadUnit compiles the text of a saved unit again.
func loadUnit(text string, line int) (*Unit, error) {
	to := &shelf{}
	if u, n := to.direct(text, line); u != nil && n == len(text) {
		return u, nil
	}
	u, n, err := to.parsed(text, line)
	if err != nil {
		return nil, err
	}
	if u == nil || n != len(text) {
		return nil, errors.New("the text no longer parses as one unit")
	}
	return u, nil
}
