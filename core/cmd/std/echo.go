package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
)

// echo is what env, xargs and find run; scripts have the shell's own.
func echo() *cmd.Command {
	return &cmd.Command{
		Name: "echo", Summary: "echo the STRING(s) to standard output",
		Usage: "echo [SHORT-OPTION]... [STRING]...\necho LONG-OPTION", Class: cmd.Atomic, Raw: true,
		Run: func(c *cmd.Ctx) int {
			if !c.SoleHelp() {
				c.Out.B = format.Echo(c.Out.B, c.Args, false, c)
			}
			return 0
		},
	}
}
