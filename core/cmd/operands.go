package cmd

import (
	"io"

	"eryxsh/vfs"
)

// Turn is how many bytes of input a Step handles at most, and how much may
// wait to be written before a program should wait itself.
const Turn = 64 << 10

// Operands walks the file operands of a command: each is opened in turn, "-" is
// standard input, no operands are "-". A file that cannot be opened is reported
// in the words of Command.OpenError, Status becomes 1, and the walk goes on.
type Operands struct {
	I      int  `cbor:"1,keyasint,omitempty"` // operands taken
	FD     int  `cbor:"2,keyasint,omitempty"` // of the open one
	Opened bool `cbor:"3,keyasint,omitempty"` // FD is open
	Count  int  `cbor:"4,keyasint,omitempty"` // operands opened so far
	Status int  `cbor:"5,keyasint,omitempty"` // 1 when one failed
}

// Advance opens the next operand that can be opened. It is false after the last.
func (o *Operands) Advance(c *Ctx) bool {
	o.Close(c)
	for {
		name, ok := o.name(c, o.I)
		if !ok {
			return false
		}
		o.I++
		if name == "-" && (!c.Def.PlainDash || len(c.Args) == 0) {
			o.FD, o.Opened = 0, true
			o.Count++
			return true
		}
		fd, err := c.Open(name, vfs.O_RDONLY, 0)
		if err == nil {
			o.FD, o.Opened = fd, true
			o.Count++
			return true
		}
		c.word(c.Def.OpenError, name, err)
		o.Status = 1
	}
}

// Name is the operand that Advance opened: "-" for standard input.
func (o *Operands) Name(c *Ctx) string {
	name, _ := o.name(c, o.I-1)
	return name
}

// Close closes the operand that is open, if one is.
func (o *Operands) Close(c *Ctx) {
	if o.Opened && o.FD != 0 {
		c.Close(o.FD)
	}
	o.Opened = false
}

// Fail reports that the open operand cannot be read and closes it.
func (o *Operands) Fail(c *Ctx, err error) {
	c.word(c.Def.ReadError, o.Name(c), err)
	o.Status = 1
	o.Close(c)
}

func (o *Operands) name(c *Ctx, i int) (string, bool) {
	if len(c.Args) == 0 && i == 0 {
		return "-", true
	}
	if i < 0 || i >= len(c.Args) {
		return "", false
	}
	return c.Args[i], true
}

// Input is all operands as one stream of bytes or lines, in turns:
//
//	next, ok := p.In.Turn(c)
//	if !ok {
//		return next // waiting, or all is read
//	}
//	for line, ok := p.In.Next('\n'); ok; line, ok = p.In.Next('\n') {
//		…
//	}
//	return cmd.Again()
type Input struct {
	Operands `cbor:"1,keyasint,omitempty"`
	Lines    `cbor:"2,keyasint,omitempty"`
	End      bool `cbor:"3,keyasint,omitempty"` // every operand has been read
}

// Turn reads once, unless lines are left from the turn before, so that Next gives the lines that are there (there may be
// none: a long line is not complete, or the file is at its end). It is false when
// the program must return next instead: to wait, or with the exit status
// when everything has been read; then End is set.
//
// Lines never run over the end of a file. What Next did not take is still
// there in the next Turn.
func (in *Input) Turn(c *Ctx) (next Next, ok bool) {
	if c.Pending() > Turn {
		return WaitWrite(), false
	}
	if !in.Opened || in.Lines.Ended() {
		if in.End || !in.Advance(c) {
			in.End = true
			return Exit(in.Status), false
		}
		in.Lines.Reset()
	}
	if in.More {
		in.Goes(c)
		return Next{}, true
	}
	switch err := in.Fill(c, in.FD); err {
	case nil, io.EOF:
		return Next{}, true
	case ErrBlocked:
		return WaitRead(in.FD), false
	default:
		in.Operands.Fail(c, err)
		in.Lines.Reset()
		return Again(), false
	}
}

// GiveBack leaves what was read and not taken to who reads the file next. A pipe cannot.
func (in *Input) GiveBack(c *Ctx) {
	if n := len(in.Rest()); n > 0 && in.Opened {
		c.Seek(in.FD, int64(-n), io.SeekCurrent) //nolint:errcheck // as said
	}
}
