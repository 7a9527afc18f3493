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
	sigQUIT   = 3
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

// terminating are the signals whose death bash sees coming: it runs the EXIT trap first.
var terminating = map[int]bool{1: true, 2: true, 4: true, 5: true, 6: true, 7: true, 8: true, 10: true, 11: true, 12: true, 13: true,
	14: true, 15: true, 24: true, 25: true, 26: true, 31: true}

// stops reports whether a signal stops a process that does nothing about it.
func stops(sig int) bool { return sig == sigSTOP || sig == sigTSTP || sig == sigTTIN || sig == sigTTOU }

// stopped reports whether a signal has stopped the process.
func (p *Process) stopped() bool { return p.Shell.Opts.on(optStopped) }

// ignores reports whether a signal does nothing at all to a process.
func (m *Machine) ignores(p *Process, sig int) bool {
	if sig == sigKILL || sig == sigSTOP {
		return false
	}
	if t := p.trap(sig); t != nil && !t.Inherited {
		return t.Text == "" && t.Entry != entryHeeded
	}
	quiet := sig == sigINT && p.Shell.Opts.on(optNoInt) || sig == sigQUIT && p.Shell.Opts.on(optNoQuit)
	return quiet && m.isCommand(p) == p.startedFor()
}

// heed ends what the shell does about a signal by itself.
func (p *Process) heed(sig int) {
	switch sig {
	case sigINT:
		p.Shell.Opts.set(optNoInt, false)
	case sigQUIT:
		p.Shell.Opts.set(optNoQuit, false)
	}
}

// isCommand reports whether a process is the command at its top: no shell is left that would go on after it.
func (m *Machine) isCommand(p *Process) bool {
	n := len(p.Frames)
	if n == 0 || p.PID == m.Procs[0].PID {
		return false
	}
	switch p.Frames[n-1].Kind {
	case FUtil, FFilter, FTool:
		return m.atEnd(p, p.Frames[:n-1])
	}
	return false
}

// startedFor reports whether a process is a job of one simple command. If that is a function or a builtin it
// heeds SIGINT and SIGQUIT; only of another the process is what has been started ignoring them.
func (p *Process) startedFor() bool {
	if len(p.Frames) == 0 {
		return false
	}
	st, ok := p.Frames[0].node.(*stmt)
	if !ok || !p.Job {
		return false
	}
	_, ok = st.cmd.(*simple)
	return ok
}

// signal sends a signal to a process. What it does is decided when the process next runs,
// but a process stops and goes on at once.
func (m *Machine) signal(p *Process, sig int) {
	if p.Dead || sig == 0 {
		return
	}
	if sig == sigCONT || sig == sigKILL {
		p.Shell.Opts.set(optStopped, false)
		if p.Wait.Kind == WaitsSignal { // as older versions stopped
			p.Wait = Wait{}
		}
	}
	if m.ignores(p, sig) {
		return
	}
	switch {
	case p.traps(sig):
	case stops(sig):
		p.Shell.Opts.set(optStopped, true)
		if p.PID == m.Sched.Cur {
			m.Sched.Quantum = 0
		}
		return
	case sig == sigCHLD || sig == sigURG || sig == sigWINCH || sig == sigCONT:
		return
	}
	p.Signal = append(p.Signal, sig)
}

// childEnded tells a shell that has a trap on it of the end of a child. In the trap bash does not look.
func (m *Machine) childEnded(p *Process) {
	if t := p.trap(sigCHLD); t != nil && !t.Running {
		m.signal(p, sigCHLD)
	}
}

// signalGroup sends a signal to the processes of a group; it gives false if there are none. A command in the
// foreground of a shell has no process of its own here: it gets the signal before the shell does.
func (m *Machine) signalGroup(group, sig int) bool {
	hit := false
	for _, c := range slices.Clone(m.Procs) {
		if c.PGID != group || c.Dead {
			continue
		}
		hit = true
		if n := len(c.Frames); n > 0 && sig == sigINT && m.shielded(c) && c.Frames[n-1].Kind != FWaitSub && c.Frames[n-1].Kind != FPipe && !m.ignores(c, sig) {
			c.Wait = Wait{}
			m.pop(c)
			m.done(c, 128+sig)
		}
		m.signal(c, sig)
	}
	return hit
}

