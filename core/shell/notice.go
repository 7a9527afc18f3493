package shell

import "fmt"

// What bash says about processes that have ended: which, when and on which line is bash's own
// (notify_of_job_status in jobs.c). A shell that is not interactive tells of those that a signal has ended, in the
// foreground at once, of jobs when it next waits for anything or reads a line.

// statement is the one that the process is in the middle of, nil if none is known.
func (p *Process) statement() *stmt {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; f.Kind {
		case FSimple, FWaitSub, FPipe, FUtil, FFilter, FTool, FWait, FPrompt:
		case FList:
			if l, ok := f.node.(*list); ok && f.I > 0 && f.I <= len(l.stmts) {
				return l.stmts[f.I-1]
			}
			return nil
		case FAndOr:
			if n := f.node.(*andOr); f.I > 0 && f.I <= len(n.stmts) {
				return n.stmts[f.I-1]
			}
			return nil
		case FStmt, FNot, FFunc:
			st, _ := f.node.(*stmt)
			return st
		default:
			return nil
		}
	}
	return nil
}

// waitLine is the line bash is on while it waits for a command: that of the loop, case, function or subshell around
// it, else the last one it has read.
func (m *Machine) waitLine(p *Process) int {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; f.Kind {
		case FFor, FCFor, FCase, FSelect:
			return f.node.at().line
		case FFunc:
			return f.node.at().line
		case FStdin:
			return f.X.Line - 1
		case FScript:
			if n := f.I; n > 0 && n <= len(f.X.Text) && f.X.Text[n-1] != '\n' {
				return f.X.Line
			}
			return f.X.Line - 1
		case FBottom:
			if s, ok := f.node.(*subshell); ok {
				return s.last
			}
		}
	}
	return m.line(p)
}

// noticeFile is where the shell's messages go while it waits for a command: not where the redirections of that command go.
func (p *Process) noticeFile() (int, bool) {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := &p.Frames[i]
		switch st, _ := f.node.(*stmt); {
		case f.Kind == FWaitSub || f.Kind == FPipe || f.Kind == FUtil || f.Kind == FFilter || f.Kind == FTool:
			continue
		case f.Kind == FStmt && st != nil:
			if _, ok := st.cmd.(*subshell); !ok {
				return p.fd(2)
			}
		case f.Kind != FSimple:
			return p.fd(2)
		}
		if f.X == nil {
			continue
		}
		for _, s := range f.X.Saves {
			if s.Num == 2 {
				return s.File, s.File >= 0
			}
		}
	}
	return p.fd(2)
}

// waited ends a wait for a command in the foreground whose processes are pids. It tells how that has ended, and the jobs meanwhile.
func (m *Machine) waited(p *Process, pids ...int) {
	j := Job{PIDs: pids}
	_, killed := m.outcome(p, &j)
	if killed == 0 && len(p.Shell.Jobs) == 0 {
		return
	}
	line := p.Line
	p.Line = m.waitLine(p)
	if m.nameCommand(p, &j) && killed != 0 {
		m.tellKilled(p, killed, m.stageLines(&j))
	}
	m.notify(p)
	p.Line = line
}

// ended is waited for a utility, which has no process of its own unless it is all that is left of one.
func (m *Machine) ended(p *Process, killed int) {
	if m.isCommand(p) {
		p.Killed = killed
		return
	}
	m.childEnded(p)
	if killed == 0 && len(p.Shell.Jobs) == 0 {
		return
	}
	line := p.Line
	p.Line = m.waitLine(p)
	if j := (Job{PIDs: []int{m.Sched.NextPID + 1}}); killed != 0 && m.nameCommand(p, &j) {
		m.tellKilled(p, killed, stageLine(j.PIDs[0], signalText(killed), 24)+j.Command)
	}
	m.notify(p)
	p.Line = line
}

// nameCommand gives the command in the foreground its texts.
func (m *Machine) nameCommand(p *Process, j *Job) bool {
	st := p.statement()
	if st == nil {
		return false
	}
	if n, ok := st.cmd.(*pipeline); ok && len(n.stages) == len(j.PIDs) {
		for _, s := range n.stages {
			j.Stages = append(j.Stages, jobText(s))
		}
		return true
	}
	plain := *st
	plain.negated = false
	j.Command = jobText(&plain)
	return true
}

// notify tells of the jobs that have ended and takes them off the list.
func (m *Machine) notify(p *Process) {
	for i := 0; i < len(p.Shell.Jobs); {
		j := p.Shell.Jobs[i]
		if c := m.proc(j.last()); p.Shell.Opts.on(optInteractive) || p.Subs > 0 || c == nil || c.PPID != p.PID || m.running(&j) != nil {
			i++
			continue
		}
		m.tellEnd(p, &j)
		status, _ := m.outcome(p, &j)
		m.forgetJob(p, &j, status)
	}
}

// tellEnd says how a job has ended, if there is something to be said.
func (m *Machine) tellEnd(p *Process, j *Job) {
	switch status, killed := m.outcome(p, j); {
	case killed != 0 && killed != sigTERM && !p.caught(killed):
		m.tellKilled(p, killed, m.stageLines(j))
	case p.controlsJobs() && killed != sigINT && killed != sigPIPE:
		m.tellEnded(p, fmt.Sprintf("[%d]+  %s%s\n", j.Num, pad(endState(status, killed), 24), j.Command))
	}
}

// tellKilled says that a signal has ended what lines describe: nothing of SIGINT and SIGPIPE, little of SIGTERM
// and of a signal that the shell has a trap for.
func (m *Machine) tellKilled(p *Process, killed int, lines string) {
	switch {
	case killed == sigINT || killed == sigPIPE:
	case killed == sigTERM || p.caught(killed):
		m.tellEnded(p, signalText(killed)+"\n")
	default:
		m.tellEnded(p, errorName(p)+": line "+itoa(max(p.Line, 1))+": "+lines+"\n")
	}
}

// caught reports whether a shell has a trap for a signal, be it only to ignore it.
func (p *Process) caught(sig int) bool {
	t := p.trap(sig)
	return t != nil && !t.Inherited && t.Entry == 0
}

func (m *Machine) tellEnded(p *Process, text string) {
	if p.Subs > 0 || p.Shell.Opts.on(optInteractive) {
		return
	}
	if file, ok := p.noticeFile(); ok {
		_ = m.sendFile(p, file, []byte(text))
	}
}
