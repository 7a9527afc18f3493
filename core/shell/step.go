package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// step moves a process by one transition of its top frame.
func (m *Machine) step(p *Process) {
	if len(p.Signal) > 0 && m.handleSignals(p) {
		return
	}
	if len(p.Frames) == 0 {
		return
	}
	f := p.top()
	switch f.Kind {
	case FList:
		m.stepList(p, f)
	case FSimple:
		m.stepSimple(p, f)
	case FUtil:
		m.stepUtil(p, f)
	case FFilter:
		m.stepFilter(p, f)
	case FScript:
		m.stepScript(p, f)
	case FStmt:
		m.stepStmt(p, f)
	case FIf:
		m.stepIf(p, f)
	case FWhile:
		m.stepWhile(p, f)
	case FFor:
		m.stepFor(p, f)
	case FCFor:
		m.stepCFor(p, f)
	case FSelect:
		m.stepSelect(p, f)
	case FCase:
		m.stepCase(p, f)
	case FAndOr:
		m.stepAndOr(p, f)
	case FPipe:
		m.stepPipe(p, f)
	case FWaitSub:
		m.stepWaitSub(p, f)
	case FFunc:
		m.stepFunc(p, f)
	case FArith:
		m.stepArith(p, f)
	case FTest:
		m.stepTest(p, f)
	case FDecl:
		m.stepDecl(p, f)
	case FTool:
		m.stepTool(p, f)
	case FWait:
		m.stepWait(p, f)
	case FRead:
		m.stepRead(p, f)
	case FMapfile:
		m.stepMapfile(p, f)
	case FEval:
		if f.PC == ghost {
			m.noteCalls(p, leftInside)
			m.pop(p)
			return
		}
		if f.PC == 0 && f.X.Call == "source" && p.trap(sigRETURN) != nil {
			f.PC = 1
			m.runTrap(p, sigRETURN)
			return
		}
		if f.X.Text != "" {
			p.Shell.Last = f.X.Text
		}
		m.pop(p)
		m.done(p, p.Status)
	case FTrap:
		m.pop(p)
	case FTime:
		m.stepTime(p, f)
	case FNot:
		m.stepNot(p, f)
	case FBottom:
		m.stepBottom(p, f)
	case FPause:
		m.pop(p)
	case FArgv:
		argv := f.Words
		m.pop(p)
		m.run(p, argv, nil)
	case FStdin:
		m.stepStdin(p, f)
	case FRetry:
		m.stepRetry(p, f)
	case FCompgen:
		m.stepCompgen(p, f)
	case FPrompt:
		m.stepPrompt(p, f)
	case FAgain:
		m.stepAgain(p, f)
	case FExit:
		status := f.N
		m.pop(p)
		m.leaveShell(p, status, true)
	default:
		panic("shell: frame of unknown kind")
	}
}

