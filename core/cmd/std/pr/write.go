package pr

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/cmd/std/internal/clock"
)

// writer writes one row.
type writer struct {
	c       *cmd.Ctx
	o       *options
	pos     int // where the next character goes
	spaces  int // not written yet: they may become tabs
	seps    int // separators not written yet
	padding int // where the column's text goes, if it has any
	some    bool
	empty   bool // no column has had text
	behind  bool // empty columns stand before the first text of the row (-m)
	lone    bool // the column had a form feed only
}

// clump appends what stands for a character of the input at column pos of its file, and gives the column behind it.
func (o *options) clump(c *cmd.Ctx, out []byte, b byte, pos int) ([]byte, int) {
	printable := b >= ' ' && b < 0x7f
	switch {
	case b == o.tabIn || b == '\t':
		width := 8
		if b == o.tabIn {
			width = o.tabInWidth
		}
		width -= pos % width
		if !o.untab {
			return append(out, b), pos + width
		}
		pad := cmd.Buffer{B: out}
		c.Need(width)
		pad.Pad(' ', width)
		return pad.B, pos + width
	case printable:
		return append(out, b), pos + 1
	case o.escape || o.hat && b >= utf8.RuneSelf:
		return fmt.Appendf(out, "\\%03o", b), pos + 4
	case o.hat:
		return append(out, '^', b^0o100), pos + 2
	case b == '\b' && pos == 0:
		return out, 0 // never before the beginning
	case b == '\b':
		return append(out, b), pos - 1
	}
	return append(out, b), pos
}

// fits reports whether the first character of a line fits into its column: else nothing of the line is printed.
func (o *options) fits(text []byte) bool {
	if !o.truncate || len(text) == 0 {
		return true
	}
	width := 4 // of an escape
	if b := text[0]; b == o.tabIn {
		width = o.tabInWidth
	} else if b == '\t' {
		width = 8
	} else if b >= ' ' && b < 0x7f || !o.escape && !o.hat {
		width = 1
	} else if o.hat && !o.escape && b < utf8.RuneSelf {
		width = 2
	}
	return width <= o.perColumn
}

// each gives what stands for the text of a line, up to the width of its column; number is called behind the first
// character is known, before it is given. It returns the width.
func (o *options) each(c *cmd.Ctx, text []byte, number func() int, give func([]byte)) (pos int) {
	var few [16]byte
	for i, b := range text {
		if i%4096 == 4095 {
			c.Charge(1 << 8)
		}
		out, at := o.clump(c, few[:0], b, pos)
		if o.truncate && at > o.perColumn {
			break
		}
		if pos = at; i == 0 {
			pos += number()
		}
		give(out)
	}
	if len(text) == 0 {
		pos += number()
	}
	return pos
}

// numberShare is how much of a column's width its number takes.
func (o *options) numberShare() int {
	if o.numbered && o.truncate && !o.merged {
		return o.numberWidth
	}
	return 0
}

// line appends what is stored of a line of columns that go down, and gives its width.
func (o *options) line(c *cmd.Ctx, out, text []byte, end byte, n *int32) ([]byte, int) {
	if len(text) == 0 && end != '\n' || !o.fits(text) {
		return out, 0
	}
	width := o.each(c, text, func() int {
		if o.numbered {
			out = o.number(c, out, n)
		}
		return o.numberShare()
	}, func(b []byte) { out = append(out, b...) })
	return out, width
}

// number appends the number of a line and its separator.
func (o *options) number(c *cmd.Ctx, out []byte, n *int32) []byte {
	digits := strconv.AppendInt(nil, int64(*n), 10)
	*n++
	pad := cmd.Buffer{B: out}
	c.Need(o.digits)
	pad.Pad(' ', o.digits-len(digits))
	out = append(pad.B, digits[max(0, len(digits)-o.digits):]...)
	if o.shown > 1 && o.numberSep == '\t' {
		pad.B = out
		pad.Pad(' ', o.numberWidth-o.digits)
		return pad.B
	}
	return append(out, o.numberSep)
}

// line writes a line of column i.
func (w *writer) line(i int, text []byte, n *int32) {
	w.o.each(w.c, text, func() int {
		w.number(i, n)
		return w.o.numberShare()
	}, func(b []byte) {
		for _, x := range b {
			w.char(x)
		}
	})
}

