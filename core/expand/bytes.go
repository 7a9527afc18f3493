package expand

import (
	"strings"
	"unicode/utf8"
)

// The parser takes only valid UTF-8 and drops NUL, bash takes any bytes.
// Encode writes each byte b that has no place in valid UTF-8 as the rune
// escBase+b of a private use area, and the runes of that range themselves as
// three such runes, one for each of their bytes; so Decode is its exact
// inverse. Compiled words are decoded already.
const (
	escBase = 0x10FE00
	escEnd  = escBase + 0x100
)

// EncodeText is Encode of a string, which it gives back if there is nothing to do.
func EncodeText(script string) string {
	for i := range len(script) {
		if script[i] >= utf8.RuneSelf || script[i] == 0 {
			return Encode([]byte(script))
		}
	}
	return script
}

// Encode returns script as valid UTF-8 for the parser. NUL bytes are dropped,
// as bash does.
func Encode(script []byte) string {
	i := 0
	for i < len(script) && script[i] < utf8.RuneSelf && script[i] != 0 {
		i++
	}
	if i == len(script) {
		return string(script)
	}
	var b strings.Builder
	b.Grow(len(script) + len(script)/8 + 16)
	for i = 0; i < len(script); {
		c := script[i]
		if c < utf8.RuneSelf {
			if c != 0 {
				b.WriteByte(c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(script[i:])
		if r == utf8.RuneError && n == 1 || r >= escBase && r < escEnd {
			for _, c := range script[i : i+n] {
				b.WriteRune(escBase + rune(c))
			}
		} else {
			b.Write(script[i : i+n])
		}
		i += n
	}
	return b.String()
}

// Decode undoes Encode.
func Decode(s string) string {
	const lead = 0xF4 // first byte of every rune from 0x100000 on
	if strings.IndexByte(s, lead) < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] == lead {
			if r, n := utf8.DecodeRuneInString(s[i:]); r >= escBase && r < escEnd {
				b = append(b, byte(r-escBase))
				i += n
				continue
			}
		}
		b = append(b, s[i])
		i++
	}
	return string(b)
}
