package awk

import "strings"

// extensions are the loadable libraries of gawk that are here, each with its functions.
var extensions = map[string]map[string]builtin{
	"ordchr":   {"ord": {fnOrd, 1, 1}, "chr": {fnChr, 1, 1}},
	"readfile": {"readfile": {fnReadfile, 1, 1}},
	"time":     {"gettimeofday": {fnGettimeofday, 0, 0}, "sleep": {fnSleep, 1, 1}},
}

// builtinOf is a function of awk or of an extension.
func builtinOf(name string) builtin {
	b := builtins[name]
	for _, functions := range extensions {
		if f, ok := functions[name]; ok {
			b = f
		}
	}
	return b
}

// load reads @load "library" from its keyword on, which ends at end: from there on its functions are known.
func (l *lexer) load(t lexeme, end int) lexeme {
	rest := strings.TrimLeft(l.src[end:], " \t")
	name, _, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`)
	if !ok || rest[0] != '"' {
		l.fatal(t, 1, "error: @load must be given a library's name")
	}
	functions, ok := extensions[name]
	if !ok {
		l.fatal(t, 2, "fatal: load_ext: cannot open library `%s': no such extension here", name)
	}
	if l.loaded == nil {
		l.loaded = map[string]bool{}
	}
	for f := range functions {
		l.loaded[f] = true
	}
	l.pos = len(l.src) - len(rest) + len(name) + 2
	if after := strings.TrimLeft(l.src[l.pos:], " \t"); strings.HasPrefix(after, ";") {
		l.pos = len(l.src) - len(after) + 1
	}
	t.kind = tNewline
	return t
}

// extension carries out a function of a library.
func (p *Program) extension(fn uint8, args []Value) Value {
	switch fn {
	case fnOrd:
		if s := p.str(&args[0]); s != "" {
			return num(float64(s[0]))
		}
		return num(0)
	case fnChr:
		return str(string([]byte{byte(int64(args[0].num()))}))
	case fnReadfile:
		text, err := p.readSource(p.str(&args[0]))
		if err != nil {
			p.failed(err)
			return str("")
		}
		p.spend(len(text))
		return str(text)
	}
	return num(float64(p.c.Now()/1000) / 1e6)
}
