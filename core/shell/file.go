package shell

import (
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// newFile takes a free slot of the open file table. The caller owns its one reference.
func (m *Machine) newFile(o OFD) int {
	o.Refs = 1
	i := m.taken
	for i < len(m.Files) && m.Files[i].Refs != 0 {
		i++
	}
	m.taken = i + 1
	if i == len(m.Files) {
		m.Files = append(m.Files, o)
	} else {
		m.Files[i] = o
	}
	return i
}

func (m *Machine) ref(file int) int {
	m.Files[file].Refs++
	return file
}

// unref drops a reference; the last one closes the file.
func (m *Machine) unref(file int) {
	o := &m.Files[file]
	if o.Refs--; o.Refs > 0 {
		return
	}
	switch o.Kind {
	case FileRegular:
		m.FS.Release(o.Ino)
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		if o.readable() {
			pp.Readers--
		}
		if o.writable() {
			pp.Writers--
		}
		if pp.Readers == 0 && pp.Writers == 0 {
			*pp = Pipe{}
		}
	}
	*o = OFD{}
	m.taken = min(m.taken, file)
}

// newPipe gives the read and the write end of a pipe.
func (m *Machine) newPipe() (r, w int) {
	i := 0
	for i < len(m.Pipes) && (m.Pipes[i].Readers > 0 || m.Pipes[i].Writers > 0 || m.Pipes[i].Ino != 0) {
		i++
	}
	if i == len(m.Pipes) {
		m.Pipes = append(m.Pipes, Pipe{})
	}
	m.Pipes[i] = Pipe{Readers: 1, Writers: 1}
	r = m.newFile(OFD{Kind: FilePipe, Pipe: i, Flags: vfs.O_RDONLY})
	w = m.newFile(OFD{Kind: FilePipe, Pipe: i, Flags: vfs.O_WRONLY})
	return r, w
}

// open opens a path for a process and gives a description the caller owns.
// errWait says that a FIFO has no other end yet.
func (m *Machine) open(p *Process, path string, flags int, perm uint32) (int, error) {
	if file, ok, err := m.openSpecial(p, m.byLetters(p, path), flags); ok || err != nil {
		return file, err
	}
	now := m.now()
	ino, err := m.FS.Open(m.at(p), path, flags, vfs.Mode(perm&^p.Umask), now)
	if err != nil {
		if _, none := m.statTool(p, path, err); none == nil {
			err = vfs.EACCES
		}
		return -1, err
	}
	st, err := m.FS.StatIno(ino)
	if err != nil {
		return -1, err
	}
	o := OFD{Kind: FileRegular, Flags: flags &^ (vfs.O_CREAT | vfs.O_EXCL | vfs.O_TRUNC), Ino: ino, Path: m.FS.OutsidePath(ino)}
	switch st.Mode & vfs.TypeMask {
	case vfs.TypeDir:
		if flags&vfs.O_ACCMODE != vfs.O_RDONLY {
			return -1, vfs.EISDIR
		}
		o.Kind = FileDir
	case vfs.TypeChar:
		if n, ok := ino.Fd(); ok { // a link of the script's to /dev/fd/N
			file, _, err := m.reopen(p, n, flags)
			return file, err
		}
		if st.Rdev == vfs.DevTTY {
			return -1, vfs.ENXIO // there is no terminal
		}
		o.Kind = deviceKind(st.Rdev)
	case vfs.TypeFifo:
		return m.openFifo(ino, flags, path)
	}
	if o.Kind == FileRegular {
		m.FS.Hold(ino)
	}
	return m.newFile(o), nil
}

func deviceKind(dev uint32) uint8 {
	switch dev {
	case vfs.DevZero:
		return FileZero
	case vfs.DevFull:
		return FileFull
	case vfs.DevRandom:
		return FileRandom
	}
	return FileNull
}

// openSpecial opens what belongs to the process: /dev/fd/N, /dev/stdin and their kin, /dev/tty.
func (m *Machine) openSpecial(p *Process, path string, flags int) (int, bool, error) {
	n, ok := devFD(path)
	if !ok {
		return -1, false, nil
	}
	return m.reopen(p, n, flags)
}

// docPipe is the longest here-document that is a pipe in bash; a longer one is a file.
const docPipe = 1 << 16

// isPiped reports whether a file is a here-document that cannot be read twice.
func (o *OFD) isPiped() bool { return o.Kind == FileText && len(o.Text) <= docPipe }

// reopen opens what a descriptor of the process refers to.
func (m *Machine) reopen(p *Process, n, flags int) (int, bool, error) {
	file, ok := p.fd(n)
	if !ok {
		return -1, true, vfs.ENOENT
	}
	o := m.Files[file]
	if o.Kind == FileRegular && o.readable() && flags&vfs.O_ACCMODE == vfs.O_RDONLY || o.Kind == FileText && !o.isPiped() {
		// Linux opens the file anew: its own offset
		o.Off, o.Flags = 0, flags&^(vfs.O_CREAT|vfs.O_EXCL|vfs.O_TRUNC)
		if o.Kind == FileRegular {
			m.FS.Hold(o.Ino)
		}
		return m.newFile(o), true, nil
	}
	if mode := flags & vfs.O_ACCMODE; o.Kind == FilePipe && mode != o.Flags&vfs.O_ACCMODE { // another end of it
		return m.newEnd(o.Pipe, mode), true, nil
	}
	return m.ref(file), true, nil
}

// newEnd opens a pipe once more, to read, write or both.
func (m *Machine) newEnd(pipe, mode int) int {
	o := OFD{Kind: FilePipe, Pipe: pipe, Flags: mode}
	if o.readable() {
		m.Pipes[pipe].Readers++
	}
	if o.writable() {
		m.Pipes[pipe].Writers++
	}
	return m.newFile(o)
}

func devFD(path string) (int, bool) {
	switch path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if len(path) > len(dir) && path[:len(dir)] == dir {
			return number(path[len(dir):])
		}
	}
	return 0, false
}

