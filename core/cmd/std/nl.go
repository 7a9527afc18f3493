package std

import (
	"bytes"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/core/regex"
)

func nl() *cmd.Command {
	return &cmd.Command{
		Name: "nl", Summary: "write each FILE to standard output, with line numbers added",
		Usage: "nl [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "body-numbering", Arg: cmd.Required, Meta: "STYLE", Help: "use STYLE for numbering body lines"},
			{Short: 'd', Long: "section-delimiter", Arg: cmd.Required, Meta: "CC", Help: "use CC for logical page delimiters"},
			{Short: 'f', Long: "footer-numbering", Arg: cmd.Required, Meta: "STYLE", Help: "use STYLE for numbering footer lines"},
			{Short: 'h', Long: "header-numbering", Arg: cmd.Required, Meta: "STYLE", Help: "use STYLE for numbering header lines"},
			{Short: 'i', Long: "line-increment", Arg: cmd.Required, Meta: "NUMBER", Help: "line number increment at each line"},
			{Short: 'l', Long: "join-blank-lines", Arg: cmd.Required, Meta: "NUMBER", Help: "group of NUMBER empty lines counted as one"},
			{Short: 'n', Long: "number-format", Arg: cmd.Required, Meta: "FORMAT", Help: "insert line numbers according to FORMAT: ln, rn, rz"},
			{Short: 'p', Long: "no-renumber", Help: "do not reset line numbers for each section"},
			{Short: 's', Long: "number-separator", Arg: cmd.Required, Meta: "STRING", Help: "add STRING after (possible) line number"},
			{Short: 'v', Long: "starting-line-number", Arg: cmd.Required, Meta: "NUMBER", Help: "first line number for each section"},
			{Short: 'w', Long: "number-width", Arg: cmd.Required, Meta: "NUMBER", Help: "use NUMBER columns for line numbers"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &nlProgram{} },
	}
}

// nlProgram numbers lines of logical pages.
type nlProgram struct {
	In      cmd.Input `cbor:"1,keyasint,omitempty"`
	Number  int64     `cbor:"2,keyasint,omitempty"`
	Begun   bool      `cbor:"3,keyasint,omitempty"`
	Section int       `cbor:"4,keyasint,omitempty" holds:"2"` // 0 body, 1 header, 2 footer
	Blank   int64     `cbor:"5,keyasint,omitempty"`           // empty lines in a row

	opt *nlOptions
}

// nlStyle says which lines of a section are numbered.
type nlStyle struct {
	kind byte // a t n p
	re   *regex.Regexp
}

type nlOptions struct {
	styles            [3]nlStyle
	marks             [3][]byte // the lines that begin body, header and footer; nil if off
	start, step, join int64
	width             int
	format            byte // l r z
	keep              bool
	separator         []byte
}

func (p *nlProgram) options(c *cmd.Ctx) bool {
	o := &nlOptions{start: 1, step: 1, join: 1, width: 6, format: 'r', separator: []byte("\t")}
	o.styles = [3]nlStyle{{kind: 't'}, {kind: 'n'}, {kind: 'n'}}
	delim := `\:`
	ok := true
	for _, f := range c.Flags {
		switch f.Name {
		case "b", "h", "f":
			i := strings.Index("bhf", f.Name)
			what := []string{"body", "header", "footer"}[i]
			var message string
			if o.styles[i], message = nlReadStyle(c, f.Value); message == "style" {
				c.Errorf("invalid %s numbering style: %s", what, quote.Locale(c, f.Value))
				ok = false
			} else if message != "" {
				c.Errorf("%s", message)
				return false
			}
		case "d":
			delim = f.Value
			if len(delim) == 1 {
				delim += ":"
			}
		case "i", "v", "l", "w":
			what := map[string]string{"i": "line number increment", "v": "starting line number", "l": "line number of blank lines", "w": "line number field width"}[f.Name]
			n, err := strconv.ParseInt(f.Value, 10, 64)
			least := map[string]int64{"i": -1 << 63, "v": -1 << 63, "l": 1, "w": 1}[f.Name]
			switch {
			case err != nil && !strings.Contains(err.Error(), "range"):
				c.Errorf("invalid %s: %s", what, quote.Locale(c, f.Value))
				return false
			case err != nil || n < least || f.Name == "w" && n > 1<<20:
				c.Errorf("invalid %s: %s: Numerical result out of range", what, quote.Locale(c, f.Value))
				return false
			}
			switch f.Name {
			case "i":
				o.step = n
			case "v":
				o.start = n
			case "l":
				o.join = n
			case "w":
				o.width = int(n)
			}
		case "n":
			if f.Value != "ln" && f.Value != "rn" && f.Value != "rz" {
				c.Errorf("invalid line numbering format: %s", quote.Locale(c, f.Value))
				ok = false
				continue
			}
			o.format = f.Value[0]
			if f.Value == "rz" {
				o.format = 'z'
			}
		case "p":
			o.keep = true
		case "s":
			o.separator = []byte(f.Value)
		}
	}
	if !ok {
		c.TryHelp()
		return false
	}
	if delim != "" {
		o.marks = [3][]byte{[]byte(strings.Repeat(delim, 2)), []byte(strings.Repeat(delim, 3)), []byte(delim)}
	}
	p.opt = o
	return true
}

