package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
	"eryxsh/vfs"

	"mvdan.cc/sh/v3/syntax"
)

// unit compiles the next line of a text, aliases expanded.
// It gives the text back, in which aliases of that line have been replaced.
func (m *Machine) unit(p *Process, name, text string, off, line int) (u *Unit, read string, next int, err error) {
	if p.Shell.Aliases.Len() == 0 || !p.Shell.Opts.on(OptExpandAliases) {
		u, next, err = nextUnit(name, text, off, line)
		if err != nil || strings.Contains(text[off:next], "$\\\n") {
			if rest, ok := expand.Unfold(text[off:]); ok {
				edited := text[:off] + rest
				if v, end, err := nextUnit(name, edited, off, line); err == nil {
					return v, edited, end, nil
				}
			}
		}
		if err != nil || !p.Shell.Opts.on(OptExtglob) && strings.Contains(text[off:next], "!(") {
			return respaced(name, text, off, line, u, next, err)
		}
		return u, text, next, err
	}
	return m.aliasedUnit(p, name, text, off, line)
}

// closedDocs ends the line of a here-document's delimiter that the end of a
// substitution follows at once, which bash takes for the delimiter: EOF).
func closedDocs(text string, off int) (edited string, ok bool) {
	edited = text
	for i := off; ; {
		j := strings.Index(edited[i:], "<<")
		if j < 0 {
			return edited, ok
		}
		i += j + 2
		word := strings.TrimLeft(edited[i:], "- \t'\"\\")
		end := 0
		for end < len(word) && (word[end] == '_' || validName("_"+word[end:end+1])) {
			end++
		}
		if end == 0 {
			continue
		}
		for at := i; ; {
			k := strings.Index(edited[at:], "\n"+word[:end])
			if k < 0 {
				break
			}
			at += k + 1 + end
			if at < len(edited) && edited[at] == '\n' {
				break
			}
			if at < len(edited) && edited[at] == ')' {
				edited, ok = edited[:at]+"\n"+edited[at:], true
				break
			}
		}
	}
}

// respaced reads a line again where the parser and bash see other tokens:
// without extglob !( is a negated subshell, and (( that is no arithmetic is two.
func respaced(name, text string, off, line int, u *Unit, next int, err error) (*Unit, string, int, error) {
	if e, ok := err.(*SyntaxError); ok && !e.Depth {
		if edited, ok := closedDocs(text, off); ok {
			if u, next, err := nextUnit(name, edited, off, line); err == nil {
				return u, edited, next, nil
			}
		}
		for i, tries := min(off+e.at+2, len(text)), 0; tries < 8; tries++ {
			if i = strings.LastIndex(text[:i], "(("); i < off {
				break
			}
			edited := text[:i+1] + " " + text[i+1:]
			if u, next, err := nextUnit(name, edited, off, line); err == nil {
				return u, edited, next, nil
			}
			i++
		}
		return nil, text, len(text), err
	}
	for range 64 {
		at := -1
		for _, n := range u.nodes {
			if c, ok := n.(*simple); ok && len(c.assigns) == 0 && len(c.words) > 0 && strings.HasPrefix(c.text(), "!(") {
				at = max(at, off+int(c.addr.Start)+1)
			}
		}
		if at < 0 {
			break
		}
		edited := text[:at] + " " + text[at:]
		v, end, err := nextUnit(name, edited, off, line)
		if err != nil {
			break
		}
		u, text, next = v, edited, end
	}
	return u, text, next, nil
}

