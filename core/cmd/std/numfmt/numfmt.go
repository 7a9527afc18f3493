// Package numfmt is the utility numfmt, which converts numbers to and from
// human-readable strings. Numbers are C long doubles, as in GNU numfmt.
package numfmt

import (
	"io"
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/size"
)

// Command is numfmt.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "numfmt", Summary: "reformat NUMBER(s), or the numbers from standard input if none are specified",
		Usage: "numfmt [OPTION]... [NUMBER]...",
		Options: []cmd.Option{
			{Long: "debug", Help: "print warnings about invalid input"},
			{Short: 'd', Long: "delimiter", Arg: cmd.Required, Meta: "X", Help: "use X instead of whitespace for field delimiter"},
			{Long: "field", Arg: cmd.Required, Meta: "FIELDS", Help: "replace the numbers in these input fields (default=1)"},
			{Long: "format", Arg: cmd.Required, Meta: "FORMAT", Help: "use printf style floating-point FORMAT"},
			{Long: "from", Arg: cmd.Required, Meta: "UNIT", Help: "auto-scale input numbers to UNITs; default is 'none'"},
			{Long: "from-unit", Arg: cmd.Required, Meta: "N", Help: "specify the input unit size (instead of the default 1)"},
			{Long: "grouping", Help: "use locale-defined grouping of digits (no effect in the C locale)"},
			{Long: "header", Arg: cmd.Optional, Meta: "N", Help: "print (without converting) the first N header lines; N defaults to 1 if not specified"},
			{Long: "invalid", Arg: cmd.Required, Meta: "MODE", Help: "failure mode for invalid numbers: abort (default), fail, warn, ignore"},
			{Long: "padding", Arg: cmd.Required, Meta: "N", Help: "pad the output to N characters; positive N will right-align; negative N will left-align"},
			{Long: "round", Arg: cmd.Required, Meta: "METHOD", Help: "use METHOD for rounding when scaling: up, down, from-zero (default), towards-zero, nearest"},
			{Long: "suffix", Arg: cmd.Required, Meta: "SUFFIX", Help: "add SUFFIX to output numbers, and accept optional SUFFIX in input numbers"},
			{Long: "to", Arg: cmd.Required, Meta: "UNIT", Help: "auto-scale output numbers to UNITs: none, si, iec, iec-i"},
			{Long: "to-unit", Arg: cmd.Required, Meta: "N", Help: "the output unit size (instead of the default 1)"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &program{} },
	}
}

// program converts a line after the other.
type program struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	I      int       `cbor:"2,keyasint,omitempty" holds:"operand"` // operands done
	Lines  uint64    `cbor:"3,keyasint,omitempty"`
	Failed bool      `cbor:"4,keyasint,omitempty"`
	Begun  bool      `cbor:"5,keyasint,omitempty"` // the warnings of --debug were given

	opt *options
}

type scale uint8

const (
	none scale = iota
	auto
	si
	iec
	iecI
)

func (s scale) base() int64 {
	if s == iec || s == iecI {
		return 1024
	}
	return 1000
}

type options struct {
	charset          quote.Charset
	grouped          bool // the format has a '
	from, to         scale
	fromUnit, toUnit int64
	delim            int // -1: blanks
	all              bool
	fields           [][2]int
	padding          int
	left             bool
	zeroWidth        int
	prec             int // -1 without
	before, after    string
	suffix           string
	round            string
	invalid          string
	header           uint64
	end              byte
	autoPad, debug   bool
}

