package sed

import (
	"io"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// open opens the files to write, which is done even if nothing is ever written.
func (p *Program) open(c *cmd.Ctx) bool {
	p.Outs = []Output{{FD: 1}}
	for _, name := range p.script.files {
		o := Output{}
		switch name {
		case "/dev/stdout":
			o.FD = 1
		case "/dev/stderr":
			o.FD = 2
		default:
			fd, err := c.Open(name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
			if err != nil {
				c.Errorf("couldn't open file %s: %s", name, err)
				return false
			}
			o.FD = fd
		}
		p.Outs = append(p.Outs, o)
	}
	p.Readers = make([]Reader, len(p.script.reads))
	p.Ranges = make([]Range, len(p.script.commands))
	p.resetRanges()
	return true
}

// sink is where the bytes for an output go until the end of the turn.
func (p *Program) sink(c *cmd.Ctx, i int) *[]byte {
	switch p.Outs[i].FD {
	case 1:
		return &c.Out.B
	case 2:
		return &c.Errout.B
	}
	for len(p.out) <= i {
		p.out = append(p.out, nil)
	}
	return &p.out[i]
}

// flush hands what was written in this turn to the system.
func (p *Program) flush(c *cmd.Ctx) {
	for i, b := range p.out {
		if len(b) == 0 {
			continue
		}
		p.out[i] = b[:0]
		if err := c.Write(p.Outs[i].FD, b); err != nil {
			name := p.In.Temp
			if i > 0 {
				name = p.script.files[i-1]
			}
			c.Errorf("couldn't write %d items to %s: %s", len(b), name, err)
			p.broken = true
		}
	}
	if p.o.flush {
		c.Flush()
	}
}

// begin gives the sink of an output, ready for new text.
func (p *Program) begin(c *cmd.Ctx, i int) *[]byte {
	b := p.sink(c, i)
	if p.Outs[i].Missing {
		*b = append(*b, p.o.delim)
		p.Outs[i].Missing = false
	}
	return b
}

// print writes a line: with a newline if the present line of input had one.
func (p *Program) print(c *cmd.Ctx, i int, text []byte) {
	b := p.begin(c, i)
	p.work += len(text) / 8
	*b = large.Push(*b, text, c)
	if p.Chomped {
		*b = append(*b, p.o.delim)
	} else {
		p.Outs[i].Missing = true
	}
}

// raw writes text as it is.
func (p *Program) raw(c *cmd.Ctx, text []byte) {
	b := p.begin(c, 0)
	p.work += len(text) / 8
	*b = append(*b, text...)
}

// inserted writes the text of i and c.
func (p *Program) inserted(c *cmd.Ctx, text []byte) {
	p.raw(c, text)
	if n := len(text); n > 0 {
		b := *p.sink(c, 0)
		b[len(b)-1] = p.o.delim
	}
}

// appended writes what a, r and R left for the end of the cycle, but for the
// last few; ok is false if the program must return next.
func (p *Program) appended(c *cmd.Ctx, left *int, few int) (next cmd.Next, ok bool) {
	for len(p.Queue) > few {
		a := &p.Queue[0]
		if a.File == "" {
			p.raw(c, a.Text)
			p.Queue = p.Queue[1:]
			continue
		}
		if !a.Open {
			p.begin(c, 0)
			p.flush(c)
			switch a.File {
			case "/dev/stdin":
				if p.In.Opened && p.In.FD == 0 {
					p.raw(c, p.In.Lines.Take())
				}
			default:
				fd, err := c.Open(a.File, vfs.O_RDONLY, 0)
				if err != nil {
					p.Queue = p.Queue[1:]
					continue
				}
				a.FD = fd
			}
			a.Open = true
		}
		if *left <= 0 || c.Out.Len() > cmd.Turn {
			return cmd.Again(), false
		}
		buf := make([]byte, 16<<10)
		n, err := c.Read(a.FD, buf)
		if n > 0 {
			p.raw(c, buf[:n])
			*left -= n/64 + 1
		}
		switch err {
		case nil:
			continue
		case cmd.ErrBlocked:
			return cmd.WaitRead(a.FD), false
		case io.EOF:
		default:
			if err != vfs.EISDIR {
				c.Errorf("read error on %s: %s", a.File, err)
			}
		}
		if a.FD != 0 {
			c.Close(a.FD)
		}
		p.Queue = p.Queue[1:]
	}
	if few == 0 {
		p.Queue = nil
	}
	return cmd.Next{}, true
}

// list writes the pattern space as l does.
func (p *Program) list(c *cmd.Ctx, width int) {
	b := p.begin(c, 0)
	p.work += len(p.Space)
	col := 0
	var piece []byte
	for i, ch := range p.Space {
		if i%large.Piece == large.Piece-1 {
			c.Charge(large.Piece >> 4)
		}
		piece = piece[:0]
		switch {
		case ch == '\\':
			piece = append(piece, `\\`...)
		case ch >= ' ' && ch < 127:
			piece = append(piece, ch)
		default:
			if i := indexByte("\a\b\f\n\r\t\v", ch); i >= 0 {
				piece = append(piece, '\\', "abfnrtv"[i])
				break
			}
			piece = append(piece, '\\', '0'+ch>>6, '0'+ch>>3&7, '0'+ch&7)
		}
		if width > 0 && col+len(piece) > width-1 {
			*b = append(*b, '\\', p.o.delim)
			col = 0
		}
		*b = append(*b, piece...)
		col += len(piece)
	}
	*b = append(*b, '$', p.o.delim)
}

func indexByte(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// number writes the line number.
func (p *Program) number(c *cmd.Ctx) {
	b := p.begin(c, 0)
	*b = append(strconv.AppendInt(*b, p.In.Number, 10), p.o.delim)
}

// readerLine takes the next line of a file of R; ok is false if the program
// must return next.
func (p *Program) readerLine(c *cmd.Ctx, file int) (line []byte, next cmd.Next, ok bool) {
	r := &p.Readers[file]
	name := p.script.reads[file]
	if !r.Opened {
		p.flush(c)
		fd := 0
		if name != "/dev/stdin" {
			var err error
			if fd, err = c.Open(name, vfs.O_RDONLY, 0); err != nil {
				fd = -1
			}
		}
		*r = Reader{FD: fd, Opened: true}
	}
	if r.FD < 0 {
		return nil, cmd.Next{}, true
	}
	lines := &r.Lines
	if r.FD == 0 && p.In.Opened && p.In.FD == 0 {
		lines = &p.In.Lines
	}
	lines.Goes(c)
	for {
		if text, ok := lines.Next(p.o.delim); ok {
			line = append(append([]byte{}, text...), p.o.delim)
			if lines.Bare() {
				line = line[:len(line)-1]
			}
			return line, cmd.Next{}, true
		}
		if lines.Full {
			return nil, cmd.Again(), false
		}
		if lines.Ended() {
			return nil, cmd.Next{}, true
		}
		switch err := lines.Fill(c, r.FD); err {
		case nil, io.EOF:
		case cmd.ErrBlocked:
			return nil, cmd.WaitRead(r.FD), false
		default:
			return nil, cmd.Next{}, true
		}
	}
}
