package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

func (m *Machine) stepIf(p *Process, f *Frame) {
	n := f.node.(*ifClause)
	if f.PC == 1 { // as older versions left it while a branch ran
		m.pop(p)
		return
	}
	if p.Status == 0 {
		m.pop(p)
		p.pushList(n.then)
		return
	}
	switch e := n.els.(type) {
	case nil:
		p.Status = 0
		m.pop(p)
	case *ifClause:
		f.node = e
		p.pushList(e.cond)
	case *list:
		m.pop(p)
		p.pushList(e)
	}
}

// A while frame keeps the status of its last body in N.
func (m *Machine) stepWhile(p *Process, f *Frame) {
	n := f.node.(*whileClause)
	if f.PC == 0 {
		if (p.Status == 0) == n.until {
			p.Status = f.N
			m.pop(p)
			return
		}
		f.PC = 1
		p.pushList(n.do)
		return
	}
	f.N = p.Status
	f.PC = 0
	p.pushList(n.cond)
}

// stepFor expands the items (PC -1), then runs the body for each.
func (m *Machine) stepFor(p *Process, f *Frame) {
	n := f.node.(*forClause)
	if f.PC < 0 {
		if !validName(n.name) {
			p.Line = n.outer
			m.complain(p, "`%s': not a valid identifier", n.name)
			m.pop(p)
			if o := &p.Shell.Opts; o.on(OptPosix) && !o.on(optInteractive) {
				m.unwindExit(p, 2)
				return
			}
			p.Status = 1 // neither set -e nor ERR looks at it
			m.setPipe(p, 1)
			return
		}
		p.Line = n.line
		if !m.items(p, f, n) {
			return
		}
		f = p.top()
		f.PC = 0
		p.Status = 0
	}
	if f.I >= max(len(f.Words), f.N) {
		m.pop(p)
		return
	}
	p.Line = n.line
	if p.Shell.Traps != nil && m.debugTrap(p, n, nil) {
		return
	}
	item := ""
	if f.N > 0 {
		item = n.words[0].Nth(f.I)
	} else {
		item = f.Words[f.I]
	}
	f.I++
	if p.Shell.Opts.on(OptXtrace) {
		m.traceFor(p, n)
	}
	if v := p.Shell.Vars.Get(n.name); v.Is(vars.Nameref) && !v.Is(vars.ReadOnly) { // each turn refers to another variable
		if base, _ := splitRef(item); !validName(base) {
			m.loopFailed(p, &expand.Error{Kind: expand.BadAssign, Text: "`" + item + "': not a valid identifier"})
			return
		}
		p.Shell.Vars.Own(n.name).SetString(item)
	} else if err := m.assign(p, n.name, nil, item, false); err != nil {
		m.loopFailed(p, err)
		return
	}
	p.pushList(n.do)
}

// loopFailed ends a for or select whose variable cannot be assigned: status 1, and the script goes on.
func (m *Machine) loopFailed(p *Process, err error) {
	if e, ok := err.(*expand.Error); ok && e.Deep {
		m.pop(p)
		m.expandFailed(p, err)
		return
	}
	m.complain(p, "%s", err)
	m.pop(p)
	p.Status = 1 // ERR does not look at it
	m.setPipe(p, 1)
	if o := &p.Shell.Opts; o.on(OptErrexit) || o.on(OptPosix) && !o.on(optInteractive) {
		m.unwindExit(p, m.fatalStatus(p))
	}
}

// cforFailed ends a (( ; ; )) loop: the status is 1, which set -e and ERR do not look at.
func (m *Machine) cforFailed(p *Process, err error) {
	if e, ok := err.(*expand.Error); ok && (e.Deep || e.Kind != expand.BadArith) {
		m.expandFailed(p, err)
		return
	}
	m.complain(p, "((: %s", err)
	p.Status = 1
	m.setPipe(p, 1)
}

// items expands the words of for and select into the frame.
func (m *Machine) items(p *Process, f *Frame, n *forClause) bool {
	traced := n.menu && p.Shell.Opts.on(OptXtrace) // before the words are expanded; for does it at each turn
	if !n.in {
		if traced {
			m.traceFor(p, n)
		}
		f.Words = m.list(p, p.Shell.Params)
		return true
	}
	if len(n.words) == 1 && !n.menu && p.Shell.Opts.on(OptBraceexpand) {
		if count, ok := n.words[0].Count(); ok { // a long {1..9} is not written out
			f.N = count
			return true
		}
	}
	var words []string
	done, err := m.evaluate(p, f, n.memo, func(e expand.Env) (err error) {
		if traced {
			expand.Once(e, func() { m.traceFor(p, n) })
		}
		words, err = expand.Fields(e, nil, n.words)
		return err
	})
	if !done {
		return false
	}
	if err != nil {
		m.pop(p)
		m.expandFailed(p, err)
		return false
	}
	p.top().Words = words
	return true
}

