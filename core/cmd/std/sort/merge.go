package sort

import (
	"bytes"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// write merges the runs into the output for one turn.
func (p *program) write(c *cmd.Ctx) cmd.Next {
	o := p.order
	if !p.Ready {
		p.Ready = true
		if o.output != "" && o.output != "-" {
			fd, err := c.Open(o.output, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
			if err != nil {
				c.Errorf("open failed: %s: %s", quote.File(c, o.output), err)
				return cmd.Exit(2)
			}
			p.Out = fd
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	from := c.Out.Len()
	done := p.merge(c, from+c.Turn(cmd.Turn))
	if p.Out != 0 {
		data := c.Out.B[from:]
		c.Out.B = c.Out.B[:from]
		if err := c.Write(p.Out, data); err != nil {
			c.Errorf("write failed: %s: %s", quote.File(c, o.output), err)
			return cmd.Exit(2)
		}
	}
	if done {
		return cmd.Exit(0)
	}
	return cmd.Again()
}

// merge writes lines until the output has limit bytes; true when all are written.
func (p *program) merge(c *cmd.Ctx, limit int) (done bool) {
	o := p.order
	if p.heap == nil {
		p.heap = make([]head, 0, len(p.Runs)+1)
		for i := range p.Runs {
			if h, ok := p.next(i, nil); ok {
				p.heap = append(p.heap, h)
			}
		}
		for i := len(p.heap)/2 - 1; i >= 0; i-- {
			p.sift(i)
		}
	}
	if len(p.heap) == 1 && !o.unique {
		r := &p.Runs[p.heap[0].run]
		return p.copyRun(c, r, limit)
	}
	most := mergeLines
	if o.slow() {
		most /= 8
	}
	for n := c.Turn(most); len(p.heap) > 0 && c.Out.Len() < limit && n > 0; n-- {
		h := &p.heap[0]
		if !o.unique || !p.same(h.text) {
			c.Out.B = append(append(c.Out.B, h.text...), o.end)
		}
		r := &p.Runs[h.run]
		r.Pos += len(h.text) + 1
		next, ok := p.next(h.run, h.more)
		if ok {
			p.heap[0] = next
		} else {
			r.Data, r.Pos = nil, 0
			last := len(p.heap) - 1
			p.heap[0] = p.heap[last]
			p.heap = p.heap[:last]
		}
		p.sift(0)
	}
	c.Charge(64)
	return len(p.heap) == 0
}

// mergeLines is how many lines are merged in a turn: with -u few of them may be written.
const mergeLines = 1 << 12

// copyRun writes the rest of the only run that is left.
func (p *program) copyRun(c *cmd.Ctx, r *run, limit int) (done bool) {
	rest := r.Data[r.Pos:]
	if n := limit - c.Out.Len(); n < len(rest) {
		if i := bytes.LastIndexByte(rest[:n], p.order.end); i >= 0 {
			n = i + 1
		} else {
			n = bytes.IndexByte(rest, p.order.end) + 1
		}
		rest = rest[:n]
	}
	c.Out.Write(rest)
	r.Pos += len(rest)
	if r.Pos == len(r.Data) {
		return true
	}
	p.heap[0], _ = p.next(p.heap[0].run, p.heap[0].more)
	return false
}

// same reports that text equals the line written last, and else keeps it as that.
func (p *program) same(text []byte) bool {
	o := p.order
	if p.Some {
		if o.plain {
			if bytes.Equal(p.Last, text) {
				return true
			}
		} else if x, y := o.item(p.Last), o.item(text); o.compare(&x, &y) == 0 {
			return true
		}
	}
	p.Last, p.Some = append(p.Last[:0], text...), true
	return false
}

// next is the head of a run. It is compared with many, so all its keys are
// made ready, in the place of those of the head before it.
func (p *program) next(i int, room []keyed) (head, bool) {
	r := &p.Runs[i]
	rest := r.Data[r.Pos:]
	if len(rest) == 0 {
		return head{}, false
	}
	o := p.order
	it := o.item(rest[:bytes.IndexByte(rest, o.end)])
	if len(o.keys) > 1 {
		it.more = room[:0]
		for level := 1; level < len(o.keys); level++ {
			it.more = append(it.more, o.itemAt(it.text, level).keyed)
		}
	}
	return head{it, i}, true
}

// sift moves the head at i down to its place.
func (p *program) sift(i int) {
	for {
		least := i
		for j := 2*i + 1; j <= 2*i+2 && j < len(p.heap); j++ {
			if p.before(j, least) {
				least = j
			}
		}
		if least == i {
			return
		}
		p.heap[i], p.heap[least] = p.heap[least], p.heap[i]
		i = least
	}
}

// before orders heads; of equal lines the earlier run's comes first.
func (p *program) before(i, j int) bool {
	a, b := &p.heap[i], &p.heap[j]
	p.order.compared()
	if r := p.order.compare(&a.item, &b.item); r != 0 {
		return r < 0
	}
	return a.run < b.run
}
