package jq

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Inputs are the files of the command line, one after the other.
type Inputs struct {
	Reader  Reader `cbor:"1,keyasint,omitempty"`
	File    int    `cbor:"2,keyasint,omitempty" holds:"count"` // operands taken
	FD      int    `cbor:"3,keyasint,omitempty" holds:"count"`
	Open    bool   `cbor:"4,keyasint,omitempty"`
	Name    string `cbor:"5,keyasint,omitempty"` // of the file being read, "" before the first
	Slurped Value  `cbor:"6,keyasint,omitempty"` // what --slurp gathers
	Raw     []byte `cbor:"7,keyasint,omitempty"` // what --raw-input --slurp gathers
	Over    bool   `cbor:"8,keyasint,omitempty"` // everything was given
	Begun   bool   `cbor:"9,keyasint,omitempty"` // the null of -n was given

}

// where says where the last input came from, for messages.
func (in *Inputs) where() string {
	if in.Name == "" {
		return "<unknown>"
	}
	return fmt.Sprintf("%s:%d", in.Name, in.Reader.lines())
}

// inputCost is what an input costs, however short it is, in bytes of a longer one.
const inputCost = 32

// input takes the next input. gotPause means that Program.wait is to be returned; gotNothing that there are no more.
func (p *Program) input() (v Value, got verdict, msg string) {
	in := &p.In
	for {
		if in.Over {
			return empty, gotNothing, ""
		}
		if p.opts.raw {
			v, got = p.rawInput()
		} else {
			before := in.Reader.Pos
			v, got, msg = in.Reader.read(&p.Heap, cmd.Turn)
			p.charge(in.Reader.Pos - before + inputCost)
		}
		switch {
		case got == gotPause:
			p.gather()
			p.wait = cmd.Again()
			return empty, gotPause, ""
		case got == gotError:
			return empty, gotError, msg
		case got == gotValue && p.opts.slurp && !p.opts.raw:
			p.slurp(v)
			if p.budget <= 0 {
				p.wait = cmd.Again()
				return empty, gotPause, ""
			}
			continue
		case got == gotValue:
			return v, gotValue, ""
		}
		switch p.more() {
		case nil:
			p.gather()
			if p.budget <= 0 {
				p.wait = cmd.Again()
				return empty, gotPause, ""
			}
		case cmd.ErrBlocked:
			p.wait = cmd.WaitRead(in.FD)
			return empty, gotPause, ""
		default:
			in.Over = true
			if p.opts.slurp {
				if p.opts.raw {
					return p.ownText(valid(large.Text(in.Raw, p), p)), gotValue, ""
				}
				v, in.Slurped = p.slurped(), empty
				return v, gotValue, ""
			}
		}
	}
}

// gather collects garbage between two reads.
func (p *Program) gather() { p.checkHeap() }

// slurpPart is how many inputs are kept in one array until all are there: a list
// that grows is copied in one go.
const slurpPart = 1 << 14

// slurp appends to what -s collects: an array of arrays.
func (p *Program) slurp(v Value) {
	h, in := &p.Heap, &p.In
	if in.Slurped.K == None {
		in.Slurped = h.array(nil)
	}
	parts := h.Nodes[in.Slurped.R].Items
	if n := len(parts); n == 0 || len(h.Nodes[parts[n-1].R].Items) == slurpPart {
		part := h.array(nil)
		parts = append(parts, part)
		h.Nodes[in.Slurped.R].Items = parts
	}
	last := &h.Nodes[parts[len(parts)-1].R]
	last.Items = append(more(last.Items, p), v)
	h.Size += valueSize
}

// slurped is what -s has collected.
func (p *Program) slurped() Value {
	h, in := &p.Heap, &p.In
	if in.Slurped.K == None {
		return h.array(nil)
	}
	parts := h.Nodes[in.Slurped.R].Items
	if len(parts) == 1 {
		return parts[0]
	}
	n := 0
	for _, part := range parts {
		n += len(h.Nodes[part.R].Items)
	}
	all := large.Empty[Value](n, p)
	for _, part := range parts {
		all = large.Add(all, h.Nodes[part.R].Items, p)
	}
	return h.array(all)
}

