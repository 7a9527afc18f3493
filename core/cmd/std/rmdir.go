package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

func rmdir() *cmd.Command {
	return &cmd.Command{
		Name: "rmdir", Acts: true, Summary: "remove the DIRECTORY(ies), if they are empty", Usage: "rmdir [OPTION]... DIRECTORY...",
		Options: []cmd.Option{
			{Long: "ignore-fail-on-non-empty", Help: "ignore each failure to remove a non-empty directory"},
			{Short: 'p', Long: "parents", Help: "remove DIRECTORY and its ancestors"},
			{Short: 'v', Long: "verbose", Help: "output a diagnostic for every directory processed"},
		},
		Run: runRmdir,
	}
}

func runRmdir(c *cmd.Ctx) int {
	if len(c.Args) == 0 {
		return c.MissingOperand("")
	}
	status := 0
	for _, dir := range c.Args {
		for what := "failed to remove"; ; what = "failed to remove directory" {
			if c.Flags.Has("v") {
				c.Out.WriteString("rmdir: removing directory, " + quote.Shell(c, dir) + "\n")
			}
			if err := c.Rmdir(dir); err != nil {
				if !c.Flags.Has("ignore-fail-on-non-empty") || err != vfs.ENOTEMPTY && err != vfs.EEXIST {
					c.Errorf("%s %s: %s", what, quote.Shell(c, dir), err)
					status = 1
				}
				break
			}
			dir = strings.TrimRight(dir, "/")
			i := strings.LastIndexByte(dir, '/')
			if i < 0 || !c.Flags.Has("p") {
				break
			}
			if dir = strings.TrimRight(dir[:i], "/"); dir == "" {
				break
			}
		}
	}
	return status
}
