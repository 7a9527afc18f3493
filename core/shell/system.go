package shell

import (
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// sysCtx is the machine as one utility sees it: package cmd's System.
type sysCtx struct {
	m *Machine
	p *Process
	u *Util
	c *cmd.Ctx
}

var _ cmd.System = (*sysCtx)(nil)

// firstFD is where a utility's own descriptors begin, out of the way of the script's.
const firstFD = 100

func (s *sysCtx) add(file int) int {
	n := s.p.free(firstFD)
	s.p.put(n, file, true)
	s.u.Fds = append(s.u.Fds, n)
	return n
}

func (s *sysCtx) Open(path string, flags int, perm uint32) (int, error) {
	if len(s.p.FDs) >= s.m.openFiles(s.p) {
		return -1, vfs.EMFILE
	}
	s.m.charge(8)
	file, err := s.m.open(s.p, path, flags, perm)
	if err != nil {
		return -1, err
	}
	return s.add(file), nil
}

func (s *sysCtx) Read(fd int, p []byte) (int, error) {
	file, ok := s.p.fd(fd)
	if !ok {
		return 0, vfs.EBADF
	}
	if most := s.m.rt.short; most > 0 && len(p) > most {
		p = p[:most]
	}
	return s.m.read(file, p)
}

func (s *sysCtx) Write(fd int, p []byte) error {
	if fd == 1 {
		s.Flush()
	}
	return s.m.send(s.p, fd, p)
}

func (s *sysCtx) Flush() {
	_ = s.m.flushUtil(s.p, s.u, true) // what stands in Errout was not held back, as what is in Out
}

func (s *sysCtx) IgnorePipe() { s.u.Bold = true }

func (s *sysCtx) Pending() int {
	n := len(s.c.Out.B)
	for _, q := range s.p.Queue {
		n += len(q.Data)
	}
	return n
}

func (s *sysCtx) Close(fd int) error {
	file := s.p.take(fd)
	if file < 0 {
		return vfs.EBADF
	}
	s.m.unref(file)
	for i, n := range s.u.Fds {
		if n == fd {
			s.u.Fds = append(s.u.Fds[:i], s.u.Fds[i+1:]...)
			break
		}
	}
	return nil
}

func (s *sysCtx) Seek(fd int, off int64, whence int) (int64, error) {
	file, ok := s.p.fd(fd)
	if !ok {
		return 0, vfs.EBADF
	}
	o := &s.m.Files[file]
	size := int64(0)
	switch o.Kind {
	case FileRegular:
		st, err := s.m.FS.StatIno(o.Ino)
		if err != nil {
			return 0, err
		}
		size = st.Size
	case FileText:
		if o.isPiped() {
			return 0, vfs.ESPIPE
		}
		size = int64(len(o.Text))
	case FileNull, FileZero, FileFull:
	default:
		return 0, vfs.ESPIPE
	}
	switch whence {
	case 1:
		off += o.Off
	case 2:
		off += size
	}
	if off < 0 {
		return 0, vfs.EINVAL
	}
	o.Off = off
	return off, nil
}

func (s *sysCtx) Fstat(fd int) (vfs.Stat, error) {
	file, ok := s.p.fd(fd)
	if !ok {
		return vfs.Stat{}, vfs.EBADF
	}
	return s.m.fstat(file)
}

// fstat describes an open file; what has no inode looks like what Linux would show.
func (m *Machine) fstat(file int) (vfs.Stat, error) {
	o := &m.Files[file]
	switch o.Kind {
	case FileRegular, FileDir:
		return m.FS.StatIno(o.Ino)
	case FilePipe:
		if ino := m.Pipes[o.Pipe].Ino; ino != 0 {
			return m.FS.StatIno(ino)
		}
		return vfs.Stat{Mode: vfs.TypeFifo | 0o600, Nlink: 1, Ino: vfs.Ino(1<<40 + file)}, nil
	case FileText:
		if o.isPiped() {
			return vfs.Stat{Mode: vfs.TypeFifo | 0o600, Nlink: 1, Ino: vfs.Ino(1<<40 + file)}, nil
		}
		return vfs.Stat{Mode: vfs.TypeFile | 0o600, Size: int64(len(o.Text)), Nlink: 1, Ino: vfs.Ino(1<<40 + file)}, nil
	case FileStdin, FileStdout, FileStderr, FileCapture:
		if o.Kind == FileStdin && len(m.IO.In) == 0 && !m.IO.InOpen { // nothing is given: as if it were /dev/null
			return vfs.Stat{Mode: vfs.TypeChar | 0o666, Nlink: 1, Rdev: vfs.DevNull, Ino: vfs.Ino(1<<40 + int(o.Kind))}, nil
		}
		return vfs.Stat{Mode: vfs.TypeFifo | 0o600, Nlink: 1, Ino: vfs.Ino(1<<40 + int(o.Kind))}, nil
	}
	dev := map[uint8]uint32{FileNull: vfs.DevNull, FileZero: vfs.DevZero, FileFull: vfs.DevFull, FileRandom: vfs.DevRandom}[o.Kind]
	return vfs.Stat{Mode: vfs.TypeChar | 0o666, Nlink: 1, Rdev: dev, Ino: vfs.Ino(1<<40 + int(o.Kind))}, nil
}

func (s *sysCtx) IsTTY(int) bool { return false }

func (s *sysCtx) Broken(fd int) bool {
	file, ok := s.p.fd(fd)
	return ok && s.m.Files[file].Kind == FilePipe && s.m.Pipes[s.m.Files[file].Pipe].Readers == 0 && s.m.rendezvous(file)
}

// callWork is about what a call that names a file costs.
const callWork = 8

// cred is who asks, for a call that names a file, which is charged.
func (s *sysCtx) cred() vfs.Cred {
	s.m.charge(callWork)
	return s.m.at(s.p)
}

func (s *sysCtx) Stat(path string) (vfs.Stat, error) {
	if n, ok := devFD(s.m.byLetters(s.p, path)); ok {
		if _, open := s.p.fd(n); !open {
			return vfs.Stat{}, vfs.ENOENT
		}
		return s.Fstat(n)
	}
	st, err := s.m.FS.Stat(s.cred(), path)
	if err != nil {
		return s.m.statTool(s.p, path, err)
	}
	return st, nil
}

func (s *sysCtx) Lstat(path string) (vfs.Stat, error) {
	if n, ok := devFD(s.m.byLetters(s.p, path)); ok {
		if _, open := s.p.fd(n); !open {
			return vfs.Stat{}, vfs.ENOENT
		}
		if st, err := s.m.FS.Lstat(s.cred(), path); err == nil {
			return st, nil
		}
		return s.Fstat(n)
	}
	st, err := s.m.FS.Lstat(s.cred(), path)
	if err != nil {
		return s.m.statTool(s.p, path, err)
	}
	return st, nil
}

func (s *sysCtx) ReadDir(path, after string, n int) ([]vfs.Dirent, error) {
	if dir := strings.TrimRight(s.m.byLetters(s.p, path), "/"); dir == "/dev/fd" || dir == "/proc/self/fd" {
		return s.openFiles(after, n), nil
	}
	l, err := s.m.FS.ReadDir(s.cred(), path, after, n)
	s.m.charge(len(l))
	return l, err
}

// openFiles lists the descriptors, as /dev/fd does.
func (s *sysCtx) openFiles(after string, n int) []vfs.Dirent {
	var names []string
	for _, d := range s.p.FDs {
		if name := itoa(d.Num); name > after {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var list []vfs.Dirent
	for _, name := range names[:min(n, len(names))] {
		num, _ := number(name)
		st, _ := s.Fstat(num)
		list = append(list, vfs.Dirent{Name: name, Ino: st.Ino, Type: st.Mode & vfs.TypeMask})
	}
	return list
}

func (s *sysCtx) Access(path string, mode uint32) error {
	s.m.charge(callWork)
	return s.m.access(s.p, path, int(mode))
}

func (s *sysCtx) Mkdir(path string, perm uint32) error {
	return s.m.FS.Mkdir(s.cred(), path, vfs.Mode(perm&^s.p.Umask), s.m.now())
}

func (s *sysCtx) Rmdir(path string) error {
	return s.m.Removing(func() error { return s.m.FS.Rmdir(s.cred(), path, s.m.now()) })
}

func (s *sysCtx) Unlink(path string) error {
	return s.m.FS.Unlink(s.cred(), path, s.m.now())
}

func (s *sysCtx) Rename(from, to string) error {
	return s.m.Removing(func() error { return s.m.FS.Rename(s.cred(), from, to, s.m.now()) })
}

func (s *sysCtx) Link(from, to string) error {
	return s.m.FS.Link(s.cred(), from, to, false, s.m.now())
}

func (s *sysCtx) Symlink(target, path string) error {
	return s.m.FS.Symlink(s.cred(), target, path, s.m.now())
}

func (s *sysCtx) Readlink(path string) (string, error) {
	return s.m.FS.Readlink(s.cred(), path)
}

func (s *sysCtx) Mkfifo(path string, perm uint32) error {
	return s.m.FS.Mkfifo(s.cred(), path, vfs.Mode(perm&^s.p.Umask), s.m.now())
}

func (s *sysCtx) Chmod(path string, perm uint32) error {
	return s.m.FS.Chmod(s.cred(), path, true, vfs.Mode(perm), s.m.now())
}

func (s *sysCtx) Chown(path string, uid, gid int, follow bool) error {
	return s.m.FS.Chown(s.cred(), path, follow, int64(uid), int64(gid), s.m.now())
}

func (s *sysCtx) Utimes(path string, atime, mtime int64, follow bool) error {
	return s.m.FS.Utimes(s.cred(), path, follow, atime, mtime, s.m.now())
}

func (s *sysCtx) Truncate(path string, size int64) error {
	return s.m.FS.Truncate(s.cred(), path, size, s.m.now())
}

func (s *sysCtx) Getenv(name string) (string, bool) {
	if name == "_" {
		if path, ok := s.m.commandPath(s.p); ok {
			return path, true
		}
	}
	v := s.p.Shell.Vars.Get(name)
	if exported(v) {
		return v.String(), true
	}
	for hidden, v := range s.p.hidden() {
		if hidden == name {
			return v.String(), true
		}
	}
	if name, ok := passedFunc(name); ok {
		if fn, ok := s.p.Shell.Funcs.Get(name); ok && fn.Export {
			return functionValue(fn), true
		}
	}
	return "", false
}

// Environ has what the shell exports, functions too, and _ as bash sets it.
func (s *sysCtx) Environ() []string { return s.m.environ(s.p) }

func (s *sysCtx) Dir() (string, error) { return s.m.physical(s.p) }
func (s *sysCtx) Umask() uint32        { return s.p.Umask }
func (s *sysCtx) Niceness() int        { return s.p.niceness() }

func (s *sysCtx) Ignored() (sigs []int) {
	for _, t := range ignored(s.p.Shell.Traps) {
		sigs = append(sigs, t.Signal)
	}
	return sigs
}
func (s *sysCtx) UID() int         { return int(s.m.Host.UID) }
func (s *sysCtx) GID() int         { return int(s.m.Host.GID) }
func (s *sysCtx) User() string     { return s.m.Host.User }
func (s *sysCtx) Hostname() string { return s.m.Host.Hostname }
func (s *sysCtx) PID() int         { return s.p.PID }

// Statfs has nothing of what is mounted: that is the host's.
func (s *sysCtx) Statfs() vfs.Statfs { return s.m.FS.Statfs() }

func (s *sysCtx) Now() int64   { return s.m.now() }
func (s *sysCtx) Rand() uint64 { return s.m.Rand.next() }
func (s *sysCtx) Charge(n int) { s.m.charge(n) }

// Hold declares the state a utility keeps, against the memory limit.
func (s *sysCtx) Hold(n int) {
	if s.u.Held < heldMuch && n >= heldMuch {
		s.m.beginsToHold()
	}
	more := n - s.u.Held
	s.u.Held, s.m.rt.made = n, 0
	if more > 0 {
		s.m.retain(more)
	}
	total := 0
	for _, p := range s.m.Procs {
		if l := len(p.Frames); l > 0 && p.Frames[l-1].X != nil && p.Frames[l-1].X.Util != nil {
			total += p.Frames[l-1].X.Util.Held
		}
	}
	s.m.hold(total)
}

// Need asks for n bytes beside what is held, what was asked for in this turn, and what waits to be written.
func (s *sysCtx) Need(n int) {
	wait := int64(len(s.c.Out.B) + len(s.c.Errout.B))
	s.m.rt.made += wait
	s.m.needMore(int64(n))
	s.m.rt.made = max(s.m.rt.made-wait, 0)
}

func (s *sysCtx) Pipe() (r, w int, err error) {
	rf, wf := s.m.newPipe()
	return s.add(rf), s.add(wf), nil
}

func (s *sysCtx) Spawn(sp cmd.Spawn) (int, error) {
	if len(sp.Argv) == 0 {
		return 0, vfs.EINVAL
	}
	s.Flush()
	c, err := s.m.spawn(s.p, sp)
	if err != nil {
		s.m.exit(c, 126)
		s.m.remove(c.PID)
		return 0, err
	}
	if err := s.canRun(c, sp.Argv[0]); err != nil {
		s.m.exit(c, 127)
		s.m.remove(c.PID)
		return 0, err
	}
	s.u.Kids = append(s.u.Kids, c.PID)
	s.m.runSpawned(c, sp.Argv)
	return c.PID, nil
}

func (s *sysCtx) CanRun(sp cmd.Spawn) error {
	if len(sp.Argv) == 0 {
		return vfs.EINVAL
	}
	as := Process{PID: s.p.PID, Cwd: s.p.Cwd, Place: Place{Dir: s.p.Place.Dir}, Shell: s.p.Shell}
	if sp.Dir != "" {
		dir, err := s.m.FS.Lookup(s.m.at(&as), sp.Dir, true)
		if err != nil {
			return err
		}
		as.Cwd, as.Place.Dir = s.m.abs(&as, sp.Dir), dir
	}
	for _, kv := range slices.Backward(sp.Env) {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			if path != s.m.pathVar(s.p) {
				as.Shell = &Shell{Vars: vars.NewTable()}
				as.Shell.Vars.Bind("PATH", vars.New(path, 0))
			}
			break
		}
	}
	return s.canRun(&as, sp.Argv[0])
}

// canRun says why a process cannot run a command, nil if it can.
func (s *sysCtx) canRun(p *Process, name string) error {
	if _, tool := s.m.Tools.Get(name); tool {
		return nil
	}
	path, err := s.m.find(p, name)
	switch {
	case err == nil:
		if _, _, err = s.m.image(p, path, []string{name}); err == errBinary { // which the shell tells that it is given to
			err = nil
		}
	case err == errNotFound:
		if err = vfs.ENOENT; s.m.inPath(p, name, vfs.EISDIR) { // execvp, unlike the shell, minds a directory
			err = vfs.EACCES
		}
	case err == vfs.EISDIR:
		err = vfs.EACCES
	}
	return err
}

func (s *sysCtx) Reap() (pid, status int, ok bool) {
	for i, k := range s.u.Kids {
		c := s.m.proc(k)
		if c != nil && !c.Dead {
			continue
		}
		if c != nil {
			status = c.Status
			s.m.remove(k)
		}
		s.u.Kids = append(s.u.Kids[:i:i], s.u.Kids[i+1:]...)
		return k, status, true
	}
	return 0, 0, false
}

func (s *sysCtx) Kill(pid, sig int) error {
	c := s.m.proc(pid)
	if c == nil || c.Dead { // a shell waits for its children at once
		return vfs.ESRCH
	}
	s.m.signal(c, sig)
	return nil
}

func (s *sysCtx) Unsupported(what string) {
	for _, w := range s.m.IO.Missing {
		if w == what {
			return
		}
	}
	s.m.IO.Missing = append(s.m.IO.Missing, what)
}

func (s *sysCtx) Turn(n int) int {
	if s.m.rt.short > 0 {
		return min(n, shortTurn)
	}
	return n
}

// shortTurn is how many units of work a turn is when a test asks for short ones.
const shortTurn = 3

func (s *sysCtx) RegexSteps() int { return int(s.m.limit(s.m.Limits.RegexSteps)) }
