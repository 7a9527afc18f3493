package split

import (
	"bytes"
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// program copies its input to one output after the other.
type program struct {
	FD     int    `cbor:"2,keyasint,omitempty" holds:"count"`
	Begun  bool   `cbor:"3,keyasint,omitempty"`
	Files  uint64 `cbor:"5,keyasint,omitempty"`                // outputs begun
	Out    int    `cbor:"6,keyasint,omitempty" holds:"count"`  // the open output, 0 if none is
	Used   int64  `cbor:"7,keyasint,omitempty" holds:"count"`  // lines or bytes in it
	Size   int64  `cbor:"8,keyasint,omitempty" holds:"count"`  // of the input, for chunks
	All    []byte `cbor:"9,keyasint,omitempty"`                // of -C: bytes not written yet
	Off    int64  `cbor:"10,keyasint,omitempty" holds:"count"` // of the next byte
	Robin  []int  `cbor:"11,keyasint,omitempty"`               // descriptors of round robin; 0 if not open
	Next   int64  `cbor:"12,keyasint,omitempty"`               // whose turn it is, from 0
	Middle bool   `cbor:"13,keyasint,omitempty"`               // within a line
	Probe  bool   `cbor:"14,keyasint,omitempty"`               // the size is not known: all is read before anything is written

	opt *options
	in  cmd.Lines // a turn takes all it reads, but for Probe
}

// maxProbe is how much a file without a size may hold: GNU's buffer.
const maxProbe = 128 << 10

// Wrong checks whose turn it is.
func (p *program) Wrong(*cmd.Ctx) string {
	if p.Robin != nil && (p.Next < 0 || p.Next >= int64(len(p.Robin)) || p.Files > uint64(len(p.Robin))) {
		return "an output that is not there"
	}
	return ""
}

// Step copies what one turn reads.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
		if k := p.opt.kind; (k == byLines || k == byBytes || k == byLineBytes) && p.Used > p.opt.size {
			return c.Unfit("an output has more than it may have")
		}
		if p.Robin != nil && int64(len(p.Robin)) != p.opt.size {
			return c.Unfit("there are not as many outputs")
		}
	}
	o := p.opt
	if !p.Begun {
		p.Begun = true
		if status := p.open(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch err := p.in.Fill(c, p.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	default:
		return cmd.Exit(c.Fail(o.name, err))
	}
	if p.Probe {
		if len(p.All)+len(p.in.Rest()) > maxProbe {
			c.Errorf("%s: cannot determine file size: Value too large for defined data type", quote.File(c, o.name))
			return cmd.Exit(1)
		}
		p.All = append(p.All, p.in.Take()...)
		if !p.in.EOF {
			return cmd.Again()
		}
		p.Probe, p.Size = false, int64(len(p.All))
		if !p.copy(c, p.All) {
			return cmd.Exit(1)
		}
		p.All = nil
	}
	ok := p.copy(c, p.in.Take())
	if ok && p.in.Ended() {
		if ok = p.finish(c); ok {
			return cmd.Exit(0)
		}
	}
	if !ok {
		return cmd.Exit(1)
	}
	return cmd.Again()
}

func (p *program) open(c *cmd.Ctx) (status int) {
	o := p.opt
	if o.name != "-" {
		fd, err := c.Open(o.name, vfs.O_RDONLY, 0)
		if err != nil {
			c.Errorf("cannot open %s for reading: %s", quote.Shell(c, o.name), err)
			return 1
		}
		p.FD = fd
	}
	st, err := c.Fstat(p.FD)
	if chunks := o.kind == byChunks || o.kind == byRecords; chunks && err == nil && (st.Mode.IsRegular() && st.Size == 0 || st.Mode&vfs.TypeMask == vfs.TypeChar) {
		p.Probe = true
		return 0
	}
	if err == nil && st.Mode.IsRegular() {
		if at, err := c.Seek(p.FD, 0, 1); err == nil {
			p.Size = max(0, st.Size-at)
			return 0
		}
	}
	if _, err := c.Seek(p.FD, 0, 1); err == nil { // /dev/null has a size: it is at its end
		if _, err = c.Read(p.FD, make([]byte, 1)); err == io.EOF {
			return 0
		}
	}
	if o.kind == byChunks || o.kind == byRecords {
		c.Errorf("%s: cannot determine file size", quote.File(c, o.name))
		return 1
	}
	return 0
}

// copy hands data on as the kind of splitting says; false after an error.
func (p *program) copy(c *cmd.Ctx, data []byte) bool {
	switch o := p.opt; o.kind {
	case byLines:
		return p.lines(c, data)
	case byBytes:
		for len(data) > 0 {
			n := int(min(o.size-p.Used, int64(len(data))))
			if !p.put(c, data[:n]) {
				return false
			}
			if p.Used += int64(n); p.Used == o.size {
				p.closeOut(c)
			}
			data = data[n:]
		}
		return true
	case byLineBytes:
		return p.lineBytes(c, data)
	case roundRobin:
		return p.robin(c, data)
	}
	return p.chunk(c, data)
}

func (p *program) lines(c *cmd.Ctx, data []byte) bool {
	for len(data) > 0 {
		n := 0
		for n < len(data) && p.Used < p.opt.size {
			i := bytes.IndexByte(data[n:], p.opt.sep)
			if i < 0 {
				n = len(data)
				break
			}
			n += i + 1
			p.Used++
		}
		if !p.put(c, data[:n]) {
			return false
		}
		if p.Used == p.opt.size {
			p.closeOut(c)
		}
		data = data[n:]
	}
	return true
}

// lineBytes fills each output with whole lines; a line longer than an output is cut.
func (p *program) lineBytes(c *cmd.Ctx, data []byte) bool {
	p.All = large.Append(p.All, data)
	for len(p.All) > 0 {
		room := int(min(p.opt.size-p.Used, int64(len(p.All))))
		n := bytes.LastIndexByte(p.All[:room], p.opt.sep) + 1
		whole := int64(len(p.All)) >= p.opt.size-p.Used
		switch {
		case !whole && !p.in.EOF:
			return true // more may still fit
		case !whole:
			n = len(p.All)
		case n == 0 && p.Used > 0 && !p.Middle:
			p.closeOut(c)
			continue
		case n == 0:
			n = room
		}
		if !p.put(c, p.All[:n]) {
			return false
		}
		p.Used += int64(n)
		p.Middle = p.All[n-1] != p.opt.sep
		p.All = append(p.All[:0], p.All[n:]...)
		if whole {
			p.closeOut(c)
		}
	}
	return true
}

// chunk cuts the input into pieces of Size / chunks bytes; with lines, a line
// belongs where it begins.
func (p *program) chunk(c *cmd.Ctx, data []byte) bool {
	o := p.opt
	for len(data) > 0 {
		end := p.chunkEnd(p.Used + 1)
		for p.Off > 0 && p.Off >= end && p.Used+1 < o.size && !p.Middle {
			if !p.nextChunk(c) {
				return false
			}
			end = p.chunkEnd(p.Used + 1)
		}
		n := len(data)
		if p.Used+1 < o.size {
			n = int(min(int64(n), max(0, end-p.Off)))
			if o.kind == byRecords {
				// Up to the end of the line that the last byte of the chunk is in.
				from := max(0, n-1)
				if i := bytes.IndexByte(data[from:], o.sep); i >= 0 {
					n = from + i + 1
				} else {
					n = len(data)
				}
			}
		}
		if o.only == 0 || o.only == p.Used+1 {
			if !p.put(c, data[:n]) {
				return false
			}
		}
		p.Off += int64(n)
		p.Middle = o.kind == byRecords && n > 0 && data[n-1] != o.sep
		data = data[n:]
	}
	return true
}

// chunkEnd is where chunk k ends, from 1.
func (p *program) chunkEnd(k int64) int64 {
	each := p.Size / p.opt.size
	if p.opt.kind == byChunks {
		each = max(1, each)
	}
	if k >= p.opt.size {
		return p.Size
	}
	return min(p.Size, k*each)
}

// nextChunk goes to the next chunk; one that got nothing is an empty file.
func (p *program) nextChunk(c *cmd.Ctx) bool {
	if p.Out == 0 && p.opt.only == 0 {
		if p.opt.elide {
			p.Used++
			return true
		}
		if !p.create(c) {
			return false
		}
	}
	used := p.Used + 1
	p.closeOut(c)
	p.Used = used
	return true
}

// robin gives every line to the next of the outputs.
func (p *program) robin(c *cmd.Ctx, data []byte) bool {
	o := p.opt
	if p.Robin == nil && o.only == 0 {
		p.Robin = make([]int, o.size)
	}
	for len(data) > 0 {
		n := bytes.IndexByte(data, o.sep) + 1
		whole := n > 0
		if !whole {
			n = len(data)
		}
		switch {
		case o.only == p.Next+1:
			c.Out.Write(data[:n])
		case o.only == 0:
			for p.Files <= uint64(p.Next) {
				if !p.create(c) {
					return false
				}
				p.Robin[p.Files-1], p.Out = p.Out, 0
			}
			if err := c.Write(p.Robin[p.Next], data[:n]); err != nil {
				return p.writeError(c, uint64(p.Next), err)
			}
		}
		if whole {
			p.Next = (p.Next + 1) % o.size
		}
		data = data[n:]
	}
	return true
}

// finish makes the empty outputs that -n asks for.
func (p *program) finish(c *cmd.Ctx) bool {
	o := p.opt
	if o.kind == byLines || o.kind == byBytes || o.kind == byLineBytes || o.only > 0 || o.elide {
		return true
	}
	for p.Files < uint64(o.size) {
		p.closeOut(c)
		if !p.create(c) {
			return false
		}
	}
	return true
}

// put writes to the open output, or to the next.
func (p *program) put(c *cmd.Ctx, data []byte) bool {
	if len(data) == 0 {
		return true
	}
	if p.opt.only > 0 {
		c.Out.Write(data)
		return true
	}
	if p.Out == 0 && !p.create(c) {
		return false
	}
	if err := c.Write(p.Out, data); err != nil {
		return p.writeError(c, p.Files-1, err)
	}
	return true
}

func (p *program) writeError(c *cmd.Ctx, file uint64, err error) bool {
	name, _ := p.opt.fileName(file)
	c.Fail(name, err)
	return false
}

func (p *program) closeOut(c *cmd.Ctx) {
	if p.Out != 0 {
		c.Close(p.Out)
	}
	p.Out, p.Used = 0, 0
}

// create opens the next output.
func (p *program) create(c *cmd.Ctx) bool {
	name, ok := p.opt.fileName(p.Files)
	if !ok {
		c.Errorf("output file suffixes exhausted")
		return false
	}
	p.Files++
	if p.opt.verbose {
		c.Out.WriteString("creating file " + quote.Shell(c, name) + "\n")
	}
	if st, err := c.Stat(name); err == nil && p.reads(c, st.Ino) {
		c.Errorf("%s would overwrite input; aborting", quote.Shell(c, name))
		return false
	}
	fd, err := c.Open(name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
	if err != nil {
		c.Fail(name, err)
		return false
	}
	p.Out = fd
	return true
}

// reads reports whether the input is a certain file.
func (p *program) reads(c *cmd.Ctx, ino vfs.Ino) bool {
	in, err := c.Fstat(p.FD)
	return err == nil && in.Mode.IsRegular() && in.Ino == ino
}