// number reads a non-negative decimal number.
func number(s string) (int, bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// openFifo joins the pipe of a FIFO. Opening one end waits for the other: the
// description is made at once and the process waits in WaitsOpen.
func (m *Machine) openFifo(ino vfs.Ino, flags int, path string) (int, error) {
	at := -1
	for i := range m.Pipes {
		if m.Pipes[i].Ino == ino {
			at = i
		}
	}
	if at < 0 {
		for at = 0; at < len(m.Pipes) && (m.Pipes[at].Readers > 0 || m.Pipes[at].Writers > 0 || m.Pipes[at].Ino != 0); at++ {
		}
		if at == len(m.Pipes) {
			m.Pipes = append(m.Pipes, Pipe{})
		}
		m.Pipes[at] = Pipe{Ino: ino}
	}
	m.Pipes[at].Opened |= 1 << (flags & vfs.O_ACCMODE)
	return m.newEnd(at, flags&vfs.O_ACCMODE), nil
}

// rendezvous reports whether a FIFO's description may be used: both ends have been there.
func (m *Machine) rendezvous(file int) bool {
	o := &m.Files[file]
	if o.Kind != FilePipe || m.Pipes[o.Pipe].Ino == 0 {
		return true
	}
	op := m.Pipes[o.Pipe].Opened
	return op&(1<<vfs.O_RDWR) != 0 || op&(1<<vfs.O_RDONLY) != 0 && op&(1<<vfs.O_WRONLY) != 0
}

// read gives bytes, io.EOF or cmd.ErrBlocked.
func (m *Machine) read(file int, buf []byte) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	o := &m.Files[file]
	if !o.readable() {
		return 0, vfs.EBADF
	}
	n, err := m.readKind(o, buf)
	if n > 0 {
		m.charge(n >> 8)
		m.Meter.Read += int64(n)
		return n, nil
	}
	return 0, err
}

func (m *Machine) readKind(o *OFD, buf []byte) (int, error) {
	switch o.Kind {
	case FileRegular:
		n, err := m.FS.ReadAt(o.Ino, buf, o.Off, m.Clock.Now)
		o.Off += int64(n)
		if n > 0 {
			return n, nil
		}
		if err == nil {
			err = io.EOF
		}
		return 0, err
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		if len(pp.Buf) == 0 {
			if pp.Writers > 0 || !m.rendezvousPipe(pp) {
				return 0, cmd.ErrBlocked
			}
			return 0, io.EOF
		}
		n := copy(buf, pp.Buf)
		if n == len(pp.Buf) {
			pp.Buf = pp.Buf[:0]
		} else {
			pp.Buf = pp.Buf[n:]
		}
		return n, nil
	case FileText, FileCapture:
		n := copy(buf, o.from(o.Off))
		if n == 0 && len(buf) > 0 {
			return 0, io.EOF
		}
		o.Off += int64(n)
		return n, nil
	case FileZero, FileFull:
		clear(buf)
		return len(buf), nil
	case FileRandom:
		for i := range buf {
			buf[i] = byte(m.Rand.next())
		}
		return len(buf), nil
	case FileStdin:
		return m.readStdin(buf)
	case FileDir:
		return 0, vfs.EISDIR
	}
	return 0, io.EOF
}

func (m *Machine) rendezvousPipe(pp *Pipe) bool {
	return pp.Ino == 0 || pp.Opened&(1<<vfs.O_WRONLY|1<<vfs.O_RDWR) != 0
}

func (m *Machine) readStdin(buf []byte) (int, error) {
	if len(m.IO.In) == 0 {
		if m.IO.InOpen {
			m.IO.InWanted = true
			return 0, cmd.ErrBlocked
		}
		return 0, io.EOF
	}
	n := copy(buf, m.IO.In)
	m.IO.In = m.IO.In[n:]
	return n, nil
}

