// Package od is the utility od, which dumps files in octal and other formats.
//
// All operands are one stream, cut into blocks. Each type that was asked for
// writes a line for each block; the fields of the lines stand under each other.
package od

import (
	"bytes"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
)

// Command is od.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "od", Summary: "write an unambiguous representation, octal bytes by default, of FILE to standard output",
		Usage: "od [OPTION]... [FILE]...\nod [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]",
		Options: []cmd.Option{
			{Short: 'A', Long: "address-radix", Arg: cmd.Required, Meta: "RADIX", Help: "output format for file offsets; RADIX is one of [doxn]"},
			{Long: "endian", Arg: cmd.Required, Meta: "{big|little}", Help: "swap input bytes according the specified order"},
			{Short: 'j', Long: "skip-bytes", Arg: cmd.Required, Meta: "BYTES", Help: "skip BYTES input bytes first"},
			{Short: 'N', Long: "read-bytes", Arg: cmd.Required, Meta: "BYTES", Help: "limit dump to BYTES input bytes"},
			{Short: 'S', Long: "strings", Arg: cmd.Optional, Meta: "BYTES", Help: "output strings of at least BYTES graphic chars", Missing: true},
			{Short: 't', Long: "format", Arg: cmd.Required, Meta: "TYPE", Help: "select output format or formats: a, c, [doux][SIZE], f[SIZE], each with z"},
			{Short: 'v', Long: "output-duplicates", Help: "do not use * to mark line suppression"},
			{Short: 'w', Long: "width", Arg: cmd.Optional, Meta: "BYTES", Help: "output BYTES bytes per output line; 32 is implied when BYTES is not specified"},
			{Long: "traditional", Help: "accept arguments in third form above"},
			{Short: 'a', Help: "same as -t a"}, {Short: 'b', Help: "same as -t o1"}, {Short: 'c', Help: "same as -t c"},
			{Short: 'd', Help: "same as -t u2"}, {Short: 'f', Help: "same as -t fF"}, {Short: 'i', Help: "same as -t dI"},
			{Short: 'l', Help: "same as -t dL"}, {Short: 'o', Help: "same as -t o2"}, {Short: 's', Help: "same as -t d2"},
			{Short: 'x', Help: "same as -t x2"}, {Short: 'B', Help: "same as -t o2"}, {Short: 'D', Help: "same as -t u4"},
			{Short: 'e', Help: "same as -t fD"}, {Short: 'F', Help: "same as -t fD"}, {Short: 'h', Help: "same as -t x2"},
			{Short: 'H', Help: "same as -t x4"}, {Short: 'I', Help: "same as -t dL"}, {Short: 'L', Help: "same as -t dL"},
			{Short: 'O', Help: "same as -t o4"}, {Short: 'X', Help: "same as -t x4"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &program{} },
	}
}

// program dumps one block after the other.
type program struct {
	In    cmd.Input `cbor:"1,keyasint,omitempty"`
	Block []byte    `cbor:"2,keyasint,omitempty"` // bytes of a block that is not full
	Prev  []byte    `cbor:"3,keyasint,omitempty"` // the block written last
	Some  bool      `cbor:"4,keyasint,omitempty"` // Prev is set
	Same  bool      `cbor:"5,keyasint,omitempty"` // the * is written
	Off   int64     `cbor:"6,keyasint,omitempty"`
	Skip  int64     `cbor:"7,keyasint,omitempty" holds:"count"` // bytes to skip still
	Begun bool      `cbor:"8,keyasint,omitempty"`
	Read  int64     `cbor:"9,keyasint,omitempty" holds:"count"` // bytes taken

	opt *options
}

type options struct {
	specs   []spec
	radix   byte
	skip    int64
	limit   int64 // -1: none
	all     bool
	width   int
	big     bool
	pseudo  int64 // the label of a second offset; -1 without
	files   []string
	warning string
}

