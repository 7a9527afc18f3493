// Package hexdump is the utility hexdump of util-linux.
//
// A format is a list of units, each with how often it is used, how many bytes
// it takes, and printf conversions. The letters -b, -C, -c, -d, -o and -x are formats
// too. Every block of input goes through every format; in the last one, what
// lies behind the end of the input is blank.
package hexdump

import (
	"bytes"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
)

// Command is hexdump.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "hexdump", Summary: "display file contents in hexadecimal, decimal, octal, or ascii",
		Usage: "hexdump [options] <file>...", Short: true, Origin: "util-linux 2.38.1",
		Options: []cmd.Option{
			{Short: 'b', Long: "one-byte-octal", Help: "one-byte octal display"},
			{Short: 'c', Long: "one-byte-char", Help: "one-byte character display"},
			{Short: 'C', Long: "canonical", Help: "canonical hex+ASCII display"},
			{Short: 'd', Long: "two-bytes-decimal", Help: "two-byte decimal display"},
			{Short: 'o', Long: "two-bytes-octal", Help: "two-byte octal display"},
			{Short: 'x', Long: "two-bytes-hex", Help: "two-byte hexadecimal display"},
			{Short: 'L', Long: "color", Arg: cmd.Optional, Meta: "mode", Help: "interpret color formatting specifiers", Missing: true},
			{Short: 'e', Long: "format", Arg: cmd.Required, Meta: "format", Help: "format string to be used for displaying data"},
			{Short: 'f', Long: "format-file", Arg: cmd.Required, Meta: "file", Help: "file that contains format strings", Missing: true},
			{Short: 'n', Long: "length", Arg: cmd.Required, Meta: "length", Help: "interpret only length bytes of input"},
			{Short: 's', Long: "skip", Arg: cmd.Required, Meta: "offset", Help: "skip offset bytes from the beginning"},
			{Short: 'v', Long: "no-squeezing", Help: "output identical lines"},
			{Short: 'h', Long: "help", Help: "display this help"},
			{Short: 'V', Long: "version", Help: "display version"},
		},
		Class: cmd.Step, PlainDash: true,
		New: func() cmd.Program { return &program{} },
	}
}

// program dumps one block after the other.
type program struct {
	In    cmd.Input `cbor:"1,keyasint,omitempty"`
	Block []byte    `cbor:"2,keyasint,omitempty"`
	Prev  []byte    `cbor:"3,keyasint,omitempty"`
	Some  bool      `cbor:"4,keyasint,omitempty"` // Prev is set
	Same  bool      `cbor:"5,keyasint,omitempty"` // the * is written
	Off   int64     `cbor:"6,keyasint,omitempty"`
	Skip  int64     `cbor:"7,keyasint,omitempty"`
	Begun bool      `cbor:"8,keyasint,omitempty"`
	Read  int64     `cbor:"9,keyasint,omitempty"`

	opt *options
}

type options struct {
	formats []layout
	block   int
	skip    int64
	limit   int64 // -1: none
	all     bool
}

// standard are the formats of the letters.
func standard(letter string) []string {
	const off = `"%07.7_Ax\n"`
	switch letter {
	case "b":
		return []string{off, `"%07.7_ax " 16/1 "%03o " "\n"`}
	case "c":
		return []string{off, `"%07.7_ax " 16/1 "%3_c " "\n"`}
	case "C":
		return []string{`"%08.8_Ax\n"`, `"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " `, `"  |" 16/1 "%_p" "|\n"`}
	case "d":
		return []string{off, `"%07.7_ax " 8/2 "  %05u " "\n"`}
	case "o":
		return []string{off, `"%07.7_ax " 8/2 " %06o " "\n"`}
	case "x":
		return []string{off, `"%07.7_ax " 8/2 "   %04x " "\n"`}
	}
	return []string{off, `"%07.7_ax " 8/2 "%04x " "\n"`}
}

