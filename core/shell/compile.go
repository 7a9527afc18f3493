package shell

import (
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// compiler turns the syntax tree of one unit into code. The tree's depth is
// already bounded, so it recurses freely.
type compiler struct {
	u     *Unit
	shelf *shelf
	src   expand.Source
	at    origin             // of u
	owned map[*stmt][]*inner // the substitutions in statements of a substitution
	cfor  int                // line of the last for (( that was read
	surroundings
}

// surroundings are what a part of a command knows of what it stands in.
type surroundings struct {
	base       int   // line of the command being compiled
	shift      int   // from the lines of the text to those bash counts, in a substitution
	outer      int   // line that bash is on before a compound command begins
	owner      *stmt // the statement being compiled
	within     bool  // it stands in a substitution that bash prints
	verbatim   bool  // what stands here is read again as it stands
	redirected bool  // in a redirection
}

// compile fills u from its statements, which the parser met at the origin.
func (u *Unit) compile(stmts []*syntax.Stmt, at origin, to *shelf) (err error) {
	defer func() {
		if x := recover(); x != nil {
			e, ok := x.(*SyntaxError)
			if !ok {
				panic(x)
			}
			err = e
		}
	}()
	freeBodies(u.Text, stmts)
	src := expand.SourceAt(u.Text, at.off, &to.Room)
	if strings.IndexByte(u.Text, '`') >= 0 {
		roots := make([]syntax.Node, len(stmts))
		for i, s := range stmts {
			roots[i] = s
		}
		src.AddTicks(roots...)
	}
	to.compiler = compiler{u: u, shelf: to, at: at, src: src}
	c := &to.compiler
	to.addressed = to.addressed[:0] // what a unit that failed left
	c.outer = u.Line + strings.Count(strings.TrimRight(u.Text, "\n"), "\n")
	u.body = c.list(stmts, 0, len(u.Text))
	u.nodes = to.number()
	to.compiler = compiler{}
	return nil
}

// fail reports a construct bash would not have parsed, or one we do not have.
func (c *compiler) fail(n syntax.Node, format string, args ...any) {
	panic(&SyntaxError{Line: c.line(n), Column: int(n.Pos().Col()), Text: fmt.Sprintf(format, args...)})
}

// last is the line n ends on.
func (c *compiler) last(n syntax.Node) int {
	return c.u.Line + c.shift + int(n.End().Line()) - c.at.line - 1
}

func (c *compiler) line(n syntax.Node) int {
	return c.u.Line + c.shift + int(n.Pos().Line()) - c.at.line - 1
}

// off is a position's offset in the unit's text.
// off is where a position is in the text; what the parser was given behind it is at its end.
func (c *compiler) off(p syntax.Pos) int {
	return min(max(int(p.Offset())-c.at.off, 0), len(c.u.Text))
}

func (c *compiler) place(n syntax.Node, k NodeKind) place {
	p := c.span(k, c.off(n.Pos()), c.off(n.End()))
	p.line = c.line(n)
	return p
}

func (c *compiler) span(k NodeKind, start, end int) place {
	return place{unit: c.u, addr: address{Kind: k, Start: uint32(start), End: uint32(end)}, line: c.u.Line}
}

// index makes a node findable by its address.
func (c *compiler) index(n node) { c.shelf.addressed = append(c.shelf.addressed, addressed{node: n}) }

func (c *compiler) list(stmts []*syntax.Stmt, start, end int) *list {
	l := c.newList(stmts, start, end)
	for i, s := range stmts {
		l.stmts[i] = c.stmt(s)
	}
	return l
}

// newList is a list whose statements are still to be compiled.
func (c *compiler) newList(stmts []*syntax.Stmt, start, end int) *list {
	l := c.shelf.lists.One()
	l.place = c.span(NList, start, end)
	if len(stmts) > 0 {
		l.line = c.line(stmts[0])
	}
	c.index(l)
	l.stmts = c.shelf.stmtRefs.Some(len(stmts))
	return l
}

// body compiles a list whose extent is that of its statements.
func (c *compiler) body(stmts []*syntax.Stmt) *list {
	if len(stmts) == 0 {
		return c.list(nil, 0, 0)
	}
	return c.list(stmts, c.off(stmts[0].Pos()), c.off(stmts[len(stmts)-1].End()))
}

func (c *compiler) stmt(s *syntax.Stmt) *stmt {
	if s.Coprocess || s.Disown {
		c.fail(s, "syntax error near unexpected token `|'")
	}
	st := c.shelf.stmts.One()
	st.place, st.negated, st.background = c.place(s, NStmt), s.Negated, s.Background
	st.newline = !s.Semicolon.IsValid()
	if !st.newline { // the text of a job does not show its &
		st.addr.End = uint32(c.off(s.Semicolon))
	}
	line := st.line
	if s.Cmd != nil {
		line = c.commandLine(s)
	}
	saved := c.surroundings
	c.base, c.owner = line, st
	st.outer = c.outer
	if sub, ok := s.Cmd.(*syntax.Subshell); ok {
		st.outer = c.last(sub)
	}
	if len(s.Redirs) > 0 {
		if c.redirected = true; compound(s.Cmd) {
			c.base = st.outer
		}
		st.redirs = c.shelf.directed.Some(len(s.Redirs))[:0]
	}
	for _, r := range s.Redirs {
		d := c.redir(r)
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && r.N == nil {
			d.name = c.elementName(call, r)
		}
		st.redirs = append(st.redirs, d)
	}
	c.base, c.redirected = line, false
	c.index(st)
	if s.Cmd != nil {
		st.cmd = c.command(s.Cmd)
	}
	c.settle(st, line)
	c.surroundings = saved
	if st.background {
		c.alone(st)
	}
	return st
}

// settle gives a statement's redirections and its line to the command that
// keeps them itself. One of redirections alone is a command without words.
func (c *compiler) settle(st *stmt, line int) {
	switch x := st.cmd.(type) {
	case nil:
		x0 := &simple{place: c.span(NSimple, int(st.addr.Start), int(st.addr.End)), redirs: st.redirs}
		x0.line = st.line
		c.index(x0)
		st.cmd, st.redirs = x0, nil
	case *simple:
		x.line = line
		x.redirs, st.redirs = st.redirs, nil
		if len(x.redirs) > 0 {
			x.plain, x.bare, x.temp = false, false, false
		}
		if x.keyword != nil {
			x.keyword.line, x.keyword.redirs = line, x.redirs
		}
	case *decl:
		x.line = line
		x.redirs, st.redirs = st.redirs, nil
		if len(x.redirs) > 0 {
			x.set = nil
		}
	}
}

// alone gives the list of one statement that a process of its own runs: a
// pipeline's stage, a job, a coprocess. A job's statement is not one again.
func (c *compiler) alone(st *stmt) *stmt {
	only := st
	if st.background {
		only = c.shelf.stmts.One()
		*only = *st
		only.background = false
		c.index(only)
	}
	l := c.shelf.lists.One()
	l.place, l.stmts, l.stage = c.span(NList, int(st.addr.Start), int(st.addr.End)), c.shelf.stmtRefs.Some(1), true
	l.stmts[0], l.line = only, st.line
	st.alone = l
	c.index(st.alone)
	return st
}

func (c *compiler) command(cmd syntax.Command) node {
	var n node
	switch x := cmd.(type) {
	case *syntax.CallExpr:
		n = c.simple(x)
	case *syntax.IfClause:
		return c.ifClause(x)
	case *syntax.WhileClause:
		w := &whileClause{place: c.place(x, NWhile), until: x.Until}
		w.cond, w.do = c.body(x.Cond), c.body(x.Do)
		n = w
	case *syntax.ForClause:
		n = c.forClause(x)
	case *syntax.CaseClause:
		n = c.caseClause(x)
	case *syntax.Block:
		n = &block{place: c.place(x, NBlock), body: c.body(x.Stmts)}
	case *syntax.Subshell:
		c.outer = c.last(x)
		n = &subshell{place: c.place(x, NSub), last: c.outer, body: c.body(x.Stmts)}
	case *syntax.BinaryCmd:
		if x.Op == syntax.AndStmt || x.Op == syntax.OrStmt {
			n = c.andOr(x)
		} else {
			n = c.pipeline(x)
		}
	case *syntax.FuncDecl:
		if x.Name == nil {
			c.fail(x, "syntax error near unexpected token `)'")
		}
		c.outer = c.line(x)
		n = &funcDecl{place: c.place(x, NFunc), name: expand.Joined(c.text(x.Name)), body: c.stmt(x.Body)}
	case *syntax.ArithmCmd:
		e := expand.CompileArith(&c.src, c.off(x.Left)+2, c.off(x.Right), x)
		a := &arithCmd{place: c.place(x, NArith), expr: e, memo: e.NeedsMemo()}
		a.line = c.last(x)
		n = a
		c.substs(x)
	case *syntax.TestClause:
		n = c.test(x)
	case *syntax.DeclClause:
		n = c.decl(x)
	case *syntax.TimeClause:
		t := &timeClause{place: c.place(x, NTime), posix: x.PosixFormat}
		if x.Stmt != nil {
			t.body = c.stmt(x.Stmt)
		}
		n = t
	case *syntax.CoprocClause:
		p := &coproc{place: c.place(x, NCoproc), name: "COPROC"}
		if x.Name != nil {
			p.name = expand.Joined(c.text(x.Name))
		}
		p.body = c.alone(c.stmt(x.Stmt))
		n = p
	default:
		c.fail(cmd, "eryxsh: %T: not yet", cmd)
	}
	c.index(n)
	return n
}

func (c *compiler) ifClause(x *syntax.IfClause) node {
	first := c.ifAt(x)
	for at := first; ; {
		c.index(at)
		at.cond, at.then = c.body(x.Cond), c.body(x.Then)
		switch {
		case x.Else == nil:
			return first
		case len(x.Else.Cond) == 0:
			at.els = c.body(x.Else.Then)
			return first
		}
		x = x.Else
		next := c.ifAt(x)
		at.els, at = next, next
	}
}

func (c *compiler) ifAt(x *syntax.IfClause) *ifClause {
	n := c.shelf.ifs.One()
	n.place = c.place(x, NIf)
	return n
}

func (c *compiler) forClause(x *syntax.ForClause) node {
	if l, ok := x.Loop.(*syntax.CStyleLoop); ok {
		f := &cFor{place: c.place(x, NCFor)}
		f.init, f.cond, f.post = c.arith(l.Init), c.arith(l.Cond), c.arith(l.Post)
		c.cfor = c.line(x)
		f.do = c.body(x.Do)
		f.line = c.cfor // bash notes the line of the last one it has begun to read
		return f
	}
	l := x.Loop.(*syntax.WordIter)
	f := &forClause{place: c.place(x, NFor), name: expand.Joined(c.text(l.Name)), in: l.InPos.IsValid(), menu: x.Select, outer: c.outer}
	f.words, f.memo = c.words(l.Items)
	c.outer = f.line
	f.do = c.body(x.Do)
	return f
}

// arith is a part of for ((…;…;…)), with the blanks behind it.
func (c *compiler) arith(x syntax.ArithmExpr) *expand.Arith {
	if x == nil {
		return nil
	}
	c.substs(x)
	to := c.off(x.End())
	rest := c.u.Text[to:]
	return expand.CompileArith(&c.src, c.off(x.Pos()), to+len(rest)-len(strings.TrimLeft(rest, " \t\n")), x)
}

func (c *compiler) caseClause(x *syntax.CaseClause) node {
	k := &caseClause{place: c.place(x, NCase), word: c.word(x.Word)}
	k.memo, k.line = k.word.NeedsMemo(), c.last(x.Word)
	c.outer = k.line
	k.arms = make([]arm, len(x.Items))
	for i, it := range x.Items {
		a := &k.arms[i]
		a.op = it.Op
		var memo bool
		a.patterns, memo = c.words(it.Patterns)
		k.memo = k.memo || memo
		for _, w := range a.patterns {
			w.AsPattern()
		}
		a.body = c.body(it.Stmts)
	}
	return k
}

// chain flattens a left-nested chain of binary commands with a loop.
func chain(x *syntax.BinaryCmd, same func(syntax.BinCmdOperator) bool) (stmts []*syntax.Stmt, ops []syntax.BinCmdOperator) {
	stmts, ops = make([]*syntax.Stmt, 0, 4), make([]syntax.BinCmdOperator, 0, 3)
	for {
		stmts, ops = append(stmts, x.Y), append(ops, x.Op)
		l, ok := x.X.Cmd.(*syntax.BinaryCmd)
		if !ok || !same(l.Op) || len(x.X.Redirs) > 0 || x.X.Negated || x.X.Background {
			stmts = append(stmts, x.X)
			break
		}
		x = l
	}
	for i, j := 0, len(stmts)-1; i < j; i, j = i+1, j-1 {
		stmts[i], stmts[j] = stmts[j], stmts[i]
	}
	for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
		ops[i], ops[j] = ops[j], ops[i]
	}
	return stmts, ops
}

