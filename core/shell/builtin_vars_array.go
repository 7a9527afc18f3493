package shell

import (
	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// errTold ends a command whose error has been told.
var errTold error = &expand.Error{Kind: expand.BadAssign}

// declListEarly makes the list of a declaration while its operands are
// expanded, as bash does: with the attributes that change values, before the
// builtin looks at its options and at what it may declare.
func (m *Machine) declListEarly(p *Process, x *Extra, e expand.Env, n *decl, a *assign) error {
	var words []string
	for i, code := range x.Codes {
		if code == 0 {
			words = append(words, x.Fields[i])
		}
	}
	d := earlyOptions(n.name, words)
	d.local = d.isLocal(p) && p.enclosing() >= 0
	if d.local && m.globalReadOnly(p, a.name) { // the command goes on without it
		m.complain(p, "%s: readonly variable", a.name)
		m.complain(p, "%s: %s: readonly variable", n.name, a.name)
		return nil
	}
	switch m.declareList(p, e, &d, a) {
	case 0:
		return nil
	case needs:
		return expand.ErrNeed
	case pushed: // the command line is given up
		return nil
	}
	return errTold
}

// stops reports whether a list cannot be made, so that it must be seen in what order bash does things.
func (m *Machine) stops(p *Process, d *declaration, a *assign) bool {
	old := p.Shell.Vars.Get(a.name)
	return p.localOutside(d.name) || old.Is(vars.ReadOnly) ||
		d.set&vars.Assoc != 0 && old.Is(vars.Indexed) || d.set&vars.Indexed != 0 && old.Is(vars.Assoc) || (d.unset&(vars.Indexed|vars.Assoc) != 0)
}

// declareList does declare name=( … ).
func (m *Machine) declareList(p *Process, e expand.Env, d *declaration, a *assign) int {
	name := a.name
	d.settle()
	if d.set&vars.Nameref != 0 { // the array is made before bash sees that it may not be one
		array := *d
		array.set &^= vars.Nameref
		if st := m.declareList(p, e, &array, a); st != 0 {
			return st
		}
		return m.noReference(p, d, name)
	}
	old := p.Shell.Vars.Get(name)
	if d.local && d.means(m, p, old, name) {
		target := *a
		target.name, _ = splitRef(old.String())
		a, name, old = &target, target.name, p.Shell.Vars.Get(target.name)
	}
	if old.Is(vars.ReadOnly) && (!d.local || m.isLocal(p, name)) {
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
		attrs := v.Attrs()&^d.unset | d.set&^(vars.ReadOnly|vars.Indexed|vars.Assoc)
		if d.remove {
			attrs &^= vars.Export
		}
		v.SetAttrs(attrs)
		return m.assignList(p, e, name, a, kind)
	}
	if err := run(); err == expand.ErrNeed {
		return needs
	} else if err != nil {
		if e, ok := err.(*expand.Error); ok && e.Name == "value" {
			plain := *e
			plain.Name, err = "", &plain
		}
		if old == nil && !d.local {
			p.Shell.Vars.Delete(name)
		}
		if x, ok := err.(*expand.Error); ok && (x.Kind == expand.Unbound || x.Kind == expand.Question || x.Kind == expand.BadSubst) { // as anywhere
			m.expandFailed(p, err)
			return pushed
		}
		return m.builtinFailed(p, d.name, err)
	}
	if d.set&vars.ReadOnly != 0 {
		v := p.Shell.Vars.Own(name)
		v.SetAttrs(v.Attrs() | vars.ReadOnly)
	}
	return 0
}

// noReference refuses declare -n for an array.
func (m *Machine) noReference(p *Process, d *declaration, name string) int {
	m.complain(p, "%s: %s: reference variable cannot be an array", d.name, name)
	return 1
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
	if outer.Is(vars.Export) {
		v := t.Own(a.name)
		v.SetAttrs(v.Attrs() | vars.Export)
	}
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
	copied.shown = a.name
	err := m.assignList(p, e, hidden, &copied, kind)
	made := t.Bind(hidden, nil)
	if err != nil {
		return err
	}
	_ = outer
	t.Bind(a.name, made)
	return nil
}
