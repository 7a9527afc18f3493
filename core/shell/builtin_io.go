package shell

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
	"eryxsh/core/expand"
	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// keptScratch is how many bytes of a scratch buffer are kept for the next command.
const keptScratch = 1 << 20

func (m *Machine) biPrintf(p *Process, argv []string) int {
	dest := ""
	o := m.options(p, argv, "v:")
	for c := o.next(); c != 0; c = o.next() {
		dest = o.value
		if !isTarget(dest) {
			m.complain(p, "printf: `%s': not a valid identifier", dest)
			return 2
		}
	}
	if len(o.args) == 0 && !o.bad {
		o.usage()
	}
	if o.bad {
		return 2
	}
	args := o.args
	for _, a := range args {
		if len(a) > little>>4 {
			m.charge(len(a) >> 5)
		}
	}
	r := format.Printer{Now: m.now(), Start: p.Shell.Started, TZ: m.timeZone(p), Work: m.env(p), Bytes: p.Shell.bytes()}.Printf(m.rt.echo[:0], args[0], args[1:])
	if m.rt.echo = r.Out[:0]; cap(m.rt.echo) > keptScratch {
		m.rt.echo = nil
	}
	status := r.Status
	for _, a := range r.Assign {
		if a.Name == "" {
			continue
		}
		if !validName(a.Name) {
			m.complain(p, "printf: `%s': not a valid identifier", a.Name)
			status = 1
			continue
		}
		_ = m.assign(p, a.Name, nil, itoa(a.Value), false)
	}
	text := r.Out
	said, seen := 0, 0
	for i, e := range r.Errors { // stdout is line buffered: whole lines come before the message
		before := r.Before[i]
		if end := seen + bytes.LastIndexByte(text[seen:before], '\n') + 1; dest == "" && end > seen {
			status = max(status, m.out(p, "printf", text[said:end]))
			said = end
		}
		seen = before
		m.complain(p, "printf: %s", e)
	}
	if dest != "" {
		name, sub := splitRef(dest)
		var s *expand.Sub
		if sub != "" {
			s = expand.SubText(m.env(p), sub)
		}
		value, _, _ := strings.Cut(large.Text(text, m.env(p)), "\x00")
		if err := m.assign(p, name, s, value, false); err != nil {
			return m.builtinFailed(p, "printf", err)
		}
		return status
	}
	return max(status, m.out(p, "printf", text[said:]))
}

// timeZone is TZ, which counts where it is exported.
func (m *Machine) timeZone(p *Process) string {
	if v := p.Shell.Vars.Get("TZ"); v != nil && exported(v) {
		return v.String()
	}
	return ""
}

// Positions of a read frame: what is done with what was read.
const (
	readLineNow = iota // read
	readSource         // source from a pipe: Words are its arguments, I the descriptor; N is 1 for a shell's script
	readMenu           // select's answer
)

// readOptions are the options of read, in the frame's Words after the names.
type readOptions struct {
	fd      int
	delim   byte
	max     int // -n, -N; -1 none
	exact   bool
	raw     bool
	array   string
	timeout int64
	poll    bool // -t 0
}

func (m *Machine) readArgs(p *Process, argv []string) (o readOptions, names []string, status int) {
	o = readOptions{delim: '\n', max: -1, timeout: -1}
	if v := p.Shell.Vars.Get("TMOUT"); v.IsSet() {
		if f, err := strconv.ParseFloat(v.String(), 64); err == nil && f > 0 {
			o.timeout = int64(f * 1e9)
		}
	}
	given := false
	opts := m.options(p, argv, "ersa:d:i:n:p:t:u:N:")
	for c := opts.next(); c != 0; c = opts.next() {
		if c == 'r' {
			o.raw = true
		}
		if bad := o.set(c, opts.value); bad != "" {
			m.complain(p, "read: %s: %s", opts.value, bad)
			return o, nil, 1
		}
		given = given || c == 'a'
	}
	if opts.bad {
		return o, nil, 2
	}
	if given && !validName(o.array) {
		m.complain(p, "read: `%s': not a valid identifier", o.array)
		return o, nil, 1
	}
	return o, opts.args, -1
}

