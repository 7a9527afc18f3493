package shell

import (
	"fmt"
	"slices"

	"eryxsh/core/cmd"
	"eryxsh/core/limit"
	"eryxsh/vfs"
)

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
		n, ok := f.node.(*forClause)
		fits = ok && (f.Kind == FSelect || f.I <= max(len(f.Words), f.N))
		if fits && f.Kind == FFor && f.N > 0 {
			count, ok := 0, false
			if len(n.words) == 1 {
				count, ok = n.words[0].Count()
			}
			fits = ok && f.N == count && len(f.Words) == 0
		}
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
		fits = fits && (f.X == nil || len(f.X.Codes) <= len(f.X.PIDs) && (len(f.X.PIDs) > 0 || f.I == 1))
	case FArith:
		_, fits = f.node.(*arithCmd)
	case FTest:
		n, ok := f.node.(*testCmd)
		if fits = ok; ok && f.X != nil {
			known := f.X.Codes
			_, _ = n.expr.decide(&known)
			fits = len(known) == 0
		}
	case FDecl:
		n, ok := f.node.(*decl)
		fits = ok && f.PC >= declBegin && f.PC <= declDo && (f.PC == declDo || f.I <= max(len(n.args), len(n.redirs))) && f.declares(n)
	case FTime:
		_, fits = f.node.(*timeClause)
		needsX = true
	case FRetry:
		switch n := f.node.(type) {
		case *pipeline:
			fits = f.I <= len(n.stages)
		case *stmt:
			fits = n.background
		default:
			fits = runs(n)
		}
	case FPrompt:
		needsX = true
		fits = traced(f.node)
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
		fits = f.PC >= readLineNow && f.PC <= readMenu && (f.PC == readMenu || len(f.Words) > 0) &&
			(f.PC != readLineNow || f.X == nil || f.I >= 0 && f.I <= len(f.X.Data) && f.N >= 0 && f.N <= f.I)
	case FMapfile, FArgv:
		needsX = f.Kind == FMapfile
		fits = len(f.Words) > 0
	case FWait:
		needsX = true
		fits = f.X == nil || len(f.X.Codes) == len(f.X.PIDs) && f.I <= len(f.X.PIDs)
	case FCompgen:
		needsX = true
		fits = len(f.Words) > 0 && f.PC >= compgenNames && f.PC <= compgenEnd
	case FAgain:
		needsX = true
		fits = len(f.Words) > 0 && builtins[f.Words[0]] != nil
	case FTrap, FEval, FStdin:
		needsX = true
	case FBottom:
		fits = f.X == nil || len(f.X.Fields)%3 == 0
	case FWaitSub, FPause, FExit:
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
		return f.PC == declBegin
	}
	if len(f.X.Codes) != len(f.X.Fields) {
		return false
	}
	for _, c := range f.X.Codes {
		if c > len(n.args) || c < -len(n.args) || c < 0 && !n.args[-c-1].list {
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
	if !m.Run.Active && len(m.Procs[0].Frames) > 0 {
		return bad("the shell is in the middle of a run that is not active")
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
		if c == nil {
			return bad("a call of nothing")
		}
		p := m.proc(c.PID)
		if p == nil || len(p.Frames) == 0 || p.top().Kind != FTool || p.top().X.Asked != c.ID || p.top().PC != toolAsks {
			return bad("call %q belongs to no waiting process", c.ID)
		}
	}
	for _, c := range m.IO.Out {
		if c.Stream != 1 && c.Stream != 2 || len(c.Data) == 0 {
			return bad("output for stream %d of %d bytes", c.Stream, len(c.Data))
		}
	}
	if err := l.checkBudget(); err != nil {
		return err
	}
	return l.checkPrograms()
}

// checkPrograms asks the utilities in flight whether their states can be. All else is right then: the context that they are asked in is
// that of their next turn.
func (l *loader) checkPrograms() error {
	for _, p := range l.m.Procs {
		for i := range p.Frames {
			f := &p.Frames[i]
			if f.Kind != FUtil || f.X == nil || f.X.Util.Prog == nil {
				continue
			}
			u := f.X.Util
			if _, done := l.m.context(p, u); done { // its next turn says so
				u.ctx = nil
				continue
			}
			if s := cmd.Wrong(u.Prog, u.ctx); s != "" {
				return bad("utility %s: %s", u.Name, s)
			}
		}
	}
	return nil
}

// maxFD bounds descriptor numbers, wherever they come from.
const maxFD = 1 << 30

func (l *loader) checkBudget() error {
	m := l.m
	if s := m.Limits.Wrong(); s != "" {
		return bad("%s", s)
	}
	if t := m.Meter; max(t.Steps, t.Time, t.Read, t.Written, t.Commands, t.Calls, t.Runs, t.Spawned, m.Run.Deadline, m.CallSeq, m.Run.Seq, int64(m.Sched.NextPID)) > limit.Most {
		return bad("a counter is out of range")
	}
	if t := m.Meter; min(t.Steps, t.Time, t.Read, t.Written, t.Commands, t.Calls, t.Runs, t.Spawned, m.Run.Deadline, m.CallSeq) < 0 {
		return bad("a counter is negative")
	}
	return nil
}

func (l *loader) checkProc(p *Process, use func(int) error) error {
	m := l.m
	lastFD := -1
	for _, d := range p.FDs {
		if d.Num <= lastFD || d.Num > maxFD {
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
	switch {
	case l.img.Paths:
		p.Place = Place{Dir: m.directory(p.Cwd)}
	case p.Place.Path != "" && !m.FS.Know(p.Place.Dir, p.Place.Path):
		return bad("process %d works in no host's directory", p.PID)
	case p.Place.Dir == 0:
		return bad("process %d works nowhere", p.PID)
	}
	if len(p.Cwd) == 0 || p.Cwd[0] != '/' {
		return bad("process %d: working directory %q", p.PID, p.Cwd)
	}
	for _, j := range p.Shell.Jobs {
		if len(j.PIDs) == 0 {
			return bad("process %d: job %d of no process", p.PID, j.Num)
		}
	}
	if e := p.Shell.Editor; e != nil && e.Wrong() {
		return bad("process %d: a key is bound to nothing known", p.PID)
	}
	if g := p.Shell.Getopts; g.Ind < 0 || g.Pos < 0 || g.Ind > limit.Most {
		return bad("process %d: options are read from nowhere", p.PID)
	}
	if p.Shell.Args.wrong() {
		return bad("process %d: arguments and their counts do not fit", p.PID)
	}
	if p.Wait.Kind == WaitsCall && (len(p.Frames) == 0 || p.top().Kind != FTool) {
		return bad("process %d waits for an answer to nothing", p.PID)
	}
	for i := range p.Frames {
		x := p.Frames[i].X
		if f := &p.Frames[i]; f.Child < 0 || f.Child != 0 && f.expands() && !f.captures() {
			return bad("process %d: frame %d waits for output that goes nowhere", p.PID, i)
		}
		if x == nil {
			continue
		}
		for _, s := range x.Saves {
			if s.Num < 0 || s.Num > maxFD {
				return bad("process %d: descriptor %d is to be put back", p.PID, s.Num)
			}
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
	case FSimple, FStmt, FFor, FSelect, FCFor, FCase, FArith, FTest, FDecl, FAgain, FPrompt, FCompgen:
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
			if o.Path != "" && m.FS.Know(o.Ino, o.Path) {
				if at := m.FS.Near(o.Ino); at == o.Ino {
					m.FS.Hold(o.Ino)
				} else {
					held[at]++
				}
				break
			}
			held[o.Ino]++
			st, err := m.FS.StatIno(o.Ino)
			if err != nil || !st.Mode.IsRegular() {
				return bad("open file %d: no file with inode %d", i, o.Ino)
			}
		case FileText, FileCapture:
			if o.Off > int64(o.size()) {
				return bad("open file %d: offset %d past its end", i, o.Off)
			}
		}
	}
	for i, p := range m.Pipes {
		if p.Readers != pipes[i].r || p.Writers != pipes[i].w {
			return bad("pipe %d counts %d readers and %d writers and has %d and %d", i, p.Readers, p.Writers, pipes[i].r, pipes[i].w)
		}
	}
	m.places(func(at *Place) {
		if at.Removed {
			held[m.FS.Near(at.Dir)]++
		}
	})
	inos := make([]vfs.Ino, 0, len(held))
	for ino := range held {
		inos = append(inos, ino)
	}
	slices.Sort(inos)
	saved := 0
	for _, ino := range inos {
		if ino.Generated() {
			continue
		}
		saved++
		if m.FS.Held(ino) != held[ino] {
			return bad("inode %d is held %d times and open %d times", ino, m.FS.Held(ino), held[ino])
		}
	}
	if n := m.FS.HeldFiles(); n != saved {
		return bad("%d files are held and %d are open", n, saved)
	}
	return nil
}
