package awk

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
	"eryxsh/core/locale"
)

// maxWidth bounds widths and precisions of formats: more is refused, not cut.
const maxWidth = 1 << 26

// formatter carries out printf and sprintf.
type formatter struct {
	args     []Value
	convfmt  string
	next     int
	fail     string // the first fatal message, or ""
	numbered bool   // an argument was named by its position
	at       int    // offset in the format of the conversion that lacks an argument
	work     large.Meter
	octets   bool // a character is a byte
}

// format appends what the format makes of the arguments. The second result is
// a fatal message in gawk's words, or "".
func (f *formatter) format(b []byte, s string) ([]byte, string) {
	whole := len(s)
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return append(b, s...), f.fail
		}
		b = append(b, s[:i]...)
		rest := s[i+1:]
		if rest == "" {
			return append(b, '%'), f.fail
		}
		sp, arg, n, ok := f.parse(rest)
		f.at = whole - len(rest) + max(0, n-1)
		if f.fail != "" {
			return b, f.fail
		}
		if !ok {
			b = append(b, s[i:i+1+n]...)
			s = rest[n:]
			continue
		}
		s = rest[n:]
		if sp.verb == '%' {
			b = append(b, '%')
			continue
		}
		v, ok := f.arg(arg)
		if f.numbered && f.next > 0 {
			f.fail = "must use `count$' on all formats or none"
			return b, f.fail
		}
		if !ok {
			f.fail = "\x00" // the caller knows the whole format
			return b, f.fail
		}
		if b = f.one(b, sp, v); len(b) > maxString {
			f.fail = fmt.Sprintf("string too long (limit %d bytes)", maxString)
			return b, f.fail
		}
	}
}

// arg gives an argument by its number, or the next one if the number is 0.
func (f *formatter) arg(n int) (*Value, bool) {
	if n > 0 {
		f.numbered = true
	} else {
		f.next++
		n = f.next
	}
	if n > len(f.args) {
		return nil, false
	}
	return &f.args[n-1], true
}

// parse reads a conversion after its %: the specification, the position of
// its argument if it names one, and its length.
func (f *formatter) parse(s string) (sp spec, arg, n int, ok bool) {
	sp.prec = -1
	i := 0
	if k, v := digits(s); k > 0 && k < len(s) && s[k] == '$' {
		if v < 1 {
			f.fail = "argument index with `$' must be > 0"
			return sp, 0, 0, false
		}
		arg, i = v, k+1
		f.numbered = true
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			sp.left = true
		case '+':
			sp.plus = true
		case ' ':
			sp.space = true
		case '#':
			sp.alt = true
		case '0':
			sp.zero = true
		case '\'':
			sp.group = true
		default:
			goto width
		}
	}
width:
	var given bool
	if sp.width, i, given = f.number(s, i); given && sp.width < 0 {
		sp.left, sp.width = true, -sp.width
	}
	if i < len(s) && s[i] == '.' {
		if sp.prec, i, given = f.number(s, i+1); !given {
			sp.prec = 0
		} else if sp.prec < 0 {
			sp.prec = -1
		}
	}
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 {
		i++
	}
	if sp.width > maxWidth || sp.prec > maxWidth {
		f.fail = fmt.Sprintf("format item %d: width or precision too large", f.next+1)
		return sp, 0, 0, false
	}
	if i >= len(s) {
		return sp, 0, i, false
	}
	sp.verb = s[i]
	if sp.verb == 'i' {
		sp.verb = 'd'
	}
	if strings.IndexByte("cdsouxXeEfFgGaA%", sp.verb) < 0 {
		_, size := utf8.DecodeRuneInString(s[i:])
		return sp, 0, i + size, false
	}
	return sp, arg, i + 1, true
}

// number reads a width or a precision: digits, * or *N$.
func (f *formatter) number(s string, i int) (n, end int, given bool) {
	if i < len(s) && s[i] == '*' {
		i++
		pos := 0
		if k, v := digits(s[i:]); k > 0 && i+k < len(s) && s[i+k] == '$' {
			pos, i = v, i+k+1
		}
		if pos == 0 && f.numbered {
			f.fail = "fatal: must use `count$' on all formats or none" // gawk says so twice here
			return 0, i, false
		}
		v, ok := f.arg(pos)
		if !ok {
			f.fail = "\x00"
			return 0, i, false
		}
		x := v.num()
		if x > maxWidth || x < -maxWidth || math.IsNaN(x) {
			x = maxWidth + 1
		}
		return int(x), i, true
	}
	k, v := digits(s[min(i, len(s)):])
	return v, i + k, k > 0
}

func digits(s string) (n, v int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		if v <= maxWidth {
			v = v*10 + int(s[n]-'0')
		}
		n++
	}
	return n, v
}

// one appends a single conversion.
func (f *formatter) one(b []byte, sp spec, v *Value) []byte {
	start := len(b)
	sp.octets = f.octets
	switch sp.verb {
	case 'c':
		sp.zero = false
		if v.numeric() && v.K != Unassigned && v.K != Untyped {
			b = appendChar(b, v.N, f.octets)
		} else if v.S != "" {
			b = append(b, v.S[:locale.Next(v.S, f.octets)]...)
		} else {
			b = append(b, 0)
		}
		return pad(b, start, sp, start)
	case 's':
		sp.zero = false
		t := text(v, f.convfmt)
		if sp.prec >= 0 {
			t = t[:locale.Offset(t, sp.prec, f.octets)]
		}
		b = large.Push(b, t, large.Or(f.work))
		return pad(b, start, sp, start)
	case 'd', 'o', 'u', 'x', 'X':
		n := v.num()
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return appendSpecial(b, n, sp.verb)
		}
		n = math.Trunc(n)
		if sp.verb != 'd' && (n < -(1<<63) || n >= 1<<64) {
			sp.verb = 'g'
			return appendFloat(b, n, sp)
		}
		return appendInteger(b, n, sp)
	}
	return appendFloat(b, v.num(), sp)
}

// appendChar is %c of a number: a character by its code, else a byte.
func appendChar(b []byte, n float64, octets bool) []byte {
	if !octets && n >= 0 && n <= utf8.MaxRune && (n < 0xd800 || n > 0xdfff) {
		return utf8.AppendRune(b, rune(n))
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return b
	}
	return append(b, byte(int64(math.Mod(n, 1<<32))))
}

// text is a value as a string; format is CONVFMT or OFMT.
func text(v *Value, format string) string {
	if v.K == Num {
		return numberText(v.N, format)
	}
	return v.S
}
