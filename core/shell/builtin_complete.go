package shell

import (
	"strings"

	"eryxsh/core/expand"
)

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
		return append(out, m.lib.reg.Names()...)
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
