package shell

import (
	"fmt"
	"strings"
)

// biCaller prints where the call of a function stands.
func (m *Machine) biCaller(p *Process, argv []string) int {
	depth := 0
	names, files, lines := m.calls(p)
	if len(lines) == 0 {
		return 1
	}
	o := m.options(p, argv, "")
	if len(argv) > 1 && argv[1] == "--help" || len(argv) > 1 && argv[1] == "--" {
		o.next()
	}
	if o.bad {
		return 2
	}
	if len(o.args) > 0 {
		n, ok := number(o.args[0])
		if !ok {
			m.complain(p, "caller: %s: invalid number", o.args[0])
			o.usage()
			return 2
		}
		depth = n
	}
	switch {
	case len(argv) > 1 && depth+1 >= len(files):
		return 1
	case len(argv) > 1:
		return m.out(p, "caller", []byte(lines[depth]+" "+names[depth+1]+" "+files[depth+1]+"\n"))
	case len(files) == 1:
		files = append(files, "NULL")
	}
	return m.out(p, "caller", []byte(lines[0]+" "+files[1]+"\n"))
}

// biCheckpoint is a safe point the script asks for.
func (m *Machine) biCheckpoint(p *Process, argv []string) int {
	args := argv[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		m.complainRaw(p, "checkpoint: usage: checkpoint [NAME]\n")
		return 2
	}
	if len(args) > 1 {
		m.complain(p, "checkpoint: too many arguments")
		return 1
	}
	m.Run.Marks = append(m.Run.Marks, strings.Join(args, ""))
	return 0
}

func (m *Machine) biExtensions(p *Process, argv []string) int {
	if len(argv) == 3 && argv[1] == "info" {
		t, ok := m.Tools.Get(argv[2])
		if !ok {
			m.complain(p, "extensions: %s: not found", argv[2])
			return 1
		}
		summary, text, _ := strings.Cut(t.Help, "\n")
		if text == "" {
			text = t.Name + "\n" + summary
		}
		return m.out(p, "extensions", []byte(strings.TrimRight(text, "\n")+"\n"))
	}
	if len(argv) > 2 || len(argv) == 2 && argv[1] != "list" {
		m.complainRaw(p, "extensions: usage: extensions list | extensions info NAME\n")
		return 2
	}
	var b strings.Builder
	for name, t := range m.Tools.Sorted() {
		line, _, _ := strings.Cut(t.Help, "\n")
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-20s %s", name, line), " ") + "\n")
	}
	return m.out(p, "extensions", []byte(b.String()))
}
