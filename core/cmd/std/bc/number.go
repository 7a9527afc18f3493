package bc

import (
	"math/big"
	"strings"

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

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// at is the number's integer at another scale, cut off.
func (n Num) at(scale int) *big.Int {
	v := n.int()
	switch {
	case scale > n.Scale:
		v.Mul(v, pow10(scale-n.Scale))
	case scale < n.Scale:
		v.Quo(v, pow10(n.Scale-scale))
	}
	return v
}

func add(a, b Num, sign int64) Num {
	s := max(a.Scale, b.Scale)
	y := b.at(s)
	return number(y.Mul(y, big.NewInt(sign)).Add(y, a.at(s)), s)
}

func mul(a, b Num, scale int) Num {
	full := a.Scale + b.Scale
	v := new(big.Int).Mul(a.int(), b.int())
	return number(Num{Mag: v.Bytes(), Neg: v.Sign() < 0, Scale: full}.at(min(full, max(scale, a.Scale, b.Scale))), min(full, max(scale, a.Scale, b.Scale)))
}

func div(a, b Num, scale int) Num {
	v := a.int()
	if e := scale + b.Scale - a.Scale; e >= 0 {
		v.Mul(v, pow10(e))
		return number(v.Quo(v, b.int()), scale)
	}
	d := b.int()
	return number(v.Quo(v, d.Mul(d, pow10(a.Scale-scale-b.Scale))), scale)
}

func mod(a, b Num, scale int) Num {
	s := max(a.Scale, b.Scale+scale)
	q := div(a, b, scale)
	v := new(big.Int).Mul(q.int(), b.int())
	return number(v.Sub(a.at(s), number(v, q.Scale+b.Scale).at(s)), s)
}

// power raises to a whole number. ok is false where the result would be too large.
func power(a Num, exp int64, scale int) (Num, bool) {
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
	v.Exp(v, big.NewInt(n), nil)
	full := number(v, a.Scale*int(n))
	if exp < 0 {
		return div(small(1), full, scale), true
	}
	s := min(full.Scale, max(scale, a.Scale))
	return number(full.at(s), s), true
}

func root(a Num, scale int) Num {
	if cmp(a, small(1)) == 0 {
		return small(1)
	}
	s := max(scale, a.Scale)
	v := a.at(2 * s)
	return number(v.Sqrt(v), s)
}

func cmp(a, b Num) int {
	s := max(a.Scale, b.Scale)
	return a.at(s).Cmp(b.at(s))
}

// digits is how many decimal digits are significant: those behind the point, and before it without leading zeros.
func (n Num) digits(m large.Meter) int {
	return max(len(decimal(new(big.Int).SetBytes(n.Mag), m)), n.Scale)
}

// long is the number as a machine integer, cut off; false if it does not fit.
func (n Num) long() (int64, bool) {
	v := n.at(0)
	return v.Int64(), v.IsInt64()
}

const digitSet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// parse reads a constant in a base: one digit alone before the point keeps its value, others
// count as much as the base has at most.
func parse(s string, base int64) Num {
	whole, frac, _ := strings.Cut(s, ".")
	value := func(c byte) int64 { return min(int64(strings.IndexByte(digitSet, c)), base-1) }
	if base == 10 && len(whole) != 1 {
		out := make([]byte, 0, len(s))
		for _, c := range []byte(whole + frac) {
			out = append(out, '0'+byte(value(c)))
		}
		v, _ := new(big.Int).SetString("0"+string(out), 10)
		return number(v, len(frac))
	}
	v, b := new(big.Int), big.NewInt(base)
	for i := 0; i < len(whole); i++ {
		v.Mul(v, b).Add(v, big.NewInt(value(whole[i])))
	}
	if len(whole) == 1 {
		v.SetInt64(int64(strings.IndexByte(digitSet, whole[0])))
	}
	if frac == "" {
		return number(v, 0)
	}
	f, d := new(big.Int), big.NewInt(1)
	for i := 0; i < len(frac); i++ {
		f.Mul(f, b).Add(f, big.NewInt(value(frac[i])))
		d.Mul(d, b)
	}
	part := div(number(f, 0), number(d, 0), len(frac))
	return add(number(v, 0), part, 1)
}

// text shows a number in a base, with m charged meanwhile.
func (n Num) text(base int64, m large.Meter) string {
	if n.zero() {
		return "0"
	}
	sign := ""
	if n.Neg {
		sign = "-"
	}
	v := new(big.Int).SetBytes(n.Mag)
	if base == 10 {
		s := decimal(v, m)
		if n.Scale > 0 {
			if len(s) < n.Scale {
				s = strings.Repeat("0", n.Scale-len(s)) + s
			}
			s = s[:len(s)-n.Scale] + "." + s[len(s)-n.Scale:]
		}
		return sign + s
	}
	one := pow10(n.Scale)
	frac := new(big.Int)
	v.QuoRem(v, one, frac)
	var out strings.Builder
	out.WriteString(sign)
	wide := len(big.NewInt(base - 1).String())
	if base <= 16 {
		if v.Sign() > 0 {
			out.WriteString(strings.ToUpper(v.Text(int(base))))
		}
	} else if v.Sign() > 0 {
		var groups []string
		b, r := big.NewInt(base), new(big.Int)
		for v.Sign() > 0 {
			v.QuoRem(v, b, r)
			groups = append(groups, r.String())
		}
		for i := len(groups) - 1; i >= 0; i-- {
			out.WriteString(" " + strings.Repeat("0", wide-len(groups[i])) + groups[i])
		}
	}
	if n.Scale == 0 {
		return out.String()
	}
	out.WriteByte('.')
	b, digit := big.NewInt(base), new(big.Int)
	for t, first := big.NewInt(1), true; len(t.String()) <= n.Scale; t.Mul(t, b) {
		digit.QuoRem(frac.Mul(frac, b), one, frac)
		if base <= 16 {
			out.WriteByte(digitSet[digit.Int64()])
			continue
		}
		if !first {
			out.WriteByte(' ')
		}
		first = false
		out.WriteString(strings.Repeat("0", wide-len(digit.String())) + digit.String())
	}
	return out.String()
}
