package cmd

import (
	"io"

	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Whole reads a whole file in turns, also one that comes through a pipe and is
// not complete yet (the file of `awk -f <(…)`).
type Whole struct {
	FD     int    `cbor:"1,keyasint,omitempty"`
	Opened bool   `cbor:"2,keyasint,omitempty"`
	Text   []byte `cbor:"3,keyasint,omitempty"` // what has been read
}

// Read reads one turn of the named file, "-" being standard input, limit bytes
// at most (EFBIG beyond). Its answers are three: done, with the content; an
// error; or neither, and the program returns next to be asked again.
func (w *Whole) Read(c *Ctx, name string, limit int) (text []byte, done bool, next Next, err error) {
	if !w.Opened {
		w.FD = 0
		if name != "-" {
			if w.FD, err = c.Open(name, vfs.O_RDONLY, 0); err != nil {
				return nil, false, next, err
			}
		}
		w.Opened = true
	}
	for range 8 {
		n := len(w.Text)
		w.Text = large.Grow(w.Text, Turn)[:n+Turn]
		got, err := c.Read(w.FD, w.Text[n:])
		w.Text = w.Text[:n+got]
		c.Hold(len(w.Text))
		switch {
		case err == ErrBlocked:
			return nil, false, WaitRead(w.FD), nil
		case err == nil && len(w.Text) > limit:
			err = vfs.EFBIG
		case err == nil:
			continue
		}
		if w.FD != 0 {
			c.Close(w.FD)
		}
		text = w.Text
		*w = Whole{}
		if err == io.EOF {
			return text, true, next, nil
		}
		return nil, false, next, err
	}
	return nil, false, Again(), nil
}
