package shell

import (
	"slices"

	"eryxsh/core/limit"
)

// quantum is how many steps a process runs before the next one's turn. It is
// counted in saved steps, so stopping and going on changes no interleaving.
const quantum = 64

// work units between two questions whether the slice is over: about 100 µs.
const sliceCredit = 1024

// Outcome is why Run came back.
type Outcome uint8

// The outcomes of Run.
const (
	Done     Outcome = iota // the run has ended: RunState has its status
	Sliced                  // the slice is over
	Calls                   // nothing goes on until a tool call is answered
	Sleeping                // nothing goes on before Until
	Input                   // nothing goes on without input
	Marked                  // a checkpoint was reached
	Limited                 // a limit was met and the run asked to be suspended by it
	GivenUp                 // in the middle of a step: the caller goes back to the point it has
)

// stop is what unwinds a step when a limit is met. The World stays consistent:
// a step that is given up ends its run, never goes on.
type stop struct{ name string }

// stop ends the run at a named limit, from anywhere inside a step.
func (m *Machine) stop(name string) { panic(&stop{name}) }

// charge counts work; a slice ends when its credit is used and the host says so.
func (m *Machine) charge(n int) {
	if m.rt.credit -= n; m.rt.credit < -overdraft {
		m.overdrawn()
	}
}

// overdraft is how much work of one step goes on without a question: about 1 ms.
const overdraft = 1 << 13

// Midway is how a step goes on in the middle of which the host was asked.
type Midway uint8

// The answers of a host that is asked in the middle of a step.
const (
	GoOn      Midway = iota
	OutOfTime        // the run's time is used up: it ends now, unless it is to be suspended by that
	Cancelled        // the run ends now
	ToSuspend        // the run is to be suspended now, if it can go back to a point before the step
)

// attentive is a Host that can be asked in the middle of a step.
type attentive interface {
	// Midway says how the step goes on.
	Midway() Midway
}

// cancelled is what unwinds a step of a run that was cancelled.
const cancelled = "cancelled"

// overdrawn asks the host about a step that takes long, and gives it up if the
// run ends, or is suspended and can go back. Else the step is finished: the run could not go
// on from its middle.
func (m *Machine) overdrawn() {
	m.rt.credit, m.rt.overdrew = 0, true
	h, ok := m.rt.host.(attentive)
	if !ok {
		return
	}
	switch h.Midway() {
	case OutOfTime:
		if !m.Run.Suspend {
			m.stop(limit.Timeout)
		}
		m.giveUp()
	case Cancelled:
		m.stop(cancelled)
	case ToSuspend:
		m.giveUp()
	}
}

// hold checks a single buffer against the memory limit.
func (m *Machine) hold(n int) {
	if lim := m.Limits.Memory; lim > 0 && int64(n) > lim {
		m.stop("memory")
	}
}

// now is the World's clock in ns.
func (m *Machine) now() int64 {
	if !m.Clock.Virtual && m.rt != nil && m.rt.host != nil {
		if t := m.rt.host.Now(); t > m.Clock.Now {
			m.Clock.Now = t
		}
	}
	return m.Clock.Now
}

// Now is the World's clock in ns since 1970.
func (m *Machine) Now() int64 { return m.Clock.Now }

// Advance runs the machine until the slice is over or nothing can go on.
// until is the time to come back at when the outcome is Sleeping.
func (m *Machine) Advance(h Host) (out Outcome, until int64) {
	m.own()
	m.rt.host = h
	defer func() { m.rt.host, m.rt.goesBack = nil, false }()
	m.rt.credit, m.rt.until, m.rt.overdrew, m.rt.holding = sliceCredit, 0, false, false
	m.rt.turning, m.rt.nested = false, 0
	if m.Clock.Virtual && m.Limits.Time > 0 {
		m.rt.until = max(m.Clock.Now+m.Limits.Time-m.Meter.Time, 1)
	}
	for {
		out, until, lim := m.advance()
		if lim == "" {
			return out, until
		}
		if m.Run.Suspend && refillable(lim) {
			m.Run.Limit = lim
			return Limited, 0
		}
		switch lim {
		case givenUp:
			return GivenUp, 0
		case cancelled:
			m.Cancel()
			return Done, 0
		case limit.Timeout:
			m.Expire(lim)
			return Done, 0
		}
		m.exceed(lim)
	}
}

// refillable limits are met between two steps, so the run can go on from there after `resume(add=…)`.
func refillable(name string) bool {
	return name == "steps" || name == "output" || name == "time" || name == limit.Timeout
}

