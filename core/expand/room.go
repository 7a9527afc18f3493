package expand

import (
	"reflect"

	"eryxsh/core/slab"
)

// Account hears of work and of memory that a text makes. It may panic to end them.
type Account interface {
	// Charge says that n units of about 100 ns are to be done.
	Charge(n int)
	// Hold says that n bytes are held by what is being made.
	Hold(n int)
}

// Room is where what is compiled is put, in blocks. The texts of one script may
// share a Room, one after the other; what a nil one gives stands by itself.
type Room struct {
	Account Account // hears of what is compiled; may be nil
	held    int     // bytes, since Begin
	told    int     // of them, what Account has heard of

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

// What is counted, in bytes.
var (
	wordSize  = reflect.TypeFor[Word]().Size()
	partSize  = reflect.TypeFor[part]().Size()
	paramSize = reflect.TypeFor[param]().Size()
	arithSize = reflect.TypeFor[Arith]().Size()
	nodeSize  = reflect.TypeFor[node]().Size()
	linkSize  = reflect.TypeFor[link]().Size()
)

// roomFor is where a text made at run time is compiled: one that is long is charged for.
func roomFor(a Account, text string) *Room {
	if a == nil || len(text) < muchText {
		return nil
	}
	a.Charge(len(text) >> 6)
	return &Room{Account: a}
}

// Begin says that what was compiled before is no longer counted.
func (m *Room) Begin() { m.held, m.told = 0, 0 }

// tellEvery is how many bytes are made between two calls of Account.
const tellEvery = 64 << 10

// Took counts bytes that are made.
func (m *Room) Took(n uintptr) {
	if m.held += int(n); m.held-m.told < tellEvery {
		return
	}
	if m.Account != nil {
		m.Account.Hold(m.held)
		m.Account.Charge((m.held - m.told) >> 6)
	}
	m.told = m.held
}

// meter is the Account, nil without a room.
func (m *Room) meter() Account {
	if m == nil {
		return nil
	}
	return m.Account
}

// NewWord gives a zero Word.
func (m *Room) NewWord() *Word {
	if m == nil {
		return new(Word)
	}
	m.Took(wordSize)
	return m.words.One()
}

// Words gives n zero Words.
func (m *Room) Words(n int) []Word {
	if m == nil {
		return make([]Word, n)
	}
	m.Took(uintptr(n) * wordSize)
	return m.words.Some(n)
}

func (m *Room) some(n int) []part {
	if m == nil {
		return make([]part, n)
	}
	m.Took(uintptr(n) * partSize)
	return m.parts.Some(n)
}

func (m *Room) param(p param) *param {
	var to *param
	if m == nil {
		to = new(param)
	} else {
		m.Took(paramSize)
		to = m.params.One()
	}
	*to = p
	return to
}

func (m *Room) arith() *Arith {
	if m == nil {
		return new(Arith)
	}
	m.Took(arithSize)
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
		m.Took(nodeSize)
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
	if m != nil {
		m.Took(2 * linkSize)
	}
	return append(list, l)
}

// reader begins to read a text; end gives it back.
func (m *Room) reader(s string, nodes []command, depth int) *reader {
	if m == nil {
		return &reader{s: s, nodes: nodes, depth: depth, stack: new([]part), skip: skipper{s: s}}
	}
	r := &m.idle
	if m.busy {
		r = new(reader)
	}
	m.busy = true
	*r = reader{s: s, nodes: nodes, depth: depth, room: m, stack: &m.scratch, skip: skipper{s: s, meter: m.Account}}
	return r
}

// end is called when all has been read and taken from r.
func (r *reader) end() {
	if m := r.room; m != nil && r == &m.idle {
		m.idle, m.busy = reader{}, false
	}
}
