package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// pushed is what a builtin returns when the command is not over: it has pushed
// frames, unwound some, or made the process wait.
const pushed = -1

// Positions of a simple command's frame.
const (
	simpleWords = iota
	simpleAssigns
	simpleRedirs
	simpleRun
	simpleEnd
)

// simple begins a simple command. One without assignments, redirections and
// substitutions whose command ends at once takes no frame at all.
func (m *Machine) simple(p *Process, c *simple) {
	p.Line = c.line
	if p.Shell.Traps != nil && m.debugTrap(p, c, func() { p.push(Frame{Kind: FSimple, node: c}) }) {
		return
	}
	if c.keyword != nil && p.Shell.Opts.on(OptKeyword) {
		c = c.keyword
	}
	if c.bare {
		m.assignNow(p, c)
		return
	}
	if c.temp && !p.Shell.Opts.on(OptXtrace) && len(p.Shell.Off) == 0 && !p.defines(c.builtin.name) {
		m.tempNow(p, c)
		return
	}
	if !c.plain {
		m.stepSimple(p, p.push(Frame{Kind: FSimple, node: c}))
		return
	}
	m.Meter.Commands++
	words, err := expand.Fields(m.env(p), m.rt.fields[:0], c.words)
	m.rt.fields = words[:0]
	if err != nil {
		if m.needsMemo(err) {
			m.stepSimple(p, p.push(Frame{Kind: FSimple, node: c}))
			return
		}
		m.expandFailed(p, err)
		return
	}
	if len(words) == 0 {
		p.Status = 0
		return
	}
	if p.Shell.Opts.on(OptXtrace) {
		m.traceWords(p, words)
	}
	b := c.builtin
	if b == nil || len(p.Shell.Off) > 0 || p.defines(b.name) {
		m.run(p, m.list(p, words), nil)
		return
	}
	last := words[len(words)-1]
	status := m.builtin(p, b, words)
	p.lastArg(last)
	switch {
	case status > 0:
		m.builtinDone(p, b.special, status)
	case status == 0:
		p.Status = 0
		m.setPipe(p, 0)
	}
}

// defines reports whether there is a function of the name.
func (p *Process) defines(name string) bool {
	if p.Shell.Funcs.Len() == 0 {
		return false
	}
	_, ok := p.Shell.Funcs.Get(name)
	return ok
}

// assignNow makes the assignments of a command that is nothing else and needs no frame.
func (m *Machine) assignNow(p *Process, c *simple) {
	m.Meter.Commands++
	p.Subst = 0
	e := m.env(p)
	for i, a := range c.assigns {
		m.rt.env.effects = 0
		if err := m.assignNode(p, e, a); err != nil {
			if m.needsMemo(err) {
				m.stepSimple(p, p.push(Frame{Kind: FSimple, node: c, PC: simpleAssigns, I: i}))
				return
			}
			m.assignFailed(p, err)
			return
		}
	}
	p.Status, p.Shell.Last = 0, ""
	m.setPipe(p, 0)
}

// tempNow runs a builtin with assignments of its own: its frame is there only to undo them.
func (m *Machine) tempNow(p *Process, c *simple) {
	m.Meter.Commands++
	p.Subst = 0
	words, err := expand.Fields(m.env(p), m.rt.fields[:0], c.words)
	m.rt.fields = words[:0]
	if m.needsMemo(err) {
		m.stepSimple(p, p.push(Frame{Kind: FSimple, node: c}))
		return
	}
	if err != nil {
		m.expandFailed(p, err)
		return
	}
	f := p.push(Frame{Kind: FSimple, node: c, PC: simpleEnd, X: m.extra()})
	for i, a := range c.assigns {
		if err := m.assignTemp(p, m.env(p), f, a); err != nil {
			if m.needsMemo(err) {
				f.Words, f.PC, f.I = m.list(p, words), simpleAssigns, i
				m.stepSimple(p, f)
				return
			}
			m.pop(p)
			m.tempFailed(p, err, c.builtin.special)
			return
		}
	}
	m.runBuiltin(p, c.builtin, words, f)
}

