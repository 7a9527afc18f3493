package shell

import (
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/readline"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Process is one thread of control with its own descriptors and shell state.
type Process struct {
	PID    int       `cbor:"1,keyasint"`
	PPID   int       `cbor:"2,keyasint,omitempty"`
	PGID   int       `cbor:"3,keyasint,omitempty"`
	Frames []Frame   `cbor:"-"`
	Shell  *Shell    `cbor:"-"`
	FDs    []FD      `cbor:"4,keyasint,omitempty"` // by number
	Cwd    string    `cbor:"5,keyasint,omitempty"`
	Umask  uint32    `cbor:"6,keyasint,omitempty"`
	Status int       `cbor:"7,keyasint,omitempty"` // $?
	Wait   Wait      `cbor:"8,keyasint"`
	Queue  []Segment `cbor:"9,keyasint,omitempty"` // output accepted but not yet written
	Dead   bool      `cbor:"10,keyasint,omitempty"`
	Subst  int       `cbor:"11,keyasint,omitempty"` // status of the last $( ) of the command at hand
	Line   int       `cbor:"13,keyasint,omitempty"` // LINENO
	Signal []int     `cbor:"15,keyasint,omitempty"` // arrived and not yet handled
	Job    bool      `cbor:"17,keyasint,omitempty"` // started by &
	Killed int       `cbor:"19,keyasint,omitempty"` // the signal that ended it
	Place  Place     `cbor:"23,keyasint"`           // the working directory
	Nesting
}

// Place is where a process works: a directory, whatever its name is by now. Cwd is what the shell calls it.
type Place struct {
	Dir     vfs.Ino `cbor:"1,keyasint,omitempty"`
	Removed bool    `cbor:"2,keyasint,omitempty"` // it has no name any more, and lives because it is held
	Path    string  `cbor:"3,keyasint,omitempty"` // of a host's directory: below its mount
}

// Nesting is how deep in what a process is.
type Nesting struct {
	NoErr   bool     `cbor:"12,keyasint,omitempty"` // errexit context inherited at the fork
	Depth   int      `cbor:"14,keyasint,omitempty"` // nested functions, sources, evals
	Sub     int      `cbor:"16,keyasint,omitempty"` // BASH_SUBSHELL
	Subs    int      `cbor:"20,keyasint,omitempty"` // $( ) it is nested in
	Ulimits []Ulimit `cbor:"21,keyasint,omitempty"` // those a script has set, and its niceness
	Loop    bool     `cbor:"22,keyasint,omitempty"` // it is a $( ) in a loop: break ends it
}

// Shell is the part of a process that only shells have.
type Shell struct {
	Vars    *vars.Table            `cbor:"-"`
	Funcs   persist.Map[*Function] `cbor:"-"`
	Aliases persist.Map[string]    `cbor:"-"`
	Hashed  persist.Map[Hashed]    `cbor:"-"` // commands found through PATH
	Opts    Options                `cbor:"1,keyasint"`
	Traps   []Trap                 `cbor:"2,keyasint,omitempty"` // by signal number
	Params  []string               `cbor:"3,keyasint,omitempty"` // $1…
	Dirs    []string               `cbor:"5,keyasint,omitempty"` // DIRSTACK below the cwd
	Jobs    []Job                  `cbor:"6,keyasint,omitempty"`
	LastBg  int                    `cbor:"7,keyasint,omitempty"` // $!
	Pipe    []int                  `cbor:"8,keyasint,omitempty"` // PIPESTATUS
	Getopts Getopts                `cbor:"9,keyasint"`
	Random  uint64                 `cbor:"11,keyasint,omitempty"` // RANDOM's generator
	Last    string                 `cbor:"12,keyasint,omitempty"` // $_
	Off     []string               `cbor:"15,keyasint,omitempty"` // builtins disabled by enable -n
	Done    []Ended                `cbor:"18,keyasint,omitempty"` // children reaped and still to be waited for
	Args    *Arguments             `cbor:"23,keyasint,omitempty"` // BASH_ARGV, BASH_ARGC; nil before the first
	Origin
	Tracing
	Editing
}

// Editing is what a script says of the editing of lines, which are never edited here.
type Editing struct {
	Specs  []CompSpec       `cbor:"21,keyasint,omitempty"` // of complete, in the order they were made
	Editor *readline.Editor `cbor:"22,keyasint,omitempty"` // what bind has set; shared, never changed
}

// Tracing is what traps know of the command at hand.
type Tracing struct {
	Debug   string `cbor:"17,keyasint,omitempty"` // the command DEBUG has just run for
	Command string `cbor:"20,keyasint,omitempty"` // BASH_COMMAND, kept while there are traps
}

// Origin is how a shell came to be.
type Origin struct {
	Name    string `cbor:"4,keyasint,omitempty"`  // $0
	Started int64  `cbor:"10,keyasint,omitempty"` // ns, the origin of SECONDS
	PID     int    `cbor:"13,keyasint,omitempty"` // $$
	Exec    string `cbor:"19,keyasint,omitempty"` // BASH_EXECUTION_STRING
}

// FD is one descriptor of a process.
type FD struct {
	Num  int  `cbor:"1,keyasint"`
	File int  `cbor:"2,keyasint"`           // index of the OFD
	Exec bool `cbor:"3,keyasint,omitempty"` // close on exec: a utility's own files, a script being read
}

// Segment is output on its way to a file.
type Segment struct {
	File int    `cbor:"1,keyasint"`
	Data []byte `cbor:"2,keyasint"`
}

// WaitKind is what a process waits for.
type WaitKind uint8

// What a process may wait for.
const (
	Runs        WaitKind = iota
	WaitsRead            // data, end of file or a signal on File
	WaitsOpen            // the other end of the FIFO behind Pipe
	WaitsChild           // PID, or any child if 0, or Until
	WaitsCall            // the answer of the tool call at the top frame
	WaitsSleep           // Until
	WaitsWrite           // the queue
	WaitsSignal          // suspend: a signal
	WaitsLast            // to be the last who holds File
)

// Wait is why a process does not run.
type Wait struct {
	Kind  WaitKind `cbor:"1,keyasint,omitempty"`
	File  int      `cbor:"2,keyasint,omitempty"`
	PID   int      `cbor:"3,keyasint,omitempty"`
	Until int64    `cbor:"4,keyasint,omitempty"`
}

// Trap is the action of one signal; an empty Text ignores it.
type Trap struct {
	Signal int    `cbor:"1,keyasint"`
	Text   string `cbor:"2,keyasint,omitempty"`
	// Inherited traps of a parent shell are shown by trap -p in a subshell until one is set, and never run.
	Inherited bool `cbor:"3,keyasint,omitempty"`
	Running   bool `cbor:"4,keyasint,omitempty"`
	Entry     int  `cbor:"5,keyasint,omitempty"` // not 0: ignored since the shell began, so that nothing changes it
}

// Values of Trap.Entry.
const (
	entryIgnored = iota + 1
	entryHeeded  // SIGINT after trap -: it ends this shell, and is ignored by what it starts
)

// Job is a background pipeline.
type Job struct {
	Num     int      `cbor:"1,keyasint"`
	PIDs    []int    `cbor:"2,keyasint"`
	Command string   `cbor:"3,keyasint,omitempty"`
	Stages  []string `cbor:"4,keyasint,omitempty"` // the commands of a pipeline's processes
}

// Ended is a child that has ended, kept until it is waited for.
type Ended struct {
	PID    int `cbor:"1,keyasint"`
	Status int `cbor:"2,keyasint,omitempty"`
}

// Getopts is the position inside a bundle of options (OPTIND is a variable).
type Getopts struct {
	Ind int `cbor:"1,keyasint,omitempty"`
	Pos int `cbor:"2,keyasint,omitempty"`
}

func (p *Process) top() *Frame { return &p.Frames[len(p.Frames)-1] }

func (p *Process) push(f Frame) *Frame {
	p.Frames = append(p.Frames, f)
	return &p.Frames[len(p.Frames)-1]
}

// pushList is push of what most frames are: the beginning of a list.
func (p *Process) pushList(l *list) {
	n := len(p.Frames)
	if n == cap(p.Frames) {
		p.Frames = slices.Grow(p.Frames, 8)
	}
	p.Frames = p.Frames[:n+1]
	p.Frames[n] = Frame{Kind: FList, node: l}
}

// room is a process with what it always has, so that all of it is made at once.
type room struct {
	process Process
	shell   Shell
	vars    vars.Table
	fds     [5]FD
}

// kid is what most children of a shell have.
type kid struct {
	room
	frames [4]Frame
}

// home is a machine's first process with what an idle machine has besides.
type home struct {
	room
	procs [2]*Process
	files [4]OFD
}

// clone copies a process for a fork of the whole machine: same PID, same files.
func (p *Process) clone(r *room, reg *cmd.Registry) *Process {
	c := &r.process
	*c = *p
	c.Frames = slices.Clone(p.Frames)
	for i := range c.Frames {
		c.Frames[i].X = c.Frames[i].X.clone(reg)
		c.Frames[i].Words = slices.Clip(c.Frames[i].Words)
	}
	c.FDs = append(r.fds[:0], p.FDs...)
	c.Queue = slices.Clone(p.Queue)
	c.Signal = slices.Clone(p.Signal)
	c.Shell = p.Shell.fork(&r.shell, &r.vars)
	return c
}

// fork copies the shell state in O(1): variables, functions and aliases are shared.
func (s *Shell) fork(c *Shell, t *vars.Table) *Shell {
	*c = *s
	s.Vars.ForkTo(t)
	c.Vars = t
	c.Traps = slices.Clone(s.Traps)
	c.Dirs = slices.Clone(s.Dirs)
	c.Args = s.Args.clone()
	c.Jobs, c.Done = slices.Clip(s.Jobs), slices.Clip(s.Done) // nobody changes what is in them
	return c
}

func (p *Process) fd(num int) (int, bool) {
	for i := range p.FDs {
		if p.FDs[i].Num == num {
			return p.FDs[i].File, true
		}
	}
	return 0, false
}

// put makes num refer to an open file description, whose count the caller has raised.
// It gives the one num referred to before, whose count the caller now owns, or -1.
func (p *Process) put(num, file int, exec bool) int {
	i, found := slices.BinarySearchFunc(p.FDs, num, func(f FD, n int) int { return f.Num - n })
	if found {
		old := p.FDs[i].File
		p.FDs[i].File, p.FDs[i].Exec = file, exec
		return old
	}
	p.FDs = slices.Insert(p.FDs, i, FD{Num: num, File: file, Exec: exec})
	return -1
}

// take removes num and gives its description, or -1.
func (p *Process) take(num int) int {
	for i := range p.FDs {
		if p.FDs[i].Num == num {
			old := p.FDs[i].File
			p.FDs = slices.Delete(p.FDs, i, i+1)
			return old
		}
	}
	return -1
}

// free gives the lowest unused descriptor number not below from.
func (p *Process) free(from int) int {
	n := from
	for i := range p.FDs {
		if p.FDs[i].Num == n {
			n++
		}
	}
	return n
}

// child finds a live or ended process of the machine by its PID.
func (m *Machine) proc(pid int) *Process {
	i := m.place(pid)
	if i < 0 {
		return nil
	}
	return m.Procs[i]
}

// place is where a process is in Procs, or -1.
func (m *Machine) place(pid int) int {
	i, ok := slices.BinarySearchFunc(m.Procs, pid, func(p *Process, n int) int { return p.PID - n })
	if !ok {
		return -1
	}
	return i
}

// fork makes a child process that runs frame f: a subshell, a stage, a substitution, a job.
func (m *Machine) fork(p *Process, f Frame) *Process {
	m.Sched.NextPID++
	m.Meter.Spawned++
	m.epoch = persist.NewEpoch() // functions and aliases are shared from here on
	k := &kid{}
	c := &k.process
	*c = Process{PID: m.Sched.NextPID, PPID: p.PID, PGID: p.PGID, Shell: p.Shell.fork(&k.shell, &k.vars), Cwd: p.Cwd, Place: m.share(p.Place), Umask: p.Umask,
		Status: p.Status, Line: p.Line, Nesting: Nesting{NoErr: p.NoErr || m.errIgnored(p), Depth: p.Depth, Sub: p.Sub + 1, Subs: p.Subs, Ulimits: p.Ulimits}}
	c.Frames = k.frames[:0]
	c.FDs = append(k.fds[:0], p.FDs...)
	for _, d := range c.FDs {
		m.Files[d.File].Refs++
	}
	c.Shell.Jobs, c.Shell.Done = nil, nil
	if len(c.Shell.Traps) == 0 { // none is hidden: it has not called the functions
		c.Shell.Traps = nil
	}
	for i := range c.Shell.Traps { // ignored signals stay ignored, the others are only remembered
		t := &c.Shell.Traps[i]
		t.Inherited, t.Entry = t.Text != "", min(t.Entry, entryIgnored)
	}
	c.Shell.Opts.set(optNoInt, false)
	c.Shell.Opts.set(optNoQuit, false)
	for _, sig := range []int{sigDEBUG, sigERR, sigRETURN} {
		traced := OptFunctrace
		if sig == sigERR {
			traced = OptErrtrace
		}
		if t := c.trap(sig); t != nil {
			t.Inherited = !c.Shell.Opts.on(traced)
		}
	}
	c.push(f)
	m.Meter.Taken += processCost
	m.Procs = append(m.Procs, c)
	m.admit(p)
	return c
}

// forkShell makes a subshell. It stands in the functions and sourced files its
// parent stands in: their frames are there, with nothing left to do.
func (m *Machine) forkShell(p *Process, f Frame) *Process {
	c := m.fork(p, f)
	c.Loop = p.Shell.Opts.compat() <= 44 && p.inLoop()
	if at := p.endedIn(); len(at) > 0 {
		b := &c.Frames[0]
		b.I |= p.Frames[0].I | endedBefore
		m.x(b).Fields = at
	}
	c.Shell.Jobs = slices.Clip(p.Shell.Jobs) // jobs lists them; they are not its children
	for i := range p.Frames {
		f := &p.Frames[i]
		switch {
		case f.Kind == FFunc:
			c.push(Frame{Kind: FFunc, PC: ghost, node: f.node, X: &Extra{Name: f.X.Name, Line: f.X.Line, Text: f.X.Text, Vars: slices.Clone(f.X.Vars)}})
		case f.Kind == FEval && f.X.Call == "source":
			c.push(Frame{Kind: FEval, PC: ghost, X: &Extra{Call: "source"}})
		case f.Kind == FScript && (f.X.Call == "source" || f.X.Call == ""):
			x := m.extra()
			x.Call, x.Name, x.Line, x.Saved = f.X.Call, f.X.Name, f.X.Line, f.X.Saved
			c.push(Frame{Kind: FScript, X: x})
		}
	}
	if n := len(c.Frames); n > 64 { // each subshell of a deep recursion has them all
		m.charge(n >> 2)
		m.retain(n * (frameCost + extraCost))
	}
	return c
}

// ghost marks the frame of a call that a subshell's parent is in.
const ghost = 4

// exit ends a process: frames are undone, files closed, the parent told.
func (m *Machine) exit(p *Process, status int) {
	for len(p.Frames) > 0 {
		m.pop(p)
	}
	for _, d := range p.FDs {
		m.unref(d.File)
	}
	p.FDs = p.FDs[:0]
	for _, s := range p.Queue {
		m.unref(s.File)
	}
	p.Queue = nil
	m.leave(p)
	p.Status, p.Dead, p.Wait = status, true, Wait{}
	m.dropCalls(p.PID)
	for i := len(m.Procs) - 1; i > 0 && m.Procs[i].PID > p.PID; i-- { // orphans are younger
		if c := m.Procs[i]; c.PPID == p.PID {
			c.PPID = m.Procs[0].PID
			if c.Dead {
				m.removeAt(i)
			}
		}
	}
	parent := m.proc(p.PPID)
	if parent == nil || parent.Dead {
		m.remove(p.PID)
	} else if u := parent.utilityOnTop(); u == nil || !slices.Contains(u.Kids, p.PID) { // not of a command that has no process of its own
		m.childEnded(parent)
	}
}

// remove forgets an ended process: it has been reaped.
func (m *Machine) remove(pid int) {
	if i := m.place(pid); i > 0 {
		m.removeAt(i)
	}
}

func (m *Machine) removeAt(i int) { m.Procs = slices.Delete(m.Procs, i, i+1) }
