// Package driver drives the sandboxes of a Server for a host that wants one
// call for each thing it does: what _runs.py and _turns.py are to Python, this is
// to the C API. It adds no state to a sandbox: it speaks to the Server in its
// own requests, goes on when a slice ends, waits out sleeps, and gives each
// sandbox to one driving call at a time.
package driver

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"

	"eryxsh/capi/internal/rpc"
	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
)

// Codes that only this package gives; all others are kinds of errors (see
// wire.Kinds), which end with the byte.
const (
	Suspended = 256 + iota // Exec met what only the caller can do: Next says what
	NoMemory               // the host has no memory for the answer
)

// Error is why a call failed.
type Error struct {
	Code int // a kind of wire.Kinds, or one of the codes above
	What wire.Error
}

// Error names the thing it is about, if the message does not.
func (e *Error) Error() string {
	if e.What.Path == "" || strings.Contains(e.What.Message, e.What.Path) {
		return e.What.Message
	}
	return e.What.Path + ": " + e.What.Message
}

// Failure makes the Error of anything that went wrong.
func Failure(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return fail(int(fault.Internal), "%v", err)
}

// Invalid is the error of an argument that cannot be used.
func Invalid(format string, args ...any) *Error { return fail(int(fault.Invalid), format, args...) }

func fail(code int, format string, args ...any) *Error {
	return &Error{code, wire.Error{Kind: code, Message: fmt.Sprintf(format, args...)}}
}

// Driver holds a Server and what it has to know of each of its sandboxes. Its
// methods may be called from any thread.
type Driver struct {
	server  *rpc.Server
	numbers map[string]int // of the methods

	mu       sync.Mutex
	sessions map[int64]*session
}

// New makes a Driver of a Server that nobody else uses.
func New(server *rpc.Server) *Driver {
	d := &Driver{server: server, numbers: map[string]int{}, sessions: map[int64]*session{}}
	for _, m := range wire.Methods() {
		d.numbers[m.Name] = m.Number
	}
	return d
}

// Interrupt reports whether the host wants whatever runs to end; it is asked
// between slices and during sleeps. It may be nil.
type Interrupt func() bool

// add makes the session of a new sandbox.
func (d *Driver) add(handle int64, interrupt Interrupt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions[handle] = &session{driver: d, handle: handle, interrupt: interrupt, wake: make(chan struct{}, 1)}
}

// session gives what is known of a sandbox.
func (d *Driver) session(handle int64) (*session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[handle]
	if s == nil {
		return nil, fail(int(fault.Closed), "the sandbox is closed, or there never was one of this handle")
	}
	return s, nil
}

// reply sends a request until nobody else holds the sandbox. blob is the large
// parameter, if there is one; it is only lent.
func (d *Driver) reply(method string, params any, blob []byte) (rpc.Reply, error) {
	return d.replyUntil(nil, method, params, blob)
}

// replyUntil is reply; interrupt, which may be nil, ends a long step.
func (d *Driver) replyUntil(interrupt Interrupt, method string, params any, blob []byte) (rpc.Reply, error) {
	var request bytes.Buffer
	if err := errors.Join(wire.Append(&request, d.numbers[method]), wire.Append(&request, params)); err != nil {
		return rpc.Reply{}, err
	}
	for {
		r := d.server.CallUntil(rpc.Wanted(interrupt), request.Bytes(), blob)
		switch r.Tag {
		case wire.TagAgain:
			r.Release()
		case wire.TagError:
			defer r.Release()
			e := &Error{}
			if err := wire.Params(r.Body(), &e.What); err != nil {
				return rpc.Reply{}, err
			}
			e.Code = e.What.Kind
			return rpc.Reply{}, e
		default:
			return r, nil
		}
	}
}

// value sends a request whose answer is a value.
func value[R any](d *Driver, method string, params any, blob []byte) (result R, err error) {
	r, err := d.reply(method, params, blob)
	if err == nil {
		err = wire.Params(r.Body(), &result)
		r.Release()
	}
	return result, err
}

// done sends a request about a sandbox that is answered by nothing.
func (d *Driver) done(handle int64, method string, params any, blob []byte) error {
	if _, err := d.session(handle); err != nil {
		return err
	}
	r, err := d.reply(method, params, blob)
	if err == nil {
		r.Release()
	}
	return err
}

// Room makes place for so many bytes; nil if there is none.
type Room func(size int) []byte

// bytes sends a request about a sandbox whose answer is bytes, which are written
// into the room that the caller makes for them.
func (d *Driver) bytes(handle int64, method string, params any, room Room) error {
	if _, err := d.session(handle); err != nil {
		return err
	}
	r, err := d.reply(method, params, nil)
	if err != nil {
		return err
	}
	defer r.Release()
	to := room(r.Len())
	if to == nil {
		return fail(NoMemory, "no memory for %d bytes", r.Len())
	}
	return r.CopyTo(to)
}
