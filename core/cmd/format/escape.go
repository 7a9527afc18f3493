package format

import (
	"unicode/utf8"

	"eryxsh/core/dollar"
	"eryxsh/core/large"
)

// EscapeMode says whose backslash escapes are read.
type EscapeMode uint8

// The dialects of escapes: they differ in octal, \c and unknown letters.
const (
	InFormat EscapeMode = iota // of a printf format: \nnn; \c is not special in bash
	InB                        // of %b: \0nnn and \nnn, \c stops
	InEcho                     // of echo -e: \0nnn only, \c stops

	ByBytes EscapeMode = 1 << 7 // beside one of those: in the C locale \u stands for ASCII alone
)

// Unescape appends s with its backslash escapes replaced. stop is set by \c:
// all output ends there. problem is a message for an escape without its digits, or "".
func Unescape(dst []byte, s string, mode EscapeMode) (out []byte, stop bool, problem string) {
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			dst = append(dst, s[i])
			i++
			continue
		}
		if s[i+1] == 'c' && mode&^ByBytes != InFormat {
			return dst, true, problem
		}
		var n int
		var p string
		dst, n, p = escape(dst, s[i:], mode)
		if p != "" {
			problem = p
		}
		i += n
	}
	return dst, false, problem
}

// escape reads one escape at the start of s, which has at least two bytes, and
// gives its length.
func escape(dst []byte, s string, mode EscapeMode) (out []byte, n int, problem string) {
	bytes := mode&ByBytes != 0
	mode &^= ByBytes
	switch b := s[1]; b {
	case 'a':
		return append(dst, 7), 2, ""
	case 'b':
		return append(dst, 8), 2, ""
	case 'e', 'E':
		return append(dst, 27), 2, ""
	case 'f':
		return append(dst, 12), 2, ""
	case 'n':
		return append(dst, 10), 2, ""
	case 'r':
		return append(dst, 13), 2, ""
	case 't':
		return append(dst, 9), 2, ""
	case 'v':
		return append(dst, 11), 2, ""
	case '\\':
		return append(dst, '\\'), 2, ""
	case '"', '\'', '?':
		if mode == InFormat || mode == InB && b != '?' {
			return append(dst, b), 2, ""
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if mode == InEcho && b != '0' {
			break
		}
		most := 3
		if b == '0' && mode != InFormat {
			most = 4
		}
		v, n := readDigits(s[1:], most, 8)
		return append(dst, byte(v)), 1 + n, ""
	case 'x':
		v, n := readDigits(s[2:], 2, 16)
		if n == 0 {
			return append(dst, '\\', 'x'), 2, "missing hex digit for \\x"
		}
		return append(dst, byte(v)), 2 + n, ""
	case 'u', 'U':
		most := 4
		if b == 'U' {
			most = 8
		}
		v, n := readDigits(s[2:], most, 16)
		if n == 0 {
			return append(dst, '\\', b), 2, "missing unicode digit for \\" + string(b)
		}
		if bytes && v >= utf8.RuneSelf {
			return append(dst, dollar.CodePoint(v)...), 2 + n, ""
		}
		return appendRune(dst, v), 2 + n, ""
	}
	return append(dst, '\\', s[1]), 2, ""
}

// appendRune writes a code point, also one that is not Unicode, in the original five-byte scheme.
func appendRune(dst []byte, v uint32) []byte {
	if v < 0xd800 || v > 0xdfff && v <= 0x10ffff {
		return utf8.AppendRune(dst, rune(v))
	}
	switch {
	case v < 0x10000:
		return append(dst, 0xe0|byte(v>>12), 0x80|byte(v>>6)&0x3f|0x80, 0x80|byte(v)&0x3f)
	case v < 0x200000:
		return append(dst, 0xf0|byte(v>>18), 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	case v < 0x4000000:
		return append(dst, 0xf8|byte(v>>24), 0x80|byte(v>>18)&0x3f, 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	case v < 0x80000000:
		return append(dst, 0xfc|byte(v>>30), 0x80|byte(v>>24)&0x3f, 0x80|byte(v>>18)&0x3f, 0x80|byte(v>>12)&0x3f, 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
	}
	return dst
}

func readDigits(s string, most int, base uint32) (v uint32, n int) {
	for n < most && n < len(s) {
		d := digit(s[n])
		if d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

// digit is the value of a hexadecimal digit, or 99.
func digit(b byte) uint32 {
	switch {
	case b >= '0' && b <= '9':
		return uint32(b - '0')
	case b >= 'a' && b <= 'f':
		return uint32(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return uint32(b-'A') + 10
	}
	return 99
}

// Echo appends what echo writes for its arguments, with bash's options -n, -e
// and -E. escapes is the state without an option (shopt xpg_echo).
func Echo(dst []byte, args []string, escapes bool, work large.Meter) []byte {
	newline := true
options:
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		n, e := newline, escapes
		for _, b := range []byte(args[0][1:]) {
			switch b {
			case 'n':
				n = false
			case 'e':
				e = true
			case 'E':
				e = false
			default:
				break options
			}
		}
		newline, escapes = n, e
		args = args[1:]
	}
	for i, a := range args {
		if i%1024 == 1023 {
			work.Charge(1024 / 4)
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		if !escapes {
			dst = large.Push(dst, a, work)
			continue
		}
		var stop bool
		if dst, stop, _ = Unescape(dst, a, InEcho); stop {
			return dst
		}
	}
	if newline {
		dst = append(dst, '\n')
	}
	return dst
}
