package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// outBuffer is how much a utility's stdout collects before it is written, as
// the buffer of a C program's stdout does.
const outBuffer = 4096

// execFile runs the file at path: a utility, or a script for a new shell.
// replace says that the process becomes it, as exec does.
func (m *Machine) execFile(p *Process, path string, argv []string, replace bool) {
	full := m.abs(p, path)
	st, err := m.FS.Stat(m.cred(), full)
	if t, ok := m.toolAt(full); ok && err == vfs.ENOENT {
		if replace {
			m.becomeUtility(p)
		}
		m.callTool(p, t, argv)
		return
	}
	if err != nil {
		m.notRun(p, argv[0], err)
		return
	}
	if name, ok := m.FS.Stub(st.Ino); ok {
		m.execUtility(p, name, argv, replace)
		return
	}
	head := make([]byte, 256)
	ino, err := m.FS.Lookup(m.cred(), full, true)
	if err == nil {
		var n int
		n, err = m.FS.ReadAt(ino, head, 0, m.now())
		head = head[:n]
	}
	if err != nil && len(head) == 0 && st.Size > 0 {
		m.notRun(p, argv[0], err)
		return
	}
	if name, ok := m.stubText(head); ok { // a copy of a generated file
		m.execUtility(p, name, argv, replace)
		return
	}
	m.execScript(p, path, head, argv, replace)
}

// stubText recognises the text of a generated utility, wherever it was copied to.
func (m *Machine) stubText(head []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(head, []byte("# "))
	if !ok {
		return "", false
	}
	name, ok := bytes.CutSuffix(rest, []byte(": built in\n"))
	return string(name), ok && m.lib.reg.Lookup(string(name)) != nil
}

// execScript runs an interpreter named by #!, or the shell.
func (m *Machine) execScript(p *Process, path string, head []byte, argv []string, replace bool) {
	args := append([]string{"bash", path}, argv[1:]...)
	if rest, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		interp, arg, has := strings.Cut(strings.TrimSpace(string(line)), " ")
		args = []string{interp}
		if arg = strings.TrimSpace(arg); has && arg != "" {
			args = append(args, arg)
		}
		args = append(append(args, path), argv[1:]...)
		if err := m.runnable(p, interp); err != nil {
			m.complain(p, "%s: %s: bad interpreter: %s", argv[0], interp, err)
			m.done(p, map[bool]int{true: 127, false: 126}[err == vfs.ENOENT])
			return
		}
		name := interp[strings.LastIndexByte(interp, '/')+1:]
		if name != "bash" && name != "sh" {
			if m.lib.reg.Lookup(name) == nil {
				m.execFile(p, interp, args, replace)
				return
			}
			m.execUtility(p, name, args, replace)
			return
		}
		args[0] = name
	} else if bytes.IndexByte(head, 0) >= 0 {
		m.complain(p, "%s: cannot execute binary file: Exec format error", argv[0])
		m.done(p, 126)
		return
	}
	m.newShell(p, args, replace)
}

// execUtility starts a utility of the registry in this process: its frame is
// its whole life, so no process is needed.
func (m *Machine) execUtility(p *Process, name string, argv []string, replace bool) {
	if name == "bash" || name == "sh" {
		m.newShell(p, argv, replace)
		return
	}
	def := m.lib.reg.Lookup(name)
	if def == nil {
		m.notRun(p, argv[0], errNotFound)
		return
	}
	if replace {
		m.becomeUtility(p)
	}
	u := &Util{Name: name, Argv: argv}
	kind := FUtil
	if def.Class == cmd.Filter {
		kind = FFilter
	}
	p.push(Frame{Kind: kind, X: &Extra{Util: u}})
	if kind == FUtil {
		m.stepUtil(p, p.top())
	}
}

// becomeUtility drops what exec drops: every frame but the bottom, and the traps.
func (m *Machine) becomeUtility(p *Process) {
	for len(p.Frames) > 0 && p.top().Kind != FBottom {
		if p.top().X != nil {
			m.keep(p.top())
			p.top().X.Vars = nil
		}
		m.pop(p)
	}
	p.Shell.Traps = ignored(p.Shell.Traps)
	if len(p.Frames) > 0 {
		p.top().N = 1
	}
}

