package std

import (
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

// nproc says 1: the sandbox runs one thing at a time, wherever it is.
func nproc() *cmd.Command {
	return &cmd.Command{
		Name: "nproc", Summary: "print the number of processing units available to the current process", Usage: "nproc [OPTION]...",
		Options: []cmd.Option{
			{Long: "all", Help: "print the number of installed processors"},
			{Long: "ignore", Arg: cmd.Required, Meta: "N", Help: "if possible, exclude N processing units"},
		},
		Run: func(c *cmd.Ctx) int {
			if n, ok := c.Flags.Last("ignore"); ok {
				if _, err := strconv.ParseUint(n.Value, 10, 63); err != nil {
					c.Errorf("invalid number: %s", quote.Locale(c, n.Value))
					return 1
				}
			}
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			c.Out.WriteString("1\n")
			return 0
		},
	}
}
