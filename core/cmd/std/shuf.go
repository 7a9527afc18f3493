package std

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

func shuf() *cmd.Command {
	return &cmd.Command{
		Name: "shuf", Summary: "write a random permutation of the input lines to standard output",
		Usage: "shuf [OPTION]... [FILE]\nshuf -e [OPTION]... [ARG]...\nshuf -i LO-HI [OPTION]...",
		Options: []cmd.Option{
			{Short: 'e', Long: "echo", Help: "treat each ARG as an input line"},
			{Short: 'i', Long: "input-range", Arg: cmd.Required, Meta: "LO-HI", Help: "treat each number LO through HI as an input line"},
			{Short: 'n', Long: "head-count", Arg: cmd.Required, Meta: "COUNT", Help: "output at most COUNT lines"},
			{Short: 'o', Long: "output", Arg: cmd.Required, Meta: "FILE", Help: "write result to FILE instead of standard output"},
			{Long: "random-source", Arg: cmd.Required, Meta: "FILE", Help: "get random bytes from FILE", Missing: true},
			{Short: 'r', Long: "repeat", Help: "output lines can be repeated"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &shufProgram{} },
	}
}

// shufProgram draws lines, one after the other, with the World's random numbers.
type shufProgram struct {
	In    cmd.Lines         `cbor:"1,keyasint,omitempty"`
	FD    int               `cbor:"2,keyasint,omitempty"`
	Begun bool              `cbor:"3,keyasint,omitempty"`
	Lines []shufLines       `cbor:"4,keyasint,omitempty"`
	Lo    uint64            `cbor:"6,keyasint,omitempty"` // of -i
	Size  uint64            `cbor:"7,keyasint,omitempty"` // lines to draw from
	Ready bool              `cbor:"8,keyasint,omitempty"` // all lines are there
	I     uint64            `cbor:"9,keyasint,omitempty"` // lines drawn
	Moved map[uint64]uint64 `cbor:"10,keyasint,omitempty"`
	Left  uint64            `cbor:"11,keyasint,omitempty"` // lines to write still
	Out   int               `cbor:"12,keyasint,omitempty"`
}

// Wrong checks that every line stands where it is said to.
func (p *shufProgram) Wrong(c *cmd.Ctx) string {
	first := uint64(0)
	for _, l := range p.Lines {
		if l.First != first || len(l.Starts) == 0 && len(l.Text) > 0 {
			return "lines are missing"
		}
		first += uint64(len(l.Starts))
		for i, at := range l.Starts {
			if at < 0 || int(at) > len(l.Text) || i > 0 && at < l.Starts[i-1] {
				return "a line begins outside its text"
			}
		}
	}
	if len(p.Lines) > 0 && p.Ready && p.Size > first {
		return "more lines than there are"
	}
	if p.I > 0 && !c.Flags.Has("r") && (p.I > p.Size || p.Left > p.Size-p.I) {
		return "more lines to draw than there are"
	}
	for _, at := range p.Moved {
		if at >= p.Size {
			return "a line that is not there"
		}
	}
	return ""
}

// shufLines are some of the lines: so many that adding to them copies little.
type shufLines struct {
	First  uint64  `cbor:"1,keyasint,omitempty"` // lines before
	Text   []byte  `cbor:"2,keyasint,omitempty"` // one after the other
	Starts []int32 `cbor:"3,keyasint,omitempty"` // where each begins
}

// shufMost is how many bytes, with what is kept for each line, are put together.
const shufMost = 1 << 18

// held is how much the lines take.
func (l *shufLines) held() int { return len(l.Text) + 4*len(l.Starts) }

// at gives a line.
func (l *shufLines) at(i uint64) []byte {
	if i -= l.First; i+1 < uint64(len(l.Starts)) {
		return l.Text[l.Starts[i]:l.Starts[i+1]]
	}
	return l.Text[l.Starts[i]:]
}

func (p *shufProgram) Step(c *cmd.Ctx) cmd.Next {
	end := byte('\n')
	if c.Flags.Has("z") {
		end = 0
	}
	if !p.Begun {
		p.Begun = true
		if status, done := p.begin(c, end); done {
			return cmd.Exit(status)
		}
	}
	if !p.Ready {
		return p.read(c, end)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	return p.draw(c, end)
}

// begin checks the command line and opens the files.
func (p *shufProgram) begin(c *cmd.Ctx, end byte) (status int, done bool) {
	p.Left = 1<<64 - 1
	for _, f := range c.Flags {
		switch f.Name {
		case "n":
			n, err := strconv.ParseUint(f.Value, 10, 64)
			if err != nil && !digits(f.Value) {
				c.Errorf("invalid line count: %s", quote.Locale(c, f.Value))
				return 1, true
			}
			if err == nil {
				p.Left = min(p.Left, n)
			}
		case "i":
			if p.Ready {
				c.Errorf("multiple -i options specified")
				return 1, true
			}
			lo, hi, _ := strings.Cut(f.Value, "-")
			a, err := strconv.ParseUint(lo, 10, 64)
			b, err2 := strconv.ParseUint(hi, 10, 64)
			if err != nil || err2 != nil || a > b && a != b+1 || a == 0 && b == 1<<64-1 {
				c.Errorf("invalid input range: %s", quote.Locale(c, f.Value))
				return 1, true
			}
			p.Lo, p.Size, p.Ready = a, b-a+1, true
		case "o":
			if last, _ := c.Flags.Last("o"); last.Value != f.Value {
				c.Errorf("multiple output files specified")
				return 1, true
			}
		}
	}
	args := c.Args
	switch {
	case c.Flags.Has("e") && c.Flags.Has("i"):
		return c.UsageError("cannot combine -e and -i options"), true
	case c.Flags.Has("i") && len(args) > 0:
		return c.ExtraOperand(args[0]), true
	case !c.Flags.Has("e") && len(args) > 1:
		return c.ExtraOperand(args[1]), true
	case c.Flags.Has("e"):
		for i, a := range args {
			if i%1024 == 1023 {
				c.Charge(1024)
			}
			p.add(c, []byte(a))
		}
		p.Ready = true
	case p.Left == 0:
		p.Ready = true
	case !p.Ready && len(args) == 1 && args[0] != "-":
		fd, err := c.Open(args[0], vfs.O_RDONLY, 0)
		if err != nil {
			return c.Fail(args[0], err), true
		}
		p.FD = fd
	}
	return 0, false
}

func (p *shufProgram) add(c *cmd.Ctx, line []byte) {
	n := len(p.Lines)
	if n == 0 || p.Lines[n-1].held() >= c.Turn(shufMost) {
		p.Lines = append(p.Lines, shufLines{First: p.Size})
		n++
	}
	l := &p.Lines[n-1]
	l.Starts = append(l.Starts, int32(len(l.Text)))
	l.Text = large.Append(l.Text, line)
	p.Size++
}

func (p *shufProgram) read(c *cmd.Ctx, end byte) cmd.Next {
	switch err := p.In.Fill(c, p.FD); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	case p.In.EOF:
	case err != nil:
		c.Errorf("read error: %s", err)
		return cmd.Exit(1)
	}
	for line, ok := p.In.Next(end); ok; line, ok = p.In.Next(end) {
		p.add(c, line)
	}
	p.In.Kept = p.held()
	p.Ready = p.In.Ended()
	return cmd.Again()
}

// movedSize is what an exchanged place takes in its map, at most.
const movedSize = 48

// held is how much is kept of the lines and of their permutation.
func (p *shufProgram) held() int {
	n := movedSize * len(p.Moved)
	for i := range p.Lines {
		n += p.Lines[i].held()
	}
	return n
}

// draw writes lines for a turn.
func (p *shufProgram) draw(c *cmd.Ctx, end byte) cmd.Next {
	repeat := c.Flags.Has("r")
	if p.I == 0 {
		if f, ok := c.Flags.Last("o"); ok && p.Out == 0 {
			fd, err := c.Open(f.Value, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
			if err != nil {
				return cmd.Exit(c.Fail(f.Value, err))
			}
			p.Out = fd
		}
		if repeat && p.Size == 0 && p.Left > 0 {
			c.Errorf("no lines to repeat")
			return cmd.Exit(1)
		}
		if !repeat {
			p.Left = min(p.Left, p.Size)
		}
	}
	c.Hold(p.held())
	from := c.Out.Len()
	most := c.Turn(1024)
	c.Charge(2 * most)
	for n := 0; n < most && p.Left > 0 && c.Out.Len() < from+cmd.Turn; n++ {
		i := p.I
		if repeat {
			i = 0
		}
		p.line(c, p.pick(i, i+random(c, p.Size-i), repeat), end)
		p.I++
		p.Left--
	}
	if p.Out != 0 {
		data := bytes.Clone(c.Out.B[from:])
		c.Out.B = c.Out.B[:from]
		if err := c.Write(p.Out, data); err != nil {
			c.Errorf("write error: %s", err)
			return cmd.Exit(1)
		}
	}
	if p.Left == 0 {
		return cmd.Exit(0)
	}
	return cmd.Again()
}

// pick exchanges places i and j of the permutation, which is 0, 1, 2 … but for
// what Moved says, and gives what came to i.
func (p *shufProgram) pick(i, j uint64, repeat bool) uint64 {
	if repeat {
		return j
	}
	if p.Moved == nil {
		p.Moved = map[uint64]uint64{}
	}
	at := func(k uint64) uint64 {
		if v, ok := p.Moved[k]; ok {
			return v
		}
		return k
	}
	v := at(j)
	p.Moved[j] = at(i)
	delete(p.Moved, i)
	return v
}

// line writes line i.
func (p *shufProgram) line(c *cmd.Ctx, i uint64, end byte) {
	if len(p.Lines) == 0 {
		c.Out.B = strconv.AppendUint(c.Out.B, p.Lo+i, 10)
	} else {
		k, ok := slices.BinarySearchFunc(p.Lines, i, func(l shufLines, i uint64) int { return cmp.Compare(l.First, i) })
		if !ok {
			k--
		}
		c.Out.Write(p.Lines[k].at(i))
	}
	c.Out.WriteByte(end)
}

// random gives a number below n, all equally likely.
func random(c *cmd.Ctx, n uint64) uint64 {
	for {
		hi, lo := bits.Mul64(c.Rand(), n)
		if lo >= n || lo >= -n%n {
			return hi
		}
	}
}
