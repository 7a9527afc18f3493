package std

import (
	"errors"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
)

func nice() *cmd.Command {
	return &cmd.Command{
		Name: "nice", Summary: "run COMMAND with an adjusted niceness", Usage: "nice [OPTION] [COMMAND [ARG]...]", StopAtOperand: true, Status: 125,
		Options: []cmd.Option{{Short: 'n', Long: "adjustment", Arg: cmd.Required, Meta: "N", Help: "add integer N to the niceness (default 10)"}},
		Obsolete: func(_ *cmd.Ctx, args []string) []string {
			if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
				s := args[0][1:]
				if s[0] == '-' || s[0] == '+' {
					s = s[1:]
				}
				if s != "" && s[0] >= '0' && s[0] <= '9' {
					return append([]string{"-n", args[0][1:]}, args[1:]...)
				}
			}
			return args
		},
		Class: cmd.Step, New: func() cmd.Program { return &niceProgram{} },
	}
}

type niceProgram struct {
	Child child.Child `cbor:"1,keyasint,omitempty"`
}

// Step becomes the command. The scheduler knows no niceness: it is a number that processes hand on.
func (p *niceProgram) Step(c *cmd.Ctx) cmd.Next {
	if next, waits := p.Child.Waits(c); waits {
		return next
	}
	n, has := c.Flags.Last("n")
	by := 10
	if has {
		var err error
		if by, err = strconv.Atoi(n.Value); err != nil && !errors.Is(err, strconv.ErrRange) {
			c.Errorf("invalid adjustment %s", quote.Locale(c, n.Value))
			return cmd.Exit(125)
		}
		by = max(-39, min(by, 39))
	}
	if len(c.Args) == 0 {
		if has {
			return cmd.Exit(c.UsageError("a command must be given with an adjustment"))
		}
		c.Out.WriteString(strconv.Itoa(c.Niceness()) + "\n")
		return cmd.Exit(0)
	}
	if by < 0 && c.UID() != 0 {
		c.Errorf("cannot set niceness: Permission denied")
		by = 0
	}
	return child.Become(c, cmd.Spawn{Argv: c.Args, Nicer: by}, func(err error) { c.Errorf("%s: %s", quote.Locale(c, c.Args[0]), err) })
}
