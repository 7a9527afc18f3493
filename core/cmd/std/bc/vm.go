package bc

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
)

// turnOps is how many instructions a turn runs at most, and turnWork how many
// bytes of numbers they may be about.
const (
	turnOps  = 2000
	turnWork = 1 << 20
	muchWork = 1 << 12 // bytes of a number, for which it is charged at once
	maxCalls = 10000
	maxIndex = 16777215
)

const mismatch = "Parameter number mismatch"

func itoa(n int) string { return strconv.Itoa(n) }

// run gives the machine a turn. over says that the program has ended.
func (p *Program) run(c *cmd.Ctx) (status int, over bool) {
	work := 0
	for n := c.Turn(turnOps); n > 0 && work < turnWork; n-- {
		if p.code == nil {
			p.code, p.name = p.Code, "(main)"
			if k := len(p.Calls); k > 0 {
				p.name = p.Calls[k-1].Name
				p.code = p.Funcs[p.name].Code
			}
		}
		if p.PC < 0 || p.PC >= len(p.code) {
			p.Code, p.PC, p.Stack, p.code = nil, 0, nil, nil
			p.unwind()
			break
		}
		op := p.code[p.PC]
		p.PC++
		if op.Code == opHalt {
			return 0, true
		}
		if op.Code == opBuiltin && (op.S == "read" || op.S == "random") {
			return c.NotYet(op.S + "()"), true
		}
		if why := p.do(c, op); why != "" {
			adr := op.Adr
			if why == mismatch {
				adr += op.N
			}
			c.Errout.WriteString("Runtime error (func=" + p.name + ", adr=" + itoa(adr) + "): " + why + "\n")
			p.Code, p.PC, p.Stack, p.code = nil, 0, nil, nil
			p.unwind()
			break
		}
		work += 16
		if k := len(p.Stack); k > 0 {
			size := len(p.Stack[k-1].Num.Mag)
			if work += size; size > muchWork {
				c.Charge(size / 4)
			}
		}
	}
	c.Charge(work / 16)
	return 0, false
}

// unwind gives variables back what they were before the calls.
func (p *Program) unwind() {
	for len(p.Calls) > 0 {
		p.leave()
	}
}

func (p *Program) push(n Num) { p.Stack = append(p.Stack, Value{Num: n}) }

func (p *Program) pop() Num {
	if len(p.Stack) == 0 {
		return Num{}
	}
	v := p.Stack[len(p.Stack)-1]
	p.Stack = p.Stack[:len(p.Stack)-1]
	return v.Num
}

func truth(b bool) Num {
	if b {
		return small(1)
	}
	return Num{}
}

// do runs one instruction; what it gives is a runtime error.
func (p *Program) do(c *cmd.Ctx, op Op) string {
	switch op.Code {
	case opConst:
		base := p.State.In
		if op.N == 1 {
			base = 10
		}
		p.push(parse(op.S, base, c))
	case opLoad:
		p.push(p.load(op.S))
	case opStore:
		v := p.pop()
		p.store(c, op, v)
		p.push(p.load(op.S))
	case opItem, opPut:
		return p.item(c, op)
	case opDup:
		a := p.pop()
		if op.N == 2 {
			b := p.pop()
			p.push(a)
			p.push(b)
		} else {
			p.push(a)
		}
		p.push(a)
	case opPop:
		p.pop()
	case opArith:
		return p.arith(c, op)
	case opRel:
		b, a := p.pop(), p.pop()
		n := cmp(a, b, c)
		p.push(truth(op.S == "==" && n == 0 || op.S == "!=" && n != 0 || op.S == "<" && n < 0 ||
			op.S == ">" && n > 0 || op.S == "<=" && n <= 0 || op.S == ">=" && n >= 0))
	case opNeg:
		v := p.pop()
		v.Neg = !v.Neg && !v.zero()
		p.push(v)
	case opNot:
		p.push(truth(p.pop().zero()))
	case opTruth:
		p.push(truth(!p.pop().zero()))
	case opJump:
		p.PC = op.N
	case opIfZero, opIfNot0:
		if p.pop().zero() == (op.Code == opIfZero) {
			p.PC = op.N
		}
	case opCall:
		return p.call(op)
	case opArray:
		p.Stack = append(p.Stack, Value{Heap: p.array(op.S) + 1})
	case opReturn:
		v := p.pop()
		void := p.Funcs[p.name].Void
		p.leave()
		p.Stack = append(p.Stack, Value{Num: v, Void: void})
	case opBuiltin:
		return p.builtin(c, op)
	case opShow, opPrint:
		if k := len(p.Stack); k > 0 && p.Stack[k-1].Void {
			p.pop()
			break
		}
		p.State.Last = p.pop()
		p.out(c, p.State.Last.text(p.State.Out, c))
		if op.Code == opShow {
			p.out(c, "\n")
		}
	case opString:
		if op.N == 1 {
			p.out(c, escapes(op.S))
		} else {
			p.out(c, op.S)
		}
	case opLimits:
		p.out(c, limits)
	}
	return ""
}

