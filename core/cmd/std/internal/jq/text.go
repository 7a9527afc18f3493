package jq

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"eryxsh/core/large"
)

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// valid gives text with every byte that is not UTF-8 replaced, with m charged meanwhile.
func valid(s string, m large.Meter) string {
	for piece := range large.Pieces(s, m) {
		if !utf8.ValidString(piece) {
			return translate(s, m, func(b []byte, piece string) []byte {
				for _, c := range piece {
					b = utf8.AppendRune(b, c)
				}
				return b
			})
		}
	}
	return s
}

// draft is a text in the making: what comes next is appended to b, which goes into whole when it is long.
type draft struct {
	b     []byte
	whole large.Builder
	m     large.Meter
}

// draftPart is how long b gets, about.
const draftPart = 1 << 14

// settle puts b into whole if it is long.
func (d *draft) settle() {
	if len(d.b) >= draftPart {
		d.empty()
	}
}

func (d *draft) empty() {
	d.whole.M = d.m
	_, _ = d.whole.Write(d.b)
	d.m.Charge(len(d.b) >> 8)
	d.b = d.b[:0]
}

// text gives all of it.
func (d *draft) text() string {
	if d.whole.Len() == 0 {
		return large.Text(d.b, d.m)
	}
	d.empty()
	return d.whole.String()
}

// put appends a text, in pieces if it is long.
func (d *draft) put(s string) {
	if len(s) > draftPart {
		d.empty()
		_, _ = d.whole.WriteString(s)
		return
	}
	d.b = append(d.b, s...)
}

// through appends what f makes of a text, in pieces if it is long.
func (d *draft) through(s string, f func(b []byte, s string) []byte) {
	if len(s) <= draftPart {
		d.b = f(d.b, s)
		d.settle()
		return
	}
	for piece := range large.Pieces(s, d.m) {
		d.b = f(d.b, piece)
		d.settle()
	}
}

// translate puts together what f appends for each piece of a text, with m charged meanwhile.
func translate(s string, m large.Meter, f func(b []byte, piece string) []byte) string {
	d := draft{m: m, b: make([]byte, 0, min(len(s), large.Piece))}
	d.through(s, f)
	return d.text()
}

// prefix is the length of the first n characters of a text, with m charged meanwhile.
func prefix(s string, n int, m large.Meter) int {
	at := 0
	for piece := range large.Pieces(s, m) {
		if k := utf8.RuneCountInString(piece); k <= n {
			n -= k
			at += len(piece)
			continue
		}
		for i := range piece {
			if n == 0 {
				return at + i
			}
			n--
		}
	}
	return at
}

// sameText is a == b, with m charged meanwhile.
func sameText(a, b string, m large.Meter) bool {
	if len(a) != len(b) || len(a) <= large.Piece {
		return a == b
	}
	return compareText(a, b, m) == 0
}

// compareText is strings.Compare, with m charged meanwhile.
func compareText(a, b string, m large.Meter) int {
	for len(a) > large.Piece && len(b) > large.Piece {
		if d := strings.Compare(a[:large.Piece], b[:large.Piece]); d != 0 {
			return d
		}
		a, b = a[large.Piece:], b[large.Piece:]
		m.Charge(large.Piece >> 10)
	}
	return strings.Compare(a, b)
}

func hasPrefix(s, part string, m large.Meter) bool {
	return len(part) <= len(s) && sameText(s[:len(part)], part, m)
}

func hasSuffix(s, part string, m large.Meter) bool {
	return len(part) <= len(s) && sameText(s[len(s)-len(part):], part, m)
}

// unescape reads the escapes of a JSON string, with m charged meanwhile.
func unescape(s string, m large.Meter) (string, bool) {
	d := draft{m: m, b: make([]byte, 0, min(len(s), large.Piece+8))}
	for len(s) > 0 {
		n := 0
		if d.b, n = unescapeSome(d.b, s, min(len(s), large.Piece)); n < 0 {
			return "", false
		}
		if s = s[n:]; s != "" {
			d.empty()
			m.Charge(n >> 4)
		}
	}
	return valid(d.text(), m), true
}

// unescapeSome appends what the escapes of s mean, to b. n says how much of s it
// has read: limit bytes and the rest of an escape. It is -1 if one is wrong.
func unescapeSome(b []byte, s string, limit int) (_ []byte, n int) {
	i := 0
	for ; i < limit; i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if i == len(s) {
			return nil, -1
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
				return nil, -1
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
			return nil, -1
		}
	}
	return b, i
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil
}

// quoted writes a JSON string, with m charged meanwhile.
func quoted(b []byte, s string, ascii bool, m large.Meter) []byte {
	return append(escaped(append(b, '"'), s, ascii, m), '"')
}

// escaped writes a JSON string without its quotes, with m charged meanwhile.
func escaped(b []byte, s string, ascii bool, m large.Meter) []byte {
	if len(s) <= large.Piece {
		return escape(b, s, ascii)
	}
	var part []byte
	b = large.Room(b, len(s)+len(s)>>3, m)
	for piece := range large.Pieces(s, m) {
		part = escape(part[:0], piece, ascii)
		b = large.Push(b, part, m)
	}
	return large.Room(b, draftPart, m)
}

func escape(b []byte, s string, ascii bool) []byte {
	const hex = "0123456789abcdef"
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
	return append(b, s[from:]...)
}

func appendU(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
