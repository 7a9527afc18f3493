// Package pr is the utility pr, which sets files in pages and columns.
//
// Input comes in pieces: what stands before a newline, a form feed or the end
// of a file (input.go). A page is a number of rows, and a row takes one piece
// of each column (page.go): of the next file with -m, of the next column with
// -a. Columns that go down are read first, a page of them, and balanced. A turn
// takes a piece or writes a row only when all that it needs is there.
package pr

import (
	"eryxsh/core/cmd"
)

// Command is pr.
func Command() *cmd.Command {
	digits := make([]cmd.Option, 0, 10)
	for d := byte('0'); d <= '9'; d++ {
		digits = append(digits, cmd.Option{Short: d, Help: "a digit of the number of columns"})
	}
	return &cmd.Command{
		Name: "pr", Summary: "paginate or columnate FILE(s) for printing",
		Usage: "pr [OPTION]... [FILE]...",
		Options: append(digits, []cmd.Option{
			{Long: "pages", Arg: cmd.Required, Meta: "FIRST[:LAST]", Help: "begin [stop] printing with page FIRST [LAST]; also +FIRST[:LAST]"},
			{Long: "columns", Arg: cmd.Required, Meta: "COLUMN", Help: "output COLUMN columns, balanced, which go down unless -a is used; also -COLUMN"},
			{Short: 'a', Long: "across", Help: "print columns across rather than down"},
			{Short: 'b', Help: "balance columns, as is always done"},
			{Short: 'c', Long: "show-control-chars", Help: "use hat notation (^G) and octal backslash notation"},
			{Short: 'd', Long: "double-space", Help: "double space the output"},
			{Short: 'D', Long: "date-format", Arg: cmd.Required, Meta: "FORMAT", Help: "use FORMAT for the header date"},
			{Short: 'e', Long: "expand-tabs", Arg: cmd.Optional, Meta: "CHAR[WIDTH]", Help: "expand input CHARs (TABs) to tab WIDTH (8)"},
			{Short: 'F', Help: "use form feeds instead of newlines to separate pages"},
			{Short: 'f', Long: "form-feed", Help: "use form feeds instead of newlines to separate pages"},
			{Short: 'h', Long: "header", Arg: cmd.Required, Meta: "HEADER", Help: "use a centered HEADER instead of filename in page header"},
			{Short: 'i', Long: "output-tabs", Arg: cmd.Optional, Meta: "CHAR[WIDTH]", Help: "replace spaces with CHARs (TABs) to tab WIDTH (8)"},
			{Short: 'J', Long: "join-lines", Help: "merge full lines: no truncation, no column alignment"},
			{Short: 'l', Long: "length", Arg: cmd.Required, Meta: "PAGE_LENGTH", Help: "set the page length to PAGE_LENGTH (66) lines; implies -t if it is at most 10"},
			{Short: 'm', Long: "merge", Help: "print all files in parallel, one in each column"},
			{Short: 'n', Long: "number-lines", Arg: cmd.Optional, Meta: "SEP[DIGITS]", Help: "number lines, use DIGITS (5) digits, then SEP (TAB)"},
			{Short: 'N', Long: "first-line-number", Arg: cmd.Required, Meta: "NUMBER", Help: "start counting with NUMBER at the first line printed"},
			{Short: 'o', Long: "indent", Arg: cmd.Required, Meta: "MARGIN", Help: "offset each line with MARGIN (zero) spaces"},
			{Short: 'r', Long: "no-file-warnings", Help: "omit warning when a file cannot be opened"},
			{Short: 's', Long: "separator", Arg: cmd.Optional, Meta: "CHAR", Help: "separate columns by a single character, and do not truncate unless -w is set"},
			{Short: 'S', Long: "sep-string", Arg: cmd.Optional, Meta: "STRING", Help: "separate columns by STRING"},
			{Short: 't', Long: "omit-header", Help: "omit page headers and trailers"},
			{Short: 'T', Long: "omit-pagination", Help: "omit page headers and trailers, and form feeds of the input"},
			{Short: 'v', Long: "show-nonprinting", Help: "use octal backslash notation"},
			{Short: 'w', Long: "width", Arg: cmd.Required, Meta: "PAGE_WIDTH", Help: "set page width to PAGE_WIDTH (72) characters for multiple text-column output only"},
			{Short: 'W', Long: "page-width", Arg: cmd.Required, Meta: "PAGE_WIDTH", Help: "set page width to PAGE_WIDTH (72) characters always, and truncate lines"},
		}...),
		Obsolete: ordered,
		Class:    cmd.Step,
		New:      func() cmd.Program { return &program{} },
	}
}

