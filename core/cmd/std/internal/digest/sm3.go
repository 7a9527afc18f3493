package digest

import (
	"encoding/binary"
	"math/bits"
)

// sm3 is the hash of GB/T 32905.
type sm3 struct {
	h      [8]uint32
	n      uint64 // bytes written
	buf    [64]byte
	filled int
}

func newSM3() *sm3 {
	s := &sm3{}
	s.Reset()
	return s
}

func (s *sm3) Reset() {
	*s = sm3{h: [8]uint32{0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e}}
}

func (s *sm3) Size() int      { return 32 }
func (s *sm3) BlockSize() int { return 64 }

func (s *sm3) Write(p []byte) (int, error) {
	total := len(p)
	s.n += uint64(total)
	for len(p) > 0 {
		n := copy(s.buf[s.filled:], p)
		s.filled += n
		p = p[n:]
		if s.filled == len(s.buf) {
			s.compress()
			s.filled = 0
		}
	}
	return total, nil
}

func (s *sm3) Sum(in []byte) []byte {
	end := *s
	size := end.n * 8
	end.Write([]byte{0x80})
	for end.filled != 56 {
		end.Write([]byte{0})
	}
	end.Write(binary.BigEndian.AppendUint64(nil, size))
	for _, v := range end.h {
		in = binary.BigEndian.AppendUint32(in, v)
	}
	return in
}

func (s *sm3) compress() {
	var w [68]uint32
	for i := 0; i < 16; i++ {
		w[i] = binary.BigEndian.Uint32(s.buf[4*i:])
	}
	for i := 16; i < 68; i++ {
		x := w[i-16] ^ w[i-9] ^ bits.RotateLeft32(w[i-3], 15)
		w[i] = x ^ bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23) ^ bits.RotateLeft32(w[i-13], 7) ^ w[i-6]
	}
	a, b, c, d, e, f, g, h := s.h[0], s.h[1], s.h[2], s.h[3], s.h[4], s.h[5], s.h[6], s.h[7]
	for i := 0; i < 64; i++ {
		t := uint32(0x79cc4519)
		if i >= 16 {
			t = 0x7a879d8a
		}
		s1 := bits.RotateLeft32(bits.RotateLeft32(a, 12)+e+bits.RotateLeft32(t, i%32), 7)
		s2 := s1 ^ bits.RotateLeft32(a, 12)
		ff, gg := a^b^c, e^f^g
		if i >= 16 {
			ff, gg = a&b|a&c|b&c, e&f|^e&g
		}
		t1 := ff + d + s2 + (w[i] ^ w[i+4])
		t2 := gg + h + s1 + w[i]
		d, c, b, a = c, bits.RotateLeft32(b, 9), a, t1
		h, g, f, e = g, bits.RotateLeft32(f, 19), e, t2^bits.RotateLeft32(t2, 9)^bits.RotateLeft32(t2, 17)
	}
	for i, v := range [8]uint32{a, b, c, d, e, f, g, h} {
		s.h[i] ^= v
	}
}

// MarshalBinary gives the state: the chaining value, the count and the block.
func (s *sm3) MarshalBinary() ([]byte, error) {
	var out []byte
	for _, v := range s.h {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	out = binary.BigEndian.AppendUint64(out, s.n)
	return append(out, s.buf[:s.filled]...), nil
}

// UnmarshalBinary takes a state that MarshalBinary gave.
func (s *sm3) UnmarshalBinary(p []byte) error {
	if len(p) < 40 || len(p) >= 40+64 {
		return errState
	}
	for i := range s.h {
		s.h[i] = binary.BigEndian.Uint32(p[4*i:])
	}
	s.n = binary.BigEndian.Uint64(p[32:])
	s.filled = copy(s.buf[:], p[40:])
	return nil
}
