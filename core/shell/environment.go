package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// The environment of a command is the exported variables and the exported
// functions, each of which bash puts into a variable called BASH_FUNC_name%%
// (bash manual, "Shell Functions"): so they get to a bash that env, xargs or find
// starts.

// environment is the file that functions out of the environment come from.
const environment = "environment"

// environ is what a command finds in its environment, in the order in which bash puts it there:
// what was assigned before the command, the other variables, functions, and _.
func (m *Machine) environ(p *Process) []string {
	env := m.list(p, p.Shell.Vars.Environ())
	for name, v := range p.hidden() {
		env = append(env, name+"="+v.String())
	}
	path, direct := m.commandPath(p)
	if direct || exported(p.Shell.Vars.Get("_")) { // else the list was given by a command, which has an order of its own
		orderEnviron(env, p.assignedBefore())
	}
	last := ""
	if direct {
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "_=") })
		last = "_=" + path
	}
	for name, fn := range exportedFuncs(p.Shell) {
		env = append(env, funcVariable(name)+"="+functionValue(fn))
	}
	if last != "" {
		env = append(env, last)
	}
	return env
}

// commandPath is the file of a utility that the shell itself has started.
func (m *Machine) commandPath(p *Process) (path string, ok bool) {
	n := len(p.Frames) - 1
	if n < 1 || p.Frames[n-1].Kind == FBottom && p.Frames[n-1].N == 1 || p.Frames[n].X == nil || p.Frames[n].X.Util == nil {
		return "", false
	}
	path = p.Frames[n].X.Util.Argv[0]
	if found, err := m.find(p, path); err == nil {
		path = found
	}
	return path, true
}

// assignedBefore are the names that were assigned before the command that a process runs.
func (p *Process) assignedBefore() (names []string) {
	for i := len(p.Frames) - 1; i >= 0 && p.Frames[i].Kind != FFunc; i-- {
		if f := &p.Frames[i]; f.Kind == FSimple && f.X != nil {
			for _, s := range f.X.Vars {
				if s.Temp {
					names = append(names, s.Name)
				}
			}
			break
		}
	}
	return names
}

// orderEnviron puts an environment into the order of bash's hash tables: that of what was assigned
// before the command has 4 buckets, and what came last is first in each, that of the variables 1024.
func orderEnviron(env, assigned []string) {
	place := func(e string) int {
		name, _, _ := strings.Cut(e, "=")
		if i := slices.Index(assigned, name); i >= 0 {
			return (int(hashed(name)%4)+1)<<20 - i
		}
		if name == "_" { // which came out of an environment
			return 1 << 31
		}
		return int(hashed(name)%1024) + 1<<30
	}
	slices.SortStableFunc(env, func(a, b string) int { return place(a) - place(b) })
}

// hashed is bash's hash of a name: FNV-1.
func hashed(name string) uint32 {
	h := uint32(2166136261)
	for i := range len(name) {
		h = h*16777619 ^ uint32(name[i])
	}
	return h
}

// hidden are exported variables that a function has a local one of the name for which is not passed on:
// a command finds those of outside.
func (p *Process) hidden() func(yield func(string, *vars.Var) bool) {
	return func(yield func(string, *vars.Var) bool) {
		var told []string
		for i := len(p.Frames) - 1; i >= 0; i-- {
			f := &p.Frames[i]
			if f.Kind != FFunc {
				continue
			}
			for _, s := range f.X.Vars {
				if !exported(s.Var) || exported(p.Shell.Vars.Get(s.Name)) || slices.Contains(told, s.Name) {
					continue
				}
				if told = append(told, s.Name); !yield(s.Name, s.Var) {
					return
				}
			}
		}
	}
}

// passHidden gives a command c, which p starts or becomes, what functions hide.
func (p *Process) passHidden(c *Process) {
	for name, v := range p.hidden() {
		c.Shell.Vars.Bind(name, v)
	}
}

// exportedFuncs are the functions that bash passes on, by name.
func exportedFuncs(sh *Shell) func(yield func(string, *Function) bool) {
	return func(yield func(string, *Function) bool) {
		if sh.Funcs.Len() == 0 {
			return
		}
		for name, fn := range sh.Funcs.Sorted() {
			if fn.Export && !yield(name, fn) {
				return
			}
		}
	}
}

// funcVariable is the name of the variable that a function is passed in.
func funcVariable(name string) string { return "BASH_FUNC_" + name + "%%" }

// passedFunc is the function that a variable passes.
func passedFunc(variable string) (name string, ok bool) {
	name, ok = strings.CutPrefix(variable, "BASH_FUNC_")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, "%%")
}

// importFunctions defines the functions that a bash finds in its environment.
func (m *Machine) importFunctions(c *Process, from *Shell) {
	for variable, v := range from.Vars.All() {
		if name, ok := passedFunc(variable); ok && exported(v) && strings.HasPrefix(v.String(), "() {") {
			m.importFunction(c, name, v.String())
		}
	}
	for name, fn := range exportedFuncs(from) {
		m.importFunction(c, name, functionValue(fn))
	}
}

// importFunction defines one, whose lines bash counts from 0. What is no
// definition, or more than one, is refused.
func (m *Machine) importFunction(c *Process, name, value string) {
	text := expand.EncodeText(name + " " + value)
	m.charge(len(text))
	u, next, err := nextUnit(nil, text, 0, 0)
	if err == nil && u != nil && next == len(text) && len(u.body.stmts) == 1 {
		if d, ok := u.body.stmts[0].cmd.(*funcDecl); ok && d.name == expand.EncodeText(name) {
			m.retain(functionCost)
			c.Shell.Funcs.Set(m.epoch, name, &Function{Name: name, Unit: d.unit, Body: d.body, decl: d, Export: true, Line: d.line, File: environment})
			return
		}
	}
	c.Status = 1
	m.complainRaw(c, "bash: error importing function definition for `"+name+"'\n")
}
