package std

import "eryxsh/core/cmd"

func printenv() *cmd.Command {
	return &cmd.Command{
		Name: "printenv", Summary: "print the values of the specified environment VARIABLE(s)", Usage: "printenv [OPTION]... [VARIABLE]...", Status: 2,
		Options: []cmd.Option{{Short: '0', Long: "null", Help: "end each output line with NUL, not newline"}}, StopAtOperand: true,
		Run: func(c *cmd.Ctx) int {
			end := byte('\n')
			if c.Flags.Has("0") {
				end = 0
			}
			lines, status := c.Environ(), 0
			if len(c.Args) > 0 {
				lines = nil
			}
			for _, name := range c.Args {
				if v, ok := c.Getenv(name); ok {
					lines = append(lines, v)
				} else {
					status = 1
				}
			}
			for _, l := range lines {
				c.Out.WriteString(l)
				c.Out.WriteByte(end)
			}
			return status
		},
	}
}
