package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/readline"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// biCompgen prints what the given specification completes a word to. One that
// calls a function or a command, or expands a list of words, takes a frame.
func (m *Machine) biCompgen(p *Process, argv []string) int {
	c, status := m.compParse(p, "compgen", argv)
	if status >= 0 {
		return status
	}
	if c.spec.empty() {
		return 0
	}
	if c.spec.has('C') {
		m.complain(p, "compgen: warning: -C option may not work as you expect")
	}
	if c.spec.has('F') {
		m.complain(p, "compgen: warning: -F option may not work as you expect")
	}
	p.push(Frame{Kind: FCompgen, Words: m.list(p, argv), X: &Extra{}})
	return pushed
}

// Positions of compgen's frame.
const (
	compgenNames   = iota
	compgenWords   // -W
	compgenCall    // -F
	compgenReply   // its function has returned
	compgenCommand // -C
	compgenEnd
)

// stepCompgen collects the candidates, one source after the other, in Fields.
func (m *Machine) stepCompgen(p *Process, f *Frame) {
	c, status := m.compParse(p, "compgen", f.Words)
	if status >= 0 {
		m.pop(p)
		m.done(p, status)
		return
	}
	word := ""
	if len(c.args) > 0 {
		word = c.args[0]
	}
	switch f.PC {
	case compgenNames:
		f.X.Fields = m.compNames(p, &c.spec, word)
		f.PC = compgenWords
	case compgenWords:
		if c.spec.has('W') && !m.compWords(p, f, c.spec.Words, word) {
			return
		}
		f = p.top()
		f.PC = compgenCall
	case compgenCall:
		if f.PC = compgenCommand; c.spec.has('F') {
			fn, ok := p.Shell.Funcs.Get(c.spec.Func)
			if !ok {
				m.complain(p, "completion: function `%s' not found", c.spec.Func)
				return
			}
			f.PC = compgenReply
			m.compVars(p, 0)
			m.callFunction(p, fn, []string{fn.Name, "compgen", word, ""}, nil)
		}
	case compgenReply:
		if v := p.Shell.Vars.Get("COMPREPLY"); v.IsSet() {
			f.X.Fields = append(f.X.Fields, v.Values()...)
		}
		m.compForget(p, "COMPREPLY")
		f.PC = compgenCommand
	case compgenCommand:
		if c.spec.has('C') && !m.compCommand(p, f, c.spec.Command, word) {
			return
		}
		f = p.top()
		f.PC = compgenEnd
	default:
		m.compEnd(p, f, &c.spec, word)
	}
}

// compVars gives a completion function or command its variables.
func (m *Machine) compVars(p *Process, attrs vars.Attr) {
	for _, v := range []struct{ name, value string }{{"COMP_LINE", ""}, {"COMP_POINT", "0"}, {"COMP_TYPE", "0"}, {"COMP_KEY", "0"}} {
		p.Shell.Vars.Bind(v.name, vars.New(v.value, attrs))
	}
	if attrs == 0 {
		p.Shell.Vars.Bind("COMP_WORDS", vars.NewList(nil, 0))
		p.Shell.Vars.Bind("COMP_CWORD", vars.New("-1", 0))
	}
}

func (m *Machine) compForget(p *Process, names ...string) {
	for _, name := range append(names, "COMP_LINE", "COMP_POINT", "COMP_TYPE", "COMP_KEY", "COMP_WORDS", "COMP_CWORD") {
		p.Shell.Vars.Delete(name)
	}
}

// plainEnv expands without path names, as a list of words given to compgen.
type plainEnv struct{ expand.Env }

func (e plainEnv) Flags() expand.Flags { return e.Env.Flags() | expand.NoGlob }

// wordCost is about what a word that is compiled by itself takes, in bytes.
const wordCost = 512

