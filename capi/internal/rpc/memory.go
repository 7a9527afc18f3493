package rpc

import (
	"math"
	"runtime"
	"runtime/debug"

	"eryxsh/capi/internal/wire"
)

// ballast is memory that is never touched and so never resident. The collector
// starts when the heap has doubled, and a heap of 4 MB, which is what it begins
// with, doubles every 400 short commands: collecting took more than half of the
// time. With the ballast it is every 3,000.
var ballast []byte

const ballastSize = 32 << 20

// Tune sets what the Go runtime would otherwise take from the host's
// environment, and how eagerly garbage is collected.
func Tune() {
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
	debug.SetTraceback("single")
	runtime.SetDefaultGOMAXPROCS()
	ballast = make([]byte, ballastSize)
}

// freeMemory collects garbage and gives what is free to the operating system.
func freeMemory() { debug.FreeOSMemory() }

func stats(c *call, _ *wire.GCParams) (wire.Stats, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.mu.Lock()
	n := len(c.sandboxes)
	c.mu.Unlock()
	return wire.Stats{
		Heap: int64(m.HeapAlloc) - int64(len(ballast)), System: int64(m.Sys) - int64(len(ballast)), Released: int64(m.HeapReleased),
		Goroutines: int64(runtime.NumGoroutine()), Sandboxes: int64(n), Calls: c.calls.Load(), Collected: int64(m.NumGC),
	}, nil
}
