package shell

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"eryxsh/core/cmd"
)

// A fiber runs a Go library that wants to block: a codec between stdin and
// stdout. It is a goroutine with a token handed over on two channels: resume
// passes it in and waits until the fiber parks or ends, so it never runs at the
// same time as the machine, and any thread may do the next resume.
//
// A parked fiber is ended by runtime.Goexit inside the park, which runs the
// library's deferred calls and cannot be recovered by it. What it has read is
// kept in the frame (Util.In); after a load the same code runs again over it
// and the output already taken is dropped, which is sound for a deterministic
// codec however its input is split.
type fiber struct {
	resumed chan bool // false ends the fiber
	parked  chan fiberState
	state   fiberState
	dying   bool
	status  int
	err     error

	in   []byte // input not yet read
	eof  bool
	out  []byte // output not yet taken
	skip int    // output that was delivered before a load
	work int
}

// fiberState is why a fiber gave the token back.
type fiberState uint8

const (
	fiberSliced fiberState = iota
	fiberWantsIn
	fiberWantsOut
	fiberDone
)

const (
	fiberOut  = 64 << 10 // output that makes Write park
	fiberWork = 256 << 10
	// keptInput is how much input a fiber may keep to be replayed.
	keptInput = 64 << 20
)

func newFiber(run func(io.Reader, io.Writer) int, in []byte, eof bool, taken int) *fiber {
	f := &fiber{resumed: make(chan bool), parked: make(chan fiberState), in: in, eof: eof, skip: taken}
	go f.main(run)
	return f
}

func (f *fiber) main(run func(io.Reader, io.Writer) int) {
	defer func() {
		if x := recover(); x != nil && !f.dying {
			f.err, f.status = fmt.Errorf("panic: %v", x), 1
		}
		f.parked <- fiberDone
	}()
	f.wait()
	f.status = run(f, f)
}

func (f *fiber) resume() fiberState {
	if f.state != fiberDone {
		f.resumed <- true
		f.state = <-f.parked
	}
	return f.state
}

// kill ends the fiber before it returns; killing an ended fiber does nothing.
func (f *fiber) kill() {
	if f.state != fiberDone {
		f.resumed <- false
		f.state = <-f.parked
	}
}

func (f *fiber) wait() {
	if !<-f.resumed {
		f.dying = true
		runtime.Goexit()
	}
}

func (f *fiber) park(s fiberState) {
	if !f.dying {
		f.parked <- s
		f.wait()
	}
}

// tick parks when the turn's work is done.
func (f *fiber) tick(n int) {
	if f.work += n; f.work >= fiberWork {
		f.work = 0
		f.park(fiberSliced)
	}
}

var errDying = errors.New("the command is being stopped")

// Read is the codec's stdin.
func (f *fiber) Read(p []byte) (int, error) {
	for len(f.in) == 0 {
		if f.eof || f.dying {
			return 0, io.EOF
		}
		f.park(fiberWantsIn)
	}
	n := copy(p, f.in)
	f.in = f.in[n:]
	f.tick(n)
	return n, nil
}

// Write is the codec's stdout.
func (f *fiber) Write(p []byte) (int, error) {
	if f.dying {
		return 0, errDying
	}
	n := len(p)
	if f.skip > 0 {
		k := min(f.skip, len(p))
		f.skip -= k
		p = p[k:]
	}
	f.out = append(f.out, p...)
	f.tick(n)
	for len(f.out) >= fiberOut && !f.dying {
		f.park(fiberWantsOut)
	}
	return n, nil
}

// stepFilter gives a codec a turn.
func (m *Machine) stepFilter(p *Process, f *Frame) {
	u := f.X.Util
	if u.Ended > 0 {
		m.finishUtil(p, u, u.Ended-1)
		return
	}
	def := m.lib.reg.Lookup(u.Name)
	if u.ctx == nil {
		if status, done := m.context(p, u); done {
			m.finishUtil(p, u, status)
			return
		}
	}
	if u.fiber == nil {
		c := u.ctx
		u.fiber = newFiber(func(r io.Reader, w io.Writer) int { return def.Filter(c, r, w) }, u.In, u.EOF, u.Taken)
		u.Begun = true
	}
	fb := u.fiber
	state := fb.resume()
	m.charge(64)
	if out := fb.out; len(out) > 0 {
		fb.out = nil
		u.Taken += len(out)
		if err := m.send(p, 1, out); err != nil && !slices.Contains(p.Signal, sigPIPE) {
			m.writeFailed(p, u, err)
			m.finishUtil(p, u, 1)
			return
		}
		if m.pipeBroke(p) {
			m.endByPipe(p)
			return
		}
	}
	switch state {
	case fiberDone:
		status := fb.status
		if fb.err != nil {
			u.ctx.Errorf("%s", fb.err)
		}
		u.Out = nil
		m.finishUtil(p, u, status)
	case fiberWantsIn:
		m.feedFiber(p, u)
	}
}

// feedFiber gives a codec more input: its stdin.
func (m *Machine) feedFiber(p *Process, u *Util) {
	file, ok := p.fd(0)
	if !ok {
		u.EOF, u.fiber.eof = true, true
		return
	}
	buf := m.scratch()
	n, err := m.read(file, buf)
	switch {
	case n > 0:
		data := append([]byte(nil), buf[:n]...)
		u.fiber.in = append(u.fiber.in, data...)
		if len(u.In) <= keptInput {
			u.In = append(u.In, data...)
		}
		m.hold(len(u.In))
	case err == cmd.ErrBlocked:
		p.Wait = Wait{Kind: WaitsRead, File: file}
	default:
		u.EOF, u.fiber.eof = true, true
	}
}
