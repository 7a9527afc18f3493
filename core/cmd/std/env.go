package std

import (
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
	"eryxsh/vfs"
)

func env() *cmd.Command {
	return &cmd.Command{
		Name: "env", Acts: true, Summary: "set each NAME to VALUE in the environment and run COMMAND",
		Usage: "env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]", StopAtOperand: true, Status: 125,
		Options: []cmd.Option{
			{Short: 'i', Long: "ignore-environment", Help: "start with an empty environment"},
			{Short: '0', Long: "null", Help: "end each output line with NUL, not newline"},
			{Short: 'u', Long: "unset", Arg: cmd.Required, Meta: "NAME", Help: "remove variable from the environment"},
			{Short: 'C', Long: "chdir", Arg: cmd.Required, Meta: "DIR", Help: "change working directory to DIR"},
			{Short: 'S', Long: "split-string", Arg: cmd.Required, Meta: "S", Help: "process and split S into separate arguments"},
			{Long: "block-signal", Arg: cmd.Optional, Meta: "SIG", Help: "block delivery of SIG signal(s) to COMMAND", Missing: true},
			{Long: "default-signal", Arg: cmd.Optional, Meta: "SIG", Help: "reset handling of SIG signal(s) to the default", Missing: true},
			{Long: "ignore-signal", Arg: cmd.Optional, Meta: "SIG", Help: "set handling of SIG signal(s) to do nothing", Missing: true},
			{Long: "list-signal-handling", Help: "list non default signal handling to stderr", Missing: true},
			{Short: 'v', Long: "debug", Help: "print verbose information for each processing step", Missing: true},
		},
		Class: cmd.Step, New: func() cmd.Program { return &envProgram{} },
	}
}

type envProgram struct {
	Child child.Child `cbor:"1,keyasint,omitempty"`
}

// Step becomes the command.
func (p *envProgram) Step(c *cmd.Ctx) cmd.Next {
	if next, waits := p.Child.Waits(c); waits {
		return next
	}
	flags, args := c.Flags, c.Args
	for depth := 0; flags.Has("S"); depth++ {
		i := slices.IndexFunc(flags, func(f cmd.Flag) bool { return f.Name == "S" })
		words, err := splitString(c, flags[i].Value)
		if err != "" {
			c.Errorf("%s", err)
			return cmd.Exit(125)
		}
		sub := cmd.Ctx{Name: c.Name, System: c.System}
		status, done := cmd.Parse(&sub, env(), append(words, args...))
		c.Out.B = append(c.Out.B, sub.Out.B...)
		c.Errout.B = append(c.Errout.B, sub.Errout.B...)
		if done || depth > 100 {
			return cmd.Exit(status)
		}
		flags, args = append(slices.Clone(flags[:i]), append(sub.Flags, flags[i+1:]...)...), sub.Args
	}
	return startEnv(c, flags, args)
}

func startEnv(c *cmd.Ctx, flags cmd.Flags, args []string) cmd.Next {
	vars := slices.Clone(c.Environ())
	if len(args) > 0 && args[0] == "-" {
		vars, args = nil, args[1:]
	}
	if flags.Has("i") {
		vars = nil
	}
	for _, f := range flags {
		if f.Name != "u" {
			continue
		}
		if f.Value == "" || strings.Contains(f.Value, "=") {
			c.Errorf("cannot unset %s: Invalid argument", quote.Locale(c, f.Value))
			return cmd.Exit(125)
		}
		vars = setenv(vars, f.Value, "", false)
	}
	for len(args) > 0 {
		name, value, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		vars = setenv(vars, name, value, true)
		args = args[1:]
	}
	dir, hasDir := flags.Last("C")
	if len(args) == 0 {
		end := byte('\n')
		if flags.Has("0") {
			end = 0
		}
		if hasDir {
			return cmd.Exit(c.UsageError("must specify command with --chdir (-C)"))
		}
		for _, v := range vars {
			c.Out.WriteString(v)
			c.Out.WriteByte(end)
		}
		return cmd.Exit(0)
	}
	if flags.Has("0") {
		return cmd.Exit(c.UsageError("cannot specify --null (-0) with command"))
	}
	if hasDir {
		if err := enterable(c, dir.Value); err != nil {
			c.Errorf("cannot change directory to %s: %s", quote.Shell(c, dir.Value), err)
			return cmd.Exit(125)
		}
	}
	if vars == nil {
		vars = []string{}
	}
	return child.Become(c, cmd.Spawn{Argv: args, Env: vars, Dir: dir.Value}, func(err error) {
		c.Errorf("%s: %s", quote.Locale(c, args[0]), err)
		if strings.ContainsAny(args[0], " \t") && err == vfs.ENOENT {
			c.Errorf("use -[v]S to pass options in shebang lines")
		}
	})
}

// setenv sets or removes a variable.
func setenv(vars []string, name, value string, set bool) []string {
	vars = slices.DeleteFunc(vars, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	if set {
		vars = append(vars, name+"="+value)
		slices.Sort(vars)
	}
	return vars
}

// splitString splits the argument of -S into words; on an error it gives the message.
func splitString(c *cmd.Ctx, s string) (words []string, message string) {
	var w strings.Builder
	in, quoted := false, byte(0)
	flush := func() {
		if in {
			words = append(words, w.String())
		}
		w.Reset()
		in = false
	}
	put := func(b byte) { w.WriteByte(b); in = true }
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == '\'' && quoted != '"', ch == '"' && quoted != '\'':
			in = true
			if quoted == 0 {
				quoted = ch
			} else {
				quoted = 0
			}
		case (ch == ' ' || ch >= '\t' && ch <= '\r') && quoted == 0:
			flush()
		case ch == '#' && !in && quoted == 0:
			return words, ""
		case ch == '\\' && (quoted != '\'' || i+1 < len(s) && strings.IndexByte(`\'`, s[i+1]) >= 0):
			if i++; i == len(s) {
				return nil, "invalid backslash at end of string in -S"
			}
			switch e := s[i]; e {
			case '"', '#', '$', '\'', '\\':
				put(e)
			case 'c':
				if quoted == '"' {
					return nil, "'\\c' must not appear in double-quoted -S string"
				}
				flush()
				return words, ""
			case '_':
				if quoted == 0 {
					flush()
				} else {
					put(' ')
				}
			default:
				j := strings.IndexByte("fnrtv", e)
				if j < 0 {
					return nil, "invalid sequence '\\" + string(e) + "' in -S"
				}
				put("\f\n\r\t\v"[j])
			}
		case ch == '$' && quoted != '\'':
			end := strings.IndexByte(s[i:], '}')
			if !strings.HasPrefix(s[i:], "${") || end < 3 || !isName(s[i+2:i+end]) {
				return nil, "only ${VARNAME} expansion is supported, error at: " + s[i:]
			}
			v, ok := c.Getenv(s[i+2 : i+end])
			if ok {
				in = true
				w.WriteString(v)
			}
			i += end
		default:
			put(ch)
		}
	}
	if quoted != 0 {
		return nil, "no terminating quote in -S string"
	}
	flush()
	return words, ""
}

// enterable says why a directory cannot be a working directory; nil if it can.
func enterable(c *cmd.Ctx, dir string) error {
	st, err := c.Stat(dir)
	if err != nil {
		return err
	}
	if !st.Mode.IsDir() {
		return vfs.ENOTDIR
	}
	return c.Access(dir, vfs.X_OK)
}

// isName reports whether s can be a variable's name.
func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
