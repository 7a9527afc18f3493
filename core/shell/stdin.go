package shell

import (
	"bytes"
	"io"
	"math"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/expand"
	"eryxsh/core/large"
)

// firstLook is how much is looked at behind the first line of a command that
// goes on; each further look is at four times as much.
const firstLook = 4 << 10

// stepStdin reads the next command of a script from standard input and runs it.
// What a command reads from there is what follows its last line: the lines
// behind the first are looked at, and taken when it is known that they belong to it.
func (m *Machine) stepStdin(p *Process, f *Frame) {
	x := f.X
	file, ok := p.fd(0)
	if !ok {
		m.pop(p)
		return
	}
	prompts := p.Shell.Opts.on(optInteractive)
	if prompts && f.PC != stdinReads && !m.promptCommand(p, f) {
		return
	}
	line, err := m.readLine(file, '\n', math.MaxInt)
	x.Data = append(x.Data, line...)
	if err == cmd.ErrBlocked {
		p.Wait = Wait{Kind: WaitsRead, File: file}
		return
	}
	end := err == io.EOF
	if prompts {
		m.complainRaw(p, string(line))
	}
	if len(x.Data) == 0 && end {
		m.pop(p)
		if prompts {
			m.complainRaw(p, "exit\n")
		}
		return
	}
	u, read, next, perr := m.unit(p, wholeText(x.Data, nil, end), 0, x.Line)
	var more []byte
	for size := firstLook; !end && goesOn(u, perr); size *= 4 {
		if prompts {
			m.complainRaw(p, m.prompt(p, p.Shell.Vars.Get("PS2").String()))
			return
		}
		seen := len(more)
		if more, end = m.lookAhead(file, size); len(more) == seen && !end {
			x.Data = append(x.Data, more...)
			m.consume(file, len(more))
			m.hold(len(x.Data))
			return
		}
		m.hold(len(x.Data) + len(more))
		u, read, next, perr = m.unit(p, wholeText(x.Data, more, end), 0, x.Line)
	}
	used := len(more)
	if next < len(read) {
		used -= len(lastLines(more, read[next:]))
	}
	x.Line += bytes.Count(x.Data, []byte("\n")) + bytes.Count(more[:used], []byte("\n"))
	m.consume(file, used)
	x.Data, f.PC = nil, stdinPrompt
	if perr != nil {
		e := perr.(*SyntaxError)
		if m.tellSyntax(p, e, func(line int) string {
			p.Line = line
			return m.prefix(p)
		}) {
			return
		}
		if !e.stays(p.Status) {
			p.Status = m.syntaxStatus(p, e)
		}
		if !prompts && !e.list {
			m.unwindExit(p, p.Status)
		}
		return
	}
	if u != nil {
		m.warn(p, u.warn)
		p.push(Frame{Kind: FList, node: u.body})
	}
}

// goesOn reports whether a command is not whole: more of its text is to be read.
func goesOn(u *Unit, err error) bool {
	if e, ok := err.(*SyntaxError); ok {
		return e.Incomplete
	}
	if u == nil || u.open || !strings.HasSuffix(u.Text, "\\\n") {
		return u != nil && u.open
	}
	shown, _ := expand.Hide(u.Text, nil) // at the end of a comment it continues nothing
	return endsEscaped([]byte(shown))
}

// wholeText is what has been read and looked at, whose last line ends with a newline.
func wholeText(read, more []byte, end bool) string {
	text := append(read[:len(read):len(read)], more...)
	if end && len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text[:len(text):len(text)], '\n')
	}
	return expand.Encode(text)
}

// lastLines is the end of text that has as many lines as rest.
func lastLines(text []byte, rest string) []byte {
	lines := bytes.Count(text, []byte("\n")) - strings.Count(rest, "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++ // wholeText has ended it
	}
	for ; lines > 0; lines-- {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text
}

// lookAhead gives what can be read without waiting, up to the end of a line,
// about size bytes of it; end says that nothing follows.
func (m *Machine) lookAhead(file, size int) (text []byte, end bool) {
	o := &m.Files[file]
	switch o.Kind {
	case FileText:
		text = o.Text[min(o.Off, int64(len(o.Text))):]
		end = true
	case FileStdin:
		text, end = m.IO.In, !m.IO.InOpen
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		text, end = pp.Buf, pp.Writers == 0 && m.rendezvousPipe(pp)
	case FileRegular:
		text, end = m.lookAtFile(o, size)
	}
	if len(text) > size {
		n := bytes.IndexByte(text[size:], '\n')
		if n >= 0 && size+n+1 < len(text) {
			return text[:size+n+1], false
		}
	}
	if !end {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	return text, end
}

// lookAtFile is lookAhead for a regular file. It gives a little more than size,
// if there is that much.
func (m *Machine) lookAtFile(o *OFD, size int) (text []byte, end bool) {
	for {
		data, _, err := m.FS.Chunk(o.Ino, o.Off+int64(len(text)), m.Clock.Now)
		if err != nil || len(data) == 0 { // the end, or a hole
			return text, true
		}
		text = large.Append(text, data)
		if len(text) > size && bytes.IndexByte(text[size:], '\n') >= 0 {
			return text, false
		}
	}
}

// consume reads n bytes that were looked at.
func (m *Machine) consume(file, n int) {
	o := &m.Files[file]
	switch o.Kind {
	case FileStdin:
		m.IO.In = m.IO.In[n:]
	case FilePipe:
		pp := &m.Pipes[o.Pipe]
		pp.Buf = pp.Buf[n:]
	default:
		o.Off += int64(n)
	}
	m.Meter.Read += int64(n)
	m.charge(n >> 8)
}
