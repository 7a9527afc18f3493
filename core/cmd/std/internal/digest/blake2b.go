package digest

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// blake2b is BLAKE2b without a key (RFC 7693).
type blake2b struct {
	h      [8]uint64
	n      uint64 // bytes compressed
	buf    [128]byte
	filled int
	size   int // of the digest
}

var blakeIV = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

var blakeSigma = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

func newBlake2b(size int) *blake2b {
	b := &blake2b{size: size}
	b.Reset()
	return b
}

func (b *blake2b) Reset() {
	*b = blake2b{h: blakeIV, size: b.size}
	b.h[0] ^= 0x01010000 ^ uint64(b.size)
}

func (b *blake2b) Size() int      { return b.size }
func (b *blake2b) BlockSize() int { return 128 }

func (b *blake2b) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		if b.filled == len(b.buf) { // the last block must wait for the end
			b.n += 128
			b.compress(0)
			b.filled = 0
		}
		n := copy(b.buf[b.filled:], p)
		b.filled += n
		p = p[n:]
	}
	return total, nil
}

func (b *blake2b) Sum(in []byte) []byte {
	end := *b
	end.n += uint64(end.filled)
	clear(end.buf[end.filled:])
	end.compress(^uint64(0))
	var out [64]byte
	for i, v := range end.h {
		binary.LittleEndian.PutUint64(out[8*i:], v)
	}
	return append(in, out[:b.size]...)
}

func (b *blake2b) compress(last uint64) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(b.buf[8*i:])
	}
	copy(v[:8], b.h[:])
	copy(v[8:], blakeIV[:])
	v[12] ^= b.n
	v[14] ^= last
	mix := func(i, j, k, l int, x, y uint64) {
		v[i] += v[j] + x
		v[l] = bits.RotateLeft64(v[l]^v[i], -32)
		v[k] += v[l]
		v[j] = bits.RotateLeft64(v[j]^v[k], -24)
		v[i] += v[j] + y
		v[l] = bits.RotateLeft64(v[l]^v[i], -16)
		v[k] += v[l]
		v[j] = bits.RotateLeft64(v[j]^v[k], -63)
	}
	for r := 0; r < 12; r++ {
		s := &blakeSigma[r%10]
		mix(0, 4, 8, 12, m[s[0]], m[s[1]])
		mix(1, 5, 9, 13, m[s[2]], m[s[3]])
		mix(2, 6, 10, 14, m[s[4]], m[s[5]])
		mix(3, 7, 11, 15, m[s[6]], m[s[7]])
		mix(0, 5, 10, 15, m[s[8]], m[s[9]])
		mix(1, 6, 11, 12, m[s[10]], m[s[11]])
		mix(2, 7, 8, 13, m[s[12]], m[s[13]])
		mix(3, 4, 9, 14, m[s[14]], m[s[15]])
	}
	for i := range b.h {
		b.h[i] ^= v[i] ^ v[i+8]
	}
}

// MarshalBinary gives the state: the chaining value, the count and the block.
func (b *blake2b) MarshalBinary() ([]byte, error) {
	var out []byte
	for _, v := range b.h {
		out = binary.BigEndian.AppendUint64(out, v)
	}
	out = binary.BigEndian.AppendUint64(out, b.n)
	return append(out, b.buf[:b.filled]...), nil
}

var errState = errors.New("invalid hash state")

// UnmarshalBinary takes a state that MarshalBinary gave.
func (b *blake2b) UnmarshalBinary(p []byte) error {
	if len(p) < 72 || len(p) > 72+128 {
		return errState
	}
	for i := range b.h {
		b.h[i] = binary.BigEndian.Uint64(p[8*i:])
	}
	b.n = binary.BigEndian.Uint64(p[64:])
	b.filled = copy(b.buf[:], p[72:])
	return nil
}
