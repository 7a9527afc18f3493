package jq

import (
	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// Dumper writes one value as JSON, in pieces.
type Dumper struct {
	Open  []DumpLevel `cbor:"1,keyasint,omitempty"`
	First Value       `cbor:"2,keyasint,omitempty"` // to be written
	On    bool        `cbor:"3,keyasint,omitempty"`
}

// DumpLevel is a container that is being written.
type DumpLevel struct {
	V    Value    `cbor:"1,keyasint,omitempty"`
	I    int      `cbor:"2,keyasint,omitempty"`
	Keys []string `cbor:"3,keyasint,omitempty"` // with -S
}

// layout is how JSON is written.
type layout struct {
	indent   int // spaces; -1 is a tab, 0 one line
	sorted   bool
	ascii    bool
	brief    bool // only the beginning is of interest
	color    bool
	colors   [8]string
	keyColor string
}

const colorOff = "\x1b[0m"

// briefText is how much of a text a brief layout shows at most, in bytes.
const briefText = 64

// shown is what a layout shows of a text.
func (l *layout) shown(s string) string {
	if l.brief && len(s) > briefText {
		return s[:briefText]
	}
	return s
}

// begin starts to write a result.
func (p *Program) begin(v Value) {
	p.Out = Dumper{First: v, On: true, Open: p.Out.Open[:0]}
	if p.opts.seq {
		p.c.Out.B = append(p.c.Out.B, 0x1e)
	}
}

// dump goes on writing a result. It is false if there is more to come.
func (p *Program) dump() bool {
	b := p.c.Out.B
	start := len(b)
	v := p.Out.First
	o := p.opts
	if p.Out.On && v.K == String && o.unquoted {
		if o.layout.ascii {
			b = escaped(b, v.S, true, p)
		} else {
			b = large.Push(b, v.S, p)
		}
		p.Out.On = false
	} else {
		var done bool
		if b, done = p.write(b, &p.Out, &o.layout, start+p.c.Turn(cmd.Turn/2)); !done {
			p.c.Out.B = b
			p.spend((len(b) - start) >> 2)
			return false
		}
	}
	switch {
	case o.nul:
		b = append(b, 0)
	case !o.joined:
		b = append(b, '\n')
	}
	p.c.Out.B = b
	p.spend((len(b)-start)>>2 + 1)
	return true
}

// write appends a value until it is complete or b is longer than limit.
func (p *Program) write(b []byte, d *Dumper, l *layout, limit int) ([]byte, bool) {
	if d.On {
		d.On = false
		b = p.open(b, d, l, d.First)
	}
	for len(d.Open) > 0 {
		if len(b) > limit {
			return b, false
		}
		top := &d.Open[len(d.Open)-1]
		n := p.Heap.node(top.V)
		object := top.V.K == Object
		color := ""
		if l.color {
			color = l.colors[top.V.K]
		}
		if top.I == len(n.Items) {
			d.Open = d.Open[:len(d.Open)-1]
			if l.color {
				b = append(b, color...)
			}
			b = newline(b, l, len(d.Open))
			if l.color {
				b = append(b, color...)
			}
			if object {
				b = append(b, '}')
			} else {
				b = append(b, ']')
			}
			if l.color {
				b = append(b, colorOff...)
			}
			continue
		}
		if l.color && top.I > 0 {
			b = append(append(append(b, color...), ','), "\x1b[0m"...)
			b = b[:len(b)-len(colorOff)]
		} else if top.I > 0 {
			b = append(b, ',')
		}
		b = newline(b, l, len(d.Open))
		if l.color {
			b = append(b, colorOff...)
		}
		x := Value{}
		if object {
			key := n.Keys[top.I]
			if top.Keys != nil {
				key = top.Keys[top.I]
				x = p.Heap.get(top.V, key)
			} else {
				x = n.Items[top.I]
			}
			if l.color {
				b = append(quoted(append(b, l.keyColor...), l.shown(key), l.ascii, p), colorOff...)
				b = append(append(append(b, color...), ':'), ' ')
				if l.indent == 0 {
					b = b[:len(b)-1]
				}
				b = append(b, colorOff...)
			} else {
				b = append(quoted(b, l.shown(key), l.ascii, p), ':')
				if l.indent != 0 {
					b = append(b, ' ')
				}
			}
		} else {
			x = n.Items[top.I]
		}
		top.I++
		b = p.open(b, d, l, x)
	}
	return b, true
}

func newline(b []byte, l *layout, depth int) []byte {
	if l.indent == 0 {
		return b
	}
	b = append(b, '\n')
	if l.indent < 0 {
		for range depth {
			b = append(b, '\t')
		}
		return b
	}
	for range depth * l.indent {
		b = append(b, ' ')
	}
	return b
}

// open writes a scalar, or the beginning of a container.
func (p *Program) open(b []byte, d *Dumper, l *layout, v Value) []byte {
	color := ""
	if l.color {
		color = l.colors[v.K]
		b = append(b, color...)
	}
	switch v.K {
	case Null:
		b = append(b, "null"...)
	case False:
		b = append(b, "false"...)
	case True:
		b = append(b, "true"...)
	case Number:
		b = appendNumber(b, v)
	case String:
		b = quoted(b, l.shown(v.S), l.ascii, p)
	case Array, Object:
		n := p.Heap.node(v)
		pair := "[]"
		if v.K == Object {
			pair = "{}"
		}
		if len(n.Items) == 0 {
			b = append(b, pair...)
			break
		}
		if len(d.Open) > maxDepth {
			b = append(b, "<skipped: too deep>"...)
			break
		}
		b = append(b, pair[0])
		level := DumpLevel{V: v}
		if v.K == Object && l.sorted {
			level.Keys = p.sortedKeys(v)
		}
		d.Open = append(d.Open, level)
		return b
	}
	if l.color {
		b = append(b, colorOff...)
	}
	return b
}

// appendJSON writes a whole value on one line, at most limit bytes; false says that it is longer.
func (p *Program) appendJSON(b []byte, v Value, limit int) ([]byte, bool) {
	return p.appendAs(b, v, limit, &layout{})
}

func (p *Program) appendAs(b []byte, v Value, limit int, l *layout) ([]byte, bool) {
	d := Dumper{First: v, On: true}
	for {
		from, done := len(b), false
		b, done = p.write(b, &d, l, min(limit, from+draftPart))
		p.spend((len(b)-from)>>2 + 1)
		if done || len(b) > limit {
			return b, done
		}
		b = large.Room(b, 2*draftPart, p)
	}
}

// json is a value as text, for messages.
func (p *Program) json(v Value) string {
	b, ok := p.appendJSON(nil, v, 1<<20)
	if !ok {
		b = append(b, "..."...)
	}
	return large.Text(b, p)
}

// brief is the beginning of a value, for messages.
func (p *Program) brief(v Value) string {
	if v.K == None || v.K > Object {
		return "<invalid>"
	}
	b, _ := p.appendAs(nil, v, briefText, &layout{brief: true})
	if len(b) <= 14 {
		return string(b)
	}
	end := 11
	for end > 0 && b[end]&0xc0 == 0x80 {
		end--
	}
	return string(b[:end]) + "..."
}
