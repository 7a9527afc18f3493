package bc

import (
	"math"
	"math/big"
	"strings"

	"eryxsh/core/bignum"
	"eryxsh/core/large"
)

// Num is a decimal number: Mag, a big-endian integer, over 10 to the power of Scale.
type Num struct {
	Mag   []byte `cbor:"1,keyasint,omitempty"`
	Neg   bool   `cbor:"2,keyasint,omitempty"`
	Scale int    `cbor:"3,keyasint,omitempty"`
}

// maxBits ends the life of numbers that would take too much memory: about four million digits.
const maxBits = 1 << 24

// maxScale is the most decimals that a number can have that was come by: a constant is as long as a script, at most.
const maxScale = 1 << 26

// wrong reports that no calculation gives such a number.
func (n Num) wrong() bool { return n.Scale < 0 || n.Scale > maxScale }

func (n Num) int() *big.Int {
	v := new(big.Int).SetBytes(n.Mag)
	if n.Neg {
		v.Neg(v)
	}
	return v
}

func number(v *big.Int, scale int) Num {
	return Num{Mag: v.Bytes(), Neg: v.Sign() < 0, Scale: scale}
}

func small(v int64) Num { return number(big.NewInt(v), 0) }

func (n Num) zero() bool { return len(n.Mag) == 0 }

func pow10(n int, m large.Meter) *big.Int { return bignum.Pow(big.NewInt(10), uint64(n), m) }

// at is the number's integer at another scale, cut off.
func (n Num) at(scale int, m large.Meter) *big.Int {
	v := n.int()
	switch {
	case scale > n.Scale:
		return bignum.Mul(v, pow10(scale-n.Scale, m), m)
	case scale < n.Scale:
		return bignum.Quo(v, pow10(n.Scale-scale, m), m)
	}
	return v
}

func add(a, b Num, sign int64, m large.Meter) Num {
	s := max(a.Scale, b.Scale)
	y := b.at(s, m)
	sum := number(y.Mul(y, big.NewInt(sign)).Add(y, a.at(s, m)), s)
	if sum.zero() {
		sum.Neg = a.Neg && b.Neg == (sign > 0) // -0 and -0
	}
	return sum
}

func mul(a, b Num, scale int, m large.Meter) Num {
	full := a.Scale + b.Scale
	s := min(full, max(scale, a.Scale, b.Scale))
	return number(number(bignum.Mul(a.int(), b.int(), m), full).at(s, m), s)
}

func div(a, b Num, scale int, m large.Meter) Num {
	v, d := a.int(), b.int()
	if e := scale + b.Scale - a.Scale; e >= 0 {
		v = bignum.Mul(v, pow10(e, m), m)
	} else {
		d = bignum.Mul(d, pow10(-e, m), m)
	}
	return number(bignum.Quo(v, d, m), scale)
}

func mod(a, b Num, scale int, m large.Meter) Num {
	s := max(a.Scale, b.Scale+scale)
	q := div(a, b, scale, m)
	v := number(bignum.Mul(q.int(), b.int(), m), q.Scale+b.Scale).at(s, m)
	from := number(a.at(s, m), s)
	from.Neg = a.Neg
	return add(from, number(v, s), -1, m)
}

// power raises to a whole number. ok is false where the result would be too large.
func power(a Num, exp int64, scale int, m large.Meter) (Num, bool) {
	if exp == 0 {
		return small(1), true
	}
	n := exp
	if n < 0 {
		n = -n
	}
	v := a.int()
	if v.BitLen() > 1 && int64(v.BitLen()) > maxBits/n {
		return Num{}, false
	}
	full := number(bignum.Pow(v, uint64(n), m), a.Scale*int(n))
	if exp < 0 {
		return div(small(1), full, scale, m), true
	}
	s := min(full.Scale, max(scale, a.Scale))
	cut := number(full.at(s, m), s)
	cut.Neg = full.Neg // even if nothing is left: -0 is shown, and less than 0
	return cut, true
}

func root(a Num, scale int, m large.Meter) Num {
	if cmp(a, small(1), m) == 0 {
		return small(1)
	}
	s := max(scale, a.Scale)
	return number(bignum.Sqrt(a.at(2*s, m), m), s)
}

func cmp(a, b Num, m large.Meter) int {
	if a.Neg != b.Neg {
		if a.Neg {
			return -1
		}
		return 1
	}
	s := max(a.Scale, b.Scale)
	return a.at(s, m).Cmp(b.at(s, m))
}

