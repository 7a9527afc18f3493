package awk

import (
	"math"
	"strconv"
	"strings"

	"eryxsh/core/large"
)

// Kind is what a Value is. The order matters: kinds up to Num are numbers
// without a string of their own.
type Kind uint8

// The kinds of values.
const (
	Untyped    Kind = iota // a variable nobody touched: still free to become an array
	Unassigned             // "" and 0: the value of an untyped variable
	Num
	Str
	Maybe   // text from outside that may look like a number: not looked at yet
	Strnum  // text from outside that looks like a number: both S and N hold
	Pattern // a strongly typed regular expression: @/re/
	Arr     // R is the array's number in the heap
	Ref     // an untyped variable passed to a function: R is where it lives (see root)
)

// Value is one awk value.
type Value struct {
	S string  `cbor:"1,keyasint,omitempty"`
	N float64 `cbor:"2,keyasint"`
	R int32   `cbor:"3,keyasint,omitempty"`
	K Kind    `cbor:"4,keyasint,omitempty"`
	// view says that S points into a larger buffer (a chunk of input); a copy is made when the value is
	// kept, so that a key does not hold its file. After a load every text is by itself.
	view bool
}

func num(n float64) Value  { return Value{N: n, K: Num} }
func str(s string) Value   { return Value{S: s, K: Str} }
func input(s string) Value { return Value{S: s, K: Maybe, view: true} }

// isAbsent is R of a Str that is a field past NF.
const isAbsent = 1

// absent is the value of a field past NF: a comparison takes it as text, typeof says unassigned.
func absent() Value { return Value{K: Str, R: isAbsent} }

func boolean(b bool) Value {
	if b {
		return Value{N: 1, K: Num}
	}
	return Value{K: Num}
}

// keep gives v in the form in which a variable may hold it.
func (v Value) keep() Value {
	if v.view {
		v.S = strings.Clone(v.S)
		v.view = false
	}
	if v.K == Untyped || v.K == Ref {
		v = Value{K: Unassigned}
	}
	return v
}

// keep is Value.keep, with the machine asked while a long text is copied.
func (p *Program) keep(v *Value) Value {
	if v.view && len(v.S) > large.Piece {
		v.S, v.view = large.Clone(v.S, p.c), false
	}
	return v.keep()
}

// look decides whether a Maybe looks like a number.
func (v *Value) look() {
	if n, ok := looksNumeric(v.S); ok {
		v.N, v.K = n, Strnum
	} else {
		v.K = Str
	}
}

// num gives the numeric value, and remembers what a Maybe is.
func (v *Value) num() float64 {
	switch v.K {
	case Num, Strnum:
		return v.N
	case Maybe:
		v.look()
		if v.K == Strnum {
			return v.N
		}
		return leadingNumber(v.S)
	case Str, Pattern:
		return leadingNumber(v.S)
	}
	return 0
}

// truth is the value as a condition.
func (v *Value) truth() bool {
	if v.K == Maybe {
		v.look()
	}
	switch v.K {
	case Num, Strnum:
		return v.N != 0
	case Str, Pattern:
		return v.S != ""
	}
	return false
}

// numeric reports whether comparisons take the value as a number.
func (v *Value) numeric() bool {
	if v.K == Maybe {
		v.look()
	}
	return v.K != Str && v.K != Pattern
}

func isBlank(c byte) bool {
	return c == ' ' || c >= '\t' && c <= '\r'
}

// pow10 are the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// scanNumber reads the decimal number s begins with, after blanks: its value
// and the offset of what follows; the offset is 0 if there is no number.
func scanNumber(s string) (float64, int) {
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	start := i
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	if i > start && i+3 <= len(s) {
		if n, ok := special(s[i:i+3], neg); ok {
			return n, i + 3
		}
	}
	var m uint64
	digits, frac := 0, 0
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if digits < 19 {
			m = m*10 + uint64(s[i]-'0')
		}
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && s[i]-'0' <= 9; i++ {
			if digits < 19 {
				m = m*10 + uint64(s[i]-'0')
			}
			digits++
			frac++
		}
	}
	if digits == 0 {
		return 0, 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && s[j]-'0' <= 9 {
			for j < len(s) && s[j]-'0' <= 9 {
				j++
			}
			n, _ := strconv.ParseFloat(s[start:j], 64)
			return n, j
		}
	}
	if digits <= 19 && m < 1<<53 && frac < len(pow10) {
		n := float64(m)
		if frac > 0 {
			n /= pow10[frac]
		}
		if neg {
			n = -n
		}
		return n, i
	}
	n, _ := strconv.ParseFloat(s[start:i], 64)
	return n, i
}

// special reads inf and nan, which gawk takes only with a sign.
func special(s string, neg bool) (float64, bool) {
	sign := 1
	if neg {
		sign = -1
	}
	switch {
	case strings.EqualFold(s, "inf"):
		return math.Inf(sign), true
	case strings.EqualFold(s, "nan"):
		return math.Copysign(math.NaN(), float64(sign)), true
	}
	return 0, false
}

func leadingNumber(s string) float64 {
	n, end := scanNumber(s)
	if math.IsNaN(n) || math.IsInf(n, 0) {
		// "+infinity" and "+nano" are words, not numbers.
		if end < len(s) && !isBlank(s[end]) && !(s[end-1] >= '0' && s[end-1] <= '9') {
			return 0
		}
	}
	return n
}

// looksNumeric reports whether all of s is a number, blanks around it allowed.
func looksNumeric(s string) (float64, bool) {
	if s == "" || s[0] > '9' {
		return 0, false
	}
	n, end := scanNumber(s)
	if end == 0 {
		return 0, false
	}
	for end < len(s) && isBlank(s[end]) {
		end++
	}
	return n, end == len(s)
}

// integral reports whether n has no fraction and is finite.
func integral(n float64) bool {
	return n == math.Trunc(n) && !math.IsInf(n, 0)
}

// numberText is n as text: integers in full, the rest by format (CONVFMT or OFMT).
func numberText(n float64, format string) string {
	if n >= -1e15 && n <= 1e15 && n == math.Trunc(n) {
		return strconv.FormatInt(int64(n), 10)
	}
	return string(appendNumber(nil, n, format))
}

// appendNumber appends what numberText gives.
func appendNumber(b []byte, n float64, format string) []byte {
	if integral(n) {
		if math.Abs(n) < 1<<62 {
			return strconv.AppendInt(b, int64(n), 10)
		}
		return strconv.AppendFloat(b, n, 'f', 0, 64)
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return append(b, specialText(n, true)...)
	}
	if format == "%.6g" {
		return appendG(b, n, 6, false, 'e')
	}
	return formatOne(b, format, n)
}

// appendSpecial is an infinity or a NaN in a printf: flags, width and precision do not count.
func appendSpecial(b []byte, n float64, verb byte) []byte {
	text := specialText(n, true)
	if verb < 'a' {
		text = strings.ToUpper(text)
	}
	return append(b, text...)
}

// specialText is an infinity or a NaN as gawk writes it.
func specialText(n float64, plus bool) string {
	word := "inf"
	if math.IsNaN(n) {
		word = "nan"
	}
	if math.Signbit(n) {
		return "-" + word
	}
	if plus {
		return "+" + word
	}
	return word
}