// tempFailed is assignFailed for an assignment before a command, maybe a special builtin.
func (m *Machine) tempFailed(p *Process, err error, special bool) {
	if e, ok := err.(*expand.Error); ok && !special && e.Kind == expand.ReadOnlyVar && p.Shell.Opts.on(OptPosix) {
		m.tell(p, err)
		m.discard(p, 1) // the line is given up, and a subshell
		return
	}
	m.assignFailed(p, err)
}

// stepSimple expands the words, makes the assignments, opens the redirections, runs the command.
func (m *Machine) stepSimple(p *Process, f *Frame) {
	c := f.node.(*simple)
	if f.PC == simpleWords {
		m.Meter.Commands++
		p.Line = c.line
		p.Subst = 0
		var words []string
		ok, err := true, error(nil)
		if len(c.words) > 0 {
			ok, err = m.evaluate(p, f, c.memo, func(e expand.Env) (err error) {
				words, err = expand.Fields(e, make([]string, 0, len(c.words)), c.words)
				return err
			})
		}
		if !ok {
			return
		}
		if err != nil {
			m.pop(p)
			m.expandFailed(p, err)
			return
		}
		f = p.top()
		f.Words, f.PC, f.I = words, simpleAssigns, 0
	}
	if f.PC == simpleAssigns {
		if !m.assignments(p, f, c) {
			return
		}
		f = p.top()
		if len(f.Words) > 0 && p.Shell.Opts.on(OptXtrace) {
			m.traceWords(p, f.Words)
		}
		if f.PC, f.I = simpleRedirs, 0; len(f.Words) > 0 && strings.HasPrefix(f.Words[0], "%") && p.jobWord(f) != "" {
			f.PC = simpleRun // bash opens nothing for it
		}
	}
	if f.PC == simpleRedirs {
		switch m.redirect(p, f, c.redirs) {
		case again:
			return
		case failed:
			m.redirFailed(p, f)
			return
		}
		f = p.top()
		f.PC = simpleRun
	}
	if f.PC == simpleRun {
		m.runSimple(p, f, c)
		return
	}
	if len(f.Words) > 0 && f.X != nil && f.Words[0] == "eval" && p.Shell.Opts.on(OptPosix) && p.special("eval") {
		f.X.Vars = nil // assignments before a special builtin stay
	}
	m.pop(p)
	m.setPipe(p, p.Status)
	m.afterCommand(p)
}

// redirFailed ends a command whose redirection failed: status 1, or the one
// redirError has left, and a special builtin in POSIX mode takes the shell with it.
func (m *Machine) redirFailed(p *Process, f *Frame) {
	special := len(f.Words) > 0 && p.special(f.Words[0])
	if d, ok := f.node.(*decl); ok {
		special = p.special(d.name)
	}
	status := max(1, f.N)
	c, ok := f.node.(*simple)
	m.pop(p)
	if ok && len(c.words) == 0 && m.simpleStage(p) {
		status = 0 // bash forgets it where it forks for redirections alone
	}
	p.Status = status
	m.setPipe(p, status)
	if special && p.Shell.Opts.on(OptPosix) {
		m.unwindExit(p, 1)
		return
	}
	m.afterCommand(p)
}

// assignments makes the assignments before a command, or those that are the command.
func (m *Machine) assignments(p *Process, f *Frame, c *simple) bool {
	temp, name := len(f.Words) > 0, ""
	if temp {
		name = f.Words[0]
	}
	for f.I < len(c.assigns) {
		a := c.assigns[f.I]
		one := func(e expand.Env) error {
			if temp {
				return m.assignTemp(p, e, p.top(), a)
			}
			return m.assignNode(p, e, a)
		}
		ok, err := m.evaluate(p, f, c.arrays && a.needsMemo(), one)
		if !ok {
			return false
		}
		if err != nil {
			m.pop(p)
			if temp {
				m.tempFailed(p, err, p.special(name))
			} else {
				m.assignFailed(p, err)
			}
			return false
		}
		f = p.top()
		f.I++
	}
	return true
}

