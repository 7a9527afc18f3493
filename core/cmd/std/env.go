package std

import (
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
	"eryxsh/core/cmd/std/internal/signals"
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
			{Long: "default-signal", Arg: cmd.Optional, Meta: "SIG", Help: "reset handling of SIG signal(s) to the default"},
			{Long: "ignore-signal", Arg: cmd.Optional, Meta: "SIG", Help: "set handling of SIG signal(s) to do nothing"},
			{Long: "list-signal-handling", Help: "list non default signal handling to stderr"},
			{Short: 'v', Long: "debug", Help: "print verbose information for each processing step"},
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
		if flags[:i].Has("v") {
			debugSplit(c, flags[i].Value, words)
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
	debug := func(format string, args ...any) {
		if flags.Has("v") {
			fmt.Fprintf(&c.Errout, format, args...)
		}
	}
	actions, ok := readSignals(c, flags)
	if !ok {
		return cmd.Exit(c.TryHelp())
	}
	vars, fresh := slices.Clone(c.Environ()), flags.Has("i")
	if len(args) > 0 && args[0] == "-" {
		fresh, args = true, args[1:]
	}
	if fresh {
		debug("cleaning environ\n")
		vars = nil
	}
	for _, f := range flags {
		if f.Name != "u" || fresh {
			continue
		}
		debug("unset:    %s\n", f.Value)
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
		debug("setenv:   %s\n", args[0])
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
	actions.tell(c, debug, flags.Has("list-signal-handling"))
	if hasDir {
		debug("chdir:    %s\n", quote.Shell(c, dir.Value))
		if err := enterable(c, dir.Value); err != nil {
			c.Errorf("cannot change directory to %s: %s", quote.Shell(c, dir.Value), err)
			return cmd.Exit(125)
		}
	}
	if vars == nil {
		vars = []string{}
	}
	debug("executing: %s\n", args[0])
	for i := 0; i < len(args) && flags.Has("v"); i++ {
		debug("   arg[%d]= %s\n", i, quote.Locale(c, args[i]))
	}
	return child.Become(c, cmd.Spawn{Argv: args, Env: vars, Dir: dir.Value, Ignore: actions.ignore, Default: actions.reset}, func(err error) {
		c.Errorf("%s: %s", quote.Locale(c, args[0]), err)
		if strings.ContainsAny(args[0], " \t") && err == vfs.ENOENT {
			c.Errorf("use -[v]S to pass options in shebang lines")
		}
	})
}

// debugSplit shows what became of the argument of -S.
func debugSplit(c *cmd.Ctx, text string, words []string) {
	fmt.Fprintf(&c.Errout, "split -S:  %s\n", quote.Locale(c, text))
	for i, w := range words {
		what := " into:  "
		if i > 0 {
			what = "     &  "
		}
		fmt.Fprintf(&c.Errout, "%s  %s\n", what, quote.Locale(c, w))
	}
}

// envSignals are the signals that the command is to ignore, and those that are to have their default effect.
type envSignals struct{ ignore, reset []int }

// readSignals reads --ignore-signal and --default-signal: the last word about a signal counts.
func readSignals(c *cmd.Ctx, flags cmd.Flags) (s envSignals, ok bool) {
	const kill, stop = 9, 19 // which cannot be changed
	var last [65]string
	for _, f := range flags {
		if f.Name != "ignore-signal" && f.Name != "default-signal" {
			continue
		}
		for n := 1; n < len(last) && !f.Has; n++ {
			if signals.Name(n) != "" && n != kill && n != stop {
				last[n] = f.Name
			}
		}
		for name := range strings.SplitSeq(f.Value, ",") {
			if !f.Has || name == "" {
				continue
			}
			n, known := signals.Parse(name)
			if !known || n == 0 || signals.Name(n) == "" {
				c.Errorf("%s: invalid signal", quote.Locale(c, name))
				return s, false
			}
			if n == kill || n == stop {
				c.Errorf("failed to set signal action for signal %d: Invalid argument", n)
				return s, false
			}
			last[n] = f.Name
		}
	}
	for n, what := range last {
		switch what {
		case "ignore-signal":
			s.ignore = append(s.ignore, n)
		case "default-signal":
			s.reset = append(s.reset, n)
		}
	}
	return s, true
}

// tell reports what happens to signals, and lists those that the command will ignore.
func (s envSignals) tell(c *cmd.Ctx, debug func(string, ...any), list bool) {
	for n := 1; n <= 64; n++ {
		switch {
		case slices.Contains(s.ignore, n):
			debug("Reset signal %s (%d) to IGNORE\n", signals.Name(n), n)
		case slices.Contains(s.reset, n):
			debug("Reset signal %s (%d) to DEFAULT\n", signals.Name(n), n)
		}
	}
	for n := 1; n <= 64 && list; n++ {
		if slices.Contains(s.ignore, n) || slices.Contains(c.Ignored(), n) && !slices.Contains(s.reset, n) {
			fmt.Fprintf(&c.Errout, "%-10s (%2d): IGNORE\n", signals.Name(n), n)
		}
	}
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
