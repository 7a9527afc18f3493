package std

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// less and more print their files: there is no terminal to stop at.
func less() *cmd.Command {
	return &cmd.Command{
		Name: "less", Summary: "view files; without a terminal, copy them", Usage: "less [OPTION]... [FILE]...", Origin: "less 590",
		Class: cmd.Step, Raw: true, New: func() cmd.Program { return &pager{less: true} },
	}
}

func more() *cmd.Command {
	return &cmd.Command{
		Name: "more", Summary: "view files; without a terminal, copy them", Usage: "more [options] <file>...", Origin: "util-linux 2.38.1",
		Options: []cmd.Option{
			{Short: 'd', Long: "silent", Help: "display help instead of ringing bell"}, {Short: 'f', Long: "logical", Help: "count logical rather than screen lines"},
			{Short: 'l', Long: "no-pause", Help: "suppress pause after form feed"}, {Short: 'c', Long: "print-over", Help: "do not scroll, display text and clean line ends"},
			{Short: 'p', Long: "clean-print", Help: "do not scroll, clean screen and display text"}, {Short: 'e', Long: "exit-on-eof", Help: "exit on end-of-file"},
			{Short: 's', Long: "squeeze", Help: "squeeze multiple blank lines into one"}, {Short: 'u', Long: "plain", Help: "suppress underlining and bold"},
			{Short: 'n', Long: "lines", Arg: cmd.Required, Meta: "<number>", Help: "the number of lines per screenful"},
			{Short: 'h', Long: "help", Help: "display this help"}, {Short: 'V', Long: "version", Help: "display version"},
		},
		Obsolete: func(_ *cmd.Ctx, args []string) []string {
			var out []string
			for _, a := range args {
				if len(a) > 1 && (a[0] == '+' || a[0] == '-' && strings.Trim(a[1:], "0123456789") == "") {
					continue // where to begin and how long a screen is: only for a terminal
				}
				out = append(out, a)
			}
			return out
		},
		Class: cmd.Step, Short: true, New: func() cmd.Program { return &pager{} },
	}
}

// pager copies files.
type pager struct {
	I    int  `cbor:"2,keyasint,omitempty"` // operands taken
	FD   int  `cbor:"3,keyasint,omitempty"`
	Open bool `cbor:"4,keyasint,omitempty"`

	less bool // and not more
}

// Wrong checks the operand.
func (p *pager) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

func (p *pager) Step(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.Open {
		return p.copy(c)
	}
	names := c.Args
	if p.less {
		var status int
		var done bool
		if names, status, done = lessOperands(c, p.I == 0); done {
			return cmd.Exit(status)
		}
	}
	switch {
	case p.I == 0 && len(names) == 0:
		p.I, p.FD, p.Open = 1, 0, true
	case p.I < len(names):
		p.I++
		p.begin(c, names[p.I-1])
	default:
		return cmd.Exit(0)
	}
	return cmd.Again()
}

// begin opens an operand, and says what it is.
func (p *pager) begin(c *cmd.Ctx, name string) {
	if name == "-" && p.less {
		p.FD, p.Open = 0, true
		return
	}
	st, err := c.Stat(name)
	if err == nil && st.Mode.IsDir() {
		if p.less {
			c.Out.WriteString(name + " is a directory\n")
		} else {
			c.Out.WriteString("\n*** " + name + ": directory ***\n\n")
		}
		return
	}
	fd := 0
	if err == nil {
		fd, err = c.Open(name, vfs.O_RDONLY, 0)
	}
	switch {
	case err != nil && p.less:
		c.Out.WriteString(name + ": " + err.Error() + "\n")
	case err != nil:
		c.Flush()
		c.Errorf("cannot open %s: %s", name, err)
	default:
		if !p.less {
			rule := "::::::::::::::\n"
			c.Out.WriteString(rule + name + "\n" + rule)
		}
		p.FD, p.Open = fd, true
	}
}

func (p *pager) copy(c *cmd.Ctx) cmd.Next {
	buf := make([]byte, cmd.Turn)
	n, err := c.Read(p.FD, buf)
	c.Out.Write(buf[:n])
	switch err {
	case nil:
		return cmd.Again()
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	case io.EOF:
	default:
		c.Flush()
		c.Errorf("%s", err)
	}
	if p.FD > 0 {
		c.Close(p.FD)
	}
	p.Open = false
	return cmd.Again()
}

// lessOperands takes the options away: they are about the screen. What is wrong with them is said the first time.
func lessOperands(c *cmd.Ctx, first bool) (names []string, status int, done bool) {
	const valued, switches = "bhjkoOpPtTxyzD#\"", "aABcCdeEfFgGiIJKLmMnNqQrRsSuUVwWX~0123456789?"
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		switch {
		case a == "--":
			return append(names, c.Args[i+1:]...), 0, false
		case strings.HasPrefix(a, "+"):
		case strings.HasPrefix(a, "--"):
			if c.SoleHelp() {
				return nil, 0, true
			}
		case len(a) > 1 && a[0] == '-':
			for j := 1; j < len(a); j++ {
				if strings.IndexByte(valued, a[j]) >= 0 {
					if j+1 == len(a) {
						i++
					}
					break
				}
				if strings.IndexByte(switches, a[j]) < 0 {
					if first {
						c.Errout.WriteString("There is no -" + a[j:j+1] + " option (\"less --help\" for help)\n")
					}
					break
				}
			}
		default:
			names = append(names, a)
		}
	}
	return names, 0, false
}
