package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// CompSpec says how the arguments of a command are completed: what complete was given.
type CompSpec struct {
	Name    string `cbor:"1,keyasint,omitempty"`
	Actions uint32 `cbor:"2,keyasint,omitempty"` // by index of compActions
	Options uint32 `cbor:"3,keyasint,omitempty"` // by index of compOptions
	Given   uint32 `cbor:"4,keyasint,omitempty"` // which of the texts, by index of compTexts
	Glob    string `cbor:"5,keyasint,omitempty"`
	Words   string `cbor:"6,keyasint,omitempty"`
	Prefix  string `cbor:"7,keyasint,omitempty"`
	Suffix  string `cbor:"8,keyasint,omitempty"`
	Filter  string `cbor:"9,keyasint,omitempty"`
	Command string `cbor:"10,keyasint,omitempty"`
	Func    string `cbor:"11,keyasint,omitempty"`
}

// compActions are the kinds of names that can be completed, in the order complete -p has them. Append only.
var compActions = []struct {
	name   string
	letter byte
}{
	{"alias", 'a'}, {"builtin", 'b'}, {"command", 'c'}, {"directory", 'd'}, {"export", 'e'}, {"file", 'f'}, {"group", 'g'},
	{"job", 'j'}, {"keyword", 'k'}, {"service", 's'}, {"user", 'u'}, {"variable", 'v'},
	{"arrayvar", 0}, {"binding", 0}, {"disabled", 0}, {"enabled", 0}, {"function", 0}, {"helptopic", 0}, {"hostname", 0},
	{"running", 0}, {"setopt", 0}, {"shopt", 0}, {"signal", 0}, {"stopped", 0},
}

// compOptions are those of -o. Append only.
var compOptions = strings.Fields("bashdefault default dirnames filenames noquote nosort nospace plusdirs")

// compTexts are the options with a text, as complete -p orders them. Append only.
const compTexts = "GWPSXCF"

func (c *CompSpec) text(i int) *string {
	return []*string{&c.Glob, &c.Words, &c.Prefix, &c.Suffix, &c.Filter, &c.Command, &c.Func}[i]
}

func (c *CompSpec) has(letter byte) bool { return c.Given>>strings.IndexByte(compTexts, letter)&1 != 0 }

func (c *CompSpec) empty() bool { return c.Actions|c.Options|c.Given == 0 }

// The names under which the specifications of -D, -E and -I are kept.
var compSpecials = []struct {
	letter byte
	name   string
}{{'D', "_DefaultCmD_"}, {'E', "_EmptycmD_"}, {'I', "_InitialWorD_"}}

// compArgs is what complete and compgen were given.
type compArgs struct {
	spec          CompSpec
	print, remove bool
	special       string // the name of -D, -E or -I
	args          []string
}

// compParse reads the options of complete or compgen; a status of 0 or more is the command's.
func (m *Machine) compParse(p *Process, name string, argv []string) (c compArgs, status int) {
	spec := compLetters(name)
	o := m.options(p, argv, spec)
	for ch := o.next(); ch != 0; ch = o.next() {
		if strings.IndexByte("oA"+compTexts, ch) < 0 {
			c.flag(ch)
		} else if status := m.compValue(p, name, &c.spec, ch, o.value); status >= 0 {
			return c, status
		}
	}
	if o.bad {
		return c, 2
	}
	c.args = o.args
	return c, -1
}

// compLetters are the options of complete or compgen for the reader.
func compLetters(name string) string {
	spec := "o:A:"
	for i := range compTexts {
		spec += compTexts[i:i+1] + ":"
	}
	for _, a := range compActions {
		if a.letter != 0 {
			spec += string(rune(a.letter))
		}
	}
	if name == "complete" {
		spec += "prDEI"
	}
	return spec
}

// flag takes an option without a value.
func (c *compArgs) flag(ch byte) {
	switch ch {
	case 'p':
		c.print = true
		return
	case 'r':
		c.remove = true
		return
	}
	for i, a := range compActions {
		if a.letter == ch {
			c.spec.Actions |= 1 << i
			return
		}
	}
	for _, s := range compSpecials {
		if s.letter == ch && (c.special == "" || s.name < c.special) { // -D before -E before -I
			c.special = s.name
		}
	}
}

func (m *Machine) compValue(p *Process, name string, c *CompSpec, ch byte, value string) int {
	switch ch {
	case 'o':
		i := slices.Index(compOptions, value)
		if i < 0 {
			m.complain(p, "%s: %s: invalid option name", name, value)
			return 2
		}
		c.Options |= 1 << i
		return -1
	case 'A':
		for i, a := range compActions {
			if a.name == value {
				c.Actions |= 1 << i
				return -1
			}
		}
		m.complain(p, "%s: %s: invalid action name", name, value)
		return 2
	case 'F':
		if value == "" || strings.ContainsAny(value, "()<>;&| \t\n") || p.Shell.Opts.on(OptPosix) && !validName(value) {
			m.complain(p, "%s: `%s': not a valid identifier", name, value)
			return 2
		}
	}
	i := strings.IndexByte(compTexts, ch)
	c.Given |= 1 << i
	*c.text(i) = value
	return -1
}