// write puts bytes into a file. A full pipe takes what fits: n < len(b) and no
// error. EPIPE means that nobody can read them any more.
func (m *Machine) write(p *Process, file int, b []byte) (int, error) {
	o := &m.Files[file]
	if !o.writable() {
		return 0, vfs.EBADF
	}
	m.charge(len(b) >> 8)
	m.Meter.Written += int64(len(b))
	switch o.Kind {
	case FileRegular:
		if o.Flags&vfs.O_APPEND != 0 {
			st, err := m.FS.StatIno(o.Ino)
			if err != nil {
				return 0, err
			}
			o.Off = st.Size
		}
		room, err := m.fileRoom(p, o.Off, len(b))
		if err != nil {
			return 0, err
		}
		n, err := m.FS.WriteAt(o.Ino, b[:room], o.Off, m.now())
		o.Off += int64(n)
		return n, err
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		if pp.Readers == 0 && m.rendezvous(file) {
			return 0, vfs.EPIPE
		}
		room := int(m.Limits.Pipe) - len(pp.Buf)
		if m.Limits.Pipe == 0 {
			room = len(b)
		}
		n := min(max(room, 0), len(b))
		pp.Buf = append(pp.Buf, b[:n]...)
		return n, nil
	case FileCapture:
		m.retain(len(b))
		o.Text = collect(&o.Full, o.Text, b)
		m.hold(o.size())
		return len(b), nil
	case FileStdout, FileStderr:
		m.emit(int(o.Kind-FileStdout), b)
		return len(b), nil
	case FileFull:
		return 0, vfs.ENOSPC
	case FileText:
		return 0, vfs.EBADF
	}
	return len(b), nil
}

// emit hands output to the caller, cut at the output limit: flagged, and said once.
func (m *Machine) emit(stream int, b []byte) {
	if lim := m.Limits.Output; lim > 0 && !m.Run.Suspend {
		if m.IO.Cut[stream] {
			return
		}
		if left := lim - m.IO.Sent[stream]; int64(len(b)) > left {
			b = b[:max(left, 0)]
			m.IO.Cut[stream] = true
			defer m.sayCut(stream)
		}
	}
	m.IO.Sent[stream] += int64(len(b))
	if len(b) == 0 {
		return
	}
	if n := len(m.IO.Out); n > 0 && m.IO.Out[n-1].Stream == stream+1 && len(m.IO.Out[n-1].Data) < 1<<20 {
		m.IO.Out[n-1].Data = append(m.IO.Out[n-1].Data, b...)
		return
	}
	m.IO.Out = append(m.IO.Out, Chunk{stream + 1, append(make([]byte, 0, len(b)+32), b...)})
}

// overflows reports whether a stream has passed the output limit. A run that is
// suspended there loses nothing: its last write went over it.
func (m *Machine) overflows() bool {
	lim := m.Limits.Output
	return lim > 0 && max(m.IO.Sent[0], m.IO.Sent[1]) > lim
}

func (m *Machine) sayCut(stream int) {
	name := [2]string{"stdout", "stderr"}[stream]
	m.IO.Out = append(m.IO.Out, Chunk{2, []byte("eryxsh: " + name + " is beyond the output limit: the rest is cut\n")})
}

// send writes to a descriptor of a process in order. What a full pipe does not
// take waits in the process's queue, and the process with it.
func (m *Machine) send(p *Process, num int, b []byte) error {
	file, ok := p.fd(num)
	if !ok {
		return vfs.EBADF
	}
	return m.sendFile(p, file, b)
}

func (m *Machine) sendFile(p *Process, file int, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n := 0
	if len(p.Queue) == 0 {
		var err error
		if n, err = m.write(p, file, b); err != nil {
			m.broken(p, err)
			return err
		}
	} else if !m.Files[file].writable() {
		return vfs.EBADF
	}
	if n < len(b) && m.Files[file].Kind == FileRegular { // at the limit of ulimit -f
		_, err := m.write(p, file, b[n:])
		return err
	}
	if n < len(b) {
		m.ref(file)
		p.Queue = append(p.Queue, Segment{file, large.Push(nil, b[n:], &procEnv{m: m})})
		m.hold(len(b))
	}
	return nil
}

// broken sends SIGPIPE to who has written to a pipe that nobody reads.
func (m *Machine) broken(p *Process, err error) {
	if u := p.utilityOnTop(); err == vfs.EPIPE && (u == nil || !u.Bold) {
		m.signal(p, sigPIPE)
	}
}

// drain writes what waits in the queue; it reports whether the queue is empty.
func (m *Machine) drain(p *Process) bool {
	for len(p.Queue) > 0 {
		s := &p.Queue[0]
		n, err := m.write(p, s.File, s.Data)
		if err != nil {
			for _, s := range p.Queue {
				m.unref(s.File)
			}
			p.Queue = nil
			m.broken(p, err)
			if u := p.utilityOnTop(); u != nil && !u.Bold && len(p.Signal) == 0 {
				m.writeFailed(p, u, err)
			}
			return true
		}
		if n < len(s.Data) {
			s.Data = s.Data[n:]
			return false
		}
		m.unref(s.File)
		p.Queue = p.Queue[1:]
	}
	p.Queue = nil
	return true
}
