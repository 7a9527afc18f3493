package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

func pathchk() *cmd.Command {
	return &cmd.Command{
		Name: "pathchk", Summary: "diagnose invalid or unportable file names", Usage: "pathchk [OPTION]... NAME...",
		Options: []cmd.Option{
			{Short: 'p', Help: "check for most POSIX systems"},
			{Short: 'P', Help: "check for empty names and leading \"-\""},
			{Long: "portability", Help: "check for all POSIX systems (equivalent to -p -P)"},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) == 0 {
				return c.MissingOperand("")
			}
			status := 0
			for _, name := range c.Args {
				if !portable(c, name) {
					status = 1
				}
			}
			return status
		},
	}
}

func portable(c *cmd.Ctx, name string) bool {
	strict := c.Flags.Has("p") || c.Flags.Has("portability")
	basic := c.Flags.Has("P") || c.Flags.Has("portability")
	pathMax, nameMax := 4096, 255
	if strict {
		pathMax, nameMax = 256, 14
	}
	if basic && (strings.HasPrefix(name, "-") || strings.Contains(name, "/-")) {
		c.Errorf("leading '-' in a component of file name %s", quote.Shell(c, name))
		return false
	}
	if (basic || strict) && name == "" {
		c.Errorf("empty file name")
		return false
	}
	if strict {
		for _, r := range name {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r)) {
				c.Errorf("nonportable character %s in file name %s", quote.Locale(c, string(r)), quote.Shell(c, name))
				return false
			}
		}
	} else if _, err := c.Lstat(name); err != nil && (err != vfs.ENOENT || name == "") {
		c.Errorf("%s: %s", quote.File(c, name), err)
		return false
	}
	if len(name) >= pathMax {
		c.Errorf("limit %d exceeded by length %d of file name %s", pathMax-1, len(name), quote.Shell(c, name))
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if len(part) > nameMax {
			c.Errorf("limit %d exceeded by length %d of file name component %s", nameMax, len(part), quote.Locale(c, part))
			return false
		}
	}
	return true
}
