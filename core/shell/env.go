package shell

import (
	"strconv"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
	"eryxsh/vfs"

	"mvdan.cc/sh/v3/syntax"
)

// procEnv is a process as expansion sees it.
type procEnv struct {
	m       *Machine
	p       *Process
	globs   int64
	opts    Options // that flags were made of
	flags   expand.Flags
	effects int  // assignments since env was called
	apart   bool // what is assigned holds for the command at the top alone
}

// env gives the process's Env. There is one per machine, reused: expansion
// never runs for two processes at once.
func (m *Machine) env(p *Process) expand.Env {
	if m.rt.memo != nil {
		return m.rt.memo
	}
	e := &m.rt.env
	e.m, e.p, e.globs, e.effects = m, p, 0, 0
	return e
}

func (e *procEnv) Var(name string) *vars.Var {
	v := e.p.Shell.Vars.Get(name)
	if v != nil && v.Attrs()&(vars.Nameref|vars.Special) == 0 {
		return v
	}
	return e.m.variable(e.p, name, v)
}

// variable follows namerefs and computes special variables.
func (m *Machine) variable(p *Process, name string, v *vars.Var) *vars.Var {
	first := name
	for i := 0; v.Is(vars.Nameref); i++ {
		target := v.String()
		if target == "" {
			return nil
		}
		if target == name || target == first {
			m.complain(p, "warning: %s: circular name reference", target)
			if saved := p.circular(target); saved != nil && !saved.Var.Is(vars.Nameref) {
				return saved.Var
			}
			return nil
		}
		if i == 8 {
			m.complain(p, "warning: %s: circular name reference", name)
			return nil
		}
		base, sub := splitRef(target)
		v = p.Shell.Vars.Get(base)
		if sub == "@" || sub == "*" {
			return nil // a list: expansion asks for the target
		}
		if sub != "" {
			return elementOf(m, p, base, v, sub)
		}
		name = base
	}
	if v != nil && !v.Is(vars.Special) {
		return v
	}
	return m.special(p, name, v)
}

// elementOf gives one element of an array as a variable of its own: what a nameref to a[1] stands for.
func elementOf(m *Machine, p *Process, name string, v *vars.Var, sub string) *vars.Var {
	if v == nil {
		return nil
	}
	if v.Is(vars.Assoc) {
		if s, ok := v.Key(sub); ok {
			return vars.New(s, 0)
		}
		return nil
	}
	n, err := expand.EvalString(m.env(p), sub)
	if err != nil {
		return nil
	}
	if n < 0 {
		n += v.MaxIndex() + 1
	}
	if s, ok := v.Index(n); ok {
		return vars.New(s, 0)
	}
	return nil
}

// splitRef splits name[sub].
func splitRef(s string) (name, sub string) {
	for i := 0; i < len(s); i++ {
		if s[i] == '[' && s[len(s)-1] == ']' {
			return s[:i], s[i+1 : len(s)-1]
		}
	}
	return s, ""
}

// isTarget reports whether a text is a name, or one with a subscript, as builtins assign to.
func isTarget(s string) bool {
	base, sub := splitRef(s)
	if !validName(base) || base == s {
		return base == s && validName(s)
	}
	if strings.IndexByte(sub, ']') < 0 {
		return sub != ""
	}
	r := newSyntaxReader(nil, s, 1, false) // the first ] may be another one's, or quoted
	r.at = len(base) + 1
	return r.pair('[', ']', pairSubscript) && r.at == len(s)
}

func (e *procEnv) Assign(name string, sub *expand.Sub, value string, add bool) error {
	defer e.m.shallower()
	if err := e.m.deeper(); err != nil {
		return err
	}
	e.effects++
	e.keepOld(name)
	return e.m.assignEnv(e.p, e, name, sub, value, add)
}

// keepOld notes in the command's frame what a variable was before an expansion
// assigned to it for the command alone.
func (e *procEnv) keepOld(name string) {
	if !e.apart {
		return
	}
	v := e.p.Shell.Vars.Get(name)
	for i := 0; v.Is(vars.Nameref) && v.String() != "" && i < 8; i++ {
		name, _ = splitRef(v.String())
		v = e.p.Shell.Vars.Get(name)
	}
	if x := e.m.x(e.p.top()); x.saved(name) < 0 {
		x.Vars = append(x.Vars, Saved{Name: name, Var: v.Clone()})
	}
}

