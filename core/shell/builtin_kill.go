package shell

import (
	"strings"
)

func (m *Machine) biKill(p *Process, argv []string) int {
	sig, args, status := m.killArgs(p, argv)
	if status >= 0 {
		return status
	}
	status = 0
	for _, a := range args {
		if !m.killOne(p, a, sig) {
			status = 1
		}
	}
	return status
}

// killArgs reads the signal that kill sends, in its own way; a status of 0 or more is the command's.
func (m *Machine) killArgs(p *Process, argv []string) (sig int, args []string, status int) {
	o := m.options(p, argv, "")
	args = o.args
	sig, wrong, seen, list := sigTERM, "", false, false
	use := func(spec string) {
		n, ok := signalNumber(spec)
		if sig = n; !ok {
			wrong = "kill: " + spec + ": invalid signal specification"
		}
	}
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
reading:
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--help":
			o.next()
			return 0, nil, 2
		case a == "-l" || a == "-L":
			list = true
		case a == "-s" || a == "-n":
			if len(args) == 1 {
				m.complain(p, "kill: %s: option requires an argument", a)
				return 0, nil, 1
			}
			args = args[1:]
			use(args[0])
		case len(a) > 2 && strings.HasPrefix(a, "-s") && !isDigit(a[2]), len(a) > 2 && strings.HasPrefix(a, "-n") && isDigit(a[2]):
			use(a[2:])
		case a == "--":
			args = args[1:]
			break reading
		case a == "-?":
			args = nil
			break reading
		case a != "" && a[0] == '-' && !seen:
			seen = true
			use(a[1:])
		default:
			break reading
		}
		args = args[1:]
	}
	switch {
	case list:
		return 0, nil, m.killList(p, args)
	case wrong != "":
		m.complain(p, "%s", wrong)
		return 0, nil, 1
	case len(args) == 0:
		o.usage()
		return 0, nil, 2
	}
	return sig, args, -1
}

func (m *Machine) killOne(p *Process, a string, sig int) bool {
	if strings.HasPrefix(a, "%") {
		j := m.findJob(p, a)
		if j == nil {
			m.complain(p, "kill: %s: no such job", a)
			return false
		}
		m.signalJob(p, j, sig)
		return true
	}
	if a == "" {
		m.complain(p, "kill: `': not a pid or valid job spec")
		return false
	}
	n, ok := expandInt(a)
	if !ok {
		m.complain(p, "kill: %s: arguments must be process or job IDs", a)
		return false
	}
	if n < 0 || n == 0 { // a process group
		pg := -n
		if n == 0 {
			pg = p.PGID
		}
		hit := m.signalGroup(pg, sig)
		if !hit {
			m.complain(p, "kill: (%d) - No such process", n)
		}
		return hit
	}
	c := m.proc(n)
	if c == nil || c.Dead {
		m.complain(p, "kill: (%d) - No such process", n)
		return false
	}
	m.signal(c, sig)
	return true
}

func (m *Machine) killList(p *Process, args []string) int {
	if len(args) == 0 {
		_ = m.send(p, 1, []byte(m.signalList(p))) // bash does not look whether it could be written
		return 0
	}
	status := 0
	var b strings.Builder
	for _, a := range args {
		if n, ok := number(a); ok {
			if n > 128 {
				n -= 128
			}
			if name := signalName(n); name != "" {
				b.WriteString(strings.TrimPrefix(name, "SIG") + "\n")
				continue
			}
		} else if n, ok := signalNumber(a); ok {
			b.WriteString(itoa(n) + "\n")
			continue
		}
		m.complainAfter(p, &b, "kill", "%s: invalid signal specification", a)
		status = 1
	}
	_ = m.send(p, 1, []byte(b.String()))
	return status
}

// signalList is kill -l: in POSIX mode the names alone.
func (m *Machine) signalList(p *Process) string {
	if !p.Shell.Opts.on(OptPosix) {
		return signalTable()
	}
	var names []string
	for n := 1; n <= 64; n++ {
		if name := signalName(n); name != "" {
			names = append(names, strings.TrimPrefix(name, "SIG"))
		}
	}
	return strings.Join(names, " ") + "\n"
}
