//go:build !linux

package host

import (
	"io/fs"
	"os"
	"syscall"

	"eryxsh/vfs"
)

// regular opens a regular file that is there under a name, and nothing else.
func regular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, syscall.ENXIO
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		f.Close()
		return nil, syscall.ENOENT
	}
	return f, nil
}

// more adds what only some systems say of a file.
func more(fs.FileInfo, *vfs.Stat) {}