// assignTemp binds a variable for the command's duration; it is exported.
func (m *Machine) assignTemp(p *Process, e expand.Env, f *Frame, a *assign) error {
	if a.list {
		return m.assignNode(p, e, a)
	}
	if a.sub != nil { // its value is not looked at
		expand.Once(e, func() { m.complain(p, "`%s[%s]': not a valid identifier", a.name, a.sub.Text) })
		return nil
	}
	value, err := m.value(e, a.value)
	if err != nil {
		return err
	}
	name, old := a.name, p.Shell.Vars.Get(a.name)
	for i := 0; i < 8 && old.Is(vars.Nameref) && validName(old.String()) && old.String() != name; i++ { // it is the target that gets the value
		name = old.String()
		old = p.Shell.Vars.Get(name)
	}
	if old.Is(vars.ReadOnly) {
		if p.Shell.Opts.on(OptPosix) {
			return readOnly(name)
		}
		return m.report(p, "%s: readonly variable", name) // the command runs without it
	}
	x := m.x(f)
	prev := ""
	if a.add {
		prev = old.String()
	}
	seen := false
	for _, s := range x.Vars {
		seen = seen || s.Name == name
	}
	if !seen {
		x.Vars = append(x.Vars, Saved{Name: name, Var: old, Temp: true})
		if name == "POSIXLY_CORRECT" {
			if x.Undo == nil {
				x.Undo = &Undo{}
			}
			x.Undo.Opts, x.Undo.Posix = p.Shell.Opts, true
		}
	}
	attrs := vars.Export
	if old.Is(vars.Integer) && a.add { // only a sum is computed
		n, err := expand.EvalValue(e, value)
		if err != nil {
			return err
		}
		o, err := expand.EvalValue(e, prev)
		if err != nil {
			return err
		}
		prev, value = "", itoa(int(o+n))
	}
	m.retain(len(prev) + len(value))
	p.Shell.Vars.Bind(name, vars.New(prev+value, attrs))
	if p.Shell.Opts.on(OptXtrace) {
		m.trace(p, name+"="+traceValue(value, p.Shell.bytes()))
	}
	if name != "PATH" { // what was found through the other one holds again
		m.noticed(p, name)
	}
	return nil
}

func (m *Machine) value(e expand.Env, w *expand.Word) (string, error) {
	if w == nil {
		return "", nil
	}
	return expand.String(e, w)
}

// runSimple starts the command of an expanded frame.
func (m *Machine) runSimple(p *Process, f *Frame, c *simple) {
	f.PC = simpleEnd
	words := f.Words
	if len(words) == 0 {
		p.Status, p.Shell.Last = p.Subst, ""
		return
	}
	if f.X == nil { // nothing to undo: the command needs no frame below it
		m.pop(p)
		m.run(p, words, nil)
		return
	}
	m.run(p, words, f)
}

// run starts a command whose words are known: a function, a builtin, a tool,
// a utility, a file. f is its frame if it has one to come back to.
func (m *Machine) run(p *Process, argv []string, f *Frame) {
	name := argv[0]
	if name != "" && name[0] == '%' {
		if b := builtins[p.jobWord(f)]; b != nil {
			m.runBuiltin(p, b, append([]string{b.name}, argv...), f)
			return
		}
	}
	if fn, ok := p.Shell.Funcs.Get(name); ok && !(p.Shell.Opts.on(OptPosix) && p.special(name)) {
		var temp []Saved
		if f != nil && len(f.X.Vars) > 0 {
			temp, f.X.Vars = f.X.Vars, nil
		}
		m.callFunction(p, fn, argv, temp)
		return
	}
	if b := builtins[name]; b != nil && !p.disabled(name) {
		m.runBuiltin(p, b, argv, f)
		return
	}
	p.Shell.Last = argv[len(argv)-1]
	m.external(p, argv)
}

// jobWord is the builtin that a command whose name begins with % stands for: fg, or bg where it is a job
// of its own; none in a stage of a pipeline that is nothing else.
func (p *Process) jobWord(f *Frame) string {
	st, ok := p.Frames[0].node.(*stmt)
	below := len(p.Frames) - 1
	if f != nil {
		below--
	}
	if !ok || p.Frames[below].Kind != FList || p.Frames[below].node != node(st.alone) {
		return "fg"
	}
	if _, ok = st.cmd.(*simple); !ok {
		return "fg"
	}
	if st.background {
		return "bg"
	}
	return ""
}

