package clock

import (
	"time"

	"eryxsh/core/cmd/format"
)

// Strftime writes a time as date(1) does.
func Strftime(layout string, t time.Time) string {
	return string(format.Strftime(nil, layout, t, true))
}
