package shell

import (
	"strings"

	"eryxsh/core/readline"
	"eryxsh/vfs"
)

// biBind sets and lists key bindings. Without a terminal no line is edited with them.
func (m *Machine) biBind(p *Process, argv []string) int {
	if !p.Shell.Opts.on(OptEmacs) && !p.Shell.Opts.on(OptVi) {
		m.complain(p, "bind: warning: line editing not enabled")
	}
	s := m.editor(p)
	status := m.bind(p, s, argv)
	e := s.End()
	p.Shell.Editor = e
	if p.Shell.Opts.on(OptEmacs) || p.Shell.Opts.on(OptVi) {
		p.Shell.Opts.set(OptEmacs, !e.Vi)
		p.Shell.Opts.set(OptVi, e.Vi)
	}
	m.charge(1<<13 + len(e.Binds)<<3) // keymaps were made
	return status
}

// editor opens a session. The first of a shell reads the user's file of bindings.
func (m *Machine) editor(p *Process) *readline.Session {
	s := readline.Begin(p.Shell.Editor)
	s.Tell = func(message string) { m.complainRaw(p, "readline: "+message+"\n") }
	s.Read = func(name string) (string, error) { return m.bindings(p, name) }
	s.Terminal = p.Shell.Vars.Get("TERM").String()
	if s.Editor.Begun {
		return s
	}
	s.Editor.Begun = true
	if p.Shell.Opts.on(optBytes) {
		s.Line("set convert-meta on")
		s.Line("set meta-flag off")
		s.Line("set output-meta off")
	}
	files := []string{p.Shell.Vars.Get("INPUTRC").String()}
	if files[0] == "" {
		files = []string{"~/.inputrc", "/etc/inputrc"}
	}
	for _, name := range files {
		if text, err := m.bindings(p, name); err == nil {
			s.Source(text, name)
			break
		}
	}
	return s
}

// bindings reads a file of bindings, each line of which may be kept.
func (m *Machine) bindings(p *Process, name string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		name = p.Shell.Vars.Get("HOME").String() + "/" + rest
	}
	st, err := m.FS.Stat(m.at(p), name)
	if err != nil {
		return "", err
	}
	if st.Mode.IsDir() {
		return "", vfs.EISDIR
	}
	text, err := m.slurp(p, name)
	m.retain(len(text))
	m.charge(len(text))
	return text, err
}

// bind does what the options and operands of bind say, in the order bash has.
func (m *Machine) bind(p *Process, s *readline.Session, argv []string) int {
	given := map[byte]string{}
	o := m.options(p, argv, "lvpVPsSXf:q:u:m:r:x:")
	o.noHelp = true
	for c := o.next(); c != 0; c = o.next() {
		given[c] = o.value
	}
	if o.bad {
		return 2
	}
	if name, ok := given['m']; ok {
		back, known := s.Use(name)
		if !known {
			m.complain(p, "bind: `%s': invalid keymap name", name)
			return 1
		}
		defer back()
	}
	status := 0
	for _, c := range []byte("lPpsSvVfqurxX") {
		value, ok := given[c]
		if !ok {
			continue
		}
		m.retain(len(value))
		switch c {
		case 'f':
			text, err := m.bindings(p, value)
			if err != nil {
				m.complain(p, "bind: %s: cannot read: %s", printable(value, p.Shell.bytes()), err)
				return 1
			}
			s.Source(text, value)
		case 'q':
			status = m.bindQuery(p, s, value)
		case 'u':
			if status = 0; !s.Drop(value) {
				m.complain(p, "bind: `%s': unknown function name", value)
				status = 1
			}
		case 'r':
			s.Remove(value)
			return 0
		case 'x':
			if status = 0; !m.bindCommand(p, s, value) {
				status = 1
			}
		default:
			if m.out(p, "bind", []byte(s.Listing(c))) != 0 {
				status = 1
			}
		}
	}
	for _, line := range o.args {
		m.retain(len(line))
		s.Line(line)
	}
	return status
}

func (m *Machine) bindCommand(p *Process, s *readline.Session, line string) bool {
	wrong := s.Command(line)
	if wrong != "" {
		m.complain(p, "bind: %s", wrong)
	}
	return wrong == ""
}

// bindQuery says which keys call a function.
func (m *Machine) bindQuery(p *Process, s *readline.Session, name string) int {
	keys, known := s.Keys(name)
	switch {
	case !known:
		m.complain(p, "bind: `%s': unknown function name", name)
	case len(keys) == 0:
		_ = m.out(p, "bind", []byte(name+" is not bound to any keys.\n"))
	default:
		return m.out(p, "bind", []byte(name+" can be invoked via "+readline.Few(keys)))
	}
	return 1
}
