package jq

import "eryxsh/core/large"

// Machine is the running state of a program's code: where it is, the values it
// works on, and the points it can go back to.
//
// The stacks of values, scopes and path elements are trees in which every entry
// names the one below it: going back to a fork restores a few numbers, and
// entries that a fork needs (those up to its limit) are not overwritten.
type Machine struct {
	PC     int32    `cbor:"1,keyasint,omitempty"`
	Stack  []Slot   `cbor:"2,keyasint,omitempty"`
	Top    int32    `cbor:"3,keyasint,omitempty"` // of Stack; 0 is empty
	Kept   int32    `cbor:"4,keyasint,omitempty"` // entries of Stack up to here belong to forks
	Scopes []Scope  `cbor:"5,keyasint,omitempty"`
	Scope  int32    `cbor:"6,keyasint,omitempty"`
	Held   int32    `cbor:"7,keyasint,omitempty"` // as Kept, of Scopes
	Vars   []Value  `cbor:"8,keyasint,omitempty"`
	Offset int32    `cbor:"9,keyasint,omitempty"` // variables in use
	Forks  []Fork   `cbor:"10,keyasint,omitempty"`
	Path   PathRegs `cbor:"11,keyasint,omitempty"`
	Steps  []Link   `cbor:"12,keyasint,omitempty"` // elements of paths
	Label  int32    `cbor:"13,keyasint,omitempty"` // the last one given out
	Back   bool     `cbor:"14,keyasint,omitempty"` // go back to the last fork
}

// Slot is an entry of the value stack.
type Slot struct {
	V    Value `cbor:"1,keyasint,omitempty"`
	Next int32 `cbor:"2,keyasint,omitempty"`
}

// Scope is a call of a function.
type Scope struct {
	Next   int32 `cbor:"1,keyasint,omitempty"` // the caller's
	Outer  int32 `cbor:"2,keyasint,omitempty"` // of the function around this one in the text
	Return int32 `cbor:"3,keyasint,omitempty"`
	Base   int32 `cbor:"4,keyasint,omitempty"` // of its variables
}

// PathRegs say what path expression is being followed.
type PathRegs struct {
	On   bool  `cbor:"1,keyasint,omitempty"`
	Nest int32 `cbor:"2,keyasint,omitempty"` // above 0: in a part that is no path
	Last int32 `cbor:"3,keyasint,omitempty"` // the last element, in Steps; 0: none
	Kept int32 `cbor:"4,keyasint,omitempty"`
	At   Value `cbor:"5,keyasint,omitempty"` // the value that the path leads to
}

// Link is one element of a path.
type Link struct {
	Key  Value `cbor:"1,keyasint,omitempty"`
	Next int32 `cbor:"2,keyasint,omitempty"`
}

// ForkKind says what can lead back to a fork.
type ForkKind uint8

// The kinds of forks.
const (
	ForkPlain ForkKind = iota
	ForkTry            // errors
	ForkEnd            // the end of a try: counts the errors that pass
	ForkAlt            // errors, also those that come later
	ForkLabel          // a break to label I
	ForkEach           // the next element of the container on the stack: I
	ForkMore           // the same instruction again
)

// Fork is a point to go back to.
type Fork struct {
	Kind   ForkKind `cbor:"1,keyasint,omitempty"`
	PC     int32    `cbor:"2,keyasint,omitempty"`
	I      int32    `cbor:"3,keyasint,omitempty"`
	Top    int32    `cbor:"4,keyasint,omitempty"`
	Kept   int32    `cbor:"5,keyasint,omitempty"`
	Scope  int32    `cbor:"6,keyasint,omitempty"`
	Held   int32    `cbor:"7,keyasint,omitempty"`
	Offset int32    `cbor:"8,keyasint,omitempty"`
	Path   PathRegs `cbor:"9,keyasint,omitempty"`
}

// begin sets the machine up to run the code from its start with an input.
func (m *Machine) begin(input Value, globals []Value) {
	m.PC, m.Back, m.Label, m.Path = 0, false, 0, PathRegs{}
	m.Stack = append(m.Stack[:0], Slot{}, Slot{V: input})
	m.Top, m.Kept = 1, 0
	m.Scopes = append(m.Scopes[:0], Scope{})
	m.Scope, m.Held = 0, 0
	m.Vars = append(m.Vars[:0], globals...)
	m.Offset = 0
	m.Forks = m.Forks[:0]
	m.Steps = append(m.Steps[:0], Link{})
}

func (m *Machine) push(v Value) {
	at := max(m.Top, m.Kept) + 1
	if int(at) < len(m.Stack) {
		m.Stack[at] = Slot{v, m.Top}
	} else {
		m.Stack = append(m.Stack, Slot{v, m.Top})
	}
	m.Top = at
}

func (m *Machine) pop() Value {
	s := &m.Stack[m.Top]
	m.Top = s.Next
	return s.V
}

// replace puts v in the place of the topmost value.
func (m *Machine) replace(v Value) {
	if m.Top > m.Kept {
		m.Stack[m.Top].V = v
		return
	}
	m.Top = m.Stack[m.Top].Next
	m.push(v)
}

