package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// unit compiles the next line of a text, aliases expanded.
// It gives the text back, in which aliases of that line have been replaced.
func (m *Machine) unit(p *Process, text string, off, line int) (u *Unit, read string, next int, err error) {
	u, read, next, err = m.readUnit(p, text, off, line)
	if err == nil && u != nil && u.ext > 0 && !p.Shell.Opts.on(OptExtglob) {
		n := strings.Count(u.Text[:u.ext-1], "\n")
		e := &SyntaxError{Line: u.Line + n, at: u.ext - 1}
		e.inside(u.Text[:u.ext-1])
		e.near("(", u.Text, n)
		return nil, read, len(read), e
	}
	if err == nil && u != nil && (u.cond > 0 || strings.Contains(u.Text, "()") && emptyPattern(u.Text)) && !p.Shell.Opts.on(OptExtglob) {
		if e := faultIn(m.env(p), u.Text, u.Line, false); e != nil {
			return nil, read, len(read), e
		}
	}
	return u, read, next, err
}

// emptyPattern reports whether a text has what is an extended pattern of nothing, if anything.
func emptyPattern(text string) bool {
	for _, op := range []string{"?()", "*()", "+()", "@()", "!()"} {
		if strings.Contains(text, op) {
			return true
		}
	}
	return false
}

func (m *Machine) readUnit(p *Process, text string, off, line int) (u *Unit, read string, next int, err error) {
	if p.Shell.Aliases.Len() > 0 && p.Shell.Opts.on(OptExpandAliases) {
		if start := skipComments(text, off); start < len(text) {
			rest, added, fault := m.aliased(p, text[start:], line+strings.Count(text[off:start], "\n"))
			if rest != text[start:] { // most lines have none, and what they are made of is not held once for each
				text = text[:start] + rest
			}
			u, read, next, err = m.readAliased(p, text, off, line)
			if u != nil && added != 0 { // other machines may have this unit, too
				v := *u
				v.added += added
				u = &v
			}
			return u, read, next, fault.shows(err)
		}
	}
	return m.readAliased(p, text, off, line)
}

// readAliased is readUnit for a text in which no alias is left.
func (m *Machine) readAliased(p *Process, text string, off, line int) (u *Unit, read string, next int, err error) {
	a := m.env(p)
	if len(text) > cachedText {
		m.rt.ahead.work = a
	}
	u, next, err = m.lib.units.next(&m.rt.ahead, text, off, line)
	if err != nil {
		if edited, fault := nestedParens(a, text, off, line, p.readsStream()); fault != nil {
			return nil, text, len(text), fault
		} else if edited != text {
			text = edited
			u, next, err = nextUnit(a, text, off, line)
		}
	}
	for range maxUnfolds {
		edited, ok := unfolded(a, text, off, next, err)
		if !ok {
			break
		}
		v, end, bad := nextUnit(a, edited, off, line)
		if bad != nil && err != nil {
			break
		}
		u, text, next, err = v, edited, end, bad
	}
	if err != nil || !p.Shell.Opts.on(OptExtglob) && strings.Contains(text[off:next], "!(") {
		return respaced(a, text, off, line, u, next, err)
	}
	return u, text, next, err
}

// maxUnfolds is how often a line is read again whose end comes later without continuations in tokens.
const maxUnfolds = 16

// unfolded moves the line continuations in tokens of the unit between two
// offsets to before them, or, where the unit has an error, of all that follows.
func unfolded(a expand.Account, text string, off, next int, err error) (edited string, ok bool) {
	if err != nil {
		next = len(text)
	}
	unit := text[off:next]
	if !folded(unit) && !(strings.Contains(unit, "\\\n") && strings.Contains(unit, "<<")) {
		return text, false
	}
	if unit, ok = expand.Unfold(unit, a); !ok {
		return text, false
	}
	return text[:off] + unit + text[next:], true
}

