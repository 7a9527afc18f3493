package shell

import (
	"bytes"
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/vfs"

	"mvdan.cc/sh/v3/syntax"
)

// substitute starts the child that a substitution of the top frame needs. For
// $( ) the process waits; <( ) and >( ) are answered at once with a path.
func (m *Machine) substitute(p *Process, n syntax.Node) {
	m.deepens(p)
	if r, ok := n.(*expand.Runtime); ok {
		m.substituteText(p, r.Text)
		return
	}
	body, err := m.substBody(p, n)
	if err != nil {
		f := p.top()
		m.complain(p, "%s", err)
		f.X.Memo.Answer("")
		return
	}
	if ps, ok := n.(*syntax.ProcSubst); ok {
		m.processSubst(p, ps, body)
		return
	}
	if m.readFile(p, body) {
		return
	}
	if len(body.stmts) == 0 && m.runsNothing(p, n) {
		return
	}
	c := m.capture(p, Frame{Kind: FBottom, node: body})
	if len(body.stmts) == 0 { // a comment
		c.Status = 0
	}
	m.pushBody(c, body)
}

// runsNothing answers a substitution without commands: bash starts no child for it, and $? stays.
// In backquotes a comment is text for one.
func (m *Machine) runsNothing(p *Process, n syntax.Node) bool {
	if x, ok := n.(*syntax.CmdSubst); ok && x.Backquotes {
		u := m.unitOf(p)
		if u == nil || strings.Contains(u.Text[min(int(x.Left.Offset()), len(u.Text)):min(int(x.Right.Offset()), len(u.Text))], "#") {
			return false
		}
	}
	p.top().X.Memo.Answer("")
	return true
}

// pushBody runs the commands of a substitution. bash reads them when they run:
// so the aliases of that moment count, and those the commands make themselves.
func (m *Machine) pushBody(c *Process, body *list) {
	if c.Shell.Aliases.Len() > 0 && c.Shell.Opts.on(OptExpandAliases) && !c.Shell.Opts.on(OptPosix) {
		pr := printer{comsub: true}
		pr.list(body)
		pr.connectAny()
		m.pushScript(c, "", pr.b.String(), max(c.Line, 1), "subst")
		return
	}
	c.push(Frame{Kind: FList, node: body})
}

// substituteText starts the child for a command in a text made at run time.
func (m *Machine) substituteText(p *Process, text string) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\n"), "<") {
		if u, _, err := nextUnit(m.env(p), text, 0, max(p.Line, 1)); err == nil && u != nil && m.readFile(p, u.body) {
			return
		}
	}
	c := m.capture(p, Frame{Kind: FBottom})
	m.pushScript(c, "", text, max(p.Line, 1), "subst")
}

// capture forks a child whose output the top frame waits for.
func (m *Machine) capture(p *Process, bottom Frame) *Process {
	file := m.newFile(OFD{Kind: FileCapture, Flags: vfs.O_RDWR})
	f := p.top()
	m.x(f).Until = int64(file) + 1 // the frame holds the capture
	c := m.forkShell(p, bottom)
	if old := c.put(1, m.ref(file), false); old >= 0 {
		m.unref(old)
	}
	if !p.Shell.Opts.on(OptInheritErrexit) && !p.Shell.Opts.on(OptPosix) {
		c.Shell.Opts.set(OptErrexit, false)
	}
	c.Depth++
	c.Subs++
	c.Loop = p.inLoop()
	f = p.top()
	f.Child = c.PID
	p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
	return c
}

// substBody finds or compiles the commands of a substitution.
func (m *Machine) substBody(p *Process, n syntax.Node) (*list, error) {
	if u := m.unitOf(p); u != nil && u.subst[n] != nil {
		return u.subst[n], nil
	}
	var stmts []*syntax.Stmt
	switch x := n.(type) {
	case *syntax.CmdSubst:
		stmts = x.Stmts
	case *syntax.ProcSubst:
		stmts = x.Stmts
	}
	var b strings.Builder
	pr := syntax.NewPrinter()
	for _, s := range stmts {
		if err := pr.Print(&b, s); err != nil {
			return nil, err
		}
		b.WriteByte('\n')
	}
	u, _, err := nextUnit(m.env(p), b.String(), 0, p.Line)
	if err != nil {
		return nil, err
	}
	if u == nil {
		u = newUnit("\n", p.Line)
		if err := u.compile(nil, origin{}, &shelf{}); err != nil {
			return nil, err
		}
	}
	return u.body, nil
}

