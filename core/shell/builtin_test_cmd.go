package shell

import (
	"strconv"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/regex"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// biTest is test and [: POSIX decides by the number of arguments.
func (m *Machine) biTest(p *Process, argv []string) int {
	args := argv[1:]
	if argv[0] == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			m.complain(p, "[: missing `]'")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := tester{m: m, p: p, name: argv[0], args: args}
	ok := t.decide()
	if t.err != "" {
		m.complain(p, "%s: %s", argv[0], t.err)
		return 2
	}
	return boolStatus(ok)
}

// tester evaluates the arguments of one test.
type tester struct {
	m     *Machine
	p     *Process
	name  string
	args  []string
	i     int
	depth int
	err   string
}

func (t *tester) fail(s string) bool {
	if t.err == "" {
		t.err = s
	}
	return false
}

func (t *tester) decide() bool {
	a := t.args
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		if a[0] == "!" {
			return a[1] == ""
		}
		if isUnary(a[0]) {
			return t.unary(a[0], a[1])
		}
		return t.fail(a[0] + ": unary operator expected")
	case 3:
		return t.three(a)
	case 4:
		if a[0] == "!" {
			return !t.three(a[1:])
		}
		if a[0] == "(" && a[3] == ")" {
			t.args = a[1:3]
			return t.decide()
		}
	}
	ok := t.or()
	if t.err == "" && t.i < len(t.args) {
		if strings.HasPrefix(t.args[t.i], "-") {
			return t.fail("syntax error: `" + t.args[t.i] + "' unexpected")
		}
		return t.fail("too many arguments")
	}
	return ok
}

func (t *tester) three(a []string) bool {
	switch {
	case isBinary(a[1]):
		return t.binary(a[0], a[1], a[2])
	case a[1] == "-a":
		return a[0] != "" && a[2] != ""
	case a[1] == "-o":
		return a[0] != "" || a[2] != ""
	case a[0] == "!":
		t.args = a[1:]
		return !t.decide()
	case a[0] == "(" && a[2] == ")":
		return a[1] != ""
	}
	return t.fail(a[1] + ": binary operator expected")
}

func (t *tester) or() bool {
	v := t.and()
	for t.err == "" && t.i < len(t.args) && t.args[t.i] == "-o" {
		t.i++
		v = t.and() || v
	}
	return v
}

func (t *tester) and() bool {
	v := t.term()
	for t.err == "" && t.i < len(t.args) && t.args[t.i] == "-a" {
		t.i++
		v = t.term() && v
	}
	return v
}

// maxTest bounds parentheses and negations.
const maxTest = 1000

func (t *tester) term() bool {
	if t.depth++; t.depth > maxTest {
		return t.fail("expression nested too deeply")
	}
	defer func() { t.depth-- }()
	if t.i >= len(t.args) {
		return t.fail("argument expected")
	}
	a := t.args[t.i]
	left := len(t.args) - t.i
	switch {
	case a == "!":
		t.i++
		return !t.term()
	case a == "(":
		t.i++
		v := t.or()
		if t.err == "" && (t.i >= len(t.args) || t.args[t.i] != ")") {
			return t.fail("`)' expected")
		}
		t.i++
		return v
	case left >= 3 && isBinary(t.args[t.i+1]):
		t.i += 3
		return t.binary(a, t.args[t.i-2], t.args[t.i-1])
	case a == "-t": // takes a number only
		t.i++
		if left < 2 {
			return true // a string
		}
		if _, ok := number(t.args[t.i]); !ok {
			return false
		}
		t.i++
		return t.unary(a, t.args[t.i-1])
	case left >= 2 && isUnary(a) && !(left >= 3 && (t.args[t.i+1] == "-a" || t.args[t.i+1] == "-o")):
		t.i += 2
		return t.unary(a, t.args[t.i-1])
	}
	t.i++
	return a != ""
}

func isUnary(s string) bool {
	return len(s) == 2 && s[0] == '-' && strings.IndexByte("abcdefghknoprstuvwxzGLNORS", s[1]) >= 0
}

