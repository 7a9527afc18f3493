// Command capi is the library: the four functions that the Python package calls,
// over package rpc, and the C API of eryxsh.h, over package driver. It is the only
// file with import "C", and only translates between C's memory and Go's; what
// the C API has to do before Go is entered is in api.c.
//
// default.pgo is a profile of what users do, by which the compiler lays the library
// out; BenchmarkProfile of package rpc makes it.
//
// No panic leaves an export, no signal handler is installed, and what the Go
// runtime reads from the host's environment is set again here.
package main

// #include <stdlib.h>
// #include "border.h"
// #include "eryxsh.h"
import "C"

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"eryxsh/capi/internal/driver"
	"eryxsh/capi/internal/rpc"
	"eryxsh/capi/internal/wire"
)

// version is set by the build.
var version = "devel"

var (
	started atomic.Bool
	server  *rpc.Server
	waiting = tickets{replies: map[int64]*ticket{}}

	tuned = sync.OnceFunc(rpc.Tune)
	// api is what the C API calls. It has a server of its own: who ends Python's, or
	// counts its sandboxes, does not mean those of a C program beside it.
	api = sync.OnceValue(func() *driver.Driver {
		tuned()
		return driver.New(rpc.NewServer(version, 0))
	})
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
	tuned()
	if unsafe.String((*byte)(unsafe.Pointer(fingerprint)), int(size)) != wire.Fingerprint {
		return C.ERYX_STALE
	}
	server = rpc.NewServer(version, int64(generation))
	return C.ERYX_READY
}

//export eryx_attend
func eryx_attend(wanted C.eryx_wanted_fn) {
	server.Attend(func() bool { return C.eryx_ask(wanted) != 0 })
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

// usualTimeout is how long a command of the C API may take if nothing is said.
const usualTimeout = 30 * time.Second

// most is how many bytes or elements a caller may claim to have: more do not fit
// into the address space.
const most = 1 << 47

// guarded does what an export of the C API does: an error goes to the calling
// thread's record of it. What is wrong with an argument is found deep in expressions
// and comes as a panic with a *driver.Error.
func guarded(e *C.eryxsh_error, f func() error) (code C.int) {
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(*driver.Error)
			if !ok {
				refused = &driver.Error{Code: C.ERYXSH_PANIC, What: wire.Error{Message: fmt.Sprintf("internal error: %v", r)}}
			}
			code = report(e, refused)
		}
	}()
	if err := f(); err != nil {
		return report(e, driver.Failure(err))
	}
	return C.ERYXSH_OK
}

func report(e *C.eryxsh_error, err *driver.Error) C.int {
	*e = C.eryxsh_error{code: C.int32_t(err.Code), error_number: C.int32_t(err.What.Errno), line: C.int64_t(err.What.Line), column: C.int64_t(err.What.Column)}
	message, room := err.Error(), unsafe.Slice((*byte)(unsafe.Pointer(&e.message[0])), len(e.message))
	if len(message) >= len(room) {
		message = message[:len(room)-4] + "..."
	}
	copy(room, message)
	return C.int(err.Code)
}

// --- what goes in ---

// lent is the caller's memory, for as long as its call lasts.
func lent(t C.eryxsh_text) []byte {
	switch {
	case t.size < 0 || t.size > most:
		panic(driver.Invalid("a size of %d bytes", int64(t.size)))
	case t.size == 0:
		return nil
	case t.data == nil:
		panic(driver.Invalid("%d bytes at NULL", int64(t.size)))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(t.data)), int(t.size))
}

func text(t C.eryxsh_text) string { return string(lent(t)) }

// array is an array of the caller's.
func array[T any](first *T, count C.int64_t) []T {
	switch {
	case count < 0 || count > most/C.int64_t(unsafe.Sizeof(*first)):
		panic(driver.Invalid("an array of %d elements", int64(count)))
	case count == 0:
		return nil
	case first == nil:
		panic(driver.Invalid("an array of %d elements at NULL", int64(count)))
	}
	return unsafe.Slice(first, int(count))
}

func texts(first *C.eryxsh_text, count C.int64_t) (out []string) {
	for _, t := range array(first, count) {
		out = append(out, text(t))
	}
	return out
}

func variables(first *C.eryxsh_variable, count C.int64_t) map[string]string {
	out := map[string]string{}
	for _, v := range array(first, count) {
		out[text(v.name)] = text(v.value)
	}
	return out
}

