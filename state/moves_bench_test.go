package state

import (
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// pendingWorld is a small script at its first tool call, inside $( ) in a loop.
func pendingWorld(b *testing.B) *core.World {
	b.Helper()
	var tpl core.Templates
	w, _, err := tpl.New(core.Config{Limits: limit.Default(), Virtual: true, Start: epoch, Seed: 1, Tools: []shell.Tool{{Name: "approve"}}})
	if err != nil {
		b.Fatal(err)
	}
	begin(b, w)
	return w
}

func begin(b *testing.B, w *core.World) {
	b.Helper()
	if _, err := w.Begin(core.Start{Keep: true, Script: `total=0; for name in a b c; do r=$(approve "$name"); ((total += ${#r})); done; echo $total`}); err != nil {
		b.Fatal(err)
	}
	n, now := 1000, int64(epoch)
	if out, _ := w.Advance(stepHost{&n, &now}); out != shell.Calls {
		b.Fatalf("outcome %d", out)
	}
}

// BenchmarkBegin takes a script from its start to its first call.
func BenchmarkBegin(b *testing.B) {
	w := pendingWorld(b)
	w.Cancel()
	b.ReportAllocs()
	for b.Loop() {
		begin(b, w)
		w.Cancel()
	}
}

// BenchmarkDump makes bytes of a running script.
func BenchmarkDump(b *testing.B) {
	w := pendingWorld(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		blob, err := Export(w, nil)
		if err != nil {
			b.Fatal(err)
		}
		n = blob.Size
		blob.Release()
	}
	b.ReportMetric(float64(n), "bytes")
}

// BenchmarkLoad makes a running script of bytes.
func BenchmarkLoad(b *testing.B) {
	data := export(b, pendingWorld(b))
	loader := NewLoader()
	b.ReportAllocs()
	for b.Loop() {
		w, _, err := loader.Import(data, nil, limit.Default())
		if err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}
