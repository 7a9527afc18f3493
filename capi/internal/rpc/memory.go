package rpc

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

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
	debug.SetGCPercent(usualGC)
	debug.SetMemoryLimit(math.MaxInt64)
	debug.SetTraceback("single")
	runtime.SetDefaultGOMAXPROCS()
	ballast = make([]byte, ballastSize)
	collector.besides = addressSpace() - ballastSize
	collector.watch()
}

// governor has the collector begin in time for the limits of what runs. Left alone it
// lets garbage grow to as much as there is that lives: a script that holds the memory it
// may hold takes twice that. So garbage may have a part of what the limits of the running
// sandboxes allow, and it is looked at after each collection, when it is known what lives.
type governor struct {
	allowed atomic.Int64 // sum of the limits memory of the sandboxes that run now
	last    atomic.Int64 // what was allowed when the percentage was set last
	mu      sync.Mutex
	percent int
	most    int64        // the runtime's limit, as it was set last
	live    atomic.Int64 // bytes of the heap after the last collection
	freed   time.Time    // when memory was given back last
	besides int64        // address space that the process had at the beginning, without the heap
}

var collector = &governor{percent: usualGC}

// How much garbage there may be when the next collection ends.
const (
	usualGC    = 100 // percent of what lives, where no limit is near
	leastGC    = 12  // percent: below, collecting would be most of the work
	garbagePer = 4   // a part of what the limits allow: 1/4
)

// overhead is what the runtime needs besides the heap, at most about: its limit is of both.
const overhead = 16 << 20

// unlimited stands for a sandbox without the limit: no garbage is too much. The sum of
// many does not overflow.
const unlimited = 1 << 40

// enter counts a sandbox with a limit of memory as running, and gives what to leave with.
func (g *governor) enter(memory int64) int64 {
	if memory <= 0 || memory > unlimited {
		memory = unlimited
	}
	g.allowed.Add(memory)
	return memory
}

// leave takes back what enter gave.
func (g *governor) leave(memory int64) { g.allowed.Add(-memory) }

// mind looks again when less is allowed than at the last collection: a run goes on for a while.
func (g *governor) mind() {
	if now := g.allowed.Load(); now < g.last.Load() || g.last.Load() == 0 {
		g.adjust()
	}
}

// watch adjusts after each collection: it ends with the finalizer of an object that nobody has.
func (g *governor) watch() {
	type canary struct{ _ [16]byte }
	var rearm func(*canary)
	rearm = func(c *canary) {
		g.adjust()
		runtime.SetFinalizer(c, rearm)
	}
	runtime.SetFinalizer(&canary{}, rearm)
}

// adjust sets how much garbage there may be, and how much the runtime may have in all.
func (g *governor) adjust() {
	g.mu.Lock()
	defer g.mu.Unlock()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := int64(sample[0].Value.Uint64())
	g.live.Store(live)
	allowed := g.allowed.Load()
	if allowed == 0 { // between two slices, or at rest: as it was
		allowed = g.last.Load()
	}
	g.last.Store(allowed)
	if p := gcPercent(live, allowed); p != g.percent {
		g.percent = p
		debug.SetGCPercent(p)
	}
	if most := min(mostMemory(live, allowed), g.capped(addressLimit())); most != g.most {
		g.most = most
		debug.SetMemoryLimit(most)
	}
}

// mostMemory is the runtime's limit: half as much again as the sandboxes may hold, as need has it. Near it the runtime
// collects earlier, and gives pages that are free to the operating system before it takes new ones. What lives besides,
// as that of sandboxes at rest, must not make it collect all the time: there is always room for garbage. In steps of an eighth.
func mostMemory(live, allowed int64) int64 {
	if allowed <= 0 || allowed >= unlimited {
		return math.MaxInt64
	}
	most := max(ballastSize+allowed+allowed/2, live+allowed/garbagePer) + overhead
	step := max(allowed/8, 1<<20)
	return most + step - most%step
}

// capped is the runtime's limit where the operating system has one for the address space, as that of an isolated sandbox
// is: what is not the heap is taken off, and an eighth or a piece of 64 MiB, which is how the runtime takes address space.
func (g *governor) capped(limit int64) int64 {
	if limit == math.MaxInt64 {
		return limit
	}
	most := max(limit-g.besides, 0)
	return max(most-max(most/8, 64<<20), ballastSize+overhead)
}

// room collects garbage before n bytes are taken that would not fit beside it: the runtime itself begins only when
// it has taken them. It is done where there can be much garbage, so that each such collection stands against an eighth
// of what is allowed.
func (g *governor) room(n int64) {
	allowed := g.allowed.Load()
	if allowed >= unlimited || n < allowed/64 {
		return
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	objects := int64(sample[0].Value.Uint64())
	if objects+n > ballastSize+allowed+allowed/4 && objects-g.live.Load() > allowed/8 {
		runtime.GC()
	}
}

// gcPercent is how much garbage there may be beside what lives, in percent of it, in steps: setting it stops the world.
func gcPercent(live, allowed int64) int {
	if allowed <= 0 || live <= 0 || allowed/garbagePer >= live {
		return usualGC
	}
	p := int(100 * (allowed / garbagePer) / live)
	return max(p-p%4, leastGC)
}

// giveBack gives memory to the operating system, in the background, if there is much that is free: after a run
// that took much.
func (g *governor) giveBack() {
	free := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(free)
	if free[0].Value.Uint64()+free[1].Value.Uint64() < big {
		return
	}
	g.mu.Lock()
	soon := time.Since(g.freed) < time.Second
	if !soon {
		g.freed = time.Now()
	}
	g.mu.Unlock()
	if !soon {
		background(freeMemory, nil)
	}
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
