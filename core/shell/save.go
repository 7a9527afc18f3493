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
	Paths   bool         `cbor:"-"` // of schema 1: a working directory is what its path leads to
}

// UnitRecord is the text of a unit some frame or function stands in.
type UnitRecord struct {
	Line int    `cbor:"2,keyasint,omitempty"`
	Text string `cbor:"3,keyasint,omitempty"`
}

// ProcRecord is a process.
type ProcRecord struct {
	Process *Process      `cbor:"1,keyasint"`
	Shell   *Shell        `cbor:"2,keyasint"`
	Vars    []vars.Record `cbor:"3,keyasint,omitempty"` // all; of a process after the first, what differs from the first's
	Funcs   []FuncRecord  `cbor:"4,keyasint,omitempty"`
	Aliases []Pair        `cbor:"5,keyasint,omitempty"`
	Hashed  []Hashed      `cbor:"6,keyasint,omitempty"`
	Frames  []FrameRecord `cbor:"7,keyasint,omitempty"`
	Gone    []string      `cbor:"8,keyasint,omitempty"` // names of the first process's variables that this one has not
	Delta   *vars.Delta   `cbor:"-"`                    // what stands for Vars in the first process, if not nil
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
	Live  *Frame      `cbor:"-"`                    // what is saved instead of Frame, if not nil
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
	Temp bool         `cbor:"3,keyasint,omitempty"`
}

// Save gives the machine as plain data, sharing with it what it does not change:
// it is good until the machine goes on, and until Reset or the next Save.
func (s *Saver) Save(m *Machine) (*Image, error) {
	if err := m.suspendable(); err != nil {
		return nil, err
	}
	s.Reset()
	s.img.Machine, s.img.Files, s.img.Pipes, s.img.Calls = m, m.Files, m.Pipes, m.Calls
	if m.Tools.Len() > 0 {
		for _, t := range m.Tools.Sorted() {
			s.img.Tools = append(s.img.Tools, t)
		}
	}
	frames := 0
	for _, p := range m.Procs {
		frames += len(p.Frames)
	}
	s.frames = slices.Grow(s.frames[:0], frames)
	for _, p := range m.Procs {
		s.img.Procs = append(s.img.Procs, ProcRecord{})
		s.proc(&s.img.Procs[len(s.img.Procs)-1], p)
	}
	return &s.img, nil
}

// Reset forgets the machine and keeps the memory for the next one.
func (s *Saver) Reset() {
	if s.units != nil || len(s.frames) > mostFrames { // much: of one large machine
		*s = Saver{}
		return
	}
	clear(s.frames)
	clear(s.seen)
	clear(s.img.Procs)
	clear(s.img.Units)
	clear(s.img.Tools)
	s.frames, s.seen = s.frames[:0], s.seen[:0]
	s.img = Image{Procs: s.img.Procs[:0], Units: s.img.Units[:0], Tools: s.img.Tools[:0]}
}

// mostFrames bounds what Reset keeps.
const mostFrames = 256

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

// Saver makes Images, one after the other, in the same memory. It numbers units
// by what they say, not by who made them: the bytes may not depend on what the
// cache of compiled lines happened to hold.
type Saver struct {
	img    Image
	frames []FrameRecord // of all processes
	seen   []*Unit
	units  map[UnitRecord]int // nil as long as there are few
}

// fewUnits are looked through one by one.
const fewUnits = 16

func (s *Saver) unit(u *Unit) int {
	for i := len(s.seen) - 1; i >= 0 && i >= len(s.seen)-fewUnits; i-- {
		if s.seen[i] == u {
			return i + 1
		}
	}
	r := UnitRecord{u.Line, u.Text}
	if s.units != nil {
		if i, ok := s.units[r]; ok {
			return i
		}
	} else if i := slices.Index(s.img.Units, r); i >= 0 {
		return i + 1
	}
	s.img.Units = append(s.img.Units, r)
	s.seen = append(s.seen, u)
	n := len(s.img.Units)
	switch {
	case s.units != nil:
		s.units[r] = n
	case n == fewUnits:
		s.units = make(map[UnitRecord]int, 2*n)
		for i, r := range s.img.Units {
			s.units[r] = i + 1
		}
	}
	return n
}

