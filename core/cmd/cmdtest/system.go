package cmdtest

import (
	"io"
	"path"
	"sort"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// cred is who the utilities run as.
var cred = vfs.Cred{UID: 1000, GID: 1000}

// system is the fake machine of one Run.
type system struct {
	t      testing.TB
	run    Run
	ctx    *cmd.Ctx // whose buffers Flush writes
	queued int      // bytes written since the last WaitWrite, when stdin is split
	fs     *vfs.FS
	env    map[string]string
	now    int64
	rand   uint64
	turns  int
	slept  int
	files  map[int]*file
	stdin  []byte
	paused bool // the next read of stdin blocks once more
	split  uint64
	stdout []byte
	stderr []byte

	unsupported []string
	refused     bool
	kids        kids
}

// kids are the children that were spawned: each has ended at once.
type kids struct {
	count  int
	ended  [][2]int // pid, status
	waited bool
}

// file is an open file.
type file struct {
	ino   vfs.Ino
	off   int64
	flags int
}

func newSystem(t testing.TB, r Run) *system {
	t.Helper()
	s := &system{t: t, run: r, fs: r.FS, now: Epoch, rand: 42, split: r.Split, stdin: []byte(r.Stdin), files: map[int]*file{}}
	if s.fs == nil {
		s.fs = NewFS(t)
	}
	writeFiles(t, s.fs, r.Files)
	s.env = map[string]string{"HOME": Home, "PATH": "/usr/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
	for k, v := range r.Env {
		s.env[k] = v
	}
	s.paused = r.Split != 0
	return s
}

func (s *system) context() *cmd.Ctx {
	s.ctx = &cmd.Ctx{Name: s.run.Name, System: s}
	return s.ctx
}

// settle writes what a turn left in its buffers.
func (s *system) settle(c *cmd.Ctx) {
	s.stderr = append(s.stderr, c.Errout.B...)
	c.Errout.B = c.Errout.B[:0]
	s.Flush()
	s.now += 1000
}

func (s *system) Flush() {
	s.stdout = append(s.stdout, s.ctx.Out.B...)
	if s.run.Split != 0 {
		s.queued += len(s.ctx.Out.B)
	}
	s.ctx.Out.B = s.ctx.Out.B[:0]
}

func (s *system) result(status int) Result {
	return Result{
		Stdout: string(s.stdout), Stderr: string(s.stderr), Status: status,
		Unsupported: s.unsupported, Refused: s.refused, Turns: s.turns, FS: s.fs,
	}
}

func (s *system) abs(p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	if p == "" {
		return ""
	}
	return Home + "/" + p
}

func (s *system) Open(p string, flags int, perm uint32) (int, error) {
	ino, err := s.fs.Open(cred, s.abs(p), flags, vfs.Mode(perm)&^0o022, s.now)
	if err != nil {
		return 0, err
	}
	if fd, ok := ino.Fd(); ok {
		if f := s.files[fd]; f != nil || fd > 2 {
			return s.put(f), nil
		}
		return fd, nil
	}
	return s.put(&file{ino: ino, flags: flags}), nil
}

func (s *system) put(f *file) int {
	fd := 3
	for s.files[fd] != nil {
		fd++
	}
	s.files[fd] = f
	return fd
}

func (s *system) Read(fd int, p []byte) (int, error) {
	if fd == 0 && s.files[0] == nil {
		return s.readStdin(p)
	}
	f := s.files[fd]
	if f == nil {
		return 0, vfs.EBADF
	}
	n, err := s.fs.ReadAt(f.ino, p[:s.Turn(len(p))], f.off, s.now)
	f.off += int64(n)
	if err == nil && n == 0 && len(p) > 0 {
		err = io.EOF
	}
	return n, err
}

func (s *system) readStdin(p []byte) (int, error) {
	if s.paused {
		return 0, cmd.ErrBlocked
	}
	if len(s.stdin) == 0 {
		return 0, io.EOF
	}
	n := s.Turn(len(s.stdin))
	if s.split != 0 {
		s.split = s.split*6364136223846793005 + 1442695040888963407
		n = 1 + int(s.split>>33)%7
		if s.split>>40%5 == 0 {
			n *= 100
		}
		s.paused = s.split>>50%2 == 0
	}
	n = copy(p, s.stdin[:min(n, len(s.stdin))])
	s.stdin = s.stdin[n:]
	return n, nil
}

func (s *system) Write(fd int, p []byte) error {
	switch f := s.files[fd]; {
	case f != nil && f.flags&vfs.O_APPEND != 0:
		_, err := s.fs.Append(f.ino, p, s.now)
		return err
	case f != nil:
		n, err := s.fs.WriteAt(f.ino, p, f.off, s.now)
		f.off += int64(n)
		return err
	case fd == 1:
		s.Flush()
		s.stdout = append(s.stdout, p...)
	case fd == 2:
		s.stderr = append(s.stderr, p...)
	default:
		return vfs.EBADF
	}
	return nil
}

func (s *system) Pending() int { return s.queued }

func (s *system) Close(fd int) error {
	if s.files[fd] == nil {
		return vfs.EBADF
	}
	delete(s.files, fd)
	return nil
}

func (s *system) Seek(fd int, off int64, whence int) (int64, error) {
	f := s.files[fd]
	if f == nil {
		return 0, vfs.ESPIPE
	}
	switch whence {
	case io.SeekCurrent:
		off += f.off
	case io.SeekEnd:
		st, err := s.fs.StatIno(f.ino)
		if err != nil {
			return 0, err
		}
		off += st.Size
	}
	if off < 0 {
		return 0, vfs.EINVAL
	}
	f.off = off
	return off, nil
}

func (s *system) Fstat(fd int) (vfs.Stat, error) {
	if f := s.files[fd]; f != nil {
		return s.fs.StatIno(f.ino)
	}
	if fd < 3 {
		return vfs.Stat{Mode: vfs.TypeFifo | 0o600}, nil
	}
	return vfs.Stat{}, vfs.EBADF
}

func (s *system) IsTTY(int) bool                     { return false }
func (s *system) Broken(int) bool                    { return false }
func (s *system) Stat(p string) (vfs.Stat, error)    { return s.fs.Stat(cred, s.abs(p)) }
func (s *system) Lstat(p string) (vfs.Stat, error)   { return s.fs.Lstat(cred, s.abs(p)) }
func (s *system) Access(p string, mode uint32) error { return s.fs.Access(cred, s.abs(p), int(mode)) }
func (s *system) Rmdir(p string) error               { return s.fs.Rmdir(cred, s.abs(p), s.now) }
func (s *system) Unlink(p string) error              { return s.fs.Unlink(cred, s.abs(p), s.now) }
func (s *system) Readlink(p string) (string, error)  { return s.fs.Readlink(cred, s.abs(p)) }
func (s *system) Truncate(p string, n int64) error   { return s.fs.Truncate(cred, s.abs(p), n, s.now) }
func (s *system) Symlink(target, p string) error     { return s.fs.Symlink(cred, target, s.abs(p), s.now) }
func (s *system) Rename(from, to string) error {
	return s.fs.Rename(cred, s.abs(from), s.abs(to), s.now)
}
func (s *system) Link(from, to string) error {
	return s.fs.Link(cred, s.abs(from), s.abs(to), false, s.now)
}
func (s *system) Mkdir(p string, perm uint32) error {
	return s.fs.Mkdir(cred, s.abs(p), vfs.Mode(perm)&^0o022, s.now)
}
func (s *system) Mkfifo(p string, perm uint32) error {
	return s.fs.Mkfifo(cred, s.abs(p), vfs.Mode(perm)&^0o022, s.now)
}
func (s *system) Chmod(p string, perm uint32) error {
	return s.fs.Chmod(cred, s.abs(p), true, vfs.Mode(perm), s.now)
}
func (s *system) Chown(p string, u, g int, f bool) error {
	return s.fs.Chown(cred, s.abs(p), f, int64(u), int64(g), s.now)
}
func (s *system) Utimes(p string, a, m int64, f bool) error {
	return s.fs.Utimes(cred, s.abs(p), f, a, m, s.now)
}

func (s *system) ReadDir(p, after string, n int) ([]vfs.Dirent, error) {
	return s.fs.ReadDir(cred, s.abs(p), after, n)
}

func (s *system) Statfs() vfs.Statfs { return s.fs.Statfs() }

func (s *system) Getenv(name string) (string, bool) { v, ok := s.env[name]; return v, ok }

func (s *system) Environ() []string {
	var all []string
	for k, v := range s.env {
		all = append(all, k+"="+v)
	}
	sort.Strings(all)
	return all
}

func (s *system) IgnorePipe() {}

func (s *system) Dir() (string, error) { return path.Clean(Home), nil }
func (s *system) Umask() uint32        { return 0o022 }
func (s *system) Niceness() int        { return 0 }
func (s *system) Ignored() []int       { return nil }
func (s *system) UID() int             { return int(cred.UID) }
func (s *system) GID() int             { return int(cred.GID) }
func (s *system) User() string         { return "user" }
func (s *system) Hostname() string     { return "sandbox" }
func (s *system) PID() int             { return 100 }
func (s *system) Now() int64           { return s.now }
func (s *system) Charge(int)           {}
func (s *system) Hold(int)             {}
func (s *system) RegexSteps() int      { return 10_000_000 }
func (s *system) Need(int)             {}

// shortTurns is how many turns of a run are short: enough to stop at every place, and an end for those that do much.
const shortTurns = 400

func (s *system) Turn(n int) int {
	if s.run.Short > 0 && s.turns < shortTurns {
		return min(n, s.run.Short)
	}
	return n
}

func (s *system) Rand() uint64 {
	s.rand += 0x9e3779b97f4a7c15
	z := s.rand
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *system) Spawn(sp cmd.Spawn) (int, error) {
	if s.run.Spawn == nil {
		return 0, vfs.ENOENT
	}
	var in string
	if sp.Stdin >= 0 {
		data, _ := io.ReadAll(&reader{s, sp.Stdin})
		in = string(data)
	}
	s.kids.count++
	out, status := s.run.Spawn(sp, in)
	fd := sp.Stdout
	if fd == 0 {
		fd = 1
	}
	s.Write(fd, []byte(out))
	s.kids.ended = append(s.kids.ended, [2]int{100 + s.kids.count, status})
	return 100 + s.kids.count, nil
}

func (s *system) CanRun(cmd.Spawn) error {
	if s.run.Spawn == nil {
		return vfs.ENOENT
	}
	return nil
}

func (s *system) Reap() (pid, status int, ok bool) {
	if len(s.kids.ended) == 0 {
		return 0, 0, false
	}
	e := s.kids.ended[0]
	s.kids.ended = s.kids.ended[1:]
	return e[0], e[1], true
}

func (s *system) Kill(int, int) error { return nil }
func (s *system) Processes() []cmd.Process {
	return []cmd.Process{{PID: s.PID(), PPID: 1, PGID: s.PID(), Args: []string{"test"}, Self: true}}
}
func (s *system) Unsupported(what string) { s.unsupported = append(s.unsupported, what) }
