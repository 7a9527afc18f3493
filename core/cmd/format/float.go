package format

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"eryxsh/core/bignum"
	"eryxsh/core/large"
)

// Float is a C long double: a number with a 64-bit mantissa, an infinity or a NaN.
type Float struct {
	num *big.Float // nil for a NaN
	neg bool       // the sign of a NaN
}

// The exponents of a long double.
const (
	maxExponent = 16384
	minExponent = -16445
)

// ParseFloat reads the longest number at the start of s, as strtold(3) does.
// n is how many bytes of s it took, blanks included; 0 if there is none.
func ParseFloat(s string) (f Float, n int, overflow bool) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r') {
		i++
	}
	from := i
	neg := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		neg = s[i] == '-'
		i++
	}
	rest := strings.ToLower(s[i:min(len(s), i+8)])
	switch {
	case strings.HasPrefix(rest, "infinity"):
		return Float{num: new(big.Float).SetInf(neg)}, i + 8, false
	case strings.HasPrefix(rest, "inf"):
		return Float{num: new(big.Float).SetInf(neg)}, i + 3, false
	case strings.HasPrefix(rest, "nan"):
		return Float{neg: neg}, i + 3, false
	}
	hex := strings.HasPrefix(rest, "0x")
	isDigit := func(b byte) bool { return b >= '0' && b <= '9' || hex && digit(b) < 16 }
	exp := byte('e')
	if hex {
		i += 2
		exp = 'p'
	}
	digits, point := 0, false
	for ; i < len(s) && (isDigit(s[i]) || s[i] == '.' && !point); i++ {
		if s[i] == '.' {
			point = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		if hex { // "0x" alone is the number 0
			return Float{num: big.NewFloat(0)}, i - 1, false
		}
		return Float{}, 0, false
	}
	mantissa, shift := shortened(strings.TrimPrefix(s[from:i], "+"), hex)
	if i+1 < len(s) && s[i]|0x20 == exp {
		j := i + 1
		if s[j] == '+' || s[j] == '-' {
			j++
		}
		k := j
		for k < len(s) && s[k] >= '0' && s[k] <= '9' {
			k++
		}
		if k > j {
			e, _ := strconv.Atoi(s[j:k]) // the greatest int, if it is out of range
			if e = min(e, math.MaxInt32); s[i+1] == '-' {
				e = -e
			}
			shift += e
			i = k
		}
	}
	num := nearest(mantissa, max(-farExponent, min(shift, farExponent)), hex)
	switch e := num.MantExp(nil); {
	case num.Sign() == 0:
	case num.IsInf() || e > maxExponent:
		return Float{num: new(big.Float).SetInf(neg)}, i, true
	case e < minExponent:
		zero := new(big.Float).SetPrec(64)
		if neg {
			zero.Neg(zero)
		}
		return Float{num: zero}, i, true
	}
	return Float{num: num}, i, false
}

// farExponent is beyond all numbers, with as many digits as shortened leaves.
const farExponent = 999999

// nearest is the mantissa times 10, or 2, to the power of shift, rounded to 64 bits.
func nearest(mantissa string, shift int, hex bool) *big.Float {
	exp, base := "e", 10
	switch {
	case hex:
		exp, base = "p", 0
	case len(mantissa) > roundedDigits:
		return exact(mantissa, shift)
	}
	num, _, err := big.ParseFloat(mantissa+exp+strconv.Itoa(shift), base, 64, big.ToNearestEven)
	if err != nil || num == nil {
		num = new(big.Float).SetInf(strings.HasPrefix(mantissa, "-"))
	}
	return num
}

// roundedDigits fit the 128 bits with which math/big reads decimal numbers.
const roundedDigits = 38

