package format

import (
	"eryxsh/core/dollar"
	"eryxsh/core/large"
	"strings"
)

// Quote writes s so that bash reads it back, as printf %q does: backslashes,
// or $'…' where there is something that cannot be printed. bytes says that a
// character is a byte; work, which may be nil, hears of much.
func Quote(s string, bytes bool, work large.Meter) string {
	if s == "" {
		return "''"
	}
	special := false
	for piece := range large.Pieces(s, work) {
		for i := 0; i < len(piece); {
			n, ok := dollar.Printable(piece[i:], bytes)
			if !ok {
				return dollar.Quote(s, bytes, work)
			}
			i += n
		}
		special = special || strings.ContainsAny(piece, " !\"$&'()*,;<>?[\\]^`{|}~#")
	}
	if !special {
		return s
	}
	b := large.Builder{M: work}
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