// biComplete keeps how commands are completed. Nothing is ever completed
// without a terminal: what is kept can be shown, and used by compgen.
func (m *Machine) biComplete(p *Process, argv []string) int {
	c, status := m.compParse(p, "complete", argv)
	if status >= 0 {
		return status
	}
	names := c.args
	if c.special != "" {
		names = []string{c.special}
	}
	if c.remove && !c.print {
		return m.compRemove(p, names)
	}
	if c.print || len(names) == 0 && c.spec.empty() {
		return m.compPrint(p, names)
	}
	if len(names) == 0 {
		m.tellUsage(p, "complete")
		return 2
	}
	for _, name := range names {
		spec := c.spec
		spec.Name = name
		p.Shell.setSpec(spec)
	}
	return 0
}

func (m *Machine) compRemove(p *Process, names []string) int {
	if len(names) == 0 {
		p.Shell.Specs = nil
		return 0
	}
	status := 0
	for _, name := range names {
		i := p.Shell.spec(name)
		if i < 0 {
			m.complain(p, "complete: %s: no completion specification", name)
			status = 1
			continue
		}
		p.Shell.Specs = append(p.Shell.Specs[:i:i], p.Shell.Specs[i+1:]...)
	}
	return status
}

func (m *Machine) compPrint(p *Process, names []string) int {
	var b strings.Builder
	status := 0
	if len(names) == 0 {
		for _, c := range p.Shell.specOrder() {
			b.WriteString(c.command())
		}
	}
	for _, name := range names {
		if i := p.Shell.spec(name); i >= 0 {
			b.WriteString(p.Shell.Specs[i].command())
			continue
		}
		if st := m.out(p, "complete", []byte(b.String())); st != 0 {
			return st
		}
		b.Reset()
		m.complain(p, "complete: %s: no completion specification", name)
		status = 1
	}
	if st := m.out(p, "complete", []byte(b.String())); st != 0 {
		return st
	}
	return status
}

func (s *Shell) spec(name string) int {
	return slices.IndexFunc(s.Specs, func(c CompSpec) bool { return c.Name == name })
}

// setSpec keeps a specification; forks share the slice, so it is never changed in place.
func (s *Shell) setSpec(spec CompSpec) {
	if i := s.spec(spec.Name); i >= 0 {
		s.Specs = slices.Clone(s.Specs)
		s.Specs[i] = spec
		return
	}
	s.Specs = append(s.Specs[:len(s.Specs):len(s.Specs)], spec)
}

// specOrder is the order of bash's table: 512 chains, the newest first in each.
func (s *Shell) specOrder() []CompSpec {
	list := slices.Clone(s.Specs)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b CompSpec) int { return int(vars.Hash(a.Name)&511) - int(vars.Hash(b.Name)&511) })
	return list
}

// command is the command that makes the specification, as complete -p shows it.
func (c *CompSpec) command() string {
	var b strings.Builder
	b.WriteString("complete ")
	for i, o := range compOptions {
		if c.Options>>i&1 != 0 {
			b.WriteString("-o " + o + " ")
		}
	}
	for i, a := range compActions {
		switch {
		case c.Actions>>i&1 == 0:
		case a.letter != 0:
			b.WriteString("-" + string(rune(a.letter)) + " ")
		default:
			b.WriteString("-A " + a.name + " ")
		}
	}
	for i := range compTexts {
		switch {
		case c.Given>>i&1 == 0:
		case compTexts[i] == 'F':
			b.WriteString("-F " + c.Func + " ")
		default:
			b.WriteString("-" + compTexts[i:i+1] + " " + single(*c.text(i)) + " ")
		}
	}
	b.WriteString(specName(c.Name) + "\n")
	return b.String()
}

// specName is a command as complete -p shows it, or the option that stands for it.
func specName(name string) string {
	for _, s := range compSpecials {
		if s.name == name {
			return "-" + string(rune(s.letter))
		}
	}
	if name == "" || strings.ContainsAny(name, " \t\n'\"\\|&;()<>!{}*[]?^$`#~") {
		return expand.QuoteAt(name, false, nil)
	}
	return name
}

// biCompopt changes the options of specifications, or shows them.
func (m *Machine) biCompopt(p *Process, argv []string) int {
	on, off, special := uint32(0), uint32(0), ""
	o := m.options(p, argv, "+o:DEI")
	for c := o.next(); c != 0; c = o.next() {
		if at := strings.IndexByte("DEI", c); at >= 0 {
			if special == "" {
				special = compSpecials[at].name
			}
			continue
		}
		n := slices.Index(compOptions, o.value)
		if n < 0 {
			m.complain(p, "compopt: %s: invalid option name", o.value)
			return 2
		}
		if o.plus {
			off |= 1 << n
		} else {
			on |= 1 << n
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if special != "" {
		args = []string{special}
	}
	if len(args) == 0 {
		m.complain(p, "compopt: not currently executing completion function")
		return 1
	}
	status := 0
	for _, name := range args {
		i := p.Shell.spec(name)
		if i < 0 {
			m.complain(p, "compopt: %s: no completion specification", name)
			status = 1
			continue
		}
		spec := p.Shell.Specs[i]
		if on|off == 0 {
			if st := m.out(p, "compopt", []byte(spec.options())); st != 0 {
				return st
			}
			continue
		}
		spec.Options = spec.Options&^off | on
		p.Shell.setSpec(spec)
	}
	return status
}

// options is the line compopt shows.
func (c *CompSpec) options() string {
	b := "compopt "
	for i, o := range compOptions {
		sign := "+o "
		if c.Options>>i&1 != 0 {
			sign = "-o "
		}
		b += sign + o + " "
	}
	return b + specName(c.Name) + "\n"
}
