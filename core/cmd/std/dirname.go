package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
)

func dirname() *cmd.Command {
	return &cmd.Command{
		Name: "dirname", Summary: "output each NAME with its last non-slash component and trailing slashes removed",
		Usage:   "dirname [OPTION] NAME...",
		Options: []cmd.Option{{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"}},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) == 0 {
				return c.MissingOperand("")
			}
			for _, n := range c.Args {
				c.Out.WriteString(walk.Parent(n))
				c.Out.WriteByte(lineEnd(c))
			}
			return 0
		},
	}
}