func (p *program) options(c *cmd.Ctx) (status int) {
	o := &options{charset: c, fromUnit: 1, toUnit: 1, delim: -1, fields: [][2]int{{1, 1}}, prec: -1, round: "from-zero", invalid: "abort", end: '\n'}
	grouping, fieldSet := false, false
	formatText, hasFormat := "", false
	var ok bool
	pick := func(f cmd.Flag, words string) string {
		var i int
		if i, ok = choice.Find(c, "--"+f.Name, f.Value, words); !ok {
			return ""
		}
		return strings.Split(words, ",")[i]
	}
	units := map[string]scale{"none": none, "auto": auto, "si": si, "iec": iec, "iec-i": iecI}
	for _, f := range c.Flags {
		ok = true
		switch f.Name {
		case "from":
			o.from = units[pick(f, "none,auto,si,iec,iec-i")]
		case "to":
			o.to = units[pick(f, "none,si,iec,iec-i")]
		case "round":
			o.round = pick(f, "up,down,from-zero,towards-zero,nearest")
		case "invalid":
			o.invalid = pick(f, "abort,fail,warn,ignore")
		case "from-unit":
			o.fromUnit, ok = unit(c, f.Value)
		case "to-unit":
			o.toUnit, ok = unit(c, f.Value)
		case "grouping":
			grouping = true
		case "d":
			if len(f.Value) > 1 {
				c.Errorf("the delimiter must be a single character")
				return 1
			}
			o.delim = 0
			if f.Value != "" {
				o.delim = int(f.Value[0])
			}
		case "field":
			if fieldSet {
				c.Errorf("multiple field specifications")
				return 1
			}
			fieldSet = true
			if status := o.readFields(c, f.Value); status != 0 {
				return status
			}
		case "format":
			formatText, hasFormat = f.Value, true
		case "header":
			o.header = 1
			if f.Has {
				n, err := strconv.ParseUint(f.Value, 10, 64)
				if err != nil || n == 0 {
					c.Errorf("invalid header value %s", quote.Locale(c, f.Value))
					return 1
				}
				o.header = n
			}
		case "padding":
			n, err := strconv.Atoi(f.Value)
			if err != nil || n == 0 || n > 1<<24 || n < -1<<24 {
				c.Errorf("invalid padding value %s", quote.Locale(c, f.Value))
				return 1
			}
			o.left, o.padding = o.left || n < 0, max(n, -n) // no later option makes it right again
		case "suffix":
			o.suffix = f.Value
		case "z":
			o.end = 0
		}
		if !ok {
			return 1
		}
	}
	if hasFormat && grouping {
		c.Errorf("--grouping cannot be combined with --format")
		return 1
	}
	o.debug = c.Flags.Has("debug")
	debug := o.debug && !p.Begun
	p.Begun = true
	if debug && o.from == none && o.to == none && !grouping && o.padding == 0 && !hasFormat {
		c.Errorf("no conversion option specified")
	}
	if hasFormat {
		if message := o.readFormat(formatText); message != "" {
			c.Errorf("%s", message)
			return 1
		}
		grouping = o.grouped
	}
	if grouping {
		if o.to != none {
			c.Errorf("grouping cannot be combined with --to")
			return 1
		}
		if debug {
			c.Errorf("grouping has no effect in this locale")
		}
	}
	if debug && o.header > 0 && len(c.Args) > 0 {
		c.Errorf("--header ignored with command-line input")
	}
	o.autoPad = o.padding == 0 && o.delim < 0
	p.opt = o
	return 0
}

func unit(c *cmd.Ctx, s string) (int64, bool) {
	t := s
	if strings.TrimLeft(s, "0123456789") != "" {
		t = s + "B" // K is 1000 here, and Ki 1024
	}
	n, err := size.Parse(t, "KMGTPEZY")
	if err != nil || n <= 0 {
		c.Errorf("invalid unit size: %s", quote.Locale(c, s))
		return 0, false
	}
	return n, true
}

// readFields reads the LIST of --field.
func (o *options) readFields(c *cmd.Ctx, list string) (status int) {
	if list == "-" {
		o.all = true
		return 0
	}
	o.fields = nil
	for _, item := range strings.Split(strings.NewReplacer(" ", ",", "\t", ",").Replace(list), ",") {
		lo, hi, ranged := strings.Cut(item, "-")
		span := [2]int{1, math.MaxInt}
		for i, text := range []string{lo, hi} {
			if text == "" {
				continue
			}
			if bad := strings.TrimLeft(text, "0123456789"); bad != "" {
				return c.UsageError("invalid field value %s", quote.Locale(c, bad))
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return c.UsageError("field number %s is too large", quote.Locale(o.charset, text))
			}
			span[i] = n
		}
		if !ranged {
			span[1] = span[0]
		}
		switch {
		case item == "" || span[0] == 0:
			return c.UsageError("fields are numbered from 1")
		case span[1] < span[0]:
			return c.UsageError("invalid decreasing range")
		}
		o.fields = append(o.fields, span)
	}
	return 0
}

