package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
	"eryxsh/core/cmd/std/internal/size"
)

// stdbuf runs a command. What a utility here writes goes out when a turn ends,
// and a pipeline's next stage runs then, so there is no buffering to change.
func stdbuf() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: "MODE", Help: help}
	}
	return &cmd.Command{
		Name: "stdbuf", Summary: "run COMMAND with modified buffering operations for its standard streams", Usage: "stdbuf OPTION... COMMAND",
		Options:       []cmd.Option{o('i', "input", "adjust standard input stream buffering"), o('o', "output", "adjust standard output stream buffering"), o('e', "error", "adjust standard error stream buffering")},
		StopAtOperand: true, Status: 125, Class: cmd.Step, New: func() cmd.Program { return &stdbufProgram{} },
	}
}

type stdbufProgram struct {
	Child child.Child `cbor:"1,keyasint,omitempty"`
}

// Step becomes the command.
func (p *stdbufProgram) Step(c *cmd.Ctx) cmd.Next {
	if next, waits := p.Child.Waits(c); waits {
		return next
	}
	for _, f := range c.Flags {
		if f.Value == "L" && f.Name != "i" {
			continue
		}
		if f.Value == "L" {
			return cmd.Exit(c.UsageError("line buffering stdin is meaningless"))
		}
		if _, err := size.Parse(f.Value, "EGkKMPTYZ"); err != nil {
			c.Errorf("invalid mode %s", quote.Locale(c, f.Value))
			return cmd.Exit(125)
		}
	}
	if len(c.Args) == 0 {
		return cmd.Exit(c.MissingOperand(""))
	}
	if len(c.Flags) == 0 {
		return cmd.Exit(c.UsageError("you must specify a buffering mode option"))
	}
	return child.Become(c, cmd.Spawn{Argv: c.Args}, func(err error) { c.Errorf("failed to run command %s: %s", quote.Locale(c, c.Args[0]), err) })
}
