package core

import (
	"fmt"
	"runtime"
	"testing"

	"eryxsh/core/limit"
)

// worlds are what a copy must cost the same for.
func worlds(b *testing.B) map[string]*World {
	made := map[string]*World{}
	for name, files := range map[string]struct{ count, size int }{"empty": {}, "files=10000": {10_000, 10}, "bytes=100M": {100, 1 << 20}} {
		content := map[string][]byte{}
		for i := range files.count {
			content[fmt.Sprintf("/data/d%d/f%d", i%100, i)] = make([]byte, files.size)
		}
		for _, data := range content {
			for i := range data {
				data[i] = byte(i)
			}
		}
		w, err := New(Config{Limits: limit.Default(), Files: content})
		if err != nil {
			b.Fatal(err)
		}
		made[name] = w
	}
	return made
}

// BenchmarkFork, BenchmarkSnapshot and BenchmarkRestore are the core's part of
// a copy: half a microsecond at most, whatever the World holds.
func BenchmarkFork(b *testing.B) {
	each(b, func(b *testing.B, w *World) {
		for b.Loop() {
			w.Fork(nil)
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	each(b, func(b *testing.B, w *World) {
		for b.Loop() {
			if _, err := w.Snapshot(""); err != nil {
				b.Fatal(err)
			}
			w.Snaps = w.Snaps[:0]
		}
	})
}

func BenchmarkRestore(b *testing.B) {
	each(b, func(b *testing.B, w *World) {
		s, err := w.Snapshot("")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := w.Restore(s.ID, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func each(b *testing.B, f func(*testing.B, *World)) {
	all := worlds(b)
	ballast := make([]byte, 32<<20) // as the library has, so that the collector runs as often
	defer runtime.KeepAlive(ballast)
	for _, name := range sortedKeys(all) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f(b, all[name])
		})
	}
}