// unitOf is the unit of the code the top frame stands in.
func (m *Machine) unitOf(p *Process) *Unit {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if n := p.Frames[i].node; n != nil {
			return n.at().unit
		}
	}
	return nil
}

// collect takes the output of an ended substitution into the memo. It gives
// false while the child still runs.
func (m *Machine) collect(p *Process, f *Frame) bool {
	if c := m.proc(f.Child); c != nil {
		if !c.Dead {
			p.Wait = Wait{Kind: WaitsChild, PID: f.Child}
			return false
		}
		p.Subst, p.Status = c.Status, c.Status
		m.remove(c.PID)
	}
	file := int(f.X.Until) - 1
	if m.Files[file].Refs > 1 { // a job the child left still holds its output
		p.Wait = Wait{Kind: WaitsLast, File: file}
		return false
	}
	f.Child = 0
	f.X.Until = 0
	o := &m.Files[file]
	parts := append(slices.Clip(o.Full.list()), o.Text)
	m.unref(file)
	m.answer(p, f, parts)
	return true
}

// answer makes a child's output a value: no NULs, no newlines at the end. A fork
// may have the same parts.
func (m *Machine) answer(p *Process, f *Frame, parts [][]byte) {
	warned := false
	for i, part := range parts {
		m.charge(len(part) >> 8)
		if at := bytes.IndexByte(part, 0); at >= 0 {
			if !warned {
				m.complain(p, "warning: command substitution: ignored null byte in input")
				warned = true
			}
			parts[i] = m.withoutNULs(part, at)
		}
	}
	n := len(parts) - 1
	for ; n >= 0; n-- {
		if parts[n] = bytes.TrimRight(parts[n], "\n"); len(parts[n]) > 0 {
			break
		}
	}
	m.x(f).Memo.AnswerBytes(parts[:n+1])
}

// withoutNULs is a copy of part, whose first NUL is at.
func (m *Machine) withoutNULs(part []byte, at int) []byte {
	text := slices.Clone(part[:at])
	for rest := part[at:]; len(rest) > 0; {
		piece := rest[:min(len(rest), large.Piece)]
		rest = rest[len(piece):]
		m.charge(len(piece) >> 6)
		for _, c := range piece {
			if c != 0 {
				text = append(text, c)
			}
		}
	}
	return text
}

// readFile does $(< file) without a process.
func (m *Machine) readFile(p *Process, body *list) bool {
	if len(body.stmts) != 1 {
		return false
	}
	c, ok := body.stmts[0].cmd.(*simple)
	if !ok || len(c.words)+len(c.assigns) > 0 || len(c.redirs) != 1 || c.redirs[0].op != syntax.RdrIn || c.redirs[0].memo || c.redirs[0].fd > 0 {
		return false
	}
	target, err := expand.Redirect(m.env(p), c.redirs[0].word)
	f := p.top()
	before := p.Status
	m.Sched.Quantum = 0 // bash waits for a process here: the others have their turn
	p.Subst = 1
	p.Status = 1
	failed := func(text string) bool {
		m.complain(p, "%s", text)
		m.x(f).Memo.Answer("")
		if p.Shell.Opts.on(OptErrexit) { // of the shell itself, wherever it stands
			m.unwindExit(p, max(before, 1))
		}
		return true
	}
	if err != nil {
		return failed(err.Error())
	}
	st, err := m.FS.Stat(m.at(p), target)
	if err == nil && (!st.Mode.IsRegular() || st.Size > 1<<26) {
		return false // a pipe or something large: a process reads it in turns
	}
	file, err := m.open(p, target, vfs.O_RDONLY, 0)
	if err != nil {
		return failed(target + ": " + err.Error())
	}
	buf := make([]byte, st.Size)
	n := 0
	for n < len(buf) {
		k, err := m.read(file, buf[n:])
		if n += k; err != nil {
			break
		}
	}
	m.unref(file)
	p.Subst, p.Status = 0, 0
	m.answer(p, p.top(), [][]byte{buf[:n]})
	return true
}