// runBuiltin calls a builtin inside its frame, if it has one.
func (m *Machine) runBuiltin(p *Process, b *builtin, argv []string, f *Frame) {
	depth := len(p.Frames)
	stay := b.special && f != nil && p.Shell.Opts.on(OptPosix) // assignments before a special builtin do
	switch {
	case !stay || argv[0] == "unset":
	case argv[0] == "eval":
		f.Words = m.list(p, argv) // its end looks at them
	default:
		f.X.Vars = nil
	}
	last := argv[len(argv)-1]
	status := m.builtin(p, b, argv)
	p.lastArg(last)
	if status < 0 {
		return
	}
	p.Status = status & 0xff
	if f != nil {
		if stay {
			f.X.Vars = nil // but for those that unset has taken
		}
		if len(p.Frames) >= depth && p.top().Kind == FSimple && p.top().PC == simpleEnd {
			m.pop(p)
		}
	}
	m.builtinDone(p, b.special, status)
}

// lastArg notes the last argument of a builtin that has run: $_. What eval and
// source run sees the one before, so they note theirs at their end.
func (p *Process) lastArg(last string) {
	if n := len(p.Frames); n > 1 && p.Frames[n-1].Kind == FScript && p.Frames[n-1].I == 0 && p.Frames[n-2].Kind == FEval {
		p.Frames[n-2].X.Text = last
		return
	}
	p.Shell.Last = last
}

// builtin calls a builtin. One that meets a command in a text made at run time,
// such as let 'a[$(cmd)]', is given up and run again by a frame with a memo.
func (m *Machine) builtin(p *Process, b *builtin, argv []string) int {
	if p.Shell.Opts.on(optRestricted) && m.forbids(p, argv) {
		return 1
	}
	m.rt.need, m.rt.giving = nil, true
	status := b.run(m, p, argv)
	m.rt.giving = false
	if m.rt.need == nil {
		return status
	}
	m.rt.need = nil
	m.stepAgain(p, p.push(Frame{Kind: FAgain, Words: m.list(p, argv), X: &Extra{}}))
	return pushed
}

// stepAgain runs a builtin that needs the output of commands.
func (m *Machine) stepAgain(p *Process, f *Frame) {
	b := builtins[f.Words[0]]
	status, at := 0, len(p.Frames)-1
	done, _ := m.expanded(p, f, func(e expand.Env) error {
		m.rt.memo, m.rt.giving, m.rt.need = e, true, nil
		status = b.run(m, p, f.Words)
		m.rt.memo, m.rt.giving = nil, false
		if m.rt.need != nil {
			return expand.ErrNeed
		}
		return nil
	})
	if !done {
		return
	}
	if status < 0 {
		if len(p.Frames) > at+1 && p.Frames[at].Kind == FAgain { // the builtin goes on in a frame of its own
			p.Frames = slices.Delete(p.Frames, at, at+1)
		}
		return
	}
	m.pop(p)
	m.done(p, status)
}

// external runs what is neither function nor builtin: a tool, or a file found through PATH.
func (m *Machine) external(p *Process, argv []string) {
	name := argv[0]
	if p.Shell.Opts.on(optRestricted) && strings.Contains(name, "/") {
		m.complain(p, "%s: restricted: cannot specify `/' in command names", name)
		m.done(p, 1)
		return
	}
	if t, ok := m.Tools.Get(name); ok {
		m.callTool(p, t, argv)
		return
	}
	path, err := m.lookUp(p, name)
	if err != nil {
		if path != "" {
			name = path
		}
		m.notRun(p, name, err)
		return
	}
	m.execFile(p, path, argv, false)
}

// lastOf reports whether the command at hand is the last thing a process does,
// so that it takes the process's place: kill $! is for it, and its number is $!.
func (m *Machine) lastOf(p *Process) bool {
	if p.PID == m.Procs[0].PID || slices.ContainsFunc(p.Shell.Traps, func(t Trap) bool { return t.Text != "" && !t.Inherited }) {
		return false
	}
	return m.atEnd(p, p.Frames)
}

