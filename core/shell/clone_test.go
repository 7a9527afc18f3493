package shell

import (
	"testing"

	"eryxsh/core/limit"
)

// TestPointsAreLight: a slice has a point to go back to while the commands in
// flight hold little, whether they have declared it or not; where it must, always.
func TestPointsAreLight(t *testing.T) {
	for _, c := range []struct {
		script string // up to a sleep
		light  bool
	}{
		{"sleep 9", true},
		{"x=$(seq 100000); sleep 9", true},
		{"(seq 5; sleep 9) | sort", true},
		{"(seq 100000; sleep 9) | sort", false},
		{"(seq 5; sleep 9) | awk '{ a[NR] = $0 }'", true},
		{"(seq 100000; sleep 9) | awk '{ a[NR] = $0 }'", false},
		{"seq 100000 | (sleep 9; cat)", true},
	} {
		m := newTestMachine()
		m.Limits = limit.Default()
		m.Clock.Virtual = false
		if err := m.Begin(Start{Script: c.script, RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		if out, _ := m.Advance(testHost{}); out != Sleeping {
			t.Fatalf("%s: outcome %d", c.script, out)
		}
		if got := m.Light(false, false); got != c.light {
			t.Errorf("%s: light is %t, weight %d", c.script, got, m.weight(tooHeavy))
		}
		if !m.Light(true, false) || m.Point(nil) == nil {
			t.Errorf("%s: no point where there must be one", c.script)
		}
		m.Cancel()
	}
}
