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
	r := format.Printer{GNU: true, Now: c.Now(), Work: c, Bytes: c.Bytes()}.Printf(nil, args[0], args[1:])
	said := 0
	for i, e := range r.Errors { // stdout is flushed before each message
		c.Out.Write(r.Out[said:r.Before[i]])
		said = r.Before[i]
		c.Flush()
		c.Errorf("%s", e)
	}
	c.Out.Write(r.Out[said:])
	return r.Status
}
