package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// declList prints what declare, export -p and their kin print. done says that nothing is to be declared.
func (m *Machine) declList(p *Process, d *declaration, bare bool) (status int, done bool) {
	if !d.print && !bare || len(d.operands) > 0 && (d.name == "export" || d.name == "readonly") && !d.funcs {
		return 0, false
	}
	var b strings.Builder
	if d.funcs {
		names := d.operands
		all := len(names) == 0
		if all {
			for name := range p.Shell.Funcs.Sorted() {
				names = append(names, name)
			}
		}
		for _, n := range names {
			fn, ok := p.Shell.Funcs.Get(n)
			if !ok {
				m.complainAfter(p, &b, d.name, "%s: not found", n)
				status = 1
				continue
			}
			if all && (d.set&vars.ReadOnly != 0 && !fn.Readonly || d.set&vars.Export != 0 && !fn.Export) {
				continue
			}
			if !d.names {
				b.WriteString(functionText(fn))
			}
			if d.names || fn.Export || fn.Readonly {
				b.WriteString("declare -f" + map[bool]string{true: "r"}[fn.Readonly] + map[bool]string{true: "x"}[fn.Export] + " " + n + "\n")
			}
		}
		return max(status, m.out(p, d.name, []byte(b.String()))), true
	}
	if len(d.operands) > 0 {
		for _, n := range d.operands {
			v := p.Shell.Vars.Get(n)
			if v.Is(vars.Special) {
				v = m.listed(p, n, v, true)
			}
			if v == nil {
				m.complainAfter(p, &b, d.name, "%s: not found", n)
				status = 1
				continue
			}
			b.WriteString(declareLine(n, v, m.env(p)))
		}
		return max(status, m.out(p, d.name, []byte(b.String()))), true
	}
	if d.name == "local" {
		if i := p.enclosing(); i >= 0 {
			for _, s := range p.Frames[i].X.Vars {
				if v := p.Shell.Vars.Get(s.Name); v != nil {
					b.WriteString(declareLine(s.Name, v, m.env(p)))
				}
			}
			return m.out(p, d.name, []byte(b.String())), true
		}
		m.complain(p, "local: can only be used in a function")
		return 1, true
	}
	for name, v := range p.Shell.Vars.All() {
		if v.Is(vars.Special) {
			if v = m.listed(p, name, v, false); v == nil {
				continue
			}
		}
		if d.set != 0 && v.Attrs()&d.set != d.set {
			continue
		}
		if d.set == 0 && !d.print {
			if v.Assigned() {
				b.WriteString(plainLine(name, v, m.env(p)))
			}
			continue
		}
		b.WriteString(declareLine(name, v, m.env(p)))
	}
	if d.set == 0 && !d.print {
		for _, fn := range p.Shell.Funcs.Sorted() {
			b.WriteString(functionText(fn))
		}
	}
	return m.out(p, d.name, []byte(b.String())), true
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
func declareLine(name string, v *vars.Var, work large.Meter) string {
	flags := expand.AttrLetters(v.Attrs())
	if flags == "" {
		flags = "-"
	}
	line := "declare -" + flags + " " + name
	if v.IsSet() || v.IsArray() && v.Len() > 0 {
		line += "=" + expand.DeclareValue(v, work)
	} else if v.IsArray() && v.Assigned() {
		line += "=()"
	}
	return line + "\n"
}

// plainLine is a line of set without arguments.
func plainLine(name string, v *vars.Var, work large.Meter) string {
	if v.IsArray() {
		return name + "=" + expand.DeclareValue(v, work) + "\n"
	}
	return name + "=" + quoteSet(v.String(), work) + "\n"
}

// quoteSet quotes a value as set does: only where it must be.
func quoteSet(s string, work large.Meter) string {
	if s == "" {
		return ""
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return expand.QuoteAt(s, work)
		}
	}
	return quoteTrace(s)
}
