package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd/format"
	"eryxsh/core/expand"
	"eryxsh/core/vars"
	"eryxsh/vfs/persist"
)

var errNotFound = errors.New("command not found")

// prefix begins a message: "bash: line 3: ", as bash -c and scripts do.
func (m *Machine) prefix(p *Process) string {
	name := errorName(p)
	line := m.line(p)
	if p.Shell.Opts.on(optInteractive) && name == p.Shell.Name || line == 0 {
		return name + ": "
	}
	return name + p.numbered(line)
}

// numbered is how a message gives a line, with gnu_errfmt as compilers do.
func (p *Process) numbered(line int) string {
	if p.Shell.Opts.on(OptGnuErrfmt) {
		return ":" + itoa(line) + ": "
	}
	return ": line " + itoa(line) + ": "
}

// errorName is whom a message is from: the function's file, the sourced file, or the shell.
func errorName(p *Process) string {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		switch f := &p.Frames[i]; {
		case f.Kind == FFunc:
			return orMain(f.X.Text)
		case f.Kind == FScript && f.X.Call == "source":
			return f.X.Name
		}
	}
	return p.Shell.Name
}

// line is that of the command that runs, from 1 on; a function out of the environment begins with 0.
func (m *Machine) line(p *Process) int {
	if p.Line == 0 && errorName(p) == environment {
		return 0
	}
	return max(p.Line, 1)
}

// complain writes a message with the shell's prefix to the process's stderr.
func (m *Machine) complain(p *Process, format string, args ...any) {
	text, prefix := fmt.Sprintf(format, args...), m.prefix(p)
	if p.Shell.Opts.on(OptGnuErrfmt) { // which the builtins' messages know nothing of
		if name, _, ok := strings.Cut(text, ":"); ok && builtins[name] != nil {
			prefix = errorName(p) + ": line " + itoa(m.line(p)) + ": "
		}
	}
	m.complainRaw(p, prefix+text+"\n")
}

func (m *Machine) complainRaw(p *Process, text string) {
	if m.rt.giving && m.rt.need != nil {
		return // the builtin is to be run once more
	}
	_ = m.send(p, 2, []byte(text))
}

// printable is a command's name as messages show it: quoted if it holds what cannot be printed.
func printable(name string, bytes bool) string {
	for i, r := range name {
		if unicode.IsControl(r) || bytes && r >= utf8.RuneSelf || r == utf8.RuneError && !strings.HasPrefix(name[i:], "\uFFFD") {
			return format.Quote(name, bytes, nil)
		}
	}
	return name
}

// out writes a builtin's output. It gives the builtin's status: 1 if the descriptor refuses.
func (m *Machine) out(p *Process, name string, b []byte) int {
	if err := m.send(p, 1, b); err != nil {
		if len(p.Signal) == 0 { // else it dies of SIGPIPE or SIGXFSZ
			m.complain(p, "%s: write error: %s", name, err)
		}
		return 1
	}
	return 0
}

// complainAfter is complain of a builtin that has collected output, which comes first.
func (m *Machine) complainAfter(p *Process, b *strings.Builder, name, format string, args ...any) {
	if b.Len() > 0 {
		_ = m.out(p, name, []byte(b.String()))
		b.Reset()
	}
	m.complain(p, name+": "+format, args...)
}

// expandFailed ends a command whose expansion failed, as bash does for the kind of failure.
func (m *Machine) expandFailed(p *Process, err error) {
	if err == expand.ErrNeed {
		err = errLate
	}
	e, ok := err.(*expand.Error)
	if !ok {
		m.complain(p, "%s", err)
		p.Status = 1
		m.setPipe(p, 1)
		m.afterCommand(p)
		return
	}
	m.tell(p, err)
	if e.Deep {
		m.abandon(p)
		return
	}
	if o := &p.Shell.Opts; o.on(OptPosix) && !o.on(optInteractive) && (e.Kind == expand.BadArith || e.Kind == expand.ReadOnlyVar || e.Kind == expand.BadSubst && strings.HasSuffix(e.Text, "bad substitution") && o.compat() > 43) {
		m.fail(p, m.fatalStatus(p))
		return
	}
	switch e.Kind {
	case expand.Unbound, expand.Question, expand.Fatal:
		if p.Shell.Opts.on(optInteractive) && p.Subs == 0 {
			m.discard(p, 1)
			return
		}
		m.fail(p, m.fatalStatus(p))
	case expand.Limit:
		m.stop(e.Name)
	case expand.BadArith, expand.BadLength: // set -e does not look at it
		noErr := p.NoErr
		p.NoErr = true
		m.discard(p, 1)
		p.NoErr = noErr
	case expand.NoMatch, expand.BadSubst, expand.ReadOnlyVar, expand.BadAssign, expand.BadSubscript:
		m.discard(p, 1)
	default:
		p.Status = 1
		m.setPipe(p, 1)
		m.afterCommand(p)
	}
}

