package shell

import (
	"fmt"
	"strings"

	"eryxsh/core/vars"
	"eryxsh/vfs"
)

func (m *Machine) biPwd(p *Process, argv []string) int {
	dir := p.Cwd
	physical := p.Shell.Opts.on(OptPhysical)
	o := m.options(p, argv, "LP")
	for c := o.next(); c != 0; c = o.next() {
		physical = c == 'P'
	}
	if o.bad {
		return 2
	}
	if physical {
		if real, err := m.FS.Realpath(m.cred(), dir, vfs.MissingNone); err == nil {
			dir = real
		}
	}
	return m.out(p, "pwd", []byte(dir+"\n"))
}

func (m *Machine) biCd(p *Process, argv []string) int {
	physical := p.Shell.Opts.on(OptPhysical)
	o := m.options(p, argv, "eLP")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'L':
			physical = false
		case 'P':
			physical = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if len(args) > 1 {
		m.complain(p, "cd: too many arguments")
		return 1
	}
	t := p.Shell.Vars
	dir, print := "", false
	switch {
	case len(args) == 0:
		if dir = t.Get("HOME").String(); !t.Get("HOME").IsSet() {
			m.complain(p, "cd: HOME not set")
			return 1
		}
	case args[0] == "-":
		if !t.Get("OLDPWD").IsSet() {
			m.complain(p, "cd: OLDPWD not set")
			return 1
		}
		dir, print = t.Get("OLDPWD").String(), true
	default:
		dir = args[0]
	}
	if dir == "" {
		return 0
	}
	target := dir
	if path := t.Get("CDPATH").String(); path != "" && dir[0] != '/' && dir != "." && dir != ".." && !strings.HasPrefix(dir, "./") && !strings.HasPrefix(dir, "../") {
		for base := range strings.SplitSeq(path, ":") {
			try := dir
			if base != "" {
				try = strings.TrimSuffix(base, "/") + "/" + dir
			}
			if st, err := m.FS.Stat(m.cred(), m.abs(p, try)); err == nil && st.Mode.IsDir() {
				target, print = try, print || base != ""
				break
			}
		}
	}
	if err := m.chdir(p, target, physical); err != nil {
		if p.Shell.Opts.on(OptCdableVars) && t.Get(dir).IsSet() {
			target, print = t.Get(dir).String(), true
			err = m.chdir(p, target, physical)
		}
		if err != nil {
			m.complain(p, "cd: %s: %s", dir, err)
			return 1
		}
	}
	if print {
		return m.out(p, "cd", []byte(p.Cwd+"\n"))
	}
	return 0
}

// chdir changes the working directory and PWD, OLDPWD.
func (m *Machine) chdir(p *Process, dir string, physical bool) error {
	full := m.abs(p, dir)
	logical := cleanPath(full)
	if !physical {
		if err := m.passable(full); err != nil {
			return err
		}
	}
	look := logical
	if physical {
		look = full
	}
	st, err := m.FS.Stat(m.cred(), look)
	if err != nil && !physical {
		if st, err = m.FS.Stat(m.cred(), full); err == nil {
			logical, _ = m.FS.Realpath(m.cred(), full, vfs.MissingNone)
		}
	}
	if err != nil {
		return err
	}
	if !st.Mode.IsDir() {
		return vfs.ENOTDIR
	}
	if err := m.FS.Access(m.cred(), look, vfs.X_OK); err != nil {
		return err
	}
	if physical {
		if logical, err = m.FS.Realpath(m.cred(), full, vfs.MissingNone); err != nil {
			return err
		}
	}
	t := p.Shell.Vars
	setDir := func(name, value string) {
		if v := t.Get(name); !v.Is(vars.ReadOnly) {
			own := t.Own(name)
			own.SetString(value)
			if name == "PWD" || v != nil {
				own.SetAttrs(own.Attrs() | vars.Export)
			}
		}
	}
	old := t.Get("PWD").String()
	if old == "" {
		old = p.Cwd
	}
	setDir("OLDPWD", old)
	p.Cwd = logical
	setDir("PWD", logical)
	return nil
}

