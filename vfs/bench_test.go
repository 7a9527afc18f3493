package vfs

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

var root = Cred{Root: true}

// tenThousand is a tree of 10,000 files of 10 KiB in 100 directories.
func tenThousand(tb testing.TB) *FS {
	f := New(nil, Limits{}, 0)
	buf := []byte(strings.Repeat("abcdefghij", 1024))
	for d := range 100 {
		dir := fmt.Sprintf("/d%02d", d)
		if err := f.Mkdir(root, dir, 0o755, 1); err != nil {
			tb.Fatal(err)
		}
		for i := range 100 {
			put(tb, f, fmt.Sprintf("%s/file%03d.txt", dir, i), string(buf))
		}
	}
	return f
}

// put makes a file with a content.
func put(tb testing.TB, f *FS, path, text string) Ino {
	tb.Helper()
	ino, err := f.Open(root, path, O_WRONLY|O_CREAT|O_TRUNC, 0o644, 1)
	if err != nil {
		tb.Fatal(path, err)
	}
	if _, err := f.WriteAt(ino, []byte(text), 0, 1); err != nil {
		tb.Fatal(path, err)
	}
	return ino
}

var sink any

func BenchmarkFork(b *testing.B) {
	f := tenThousand(b)
	b.ReportAllocs()
	for b.Loop() {
		sink = f.Fork()
	}
}

func BenchmarkForkAndWriteOneByte(b *testing.B) {
	f := tenThousand(b)
	ino, _ := f.Lookup(root, "/d50/file050.txt", true)
	b.ReportAllocs()
	for b.Loop() {
		c := f.Fork()
		c.WriteAt(ino, []byte("x"), 5000, 2)
		sink = c
	}
}

func BenchmarkForkAndCreate(b *testing.B) {
	f := tenThousand(b)
	b.ReportAllocs()
	for b.Loop() {
		c := f.Fork()
		c.Open(root, "/d50/new", O_WRONLY|O_CREAT, 0o644, 2)
		sink = c
	}
}

func BenchmarkDiffOfOneChange(b *testing.B) {
	f := tenThousand(b)
	c := f.Fork()
	put(b, c, "/d50/file050.txt", "new")
	b.ReportAllocs()
	for b.Loop() {
		if len(Diff(f, c)) != 1 {
			b.Fatal(Diff(f, c))
		}
	}
}

func BenchmarkAppendMillionLines(b *testing.B) {
	line := []byte("a line of log, forty bytes, more or less\n")
	for b.Loop() {
		f := New(nil, Limits{}, 0)
		ino := put(b, f, "/log", "")
		for range 1000000 {
			f.Append(ino, line, 2)
		}
	}
}

func BenchmarkForkAndAppend(b *testing.B) {
	f := New(nil, Limits{Bytes: 1 << 40}, 0)
	ino := put(b, f, "/log", "")
	line := []byte("a line of log\n")
	b.ReportAllocs()
	for b.Loop() {
		sink = f.Fork()
		f.Append(ino, line, 2)
	}
}

func BenchmarkLookupDepth5(b *testing.B) {
	f := New(nil, Limits{}, 0)
	p := ""
	for _, name := range []string{"home", "user", "project", "src"} {
		p += "/" + name
		f.Mkdir(root, p, 0o755, 1)
		for i := range 20 {
			put(b, f, fmt.Sprintf("%s/file%d.go", p, i), "x")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Lookup(root, "/home/user/project/src/file7.go", true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWideDirectory(b *testing.B) {
	f := New(nil, Limits{}, 0)
	f.Mkdir(root, "/wide", 0o755, 1)
	const n = 100000
	for i := range n {
		put(b, f, fmt.Sprintf("/wide/file%d", i), "")
	}
	b.Run("stat", func(b *testing.B) {
		i := 0
		for b.Loop() {
			f.Stat(root, fmt.Sprintf("/wide/file%d", i%n))
			i += 7919
		}
	})
	b.Run("create and remove", func(b *testing.B) {
		for b.Loop() {
			f.Open(root, "/wide/file5x", O_CREAT|O_WRONLY, 0o644, 1)
			f.Unlink(root, "/wide/file5x", 1)
		}
	})
	b.Run("fork and create", func(b *testing.B) {
		for b.Loop() {
			c := f.Fork()
			c.Open(root, "/wide/file5x", O_CREAT|O_WRONLY, 0o644, 1)
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			all, _ := f.ReadDir(root, "/wide", "", 0)
			if len(all) != n {
				b.Fatal(len(all))
			}
		}
	})
}

func BenchmarkReadMegabyte(b *testing.B) {
	f := New(nil, Limits{}, 0)
	ino := put(b, f, "/f", strings.Repeat("x", 1<<20))
	b.SetBytes(1 << 20)
	for b.Loop() {
		for off := int64(0); ; {
			data, _, _ := f.Chunk(ino, off, 0)
			if data == nil {
				break
			}
			off += int64(len(data))
		}
	}
}

// BenchmarkMemoryPerFile reports what a file takes beside its content.
func BenchmarkMemoryPerFile(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f := tenThousand(b)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc-100*100*10240)/10000, "B/file")
		runtime.KeepAlive(f)
	}
}
