package expand

import (
	"strings"

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
	end, ok := skipCommand(r.s, from, closing)
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

// skipCommand returns the position after the character that closes a command
// substitution whose commands begin at i.
func skipCommand(s string, i int, closing byte) (int, bool) {
	if closing == '`' {
		for ; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '`':
				return i + 1, true
			}
		}
		return len(s), false
	}
	if strings.IndexByte(s[i:], closing) < 0 {
		return len(s), false
	}
	m := masker{s: s, dry: true, i: i}
	m.commands(closing)
	return m.i, m.closed
}
