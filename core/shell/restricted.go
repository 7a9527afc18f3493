package shell

import (
	"slices"
	"strings"

	"eryxsh/core/vars"
)

// A restricted shell (bash -r, set -r) may not leave its directory, name
// commands by a path, write to files by redirection, or change what decides
// where commands are found. Shells it starts are free, as in bash; subshells are not.

// restrict makes a shell restricted, for good. What bash -c runs may still set
// PATH and its like after a set -r: there bash has not begun to look.
func (m *Machine) restrict(p *Process, begins bool) {
	sh := p.Shell
	if sh.Opts.on(optRestricted) {
		return
	}
	sh.Opts.set(optRestricted, true)
	if !begins && m.mainFile(p) == "" && !sh.Opts.on(optStdin) {
		return
	}
	for _, name := range []string{"PATH", "SHELL", "ENV", "BASH_ENV", "HISTFILE"} {
		v := sh.Vars.Own(name)
		v.SetAttrs(v.Attrs() | vars.ReadOnly)
	}
}

// forbids tells of a builtin's call that a restricted shell refuses.
func (m *Machine) forbids(p *Process, argv []string) bool {
	name, what := argv[0], ""
	switch name {
	case "cd", "pushd", "popd":
	case "exec":
		if len(argv) == 1 {
			return false
		}
	case ".", "source":
		args := argv[1:]
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) == 0 || !strings.Contains(args[0], "/") {
			return false
		}
		what = args[0] + ": "
	case "command":
		if !givesLetter(argv, "p") {
			return false
		}
		what = "-p: "
	case "enable":
		if !givesLetter(argv, "df") && (givesLetter(argv, "n") || !slices.ContainsFunc(argv[1:], p.disabled)) {
			return false
		}
	case "hash":
		path, ok := hashedPath(argv)
		if !ok || !strings.Contains(path, "/") {
			return false
		}
		what = path + ": "
	default:
		return false
	}
	m.complain(p, "%s: %srestricted", name, what)
	return true
}

// givesLetter reports whether one of the letters is among the options of a command.
func givesLetter(argv []string, letters string) bool {
	for _, a := range argv[1:] {
		if len(a) < 2 || a[0] != '-' || a == "--" {
			return false
		}
		if strings.ContainsAny(a[1:], letters) {
			return true
		}
	}
	return false
}

// hashedPath is the value of the option -p of hash.
func hashedPath(argv []string) (string, bool) {
	for i, a := range argv[1:] {
		if len(a) < 2 || a[0] != '-' || a == "--" {
			return "", false
		}
		at := strings.IndexByte(a, 'p')
		switch {
		case at < 0:
		case at+1 < len(a):
			return a[at+1:], true
		case i+2 < len(argv):
			return argv[i+2], true
		}
	}
	return "", false
}
