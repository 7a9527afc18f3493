package state

import (
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// hasty wants the run suspended whenever a step takes long.
type hasty struct{ asked int }

func (*hasty) Now() int64    { return epoch }
func (*hasty) Expired() bool { return true }

func (h *hasty) Midway() shell.Midway {
	h.asked++
	return shell.ToSuspend
}

// TestGivenUpOnce: a run that was suspended in the middle of a step, which
// takes long, gets beyond that step in the process it was moved to, however often it is to be suspended there.
func TestGivenUpOnce(t *testing.T) {
	w, err := core.New(core.Config{Limits: limit.Default(), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	const script = "shopt -s extglob; x=$(printf '%500s' | tr ' ' a)\necho ${x//+(a|aa)b/c} | wc -c; echo end"
	if _, err := w.Begin(core.Start{Script: script, Keep: true}); err != nil {
		t.Fatal(err)
	}
	h, asked, givenUp := &hasty{}, 0, 0
	for i := 0; w.M.Run.Active; i++ {
		if i == 1000 {
			t.Fatal("no end")
		}
		if w.Advance(h); h.asked == asked+1 && w.M.Run.Retried > 0 {
			givenUp++
		}
		asked = h.asked
		w.Take()
		if w.M.Run.Active {
			w = reload(t, w)
		}
	}
	if w.M.Run.Status != 0 || givenUp != 1 || asked < 3 {
		t.Errorf("status %d, %d steps given up, asked %d times", w.M.Run.Status, givenUp, asked)
	}
}
