package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/owner"
)

func whoami() *cmd.Command {
	return &cmd.Command{
		Name: "whoami", Summary: "print the user name associated with the current effective user ID", Usage: "whoami [OPTION]...",
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			var names owner.Names
			c.Out.WriteString(names.User(c, uint32(c.UID())) + "\n")
			return 0
		},
	}
}
