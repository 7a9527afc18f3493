package shell

import "testing"

// hurriedHost has no time left; only what asks in the middle of a step hears of it.
type hurriedHost struct {
	testHost
	asked *int
}

func (h hurriedHost) OutOfTime() bool {
	*h.asked++
	return true
}

// TestOutOfTime: a step that has no end in the time left is given up, and the
// run with it. A short one never asks.
func TestOutOfTime(t *testing.T) {
	for _, c := range []struct {
		script, stdout, limit string
		status                int
	}{
		{"echo a; x=aab; echo ${x//+(a|aa)b/c}", "a\nc\n", "", 0},
		{"echo a; x=$(head -c 5000 /dev/zero | tr '\\0' a); x=${x//+(a|aa)b/c}; echo never", "a\n", "timeout", 124},
	} {
		asked := 0
		m := newTestMachine()
		if err := m.Begin(Start{Script: "shopt -s extglob\n" + c.script, RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		if out, _ := m.Advance(hurriedHost{asked: &asked}); out != Done {
			t.Errorf("%s: outcome %d", c.script, out)
		}
		if got := result(m); got.stdout != c.stdout || got.limit != c.limit || got.status != c.status || (asked > 0) != (c.limit != "") {
			t.Errorf("%s: %+v, asked %d times", c.script, got, asked)
		}
	}
}
