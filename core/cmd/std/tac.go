package std

import (
	"bytes"

	"eryxsh/core/cmd"
)

func tac() *cmd.Command {
	return &cmd.Command{
		Name: "tac", Summary: "write each FILE to standard output, last line first",
		Usage: "tac [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "before", Help: "attach the separator before instead of after"},
			{Short: 'r', Long: "regex", Help: "interpret the separator as a regular expression", Missing: true},
			{Short: 's', Long: "separator", Arg: cmd.Required, Meta: "STRING", Help: "use STRING as the separator instead of newline"},
		},
		Class:     cmd.Step,
		OpenError: "failed to open 'NAME' for reading: WHY",
		ReadError: "NAME: read error: WHY",
		New:       func() cmd.Program { return &tacProgram{} },
	}
}

// tacProgram collects a file, then writes its records from the last to the first.
type tacProgram struct {
	In    cmd.Input `cbor:"1,keyasint,omitempty"`
	Parts [][]byte  `cbor:"2,keyasint,omitempty"` // of this file, up to what is written: all as long as the first but the last
	Phase tacPhase  `cbor:"3,keyasint,omitempty" holds:"3"`
	To    int       `cbor:"4,keyasint,omitempty"` // end of what is searched, or the next byte of the record to write
	From  int       `cbor:"5,keyasint,omitempty"` // where the record that is written begins
}

// tacPhase is what a tac does.
type tacPhase uint8

// The phases: reading a file; then for each record looking for its beginning, and writing it.
const (
	tacReads tacPhase = iota
	tacBegins
	tacSearches
	tacWrites
)

// Wrong checks that the parts are as long as they must be, and the places in them.
func (p *tacProgram) Wrong(*cmd.Ctx) string {
	for i, part := range p.Parts {
		if n := len(p.Parts[0]); len(part) == 0 || len(part) != n && (i < len(p.Parts)-1 || len(part) > n) {
			return "a part of a text is missing"
		}
	}
	switch p.Phase { // in the others they are of the record before
	case tacWrites:
		if s := cmd.Beyond("a place in a text", p.From, p.size()); s != "" {
			return s
		}
		return cmd.Beyond("a place in a text", p.To, p.size())
	case tacSearches:
		return cmd.Beyond("a place in a text", p.To, p.size())
	}
	return ""
}

// tacPart is how much text is in one piece.
const tacPart = 1 << 20

func (p *tacProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.Phase != tacReads {
		if c.Pending() > cmd.Turn {
			return cmd.WaitWrite()
		}
		p.write(c)
		return cmd.Again()
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	p.add(p.In.Take(), c.Turn(tacPart))
	p.In.Kept = p.size()
	if p.In.Ended() && len(p.Parts) > 0 {
		p.Phase = tacBegins
	}
	return cmd.Again()
}

// add appends text to the parts.
func (p *tacProgram) add(text []byte, part int) {
	if len(p.Parts) > 1 {
		part = len(p.Parts[0])
	}
	for len(text) > 0 {
		n := len(p.Parts)
		if n == 0 || len(p.Parts[n-1]) >= part {
			p.Parts = append(p.Parts, nil)
			n++
		}
		some := text[:min(len(text), part-len(p.Parts[n-1]))]
		p.Parts[n-1] = append(p.Parts[n-1], some...)
		text = text[len(some):]
	}
}

func (p *tacProgram) size() int {
	n := len(p.Parts)
	if n == 0 {
		return 0
	}
	return (n-1)*len(p.Parts[0]) + len(p.Parts[n-1])
}

// cut forgets the text from a place on.
func (p *tacProgram) cut(at int) {
	if at == 0 {
		p.Parts = nil
		return
	}
	part := len(p.Parts[0])
	k := (at - 1) / part
	p.Parts = p.Parts[:k+1]
	p.Parts[k] = p.Parts[k][:at-k*part]
}

// matches reports whether sep is at a place.
func (p *tacProgram) matches(at int, sep []byte) bool {
	part := len(p.Parts[0])
	for i, b := range sep {
		if p.Parts[(at+i)/part][(at+i)%part] != b {
			return false
		}
	}
	return true
}

// search looks for the last sep that ends at p.To or before, -1 if there is none. It is
// false when the budget is used up.
func (p *tacProgram) search(sep []byte, budget *int) (at int, ok bool) {
	part := len(p.Parts[0])
	for p.To >= len(sep) {
		if *budget <= 0 {
			return 0, false
		}
		k := (p.To - 1) / part
		first := k * part
		text := p.Parts[k][:p.To-first]
		if i := bytes.LastIndex(text, sep); i >= 0 {
			*budget -= (len(text) - i) / 16
			return first + i, true
		}
		*budget -= len(text) / 16
		for i := min(first-1, p.To-len(sep)); i >= 0 && i > first-len(sep); i-- {
			if p.matches(i, sep) {
				return i, true
			}
		}
		p.To = first
	}
	return -1, true
}

// write writes records for one turn.
func (p *tacProgram) write(c *cmd.Ctx) {
	sep := []byte("\n")
	if f, ok := c.Flags.Last("s"); ok {
		if sep = []byte(f.Value); len(sep) == 0 {
			sep = []byte{0}
		}
	}
	before := c.Flags.Has("b")
	budget := c.Turn(cmd.Turn)
	defer func(was int) { c.Charge((was - budget) / 64) }(budget)
	for len(p.Parts) > 0 && budget > 0 {
		switch p.Phase {
		case tacBegins:
			budget -= 8
			p.To, p.Phase = p.size(), tacSearches
			if !before && p.To >= len(sep) && p.matches(p.To-len(sep), sep) {
				p.To -= len(sep) // the separator that ends this record does not begin it
			}
		case tacSearches:
			at, ok := p.search(sep, &budget)
			if !ok {
				return
			}
			if at >= 0 && !before {
				at += len(sep)
			}
			p.From = max(at, 0)
			p.To, p.Phase = p.From, tacWrites
		case tacWrites:
			part := len(p.Parts[0])
			if p.To < p.size() {
				some := p.Parts[p.To/part][p.To%part:]
				some = some[:min(len(some), budget)]
				c.Out.Write(some)
				p.To += len(some)
				budget -= len(some)
			}
			if p.To == p.size() {
				p.cut(p.From)
				p.Phase = tacBegins
			}
		}
	}
	if len(p.Parts) == 0 {
		p.Phase = tacReads
	}
}