func (p *program) options(c *cmd.Ctx) (status int) {
	o := &options{limit: -1, all: c.Flags.Has("v")}
	var texts []string
	for _, f := range c.Flags {
		switch f.Name {
		case "b", "c", "C", "d", "o", "x":
			texts = append(texts, standard(f.Name)...)
		case "e":
			texts = append(texts, f.Value)
		case "n", "s":
			n, err := size.Parse(f.Value, "KkMmGTPEZY")
			if v, err2 := strconv.ParseInt(f.Value, 0, 64); err2 == nil {
				n, err = v, nil
			}
			if err != nil || n < 0 {
				what := map[string]string{"n": "length", "s": "offset"}[f.Name]
				c.Errorf("failed to parse %s: %s: Invalid argument", what, quote.Shell(c, f.Value))
				return 1
			}
			if f.Name == "n" {
				o.limit = n
			} else {
				o.skip = n
			}
		}
	}
	if texts == nil {
		texts = standard("")
	}
	for _, text := range texts {
		l, message := parseLayout(text)
		if message != "" {
			c.Errorf("%s", message)
			return 1
		}
		o.formats = append(o.formats, l)
		o.block = max(o.block, l.bytes)
	}
	o.repeat()
	p.opt = o
	return 0
}

// Step dumps what one turn reads.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	o := p.opt
	if !p.Begun {
		p.Begun = true
		p.Skip, p.Off = o.skip, o.skip
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.blocks(c) {
		return cmd.Again()
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
	n := len(p.In.Rest())
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
	p.Block = append(p.Block, p.In.Rest()[:n]...)
	p.In.Skip(n)
	p.blocks(c)
	c.Charge(n / 4)
	return cmd.Again()
}

// blocks writes the whole blocks that were read, up to what a turn writes, and reports whether more are left.
func (p *program) blocks(c *cmd.Ctx) (more bool) {
	size, rest := p.opt.block, p.Block
	for size > 0 && len(rest) >= size && len(c.Out.B) < cmd.Turn {
		p.block(c, rest[:size])
		rest = rest[size:]
	}
	p.Block = append(p.Block[:0], rest...)
	return size > 0 && len(rest) >= size
}

// end writes the rest and what stands behind all data.
func (p *program) end(c *cmd.Ctx) cmd.Next {
	o := p.opt
	status := p.In.Status
	if len(c.Args) > 0 && p.In.Count == 0 {
		c.Errorf("all input file arguments failed")
		return cmd.Exit(1)
	}
	p.Off -= p.Skip
	if len(p.Block) > 0 && o.block > 0 {
		p.block(c, p.Block)
	}
	if p.Off > 0 || o.skip > 0 {
		c.Out.B = final(c.Out.B, o.formats, p.Off, c)
	}
	p.In.GiveBack(c) // -n reads no further
	p.In.Operands.Close(c)
	return cmd.Exit(status)
}

// block writes a block in every format, or a * if it is like the one before.
func (p *program) block(c *cmd.Ctx, data []byte) {
	o := p.opt
	if len(data) == o.block && !o.all && p.Some && bytes.Equal(data, p.Prev) {
		if !p.Same {
			c.Out.WriteString("*\n")
		}
		p.Same = true
		p.Off += int64(len(data))
		return
	}
	p.Same = false
	p.Prev, p.Some = append(p.Prev[:0], data...), true
	for _, l := range o.formats {
		c.Out.B = l.write(c.Out.B, data, p.Off, o.block, c)
	}
	p.Off += int64(len(data))
}

// repeat makes the last unit of a shorter format fill the block, if it says no count itself.
func (o *options) repeat() {
	for i := range o.formats {
		l := &o.formats[i]
		for l.bytes > 0 && l.bytes < o.block {
			k := l.last()
			if k < 0 || l.units[k].counted {
				break
			}
			u := &l.units[k]
			n := (o.block - l.bytes) / u.size
			if n == 0 {
				break
			}
			u.reps += n
			l.bytes += n * u.size
		}
		for k := range l.units {
			l.units[k].trim()
		}
	}
}

// last is the unit that takes bytes last, or -1.
func (l *layout) last() int {
	for k := len(l.units) - 1; k >= 0; k-- {
		if l.units[k].size > 0 {
			return k
		}
	}
	return -1
}
