package expand

import (
	"math"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// Arith is a compiled arithmetic expression.
//
// Bash expands the text like a double-quoted string and only then parses it.
// A text without expansions is parsed once. One with expansions is parsed once
// as well, each expansion standing for an operand; when all of them turn out
// to be plain integers that tree is used, otherwise the expanded text is
// parsed as bash would.
type Arith struct {
	text   string // source, for messages
	prog   *prog  // of a constant text, or with leaves; nil if it must be parsed each time
	leaves []part // the expansions, in order
	inSub  []bool // whether each stands in a subscript, where it is no operand
	lits   []string
	memo   bool
	depth  int
}

// CompileArith compiles the expression between two offsets of src. nodes are
// the parser's for that range; they are looked at only to find command
// substitutions.
func CompileArith(src *Source, from, to int, nodes ...syntax.Node) *Arith {
	text, cmds := src.cook(from, to, nodes...)
	return newArith(src.room, text, cmds, 0)
}

// ArithText compiles an expression made at run time, expansions included.
// A syntax error is reported by Eval, as bash does. a is charged.
func ArithText(a Account, text string) *Arith {
	return newArith(roomFor(a, text), dropMarks(text), nil, 0)
}

// CompileSub compiles the text between the brackets of a subscript.
func CompileSub(src *Source, from, to int, nodes ...syntax.Node) *Sub {
	text, cmds := src.cook(from, to, nodes...)
	return newSub(src.room, text, cmds, 0)
}

// SubText compiles a subscript from text made at run time. a is charged.
func SubText(a Account, text string) *Sub { return newSub(roomFor(a, text), dropMarks(text), nil, 0) }

func newArith(m *Room, text string, cmds []command, depth int) *Arith {
	r := m.reader(text, cmds, depth)
	a := arithParts(m, r.word(modeArith), depth)
	a.text = r.shown(text)
	r.end()
	return a
}

// arithParts makes an Arith of a text already taken apart.
func arithParts(m *Room, ps []part, depth int) *Arith {
	a := m.arith()
	a.depth = depth
	if len(ps) == 1 && ps[0].kind == pLit && depth <= maxDepth {
		a.prog = parseArith(m, ps[0].text, depth)
		return a
	}
	var b, lit strings.Builder
	brackets := 0
	for _, p := range flatten(ps) {
		if p.kind == pLit || p.kind == pTilde {
			s := p.text
			if p.kind == pTilde {
				s = "~" + s
			}
			brackets += strings.Count(s, "[") - strings.Count(s, "]")
			b.WriteString(s)
			lit.WriteString(s)
			continue
		}
		writeMark(&b, len(a.leaves))
		a.lits = append(a.lits, lit.String())
		lit.Reset()
		a.leaves = append(a.leaves, p)
		a.inSub = append(a.inSub, brackets > 0)
		a.memo = a.memo || p.needs()
	}
	a.lits = append(a.lits, lit.String())
	if depth > maxDepth {
		a.prog = &prog{bad: true, root: &node{op: nErr, name: "expression recursion level exceeded"}}
		return a
	}
	a.prog = parseArith(m, b.String(), depth)
	if a.prog.bad && len(a.leaves) > 0 {
		a.prog = nil
	}
	return a
}

// flatten takes the parts out of double quotes; single ones become text.
func flatten(ps []part) []part {
	for _, p := range ps {
		if p.kind == pQuote {
			var out []part
			for _, p := range ps {
				tick := part{kind: pLit, text: "'"}
				switch {
				case p.kind != pQuote:
					out = append(out, p)
				case p.single:
					out = append(append(append(out, tick), p.parts...), tick)
				default:
					out = append(out, flatten(p.parts)...)
				}
			}
			return out
		}
	}
	return ps
}

// NeedsMemo reports whether a contains a command substitution.
func (a *Arith) NeedsMemo() bool { return a.memo }

// Eval evaluates a.
func (a *Arith) Eval(env Env) (int64, error) {
	e := eval{env: env}
	return a.eval(&e)
}

// EvalString evaluates a text in which expansions have been done: the operand
// of let, the value of an integer variable, an index.
func EvalString(env Env, s string) (int64, error) {
	if n, ok := plainInt(s); ok {
		return n, nil
	}
	e := eval{env: env}
	return e.run(parseArith(roomFor(env, s), dropMarks(s), 0), nil)
}

// Arith returns the expression of a word that is nothing but $((…)), so that
// an assignment need not make a string of its value.
func (w *Word) Arith() (*Arith, bool) {
	if w.fast != fastArith {
		return nil, false
	}
	return w.only().arith, true
}

func (a *Arith) eval(e *eval) (int64, error) {
	if len(a.leaves) == 0 {
		return e.run(a.prog, nil)
	}
	var few [4]int64
	ints := few[:]
	if len(a.leaves) > len(few) {
		ints = make([]int64, len(a.leaves))
	}
	var strs []string
	plain := a.prog != nil
	for i := range a.leaves {
		p := &a.leaves[i]
		if !a.inSub[i] && p.kind == pParam && p.par.plain() {
			if n, ok := e.env.Var(p.par.name).Int(); ok {
				ints[i] = n
				continue
			}
		} else if !a.inSub[i] && p.kind == pArith {
			n, err := p.arith.eval(e)
			if err != nil {
				return 0, inner(err)
			}
			ints[i] = n
			continue
		}
		s, err := e.leaf(p)
		if err != nil {
			return 0, inner(err)
		}
		n, ok := plainInt(s)
		if ok {
			ints[i] = n
		}
		if !ok || a.inSub[i] {
			if strs == nil {
				strs = make([]string, len(a.leaves))
			}
			strs[i] = s
			plain = plain && (ok || a.inSub[i])
			if !ok {
				ints[i] = math.MinInt64
			}
		}
	}
	if plain && strs == nil {
		return e.run(a.prog, ints)
	}
	if strs == nil {
		strs = make([]string, len(a.leaves))
	}
	for i := range strs {
		if strs[i] == "" && ints[i] != math.MinInt64 {
			strs[i] = formatInt(ints[i])
		}
	}
	return a.evalStrings(e, ints, strs, plain)
}

// EvalTraced is Eval, and shows the expression first, its expansions done and
// without its double quotes.
func (a *Arith) EvalTraced(env Env, show func(text string)) (int64, error) {
	e := eval{env: env}
	ints, strs := make([]int64, len(a.leaves)), make([]string, len(a.leaves))
	plain := a.prog != nil
	b := large.Builder{M: env}
	for i := range a.leaves {
		s, err := e.leaf(&a.leaves[i])
		if err != nil {
			return 0, err
		}
		n, ok := plainInt(s)
		if ints[i] = n; !ok {
			ints[i] = math.MinInt64
			plain = plain && a.inSub[i]
		}
		strs[i] = s
		b.WriteString(unquoted(a.lits[i]) + s)
	}
	if len(a.leaves) == 0 {
		Once(env, func() { show(unquoted(a.text)) })
		return e.run(a.prog, nil)
	}
	Once(env, func() { show(b.String() + unquoted(a.lits[len(strs)])) })
	return a.evalStrings(&e, ints, strs, plain)
}

func unquoted(text string) string { return strings.ReplaceAll(text, `"`, "") }

// evalStrings evaluates a with the values of its expansions.
func (a *Arith) evalStrings(e *eval, ints []int64, strs []string, plain bool) (int64, error) {
	old := e.leaves
	e.leaves = strs
	defer func() { e.leaves = old }()
	if plain {
		return e.run(a.prog, ints)
	}
	b := large.Builder{M: e.env}
	for i, s := range strs {
		b.WriteString(a.lits[i])
		if a.inSub[i] {
			b.WriteString(markOf(i))
		} else {
			b.WriteString(dropMarks(s))
		}
	}
	b.WriteString(a.lits[len(strs)])
	return e.run(parseArith(roomFor(e.env, b.String()), b.String(), a.depth), ints)
}

// leaf evaluates one expansion inside an expression.
func (e *eval) leaf(p *part) (string, error) {
	s := e.child(toString)
	if s.depth++; s.depth > maxDepth {
		return "", limitError("depth", "expansion nested too deeply")
	}
	if err := s.part(p, false); err != nil {
		return "", err
	}
	return s.result(), nil
}

// run evaluates a parsed expression with the given operands.
func (e *eval) run(p *prog, ints []int64) (int64, error) {
	if p.root == nil {
		return 0, nil
	}
	x := calc{e: e, p: p, ints: ints}
	return x.node(p.root)
}

// calc is the evaluation of one expression.
type calc struct {
	e    *eval
	p    *prog
	ints []int64

	missed bool // the element read last cannot be, and is not to be assigned
}

const maxRun = 16384 // nested evaluations, names included

// IntAssigner is an Env that can assign a number without a string.
type IntAssigner interface {
	// AssignInt is Assign(name, nil, the decimal form of n, false).
	AssignInt(name string, n int64) error
}

// fail words an error about the text from pos on.
func (x *calc) fail(msg string, pos, cut int) error {
	text := x.p.text
	if cut == 0 || cut > len(text) {
		cut = len(text)
	}
	text = text[:cut]
	token := text[min(pos, len(text)):]
	for len(token) > 0 && (token[0] == ' ' || token[0] == '\t') {
		token = token[1:]
	}
	text = strings.TrimLeft(text, " \t\n")
	b := large.Builder{M: x.e.env}
	x.show(&b, text)
	b.WriteString(": " + msg + ` (error token is "`)
	x.show(&b, token)
	b.WriteString(`")`)
	return &Error{Kind: BadArith, Text: b.String()}
}

// show writes a text with the values of operands in place of their marks.
func (x *calc) show(b *large.Builder, s string) {
	for i := strings.IndexByte(s, mark); i >= 0; i = strings.IndexByte(s, mark) {
		n, end := markAt(s, i)
		v := ""
		switch {
		case n < len(x.e.leaves):
			v = x.e.leaves[n]
		case n < len(x.ints):
			v = formatInt(x.ints[n])
		}
		b.WriteString(s[:i])
		b.WriteString(dropMarks(v))
		s = s[end:]
	}
	b.WriteString(s)
}

// shown is what show writes.
func (x *calc) shown(s string) string {
	b := large.Builder{M: x.e.env}
	x.show(&b, s)
	return b.String()
}

func (x *calc) node(n *node) (int64, error) {
	if x.e.runs++; x.e.runs > maxRun {
		return 0, limitError("depth", x.shown(x.p.text)+": expression recursion level exceeded")
	}
	v, err := x.eval(n)
	x.e.runs--
	return v, err
}

// operand is node for what most operands are.
func (x *calc) operand(n *node) (int64, error) {
	switch {
	case n.op == nNum:
		return n.n, nil
	case n.op == nVar && n.sub == nil:
		return x.variable(n)
	}
	return x.node(n)
}

func (x *calc) eval(n *node) (int64, error) {
	for {
		switch n.op {
		case nNum:
			return n.n, nil
		case nLeaf:
			if n.n < int64(len(x.ints)) {
				return x.ints[n.n], nil
			}
			return 0, nil
		case nVar:
			return x.variable(n)
		case nErr:
			return 0, x.fail(n.name, n.pos, n.cut)
		case nNeg, nPlus, nNot, nBitNot:
			v, err := x.node(n.a)
			if err != nil {
				return 0, err
			}
			return unary(n.op, v), nil
		case nChain:
			return x.chain(n)
		case nAnd, nOr:
			return x.logic(n)
		case nComma:
			v, err := x.node(n.a)
			for _, l := range n.rest {
				if err != nil {
					return 0, err
				}
				v, err = x.node(l.n)
			}
			return v, err
		case nPow:
			return x.pow(n)
		case nCond:
			v, err := x.node(n.a)
			if err != nil {
				return 0, err
			}
			taken, other := n.b, n.c
			if v == 0 {
				taken, other = other, taken
			}
			if !x.p.bad {
				n = taken
				continue
			}
			r, err := x.node(taken)
			if err == nil {
				err = x.skip(other)
			}
			return r, err
		case nAssign:
			return x.assign(n)
		default:
			return x.step(n)
		}
	}
}

func unary(op nodeOp, v int64) int64 {
	switch op {
	case nNeg:
		return -v
	case nNot:
		return truth(v == 0)
	case nBitNot:
		return ^v
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// skip reports the syntax error in a part that is not evaluated.
func (x *calc) skip(n *node) error {
	if !x.p.bad || n == nil {
		return nil
	}
	if n.op == nErr {
		return x.fail(n.name, n.pos, n.cut)
	}
	for _, m := range []*node{n.a, n.b, n.c} {
		if err := x.skip(m); err != nil {
			return err
		}
	}
	for _, l := range n.rest {
		if err := x.skip(l.n); err != nil {
			return err
		}
	}
	return nil
}

func (x *calc) chain(n *node) (int64, error) {
	v, err := x.operand(n.a)
	if err != nil {
		return 0, err
	}
	for i := range n.rest {
		l := &n.rest[i]
		w, err := x.operand(l.n)
		if err != nil {
			return 0, err
		}
		if w == 0 && (l.tok == '/' || l.tok == '%') {
			return 0, x.fail("division by 0", l.pos, 0)
		}
		v = binary(l.tok, v, w)
	}
	return v, nil
}

// binary applies an operator with the wrap-around of 64-bit integers.
func binary(tok byte, v, w int64) int64 {
	switch tok {
	case '+':
		return v + w
	case '-':
		return v - w
	case '*':
		return v * w
	case '/':
		if w == -1 {
			return -v
		}
		return v / w
	case '%':
		if w == -1 {
			return 0
		}
		return v % w
	case tShl:
		return v << (uint64(w) & 63)
	case tShr:
		return v >> (uint64(w) & 63)
	case '<':
		return truth(v < w)
	case '>':
		return truth(v > w)
	case tLe:
		return truth(v <= w)
	case tGe:
		return truth(v >= w)
	case tEq:
		return truth(v == w)
	case tNe:
		return truth(v != w)
	case '&':
		return v & w
	case tStr: // what follows is an error
		return v
	case '|':
		return v | w
	case '^':
		return v ^ w
	}
	return w
}

func (x *calc) logic(n *node) (int64, error) {
	v, err := x.node(n.a)
	if err != nil {
		return 0, err
	}
	for _, l := range n.rest {
		if (v != 0) == (n.op == nOr) {
			if err := x.skip(l.n); err != nil {
				return 0, err
			}
			v = truth(v != 0)
			continue
		}
		if v, err = x.node(l.n); err != nil {
			return 0, err
		}
		v = truth(v != 0)
	}
	return v, nil
}

func (x *calc) pow(n *node) (int64, error) {
	v, err := x.node(n.a)
	if err != nil {
		return 0, err
	}
	w, err := x.node(n.b)
	if err != nil {
		return 0, err
	}
	if w < 0 {
		return 0, x.fail("exponent less than 0", n.pos, 0)
	}
	r := int64(1)
	for ; w > 0; w >>= 1 {
		if w&1 != 0 {
			r *= v
		}
		v *= v
	}
	return r, nil
}

// variable reads a name: its value is an expression in its turn.
func (x *calc) variable(n *node) (int64, error) {
	_, i, err := x.read(n, x.e.env.Var(n.name))
	return i, err
}

// read evaluates the element or variable n and returns its resolved subscript.
func (x *calc) read(n *node, v *vars.Var) (*Sub, int64, error) {
	sub, s, set := n.sub, "", false
	if sub == nil {
		if i, ok := v.Int(); ok {
			return nil, i, nil
		}
	}
	switch {
	case sub == nil && v.Is(vars.Assoc):
		s, set = v.Key("0")
	case sub == nil:
		s, set = v.Index(0)
	default:
		if v == nil {
			if x.e.load(); x.e.flags&NoUnset != 0 {
				return nil, 0, unbound(n.name)
			}
		}
		if n.op == nVar && x.e.empty(n.sub) { // bash looks at it twice
			if err := x.warn(n.name + "[]: bad array subscript"); err != nil {
				return nil, 0, err
			}
			return nil, 0, x.warn(n.name + "[]: bad array subscript")
		}
		var err error
		if sub, err = x.e.resolve(n.sub, n.name, v); err != nil {
			x.missed = n.op != nVar
			return nil, 0, x.e.subscriptWarning(err, n.name)
		}
		switch {
		case sub.All != 0: // no element has that index
			return sub, 0, x.warn(n.name + "[" + sub.Text + "]: bad array subscript")
		case v.Is(vars.Assoc):
			s, set = v.Key(sub.Text)
		default:
			s, set = v.Index(sub.Num)
		}
	}
	if !set {
		x.e.load()
		if x.e.flags&NoUnset != 0 && !v.IsArray() {
			return nil, 0, unbound(n.name)
		}
		return sub, 0, nil
	}
	if i, ok := plainInt(s); ok {
		return sub, i, nil
	}
	x.e.names++
	defer func() { x.e.names-- }()
	if x.e.names >= maxArith {
		return nil, 0, x.fail("expression recursion level exceeded", n.pos, 0)
	}
	x.e.env.Charge(len(s))
	i, err := x.e.run(parseArith(roomFor(x.e.env, s), dropMarks(s), 0), nil)
	return sub, i, err
}

func (x *calc) assign(n *node) (int64, error) {
	sub, old := n.sub, int64(0)
	var err error
	if n.tok == '=' {
		if sub != nil {
			sub, err = x.e.resolve(sub, n.name, x.e.env.Var(n.name))
			if bad, ok := err.(*Error); ok && bad.Kind == BadSubscript { // said, and not assigned
				x.warn(bad.Text)
				return x.node(n.a)
			}
			if err != nil {
				return 0, err
			}
		}
	} else if sub, old, err = x.read(n, x.e.env.Var(n.name)); err != nil {
		return 0, err
	}
	missed := x.missed
	x.missed = false
	v, err := x.node(n.a)
	if err != nil {
		return 0, err
	}
	if n.tok != '=' {
		if v == 0 && (n.tok == '/' || n.tok == '%') {
			return 0, x.fail("division by 0", n.pos, 0)
		}
		v = binary(n.tok, old, v)
	}
	if missed {
		return v, x.warn(n.name + "[" + n.sub.Text + "]: bad array subscript")
	}
	return v, x.set(n, sub, v)
}

// warn tells of an element that cannot be, and the evaluation goes on.
func (x *calc) warn(text string) error {
	if w, ok := x.e.env.(Warner); ok {
		return w.Warn(text)
	}
	return nil
}

// empty reports whether a subscript has become nothing.
func (e *eval) empty(s *Sub) bool {
	if s.Resolved || s.arith == nil {
		return false
	}
	if len(s.arith.leaves) == 0 {
		return strings.Trim(s.Text, " \t\n") == ""
	}
	for _, l := range s.arith.lits {
		if strings.Trim(l, " \t\n") != "" {
			return false
		}
	}
	for _, p := range s.arith.leaves {
		if p.kind != pLeaf || int(p.leaf) >= len(e.leaves) || e.leaves[p.leaf] != "" {
			return false
		}
	}
	return true
}

func (x *calc) set(n *node, sub *Sub, v int64) error {
	if sub == nil {
		if a, ok := x.e.env.(IntAssigner); ok {
			return a.AssignInt(n.name, v)
		}
	}
	return x.e.env.Assign(n.name, sub, formatInt(v), false)
}

// step evaluates ++ and --.
func (x *calc) step(n *node) (int64, error) {
	sub, old, err := x.read(n, x.e.env.Var(n.name))
	if err != nil {
		return 0, err
	}
	v := old + 1
	if n.op == nPreDec || n.op == nPostDec {
		v = old - 1
	}
	if x.missed {
		x.missed = false
		if err := x.warn(n.name + "[" + n.sub.Text + "]: bad array subscript"); err != nil {
			return 0, err
		}
	} else if err := x.set(n, sub, v); err != nil {
		return 0, err
	}
	if n.op == nPreInc || n.op == nPreDec {
		return v, nil
	}
	return old, nil
}

// plainInt parses a decimal integer without leading zeros or plus sign.
func plainInt(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	i := 0
	if s[0] == '-' {
		i = 1
	}
	if i == len(s) || len(s)-i > 18 || s[i] == '0' && len(s) > 1 {
		return 0, false
	}
	var n int64
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if s[0] == '-' {
		n = -n
	}
	return n, true
}
