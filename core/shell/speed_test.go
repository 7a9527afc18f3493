package shell

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// cost is what running a script takes: bytes allocated, which do not depend on
// how busy the machine is, and the shortest of a few times.
func cost(t *testing.T, script string) (bytes float64, best time.Duration) {
	t.Helper()
	var before, after runtime.MemStats
	for i := range 4 {
		runtime.ReadMemStats(&before)
		start := time.Now()
		got := runScript(script)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if got.status != 0 || got.stderr != "" || got.limit != "" {
			t.Fatalf("%.60s: status %d, limit %q, %q", script, got.status, got.limit, got.stderr)
		}
		b := float64(after.TotalAlloc - before.TotalAlloc)
		if i == 0 || b < bytes {
			bytes = b
		}
		if i == 0 || took < best {
			best = took
		}
	}
	return bytes, best
}

// Ten times the work takes about ten times as long. What is quadratic takes a
// hundred times: the bound on times leaves room for a busy machine.
func TestLinear(t *testing.T) {
	for _, c := range []struct {
		name, script string
		n            int
	}{
		{"append to an array", "a=(); for ((i=0;i<%d;i++)); do a+=(x); done", 4000},
		{"append to a string", "s=; for ((i=0;i<%d;i++)); do s+=abcdefgh; done", 4000},
		{"append to an element", "for ((i=0;i<%d;i++)); do a[3]+=x; done; unset 'a[3]'", 200},
		{"indexed elements", "for ((i=0;i<%d;i++)); do a[i]=$i; t=${a[i]}; done", 4000},
		{"associative elements", "declare -A m; for ((i=0;i<%d;i++)); do m[$i]=$i; done", 4000},
		{"variables", "for ((i=0;i<%d;i++)); do declare v$i=$i; done", 2000},
		{"a list of words", "for x in $(seq %d); do :; done", 4000},
		{"shift", "set -- $(seq %d); while (($#)); do shift; done", 2000},
		{"lines of a file", "seq %d > f; while IFS= read -r l; do :; done < f", 4000},
		{"lines of a pipe", "seq %d | while read -r a b; do :; done", 4000},
		{"recursion", "f() { if (($1 > 0)); then f $(($1-1)); fi; }; f %d", 900},
		{"lines of a script", "", 400},
		{"comments", "", 4000},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := func(n int) string {
				switch c.name {
				case "lines of a script":
					return longScript(n)
				case "comments":
					return strings.Repeat("# a comment\n", n) + "true\n"
				}
				return fmt.Sprintf(c.script, n)
			}
			for left := 4; ; left-- { // what is quadratic is so each time
				b1, t1 := cost(t, script(c.n))
				b10, t10 := cost(t, script(c.n*10))
				if b10 > b1*16 {
					t.Errorf("ten times the work allocates %.1f times as much", b10/b1)
				}
				if t10 <= t1*50 {
					break
				}
				if left == 0 {
					t.Fatalf("ten times the work takes %.1f times as long", float64(t10)/float64(t1))
				}
			}
		})
	}
}

// A subshell costs the same however much there is that it might change.
func TestSubshellCostsTheSame(t *testing.T) {
	for _, sub := range []string{"( : )", "x=$(:)", "( v1=changed )", "( : ); v1=$i", ": | :"} {
		price := func(vars int) float64 {
			setup := fmt.Sprintf("for ((i=0;i<%d;i++)); do declare v$i=$i; f() { :; }; done; a=(); for ((i=0;i<%d;i++)); do a+=(x); done; ", vars, vars)
			with, _ := cost(t, setup+"for ((i=0;i<400;i++)); do "+sub+"; done")
			none, _ := cost(t, setup+"for ((i=0;i<400;i++)); do :; done")
			return (with - none) / 400
		}
		few, many := price(10), price(10_000)
		if many > few*1.6+512 {
			t.Errorf("%s: %.0f bytes each with 10 variables, %.0f with 10,000", sub, few, many)
		}
	}
}

// A turn of a loop around one statement is one step, and makes no garbage of its own.
func TestTurnIsOneStep(t *testing.T) {
	for _, c := range []struct {
		script string
		steps  int64 // a turn
	}{
		{"for ((i=0;i<%d;i++)); do :; done", 1},
		{"i=0; while ((i<%d)); do ((i++)); done", 2},
		{"i=0; while [ $i -lt %d ]; do i=$((i+1)); done", 2},
		{"for ((i=0;i<%d;i++)); do if ((i%%2)); then :; else :; fi; done", 3},
		{"for ((i=0;i<%d;i++)); do case $i in *5) :;; *) :;; esac; done", 2},
		{"f() { local x=$1; r=$x; }; for ((i=0;i<%d;i++)); do f $i; done", 3},
	} {
		steps := func(n int) int64 {
			m := newTestMachine()
			if err := m.Begin(Start{Script: fmt.Sprintf(c.script, n), RunID: "r"}); err != nil {
				t.Fatal(err)
			}
			if got := finish(m); got.status > 1 || got.stderr != "" {
				t.Fatalf("%s: %+v", c.script, got)
			}
			return m.Meter.Steps
		}
		if d := steps(1200) - steps(200); d > c.steps*1000+10 {
			t.Errorf("%s: %.2f steps a turn, want %d", c.script, float64(d)/1000, c.steps)
		}
	}
	few, _ := cost(t, "for ((i=0;i<100;i++)); do ((s+=i)); done")
	many, _ := cost(t, "for ((i=0;i<10100;i++)); do ((s+=i)); done")
	if (many-few)/10_000 > 1 {
		t.Errorf("a turn of (( )) allocates %.1f bytes", (many-few)/10_000)
	}
}

// Functions call themselves 10,000 deep, and without end only up to the limit.
func TestRecursion(t *testing.T) {
	if got := runScript("f() { if (($1 > 0)); then f $(($1-1)); else echo bottom; fi; }; f 9990"); got.stdout != "bottom\n" {
		t.Errorf("%+v", got)
	}
	got := runScript("f() { f; }; f")
	if got.limit != "depth" || got.status == 0 || !strings.Contains(got.stderr, "depth") {
		t.Errorf("%+v", got)
	}
}