func (c *compiler) andOr(x *syntax.BinaryCmd) node {
	stmts, ops := chain(x, func(o syntax.BinCmdOperator) bool { return o == syntax.AndStmt || o == syntax.OrStmt })
	n := &andOr{place: c.place(x, NAndOr), stmts: c.shelf.stmtRefs.Some(len(stmts)), and: make([]bool, 0, len(ops))}
	for i, s := range stmts {
		n.stmts[i] = c.stmt(s)
	}
	for _, o := range ops {
		n.and = append(n.and, o == syntax.AndStmt)
	}
	return n
}

func (c *compiler) pipeline(x *syntax.BinaryCmd) node {
	stmts, ops := chain(x, func(o syntax.BinCmdOperator) bool { return o == syntax.Pipe || o == syntax.PipeAll })
	n := &pipeline{place: c.place(x, NPipe), stages: c.shelf.stmtRefs.Some(len(stmts)), errs: make([]bool, 0, len(ops))}
	for i, s := range stmts {
		n.stages[i] = c.alone(c.stmt(s))
	}
	for i, o := range ops {
		n.errs = append(n.errs, o == syntax.PipeAll)
		if o == syntax.PipeAll {
			n.stages[i].joinErrors()
		}
	}
	return n
}

// joinErrors is |&, which is 2>&1 behind the redirections of the command.
func (st *stmt) joinErrors() {
	r := &redir{op: syntax.DplOut, fd: 2, word: expand.CompileText(nil, "1"), implied: true}
	switch x := st.cmd.(type) {
	case *simple:
		x.redirs, x.plain, x.bare, x.temp = append(x.redirs, r), false, false, false
	case *decl:
		x.redirs, x.set = append(x.redirs, r), nil
	default:
		st.redirs = append(st.redirs, r)
	}
}

