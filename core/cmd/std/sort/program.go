package sort

import (
	"bytes"
	"io"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// runSize is how many bytes of lines are sorted at a time.
const runSize = 256 << 10

// program reads runs, then merges them.
type program struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Begun  bool      `cbor:"2,keyasint,omitempty"`
	Salt   uint64    `cbor:"3,keyasint,omitempty"` // of -R
	Runs   []run     `cbor:"4,keyasint,omitempty"`
	Open   bool      `cbor:"5,keyasint,omitempty"` // the last run grows
	Total  int       `cbor:"6,keyasint,omitempty"` // bytes in Runs
	Out    int       `cbor:"7,keyasint,omitempty"` // descriptor of -o; 0 is standard output
	Ready  bool      `cbor:"8,keyasint,omitempty"` // the output is open
	Last   []byte    `cbor:"9,keyasint,omitempty"` // the last line written (-u) or read (-c)
	Some   bool      `cbor:"10,keyasint,omitempty"`
	Line   int64     `cbor:"11,keyasint,omitempty"` // lines of the checked file
	Files  int       `cbor:"12,keyasint,omitempty"` // files whose run was begun (-m)
	Names  []string  `cbor:"13,keyasint,omitempty"` // of --files0-from
	List   cmd.Lines `cbor:"14,keyasint,omitempty"`
	ListFD int       `cbor:"15,keyasint,omitempty"`
	Listed uint8     `cbor:"16,keyasint,omitempty"` // 1: the list is open, 2: it is read

	order *order
	heap  []head
	lines []line
	spare []line // as long as lines, between two runs
}

// run is lines in order, each with its end, from Pos on.
type run struct {
	Data []byte `cbor:"1,keyasint,omitempty"`
	Pos  int    `cbor:"2,keyasint,omitempty"`
}

// line is a place in a run with its first key.
type line struct {
	prefix uint64
	off, n int32
	key, k int32 // where the key is, from off, and its length
	exact  bool
}

func (l *line) in(data []byte) item {
	text := data[l.off : l.off+l.n]
	return item{l.prefix, l.exact, text, text[l.key : l.key+l.k]}
}

// item is a line to compare.
type item struct {
	prefix uint64
	exact  bool
	text   []byte
	key    []byte
}

// head is the next line of a run in the merge.
type head struct {
	item
	run int
}

// Step reads for a turn, or merges for a turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.order == nil {
		o, status := parse(c)
		if o == nil {
			return cmd.Exit(status)
		}
		p.order = o
	}
	if p.order.files0 != "" {
		if p.Listed < 2 {
			return p.list(c)
		}
		c.Args = p.Names
	}
	if !p.Begun {
		p.Begun = true
		p.Salt = c.Rand()
		if status := p.inputs(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	p.order.salt = p.Salt
	if p.In.End {
		return p.write(c)
	}
	next, ok := p.In.Turn(c)
	if p.In.Status != 0 {
		return cmd.Exit(2)
	}
	if !ok {
		if !p.In.End {
			return next
		}
		if p.order.check != 0 {
			return cmd.Exit(0)
		}
		p.seal()
		return cmd.Again()
	}
	if p.order.check != 0 {
		return p.check(c)
	}
	p.collect(c)
	return cmd.Again()
}

// inputs makes sure that all files can be read before anything is.
func (p *program) inputs(c *cmd.Ctx) (status int) {
	for _, name := range c.Args {
		if name == "-" {
			continue
		}
		if err := c.Access(name, vfs.R_OK); err != nil {
			c.Errorf("cannot read: %s: %s", quote.Maybe(name), err)
			return 2
		}
	}
	return 0
}

// list reads the names of --files0-from.
func (p *program) list(c *cmd.Ctx) cmd.Next {
	file := p.order.files0
	if p.Listed == 0 {
		if len(c.Args) > 0 {
			c.Errorf("extra operand %s", quote.Shell(c.Args[0]))
			c.Errout.WriteString("file operands cannot be combined with --files0-from\nTry '" + c.Name + " --help' for more information.\n")
			return cmd.Exit(2)
		}
		if file != "-" {
			fd, err := c.Open(file, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("open failed: %s: %s", quote.Maybe(file), err)
				return cmd.Exit(2)
			}
			p.ListFD = fd
		}
		p.Listed = 1
	}
	switch err := p.List.Fill(c, p.ListFD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.ListFD)
	default:
		c.Errorf("%s: read error: %s", quote.Maybe(file), err)
		return cmd.Exit(2)
	}
	for name, ok := p.List.Next(0); ok; name, ok = p.List.Next(0) {
		if len(name) == 0 {
			c.Errorf("%s:%d: invalid zero-length file name", quote.Maybe(file), len(p.Names)+1)
			return cmd.Exit(2)
		}
		p.Names = append(p.Names, string(name))
	}
	if p.List.Ended() {
		p.Listed = 2
		if len(p.Names) == 0 {
			c.Errorf("no input from %s", quote.Shell(file))
			return cmd.Exit(2)
		}
	}
	return cmd.Again()
}