// aliasedUnit reads a line as bash does with aliases: the first word of a
// simple command is replaced by the alias's text, and what comes of it is read
// again. A replaced name is not replaced again inside its own text; an alias
// that ends in a blank makes the next word a candidate.
func (m *Machine) aliasedUnit(p *Process, name, text string, off, line int) (*Unit, string, int, error) {
	rest := text[off:]
	var used []aliasSpan
	for range 256 {
		stmts, n, err := parseUnit(rest)
		at, word := -1, ""
		for _, s := range stmts {
			if at, word = m.findAlias(p, s, used); at >= 0 {
				break
			}
		}
		if at < 0 && err != nil { // the line may parse only with its aliases replaced
			at, word = m.leadingAlias(p, rest, used)
		}
		if at < 0 {
			if err != nil {
				return nil, text, len(text), syntaxError(err, rest, line)
			}
			text = text[:off] + rest
			if len(stmts) == 0 {
				return nil, text, len(text), nil
			}
			u := newUnit(name, rest[:n], line)
			if err := u.compile(stmts); err != nil {
				return nil, text, len(text), err
			}
			return u, text, off + n, nil
		}
		value, _ := p.Shell.Aliases.Get(word)
		value = expand.Encode([]byte(value))
		rest = rest[:at] + value + rest[at+len(word):]
		d := len(value) - len(word)
		for i := range used {
			if used[i].from > at {
				used[i].from += d
			}
			if used[i].to > at {
				used[i].to += d
			}
		}
		used = append(used, aliasSpan{at, at + len(value), word, strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t")})
	}
	u, next, err := nextUnit(name, text, off, line)
	return u, text, next, err
}

// aliasSpan is a stretch of text that came from an alias.
type aliasSpan struct {
	from, to int
	name     string
	blank    bool
}

// findAlias gives the offset of the first command word of a tree that is an alias.
func (m *Machine) findAlias(p *Process, s *syntax.Stmt, used []aliasSpan) (at int, word string) {
	at = -1
	syntax.Walk(s, func(n syntax.Node) bool {
		if at >= 0 {
			return false
		}
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			if d, ok := n.(*syntax.DeclClause); ok && m.isAlias(p, d.Variant.Value, int(d.Variant.ValuePos.Offset()), used) {
				at, word = int(d.Variant.ValuePos.Offset()), d.Variant.Value
			}
			return true
		}
		for i, w := range c.Args {
			if len(w.Parts) != 1 {
				break
			}
			l, ok := w.Parts[0].(*syntax.Lit)
			if !ok || len(l.Value) != int(l.ValueEnd.Offset()-l.ValuePos.Offset()) {
				break
			}
			pos := int(l.ValuePos.Offset())
			if i > 0 && !afterBlank(pos, used) {
				break
			}
			if m.isAlias(p, l.Value, pos, used) {
				at, word = pos, l.Value
				return false
			}
			if !inside(pos, used) && i > 0 {
				break
			}
		}
		return true
	})
	return at, word
}

// leadingAlias looks at the first word of a line that does not parse.
func (m *Machine) leadingAlias(p *Process, rest string, used []aliasSpan) (int, string) {
	i := 0
	for i < len(rest) && strings.IndexByte(" \t\n", rest[i]) >= 0 {
		i++
	}
	j := i
	for j < len(rest) && strings.IndexByte(" \t\n;&|()<>'\"$`\\", rest[j]) < 0 {
		j++
	}
	if j > i && m.isAlias(p, rest[i:j], i, used) {
		return i, rest[i:j]
	}
	return -1, ""
}

func (m *Machine) isAlias(p *Process, word string, at int, used []aliasSpan) bool {
	if _, ok := p.Shell.Aliases.Get(word); !ok {
		return false
	}
	for _, s := range used {
		if s.name == word && at >= s.from && at < s.to {
			return false
		}
	}
	return true
}

func inside(at int, used []aliasSpan) bool {
	for _, s := range used {
		if at >= s.from && at < s.to {
			return true
		}
	}
	return false
}

// afterBlank reports whether the word at an offset directly follows an alias that ends in a blank.
func afterBlank(at int, used []aliasSpan) bool {
	for _, s := range used {
		if s.blank && at >= s.to && at <= s.to+8 {
			return true
		}
	}
	return false
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
	full := m.abs(c, path)
	st, err := m.FS.Stat(m.cred(), full)
	if err == vfs.ENOENT && !strings.Contains(path, "/") {
		if found, e := m.find(c, path); e == nil {
			full = m.abs(c, found)
			st, err = m.FS.Stat(m.cred(), full)
		}
	}
	if err == nil && st.Mode.IsDir() {
		m.complainRaw(c, c.Shell.Name+": "+path+": Is a directory\n")
		return 126
	}
	text := ""
	if err == nil {
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
	c.Shell.Params = append([]string(nil), args[1:]...)
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
	set("OPTIND", "1", 0)
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
	level := 0
	if n, ok := t.Get("SHLVL").Int(); ok {
		level = int(n)
	}
	t.Bind("SHLVL", vars.New(itoa(level+1), vars.Export))
	t.Bind("PWD", vars.New(c.Cwd, vars.Export))
	t.Bind("UID", vars.New(itoa(int(m.Host.UID)), vars.Integer|vars.ReadOnly))
	t.Bind("EUID", vars.New(itoa(int(m.Host.UID)), vars.Integer|vars.ReadOnly))
	t.Bind("PPID", vars.New(itoa(c.Shell.PPID), vars.Integer|vars.ReadOnly))
	if t.Get("OLDPWD") == nil {
		t.Bind("OLDPWD", vars.New("", vars.Export))
		t.Own("OLDPWD").Clear()
	}
	for _, name := range specialNames {
		t.Bind(name, vars.New("", vars.Special))
	}
	c.Shell.setLocale()
}
