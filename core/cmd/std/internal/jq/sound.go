package jq

import "eryxsh/core/cmd"

// Wrong checks that every number in a loaded program leads to something, that every chain ends, and that no value is inside
// itself. Whether the stack is what the instruction at PC expects only shows when it runs.
func (p *Program) Wrong(*cmd.Ctx) string {
	s := soundness{heap: &p.Heap}
	if !s.nodes() {
		return "versions of a value that do not fit"
	}
	for _, list := range [][]Value{p.Globals, p.VM.Vars, p.In.Reader.Vals, p.Load.Vals, {p.In.Slurped, p.In.Reader.Next, p.Out.First, p.VM.Path.At}} {
		if !s.values(list) {
			return noValue
		}
	}
	if !p.VM.sound(&s) {
		return "a place that the machine does not have"
	}
	for _, l := range p.Out.Open {
		if l.V.K != Array && l.V.K != Object || !s.value(l.V) || l.I < 0 || l.I > s.length[l.V.R] {
			return noValue
		}
	}
	return p.In.Reader.wrong()
}

const noValue = "a value that is none"

// Interprets says that a Program runs instructions on what was saved.
func (p *Program) Interprets() {}

// soundness is what is known of a heap while it is checked.
type soundness struct {
	heap   *Heap
	length []int  // of the contents of a node
	keyed  []bool // they have keys
}

// nodes checks the chains of versions, from the newest back, and the values in them.
func (s *soundness) nodes() bool {
	nodes := s.heap.Nodes
	s.length, s.keyed = make([]int, len(nodes)), make([]bool, len(nodes))
	const unknown, open = -1, -2
	for i := range s.length {
		s.length[i] = unknown
	}
	var chain []int
	for i := range nodes {
		at := i
		for chain = chain[:0]; s.length[at] == unknown; at = int(nodes[at].Next) {
			s.length[at] = open
			if chain = append(chain, at); nodes[at].Next == 0 {
				break
			}
			if n := nodes[at].Next; n < 0 || int(n) >= len(nodes) || s.length[n] == open {
				return false
			}
		}
		for k := len(chain) - 1; k >= 0; k-- {
			if !s.version(chain[k]) {
				return false
			}
		}
	}
	for i := range nodes {
		if !s.values(nodes[i].Items) {
			return false
		}
	}
	return true
}

// version finds how long the contents of a node are, knowing those of the version after it.
func (s *soundness) version(i int) bool {
	n := &s.heap.Nodes[i]
	if n.Next == 0 {
		s.length[i], s.keyed[i] = len(n.Items), len(n.Keys) > 0
		return len(n.Keys) == 0 || len(n.Keys) == len(n.Items)
	}
	most := s.length[n.Next]
	s.length[i], s.keyed[i] = most, s.keyed[n.Next]
	if n.At < 0 || int(n.At) > most || len(n.Items) > 1 || len(n.Items) == 1 && int(n.At) == most {
		return false
	}
	if len(n.Items) == 0 {
		s.length[i] = int(n.At)
	}
	return true
}

// value checks that a container is there.
func (s *soundness) value(v Value) bool {
	switch v.K {
	case Array:
		return v.R >= 0 && int(v.R) < len(s.length)
	case Object:
		return v.R >= 0 && int(v.R) < len(s.length) && (s.keyed[v.R] || s.length[v.R] == 0)
	}
	return v.K <= Saved
}

func (s *soundness) values(list []Value) bool {
	for i := range list {
		if !s.value(list[i]) {
			return false
		}
	}
	return true
}

// sound checks the stacks: an entry names one that is below it.
func (m *Machine) sound(s *soundness) bool {
	for i := range m.Stack {
		if n := int(m.Stack[i].Next); n < 0 || n > 0 && n >= i || !s.value(m.Stack[i].V) {
			return false
		}
	}
	for i := range m.Steps {
		if n := int(m.Steps[i].Next); n < 0 || n > 0 && n >= i || !s.value(m.Steps[i].Key) {
			return false
		}
	}
	for _, f := range m.Scopes {
		if !placed(f.Next, len(m.Scopes)) || !placed(f.Outer, len(m.Scopes)) || f.Base < 0 || int(f.Base) > len(m.Vars) {
			return false
		}
	}
	for i := range m.Forks {
		if f := &m.Forks[i]; f.Kind > ForkMore || !m.point(s, f.PC, f.Top, f.Kept, f.Scope, f.Held, f.Offset, &f.Path) {
			return false
		}
	}
	return m.point(s, m.PC, m.Top, m.Kept, m.Scope, m.Held, m.Offset, &m.Path)
}

// point checks what the machine has at hand, or what a fork goes back to.
func (m *Machine) point(s *soundness, pc, top, kept, scope, held, offset int32, path *PathRegs) bool {
	return pc >= 0 && placed(top, len(m.Stack)) && placed(kept, len(m.Stack)) && placed(scope, len(m.Scopes)) && placed(held, len(m.Scopes)) &&
		offset >= 0 && int(offset) <= len(m.Vars) && placed(path.Last, len(m.Steps)) && placed(path.Kept, len(m.Steps)) && s.value(path.At)
}

// placed reports whether a list of n has such a place, or is empty and nothing is in it.
func placed(at int32, n int) bool { return at >= 0 && (int(at) < n || at == 0) }

// wrong checks the containers that are being read.
func (r *Reader) wrong() string {
	for _, part := range r.Parts {
		if len(part) == 0 {
			return "an empty part of a text"
		}
	}
	if s := cmd.Beyond("a place in a text", r.Pos, len(r.Buf)); s != "" {
		return s
	}
	vals, keys := int32(0), int32(0)
	for _, o := range r.Stack {
		if o.Vals < vals || int(o.Vals) > len(r.Vals) || o.Keys < keys || int(o.Keys) > len(r.Keys) || o.Count < 0 {
			return "a container that begins nowhere"
		}
		vals, keys = o.Vals, o.Keys
	}
	return ""
}