// collect takes whole lines into the last run; a full one is sorted.
func (p *program) collect(c *cmd.Ctx) {
	end := p.order.end
	if p.order.merge && p.Open && p.Files != p.In.Count {
		p.Open = false // a file is a run, and is in order already
	}
	p.Files = p.In.Count
	rest := p.In.Rest()
	n := len(rest)
	if !p.In.EOF {
		n = p.In.Whole(end)
	}
	if n > 0 {
		if !p.Open {
			p.Runs = append(p.Runs, run{Data: make([]byte, 0, min(runSize, 4*n)+cmd.Turn)})
			p.Open = true
		}
		r := &p.Runs[len(p.Runs)-1]
		r.Data = append(r.Data, rest[:n]...)
		if r.Data[len(r.Data)-1] != end {
			r.Data = append(r.Data, end)
		}
		p.In.Skip(n)
		p.Total += n
		p.In.Kept = p.Total
		if len(r.Data) >= runSize && !p.order.merge {
			p.seal()
		}
		c.Charge(n / 16)
	} else {
		p.In.More = false
	}
}

// seal sorts the run that was being read.
func (p *program) seal() {
	if !p.Open {
		return
	}
	p.Open = false
	if p.order.merge {
		return
	}
	r := &p.Runs[len(p.Runs)-1]
	o := p.order
	p.lines = p.lines[:0]
	for off := 0; off < len(r.Data); {
		n := bytes.IndexByte(r.Data[off:], o.end)
		it := o.item(r.Data[off : off+n])
		l := line{prefix: it.prefix, exact: it.exact, off: int32(off), n: int32(n), k: int32(len(it.key))}
		if len(it.key) > 0 {
			l.key = int32(cap(it.text) - cap(it.key))
		}
		p.lines = append(p.lines, l)
		off += n + 1
	}
	data := r.Data
	p.spare = slices.Grow(p.spare[:0], len(p.lines))[:len(p.lines)]
	o.sort(data, p.lines, p.spare, 0)
	sorted := make([]byte, 0, len(data))
	for i, l := range p.lines {
		text := data[l.off : l.off+l.n]
		if o.unique && i > 0 {
			x, y := p.lines[i-1].in(data), l.in(data)
			if o.plain && bytes.Equal(x.text, y.text) || !o.plain && o.compare(&x, &y) == 0 {
				continue
			}
		}
		sorted = append(append(sorted, text...), o.end)
	}
	r.Data = sorted
}

// few lines are sorted by comparing them.
const few = 48

