package std

import (
	"strings"

	"eryxsh/core/cmd"
)

// What uname and arch say of the machine there is not.
const (
	kernelRelease = "6.1.0"
	kernelVersion = "#1 SMP eryxsh"
	machineName   = "x86_64"
)

func uname() *cmd.Command {
	return &cmd.Command{
		Name: "uname", Summary: "print certain system information", Usage: "uname [OPTION]...",
		Options: []cmd.Option{
			{Short: 'a', Long: "all", Help: "print all information"},
			{Short: 's', Long: "kernel-name", Help: "print the kernel name"},
			{Long: "sysname", Help: "print the kernel name"},
			{Short: 'n', Long: "nodename", Help: "print the network node hostname"},
			{Short: 'r', Long: "kernel-release", Help: "print the kernel release"},
			{Long: "release", Help: "print the kernel release"},
			{Short: 'v', Long: "kernel-version", Help: "print the kernel version"},
			{Short: 'm', Long: "machine", Help: "print the machine hardware name"},
			{Short: 'p', Long: "processor", Help: "print the processor type (non-portable)"},
			{Short: 'i', Long: "hardware-platform", Help: "print the hardware platform (non-portable)"},
			{Short: 'o', Long: "operating-system", Help: "print the operating system"},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			all := c.Flags.Has("a")
			var out []string
			for _, f := range []struct{ names, value string }{
				{"s sysname", "Linux"}, {"n", c.Hostname()}, {"r release", kernelRelease}, {"v", kernelVersion},
				{"m", machineName}, {"p", "unknown"}, {"i", "unknown"}, {"o", "GNU/Linux"},
			} {
				given := false
				for _, n := range strings.Fields(f.names) {
					given = given || c.Flags.Has(n)
				}
				if given || all && f.value != "unknown" || f.value == "Linux" && len(c.Flags) == 0 {
					out = append(out, f.value)
				}
			}
			c.Out.WriteString(strings.Join(out, " ") + "\n")
			return 0
		},
	}
}

func arch() *cmd.Command {
	return &cmd.Command{
		Name: "arch", Summary: "print machine architecture", Usage: "arch [OPTION]...",
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) > 0 {
				return c.ExtraOperand(c.Args[0])
			}
			c.Out.WriteString(machineName + "\n")
			return 0
		},
	}
}
