package std

import "eryxsh/core/cmd"

func tty() *cmd.Command {
	return &cmd.Command{
		Name: "tty", Summary: "print the file name of the terminal connected to standard input", Usage: "tty [OPTION]...", Status: 2,
		Options: []cmd.Option{
			{Short: 's', Long: "silent", Help: "print nothing, only return an exit status"},
			{Long: "quiet", Help: "print nothing, only return an exit status"},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			if !c.Flags.Has("s") && !c.Flags.Has("quiet") {
				c.Out.WriteString("not a tty\n")
			}
			return 1
		},
	}
}
