package shell

import (
	"fmt"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// History is where the shell's history lives: in the World, one for the shell,
// Python and RPC. The machine asks through it.
type History interface {
	// Lines gives the commands from first to last, and the number of the first.
	Lines() (first int, commands []string)
	// Clear forgets all of them.
	Clear()
	// Add appends one, as history -s does.
	Add(command string)
	// Remove forgets one by its number.
	Remove(number int) bool
}

// SetHistory gives the machine the World's history for the slice to come.
func (m *Machine) SetHistory(h History) { m.rt.history = h }

func (m *Machine) biHistory(p *Process, argv []string) int {
	args := argv[1:]
	h := m.rt.history
	if h == nil {
		return 0
	}
	limit := -1
	switch {
	case len(args) == 0 || args[0] == "list":
		if len(args) > 1 {
			limit, _ = number(args[1])
		}
	case args[0] == "clear" || args[0] == "-c":
		h.Clear()
		return 0
	case args[0] == "-d":
		if len(args) < 2 {
			m.complain(p, "history: -d: option requires an argument")
			return 2
		}
		n, ok := number(args[1])
		if !ok || !h.Remove(n) {
			m.complain(p, "history: %s: history position out of range", args[1])
			return 1
		}
		return 0
	case args[0] == "-s":
		h.Add(strings.Join(args[1:], " "))
		return 0
	case args[0] == "-w" || args[0] == "-r" || args[0] == "-a" || args[0] == "-n" || args[0] == "-p":
		m.complain(p, "eryxsh: history %s: not yet", args[0])
		m.missing("history " + args[0])
		return 2
	default:
		n, ok := number(args[0])
		if !ok {
			if strings.HasPrefix(args[0], "-") {
				return m.usage(p, "history", args[0], "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]")
			}
			m.complain(p, "history: %s: numeric argument required", args[0])
			return 1
		}
		limit = n
	}
	first, lines := h.Lines()
	if limit >= 0 && limit < len(lines) {
		first += len(lines) - limit
		lines = lines[len(lines)-limit:]
	}
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%5d  %s\n", first+i, l)
	}
	return m.out(p, "history", []byte(b.String()))
}

// missing notes a feature that is not there, for result.unsupported.
func (m *Machine) missing(what string) {
	for _, w := range m.IO.Missing {
		if w == what {
			return
		}
	}
	m.IO.Missing = append(m.IO.Missing, what)
}

func (m *Machine) notYet(p *Process, what string) int {
	m.complainRaw(p, "eryxsh: "+what+": not yet\n")
	m.missing(what)
	return 2
}

func (m *Machine) biFc(p *Process, _ []string) int { return m.notYet(p, "fc") }

func (m *Machine) biBind(p *Process, _ []string) int {
	m.complain(p, "bind: warning: line editing not enabled")
	return 0
}

// biComplete and biCompopt: completion is of no use without a terminal; it is accepted so that
// start-up files run.
func (m *Machine) biComplete(p *Process, argv []string) int {
	if argv[0] == "compopt" {
		m.complain(p, "compopt: not currently executing completion function")
		return 1
	}
	return 0
}

func (m *Machine) biCompgen(p *Process, argv []string) int {
	kinds, words, prefix := "", "", ""
	args := argv[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		for i := 1; i < len(a); i++ {
			c := a[i]
			switch {
			case strings.IndexByte("abcdefgjksuv", c) >= 0:
				kinds += string(c)
			case c == 'A' && len(args) > 0:
				kinds += map[string]string{"alias": "a", "builtin": "b", "command": "c", "directory": "d", "export": "e", "file": "f",
					"function": "F", "keyword": "k", "variable": "v", "setopt": "o", "shopt": "O", "arrayvar": "V"}[args[0]]
				args = args[1:]
			case c == 'W' && len(args) > 0:
				kinds += "W"
				words, args = args[0], args[1:]
			default:
				return m.usage(p, "compgen", "-"+string(c), "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]")
			}
		}
	}
	if len(args) > 0 {
		prefix = args[0]
	}
	var out []string
	add := func(list []string) {
		for _, s := range list {
			if strings.HasPrefix(s, prefix) {
				out = append(out, s)
			}
		}
	}
	for _, k := range kinds {
		add(m.completions(p, k, words, prefix))
	}
	if len(out) == 0 {
		return 1
	}
	return m.out(p, "compgen", []byte(strings.Join(out, "\n")+"\n"))
}

func (m *Machine) completions(p *Process, kind rune, words, prefix string) []string {
	switch kind {
	case 'a':
		return p.Shell.Aliases.Keys()
	case 'b':
		return bashBuiltins()
	case 'k':
		return keywords
	case 'F':
		return p.Shell.Funcs.Keys()
	case 'v', 'V', 'e':
		var out []string
		for name, v := range p.Shell.Vars.All() {
			if kind == 'e' && !exported(v) || kind == 'V' && !v.IsArray() {
				continue
			}
			out = append(out, name)
		}
		return out
	case 'c':
		out := append(append(bashBuiltins(), keywords...), p.Shell.Funcs.Keys()...)
		return append(out, m.rt.reg.Names()...)
	case 'W':
		f, err := expand.Fields(m.env(p), nil, []*expand.Word{expand.CompileText(words)})
		if err != nil {
			return nil
		}
		return f
	case 'o':
		return optionNames(setOptions)
	case 'O':
		return optionNames(shoptOptions)
	case 'd', 'f':
		files, err := expand.Glob(m.env(p), expand.Quote(prefix)+"*")
		if err != nil || kind == 'f' {
			return files
		}
		var dirs []string
		for _, f := range files {
			if m.fileTest(p, "-d", f) {
				dirs = append(dirs, f)
			}
		}
		return dirs
	}
	return nil
}

