package shell

import (
	"slices"
	"strconv"
	"strings"
)

// Signals by their Linux numbers; the last four are bash's own.
const (
	sigEXIT   = 0
	sigHUP    = 1
	sigINT    = 2
	sigKILL   = 9
	sigPIPE   = 13
	sigTERM   = 15
	sigCHLD   = 17
	sigCONT   = 18
	sigSTOP   = 19
	sigTSTP   = 20
	sigTTIN   = 21
	sigTTOU   = 22
	sigURG    = 23
	sigWINCH  = 28
	sigDEBUG  = 65
	sigERR    = 66
	sigRETURN = 67
)

// signalNames are the names of 1 to 64, without SIG.
var signalNames = strings.Fields("HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS")

// signalName is the name trap and kill print: SIGINT, RTMIN+1, EXIT, ERR.
func signalName(n int) string {
	switch {
	case n == sigEXIT:
		return "EXIT"
	case n == sigDEBUG:
		return "DEBUG"
	case n == sigERR:
		return "ERR"
	case n == sigRETURN:
		return "RETURN"
	case n >= 1 && n <= len(signalNames):
		return "SIG" + signalNames[n-1]
	case n == 34:
		return "SIGRTMIN"
	case n > 34 && n <= 49:
		return "SIGRTMIN+" + strconv.Itoa(n-34)
	case n >= 50 && n < 64:
		return "SIGRTMAX-" + strconv.Itoa(64-n)
	case n == 64:
		return "SIGRTMAX"
	}
	return ""
}

// signalNumber reads a signal as trap and kill take it: a number or a name, SIG or not, any case.
func signalNumber(s string) (int, bool) {
	if n, ok := number(s); ok {
		return n, n <= 64
	}
	up := strings.ToUpper(s)
	for _, n := range []int{sigEXIT, sigDEBUG, sigERR, sigRETURN} {
		if signalName(n) == up {
			return n, true
		}
	}
	for n := 1; n <= 64; n++ {
		if name := signalName(n); name != "" && (name == up || name == "SIG"+up) {
			return n, true
		}
	}
	return 0, false
}

func (p *Process) trap(sig int) *Trap {
	for i := range p.Shell.Traps {
		if p.Shell.Traps[i].Signal == sig {
			return &p.Shell.Traps[i]
		}
	}
	return nil
}

func (p *Process) setTrap(sig int, text string) {
	p.clearInherited()
	p.dropTrap(sig)
	i, _ := slices.BinarySearchFunc(p.Shell.Traps, sig, func(t Trap, n int) int { return t.Signal - n })
	p.Shell.Traps = slices.Insert(p.Shell.Traps, i, Trap{Signal: sig, Text: text})
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

// signal sends a signal to a process. What it does is decided when the process next runs.
func (m *Machine) signal(p *Process, sig int) {
	if p.Dead || sig == 0 {
		return
	}
	if t := p.trap(sig); t != nil && t.Text == "" && !t.Inherited && sig != sigKILL && sig != sigSTOP {
		return
	}
	switch sig {
	case sigCHLD, sigURG, sigWINCH, sigCONT:
		if t := p.trap(sig); t == nil || t.Inherited {
			if p.Wait.Kind == WaitsSignal && sig == sigCONT {
				p.Wait = Wait{}
			}
			return
		}
	}
	p.Signal = append(p.Signal, sig)
}

// interrupted reports whether a signal has arrived that does something now.
func (m *Machine) interrupted(p *Process) bool { return len(p.Signal) > 0 && m.acting(p) >= 0 }

// acting finds the first signal that does something now, -1 if there is none: a
// trap waits until the command at hand is over, and no other signal waits for it.
func (m *Machine) acting(p *Process) int {
	for i, sig := range p.Signal {
		if sig == sigPIPE && p.utilityOnTop() != nil {
			return i
		}
		if !p.traps(sig) || m.betweenCommands(p) {
			return i
		}
	}
	return -1
}

// traps reports whether a signal runs a trap.
func (p *Process) traps(sig int) bool {
	t := p.trap(sig)
	return t != nil && !t.Inherited && t.Text != "" && sig != sigKILL && sig != sigSTOP
}

// handleSignals runs a trap or ends the process. It reports whether the step is used.
func (m *Machine) handleSignals(p *Process) bool {
	i := m.acting(p)
	if i < 0 {
		return false
	}
	sig := p.Signal[i]
	if sig == sigPIPE && p.utilityOnTop() != nil {
		m.pipeBroke(p)
		m.endByPipe(p)
		return true
	}
	trapped := p.traps(sig)
	if p.Signal = slices.Delete(p.Signal, i, i+1); len(p.Signal) == 0 {
		p.Signal = nil
	}
	switch {
	case trapped:
		if len(p.Frames) > 0 && p.top().Kind == FWait { // wait returns at once
			m.pop(p)
			p.Status = 128 + sig
		}
		m.runTrap(p, sig)
	case sig == sigTSTP || sig == sigSTOP || sig == sigTTIN || sig == sigTTOU:
		p.Wait = Wait{Kind: WaitsSignal}
	default:
		m.die(p, sig)
	}
	return true
}

// betweenCommands reports whether a trap may run now: no utility or child is in the foreground.
func (m *Machine) betweenCommands(p *Process) bool {
	if len(p.Frames) == 0 {
		return false
	}
	switch f := p.top(); f.Kind {
	case FUtil, FFilter, FTool, FPipe, FWaitSub:
		return false
	case FSimple:
		return f.Child == 0
	}
	return true
}

// die ends a process by a signal. The shell of the run itself ends the run.
func (m *Machine) die(p *Process, sig int) {
	if p.PID == m.Procs[0].PID {
		for len(p.Frames) > 0 && p.top().Kind != FBottom {
			m.pop(p)
		}
		p.Queue = nil
		p.Status = 128 + sig
		if len(p.Frames) > 0 {
			p.top().N = 1
			if sig == sigKILL {
				p.top().PC = 1 // no EXIT trap
			}
		}
		return
	}
	m.passOn(p, sig)
	p.Killed = sig
	if t := p.trap(sigEXIT); sig != sigKILL && t != nil && !t.Inherited && t.Text != "" {
		m.unwindExit(p, 128+sig)
		return
	}
	m.exit(p, 128+sig)
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
	if sig == sigEXIT {
		p.dropTrapLater(sig)
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

// dropTrapLater: an EXIT trap runs once; it is gone for what it starts.
func (p *Process) dropTrapLater(sig int) { p.dropTrap(sig) }

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
			i, _ := slices.BinarySearchFunc(p.Shell.Traps, t.Signal, func(t Trap, n int) int { return t.Signal - n })
			p.Shell.Traps = slices.Insert(p.Shell.Traps, i, t)
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
