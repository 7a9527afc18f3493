package awk

// compiler turns a syntax tree into instructions.
type compiler struct {
	*code
	params  map[string]int // of the function being compiled
	at      lexeme
	funcNo  map[string]int
	defined []lexeme // where each function is
	loops   []loop
	strings map[string]int32
	numbers map[float64]int32
}

// loop is where break and continue go.
type loop struct {
	isSwitch  bool
	breaks    []int // jumps to patch
	continues []int
}

// compile parses and compiles program text. The error is a *SyntaxError.
func compile(units []Unit) (out *code, err error) {
	tree, err := parse(units)
	if err != nil {
		return nil, err
	}
	c := &compiler{
		code:    &code{units: units, slots: map[string]int{}, beginFile: -1, endFile: -1, warn: tree.warn},
		funcNo:  map[string]int{},
		strings: map[string]int32{},
		numbers: map[float64]int32{},
	}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			e.Lines = append(tree.warn, e.Lines...)
			err = e
		}
	}()
	for i, n := range specialNames {
		c.names = append(c.names, n)
		c.slots[n] = i
	}
	for i, f := range tree.funcs {
		if _, dup := c.funcNo[f.name]; dup {
			c.lex().fatal(f.at, 1, "error: function name `%s' previously defined", f.name)
		}
		c.funcNo[f.name] = i
		c.defined = append(c.defined, f.at)
		c.funcs = append(c.funcs, funcCode{name: f.name, params: f.params})
	}
	c.program(tree)
	return c.code, nil
}

func (c *compiler) lex() *lexer { return &lexer{units: c.units} }

func (c *compiler) emit(op opcode, a, b int, cc uint8) int {
	c.ins = append(c.ins, instr{op: op, c: cc, a: int32(a), b: int32(b)})
	c.lines = append(c.lines, int32(c.at.line)<<8|int32(c.at.unit&255))
	return len(c.ins) - 1
}

func (c *compiler) here() int { return len(c.ins) }

// patch sends jumps to the next instruction.
func (c *compiler) patch(jumps ...int) {
	for _, j := range jumps {
		c.ins[j].a = int32(len(c.ins))
	}
}

func (c *compiler) constant(v Value) int {
	c.consts = append(c.consts, v)
	return len(c.consts) - 1
}

func (c *compiler) number(n float64) int {
	if i, ok := c.numbers[n]; ok && n != 0 {
		return int(i)
	}
	i := c.constant(num(n))
	c.numbers[n] = int32(i)
	return i
}

func (c *compiler) str(s string) int {
	if i, ok := c.strings[s]; ok {
		return int(i)
	}
	i := c.constant(str(s))
	c.strings[s] = int32(i)
	return i
}

// pattern is the constant for a regular expression as an operand of ~, split and the like.
func (c *compiler) pattern(source string) int {
	for i, s := range c.regex {
		if s == source {
			return i
		}
	}
	c.regex = append(c.regex, source)
	c.regexAt = append(c.regexAt, int32(len(c.ins))) // the instruction that comes next
	return len(c.regex) - 1
}

// program lays out: functions, BEGIN, the main loop with the rules, END.
func (c *compiler) program(tree *syntax) {
	start := c.emit(opJump, 0, 0, 0)
	for i, f := range tree.funcs {
		c.function(i, f)
	}
	c.beginFile = c.fileRules(tree, ruleBeginFile)
	c.endFile = c.fileRules(tree, ruleEndFile)
	c.patch(start)
	hasMain, hasEnd := false, false
	for i := range tree.rules {
		switch r := &tree.rules[i]; r.kind {
		case ruleBegin:
			c.statement(r.body)
		case ruleEnd:
			hasEnd = true
		default:
			hasMain = true
		}
	}
	begun := c.emit(opBegun, 0, 0, 0)
	if !hasMain && !hasEnd {
		c.ins[begun].b = 1
	}
	c.hasMain = hasMain
	c.main = int32(c.here())
	read := c.emit(opMain, 0, 0, 0)
	for i := range tree.rules {
		if r := &tree.rules[i]; r.kind == ruleMain {
			c.rule(r)
		}
	}
	c.emit(opJump, read, 0, 0)
	c.patch(begun, read)
	c.end = int32(c.here())
	for i := range tree.rules {
		if r := &tree.rules[i]; r.kind == ruleEnd {
			c.statement(r.body)
		}
	}
	c.emit(opEndRule, 0, 0, 0)
}

