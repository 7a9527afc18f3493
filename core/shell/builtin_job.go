package shell

import (
	"fmt"
	"slices"

	"strings"
)

func (m *Machine) biTrap(p *Process, argv []string) int {
	print, list := false, false
	o := m.options(p, argv, "lp")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'l':
			list = true
		case 'p':
			print = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if list {
		return m.out(p, "trap", []byte(signalTable()))
	}
	if print || len(args) == 0 {
		return m.listTraps(p, args, print)
	}
	action, reset := args[0], false
	sigs := args[1:]
	if _, ok := number(action); ok && action != "" || len(sigs) == 0 { // trap 2 resets
		if len(sigs) == 0 && action != "-" {
			if _, ok := signalNumber(action); !ok || action == "" {
				o.usage()
				return 2
			}
		}
		if _, ok := signalNumber(action); ok {
			sigs, reset = args, true
		}
	}
	if action == "-" {
		reset = true
	}
	status := 0
	for _, s := range sigs {
		n, ok := signalNumber(s)
		if !ok {
			m.complain(p, "trap: %s: invalid signal specification", s)
			status = 1
			continue
		}
		if reset {
			p.clearInherited()
			p.dropTrap(n)
			continue
		}
		p.setTrap(n, action)
	}
	return status
}

// listTraps shows traps as commands that would set them. With posix -p shows all signals.
func (m *Machine) listTraps(p *Process, names []string, print bool) int {
	var b strings.Builder
	posix := p.Shell.Opts.on(OptPosix)
	name := func(sig int) string {
		switch s := signalName(sig); {
		case s == "":
			return itoa(sig)
		case posix:
			return strings.TrimPrefix(s, "SIG")
		default:
			return s
		}
	}
	line := func(t Trap) { b.WriteString("trap -- " + single(t.Text) + " " + name(t.Signal) + "\n") }
	status := 0
	if len(names) == 0 && posix && print {
		for n := range sigDEBUG {
			names = append(names, itoa(n))
		}
		names = append(names, "DEBUG", "ERR", "RETURN")
	}
	if len(names) == 0 {
		for _, t := range p.Shell.Traps {
			line(t)
		}
	}
	for _, s := range names {
		n, ok := signalNumber(s)
		if !ok {
			m.complain(p, "trap: %s: invalid signal specification", s)
			status = 1
			continue
		}
		if t := p.trap(n); t != nil {
			line(*t)
		} else if posix && print {
			b.WriteString("trap -- - " + name(n) + "\n")
		}
	}
	return max(status, m.out(p, "trap", []byte(b.String())))
}

