// Package inflate is the decoder of DEFLATE (RFC 1951) as plain data: a
// Decoder can be saved between any two calls and goes on where it was.
package inflate

import (
	"errors"
)

// What can be wrong with a stream.
var (
	ErrCorrupt = errors.New("invalid compressed data--format violated")
	ErrEOF     = errors.New("unexpected end of file")
)

const (
	windowSize = 32 << 10
	// lookahead is how much input one step may need: a whole dynamic header.
	lookahead = 512
	tableBits = 10
)

// Decoder is the state of one stream.
type Decoder struct {
	Bits    uint64 `cbor:"1,keyasint,omitempty"`               // bits read and not used, lowest first
	N       uint   `cbor:"2,keyasint,omitempty" holds:"64"`    // how many
	Window  []byte `cbor:"3,keyasint,omitempty"`               // the last 32 KiB of output
	Last    bool   `cbor:"4,keyasint,omitempty"`               // this block is the last
	Block   byte   `cbor:"5,keyasint,omitempty"`               // 0 none, 's' stored, 'h' Huffman
	Stored  int    `cbor:"6,keyasint,omitempty" holds:"65535"` // bytes left of a stored block
	Lengths []byte `cbor:"7,keyasint,omitempty"`               // code lengths of literals, then of distances
	NumLit  int    `cbor:"8,keyasint,omitempty" holds:"320"`

	lit, dist *huffman
	done      bool // the end was reached
}

// Done reports that the last Decode reached the end.
func (d *Decoder) Done() bool { return d.done }

// huffman is a decoding table made from code lengths.
type huffman struct {
	table  [1 << tableBits]uint16 // symbol<<4 | length; 0: longer code
	count  [16]int
	symbol []uint16
}

func newHuffman(lengths []byte) (*huffman, bool) {
	h := &huffman{symbol: make([]uint16, len(lengths))}
	for _, l := range lengths {
		if l > 15 {
			return nil, false
		}
		h.count[l]++
	}
	h.count[0] = 0
	var next, code [16]int
	left := 1
	for l := 1; l < 16; l++ {
		left = left<<1 - h.count[l]
		if left < 0 {
			return nil, false
		}
		if l < 15 {
			next[l+1] = next[l] + h.count[l]
			code[l+1] = (code[l] + h.count[l]) << 1
		}
	}
	for s, l := range lengths {
		if l == 0 {
			continue
		}
		h.symbol[next[l]] = uint16(s)
		next[l]++
		c := code[l]
		code[l]++
		if l <= tableBits {
			rev := 0
			for i := range int(l) {
				rev |= c >> i & 1 << (int(l) - 1 - i)
			}
			for i := rev; i < 1<<tableBits; i += 1 << l {
				h.table[i] = uint16(s)<<4 | uint16(l)
			}
		}
	}
	return h, true
}

// input reads bits from in. Bits past its end are zero: a look ahead may take them, a code may not.
type input struct {
	d   *Decoder
	in  []byte
	pos int
	pad uint // bits past the end that d.Bits has
}

// over reports that a bit past the end was used.
func (r *input) over() bool { return r.d.N < r.pad }

func (r *input) need(n uint) {
	for r.d.N < n {
		var b byte
		if r.pos < len(r.in) {
			b = r.in[r.pos]
			r.pos++
		} else {
			r.pad += 8
		}
		r.d.Bits |= uint64(b) << r.d.N
		r.d.N += 8
	}
}

func (r *input) bits(n uint) int {
	if n == 0 {
		return 0
	}
	r.need(n)
	v := int(r.d.Bits & (1<<n - 1))
	r.d.Bits >>= n
	r.d.N -= n
	return v
}

func (r *input) symbol(h *huffman) (int, bool) {
	r.need(15)
	if e := h.table[r.d.Bits&(1<<tableBits-1)]; e != 0 {
		r.d.Bits >>= e & 15
		r.d.N -= uint(e & 15)
		return int(e >> 4), true
	}
	code, first, index := 0, 0, 0
	for l := 1; l < 16; l++ {
		code |= int(r.d.Bits >> (l - 1) & 1)
		n := h.count[l]
		if code-n < first {
			r.d.Bits >>= l
			r.d.N -= uint(l)
			return int(h.symbol[index+code-first]), true
		}
		index += n
		first = (first + n) << 1
		code <<= 1
	}
	return 0, false
}

var lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
var lengthBits = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
var distBase = [...]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
var distBits = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}

// Decode decodes from in, of which eof says that it is all there is, and appends
// at most about limit bytes to out. It gives how much of in it used. It wants
// more input when it used little and Done is not set; whole bytes that were
// read ahead are given back.
func (d *Decoder) Decode(in []byte, eof bool, out []byte, limit int) (rest []byte, used int, err error) {
	start := len(out)
	// Work in one buffer that begins with the window, so that copies are plain.
	buf := append(append(make([]byte, 0, len(d.Window)+limit+300), d.Window...), out[start:]...)
	base := len(buf)
	r := &input{d: d, in: in}
	for !d.done && len(buf)-base < limit {
		if !eof && len(in)-r.pos < lookahead {
			break
		}
		if buf, err = d.step(r, buf, base+limit); err != nil {
			break
		}
		if r.over() {
			err = ErrEOF
			break
		}
	}
	out = append(out, buf[base:]...)
	d.Window = append([]byte(nil), buf[max(0, len(buf)-windowSize):]...)
	if err == nil {
		d.N -= r.pad
		for d.N >= 8 && r.pos > 0 {
			d.N -= 8
			r.pos--
		}
		d.Bits &= 1<<d.N - 1
	}
	return out, r.pos, err
}

