package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
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

// Step starts the command, then waits for it. There is no terminal, so nothing is redirected.
func (p *nohupProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.Child.Started {
		if status, ok := p.Child.Ended(c); ok {
			return cmd.Exit(status)
		}
		return cmd.WaitChild(0)
	}
	if len(c.Args) == 0 {
		return cmd.Exit(c.MissingOperand(""))
	}
	if status, err := p.Child.Start(c, cmd.Spawn{Argv: c.Args}); err != nil {
		c.Errorf("failed to run command %s: %s", quote.Shell(c, c.Args[0]), err)
		return cmd.Exit(status)
	}
	return cmd.WaitChild(0)
}