// rawInput takes a line.
func (p *Program) rawInput() (Value, verdict) {
	r := &p.In.Reader
	if p.opts.slurp {
		p.In.Raw = large.Push(p.In.Raw, r.Buf[r.Pos:], p)
		r.Pos = len(r.Buf)
		return empty, gotNothing
	}
	if !r.whole(lineEnds) {
		return empty, gotNothing
	}
	rest := r.Buf[r.Pos:]
	i := bytes.IndexByte(rest[r.scanned:], '\n')
	switch {
	case i >= 0:
		i += r.scanned
		r.Pos += i + 1
	case r.eof && len(rest) > 0:
		i = len(rest)
		r.Pos = len(r.Buf)
	default:
		r.scanned = len(rest)
		r.aside()
		return empty, gotNothing
	}
	r.scanned = 0
	p.charge(i)
	return p.ownText(valid(large.Text(rest[:i], p), p)), gotValue
}

// more reads some bytes. io.EOF means that there are none in any file.
func (p *Program) more() error {
	in := &p.In
	if in.Reader.eof {
		return io.EOF
	}
	if !in.Open {
		if !p.nextFile() {
			in.Reader.eof = true
			return nil
		}
	}
	chunk := cmd.Borrow()
	defer chunk.Return()
	n, err := p.c.Read(in.FD, chunk[:])
	if n > 0 {
		in.Reader.add(chunk[:n])
		p.spend(n>>5 + 1)
	}
	switch {
	case err == io.EOF:
		p.closeFile()
	case err == cmd.ErrBlocked:
		return err
	case err != nil:
		fmt.Fprintf(&p.c.Errout, "jq: error: %s: %s\n", in.Name, err)
		p.Status = 2
		p.closeFile()
	}
	return nil
}

func (p *Program) closeFile() {
	if p.In.FD != 0 {
		p.c.Close(p.In.FD)
	}
	p.In.Open = false
	p.In.Reader.eof = p.atEnd()
}

// atEnd reports that no file is open and none is left.
func (p *Program) atEnd() bool { return !p.In.Open && p.In.File >= max(len(p.opts.files), 1) }

// nextFile opens the next operand that can be opened.
func (p *Program) nextFile() bool {
	in := &p.In
	if len(p.opts.files) == 0 && in.File == 0 {
		in.File, in.Open, in.FD, in.Name = 1, true, 0, "<stdin>"
		return true
	}
	for in.File < len(p.opts.files) {
		name := p.opts.files[in.File]
		in.File++
		fd, shown := 0, "<stdin>"
		if name != "-" {
			var err error
			if fd, err = p.c.Open(name, vfs.O_RDONLY, 0); err != nil {
				fmt.Fprintf(&p.c.Errout, "jq: error: Could not open %s: %s\n", name, err)
				p.Status = 2
				continue
			}
			shown = name
		}
		in.Open, in.FD, in.Name = true, fd, shown
		in.Reader.Line, in.Reader.Column = 0, 0
		return true
	}
	return false
}

var systems = [...]string{"input/0", "halt/0", "halt_error/1", "builtins/0"}

// callSystem runs what may have to wait or ends the program.
func (p *Program) callSystem(in ins) (outcome, bool) {
	m := &p.VM
	switch in.a {
	case 0:
		v, got, msg := p.input()
		switch got {
		case gotPause:
			m.PC--
			return runWait, true
		case gotValue:
			m.replace(v)
			return 0, false
		case gotError:
			p.badInput(msg)
			return runHalt, true
		}
		p.raise("No more inputs")
		return p.backtrack()
	case 1:
		p.Status = 0
		return runHalt, true
	}
	if in.a == 3 {
		m.replace(p.builtins())
		return 0, false
	}
	v, status := m.pop(), m.pop()
	if status.K != Number {
		p.raise("halt_error/1: number required")
		return p.backtrack()
	}
	p.Status = int(uint8(clampInt(status.N)))
	p.c.Flush()
	switch v.K {
	case Null:
	case String:
		p.say(v.S)
	default:
		p.say(p.json(v), "\n")
	}
	return runHalt, true
}

// builtins lists the functions of jq's own.
func (p *Program) builtins() Value {
	var names []string
	for name := range prelude() {
		names = append(names, name)
	}
	for i := range natives {
		names = append(names, signature(natives[i].name, natives[i].argc))
	}
	names = append(names, systems[:]...)
	names = append(names, "empty/0", "select/1", "map/1", "path/1", "getpath/1", "range/1", "range/2", "first/1")
	slices.Sort(names)
	var items []Value
	for _, name := range slices.Compact(names) {
		if name[0] != '_' {
			items = append(items, str(name))
		}
	}
	return p.Heap.array(items)
}