// processSubst starts <( ) or >( ): the command talks to it through /dev/fd/N.
func (m *Machine) processSubst(p *Process, n *syntax.ProcSubst, body *list) {
	r, w := m.newPipe()
	c := m.forkShell(p, Frame{Kind: FBottom, node: body})
	c.Depth++
	c.Subs++
	m.pushBody(c, body)
	mine, theirs, num := r, w, 1
	if n.Op == syntax.CmdOut {
		mine, theirs, num = w, r, 0
	}
	if old := c.put(num, theirs, false); old >= 0 {
		m.unref(old)
	}
	c.Job = true
	c.Shell.Opts.set(optNoQuit, true)
	fd := 63
	for {
		if _, used := p.fd(fd); !used {
			break
		}
		fd--
	}
	p.put(fd, mine, false)
	f := p.top()
	u := f.x().undo()
	u.Open = append(u.Open, fd)
	p.Shell.LastBg = c.PID
	f.X.Memo.Answer("/dev/fd/" + itoa(fd))
}

// countFrom lets the lines behind the command being run count from the end of a
// subshell that is a stage of a pipeline, but not the last: bash forgets the
// line it has read up to, except inside commands that remember it.
func (p *Process) countFrom(line int) {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; f.Kind {
		case FList:
			if l, ok := f.node.(*list); ok && f.I > 0 && f.I <= len(l.stmts) {
				if _, remembers := l.stmts[f.I-1].cmd.(*caseClause); remembers {
					return
				}
			}
		case FIf:
			if f.PC == 0 { // the condition
				return
			}
		case FStmt, FWhile, FAndOr, FPipe, FTime, FNot:
		case FScript:
			if f.X.Call == "" || f.X.Call == "source" {
				f.X.Line = line + 1
			}
			return
		default:
			return
		}
	}
}

// pipeline starts every stage as a process, each before it is waited for.
func (m *Machine) pipeline(p *Process, n *pipeline) {
	x := &Extra{}
	last := len(n.stages) - 1
	if here := p.Shell.Opts.on(OptLastpipe); !here {
		x.PIDs, _ = m.stages(p, n, last+1, false)
		p.push(Frame{Kind: FPipe, node: n, X: x})
		p.Wait = Wait{Kind: WaitsChild, PID: x.PIDs[0]}
		return
	}
	in := -1
	x.PIDs, in = m.stages(p, n, last, false)
	st := n.stages[last]
	f := p.push(Frame{Kind: FPipe, node: n, X: x, I: 1})
	m.replace(p, f, 0, in)
	if t := p.trap(sigDEBUG); t != nil && !t.Inherited && !t.Running && !st.negated {
		p.Shell.Debug = debugMark(st.cmd) // the trap has run for it
	}
	m.start(p, st)
}

