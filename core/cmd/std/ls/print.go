package ls

import (
	"strconv"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/vfs"
)

// halfYear is how far back a time counts as recent, in ns.
const halfYear = 31556952 / 2 * int64(1e9)

// widths are the column widths of one listing.
type widths struct {
	Inode  int `cbor:"1,keyasint,omitempty"`
	Blocks int `cbor:"2,keyasint,omitempty"`
	Nlink  int `cbor:"3,keyasint,omitempty"`
	Owner  int `cbor:"4,keyasint,omitempty"`
	Group  int `cbor:"5,keyasint,omitempty"`
	Size   int `cbor:"6,keyasint,omitempty"`
	Minor  int `cbor:"7,keyasint,omitempty"`
}

// print writes entries from p.I on; at the end it goes to the next directory.
func (p *Program) print(c *cmd.Ctx, budget *int) {
	n := len(p.Entries)
	switch p.o.format {
	case 'l', '1':
		for ; p.I < n && *budget > 0; p.I++ {
			if p.o.long() {
				p.long(c, &p.Entries[p.I])
			} else {
				p.name(c, &p.Entries[p.I])
			}
			c.Out.WriteByte(p.o.eol)
			*budget--
			c.Charge(8)
		}
	case 'm':
		p.commas(c)
		*budget -= n / 4
	default:
		p.columns(c)
		*budget -= n / 4
	}
	if p.I < n {
		return
	}
	p.cols, p.quotes, p.Widths, p.Entries = nil, unknown, widths{}, nil
	p.Phase = phaseNext
}

// measure looks how wide the columns are, entry by entry.
func (p *Program) measure(c *cmd.Ctx, budget *int) {
	w := &p.Widths
	wider := func(n *int, s string) { *n = max(*n, utf8.RuneCountInString(s)) }
	if !p.o.inode && !p.o.blocks && !p.o.long() {
		p.I = len(p.Entries)
	}
	for ; p.I < len(p.Entries) && *budget > 0; p.I++ {
		*budget--
		c.Charge(4)
		e := &p.Entries[p.I]
		if p.o.inode {
			wider(&w.Inode, p.ino(e))
		}
		if p.o.blocks {
			wider(&w.Blocks, p.blockCount(e))
		}
		if !p.o.long() || !e.Known {
			continue
		}
		wider(&w.Nlink, strconv.Itoa(int(e.Nlink)))
		wider(&w.Owner, p.user(c, e))
		wider(&w.Group, p.group(c, e))
		if e.mode()&vfs.TypeMask == vfs.TypeChar {
			major, minor := device(e.Rdev)
			wider(&w.Minor, minor)
			w.Size = max(w.Size, len(major)+2+w.Minor) // all majors are of one digit
		} else {
			wider(&w.Size, p.o.fileBlock.Format(e.Size))
		}
	}
	if p.I >= len(p.Entries) {
		p.I, p.Phase = 0, phasePrint
	}
}

func (p *Program) ino(e *entry) string {
	if !e.Known {
		return "?"
	}
	return strconv.FormatUint(e.Ino, 10)
}

func (p *Program) blockCount(e *entry) string {
	if !e.Known {
		return "?"
	}
	return p.o.block.Format(e.Blocks * 512)
}

func (p *Program) user(c *cmd.Ctx, e *entry) string {
	if p.o.numeric {
		return strconv.Itoa(int(e.UID))
	}
	return p.Owners.User(c, e.UID)
}

func (p *Program) group(c *cmd.Ctx, e *entry) string {
	if p.o.numeric {
		return strconv.Itoa(int(e.GID))
	}
	return p.Owners.Group(c, e.GID)
}

// device splits an Rdev into the numbers Linux gives these devices.
func device(rdev uint32) (major, minor string) {
	switch rdev {
	case vfs.DevNull:
		return "1", "3"
	case vfs.DevZero:
		return "1", "5"
	case vfs.DevFull:
		return "1", "7"
	case vfs.DevRandom:
		return "1", "9"
	case vfs.DevTTY:
		return "5", "0"
	}
	return "0", "0"
}

func right(b *cmd.Buffer, s string, width int) {
	for n := utf8.RuneCountInString(s); n < width; n++ {
		b.WriteByte(' ')
	}
	b.WriteString(s)
}

