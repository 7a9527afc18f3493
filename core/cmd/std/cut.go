package std

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
)

func cut() *cmd.Command {
	return &cmd.Command{
		Name: "cut", Summary: "print selected parts of lines from each FILE to standard output",
		Usage: "cut OPTION... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "bytes", Arg: cmd.Required, Meta: "LIST", Help: "select only these bytes"},
			{Short: 'c', Long: "characters", Arg: cmd.Required, Meta: "LIST", Help: "select only these characters"},
			{Short: 'd', Long: "delimiter", Arg: cmd.Required, Meta: "DELIM", Help: "use DELIM instead of TAB for field delimiter"},
			{Short: 'f', Long: "fields", Arg: cmd.Required, Meta: "LIST", Help: "select only these fields; also print any line that contains no delimiter character, unless -s is given"},
			{Short: 'n', Help: "(ignored)"},
			{Long: "complement", Help: "complement the set of selected bytes, characters or fields"},
			{Short: 's', Long: "only-delimited", Help: "do not print lines not containing delimiters"},
			{Long: "output-delimiter", Arg: cmd.Required, Meta: "STRING", Help: "use STRING as the output delimiter"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &cutProgram{} },
	}
}

// cutProgram prints parts of lines.
type cutProgram struct {
	In    cmd.Input `cbor:"1,keyasint,omitempty"`
	Field int       `cbor:"2,keyasint,omitempty"` // lines seen, where the delimiter is the line end
	Shown bool      `cbor:"3,keyasint,omitempty"` // one of them was printed

	opt *cutOptions
}

// span is a range of positions, from 1, both ends in it.
type span struct{ lo, hi int }

const cutEnd = 1<<62 - 1

type cutOptions struct {
	spans    []span
	fields   bool
	only     bool
	delim    byte
	end      byte
	out      []byte // between fields or, if it was given, between byte ranges
	outGiven bool
}

func (p *cutProgram) options(c *cmd.Ctx) (status int) {
	o := &cutOptions{delim: '\t', end: '\n'}
	list, kinds := "", 0
	delimGiven := false
	for _, f := range c.Flags {
		switch f.Name {
		case "b", "c", "f":
			list, o.fields = f.Value, f.Name == "f"
			kinds++
		case "d":
			if len(f.Value) > 1 {
				return c.UsageError("the delimiter must be a single character")
			}
			delimGiven = true
			o.delim = 0
			if f.Value != "" {
				o.delim = f.Value[0]
			}
		case "output-delimiter":
			o.outGiven = true
			if o.out = []byte(f.Value); len(o.out) == 0 {
				o.out = []byte{0}
			}
		case "s":
			o.only = true
		case "z":
			o.end = 0
		}
	}
	switch {
	case kinds == 0:
		return c.UsageError("you must specify a list of bytes, characters, or fields")
	case kinds > 1:
		return c.UsageError("only one list may be specified")
	case !o.fields && delimGiven:
		return c.UsageError("an input delimiter may be specified only when operating on fields")
	case !o.fields && o.only:
		return c.UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
	}
	if !o.outGiven && o.fields {
		o.out = []byte{o.delim}
	}
	var status2 int
	if o.spans, status2 = cutList(c, list, o.fields); status2 != 0 {
		return status2
	}
	if c.Flags.Has("complement") {
		o.spans = cutComplement(o.spans)
	}
	p.opt = o
	return 0
}