func amounts(first *C.eryxsh_amount, count C.int64_t) map[string]int64 {
	out := map[string]int64{}
	for _, a := range array(first, count) {
		out[text(a.name)] = int64(a.value)
	}
	return out
}

func tools(o *C.eryxsh_options) (out []wire.Tool) {
	for _, name := range texts(o.tools, o.tool_count) {
		out = append(out, wire.Tool{Name: name})
	}
	return out
}

func interrupt(o *C.eryxsh_options) driver.Interrupt {
	flag := (*int32)(unsafe.Pointer(o.interrupt))
	if flag == nil {
		return nil
	}
	return func() bool { return atomic.LoadInt32(flag) != 0 }
}

func params(s C.eryxsh_sandbox, c *C.eryxsh_command) wire.StartParams {
	p := wire.StartParams{Sandbox: int64(s), Script: text(c.script), Argv: texts(c.argv, c.argv_count), Stdin: bytes.Clone(lent(c.input)),
		Env: variables(c.env, c.env_count), Dir: text(c.cwd), Limits: amounts(c.limits, c.limit_count), Timeout: int64(c.timeout_ns)}
	if len(p.Argv) > 0 && p.Script != "" {
		panic(driver.Invalid("a command has a script or an argv, not both"))
	}
	switch {
	case p.Timeout == 0:
		p.Timeout = int64(usualTimeout)
	case p.Timeout == -1:
		p.Timeout = 0
	case p.Timeout < 0:
		panic(driver.Invalid("a timeout of %d ns", p.Timeout))
	}
	return p
}

// --- what comes out ---

// block is memory of C's that a struct, arrays of texts and their bytes are laid
// out in, in this order.
type block struct {
	arrays []C.eryxsh_text // left
	bytes  []byte          // left
}

// newBlock makes the block of a struct with so many texts in arrays and bytes in
// all texts, of which there are so many outside arrays.
func newBlock[T any](lists [][]string, single ...[]byte) (*T, *block) {
	var head T
	cells, size := 0, 0
	for _, list := range lists {
		cells += len(list)
		for _, s := range list {
			size += len(s) + 1
		}
	}
	for _, b := range single {
		size += len(b) + 1
	}
	before := unsafe.Sizeof(head) + uintptr(cells)*unsafe.Sizeof(C.eryxsh_text{})
	base := allocate(int(before) + size)
	b := &block{bytes: unsafe.Slice((*byte)(unsafe.Add(base, before)), size)}
	if cells > 0 {
		b.arrays = unsafe.Slice((*C.eryxsh_text)(unsafe.Add(base, unsafe.Sizeof(head))), cells)
	}
	return (*T)(base), b
}

// allocate gives memory of C's, zeroed. (C.malloc ends the process when there is none.)
func allocate(size int) unsafe.Pointer {
	base := C.calloc(1, C.size_t(size))
	if base == nil {
		panic(&driver.Error{Code: driver.NoMemory, What: wire.Error{Message: fmt.Sprintf("no memory for %d bytes", size)}})
	}
	return base
}

func (b *block) text(s []byte) C.eryxsh_text {
	t := C.eryxsh_text{data: (*C.char)(unsafe.Pointer(unsafe.SliceData(b.bytes))), size: C.int64_t(len(s))}
	copy(b.bytes, s) // the byte behind it is 0 already
	b.bytes = b.bytes[len(s)+1:]
	return t
}

func (b *block) list(all []string) (*C.eryxsh_text, C.int64_t) {
	if len(all) == 0 {
		return nil, 0
	}
	first := &b.arrays[0]
	for i, s := range all {
		b.arrays[i] = b.text([]byte(s))
	}
	b.arrays = b.arrays[len(all):]
	return first, C.int64_t(len(all))
}

// buffered has bytes written straight to where they stay.
func buffered(out **C.eryxsh_buffer, write func(driver.Room) error) error {
	var b *C.eryxsh_buffer
	err := write(func(size int) []byte {
		head := unsafe.Sizeof(*b)
		b = (*C.eryxsh_buffer)(allocate(int(head) + size + 1))
		*b = C.eryxsh_buffer{data: (*C.char)(unsafe.Add(unsafe.Pointer(b), head)), size: C.int64_t(size)}
		return unsafe.Slice((*byte)(unsafe.Pointer(b.data)), size)
	})
	if err != nil {
		C.free(unsafe.Pointer(b))
		return err
	}
	*out = b
	return nil
}