// stages starts the first count stages of a pipeline, in the background if it is a job. It gives
// their PIDs and, of a pipe to one more, the end to read from.
func (m *Machine) stages(p *Process, n *pipeline, count int, job bool) (pids []int, in int) {
	last := len(n.stages) - 1
	p.Line = n.stages[last].line
	m.noteCommand(p, n.stages[last].cmd)
	in = -1
	p.Shell.Jobs = p.Shell.Jobs[:len(p.Shell.Jobs):len(p.Shell.Jobs)]
	for i, st := range n.stages[:count] {
		next, out := -1, -1
		if i < last {
			next, out = m.newPipe()
		}
		if s, ok := st.cmd.(*subshell); ok && i < last && !job {
			p.countFrom(s.last)
		}
		c := m.forkShell(p, Frame{Kind: FBottom, node: st})
		if _, ok := st.cmd.(*simple); !ok {
			c.Shell.Jobs = nil // jobs | cat lists them, a compound command does not
		} else if c.trap(sigDEBUG) != nil {
			c.Shell.Debug = debugMark(st.cmd) // the trap has run for it
		}
		if _, ok := st.cmd.(*subshell); ok || in >= 0 {
			c.Shell.Opts.set(optFed, in >= 0)
		}
		if in >= 0 {
			if old := c.put(0, in, false); old >= 0 {
				m.unref(old)
			}
		}
		if out >= 0 {
			if old := c.put(1, out, false); old >= 0 {
				m.unref(old)
			}
		}
		c.push(Frame{Kind: FList, node: within(st)})
		pids = append(pids, c.PID)
		m.ownGroup(p, c, pids[0])
		if job {
			m.detach(p, c)
		}
		in = next
	}
	return pids, in
}

// stepPipe collects the stages. The pipeline's status is the last stage's, or
// with pipefail the last one that failed.
func (m *Machine) stepPipe(p *Process, f *Frame) {
	x := f.X
	lastHere := f.I == 1
	if lastHere && f.PC == 0 {
		f.PC = 1
		f.N = p.Status
		for _, s := range x.Saves { // close the read end: writers get SIGPIPE
			if old := p.take(s.Num); old >= 0 {
				m.unref(old)
			}
			if s.File >= 0 {
				p.put(s.Num, s.File, s.Exec)
			}
		}
		x.Saves = nil
	}
	for len(x.Codes) < len(x.PIDs) {
		c := m.proc(x.PIDs[len(x.Codes)])
		if c == nil {
			x.Codes = append(x.Codes, 0)
			continue
		}
		if !c.Dead {
			p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
			return
		}
		if x.Codes = append(x.Codes, c.Status); len(x.Codes) == len(x.PIDs) {
			m.waited(p, x.PIDs...)
			p.survived(c.Killed)
		}
	}
	for _, pid := range x.PIDs {
		m.remove(pid)
	}
	codes := x.Codes
	if lastHere {
		codes = append(codes, f.N)
	}
	status := codes[len(codes)-1]
	if p.Shell.Opts.on(OptPipefail) {
		for i := len(codes) - 1; i >= 0; i-- {
			if codes[i] != 0 {
				status = codes[i]
				break
			}
		}
	}
	m.pop(p)
	p.Shell.Pipe = codes
	p.Status = status
	m.afterCommand(p)
}

// oneStatement is the list a single statement would be: nodes are made when the
// unit is compiled, so that a frame can stand in it.
func oneStatement(st *stmt) *list { return st.alone }

// within is what a process that is started for a statement runs: for a subshell
// its list, as the process is the subshell: signals and traps are its own.
func within(st *stmt) *list {
	if s, ok := st.cmd.(*subshell); ok && !st.negated && len(st.redirs) == 0 {
		return s.body
	}
	return oneStatement(st)
}

// stepWaitSub: the child has ended.
func (m *Machine) stepWaitSub(p *Process, f *Frame) {
	c := m.proc(f.Child)
	if c != nil && !c.Dead {
		p.Wait = Wait{Kind: WaitsChild, PID: f.Child}
		return
	}
	status, killed := 0, 0
	if c != nil {
		status, killed = c.Status, c.Killed
		m.waited(p, c.PID)
		m.remove(c.PID)
	}
	p.survived(killed)
	m.pop(p)
	m.done(p, status)
}

// background starts a job. What a ! before it says is not for its status.
func (m *Machine) background(p *Process, st *stmt) {
	var pids []int
	n, piped := st.cmd.(*pipeline)
	if piped && len(st.redirs) == 0 {
		pids, _ = m.stages(p, n, len(n.stages), true)
	} else {
		pids = []int{m.backgroundOne(p, st)}
	}
	p.Shell.LastBg = pids[len(pids)-1]
	job := p.addJob(pids, jobText(st))
	for i := 0; len(pids) > 1 && i < len(pids); i++ {
		job.Stages = append(job.Stages, jobText(n.stages[i]))
	}
	p.Status = 0
}

