package shell

import (
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Mark is what of a machine a later state is compared with: its files, and its
// shell's variables, functions, aliases, options and directory. It shares all of
// them with the machine, takes no part in running it, and does not change.
type Mark struct {
	Files   vfs.FS
	Vars    vars.Table
	Funcs   persist.Map[*Function]
	Aliases persist.Map[string]
	Opts    Options
	Cwd     string
}

// Mark gives the machine as it is now, in O(1).
func (m *Machine) Mark() *Mark {
	k, p := &Mark{}, m.Procs[0]
	m.FS.ForkInto(&k.Files)
	p.Shell.Vars.ForkTo(&k.Vars)
	k.Funcs, k.Aliases, k.Opts, k.Cwd = p.Shell.Funcs, p.Shell.Aliases, p.Shell.Opts, p.Cwd
	m.epoch = persist.NewEpoch()
	return k
}

// Variables gives every scalar variable's value and every array's, by name.
func Variables(t *vars.Table) map[string]*vars.Var {
	out := map[string]*vars.Var{}
	for name, v := range t.All() {
		if !v.Is(vars.Special) && (v.IsSet() || v.IsArray()) {
			out[name] = v
		}
	}
	return out
}

// Amendment is what is to become of parts of a shell. nil in a map removes.
type Amendment struct {
	Vars    map[string]*vars.Var // owned by no table
	Funcs   map[string]*Function // as another machine of the same origin has them
	Aliases map[string]*string
	Opts    Options // all of them
	Cwd     string  // the working directory; empty leaves it
}

// Amend changes the shell between two runs.
func (m *Machine) Amend(a Amendment) {
	m.own()
	p := m.Procs[0]
	s := p.Shell
	for name, v := range a.Vars {
		s.Vars.Bind(name, v)
	}
	if _, ok := a.Vars["PATH"]; ok {
		s.Hashed = persist.Map[Hashed]{}
	}
	for name, f := range a.Funcs {
		if f == nil {
			s.Funcs.Delete(m.epoch, name)
		} else {
			s.Funcs.Set(m.epoch, name, f)
		}
	}
	for name, text := range a.Aliases {
		if text == nil {
			s.Aliases.Delete(m.epoch, name)
		} else {
			s.Aliases.Set(m.epoch, name, *text)
		}
	}
	s.Opts = a.Opts
	if at := m.directory(a.Cwd); a.Cwd != "" && at != nowhere {
		before := p.Cwd
		m.enter(p, a.Cwd, at)
		s.Vars.Bind("PWD", vars.New(a.Cwd, vars.Export))
		s.Vars.Bind("OLDPWD", vars.New(before, vars.Export))
	}
}
