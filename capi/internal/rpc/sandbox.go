package rpc

import (
	"sync/atomic"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state/store"
)

// patience is how long a call waits for a sandbox that another thread holds.
const patience = 20 * time.Millisecond

// sandbox is an entry of the handle table. What is not atomic belongs to
// whoever holds the lock.
type sandbox struct {
	lock   chan struct{} // capacity 1; full while a call works in the sandbox
	closed atomic.Bool
	uses   atomic.Int64           // how often it was held
	broken atomic.Pointer[string] // why it is not trusted any more
	note   atomic.Pointer[note]

	*core.World
	origin  *shell.Mark  // the state it began with, for diff
	descent descent      // where it comes from, for merge
	goesOn  bool         // the run had a slice before and did not end in it
	slept   int64        // when it was last answered that everything sleeps or that a slice is over, ns; 0 none
	wake    int64        // when it wanted to go on, ns
	meter   int64        // Meter.Time when the run began
	saved   *store.Saved // what a store has of it, nil: nothing
	savedIn string       // which store
	had     *store.Have  // what is known of its files, for thin packs
	bounds  limit.Limits // its own from the beginning: no state that is imported lifts one, and reset brings them back
}

// note is what another thread wants of the run.
type note struct {
	run     string // id; empty is whichever is active
	suspend bool   // otherwise: cancel
}

func newSandbox(w *core.World, origin *shell.Mark) *sandbox {
	return &sandbox{lock: make(chan struct{}, 1), World: w, origin: origin, descent: newDescent()}
}

// bounded makes the limits it has now its own.
func (b *sandbox) bounded() *sandbox {
	b.bounds = b.Config.Limits
	return b
}

// changed forgets what belonged to the state before.
func (b *sandbox) changed() {
	b.broken.Store(nil)
	b.note.Store(nil)
	b.slept, b.meter = 0, b.M.Meter.Time
}

// distrust marks a sandbox in which a panic happened.
func (b *sandbox) distrust(why string) { b.broken.CompareAndSwap(nil, &why) }

// add gives a sandbox a handle.
func (s *Server) add(b *sandbox) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.handle()
	s.sandboxes[h] = b
	return h
}

// handle makes a number that was never used. The lock is held.
func (s *Server) handle() int64 {
	s.last++
	return s.generation<<generationShift | s.last
}

// find gives the sandbox of a handle.
func (s *Server) find(handle int64) (*sandbox, error) {
	if handle>>generationShift != s.generation {
		return nil, fault.New(wire.KindForked, "", "", "the sandbox belongs to the process this one was forked from")
	}
	s.mu.Lock()
	b := s.sandboxes[handle]
	s.mu.Unlock()
	if b == nil {
		return nil, errClosed()
	}
	return b, nil
}

func errClosed() error { return fault.New(fault.Closed, "", "", "the sandbox is closed") }

// hold gives the sandbox of a handle with its lock, which the call keeps until
// it ends.
func (c *call) hold(handle int64) (*sandbox, error) {
	b, err := c.holdAsIs(handle)
	if err == nil {
		b.Touched()
	}
	return b, err
}

// holdAsIs is hold for the method that only moves a run.
func (c *call) holdAsIs(handle int64) (*sandbox, error) {
	b, err := c.holdBroken(handle)
	if err == nil {
		if why := b.broken.Load(); why != nil {
			return nil, fault.New(fault.Internal, "", "", "the sandbox was left in an unknown state by an internal error: reset it, or restore a snapshot (%s)", *why)
		}
	}
	return b, err
}

// holdBroken is hold for the methods that replace the state of a sandbox in
// which a panic happened.
func (c *call) holdBroken(handle int64) (*sandbox, error) {
	b, err := c.find(handle)
	if err != nil {
		return nil, err
	}
	select {
	case b.lock <- struct{}{}:
	default:
		t := time.NewTimer(patience)
		defer t.Stop()
		select {
		case b.lock <- struct{}{}:
		case <-t.C:
			return nil, errAgain
		}
	}
	c.held = b
	b.uses.Add(1)
	if b.closed.Load() {
		return nil, errClosed()
	}
	return b, nil
}

// tick sets the clock of a World that follows the host's.
func (b *sandbox) tick(c *call) {
	if !b.M.Clock.Virtual {
		b.M.Clock.Now = max(b.M.Clock.Now, c.now().UnixNano())
	}
}

// release gives the lock back.
func (c *call) release() {
	if c.held != nil {
		c.held.leave()
		c.held = nil
	}
}

// leave gives the lock back. A sandbox that was closed meanwhile is let go by
// whoever held it.
func (b *sandbox) leave() {
	if b.closed.Load() {
		b.end()
	}
	<-b.lock
	if b.closed.Load() { // closed since, while the lock was still ours
		select {
		case b.lock <- struct{}{}:
			b.end()
			<-b.lock
		default:
		}
	}
}

// big is how many stored bytes make it worth the time to give memory back to
// the operating system when a sandbox is closed.
const big = 64 << 20

// end lets go of the World. The lock is held.
func (b *sandbox) end() {
	w := b.World
	if w == nil {
		return
	}
	b.World, b.origin, b.descent = nil, nil, descent{}
	w.Close()
	if w.M.FS.Usage().Bytes >= big {
		background(freeMemory, nil)
	}
}

// close makes the handle dead. Who holds the sandbox finds out at the end of
// its slice, which comes at once.
func (s *Server) close(handle int64) error {
	b, err := s.find(handle)
	if err != nil {
		if e := describe(err); e.Kind == int(fault.Closed) {
			return nil
		}
		return err
	}
	b.closed.Store(true)
	s.mu.Lock()
	delete(s.sandboxes, handle)
	s.mu.Unlock()
	select {
	case b.lock <- struct{}{}:
		b.leave()
	default: // its holder does the rest
	}
	return nil
}
