package shell

import "strings"

// options reads the options of a builtin as bash's internal_getopt does: one
// after the other, in clusters, up to the first operand or --.
type options struct {
	m    *Machine
	p    *Process
	name string
	spec string   // letters; a : behind one says that it takes a value
	args []string // what is left; the operands when next gives 0

	value string // of the option next gave
	bad   bool   // it has been told what is wrong: the status is 2
	rest  string // of the cluster at hand

	noHelp bool // --help gives no more than the usage
}

// options begins with the options of a builtin.
func (m *Machine) options(p *Process, argv []string, spec string) options {
	return options{m: m, p: p, name: argv[0], spec: spec, args: argv[1:]}
}

// next gives an option's letter, 0 at the end or where something is wrong.
func (o *options) next() byte {
	if o.bad {
		return 0
	}
	if o.rest == "" {
		if len(o.args) == 0 || len(o.args[0]) < 2 || o.args[0][0] != '-' {
			return 0
		}
		word := o.args[0]
		o.args = o.args[1:]
		switch word {
		case "--":
			return 0
		case "--help":
			if o.noHelp {
				o.usage()
				return 0
			}
			_ = o.m.biHelp(o.p, []string{"help", o.name})
			o.bad = true
			return 0
		}
		o.rest = word[1:]
	}
	c := o.rest[0]
	o.rest, o.value = o.rest[1:], ""
	at := strings.IndexByte(o.spec, c)
	if at < 0 || c == ':' {
		o.m.complain(o.p, "%s: -%s: invalid option", o.name, string([]byte{c}))
		o.usage()
		return 0
	}
	if at+1 == len(o.spec) || o.spec[at+1] != ':' {
		return c
	}
	switch {
	case o.rest != "":
		o.value, o.rest = o.rest, ""
	case len(o.args) > 0:
		o.value, o.args = o.args[0], o.args[1:]
	default:
		o.m.complain(o.p, "%s: -%c: option requires an argument", o.name, c)
		o.usage()
		return 0
	}
	return c
}

// usage says how the builtin is called.
func (o *options) usage() {
	o.bad = true
	o.m.tellUsage(o.p, o.name)
}

// none reads no options: it gives the operands, and whether there was something else.
func (o *options) none() (args []string, bad bool) {
	o.next()
	return o.args, o.bad
}

// tellUsage prints the usage of a builtin.
func (m *Machine) tellUsage(p *Process, name string) {
	m.complainRaw(p, name+": usage: "+synopsis(name)+"\n")
}

// synopsis is how a builtin is called, in a line.
func synopsis(name string) string {
	for _, t := range helpTopics {
		if t[0] == name {
			return t[1]
		}
	}
	return name
}
