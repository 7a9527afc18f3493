package driver

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
)

// look is how often an interrupt is asked for while a script sleeps.
const look = 10 * time.Millisecond

// session is what the driver knows of a sandbox.
type session struct {
	driver    *Driver
	handle    int64
	interrupt Interrupt
	wake      chan struct{} // ends a sleep

	turn sync.Mutex // of whoever drives; what follows belongs to it
	run  string     // id of the run that goes on, as far as is known
	last int64      // number of the youngest tool call that was given out
	out  [2][]byte  // output since the last event: stdout and stderr
}

// poke makes the driver, if it sleeps, look again.
func (s *session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Event is what a run came to.
type Event struct {
	Tag            wire.Tag // TagDone, or a tag behind TagSlice
	Stdout, Stderr []byte   // since the event before
	Done           wire.Done
	Call           wire.Call // of TagCalls: the oldest not given out yet
	Wait           int64     // of TagSleeping: ns
	FD             int       // of TagInput
	Name           string    // of a limit or a checkpoint
	calls          []wire.Call
}

// Exec runs a command to its end. What it cannot do by itself (a tool call, input)
// is an error with the code Suspended, and the run waits for Next.
func (d *Driver) Exec(p wire.StartParams) (Event, error) {
	s, err := d.session(p.Sandbox)
	if err != nil {
		return Event{}, err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.start(p); err != nil {
		return Event{}, err
	}
	for {
		e, err := s.advance(true)
		switch {
		case err != nil:
			return Event{}, err
		case e.Tag == wire.TagDone:
			return s.give(e), nil
		case e.Tag != wire.TagCheckpoint:
			return Event{}, fail(Suspended, "the run waits: eryxsh_run_next says for what")
		}
	}
}

// Start begins a run without driving it.
func (d *Driver) Start(p wire.StartParams) error {
	s, err := d.session(p.Sandbox)
	if err != nil {
		return err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.start(p)
}

func (s *session) start(p wire.StartParams) error {
	run, err := value[string](s.driver, "run.start", p, nil)
	if err == nil {
		s.run, s.last, s.out = run, 0, [2][]byte{}
	}
	return err
}

// Next goes on until something happens that the script cannot do by itself. It
// waits out sleeps, unless wait is false.
func (d *Driver) Next(handle int64, wait bool) (Event, error) {
	s, err := d.session(handle)
	if err != nil {
		return Event{}, err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.find(); err != nil {
		return Event{}, err
	}
	e, err := s.advance(wait)
	if err != nil {
		return Event{}, err
	}
	return s.give(e), nil
}

// find looks for the run of a sandbox that got it from elsewhere: by a fork, a
// blob, or a snapshot.
func (s *session) find() error {
	info, err := s.driver.active(s.handle)
	if err == nil && info.Run != s.run {
		s.run, s.last, s.out = info.Run, 0, [2][]byte{}
	}
	return err
}

// active describes the run of a sandbox; none is an error.
func (d *Driver) active(handle int64) (wire.RunInfo, error) {
	if _, err := d.session(handle); err != nil {
		return wire.RunInfo{}, err
	}
	info, err := value[wire.RunInfo](d, "run.active", wire.SandboxParams{Sandbox: handle}, nil)
	if err == nil && info.Run == "" {
		err = fail(int(fault.RunGone), "no run is active in the sandbox")
	}
	return info, err
}

// give makes an event what the caller has seen.
func (s *session) give(e Event) Event {
	e.Stdout, e.Stderr, s.out = s.out[0], s.out[1], [2][]byte{}
	if e.Tag == wire.TagDone {
		s.run = ""
	}
	if e.Tag == wire.TagCalls {
		for _, c := range e.calls {
			if e.Call = c; number(c.ID) > s.last {
				break
			}
			e.Call = e.calls[0]
		}
		s.last = max(s.last, number(e.Call.ID))
	}
	return e
}

// number is the place of a call among those of its sandbox.
func number(id string) int64 {
	n, _ := strconv.ParseInt(id[strings.LastIndexByte(id, '-')+1:], 10, 64)
	return n
}

// advance steps until something comes that the script cannot do by itself.
func (s *session) advance(wait bool) (Event, error) {
	for {
		if s.interrupt != nil && s.interrupt() {
			if err := s.driver.cancel(s.handle, s.run); err != nil {
				return Event{}, err
			}
		}
		e, err := s.step()
		switch {
		case err != nil:
			return Event{}, err
		case e.Tag == wire.TagSleeping && wait:
			s.sleep(time.Duration(e.Wait))
		case e.Tag != wire.TagSlice:
			return e, nil
		}
	}
}

// sleep waits, until somebody wants something.
func (s *session) sleep(length time.Duration) {
	end := time.Now().Add(length)
	for left := length; left > 0; left = time.Until(end) {
		if s.interrupt != nil {
			if s.interrupt() {
				return
			}
			left = min(left, look)
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-s.wake:
			t.Stop()
			return
		}
	}
}

// step drives the run for a slice.
func (s *session) step() (e Event, err error) {
	r, err := s.driver.replyUntil(s.interrupt, "run.step", wire.StepParams{Sandbox: s.handle, Run: s.run, Number: s.last + 1}, nil)
	if err != nil {
		return e, err
	}
	defer r.Release()
	e.Tag = r.Tag
	var out wire.Output
	switch r.Tag {
	case wire.TagDone:
		err = wire.Params(r.Body(), &e.Done)
		out = e.Done.Output
	case wire.TagCalls:
		var b wire.Calls
		err = wire.Params(r.Body(), &b)
		out, e.calls = b.Output, b.Calls
	case wire.TagSleeping:
		var b wire.Sleeping
		err = wire.Params(r.Body(), &b)
		out, e.Wait = b.Output, b.Wait
	case wire.TagInput:
		var b wire.Input
		err = wire.Params(r.Body(), &b)
		out, e.FD = b.Output, b.FD
	case wire.TagLimit:
		var b wire.Limited
		err = wire.Params(r.Body(), &b)
		out, e.Name = b.Output, b.Limit
	case wire.TagCheckpoint:
		var b wire.Checkpointed
		err = wire.Params(r.Body(), &b)
		out, e.Name = b.Output, b.Name
	default:
		err = wire.Params(r.Body(), &out) // nothing else
	}
	for _, c := range out.Output {
		at := &s.out[c.FD-1]
		*at = append(*at, c.Data...)
	}
	return e, err
}

// Answer answers a tool call.
func (d *Driver) Answer(handle int64, p wire.AnswerParams) error {
	return d.resume(handle, func(run string) error {
		p.Sandbox, p.Run = handle, run
		return d.done(handle, "run.answer", p, nil)
	})
}

// Feed gives bytes to a script that waits for input; none is end of file.
func (d *Driver) Feed(handle int64, data []byte) error {
	return d.resume(handle, func(run string) error {
		return d.done(handle, "run.input", wire.InputParams{Sandbox: handle, Run: run, Data: data}, nil)
	})
}

// Refill adds to budgets that were used up.
func (d *Driver) Refill(handle int64, add map[string]int64) error {
	return d.resume(handle, func(run string) error {
		return d.done(handle, "run.add", wire.AddParams{Sandbox: handle, Run: run, Add: add}, nil)
	})
}

// resume does something with the active run of a sandbox.
func (d *Driver) resume(handle int64, with func(run string) error) error {
	s, err := d.session(handle)
	if err != nil {
		return err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if err := s.find(); err != nil {
		return err
	}
	return with(s.run)
}

// Dump gives the active run and its sandbox as one blob, also while another
// thread drives it.
func (d *Driver) Dump(handle int64, key []byte, room Room) error {
	info, err := d.active(handle)
	if err != nil {
		return err
	}
	return d.bytes(handle, "sandbox.export", wire.ExportParams{Sandbox: handle, Key: key, Run: info.Run}, room)
}

// Load makes a sandbox out of what Dump gave.
func (d *Driver) Load(blob []byte, p wire.FromStateParams, interrupt Interrupt) (int64, error) {
	loaded, err := value[wire.Loaded](d, "run.load", p, given(blob))
	if err == nil {
		d.add(loaded.Sandbox, interrupt)
	}
	return loaded.Sandbox, err
}

// Cancel makes whatever runs in a sandbox end with status 130, also a run that
// waits and that nobody drives. Nothing active: nothing happens.
func (d *Driver) Cancel(handle int64) error {
	s, err := d.session(handle)
	if err != nil {
		return err
	}
	if err := d.cancel(handle, ""); err != nil {
		return err
	}
	s.poke()
	if !s.turn.TryLock() {
		return nil // its driver finds out
	}
	defer s.turn.Unlock()
	if s.find() == nil {
		_, err = s.step()
	}
	return err
}

func (d *Driver) cancel(handle int64, run string) error {
	return d.done(handle, "run.cancel", wire.CancelParams{Sandbox: handle, Run: run}, nil)
}
