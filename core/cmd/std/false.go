package std

import "eryxsh/core/cmd"

func falseCommand() *cmd.Command {
	return &cmd.Command{
		Name: "false", Summary: "exit with a status code indicating failure",
		Usage: "false [ignored command line arguments]", Class: cmd.Atomic, Raw: true,
		Run: func(c *cmd.Ctx) int { c.SoleHelp(); return 1 },
	}
}
