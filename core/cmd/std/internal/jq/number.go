package jq

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// appendFloat writes a number the way jq does: the shortest digits that give
// it back, with an exponent only for very large and small ones. It never writes NaN or infinities.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "null"...)
	case f > math.MaxFloat64:
		f = math.MaxFloat64
	case f < -math.MaxFloat64:
		f = -math.MaxFloat64
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 && (f != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, int64(f), 10)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	if e[0] == '-' {
		b = append(b, '-')
		e = e[1:]
	}
	at := len(e) - 1
	for e[at] != 'e' {
		at--
	}
	exp, _ := strconv.Atoi(string(e[at+1:]))
	digits := append([]byte{e[0]}, e[min(2, at):at]...)
	point := exp + 1
	switch {
	case f == 0:
		return append(b, '0')
	case point <= -5 || point > len(digits)+15:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		b = append(b, 'e')
		if exp >= 0 {
			b = append(b, '+')
		} else {
			b = append(b, '-')
			exp = -exp
		}
		if exp < 10 {
			b = append(b, '0')
		}
		return strconv.AppendInt(b, int64(exp), 10)
	case point <= 0:
		b = append(b, "0."...)
		for ; point < 0; point++ {
			b = append(b, '0')
		}
		return append(b, digits...)
	}
	for i := 0; i < max(point, len(digits)); i++ {
		if i == point {
			b = append(b, '.')
		}
		if i < len(digits) {
			b = append(b, digits[i])
		} else {
			b = append(b, '0')
		}
	}
	return b
}

// appendNumber writes a number: its text where the double would lose something.
func appendNumber(b []byte, v Value) []byte {
	if v.S != "" {
		return append(b, v.S...)
	}
	return appendFloat(b, v.N)
}

// pow10 is 10 to the powers that a double has exactly.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a numeric literal. Text is kept only where printing the double would differ from it.
func parseNumber(t []byte) (Value, bool) {
	i, neg := 0, false
	if len(t) > 0 && t[0] == '-' {
		neg, i = true, 1
	}
	var m uint64
	digits, frac := 0, 0
	start := i
	for ; i < len(t) && t[i]-'0' < 10; i++ {
		m = m*10 + uint64(t[i]-'0')
		digits++
	}
	whole := digits
	if whole > 0 && digits < 16 && i < len(t) && t[i] == '.' {
		for i++; i < len(t) && t[i]-'0' < 10; i++ {
			m = m*10 + uint64(t[i]-'0')
			digits++
			frac++
		}
		if frac == 0 || t[i-1] == '0' {
			digits = 99
		}
	}
	if i == len(t) && whole > 0 && digits < 16 && (whole == 1 || t[start] != '0') && (m != 0 || !neg) && (frac == 0 || m > 0 && frac < 5 || whole > 1 || t[start] != '0') {
		f := float64(m) / pow10[frac]
		if neg {
			f = -f
		}
		return num(f), true
	}
	return slowNumber(string(t))
}

// maxExponent is the largest exponent of a decimal number.
const maxExponent = 999999999

// slowNumber reads a literal of any form as libdecnumber does, and canonicalizes its text.
func slowNumber(t string) (Value, bool) {
	body, sign := t, ""
	if body != "" && (body[0] == '-' || body[0] == '+') {
		if body[0] == '-' {
			sign = "-"
		}
		body = body[1:]
	}
	switch lower := strings.ToLower(body); lower {
	case "nan", "snan":
		return num(math.NaN()), true
	case "inf", "infinity":
		f := math.Inf(1)
		if sign != "" {
			f = -f
		}
		return num(f), true
	}
	mant, exp, ok := splitNumber(body)
	if !ok {
		return empty, false
	}
	intPart, fracPart, _ := strings.Cut(mant, ".")
	all := strings.TrimLeft(intPart+fracPart, "0")
	exp -= len(fracPart)
	if all == "" {
		all = "0"
	}
	f := valueOf(sign, all, exp)
	if exp+len(all)-1 > maxExponent || exp+len(all)-1 < -maxExponent {
		return num(f), true
	}
	text := sign + scientific(all, exp)
	if string(appendFloat(nil, f)) == text {
		text = ""
	}
	v := num(f)
	v.S = text
	return v, true
}

func valueOf(sign, digits string, exp int) float64 {
	switch {
	case digits == "0" || exp < -400-len(digits):
		digits, exp = "0", 0
	case exp > 400:
		exp = 400
	}
	f, _ := strconv.ParseFloat(sign+digits+"e"+strconv.Itoa(exp), 64)
	return f
}

// splitNumber checks the form of a number without sign and cuts off its exponent.
func splitNumber(s string) (mant string, exp int, ok bool) {
	i, digits, point := 0, 0, false
	for ; i < len(s); i++ {
		if s[i] == '.' && !point {
			point = true
		} else if s[i]-'0' < 10 {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return "", 0, false
	}
	mant = s[:i]
	if i == len(s) {
		return mant, 0, true
	}
	if s[i] != 'e' && s[i] != 'E' {
		return "", 0, false
	}
	rest := s[i+1:]
	neg := false
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		neg = rest[0] == '-'
		rest = rest[1:]
	}
	if rest == "" {
		return "", 0, false
	}
	for _, c := range []byte(rest) {
		if c-'0' > 9 {
			return "", 0, false
		}
		exp = min(exp*10+int(c-'0'), 1<<40)
	}
	if neg {
		exp = -exp
	}
	return mant, exp, true
}

// scientific writes digits times ten to exp as libdecnumber's to-scientific-string does.
func scientific(digits string, exp int) string {
	adjusted := exp + len(digits) - 1
	if exp <= 0 && adjusted >= -6 {
		if exp == 0 {
			return digits
		}
		if point := len(digits) + exp; point > 0 {
			return digits[:point] + "." + digits[point:]
		} else {
			return "0." + strings.Repeat("0", -point) + digits
		}
	}
	s := digits[:1]
	if len(digits) > 1 {
		s += "." + digits[1:]
	}
	if adjusted >= 0 {
		return s + "E+" + strconv.Itoa(adjusted)
	}
	return s + "E" + strconv.Itoa(adjusted)
}

// compareNumbers orders numbers: NaN below all others; long literals digit by digit.
func compareNumbers(a, b Value) int {
	switch {
	case math.IsNaN(a.N):
		return -1
	case math.IsNaN(b.N):
		return 1
	case a.N < b.N:
		return -1
	case a.N > b.N:
		return 1
	case a.S == b.S || a.S == "" || b.S == "" || len(a.S) > 4096 || len(b.S) > 4096 || math.IsInf(a.N, 0) || a.N == 0:
		return 0
	}
	x, ok1 := new(big.Rat).SetString(a.S)
	y, ok2 := new(big.Rat).SetString(b.S)
	if !ok1 || !ok2 {
		return 0
	}
	return x.Cmp(y)
}
