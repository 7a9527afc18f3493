package od

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"

	"eryxsh/core/cmd/format"
	"eryxsh/core/cmd/quote"
)

// spec is one output type.
type spec struct {
	kind  byte // a c d o u x f
	size  int
	field int // columns of a field
	pad   int // columns of blanks in a line, to be shared out before the fields
	text  bool
}

// parseTypes reads a TYPE string like "x1zd2"; message is "" if it is right.
func parseTypes(c quote.Charset, s string) (specs []spec, message string) {
	for i := 0; i < len(s); {
		sp := spec{kind: s[i], size: 1}
		from := i
		i++
		switch sp.kind {
		case 'a', 'c':
			sp.field = 3
		case 'd', 'o', 'u', 'x':
			sp.size = 4
			n, length, ok := parseSize(s[i:], map[byte]int{'C': 1, 'S': 2, 'I': 4, 'L': 8})
			i += length
			if length > 0 {
				sp.size = n
			}
			if !ok || sp.size != 1 && sp.size != 2 && sp.size != 4 && sp.size != 8 {
				return nil, "invalid type string " + quote.Locale(c, s) + ";\nthis system doesn't provide a " + strconv.Itoa(n) + "-byte integral type"
			}
			widths := map[byte][4]int{'d': {4, 6, 11, 20}, 'o': {3, 6, 11, 22}, 'u': {3, 5, 10, 20}, 'x': {2, 4, 8, 16}}
			sp.field = widths[sp.kind][map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[sp.size]]
		case 'f':
			sp.size = 8
			n, length, ok := parseSize(s[i:], map[byte]int{'F': 4, 'D': 8, 'L': 16})
			i += length
			if length > 0 {
				sp.size = n
			}
			if !ok || sp.size != 4 && sp.size != 8 && sp.size != 16 {
				return nil, "invalid type string " + quote.Locale(c, s) + ";\nthis system doesn't provide a " + strconv.Itoa(n) + "-byte floating point type"
			}
			sp.field = map[int]int{4: 15, 8: 24, 16: 29}[sp.size]
		default:
			return nil, "invalid character '" + s[from:from+1] + "' in type string " + quote.Locale(c, s)
		}
		if i < len(s) && s[i] == 'z' {
			sp.text = true
			i++
		}
		specs = append(specs, sp)
	}
	return specs, ""
}

// parseSize reads the size behind a type letter, a number or a letter of names.
func parseSize(s string, names map[byte]int) (n, length int, ok bool) {
	if s == "" {
		return 0, 0, true
	}
	if n, found := names[s[0]]; found {
		return n, 1, true
	}
	length = len(s) - len(strings.TrimLeft(s, "0123456789"))
	if length == 0 {
		return 0, 0, true
	}
	n, err := strconv.Atoi(s[:length])
	return n, length, err == nil
}

// line writes the fields of a block for one type.
func (o *options) line(out []byte, s *spec, data []byte) []byte {
	fields := o.width / s.size
	left := s.pad
	have := (len(data) + s.size - 1) / s.size
	unit := make([]byte, s.size)
	var space [64]byte
	for i := 0; i < have; i++ {
		clear(unit)
		copy(unit, data[i*s.size:])
		next := s.pad * (fields - 1 - i) / fields
		text := o.value(space[:0], s, unit)
		for n := left - next + s.field - len(text); n > 0; n-- {
			out = append(out, ' ')
		}
		out = append(out, text...)
		left = next
	}
	if !s.text {
		return out
	}
	next := 0
	for n := (fields-have)*s.field + left - next; n > 0; n-- {
		out = append(out, ' ')
	}
	out = append(out, "  >"...)
	for _, b := range data {
		if b < ' ' || b >= 0x7f {
			b = '.'
		}
		out = append(out, b)
	}
	return append(out, '<')
}

