package shell

import "eryxsh/core/locale"

// The locale of a shell is one bit, whether characters are bytes (package locale).
// As in bash it follows the variables when they are set, not when they are read:
// a name that is not there is warned about and leaves the locale as it was.

// bytes reports whether characters are bytes: whether the locale is C.
func (s *Shell) bytes() bool { return s.Opts.on(optBytes) }

// startLocale is the locale of a shell that starts, with which it warns only of LC_ALL.
func (m *Machine) startLocale(p *Process) {
	s := p.Shell
	if all := s.Vars.Get("LC_ALL").String(); all != "" {
		bytes, ok := locale.Known(all)
		s.Opts.set(optBytes, bytes || !ok)
		if !ok {
			m.complainRaw(p, s.Name+": warning: setlocale: LC_ALL: cannot change locale ("+all+")\n")
		}
		return
	}
	s.Opts.set(optBytes, true)
	for _, name := range []string{"LANG", "LC_CTYPE"} {
		s.tryLocale(s.Vars.Get(name).String())
	}
}

// tryLocale takes a locale by its name; it is false, and changes nothing, if there is none.
func (s *Shell) tryLocale(name string) bool {
	bytes, ok := locale.Known(name)
	if ok {
		s.Opts.set(optBytes, bytes)
	}
	return ok
}

// setLocale follows an assignment to LANG or to a variable of a category, and unset.
func (m *Machine) setLocale(p *Process, variable string) {
	s := p.Shell
	value := func(name string) string { return s.Vars.Get(name).String() }
	switch all := value("LC_ALL"); {
	case variable == "LC_ALL" && all != "":
		if !s.tryLocale(all) {
			m.badLocale(p, variable, all)
		}
	case all != "":
	case variable == "LC_ALL" || variable == "LANG":
		m.resetLocale(p)
	default:
		name := value(variable)
		if name == "" {
			name = value("LANG")
		}
		if name == "" {
			name = "C"
		}
		bytes, ok := locale.Known(name)
		if !ok {
			m.badLocale(p, variable, name)
		} else if variable == "LC_CTYPE" {
			s.Opts.set(optBytes, bytes)
		}
	}
}

// resetLocale is what counts when LC_ALL is empty: LANG, or the environment, and then LC_CTYPE.
func (m *Machine) resetLocale(p *Process) {
	s := p.Shell
	lang := s.Vars.Get("LANG").String()
	if lang == "" {
		lang = "C"
	}
	if s.tryLocale(lang) {
		s.tryLocale(s.Vars.Get("LC_CTYPE").String())
	}
}

func (m *Machine) badLocale(p *Process, variable, name string) {
	m.complain(p, "warning: setlocale: %s: cannot change locale (%s): No such file or directory", variable, name)
}
