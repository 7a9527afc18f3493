package pr

import (
	"bytes"
	"errors"
	"io"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// source is a file that is read in pieces.
type source struct {
	Name   string    `cbor:"1,keyasint,omitempty"`
	FD     int       `cbor:"2,keyasint,omitempty"` // 0 is standard input, of which the program has one source
	In     cmd.Lines `cbor:"3,keyasint,omitempty"`
	Rest   []byte    `cbor:"4,keyasint,omitempty"` // of a line that had a form feed
	Behind bool      `cbor:"5,keyasint,omitempty"` // there is such a rest
	Bare   bool      `cbor:"6,keyasint,omitempty"` // its line had no newline
	Ahead  []byte    `cbor:"7,keyasint,omitempty"` // the text of Pieces
	Pieces []piece   `cbor:"8,keyasint,omitempty"` // read, not taken
	Err    int       `cbor:"9,keyasint,omitempty"` // of the read that ended it
}

// piece is what stands before a newline, a form feed (with the newline behind it) or the end of the file.
type piece struct {
	Size int  `cbor:"1,keyasint,omitempty"` // its last bytes are the text of the next
	End  byte `cbor:"2,keyasint,omitempty"` // 0 is the end of the file
}

// held is how many bytes the source holds.
func (s *source) held() int { return s.In.Size() + len(s.Rest) + len(s.Ahead) + 8*len(s.Pieces) }

// lone reports that there is but a form feed.
func (p piece) lone() bool { return p.Size == 0 && p.End == '\f' }

// add puts a piece to those that are read.
func (s *source) add(text []byte, end byte) {
	s.Ahead = append(s.Ahead, text...)
	s.Pieces = append(s.Pieces, piece{len(text), end})
}

// more reads one piece. It is false where the program must return next.
func (s *source) more(c *cmd.Ctx) (next cmd.Next, ok bool) {
	if s.Behind {
		s.cut(s.Rest, s.Bare)
		return next, true
	}
	s.In.Goes(c)
	for range 2 {
		if line, ok := s.In.Next('\n'); ok {
			c.Charge(len(line) >> 10)
			s.cut(line, s.In.Bare())
			return next, true
		}
		if s.In.Ended() {
			s.In.EOF = s.FD != 0 // standard input may be asked again
			s.add(nil, 0)
			return next, true
		}
		switch err := s.In.Fill(c, s.FD); err {
		case nil, io.EOF:
		case cmd.ErrBlocked:
			return cmd.WaitRead(s.FD), false
		default:
			number := vfs.EIO
			errors.As(err, &number)
			s.In.EOF, s.Err = true, int(number)
		}
	}
	return cmd.Again(), false
}

// cut takes a piece off a line.
func (s *source) cut(line []byte, bare bool) {
	i := bytes.IndexByte(line, '\f')
	if i < 0 {
		end := byte('\n')
		if bare {
			end = 0
		}
		s.Behind = false
		s.add(line, end)
		return
	}
	s.add(line[:i], '\f')
	if rest := line[i+1:]; len(rest) == 0 {
		s.Behind = false
	} else if s.Behind {
		s.Rest = rest
	} else {
		s.Rest, s.Behind, s.Bare = append([]byte(nil), rest...), true, bare
	}
}

// take takes the next piece, which is there.
func (s *source) take() (text []byte, end byte) {
	p := s.Pieces[0]
	text = s.Ahead[:p.Size:p.Size]
	if s.Pieces = s.Pieces[1:]; len(s.Pieces) == 0 {
		s.Pieces, s.Ahead = nil, s.Ahead[:0]
		return text, p.End
	}
	s.Ahead = s.Ahead[p.Size:]
	return text, p.End
}

// open opens a file, or says that it cannot.
func (p *program) open(c *cmd.Ctx, name string) (s source, ok bool) {
	if name == "-" {
		p.Stdin.Name = "standard input"
		return source{Name: p.Stdin.Name}, true
	}
	fd, err := c.Open(name, vfs.O_RDONLY, 0)
	if err != nil {
		if p.Status = 1; !p.opt.quiet {
			c.Fail(name, err)
		}
		return s, false
	}
	return source{Name: name, FD: fd}, true
}

// source is where column i reads.
func (p *program) source(i int) *source {
	s := &p.Files[min(i, len(p.Files)-1)]
	if s.FD == 0 {
		return &p.Stdin
	}
	return s
}

// end does what the end of a piece says to column i. It is false where the file could not be read: the program ends.
func (p *program) end(c *cmd.Ctx, i int, end byte) (next cmd.Next, ok bool) {
	switch end {
	case '\f':
		p.hold(i)
	case 0:
		if s := p.source(i); s.Err != 0 {
			return cmd.Exit(c.Fail(s.Name, vfs.Errno(s.Err))), false
		}
		p.close(c, i)
	}
	return next, true
}

// hold lets a column wait for the next page; if they are of one file, all.
func (p *program) hold(i int) {
	p.Columns[i].Left = 0
	p.Ready--
	if p.opt.merged {
		p.Columns[i].Status = onHold
		return
	}
	for k := range p.Columns {
		p.Columns[k].Status = onHold
		if p.opt.down {
			p.Columns[k].Status = found
		}
	}
}

// close ends the file of a column; if they are of one file, of all.
func (p *program) close(c *cmd.Ctx, i int) {
	if p.Columns[i].Status == closed {
		return
	}
	if s := p.source(i); s.FD != 0 {
		c.Close(s.FD)
	}
	p.Ready--
	if p.opt.merged {
		p.Columns[i].Status, p.Columns[i].Left = closed, 0
		return
	}
	for k := range p.Columns {
		p.Columns[k].Status, p.Columns[k].Left = closed, 0
	}
}
