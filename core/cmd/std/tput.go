package std

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
)

// tput knows two kinds of terminal: "dumb", which a sandbox says it has, and
// xterm, for scripts that set TERM and colour what they write.
func tput() *cmd.Command {
	return &cmd.Command{
		Name: "tput", Summary: "initialize a terminal or query terminfo database", Usage: "tput [options] [command]", Origin: "ncurses 6.4", Status: 2,
		Options: []cmd.Option{
			{Short: 'T', Arg: cmd.Required, Meta: "TERM", Help: "use this instead of $TERM"},
			{Short: 'S', Help: "read commands from standard input", Missing: true}, {Short: 'x', Help: "do not try to clear scrollback"},
		},
		StopAtOperand: true, Class: cmd.Atomic, Run: runTput,
	}
}

func clearCommand() *cmd.Command {
	return &cmd.Command{
		Name: "clear", Summary: "clear the terminal screen", Usage: "clear [options]", Origin: "ncurses 6.4",
		Options: []cmd.Option{{Short: 'T', Arg: cmd.Required, Meta: "TERM", Help: "use this instead of $TERM"}, {Short: 'x', Help: "do not try to clear scrollback"}},
		Class:   cmd.Atomic, Run: runClear,
	}
}

// terminal is the capabilities of a terminal; "%1" and "%2" stand for the parameters.
func terminal(name string) (caps map[string]string, ok bool) {
	caps = map[string]string{"cols": "80", "lines": "24", "colors": "-1", "bel": "\a", "cr": "\r", "am": "", "cud1": "\n", "ind": "\n"}
	if name == "dumb" {
		return caps, true
	}
	if base, _, _ := strings.Cut(name, "-"); base != "xterm" && base != "rxvt" && base != "vte" && base != "tmux" && base != "screen" && base != "linux" && base != "ansi" {
		return nil, false
	}
	for _, c := range []string{"bold=\x1b[1m", "dim=\x1b[2m", "sitm=\x1b[3m", "ritm=\x1b[23m", "smul=\x1b[4m", "rmul=\x1b[24m", "blink=\x1b[5m", "rev=\x1b[7m", "invis=\x1b[8m",
		"smso=\x1b[7m", "rmso=\x1b[27m", "sgr0=\x1b(B\x1b[m", "op=\x1b[39;49m", "clear=\x1b[H\x1b[2J\x1b[3J", "el=\x1b[K", "el1=\x1b[1K", "ed=\x1b[J", "home=\x1b[H",
		"civis=\x1b[?25l", "cnorm=\x1b[?12l\x1b[?25h", "cuu1=\x1b[A", "cub1=\b", "cuf1=\x1b[C", "sc=\x1b7", "rc=\x1b8", "smcup=\x1b[?1049h\x1b[22;0;0t", "rmcup=\x1b[?1049l\x1b[23;0;0t",
		"setaf=\x1b[3%1m", "setab=\x1b[4%1m", "cup=\x1b[%1;%2H", "cuu=\x1b[%1A", "cud=\x1b[%1B", "cuf=\x1b[%1C", "cub=\x1b[%1D", "colors=8"} {
		k, v, _ := strings.Cut(c, "=")
		caps[k] = v
	}
	if strings.HasSuffix(name, "-256color") {
		caps["colors"] = "256"
	}
	return caps, true
}

func runTput(c *cmd.Ctx) int {
	term, _ := c.Getenv("TERM")
	if f, ok := c.Flags.Last("T"); ok {
		term = f.Value
	}
	if term == "" {
		c.Errout.WriteString("tput: No value for $TERM and no -T specified\n")
		return 2
	}
	if len(c.Args) == 0 {
		return c.UsageError("a capability is needed")
	}
	caps, ok := terminal(term)
	if !ok {
		c.Errout.WriteString("tput: unknown terminal \"" + term + "\"\n")
		return 3
	}
	name, args := c.Args[0], c.Args[1:]
	text, has := caps[name]
	known, _ := terminal("xterm")
	switch _, real := known[name]; {
	case name == "longname":
		text = term
	case name == "init" || name == "reset":
		return 0
	case !has && name == "clear":
		return 2
	case !has && real:
		return 1
	case !has:
		c.Errout.WriteString("tput: unknown terminfo capability '" + name + "'\n")
		return 4
	}
	switch name {
	case "cols", "lines", "colors":
		c.Out.WriteString(text + "\n")
		return 0
	}
	var n [2]int
	for i := range n {
		if i < len(args) {
			n[i], _ = strconv.Atoi(args[i])
		}
	}
	switch {
	case (name == "setaf" || name == "setab") && n[0] >= 8:
		lead := map[string]string{"setaf": "3", "setab": "4"}[name]
		if text = "\x1b[" + lead + "8;5;" + strconv.Itoa(n[0]) + "m"; n[0] < 16 {
			text = "\x1b[" + map[string]string{"setaf": "9", "setab": "10"}[name] + strconv.Itoa(n[0]-8) + "m"
		}
	case name == "cup":
		n[0]++
		n[1]++
	}
	c.Out.WriteString(strings.NewReplacer("%1", strconv.Itoa(n[0]), "%2", strconv.Itoa(n[1])).Replace(text))
	return 0
}

func runClear(c *cmd.Ctx) int {
	term, _ := c.Getenv("TERM")
	if f, ok := c.Flags.Last("T"); ok {
		term = f.Value
	}
	caps, ok := terminal(term)
	switch {
	case term == "":
		c.Errout.WriteString("TERM environment variable not set.\n")
	case !ok:
		c.Errout.WriteString("'" + term + "': unknown terminal type.\n")
	default:
		if text, has := caps["clear"]; has {
			c.Out.WriteString(text)
			return 0
		}
	}
	return 1
}