// fatalStatus is what an unset variable ends a shell with: 127 in bash -c.
func (m *Machine) fatalStatus(p *Process) int {
	if _, sub := p.Frames[0].node.(*subshell); sub || p.Subs > 0 || p.Shell.Opts.on(OptErrexit) || p.Shell.Opts.on(optStdin) || m.mainFile(p) != "" {
		return 1
	}
	return 127
}

// abandon ends what bash -c runs, or the line of a script file: too many
// arguments, a wrong subscript.
func (m *Machine) abandon(p *Process) int {
	if m.mainFile(p) == "" && !slices.ContainsFunc(p.Frames, func(f Frame) bool { return f.Kind == FStdin }) {
		m.unwindExit(p, 1)
		return pushed
	}
	for p.top().Kind != FBottom && p.top().Kind != FStdin && (p.top().Kind != FScript || p.top().X.Call != "") {
		m.pop(p)
	}
	m.discard(p, 1)
	return pushed
}

// builtinFailed ends a builtin that could not assign.
func (m *Machine) builtinFailed(p *Process, name string, err error) int {
	e, ok := err.(*expand.Error)
	if ok && e.Name == "value" {
		m.complain(p, "%s: %s", name, err)
	} else {
		m.tell(p, err)
	}
	if ok && e.Deep {
		return m.abandon(p)
	}
	if ok && (e.Kind == expand.ReadOnlyVar || e.Kind == expand.BadSubscript) && m.endsWithErrors(p) {
		m.unwindExit(p, 1)
		return pushed
	}
	return 1
}

// discard gives up the whole command line, as bash does after a failed
// expansion: everything up to the text being read is undone. A subshell ends.
func (m *Machine) discard(p *Process, status int) {
	line := p.Line
	for len(p.Frames) > 0 {
		f := p.top()
		if f.Kind == FBottom {
			break
		}
		if f.Kind == FFunc {
			line = f.X.Line
		}
		if f.Kind == FStdin || f.Kind == FScript && f.X.Call != "subst" && (p.Sub == 0 || f.X.Call == "") {
			f.X.Line = line + 1 // bash goes on counting from here
			break
		}
		m.pop(p)
	}
	p.Status = status
	m.setPipe(p, status)
	if p.Shell.Opts.on(OptErrexit) && !p.NoErr {
		m.fail(p, status)
	}
}

// arithFailed ends an arithmetic command: status 1, the script goes on.
func (m *Machine) arithFailed(p *Process, pre string, err error) {
	if e, ok := err.(*expand.Error); ok {
		switch e.Kind {
		case expand.Unbound, expand.Question, expand.Limit:
			m.expandFailed(p, err)
			return
		case expand.ReadOnlyVar:
			m.complain(p, "%s", e.Text)
		default:
			if e.Deep {
				m.expandFailed(p, err)
				return
			}
			m.complain(p, "%s%s", pre, e.Text)
		}
	} else {
		m.complain(p, "%s%s", pre, err)
	}
	p.Status = 1
	m.setPipe(p, 1)
	m.afterCommand(p)
}

// assignFailed ends a command whose assignment failed. A read-only variable ends the shell's line.
func (m *Machine) assignFailed(p *Process, err error) {
	e, ok := err.(*expand.Error)
	if ok && e.Kind != expand.ReadOnlyVar && e.Kind != expand.BadSubscript {
		m.expandFailed(p, err)
		return
	}
	m.tell(p, err)
	if p.Shell.Opts.on(OptPosix) {
		m.fail(p, m.fatalStatus(p))
		return
	}
	m.discard(p, 1)
}

// traced reports whether a node is a command for which PS4 is expanded anew.
func traced(n node) bool {
	switch n.(type) {
	case *simple, *decl, *arithCmd, *testCmd, *forClause, *cFor, *caseClause:
		return true
	}
	return false
}

