package store

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state"
)

// shelf is a place for bytes.
type shelf map[PackID][]byte

func newWorld(t testing.TB) *core.World {
	t.Helper()
	w, err := core.New(core.Config{Limits: limit.Default(), Seed: 1, Virtual: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type patient struct{}

func (patient) Now() int64    { return 1_700_000_000e9 }
func (patient) Expired() bool { return false }

func run(t testing.TB, w *core.World, script string) {
	t.Helper()
	if _, err := w.Begin(core.Start{Script: script}); err != nil {
		t.Fatal(err)
	}
	if out, _ := w.Advance(patient{}); out != shell.Done {
		t.Fatal(script, ": outcome ", out)
	}
	w.Take()
}

// keep saves a World.
func keep(t testing.TB, at shelf, w *core.World, base *Saved) (*Saved, Ref, int) {
	t.Helper()
	s, err := Begin(w.Twin(), base)
	if err != nil {
		t.Fatal(err)
	}
	a := About{Time: 1, Command: "x"}
	if base != nil {
		a.Parents = []ID{base.Commit}
	}
	packs, ref, err := s.Seal(a)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range packs {
		b := make([]byte, p.Size)
		p.CopyTo(b)
		at[p.ID] = b
		n += len(b)
	}
	back, err := ReadRef(ref.Bytes())
	if err != nil || back.Commit != ref.Commit {
		t.Fatal(err)
	}
	return s.Saved(), ref, n
}

func load(t testing.TB, at shelf, ref Ref) Loaded {
	t.Helper()
	l := NewLoad(ref, limit.Default())
	for range 100 {
		want, err := l.Work()
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 {
			out, err := l.End(state.NewLoader())
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for _, r := range want {
			if err := l.Give(r, at[r.Pack][r.At:r.At+r.Size]); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatal("wants for ever")
	return Loaded{}
}

// differ says how two worlds differ.
func differ(t testing.TB, a, b *core.World, of *core.Snapshot) {
	next, stop := iter.Pull(b.M.FS.Records())
	defer stop()
	for x := range a.M.FS.Records() {
		if y, _ := next(); !reflect.DeepEqual(x, y) {
			t.Errorf("%+v\nis not\n%+v", x, y)
		}
	}
	x, _, _ := state.Machine(a, of)
	y, _, _ := state.Machine(b, of)
	n := common(x, y)
	if bytes.Equal(x, y) {
		return
	}
	t.Errorf("machines: %d and %d bytes, differ at %d: %q %q", len(x), len(y), n, x[n:min(n+40, len(x))], y[n:min(n+40, len(y))])
}

// Whatever happens to a sandbox, what is loaded is what was saved, by whoever it
// is saved, and a save of what did not change is none.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	scripts := []func() string{
		func() string { return fmt.Sprintf("echo %d > f%d", rng.Int(), rng.Intn(200)) },
		func() string { return fmt.Sprintf("head -c %d /dev/urandom > g%d", rng.Intn(100000), rng.Intn(20)) },
		func() string { return fmt.Sprintf("rm -f f%d g%d", rng.Intn(200), rng.Intn(20)) },
		func() string {
			return fmt.Sprintf("mkdir -p d; for i in {1..%d}; do : > d/$RANDOM; done", rng.Intn(300))
		},
		func() string { return "rm -rf d/*1*" },
		func() string {
			return fmt.Sprintf("ln -f f%d l%d 2>/dev/null; ln -sf f1 s", rng.Intn(200), rng.Intn(9))
		},
		func() string { return fmt.Sprintf("truncate -s %d g%d", rng.Intn(2000000), rng.Intn(20)) },
		func() string {
			return fmt.Sprintf("echo %d >> g%d; x%d=%d; f() { echo $x; }", rng.Int(), rng.Intn(20), rng.Intn(9), rng.Int())
		},
		func() string { return "exec 3< f1 4>> f2; mv d e 2>/dev/null; cd /tmp; cd" },
		func() string { return fmt.Sprintf("a=({1..%d}); history -c", rng.Intn(3000)) },
		func() string { return "rm -f /usr/bin/tac; mkfifo p$RANDOM; sleep 1000 & " },
	}
	at := shelf{}
	w := newWorld(t)
	var base *Saved
	var ref Ref
	for i := range 150 {
		run(t, w, scripts[rng.Intn(len(scripts))]())
		if rng.Intn(10) == 0 {
			if _, err := w.Snapshot(fmt.Sprint("s", i)); err != nil {
				t.Fatal(err)
			}
		}
		base, ref, _ = keep(t, at, w, base)
		if s, err := Begin(w.Twin(), base); err != nil || !s.Unchanged() {
			t.Fatal("a state that did not change is not the same: ", err)
		}
		out := load(t, at, ref)
		differ(t, out.World, w, nil)
		for j, snap := range out.World.Snaps {
			differ(t, snap.State(), w.Snaps[j].State(), snap)
		}
		if t.Failed() {
			t.Fatalf("step %d: what is loaded is another state", i)
		}
		if s, err := Begin(out.World.Twin(), out.Saved); err != nil || !s.Unchanged() {
			t.Fatal("a loaded state that did not change is not the same: ", err)
		}
		whole, _, _ := keep(t, at, w, nil)
		if a, b := whole.world.root, base.world.root; !bytes.Equal(a.Tree, b.Tree) || !bytes.Equal(a.Machine, b.Machine) {
			t.Fatalf("step %d: saved at once it is another object", i)
		}
		if rng.Intn(4) == 0 {
			w, base = out.World, out.Saved
		}
	}
}

// What a save of one small change writes.
func TestSmallSave(t *testing.T) {
	at := shelf{}
	w := newWorld(t)
	run(t, w, "mkdir d; cd d; for i in {1..10000}; do echo $i > f$i; done")
	base, _, n := keep(t, at, w, nil)
	t.Log("whole", n)
	for i, script := range []string{"echo new > f5000", "x=1", "echo new > f5001", ":", "echo more >> f77", "mkdir q", "touch q/a", "mv q/a q/b", "echo a{1..300}", "rm f3", "cd ..", strings.Repeat("echo 1;", 50)} {
		run(t, w, script)
		base, _, n = keep(t, at, w, base)
		t.Log(i, script[:min(len(script), 20)], n)
		if i > 0 && n > 4096 {
			t.Errorf("%s takes %d bytes", script, n)
		}
	}
}
