// Package column is the utility column of util-linux: lists in columns, tables and JSON.
//
// All input is collected first; then rows are written, some a turn. The cells are made
// from the collected text again after a load.
package column

import (
	"bytes"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/large"
)

// Command is column.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "column", Summary: "columnate lists", Usage: "column [options] [<file>...]", Short: true, Origin: "util-linux 2.38.1",
		Options: []cmd.Option{
			{Short: 't', Long: "table", Help: "create a table"},
			{Short: 'n', Long: "table-name", Arg: cmd.Required, Meta: "name", Help: "table name for JSON output"},
			{Short: 'O', Long: "table-order", Arg: cmd.Required, Meta: "columns", Help: "specify order of output columns"},
			{Short: 'N', Long: "table-columns", Arg: cmd.Required, Meta: "names", Help: "comma separated columns names"},
			{Short: 'l', Long: "table-columns-limit", Arg: cmd.Required, Meta: "num", Help: "maximal number of input columns"},
			{Short: 'E', Long: "table-noextreme", Arg: cmd.Required, Meta: "columns", Help: "don't count long text from the columns to column width", Missing: true},
			{Short: 'd', Long: "table-noheadings", Help: "don't print header"},
			{Short: 'e', Long: "table-header-repeat", Help: "repeat header for each page"},
			{Short: 'H', Long: "table-hide", Arg: cmd.Required, Meta: "columns", Help: "don't print the columns"},
			{Short: 'R', Long: "table-right", Arg: cmd.Required, Meta: "columns", Help: "right align text in these columns"},
			{Short: 'T', Long: "table-truncate", Arg: cmd.Required, Meta: "columns", Help: "truncate text in the columns when necessary", Missing: true},
			{Short: 'W', Long: "table-wrap", Arg: cmd.Required, Meta: "columns", Help: "wrap text in the columns when necessary", Missing: true},
			{Short: 'L', Long: "keep-empty-lines", Help: "don't ignore empty lines"},
			{Short: 'J', Long: "json", Help: "use JSON output format for table"},
			{Short: 'r', Long: "tree", Arg: cmd.Required, Meta: "column", Help: "column to use tree-like output for the table", Missing: true},
			{Short: 'i', Long: "tree-id", Arg: cmd.Required, Meta: "column", Help: "line ID to specify child-parent relation", Missing: true},
			{Short: 'p', Long: "tree-parent", Arg: cmd.Required, Meta: "column", Help: "parent to specify child-parent relation", Missing: true},
			{Short: 'c', Long: "output-width", Arg: cmd.Required, Meta: "width", Help: "width of output in number of characters"},
			{Short: 'o', Long: "output-separator", Arg: cmd.Required, Meta: "string", Help: "columns separator for table output (default is two spaces)"},
			{Short: 's', Long: "separator", Arg: cmd.Required, Meta: "string", Help: "possible table delimiters"},
			{Short: 'x', Long: "fillrows", Help: "fill rows before columns"},
			{Short: 'h', Long: "help", Help: "display this help"},
			{Short: 'V', Long: "version", Help: "display version"},
		},
		Class: cmd.Step, PlainDash: true,
		New: func() cmd.Program { return &program{} },
	}
}

// program collects lines, then writes rows.
type program struct {
	In   cmd.Input `cbor:"1,keyasint,omitempty"`
	Text []byte    `cbor:"2,keyasint,omitempty"`               // the lines that count, each with a newline
	Row  int       `cbor:"3,keyasint,omitempty" holds:"count"` // rows written

	opt    *options
	lines  [][]byte
	widest int // of lines, once it is known
	table  *table
}

// Wrong checks that all lines have their ends.
func (p *program) Wrong(*cmd.Ctx) string {
	if n := len(p.Text); n > 0 && p.Text[n-1] != '\n' {
		return "a line without its end"
	}
	return ""
}

type options struct {
	table, json, noHead, keep, rows bool
	separators                      string
	greedy                          bool
	out                             string
	width, limit                    int
	names                           []string
	hide, right, order              []string
	name                            string
}

