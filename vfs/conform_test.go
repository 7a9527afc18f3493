package vfs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// tree is what the suite drives.
type tree interface {
	mkdir(p string) error
	rmdir(p string) error
	unlink(p string) error
	rename(a, b string) error
	link(a, b string) error
	symlink(target, p string) error
	readlink(p string) (string, error)
	mkfifo(p string) error
	open(p string, flags int) error
	write(p string, off int64, text string) error
	read(p string) (string, error)
	truncate(p string, n int64) error
	chmod(p string, mode uint32) error
	chown(p string, uid, gid int) error
	times(p string, a, m int64) error
	touch(p string) error
	access(p string, how int) error
	stat(p string, follow bool) (Stat, error)
	ls(p string) ([]string, error)
	user(id int) error
}

func TestConformance(t *testing.T) {
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) {
			t.Run("tree", func(t *testing.T) {
				f := New(nil, Limits{}, 0)
				if err := f.Mkdir(Cred{Root: true}, "/base", 0o755, 0); err != nil {
					t.Fatal(err)
				}
				runScript(t, c.script, &memTree{fs: f, cred: Cred{Root: true}})
			})
			t.Run("directory", func(t *testing.T) {
				users := strings.Contains(c.script, "user ") || strings.Contains(c.script, "chown ")
				if users && os.Getuid() != 0 {
					t.Skip("only root can run as several users; the recorded results were made by root")
				}
				runtime.LockOSThread() // never unlocked: the thread may end with another user
				base, err := os.MkdirTemp("", "conform")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(base)
				defer syscall.Setfsgid(0)
				defer syscall.Setfsuid(0)
				if err := os.Chmod(base, 0o755); err != nil {
					t.Fatal(err)
				}
				runScript(t, c.script, dirTree{base})
			})
		})
	}
}

