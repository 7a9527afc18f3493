// Package fmt is the utility fmt, which fills paragraphs.
//
// Breaks are chosen for the whole paragraph at once: every line costs the square
// of its distance from the goal width, half of that for each difference between
// neighbours, and a little more or less for breaking near punctuation. The
// numbers are those of GNU fmt, so that the breaks are the same.
//
// Input is taken line by line; the words of the paragraph that is being read are
// the state. A paragraph is closed by the first line that cannot belong to it.
package fmt

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
)

// Command is fmt.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "fmt", Summary: "reformat each paragraph in the FILE(s), writing to standard output",
		Usage: "fmt [-WIDTH] [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'c', Long: "crown-margin", Help: "preserve indentation of first two lines"},
			{Short: 'p', Long: "prefix", Arg: cmd.Required, Meta: "STRING", Help: "reformat only lines beginning with STRING, reattaching the prefix to reformatted lines"},
			{Short: 's', Long: "split-only", Help: "split long lines, but do not refill"},
			{Short: 't', Long: "tagged-paragraph", Help: "indentation of first line different from second"},
			{Short: 'u', Long: "uniform-spacing", Help: "one space between words, two after sentences"},
			{Short: 'w', Long: "width", Arg: cmd.Required, Meta: "WIDTH", Help: "maximum line width (default of 75 columns)"},
			{Short: 'g', Long: "goal", Arg: cmd.Required, Meta: "WIDTH", Help: "goal width (default of 93% of width)"},
		},
		Class:     cmd.Step,
		Obsolete:  obsolete,
		OpenError: "cannot open 'NAME' for reading: WHY",
		ReadError: "read error: WHY",
		New:       func() cmd.Program { return &program{} },
	}
}

// obsolete reads -N as first argument.
func obsolete(_ *cmd.Ctx, args []string) []string {
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0][1] >= '0' && args[0][1] <= '9' {
		return append([]string{"-w" + args[0][1:]}, args[1:]...)
	}
	return args
}

// The size of a paragraph in words and bytes; a longer one is filled in parts.
const (
	maxWords = 1000
	maxChars = 5000
	tabWidth = 8
)

// program fills the paragraphs of each file.
type program struct {
	In        cmd.Input `cbor:"1,keyasint,omitempty"`
	Words     []word    `cbor:"2,keyasint,omitempty"`              // of the paragraph that is open
	Lines     int       `cbor:"4,keyasint,omitempty"`              // lines it has
	Indent    int       `cbor:"5,keyasint,omitempty" holds:"size"` // of its prefix
	First     int       `cbor:"6,keyasint,omitempty" holds:"size"` // column of its first line
	Other     int       `cbor:"7,keyasint,omitempty" holds:"size"` // column of the others; kept between paragraphs
	Tabs      bool      `cbor:"8,keyasint,omitempty"`              // the file has tabs: write tabs
	LastWidth int       `cbor:"9,keyasint,omitempty" holds:"size"` // of the line written last in a paragraph that goes on
	File      int       `cbor:"10,keyasint,omitempty"`

	opt    *options
	chars  int // bytes in Words
	out    []byte
	column int
	work   *cmd.Ctx
}

// word is a word of the paragraph and the blanks behind it.
type word struct {
	Text  []byte `cbor:"1,keyasint,omitempty"`
	Space int    `cbor:"2,keyasint,omitempty" holds:"size"`
	Final bool   `cbor:"6,keyasint,omitempty"` // ends a sentence

	paren  bool // begins with a bracket
	period bool // ends in .?!
	punct  bool // ends in punctuation
	length int  // of Text, or the sentinel's
	width  int  // of the best line that begins here
	cost   int64
	next   int // where the line after it begins
}

type options struct {
	crown, tagged, split, uniform bool
	prefix                        []byte
	lead, full                    int // blanks before the prefix; its length with the blanks behind
	width, goal                   int
}

func (p *program) options(c *cmd.Ctx) bool {
	o := &options{width: 75}
	widthText, goalText := "", ""
	widthGiven, goalGiven := false, false
	for _, f := range c.Flags {
		switch f.Name {
		case "c":
			o.crown = true
		case "t":
			o.tagged = true
		case "s":
			o.split = true
		case "u":
			o.uniform = true
		case "w":
			widthText, widthGiven = f.Value, true
		case "g":
			goalText, goalGiven = f.Value, true
		case "p":
			text := strings.TrimLeft(f.Value, " ")
			o.lead, o.full = len(f.Value)-len(text), len(text)
			o.prefix = []byte(strings.TrimRight(text, " "))
		}
	}
	ok := true
	if widthGiven {
		o.width, ok = number(c, widthText, maxChars/2)
	}
	o.goal = o.width * 187 / 200
	if ok && goalGiven {
		o.goal, ok = number(c, goalText, o.width)
		if !widthGiven {
			o.width = o.goal + 10
		}
	}
	p.opt = o
	return ok
}

