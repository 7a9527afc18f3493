package expand

import (
	"errors"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// shell is a toy interpreter around the package under test: assignments,
// echo, n (which shows its arguments), set, declare, unset, shopt, lists and
// command substitution. It is an Env.
type shell struct {
	src    *Source
	vars   *vars.Table
	params []string
	flags  Flags
	status int
	files  map[string]vfs.Mode // of the directory tree that globs see
	out    *strings.Builder
	random int
	memo   bool // expand with a Recorder, restarting at every substitution
	depth  int
	charge int
	asked  int // bytes, in all
	held   int
	warned string
	links  [][2]string
}

func newShell() *shell {
	sh := &shell{vars: vars.NewTable(), flags: DefaultFlags, out: &strings.Builder{}, files: map[string]vfs.Mode{}}
	sh.vars.Own("HOME").SetString("/root")
	sh.vars.Own("PWD").SetString("/tmp/x")
	return sh
}

func (sh *shell) run(script string) (out string, err error) {
	text := Encode([]byte(script))
	shown, _ := Hide(text, nil)
	f, perr := syntax.NewParser().Parse(strings.NewReader(shown), "")
	if perr != nil {
		masked, ok := Mask(shown, nil)
		if !ok {
			return "", perr
		}
		if f, perr = syntax.NewParser().Parse(strings.NewReader(masked), ""); perr != nil {
			return "", perr
		}
	}
	nodes := []syntax.Node{}
	for _, st := range f.Stmts {
		nodes = append(nodes, st)
	}
	sh.src = NewSource(text, nodes...)
	for _, st := range f.Stmts {
		if err := sh.stmt(st); err != nil {
			return sh.out.String(), err
		}
	}
	return sh.out.String(), nil
}

func (sh *shell) stmt(st *syntax.Stmt) error {
	if st.Negated || st.Background || st.Coprocess {
		return errors.New("toy shell: !, &")
	}
	for _, r := range st.Redirs {
		if r.Hdoc == nil {
			return errors.New("toy shell: redirection")
		}
	}
	switch c := st.Cmd.(type) {
	case nil:
		return nil
	case *syntax.CallExpr:
		var here *Word
		for _, r := range st.Redirs {
			if r.Hdoc != nil {
				here = CompileHereDoc(sh.src, r)
			}
		}
		return sh.call(c, here)
	case *syntax.DeclClause:
		return sh.declare(c)
	case *syntax.ArithmCmd:
		v, err := CompileArith(sh.src, int(c.Left.Offset())+2, int(c.Right.Offset()), c.X).Eval(sh)
		sh.status = int(1 - truth(v != 0))
		var e *Error
		if errors.As(err, &e) && e.Kind == BadArith { // not fatal
			sh.status = 1
			sh.Warn("((: " + e.Text)
			return nil
		}
		return err
	case *syntax.TestClause:
		b, ok := c.X.(*syntax.BinaryTest)
		if !ok {
			return fmt.Errorf("toy shell: %T", c.X)
		}
		switch b.Op {
		case syntax.TsReMatch, syntax.TsMatch, syntax.TsNoMatch, syntax.TsMatchShort:
		default:
			return fmt.Errorf("toy shell: %s", b.Op)
		}
		l, err := String(sh, CompileWord(sh.src, b.X.(*syntax.Word)))
		if err != nil {
			return err
		}
		if b.Op == syntax.TsReMatch {
			s, err := Regexp(sh, CompileWord(sh.src, b.Y.(*syntax.Word)))
			if err != nil {
				return err
			}
			re, err := regexp.CompilePOSIX(s)
			if err != nil {
				return fmt.Errorf("toy shell: %w", err)
			}
			sh.status = 1
			if re.MatchString(l) {
				sh.status = 0
			}
			return nil
		}
		r, err := Pattern(sh, CompileWord(sh.src, b.Y.(*syntax.Word)))
		if err != nil {
			return err
		}
		sh.status = 1
		if Match(r, l, sh.flags|ExtGlob) == (b.Op != syntax.TsNoMatch) {
			sh.status = 0
		}
		return nil
	case *syntax.BinaryCmd:
		if err := sh.stmt(c.X); err != nil {
			return err
		}
		if (sh.status == 0) == (c.Op == syntax.AndStmt) {
			return sh.stmt(c.Y)
		}
		return nil
	case *syntax.Block:
		for _, st := range c.Stmts {
			if err := sh.stmt(st); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("toy shell: %T", st.Cmd)
}

func (sh *shell) fields(ws []*syntax.Word) ([]string, error) {
	var cs []*Word
	need := false
	for _, w := range ws {
		c := CompileWord(sh.src, w)
		need = need || c.NeedsMemo()
		cs = append(cs, c)
	}
	if need && sh.memo {
		var m Memo
		var r Recorder
		for {
			out, err := Fields(r.Start(&noCommands{sh}, &m), nil, cs)
			if !errors.Is(err, ErrNeed) {
				if r.Err() != nil {
					return nil, r.Err()
				}
				return out, err
			}
			s, err := sh.Command(r.Missing)
			if err != nil {
				return nil, err
			}
			m.Answer(s)
		}
	}
	return Fields(sh, nil, cs)
}

// noCommands answers no command at once.
type noCommands struct{ *shell }

func (*noCommands) Command(syntax.Node) (string, error) { return "", ErrNeed }

func (sh *shell) call(c *syntax.CallExpr, here *Word) error {
	args, err := sh.fields(c.Args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		sh.status = 0
		for _, a := range c.Assigns {
			if err := sh.assign(a, 0); err != nil {
				return err
			}
		}
		return nil
	}
	sh.status = 0
	switch args[0] {
	case "echo":
		sh.out.WriteString(strings.Join(args[1:], " ") + "\n")
	case "n":
		fmt.Fprintf(sh.out, "[%d]", len(args)-1)
		for _, a := range args[1:] {
			fmt.Fprintf(sh.out, "<%s>", a)
		}
		sh.out.WriteString("\n")
	case "cat":
		if here != nil {
			s, err := HereDoc(sh, here)
			if err != nil {
				return err
			}
			sh.out.WriteString(s)
		}
	case "let":
		for _, a := range args[1:] {
			v, err := EvalString(sh, a)
			if err != nil {
				return fmt.Errorf("let: %w", err)
			}
			sh.status = int(1 - truth(v != 0))
		}
	case "true", ":":
	case "false":
		sh.status = 1
	case "set":
		if len(args) > 1 && args[1] == "--" {
			sh.params = args[2:]
		} else if len(args) == 2 && args[1] == "-u" {
			sh.flags |= NoUnset
		} else if len(args) == 2 && args[1] == "-f" {
			sh.flags |= NoGlob
		} else {
			return fmt.Errorf("toy shell: set %v", args)
		}
	case "shopt":
		if len(args) < 3 {
			return errors.New("toy shell: shopt")
		}
		f, ok := map[string]Flags{"extglob": ExtGlob, "nullglob": NullGlob, "dotglob": DotGlob, "globstar": GlobStar, "nocasematch": NoCaseMatch, "nocaseglob": NoCaseGlob, "failglob": FailGlob, "patsub_replacement": PatSubReplacement}[args[2]]
		if !ok {
			return fmt.Errorf("toy shell: shopt %v", args)
		}
		if sh.flags |= f; args[1] == "-u" {
			sh.flags &^= f
		}
	case "unset":
		for _, a := range args[1:] {
			if name, sub, ok := strings.Cut(a, "["); ok {
				s := SubText(nil, strings.TrimSuffix(sub, "]"))
				r, err := s.Resolve(sh, name, sh.vars.Get(name))
				if err != nil {
					return err
				}
				if v := sh.vars.Own(name); v.Is(vars.Assoc) {
					v.UnsetKey(r.Text)
				} else {
					v.UnsetIndex(r.Num)
				}
			} else if a != "-n" {
				sh.vars.Delete(a)
			}
		}
	default:
		return fmt.Errorf("toy shell: %v", args)
	}
	return nil
}

func (sh *shell) declare(c *syntax.DeclClause) error {
	attrs := vars.Attr(0)
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			o, _ := CompileWord(sh.src, a.Value).Literal()
			if len(o) < 2 || o[0] != '-' || strings.Trim(o[1:], "AaixrnulF") != "" {
				return errors.New("toy shell: declare")
			}
			for _, f := range o[1:] {
				attrs |= map[rune]vars.Attr{'A': vars.Assoc, 'a': vars.Indexed, 'i': vars.Integer, 'x': vars.Export, 'r': vars.ReadOnly, 'n': vars.Nameref, 'u': vars.Upper, 'l': vars.Lower}[f]
			}
			continue
		}
		v := sh.vars.Own(a.Name.Value)
		if attrs&vars.Assoc != 0 {
			v.MakeAssoc()
		} else if attrs&vars.Indexed != 0 {
			v.MakeIndexed()
		}
		if !a.Naked {
			if err := sh.assign(a, attrs); err != nil {
				return err
			}
			v = sh.vars.Own(a.Name.Value)
		}
		v.SetAttrs(v.Attrs() | attrs)
	}
	return nil
}

func (sh *shell) assign(a *syntax.Assign, attrs vars.Attr) error {
	name := a.Name.Value
	if a.Array != nil {
		var lists [][]string
		for _, e := range a.Array.Elems {
			if e.Index == nil {
				l, err := sh.fields([]*syntax.Word{e.Value})
				if err != nil {
					return err
				}
				lists = append(lists, l)
			}
		}
		v := sh.vars.Own(name)
		if !a.Append {
			v.Clear()
		}
		if !v.Is(vars.Assoc) {
			v.MakeIndexed()
		}
		v.SetAssigned()
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				sub, err := sh.sub(e.Index).Resolve(sh, name, sh.vars.Get(name))
				if err != nil {
					return err
				}
				s := ""
				if e.Value != nil {
					if s, err = sh.value(e.Value); err != nil {
						return err
					}
				}
				if v = sh.vars.Own(name); v.Is(vars.Assoc) {
					v.SetKey(sub.Text, s)
				} else {
					v.SetIndex(sub.Num, s)
				}
				continue
			}
			v = sh.vars.Own(name)
			for _, s := range lists[0] {
				v.SetIndex(v.MaxIndex()+1, s)
			}
			lists = lists[1:]
		}
		return nil
	}
	s := ""
	if a.Value != nil {
		var err error
		if s, err = sh.value(a.Value); err != nil {
			return err
		}
	}
	var sub *Sub
	if a.Index != nil {
		var err error
		if sub, err = sh.sub(a.Index).Resolve(sh, name, sh.Var(name)); err != nil {
			return err
		}
	}
	if attrs&vars.Nameref != 0 {
		sh.vars.Own(name).SetString(s)
		return nil
	}
	return sh.Assign(name, sub, s, a.Append)
}

