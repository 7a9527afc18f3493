package shell

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
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
	im, interp, err := m.image(p, path, argv)
	switch {
	case err == errBinary:
		m.complain(p, "%s: %s", argv[0], err)
		m.done(p, 126)
	case err != nil && interp != "":
		m.badInterpreter(p, argv[0], interp, err)
	case err != nil:
		m.notRun(p, argv[0], err)
	case im.tool != nil:
		if replace {
			m.becomeUtility(p)
		}
		m.callTool(p, *im.tool, im.argv)
	case im.util != "" && im.util != "bash" && im.util != "sh":
		m.execUtility(p, im.util, im.argv, replace)
	default:
		if strings.Contains(argv[0], "/") {
			path = argv[0]
		}
		m.newShell(p, path, im.argv, replace)
	}
}

// badInterpreter tells that a script's interpreter does not run. Of one that is not there bash
// speaks as of a command, of another without a line.
func (m *Machine) badInterpreter(p *Process, name, interp string, err error) {
	if err == vfs.ENOENT {
		m.complain(p, "%s: cannot execute: required file not found", name)
		m.done(p, 127)
		return
	}
	if err == vfs.EISDIR {
		err = vfs.EACCES
	}
	m.complainRaw(p, errorName(p)+": "+name+": "+interp+": bad interpreter: "+err.Error()+"\n")
	m.done(p, 126)
}

// image is what execve(2) makes of a file: a utility, a tool, or else a shell.
type image struct {
	util string
	tool *Tool
	argv []string
}

// errBinary is of a file that is no script.
var errBinary = errors.New("cannot execute binary file: Exec format error")

// maxInterpreters is how many #! lines may name each other, as in Linux.
const maxInterpreters = 5

// image follows the #! lines of the file at path. interp is the interpreter that it names itself.
func (m *Machine) image(p *Process, path string, argv []string) (im image, interp string, err error) {
	file, args := path, argv
	for level := 0; ; level++ {
		st, err := m.FS.Stat(m.at(p), file)
		if err == vfs.ENOENT {
			if t, ok := m.toolAt(m.abs(p, file)); ok {
				return image{tool: &t, argv: args}, interp, nil
			}
		}
		if err != nil {
			return im, interp, err
		}
		if name, ok := m.FS.Stub(st.Ino); ok {
			return image{util: name, argv: shellNamed(name, args, level)}, interp, nil
		}
		head, err := m.head(st.Ino, st.Size)
		if err != nil {
			return im, interp, err
		}
		if name, ok := m.stubText(head); ok { // a copy of a generated file
			return image{util: name, argv: shellNamed(name, args, level)}, interp, nil
		}
		next, arg, named := interpreter(head)
		if name := file[strings.LastIndexByte(file, '/')+1:]; !named && level > 0 && m.lib.reg.Lookup(name) != nil {
			return image{util: name, argv: shellNamed(name, args, level)}, interp, nil
		}
		switch {
		case !named && bytes.IndexByte(head, 0) >= 0:
			return im, interp, errBinary
		case !named: // also where it is the interpreter: the shell runs the script itself
			return image{argv: append([]string{"bash", path}, argv[1:]...)}, interp, nil
		case level == maxInterpreters:
			return im, interp, vfs.ELOOP
		case level == 0:
			interp = next
		}
		if err := m.runnable(p, next); err != nil {
			return im, interp, err
		}
		script := append([]string{next}, arg...)
		args = append(append(script, file), args[1:]...)
		file = next
	}
}

// shellNamed is the command line of an interpreter, which as a shell goes by its name alone.
func shellNamed(name string, args []string, level int) []string {
	if level > 0 && (name == "bash" || name == "sh") {
		args[0] = name
	}
	return args
}

// head is the beginning of a file, where execve(2) looks for #!.
func (m *Machine) head(ino vfs.Ino, size int64) ([]byte, error) {
	head := make([]byte, 256)
	n, err := m.FS.ReadAt(ino, head, 0, m.now())
	if n > 0 || size == 0 {
		err = nil
	}
	return head[:n], err
}

