package pr

import (
	"eryxsh/core/cmd"
)

// skip reads one piece of the pages before the first that is wanted.
func (p *program) skip(c *cmd.Ctx) (next cmd.Next, ok bool) {
	if p.At == p.width() {
		p.At = 0
		if p.Row++; p.Row > p.opt.body {
			p.skipped(c)
		}
		return next, true
	}
	col := &p.Columns[p.At]
	if col.Status != open {
		p.At++
		return next, true
	}
	s := p.source(p.At)
	if len(s.Pieces) == 0 {
		return s.more(c)
	}
	x, full := s.Pieces[0], col.Full
	s.take()
	if col.Full = false; full && x.lone() {
		return next, true
	}
	last := p.Row >= p.opt.body
	col.Full = last && x.End != '\f'
	if last && x.End == '\f' && !p.opt.merged {
		for i := range p.Columns {
			p.Columns[i].Full = false
		}
	}
	if p.opt.counted && (!p.opt.merged || p.At == 0) && !x.lone() {
		p.Line++
	}
	next, ok = p.end(c, p.At, x.End)
	p.At++
	return next, ok
}

// skipped ends a page that is skipped.
func (p *program) skipped(c *cmd.Ctx) {
	if p.opt.down {
		for i := range p.Columns {
			if p.Columns[i].Status != closed {
				p.Columns[i].Status = onHold
			}
		}
	}
	p.release()
	p.Row = 1
	switch {
	case p.Ready < 1:
		c.Errorf("starting page number %d exceeds page count %d", p.opt.from, p.Page)
		p.Phase = opening
	case p.Page+1 == p.opt.from:
		p.Page++
		p.startPage()
	default:
		p.Page++
	}
}

// release lets columns that waited for a page go on.
func (p *program) release() {
	for i := range p.Columns {
		if p.Columns[i].Status == onHold {
			p.Columns[i].Status = open
			p.Ready++
		}
	}
	if p.opt.down {
		p.Ready = 1
		if p.Columns[0].Status == closed {
			p.Ready = 0
		}
	}
}

// startPage begins a page: columns that go down are read first.
func (p *program) startPage() {
	if !p.opt.down {
		p.startRows()
		return
	}
	p.Text, p.Lines = p.Text[:0], p.Lines[:0]
	p.Row, p.At, p.Phase = 0, 0, storing
}

// store reads one line of a page of columns that go down.
func (p *program) store(c *cmd.Ctx) (next cmd.Next, ok bool) {
	if p.At == p.width() || p.Ready == 0 {
		p.balance()
		p.startRows()
		return next, true
	}
	if p.Row >= p.opt.body {
		p.Row = 0
		p.At++
		return next, true
	}
	col, s := &p.Columns[p.At], p.source(p.At)
	if col.Status == open {
		if len(s.Pieces) == 0 {
			return s.more(c)
		}
		x, full := s.Pieces[0], col.Full
		text, _ := s.take()
		if col.Full = false; full && x.lone() {
			return next, true
		}
		begin, width := len(p.Text), 0
		p.Text, width = p.opt.line(c, p.Text, text, x.End, &p.Line)
		p.Feed = p.Feed || x.End == '\f' && p.opt.keep
		if next, ok = p.end(c, p.At, x.End); !ok {
			return next, ok
		}
		if col.Status == open || len(p.Text) > begin {
			p.Lines = append(p.Lines, stored{begin, width})
		}
	}
	p.Row++
	return next, true
}

// balance gives each column as many lines as the others.
func (p *program) balance() {
	total, at := len(p.Lines), 0
	for i := range p.Columns {
		n := total / p.width()
		if i < total%p.width() {
			n++
		}
		p.Columns[i].Left, p.Columns[i].At = n, at
		at += n
	}
}

// startRows begins with the rows of a page, or ends the file where there are none.
func (p *program) startRows() {
	for i := range p.Columns {
		col := &p.Columns[i]
		switch {
		case p.opt.down: // balanced
		case col.Status == open:
			col.Left = p.opt.body
		default:
			col.Left = 0
		}
	}
	if !p.going() {
		p.Phase = opening
		return
	}
	p.Header = p.Header || p.opt.extremities
	p.Phase, p.Some, p.Left = filling, false, p.opt.body
	if p.opt.double {
		p.Left *= 2
	}
}

// going reports whether there is a column that has lines for this page.
func (p *program) going() bool {
	if p.opt.merged {
		return p.Ready > 0
	}
	if s := p.Columns[0].Status; s == open || s == found {
		return true
	}
	// The columns are balanced: the first has the most lines, and the row that is written has come to a column
	// only after those before it.
	return p.opt.down && p.most() > 0
}

// most is how many lines of the page are left in the column with the most.
func (p *program) most() int {
	first, last := p.Columns[0], p.Columns[p.width()-1]
	if first.Left > 0 || last.Left > 0 {
		return max(first.Left, last.Left)
	}
	rest := len(p.Lines) % p.width() // the columns with a line more
	if rest == 0 {
		return 0
	}
	return max(p.Columns[rest-1].Left, p.Columns[rest%p.width()].Left)
}