const limits = "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\n" +
	"MAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n"

// escapes are those of print's strings.
func escapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if k := strings.IndexByte(`abfnqrt\`, s[i]); k >= 0 {
			b.WriteByte("\a\b\f\n\"\r\t\\"[k])
		}
	}
	return b.String()
}

func (p *Program) load(name string) Num {
	switch name {
	case "scale":
		return small(int64(p.State.Scale))
	case "ibase":
		return small(p.State.In)
	case "obase":
		return small(p.State.Out)
	case "last":
		return p.State.Last
	}
	return p.State.Vars[name]
}

func (p *Program) store(c *cmd.Ctx, op Op, v Num) {
	warn := func(text string) {
		c.Errout.WriteString("Runtime warning (func=" + p.name + ", adr=" + itoa(op.Adr) + "): " + text + "\n")
	}
	n, fits := v.long(c)
	if !fits || n > 1<<31-1 {
		if n = 1<<31 - 1; v.Neg {
			n = -1
		}
	}
	base := func(most int64, large string) int64 {
		switch {
		case n < 2:
			warn(op.S + " too small, set to 2")
			return 2
		case n > most:
			warn(op.S + " too large, set to " + large)
			return most
		}
		return n
	}
	switch op.S {
	case "scale":
		if n < 0 {
			warn("negative scale, set to 0")
		}
		p.State.Scale = int(max(n, 0))
	case "ibase":
		p.State.In = base(36, "36")
	case "obase":
		p.State.Out = base(1<<31-1, "2147483647")
	case "last":
		p.State.Last = v
	case "history":
	default:
		p.State.Vars[op.S] = v
	}
}

// array is the place of the array a name means.
func (p *Program) array(name string) int {
	at, ok := p.State.Arrays[name]
	if !ok {
		at = len(p.State.Heap)
		p.State.Heap = append(p.State.Heap, Items{})
		p.State.Arrays[name] = at
		for i := range p.Calls { // it outlives them
			p.Calls[i].Heap = max(p.Calls[i].Heap, at+1)
		}
	}
	if p.State.Heap[at] == nil {
		p.State.Heap[at] = Items{}
	}
	return at
}

func (p *Program) item(c *cmd.Ctx, op Op) string {
	var v Num
	if op.Code == opPut {
		v = p.pop()
	}
	i, ok := p.pop().long(c)
	if !ok || i < 0 || i > maxIndex {
		return "Array " + op.S + " subscript out of bounds."
	}
	items := p.State.Heap[p.array(op.S)]
	if op.Code == opPut {
		items[i] = v
	}
	p.push(items[i])
	return ""
}

func (p *Program) arith(c *cmd.Ctx, op Op) string {
	b, a := p.pop(), p.pop()
	if 8*(len(a.Mag)+len(b.Mag)) > maxBits || p.State.Scale > maxBits/4 && strings.Contains("/%^", op.S) {
		return "Number too large"
	}
	var r Num
	switch op.S {
	case "+":
		r = add(a, b, 1, c)
	case "-":
		r = add(a, b, -1, c)
	case "*":
		r = mul(a, b, p.State.Scale, c)
	case "/":
		if b.zero() {
			return "Divide by zero"
		}
		r = div(a, b, p.State.Scale, c)
	case "%":
		if b.zero() {
			return "Modulo by zero"
		}
		r = mod(a, b, p.State.Scale, c)
	default:
		if b.Scale > 0 {
			c.Errout.WriteString("Runtime warning (func=" + p.name + ", adr=" + itoa(op.Adr) + "): non-zero scale in exponent\n")
		}
		n, ok := b.long(c)
		if !ok || n < -(1<<40) || n > 1<<40 {
			return "exponent too large in raise"
		}
		if a.zero() && n < 0 {
			return "divide by zero"
		}
		if r, ok = power(a, n, p.State.Scale, c); !ok {
			return "Number too large"
		}
	}
	p.push(r)
	return ""
}

func (p *Program) builtin(c *cmd.Ctx, op Op) string {
	v := p.pop()
	switch op.S {
	case "length":
		p.push(small(int64(v.digits(c))))
	case "scale":
		p.push(small(int64(v.Scale)))
	default:
		if v.Neg {
			return "Square root of a negative number"
		}
		if p.State.Scale > maxBits/4 {
			return "Number too large"
		}
		p.push(root(v, p.State.Scale, c))
	}
	return ""
}

// call starts a function: its parameters and auto variables hide what they are named like.
func (p *Program) call(op Op) string {
	f, ok := p.Funcs[op.S]
	if !ok {
		return "Function " + op.S + " not defined."
	}
	if op.N != len(f.Params) || len(p.Stack) < op.N {
		return mismatch
	}
	if len(p.Calls) >= maxCalls {
		return "Function calls nested too deep"
	}
	args := p.Stack[len(p.Stack)-op.N:]
	call := Call{Name: op.S, Back: p.PC, Base: len(p.Stack) - op.N, Heap: len(p.State.Heap)}
	for i, v := range f.Params {
		if v.Array != (args[i].Heap > 0) {
			return "Parameter type mismatch parameter " + v.Name + "."
		}
	}
	for i, v := range f.Params {
		call.Saved = append(call.Saved, p.hide(v, args[i]))
	}
	for _, v := range f.Autos {
		call.Saved = append(call.Saved, p.hide(v, Value{}))
	}
	p.Stack = p.Stack[:call.Base]
	p.Calls = append(p.Calls, call)
	p.PC, p.code = 0, nil
	return ""
}

// hide gives a name a new value and says what it was.
func (p *Program) hide(v Param, arg Value) Saved {
	s := Saved{Name: v.Name, Array: v.Array}
	if !v.Array {
		s.Num = p.State.Vars[v.Name]
		p.State.Vars[v.Name] = arg.Num
		return s
	}
	if at, ok := p.State.Arrays[v.Name]; ok {
		s.Heap = at + 1
	}
	switch {
	case v.Ref && arg.Heap > 0:
		p.State.Arrays[v.Name] = arg.Heap - 1
		return s
	case arg.Heap > 0:
		items := make(Items, len(p.State.Heap[arg.Heap-1]))
		for i, n := range p.State.Heap[arg.Heap-1] {
			items[i] = n
		}
		p.State.Heap = append(p.State.Heap, items)
	default:
		p.State.Heap = append(p.State.Heap, Items{})
	}
	p.State.Arrays[v.Name] = len(p.State.Heap) - 1
	return s
}

// leave ends a function.
func (p *Program) leave() {
	call := p.Calls[len(p.Calls)-1]
	p.Calls = p.Calls[:len(p.Calls)-1]
	for i := len(call.Saved) - 1; i >= 0; i-- {
		s := call.Saved[i]
		switch {
		case !s.Array:
			p.State.Vars[s.Name] = s.Num
		case s.Heap > 0:
			p.State.Arrays[s.Name] = s.Heap - 1
		default:
			delete(p.State.Arrays, s.Name)
		}
	}
	p.State.Heap = p.State.Heap[:max(min(call.Heap, len(p.State.Heap)), 0)]
	p.Stack = p.Stack[:min(call.Base, len(p.Stack))]
	p.PC, p.code = call.Back, nil
}
