package shell

import (
	"eryxsh/core/expand"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (c *compiler) redir(r *syntax.Redirect) *redir {
	d := c.shelf.redirs.One()
	d.op, d.fd = r.Op, -1
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			d.fd = n
		} else if len(r.N.Value) > 2 {
			d.name = r.N.Value[1 : len(r.N.Value)-1]
		}
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		c.hereDoc(d, r)
	default:
		d.word = c.word(r.Word)
		d.memo = d.word.NeedsMemo()
	}
	return d
}

// elementName takes {name[subscript]} before a redirection, which the parser
// reads as a word, off the command.
func (c *compiler) elementName(call *syntax.CallExpr, r *syntax.Redirect) string {
	for i, w := range call.Args {
		if c.off(w.End()) != c.off(r.OpPos) {
			continue
		}
		text := c.text(w)
		base, sub := splitRef(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
		if len(text) < 6 || text[0] != '{' || text[len(text)-1] != '}' || !validName(base) || sub == "" {
			return ""
		}
		call.Args = append(call.Args[:i:i], call.Args[i+1:]...)
		return text[1 : len(text)-1]
	}
	return ""
}

func (c *compiler) hereDoc(d *redir, r *syntax.Redirect) {
	if r.Hdoc != nil {
		verbatim := c.verbatim
		c.verbatim = true
		c.substs(r.Hdoc)
		c.verbatim = verbatim
	}
	d.doc = expand.CompileHereDoc(&c.src, r)
	d.quotedDelim = c.text(r.Word)
	quoted := false
	d.delim, quoted = expand.HereDelim(d.quotedDelim)
	if r.Hdoc != nil {
		from, to := expand.BodyStart(&c.src, r), min(c.off(r.Hdoc.End()), len(c.u.Text))
		d.body = expand.Decode(c.u.Text[min(from, to):to])
		d.body = d.body[:strings.LastIndexByte(d.body, '\n')+1]
		if !quoted {
			d.body = expand.Joined(d.body)
		}
	}
	d.memo = d.doc.NeedsMemo()
	c.unended(d, r)
}

// unended notes a here-document that ends with the text.
func (c *compiler) unended(d *redir, r *syntax.Redirect) {
	text := c.u.Text
	start := c.off(r.Word.End())
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		start += i + 1
	} else {
		start = len(text)
	}
	end := start
	switch {
	case c.u.open: // the one before it has taken the rest of the text
		start, end = len(text), len(text)
	case r.Hdoc != nil:
		start, end = c.off(r.Hdoc.Pos()), c.off(r.Hdoc.End())
	}
	if end < len(text) || d.delim != "" && strings.HasSuffix(text[c.off(r.Word.End()):], "\n"+d.delim) {
		return
	}
	lines := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		lines++
	}
	last := c.u.Line + lines - 1
	at := max(c.u.Line, c.u.Line+strings.Count(text[:start], "\n")-1)
	if c.u.open {
		at = last
	}
	c.u.open = true
	c.u.warn = append(c.u.warn, warning{last, unendedDoc(at, d.delim)})
}

func unendedDoc(line int, delim string) string {
	return fmt.Sprintf("here-document at line %d delimited by end-of-file (wanted `%s')", line, delim)
}
