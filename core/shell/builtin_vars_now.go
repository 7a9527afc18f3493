package shell

import "slices"

// localOutside reports whether a declaration is a local outside of functions.
func (p *Process) localOutside(name string) bool { return name == "local" && p.enclosing() < 0 }

// lists reports whether an operand is name=( … ).
func (n *decl) lists() bool {
	return slices.ContainsFunc(n.args, func(a *assign) bool { return a.list })
}

// declareNow does a declaration that needs no frame. Every value is expanded
// before the first name changes.
func (m *Machine) declareNow(p *Process, n *decl) {
	p.Line, p.Subst = n.line, 0
	m.Meter.Commands++
	d, args := *n.set, n.args[n.first:]
	if p.localOutside(d.name) && !n.lists() {
		m.complain(p, "local: can only be used in a function")
		m.done(p, 1)
		m.afterCommand(p)
		return
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
	last := args[len(args)-1]
	if p.Shell.Last = last.name; !last.naked && !last.list {
		p.Shell.Last += "=" + values[len(values)-1]
	}
	p.Status = 0
	for i, a := range args {
		st := 0
		if a.list {
			st = m.declareList(p, e, &d, a)
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
			p.Status = st
		}
	}
	m.setPipe(p, p.Status)
	m.afterCommand(p)
}