// step decodes a block header, or a run of symbols while there is input to look ahead.
func (d *Decoder) step(r *input, buf []byte, limit int) ([]byte, error) {
	switch d.Block {
	case 0:
		return buf, d.header(r)
	case 's':
		n := min(d.Stored, len(r.in)-r.pos, limit-len(buf))
		if n == 0 && d.Stored > 0 {
			return buf, ErrEOF
		}
		buf = append(buf, r.in[r.pos:r.pos+n]...)
		r.pos += n
		if d.Stored -= n; d.Stored == 0 {
			d.end()
		}
		return buf, nil
	}
	if d.lit == nil {
		if d.NumLit > len(d.Lengths) {
			return buf, ErrCorrupt
		}
		var ok1, ok2 bool
		d.lit, ok1 = newHuffman(d.Lengths[:d.NumLit])
		d.dist, ok2 = newHuffman(d.Lengths[d.NumLit:])
		if !ok1 || !ok2 {
			return buf, ErrCorrupt
		}
	}
	for len(buf) < limit {
		s, ok := r.symbol(d.lit)
		switch {
		case !ok || s > 285:
			return buf, ErrCorrupt
		case s < 256:
			buf = append(buf, byte(s))
		case s == 256:
			d.end()
			return buf, nil
		default:
			n := int(lengthBase[s-257]) + r.bits(uint(lengthBits[s-257]))
			k, ok := r.symbol(d.dist)
			if !ok || k > 29 {
				return buf, ErrCorrupt
			}
			far := int(distBase[k]) + r.bits(uint(distBits[k]))
			if far > len(buf) || far > windowSize {
				return buf, ErrCorrupt
			}
			for from := len(buf) - far; n > 0; n-- {
				buf = append(buf, buf[from])
				from++
			}
		}
		if len(r.in)-r.pos < 64 {
			break // the caller sees if there is more input
		}
	}
	return buf, nil
}

func (d *Decoder) end() {
	d.Block, d.Lengths, d.lit, d.dist = 0, nil, nil, nil
	d.done = d.Last
}

func (d *Decoder) header(r *input) error {
	d.Last = r.bits(1) == 1
	switch r.bits(2) {
	case 0:
		r.bits(d.N & 7)
		n, inv := r.bits(16), r.bits(16)
		if r.over() {
			return ErrEOF
		}
		if n != ^inv&0xffff {
			return ErrCorrupt
		}
		d.N, r.pad = d.N-r.pad, 0
		for d.N >= 8 {
			d.N -= 8
			r.pos--
		}
		d.Bits = 0
		if d.Block, d.Stored = 's', n; n == 0 {
			d.end()
		}
	case 1:
		d.Block, d.NumLit = 'h', 288
		d.Lengths = make([]byte, 288+30)
		for i := range d.Lengths {
			switch {
			case i < 144:
				d.Lengths[i] = 8
			case i < 256:
				d.Lengths[i] = 9
			case i < 280:
				d.Lengths[i] = 7
			case i < 288:
				d.Lengths[i] = 8
			default:
				d.Lengths[i] = 5
			}
		}
	case 2:
		return d.dynamic(r)
	default:
		return ErrCorrupt
	}
	return nil
}

// dynamic reads the code lengths of a block with its own codes.
func (d *Decoder) dynamic(r *input) error {
	nlit, ndist, ncode := r.bits(5)+257, r.bits(5)+1, r.bits(4)+4
	if nlit > 286 || ndist > 30 {
		return ErrCorrupt
	}
	var cl [19]byte
	for i := range ncode {
		cl["\x10\x11\x12\x00\x08\x07\x09\x06\x0a\x05\x0b\x04\x0c\x03\x0d\x02\x0e\x01\x0f"[i]] = byte(r.bits(3))
	}
	h, ok := newHuffman(cl[:])
	if !ok {
		return ErrCorrupt
	}
	lengths := make([]byte, 0, nlit+ndist)
	for len(lengths) < nlit+ndist {
		s, ok := r.symbol(h)
		if !ok {
			return ErrCorrupt
		}
		n, v := 1, byte(s)
		switch s {
		case 16:
			if len(lengths) == 0 {
				return ErrCorrupt
			}
			n, v = 3+r.bits(2), lengths[len(lengths)-1]
		case 17:
			n, v = 3+r.bits(3), 0
		case 18:
			n, v = 11+r.bits(7), 0
		}
		if len(lengths)+n > nlit+ndist {
			return ErrCorrupt
		}
		for range n {
			lengths = append(lengths, v)
		}
	}
	if lengths[256] == 0 {
		return ErrCorrupt
	}
	d.Block, d.Lengths, d.NumLit = 'h', lengths, nlit
	return nil
}