func number(c *cmd.Ctx, s string, most int) (int, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
	switch {
	case err != nil && !strings.Contains(err.Error(), "range"):
		c.Errorf("invalid width: %s", quote.Locale(c, s))
		return 0, false
	case err != nil || n > uint64(most):
		c.Errorf("invalid width: %s: Numerical result out of range", quote.Locale(c, s))
		return 0, false
	}
	return int(n), true
}

// Step takes the lines of one turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if !p.options(c) {
			return cmd.Exit(1)
		}
		for i := range p.Words { // after a load
			p.Words[i].punctuation()
			p.chars += len(p.Words[i].Text)
		}
	}
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	if p.File != p.In.Count {
		p.File, p.Tabs, p.Other = p.In.Count, false, 0
	}
	p.out, p.work = c.Out.B, c
	for text, ok := p.In.Next('\n'); ok; text, ok = p.In.Next('\n') {
		p.line(text, p.In.Bare())
	}
	if p.In.Ended() {
		p.close(0, false)
	}
	c.Out.B, p.out, p.work = p.out, nil, nil
	c.Charge(64)
	return cmd.Again()
}

// start is how a line begins: the column of its prefix, the column behind it,
// and what follows.
func (p *program) start(text []byte) (indent, column int, rest []byte) {
	o := p.opt
	column, rest = p.blanks(0, text)
	if len(o.prefix) == 0 {
		return min(o.lead, column), column, rest
	}
	indent = column
	for _, b := range o.prefix {
		if len(rest) == 0 || rest[0] != b {
			return indent, column, rest
		}
		column++
		rest = rest[1:]
	}
	column, rest = p.blanks(column, rest)
	return indent, column, rest
}

// blanks skips blanks at the start of text.
func (p *program) blanks(column int, text []byte) (int, []byte) {
	for i, b := range text {
		switch b {
		case ' ':
			column++
		case '\t':
			p.Tabs = true
			column = (column/tabWidth + 1) * tabWidth
		default:
			return column, text[i:]
		}
	}
	return column, nil
}

// line takes an input line. bare is a line at the end of the file without a newline.
func (p *program) line(text []byte, bare bool) {
	o := p.opt
	indent, column, rest := p.start(text)
	if len(p.Words) > 0 {
		same := indent == p.Indent && column >= indent+o.full && len(rest) > 0
		if p.Lines == 1 {
			p.setOther(column, same)
		}
		goesOn := same && column == p.Other
		if o.split || o.tagged && p.Lines == 1 && column == p.First {
			goesOn = false
		}
		if goesOn {
			p.Lines++
			p.add(column, rest, bare)
			return
		}
		p.finish()
	}
	if len(rest) == 0 || indent < o.lead || column < indent+o.full {
		p.copyRest(indent, column, rest, bare)
		return
	}
	p.Indent, p.First, p.LastWidth, p.Lines = indent, column, 0, 1
	p.add(column, rest, bare)
}

// close ends the open paragraph at the end of a file.
func (p *program) close(column int, same bool) {
	if len(p.Words) == 0 {
		return
	}
	if p.Lines == 1 {
		p.setOther(column, same)
	}
	p.finish()
}

// finish fills what is there of the paragraph and writes it.
func (p *program) finish() {
	last := &p.Words[len(p.Words)-1]
	last.period, last.Final = true, true
	p.fill()
	p.write(len(p.Words) - 1)
	p.Words, p.chars, p.Lines = p.Words[:0], 0, 0
}

// setOther sets the column of the lines after the first, knowing the column of the line that follows it.
func (p *program) setOther(column int, same bool) {
	o := p.opt
	switch {
	case o.split:
		p.Other = p.First
	case o.crown:
		p.Other = p.First
		if same {
			p.Other = column
		}
	case o.tagged:
		if same && column != p.First {
			p.Other = column
		} else if p.Other == p.First {
			p.Other = 0
			if p.First == 0 {
				p.Other = 3
			}
		}
	default:
		p.Other = p.First
	}
}

// copyRest writes a line as it is: it is blank or has not the prefix.
func (p *program) copyRest(indent, column int, rest []byte, bare bool) {
	o := p.opt
	p.column = 0
	if column > indent || len(rest) > 0 {
		p.space(indent)
		for i := 0; p.column != column && i < len(o.prefix); i++ {
			p.out = append(p.out, o.prefix[i])
			p.column++
		}
		if len(rest) > 0 {
			p.space(column - p.column)
		}
		if bare && len(rest) == 0 && column >= indent+len(o.prefix) {
			p.out = append(p.out, '\n')
		}
	}
	p.out = large.Append(p.out, rest)
	if !bare {
		p.out = append(p.out, '\n')
	}
}