func signalTable() string {
	var b strings.Builder
	col := 0
	for n := 1; n <= 64; n++ {
		name := signalName(n)
		if name == "" {
			continue
		}
		b.WriteString(fmt.Sprintf("%2d) %s", n, name))
		if col++; col == 5 {
			b.WriteByte('\n')
			col = 0
		} else {
			b.WriteByte('\t')
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// biWait waits for children. Words of its frame are the operands.
func (m *Machine) biWait(p *Process, argv []string) int {
	any, name := false, ""
	o := m.options(p, argv, "fnp:")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'n':
			any = true
		case 'p':
			name = o.value
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if base, sub := splitRef(name); name != "" && (!validName(base) || strings.HasSuffix(name, "]") && sub == "") {
		m.complain(p, "wait: `%s': not a valid identifier", name)
		return 1
	}
	if name != "" {
		_ = m.meant(p, name, func(name string) error { p.Shell.Vars.Delete(name); return nil })
	}
	x := &Extra{Name: name}
	for _, a := range args {
		pid, status := m.jobPID(p, a, "wait")
		if pid == 0 {
			x.PIDs, x.Codes = append(x.PIDs, 0), append(x.Codes, status)
			continue
		}
		x.PIDs, x.Codes = append(x.PIDs, pid), append(x.Codes, -1)
	}
	f := p.push(Frame{Kind: FWait, PC: boolStatus(any), X: x})
	m.stepWait(p, f)
	return pushed
}

// jobPID resolves an operand of wait, kill, disown: a PID or %job. It gives 0 and a status if there is none.
func (m *Machine) jobPID(p *Process, a, who string) (pid, status int) {
	if strings.HasPrefix(a, "%") {
		j := m.findJob(p, a)
		if j == nil {
			m.complain(p, "%s: %s: no such job", who, a)
			return 0, 127
		}
		return j.PIDs[len(j.PIDs)-1], 0
	}
	n, ok := number(a)
	if !ok {
		m.complain(p, "%s: `%s': not a pid or valid job spec", who, a)
		return 0, 1
	}
	return n, 0
}

// findJob looks up %N, %%, %+, %-, %text and %?text.
func (m *Machine) findJob(p *Process, spec string) *Job {
	jobs := p.Shell.Jobs
	s := strings.TrimPrefix(spec, "%")
	if s == "" || s == "%" || s == "+" {
		if len(jobs) == 0 {
			return nil
		}
		return &jobs[len(jobs)-1]
	}
	if s == "-" {
		if len(jobs) == 0 {
			return nil
		}
		return &jobs[max(0, len(jobs)-2)]
	}
	if n, ok := number(s); ok {
		for i := range jobs {
			if jobs[i].Num == n {
				return &jobs[i]
			}
		}
		return nil
	}
	for i := range jobs {
		if strings.HasPrefix(s, "?") && strings.Contains(jobs[i].Command, s[1:]) || strings.HasPrefix(jobs[i].Command, s) {
			return &jobs[i]
		}
	}
	return nil
}

// reap takes the status of an ended child; ok is false while it runs.
// known is false if there is no such child and never was one not waited for.
func (m *Machine) reap(p *Process, pid int) (status int, known, ok bool) {
	for _, e := range p.Shell.Done {
		if e.PID == pid {
			return e.Status, true, true
		}
	}
	c := m.proc(pid)
	if c == nil || c.PPID != p.PID {
		return 127, false, true
	}
	if !c.Dead {
		return 0, true, false
	}
	status = c.Status
	m.remove(pid)
	m.forgetJob(p, pid, status)
	return status, true, true
}

// reapAll forgets all jobs of a process that have ended.
func (m *Machine) reapAll(p *Process) {
	ended := func(pid int) bool {
		c := m.proc(pid)
		return c != nil && c.PPID == p.PID && c.Job && c.Dead
	}
	var jobs []Job
	for _, j := range p.Shell.Jobs {
		if pid := j.PIDs[len(j.PIDs)-1]; !ended(pid) {
			jobs = append(jobs, j)
		} else if strings.HasPrefix(j.Command, "coproc ") {
			m.endCoproc(p, pid)
		}
	}
	p.Shell.Jobs, p.Shell.Done = jobs, nil
	m.Procs = slices.DeleteFunc(m.Procs, func(c *Process) bool { return c != m.Procs[0] && c.PPID == p.PID && c.Job && c.Dead })
}

// forgetJob takes an ended child off the list of jobs and remembers its status for wait PID.
func (m *Machine) forgetJob(p *Process, pid, status int) {
	const remembered = 256
	p.Shell.Done = append(p.Shell.Done, Ended{pid, status})
	if len(p.Shell.Done) > remembered {
		p.Shell.Done = p.Shell.Done[len(p.Shell.Done)-remembered:]
	}
	jobs := p.Shell.Jobs
	i := slices.IndexFunc(jobs, func(j Job) bool { return j.PIDs[len(j.PIDs)-1] == pid })
	if i < 0 {
		return
	}
	if strings.HasPrefix(jobs[i].Command, "coproc ") {
		m.endCoproc(p, pid)
	}
	if i == 0 { // mostly: no copy of those left is made
		p.Shell.Jobs = jobs[1:]
		return
	}
	p.Shell.Jobs = slices.Concat(jobs[:i], jobs[i+1:]) // forks share the list
}

// endCoproc takes the variables of a coprocess that has ended away, and closes what they told.
func (m *Machine) endCoproc(p *Process, pid int) {
	for name, v := range p.Shell.Vars.All() {
		base, ok := strings.CutSuffix(name, "_PID")
		if n, isInt := v.Int(); !ok || !isInt || n != int64(pid) || !p.Shell.Vars.Get(base).IsArray() {
			continue
		}
		for _, s := range p.Shell.Vars.Get(base).Values() {
			if num, ok := number(s); ok {
				if old := p.take(num); old >= 0 {
					m.unref(old)
				}
			}
		}
		p.Shell.Vars.Delete(name)
		p.Shell.Vars.Delete(base)
		return
	}
}

// stepWait looks whether what is waited for has ended.
func (m *Machine) stepWait(p *Process, f *Frame) {
	x := f.X
	if f.PC == 0 { // -n: the first of them, or of all
		m.waitAny(p, f)
		return
	}
	if len(x.PIDs) == 0 { // every job
		for _, c := range m.Procs {
			if c.PPID == p.PID && c.Job && !c.Dead {
				p.Wait = Wait{Kind: WaitsChild, PID: c.PID}
				return
			}
		}
		m.reapAll(p)
		m.endRead(p, 0)
		return
	}
	for f.I < len(x.PIDs) {
		if x.PIDs[f.I] == 0 {
			f.N = x.Codes[f.I]
			f.I++
			continue
		}
		status, known, ok := m.reap(p, x.PIDs[f.I])
		if !ok {
			p.Wait = Wait{Kind: WaitsChild, PID: x.PIDs[f.I]}
			return
		}
		if !known {
			m.complain(p, "wait: pid %d is not a child of this shell", x.PIDs[f.I])
		} else if x.Name != "" {
			_ = m.assign(p, x.Name, nil, itoa(x.PIDs[f.I]), false)
		}
		f.N = status
		f.I++
	}
	m.endRead(p, f.N)
}

func (m *Machine) waitAny(p *Process, f *Frame) {
	x := f.X
	wanted := func(pid int) bool {
		if len(x.PIDs) == 0 {
			return true
		}
		for _, w := range x.PIDs {
			if w == pid {
				return true
			}
		}
		return false
	}
	alive := false
	for _, c := range m.Procs {
		if c.PPID != p.PID || !c.Job || !wanted(c.PID) {
			continue
		}
		if c.Dead {
			pid, status := c.PID, c.Status
			m.remove(pid)
			m.forgetJob(p, pid, status)
			p.Shell.Done = p.Shell.Done[:len(p.Shell.Done)-1]
			if x.Name != "" {
				_ = m.assign(p, x.Name, nil, itoa(pid), false)
			}
			m.endRead(p, status)
			return
		}
		alive = true
	}
	if !alive {
		m.endRead(p, 127)
		return
	}
	p.Wait = Wait{Kind: WaitsChild}
}

// runWithJobs is jobs -x: a command in whose words jobs are replaced by their process groups.
func (m *Machine) runWithJobs(p *Process, args []string) int {
	words := slices.Clone(args)
	for i, w := range words {
		if j := m.findJob(p, w); j != nil && strings.HasPrefix(w, "%") && len(j.PIDs) > 0 {
			words[i] = itoa(j.PIDs[0])
		}
	}
	if len(words) == 0 {
		return 0
	}
	if fn, ok := p.Shell.Funcs.Get(words[0]); ok {
		m.callFunction(p, fn, words, nil)
		return pushed
	}
	return m.skipFunctions(p, words)
}

func (m *Machine) biJobs(p *Process, argv []string) int {
	long, pids, news, running, stopped, run := false, false, false, false, false, false
	o := m.options(p, argv, "lpnxrs")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'l':
			long = true
		case 'p':
			pids = true
		case 'n':
			news = true
		case 'r':
			running = true
		case 's':
			stopped = true
		case 'x':
			if run = true; long || pids || news {
				m.complain(p, "jobs: no other options allowed with `-x'")
				return 1
			}
		}
	}
	switch {
	case o.bad:
		return 2
	case run:
		return m.runWithJobs(p, o.args)
	}
	args := o.args
	var b strings.Builder
	var ended []int
	status := 0
	for _, a := range args {
		if m.findJob(p, a) == nil {
			m.complain(p, "jobs: %s: no such job", a)
			status = 1
		}
	}
	for i, j := range p.Shell.Jobs {
		if len(args) > 0 {
			match := false
			for _, a := range args {
				f := m.findJob(p, a)
				match = match || f != nil && f.Num == j.Num
			}
			if !match {
				continue
			}
		}
		state, pid := "Running", j.PIDs[len(j.PIDs)-1]
		c := m.proc(pid)
		if c != nil && c.Wait.Kind == WaitsSignal {
			state = "Stopped"
		}
		if c == nil || c.Dead {
			state = "Done"
			if c != nil && c.Killed != 0 {
				state = signalDeath(c.Killed)
			} else if c != nil && c.Status != 0 {
				state = "Exit " + itoa(c.Status)
			}
			ended = append(ended, pid)
		}
		if running && state != "Running" || stopped && state != "Stopped" {
			continue
		}
		if pids {
			b.WriteString(itoa(pid) + "\n")
			continue
		}
		mark := " "
		switch i {
		case len(p.Shell.Jobs) - 1:
			mark = "+"
		case len(p.Shell.Jobs) - 2:
			mark = "-"
		}
		text := j.Command
		if state == "Running" {
			text += " &"
		}
		if long {
			b.WriteString(fmt.Sprintf("[%d]%s %d %-24s%s\n", j.Num, mark, pid, state, text))
		} else {
			b.WriteString(fmt.Sprintf("[%d]%s  %-23s %s\n", j.Num, mark, state, text))
		}
	}
	for _, pid := range ended {
		_, _, _ = m.reap(p, pid)
	}
	return max(status, m.out(p, "jobs", []byte(b.String())))
}

func signalDeath(sig int) string {
	switch sig {
	case sigTERM:
		return "Terminated"
	case sigKILL:
		return "Killed"
	case sigINT:
		return "Interrupt"
	case sigHUP:
		return "Hangup"
	case sigPIPE:
		return "Broken pipe"
	}
	return signalName(sig)
}

// biFg and biBg need job control, which a non-interactive shell has only with set -m.
func (m *Machine) biFg(p *Process, argv []string) int {
	if !p.Shell.Opts.on(OptMonitor) {
		m.complain(p, "fg: no job control")
		return 1
	}
	spec := "%%"
	if len(argv) > 1 {
		spec = argv[1]
	}
	j := m.findJob(p, spec)
	if j == nil {
		m.complain(p, "fg: %s: no such job", strings.TrimPrefix(strings.Replace(spec, "%%", "current", 1), "%"))
		return 1
	}
	pid := j.PIDs[len(j.PIDs)-1]
	_ = m.out(p, "fg", []byte(j.Command+"\n"))
	if c := m.proc(pid); c != nil {
		m.signal(c, sigCONT)
	}
	f := p.push(Frame{Kind: FWait, PC: 1, X: &Extra{PIDs: []int{pid}, Codes: []int{-1}}})
	m.stepWait(p, f)
	return pushed
}

func (m *Machine) biBg(p *Process, argv []string) int {
	if !p.Shell.Opts.on(OptMonitor) {
		m.complain(p, "bg: no job control")
		return 1
	}
	spec := "%%"
	if len(argv) > 1 {
		spec = argv[1]
	}
	j := m.findJob(p, spec)
	if j == nil {
		m.complain(p, "bg: %s: no such job", strings.TrimPrefix(strings.Replace(spec, "%%", "current", 1), "%"))
		return 1
	}
	for _, pid := range j.PIDs {
		if c := m.proc(pid); c != nil {
			m.signal(c, sigCONT)
		}
	}
	return m.out(p, "bg", []byte(fmt.Sprintf("[%d]+ %s &\n", j.Num, j.Command)))
}

func (m *Machine) biDisown(p *Process, argv []string) int {
	keep, all := false, false
	o := m.options(p, argv, "ahr")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'h':
			keep = true
		case 'a', 'r':
			all = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if all {
		if !keep {
			p.Shell.Jobs = nil
		}
		return 0
	}
	if len(args) == 0 {
		args = []string{"%%"}
	}
	status := 0
	for _, a := range args {
		j := m.findJob(p, a)
		if j == nil {
			if pid, ok := number(a); ok {
				for i := range p.Shell.Jobs {
					if p.Shell.Jobs[i].PIDs[0] == pid {
						j = &p.Shell.Jobs[i]
					}
				}
			}
		}
		if j == nil {
			m.complain(p, "disown: %s: no such job", strings.Replace(a, "%%", "current", 1))
			status = 1
			continue
		}
		if keep {
			continue
		}
		num := j.Num
		var left []Job
		for _, o := range p.Shell.Jobs {
			if o.Num != num {
				left = append(left, o)
			}
		}
		p.Shell.Jobs = left
	}
	return status
}

func (m *Machine) biSuspend(p *Process, argv []string) int {
	o := m.options(p, argv, "f")
	force := false
	for c := o.next(); c != 0; c = o.next() {
		force = true
	}
	switch {
	case o.bad:
		return 2
	case !force && len(o.args) > 0:
		m.complain(p, "suspend: too many arguments")
		return m.abandon(p)
	case !force:
		m.complain(p, "suspend: cannot suspend: no job control")
		return 1
	}
	m.signal(p, sigSTOP)
	return 0
}

// biTimes prints what a sandbox cannot know of the host: no time of its own.
func (m *Machine) biTimes(p *Process, argv []string) int {
	o := m.options(p, argv, "")
	if _, bad := o.none(); bad {
		return 2
	}
	return m.out(p, "times", []byte("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n"))
}

// stepTime prints what `time` measured when its pipeline has ended.
func (m *Machine) stepTime(p *Process, f *Frame) {
	n := f.node.(*timeClause)
	took := m.now() - f.X.Until
	m.pop(p)
	format := "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS\n"
	if n.posix {
		format = "real %2R\nuser %2U\nsys %2S\n"
	}
	if v := p.Shell.Vars.Get("TIMEFORMAT"); v != nil {
		if format = v.String(); format == "" {
			return
		}
		format += "\n"
	}
	m.complainRaw(p, timeText(format, took))
}

// timeText expands TIMEFORMAT: %[p][l]R, U, S, P and %%.
func timeText(format string, took int64) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		digits, long := 3, false
		if format[i] >= '0' && format[i] <= '9' {
			digits = min(3, int(format[i]-'0'))
			i++
		}
		if i < len(format) && format[i] == 'l' {
			long = true
			i++
		}
		if i == len(format) {
			break
		}
		ns := int64(0)
		switch format[i] {
		case '%':
			b.WriteByte('%')
			continue
		case 'R':
			ns = took
		case 'U', 'S':
		case 'P':
			b.WriteString("0.00")
			continue
		default:
			b.WriteByte('%')
			b.WriteByte(format[i])
			continue
		}
		sec := ns / 1e9
		frac := fmt.Sprintf("%03d", ns/1e6%1000)[:digits]
		if digits > 0 {
			frac = "." + frac
		}
		if long {
			b.WriteString(fmt.Sprintf("%dm%d%ss", sec/60, sec%60, frac))
		} else {
			b.WriteString(fmt.Sprintf("%d%s", sec, frac))
		}
	}
	return b.String()
}
