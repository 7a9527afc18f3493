package shell

import (
	"fmt"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/limit"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Config is what a machine begins with.
type Config struct {
	FS       *vfs.FS
	Registry *cmd.Registry
	Limits   limit.Limits
	Identity Identity
	Env      map[string]string // exported
	Cwd      string
	Clock    Clock
	Seed     uint64
}

// pids of the shell and of its parent; fixed, so that scripts see the same everywhere.
const (
	shellPID  = 1000
	parentPID = 999
)

// New makes a machine with one shell and nothing to do.
func New(c Config) *Machine {
	m := &Machine{FS: c.FS, Limits: c.Limits, Host: c.Identity, Clock: c.Clock, epoch: persist.NewEpoch(), lib: NewLibrary(c.Registry), rt: &transient{}}
	m.Rand.State = c.Seed
	m.Sched.NextPID = shellPID
	m.Files = []OFD{
		{Kind: FileStdin, Flags: vfs.O_RDONLY, Refs: 1},
		{Kind: FileStdout, Flags: vfs.O_WRONLY, Refs: 1},
		{Kind: FileStderr, Flags: vfs.O_WRONLY, Refs: 1},
	}
	p := newProcess(shellPID)
	p.PPID, p.Cwd, p.Umask = parentPID, c.Cwd, 0o022
	if c.FS != nil {
		p.Place.Dir = m.directory(c.Cwd)
	}
	p.FDs = []FD{{Num: 0, File: 0}, {Num: 1, File: 1}, {Num: 2, File: 2}}
	p.Shell.Opts = defaultOptions()
	p.Shell.Opts.set(optNoQuit, true)
	p.Shell.Name, p.Shell.PID = "bash", shellPID
	p.Shell.Started = c.Clock.Now
	p.Shell.Random = uint64(uint32(m.Rand.next()))
	for _, k := range sortedKeys(c.Env) {
		p.Shell.Vars.Bind(k, vars.New(c.Env[k], vars.Export))
	}
	m.Procs = []*Process{p}
	m.initVars(p)
	return m
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Fork gives an independent machine in O(1): both copy what they change, when
// they change it.
func (m *Machine) Fork() *Machine { return m.ForkInto(&Machine{FS: &vfs.FS{}}) }

// ForkInto is Fork into the memory of a machine that nobody needs any more.
func (m *Machine) ForkInto(c *Machine) *Machine {
	m.Close() // codecs are replayed on both sides
	if !m.shared {
		for _, p := range m.Procs {
			p.Shell.Vars.Seal() // both sides will fork them, maybe at the same time
		}
	}
	fs := c.FS
	*c = *m
	m.shared, c.shared = true, true
	m.home, c.home = nil, nil
	c.FS = m.FS.ForkInto(fs)
	c.rt = nil // made when the fork is first used
	return c
}

// CopyInto is ForkInto for a copy that is soon made again, as the state before
// each command is: what a fork would copy when it is first used is copied at
// once, into the memory of the copy before, and m stays as it is.
func (m *Machine) CopyInto(c *Machine) *Machine {
	m.Close()
	fs, h := c.FS, c.home
	if c.shared || h == nil {
		h = &home{}
	} else {
		*h = home{}
	}
	*c = *m
	c.FS = m.FS.ForkInto(fs)
	c.rt = nil
	c.copyParts(h)
	m.epoch = persist.NewEpoch()
	return c
}

// own copies, after a fork, what a run is about to change. The persistent
// parts (variables, functions, files) stay shared and copy themselves.
func (m *Machine) own() {
	if !m.shared {
		return
	}
	if m.rt == nil {
		m.rt = &transient{}
	}
	m.copyParts(&home{})
}

// copyParts copies what a fork shares into h, which is empty.
func (m *Machine) copyParts(h *home) {
	m.shared, m.home = false, h
	m.epoch = persist.NewEpoch()
	procs := h.procs[:0]
	for i, p := range m.Procs {
		r := &h.room
		if i > 0 {
			r = &room{}
		}
		procs = append(procs, p.clone(r, m.lib.reg))
	}
	m.Procs = procs
	m.Files = append(h.files[:0], m.Files...)
	for i := range m.Files {
		if o := &m.Files[i]; o.Kind == FileCapture {
			o.Text = slices.Clip(o.Text) // which nobody changes
			o.Full = o.Full.clone()
		}
	}
	m.Pipes = slices.Clone(m.Pipes)
	for i := range m.Pipes {
		m.Pipes[i].Buf = slices.Clone(m.Pipes[i].Buf)
	}
	m.Calls = slices.Clone(m.Calls)
	m.IO.In = slices.Clip(m.IO.In) // nor this
	m.IO.Out = slices.Clone(m.IO.Out)
	for i := range m.IO.Out {
		m.IO.Out[i].Data = slices.Clone(m.IO.Out[i].Data)
	}
	m.IO.ToolError, m.IO.Missing = slices.Clone(m.IO.ToolError), slices.Clone(m.IO.Missing)
	m.Run.Marks = slices.Clone(m.Run.Marks)
}

// Rand is the World's random stream: SplitMix64 (Steele, Lea, Flood 2014).
type Rand struct {
	State uint64 `cbor:"1,keyasint,omitempty"`
}

func (r *Rand) next() uint64 {
	r.State += 0x9e3779b97f4a7c15
	z := r.State
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Close ends what only a goroutine keeps: codecs in flight.
func (m *Machine) Close() {
	if m.shared {
		return // a fork may go on with them; ours were never started
	}
	for _, p := range m.Procs {
		for i := range p.Frames {
			if x := p.Frames[i].X; x != nil && x.Util != nil && x.Util.fiber != nil {
				x.Util.fiber.kill()
				x.Util.fiber = nil
			}
		}
	}
}

// Start is what a run begins with.
type Start struct {
	Script  string
	Argv    []string // instead of Script: no parsing, no expansion
	Stdin   []byte
	Open    bool              // more input may come
	Env     map[string]string // for this run only, exported
	Cwd     string            // for this run only
	RunID   string
	Timeout int64 // ns; 0 none
	Suspend bool  // meeting a budget suspends instead of ending
}

// size is what the machine keeps of the environment and the words, in bytes.
func (s *Start) size() int64 {
	n := EnvSize(s.Env) + 16*int64(len(s.Argv))
	for _, word := range s.Argv {
		n += int64(len(word))
	}
	return n
}

// EnvSize is about what an environment takes, in bytes.
func EnvSize(env map[string]string) int64 {
	n := int64(0)
	for name, value := range env {
		n += int64(vars.BindingCost + len(name) + len(value))
	}
	return n
}

// Begin starts a run in the shell. There must be none active. One whose environment or words are more than the limit memory has ended.
func (m *Machine) Begin(s Start) error {
	m.own()
	p := m.Procs[0]
	dir := vfs.Ino(0)
	if s.Cwd != "" {
		st, err := m.FS.Stat(m.at(p), s.Cwd)
		if err == nil && !st.Mode.IsDir() {
			err = vfs.ENOTDIR
		}
		if err != nil {
			return err
		}
		dir = st.Ino
	}
	m.RunID = s.RunID
	m.CallSeq = 0
	m.Meter.Runs++
	command := s.Script
	m.Run = RunState{Active: true, Seq: m.Run.Seq + 1, Steps: m.Meter.Steps, Suspend: s.Suspend, Command: command, Started: m.Clock.Now}
	if s.Timeout > 0 {
		if m.Clock.Virtual {
			m.Run.Deadline = limit.Plus(max(m.Clock.Now, 0), s.Timeout)
		} else {
			m.Run.Left = s.Timeout
		}
	}
	m.IO = HostIO{In: s.Stdin, InOpen: s.Open}
	bottom := Frame{Kind: FBottom}
	tooMuch := m.Limits.Memory > 0 && s.size() > m.Limits.Memory
	if tooMuch { // nothing of it becomes the machine's
		s = Start{Script: s.Script}
	}
	if len(s.Env) > 0 || s.Cwd != "" {
		bottom.X = m.lend(p, s.Env, s.Cwd, dir)
	}
	if m.rt.frames == nil {
		m.rt.frames = make([]Frame, 0, 7) // 8 take the next larger size of memory
	}
	p.Frames, m.rt.frames = append(m.rt.frames, bottom), nil
	m.ownStreams(p)
	p.Depth, p.Line = 0, 1
	p.Shell.Opts.set(optFed, false)
	m.Sched.Cur, m.Sched.Quantum = p.PID, quantum
	p.Shell.Exec = command
	if tooMuch {
		m.exceed("memory")
		return nil
	}
	if s.Argv != nil {
		m.runArgv(p, s.Argv)
		return nil
	}
	m.pushScript(p, "", s.Script, 1, "")
	return nil
}

// lend gives the shell variables and a directory for one run. What it gives says what to put back.
func (m *Machine) lend(p *Process, env map[string]string, cwd string, dir vfs.Ino) *Extra {
	x := &Extra{}
	bind := func(name, value string) {
		x.Vars = append(x.Vars, Saved{Name: name, Var: p.Shell.Vars.Bind(name, vars.New(value, vars.Export))})
	}
	for _, k := range sortedKeys(env) {
		bind(k, env[k])
	}
	if cwd != "" {
		at := p.Place
		x.Text, x.Undo = p.Cwd, &Undo{Place: &at}
		p.Place.Removed = false // which goes along
		m.enter(p, m.abs(p, cwd), dir)
		bind("PWD", p.Cwd)
		bind("OLDPWD", x.Text)
	}
	return x
}

// runArgv starts a command given as a list of words.
func (m *Machine) runArgv(p *Process, argv []string) {
	p.push(Frame{Kind: FArgv, Words: argv})
}

// endRun ends a run whose shell has come to its end. What a dead bash -c would
// have taken along is put back, so that the next call finds a live shell.
func (m *Machine) endRun(p *Process, status int, byExit bool) {
	if byExit {
		p.Shell.Opts.set(OptErrexit, false)
		m.closeOthers(p)
	}
	p.dropTrap(sigEXIT)
	for i := range p.Shell.Traps {
		p.Shell.Traps[i].Running = false
	}
	m.finish(status & 255)
	m.settle()
}

// closeOthers closes what exec has opened besides the standard descriptors.
func (m *Machine) closeOthers(p *Process) {
	for _, d := range slices.Clone(p.FDs) {
		if d.Num > 2 {
			m.unref(p.take(d.Num))
		}
	}
}

// ownStreams makes the standard descriptors the caller's again, whatever exec made
// of them in a run before: a caller that gives a run its input and waits for its
// output would not get any for ever.
func (m *Machine) ownStreams(p *Process) {
	for num, kind := range []uint8{FileStdin, FileStdout, FileStderr} {
		file, ok := p.fd(num)
		if ok && m.Files[file].Kind == kind {
			continue
		}
		flags := vfs.O_WRONLY
		if kind == FileStdin {
			flags = vfs.O_RDONLY
		}
		if old := p.put(num, m.newFile(OFD{Kind: kind, Flags: flags}), false); old >= 0 {
			m.unref(old)
		}
	}
}

// settle forgets ended children nobody can wait for any more.
func (m *Machine) settle() {
	for i := len(m.Procs) - 1; i > 0; i-- {
		if m.Procs[i].Dead {
			m.remove(m.Procs[i].PID)
		}
	}
	if len(m.Procs) == 1 && m.Sched.NextPID < 1<<30 {
		m.Sched.NextPID = max(m.Sched.NextPID, shellPID)
	}
}

// SetTools replaces the registered tool names.
func (m *Machine) SetTools(tools []Tool) {
	m.own()
	m.Tools = persist.Map[Tool]{}
	for _, t := range tools {
		m.Tools.Set(m.epoch, t.Name, t)
	}
}

// Reseed gives the World another random stream.
func (m *Machine) Reseed(seed uint64) {
	m.own()
	m.Rand.State = seed
	for _, p := range m.Procs {
		p.Shell.Random = uint64(uint32(m.Rand.next()))
	}
}

// Rename gives a run carried into a fork, or brought back by a restore, an id
// of its own. Pending calls get new ids and remember the old ones.
func (m *Machine) Rename(runID string) {
	m.own()
	m.RunID = runID
	for i, c := range m.Calls {
		renamed := *c
		m.CallSeq++
		renamed.ForkedFrom, renamed.ID = c.ID, runID+"-"+itoa(int(m.CallSeq))
		m.Calls[i] = &renamed
		if p := m.proc(c.PID); p != nil && len(p.Frames) > 0 && p.top().X != nil && p.top().X.Asked == c.ID {
			p.top().X.Asked = renamed.ID
		}
	}
}

// Exported gives the exported variables of the shell, and Variables all of them.
func (m *Machine) Exported() map[string]string {
	out := map[string]string{}
	for name, v := range m.Procs[0].Shell.Vars.All() {
		if exported(v) {
			out[name] = v.String()
		}
	}
	return out
}

// Variables is that of the shell's table.
func (m *Machine) Variables() map[string]*vars.Var { return Variables(m.Procs[0].Shell.Vars) }

// Setenv gives the shell an exported variable; unset removes it.
func (m *Machine) Setenv(name, value string, unset bool) error {
	if !validName(name) {
		return fmt.Errorf("%q is not a variable name", name)
	}
	m.own()
	p := m.Procs[0]
	if unset {
		p.Shell.Vars.Delete(name)
		return nil
	}
	if err := m.assign(p, name, nil, value, false); err != nil {
		return err
	}
	v := p.Shell.Vars.Own(name)
	v.SetAttrs(v.Attrs() | vars.Export)
	return nil
}