// Positions of a (( ; ; )) frame.
const (
	cforInit = iota
	cforCond
	cforPost
)

func (m *Machine) stepCFor(p *Process, f *Frame) {
	n := f.node.(*cFor)
	p.Line = n.line
	eval := func(a *expand.Arith) (int64, bool) {
		if p.Shell.Traps != nil && !p.inTrap() {
			p.Shell.Command = "((" + arithText(a) + "))"
		}
		if p.Shell.Traps != nil && m.debugTrap(p, n, nil) {
			return 0, false
		}
		if a == nil {
			if p.Shell.Opts.on(OptXtrace) {
				m.trace(p, "(( 1 ))")
			}
			return 1, true
		}
		var v int64
		done, err := m.evaluate(p, f, a.NeedsMemo(), func(e expand.Env) (err error) { v, err = m.evalArith(p, e, a); return err })
		if done && err != nil {
			m.pop(p)
			m.cforFailed(p, err)
			return 0, false
		}
		return v, done
	}
	if f.PC == cforInit {
		if _, ok := eval(n.init); !ok {
			return
		}
		f = p.top()
		f.PC = cforCond
		if n.init != nil && n.init.NeedsMemo() {
			return
		}
	}
	if f.PC == cforPost {
		f.N = p.Status
		if _, ok := eval(n.post); !ok {
			return
		}
		f = p.top()
		f.PC = cforCond
	}
	v, ok := eval(n.cond)
	if !ok {
		return
	}
	f = p.top()
	if v == 0 {
		p.Status = f.N
		m.pop(p)
		return
	}
	f.PC = cforPost
	p.pushList(n.do)
}

// stepCase: PC -1 the subject is expanded; then arm I, pattern PC.
func (m *Machine) stepCase(p *Process, f *Frame) {
	n := f.node.(*caseClause)
	if f.N == 1 { // an arm has run
		switch n.arms[f.I].op {
		case syntax.Fallthrough:
			if f.I+1 < len(n.arms) {
				f.I++
				p.pushList(n.arms[f.I].body)
				return
			}
		case syntax.Resume:
			f.I, f.PC, f.N = f.I+1, 0, 0
			m.matchArms(p, f, n, false)
			return
		}
		m.pop(p)
		return
	}
	if f.PC < 0 {
		p.Line = n.line
		if at := len(p.Frames) - 1; p.Shell.Traps != nil && f.X == nil && m.debugTrap(p, n, nil) {
			p.Frames[at].x() // f is gone if the frames had to grow
			return
		}
		var s string
		done, err := m.expandOne(p, f, n.word, func(e expand.Env) (err error) {
			if p.Shell.Opts.on(OptXtrace) {
				expand.Once(e, func() { m.trace(p, "case "+n.word.Text()+" in") })
			}
			s, err = expand.String(e, n.word)
			return err
		})
		if !done {
			return
		}
		if err != nil {
			m.pop(p)
			m.expandFailed(p, err)
			return
		}
		f = p.top()
		f.x().Text, f.PC = s, 0
	}
	m.matchArms(p, f, n, true)
}

// caseNow finds the arm of a case that holds no substitution. Nothing comes
// after an arm that ends in ;; and so it needs no frame.
func (m *Machine) caseNow(p *Process, n *caseClause) {
	p.Line = n.line
	e := m.env(p)
	s, err := expand.String(e, n.word)
	if m.needsMemo(err) {
		p.push(Frame{Kind: FCase, node: n, PC: -1})
		return
	}
	if err != nil {
		m.expandFailed(p, err)
		return
	}
	for i := range n.arms {
		a := &n.arms[i]
		for j, w := range a.patterns {
			ok, err := expand.Matches(e, w, s, e.Flags()&^expand.NoCaseGlob)
			if m.needsMemo(err) {
				p.push(Frame{Kind: FCase, node: n, I: i, PC: j, X: &Extra{Text: s}})
				return
			}
			if err != nil {
				m.expandFailed(p, err)
				return
			}
			if !ok {
				continue
			}
			if len(a.body.stmts) == 0 && a.op == syntax.Break {
				p.Status = 0
			}
			if a.op != syntax.Break {
				p.push(Frame{Kind: FCase, node: n, I: i, PC: j, N: 1, X: &Extra{Text: s}})
			}
			if len(a.body.stmts) > 0 {
				p.pushList(a.body)
			}
			return
		}
	}
	p.Status = 0
}

