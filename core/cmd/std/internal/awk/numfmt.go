package awk

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
)

// appendG appends n as C's %g does: at most prec significant digits, without
// trailing zeros unless alt is set. e is 'e' or 'E'.
func appendG(b []byte, n float64, prec int, alt bool, e byte) []byte {
	if prec == 0 {
		prec = 1
	}
	var buf [400]byte
	d := strconv.AppendFloat(buf[:0], math.Abs(n), 'e', prec-1, 64) // d.ddde±xx
	if math.Signbit(n) {
		b = append(b, '-')
	}
	mant, exp := splitExp(d)
	digits := make([]byte, 0, 64)
	for _, c := range mant {
		if c != '.' {
			digits = append(digits, c)
		}
	}
	if !alt {
		for len(digits) > 1 && digits[len(digits)-1] == '0' {
			digits = digits[:len(digits)-1]
		}
	}
	if exp < -4 || exp >= prec {
		b = append(b, digits[0])
		if len(digits) > 1 || alt {
			b = append(b, '.')
			b = append(b, digits[1:]...)
		}
		return appendExp(b, exp, e)
	}
	if exp < 0 {
		b = append(b, '0', '.')
		for i := -1; i > exp; i-- {
			b = append(b, '0')
		}
		return append(b, digits...)
	}
	for i := 0; i <= exp; i++ {
		if i < len(digits) {
			b = append(b, digits[i])
		} else {
			b = append(b, '0')
		}
	}
	if len(digits) > exp+1 {
		b = append(b, '.')
		b = append(b, digits[exp+1:]...)
	} else if alt {
		b = append(b, '.')
	}
	return b
}

// splitExp parts the text of a number in e notation.
func splitExp(d []byte) (mant []byte, exp int) {
	for i := len(d) - 1; i >= 0; i-- {
		if d[i] == 'e' {
			exp, _ = strconv.Atoi(string(d[i+1:]))
			return d[:i], exp
		}
	}
	return d, 0
}

func appendExp(b []byte, exp int, e byte) []byte {
	b = append(b, e)
	if exp < 0 {
		b = append(b, '-')
		exp = -exp
	} else {
		b = append(b, '+')
	}
	if exp < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

// spec is one conversion of a format.
type spec struct {
	left, plus, space, alt, zero, group bool
	width, prec                         int // prec -1: not given
	verb                                byte
	octets                              bool // characters are bytes
}

// appendFloat appends n by %e, %f, %g and their capitals.
func appendFloat(b []byte, n float64, sp spec) []byte {
	start := len(b)
	if sp.plus && !math.Signbit(n) {
		b = append(b, '+')
	} else if sp.space && !math.Signbit(n) {
		b = append(b, ' ')
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return appendSpecial(b[:start], n, sp.verb)
	}
	digits := len(b)
	if math.Signbit(n) {
		digits++
	}
	prec := sp.prec
	if prec < 0 {
		prec = 6
	}
	switch sp.verb {
	case 'a', 'A':
		b = appendHex(b, n, sp)
		if !math.Signbit(n) || sp.zero {
			digits += 2 // zeros come behind 0x
		}
	case 'f', 'F':
		b = strconv.AppendFloat(b, n, 'f', prec, 64)
		if sp.alt && prec == 0 {
			b = append(b, '.')
		}
		if sp.group {
			b = groupThousands(b, digits)
		}
	case 'e', 'E':
		b = strconv.AppendFloat(b, n, sp.verb, prec, 64)
	case 'g', 'G':
		e := byte('e')
		if sp.verb == 'G' {
			e = 'E'
		}
		b = appendG(b, n, prec, sp.alt, e)
	}
	return pad(b, start, sp, digits)
}

// appendHex appends n by %a or %A: Go writes the exponent with two digits, C with as few as it takes.
func appendHex(b []byte, n float64, sp spec) []byte {
	s := strconv.FormatFloat(n, 'x', sp.prec, 64)
	mantissa, exponent, _ := strings.Cut(s, "p")
	if sp.alt && !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	if len(exponent) == 3 && exponent[1] == '0' {
		exponent = exponent[:1] + exponent[2:]
	}
	s = mantissa + "p" + exponent
	if sp.verb == 'A' {
		s = strings.ToUpper(s)
	}
	return append(b, s...)
}

// groupThousands is the flag ' in a locale without separators: nothing.
func groupThousands(b []byte, _ int) []byte { return b }

// appendInteger appends n, already truncated, by %d %u %o %x %X.
func appendInteger(b []byte, n float64, sp spec) []byte {
	start := len(b)
	neg := n < 0
	if sp.verb == 'd' {
		switch {
		case neg:
			b = append(b, '-')
		case sp.plus:
			b = append(b, '+')
		case sp.space:
			b = append(b, ' ')
		}
	}
	var buf [400]byte
	var d []byte
	base := 10
	switch sp.verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	if sp.verb == 'd' {
		if math.Abs(n) < 1<<63 {
			d = strconv.AppendUint(buf[:0], uint64(math.Abs(n)), 10)
		} else {
			d = strconv.AppendFloat(buf[:0], math.Abs(n), 'f', 0, 64)
		}
	} else {
		u := uint64(0)
		if neg {
			u = uint64(int64(n))
		} else {
			u = uint64(n)
		}
		d = strconv.AppendUint(buf[:0], u, base)
	}
	if sp.verb == 'X' {
		for i, c := range d {
			if c >= 'a' {
				d[i] = c - 32
			}
		}
	}
	if sp.prec == 0 && n == 0 { // nothing, not even a sign; but what # asks for
		b, d = b[:start], d[:0]
		if sp.alt && base != 10 {
			d = append(d, '0')
		}
	}
	if sp.alt && n != 0 {
		switch sp.verb {
		case 'x', 'X':
			b = append(b, '0', sp.verb)
		case 'o':
			if sp.prec <= len(d) {
				b = append(b, '0')
			}
		}
	}
	digits := len(b)
	for i := len(d); i < sp.prec; i++ {
		b = append(b, '0')
	}
	b = append(b, d...)
	if sp.prec >= 0 {
		sp.zero = false
	}
	return pad(b, start, sp, digits)
}

// pad widens b[start:] to the width; zeros go in at the offset digits.
func pad(b []byte, start int, sp spec, digits int) []byte {
	if sp.width <= 0 {
		return b
	}
	have := len(b) - start
	if !sp.octets {
		have = utf8.RuneCount(b[start:])
	}
	if have >= sp.width {
		return b
	}
	n := sp.width - have
	fill, at := byte(' '), start
	switch {
	case sp.left:
		at = len(b)
	case sp.zero:
		fill, at = '0', digits
	}
	if n > large.Piece {
		b = large.Grow(b, n)
	}
	for range n {
		b = append(b, fill)
	}
	if at < len(b)-n {
		copy(b[at+n:], b[at:len(b)-n])
		for i := range n {
			b[at+i] = fill
		}
	}
	return b
}

// formatOne formats a number by a format that is meant for one number (CONVFMT, OFMT).
func formatOne(b []byte, format string, n float64) []byte {
	f := formatter{args: []Value{num(n)}, convfmt: "%.6g"}
	out, err := f.format(b, format)
	if err != "" {
		return appendG(b, n, 6, false, 'e')
	}
	return out
}