// ended are the texts of a result.
func ended(e *driver.Event) (lists [][]string, single [][]byte) {
	return [][]string{e.Done.Unsupported, e.Done.ToolErrors}, [][]byte{e.Stdout, e.Stderr, []byte(e.Done.ErrorClass), []byte(e.Done.Limit)}
}

func (b *block) result(r *C.eryxsh_result, e *driver.Event) {
	_, single := ended(e)
	r.exit_code, r.steps, r.time_ns = C.int32_t(e.Done.Status), C.int64_t(e.Done.Steps), C.int64_t(e.Done.Time)
	r.out_cut, r.err_cut = flag(e.Done.StdoutTruncated), flag(e.Done.StderrTruncated)
	r.out, r.err, r.error_class, r.limit = b.text(single[0]), b.text(single[1]), b.text(single[2]), b.text(single[3])
	r.unsupported, r.unsupported_count = b.list(e.Done.Unsupported)
	r.tool_errors, r.tool_error_count = b.list(e.Done.ToolErrors)
}

func flag(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// happened is the block of an event: the result is there when it is the end.
type happened struct {
	event  C.eryxsh_event
	result C.eryxsh_result
}

func event(e *driver.Event) *C.eryxsh_event {
	var env []string
	for kv := range bytes.SplitSeq(bytes.TrimSuffix(e.Call.Env, []byte{0}), []byte{0}) {
		if len(kv) > 0 {
			env = append(env, string(kv))
		}
	}
	name := e.Name + e.Call.Name // one of them is empty
	single := [][]byte{e.Stdout, e.Stderr, []byte(name), []byte(e.Call.ID), e.Call.Stdin, []byte(e.Call.Dir), []byte(e.Call.ForkedFrom)}
	lists := [][]string{e.Call.Args, env}
	done := e.Tag == wire.TagDone
	if done {
		l, s := ended(e)
		lists, single = append(lists, l...), append(single, s...)
	}
	h, b := newBlock[happened](lists, single...)
	v := &h.event
	v.kind, v.fd, v.wait_ns = C.int32_t(e.Tag), C.int32_t(e.FD), C.int64_t(e.Wait)
	v.args, v.arg_count = b.list(e.Call.Args)
	v.env, v.env_count = b.list(env)
	v.out, v.err, v.name, v.call_id = b.text(single[0]), b.text(single[1]), b.text(single[2]), b.text(single[3])
	v.input, v.cwd, v.forked_from = b.text(single[4]), b.text(single[5]), b.text(single[6])
	if done {
		v.result = &h.result
		b.result(&h.result, e)
	}
	return v
}

// --- the functions of eryxsh.h ---

//export eryx_new
func eryx_new(o *C.eryxsh_options, out *C.eryxsh_sandbox, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		p := wire.NewParams{Env: variables(o.env, o.env_count), Dir: text(o.cwd), User: text(o.user), Hostname: text(o.hostname),
			Limits: amounts(o.limits, o.limit_count), Virtual: o.virtual_clock != 0, Tools: tools(o)}
		if o.has_seed != 0 {
			seed := int64(o.seed)
			p.Seed = &seed
		}
		handle, err := api().NewSandbox(p, interrupt(o))
		*out = C.eryxsh_sandbox(handle)
		return err
	})
}

//export eryx_free
func eryx_free(s C.eryxsh_sandbox, e *C.eryxsh_error) C.int {
	return guarded(e, func() error { return api().Free(int64(s)) })
}

//export eryx_exec
func eryx_exec(s C.eryxsh_sandbox, c *C.eryxsh_command, out **C.eryxsh_result, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		if c.input_open != 0 || c.suspend_on_limit != 0 {
			return driver.Invalid("input_open and suspend_on_limit are for eryxsh_run_start: exec has nobody to ask")
		}
		done, err := api().Exec(params(s, c))
		if err != nil {
			return err
		}
		lists, single := ended(&done)
		r, b := newBlock[C.eryxsh_result](lists, single...)
		b.result(r, &done)
		*out = r
		return nil
	})
}

