package shell

import (
	"strings"
	"testing"

	"eryxsh/core/limit"
)

// countingHost counts how often it is asked.
type countingHost struct {
	testHost
	asked *int
}

func (h countingHost) Expired() bool {
	*h.asked++
	return false
}

func (h countingHost) Midway() Midway {
	*h.asked++
	return GoOn
}

// TestMuchWorkAsks: a step that has much to do asks the more often the more
// there is: ten times the work brings at least three more questions in the step,
// where doing it in one piece would bring none.
func TestMuchWorkAsks(t *testing.T) {
	const text = "x=$(head -c $((N * 1000)) /dev/zero | tr '\\0' a)\n"
	for _, c := range []struct{ name, before, step string }{
		{"brace words", "", "echo {1..$N} >/dev/null"},
		{"array", "", "a=({1..$N})"},
		{"split", "x=$(seq $N)\n", "set -- $x"},
		{"elements", "a=($(seq $N))\n", "b=(\"${a[@]}\")"},
		{"replace", text, "y=${x//a/bb}"},
		{"replace a pattern", text, "y=${x//[a-c]/b}"},
		{"upper case", text, "y=${x^^}"},
		{"pattern", text, "[[ $x == *a*a*b ]]"},
		{"pattern made at run time", "p='*a*a*b'\n" + text, "[[ $x == $p ]]"},
		{"joined", text, "y=$x$x"},
		{"echo", text, "echo \"$x$x\" >/dev/null"},
		{"awk sort", "seq $N >f\n", "awk '{ a[NR] = $0 } END { asort(a) }' f"},
		{"arguments", "", "touch f{1..$N}"},
	} {
		asked := func(n, script string) (times int) {
			m := newTestMachine()
			m.Limits = limit.Default()
			if err := m.Begin(Start{Script: "N=" + n + "\n" + script, RunID: "r"}); err != nil {
				t.Fatal(err)
			}
			if out, _ := m.Advance(countingHost{asked: &times}); out != Done {
				t.Fatalf("%s: outcome %d", c.name, out)
			}
			if got := result(m); got.limit != "" || got.stderr != "" {
				t.Fatalf("%s: %+v", c.name, got)
			}
			return times
		}
		var more [2]int
		for i, n := range []string{"2000", "20000"} {
			more[i] = asked(n, bracesOf(c.before+c.step, n)) - asked(n, bracesOf(c.before, n))
		}
		if more[1] < more[0]+3 {
			t.Errorf("%s: %d questions, and %d for ten times the work", c.name, more[0], more[1])
		}
	}
}

// bracesOf writes the number where a variable would come too late: braces come first.
func bracesOf(script, n string) string { return strings.ReplaceAll(script, "..$N}", ".."+n+"}") }