func (c *compiler) simple(x *syntax.CallExpr) node {
	s := c.shelf.simples.One()
	s.place = c.place(x, NSimple)
	misnamed(x)
	s.words, s.memo = c.words(x.Args)
	s.assigns, s.arrays = c.assigns(x.Assigns)
	s.fix()
	s.keyword = c.keyword(x)
	return s
}

// misnamed makes words of assignments from one on that has no name: the parser
// takes 1=[x for one.
func misnamed(x *syntax.CallExpr) {
	for i, a := range x.Assigns {
		if a.Value == nil || len(a.Value.Parts) == 0 || validName(a.Name.Value) || strings.IndexByte(a.Name.Value, '[') >= 0 {
			continue
		}
		words := make([]*syntax.Word, 0, len(x.Assigns)-i+len(x.Args))
		for _, a := range x.Assigns[i:] {
			name := *a.Name
			name.Value += map[bool]string{false: "=", true: "+="}[a.Append]
			w := &syntax.Word{Parts: []syntax.WordPart{&name}}
			if a.Value != nil {
				name.ValueEnd = a.Value.Pos()
				w.Parts = append(w.Parts, a.Value.Parts...)
			}
			words = append(words, w)
		}
		x.Assigns, x.Args = x.Assigns[:i], append(words, x.Args...)
		return
	}
}

