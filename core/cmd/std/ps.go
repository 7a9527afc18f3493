package std

import (
	"fmt"

	"eryxsh/core/cmd"
)

// ps shows the one process it knows: itself.
func ps() *cmd.Command {
	return &cmd.Command{
		Name: "ps", Summary: "report a snapshot of the current processes", Usage: "ps [options]", Origin: "procps-ng 4.0.2", Raw: true,
		Run: func(c *cmd.Ctx) int {
			for _, a := range c.Args {
				switch a {
				case "-e", "-A", "a", "x", "ax", "-ax":
				case "aux", "-aux", "u":
					fmt.Fprintf(&c.Out, "USER         PID %%CPU %%MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n")
					fmt.Fprintf(&c.Out, "%-8s %7d  0.0  0.0      0     0 ?        R    00:00   0:00 ps %s\n", c.User(), c.PID(), a)
					return 0
				case "-f", "-ef":
					fmt.Fprintf(&c.Out, "UID          PID    PPID  C STIME TTY          TIME CMD\n")
					fmt.Fprintf(&c.Out, "%-8s %7d       1  0 00:00 ?        00:00:00 ps %s\n", c.User(), c.PID(), a)
					return 0
				default:
					return c.NotYet("argument " + a)
				}
			}
			fmt.Fprintf(&c.Out, "    PID TTY          TIME CMD\n%7d ?        00:00:00 ps\n", c.PID())
			return 0
		},
	}
}
