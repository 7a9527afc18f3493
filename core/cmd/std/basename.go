package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
)

func basename() *cmd.Command {
	return &cmd.Command{
		Name: "basename", Summary: "print NAME with any leading directory components removed",
		Usage: "basename NAME [SUFFIX]\nbasename OPTION... NAME...", StopAtOperand: true,
		Options: []cmd.Option{
			{Short: 'a', Long: "multiple", Help: "support multiple arguments and treat each as a NAME"},
			{Short: 's', Long: "suffix", Arg: cmd.Required, Meta: "SUFFIX", Help: "remove a trailing SUFFIX; implies -a"},
			{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
		},
		Run: runBasename,
	}
}

func runBasename(c *cmd.Ctx) int {
	names, suffix := c.Args, c.Flags.Value("s")
	switch multiple := c.Flags.Has("a") || c.Flags.Has("s"); {
	case len(names) == 0:
		return c.MissingOperand("")
	case !multiple && len(names) > 2:
		return c.ExtraOperand(names[2])
	case !multiple && len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	for _, n := range names {
		b := walk.Base(n)
		if b != suffix && !strings.HasPrefix(b, "/") {
			b = strings.TrimSuffix(b, suffix)
		}
		c.Out.WriteString(b)
		c.Out.WriteByte(lineEnd(c))
	}
	return 0
}

// lineEnd is what ends each line: NUL under -z.
func lineEnd(c *cmd.Ctx) byte {
	if c.Flags.Has("z") {
		return 0
	}
	return '\n'
}