func (p *program) options(c *cmd.Ctx) (status int) {
	o := &options{radix: 'o', limit: -1, pseudo: -1, files: c.Args}
	short := map[string]string{
		"a": "a", "b": "o1", "c": "c", "d": "u2", "f": "fF", "i": "dI", "l": "dL", "o": "o2", "s": "d2", "x": "x2", "B": "o2",
		"D": "u4", "e": "fD", "F": "fD", "h": "x2", "H": "x4", "I": "dL", "L": "dL", "O": "o4", "X": "x4",
	}
	width := -1
	ok := true
	for _, f := range c.Flags {
		switch f.Name {
		case "A":
			if len(f.Value) != 1 || !strings.Contains("doxn", f.Value) {
				c.Errorf("invalid output address radix '%s'; it must be one character from [doxn]", f.Value[:min(1, len(f.Value))])
				return 1
			}
			o.radix = f.Value[0]
		case "endian":
			switch {
			case f.Value != "" && strings.HasPrefix("big", f.Value):
				o.big = true
			case f.Value != "" && strings.HasPrefix("little", f.Value):
				o.big = false
			default:
				c.Errorf(quote.Marks(c, "invalid argument %s for %s\nValid arguments are:\n  - ‘little’\n  - ‘big’"), quote.Locale(c, f.Value), quote.Locale(c, "--endian"))
				return c.TryHelp()
			}
		case "j":
			if o.skip, ok = bytesOption(c, f); !ok {
				return 1
			}
		case "N":
			if o.limit, ok = bytesOption(c, f); !ok {
				return 1
			}
		case "v":
			o.all = true
		case "w":
			width = 32
			if f.Has {
				n, ok := bytesOption(c, f)
				if !ok {
					return 1
				}
				width = int(min(n, 1<<24))
			}
		case "t":
			specs, message := parseTypes(c, f.Value)
			if message != "" {
				c.Errorf("%s", message)
				ok = false
			}
			o.specs = append(o.specs, specs...)
		case "traditional":
		default:
			specs, _ := parseTypes(c, short[f.Name])
			o.specs = append(o.specs, specs...)
		}
		if !ok {
			return 1
		}
	}
	if status := o.offsets(c); status != 0 {
		return status
	}
	if o.specs == nil {
		o.specs, _ = parseTypes(c, "o2")
	}
	o.layout(width)
	p.opt = o
	return 0
}

func bytesOption(c *cmd.Ctx, f cmd.Flag) (int64, bool) {
	text, base := f.Value, 10
	switch {
	case strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X"):
		text, base = text[2:], 16
	case len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '7':
		text, base = text[1:], 8
	}
	if base != 10 {
		if n, err := strconv.ParseInt(text, base, 64); err == nil {
			return n, true
		}
	} else if n, err := size.Parse(text, "bEGKkMmPTYZ"); err == nil && text[0] >= '0' && text[0] <= '9' {
		return n, true
	}
	name := "-" + f.Name
	if strings.HasPrefix(f.Given, "--") {
		name = f.Given
	}
	bad := text[len(text)-len(strings.TrimLeft(text, "0123456789")):]
	if bad != "" && bad != text {
		c.Errorf("invalid suffix in %s argument '%s'", name, f.Value)
	} else {
		c.Errorf("invalid %s argument '%s'", name, f.Value)
	}
	return 0, false
}

// offsets takes a traditional offset off the operands: od FILE +5, od +5.
func (o *options) offsets(c *cmd.Ctx) (status int) {
	modern := false
	for _, f := range c.Flags {
		modern = modern || strings.Contains("AjNtvwS", f.Name) || f.Name == "endian"
	}
	traditional := c.Flags.Has("traditional")
	if modern && !traditional {
		return 0
	}
	n := len(o.files)
	switch {
	case n == 1 && (traditional || strings.HasPrefix(o.files[0], "+")):
		if off, ok := parseOffset(o.files[0]); ok {
			o.skip, o.files = off, nil
		}
	case n == 2 && (traditional || strings.HasPrefix(o.files[1], "+") || o.files[1] != "" && o.files[1][0] >= '0' && o.files[1][0] <= '9'):
		if off, ok := parseOffset(o.files[1]); ok {
			o.skip, o.files = off, o.files[:1]
		}
	case n == 3 && traditional:
		off, ok := parseOffset(o.files[1])
		label, ok2 := parseOffset(o.files[2])
		if ok && ok2 {
			o.skip, o.pseudo, o.files = off, label, o.files[:1]
		}
	}
	if traditional && len(o.files) > 1 {
		c.Errorf("extra operand %s", quote.Locale(c, o.files[1]))
		c.Errorf("compatibility mode supports at most one file")
		return c.TryHelp()
	}
	return 0
}

// parseOffset reads [+]OFFSET[b]: octal, or hexadecimal with 0x; b is 512.
func parseOffset(s string) (int64, bool) {
	s = strings.TrimPrefix(s, "+")
	unit := int64(1)
	base := 8
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") || strings.HasPrefix(s, "x")
	if !hex && strings.HasSuffix(s, "b") {
		s, unit = s[:len(s)-1], 512
	}
	if hex {
		s, base = s[strings.IndexAny(s, "xX")+1:], 16
	}
	n, err := strconv.ParseInt(s, base, 64)
	return n * unit, err == nil && n >= 0 && n < 1<<50
}