// folded reports whether a line continuation stands between two characters that
// are no blanks: it may be in a token.
func folded(text string) bool {
	for at := 0; ; at += 2 {
		n := strings.Index(text[at:], "\\\n")
		if n < 0 {
			return false
		}
		if at += n; at > 0 && at+2 < len(text) && !blank(text[at-1]) && !blank(text[at+2]) {
			return true
		}
	}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// lineEnd is where the line that holds offset i ends: at its newline, or at the end of the text.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

func nameByte(c byte) bool { return c == '_' || validName("_"+string(c)) }

// closedDocs ends the line of a here-document's delimiter that the end of a
// substitution follows at once, which bash takes for the delimiter: EOF). It
// gives where it put newlines, and what bash says about each.
func closedDocs(a expand.Account, text string, off, line int) (edited string, added []int, warn []warning) {
	r := newSyntaxReader(a, text[off:], line, true)
	r.line()
	var b strings.Builder
	done := 0
	for i, at := range r.closed {
		at += off
		b.WriteString(text[done:at])
		b.WriteByte('\n')
		done, added = at, append(added, at+i)
	}
	b.WriteString(text[done:])
	return b.String(), added, r.closedWarn
}

// nestedParens puts a blank between the two of each (( that is no expression, or gives the error of a line that has one.
func nestedParens(a expand.Account, text string, off, line int, stream bool) (string, *SyntaxError) {
	start := skipComments(text, off)
	if !strings.Contains(text[start:], "((") && !strings.Contains(text[start:], "(\\\n") {
		return text, nil
	}
	r := newSyntaxReader(a, text[start:], line+strings.Count(text[off:start], "\n"), true)
	r.stream = stream
	if r.line(); len(r.nested) == 0 || r.deep {
		return text, nil
	}
	if r.fault != nil {
		r.fault.warn = r.warn
		return text, r.fault
	}
	return text[:start] + edited(text[start:], r.nested), nil
}

// readsStream reports whether the commands come from a file or the input, and not from a string.
func (p *Process) readsStream() bool {
	f := p.top()
	if f.Kind == FStdin {
		return true
	}
	return f.Kind == FScript && f.X.Call == "" && f.X.Name != ""
}

// splitParens reads a line again with a blank between the two of each (( that
// is no arithmetic, from the one before the error on.
func splitParens(a expand.Account, text string, off, line int, e *SyntaxError) (u *Unit, edited string, next int, ok bool) {
	for range 8 {
		at, further := e.at, ""
		for i, tries := min(skipComments(text, off)+e.at+len("$((("), len(text)), 0; tries < 8; tries++ {
			if i = strings.LastIndex(text[:i], "(("); i < off {
				break
			}
			edited = text[:i+1] + " " + text[i+1:]
			u, next, err := nextUnit(a, edited, off, line)
			if err == nil {
				return u, edited, next, true
			}
			if worse, ok := err.(*SyntaxError); ok && worse.at > at+1 { // there is another one behind it
				at, further = worse.at, edited
			}
			i++
		}
		if further == "" {
			break
		}
		text, e = further, &SyntaxError{at: at}
	}
	return nil, "", 0, false
}

// respaced reads a line again where the parser and bash see other tokens:
// without extglob !( is a negated subshell, and (( that is no arithmetic is two.
func respaced(a expand.Account, text string, off, line int, u *Unit, next int, err error) (*Unit, string, int, error) {
	if e, ok := err.(*SyntaxError); ok {
		if edited, added, warn := closedDocs(a, text, off, line); len(added) > 0 {
			if u, next, err := nextUnit(a, edited, off, line); err == nil {
				for u.added < len(added) && added[u.added] < next {
					u.added++
				}
				u.warn = append(warn[:u.added], u.warn...)
				return u, edited[:next] + text[next-u.added:], next, nil
			}
		}
		if e.Depth {
			return nil, text, len(text), err
		}
		if u, edited, next, ok := splitParens(a, text, off, line, e); ok {
			return u, edited, next, nil
		}
		return nil, text, len(text), err
	}
	if err != nil || u == nil {
		return nil, text, next, err
	}
	for range 64 {
		at := -1
		for _, n := range u.nodes {
			first := next - len(u.Text) // the unit begins behind blank lines
			if c, ok := n.(*simple); ok && len(c.assigns) == 0 && len(c.words) > 0 && strings.HasPrefix(c.text(), "!(") {
				at = max(at, first+int(c.addr.Start)+1)
			}
			if c, ok := n.(*testCmd); ok && c.negated > 0 {
				at = max(at, first+c.negated)
			}
		}
		if at < 0 {
			break
		}
		edited := text[:at] + " " + text[at:]
		v, end, err := nextUnit(a, edited, off, line)
		if e, ok := err.(*SyntaxError); ok && e.Cond {
			return nil, text, len(text), err
		}
		if err != nil {
			break
		}
		u, text, next = v, edited, end
	}
	return u, text, next, nil
}

func (m *Machine) listShellOptions(c *Process, shopt bool) int {
	list := setOptions
	if shopt {
		list = shoptOptions
	}
	var b strings.Builder
	for _, o := range list {
		b.WriteString(optionLine(o.name, c.Shell.Opts.on(o.opt)))
	}
	_ = m.send(c, 1, []byte(b.String()))
	return 0
}

// shellFile runs a script file, looked for in the working directory, then in PATH.
func (m *Machine) shellFile(c *Process, args []string) int {
	path := args[0]
	full := path
	st, err := m.FS.Stat(m.at(c), full)
	if err == vfs.ENOENT && !strings.Contains(path, "/") {
		if found, e := m.find(c, path); e == nil {
			full = found
			st, err = m.FS.Stat(m.at(c), full)
		}
	}
	if n, ok := devFD(m.byLetters(c, full)); ok {
		if file, open := c.fd(n); open {
			st, err = m.fstat(file)
		}
	}
	if err == nil && st.Mode.IsDir() {
		m.complainRaw(c, c.Shell.Name+": "+path+": Is a directory\n")
		return 126
	}
	text := ""
	if err == nil && !st.Mode.IsRegular() { // <( ), a FIFO
		if err = m.readScript(c, full, args, 1); err == nil {
			c.Shell.Name = path
			c.Shell.Params = m.list(c, args[1:])
			return -1
		}
	} else if err == nil {
		text, err = m.slurp(c, full)
	}
	if line, _, _ := strings.Cut(text[:min(len(text), 80)], "\n"); strings.IndexByte(line, 0) >= 0 {
		m.complainRaw(c, c.Shell.Name+": "+path+": cannot execute binary file\n")
		return 126
	}
	if err != nil {
		m.complainRaw(c, c.Shell.Name+": "+path+": "+err.Error()+"\n")
		if err == vfs.EACCES {
			return 126
		}
		return 127
	}
	c.Shell.Name = path
	c.Shell.Params = m.list(c, args[1:])
	m.pushScript(c, path, text, 1, "")
	return -1
}

// slurp reads a whole file of the tree.
func (m *Machine) slurp(p *Process, path string) (string, error) {
	file, err := m.open(p, path, vfs.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer m.unref(file)
	st, err := m.fstat(file)
	if err != nil {
		return "", err
	}
	m.hold(int(st.Size))
	buf := make([]byte, st.Size)
	n := 0
	for n < len(buf) {
		k, err := m.read(file, buf[n:])
		n += k
		if err != nil {
			break
		}
	}
	return string(buf[:n]), nil
}

// pushStdin runs the script that standard input holds. It is read whole before
// it runs, but what a command of it reads from stdin is the rest: commands see
// the text after the line they stand on.
func (m *Machine) pushStdin(c *Process) {
	c.push(Frame{Kind: FStdin, X: &Extra{Name: "", Line: 1}})
}

// initVars gives a shell the variables bash sets at its start.
func (m *Machine) initVars(c *Process) {
	t := c.Shell.Vars
	set := func(name, value string, a vars.Attr) {
		if t.Get(name) == nil {
			t.Bind(name, vars.New(value, a))
		}
	}
	set("PATH", "/usr/local/bin:/usr/bin:/bin", 0)
	set("IFS", " \t\n", 0)
	set("OPTIND", "1", vars.Integer)
	set("OPTERR", "1", 0)
	set("PS4", "+ ", 0)
	set("TERM", "dumb", 0)
	set("SHELL", "/bin/bash", 0)
	set("HOSTNAME", m.Host.Hostname, 0)
	set("HOSTTYPE", "x86_64", 0)
	set("OSTYPE", "linux-gnu", 0)
	set("MACHTYPE", "x86_64-pc-linux-gnu", 0)
	set("BASH", "/usr/bin/bash", 0)
	t.Bind("IFS", vars.New(" \t\n", t.Get("IFS").Attrs()&^vars.Export))
	t.Bind("BASH_VERSION", vars.New("5.2.15(1)-release", 0))
	info := vars.NewList([]string{"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"}, vars.ReadOnly)
	t.Bind("BASH_VERSINFO", info)
	if c.Shell.Last == "" {
		c.Shell.Last = "bash"
	}
	m.shellLevel(c, 1)
	if m.directory(c.Cwd) == c.Place.Dir {
		t.Bind("PWD", vars.New(c.Cwd, vars.Export))
	} else if dir, ok := m.getcwd(c, "shell-init"); ok {
		t.Bind("PWD", vars.New(dir, vars.Export))
	}
	t.Bind("UID", vars.New(itoa(int(m.Host.UID)), vars.Integer|vars.ReadOnly))
	t.Bind("EUID", vars.New(itoa(int(m.Host.UID)), vars.Integer|vars.ReadOnly))
	t.Bind("PPID", vars.New(itoa(c.PPID), vars.Integer|vars.ReadOnly))
	if t.Get("OLDPWD") == nil {
		t.Bind("OLDPWD", vars.New("", vars.Export))
		t.Own("OLDPWD").Clear()
	}
	for _, name := range specialNames {
		if name == "PIPESTATUS" && t.Get(name) != nil { // from the environment: it stays what it is
			continue
		}
		t.Bind(name, vars.New("", vars.Special))
	}
	for _, name := range []string{"BASHPID", "RANDOM", "SRANDOM"} {
		t.Bind(name, vars.New("", vars.Special|vars.Integer))
	}
	m.startLocale(c)
	old, _ := compatLevel(t.Get("BASH_COMPAT").String())
	c.Shell.Opts.setCompat(old)
}

// shellLevel changes SHLVL: what is no number counts as 0, and bash stops at 1000.
func (m *Machine) shellLevel(p *Process, by int) {
	t := p.Shell.Vars
	level := by
	if n, ok := number(strings.TrimSpace(t.Get("SHLVL").String())); ok {
		level += n
	} else if n, ok := t.Get("SHLVL").Int(); ok {
		level += int(n)
	}
	level = max(level, 0)
	if level >= 1000 {
		m.complainRaw(p, "bash: warning: shell level ("+itoa(level)+") too high, resetting to 1\n")
		level = 1
	}
	t.Bind("SHLVL", vars.New(itoa(level), vars.Export))
}
