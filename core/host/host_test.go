package host

import (
	"os"
	"path/filepath"
	"testing"

	"eryxsh/vfs"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{dir: nil, file: vfs.ENOTDIR, file + "/x": vfs.ENOTDIR, dir + "/none": vfs.ENOENT} {
		if _, err := Open(path, 1, 1); err != want {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
