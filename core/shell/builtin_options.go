package shell

import "strings"

// options reads the options of a builtin as bash's internal_getopt does: one
// after the other, in clusters, up to the first operand or --.
type options struct {
	m    *Machine // nil: nothing is told
	p    *Process
	name string
	spec string   // letters; a : behind one says that it takes a value, a ; that it may; a + before them that +x is an option, too
	args []string // what is left; the operands when next gives 0

	value string // of the option next gave
	given bool   // it has a value
	plus  bool   // it was given as +x
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
		if len(o.args) == 0 || !o.isOption(o.args[0]) {
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
			if o.m != nil {
				_ = o.m.biHelp(o.p, []string{"help", o.name})
			}
			o.bad = true
			return 0
		}
		o.plus, o.rest = word[0] == '+', word[1:]
	}
	c := o.rest[0]
	o.rest, o.value, o.given = o.rest[1:], "", true
	letters := strings.TrimPrefix(o.spec, "+")
	at := strings.IndexByte(letters, c)
	if at < 0 || c == ':' || c == ';' {
		o.complain("invalid option", c)
		return 0
	}
	takes := byte(0)
	if at+1 < len(letters) {
		takes = letters[at+1]
	}
	switch {
	case takes != ':' && takes != ';':
		o.given = false
	case o.rest != "":
		o.value, o.rest = o.rest, ""
	case len(o.args) > 0 && (takes == ':' || !o.isOption(o.args[0])):
		o.value, o.args = o.args[0], o.args[1:]
	case takes == ':':
		o.complain("option requires an argument", c)
		return 0
	default:
		o.given = false
	}
	return c
}

// isOption reports whether a word is one to read options from.
func (o *options) isOption(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+' && strings.HasPrefix(o.spec, "+"))
}

// complain says what is wrong with an option, and how the builtin is called.
func (o *options) complain(what string, c byte) {
	if o.bad = true; o.m == nil {
		return
	}
	sign := byte('-')
	if o.plus {
		sign = '+'
	}
	o.m.complain(o.p, "%s: %s: %s", o.name, string([]byte{sign, c}), what)
	o.usage()
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