func (s *Saver) proc(r *ProcRecord, p *Process) {
	r.Process, r.Shell = p, p.Shell
	if first := s.img.Machine.Procs[0]; p != first {
		r.Vars, r.Gone = p.Shell.Vars.Since(first.Shell.Vars)
	} else if r.Delta = p.Shell.Vars.Delta(); r.Delta == nil {
		r.Vars = make([]vars.Record, 0, p.Shell.Vars.Len())
		for name, v := range p.Shell.Vars.All() {
			r.Vars = append(r.Vars, v.Record(name))
		}
	}
	if p.Shell.Funcs.Len() > 0 {
		for name, fn := range p.Shell.Funcs.Sorted() {
			r.Funcs = append(r.Funcs, FuncRecord{Name: name, Unit: s.unit(fn.Unit), Addr: fn.decl.addr, Export: fn.Export, Trace: fn.Trace,
				Readonly: fn.Readonly, Line: fn.Line, File: fn.File})
		}
	}
	if p.Shell.Aliases.Len() > 0 {
		r.Aliases = pairs(&p.Shell.Aliases)
	}
	if p.Shell.Hashed.Len() > 0 {
		for _, h := range p.Shell.Hashed.Sorted() {
			r.Hashed = append(r.Hashed, h)
		}
	}
	n := len(s.frames)
	s.frames = s.frames[:n+len(p.Frames)]
	r.Frames = s.frames[n:len(s.frames):len(s.frames)]
	for i := range p.Frames {
		s.frame(&r.Frames[i], &p.Frames[i])
	}
}

func pairs(m *persist.Map[string]) (out []Pair) {
	for k, v := range m.Sorted() {
		out = append(out, Pair{k, v})
	}
	return out
}

func (s *Saver) frame(r *FrameRecord, f *Frame) {
	r.Live = f
	if f.node != nil {
		at := f.node.at()
		r.Unit, r.Addr = s.unit(at.unit), at.addr
	}
	if f.X == nil {
		return
	}
	for _, v := range f.X.Vars {
		vr := VarRecord{Name: v.Name, Temp: v.Temp}
		if v.Var != nil {
			rec := v.Var.Record(v.Name)
			vr.Var = &rec
		}
		r.Vars = append(r.Vars, vr)
	}
	if f.X.Util != nil {
		r.Prog = f.X.Util.Prog
	}
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
// reference is checked before the machine is given out. What lib has compiled
// need not be compiled again.
func Load(img *Image, fs *vfs.FS, lib *Library) (*Machine, error) {
	l := loader{img: img, m: img.Machine}
	m := l.m
	m.FS, m.Files, m.Pipes, m.Calls = fs, img.Files, img.Pipes, img.Calls
	m.epoch = persist.NewEpoch()
	m.lib, m.rt = lib, &transient{}
	m.Tools = persist.Map[Tool]{}
	for _, t := range img.Tools {
		m.Tools.Set(m.epoch, t.Name, t)
	}
	for i, u := range img.Units {
		c, err := lib.load(u.Text, u.Line)
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
	n := l.units[unit-1].find(a)
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
	list, gone := r.Vars, r.Gone
	switch {
	case len(l.m.Procs) > 0:
		p.Shell.Vars = l.m.Procs[0].Shell.Vars.Fork()
	case r.Delta != nil:
		p.Shell.Vars, list, gone = r.Delta.Origin.Fork(), r.Delta.Changed, r.Delta.Gone
	default:
		p.Shell.Vars = vars.NewTable()
	}
	for _, name := range gone {
		p.Shell.Vars.Delete(name)
	}
	for _, v := range list {
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
	for _, h := range r.Hashed {
		p.Shell.Hashed.Set(l.m.epoch, h.Name, h)
	}
	for i := range r.Frames {
		f, err := l.frame(p, &r.Frames[i])
		if err != nil {
			return nil, err
		}
		p.Frames = append(p.Frames, f)
	}
	if p.Shell.Traps == nil && p.hidesTraps() {
		p.Shell.Traps = []Trap{}
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
		if v.Name == "" {
			return f, bad("a binding to put back has no name")
		}
		s := Saved{Name: v.Name, Temp: v.Temp}
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
		f.X.Util.Prog, f.X.Util.loaded = r.Prog, true
	}
	if why := f.wrong(len(p.Frames) == 0); why != "" {
		return f, bad("frame %d of process %d: %s", len(p.Frames), p.PID, why)
	}
	return f, nil
}
