package shell

import (
	"eryxsh/core/vars"
)

// Declarations whose options are known when they are compiled, and which wait
// for nothing, are made at once: local in a function that is called often.

// localOutside reports whether a declaration is a local outside of functions.
func (p *Process) localOutside(name string) bool { return name == "local" && p.enclosing() < 0 }

// declareNow does a declaration that needs no frame. Every value is expanded
// before the first name changes.
func (m *Machine) declareNow(p *Process, n *decl) {
	p.Line, p.Subst = n.line, 0
	m.Meter.Commands++
	d, args := *n.set, n.args[n.first:]
	for _, a := range args {
		if a.list && (len(args) > 1 || m.stops(p, &d, a)) { // a list is assigned before what stands around it
			p.push(Frame{Kind: FDecl, node: n})
			return
		}
	}
	d.local = d.isLocal(p)
	e := m.env(p)
	values := m.rt.fields[:0]
	for _, a := range args {
		value := ""
		if !a.naked && !a.list {
			var err error
			if value, err = m.value(e, a.value); err != nil {
				if m.needsMemo(err) {
					p.push(Frame{Kind: FDecl, node: n})
					return
				}
				m.assignFailed(p, err)
				return
			}
		}
		values = append(values, value)
	}
	m.rt.fields = values[:0]
	if p.localOutside(d.name) {
		m.complain(p, "local: can only be used in a function")
		m.done(p, 1)
		m.afterCommand(p)
		return
	}
	last := args[len(args)-1]
	text := last.name
	if !last.naked && !last.list {
		text += "=" + values[len(values)-1]
	}
	status := 0
	for i, a := range args {
		st := 0
		if a.list {
			if st = m.declareList(p, e, &d, a); st == 1 && d.set&vars.Nameref == 0 { // its words are expanded before the command is called
				m.discard(p, 1)
				return
			}
		} else {
			st = m.declareOne(p, e, &d, a.name, a.sub, values[i], !a.naked, a.add)
		}
		if st == needs && i == 0 {
			p.push(Frame{Kind: FDecl, node: n})
			return
		}
		if st == needs {
			st = 1
			m.complain(p, "%s", errLate)
		}
		if st == pushed {
			return
		}
		if st != 0 {
			status = st
		}
	}
	p.Shell.Last = text
	m.builtinDone(p, d.sets(), status)
}

// localNow does what most declarations are: local name=value, and the name is
// not local yet. It reports whether it was one.
func (m *Machine) localNow(p *Process, d *declaration, name, value string) bool {
	o := &p.Shell.Opts
	i := p.enclosing()
	if d.set|d.unset != 0 || d.inherit || i < 0 || o.on(OptLocalvarInherit) || o.on(OptAllexport) || p.Frames[i].X.saved(name) >= 0 {
		return false
	}
	t := p.Shell.Vars
	if v := t.Get(name); v.Is(vars.ReadOnly) || v.Is(vars.Special) && noAssign(name) {
		return false
	}
	old, v := t.Fresh(name)
	if old.Is(vars.Export) {
		v.SetAttrs(vars.Export)
	}
	x := p.Frames[i].X
	x.Vars = append(x.Vars, Saved{Name: name, Var: old})
	m.retain(len(value))
	v.SetString(value)
	m.noticed(p, name)
	return true
}
