package std

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/signals"
	"eryxsh/vfs"
)

func kill() *cmd.Command {
	return &cmd.Command{
		Name: "kill", Summary: "send signals to processes, or list signals", Usage: "kill [-s SIGNAL | -SIGNAL] PID...\nkill -l [SIGNAL]...",
		Raw: true, Origin: "procps-ng 4.0.2", Run: runKill,
	}
}

func runKill(c *cmd.Ctx) int {
	sig, args := signals.TERM, c.Args
	bad := func(s string) int { c.Errorf("%s: invalid signal", quote.Locale(c, s)); return 1 }
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		opt := args[0]
		args = args[1:]
		switch {
		case opt == "-l" || opt == "-L" || opt == "--list" || opt == "--table":
			return listSignals(c, args)
		case opt == "-s" || opt == "-n" || opt == "--signal":
			if len(args) == 0 {
				return c.UsageError("option requires an argument -- '%s'", strings.TrimLeft(opt, "-"))
			}
			n, ok := signals.Parse(args[0])
			if !ok {
				return bad(args[0])
			}
			sig, args = n, args[1:]
		default:
			n, ok := signals.Parse(strings.TrimPrefix(strings.TrimPrefix(opt, "--signal="), "-"))
			if !ok {
				return bad(opt[1:])
			}
			sig = n
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.UsageError("no process ID specified")
	}
	status := 0
	for _, a := range args {
		pid, err := strconv.Atoi(a)
		if err != nil {
			c.Errorf("failed to parse argument: %s", quote.Shell(c, a))
			status = 1
			continue
		}
		if err := c.Kill(pid, sig); err != nil {
			why := err.Error()
			if err != vfs.EPERM {
				why = "No such process"
			}
			c.Errorf("(%d): %s", pid, why)
			status = 1
		}
	}
	return status
}

func listSignals(c *cmd.Ctx, args []string) int {
	if len(args) == 0 {
		var l []string
		for n := 1; n <= 31; n++ {
			l = append(l, signals.Name(n))
		}
		c.Out.WriteString(strings.Join(l, " ") + "\n")
		return 0
	}
	status := 0
	for _, a := range args {
		n, ok := signals.Parse(a)
		if v, err := strconv.Atoi(a); err == nil && v > 128 {
			n, ok = v-128, signals.Name(v-128) != ""
		}
		switch {
		case !ok:
			c.Errorf("unknown signal name %s", a)
			status = 1
		case a[0] >= '0' && a[0] <= '9':
			c.Out.WriteString(signals.Name(n) + "\n")
		default:
			c.Out.WriteString(strconv.Itoa(n) + "\n")
		}
	}
	return status
}