func bashBuiltins() []string {
	var out []string
	for _, n := range sortedKeys(builtins) {
		if !ownBuiltin(n) {
			out = append(out, n)
		}
	}
	return out
}

func optionNames(list []optionName) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = o.name
	}
	return out
}

// biCaller prints where the call of a function stands.
func (m *Machine) biCaller(p *Process, argv []string) int {
	depth := 0
	if len(argv) > 1 {
		n, ok := number(argv[1])
		if !ok {
			m.complain(p, "caller: %s: invalid number", argv[1])
			m.complainRaw(p, "caller: usage: caller [expr]\n")
			return 2
		}
		depth = n
	}
	var calls []*Frame
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if p.Frames[i].Kind == FFunc {
			calls = append(calls, &p.Frames[i])
		}
	}
	if depth >= len(calls) {
		return 1
	}
	name := "main"
	if depth+1 < len(calls) {
		name = calls[depth+1].X.Name
	}
	file := m.mainFile(p)
	if file == "" {
		file = "NULL"
		if depth+1 < len(calls) {
			file = orMain(calls[depth+1].X.Text)
		}
	}
	line := itoa(calls[depth].X.Line)
	if len(argv) == 1 {
		return m.out(p, "caller", []byte(line+" "+file+"\n"))
	}
	return m.out(p, "caller", []byte(line+" "+name+" "+file+"\n"))
}

func (m *Machine) biHelp(p *Process, argv []string) int {
	if len(argv) == 1 {
		text := "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nThese shell commands are defined internally:\n"
		return m.out(p, "help", []byte(text+" "+strings.Join(bashBuiltins(), "\n ")+"\n"))
	}
	status := 1
	for _, name := range argv[1:] {
		if strings.HasPrefix(name, "-") {
			continue
		}
		if builtins[name] == nil {
			m.complain(p, "help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", name, name, name)
			continue
		}
		status = 0
		_ = m.out(p, "help", []byte(name+": "+name+" [arguments]\n    A shell builtin; see the bash manual, section \"Shell Builtin Commands\".\n"))
	}
	return status
}

// biUlimit answers from the sandbox's own limits.
func (m *Machine) biUlimit(p *Process, argv []string) int {
	what, value := byte('f'), ""
	for _, a := range argv[1:] {
		if len(a) > 1 && a[0] == '-' {
			for i := 1; i < len(a); i++ {
				if strings.IndexByte("SHa", a[i]) < 0 {
					what = a[i]
				}
			}
			continue
		}
		value = a
	}
	if value != "" {
		if _, ok := number(value); !ok && value != "unlimited" && value != "hard" && value != "soft" {
			m.complain(p, "ulimit: %s: invalid number", value)
			return 1
		}
		return 0
	}
	text := "unlimited"
	switch what {
	case 'n':
		text = itoa(int(m.Limits.OpenFiles))
	case 'u':
		text = itoa(int(m.Limits.Processes))
	case 's':
		text = "8192"
	case 'p':
		text = "8"
	case 'c':
		text = "0"
	case 'f', 't', 'v', 'd', 'm', 'l', 'i', 'q', 'e', 'r', 'x', 'b', 'k', 'P', 'T', 'R':
	default:
		return m.usage(p, "ulimit", "-"+string(what), "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]")
	}
	return m.out(p, "ulimit", []byte(text+"\n"))
}

// biCheckpoint is a safe point the script asks for.
func (m *Machine) biCheckpoint(p *Process, argv []string) int {
	name := ""
	if len(argv) > 1 {
		name = argv[1]
	}
	m.Run.Marks = append(m.Run.Marks, name)
	return 0
}

func (m *Machine) biExtensions(p *Process, argv []string) int {
	if len(argv) > 2 && argv[1] == "info" {
		t, ok := m.Tools.Get(argv[2])
		if !ok {
			m.complain(p, "extensions: %s: not found", argv[2])
			return 1
		}
		return m.out(p, "extensions", []byte(t.Name+"\n"+t.Help+"\n"))
	}
	if len(argv) > 1 && argv[1] != "list" {
		m.complainRaw(p, "extensions: usage: extensions list | extensions info NAME\n")
		return 2
	}
	var b strings.Builder
	for name, t := range m.Tools.Sorted() {
		line, _, _ := strings.Cut(t.Help, "\n")
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-20s %s", name, line), " ") + "\n")
	}
	return m.out(p, "extensions", []byte(b.String()))
}

// Exported gives the exported variables of the shell, and Variables all of them.
func (m *Machine) Exported() map[string]string {
	out := map[string]string{}
	for name, v := range m.Procs[0].Shell.Vars.All() {
		if exported(v) {
			out[name] = v.String()
		}
	}
	return out
}

// Variables gives every scalar variable's value and every array's, by name.
func (m *Machine) Variables() map[string]*vars.Var {
	out := map[string]*vars.Var{}
	p := m.Procs[0]
	for name, v := range p.Shell.Vars.All() {
		if v.Is(vars.Special) {
			continue
		}
		if v.IsSet() || v.IsArray() {
			out[name] = v
		}
	}
	return out
}

// Setenv gives the shell an exported variable; unset removes it.
func (m *Machine) Setenv(name, value string, unset bool) error {
	if !validName(name) {
		return fmt.Errorf("%q is not a variable name", name)
	}
	m.own()
	p := m.Procs[0]
	if unset {
		p.Shell.Vars.Delete(name)
		return nil
	}
	if err := m.assign(p, name, nil, value, false); err != nil {
		return err
	}
	v := p.Shell.Vars.Own(name)
	v.SetAttrs(v.Attrs() | vars.Export)
	return nil
}
