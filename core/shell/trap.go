package shell

import (
	"slices"
	"strconv"
)

func (p *Process) trap(sig int) *Trap {
	for i := range p.Shell.Traps {
		if p.Shell.Traps[i].Signal == sig {
			return &p.Shell.Traps[i]
		}
	}
	return nil
}

// setTrap is trap TEXT: a signal that was ignored when the shell began stays so, without a word.
func (p *Process) setTrap(sig int, text string) {
	p.clearInherited()
	if t := p.trap(sig); t != nil && t.Entry != 0 {
		return
	}
	p.dropTrap(sig)
	p.heed(sig)
	p.addTrap(Trap{Signal: sig, Text: text})
}

// addTrap puts a trap where it belongs; there is none of its signal.
func (p *Process) addTrap(t Trap) {
	i, _ := slices.BinarySearchFunc(p.Shell.Traps, t.Signal, func(t Trap, n int) int { return t.Signal - n })
	p.Shell.Traps = slices.Insert(p.Shell.Traps, i, t)
}

// resetTrap is trap -. bash gives SIGINT its effect back even if it was ignored when the shell began,
// but on this shell alone, and goes on showing it as ignored; SIGQUIT never has one.
func (p *Process) resetTrap(sig int) {
	p.clearInherited()
	switch t := p.trap(sig); {
	case t == nil || t.Entry == 0:
		p.dropTrap(sig)
	case sig == sigINT:
		t.Entry = entryHeeded
	}
	p.heed(sig)
	p.Shell.Opts.set(optNoQuit, p.Shell.Opts.on(optNoQuit) || sig == sigQUIT)
}

func (p *Process) dropTrap(sig int) {
	p.Shell.Traps = slices.DeleteFunc(p.Shell.Traps, func(t Trap) bool { return t.Signal == sig })
	if len(p.Shell.Traps) == 0 && !p.hidesTraps() {
		p.Shell.Traps = nil
	}
}

// hidesTraps reports whether there are traps that a function does not inherit:
// the list of traps is not nil then, even if it is empty, so that BASH_COMMAND is kept for them.
func (p *Process) hidesTraps() bool {
	return slices.ContainsFunc(p.Frames, func(f Frame) bool { return f.X != nil && f.X.Undo != nil && len(f.X.Undo.Traps) > 0 })
}

// clearInherited forgets the parent's traps that a subshell may still list.
func (p *Process) clearInherited() {
	p.Shell.Traps = slices.DeleteFunc(p.Shell.Traps, func(t Trap) bool { return t.Inherited })
	if len(p.Shell.Traps) == 0 && !p.hidesTraps() {
		p.Shell.Traps = nil
	}
}

// runTrap runs the action of a signal in a frame that puts $? back at its end.
func (m *Machine) runTrap(p *Process, sig int) {
	t := p.trap(sig)
	if t == nil || t.Text == "" || t.Inherited || t.Running && sig >= sigDEBUG {
		return
	}
	t.Running = true
	x := &Extra{Saved: p.Status, Name: signalName(sig), Line: p.Line, Codes: p.Shell.Pipe}
	p.push(Frame{Kind: FTrap, N: sig, X: x})
	m.pushScript(p, m.sourceName(p), t.Text, m.trapLine(p, sig), "trap")
	if sig == sigEXIT { // it runs once; what it starts has none, and one that it sets never runs
		p.dropTrap(sig)
		p.Frames[0].PC = 1
	}
}

// trapLine is where LINENO starts in a trap's text.
func (m *Machine) trapLine(p *Process, sig int) int {
	switch sig {
	case sigERR, sigDEBUG, sigRETURN:
		return max(p.Line, 1)
	}
	return 1
}

// trapFrame is that of the innermost trap that runs, nil if none does. Without an argument exit, in the trap
// EXIT, and return, in all but DEBUG, mean the status before the trap.
func (p *Process) trapFrame() *Frame {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if p.Frames[i].Kind == FTrap {
			return &p.Frames[i]
		}
	}
	return nil
}

// endTrap restores what a trap's action must not change.
func (p *Process) endTrap(f *Frame) {
	if t := p.trap(f.N); t != nil {
		t.Running = false
	}
	if f.N == sigDEBUG && p.Status != 0 && p.Shell.Opts.on(OptExtdebug) {
		p.Shell.Debug = debugSkips
	}
	p.Status = f.X.Saved
	p.Shell.Pipe = f.X.Codes
	if f.N != sigEXIT {
		p.Line = f.X.Line
	}
}

