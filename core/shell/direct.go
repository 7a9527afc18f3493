package shell

import (
	"strings"
	"sync"

	"eryxsh/core/expand"
	"eryxsh/core/slab"

	"mvdan.cc/sh/v3/syntax"
)

// direct reads a unit straight from its text into code, without a syntax tree.
// It knows the forms that most scripts consist of. Whatever else it meets, an
// error first of all, it leaves to the parser and the compiler of its tree,
// which define what a text means: where both read one, they make the same code.
// TestDirect and FuzzDirect hold them to it.
type direct struct {
	c     compiler
	base  int    // the line that substitutions of the command being read count from, if that is known
	s     string // the text from the unit's beginning on
	i     int
	now   int  // number of the line at i
	depth int  // of commands in commands
	bad   bool // here is something that is left to the parser

	docAt, docNext int // the newline that here-documents follow, and what follows them

	stmts   []*stmt // scratch, what is being read further in above what is around it
	words   []*expand.Word
	assigns []*assign
	redirs  []*redir
	arms    []arm
	nodes   []syntax.Node // substitutions of the words being read
	late    []lateLines
	open    []*stmt // statements whose line around is not known yet
	cfor    int     // line of the last for ((
	count   int     // commands begun
}

// lateLines are nodes of a substitution's body. Its lines count from that of
// the command around it, which is known only when that has been read.
type lateLines struct{ first, last, from int }

// manyCommands are charged for together; each takes about so many bytes with the statement it is.
const manyCommands, commandBytes = 64, 768

// maxDirect is how deep commands may nest that are read directly.
const maxDirect = 64

// readers are reused for what they have on their stacks. They hold nothing between units.
var readers = sync.Pool{New: func() any { return new(direct) }}

// direct compiles the first complete line of a text that begins with a command,
// and gives how many bytes it takes; nil if that is left to the parser.
func (to *shelf) direct(text string, line int) (u *Unit, n int) {
	d := readers.Get().(*direct)
	read := false
	defer func() {
		if !read { // or given up on the way
			d.forget()
		}
		readers.Put(d)
	}()
	u = newUnit(text, line)
	d.c = compiler{u: u, shelf: to, src: expand.SourceAt(text, 0, &to.Room)}
	d.s, d.now = text, line
	to.addressed = to.addressed[:0]
	d.unit()
	if d.bad || d.i > unitBytes {
		return nil, 0
	}
	n = d.i
	u.Text, u.body.addr.End = text[:n], uint32(n)
	u.nodes = to.number()
	d.c, d.s, d.i = compiler{}, "", 0
	read = true
	return u, n
}

// forget leaves nothing of a unit that was not read to its end.
func (d *direct) forget() {
	clear(d.stmts[:cap(d.stmts)])
	clear(d.words[:cap(d.words)])
	clear(d.assigns[:cap(d.assigns)])
	clear(d.redirs[:cap(d.redirs)])
	clear(d.arms[:cap(d.arms)])
	clear(d.nodes[:cap(d.nodes)])
	clear(d.open[:cap(d.open)])
	*d = direct{stmts: d.stmts[:0], words: d.words[:0], assigns: d.assigns[:0], redirs: d.redirs[:0], arms: d.arms[:0], nodes: d.nodes[:0], late: d.late[:0], open: d.open[:0]}
}

// fail leaves the unit to the parser. Nothing more is read.
func (d *direct) fail() { d.bad, d.i = true, len(d.s) }

// unit reads statements up to the end of a line.
func (d *direct) unit() {
	u := d.c.u
	u.body = d.c.shelf.lists.One()
	u.body.place = d.c.span(NList, 0, 0)
	d.c.index(u.body)
	d.blank()
	u.body.line = d.now
	for {
		st, _, ended := d.statement()
		d.stmts = append(d.stmts, st)
		d.blank()
		if d.bad {
			return
		}
		if d.i == len(d.s) {
			break
		}
		if d.s[d.i] == '\n' {
			d.newline()
			break
		}
		if !ended {
			d.fail()
			return
		}
	}
	if d.docNext > 0 {
		d.fail()
		return
	}
	u.body.stmts = taken(&d.stmts, 0, &d.c.shelf.stmtRefs)
	d.around(0, u.Line+strings.Count(strings.TrimRight(d.s[:d.i], "\n"), "\n"))
}

// around gives the statements from mark on the line that bash is on before they begin.
func (d *direct) around(mark, line int) {
	for _, st := range d.open[mark:] {
		st.around(line)
	}
	clear(d.open[mark:])
	d.open = d.open[:mark]
}

