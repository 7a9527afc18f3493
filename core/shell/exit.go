package shell

import "slices"

// exitHere is the exit builtin: inside a function the EXIT trap runs where it stands, and sees the
// function's variables and redirections.
func (m *Machine) exitHere(p *Process, status int) {
	if !p.traps(sigEXIT) || p.enclosing() < 0 || p.Frames[0].PC == 1 {
		m.leaveShell(p, status, false)
		return
	}
	p.Status = status & 255
	if i := slices.IndexFunc(p.Frames, func(f Frame) bool { return f.Kind == FEval && f.X.Name != "" }); i >= 0 {
		p.Shell.Command = p.Frames[i].X.Name
	}
	p.push(Frame{Kind: FExit, N: p.Status})
	m.runTrap(p, sigEXIT)
}

// leaveShell ends a process as set -e and exit do: as unwindExit, but bash leaves what lies around its reader of a file,
// or inside a function, as it is. There the EXIT trap sees the redirections of compound commands; those of a call are
// taken back first by set -e.
func (m *Machine) leaveShell(p *Process, status int, errexit bool) {
	stays := m.mainFile(p) != "" || p.Shell.Opts.on(optStdin)
	m.noteCalls(p, leftInside)
	called, reads := 0, false
	for i := range p.Frames {
		switch f := &p.Frames[i]; f.Kind {
		case FEval, FTrap:
			reads = true
		case FFunc:
			stays, reads = true, false
		case FSimple:
			if errexit && f.X != nil && len(f.X.Saves) > 0 {
				called = i
			}
		}
	}
	for len(p.Frames) > called+1 && called > 0 {
		m.pop(p)
	}
	for i := range p.Frames {
		if f := &p.Frames[i]; stays && !reads && f.X != nil && p.traps(sigEXIT) && (f.Kind == FStmt || f.Kind == FSimple && f.PC == simpleEnd && i < len(p.Frames)-1) {
			m.keep(f)
		}
	}
	m.unwindExit(p, status)
}

// How a shell is left, for what its EXIT trap sees of the calls around.
const (
	leftInside = iota // by exit, set -e or the end: the call stack is as it was
	leftFailed        // by a failed expansion, which leaves functions first
	leftKilled        // by a signal
)

// noteCalls has the bottom frame remember where a shell is that ends.
func (m *Machine) noteCalls(p *Process, how int) {
	if !p.traps(sigEXIT) || len(p.Frames) == 0 {
		return
	}
	b := &p.Frames[0]
	if b.Kind != FBottom || b.PC == 1 || b.X != nil && len(b.X.Fields) > 0 {
		return
	}
	names, files, lines := m.calls(p)
	switch main := len(names) - 1; {
	case how == leftInside:
	case m.mainFile(p) != "":
		names, files, lines = names[main:], files[main:], lines[main:]
	default:
		names = nil
	}
	x := m.x(b)
	for i, name := range names {
		x.Fields = append(x.Fields, name, files[i], lines[i])
	}
	if how != leftKilled && p.enclosing() >= 0 {
		b.I |= endedInFunction
	}
}

// What the bottom frame's I says of a shell that has ended.
const (
	endedInFunction = 1 << iota
	endedBefore     // it is a subshell of the EXIT trap
)

// endedIn are the calls a shell was in when it ended, while its EXIT trap runs: name, file and line of each.
func (p *Process) endedIn() []string {
	if len(p.Frames) == 0 {
		return nil
	}
	b := &p.Frames[0]
	if b.Kind != FBottom || b.X == nil || b.PC != 1 && b.I&endedBefore == 0 {
		return nil
	}
	return b.X.Fields
}

// fail ends a process after a failed expansion: what eval, source or the shell itself runs is left, with the functions
// that it has called. Under set -e it ends where it stands, redirections and all.
func (m *Machine) fail(p *Process, status int) {
	if p.Shell.Opts.on(OptErrexit) {
		for i := range p.Frames {
			if f := &p.Frames[i]; p.traps(sigEXIT) && (f.Kind == FStmt || f.Kind == FSimple) {
				m.keep(f)
			}
		}
		m.unwindExit(p, status)
		return
	}
	inside, reader := p.enclosing() >= 0, -1
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Kind == FScript && f.X.Call != "" && f.X.Text != "" { // a ghost has no text
			reader = i
		}
	}
	if reader < 0 {
		m.noteCalls(p, leftFailed)
		m.unwind(p, status)
		return
	}
	for len(p.Frames) > reader+1 {
		m.pop(p)
	}
	m.noteCalls(p, leftInside)
	if b := &p.Frames[0]; inside && b.Kind == FBottom && b.PC == 0 {
		b.I |= endedInFunction
	}
	m.unwindExit(p, status)
}

// unwindExit ends a process: everything above its bottom frame is undone, then
// the EXIT trap runs, with the parameters of the call it ended in, then the process is gone.
func (m *Machine) unwindExit(p *Process, status int) {
	m.noteCalls(p, leftInside)
	if p.traps(sigEXIT) {
		for i := range p.Frames {
			if f := &p.Frames[i]; f.X != nil && (f.Kind == FFunc || f.Kind == FEval) {
				f.X.Set, f.X.Params = false, nil
			}
		}
	}
	m.unwind(p, status)
}

// unwind undoes the frames above the bottom one. A trap of the shell's own that is left so is not run again.
func (m *Machine) unwind(p *Process, status int) {
	var within []int
	for len(p.Frames) > 0 && p.top().Kind != FBottom {
		switch f := p.top(); {
		case f.Kind == FTrap && f.N >= sigDEBUG:
			within = append(within, f.N)
		case f.Kind == FTrap && f.N == sigCHLD: // which bash leaves by what puts the status back
			status = f.X.Saved
		}
		m.pop(p)
	}
	for _, sig := range within {
		if t := p.trap(sig); t != nil {
			t.Running = true
		}
	}
	p.Status = status & 255
	if len(p.Frames) > 0 {
		p.top().N = 1 // by exit, not by reaching the end
	}
}

// stepBottom ends a process: its last frame.
func (m *Machine) stepBottom(p *Process, f *Frame) {
	if f.PC == 0 {
		f.PC = 1
		if t := p.trap(sigEXIT); t != nil && !t.Inherited && t.Text != "" {
			p.Depth = 0
			m.runTrap(p, sigEXIT)
			return
		}
	}
	status := p.Status
	if p.PID != m.Procs[0].PID {
		m.pop(p)
		m.exit(p, status)
		return
	}
	byExit := f.N == 1
	m.pop(p)
	m.endRun(p, status, byExit)
}
