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

// change sets the permission bits of what is there under a name, if it is of the
// kind that is meant.
func change(dir *os.Root, name string, mode vfs.Mode, is func(os.FileInfo) bool) error {
	info, err := dir.Lstat(name)
	switch {
	case err != nil:
		return err
	case !is(info):
		return syscall.EINVAL
	}
	return dir.Chmod(name, permissions(mode))
}
