package rpc

import (
	"sync/atomic"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
)

// patience is how long a call waits for a sandbox that another thread holds.
const patience = 20 * time.Millisecond

// sandbox is an entry of the handle table.
type sandbox struct {
	lock   chan struct{} // capacity 1; full while a call works in the sandbox
	closed atomic.Bool
	broken atomic.Pointer[string] // why it is not trusted any more
}

func newSandbox() *sandbox { return &sandbox{lock: make(chan struct{}, 1)} }

// distrust marks a sandbox in which a panic happened.
func (b *sandbox) distrust(why string) { b.broken.CompareAndSwap(nil, &why) }

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
	return nil
}

// add gives a sandbox a handle.
func (s *Server) add(b *sandbox) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	h := s.generation<<generationShift | s.last
	s.sandboxes[h] = b
	return h
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
		return nil, fault.New(fault.Closed, "", "", "the sandbox is closed")
	}
	return b, nil
}

// hold gives the sandbox of a handle with its lock, which the call keeps until it ends.
func (c *call) hold(handle int64) (*sandbox, error) {
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
	if b.closed.Load() {
		<-b.lock
		return nil, fault.New(fault.Closed, "", "", "the sandbox is closed")
	}
	c.held = b
	return b, nil
}

// release gives the lock back.
func (c *call) release() {
	if c.held != nil {
		<-c.held.lock
		c.held = nil
	}
}
