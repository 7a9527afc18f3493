package shell

import (
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Mark is what of a machine a later state is compared with: its files, and its
// shell's variables, functions and directory. It shares all of them with the
// machine, takes no part in running it, and does not change.
type Mark struct {
	Files vfs.FS
	Vars  vars.Table
	Funcs persist.Map[*Function]
	Cwd   string
}

// Mark gives the machine as it is now, in O(1).
func (m *Machine) Mark() *Mark {
	k, p := &Mark{}, m.Procs[0]
	m.FS.ForkInto(&k.Files)
	p.Shell.Vars.ForkTo(&k.Vars)
	k.Funcs, k.Cwd = p.Shell.Funcs, p.Cwd
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
