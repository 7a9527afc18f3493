package shell

import "eryxsh/core/expand"

// syntaxError ends a script with bash's message.
func (m *Machine) syntaxError(p *Process, f *Frame, e *SyntaxError) {
	if e.Depth {
		m.Run.Limit, m.Run.Class = "depth", "LIMIT_EXCEEDED"
	}
	own, trap := f.X.Call == "", f.X.Call == "trap"
	name := m.syntaxSource(p, f)
	if m.tellSyntax(p, e, func(line int) string {
		if name != "" {
			return name + p.numbered(line)
		}
		p.Line = line
		return m.prefix(p)
	}) {
		return
	}
	if e.list && !e.Incomplete { // as where an expansion fails
		for range max(e.Line-f.X.Line+1, 1) {
			f.I = min(lineEnd(f.X.Text, f.I)+1, len(f.X.Text))
		}
		m.discard(p, 1)
		return
	}
	if !trap && (!own || !e.stays(p.Status)) {
		p.Status = m.syntaxStatus(p, e)
	}
	o := &p.Shell.Opts
	fatal := o.on(OptPosix) && !o.on(optInteractive) && (f.X.Call == "eval" || f.X.Call == "source")
	if f.X.Call == "" {
		m.noteCalls(p, leftInside)
	}
	m.pop(p)
	if fatal {
		m.unwindExit(p, max(p.Status, 1))
		return
	}
	if e.subst && !trap || len(p.Frames) > 0 && p.top().Kind == FBottom {
		m.unwindExit(p, p.Status)
	}
}

// syntaxSource is what a message calls the text that is read, "" for what m.prefix says.
func (m *Machine) syntaxSource(p *Process, f *Frame) string {
	below := p.Frames[max(len(p.Frames)-2, 0)]
	switch {
	case f.X.Call == "eval":
		return errorName(p) + ": eval"
	case f.X.Call == "subst":
		return errorName(p) + ": command substitution"
	case f.X.Call == "trap":
		kind := "trap"
		if below.Kind == FTrap {
			switch below.N {
			case sigEXIT:
				kind = "exit trap"
			case sigERR:
				kind = "error trap"
			case sigDEBUG:
				kind = "debug trap"
			case sigRETURN:
				kind = "return trap"
			}
		}
		return errorName(p) + ": " + kind
	case f.X.Call == "" && f.X.Name == "" && below.Kind != FStdin:
		return p.Shell.Name + ": -c"
	}
	return ""
}

// stays reports whether the error leaves the status as it was: bash gives one
// only for an unexpected token, and for others where there was none.
func (e *SyntaxError) stays(status int) bool {
	return !e.subst && !e.list && (e.Cond || e.open && status != 0)
}

// syntaxStatus is the status of an error that does not leave it.
func (m *Machine) syntaxStatus(p *Process, e *SyntaxError) int {
	switch {
	case e.list, e.subst && p.Sub > 0:
		return 1
	case e.subst && m.mainFile(p) == "" && !p.Shell.Opts.on(optStdin):
		return 127
	}
	return 2
}

// tellSyntax prints a syntax error and the line it is in. With set -e the shell
// ends at the first message, which it reports.
func (m *Machine) tellSyntax(p *Process, e *SyntaxError, prefix func(line int) string) (ended bool) {
	m.warn(p, e.warn)
	list := append([]toldLine{{e.Line, e.Text}}, e.more...)
	if e.source != "" {
		list = append(list, toldLine{e.Line, "`" + expand.Decode(e.source) + "'"})
	}
	for _, t := range list {
		if t.text == "" { // some errors in [[ ]] have no words
			continue
		}
		m.complainRaw(p, prefix(t.line)+t.text+"\n")
		if p.Shell.Opts.on(OptErrexit) {
			p.Line = e.Line
			m.unwindExit(p, 2)
			return true
		}
	}
	p.Line = e.Line
	return false
}
