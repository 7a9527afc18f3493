package rpc

import (
	"bytes"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"

	"github.com/fxamacker/cbor/v2"
)

// client speaks to a server as the Python side does.
type client struct {
	testing.TB
	*Server
}

func newClient(t testing.TB) client { return client{t, NewServer("test", 3)} }

func decode(data []byte, into any) error { return cbor.Unmarshal(data, into) }

// ask sends a request; into is where the body goes, if it is one of CBOR.
func (c client) ask(method string, params, into any) wire.Tag {
	c.Helper()
	reply := c.Call(c.request(method, params), nil)
	defer reply.Release()
	if body := reply.Body(); into != nil && body != nil {
		if err := cbor.Unmarshal(body, into); err != nil {
			c.Fatalf("%s: tag %d: %v in % x", method, reply.Tag, err, body)
		}
	}
	return reply.Tag
}

// kind sends a request and gives the kind of its error, None if it is none.
func (c client) kind(method string, params any) fault.Kind {
	c.Helper()
	var e wire.Error
	if c.ask(method, params, &e) != wire.TagError {
		return fault.None
	}
	return fault.Kind(e.Kind)
}

func (c client) request(method string, params any) []byte {
	c.Helper()
	for _, m := range wire.Methods() {
		if m.Name != method {
			continue
		}
		if reflect.TypeOf(m.Params) != reflect.TypeOf(params) {
			c.Fatalf("%s takes %T, not %T", method, m.Params, params)
		}
		var b bytes.Buffer
		if err := wire.Append(&b, m.Number); err != nil {
			c.Fatal(err)
		}
		if err := wire.Append(&b, params); err != nil {
			c.Fatal(err)
		}
		return b.Bytes()
	}
	c.Fatalf("no method is called %s", method)
	return nil
}

