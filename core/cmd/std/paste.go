package std

import (
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

func paste() *cmd.Command {
	return &cmd.Command{
		Name: "paste", Summary: "write lines consisting of the sequentially corresponding lines from each FILE, separated by TABs, to standard output",
		Usage: "paste [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'd', Long: "delimiters", Arg: cmd.Required, Meta: "LIST", Help: "reuse characters from LIST instead of TABs"},
			{Short: 's', Long: "serial", Help: "paste one file at a time instead of in parallel"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &pasteProgram{} },
	}
}

// pasteProgram joins lines of several files, or of one file after the other (-s).
type pasteProgram struct {
	Begun  bool        `cbor:"1,keyasint,omitempty"`
	Files  []pasteFile `cbor:"2,keyasint,omitempty"`
	At     int         `cbor:"3,keyasint,omitempty" holds:"in Files"` // the file whose line is next in this row
	Row    []byte      `cbor:"4,keyasint,omitempty"`                  // the row up to it
	Some   bool        `cbor:"5,keyasint,omitempty"`                  // a file has a line in this row
	Serial cmd.Input   `cbor:"6,keyasint,omitempty"`
	Lines  int         `cbor:"7,keyasint,omitempty" holds:"count"` // of the serial file, written
	Fresh  int         `cbor:"8,keyasint,omitempty" holds:"count"` // serial files begun

	delims [][]byte
}

// pasteFile is an operand of the parallel mode.
type pasteFile struct {
	FD   int       `cbor:"1,keyasint,omitempty"`
	In   cmd.Lines `cbor:"2,keyasint,omitempty"`
	Same int       `cbor:"3,keyasint,omitempty"` // 1 + the earlier operand that reads standard input too
}

// Wrong checks that standard input is read by one file, and by others after it.
func (p *pasteProgram) Wrong(*cmd.Ctx) string {
	for i := range p.Files {
		if s := cmd.Beyond("an earlier file", p.Files[i].Same, i); s != "" {
			return s
		}
	}
	return ""
}

func (p *pasteProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.delims == nil {
		list := "\t"
		if f, ok := c.Flags.Last("d"); ok {
			list = f.Value
		}
		var ok bool
		if p.delims, ok = pasteDelims(c, list); !ok {
			return cmd.Exit(1)
		}
	}
	end := byte('\n')
	if c.Flags.Has("z") {
		end = 0
	}
	if c.Flags.Has("s") {
		return p.serial(c, end)
	}
	if !p.Begun {
		p.Begun = true
		if status := p.open(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	return p.parallel(c, end)
}

// pasteDelims reads a LIST of delimiters with escapes; \0 is none.
func pasteDelims(c *cmd.Ctx, list string) ([][]byte, bool) {
	delims := [][]byte{}
	for i := 0; i < len(list); i++ {
		b := list[i]
		if b != '\\' {
			delims = append(delims, []byte{b})
			continue
		}
		if i++; i == len(list) {
			c.Errorf("delimiter list ends with an unescaped backslash: %s", list)
			return nil, false
		}
		switch list[i] {
		case '0':
			delims = append(delims, nil)
			continue
		case 'b':
			b = '\b'
		case 'f':
			b = '\f'
		case 'n':
			b = '\n'
		case 'r':
			b = '\r'
		case 't':
			b = '\t'
		case 'v':
			b = '\v'
		default:
			b = list[i]
		}
		delims = append(delims, []byte{b})
	}
	if len(delims) == 0 {
		delims = append(delims, nil)
	}
	return delims, true
}

func (p *pasteProgram) open(c *cmd.Ctx) (status int) {
	names := c.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	stdin := 0
	for i, name := range names {
		f := pasteFile{}
		if name == "-" {
			if stdin > 0 {
				f.Same = stdin
			} else {
				stdin = i + 1
			}
		} else {
			fd, err := c.Open(name, vfs.O_RDONLY, 0)
			if err != nil {
				return c.Fail(name, err)
			}
			f.FD = fd
		}
		p.Files = append(p.Files, f)
	}
	return 0
}

// parallel writes rows while the lines for them are there.
func (p *pasteProgram) parallel(c *cmd.Ctx, end byte) cmd.Next {
	limit := c.Out.Len() + c.Turn(cmd.Turn)
	for i := range p.Files {
		p.Files[i].In.Goes(c)
	}
	for c.Out.Len() < limit {
		for p.At < len(p.Files) {
			f := &p.Files[p.At]
			src := f
			if f.Same > 0 {
				src = &p.Files[f.Same-1]
			}
			line, ok := src.In.Next(end)
			if !ok && !src.In.EOF {
				switch err := src.In.Fill(c, src.FD); err {
				case nil, io.EOF:
					return cmd.Again()
				case cmd.ErrBlocked:
					return cmd.WaitRead(src.FD)
				default:
					return cmd.Exit(c.Fail(c.Args[p.At], err))
				}
			}
			p.Some = p.Some || ok
			p.Row = large.Append(p.Row, line)
			if p.At < len(p.Files)-1 {
				p.Row = append(p.Row, p.delims[p.At%len(p.delims)]...)
			}
			p.At++
		}
		if !p.Some {
			return cmd.Exit(0)
		}
		c.Out.B = append(append(c.Out.B, p.Row...), end)
		p.Row, p.At, p.Some = p.Row[:0], 0, false
	}
	return cmd.Again()
}

// serial writes each file as one row.
func (p *pasteProgram) serial(c *cmd.Ctx, end byte) cmd.Next {
	next, ok := p.Serial.Turn(c)
	if !ok {
		return next
	}
	if p.Fresh != p.Serial.Count {
		p.Fresh, p.Lines = p.Serial.Count, 0
	}
	out := c.Out.B
	for line, ok := p.Serial.Next(end); ok; line, ok = p.Serial.Next(end) {
		if p.Lines > 0 {
			out = append(out, p.delims[(p.Lines-1)%len(p.delims)]...)
		}
		p.Lines++
		out = append(out, line...)
	}
	if p.Serial.Ended() {
		out = append(out, end)
	}
	c.Out.B = out
	return cmd.Again()
}