// atEnd reports whether frames have nothing left to do but to end. bash -c ends so, too, with its last command.
func (m *Machine) atEnd(p *Process, frames []Frame) bool {
	whole := false
	for i := range frames {
		switch f := &frames[i]; f.Kind {
		case FBottom:
			if i > 0 {
				return false
			}
		case FScript: // a ghost has no text
			if f.X == nil || f.X.Data != nil || f.X.Text != "" && !(p.Sub == 0 && f.X.Call == "" && p.Shell.Exec != "" && strings.TrimSpace(f.X.Text[f.I:]) == "") {
				return false
			}
			whole = whole || f.X.Text != "" // bash -c keeps what its redirections are to be undone for
		case FFunc, FEval:
			if f.PC != ghost {
				return false
			}
		case FList:
			l, ok := f.node.(*list)
			if !ok || f.I < len(l.stmts) {
				return false
			}
		case FSimple:
			if f.PC != simpleEnd || i < len(frames)-1 || whole && f.X != nil && len(f.X.Saves) > 0 {
				return false
			}
		case FStmt: // of a negated job
			if st := f.node.(*stmt); f.PC != 1 || !st.background {
				return false
			}
		default:
			return false
		}
	}
	return len(frames) > 0
}

// notRun reports a command that cannot be run: 127 if it is not there, 126 if it may not run.
func (m *Machine) notRun(p *Process, name string, err error) {
	if fn, ok := p.Shell.Funcs.Get("command_not_found_handle"); ok && err == errNotFound && !strings.Contains(name, "/") {
		c := m.fork(p, Frame{Kind: FBottom})
		m.callFunction(c, fn, append([]string{fn.Name}, name), nil)
		p.push(Frame{Kind: FWaitSub, Child: c.PID})
		p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
		return
	}
	m.childEnded(p) // bash looks in a child
	switch {
	case err == errNotFound:
		m.complain(p, "%s: command not found", printable(name, p.Shell.bytes()))
		m.done(p, 127)
	case err == vfs.ENOENT || err == vfs.ENOTDIR:
		m.complain(p, "%s: %s", name, err)
		m.done(p, 127)
	case err == vfs.EISDIR:
		m.complain(p, "%s: Is a directory", name)
		m.done(p, 126)
	default:
		m.complain(p, "%s: %s", name, err)
		m.done(p, 126)
	}
}

// done ends a command that ran without a frame of its own on top.
func (m *Machine) done(p *Process, status int) {
	p.Status = status
	if n := len(p.Frames); n > 0 && p.Frames[n-1].Kind == FSimple && p.Frames[n-1].PC == simpleEnd {
		return // its frame looks at the status
	}
	m.setPipe(p, status)
	m.afterCommand(p)
}

// find looks a command up: a name with a slash is a path, another goes through PATH.
func (m *Machine) find(p *Process, name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, m.runnable(p, name)
	}
	if name == "" {
		return "", errNotFound
	}
	denied, first := false, ""
	for dir := range strings.SplitSeq(m.pathVar(p), ":") {
		path := m.inDir(p, dir, name)
		switch m.runnable(p, path) {
		case nil:
			return path, nil
		case vfs.EACCES:
			denied = true
			if first == "" {
				first = path
			}
		}
	}
	if denied {
		return first, vfs.EACCES
	}
	return "", errNotFound
}

// inDir is the path of a file in a directory of PATH, where a tilde means what it means in a word.
func (m *Machine) inDir(p *Process, dir, name string) string {
	switch {
	case dir == "":
		dir = "."
	case dir[0] == '~' && !p.Shell.Opts.on(OptPosix):
		dir = expand.Tilde(m.env(p), dir)
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// inPath reports whether something of that name in a directory of PATH fails to run with an error.
func (m *Machine) inPath(p *Process, name string, why error) bool {
	for dir := range strings.SplitSeq(m.pathVar(p), ":") {
		if name != "" && m.runnable(p, m.inDir(p, dir, name)) == why {
			return true
		}
	}
	return false
}

func (m *Machine) pathVar(p *Process) string { return p.Shell.Vars.Get("PATH").String() }

// runnable reports why a path cannot be executed, or nil.
func (m *Machine) runnable(p *Process, path string) error {
	st, err := m.FS.Stat(m.at(p), path)
	if err != nil {
		_, err = m.statTool(p, path, err)
		return err
	}
	if st.Mode.IsDir() {
		return vfs.EISDIR
	}
	return m.FS.Access(m.at(p), path, vfs.X_OK)
}
