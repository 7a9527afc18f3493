package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
)

// printf is what env, xargs and find run; scripts have the shell's own.
func printf() *cmd.Command {
	return &cmd.Command{
		Name: "printf", Summary: "print ARGUMENT(s) according to FORMAT",
		Usage: "printf FORMAT [ARGUMENT]...\nprintf OPTION", Class: cmd.Atomic, Raw: true,
		Run: runPrintf,
	}
}

func runPrintf(c *cmd.Ctx) int {
	if c.SoleHelp() {
		return 0
	}
	args := c.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.MissingOperand("")
	}
	r := format.Printer{GNU: true, Now: c.Now()}.Printf(c.Out.B, args[0], args[1:])
	c.Out.B = r.Out
	for _, e := range r.Errors {
		c.Errorf("%s", e)
	}
	return r.Status
}
