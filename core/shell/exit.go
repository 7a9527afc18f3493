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

// unwindExit ends a process: everything above its bottom frame is undone, then
// the EXIT trap runs, then the process is gone.
func (m *Machine) unwindExit(p *Process, status int) {
	for len(p.Frames) > 0 && p.top().Kind != FBottom {
		m.pop(p)
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