// sort orders the lines of a run, which have the first depth bytes in common.
// spare is as long.
func (o *order) sort(data []byte, lines, spare []line, depth int32) {
	if len(lines) < few {
		slices.SortFunc(lines, func(a, b line) int {
			x, y := a.in(data), b.in(data)
			if r := o.compare(&x, &y); r != 0 {
				return r
			}
			return int(a.off - b.off)
		})
		return
	}
	byPrefix(lines, spare, o.plain && o.reverse || !o.plain && o.keys[0].reverse)
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].prefix == lines[0].prefix {
			n++
		}
		switch same := lines[:n]; {
		case n == 1 || o.plain && same[0].exact:
		case !o.plain:
			slices.SortFunc(same, func(a, b line) int {
				x, y := a.in(data), b.in(data)
				if r := o.compare(&x, &y); r != 0 {
					return r
				}
				return int(a.off - b.off)
			})
		default:
			for i := range same {
				l := &same[i]
				l.prefix, l.exact = textPrefix(data[l.off+depth+prefixed : l.off+l.n])
			}
			o.sort(data, same, spare[:n], depth+prefixed)
		}
		lines = lines[n:]
	}
}

// byPrefix orders lines by their prefixes, those with the same one as they
// were: by one byte after the other, the last first.
func byPrefix(lines, spare []line, reverse bool) {
	var counts [8][256]int32
	for i := range lines {
		for b, v := 0, lines[i].prefix; b < 8; b, v = b+1, v>>8 {
			counts[b][byte(v)]++
		}
	}
	from, to := lines, spare
	for b := range counts {
		count, shift := &counts[b], 8*b
		if int(count[byte(from[0].prefix>>shift)]) == len(from) {
			continue // all have the same
		}
		at := int32(0)
		for i := range count {
			if reverse {
				i = 255 - i
			}
			count[i], at = at, at+count[i]
		}
		for i := range from {
			place := &count[byte(from[i].prefix>>shift)]
			to[*place] = from[i]
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &lines[0] {
		copy(lines, from)
	}
}

// item makes a line ready to compare.
func (o *order) item(text []byte) item {
	it := item{text: text, key: text}
	if o.plain {
		it.prefix, it.exact = textPrefix(text)
		return it
	}
	it.key = o.keys[0].of(text, o.tab)
	it.prefix, it.exact = o.keys[0].prefix(it.key, o)
	return it
}

// compare orders two lines; 0 is only for lines that are equal in all that counts.
func (o *order) compare(a, b *item) int {
	exact := a.exact && b.exact
	if o.plain {
		r := 0
		switch {
		case a.prefix < b.prefix:
			r = -1
		case a.prefix > b.prefix:
			r = 1
		case !exact:
			r = bytes.Compare(a.text, b.text)
		}
		if o.reverse {
			return -r
		}
		return r
	}
	for i := range o.keys {
		k := &o.keys[i]
		r := 0
		switch {
		case i == 0 && a.prefix != b.prefix:
			if r = 1; a.prefix < b.prefix {
				r = -1
			}
		case i == 0 && exact:
			continue
		case i == 0:
			r = k.compare(a.key, b.key, o)
		default:
			r = k.compare(k.of(a.text, o.tab), k.of(b.text, o.tab), o)
		}
		if r != 0 {
			if k.reverse {
				return -r
			}
			return r
		}
	}
	if o.stable || o.unique {
		return 0
	}
	r := bytes.Compare(a.text, b.text)
	if o.reverse {
		return -r
	}
	return r
}

// check compares each line with the one before.
func (p *program) check(c *cmd.Ctx) cmd.Next {
	o := p.order
	for text, ok := p.In.Next(o.end); ok; text, ok = p.In.Next(o.end) {
		p.Line++
		if p.Some {
			x, y := o.item(p.Last), o.item(text)
			r := o.compare(&x, &y)
			if r > 0 || r == 0 && o.unique {
				if o.check == 'c' {
					c.Errorf("%s:%d: disorder: %s", p.In.Name(c), p.Line, text)
				}
				return cmd.Exit(1)
			}
		}
		p.Last, p.Some = append(p.Last[:0], text...), true
	}
	return cmd.Again()
}
