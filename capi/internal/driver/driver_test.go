package driver

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eryxsh/capi/internal/rpc"
	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
)

func newDriver() *Driver { return New(rpc.NewServer("test", 0)) }

func newSandbox(t testing.TB, d *Driver, p wire.NewParams, interrupt Interrupt) int64 {
	t.Helper()
	h, err := d.NewSandbox(p, interrupt)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func code(err error) int {
	if err == nil {
		return 0
	}
	return Failure(err).Code
}

// exec runs a script and gives what it printed.
func exec(t testing.TB, d *Driver, h int64, script string) string {
	t.Helper()
	e, err := d.Exec(wire.StartParams{Sandbox: h, Script: script})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return string(e.Stdout)
}

func next(t testing.TB, d *Driver, h int64, tag wire.Tag) Event {
	t.Helper()
	e, err := d.Next(h, true)
	if err != nil || e.Tag != tag {
		t.Fatalf("the next event is %d, %v; not %d", e.Tag, err, tag)
	}
	return e
}

func kept(to *[]byte) Room {
	return func(size int) []byte {
		*to = make([]byte, size)
		return *to
	}
}

// A script longer than many slices, and one that prints more than a slice holds.
func TestExecGoesOnOverSlices(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{}, nil)
	if out := exec(t, d, h, "for ((i = 0; i < 100000; i++)); do ((i % 10000)) || echo $i; done; seq 100000 | tail -n 1; echo err >&2"); !strings.HasSuffix(out, "90000\n100000\n") {
		t.Errorf("it printed %q", out)
	}
}

// Exec leaves a run that waits for its caller, with what it printed, to Next.
func TestExecThatWaits(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, nil)
	if _, err := d.Exec(wire.StartParams{Sandbox: h, Script: "echo before; checkpoint here; echo $(ask a; ask b)"}); code(err) != Suspended {
		t.Fatal(err)
	}
	if _, err := d.Exec(wire.StartParams{Sandbox: h, Script: ":"}); code(err) != int(fault.Busy) {
		t.Errorf("another command beside it: %v", err)
	}
	e := next(t, d, h, wire.TagCalls)
	if e.Call.Name != "ask" || e.Call.Args[0] != "a" || string(e.Stdout) != "before\n" {
		t.Errorf("it came to %+v", e)
	}
	if again := next(t, d, h, wire.TagCalls); again.Call.ID != e.Call.ID || len(again.Stdout) > 0 {
		t.Errorf("again it came to %+v", again)
	}
	for _, want := range []int{0, int(fault.AlreadyResumed)} {
		if err := d.Answer(h, wire.AnswerParams{Call: e.Call.ID, Stdout: []byte("1\n")}); code(err) != want {
			t.Errorf("an answer: %v, not %d", err, want)
		}
	}
	if err := d.Answer(h, wire.AnswerParams{Call: next(t, d, h, wire.TagCalls).Call.ID, Stdout: []byte("2\n")}); err != nil {
		t.Error(err)
	}
	if e := next(t, d, h, wire.TagDone); string(e.Stdout) != "1 2\n" {
		t.Errorf("it printed %q", e.Stdout)
	}
	if _, err := d.Next(h, true); code(err) != int(fault.RunGone) {
		t.Errorf("after the end: %v", err)
	}
}

// Several calls that wait are given out oldest first, each once, then again.
func TestCallsComeInOrder(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, nil)
	if err := d.Start(wire.StartParams{Sandbox: h, Script: "ask a & ask b & ask c & wait"}); err != nil {
		t.Fatal(err)
	}
	var seen string
	var ids []string
	for range 4 {
		c := next(t, d, h, wire.TagCalls).Call
		seen, ids = seen+c.Args[0], append(ids, c.ID)
	}
	if seen != "abca" {
		t.Errorf("they came as %s", seen)
	}
	for i, out := range []string{"B", "A", "C"} {
		if err := d.Answer(h, wire.AnswerParams{Call: ids[[]int{1, 0, 2}[i]], Stdout: []byte(out)}); err != nil {
			t.Error(err)
		}
	}
	if e := next(t, d, h, wire.TagDone); len(e.Stdout) != 3 {
		t.Errorf("it printed %q", e.Stdout)
	}
}

