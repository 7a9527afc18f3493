package awk

import (
	"slices"
	"sort"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Stream is an open redirection: what print > file, print | cmd, getline < file,
// cmd | getline and the two-way |& have opened under a name.
type Stream struct {
	Name string `cbor:"1,keyasint,omitempty"`
	Kind uint8  `cbor:"2,keyasint,omitempty"` // redirFile, redirAppend, redirPipe, redirCoproc, or those plus streamIn
	FD   int    `cbor:"3,keyasint,omitempty"` // to write to; 1 and 2 are this program's own; 0: not open
	In   Reader `cbor:"4,keyasint,omitempty"` // to read from
	PID  int    `cbor:"5,keyasint,omitempty"` // of the command
	Out  []byte `cbor:"6,keyasint,omitempty"` // printed and not written yet
}

// streamIn marks the kinds that are read.
const streamIn = 16

// redirInPlace is the kind of the file that standard output goes to with -i inplace.
const redirInPlace = 64

// buffered is how much a stream keeps before it writes.
const buffered = 8 << 10

// stream finds an open stream and moves it to the front: at exit, streams are
// closed in the order of their last use, as gawk does.
func (p *Program) stream(kind uint8, name string) *Stream {
	if kind == redirAppend {
		kind = redirFile
	}
	for i := range p.Streams {
		if s := &p.Streams[i]; s.Kind == kind && s.Name == name {
			if i > 0 {
				x := *s
				copy(p.Streams[1:], p.Streams[:i])
				p.Streams[0] = x
			}
			return &p.Streams[0]
		}
	}
	return nil
}

func (p *Program) addStream(s Stream) *Stream {
	s.Name = strings.Clone(s.Name)
	p.Streams = slices.Insert(p.Streams, 0, s)
	return &p.Streams[0]
}

var redirText = [...]string{"", ">", ">>", "|", "|&"}

// output opens, or finds, what print writes to.
func (p *Program) output(kind uint8, name string) *Stream {
	if name == "" {
		p.fatal("expression for `%s' redirection has null string value", redirText[kind])
	}
	if s := p.stream(kind, name); s != nil && (s.FD != 0 || kind != redirCoproc) {
		return s
	} else if s != nil {
		p.fatal("print: attempt to write to closed write end of two-way pipe")
	}
	switch kind {
	case redirPipe, redirCoproc:
		return p.command(kind, name)
	}
	s := Stream{Kind: redirFile, Name: name}
	switch name {
	case "/dev/stdout", "-", "/dev/fd/1":
		s.FD = 1
	case "/dev/stderr", "/dev/fd/2":
		s.FD = 2
	default:
		flags := vfs.O_WRONLY | vfs.O_CREAT | vfs.O_TRUNC
		if kind == redirAppend {
			flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_APPEND
		}
		fd, err := p.c.Open(name, flags, 0o666)
		if err != nil {
			p.fatal("cannot redirect to `%s': %s", name, err)
		}
		s.FD = fd
	}
	return p.addStream(s)
}

// command starts a command with a pipe to or from it, or both.
func (p *Program) command(kind uint8, name string) *Stream {
	p.flushAll()
	s := Stream{Kind: kind, Name: name}
	spawn := cmd.Spawn{Argv: []string{"sh", "-c", name}, Env: p.environ(), Stdout: p.editing()}
	var err error
	var theirs []int
	pipe := func() (r, w int) {
		if err == nil {
			if r, w, err = p.c.Pipe(); err == nil {
				return r, w
			}
		}
		return -1, -1
	}
	if kind == redirPipe || kind == redirCoproc {
		r, w := pipe()
		s.FD, spawn.Stdin = w, r
		theirs = append(theirs, r)
	}
	if kind != redirPipe {
		r, w := pipe()
		s.In, spawn.Stdout = Reader{FD: r}, w
		theirs = append(theirs, w)
	}
	if err == nil {
		s.PID, err = p.c.Spawn(spawn)
	}
	if err != nil {
		p.fatal("cannot open pipe `%s': %s", name, err)
	}
	for _, fd := range theirs {
		p.c.Close(fd)
	}
	return p.addStream(s)
}

// environ is ENVIRON as children get it.
func (p *Program) environ() []string {
	v := p.Globals[slotENVIRON]
	if v.K != Arr {
		return nil
	}
	var env []string
	p.Heap[v.R].each(p.c, func(k Key, v *Value) {
		if v.K != Arr {
			env = append(env, k.text()+"="+p.str(v))
		}
	})
	sort.Strings(env)
	return env
}

// nextFrom reads a record from a file or a command.
func (p *Program) nextFrom(kind uint8, name string) (string, got) {
	if name == "" {
		p.fatal("expression for `%s' redirection has null string value", [...]string{"", "<", "", "|", "|&"}[kind])
	}
	key := kind
	if kind != redirCoproc {
		key += streamIn
	}
	s := p.stream(key, name)
	if s == nil {
		if kind == redirFile {
			fd, err := p.openInput(name)
			if err != nil {
				p.failed(err)
				return "", gotError
			}
			s = p.addStream(Stream{Kind: key, Name: name, In: Reader{FD: fd}})
		} else {
			s = p.command(key, name)
		}
	}
	if kind == redirCoproc {
		p.flush(s)
	}
	rec, rt, how, err := p.record(&s.In)
	switch how {
	case gotRecord:
		p.setRT(rt)
	case gotError:
		p.failed(err)
	}
	return rec, how
}

// failed notes an error of the system in ERRNO and PROCINFO["errno"].
func (p *Program) failed(err error) {
	n, _ := err.(vfs.Errno)
	p.setErrno(err.Error(), n)
}

func (p *Program) setErrno(text string, n vfs.Errno) {
	p.Globals[slotERRNO] = str(text)
	if info := p.Globals[slotPROCINFO]; info.K == Arr {
		p.put(info.R, Key{S: "errno"}, num(float64(n)))
	}
}

func (p *Program) openInput(name string) (int, error) {
	if name == "-" || name == "/dev/stdin" {
		return 0, nil
	}
	fd, err := p.c.Open(name, vfs.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	if st, err := p.c.Fstat(fd); err == nil && st.Mode.IsDir() {
		p.c.Close(fd)
		return 0, vfs.EISDIR
	}
	return fd, nil
}

// flush writes what a stream holds.
func (p *Program) flush(s *Stream) {
	if len(s.Out) == 0 {
		return
	}
	switch s.FD {
	case 0:
	case 1:
		p.c.Out.Write(s.Out)
	case 2:
		p.c.Errout.Write(s.Out)
	default:
		err := p.c.Write(s.FD, s.Out)
		if err != nil && err != vfs.EPIPE {
			s.Out = s.Out[:0]
			p.fatal("print to \"%s\" failed: %s", s.Name, err)
		}
	}
	s.Out = s.Out[:0]
	if p.c.Pending() > cmd.Turn {
		p.budget = 0
	}
}

// flushOut writes standard output, and what standard error has to say before it.
func (p *Program) flushOut() {
	if len(p.c.Errout.B) > 0 {
		p.c.Write(2, p.c.Errout.B)
		p.c.Errout.B = p.c.Errout.B[:0]
	}
	p.c.Flush()
}

func (p *Program) flushAll() {
	p.flushOut()
	for i := range p.Streams {
		p.flush(&p.Streams[i])
	}
}

// print carries out print and printf.
func (p *Program) print(in instr) bool {
	name := ""
	if in.c != redirNone {
		p.sp--
		name = p.str(&p.Stack[p.sp])
	}
	args := p.Stack[p.sp-int(in.a) : p.sp]
	buf := &p.c.Out.B
	var s *Stream
	if in.c != redirNone {
		s = p.output(in.c, name)
	}
	if p.In.Temp != "" && (s == nil || s.FD == 1) {
		s = p.stream(redirInPlace, p.In.Temp)
	}
	if s != nil && s.FD != 1 {
		buf = &s.Out
	}
	start := len(*buf)
	b := *buf
	switch {
	case in.op == opPrintf:
		b = p.format(b, args)
	case in.a == 0:
		b = large.Push(b, p.field(0).S, p.c)
		b = append(b, p.conv.ors...)
	default:
		for i := range args {
			if i > 0 {
				b = append(b, p.conv.ofs...)
			}
			b = p.appendText(b, &args[i], p.conv.ofmt)
			p.fits(len(b) - start)
		}
		b = append(b, p.conv.ors...)
	}
	*buf = b
	p.budget -= (len(b) - start) >> 4
	p.sp -= int(in.a)
	if s != nil && (s.FD == 2 || len(s.Out) >= buffered) {
		p.flush(s)
	} else if s == nil && len(b) >= cmd.Turn {
		p.budget = 0
	}
	return true
}

// format is printf's text, or a fatal error.
func (p *Program) format(b []byte, args []Value) []byte {
	format := p.str(&args[0])
	f := formatter{octets: p.octets, args: args[1:], convfmt: p.conv.convfmt, work: p.c}
	out, fail := f.format(b, format)
	if fail == "\x00" {
		p.fatal("not enough arguments to satisfy format string\n\t`%s'\n\t%*s ran out for this one", format, f.at+1, "^")
	} else if fail != "" {
		p.fatal("%s", fail)
	}
	return out
}

// close begins the end of the program: streams are closed one by one.
func (p *Program) close() {
	p.unwind()
	p.Phase = Closing
	p.wait = cmd.Again()
}

// finish closes all streams, waits for their commands and exits.
func (p *Program) finish() cmd.Next {
	for len(p.Streams) > 0 {
		if _, ok := p.closeStream(0); !ok {
			return p.wait
		}
	}
	return cmd.Exit(p.Status)
}

// closeStream closes a stream and waits for its command. It is false if the
// command has not ended; ask again then.
func (p *Program) closeStream(i int) (status int, ok bool) {
	s := &p.Streams[i]
	p.flush(s)
	if s.FD > 2 {
		p.c.Close(s.FD)
	}
	s.FD = 0
	if s.In.FD != 0 {
		p.c.Close(s.In.FD)
	}
	s.In = Reader{}
	if s.PID != 0 {
		if status, ok = p.ended(s.PID); !ok {
			return 0, false
		}
	}
	p.Streams = slices.Delete(p.Streams, i, i+1)
	return status, true
}

// ended gives the status of a child that has ended, or waits for it.
func (p *Program) ended(pid int) (status int, ok bool) {
	for {
		id, st, ok := p.c.Reap()
		if !ok {
			break
		}
		p.Ended = append(p.Ended, Ended{id, st})
	}
	for i, e := range p.Ended {
		if e.PID == pid {
			p.Ended = slices.Delete(p.Ended, i, i+1)
			return e.Status, true
		}
	}
	p.wait = cmd.WaitChild(0)
	return 0, false
}

// closeNamed is close(name): -1 if nothing of that name is open.
func (p *Program) closeNamed(name, how string) (float64, bool) {
	i := slices.IndexFunc(p.Streams, func(s Stream) bool { return s.Name == name })
	if i < 0 {
		p.setErrno("close of redirection that was never opened", 0)
		return -1, true
	}
	s := &p.Streams[i]
	if s.Kind == redirCoproc && (how == "to" || how == "from") {
		p.flush(s)
		if how == "to" && s.FD != 0 {
			p.c.Close(s.FD)
			s.FD = 0
		}
		if how == "from" && s.In.FD != 0 {
			p.c.Close(s.In.FD)
			s.In = Reader{}
		}
		if s.FD != 0 || s.In.FD != 0 {
			return 0, true
		}
	}
	status, ok := p.closeStream(i)
	return float64(status), ok
}
