package awk

import "math"

// condition compiles a test and gives the jump taken when it fails.
func (c *compiler) condition(n *node) int {
	for n.kind == nGroup {
		n = n.a
	}
	switch n.kind {
	case nCompare:
		c.expr(n.a)
		c.expr(n.b)
		c.at = n.at
		return c.emit(opJumpCompare, 0, 0, comparison(n.s))
	case nUnary:
		if n.s == "!" {
			c.expr(n.a)
			return c.emit(opJumpTrue, 0, 0, 0)
		}
	}
	c.expr(n)
	return c.emit(opJumpFalse, 0, 0, 0)
}

func comparison(s string) uint8 {
	switch s {
	case "<":
		return cmpLT
	case "<=":
		return cmpLE
	case "==":
		return cmpEQ
	case "!=":
		return cmpNE
	case ">=":
		return cmpGE
	}
	return cmpGT
}

// drop compiles an expression for its effects.
func (c *compiler) drop(n *node) {
	for n.kind == nGroup {
		n = n.a
	}
	switch n.kind {
	case nAssign:
		c.assign(n, flagDrop)
	case nAugment:
		c.augment(n, flagDrop)
	case nIncrement:
		c.increment(n, flagDrop)
	default:
		c.expr(n)
		c.emit(opPop, 0, 0, 0)
	}
}

func (c *compiler) expr(n *node) {
	c.at = n.at
	switch n.kind {
	case nGroup:
		c.expr(n.a)
	case nNumber:
		c.emit(opConst, c.number(n.n), 0, 0)
	case nString:
		c.emit(opConst, c.str(n.s), 0, 0)
	case nRegex:
		c.emit(opMatchRecord, c.pattern(n.s), 0, 0)
	case nTypedRegex:
		c.regexOperand(n)
	case nVar:
		slot, local := c.slot(n)
		switch {
		case local:
			c.emit(opLocal, slot, 0, 0)
		case slot <= slotFNR:
			c.emit(opSpecial, slot, 0, 0)
		default:
			c.emit(opGlobal, slot, 0, 0)
		}
	case nField:
		if n.a.kind == nNumber && n.a.n >= 0 && n.a.n < 1<<20 {
			c.emit(opField, int(n.a.n), 0, 0)
			return
		}
		c.expr(n.a)
		c.at = n.at
		c.emit(opFieldDyn, 0, 0, 0)
	case nIndex:
		c.element(n)
		c.emit(opElem, 0, 0, 0)
	case nAssign:
		c.assign(n, 0)
	case nAugment:
		c.augment(n, 0)
	case nIncrement:
		c.increment(n, 0)
	case nUnary:
		c.unary(n)
	case nBinary:
		c.binary(n)
	case nCompare:
		c.expr(n.a)
		c.expr(n.b)
		c.at = n.at
		c.emit(opCompare, 0, 0, comparison(n.s))
	case nMatch:
		c.expr(n.a)
		c.regexOperand(n.b)
		c.at = n.at
		neg := 0
		if n.s == "!~" {
			neg = 1
		}
		c.emit(opMatch, 0, neg, 0)
	case nAnd, nOr:
		op := opAnd
		if n.kind == nOr {
			op = opOr
		}
		c.expr(n.a)
		j := c.emit(op, 0, 0, 0)
		c.expr(n.b)
		c.emit(opBool, 0, 0, 0)
		c.patch(j)
	case nCond:
		no := c.condition(n.a)
		c.expr(n.b)
		end := c.emit(opJump, 0, 0, 0)
		c.patch(no)
		c.expr(n.c)
		c.patch(end)
	case nConcat:
		for _, k := range n.list {
			c.expr(k)
		}
		c.at = n.at
		c.emit(opConcat, len(n.list), 0, 0)
	case nIn:
		c.subscript(n.list)
		c.arrayRef(n.a)
		c.emit(opIn, 0, 0, 0)
	case nCall, nIndirect:
		c.call(n)
	case nBuiltin:
		c.builtin(n)
	case nGetline:
		c.getline(n)
	}
}

// regexOperand compiles what is used as a regular expression.
func (c *compiler) regexOperand(n *node) {
	for n.kind == nGroup {
		n = n.a
	}
	if n.kind == nRegex || n.kind == nTypedRegex {
		i := c.pattern(n.s)
		c.emit(opConst, c.constant(Value{K: Pattern, S: n.s, R: int32(i) + 1}), 0, 0)
		return
	}
	c.expr(n)
}

