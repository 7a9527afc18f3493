package std

import (
	"bytes"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/posix2"
	"eryxsh/vfs"
)

func uniq() *cmd.Command {
	return &cmd.Command{
		Name: "uniq", Summary: "filter adjacent matching lines from INPUT (or standard input), writing to OUTPUT (or standard output)",
		Usage: "uniq [OPTION]... [INPUT [OUTPUT]]",
		Options: []cmd.Option{
			{Short: 'c', Long: "count", Help: "prefix lines by the number of occurrences"},
			{Short: 'd', Long: "repeated", Help: "only print duplicate lines, one for each group"},
			{Short: 'D', Help: "print all duplicate lines"},
			{Long: "all-repeated", Arg: cmd.Optional, Meta: "METHOD", Help: "like -D, but allow separating groups with an empty line; METHOD={none(default),prepend,separate}"},
			{Short: 'f', Long: "skip-fields", Arg: cmd.Required, Meta: "N", Help: "avoid comparing the first N fields"},
			{Long: "group", Arg: cmd.Optional, Meta: "METHOD", Help: "show all items, separating groups with an empty line; METHOD={separate(default),prepend,append,both}"},
			{Short: 'i', Long: "ignore-case", Help: "ignore differences in case when comparing"},
			{Short: 's', Long: "skip-chars", Arg: cmd.Required, Meta: "N", Help: "avoid comparing the first N characters"},
			{Short: 'u', Long: "unique", Help: "only print unique lines"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
			{Short: 'w', Long: "check-chars", Arg: cmd.Required, Meta: "N", Help: "compare no more than N characters in lines"},
		},
		Class:    cmd.Step,
		Obsolete: uniqObsolete,
		New:      func() cmd.Program { return &uniqProgram{} },
	}
}

// uniqObsolete reads -N as -f N and +N as -s N.
func uniqObsolete(c *cmd.Ctx, args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && digits(a[1:]) && (i == 0 || args[i-1] != "-f" && args[i-1] != "-s" && args[i-1] != "-w") {
			a = "-f" + a[1:]
		}
		if len(a) > 1 && a[0] == '+' && digits(a[1:]) && (i == 0 || args[i-1] != "-f" && args[i-1] != "-s" && args[i-1] != "-w") && !posix2.Strict(c) {
			a = "-s" + a[1:]
		}
		out = append(out, a)
	}
	return out
}

// uniqProgram compares each line with the first of its group.
type uniqProgram struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	Begun  bool      `cbor:"2,keyasint,omitempty"`
	InFD   int       `cbor:"3,keyasint,omitempty"`
	OutFD  int       `cbor:"4,keyasint,omitempty"` // 0: standard output
	First  []byte    `cbor:"5,keyasint,omitempty"` // of the group
	Count  int64     `cbor:"6,keyasint,omitempty"` // lines in the group
	Groups bool      `cbor:"7,keyasint,omitempty"` // a group was printed with separators

	opt *uniqOptions
}

type uniqOptions struct {
	count, once, more, all bool // which lines: -c; groups of one; the first of larger groups; the others
	fold                   bool
	fields, chars, check   int // check is -1 without -w
	method                 string
	group                  bool
	end                    byte
}

func (p *uniqProgram) options(c *cmd.Ctx) (status int) {
	o := &uniqOptions{once: true, more: true, check: -1, end: '\n'}
	limited := false
	for _, f := range c.Flags {
		switch f.Name {
		case "c":
			o.count = true
		case "d":
			o.once, limited = false, true
		case "u":
			o.more, limited = false, true
		case "D", "all-repeated":
			o.once, o.all, limited = false, true, true
			o.method = "none"
			if f.Has {
				i, ok := choice.Find(c, "--all-repeated", f.Value, "none,prepend,separate")
				if !ok {
					return 1
				}
				o.method = []string{"none", "prepend", "separate"}[i]
			}
		case "group":
			o.group, o.method = true, "separate"
			if f.Has {
				i, ok := choice.Find(c, "--group", f.Value, "prepend,append,separate,both")
				if !ok {
					return 1
				}
				o.method = []string{"prepend", "append", "separate", "both"}[i]
			}
		case "i":
			o.fold = true
		case "z":
			o.end = 0
		case "f", "s", "w":
			n, err := strconv.Atoi(f.Value)
			if err != nil && digits(f.Value) {
				n, err = 1<<62, nil
			}
			if err != nil || !digits(f.Value) {
				c.Errorf("%s: invalid number of %s", f.Value, map[string]string{"f": "fields to skip", "s": "bytes to skip", "w": "bytes to compare"}[f.Name])
				return 1
			}
			switch f.Name {
			case "f":
				o.fields = n
			case "s":
				o.chars = n
			default:
				o.check = n
			}
		}
	}
	switch {
	case len(c.Args) > 2:
		return c.ExtraOperand(c.Args[2])
	case o.group && (limited || o.count):
		return c.UsageError("--group is mutually exclusive with -c/-d/-D/-u")
	case o.all && o.count:
		return c.UsageError("printing all duplicated lines and repeat counts is meaningless")
	}
	if o.group {
		o.all = true
	}
	p.opt = o
	return 0
}