// fix says which of the faster ways a command without redirections can go.
func (s *simple) fix() {
	s.plain = !s.memo && len(s.assigns) == 0
	s.bare = len(s.words) == 0 && !s.arrays
	if len(s.words) > 0 {
		if name, ok := s.words[0].Literal(); ok {
			s.builtin = builtins[name]
		}
		s.operands()
	}
	s.temp = s.builtin != nil && len(s.assigns) > 0 && !s.memo && !s.arrays
	for _, a := range s.assigns {
		s.temp = s.temp && !a.list && a.sub == nil
	}
}

// operands marks those of a declaration that is written as a command, with
// command before it also, which is seen through in POSIX mode.
func (s *simple) operands() {
	kind, i := expand.DeclaredOperand, 0
	for ; i < len(s.words) && s.words[i].Text() == "command"; i++ {
		kind = expand.PosixOperand
	}
	if i >= len(s.words)-1 {
		return
	}
	if name := s.words[i].Text(); name != "alias" && !declares(name) {
		return
	}
	for _, w := range s.words[i+1:] {
		if isAssignment(w.Text()) {
			w.Operand = kind
		}
	}
}

// assigns compiles assignments; memo says that one holds a substitution.
func (c *compiler) assigns(from []*syntax.Assign) (out []*assign, memo bool) {
	if len(from) == 0 {
		return nil, false
	}
	out = c.shelf.assigned.Some(len(from))
	for i, a := range from {
		out[i] = c.assign(a)
		memo = memo || out[i].needsMemo()
	}
	return out, memo
}