func runScript(t *testing.T, script string, tr tree) {
	for _, line := range strings.Split(strings.TrimSpace(script), "\n") {
		line = strings.TrimSpace(line)
		op, want, _ := strings.Cut(line, "->")
		want = strings.ReplaceAll(strings.TrimSpace(want), `\0`, "\x00")
		if got := runStep(t, tr, strings.Fields(op)); got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
}

var errnoNames = map[Errno]string{
	EPERM: "EPERM", ENOENT: "ENOENT", EACCES: "EACCES", EBUSY: "EBUSY", EEXIST: "EEXIST", EXDEV: "EXDEV", ENOTDIR: "ENOTDIR",
	EISDIR: "EISDIR", EINVAL: "EINVAL", EFBIG: "EFBIG", ENOSPC: "ENOSPC", EROFS: "EROFS", ENAMETOOLONG: "ENAMETOOLONG",
	ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP", EBADF: "EBADF", ENOTSUP: "ENOTSUP", EMLINK: "EMLINK", ENXIO: "ENXIO",
}

// outcome is what a step printed, or the name of its error.
func outcome(text string, err error) string {
	var e syscall.Errno
	switch {
	case err == nil:
		return text
	case errors.As(err, &e):
		err = Errno(e)
	}
	if n, ok := errnoNames[err.(Errno)]; ok {
		return n
	}
	return err.Error()
}

func runStep(t *testing.T, tr tree, w []string) string {
	for i, a := range w {
		a = strings.ReplaceAll(a, "$255", strings.Repeat("n", 255))
		a = strings.ReplaceAll(a, "$256", strings.Repeat("n", 256))
		a = strings.ReplaceAll(a, "$LONG", strings.Repeat("x/", 2049))
		w[i] = strings.ReplaceAll(a, "$EMPTY", "")
	}
	num := func(i, base int) int64 {
		n, err := strconv.ParseInt(w[i], base, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	flags := map[string]int{"r": O_RDONLY, "w": O_WRONLY, "rw": O_RDWR, "creat": O_CREAT, "excl": O_EXCL, "trunc": O_TRUNC,
		"dir": O_DIRECTORY, "nofollow": O_NOFOLLOW}
	how := map[string]int{"r": R_OK, "w": W_OK, "x": X_OK, "f": F_OK, "rw": R_OK | W_OK}
	kinds := map[Mode]string{TypeFile: "file", TypeDir: "dir", TypeLink: "link", TypeFifo: "fifo"}
	switch w[0] {
	case "user":
		return outcome("", tr.user(int(num(1, 10))))
	case "mkdir":
		return outcome("", tr.mkdir(w[1]))
	case "rmdir":
		return outcome("", tr.rmdir(w[1]))
	case "unlink":
		return outcome("", tr.unlink(w[1]))
	case "rename":
		return outcome("", tr.rename(w[1], w[2]))
	case "link":
		return outcome("", tr.link(w[1], w[2]))
	case "symlink":
		return outcome("", tr.symlink(w[1], w[2]))
	case "chain":
		for i := int64(2); i <= num(1, 10); i++ {
			if err := tr.symlink(fmt.Sprint("l", i-1), fmt.Sprint("l", i)); err != nil {
				t.Fatal(err)
			}
		}
		return ""
	case "readlink":
		return outcome(tr.readlink(w[1]))
	case "mkfifo":
		return outcome("", tr.mkfifo(w[1]))
	case "creat":
		return outcome("", tr.open(w[1], O_WRONLY|O_CREAT|O_EXCL))
	case "open":
		fl := 0
		for _, name := range strings.Split(w[2], ",") {
			fl |= flags[name]
		}
		return outcome("", tr.open(w[1], fl))
	case "write":
		return outcome("", tr.write(w[1], num(2, 10), w[3]))
	case "read":
		return outcome(tr.read(w[1]))
	case "truncate":
		return outcome("", tr.truncate(w[1], num(2, 10)))
	case "chmod":
		return outcome("", tr.chmod(w[2], uint32(num(1, 8))))
	case "chown":
		return outcome("", tr.chown(w[3], int(num(1, 10)), int(num(2, 10))))
	case "times":
		return outcome("", tr.times(w[1], num(2, 10), num(3, 10)))
	case "touch":
		return outcome("", tr.touch(w[1]))
	case "access":
		return outcome("", tr.access(w[1], how[w[2]]))
	case "ls":
		names, err := tr.ls(w[1])
		return outcome(strings.Join(names, " "), err)
	}
	st, err := tr.stat(w[1], w[0][0] != 'l')
	switch w[0] {
	case "stat", "lstat":
		return outcome(kinds[st.Mode&TypeMask], err)
	case "size", "lsize":
		return outcome(fmt.Sprint(st.Size), err)
	case "nlink":
		return outcome(fmt.Sprint(st.Nlink), err)
	case "gid":
		return outcome(fmt.Sprint(st.GID), err)
	case "mode":
		return outcome(fmt.Sprintf("%o", st.Mode&PermMask), err)
	case "mtime":
		return outcome(fmt.Sprint(st.Mtime), err)
	}
	t.Fatalf("unknown step %q", w)
	return ""
}

// memTree is a tree under /base, so that ".." means the same in both.
type memTree struct {
	fs   *FS
	cred Cred
}

func (m *memTree) at(p string) string {
	if p == "" {
		return ""
	}
	if p[0] == '/' {
		return "/base" + p
	}
	return "/base/" + p
}
func (m *memTree) user(id int) error {
	m.cred = Cred{UID: uint32(id), GID: uint32(id), Root: id == 0}
	return nil
}
func (m *memTree) mkdir(p string) error     { return m.fs.Mkdir(m.cred, m.at(p), 0o755, 1) }
func (m *memTree) rmdir(p string) error     { return m.fs.Rmdir(m.cred, m.at(p), 1) }
func (m *memTree) unlink(p string) error    { return m.fs.Unlink(m.cred, m.at(p), 1) }
func (m *memTree) rename(a, b string) error { return m.fs.Rename(m.cred, m.at(a), m.at(b), 1) }
func (m *memTree) link(a, b string) error   { return m.fs.Link(m.cred, m.at(a), m.at(b), false, 1) }
func (m *memTree) symlink(target, p string) error {
	if strings.HasPrefix(target, "/") {
		target = m.at(target)
	}
	return m.fs.Symlink(m.cred, target, m.at(p), 1)
}
func (m *memTree) readlink(p string) (string, error) { return m.fs.Readlink(m.cred, m.at(p)) }
func (m *memTree) mkfifo(p string) error             { return m.fs.Mkfifo(m.cred, m.at(p), 0o644, 1) }
func (m *memTree) open(p string, flags int) error {
	_, err := m.fs.Open(m.cred, m.at(p), flags, 0o644, 1)
	return err
}
func (m *memTree) write(p string, off int64, text string) error {
	ino, err := m.fs.Open(m.cred, m.at(p), O_WRONLY|O_CREAT, 0o644, 1)
	if err != nil {
		return err
	}
	_, err = m.fs.WriteAt(ino, []byte(text), off, 1)
	return err
}
func (m *memTree) read(p string) (string, error) {
	ino, err := m.fs.Open(m.cred, m.at(p), O_RDONLY, 0, 1)
	if err != nil {
		return "", err
	}
	st, _ := m.fs.StatIno(ino)
	b := make([]byte, st.Size+1)
	n, err := m.fs.ReadAt(ino, b, 0, 1)
	return string(b[:n]), err
}
func (m *memTree) truncate(p string, n int64) error { return m.fs.Truncate(m.cred, m.at(p), n, 1) }
func (m *memTree) chmod(p string, mode uint32) error {
	return m.fs.Chmod(m.cred, m.at(p), true, Mode(mode), 1)
}
func (m *memTree) chown(p string, uid, gid int) error {
	return m.fs.Chown(m.cred, m.at(p), true, int64(uid), int64(gid), 1)
}
func (m *memTree) times(p string, a, mt int64) error {
	return m.fs.Utimes(m.cred, m.at(p), true, a, mt, 1)
}
func (m *memTree) touch(p string) error {
	return m.fs.Utimes(m.cred, m.at(p), true, TimeNow, TimeNow, 1)
}
func (m *memTree) access(p string, how int) error { return m.fs.Access(m.cred, m.at(p), how) }
func (m *memTree) stat(p string, follow bool) (Stat, error) {
	if follow {
		return m.fs.Stat(m.cred, m.at(p))
	}
	return m.fs.Lstat(m.cred, m.at(p))
}
func (m *memTree) ls(p string) (names []string, err error) {
	all, err := m.fs.ReadDir(m.cred, m.at(p), "", 0)
	for _, d := range all {
		names = append(names, d.Name)
	}
	return names, err
}

// dirTree is a real directory.
type dirTree struct{ base string }

func (d dirTree) at(p string) string {
	if p == "" {
		return ""
	}
	return d.base + "/" + strings.TrimPrefix(p, "/")
}
func (d dirTree) user(id int) error {
	if err := syscall.Setfsgid(id); err != nil {
		return err
	}
	return syscall.Setfsuid(id)
}
func (d dirTree) mkdir(p string) error     { return syscall.Mkdir(d.at(p), 0o755) }
func (d dirTree) rmdir(p string) error     { return syscall.Rmdir(d.at(p)) }
func (d dirTree) unlink(p string) error    { return syscall.Unlink(d.at(p)) }
func (d dirTree) rename(a, b string) error { return syscall.Rename(d.at(a), d.at(b)) }
func (d dirTree) link(a, b string) error   { return syscall.Link(d.at(a), d.at(b)) }
func (d dirTree) symlink(target, p string) error {
	if strings.HasPrefix(target, "/") {
		target = d.at(target)
	}
	return syscall.Symlink(target, d.at(p))
}
func (d dirTree) readlink(p string) (string, error) {
	b := make([]byte, 5000)
	n, err := syscall.Readlink(d.at(p), b)
	return string(b[:max(n, 0)]), err
}
func (d dirTree) mkfifo(p string) error { return syscall.Mkfifo(d.at(p), 0o644) }
func (d dirTree) open(p string, flags int) error {
	fd, err := syscall.Open(d.at(p), flags, 0o644)
	if err == nil {
		syscall.Close(fd)
	}
	return err
}
func (d dirTree) write(p string, off int64, text string) error {
	fd, err := syscall.Open(d.at(p), O_WRONLY|O_CREAT, 0o644)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	_, err = syscall.Pwrite(fd, []byte(text), off)
	return err
}
func (d dirTree) read(p string) (string, error) {
	b, err := os.ReadFile(d.at(p))
	return string(b), err
}
func (d dirTree) truncate(p string, n int64) error   { return syscall.Truncate(d.at(p), n) }
func (d dirTree) chmod(p string, mode uint32) error  { return syscall.Chmod(d.at(p), mode) }
func (d dirTree) chown(p string, uid, gid int) error { return syscall.Chown(d.at(p), uid, gid) }
func (d dirTree) times(p string, a, m int64) error {
	return syscall.UtimesNano(d.at(p), []syscall.Timespec{syscall.NsecToTimespec(a), syscall.NsecToTimespec(m)})
}
func (d dirTree) touch(p string) error {
	const utimeNow = 1<<30 - 1
	return syscall.UtimesNano(d.at(p), []syscall.Timespec{{Nsec: utimeNow}, {Nsec: utimeNow}})
}
func (d dirTree) access(p string, how int) error {
	// access(2) asks for the real user; try what it would allow instead.
	if how == F_OK || how&X_OK != 0 {
		if syscall.Getuid() == 0 && how&X_OK != 0 {
			return syscall.Faccessat(-100, d.at(p), uint32(how), 0)
		}
		_, err := d.stat(p, true)
		return err
	}
	fl := map[int]int{R_OK: O_RDONLY, W_OK: O_WRONLY, R_OK | W_OK: O_RDWR}[how]
	return d.open(p, fl)
}
func (d dirTree) stat(p string, follow bool) (Stat, error) {
	var st syscall.Stat_t
	err := syscall.Lstat(d.at(p), &st)
	if follow {
		err = syscall.Stat(d.at(p), &st)
	}
	return Stat{Mode: Mode(st.Mode), Nlink: uint32(st.Nlink), Size: st.Size, UID: st.Uid, GID: st.Gid, Mtime: st.Mtim.Nano()}, err
}
func (d dirTree) ls(p string) (names []string, err error) {
	entries, err := os.ReadDir(d.at(p))
	for _, e := range entries {
		names = append(names, path.Base(e.Name()))
	}
	sort.Strings(names)
	return names, err
}
