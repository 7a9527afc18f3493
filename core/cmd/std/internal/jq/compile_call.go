package jq

// call compiles the use of a name: of a parameter, a function of the program, or a builtin.
func (c *compiler) call(e *expr, env *binding, f *frame, tail bool) {
	b := env.find('f', e.s, len(e.args))
	if b == nil {
		c.callBuiltin(e, env, f, tail)
		return
	}
	if b.kind == 'p' {
		if tail {
			c.emit(opTailParam, b.slot, hops(f, b.in))
		} else {
			c.emit(opCallParam, b.slot, hops(f, b.in))
		}
		return
	}
	c.invoke(b.fn, hops(f, b.in), e.args, env, f, tail)
}

// invoke compiles a call of a function that is defined up levels out.
func (c *compiler) invoke(fn *function, up int32, args []*expr, env *binding, f *frame, tail bool) {
	for i := len(args) - 1; i >= 0; i-- {
		c.closure(args[i], env, f)
	}
	op := opCall
	if tail && len(args) == 0 && up > 0 {
		op = opTailCall
	}
	at := c.emit(op, fn.at, up)
	if fn.at < 0 {
		c.calls[at] = fn
	}
}

// closure compiles an argument.
func (c *compiler) closure(e *expr, env *binding, f *frame) {
	at := c.emit(opClosure, 0, 0)
	skip := c.emit(opJump, 0, 0)
	c.here(at)
	inner := &frame{outer: f}
	scope := c.emit(opScope, 0, 0)
	c.expr(e, env, inner, true)
	c.emit(opRet, 0, 0)
	c.out.ins[scope].a = inner.vars
	c.here(skip)
}

// body compiles a function.
func (c *compiler) body(fn *function, env *binding, f *frame, d *definition) {
	inner := &frame{outer: f}
	fn.at = c.emit(opScope, 0, int32(len(d.params)))
	e := d.body
	for i := len(d.params) - 1; i >= 0; i-- {
		if name := d.params[i]; name[0] == '$' {
			e = &expr{op: xBind, a: &expr{op: xCall, s: name[1:]}, pats: []*pattern{{name: name[1:]}}, b: e}
		}
	}
	for _, name := range d.params {
		if name[0] == '$' {
			name = name[1:]
		}
		env = &binding{next: env, kind: 'p', name: name, in: inner, slot: c.slot(inner)}
	}
	c.expr(e, env, inner, true)
	c.emit(opRet, 0, 0)
	c.out.ins[fn.at].a = inner.vars
}

func (c *compiler) native(name string, argc int) {
	for i := range natives {
		if natives[i].name == name && natives[i].argc == argc {
			c.emit(opNative, int32(i), int32(argc))
			return
		}
	}
	panic("jq: no native function " + name)
}

// callBuiltin compiles a call of a function of jq's own.
func (c *compiler) callBuiltin(e *expr, env *binding, f *frame, tail bool) {
	key := signature(e.s, len(e.args))
	if c.inline(key, e, env, f, tail) {
		return
	}
	for i := range systems {
		if systems[i] == key {
			c.arguments(e.args, env, f)
			c.emit(opSystem, int32(i), int32(len(e.args)))
			return
		}
	}
	for i := range natives {
		if natives[i].name == e.s && natives[i].argc == len(e.args) {
			c.arguments(e.args, env, f)
			c.emit(opNative, int32(i), int32(len(e.args)))
			return
		}
	}
	fn := c.builtin[key]
	if fn == nil {
		text, ok := c.texts[key]
		if !ok {
			c.fail(e.pos, "%s is not defined", key)
		}
		defs, err := parseDefinitions(text)
		if err != nil || len(defs) != 1 {
			panic("jq: builtin " + key + " is wrong")
		}
		fn = &function{at: -1, def: defs[0]}
		c.builtin[key] = fn
		c.waiting = append(c.waiting, fn)
	}
	c.invoke(fn, hops(f, c.root), e.args, env, f, tail)
}

func signature(name string, argc int) string { return name + "/" + string(appendInt(nil, argc)) }

func (c *compiler) arguments(args []*expr, env *binding, f *frame) {
	for i := len(args) - 1; i >= 0; i-- {
		c.sub(args[i], env, f)
	}
}

// inline compiles the builtins that are instructions, or are much used and short.
func (c *compiler) inline(key string, e *expr, env *binding, f *frame, tail bool) bool {
	self := &expr{op: xIdentity}
	switch key {
	case "empty/0":
		c.emit(opBacktrack, 0, 0)
	case "select/1":
		c.sub(e.args[0], env, f)
		no := c.emit(opBranch, 0, 0)
		end := c.emit(opJump, 0, 0)
		c.here(no)
		c.emit(opBacktrack, 0, 0)
		c.here(end)
	case "map/1":
		c.array(&expr{op: xArray, a: &expr{op: xPipe, a: &expr{op: xIter, a: self}, b: e.args[0]}}, env, f)
	case "path/1":
		c.emit(opPathBegin, 0, 0)
		c.expr(e.args[0], env, f, false)
		c.emit(opPathEnd, 0, 0)
	case "getpath/1":
		c.sub(e.args[0], env, f)
		c.emit(opGetPath, 0, 0)
	case "range/1":
		c.rangeOf(&expr{op: xLit, v: num(0)}, e.args[0], env, f)
	case "range/2":
		c.rangeOf(e.args[0], e.args[1], env, f)
	case "first/1":
		slot := c.slot(f)
		c.emit(opForkLabel, slot, 0)
		c.expr(e.args[0], env, f, false)
		end := c.emit(opFork, 0, 0)
		jump := c.emit(opJump, 0, 0)
		c.here(end)
		c.emit(opBreak, slot, 0)
		c.here(jump)
	default:
		return false
	}
	return true
}