func (c *compiler) fileRules(tree *syntax, kind int) int32 {
	start := int32(-1)
	for i := range tree.rules {
		if r := &tree.rules[i]; r.kind == kind {
			if start < 0 {
				start = int32(c.here())
			}
			c.statement(r.body)
		}
	}
	if start >= 0 {
		c.emit(opConst, c.number(0), 0, 0)
		c.emit(opReturn, 0, 0, 0)
	}
	return start
}

func (c *compiler) rule(r *rule) {
	c.at = r.at
	var skip []int
	switch {
	case r.end != nil:
		n := c.ranges
		c.ranges++
		on := c.emit(opRangeOn, 0, n, 0)
		skip = append(skip, c.condition(r.pattern))
		c.emit(opRangeSet, 1, n, 0)
		c.patch(on)
		body := c.condition(r.end)
		c.emit(opRangeSet, 0, n, 0)
		c.patch(body)
	case r.pattern != nil:
		skip = append(skip, c.condition(r.pattern))
	}
	if r.body != nil {
		c.statement(r.body)
	} else {
		c.emit(opPrint, 0, 0, 0)
	}
	c.patch(skip...)
}

func (c *compiler) function(i int, f *function) {
	c.params = map[string]int{}
	for j, p := range f.params {
		c.params[p] = j
	}
	c.funcs[i].entry = int32(c.here())
	c.statement(f.body)
	c.emit(opConst, c.constant(Value{K: Unassigned}), 0, 0)
	c.emit(opReturn, 0, 0, 0)
	c.funcs[i].room = c.here() - int(c.funcs[i].entry) + len(f.params) + 16
	c.params = nil
}

// slot finds a variable: local and its number, or global.
func (c *compiler) slot(n *node) (slot int, local bool) {
	if i, ok := c.params[n.s]; ok {
		return i, true
	}
	if i, ok := c.funcNo[n.s]; ok {
		if f := c.defined[i]; n.at.unit < f.unit || n.at.unit == f.unit && n.at.start < f.start {
			c.lex().fatal(f, 1, "error: function name `%s' previously defined", n.s)
		}
		c.lex().fatal(n.at, 1, "error: function `%s' called with space between name and `(',\nor used as a variable or an array", n.s)
	}
	i, ok := c.slots[n.s]
	if !ok {
		i = len(c.names)
		c.names = append(c.names, n.s)
		c.slots[n.s] = i
	}
	if i == slotRT {
		c.usesRT = true
	}
	if i == slotSYMTAB || i == slotFUNCTAB {
		c.lex().fatal(n.at, 2, "fatal: %s is not supported here", n.s)
	}
	return i, false
}

func (c *compiler) statements(list []*node) {
	for _, n := range list {
		c.statement(n)
	}
}

func (c *compiler) statement(n *node) {
	c.at = n.at
	switch n.kind {
	case nBlock:
		c.statements(n.list)
	case nExpr:
		c.drop(n.a)
	case nPrint, nPrintf:
		c.print(n)
	case nIf:
		skip := c.condition(n.a)
		c.statement(n.b)
		if n.c == nil {
			c.patch(skip)
			return
		}
		end := c.emit(opJump, 0, 0, 0)
		c.patch(skip)
		c.statement(n.c)
		c.patch(end)
	case nWhile, nDo, nFor:
		c.loop(n)
	case nForIn:
		c.forIn(n)
	case nSwitch:
		c.switchStatement(n)
	case nBreak:
		l := &c.loops[len(c.loops)-1]
		l.breaks = append(l.breaks, c.emit(opJump, 0, 0, 0))
	case nContinue:
		for i := len(c.loops) - 1; i >= 0; i-- {
			if l := &c.loops[i]; !l.isSwitch {
				l.continues = append(l.continues, c.emit(opJump, 0, 0, 0))
				break
			}
		}
	case nNext:
		c.emit(opNext, 0, 0, 0)
	case nNextFile:
		c.emit(opNextFile, 0, 0, 0)
	case nExit:
		if n.a != nil {
			c.expr(n.a)
			c.emit(opExit, 0, 1, 0)
		} else {
			c.emit(opExit, 0, 0, 0)
		}
	case nReturn:
		if n.a != nil {
			c.expr(n.a)
		} else {
			c.emit(opConst, c.constant(Value{K: Unassigned}), 0, 0)
		}
		c.emit(opReturn, 0, 0, 0)
	case nDelete:
		if n.a.kind == nVar {
			c.arrayRef(n.a)
			c.emit(opDelArr, 0, 0, 0)
			return
		}
		c.element(n.a)
		c.emit(opDelElem, 0, 0, 0)
	}
}

