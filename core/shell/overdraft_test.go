package shell

import "testing"

// hurriedHost answers what asks in the middle of a step, and counts it.
type hurriedHost struct {
	testHost
	says  Midway
	asked *int
}

func (h hurriedHost) Midway() Midway {
	*h.asked++
	return h.says
}

// TestMidway: a step that takes long asks how it goes on, and is given up with
// its run if the time is used up or somebody has cancelled it. A short one never asks.
func TestMidway(t *testing.T) {
	const long = "x=$(head -c 5000 /dev/zero | tr '\\0' a); x=${x//+(a|aa)b/c}; echo end"
	for _, c := range []struct {
		script string
		says   Midway
		stdout string
		class  string
		status int
	}{
		{"x=aab; echo ${x//+(a|aa)b/c}", OutOfTime, "a\nc\n", "", 0},
		{long, OutOfTime, "a\n", "TIMEOUT", 124},
		{long, Cancelled, "a\n", "CANCELLED", 130},
		{long, GoOn, "a\nend\n", "", 0},
	} {
		asked := 0
		m := newTestMachine()
		if err := m.Begin(Start{Script: "shopt -s extglob\necho a\n" + c.script, RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		if out, _ := m.Advance(hurriedHost{says: c.says, asked: &asked}); out != Done {
			t.Errorf("%s: outcome %d", c.script, out)
		}
		if got := result(m); got.stdout != c.stdout || m.Run.Class != c.class || got.status != c.status || (asked > 0) != (c.script == long) {
			t.Errorf("%s: %+v, %s, asked %d times", c.script, got, m.Run.Class, asked)
		}
	}
}
