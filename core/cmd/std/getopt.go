package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

func getopt() *cmd.Command {
	return &cmd.Command{
		Name: "getopt", Summary: "parse command options", Origin: "util-linux 2.38.1", Class: cmd.Atomic, Raw: true, Short: true, Run: runGetopt,
		Usage: "getopt <optstring> <parameters>\ngetopt [options] [--] <optstring> <parameters>\ngetopt [options] -o|--options <optstring> [options] [--] <parameters>",
	}
}

// getoptRun is one run: its own options, and what they say about the parameters.
type getoptRun struct {
	c                        *cmd.Ctx
	name, short              string
	long                     []string
	alternative, quiet, mute bool
	plain, csh, given        bool // given: -o was there
	failed                   bool
	out                      []string
	operands                 []string
}

func runGetopt(c *cmd.Ctx) int {
	g := &getoptRun{c: c, name: c.Name}
	_, compatible := c.Getenv("GETOPT_COMPATIBLE")
	args := c.Args
	if len(args) == 0 && !compatible {
		return g.wrong("missing optstring argument")
	}
	if compatible || args[0] == "" || args[0][0] != '-' {
		g.plain, g.given = true, true
		if len(args) > 0 {
			g.short, args = strings.TrimLeft(args[0], "-+"), args[1:]
		}
		return g.answer(args)
	}
	args, status := g.own(args)
	if status >= 0 {
		return status
	}
	if !g.given {
		if len(args) == 0 {
			return g.wrong("missing optstring argument")
		}
		g.short, args = args[0], args[1:]
	}
	return g.answer(args)
}

func (g *getoptRun) wrong(text string) int {
	g.c.Errorf("%s", text)
	g.c.Errout.WriteString("Try 'getopt --help' for more information.\n")
	return 2
}

// own reads getopt's own options; status is not negative when that was all.
func (g *getoptRun) own(args []string) (rest []string, status int) {
	names := []string{"options", "longoptions", "name", "alternative", "quiet", "quiet-output", "shell", "test", "unquoted", "help", "version"}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		opt, value, has := a[1:2], a[2:], len(a) > 2
		if a[1] == '-' {
			word, v, eq := strings.Cut(a[2:], "=")
			found := -1
			for i, name := range names {
				if name == word || found < 0 && strings.HasPrefix(name, word) {
					found = i
				}
			}
			if found < 0 {
				return nil, g.wrong("unrecognized option '" + a + "'")
			}
			opt, value, has = "olnaqQsTuhV"[found:found+1], v, eq
		}
		if strings.Contains("olns", opt) && !has {
			if len(args) == 0 {
				return nil, g.wrong("option requires an argument -- '" + opt + "'")
			}
			value, args = args[0], args[1:]
		}
		switch opt {
		case "o":
			g.short, g.given = value, true
		case "l":
			g.long = append(g.long, strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(", \t\n", r) })...)
		case "n":
			g.name = value
		case "a":
			g.alternative = true
		case "q":
			g.quiet = true
		case "Q":
			g.mute = true
		case "s":
			switch value {
			case "sh", "bash":
			case "csh", "tcsh":
				g.csh = true
			default:
				return nil, g.wrong("unknown shell after -s or --shell argument")
			}
		case "T":
			return nil, 4
		case "u":
			g.plain = true
		case "h":
			g.c.Args = []string{"--help"}
			g.c.SoleHelp()
			return nil, 0
		case "V":
			g.c.Args = []string{"--version"}
			g.c.SoleHelp()
			return nil, 0
		default:
			return nil, g.wrong("invalid option -- '" + opt + "'")
		}
		if has && a[1] != '-' && strings.Contains("aqQTuhV", opt) { // a bundle
			args = append([]string{"-" + value}, args...)
		}
	}
	return args, -1
}

