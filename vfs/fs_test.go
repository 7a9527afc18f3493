package vfs

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table is a generated part as a sandbox would have it.
func table() *Generated {
	return NewGenerated(GeneratedTable{
		Bins: []string{"ls", "cat", "tr"},
		Stub: func(name string) []byte { return []byte("stub of " + name + "\n") },
		Proc: []ProcFile{
			{"uptime", func(now int64) []byte { return fmt.Appendf(nil, "%d.00\n", now/1e9) }},
			{"sys/kernel/ostype", func(int64) []byte { return []byte("Linux\n") }},
		},
		Time: 7,
	})
}

func text(tb testing.TB, f *FS, path string, now int64) string {
	tb.Helper()
	ino, err := f.Open(root, path, O_RDONLY, 0, now)
	if err != nil {
		tb.Fatal(path, err)
	}
	b := make([]byte, 100)
	n, err := f.ReadAt(ino, b, 0, now)
	if err != nil {
		tb.Fatal(path, err)
	}
	return string(b[:n])
}

func names(tb testing.TB, f *FS, path string) string {
	tb.Helper()
	all, err := f.ReadDir(root, path, "", 0)
	if err != nil {
		tb.Fatal(path, err)
	}
	var s []string
	for _, d := range all {
		s = append(s, d.Name)
	}
	return strings.Join(s, " ")
}