//export eryx_snapshot
func eryx_snapshot(s C.eryxsh_sandbox, name C.eryxsh_text, out **C.eryxsh_buffer, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		return buffered(out, func(room driver.Room) error {
			id, err := api().Snapshot(int64(s), text(name))
			if err == nil {
				copy(room(len(id)), id)
			}
			return err
		})
	})
}

//export eryx_restore
func eryx_restore(s C.eryxsh_sandbox, id C.eryxsh_text, e *C.eryxsh_error) C.int {
	return guarded(e, func() error { return api().Restore(int64(s), text(id)) })
}

//export eryx_fork
func eryx_fork(s C.eryxsh_sandbox, out *C.eryxsh_sandbox, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		handle, err := api().Fork(int64(s))
		*out = C.eryxsh_sandbox(handle)
		return err
	})
}

//export eryx_export
func eryx_export(s C.eryxsh_sandbox, key C.eryxsh_text, out **C.eryxsh_buffer, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		return buffered(out, func(room driver.Room) error { return api().Export(int64(s), lent(key), room) })
	})
}

//export eryx_import
func eryx_import(s C.eryxsh_sandbox, blob, key C.eryxsh_text, e *C.eryxsh_error) C.int {
	return guarded(e, func() error { return api().Import(int64(s), lent(blob), lent(key)) })
}

//export eryx_file_read
func eryx_file_read(s C.eryxsh_sandbox, path C.eryxsh_text, out **C.eryxsh_buffer, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		return buffered(out, func(room driver.Room) error { return api().ReadFile(int64(s), text(path), room) })
	})
}

//export eryx_file_write
func eryx_file_write(s C.eryxsh_sandbox, path, content C.eryxsh_text, e *C.eryxsh_error) C.int {
	return guarded(e, func() error { return api().WriteFile(int64(s), text(path), lent(content)) })
}

//export eryx_run_start
func eryx_run_start(s C.eryxsh_sandbox, c *C.eryxsh_command, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		p := params(s, c)
		p.Pipe, p.Suspend = c.input_open != 0, c.suspend_on_limit != 0
		return api().Start(p)
	})
}

//export eryx_run_next
func eryx_run_next(s C.eryxsh_sandbox, wait C.int, out **C.eryxsh_event, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		next, err := api().Next(int64(s), wait != 0)
		if err == nil {
			*out = event(&next)
		}
		return err
	})
}

//export eryx_run_resume
func eryx_run_resume(s C.eryxsh_sandbox, a *C.eryxsh_answer, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		switch a.kind {
		case C.ERYXSH_TOOL_CALL:
			if a.exit_code < 0 || a.exit_code > math.MaxUint8 {
				return driver.Invalid("an exit code of %d: it is from 0 to 255", int(a.exit_code))
			}
			return api().Answer(int64(s), wire.AnswerParams{Call: text(a.call_id), Stdout: bytes.Clone(lent(a.out)), Stderr: bytes.Clone(lent(a.err)),
				Status: int(a.exit_code), Error: text(a.error)})
		case C.ERYXSH_INPUT:
			return api().Feed(int64(s), bytes.Clone(lent(a.out)))
		case C.ERYXSH_LIMITED:
			return api().Refill(int64(s), amounts(a.add, a.add_count))
		}
		return driver.Invalid("an answer of kind %d: ERYXSH_TOOL_CALL, ERYXSH_INPUT and ERYXSH_LIMITED are answered", int(a.kind))
	})
}

//export eryx_run_dump
func eryx_run_dump(s C.eryxsh_sandbox, key C.eryxsh_text, out **C.eryxsh_buffer, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		return buffered(out, func(room driver.Room) error { return api().Dump(int64(s), lent(key), room) })
	})
}

//export eryx_run_load
func eryx_run_load(blob, key C.eryxsh_text, o *C.eryxsh_options, out *C.eryxsh_sandbox, e *C.eryxsh_error) C.int {
	return guarded(e, func() error {
		p := wire.FromStateParams{Key: lent(key), Tools: tools(o), Limits: amounts(o.limits, o.limit_count)}
		handle, err := api().Load(lent(blob), p, interrupt(o))
		*out = C.eryxsh_sandbox(handle)
		return err
	})
}

//export eryx_run_cancel
func eryx_run_cancel(s C.eryxsh_sandbox, e *C.eryxsh_error) C.int {
	return guarded(e, func() error { return api().Cancel(int64(s)) })
}
