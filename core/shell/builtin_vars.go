package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// biDeclare runs a declaration builtin whose operands are plain words (command declare, builtin local …).
func (m *Machine) biDeclare(p *Process, argv []string) int {
	if p.localOutside(argv[0]) {
		m.complain(p, "local: can only be used in a function")
		return 1
	}
	d, status := m.declOptions(p, argv[0], argv[1:])
	if status >= 0 {
		return status
	}
	if s, done := m.declList(p, &d, len(d.operands) == 0); done {
		return s
	}
	switch status = m.biDeclareRest(p, m.env(p), &d); status {
	case needs:
		m.complain(p, "%s", errLate)
		return 1
	case noFurther:
		return 1
	}
	return status
}

// declText assigns a list given as text: declare -a "a=(1 2)".
func (m *Machine) declText(p *Process, d *declaration, name, value string, add bool) int {
	text := name + "=" + value + "\n"
	if add {
		text = name + "+=" + value + "\n"
	}
	u, _, err := nextUnit(m.env(p), expand.Encode([]byte(text)), 0, p.Line)
	if err != nil || u == nil {
		m.complain(p, "%s: %s", d.name, value)
		return 1
	}
	c, ok := u.body.stmts[0].cmd.(*simple)
	if !ok || len(c.assigns) != 1 || c.assigns[0].needsMemo() {
		m.complain(p, "%s: %s: bad array value", d.name, value)
		return 1
	}
	return m.declareList(p, m.env(p), d, c.assigns[0])
}

