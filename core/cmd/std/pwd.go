package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/canon"
)

func pwd() *cmd.Command {
	return &cmd.Command{
		Name: "pwd", Summary: "print the full filename of the current working directory", Usage: "pwd [OPTION]...",
		Options: []cmd.Option{
			{Short: 'L', Long: "logical", Help: "use PWD from environment, even if it contains symlinks"},
			{Short: 'P', Long: "physical", Help: "avoid all symlinks"},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				c.Errorf("ignoring non-option arguments")
			}
			logical := false
			for _, f := range c.Flags {
				logical = f.Name == "L"
			}
			dir, err := canon.Path(c, ".", canon.Existing, false, false)
			if err != nil {
				dir = c.Dir()
			}
			if p, _ := c.Getenv("PWD"); logical && strings.HasPrefix(p, "/") && !strings.Contains(p+"/", "/./") && !strings.Contains(p+"/", "/../") {
				a, err1 := c.Stat(p)
				b, err2 := c.Stat(".")
				if err1 == nil && err2 == nil && a.Ino == b.Ino {
					dir = p
				}
			}
			c.Out.WriteString(dir + "\n")
			return 0
		},
	}
}