// AssignInt assigns an arithmetic result without making a string of it, where
// the variable needs no more than that.
func (e *procEnv) AssignInt(name string, n int64) error {
	t := e.p.Shell.Vars
	v := t.Get(name)
	if v == nil || v.IsArray() || v.Attrs()&^(vars.Export|vars.Integer) != 0 || e.p.Shell.Opts.on(OptAllexport) {
		return e.Assign(name, nil, strconv.FormatInt(n, 10), false)
	}
	e.effects++
	if e.apart {
		e.keepOld(name)
		v = t.Get(name)
	}
	t.Owned(name, v).SetInt(n)
	if v.Is(vars.Export) || len(name) <= len("BASH_COMPAT") {
		e.m.noticed(e.p, name)
	}
	return nil
}

// Warn prints what expansion complains of and goes on.
// Warn implements expand.Warner.
func (e *procEnv) Warn(text string) error { return e.m.report(e.p, "%s", text) }

func (e *procEnv) Param(i int) (string, bool) {
	if i == 0 {
		return e.p.Shell.Name, true
	}
	if i <= len(e.p.Shell.Params) {
		return e.p.Shell.Params[i-1], true
	}
	return "", false
}

func (e *procEnv) Params() []string { return e.p.Shell.Params }

func (e *procEnv) Special(c byte) (string, bool) {
	sh := e.p.Shell
	switch c {
	case '?':
		return itoa(e.p.Status), true
	case '$':
		return itoa(sh.PID), true
	case '!':
		if sh.LastBg == 0 {
			return "", false
		}
		return itoa(sh.LastBg), true
	case '-':
		return sh.Opts.letters(sh.Exec != "" || e.m.mainFile(e.p) == "" && !sh.Opts.on(optStdin)), true
	case '_':
		return sh.Last, true
	case '#':
		return itoa(len(sh.Params)), true
	}
	return "", false
}

func (e *procEnv) Flags() expand.Flags {
	if o := e.p.Shell.Opts; o != e.opts {
		e.opts, e.flags = o, o.flags()
	}
	return e.flags
}

func (e *procEnv) Command(n syntax.Node) (string, error) {
	e.m.rt.need = n
	return "", expand.ErrNeed
}

func (e *procEnv) Process(*syntax.ProcSubst) (string, error) { return "", expand.ErrNeed }

func (e *procEnv) Home(user string) (string, bool) {
	switch user {
	case "", e.m.Host.User:
		return "/home/" + e.m.Host.User, true
	case "root":
		return "/root", true
	}
	return "", false
}

func (e *procEnv) ReadDir(dir, after string, n int) ([]vfs.Dirent, error) {
	list, err := e.m.FS.ReadDir(e.m.at(e.p), dir, after, n)
	e.globs += int64(len(list))
	if lim := e.m.Limits.Glob; lim > 0 && e.globs > lim {
		e.m.stop("glob")
	}
	e.m.charge(len(list) >> 3)
	return list, err
}

func (e *procEnv) Stat(path string, follow bool) (vfs.Stat, error) {
	if follow {
		return e.m.FS.Stat(e.m.at(e.p), path)
	}
	return e.m.FS.Lstat(e.m.at(e.p), path)
}

func (e *procEnv) Names(prefix string) []string {
	var out []string
	for _, n := range e.m.names(e.p) {
		if len(n) >= len(prefix) && n[:len(prefix)] == prefix && e.visible(n) {
			out = append(out, n)
		}
	}
	return out
}

// visible reports whether a variable has got a value, were it an empty list.
func (e *procEnv) visible(name string) bool {
	v := e.Var(name)
	return v.IsSet() || v.IsArray() && v.Assigned()
}

func (e *procEnv) Ref(name string) (string, bool) {
	v := e.p.Shell.Vars.Get(name)
	if !v.Is(vars.Nameref) {
		return "", false
	}
	for range 8 { // the last of a chain
		next := e.p.Shell.Vars.Get(v.String())
		if !next.Is(vars.Nameref) || next.String() == "" || next == v {
			break
		}
		v = next
	}
	return v.String(), true
}

func (e *procEnv) Lookup(name string) *vars.Var {
	v := e.p.Shell.Vars.Get(name)
	if v == nil || v.Is(vars.Special) {
		return e.m.special(e.p, name, v)
	}
	return v
}

func (e *procEnv) Charge(n int) { e.m.charge(n) }

func (e *procEnv) Hold(n int) { e.m.hold(n) }

// Need asks for n bytes beside what is held: package large does before it makes much.
func (e *procEnv) Need(n int) { e.m.needMore(int64(n)) }

func (e *procEnv) Prompt(env expand.Env, s string) (string, error) { return e.m.promptFor(e.p, env, s) }

func (e *procEnv) DirStack(i int) (string, bool) {
	all := append([]string{e.p.Cwd}, e.p.Shell.Dirs...)
	if i < 0 {
		i += len(all)
	}
	if i < 0 || i >= len(all) {
		return "", false
	}
	return all[i], true
}

// itoa keeps the decimal strings scripts use most.
func itoa(n int) string { return strconv.Itoa(n) }
