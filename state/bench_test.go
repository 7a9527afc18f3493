package state

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"eryxsh/core"
	"eryxsh/core/limit"
)

// wide is a world with 100 MB in 10,000 files.
func wide(b *testing.B) *core.World {
	files := map[string][]byte{}
	for i := range 10_000 {
		data := make([]byte, 10_000)
		for j := range data {
			data[j] = byte(i * j >> 3)
		}
		files[fmt.Sprintf("d%02d/file%04d", i%100, i)] = data
	}
	w, err := core.New(core.Config{Limits: limit.Default(), Virtual: true, Start: epoch, Files: files})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkMove is an export and an import of 100 MB in 10,000 files. The
// metric x-copy+sha is what it takes more than copying and hashing as many
// bytes takes in the same run.
func BenchmarkMove(b *testing.B) {
	w := wide(b)
	size := len(export(b, w))
	b.SetBytes(int64(size))
	var copied, out, in time.Duration
	for b.Loop() {
		began := time.Now()
		parts, err := Export(w, nil)
		if err != nil {
			b.Fatal(err)
		}
		blob := parts.Bytes()
		out += time.Since(began)

		began = time.Now()
		if _, _, err := Import(blob, nil, limit.Default()); err != nil {
			b.Fatal(err)
		}
		in += time.Since(began)

		began = time.Now()
		other := append([]byte(nil), blob...)
		sum := sha256.Sum256(other)
		copied += time.Since(began)
		_ = sum
	}
	b.ReportMetric(out.Seconds()/copied.Seconds(), "export-x-copy+sha")
	b.ReportMetric(in.Seconds()/copied.Seconds(), "import-x-copy+sha")
}

// BenchmarkSmall is what a small suspended run costs to move.
func BenchmarkSmall(b *testing.B) {
	s := script{text: "for i in 1 2 3; do x=$(echo $i | cat); done"}
	p := s.player()
	w := s.begin(b)
	p.advance(b, w, 20)
	b.SetBytes(int64(len(export(b, w))))
	for b.Loop() {
		imported(b, export(b, w))
	}
}
