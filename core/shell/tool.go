package shell

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/fault"
	"eryxsh/vfs"
)

// Positions of a tool call's frame.
const (
	toolReads = iota // takes its stdin
	toolAsks         // its call waits for an answer
	toolEnds
)

// callTool starts a tool call. Its stdin is read only if the command itself is
// fed, by a pipe, a redirection of its own or as all of a >( ): what a loop or a
// function inherits stays for the loop.
func (m *Machine) callTool(p *Process, t Tool, argv []string) {
	x := m.extra()
	x.Name = t.Name
	f := p.push(Frame{Kind: FTool, Words: argv, X: x})
	if !m.fed(p) {
		f.PC = toolAsks
		m.ask(p, f)
	}
}

// fed reports whether the command at the top has a stdin of its own.
func (m *Machine) fed(p *Process) bool {
	for i := len(p.Frames) - 2; i >= 0; i-- {
		f := &p.Frames[i]
		switch f.Kind {
		case FSimple:
			if f.X != nil {
				for _, s := range f.X.Saves {
					if s.Num == 0 {
						return true
					}
				}
			}
		case FList:
			if !f.node.(*list).stage {
				return m.substituted(p, i)
			}
			return p.PID != m.Procs[0].PID && (m.stagePipe(p) || m.firstStage(p)) // a stage that is this command alone
		case FBottom:
			return p.PID != m.Procs[0].PID && m.stagePipe(p)
		default:
			return false
		}
	}
	return false
}

// substituted reports whether a process is that of a >( ) with one command, and
// the frame at i its body: its stdin is for that command.
func (m *Machine) substituted(p *Process, i int) bool {
	if p.Frames[0].Kind != FBottom || p.Frames[i].Kind != FList || p.Frames[i].node != p.Frames[0].node {
		return false
	}
	body, ok := p.Frames[i].node.(*list)
	return ok && len(body.stmts) == 1 && p.PID != m.Procs[0].PID && m.stagePipe(p)
}

// firstStage reports whether a process begins the pipeline that is all of a >( ).
func (m *Machine) firstStage(p *Process) bool {
	up := m.proc(p.PPID)
	if up == nil || len(up.Frames) < 2 || up.top().Kind != FPipe || !m.substituted(up, len(up.Frames)-2) {
		return false
	}
	mine, ok := p.fd(0)
	theirs, open := up.fd(0)
	return ok && open && mine == theirs
}

// stagePipe reports whether descriptor 0 of a process is a pipe it did not inherit.
func (m *Machine) stagePipe(p *Process) bool {
	file, ok := p.fd(0)
	if !ok || m.Files[file].Kind != FilePipe {
		return false
	}
	parent := m.proc(p.PPID)
	if parent == nil {
		return true
	}
	theirs, ok := parent.fd(0)
	return !ok || theirs != file
}

// stepTool moves a tool call: it reads, asks, and writes the answer.
func (m *Machine) stepTool(p *Process, f *Frame) {
	x := f.X
	switch f.PC {
	case toolReads:
		file, ok := p.fd(0)
		if !ok {
			m.askNow(p, f)
			return
		}
		buf := m.scratch()
		n, err := m.read(file, buf)
		m.gather(x, buf[:n])
		switch {
		case err == cmd.ErrBlocked:
			p.Wait = Wait{Kind: WaitsRead, File: file}
		case err != nil:
			m.askNow(p, f)
		}
	case toolAsks:
		if x.Got == nil {
			p.Wait = Wait{Kind: WaitsCall}
			return
		}
		got := x.Got
		f.PC, f.N, x.Got, x.Asked = toolEnds, got.Status, nil, ""
		if len(got.Stderr) > 0 {
			_ = m.send(p, 2, got.Stderr)
		}
		if len(got.Stdout) > 0 {
			_ = m.send(p, 1, got.Stdout)
		}
		m.stepTool(p, f)
	case toolEnds:
		status := f.N
		m.pop(p)
		m.done(p, status&255)
	}
}

func (m *Machine) askNow(p *Process, f *Frame) {
	f.PC = toolAsks
	m.ask(p, f)
}

// ask puts a call on the list of those the host must answer.
func (m *Machine) ask(p *Process, f *Frame) {
	m.CallSeq++
	m.Meter.Calls++
	var room [48]byte
	id := strconv.AppendInt(append(append(room[:0], m.RunID...), '-'), m.CallSeq, 10)
	m.join(p, f.X)
	c := &Call{ID: string(id), PID: p.PID, Name: f.X.Name, Stdin: f.X.Data, Cwd: m.Directory(p),
		Args: f.Words[1:], Env: p.Shell.Vars.Environ()} // which nobody changes
	f.X.Data = nil
	f.X.Asked = c.ID
	m.Calls = append(m.Calls, c)
	p.Wait = Wait{Kind: WaitsCall}
}

// Number is the place of a call among those of its sandbox: what its id ends in.
func (c *Call) Number() int64 {
	n, _ := strconv.ParseInt(c.ID[strings.LastIndexByte(c.ID, '-')+1:], 10, 64)
	return n
}

