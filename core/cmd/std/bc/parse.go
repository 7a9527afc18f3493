package bc

// Op codes of the machine. What each takes off the stack and leaves there is in vm.go.
const (
	opConst = iota + 1 // S: its text, read in the input base of the moment; N: 1 in the library, where it is decimal
	opLoad             // S: variable
	opStore            // S; leaves the value
	opItem             // S: array; the index is on the stack
	opPut              // S: array; index and value are
	opDup
	opPop
	opSwap
	opArith   // S: operator
	opRel     // S: relation
	opNeg     //
	opNot     //
	opTruth   // 1 for anything but 0
	opJump    // N: where to
	opIfZero  // N
	opIfNot0  // N
	opCall    // S: function, N: how many arguments
	opArray   // S: array handed over
	opReturn  //
	opBuiltin // S: length, sqrt, scale, read
	opShow    // print a value and a newline
	opPrint   // print a value
	opString  // S: print it; N: 1 if it has escapes
	opHalt
	opLimits
)

// Op is one instruction. Adr is where GNU bc's code for it ends, which its messages tell.
type Op struct {
	Code int    `cbor:"1,keyasint,omitempty"`
	S    string `cbor:"2,keyasint,omitempty"`
	N    int    `cbor:"3,keyasint,omitempty"`
	Adr  int    `cbor:"4,keyasint,omitempty"`
}

// Param is a parameter or an auto variable.
type Param struct {
	Name  string `cbor:"1,keyasint,omitempty"`
	Array bool   `cbor:"2,keyasint,omitempty"`
	Ref   bool   `cbor:"3,keyasint,omitempty"` // *a[]
}

// Func is a function that was defined.
type Func struct {
	Params []Param `cbor:"1,keyasint,omitempty"`
	Autos  []Param `cbor:"2,keyasint,omitempty"`
	Code   []Op    `cbor:"3,keyasint,omitempty"`
	Void   bool    `cbor:"4,keyasint,omitempty"`
}

// maxDepth is how deep expressions and statements nest.
const maxDepth = 400

// unit is one complete input: a line of statements, or a function.
type unit struct {
	code []Op
	name string // of the function it defines
	fn   *Func
	quit bool
}

// parser compiles one unit.
type parser struct {
	l      *lexer
	tok    token
	err    error
	bad    bool // a syntax error was found
	later  bool // a statement of the line came before
	failed bool // something else is wrong: nothing is run
	code   []Op
	adr    int
	inFn   bool
	depth  int
	breaks [][]int // of each loop around, the jumps out of it
	conts  [][]int
	quit   bool
}

func (p *parser) advance() {
	if p.err != nil || p.bad {
		p.tok = token{kind: tEnd}
		return
	}
	if p.tok, p.err = p.l.next(); p.tok.kind == "quit" {
		p.quit = true
	}
	if p.err != nil {
		p.tok = token{kind: tEnd}
	}
}

func (p *parser) wrong(text string) {
	if !p.bad && p.err == nil {
		line := p.tok.line + 1
		switch p.tok.kind {
		case tLine:
			line = p.l.line + 1
		case tEnd: // bc has begun to count anew
			line = 1
		}
		p.l.moans = append(p.l.moans, complaint{line, text})
		p.bad = true
		if p.later && p.is(tLine) { // bc takes the next line for the rest of this one
			p.tok = token{}
		}
		p.skip()
	}
	p.tok = token{kind: tEnd}
}

// refuse reports what keeps the unit from being run.
func (p *parser) refuse(text string) {
	if !p.bad && p.err == nil {
		p.l.moans = append(p.l.moans, complaint{p.l.line + 1, text})
		p.failed = true
	}
}

// skip passes over the rest of the line.
func (p *parser) skip() {
	for kind := p.tok.kind; kind != tLine && kind != tEnd; {
		t, err := p.l.next()
		if err != nil {
			p.err = err
			return
		}
		kind = t.kind
	}
}

func (p *parser) syntax() { p.wrong("syntax error") }

func (p *parser) is(kind string) bool { return p.tok.kind == kind }