func (c *compiler) unary(n *node) {
	if n.s == "-" && n.a.kind == nNumber {
		c.emit(opConst, c.constant(num(-n.a.n)), 0, 0)
		return
	}
	c.expr(n.a)
	c.at = n.at
	switch n.s {
	case "!":
		c.emit(opNot, 0, 0, 0)
	case "-":
		c.emit(opNeg, 0, 0, 0)
	default:
		c.emit(opPlus, 0, 0, 0)
	}
}

// zero reports whether an expression is a zero, with or without a sign: whoever divides by that need not run to fail.
func zero(n *node) bool {
	if n.kind == nUnary && n.s != "!" {
		n = n.a
	}
	return n.kind == nNumber && n.n == 0
}

func (c *compiler) binary(n *node) {
	if zero(n.b) && n.s == "/" {
		c.lex().fatal(n.at, 1, "error: division by zero attempted")
	}
	if zero(n.b) && n.s == "%" {
		c.lex().fatal(n.at, 1, "error: division by zero attempted in `%%'")
	}
	if n.a.kind == nNumber && n.b.kind == nNumber {
		c.emit(opConst, c.number(arith(n.s[0], n.a.n, n.b.n)), 0, 0)
		return
	}
	c.expr(n.a)
	c.expr(n.b)
	c.at = n.at
	c.emit(opArith, 0, 0, n.s[0])
}

// arith is a·b; the divisor is known not to be 0.
func arith(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		return a / b
	case '%':
		n := math.Mod(a, b)
		if n != n && a == a && b == b { // as the processor does
			n = math.Copysign(n, -1)
		}
		return n
	}
	return power(a, b)
}

func power(a, b float64) float64 {
	if integral(b) && math.Abs(b) < 1<<16 {
		n := int(math.Abs(b))
		x, r := a, 1.0
		for ; n > 0; n >>= 1 {
			if n&1 == 1 {
				r *= x
			}
			x *= x
		}
		if b < 0 {
			return 1 / r
		}
		return r
	}
	if a < 0 && !integral(b) && !math.IsInf(b, 0) && !math.IsInf(a, 0) {
		return math.Copysign(math.NaN(), -1)
	}
	return math.Pow(a, b)
}

// arrayRef pushes an array.
func (c *compiler) arrayRef(n *node) {
	c.at = n.at
	if n.kind == nVar {
		slot, local := c.slot(n)
		if local {
			c.emit(opArrLocal, slot, 0, 0)
		} else {
			c.emit(opArr, slot, 0, 0)
		}
		return
	}
	c.element(n)
	c.emit(opSubArr, 0, 0, 0)
}

// element pushes the array and the subscript of an element. The subscript is
// evaluated first: length(a) in a[length(a) + 1] sees a variable without a type.
func (c *compiler) element(n *node) {
	if n.a.kind != nVar {
		c.arrayRef(n.a)
		c.subscript(n.list)
		c.at = n.at
		return
	}
	c.subscript(n.list)
	c.arrayRef(n.a)
	c.ins[len(c.ins)-1].b = 1
	c.at = n.at
}

// subscript pushes one value for the expressions between brackets.
func (c *compiler) subscript(list []*node) {
	for _, n := range list {
		c.expr(n)
	}
	if len(list) > 1 {
		c.emit(opSubsep, len(list), 0, 0)
	}
}

// address pushes what names an lvalue: nothing, an index, or an array and a subscript.
func (c *compiler) address(n *node) {
	switch n.kind {
	case nField:
		c.expr(n.a)
	case nIndex:
		c.element(n)
	}
	c.at = n.at
}

// place is which of the five opcodes after base fits an lvalue, and its slot.
func (c *compiler) place(n *node, base opcode) (opcode, int) {
	switch n.kind {
	case nField:
		return base + 3, 0
	case nIndex:
		return base + 4, 0
	}
	slot, local := c.slot(n)
	switch {
	case local:
		return base + 1, slot
	case slot < slotPlain:
		return base + 2, slot
	}
	return base, slot
}

func (c *compiler) store(n *node, flags int) {
	op, slot := c.place(n, opStoreGlobal)
	c.emit(op, slot, flags, 0)
}

func (c *compiler) assign(n *node, flags int) {
	if c.appends(n) {
		rest := n.b.list[1:]
		for _, k := range rest {
			c.expr(k)
		}
		if len(rest) > 1 {
			c.emit(opConcat, len(rest), 0, 0)
		}
		c.address(n.a)
		op, slot := c.place(n.a, opAppendGlobal)
		if n.a.kind == nIndex {
			op = opAppendElem
		}
		c.emit(op, slot, flags, 0)
		return
	}
	if n.b.kind == nTypedRegex {
		c.regexOperand(n.b)
	} else {
		c.expr(n.b)
	}
	c.address(n.a)
	c.at = n.at
	c.store(n.a, flags)
}