// Resume answers a call. A call that is not waiting is AlreadyResumed.
func (m *Machine) Resume(id string, a Answer) error {
	m.own()
	for i, c := range m.Calls {
		if c.ID != id {
			continue
		}
		p := m.proc(c.PID)
		m.Calls = slices.Delete(m.Calls, i, i+1)
		if p == nil || len(p.Frames) == 0 || p.top().X == nil || p.top().X.Asked != id {
			return nil // its process has been killed since
		}
		p.top().X.Got = &a
		if a.Error != "" {
			m.IO.ToolError = append(m.IO.ToolError, a.Error)
		}
		return nil
	}
	return fault.New(fault.AlreadyResumed, "resume", id, "no such call is waiting: it was answered before, or belongs to another run")
}

// Feed gives input to a run that waits for it; no bytes end it.
func (m *Machine) Feed(data []byte) error {
	if !m.IO.InOpen {
		return fault.New(fault.Invalid, "input", "", "standard input is closed")
	}
	m.own()
	m.IO.InWanted = false
	if len(data) == 0 {
		m.IO.InOpen = false
		return nil
	}
	m.IO.In = append(m.IO.In, data...)
	return nil
}

func (m *Machine) dropCall(id string) {
	for i, c := range m.Calls {
		if c.ID == id {
			m.Calls = append(m.Calls[:i:i], m.Calls[i+1:]...)
			return
		}
	}
}

func (m *Machine) dropCalls(pid int) {
	for i := len(m.Calls) - 1; i >= 0; i-- {
		if m.Calls[i].PID == pid {
			m.Calls = append(m.Calls[:i:i], m.Calls[i+1:]...)
		}
	}
}

// scratch is a buffer for one read.
func (m *Machine) scratch() []byte {
	if m.rt.buf == nil {
		m.rt.buf = make([]byte, 64<<10)
	}
	return m.rt.buf
}

// readLine reads up to and with the delimiter, no byte further and no more than
// most bytes, which is at least 1. With cmd.ErrBlocked it gives what there is so far.
func (m *Machine) readLine(file int, delim byte, most int) ([]byte, error) {
	o := &m.Files[file]
	if !o.readable() {
		return nil, vfs.EBADF
	}
	if o.Kind == FilePipe {
		return m.readPipeLine(&m.Pipes[o.Pipe], delim, most)
	}
	if o.Kind != FileRegular && o.Kind != FileText && o.Kind != FileStdin {
		return m.readBytes(file, delim, most)
	}
	start := len(m.rt.line[:0])
	m.rt.line = m.rt.line[:start]
	for {
		var chunk []byte
		switch o.Kind {
		case FileStdin:
			if len(m.IO.In) == 0 {
				if m.IO.InOpen {
					m.IO.InWanted = true
					return m.rt.line, cmd.ErrBlocked
				}
				return m.rt.line, io.EOF
			}
			chunk = m.IO.In
		case FileText:
			if o.Off < int64(len(o.Text)) {
				chunk = o.Text[o.Off:]
			}
		default:
			data, hole, err := m.FS.Chunk(o.Ino, o.Off, m.Clock.Now)
			if err != nil {
				return m.rt.line, err
			}
			if data == nil && hole > 0 {
				return m.readBytes(file, delim, most)
			}
			chunk = data
		}
		if len(chunk) == 0 {
			return m.rt.line, io.EOF
		}
		n, found := cutLine(chunk[:min(len(chunk), most-len(m.rt.line))], delim)
		m.rt.line = append(m.rt.line, chunk[:n]...)
		if o.Kind == FileStdin {
			m.IO.In = m.IO.In[n:]
		} else {
			o.Off += int64(n)
		}
		m.Meter.Read += int64(n)
		m.charge(n >> 8)
		if found || len(m.rt.line) == most {
			return m.rt.line, nil
		}
		m.hold(len(m.rt.line))
	}
}

func cutLine(b []byte, delim byte) (n int, found bool) {
	if i := bytes.IndexByte(b, delim); i >= 0 {
		return i + 1, true
	}
	return len(b), false
}

func (m *Machine) readPipeLine(pp *Pipe, delim byte, most int) ([]byte, error) {
	n, found := cutLine(pp.Buf[:min(len(pp.Buf), most)], delim)
	m.rt.line = append(m.rt.line[:0], pp.Buf[:n]...)
	pp.Buf = pp.Buf[n:]
	m.Meter.Read += int64(n)
	m.charge(n >> 8)
	switch {
	case found || n == most:
		return m.rt.line, nil
	case pp.Writers > 0 || !m.rendezvousPipe(pp):
		return m.rt.line, cmd.ErrBlocked
	}
	return m.rt.line, io.EOF
}

// readBytes reads byte by byte what cannot be looked into.
func (m *Machine) readBytes(file int, delim byte, most int) ([]byte, error) {
	m.rt.line = m.rt.line[:0]
	const few = 1 << 9
	var one [1]byte
	for len(m.rt.line) < min(most, 1<<20) {
		n, err := m.read(file, one[:])
		if err != nil {
			return m.rt.line, err
		}
		if n > 0 {
			m.rt.line = append(m.rt.line, one[0])
			if one[0] == delim {
				return m.rt.line, nil
			}
			if len(m.rt.line)&(few-1) == 0 {
				m.charge(few >> 4)
			}
		}
	}
	if len(m.rt.line) < most {
		m.stop("memory")
	}
	return m.rt.line, nil
}
