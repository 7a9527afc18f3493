package shell

import (
	"strconv"
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// directs reports whether the operator of a redirection is here.
func (d *direct) directs() bool {
	c := d.at(0)
	return c == '<' || c == '>' || c == '&' && d.at(1) == '>'
}

// prefixes reports whether the word that has just been read is the number of
// the redirection behind it. A {name} there is left to the parser.
func (d *direct) prefixes(from int) bool {
	if c := d.at(0); c != '<' && c != '>' || d.i == from {
		return false
	}
	if d.s[from] == '{' {
		d.fail()
		return false
	}
	for _, c := range []byte(d.s[from:d.i]) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// redirect reads a redirection, whose number begins at from.
func (d *direct) redirect(h *head, st *stmt, from int) {
	on := d.now
	r := d.c.shelf.redirs.One()
	r.fd = -1
	if d.i > from {
		n, err := strconv.Atoi(d.s[from:d.i])
		if err != nil || d.at(0) == '&' {
			d.fail()
			return
		}
		r.fd = n
	}
	n := 0
	if r.op, n = redirOp(d.s[d.i:]); n == 0 {
		d.fail()
		return
	}
	d.i += n
	d.blank()
	to := 0
	if r.op == syntax.Hdoc || r.op == syntax.DashHdoc {
		to = d.hereDoc(r)
	} else {
		r.word = d.word()
		r.memo, to = r.word.NeedsMemo(), d.i
	}
	if c := d.at(0); c == '(' || (c == '<' || c == '>') && d.i > 0 && d.s[d.i-1] >= '0' && d.s[d.i-1] <= '9' {
		d.fail() // >a2>b: a word, but 2>b to some
	}
	if !h.directed {
		h.directed, h.redirAt, h.redirOn, h.redirUpTo = true, from, on, d.now
	}
	h.to = to
	d.redirs = append(d.redirs, r)
}

// redirOp reads an operator and gives its length, 0 for what is left to the parser.
func redirOp(s string) (syntax.RedirOperator, int) {
	for _, op := range []struct {
		text string
		op   syntax.RedirOperator
	}{
		{"<<<", syntax.WordHdoc}, {"<<-", syntax.DashHdoc}, {"<<", syntax.Hdoc}, {"<&", syntax.DplIn}, {"<>", syntax.RdrInOut},
		{"<(", 0}, {"<", syntax.RdrIn}, {">>|", 0}, {">>!", 0}, {">>", syntax.AppOut}, {">&|", 0}, {">&!", 0}, {">&", syntax.DplOut},
		{">|", syntax.RdrClob}, {">!", 0}, {">(", 0}, {">", syntax.RdrOut}, {"&>>|", 0}, {"&>>!", 0}, {"&>>", syntax.AppAll},
		{"&>|", 0}, {"&>!", 0}, {"&>", syntax.RdrAll},
	} {
		if strings.HasPrefix(s, op.text) {
			if op.op == 0 {
				return 0, 0
			}
			return op.op, len(op.text)
		}
	}
	return 0, 0
}

// redirList takes redirections off the stack.
func (d *direct) redirList(base int) []*redir { return taken(&d.redirs, base, &d.c.shelf.directed) }

// hereDoc reads a delimiter, and the document behind the end of the line, and
// gives how far it reaches.
func (d *direct) hereDoc(r *redir) (to int) {
	from, quote := d.i, byte(0)
	if c := d.at(0); c == '\'' || c == '"' || c == '\\' {
		quote = c
		d.i++
	}
	name := d.i
	for nameByte(d.at(0)) {
		d.i++
	}
	r.delim = d.s[name:d.i]
	if quote == '\'' || quote == '"' {
		if d.at(0) != quote {
			d.fail()
			return 0
		}
		d.i++
	}
	if r.delim == "" || d.i == len(d.s) || strings.IndexByte(" \t\n", d.s[d.i]) < 0 {
		d.fail()
		return 0
	}
	r.quotedDelim = d.s[from:d.i]
	start := d.docNext
	if start == 0 {
		n := strings.IndexByte(d.s[d.i:], '\n')
		if n < 0 {
			d.fail()
			return 0
		}
		d.docAt = d.i + n
		start = d.docAt + 1
	}
	end, next, ok := expand.HereEnd(d.s, start, r.delim, r.op == syntax.DashHdoc, quote != 0)
	if !ok || strings.Contains(d.s[end:next], "\\\n") {
		d.fail()
		return 0
	}
	d.docNext = next
	if quote == 0 && !d.expandable(start, end) || strings.IndexByte(d.s[start:end], '\r') >= 0 || end == start && r.op == syntax.DashHdoc {
		d.fail()
		return 0
	}
	r.doc = expand.CompileBody(&d.c.src, start, end, r.op == syntax.DashHdoc, quote != 0)
	if end == start {
		return d.i
	}
	if r.body = expand.Decode(d.s[start:end]); quote == 0 {
		r.body = expand.Joined(r.body)
	}
	r.memo = r.doc.NeedsMemo()
	return next - 1
}

// expandable reports whether the body of a here-document holds nothing but
// text and expansions that end on the line on which they begin.
func (d *direct) expandable(start, end int) bool {
	text := d.s[start:end]
	if strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "\\\n") {
		return false
	}
	if strings.IndexByte(text, '$') < 0 {
		return true
	}
	at, now := d.i, d.now
	for d.i = start; d.i < end && !d.bad; {
		switch d.s[d.i] {
		case '\\':
			d.i += 2
		case '$':
			switch d.at(1) {
			case '{', '(':
				if d.at(1) == '(' && d.at(2) != '(' {
					return false
				}
				nodes := len(d.nodes)
				if d.dollar(true); d.now != now || d.i > end || len(d.nodes) > nodes {
					return false
				}
			case '[', '\'', '"':
				return false
			default:
				d.i++
			}
		default:
			n := strings.IndexAny(d.s[d.i:end], "\\$")
			if n < 0 {
				n = end - d.i
			}
			d.i += n
		}
	}
	d.i, d.now = at, now
	return !d.bad
}
