package column

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/large"
)

// table is the cells of all lines with what was said about the columns.
type table struct {
	cells   [][][]byte
	columns []tableColumn
	order   []int // of the columns that are shown
}

type tableColumn struct {
	name  string
	width int
	right bool
	hide  bool
}

// newTable cuts the lines into cells; message is "" if the options fit.
func newTable(c *cmd.Ctx, o *options, lines [][]byte) (t *table, message string) {
	t = &table{}
	for _, name := range o.names {
		t.columns = append(t.columns, tableColumn{name: name})
	}
	t.cells = make([][][]byte, 0, len(lines))
	for n, line := range lines {
		if n%many == many-1 {
			c.Charge(4 * many)
		}
		cells := o.split(c, line)
		for len(t.columns) < len(cells) {
			if o.json {
				return nil, fmt.Sprintf("line %d: for JSON the name of the column %d is required", n+2, len(t.columns)+1)
			}
			if len(t.columns)%many == many-1 {
				c.Charge(many / 4)
				t.columns = large.Extend(t.columns, many, c)
			}
			t.columns = append(t.columns, tableColumn{})
		}
		t.cells = append(t.cells, cells)
	}
	if message := t.choose(c, o); message != "" {
		return nil, message
	}
	for i := range t.columns {
		if i%many == many-1 {
			c.Charge(many / 4)
		}
		t.columns[i].width = cell.String(t.columns[i].name, c.Bytes())
	}
	for n, row := range t.cells {
		if n%many == many-1 {
			c.Charge(many)
		}
		for i, text := range row {
			if i%many == many-1 {
				c.Charge(many / 4)
			}
			t.columns[i].width = max(t.columns[i].width, cell.Text(text, c.Bytes()))
		}
	}
	return t, ""
}

// choose applies -H, -R and -O.
func (t *table) choose(c *cmd.Ctx, o *options) (message string) {
	for _, set := range []struct {
		names []string
		do    func(i int)
		many  bool // 0 alone is every column
		dash  bool // - is every one without a name
	}{
		{o.right, func(i int) { t.columns[i].right = true }, true, false},
		{o.hide, func(i int) { t.columns[i].hide = true }, true, true},
		{o.order, func(i int) { t.order = append(t.order, i) }, false, false},
	} {
		for _, name := range set.names {
			if all := name == "0" && len(set.names) == 1 && set.many; all || name == "-" && set.dash {
				for i := range t.columns {
					if i%many == many-1 {
						c.Charge(many / 4)
					}
					if all || t.columns[i].name == "" {
						set.do(i)
					}
				}
				continue
			}
			i := t.find(name)
			if i < 0 {
				return "undefined column name " + quote.Shell(c, name)
			}
			if i < len(t.columns) {
				set.do(i)
			}
		}
	}
	seen := map[int]bool{}
	all := t.order
	for i := range t.columns {
		all = append(all, i)
	}
	t.order = nil
	for k, i := range all {
		if k%many == many-1 {
			c.Charge(many)
		}
		if !seen[i] && !t.columns[i].hide {
			t.order = append(t.order, i)
		}
		seen[i] = true
	}
	return ""
}

// find gives the column of a name or a number from 1, which may be past the last; -1 if there is none.
func (t *table) find(name string) int {
	for i, c := range t.columns {
		if strings.EqualFold(c.name, name) && name != "" {
			return i
		}
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 {
		return n - 1
	} else if err == nil && n == 0 {
		return len(t.columns)
	}
	return -1
}

// split cuts a line into cells.
func (o *options) split(c *cmd.Ctx, line []byte) (cells [][]byte) {
	if len(line) == 0 {
		return nil
	}
	is := func(b byte) bool { return strings.IndexByte(o.separators, b) >= 0 }
	for i := 0; ; {
		if o.limit > 0 && len(cells) == o.limit-1 && i > 0 {
			return append(cells, line[i:])
		}
		if o.greedy {
			for i < len(line) && is(line[i]) {
				i++
			}
			if i == len(line) {
				return cells
			}
		}
		if o.limit == 1 {
			return append(cells, line[i:])
		}
		from := i
		for i < len(line) && !is(line[i]) {
			i++
		}
		if len(cells)%many == many-1 {
			c.Charge(many)
			cells = large.Extend(cells, many, c)
		}
		cells = append(cells, line[from:i])
		if i == len(line) {
			return cells
		}
		i++
	}
}

// tableRows writes rows of a table; true after the last.
func (p *program) tableRows(c *cmd.Ctx) (done bool) {
	t, o := p.table, p.opt
	if o.json {
		return p.jsonRows(c)
	}
	if p.Row == 0 && o.names != nil && !o.noHead {
		names := make([][]byte, len(t.columns))
		for i := range names {
			names[i] = []byte(t.columns[i].name)
		}
		t.row(c, names, o.out)
	}
	for limit := c.Out.Len() + c.Turn(cmd.Turn); p.Row < len(t.cells) && c.Out.Len() < limit; p.Row++ {
		t.row(c, t.cells[p.Row], o.out)
	}
	return p.Row == len(t.cells)
}

// row writes a row; the last column is not filled with blanks.
func (t *table) row(c *cmd.Ctx, cells [][]byte, sep string) {
	for k, i := range t.order {
		var text []byte
		if i < len(cells) {
			text = cells[i]
		}
		pad := max(0, t.columns[i].width-cell.Text(text, c.Bytes()))
		if k%many == many-1 {
			c.Charge(many)
		}
		last := k == len(t.order)-1
		if t.columns[i].right && !(last && len(text) == 0) { // nothing is put in front of nothing
			c.Out.Pad(' ', pad)
		}
		c.Out.Write(text)
		if !t.columns[i].right && !last {
			c.Out.Pad(' ', pad)
		}
		if !last {
			c.Out.WriteString(sep)
		}
	}
	c.Out.WriteByte('\n')
}

// jsonRows writes rows as objects; true after the last.
func (p *program) jsonRows(c *cmd.Ctx) (done bool) {
	t := p.table
	if p.Row == 0 {
		c.Out.WriteString("{\n   " + jsonString(strings.ToLower(p.opt.name)) + ": [\n      ")
		if len(t.cells) == 0 {
			c.Out.WriteString("\n   ]\n}\n")
			return true
		}
	}
	for limit := c.Out.Len() + c.Turn(cmd.Turn); p.Row < len(t.cells) && c.Out.Len() < limit; p.Row++ {
		if p.Row > 0 {
			c.Out.WriteByte(',')
		}
		c.Out.WriteString("{\n")
		for k, i := range t.order {
			value := "null"
			if cells := t.cells[p.Row]; i < len(cells) && len(cells[i]) > 0 {
				value = jsonString(string(cells[i]))
			}
			c.Out.WriteString("         " + jsonString(strings.ToLower(t.columns[i].name)) + ": " + value)
			if k < len(t.order)-1 {
				c.Out.WriteByte(',')
			}
			c.Out.WriteByte('\n')
		}
		c.Out.WriteString("      }")
	}
	if p.Row < len(t.cells) {
		return false
	}
	c.Out.WriteString("\n   ]\n}\n")
	return true
}

// jsonString writes s as a JSON string.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError:
			b.WriteString("\\ufffd")
		case r < ' ':
			if k := strings.IndexRune("\b\t\n\f\r", r); k >= 0 {
				b.WriteString("\\" + "btnfr"[k:k+1])
			} else {
				fmt.Fprintf(&b, "\\u%04x", r)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