// A run goes on in a fork, in what a blob is loaded into, and in what it is imported into.
func TestRunsMove(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, nil)
	if err := d.Dump(h, nil, kept(new([]byte))); code(err) != int(fault.RunGone) {
		t.Errorf("a dump of no run: %v", err)
	}
	if err := d.Start(wire.StartParams{Sandbox: h, Script: "x=1; echo $x$(ask)"}); err != nil {
		t.Fatal(err)
	}
	first := next(t, d, h, wire.TagCalls).Call.ID
	var blob []byte
	if err := d.Dump(h, []byte("key"), kept(&blob)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(blob, wire.FromStateParams{Key: []byte("other")}, nil); code(err) != int(fault.Signature) {
		t.Errorf("with another key: %v", err)
	}
	fork, err := d.Fork(h)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := d.Load(blob, wire.FromStateParams{Key: []byte("key")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	into := newSandbox(t, d, wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, nil)
	if err := d.Import(into, blob, []byte("key")); err != nil {
		t.Fatal(err)
	}
	for i, h := range []int64{h, fork, loaded, into} {
		c := next(t, d, h, wire.TagCalls).Call
		if (c.ID == first) == (h == fork) {
			t.Errorf("%d: call %s, at first %s", i, c.ID, first)
		}
		if err := d.Answer(h, wire.AnswerParams{Call: c.ID, Stdout: []byte{byte('a' + i)}}); err != nil {
			t.Error(err)
		}
		if e := next(t, d, h, wire.TagDone); string(e.Stdout) != "1"+string(rune('a'+i))+"\n" {
			t.Errorf("%d: it printed %q", i, e.Stdout)
		}
	}
}

// Input and budgets that a run waits for.
func TestInputAndLimits(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{}, nil)
	if err := d.Start(wire.StartParams{Sandbox: h, Script: "read -r a; echo got $a; cat; for ((i = 0; i < 3000; i++)); do :; done", Pipe: true, Suspend: true,
		Limits: map[string]int64{"steps": 2000}}); err != nil {
		t.Fatal(err)
	}
	next(t, d, h, wire.TagInput)
	if err := d.Refill(h, map[string]int64{"steps": 1}); code(err) != int(fault.AlreadyResumed) {
		t.Errorf("a budget that is not waited for: %v", err)
	}
	for _, data := range [][]byte{[]byte("one\n"), nil} {
		if err := d.Feed(h, data); err != nil {
			t.Fatal(err)
		}
		if data != nil {
			next(t, d, h, wire.TagInput)
		}
	}
	e := next(t, d, h, wire.TagLimit)
	if e.Name != "steps" {
		t.Errorf("the limit is %q", e.Name)
	}
	if err := d.Refill(h, map[string]int64{"steps": 1e6}); err != nil {
		t.Fatal(err)
	}
	next(t, d, h, wire.TagDone)
}

// Sleeps are waited out, or are events; an interrupt, a cancel and a free end them, and a loop.
func TestWhatEndsARun(t *testing.T) {
	d := newDriver()
	if h := newSandbox(t, d, wire.NewParams{}, nil); exec(t, d, h, "sleep .05; echo woke") != "woke\n" {
		t.Error("a sleep was not waited out")
	}
	for _, script := range []string{"sleep 60", "while :; do :; done", "sleep 60 | cat"} {
		var flag atomic.Bool
		for name, end := range map[string]func(h int64){
			"interrupt": func(int64) { flag.Store(true) },
			"cancel":    func(h int64) { _ = d.Cancel(h) },
			"free":      func(h int64) { _ = d.Free(h) },
		} {
			flag.Store(false)
			h := newSandbox(t, d, wire.NewParams{}, flag.Load)
			began := time.Now()
			time.AfterFunc(50*time.Millisecond, func() { end(h) })
			e, err := d.Exec(wire.StartParams{Sandbox: h, Script: script})
			if name == "free" && code(err) != int(fault.Closed) || name != "free" && (err != nil || e.Done.Status != 130) {
				t.Errorf("%s of %.20s: %d, %v", name, script, e.Done.Status, err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s of %.20s took %v", name, script, took)
			}
		}
	}
	h := newSandbox(t, d, wire.NewParams{}, nil)
	if err := d.Start(wire.StartParams{Sandbox: h, Script: "sleep 60"}); err != nil {
		t.Fatal(err)
	}
	if e, err := d.Next(h, false); err != nil || e.Tag != wire.TagSleeping || e.Wait <= 0 {
		t.Errorf("without waiting: %+v, %v", e, err)
	}
}

// An interrupt is heard in the middle of a step that takes long.
func TestInterruptOfALongStep(t *testing.T) {
	var flag atomic.Bool
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{}, flag.Load)
	time.AfterFunc(100*time.Millisecond, func() { flag.Store(true) })
	script := "x=$'" + strings.Repeat(": &&\\n", 1_000_000) + " :'; while :; do eval \"$x\"; done"
	if e, err := d.Exec(wire.StartParams{Sandbox: h, Script: script, Timeout: int64(time.Minute)}); err != nil || e.Done.Status != 130 {
		t.Errorf("it ended with %d, %v", e.Done.Status, err)
	}
}

// Cancel ends a run that waits for an answer, too; then the sandbox is free.
func TestCancelOfARunThatWaits(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, nil)
	if err := d.Cancel(h); err != nil {
		t.Errorf("nothing runs: %v", err)
	}
	if err := d.Start(wire.StartParams{Sandbox: h, Script: "ask; echo no"}); err != nil {
		t.Fatal(err)
	}
	next(t, d, h, wire.TagCalls)
	if err := d.Cancel(h); err != nil {
		t.Error(err)
	}
	if out := exec(t, d, h, "echo free"); out != "free\n" {
		t.Errorf("it printed %q", out)
	}
}

