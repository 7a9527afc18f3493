package std

import (
	"bytes"
	"errors"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

func cat() *cmd.Command {
	return &cmd.Command{
		Name: "cat", Summary: "concatenate FILE(s) to standard output",
		Usage: "cat [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "number-nonblank", Help: "number nonempty output lines, overrides -n"},
			{Short: 'n', Long: "number", Help: "number all output lines"},
			{Short: 's', Long: "squeeze-blank", Help: "suppress repeated empty output lines"},
			{Short: 'v', Long: "show-nonprinting", Help: "use ^ and M- notation, except for LFD and TAB"},
			{Short: 'E', Long: "show-ends", Help: "display $ at end of each line"},
			{Short: 'T', Long: "show-tabs", Help: "display TAB characters as ^I"},
			{Short: 'A', Long: "show-all", Help: "equivalent to -vET"},
			{Short: 'e', Help: "equivalent to -vE"},
			{Short: 't', Help: "equivalent to -vT"},
			{Short: 'u', Help: "(ignored)"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &catProgram{} },
	}
}

var errInputIsOutput = errors.New("input file is output file")

// catProgram copies bytes, or shows them, line numbers going on from file to file.
type catProgram struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Line   int       `cbor:"2,keyasint,omitempty"` // lines numbered so far
	Within bool      `cbor:"3,keyasint,omitempty"` // the last byte did not end a line
	Blank  int       `cbor:"4,keyasint,omitempty"` // empty lines in a row before this place
	CR     bool      `cbor:"5,keyasint,omitempty"` // a CR waits for the byte after it (-E)
}

func (p *catProgram) Step(c *cmd.Ctx) cmd.Next {
	count := p.In.Count
	next, ok := p.In.Turn(c)
	if p.In.Count > count {
		if p.In.Opened && catIsOutput(c, p.In.FD, int64(len(p.In.Rest()))) {
			p.In.Fail(c, errInputIsOutput)
			p.In.Reset()
			return cmd.Again()
		}
	}
	if !ok {
		if p.In.End && p.CR {
			c.Out.WriteByte('\r')
		}
		return next
	}
	data := p.In.Take()
	if len(c.Flags) == 0 {
		c.Out.Write(data)
	} else {
		p.show(c, data)
	}
	c.Flush()
	return cmd.Again()
}

// catIsOutput reports that reading fd, of which ahead bytes were read, would
// read what is written to standard output.
func catIsOutput(c *cmd.Ctx, fd int, ahead int64) bool {
	in, err := c.Fstat(fd)
	if err != nil || !in.Mode.IsRegular() {
		return false
	}
	out, err := c.Fstat(1)
	if err != nil || out.Ino != in.Ino || out.Mode&vfs.TypeMask != vfs.TypeFile {
		return false
	}
	at, err := c.Seek(fd, 0, 1)
	return err == nil && at-ahead < in.Size
}

// catFlags are the options as switches.
type catFlags struct {
	ends, tabs, visible, number, nonblank, squeeze bool
}

func catRead(f cmd.Flags) catFlags {
	return catFlags{
		ends:     f.Has("A") || f.Has("e") || f.Has("E"),
		tabs:     f.Has("A") || f.Has("t") || f.Has("T"),
		visible:  f.Has("A") || f.Has("e") || f.Has("t") || f.Has("v"),
		nonblank: f.Has("b"),
		number:   f.Has("n") || f.Has("b"),
		squeeze:  f.Has("s"),
	}
}

// show writes data with what the options add.
func (p *catProgram) show(c *cmd.Ctx, data []byte) {
	o := catRead(c.Flags)
	out := c.Out.B
	for len(data) > 0 {
		if !p.Within && data[0] == '\n' {
			data = data[1:]
			if p.Blank++; o.squeeze && p.Blank > 1 {
				continue
			}
			if o.number && !o.nonblank {
				out = p.number(out)
			}
			out = catEnd(out, o)
			continue
		}
		if !p.Within {
			if o.number {
				out = p.number(out)
			}
			p.Within, p.Blank = true, 0
		}
		i := bytes.IndexByte(data, '\n')
		text := data
		if i >= 0 {
			text = data[:i]
		}
		out = p.text(out, text, o)
		if i < 0 {
			break
		}
		if p.CR {
			out, p.CR = append(out, "^M"...), false
		}
		out = catEnd(out, o)
		p.Within = false
		data = data[i+1:]
	}
	c.Out.B = out
}

func catEnd(out []byte, o catFlags) []byte {
	if o.ends {
		out = append(out, '$')
	}
	return append(out, '\n')
}

// number writes the next line number, six wide.
func (p *catProgram) number(out []byte) []byte {
	p.Line++
	return append(padInt(out, int64(p.Line), 6), '\t')
}

// text writes the bytes of a line. A CR at the very end is kept back: before
// a line end that -E marks it shows as ^M.
func (p *catProgram) text(out, text []byte, o catFlags) []byte {
	if p.CR && len(text) > 0 {
		out, p.CR = append(out, '\r'), false
	}
	if o.ends && !o.visible && len(text) > 0 && text[len(text)-1] == '\r' {
		p.CR = true
		text = text[:len(text)-1]
	}
	if !o.visible && !o.tabs {
		return append(out, text...)
	}
	for _, b := range text {
		switch {
		case b == '\t':
			if o.tabs {
				out = append(out, "^I"...)
			} else {
				out = append(out, b)
			}
		case o.visible:
			out = appendVisible(out, b)
		default:
			out = append(out, b)
		}
	}
	return out
}

// appendVisible writes a byte in ^ and M- notation.
func appendVisible(out []byte, b byte) []byte {
	if b >= 128 {
		out = append(out, "M-"...)
		b -= 128
	}
	switch {
	case b < 32:
		return append(out, '^', b+64)
	case b == 127:
		return append(out, "^?"...)
	}
	return append(out, b)
}