func left(b *cmd.Buffer, s string, width int) {
	b.WriteString(s)
	for n := utf8.RuneCountInString(s); n < width; n++ {
		b.WriteByte(' ')
	}
}

// frills are what goes before a name in every format; comma lists do not pad.
func (p *Program) frills(b *cmd.Buffer, e *entry, pad int) {
	p.normal(b)
	if p.o.inode {
		right(b, p.ino(e), p.Widths.Inode*pad)
		b.WriteByte(' ')
	}
	if p.o.blocks {
		right(b, p.blockCount(e), p.Widths.Blocks*pad)
		b.WriteByte(' ')
	}
	if p.o.context && !p.o.long() {
		b.WriteString("? ")
	}
}

// long writes one line of -l, without its end.
func (p *Program) long(c *cmd.Ctx, e *entry) {
	o, w, b := p.o, &p.Widths, &c.Out
	p.frills(b, e, 1)
	if !e.Known {
		b.WriteString(perm.String(e.mode() & vfs.TypeMask)[:1] + "?????????")
	} else {
		b.WriteString(perm.String(e.mode()))
	}
	b.WriteByte(' ')
	show := func(s string) string {
		if !e.Known {
			return "?"
		}
		return s
	}
	right(b, show(strconv.Itoa(int(e.Nlink))), w.Nlink)
	b.WriteByte(' ')
	id := left
	if o.numeric {
		id = right
	}
	if !o.noOwner {
		id(b, show(p.user(c, e)), w.Owner)
		b.WriteByte(' ')
	}
	if !o.noGroup {
		id(b, show(p.group(c, e)), w.Group)
		b.WriteByte(' ')
	}
	if o.author {
		id(b, show(p.user(c, e)), w.Owner)
		b.WriteByte(' ')
	}
	if o.context {
		b.WriteString("? ")
	}
	if e.Known && e.mode()&vfs.TypeMask == vfs.TypeChar {
		major, minor := device(e.Rdev)
		right(b, major, w.Size-2-w.Minor)
		b.WriteString(", ")
		right(b, minor, w.Minor)
	} else {
		right(b, show(o.fileBlock.Format(e.Size)), w.Size)
	}
	b.WriteByte(' ')
	if e.Known {
		style := o.style[1]
		if e.Time <= o.now && e.Time > o.now-halfYear {
			style = o.style[0]
		}
		b.WriteString(clock.Strftime(style, o.zone.Time(e.Time)))
	} else {
		right(b, "?", utf8.RuneCountInString(clock.Strftime(o.style[1], o.zone.Time(0))))
	}
	b.WriteByte(' ')
	p.colored(b, e, e.Name, e.mode(), false)
	if e.mode().IsLink() && e.Target != "" {
		b.WriteString(" -> ")
		p.colored(b, e, e.Target, vfs.Mode(e.To), true)
		if o.indicator != 'p' || o.colors != nil { // GNU's ls looks where a link leads for these only
			b.WriteString(o.suffix(vfs.Mode(e.To), e.To != 0))
		}
	} else if !e.mode().IsLink() {
		b.WriteString(o.suffix(e.mode(), e.Known))
	}
}

// name writes a name with its frills and indicator.
func (p *Program) name(c *cmd.Ctx, e *entry) {
	pad := 1
	if p.o.format == 'm' {
		pad = 0
	}
	p.frills(&c.Out, e, pad)
	c.Out.WriteString(p.blank(e.Name))
	p.colored(&c.Out, e, e.Name, e.mode(), false)
	c.Out.WriteString(p.o.suffix(e.mode(), e.Known))
}

func (p *Program) colored(b *cmd.Buffer, e *entry, name string, m vfs.Mode, target bool) {
	pal := p.o.colors
	if pal == nil {
		b.WriteString(p.o.quoted(name))
		return
	}
	code, ok := pal.code(name, m, e, target)
	normal := pal.colored("no")
	if ok {
		if normal {
			p.tint(b, "")
		}
		p.tint(b, code)
	}
	b.WriteString(p.o.quoted(name))
	if end, set := pal.codes["ec"]; set && (ok || normal) {
		b.WriteString(end)
	} else if ok || normal {
		b.WriteString(pal.wrap("rs"))
	}
}