func (sh *shell) sub(x syntax.ArithmExpr) *Sub {
	return CompileSub(sh.src, int(x.Pos().Offset()), int(x.End().Offset()), x)
}

func (sh *shell) value(w *syntax.Word) (string, error) {
	c := CompileWord(sh.src, w)
	c.Assign = true
	return String(sh, c)
}

func (sh *shell) target(name string) string {
	for i := 0; i < 8; i++ {
		v := sh.vars.Get(name)
		if !v.Is(vars.Nameref) || v.String() == "" {
			return name
		}
		name = v.String()
	}
	return name
}

func (sh *shell) Var(name string) *vars.Var {
	switch name {
	case "RANDOM":
		sh.random++
		return vars.NewInt(int64(sh.random), vars.Special)
	case "LINENO":
		return vars.NewInt(1, vars.Special)
	}
	return sh.vars.Get(sh.target(name))
}

func (sh *shell) Assign(name string, sub *Sub, value string, add bool) error {
	name = sh.target(name)
	v := sh.vars.Own(name)
	if v.Is(vars.ReadOnly) {
		return &Error{Kind: ReadOnlyVar, Text: name + ": readonly variable"}
	}
	if v.Is(vars.Integer) {
		n, err := EvalString(sh, value)
		if err != nil {
			return err
		}
		v = sh.vars.Own(name)
		if add {
			old, _ := v.Int()
			n, add = n+old, false
		}
		value = formatInt(n)
	}
	if v.Is(vars.Upper) {
		value = strings.ToUpper(value)
	}
	switch {
	case sub == nil && add:
		v.AppendString(value)
	case sub == nil:
		v.SetString(value)
	case v.Is(vars.Assoc) && add:
		v.AppendKey(sub.Text, value)
	case v.Is(vars.Assoc):
		v.SetKey(sub.Text, value)
	case add:
		v.AppendIndex(sub.Num, value)
	default:
		v.SetIndex(sub.Num, value)
	}
	return nil
}