// interpreter reads a #! line: the path and the one argument there may be.
func interpreter(head []byte) (path string, arg []string, ok bool) {
	rest, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return "", nil, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	path = strings.Trim(string(line), " \t")
	if i := strings.IndexAny(path, " \t"); i >= 0 {
		path, arg = path[:i], []string{strings.TrimLeft(path[i:], " \t")}
	}
	return path, arg, path != ""
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

// execUtility starts a utility of the registry in this process: its frame is
// its whole life, so no process is needed.
func (m *Machine) execUtility(p *Process, name string, argv []string, replace bool) {
	if name == "bash" || name == "sh" {
		m.newShell(p, "/usr/bin/"+name, argv, replace)
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
	if kind == FUtil && !m.rt.turning { // env env env … would step within a step
		m.stepUtil(p, p.top())
	}
}

// becomeUtility drops what exec drops: every frame but the bottom, and the traps.
func (m *Machine) becomeUtility(p *Process) {
	p.passHidden(p)
	for len(p.Frames) > 0 && p.top().Kind != FBottom {
		if p.top().X != nil {
			m.keep(p.top())
			p.top().X.Vars = nil
		}
		m.pop(p)
	}
	p.Shell.Traps = ignored(p.Shell.Traps)
	p.heed(sigINT)
	p.heed(sigQUIT)
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
	if u.Ended > 0 {
		m.finishUtil(p, u, u.Ended-1)
		return
	}
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
	m.rt.turning = true
	next := turn(u)
	m.rt.turning = false
	m.charge(4)
	if len(p.Frames) == 0 || p.top().X == nil || p.top().X.Util != u {
		return // a limit or a signal took it away
	}
	if m.oversize(p, u) {
		return
	}
	err := m.flushUtil(p, u, next.Op == cmd.OpExit || len(u.ctx.Out.B) >= outBuffer || next.Op == cmd.OpExec)
	if m.oversize(p, u) {
		return
	}
	if m.pipeBroke(p) {
		m.endByPipe(p)
		return
	}
	if u.Failed && !def.Acts {
		m.finishUtil(p, u, 1)
		return
	}
	switch next.Op {
	case cmd.OpExit:
		if next.Signal != 0 {
			m.ended(p, next.Signal)
		} else if err != nil && next.Status == 0 {
			next.Status = m.unheard(u)
		}
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
		case runtime.Error:
			if _, runs := u.Prog.(cmd.Interpreter); runs && u.loaded {
				next = u.ctx.Unfit("its stack is not what its program makes")
				return
			}
			next = u.panicked(x)
		default:
			next = u.panicked(x)
		}
	}()
	return u.Prog.Step(u.ctx)
}

// panicked ends a utility as if a signal had ended it.
func (u *Util) panicked(x any) cmd.Next {
	u.ctx.Errout.WriteString(fmt.Sprintf("%s: internal error: %v\n", u.ctx.Name, x))
	return cmd.Exit(panicStatus)
}

// panicStatus is what abort(3) would give.
const panicStatus = 134

// execUtil: a utility becomes another command (env, nice). In the foreground of a shell, which
// goes on afterwards, the command is a child of the shell.
func (m *Machine) execUtil(p *Process, u *Util, next cmd.Next) {
	alone := m.isCommand(p)
	u.Kids = nil
	m.pop(p)
	m.rt.turning = true // env env … takes a step for each
	defer func() { m.rt.turning = false }()
	if !alone {
		c, err := m.spawn(p, *next.Spawn)
		if err != nil {
			m.exit(c, 126)
			m.remove(c.PID)
			m.done(p, 126)
			return
		}
		m.runSpawned(c, next.Spawn.Argv)
		p.push(Frame{Kind: FWaitSub, Child: c.PID})
		p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
		return
	}
	m.handOn(p)
	m.becomeUtility(p)
	if err := m.outfit(p, *next.Spawn); err != nil {
		m.done(p, 126)
		return
	}
	m.runSpawned(p, next.Spawn.Argv)
}

// became marks a frame that waits for what its utility has become, as older versions did: a signal to one is a signal to the other.
const became = 1

// handOn lets the command that an asynchronous process becomes ignore what that was started to ignore.
func (m *Machine) handOn(p *Process) {
	for sig, opt := range map[int]Option{sigINT: optNoInt, sigQUIT: optNoQuit} {
		if p.startedFor() && p.Shell.Opts.on(opt) && p.trap(sig) == nil {
			p.addTrap(Trap{Signal: sig})
		}
	}
}

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

// sendErrors hands stderr to the process's queue.
func (m *Machine) sendErrors(p *Process, c *cmd.Ctx) error {
	if len(c.Errout.B) == 0 {
		return nil
	}
	err := m.send(p, 2, c.Errout.B)
	c.Errout.B = c.Errout.B[:0]
	return err
}

// unheard is the status of a utility that ended well, but could not say its last words: GNU coreutils close stderr, and fail.
func (m *Machine) unheard(u *Util) int {
	if def := m.lib.reg.Lookup(u.Name); def.Origin == "" {
		return max(def.Status, 1)
	}
	return 0
}

// flushUtil hands stderr, and stdout if it is due, to the process's queue. The error is stderr's.
func (m *Machine) flushUtil(p *Process, u *Util, out bool) error {
	c := u.ctx
	err := m.sendErrors(p, c)
	u.Out = c.Out.B
	if out && len(u.Out) > 0 {
		m.sendOut(p, u)
	}
	c.Out.B = u.Out
	return err
}

func (m *Machine) sendOut(p *Process, u *Util) {
	err := m.send(p, 1, u.Out)
	u.Out = u.Out[:0]
	if cap(u.Out) > 1<<18 {
		u.Out = nil
	}
	if err != nil && !slices.Contains(p.Signal, sigPIPE) {
		m.writeFailed(p, u, err)
	}
}

// writeFailed reports, once, that a utility cannot write to its standard output.
func (m *Machine) writeFailed(p *Process, u *Util, err error) {
	if u.Failed || m.rt.oversize {
		return
	}
	u.Failed = true
	text := m.lib.reg.Lookup(u.Name).WriteError
	if text == "" {
		text = "write error: WHY"
	}
	name := u.Argv[0]
	if u.ctx != nil {
		name = u.ctx.Name
	}
	text = strings.NewReplacer("WHY", err.Error(), "NAME", name).Replace(text)
	if !strings.HasPrefix(text, "\n") {
		text = name + ": " + text
	}
	_ = m.send(p, 2, []byte(text+"\n"))
}

// pipeBroke takes back the SIGPIPE that a utility has brought on itself: it ends the utility, which in a real system is
// a process of its own, and not the shell.
func (m *Machine) pipeBroke(p *Process) bool {
	i := slices.Index(p.Signal, sigPIPE)
	if i < 0 {
		return false
	}
	p.Signal = slices.Delete(p.Signal, i, i+1)
	return true
}

// endByPipe ends a utility whose reader is gone.
func (m *Machine) endByPipe(p *Process) {
	m.pop(p)
	m.done(p, 128+sigPIPE)
}

// utilityOnTop gives the utility that a process runs, or nil.
func (p *Process) utilityOnTop() *Util {
	if len(p.Frames) == 0 || p.top().Kind != FUtil && p.top().Kind != FFilter {
		return nil
	}
	return p.top().X.Util
}

// oversize ends a utility that has written beyond what ulimit -f allows, as
// SIGXFSZ does: without a word of its own. It reports whether it did.
func (m *Machine) oversize(p *Process, u *Util) bool {
	if !m.rt.oversize {
		return false
	}
	m.rt.oversize = false
	m.ended(p, sigXFSZ)
	m.pop(p)
	m.done(p, 128+sigXFSZ)
	return true
}

// finishUtil ends a utility with a status.
func (m *Machine) finishUtil(p *Process, u *Util, status int) {
	if u.Ended > 0 { // and written by now
		m.pop(p)
		m.done(p, (u.Ended-1)&255)
		return
	}
	u.Out = large.Push(nil, u.ctx.Out.B, u.ctx)
	if err := m.sendErrors(p, u.ctx); err != nil && status == 0 {
		status = m.unheard(u)
	}
	if len(u.Out) > 0 {
		m.sendOut(p, u)
	}
	if m.pipeBroke(p) {
		status = 128 + sigPIPE
	} else if u.Failed {
		def := m.lib.reg.Lookup(u.Name)
		status = max(def.WriteStatus, 1)
		if def.WriteStatus == 0 && def.Status > 0 {
			status = def.Status
		}
	}
	if len(p.Queue) > 0 { // it has not ended before all is written
		u.Ended = status + 1
		p.Wait = Wait{Kind: WaitsWrite}
		return
	}
	killed := 0
	if m.rt.oversize {
		m.rt.oversize, killed, status = false, sigXFSZ, 128+sigXFSZ
	}
	m.ended(p, killed)
	m.pop(p)
	p.survived(0)
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

// spawn makes a process that runs argv as execvp would.
func (m *Machine) spawn(p *Process, s cmd.Spawn) (*Process, error) {
	c := m.fork(p, Frame{Kind: FBottom})
	c.Sub = p.Sub
	set := func(num, file int) {
		if old := c.put(num, file, false); old >= 0 {
			m.unref(old)
		}
	}
	for num, from := range []int{s.Stdin, s.Stdout} {
		switch {
		case from < 0:
			set(num, m.newFile(OFD{Kind: FileNull, Flags: vfs.O_RDONLY}))
		case from > 0:
			file, ok := p.fd(from)
			if !ok {
				return c, vfs.EBADF
			}
			set(num, m.ref(file))
		}
	}
	return c, m.outfit(c, s)
}

// outfit gives a process what the command it is to be begins with: the environment, of the functions those that
// are passed on, the descriptors that stay open, the directory, the signals it ignores.
func (m *Machine) outfit(c *Process, s cmd.Spawn) error {
	sh := c.Shell
	if s.Nicer != 0 {
		c.setNiceness(c.niceness() + s.Nicer)
	}
	for _, sig := range s.Ignore {
		c.dropTrap(sig)
		c.addTrap(Trap{Signal: sig})
	}
	for _, sig := range s.Default {
		c.dropTrap(sig)
	}
	sh.Traps = ignored(sh.Traps)
	funcs := persist.Map[*Function]{}
	if s.Env == nil {
		for name, fn := range exportedFuncs(sh) {
			funcs.Set(m.epoch, name, fn)
		}
	} else {
		t := vars.NewTable()
		for _, kv := range s.Env {
			if k, v, ok := strings.Cut(kv, "="); ok {
				t.Bind(k, vars.New(v, vars.Export))
			}
		}
		if t.Get("PATH") == nil {
			t.Bind("PATH", vars.New(m.pathVar(c), 0))
		}
		sh.Vars = t
	}
	sh.Funcs = funcs
	c.FDs = m.closeExec(c.FDs)
	if s.Dir != "" {
		if err := m.FS.Access(m.at(c), s.Dir, vfs.X_OK); err != nil {
			return err
		}
		dir, err := m.FS.Lookup(m.at(c), s.Dir, true)
		if err != nil {
			return err
		}
		m.enter(c, m.abs(c, s.Dir), dir)
		if path, err := m.physical(c); err == nil {
			c.Cwd = path
		}
	}
	return nil
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
func (m *Machine) newShell(p *Process, path string, argv []string, replace bool) {
	c := p
	switch {
	case replace:
		m.becomeUtility(p)
	case m.lastOf(p):
		m.handOn(p)
		m.becomeUtility(p)
		replace = true
	default:
		c = m.fork(p, Frame{Kind: FBottom})
		p.passHidden(c)
		m.ownGroup(p, c, c.PID)
	}
	m.resetShell(c, c.Shell)
	c.Shell.Last = path
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
		if _, function := passedFunc(name); exported(v) && !function && name != "_" {
			t.Bind(name, vars.New(v.String(), vars.Export))
		}
	}
	sh := &Shell{Vars: t, Opts: defaultOptions(), Random: uint64(uint32(m.Rand.next())),
		Origin: Origin{PID: c.PID, Started: m.now(), Name: "bash"}}
	sh.Opts.set(optNoQuit, true)
	sh.Traps = ignored(from.Traps)
	for i := range sh.Traps {
		sh.Traps[i].Entry = entryIgnored
	}
	c.FDs = m.closeExec(c.FDs)
	c.Shell = sh
	c.Sub, c.Subs, c.NoErr, c.Line, c.Status = 0, 0, false, 0, 0
	m.initVars(c)
	m.importFunctions(c, from)
}

// ignored are the signals that stay ignored in a command that is started.
func ignored(traps []Trap) (left []Trap) {
	for _, tr := range traps {
		if tr.Text == "" && !tr.Inherited && tr.Signal > sigEXIT && tr.Signal < sigDEBUG && tr.Signal != sigKILL && tr.Signal != sigSTOP {
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
	if text == "" && (call == "eval" || call == "source") {
		p.Status = 0
	}
	x := m.extra()
	x.Text, x.Name, x.Line, x.Call = expand.EncodeText(text), name, line, call
	p.push(Frame{Kind: FScript, X: x})
}
