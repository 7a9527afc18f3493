package sort

import (
	"bytes"
	"io"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// runSize is how many bytes of lines are sorted at a time, and runLines how many lines.
const runSize, runLines = 256 << 10, 16 << 10

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
	growing
}

// Wrong checks the runs.
func (p *program) Wrong(c *cmd.Ctx) string {
	end := byte('\n')
	if c.Flags.Has("z") {
		end = 0
	}
	if p.Open && len(p.Runs) == 0 {
		return "a run is open and there is none"
	}
	for _, r := range p.Runs {
		if s := cmd.Beyond("a place in a run", r.Pos, len(r.Data)); s != "" {
			return s
		}
		if n := len(r.Data); n > 0 && r.Data[n-1] != end {
			return "a line without its end"
		}
	}
	if p.Out < 0 || p.ListFD < 0 || p.Total < 0 || p.Files < 0 {
		return "a descriptor or a count is negative"
	}
	return ""
}

// growing is the run that is being read.
type growing struct {
	count int // its lines
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
	return item{keyed: keyed{l.prefix, l.exact, text[l.key : l.key+l.k]}, text: text}
}

// set makes an item of the line its own.
func (l *line) set(it item) {
	l.prefix, l.exact, l.key, l.k = it.prefix, it.exact, 0, int32(len(it.key))
	if len(it.key) > 0 {
		l.key = int32(cap(it.text) - cap(it.key))
	}
}

// item is a line to compare, with one of its keys.
type item struct {
	keyed
	text []byte
	more []keyed // its further keys, where lines are compared again and again
}

// keyed is a key of a line.
type keyed struct {
	prefix uint64
	exact  bool
	key    []byte
}

