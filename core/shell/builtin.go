package shell

import (
	"slices"
	"strings"

	"eryxsh/core/cmd/format"
	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// builtin is a command of the shell itself. run gives its status, or pushed.
type builtin struct {
	name    string
	special bool // a POSIX special builtin
	run     func(m *Machine, p *Process, argv []string) int
}

// builtins has every builtin by name. It is made once and never changed.
var builtins map[string]*builtin

// The table is filled here and not in its declaration: its functions look into it.
func init() {
	builtins = map[string]*builtin{}
	for _, b := range []builtin{
		{":", true, (*Machine).biTrue}, {".", true, (*Machine).biSource}, {"[", false, (*Machine).biTest},
		{"alias", false, (*Machine).biAlias}, {"bg", false, (*Machine).biBg}, {"bind", false, (*Machine).biBind},
		{"break", true, (*Machine).biBreak}, {"builtin", false, (*Machine).biBuiltin}, {"caller", false, (*Machine).biCaller},
		{"cd", false, (*Machine).biCd}, {"checkpoint", false, (*Machine).biCheckpoint}, {"command", false, (*Machine).biCommand}, {"compgen", false, (*Machine).biCompgen},
		{"complete", false, (*Machine).biComplete}, {"compopt", false, (*Machine).biCompopt}, {"continue", true, (*Machine).biBreak},
		{"declare", false, (*Machine).biDeclare}, {"dirs", false, (*Machine).biDirs}, {"disown", false, (*Machine).biDisown},
		{"echo", false, (*Machine).biEcho}, {"enable", false, (*Machine).biEnable}, {"eval", true, (*Machine).biEval},
		{"exec", true, (*Machine).biExec}, {"exit", true, (*Machine).biExit}, {"export", true, (*Machine).biDeclare},
		{"extensions", false, (*Machine).biExtensions}, {"false", false, (*Machine).biFalse}, {"fc", false, (*Machine).biFc}, {"fg", false, (*Machine).biFg},
		{"getopts", false, (*Machine).biGetopts}, {"hash", false, (*Machine).biHash}, {"help", false, (*Machine).biHelp},
		{"history", false, (*Machine).biHistory}, {"jobs", false, (*Machine).biJobs}, {"kill", false, (*Machine).biKill},
		{"let", false, (*Machine).biLet}, {"local", false, (*Machine).biDeclare}, {"logout", false, (*Machine).biExit},
		{"mapfile", false, (*Machine).biMapfile}, {"popd", false, (*Machine).biPopd}, {"printf", false, (*Machine).biPrintf},
		{"pushd", false, (*Machine).biPushd}, {"pwd", false, (*Machine).biPwd}, {"read", false, (*Machine).biRead},
		{"readarray", false, (*Machine).biMapfile}, {"readonly", true, (*Machine).biDeclare}, {"return", true, (*Machine).biReturn},
		{"set", true, (*Machine).biSet}, {"shift", true, (*Machine).biShift}, {"shopt", false, (*Machine).biShopt},
		{"source", true, (*Machine).biSource}, {"suspend", false, (*Machine).biSuspend}, {"test", false, (*Machine).biTest},
		{"times", true, (*Machine).biTimes}, {"trap", true, (*Machine).biTrap}, {"true", false, (*Machine).biTrue},
		{"type", false, (*Machine).biType}, {"typeset", false, (*Machine).biDeclare}, {"ulimit", false, (*Machine).biUlimit},
		{"umask", false, (*Machine).biUmask}, {"unalias", false, (*Machine).biUnalias}, {"unset", true, (*Machine).biUnset},
		{"wait", false, (*Machine).biWait},
	} {
		builtins[b.name] = &b
	}
}

// special reports whether a name is a POSIX special builtin that enable -n has not taken away.
func (p *Process) special(name string) bool {
	b := builtins[name]
	return b != nil && b.special && !p.disabled(name)
}

func (p *Process) disabled(name string) bool {
	for _, n := range p.Shell.Off {
		if n == name {
			return true
		}
	}
	return false
}

// usage reports a wrong option as bash does, then the builtin's usage: status 2.
func (m *Machine) usage(p *Process, name, option string) int {
	m.complain(p, "%s: %s: invalid option", name, option)
	m.tellUsage(p, name)
	return 2
}

func (m *Machine) biTrue(*Process, []string) int  { return 0 }
func (m *Machine) biFalse(*Process, []string) int { return 1 }

func (m *Machine) biEcho(p *Process, argv []string) int {
	buf := m.rt.echo[:0]
	newline, escapes := true, p.Shell.Opts.on(OptXpgEcho)
	args := argv[1:]
	if !(p.Shell.Opts.on(OptPosix) && p.Shell.Opts.on(OptXpgEcho)) {
		for len(args) > 0 && echoFlags(args[0]) {
			for _, c := range args[0][1:] {
				switch c {
				case 'n':
					newline = false
				case 'e':
					escapes = true
				case 'E':
					escapes = false
				}
			}
			args = args[1:]
		}
	}
	for i, a := range args {
		if i > 0 {
			buf = append(buf, ' ')
		}
		if i%manyValues == manyValues-1 || len(a) > little {
			m.charge(manyValues/4 + len(a)>>10)
		}
		if !escapes || strings.IndexByte(a, '\\') < 0 {
			buf = large.Append(buf, a)
			continue
		}
		var stop bool
		mode := format.InEcho
		if p.Shell.bytes() {
			mode |= format.ByBytes
		}
		if buf, stop, _ = format.Unescape(buf, a, mode); stop {
			newline = false
			break
		}
	}
	if newline {
		buf = append(buf, '\n')
	}
	if m.rt.echo = buf; cap(buf) > keptScratch {
		m.rt.echo = nil
	}
	return m.out(p, "echo", buf)
}

func echoFlags(s string) bool {
	if len(s) < 2 || s[0] != '-' {
		return false
	}
	for _, c := range s[1:] {
		if c != 'n' && c != 'e' && c != 'E' {
			return false
		}
	}
	return true
}

func (m *Machine) biExit(p *Process, argv []string) int {
	if argv[0] == "logout" && !p.Shell.Opts.on(OptLoginShell) {
		m.complain(p, "logout: not login shell: use `exit'")
		return 1
	}
	status := p.Status
	if t := p.trapFrame(); t != nil && t.N == sigEXIT {
		status = t.X.Saved
	}
	args := argv[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		n, ok := statusArg(args[0])
		if !ok {
			m.complain(p, "exit: %s: numeric argument required", args[0])
			m.exitHere(p, 2)
			return pushed
		}
		if len(args) > 1 {
			m.complain(p, "exit: too many arguments")
			return m.abandon(p)
		}
		status = n
	}
	m.exitHere(p, status)
	return pushed
}

// statusArg reads the argument of exit and return: an integer, taken modulo 256.
func statusArg(s string) (int, bool) {
	s = strings.TrimSpace(s)
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if s == "" || len(s) > 18 {
		return 0, false
	}
	n := int64(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	if neg {
		n = -n
	}
	return int(n & 255), true
}

func (m *Machine) biReturn(p *Process, argv []string) int {
	status := p.Status
	if t := p.trapFrame(); t != nil && t.N != sigDEBUG {
		status = t.X.Saved
	}
	args := argv[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		n, ok := statusArg(args[0])
		if !ok {
			m.complain(p, "return: %s: numeric argument required", args[0])
			n = 2
		} else if len(args) > 1 {
			m.complain(p, "return: too many arguments")
			return m.abandon(p)
		}
		status = n
	}
	if !m.returnFrom(p, status) {
		m.complain(p, "return: can only `return' from a function or sourced script")
		return 2
	}
	return pushed
}

func (m *Machine) biBreak(p *Process, argv []string) int {
	n := 1
	args := argv[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if !p.inLoop() {
		if !p.Shell.Opts.on(OptPosix) {
			m.complain(p, "%s: only meaningful in a `for', `while', or `until' loop", argv[0])
		}
		return 0
	}
	if len(args) > 0 {
		v, err := expandInt(args[0])
		if !err {
			m.complain(p, "%s: %s: numeric argument required", argv[0], args[0])
			m.unwindExit(p, 128)
			return pushed
		}
		if len(args) > 1 {
			m.complain(p, "%s: too many arguments", argv[0])
			return m.abandon(p)
		}
		if v < 1 {
			m.complain(p, "%s: %s: loop count out of range", argv[0], args[0])
			m.breakLoop(p, 1<<30, false)
			p.Status = 1
			return pushed
		}
		n = v
	}
	if !m.breakLoop(p, n, argv[0] == "continue") {
		m.unwindExit(p, 0) // of the shell around this $( )
	}
	return pushed
}

// expandInt reads a decimal integer with an optional sign.
func expandInt(s string) (int, bool) {
	neg := strings.HasPrefix(s, "-")
	n, ok := number(strings.TrimLeft(s, "+-"))
	if neg {
		n = -n
	}
	return n, ok && len(s)-len(strings.TrimLeft(s, "+-")) <= 1
}

func (m *Machine) biShift(p *Process, argv []string) int {
	n, of := 1, ""
	args := argv[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		of = args[0] + ": "
		v, ok := expandInt(args[0])
		if !ok {
			m.complain(p, "shift: %s: numeric argument required", args[0])
			return 1
		}
		if len(args) > 1 {
			m.complain(p, "shift: too many arguments")
			return m.abandon(p)
		}
		n = v
	}
	if n < 0 || n > len(p.Shell.Params) {
		if n < 0 || p.Shell.Opts.on(OptShiftVerbose) {
			m.complain(p, "shift: %sshift count out of range", of)
		}
		return 1
	}
	p.Shell.Params = p.Shell.Params[n:]
	return 0
}

func (m *Machine) biEval(p *Process, argv []string) int {
	o := m.options(p, argv, "")
	args, bad := o.none()
	if bad {
		return 2
	}
	text := strings.Join(args, " ")
	if strings.TrimSpace(text) == "" {
		return 0
	}
	m.deepens(p)
	p.Depth++
	p.push(Frame{Kind: FEval, X: &Extra{Call: "eval", Name: p.commandKept()}})
	m.pushScript(p, m.sourceName(p), text, m.line(p), "eval")
	return pushed
}

func (m *Machine) biSource(p *Process, argv []string) int {
	return m.source(p, argv, p.Shell.Opts.on(OptPosix))
}

// source runs a file in this shell. fatal: the shell ends if there is no such file.
func (m *Machine) source(p *Process, argv []string, fatal bool) int {
	o := m.options(p, argv, "")
	args, bad := o.none()
	if bad {
		return 2
	}
	if len(args) == 0 {
		m.complain(p, "%s: filename argument required", argv[0])
		o.usage()
		return 2
	}
	name := args[0]
	if !strings.Contains(name, "/") {
		args = slices.Clone(args)
		args[0] = m.sourcePath(p, args[0]) // BASH_SOURCE and messages name what was found
	}
	st, err := m.FS.Stat(m.at(p), args[0])
	if n, ok := devFD(m.byLetters(p, args[0])); ok {
		if file, open := p.fd(n); open {
			st, err = m.fstat(file)
		}
	}
	if err == nil && st.Mode.IsDir() {
		err = vfs.EISDIR
		m.complain(p, "%s: %s: is a directory", argv[0], args[0])
		return 1
	}
	m.deepens(p)
	if err == nil && !st.Mode.IsRegular() {
		if err = m.readScript(p, args[0], args, 0); err == nil {
			return pushed
		}
		m.complain(p, "%s: %s", args[0], err)
		return 1
	}
	text := ""
	if err == nil {
		text, err = m.slurp(p, args[0])
	}
	if err != nil {
		if named := !strings.Contains(name, "/"); named && fatal {
			m.complain(p, "%s: %s: file not found", argv[0], name)
		} else {
			m.complain(p, "%s: %s", args[0], err)
		}
		if fatal {
			m.unwindExit(p, 1)
			return pushed
		}
		return 1
	}
	m.pushSource(p, args, text)
	return pushed
}

func (m *Machine) pushSource(p *Process, args []string, text string) {
	p.Depth++
	x := &Extra{Call: "source", Name: p.commandKept()}
	if len(args) > 1 {
		x.Params, x.Set = p.Shell.Params, true
	}
	p.push(Frame{Kind: FEval, X: x})
	if len(args) > 1 {
		p.Shell.Params = m.list(p, args[1:])
		if p.Shell.Opts.compat() <= 44 {
			p.Shell.begin()
		}
		if x.undo().Args = argsSourced; p.Shell.Opts.on(OptExtdebug) {
			p.Shell.args().push(args[1:])
		}
	} else {
		m.askArguments(p)
		p.Shell.args().push(args)
		x.undo().Args = argsFileName
	}
	line := p.Line
	m.pushScript(p, args[0], text, 1, "source")
	p.top().X.Saved = line
}

// sourcePath looks for the first readable NAME in PATH, then in the working directory.
func (m *Machine) sourcePath(p *Process, name string) string {
	if p.Shell.Opts.on(OptSourcepath) {
		for dir := range strings.SplitSeq(m.pathVar(p), ":") {
			path := m.inDir(p, dir, name)
			st, err := m.FS.Stat(m.at(p), path)
			if err == nil && !st.Mode.IsDir() && m.FS.Access(m.at(p), path, vfs.R_OK) == nil {
				return path
			}
		}
	}
	return name
}

// readScript reads what is no file of the tree to its end in turns, then runs
// what it held: as source does, or, with as 1, as the script of a shell.
func (m *Machine) readScript(p *Process, full string, args []string, as int) error {
	file, err := m.open(p, full, vfs.O_RDONLY, 0)
	if err != nil {
		return err
	}
	fd := p.free(10)
	p.put(fd, file, true)
	p.push(Frame{Kind: FRead, PC: readSource, I: fd, N: as, Words: m.list(p, args), X: &Extra{Undo: &Undo{Open: []int{fd}}}})
	if !m.rendezvous(file) {
		p.Wait = Wait{Kind: WaitsOpen, File: file}
	}
	return nil
}

// biCommand runs a command past functions, or describes it.
// standardPath finds all utilities: command -p.
const standardPath = "/bin:/usr/bin"

func (m *Machine) biCommand(p *Process, argv []string) int {
	verbose, short, std := false, false, false
	o := m.options(p, argv, "pvV")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'p':
			std = true
		case 'v':
			short = true
		case 'V':
			verbose = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if len(args) == 0 {
		return 0
	}
	if std {
		old := p.Shell.Vars.Bind("PATH", vars.New(standardPath, 0))
		defer func() { p.Shell.Vars.Bind("PATH", old) }()
	}
	if short || verbose {
		status := 1
		for _, name := range args {
			if m.describe(p, name, short) {
				status = 0
			} else if verbose {
				m.complain(p, "command: %s: not found", name)
			}
		}
		return status
	}
	words := m.list(p, args)
	if std && builtins[words[0]] == nil {
		if path, err := m.find(p, words[0]); err == nil {
			m.execFile(p, path, words, false)
			return pushed
		}
	}
	if name := words[0]; (name == "." || name == "source") && !p.disabled(name) && !p.Shell.Opts.on(optRestricted) {
		return m.source(p, words, false)
	}
	return m.skipFunctions(p, words)
}

// skipFunctions runs a builtin or an external command.
func (m *Machine) skipFunctions(p *Process, argv []string) int {
	defer m.shallower()
	if err := m.deeper(); err != nil {
		m.complain(p, "%s: commands nested too deeply", argv[0])
		return 1
	}
	for len(argv) > 1 && argv[0] == "command" && argv[1] == "command" && !p.disabled(argv[0]) {
		argv = argv[1:]
	}
	if b := builtins[argv[0]]; b != nil && !p.disabled(argv[0]) {
		if p.Shell.Opts.on(optRestricted) && m.forbids(p, argv) {
			return 1
		}
		return b.run(m, p, argv)
	}
	m.external(p, argv)
	return pushed
}

func (m *Machine) biBuiltin(p *Process, argv []string) int {
	o := m.options(p, argv, "")
	args, bad := o.none()
	if bad {
		return 2
	}
	if len(args) == 0 {
		return 0
	}
	defer m.shallower()
	if err := m.deeper(); err != nil {
		m.complain(p, "builtin: commands nested too deeply")
		return 1
	}
	for len(args) > 1 && args[0] == "builtin" && args[1] == "builtin" {
		args = args[1:]
	}
	b := builtins[args[0]]
	if b == nil {
		m.complain(p, "builtin: %s: not a shell builtin", args[0])
		return 1
	}
	if p.Shell.Opts.on(optRestricted) && m.forbids(p, args) {
		return 1
	}
	return b.run(m, p, args)
}

func (m *Machine) biExec(p *Process, argv []string) int {
	clean, login, named, name := false, false, false, ""
	o := m.options(p, argv, "cla:")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'c':
			clean = true
		case 'l':
			login = true
		case 'a':
			named, name = true, o.value
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if len(args) == 0 {
		if n := len(p.Frames); n > 0 && p.Frames[n-1].Kind == FSimple {
			m.keep(&p.Frames[n-1])
		}
		return 0
	}
	words := m.list(p, args)
	path := ""
	if _, tool := m.Tools.Get(words[0]); !tool {
		found, err := m.find(p, words[0])
		if err == nil {
			_, _, err = m.image(p, found, words)
		}
		if err != nil {
			m.execFailed(p, words, found, err)
			return pushed
		}
		path = m.abs(p, strings.TrimPrefix(found, "./")) // a script's $0
	}
	if clean {
		t := vars.NewTable()
		t.Bind("PATH", vars.New(m.pathVar(p), 0))
		p.Shell.Vars = t
	} else if n := len(p.Frames); n > 0 && p.Frames[n-1].X != nil {
		p.Frames[n-1].X.Vars = nil
	}
	if path == "" {
		t, _ := m.Tools.Get(words[0])
		m.becomeUtility(p)
		m.callTool(p, t, words)
		return pushed
	}
	if named {
		words[0] = name
	}
	if login {
		words[0] = "-" + words[0]
	}
	if !clean { // the shell is no more
		m.shellLevel(p, -1)
	}
	m.execFile(p, path, words, true)
	return pushed
}

// execFailed ends the shell whose exec has failed, unless execfail is set. Where a file was to be run, bash
// has forgotten its traps by then.
func (m *Machine) execFailed(p *Process, words []string, path string, err error) {
	name := words[0]
	status, tried := 126, strings.Contains(name, "/") || path != ""
	switch {
	case tried:
		if path == "" {
			path = name
		}
		status = m.cannotRun(p, m.abs(p, strings.TrimPrefix(path, "./")), words, err)
	case m.inPath(p, name, vfs.EISDIR):
		m.complain(p, "exec: %s: cannot execute: Is a directory", name)
	default:
		m.complain(p, "exec: %s: not found", name)
		status = 127
	}
	p.Status = status
	if p.Shell.Opts.on(OptExecfail) {
		m.done(p, status)
		return
	}
	if tried {
		p.dropTrap(sigEXIT)
	}
	m.leaveShell(p, status, false)
}

// cannotRun says why a file cannot be run, as bash does once it has tried; the second message is of exec itself.
func (m *Machine) cannotRun(p *Process, path string, words []string, err error) (status int) {
	_, interp, _ := m.image(p, path, words)
	switch {
	case err == vfs.ENOENT && interp != "":
		m.complain(p, "%s: cannot execute: required file not found", path)
		return 127
	case err == vfs.ENOENT || err == vfs.ENOTDIR:
		m.complain(p, "%s: %s", path, err)
		return 127
	case err == errBinary:
		m.complain(p, "%s: %s", path, err)
	case interp != "":
		if err == vfs.EISDIR {
			err = vfs.EACCES
		}
		m.complainRaw(p, errorName(p)+": "+path+": "+interp+": bad interpreter: "+err.Error()+"\n")
	default:
		m.complain(p, "%s: %s", path, err)
		m.complain(p, "exec: %s: cannot execute: %s", path, err)
		return 126
	}
	m.complain(p, "%s: Success", path)
	return 126
}

func (m *Machine) biLet(p *Process, argv []string) int {
	if len(argv) > 1 && argv[1] == "--" {
		argv = argv[1:]
	}
	if len(argv) < 2 {
		m.complain(p, "let: expression expected")
		return 1
	}
	v := int64(0)
	for _, a := range argv[1:] {
		n, err := expand.EvalString(m.env(p), a)
		if err == expand.ErrNeed {
			return 1
		}
		if err != nil {
			m.arithFailed(p, "let: ", err)
			return pushed
		}
		v = n
	}
	return boolStatus(v != 0)
}

// BuiltinNames lists the builtins, sorted.
func BuiltinNames() []string { return sortedKeys(builtins) }

// Meaning says what a name is to the shell before it looks for a function, a
// tool or a file of that name: "builtin", "keyword" or "".
func Meaning(name string) string {
	switch {
	case slices.Contains(keywords, name):
		return "keyword"
	case builtins[name] != nil:
		return "builtin"
	}
	return ""
}