// passable checks that what stands before each ".." is a directory.
func (m *Machine) passable(full string) error {
	for i := strings.Index(full, "/.."); i >= 0; {
		if i+3 == len(full) || full[i+3] == '/' {
			st, err := m.FS.Stat(m.cred(), full[:i]+"/")
			if err != nil {
				return err
			}
			if !st.Mode.IsDir() {
				return vfs.ENOTDIR
			}
		}
		next := strings.Index(full[i+1:], "/..")
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return nil
}

// cleanPath takes dots and double slashes out of an absolute path, as cd -L does.
func cleanPath(path string) string {
	var parts []string
	for s := range strings.SplitSeq(path, "/") {
		switch s {
		case "", ".":
		case "..":
			if len(parts) > 0 {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, s)
		}
	}
	return "/" + strings.Join(parts, "/")
}

func (m *Machine) biDirs(p *Process, argv []string) int {
	all := append([]string{p.Cwd}, p.Shell.Dirs...)
	long, lines, numbered := false, false, false
	clear := false
	for _, a := range argv[1:] {
		if a == "--" {
			break
		}
		switch {
		case a == "-c":
			clear = true
		case a == "-l":
			long = true
		case a == "-p":
			lines = true
		case a == "-v":
			numbered, lines = true, true
		case a != "" && (a[0] == '+' || a[0] == '-'):
			i, ok := m.stackIndex(p, a)
			if !ok {
				return m.offStack(p, "dirs", a, strings.TrimLeft(a, "+-"))
			}
			all = all[i : i+1]
		default:
			return m.usage(p, "dirs", a)
		}
	}
	if clear {
		p.Shell.Dirs = nil
		return 0
	}
	out := make([]string, len(all))
	for i, d := range all {
		if !long {
			d = m.tilde(p, d)
		}
		if numbered {
			d = fmt.Sprintf("%2d  %s", i, d)
		}
		out[i] = d
	}
	sep := " "
	if lines {
		sep = "\n"
	}
	return m.out(p, "dirs", []byte(strings.Join(out, sep)+"\n"))
}

// offStack reports an index the directory stack has not.
func (m *Machine) offStack(p *Process, name, given, shown string) int {
	if _, ok := number(given[1:]); !ok {
		return m.badIndex(p, name, given)
	}
	if len(p.Shell.Dirs) == 0 {
		m.complain(p, "%s: directory stack empty", name)
	} else {
		m.complain(p, "%s: %s: directory stack index out of range", name, shown)
	}
	return 1
}

// badIndex reports what should have been +N or -N.
func (m *Machine) badIndex(p *Process, name, given string) int {
	m.complain(p, "%s: %s: invalid number", name, given)
	m.tellUsage(p, name)
	return 2
}

// stackIndex reads +N (from the left) or -N (from the right) of the directory stack.
func (m *Machine) stackIndex(p *Process, a string) (int, bool) {
	n, ok := number(a[1:])
	size := len(p.Shell.Dirs) + 1
	if a[0] == '-' {
		n = size - 1 - n
	}
	return n, ok && n >= 0 && n < size
}

func (m *Machine) biPushd(p *Process, argv []string) int {
	args := argv[1:]
	stay := false
	named := false // a directory, whatever it looks like
	for len(args) > 0 && (args[0] == "-n" || args[0] == "--") {
		named = args[0] == "--"
		stay = stay || !named
		if args = args[1:]; named {
			break
		}
	}
	if len(args) > 1 {
		if _, ok := number(strings.TrimLeft(args[0], "+-")); !named && !ok && len(args[0]) > 1 && args[0][0] == '-' {
			return m.offStack(p, "pushd", args[0], args[0])
		}
		m.complain(p, "pushd: too many arguments")
		return 1
	}
	all := append([]string{p.Cwd}, p.Shell.Dirs...)
	switch {
	case len(args) == 0 && stay:
		return 0
	case len(args) == 0:
		if len(all) < 2 {
			m.complain(p, "pushd: no other directory")
			return 1
		}
		all[0], all[1] = all[1], all[0]
	case !named && args[0] != "-" && args[0] != "" && (args[0][0] == '+' || args[0][0] == '-'):
		i, ok := m.stackIndex(p, args[0])
		if !ok {
			return m.offStack(p, "pushd", args[0], args[0])
		}
		all = append(append([]string(nil), all[i:]...), all[:i]...)
	default:
		dir := args[0]
		if stay {
			m.retain(len(dir) * 2)
			p.Shell.Dirs = append([]string{dir}, p.Shell.Dirs...)
			return m.biDirs(p, []string{"dirs"})
		}
		old := p.Cwd
		if dir == "-" {
			if v := p.Shell.Vars.Get("OLDPWD"); !v.IsSet() {
				m.complain(p, "pushd: OLDPWD not set")
				return 1
			}
			dir = p.Shell.Vars.Get("OLDPWD").String()
		}
		if err := m.chdir(p, dir, false); err != nil {
			m.complain(p, "pushd: %s: %s", dir, err)
			return 1
		}
		m.retain(len(old) * 2)
		p.Shell.Dirs = append([]string{old}, p.Shell.Dirs...)
		return m.biDirs(p, []string{"dirs"})
	}
	if !stay {
		if err := m.chdir(p, all[0], false); err != nil {
			m.complain(p, "pushd: %s: %s", all[0], err)
			return 1
		}
	}
	p.Shell.Dirs = all[1:]
	return m.biDirs(p, []string{"dirs"})
}

func (m *Machine) biPopd(p *Process, argv []string) int {
	args := argv[1:]
	stay := false
	for len(args) > 0 && (args[0] == "-n" || args[0] == "--" || args[0] == "") {
		if stay = stay || args[0] == "-n"; args[0] == "--" {
			args = nil
			break
		}
		args = args[1:]
	}
	i := 0
	if len(args) > 0 {
		var ok bool
		if args[0][0] != '+' && args[0][0] != '-' {
			m.complain(p, "popd: %s: invalid argument", args[0])
			m.tellUsage(p, "popd")
			return 2
		}
		if i, ok = m.stackIndex(p, args[0]); !ok {
			return m.offStack(p, "popd", args[0], args[0])
		}
	}
	if len(p.Shell.Dirs) == 0 {
		m.complain(p, "popd: directory stack empty")
		return 1
	}
	dirs := append([]string(nil), p.Shell.Dirs...)
	if i > 0 {
		p.Shell.Dirs = append(dirs[:i-1:i-1], dirs[i:]...)
		return m.biDirs(p, []string{"dirs"})
	}
	if !stay {
		if err := m.chdir(p, dirs[0], false); err != nil {
			m.complain(p, "popd: %s: %s", dirs[0], err)
			return 1
		}
	}
	p.Shell.Dirs = dirs[1:]
	return m.biDirs(p, []string{"dirs"})
}