// promptRuns starts a command by expanding a PS4 that has commands in it. It
// reports whether there is one.
func (m *Machine) promptRuns(p *Process, n node) bool {
	ps4 := p.Shell.Vars.Get("PS4").String()
	if !traced(n) || !strings.Contains(strings.ReplaceAll(ps4, "$((", ""), "$(") && !strings.Contains(ps4, "`") {
		return false
	}
	m.stepPrompt(p, p.push(Frame{Kind: FPrompt, node: n, X: &Extra{Saved: p.Status}}))
	return true
}

// stepPrompt expands PS4, then starts the command, which it stays below.
func (m *Machine) stepPrompt(p *Process, f *Frame) {
	if f.PC == 1 {
		m.pop(p)
		return
	}
	text, n := "", f.node
	p.Line = n.at().line
	p.Shell.Opts.set(OptXtrace, false)
	done, err := m.expanded(p, f, func(e expand.Env) (err error) {
		text, err = m.promptFor(p, e, p.Shell.Vars.Get("PS4").String())
		return err
	})
	p.Shell.Opts.set(OptXtrace, true)
	if !done {
		return
	}
	f = p.top()
	if f.PC, f.X.Text, p.Status = 1, text, f.X.Saved; err != nil {
		f.X.Text = p.Shell.Vars.Get("PS4").String()
	}
	m.begin(p, n)
}

// around is the kind of the frame a command that has ended stands in.
func (p *Process) around() FrameKind {
	i := len(p.Frames) - 1
	for i > 0 && p.Frames[i].Kind == FPrompt {
		i--
	}
	return p.Frames[i].Kind
}

// ps4 is what PS4 has become for the command at hand.
func (m *Machine) ps4(p *Process) string {
	v := p.Shell.Vars.Get("PS4")
	if !v.IsSet() {
		return "+ "
	}
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if f := &p.Frames[i]; f.Kind == FPrompt && f.PC == 1 {
			return f.X.Text
		}
	}
	p.Shell.Opts.set(OptXtrace, false)
	text := m.prompt(p, v.String())
	p.Shell.Opts.set(OptXtrace, true)
	return text
}

// trace prints a line of set -x with PS4.
func (m *Machine) trace(p *Process, text string) {
	ps4 := m.ps4(p)
	if ps4 != "" { // the first character is repeated for nested shells
		depth := 0
		for _, f := range p.Frames {
			if f.Kind == FScript && (f.X.Call == "eval" || f.X.Call == "source") || f.Kind == FTrap && f.N != sigEXIT {
				depth++
			}
		}
		depth += p.Sub - p.plainSub()
		if depth > 0 {
			_, n := firstRune(ps4)
			ps4 = strings.Repeat(ps4[:n], depth) + ps4
		}
	}
	num := 2
	if v := p.Shell.Vars.Get("BASH_XTRACEFD"); v.IsSet() {
		if n, ok := number(v.String()); ok {
			num = n
		}
	}
	_ = m.send(p, num, []byte(ps4+text+"\n"))
}

// plainSub: ( ) and pipeline stages do not lengthen PS4, only $( ) does.
func (p *Process) plainSub() int { return p.Sub - p.Subs }

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}

func (m *Machine) traceWords(p *Process, words []string) {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = quoteTrace(w, p.Shell.bytes())
	}
	m.trace(p, strings.Join(q, " "))
}

// traceFor shows a for loop as it stands in the source, at each turn.
func (m *Machine) traceFor(p *Process, n *forClause) {
	kw, words := "for", ` "$@"`
	if n.menu {
		kw = "select"
	}
	if n.in {
		words = " " + wordsText(n.words)
	}
	m.trace(p, kw+" "+n.name+" in"+words)
}

// traceDecl shows a declaration: its words, with the values of assignments expanded.
func (m *Machine) traceDecl(p *Process, n *decl, x *Extra) {
	line := n.name
	for i := range x.Fields {
		line += " " + quoteTrace(x.itemText(n, i), p.Shell.bytes())
	}
	m.trace(p, line)
}

