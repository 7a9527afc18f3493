package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/digest"
)

func sum() *cmd.Command {
	return &cmd.Command{
		Name: "sum", Summary: "print checksum and block counts for each FILE",
		Usage: "sum [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'r', Help: "use BSD sum algorithm (the default), use 1K blocks"},
			{Short: 's', Long: "sysv", Help: "use System V sum algorithm, use 512 bytes blocks"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &sumProgram{} },
	}
}

// sumProgram is cksum with an old algorithm.
type sumProgram struct {
	In    cmd.Input    `cbor:"1,keyasint,omitempty"`
	State digest.State `cbor:"2,keyasint,omitempty"`
}

func (p *sumProgram) Step(c *cmd.Ctx) cmd.Next {
	algorithm := "bsd"
	for _, f := range c.Flags {
		algorithm = map[string]string{"r": "bsd", "s": "sysv"}[f.Name]
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if !p.In.Opened {
			p.State = digest.State{}
		}
		return next
	}
	p.State.Algorithm = algorithm
	p.State.Write(p.In.Take())
	if !p.In.Ended() {
		return cmd.Again()
	}
	name := ""
	if len(c.Args) > 0 {
		name = p.In.Name(c)
	}
	(&digestOptions{}).print(c, &p.State, name)
	p.State = digest.State{}
	return cmd.Again()
}