func (a *assign) needsMemo() bool {
	need := func(w *expand.Word) bool { return w != nil && w.NeedsMemo() }
	if need(a.value) || need(a.word) || (a.sub != nil && a.sub.Word.NeedsMemo()) {
		return true
	}
	for _, e := range a.array {
		if need(e.value) || (e.sub != nil && e.sub.Word.NeedsMemo()) {
			return true
		}
	}
	return false
}

func (c *compiler) words(ws []*syntax.Word) (out []*expand.Word, memo bool) {
	if len(ws) == 0 {
		return nil, false
	}
	out = c.shelf.wordRefs.Some(len(ws))
	all := c.shelf.Words(len(ws))
	for i, w := range ws {
		c.substs(w)
		out[i] = &all[i]
		c.extended(w)
		expand.CompileInto(out[i], &c.src, w)
		c.closed(w, out[i])
		memo = memo || out[i].NeedsMemo()
	}
	return out, memo
}

func (c *compiler) word(w *syntax.Word) *expand.Word {
	if w == nil {
		return nil
	}
	c.substs(w)
	c.extended(w)
	e := expand.CompileWord(&c.src, w)
	c.closed(w, e)
	return e
}

// closed refuses a word whose quotes the parser took for closed and bash does not.
func (c *compiler) closed(w *syntax.Word, e *expand.Word) {
	if e.Unclosed() {
		c.fail(w, "unexpected EOF while looking for matching `''")
	}
}

// extended notes where the unit first has an extended pattern.
func (c *compiler) extended(w *syntax.Word) {
	for _, p := range w.Parts {
		if x, ok := p.(*syntax.ExtGlob); ok {
			if at := c.off(x.Pos()) + 2; c.u.ext == 0 || at < c.u.ext {
				c.u.ext = at
			}
		}
	}
}

// substs compiles the bodies of the substitutions below n. A body's own
// substitutions are found when it is compiled, so the walk stops at each.
func (c *compiler) substs(n syntax.Node) {
	from, to := min(c.off(n.Pos()), len(c.u.Text)), min(c.off(n.End()), len(c.u.Text))
	if !mayRun(c.u.Text[from:max(from, to)]) {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		var body []*syntax.Stmt
		switch x := n.(type) {
		case *syntax.CmdSubst:
			body = x.Stmts
		case *syntax.ProcSubst:
			body = x.Stmts
		default:
			return true
		}
		if c.u.subst == nil {
			c.u.subst = map[syntax.Node]*list{}
		}
		if c.u.subst[n] == nil {
			c.substitution(n, body)
		}
		return false
	})
}

// mayRun reports whether a text may hold a substitution. What $(( begins is none.
func mayRun(text string) bool {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '(')
		if i < 0 {
			return strings.IndexByte(text, '`') >= 0
		}
		if at += i; at == 0 || text[at-1] != '$' || at+1 == len(text) || text[at+1] != '(' {
			return true
		}
		at += 2
	}
}

func (c *compiler) assign(a *syntax.Assign) *assign {
	as := c.shelf.assigns.One()
	if name := a.Name; name != nil && !a.Naked && a.Array == nil && a.Index == nil && name.Value[0] == '_' && c.u.Text[c.off(name.Pos())] != '_' {
		if !strings.Contains(c.text(name), "[") { // what is no name was hidden from the parser: to a declaration a word
			as.word = c.joined(name.Pos(), a.End(), a.Value)
			return as
		}
	}
	as.add, as.naked = a.Append, a.Naked
	if a.Name != nil {
		if as.name = a.Name.Value; as.name[0] == '_' { // let or nameref
			as.name = expand.Joined(c.text(a.Name))
		}
		if name, sub, ok := strings.Cut(c.text(a.Name), "["); ok { // a subscript hidden from the parser
			as.name, as.empty = name, sub == "]"
			as.sub = expand.CompileSub(&c.src, c.off(a.Name.Pos())+len(name)+1, c.off(a.Name.End())-1)
		}
	}
	if a.Index != nil {
		as.sub = c.sub(a.Index)
	}
	switch {
	case a.Array != nil:
		as.list = true
		as.array, as.words = make([]element, len(a.Array.Elems)), make([]*expand.Word, len(a.Array.Elems))
		for i, e := range a.Array.Elems {
			as.array[i] = c.element(e)
			if first := as.array[0]; e.Index != nil && first.sub == nil && !first.empty {
				as.array[i].whole = c.whole(e)
			}
			as.words[i] = as.array[i].value
		}
	case a.Name == nil:
		as.word = c.word(a.Value)
	case a.Value != nil:
		c.substs(a.Value)
		as.value = c.value(a.Value)
		at := c.off(a.Value.Pos())
		as.nested = a.Index != nil && at < len(c.u.Text) && c.u.Text[at] == '('
	}
	return as
}

