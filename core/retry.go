package core

import "eryxsh/core/shell"

// retry is how a run goes back to the beginning of its slice when it is to be
// suspended in the middle of a step that takes long.
//
// A point to go back to costs a microsecond, which is much beside a short command
// or a tool call. So the first slice of a run has none: the state before the
// command, kept for history.restore, and the command are enough. Nor has a slice
// after a call that was answered at once, unless the run is known for long steps.
//
// Where commands in flight hold too much for a point, the run goes back further: to
// the last slice that had one, as long as nothing has left the World since.
type retry struct {
	begun shell.Start // of a run in its first slice
	fresh bool        // nothing has happened since the run began
	busy  bool        // the last slice was used up, or had a step that took long
	long  bool        // it had a step that took long
	last  back        // of the slice before, which was used up
}

// farthest is how many slices a run goes back at most: what they did is lost.
const farthest = 50

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

// Touched says that the host has looked at the World or changed it, other than by moving the run.
func (w *World) Touched() {
	if w.retry != nil {
		w.retry.fresh = false
		w.retry.last.leave()
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

// back is what a slice goes back to: a point or the state before the command and
// the command; and the history as it was. Else there is nothing to go back to.
type back struct {
	point  *shell.Machine
	begun  *shell.Start
	slices int   // since then
	spent  int64 // ns in them
	log    []Entry
	next   int
	memory *shell.Machine // of a point that is over
}

func (b *back) possible() bool { return b.point != nil || b.begun != nil }

// leave gives up what there is to go back to.
func (b *back) leave() {
	memory := b.memory
	if b.point != nil {
		memory = b.point
	}
	*b = back{memory: memory}
}

// mark gives what the slice that begins now can go back to.
func (w *World) mark(now int64) back {
	b := back{log: w.Log, next: w.LogNext}
	if w.M.FS.Direct() { // what is written to the host cannot be done again
		w.Rest()
		return b
	}
	must, quick := w.M.Run.Suspend, w.called == justLoaded || w.called != 0 && now-w.called <= atOnce
	r := w.retry
	if r != nil {
		if r.fresh && !must {
			begun := r.begun
			b.begun = &begun
			return b
		}
		quick = quick && !r.busy
	}
	if !must && quick && w.M.Meter.Held+w.M.Meter.Taken <= large {
		return b
	}
	if !must && w.M.Heavy() {
		if r != nil {
			r.last = back{}
		}
		return b
	}
	if w.M.Light(must, r != nil && r.long) {
		w.count()
		var memory *shell.Machine
		if r != nil {
			r.last.leave()
			memory, r.last.memory = r.last.memory, nil
		}
		b.point = w.M.Point(memory)
		return b
	}
	if r != nil && r.last.possible() && r.last.slices < farthest {
		return r.last
	}
	return b
}

// ended notes how a slice ended at the time now, which began at began.
func (w *World) ended(b *back, out shell.Outcome, began, now int64) {
	busy := out == shell.Sliced || w.M.Overdrew()
	w.called = 0
	if out == shell.Calls && !busy {
		w.called, w.retry = now, nil
		return
	}
	if w.retry == nil {
		w.retry = &retry{}
	}
	*w.retry = retry{busy: busy, long: w.M.Overdrew()}
	if out == shell.Sliced && w.M != b.point {
		b.slices++
		b.spent += now - began
		w.retry.last = *b
	}
}

// Rest forgets what only a run needs that goes on at once.
func (w *World) Rest() {
	if w.retry != nil {
		w.retry.last = back{}
	}
}

// goBack puts the state to go back to in the place of one that
// was left in the middle of a step. The state before the command could be made
// once, so it can be made again.
func (w *World) goBack(b *back) {
	point := b.point
	if b.begun != nil {
		before, err := w.stateAt(len(w.undo) - 1)
		if err == nil {
			point = before.M.Fork()
			point.Limits, point.Tools, point.Clock.Now = w.M.Limits, w.M.Tools, w.M.Run.Started // which the host may have set since it was made
			s := *b.begun
			s.RunID = w.M.RunID
			err = point.Begin(s)
		}
		if err != nil {
			panic(err)
		}
	}
	point.ComeBack(w.M)
	w.M, w.Log, w.LogNext = point, b.log, b.next
	w.spend(b.spent)
}
