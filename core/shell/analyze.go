package shell

import (
	"eryxsh/core/expand"
)

// Analyzed is a command of a script that was read and not run.
type Analyzed struct {
	Name      string   // "" where it is computed
	Args      []string // a computed word is its source text
	Redirects []AnalyzedRedirect
	Opaque    bool // the name, or text it would run, is computed
	Line      int  // from 1
	Column    int  // from 1, in bytes
	Kind      string
}

// AnalyzedRedirect is a redirection of an analyzed command.
type AnalyzedRedirect struct {
	Op, Target string
	Opaque     bool // the target is computed
}

// Analyze reads a script as the shell would and gives its commands in source
// order, those inside substitutions and functions too. Nothing runs. A syntax
// error anywhere, or input nested too deeply, is a *SyntaxError.
func (m *Machine) Analyze(script string) ([]Analyzed, error) {
	text := expand.Encode([]byte(script))
	a := analyzer{m: m, funcs: map[string]bool{}}
	line := 1
	for off := 0; ; {
		u, next, err := nextUnit(nil, text, off, line)
		if err != nil {
			return nil, err
		}
		if u == nil {
			break
		}
		a.unit(u)
		for ; off < next; off++ {
			if text[off] == '\n' {
				line++
			}
		}
	}
	for i := range a.out {
		a.out[i].Kind = a.kind(a.out[i].Name)
	}
	return a.out, nil
}

type analyzer struct {
	m     *Machine
	out   []Analyzed
	funcs map[string]bool

	around []*redir // of the compound commands around the next command
}

// unit adds the commands of a unit: every simple command has a node, wherever it stands.
func (a *analyzer) unit(u *Unit) {
	redirs := map[node][]*redir{} // of compound commands: told with the command inside that comes first
	for _, n := range u.nodes {
		switch x := n.(type) {
		case *funcDecl:
			a.funcs[x.name] = true
		case *stmt:
			if len(x.redirs) > 0 {
				redirs[x.cmd] = x.redirs
			}
		}
	}
	for _, n := range u.nodes {
		switch x := n.(type) {
		case *simple:
			if len(x.words) > 0 || len(x.redirs) > 0 {
				a.add(n, x.words, x.redirs)
			}
		case *decl:
			c := a.add(n, nil, x.redirs)
			c.Name, c.Opaque = x.name, false
			for _, as := range x.args {
				c.Args = append(c.Args, as.text())
			}
		default:
			a.around = append(a.around, redirs[n]...)
		}
	}
	if len(a.around) > 0 && len(u.nodes) > 0 { // around nothing that is a command
		a.add(u.nodes[0], nil, nil)
	}
}

func (a *analyzer) add(n node, words []*expand.Word, redirs []*redir) *Analyzed {
	at := n.at()
	c := Analyzed{Line: at.line, Column: column(at)}
	computed := false
	for i, w := range words {
		s, ok := w.Literal()
		if i == 0 {
			c.Name, c.Opaque = s, !ok
			continue
		}
		if !ok {
			s, computed = w.Text(), true
		}
		c.Args = append(c.Args, s)
	}
	switch c.Name {
	case "eval", "source", ".", "bash", "sh", "exec", "command", "builtin", "env", "xargs", "trap", "alias":
		c.Opaque = c.Opaque || computed // what it runs is computed
	}
	redirs = append(redirs[:len(redirs):len(redirs)], a.around...)
	a.around = nil
	for _, r := range redirs {
		if r.implied {
			continue
		}
		d := AnalyzedRedirect{Op: r.op.String()}
		if r.fd >= 0 {
			d.Op = itoa(r.fd) + d.Op
		}
		if r.word != nil {
			s, ok := r.word.Literal()
			if !ok {
				s = r.word.Text()
			}
			d.Target, d.Opaque = s, !ok
		} else {
			d.Target = r.delim
		}
		c.Redirects = append(c.Redirects, d)
	}
	a.out = append(a.out, c)
	return &a.out[len(a.out)-1]
}

// column is a place's column in its line, from 1.
func column(p *place) int {
	t := p.unit.Text[:min(int(p.addr.Start), len(p.unit.Text))]
	col := 1
	for i := len(t) - 1; i >= 0 && t[i] != '\n'; i-- {
		col++
	}
	return col
}

func (a *analyzer) kind(name string) string {
	p := a.m.Procs[0]
	_, tool := a.m.Tools.Get(name)
	_, fn := p.Shell.Funcs.Get(name)
	switch {
	case name == "":
		return "unknown"
	case fn || a.funcs[name]:
		return "function"
	case builtins[name] != nil:
		return "builtin"
	case tool:
		return "tool"
	case a.m.lib.reg.Lookup(name) != nil || name == "bash" || name == "sh":
		return "utility"
	}
	return "unknown"
}
