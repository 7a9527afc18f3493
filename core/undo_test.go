package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
			w.forgetFuture()
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

// Any walk of undo and redo shows the state of its place, and what is held back is counted right.
func TestUndoAndRedo(t *testing.T) {
	var templates Templates
	w, _, err := templates.New(Config{Limits: limit.Default(), Virtual: true, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	const commands = 6
	look := func() string { return w.Twin().mustRun(t, "echo $n; cat /tmp/f 2>/dev/null; ls /tmp") }
	places := []string{look()}
	for i := range commands {
		w.mustRun(t, fmt.Sprintf("n=%d; echo %d >> /tmp/f; touch /tmp/made-%d", i, i, i))
		places = append(places, look())
	}
	random := rand.New(rand.NewPCG(1, 2))
	at := commands
	for range 300 {
		n := 1 + random.IntN(3)
		var err error
		want := at
		if random.IntN(2) == 0 {
			err, want = w.Undo(n), at-n
		} else {
			err, want = w.Redo(n), at+n
		}
		if possible := want >= 0 && want <= commands; possible != (err == nil) {
			t.Fatalf("from %d to %d: %v", at, want, err)
		} else if possible {
			at = want
		}
		if got := look(); got != places[at] {
			t.Fatalf("at %d: %q, not %q", at, got, places[at])
		}
		if len(w.undo) != at || len(w.redo) != commands-at || len(w.Log) != at {
			t.Fatalf("at %d: %d to undo, %d to redo, %d commands", at, len(w.undo), len(w.redo), len(w.Log))
		}
		var held int64
		for _, s := range append(slices.Clone(w.undo), w.redo...) {
			held += s.heldBack()
		}
		if held != w.past {
			t.Fatalf("%d bytes are counted, %d held", w.past, held)
		}
	}
	if at == commands {
		_ = w.Undo(1)
	}
	w.mustRun(t, "echo new")
	if err := w.Redo(1); err == nil {
		t.Error("redo after something new")
	}
}

// What is undone is bounded by the limit retained, farthest first.
func TestRedoIsBounded(t *testing.T) {
	l := limit.Default()
	l.Retained = 1 << 20
	w, err := New(Config{Limits: l, Virtual: true, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		w.mustRun(t, "head -c 300000 /dev/urandom > /tmp/f")
	}
	for w.Undo(1) == nil {
		if w.past > l.Retained {
			t.Fatalf("%d bytes are held, the limit is %d", w.past, l.Retained)
		}
	}
}
