package shell

import (
	"fmt"
	"strconv"
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
	if physical { // of the name the shell has for it, as bash does
		real, err := m.FS.Realpath(m.cred(), dir, vfs.MissingNone)
		if ok := err == nil; !ok {
			if real, ok = m.getcwd(p, "pwd"); !ok {
				return 1
			}
		}
		dir = real
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
	return m.cdTo(p, "cd", o.args, physical)
}

// cdTo does cd for a builtin.
func (m *Machine) cdTo(p *Process, name string, args []string, physical bool) int {
	if len(args) > 1 {
		m.complain(p, "%s: too many arguments", name)
		return 1
	}
	t := p.Shell.Vars
	dir, print := "", false
	switch {
	case len(args) == 0:
		if dir = t.Get("HOME").String(); !t.Get("HOME").IsSet() {
			m.complain(p, "%s: HOME not set", name)
			return 1
		}
	case args[0] == "-":
		if !t.Get("OLDPWD").IsSet() {
			m.complain(p, "%s: OLDPWD not set", name)
			return 1
		}
		dir, print = t.Get("OLDPWD").String(), true
	default:
		dir = args[0]
	}
	if dir == "" {
		return 0
	}
	target, found := dir, ""
	if path := t.Get("CDPATH").String(); path != "" && dir[0] != '/' && dir != "." && dir != ".." && !strings.HasPrefix(dir, "./") && !strings.HasPrefix(dir, "../") {
		for base := range strings.SplitSeq(path, ":") {
			try := dir
			if base != "" {
				try = strings.TrimSuffix(base, "/") + "/" + dir
			}
			if st, err := m.FS.Stat(m.at(p), try); err == nil && st.Mode.IsDir() {
				target, print = try, print || base != ""
				if physical && base != "" { // it is shown as it was put together
					found = try
				}
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
			m.complain(p, "%s: %s: %s", name, dir, err)
			return 1
		}
	}
	if found == "" {
		found = p.Cwd
	}
	if print {
		return m.out(p, name, []byte(found+"\n"))
	}
	return 0
}

// chdir changes the working directory and PWD, OLDPWD.
func (m *Machine) chdir(p *Process, dir string, physical bool) error {
	full := m.abs(p, dir)
	name, clear := cleanPath(full), true
	if physical {
		if path, err := m.FS.Realpath(m.cred(), full, vfs.MissingNone); err == nil {
			name = rootOf(full) + path[1:]
		} else {
			name, clear = full, false
		}
	} else if m.passable(full) != nil || m.present(name) != nil {
		name, clear = full, false
	}
	asked := name
	if physical {
		asked = dir
	}
	ino, err := m.enterable(p, asked)
	if err != nil && !physical && !p.Shell.Opts.on(OptPosix) { // by its own name, wherever that is by now
		if ino, err = m.enterable(p, dir); err == nil {
			clear = false
		}
	}
	if err != nil {
		return err
	}
	old := p.Shell.Vars.Get("PWD").String()
	if old == "" {
		old = p.Cwd
	}
	if m.enter(p, name, ino); !clear {
		m.getcwd(p, "cd")
	}
	m.setDir(p, "OLDPWD", old)
	m.setDir(p, "PWD", p.Cwd)
	return nil
}

// present reports whether there is something at a path.
func (m *Machine) present(path string) error {
	_, err := m.FS.Stat(m.cred(), path)
	return err
}

// enterable gives the inode of a directory that a process may make its own.
func (m *Machine) enterable(p *Process, path string) (vfs.Ino, error) {
	st, err := m.FS.Stat(m.at(p), path)
	switch {
	case err != nil:
		return 0, err
	case !st.Mode.IsDir():
		return 0, vfs.ENOTDIR
	}
	return st.Ino, m.FS.Access(m.at(p), path, vfs.X_OK)
}

// setDir sets PWD or OLDPWD, unless it is read-only.
func (m *Machine) setDir(p *Process, name, value string) {
	t := p.Shell.Vars
	if v := t.Get(name); !v.Is(vars.ReadOnly) {
		own := t.Own(name)
		own.SetString(value)
		if name == "PWD" || v != nil {
			own.SetAttrs(own.Attrs() | vars.Export)
		}
	}
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
	return rootOf(path) + strings.Join(parts, "/")
}

// rootOf is how an absolute path begins: two slashes, no more and no fewer, are kept (POSIX, "Pathname Resolution").
func rootOf(path string) string {
	if strings.HasPrefix(path, "//") && !strings.HasPrefix(path, "///") {
		return "//"
	}
	return "/"
}

// The builtins of the directory stack read their words themselves: options are
// not in clusters, and +N and -N are operands wherever they stand.

// stackHelp shows what --help asks for.
func (m *Machine) stackHelp(p *Process, argv []string) bool {
	help := len(argv) > 1 && argv[1] == "--help"
	if help {
		_ = m.biHelp(p, []string{"help", argv[0]})
	}
	return help
}

func (m *Machine) biDirs(p *Process, argv []string) int {
	if m.stackHelp(p, argv) {
		return 2
	}
	long, lines, numbered, clear := false, false, false, false
	at, place, size := -1, "", len(p.Shell.Dirs)
words:
	for _, a := range argv[1:] {
		switch {
		case a == "--":
			break words
		case a == "-c":
			clear = true
		case a == "-l":
			long = true
		case a == "-p":
			lines = true
		case a == "-v":
			numbered, lines = true, true
		case a != "" && (a[0] == '+' || a[0] == '-'):
			n, ok := signed(a[1:])
			if !ok {
				return m.badIndex(p, "dirs", a)
			}
			if at, place = n, a[1:]; a[0] == '-' {
				at = size - n
			}
			if at < 0 {
				at = size + 1
			}
		default:
			return m.usage(p, "dirs", a)
		}
	}
	switch {
	case clear:
		p.Shell.Dirs = nil
		return 0
	case at > size:
		return m.offStack(p, "dirs", place)
	}
	var out []string
	for i, d := range append([]string{p.Cwd}, p.Shell.Dirs...) {
		if at >= 0 && i != at {
			continue
		}
		if !long {
			d = m.tilde(p, d)
		}
		if numbered {
			d = fmt.Sprintf("%2d  %s", i, d)
		}
		out = append(out, d)
	}
	sep := " "
	if lines {
		sep = "\n"
	}
	return m.out(p, "dirs", []byte(strings.Join(out, sep)+"\n"))
}

// signed reads a number that may have a sign of its own.
func signed(s string) (int, bool) {
	n, err := strconv.ParseInt(strings.Trim(s, " \t\n"), 10, 32)
	return int(n), err == nil
}

// offStack reports an index the directory stack has not.
func (m *Machine) offStack(p *Process, name, place string) int {
	if len(p.Shell.Dirs) == 0 {
		m.complain(p, "%s: directory stack empty", name)
	} else {
		m.complain(p, "%s: %s: directory stack index out of range", name, place)
	}
	return 1
}

// badIndex reports what should have been +N or -N.
func (m *Machine) badIndex(p *Process, name, given string) int {
	m.complain(p, "%s: %s: invalid number", name, given)
	m.tellUsage(p, name)
	return 2
}

func (m *Machine) biPushd(p *Process, argv []string) int {
	if m.stackHelp(p, argv) {
		return 2
	}
	args, size := argv[1:], len(p.Shell.Dirs)
	stay, turn := false, -1
	if len(args) == 0 || len(args) == 1 && args[0] == "--" {
		if size == 0 {
			m.complain(p, "pushd: no other directory")
			return 1
		}
		dirs := append([]string{p.Cwd}, p.Shell.Dirs[1:]...)
		return m.toTop(p, "pushd", p.Shell.Dirs[0], dirs)
	}
words:
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case a == "-n":
			stay = true
		case a == "--":
			args = args[1:]
			break words
		case a == "-" || a == "" || a[0] != '+' && a[0] != '-':
			break words
		default:
			n, ok := signed(a[1:])
			if !ok {
				return m.badIndex(p, "pushd", a)
			}
			if a[0] == '-' {
				n = size - n
			}
			if n < 0 || n > size {
				return m.offStack(p, "pushd", a)
			}
			turn = n
		}
	}
	if turn >= 0 {
		all := append([]string{p.Cwd}, p.Shell.Dirs...)
		all = append(all[turn:len(all):len(all)], all[:turn]...)
		if stay {
			p.Shell.Dirs = all[1:]
			return 0
		}
		return m.toTop(p, "pushd", all[0], all[1:])
	}
	if len(args) == 0 {
		return 0
	}
	dir := p.Cwd
	if stay {
		dir = args[0]
	} else if st := m.cdTo(p, "pushd", args, p.Shell.Opts.on(OptPhysical)); st != 0 {
		return st
	}
	m.retain(len(dir) * 2)
	p.Shell.Dirs = append([]string{dir}, p.Shell.Dirs...)
	return m.biDirs(p, []string{"dirs"})
}

