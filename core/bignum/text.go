package bignum

import (
	"math"
	"math/big"
	"strings"

	"eryxsh/core/large"
)

// leafBits is about how many bits are converted at a time.
const leafBits = 16 << 10

// perLeaf is how many digits of a base are converted at a time.
func perLeaf(base int64) int { return max(1, int(leafBits/math.Log2(float64(base)))) }

// Text is x in a base of 2 to 36.
func Text(x *big.Int, base int, m large.Meter) string {
	if x.BitLen() <= leafBits {
		return x.Text(base)
	}
	var out strings.Builder
	if x.Sign() < 0 {
		out.WriteByte('-')
	}
	sign := out.Len()
	parts(new(big.Int).Abs(x), int64(base), m, func(v *big.Int) {
		s := v.Text(base)
		if out.Len() > sign {
			out.WriteString(strings.Repeat("0", perLeaf(int64(base))-len(s)))
		}
		out.WriteString(s)
	})
	return out.String()
}

// Digits are those of x, which is not negative, in a base of up to 2³¹, the highest first; none for 0.
func Digits(x *big.Int, base int64, m large.Meter) []uint32 {
	var all []uint32
	b, r, per := big.NewInt(base), new(big.Int), perLeaf(base)
	parts(x, base, m, func(part *big.Int) {
		group := make([]uint32, per)
		at, v := per, new(big.Int).Set(part)
		for v.Sign() > 0 {
			v.QuoRem(v, b, r)
			at--
			group[at] = uint32(r.Int64())
		}
		if len(all) > 0 {
			at = 0
		}
		all = append(all, group[at:]...)
	})
	return all
}

// parts gives leaf the groups of perLeaf digits of x, from the highest that is not 0.
func parts(x *big.Int, base int64, m large.Meter, leaf func(*big.Int)) {
	powers := []*big.Int{Pow(big.NewInt(base), uint64(perLeaf(base)), m)} // its square, the square of that…
	for 2*powers[len(powers)-1].BitLen()-1 <= x.BitLen() {
		powers = squared(powers, m)
	}
	halve(x, powers, true, m, leaf)
}

// squared adds the square of the last power.
func squared(powers []*big.Int, m large.Meter) []*big.Int {
	last := powers[len(powers)-1]
	return append(powers, Mul(last, last, m))
}

// halve cuts a number that is less than the square of the last power in two.
// first says that no digit stands before it, so that a half of zeros is none.
func halve(v *big.Int, powers []*big.Int, first bool, m large.Meter, leaf func(*big.Int)) {
	if first && v.Sign() == 0 {
		return
	}
	if len(powers) == 0 {
		m.Charge(leafBits >> 3)
		leaf(v)
		return
	}
	last := len(powers) - 1
	high, low := QuoRem(v, powers[last], m)
	halve(high, powers[:last], first, m, leaf)
	halve(low, powers[:last], first && high.Sign() == 0, m, leaf)
}

// Parse is the number a text of digits of a base of 2 to 36 means, which may have
// a sign; false if it is none.
func Parse(s string, base int, m large.Meter) (*big.Int, bool) {
	per := perLeaf(int64(base))
	if len(s) <= per {
		return new(big.Int).SetString(s, base)
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	powers := []*big.Int{Pow(big.NewInt(int64(base)), uint64(per), m)}
	for size := per; 2*size < len(s); size *= 2 {
		powers = squared(powers, m)
	}
	v, ok := value(s, base, per, powers, m)
	if ok && neg {
		v.Neg(v)
	}
	return v, ok
}

// value is what digits mean: they are cut where the last power that is needed stands.
func value(s string, base, per int, powers []*big.Int, m large.Meter) (*big.Int, bool) {
	if len(s) <= per {
		if s[0] == '-' || s[0] == '+' {
			return nil, false
		}
		m.Charge(leafBits >> 4)
		return new(big.Int).SetString(s, base)
	}
	last := len(powers) - 1
	size := per << last
	if len(s) <= size {
		return value(s, base, per, powers[:last], m)
	}
	high, ok := value(s[:len(s)-size], base, per, powers[:last], m)
	if !ok {
		return nil, false
	}
	low, ok := value(s[len(s)-size:], base, per, powers[:last], m)
	if !ok {
		return nil, false
	}
	high = Mul(high, powers[last], m)
	return high.Add(high, low), true
}
