package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// keyword compiles a command as set -k reads it: words behind its name that
// look like assignments are some. It gives nil if there is none.
func (c *compiler) keyword(x *syntax.CallExpr) *simple {
	var made []*assign
	var words []*syntax.Word
	for i, w := range x.Args {
		a, ok := c.asAssign(w)
		if i == 0 || !ok {
			words = append(words, w)
			continue
		}
		made = append(made, a)
	}
	if made == nil {
		return nil
	}
	plain := *x
	plain.Args = words
	s := c.simple(&plain).(*simple)
	for _, a := range made {
		s.assigns = append(s.assigns, a)
		s.arrays = s.arrays || a.needsMemo()
	}
	s.plain, s.bare, s.temp = false, false, false
	c.index(s)
	return s
}

// asAssign reads a word as an assignment.
func (c *compiler) asAssign(w *syntax.Word) (*assign, bool) {
	if len(w.Parts) == 0 {
		return nil, false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return nil, false
	}
	name, rest, ok := strings.Cut(lit.Value, "=")
	add := strings.HasSuffix(name, "+")
	if name = strings.TrimSuffix(name, "+"); !ok || !validName(name) {
		return nil, false
	}
	a := &assign{name: name, add: add}
	parts := w.Parts[1:]
	if rest != "" {
		skip := uint(len(lit.Value) - len(rest))
		from := syntax.NewPos(lit.Pos().Offset()+skip, lit.Pos().Line(), lit.Pos().Col()+skip)
		parts = append([]syntax.WordPart{&syntax.Lit{ValuePos: from, ValueEnd: lit.ValueEnd, Value: rest}}, parts...)
	}
	if len(parts) > 0 {
		a.value = c.value(&syntax.Word{Parts: parts})
	}
	return a, true
}