func boolStatus(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// stepList starts the next statement of a list.
func (m *Machine) stepList(p *Process, f *Frame) {
	l := f.node.(*list)
	if f.I >= len(l.stmts) {
		m.pop(p)
		return
	}
	st := l.stmts[f.I]
	f.I++
	if p.Shell.Opts.on(OptNoExec) {
		return
	}
	m.start(p, st)
	m.turn(p)
}

// maxTurn bounds how many constructs end in the step of one statement.
const maxTurn = 8

// turn ends a list whose last statement is over and takes the loop, the if or
// the function around it to what comes next, in the step of that statement: a
// turn of a loop of one statement is one step, and no step is more than one.
func (m *Machine) turn(p *Process) {
	for range maxTurn {
		n := len(p.Frames)
		if n < 2 || p.Wait.Kind != Runs || len(p.Queue) > 0 || len(p.Signal) > 0 {
			return
		}
		f := &p.Frames[n-1]
		if f.Kind != FList || f.I < len(f.node.(*list).stmts) {
			return
		}
		below := &p.Frames[n-2]
		switch below.Kind {
		case FList:
			m.pop(p)
		case FFor:
			m.pop(p)
			m.stepFor(p, below)
		case FCFor:
			m.pop(p)
			m.stepCFor(p, below)
		case FWhile:
			m.pop(p)
			m.stepWhile(p, below)
		case FIf:
			m.pop(p)
			m.stepIf(p, below)
		case FFunc:
			if p.Shell.Traps != nil {
				return
			}
			m.pop(p)
			m.stepFunc(p, below)
		default:
			return
		}
	}
}

// start begins a statement: it pushes frames, or does at once what needs none.
func (m *Machine) start(p *Process, st *stmt) {
	if int64(len(p.Frames)) >= m.limit(m.Limits.Frames) {
		m.stop("frames")
	}
	if st.background {
		if _, ok := st.cmd.(*simple); ok && !st.negated && p.Shell.Traps != nil && m.debugBackground(p, st) {
			return
		}
		m.background(p, st)
		return
	}
	if st.negated || len(st.redirs) > 0 {
		m.startGuarded(p, st)
		return
	}
	m.command(p, st.cmd)
}

// startGuarded begins a statement that is negated or redirects a compound command.
func (m *Machine) startGuarded(p *Process, st *stmt) {
	if st.negated {
		f := p.push(Frame{Kind: FNot, node: st})
		if p.Shell.Opts.on(OptErrexit) { // as it is now: set -e inside the command counts
			f.N = 1
		}
	}
	if len(st.redirs) > 0 {
		p.push(Frame{Kind: FStmt, node: st})
		return
	}
	m.command(p, st.cmd)
}

// stepNot ends a negated command. PIPESTATUS has its own status, of (( )) and [[ ]] the negated one.
func (m *Machine) stepNot(p *Process, f *Frame) {
	cmd := f.node.(*stmt).cmd
	m.pop(p)
	p.Status = boolStatus(p.Status != 0)
	switch cmd.(type) {
	case *arithCmd, *testCmd:
		m.setPipe(p, p.Status)
	}
}

// stepStmt opens the redirections of a compound command, then runs it.
func (m *Machine) stepStmt(p *Process, f *Frame) {
	st := f.node.(*stmt)
	if f.PC == 1 { // the command has ended
		m.pop(p)
		return
	}
	if f.N == 0 {
		f.N = max(p.Line, 1) // the ERR trap sees where bash was before
	}
	before := f.N
	p.Line = st.outer
	if f.I == 0 && controls(st.cmd) && !p.standsAlone() {
		p.Shell.Opts.set(optFed, feeds(st.redirs))
	}
	switch m.redirect(p, f, st.redirs) {
	case again:
		return
	case failed:
		p.Status = 1
		if _, sub := st.cmd.(*subshell); !sub {
			p.Line = before
		}
		m.pop(p)
		m.failed(p)
		return
	}
	f = p.top()
	p.Line = st.line
	f.PC, f.I, f.N = 1, 0, 0
	m.command(p, st.cmd)
}

// command begins a command without redirections of its own.
func (m *Machine) command(p *Process, n node) {
	if p.Shell.Opts.on(OptXtrace) && m.promptRuns(p, n) {
		return
	}
	m.begin(p, n)
}

func (m *Machine) begin(p *Process, n node) {
	switch x := n.(type) {
	case *simple:
		m.simple(p, x)
	case *arithCmd:
		p.Line = x.line
		if p.Shell.Traps != nil && m.debugTrap(p, x, func() { p.push(Frame{Kind: FArith, node: x}) }) {
			return
		}
		if x.memo {
			p.push(Frame{Kind: FArith, node: x})
			return
		}
		m.arith(p, x)
	case *ifClause:
		p.push(Frame{Kind: FIf, node: x})
		p.pushList(x.cond)
	case *whileClause:
		p.push(Frame{Kind: FWhile, node: x})
		p.pushList(x.cond)
	case *forClause:
		kind := FFor
		if x.menu {
			kind = FSelect
		}
		p.push(Frame{Kind: kind, node: x, PC: -1})
	case *cFor:
		p.push(Frame{Kind: FCFor, node: x})
	case *caseClause:
		if !x.memo && p.Shell.Traps == nil && !p.Shell.Opts.on(OptXtrace) {
			m.caseNow(p, x)
			return
		}
		p.push(Frame{Kind: FCase, node: x, PC: -1})
	case *block:
		p.pushList(x.body)
	case *andOr:
		p.push(Frame{Kind: FAndOr, node: x, I: 1})
		m.start(p, x.stmts[0])
	case *pipeline:
		if p.Shell.Traps != nil && m.debugStages(p, x, 0) {
			return
		}
		m.pipeline(p, x)
	case *subshell:
		p.Line = x.line
		if p.trap(sigERR) != nil {
			m.noteCommand(p, x)
		}
		c := m.forkShell(p, Frame{Kind: FBottom, node: x})
		c.Shell.Jobs = nil // as in a job: only pipelines and substitutions list their parent's
		m.ownGroup(p, c, c.PID)
		c.Shell.Opts.set(optFed, p.feedsSubshell())
		c.push(Frame{Kind: FList, node: x.body})
		p.push(Frame{Kind: FWaitSub, node: x, Child: c.PID})
		p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
	case *funcDecl:
		m.define(p, x)
	case *testCmd:
		p.Line = x.line
		if p.Shell.Traps != nil && m.debugTrap(p, x, func() { p.push(Frame{Kind: FTest, node: x}) }) {
			return
		}
		if x.memo {
			p.push(Frame{Kind: FTest, node: x})
			return
		}
		m.test(p, x)
	case *decl:
		if x.set != nil && p.Shell.Traps == nil && !p.Shell.Opts.on(OptXtrace) && !p.defines(x.name) {
			m.declareNow(p, x)
			return
		}
		p.push(Frame{Kind: FDecl, node: x})
	case *timeClause:
		p.push(Frame{Kind: FTime, node: x, X: &Extra{Until: m.now()}})
		if x.body != nil {
			m.start(p, x.body)
		} else {
			p.Status = 0
		}
	case *coproc:
		m.coproc(p, x)
	default:
		panic("shell: node of unknown type")
	}
}

// stepScript reads and runs a text unit by unit.
func (m *Machine) stepScript(p *Process, f *Frame) {
	x := f.X
	line := x.Line
	if len(p.Shell.Jobs) > 0 && (x.Call == "" || x.Call == "source") {
		p.Line = line
		m.notify(p)
	}
	u, text, next, err := m.unit(p, x.Text, f.I, line)
	x.Text = text
	if err != nil {
		e := err.(*SyntaxError)
		m.showRead(p, firstLines(x.Text[f.I:], e.Line-line+1))
		m.syntaxError(p, f, e)
		return
	}
	if u == nil {
		if f.I < len(x.Text) {
			m.showRead(p, x.Text[f.I:])
		}
		if f.N == 0 && x.Text != "" && (x.Call == "eval" || x.Call == "source" || x.Call == "subst") {
			p.Status = 0 // there was no command; what has no text is the ghost of a subshell's parent
		}
		if x.Call == "" || x.Text == "" {
			m.noteCalls(p, leftInside)
		}
		m.pop(p)
		return
	}
	m.showRead(p, x.Text[f.I:next])
	for i := f.I; i < next; i++ {
		if x.Text[i] == '\n' {
			x.Line++
		}
	}
	x.Line -= u.added
	f.I = next
	f.N++
	m.warn(p, u.warn)
	if p.Shell.Opts.on(OptNoExec) {
		return
	}
	p.pushList(u.body)
}

// showRead is set -v: it shows lines that have been read.
func (m *Machine) showRead(p *Process, text string) {
	if !p.Shell.Opts.on(OptVerbose) {
		return
	}
	read := expand.Decode(text)
	if !strings.HasSuffix(read, "\n") {
		read += "\n"
	}
	m.complainRaw(p, read)
}

// firstLines is the beginning of a text, n lines or all of it.
func firstLines(text string, n int) string {
	end := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// warn says what was odd about a unit that was read.
func (m *Machine) warn(p *Process, list []warning) {
	for _, w := range list {
		line := p.Line
		p.Line = w.line
		m.complain(p, "warning: %s", w.text)
		p.Line = line
	}
}

// evaluate runs fn, with a memo if need says so. Without one fn may still meet a
// command: in a text made at run time. Then it starts again with a memo, unless
// that would do something twice.
func (m *Machine) evaluate(p *Process, f *Frame, need bool, fn func(expand.Env) error) (bool, error) {
	if !need && (f.X == nil || f.Child == 0 && len(f.X.Memo.Entries) == 0) {
		err := fn(m.env(p))
		if err != expand.ErrNeed {
			return true, err
		}
		if !m.needsMemo(err) {
			return true, errLate
		}
	}
	return m.expanded(p, f, fn)
}

// errLate refuses what would have to be evaluated twice.
var errLate error = &expand.Error{Kind: expand.BadSubst, Text: "eryxsh: command substitution in a value, behind an assignment: not yet"}

// needsMemo reports whether an expansion without a memo has met a command, and
// can begin again with one: it has assigned nothing.
func (m *Machine) needsMemo(err error) bool { return err == expand.ErrNeed && m.rt.env.effects == 0 }

// expanded runs fn with an Env that remembers, in the top frame, what a command
// with substitutions has seen. It reports whether fn ended; if not, a child
// runs and the frame will come here again.
func (m *Machine) expanded(p *Process, f *Frame, fn func(expand.Env) error) (bool, error) {
	x := m.x(f)
	if f.Child != 0 && !m.collect(p, f) {
		return false, nil
	}
	var rec expand.Recorder
	err := fn(rec.Start(m.env(p), &x.Memo))
	if err == expand.ErrNeed {
		m.substitute(p, rec.Missing)
		return false, nil
	}
	x.Memo = expand.Memo{}
	return true, err
}
