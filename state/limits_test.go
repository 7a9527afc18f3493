package state

import (
	"testing"

	"eryxsh/core"
)

// TestLimitsLeaveNothing checks that a world in which a limit gave up a step can be
// saved, loaded and used.
func TestLimitsLeaveNothing(t *testing.T) {
	for _, c := range []struct {
		limit string
		value int64
	}{{"processes", 1}, {"processes", 2}, {"processes", 3}, {"processes", 5}, {"open_files", 5}, {"open_files", 8}, {"depth", 3}, {"depth", 9}, {"memory", 100},
		{"memory", 5000}, {"frames", 5}, {"frames", 12}, {"steps", 30}, {"steps", 77}, {"glob", 1}, {"output", 10}, {"files", 30}, {"file_bytes", 9000}} {
		s := script{text: `
mkfifo p; f() { cat <(echo a) <(echo b | cat) | { read x; echo $(echo $x | cat); g; }; }; g() { (exec 5<>p 6>o 7<o; echo $(f2) | sort | cat <<E; echo * $(echo *)
body $(echo here | cat)
E
); }; f2() { echo "$(printf '%3000s' x | cat)" | tee o2; f2; }
cat p & for i in 1 2 3; do f > out 2>&1 < /dev/null & done; f; coproc { cat; }; wait`, files: map[string][]byte{"a": []byte("x")}}
		w := s.begin(t)
		l := w.M.Limits
		if err := l.Set(c.limit, c.value); err != nil {
			t.Fatal(err)
		}
		w.M.Limits = l
		p := s.player()
		p.move(t, w, 60)
		if w.M.Run.Active {
			w.Cancel()
		}
		w = reload(t, w)
		w.M.Limits = w.Config.Limits
		w.Take()
		if _, err := w.Begin(core.Start{Script: "echo still | cat"}); err != nil {
			t.Fatal(err)
		}
		p.run(t, w)
		got := sight{}
		if got.output(w); got["stdout"] != "still\n" || got["stderr"] != "" {
			t.Errorf("%s %d: afterwards %q", c.limit, c.value, got["output"])
		}
		w.Close()
	}
}