// backgroundOne starts a job that is a process.
func (m *Machine) backgroundOne(p *Process, st *stmt) int {
	c := m.forkShell(p, Frame{Kind: FBottom, node: st})
	c.Shell.Jobs = nil // jobs know nothing of one another
	m.ownGroup(p, c, c.PID)
	m.detach(p, c)
	if p.starves(st) {
		if old := c.put(0, m.newFile(OFD{Kind: FileNull, Flags: vfs.O_RDONLY}), false); old >= 0 {
			m.unref(old)
		}
	}
	if _, ok := st.cmd.(*subshell); ok {
		c.Shell.Opts.set(optFed, false)
	}
	if _, ok := st.cmd.(*simple); ok && c.trap(sigDEBUG) != nil {
		c.Shell.Debug = debugMark(st.cmd) // the trap has run for it
	}
	if s, ok := st.cmd.(*subshell); ok && len(st.redirs) == 0 {
		c.push(Frame{Kind: FList, node: s.body})
	} else if st.negated {
		c.push(Frame{Kind: FStmt, node: st})
	} else {
		c.push(Frame{Kind: FList, node: within(st)})
	}
	return c.PID
}

// addJob lists a job, whose number is one more than that of the last.
func (p *Process) addJob(pids []int, command string) *Job {
	num, jobs := 1, p.Shell.Jobs
	if n := len(jobs); n > 0 {
		num += jobs[n-1].Num
	}
	p.Shell.Jobs = append(jobs, Job{Num: num, PIDs: pids, Command: command})
	return &p.Shell.Jobs[len(jobs)]
}

// jobText is a command as jobs shows it.
func jobText(st *stmt) string {
	pr := printer{}
	pr.stmt(st)
	return pr.b.String()
}

// controlsJobs reports whether a shell does job control: its children lead process groups of their own.
func (p *Process) controlsJobs() bool { return p.Sub == 0 && p.Shell.Opts.on(OptMonitor) }

// ownGroup puts a child into the process group of its job, which there is under job control.
func (m *Machine) ownGroup(p, c *Process, leader int) {
	if p.controlsJobs() {
		c.PGID = leader
	}
}

// detach makes a child an asynchronous command of its parent: without job control it ignores SIGINT and SIGQUIT.
func (m *Machine) detach(p, c *Process) {
	c.Job = true
	quiet := !p.controlsJobs()
	c.Shell.Opts.set(optNoInt, quiet)
	c.Shell.Opts.set(optNoQuit, quiet)
}

// coproc starts a command with both ends of two pipes in an array variable.
func (m *Machine) coproc(p *Process, n *coproc) {
	r1, w1 := m.newPipe() // its stdin
	r2, w2 := m.newPipe() // its stdout
	c := m.forkShell(p, Frame{Kind: FBottom, node: n.body})
	c.Shell.Jobs = nil
	m.ownGroup(p, c, c.PID)
	m.detach(p, c)
	for num, file := range map[int]int{0: r1, 1: w2} {
		if old := c.put(num, file, false); old >= 0 {
			m.unref(old)
		}
	}
	c.push(Frame{Kind: FList, node: within(n.body)})
	read := p.freeHigh()
	p.put(read, r2, false)
	write := p.freeHigh()
	p.put(write, w1, false)
	v := p.Shell.Vars.Own(n.name)
	v.Clear()
	v.MakeIndexed()
	v.SetIndex(0, itoa(read))
	v.SetIndex(1, itoa(write))
	p.Shell.Vars.Own(n.name + "_PID").SetString(itoa(c.PID))
	p.Shell.LastBg = c.PID
	p.addJob([]int{c.PID}, "coproc "+n.name+" "+jobText(n.body))
	p.Status = 0
}

// freeHigh gives the highest unused descriptor below 64.
func (p *Process) freeHigh() int {
	for fd := 63; fd > 2; fd-- {
		if _, used := p.fd(fd); !used {
			return fd
		}
	}
	return p.free(64)
}
