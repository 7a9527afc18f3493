package std

import (
	"bytes"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
)

func join() *cmd.Command {
	return &cmd.Command{
		Name: "join", Summary: "for each pair of input lines with identical join fields, write a line to standard output",
		Usage: "join [OPTION]... FILE1 FILE2",
		Options: []cmd.Option{
			{Short: 'a', Arg: cmd.Required, Meta: "FILENUM", Help: "also print unpairable lines from file FILENUM, 1 or 2"},
			{Short: 'e', Arg: cmd.Required, Meta: "STRING", Help: "replace missing (empty) input fields with STRING"},
			{Short: 'i', Long: "ignore-case", Help: "ignore differences in case when comparing fields"},
			{Short: 'j', Arg: cmd.Required, Meta: "FIELD", Help: "equivalent to '-1 FIELD -2 FIELD'"},
			{Short: 'o', Arg: cmd.Required, Meta: "FORMAT", Help: "obey FORMAT while constructing output line"},
			{Short: 't', Arg: cmd.Required, Meta: "CHAR", Help: "use CHAR as input and output field separator"},
			{Short: 'v', Arg: cmd.Required, Meta: "FILENUM", Help: "like -a FILENUM, but suppress joined output lines"},
			{Short: '1', Arg: cmd.Required, Meta: "FIELD", Help: "join on this FIELD of file 1"},
			{Short: '2', Arg: cmd.Required, Meta: "FIELD", Help: "join on this FIELD of file 2"},
			{Long: "check-order", Help: "check that the input is correctly sorted, even if all input lines are pairable"},
			{Long: "nocheck-order", Help: "do not check that the input is correctly sorted"},
			{Long: "header", Help: "treat the first line in each file as field headers, print them without trying to pair them"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &joinProgram{} },
	}
}

// joinProgram merges two sorted files. Lines with one key are collected on
// both sides, then written pair by pair.
type joinProgram struct {
	Begun    bool        `cbor:"1,keyasint,omitempty"`
	Files    [2]sideFile `cbor:"2,keyasint,omitempty"`
	Groups   [2][][]byte `cbor:"3,keyasint,omitempty"`
	Phase    int         `cbor:"4,keyasint,omitempty"` // joinCompare …
	I        int         `cbor:"5,keyasint,omitempty"` // the pair to write
	J        int         `cbor:"6,keyasint,omitempty"`
	Unpaired bool        `cbor:"7,keyasint,omitempty"`
	Headed   bool        `cbor:"8,keyasint,omitempty"`  // the header was written
	Auto     [2]int      `cbor:"9,keyasint,omitempty"`  // 1 + fields of the first lines, for -o auto
	Single   bool        `cbor:"11,keyasint,omitempty"` // Unpaired, once the next line was read

	opt    *joinOptions
	held   int         // bytes in Groups, if it is not 0
	fields [2][][]byte // of the lines being written
}

// joinMostAuto bounds the fields of the first lines.
const joinMostAuto = 1 << 24

// Wrong checks the pair at hand.
func (p *joinProgram) Wrong(*cmd.Ctx) string {
	if p.Phase < joinCompare || p.Phase > joinPairs || p.I < 0 || p.J < 0 || p.I > len(p.Groups[0]) || p.J > len(p.Groups[1]) {
		return "a pair that is not there"
	}
	if first, second := len(p.Groups[0]), len(p.Groups[1]); p.Phase != joinCompare && first == 0 || p.Phase == joinPairs && (p.J >= second || p.I >= first) {
		return "a group of no lines"
	}
	for _, n := range p.Auto {
		if n < -joinMostAuto || n > joinMostAuto {
			return "more fields than a line has"
		}
	}
	return ""
}

const (
	joinCompare = iota // the lines at the heads are compared
	joinFirst          // lines of file 1 with the key are collected
	joinSecond         // lines of file 2
	joinPairs          // pairs are written
)

type joinOptions struct {
	print     [2]bool // unpairable lines
	pairs     bool
	field     [2]int // from 0
	sep       int    // -1: blanks; 256: none
	out       byte
	empty     string
	fold      bool
	format    []joinField
	auto      bool
	check, no bool
	header    bool
	end       byte
}

// joinField is a piece of -o: file 0 is the join field.
type joinField struct{ file, field int }

func (p *joinProgram) options(c *cmd.Ctx) (status int) {
	o := &joinOptions{pairs: true, field: [2]int{-1, -1}, sep: -1, out: ' ', end: '\n'}
	emptySet := false
	for _, f := range c.Flags {
		switch f.Name {
		case "a", "v":
			if f.Name == "v" {
				o.pairs = false
			}
			n, err := strconv.Atoi(f.Value)
			if err != nil || n != 1 && n != 2 {
				c.Errorf("invalid field number: %s", quote.Locale(c, f.Value))
				return 1
			}
			o.print[n-1] = true
		case "e":
			if emptySet && o.empty != f.Value {
				c.Errorf("conflicting empty-field replacement strings")
				return 1
			}
			o.empty, emptySet = f.Value, true
		case "i":
			o.fold = true
		case "1", "2", "j":
			n, ok := joinFieldNumber(c, f.Value)
			if !ok {
				return 1
			}
			for i := range o.field {
				if f.Name != "j" && f.Name != string(rune('1'+i)) {
					continue
				}
				if o.field[i] >= 0 && o.field[i] != n {
					c.Errorf("incompatible join fields %d, %d", o.field[i]+1, n+1)
					return 1
				}
				o.field[i] = n
			}
		case "o":
			if f.Value == "auto" {
				o.auto = true
				continue
			}
			if status := o.readFormat(c, f.Value); status != 0 {
				return status
			}
		case "t":
			sep := 256
			switch {
			case f.Value == `\0`:
				sep = 0
			case len(f.Value) > 1:
				c.Errorf("multi-character tab %s", quote.Locale(c, f.Value))
				return 1
			case len(f.Value) == 1:
				sep = int(f.Value[0])
			}
			if o.sep >= 0 && o.sep != sep {
				c.Errorf("incompatible tabs")
				return 1
			}
			o.sep = sep
		case "check-order":
			o.check, o.no = true, false
		case "nocheck-order":
			o.check, o.no = false, true
		case "header":
			o.header = true
		case "z":
			o.end = 0
		}
	}
	if o.sep == 256 {
		o.out = '\n'
	} else if o.sep >= 0 {
		o.out = byte(o.sep)
	}
	o.field = [2]int{max(0, o.field[0]), max(0, o.field[1])}
	p.opt = o
	switch n := len(c.Args); {
	case n == 0:
		return c.MissingOperand("")
	case n == 1:
		return c.MissingOperand(c.Args[0])
	case n > 2:
		return c.UsageError("extra operand %s", quote.Shell(c, c.Args[2]))
	case c.Args[0] == "-" && c.Args[1] == "-":
		c.Errorf("both files cannot be standard input")
		return 1
	}
	return 0
}

func joinFieldNumber(c *cmd.Ctx, s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	if err != nil && digits(s) {
		return 1<<62 - 1, true
	}
	if err != nil || n < 1 || !digits(s) {
		c.Errorf("invalid field number: %s", quote.Locale(c, s))
		return 0, false
	}
	return n - 1, true
}

func (o *joinOptions) readFormat(c *cmd.Ctx, list string) (status int) {
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if item == "0" {
			o.format = append(o.format, joinField{})
			continue
		}
		switch {
		case item[0] == '0':
			c.Errorf("invalid field specifier: %s", quote.Locale(c, item))
			return 1
		case item[0] != '1' && item[0] != '2':
			c.Errorf("invalid file number in field spec: %s", quote.Locale(c, item))
			return 1
		case len(item) < 2 || item[1] != '.':
			c.Errorf("invalid field specifier: %s", quote.Locale(c, item))
			return 1
		}
		n, ok := joinFieldNumber(c, item[2:])
		if !ok {
			return 1
		}
		o.format = append(o.format, joinField{int(item[0] - '0'), n})
	}
	return 0
}