func (c *compiler) push(isSwitch bool) {
	c.loops = append(c.loops, loop{isSwitch: isSwitch})
}

func (c *compiler) pop() loop {
	l := c.loops[len(c.loops)-1]
	c.loops = c.loops[:len(c.loops)-1]
	return l
}

// loop lays out while, do and for with the test at the bottom.
func (c *compiler) loop(n *node) {
	if n.kind == nFor && n.a != nil {
		c.statement(n.a)
	}
	test := -1
	if n.kind == nWhile || n.kind == nFor && n.b != nil {
		test = c.emit(opJump, 0, 0, 0)
	}
	body := c.here()
	c.push(false)
	if n.kind == nFor {
		c.statement(n.d)
	} else {
		c.statement(n.b)
	}
	l := c.pop()
	c.patch(l.continues...)
	if n.kind == nFor && n.c != nil {
		c.statement(n.c)
	}
	if test >= 0 {
		c.patch(test)
	}
	c.at = n.at
	switch {
	case n.kind == nFor && n.b == nil:
		c.emit(opJump, body, 0, 0)
	case n.kind == nFor:
		out := c.condition(n.b)
		c.emit(opJump, body, 0, 0)
		c.patch(out)
	default:
		out := c.condition(n.a)
		c.emit(opJump, body, 0, 0)
		c.patch(out)
	}
	c.patch(l.breaks...)
}

func (c *compiler) forIn(n *node) {
	c.arrayRef(n.b)
	c.emit(opForIn, 0, 0, 0)
	top := c.here()
	next := c.emit(opForNext, 0, 0, 0)
	c.store(n.a, flagDrop|flagAddrFirst)
	c.push(false)
	c.statement(n.d)
	l := c.pop()
	c.patch(l.continues...)
	c.emit(opJump, top, 0, 0)
	c.patch(l.breaks...)
	c.patch(next)
	c.emit(opForPop, 0, 0, 0)
}

func (c *compiler) switchStatement(n *node) {
	c.expr(n.a)
	cases := make([]int, len(n.list))
	seen := map[string]bool{}
	def := -1
	for i, k := range n.list {
		if k.a == nil {
			if def >= 0 {
				c.lex().fatal(k.at, 1, "error: duplicate case values in switch body: default")
			}
			def = i
			continue
		}
		v := Value{}
		switch k.a.kind {
		case nNumber:
			v = num(k.a.n)
		case nString:
			v = str(k.a.s)
		default:
			v = Value{K: Pattern, S: k.a.s, R: int32(c.pattern(k.a.s)) + 1}
		}
		name := text(&v, "%.6g")
		if v.K == Pattern {
			name = "/" + name + "/"
		}
		if seen[name] {
			c.lex().fatal(k.at, 1, "error: duplicate case values in switch body: %s", name)
		}
		seen[name] = true
		cases[i] = c.emit(opCase, 0, c.constant(v), 0)
	}
	c.emit(opPop, 0, 0, 0)
	toDefault := c.emit(opJump, 0, 0, 0)
	c.push(true)
	for i, k := range n.list {
		if i == def {
			c.patch(toDefault)
		} else {
			c.patch(cases[i])
		}
		c.statements(k.list)
	}
	l := c.pop()
	if def < 0 {
		c.patch(toDefault)
	}
	// continue inside the switch belongs to the loop around it.
	c.patch(l.breaks...)
}

// Redirections, in C of opPrint.
const (
	redirNone = iota
	redirFile
	redirAppend
	redirPipe
	redirCoproc
)

func (c *compiler) print(n *node) {
	for _, e := range n.list {
		c.expr(e)
	}
	kind := uint8(redirNone)
	switch n.s {
	case ">":
		kind = redirFile
	case ">>":
		kind = redirAppend
	case "|":
		kind = redirPipe
	case "|&":
		kind = redirCoproc
	}
	if n.b != nil {
		c.expr(n.b)
	}
	c.at = n.at
	if n.kind == nPrint {
		c.emit(opPrint, len(n.list), 0, kind)
	} else {
		c.emit(opPrintf, len(n.list), 0, kind)
	}
}
