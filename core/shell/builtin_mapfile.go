package shell

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// mapfileOptions are the options of mapfile.
type mapfileOptions struct {
	fd, count, origin, skip, quantum int
	trim, keepOld                    bool
	delim                            byte
	callback                         string
}

func (m *Machine) mapfileArgs(p *Process, argv []string) (o mapfileOptions, name string, status int) {
	o = mapfileOptions{delim: '\n', quantum: 5000}
	opts := m.options(p, argv, "d:u:n:O:tC:c:s:")
	for c := opts.next(); c != 0; c = opts.next() {
		if bad := o.set(c, opts.value); bad != "" {
			m.complain(p, "%s: %s: %s", argv[0], opts.value, bad)
			return o, "", 1
		}
	}
	if opts.bad {
		return o, "", 2
	}
	args := opts.args
	name = "MAPFILE"
	if len(args) > 0 {
		name = args[0]
	}
	if name == "" {
		m.complain(p, "%s: empty array variable name", argv[0])
		return o, "", 1
	}
	if !validName(name) {
		m.complain(p, "%s: `%s': not a valid identifier", argv[0], name)
		return o, "", 1
	}
	return o, name, -1
}

func (o *mapfileOptions) set(c byte, value string) (bad string) {
	n, ok := number(value)
	switch c {
	case 't':
		o.trim, ok = true, true
	case 'd':
		o.delim, ok = 0, true
		if value != "" {
			o.delim = value[0]
		}
	case 'C':
		o.callback, ok = value, true
	case 'n':
		o.count, bad = n, "invalid line count"
	case 'O':
		o.origin, o.keepOld, bad = n, true, "invalid array origin"
	case 's':
		o.skip, bad = n, "invalid line count"
	case 'u':
		o.fd, bad = n, "invalid file descriptor specification"
	case 'c':
		o.quantum, bad = n, "invalid callback quantum"
		ok = ok && n > 0
	}
	if ok {
		return ""
	}
	return bad
}

func (m *Machine) biMapfile(p *Process, argv []string) int {
	o, name, status := m.mapfileArgs(p, argv)
	if status >= 0 {
		return status
	}
	if file, ok := p.fd(o.fd); !ok || !m.Files[file].readable() {
		m.complain(p, "%s: %d: invalid file descriptor: Bad file descriptor", argv[0], o.fd)
		return 1
	}
	err := m.meant(p, name, func(name string) error {
		v := p.Shell.Vars.Get(name)
		if v.Is(vars.ReadOnly) {
			return readOnly(name)
		}
		if v.Is(vars.Assoc) {
			return &expand.Error{Kind: expand.BadAssign, Text: argv[0] + ": " + name + ": not an indexed array"}
		}
		own := p.Shell.Vars.Own(name)
		if !o.keepOld {
			own.Clear()
		}
		own.MakeIndexed()
		own.SetAssigned()
		return nil
	})
	if err != nil {
		m.complain(p, "%s", err)
		return 1
	}
	f := p.push(Frame{Kind: FMapfile, Words: m.list(p, argv), I: o.origin, X: &Extra{}})
	m.stepMapfile(p, f)
	return pushed
}

// stepMapfile reads lines into the array; N counts them. A callback runs as a script.
func (m *Machine) stepMapfile(p *Process, f *Frame) {
	o, name, status := m.mapfileArgs(p, f.Words)
	file, ok := p.fd(o.fd)
	if status >= 0 || !ok {
		m.pop(p)
		m.done(p, 1)
		return
	}
	_ = m.meant(p, name, func(name string) error {
		m.mapLines(p, f, &o, file, name)
		return nil
	})
}

// mapLines reads lines into the array, as many as one turn may take.
func (m *Machine) mapLines(p *Process, f *Frame, o *mapfileOptions, file int, name string) {
	own := p.Shell.Vars.Own(name)
	for turn := 0; turn < 512; turn++ {
		if o.count > 0 && f.N-o.skip >= o.count {
			break
		}
		line, err := m.readLine(file, o.delim, readTurn)
		m.gather(f.X, line)
		m.charge(1)
		if err == cmd.ErrBlocked {
			p.Wait = Wait{Kind: WaitsRead, File: file}
			return
		}
		if err == nil && line[len(line)-1] != o.delim { // a long line
			return
		}
		if f.X.size() == 0 || err != nil && err != io.EOF {
			m.pop(p)
			m.done(p, 0)
			return
		}
		text := m.gathered(p, f.X)
		f.X.Data, f.X.Full = f.X.Data[:0], nil
		f.N++
		if f.N <= o.skip {
			continue
		}
		if o.trim || o.delim == 0 {
			text = strings.TrimSuffix(text, string([]byte{o.delim}))
		}
		text = dropNUL(text)
		at := f.I
		m.retain(len(text))
		own.SetIndex(int64(at), text)
		f.I++
		if o.callback != "" && o.quantum > 0 && (f.N-o.skip)%o.quantum == 0 {
			m.pushScript(p, "", o.callback+" "+itoa(at)+" "+expand.QuoteAt(text, p.Shell.bytes(), nil), m.line(p), "eval")
			return
		}
	}
	if o.count > 0 && f.N-o.skip >= o.count {
		m.pop(p)
		m.done(p, 0)
	}
}
