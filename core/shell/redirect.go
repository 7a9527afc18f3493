package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
	"eryxsh/vfs"

	"mvdan.cc/sh/v3/syntax"
)

type redirResult uint8

const (
	opened redirResult = iota
	again              // a substitution or a FIFO is waited for
	failed             // said so on stderr
)

// redirect opens the redirections of the frame one after the other, from
// number f.I, and keeps in the frame what they replaced.
func (m *Machine) redirect(p *Process, f *Frame, rs []*redir) redirResult {
	apart := len(rs) > 0 && p.apart(f)
	for f.I < len(rs) {
		r := rs[f.I]
		var target string
		m.rt.env.apart = apart
		ok, err := m.evaluate(p, f, r.memo, func(e expand.Env) (err error) {
			target, err = m.target(e, r)
			return err
		})
		m.rt.env.apart = false
		if !ok {
			return again
		}
		if err != nil {
			return m.redirError(p, err, apart)
		}
		f = p.top()
		f.I++
		file, res := m.redirectOne(p, f, r, target)
		if res != opened {
			return res
		}
		if file >= 0 && !m.rendezvous(file) {
			p.Wait = Wait{Kind: WaitsOpen, File: file}
			return again
		}
	}
	return opened
}

// apart reports whether the redirections of a frame are those of an external
// command. bash opens them in the command's process: what they assign is not
// seen outside, and an error ends the command alone.
func (p *Process) apart(f *Frame) bool {
	if f.Kind != FSimple || len(f.Words) == 0 {
		return false
	}
	words := f.Words
	if p.defines(words[0]) && !(p.Shell.Opts.on(OptPosix) && p.special(words[0])) {
		return false
	}
	for words[0] == "command" && !p.disabled("command") && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		words = words[1:]
	}
	return builtins[words[0]] == nil || p.disabled(words[0])
}

func (m *Machine) redirError(p *Process, err error, apart bool) redirResult {
	e, ok := err.(*expand.Error)
	switch {
	case !ok:
	case apart && !e.Deep && e.Kind != expand.Limit:
		m.tell(p, err)
		if e.Kind == expand.Unbound || e.Kind == expand.Question {
			p.top().N = m.fatalStatus(p)
		}
		return failed
	case e.Kind == expand.Unbound, e.Kind == expand.Question, e.Deep, e.Kind == expand.BadArith, e.Kind == expand.BadSubst, e.Kind == expand.NoMatch, e.Kind == expand.Limit:
		m.expandFailed(p, err)
		return again
	}
	m.complain(p, "%s", err)
	return failed
}

// target gives what a redirection's word or document expands to.
func (m *Machine) target(e expand.Env, r *redir) (string, error) {
	switch r.op {
	case syntax.Hdoc, syntax.DashHdoc:
		return expand.HereDoc(e, r.doc)
	case syntax.WordHdoc:
		return expand.String(e, r.word)
	}
	return expand.Redirect(e, r.word)
}

// redirectOne does one redirection; it gives the description it opened, or -1.
func (m *Machine) redirectOne(p *Process, f *Frame, r *redir, target string) (int, redirResult) {
	num := r.fd
	if num < 0 {
		num = 1
		switch r.op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			num = 0
		}
	}
	flags := -1
	if p.Shell.Opts.on(optRestricted) && writes(r.op) {
		m.complain(p, "%s: restricted: cannot redirect output", target)
		return -1, failed
	}
	switch r.op {
	case syntax.Hdoc, syntax.DashHdoc:
		return m.install(p, f, r, num, m.newFile(OFD{Kind: FileText, Text: m.document(p, target, "")}), target)
	case syntax.WordHdoc:
		return m.install(p, f, r, num, m.newFile(OFD{Kind: FileText, Text: m.document(p, target, "\n")}), target)
	case syntax.DplIn, syntax.DplOut:
		return m.duplicate(p, f, r, num, target)
	case syntax.RdrIn:
		flags = vfs.O_RDONLY
	case syntax.RdrInOut:
		flags = vfs.O_RDWR | vfs.O_CREAT
	case syntax.AppOut, syntax.AppAll:
		flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_APPEND
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_TRUNC
		if r.op != syntax.RdrClob && p.Shell.Opts.on(OptNoClobber) {
			if st, err := m.FS.Stat(m.at(p), target); err == nil && st.Mode.IsRegular() {
				m.complain(p, "%s: cannot overwrite existing file", target)
				return -1, failed
			}
		}
	default:
		m.complain(p, "eryxsh: redirection %s: not yet", r.op)
		return -1, failed
	}
	file, err := m.open(p, target, flags, 0o666)
	if err != nil {
		m.complain(p, "%s: %s", target, err)
		return -1, failed
	}
	if _, res := m.install(p, f, r, num, file, target); res != opened {
		return -1, res
	}
	if r.op == syntax.RdrAll || r.op == syntax.AppAll {
		m.replace(p, f, 2, m.ref(file))
	}
	return file, opened
}

// document is a text to read from, which may be long.
func (m *Machine) document(p *Process, text, end string) []byte {
	b := large.Push(make([]byte, 0, len(text)+len(end)), text, m.env(p))
	return append(b, end...)
}

// writes reports whether a redirection opens a file to write to it.
func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.RdrClob, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		return true
	}
	return false
}

