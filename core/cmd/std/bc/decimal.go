package bc

import (
	"math/big"
	"strings"

	"eryxsh/core/large"
)

// leafDigits is how many decimal digits are converted at a time.
const leafDigits = 8 << 10

// decimal is v, which is not negative, in base 10. A number of many digits is
// halved again and again (Knuth, The Art of Computer Programming 2, 4.4), with m
// charged meanwhile: the conversion as a whole takes long.
func decimal(v *big.Int, m large.Meter) string {
	powers := []*big.Int{pow10(leafDigits)} // 10 to leafDigits, twice that, four times…
	if v.Cmp(powers[0]) < 0 {
		return v.String()
	}
	for {
		last := powers[len(powers)-1]
		if 2*last.BitLen()-1 > v.BitLen() {
			break
		}
		m.Charge(last.BitLen() >> 6)
		powers = append(powers, new(big.Int).Mul(last, last))
	}
	var out strings.Builder
	out.Grow(v.BitLen()*3/10 + leafDigits)
	halve(&out, v, powers, m)
	return strings.TrimLeft(out.String(), "0")
}

// halve writes v, which is less than the square of the last power, with all digits
// it may have.
func halve(out *strings.Builder, v *big.Int, powers []*big.Int, m large.Meter) {
	if len(powers) == 0 {
		s := v.String()
		out.WriteString(strings.Repeat("0", leafDigits-len(s)))
		out.WriteString(s)
		m.Charge(leafDigits >> 3)
		return
	}
	last := len(powers) - 1
	m.Charge(v.BitLen() >> 5)
	high, low := new(big.Int).QuoRem(v, powers[last], new(big.Int))
	halve(out, high, powers[:last], m)
	halve(out, low, powers[:last], m)
}
