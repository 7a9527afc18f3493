package std

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/signals"
	"eryxsh/core/regex"
)

func pgrep() *cmd.Command {
	return &cmd.Command{
		Name: "pgrep", Summary: "look up processes based on name and other attributes", Usage: "pgrep [options] <pattern>", Origin: "procps-ng 4.0.2", Status: 2,
		Options: append(procOptions(),
			cmd.Option{Short: 'a', Long: "list-full", Help: "list PID and full command line"},
			cmd.Option{Short: 'd', Long: "delimiter", Arg: cmd.Required, Help: "specify output delimiter"},
			cmd.Option{Short: 'l', Long: "list-name", Help: "list PID and process name"}),
		Hint:  "Try `NAME --help' for more information.\n",
		Class: cmd.Step, New: newListing,
	}
}

func pkill() *cmd.Command {
	return &cmd.Command{
		Name: "pkill", Summary: "signal processes based on name and other attributes", Usage: "pkill [options] <pattern>", Origin: "procps-ng 4.0.2", Status: 2,
		Options: append(procOptions(),
			cmd.Option{Long: "signal", Arg: cmd.Required, Help: "signal to send (either number or name)"},
			cmd.Option{Short: 'e', Long: "echo", Help: "display what is killed"}),
		Obsolete: killSignal,
		Hint:     "Try `NAME --help' for more information.\n",
		Class:    cmd.Step, New: newListing,
	}
}

// procOptions say which processes are meant.
func procOptions() []cmd.Option {
	return []cmd.Option{
		{Short: 'c', Long: "count", Help: "count of matching processes"},
		{Short: 'f', Long: "full", Help: "use full process name to match"},
		{Short: 'i', Long: "ignore-case", Help: "match case insensitively"},
		{Short: 'n', Long: "newest", Help: "select most recently started"},
		{Short: 'o', Long: "oldest", Help: "select least recently started"},
		{Short: 'P', Long: "parent", Arg: cmd.Required, Help: "match only child processes of the given parent"},
		{Short: 'u', Long: "euid", Arg: cmd.Required, Help: "match by effective IDs"},
		{Short: 'U', Long: "uid", Arg: cmd.Required, Help: "match by real IDs"},
		{Short: 'v', Long: "inverse", Help: "negates the matching"},
		{Short: 'x', Long: "exact", Help: "match exactly with the command name"},
	}
}

// killSignal makes --signal=9 of -9 and -KILL.
func killSignal(_ *cmd.Ctx, args []string) []string {
	for i, a := range args {
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			continue
		}
		if n, ok := signals.Parse(a[1:]); ok {
			args = slices.Clone(args)
			args[i] = "--signal=" + strconv.Itoa(n)
			break
		}
	}
	return args
}

// matched gives the processes meant, but for the one that asks; a status to end with, or -1.
func matched(c *cmd.Ctx, args []string) (found []cmd.Process, status int) {
	if len(args) > 1 {
		return nil, c.UsageError("only one pattern can be provided")
	}
	parents, users := c.Flags.Value("P"), c.Flags.Value("u")+c.Flags.Value("U")
	if len(args) == 0 && parents == "" && users == "" {
		return nil, c.UsageError("no matching criteria specified")
	}
	var re *regex.Regexp
	if len(args) == 1 {
		pattern := args[0]
		if c.Flags.Has("x") {
			pattern = "^(" + pattern + ")$"
		}
		var err error
		if re, err = regex.Compile([]byte(pattern), regex.Options{Syntax: regex.GrepExtended, Bytes: c.Bytes(), Fold: c.Flags.Has("i"), NoSub: true, Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need}); err != nil {
			c.Errorf("regex error: %s", err)
			return nil, 2
		}
		re.Meter(c.Charge)
	}
	for _, p := range c.Processes() {
		text := shortName(&p)
		if c.Flags.Has("f") {
			text = strings.Join(p.Args, " ")
		}
		ok := true
		if re != nil {
			var err error
			if ok, err = re.Match([]byte(text)); err != nil {
				c.Errorf("%s", err)
				return nil, 2
			}
		}
		ok = ok && (parents == "" || listed(parents, strconv.Itoa(p.PPID))) &&
			(users == "" || listed(users, c.User()) || listed(users, strconv.Itoa(c.UID())))
		if !p.Self && ok != c.Flags.Has("v") {
			found = append(found, p)
		}
	}
	if n := len(found); n > 1 && c.Flags.Has("n") {
		found = found[n-1:]
	} else if n > 1 && c.Flags.Has("o") {
		found = found[:1]
	}
	return found, -1
}

func listed(list, item string) bool { return slices.Contains(strings.Split(list, ","), item) }

func runPgrep(c *cmd.Ctx) int {
	found, status := matched(c, c.Args)
	if status >= 0 {
		return status
	}
	delimiter := "\n"
	if c.Flags.Has("d") {
		delimiter = c.Flags.Value("d")
	}
	if c.Flags.Has("c") {
		fmt.Fprintf(&c.Out, "%d\n", len(found))
	} else {
		for i := range found {
			line := strconv.Itoa(found[i].PID)
			if c.Flags.Has("a") {
				line += " " + strings.Join(found[i].Args, " ")
			} else if c.Flags.Has("l") {
				line += " " + shortName(&found[i])
			}
			if i < len(found)-1 {
				line += delimiter
			} else {
				line += "\n"
			}
			c.Out.WriteString(line)
		}
	}
	return noneFound(found)
}

func noneFound(found []cmd.Process) int {
	if len(found) == 0 {
		return 1
	}
	return 0
}

func runPkill(c *cmd.Ctx) int {
	sig := signals.TERM
	if name := c.Flags.Value("signal"); c.Flags.Has("signal") {
		n, ok := signals.Parse(name)
		if !ok {
			return c.UsageError("Unknown signal \"%s\".", name)
		}
		sig = n
	}
	found, status := matched(c, c.Args)
	if status >= 0 {
		return status
	}
	for i := range found {
		if err := c.Kill(found[i].PID, sig); err != nil {
			c.Errorf("killing pid %d failed: %s", found[i].PID, err)
			continue
		}
		if c.Flags.Has("e") {
			fmt.Fprintf(&c.Out, "%s killed (pid %d)\n", shortName(&found[i]), found[i].PID)
		}
	}
	if c.Flags.Has("c") {
		fmt.Fprintf(&c.Out, "%d\n", len(found))
	}
	return noneFound(found)
}