// cutList reads a LIST: numbers and ranges, by commas or blanks.
func cutList(c *cmd.Ctx, list string, fields bool) (spans []span, status int) {
	what, zero := "byte/character position", "byte/character positions are numbered from 1"
	if fields {
		what, zero = "field value", "fields are numbered from 1"
	}
	at := 0 // of the item in the list
	for _, item := range strings.Split(strings.NewReplacer(" ", ",", "\t", ",").Replace(list), ",") {
		lo, hi, ranged := strings.Cut(item, "-")
		s := span{1, cutEnd}
		from := at
		at += len(item) + 1
		for i, text := range []string{lo, hi} {
			if text == "" {
				continue
			}
			bad := strings.TrimLeft(text, "0123456789")
			if bad != "" {
				if ranged && strings.HasPrefix(bad, "-") {
					if fields {
						return nil, c.UsageError("invalid field range")
					}
					return nil, c.UsageError("invalid byte or character range")
				}
				return nil, c.UsageError("invalid %s %s", what, quote.Locale(c, list[from+i*(len(lo)+1)+len(text)-len(bad):]))
			}
			n, err := strconv.Atoi(text)
			if err != nil || n >= cutEnd {
				if fields {
					return nil, c.UsageError("field number %s is too large", quote.Locale(c, text))
				}
				return nil, c.UsageError("byte/character offset %s is too large", quote.Locale(c, text))
			}
			if i == 0 {
				s.lo = n
				if n == 0 {
					return nil, c.UsageError("%s", zero)
				}
			} else {
				s.hi = n
			}
		}
		switch {
		case !ranged && lo == "":
			return nil, c.UsageError("%s", zero)
		case !ranged:
			s.hi = s.lo
		case lo == "" && hi == "":
			return nil, c.UsageError("invalid range with no endpoint: -")
		case s.hi < s.lo:
			return nil, c.UsageError("invalid decreasing range")
		}
		spans = append(spans, s)
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].lo < spans[j].lo })
	merged := spans[:1]
	for _, s := range spans[1:] {
		last := &merged[len(merged)-1]
		if s.lo <= last.hi {
			last.hi = max(last.hi, s.hi)
		} else {
			merged = append(merged, s)
		}
	}
	return merged, 0
}

func cutComplement(spans []span) []span {
	var other []span
	from := 1
	for _, s := range spans {
		if s.lo > from {
			other = append(other, span{from, s.lo - 1})
		}
		from = s.hi + 1
	}
	if from <= cutEnd {
		other = append(other, span{from, cutEnd})
	}
	return other
}

func (p *cutProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	o := p.opt
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	out := c.Out.B
	for line, ok := p.In.Next(o.end); ok; line, ok = p.In.Next(o.end) {
		switch {
		case !o.fields:
			out = append(o.bytes(c, out, line), o.end)
		case o.delim == o.end:
			out = p.lineField(c, out, line)
		default:
			out = o.cutFields(c, out, line)
		}
		c.Out.B = out
	}
	if p.In.Ended() && p.Shown {
		out = append(out, o.end)
		p.Field, p.Shown = 0, false
	}
	c.Out.B = out
	return cmd.Again()
}

// lineField treats a line as a field: the delimiter is the line end.
func (p *cutProgram) lineField(c *cmd.Ctx, out, line []byte) []byte {
	p.Field++
	for _, s := range p.opt.spans {
		if p.Field >= s.lo && p.Field <= s.hi {
			if p.Shown {
				out = large.Push(out, p.opt.out, c)
			}
			p.Shown = true
			return append(out, line...)
		}
	}
	return out
}

// bytes appends the selected bytes of a line.
func (o *cutOptions) bytes(c *cmd.Ctx, out, line []byte) []byte {
	for i, s := range o.spans {
		if s.lo > len(line) {
			break
		}
		if i > 0 && o.outGiven {
			out = large.Push(out, o.out, c)
		}
		out = append(out, line[s.lo-1:min(s.hi, len(line))]...)
	}
	return out
}

// cutFields appends the selected fields of a line, and the line end.
func (o *cutOptions) cutFields(c *cmd.Ctx, out, line []byte) []byte {
	i := bytes.IndexByte(line, o.delim)
	if i < 0 {
		if o.only {
			return out
		}
		return append(append(out, line...), o.end)
	}
	spans := o.spans
	first := true
	for field := 1; len(spans) > 0; field++ {
		if field%4096 == 0 {
			c.Charge(4096 / 8)
		}
		if field >= spans[0].lo {
			if !first {
				out = large.Push(out, o.out, c)
			}
			first = false
			if spans[0].hi == cutEnd && len(o.out) == 1 && o.out[0] == o.delim {
				out = append(out, line...)
				break
			}
			if i < 0 {
				out = append(out, line...)
			} else {
				out = append(out, line[:i]...)
			}
			if field == spans[0].hi {
				spans = spans[1:]
			}
		}
		if i < 0 {
			break
		}
		line = line[i+1:]
		i = bytes.IndexByte(line, o.delim)
	}
	return append(out, o.end)
}
