package state

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"hash/crc64"
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

// BenchmarkChecksum is what the sum of a blob costs, beside cheaper ones: of 100 MB and of a small one.
func BenchmarkChecksum(b *testing.B) {
	small := core.Config{Limits: limit.Default(), Virtual: true, Start: epoch}
	w, err := core.New(small)
	if err != nil {
		b.Fatal(err)
	}
	sums := map[string]func([]byte){
		"SHA-256": func(data []byte) { sha256.Sum256(data) },
		"CRC-32C": func(data []byte) { crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) },
		"CRC-64":  func(data []byte) { crc64.Checksum(data, crc64.MakeTable(crc64.ECMA)) },
		"copy":    func(data []byte) { _ = append([]byte(nil), data...) },
	}
	for name, blob := range map[string][]byte{"small": export(b, w), "100MB": export(b, wide(b))} {
		for sum, do := range sums {
			b.Run(name+"/"+sum, func(b *testing.B) {
				b.SetBytes(int64(len(blob)))
				for b.Loop() {
					do(blob)
				}
			})
		}
		b.Run(name+"/export", func(b *testing.B) {
			b.SetBytes(int64(len(blob)))
			world, _, err := Import(blob, nil, limit.Default())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				parts, err := Export(world, nil)
				if err != nil {
					b.Fatal(err)
				}
				_ = parts.Bytes()
			}
		})
		b.Run(name+"/import", func(b *testing.B) {
			b.SetBytes(int64(len(blob)))
			for b.Loop() {
				if _, _, err := Import(blob, nil, limit.Default()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
