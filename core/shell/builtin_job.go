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
			p.resetTrap(n)
			continue
		}
		p.setTrap(n, action)
	}
	return status
}

// listTraps shows traps as commands that would set them. With posix -p shows all signals.
func (m *Machine) listTraps(p *Process, names []string, print bool) int {
	if p.Shell.Opts.on(optNoInt) && m.ignores(p, sigINT) { // bash asks for the signals' effects first, and takes SIGINT for ignored from the beginning
		p.dropTrap(sigINT)
		p.addTrap(Trap{Signal: sigINT, Entry: entryIgnored})
	}
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
	if name != "" && !isTarget(name) {
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
		return j.last(), 0
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
		m.notify(p)
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
		if j := p.jobOf(x.PIDs[f.I]); j != nil && j.last() == x.PIDs[f.I] && m.running(j) == nil && m.proc(j.last()) != nil {
			m.tellEnd(p, j)
		}
		status, known, runs := m.reap(p, x.PIDs[f.I])
		if runs != 0 {
			p.Wait = Wait{Kind: WaitsChild, PID: runs}
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

// waitAny is wait -n: for the next job to end, or the next of those named.
func (m *Machine) waitAny(p *Process, f *Frame) {
	j, any := m.nextEnded(p, f.X)
	switch {
	case j != nil:
		pid := j.last()
		m.tellEnd(p, j)
		status, _ := m.outcome(p, j)
		m.forgetJob(p, &Job{PIDs: j.PIDs}, status)
		p.Shell.Done = p.Shell.Done[:len(p.Shell.Done)-1]
		if f.X.Name != "" {
			_ = m.assign(p, f.X.Name, nil, itoa(pid), false)
		}
		m.endRead(p, status)
	case any:
		p.Wait = Wait{Kind: WaitsChild}
	default:
		m.endRead(p, 127)
	}
}

// nextEnded finds the oldest job that has ended, of those that wait -n waits for; any says that there are some.
func (m *Machine) nextEnded(p *Process, x *Extra) (ended *Job, any bool) {
	for i := range p.Shell.Jobs {
		j := &p.Shell.Jobs[i]
		if c := m.proc(j.last()); c == nil || c.PPID != p.PID || len(x.PIDs) > 0 && !slices.Contains(x.PIDs, c.PID) {
			continue
		}
		if any = true; m.running(j) == nil {
			return j, true
		}
	}
	return nil, any
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
		state, pid := m.jobState(p, &j), j.last()
		if state != "Running" && state != "Stopped" {
			ended = append(ended, pid)
		}
		if running && state != "Running" || stopped && state != "Stopped" {
			continue
		}
		if pids {
			b.WriteString(itoa(j.PIDs[0]) + "\n")
			continue
		}
		mark := " "
		switch i {
		case len(p.Shell.Jobs) - 1:
			mark = "+"
		case len(p.Shell.Jobs) - 2:
			mark = "-"
		}
		amp := ""
		if state == "Running" {
			amp = " &"
		}
		if long {
			b.WriteString(fmt.Sprintf("[%d]%s ", j.Num, mark) + m.stageLines(&j) + amp + "\n")
		} else {
			b.WriteString(fmt.Sprintf("[%d]%s  %-23s %s%s\n", j.Num, mark, state, j.Command, amp))
		}
	}
	for _, pid := range ended {
		_, _, _ = m.reap(p, pid)
	}
	return max(status, m.out(p, "jobs", []byte(b.String())))
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
	pid := j.last()
	_ = m.out(p, "fg", []byte(j.Command+"\n"))
	m.signalJob(p, j, sigCONT)
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
	m.signalJob(p, j, sigCONT)
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
