package std

import (
	"io"

	"eryxsh/core/cmd"
)

func envsubst() *cmd.Command {
	return &cmd.Command{
		Name: "envsubst", Summary: "substitute the values of environment variables", Usage: "envsubst [OPTION] [SHELL-FORMAT]",
		Options: []cmd.Option{{Short: 'v', Long: "variables", Help: "output the variables occurring in SHELL-FORMAT"}},
		Origin:  "GNU gettext-runtime 0.21", Status: 1, Class: cmd.Step,
		New: func() cmd.Program { return &envsubstProgram{} },
	}
}

// envsubstProgram copies standard input with variables replaced.
type envsubstProgram struct {
	In cmd.Lines `cbor:"1,keyasint,omitempty"`
}

func (p *envsubstProgram) Step(c *cmd.Ctx) cmd.Next {
	switch {
	case len(c.Args) > 1:
		c.Errorf("too many arguments")
		return cmd.Exit(1)
	case c.Flags.Has("v") && len(c.Args) == 0:
		c.Errorf("missing arguments")
		return cmd.Exit(1)
	case c.Flags.Has("v"):
		eachVariable([]byte(c.Args[0]), true, func([]byte) {}, func(name string, _ []byte) bool { c.Out.WriteString(name + "\n"); return true })
		return cmd.Exit(0)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch err := p.fill(c); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(0)
	default:
		c.Errorf("error while reading \"standard input\": %s", err)
		return cmd.Exit(1)
	}
	var only map[string]bool
	if len(c.Args) == 1 {
		only = map[string]bool{}
		eachVariable([]byte(c.Args[0]), true, func([]byte) {}, func(name string, _ []byte) bool { only[name] = true; return true })
	}
	used := eachVariable(p.In.Rest(), p.In.EOF, func(text []byte) { c.Out.Write(text) }, func(name string, whole []byte) bool {
		if only != nil && !only[name] {
			c.Out.Write(whole)
			return true
		}
		value, _ := c.Getenv(name)
		c.Out.WriteString(value)
		return c.Out.Len() < cmd.Turn
	})
	p.In.Skip(used)
	if p.In.Ended() {
		return cmd.Exit(0)
	}
	return cmd.Again()
}

// fill reads, unless much is left from a turn that wrote enough.
func (p *envsubstProgram) fill(c *cmd.Ctx) error {
	p.In.Goes(c)
	if len(p.In.Rest()) > cmd.Turn/2 {
		return nil
	}
	return p.In.Fill(c, 0)
}

// eachVariable takes a text apart: what is plain, and each $NAME and ${NAME}. It
// gives how much of the text was used: unless end says that nothing follows, a
// variable at its end may not be complete, and variable can say that it is enough.
func eachVariable(b []byte, end bool, text func([]byte), variable func(name string, whole []byte) bool) (used int) {
	letter := func(x byte) bool { return x == '_' || x|0x20 >= 'a' && x|0x20 <= 'z' }
	plain := 0
	for i := 0; i < len(b); {
		if b[i] != '$' {
			i++
			continue
		}
		from := i + 1
		brace := from < len(b) && b[from] == '{'
		if brace {
			from++
		}
		to := from
		for to < len(b) && (letter(b[to]) || to > from && b[to] >= '0' && b[to] <= '9') {
			to++
		}
		if to == len(b) && !end {
			text(b[plain:i])
			return i
		}
		stop := to
		if brace {
			stop++
		}
		if to == from || brace && (to == len(b) || b[to] != '}') {
			i = from
			continue
		}
		text(b[plain:i])
		at := i
		if i, plain = stop, stop; !variable(string(b[from:to]), b[at:stop]) {
			return stop
		}
	}
	text(b[plain:])
	return len(b)
}
