package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

func (m *Machine) biUnset(p *Process, argv []string) int {
	funcs, variables, ref := false, false, false
	o := m.options(p, argv, "fnv")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'f':
			funcs = true
		case 'v':
			variables = true
		case 'n':
			ref = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if funcs && variables {
		m.complain(p, "unset: cannot simultaneously unset a function and a variable")
		return 1
	}
	status := 0
	for _, name := range args {
		if funcs {
			if fn, ok := p.Shell.Funcs.Get(name); ok && fn.Readonly {
				m.complain(p, "unset: %s: cannot unset: readonly function", name)
				status = 1
				continue
			}
			p.Shell.Funcs.Delete(m.epoch, name)
			continue
		}
		base, sub := splitRef(name)
		if sub == "" && base != name {
			continue // an empty subscript unsets nothing
		}
		if !validName(base) {
			if !variables {
				if _, ok := p.Shell.Funcs.Get(name); ok {
					p.Shell.Funcs.Delete(m.epoch, name)
					continue
				}
			}
			if variables {
				m.complain(p, "unset: `%s': not a valid identifier", name)
				status = 1
			}
			continue
		}
		if st := m.unsetVar(p, base, sub, variables, ref); st == pushed {
			return pushed
		} else if st != 0 {
			status = st
		}
	}
	return status
}

func (m *Machine) unsetVar(p *Process, name, sub string, only, ref bool) int {
	t := p.Shell.Vars
	v := t.Get(name)
	for i := 0; v.Is(vars.Nameref) && !ref && i < 8 && v.String() != ""; i++ {
		var s string
		name, s = splitRef(v.String())
		if sub == "" {
			sub = s
		}
		v = t.Get(name)
	}
	if v == nil && sub == "" {
		if _, ok := p.Shell.Funcs.Get(name); ok && !only {
			p.Shell.Funcs.Delete(m.epoch, name)
		}
		return 0
	}
	if v.Is(vars.ReadOnly) {
		m.complain(p, "unset: %s: cannot unset: readonly variable", name)
		return 1
	}
	if v.Is(vars.Special) && (strings.HasPrefix(name, "BASH_ARG") && name != "BASH_ARGV0" || name == "BASH_LINENO" || name == "BASH_SOURCE") {
		m.complain(p, "unset: %s: cannot unset", name)
		return 1
	}
	if name == "PIPESTATUS" && v.Is(vars.Special) && sub == "" {
		return 0 // the command itself gives it a value again
	}
	if sub != "" {
		return m.unsetElement(p, name, v, sub)
	}
	switch m.uncover(p, name) {
	case shown:
		return 0
	case stays:
		v = t.Own(name)
		v.Clear()
		t.Bind(name, vars.Declared(0))
		return 0
	}
	t.Delete(name)
	m.noticed(p, name)
	return 0
}

// What uncover did.
const (
	global = iota // nothing: the variable hides no other
	shown         // the variable it hid is back
	stays         // it is a local of the function at hand, and stays one
)

// uncover unsets the innermost binding of a name that hides another: a
// caller's local, or an assignment before a command.
func (m *Machine) uncover(p *Process, name string) int {
	called := false
	for j := len(p.Frames) - 1; j >= 0; j-- {
		f := &p.Frames[j]
		if f.X != nil {
			for k, s := range f.X.Vars {
				if s.Name != name {
					continue
				}
				if f.Kind == FFunc && (!called || p.Shell.Opts.on(OptLocalvarUnset)) && !s.Temp {
					return stays
				}
				p.Shell.Vars.Bind(name, s.Var)
				f.X.Vars = append(f.X.Vars[:k:k], f.X.Vars[k+1:]...)
				m.noticed(p, name)
				return shown
			}
		}
		called = called || f.Kind == FFunc
	}
	return global
}

func (m *Machine) unsetElement(p *Process, name string, v *vars.Var, sub string) int {
	t := p.Shell.Vars
	if v == nil {
		return 0
	}
	if all := sub == "@" || sub == "*"; all && v.IsArray() && p.Shell.Opts.compat() <= 51 {
		t.Delete(name)
		return 0
	} else if all && v.IsArray() {
		if v.Is(vars.Assoc) {
			t.Own(name).UnsetKey(sub)
			return 0
		}
		own := t.Own(name)
		own.Clear()
		own.MakeIndexed()
		own.SetAssigned()
		return 0
	}
	if !v.IsArray() {
		if sub != "0" {
			m.complain(p, "unset: %s: not an array variable", name)
			return 1
		}
		t.Delete(name)
		return 0
	}
	var at *expand.Sub
	var err error
	if v.Is(vars.Assoc) {
		if at, err = expand.SubText(m.env(p), sub).Resolve(m.env(p), name, v); err != nil {
			at, err = &expand.Sub{Text: unquoteKey(sub), Resolved: true}, nil
		}
	} else if at, err = expand.SubText(m.env(p), sub).Resolve(m.env(p), name, v); err != nil {
		if bad, ok := err.(*expand.Error); ok && bad.Kind == expand.BadSubscript {
			m.complain(p, "unset: [%s]: bad array subscript", sub)
			return 1
		}
		return m.builtinFailed(p, "unset", err)
	}
	own := t.Own(name)
	if own.Is(vars.Assoc) {
		own.UnsetKey(at.Text)
	} else {
		own.UnsetIndex(at.Num)
	}
	return 0
}

// unquoteKey takes the quotes off a key given to unset: unset 'm["a b"]'.
func unquoteKey(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