func validName(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// needs is the status of a declaration that must wait for a substitution,
// noFurther of one that goes no further.
const (
	needs     = -2
	noFurther = -3
)

// Positions of a declaration's frame.
const (
	declBegin  = iota
	declExpand // operand I is expanded next
	declRedirs // redirection I is opened next
	declDo     // item I is declared next
)

// stepDecl runs a declaration written in the script. As bash does, it expands
// every operand first, each to items: a word is an item of its own, an
// assignment one whose value is known, a list the name to which it has been
// assigned. Fields has the items' texts; Codes says which operand an
// assignment or a list is, from 1, negative for a list, 0 for a plain word.
func (m *Machine) stepDecl(p *Process, f *Frame) {
	n := f.node.(*decl)
	f.x() // it has one from here on
	if f.PC == declBegin {
		p.Line = n.line
		p.Subst = 0
		m.Meter.Commands++
		if p.Shell.Debug == debugSkips {
			p.Shell.Debug = ""
			m.pop(p)
			return
		}
		if p.Shell.Traps != nil && m.debugTrap(p, n, nil) {
			return
		}
		f.PC = declExpand
	}
	for f.PC == declExpand && f.I < len(n.args) {
		a, depth := n.args[f.I], len(p.Frames)
		ok, err := m.declExpanded(p, f, a, func(e expand.Env) error { return m.declOperand(p, n, e, p.top().I) })
		if !ok || len(p.Frames) < depth {
			return
		}
		if err == errTold {
			m.pop(p)
			m.discard(p, 1)
			return
		}
		if err != nil {
			m.pop(p)
			m.assignFailed(p, err)
			return
		}
		f = p.top()
		f.I++
	}
	if f.PC == declExpand {
		f.PC, f.I = declRedirs, 0
		if p.Shell.Opts.on(OptXtrace) {
			m.traceDecl(p, n, f.X)
		}
	}
	if f.PC == declRedirs {
		switch m.redirect(p, f, n.redirs) {
		case again:
			return
		case failed:
			m.redirFailed(p, f)
			return
		}
		f = p.top()
		x := f.X
		f.PC, f.I = declDo, 0
		if fn, ok := p.Shell.Funcs.Get(n.name); ok { // a function of that name
			argv := []string{n.name}
			for i := range x.Fields {
				argv = append(argv, x.itemText(n, i))
			}
			m.pop(p)
			m.callFunction(p, fn, argv, nil)
			return
		}
	}
	last := f.X.lastItem(n)
	m.declare(p, f, n)
	p.Shell.Last = last
}

// declExpanded runs fn with a memo where the operand needs one.
func (m *Machine) declExpanded(p *Process, f *Frame, a *assign, fn func(expand.Env) error) (bool, error) {
	return m.evaluate(p, f, a != nil && a.needsMemo(), fn)
}

// declOperand expands one operand to items.
func (m *Machine) declOperand(p *Process, n *decl, e expand.Env, i int) error {
	x, a := p.top().X, n.args[i]
	switch {
	case a.word != nil:
		words, err := expand.Fields(e, nil, []*expand.Word{a.word})
		if err != nil {
			return err
		}
		for _, w := range words {
			x.item(w, 0)
		}
		return nil
	case a.list:
		depth := len(p.Frames)
		if err := m.declListEarly(p, x, e, n, a); err != nil || len(p.Frames) < depth {
			return err
		}
		x.item(a.name, -(i + 1))
		return nil
	case a.naked && a.sub == nil:
		x.item(a.name, 0)
		return nil
	}
	value, err := m.value(e, a.value)
	if err != nil {
		return err
	}
	x.item(value, i+1)
	return nil
}

func (x *Extra) item(text string, code int) {
	x.Fields, x.Codes = append(x.Fields, text), append(x.Codes, code)
}

// keepTemp makes the value an assignment before the command gave a variable
// outlive the command: x=1 export x.
func (p *Process) keepTemp(name string) {
	if f := p.top(); f.Kind == FSimple && f.X != nil {
		f.X.Vars = slices.DeleteFunc(f.X.Vars, func(s Saved) bool { return s.Temp && s.Name == name })
	}
}

// lastItem is what a declaration leaves in $_.
func (x *Extra) lastItem(n *decl) string {
	i := len(x.Fields) - 1
	if i < 0 {
		return n.name
	}
	if code := x.Codes[i]; code > 0 && !n.args[code-1].naked {
		return n.args[code-1].name + "=" + x.Fields[i]
	}
	return x.Fields[i]
}

// declare does the items of an expanded declaration, options first.
func (m *Machine) declare(p *Process, f *Frame, n *decl) {
	x := f.X
	if p.localOutside(n.name) {
		m.complain(p, "local: can only be used in a function")
		m.pop(p)
		m.done(p, 1)
		m.afterCommand(p)
		return
	}
	words := 0
	for words < len(x.Codes) && x.Codes[words] == 0 {
		words++
	}
	d, status := m.declOptions(p, n.name, x.Fields[:words])
	first := words - len(d.operands)
	if status < 0 && f.I == 0 {
		f.I = first
		rest := d
		rest.operands = nil
		for i := first; i < len(x.Fields); i++ {
			rest.operands = append(rest.operands, x.itemText(n, i))
		}
		if s, done := m.declList(p, &rest, len(rest.operands) == 0); done {
			status = s
		} else if p.Shell.Opts.on(OptXtrace) {
			m.traceExport(p, n, x)
		}
	}
	if status < 0 {
		status = 0
		for f.I < len(x.Fields) {
			i := f.I
			var a *assign
			code := x.Codes[i]
			if code != 0 {
				a = n.args[max(code, -code)-1]
			}
			st := 0
			ok, err := m.declExpanded(p, f, a, func(e expand.Env) error {
				switch {
				case code == 0 || d.funcs:
					one := d
					one.operands = []string{x.itemText(n, i)}
					st = m.biDeclareRest(p, e, &one)
				case code < 0 && d.local && m.globalReadOnly(p, a.name):
					st = 1 // it has been told
				case code < 0: // its elements are there
					st = m.declareOne(p, e, &d, a.name, nil, "", false, false)
				default:
					st = m.declareOne(p, e, &d, a.name, a.sub, x.Fields[i], !a.naked, a.add)
				}
				if st == needs {
					return expand.ErrNeed
				}
				return nil
			})
			if !ok || st == pushed {
				return
			}
			if err != nil {
				m.pop(p)
				m.assignFailed(p, err)
				return
			}
			f = p.top()
			x = f.X
			if st == noFurther {
				st, f.I = 1, len(x.Fields)
			}
			if st != 0 {
				x.Saved = st
			}
			f.I++
		}
		status = x.Saved
	}
	m.pop(p)
	m.builtinDone(p, d.sets(), status)
}

func (m *Machine) biDeclareRest(p *Process, e expand.Env, d *declaration) int {
	status := 0
	for _, op := range d.operands {
		if i := p.enclosing(); op == "-" && d.name == "local" && i >= 0 {
			if u := p.Frames[i].x().undo(); !u.Local {
				u.Local, u.Opts = true, p.Shell.Opts
			}
			continue
		}
		if d.funcs {
			switch st := m.declareFunc(p, d, op); st {
			case 0:
			case noFurther:
				return st
			default:
				status = st
			}
			continue
		}
		name, value, has := strings.Cut(op, "=")
		add := has && strings.HasSuffix(name, "+")
		name = strings.TrimSuffix(name, "+")
		base, sub := splitRef(name)
		if d.set&vars.Nameref != 0 && sub != "" && validName(base) {
			status = m.noReference(p, d, name)
			continue
		}
		if !isTarget(name) {
			m.complain(p, "%s: `%s': not a valid identifier", d.name, op)
			status = 1
			continue
		}
		var s *expand.Sub
		if sub != "" {
			s = expand.SubText(m.env(p), sub)
		}
		if has && s == nil && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (d.set&(vars.Indexed|vars.Assoc) != 0 || p.Shell.Vars.Get(base).IsArray()) {
			if st := m.declText(p, d, base, value, add); st != 0 {
				status = st
			}
			continue
		}
		switch st := m.declareOne(p, e, d, base, s, value, has, add); st {
		case 0:
		case needs, pushed:
			return st
		default:
			status = st
		}
	}
	return status
}

// target gives the variable a declaration is about, owned; -g looks past the locals.
func (m *Machine) declTarget(p *Process, d *declaration, name string) *vars.Var {
	if d.local && !d.global {
		old := p.Shell.Vars.Get(name)
		had := m.isLocal(p, name)
		kinds := d.set & (vars.Indexed | vars.Assoc)
		empty := kinds != 0 && old.Is(vars.Export) && p.temporary(name)
		v := m.local(p, name)
		if empty {
			v.Clear()
			if kinds&vars.Assoc != 0 {
				v.MakeAssoc()
			} else {
				v.MakeIndexed()
			}
			v.SetAssigned()
		}
		if !had && (d.inherit || p.Shell.Opts.on(OptLocalvarInherit)) && old != nil && (kinds == 0 || old.Is(kinds)) {
			c := old.Clone()
			p.Shell.Vars.Bind(name, c)
			v = p.Shell.Vars.Own(name)
			v.SetAttrs(v.Attrs() &^ vars.Nameref)
		}
		return v
	}
	return p.Shell.Vars.Own(name)
}

func (m *Machine) isLocal(p *Process, name string) bool {
	i := p.enclosing()
	if i < 0 || p.Frames[i].X == nil {
		return false
	}
	return p.Frames[i].X.saved(name) >= 0
}

// means reports whether a declaration of a reference is one of the variable it names: local looks
// through the references of its own function.
func (d *declaration) means(m *Machine, p *Process, old *vars.Var, name string) bool {
	return old.Is(vars.Nameref) && (d.set|d.unset)&vars.Nameref == 0 && old.String() != "" && (!d.local || m.isLocal(p, name))
}

// globalReadOnly reports whether a name is a read-only variable of no function: no function has its own.
func (m *Machine) globalReadOnly(p *Process, name string) bool {
	return p.Shell.Vars.Get(name).Is(vars.ReadOnly) && !slices.ContainsFunc(p.Frames, func(f Frame) bool {
		return f.Kind == FFunc && f.X.saved(name) >= 0
	})
}

// saved gives the place of a name among the bindings to put back, or -1.
func (x *Extra) saved(name string) int {
	for i := range x.Vars {
		if x.Vars[i].Name == name {
			return i
		}
	}
	return -1
}

// declareOne gives one name its attributes and value.
func (m *Machine) declareOne(p *Process, e expand.Env, d *declaration, name string, sub *expand.Sub, value string, has, add bool) int {
	if d.sets() {
		d = d.forName(has)
	}
	d.settle()
	if p.localOutside(d.name) {
		m.complain(p, "local: can only be used in a function")
		return 1
	}
	if sub != nil && (d.name == "export" || d.name == "readonly") {
		m.complain(p, "%s: `%s[%s]': not a valid identifier", d.name, name, sub.Text)
		return 1
	}
	if d.local && !d.global && m.globalReadOnly(p, name) {
		m.complain(p, "%s: %s: readonly variable", d.name, name)
		return 1
	}
	if d.local && !d.global && noAssign(name) && p.Shell.Vars.Get(name).Is(vars.Special) {
		m.complain(p, "%s: %s: variable may not be assigned value", d.name, name)
		return 1
	}
	if d.global && p.enclosing() >= 0 {
		return m.declareGlobal(p, e, d, name, sub, value, has, add)
	}
	if d.local && !d.global && has && !add && sub == nil && m.localNow(p, d, name, value) {
		return 0
	}
	old := p.Shell.Vars.Get(name)
	if has && sub == nil && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (d.set&(vars.Indexed|vars.Assoc) != 0 || old.IsArray()) {
		return m.declText(p, d, name, value, add)
	}
	if d.means(m, p, old, name) {
		name, _ = splitRef(old.String())
		old = p.Shell.Vars.Get(name)
	}
	if old.Is(vars.ReadOnly) && (!d.local || m.isLocal(p, name)) && (has || d.unset&vars.ReadOnly != 0) {
		return m.declareReadOnly(p, d, name)
	}
	if bad := m.kindConflict(p, d, old, name); bad {
		return 1
	}
	if d.set&vars.Nameref != 0 && sub != nil {
		return m.noReference(p, d, name+"["+sub.Text+"]")
	}
	if d.set&vars.Nameref != 0 && m.badReference(p, d, old, name, value, has, add) {
		return 1
	}
	if !has && (d.name == "export" || d.name == "readonly") {
		p.keepTemp(name)
	}
	if d.remove && !has && old == nil {
		return 0
	}
	v := m.declTarget(p, d, name)
	attrs := v.Attrs()&^d.unset | d.set&^(vars.ReadOnly|vars.Indexed|vars.Assoc)
	if p.Shell.Opts.on(OptAllexport) && has {
		attrs |= vars.Export
	}
	v.SetAttrs(attrs)
	const kinds = vars.Indexed | vars.Assoc
	switch {
	case d.set&kinds == kinds:
		v.MakeAssoc()
		m.complain(p, "%s: %s: cannot convert associative to indexed array", d.name, name)
		return 1
	case d.set&vars.Assoc != 0 && !v.Is(vars.Assoc):
		v.MakeAssoc()
	case d.set&vars.Indexed != 0 && !v.IsArray():
		v.MakeIndexed()
	}
	if d.set&vars.Nameref != 0 && v.IsArray() && d.local {
		v.SetAttrs(v.Attrs() &^ vars.Nameref)
		return m.noReference(p, d, name)
	}
	if sub != nil && has && !v.IsSet() && !v.Is(vars.Nameref) && !(d.local && d.set&vars.ReadOnly != 0) {
		if !v.IsArray() {
			v.MakeIndexed()
		}
		v.SetAssigned()
	}
	if has && sub != nil && d.set&vars.ReadOnly != 0 { // it is read-only before the element is assigned
		m.complain(p, "%s: readonly variable", name)
		has = false
	}
	if has {
		var err error
		switch {
		case v.Is(vars.Nameref) && add:
			v.AppendString(value)
		case v.Is(vars.Nameref):
			v.SetString(value)
		default:
			err = m.assignEnv(p, e, name, sub, value, add)
		}
		if err == expand.ErrNeed {
			return needs
		}
		if err != nil {
			return m.builtinFailed(p, d.name, err)
		}
	} else if sub != nil && !v.IsArray() {
		v.MakeIndexed()
	}
	if d.set&vars.ReadOnly != 0 {
		v = p.Shell.Vars.Own(name)
		v.SetAttrs(v.Attrs() | vars.ReadOnly)
	}
	if d.set&vars.Export != 0 {
		m.noticed(p, name)
	}
	return 0
}

// declareReadOnly tells that a variable cannot be changed; export and readonly
// give their attribute all the same.
func (m *Machine) declareReadOnly(p *Process, d *declaration, name string) int {
	if d.sets() && d.set&(vars.Indexed|vars.Assoc) == 0 {
		m.complain(p, "%s: readonly variable", name)
	} else {
		m.complain(p, "%s: %s: readonly variable", d.name, name)
	}
	if !d.sets() {
		return 1
	}
	if m.endsWithErrors(p) {
		m.unwindExit(p, 1)
		return pushed
	}
	v := p.Shell.Vars.Own(name)
	v.SetAttrs((v.Attrs() | d.set&vars.Export) &^ d.unset)
	return badAssign
}

// badReference tells why a name cannot become a reference.
func (m *Machine) badReference(p *Process, d *declaration, old *vars.Var, name, value string, has, add bool) bool {
	if add {
		value = old.String() + value
	}
	if old.IsArray() && (!d.local || m.isLocal(p, name)) {
		m.noReference(p, d, name)
		return true
	}
	if has {
		if !isTarget(value) {
			m.complain(p, "%s: `%s': invalid variable name for name reference", d.name, value)
			return true
		}
		if value == name && p.enclosing() < 0 {
			m.complain(p, "%s: %s: nameref variable self references not allowed", d.name, name)
			return true
		}
		if value == name {
			m.complain(p, "%s: warning: %s: circular name reference", d.name, name)
		}
	}
	if ref := old.String(); !has && (!d.local || d.inherit) && ref != "" && !old.Is(vars.Nameref) && !old.IsArray() {
		if !isTarget(ref) {
			m.complain(p, "%s: `%s': invalid variable name for name reference", d.name, ref)
			return true
		}
	}
	return false
}

func (m *Machine) kindConflict(p *Process, d *declaration, old *vars.Var, name string) bool {
	if d.local && !m.isLocal(p, name) {
		return false
	}
	by := d.name + ": "
	if d.early {
		by = ""
	}
	switch {
	case d.set&vars.Assoc != 0 && old.Is(vars.Indexed):
		m.complain(p, "%s%s: cannot convert indexed to associative array", by, name)
		return true
	case d.set&vars.Indexed != 0 && old.Is(vars.Assoc):
		m.complain(p, "%s%s: cannot convert associative to indexed array", by, name)
		return true
	case d.unset&vars.Indexed != 0 && old.Is(vars.Indexed), d.unset&vars.Assoc != 0 && old.Is(vars.Assoc):
		m.complain(p, "%s: %s: cannot destroy array variables in this way", d.name, name)
		return true
	}
	return false
}

// declareGlobal works on the binding below every function's locals.
func (m *Machine) declareGlobal(p *Process, e expand.Env, d *declaration, name string, sub *expand.Sub, value string, has, add bool) int {
	g := *d
	g.global, g.local = false, false
	status := 0
	_ = m.onGlobal(p, name, func() error {
		status = m.declareOne(p, e, &g, name, sub, value, has, add)
		return nil
	})
	return status
}

// global gives where the binding of a name is that functions' locals hide, the
// oldest that was saved; nil if none hides it.
func (p *Process) global(name string) *Saved {
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Kind != FFunc || f.X == nil {
			continue
		}
		for j := range f.X.Vars {
			if f.X.Vars[j].Name == name {
				return &f.X.Vars[j]
			}
		}
	}
	return nil
}

