package state

import (
	"bytes"
	"sync"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
)

// Forks have the same named snapshots and may be saved from several threads at once.
func TestForksExportAtOnce(t *testing.T) {
	w, err := core.New(core.Config{Limits: limit.Default(), Virtual: true, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Snapshot("one"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	blobs := make([][]byte, 4)
	for i := range blobs {
		f := w.Twin()
		all.Add(1)
		go func() {
			defer all.Done()
			for range 50 {
				if err := f.Restore("one", nil); err != nil {
					t.Error(err)
				}
				blob, err := Export(f, nil)
				if err != nil {
					t.Error(err)
				}
				blobs[i] = blob.Bytes()
			}
		}()
	}
	all.Wait()
	for _, b := range blobs[1:] {
		if !bytes.Equal(b, blobs[0]) {
			t.Error("forks that did the same are saved as different bytes")
		}
	}
}
