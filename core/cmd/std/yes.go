package std

import (
	"strings"

	"eryxsh/core/cmd"
)

func yes() *cmd.Command {
	return &cmd.Command{
		Name: "yes", WriteError: "standard output: WHY", Summary: "repeatedly output a line with all specified STRING(s), or 'y'",
		Usage:         "yes [STRING]...\nyes OPTION",
		Class:         cmd.Step,
		StopAtOperand: true,
		New:           func() cmd.Program { return &yesProgram{} },
	}
}

// yesProgram has no state: it writes the same in every turn.
type yesProgram struct{}

func (p *yesProgram) Step(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn/4 {
		return cmd.WaitWrite()
	}
	line := "y\n"
	if len(c.Args) > 0 {
		line = strings.Join(c.Args, " ") + "\n"
	}
	for n := 0; n < c.Turn(cmd.Turn/8); n += len(line) {
		c.Out.WriteString(line)
	}
	return cmd.Again()
}