// gather sees to it that all pieces that a row takes are there.
func (p *program) gather(c *cmd.Ctx) (next cmd.Next, ok bool) {
	shared := 0 // pieces taken of the one file, or of standard input
	for i := range p.Columns {
		col, s := &p.Columns[i], p.source(i)
		if col.Left <= 0 {
			continue
		}
		at, one := 0, !p.opt.merged || s.FD == 0
		if one {
			at = shared
		}
		for full := col.Full; ; full = false {
			for len(s.Pieces) <= at {
				if next, ok = s.more(c); !ok {
					return next, false
				}
			}
			x := s.Pieces[at]
			if at++; full && x.lone() {
				continue
			}
			if x.End != '\n' && !p.opt.merged {
				return next, true // ends the row
			}
			break
		}
		if one {
			shared = at
		}
	}
	return next, true
}

// row writes one row of the page, or ends the page.
func (p *program) row(c *cmd.Ctx) (next cmd.Next, ok bool) {
	if p.Left <= 0 || !p.going() {
		p.endPage(c)
		return next, true
	}
	if !p.opt.down {
		if next, ok = p.gather(c); !ok {
			return next, false
		}
	}
	w := &writer{c: c, o: p.opt, empty: true}
	for i := range p.Columns {
		col := &p.Columns[i]
		if col.Left > 0 || col.Status == found {
			w.lone = false
			w.padding = p.opt.start(i)
			if p.opt.down {
				p.printStored(w, i)
			} else if next, ok = p.print(w, i); !ok {
				return next, false
			}
			p.Some = p.Some || w.some
			if col.Left--; col.Left <= 0 && !p.going() {
				break
			}
			if p.opt.merged && col.Status != open {
				if w.empty {
					w.behind = true
				} else if col.Status == closed || w.lone {
					w.align(i, &p.Line)
				}
			}
		} else if p.opt.merged {
			if w.empty {
				w.behind = true
			} else {
				w.align(i, &p.Line)
			}
		}
		if p.opt.separated {
			w.seps++
		}
	}
	if w.some {
		c.Out.WriteByte('\n')
		p.Left--
	}
	if !p.going() && !p.opt.extremities {
		p.endPage(c)
	} else if p.opt.double && p.Some {
		c.Out.WriteByte('\n')
		p.Left--
	}
	return next, true
}

// print writes the next line of a column's file.
func (p *program) print(w *writer, i int) (next cmd.Next, ok bool) {
	col, s := &p.Columns[i], p.source(i)
	x := s.Pieces[0]
	text, end := s.take()
	if full := col.Full; full {
		if col.Full = false; x.lone() {
			text, end = s.take()
		}
	}
	if len(text) == 0 && end != '\n' {
		if end == '\f' {
			w.lone = true
			if p.Header {
				w.some = true
				p.header(w)
			} else if p.opt.keep {
				p.Feed = true
			}
		}
		return p.end(w.c, i, end)
	}
	if p.opt.fits(text) {
		w.some = true
		if p.Header {
			p.header(w)
		}
		if p.opt.merged && w.behind {
			p.alignBefore(w, i)
		}
		w.begin()
		w.line(i, text, &p.Line)
		w.empty = false
	}
	p.Feed = p.Feed || end == '\f' && p.opt.keep
	return p.end(w.c, i, end)
}

// alignBefore writes the empty columns before the first of a row that has text.
func (p *program) alignBefore(w *writer, i int) {
	n := w.seps
	w.seps = 0
	for k := range n {
		w.align(k, &p.Line)
		w.seps++
	}
	w.padding, w.spaces, w.behind = p.opt.start(i), 0, false
	if p.opt.truncate {
		w.spaces = p.opt.perColumn
	}
}

// printStored writes the next line of a column that goes down.
func (p *program) printStored(w *writer, i int) {
	col := &p.Columns[i]
	at := col.At
	col.At++
	w.some = true
	if p.Header {
		p.header(w)
	}
	if col.Status == found {
		for k := range p.Columns {
			p.Columns[k].Status = onHold
		}
		if p.Columns[0].Left <= 0 {
			w.some = w.some && p.opt.extremities
			return // a header only
		}
	}
	w.begin()
	end := len(p.Text)
	if at+1 < len(p.Lines) {
		end = p.Lines[at+1].Begin
	}
	for _, b := range p.Text[p.Lines[at].Begin:end] {
		w.char(b)
	}
	if w.spaces == 0 {
		w.pos = p.opt.start(i) + p.Lines[at].Width
		if p.opt.start(i)-len(p.opt.separator) == p.opt.margin {
			w.pos -= len(p.opt.separator)
		}
	}
}

// endPage fills a page up and goes on to the next.
func (p *program) endPage(c *cmd.Ctx) {
	if p.Left == 0 {
		for i := range p.Columns {
			if p.Columns[i].Status == open {
				p.Columns[i].Full = true
			}
		}
	}
	switch {
	case p.Some && p.opt.extremities && p.opt.feed:
		c.Out.WriteByte('\f')
	case p.Some && p.opt.extremities:
		c.Out.Pad('\n', p.Left+trailer)
	case p.opt.keep && p.Feed:
		c.Out.WriteByte('\f')
		p.Feed = false
	}
	p.Some = false
	if p.Page++; p.opt.to < p.Page {
		p.Phase = opening
		return
	}
	p.release()
	p.startPage()
}