// interrupted reports whether a signal has arrived that does something now.
func (m *Machine) interrupted(p *Process) bool { return len(p.Signal) > 0 && m.acting(p) >= 0 }

// acting finds the first signal that does something now, -1 if there is none: a
// trap waits until the command at hand is over, and of the other signals only SIGINT waits for it.
func (m *Machine) acting(p *Process) int {
	for i, sig := range p.Signal {
		switch {
		case sig == sigPIPE && p.utilityOnTop() != nil:
			return i
		case p.traps(sig):
			if m.betweenCommands(p) && !(sig == sigCHLD && p.top().Kind == FWait && !p.Shell.Opts.on(OptPosix)) { // wait goes on
				return i
			}
		case sig != sigINT || !m.shielded(p):
			return i
		}
	}
	return -1
}

// shielded reports whether SIGINT does nothing to a shell now: it waits for a command in the foreground, whose
// end will tell whether that has died of it, too. A subshell whose last command is over ends without looking.
func (m *Machine) shielded(p *Process) bool {
	n := len(p.Frames)
	if n == 0 {
		return false
	}
	switch p.Frames[n-1].Kind {
	case FWaitSub, FPipe:
		return true
	case FUtil, FFilter, FTool:
		return !m.isCommand(p)
	}
	return p.Sub > 0 && m.atEnd(p, p.Frames)
}

// survived forgets a SIGINT that came while the shell waited for a command, unless the command has died of it
// or there is a trap: whoever catches the signal speaks for all (wait_sigint_received in bash).
// Under job control the command has a process group of its own, and its death stands for the signal.
func (p *Process) survived(killed int) {
	if killed == sigINT && p.controlsJobs() && !p.traps(sigINT) && !slices.Contains(p.Signal, sigINT) {
		p.Signal = append(p.Signal, sigINT)
	}
	if len(p.Signal) == 0 || killed == sigINT || p.traps(sigINT) {
		return
	}
	p.Signal = slices.DeleteFunc(p.Signal, func(sig int) bool { return sig == sigINT })
	if len(p.Signal) == 0 {
		p.Signal = nil
	}
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
	case stops(sig): // sent before the trap it had was taken away
		p.Shell.Opts.set(optStopped, true)
		m.Sched.Quantum = 0
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
	case FUtil, FFilter, FTool, FPipe, FWaitSub, FNot: // the status is negated first
		return false
	case FSimple:
		return f.Child == 0
	}
	return true
}

// die ends a process by a signal. The shell of the run itself ends the run.
func (m *Machine) die(p *Process, sig int) {
	m.noteCalls(p, leftKilled)
	if p.PID == m.Procs[0].PID {
		for len(p.Frames) > 0 && p.top().Kind != FBottom {
			m.pop(p)
		}
		p.Queue = nil
		p.Status = 128 + sig
		if len(p.Frames) > 0 {
			p.top().N = 1
			if !terminating[sig] {
				p.top().PC = 1 // no EXIT trap
			}
		}
		return
	}
	m.passOn(p, sig)
	if p.Killed = sig; sig == sigINT && p.Sub > 0 && !m.isCommand(p) {
		p.Killed = 0 // a subshell catches it, and exits
	}
	if terminating[sig] && p.traps(sigEXIT) {
		m.unwind(p, 128+sig)
		return
	}
	m.exit(p, 128+sig)
}

// signalTexts are what strsignal says of signals, where that is not their name.
var signalTexts = map[int]string{1: "Hangup", 2: "Interrupt", 3: "Quit", 4: "Illegal instruction", 5: "Trace/breakpoint trap", 6: "Aborted",
	7: "Bus error", 8: "Floating point exception", 9: "Killed", 10: "User defined signal 1", 11: "Segmentation fault", 12: "User defined signal 2",
	13: "Broken pipe", 14: "Alarm clock", 15: "Terminated", 16: "Stack fault", 24: "CPU time limit exceeded", 25: "File size limit exceeded",
	26: "Virtual timer expired", 27: "Profiling timer expired", 29: "I/O possible", 30: "Power failure", 31: "Bad system call"}

// signalText says how a signal has ended a process.
func signalText(sig int) string {
	if text := signalTexts[sig]; text != "" {
		return text
	}
	if sig >= 34 && sig <= 64 {
		return "Real-time signal " + itoa(sig-34)
	}
	return "Unknown signal " + itoa(sig)
}
