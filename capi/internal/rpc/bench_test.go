package rpc

import (
	"bytes"
	"strconv"
	"testing"

	"eryxsh/capi/internal/wire"
)

// A command of a sandbox that has run many: the whole way from a request's
// bytes to an answer's.
func BenchmarkEcho(b *testing.B) {
	Tune()
	c := newClient(b)
	var h int64
	c.ask("sandbox.new", wire.NewParams{}, &h)
	request := c.request("run.run", wire.StartParams{Sandbox: h, Script: "echo hi", Timeout: 30e9})
	b.ReportAllocs()
	for b.Loop() {
		reply := c.Call(request, nil)
		if reply.Tag != wire.TagDone {
			b.Fatalf("tag %d: %q", reply.Tag, reply.Body())
		}
		reply.Release()
	}
}

func BenchmarkFork(b *testing.B) {
	c := newClient(b)
	var h int64
	c.ask("sandbox.new", wire.NewParams{}, &h)
	request := c.request("sandbox.fork", wire.ForkParams{Sandbox: h, Count: 1})
	b.ReportAllocs()
	for b.Loop() {
		reply := c.Call(request, nil)
		reply.Release()
	}
}

func BenchmarkNew(b *testing.B) {
	c := newClient(b)
	request := c.request("sandbox.new", wire.NewParams{})
	b.ReportAllocs()
	for b.Loop() {
		reply := c.Call(request, nil)
		reply.Release()
	}
}

// A tool called in a loop: answer it and go on to the next call.
func BenchmarkCalls(b *testing.B) {
	for name, script := range map[string]string{"plain": "while :; do t; done", "substituted": `while :; do r=$(t "$x"); ((total += ${#r})); done`} {
		b.Run(name, func(b *testing.B) { benchmarkCalls(b, script) })
	}
}

func benchmarkCalls(b *testing.B, script string) {
	Tune()
	c := newClient(b)
	var h int64
	c.ask("sandbox.new", wire.NewParams{Tools: []wire.Tool{{Name: "t", Held: true}}}, &h)
	var run string
	c.ask("run.start", wire.StartParams{Sandbox: h, Script: script}, &run)
	reply := c.Call(c.request("run.step", wire.StepParams{Sandbox: h, Run: run}), nil)
	number := c.request("run.step", wire.StepParams{})[:2]
	request := bytes.NewBuffer(nil)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if reply.Tag != wire.TagCalls {
			b.Fatalf("tag %d: %q", reply.Tag, reply.Body())
		}
		reply.Release()
		n++
		request.Reset()
		request.Write(number)
		if err := wire.Append(request, wire.StepParams{Sandbox: h, Run: run, Call: run + "-" + strconv.Itoa(n)}); err != nil {
			b.Fatal(err)
		}
		reply = c.Call(request.Bytes(), nil)
	}
}
