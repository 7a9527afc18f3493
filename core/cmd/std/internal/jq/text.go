package jq

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"eryxsh/core/large"
)

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// valid gives text with every byte that is not UTF-8 replaced.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, c := range s {
		b.WriteRune(c)
	}
	return b.String()
}

// validMuch is valid, with m charged meanwhile.
func validMuch(s string, m large.Meter) string {
	for piece := range large.Pieces(s, m) {
		if !utf8.ValidString(piece) {
			return valid(s)
		}
	}
	return s
}

// unescape reads the escapes of a JSON string.
func unescape(s string) (string, bool) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", false
		}
		switch s[i] {
		case '"', '\\', '/':
			b = append(b, s[i])
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			c, ok := hex4(s[i+1:])
			if !ok {
				return "", false
			}
			i += 4
			if utf16.IsSurrogate(c) {
				low, ok := rune(0), false
				if strings.HasPrefix(s[i+1:], `\u`) {
					low, ok = hex4(s[i+3:])
				}
				if pair := utf16.DecodeRune(c, low); ok && pair != utf8.RuneError {
					c = pair
					i += 6
				} else {
					c = utf8.RuneError
				}
			}
			b = utf8.AppendRune(b, c)
		default:
			return "", false
		}
	}
	return valid(string(b)), true
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil
}

// quoted writes a JSON string.
func quoted(b []byte, s string, ascii bool) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && (c < utf8.RuneSelf || !ascii) {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r >= 0x10000 {
				hi, lo := utf16.EncodeRune(r)
				b = appendU(appendU(b, hi), lo)
			} else {
				b = appendU(b, r)
			}
			i += n
			from = i
			continue
		}
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

func appendU(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
