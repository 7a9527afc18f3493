package std

import (
	"math"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func expand() *cmd.Command {
	return &cmd.Command{
		Name: "expand", Summary: "convert tabs in each FILE to spaces, writing to standard output",
		Usage: "expand [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'i', Long: "initial", Help: "do not convert tabs after non blanks"},
			{Short: 't', Long: "tabs", Arg: cmd.Required, Meta: "LIST", Help: "have tabs N characters apart, not 8, or at the explicit positions of a comma separated LIST"},
		},
		Class:    cmd.Step,
		Obsolete: tabsObsolete,
		New:      func() cmd.Program { return &expandProgram{} },
	}
}

// tabsObsolete reads -4 and -4,8 as -t.
func tabsObsolete(_ *cmd.Ctx, args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "0123456789,") == "" && (i == 0 || args[i-1] != "-t") {
			a = "-t" + a[1:]
		}
		out = append(out, a)
	}
	return out
}

// tabStops are the columns of the stops: explicit ones, then every `every` columns from base.
type tabStops struct {
	stops []int
	every int  // 0: single blanks after the last stop
	plus  bool // every counts from the last stop, not from 0
}

// parseTabs reads the values of all -t options.
func parseTabs(c *cmd.Ctx) (*tabStops, bool) {
	t := &tabStops{}
	seen := false
	for _, f := range c.Flags {
		if f.Name != "t" {
			continue
		}
		seen = true
		if !t.add(c, f.Value) {
			return nil, false
		}
	}
	last := 0
	for _, s := range t.stops {
		if s == 0 {
			c.Errorf("tab size cannot be 0")
			return nil, false
		}
		if s <= last {
			c.Errorf("tab sizes must be ascending")
			return nil, false
		}
		last = s
	}
	if !seen || len(t.stops) == 0 && t.every == 0 {
		t.every = 8
	}
	if len(t.stops) == 1 && t.every == 0 {
		t.stops, t.every = nil, t.stops[0]
	}
	return t, true
}

func (t *tabStops) add(c *cmd.Ctx, list string) bool {
	for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		kind := byte(0)
		for item != "" && (item[0] == '/' || item[0] == '+') { // the last one counts
			kind, item = item[0], item[1:]
		}
		n := len(item) - len(strings.TrimLeft(item, "0123456789"))
		if n < len(item) {
			if n > 0 && (item[n] == '/' || item[n] == '+') {
				c.Errorf("%s specifier not at start of number: %s", quote.Shell(c, item[n:n+1]), quote.Locale(c, item[n:]))
				return false
			}
			c.Errorf("tab size contains invalid character(s): %s", quote.Locale(c, item[n:]))
			return false
		}
		v := 0
		for _, d := range []byte(item) {
			if v = v*10 + int(d-'0'); v > math.MaxInt32 {
				c.Errorf("tab stop is too large %s", quote.Locale(c, item))
				return false
			}
		}
		switch {
		case kind == 0 && t.every > 0:
			mark := "/"
			if t.plus {
				mark = "+"
			}
			c.Errorf("'%s' specifier only allowed with the last value", mark)
			return false
		case kind == 0:
			t.stops = append(t.stops, v)
		case t.every > 0:
			c.Errorf("'%c' specifier only allowed with the last value", kind)
			return false
		default:
			t.every, t.plus = v, kind == '+'
		}
	}
	return true
}

// next is the stop after column; last is true when there is none, and a tab is one blank.
func (t *tabStops) next(column int) (stop int, last bool) {
	for _, s := range t.stops {
		if s > column {
			return s, false
		}
	}
	if t.every == 0 {
		return column + 1, true
	}
	base := 0
	if t.plus && len(t.stops) > 0 {
		base = t.stops[len(t.stops)-1]
	}
	return column + t.every - (column-base)%t.every, false
}

// expandProgram writes blanks for tabs.
type expandProgram struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Column int       `cbor:"2,keyasint,omitempty"`
	Text   bool      `cbor:"3,keyasint,omitempty"` // -i: past the leading blanks
	Blanks int       `cbor:"4,keyasint,omitempty"` // of a tab, not written yet

	tabs *tabStops
}

func (p *expandProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.tabs == nil {
		tabs, ok := parseTabs(c)
		if !ok {
			return cmd.Exit(1)
		}
		p.tabs = tabs
	}
	if p.Blanks > 0 {
		if c.Pending() > cmd.Turn {
			return cmd.WaitWrite()
		}
		p.blanks(c)
		return cmd.Again()
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	in := p.In.Rest()
	n := p.expand(c, in)
	p.In.Skip(n)
	p.In.More = n < len(in)
	return cmd.Again()
}

// expand writes as much of the input as a turn may and gives how much it was.
func (p *expandProgram) expand(c *cmd.Ctx, in []byte) int {
	initial := c.Flags.Has("i")
	limit := c.Out.Len() + c.Turn(2*cmd.Turn)
	for i, b := range in {
		if p.Blanks > 0 || c.Out.Len() >= limit {
			return i
		}
		switch {
		case b == '\n':
			p.Column, p.Text = 0, false
		case p.Text:
		case b == '\t':
			stop, _ := p.tabs.next(p.Column)
			p.Blanks, p.Column = stop-p.Column, stop
			p.blanks(c)
			continue
		case b == '\b':
			p.Column = max(0, p.Column-1)
			p.Text = initial
		default:
			p.Column++
			p.Text = initial && b != ' '
		}
		c.Out.B = append(c.Out.B, b)
	}
	return len(in)
}

// blanks writes as many of the blanks of a tab as a turn may: a tab stop can be far away.
func (p *expandProgram) blanks(c *cmd.Ctx) {
	n := min(p.Blanks, c.Turn(cmd.Turn))
	c.Out.Pad(' ', n)
	p.Blanks -= n
}