// install puts a description, of what target names, at num, or at a fresh number for {name}>.
func (m *Machine) install(p *Process, f *Frame, r *redir, num, file int, target string) (int, redirResult) {
	m.charge(len(p.FDs) >> 7)
	if r.name != "" {
		if num = p.free(10); num >= m.openFiles(p) {
			m.unref(file)
			m.complainRaw(p, errorName(p)+": redirection error: cannot duplicate fd: "+vfs.EMFILE.Error()+"\n")
			m.complain(p, "%s: %s", target, vfs.EMFILE)
			return -1, failed
		}
		if f.Kind == FSimple && len(f.Words) == 0 { // without a command bash does it in a process of its own
			if validName(r.name) {
				x := f.x()
				x.Vars = append(x.Vars, Saved{Name: r.name, Var: p.Shell.Vars.Bind(r.name, vars.New(itoa(num), 0))})
			}
			m.replace(p, f, num, file)
			return file, opened
		}
		base, text := splitRef(r.name)
		var sub *expand.Sub
		if text != "" {
			sub = expand.SubText(m.env(p), text)
		}
		if err := m.assign(p, base, sub, itoa(num), false); err != nil {
			m.unref(file)
			m.complain(p, "%s", err)
			return -1, failed
		}
		if p.Shell.Opts.on(OptVarredirClose) {
			m.replace(p, f, num, file)
		} else {
			p.put(num, file, false) // stays open after the command
		}
		return file, opened
	}
	if num >= m.openFiles(p) {
		m.unref(file)
		if r.op != syntax.DplIn && r.op != syntax.DplOut {
			target = itoa(num)
		}
		m.complain(p, "%s: %s", target, vfs.EBADF)
		return -1, failed
	}
	m.replace(p, f, num, file)
	return file, opened
}

// replace makes num refer to file, keeping what it referred to in the frame.
func (m *Machine) replace(p *Process, f *Frame, num, file int) {
	exec := false
	for _, d := range p.FDs {
		if d.Num == num {
			exec = d.Exec
		}
	}
	old := p.put(num, file, false)
	f.x().Saves = append(f.X.Saves, Save{Num: num, File: old, Exec: exec})
}

// duplicate does n>&m, n>&- and n>&m-.
func (m *Machine) duplicate(p *Process, f *Frame, r *redir, num int, target string) (int, redirResult) {
	if target == "-" {
		if r.name != "" {
			n, ok := m.redirVar(p, r.name)
			if !ok && p.Shell.Vars.Get(r.name).String() != "" {
				return -1, opened // what is no number is no descriptor, and nothing is closed
			}
			if !ok {
				m.complain(p, "%s: ambiguous redirect", r.name)
				return -1, failed
			}
			if old := p.take(n); old >= 0 {
				m.unref(old)
			}
			return -1, opened
		}
		old := p.take(num)
		f.x().Saves = append(f.X.Saves, Save{Num: num, File: old})
		return -1, opened
	}
	written := target == r.word.Text()
	move := len(target) > 1 && target[len(target)-1] == '-' && strings.HasSuffix(r.word.Text(), "-")
	from, ok := number(target)
	if move {
		from, ok = number(target[:len(target)-1])
	}
	if !ok {
		if r.op == syntax.DplOut && (r.fd < 0 || r.fd == 1) && r.name == "" { // >&word is &>word
			all := *r
			all.op = syntax.RdrAll
			return m.redirectOne(p, f, &all, target)
		}
		if r.name != "" {
			target = r.name
		}
		m.complain(p, "%s: ambiguous redirect", target)
		return -1, failed
	}
	file, ok := p.fd(from)
	if !ok {
		switch { // which of the two is bad bash has to guess
		case written:
			target = itoa(from)
		case num == 0 && r.op == syntax.DplIn, num == 1 && r.op == syntax.DplOut:
			target = r.word.Text()
		default:
			target = itoa(num)
		}
		m.complain(p, "%s: %s", target, vfs.EBADF)
		return -1, failed
	}
	if from == num && !move && r.name == "" {
		return -1, opened
	}
	if _, res := m.install(p, f, r, num, m.ref(file), target); res != opened {
		return -1, res
	}
	if move {
		old := p.take(from)
		f.x().Saves = append(f.X.Saves, Save{Num: from, File: old})
	}
	return -1, opened
}

// redirVar is the descriptor that the variable of {name}>&- holds.
func (m *Machine) redirVar(p *Process, name string) (int, bool) {
	base, sub := splitRef(name)
	v := m.env(p).Var(base)
	if sub != "" {
		v = elementOf(m, p, base, v, sub)
	}
	return number(v.String())
}

// keep makes the redirections of the frame permanent, as exec does.
func (m *Machine) keep(f *Frame) {
	if f.X == nil {
		return
	}
	for _, s := range f.X.Saves {
		if s.File >= 0 {
			m.unref(s.File)
		}
	}
	f.X.Saves = nil
}

// assign gives a variable a value: namerefs are followed, attributes applied,
// read-only variables refused.
func (m *Machine) assign(p *Process, name string, sub *expand.Sub, value string, add bool) error {
	return m.assignEnv(p, m.env(p), name, sub, value, add)
}

func (m *Machine) assignEnv(p *Process, e expand.Env, name string, sub *expand.Sub, value string, add bool) error {
	t := p.Shell.Vars
	v := t.Get(name)
	if v != nil && v.Attrs()&(vars.Nameref|vars.ReadOnly|vars.Special|vars.Integer|vars.Lower|vars.Upper|vars.Capital) == 0 && sub == nil && !v.IsArray() {
		m.retainMore(v, value, add)
		v = t.Owned(name, v)
		if add {
			v.AppendString(value)
		} else {
			v.SetString(value)
		}
		if v.Is(vars.Export) || len(name) <= len("BASH_COMPAT") {
			m.noticed(p, name)
		}
		if p.Shell.Opts.on(OptAllexport) {
			v.SetAttrs(v.Attrs() | vars.Export)
		}
		m.hold(len(value))
		return nil
	}
	return m.assignSlow(p, e, name, sub, value, add)
}
