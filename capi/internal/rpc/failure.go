package rpc

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/vfs"
)

var (
	errClosing  = errors.New("the interpreter is ending")
	errAgain    = errors.New("another thread holds the sandbox")
	errTooLarge = &limit.Reached{Name: "memory"}
)

// failed makes the answer for an error.
func (s *Server) failed(c *call, err error) Reply {
	if err == errAgain {
		return Reply{Tag: wire.TagAgain}
	}
	e := describe(err)
	if e.Kind == int(fault.Panic) && c.held != nil {
		c.held.distrust(e.Message)
	}
	r, err := encoded(wire.TagError, e, 0)
	if err != nil { // strings and ints always encode
		return Reply{Tag: wire.TagError}
	}
	return r
}

// describe says what an error is in the terms of the wire.
func describe(err error) wire.Error {
	e := wire.Error{Kind: int(fault.Internal), Message: err.Error()}
	var f *fault.Error
	if errors.As(err, &f) {
		e.Kind, e.Op, e.Path, e.Line, e.Column = int(f.Kind), f.Op, f.Path, f.Line, f.Col
		if f.Err != nil {
			e.Message = f.Err.Error()
		}
	}
	var errno vfs.Errno
	if errors.As(err, &errno) {
		e.Errno = int(errno)
		if f == nil {
			e.Kind = int(fault.File)
		}
	}
	var reached *limit.Reached
	if errors.As(err, &reached) {
		e.Limit = reached.Name
		if f == nil {
			e.Kind = int(fault.Limit)
		}
	}
	return e
}

// panicked turns a recovered panic into an error that names the place, without
// the paths of the machine that built the library.
func panicked(value any) error {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	var places []string
	for len(places) < 3 {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") && f.Function != "" {
			file := f.File[strings.LastIndexByte(f.File, '/')+1:]
			places = append(places, fmt.Sprintf("%s (%s:%d)", f.Function, file, f.Line))
		}
		if !more {
			break
		}
	}
	return &fault.Error{Kind: fault.Panic, Err: fmt.Errorf("internal error: %v, in %s", value, strings.Join(places, ", called by "))}
}
