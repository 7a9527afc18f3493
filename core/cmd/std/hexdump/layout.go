package hexdump

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"

	"eryxsh/core/cmd/format"
	"eryxsh/core/large"
)

// maxBlock is how many bytes a format can take at a time.
const maxBlock = 1 << 20

// layout is a format: units in order.
type layout struct {
	units []unit
	bytes int // that all units take
}

// unit is [reps/][size] "text".
type unit struct {
	reps    int
	size    int // bytes one use takes
	counted bool
	pieces  []piece
	trimmed []piece // of the last use: without blanks at the end
}

// piece is literal text, or a conversion with the text behind it.
type piece struct {
	text string
	conv string // "" is literal; d, x …, or _a _A _c _p _u
	arg  string // flags and width, as typed
	base byte   // of _a and _A
	size int
	room int // bytes that writing it may take, by its text or its width
}

// parseLayout reads a format string; message is "" if it is right.
func parseLayout(s string) (l layout, message string) {
	bad := "bad format {" + s + "}"
	for {
		s = strings.TrimLeft(s, " \t\n")
		if s == "" {
			break
		}
		u := unit{reps: 1}
		given := 0
		n := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n > 0 {
			u.reps, _ = strconv.Atoi(s[:n])
			u.counted = true
			s = strings.TrimLeft(s[n:], " \t\n")
		}
		if strings.HasPrefix(s, "/") {
			s = strings.TrimLeft(s[1:], " \t\n")
			n = len(s) - len(strings.TrimLeft(s, "0123456789"))
			given, _ = strconv.Atoi(s[:n])
			s = strings.TrimLeft(s[n:], " \t\n")
		}
		if !strings.HasPrefix(s, `"`) || u.reps > 1<<16 || given > 1<<16 {
			return l, bad
		}
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return l, bad
		}
		text := s[1 : 1+end]
		s = s[end+2:]
		if message := u.parse(unescape(text), given); message != "" {
			return l, message
		}
		l.units = append(l.units, u)
		l.bytes += u.reps * u.size
	}
	if l.bytes > maxBlock {
		return l, "byte count with multiple conversion characters"
	}
	return l, ""
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if k := strings.IndexByte("0abfnrtv", s[i]); k >= 0 {
				b.WriteByte("\x00\a\b\f\n\r\t\v"[k])
			} else {
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// parse cuts the text of a unit into pieces; given is the byte count, or 0.
func (u *unit) parse(s string, given int) (message string) {
	conversions := 0
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			u.pieces = append(u.pieces, piece{text: s[:i], room: i})
			s = s[i:]
			continue
		}
		n := 1 + len(s[1:]) - len(strings.TrimLeft(s[1:], " +-#0123456789."))
		p := piece{arg: s[1:n]}
		if n == len(s) {
			return "bad conversion character %"
		}
		if s[n] == '%' {
			u.pieces = append(u.pieces, piece{text: "%"})
			s = s[n+1:]
			continue
		}
		length := 1
		if s[n] == '_' && n+1 < len(s) {
			length = 2
		}
		p.conv = s[n : n+length]
		s = s[n+length:]
		var ok bool
		if p.size, ok = p.bytes(given); !ok {
			return "bad byte count for conversion character " + p.conv
		}
		switch p.conv {
		case "_a", "_A":
			if s == "" || strings.IndexByte("dox", s[0]) < 0 {
				return "bad conversion character %" + p.conv
			}
			p.base = s[0]
			s = s[1:]
		case "s":
			if p.size == 0 {
				return "%s requires a precision or a byte count"
			}
		case "_c", "_p", "_u", "c", "d", "i", "o", "u", "x", "X", "e", "E", "f", "g", "G":
		default:
			return "bad conversion character %" + p.conv
		}
		if p.size > 0 {
			conversions++
		}
		spec := p.spec('s')
		p.room = spec.Width + max(spec.Prec, 0)
		u.size += p.size
		u.pieces = append(u.pieces, p)
	}
	if given > 0 && conversions == 0 {
		u.size = given
	}
	if given > 0 && conversions > 1 {
		return "byte count with multiple conversion characters"
	}
	return ""
}

// bytes is how many bytes the conversion takes; false if given does not fit it.
func (p *piece) bytes(given int) (n int, ok bool) {
	switch p.conv {
	case "_a", "_A":
		return 0, true
	case "_c", "_p", "_u", "c":
		return 1, given <= 1
	case "d", "i", "o", "u", "x", "X":
		if given == 0 {
			return 4, true
		}
		return given, given == 1 || given == 2 || given == 4 || given == 8
	case "e", "E", "f", "g", "G":
		if given == 0 {
			return 8, true
		}
		return given, given == 4 || given == 8
	case "s":
		if given == 0 {
			_, prec, _ := strings.Cut(p.arg, ".")
			given, _ = strconv.Atoi(prec)
			given = min(given, maxBlock+1) // which is too long in any case
		}
	}
	return given, true
}

// trim prepares the pieces of the last use of a unit that is used several times.
func (u *unit) trim() {
	u.trimmed = u.pieces
	if u.reps <= 1 || len(u.pieces) == 0 {
		return
	}
	last := u.pieces[len(u.pieces)-1]
	if last.conv != "" {
		return
	}
	last.text = strings.TrimRight(last.text, " \t\n\v\f\r")
	u.trimmed = append(append([]piece{}, u.pieces[:len(u.pieces)-1]...), last)
}