// value writes one field.
func (o *options) value(out []byte, s *spec, unit []byte) []byte {
	switch s.kind {
	case 'a':
		b := unit[0] & 0x7f
		if b == 0x7f {
			return append(out, "del"...)
		}
		if b <= ' ' {
			const names = "nulsohstxetxeotenqackbel bs ht nl vt ff cr so sidledc1dc2dc3dc4naksynetbcan emsubesc fs gs rs us sp"
			return append(out, strings.TrimLeft(names[3*int(b):3*int(b)+3], " ")...)
		}
		return append(out, b)
	case 'c':
		b := unit[0]
		if k := strings.IndexByte("\x00\a\b\f\n\r\t\v", b); k >= 0 {
			return append(out, '\\', "0abfnrtv"[k])
		}
		if b >= ' ' && b < 0x7f {
			return append(out, b)
		}
		return append(out, '0'+b>>6, '0'+b>>3&7, '0'+b&7)
	case 'f':
		return o.float(out, unit)
	}
	var v uint64
	for i := range unit {
		k := len(unit) - 1 - i
		if o.big {
			k = i
		}
		v = v<<8 | uint64(unit[k])
	}
	switch s.kind {
	case 'd':
		shift := 64 - 8*s.size
		return strconv.AppendInt(out, int64(v<<shift)>>shift, 10)
	case 'u':
		return strconv.AppendUint(out, v, 10)
	case 'x':
		return zeros(out, strconv.FormatUint(v, 16), s.field)
	}
	return zeros(out, strconv.FormatUint(v, 8), s.field)
}

func zeros(out []byte, text string, width int) []byte {
	for i := len(text); i < width; i++ {
		out = append(out, '0')
	}
	return append(out, text...)
}

// float writes a floating point number with as few digits as tell it from its
// neighbours, but not fewer than its type is good for.
func (o *options) float(out, unit []byte) []byte {
	raw := append([]byte(nil), unit...)
	if o.big {
		for i, j := 0, len(raw)-1; i < j; i, j = i+1, j-1 {
			raw[i], raw[j] = raw[j], raw[i]
		}
	}
	var v *big.Float
	digits, most, tiny := 6, 9, false
	var same func(text string) bool
	switch len(raw) {
	case 4:
		f := math.Float32frombits(binary.LittleEndian.Uint32(raw))
		if text := special(float64(f)); text != "" {
			return append(out, text...)
		}
		v, tiny = big.NewFloat(float64(f)), math.Abs(float64(f)) < 0x1p-126
		same = func(text string) bool { x, _ := strconv.ParseFloat(text, 32); return float32(x) == f }
	case 8:
		f := math.Float64frombits(binary.LittleEndian.Uint64(raw))
		if text := special(f); text != "" {
			return append(out, text...)
		}
		v, tiny = big.NewFloat(f), math.Abs(f) < 0x1p-1022
		digits, most = 15, 17
		same = func(text string) bool { x, _ := strconv.ParseFloat(text, 64); return x == f }
	default:
		text := ""
		if v, text = extended(raw); text != "" {
			return append(out, text...)
		}
		digits, most, tiny = 18, 21, v.Sign() != 0 && v.MantExp(nil) < -16381
		same = func(text string) bool {
			x, _, _ := format.ParseFloat(text)
			return x.Big() != nil && x.Big().Cmp(v) == 0
		}
	}
	if tiny {
		digits = 1
	}
	for ; ; digits++ {
		text := format.Spec{Verb: 'g', Prec: digits}.Float(nil, format.BigFloat(v))
		if digits >= most || same(string(text)) {
			return append(out, text...)
		}
	}
}

// special is the text of a value that is not a finite number.
func special(f float64) string {
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return "-nan"
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return ""
}

// extended reads the 80-bit format of an x86 long double.
func extended(raw []byte) (v *big.Float, text string) {
	mant := binary.LittleEndian.Uint64(raw)
	exp := int(binary.LittleEndian.Uint16(raw[8:]))
	neg := exp&0x8000 != 0
	exp &= 0x7fff
	sign := ""
	if neg {
		sign = "-"
	}
	switch {
	case exp == 0x7fff && mant == 1<<63:
		return nil, sign + "inf"
	case exp == 0x7fff, exp != 0 && mant>>63 == 0:
		return nil, sign + "nan"
	case exp == 0:
		exp = 1
	}
	v = new(big.Float).SetPrec(64).SetUint64(mant)
	v.SetMantExp(v, exp-16383-63)
	if neg {
		v.Neg(v)
	}
	return v, ""
}