// layout computes the width of a block and of the fields.
func (o *options) layout(width int) {
	lcm := 1
	for _, s := range o.specs {
		lcm = lcm / gcd(lcm, s.size) * s.size
	}
	switch {
	case width < 0:
		o.width = max(lcm, lcm*(16/lcm))
	case width == 0 || width%lcm != 0:
		o.warning = "warning: invalid width " + strconv.Itoa(width) + "; using " + strconv.Itoa(lcm) + " instead"
		o.width = lcm
	default:
		o.width = width
	}
	line := 0
	for _, s := range o.specs {
		line = max(line, (s.field+1)*(o.width/s.size))
	}
	for i := range o.specs {
		s := &o.specs[i]
		s.pad = line - s.field*(o.width/s.size)
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Step dumps what one turn reads.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
		if p.Begun && len(p.Block) >= p.opt.width {
			return c.Unfit("a block is longer than it may be")
		}
	}
	o := p.opt
	c.Args = o.files
	if !p.Begun {
		p.Begun = true
		p.Skip, p.Off = o.skip, o.skip
		if o.warning != "" {
			c.Errorf("%s", o.warning)
		}
	}
	if o.limit >= 0 && p.Read >= o.limit && p.Skip == 0 {
		return p.end(c)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if !p.In.End {
			return next
		}
		return p.end(c)
	}
	data := p.In.Rest()
	n := len(data)
	if p.Skip > 0 {
		n = int(min(p.Skip, int64(n)))
		p.Skip -= int64(n)
		p.In.Skip(n)
		return cmd.Again()
	}
	if o.limit >= 0 {
		n = int(min(int64(n), o.limit-p.Read))
	}
	p.Read += int64(n)
	data = data[:n]
	if len(p.Block) > 0 {
		k := min(o.width-len(p.Block), n)
		p.Block = append(p.Block, data[:k]...)
		data = data[k:]
		if len(p.Block) == o.width {
			p.block(c, p.Block)
			p.Block = p.Block[:0]
		}
	}
	for len(data) >= o.width {
		p.block(c, data[:o.width])
		data = data[o.width:]
	}
	p.Block = append(p.Block, data...)
	p.In.Skip(n)
	c.Charge(n / 4)
	return cmd.Again()
}

// end writes the last block and the address behind it.
func (p *program) end(c *cmd.Ctx) cmd.Next {
	o := p.opt
	if p.In.Count == 0 && p.In.Status != 0 {
		return cmd.Exit(p.In.Status)
	}
	if p.Skip > 0 {
		c.Errorf("cannot skip past end of combined input")
		return cmd.Exit(1)
	}
	if len(p.Block) > 0 {
		p.block(c, p.Block)
	}
	if o.radix != 'n' {
		c.Out.B = append(o.address(c.Out.B, p.Off), '\n')
	}
	p.In.GiveBack(c) // -N reads no further
	p.In.Operands.Close(c)
	return cmd.Exit(p.In.Status)
}

// block writes the lines of a block, or a * if it is like the one before.
func (p *program) block(c *cmd.Ctx, data []byte) {
	o := p.opt
	full := len(data) == o.width
	if full && !o.all && p.Some && bytes.Equal(data, p.Prev) {
		if !p.Same {
			c.Out.WriteString("*\n")
		}
		p.Same = true
		p.Off += int64(len(data))
		return
	}
	p.Same = false
	p.Prev, p.Some = append(p.Prev[:0], data...), true
	out := o.address(c.Out.B, p.Off)
	indent := len(out) - c.Out.Len()
	for i := range o.specs {
		if i > 0 {
			for k := 0; k < indent; k++ {
				out = append(out, ' ')
			}
		}
		out = append(o.line(out, &o.specs[i], data), '\n')
	}
	c.Out.B = out
	p.Off += int64(len(data))
}

// address writes an offset.
func (o *options) address(out []byte, off int64) []byte {
	base, width := 8, 7
	switch o.radix {
	case 'n':
		return out
	case 'd':
		base = 10
	case 'x':
		base, width = 16, 6
	}
	text := strconv.FormatInt(off, base)
	for i := len(text); i < width; i++ {
		out = append(out, '0')
	}
	out = append(out, text...)
	if o.pseudo >= 0 {
		text = strconv.FormatInt(off-o.skip+o.pseudo, base)
		out = append(out, " ("...)
		for i := len(text); i < width; i++ {
			out = append(out, '0')
		}
		out = append(append(out, text...), ')')
	}
	return out
}
