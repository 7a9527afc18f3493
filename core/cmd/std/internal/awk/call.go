package awk

import (
	"slices"
	"strings"
)

// maxFrames bounds how deep user functions may call each other.
const maxFrames = 500_000

// argument pushes a variable as an argument: an array by its number, an untyped
// variable by a reference, anything else by value.
func (p *Program) argument(in instr) {
	var v *Value
	ref := -1 - in.a
	if in.op == opArgLocal {
		ref = p.Frames[len(p.Frames)-1].Base + in.a
		v = &p.Stack[ref]
	} else {
		v = &p.Globals[in.a]
	}
	if v.K == Ref {
		r := p.root(v)
		if r.K == Arr {
			*v = Value{K: Arr, R: r.R}
		} else if r.K == Unassigned { // it was read
			p.push(*r)
			return
		} else if r.K != Untyped { // it became a scalar meanwhile
			p.push(Value{})
			return
		}
		p.push(*v)
		return
	}
	if v.K == Untyped {
		p.push(Value{K: Ref, R: ref})
		return
	}
	p.push(*v)
}

// call starts a user function; its arguments on the stack become its parameters.
func (p *Program) call(fn int32, args int) {
	if fn < 0 {
		p.fatal("function `%s' not defined", p.code.consts[args].S)
	}
	f := &p.code.funcs[fn]
	if len(p.Frames) >= maxFrames {
		p.fatal("function `%s': calls nest too deeply (limit %d)", f.name, maxFrames)
	}
	p.room(len(f.params) + f.room)
	for i := p.sp - args; i < p.sp; i++ {
		if p.Stack[i].view {
			p.Stack[i] = p.Stack[i].keep()
		}
	}
	for i := args; i < len(f.params); i++ {
		p.push(Value{})
	}
	p.Frames = append(p.Frames, Frame{Return: p.PC + 1, Base: int32(p.sp - len(f.params)), Iters: int32(len(p.Iters)), Func: fn})
	p.jump(f.entry)
}

// indirect calls the function whose name is below the arguments.
func (p *Program) indirect(args int) {
	name := p.str(p.top(args))
	i := slices.IndexFunc(p.code.funcs, func(f funcCode) bool { return f.name == name })
	if i < 0 {
		if b := builtins[name]; b.op != 0 {
			p.indirectBuiltin(name, b, args)
			return
		}
		p.fatal("`%s' is not a function, so it cannot be called indirectly", name)
	}
	if args > len(p.code.funcs[i].params) {
		p.fatal("function `%s' called with more arguments than declared", name)
	}
	copy(p.Stack[p.sp-args-1:], p.Stack[p.sp-args:p.sp])
	p.sp--
	p.call(int32(i), args)
}

// indirectBuiltin calls a built-in function that takes values and does not wait.
func (p *Program) indirectBuiltin(name string, b builtin, args int) {
	switch b.op {
	case fnSplit, fnPatsplit, fnMatch, fnSub, fnGsub, fnGensub, fnClose, fnFflush, fnSystem, fnAsort, fnAsorti,
		fnDcgettext, fnDcngettext, fnBindtextdomain:
		p.fatal("indirect call of the built-in function `%s' is not supported here", name)
	}
	if args < max(b.min, 1) && name != "rand" && name != "systime" && name != "strftime" && name != "srand" || args > b.max {
		p.fatal("%d is invalid as number of arguments for %s", args, name)
	}
	copy(p.Stack[p.sp-args-1:], p.Stack[p.sp-args:p.sp])
	p.sp--
	p.builtin(instr{op: opBuiltin, a: int32(args), c: b.op})
}

// popFrame leaves a function: its arrays die, its lists end.
func (p *Program) popFrame() Frame {
	f := p.Frames[len(p.Frames)-1]
	if f.Func >= 0 {
		for i := range p.code.funcs[f.Func].params {
			at := f.Base + int32(i)
			if v := p.Stack[at]; v.K == Arr && p.Heap[v.R].Home == at+1 {
				p.release([]int32{v.R})
			}
		}
	}
	p.Frames = p.Frames[:len(p.Frames)-1]
	p.Iters = p.Iters[:f.Iters]
	p.sp = int(f.Base)
	if p.sp == 0 && len(p.Frames) == 0 {
		p.Elems = p.Elems[:0]
	}
	return f
}

func (p *Program) doReturn() {
	v := *p.top(0)
	if v.K == Untyped || v.K == Ref {
		v = Value{K: Unassigned}
	}
	f := p.popFrame()
	if f.Func >= 0 {
		p.push(v)
	}
	p.jump(f.Return)
}

// forIn lists the subscripts of the array on top. While there are more, or a user
// function sorts them, the instruction is run again.
func (p *Program) forIn() {
	p.answer()
	array := p.top(0).R
	how := "@unsorted"
	if n := p.Heap[array].Len(); n > 1 {
		if by := p.sortedIn(); by != "" {
			how = by
		}
	}
	s, ok := p.sorted(array, how, true)
	if !ok {
		return
	}
	keys := make([]Value, len(s.From))
	for i := range keys {
		if i%many == many-1 {
			p.c.Charge(many / 8)
		}
		keys[i] = s.at(i).Key
	}
	p.Sorts = p.Sorts[:len(p.Sorts)-1]
	p.sp--
	p.Iters = append(p.Iters, Iter{Keys: keys})
}

func keyValue(k Key) Value {
	if k.Int {
		return Value{K: Str, S: k.text()}
	}
	return Value{K: Str, S: k.S}
}

// sortedIn is PROCINFO["sorted_in"].
func (p *Program) sortedIn() string {
	info := p.Globals[slotPROCINFO]
	if info.K != Arr {
		return ""
	}
	v := p.Heap[info.R].find(Key{S: "sorted_in"})
	if v == nil {
		return ""
	}
	return strings.TrimSpace(p.str(v))
}