// expandOne expands with a memo only where the word needs one.
func (m *Machine) expandOne(p *Process, f *Frame, w *expand.Word, fn func(expand.Env) error) (bool, error) {
	return m.evaluate(p, f, w != nil && w.NeedsMemo(), fn)
}

func (m *Machine) matchArms(p *Process, f *Frame, n *caseClause, fresh bool) {
	for ; f.I < len(n.arms); f.I, f.PC = f.I+1, 0 {
		a := &n.arms[f.I]
		for ; f.PC < len(a.patterns); f.PC++ {
			w := a.patterns[f.PC]
			var ok bool
			done, err := m.expandOne(p, f, w, func(e expand.Env) (err error) {
				ok, err = expand.Matches(e, w, p.top().X.Text, e.Flags()&^expand.NoCaseGlob)
				return err
			})
			if !done {
				return
			}
			if err != nil {
				m.pop(p)
				m.expandFailed(p, err)
				return
			}
			f = p.top()
			if ok {
				f.N = 1
				if len(a.body.stmts) == 0 && a.op == syntax.Break {
					p.Status = 0
				}
				p.pushList(a.body)
				return
			}
		}
	}
	if fresh {
		p.Status = 0
	}
	m.pop(p)
}

func (m *Machine) stepAndOr(p *Process, f *Frame) {
	n := f.node.(*andOr)
	for f.I < len(n.stmts) {
		i := f.I
		f.I++
		if (p.Status == 0) == n.and[i-1] {
			depth := len(p.Frames)
			m.start(p, n.stmts[i])
			if len(p.Frames) == depth && p.top().Kind == FAndOr && p.top().I == len(n.stmts) && p.Wait.Kind == Runs {
				m.pop(p)
				m.turn(p)
			}
			return
		}
	}
	m.pop(p)
	m.turn(p)
}

// define makes a function.
func (m *Machine) define(p *Process, n *funcDecl) {
	p.Line = n.line
	if strings.ContainsAny(n.name, "$`'\"\\") {
		m.complain(p, "`%s': not a valid identifier", n.name)
		p.Status = 1
		m.failed(p)
		return
	}
	if p.Shell.Opts.on(OptPosix) && !validName(n.name) {
		m.complain(p, "`%s': not a valid identifier", n.name)
		m.unwindExit(p, 2)
		return
	}
	if p.Shell.Opts.on(OptPosix) && p.special(n.name) {
		m.complain(p, "`%s': is a special builtin", n.name)
		m.unwindExit(p, 2)
		return
	}
	if old, ok := p.Shell.Funcs.Get(n.name); ok && old.Name == "" {
		m.complain(p, "%s: readonly function", n.name)
		p.Status = 1
		return
	}
	if fn, ok := p.Shell.Funcs.Get(n.name); ok && fn.Readonly {
		m.complain(p, "%s: readonly function", n.name)
		p.Status = 1
		return
	}
	m.retain(functionCost)
	file := m.sourceName(p)
	if file == "" && p.Shell.Opts.on(optStdin) {
		file = "main"
	}
	p.Shell.Funcs.Set(m.epoch, n.name, &Function{Name: n.name, Unit: n.unit, Body: n.body, decl: n, Line: n.line, File: file})
	p.Status = 0
}

// callFunction pushes a function's frame. temp are the bindings of the command's assignments.
func (m *Machine) callFunction(p *Process, fn *Function, argv []string, temp []Saved) {
	m.deepens(p)
	if max := p.Shell.Vars.Get("FUNCNEST"); max.IsSet() {
		if n, ok := max.Int(); ok && n > 0 && int64(m.funcDepth(p)) >= n {
			m.complain(p, "%s: maximum function nesting level exceeded (%d)", fn.Name, n)
			p.Status = 1
			return
		}
	}
	p.Depth++
	x := m.extra()
	x.Params, x.Set, x.Name, x.Line, x.Text = p.Shell.Params, true, fn.Name, p.Line, fn.File
	x.Vars = append(x.Vars, temp...)
	p.push(Frame{Kind: FFunc, node: fn.Body, Words: argv[len(argv)-1:], X: x})
	m.retainAll(argv)
	p.Shell.Params = argv[1:]
	if p.Shell.Opts.on(OptExtdebug) {
		p.Shell.args().push(argv[1:])
		x.undo().Args = argsPushed
	} else if p.Shell.Opts.compat() <= 44 {
		p.Shell.beginWith(nil)
	}
	if p.Shell.Traps == nil {
		m.start(p, fn.Body)
		return
	}
	m.hideTraps(p, x, fn)
	_, group := fn.Body.cmd.(*block)
	if p.trap(sigDEBUG) == nil || !group {
		m.start(p, fn.Body)
		return
	}
	p.Line = fn.Line
	m.start(p, fn.Body)
	m.runTrap(p, sigDEBUG)
}

