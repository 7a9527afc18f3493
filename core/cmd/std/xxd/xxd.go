// Package xxd is the utility xxd: a hex dump, and the way back.
package xxd

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Command is xxd.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "xxd", Summary: "make a hex dump or do the reverse", Usage: "xxd [options] [infile [outfile]]", Short: true, Origin: "xxd 2022-01-14",
		Class: cmd.Step, Raw: true,
		New: func() cmd.Program { return &program{} },
	}
}

const usage = `Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
Options:
    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.
    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.
    -C          capitalize variable names in C include file style (-i).
    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).
    -E          show characters in EBCDIC. Default ASCII.
    -e          little-endian dump (incompatible with -ps,-i,-r).
    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).
    -h          print this summary.
    -i          output in C include file style.
    -l len      stop after <len> octets.
    -n name     set the variable name used in C include output (-i).
    -o off      add <off> to the displayed file position.
    -ps         output in postscript plain hexdump style.
    -r          reverse operation: convert (or patch) hexdump into binary.
    -r -s off   revert with <off> added to file positions found in hexdump.
    -d          show offset in decimal instead of hex.
    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.
    -u          use upper case hex letters.
    -v          show version: "xxd 2022-01-14 by Juergen Weigert et al.".
`

// options are the command line, which is not getopt's: letters do not bundle.
type options struct {
	skipZeros, bits, little, upper bool
	plain, include, revert         bool
	capital, decimal               bool
	cols, group                    int // -1: not given
	length, offset, seek           int64
	seekEnd                        bool
	name                           string
	files                          []string
}

// parse reads the arguments. status is -1 if the program can go on.
func parse(c *cmd.Ctx) (o *options, status int) {
	o = &options{cols: -1, group: -1, length: -1}
	args := c.Args
	fail := func() (*options, int) {
		c.Errout.WriteString(usage)
		return nil, 1
	}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "--") {
			a = a[1:]
		}
		value := func() (string, bool) {
			v := a[2:]
			if n := len(v) - len(strings.TrimLeft(v, "abcdefghijklmnopqrstuvwxyz")); n > 0 && strings.IndexByte("cgsl", a[1]) >= 0 {
				v = v[n:] // -cols 8, -len 3
			}
			if v == "" {
				if len(args) == 0 {
					return "", false
				}
				v, args = args[0], args[1:]
			}
			return v, true
		}
		switch a[1] {
		case 'a':
			o.skipZeros = !o.skipZeros
		case 'b':
			o.bits = true
		case 'e':
			o.little = true
		case 'u':
			o.upper = true
		case 'p':
			o.plain = true
		case 'i':
			o.include = true
		case 'C':
			o.capital = true
		case 'd':
			o.decimal = true
		case 'r':
			o.revert = true
		case 'E':
			return nil, c.NotYet("option -E")
		case 'v':
			c.Errout.WriteString("xxd 2022-01-14 by Juergen Weigert et al.\n")
			return nil, 0
		case 'c', 'g', 'l', 'o', 's', 'n':
			if strings.HasPrefix("-capitalize", a) && len(a) > 3 {
				o.capital = true
				continue
			}
			v, ok := value()
			if !ok {
				return fail()
			}
			o.number(a[1], v)
		default:
			return fail()
		}
	}
	if len(args) > 2 {
		return fail()
	}
	o.files = args
	return o, o.check(c)
}

func (o *options) number(letter byte, v string) {
	if letter == 'n' {
		o.name = v
		return
	}
	text := strings.TrimPrefix(v, "+")
	n, _ := strconv.ParseInt(text, 0, 64)
	switch letter {
	case 'c':
		o.cols = int(min(max(n, 0), 1<<30))
	case 'g':
		o.group = int(min(max(n, 0), 1<<30))
	case 'l':
		o.length = max(n, 0)
	case 'o':
		o.offset = n
	case 's':
		o.seek, o.seekEnd = n, n < 0
	}
}

// check fills in what was not given.
func (o *options) check(c *cmd.Ctx) (status int) {
	if o.cols <= 0 {
		switch {
		case o.plain:
			o.cols = 30
		case o.include:
			o.cols = 12
		case o.bits:
			o.cols = 6
		default:
			o.cols = 16
		}
	}
	if o.group < 0 {
		switch {
		case o.bits:
			o.group = 1
		case o.plain || o.include:
			o.group = 0
		case o.little:
			o.group = 4
		default:
			o.group = 2
		}
	}
	if !o.plain && !o.include && o.cols > 256 {
		c.Errorf("invalid number of columns (max. 256).")
		return 1
	}
	if o.group < 1 || o.group > o.cols {
		o.group = o.cols
	}
	if o.little && o.group&(o.group-1) != 0 {
		c.Errorf("number of octets per group must be a power of 2 with -e.")
		return 1
	}
	if o.revert && (o.bits || o.little || o.include) {
		c.Errorf("sorry, cannot revert this type of hexdump")
		return 1
	}
	return -1
}

