package shell

import "eryxsh/core/large"

// Filled is the parts of a long capture, or of a long line that is being read, that
// are full. Forks have the same parts and each a list of its own.
type Filled struct {
	Parts [][]byte `cbor:"1,keyasint,omitempty"`
}

// capturePart is how many bytes a part has. A buffer that grows is copied and
// cleared in one go, which takes too long for hundreds of megabytes.
const capturePart = 1 << 20

// collect appends b to text, which comes after the parts.
func collect(full **Filled, text, b []byte) []byte {
	for len(text)+len(b) > capturePart {
		n := max(capturePart-len(text), 0)
		if *full == nil {
			*full = &Filled{}
		}
		(*full).Parts = append((*full).Parts, append(text, b[:n]...))
		text, b = make([]byte, 0, capturePart), b[n:]
	}
	return append(text, b...)
}

// list is the parts.
func (f *Filled) list() [][]byte {
	if f == nil {
		return nil
	}
	return f.Parts
}

// clone is f for a fork.
func (f *Filled) clone() *Filled {
	if f == nil {
		return nil
	}
	n := len(f.Parts)
	return &Filled{f.Parts[:n:n]}
}

// size is how many bytes a file without an inode holds.
func (o *OFD) size() int { return large.Size(o.Full.list(), o.Text) }

// from is what a file without an inode holds at an offset: up to the end of the part it is in.
func (o *OFD) from(off int64) []byte {
	for _, part := range o.Full.list() {
		if off < int64(len(part)) {
			return part[off:]
		}
		off -= int64(len(part))
	}
	return o.Text[min(off, int64(len(o.Text))):]
}

// gather appends to what a frame reads, and checks it against the limit memory.
func (m *Machine) gather(x *Extra, b []byte) {
	x.Data = collect(&x.Full, x.Data, b)
	m.hold(x.size())
}

// size is how many bytes a frame has read.
func (x *Extra) size() int { return large.Size(x.Full.list(), x.Data) }

// gathered is what a frame has read, as a text.
func (m *Machine) gathered(p *Process, x *Extra) string {
	return large.Joined(x.Full.list(), x.Data, m.env(p))
}

// join makes one part of what a frame has read.
func (m *Machine) join(p *Process, x *Extra) {
	if x.Full != nil {
		x.Data, x.Full = large.Whole(x.Full.Parts, x.Data, 0, m.env(p)), nil
	}
}

// endsEscaped reports whether a backslash that is not escaped itself is before the
// newline at the end of what a frame has read.
func (x *Extra) endsEscaped() bool {
	n, skip := 0, 1
	parts := x.Full.list()
	for at := len(parts); at >= 0; at-- {
		part := x.Data
		if at < len(parts) {
			part = parts[at]
		}
		i := len(part) - 1
		for ; i >= 0 && (skip > 0 || part[i] == '\\'); i-- {
			if skip > 0 {
				skip--
			} else {
				n++
			}
		}
		if i >= 0 {
			break
		}
	}
	return n%2 == 1
}
