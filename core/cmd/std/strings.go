package std

import (
	"fmt"
	"strconv"

	"eryxsh/core/cmd"
)

func stringsCommand() *cmd.Command {
	return &cmd.Command{
		Name: "strings", Summary: "display printable strings in FILE(s) (stdin by default)",
		Usage: "strings [option(s)] [file(s)]", Origin: "GNU Binutils 2.40",
		Options: []cmd.Option{
			{Short: 'a', Long: "all", Help: "scan the entire file, not just the data section (default)"},
			{Short: 'd', Long: "data", Help: "only scan the data sections in the file", Missing: true},
			{Short: 'f', Long: "print-file-name", Help: "print the name of the file before each string"},
			{Short: 'n', Long: "bytes", Arg: cmd.Required, Meta: "number", Help: "print any sequence of at least <number> displayable characters (default 4)"},
			{Short: 't', Long: "radix", Arg: cmd.Required, Meta: "{o,d,x}", Help: "print the location of the string in base 8, 10 or 16"},
			{Short: 'w', Long: "include-all-whitespace", Help: "include all whitespace as valid string characters"},
			{Short: 'o', Help: "an alias for --radix=o"},
			{Short: 'T', Long: "target", Arg: cmd.Required, Meta: "BFDNAME", Help: "specify the binary file format", Missing: true},
			{Short: 'e', Long: "encoding", Arg: cmd.Required, Meta: "{s,S,b,l,B,L}", Help: "select character size and endianness: s = 7-bit, S = 8-bit, {b,l} = 16-bit, {B,L} = 32-bit"},
			{Short: 'U', Long: "unicode", Arg: cmd.Required, Meta: "MODE", Help: "how to treat UTF-8 characters", Missing: true},
			{Short: 's', Long: "output-separator", Arg: cmd.Required, Meta: "string", Help: "string used to separate strings in output"},
			{Short: 'h', Long: "help", Help: "display this information"},
			{Short: 'v', Long: "version", Help: "print the program's version number"},
			{Short: 'V', Long: "version", Help: "same as -v"},
		},
		Class:     cmd.Step,
		Obsolete:  stringsObsolete,
		OpenError: "'NAME': No such file",
		ReadError: "Warning: 'NAME' is a directory",
		New:       func() cmd.Program { return &stringsProgram{} },
	}
}

// stringsObsolete reads -8 as -n 8.
func stringsObsolete(_ *cmd.Ctx, args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && digits(a[1:]) && (i == 0 || args[i-1] != "-n") {
			a = "-n" + a[1:]
		}
		out = append(out, a)
	}
	return out
}

// stringsProgram collects the printable run that is being read.
type stringsProgram struct {
	In    cmd.Input `cbor:"1,keyasint,omitempty"`
	Run   []byte    `cbor:"2,keyasint,omitempty"`
	Start int64     `cbor:"3,keyasint,omitempty"` // where Run begins
	Off   int64     `cbor:"4,keyasint,omitempty"` // of the next byte
	Long  bool      `cbor:"5,keyasint,omitempty"` // the beginning of the run is written
	File  int       `cbor:"6,keyasint,omitempty"`

	opt *stringsOptions
}

type stringsOptions struct {
	least, size int
	big, high   bool
	white, name bool
	radix       byte
	separator   string
}

func (p *stringsProgram) options(c *cmd.Ctx) bool {
	o := &stringsOptions{least: 4, size: 1, separator: "\n"}
	for _, f := range c.Flags {
		switch f.Name {
		case "f":
			o.name = true
		case "w":
			o.white = true
		case "o":
			o.radix = 'o'
		case "s":
			o.separator = f.Value
		case "n":
			n, err := strconv.ParseInt(f.Value, 0, 32)
			if err != nil {
				c.Errorf("invalid integer argument %s", f.Value)
				return false
			}
			if n < 1 {
				c.Errorf("minimum string length is too small: %s", f.Value)
				return false
			}
			o.least = int(n)
		case "t":
			if o.radix = 0; len(f.Value) == 1 && (f.Value == "o" || f.Value == "d" || f.Value == "x") {
				o.radix = f.Value[0]
			} else {
				c.TryHelp()
				return false
			}
		case "e":
			switch f.Value {
			case "s":
			case "S":
				o.high = true
			case "b", "l":
				o.size, o.big = 2, f.Value == "b"
			case "B", "L":
				o.size, o.big = 4, f.Value == "B"
			default:
				c.TryHelp()
				return false
			}
		}
	}
	p.opt = o
	return true
}

func (p *stringsProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil && !p.options(c) {
		return cmd.Exit(1)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	if p.File != p.In.Count {
		p.File, p.Off, p.Run, p.Long = p.In.Count, 0, p.Run[:0], false
	}
	o := p.opt
	data := p.In.Rest()
	i := 0
	for i+o.size <= len(data) {
		b, ok := o.char(data[i : i+o.size])
		if !ok {
			p.end(c)
			step := 1
			if o.size == 1 || len(p.Run) > 0 {
				step = o.size
			}
			p.Run = p.Run[:0]
			i += step
			p.Off += int64(step)
			continue
		}
		if len(p.Run) == 0 && !p.Long {
			p.Start = p.Off
		}
		p.Run = append(p.Run, b)
		if len(p.Run) >= max(o.least, cmd.Turn) {
			p.put(c)
		}
		i += o.size
		p.Off += int64(o.size)
	}
	if p.In.EOF {
		i = len(data)
		p.end(c)
		p.Run = p.Run[:0]
	}
	p.In.Skip(i)
	return cmd.Again()
}

// char is the character in one unit; false if it is not printable.
func (o *stringsOptions) char(unit []byte) (byte, bool) {
	b := unit[0]
	if o.big {
		b = unit[len(unit)-1]
	}
	for i, x := range unit {
		if x != 0 && i != 0 && !o.big || o.big && x != 0 && i != len(unit)-1 {
			return 0, false
		}
	}
	switch {
	case b >= ' ' && b < 0x7f, b == '\t':
		return b, true
	case o.white && b >= '\t' && b <= '\r':
		return b, true
	}
	return b, o.high && b >= 128
}

// put writes the run so far.
func (p *stringsProgram) put(c *cmd.Ctx) {
	if !p.Long {
		if p.opt.name {
			name := p.In.Name(c)
			if name == "-" {
				name = "{standard input}"
			}
			c.Out.WriteString(name + ": ")
		}
		switch p.opt.radix {
		case 'o':
			fmt.Fprintf(&c.Out, "%7o ", p.Start)
		case 'd':
			fmt.Fprintf(&c.Out, "%7d ", p.Start)
		case 'x':
			fmt.Fprintf(&c.Out, "%7x ", p.Start)
		}
	}
	c.Out.Write(p.Run)
	p.Run, p.Long = p.Run[:0], true
}

// end writes a run that ended, if it is long enough.
func (p *stringsProgram) end(c *cmd.Ctx) {
	if p.Long || len(p.Run) >= p.opt.least {
		p.put(c)
		c.Out.WriteString(p.opt.separator)
		p.Long = false
	}
}