// begin opens the operands.
func (p *uniqProgram) begin(c *cmd.Ctx) (status int) {
	p.Begun = true
	if len(c.Args) > 0 && c.Args[0] != "-" {
		fd, err := c.Open(c.Args[0], vfs.O_RDONLY, 0)
		if err != nil {
			return c.Fail(c.Args[0], err)
		}
		p.InFD = fd
	}
	if len(c.Args) > 1 && c.Args[1] != "-" {
		fd, err := c.Open(c.Args[1], vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
		if err != nil {
			return c.Fail(c.Args[1], err)
		}
		p.OutFD = fd
	}
	return 0
}

func (p *uniqProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if !p.Begun {
		if status := p.begin(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch err := p.In.Fill(c, p.InFD); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(p.InFD)
	case p.In.EOF:
	case err != nil:
		c.Errorf("error reading '%s': %s", p.inName(c), err)
		return cmd.Exit(1)
	}
	o := p.opt
	out := c.Out.B
	for line, ok := p.In.Next(o.end); ok; line, ok = p.In.Next(o.end) {
		if p.Count > 0 && o.same(p.First, line) {
			p.Count++
			if o.all {
				if p.Count == 2 && !o.group {
					out = p.separate(out)
					if o.more {
						out = append(append(out, p.First...), o.end)
					}
				}
				out = append(append(out, line...), o.end)
			}
			continue
		}
		out = p.end(out)
		p.First = append(p.First[:0], line...)
		p.Count = 1
		if o.group {
			out = p.separate(out)
			out = append(append(out, line...), o.end)
		}
	}
	done := p.In.Ended()
	if done {
		out = p.end(out)
		if o.group && p.Groups && (o.method == "append" || o.method == "both") {
			out = append(out, o.end)
		}
	}
	c.Out.B = out
	if p.OutFD != 0 {
		data := c.Out.B
		c.Out.B = nil
		if err := c.Write(p.OutFD, data); err != nil {
			c.Errorf("write error: %s", err)
			return cmd.Exit(1)
		}
	}
	if done {
		return cmd.Exit(0)
	}
	return cmd.Again()
}

func (p *uniqProgram) inName(c *cmd.Ctx) string {
	if p.InFD == 0 {
		return "-"
	}
	return c.Args[0]
}

// separate writes the empty line before a group.
func (p *uniqProgram) separate(out []byte) []byte {
	switch p.opt.method {
	case "prepend", "both":
		out = append(out, p.opt.end)
	case "separate", "append":
		if p.Groups {
			out = append(out, p.opt.end)
		}
	}
	p.Groups = true
	return out
}

// end prints what the group that ended is printed as.
func (p *uniqProgram) end(out []byte) []byte {
	o := p.opt
	if p.Count == 0 || o.all || p.Count == 1 && !o.once || p.Count > 1 && !o.more {
		return out
	}
	if o.count {
		out = append(padInt(out, p.Count, 7), ' ')
	}
	return append(append(out, p.First...), o.end)
}

// same compares two lines by what the options leave of them.
func (o *uniqOptions) same(a, b []byte) bool {
	if o.fields > 0 || o.chars > 0 || o.check >= 0 {
		a, b = o.key(a), o.key(b)
	}
	if !o.fold {
		return bytes.Equal(a, b)
	}
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if upperByte(a[i]) != upperByte(b[i]) {
			return false
		}
	}
	return true
}

func (o *uniqOptions) key(line []byte) []byte {
	i := 0
	for n := 0; n < o.fields && i < len(line); n++ {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
	}
	i += min(o.chars, len(line)-i)
	line = line[i:]
	if o.check >= 0 && o.check < len(line) {
		line = line[:o.check]
	}
	return line
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func upperByte(b byte) byte {
	if b >= 'a' && b <= 'z' {
		return b - 32
	}
	return b
}