func (p *program) options(c *cmd.Ctx) (status int) {
	o := &options{separators: "\t ", greedy: true, out: "  ", width: 80, name: "table"}
	if v, ok := c.Getenv("COLUMNS"); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			o.width = n
		}
	}
	list := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }
	for _, f := range c.Flags {
		switch f.Name {
		case "t":
			o.table = true
		case "J":
			o.table, o.json = true, true
		case "d":
			o.noHead = true
		case "L":
			o.keep = true
		case "x":
			o.rows = true
		case "n":
			o.name = f.Value
		case "N":
			o.names = list(f.Value)
		case "H":
			o.hide = list(f.Value)
		case "R":
			o.right = list(f.Value)
		case "O":
			o.order = list(f.Value)
		case "o":
			o.out = f.Value
		case "s":
			o.separators, o.greedy = f.Value, false
		case "l", "c":
			n, err := strconv.Atoi(f.Value)
			if f.Name == "c" && f.Value == "unlimited" {
				n, err = 0, nil
			}
			if err != nil || n < 0 || f.Name == "l" && n == 0 {
				if f.Name == "l" && err == nil {
					c.Errorf("columns limit must be greater than zero")
				} else if f.Name == "l" {
					c.Errorf("invalid columns limit argument: %s", quote.Shell(c, f.Value))
				} else {
					c.Errorf("invalid columns argument: %s", quote.Shell(c, f.Value))
				}
				return 1
			}
			if f.Name == "l" {
				o.limit = n
			} else {
				o.width = n
			}
		}
	}
	switch {
	case o.table && o.rows:
		c.Errorf("mutually exclusive arguments: %s --fillrows", map[bool]string{false: "--table", true: "--json"}[o.json])
		return 1
	case o.json && o.names == nil:
		c.Errorf("option --table-columns required for --json")
		return 1
	case !o.table && (o.names != nil || o.order != nil || o.hide != nil || o.right != nil || c.Flags.Has("n")):
		c.Errorf("option --table required for all --table-*")
		return 1
	}
	p.opt = o
	return 0
}

// Step reads for a turn, or writes rows for a turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if p.In.End {
		return p.write(c)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if p.In.End {
			return cmd.Again()
		}
		return next
	}
	for line, ok := p.In.Next('\n'); ok; line, ok = p.In.Next('\n') {
		if len(bytes.TrimLeft(line, " \t\v\f\r")) == 0 {
			if !p.opt.keep {
				continue
			}
			line = nil
		}
		p.Text = append(large.Push(p.Text, line, c), '\n')
	}
	p.In.Kept = 2 * len(p.Text)
	return cmd.Again()
}

func (p *program) write(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.lines == nil && len(p.Text) > 0 {
		p.lines = split(c, p.Text)
	}
	if len(p.lines) == 0 && !p.opt.json {
		return cmd.Exit(p.In.Status)
	}
	done := false
	if p.opt.table {
		if p.table == nil {
			t, message := newTable(c, p.opt, p.lines)
			if message != "" {
				c.Errorf("%s", message)
				return cmd.Exit(1)
			}
			p.table = t
		}
		done = p.tableRows(c)
	} else {
		done = p.listRows(c)
	}
	if done {
		return cmd.Exit(p.In.Status)
	}
	return cmd.Again()
}

// many lines are charged for together.
const many = 1 << 10

// split gives the lines of a text, the last of which is ended, too.
func split(c *cmd.Ctx, text []byte) [][]byte {
	lines := make([][]byte, 0, bytes.Count(text, []byte{'\n'}))
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n')
		if lines = append(lines, text[:i]); len(lines)%many == 0 {
			c.Charge(many / 8)
		}
		text = text[i+1:]
	}
	return lines
}

// listRows writes lines in columns that end at tab stops.
func (p *program) listRows(c *cmd.Ctx) (done bool) {
	o := p.opt
	if p.widest == 0 {
		for i, l := range p.lines {
			if i%many == many-1 {
				c.Charge(many / 4)
			}
			p.widest = max(p.widest, cell.Text(l, c.Bytes()))
		}
	}
	widest := p.widest
	n := len(p.lines)
	size := (widest + 8) &^ 7
	columns := max(1, o.width/size)
	if widest >= o.width {
		columns = 1
	}
	rows := (n + columns - 1) / columns
	for limit := c.Out.Len() + c.Turn(cmd.Turn); p.Row < rows && c.Out.Len() < limit; p.Row++ {
		at, end := 0, size
		for k := 0; k < columns; k++ {
			i := p.Row + k*rows
			last := i+rows >= n
			if o.rows {
				i = p.Row*columns + k
				last = i+1 >= n
			}
			c.Out.Write(p.lines[i])
			at += cell.Text(p.lines[i], c.Bytes())
			if last || k == columns-1 {
				break
			}
			for next := (at + 8) &^ 7; next <= end; next = (at + 8) &^ 7 {
				c.Out.WriteByte('\t')
				at = next
			}
			end += size
		}
		c.Out.WriteByte('\n')
	}
	return p.Row == rows
}