// write writes a block; where data is shorter than the block there are blanks.
func (l *layout) write(out, data []byte, off int64, block int, k large.Keeper) []byte {
	at := 0
	for _, u := range l.units {
		for r := 0; r < u.reps && !u.final(); r++ {
			pieces := u.pieces
			if r == u.reps-1 {
				pieces = u.trimmed
			}
			if at >= len(data) && u.size > 0 && at < block && r > 0 && len(data) == block {
				return out
			}
			for _, p := range pieces {
				p.ask(k)
				switch {
				case p.conv == "":
					out = append(out, p.text...)
				case p.conv == "_A":
				case p.conv == "_a":
					out = p.address(out, off+int64(at))
				case at >= len(data):
					out = p.blank(out)
				default:
					value := make([]byte, max(p.size, 8))
					copy(value, data[at:min(len(data), at+p.size)])
					out = p.value(out, value[:max(p.size, 1)])
				}
				at += p.size
			}
			if u.size > 0 && at == 0 {
				at += u.size
			}
		}
	}
	return out
}

// final reports that a unit stands behind all data.
func (u *unit) final() bool {
	for _, p := range u.pieces {
		if p.conv == "_A" {
			return true
		}
	}
	return false
}

// final writes what the _A conversions say at the end of all data; only the last unit that has one counts.
func final(out []byte, formats []layout, off int64, k large.Keeper) []byte {
	var last *unit
	for _, l := range formats {
		for i := range l.units {
			if l.units[i].final() {
				last = &l.units[i]
			}
		}
	}
	if last == nil {
		return out
	}
	for _, p := range last.pieces {
		p.ask(k)
		if p.conv == "_A" {
			out = p.address(out, off)
		} else if p.conv == "" {
			out = append(out, p.text...)
		}
	}
	return out
}

// ask asks for the room of a piece where its field is wide.
func (p *piece) ask(k large.Keeper) {
	const wide = 1 << 8
	if n := p.room; n > wide {
		k.Need(n)
		k.Charge(n >> 5)
	}
}

func (p *piece) spec(verb byte) format.Spec {
	s, _ := format.ParseSpec("%" + p.arg)
	s.Verb = verb
	return s
}

func (p *piece) address(out []byte, off int64) []byte {
	return p.spec(p.base).Int(out, uint64(off))
}

// blank writes as many blanks as the conversion is wide.
func (p *piece) blank(out []byte) []byte {
	s := p.spec('s')
	width := s.Width
	for i := 0; i < width; i++ {
		out = append(out, ' ')
	}
	return out
}

// padText writes text in the field of the conversion.
func (p *piece) padText(out []byte, text string) []byte {
	s := p.spec('s')
	n := s.Width - len(text)
	for i := 0; i < n && !s.Minus; i++ {
		out = append(out, ' ')
	}
	out = append(out, text...)
	for i := 0; i < n && s.Minus; i++ {
		out = append(out, ' ')
	}
	return out
}

// value writes one conversion.
func (p *piece) value(out, data []byte) []byte {
	b := data[0]
	switch p.conv {
	case "_p":
		if b < ' ' || b >= 0x7f {
			b = '.'
		}
		return p.padText(out, string(rune(b)))
	case "c":
		return p.padText(out, string([]byte{b}))
	case "_c":
		if k := strings.IndexByte("\x00\a\b\f\n\r\t\v", b); k >= 0 {
			return p.padText(out, "\\"+"0abfnrtv"[k:k+1])
		}
		if b >= ' ' && b < 0x7f {
			return p.padText(out, string(rune(b)))
		}
		return p.padText(out, string([]byte{'0' + b>>6, '0' + b>>3&7, '0' + b&7}))
	case "_u":
		names := strings.Fields("nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us")
		switch {
		case b < ' ':
			return p.padText(out, names[b])
		case b == 0x7f:
			return p.padText(out, "del")
		case b < 0x7f:
			return p.padText(out, string(rune(b)))
		}
		return p.padText(out, strconv.FormatUint(uint64(b), 16))
	case "s":
		text, _, _ := strings.Cut(string(data), "\x00")
		return p.padText(out, text)
	case "e", "E", "f", "g", "G":
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(append(data[:len(data):len(data)], 0, 0, 0, 0))))
		if p.size == 8 {
			v = math.Float64frombits(binary.LittleEndian.Uint64(data))
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			f, _, _ := format.ParseFloat(strconv.FormatFloat(v, 'g', -1, 64))
			return p.spec(p.conv[0]).Float(out, f)
		}
		return p.spec(p.conv[0]).Float(out, format.BigFloat(big.NewFloat(v)))
	}
	var v uint64
	for i := p.size - 1; i >= 0; i-- {
		v = v<<8 | uint64(data[i])
	}
	if p.conv == "d" || p.conv == "i" {
		shift := 64 - 8*p.size
		v = uint64(int64(v<<shift) >> shift)
	}
	return p.spec(p.conv[0]).Int(out, v)
}
