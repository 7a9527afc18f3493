// Package clock shows the World's time in the zone the environment names.
package clock

import (
	"strconv"
	"strings"
	"time"

	"eryxsh/core/cmd"
)

// Zone is a time zone.
type Zone struct{ Loc *time.Location }

// Local is the zone of TZ; UTC without one.
func Local(c *cmd.Ctx) *Zone {
	tz, _ := c.Getenv("TZ")
	return &Zone{Named(tz)}
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

// Named is the zone of a TZ value. A value with a fixed offset ("UTC-3",
// "<+07>-7") is understood; a name that is not known is UTC under that name, as in
// a system without a zone database.
func Named(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	name, rest := tz, ""
	if strings.HasPrefix(tz, "<") {
		if i := strings.IndexByte(tz, '>'); i > 0 {
			name, rest = tz[1:i], tz[i+1:]
		}
	} else if i := strings.IndexFunc(tz, func(r rune) bool { return !(r|0x20 >= 'a' && r|0x20 <= 'z') }); i >= 0 {
		name, rest = tz[:i], tz[i:]
	}
	if tz == "" || strings.EqualFold(tz, "UTC") || strings.EqualFold(tz, "UTC0") || strings.EqualFold(name, "Etc") {
		return time.UTC
	}
	sign := -1
	if strings.HasPrefix(rest, "-") {
		sign = 1
	}
	parts := strings.SplitN(strings.TrimLeft(rest, "+-"), ":", 3)
	off := 0
	for i, unit := range []int{3600, 60, 1} {
		if i < len(parts) {
			n, err := strconv.Atoi(parts[i])
			if err != nil {
				break
			}
			off += n * unit
		}
	}
	return time.FixedZone(name, sign*off)
}