func (p *joinProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if !p.Begun {
		p.Begun = true
		for i := range p.Files {
			if err := p.Files[i].open(c, c.Args[i]); err != nil {
				return cmd.Exit(c.Fail(c.Args[i], err))
			}
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	for limit := c.Out.Len() + c.Turn(cmd.Turn); c.Out.Len() < limit; {
		if p.Phase == joinPairs {
			p.pair(c)
			continue
		}
		if next, ready := p.heads(c); !ready {
			return next
		}
		if done := p.turn(c); done {
			if p.Files[0].Warned || p.Files[1].Warned {
				c.Errorf("input is not in sorted order")
				return cmd.Exit(1)
			}
			return cmd.Exit(0)
		}
	}
	return cmd.Again()
}

// heads reads what is missing at the heads of the files and checks the order.
func (p *joinProgram) heads(c *cmd.Ctx) (next cmd.Next, ready bool) {
	o := p.opt
	for i := range p.Files {
		f := &p.Files[i]
		if p.Phase == joinFirst && i == 1 || p.Phase == joinSecond && i == 0 {
			continue
		}
		had := f.Have
		if next, ready = f.advance(c, c.Args[i], o.end); !ready {
			return next, false
		}
		if had || !f.Have {
			continue
		}
		if o.auto && p.Auto[i] == 0 {
			p.Auto[i] = 1 + len(o.split(nil, f.Line))
		}
		first := int64(1)
		if o.header {
			first = 2
		}
		if f.Number <= first || o.no || !o.check && !p.Unpaired || f.Warned {
			continue
		}
		if o.compare(o.key(f.Prev, i), o.key(f.Line, i)) > 0 {
			c.Errorf("%s:%d: is not sorted: %s", c.Args[i], f.Number, f.Line)
			f.Warned = true
			if o.check {
				return cmd.Exit(1), false
			}
		}
	}
	p.Unpaired, p.Single = p.Unpaired || p.Single, false
	return next, true
}

// turn handles the lines at the heads; true at the end of both files.
func (p *joinProgram) turn(c *cmd.Ctx) (done bool) {
	o := p.opt
	a, b := &p.Files[0], &p.Files[1]
	switch p.Phase {
	case joinFirst, joinSecond:
		i := p.Phase - joinFirst
		f := &p.Files[i]
		if f.Have && o.compare(o.key(f.Line, i), o.key(p.Groups[0][0], 0)) == 0 {
			p.Groups[i] = append(large.Extend(p.Groups[i], 1, c), bytes.Clone(f.Line))
			p.hold(c, len(f.Line))
			f.Have = false
			return false
		}
		p.Phase++
		return false
	}
	if o.header && !p.Headed {
		p.Headed = true
		if a.Have || b.Have {
			var la, lb []byte
			if a.Have {
				la = a.Line
			}
			if b.Have {
				lb = b.Line
			}
			p.write(c, la, lb, a.Have, b.Have)
			a.Have, b.Have = false, false
			return false
		}
	}
	r := 0
	switch {
	case !a.Have && !b.Have:
		return true
	case !b.Have:
		r = -1
	case !a.Have:
		r = 1
	default:
		r = o.compare(o.key(a.Line, 0), o.key(b.Line, 1))
	}
	switch {
	case r < 0:
		if o.print[0] {
			p.write(c, a.Line, nil, true, false)
		}
		a.Have, p.Single = false, b.Have
	case r > 0:
		if o.print[1] {
			p.write(c, nil, b.Line, false, true)
		}
		b.Have, p.Single = false, a.Have
	default:
		p.Groups[0] = [][]byte{bytes.Clone(a.Line)}
		a.Have = false
		p.Phase = joinFirst
	}
	return false
}

// hold declares that the groups have grown.
func (p *joinProgram) hold(c *cmd.Ctx, n int) {
	if p.held == 0 { // also after a load
		n = 0
		for _, g := range p.Groups {
			for _, line := range g {
				n += len(line)
			}
		}
	}
	p.held += n
	c.Hold(p.held)
}

// pair writes one pair of the groups.
func (p *joinProgram) pair(c *cmd.Ctx) {
	if p.opt.pairs && p.I < len(p.Groups[0]) && p.J < len(p.Groups[1]) {
		p.write(c, p.Groups[0][p.I], p.Groups[1][p.J], true, true)
		if p.J++; p.J == len(p.Groups[1]) {
			p.I, p.J = p.I+1, 0
		}
		if p.I < len(p.Groups[0]) {
			return
		}
	}
	p.Phase, p.I, p.J, p.held = joinCompare, 0, 0, 0
	p.Groups = [2][][]byte{}
}

// cut gives the first field of what is left of a line. more is false when the
// line has no field there.
func (o *joinOptions) cut(line []byte, first bool) (field, rest []byte, more bool) {
	if o.sep >= 0 {
		if line == nil || first && len(line) == 0 {
			return nil, nil, false
		}
		if o.sep < 256 {
			if i := bytes.IndexByte(line, byte(o.sep)); i >= 0 {
				return line[:i], line[i+1:], true
			}
		}
		return line, nil, true
	}
	if line == nil {
		return nil, nil, false
	}
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	if i == len(line) {
		// GNU join sees an empty field behind blanks at the end.
		return nil, nil, !first && i > 0
	}
	line = line[i:]
	for i = 0; i < len(line) && !isBlank(line[i]); i++ {
	}
	if i == len(line) {
		return line, nil, true
	}
	return line[:i], line[i:], true
}

// split appends the fields of a line to fields.
func (o *joinOptions) split(fields [][]byte, line []byte) [][]byte {
	for first := true; ; first = false {
		field, rest, more := o.cut(line, first)
		if !more {
			return fields
		}
		fields, line = append(fields, field), rest
	}
}

// key is the join field of a line of file i.
func (o *joinOptions) key(line []byte, i int) []byte {
	for n := 0; ; n++ {
		field, rest, more := o.cut(line, n == 0)
		if n == o.field[i] || !more {
			return field
		}
		line = rest
	}
}

func (o *joinOptions) compare(a, b []byte) int {
	if !o.fold {
		return bytes.Compare(a, b)
	}
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := upperByte(a[i]), upperByte(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// write writes an output line of one line or two.
func (p *joinProgram) write(c *cmd.Ctx, a, b []byte, hasA, hasB bool) {
	o := p.opt
	fields := [2][][]byte{p.fields[0][:0], p.fields[1][:0]}
	if hasA {
		fields[0] = o.split(fields[0], a)
	}
	if hasB {
		fields[1] = o.split(fields[1], b)
	}
	p.fields = fields
	out := c.Out.B
	first := true
	put := func(i, n int) {
		if !first {
			out = append(out, o.out)
		}
		first = false
		if n < len(fields[i]) && len(fields[i][n]) > 0 {
			out = append(out, fields[i][n]...)
		} else {
			out = append(out, o.empty...)
		}
	}
	putKey := func() {
		if hasA {
			put(0, o.field[0])
		} else {
			put(1, o.field[1])
		}
	}
	if o.format != nil {
		for _, f := range o.format {
			if f.file == 0 {
				putKey()
			} else {
				put(f.file-1, f.field)
			}
		}
	} else {
		putKey()
		for i := range fields {
			n := len(fields[i])
			if o.auto {
				n = p.Auto[i] - 1
			}
			for k := 0; k < n; k++ {
				if k != o.field[i] {
					put(i, k)
				}
			}
		}
	}
	out = append(out, o.end)
	c.Charge(4 + (len(out)-len(c.Out.B))/16)
	c.Out.B = out
}
