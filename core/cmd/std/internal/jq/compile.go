package jq

import "fmt"

// frame is a function that is being compiled.
type frame struct {
	outer *frame
	vars  int32
}

// binding is a name that can be used at some place of the program.
type binding struct {
	next  *binding
	kind  byte // '$' variable, 'f' function, 'p' parameter that is a closure, 'l' label
	name  string
	arity int
	slot  int32
	in    *frame // where it lives; of a function: where it is defined
	fn    *function
}

// function is compiled code, perhaps later.
type function struct {
	at  int32 // -1: not yet
	def *definition
}

// compiler turns a tree into instructions.
type compiler struct {
	out     code
	root    *frame
	builtin map[string]*function
	texts   map[string]string // definitions in jq, by name/arity
	waiting []*function
	calls   map[int32]*function // instructions that call a function not compiled yet
	strings map[string]int32
	depth   int
}

// maxCode bounds the instructions of a program.
const maxCode = 1 << 22

// compileProgram compiles a program that can use the named variables.
func compileProgram(e *expr, globals []string) (out *code, err error) {
	c := &compiler{
		root: &frame{}, builtin: map[string]*function{}, texts: prelude(),
		calls: map[int32]*function{}, strings: map[string]int32{},
	}
	p := &parser{}
	defer p.rescue(&err)
	var env *binding
	c.out.global = map[string]int{}
	for _, name := range globals {
		c.out.global[name] = int(c.root.vars)
		env = c.variable(env, c.root, name)
	}
	scope := c.emit(opScope, 0, 0)
	c.expr(e, env, c.root, true)
	c.emit(opRet, 0, 0)
	for len(c.waiting) > 0 {
		f := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.body(f, nil, c.root, f.def)
	}
	for at, f := range c.calls {
		c.out.ins[at].a = f.at
	}
	c.out.ins[scope].a = c.root.vars
	return &c.out, nil
}

func (c *compiler) fail(pos int, format string, args ...any) {
	panic(&SyntaxError{fmt.Sprintf(format, args...), pos})
}

func (c *compiler) emit(op opcode, a, b int32) int32 {
	if len(c.out.ins) >= maxCode {
		c.fail(-1, "program is too large")
	}
	c.out.ins = append(c.out.ins, ins{op, a, b})
	return int32(len(c.out.ins) - 1)
}

// here makes the jump at i go to the next instruction.
func (c *compiler) here(i int32) { c.out.ins[i].a = int32(len(c.out.ins)) }

func (c *compiler) constant(v Value) int32 {
	if v.K == String {
		if i, ok := c.strings[v.S]; ok {
			return i
		}
		c.strings[v.S] = int32(len(c.out.consts))
	}
	c.out.consts = append(c.out.consts, v)
	return int32(len(c.out.consts) - 1)
}

func (c *compiler) slot(f *frame) int32 {
	f.vars++
	return f.vars - 1
}

func (c *compiler) variable(env *binding, f *frame, name string) *binding {
	return &binding{next: env, kind: '$', name: name, in: f, slot: c.slot(f)}
}

func hops(from, to *frame) (n int32) {
	for ; from != to; from = from.outer {
		n++
	}
	return n
}

