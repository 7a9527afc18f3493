package expand

import (
	"mvdan.cc/sh/v3/syntax"
)

// Runtime is a command substitution in a text made at run time, which the
// parser has not seen: that of a[$(cmd)] where it is the value of a variable.
type Runtime struct {
	Text string // the commands
}

// Pos implements syntax.Node; a text made at run time has no place in a source.
func (*Runtime) Pos() syntax.Pos { return syntax.Pos{} }

// End implements syntax.Node.
func (*Runtime) End() syntax.Pos { return syntax.Pos{} }

// runtime reads the $( ) or ` ` at the current position.
func (r *reader) runtime(b *partsBuilder, m mode) {
	old := r.s[r.i] == '`'
	from, closing := r.i+2, byte(')')
	if old {
		from, closing = r.i+1, '`'
	}
	end, ok := r.skip.command(from, closing)
	if !ok {
		text := "unexpected EOF while looking for matching `" + string(rune(closing)) + "'"
		b.add(part{kind: pError, text: "command substitution: line 1: " + text})
		r.i = len(r.s)
		return
	}
	text := r.s[from : end-1]
	if old {
		text = untick(text, m.quoted())
	}
	b.add(part{kind: pCommand, node: &Runtime{Text: r.unmark(text)}, quoted: m.quoted()})
	r.i = end
}
