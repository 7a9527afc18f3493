package std

import (
	"strings"

	"eryxsh/core/cmd"
)

func unexpand() *cmd.Command {
	return &cmd.Command{
		Name: "unexpand", Summary: "convert blanks in each FILE to tabs, writing to standard output",
		Usage: "unexpand [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'a', Long: "all", Help: "convert all blanks, instead of just initial blanks"},
			{Long: "first-only", Help: "convert only leading sequences of blanks (overrides -a)"},
			{Short: 't', Long: "tabs", Arg: cmd.Required, Meta: "LIST", Help: "have tabs N characters apart, not 8 (enables -a)"},
		},
		Class:    cmd.Step,
		Obsolete: unexpandObsolete,
		New:      func() cmd.Program { return &unexpandProgram{} },
	}
}

// unexpandObsolete reads -4 and -4,8 as -t, which does not turn on -a then: the
// empty item in front tells them apart.
func unexpandObsolete(c *cmd.Ctx, args []string) []string {
	out := tabsObsolete(c, args)
	for i := range out {
		if i < len(args) && out[i] != args[i] {
			out[i] = "-t," + out[i][2:]
		}
	}
	return out
}

// unexpandProgram writes tabs for blanks that reach a stop.
type unexpandProgram struct {
	In      cmd.Input `cbor:"1,keyasint,omitempty"`
	Column  int       `cbor:"2,keyasint,omitempty"`
	Pending []byte    `cbor:"3,keyasint,omitempty"` // blanks read and not written
	Text    bool      `cbor:"4,keyasint,omitempty"` // no more converting in this line
	Prev    bool      `cbor:"5,keyasint,omitempty"` // the byte before was a blank
	OneTab  bool      `cbor:"6,keyasint,omitempty"` // a single blank before a stop was kept as pending
	Begun   bool      `cbor:"7,keyasint,omitempty"` // Prev is set

	tabs *tabStops
}

func (p *unexpandProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.tabs == nil {
		tabs, ok := parseTabs(c)
		if !ok {
			return cmd.Exit(1)
		}
		p.tabs = tabs
	}
	if !p.Begun {
		p.Begun, p.Prev = true, true
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if p.In.End {
			p.flush(c)
		}
		return next
	}
	all := c.Flags.Has("a")
	for _, f := range c.Flags {
		all = all || f.Name == "t" && !strings.HasPrefix(f.Value, ",")
	}
	all = all && !c.Flags.Has("first-only")
	for _, b := range p.In.Take() {
		p.byte(c, b, all)
	}
	c.Hold(len(p.Pending))
	return cmd.Again()
}

// flush writes the blanks that wait.
func (p *unexpandProgram) flush(c *cmd.Ctx) {
	if len(p.Pending) == 0 {
		return
	}
	if len(p.Pending) > 1 && p.OneTab {
		p.Pending[0] = '\t'
	}
	c.Out.Write(p.Pending)
	p.Pending, p.OneTab = p.Pending[:0], false
}

// byte takes one byte; it follows GNU unexpand, where a single blank that
// happens to end at a stop is only converted before another blank.
func (p *unexpandProgram) byte(c *cmd.Ctx, b byte, all bool) {
	if !p.Text {
		blank := b == ' ' || b == '\t'
		switch {
		case blank:
			stop, last := p.tabs.next(p.Column)
			if last {
				p.Text = true
			}
			if !p.Text {
				if b == '\t' {
					p.Column = stop
					if len(p.Pending) > 0 {
						p.Pending = append(p.Pending[:0], '\t')
					}
				} else {
					p.Column++
					if !(p.Prev && p.Column == stop) {
						if p.Column == stop {
							p.OneTab = true
						}
						p.Pending = append(p.Pending, b)
						p.Prev = true
						return
					}
					// The run of blanks reaches a stop.
					if len(p.Pending) > 0 {
						p.Pending[0] = '\t'
					}
					b = '\t'
				}
				// A tab takes the place of the blanks before it.
				if p.OneTab {
					p.Pending = append(p.Pending[:0], '\t')
				} else {
					p.Pending = p.Pending[:0]
				}
			}
		case b == '\b':
			p.Column = max(0, p.Column-1)
		default:
			p.Column++
		}
		p.flush(c)
		p.Prev = blank
		p.Text = p.Text || !all && !blank
	}
	c.Out.WriteByte(b)
	if b == '\n' {
		p.Column, p.Text, p.Prev, p.OneTab = 0, false, true, false
	}
}
