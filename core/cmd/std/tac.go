package std

import (
	"bytes"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

func tac() *cmd.Command {
	return &cmd.Command{
		Name: "tac", Summary: "write each FILE to standard output, last line first",
		Usage: "tac [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "before", Help: "attach the separator before instead of after"},
			{Short: 'r', Long: "regex", Help: "interpret the separator as a regular expression", Missing: true},
			{Short: 's', Long: "separator", Arg: cmd.Required, Meta: "STRING", Help: "use STRING as the separator instead of newline"},
		},
		Class:     cmd.Step,
		OpenError: "failed to open 'NAME' for reading: WHY",
		ReadError: "NAME: read error: WHY",
		New:       func() cmd.Program { return &tacProgram{} },
	}
}

// tacProgram collects a file, then writes its records from the last to the first.
type tacProgram struct {
	In      cmd.Input `cbor:"1,keyasint,omitempty"`
	All     []byte    `cbor:"2,keyasint,omitempty"` // of this file, up to what is written
	Writing bool      `cbor:"3,keyasint,omitempty"`

	ahead large.Ahead
}

func (p *tacProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.Writing {
		if c.Pending() > cmd.Turn {
			return cmd.WaitWrite()
		}
		p.write(c)
		return cmd.Again()
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	more := p.In.Take()
	p.All = large.Append(p.ahead.Room(p.All, len(more)), more)
	p.In.Kept = len(p.All)
	if p.Writing = p.In.Ended() && len(p.All) > 0; p.Writing {
		p.ahead.Forget()
	}
	return cmd.Again()
}

// write writes records for one turn.
func (p *tacProgram) write(c *cmd.Ctx) {
	sep := []byte("\n")
	if f, ok := c.Flags.Last("s"); ok {
		if sep = []byte(f.Value); len(sep) == 0 {
			sep = []byte{0}
		}
	}
	before := c.Flags.Has("b")
	for n := c.Turn(cmd.Turn); len(p.All) > 0 && n > 0; {
		from := 0
		if before {
			if i := bytes.LastIndex(p.All, sep); i > 0 {
				from = i
			}
		} else if len(p.All) > len(sep) || !bytes.HasSuffix(p.All, sep) {
			// The separator that ends this record does not begin it.
			text := bytes.TrimSuffix(p.All, sep)
			if i := bytes.LastIndex(text, sep); i >= 0 {
				from = i + len(sep)
			}
		}
		c.Out.Write(p.All[from:])
		n -= len(p.All) - from
		p.All = p.All[:from]
	}
	p.Writing = len(p.All) > 0
}