// compWords adds the words of -W that begin with word. It gives false while a substitution runs.
func (m *Machine) compWords(p *Process, f *Frame, list, word string) bool {
	ifs := " \t\n"
	if v := p.Shell.Vars.Get("IFS"); v.IsSet() {
		ifs = v.String()
	}
	var ws []*expand.Word
	env := m.env(p)
	for i, s := range expand.SplitQuoted(env, list, ifs) {
		if i%manyWords == manyWords-1 {
			env.Charge(manyWords << 3)
			env.Need(manyWords * wordCost)
		}
		ws = append(ws, expand.CompileText(env, s))
	}
	var words []string
	done, err := m.evaluate(p, f, false, func(e expand.Env) (err error) {
		words, err = expand.Fields(plainEnv{e}, nil, ws)
		return err
	})
	if !done {
		return false
	}
	if err != nil {
		m.pop(p)
		m.expandFailed(p, err)
		return false
	}
	x := p.top().X
	for _, s := range words {
		if strings.HasPrefix(s, word) {
			x.Fields = append(x.Fields, s)
		}
	}
	return true
}

// compCommand adds the lines that the command of -C prints.
func (m *Machine) compCommand(p *Process, f *Frame, command, word string) bool {
	if f.Child == 0 && len(f.X.Memo.Entries) == 0 {
		m.compVars(p, vars.Export)
	}
	w := expand.CompileText(m.env(p), "\"$("+command+" 'compgen' "+expand.QuoteAt(word, p.Shell.bytes(), nil)+" '')\"")
	text := ""
	done, err := m.evaluate(p, f, false, func(e expand.Env) (err error) { text, err = expand.String(e, w); return err })
	if !done {
		return false
	}
	m.compForget(p)
	if err != nil {
		m.pop(p)
		m.expandFailed(p, err)
		return false
	}
	if text != "" {
		x := p.top().X
		x.Fields = append(x.Fields, strings.Split(text, "\n")...)
	}
	return true
}

// compEnd filters the candidates and prints them.
func (m *Machine) compEnd(p *Process, f *Frame, c *CompSpec, word string) {
	list := f.X.Fields
	if c.has('X') && c.Filter != "" {
		pattern, negated := strings.CutPrefix(c.Filter, "!")
		var b strings.Builder // & is the word, \& is itself
		for i := 0; i < len(pattern); i++ {
			switch {
			case pattern[i] == '&':
				b.WriteString(expand.EscapePattern(word))
			case pattern[i] == '\\' && i+1 < len(pattern) && pattern[i+1] == '&':
				i++
				b.WriteByte('&')
			default:
				b.WriteByte(pattern[i])
			}
		}
		match := expand.MeteredMatcher(m.env(p), b.String(), p.Shell.Opts.flags()|expand.ExtGlob)
		list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return match.Match(s) != negated })
	}
	option := func(name string) bool { return c.Options>>slices.Index(compOptions, name)&1 != 0 }
	if option("plusdirs") || len(list) == 0 && option("dirnames") {
		list = append(list[:len(list):len(list)], m.compFiles(p, word, true)...)
	}
	if len(list) == 0 && (option("default") || option("bashdefault")) {
		list = m.compFiles(p, word, false)
	}
	m.pop(p)
	if len(list) == 0 {
		m.done(p, 1)
		return
	}
	b := large.Builder{M: m.env(p)}
	for i, s := range list {
		if i%manyWords == manyWords-1 {
			m.charge(manyWords)
		}
		b.WriteString(c.Prefix + s + c.Suffix + "\n")
	}
	_ = m.send(p, 1, []byte(b.String())) // a write that fails is not looked at
	m.done(p, 0)
}

// compNames gives the names the actions and the glob pattern stand for.
func (m *Machine) compNames(p *Process, c *CompSpec, word string) (out []string) {
	for i, a := range compActions {
		if c.Actions>>i&1 == 0 {
			continue
		}
		if a.name == "file" || a.name == "directory" {
			out = append(out, m.compFiles(p, word, a.name == "directory")...)
			continue
		}
		for _, s := range m.compAction(p, a.name) {
			if strings.HasPrefix(s, word) {
				out = append(out, s)
			}
		}
	}
	if c.has('G') {
		if files, err := expand.Glob(m.env(p), c.Glob); err == nil {
			out = append(out, files...)
		}
	}
	return out
}

// compFiles gives the paths that begin with word, hidden ones too.
func (m *Machine) compFiles(p *Process, word string, dirs bool) (out []string) {
	dir, base := "", word
	if i := strings.LastIndexByte(word, '/'); i >= 0 {
		dir, base = word[:i+1], word[i+1:]
	}
	at := dir
	if at == "" {
		at = "."
	}
	if base != "" && strings.HasPrefix("..", base) {
		out = append(out, []string{dir + ".", dir + ".."}[len(base)-1:]...)
	}
	for after := ""; ; {
		list, err := m.env(p).ReadDir(at, after, 512)
		if err != nil || len(list) == 0 {
			return out
		}
		for _, d := range list {
			if after = d.Name; !strings.HasPrefix(d.Name, base) {
				continue
			}
			if path := dir + d.Name; !dirs || m.fileTest(p, "-d", path) {
				out = append(out, path)
			}
		}
	}
}