// toTop goes to a directory of the stack and leaves the others on it.
func (m *Machine) toTop(p *Process, name, dir string, others []string) int {
	if st := m.cdTo(p, name, []string{dir}, p.Shell.Opts.on(OptPhysical)); st != 0 {
		return st
	}
	p.Shell.Dirs = others
	return m.biDirs(p, []string{"dirs"})
}

func (m *Machine) biPopd(p *Process, argv []string) int {
	if m.stackHelp(p, argv) {
		return 2
	}
	size := len(p.Shell.Dirs)
	stay, n, sign, place := false, 0, byte('+'), ""
words:
	for _, a := range argv[1:] {
		switch {
		case a == "-n":
			stay = true
		case a == "--":
			break words
		case a == "": // bash takes it for -0
			sign = 0
			break words
		case a[0] != '+' && a[0] != '-':
			m.complain(p, "popd: %s: invalid argument", a)
			m.tellUsage(p, "popd")
			return 2
		default:
			ok := false
			if n, ok = signed(a[1:]); !ok {
				return m.badIndex(p, "popd", a)
			}
			sign, place = a[0], a
		}
	}
	if n < 0 || n > size || size == 0 && n == 0 {
		return m.offStack(p, "popd", place)
	}
	dirs := m.list(p, p.Shell.Dirs)
	if sign == '+' && n == 0 || sign == '-' && n == size {
		if !stay {
			return m.toTop(p, "popd", dirs[0], dirs[1:])
		}
		n, sign = 1, '+'
	}
	if sign != '+' {
		n = size - n
	}
	p.Shell.Dirs = append(dirs[:n-1:n-1], dirs[n:]...)
	return m.biDirs(p, []string{"dirs"})
}