// skip goes over n characters.
func (d *direct) skip(n int) { d.i = min(d.i+n, len(d.s)) }

// at is the character n behind the position, 0 behind the end.
func (d *direct) at(n int) byte {
	if d.i+n < len(d.s) {
		return d.s[d.i+n]
	}
	return 0
}

// blank goes over blanks, line continuations and a comment.
func (d *direct) blank() {
	for d.i < len(d.s) {
		switch d.s[d.i] {
		case ' ', '\t':
			d.i++
		case '\\':
			if d.at(1) != '\n' {
				return
			}
			d.i += 2
			d.now++
		case '#':
			n := strings.IndexByte(d.s[d.i:], '\n')
			if n < 0 {
				n = len(d.s) - d.i
			}
			if d.s[d.i+n-1] == '\r' {
				d.fail()
				return
			}
			d.i += n
		default:
			return
		}
	}
}

// newline goes over a newline and the here-documents that follow it.
func (d *direct) newline() {
	d.now++
	d.i++
	if d.docNext == 0 {
		return
	}
	if d.docAt != d.i-1 {
		d.fail()
		return
	}
	d.now += strings.Count(d.s[d.i:d.docNext], "\n")
	d.i, d.docNext = d.docNext, 0
}

// newlines goes over blanks, comments and any number of newlines, and reports whether there was one.
func (d *direct) newlines() bool {
	for found := false; ; found = true {
		if d.blank(); d.i == len(d.s) || d.s[d.i] != '\n' {
			return found
		}
		d.newline()
	}
}

// list reads statements up to what none can begin with. A list comes before
// its statements in the unit's order, which tells apart nodes with one address.
func (d *direct) list() *list {
	l, base, to := d.c.shelf.lists.One(), len(d.stmts), 0
	l.place = d.c.span(NList, 0, 0)
	d.c.index(l)
	if d.depth++; d.depth > maxDirect {
		d.fail()
	}
	for ended := true; ; {
		ended = d.newlines() || ended
		if d.i == len(d.s) || strings.IndexByte(");&|", d.s[d.i]) >= 0 || closes(d.keyword()) {
			break
		}
		if !ended {
			d.fail()
			break
		}
		if len(d.stmts) == base {
			l.addr.Start, l.line = uint32(d.i), d.now
		}
		var st *stmt
		st, to, ended = d.statement()
		d.stmts = append(d.stmts, st)
	}
	d.depth--
	l.addr.End = uint32(to)
	l.stmts = taken(&d.stmts, base, &d.c.shelf.stmtRefs)
	return l
}

// taken takes what is above base off a stack, into memory of its own.
func taken[T any](stack *[]T, base int, room *slab.Of[T]) []T {
	top := (*stack)[base:]
	if len(top) == 0 {
		return nil
	}
	all := room.Some(len(top))
	copy(all, top)
	clear(top)
	*stack = (*stack)[:base]
	return all
}

// body reads the statements of a construct, which has one at least, and the word behind them.
func (d *direct) body(closing string) *list {
	l := d.list()
	if len(l.stmts) == 0 {
		d.fail()
	}
	if closing != "" {
		d.expect(closing)
	}
	return l
}

// expect goes over a reserved word, or a parenthesis.
func (d *direct) expect(word string) {
	if word == ")" && d.at(0) == ')' || d.keyword() == word {
		d.i += len(word)
		return
	}
	d.fail()
}

// keyword is the reserved word at the position, where a command may begin; "" if there is none.
func (d *direct) keyword() string {
	if d.i == len(d.s) || strings.IndexByte("itefwudcsl{}![]", d.s[d.i]) < 0 {
		return ""
	}
	end := d.i + 1
	for end < len(d.s) && end < d.i+9 && !separates(d.s[end]) {
		end++
	}
	switch word := d.s[d.i:end]; word {
	case "if", "then", "elif", "else", "fi", "for", "function", "while", "until", "do", "done", "case", "esac", "in",
		"select", "time", "coproc", "{", "}", "!", "[[", "]]":
		return word
	}
	return ""
}

// closes reports whether a reserved word ends the statements before it.
func closes(word string) bool {
	switch word {
	case "then", "elif", "else", "fi", "do", "done", "esac", "}":
		return true
	}
	return false
}

// separates reports whether a character ends a word.
func separates(c byte) bool {
	switch c {
	case ' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')':
		return true
	}
	return false
}