// onGlobal does something with the binding of a name below every function's locals.
func (m *Machine) onGlobal(p *Process, name string, do func() error) error {
	if saved := p.global(name); saved != nil {
		return m.inGlobal(p, saved, do)
	}
	return do()
}

// inGlobal does something with a hidden binding in place of the current one.
func (m *Machine) inGlobal(p *Process, saved *Saved, do func() error) error {
	name := saved.Name
	now := p.Shell.Vars.Bind(name, saved.Var)
	err := do()
	saved.Var = p.Shell.Vars.Bind(name, now)
	return err
}

// meant does something with the variable a name stands for: the target of a nameref.
func (m *Machine) meant(p *Process, name string, do func(name string) error) error {
	v, first := p.Shell.Vars.Get(name), name
	for i := 0; v.Is(vars.Nameref) && v.String() != ""; i++ {
		target := v.String()
		if target == name || target == first {
			return m.inCircle(p, target, func() error { return do(target) })
		}
		if i >= 8 {
			return circularError(name)
		}
		if !validName(target) {
			return &expand.Error{Kind: expand.BadAssign, Text: "`" + target + "': not a valid identifier"}
		}
		name = target
		v = p.Shell.Vars.Get(name)
	}
	return do(name)
}

// inCircle does something with the global variable that a nameref in a circle stands for, which bash warns about
// each time; where there is none it is an error.
func (m *Machine) inCircle(p *Process, name string, do func() error) error {
	saved := p.circular(name)
	if saved == nil {
		return circularError(name)
	}
	m.complain(p, "warning: %s: circular name reference", name)
	return m.inGlobal(p, saved, do)
}