// exact is a number whose digits math/big would round too early.
func exact(mantissa string, shift int) *big.Float {
	whole, frac, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+frac, "0")
	shift -= len(frac)
	num, over := new(big.Float).SetPrec(64), len(digits)+shift
	switch {
	case over > maxExponent: // it is 10 that is raised: this is far beyond
		num.SetInf(false)
	case over >= minExponent && digits != "":
		v, _ := bignum.Parse(digits, 10, large.Free)
		ten := new(big.Float).SetInt(bignum.Pow(big.NewInt(10), uint64(max(shift, -shift)), large.Free))
		if f := new(big.Float).SetInt(v); shift < 0 {
			num.Quo(f, ten)
		} else {
			num.Mul(f, ten)
		}
	}
	if strings.HasPrefix(mantissa, "-") {
		num.Neg(num)
	}
	return num
}

// enoughDigits is more than any number half way between two long doubles has.
const enoughDigits = 12000

// shortened leaves out digits that are too far behind to be seen but for that they
// are not all zero, which a 1 tells: to read a million digits takes seconds. shift
// is the exponent of what is left: the number of digits in front of the point that went.
func shortened(mantissa string, hex bool) (short string, shift int) {
	if len(mantissa) <= 2*enoughDigits {
		return mantissa, 0
	}
	skip := strings.TrimLeft(mantissa, "-0xX.")
	cut := len(mantissa) - len(skip) + enoughDigits
	if cut >= len(mantissa) {
		return mantissa, 0
	}
	kept, rest := mantissa[:cut], mantissa[cut:]
	if !strings.Contains(kept, ".") {
		whole, _, _ := strings.Cut(rest, ".")
		if shift = len(whole); hex {
			shift *= 4
		}
		kept += "."
	}
	if strings.Trim(rest, "0.") != "" {
		kept += "1"
	}
	return kept, shift
}

// IntFloat is a whole number.
func IntFloat(v int64) Float { return Float{num: new(big.Float).SetPrec(64).SetInt64(v)} }

// BigFloat is v, rounded to 64 bits.
func BigFloat(v *big.Float) Float {
	return Float{num: new(big.Float).SetPrec(64).SetMode(big.ToNearestEven).Set(v)}
}

// Big is the number; nil for a NaN.
func (f Float) Big() *big.Float { return f.num }

// Spec is one printf conversion: %[flags][width][.precision]verb.
type Spec struct {
	Minus, Plus, Space, Alt, Zero bool
	Grouped                       bool // thousands: without effect in the locale C
	Width                         int
	Prec                          int // -1 if none
	Verb                          byte
}

// Float appends f by one of the verbs aAeEfFgG.
func (s Spec) Float(dst []byte, f Float) []byte {
	upper := s.Verb >= 'A' && s.Verb <= 'Z'
	var text []byte
	neg := f.neg
	special := false
	switch {
	case f.num == nil:
		text, special = []byte("nan"), true
	case f.num.IsInf():
		text, neg, special = []byte("inf"), f.num.Signbit(), true
	default:
		neg = f.num.Signbit()
		text = s.digits(new(big.Float).Abs(f.num))
	}
	if upper {
		text = bytes.ToUpper(text)
	}
	sign := s.sign(neg)
	if special {
		s.Zero = false
	}
	prefix := 0
	if !special && s.Verb|0x20 == 'a' {
		prefix = 2
	}
	return s.pad(dst, sign+string(text[:prefix]), text[prefix:])
}

// sign is what stands before a number.
func (s Spec) sign(neg bool) string {
	switch {
	case neg:
		return "-"
	case s.Plus:
		return "+"
	case s.Space:
		return " "
	}
	return ""
}

// pad appends prefix and text in the width: zeros go between them.
func (s Spec) pad(dst []byte, prefix string, text []byte) []byte {
	n := s.Width - len(prefix) - len(text)
	if n > 0 && !s.Minus && !s.Zero {
		dst = appendRepeat(dst, ' ', n)
	}
	dst = append(dst, prefix...)
	if n > 0 && !s.Minus && s.Zero {
		dst = appendRepeat(dst, '0', n)
	}
	dst = append(dst, text...)
	if n > 0 && s.Minus {
		dst = appendRepeat(dst, ' ', n)
	}
	return dst
}

