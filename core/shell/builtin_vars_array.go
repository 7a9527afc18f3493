package shell

import (
	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// declareList does declare name=( … ).
func (m *Machine) declareList(p *Process, e expand.Env, d *declaration, a *assign) int {
	name := a.name
	if d.name == "local" && p.enclosing() < 0 { // bash has made the assignment by then
		m.complain(p, "local: can only be used in a function")
		if err := m.assignList(p, e, name, a, d.set&vars.Assoc); err == expand.ErrNeed {
			return needs
		}
		return 1
	}
	old := p.Shell.Vars.Get(name)
	if old.Is(vars.ReadOnly) {
		m.complain(p, "%s: readonly variable", name)
		return 1
	}
	if m.kindConflict(p, d, old, name) {
		return 1
	}
	kind := d.set & (vars.Indexed | vars.Assoc)
	if kind == 0 && !(old.Is(vars.Assoc) && (!d.local || m.isLocal(p, name))) {
		kind = vars.Indexed
	}
	run := func() error {
		if d.local && !d.global && !m.isLocal(p, name) { // the words see the outer variable
			words := *a
			return m.assignLocalList(p, e, d, &words, kind)
		}
		v := m.declTarget(p, d, name)
		v.SetAttrs(v.Attrs()&^d.unset | d.set&^(vars.ReadOnly|vars.Indexed|vars.Assoc))
		return m.assignList(p, e, name, a, kind)
	}
	if err := run(); err == expand.ErrNeed {
		return needs
	} else if err != nil {
		return m.builtinFailed(p, d.name, err)
	}
	if d.set&vars.ReadOnly != 0 {
		v := p.Shell.Vars.Own(name)
		v.SetAttrs(v.Attrs() | vars.ReadOnly)
	}
	return 0
}

// assignLocalList fills a new local array from words that may name the outer one.
func (m *Machine) assignLocalList(p *Process, e expand.Env, d *declaration, a *assign, kind vars.Attr) error {
	t := p.Shell.Vars
	outer := t.Get(a.name)
	if err := m.assignListAs(p, e, a, kind, d.set&^(vars.ReadOnly|vars.Indexed|vars.Assoc)); err != nil {
		return err
	}
	made := t.Bind(a.name, outer)
	m.local(p, a.name)
	t.Bind(a.name, made)
	return nil
}

// assignListAs binds a fresh array under the name; the caller puts the old binding back.
func (m *Machine) assignListAs(p *Process, e expand.Env, a *assign, kind, attrs vars.Attr) error {
	t := p.Shell.Vars
	outer := t.Get(a.name)
	fresh := vars.NewTable().Own(a.name)
	fresh.SetAttrs(attrs)
	if kind&vars.Assoc != 0 {
		fresh.MakeAssoc()
	} else {
		fresh.MakeIndexed()
	}
	// expand with the outer binding in place, into a name no script can have
	const hidden = " list"
	copied := *a
	copied.name = hidden
	t.Bind(hidden, fresh.Clone())
	if p.Shell.Opts.on(OptXtrace) {
		m.trace(p, a.text())
	}
	err := m.assignList(p, e, hidden, &copied, kind)
	made := t.Bind(hidden, nil)
	if err != nil {
		return err
	}
	_ = outer
	t.Bind(a.name, made)
	return nil
}