func (p *parser) accept(kind string) bool {
	if !p.is(kind) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(kind string) {
	if !p.accept(kind) {
		p.syntax()
	}
}

func (p *parser) emit(code int, s string, n, size int) int {
	p.adr += size
	p.code = append(p.code, Op{code, s, n, p.adr})
	return len(p.code) - 1
}

// here lets jumps lead to the next instruction.
func (p *parser) here(jumps ...int) {
	for _, j := range jumps {
		p.code[j].N = len(p.code)
	}
}

func (p *parser) lines() {
	for p.accept(tLine) {
	}
}

// unit reads a unit; nil where nothing can be run.
func (p *parser) unit() *unit {
	p.advance()
	if p.is("define") {
		return p.define()
	}
	p.list(tLine)
	if !p.is(tLine) && !p.is(tEnd) || p.is(tEnd) && len(p.code) > 0 && !p.quit && !p.bad { // a newline ends a statement
		p.syntax()
	}
	return &unit{code: p.code, quit: p.quit}
}

// list reads statements between semicolons up to a token.
func (p *parser) list(end string) {
	for !p.bad && p.err == nil && !p.quit {
		for p.semicolon(end) || end == "}" && p.accept(tLine) {
		}
		if p.is(end) || p.is(tEnd) {
			return
		}
		p.statement()
		if !p.is(";") && !p.is(tLine) && !p.is(end) && !p.is(tEnd) {
			p.syntax()
		}
	}
}

// semicolon takes one, and notes where it is one between the statements of a line.
func (p *parser) semicolon(end string) bool {
	if !p.accept(";") {
		return false
	}
	p.later = p.later || end == tLine
	return true
}

func (p *parser) define() *unit {
	p.advance()
	f := &Func{Void: p.accept("void")}
	name := p.tok.text
	p.expect(tName)
	p.inFn = true
	f.Params = p.params("(", ")")
	p.lines()
	p.expect("{")
	p.lines()
	if p.is("auto") {
		f.Autos = p.params("auto", "")
		if !p.accept(";") && !p.is(tLine) {
			p.syntax()
		}
	}
	p.list("}")
	p.expect("}")
	if p.bad || p.err != nil {
		return nil
	}
	p.emit(opConst, "0", 0, 1)
	p.emit(opReturn, "", 0, 1)
	f.Code = p.code
	return &unit{name: name, fn: f, quit: p.quit}
}

// params reads names between two tokens.
func (p *parser) params(open, end string) (list []Param) {
	p.expect(open)
	for !p.is(end) && !p.bad && p.err == nil {
		v := Param{Ref: p.accept("*"), Name: p.tok.text}
		p.expect(tName)
		if p.accept("[") {
			p.expect("]")
			v.Array = true
		}
		list = append(list, v)
		if !p.accept(",") {
			break
		}
	}
	if end != "" {
		p.expect(end)
	}
	return list
}

func (p *parser) statement() {
	if p.depth++; p.depth > maxDepth {
		p.wrong("nested too deep")
	}
	defer func() { p.depth-- }()
	switch p.tok.kind {
	case tString:
		p.emit(opString, p.tok.text, 0, len(p.tok.text)+2)
		p.advance()
	case "print":
		p.advance()
		p.print()
	case "{":
		p.advance()
		p.list("}")
		p.expect("}")
	case "if":
		p.branch()
	case "while":
		p.while()
	case "for":
		p.loop()
	case "break":
		if len(p.breaks) == 0 {
			p.refuse("Break outside a for/while")
		} else {
			n := len(p.breaks) - 1
			p.breaks[n] = append(p.breaks[n], p.emit(opJump, "", 0, 3))
		}
		p.advance()
	case "continue":
		if len(p.conts) == 0 {
			p.refuse("Continue outside a for")
		} else {
			n := len(p.conts) - 1
			p.conts[n] = append(p.conts[n], p.emit(opJump, "", 0, 3))
		}
		p.advance()
	case "return":
		p.advance()
		p.result()
	case "halt":
		p.emit(opHalt, "", 0, 1)
		p.advance()
	case "limits", "warranty":
		p.emit(opLimits, p.tok.kind, 0, 1)
		p.advance()
	case "quit":
		return
	default:
		if p.expr(0) {
			p.emit(opShow, "", 0, 1)
		} else {
			p.emit(opPop, "", 0, 1)
		}
	}
}

func (p *parser) print() {
	for !p.bad && p.err == nil {
		if p.is(tString) {
			p.emit(opString, p.tok.text, 1, len(p.tok.text)+2)
			p.advance()
		} else {
			p.expr(0)
			p.emit(opPrint, "", 0, 1)
		}
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) result() {
	switch {
	case p.is(";") || p.is(tLine) || p.is("}") || p.is(tEnd):
		p.emit(opConst, "0", 0, 1)
	default:
		p.expr(0)
	}
	if !p.inFn {
		p.refuse("Return outside of a function.")
	}
	p.emit(opReturn, "", 0, 1)
}

func (p *parser) branch() {
	p.advance()
	p.expect("(")
	p.expr(0)
	p.expect(")")
	over := p.emit(opIfZero, "", 0, 3)
	p.lines()
	p.statement()
	if !p.is("else") {
		p.here(over)
		return
	}
	p.advance()
	p.lines()
	end := p.emit(opJump, "", 0, 3)
	p.here(over)
	p.statement()
	p.here(end)
}

func (p *parser) while() {
	p.advance()
	top := len(p.code)
	p.expect("(")
	p.expr(0)
	p.expect(")")
	end := p.emit(opIfZero, "", 0, 3)
	p.body()
	p.here(p.conts[len(p.conts)-1]...)
	p.emit(opJump, "", top, 3)
	p.leave(end)
}

// body reads the statement of a loop.
func (p *parser) body() {
	p.breaks, p.conts = append(p.breaks, nil), append(p.conts, nil)
	p.lines()
	p.statement()
}

// leave ends a loop: end is the jump of its condition, or -1.
func (p *parser) leave(end int) {
	n := len(p.breaks) - 1
	p.here(p.breaks[n]...)
	if end >= 0 {
		p.here(end)
	}
	p.breaks, p.conts = p.breaks[:n], p.conts[:n]
}

func (p *parser) loop() {
	p.advance()
	p.expect("(")
	part := func(end string) bool {
		if p.is(end) {
			return false
		}
		p.expr(0)
		return true
	}
	if part(";") {
		p.emit(opPop, "", 0, 1)
	}
	p.expect(";")
	top := len(p.code)
	end := -1
	if part(";") {
		end = p.emit(opIfZero, "", 0, 3)
	} else {
		p.adr += 4
	}
	p.expect(";")
	in := p.emit(opJump, "", 0, 3)
	step := len(p.code)
	if part(")") {
		p.emit(opPop, "", 0, 1)
	}
	p.emit(opJump, "", top, 3)
	p.here(in)
	p.expect(")")
	p.body()
	for _, j := range p.conts[len(p.conts)-1] {
		p.code[j].N = step
	}
	p.emit(opJump, "", step, 3)
	p.leave(end)
}

// binary gives the strength of a binary operator; 0 if it is none.
func (p *parser) binary() int {
	switch p.tok.kind {
	case "||":
		return 1
	case "&&":
		return 2
	case tRel:
		return 4
	case "+", "-":
		return 6
	case "*", "/", "%":
		return 7
	case "^":
		return 8
	}
	return 0
}

// expr compiles an expression of operators at least as strong as level. It is
// false for an assignment, whose value is not printed.
func (p *parser) expr(level int) (shown bool) {
	if p.depth++; p.depth > maxDepth {
		p.wrong("nested too deep")
	}
	defer func() { p.depth-- }()
	shown = p.unary()
	for {
		n := p.binary()
		if n == 0 || n < level || p.bad || p.err != nil {
			return shown
		}
		shown = true
		op := p.tok
		p.advance()
		switch n {
		case 1, 2:
			code, last := opIfZero, 6
			if n == 1 {
				code, last = opIfNot0, 8
			} else {
				p.adr += 2
			}
			p.emit(opTruth, "", 0, 0)
			p.emit(opDup, "", 0, 0)
			over := p.emit(code, "", 0, 3)
			p.emit(opPop, "", 0, 0)
			p.expr(n + 1)
			p.emit(opTruth, "", 0, last)
			p.here(over)
		case 4:
			p.expr(5)
			p.emit(opRel, op.text, 0, 1)
		case 8:
			p.expr(8)
			p.emit(opArith, "^", 0, 1)
		default:
			p.expr(n + 1)
			p.emit(opArith, op.kind, 0, 1)
		}
	}
}

func (p *parser) unary() (shown bool) {
	switch p.tok.kind {
	case "-":
		p.advance()
		p.expr(9)
		p.emit(opNeg, "", 0, 1)
		return true
	case "!":
		p.advance()
		p.expr(4)
		p.emit(opNot, "", 0, 1)
		return true
	case "++", "--":
		op := p.tok.kind[:1]
		p.advance()
		v, ok := p.place()
		if !ok {
			p.syntax()
			return true
		}
		p.change(v, op, false)
		return true
	}
	return p.primary()
}

// place is where a value is kept.
type place struct {
	name  string
	array bool // an element: its index is on the stack
}

// place reads a variable, an element or a special variable.
func (p *parser) place() (v place, ok bool) {
	switch p.tok.kind {
	case "scale", "ibase", "obase", "last", "history":
		v.name = p.tok.kind
		p.advance()
		return v, true
	case tName:
		v.name = p.tok.text
		p.advance()
		return p.element(v), true
	}
	return v, false
}

// element reads the index behind a name.
func (p *parser) element(v place) place {
	if p.accept("[") {
		p.expr(0)
		p.expect("]")
		v.array = true
	}
	return v
}

func (p *parser) load(v place) {
	if v.array {
		p.emit(opItem, v.name, 0, 2)
		return
	}
	p.emit(opLoad, v.name, 0, 2)
}

func (p *parser) store(v place) {
	if v.array {
		p.emit(opPut, v.name, 0, 2)
		return
	}
	p.emit(opStore, v.name, 0, 2)
}

// change compiles ++ and --; after says that the value is the one before.
func (p *parser) change(v place, op string, after bool) {
	if v.array {
		p.emit(opDup, "", 0, 1)
	}
	p.load(v)
	if after {
		if v.array { // index, value: keep the value below
			p.emit(opDup, "", 2, 1)
		} else {
			p.emit(opDup, "", 0, 0)
		}
	}
	p.emit(opConst, "1", 0, 0)
	p.emit(opArith, op, 0, 0)
	p.store(v)
	if after {
		p.emit(opPop, "", 0, 0)
	}
}

func (p *parser) primary() (shown bool) {
	switch p.tok.kind {
	case tNumber:
		size := len(p.tok.text) + 2
		if p.tok.text == "0" || p.tok.text == "1" {
			size = 1
		}
		p.emit(opConst, p.tok.text, 0, size)
		p.advance()
		return true
	case "(":
		p.advance()
		p.expr(0)
		p.expect(")")
		return true
	case "length", "sqrt", "read", "random":
		p.builtin(p.tok.kind)
		return true
	case "scale":
		p.advance()
		if p.is("(") {
			p.arguments("scale")
			return true
		}
		return p.value(place{name: "scale"})
	case tName:
		name := p.tok.text
		p.advance()
		if p.is("(") {
			p.call(name)
			return true
		}
		return p.value(p.element(place{name: name}))
	}
	v, ok := p.place()
	if !ok {
		p.syntax()
		return true
	}
	return p.value(v)
}

// value compiles what is done with a place.
func (p *parser) value(v place) (shown bool) {
	switch p.tok.kind {
	case tAssign:
		op := p.tok.text
		p.advance()
		if op != "" {
			if v.array {
				p.emit(opDup, "", 0, 1)
			}
			p.load(v)
		}
		p.expr(5)
		if op != "" {
			p.emit(opArith, op, 0, 1)
		}
		p.store(v)
		return false
	case "++", "--":
		op := p.tok.kind[:1]
		p.advance()
		p.change(v, op, true)
		return true
	}
	p.load(v)
	return true
}

func (p *parser) builtin(name string) {
	p.advance()
	p.arguments(name)
}

func (p *parser) arguments(name string) {
	p.expect("(")
	if name != "read" && name != "random" {
		p.expr(0)
	}
	p.expect(")")
	p.emit(opBuiltin, name, 0, 2)
}

func (p *parser) call(name string) {
	p.expect("(")
	n := 0
	for !p.is(")") && !p.bad && p.err == nil {
		p.argument()
		n++
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	p.emit(opCall, name, n, 2)
	p.adr += n + 1
}

// argument is an expression, or an array "a[]".
func (p *parser) argument() {
	if p.is(tName) {
		l, t := *p.l, p.tok
		p.advance()
		if p.accept("[") && p.accept("]") {
			p.emit(opArray, t.text, 0, 2)
			return
		}
		if p.err != nil || p.bad {
			return
		}
		moans := p.l.moans
		*p.l, p.tok = l, t
		p.l.moans = moans[:len(l.moans):len(l.moans)]
	}
	p.expr(0)
}