// readFormat reads --format; the result is a message or "".
func (o *options) readFormat(text string) (message string) {
	i, before := 0, 0
	for ; i < len(text); i++ {
		if text[i] == '%' {
			if i+1 == len(text) || text[i+1] != '%' {
				break
			}
			i++
		}
		before++
	}
	if i == len(text) {
		return "format " + quote.Locale(o.charset, text) + " has no % directive"
	}
	o.before = text[:before] // a "%%" is counted as one and copied as two, as GNU's numfmt does
	i++
	zero := false
	for ; i < len(text) && strings.IndexByte(" '0", text[i]) >= 0; i++ {
		zero = zero || text[i] == '0'
		o.grouped = o.grouped || text[i] == '\''
	}
	from := i
	if i < len(text) && text[i] == '-' {
		i++
	}
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if width := text[from:i]; width != "" && width != "-" {
		n, err := strconv.Atoi(width)
		if err != nil || n > 1<<24 || n < -1<<24 {
			return "invalid format " + quote.Locale(o.charset, text) + " (width overflow)"
		}
		switch {
		case n < 0:
			o.left, o.padding = true, -n
		case zero:
			o.zeroWidth = n
		case n > 0:
			o.padding = n
		}
	}
	if i == len(text) {
		return "format " + quote.Locale(o.charset, text) + " ends in %"
	}
	if text[i] == '.' {
		from = i + 1
		for i++; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		}
		n, err := strconv.Atoi("0" + text[from:i])
		if err != nil || n > 1<<20 || from < len(text) && strings.IndexByte(" +-", text[from]) >= 0 {
			return "invalid precision in format " + quote.Locale(o.charset, text)
		}
		o.prec = n
	}
	if i == len(text) || text[i] != 'f' {
		return "invalid format " + quote.Locale(o.charset, text) + ", directive must be %[0]['][-][N][.][N]f"
	}
	o.after = text[i+1:] // "%%" stays as it is there
	for i++; i < len(text); i++ {
		if text[i] == '%' {
			if i+1 == len(text) || text[i+1] != '%' {
				return "format " + quote.Locale(o.charset, text) + " has too many % directives"
			}
			i++
		}
	}
	return ""
}

// Step converts the lines of a turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if len(c.Args) > 0 {
		if p.I >= len(c.Args) {
			return p.exit(c)
		}
		p.I++
		if !p.line(c, c.Args[p.I-1]) {
			return cmd.Exit(2)
		}
		c.Out.WriteByte(p.opt.end)
		return cmd.Again()
	}
	switch err := p.In.Fill(c, 0); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(0)
	case err != nil && err != io.EOF:
		c.Errorf("error reading input: %s", err)
		return cmd.Exit(1)
	}
	for text, ok := p.In.Next(p.opt.end); ok; text, ok = p.In.Next(p.opt.end) {
		if p.Lines < p.opt.header {
			p.Lines++
			c.Out.Write(text)
			c.Out.WriteByte(p.opt.end)
			continue
		}
		if !p.line(c, string(text)) {
			return cmd.Exit(2)
		}
		if !p.In.Bare() {
			c.Out.WriteByte(p.opt.end)
		}
		c.Charge(10)
	}
	if p.In.Ended() {
		return p.exit(c)
	}
	return cmd.Again()
}

func (p *program) exit(c *cmd.Ctx) cmd.Next {
	if p.Failed && p.opt.debug {
		c.Errorf("failed to convert some of the input numbers")
	}
	if p.Failed && p.opt.invalid == "fail" {
		return cmd.Exit(2)
	}
	return cmd.Exit(0)
}

// line converts the fields of a line; false ends the program.
func (p *program) line(c *cmd.Ctx, text string) bool {
	o := p.opt
	for field := 1; ; field++ {
		n := 0
		if o.delim >= 0 {
			if n = strings.IndexByte(text, byte(o.delim)); n < 0 {
				n = len(text)
			}
		} else {
			for n < len(text) && blank(text[n]) {
				n++
			}
			for n < len(text) && !blank(text[n]) {
				n++
			}
		}
		out, ok := text[:n], true
		if o.selected(field) {
			out, ok = p.convert(c, text[:n], field)
		}
		if !ok {
			return false
		}
		c.Out.WriteString(out)
		if n == len(text) {
			break
		}
		if o.delim >= 0 {
			c.Out.WriteByte(byte(o.delim))
		} else {
			c.Out.WriteByte(' ')
		}
		text = text[n+1:]
	}
	return true
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func (o *options) selected(field int) bool {
	for _, f := range o.fields {
		if field >= f[0] && field <= f[1] {
			return true
		}
	}
	return o.all
}