func (m *Machine) advance() (out Outcome, until int64, lim string) {
	defer func() {
		if x := recover(); x != nil {
			s, ok := x.(*stop)
			if !ok {
				panic(x)
			}
			out, until, lim = Done, 0, s.name
			m.rt.asking, m.rt.turning = asking{}, false
		}
	}()
	for m.Run.Active {
		p, wake := m.pick()
		if p == nil {
			out, until = m.idle(wake)
			if out == Sliced { // the virtual clock has jumped
				continue
			}
			return out, until, ""
		}
		if lim := m.Limits.Steps; lim > 0 && m.Meter.Steps >= lim {
			return Done, 0, "steps"
		}
		if m.Run.Suspend && m.overflows() {
			return Done, 0, "output"
		}
		m.Sched.Quantum--
		m.Meter.Steps++
		if m.Clock.Virtual {
			if m.Clock.Now += 1000; m.Run.Deadline > 0 && m.Clock.Now >= m.Run.Deadline {
				return Done, 0, limit.Timeout
			}
			if m.rt.until > 0 && m.Clock.Now >= m.rt.until {
				return Done, 0, "time"
			}
		}
		m.rt.made = 0
		m.step(p)
		if len(m.Run.Marks) > 0 {
			return Marked, 0, ""
		}
		if m.rt.credit--; m.rt.credit <= 0 || m.rt.single {
			m.rt.credit = sliceCredit
			if m.rt.host.Expired() || m.rt.holding {
				return Sliced, 0, ""
			}
		}
	}
	return Done, 0, ""
}

// pick gives the process whose turn it is, or nil and the earliest time one wakes.
func (m *Machine) pick() (*Process, int64) {
	if m.Sched.Quantum > 0 {
		if p := m.current(); p != nil && (p.Wait.Kind == Runs && len(p.Queue) == 0 || m.ready(p)) {
			return p, 0
		}
	}
	// next in PID order after the current one, coming round to it last
	at := 0
	for at < len(m.Procs) && m.Procs[at].PID <= m.Sched.Cur {
		at++
	}
	wake := int64(0)
	for i := range m.Procs {
		p := m.Procs[(at+i)%len(m.Procs)]
		if p.Dead || len(p.Frames) == 0 {
			continue
		}
		if m.ready(p) {
			m.Sched.Cur, m.Sched.Quantum = p.PID, quantum
			return p, 0
		}
		if u := p.Wait.Until; u > 0 && !p.stopped() && (wake == 0 || u < wake) {
			wake = u
		}
	}
	return nil, wake
}

func (m *Machine) current() *Process {
	if len(m.Procs) == 1 {
		if p := m.Procs[0]; p.PID == m.Sched.Cur && len(p.Frames) > 0 {
			return p
		}
		return nil
	}
	p := m.proc(m.Sched.Cur)
	if p == nil || p.Dead || len(p.Frames) == 0 {
		return nil
	}
	return p
}

// ready reports whether a process can take a step, ending a wait that is over.
func (m *Machine) ready(p *Process) bool {
	if p.stopped() {
		return false
	}
	if len(p.Queue) > 0 && !m.drain(p) && !m.interrupted(p) {
		return false
	}
	w := &p.Wait
	switch w.Kind {
	case Runs:
		return true
	case WaitsRead:
		if !m.interrupted(p) && !m.readReady(w.File) && !m.due(w) {
			return false
		}
	case WaitsOpen:
		if !m.interrupted(p) && !m.rendezvous(w.File) {
			return false
		}
	case WaitsChild:
		if !m.interrupted(p) && !m.childReady(p, w.PID) && !m.due(w) {
			return false
		}
	case WaitsCall:
		f := p.top()
		if !m.interrupted(p) && (f.X == nil || f.X.Got == nil) {
			return false
		}
	case WaitsSleep:
		if !m.interrupted(p) && !m.due(w) {
			return false
		}
	case WaitsWrite:
		if len(p.Queue) > 0 {
			return false
		}
	case WaitsLast:
		if !m.interrupted(p) && m.Files[w.File].Refs > 1 {
			return false
		}
	case WaitsSignal:
		if !m.interrupted(p) {
			return false
		}
	}
	p.Wait = Wait{}
	return true
}

func (m *Machine) due(w *Wait) bool { return w.Until > 0 && m.now() >= w.Until }

func (m *Machine) readReady(file int) bool {
	o := &m.Files[file]
	switch o.Kind {
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		return len(pp.Buf) > 0 || pp.Writers == 0 && m.rendezvousPipe(pp)
	case FileStdin:
		return len(m.IO.In) > 0 || !m.IO.InOpen
	}
	return true
}

// childReady reports whether the child pid, or any child if 0, has ended.
func (m *Machine) childReady(p *Process, pid int) bool {
	if l := len(p.Frames); pid == 0 && l > 0 && p.Frames[l-1].Kind == FWait {
		j, any := m.nextEnded(p, p.Frames[l-1].X)
		return j != nil || !any
	}
	any := false
	var kids []int // a utility's own: it has no part in the jobs of the shell
	if l := len(p.Frames); l > 0 && p.Frames[l-1].X != nil && p.Frames[l-1].X.Util != nil {
		kids = p.Frames[l-1].X.Util.Kids
	}
	for _, c := range m.Procs {
		if c.PPID != p.PID || pid != 0 && c.PID != pid || len(kids) > 0 && !slices.Contains(kids, c.PID) {
			continue
		}
		any = true
		if c.Dead {
			return true
		}
	}
	return !any
}

