package shell

import (
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// FrameKind says which construct a frame stands in. Numbers are saved: append only.
type FrameKind uint8

// The kinds of frames.
const (
	FScript   FrameKind = iota + 1 // reads and runs the units of a text: script, -c, source, eval, trap
	FList                          // statement I of a list
	FStmt                          // a statement with redirections around a compound command, or negated
	FSimple                        // a simple command being expanded and started
	FIf                            // PC 0 condition runs, 1 branch runs
	FWhile                         // PC 0 condition runs, 1 body runs
	FFor                           // Words are the items, or there are N that the loop's word counts, I the next one
	FCFor                          // PC: what runs next
	FSelect                        // as FFor, reading a choice
	FCase                          // I the arm, PC the pattern
	FAndOr                         // element I of a chain
	FPipe                          // waits for the stages
	FWaitSub                       // waits for a subshell or an executed script
	FFunc                          // a function's call: restores its locals and parameters
	FUtil                          // a utility in turns
	FFilter                        // a utility on a fiber
	FTool                          // a tool call
	FArith                         // (( )) with a substitution
	FTest                          // [[ ]] with a substitution
	FDecl                          // declare and its kin with assignments
	FWait                          // the wait builtin
	FRead                          // the read builtin, mapfile, select's answer
	FTrap                          // a trap's action runs above it
	FTime                          // time PIPELINE
	FNot                           // ! PIPELINE
	FBottom                        // how a process began: what its end means
	FEval                          // eval, source: undoes what they set
	FExecWait                      // command/builtin prefixes that keep state
	FCoproc                        // reserved
	FMapfile                       // mapfile -C callbacks
	FPause                         // checkpoint: reported at this safe point
	FRetry                         // starts its command when the DEBUG trap above it has ended
	FStdin                         // reads a script from standard input, line by line
	FArgv                          // runs Words as a command
	FExit                          // ends the process when the ERR trap above it has ended
	FAgain                         // runs the builtin Words again, which has met a command to substitute
	FCompgen                       // the compgen builtin
	FPrompt                        // a command traced with a PS4 that runs commands: X.Text is what it became
)

// Frame is where one construct stands.
type Frame struct {
	Kind  FrameKind `cbor:"1,keyasint"`
	PC    int       `cbor:"2,keyasint,omitempty"`
	I     int       `cbor:"3,keyasint,omitempty"`
	N     int       `cbor:"4,keyasint,omitempty"`
	Child int       `cbor:"5,keyasint,omitempty"` // PID of the substitution, stage or command waited for
	node  node      // saved as its address
	Words []string  `cbor:"6,keyasint,omitempty"`
	X     *Extra    `cbor:"7,keyasint,omitempty"`
}

// Extra is what only some frames have.
type Extra struct {
	Memo   expand.Memo `cbor:"1,keyasint"`
	Saves  []Save      `cbor:"2,keyasint,omitempty"` // descriptors to put back
	Vars   []Saved     `cbor:"-"`                    // bindings to put back, oldest first
	Params []string    `cbor:"3,keyasint,omitempty"`
	Set    bool        `cbor:"4,keyasint,omitempty"` // Params are to be put back
	Text   string      `cbor:"5,keyasint,omitempty"` // source text; subject of case; what was read
	Name   string      `cbor:"6,keyasint,omitempty"` // function, file, command
	Line   int         `cbor:"7,keyasint,omitempty"` // line of the call; first line of Text
	PIDs   []int       `cbor:"8,keyasint,omitempty"`
	Codes  []int       `cbor:"9,keyasint,omitempty"`
	Util   *Util       `cbor:"10,keyasint,omitempty"`
	Until  int64       `cbor:"12,keyasint,omitempty"`
	Saved  int         `cbor:"13,keyasint,omitempty"` // $? before a trap
	Data   []byte      `cbor:"15,keyasint,omitempty"` // what is being read
	Full   *Filled     `cbor:"19,keyasint,omitempty"` // of a long line, what comes before Data
	Call   string      `cbor:"16,keyasint,omitempty"` // how a text came to run: source, eval, trap
	Fields []string    `cbor:"18,keyasint,omitempty"`
	Undo   *Undo       `cbor:"11,keyasint,omitempty"`
	Asking
}

// Undo is what only few frames put back or close.
type Undo struct {
	Opts  Options `cbor:"1,keyasint"`           // local -
	Local bool    `cbor:"2,keyasint,omitempty"` // Opts are to be put back
	Traps []Trap  `cbor:"3,keyasint,omitempty"` // that a function did not inherit
	Open  []int   `cbor:"4,keyasint,omitempty"` // descriptors of process substitutions
	Args  int     `cbor:"5,keyasint,omitempty"` // what becomes of BASH_ARGV: argsPushed and its like
	Place *Place  `cbor:"6,keyasint,omitempty"` // where the shell worked before a run with a directory of its own
	Posix bool    `cbor:"7,keyasint,omitempty"` // of Opts those are to be put back that POSIX mode has changed
}

// Asking is a tool call on its way.
type Asking struct {
	Asked string  `cbor:"20,keyasint,omitempty"` // its id
	Got   *Answer `cbor:"17,keyasint,omitempty"` // its answer, until the frame's next step
}

// Save is a descriptor to put back: File -1 closes it.
type Save struct {
	Num  int  `cbor:"1,keyasint"`
	File int  `cbor:"2,keyasint"`
	Exec bool `cbor:"3,keyasint,omitempty"`
}

// Saved is a binding to put back; a nil Var removes it.
type Saved struct {
	Name string
	Var  *vars.Var
	Temp bool // of an assignment before a command, not of local
}

// Util is a utility in flight.
type Util struct {
	Name   string      `cbor:"1,keyasint"`
	Argv   []string    `cbor:"2,keyasint"`
	Prog   cmd.Program `cbor:"-"` // saved by name and its own fields
	Begun  bool        `cbor:"3,keyasint,omitempty"`
	Fds    []int       `cbor:"4,keyasint,omitempty"` // descriptors it opened
	Kids   []int       `cbor:"5,keyasint,omitempty"` // children not reaped
	Out    []byte      `cbor:"6,keyasint,omitempty"` // stdout not yet handed to the queue
	Held   int         `cbor:"7,keyasint,omitempty"` // bytes declared through Hold
	In     []byte      `cbor:"8,keyasint,omitempty"` // a filter's kept input
	EOF    bool        `cbor:"9,keyasint,omitempty"`
	Taken  int         `cbor:"10,keyasint,omitempty"` // bytes of a filter's output delivered
	Failed bool        `cbor:"11,keyasint,omitempty"` // a write error was reported
	Ended  int         `cbor:"12,keyasint,omitempty"` // its status and one, when it has ended but for what waits to be written
	Bold   bool        `cbor:"13,keyasint,omitempty"` // it ignores SIGPIPE
	loaded bool        // Prog came out of a blob
	fiber  *fiber
	ctx    *cmd.Ctx
}

func (x *Extra) clone(reg *cmd.Registry) *Extra {
	if x == nil {
		return nil
	}
	c := *x
	c.Memo.Entries = append([]expand.Entry(nil), x.Memo.Entries...)
	c.Saves = append([]Save(nil), x.Saves...)
	c.Vars = append([]Saved(nil), x.Vars...)
	c.PIDs = append([]int(nil), x.PIDs...)
	c.Codes = append([]int(nil), x.Codes...)
	if x.Undo != nil {
		u := *x.Undo
		u.Traps = append([]Trap(nil), u.Traps...)
		u.Open = append([]int(nil), u.Open...)
		if u.Place != nil {
			at := *u.Place
			u.Place = &at
		}
		c.Undo = &u
	}
	c.Data = append([]byte(nil), x.Data...)
	c.Full = x.Full.clone()
	if x.Util != nil {
		u := *x.Util
		u.Fds = append([]int(nil), u.Fds...)
		u.Kids = append([]int(nil), u.Kids...)
		u.Out = append([]byte(nil), u.Out...)
		u.In = slices.Clip(u.In)
		u.fiber, u.ctx = nil, nil
		if u.Prog != nil {
			fresh := reg.Lookup(u.Name).New()
			clonePlain(fresh, u.Prog)
			u.Prog = fresh
		}
		c.Util = &u
	}
	return &c
}

func (f *Frame) x() *Extra {
	if f.X == nil {
		f.X = &Extra{}
	}
	return f.X
}

// pop ends the top frame and undoes what it set: descriptors, bindings, parameters, options.
// No user code runs in it.
func (m *Machine) pop(p *Process) {
	i := len(p.Frames) - 1
	if p.Frames[i].X == nil {
		p.Frames[i] = Frame{}
		p.Frames = p.Frames[:i]
		return
	}
	f := p.Frames[i]
	p.Frames[i] = Frame{}
	p.Frames = p.Frames[:i]
	m.undo(p, &f)
	switch f.Kind { // nothing else holds what these had
	case FFunc, FSimple, FScript, FTool:
		if len(m.rt.spare) < 8 {
			clear(f.X.Vars)
			*f.X = Extra{Vars: f.X.Vars[:0]}
			m.rt.spare = append(m.rt.spare, f.X)
		}
	}
}

// extra gives an empty Extra, one of an ended frame if there is one.
func (m *Machine) extra() *Extra {
	n := len(m.rt.spare) - 1
	if n < 0 {
		return &Extra{}
	}
	x := m.rt.spare[n]
	m.rt.spare = m.rt.spare[:n]
	return x
}

// x gives a frame's Extra, which it has from here on.
func (m *Machine) x(f *Frame) *Extra {
	if f.X == nil {
		f.X = m.extra()
	}
	return f.X
}

// undo gives the frame's Undo, which it has from here on.
func (x *Extra) undo() *Undo {
	if x.Undo == nil {
		x.Undo = &Undo{}
	}
	return x.Undo
}

func (m *Machine) undo(p *Process, f *Frame) {
	x := f.X
	if x.Util != nil {
		m.endUtil(p, x.Util)
	}
	if f.captures() { // given up in the middle of a substitution
		m.unref(int(x.Until) - 1)
	}
	if x.Asked != "" {
		m.dropCall(x.Asked)
	}
	for i := len(x.Saves) - 1; i >= 0; i-- {
		s := x.Saves[i]
		old := -1
		if s.File < 0 {
			old = p.take(s.Num)
		} else {
			old = p.put(s.Num, s.File, s.Exec)
		}
		if old >= 0 {
			m.unref(old)
		}
	}
	u := x.Undo
	if u == nil {
		u = &Undo{}
	}
	for _, n := range u.Open {
		if old := p.take(n); old >= 0 {
			m.unref(old)
		}
	}
	for i := len(x.Vars) - 1; i >= 0; i-- {
		p.Shell.Vars.Bind(x.Vars[i].Name, x.Vars[i].Var)
		if name := x.Vars[i].Name; name == "PATH" || name == "BASH_COMPAT" || name == "POSIXLY_CORRECT" || name[0] == 'L' { // or LC_ALL and its like
			m.noticed(p, name)
			if c, ok := f.node.(*simple); name == "POSIXLY_CORRECT" && u.Posix && ok && c.builtin != nil && !p.Shell.Opts.on(OptPosix) {
				p.Shell.Opts.take(&u.Opts, posixSets[:])
			}
		}
	}
	if x.Set {
		p.Shell.Params = x.Params
	}
	if u.Local {
		for _, o := range setOptions { // shopt's are not local
			p.Shell.Opts.set(o.opt, u.Opts.on(o.opt))
		}
	}
	switch f.Kind {
	case FFunc, FEval:
		p.Depth--
		p.showTraps(u.Traps)
		if f.Kind == FEval && x.Name != "" && p.Shell.Traps != nil {
			p.Shell.Command = x.Name
		}
		if u.Args == argsPushed || u.Args == argsFileName || u.Args == argsSourced && p.Shell.Opts.on(OptExtdebug) {
			p.Shell.Args.pop()
		}
	case FTrap:
		p.endTrap(f)
	case FBottom:
		if x.Text != "" { // the run had a working directory of its own
			m.comeBack(p, x)
		}
	}
}