// context makes the Ctx of a utility in flight; parsing its arguments again
// gives the same flags. done says the command line was wrong or asked for help.
func (m *Machine) context(p *Process, u *Util) (status int, done bool) {
	s := &sysCtx{}
	c := &cmd.Ctx{Name: u.Argv[0], System: s}
	s.m, s.p, s.u, s.c = m, p, u, c
	u.ctx = c
	return cmd.Parse(c, m.lib.reg.Lookup(u.Name), u.Argv[1:])
}

// stepUtil gives a utility a turn.
func (m *Machine) stepUtil(p *Process, f *Frame) {
	u := f.X.Util
	def := m.lib.reg.Lookup(u.Name)
	if u.ctx == nil {
		if status, done := m.context(p, u); done {
			m.finishUtil(p, u, status)
			return
		}
	}
	s := u.ctx.System.(*sysCtx)
	s.m, s.p = m, p
	if def.Class == cmd.Atomic {
		m.finishUtil(p, u, def.Run(u.ctx))
		return
	}
	if u.Prog == nil {
		u.Prog = def.New()
	}
	u.Begun = true
	u.ctx.Out.B = u.Out
	next := turn(u)
	m.charge(4)
	if len(p.Frames) == 0 || p.top().X == nil || p.top().X.Util != u {
		return // a limit or a signal took it away
	}
	if m.oversize(p, u) {
		return
	}
	m.flushUtil(p, u, next.Op == cmd.OpExit || len(u.ctx.Out.B) >= outBuffer || next.Op == cmd.OpExec)
	if m.oversize(p, u) {
		return
	}
	switch next.Op {
	case cmd.OpExit:
		m.finishUtil(p, u, next.Status)
	case cmd.OpWaitRead:
		if file, ok := p.fd(next.FD); ok {
			p.Wait = Wait{Kind: WaitsRead, File: file}
		}
	case cmd.OpWaitWrite:
		if len(p.Queue) == 0 { // it gives way to the others
			m.Sched.Quantum = 0
		}
		p.Wait = Wait{Kind: WaitsWrite}
	case cmd.OpWaitChild:
		p.Wait = Wait{Kind: WaitsChild, Until: next.Until}
	case cmd.OpSleep:
		p.Wait = Wait{Kind: WaitsSleep, Until: next.Until}
	case cmd.OpExec:
		m.execUtil(p, u, next)
	}
}

// turn gives a program its turn. One that panics, over a fault of its own or a
// state that nobody but an attacker made, ends as if a signal had ended it.
func turn(u *Util) (next cmd.Next) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *stop:
			panic(x)
		default:
			u.ctx.Errout.WriteString(fmt.Sprintf("%s: internal error: %v\n", u.ctx.Name, x))
			next = cmd.Exit(panicStatus)
		}
	}()
	return u.Prog.Step(u.ctx)
}

// panicStatus is what abort(3) would give.
const panicStatus = 134

// execUtil: a utility becomes another command (env, nice). It runs as a process
// with that environment, and its status is this command's.
func (m *Machine) execUtil(p *Process, u *Util, next cmd.Next) {
	s := u.ctx.System.(*sysCtx)
	pid, err := s.Spawn(cmd.Spawn{Argv: next.Argv, Env: next.Env})
	if err != nil {
		m.finishUtil(p, u, 126)
		return
	}
	u.Kids = nil
	m.pop(p)
	p.push(Frame{Kind: FWaitSub, Child: pid, I: became})
	p.Wait = Wait{Kind: WaitsChild, PID: pid}
}

// became marks a frame that waits for what its utility has become: a signal to one is a signal to the other.
const became = 1

// standsIn reports whether a utility is the command it starts: in a real system it would become that,
// or, as timeout, hand on what ends it.
func standsIn(name string) bool {
	return slices.Contains([]string{"chroot", "env", "ionice", "nice", "nohup", "setsid", "stdbuf", "timeout"}, name)
}

