package iconv

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// charset is an encoding.
type charset struct {
	size  int // bytes of a unit: 0 is UTF-8, 1 a table or ASCII, 2 UTF-16, 4 UTF-32
	order binary.AppendByteOrder
	read  binary.ByteOrder
	bom   bool   // begins with a byte order mark, which may also say the order
	high  []rune // of size 1: what 128 to 255 are; nil in ASCII
	pairs bool   // of size 2: characters beyond U+FFFF are two units
}

// named finds a charset by one of its names, in any case, with or without dashes.
func named(name string) (cs charset, ok bool) {
	key := strings.NewReplacer("-", "", "_", "", ":", "", ".", "").Replace(strings.ToUpper(name))
	table := func(high string) (charset, bool) { return charset{size: 1, high: []rune(high)}, true }
	wide := func(size int, big, bom, pairs bool) (charset, bool) {
		c := charset{size: size, order: binary.LittleEndian, read: binary.LittleEndian, bom: bom, pairs: pairs}
		if big {
			c.order, c.read = binary.BigEndian, binary.BigEndian
		}
		return c, true
	}
	switch key {
	case "UTF8", "":
		return charset{}, true
	case "ASCII", "USASCII", "ANSIX341968", "ANSIX341986", "646", "ISO646US", "C", "POSIX":
		return charset{size: 1}, true
	case "ISO88591", "88591", "LATIN1", "L1", "ISO88591LATIN1":
		return table(latin1)
	case "ISO88592", "LATIN2", "L2":
		return table(latin2)
	case "ISO88595", "CYRILLIC":
		return table(cyrillic)
	case "ISO885915", "LATIN9":
		return table(latin9)
	case "KOI8R":
		return table(koi8)
	case "CP1251", "WINDOWS1251":
		return table(cp1251)
	case "CP1252", "WINDOWS1252", "MSANSI":
		return table(cp1252)
	case "UTF16":
		return wide(2, false, true, true)
	case "UTF16LE":
		return wide(2, false, false, true)
	case "UTF16BE":
		return wide(2, true, false, true)
	case "UCS2", "UCS2LE", "UNICODELITTLE":
		return wide(2, false, false, false)
	case "UCS2BE", "UNICODEBIG":
		return wide(2, true, false, false)
	case "UTF32":
		return wide(4, false, true, true)
	case "UTF32LE", "UCS4LE":
		return wide(4, false, false, true)
	case "UTF32BE", "UCS4", "UCS4BE":
		return wide(4, true, false, true)
	}
	return cs, false
}

// Answers of next.
const (
	invalid    = -1
	incomplete = -2
)

// next reads the character that b begins with and how many bytes it has; r is
// invalid or incomplete if there is none.
func (cs *charset) next(b []byte) (r rune, n int) {
	switch cs.size {
	case 0:
		r, n = utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			if !utf8.FullRune(b) {
				return incomplete, len(b)
			}
			return invalid, 1
		}
		return r, n
	case 1:
		r = rune(b[0])
		if r < utf8.RuneSelf {
			return r, 1
		}
		if cs.high == nil || cs.high[r-128] == utf8.RuneError {
			return invalid, 1
		}
		return cs.high[r-128], 1
	case 2:
		if len(b) < 2 {
			return incomplete, len(b)
		}
		r = rune(cs.read.Uint16(b))
		switch {
		case r < 0xd800 || r > 0xdfff:
			return r, 2
		case !cs.pairs || r >= 0xdc00:
			return invalid, 2
		case len(b) < 4:
			return incomplete, len(b)
		}
		low := rune(cs.read.Uint16(b[2:]))
		if low < 0xdc00 || low > 0xdfff {
			return invalid, 2
		}
		return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, 4
	}
	if len(b) < 4 {
		return incomplete, len(b)
	}
	u := cs.read.Uint32(b)
	if u > utf8.MaxRune || u >= 0xd800 && u <= 0xdfff {
		return invalid, 4
	}
	return rune(u), 4
}

// put appends a character; it is false if the charset does not have it.
func (cs *charset) put(b []byte, r rune) ([]byte, bool) {
	switch {
	case cs.size == 0:
		return utf8.AppendRune(b, r), true
	case cs.size == 1 && r < utf8.RuneSelf:
		return append(b, byte(r)), true
	case cs.size == 1:
		for i, h := range cs.high {
			if h == r && r != utf8.RuneError {
				return append(b, byte(128+i)), true
			}
		}
		return b, false
	case cs.size == 4:
		return cs.order.AppendUint32(b, uint32(r)), true
	case r < 0x10000:
		return cs.order.AppendUint16(b, uint16(r)), true
	case !cs.pairs:
		return b, false
	}
	r -= 0x10000
	return cs.order.AppendUint16(cs.order.AppendUint16(b, uint16(0xd800+r>>10)), uint16(0xdc00+r&0x3ff)), true
}
