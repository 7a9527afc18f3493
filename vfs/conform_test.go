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

// conformance is one suite for the tree and for a real directory. Each line of
// a script is an operation; what follows "->" is its outcome: an errno, or for
// the reading ones what they read. Without it the operation must succeed.
//
// "user N" runs what follows as user and group N.
var conformance = []struct{ name, script string }{
	{"paths", `
		mkdir d
		mkdir d/e
		creat d/e/f
		stat d//e///f -> file
		stat ./d/./e/../e/f -> file
		stat d/e/f/ -> ENOTDIR
		stat d/e/f/. -> ENOTDIR
		stat d/e/f/.. -> ENOTDIR
		stat d/e/f/g -> ENOTDIR
		stat d/e/ -> dir
		stat d/x/../e -> ENOENT
		stat d/x/ -> ENOENT
		stat $EMPTY -> ENOENT
		stat $255 -> ENOENT
		stat $256 -> ENAMETOOLONG
		stat $256/x -> ENAMETOOLONG
		stat d/e/f/$256 -> ENOTDIR
		creat $255
		mkdir $256 -> ENAMETOOLONG
		stat $LONG -> ENAMETOOLONG
		stat x/$256 -> ENOENT`},
	{"open", `
		open f r -> ENOENT
		open f w,creat
		open f w,creat,excl -> EEXIST
		open f r,dir -> ENOTDIR
		open f/ r -> ENOTDIR
		open f/ w,creat -> EISDIR
		open g/ w,creat -> EISDIR
		open g/ r -> ENOENT
		open x/g w,creat -> ENOENT
		open f/g w,creat -> ENOTDIR
		mkdir d
		open d r
		open d/ r,dir
		open d w -> EISDIR
		open d rw -> EISDIR
		open d r,trunc -> EISDIR
		open d r,creat -> EISDIR
		open d r,creat,excl -> EEXIST
		open d/ r,creat -> EISDIR
		open d/. r,creat -> EISDIR
		open . r,dir
		open .. r`},
	{"open empties", `
		write f 0 hello
		open f r
		size f -> 5
		open f w,trunc
		size f -> 0
		write f 0 hello
		open f w,creat,trunc
		size f -> 0
		write f 3 x
		read f -> \0\0\0x`},
	{"open and links", `
		creat f
		symlink f l
		symlink none dangling
		symlink d ld
		mkdir d
		open l r
		open l r,nofollow -> ELOOP
		open l r,nofollow,dir -> ENOTDIR
		open ld r,dir
		open ld/ r,nofollow
		open ld r,nofollow -> ELOOP
		open ld r,nofollow,dir -> ENOTDIR
		open dangling r -> ENOENT
		open dangling w,creat,excl -> EEXIST
		open l w,creat,excl -> EEXIST
		open dangling w,creat,nofollow -> ELOOP
		open dangling w,creat
		stat none -> file
		lstat dangling -> link
		symlink x/y deep
		open deep w,creat -> ENOENT
		symlink new/ slashed
		open slashed w,creat -> EISDIR
		symlink d/new below
		open below w,creat
		stat d/new -> file`},
	{"symbolic links", `
		mkdir a
		mkdir a/b
		creat a/b/f
		symlink a/b l
		symlink ../b a/b/up
		symlink f a/b/g
		readlink l -> a/b
		stat l -> dir
		lstat l -> link
		lstat l/ -> dir
		lstat l/. -> dir
		stat l/f -> file
		stat a/b/up/g -> file
		stat l/.. -> dir
		ls l/.. -> b
		lstat a/b/g -> link
		lstat a/b/g/ -> ENOTDIR
		readlink a/b -> EINVAL
		readlink l/ -> EINVAL
		readlink none -> ENOENT
		symlink $EMPTY e -> ENOENT
		symlink x l -> EEXIST
		symlink x a/ -> EEXIST
		symlink x new/ -> ENOENT
		symlink x none/new -> ENOENT
		symlink $LONG long -> ENAMETOOLONG
		symlink loop loop
		stat loop -> ELOOP
		lstat loop -> link
		stat loop/x -> ELOOP
		open loop w,creat -> ELOOP
		symlink two one
		symlink one two
		stat one -> ELOOP
		size a/b/g -> 0
		lsize l -> 3
		symlink /a/b abs
		stat abs/f -> file`},
	{"forty links", `
		creat f
		symlink f l1
		chain 40
		stat l40 -> file
		symlink l40 l41
		stat l41 -> ELOOP
		lstat l41 -> link`},
	{"mkdir", `
		mkdir d
		mkdir d -> EEXIST
		mkdir d/ -> EEXIST
		mkdir e/
		mkdir e/. -> EEXIST
		mkdir e/.. -> EEXIST
		mkdir x/y -> ENOENT
		mkdir x/. -> ENOENT
		creat f
		mkdir f -> EEXIST
		mkdir f/ -> EEXIST
		mkdir f/x -> ENOTDIR
		symlink none l
		mkdir l -> EEXIST
		mkdir l/ -> EEXIST
		nlink d -> 2
		mkdir d/a
		mkdir d/b
		nlink d -> 4
		creat d/f
		nlink d -> 4
		rmdir d/a
		nlink d -> 3`},
	{"rmdir", `
		mkdir d
		mkdir d/e
		rmdir d -> ENOTEMPTY
		rmdir d/e/
		rmdir d/. -> EINVAL
		rmdir d/./ -> EINVAL
		rmdir d/.. -> ENOTEMPTY
		rmdir none -> ENOENT
		rmdir none/ -> ENOENT
		creat f
		rmdir f -> ENOTDIR
		rmdir f/ -> ENOTDIR
		rmdir f/x -> ENOTDIR
		symlink d l
		rmdir l -> ENOTDIR
		rmdir l/ -> ENOTDIR
		rmdir d
		lstat l -> link
		stat l -> ENOENT`},
	{"unlink", `
		creat f
		mkdir d
		symlink d l
		unlink none -> ENOENT
		unlink none/ -> ENOENT
		unlink d -> EISDIR
		unlink d/ -> EISDIR
		unlink d/. -> EISDIR
		unlink d/.. -> EISDIR
		unlink f/ -> ENOTDIR
		unlink f/x -> ENOTDIR
		unlink l/ -> ENOTDIR
		unlink l
		stat d -> dir
		unlink f
		stat f -> ENOENT
		ls . -> d`},
	{"links", `
		write f 0 abc
		link f g
		nlink f -> 2
		write g 3 def
		read f -> abcdef
		unlink f
		nlink g -> 1
		read g -> abcdef
		link g g -> EEXIST
		link none x -> ENOENT
		mkdir d
		link d x -> EPERM
		link d g -> EEXIST
		link g d/h
		link g d/ -> EEXIST
		link g x/ -> ENOENT
		link g/ x -> ENOTDIR
		link g x/y -> ENOENT
		symlink g l
		link l m
		lstat m -> link
		symlink none n
		link n o
		nlink n -> ENOENT
		chmod 600 g
		mode d/h -> 600`},
	{"rename files", `
		write f 0 one
		write g 0 two
		rename f h
		stat f -> ENOENT
		read h -> one
		rename h g
		read g -> one
		ls . -> g
		rename none x -> ENOENT
		rename g none/x -> ENOENT
		rename g g/x -> ENOTDIR
		rename g/ x -> ENOTDIR
		rename g x/ -> ENOTDIR
		rename g g
		mkdir d
		rename g d -> EISDIR
		rename g d/ -> ENOTDIR
		rename d g -> ENOTDIR
		rename d/ g -> ENOTDIR
		rename . x -> EBUSY
		rename d/. x -> EBUSY
		rename d/.. x -> EBUSY
		rename g . -> EBUSY
		rename g d/.. -> EBUSY
		link g k
		rename g k
		ls . -> d g k
		nlink g -> 2
		rename g d/g
		nlink k -> 2`},
	{"rename directories", `
		mkdir a
		mkdir a/b
		mkdir a/b/c
		write a/b/c/f 0 deep
		mkdir z
		rename a/b z
		stat a/b -> ENOENT
		read z/c/f -> deep
		nlink a -> 2
		nlink z -> 3
		rename z z/x -> EINVAL
		rename z z/c/x -> EINVAL
		rename z/c z -> ENOTEMPTY
		rename z/c/f z -> ENOTEMPTY
		rename z/c a/
		ls z ->
		ls a -> f
		ls a/.. -> a z
		rename a/ new/
		read new/f -> deep
		mkdir new/c
		mkdir full
		creat full/x
		rename new full -> ENOTEMPTY
		rename full new -> ENOTEMPTY
		creat f
		rename new/c f -> ENOTDIR
		symlink new l
		rename l m
		lstat m -> link
		rename m/ k -> ENOTDIR
		rename new m -> ENOTDIR
		rename new new
		mkdir p
		mkdir p/q
		mkdir r
		rename p/q r
		nlink p -> 2
		ls p ->`},
	{"FIFOs", `
		mkfifo p
		stat p -> fifo
		mkfifo p -> EEXIST
		mkfifo q/ -> ENOENT
		truncate p 0 -> EINVAL
		link p q
		nlink p -> 2
		unlink p
		stat q -> fifo`},
	{"sizes and holes", `
		creat f
		truncate f 100000
		size f -> 100000
		write f 50000 x
		size f -> 100000
		truncate f 5
		truncate f 10
		read f -> \0\0\0\0\0\0\0\0\0\0
		write f 0 abcdefghij
		truncate f 3
		write f 5 z
		read f -> abc\0\0z
		truncate f 0
		read f ->
		write f 20000 end
		size f -> 20003
		truncate f -1 -> EINVAL
		mkdir d
		truncate d 0 -> EISDIR
		truncate none 0 -> ENOENT
		truncate f 1099511627776
		size f -> 1099511627776
		truncate f/ 0 -> ENOTDIR`},
	{"modes", `
		creat f
		chmod 4711 f
		mode f -> 4711
		chmod 7777 f
		mode f -> 7777
		mkdir d
		chmod 1777 d
		mode d -> 1777
		symlink f l
		chmod 600 l
		mode f -> 600
		chmod 600 none -> ENOENT
		chmod 600 f/ -> ENOTDIR
		access f rw
		access none f -> ENOENT
		times f 1000000001 2000000002
		mtime f -> 2000000002
		times none 1 1 -> ENOENT`},
	{"listing", `
		creat b
		creat a
		mkdir B
		creat .hidden
		creat a.b
		creat a-b
		ls . -> .hidden B a a-b a.b b
		ls B ->
		ls a -> ENOTDIR
		ls none -> ENOENT`},
	{"permission to search", `
		mkdir d
		creat d/f
		chmod 600 d
		user 1000
		stat d -> dir
		stat d/f -> EACCES
		stat d/none -> EACCES
		stat d/. -> EACCES
		stat d/.. -> EACCES
		ls d -> EACCES
		open d/f r -> EACCES
		rename d/f x -> EACCES
		user 0
		chmod 711 d
		user 1000
		stat d/f -> file
		stat d/none -> ENOENT
		ls d -> EACCES
		creat d/g -> EACCES
		mkdir d/g -> EACCES
		symlink x d/g -> EACCES
		mkfifo d/g -> EACCES
		unlink d/f -> EACCES
		unlink d/none -> ENOENT
		rmdir d/none -> ENOENT
		mkdir d/f -> EEXIST`},
	{"permission of files", `
		creat f
		chmod 640 f
		user 1000
		open f r -> EACCES
		open f w -> EACCES
		access f r -> EACCES
		access f f
		truncate f 0 -> EACCES
		chmod 777 f -> EPERM
		times f 1 1 -> EPERM
		touch f -> EACCES
		chown 1000 -1 f -> EPERM
		user 0
		chown -1 1000 f
		user 1000
		open f r
		open f rw -> EACCES
		open f r,trunc -> EACCES
		user 0
		chown 1000 -1 f
		user 1000
		open f rw
		chmod 400 f
		open f w -> EACCES
		open f r
		chmod 77 f
		open f r -> EACCES
		chown 1000 1000 f
		chown 1000 1001 f -> EPERM
		chown 1001 -1 f -> EPERM
		user 0
		access f rw
		chmod 666 f
		access f x -> EACCES
		user 1001
		open f rw
		touch f
		times f 5 5 -> EPERM`},
	{"permission to rename", `
		mkdir d
		chmod 777 d
		mkdir mine
		chmod 777 mine
		mkdir d/sub
		creat d/f
		creat mine/f
		user 1000
		rename d/f d/g
		rename d/g mine/g
		rename d/sub d/sub2
		rename d/sub2 mine/sub -> EACCES
		rename mine/f x -> EACCES
		user 0
		chmod 755 d
		user 1000
		rename mine/f d/f -> EACCES
		rename d/none mine/x -> ENOENT
		link mine/f d/x -> EPERM
		link mine/f mine/x -> EPERM
		creat mine/own
		link mine/own d/x -> EACCES
		link mine/own mine/x
		user 0
		chmod 666 mine/f
		user 1000
		link mine/f mine/y
		user 0
		chmod 4666 mine/f
		user 1000
		link mine/f mine/z -> EPERM`},
	{"sticky directories", `
		mkdir tmp
		chmod 1777 tmp
		creat tmp/theirs
		mkdir tmp/dir
		user 1000
		creat tmp/mine
		mkdir tmp/d
		unlink tmp/theirs -> EPERM
		rmdir tmp/dir -> EPERM
		rename tmp/theirs tmp/x -> EPERM
		rename tmp/mine tmp/theirs -> EPERM
		rename tmp/mine tmp/other
		unlink tmp/other
		rmdir tmp/d
		creat tmp/mine
		user 1001
		unlink tmp/mine -> EPERM
		user 0
		unlink tmp/mine`},
	{"set-id bits", `
		mkdir d
		chown 0 1000 d
		chmod 2777 d
		user 1001
		creat d/f
		gid d/f -> 1000
		mkdir d/e
		gid d/e -> 1000
		mode d/e -> 2755
		user 0
		creat s
		chmod 6755 s
		chown 1 1 s
		mode s -> 755`},
}

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
	m.cred = Cred{uint32(id), uint32(id), id == 0}
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