// debugTrap runs the DEBUG trap before a command. retry pushes the command
// again, for when the trap has ended. It reports whether the trap was started.
func (m *Machine) debugTrap(p *Process, n node, retry func()) bool {
	m.noteCommand(p, n)
	t := p.trap(sigDEBUG)
	if t == nil || t.Text == "" || t.Inherited || t.Running {
		return false
	}
	if p.Shell.Debug == debugMark(n) { // it has run for this command
		p.Shell.Debug = ""
		return false
	}
	p.Shell.Debug = debugMark(n)
	if retry == nil {
		// the frame on top is stepped again
		m.runTrap(p, sigDEBUG)
		return true
	}
	switch x := n.(type) {
	case *simple:
		p.push(Frame{Kind: FRetry, node: x})
	default:
		p.push(Frame{Kind: FRetry, node: n})
	}
	m.runTrap(p, sigDEBUG)
	return true
}

// debugStages runs the DEBUG trap for the next stage of a pipeline, from one on,
// that is a simple command: its trap runs in the shell that starts the pipeline,
// before any stage does. It reports whether the trap was started.
func (m *Machine) debugStages(p *Process, n *pipeline, from int) bool {
	t := p.trap(sigDEBUG)
	if t == nil || t.Text == "" || t.Inherited || t.Running {
		return false
	}
	for i := from; i < len(n.stages); i++ {
		st := n.stages[i]
		if c, ok := st.cmd.(*simple); ok && !st.negated {
			p.Line = c.line
			m.noteCommand(p, c)
			p.push(Frame{Kind: FRetry, node: n, I: i + 1})
			m.runTrap(p, sigDEBUG)
			return true
		}
	}
	return false
}

// debugBackground runs the DEBUG trap for a job that is a simple command, in the
// shell that starts it. It reports whether the trap was started.
func (m *Machine) debugBackground(p *Process, st *stmt) bool {
	t := p.trap(sigDEBUG)
	if t == nil || t.Text == "" || t.Inherited || t.Running {
		return false
	}
	p.Line = st.cmd.at().line
	m.noteCommand(p, st.cmd)
	p.push(Frame{Kind: FRetry, node: st})
	m.runTrap(p, sigDEBUG)
	return true
}

// stepRetry starts a command whose DEBUG trap has ended.
func (m *Machine) stepRetry(p *Process, f *Frame) {
	n, stage := f.node, f.I
	m.pop(p)
	if p.Shell.Debug == debugSkips {
		p.Shell.Debug = ""
		return
	}
	switch x := n.(type) {
	case *stmt:
		m.background(p, x)
	case *pipeline:
		if !m.debugStages(p, x, stage) {
			m.pipeline(p, x)
		}
	default:
		m.command(p, n)
	}
}

// debugSkips is the mark of a DEBUG trap that failed: with extdebug its command is not run.
const debugSkips = "skip"

func debugMark(n node) string {
	a := n.at().addr
	return strconv.Itoa(int(a.Kind)) + ":" + strconv.Itoa(int(a.Start)) + ":" + strconv.Itoa(int(a.End))
}

// errTrap runs the ERR trap; exit says that the shell ends after it.
func (m *Machine) errTrap(p *Process, exit bool) bool {
	t := p.trap(sigERR)
	if t == nil || t.Text == "" || t.Inherited || t.Running {
		return false
	}
	if exit {
		p.push(Frame{Kind: FExit, N: p.Status})
	}
	m.runTrap(p, sigERR)
	return true
}

// hideTraps takes away the traps a function does not inherit; its frame keeps them.
func (m *Machine) hideTraps(p *Process, x *Extra, fn *Function) {
	traced := fn.Trace || p.Shell.Opts.on(OptFunctrace)
	for _, sig := range []int{sigDEBUG, sigERR, sigRETURN} {
		if sig == sigERR && p.Shell.Opts.on(OptErrtrace) || sig != sigERR && traced {
			continue
		}
		if t := p.trap(sig); t != nil {
			u := x.undo()
			u.Traps = append(u.Traps, *t)
			p.dropTrap(sig)
		}
	}
}

// showTraps puts back what a function did not inherit, unless it set its own.
func (p *Process) showTraps(hidden []Trap) {
	for _, t := range hidden {
		if p.trap(t.Signal) == nil {
			p.addTrap(t)
		}
	}
}

// commandKept is BASH_COMMAND where there are traps, which eval and source put back at their end.
func (p *Process) commandKept() string {
	if p.Shell.Traps == nil {
		return ""
	}
	return p.Shell.Command
}

func (p *Process) inTrap() bool {
	return slices.ContainsFunc(p.Frames, func(f Frame) bool { return f.Kind == FTrap })
}

// noteCommand keeps the text of a command for BASH_COMMAND. While a trap runs it stays what it was.
func (m *Machine) noteCommand(p *Process, n node) {
	if p.Shell.Traps == nil || p.inTrap() {
		return
	}
	if text := commandText(n); text != "" {
		p.Shell.Command = text
	}
}
