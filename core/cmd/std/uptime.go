package std

import (
	"fmt"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/clock"
)

// upSeconds is how long the made-up machine has been up: always a day.
const upSeconds = 86400

func uptime() *cmd.Command {
	return &cmd.Command{
		Name: "uptime", Summary: "tell how long the system has been running", Usage: "uptime [options]", Origin: "procps-ng 4.0.2",
		Options: []cmd.Option{
			{Short: 'p', Long: "pretty", Help: "show uptime in pretty format"},
			{Short: 's', Long: "since", Help: "system up since"},
		},
		Run: func(c *cmd.Ctx) int {
			zone := clock.Local(c)
			switch {
			case c.Flags.Has("p"):
				c.Out.WriteString("up 1 day\n")
			case c.Flags.Has("s"):
				c.Out.WriteString(clock.Strftime("%Y-%m-%d %H:%M:%S\n", zone.Time(c.Now()-upSeconds*1e9)))
			default:
				fmt.Fprintf(&c.Out, " %s up 1 day,  0:00,  0 users,  load average: 0.00, 0.00, 0.00\n", clock.Strftime("%H:%M:%S", zone.Time(c.Now())))
			}
			return 0
		},
	}
}