// program dumps a row after the other, or reads a dump.
type program struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	FD     int       `cbor:"2,keyasint,omitempty"`
	Out    int       `cbor:"3,keyasint,omitempty"` // 0: standard output
	Begun  bool      `cbor:"4,keyasint,omitempty"`
	Skip   int64     `cbor:"5,keyasint,omitempty"` // bytes of a pipe not to show
	Off    int64     `cbor:"6,keyasint,omitempty"` // of the next byte
	Shown  int64     `cbor:"7,keyasint,omitempty"` // bytes shown
	Zeros  int       `cbor:"8,keyasint,omitempty"` // rows of zeros seen together (-a)
	Row    []byte    `cbor:"9,keyasint,omitempty"` // the row written or kept back last
	Hidden []byte    `cbor:"10,keyasint,omitempty"`
	Back   back      `cbor:"11,keyasint,omitempty"`
	Headed bool      `cbor:"12,keyasint,omitempty"` // the declaration of -i is written

	opt *options
}

// Step does one turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		o, status := parse(c)
		if status >= 0 {
			return cmd.Exit(status)
		}
		p.opt = o
	}
	if !p.Begun {
		p.Begun = true
		if status := p.open(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch err := p.In.Fill(c, p.FD); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	case p.In.EOF:
	case err != nil:
		c.Errorf("%s", err)
		return cmd.Exit(2)
	}
	from := c.Out.Len()
	status := -1
	if p.opt.revert {
		status = p.revert(c)
	} else if p.dump(c) {
		status = 0
	}
	if p.Out != 0 && !p.opt.revert {
		data := c.Out.B[from:]
		c.Out.B = c.Out.B[:from]
		if err := c.Write(p.Out, data); err != nil {
			c.Errorf("%s", err)
			return cmd.Exit(3)
		}
	}
	if status >= 0 {
		return cmd.Exit(status)
	}
	return cmd.Again()
}

func (p *program) open(c *cmd.Ctx) (status int) {
	o := p.opt
	if len(o.files) > 0 && o.files[0] != "-" {
		fd, err := c.Open(o.files[0], vfs.O_RDONLY, 0)
		if err != nil {
			c.Errorf("%s: %s", o.files[0], err)
			return 2
		}
		p.FD = fd
	}
	if len(o.files) > 1 && o.files[1] != "-" {
		flags := vfs.O_WRONLY | vfs.O_CREAT
		if !o.revert {
			flags |= vfs.O_TRUNC
		}
		fd, err := c.Open(o.files[1], flags, 0o666)
		if err != nil {
			c.Errorf("%s: %s", o.files[1], err)
			return 3
		}
		p.Out = fd
	}
	if o.seek == 0 || o.revert {
		return 0
	}
	whence := 0
	if o.seekEnd {
		whence = 2
	}
	at, err := c.Seek(p.FD, o.seek, whence)
	switch {
	case err == nil:
		p.Off = at
	case o.seekEnd:
		c.Errorf("Sorry, cannot seek.")
		return 4
	default:
		p.Skip = o.seek
	}
	return 0
}

// dump writes the rows that are there; true at the end.
func (p *program) dump(c *cmd.Ctx) (done bool) {
	o := p.opt
	data := p.In.Rest()
	if p.Skip > 0 {
		n := int(min(p.Skip, int64(len(data))))
		p.In.Skip(n)
		p.Skip -= int64(n)
		p.Off += int64(n)
		data = p.In.Rest()
	}
	end := p.In.EOF
	if left := o.length - p.Shown; o.length >= 0 && left <= int64(len(data)) {
		data, end = data[:left], true
	}
	if o.include && !p.Headed && p.variable() != "" {
		c.Out.WriteString("unsigned char " + p.variable() + "[] = {\n")
	}
	p.Headed = true
	for len(data) >= o.cols || end && len(data) > 0 {
		n := min(o.cols, len(data))
		p.row(c, data[:n])
		data = data[n:]
		p.In.Skip(n)
		p.Off += int64(n)
		p.Shown += int64(n)
	}
	if end {
		p.finish(c)
	}
	return end
}

