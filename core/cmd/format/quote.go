package format

import (
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"strings"
)

// Quote writes s so that bash reads it back, as printf %q does: backslashes,
// or $'…' where there is something that cannot be printed. work, which may be nil, hears of much.
func Quote(s string, work large.Meter) string {
	if s == "" {
		return "''"
	}
	special := false
	for piece := range large.Pieces(s, work) {
		for i := 0; i < len(piece); {
			n, ok := quote.Printable(piece[i:])
			if !ok {
				return AnsiC(s, work)
			}
			i += n
		}
		special = special || strings.ContainsAny(piece, " !\"$&'()*,;<>?[\\]^`{|}~#")
	}
	if !special {
		return s
	}
	var b strings.Builder
	last := byte(0) // where a ~ or # begins a word
	for piece := range large.Pieces(s, work) {
		for i := 0; i < len(piece); i++ {
			c := piece[i]
			switch c {
			case ' ', '!', '"', '$', '&', '\'', '(', ')', '*', ',', ';', '<', '>', '?', '[', '\\', ']', '^', '`', '{', '|', '}':
				b.WriteByte('\\')
			case '#':
				if last == 0 {
					b.WriteByte('\\')
				}
			case '~':
				if last == 0 || last == ':' || last == '=' {
					b.WriteByte('\\')
				}
			}
			b.WriteByte(c)
			last = c
		}
	}
	return b.String()
}

// AnsiC writes s as $'…'. work, which may be nil, hears of much.
func AnsiC(s string, work large.Meter) string {
	var b strings.Builder
	b.WriteString("$'")
	for piece := range large.Pieces(s, work) {
		escaped(&b, piece)
	}
	b.WriteByte('\'')
	return b.String()
}

// escaped writes the inside of $'…'.
func escaped(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		n, ok := quote.Printable(s[i:])
		c := s[i]
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case ok:
			b.WriteString(s[i : i+n])
		default:
			for _, c := range []byte(s[i : i+n]) {
				if k := strings.IndexByte("\a\b\x1b\f\n\r\t\v", c); k >= 0 {
					b.Write([]byte{'\\', "abEfnrtv"[k]})
				} else {
					b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
				}
			}
		}
		i += n
	}
}

// gnuQuote quotes as coreutils' printf %q does.
func gnuQuote(s string) string { return quote.Maybe(s) }
