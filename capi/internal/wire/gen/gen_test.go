package main

import "testing"

// The generated files in the tree are those of today's tables.
func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if old := stale("../../../..", files); len(old) > 0 {
		t.Errorf("stale, run `go run ./capi/internal/wire/gen`: %q", old)
	}
	files[0].content = append(files[0].content, '\n')
	if old := stale("../../../..", files); len(old) != 1 {
		t.Errorf("a changed file is not seen: %q", old)
	}
}

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{"FD": "fd", "ExistOK": "exist_ok", "StdoutTruncated": "stdout_truncated", "ErrorClass": "error_class"} {
		if got := snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
}
