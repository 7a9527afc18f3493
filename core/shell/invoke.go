package shell

import (
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// invocation is what the arguments of bash say about how it starts.
type invocation struct {
	command, stdin     bool // -c, -s
	interactive, login bool
	noRC, noProfile    bool
	restricted         bool   // -r
	rc                 string // --rcfile
	debug              bool   // -O extdebug
}

// shName reports whether a shell is called as sh, which is POSIX mode.
func shName(name string) bool { return name == "sh" || strings.HasSuffix(name, "/sh") }

// nameShell sets BASH: the file the shell was called as.
func (m *Machine) nameShell(c *Process, name string) {
	name = strings.TrimPrefix(name, "-")
	path := ""
	switch {
	case strings.Contains(name, "/"):
		path = m.abs(c, name)
	default:
		found, err := m.find(c, name)
		if path = found; err != nil {
			path = "/bin/bash" // the user's shell
		}
	}
	c.Shell.Vars.Bind("BASH", vars.New(path, 0))
}

// shellArgs reads the arguments of bash and starts its script. A status of 0 or
// more says that there is nothing to run.
func (m *Machine) shellArgs(c *Process, argv []string) int {
	sh := c.Shell
	sh.Name = argv[0]
	m.nameShell(c, argv[0])
	if shName(argv[0]) || sh.Vars.Get("POSIXLY_CORRECT") != nil {
		sh.Opts.posix(true)
	}
	if level, ok := compatLevel(sh.Vars.Get("BASH_COMPAT").String()); !ok {
		m.complainRaw(c, sh.Name+": BASH_COMPAT: "+sh.Vars.Get("BASH_COMPAT").String()+": compatibility value out of range\n")
	} else if level <= 44 {
		sh.begin()
	}
	in := invocation{rc: "~/.bashrc", login: strings.HasPrefix(argv[0], "-")}
	args := argv[1:]
	for len(args) > 0 {
		a := args[0]
		if a == "--" || a == "-" {
			args = args[1:]
			break
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(a, "--") {
			if status := m.longShellOption(c, &in, a, &args); status >= 0 {
				return status
			}
			continue
		}
		if status := m.shortShellOptions(c, &in, a, &args); status >= 0 {
			return status
		}
	}
	sh.Opts.set(OptLoginShell, in.login)
	if sh.Opts.on(OptPosix) && sh.Vars.Get("POSIXLY_CORRECT") == nil && !shName(argv[0]) {
		sh.Vars.Bind("POSIXLY_CORRECT", vars.New("y", 0))
	}
	if in.interactive {
		sh.Opts.set(optInteractive, true)
		sh.Opts.set(OptExpandAliases, true)
		sh.Opts.set(OptHistexpand, true)
		for _, ps := range [][2]string{{"PS1", `\s-\v\$ `}, {"PS2", "> "}} {
			if sh.Vars.Get(ps[0]) == nil {
				sh.Vars.Own(ps[0]).SetString(ps[1])
			}
		}
	}
	switch {
	case in.command:
		if len(args) == 0 {
			m.complainRaw(c, "bash: -c: option requires an argument\n")
			return 2
		}
		text := args[0]
		if len(args) > 1 {
			sh.Name = args[1]
			sh.Params = m.list(c, args[2:])
		}
		sh.Exec = text
		m.pushScript(c, "", text, 1, "")
	case len(args) > 0 && !in.stdin:
		if status := m.shellFile(c, args); status >= 0 {
			return status
		}
	default:
		sh.Opts.set(optStdin, true)
		sh.Params = m.list(c, args)
		m.pushStdin(c)
	}
	if in.debug { // bash would start its debugger, which is a package of its own
		m.complainRaw(c, sh.Name+": /usr/share/bashdb/bashdb-main.inc: No such file or directory\n"+
			sh.Name+": warning: cannot start debugger; debugging mode disabled\n")
		sh.begin()
		sh.Opts.set(OptExtdebug, false)
	}
	if in.restricted {
		m.restrict(c, true)
		sh.Opts.set(OptRestrictedShell, true)
	}
	m.startupFiles(c, &in)
	return -1
}

// shortShellOptions reads one argument of letters.
func (m *Machine) shortShellOptions(c *Process, in *invocation, a string, args *[]string) int {
	sh := c.Shell
	on := a[0] == '-'
	for i := 1; i < len(a); i++ {
		switch ch := a[i]; ch {
		case 'c':
			in.command = true
		case 's':
			in.stdin = true
		case 'i':
			in.interactive = on // bash +i is bash
		case 'l':
			in.login = true
		case 'r':
			in.restricted = in.restricted || on
		case 'D':
		case 'o', 'O':
			if len(*args) == 0 {
				return m.listShellOptions(c, ch == 'O')
			}
			list := setOptions
			if ch == 'O' {
				list = shoptOptions
			}
			o, ok := findOption(list, (*args)[0])
			if !ok {
				m.complainRaw(c, "bash: "+(*args)[0]+": invalid option name\n")
				return 2
			}
			if sh.Opts.set(o.opt, on); isCompat(o.opt) {
				m.setOption(c, o.opt, on)
			}
			in.debug = in.debug || o.opt == OptExtdebug && on
			*args = (*args)[1:]
		default:
			o, ok := optionByLetter(ch)
			if !ok {
				m.complainRaw(c, "bash: "+a[:1]+string(rune(ch))+": invalid option\n")
				return 2
			}
			sh.Opts.set(o.opt, on)
		}
	}
	return -1
}

func (m *Machine) longShellOption(c *Process, in *invocation, a string, args *[]string) int {
	switch a {
	case "--login":
		in.login = true
	case "--posix":
		c.Shell.Opts.posix(true)
	case "--verbose":
		c.Shell.Opts.set(OptVerbose, true)
	case "--norc":
		in.noRC = true
	case "--noprofile":
		in.noProfile = true
	case "--restricted":
		in.restricted = true
	case "--noediting":
	case "--rcfile", "--init-file":
		if len(*args) == 0 {
			m.complainRaw(c, "bash: "+a[2:]+": option requires an argument\n")
			return 2
		}
		in.rc, *args = (*args)[0], (*args)[1:]
	case "--version":
		_ = m.send(c, 1, []byte("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n"))
		return 0
	case "--help":
		_ = m.send(c, 1, []byte("Usage:\tbash [GNU long option] [option] ...\n\tbash [GNU long option] [option] script-file ...\n"))
		return 0
	default:
		m.complainRaw(c, "bash: "+a+": invalid option\n")
		return 2
	}
	return -1
}

// startupFiles pushes the files a shell reads before its script; those that are not there do not count.
func (m *Machine) startupFiles(c *Process, in *invocation) {
	sh := c.Shell
	push := func(path string) bool {
		if strings.HasPrefix(path, "~/") {
			path = sh.Vars.Get("HOME").String() + path[1:]
		}
		st, err := m.FS.Stat(m.at(c), path)
		if path == "" || err != nil || st.Mode.IsDir() {
			return false
		}
		text, err := m.slurp(c, path)
		if err == nil {
			m.pushSource(c, []string{path}, text)
		}
		return err == nil
	}
	switch {
	case in.login && !in.noProfile: // the last one pushed runs first
		for _, path := range []string{"~/.bash_profile", "~/.bash_login", "~/.profile"} {
			if push(path) {
				break
			}
		}
		push("/etc/profile")
	case in.login:
	case in.interactive && !in.noRC && !sh.Opts.on(OptPosix):
		push(in.rc)
	case !in.interactive && !sh.Opts.on(OptPosix):
		if v := sh.Vars.Get("BASH_ENV"); v.IsSet() && v.String() != "" {
			if path, err := expand.String(m.env(c), expand.CompilePrompt(m.env(c), v.String())); err == nil {
				push(path)
			}
		}
	}
}

// promptCommand runs PROMPT_COMMAND before a command is read, $? as it was afterwards.
func (m *Machine) promptCommand(p *Process, f *Frame) bool {
	if f.PC == stdinPrompt {
		f.PC = stdinPS1
		v := p.Shell.Vars.Get("PROMPT_COMMAND")
		f.N = p.Status
		if text := strings.Join(v.Values(), "\n"); text != "" {
			m.pushScript(p, "", text, 1, "eval")
			return false
		}
	}
	p.Status = f.N
	f.PC = stdinReads
	m.complainRaw(p, m.prompt(p, p.Shell.Vars.Get("PS1").String()))
	return true
}

// Positions of the frame that reads a script from standard input, of an interactive shell.
const (
	stdinPrompt = iota // before a command
	stdinPS1           // PROMPT_COMMAND has run
	stdinReads
)
