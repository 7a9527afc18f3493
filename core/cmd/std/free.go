package std

import (
	"fmt"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/size"
)

// The made-up memory, in KiB.
const (
	memTotal = 1 << 20
	memFree  = 1 << 19
)

func free() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	return &cmd.Command{
		Name: "free", Summary: "display amount of free and used memory in the system", Usage: "free [options]", Origin: "procps-ng 4.0.2",
		Options: []cmd.Option{
			o('b', "bytes", "show output in bytes"), o('k', "kibi", "show output in kibibytes"), o('m', "mebi", "show output in mebibytes"),
			o('g', "gibi", "show output in gibibytes"), o('h', "human", "show human-readable output"), o('t', "total", "show total for RAM + swap"),
			o('w', "wide", "wide output"),
		},
		Run: func(c *cmd.Ctx) int {
			unit := int64(1024)
			human := false
			for _, f := range c.Flags {
				switch f.Name {
				case "b":
					unit = 1
				case "k":
					unit = 1024
				case "m":
					unit = 1 << 20
				case "g":
					unit = 1 << 30
				case "h":
					human = true
				}
			}
			show := func(kib int64) string {
				if human {
					s := size.Human(uint64(kib)*1024, 1024)
					if kib == 0 {
						return "0B"
					}
					return s + "i"
				}
				return fmt.Sprint(kib * 1024 / unit)
			}
			if c.Flags.Has("w") {
				fmt.Fprintf(&c.Out, "%15s %11s %11s %11s %11s %11s %11s\n", "total", "used", "free", "shared", "buffers", "cache", "available")
				fmt.Fprintf(&c.Out, "%-7s%12s %11s %11s %11s %11s %11s %11s\n", "Mem:", show(memTotal), show(memTotal-memFree), show(memFree), show(0), show(0), show(0), show(memFree))
			} else {
				fmt.Fprintf(&c.Out, "%19s %11s %11s %11s %11s %11s\n", "total", "used", "free", "shared", "buff/cache", "available")
				fmt.Fprintf(&c.Out, "%-7s%12s %11s %11s %11s %11s %11s\n", "Mem:", show(memTotal), show(memTotal-memFree), show(memFree), show(0), show(0), show(memFree))
			}
			fmt.Fprintf(&c.Out, "%-7s%12s %11s %11s\n", "Swap:", show(0), show(0), show(0))
			if c.Flags.Has("t") {
				fmt.Fprintf(&c.Out, "%-7s%12s %11s %11s\n", "Total:", show(memTotal), show(memTotal-memFree), show(memFree))
			}
			return 0
		},
	}
}