// program sets one file after the other, or all of them beside each other (-m).
type program struct {
	File    int      `cbor:"1,keyasint,omitempty"` // operands taken
	Phase   phase    `cbor:"2,keyasint,omitempty"`
	Stdin   source   `cbor:"3,keyasint,omitempty"` // which several operands may be
	Files   []source `cbor:"4,keyasint,omitempty"` // the files of now
	Columns []column `cbor:"5,keyasint,omitempty"`
	Status  int      `cbor:"6,keyasint,omitempty"`
	Date    string   `cbor:"7,keyasint,omitempty"` // of the header
	Title   string   `cbor:"8,keyasint,omitempty"`

	Ready int    `cbor:"9,keyasint,omitempty"` // files that are neither at their end nor on hold
	Page  uint64 `cbor:"10,keyasint,omitempty"`
	Line  int32  `cbor:"11,keyasint,omitempty"` // the number of the next line
	Row   int    `cbor:"12,keyasint,omitempty"` // of the page: read (skipped pages, columns down)
	At    int    `cbor:"13,keyasint,omitempty"` // the column that is read

	Left   int      `cbor:"14,keyasint,omitempty"` // lines left on the page
	Header bool     `cbor:"15,keyasint,omitempty"` // a header is due with the next text
	Some   bool     `cbor:"16,keyasint,omitempty"` // the page has a line
	Feed   bool     `cbor:"17,keyasint,omitempty"` // a form feed of the input is due (-t)
	Text   []byte   `cbor:"18,keyasint,omitempty"` // the lines of columns that go down, one behind the other
	Lines  []stored `cbor:"19,keyasint,omitempty"`

	opt *options
}

// phase is what the program does.
type phase uint8

const (
	opening  phase = iota
	skipping       // pages before the first that is wanted
	storing        // reading a page of columns that go down
	filling        // writing rows
)

// status is what a column's file has come to.
type status uint8

const (
	open   status = iota
	found         // a form feed, in columns that go down: a page with a header at least
	onHold        // until the next page: a form feed came
	closed
)

// column is one column of a page.
type column struct {
	Status status `cbor:"1,keyasint,omitempty"`
	Left   int    `cbor:"2,keyasint,omitempty"` // lines it may still print on this page
	At     int    `cbor:"3,keyasint,omitempty"` // the next of Lines
	Full   bool   `cbor:"4,keyasint,omitempty"` // it filled a page: a form feed that comes next is no page of its own
}

// stored is a line of a column that goes down.
type stored struct {
	Begin int `cbor:"1,keyasint,omitempty"` // in Text; it ends where the next begins
	Width int `cbor:"2,keyasint,omitempty"`
}

// Step takes turns of about 64 KiB of output.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		c.Mute = p.File > 0
		o, status := readOptions(c)
		if c.Mute = false; status != 0 {
			return cmd.Exit(status)
		}
		p.opt = o
		p.opt.shown = p.width()
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	limit, work := c.Out.Len()+c.Turn(cmd.Turn), c.Turn(1<<12)
	for ; c.Out.Len() < limit && work > 0; work-- {
		if next, ok := p.step(c); !ok {
			return next
		}
	}
	c.Charge(1 << 8)
	held := 40*len(p.Columns) + len(p.Text) + 16*len(p.Lines) + p.Stdin.held()
	for i := range p.Files {
		held += p.Files[i].held()
	}
	c.Hold(held)
	return cmd.Again()
}

// step does one thing of its phase; it is false where the program must return next.
func (p *program) step(c *cmd.Ctx) (next cmd.Next, ok bool) {
	switch p.Phase {
	case opening:
		return p.begin(c)
	case skipping:
		return p.skip(c)
	case storing:
		return p.store(c)
	}
	return p.row(c)
}

// begin opens the next file, or all of them.
func (p *program) begin(c *cmd.Ctx) (next cmd.Next, ok bool) {
	names := c.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	if p.File == len(names) {
		return cmd.Exit(p.Status), false
	}
	if !p.opt.merged {
		names = names[p.File : p.File+1]
	}
	p.File += len(names)
	p.Files = p.Files[:0]
	for _, name := range names {
		if f, ok := p.open(c, name); ok {
			p.Files = append(p.Files, f)
		}
	}
	if len(p.Files) == 0 {
		return cmd.Next{}, true
	}
	p.title(c, names[0])
	if p.opt.tooMuch() {
		c.Errorf("integer overflow")
		return cmd.Exit(1), false
	}
	n := p.opt.columns
	if p.opt.merged {
		n = len(p.Files)
	}
	p.Columns = p.Columns[:0]
	c.Need(n * 40)
	p.Columns = append(p.Columns, make([]column, n)...)
	p.opt.shown = n
	p.Ready, p.Page, p.Row, p.At = len(p.Files), 1, 1, 0
	if p.opt.numbered {
		p.Line = p.opt.first
	}
	if p.Phase = skipping; p.opt.from <= 1 {
		p.startPage()
	}
	return cmd.Next{}, true
}

// width is how many columns a page has.
func (p *program) width() int { return len(p.Columns) }
