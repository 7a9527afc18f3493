package std

import "eryxsh/core/cmd"

// logname has no terminal to ask.
func logname() *cmd.Command {
	return &cmd.Command{
		Name: "logname", Summary: "print the user's login name", Usage: "logname [OPTION]",
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			c.Errorf("no login name")
			return 1
		},
	}
}