// answer reads the parameters and prints them in order.
func (g *getoptRun) answer(args []string) int {
	mode := byte(0)
	if g.short != "" && (g.short[0] == '+' || g.short[0] == '-') {
		mode, g.short = g.short[0], g.short[1:]
	}
	if _, posix := g.c.Getenv("POSIXLY_CORRECT"); posix && mode == 0 {
		mode = '+'
	}
	for len(args) > 0 {
		a := args[0]
		if args = args[1:]; len(args)%1024 == 0 {
			g.c.Charge(1024)
		}
		switch {
		case a == "--":
			g.operands, args = append(g.operands, args...), nil
		case strings.HasPrefix(a, "--"):
			args = g.longOption(a[2:], "--", args)
		case len(a) > 1 && a[0] == '-':
			if g.alternative && (len(a) > 2 || strings.IndexByte(g.short, a[1]) < 0) && len(g.find(a[1:])) > 0 {
				args = g.longOption(a[1:], "-", args)
			} else {
				args = g.bundle(a[1:], args)
			}
		case mode == '-':
			g.out = append(g.out, g.quoted(a))
		default:
			g.operands = append(large.Extend(g.operands, 1, g.c), a)
			if mode == '+' {
				g.operands, args = append(g.operands, args...), nil
			}
		}
	}
	if !g.mute {
		for _, s := range g.out {
			g.c.Out.WriteString(" " + s)
		}
		g.c.Out.WriteString(" --")
		for i, a := range g.operands {
			if i%1024 == 1023 {
				g.c.Charge(1024)
			}
			g.c.Out.WriteString(" " + g.quoted(a))
		}
		g.c.Out.WriteString("\n")
	}
	if g.failed {
		return 1
	}
	return 0
}

func (g *getoptRun) refuse(text string) {
	g.failed = true
	if !g.quiet {
		g.c.Errout.WriteString(g.name + ": " + text + "\n")
	}
}

// bundle reads short options; it gives the arguments that are left.
func (g *getoptRun) bundle(s string, args []string) []string {
	for i := 0; i < len(s); i++ {
		at := strings.IndexByte(g.short, s[i])
		if at < 0 || s[i] == ':' {
			g.refuse("invalid option -- '" + s[i:i+1] + "'")
			continue
		}
		colons := len(g.short[at+1:]) - len(strings.TrimLeft(g.short[at+1:], ":"))
		if colons == 0 {
			g.out = append(g.out, "-"+s[i:i+1])
			continue
		}
		value, has := s[i+1:], i+1 < len(s)
		if !has && colons == 1 {
			if len(args) == 0 {
				g.refuse("option requires an argument -- '" + s[i:i+1] + "'")
				return args
			}
			value, args = args[0], args[1:]
		}
		g.out = append(g.out, "-"+s[i:i+1], g.quoted(value))
		return args
	}
	return args
}

// find gives the long options a word can mean.
func (g *getoptRun) find(word string) (found []string) {
	word, _, _ = strings.Cut(word, "=")
	for _, l := range g.long {
		switch name := strings.TrimRight(l, ":"); {
		case name == word:
			return []string{l}
		case strings.HasPrefix(name, word):
			found = append(found, l)
		}
	}
	return found
}

func (g *getoptRun) longOption(s, dashes string, args []string) []string {
	word, value, has := strings.Cut(s, "=")
	found := g.find(word)
	switch {
	case len(found) == 0:
		g.refuse("unrecognized option '" + dashes + s + "'")
		return args
	case len(found) > 1:
		text := "option '" + dashes + s + "' is ambiguous; possibilities:"
		for _, l := range found {
			text += " '" + dashes + strings.TrimRight(l, ":") + "'"
		}
		g.refuse(text)
		return args
	}
	name := strings.TrimRight(found[0], ":")
	switch colons := len(found[0]) - len(name); {
	case colons == 0 && has:
		g.refuse("option '" + dashes + name + "' doesn't allow an argument")
		return args
	case colons == 0:
		g.out = append(g.out, "--"+name)
		return args
	case colons == 1 && !has:
		if len(args) == 0 {
			g.refuse("option '" + dashes + name + "' requires an argument")
			return args
		}
		value, args = args[0], args[1:]
	}
	g.out = append(g.out, "--"+name, g.quoted(value))
	return args
}

// quoted makes a word that eval gives back.
func (g *getoptRun) quoted(s string) string {
	if g.plain {
		return s
	}
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			b.WriteString(`'\''`)
		case g.csh && strings.IndexByte("\\!", c) >= 0:
			b.WriteString(`'\` + s[i:i+1] + `'`)
		case g.csh && c == '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
