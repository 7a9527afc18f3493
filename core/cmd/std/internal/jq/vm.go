package jq

import (
	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// outcome is why run stopped.
type outcome uint8

const (
	runTurn   outcome = iota // the turn is over
	runResult                // a result is on top of the stack
	runEnd                   // there are no more
	runError                 // nobody caught the error in Program.err
	runWait                  // Program.wait says what for
	runHalt                  // the program asked for the end
)

// run executes instructions until something is to be done outside, or the budget is used up.
func (p *Program) run() outcome {
	m, code := &p.VM, p.code.ins
	for {
		if p.budget--; p.budget < 0 {
			return runTurn
		}
		if m.Back {
			if out, done := p.backtrack(); done {
				return out
			}
			continue
		}
		in := code[m.PC]
		m.PC++
		switch in.op {
		case opConst:
			m.replace(p.code.consts[in.a])
		case opPush:
			m.push(p.code.consts[in.a])
		case opUnder:
			v := m.pop()
			m.push(p.code.consts[in.a])
			m.push(v)
		case opPop:
			m.Top = m.Stack[m.Top].Next
		case opDup:
			m.push(m.Stack[m.Top].V)
		case opSwap:
			a, b := m.pop(), m.pop()
			m.push(a)
			m.push(b)
		case opLoad:
			m.replace(*m.slot(in.a, in.b))
		case opLoadUnder:
			v := m.pop()
			m.push(*m.slot(in.a, in.b))
			m.push(v)
		case opLoadMove:
			s := m.slot(in.a, 0)
			m.replace(*s)
			*s = null
		case opStore:
			*m.slot(in.a, 0) = m.pop()
		case opSet:
			*m.slot(in.a, 0) = p.code.consts[in.b]
		case opFalsy:
			if !m.Stack[m.Top].V.truthy() {
				m.PC = in.a
			}
		case opGiveUp:
			m.Back = m.slot(in.a, 0).truthy()
		case opFork:
			m.fork(ForkPlain, in.a, 0)
		case opForkTry:
			m.fork(ForkTry, in.a, 0)
		case opTryEnd:
			m.fork(ForkEnd, 0, 0)
		case opForkAlt:
			m.fork(ForkAlt, in.a, 0)
		case opForkLabel:
			m.Label++
			*m.slot(in.a, 0) = num(float64(m.Label))
			m.fork(ForkLabel, 0, m.Label)
		case opBacktrack:
			m.Back = true
		case opJump:
			m.PC = in.a
		case opBranch:
			v := m.pop()
			if !m.Stack[m.Top].V.truthy() {
				m.PC = in.a
			}
			m.replace(v)
		case opSubBegin:
			m.push(m.Stack[m.Top].V)
			m.Path.Nest++
		case opSubEnd:
			m.Path.Nest--
			r, v := m.pop(), m.pop()
			m.push(r)
			m.push(v)
		case opNest:
			m.Path.Nest++
		case opUnnest:
			m.Path.Nest--
		case opRange:
			if !p.rangeStep(in) {
				p.fail()
				if out, done := p.backtrack(); done {
					return out
				}
			}
		case opCall:
			p.enter(in.a, m.outer(in.b), m.PC)
		case opTailCall:
			outer := m.outer(in.b)
			p.enter(in.a, outer, m.leave())
		case opCallParam:
			f := *m.slot(in.a, in.b)
			p.enter(f.R, int32(f.N), m.PC)
		case opTailParam:
			f := *m.slot(in.a, in.b)
			p.enter(f.R, int32(f.N), m.leave())
		case opClosure:
			m.push(Value{K: Closure, R: in.a, N: float64(m.Scope)})
		case opScope:
			m.enter(0, -1, in.a, in.b) // of the program itself
		case opRet:
			if ret := m.leave(); ret >= 0 {
				m.PC = ret
				continue
			}
			m.Back = true
			return runResult
		default:
			if out, done := p.data(in); done {
				return out
			}
		}
	}
}

// enter calls the function at pc.
func (p *Program) enter(pc, outer, ret int32) {
	in := p.code.ins[pc]
	p.VM.PC = pc + 1
	p.VM.enter(outer, ret, in.a, in.b)
}

// rangeStep gives the next number of a range. It is false if that is an error.
func (p *Program) rangeStep(in ins) bool {
	m := &p.VM
	from, upto := m.slot(in.a, 0), m.slot(in.a+1, 0)
	if from.K != Number || upto.K != Number {
		return p.raise("Range bounds must be numeric")
	}
	n := from.N
	if !(n < upto.N) {
		m.Back = true
		return true
	}
	from.N, from.S = n+1, ""
	m.fork(ForkMore, m.PC-1, 0)
	m.push(num(n))
	return true
}

// data executes the instructions that look into values. done says that run must stop.
func (p *Program) data(in ins) (out outcome, done bool) {
	m := &p.VM
	ok := true
	switch in.op {
	case opField:
		ok = p.index(m.Stack[m.Top].V, p.code.consts[in.a])
	case opIndex:
		v := m.pop()
		k := m.pop()
		m.push(v)
		ok = p.index(v, k)
	case opSlice:
		v, to, from := m.pop(), m.pop(), m.pop()
		m.push(v)
		ok = p.index(v, p.sliceKey(from, to))
	case opEach:
		ok = p.each(m.PC-1, 0)
	case opAppend:
		v := m.pop()
		n := &p.Heap.Nodes[m.slot(in.a, 0).R]
		if len(n.Items) >= maxItems {
			ok = p.raise("Array is too large")
			break
		}
		n.Items = append(more(n.Items, p), v)
		p.Heap.Size += valueSize
	case opMakeObject:
		ok = p.makeObject(int(in.a))
	case opJoin:
		ok = p.join(int(in.a))
	case opBinary:
		m.pop()
		a, b := m.pop(), m.pop()
		r, good := p.binary(operator(in.a), a, b)
		if ok = good; ok {
			m.push(r)
		}
	case opNative:
		ok = p.callNative(in)
	case opPathBegin:
		m.pathBegin()
	case opPathEnd:
		ok = p.pathEnd()
	case opGetPath:
		ok = p.getPathOp()
	case opBreak:
		p.err = Value{K: Break, R: int32(m.slot(in.a, in.b).N)}
		ok = false
	case opSystem:
		return p.callSystem(in)
	}
	if !ok {
		if in.b == optionalAccess && in.op >= opIndex && in.op <= opEach && !m.astray(m.Stack[m.Top].V) {
			p.err = empty
		}
		p.fail()
		return p.backtrack()
	}
	return 0, p.checkHeap()
}

// checkHeap collects what is no longer used when much was made. It never stops the run.
func (p *Program) checkHeap() bool {
	if h := &p.Heap; h.Size > h.Limit && h.Size > firstGC {
		p.collect()
	}
	return false
}

func (p *Program) collect() {
	h := &p.Heap
	p.VM.mark(h)
	h.mark(p.In.Reader.Vals)
	h.mark(p.Globals)
	h.mark([]Value{p.In.Reader.Next, p.In.Slurped, p.err})
	h.collect()
}

// fail makes the machine look for somebody who catches p.err.
func (p *Program) fail() { p.VM.Back = true }

// backtrack goes back to the last fork that can be used.
func (p *Program) backtrack() (out outcome, done bool) {
	m := &p.VM
	m.Back = false
	passed := 0
	for len(m.Forks) > 0 {
		p.budget--
		f := m.unfork()
		failed := p.err.K != None
		switch f.Kind {
		case ForkEnd:
			if failed {
				passed++
			}
			continue
		case ForkLabel:
			if failed && p.err.K == Break && p.err.R == f.I {
				p.err = empty
			}
			continue
		case ForkTry:
			if !failed || p.err.K == Break {
				continue
			}
			if passed > 0 {
				passed--
				continue
			}
			m.PC = f.PC
			m.replace(p.err)
			p.err = empty
			return 0, false
		case ForkAlt:
			if !failed || p.err.K == Break {
				continue
			}
			m.PC = f.PC
			p.err = empty
			return 0, false
		}
		if failed {
			continue
		}
		m.PC = f.PC
		if f.Kind == ForkEach {
			m.PC++
			p.each(f.PC, int(f.I))
			return 0, false
		}
		return 0, false
	}
	if p.err.K != None {
		return runError, true
	}
	return runEnd, true
}

// each gives element i of the container on top and comes back for the next.
func (p *Program) each(pc int32, i int) bool {
	m := &p.VM
	v := m.Stack[m.Top].V
	if i == 0 {
		if m.astray(v) {
			return p.raise("Invalid path expression near attempt to iterate through %s", p.brief(v))
		}
		if v.K != Array && v.K != Object {
			return p.raise("Cannot iterate over %s (%s)", v.kindName(), p.brief(v))
		}
	}
	n := p.Heap.node(v)
	if i >= len(n.Items) {
		m.Back = true
		return true
	}
	if i+1 < len(n.Items) {
		m.fork(ForkEach, pc, int32(i+1))
	}
	x := n.Items[i]
	if m.Path.On && m.Path.Nest == 0 {
		if v.K == Object {
			m.moved(str(n.Keys[i]), x)
		} else {
			m.moved(num(float64(i)), x)
		}
	}
	m.replace(x)
	return true
}

func (p *Program) sliceKey(from, to Value) Value {
	return p.Heap.object(sliceKeys, []Value{from, to})
}

// sliceKeys are the keys of a slice in a path.
var sliceKeys = []string{"start", "end"}

// index replaces the value on top, v, by its element k.
func (p *Program) index(v, k Value) bool {
	m := &p.VM
	if m.astray(v) {
		switch k.K {
		case Object:
			return p.raise("Invalid path expression near attempt to access element %s of %s", p.brief(k), p.brief(v))
		}
		return p.raise("Invalid path expression near attempt to access element %s of %s", p.brief(k), p.brief(v))
	}
	x, ok := p.element(v, k)
	if !ok {
		return false
	}
	m.moved(k, x)
	m.replace(x)
	return true
}

func (p *Program) makeObject(n int) bool {
	m := &p.VM
	m.pop()
	items := p.Heap.space(n)
	keys := make([]string, n)
	for i := n - 1; i >= 0; i-- {
		v, k := m.pop(), m.pop()
		if k.K != String {
			return p.raise("Object keys must be strings")
		}
		items[i], keys[i] = v, k.S
	}
	m.push(p.In.Reader.closeObject(&p.Heap, keys, items))
	return true
}

// join puts the parts of a string together.
func (p *Program) join(n int) bool {
	m := &p.VM
	m.pop()
	size := 0
	parts := p.scratch[:0]
	for range n {
		v := m.pop()
		size += len(v.S)
		parts = append(parts, v)
	}
	if size > maxText {
		return p.raise("String is too long")
	}
	b := large.Builder{M: p}
	b.Exactly(size)
	for _, v := range parts {
		_, _ = b.WriteString(v.S)
	}
	p.scratch = parts[:0]
	m.push(p.ownText(b.String()))
	return true
}

// ownText makes a string value and counts it.
func (p *Program) ownText(s string) Value {
	p.Heap.Size += len(s)
	return str(s)
}

func (p *Program) pathEnd() bool {
	m := &p.VM
	if v := m.Stack[m.Top].V; m.astray(v) {
		return p.raise("Invalid path expression with result %s", p.brief(v))
	}
	list := m.pathEnd(p.scratch[:0])
	items := p.Heap.space(len(list))
	for i, k := range list {
		items[len(list)-1-i] = k
	}
	p.scratch = list[:0]
	p.spend(len(list))
	m.push(p.Heap.array(items))
	return true
}

// getPathOp follows a whole path.
func (p *Program) getPathOp() bool {
	m := &p.VM
	v, path := m.pop(), m.pop()
	if m.astray(v) {
		return p.raise("Invalid path expression near attempt to access element %s of %s", p.brief(path), p.brief(v))
	}
	x, ok := p.getPath(v, path)
	if !ok {
		return false
	}
	if m.Path.On && m.Path.Nest == 0 {
		for _, k := range p.Heap.items(path) {
			m.moved(k, x)
		}
		m.Path.At = x
	}
	m.push(x)
	return true
}

// callNative runs a function of jq's own on the values on top.
func (p *Program) callNative(in ins) bool {
	m := &p.VM
	var args [8]Value
	for i := range in.b + 1 {
		args[i] = m.pop()
	}
	p.budget -= 2
	r, ok := natives[in.a].run(p, args[:in.b+1])
	if ok {
		m.push(r)
	}
	return ok
}

var _ cmd.Program = (*Program)(nil)