func (sh *shell) Param(i int) (string, bool) {
	if i == 0 {
		return "bash", true
	}
	if i <= len(sh.params) {
		return sh.params[i-1], true
	}
	return "", false
}
func (sh *shell) Params() []string { return sh.params }
func (sh *shell) Special(c byte) (string, bool) {
	switch c {
	case '?':
		return strconv.Itoa(sh.status), true
	case '-':
		return "hBc", true
	case '$':
		return "2", true
	}
	return "", false
}
func (sh *shell) Flags() Flags { return sh.flags }
func (sh *shell) Command(n syntax.Node) (string, error) {
	if sh.depth > 50 {
		return "", errors.New("too deep")
	}
	if r, ok := n.(*Runtime); ok { // the machine's affair
		return r.Text, nil
	}
	child := *sh
	child.vars, child.out, child.depth = sh.vars.Fork(), &strings.Builder{}, sh.depth+1
	for _, st := range n.(*syntax.CmdSubst).Stmts {
		if err := child.stmt(st); err != nil {
			child.status = 1
			break
		}
	}
	sh.status = child.status
	return strings.TrimRight(child.out.String(), "\n"), nil
}
func (sh *shell) Process(*syntax.ProcSubst) (string, error) { return "/dev/fd/63", nil }
func (sh *shell) Home(user string) (string, bool) {
	if user == "" || user == "root" {
		return "/root", true
	}
	return "", false
}

