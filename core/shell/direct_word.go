package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// word reads a word, which must be there.
func (d *direct) word() *expand.Word {
	w := d.c.shelf.NewWord()
	d.wordInto(w)
	return w
}

func (d *direct) wordInto(w *expand.Word) {
	from, mark := d.i, len(d.nodes)
	d.compileWord(w, from, mark, d.scan())
	d.release(mark)
}

// compileWord compiles the word between an offset and the position; plain is
// what scan said, and its substitutions are above mark.
func (d *direct) compileWord(w *expand.Word, from, mark int, plain bool) {
	switch {
	case d.bad:
	case d.i == from:
		d.fail()
	case plain:
		w.Plain(d.s[from:d.i])
	default:
		expand.CompileSpan(w, &d.c.src, from, d.i, d.nodes[mark:]...)
		if w.Unclosed() {
			d.fail()
		}
	}
}

// release takes substitutions off the stack.
func (d *direct) release(mark int) {
	clear(d.nodes[mark:])
	d.nodes = d.nodes[:mark]
}

// scan goes to the end of a word. plain says that every character of it stands
// for itself. The substitutions in it are read and stay on the stack.
func (d *direct) scan() (plain bool) {
	plain = true
	quoted := false // or expanded, or one of their characters was seen
	for d.i < len(d.s) {
		c := d.s[d.i]
		if expand.PlainByte(c) {
			d.i++
			continue
		}
		switch c {
		case ' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')':
			return plain
		case '\\':
			if c := d.at(1); c == 0 || c == '\n' || c == '\r' {
				d.fail()
				return false
			}
			quoted = quoted || strings.IndexByte("$'\"", d.at(1)) >= 0
			d.skip(2)
		case '\'':
			d.single()
			quoted = true
		case '"':
			d.double()
			quoted = true
		case '$':
			d.dollar(false)
			quoted = true
		case '`', '\r', 0:
			d.fail()
		case '#':
			if quoted {
				d.fail() // the parser may take "a"#b in $( ) or ( ) for a comment
			}
			d.skip(1)
		default:
			d.i++
		}
		plain = false
	}
	return plain
}

// single goes over '…'.
func (d *direct) single() {
	n := strings.IndexByte(d.s[d.i+1:], '\'')
	if n < 0 {
		d.fail()
		return
	}
	text := d.s[d.i+1 : d.i+1+n]
	if strings.IndexByte(text, '\r') >= 0 {
		d.fail()
		return
	}
	d.now += strings.Count(text, "\n")
	d.i += n + 2
}

// double goes over "…".
func (d *direct) double() {
	d.i++
	for d.i < len(d.s) {
		switch d.s[d.i] {
		case '"':
			d.i++
			return
		case '\\':
			switch d.at(1) {
			case '\n':
				d.now++
			case '\r':
				d.fail()
			}
			d.skip(2)
		case '$':
			d.dollar(true)
		case '`', '\r', 0:
			d.fail()
		case '\n':
			d.now++
			d.i++
		default:
			d.i++
		}
	}
	d.fail()
}

// dollar goes over what a $ begins.
func (d *direct) dollar(quoted bool) {
	if d.depth++; d.depth > maxDirect {
		d.fail()
		d.depth--
		return
	}
	switch d.at(1) {
	case '{':
		d.skip(2)
		d.brace(quoted)
	case '(':
		if d.at(2) == '(' {
			d.skip(3)
			d.arith()
			d.skip(2)
		} else {
			d.substitution()
		}
	case '\'':
		if quoted {
			d.i++
			break
		}
		d.skip(2)
		for d.i < len(d.s) && d.s[d.i] != '\'' {
			switch d.s[d.i] {
			case '\\':
				if d.i++; d.at(0) == '\n' || d.at(0) == '\r' {
					d.fail()
				}
			case '\n':
				d.now++
			case '\r':
				d.fail()
			}
			d.skip(1)
		}
		if d.i == len(d.s) {
			d.fail()
		}
		d.skip(1)
	case '[', '`', '\\':
		d.fail()
	case '$', '#':
		d.skip(2)
	default:
		d.i++
	}
	d.depth--
}

// brace goes to the end of ${…}.
func (d *direct) brace(quoted bool) {
	if c := d.at(0); c == '}' || c == '|' || c == '(' || c == ' ' || c == '\t' {
		d.fail()
		return
	}
	for d.i < len(d.s) {
		switch c := d.s[d.i]; c {
		case '}':
			d.i++
			return
		case '\\':
			if c := d.at(1); c == '\n' || c == '\r' {
				d.fail()
			}
			d.skip(2)
		case '$':
			d.dollar(quoted)
		case '\'', '"':
			if quoted {
				d.fail()
			} else if c == '"' {
				d.double()
			} else {
				d.single()
			}
		case '`', '{', '(', '<', '>', '\n', '\r', 0:
			d.fail()
		default:
			d.i++
		}
	}
	d.fail()
}

// arith goes to the )) that ends an expression.
func (d *direct) arith() {
	for open := 0; d.i < len(d.s); {
		switch d.s[d.i] {
		case '(':
			open++
			d.i++
		case ')':
			if open == 0 {
				if d.at(1) != ')' {
					d.fail()
				}
				return
			}
			open--
			d.i++
		case '$':
			if d.at(1) == '$' && d.at(2) == '(' { // to the parser a $ and a substitution
				d.fail()
			}
			d.dollar(false)
		case '\'', '"', '`', '\\', ';', '#', '{', '\r', 0:
			d.fail()
		case '\n':
			d.now++
			d.i++
		default:
			d.i++
		}
	}
	d.fail()
}

// substitution reads $(…).
func (d *direct) substitution() {
	left, first, base, late, words := d.i, len(d.c.shelf.addressed), d.base, len(d.late), len(d.nodes)
	open, line := len(d.open), d.now
	if d.docNext > 0 {
		d.fail()
	}
	d.skip(2)
	l := d.list()
	if d.docNext > 0 || len(d.nodes) != words || len(d.late) != late {
		d.fail()
	}
	right := d.i
	d.expect(")")
	l.addr.Start, l.addr.End = uint32(left), uint32(d.i)
	if len(l.stmts) > 0 {
		d.late = append(d.late, lateLines{first, len(d.c.shelf.addressed), l.line})
	}
	d.base = base
	n := &syntax.CmdSubst{Left: syntax.NewPos(uint(left), 1, 1), Right: syntax.NewPos(uint(right), 1, 1)}
	if d.c.u.subst == nil {
		d.c.u.subst = map[syntax.Node]*list{}
	}
	d.c.u.subst[n] = l
	d.around(open, d.now)
	if d.now != line || !d.shows(n, l, left) {
		d.fail() // its lines are those of the text that bash prints
	}
	d.nodes = append(d.nodes, n)
}

// shows notes the text that bash prints for a substitution; it reports whether that is one line.
func (d *direct) shows(n syntax.Node, l *list, left int) bool {
	if d.bad {
		return false
	}
	if plainSubstitution(d.s[left:d.i]) && len(l.stmts) <= 1 && plainBody(l) {
		return true
	}
	text := d.c.show(n, l, "$(")
	return strings.IndexByte(text, '\n') < 0
}
