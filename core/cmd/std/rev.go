package std

import (
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

func rev() *cmd.Command {
	return &cmd.Command{
		Name: "rev", Summary: "reverse lines characterwise",
		Usage: "rev [options] [<file>...]",
		Options: []cmd.Option{
			{Short: 'h', Long: "help", Help: "display this help"},
			{Short: 'V', Long: "version", Help: "display version"},
		},
		Class: cmd.Step, PlainDash: true, Short: true, Origin: "util-linux 2.38.1",
		OpenError: "cannot open NAME: WHY", ReadError: "NAME: 0: WHY",
		New: func() cmd.Program { return &revProgram{} },
	}
}

// revProgram turns each line round.
type revProgram struct {
	In cmd.Input `cbor:"1,keyasint,omitempty"`
}

func (p *revProgram) Step(c *cmd.Ctx) cmd.Next {
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	out := c.Out.B
	for line, ok := p.In.Next('\n'); ok; line, ok = p.In.Next('\n') {
		for len(line) > 0 {
			if len(line) > large.Piece {
				out = large.Room(out, len(line), c)
				c.Charge(large.Piece / 16)
			}
			for end := max(0, len(line)-large.Piece); len(line) > end; {
				_, n := utf8.DecodeLastRune(line)
				out = append(out, line[len(line)-n:]...)
				line = line[:len(line)-n]
			}
		}
		if !p.In.Bare() {
			out = append(out, '\n')
		}
	}
	c.Out.B = out
	return cmd.Again()
}
