package shell

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Output leaves the machine in whole characters: the first bytes of one whose rest
// is not written yet wait for it, so that whoever decodes what he gets needs no
// memory of what came before, here or in the process the run is moved to.

// TakeOutput gives the output not yet delivered, in order, and forgets it.
func (m *Machine) TakeOutput() []Chunk {
	if len(m.IO.Out) == 0 {
		return nil
	}
	m.own()
	if !slices.ContainsFunc(m.IO.Out, func(c Chunk) bool { return c.Data[len(c.Data)-1] >= utf8.RuneSelf }) {
		out := m.IO.Out
		m.IO.Out = nil
		return out
	}
	var out []Chunk
	for {
		c, ok := m.TakeChunk()
		if !ok {
			return out
		}
		out = append(out, c)
	}
}

// TakeChunk gives the first chunk of the output not yet delivered and forgets it; ok is false if there is none.
func (m *Machine) TakeChunk() (c Chunk, ok bool) {
	if len(m.IO.Out) == 0 {
		return c, false
	}
	m.own()
	for i := 0; i < len(m.IO.Out); {
		c = m.IO.Out[i]
		whole, after := len(c.Data)-begun(c.Data), -1
		if whole < len(c.Data) {
			after = slices.IndexFunc(m.IO.Out[i+1:], func(o Chunk) bool { return o.Stream == c.Stream })
		}
		if after < 0 && !m.Run.Active { // nothing more comes
			whole = len(c.Data)
		}
		rest := bytes.Clone(c.Data[whole:])
		switch {
		case after >= 0:
			next := &m.IO.Out[i+1+after].Data
			*next = append(rest, *next...)
			fallthrough
		case len(rest) == 0:
			m.forgetChunk(i)
		case whole == 0: // it waits
			i++
			continue
		default:
			m.IO.Out[i].Data = rest
		}
		if whole > 0 {
			c.Data = c.Data[:whole:whole]
			return c, true
		}
	}
	return Chunk{}, false
}

// forgetChunk takes a chunk off the output: one of the first three.
func (m *Machine) forgetChunk(i int) {
	copy(m.IO.Out[1:i+1], m.IO.Out[:i])
	m.IO.Out[0] = Chunk{}
	if m.IO.Out = m.IO.Out[1:]; len(m.IO.Out) == 0 {
		m.IO.Out = nil
	}
}

// begun is how many bytes at the end of b begin a UTF-8 character that goes on.
func begun(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
