package diff

import (
	"bytes"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/linediff"
)

// gutter is the least space between the two columns of -y.
const gutter = 3

// columns is the layout of -y.
type columns struct {
	half, right  int // width of a column, and where the second begins
	tabs         bool
	leftOnly     bool // --left-column
	suppressSame bool // --suppress-common-lines
	bytes        bool // a character is a byte
}

// newColumns lays out lines of a width; without -t a column and the gutter are whole tabs.
func newColumns(w int, expand, bytes bool) *columns {
	t := 8
	if expand {
		t = 1
	}
	g := t + gutter
	off := w/2 + g/2 + w&g&1
	off -= off % t
	k := &columns{bytes: bytes, right: w, tabs: !expand}
	if off > gutter && w > off {
		k.half, k.right = min(off-gutter, w-off), off
	}
	return k
}

// pad moves from one column to another.
func (k *columns) pad(b *cmd.Buffer, from, to int) int {
	if k.tabs {
		if n := to/8 - from/8; n > 0 {
			b.Pad('\t', n)
			from = to / 8 * 8
		}
	}
	b.Pad(' ', to-from)
	return to
}

// put writes as much of a line as fits into a column that begins at indent; it gives where it ends.
func (k *columns) put(b *cmd.Buffer, l []byte, indent int) int {
	in, out := 0, 0
	for i := 0; i < len(l) && l[i] != '\n'; {
		r, n := utf8.DecodeRune(l[i:])
		switch {
		case r == '\t':
			spaces := 8 - in%8
			if in == out {
				stop := out + spaces
				switch {
				case !k.tabs:
					for ; out < min(stop, k.half); out++ {
						b.WriteByte(' ')
					}
				case stop < k.half:
					out = stop
					b.WriteByte('\t')
				}
			}
			in += spaces
		case r == '\r':
			b.WriteByte('\r')
			k.pad(b, 0, indent)
			in, out = 0, 0
		default:
			w := max(0, cell.Width(r))
			if k.bytes && l[i] >= utf8.RuneSelf {
				w, n = 0, 1
			}
			if in += w; in <= k.half {
				out = in
				b.Write(l[i : i+n])
			}
		}
		i += n
	}
	return indent + out
}

// row writes one row: a line of either file or of both, with a mark between.
func (k *columns) row(b *cmd.Buffer, left []byte, mark byte, right []byte) {
	column, newline := 0, false
	if left != nil {
		newline = bytes.HasSuffix(left, []byte("\n"))
		column = k.put(b, left, 0)
	}
	if mark != ' ' {
		column = k.pad(b, column, (k.half+k.right-1)/2) + 1
		if ends := bytes.HasSuffix(right, []byte("\n")); mark == '|' && newline != ends {
			mark = '\\'
			if newline {
				mark = '/'
			}
		}
		b.WriteByte(mark)
	}
	if right != nil {
		newline = newline || bytes.HasSuffix(right, []byte("\n"))
		if right[0] != '\n' {
			column = k.pad(b, column, k.right)
			k.put(b, right, column)
		}
	}
	if newline {
		b.WriteByte('\n')
	}
}

// common writes rows of lines that both files have.
func (p *Program) common(c *cmd.Ctx, a0, a1, b0, b1 int) {
	k := p.o.columns
	if k.suppressSame {
		return
	}
	a, b := p.s.lines[0], p.s.lines[1]
	for ; a0 < a1 && b0 < b1; a0, b0 = a0+1, b0+1 {
		if k.leftOnly {
			k.row(&c.Out, a[a0], '(', nil)
		} else {
			k.row(&c.Out, a[a0], ' ', b[b0])
		}
	}
	for ; b0 < b1; b0++ {
		k.row(&c.Out, nil, ')', b[b0])
	}
	for ; a0 < a1; a0++ {
		k.row(&c.Out, a[a0], '(', nil)
	}
}

// sideBySide writes one change in two columns.
func (p *Program) sideBySide(c *cmd.Ctx, x linediff.Change) {
	k, a, b := p.o.columns, p.s.lines[0], p.s.lines[1]
	i, j := x.A0, x.B0
	for ; i < x.A1 && j < x.B1; i, j = i+1, j+1 {
		k.row(&c.Out, a[i], '|', b[j])
	}
	for ; j < x.B1; j++ {
		k.row(&c.Out, nil, '>', b[j])
	}
	for ; i < x.A1; i++ {
		k.row(&c.Out, a[i], '<', nil)
	}
}