// rangeOf compiles range(from; upto): the bounds are computed with the input, from varies slowest.
func (c *compiler) rangeOf(from, upto *expr, env *binding, f *frame) {
	at := c.slot(f)
	c.slot(f)
	c.sub(from, env, f)
	c.sub(upto, env, f)
	c.emit(opPop, 0, 0)
	c.emit(opStore, at+1, 0)
	c.emit(opStore, at, 0)
	c.emit(opRange, at, 0)
}

// match compiles the destructuring of the value on top, which stays there. The
// patterns but the last are tried: end is then the jump behind, else -1.
func (c *compiler) match(pats []*pattern, env *binding, f *frame) (inner *binding, end int32) {
	names := map[string]bool{}
	inner = env
	var slots []int32
	for _, p := range pats {
		for _, name := range p.binds(nil) {
			if !names[name] {
				names[name] = true
				inner = c.variable(inner, f, name)
				slots = append(slots, inner.slot)
			}
		}
	}
	end = -1
	var ends []int32
	for i, p := range pats {
		fork := int32(-1)
		if i < len(pats)-1 {
			fork = c.emit(opForkAlt, 0, 0)
		}
		if len(pats) > 1 || len(slots) > 1 {
			for _, s := range slots {
				c.emit(opSet, s, c.constant(null))
			}
		}
		c.bind(p, inner, f)
		if fork >= 0 {
			end = c.emit(opJump, 0, 0)
			ends = append(ends, end)
			c.here(fork)
		}
	}
	for _, i := range ends {
		c.here(i)
	}
	return inner, end
}

// bind compiles one pattern: (v → v).
func (c *compiler) bind(p *pattern, env *binding, f *frame) {
	if c.depth++; c.depth > 5*maxNesting {
		c.fail(-1, "program is nested too deeply")
	}
	defer func() { c.depth-- }()
	if p.name != "" {
		c.emit(opDup, 0, 0)
		c.emit(opStore, env.find('$', p.name, 0).slot, 0)
	}
	for i, q := range p.items {
		c.emit(opDup, 0, 0)
		c.emit(opField, c.constant(num(float64(i))), 1)
		c.bind(q, env, f)
		c.emit(opPop, 0, 0)
	}
	for _, k := range p.keys {
		c.emit(opDup, 0, 0)
		c.sub(k.key, env, f)
		c.emit(opIndex, 1, 0)
		if k.bind != "" {
			c.emit(opDup, 0, 0)
			c.emit(opStore, env.find('$', k.bind, 0).slot, 0)
		}
		if k.val != nil {
			c.bind(k.val, env, f)
		}
		c.emit(opPop, 0, 0)
	}
}

// fold compiles reduce and foreach.
func (c *compiler) fold(e *expr, env *binding, f *frame) {
	state := c.slot(f)
	c.emit(opDup, 0, 0)
	c.expr(e.b, env, f, false)
	c.emit(opStore, state, 0)
	end := int32(-1)
	if e.op == xReduce {
		end = c.emit(opFork, 0, 0)
	}
	c.expr(e.a, env, f, false)
	c.emit(opNest, 0, 0)
	inner, _ := c.match(e.pats, env, f)
	c.emit(opUnnest, 0, 0)
	c.emit(opLoadMove, state, 0)
	c.expr(e.c, inner, f, false)
	if e.op == xReduce {
		c.emit(opStore, state, 0)
		c.emit(opBacktrack, 0, 0)
		c.here(end)
		c.emit(opLoadMove, state, 0)
		return
	}
	c.emit(opDup, 0, 0)
	c.emit(opStore, state, 0)
	if e.d != nil {
		c.expr(e.d, inner, f, false)
	}
}

// update compiles the assignments.
func (c *compiler) update(e *expr, env *binding, f *frame) {
	switch e.op {
	case xUpdate:
		c.call2("_modify", e.a, e.b, env, f)
	case xAssign:
		c.call2("_assign", e.a, e.b, env, f)
	default:
		inner := c.variable(env, f, "")
		c.sub(e.b, env, f)
		c.emit(opSwap, 0, 0)
		c.emit(opStore, inner.slot, 0)
		op := &expr{op: xBin, s: e.s, a: &expr{op: xIdentity}, b: &expr{op: xVar, s: ""}, pos: e.pos}
		if e.s == "//" {
			op.op = xAlt
		}
		c.call2("_modify", e.a, op, inner, f)
	}
}

// call2 calls a builtin with two arguments, whatever the program has by that name.
func (c *compiler) call2(name string, a, b *expr, env *binding, f *frame) {
	c.callBuiltin(&expr{op: xCall, s: name, args: []*expr{a, b}}, env, f, false)
}
