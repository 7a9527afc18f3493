package xxd

import (
	"eryxsh/core/cmd"
)

// back is the state of reading a dump: two digits, where they are in a line, and offsets.
type back struct {
	Begun   bool  `cbor:"1,keyasint,omitempty"`
	N1      int   `cbor:"2,keyasint,omitempty"` // the last digit, -1 for another character
	N2      int   `cbor:"3,keyasint,omitempty"`
	Bytes   int   `cbor:"5,keyasint,omitempty"` // read in this line; cols while the offset is read
	Want    int64 `cbor:"6,keyasint,omitempty"`
	Have    int64 `cbor:"7,keyasint,omitempty"`
	Garbage bool  `cbor:"8,keyasint,omitempty"` // at the start of a line: skip what is no digit
	Rest    bool  `cbor:"9,keyasint,omitempty"` // skip to the end of the line
}

// revert writes the bytes that the dump stands for. It gives the exit status, or -1 to go on.
func (p *program) revert(c *cmd.Ctx) (status int) {
	o, k := p.opt, &p.Back
	if !k.Begun {
		*k = back{Begun: true, N1: -1, N2: -1, Garbage: true, Bytes: o.cols}
	}
	var out []byte
	flush := func() bool {
		defer func() { out = out[:0] }()
		if p.Out == 0 {
			c.Out.Write(out)
			return true
		}
		if err := c.Write(p.Out, out); err != nil {
			c.Errorf("%s", err)
			return false
		}
		return true
	}
	for _, b := range p.In.Take() {
		if b == '\r' {
			continue
		}
		if k.Rest {
			if b != '\n' {
				continue
			}
			k.Rest = false
		} else if o.plain && (b == ' ' || b == '\t' || b == '\n') {
			continue // also between the digits of a byte
		} else {
			third := k.N2
			k.N2, k.N1 = k.N1, hexDigit(b)
			if k.N1 < 0 && k.Garbage {
				continue
			}
			k.Garbage = false
			if !o.plain && k.Bytes >= o.cols {
				if k.N1 < 0 {
					k.Bytes = 0
				} else {
					k.Want = k.Want<<4 | int64(k.N1)
				}
				continue
			}
			if want := k.Want + o.seek; want != k.Have && k.N1 >= 0 && k.N2 >= 0 {
				if !flush() {
					return 3
				}
				if status := p.moveTo(c, want); status >= 0 {
					return status
				}
			}
			if k.N1 >= 0 && k.N2 >= 0 {
				out = append(out, byte(k.N2<<4|k.N1))
				k.Have++
				k.Want++
				k.N1 = -1
				if k.Bytes++; !o.plain && k.Bytes >= o.cols {
					k.Rest = true
				}
			} else if k.N1 < 0 && k.N2 < 0 && third < 0 && b != '\n' {
				k.Rest = true
			}
		}
		if b == '\n' {
			if !o.plain {
				k.Want = 0
			}
			k.Bytes, k.Garbage = o.cols, true
		}
	}
	if !flush() {
		return 3
	}
	if p.In.Ended() {
		return 0
	}
	return -1
}

// maxGap is how many zeros stand at most between the pieces of a dump that goes to a pipe.
const maxGap = 1 << 26

// moveTo goes to another place of the output: a file seeks, a pipe gets zeros.
func (p *program) moveTo(c *cmd.Ctx, want int64) (status int) {
	k := &p.Back
	if p.Out != 0 {
		if _, err := c.Seek(p.Out, want, 0); err == nil {
			k.Have = want
			return -1
		}
	}
	if want < k.Have {
		c.Errorf("Sorry, cannot seek backwards.")
		return 5
	}
	if want-k.Have > maxGap {
		return c.NotYet("a gap of more than 64 MiB in a pipe")
	}
	c.Out.Write(make([]byte, want-k.Have))
	k.Have = want
	return -1
}

func hexDigit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}