func (o *readOptions) set(c byte, value string) (bad string) {
	switch c {
	case 'a':
		o.array = value
	case 'd':
		o.delim = 0
		if value != "" {
			o.delim = value[0]
		}
	case 'n', 'N':
		n, ok := number(value)
		if !ok {
			return "invalid number"
		}
		o.max, o.exact = n, c == 'N'
	case 't':
		digits := strings.TrimPrefix(value, "+")
		f, err := strconv.ParseFloat("0"+digits, 64)
		if err != nil || strings.Trim(digits, "0123456789.") != "" {
			return "invalid timeout specification"
		}
		o.timeout, o.poll = int64(f*1e9), f == 0
	case 'u':
		n, ok := number(value)
		if !ok {
			return "invalid file descriptor specification"
		}
		o.fd = n
	}
	return ""
}

// readTurn is about how many bytes are read in one step.
const readTurn = 256 << 10

func (m *Machine) biRead(p *Process, argv []string) int {
	o, names, status := m.readArgs(p, argv)
	if status >= 0 {
		return status
	}
	if len(names) > 0 { // the others are looked at when their turn comes
		if base, sub := splitRef(names[0]); !validName(base) || sub != "" && !isTarget(names[0]) {
			m.complain(p, "read: `%s': not a valid identifier", names[0])
			return 1
		}
	}
	if names, status = m.readElements(p, names); status >= 0 {
		return status
	}
	argv = append(m.list(p, argv[:len(argv)-len(names)]), names...)
	if m.rt.memo != nil { // commands have run: it begins again, without them
		p.push(Frame{Kind: FArgv, Words: append([]string{"builtin"}, argv...)})
		return pushed
	}
	file, ok := p.fd(o.fd)
	if !ok || !m.Files[file].readable() {
		m.complain(p, "read: %d: invalid file descriptor: Bad file descriptor", o.fd)
		return 1
	}
	if o.poll {
		return boolStatus(m.readReady(file))
	}
	if o.max == 0 {
		return m.readStore(p, &o, names, "", true)
	}
	// A whole line that is already there needs no frame.
	if o.max < 0 && !o.exact && m.lineThere(file, o.delim) {
		line, err := m.readLine(file, o.delim, readTurn)
		if err == nil && line[len(line)-1] != o.delim {
			return m.pushRead(p, argv, o, append([]byte(nil), line...))
		}
		if err == nil && (o.raw || !endsEscaped(line)) {
			return m.readStore(p, &o, names, string(line[:len(line)-1]), true)
		}
		if err == io.EOF {
			return m.readStore(p, &o, names, string(line), false)
		}
		return m.pushRead(p, argv, o, append([]byte(nil), line...))
	}
	return m.pushRead(p, argv, o, nil)
}

// readElements evaluates the subscripts that run commands, before anything is
// read: what has been read cannot be read again.
func (m *Machine) readElements(p *Process, names []string) (known []string, status int) {
	known = names
	for i, n := range names {
		base, sub := splitRef(n)
		if !strings.Contains(sub, "$(") && !strings.Contains(sub, "`") {
			continue
		}
		v := p.Shell.Vars.Get(base)
		at, err := expand.SubText(m.env(p), sub).Resolve(m.env(p), base, v)
		if err == expand.ErrNeed {
			return nil, 1 // the command runs, then read again
		}
		if err != nil {
			return nil, m.builtinFailed(p, "read", err)
		}
		if i == 0 || &known[0] == &names[0] {
			known = m.list(p, names)
		}
		if known[i] = base + "[" + at.Text + "]"; v.Is(vars.Assoc) {
			known[i] = base + "[" + expand.QuoteAt(at.Text, p.Shell.bytes(), nil) + "]"
		}
	}
	return known, -1
}

// lineThere reports whether readLine can only succeed, or end the file.
func (m *Machine) lineThere(file int, delim byte) bool {
	o := &m.Files[file]
	return o.Kind != FilePipe || bytes.IndexByte(m.Pipes[o.Pipe].Buf, delim) >= 0
}

