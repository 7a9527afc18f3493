package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// specialNames are the variables whose value the shell computes. Unset, they
// lose that for good, as in bash.
var specialNames = []string{
	"BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_CMDS", "BASH_COMMAND",
	"BASH_EXECUTION_STRING", "BASH_LINENO", "BASH_SOURCE", "BASH_SUBSHELL", "DIRSTACK", "EPOCHREALTIME",
	"EPOCHSECONDS", "FUNCNAME", "GROUPS", "LINENO", "PIPESTATUS", "RANDOM", "SECONDS", "SHELLOPTS", "SRANDOM", "_",
}

// special computes a special variable, nil if name is none.
func (m *Machine) special(p *Process, name string, v *vars.Var) *vars.Var {
	if v == nil {
		if name == "_" {
			return vars.New(p.Shell.Last, 0)
		}
		return nil
	}
	sh := p.Shell
	keep := v.Attrs() &^ (vars.Special | vars.Indexed)
	scalar := func(s string) *vars.Var { return vars.New(s, keep) }
	list := func(l []string) *vars.Var { return vars.NewList(l, keep) }
	switch name {
	case "LINENO":
		return vars.NewInt(int64(m.line(p)), keep)
	case "RANDOM":
		return vars.NewInt(int64(m.nextRandom(p)), keep)
	case "SRANDOM":
		return vars.NewInt(int64(uint32(m.Rand.next())), keep)
	case "SECONDS":
		return vars.NewInt((m.now()-sh.Started)/1e9, keep|vars.Integer)
	case "EPOCHSECONDS":
		return vars.NewInt(m.now()/1e9, keep)
	case "EPOCHREALTIME":
		now := m.now() / 1000
		frac := itoa(int(now % 1e6))
		return scalar(itoa(int(now/1e6)) + "." + strings.Repeat("0", 6-len(frac)) + frac)
	case "BASHPID":
		return vars.NewInt(int64(p.PID), keep)
	case "BASH_SUBSHELL":
		return vars.NewInt(int64(p.Sub), keep)
	case "BASH_COMMAND":
		if sh.Command != "" && (sh.Traps != nil || p.inTrap()) {
			return scalar(sh.Command)
		}
		return scalar(m.currentText(p))
	case "BASH_EXECUTION_STRING":
		if sh.Exec == "" {
			return nil
		}
		return scalar(sh.Exec)
	case "BASH_ARGV0":
		return scalar(sh.Name)
	case "PIPESTATUS":
		if len(sh.Pipe) == 0 { // nothing has run
			return nil
		}
		l := make([]string, len(sh.Pipe))
		for i, c := range sh.Pipe {
			l[i] = itoa(c)
		}
		return list(l)
	case "FUNCNAME", "BASH_SOURCE", "BASH_LINENO":
		return m.callStack(p, name, keep)
	case "BASH_ARGC", "BASH_ARGV":
		m.askArguments(p)
		return sh.arguments(name, keep)
	case "DIRSTACK":
		return list(append([]string{p.Cwd}, sh.Dirs...))
	case "GROUPS":
		return list([]string{itoa(int(m.Host.GID))})
	case "SHELLOPTS":
		return vars.New(onNames(&sh.Opts, setOptions), keep|vars.ReadOnly)
	case "BASHOPTS":
		return vars.New(onNames(&sh.Opts, shoptOptions), keep|vars.ReadOnly)
	case "BASH_ALIASES", "BASH_CMDS":
		return m.tableVar(p, name)
	case "_":
		return scalar(sh.Last)
	}
	return v
}

func onNames(o *Options, list []optionName) string {
	var on []string
	for _, n := range list {
		if o.on(n.opt) {
			on = append(on, n.name)
		}
	}
	return strings.Join(on, ":")
}

func (m *Machine) tableVar(p *Process, name string) *vars.Var {
	t := vars.NewTable()
	v := t.Own("x")
	v.MakeAssoc()
	v.SetAssigned()
	if name == "BASH_CMDS" {
		for k, h := range p.Shell.Hashed.Sorted() {
			v.SetKey(k, h.Path)
		}
		return v
	}
	for k, s := range p.Shell.Aliases.Sorted() {
		v.SetKey(k, s)
	}
	return v
}

// seeded is beside a seed until its first number is drawn.
const seeded = 1 << 32

// nextRandom is bash 5.1's generator: Park and Miller's minimal standard, its
// halves folded. No number comes twice in a row, and none is 0 behind a seed.
func (m *Machine) nextRandom(p *Process) uint32 {
	sh := p.Shell
	fold := func(s uint32) uint32 {
		if sh.Opts.compat() > 50 {
			s ^= s >> 16
		}
		return s & 32767
	}
	last := fold(uint32(sh.Random))
	if sh.Random&seeded != 0 {
		last = 0
	}
	for s := uint32(sh.Random); ; {
		if s == 0 {
			s = 123459876
		}
		h, l := int64(s/127773), int64(s%127773)
		t := 16807*l - 2836*h
		if t < 0 {
			t += 0x7fffffff
		}
		s = uint32(t)
		if n := fold(s); n != last {
			sh.Random = uint64(s)
			return n
		}
	}
}