// appends reports whether an assignment is x = x y… where y cannot change x.
func (c *compiler) appends(n *node) bool {
	if n.b.kind != nConcat || n.a.kind == nField || !same(n.a, n.b.list[0]) {
		return false
	}
	if n.a.kind == nVar {
		if slot, local := c.slot(n.a); !local && slot < slotPlain {
			return false
		}
	}
	for _, k := range n.b.list[1:] {
		if !pure(k) {
			return false
		}
	}
	return true
}

// same reports whether two nodes are the same variable or element.
func same(a, b *node) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case nVar, nString:
		return a.s == b.s
	case nNumber:
		return a.n == b.n
	case nField:
		return a.a.kind == nNumber && same(a.a, b.a)
	case nIndex:
		if len(a.list) != len(b.list) || a.a.kind != nVar || !same(a.a, b.a) {
			return false
		}
		for i := range a.list {
			if !same(a.list[i], b.list[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// pure reports whether an expression assigns nothing and calls nothing that may.
func pure(n *node) bool {
	if n == nil {
		return true
	}
	switch n.kind {
	case nAssign, nAugment, nIncrement, nCall, nIndirect, nGetline:
		return false
	case nBuiltin:
		switch n.s {
		case "sub", "gsub", "split", "patsplit", "match", "asort", "asorti":
			return false
		}
	}
	for _, k := range n.list {
		if !pure(k) {
			return false
		}
	}
	return pure(n.a) && pure(n.b) && pure(n.c)
}

func (c *compiler) augment(n *node, flags int) {
	c.expr(n.b)
	c.address(n.a)
	c.at = n.at
	op, slot := c.place(n.a, opAugGlobal)
	c.emit(op, slot, flags, n.s[0])
}

func (c *compiler) increment(n *node, flags int) {
	c.address(n.a)
	c.at = n.at
	delta := uint8(1)
	if n.s == "--" {
		delta = 255
	}
	if n.n != 0 {
		flags |= flagPost
	}
	op, slot := c.place(n.a, opIncGlobal)
	c.emit(op, slot, flags, delta)
}

// argument compiles an argument of a user function: an array may pass.
func (c *compiler) argument(n *node) {
	switch n.kind {
	case nVar:
		slot, local := c.slot(n)
		switch {
		case local:
			c.emit(opArgLocal, slot, 0, 0)
		case slot <= slotFNR:
			c.emit(opSpecial, slot, 0, 0)
		default:
			c.emit(opArgGlobal, slot, 0, 0)
		}
	case nIndex:
		c.element(n)
		c.emit(opElemArg, 0, 0, 0)
	default:
		c.expr(n)
	}
}

func (c *compiler) call(n *node) {
	if n.kind == nIndirect {
		c.expr(c.variable(n))
		for _, a := range n.list {
			c.argument(a)
		}
		c.at = n.at
		c.emit(opIndirect, 0, len(n.list), 0)
		return
	}
	i, ok := c.funcNo[n.s]
	if _, parameter := c.params[n.s]; parameter && !ok {
		c.lex().fatal(n.at, 1, "error: attempt to use non-function `%s' in function call", n.s)
	}
	if !ok {
		for _, a := range n.list {
			c.argument(a)
		}
		c.at = n.at
		c.emit(opCall, -1, c.str(n.s), 0)
		return
	}
	if len(n.list) > len(c.funcs[i].params) {
		c.warn = append(c.warn, c.lex().where(n.at.unit, n.at.line)+"warning: function `"+n.s+"' called with more arguments than declared")
	}
	for j, a := range n.list {
		c.argument(a)
		if j >= len(c.funcs[i].params) {
			c.emit(opPop, 0, 0, 0)
		}
	}
	c.at = n.at
	c.emit(opCall, i, min(len(n.list), len(c.funcs[i].params)), 0)
}

func (c *compiler) variable(n *node) *node { return &node{kind: nVar, s: n.s, at: n.at} }

// record is $0.
func record(at lexeme) *node {
	return &node{kind: nField, at: at, a: &node{kind: nNumber, at: at}}
}

func (c *compiler) builtin(n *node) {
	if n.s == "sleep" { // sleeping is a command's work
		list := []*node{{kind: nString, s: "sleep ", at: n.at}, n.list[0]}
		n = &node{kind: nBuiltin, s: "system", at: n.at, list: []*node{{kind: nConcat, at: n.at, list: list}}}
	}
	id := builtinOf(n.s).op
	list := n.list
	switch id {
	case fnSub, fnGsub:
		c.substitute(n, id)
		return
	case fnDcgettext, fnDcngettext, fnBindtextdomain:
		c.lex().fatal(n.at, 2, "fatal: %s is not supported here", n.s)
	case fnIndex:
		if k := strip(list[1]).kind; k == nRegex || k == nTypedRegex {
			c.lex().fatal(n.at, 2, "fatal: index: regexp constant as second argument is not allowed")
		}
		c.expr(list[0])
		c.expr(list[1])
	case fnLength:
		if len(list) == 0 {
			list = []*node{record(n.at)}
		}
		c.argument(strip(list[0]))
	case fnTypeof, fnIsarray:
		for _, a := range list {
			if a.kind == nTypedRegex {
				c.regexOperand(a)
				continue
			}
			c.argument(strip(a))
		}
	case fnSplit, fnPatsplit:
		c.expr(list[0])
		c.arrayArgument(n, list[1])
		if len(list) > 2 {
			c.regexOperand(list[2])
		} else {
			c.emit(opConst, c.constant(Value{}), 0, 0)
		}
		if len(list) > 3 {
			c.arrayArgument(n, list[3])
		}
		list = append(list[:len(list):len(list)], nil)[:max(3, len(list))]
	case fnMatch:
		c.expr(list[0])
		c.regexOperand(list[1])
		if len(list) > 2 {
			c.arrayArgument(n, list[2])
		}
	case fnGensub:
		c.regexOperand(list[0])
		for _, a := range list[1:] {
			c.expr(a)
		}
	case fnAsort, fnAsorti:
		c.arrayArgument(n, list[0])
		if len(list) > 1 {
			c.arrayArgument(n, list[1])
		}
		if len(list) > 2 {
			c.expr(list[2])
		}
	default:
		for _, a := range list {
			c.expr(a)
		}
	}
	c.at = n.at
	c.emit(opBuiltin, len(list), 0, id)
}

func strip(n *node) *node {
	for n.kind == nGroup {
		n = n.a
	}
	return n
}

// arrayArgument pushes an argument of a built-in function that must be an array.
func (c *compiler) arrayArgument(call, n *node) {
	n = strip(n)
	if n.kind != nVar && n.kind != nIndex {
		c.lex().fatal(n.at, 2, "fatal: %s: argument is not an array", call.s)
	}
	c.arrayRef(n)
}

// substitute compiles sub and gsub: the new text is stored only if something matched.
func (c *compiler) substitute(n *node, id uint8) {
	c.regexOperand(n.list[0])
	c.expr(n.list[1])
	target := record(n.at)
	if len(n.list) > 2 {
		target = n.list[2]
	}
	if !lvalue(target) {
		c.expr(target)
		c.at = n.at
		c.emit(opSub, -1, 0, id)
		return
	}
	size := 0
	switch target.kind {
	case nField:
		c.address(target)
		c.emit(opPeekField, 0, 0, 0)
		size = 1
	case nIndex:
		c.address(target)
		c.emit(opPeekElem, 0, 0, 0)
		size = 2
	default:
		c.expr(target)
	}
	c.at = n.at
	j := c.emit(opSub, 0, size, id)
	c.store(target, flagDrop|flagAddrFirst)
	c.emit(opPop, 0, 0, 0) // the replacement; the count is below it
	c.patch(j)
}

// getline compiles all its forms: see (*Program).getline for the stack.
func (c *compiler) getline(n *node) {
	kind := uint8(redirNone)
	switch n.s {
	case "<":
		kind = redirFile
	case "|":
		kind = redirPipe
	case "|&":
		kind = redirCoproc
	}
	if n.b != nil {
		c.expr(n.b)
	}
	if n.a == nil {
		c.at = n.at
		c.emit(opGetline, -1, 0, kind)
		return
	}
	size := 0
	switch n.a.kind {
	case nField:
		size = 1
	case nIndex:
		size = 2
	}
	c.address(n.a)
	c.at = n.at
	j := c.emit(opGetline, 0, size, kind)
	c.store(n.a, flagDrop|flagAddrFirst)
	one := c.number(1)
	if n.b != nil {
		c.emit(opSetTop, one, 0, 0)
	} else {
		c.emit(opConst, one, 0, 0)
	}
	c.patch(j)
}
