// Package iconv is iconv: text from one charset to another.
package iconv

import (
	"encoding/binary"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Command is iconv.
func Command() *cmd.Command {
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	return &cmd.Command{
		Name: "iconv", Summary: "convert encoding of given files from one encoding to another", Usage: "iconv [OPTION...] [FILE...]",
		Options: []cmd.Option{
			req('f', "from-code", "NAME", "encoding of original text"), req('t', "to-code", "NAME", "encoding for output"),
			{Short: 'l', Long: "list", Help: "list all known coded character sets", Missing: true},
			{Short: 'c', Help: "omit invalid characters from output"}, req('o', "output", "FILE", "output file"),
			{Short: 's', Long: "silent", Help: "suppress warnings"}, {Long: "verbose", Help: "print progress information"},
		},
		Origin: "GNU libc 2.36", Short: true, Status: 64, Hint: "Try `iconv --help' or `iconv --usage' for more information.\n",
		Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// Program is a running iconv.
type Program struct {
	File    int       `cbor:"1,keyasint,omitempty"` // operands taken
	FD      int       `cbor:"2,keyasint,omitempty"`
	Open    bool      `cbor:"3,keyasint,omitempty"`
	In      cmd.Lines `cbor:"4,keyasint,omitempty"`
	Off     int64     `cbor:"5,keyasint,omitempty"` // of what is next in the file
	Big     bool      `cbor:"6,keyasint,omitempty"` // the byte order mark says so
	Begun   bool      `cbor:"7,keyasint,omitempty"` // the first character was read, so a mark is none
	Marked  bool      `cbor:"8,keyasint,omitempty"` // the mark of the output is out
	Skipped bool      `cbor:"9,keyasint,omitempty"` // //IGNORE left something out
	Out     int       `cbor:"10,keyasint,omitempty"`

	o *options
}

// Wrong checks the operand.
func (p *Program) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.File) }

// options are the flags, read.
type options struct {
	from, to         charset
	skip             bool // -c
	ignore, translit bool
	plain            map[rune]string
}

func (p *Program) options(c *cmd.Ctx) (status int, ok bool) {
	o := &options{skip: c.Flags.Has("c")}
	from, _, _ := strings.Cut(c.Flags.Value("f"), "//")
	to, how, _ := strings.Cut(c.Flags.Value("t"), "//")
	for _, h := range strings.Split(strings.ToUpper(how), "//") {
		o.ignore = o.ignore || h == "IGNORE"
		o.translit = o.translit || h == "TRANSLIT"
	}
	for _, x := range []struct {
		name string
		to   *charset
	}{{from, &o.from}, {to, &o.to}} {
		cs, found := named(x.name)
		if !found {
			c.Unsupported("iconv charset " + x.name)
			c.Errorf("conversion from `%s' to `%s' is not supported", from, to)
			return 1, false
		}
		*x.to = cs
	}
	if o.translit {
		o.plain = map[rune]string{}
		for _, line := range strings.Split(strings.TrimSuffix(plain, "\n"), "\n") {
			for i, r := range line {
				if i == 0 {
					o.plain[r] = strings.TrimPrefix(line, string(r))
				}
			}
		}
	}
	if p.Big {
		o.from.read = binary.BigEndian
	}
	p.o = o
	if name := c.Flags.Value("o"); name != "" && p.Out == 0 {
		fd, err := c.Open(name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
		if err != nil {
			c.Errorf("cannot open output file: %s", err)
			return 1, false
		}
		p.Out = fd
	}
	return 0, true
}

// Step converts one block.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		if status, ok := p.options(c); !ok {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if !p.Open {
		names := c.Args
		if len(names) == 0 {
			names = []string{"-"}
		}
		if p.File >= len(names) {
			if p.Skipped {
				return cmd.Exit(1)
			}
			return cmd.Exit(0)
		}
		name := names[p.File]
		p.File++
		p.FD = 0
		if name != "-" {
			fd, err := c.Open(name, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("cannot open input file `%s': %s", name, err)
				return cmd.Exit(1)
			}
			p.FD = fd
		}
		p.In.Reset()
		p.Open, p.Off, p.Marked, p.Begun = true, 0, false, false
	}
	switch err := p.In.Fill(c, p.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	default:
		c.Errorf("unable to read input: %s", err)
		return cmd.Exit(1)
	}
	if !p.convert(c) {
		return cmd.Exit(1)
	}
	if p.In.Ended() {
		if p.FD != 0 {
			c.Close(p.FD)
		}
		p.Open = false
		if p.Skipped {
			c.Errorf("illegal input sequence at position %d", p.Off)
		}
	}
	return cmd.Again()
}

// convert converts what is there; false after an error.
func (p *Program) convert(c *cmd.Ctx) bool {
	o, b := p.o, p.In.Rest()
	start := len(b)
	var out []byte
	fault := ""
	if o.to.bom && !p.Marked {
		out, p.Marked = mark(out, &o.to), true
	}
	for len(b) > 0 && fault == "" {
		if !p.In.EOF && len(b) < 4 {
			break
		}
		if o.from.bom && !p.Begun {
			b = p.order(b)
			continue
		}
		r, n := o.from.next(b)
		switch {
		case r == incomplete && !p.In.EOF:
		case r == incomplete:
			fault = "incomplete character or shift sequence at end of buffer"
			continue
		case r == invalid:
			if !p.drop() {
				fault = "illegal input sequence"
				continue
			}
		default:
			var ok bool
			if out, ok = p.put(out, r); !ok && !p.drop() {
				fault = "illegal input sequence"
				continue
			}
		}
		b = b[n:]
	}
	p.In.Skip(start - len(b))
	p.Off += int64(start - len(b))
	c.Charge(start / 32)
	if p.Out > 0 {
		if err := c.Write(p.Out, out); err != nil {
			c.Errorf("cannot write output file: %s", err)
			return false
		}
	} else {
		c.Out.Write(out)
	}
	switch {
	case fault == "":
		return true
	case strings.HasPrefix(fault, "illegal"):
		c.Errorf("%s at position %d", fault, p.Off)
	default:
		c.Errorf("%s", fault)
	}
	return false
}

// drop reports whether what cannot be converted is left out.
func (p *Program) drop() bool {
	p.Skipped = p.Skipped || p.o.ignore && !p.o.skip
	return p.o.skip || p.o.ignore
}

// put appends a character, or with //TRANSLIT what stands for it.
func (p *Program) put(out []byte, r rune) ([]byte, bool) {
	out, ok := p.o.to.put(out, r)
	if ok || !p.o.translit {
		return out, ok
	}
	text, known := p.o.plain[r]
	if !known {
		text = "?"
	}
	for _, r := range text {
		out, _ = p.o.to.put(out, r)
	}
	return out, true
}

// order reads the byte order mark, if there is one.
func (p *Program) order(b []byte) []byte {
	p.Begun = true
	from := &p.o.from
	if len(b) < from.size {
		return b
	}
	if r, n := from.next(b); r == 0xfeff {
		return b[n:]
	}
	swapped := *from
	swapped.read = binary.BigEndian
	if r, n := swapped.next(b); r == 0xfeff {
		from.read, p.Big = binary.BigEndian, true
		return b[n:]
	}
	return b
}

// mark appends a byte order mark.
func mark(out []byte, to *charset) []byte {
	out, _ = to.put(out, 0xfeff)
	return out
}
