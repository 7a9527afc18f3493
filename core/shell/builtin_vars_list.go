package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// declList prints what declare, export -p and their kin print. done says that nothing is to be declared.
func (m *Machine) declList(p *Process, d *declaration, bare bool) (status int, done bool) {
	if !bare && (!d.print || d.sets()) {
		return 0, false
	}
	if p.Shell.Opts.on(OptPosix) && (d.name == "export" || d.name == "readonly") {
		d.posix = true
	}
	var b strings.Builder
	switch {
	case !bare:
		status = m.declNamed(p, d, &b)
	case d.name == "local":
		m.declLocals(p, d, &b)
	case d.funcs:
		for name, fn := range p.Shell.Funcs.Sorted() {
			if d.set == 0 || d.set&(vars.Indexed|vars.Assoc) == 0 && fn.attrs()&d.set != 0 {
				b.WriteString(d.function(name, fn))
			}
		}
	case d.set == 0 && !d.print:
		return m.biSet(p, []string{"set"}), true
	default:
		for name, v := range p.Shell.Vars.All() {
			if v.Is(vars.Special) {
				v = m.listed(p, name, v, false)
			}
			if v != nil && d.lists(v) {
				b.WriteString(d.variable(name, v, p.Shell.bytes(), m.env(p)))
			}
		}
	}
	return max(status, m.out(p, d.name, []byte(b.String()))), true
}

// lists reports whether a variable is one of those declare lists: of the kind
// asked for, and with one of the attributes.
func (d *declaration) lists(v *vars.Var) bool {
	rest := d.set
	for _, kind := range []vars.Attr{vars.Indexed, vars.Assoc} {
		if d.set&kind != 0 && rest&kind != 0 && (rest == d.set || d.sets()) {
			if !v.Is(kind) {
				return false
			}
			rest &^= kind
		}
	}
	return rest == 0 || v.Attrs()&rest != 0
}

// declNamed prints the operands of declare -p.
func (m *Machine) declNamed(p *Process, d *declaration, b *strings.Builder) (status int) {
	for _, name := range d.operands {
		if d.funcs {
			if fn, ok := p.Shell.Funcs.Get(name); ok {
				b.WriteString(d.function(name, fn))
				continue
			}
		} else if v := p.Shell.Vars.Get(name); v != nil && (d.name != "local" || m.isLocal(p, name)) {
			if v.Is(vars.Special) {
				v = m.listed(p, name, v, true)
			}
			if v != nil {
				b.WriteString(d.variable(name, v, p.Shell.bytes(), m.env(p)))
				continue
			}
		}
		m.complainAfter(p, b, d.name, "%s: not found", name)
		status = 1
	}
	return status
}

// declLocals prints the variables of the innermost function.
func (m *Machine) declLocals(p *Process, d *declaration, b *strings.Builder) {
	var names []string
	if i := p.enclosing(); i >= 0 && p.Frames[i].X != nil {
		x := p.Frames[i].X
		for _, s := range x.Vars {
			names = append(names, s.Name)
		}
		if x.Undo != nil && x.Undo.Local {
			b.WriteString("local -\n")
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if v := p.Shell.Vars.Get(name); v != nil {
			b.WriteString(d.variable(name, v, p.Shell.bytes(), m.env(p)))
		}
	}
}

// variable is a line of declare -p, with -F without the value.
func (d *declaration) variable(name string, v *vars.Var, bytes bool, work large.Meter) string {
	if d.posix {
		return d.posixFlags(v.Attrs()&(vars.Indexed|vars.Assoc)) + strings.TrimPrefix(declareLine(name, v, bytes, work), declareFlags(v.Attrs()))
	}
	if !d.names || v.IsArray() {
		return declareLine(name, v, bytes, work)
	}
	return declareFlags(v.Attrs()) + name + "\n"
}

// posixFlags begins a line of export -p and readonly -p in POSIX mode.
func (d *declaration) posixFlags(a vars.Attr) string {
	if flags := expand.AttrLetters(a); flags != "" {
		return d.name + " -" + flags + " "
	}
	return d.name + " "
}

// function is what declare -p prints of a function.
func (d *declaration) function(name string, fn *Function) string {
	if d.posix {
		return d.name + " -f " + name + "\n"
	}
	text, attrs := "", fn.attrs()
	if !d.names {
		if text = FunctionText(fn); attrs == 0 {
			return text
		}
	}
	return text + "declare -f" + expand.AttrLetters(attrs) + " " + name + "\n"
}

// attrs are the attributes of a function.
func (fn *Function) attrs() (a vars.Attr) {
	if fn.Export {
		a |= vars.Export
	}
	if fn.Readonly {
		a |= vars.ReadOnly
	}
	if fn.Trace {
		a |= vars.Trace
	}
	return a
}

// listed is what a computed variable is in a list. What bash computes when it is
// used is empty in a list of all variables.
func (m *Machine) listed(p *Process, name string, v *vars.Var, asked bool) *vars.Var {
	switch name {
	case "BASHPID", "BASH_ARGV0", "BASH_COMMAND", "BASH_SUBSHELL", "EPOCHREALTIME", "EPOCHSECONDS", "LINENO", "RANDOM", "SECONDS", "SRANDOM":
		if !asked {
			return vars.Declared(v.Attrs() &^ vars.Special)
		}
	case "BASH_ARGC", "BASH_ARGV":
		if !asked {
			return p.Shell.arguments(name, 0)
		}
	case "DIRSTACK", "GROUPS":
		if !asked {
			return vars.NewList(nil, 0)
		}
	case "FUNCNAME":
		if p.enclosing() < 0 {
			return vars.Declared(vars.Indexed)
		}
	}
	return m.special(p, name, v)
}

// declareLine is a line of declare -p.
func declareLine(name string, v *vars.Var, bytes bool, work large.Meter) string {
	line := declareFlags(v.Attrs()) + name
	if v.IsSet() || v.IsArray() && v.Len() > 0 {
		line += "=" + expand.DeclareValue(v, bytes, work)
	} else if v.IsArray() && v.Assigned() {
		line += "=()"
	}
	return line + "\n"
}

func declareFlags(a vars.Attr) string {
	flags := expand.AttrLetters(a)
	if flags == "" {
		flags = "-"
	}
	return "declare -" + flags + " "
}

// plainLine is a line of set without arguments.
func plainLine(name string, v *vars.Var, bytes bool, work large.Meter) string {
	if v.IsArray() {
		return name + "=" + expand.DeclareValue(v, bytes, work) + "\n"
	}
	return name + "=" + quoteSet(v.String(), bytes, work) + "\n"
}

// quoteSet quotes a value as set does: only where it must be.
func quoteSet(s string, bytes bool, work large.Meter) string {
	if s == "" {
		return ""
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return expand.QuoteAt(s, bytes, work)
		}
	}
	return quoteTrace(s, bytes)
}