// stepFunc: the body has ended.
func (m *Machine) stepFunc(p *Process, f *Frame) {
	switch {
	case f.PC == ghost:
		m.noteCalls(p, leftInside)
		m.pop(p)
		return
	case f.PC == 0 && p.trap(sigRETURN) != nil:
		f.PC, f.N = 1, p.Status
		if f.I == 1 {
			p.Status = f.X.Saved // the action sees the status before return
		}
		m.runTrap(p, sigRETURN)
		return
	case f.PC == 1:
		p.Status = f.N
	}
	p.Line = f.X.Line
	if len(f.Words) > 0 {
		p.Shell.Last = f.Words[0] // inside the function $_ is what it was before the call
	}
	m.pop(p)
	m.done(p, p.Status)
}

// enclosing gives the index of the innermost function frame, or -1.
func (p *Process) enclosing() int {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if p.Frames[i].Kind == FFunc {
			return i
		}
	}
	return -1
}

func (m *Machine) funcDepth(p *Process) int {
	n := 0
	for i := range p.Frames {
		if p.Frames[i].Kind == FFunc {
			n++
		}
	}
	return n
}

// loops tells the frames break and continue count.
func (f *Frame) loops() bool {
	return f.Kind == FWhile || f.Kind == FFor || f.Kind == FCFor || f.Kind == FSelect
}

// inLoop reports whether break and continue mean something here.
func (p *Process) inLoop() bool {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; {
		case f.Kind == FBottom:
			return p.Loop
		case f.Kind == FFunc && f.PC != ghost && p.Shell.Opts.compat() > 43:
			return false
		case f.loops():
			return true
		}
	}
	return false
}

// breakLoop ends n loops, or the bodies of n-1 and goes on with the n-th. It
// gives false outside a loop.
func (m *Machine) breakLoop(p *Process, n int, goOn bool) bool {
	count, last := 0, -1
	for i := len(p.Frames) - 1; i >= 0 && count < n; i-- {
		f := &p.Frames[i]
		if f.Kind == FFunc && f.PC != ghost && p.Shell.Opts.compat() > 43 || f.Kind == FBottom {
			break
		}
		if f.loops() {
			count++
			last = i
		}
	}
	if last < 0 {
		return false
	}
	status := 0
	for len(p.Frames) > last+1 {
		if p.top().Kind == FNot { // ! break ends the loop with 1
			status = 1 - status
		}
		m.pop(p)
	}
	f := p.top()
	p.Status = status
	if !goOn {
		m.pop(p)
		return true
	}
	if f.Kind == FWhile {
		f.PC = 1 // as if the body had ended: the condition is next
	}
	return true
}

// returnFrom ends the innermost function or sourced file. It gives false outside of both.
func (m *Machine) returnFrom(p *Process, status int) bool {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := &p.Frames[i]
		if f.Kind == FFunc || f.Kind == FEval && f.X.Call == "source" || f.Kind == FTrap && f.X.Name == "RETURN" {
			before := p.Status
			for len(p.Frames) > i+1 {
				m.pop(p)
			}
			if f = p.top(); f.Kind == FFunc && f.PC == 0 {
				f.I, f.X.Saved = 1, before
			}
			p.Status = status
			return true
		}
		if f.Kind == FBottom {
			return false
		}
	}
	return false
}

// errIgnored reports whether a failure at the top of the stack is looked at by
// the command around it, so that errexit and the ERR trap pass it over.
// It is derived from the frames, never stored.
func (m *Machine) errIgnored(p *Process) bool {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := &p.Frames[i]
		switch f.Kind {
		case FIf:
			if f.PC == 0 {
				return true
			}
		case FWhile:
			if f.PC == 0 {
				return true
			}
		case FAndOr:
			if f.I < len(f.node.(*andOr).stmts) {
				return true
			}
		case FNot:
			if f.N == 1 {
				return true
			}
		}
	}
	return p.NoErr
}

// failed does what bash does after a command that failed: the ERR trap, then errexit.
func (m *Machine) failed(p *Process) { m.failedThen(p, p.Shell.Opts.on(OptErrexit)) }

