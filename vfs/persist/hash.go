package persist

import "math/bits"

const (
	hashA = 0xa0761d6478bd642f
	hashB = 0xe7037ed1a0b428db
)

// Hash returns the hash Map files key under. It is the same in every process,
// so it may be kept beside a name that is looked up often.
func Hash(key string) uint64 {
	n := len(key)
	var a, b uint64
	h := uint64(hashA)
	switch {
	case n > 16:
		rest := key
		for len(rest) > 16 {
			h = mix(load64(rest)^hashB, load64(rest[8:])^h)
			rest = rest[16:]
		}
		a, b = load64(key[n-16:]), load64(key[n-8:])
	case n >= 8:
		a, b = load64(key), load64(key[n-8:])
	case n >= 4:
		a, b = load32(key), load32(key[n-4:])
	case n > 0:
		a = uint64(key[0])<<16 | uint64(key[n>>1])<<8 | uint64(key[n-1])
	}
	return mix(hashB^uint64(n), mix(a^hashB, b^h))
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load32(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
