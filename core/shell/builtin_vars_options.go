package shell

import "eryxsh/core/vars"

// declaration is one call of declare, local, export, readonly or typeset.
type declaration struct {
	name     string    // the builtin
	posix    bool      // it lists variables as commands of its own
	set      vars.Attr // attributes to give
	unset    vars.Attr // attributes to take
	print    bool
	funcs    bool // -f
	names    bool // -F
	global   bool // -g
	early    bool // a list that is made while the operands are expanded
	inherit  bool // -I
	remove   bool // export -n, readonly -n
	local    bool // new bindings belong to the innermost function
	operands []string
}

// readDeclaration reads the options of a declaration builtin.
func readDeclaration(o *options) (d declaration) {
	d.name = o.name
	o.spec = "+acfgilnprtuxAFI"
	switch o.name {
	case "export":
		o.spec, d.set = "aAfnp", vars.Export
	case "readonly":
		o.spec, d.set = "aAfnp", vars.ReadOnly
	}
	for c := o.next(); c != 0; c = o.next() {
		switch {
		case c == 'p':
			d.print = true
		case c == 'I':
			d.inherit = true
		case c == 'F':
			d.names = true
			d.funcs = d.funcs || !o.plus
		case o.plus:
			d.unset |= attrOf(c)
		case c == 'f':
			d.funcs = true
		case c == 'g':
			d.global = true
		case c == 'n' && d.sets():
			d.remove = true
			d.unset |= d.set & vars.Export // what is read-only stays so
			d.set &^= vars.Export | vars.ReadOnly
		default:
			d.give(attrOf(c))
		}
	}
	d.operands = o.args
	return d
}

// give is -x: the options of case take the others, so that two undo each other.
func (d *declaration) give(a vars.Attr) {
	d.set |= a
	const cases = vars.Lower | vars.Upper | vars.Capital
	if a&cases != 0 {
		d.unset |= cases &^ a
	}
}

// settle leaves out what is given and taken: what is taken counts.
func (d *declaration) settle() { d.set &^= d.unset &^ (vars.Indexed | vars.Assoc) }

// sets reports whether the builtin is one that gives an attribute of its own.
func (d *declaration) sets() bool { return d.name == "export" || d.name == "readonly" }

// forName is export or readonly of one name: -a and -A count only with a value, and one of them.
func (d declaration) forName(has bool) *declaration {
	switch {
	case !has:
		d.set &^= vars.Indexed | vars.Assoc
	case d.set&vars.Indexed != 0:
		d.set &^= vars.Assoc
	}
	return &d
}

// isLocal reports whether what d declares now belongs to the innermost function.
func (d *declaration) isLocal(p *Process) bool {
	return d.name == "local" || (d.name == "declare" || d.name == "typeset") && !d.global && p.enclosing() >= 0
}

// declOptions reads the options of a declaration builtin that runs now.
func (m *Machine) declOptions(p *Process, name string, args []string) (d declaration, status int) {
	o := m.options(p, append([]string{name}, args...), "")
	if d = readDeclaration(&o); o.bad {
		return d, 2
	}
	d.local = d.isLocal(p)
	return d, -1
}

// contradiction is an option that makes no sense for a function.
func (d *declaration) contradiction() string {
	if !d.funcs || d.sets() {
		return ""
	}
	for _, c := range "niAa" {
		if d.set&attrOf(byte(c)) != 0 {
			return "-" + string(c)
		}
	}
	return ""
}

// attrOf is the attribute an option letter of declare stands for.
func attrOf(c byte) vars.Attr {
	switch c {
	case 'a':
		return vars.Indexed
	case 'A':
		return vars.Assoc
	case 'i':
		return vars.Integer
	case 'l':
		return vars.Lower
	case 'u':
		return vars.Upper
	case 'c':
		return vars.Capital
	case 'n':
		return vars.Nameref
	case 'r':
		return vars.ReadOnly
	case 'x':
		return vars.Export
	case 't':
		return vars.Trace
	}
	return 0
}

// earlyOptions are the options that count while operands are expanded. They
// are looked for in every word up to the first that is no option, and it does
// not matter which the builtin has; the first sign is that of all.
func earlyOptions(name string, words []string) declaration {
	o := options{name: name, args: words}
	d := readDeclaration(&o)
	d.early, d.set, d.unset = true, 0, 0
	sign := byte(0)
	for _, w := range words {
		if w == "" || w[0] != '-' && w[0] != '+' {
			break
		}
		for i := 1; i < len(w); i++ {
			switch a := attrOf(w[i]); a {
			case vars.Indexed, vars.Assoc:
				if w[0] == '-' {
					d.set |= a
				}
			case vars.Integer, vars.Lower, vars.Upper, vars.Capital:
				if sign == 0 {
					sign = w[0]
				}
				if sign == '+' && !d.sets() {
					d.unset |= a
				} else {
					d.give(a)
				}
			}
		}
	}
	return d
}
