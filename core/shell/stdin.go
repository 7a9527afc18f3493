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
	if len(p.Shell.Jobs) > 0 {
		p.Line = x.Line
		m.notify(p)
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
	if !end && m.goesOnOpen(p, x, file) {
		return
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
			m.keepOpen(p, x)
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
	m.rt.command = openCommand{}
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

// openCommand is a command of standard input that is not whole: what decides
// where it ends, without the whole commands in it. It is no state: without it
// the command is read from its beginning.
type openCommand struct {
	pid  int
	data []byte // what has been read of it
	rest string
}

// keepOpen notes that the command being read is not whole, so that what comes
// next need not be read together with all that came before.
func (m *Machine) keepOpen(p *Process, x *Extra) {
	m.rt.command = openCommand{}
	if len(x.Data) < firstLook || p.Shell.Aliases.Len() > 0 {
		return
	}
	if rest, ok := m.stillOpen(p, expand.Encode(x.Data)); ok {
		m.rt.command = openCommand{p.PID, x.Data, rest}
	}
}

// goesOnOpen reads what is there of a command that was not whole, and reports
// whether it still is not.
func (m *Machine) goesOnOpen(p *Process, x *Extra, file int) bool {
	c := &m.rt.command
	n := len(c.data)
	if n == 0 || c.pid != p.PID || n > len(x.Data) || &c.data[0] != &x.Data[0] && !bytes.Equal(c.data, x.Data[:n]) {
		return false
	}
	more, end := m.lookAhead(file, math.MaxInt)
	if end {
		return false
	}
	rest, ok := m.stillOpen(p, c.rest+expand.Encode(x.Data[n:])+expand.Encode(more))
	if !ok {
		return false
	}
	x.Data = append(x.Data, more...)
	m.consume(file, len(more))
	m.hold(len(x.Data))
	*c = openCommand{p.PID, x.Data, rest}
	return true
}

// stillOpen reports whether a text ends inside a command, and gives what of it
// says where that ends.
func (m *Machine) stillOpen(p *Process, text string) (rest string, ok bool) {
	r := newSyntaxReader(m.env(p), text, 1, true)
	r.stream = true
	if r.line(); r.fault == nil || r.deep || !r.fault.Incomplete {
		return "", false
	}
	return r.rest(), true
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