// number writes the number of a line, if column i has one.
func (w *writer) number(i int, n *int32) {
	if !w.o.numbered || w.o.merged && i > 0 {
		return
	}
	for _, b := range w.o.number(w.c, nil, n) {
		w.char(b)
	}
	if w.o.shown == 1 && w.o.numberSep == '\t' {
		w.pos += w.o.tabOutWidth - w.pos%w.o.tabOutWidth
	}
}

// char writes a character; spaces wait, if they may become tabs.
func (w *writer) char(b byte) {
	if w.o.tabify {
		switch {
		case b == ' ':
			w.spaces++
			return
		case w.spaces > 0:
			w.white()
		}
		switch {
		case b == '\b':
			w.pos--
		case b > ' ' && b < 0x7f:
			w.pos++
		}
	}
	w.c.Out.WriteByte(b)
}

// white writes the spaces that wait, as tabs where they reach.
func (w *writer) white() {
	at, goal := w.pos, w.pos+w.spaces
	for goal-at > 1 {
		next := at + w.o.tabOutWidth - at%w.o.tabOutWidth
		if next > goal {
			break
		}
		w.c.Out.WriteByte(w.o.tabOut)
		at = next
	}
	w.c.Out.Pad(' ', goal-at)
	w.pos, w.spaces = goal, 0
}

// across goes to a column of the page.
func (w *writer) across(to int) {
	if w.o.tabify {
		w.spaces = to - w.pos
		return
	}
	w.c.Out.Pad(' ', to-w.pos)
	w.pos = to
}

// begin writes what stands before a column's text.
func (w *writer) begin() {
	if n := len(w.o.separator); n < w.padding {
		w.across(w.padding - n)
		w.padding = 0
	}
	if w.o.separated {
		w.separator()
	}
}

// separator writes the separator, once for all the columns that were passed.
func (w *writer) separator() {
	if w.seps > 0 {
		for i := range len(w.o.separator) {
			if b := w.o.separator[i]; b == ' ' {
				w.spaces++
			} else {
				if w.spaces > 0 {
					w.white()
				}
				w.c.Out.WriteByte(b)
				w.pos++
			}
		}
		w.seps = 0
	}
	if w.spaces > 0 {
		w.white()
	}
}

// align writes an empty column of a row that has others.
func (w *writer) align(i int, n *int32) {
	w.padding = w.o.start(i)
	w.begin()
	w.number(i, n)
}

// trailer is how many lines a page ends with; it begins with as many.
const trailer = 5

// header writes the header of the page.
func (p *program) header(w *writer) {
	w.pos = 0
	w.across(p.opt.margin)
	w.white()
	page := "Page " + strconv.FormatUint(p.Page, 10)
	bytes := w.c.Bytes()
	room := max(0, p.opt.width-columns(p.Date, bytes)-columns(p.Title, bytes)-len(page))
	out := &w.c.Out
	out.WriteString("\n\n")
	out.Pad(' ', p.opt.margin)
	out.WriteString(p.Date)
	out.Pad(' ', max(1, room/2))
	out.WriteString(p.Title)
	out.Pad(' ', max(1, room-room/2))
	out.WriteString(page + "\n\n\n")
	p.Header, w.pos = false, 0
}

// columns is how many columns a text of the header takes: what cannot be printed and is no control character counts one.
func columns(s string, bytes bool) (n int) {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if !bytes {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		switch w := cell.Width(r); {
		case bytes && r >= utf8.RuneSelf || r == utf8.RuneError && size == 1:
			n++
		case w >= 0:
			n += w
		case !unicode.IsControl(r):
			n++
		}
	}
	return n
}

// title makes the date and the text of the headers: of the file, or of now.
func (p *program) title(c *cmd.Ctx, name string) {
	at, is := int64(0), false
	if !p.opt.merged && name != "-" {
		st, err := c.Fstat(p.Files[0].FD)
		at, is = st.Mtime, err == nil
	} else {
		name = ""
	}
	if !is {
		at = c.Now()
	}
	if p.Title = name; p.opt.header != nil {
		p.Title = *p.opt.header
	}
	p.Date = clock.Strftime(p.opt.date, clock.Local(c).Time(at))
}