// suffix is the indicator of a file type, as -F, --file-type and -p say.
func (o *options) suffix(m vfs.Mode, known bool) string {
	switch {
	case o.indicator == 0:
		return ""
	case m.IsDir():
		return "/"
	case o.indicator == 'p':
		return ""
	case m.IsRegular():
		if o.indicator == 'F' && known && m&0o111 != 0 {
			return "*"
		}
	case m.IsLink():
		return "@"
	case m&vfs.TypeMask == vfs.TypeFifo:
		return "|"
	}
	return ""
}

// cell is the width a name takes in a column.
func (p *Program) cell(e *entry) int {
	n := cell.Name(p.o.quoted(e.Name), p.o.charset.Bytes()) + len(p.blank(e.Name)) + len(p.o.suffix(e.mode(), e.Known))
	if p.o.inode {
		n += p.Widths.Inode + 1
	}
	if p.o.blocks {
		n += p.Widths.Blocks + 1
	}
	if p.o.context {
		n += 2
	}
	return n
}

func (p *Program) commas(c *cmd.Ctx) {
	pos := 0
	for i := range p.Entries {
		if i%manyEntries == manyEntries-1 {
			c.Charge(8 * manyEntries)
		}
		e := &p.Entries[i]
		n := p.cell(e)
		if p.o.inode {
			n += len(p.ino(e)) - p.Widths.Inode
		}
		if p.o.blocks {
			n += len(p.blockCount(e)) - p.Widths.Blocks
		}
		if i > 0 {
			c.Out.WriteByte(',')
			if p.o.width == 0 || pos+n+2 < p.o.width {
				pos += 2
				c.Out.WriteByte(' ')
			} else {
				pos = 0
				c.Out.WriteByte(p.o.eol)
			}
		}
		p.name(c, e)
		pos += n
	}
	if len(p.Entries) > 0 {
		c.Out.WriteByte(p.o.eol)
	}
	p.I = len(p.Entries)
}

// layout chooses the most columns that fit and gives their widths.
func (p *Program) layout(c *cmd.Ctx) []int {
	const least = 3 // a name of one letter and two blanks
	n := len(p.Entries)
	if n == 0 {
		return nil
	}
	cells := make([]int, n)
	for i := range cells {
		if i%manyEntries == manyEntries-1 {
			c.Charge(2 * manyEntries)
		}
		cells[i] = p.cell(&p.Entries[i])
	}
	most := n
	if p.o.width > 0 {
		most = max(1, min(n, p.o.width/least+1))
	}
	for cols := most; cols > 1; cols-- {
		rows := (n + cols - 1) / cols
		w := make([]int, cols)
		for i, l := range cells {
			if i%manyEntries == manyEntries-1 {
				c.Charge(manyEntries / 16)
			}
			k := i % cols
			if p.o.format == 'C' {
				k = i / rows
			}
			if k != cols-1 {
				l += 2
			}
			w[k] = max(w[k], l, least)
		}
		total := 0
		for _, x := range w {
			total += x
		}
		if p.o.width == 0 || total < p.o.width {
			return w
		}
	}
	return []int{max(least, 0)}
}

func (p *Program) columns(c *cmd.Ctx) {
	if p.cols == nil {
		p.cols = p.layout(c)
	}
	n, cols := len(p.Entries), len(p.cols)
	p.I = n
	if n == 0 {
		return
	}
	rows := (n + cols - 1) / cols
	for r := range rows {
		pos := 0
		c.Charge(4 * cols)
		for k := range cols {
			i := r*cols + k
			if p.o.format == 'C' {
				i = k*rows + r
			}
			if i >= n {
				break
			}
			p.name(c, &p.Entries[i])
			last := r*cols+k+1 >= n || k == cols-1
			if p.o.format == 'C' {
				last = i+rows >= n
			}
			if last {
				break
			}
			p.indent(c, pos+p.cell(&p.Entries[i]), pos+p.cols[k])
			pos += p.cols[k]
		}
		c.Out.WriteByte(p.o.eol)
	}
}

// indent moves from one column to another, by tabs where they reach.
func (p *Program) indent(c *cmd.Ctx, from, to int) {
	for from < to {
		if t := p.o.tab; t != 0 && to/t > (from+1)/t {
			c.Out.WriteByte('\t')
			from += t - from%t
		} else {
			c.Out.WriteByte(' ')
			from++
		}
	}
}
