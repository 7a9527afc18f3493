// Package digest computes checksums whose state can be saved between any two
// writes: md5 to sha512, blake2b, sm3, and the three old ones of cksum and sum.
package digest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"encoding/binary"
	"hash"
	"slices"

	"eryxsh/core/cmd"
)

// Names lists the algorithms in the order cksum lists them.
func Names() []string {
	return []string{"bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"}
}

// State is a checksum being computed.
type State struct {
	Algorithm string `cbor:"1,keyasint,omitempty"`
	Saved     []byte `cbor:"2,keyasint,omitempty"`             // of the hash after the last Save
	Size      uint64 `cbor:"3,keyasint,omitempty"`             // bytes written
	Sum32     uint32 `cbor:"4,keyasint,omitempty"`             // of bsd, sysv and crc
	Bits      int    `cbor:"5,keyasint,omitempty" holds:"512"` // length of a blake2b digest; 0 is 512

	hash hash.Hash
	crc  *[8][256]uint32
}

// Wrong checks that there is such an algorithm, and such a state of it.
func (s *State) Wrong(*cmd.Ctx) string {
	if s.Algorithm == "" {
		return ""
	}
	if !slices.Contains(Names(), s.Algorithm) || s.Bits%8 != 0 {
		return "a checksum of no known kind"
	}
	again := State{Algorithm: s.Algorithm, Bits: s.Bits}
	if again.open(); s.Saved != nil && (again.hash == nil || again.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(s.Saved) != nil) {
		return "a checksum that its algorithm does not give"
	}
	return ""
}

// Bits is the length of an algorithm's digest, 0 for the old ones.
func Bits(algorithm string) int {
	switch algorithm {
	case "md5":
		return 128
	case "sha1":
		return 160
	case "sha224":
		return 224
	case "sha256", "sm3":
		return 256
	case "sha384":
		return 384
	case "sha512", "blake2b":
		return 512
	}
	return 0
}

// open makes the hash from what was saved.
func (s *State) open() {
	if s.hash != nil || Bits(s.Algorithm) == 0 {
		return
	}
	switch s.Algorithm {
	case "md5":
		s.hash = md5.New()
	case "sha1":
		s.hash = sha1.New()
	case "sha224":
		s.hash = sha256.New224()
	case "sha256":
		s.hash = sha256.New()
	case "sha384":
		s.hash = sha512.New384()
	case "sha512":
		s.hash = sha512.New()
	case "blake2b":
		bits := s.Bits
		if bits == 0 {
			bits = 512
		}
		s.hash = newBlake2b(bits / 8)
	case "sm3":
		s.hash = newSM3()
	}
	if s.Saved != nil {
		if u, ok := s.hash.(encoding.BinaryUnmarshaler); !ok || u.UnmarshalBinary(s.Saved) != nil {
			s.hash.Reset() // what was saved is checked when it is loaded
		}
	}
}

// Write adds data.
func (s *State) Write(data []byte) {
	s.Size += uint64(len(data))
	switch s.Algorithm {
	case "bsd":
		sum := s.Sum32
		for _, b := range data {
			sum = (sum>>1 + (sum&1)<<15 + uint32(b)) & 0xffff
		}
		s.Sum32 = sum
	case "sysv":
		for _, b := range data {
			s.Sum32 += uint32(b)
		}
	case "crc":
		s.addCRC(data)
	default:
		s.open()
		s.hash.Write(data)
	}
}

// Save brings the exported fields up to date; call it at the end of a turn.
func (s *State) Save() {
	if s.hash == nil {
		return
	}
	if m, ok := s.hash.(encoding.BinaryMarshaler); ok {
		if data, err := m.MarshalBinary(); err == nil {
			s.Saved = data
		}
	}
}

// Sum is the digest; the old algorithms give four bytes.
func (s *State) Sum() []byte {
	switch s.Algorithm {
	case "bsd":
		return binary.BigEndian.AppendUint32(nil, s.Sum32)
	case "sysv":
		r := s.Sum32&0xffff + s.Sum32>>16
		return binary.BigEndian.AppendUint32(nil, r&0xffff+r>>16)
	case "crc":
		end := *s
		for n := s.Size; n > 0; n >>= 8 {
			end.addCRC([]byte{byte(n)})
		}
		return binary.BigEndian.AppendUint32(nil, ^end.Sum32)
	}
	s.open()
	return s.hash.Sum(nil)
}

// addCRC adds data to the CRC of POSIX cksum, eight bytes at a time.
func (s *State) addCRC(data []byte) {
	if s.crc == nil {
		s.crc = new([8][256]uint32)
		for i := range s.crc[0] {
			c := uint32(i) << 24
			for range 8 {
				if c&(1<<31) != 0 {
					c = c<<1 ^ 0x04c11db7
				} else {
					c <<= 1
				}
			}
			s.crc[0][i] = c
		}
		for k := 1; k < 8; k++ {
			for i := range s.crc[k] {
				c := s.crc[k-1][i]
				s.crc[k][i] = c<<8 ^ s.crc[0][c>>24]
			}
		}
	}
	c, t := s.Sum32, s.crc
	for len(data) >= 8 {
		a := c ^ binary.BigEndian.Uint32(data)
		b := binary.BigEndian.Uint32(data[4:])
		c = t[7][a>>24] ^ t[6][a>>16&255] ^ t[5][a>>8&255] ^ t[4][a&255] ^
			t[3][b>>24] ^ t[2][b>>16&255] ^ t[1][b>>8&255] ^ t[0][b&255]
		data = data[8:]
	}
	for _, b := range data {
		c = c<<8 ^ t[0][byte(c>>24)^b]
	}
	s.Sum32 = c
}
