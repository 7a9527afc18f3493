package state

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eryxsh/core"
	"eryxsh/core/host"
	"eryxsh/core/limit"
	"eryxsh/vfs"
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
	if err := w.MountHost("/repo", dir, vfs.MountReadOnly, host.Exclusion{}, 0); err != nil {
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
			if err := got.MountHost("/repo", dir, vfs.MountReadOnly, host.Exclusion{}, 0); err != nil {
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

// TestOverlayGoesOn saves overlays and commits them after a load: whatever of them
// is lost makes a conflict of what is none, hides one, or loses an open file.
func TestOverlayGoesOn(t *testing.T) {
	for _, c := range []struct{ name, before, host, after, want, conflict string }{
		{"the host is as it was", "echo more >> f; rm g; mv d e; echo 2 > e/h; rm e/i", "", "cat f e/h e/k; ls . e", "1\nmore\n2\nk\n.:\ne\nf\nl\n\ne:\nh\nk\n", ""},
		{"the same content, another time", "echo more >> f", "touch f", "cat f", "1\nmore\n", ""},
		{"another content", "echo more >> f", "write f", "cat f", "1\nmore\n", "f"},
		{"another file for one that was removed", "rm g", "touch g", "ls", "d\nf\nl\n", "g"},
		{"another size", "rm g", "write g", "ls", "d\nf\nl\n", "g"},
		{"another mode", "echo more >> f", "chmod f", "cat f", "1\nmore\n", "f"},
		{"another link", "ln -sfn y l; rm -f f", "link l", "readlink l", "y\n", "l"},
		{"open without a name", "exec 3< d/k 4>> f 5< f; rm d/k f; echo x >&4", "", "cat <&3; cat <&5; ls d", "k\n1\nx\nh\ni\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"f": "1\n", "g": "g\n", "d/h": "h\n", "d/i": "i\n", "d/k": "k\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("x", filepath.Join(dir, "l")); err != nil {
				t.Fatal(err)
			}
			w, err := core.New(core.Config{Virtual: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.MountHost("/repo", dir, vfs.MountOverlay, host.Exclusion{}, 0); err != nil {
				t.Fatal(err)
			}
			say(t, w, "cd /repo; "+c.before)
			blob, err := Export(w, nil)
			if err != nil {
				t.Fatal(err)
			}
			if h, err := Inspect(blob.Bytes(), nil); err != nil || h.MinReader != schemaOverlay || h.Schema != schemaOverlay {
				t.Errorf("schema %d, reader %d, %v", h.Schema, h.MinReader, err)
			}
			changeHost(t, dir, c.host)
			got, _, err := Import(blob.Bytes(), nil, limit.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Export(got, nil); err != nil || !bytes.Equal(again.Bytes(), blob.Bytes()) {
				t.Errorf("saved again it is another: %v", err)
			}
			if err := got.MountHost("/repo", dir, vfs.MountOverlay, host.Exclusion{}, 0); err != nil {
				t.Fatal(err)
			}
			if out := say(t, got, c.after); out != c.want {
				t.Errorf("after the load %q, want %q", out, c.want)
			}
			conflicts, err := got.Commit("/repo", 0)
			if err != nil || strings.Join(conflicts, " ") != c.conflict {
				t.Errorf("conflicts %q, want %q: %v", conflicts, c.conflict, err)
			}
		})
	}
}

// say runs a script to its end and gives what it wrote.
func say(t *testing.T, w *core.World, text string) string {
	t.Helper()
	if _, err := w.Begin(core.Start{Script: text}); err != nil {
		t.Fatal(err)
	}
	script{}.player().run(t, w)
	var out strings.Builder
	for _, k := range w.Take() {
		out.Write(k.Data)
	}
	return out.String()
}

// changeHost does one thing to a host.
func changeHost(t *testing.T, dir, what string) {
	t.Helper()
	verb, name, _ := strings.Cut(what, " ")
	path := filepath.Join(dir, name)
	var err error
	switch verb {
	case "touch":
		err = os.Chtimes(path, time.Time{}, time.Unix(5, 0))
	case "write":
		err = os.WriteFile(path, []byte("another\n"), 0o644)
	case "chmod":
		err = os.Chmod(path, 0o600)
	case "link":
		if err = os.Remove(path); err == nil {
			err = os.Symlink("z", path)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
