package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
	"eryxsh/core/cmd/std/internal/signals"
)

func nohup() *cmd.Command {
	return &cmd.Command{
		Name: "nohup", Summary: "run COMMAND, ignoring hangup signals", Usage: "nohup COMMAND [ARG]...\nnohup OPTION", StopAtOperand: true, Status: 125,
		Class: cmd.Step, New: func() cmd.Program { return &nohupProgram{} },
	}
}

type nohupProgram struct {
	Child child.Child `cbor:"1,keyasint,omitempty"`
}

// Step becomes the command. There is no terminal, so nothing is redirected.
func (p *nohupProgram) Step(c *cmd.Ctx) cmd.Next {
	if next, waits := p.Child.Waits(c); waits {
		return next
	}
	if len(c.Args) == 0 {
		return cmd.Exit(c.MissingOperand(""))
	}
	return child.Become(c, cmd.Spawn{Argv: c.Args, Ignore: []int{signals.HUP}}, func(err error) { c.Errorf("failed to run command %s: %s", quote.Shell(c, c.Args[0]), err) })
}