func appendRepeat(dst []byte, b byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, b)
	}
	return dst
}

// digits writes a positive number without sign and padding, in lower case.
func (s Spec) digits(v *big.Float) []byte {
	prec := s.Prec
	if prec < 0 {
		prec = 6
	}
	switch s.Verb | 0x20 {
	case 'a':
		return hexFloat(v, s.Prec, s.Alt)
	case 'f':
		return s.point(v.Append(nil, 'f', prec))
	case 'e':
		return s.point(v.Append(nil, 'e', prec))
	}
	prec = max(prec, 1)
	e := v.Append(nil, 'e', prec-1)
	exp := 0
	if v.Sign() != 0 {
		i := bytes.IndexByte(e, 'e')
		for _, b := range e[i+2:] {
			exp = exp*10 + int(b-'0')
		}
		if e[i+1] == '-' {
			exp = -exp
		}
	}
	text := e
	if exp >= -4 && exp < prec {
		text = v.Append(nil, 'f', prec-1-exp)
	}
	if s.Alt {
		return s.point(text)
	}
	mant, tail := text, []byte(nil)
	if i := bytes.IndexByte(text, 'e'); i >= 0 {
		mant, tail = text[:i], text[i:]
	}
	if bytes.IndexByte(mant, '.') >= 0 {
		mant = bytes.TrimRight(bytes.TrimRight(mant, "0"), ".")
	}
	return append(bytes.Clone(mant), tail...)
}

// point adds the decimal point that the # flag asks for.
func (s Spec) point(text []byte) []byte {
	if !s.Alt || bytes.IndexByte(text, '.') >= 0 {
		return text
	}
	if i := bytes.IndexByte(text, 'e'); i >= 0 {
		return append(append(bytes.Clone(text[:i]), '.'), text[i:]...)
	}
	return append(text, '.')
}

// hexFloat writes v as glibc writes a long double: one digit from 8 to f before the point.
func hexFloat(v *big.Float, prec int, alt bool) []byte {
	if v.Sign() == 0 {
		out := []byte("0x0")
		if prec > 0 || alt {
			out = append(out, '.')
			out = appendRepeat(out, '0', max(prec, 0))
		}
		return append(out, "p+0"...)
	}
	mant := new(big.Float)
	exp := v.MantExp(mant) - 4 // mant is in [8, 16) when scaled by 16
	if prec >= 0 && prec < 15 {
		mant.SetMantExp(mant, 4*(prec+1))
		n, _ := new(big.Float).SetMode(big.ToNearestEven).SetPrec(uint(4 * (prec + 1))).Set(mant).Int(nil)
		mant = new(big.Float).SetPrec(64).SetInt(n)
		if mant.MantExp(mant) > 4*(prec+1) { // rounded up to 0x10: glibc writes 0x1
			mant.SetMantExp(mant, -3)
			exp += 4
		}
	}
	scaled, _ := new(big.Float).SetMantExp(mant, 64).Uint64()
	out := []byte("0x")
	out = append(out, "0123456789abcdef"[scaled>>60])
	rest := scaled << 4
	var frac []byte
	for i := 0; i < 15; i++ {
		frac = append(frac, "0123456789abcdef"[rest>>60])
		rest <<= 4
	}
	if prec < 0 {
		frac = bytes.TrimRight(frac, "0")
	} else {
		frac = appendRepeat(frac, '0', prec-len(frac))[:prec]
	}
	if len(frac) > 0 || alt {
		out = append(append(out, '.'), frac...)
	}
	sign := byte('+')
	if exp < 0 {
		sign, exp = '-', -exp
	}
	out = append(out, 'p', sign)
	return append(out, big.NewInt(int64(exp)).String()...)
}