// expr compiles an expression: (v → result), for each result. tail says that nothing
// follows it in its function.
func (c *compiler) expr(e *expr, env *binding, f *frame, tail bool) {
	if c.depth++; c.depth > 5*maxNesting {
		c.fail(e.pos, "program is nested too deeply")
	}
	defer func() { c.depth-- }()
	switch e.op {
	case xIdentity:
	case xRecurse:
		c.call(&expr{op: xCall, s: "recurse", pos: e.pos}, env, f, tail)
	case xIndex:
		c.index(e, env, f)
	case xSlice:
		c.sub(orNull(e.b), env, f)
		c.sub(orNull(e.c), env, f)
		c.target(e.a, env, f)
		c.emit(opSlice, 0, optional(e))
	case xIter:
		c.expr(e.a, env, f, false)
		c.emit(opEach, 0, optional(e))
	case xLit:
		c.emit(opConst, c.constant(e.v), 0)
	case xString, xFormat:
		c.text(e, env, f)
	case xArray:
		c.array(e, env, f)
	case xObject:
		for _, x := range e.args {
			c.sub(x, env, f)
		}
		c.emit(opMakeObject, int32(len(e.args)/2), 0)
	case xNeg:
		if e.a.op == xLit && e.a.v.K == Number {
			c.emit(opConst, c.constant(num(-e.a.v.N)), 0)
			return
		}
		c.sub(e.a, env, f)
		c.native("_negate", 1)
	case xPipe:
		for ; e.op == xPipe; e = e.b {
			c.expr(e.a, env, f, false)
		}
		c.expr(e, env, f, tail)
	case xComma:
		fork := c.emit(opFork, 0, 0)
		c.expr(e.a, env, f, false)
		jump := c.emit(opJump, 0, 0)
		c.here(fork)
		c.expr(e.b, env, f, tail)
		c.here(jump)
	case xBin:
		c.sub(e.b, env, f)
		c.sub(e.a, env, f)
		c.emit(opBinary, int32(operatorOf(e.s)), 0)
	case xAnd, xOr:
		c.logic(e, env, f)
	case xAlt:
		c.alternative(e, env, f, tail)
	case xUpdate, xAssign, xOpAssign:
		c.update(e, env, f)
	default:
		c.control(e, env, f, tail)
	}
}

func orNull(e *expr) *expr {
	if e == nil {
		return &expr{op: xLit, v: null}
	}
	return e
}

// control compiles what has parts that run or do not run, and names.
func (c *compiler) control(e *expr, env *binding, f *frame, tail bool) {
	switch e.op {
	case xIf:
		c.sub(e.a, env, f)
		no := c.emit(opBranch, 0, 0)
		c.expr(e.b, env, f, tail)
		end := c.emit(opJump, 0, 0)
		c.here(no)
		c.expr(e.c, env, f, tail)
		c.here(end)
	case xTry:
		fork := c.emit(opForkTry, 0, 0)
		c.expr(e.a, env, f, false)
		c.emit(opTryEnd, 0, 0)
		end := c.emit(opJump, 0, 0)
		c.here(fork)
		if e.b != nil {
			c.expr(e.b, env, f, tail)
		} else {
			c.emit(opBacktrack, 0, 0)
		}
		c.here(end)
	case xReduce, xForeach:
		c.fold(e, env, f)
	case xFunc:
		fn := &function{at: -1}
		inner := &binding{next: env, kind: 'f', name: e.def.name, arity: len(e.def.params), in: f, fn: fn}
		skip := c.emit(opJump, 0, 0)
		c.body(fn, inner, f, e.def)
		c.here(skip)
		c.expr(e.a, inner, f, tail)
	case xCall:
		c.call(e, env, f, tail)
	case xVar:
		c.load(opLoad, e, env, f)
	case xBind:
		c.emit(opSubBegin, 0, 0)
		c.expr(e.a, env, f, false)
		inner, end := c.match(e.pats, env, f)
		c.emit(opPop, 0, 0)
		c.emit(opUnnest, 0, 0)
		c.expr(e.b, inner, f, tail && end < 0)
	case xLabel:
		slot := c.slot(f)
		c.emit(opForkLabel, slot, 0)
		c.expr(e.a, &binding{next: env, kind: 'l', name: e.s, in: f, slot: slot}, f, false)
	case xBreak:
		b := env.find('l', e.s, 0)
		if b == nil {
			c.fail(e.pos, "$*label-%s is not defined", e.s)
		}
		c.emit(opBreak, b.slot, hops(f, b.in))
	}
}

func (b *binding) find(kind byte, name string, arity int) *binding {
	for ; b != nil; b = b.next {
		if b.name != name {
			continue
		}
		if b.kind == kind && b.arity == arity || kind == 'f' && b.kind == 'p' && arity == 0 {
			return b
		}
	}
	return nil
}