func (m *Machine) pushRead(p *Process, argv []string, o readOptions, have []byte) int {
	x := &Extra{Data: have}
	if o.timeout >= 0 {
		x.Until = m.now() + o.timeout
	}
	f := p.push(Frame{Kind: FRead, PC: readLineNow, Words: m.list(p, argv), X: x})
	m.stepRead(p, f)
	return pushed
}

// endsEscaped reports whether a line's delimiter is escaped by a backslash.
func endsEscaped(line []byte) bool {
	n := 0
	for i := len(line) - 2; i >= 0 && line[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// stepRead reads on until the line, or the number of characters, is complete.
func (m *Machine) stepRead(p *Process, f *Frame) {
	switch f.PC {
	case readSource:
		m.stepReadSource(p, f)
		return
	case readMenu:
		m.stepReadMenu(p, f)
		return
	}
	x := f.X
	o, names, status := m.readArgs(p, f.Words)
	if status >= 0 {
		m.endRead(p, status)
		return
	}
	file, ok := p.fd(o.fd)
	if !ok {
		m.endRead(p, 1)
		return
	}
	for got := 0; got < readTurn; {
		if o.max >= 0 && f.counted(&o, p.Shell.bytes()) >= o.max {
			m.endRead(p, m.readStore(p, &o, names, m.gathered(p, x), true))
			return
		}
		if x.Until > 0 && m.now() >= x.Until && !m.readReady(file) {
			m.readStore(p, &o, names, m.gathered(p, x), false)
			m.endRead(p, 142)
			return
		}
		most := readTurn
		if o.max >= 0 {
			most = min(most, o.max-f.N) // no character is shorter than a byte
		}
		var line []byte
		var err error
		if o.exact {
			line = m.scratch()
			line = line[:min(len(line), most)]
			var n int
			n, err = m.read(file, line)
			line = line[:n]
		} else {
			line, err = m.readLine(file, o.delim, most)
		}
		got += len(line) + 1
		if o.max < 0 {
			m.gather(x, line)
		} else { // counted looks at all of it
			x.Data = large.Append(x.Data, line)
			m.hold(len(x.Data))
		}
		switch {
		case err == cmd.ErrBlocked:
			p.Wait = Wait{Kind: WaitsRead, File: file, Until: x.Until}
			return
		case err != nil:
			m.endRead(p, m.readStore(p, &o, names, m.gathered(p, x), false))
			return
		}
		if o.exact || len(line) == 0 || line[len(line)-1] != o.delim {
			continue
		}
		if o.raw || !x.endsEscaped() {
			text := m.gathered(p, x)
			m.endRead(p, m.readStore(p, &o, names, text[:len(text)-1], true))
			return
		}
		if o.delim == '\n' && o.max < 0 { // a continued line
			if len(x.Data) < 2 {
				m.join(p, x)
			}
			x.Data = x.Data[:len(x.Data)-2]
		}
	}
}

// counted gives how many characters of -n and -N are there: N, in the first I bytes read.
func (f *Frame) counted(o *readOptions, bytes bool) int {
	data := f.X.Data
	for f.I < len(data) {
		at := f.I
		if !o.raw && data[at] == '\\' { // the next character is meant
			at++
		}
		if at == len(data) || !bytes && !utf8.FullRune(data[at:]) {
			break
		}
		_, w := utf8.DecodeRune(data[at:])
		if bytes {
			w = 1
		}
		if at == f.I || data[at] != '\n' { // a continued line counts for nothing
			f.N++
		}
		f.I = at + w
	}
	return f.N
}

func (m *Machine) endRead(p *Process, status int) {
	m.pop(p)
	m.done(p, status)
}

// readStore splits what was read into the variables. ok is false at end of file.
func (m *Machine) readStore(p *Process, o *readOptions, names []string, line string, ok bool) int {
	status := boolStatus(ok)
	line = dropNUL(line)
	if !o.raw && strings.Contains(line, "\\\n") {
		line = dropContinued(line)
	}
	ifs := " \t\n"
	if v := p.Shell.Vars.Get("IFS"); v != nil {
		ifs = v.String()
		if !v.IsSet() {
			ifs = " \t\n"
		}
	}
	fail := func(err error) int { return m.builtinFailed(p, "read", err) }
	if o.array != "" {
		fields := expand.SplitFields(line, ifs, 0, o.raw, p.Shell.bytes())
		err := m.meant(p, o.array, func(name string) error {
			v := p.Shell.Vars.Get(name)
			if v.Is(vars.ReadOnly) {
				return readOnly(name)
			}
			if v.Is(vars.Assoc) {
				m.complain(p, "read: %s: cannot convert associative to indexed array", name)
				status = 1
				return nil
			}
			m.retainAll(fields)
			own := p.Shell.Vars.Own(name)
			own.Clear()
			own.MakeIndexed()
			own.SetAssigned()
			for i, s := range fields {
				own.SetIndex(int64(i), s)
			}
			return nil
		})
		if err != nil {
			return fail(err)
		}
		return status
	}
	if len(names) == 0 {
		if !o.raw {
			line = unescapeLine(line)
		}
		if err := m.assign(p, "REPLY", nil, line, false); err != nil {
			return fail(err)
		}
		return status
	}
	if len(names) == 1 && ifs == "" && o.raw || o.exact {
		if !o.raw {
			line = unescapeLine(line)
		}
		for i, n := range names {
			v := line
			if i > 0 {
				v = ""
			}
			if err := m.assignName(p, n, v); err != nil {
				return fail(err)
			}
		}
		return status
	}
	fields := expand.AppendSplit(m.rt.split[:0], line, ifs, len(names), o.raw, p.Shell.bytes())
	m.rt.split = fields[:0]
	for i, n := range names {
		value := ""
		if i < len(fields) {
			value = fields[i]
		}
		if err := m.assignName(p, n, value); err != nil {
			return fail(err)
		}
	}
	return status
}

// assignName assigns to a name that may have a subscript.
func (m *Machine) assignName(p *Process, name, value string) error {
	base, sub := splitRef(name)
	if !validName(base) || sub != "" && !isTarget(name) {
		return &expand.Error{Kind: expand.BadAssign, Name: "value", Text: "`" + name + "': not a valid identifier"}
	}
	if sub == "" {
		return m.assign(p, name, nil, value, false)
	}
	err := m.assign(p, base, expand.SubText(m.env(p), sub), value, false)
	if err == expand.ErrNeed { // its input is read: it cannot begin again
		m.rt.need = nil
		return &expand.Error{Kind: expand.BadSubscript, Text: "eryxsh: read: " + name + ": command substitution in a subscript: not yet"}
	}
	return err
}

// dropNUL removes the NUL bytes, of which there may be nothing else.
func dropNUL(s string) string {
	at := strings.IndexByte(s, 0)
	if at < 0 {
		return s
	}
	b := append(make([]byte, 0, at), s[:at]...)
	for i := at; i < len(s); i++ {
		if s[i] != 0 {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// dropContinued removes each backslash-newline pair, whatever the delimiter was.
func dropContinued(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if s[i+1] != '\n' {
				b.WriteString(s[i : i+2])
			}
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeLine removes the backslashes of a line read without -r.
func unescapeLine(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i >= len(s) {
				break
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// stepReadSource reads a sourced pipe to its end.
func (m *Machine) stepReadSource(p *Process, f *Frame) {
	file, ok := p.fd(f.I)
	x := f.X
	if ok {
		buf := m.scratch()
		n, err := m.read(file, buf)
		m.gather(x, buf[:n])
		if err == cmd.ErrBlocked {
			p.Wait = Wait{Kind: WaitsRead, File: file}
			return
		}
		if err == nil {
			return
		}
	}
	args, as, text := f.Words, f.N, m.gathered(p, x)
	m.pop(p)
	if as == 0 {
		m.pushSource(p, args, text)
		return
	}
	m.pushScript(p, args[0], text, 1, "")
}

// stepSelect prints the menu, reads a choice, runs the body.
func (m *Machine) stepSelect(p *Process, f *Frame) {
	n := f.node.(*forClause)
	p.Line = n.line
	if f.PC < 0 {
		if !validName(n.name) {
			p.Line = n.outer
			m.complain(p, "`%s': not a valid identifier", n.name)
			m.pop(p)
			p.Status = 1
			return
		}
		if at := len(p.Frames) - 1; p.Shell.Traps != nil && f.X == nil && m.debugTrap(p, n, nil) {
			p.Frames[at].x() // f is gone if the frames had to grow
			return
		}
		if !m.items(p, f, n) {
			return
		}
		f = p.top()
		f.PC, p.Status = 0, 0
		if len(f.Words) == 0 {
			m.pop(p)
			return
		}
	}
	if f.PC == 2 { // the body has run, or the answer was empty
		f.PC = 0
	}
	show := f.I == 0 || p.Shell.Vars.Get("REPLY").String() == ""
	if show {
		m.complainRaw(p, menu(f.Words, p.Shell.Vars.Get("COLUMNS")))
	}
	f.I = 1
	ps3 := "#? "
	if v := p.Shell.Vars.Get("PS3"); v.IsSet() {
		ps3 = m.prompt(p, v.String())
	}
	m.complainRaw(p, ps3)
	p.push(Frame{Kind: FRead, PC: readMenu, X: &Extra{}})
}

// stepReadMenu reads the answer to select: the frame below is the loop's.
func (m *Machine) stepReadMenu(p *Process, f *Frame) {
	file, ok := p.fd(0)
	var line []byte
	err := io.EOF
	if ok {
		line, err = m.readLine(file, '\n', math.MaxInt)
	}
	m.gather(f.X, line)
	if err == cmd.ErrBlocked {
		p.Wait = Wait{Kind: WaitsRead, File: file}
		return
	}
	answer := strings.TrimSuffix(m.gathered(p, f.X), "\n")
	eof := err != nil
	m.pop(p)
	loop := p.top()
	n := loop.node.(*forClause)
	if eof {
		_ = m.assign(p, "REPLY", nil, answer, false)
		_ = m.send(p, 1, []byte("\n"))
		m.pop(p)
		p.Status = 1
		return
	}
	_ = m.assign(p, "REPLY", nil, answer, false)
	if answer == "" {
		loop.PC = 2
		return
	}
	choice := ""
	if i, ok := number(strings.TrimSpace(answer)); ok && i >= 1 && i <= len(loop.Words) {
		choice = loop.Words[i-1]
	}
	if err := m.assign(p, n.name, nil, choice, false); err != nil {
		m.loopFailed(p, err)
		return
	}
	loop.PC = 2
	p.push(Frame{Kind: FList, node: n.do})
}

// menu lays out select's choices in columns as bash does.
func menu(items []string, columns *vars.Var) string {
	width := 80
	if n, ok := columns.Int(); ok && n > 0 {
		width = int(n)
	}
	longest := 0
	for _, s := range items {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	digits := len(itoa(len(items)))
	cell := longest + digits + 4
	cols := max(1, width/cell)
	rows := (len(items) + cols - 1) / cols
	if rows == 1 {
		rows, cols = len(items), 1
	}
	var b strings.Builder
	for r := 0; r < rows; r++ {
		for c := 0; c*rows+r < len(items); c++ {
			i := c*rows + r
			n := digits
			if c == 0 {
				n = len(itoa(rows))
			}
			num := itoa(i + 1)
			b.WriteString(strings.Repeat(" ", max(0, n-len(num))) + num + ") " + items[i])
			if (c+1)*rows+r < len(items) {
				indent(&b, c*cell+max(n, len(num))+2+utf8.RuneCountInString(items[i]), (c+1)*cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indent goes from one column to another, with tabs where they fit.
func indent(b *strings.Builder, from, to int) {
	for from < to {
		if to/8 > from/8 {
			b.WriteByte('\t')
			from += 8 - from%8
			continue
		}
		b.WriteByte(' ')
		from++
	}
}