// add takes the words of a line.
func (p *program) add(column int, text []byte, bare bool) {
	for len(text) > 0 {
		n := 1
		for n < len(text) && strings.IndexByte(" \t\n\v\f\r", text[n]) < 0 {
			n++
		}
		w := word{}
		for from := 0; ; {
			if room := maxChars - p.chars; n-from > room {
				w.Text = append(w.Text, text[from:from+room]...)
				from += room
				p.chars += room
				p.setOther(column, true)
				p.flush(&w)
				continue
			}
			w.Text = append(w.Text, text[from:n]...)
			p.chars += n - from
			break
		}
		column += len(w.Text)
		text = text[n:]
		w.punctuation()
		start := column
		column, text = p.blanks(column, text)
		end := len(text) == 0
		w.Space = column - start
		w.Final = end && bare || w.period && (end || w.Space > 1)
		if end || p.opt.uniform {
			w.Space = 1
			if w.Final {
				w.Space = 2
			}
		}
		if len(p.Words) == maxWords-2 {
			p.setOther(column, true)
			p.flush(&w)
		}
		p.Words = append(p.Words, w)
	}
}

// punctuation looks at the ends of a word.
func (w *word) punctuation() {
	text := w.Text
	if len(text) == 0 {
		return
	}
	last := text[len(text)-1]
	w.paren = strings.IndexByte("(['`\"", text[0]) >= 0
	w.punct = last > ' ' && last < 0x7f && !(last >= '0' && last <= '9' || last|0x20 >= 'a' && last|0x20 <= 'z')
	for len(text) > 1 && strings.IndexByte(")]'\"", text[len(text)-1]) >= 0 {
		text = text[:len(text)-1]
	}
	w.period = strings.IndexByte(".?!", text[len(text)-1]) >= 0
}

// flush writes a part of a paragraph that has become too long; w is the word being read.
func (p *program) flush(w *word) {
	if len(p.Words) == 0 {
		p.work.Charge(len(w.Text) / 16)
		p.out = large.Push(p.out, w.Text, p.work)
		p.chars = 0
		w.Text = nil
		return
	}
	p.work.Charge(len(p.Words) * (1 + p.opt.width/16) / 8)
	p.fill()
	end := len(p.Words) - 1 // without the sentinel
	split := end
	const most = 1<<63 - 1
	best := int64(most)
	for i := p.Words[0].next; i != end; i = p.Words[i].next {
		if d := p.Words[i].cost - p.Words[p.Words[i].next].cost; d < best {
			split, best = i, d
		}
		if best <= most-9 {
			best += 9
		}
	}
	p.write(split)
	p.Words = append(p.Words[:0:0], p.Words[split:end]...)
	p.chars = len(w.Text)
	for i := range p.Words {
		p.chars += len(p.Words[i].Text)
	}
}

// write writes the lines of the filled paragraph up to the word at end, which begins a line.
func (p *program) write(end int) {
	const (
		wide = 1 << 8  // an indentation that is more than the text
		full = 1 << 20 // what is not kept up to the end of the turn
	)
	indent := p.First
	for i := 0; i != end; {
		if indent > wide {
			p.work.Charge(indent >> 5)
			p.work.Need(indent)
		}
		p.column = 0
		p.space(p.Indent)
		p.out = append(p.out, p.opt.prefix...)
		p.column += len(p.opt.prefix)
		p.space(indent - p.column)
		next := p.Words[i].next
		for ; i < next; i++ {
			w := &p.Words[i]
			p.out = large.Append(p.out, w.Text)
			p.column += len(w.Text)
			if i < next-1 {
				p.space(w.Space)
			}
		}
		p.LastWidth = p.column
		p.out = append(p.out, '\n')
		if len(p.out) > full {
			p.work.Out.B = p.out
			p.work.Flush()
			p.out = p.work.Out.B
		}
		indent = p.Other
	}
}

// space writes n blanks, with tabs if the file has them.
func (p *program) space(n int) {
	to := p.column + n
	if p.Tabs {
		if tab := to / tabWidth * tabWidth; p.column+1 < tab {
			p.out = large.Pad(p.out, '\t', (tab-p.column+tabWidth-1)/tabWidth, p.work)
			p.column = tab
		}
	}
	if n = to - p.column; n > 0 {
		p.out = large.Pad(p.out, ' ', n, p.work)
		p.column = to
	}
}