// statement reads an and-or list with the ; or & that ends it. to is where the
// parser sees its end.
func (d *direct) statement() (st *stmt, to int, ended bool) {
	start, line := d.i, d.now
	st, to = d.pipeline()
	d.blank()
	if d.at(0) == '&' && d.at(1) == '&' || d.at(0) == '|' && d.at(1) == '|' {
		st, to = d.andOr(st, start, line)
	}
	switch c, next := d.at(0), d.at(1); {
	case c == ';' && next != ';' && next != '&':
	case c == '&' && next != '&' && next != '>' && next != '|' && next != '!':
		st.background = true
	default:
		return st, to, false
	}
	st.newline = false
	st.addr.End = uint32(d.i)
	if s, ok := st.cmd.(*simple); ok && len(s.words)+len(s.assigns) == 0 { // redirections alone are all of the statement
		s.addr.End = st.addr.End
	}
	d.i++
	if st.background {
		d.c.alone(st)
	}
	return st, d.i, true
}

func (d *direct) andOr(first *stmt, start, line int) (outer *stmt, to int) {
	outer = d.c.shelf.stmts.One()
	outer.place, outer.newline = d.c.span(NStmt, start, 0), true
	outer.line = line
	d.open = append(d.open, outer)
	d.c.index(outer)
	n, base := d.c.shelf.andOrs.One(), len(d.stmts)
	d.stmts = append(d.stmts, first)
	var ops [8]bool
	and := ops[:0]
	for d.at(0) == '&' && d.at(1) == '&' || d.at(0) == '|' && d.at(1) == '|' {
		and = append(and, d.s[d.i] == '&')
		d.i += 2
		d.newlines()
		var st *stmt
		st, to = d.pipeline()
		d.stmts = append(d.stmts, st)
		d.blank()
	}
	n.place = d.c.span(NAndOr, start, to)
	n.line = line
	n.stmts = taken(&d.stmts, base, &d.c.shelf.stmtRefs)
	n.and = d.c.shelf.flags.Some(len(and))
	copy(n.and, and)
	d.c.index(n)
	outer.addr.End, outer.cmd = uint32(to), n
	return outer, to
}

func (d *direct) pipeline() (st *stmt, to int) {
	start, line, negated := d.i, d.now, d.keyword() == "!"
	if negated {
		d.i++
		if d.blank(); d.at(0) == '(' && d.s[d.i-1] == '!' || d.keyword() == "!" || d.now != line {
			d.fail()
		}
	}
	st, to = d.command(start, line)
	d.blank()
	if d.at(0) != '|' || d.at(1) == '|' {
		st.negated = negated
		return st, to
	}
	outer := d.c.shelf.stmts.One()
	outer.place, outer.newline, outer.negated = d.c.span(NStmt, start, 0), true, negated
	outer.line = line
	d.open = append(d.open, outer)
	d.c.index(outer)
	n, base := d.c.shelf.pipes.One(), len(d.stmts)
	d.stmts = append(d.stmts, d.c.alone(st))
	var ops [8]bool
	errs := ops[:0]
	for d.at(0) == '|' && d.at(1) != '|' {
		errs = append(errs, d.at(1) == '&')
		if d.i++; errs[len(errs)-1] {
			d.i++
		}
		if d.newlines(); d.keyword() == "!" {
			d.fail()
		}
		st, to = d.command(d.i, d.now)
		d.stmts = append(d.stmts, d.c.alone(st))
		d.blank()
	}
	n.place = d.c.span(NPipe, start, to)
	n.line = line
	n.stages = taken(&d.stmts, base, &d.c.shelf.stmtRefs)
	n.errs = d.c.shelf.flags.Some(len(errs))
	for i, both := range errs {
		if n.errs[i] = both; both {
			n.stages[i].joinErrors()
		}
	}
	d.c.index(n)
	outer.addr.End, outer.cmd = uint32(to), n
	return outer, to
}

// lines gives the substitutions read since mark the line that theirs count from.
func (d *direct) lines(mark, base int) {
	for _, l := range d.late[mark:] {
		by := base - l.from
		if by == 0 {
			continue
		}
		for _, a := range d.c.shelf.addressed[l.first:l.last] {
			if l, ok := a.node.(*list); ok && len(l.stmts) == 0 {
				continue
			}
			a.node.at().line += by
			follow(a.node, by)
		}
	}
	d.late = d.late[:mark]
}