// resolve follows the links of the tree.
func (sh *shell) resolve(p string) string {
	for _, l := range sh.links {
		if p == l[0] || strings.HasPrefix(p, l[0]+"/") {
			return l[1] + p[len(l[0]):]
		}
	}
	return p
}
func (sh *shell) ReadDir(dir, after string, n int) ([]vfs.Dirent, error) {
	if !path.IsAbs(dir) {
		dir = path.Join("/tmp/x", dir)
	}
	dir = sh.resolve(path.Clean(dir))
	var out []vfs.Dirent
	if dir != "/tmp/x" && !sh.files[dir].IsDir() {
		return nil, vfs.ENOENT
	}
	for p, m := range sh.files {
		if path.Dir(p) == dir && path.Base(p) > after {
			out = append(out, vfs.Dirent{Name: path.Base(p), Type: m})
		}
	}
	slices.SortFunc(out, func(a, b vfs.Dirent) int { return strings.Compare(a.Name, b.Name) })
	return out[:min(n, len(out))], nil
}
func (sh *shell) Stat(p string, follow bool) (vfs.Stat, error) {
	slash := strings.HasSuffix(p, "/")
	if !path.IsAbs(p) {
		p = path.Join("/tmp/x", p)
	}
	p = path.Clean(p)
	if follow || slash {
		p = sh.resolve(p)
	} else {
		p = path.Join(sh.resolve(path.Dir(p)), path.Base(p))
	}
	if p == "/tmp/x" {
		return vfs.Stat{Mode: vfs.TypeDir}, nil
	}
	m, ok := sh.files[p]
	if !ok || slash && !m.IsDir() {
		return vfs.Stat{}, vfs.ENOENT
	}
	return vfs.Stat{Mode: m}, nil
}
func (sh *shell) Names(prefix string) []string {
	var out []string
	for name, v := range sh.vars.All() {
		if strings.HasPrefix(name, prefix) && v.IsSet() {
			out = append(out, name)
		}
	}
	return out
}
func (sh *shell) Ref(name string) (string, bool) {
	v := sh.vars.Get(name)
	return v.String(), v.Is(vars.Nameref)
}
func (sh *shell) Lookup(name string) *vars.Var { return sh.vars.Get(name) }
func (sh *shell) Warn(text string) error {
	if sh.warned == "" {
		sh.warned = text
	}
	return nil
}
func (sh *shell) Charge(n int)                           { sh.charge += n }
func (sh *shell) Hold(n int)                             { sh.held = max(sh.held, n) }
func (sh *shell) Need(n int)                             { sh.asked += max(n, 0) }
func (sh *shell) Prompt(_ Env, s string) (string, error) { return s, nil }
func (sh *shell) DirStack(int) (string, bool)            { return "", false }

// bash runs a script in the real thing and returns its output and its first
// message, without "bash: line N: ".
func bash(t testing.TB, script string) (string, string) {
	cmd := exec.Command("bash", "-c", "n() { printf '[%d]' $#; for _a; do printf '<%s>' \"$_a\"; done; echo; }\n"+script)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "HOME=/root", "PATH=/usr/bin:/bin"}
	cmd.Dir = t.TempDir()
	var out, msg strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &msg
	_ = cmd.Run()
	m, _, _ := strings.Cut(msg.String(), "\n")
	if _, rest, ok := strings.Cut(m, ": line "); ok {
		if _, rest, ok = strings.Cut(rest, ": "); ok {
			m = rest
		}
	}
	return out.String(), m
}
