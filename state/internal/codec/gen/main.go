// Command gen writes the codec of the records of a blob from the tags of their
// structs.
//
//	go generate ./state/internal/codec            write the files
//	go run ./state/internal/codec/gen -check      fail if one of them is stale
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// file is a generated file.
type file struct {
	name    string
	content []byte
}

// stale lists the files in a folder that are not what generate makes.
func stale(dir string, files []file) []string {
	var old []string
	for _, f := range files {
		if have, err := os.ReadFile(filepath.Join(dir, f.name)); err != nil || !bytes.Equal(have, f.content) {
			old = append(old, f.name)
		}
	}
	return old
}

func main() {
	check := flag.Bool("check", false, "fail if a generated file is stale")
	dir := flag.String("dir", "", "folder of package codec (default: here, with -check state/internal/codec)")
	flag.Parse()
	if *dir == "" && *check {
		*dir = "state/internal/codec"
	}
	files, err := generate()
	if err == nil && *check {
		if old := stale(*dir, files); len(old) > 0 {
			err = fmt.Errorf("stale, run `go generate ./state/internal/codec`: %q", old)
		}
	} else if err == nil {
		for _, f := range files {
			if err = os.WriteFile(filepath.Join(*dir, f.name), f.content, 0o644); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
