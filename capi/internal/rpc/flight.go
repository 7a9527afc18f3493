package rpc

import (
	"sync/atomic"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/shell"
)

// A single step of a run can take long: a list of a million words, a
// substitution in a string of 50 MB. The state between two steps is whole, the
// state inside of one is not, but nobody has to wait for its end: the slice of a
// run that lasts is flown, on a goroutine of its own, and the call that attends
// it may leave in the middle of a step. The flight keeps the sandbox's lock, so
// the others wait for the next safe point, and no longer.
//
// A call that leaves because the run is to be suspended says so at once, and the
// step rests where it next asks how it goes on, until the run goes on or until
// somebody wants the sandbox: then the step is finished first.

const (
	// shortRun is how long a run goes on the caller's thread: changing to another takes some 10 µs.
	shortRun = time.Millisecond
	// grace is how long a call waits for the step to end, after its time, but no longer than that was.
	grace = 4 * time.Millisecond
	// graceAsked is the same after somebody has asked for something.
	graceAsked = time.Millisecond
	// muchHeld is how many bytes of variables make it likely that a step takes long.
	muchHeld = 1 << 20
)

// flight is a slice that goes on beside the calls, and the host of its machine.
type flight struct {
	slice
	run     string
	place   atomic.Int32
	over    atomic.Int64  // when the slice is over: ns since it began
	resting atomic.Bool   // the run is suspended in the middle of a step
	landing atomic.Bool   // somebody waits for the next safe point
	rests   chan struct{} // capacity 1; full when it has come to rest by itself
	look    chan struct{}
	landed  chan struct{} // closed at the end, when the rest can be read
	rested  int64         // ns
	outcome shell.Outcome
	until   int64
	failed  error // a panic
}

// Where a flight is: a call attends it, which gets the lock at its end, or none does, or it has ended.
const (
	attended int32 = iota
	alone
	ended
)

// fly begins a flight: what is left of s. The caller holds the lock and attends.
func (b *sandbox) fly(s *slice) *flight {
	f := &flight{slice: *s, run: b.M.RunID, look: make(chan struct{}, 1), rests: make(chan struct{}, 1), landed: make(chan struct{})}
	f.over.Store(int64(s.length))
	select {
	case <-b.poke: // for a run before
	default:
	}
	b.flight.Store(f)
	go f.fly()
	return f
}

func (f *flight) fly() {
	b := f.sandbox
	defer func() {
		if r := recover(); r != nil {
			f.failed = panicked(r)
		}
		b.flight.Store(nil)
		for {
			if f.place.CompareAndSwap(attended, ended) {
				close(f.landed)
				return
			}
			if f.place.CompareAndSwap(alone, ended) {
				close(f.landed)
				if f.failed != nil {
					b.distrust(describe(f.failed).Message)
				}
				b.leave()
				return
			}
		}
	}()
	f.outcome, f.until = f.Advance(f)
}

// age is how long ago it began.
func (f *flight) age() time.Duration { return time.Since(f.began) }

// Expired reports whether the slice is over or somebody wants something.
func (f *flight) Expired() bool {
	return f.wanted() || int64(f.age()) >= f.over.Load() || f.late(f.rested)
}

// Midway lets a step rest that a suspended run is in. Resting makes room for the
// call that attends, which may not get to run before.
func (f *flight) Midway() shell.Midway {
	if f.note.Load().suspends(f.run) && !f.landing.Load() {
		f.resting.Store(true)
		select {
		case f.rests <- struct{}{}:
		default:
		}
	}
	for f.resting.Load() && f.verdict() == shell.GoOn {
		began := time.Now()
		<-f.look
		f.rested += int64(time.Since(began))
	}
	return f.verdict()
}

func (f *flight) verdict() shell.Midway { return f.midway(f.run, f.rested) }

// Rested is how much of the time since the slice began the machine stood still, in ns.
func (f *flight) Rested() int64 { return f.rested }

// Hurry tells the machine that somebody waits for the next safe point.
func (s *slice) Hurry() *atomic.Bool { return &s.hurry }

// stir makes whoever waits, in the flight or for it, look again.
func (b *sandbox) stir() {
	b.hurry.Store(true)
	select {
	case b.poke <- struct{}{}:
	default:
	}
	if f := b.flight.Load(); f != nil {
		f.stir()
	}
}

func (f *flight) stir() {
	select {
	case f.look <- struct{}{}:
	default:
	}
}

// goOn gives a flight more time.
func (f *flight) goOn(length time.Duration) {
	f.hurry.Store(length == 0)
	f.landing.Store(length == 0)
	f.over.Store(int64(f.age() + length))
	f.resting.Store(false)
	f.stir()
}

// land makes a flight that nobody attends end at the next safe point.
func (b *sandbox) land() {
	if f := b.flight.Load(); f != nil && f.place.Load() == alone {
		f.goOn(0)
	}
}

// board attends a flight that a call has left, and gives it more time. It is
// false if the run is in none.
func (c *call) board(p *wire.StepParams) (Reply, bool, error) {
	b, err := c.find(p.Sandbox)
	if err != nil || p.Call != "" || p.Steps > 0 {
		return Reply{}, false, nil
	}
	f := b.flight.Load()
	if f == nil || f.run != p.Run || !f.place.CompareAndSwap(alone, attended) {
		return Reply{}, false, nil
	}
	c.held, c.taken = b, p.Taken
	length := sliceLength(p.Slice)
	f.goOn(length)
	r, left, err := c.attend(f, length)
	if !left {
		r, err = c.arrive(b, f.outcome, f.until)
	}
	return r, true, err
}

// attend waits for a flight, and leaves it when its time is over by far or the
// run is to be suspended: then it gives the answer. It is false at the end of
// the flight, when the call has the lock.
func (c *call) attend(f *flight, length time.Duration) (Reply, bool, error) {
	b := f.sandbox
	timer := time.NewTimer(length + min(grace, length))
	defer timer.Stop()
	for waiting := true; waiting; {
		select {
		case <-f.landed:
			waiting = false
		case <-f.rests:
			waiting = false
		case <-b.poke:
			timer.Reset(graceAsked)
		case <-timer.C:
			waiting = false
		}
	}
	b.hurry.Store(true)
	n := b.note.Load()
	suspend := n.suspends(f.run)
	if suspend {
		f.resting.Store(true) // without effect at a safe point
	}
	if !f.place.CompareAndSwap(attended, alone) {
		<-f.landed
		return Reply{}, f.failed != nil, f.failed
	}
	c.held = nil
	out := wire.Output{Run: f.run}
	if suspend {
		b.note.CompareAndSwap(n, nil)
		r, err := say(wire.TagSuspended, &out, &wire.Suspended{Output: out}, usualBody)
		return r, true, err
	}
	r, err := say(wire.TagSlice, &out, &wire.Slice{Output: out}, usualBody)
	return r, true, err
}
