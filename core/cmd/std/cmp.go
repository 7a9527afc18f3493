package std

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/vfs"
)

func cmpCommand() *cmd.Command {
	return &cmd.Command{
		Name: "cmp", WriteError: "standard output: WHY", Summary: "compare two files byte by byte", Usage: "cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]", Origin: "GNU diffutils 3.8", Status: 2,
		Hint: "NAME: Try 'NAME --help' for more information.\n",
		Options: []cmd.Option{
			{Short: 'b', Long: "print-bytes", Help: "print differing bytes"},
			{Short: 'i', Long: "ignore-initial", Arg: cmd.Required, Meta: "SKIP1[:SKIP2]", Help: "skip first SKIP bytes of both inputs"},
			{Short: 'l', Long: "verbose", Help: "output byte numbers and differing byte values"},
			{Short: 'n', Long: "bytes", Arg: cmd.Required, Meta: "LIMIT", Help: "compare at most LIMIT bytes"},
			{Short: 's', Long: "quiet", Help: "suppress all normal output"},
			{Long: "silent", Help: "suppress all normal output"},
		},
		Class: cmd.Step, New: func() cmd.Program { return &cmpProgram{} },
	}
}

// cmpInput is one of the two files.
type cmpInput struct {
	FD   int    `cbor:"1,keyasint,omitempty"`
	Skip int64  `cbor:"2,keyasint,omitempty" holds:"count"` // bytes still to skip
	Buf  []byte `cbor:"3,keyasint,omitempty"`
	End  bool   `cbor:"4,keyasint,omitempty"`
}

type cmpProgram struct {
	Begun   bool        `cbor:"1,keyasint,omitempty"`
	In      [2]cmpInput `cbor:"2,keyasint,omitempty"`
	At      int64       `cbor:"3,keyasint,omitempty"` // bytes compared
	Line    int64       `cbor:"4,keyasint,omitempty"` // newlines seen
	Left    int64       `cbor:"5,keyasint,omitempty"` // of -n; -1 is no limit
	Differ  bool        `cbor:"6,keyasint,omitempty"`
	Newline bool        `cbor:"7,keyasint,omitempty"`            // the last byte was one
	Width   int         `cbor:"8,keyasint,omitempty" holds:"32"` // of the byte numbers of -l
}

// name is an operand; the second is standard input by default.
func (p *cmpProgram) name(c *cmd.Ctx, i int) string {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return "-"
}

