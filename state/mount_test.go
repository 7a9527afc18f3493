package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
)

// TestHostMountGoesOn stops a script that works in a host's directory and reads a
// file of it, and loads it where the directory is given again and where it is not.
func TestHostMountGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d", "f"), []byte("1 of the host\n2\n3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := core.New(core.Config{Virtual: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.MountHost("/repo", dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Begin(core.Start{Script: "cd /repo/d; while read -r l; do echo $l; sleep 1; done < f; pwd; cat f; ls", Keep: true}); err != nil {
		t.Fatal(err)
	}
	s := script{}
	s.player().advance(t, w, 14)
	blob, err := Export(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved := blob.Bytes()
	if strings.Contains(string(saved), "3\n") && strings.Contains(string(saved), "of the host\n2") {
		t.Error("the host's content is in the blob")
	}
	h, err := Inspect(saved, nil)
	if err != nil || len(h.Dropped) != 1 || h.MinReader != schemaMounts {
		t.Errorf("dropped %q, reader %d, %v", h.Dropped, h.MinReader, err)
	}
	for _, c := range []struct {
		again bool
		want  string
	}{{true, "1 of the host\n2\n3\n/repo/d\n1 of the host\n2\n3\nf\n"}, {false, "No such device"}} {
		got, _, err := Import(saved, nil, limit.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Export(got, nil); err != nil || string(again.Bytes()) != string(saved) {
			t.Errorf("saved again it is another: %v", err)
		}
		if c.again {
			if err := got.MountHost("/repo", dir, 0); err != nil {
				t.Fatal(err)
			}
		}
		s.player().run(t, got)
		var out strings.Builder
		for _, k := range got.Kept {
			out.Write(k.Data)
		}
		for _, k := range got.Take() {
			out.Write(k.Data)
		}
		if c.again && out.String() != c.want || !strings.Contains(out.String(), c.want) {
			t.Errorf("given again: %v: %q", c.again, out.String())
		}
	}
}
