package rpc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/compare"
	"eryxsh/core/fault"
	"eryxsh/state"
)

// generationShift is where a handle's generation begins: 2^40 sandboxes a process.
const generationShift = 40

// Server holds the sandboxes of one process and answers requests about them.
// Its methods may be called from any number of threads.
type Server struct {
	version    string
	generation int64
	templates  core.Templates
	loader     *state.Loader
	handlers   []handler // by method number
	closing    atomic.Bool
	testing    atomic.Bool // system.test enable
	inside     atomic.Int64
	calls      atomic.Int64
	lastEnv    atomic.Pointer[environment] // of the last tool call
	wanted     atomic.Pointer[Wanted]      // of calls that bring none

	mu        sync.Mutex
	last      int64
	sandboxes map[int64]*sandbox
	diffs     map[int64]*compare.Difference
	savings   map[int64]*saving
	readings  map[int64]*reading
}

// handler decodes its parameters and acts. A Reply of its own is for results
// that are not plain values.
type handler func(c *call, params []byte) (Reply, error)

// binding is a row of the method table with what it does.
type binding struct {
	name   string
	params reflect.Type
	result reflect.Type
	handle handler
}

// call is one request in work.
type call struct {
	*Server
	blob []byte   // a large Blob parameter, lent by the caller
	held *sandbox // the sandbox whose lock this call holds
	time time.Time
	want Wanted // may be nil
	driving
}

// Wanted is asked in the middle of a step that takes long, on the thread of its call, once in the
// length of a slice: whether the host wants the run to end.
type Wanted func() bool

// Attend says what to ask in calls that do not bring it.
func (s *Server) Attend(want Wanted) { s.wanted.Store(&want) }

// driving is what a call that drives a run fills in. It is a part of the call
// so that a short command allocates none of it.
type driving struct {
	slice  slice
	done   wire.Done
	asks   wire.Calls
	chunks [2]wire.Chunk
	asked  [2]wire.Call
	number int64 // of the tool call that the caller wants, if it wants one: see wire.StepParams
}

// calls that have ended, to be used again.
var calls = sync.Pool{New: func() any { return new(call) }}

// now is the time of the call: the same however often it is asked for.
func (c *call) now() time.Time {
	if c.time.IsZero() {
		c.time = time.Now()
	}
	return c.time
}

// NewServer makes a server whose handles belong to a generation.
func NewServer(version string, generation int64) *Server {
	s := &Server{version: version, generation: generation, sandboxes: map[int64]*sandbox{}, diffs: map[int64]*compare.Difference{}, savings: map[int64]*saving{},
		readings: map[int64]*reading{}, loader: state.NewLoader()}
	bound := map[string]binding{}
	for _, b := range bindings() {
		bound[b.name] = b
	}
	methods := wire.Methods()
	s.handlers = make([]handler, methods[len(methods)-1].Number+1)
	for _, m := range methods {
		if b, ok := bound[m.Name]; ok {
			s.handlers[m.Number] = b.handle
		}
	}
	return s
}

// bindings lists what every method does.
func bindings() []binding {
	return slices.Concat(systemMethods(), sandboxMethods(), stateMethods(), runMethods(), fileMethods(), blobMethods(), diffMethods(), mergeMethods(), storeMethods())
}

// data gives a Blob parameter, whichever way it came.
func (c *call) data(p wire.Blob) []byte {
	if c.blob != nil {
		return c.blob
	}
	return p
}

// on binds a method that gives a value.
func on[P, R any](name string, f func(c *call, p *P) (R, error)) binding {
	return binding{name, reflect.TypeFor[P](), reflect.TypeFor[R](), func(c *call, params []byte) (Reply, error) {
		var p P
		if err := wire.Params(params, &p); err != nil {
			return Reply{}, badParams(err)
		}
		result, err := f(c, &p)
		if err != nil {
			return Reply{}, err
		}
		if b, ok := any(result).(wire.Blob); ok {
			return raw(b), nil
		}
		return encoded(wire.TagValue, &result, 0)
	}}
}

// lends binds a method whose bytes are written straight into the caller's
// memory: f says how many there are and how to write them. The sandbox stays
// held until they are.
func lends[P any](name string, f func(c *call, p *P) (size int, fill func([]byte) error, err error)) binding {
	return binding{name, reflect.TypeFor[P](), reflect.TypeFor[wire.Blob](), func(c *call, params []byte) (Reply, error) {
		var p P
		if err := wire.Params(params, &p); err != nil {
			return Reply{}, badParams(err)
		}
		size, fill, err := f(c, &p)
		if err != nil {
			return Reply{}, err
		}
		r := Reply{Tag: wire.TagBytes, size: size, fill: fill, held: c.held}
		c.held = nil
		return r, nil
	}}
}

// does binds a method that gives nothing.
func does[P any](name string, f func(c *call, p *P) error) binding {
	b := on(name, func(c *call, p *P) (any, error) { return nil, f(c, p) })
	b.result = nil
	return b
}

// Call answers a request. blob is the large Blob parameter, if the request has
// one; neither is kept. It never panics.
func (s *Server) Call(request, blob []byte) (reply Reply) {
	var want Wanted
	if w := s.wanted.Load(); w != nil {
		want = *w
	}
	return s.CallUntil(want, request, blob)
}

// CallUntil is Call with what is asked in the middle of a long step.
func (s *Server) CallUntil(want Wanted, request, blob []byte) (reply Reply) {
	s.calls.Add(1)
	s.inside.Add(1)
	c := calls.Get().(*call)
	c.Server, c.blob, c.want = s, blob, want
	defer func() {
		if r := recover(); r != nil {
			reply = s.failed(c, panicked(r))
		}
		c.release()
		*c = call{}
		calls.Put(c)
		s.inside.Add(-1)
	}()
	number, params, err := wire.Number(request)
	if err != nil {
		return s.failed(c, badRequest("%v", err))
	}
	if number >= len(s.handlers) || s.handlers[number] == nil {
		return s.failed(c, unbound(number))
	}
	if s.closing.Load() && number != shutdownNumber {
		return s.failed(c, &fault.Error{Kind: wire.KindClosing, Err: errClosing})
	}
	reply, err = s.handlers[number](c, params)
	if err != nil {
		return s.failed(c, err)
	}
	return reply
}

// unbound is the error for a method that nothing is bound to.
func unbound(number int) error {
	for _, m := range wire.Methods() {
		if m.Number == number {
			return fault.New(fault.Unsupported, "", "", "%s is not supported", m.Name)
		}
	}
	return badRequest("no method has number %d", number)
}

// badParams is the error of parameters that do not decode.
func badParams(err error) error {
	if mistyped := (*wire.TypeError)(nil); errors.As(err, &mistyped) {
		return &fault.Error{Kind: wire.KindType, Err: err}
	}
	return badRequest("parameters: %v", err)
}

func badRequest(format string, args ...any) error {
	return &fault.Error{Kind: wire.KindRequest, Err: fmt.Errorf(format, args...)}
}