func (c *compiler) load(op opcode, e *expr, env *binding, f *frame) {
	b := env.find('$', e.s, 0)
	if b == nil {
		if e.s == "ENV" {
			if op == opLoadUnder {
				c.emit(opSubBegin, 0, 0)
				c.native("_env", 0)
				c.emit(opSubEnd, 0, 0)
				return
			}
			c.native("_env", 0)
			return
		}
		c.fail(e.pos, "$%s is not defined", e.s)
	}
	c.emit(op, b.slot, hops(f, b.in))
}

// sub compiles an expression whose input is needed again: (v → result, v).
func (c *compiler) sub(e *expr, env *binding, f *frame) {
	switch e.op {
	case xLit:
		c.emit(opUnder, c.constant(e.v), 0)
	case xIdentity:
		c.emit(opDup, 0, 0)
	case xVar:
		c.load(opLoadUnder, e, env, f)
	default:
		c.emit(opSubBegin, 0, 0)
		c.expr(e, env, f, false)
		c.emit(opSubEnd, 0, 0)
	}
}

// target compiles what is indexed, after its keys.
func (c *compiler) target(e *expr, env *binding, f *frame) {
	c.expr(e, env, f, false)
}

func (c *compiler) index(e *expr, env *binding, f *frame) {
	if e.b.op == xLit {
		c.expr(e.a, env, f, false)
		c.emit(opField, c.constant(e.b.v), optional(e))
		return
	}
	c.sub(e.b, env, f)
	c.target(e.a, env, f)
	c.emit(opIndex, 0, optional(e))
}

// optionalAccess marks an access whose failure gives nothing.
const optionalAccess = 2

func optional(e *expr) int32 {
	if e.opt {
		return optionalAccess
	}
	return 0
}

func (c *compiler) array(e *expr, env *binding, f *frame) {
	if e.a == nil {
		c.native("_array", 0)
		return
	}
	slot := c.slot(f)
	c.emit(opDup, 0, 0)
	c.native("_array", 0)
	c.emit(opStore, slot, 0)
	fork := c.emit(opFork, 0, 0)
	c.emit(opNest, 0, 0)
	c.expr(e.a, env, f, false)
	c.emit(opAppend, slot, 0)
	c.emit(opBacktrack, 0, 0)
	c.here(fork)
	c.emit(opLoadMove, slot, 0)
}

func (c *compiler) text(e *expr, env *binding, f *frame) {
	format := e.s
	if format == "" {
		format = "@text"
	}
	switch {
	case e.op == xFormat:
		c.format(format)
	case e.a != nil:
		c.expr(e.a, env, f, false)
		c.format(format)
	default:
		c.arguments(e.args, env, f)
		c.emit(opJoin, int32(len(e.args)), 0)
	}
}

func (c *compiler) format(name string) {
	c.emit(opUnder, c.constant(str(name[1:])), 0)
	c.native("format", 1)
}

func (c *compiler) logic(e *expr, env *binding, f *frame) {
	c.sub(e.a, env, f)
	first := c.emit(opBranch, 0, 0)
	yes, no := c.constant(boolean(true)), c.constant(boolean(false))
	var end []int32
	short := func(k int32) {
		c.emit(opConst, k, 0)
		end = append(end, c.emit(opJump, 0, 0))
	}
	if e.op == xOr {
		short(yes)
		c.here(first)
	}
	c.sub(e.b, env, f)
	second := c.emit(opBranch, 0, 0)
	short(yes)
	c.here(second)
	if e.op == xAnd {
		c.here(first)
	}
	c.emit(opConst, no, 0)
	for _, i := range end {
		c.here(i)
	}
}

func (c *compiler) alternative(e *expr, env *binding, f *frame, tail bool) {
	found := c.slot(f)
	c.emit(opSet, found, c.constant(boolean(false)))
	fork := c.emit(opFork, 0, 0)
	c.expr(e.a, env, f, false)
	falsy := c.emit(opFalsy, 0, 0)
	c.emit(opSet, found, c.constant(boolean(true)))
	end := c.emit(opJump, 0, 0)
	c.here(falsy)
	c.emit(opBacktrack, 0, 0)
	c.here(fork)
	c.emit(opGiveUp, found, 0)
	c.expr(e.b, env, f, tail)
	c.here(end)
}