// Step compares a turn's worth of bytes.
func (p *cmpProgram) Step(c *cmd.Ctx) cmd.Next {
	if !p.Begun {
		p.Begun = true
		if status, ok := p.begin(c); !ok {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	for i := range p.In {
		in := &p.In[i]
		if len(in.Buf) > 0 || in.End {
			continue
		}
		page := cmd.Borrow()
		defer page.Return() // at most two
		buf := page[:]
		if p.Left >= 0 && p.Left < int64(len(buf))-in.Skip { // what is behind the limit is left to others
			buf = buf[:p.Left+in.Skip]
		}
		n, err := c.Read(in.FD, buf)
		switch {
		case err == cmd.ErrBlocked:
			return cmd.WaitRead(in.FD)
		case err == io.EOF:
			in.End = true
		case err != nil:
			c.Errorf("%s: %s", p.name(c, i), err)
			return cmd.Exit(2)
		default:
			skip := min(in.Skip, int64(n))
			in.Skip -= skip
			in.Buf = bytes.Clone(buf[skip:n])
			if len(in.Buf) == 0 {
				return cmd.Again()
			}
		}
	}
	return p.compare(c)
}

// begin reads the options and opens the files.
func (p *cmpProgram) begin(c *cmd.Ctx) (int, bool) {
	if len(c.Args) == 0 {
		return c.UsageError("missing operand after %s", quote.Shell(c, c.Name)), false
	}
	if len(c.Args) > 4 {
		return c.UsageError("extra operand %s", quote.Shell(c, c.Args[4])), false
	}
	if c.Flags.Has("l") && (c.Flags.Has("s") || c.Flags.Has("silent")) {
		return c.UsageError("options -l and -s are incompatible"), false
	}
	number := func(s, opt string) (int64, bool) {
		n, err := size.Parse(s, "kKMGTPEZY")
		if err != nil {
			c.UsageError("invalid %s value '%s'", opt, s)
			return 0, false
		}
		return n, true
	}
	var ok bool
	if f, has := c.Flags.Last("i"); has {
		a, b, two := strings.Cut(f.Value, ":")
		if !two {
			b = a
		}
		if p.In[0].Skip, ok = number(a, "--ignore-initial"); !ok {
			return 2, false
		}
		if p.In[1].Skip, ok = number(b, "--ignore-initial"); !ok {
			return 2, false
		}
	}
	for i := 2; i < len(c.Args); i++ {
		if p.In[i-2].Skip, ok = number(c.Args[i], "--ignore-initial"); !ok {
			return 2, false
		}
	}
	p.Left = -1
	if f, has := c.Flags.Last("n"); has {
		if p.Left, ok = number(f.Value, "--bytes"); !ok {
			return 2, false
		}
	}
	p.Width = 19
	for i := range p.In {
		name := p.name(c, i)
		if name != "-" {
			fd, err := c.Open(name, vfs.O_RDONLY, 0)
			if err != nil {
				if !c.Flags.Has("s") && !c.Flags.Has("silent") {
					c.Errorf("%s: %s", name, err)
				}
				return 2, false
			}
			p.In[i].FD = fd
		}
		if st, err := c.Fstat(p.In[i].FD); err == nil {
			if st.Mode.IsDir() {
				c.Errorf("%s: Is a directory", name)
				return 2, false
			}
			if st.Mode.IsRegular() {
				p.Width = min(p.Width, len(strconv.FormatInt(max(st.Size, 1), 10)))
			}
		}
	}
	return 0, !p.same(c)
}

// same reports whether both are one file at one place, of which nothing need be read.
func (p *cmpProgram) same(c *cmd.Ctx) bool {
	var ino [2]vfs.Ino
	var at [2]int64
	for i := range p.In {
		st, err := c.Fstat(p.In[i].FD)
		if err != nil || !st.Mode.IsRegular() {
			return false
		}
		ino[i] = st.Ino
		if at[i], err = c.Seek(p.In[i].FD, 0, 1); err != nil {
			return false
		}
		at[i] += p.In[i].Skip
	}
	return ino[0] == ino[1] && at[0] == at[1]
}

func (p *cmpProgram) compare(c *cmd.Ctx) cmd.Next {
	a, b := &p.In[0], &p.In[1]
	quiet := c.Flags.Has("s") || c.Flags.Has("silent")
	n := min(len(a.Buf), len(b.Buf))
	if p.Left >= 0 {
		n = int(min(int64(n), p.Left))
	}
	for i := range n {
		x, y := a.Buf[i], b.Buf[i]
		if x != y {
			p.Differ = true
			at := p.At + int64(i) + 1
			switch {
			case quiet:
				return cmd.Exit(1)
			case c.Flags.Has("l") && c.Flags.Has("b"):
				fmt.Fprintf(&c.Out, "%*d %3o %-4s %3o %s\n", p.Width, at, x, visible(x), y, visible(y))
			case c.Flags.Has("l"):
				fmt.Fprintf(&c.Out, "%*d %3o %3o\n", p.Width, at, x, y)
			case c.Flags.Has("b"):
				fmt.Fprintf(&c.Out, "%s %s differ: byte %d, line %d is %3o %s %3o %s\n", p.name(c, 0), p.name(c, 1), at, p.Line+1, x, visible(x), y, visible(y))
				return cmd.Exit(1)
			default:
				fmt.Fprintf(&c.Out, "%s %s differ: byte %d, line %d\n", p.name(c, 0), p.name(c, 1), at, p.Line+1)
				return cmd.Exit(1)
			}
		}
		if x == '\n' {
			p.Line++
		}
		if p.Newline = x == '\n'; c.Out.Len() > cmd.Turn {
			n = i + 1 // of -l: the rest has another turn
			break
		}
	}
	c.Charge(n/64 + c.Out.Len()/4)
	p.At += int64(n)
	a.Buf, b.Buf = a.Buf[n:], b.Buf[n:]
	if p.Left >= 0 {
		if p.Left -= int64(n); p.Left == 0 {
			return p.exit()
		}
	}
	switch {
	case a.End && b.End && len(a.Buf) == 0 && len(b.Buf) == 0:
		return p.exit()
	case a.End && len(a.Buf) == 0:
		return p.short(c, 0, quiet)
	case b.End && len(b.Buf) == 0:
		return p.short(c, 1, quiet)
	}
	return cmd.Again()
}

func (p *cmpProgram) exit() cmd.Next {
	if p.Differ {
		return cmd.Exit(1)
	}
	return cmd.Exit(0)
}

// short reports that one file ended first.
func (p *cmpProgram) short(c *cmd.Ctx, i int, quiet bool) cmd.Next {
	name := p.name(c, i)
	c.Flush()
	switch {
	case quiet:
	case p.At == 0:
		c.Errorf("EOF on %s which is empty", name)
	case c.Flags.Has("l"):
		c.Errorf("EOF on %s after byte %d", name, p.At)
	case p.Newline:
		c.Errorf("EOF on %s after byte %d, line %d", name, p.At, p.Line)
	default:
		c.Errorf("EOF on %s after byte %d, in line %d", name, p.At, p.Line+1)
	}
	return cmd.Exit(1)
}

// visible writes a byte as cat -t does.
func visible(b byte) string {
	s := ""
	if b >= 128 {
		s, b = "M-", b-128
	}
	switch {
	case b < 32:
		return s + "^" + string(rune(b+64))
	case b == 127:
		return s + "^?"
	}
	return s + string(rune(b))
}