func nlReadStyle(c *cmd.Ctx, s string) (style nlStyle, message string) {
	if s == "" {
		return style, "style"
	}
	switch style.kind = s[0]; style.kind {
	case 'a', 't', 'n':
		return style, ""
	case 'p':
		re, err := regex.Compile([]byte(s[1:]), regex.Options{Syntax: regex.GrepBasic, Bytes: c.Bytes(), Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need})
		if err != nil {
			return style, err.Error()
		}
		style.re = re
		return style, ""
	}
	return style, "style"
}

func (p *nlProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil && !p.options(c) {
		return cmd.Exit(1)
	}
	o := p.opt
	if !p.Begun {
		p.Begun, p.Number = true, o.start
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	limit := c.Out.Len() + c.Turn(2*cmd.Turn)
	for c.Out.Len() < limit {
		line, ok := p.In.Next('\n')
		if !ok {
			break
		}
		if i := o.mark(line); i >= 0 {
			p.Section = i
			if !o.keep {
				p.Number = o.start
			}
			c.Out.WriteByte('\n')
			continue
		}
		numbered, err := p.numbered(line)
		if err != nil {
			c.Errorf("error in regular expression search")
			return cmd.Exit(1)
		}
		if numbered {
			if o.step > 0 && p.Number < o.start || o.step < 0 && p.Number > o.start {
				c.Errorf("line number overflow")
				return cmd.Exit(1)
			}
			c.Out.B = o.number(c, c.Out.B, p.Number)
			c.Out.Write(o.separator)
			p.Number += o.step
		} else {
			c.Out.Pad(' ', o.width+len(o.separator))
		}
		c.Out.Write(line)
		c.Out.WriteByte('\n')
	}
	return cmd.Again()
}

// mark is the section that a line begins, or -1.
func (o *nlOptions) mark(line []byte) int {
	for i, m := range o.marks {
		if m != nil && bytes.Equal(line, m) {
			return i
		}
	}
	return -1
}

// numbered reports whether a line gets a number.
func (p *nlProgram) numbered(line []byte) (bool, error) {
	switch s := p.opt.styles[p.Section]; s.kind {
	case 'a':
		if p.opt.join > 1 && len(line) == 0 {
			p.Blank++
			if p.Blank < p.opt.join {
				return false, nil
			}
		}
		p.Blank = 0
		return true, nil
	case 't':
		return len(line) > 0, nil
	case 'p':
		return s.re.Match(line)
	}
	return false, nil
}

// number writes a line number in its field.
func (o *nlOptions) number(c *cmd.Ctx, out []byte, n int64) []byte {
	text := strconv.FormatInt(n, 10)
	pad := o.width - len(text)
	switch o.format {
	case 'l':
		out = append(out, text...)
		return large.Pad(out, ' ', pad, c)
	case 'z':
		if n < 0 {
			out, text = append(out, '-'), text[1:]
		}
		return append(large.Pad(out, '0', pad, c), text...)
	}
	return append(large.Pad(out, ' ', pad, c), text...)
}