// itemText is an item of a declaration as a word: of a list its name.
func (x *Extra) itemText(n *decl, i int) string {
	text, code := x.Fields[i], x.Codes[i]
	if code <= 0 {
		return text
	}
	a := n.args[code-1]
	name := a.name
	if a.sub != nil {
		name += "[" + a.sub.Text + "]"
	}
	switch {
	case a.naked:
		return name
	case a.add:
		return name + "+=" + text
	}
	return name + "=" + text
}

// traceExport shows the assignments that export and readonly make themselves.
func (m *Machine) traceExport(p *Process, n *decl, x *Extra) {
	if n.name != "export" && n.name != "readonly" {
		return
	}
	for i, text := range x.Fields {
		if code := x.Codes[i]; code > 0 && !n.args[code-1].naked && n.args[code-1].sub == nil {
			op := "="
			if n.args[code-1].add {
				op = "+="
			}
			m.trace(p, n.args[code-1].name+op+traceValue(text, p.Shell.bytes()))
		}
	}
}

// traceValue is an assigned value in a trace.
func traceValue(s string, bytes bool) string {
	if s == "" {
		return ""
	}
	return quoteTrace(s, bytes)
}

// quoteTrace quotes a word as set -x does: only where it must be.
func quoteTrace(s string, bytes bool) string {
	if s == "" {
		return "''"
	}
	if strings.ContainsAny(s, " \t\n'\"\\|&;()<>!{}*?[]^$`") || s[0] == '#' || s[0] == '~' || strings.Contains(s, ":~") || strings.Contains(s, "=~") {
		return single(s)
	}
	if quoted := expand.QuoteAt(s, bytes, nil); quoted[0] == '$' { // it is not printable as it is
		return quoted
	}
	return s
}

// inner reports whether a script's frame reads a text inside another: of eval, a
// trap, or a substitution made at run time.
func (f *Frame) inner() bool { return f.X.Call == "eval" || f.X.Call == "trap" || f.X.Call == "subst" }

// sourceName is what BASH_SOURCE and messages call the text being run.
func (m *Machine) sourceName(p *Process) string {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := &p.Frames[i]
		switch {
		case f.Kind == FFunc:
			return f.X.Text
		case f.Kind == FScript && !f.inner():
			return f.X.Name
		}
	}
	return ""
}

// names lists every variable, the computed ones too, sorted.
func (m *Machine) names(p *Process) []string { return p.Shell.Vars.Names() }

// noticed reacts to a variable that the machine itself looks at.
func (m *Machine) noticed(p *Process, name string) {
	switch name {
	case "PATH":
		if p.Shell.Hashed.Len() > 0 {
			p.Shell.Hashed = persist.Map[Hashed]{}
		}
	case "OPTIND":
		p.Shell.Getopts = Getopts{}
	case "BASH_COMPAT":
		m.compatGiven(p)
	case "POSIXLY_CORRECT":
		p.Shell.Opts.posix(p.Shell.Vars.Get(name) != nil)
	case "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME":
		m.setLocale(p, name)
	case "GLOBIGNORE":
		if v := p.Shell.Vars.Get(name); v == nil {
			p.Shell.Opts.set(OptDotglob, false)
		} else if v.String() != "" {
			p.Shell.Opts.set(OptDotglob, true)
		}
	}
}

// readOnly is bash's error for an assignment to a read-only variable.
func readOnly(name string) error {
	return &expand.Error{Kind: expand.ReadOnlyVar, Text: name + ": readonly variable"}
}

// errSilent gives up the line without a word.
var errSilent error = &expand.Error{Kind: expand.ReadOnlyVar}

// errReported ends a shell with set -e whose error has been told.
var errReported error = &expand.Error{Kind: expand.Unbound}

// report tells of an error after which the script goes on, but not one with set -e,
// whatever the error is part of.
func (m *Machine) report(p *Process, format string, args ...any) error {
	m.complain(p, format, args...)
	if m.endsWithErrors(p) {
		return errReported
	}
	return nil
}

func (m *Machine) endsWithErrors(p *Process) bool {
	return p.Shell.Opts.on(OptErrexit) && !p.Shell.Opts.on(optInteractive)
}

// tell is complain for an error, of which there may be nothing to say.
func (m *Machine) tell(p *Process, err error) {
	if err != errSilent && err != errReported {
		m.complain(p, "%s", err)
	}
}

// exported reports whether a variable goes into the environment of commands.
func exported(v *vars.Var) bool { return v.Is(vars.Export) && v.IsSet() && !v.IsArray() }
