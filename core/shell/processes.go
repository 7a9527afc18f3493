package shell

import (
	"eryxsh/core/cmd"
)

// Processes lists what a program can see of the process table. A command in the
// foreground has no process of its own here: the program that asks is shown
// under the number it would have had.
func (s *sysCtx) Processes() []cmd.Process {
	var all []cmd.Process
	alone := s.p.commandAlone()
	for _, p := range s.m.Procs {
		if p.Dead {
			continue
		}
		s.m.charge(1)
		e := cmd.Process{PID: p.PID, PPID: p.PPID, PGID: p.PGID, Args: p.arguments(), Started: p.Shell.Started, Waits: p.Wait.Kind != 0}
		if p == s.p {
			e.Self, e.Waits = alone, !alone
			if !alone {
				e.Args = p.shellArguments()
			}
		}
		all = append(all, e)
	}
	if !alone {
		all = append(all, cmd.Process{PID: s.m.Sched.NextPID + 1, PPID: s.p.PID, PGID: s.p.PGID, Args: s.u.Argv, Started: s.p.Shell.Started, Self: true})
	}
	return all
}

// commandAlone reports whether a process is one command, not a shell that runs it.
func (p *Process) commandAlone() bool {
	return len(p.Frames) == 2 && p.Frames[0].Kind == FBottom && (p.Frames[1].Kind == FUtil || p.Frames[1].Kind == FFilter)
}

// arguments are those of the command that a process runs, or else of the shell
// it is. A command that waits for one of its own is the shell's: that one is listed.
func (p *Process) arguments() []string {
	if n := len(p.Frames); n > 0 && (p.Wait.Kind != WaitsChild || p.commandAlone()) {
		if x := p.Frames[n-1].X; x != nil && x.Util != nil {
			return x.Util.Argv
		}
	}
	return p.shellArguments()
}

// shellArguments are those of a shell; sh is bash in POSIX mode.
func (p *Process) shellArguments() []string {
	shell := "bash"
	if p.Shell.Opts.on(OptPosix) {
		shell = "sh"
	}
	if name := p.Shell.Name; name != "" && name != shell && name != "bash" {
		return append([]string{shell, name}, p.Shell.Params...)
	}
	return []string{shell}
}
