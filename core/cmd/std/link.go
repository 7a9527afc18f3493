package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func link() *cmd.Command {
	return &cmd.Command{
		Name: "link", Summary: "call the link function to create a link named FILE2 to an existing FILE1", Usage: "link FILE1 FILE2",
		Run: func(c *cmd.Ctx) int {
			switch n := len(c.Args); {
			case n == 0:
				return c.MissingOperand("")
			case n == 1:
				return c.MissingOperand(c.Args[0])
			case n > 2:
				return c.ExtraOperand(c.Args[2])
			}
			if err := c.Link(c.Args[0], c.Args[1]); err != nil {
				c.Errorf("cannot create link %s to %s: %s", quote.Shell(c, c.Args[1]), quote.Shell(c, c.Args[0]), err)
				return 1
			}
			return 0
		},
	}
}