// passOn gives a signal that ends a process to the command it stands for.
func (m *Machine) passOn(p *Process, sig int) {
	if len(p.Frames) == 0 {
		return
	}
	var pids []int
	switch f := p.top(); {
	case f.Kind == FWaitSub && f.I == became:
		pids = []int{f.Child}
	case f.Kind == FUtil && standsIn(f.X.Util.Name):
		pids = f.X.Util.Kids
	}
	for _, pid := range pids {
		if c := m.proc(pid); c != nil && !c.Dead {
			m.signal(c, sig)
		}
	}
}

// flushUtil hands stderr, and stdout if it is due, to the process's queue.
func (m *Machine) flushUtil(p *Process, u *Util, out bool) {
	c := u.ctx
	if len(c.Errout.B) > 0 {
		_ = m.send(p, 2, c.Errout.B)
		c.Errout.B = c.Errout.B[:0]
	}
	u.Out = c.Out.B
	if out && len(u.Out) > 0 {
		m.sendOut(p, u)
	}
	c.Out.B = u.Out
}

func (m *Machine) sendOut(p *Process, u *Util) {
	err := m.send(p, 1, u.Out)
	u.Out = u.Out[:0]
	if cap(u.Out) > 1<<18 {
		u.Out = nil
	}
	if err != nil && err != vfs.EPIPE && !u.Failed && !m.rt.oversize {
		u.Failed = true
		_ = m.send(p, 2, []byte(u.ctx.Name+": write error: "+err.Error()+"\n"))
	}
}

// oversize ends a utility that has written beyond what ulimit -f allows, as
// SIGXFSZ does: without a word of its own. It reports whether it did.
func (m *Machine) oversize(p *Process, u *Util) bool {
	if !m.rt.oversize {
		return false
	}
	m.rt.oversize = false
	m.pop(p)
	m.done(p, 128+sigXFSZ)
	return true
}

// finishUtil ends a utility with a status.
func (m *Machine) finishUtil(p *Process, u *Util, status int) {
	u.Out = large.Push(nil, u.ctx.Out.B, u.ctx)
	if len(u.ctx.Errout.B) > 0 {
		_ = m.send(p, 2, u.ctx.Errout.B)
		u.ctx.Errout.B = nil
	}
	if len(u.Out) > 0 {
		m.sendOut(p, u)
	}
	if u.Failed && status == 0 {
		status = 1
	}
	if m.rt.oversize {
		m.rt.oversize, status = false, 128+sigXFSZ
	}
	m.pop(p)
	m.done(p, status&255)
}

// endUtil closes what a utility opened and leaves its children to the shell.
func (m *Machine) endUtil(p *Process, u *Util) {
	for _, n := range u.Fds {
		if old := p.take(n); old >= 0 {
			m.unref(old)
		}
	}
	u.Fds = nil
	for _, pid := range u.Kids {
		if c := m.proc(pid); c != nil {
			if c.Dead {
				m.remove(pid)
			} else {
				c.PPID = m.Procs[0].PID
			}
		}
	}
	if u.fiber != nil {
		u.fiber.kill()
		u.fiber = nil
	}
}

