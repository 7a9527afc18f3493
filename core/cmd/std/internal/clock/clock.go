// Package clock shows the World's time in the zone the environment names.
package clock

import (
	"time"

	"eryxsh/core/cmd"
	"eryxsh/core/zone"
)

// Zone is a time zone.
type Zone struct{ Loc *time.Location }

// Local is the zone of TZ; UTC without one.
func Local(c *cmd.Ctx) *Zone {
	tz, _ := c.Getenv("TZ")
	return &Zone{zone.Named(tz)}
}

// Time shows nanoseconds since 1970 in the zone.
func (z *Zone) Time(ns int64) time.Time {
	return time.Unix(floorDiv(ns, 1e9), floorMod(ns, 1e9)).In(z.Loc)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