// unbrace makes of an operand with braces in its value the assignments that
// they make of it: declare x={1,2} is declare x=1 x=2.
func (d *decl) unbrace() {
	d.written = d.args
	for i := 0; i < len(d.args); i++ {
		words := d.args[i].value.Braced()
		if len(words) == 0 || d.args[i].list {
			continue
		}
		one := d.args[i]
		d.args = slices.Delete(slices.Clone(d.args), i, i+1)
		for k, w := range words {
			w.Assign = true
			made := *one
			made.value = w
			d.args = slices.Insert(d.args, i+k, &made)
		}
		i += len(words) - 1
	}
}

func (c *compiler) element(e *syntax.ArrayElem) element {
	el := element{}
	if e.Index != nil {
		c.substs(e.Index)
		end := c.off(e.Index.End())
		if el.add = end < len(c.u.Text) && c.u.Text[end] == '+'; el.add { // the + was masked
			end--
		}
		el.add = el.add || strings.HasPrefix(c.u.Text[min(end, len(c.u.Text)):], "]+=")
		el.sub = expand.CompileSub(&c.src, c.off(e.Index.Pos()), end, e.Index)
		if e.Value != nil {
			c.substs(e.Value)
			el.value = c.value(e.Value)
		}
		if len(el.value.Braced()) > 0 {
			el.braced = c.whole(e)
		}
		return el
	}
	el.value = c.word(e.Value)
	if len(el.value.Braced()) > 0 {
		return el
	}
	text := c.text(e.Value)
	el.empty = strings.HasPrefix(text, "[]=") || strings.HasPrefix(text, "[]+=")
	return el
}

// whole is a [subscript]=value of a list as a word.
func (c *compiler) whole(e *syntax.ArrayElem) *expand.Word {
	at := e.Index.Pos()
	return c.joined(syntax.NewPos(at.Offset()-1, at.Line(), at.Col()), e.End(), e.Value)
}

// joined is the text from from to the value, or to end if there is none, and the value as one word.
func (c *compiler) joined(from, end syntax.Pos, value *syntax.Word) *expand.Word {
	lit := &syntax.Lit{ValuePos: from, ValueEnd: end}
	if value == nil {
		return c.word(&syntax.Word{Parts: []syntax.WordPart{lit}})
	}
	lit.ValueEnd = value.Pos()
	return c.word(&syntax.Word{Parts: append([]syntax.WordPart{lit}, value.Parts...)})
}

func (c *compiler) sub(x syntax.ArithmExpr) *expand.Sub {
	c.substs(x)
	return expand.CompileSub(&c.src, c.off(x.Pos()), c.off(x.End()), x)
}

// value compiles the right side of an assignment.
func (c *compiler) value(w *syntax.Word) *expand.Word {
	e := c.word(w)
	e.Assign = true
	return e
}

func (c *compiler) decl(x *syntax.DeclClause) node {
	d := c.shelf.decls.One()
	d.place, d.name = c.place(x, NDecl), x.Variant.Value
	d.args, d.memo = c.assigns(x.Args)
	d.finish()
	return d
}

// finish is called when all operands of a declaration are known.
func (d *decl) finish() {
	d.unbrace()
	for i := range d.args {
		d.args[i].decl = true
	}
	d.fix()
}

// fix reads the options of a declaration whose operands are all names,
// assignments and lists, so that it need not be done each time.
func (d *decl) fix() {
	var words []string
	for d.first < len(d.args) && d.args[d.first].word != nil {
		text, ok := d.args[d.first].word.Literal()
		if !ok {
			return
		}
		words = append(words, text)
		d.first++
	}
	o := options{name: d.name, args: words}
	set := readDeclaration(&o)
	if o.bad || d.memo || d.first == len(d.args) || len(set.operands) > 0 || set.print || set.funcs || set.set&set.unset != 0 {
		return
	}
	for _, a := range d.args[d.first:] {
		if a.word != nil || a.naked && (a.sub != nil || !validName(a.name)) {
			return
		}
	}
	d.set = &set
}

// text is a node's source.
func (c *compiler) text(n syntax.Node) string {
	from, to := c.off(n.Pos()), min(c.off(n.End()), len(c.u.Text))
	return expand.Decode(c.u.Text[min(from, to):to])
}
