package expand

import "eryxsh/core/slab"

// Room is where what is compiled is put, in blocks. The texts of one script may
// share a Room, one after the other; what a nil one gives stands by itself.
type Room struct {
	words   slab.Of[Word]
	params  slab.Of[param]
	parts   slab.Of[part]
	ariths  slab.Of[Arith]
	progs   slab.Of[prog]
	nodes   slab.Of[node]
	links   slab.Of[link]
	scratch []part // of readers, one above the other
	idle    reader // the outermost
	busy    bool
}

// NewWord gives a zero Word.
func (m *Room) NewWord() *Word {
	if m == nil {
		return new(Word)
	}
	return m.words.One()
}

// Words gives n zero Words.
func (m *Room) Words(n int) []Word {
	if m == nil {
		return make([]Word, n)
	}
	return m.words.Some(n)
}

func (m *Room) some(n int) []part {
	if m == nil {
		return make([]part, n)
	}
	return m.parts.Some(n)
}

func (m *Room) param(p param) *param {
	var to *param
	if m == nil {
		to = new(param)
	} else {
		to = m.params.One()
	}
	*to = p
	return to
}

func (m *Room) arith() *Arith {
	if m == nil {
		return new(Arith)
	}
	return m.ariths.One()
}

func (m *Room) prog() *prog {
	if m == nil {
		return new(prog)
	}
	return m.progs.One()
}

func (m *Room) node(n node) *node {
	var to *node
	if m == nil {
		to = new(node)
	} else {
		to = m.nodes.One()
	}
	*to = n
	return to
}

// link appends to a list that has few elements mostly.
func (m *Room) link(list []link, l link) []link {
	if m != nil && list == nil {
		list = m.links.Some(1)[:0]
	}
	return append(list, l)
}

// reader begins to read a text; end gives it back.
func (m *Room) reader(s string, nodes []command, depth int) *reader {
	if m == nil {
		return &reader{s: s, nodes: nodes, depth: depth, stack: new([]part)}
	}
	r := &m.idle
	if m.busy {
		r = new(reader)
	}
	m.busy = true
	*r = reader{s: s, nodes: nodes, depth: depth, room: m, stack: &m.scratch}
	return r
}

// end is called when all has been read and taken from r.
func (r *reader) end() {
	if m := r.room; m != nil && r == &m.idle {
		m.idle, m.busy = reader{}, false
	}
}