// circular is for a nameref that is its own target, as local -n x=x makes one, or that of its target:
// it stands for the global variable. Where that is no other, nil.
func (p *Process) circular(name string) *Saved {
	saved := p.global(name)
	if saved == nil || saved.Var.Is(vars.Nameref) && saved.Var.String() == name {
		return nil
	}
	return saved
}

func circularError(name string) error {
	return &expand.Error{Kind: expand.ReadOnlyVar, Text: "warning: " + name + ": circular name reference"}
}

func (m *Machine) declareFunc(p *Process, d *declaration, name string) int {
	if bad := d.contradiction(); bad != "" {
		m.complain(p, "%s: %s: invalid option", d.name, bad)
		return noFurther
	}
	fn, ok := p.Shell.Funcs.Get(name)
	before, _, found := strings.Cut(name, "=")
	if base, _ := splitRef(strings.TrimSuffix(before, "+")); !ok && !d.sets() && found && validName(base) {
		m.complain(p, "%s: cannot use `-f' to make functions", d.name)
		return noFurther
	}
	if !d.sets() && p.Shell.Opts.on(OptPosix) && !validName(name) {
		m.complain(p, "%s: `%s': not a valid identifier", d.name, name)
		return 1
	}
	if !ok {
		if d.sets() {
			m.complain(p, "%s: %s: not a function", d.name, name)
		}
		return 1
	}
	if fn.Readonly && d.unset&vars.ReadOnly != 0 {
		m.complain(p, "%s: %s: readonly function", d.name, name)
		return 1
	}
	if d.set&vars.Export != 0 && d.sets() && strings.ContainsAny(name, "/=") {
		m.complain(p, "%s: %s: cannot export", d.name, name)
		return 1
	}
	d.settle()
	if d.set|d.unset == 0 && !d.sets() {
		line := FunctionText(fn)
		if d.names {
			line = name + "\n"
			if p.Shell.Opts.on(OptExtdebug) {
				line = name + " " + itoa(fn.Line) + " " + orMain(fn.File) + "\n"
			}
		}
		return m.out(p, d.name, []byte(line))
	}
	c := *fn
	c.Export = (c.Export || d.set&vars.Export != 0) && d.unset&vars.Export == 0
	c.Readonly = c.Readonly || d.set&vars.ReadOnly != 0
	c.Trace = (c.Trace || d.set&vars.Trace != 0) && d.unset&vars.Trace == 0
	p.Shell.Funcs.Set(m.epoch, name, &c)
	return 0
}