// failedThen is failed for a shell that ends with that, or not.
func (m *Machine) failedThen(p *Process, exit bool) {
	if p.Status == 0 {
		return
	}
	trap := p.Shell.Traps != nil && p.trap(sigERR) != nil
	if !exit && !trap || len(p.Frames) == 0 || p.around() == FNot || m.errIgnored(p) {
		return
	}
	if trap && !m.simpleStage(p) && m.errTrap(p, exit) {
		return
	}
	if exit {
		m.leaveShell(p, p.Status, true)
	}
}

// simpleStage reports whether the process is a stage of a pipeline, or a job,
// that is one simple command and stands at its end: only its parent runs ERR for it.
func (m *Machine) simpleStage(p *Process) bool {
	st, ok := p.Frames[0].node.(*stmt)
	if !ok {
		return false
	}
	_, ok = st.cmd.(*simple)
	return ok && p.around() == FList && p.top().node == node(st.alone)
}

// afterCommand is where every simple command, pipeline, subshell, (( )) and [[ ]] ends.
func (m *Machine) afterCommand(p *Process) {
	if p.Status != 0 {
		m.failed(p)
	}
}

// usageError is the status of a builtin that was called in a wrong way; badAssign, whose
// low byte is the status, of an export or readonly that could not assign. In POSIX mode
// a special builtin that ends so takes the shell with it, where set -e would.
const (
	usageError = 2
	badAssign  = 1<<8 + 1
)

// builtinDone is afterCommand for a builtin with its status.
func (m *Machine) builtinDone(p *Process, special bool, status int) {
	p.Status = status & 0xff
	m.setPipe(p, p.Status)
	if o := &p.Shell.Opts; special && status >= usageError && o.on(OptPosix) && !o.on(optInteractive) && (status == usageError || status == badAssign) {
		m.failedThen(p, true)
		return
	}
	m.afterCommand(p)
}

func (m *Machine) stepArith(p *Process, f *Frame) {
	n := f.node.(*arithCmd)
	var v int64
	p.Line = n.line
	done, err := m.expanded(p, f, func(e expand.Env) (err error) { v, err = m.evalArith(p, e, n.expr); return err })
	if !done {
		return
	}
	m.pop(p)
	m.arithDone(p, v, err)
}

func (m *Machine) arith(p *Process, n *arithCmd) {
	p.Line = n.line
	v, err := m.evalArith(p, m.env(p), n.expr)
	if err == expand.ErrNeed {
		p.push(Frame{Kind: FArith, node: n})
		return
	}
	m.arithDone(p, v, err)
}

// evalArith evaluates an arithmetic command and shows it with set -x.
func (m *Machine) evalArith(p *Process, e expand.Env, a *expand.Arith) (int64, error) {
	if !p.Shell.Opts.on(OptXtrace) {
		return a.Eval(e)
	}
	return a.EvalTraced(e, func(text string) { m.trace(p, "(( "+text+" ))") })
}

func (m *Machine) arithDone(p *Process, v int64, err error) {
	if err != nil {
		m.arithFailed(p, "((: ", err)
		return
	}
	p.Status = boolStatus(v != 0)
	m.setPipe(p, p.Status)
	m.afterCommand(p)
}

// setPipe sets PIPESTATUS for a command that is not a pipeline.
func (m *Machine) setPipe(p *Process, status int) {
	if len(p.Shell.Pipe) == 1 && p.Shell.Pipe[0] == status {
		return
	}
	p.Shell.Pipe = []int{status}
}

// local saves the binding of name in the innermost function and gives it a fresh one.
func (m *Machine) local(p *Process, name string) *vars.Var {
	i := p.enclosing()
	if i < 0 {
		return p.Shell.Vars.Own(name)
	}
	x := p.Frames[i].x()
	if j := x.saved(name); j >= 0 {
		x.Vars[j].Temp = false
		return p.Shell.Vars.Own(name)
	}
	old, v := p.Shell.Vars.Fresh(name)
	if old.Is(vars.Export) { // the one attribute that a local variable has from the one it hides
		v.SetAttrs(vars.Export)
		if p.temporary(name) {
			v.SetString(old.String())
		}
	}
	x.Vars = append(x.Vars, Saved{Name: name, Var: old})
	return v
}

// temporary reports whether the variable of a name is one that stands before a command, and of no function: a
// local one of the name begins with its value.
func (p *Process) temporary(name string) bool {
	for i := range slices.Backward(p.Frames) {
		if x := p.Frames[i].X; x != nil {
			if j := x.saved(name); j >= 0 {
				return x.Vars[j].Temp
			}
		}
	}
	return false
}