// compAction gives all names of one kind.
func (m *Machine) compAction(p *Process, action string) (out []string) {
	each := func(keep func(*vars.Var) bool) {
		for name, v := range p.Shell.Vars.All() {
			if keep(v) && !(name == "PIPESTATUS" && v.Is(vars.Special) && len(p.Shell.Pipe) == 0) { // nothing has run
				out = append(out, name)
			}
		}
	}
	switch action {
	case "alias":
		return p.Shell.Aliases.Keys()
	case "builtin", "helptopic":
		return bashBuiltins()
	case "binding":
		return readline.Functions(p.Shell.Editor)
	case "disabled", "enabled":
		for _, name := range bashBuiltins() {
			if p.disabled(name) == (action == "disabled") {
				out = append(out, name)
			}
		}
	case "keyword":
		return strings.Fields("if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc")
	case "function":
		return p.Shell.Funcs.Keys()
	case "variable":
		each(func(v *vars.Var) bool { return v.IsSet() || v.IsArray() && v.Assigned() || v.Is(vars.Special) })
	case "arrayvar":
		for name, v := range p.Shell.Vars.All() {
			if v := m.variable(p, name, v); v.IsArray() && (v.Assigned() || v.IsSet() || v.Is(vars.Special)) {
				out = append(out, name)
			}
		}
	case "export":
		each(exported)
	case "command":
		out = append(append(out, p.Shell.Aliases.Keys()...), m.compAction(p, "keyword")...)
		out = append(append(out, p.Shell.Funcs.Keys()...), m.compAction(p, "enabled")...)
		return append(out, m.compPath(p)...)
	case "setopt":
		return optionNames(setOptions)
	case "shopt":
		return optionNames(shoptOptions)
	case "signal":
		for n := 0; n <= sigRETURN; n++ {
			if name := signalName(n); name != "" {
				out = append(out, name)
			}
		}
	case "job", "running":
		for _, j := range p.Shell.Jobs {
			if word, _, _ := strings.Cut(j.Command, " "); !slices.ContainsFunc(j.PIDs, func(pid int) bool { c := m.proc(pid); return c == nil || c.Dead }) {
				out = append(out, word)
			}
		}
	case "user":
		return m.compFields(p, "/etc/passwd", ':')
	case "group":
		return m.compFields(p, "/etc/group", ':')
	case "service":
		return m.compFields(p, "/etc/services", ' ')
	case "hostname":
		for _, line := range m.compLines(p, "/etc/hosts") {
			if f := strings.Fields(line); len(f) > 1 {
				out = append(out, f[1:]...)
			}
		}
	}
	return out
}

// compPath gives the commands of PATH and the tools.
func (m *Machine) compPath(p *Process) (out []string) {
	for name := range m.Tools.Sorted() {
		out = append(out, name)
	}
	for dir := range strings.SplitSeq(m.pathVar(p), ":") {
		if dir == "" {
			dir = "."
		}
		for _, path := range m.compFiles(p, strings.TrimSuffix(dir, "/")+"/", false) {
			if m.runnable(p, path) == nil {
				out = append(out, path[strings.LastIndexByte(path, '/')+1:])
			}
		}
	}
	return out
}

// compLines reads a file of the system; one that is not there has no lines.
func (m *Machine) compLines(p *Process, path string) []string {
	st, err := m.FS.Stat(vfs.Cred{Root: true}, path)
	if err != nil || !st.Mode.IsRegular() || st.Size > 1<<20 {
		return nil
	}
	text, err := m.slurp(p, path)
	if err != nil {
		return nil
	}
	return strings.Split(text, "\n")
}

// compFields gives the first field of each line of a file of the system.
func (m *Machine) compFields(p *Process, path string, sep byte) (out []string) {
	for _, line := range m.compLines(p, path) {
		if name, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), string(rune(sep))); name != "" && name[0] != '#' {
			out = append(out, name)
		}
	}
	return out
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
