package host

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"eryxsh/vfs"
)

// oPath opens a name without opening what it leads to.
const oPath = 0x200000

// regular opens a regular file that is there under a name, and nothing else: what
// the name leads to is looked at before it is opened.
func regular(root *os.Root, name string) (*os.File, error) {
	at, err := root.OpenFile(name, oPath|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	info, err := at.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, syscall.ENXIO
	}
	f, err := os.Open("/proc/self/fd/" + strconv.Itoa(int(at.Fd())))
	if !os.IsNotExist(err) {
		return f, err
	}
	if f, err = root.OpenFile(name, syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0); err != nil { // there is no /proc
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		f.Close()
		return nil, syscall.ENOENT
	}
	return f, nil
}

// more adds what only this system says of a file.
func more(info fs.FileInfo, st *vfs.Stat) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		st.Ino = vfs.Ino(s.Ino)
		st.Atime = s.Atim.Nano()
		st.Ctime = s.Ctim.Nano()
	}
}

// change sets the permission bits of what is there under a name, if it is of the
// kind that is meant: no link is followed.
func change(dir *os.Root, name string, mode vfs.Mode, is func(os.FileInfo) bool) error {
	at, err := dir.OpenFile(name, oPath|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer at.Close()
	info, err := at.Stat()
	switch {
	case err != nil:
		return err
	case !is(info):
		return syscall.EINVAL
	}
	if err = os.Chmod("/proc/self/fd/"+strconv.Itoa(int(at.Fd())), permissions(mode)); os.IsNotExist(err) { // there is no /proc
		return dir.Chmod(name, permissions(mode))
	}
	return err
}
