package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// sync has nothing to write out: it looks whether its operands are there.
func sync() *cmd.Command {
	return &cmd.Command{
		Name: "sync", Summary: "synchronize cached writes to persistent storage", Usage: "sync [OPTION] [FILE]...",
		Options: []cmd.Option{
			{Short: 'd', Long: "data", Help: "sync only file data, no unneeded metadata"},
			{Short: 'f', Long: "file-system", Help: "sync the file systems that contain the files"},
		},
		Run: func(c *cmd.Ctx) int {
			if c.Flags.Has("d") && c.Flags.Has("f") {
				c.Errorf("cannot specify both --data and --file-system")
				return 1
			}
			if c.Flags.Has("d") && len(c.Args) == 0 {
				c.Errorf("--data needs at least one argument")
				return 1
			}
			status := 0
			for _, name := range c.Args {
				_, err := c.Stat(name)
				if err == nil {
					err = c.Access(name, vfs.R_OK)
				}
				if err != nil {
					c.Errorf("error opening %s: %s", quote.Shell(c, name), err)
					status = 1
				}
			}
			return status
		},
	}
}
