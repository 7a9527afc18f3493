package core

import "eryxsh/core/shell"

// retry is how a run goes back to the beginning of its slice when it is to be
// suspended in the middle of a step that takes long.
//
// A point to go back to costs a microsecond, which is much beside a short command
// or a tool call. So the first slice of a run has none: the state before the
// command, kept for history.restore, and the command are enough. Nor has a slice
// after a call that was answered at once, unless the run is known for long steps.
type retry struct {
	begun  shell.Start    // of a run in its first slice
	fresh  bool           // nothing has happened since the run began
	busy   bool           // the last slice was used up, or had a step that took long
	memory *shell.Machine // of a point that is over
}

// atOnce is how soon a call must be answered, in ns, for the next slice to have no
// point to go back to.
const atOnce = 200_000

// large is how many bytes of variables make a slice keep a point in any case: a
// step that goes through them takes long.
const large = 4 << 20

// Loaded says that the World comes out of a blob: a call it waits for is answered
// as if it had just been made.
func (w *World) Loaded() {
	if len(w.M.Calls) > 0 {
		w.called = justLoaded
	}
}

// justLoaded is a time of a call that nobody knows.
const justLoaded = -1

// Touched says that something was changed between the beginning of a run and
// its first slice.
func (w *World) Touched() {
	if w.retry != nil {
		w.retry.fresh = false
	}
}

// begins notes what a run begins with.
func (w *World) begins(s shell.Start) {
	if w.retry == nil {
		w.retry = &retry{}
	}
	*w.retry = retry{begun: s, fresh: len(w.undo) > 0}
	w.called = 0
}

// back is what a slice goes back to: a point or, in the first slice of a run, the
// state before the command; and the history as it was.
type back struct {
	point *shell.Machine
	first bool
	log   []Entry
	next  int
}

// mark gives what the slice that begins now can go back to.
func (w *World) mark(now int64) back {
	b := back{log: w.Log, next: w.LogNext}
	must, quick := w.M.Run.Suspend, w.called == justLoaded || w.called != 0 && now-w.called <= atOnce
	var memory *shell.Machine
	if r := w.retry; r != nil {
		if r.fresh && !must {
			b.first = true
			return b
		}
		quick = quick && !r.busy
		memory, r.memory = r.memory, nil
	}
	if must || !quick || w.M.Meter.Held+w.M.Meter.Taken > large {
		w.count()
		b.point = w.M.Point(memory, must)
	}
	return b
}

// ended notes how a slice ended at the time now, and keeps the memory of its point.
func (w *World) ended(b *back, out shell.Outcome, now int64) {
	busy := out == shell.Sliced || w.M.Overdrew()
	w.called = 0
	if out == shell.Calls && !busy {
		w.called, w.retry = now, nil
		return
	}
	if w.retry == nil {
		w.retry = &retry{}
	}
	*w.retry = retry{busy: busy}
	if out == shell.Sliced && w.M != b.point {
		w.retry.memory = b.point
	}
}

// Rest forgets what only a run needs that goes on at once.
func (w *World) Rest() {
	if w.retry != nil {
		w.retry.memory = nil
	}
}

// goBack puts the state at the beginning of the slice in the place of one that
// was left in the middle of a step. The state before the command could be made
// once, so it can be made again.
func (w *World) goBack(b *back) {
	point := b.point
	if b.first {
		before, err := w.stateAt(len(w.undo) - 1)
		if err == nil {
			point = before.M.Fork()
			point.Limits, point.Tools, point.Clock.Now = w.M.Limits, w.M.Tools, w.M.Run.Started // which the host may have set since it was made
			s := w.retry.begun
			s.RunID = w.M.RunID
			err = point.Begin(s)
		}
		if err != nil {
			panic(err)
		}
	}
	point.ComeBack(w.M)
	w.M, w.Log, w.LogNext = point, b.log, b.next
}