// idle says what the machine waits for when no process can run. A virtual
// clock jumps to the next wake-up.
func (m *Machine) idle(wake int64) (Outcome, int64) {
	if m.foreground() == nil { // only jobs of earlier calls are left
		m.Run.Active = false
		return Done, 0
	}
	waitsIn := false
	for _, p := range m.Procs {
		if !p.Dead && !p.stopped() && p.Wait.Kind == WaitsRead && m.Files[p.Wait.File].Kind == FileStdin {
			waitsIn = true
		}
	}
	switch {
	case len(m.Calls) > 0:
		return Calls, wake
	case waitsIn:
		return Input, wake
	case wake > 0:
		if m.Clock.Virtual {
			if dl := m.Run.Deadline; dl > 0 && wake > dl {
				m.Clock.Now = max(m.Clock.Now, dl)
				m.stop(limit.Timeout)
			}
			m.Clock.Now = max(m.Clock.Now, wake)
			return Sliced, 0
		}
		return Sleeping, wake
	}
	m.deadlock()
	return Sliced, 0
}

// deadlock ends what can never go on: every process waits for another.
func (m *Machine) deadlock() {
	m.emit(1, []byte("eryxsh: deadlock: every process waits for another\n"))
	m.kill(1, "LIMIT_EXCEEDED", limit.Deadlock)
}

// foreground is the shell process while it has something to do.
func (m *Machine) foreground() *Process {
	if p := m.Procs[0]; len(p.Frames) > 0 {
		return p
	}
	return nil
}

// kill ends the run: the foreground and everything it started by this call.
func (m *Machine) kill(status int, class, name string) {
	m.own()
	sh := m.Procs[0]
	for len(m.Procs) > 1 {
		p := m.Procs[len(m.Procs)-1]
		if !p.Dead {
			m.exit(p, status)
		}
		m.remove(p.PID)
	}
	for len(sh.Frames) > 0 {
		m.pop(sh)
	}
	for _, s := range sh.Queue {
		m.unref(s.File)
	}
	sh.Queue, sh.Wait, sh.Signal = nil, Wait{}, nil
	sh.Shell.Jobs, sh.Shell.Done = nil, nil
	sh.Shell.Opts.set(OptErrexit, false)
	sh.dropTrap(sigEXIT)
	m.closeOthers(sh)
	m.Calls = nil
	m.sweep()
	m.finish(status)
	m.Run.Class, m.Run.Limit = class, name
}

// sweep closes what a step that was given up had opened and not yet handed to
// anybody. Only the shell is left, and it stands nowhere.
func (m *Machine) sweep() {
	refs := make([]int, len(m.Files))
	for _, d := range m.Procs[0].FDs {
		refs[d.File]++
	}
	for i := range m.Files {
		if m.Files[i].Refs <= refs[i] {
			continue
		}
		if m.Files[i].Refs = refs[i]; refs[i] == 0 {
			m.Files[i].Refs = 1
			m.unref(i)
		}
	}
}

// finish records the end of a run.
func (m *Machine) finish(status int) {
	p := m.Procs[0]
	p.Status = status
	if cap(p.Frames) <= keptFrames {
		m.rt.frames = p.Frames[:0]
	}
	p.Frames = nil
	m.rt.ahead = ahead{}
	m.Run.Active, m.Run.Status = false, status
	m.Sched.Cur, m.Sched.Quantum = 0, 0
}

// keptFrames is how many frames a run may leave room for to the next one.
const keptFrames = 32

// Cancel ends the run as a user's interrupt would: status 130.
func (m *Machine) Cancel() {
	if m.Run.Active {
		m.own()
		m.kill(130, "CANCELLED", "")
	}
}

// Expire ends the run because its time is used up: status 124 for its timeout,
// 137 for the limit "time".
func (m *Machine) Expire(budget string) {
	switch {
	case !m.Run.Active:
	case budget == limit.Timeout:
		m.own()
		m.kill(124, "TIMEOUT", budget)
	default:
		m.own()
		m.exceed(budget)
	}
}

// exceed ends the run at a limit, and says so.
func (m *Machine) exceed(name string) {
	m.kill(137, "LIMIT_EXCEEDED", name)
	m.emit(1, []byte("eryxsh: limit "+name+" reached\n"))
}

// Limit gives one of the machine's limits, or the largest number.
func (m *Machine) limit(v int64) int64 { return limit.Or(v) }

// EachStep makes every step ask the host whether the slice is over, so that a
// test can stop at each safe point.
func (m *Machine) EachStep(on bool) {
	m.own()
	m.rt.single = on
}

// ShortTurns makes a utility do little in a turn, and read so many bytes at a time at most,
// so that a test can stop in the middle of small inputs; 0 is no bound.
func (m *Machine) ShortTurns(most int) {
	m.own()
	m.rt.short = most
}
