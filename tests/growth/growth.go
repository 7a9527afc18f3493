// Package growth tells work that grows in proportion to its input from work
// that grows with its square, for tests of whatever reads a text.
package growth

import (
	"testing"
	"time"
)

const (
	floor = 200 * time.Microsecond // below it a clock and a collector say more than the work
	bound = 50                     // what is quadratic takes a hundred times as long; the rest is room for a busy machine
	tries = 10                     // what is quadratic is so each time
)

// InProportion fails the test unless ten times the size takes work about ten times as long.
func InProportion(t *testing.T, what string, size int, work func(size int)) {
	t.Helper()
	took := func(size int) time.Duration {
		start := time.Now()
		work(size)
		return time.Since(start)
	}
	var one, ten time.Duration
	for range tries {
		if one, ten = max(took(size), floor), took(10*size); ten <= bound*one {
			return
		}
	}
	t.Errorf("%s: ten times the size takes %.0f times as long: %s", what, float64(ten)/float64(one), ten)
}
