package std

import (
	"bytes"
	b64 "encoding/base64"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func base64() *cmd.Command {
	return baseCommand("base64", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4)
}

func base32() *cmd.Command {
	return baseCommand("base32", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8)
}

// baseCommand is a utility for an alphabet of bits bits a letter, in groups of letters.
func baseCommand(name, alphabet string, bits, letters int) *cmd.Command {
	return &cmd.Command{
		Name: name, Summary: name + " encode or decode FILE, or standard input, to standard output",
		Usage: name + " [OPTION]... [FILE]",
		Options: []cmd.Option{
			{Short: 'd', Long: "decode", Help: "decode data"},
			{Short: 'i', Long: "ignore-garbage", Help: "when decoding, ignore non-alphabet characters"},
			{Short: 'w', Long: "wrap", Arg: cmd.Required, Meta: "COLS", Help: "wrap encoded lines after COLS character (default 76). Use 0 to disable line wrapping"},
		},
		Class:     cmd.Step,
		ReadError: "read error: WHY",
		New: func() cmd.Program {
			return &baseProgram{alphabet: alphabet, bits: bits, letters: letters}
		},
	}
}

// baseProgram encodes or decodes in groups.
type baseProgram struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Column int       `cbor:"2,keyasint,omitempty"` // letters on this output line
	Group  []byte    `cbor:"3,keyasint,omitempty"` // letters of a group that is not complete

	alphabet      string
	bits, letters int
	values        *[256]int8 // of a letter; -1 if it is none
}

func (p *baseProgram) Step(c *cmd.Ctx) cmd.Next {
	wrap := 76
	if f, ok := c.Flags.Last("w"); ok {
		if !digits(f.Value) {
			c.Errorf("invalid wrap size: %s", quote.Locale(c, f.Value))
			return cmd.Exit(1)
		}
		wrap = 0
		for _, d := range []byte(f.Value) {
			wrap = min(wrap*10+int(d-'0'), 1<<60)
		}
	}
	if len(c.Args) > 1 {
		return cmd.Exit(c.ExtraOperand(c.Args[1]))
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	if !c.Flags.Has("d") {
		p.encode(c, wrap)
		return cmd.Again()
	}
	if !p.decode(c, p.In.Take(), c.Flags.Has("i")) {
		c.Errorf("invalid input")
		return cmd.Exit(1)
	}
	return cmd.Again()
}

// encode writes the whole groups that are there, and the rest at the end.
func (p *baseProgram) encode(c *cmd.Ctx, wrap int) {
	size := p.letters * p.bits / 8
	data := p.In.Rest()
	n := len(data) - len(data)%size
	if p.In.EOF {
		n = len(data)
	}
	p.In.Skip(n)
	out := c.Out.B
	mask := uint64(1)<<p.bits - 1
	data = data[:n]
	if p.bits == 6 {
		out, data = p.encodeGroups(out, data, wrap)
	}
	for len(data) > 0 {
		k := min(size, len(data))
		var v uint64
		for i := 0; i < size; i++ {
			v <<= 8
			if i < k {
				v |= uint64(data[i])
			}
		}
		used := (k*8 + p.bits - 1) / p.bits
		for i := 0; i < p.letters; i++ {
			if wrap > 0 && p.Column == wrap {
				out = append(out, '\n')
				p.Column = 0
			}
			letter := byte('=')
			if i < used {
				letter = p.alphabet[v>>((p.letters-1-i)*p.bits)&mask]
			}
			out = append(out, letter)
			p.Column++
		}
		data = data[k:]
	}
	if p.In.Ended() && wrap > 0 && p.Column > 0 {
		out = append(out, '\n')
		p.Column = 0
	}
	c.Out.B = out
}

// encodeGroups is encode for the whole groups of base64 where no line ends
// inside one. It gives what is left of data.
func (p *baseProgram) encodeGroups(out, data []byte, wrap int) (to, rest []byte) {
	if wrap%4 != 0 || p.Column%4 != 0 {
		return out, data
	}
	for len(data) >= 3 {
		groups := len(data) / 3
		if wrap > 0 {
			if p.Column == wrap {
				out = append(out, '\n')
				p.Column = 0
			}
			groups = min(groups, (wrap-p.Column)/4)
		}
		out = b64.StdEncoding.AppendEncode(out, data[:groups*3])
		data = data[groups*3:]
		p.Column += groups * 4
	}
	return out, data
}

// decodeLine is decode for as many whole groups of base64 as data begins with
// before a newline, if there is nothing else in them. It gives the rest.
func (p *baseProgram) decodeLine(c *cmd.Ctx, data []byte) []byte {
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		n = len(data)
	}
	if pad := bytes.IndexByte(data[:n], '='); pad >= 0 {
		n = pad
	}
	line := data[:n&^3]
	if bytes.IndexByte(line, '\r') >= 0 { // which the library passes over
		return data
	}
	out, err := b64.StdEncoding.AppendDecode(c.Out.B, line)
	if err != nil {
		return data
	}
	c.Out.B = out
	return data[len(line):]
}

// decode writes the whole groups of data; false if it is not valid. What could
// be decoded before the error is written.
func (p *baseProgram) decode(c *cmd.Ctx, data []byte, garbage bool) bool {
	if p.values == nil {
		p.values = new([256]int8)
		for i := range p.values {
			p.values[i] = int8(strings.IndexByte(p.alphabet, byte(i)))
		}
	}
	fast := p.bits == 6
	for len(data) > 0 {
		if fast && len(p.Group) == 0 {
			fast = false // until the next line
			if data = p.decodeLine(c, data); len(data) == 0 {
				break
			}
		}
		b := data[0]
		data = data[1:]
		fast = fast || p.bits == 6 && b == '\n'
		if b == '\n' || garbage && b != '=' && p.values[b] < 0 {
			continue
		}
		p.Group = append(p.Group, b)
		if b != '=' && p.values[b] < 0 {
			p.group(c)
			return false
		}
		if len(p.Group) == p.letters {
			ok := p.group(c)
			p.Group = p.Group[:0]
			if !ok {
				return false
			}
		}
	}
	if p.In.Ended() && len(p.Group) > 0 {
		p.group(c)
		return false
	}
	return true
}

// group writes what the letters of a group give; false if they are not a valid one.
func (p *baseProgram) group(c *cmd.Ctx) bool {
	var v uint64
	n := 0
	for n < len(p.Group) && p.values[p.Group[n]] >= 0 {
		v = v<<p.bits | uint64(p.values[p.Group[n]])
		n++
	}
	whole := n * p.bits / 8
	left := n*p.bits - whole*8
	for i := 0; i < whole; i++ {
		c.Out.WriteByte(byte(v >> (left + 8*(whole-1-i))))
	}
	for _, b := range p.Group[n:] {
		if b != '=' {
			return false
		}
	}
	// The letters that remain must be as few as a byte needs.
	return len(p.Group) == p.letters && whole > 0 && left < p.bits
}