// assignSpecial gives a computed variable a value where bash lets one. done
// says that nothing else is to be assigned.
func (m *Machine) assignSpecial(p *Process, e expand.Env, name, value string) (done bool, err error) {
	v := p.Shell.Vars.Get(name)
	if v == nil {
		return false, nil
	}
	switch name {
	case "RANDOM":
		n, err := expand.EvalString(e, value)
		if err != nil {
			return true, err
		}
		p.Shell.Random = uint64(uint32(n)) | seeded
	case "SECONDS":
		n, _ := expand.EvalString(e, value)
		p.Shell.Started = m.now() - n*1e9
	case "BASH_ARGV0":
		p.Shell.Name = value
	case "DIRSTACK":
	case "LINENO", "BASH_COMMAND", "BASHPID", "BASH_SUBSHELL", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM",
		"FUNCNAME", "GROUPS", "BASH_SOURCE", "BASH_LINENO", "BASH_ARGC", "BASH_ARGV", "PIPESTATUS", "_", "BASH_EXECUTION_STRING", "BASH_CMDS", "BASH_ALIASES":
	case "SHELLOPTS", "BASHOPTS":
		return true, readOnly(name)
	default:
		return false, nil
	}
	return true, nil
}

// noAssign reports whether assignments to a computed array do nothing.
func noAssign(name string) bool {
	switch name {
	case "BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE", "FUNCNAME", "GROUPS":
		return true
	}
	return false
}

// assignTable sets an element of an array the shell keeps elsewhere: an alias, a
// remembered command, a directory of the stack.
func (m *Machine) assignTable(p *Process, e expand.Env, name string, sub *expand.Sub, value string) (done bool, err error) {
	if name != "BASH_ALIASES" && name != "BASH_CMDS" && name != "DIRSTACK" {
		return false, nil
	}
	at, err := sub.Resolve(e, name, m.special(p, name, p.Shell.Vars.Get(name)))
	if err != nil {
		return true, err
	}
	switch name {
	case "BASH_ALIASES":
		p.Shell.Aliases.Set(m.epoch, at.Text, value)
	case "BASH_CMDS":
		p.Shell.Hashed.Set(m.epoch, at.Text, Hashed{Name: at.Text, Path: value})
	default:
		if at.Num > 0 && at.Num <= int64(len(p.Shell.Dirs)) {
			p.Shell.Dirs = m.list(p, p.Shell.Dirs)
			p.Shell.Dirs[at.Num-1] = value
		}
	}
	return true, nil
}

// callStack gives FUNCNAME, BASH_SOURCE or BASH_LINENO.
func (m *Machine) callStack(p *Process, name string, keep vars.Attr) *vars.Var {
	names, files, lines := m.calls(p)
	switch {
	case name == "BASH_SOURCE":
		return vars.NewList(files, keep)
	case name == "BASH_LINENO":
		return vars.NewList(lines, keep)
	case len(names) == 0, p.enclosing() < 0 && p.Frames[0].I&endedInFunction == 0:
		return nil
	}
	return vars.NewList(names, keep)
}

// calls are the functions and sourced files around a command, innermost first:
// their names, the files they stand in, and the lines that called them.
func (m *Machine) calls(p *Process) (names, files, lines []string) {
	add := func(name, file string, line int) {
		names, files, lines = append(names, name), append(files, file), append(lines, itoa(line))
	}
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; {
		case f.Kind == FFunc:
			add(f.X.Name, orMain(f.X.Text), f.X.Line)
		case f.Kind == FScript && f.X.Call == "source":
			add("source", f.X.Name, f.X.Saved)
		}
	}
	if file := m.mainFile(p); file != "" {
		add("main", file, 0)
	}
	for at := p.endedIn(); len(at) >= 3; at = at[3:] {
		names, files, lines = append(names, at[0]), append(files, at[1]), append(lines, at[2])
	}
	return names, files, lines
}

func orMain(s string) string {
	if s == "" {
		return "environment"
	}
	return s
}

// mainFile is the script file a shell runs, "" for bash -c.
func (m *Machine) mainFile(p *Process) string {
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Kind == FScript {
			if f.X.Call == "" {
				return f.X.Name
			}
			return ""
		}
	}
	return ""
}

// currentText is the command at hand, for BASH_COMMAND.
func (m *Machine) currentText(p *Process) string {
	trapped := false
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := &p.Frames[i]
		if f.Kind == FTrap {
			trapped = true
			continue
		}
		if f.Kind == FScript && f.X.Call == "trap" {
			trapped = false
			continue
		}
		switch n := f.node.(type) {
		case *list:
			if f.I > 0 && f.I <= len(n.stmts) && !trapped {
				return n.stmts[f.I-1].text()
			}
			if f.I > 0 && trapped {
				return n.stmts[f.I-1].text()
			}
		case *simple:
			if f.Kind == FRetry {
				return n.text()
			}
		}
	}
	return ""
}

func (m *Machine) tilde(p *Process, dir string) string {
	home := p.Shell.Vars.Get("HOME").String()
	if home != "" && home != "/" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		return "~" + dir[len(home):]
	}
	return dir
}
