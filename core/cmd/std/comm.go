package std

import (
	"bytes"
	"io"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

func comm() *cmd.Command {
	return &cmd.Command{
		Name: "comm", Summary: "compare sorted files FILE1 and FILE2 line by line",
		Usage: "comm [OPTION]... FILE1 FILE2",
		Options: []cmd.Option{
			{Short: '1', Help: "suppress column 1 (lines unique to FILE1)"},
			{Short: '2', Help: "suppress column 2 (lines unique to FILE2)"},
			{Short: '3', Help: "suppress column 3 (lines that appear in both files)"},
			{Long: "check-order", Help: "check that the input is correctly sorted, even if all input lines are pairable"},
			{Long: "nocheck-order", Help: "do not check that the input is correctly sorted"},
			{Long: "output-delimiter", Arg: cmd.Required, Meta: "STR", Help: "separate columns with STR"},
			{Long: "total", Help: "output a summary"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &commProgram{} },
	}
}

// sideFile is one of two files that are read in step.
type sideFile struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	FD     int       `cbor:"2,keyasint,omitempty"`
	Line   []byte    `cbor:"3,keyasint,omitempty"` // the line to compare, if Have
	Have   bool      `cbor:"4,keyasint,omitempty"`
	Number int64     `cbor:"7,keyasint,omitempty"` // of Line
	Warned bool      `cbor:"8,keyasint,omitempty"` // its disorder was reported
	Prev   []byte    `cbor:"9,keyasint,omitempty"` // the line before Line
}

// open opens a file by its operand.
func (f *sideFile) open(c *cmd.Ctx, name string) (err error) {
	if name != "-" {
		f.FD, err = c.Open(name, vfs.O_RDONLY, 0)
	}
	return err
}

// advance makes Line the next line. ready is false if the program must return next first.
func (f *sideFile) advance(c *cmd.Ctx, name string, delim byte) (next cmd.Next, ready bool) {
	f.In.Goes(c)
	for !f.Have && !f.In.Ended() {
		line, ok := f.In.Next(delim)
		if ok {
			f.Prev, f.Line = f.Line, append(f.Prev[:0], line...)
			f.Have = true
			f.Number++
			c.Charge(3 + len(line)/64)
			break
		}
		switch err := f.In.Fill(c, f.FD); err {
		case nil:
			return cmd.Again(), false
		case io.EOF:
		case cmd.ErrBlocked:
			return cmd.WaitRead(f.FD), false
		default:
			return cmd.Exit(c.Fail(name, err)), false
		}
	}
	return next, true
}

// commProgram merges two sorted files.
type commProgram struct {
	Begun    bool        `cbor:"1,keyasint,omitempty"`
	Files    [2]sideFile `cbor:"2,keyasint,omitempty"`
	Counts   [3]int64    `cbor:"3,keyasint,omitempty"`
	Unpaired bool        `cbor:"4,keyasint,omitempty"` // a line was only in one file
}

// Wrong checks that there are two files.
func (p *commProgram) Wrong(c *cmd.Ctx) string {
	if p.Begun && len(c.Args) != len(p.Files) {
		return "files that are not named"
	}
	return ""
}

func (p *commProgram) Step(c *cmd.Ctx) cmd.Next {
	sep := []byte("\t")
	seen := false
	for _, f := range c.Flags {
		if f.Name == "output-delimiter" {
			value := []byte(f.Value)
			if len(value) == 0 {
				value = []byte{0}
			}
			if seen && !bytes.Equal(sep, value) {
				c.Errorf("multiple output delimiters specified")
				return cmd.Exit(1)
			}
			sep, seen = value, true
		}
	}
	if !p.Begun {
		p.Begun = true
		switch n := len(c.Args); {
		case n == 0:
			return cmd.Exit(c.MissingOperand(""))
		case n == 1:
			return cmd.Exit(c.MissingOperand(c.Args[0]))
		case n > 2:
			return cmd.Exit(c.ExtraOperand(c.Args[2]))
		}
		for i := range p.Files {
			if err := p.Files[i].open(c, c.Args[i]); err != nil {
				return cmd.Exit(c.Fail(c.Args[i], err))
			}
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	delim := byte('\n')
	if c.Flags.Has("z") {
		delim = 0
	}
	limit := c.Out.Len() + c.Turn(cmd.Turn)
	for c.Out.Len() < limit {
		for i := range p.Files {
			f := &p.Files[i]
			had, warned := f.Have, f.Warned
			if next, ready := f.advance(c, c.Args[i], delim); !ready {
				return next
			}
			if !had && f.Number > 1 && !p.inOrder(c, i) {
				return cmd.Exit(1)
			}
			if !f.Have { // at the end the last two were compared once more, and are no longer
				f.Number = 0
			}
			if f.Warned != warned {
				limit = 0 // the output went out before the warning, and counts no more
			}
		}
		a, b := &p.Files[0], &p.Files[1]
		if !a.Have && !b.Have {
			return cmd.Exit(p.end(c, sep, delim))
		}
		which := 0
		switch {
		case !b.Have:
		case !a.Have:
			which = 1
		default:
			if r := bytes.Compare(a.Line, b.Line); r == 0 {
				which = 2
			} else if r > 0 {
				which = 1
			}
		}
		p.put(c, which, sep, delim)
	}
	return cmd.Again()
}

// put writes a line in its column and takes it.
func (p *commProgram) put(c *cmd.Ctx, which int, sep []byte, delim byte) {
	p.Counts[which]++
	f := &p.Files[which%2]
	if which < 2 {
		p.Unpaired = true
	}
	if !c.Flags.Has(string(rune('1' + which))) {
		if which >= 1 && !c.Flags.Has("1") {
			c.Out.Write(sep)
		}
		if which == 2 && !c.Flags.Has("2") {
			c.Out.Write(sep)
		}
		c.Out.B = append(append(c.Out.B, f.Line...), delim)
	}
	f.Have = false
	if which == 2 {
		p.Files[1].Have = false
	}
}

// inOrder checks a new line against the one before; false ends the program.
func (p *commProgram) inOrder(c *cmd.Ctx, i int) bool {
	f := &p.Files[i]
	check, no := false, false
	for _, x := range c.Flags {
		if x.Name == "check-order" || x.Name == "nocheck-order" {
			check, no = x.Name == "check-order", x.Name == "nocheck-order"
		}
	}
	if no || !check && !p.Unpaired || f.Warned {
		return true
	}
	if bytes.Compare(f.Prev, f.Line) > 0 {
		c.Errorf("file %d is not in sorted order", i+1)
		f.Warned = true
		return !check
	}
	return true
}

// end writes the summary and gives the status.
func (p *commProgram) end(c *cmd.Ctx, sep []byte, delim byte) int {
	if c.Flags.Has("total") {
		for _, n := range p.Counts {
			c.Out.B = strconv.AppendInt(c.Out.B, n, 10)
			c.Out.Write(sep)
		}
		c.Out.WriteString("total")
		c.Out.WriteByte(delim)
	}
	if p.Files[0].Warned || p.Files[1].Warned {
		c.Errorf("input is not in sorted order")
		return 1
	}
	return 0
}