func isBinary(s string) bool {
	switch s {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

func (t *tester) unary(op, s string) bool {
	switch op {
	case "-n":
		return s != ""
	case "-z":
		return s == ""
	}
	return t.m.fileTest(t.p, op, s)
}

// fileTest is the unary operators that look at files, options and variables.
func (m *Machine) fileTest(p *Process, op, s string) bool {
	switch op {
	case "-o":
		o, ok := findOption(setOptions, s)
		return ok && p.Shell.Opts.on(o.opt)
	case "-v":
		return m.isSet(p, s)
	case "-R":
		v := p.Shell.Vars.Get(s)
		return v.Is(vars.Nameref) && v.String() != ""
	case "-t":
		return false
	}
	if s == "" {
		return false
	}
	var st vfs.Stat
	var err error
	if n, ok := devFD(m.byLetters(p, s)); ok {
		file, open := p.fd(n)
		if !open {
			return false
		}
		st, err = m.fstat(file)
	} else if op == "-h" || op == "-L" {
		st, err = m.FS.Lstat(m.at(p), s)
	} else {
		st, err = m.FS.Stat(m.at(p), s)
	}
	if err != nil {
		st, err = m.statTool(p, s, err)
	}
	if err != nil {
		return false
	}
	kind := st.Mode & vfs.TypeMask
	switch op {
	case "-a", "-e":
		return true
	case "-b", "-S":
		return false
	case "-c":
		return kind == vfs.TypeChar
	case "-d":
		return kind == vfs.TypeDir
	case "-f":
		return kind == vfs.TypeFile
	case "-g":
		return st.Mode&vfs.SetGID != 0
	case "-h", "-L":
		return kind == vfs.TypeLink
	case "-k":
		return st.Mode&vfs.Sticky != 0
	case "-p":
		return kind == vfs.TypeFifo
	case "-r":
		return m.access(p, s, vfs.R_OK) == nil
	case "-w":
		return m.access(p, s, vfs.W_OK) == nil
	case "-x":
		return m.access(p, s, vfs.X_OK) == nil
	case "-s":
		return st.Size > 0
	case "-u":
		return st.Mode&vfs.SetUID != 0
	case "-G":
		return st.GID == m.Host.GID
	case "-O":
		return st.UID == m.Host.UID
	case "-N":
		return st.Mtime > st.Atime
	}
	return false
}

// isSet is -v: a name, a positional parameter, name[subscript].
func (m *Machine) isSet(p *Process, name string) bool {
	if n, ok := number(name); ok {
		return n <= len(p.Shell.Params)
	}
	base, sub := splitRef(name)
	e := m.env(p)
	v := e.Var(base)
	if sub == "" {
		if v.IsArray() {
			if v.Is(vars.Assoc) {
				_, ok := v.Key("0")
				return ok
			}
			_, ok := v.Index(0)
			return ok
		}
		return v.IsSet()
	}
	if (sub == "@" || sub == "*") && (!v.Is(vars.Assoc) || p.Shell.Opts.compat() <= 51) {
		return v.Len() > 0
	}
	if v.Is(vars.Assoc) {
		key := unquoteKey(sub)
		if s, err := expand.SubText(e, sub).Resolve(e, base, v); err == nil {
			key = s.Text
		}
		_, ok := v.Key(key)
		return ok
	}
	at, err := expand.SubText(e, sub).Resolve(e, base, v)
	if err != nil {
		if bad, ok := err.(*expand.Error); ok && bad.Kind == expand.BadSubscript {
			m.complain(p, "%s: bad array subscript", base)
		}
		return false
	}
	if !v.IsArray() {
		return at.Num == 0 && v.IsSet()
	}
	_, ok := v.Index(at.Num)
	return ok
}

func (t *tester) binary(x, op, y string) bool {
	switch op {
	case "=", "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case ">":
		return x > y
	case "-nt", "-ot", "-ef":
		return t.m.compareFiles(t.p, x, op, y)
	}
	a, ok1 := testInt(x)
	if !ok1 {
		return t.fail(x + ": integer expression expected")
	}
	b, ok2 := testInt(y)
	if !ok2 {
		return t.fail(y + ": integer expression expected")
	}
	return compareInts(a, op, b)
}

// testInt reads an integer as test does: blanks around it, a sign.
func testInt(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseInt(strings.TrimLeft(strings.Trim(s, " \t\n"), "+"), 10, 64)
	return n, err == nil
}

func compareInts(a int64, op string, b int64) bool {
	switch op {
	case "-eq":
		return a == b
	case "-ne":
		return a != b
	case "-lt":
		return a < b
	case "-le":
		return a <= b
	case "-gt":
		return a > b
	}
	return a >= b
}

func (m *Machine) compareFiles(p *Process, x, op, y string) bool {
	a, err1 := m.FS.Stat(m.cred(), m.abs(p, x))
	b, err2 := m.FS.Stat(m.cred(), m.abs(p, y))
	switch op {
	case "-nt":
		return err1 == nil && (err2 != nil || a.Mtime > b.Mtime)
	case "-ot":
		return err2 == nil && (err1 != nil || a.Mtime < b.Mtime)
	}
	return err1 == nil && err2 == nil && a.Ino == b.Ino
}

// stepTest is [[ ]] with a substitution: one operand after the other. What an
// operand found is kept in the frame and not looked at again when a later one
// waits for a command.
func (m *Machine) stepTest(p *Process, f *Frame) {
	n := f.node.(*testCmd)
	p.Line = n.line
	for {
		known := f.x().Codes
		ok, x := n.expr.decide(&known)
		if x == nil {
			m.pop(p)
			m.testDone(p, ok, nil)
			return
		}
		done, err := m.expanded(p, f, func(e expand.Env) (err error) { ok, err = m.testOperand(p, e, x); return err })
		if !done {
			return
		}
		if err != nil {
			m.pop(p)
			m.testDone(p, false, err)
			return
		}
		f = p.top()
		f.X.Codes = append(f.X.Codes, boolStatus(ok))
	}
}

// decide gives the value of an expression of which the first operands'
// statuses are known, or else the operand that comes next.
func (x *testExpr) decide(known *[]int) (bool, *testExpr) {
	switch {
	case x.op == "!" && x.x != nil:
		ok, next := x.x.decide(known)
		return !ok, next
	case x.op == "&&", x.op == "||":
		ok, next := x.x.decide(known)
		if next != nil || ok == (x.op == "||") {
			return ok, next
		}
		return x.y.decide(known)
	case len(*known) == 0:
		return false, x
	}
	status := (*known)[0]
	*known = (*known)[1:]
	return (status == 0) != x.not, nil
}

func (m *Machine) test(p *Process, n *testCmd) {
	p.Line = n.line
	ok, err := m.testExpr(p, m.env(p), n.expr)
	if err == expand.ErrNeed {
		p.push(Frame{Kind: FTest, node: n})
		return
	}
	m.testDone(p, ok, err)
}

func (m *Machine) testDone(p *Process, ok bool, err error) {
	status := boolStatus(ok)
	if err != nil {
		if te, isTest := err.(*testError); isTest {
			if te.text != "" {
				m.complain(p, "%s", te.text)
			}
			status = te.status
		} else {
			m.expandFailed(p, err)
			return
		}
	}
	p.Status = status
	m.setPipe(p, status)
	m.afterCommand(p)
}

// operandError makes an operand of -eq that is no expression [[ ]]'s own failure.
func operandError(err error) error {
	if e, ok := err.(*expand.Error); ok && e.Kind == expand.BadArith && !e.Deep {
		return &testError{text: "[[: " + e.Text, status: 1}
	}
	return err
}

// testError is [[ ]]'s own failure.
type testError struct {
	text   string
	status int
}

func (e *testError) Error() string { return e.text }

// testExpr evaluates a conditional expression; its depth was bounded when it was parsed.
func (m *Machine) testExpr(p *Process, e expand.Env, x *testExpr) (bool, error) {
	switch x.op {
	case "!":
		if x.x != nil {
			ok, err := m.testExpr(p, e, x.x)
			return !ok, err
		}
	case "&&":
		ok, err := m.testExpr(p, e, x.x)
		if err != nil || !ok {
			return false, err
		}
		return m.testExpr(p, e, x.y)
	case "||":
		ok, err := m.testExpr(p, e, x.x)
		if err != nil || ok {
			return ok, err
		}
		return m.testExpr(p, e, x.y)
	}
	ok, err := m.testOperand(p, e, x)
	return ok != x.not, err
}

// testOperand evaluates an expression without !, && and ||.
func (m *Machine) testOperand(p *Process, e expand.Env, x *testExpr) (bool, error) {
	left, err := expand.String(e, x.word)
	if err != nil {
		return false, err
	}
	trace := p.Shell.Opts.on(OptXtrace)
	if x.with == nil {
		if trace {
			op := x.op
			if op == "" {
				op = "-n"
			}
			m.traceTest(p, x, op+" "+quotePattern(left))
		}
		switch x.op {
		case "", "-n":
			return left != "", nil
		case "-z":
			return left == "", nil
		}
		ask := func() bool { return m.fileTest(p, x.op, left) }
		if r, ok := e.(*expand.Recorder); ok {
			return r.Once(ask), nil
		}
		return ask(), nil
	}
	return m.testBinary(p, e, x, left, trace)
}

func (m *Machine) traceTest(p *Process, x *testExpr, text string) {
	if x.not {
		text = "! " + text
	}
	m.trace(p, "[[ "+text+" ]]")
}

func (m *Machine) testBinary(p *Process, e expand.Env, x *testExpr, left string, trace bool) (bool, error) {
	show := func(right string) {
		if trace {
			m.traceTest(p, x, quotePattern(left)+" "+x.op+" "+quotePattern(right))
		}
	}
	switch x.op {
	case "=", "==", "!=":
		flags := e.Flags() | expand.ExtGlob
		if !trace {
			ok, err := expand.Matches(e, x.with, left, flags)
			return ok == (x.op != "!="), err
		}
		pat, err := expand.QuotedPattern(e, x.with)
		if err != nil {
			return false, err
		}
		show(pat)
		return expand.Match(pat, left, flags) == (x.op != "!="), nil
	case "=~":
		read := expand.Regexp
		if p.Shell.Opts.compat() <= 31 { // quotes mean nothing to it
			read = expand.String
		}
		re, err := read(e, x.with)
		if err != nil {
			return false, err
		}
		show(re)
		return m.matchRegexp(p, left, re)
	}
	right, err := expand.String(e, x.with)
	if err != nil {
		return false, err
	}
	show(right)
	switch x.op {
	case "<":
		return left < right, nil
	case ">":
		return left > right, nil
	case "-nt", "-ot", "-ef":
		ask := func() bool { return m.compareFiles(p, left, x.op, right) }
		if r, ok := e.(*expand.Recorder); ok {
			return r.Once(ask), nil
		}
		return ask(), nil
	}
	a, err := expand.EvalString(e, left)
	if err != nil {
		return false, operandError(err)
	}
	b, err := expand.EvalString(e, right)
	if err != nil {
		return false, operandError(err)
	}
	return compareInts(a, x.op, b), nil
}

func quotePattern(s string) string {
	if s == "" {
		return "''"
	}
	return s
}

// muchText is what a text takes that is asked for before it is copied.
const muchText = 1 << 20

// matchRegexp is =~: the match and its groups go to BASH_REMATCH.
func (m *Machine) matchRegexp(p *Process, s, pattern string) (bool, error) {
	re, err := m.regexp(pattern, p.Shell.Opts.on(OptNocasematch), p.Shell.bytes())
	if err != nil {
		return false, &testError{text: "", status: 2}
	}
	loc := make([]int, 2*(re.NumSubexp()+1))
	if len(s) > 1<<16 {
		m.charge(len(s) >> 10)
	}
	if len(s) >= muchText {
		m.needMore(int64(len(s)))
	}
	found, err := re.Find([]byte(s), 0, loc)
	if len(s) >= muchText {
		m.needMore(-int64(len(s)))
	}
	m.charge(re.Work() / 8)
	if err != nil {
		m.stop("regex_steps")
	}
	if !found {
		loc = nil
	}
	const name = "BASH_REMATCH"
	return loc != nil, m.onGlobal(p, name, func() error { // a function's own is left alone
		setGroups(p.Shell.Vars.Own(name), s, loc)
		return nil
	})
}

// setGroups makes a variable the array of the groups of a match, none if there is none.
func setGroups(v *vars.Var, s string, loc []int) {
	v.SetAttrs(v.Attrs() &^ vars.ReadOnly)
	v.Clear()
	v.MakeIndexed()
	v.SetAssigned()
	for i := 0; i+1 < len(loc); i += 2 {
		g := ""
		if loc[i] >= 0 {
			g = s[loc[i]:loc[i+1]]
		}
		v.SetIndex(int64(i/2), g)
	}
}

// regexKey is a regular expression as a script gave it.
type regexKey struct {
	pattern     string
	fold, bytes bool
}

// regexp compiles an ERE, remembering the last few.
func (m *Machine) regexp(pattern string, fold, bytes bool) (*regex.Regexp, error) {
	key := regexKey{pattern, fold, bytes}
	if re := m.rt.regex[key]; re != nil {
		return re, nil
	}
	re, err := regex.Compile([]byte(pattern), regex.Options{Syntax: regex.Bash, Fold: fold, Bytes: bytes, Steps: int(m.limit(m.Limits.RegexSteps)), Charge: m.charge,
		Need: func(n int) { m.needMore(int64(n)) }})
	if err != nil {
		return nil, err
	}
	if len(m.rt.regex) > 64 || m.rt.regex == nil {
		m.rt.regex = map[regexKey]*regex.Regexp{}
	}
	m.rt.regex[key] = re
	return re, nil
}