// fork leaves a point to go back to.
func (m *Machine) fork(kind ForkKind, pc, i int32) {
	m.Forks = append(m.Forks, Fork{
		Kind: kind, PC: pc, I: i, Top: m.Top, Kept: m.Kept,
		Scope: m.Scope, Held: m.Held, Offset: m.Offset, Path: m.Path,
	})
	m.Kept = max(m.Kept, m.Top)
	m.Held = max(m.Held, m.Scope)
	m.Path.Kept = max(m.Path.Kept, m.Path.Last)
}

// unfork goes back to the last fork and forgets it.
func (m *Machine) unfork() *Fork {
	f := &m.Forks[len(m.Forks)-1]
	m.Forks = m.Forks[:len(m.Forks)-1]
	m.Top, m.Kept, m.Scope, m.Held, m.Offset, m.Path = f.Top, f.Kept, f.Scope, f.Held, f.Offset, f.Path
	return f
}

// outer is the scope up levels out of the running one.
func (m *Machine) outer(up int32) int32 {
	s := m.Scope
	for ; up > 0; up-- {
		s = m.Scopes[s].Outer
	}
	return s
}

// slot is a variable.
func (m *Machine) slot(a, up int32) *Value {
	return &m.Vars[m.Scopes[m.outer(up)].Base+a]
}

// enter begins a call: with vars variables, of which the first args are on the stack.
func (m *Machine) enter(outer, ret, vars, args int32) {
	at := max(m.Scope, m.Held) + 1
	s := Scope{Next: m.Scope, Outer: outer, Return: ret, Base: m.Offset}
	if int(at) < len(m.Scopes) {
		m.Scopes[at] = s
	} else {
		m.Scopes = append(m.Scopes, s)
	}
	m.Scope = at
	m.Offset += vars
	for int(m.Offset) > len(m.Vars) {
		m.Vars = append(m.Vars, null)
	}
	for i := range args {
		m.Vars[s.Base+i] = m.pop()
	}
}

// leave ends a call and gives where it was called from.
func (m *Machine) leave() int32 {
	s := &m.Scopes[m.Scope]
	if m.Scope > m.Held {
		m.Offset = s.Base
	}
	m.Scope = s.Next
	return s.Return
}

// moved follows one element of a path to v.
func (m *Machine) moved(key, v Value) {
	if !m.Path.On || m.Path.Nest > 0 {
		return
	}
	at := max(m.Path.Last, m.Path.Kept) + 1
	if int(at) < len(m.Steps) {
		m.Steps[at] = Link{key, m.Path.Last}
	} else {
		m.Steps = append(m.Steps, Link{key, m.Path.Last})
	}
	m.Path.Last, m.Path.At = at, v
}

// astray reports that a path is followed and v is not where it leads.
func (m *Machine) astray(v Value) bool {
	return m.Path.On && m.Path.Nest == 0 && !same(v, m.Path.At)
}

// pathBegin puts the registers aside and begins an empty path at the value on top.
func (m *Machine) pathBegin() {
	v := m.pop()
	on := 0.0
	if m.Path.On {
		on = 1
	}
	m.push(m.Path.At)
	m.push(Value{K: Saved, R: m.Path.Last, N: on})
	m.push(Value{K: Saved, R: m.Path.Nest})
	m.push(v)
	m.Path.On, m.Path.Nest, m.Path.At, m.Path.Last = true, 0, v, 0
}

// pathEnd brings the registers back and gives the elements of the path, last first.
func (m *Machine) pathEnd(list []Value) []Value {
	m.pop()
	for at := m.Path.Last; at != 0; at = m.Steps[at].Next {
		list = append(list, m.Steps[at].Key)
	}
	nest, last := m.pop(), m.pop()
	m.Path.At = m.pop()
	m.Path.Nest, m.Path.Last, m.Path.On = nest.R, last.R, last.N == 1
	return list
}

// mark marks what the values of the machine lead to, and forgets those that nothing needs.
func (m *Machine) mark(h *Heap) {
	for i := 1; i < len(m.Stack); i++ {
		if int32(i) > max(m.Top, m.Kept) {
			m.Stack[i].V = empty
		}
		h.reach(&m.Stack[i].V)
	}
	for i := range m.Forks {
		h.reach(&m.Forks[i].Path.At)
	}
	for i := range m.Steps {
		if int32(i) > max(m.Path.Last, m.Path.Kept) {
			m.Steps[i].Key = empty
		}
		h.reach(&m.Steps[i].Key)
	}
	h.reach(&m.Path.At)
	for i := range m.Vars {
		if int32(i) >= m.Offset {
			m.Vars[i] = null
		}
		h.reach(&m.Vars[i])
	}
}

// ready gives the long lists room for what a turn may add, with w charged
// meanwhile: append would copy them in one go.
func (m *Machine) ready(w large.Meter) {
	m.Stack, m.Scopes, m.Vars = ample(m.Stack, w), ample(m.Scopes, w), ample(m.Vars, w)
	m.Forks, m.Steps = ample(m.Forks, w), ample(m.Steps, w)
}

func ample[T any](list []T, w large.Meter) []T {
	n := len(list)
	if n < slowCopy || cap(list)-n >= turn {
		return list
	}
	return large.Add(large.Empty[T](n+max(n/4, 2*turn), w), list, w)
}

// size is about how many bytes the machine holds.
func (m *Machine) size() int {
	return 48*len(m.Stack) + 16*len(m.Scopes) + 40*len(m.Vars) + 112*len(m.Forks) + 48*len(m.Steps)
}