// compare orders two keys; -r is not applied.
func (a *keyed) compare(b *keyed, k *key, o *order) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	case a.exact && b.exact:
		return 0
	}
	return k.compare(a.key, b.key, o)
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
	p.order.salt, p.order.work = p.Salt, c
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
			c.Errorf("cannot read: %s: %s", quote.File(c, name), err)
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
			c.Errorf("extra operand %s", quote.Shell(c, c.Args[0]))
			c.Errout.WriteString("file operands cannot be combined with --files0-from\nTry '" + c.Name + " --help' for more information.\n")
			return cmd.Exit(2)
		}
		if file != "-" {
			fd, err := c.Open(file, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("open failed: %s: %s", quote.File(c, file), err)
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
		c.Errorf("%s: read error: %s", quote.File(c, file), err)
		return cmd.Exit(2)
	}
	for name, ok := p.List.Next(0); ok; name, ok = p.List.Next(0) {
		if len(name) == 0 {
			c.Errorf("%s:%d: invalid zero-length file name", quote.File(c, file), len(p.Names)+1)
			return cmd.Exit(2)
		}
		if string(name) == "-" {
			c.Errorf("when reading file names from stdin, no file name of %s allowed", quote.Shell(c, "-"))
			return cmd.Exit(2)
		}
		p.Names = append(p.Names, string(name))
	}
	if p.List.Ended() {
		p.Listed = 2
		if len(p.Names) == 0 {
			c.Errorf("no input from %s", quote.Shell(c, file))
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
	n := 0
	if p.In.EOF {
		n = len(p.In.Rest())
	} else {
		n = p.In.Whole(end)
	}
	if n > 0 {
		rest := p.In.Rest()
		if !p.Open {
			p.Runs = append(p.Runs, run{Data: make([]byte, 0, min(runSize, 4*n))})
			p.Open = true
		}
		r := &p.Runs[len(p.Runs)-1]
		r.Data = append(r.Data, rest[:n]...)
		p.count += bytes.Count(rest[:n], []byte{end})
		if r.Data[len(r.Data)-1] != end {
			r.Data = append(r.Data, end)
		}
		p.In.Skip(n)
		p.Total += n
		p.In.Kept = p.Total
		size, lines := p.order.runs()
		if (len(r.Data) >= size || p.count >= lines) && !p.order.merge {
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
	p.Open, p.count = false, 0
	if p.order.merge {
		return
	}
	r := &p.Runs[len(p.Runs)-1]
	o := p.order
	p.lines = p.lines[:0]
	for off := 0; off < len(r.Data); {
		n := bytes.IndexByte(r.Data[off:], o.end)
		l := line{off: int32(off), n: int32(n)}
		l.set(o.item(r.Data[off : off+n]))
		p.lines = append(p.lines, l)
		off += n + 1
	}
	data := r.Data
	p.spare = slices.Grow(p.spare[:0], len(p.lines))[:len(p.lines)]
	o.sort(data, p.lines, p.spare, 0, 0)
	sorted := make([]byte, 0, len(data))
	for i, l := range p.lines {
		text := data[l.off : l.off+l.n]
		if o.unique && i > 0 {
			before := data[p.lines[i-1].off:][:p.lines[i-1].n]
			if o.plain && bytes.Equal(before, text) {
				continue
			}
			if x, y := o.item(before), o.item(text); !o.plain && o.compare(&x, &y) == 0 {
				continue
			}
		}
		sorted = append(append(sorted, text...), o.end)
	}
	r.Data = sorted
}

// runs is how many bytes and lines are sorted at a time: less where comparing two takes long.
func (o *order) runs() (size, lines int) {
	if o.slow() {
		return runSize / 16, runLines / 16
	}
	return runSize, runLines
}

// slow reports whether comparing two lines takes long.
func (o *order) slow() bool {
	return slices.ContainsFunc(o.keys, func(k key) bool { return k.kind == 'V' })
}

// compared counts a comparison.
func (o *order) compared() {
	const many = 1 << 10
	if o.compares++; o.compares%many == 0 {
		large.Or(o.work).Charge(many)
	}
}

// few lines are sorted by comparing them, and so are those that have more than
// maxDepth bytes of a key in common.
const few, maxDepth = 48, 64 * prefixed

// sort orders the lines of a run, which are equal in the keys before a level
// and have the first depth bytes of the one there in common. The level behind
// the last key is the whole line. spare is as long.
func (o *order) sort(data []byte, lines, spare []line, level int, depth int32) {
	if len(lines) < few || depth > maxDepth {
		slices.SortFunc(lines, func(a, b line) int {
			o.compared()
			x, y := a.in(data), b.in(data)
			if r := o.compareFrom(&x, &y, level); r != 0 {
				return r
			}
			return int(a.off - b.off)
		})
		return
	}
	reverse, text := o.reverse, true
	if level < len(o.keys) {
		reverse, text = o.keys[level].reverse, o.keys[level].kind == 0
	}
	byPrefix(lines, spare, reverse)
	for len(lines) > 0 {
		n, exact := 1, lines[0].exact
		for n < len(lines) && lines[n].prefix == lines[0].prefix {
			exact = exact && lines[n].exact
			n++
		}
		same, room := lines[:n], spare[:n]
		lines = lines[n:]
		switch {
		case n == 1:
		case exact:
			o.next(data, same, room, level+1)
		case text:
			for i := range same {
				l := &same[i]
				l.prefix, l.exact = textPrefix(o.bytes(data, l, level)[depth+prefixed:])
			}
			o.sort(data, same, room, level, depth+prefixed)
		default:
			slices.SortFunc(same, func(a, b line) int {
				o.compared()
				x, y := a.in(data), b.in(data)
				if r := o.compareFrom(&x, &y, level); r != 0 {
					return r
				}
				return int(a.off - b.off)
			})
		}
	}
}

// next orders lines that are equal in the keys before a level.
func (o *order) next(data []byte, lines, spare []line, level int) {
	if level > len(o.keys) || level == len(o.keys) && (o.plain || o.stable || o.unique) {
		return
	}
	for i := range lines {
		l := &lines[i]
		l.set(o.itemAt(data[l.off:l.off+l.n], level))
	}
	o.sort(data, lines, spare, level, 0)
}

// bytes are what of a line compares at a level whose key is text.
func (o *order) bytes(data []byte, l *line, level int) []byte {
	text := data[l.off : l.off+l.n]
	if level == len(o.keys) {
		return text
	}
	k, key := &o.keys[level], text[l.key:l.key+l.k]
	if !k.alters() {
		return key
	}
	o.fold = k.text(key, o.fold[:0])
	return o.fold
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

// item makes a line ready to compare by its first key.
func (o *order) item(text []byte) item { return o.itemAt(text, 0) }

// itemAt is item for the key of a level.
func (o *order) itemAt(text []byte, level int) item {
	it := item{text: text, keyed: keyed{key: text}}
	if level == len(o.keys) {
		it.prefix, it.exact = textPrefix(text)
		return it
	}
	it.key = o.keys[level].of(text, o.tab)
	it.prefix, it.exact = o.keys[level].prefix(it.key, o)
	return it
}

// compare orders two lines; 0 is only for lines that are equal in all that counts.
func (o *order) compare(a, b *item) int { return o.compareFrom(a, b, 0) }

// compareFrom orders two lines that are equal in the keys before a level, at
// which their items are.
func (o *order) compareFrom(a, b *item, level int) int {
	for i := level; i < len(o.keys); i++ {
		k, r := &o.keys[i], 0
		switch {
		case i == level:
			r = a.keyed.compare(&b.keyed, k, o)
		case a.more != nil && b.more != nil:
			r = a.more[i-1].compare(&b.more[i-1], k, o)
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
	if !o.plain && (o.stable || o.unique) {
		return 0
	}
	r := 0
	switch {
	case level == len(o.keys) && a.prefix != b.prefix:
		if r = 1; a.prefix < b.prefix {
			r = -1
		}
	case level == len(o.keys) && a.exact && b.exact:
	default:
		r = bytes.Compare(a.text, b.text)
	}
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