// Many threads use one sandbox: each command runs alone and whole.
func TestManyThreadsOneSandbox(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{}, nil)
	exec(t, d, h, "n=0")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := d.Exec(wire.StartParams{Sandbox: h, Script: "m=$n; for i in 1 2 3 4 5 6 7 8 9; do :; done; n=$((m + 1))"}); err != nil {
					t.Error(err)
				}
				if err := d.WriteFile(h, "f", []byte("x")); err != nil {
					t.Error(err)
				}
				if f, err := d.Fork(h); err != nil || d.Free(f) != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if out := exec(t, d, h, "echo $n"); out != "160\n" {
		t.Errorf("%s of 160 commands counted", out)
	}
}

// Files, snapshots and errors, each of a freed sandbox too.
func TestErrors(t *testing.T) {
	d := newDriver()
	h := newSandbox(t, d, wire.NewParams{}, nil)
	var data []byte
	if err := d.ReadFile(h, "/none", kept(&data)); code(err) != int(fault.File) || Failure(err).What.Errno != 2 || err.Error() != "/none: No such file or directory" {
		t.Errorf("no file: %v", err)
	}
	if err := d.WriteFile(h, "empty", nil); err != nil || d.ReadFile(h, "empty", kept(&data)) != nil || len(data) != 0 {
		t.Errorf("an empty file: %v", err)
	}
	if err := d.ReadFile(h, "empty", func(int) []byte { return nil }); code(err) != NoMemory {
		t.Errorf("no memory: %v", err)
	}
	if err := d.Restore(h, "none"); code(err) != int(fault.NotFound) {
		t.Errorf("no snapshot: %v", err)
	}
	if err := d.Import(h, []byte("garbage"), nil); code(err) != int(fault.State) {
		t.Errorf("no state: %v", err)
	}
	if _, err := d.Load(nil, wire.FromStateParams{}, nil); code(err) != int(fault.State) {
		t.Errorf("no bytes: %v", err)
	}
	id, err := d.Snapshot(h, "one")
	if err != nil || exec(t, d, h, "rm empty; echo $?") != "0\n" || d.Restore(h, id) != nil || d.ReadFile(h, "empty", kept(&data)) != nil {
		t.Errorf("a snapshot: %v", err)
	}
	for _, h := range []int64{h, h, 0} {
		if err := d.Free(h); err != nil {
			t.Errorf("free of %d: %v", h, err)
		}
	}
	_, exec := d.Exec(wire.StartParams{Sandbox: h})
	_, event := d.Next(h, true)
	_, fork := d.Fork(h)
	for _, err := range []error{exec, event, fork, d.Restore(h, id), d.Export(h, nil, kept(&data)), d.Dump(h, nil, kept(&data)), d.Cancel(h), d.Feed(h, nil)} {
		if code(err) != int(fault.Closed) {
			t.Errorf("of a freed sandbox: %v", err)
		}
	}
	if e := Failure(errors.New("x")); e.Code != int(fault.Internal) {
		t.Errorf("an error of no kind: %v", e)
	}
}
