package core

import (
	"testing"

	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

type patient struct{}

func (patient) Now() int64    { return 1_700_000_000e9 }
func (patient) Expired() bool { return false }

func (w *World) mustRun(t *testing.T, script string) string {
	t.Helper()
	if _, err := w.Begin(Start{Script: script}); err != nil {
		t.Fatal(err)
	}
	if out, _ := w.Advance(patient{}); out != shell.Done {
		t.Fatal("outcome ", out)
	}
	text := ""
	for _, c := range w.Take() {
		text += string(c.Data)
	}
	return text
}

// What is before the first command takes no memory when it is what the World
// was made as, and going back gives that, or what the host had put there.
func TestBackToTheBeginning(t *testing.T) {
	const look = "ls /tmp ~; echo $x $HOST_VAR $RANDOM"
	for name, prepare := range map[string]func(*World){
		"as made":    func(*World) {},
		"a file":     func(w *World) { _ = w.Write("/tmp/given", []byte("g"), 1) },
		"a variable": func(w *World) { _ = w.M.Setenv("HOST_VAR", "v", false) },
		"a fork":     func(w *World) { *w = *w.Fork(new(uint64)) },
	} {
		var templates Templates
		w, _, err := templates.New(Config{Limits: limit.Default(), Virtual: true, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		prepare(w)
		want := w.Twin().mustRun(t, look)
		for round := range 2 {
			w.mustRun(t, "x=1; touch /tmp/made made; RANDOM=3; cd /; umask 0")
			first := w.Log[0].Index
			if at := w.before(first); at != 0 || (w.undo[0] == nil) != (name == "as made" && round == 0) {
				t.Errorf("%s, round %d: the state before the first command is at %d of %v", name, round, at, w.undo)
			}
			if err := w.Rewind(first); err != nil {
				t.Fatal(name, err)
			}
			if got := w.Twin().mustRun(t, look); got != want || len(w.Log) > 0 {
				t.Errorf("%s: %q, not %q; %d commands in the history", name, got, want, len(w.Log))
			}
			if len(w.undo) != 0 || w.past != 0 {
				t.Errorf("%s: %d states are kept, %d bytes", name, len(w.undo), w.past)
			}
			if err := w.Write("/tmp/between", []byte("b"), 1); err != nil { // by the host: it is there before the next command
				t.Fatal(err)
			}
			want = w.Twin().mustRun(t, look)
		}
	}
}
