package shell

import (
	"fmt"
	"slices"
	"strings"
)

// remembered is how many ended jobs that nobody has waited for a shell keeps the status of: CHILD_MAX.
const remembered = 4096

// last is the process whose number is $!, and that of the job to wait.
func (j *Job) last() int { return j.PIDs[len(j.PIDs)-1] }

// jobOf finds the job a process is part of.
func (p *Process) jobOf(pid int) *Job {
	for i := range p.Shell.Jobs {
		if j := &p.Shell.Jobs[i]; slices.Contains(j.PIDs, pid) {
			return j
		}
	}
	return nil
}

// running is a process of a job that has not ended, nil if all have.
func (m *Machine) running(j *Job) *Process {
	for _, pid := range j.PIDs {
		if c := m.proc(pid); c != nil && !c.Dead {
			return c
		}
	}
	return nil
}

// outcome is how a job has ended: the process that says so is the last, or with pipefail the last that failed.
func (m *Machine) outcome(p *Process, j *Job) (status, killed int) {
	for i := len(j.PIDs) - 1; i >= 0; i-- {
		if c := m.proc(j.PIDs[i]); c != nil {
			status, killed = c.Status, c.Killed
		}
		if status != 0 || !p.Shell.Opts.on(OptPipefail) {
			break
		}
	}
	return status, killed
}

// reap takes the status of an ended child, and of a whole job for its last one. runs is who has to end first, 0 if nobody;
// known is false if there is no such child and never was one not waited for.
func (m *Machine) reap(p *Process, pid int) (status int, known bool, runs int) {
	for _, e := range p.Shell.Done {
		if e.PID == pid {
			return e.Status, true, 0
		}
	}
	c := m.proc(pid)
	if c == nil || c.PPID != p.PID {
		return 127, false, 0
	}
	j := p.jobOf(pid)
	if j == nil {
		j = &Job{PIDs: []int{pid}}
	}
	if j.last() != pid {
		if !c.Dead {
			return 0, true, pid
		}
		return c.Status, true, 0
	}
	if r := m.running(j); r != nil {
		return 0, true, r.PID
	}
	status, _ = m.outcome(p, j)
	m.forgetJob(p, j, status)
	return status, true, 0
}

// reapAll forgets all jobs of a process that have ended.
func (m *Machine) reapAll(p *Process) {
	var jobs []Job
	for _, j := range p.Shell.Jobs {
		if m.running(&j) != nil || m.proc(j.last()) == nil {
			jobs = append(jobs, j)
		} else if strings.HasPrefix(j.Command, "coproc ") {
			m.endCoproc(p, j.last())
		}
	}
	p.Shell.Jobs, p.Shell.Done = jobs, nil
	m.Procs = slices.DeleteFunc(m.Procs, func(c *Process) bool { return c != m.Procs[0] && c.PPID == p.PID && c.Job && c.Dead })
}

// forgetJob takes an ended job off the list and remembers its status for wait PID.
func (m *Machine) forgetJob(p *Process, j *Job, status int) {
	pid := j.last()
	if n := len(p.Shell.Done); n >= remembered {
		p.Shell.Done = p.Shell.Done[n-remembered+1:]
	}
	p.Shell.Done = append(p.Shell.Done, Ended{pid, status})
	for _, n := range j.PIDs {
		m.remove(n)
	}
	jobs := p.Shell.Jobs
	i := slices.IndexFunc(jobs, func(j Job) bool { return j.last() == pid })
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

// forgetEnded remembers nothing but the status of the jobs of a process that have ended, so that a
// shell may start any number of them and wait for none.
func (m *Machine) forgetEnded(p *Process) {
	for _, j := range slices.Clone(p.Shell.Jobs) {
		if c := m.proc(j.last()); c != nil && c.PPID == p.PID && m.running(&j) == nil {
			status, _ := m.outcome(p, &j)
			m.forgetJob(p, &j, status)
		}
	}
}

// admit keeps the table of processes small, and ends the run if too many are alive.
func (m *Machine) admit(p *Process) {
	const often = 64 // forks between two looks, when there are many
	if n := m.Limits.Processes; len(m.Procs)%often == 0 {
		m.forgetEnded(p)
	} else if n <= 0 || int64(len(m.Procs)) <= n {
		return
	}
	alive := int64(0)
	for _, c := range m.Procs {
		if !c.Dead {
			alive++
		}
	}
	if n := m.Limits.Processes; n > 0 && alive > n {
		m.stop("processes")
	}
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

// jobState is how jobs describes a job.
func (m *Machine) jobState(p *Process, j *Job) string {
	if c := m.running(j); c != nil {
		if c.stopped() {
			return "Stopped"
		}
		return "Running"
	}
	return endState(m.outcome(p, j))
}

// endState describes how something has ended.
func endState(status, killed int) string {
	switch {
	case killed != 0:
		return signalText(killed)
	case status != 0:
		return "Exit " + itoa(status)
	}
	return "Done"
}

// stageLines are the processes of a job one below the other, as jobs -l and notices show them: one that
// is as the first is not described again.
func (m *Machine) stageLines(j *Job) string {
	var b strings.Builder
	first := ""
	for i, pid := range j.PIDs {
		state := "Running"
		if c := m.proc(pid); c != nil && c.Dead {
			state = endState(c.Status, c.Killed)
		} else if c != nil && c.stopped() {
			state = "Stopped"
		}
		if i == 0 {
			first = state
			b.WriteString(stageLine(pid, state, 24))
		} else {
			width := 24
			if state == first {
				state, width = "", 22
			}
			b.WriteString("\n     " + stageLine(pid, state, width) + "| ")
		}
		if i < len(j.Stages) {
			b.WriteString(j.Stages[i])
		} else {
			b.WriteString(j.Command)
		}
	}
	return b.String()
}

// stageLine is a process and its state.
func stageLine(pid int, state string, width int) string {
	return fmt.Sprintf("%5d %s", pid, pad(state, width))
}

// pad fills a text up with blanks.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }

// signalJob sends a signal to a job: to its process group, or if it has none of its own to its processes.
func (m *Machine) signalJob(p *Process, j *Job, sig int) {
	if c := m.proc(j.PIDs[0]); c != nil && c.PGID != p.PGID {
		m.signalGroup(c.PGID, sig)
		return
	}
	for _, pid := range j.PIDs {
		if c := m.proc(pid); c != nil {
			m.signal(c, sig)
		}
	}
}
