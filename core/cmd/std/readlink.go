package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/canon"
)

func readlink() *cmd.Command {
	return &cmd.Command{
		Name: "readlink", Summary: "print value of a symbolic link or canonical file name", Usage: "readlink [OPTION]... FILE...",
		Options: []cmd.Option{
			{Short: 'f', Long: "canonicalize", Help: "canonicalize by following every symlink; all but the last component must exist"},
			{Short: 'e', Long: "canonicalize-existing", Help: "likewise, all components must exist"},
			{Short: 'm', Long: "canonicalize-missing", Help: "likewise, without requirements on components existence"},
			{Short: 'n', Long: "no-newline", Help: "do not output the trailing delimiter"},
			{Short: 'q', Long: "quiet", Help: "suppress most error messages"},
			{Short: 's', Long: "silent", Help: "suppress most error messages"},
			{Short: 'v', Long: "verbose", Help: "report error messages"},
			{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
		},
		Run: runReadlink,
	}
}

func runReadlink(c *cmd.Ctx) int {
	if len(c.Args) == 0 {
		return c.MissingOperand("")
	}
	mode, resolve, verbose := canon.AllButLast, false, false
	for _, f := range c.Flags {
		switch f.Name {
		case "f":
			mode, resolve = canon.AllButLast, true
		case "e":
			mode, resolve = canon.Existing, true
		case "m":
			mode, resolve = canon.Missing, true
		case "v":
			verbose = true
		case "q", "s":
			verbose = false
		}
	}
	newline := !c.Flags.Has("n")
	if !newline && len(c.Args) > 1 {
		c.Errorf("ignoring --no-newline with multiple arguments")
		newline = true
	}
	status := 0
	for _, name := range c.Args {
		var s string
		var err error
		if resolve {
			s, err = canon.Path(c, name, mode, false, false)
		} else {
			s, err = c.Readlink(name)
		}
		if err != nil {
			status = 1
			if verbose {
				c.Errorf("%s: %s", quote.File(c, name), err)
			}
			continue
		}
		c.Out.WriteString(s)
		if newline {
			c.Out.WriteByte(lineEnd(c))
		}
	}
	return status
}