// What is bound is what the table says, type for type.
func TestBindingsFitTheTable(t *testing.T) {
	rows := map[string]wire.Method{}
	for _, m := range wire.Methods() {
		rows[m.Name] = m
	}
	if rows["system.shutdown"].Number != shutdownNumber {
		t.Error("shutdownNumber is not that of system.shutdown")
	}
	seen := map[string]bool{}
	for _, b := range bindings() {
		m, ok := rows[b.name]
		switch {
		case !ok:
			t.Errorf("%s is not in the table", b.name)
		case seen[b.name]:
			t.Errorf("%s is bound twice", b.name)
		case b.params != reflect.TypeOf(m.Params):
			t.Errorf("%s takes %v, the table says %T", b.name, b.params, m.Params)
		case b.result != reflect.TypeOf(m.Result):
			t.Errorf("%s gives %v, the table says %T", b.name, b.result, m.Result)
		}
		seen[b.name] = true
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	c := newClient(t)
	for _, in := range []string{"", "\x00\xa0", "\x0f\xa0", "\x19\xff\xff\xa0", "\xff", "\xa0", "\x01", "\x01\x01", "\x01\xa1\x05\x01", "\x06\xa1\x01\x01"} {
		kind := wire.KindRequest
		if in == "\x06\xa1\x01\x01" { // a parameter it has, of another type
			kind = wire.KindType
		}
		reply := c.Call([]byte(in), nil)
		var e wire.Error
		if err := cbor.Unmarshal(reply.Body(), &e); reply.Tag != wire.TagError || err != nil || fault.Kind(e.Kind) != kind {
			t.Errorf("%q: tag %d, %+v, %v", in, reply.Tag, e, err)
		}
	}
}

func TestPanicsNameThePlace(t *testing.T) {
	c := newClient(t)
	c.ask("system.test", wire.MisbehaveParams{Op: "enable"}, nil)
	for _, op := range []string{"panic", "goroutine_panic", "index"} {
		var e wire.Error
		if tag := c.ask("system.test", wire.MisbehaveParams{Op: op, N: 3}, &e); tag != wire.TagError || fault.Kind(e.Kind) != fault.Panic ||
			!strings.Contains(e.Message, "system.go:") {
			t.Errorf("%s: tag %d, %+v", op, tag, e)
		}
	}
	if n := c.inside.Load(); n != 0 {
		t.Errorf("%d calls are still inside", n)
	}
}

func TestShutdownWaitsForOtherCallsButNotForEver(t *testing.T) {
	c := newClient(t)
	c.ask("system.test", wire.MisbehaveParams{Op: "enable"}, nil)
	var left sync.WaitGroup
	left.Go(func() { c.ask("system.test", wire.MisbehaveParams{Op: "sleep", N: int64(300 * time.Millisecond)}, nil) })
	for c.inside.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	var gone bool
	if c.ask("system.shutdown", wire.ShutdownParams{Wait: 1}, &gone); gone {
		t.Error("a call was inside")
	}
	if k := c.kind("system.ping", wire.PingParams{Payload: wire.Blob("x")}); k != wire.KindClosing {
		t.Errorf("a call after shutdown: kind %d", k)
	}
	if c.ask("system.shutdown", wire.ShutdownParams{Wait: int64(10 * time.Second)}, &gone); !gone {
		t.Error("no call is inside")
	}
	left.Wait()
}

func TestLargeBlobsComeBeside(t *testing.T) {
	c := newClient(t)
	blob := bytes.Repeat([]byte("0123456789"), 10_000)
	reply := c.Call([]byte("\x01\xa0"), blob)
	defer reply.Release()
	got := make([]byte, reply.Len())
	if err := reply.CopyTo(got); err != nil || reply.Tag != wire.TagBytes || !bytes.Equal(got, blob) {
		t.Errorf("tag %d, %d bytes, %v", reply.Tag, len(got), err)
	}
	clear(blob) // the caller's memory is its own again
	if _ = reply.CopyTo(got); got[1] != '1' {
		t.Error("the answer still looks into the caller's memory")
	}
}

func TestHandles(t *testing.T) {
	s := NewServer("test", 3)
	h := s.add(newSandbox(nil, nil))
	if h>>generationShift != 3 {
		t.Errorf("handle %x", h)
	}
	if _, err := s.find(h); err != nil {
		t.Error(err)
	}
	for handle, want := range map[int64]fault.Kind{h + 1: fault.Closed, h - 1<<generationShift: wire.KindForked, 0: wire.KindForked, -1: wire.KindForked} {
		_, err := s.find(handle)
		if e := describe(err); fault.Kind(e.Kind) != want {
			t.Errorf("handle %x: kind %d, want %d", handle, e.Kind, want)
		}
	}
}

func TestTheLockIsWaitedForABitThenAgain(t *testing.T) {
	s := NewServer("test", 0)
	h := s.add(newSandbox(&core.World{}, nil))
	first, second := &call{Server: s}, &call{Server: s}
	if _, err := first.hold(h); err != nil {
		t.Fatal(err)
	}
	if _, err := second.hold(h); err != errAgain {
		t.Errorf("held by another: %v", err)
	}
	var given sync.WaitGroup
	given.Go(func() {
		time.Sleep(patience / 4)
		first.release()
	})
	_, err := second.hold(h)
	for tries := 0; err == errAgain && tries < 200; tries++ { // a machine at its limits may take longer than one try's patience
		_, err = second.hold(h)
	}
	if err != nil {
		t.Errorf("given back: %v", err)
	}
	given.Wait()
	second.release()
	second.release() // once is enough, twice is harmless
	if _, err := first.hold(h); err != nil {
		t.Error(err)
	}
}

func FuzzCall(f *testing.F) {
	for _, seed := range []string{"\x01\xa1\x01\x41x", "\x10\xa0", "\x18\x40\xa1\x02\x64true", "\x11\xa1\x01\x01"} {
		f.Add([]byte(seed), []byte(nil))
	}
	s := NewServer("fuzz", 0)
	f.Fuzz(func(t *testing.T, request, blob []byte) {
		if len(request) > 0 && request[0] == shutdownNumber {
			return
		}
		reply := s.Call(request, blob)
		if reply.Tag == wire.TagError && bytes.Contains(reply.Body(), []byte("internal error")) {
			t.Fatalf("% x: %q", request, reply.Body())
		}
		reply.Release()
	})
}

func BenchmarkPing(b *testing.B) {
	s := NewServer("bench", 0)
	in := []byte("\x01\xa1\x01\x45hello")
	b.ReportAllocs()
	for b.Loop() {
		reply := s.Call(in, nil)
		reply.Release()
	}
}