// spawn makes a process that runs argv as execvp would: of the functions it has
// those it passes on.
func (m *Machine) spawn(p *Process, s cmd.Spawn) (*Process, error) {
	c := m.fork(p, Frame{Kind: FBottom})
	c.Shell.Traps = ignored(c.Shell.Traps)
	funcs := persist.Map[*Function]{}
	if s.Env == nil {
		for name, fn := range exportedFuncs(c.Shell) {
			funcs.Set(m.epoch, name, fn)
		}
	}
	c.Shell.Funcs = funcs
	c.Sub = p.Sub
	c.FDs = c.FDs[:0]
	for _, d := range p.FDs {
		if d.Exec {
			m.unref(d.File)
			continue
		}
		c.FDs = append(c.FDs, d)
	}
	set := func(num, from int) error {
		file, ok := p.fd(from)
		if !ok {
			return vfs.EBADF
		}
		if old := c.put(num, m.ref(file), false); old >= 0 {
			m.unref(old)
		}
		return nil
	}
	if s.Stdin < 0 {
		if old := c.put(0, m.newFile(OFD{Kind: FileNull, Flags: vfs.O_RDONLY}), false); old >= 0 {
			m.unref(old)
		}
	} else if s.Stdin > 0 {
		if err := set(0, s.Stdin); err != nil {
			return c, err
		}
	}
	if s.Stdout > 0 {
		if err := set(1, s.Stdout); err != nil {
			return c, err
		}
	}
	if s.Env != nil {
		t := vars.NewTable()
		for _, kv := range s.Env {
			if k, v, ok := strings.Cut(kv, "="); ok {
				t.Bind(k, vars.New(v, vars.Export))
			}
		}
		if t.Get("PATH") == nil {
			t.Bind("PATH", vars.New(m.pathVar(p), 0))
		}
		c.Shell.Vars = t
	}
	if s.Dir != "" {
		dir := m.abs(c, s.Dir)
		if err := m.FS.Access(m.cred(), dir, vfs.X_OK); err != nil {
			return c, err
		}
		c.Cwd = dir
	}
	return c, nil
}

// runSpawned starts the command of a spawned process.
func (m *Machine) runSpawned(c *Process, argv []string) {
	if t, ok := m.Tools.Get(argv[0]); ok {
		m.callTool(c, t, argv)
		return
	}
	path, err := m.find(c, argv[0])
	if err != nil {
		c.Status = 126
		if err == errNotFound || err == vfs.ENOENT {
			c.Status = 127
		}
		return
	}
	m.execFile(c, path, argv, true)
}

// newShell runs bash or sh as a process of its own: only exported variables and
// functions go in.
func (m *Machine) newShell(p *Process, argv []string, replace bool) {
	c := p
	if replace = replace || m.lastOf(p); !replace {
		c = m.fork(p, Frame{Kind: FBottom})
	} else {
		m.becomeUtility(p)
	}
	m.resetShell(c, p.Shell)
	if status := m.shellArgs(c, argv); status >= 0 {
		c.Status = status
	}
	if !replace {
		p.push(Frame{Kind: FWaitSub, Child: c.PID})
		p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
	}
}

// resetShell gives a process the state of a bash that has just started.
func (m *Machine) resetShell(c *Process, from *Shell) {
	t := vars.NewTable()
	for name, v := range from.Vars.All() {
		if _, function := passedFunc(name); exported(v) && !function {
			t.Bind(name, vars.New(v.String(), vars.Export))
		}
	}
	sh := &Shell{Vars: t, Opts: defaultOptions(), Random: uint64(uint32(m.Rand.next())),
		Origin: Origin{PID: c.PID, Started: m.now(), Name: "bash"}}
	sh.Traps = ignored(from.Traps)
	c.FDs = m.closeExec(c.FDs)
	c.Shell = sh
	c.Sub, c.Subs, c.NoErr, c.Line, c.Status = 0, 0, false, 0, 0
	m.initVars(c)
	m.importFunctions(c, from)
}

// ignored are the signals that stay ignored in a command that is started.
func ignored(traps []Trap) (left []Trap) {
	for _, tr := range traps {
		if tr.Text == "" && !tr.Inherited {
			left = append(left, tr)
		}
	}
	return left
}

func (m *Machine) closeExec(fds []FD) []FD {
	var out []FD
	for _, d := range fds {
		if d.Exec {
			m.unref(d.File)
			continue
		}
		out = append(out, d)
	}
	return out
}

// pushScript pushes the frame that reads and runs a text. call says how bash
// came to it: "", "source", "eval", "trap".
func (m *Machine) pushScript(p *Process, name, text string, line int, call string) {
	if strings.Contains(text, "<<") && !strings.HasSuffix(text, "\n") {
		text += "\n" // a here-document may run to the end
	}
	x := m.extra()
	x.Text, x.Name, x.Line, x.Call = expand.EncodeText(text), name, line, call
	p.push(Frame{Kind: FScript, X: x})
}
