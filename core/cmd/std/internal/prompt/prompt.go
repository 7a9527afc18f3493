// Package prompt asks yes-or-no questions on standard error and reads the answers
// from standard input, as rm -i and cp -i do.
package prompt

import (
	"io"

	"eryxsh/core/cmd"
)

// Asker asks one question at a time.
type Asker struct {
	Lines cmd.Lines `cbor:"1,keyasint,omitempty"`
	Asked bool      `cbor:"2,keyasint,omitempty"` // the question is out, the answer not in
}

// Yes asks and reads a line. While there is no answer yet ok is false and the
// program must return next, then call Yes with the same question again.
func (a *Asker) Yes(c *cmd.Ctx, question string) (yes, ok bool, next cmd.Next) {
	line, ok, next := a.Line(c, question)
	return len(line) > 0 && (line[0] == 'y' || line[0] == 'Y'), ok, next
}

// Line is Yes for any answer; the end of the input is an empty one.
func (a *Asker) Line(c *cmd.Ctx, question string) (line []byte, ok bool, next cmd.Next) {
	if !a.Asked {
		c.Flush()
		c.Errout.WriteString(question)
		a.Asked = true
	}
	for {
		if line, got := a.Lines.Next('\n'); got {
			a.Asked = false
			return line, true, next
		}
		if a.Lines.Ended() {
			a.Asked = false
			return nil, true, next
		}
		switch err := a.Lines.Fill(c, 0); err {
		case nil, io.EOF:
		case cmd.ErrBlocked:
			return nil, false, cmd.WaitRead(0)
		default:
			a.Lines.EOF = true
		}
	}
}
