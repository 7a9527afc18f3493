package shell

import (
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/readline"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

func optionLine(name string, on bool) string {
	state := "off"
	if on {
		state = "on"
	}
	return fmt.Sprintf("%-15s\t%s\n", name, state)
}

func (m *Machine) biSet(p *Process, argv []string) int {
	args := argv[1:]
	if len(args) == 0 {
		var b strings.Builder
		for name, v := range p.Shell.Vars.All() {
			if v.Is(vars.Special) {
				v = m.listed(p, name, v, false)
			}
			if v.Assigned() {
				b.WriteString(plainLine(name, v, p.Shell.bytes(), m.env(p)))
			}
		}
		if !p.Shell.Opts.on(OptPosix) {
			for _, fn := range p.Shell.Funcs.Sorted() {
				b.WriteString(FunctionText(fn))
			}
		}
		return m.out(p, "set", []byte(b.String()))
	}
	o := m.options(p, argv, setSpec())
	for c := o.next(); c != 0; c = o.next() {
	}
	if o.bad {
		return 2
	}
	assign := false
	for len(args) > 0 && !assign {
		a := args[0]
		if a == "" || a[0] != '-' && a[0] != '+' {
			break
		}
		args = args[1:]
		if assign = a == "--"; assign {
			break
		}
		if a == "-" {
			p.Shell.Opts.set(OptXtrace, false)
			p.Shell.Opts.set(OptVerbose, false)
			break
		}
		var st int
		if args, st = m.setLetters(p, a, args); st >= 0 {
			return st
		}
	}
	if len(args) > 0 || assign {
		m.retainAll(args)
		p.Shell.Params = m.list(p, args)
	}
	return 0
}

// setSpec is what set takes. With -o it looks whether there is a name itself.
func setSpec() string {
	spec := []byte("+o;r")
	for _, n := range setOptions {
		if n.letter != 0 {
			spec = append(spec, n.letter)
		}
	}
	return string(spec)
}

// setLetters sets the options of one word of set, whose -o take names from the
// words behind it. A status of 0 or more ends the command.
func (m *Machine) setLetters(p *Process, word string, args []string) (rest []string, status int) {
	on := word[0] == '-'
	for i := 1; i < len(word); i++ {
		if word[i] == 'r' && on {
			m.restrict(p, false)
			continue
		}
		if word[i] != 'o' {
			o, ok := optionByLetter(word[i])
			if !ok {
				m.complain(p, "set: %s: invalid option", word[:1]+word[i:i+1])
				m.tellUsage(p, "set")
				return args, 1
			}
			m.setOption(p, o.opt, on)
			continue
		}
		if len(args) == 0 || args[0] == "" || args[0][0] == '-' || args[0][0] == '+' {
			if st := m.listSet(p, on); st != 0 {
				return args, st
			}
			continue
		}
		o, ok := findOption(setOptions, args[0])
		if !ok {
			m.complain(p, "set: %s: invalid option name", args[0])
			return args, 2
		}
		m.setOption(p, o.opt, on)
		args = args[1:]
	}
	return args, -1
}

func (m *Machine) setOption(p *Process, o Option, on bool) {
	if o == OptPosix && on != p.Shell.Opts.on(OptPosix) {
		p.Shell.Opts.posix(on)
	}
	p.Shell.Opts.set(o, on)
	switch {
	case o == OptExtdebug:
		p.Shell.Opts.set(OptErrtrace, on)
		p.Shell.Opts.set(OptFunctrace, on)
		if on {
			p.Shell.begin()
		}
	case (o == OptVi || o == OptEmacs) && on:
		s := readline.Begin(p.Shell.Editor)
		s.Editor.Edit(o == OptVi)
		p.Shell.Editor = s.End()
		p.Shell.Opts.set(OptEmacs, o == OptEmacs)
		p.Shell.Opts.set(OptVi, o == OptVi)
	case isCompat(o):
		if on {
			p.Shell.Opts.setCompat(0)
			p.Shell.Opts.set(o, true)
		}
		p.Shell.Vars.Own("BASH_COMPAT").SetString(itoa(p.Shell.Opts.compat()))
	case o == OptPosix && on:
		p.Shell.Vars.Own("POSIXLY_CORRECT").SetString("y")
	case o == OptPosix:
		p.Shell.Vars.Delete("POSIXLY_CORRECT")
	case o == OptIgnoreeof && on:
		p.Shell.Vars.Own("IGNOREEOF").SetString("10")
	case o == OptIgnoreeof:
		p.Shell.Vars.Delete("IGNOREEOF")
	}
}

func (m *Machine) listSet(p *Process, table bool) int {
	var b strings.Builder
	for _, o := range setOptions {
		on := p.Shell.Opts.on(o.opt)
		if table {
			b.WriteString(optionLine(o.name, on))
			continue
		}
		sign := "+o"
		if on {
			sign = "-o"
		}
		b.WriteString("set " + sign + " " + o.name + "\n")
	}
	return m.out(p, "set", []byte(b.String()))
}

func (m *Machine) biShopt(p *Process, argv []string) int {
	set, unset, quiet, print, setO := false, false, false, false, false
	o := m.options(p, argv, "psuoq")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 's':
			set = true
		case 'u':
			unset = true
		case 'q':
			quiet = true
		case 'p':
			print = true
		case 'o':
			setO = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if set && unset {
		m.complain(p, "shopt: cannot set and unset shell options simultaneously")
		return 1
	}
	list := shoptOptions
	if setO {
		list = setOptions
	}
	line := func(o optionName) string {
		on := p.Shell.Opts.on(o.opt)
		switch {
		case print && setO:
			return "set " + map[bool]string{true: "-o", false: "+o"}[on] + " " + o.name + "\n"
		case print:
			return "shopt " + map[bool]string{true: "-s", false: "-u"}[on] + " " + o.name + "\n"
		}
		return optionLine(o.name, on)
	}
	var b strings.Builder
	if len(args) == 0 {
		for _, o := range list {
			if set && !p.Shell.Opts.on(o.opt) || unset && p.Shell.Opts.on(o.opt) {
				continue
			}
			b.WriteString(line(o))
		}
		if quiet {
			return 0
		}
		return m.out(p, "shopt", []byte(b.String()))
	}
	status := 0
	for _, name := range args {
		o, ok := findOption(list, name)
		if !ok {
			m.complainAfter(p, &b, "shopt", "%s: invalid "+map[bool]string{false: "shell "}[setO]+"option name", name)
			if !setO || !set && !unset {
				status = 1
			}
			continue
		}
		if set || unset {
			m.setOption(p, o.opt, set)
			continue
		}
		if !p.Shell.Opts.on(o.opt) {
			status = 1
		}
		if !quiet {
			b.WriteString(line(o))
		}
	}
	_ = m.out(p, "shopt", []byte(b.String()))
	return status
}

func (m *Machine) biAlias(p *Process, argv []string) int {
	o := m.options(p, argv, "p")
	print := false
	for c := o.next(); c != 0; c = o.next() {
		print = true
	}
	if o.bad {
		return 2
	}
	args := o.args
	var b strings.Builder
	line := func(name, value string) {
		if print || !p.Shell.Opts.on(OptPosix) {
			b.WriteString("alias ")
		}
		b.WriteString(name + "=" + single(value) + "\n")
	}
	status := 0
	if print && p.Shell.Aliases.Len() == 0 {
		return 0
	}
	if len(args) == 0 || print {
		for name, value := range p.Shell.Aliases.Sorted() {
			line(name, value)
		}
	}
	for _, a := range args {
		name, value, has := strings.Cut(a, "=")
		if name == "" {
			name, has = a, false
		}
		switch {
		case has && !strings.ContainsAny(name, " \t\n/$`\"'\\&|;()<>"):
			m.retain(len(value))
			p.Shell.Aliases.Set(m.epoch, name, value)
		case has:
			m.complain(p, "alias: `%s': invalid alias name", name)
			status = 1
		default:
			v, ok := p.Shell.Aliases.Get(name)
			if !ok {
				m.complainAfter(p, &b, "alias", "%s: not found", name)
				status = 1
				continue
			}
			line(name, v)
		}
	}
	if len(args) > 0 {
		_ = m.send(p, 1, []byte(b.String())) // a write that fails is not looked at
		return status
	}
	return max(status, m.out(p, "alias", []byte(b.String())))
}

func (m *Machine) biUnalias(p *Process, argv []string) int {
	o := m.options(p, argv, "a")
	all := false
	for c := o.next(); c != 0; c = o.next() {
		all = true
	}
	if len(o.args) == 0 && !all && !o.bad {
		o.usage()
	}
	switch {
	case o.bad:
		return 2
	case all:
		p.Shell.Aliases = persist.Map[string]{}
		return 0
	}
	args := o.args
	status := 0
	for _, name := range args {
		if !p.Shell.Aliases.Delete(m.epoch, name) {
			m.complain(p, "unalias: %s: not found", name)
			status = 1
		}
	}
	return status
}

func (m *Machine) biEnable(p *Process, argv []string) int {
	off, all, special, unload, print, file := false, false, false, false, false, ""
	o := m.options(p, argv, "adnpsf:")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'n':
			off = true
		case 'a':
			all = true
		case 's':
			special = true
		case 'd':
			unload = true
		case 'f':
			file = o.value
		case 'p':
			print = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if print {
		args = nil
	}
	if file != "" && len(args) > 0 {
		m.complain(p, "enable: cannot open shared object %s: %s: cannot open shared object file: No such file or directory", file, file)
		return 1
	}
	if len(args) == 0 {
		var b strings.Builder
		for _, name := range sortedKeys(builtins) {
			dis := p.disabled(name)
			switch {
			case ownBuiltin(name) || special && !builtins[name].special:
			case dis && (off || all):
				b.WriteString("enable -n " + name + "\n")
			case !dis && (!off || all):
				b.WriteString("enable " + name + "\n")
			}
		}
		return m.out(p, "enable", []byte(b.String()))
	}
	status := 0
	for _, name := range args {
		if builtins[name] == nil {
			m.complain(p, "enable: %s: not a shell builtin", name)
			status = 1
			continue
		}
		if unload {
			m.complain(p, "enable: %s: not dynamically loaded", name)
			status = 1
			continue
		}
		var left []string
		for _, n := range p.Shell.Off {
			if n != name {
				left = append(left, n)
			}
		}
		if off {
			left = append(left, name)
		}
		p.Shell.Off = left
	}
	return status
}

func (m *Machine) biUmask(p *Process, argv []string) int {
	symbolic, print := false, false
	o := m.options(p, argv, "Sp")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'S':
			symbolic = true
		case 'p':
			print = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if len(args) == 0 {
		s := fmt.Sprintf("%04o", p.Umask)
		if symbolic {
			s = symbolicMask(p.Umask)
		}
		if print {
			s = "umask " + map[bool]string{true: "-S "}[symbolic] + s
		}
		return m.out(p, "umask", []byte(s+"\n"))
	}
	a := args[0]
	if a != "" && a[0] >= '0' && a[0] <= '9' {
		n := uint32(0)
		for _, c := range a {
			if c < '0' || c > '7' || n > 0o777 {
				m.complain(p, "umask: %s: octal number out of range", a)
				return 1
			}
			n = n*8 + uint32(c-'0')
		}
		p.Umask = n & 0o777
	} else {
		mask, wrong := parseSymbolicMask(a, p.Umask)
		if wrong != "" {
			m.complain(p, "umask: %s", wrong)
			return 1
		}
		p.Umask = mask
	}
	if symbolic {
		return m.out(p, "umask", []byte(symbolicMask(p.Umask)+"\n"))
	}
	return 0
}

func symbolicMask(mask uint32) string {
	var out []string
	for i, who := range []string{"u", "g", "o"} {
		bits := ^mask >> (6 - 3*i) & 7
		s := who + "="
		for j, c := range "rwx" {
			if bits&(4>>j) != 0 {
				s += string(c)
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, ",")
}

// parseSymbolicMask applies a mode such as u=rwx,g-w; wrong says what is wrong with it.
func parseSymbolicMask(s string, mask uint32) (m uint32, wrong string) {
	perm := ^mask & 0o777
	for clause := range strings.SplitSeq(s, ",") {
		i := 0
		who := uint32(0)
		for i < len(clause) && strings.IndexByte("ugoa", clause[i]) >= 0 {
			who |= map[byte]uint32{'u': 0o700, 'g': 0o070, 'o': 0o007, 'a': 0o777}[clause[i]]
			i++
		}
		if who == 0 {
			who = 0o777
		}
		if i >= len(clause) || strings.IndexByte("+-=", clause[i]) < 0 {
			c := " "
			if i < len(clause) {
				c = clause[i : i+1]
			}
			return 0, "`" + c + "': invalid symbolic mode operator"
		}
		op := clause[i]
		bits := uint32(0)
		for _, c := range clause[i+1:] {
			switch c {
			case 'r':
				bits |= 0o444
			case 'w':
				bits |= 0o222
			case 'x', 'X':
				bits |= 0o111
			default:
				return 0, "`" + string(c) + "': invalid symbolic mode character"
			}
		}
		switch op {
		case '+':
			perm |= bits & who
		case '-':
			perm &^= bits & who
		case '=':
			perm = perm&^who | bits&who
		}
	}
	return ^perm & 0o777, ""
}

func (m *Machine) biGetopts(p *Process, argv []string) int {
	o := m.options(p, argv, "")
	args, bad := o.none()
	if len(args) < 2 && !bad {
		o.usage()
	}
	if o.bad {
		return 2
	}
	spec, name := args[0], args[1]
	words := args[2:]
	if len(args) == 2 {
		words = p.Shell.Params
	}
	silent := strings.HasPrefix(spec, ":")
	if silent {
		spec = spec[1:]
	}
	t := p.Shell.Vars
	ind, _ := t.Get("OPTIND").Int()
	g := &p.Shell.Getopts
	if int(ind) != g.Ind || g.Pos == 0 {
		g.Ind, g.Pos = int(max(ind, 1)), 0
	}
	set := func(opt string, status int) int {
		pos := *g
		_ = m.assign(p, "OPTIND", nil, itoa(g.Ind), false)
		*g = pos
		if !validName(name) {
			m.complain(p, "getopts: `%s': not a valid identifier", name)
			return 1
		}
		if err := m.assign(p, name, nil, opt, false); err != nil {
			m.complain(p, "%s", err)
			return max(2-status, 1)
		}
		return status
	}
	if g.Pos == 0 {
		if g.Ind > len(words) || len(words[g.Ind-1]) < 2 || words[g.Ind-1][0] != '-' || words[g.Ind-1] == "--" {
			if g.Ind <= len(words) && words[g.Ind-1] == "--" {
				g.Ind++
			}
			g.Ind = min(g.Ind, len(words)+1)
			t.Delete("OPTARG")
			return set("?", 1)
		}
		g.Pos = 1
	}
	word := words[g.Ind-1]
	if g.Pos >= len(word) {
		g.Ind, g.Pos = g.Ind+1, 0
		return m.biGetopts(p, argv)
	}
	opt := word[g.Pos]
	g.Pos++
	at := strings.IndexByte(spec, opt)
	if opt == ':' || at < 0 {
		if g.Pos == len(word) {
			g.Ind, g.Pos = g.Ind+1, 0
		}
		if silent {
			t.Own("OPTARG").SetString(string(opt))
		} else {
			t.Delete("OPTARG")
			if m.optErr(p) {
				m.complainRaw(p, p.Shell.Name+": illegal option -- "+string(opt)+"\n")
			}
		}
		return set("?", 0)
	}
	if at+1 < len(spec) && spec[at+1] == ':' {
		arg := word[g.Pos:]
		if arg == "" {
			if g.Ind >= len(words) {
				g.Ind, g.Pos = g.Ind+1, 0
				if silent {
					t.Own("OPTARG").SetString(string(opt))
					return set(":", 0)
				}
				t.Delete("OPTARG")
				if m.optErr(p) {
					m.complainRaw(p, p.Shell.Name+": option requires an argument -- "+string(opt)+"\n")
				}
				return set("?", 0)
			}
			g.Ind++
			arg = words[g.Ind-1]
		}
		g.Ind, g.Pos = g.Ind+1, 0
		t.Own("OPTARG").SetString(arg)
		return set(string(opt), 0)
	}
	if g.Pos == len(word) {
		g.Ind, g.Pos = g.Ind+1, 0
	}
	if t.Delete("OPTARG"); silent && opt == '?' { // what bash takes for one that is unknown
		t.Own("OPTARG").SetString("?")
	}
	return set(string(opt), 0)
}

func (m *Machine) optErr(p *Process) bool { return p.Shell.Vars.Get("OPTERR").String() != "0" }

func (m *Machine) biType(p *Process, argv []string) int {
	kind, path, all, force, noFunc := false, false, false, false, false
	o := m.options(p, argv, "afptP")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 't':
			kind, path, force = true, false, false
		case 'p':
			kind, path = false, true
		case 'P':
			kind, path, force = false, true, true
		case 'a':
			all = true
		case 'f':
			noFunc = true
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	status := 0
	var b strings.Builder
	for _, name := range args {
		found := m.kinds(p, name, all, force, noFunc)
		if len(found) == 0 {
			if !kind && !path {
				m.complainAfter(p, &b, "type", "%s: not found", name)
			}
			status = 1
			continue
		}
		for _, k := range found {
			switch {
			case kind:
				b.WriteString(strings.Replace(k.kind, "hashed", "file", 1) + "\n")
			case path:
				if k.path != "" && k.kind != "alias" {
					b.WriteString(k.path + "\n")
				}
			default:
				b.WriteString(k.sentence(name, p.Shell.Opts.on(OptPosix)))
			}
		}
	}
	return max(status, m.out(p, "type", []byte(b.String())))
}

// found is one meaning of a command name.
type found struct {
	kind, path string
	fn         *Function
}

func (f found) sentence(name string, posix bool) string {
	switch f.kind {
	case "alias":
		return name + " is aliased to `" + f.path + "'\n"
	case "keyword":
		return name + " is a shell keyword\n"
	case "function":
		return name + " is a function\n" + FunctionText(f.fn)
	case "builtin":
		if posix && builtins[name].special {
			return name + " is a special shell builtin\n"
		}
		return name + " is a shell builtin\n"
	case "hashed":
		return name + " is hashed (" + f.path + ")\n"
	}
	return name + " is " + f.path + "\n"
}

var keywords = strings.Fields("! [[ ]] case coproc do done elif else esac fi for function if in select then time until while { }")

// kinds gives the meanings of a name in the order bash looks for them.
func (m *Machine) kinds(p *Process, name string, all, fileOnly, noFunc bool) (out []found) {
	if !fileOnly {
		if v, ok := p.Shell.Aliases.Get(name); ok && p.Shell.Opts.on(OptExpandAliases) {
			out = append(out, found{kind: "alias", path: v})
		}
		for _, k := range keywords {
			if k == name {
				out = append(out, found{kind: "keyword"})
			}
		}
		if fn, ok := p.Shell.Funcs.Get(name); ok && !noFunc {
			out = append(out, found{kind: "function", fn: fn})
		}
		if builtins[name] != nil && !p.disabled(name) && !ownBuiltin(name) {
			out = append(out, found{kind: "builtin"})
		}
		if _, ok := m.Tools.Get(name); ok {
			out = append(out, found{kind: "file", path: toolDir + name})
		}
	}
	if len(out) > 0 && !all {
		return out[:1]
	}
	if h, ok := p.Shell.Hashed.Get(name); ok && (!all || fileOnly) {
		m.hit(p, h)
		return append(out, found{kind: "hashed", path: h.Path})
	}
	if strings.Contains(name, "/") {
		if m.runnable(p, name) == nil {
			out = append(out, found{kind: "file", path: name})
		}
		return out
	}
	for dir := range strings.SplitSeq(m.pathVar(p), ":") {
		path := m.inDir(p, dir, name)
		if slices.ContainsFunc(out, func(f found) bool { return f.kind == "file" && f.path == path }) { // a tool, which needs no PATH
			continue
		}
		if m.runnable(p, path) == nil {
			out = append(out, found{kind: "file", path: path})
			if !all {
				break
			}
		}
	}
	if len(out) == 0 { // a file that cannot be executed is still what bash would try
		if path, err := m.find(p, name); err == vfs.EACCES {
			out = append(out, found{kind: "file", path: path})
		}
	}
	return out
}

// ownBuiltin names what is a builtin here and nothing in bash.
func ownBuiltin(name string) bool { return name == "checkpoint" || name == "extensions" }

// describe is command -v (short) and -V.
func (m *Machine) describe(p *Process, name string, short bool) bool {
	k := m.kinds(p, name, false, false, false)
	if len(k) == 0 {
		return false
	}
	f := k[0]
	if f.kind == "file" && !strings.Contains(name, "/") {
		dirs := strings.Split(m.pathVar(p), ":")
		if !short || f.path == "./"+name && !slices.Contains(dirs, ".") { // an empty one is no ./
			f.path = cleanPath(m.abs(p, f.path))
		}
	}
	text := f.sentence(name, p.Shell.Opts.on(OptPosix))
	if short {
		switch f.kind {
		case "alias":
			text = "alias " + name + "=" + expand.QuoteAt(f.path, false, nil) + "\n"
		case "file", "hashed":
			text = f.path + "\n"
		default:
			text = name + "\n"
		}
	}
	_ = m.send(p, 1, []byte(text)) // what is not written is no error to bash
	return true
}
