package shell

import (
	"fmt"
	"strings"
	"testing"
)

// TestBeginsWithinMemory: a run whose environment or words are more than the limit memory has ended at once, and the next one runs.
func TestBeginsWithinMemory(t *testing.T) {
	env := map[string]string{}
	for i := range 10_000 {
		env[fmt.Sprint("v", i)] = "x"
	}
	for name, s := range map[string]Start{
		"environment": {Script: "echo $v1", Env: env},
		"value":       {Script: "echo $v", Env: map[string]string{"v": strings.Repeat("x", 1<<20)}},
		"words":       {Argv: strings.Split(strings.Repeat("true ", 100_000), " ")},
	} {
		m := newTestMachine()
		m.Limits.Memory = 1 << 20
		s.RunID = "a"
		if err := m.Begin(s); err != nil {
			t.Fatal(err)
		}
		if m.Run.Active || m.Run.Class != "LIMIT_EXCEEDED" || m.Run.Limit != "memory" {
			t.Errorf("%s: the run goes on, or ended by %q %q", name, m.Run.Class, m.Run.Limit)
		}
		if err := m.Begin(Start{Script: "echo next $v1$v", RunID: "b"}); err != nil {
			t.Fatal(err)
		}
		if got := finish(m); got.stdout != "next\n" {
			t.Errorf("%s: then %q %q", name, got.stdout, got.stderr)
		}
	}
}