func TestGeneratedTree(t *testing.T) {
	f := New(table(), Limits{}, 1)
	put(t, f, "/a", "")
	put(t, f, "/zz", "")
	for path, want := range map[string]string{
		"/": "a dev proc usr zz", "/dev": "fd full null random stderr stdin stdout tty urandom zero",
		"/proc": "self sys uptime", "/proc/sys/kernel": "ostype", "/proc/self": "fd", "/dev/fd": "", "/usr/bin": "cat ls tr",
	} {
		if got := names(t, f, path); got != want {
			t.Errorf("%s lists %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{"/proc/uptime": "5.00\n", "/proc/sys/kernel/ostype": "Linux\n", "/usr/bin/cat": "stub of cat\n"} {
		if got := text(t, f, path, 5e9); got != want {
			t.Errorf("%s reads %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]uint32{"/dev/null": DevNull, "/dev/zero": DevZero, "/dev/full": DevFull, "/dev/urandom": DevRandom, "/dev/tty": DevTTY, "/dev/stdin": DevFd} {
		st, err := f.Stat(root, path)
		if err != nil || st.Mode != TypeChar|0o666 || st.Rdev != want {
			t.Errorf("Stat(%s) = %+v, %v", path, st, err)
		}
	}
	for path, want := range map[string]int{"/dev/stdin": 0, "/dev/stderr": 2, "/dev/fd/63": 63, "/proc/self/fd/7": 7} {
		ino, err := f.Lookup(root, path, true)
		if n, ok := ino.Fd(); !ok || n != want || err != nil || ino != FdIno(want) {
			t.Errorf("Lookup(%s) = %d, %v; entry %d, %v", path, ino, err, n, ok)
		}
	}
	for _, path := range []string{"/dev/fd/x", "/dev/fd/01", "/dev/fd/-1", "/dev/fd/99999999", "/dev/nothing", "/usr/bin/nothing"} {
		if _, err := f.Lookup(root, path, true); err != ENOENT {
			t.Errorf("Lookup(%s): %v", path, err)
		}
	}
	if st, _ := f.Stat(root, "/"); st.Nlink != 5 {
		t.Errorf("the root has %d links, want 5", st.Nlink)
	}
	if p, ok := f.Path(FdIno(3)); p != "/proc/self/fd/3" || !ok {
		t.Errorf("Path of an open file: %q", p)
	}
	for path, want := range map[string]uint32{"/proc": 4, "/proc/sys": 3, "/proc/self/fd": 2, "/dev": 2, "/dev/null": 1} {
		if st := must(f.Stat(root, path)); st.Nlink != want {
			t.Errorf("%s has %d links, want %d", path, st.Nlink, want)
		}
	}
	before := f.Usage()
	if f.Fork(); f.Usage() != before || before.Files != 5 {
		t.Errorf("generated inodes count: %+v", before)
	}
}

func TestGeneratedTreeIsNotWritten(t *testing.T) {
	f := New(table(), Limits{}, 1)
	user := Cred{UID: 1000, GID: 1000}
	put(t, f, "/a", "")
	f.Mkdir(root, "/d", 0o777, 1)
	open := func(c Cred, path string, flags int) error {
		_, err := f.Open(c, path, flags, 0o644, 2)
		return err
	}
	for i, c := range []struct{ got, want error }{
		{open(user, "/dev/null", O_WRONLY), nil},
		{open(user, "/dev/null", O_RDWR|O_CREAT|O_TRUNC), nil},
		{open(user, "/dev/stdout", O_WRONLY), nil},
		{open(root, "/dev/new", O_WRONLY|O_CREAT), EROFS},
		{open(user, "/dev/new", O_WRONLY|O_CREAT), EACCES},
		{open(root, "/proc/uptime", O_WRONLY), EACCES},
		{open(root, "/proc/uptime", O_RDONLY|O_TRUNC), EACCES},
		{f.Truncate(root, "/proc/uptime", 0, 1), EACCES},
		{f.Chmod(root, "/proc/uptime", true, 0, 1), EACCES},
		{f.Chmod(root, "/dev", true, 0, 1), EACCES},
		{f.Chown(root, "/dev/null", true, 1, 1, 1), EACCES},
		{f.Utimes(root, "/dev/null", true, TimeNow, TimeNow, 1), EACCES},
		{f.Utimes(root, "/dev/null", true, TimeOmit, TimeOmit, 1), nil},
		{f.Unlink(root, "/dev/null", 1), EROFS},
		{f.Unlink(user, "/dev/fd/1", 1), EACCES},
		{f.Rmdir(root, "/dev", 1), EBUSY},
		{f.Rmdir(root, "/proc/self", 1), EROFS},
		{f.Mkdir(root, "/proc/x", 0o755, 1), EROFS},
		{f.Mkdir(root, "/dev", 0o755, 1), EEXIST},
		{f.Rename(root, "/proc", "/x", 1), EBUSY},
		{f.Rename(root, "/d", "/proc", 1), EBUSY},
		{f.Rename(root, "/a", "/dev/a", 1), EROFS},
		{f.Rename(root, "/dev/null", "/null", 1), EROFS},
		{f.Link(root, "/dev/null", "/null", false, 1), EXDEV},
		{f.Link(root, "/a", "/dev/a", false, 1), EROFS},
		{f.Symlink(root, "a", "/dev/a", 1), EROFS},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %v, want %v", i, c.got, c.want)
		}
	}
	null, _ := f.Lookup(root, "/proc/uptime", true)
	if _, err := f.WriteAt(null, []byte("x"), 0, 1); err != EROFS {
		t.Errorf("WriteAt: %v", err)
	}
	if err := f.TruncateIno(null, 0, 1); err != EROFS {
		t.Errorf("TruncateIno: %v", err)
	}
}

func TestNamesOfBinAreReplaceable(t *testing.T) {
	f := New(table(), Limits{}, 1)
	do := func(want error, err error) {
		t.Helper()
		if err != want {
			t.Fatalf("%v, want %v", err, want)
		}
	}
	cat, err := f.Lookup(root, "/usr/bin/cat", true)
	do(nil, err)
	if name, ok := f.Stub(cat); name != "cat" || !ok {
		t.Errorf("Stub = %q, %v", name, ok)
	}
	old := f.Fork()
	_, err = f.Open(Cred{UID: 5}, "/usr/bin/cat", O_WRONLY, 0, 2)
	do(EACCES, err)
	ino, err := f.Open(root, "/usr/bin/cat", O_WRONLY|O_APPEND, 0, 2)
	do(nil, err)
	if _, ok := f.Stub(ino); ok || ino.Generated() {
		t.Fatalf("opened for writing it is still inode %d", ino)
	}
	if st := must(f.Stat(root, "/usr/bin")); st.Mtime != 1 || st.Ctime != 1 {
		t.Errorf("that touched the directory: %+v", st)
	}
	f.Append(ino, []byte("more\n"), 3)
	if got := text(t, f, "/usr/bin/cat", 0); got != "stub of cat\nmore\n" {
		t.Errorf("reads %q", got)
	}
	do(nil, f.Unlink(root, "/usr/bin/cat", 4))
	if _, err := f.Stat(root, "/usr/bin/cat"); err != ENOENT {
		t.Errorf("after unlink: %v", err)
	}
	do(nil, f.Unlink(root, "/usr/bin/ls", 4))
	do(nil, f.Rename(root, "/usr/bin/tr", "/tr", 5))
	if got := text(t, f, "/tr", 0); got != "stub of tr\n" {
		t.Errorf("moved, it reads %q", got)
	}
	if got := names(t, f, "/usr/bin"); got != "" {
		t.Errorf("left: %q", got)
	}
	if p, ok := f.Path(cat); ok {
		t.Errorf("a covered name has the path %q", p)
	}
	f = rebuild(t, f)
	if got := names(t, f, "/usr/bin"); got != "" {
		t.Errorf("after a rebuild: %q", got)
	}
	put(t, f, "/usr/bin/ls", "mine")
	do(nil, f.Chmod(root, "/usr/bin/ls", true, 0o700, 6))
	if got := names(t, f, "/usr/bin"); got != "ls" {
		t.Errorf("made again: %q", got)
	}
	do(ENOTEMPTY, f.Rmdir(root, "/usr/bin", 7))
	do(nil, f.Rename(root, "/usr/bin", "/bin", 7))
	do(nil, f.Unlink(root, "/bin/ls", 7))
	if got := names(t, f, "/bin"); got != "" {
		t.Errorf("whiteouts did not move along: %q", got)
	}
	held := must(f.Lookup(root, "/bin", true))
	f.Hold(held)
	do(nil, f.Rmdir(root, "/bin", 8))
	if all, err := f.ReadDirIno(held, "", 0); len(all) > 0 || err != nil {
		t.Errorf("removed, it has %v, %v", all, err)
	}
	do(nil, f.Mkdir(root, "/usr/bin", 0o755, 9))
	if got := names(t, f, "/usr/bin"); got != "" {
		t.Errorf("a new /usr/bin has %q", got)
	}
	rebuild(t, f)
	// What the fork sees never changed.
	if got := names(t, old, "/usr/bin"); got != "cat ls tr" {
		t.Errorf("the fork lists %q", got)
	}
	if p, _ := old.Path(cat); p != "/usr/bin/cat" {
		t.Errorf("Path = %q", p)
	}
	do(nil, old.Link(root, "/usr/bin/cat", "/k", false, 9))
	if a, b := must(old.Lookup(root, "/k", true)), must(old.Lookup(root, "/usr/bin/cat", true)); a != b || a.Generated() {
		t.Errorf("a linked name is inode %d here, %d there", a, b)
	}
	do(nil, old.Chmod(root, "/usr/bin/ls", true, 0o700, 9))
	if st, _ := old.Stat(root, "/usr/bin/ls"); st.Mode != TypeFile|0o700 || st.Size != 11 || st.Mtime != 7 {
		t.Errorf("after chmod: %+v", st)
	}
	if d := cmp.Diff("cat ls tr", names(t, old, "/usr/bin")); d != "" {
		t.Error(d)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestReadDirGoesOnAfterAName(t *testing.T) {
	f := New(table(), Limits{}, 1)
	for _, n := range []string{"a", "cat", "m", "z"} {
		put(t, f, "/usr/bin/"+n, "")
	}
	f.Unlink(root, "/usr/bin/ls", 1)
	for _, dir := range []string{"/usr/bin", "/"} {
		all, _ := f.ReadDir(root, dir, "", 0)
		for n := 1; n < 4; n++ {
			var got []Dirent
			for after := ""; ; after = got[len(got)-1].Name {
				part, err := f.ReadDir(root, dir, after, n)
				if err != nil || len(part) > n {
					t.Fatal(len(part), err)
				}
				if len(part) == 0 {
					break
				}
				got = append(got, part...)
			}
			if d := cmp.Diff(all, got); d != "" {
				t.Errorf("%s in steps of %d (-at once +in steps):\n%s", dir, n, d)
			}
		}
	}
}

func TestLimitsAreCheckedBefore(t *testing.T) {
	f := New(nil, Limits{Bytes: 40000, Files: 4, FileSize: 1 << 41}, 1)
	ino := put(t, f, "/f", strings.Repeat("x", 30000))
	look := func() string {
		return fmt.Sprintf("%+v %+v", f.Usage(), must(f.Stat(root, "/f")))
	}
	before := look()
	try := func(want error, err error) {
		t.Helper()
		if err != want {
			t.Errorf("%v, want %v", err, want)
		}
		if now := look(); now != before {
			t.Errorf("changed from %s to %s", before, now)
		}
	}
	_, err := f.WriteAt(ino, make([]byte, 10001), 30000, 9)
	try(ENOSPC, err)
	_, err = f.WriteAt(ino, make([]byte, 20000), 1<<30, 9)
	try(ENOSPC, err)
	_, err = f.WriteAt(ino, []byte("xy"), 1<<41-1, 9)
	try(EFBIG, err)
	_, err = f.WriteAt(ino, []byte("xy"), 1<<63-1, 9)
	try(EFBIG, err)
	try(EFBIG, f.TruncateIno(ino, 1<<41+1, 9))
	f.SetLimits(Limits{Bytes: 30009})
	try(ENOSPC, f.Symlink(root, "ten bytes.", "/l", 9))
	f.SetLimits(Limits{Bytes: 30000, Files: 2})
	_, err = f.Append(ino, []byte("x"), 9)
	try(ENOSPC, err)
	_, err = f.WriteAt(ino, []byte("x"), 0, 1) // takes no more room
	try(nil, err)
	_, err = f.Open(root, "/g", O_CREAT|O_WRONLY, 0o644, 9)
	try(ENOSPC, err)
	try(ENOSPC, f.Mkdir(root, "/d", 0o755, 9))
	try(ENOSPC, f.Link(root, "/f", "/g", false, 9))
	f.SetLimits(Limits{})
	if err := f.TruncateIno(ino, 1<<40, 1); err != nil || f.Usage().Bytes != 30000 {
		t.Errorf("a hole of 1 TiB: %v, %+v", err, f.Usage())
	}
	if err := f.TruncateIno(ino, MaxFileSize+1, 1); err != EFBIG {
		t.Errorf("past MaxFileSize: %v", err)
	}
}

func TestHolesCostNothing(t *testing.T) {
	f := New(nil, Limits{}, 1)
	ino := put(t, f, "/f", "head")
	f.WriteAt(ino, []byte("tail"), 1<<40, 1)
	if st, _ := f.StatIno(ino); st.Size != 1<<40+4 || st.Stored != 4+minCost {
		t.Errorf("%+v", st)
	}
	type run struct {
		Data string
		Hole int64
	}
	var got []run
	for off := int64(0); ; {
		data, hole, err := f.Chunk(ino, off, 0)
		if err != nil {
			t.Fatal(err)
		}
		if data == nil && hole == 0 {
			break
		}
		got = append(got, run{string(data), hole})
		off += int64(len(data)) + hole
	}
	want := []run{{"head", 0}, {"", 1<<40 - 4}, {"tail", 0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range []struct{ off, data, hole int64 }{{0, 0, 4}, {3, 3, 4}, {4, 1 << 40, 4}, {1 << 39, 1 << 40, 1 << 39}, {1<<40 + 1, 1<<40 + 1, 1<<40 + 4}} {
		d, err := f.SeekData(ino, c.off)
		h, err2 := f.SeekHole(ino, c.off)
		if d != c.data || h != c.hole || err != nil || err2 != nil {
			t.Errorf("from %d: data %d (%v), hole %d (%v); want %d, %d", c.off, d, err, h, err2, c.data, c.hole)
		}
	}
	if _, err := f.SeekData(ino, 1<<40+4); err != ENXIO {
		t.Errorf("SeekData at the end: %v", err)
	}
	f.TruncateIno(ino, 1<<41, 1)
	if _, err := f.SeekData(ino, 1<<40+4); err != ENXIO {
		t.Errorf("SeekData in the last hole: %v", err)
	}
	f.TruncateIno(ino, 0, 1)
	if f.Usage().Bytes != 0 {
		t.Errorf("emptied: %+v", f.Usage())
	}
}

func TestUnlinkedFileLivesWhileHeld(t *testing.T) {
	f := New(nil, Limits{}, 1)
	ino := put(t, f, "/f", "abc")
	f.Hold(ino)
	f.Hold(ino)
	f.Unlink(root, "/f", 2)
	g := f.Fork()
	f.Append(ino, []byte("def"), 3)
	if p, ok := f.Path(ino); ok {
		t.Errorf("it has the path %q", p)
	}
	f.Release(ino)
	f.Release(ino)
	f.Release(ino) // one too many is nothing
	if _, err := f.StatIno(ino); err != EBADF || f.Usage() != (Usage{Files: 1}) {
		t.Errorf("released: %v, %+v", err, f.Usage())
	}
	b := make([]byte, 9)
	if n, err := rebuild(t, g).ReadAt(ino, b, 0, 0); string(b[:n]) != "abc" || err != nil {
		t.Errorf("the fork reads %q, %v", b[:n], err)
	}
	d := must(g.Lookup(root, "/", true))
	g.Mkdir(root, "/d", 0o755, 4)
	dir := must(g.Lookup(root, "/d", true))
	g.Hold(dir)
	g.Rmdir(root, "/d", 5)
	if st, err := g.StatIno(dir); err != nil || st.Nlink != 0 {
		t.Errorf("a removed directory: %+v, %v", st, err)
	}
	if at, err := g.Child(dir, ".."); at != Root || err != nil {
		t.Errorf("its parent: %d, %v", at, err)
	}
	if at, err := g.Child(d, ".."); at != Root || err != nil {
		t.Errorf("the root's parent: %d, %v", at, err)
	}
	rebuild(t, g)
}

// A removed directory keeps "..", which goes with it when nothing else needs it.
func TestRemovedDirectoriesKeepTheirParents(t *testing.T) {
	f := New(nil, Limits{}, 1)
	var inos []Ino
	for _, dir := range []string{"/a", "/a/b", "/a/b/c"} {
		f.Mkdir(root, dir, 0o755, 1)
		inos = append(inos, must(f.Lookup(root, dir, true)))
	}
	a, b, c := inos[0], inos[1], inos[2]
	f.Hold(c)
	for _, dir := range []string{"/a/b/c", "/a/b", "/a"} {
		if err := f.Rmdir(root, dir, 2); err != nil {
			t.Fatal(dir, err)
		}
	}
	for _, f := range []*FS{f, f.Fork(), rebuild(t, f)} {
		in := Cred{Root: true, Dir: c}
		for path, want := range map[string]Ino{".": c, "..": b, "../..": a, "../../..": Root, "../../.././..": Root} {
			if at, err := f.Lookup(in, path, true); at != want || err != nil {
				t.Errorf("%s: %d, %v, want %d", path, at, err, want)
			}
		}
		if err := f.Mkdir(in, "../x", 0o755, 3); err != ENOENT {
			t.Errorf("a directory in a removed one: %v", err)
		}
		if _, err := f.Realpath(in, "..", MissingNone); err != ENOENT {
			t.Errorf("the path of a removed one: %v", err)
		}
		f.Hold(b)
		f.Release(c)
		if _, err := f.StatIno(c); err != EBADF || f.Usage() != (Usage{Files: 3}) {
			t.Errorf("the lowest is let go: %v, %+v", err, f.Usage())
		}
		f.Release(b)
		if f.Usage() != (Usage{Files: 1}) || f.NextIno() != c+1 {
			t.Errorf("all are let go: %+v", f.Usage())
		}
	}
}

func TestWrittenFollowsTheVersion(t *testing.T) {
	f := New(nil, Limits{}, 1)
	ino := put(t, f, "/f", strings.Repeat("x", 3*ChunkSize))
	f.Fork()
	if f.Written() != 0 {
		t.Errorf("after a fork: %d", f.Written())
	}
	f.WriteAt(ino, []byte("y"), ChunkSize+5, 2)
	if got := f.Written(); got != ChunkSize+inodeCost {
		t.Errorf("after one byte: %d", got)
	}
	f.WriteAt(ino, []byte("y"), ChunkSize+9, 2)
	if got := f.Written(); got != ChunkSize+inodeCost {
		t.Errorf("after another in the same chunk: %d", got)
	}
	f.Unlink(root, "/f", 3)
	put(t, f, "/g", "tmp")
	f.Unlink(root, "/g", 3)
	if got := f.Written(); got != inodeCost { // the root directory
		t.Errorf("after removing all of it: %d", got)
	}
}

func TestDiffSeesEveryField(t *testing.T) {
	base := New(nil, Limits{}, 1)
	ino := put(t, base, "/f", strings.Repeat("x", 3*ChunkSize))
	base.Mkdir(root, "/d", 0o755, 1)
	base.Symlink(root, "f", "/l", 1)
	base.Mkfifo(root, "/p", 0o600, 1)
	fifo := must(base.Lookup(root, "/p", true))
	for _, c := range []struct {
		name string
		do   func(f *FS) error
		want string
	}{
		{"nothing", func(f *FS) error { return nil }, ""},
		{"mode", func(f *FS) error { return f.Chmod(root, "/f", true, 0o600, 1) }, "/f /f false"},
		{"back", func(f *FS) error { f.Chmod(root, "/f", true, 0o600, 1); return f.Chmod(root, "/f", true, 0o644, 1) }, ""},
		{"owner", func(f *FS) error { return f.Chown(root, "/f", true, 7, -1, 1) }, "/f /f false"},
		{"group", func(f *FS) error { return f.Chown(root, "/f", true, -1, 7, 1) }, "/f /f false"},
		{"atime", func(f *FS) error { return f.Utimes(root, "/f", true, 5, TimeOmit, 1) }, "/f /f false"},
		{"mtime", func(f *FS) error { return f.Utimes(root, "/f", true, TimeOmit, 5, 1) }, "/f /f false"},
		{"ctime", func(f *FS) error { return f.Chmod(root, "/f", true, 0o644, 5) }, "/f /f false"},
		{"first byte", func(f *FS) error { _, err := f.WriteAt(ino, []byte("y"), 0, 1); return err }, "/f /f true"},
		{"last byte", func(f *FS) error { _, err := f.WriteAt(ino, []byte("y"), 3*ChunkSize-1, 1); return err }, "/f /f true"},
		{"same bytes", func(f *FS) error { _, err := f.WriteAt(ino, []byte("x"), 5, 1); return err }, ""},
		{"size", func(f *FS) error { return f.TruncateIno(ino, 1<<40, 1) }, "/f /f true"},
		{"pipe", func(f *FS) error { return f.SetFifo(fifo, 9) }, "/p /p true"},
		{"new", func(f *FS) error { return f.Mkdir(root, "/d/e", 0o755, 1) }, "/d /d true, - /d/e true"},
		{"gone", func(f *FS) error { return f.Unlink(root, "/l", 1) }, "/ / true, /l - true"},
		{"moved", func(f *FS) error { return f.Rename(root, "/f", "/d/g", 1) }, "/ / true, /f /d/g false, /d /d true"},
		{"unlinked and held", func(f *FS) error { f.Hold(ino); return f.Unlink(root, "/f", 1) }, "/ / true, /f - false"},
		{"held", func(f *FS) error { f.Hold(ino); return nil }, ""},
	} {
		f := base.Fork()
		if err := c.do(f); err != nil {
			t.Fatal(c.name, err)
		}
		var got []string
		for _, d := range Diff(base, f) {
			got = append(got, fmt.Sprint(orDash(d.Before), " ", orDash(d.After), " ", d.Content))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// orDash shows that there is no path.
func orDash(path string) string {
	if path == "" {
		return "-"
	}
	return path
}

// TestRealpathIsGNUs compares Realpath with realpath(1) in a real directory.
func TestRealpathIsGNUs(t *testing.T) {
	if _, err := exec.LookPath("realpath"); err != nil {
		t.Skip("no realpath on this machine to compare with")
	}
	base := t.TempDir()
	disk := dirTree{base}
	f := New(nil, Limits{}, 0)
	for at := range len(base) {
		if base[at] == '/' && at > 0 {
			f.Mkdir(root, base[:at], 0o755, 0)
		}
	}
	f.Mkdir(root, base, 0o755, 0)
	for _, d := range []string{"d", "d/e"} {
		must(0, disk.mkdir(d))
		must(0, f.Mkdir(root, base+"/"+d, 0o755, 0))
	}
	must(0, disk.write("d/f", 0, "x"))
	put(t, f, base+"/d/f", "x")
	for link, target := range map[string]string{"l": "d", "d/up": "..", "dangling": "none", "deep": "no/no", "loop": "loop",
		"tofile": "d/f", "twist": "none/../twist2", "twist2": "d/e/../f", "slash": "d/"} {
		must(0, disk.symlink(target, link))
		must(0, f.Symlink(root, target, base+"/"+link, 0))
	}
	flags := map[Missing]string{MissingNone: "-e", MissingLast: "-q", MissingAny: "-m"}
	for _, p := range []string{"", "d", "d/", "d/.", "d/..", "l/e", "l/up/l/up/d/f", "d/f", "d/f/", "d/f/x", "d/f/..", "none", "none/", "none/x",
		"none/..", "none/../d/f", "none/../../x", "dangling", "dangling/", "dangling/x", "deep", "loop", "loop/x", "tofile", "tofile/..", "l//e///", "d/none/../e/../f",
		"none/a/b/../../../l/f", "twist", "slash", "slash/f", "x/y/z", "../x"} {
		for missing, flag := range flags {
			out, err := exec.Command("realpath", flag, "--", base+"/"+p).Output()
			want := strings.TrimSuffix(string(out), "\n")
			got, gotErr := f.Realpath(root, base+"/"+p, missing)
			if got != want || (gotErr == nil) != (err == nil) {
				t.Errorf("realpath %s %q: %q (%v), want %q", flag, p, got, gotErr, want)
			}
		}
	}
	// Where a link leads back to itself over a missing name there is no answer.
	f.Symlink(root, "gone/../again", base+"/again", 0)
	if got, err := f.Realpath(root, base+"/again", MissingAny); err != ELOOP {
		t.Errorf("again: %q, %v", got, err)
	}
}

func TestBadPaths(t *testing.T) {
	f := New(nil, Limits{}, 0)
	for path, want := range map[string]error{"": ENOENT, "/a\x00b": EINVAL, strings.Repeat("/", PathMax): nil, strings.Repeat("/", PathMax+1): ENAMETOOLONG} {
		if _, err := f.Lookup(root, path, true); err != want {
			t.Errorf("Lookup of %d bytes: %v, want %v", len(path), err, want)
		}
	}
	if err := f.Symlink(root, "a\x00b", "/l", 1); err != EINVAL {
		t.Errorf("Symlink to a NUL: %v", err)
	}
	if err := f.Rename(root, "/", "/x", 1); err != EBUSY {
		t.Errorf("Rename of the root: %v", err)
	}
	if err := f.Rmdir(root, "/", 1); err != EBUSY {
		t.Errorf("Rmdir of the root: %v", err)
	}
	if _, err := f.Open(root, "/x", O_CREAT|O_DIRECTORY, 0, 1); err != EINVAL {
		t.Errorf("O_CREAT|O_DIRECTORY: %v", err)
	}
}

// TestADeepTreeIsNoRecursion builds, walks, moves and rebuilds a chain of
// directories far deeper than a path can say.
func TestADeepTreeIsNoRecursion(t *testing.T) {
	f := New(nil, Limits{}, 0)
	long := strings.Repeat("/d", 1500)
	for n := 1; n <= 1500; n++ {
		f.Mkdir(root, long[:2*n], 0o755, 1)
	}
	const rounds = 10
	for i := range rounds {
		top := fmt.Sprintf("/t%d", i)
		f.Mkdir(root, top, 0o755, 1)
		if err := f.Rename(root, "/d", top+"/d", 1); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 1500; n++ {
			f.Mkdir(root, long[:2*n], 0o755, 1)
		}
		if err := f.Rename(root, top, long+"/x", 1); err != nil {
			t.Fatal(err)
		}
	}
	f = rebuild(t, f)
	p, ok := f.Path(1501) // the end of the first chain, now the lowest
	if deep := strings.Count(p, "/"); !ok || deep < (rounds+1)*1500 {
		t.Errorf("only %d deep", deep)
	}
}

// TestForksOnManyThreads writes to forks of one tree at once while others walk
// it; it is for the race detector.
func TestForksOnManyThreads(t *testing.T) {
	f := New(table(), Limits{}, 1)
	for i := range 200 {
		put(t, f, fmt.Sprintf("/f%d", i), strings.Repeat("x", 100*i))
	}
	want := viewOf(t, f)
	var wait sync.WaitGroup
	for g := range 4 {
		mine := f.Fork()
		wait.Add(2)
		go func() {
			defer wait.Done()
			for i := range 200 {
				p := fmt.Sprintf("/f%d", (i*7+g)%200)
				ino, _ := mine.Lookup(root, p, true)
				mine.Append(ino, []byte("more"), 2)
				mine.Rename(root, p, p+"x", 3)
				mine.Unlink(root, fmt.Sprintf("/f%dx", i), 4)
				mine.Chmod(root, "/usr/bin/cat", true, 0o700, 5)
				mine.Hold(ino)
				if i%20 == 0 {
					mine = mine.Fork()
				}
			}
		}()
		other := f.Fork()
		go func() {
			defer wait.Done()
			n := 0
			for r := range other.Records() {
				for _, p := range r.Pieces {
					n += int(p.Data[0])
				}
				other.ReadDirIno(r.Ino, "", 0)
			}
			Diff(other, other.Fork())
		}()
	}
	wait.Wait()
	if d := cmp.Diff(want, viewOf(t, f), sameBytes); d != "" {
		t.Errorf("a fork changed the tree it came from:\n%s", d)
	}
}

// TestErrnoIsTheSystems compares every number's text with what the system calls
// it, as far as it has one here.
func TestErrnoIsTheSystems(t *testing.T) {
	n := 0
	for e := Errno(1); e < 255; e++ {
		if e.Error() == "Unknown error" {
			continue
		}
		n++
		if got, want := e.Error(), syscall.Errno(e).Error(); !strings.EqualFold(got, want) {
			t.Errorf("errno %d: %q, want %q", e, got, want)
		}
	}
	for e, name := range errnoNames {
		if e.Error() == "Unknown error" {
			t.Errorf("%s has no text", name)
		}
	}
	if n < 30 {
		t.Errorf("only %d have a text", n)
	}
}
