package cmd

import (
	"bytes"
	"io"

	"eryxsh/core/large"
)

// Lines cuts what it reads into lines, without copying them: a line is valid
// until the next Fill. What was read and not taken yet is kept in it, so it can
// be saved between any two turns.
type Lines struct {
	Buf   []byte   `cbor:"1,keyasint,omitempty"`
	Pos   int      `cbor:"2,keyasint,omitempty"` // of the first byte not taken
	EOF   bool     `cbor:"3,keyasint,omitempty"` // the file is at its end
	More  bool     `cbor:"5,keyasint,omitempty"` // Next gave a line and was not asked again
	Kept  int      `cbor:"6,keyasint,omitempty"` // bytes of state the program keeps besides, for Ctx.Hold
	Parts [][]byte `cbor:"7,keyasint,omitempty"` // the beginning of a long line, before Buf; Pos is 0 then
	Full  bool     `cbor:"8,keyasint,omitempty"` // Next gave no more because the turn has written much

	bare    bool // the last line Next gave had no delimiter
	scanned int  // bytes after Pos known to hold no delimiter
	part    int  // the least length of one of Parts

	c *Ctx // hears of a long line that is put together, and has what is written; nil before Goes
}

// longPart is how much of a line is set aside at a time: a line of any length is read without
// copying what was read of it, and what is copied at last is copied once.
const longPart = 1 << 20

// Fill reads at most Turn bytes from fd behind what has not been taken. It gives
// nil or io.EOF when Next can be asked, ErrBlocked, or the error of the read.
// At the end of the file it gives io.EOF again and again.
func (l *Lines) Fill(c *Ctx, fd int) error {
	l.Goes(c)
	if l.Full {
		l.Full = false
		return nil // there are lines
	}
	if l.EOF {
		return io.EOF
	}
	if l.Pos > 0 {
		n := copy(l.Buf, l.Buf[l.Pos:])
		l.Buf, l.Pos = l.Buf[:n], 0
	}
	if cap(l.Buf) == 0 && len(l.Parts) > 0 {
		l.Buf = make([]byte, 0, longPart+Turn)
	}
	if l.Kept > 0 || len(l.Buf) > Turn || len(l.Parts) > 0 {
		c.Hold(l.Size() + l.Kept) // not its capacity, which a move changes
	}
	var err error
	if l.Buf, err = c.ReadMore(fd, l.Buf); err == io.EOF {
		l.EOF = true
	}
	return err
}

// Goes tells it who takes the lines: Fill does, and a turn that asks for lines before it fills
// does first, or it would go on in another way after a load.
func (l *Lines) Goes(c *Ctx) { l.part, l.c = c.Turn(longPart), c }

// Size is how many bytes it holds, whether taken or not.
func (l *Lines) Size() int { return large.Size(l.Parts, l.Buf) }

// aside puts what is there to the parts of a long line: it holds no delimiter.
func (l *Lines) aside() {
	l.scanned = len(l.Buf) - l.Pos
	if l.part > 0 && l.scanned >= l.part {
		l.Parts = append(l.Parts, l.Buf[l.Pos:])
		l.Buf, l.Pos, l.scanned = nil, 0, 0
	}
}

// meter is who hears of work.
func (l *Lines) meter() large.Meter {
	if l.c == nil {
		return large.Free
	}
	return l.c
}

// turnOutput is from how much output on a turn is over, though lines are left: a line can
// make more output than input.
const turnOutput = 1 << 20

// gather puts a long line together again.
func (l *Lines) gather() {
	if len(l.Parts) == 0 {
		return
	}
	l.scanned += l.Size() - len(l.Buf)
	l.Buf, l.Parts = large.Whole(l.Parts, l.Buf, Turn, l.meter()), nil
}

// Next takes the next line, without its delimiter. It is false when there is
// no whole line, or the turn has written much: Fill in the next one, unless Ended. The bytes after the last
// delimiter of a file are a line too; then Bare says so.
func (l *Lines) Next(delim byte) (line []byte, ok bool) {
	if l.c != nil && len(l.c.Out.B) > turnOutput && l.Left() {
		l.More, l.Full = true, true
		return nil, false
	}
	rest := l.Buf[l.Pos:]
	l.More, l.Full = false, false
	i := bytes.IndexByte(rest[l.scanned:], delim)
	if len(l.Parts) > 0 && (i >= 0 || l.EOF) {
		l.gather()
		rest = l.Buf
	}
	if i >= 0 {
		i += l.scanned
		l.Pos += i + 1
		l.scanned, l.bare, l.More = 0, false, true
		return rest[:i:i], true
	}
	if l.EOF && len(rest) > 0 {
		l.Pos, l.scanned = len(l.Buf), 0
		l.bare = true
		return rest[:len(rest):len(rest)], true
	}
	l.aside()
	return nil, false
}

// Bare reports that the line Next has just given had no delimiter.
func (l *Lines) Bare() bool { return l.bare }

// Take takes everything that is there, as bytes.
func (l *Lines) Take() []byte {
	l.gather()
	rest := l.Buf[l.Pos:]
	l.Pos, l.scanned, l.More = len(l.Buf), 0, false
	return rest
}

// Skip takes n bytes of what is there.
func (l *Lines) Skip(n int) {
	l.gather()
	l.Pos = min(l.Pos+n, len(l.Buf))
	l.scanned, l.More = 0, false
}

// Whole is how many bytes of Rest are whole lines.
func (l *Lines) Whole(delim byte) int {
	rest := l.Buf[l.Pos:]
	if n := bytes.LastIndexByte(rest[l.scanned:], delim); n >= 0 {
		l.gather()
		return l.scanned + n + 1
	}
	l.aside()
	return 0
}

// Rest is what is there and not taken.
func (l *Lines) Rest() []byte {
	l.gather()
	return l.Buf[l.Pos:]
}

// Left reports that there is something that was not taken.
func (l *Lines) Left() bool { return l.Pos < len(l.Buf) || len(l.Parts) > 0 }

// Ended reports that the file is at its end and every byte of it was taken.
func (l *Lines) Ended() bool { return l.EOF && !l.Left() }

// Reset starts with another file; the buffer is used again.
func (l *Lines) Reset() {
	*l = Lines{Buf: l.Buf[:0], Kept: l.Kept}
}
