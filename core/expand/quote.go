package expand

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/dollar"
	"eryxsh/core/large"
)

// QuoteAt returns s as ${x@Q} and set write it: '…', or $'…' if there are
// control characters. bytes says that a character is a byte; m, which may be nil for short ones, hears of the work.
func QuoteAt(s string, bytes bool, m large.Meter) string {
	switch {
	case s == "'":
		return `\'`
	case needsAnsi(s, bytes, m):
		return dollar.Quote(s, bytes, m)
	case len(s) <= large.Piece:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	b := large.Builder{M: m}
	b.WriteByte('\'')
	for piece := range large.Pieces(s, m) {
		b.WriteString(strings.ReplaceAll(piece, "'", `'\''`))
	}
	b.WriteByte('\'')
	return b.String()
}

// QuoteDeclare returns s as declare -p writes a value: "…", or $'…' if there
// are control characters. bytes says that a character is a byte; m, which may be nil for short ones, hears of the work.
func QuoteDeclare(s string, bytes bool, m large.Meter) string {
	if needsAnsi(s, bytes, m) {
		return dollar.Quote(s, bytes, m)
	}
	b := large.Builder{M: m}
	doubleQuote(&b, s, m)
	return b.String()
}

// doubleQuote writes s as "…".
func doubleQuote(b *large.Builder, s string, m large.Meter) {
	b.WriteByte('"')
	for piece := range large.Pieces(s, m) {
		if !strings.ContainsAny(piece, "\"$`\\") {
			b.WriteString(piece)
			continue
		}
		for i := 0; i < len(piece); i++ {
			if strings.IndexByte("\"$`\\", piece[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(piece[i])
		}
	}
	b.WriteByte('"')
}

// QuoteKey returns the key of an associative array as declare -p writes it:
// as it is if it needs no quoting.
func QuoteKey(s string, bytes bool) string {
	if s == "" || s == "@" || needsAnsi(s, bytes, nil) || strings.ContainsAny(s, " \t\n'\"\\|&;()<>!{}*[]?^$`") ||
		s[0] == '#' || s[0] == '~' || strings.Contains(s, ":~") || strings.Contains(s, "=~") {
		return QuoteDeclare(s, bytes, nil)
	}
	return s
}

// needsAnsi reports whether s must be written as $'…'.
func needsAnsi(s string, bytes bool, m large.Meter) bool {
	for piece := range large.Pieces(s, m) {
		if !plain(piece, bytes) {
			return true
		}
	}
	return false
}

// plain reports whether all characters can be printed.
func plain(s string, bytes bool) bool {
	for i := 0; i < len(s); {
		n, ok := dollar.Printable(s[i:], bytes)
		if !ok {
			return false
		}
		i += n
	}
	return true
}

// AnsiC decodes the escapes of the inside of $'…'. m hears of the work.
func AnsiC(s string, m large.Meter) string {
	m.Charge(len(s) >> 4)
	large.Ask(m, 2*len(s))
	s, _ = ansi(s, false)
	return s
}

// ansiC reads the inside of $'…' up to the closing quote and returns the
// value and the length read, closing quote included.
func ansiC(s string) (string, int) { return ansi(s, true) }

func ansi(s string, quote bool) (string, int) {
	room := len(s)
	if quote {
		if end := strings.IndexByte(s, '\''); end >= 0 {
			room = end // not that of all the text behind it
		}
	}
	b := make([]byte, 0, room)
	i, cut := 0, false
	for i < len(s) {
		c := s[i]
		if quote && c == '\'' {
			return string(b), i + 1
		}
		if c != '\\' || i+1 == len(s) {
			if !cut {
				b = append(b, c)
			}
			i++
			continue
		}
		out, n, stop := escape(s[i+1:])
		i += 1 + n
		if cut = cut || stop; !cut {
			b = append(b, out...)
		}
	}
	return string(b), i
}

// escape decodes what follows a backslash. stop: it stands for NUL, which
// ends the string.
func escape(s string) (out []byte, n int, stop bool) {
	number := func(from, most, base int) (uint64, int) {
		j := from
		for j < len(s) && j < from+most {
			if _, err := strconv.ParseUint(s[j:j+1], base, 8); err != nil {
				break
			}
			j++
		}
		v, _ := strconv.ParseUint(s[from:j], base, 64)
		return v, j
	}
	c := s[0]
	if k := strings.IndexByte("abeEfnrtv\\'\"?", c); k >= 0 {
		return []byte{"\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[k]}, 1, false
	}
	switch {
	case c >= '0' && c <= '7':
		v, j := number(0, 3, 8)
		return []byte{byte(v)}, j, byte(v) == 0
	case c == 'x':
		from, most := 1, 2
		brace := len(s) > 1 && s[1] == '{'
		if brace {
			from, most = 2, 1<<20
		}
		v, j := number(from, most, 16)
		if j == from {
			return []byte("\\x"), 1, false
		}
		if brace && j < len(s) && s[j] == '}' {
			j++
		}
		return []byte{byte(v)}, j, byte(v) == 0
	case c == 'u' || c == 'U':
		most := 4
		if c == 'U' {
			most = 8
		}
		v, j := number(1, most, 16)
		if j == 1 {
			return []byte{'\\', c}, 1, false
		}
		return encodeRune(uint32(v)), j, v == 0
	case c == 'c' && len(s) > 1:
		k, w := s[1], 2
		if k == '\\' && len(s) > 2 && s[2] == '\\' {
			w = 3
		}
		if k == '?' {
			return []byte{0x7f}, w, false
		}
		if k >= 'a' && k <= 'z' {
			k -= 'a' - 'A'
		}
		return []byte{k & 0x1f}, w, k&0x1f == 0
	}
	return []byte{'\\', c}, 1, false
}

// encodeRune writes a code point as UTF-8 did before it was limited to 21 bits.
func encodeRune(v uint32) []byte {
	if v < utf8.RuneSelf {
		return []byte{byte(v)}
	}
	n := 2 // bytes; n of them hold 5n+1 bits
	for n < 6 && v>>(5*n+1) != 0 {
		n++
	}
	out := make([]byte, n)
	for i := n - 1; i > 0; i-- {
		out[i] = 0x80 | byte(v&0x3f)
		v >>= 6
	}
	out[0] = byte(0xff<<(8-n)) | byte(v)
	return out
}
