package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func fold() *cmd.Command {
	return &cmd.Command{
		Name: "fold", Summary: "wrap input lines in each FILE, writing to standard output",
		Usage: "fold [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "bytes", Help: "count bytes rather than columns"},
			{Short: 's', Long: "spaces", Help: "break at spaces"},
			{Short: 'w', Long: "width", Arg: cmd.Required, Meta: "WIDTH", Help: "use WIDTH columns instead of 80"},
		},
		Class:    cmd.Step,
		Obsolete: func(_ *cmd.Ctx, args []string) []string { return widthObsolete(args, "bs") },
		New:      func() cmd.Program { return &foldProgram{} },
	}
}

// widthObsolete reads -N, also behind the letters in bundle, as -w N.
func widthObsolete(args []string, bundle string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && (i == 0 || args[i-1] != "-w") {
			j := 1
			for j < len(a) && containsByte(bundle, a[j]) {
				j++
			}
			if j < len(a) && digits(a[j:j+1]) {
				if j > 1 {
					out = append(out, a[:j])
				}
				a = "-w" + a[j:]
			}
		}
		out = append(out, a)
	}
	return out
}

func containsByte(s string, b byte) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == b {
			return true
		}
	}
	return false
}

// foldProgram breaks lines; Line is what of the current output line is not written yet.
type foldProgram struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Line   []byte    `cbor:"2,keyasint,omitempty"`
	Column int       `cbor:"3,keyasint,omitempty"`

	width int
}

func (p *foldProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.width == 0 {
		p.width = 80
		if f, ok := c.Flags.Last("w"); ok {
			n, ok := positive(c, "invalid number of columns", f.Value)
			if !ok {
				return cmd.Exit(1)
			}
			p.width = n
		}
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	p.fold(c, p.In.Take(), c.Flags.Has("b"), c.Flags.Has("s"))
	c.Hold(len(p.Line))
	if p.In.Ended() {
		c.Out.Write(p.Line)
		p.Line, p.Column = p.Line[:0], 0
	}
	return cmd.Again()
}

func (p *foldProgram) fold(c *cmd.Ctx, data []byte, bytes, spaces bool) {
	out, line, column := c.Out.B, p.Line, p.Column
	for _, b := range data {
		if b == '\n' {
			out = append(append(out, line...), '\n')
			line, column = line[:0], 0
			continue
		}
		for {
			next := foldColumn(column, b, bytes)
			if next <= p.width {
				column = next
				break
			}
			if len(line) == 0 {
				column = next
				break
			}
			if spaces {
				if i := lastBlank(line); i >= 0 {
					out = append(append(out, line[:i+1]...), '\n')
					line = line[:copy(line, line[i+1:])]
					column = 0
					for _, x := range line {
						column = foldColumn(column, x, bytes)
					}
					continue
				}
			}
			out = append(append(out, line...), '\n')
			line, column = line[:0], 0
		}
		line = append(line, b)
	}
	c.Out.B, p.Line, p.Column = out, line, column
}

func lastBlank(line []byte) int {
	for i := len(line) - 1; i >= 0; i-- {
		if line[i] == ' ' || line[i] == '\t' {
			return i
		}
	}
	return -1
}

// foldColumn is the column after b.
func foldColumn(column int, b byte, bytes bool) int {
	if !bytes {
		switch b {
		case '\b':
			return max(0, column-1)
		case '\r':
			return 0
		case '\t':
			return column + 8 - column%8
		}
	}
	return column + 1
}

// positive reads a number above 0 for an option; if it is wrong it says so.
func positive(c *cmd.Ctx, what, value string) (int, bool) {
	n, ok := 0, digits(value)
	for i := 0; ok && i < len(value); i++ {
		if n = n*10 + int(value[i]-'0'); n > 1<<60 {
			n = 1 << 60
		}
	}
	switch {
	case !ok:
		c.Errorf("%s: %s", what, quote.Locale(c, value))
	case n == 0:
		c.Errorf("%s: %s: Numerical result out of range", what, quote.Locale(c, value))
		ok = false
	}
	return n, ok
}
