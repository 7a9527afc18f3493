package core

import (
	"sync"
	"testing"

	"eryxsh/core/limit"
)

// Forks share their snapshots, and may go back to one from several threads at once.
func TestForksRestoreAtOnce(t *testing.T) {
	w, err := New(Config{Limits: limit.Default(), Virtual: true, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	w.mustRun(t, "n=1; echo one > /tmp/f")
	if _, err := w.Snapshot("one"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		f := w.Fork(nil)
		all.Add(1)
		go func() {
			defer all.Done()
			for range 50 {
				f.mustRun(t, "n=2; echo two > /tmp/f")
				if err := f.Restore("one", nil); err != nil {
					t.Error(err)
				}
				if got := f.mustRun(t, "echo $n; cat /tmp/f"); got != "1\none\n" {
					t.Errorf("%q", got)
				}
				f.Snaps[0].Mark()
			}
		}()
	}
	all.Wait()
}
