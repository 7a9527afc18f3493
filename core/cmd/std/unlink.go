package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func unlink() *cmd.Command {
	return &cmd.Command{
		Name: "unlink", Summary: "call the unlink function to remove the specified FILE", Usage: "unlink FILE",
		Run: func(c *cmd.Ctx) int {
			switch n := len(c.Args); {
			case n == 0:
				return c.MissingOperand("")
			case n > 1:
				return c.ExtraOperand(c.Args[1])
			}
			if err := c.Unlink(c.Args[0]); err != nil {
				c.Errorf("cannot unlink %s: %s", quote.Shell(c, c.Args[0]), err)
				return 1
			}
			return 0
		},
	}
}
