package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
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
			dir, err := c.Dir()
			if p, _ := c.Getenv("PWD"); logical && strings.HasPrefix(p, "/") && !strings.Contains(p+"/", "/./") && !strings.Contains(p+"/", "/../") {
				a, err1 := c.Stat(p)
				b, err2 := c.Stat(".")
				if err1 == nil && err2 == nil && a.Ino == b.Ino {
					dir, err = p, nil
				}
			}
			if err != nil {
				c.Errorf("couldn't find directory entry in %s with matching i-node", quote.Locale(c, ".."))
				return 1
			}
			c.Out.WriteString(dir + "\n")
			return 0
		},
	}
}
