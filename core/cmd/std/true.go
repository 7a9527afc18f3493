package std

import "eryxsh/core/cmd"

func trueCommand() *cmd.Command {
	return &cmd.Command{
		Name: "true", Summary: "exit with a status code indicating success",
		Usage: "true [ignored command line arguments]", Class: cmd.Atomic, Raw: true,
		Run: func(c *cmd.Ctx) int { c.SoleHelp(); return 0 },
	}
}
