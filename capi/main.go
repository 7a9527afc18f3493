// Command capi is the library that the Python package loads: four functions
// over package rpc. It is the only file with import "C", and only translates
// between C's memory and Go's.
//
// default.pgo is a profile of what users do, by which the compiler lays the library
// out; BenchmarkProfile of package rpc makes it.
//
// No panic leaves an export, no signal handler is installed, and what the Go
// runtime reads from the host's environment is set again here.
package main

// #include "border.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"eryxsh/capi/internal/rpc"
	"eryxsh/capi/internal/wire"
)

// version is set by the build.
var version = "devel"

var (
	started atomic.Bool
	server  *rpc.Server
	waiting = tickets{replies: map[int64]*ticket{}}
)

// ticket is an answer that waits for its caller to make room for it.
type ticket struct {
	reply rpc.Reply
	pin   runtime.Pinner
}

type tickets struct {
	sync.Mutex
	last    int64
	replies map[int64]*ticket
}

func (t *tickets) get(id int64) *ticket {
	t.Lock()
	defer t.Unlock()
	return t.replies[id]
}

func main() {}

//export eryx_init
func eryx_init(generation C.int64_t, fingerprint *C.char, size C.int64_t) (state C.int64_t) {
	defer func() {
		if recover() != nil {
			state = C.ERYX_BROKEN
		}
	}()
	if started.Swap(true) {
		return C.ERYX_USED
	}
	rpc.Tune()
	if unsafe.String((*byte)(unsafe.Pointer(fingerprint)), int(size)) != wire.Fingerprint {
		return C.ERYX_STALE
	}
	server = rpc.NewServer(version, int64(generation))
	return C.ERYX_READY
}

//export eryx_call
func eryx_call(request unsafe.Pointer, size C.int64_t, blob unsafe.Pointer, blobSize C.int64_t, buffer unsafe.Pointer, room C.int64_t, out *C.eryx_reply) {
	defer func() {
		if recover() != nil { // only if recovering from a panic panicked
			*out = C.eryx_reply{tag: C.int64_t(wire.TagError)}
		}
	}()
	var lent []byte
	if blob != nil {
		lent = unsafe.Slice((*byte)(blob), int(blobSize))
	}
	reply := server.Call(unsafe.Slice((*byte)(request), int(size)), lent)
	n := reply.Len()
	*out = C.eryx_reply{tag: C.int64_t(reply.Tag), size: C.int64_t(n)}
	if n <= int(room) {
		err := reply.CopyTo(unsafe.Slice((*byte)(buffer), n))
		reply.Release()
		if err != nil {
			*out = C.eryx_reply{tag: C.int64_t(wire.TagError)}
		}
		return
	}
	t := &ticket{reply: reply}
	if body := reply.Body(); len(body) > 0 {
		t.pin.Pin(&body[0])
		out.data = unsafe.Pointer(&body[0])
	}
	waiting.Lock()
	waiting.last++
	waiting.replies[waiting.last] = t
	out.ticket = C.int64_t(waiting.last)
	waiting.Unlock()
}

//export eryx_fetch
func eryx_fetch(id C.int64_t, to unsafe.Pointer, size C.int64_t) C.int64_t {
	t := waiting.get(int64(id))
	if t == nil || t.reply.CopyTo(unsafe.Slice((*byte)(to), int(size))) != nil {
		return -1
	}
	return 0
}

//export eryx_release
func eryx_release(id C.int64_t) {
	defer func() { _ = recover() }()
	if t := waiting.get(int64(id)); t != nil {
		waiting.Lock()
		delete(waiting.replies, int64(id))
		waiting.Unlock()
		t.pin.Unpin()
		t.reply.Release()
	}
}