// row writes the bytes of one row.
func (p *program) row(c *cmd.Ctx, data []byte) {
	o := p.opt
	switch {
	case o.plain:
		c.Out.B = append(appendHex(c.Out.B, data, o.upper), '\n')
	case o.include:
		for i, b := range data {
			switch {
			case i > 0:
				c.Out.WriteString(", ")
			case p.Shown > 0:
				c.Out.WriteString(",\n  ")
			default:
				c.Out.WriteString("  ")
			}
			prefix := "0x"
			if o.upper {
				prefix = "0X"
			}
			c.Out.B = appendHex(append(c.Out.B, prefix...), []byte{b}, o.upper)
		}
	default:
		line := p.line(nil, data)
		zero := o.skipZeros && len(data) == o.cols
		for _, b := range data {
			zero = zero && b == 0
		}
		p.autoskip(c, line, zero)
	}
}

// autoskip writes a row, or holds back a row of zeros behind another.
func (p *program) autoskip(c *cmd.Ctx, line []byte, zero bool) {
	p.Row = append(p.Row[:0], line...)
	if zero {
		if p.Zeros == 1 {
			p.Hidden = append(p.Hidden[:0], line...)
		}
		if p.Zeros++; p.Zeros == 1 {
			c.Out.Write(line)
		}
		return
	}
	p.unhide(c, p.Zeros)
	c.Out.Write(line)
	p.Zeros = 0
}

// unhide writes what stands for the rows that were held back.
func (p *program) unhide(c *cmd.Ctx, n int) {
	if n == 2 {
		c.Out.Write(p.Hidden)
	}
	if n > 2 {
		c.Out.WriteString("*\n")
	}
}

// finish is the end of the dump.
func (p *program) finish(c *cmd.Ctx) {
	o := p.opt
	if o.include {
		if p.Shown > 0 {
			c.Out.WriteByte('\n')
		}
		if name := p.variable(); name != "" {
			length := "_len"
			if o.capital {
				length = "_LEN"
			}
			c.Out.WriteString("};\nunsigned int " + name + length + " = " + strconv.FormatInt(p.Shown, 10) + ";\n")
		}
		return
	}
	if p.Zeros > 1 { // the last row of zeros is always shown
		p.unhide(c, p.Zeros-1)
		c.Out.Write(p.Row)
	}
}

// variable is the C name of the array; "" for standard input.
func (p *program) variable() string {
	o := p.opt
	name := o.name
	if name == "" {
		if len(o.files) == 0 || o.files[0] == "-" {
			return ""
		}
		name = o.files[0]
		if name[0] >= '0' && name[0] <= '9' {
			name = "__" + name
		}
	}
	out := []byte(name)
	for i, b := range out {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
		switch {
		case !letter:
			out[i] = '_'
		case o.capital && b >= 'a':
			out[i] = b - 32
		}
	}
	return string(out)
}

// line is a row of the usual dump.
func (p *program) line(out, data []byte) []byte {
	o := p.opt
	off := p.Off + o.offset
	if o.decimal {
		out = padded(out, strconv.FormatInt(off, 10))
	} else {
		out = padded(out, strconv.FormatUint(uint64(off), 16))
	}
	out = append(out, ':', ' ')
	size := 2
	if o.bits {
		size = 8
	}
	start := len(out)
	groups := (o.cols + o.group - 1) / o.group
	width := size*o.cols + groups + 1
	if o.little {
		width = (size*o.group+1)*groups + 1
	}
	for i := 0; i < width; i++ {
		out = append(out, ' ')
	}
	for i, b := range data {
		k := i % o.group
		if o.little {
			k = o.group - 1 - k
		}
		at := start + i/o.group*(size*o.group+1) + k*size
		if o.bits {
			for bit := 0; bit < 8; bit++ {
				out[at+bit] = '0' + b>>(7-bit)&1
			}
		} else {
			appendHex(out[:at], []byte{b}, o.upper)
		}
	}
	for _, b := range data {
		if b < ' ' || b >= 0x7f {
			b = '.'
		}
		out = append(out, b)
	}
	return append(out, '\n')
}

func padded(out []byte, digits string) []byte {
	for i := len(digits); i < 8; i++ {
		out = append(out, '0')
	}
	return append(out, digits...)
}

func appendHex(out, data []byte, upper bool) []byte {
	letters := "0123456789abcdef"
	if upper {
		letters = "0123456789ABCDEF"
	}
	for _, b := range data {
		out = append(out, letters[b>>4], letters[b&15])
	}
	return out
}
