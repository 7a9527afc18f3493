package rpc

import (
	"errors"
	"runtime"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/vfs"
)

// shutdownNumber is system.shutdown, the one method answered while closing.
const shutdownNumber = 5

func systemMethods() []binding {
	return []binding{
		on("system.ping", func(c *call, p *wire.PingParams) (wire.Blob, error) {
			return append(wire.Blob(nil), c.data(p.Payload)...), nil
		}),
		on("system.version", func(c *call, _ *wire.GCParams) (wire.Version, error) {
			return wire.Version{Version: c.version, Go: runtime.Version(), Fingerprint: wire.Fingerprint}, nil
		}),
		on("system.stats", stats),
		does("system.gc", func(*call, *wire.GCParams) error {
			freeMemory()
			return nil
		}),
		on("system.shutdown", shutdown),
		on("system.test", misbehave),
	}
}

// shutdown refuses new calls and waits until this call is the only one inside.
func shutdown(c *call, p *wire.ShutdownParams) (bool, error) {
	c.closing.Store(true)
	for deadline := time.Now().Add(time.Duration(p.Wait)); ; {
		if c.inside.Load() <= 1 {
			return true, nil
		}
		if !time.Now().Before(deadline) {
			return false, nil
		}
		time.Sleep(time.Millisecond)
	}
}

// misbehave does what no method should, so that the package's tests can see
// what comes of it. Nothing outside them enables it.
func misbehave(c *call, p *wire.MisbehaveParams) (wire.Blob, error) {
	if p.Op == "enable" {
		c.testing.Store(true)
		return nil, nil
	}
	if !c.testing.Load() {
		return nil, badRequest("system.test is not enabled")
	}
	switch p.Op {
	case "panic":
		panic("asked for by a test")
	case "goroutine_panic":
		failed := make(chan error, 1)
		background(func() { panic("asked for by a test") }, func(err error) { failed <- err })
		return nil, <-failed
	case "index":
		var none []int
		_ = none[p.N]
	case "sleep":
		time.Sleep(time.Duration(p.N))
	case "again":
		return nil, errAgain
	case "bytes":
		return make(wire.Blob, p.N), nil
	case "file":
		return nil, fault.New(fault.File, "open", "/no/such", "%w", vfs.Errno(p.N))
	case "kind":
		return nil, &fault.Error{Kind: fault.Kind(p.N), Op: "test", Path: "/a", Line: 3, Col: 7, Err: errors.New("asked for by a test")}
	default:
		return nil, badRequest("system.test has no op %q", p.Op)
	}
	return nil, nil
}

// background runs f on a goroutine of its own and keeps its panics from ending
// the host: they go to report, which may be nil.
func background(f func(), report func(error)) {
	go func() {
		defer func() {
			if r := recover(); r != nil && report != nil {
				report(panicked(r))
			}
		}()
		f()
	}()
}