// digits is how many decimal digits are significant: those behind the point, and before it without leading zeros.
func (n Num) digits(m large.Meter) int {
	return max(len(bignum.Text(new(big.Int).SetBytes(n.Mag), 10, m)), n.Scale)
}

// long is the number as a machine integer, cut off; false if it does not fit.
func (n Num) long(m large.Meter) (int64, bool) {
	v := n.at(0, m)
	return v.Int64(), v.IsInt64()
}

const digitSet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// parse reads a constant in a base: one digit alone before the point keeps its value (in
// base 10 only if nothing follows), others count as much as the base has at most.
func parse(s string, base int64, m large.Meter) Num {
	whole, frac, _ := strings.Cut(s, ".")
	alone := int64(-1)
	if len(whole) == 1 {
		alone = int64(strings.IndexByte(digitSet, whole[0]))
	}
	if base == 10 && frac != "" {
		return number(digitsOf(whole+frac, base, m), len(frac))
	}
	v := digitsOf(whole, base, m)
	if alone >= 0 {
		v.SetInt64(alone)
	}
	if frac == "" {
		return number(v, 0)
	}
	d := bignum.Pow(big.NewInt(base), uint64(len(frac)), m)
	part := div(number(digitsOf(frac, base, m), 0), number(d, 0), len(frac), m)
	return add(number(v, 0), part, 1, m)
}

// digitsOf is what digits mean, each of which counts as much as the base has at most.
func digitsOf(s string, base int64, m large.Meter) *big.Int {
	most := digitSet[base-1]
	out := make([]byte, 0, len(s)+1)
	for _, c := range []byte("0" + s) {
		out = append(out, min(c, most))
	}
	v, _ := bignum.Parse(string(out), int(base), m)
	return v
}

// text shows a number in a base, with m charged meanwhile.
func (n Num) text(base int64, m large.Meter) string {
	sign := ""
	if n.Neg {
		sign = "-"
	}
	if n.zero() {
		return sign + "0"
	}
	v := new(big.Int).SetBytes(n.Mag)
	if base == 10 {
		s := bignum.Text(v, 10, m)
		if n.Scale > 0 {
			if len(s) < n.Scale {
				s = strings.Repeat("0", n.Scale-len(s)) + s
			}
			s = s[:len(s)-n.Scale] + "." + s[len(s)-n.Scale:]
		}
		return sign + s
	}
	one := pow10(n.Scale, m)
	whole, frac := bignum.QuoRem(v, one, m)
	var out strings.Builder
	out.WriteString(sign)
	group := newGroup(&out, base)
	if whole.Sign() > 0 {
		group.write(whole, 0, m)
	}
	if n.Scale == 0 {
		return out.String()
	}
	out.WriteByte('.')
	group.first = true
	count := fractionDigits(one, n.Scale, base, m)
	frac = bignum.Mul(frac, bignum.Pow(big.NewInt(base), uint64(count), m), m)
	group.write(bignum.Quo(frac, one, m), count, m)
	return out.String()
}

// fractionDigits is how many digits of a base a fraction of scale decimal digits has: as few as
// make the base's power at least one, which is 10 to scale.
func fractionDigits(one *big.Int, scale int, base int64, m large.Meter) int {
	n := max(0, int(float64(scale)*math.Ln10/math.Log(float64(base)))-1)
	b := big.NewInt(base)
	for power := bignum.Pow(b, uint64(n), m); power.Cmp(one) < 0; n++ {
		power.Mul(power, b)
	}
	return n
}

// group writes the digits of a base: letters up to base 16, and decimal numbers apart from each other above.
type group struct {
	out   *strings.Builder
	base  int64
	wide  int  // digits of the greatest decimal number
	first bool // of a fraction, which no blank precedes
}

func newGroup(out *strings.Builder, base int64) *group {
	return &group{out: out, base: base, wide: len(big.NewInt(base - 1).String())}
}

// write shows a number with at least count digits.
func (g *group) write(v *big.Int, count int, m large.Meter) {
	if g.base <= 16 {
		s := bignum.Text(v, int(g.base), m)
		g.out.WriteString(strings.Repeat("0", max(0, count-len(s))))
		if v.Sign() > 0 || count > 0 {
			g.out.WriteString(strings.ToUpper(s))
		}
		return
	}
	digits := bignum.Digits(v, g.base, m)
	for range count - len(digits) {
		g.digit(0)
	}
	for _, d := range digits {
		g.digit(d)
	}
}

func (g *group) digit(d uint32) {
	if !g.first {
		g.out.WriteByte(' ')
	}
	g.first = false
	s := itoa(int(d))
	g.out.WriteString("000000000"[:g.wide-len(s)])
	g.out.WriteString(s)
}
