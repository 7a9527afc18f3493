package shell

import (
	"fmt"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/fault"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Image is a machine as plain data: what its own structures hold, with code
// replaced by addresses and persistent tables by lists. The file system is not
// in it. Package state turns it into bytes.
type Image struct {
	Machine *Machine     `cbor:"1,keyasint"`
	Units   []UnitRecord `cbor:"2,keyasint,omitempty"`
	Files   []OFD        `cbor:"3,keyasint,omitempty"`
	Pipes   []Pipe       `cbor:"4,keyasint,omitempty"`
	Calls   []*Call      `cbor:"5,keyasint,omitempty"`
	Tools   []Tool       `cbor:"6,keyasint,omitempty"`
	Procs   []ProcRecord `cbor:"-"` // a record each
}

// UnitRecord is the text of a unit some frame or function stands in.
type UnitRecord struct {
	Name string `cbor:"1,keyasint,omitempty"`
	Line int    `cbor:"2,keyasint,omitempty"`
	Text string `cbor:"3,keyasint,omitempty"`
}

// ProcRecord is a process.
type ProcRecord struct {
	Process *Process      `cbor:"1,keyasint"`
	Shell   *Shell        `cbor:"2,keyasint"`
	Vars    []vars.Record `cbor:"3,keyasint,omitempty"`
	Funcs   []FuncRecord  `cbor:"4,keyasint,omitempty"`
	Aliases []Pair        `cbor:"5,keyasint,omitempty"`
	Hashed  []Pair        `cbor:"6,keyasint,omitempty"`
	Frames  []FrameRecord `cbor:"7,keyasint,omitempty"`
}

// Pair is an entry of a table of strings.
type Pair struct {
	Key   string `cbor:"1,keyasint"`
	Value string `cbor:"2,keyasint,omitempty"`
}

// FuncRecord is a function: where its declaration stands.
type FuncRecord struct {
	Name     string  `cbor:"1,keyasint"`
	Unit     int     `cbor:"2,keyasint,omitempty"`
	Addr     address `cbor:"3,keyasint"`
	Export   bool    `cbor:"4,keyasint,omitempty"`
	Trace    bool    `cbor:"5,keyasint,omitempty"`
	Readonly bool    `cbor:"6,keyasint,omitempty"`
	Line     int     `cbor:"7,keyasint,omitempty"`
	File     string  `cbor:"8,keyasint,omitempty"`
}

// FrameRecord is a frame. Prog is its Program in flight, encoded by package state into Data.
type FrameRecord struct {
	Frame Frame       `cbor:"1,keyasint"`
	Unit  int         `cbor:"2,keyasint,omitempty"` // 1 + index; 0 is no node
	Addr  address     `cbor:"3,keyasint"`
	Vars  []VarRecord `cbor:"4,keyasint,omitempty"`
	Data  []byte      `cbor:"5,keyasint,omitempty"`
	Prog  cmd.Program `cbor:"-"`
}

// VarRecord is a binding to be put back; without a Var the name is to be unset.
type VarRecord struct {
	Name string       `cbor:"1,keyasint"`
	Var  *vars.Record `cbor:"2,keyasint,omitempty"`
}

// Save gives the machine as plain data, sharing with it what it does not change.
func (m *Machine) Save() (*Image, error) {
	if err := m.suspendable(); err != nil {
		return nil, err
	}
	s := saver{units: map[*Unit]int{}}
	s.img = &Image{Machine: m, Files: m.Files, Pipes: m.Pipes, Calls: m.Calls}
	for _, t := range m.Tools.Sorted() {
		s.img.Tools = append(s.img.Tools, t)
	}
	for _, p := range m.Procs {
		s.img.Procs = append(s.img.Procs, s.proc(p))
	}
	return s.img, nil
}

// suspendable names a codec that has read more than can be replayed.
func (m *Machine) suspendable() error {
	for _, p := range m.Procs {
		for _, f := range p.Frames {
			if f.Kind == FFilter && len(f.X.Util.In) > keptInput {
				return fault.New(fault.NotSuspendable, "dump", f.X.Util.Name, "has read more than %d bytes that a replay would need", keptInput)
			}
		}
	}
	return nil
}

type saver struct {
	img   *Image
	units map[*Unit]int
}

func (s *saver) unit(u *Unit) int {
	if i, ok := s.units[u]; ok {
		return i
	}
	s.img.Units = append(s.img.Units, UnitRecord{u.Name, u.Line, u.Text})
	s.units[u] = len(s.img.Units)
	return len(s.img.Units)
}

func (s *saver) proc(p *Process) ProcRecord {
	r := ProcRecord{Process: p, Shell: p.Shell}
	for name, v := range p.Shell.Vars.All() {
		r.Vars = append(r.Vars, v.Record(name))
	}
	for name, fn := range p.Shell.Funcs.Sorted() {
		r.Funcs = append(r.Funcs, FuncRecord{Name: name, Unit: s.unit(fn.Unit), Addr: fn.decl.addr, Export: fn.Export, Trace: fn.Trace,
			Readonly: fn.Readonly, Line: fn.Line, File: fn.File})
	}
	r.Aliases, r.Hashed = pairs(&p.Shell.Aliases), pairs(&p.Shell.Hashed)
	for i := range p.Frames {
		r.Frames = append(r.Frames, s.frame(&p.Frames[i]))
	}
	return r
}

func pairs(m *persist.Map[string]) (out []Pair) {
	for k, v := range m.Sorted() {
		out = append(out, Pair{k, v})
	}
	return out
}

func (s *saver) frame(f *Frame) FrameRecord {
	r := FrameRecord{Frame: *f}
	if f.node != nil {
		at := f.node.at()
		r.Unit, r.Addr = s.unit(at.unit), at.addr
	}
	if f.X == nil {
		return r
	}
	for _, v := range f.X.Vars {
		vr := VarRecord{Name: v.Name}
		if v.Var != nil {
			rec := v.Var.Record(v.Name)
			vr.Var = &rec
		}
		r.Vars = append(r.Vars, vr)
	}
	if f.X.Util != nil {
		r.Prog = f.X.Util.Prog
	}
	return r
}

// Program makes an empty Program for the utility a frame record runs, nil if it runs none.
func (f *FrameRecord) Program(reg *cmd.Registry) (cmd.Program, error) {
	if f.Frame.X == nil || f.Frame.X.Util == nil {
		return nil, nil
	}
	def := reg.Lookup(f.Frame.X.Util.Name)
	if def == nil {
		return nil, fault.New(fault.Capability, "load", f.Frame.X.Util.Name, "no such utility here")
	}
	if def.New == nil || !f.Frame.X.Util.Begun {
		return nil, nil
	}
	return def.New(), nil
}

// Load makes a machine from an image that may come from anybody: every
// reference is checked before the machine is given out.
func Load(img *Image, fs *vfs.FS, reg *cmd.Registry) (*Machine, error) {
	l := loader{img: img, m: img.Machine}
	m := l.m
	m.FS, m.Files, m.Pipes, m.Calls = fs, img.Files, img.Pipes, img.Calls
	m.epoch = persist.NewEpoch()
	m.rt = &transient{reg: reg}
	m.Tools = persist.Map[Tool]{}
	for _, t := range img.Tools {
		m.Tools.Set(m.epoch, t.Name, t)
	}
	for i, u := range img.Units {
		c, err := loadUnit(u.Name, u.Text, u.Line)
		if err != nil {
			return nil, fault.New(fault.Drift, "load", fmt.Sprintf("unit %d", i), "%s", err)
		}
		l.units = append(l.units, c)
	}
	for i := range img.Procs {
		p, err := l.proc(&img.Procs[i])
		if err != nil {
			return nil, err
		}
		m.Procs = append(m.Procs, p)
	}
	return m, l.check()
}

type loader struct {
	img   *Image
	m     *Machine
	units []*Unit
}

func bad(format string, args ...any) error {
	return fault.New(fault.State, "load", "", format, args...)
}

// node finds what an address stands for.
func (l *loader) node(unit int, a address) (node, error) {
	if unit < 1 || unit > len(l.units) {
		return nil, bad("reference to unit %d of %d", unit, len(l.units))
	}
	n := l.units[unit-1].nodes[a]
	if n == nil {
		return nil, fault.New(fault.Drift, "load", "", "unit %d has no node of kind %d at %d-%d", unit, a.Kind, a.Start, a.End)
	}
	return n, nil
}

func (l *loader) proc(r *ProcRecord) (*Process, error) {
	p := r.Process
	if p == nil || r.Shell == nil {
		return nil, bad("process without its parts")
	}
	p.Shell = r.Shell
	p.Shell.Vars = vars.NewTable()
	for _, v := range r.Vars {
		x, err := vars.FromRecord(v)
		if err != nil {
			return nil, bad("variable %q: %s", v.Name, err)
		}
		p.Shell.Vars.Bind(v.Name, x)
	}
	for _, f := range r.Funcs {
		n, err := l.node(f.Unit, f.Addr)
		if err != nil {
			return nil, err
		}
		d, ok := n.(*funcDecl)
		if !ok {
			return nil, bad("function %q: its address is no declaration", f.Name)
		}
		p.Shell.Funcs.Set(l.m.epoch, f.Name, &Function{Name: d.name, Unit: d.unit, Body: d.body, decl: d, Export: f.Export, Trace: f.Trace,
			Readonly: f.Readonly, Line: f.Line, File: f.File})
	}
	for _, kv := range r.Aliases {
		p.Shell.Aliases.Set(l.m.epoch, kv.Key, kv.Value)
	}
	for _, kv := range r.Hashed {
		p.Shell.Hashed.Set(l.m.epoch, kv.Key, kv.Value)
	}
	for i := range r.Frames {
		f, err := l.frame(p, &r.Frames[i])
		if err != nil {
			return nil, err
		}
		p.Frames = append(p.Frames, f)
	}
	return p, nil
}

func (l *loader) frame(p *Process, r *FrameRecord) (Frame, error) {
	f := r.Frame
	if r.Unit != 0 {
		n, err := l.node(r.Unit, r.Addr)
		if err != nil {
			return f, err
		}
		f.node = n
	}
	if len(r.Vars) > 0 && f.X == nil {
		return f, bad("frame %d keeps variables and has no place for them", len(p.Frames))
	}
	for _, v := range r.Vars {
		s := Saved{Name: v.Name}
		if v.Var != nil {
			x, err := vars.FromRecord(*v.Var)
			if err != nil {
				return f, bad("variable %q: %s", v.Name, err)
			}
			s.Var = x
		}
		f.X.Vars = append(f.X.Vars, s)
	}
	if r.Prog != nil {
		f.X.Util.Prog = r.Prog
	}
	if why := f.wrong(len(p.Frames) == 0); why != "" {
		return f, bad("frame %d of process %d: %s", len(p.Frames), p.PID, why)
	}
	return f, nil
}

// wrong says why a frame could not have been made by the machine, "" if it could.
func (f *Frame) wrong(bottom bool) string {
	if (f.Kind == FBottom) != bottom {
		return "not where a process begins"
	}
	if f.PC < -1 || f.I < 0 || f.PC > 1<<30 || f.I > 1<<40 {
		return "position out of range"
	}
	needsX := false
	fits := true
	switch f.Kind {
	case FList:
		n, ok := f.node.(*list)
		fits = ok && f.I <= len(n.stmts)
	case FStmt, FNot:
		_, fits = f.node.(*stmt)
	case FFunc:
		_, fits = f.node.(*stmt)
		needsX = true
	case FSimple:
		n, ok := f.node.(*simple)
		fits = ok && f.PC >= 0 && f.PC <= simpleEnd && f.I <= max(len(n.redirs), len(n.assigns))
	case FIf:
		_, fits = f.node.(*ifClause)
	case FWhile:
		_, fits = f.node.(*whileClause)
	case FFor, FSelect:
		_, fits = f.node.(*forClause)
		fits = fits && (f.Kind == FSelect || f.I <= len(f.Words))
	case FCFor:
		_, fits = f.node.(*cFor)
	case FCase:
		n, ok := f.node.(*caseClause)
		fits = ok && f.I <= len(n.arms) && (f.N != 1 || f.I < len(n.arms)) && (f.PC < 0 || f.X != nil)
		if fits && f.PC > 0 && f.I < len(n.arms) {
			fits = f.PC <= len(n.arms[f.I].patterns)
		}
	case FAndOr:
		n, ok := f.node.(*andOr)
		fits = ok && f.I >= 1 && f.I <= len(n.stmts)
	case FPipe:
		_, fits = f.node.(*pipeline)
		needsX = true
		fits = fits && (f.X == nil || len(f.X.Codes) <= len(f.X.PIDs))
	case FArith:
		_, fits = f.node.(*arithCmd)
	case FTest:
		_, fits = f.node.(*testCmd)
	case FDecl:
		n, ok := f.node.(*decl)
		fits = ok && f.PC >= declBegin && f.PC <= declDo && (f.PC == declDo || f.I <= max(len(n.args), len(n.redirs))) && f.declares(n)
	case FTime:
		_, fits = f.node.(*timeClause)
		needsX = true
	case FRetry:
		fits = runs(f.node)
	case FUtil, FFilter:
		needsX = true
		fits = f.X == nil || f.X.Util != nil && len(f.X.Util.Argv) > 0
	case FTool:
		needsX = true
		fits = len(f.Words) > 0 && f.PC >= toolReads && f.PC <= toolEnds
	case FScript:
		needsX = true
		fits = f.X == nil || f.I <= len(f.X.Text)
	case FRead:
		needsX = true
		fits = f.PC >= readLineNow && f.PC <= readMenu && (f.PC == readMenu || len(f.Words) > 0)
	case FMapfile, FArgv:
		needsX = f.Kind == FMapfile
		fits = len(f.Words) > 0
	case FWait:
		needsX = true
		fits = f.X == nil || len(f.X.Codes) == len(f.X.PIDs) && f.I <= len(f.X.PIDs)
	case FTrap, FEval, FStdin:
		needsX = true
	case FBottom, FWaitSub, FPause, FExit:
	default:
		return fmt.Sprintf("unknown kind %d", f.Kind)
	}
	switch {
	case !fits:
		return "position and node do not fit its kind"
	case needsX && f.X == nil:
		return "without its extra state"
	case f.X != nil && f.X.Util != nil && f.Kind != FUtil && f.Kind != FFilter:
		return "a utility where none can be"
	}
	return ""
}

// declares checks the items of a declaration's frame.
func (f *Frame) declares(n *decl) bool {
	if f.X == nil {
		return f.PC < declExpand
	}
	if len(f.X.Codes) != len(f.X.Fields) {
		return false
	}
	for _, c := range f.X.Codes {
		if max(c, -c) > len(n.args) || c < 0 && !n.args[-c-1].list {
			return false
		}
	}
	return true
}

// runs reports whether a node is a command that can be started by itself.
func runs(n node) bool {
	switch n.(type) {
	case *simple, *arithCmd, *testCmd:
		return true
	}
	return false
}

// check looks at what refers to what: descriptions, pipes, processes.
func (l *loader) check() error {
	m := l.m
	if len(m.Procs) == 0 {
		return bad("no process")
	}
	if m.Limits.Pipe > 0 {
		for i, p := range m.Pipes {
			if int64(len(p.Buf)) > m.Limits.Pipe {
				return bad("pipe %d holds %d bytes, more than its bound", i, len(p.Buf))
			}
		}
	}
	refs := make([]int, len(m.Files))
	use := func(file int) error {
		if file < 0 || file >= len(m.Files) {
			return bad("reference to open file %d of %d", file, len(m.Files))
		}
		refs[file]++
		return nil
	}
	last := 0
	for _, p := range m.Procs {
		if p.PID <= last || p.PID > m.Sched.NextPID {
			return bad("process %d out of order", p.PID)
		}
		last = p.PID
		if err := l.checkProc(p, use); err != nil {
			return err
		}
	}
	if err := l.checkFiles(refs); err != nil {
		return err
	}
	for _, c := range m.Calls {
		p := m.proc(c.PID)
		if p == nil || len(p.Frames) == 0 || p.top().Kind != FTool || p.top().X.Asked != c.ID || p.top().PC != toolAsks {
			return bad("call %q belongs to no waiting process", c.ID)
		}
	}
	return l.checkBudget()
}

func (l *loader) checkBudget() error {
	m := l.m
	if t := m.Meter; min(t.Steps, t.Time, t.Read, t.Written, t.Commands, t.Calls, t.Runs, t.Spawned, m.Run.Deadline, m.CallSeq) < 0 {
		return bad("a counter is negative")
	}
	return nil
}

func (l *loader) checkProc(p *Process, use func(int) error) error {
	m := l.m
	lastFD := -1
	for _, d := range p.FDs {
		if d.Num <= lastFD {
			return bad("process %d: descriptor %d out of order", p.PID, d.Num)
		}
		lastFD = d.Num
		if err := use(d.File); err != nil {
			return err
		}
	}
	for _, s := range p.Queue {
		if err := use(s.File); err != nil {
			return err
		}
	}
	if f := p.Wait.File; f < 0 || f > 0 && f >= len(m.Files) {
		return bad("process %d waits for open file %d", p.PID, f)
	}
	if len(p.Cwd) == 0 || p.Cwd[0] != '/' {
		return bad("process %d: working directory %q", p.PID, p.Cwd)
	}
	if p.Wait.Kind == WaitsCall && (len(p.Frames) == 0 || p.top().Kind != FTool) {
		return bad("process %d waits for an answer to nothing", p.PID)
	}
	for i := range p.Frames {
		x := p.Frames[i].X
		if x == nil {
			continue
		}
		for _, s := range x.Saves {
			if s.File >= 0 {
				if err := use(s.File); err != nil {
					return err
				}
			}
		}
		if p.Frames[i].captures() {
			if err := use(int(x.Until) - 1); err != nil {
				return err
			}
		} else if p.Frames[i].Child != 0 && p.Frames[i].expands() {
			return bad("process %d: frame %d waits for output that goes nowhere", p.PID, i)
		}
		if p.Frames[i].Kind == FRead && p.Frames[i].PC == readMenu && (i == 0 || p.Frames[i-1].Kind != FSelect) {
			return bad("process %d: frame %d reads a choice for nothing", p.PID, i)
		}
	}
	return nil
}

// expands reports whether a frame of this kind collects substitutions.
func (f *Frame) expands() bool {
	switch f.Kind {
	case FSimple, FStmt, FFor, FSelect, FCFor, FCase, FArith, FTest, FDecl:
		return true
	}
	return false
}

// captures reports whether the frame holds the capture of a running substitution.
func (f *Frame) captures() bool { return f.expands() && f.Child != 0 && f.X != nil && f.X.Until > 0 }

func (l *loader) checkFiles(refs []int) error {
	m := l.m
	type ends struct{ r, w int }
	pipes := make([]ends, len(m.Pipes))
	held := map[vfs.Ino]int{}
	for i := range m.Files {
		o := &m.Files[i]
		if o.Refs != refs[i] {
			return bad("open file %d counts %d references and has %d", i, o.Refs, refs[i])
		}
		if o.Refs == 0 {
			continue
		}
		if o.Off < 0 || o.Kind == 0 || o.Kind > FileProc {
			return bad("open file %d: kind %d, offset %d", i, o.Kind, o.Off)
		}
		switch o.Kind {
		case FilePipe:
			if o.Pipe < 0 || o.Pipe >= len(m.Pipes) {
				return bad("open file %d: no pipe %d", i, o.Pipe)
			}
			if o.readable() {
				pipes[o.Pipe].r++
			}
			if o.writable() {
				pipes[o.Pipe].w++
			}
		case FileRegular:
			held[o.Ino]++
			st, err := m.FS.StatIno(o.Ino)
			if err != nil || !st.Mode.IsRegular() {
				return bad("open file %d: no file with inode %d", i, o.Ino)
			}
		case FileText, FileCapture:
			if o.Off > int64(len(o.Text)) {
				return bad("open file %d: offset %d past its end", i, o.Off)
			}
		}
	}
	for i, p := range m.Pipes {
		if p.Readers != pipes[i].r || p.Writers != pipes[i].w {
			return bad("pipe %d counts %d readers and %d writers and has %d and %d", i, p.Readers, p.Writers, pipes[i].r, pipes[i].w)
		}
	}
	inos := make([]vfs.Ino, 0, len(held))
	for ino := range held {
		inos = append(inos, ino)
	}
	slices.Sort(inos)
	for _, ino := range inos {
		if m.FS.Held(ino) != held[ino] && !ino.Generated() {
			return bad("inode %d is held %d times and open %d times", ino, m.FS.Held(ino), held[ino])
		}
	}
	return nil
}
