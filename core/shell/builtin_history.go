package shell

import (
	"fmt"
	"strings"
)

// History is where the shell's history lives: in the World, one for the shell,
// Python and RPC. The machine asks through it.
type History interface {
	// Lines gives the commands from first to last, and the number of the first.
	Lines() (first int, commands []string)
	// Clear forgets all of them.
	Clear()
	// Add appends one, as history -s does.
	Add(command string)
	// Remove forgets one by its number.
	Remove(number int) bool
}

// SetHistory gives the machine the World's history for the slice to come.
func (m *Machine) SetHistory(h History) {
	m.own()
	m.rt.history = h
}

func (m *Machine) biHistory(p *Process, argv []string) int {
	args := argv[1:]
	h := m.rt.history
	if h == nil {
		return 0
	}
	limit := -1
	switch {
	case len(args) == 0 || args[0] == "list":
		if len(args) > 1 {
			limit, _ = number(args[1])
		}
	case args[0] == "clear" || args[0] == "-c":
		h.Clear()
		return 0
	case args[0] == "-d":
		if len(args) < 2 {
			m.complain(p, "history: -d: option requires an argument")
			return 2
		}
		n, ok := number(args[1])
		if !ok || !h.Remove(n) {
			m.complain(p, "history: %s: history position out of range", args[1])
			return 1
		}
		return 0
	case args[0] == "-s":
		h.Add(strings.Join(args[1:], " "))
		return 0
	case args[0] == "-w" || args[0] == "-r" || args[0] == "-a" || args[0] == "-n" || args[0] == "-p":
		m.complain(p, "eryxsh: history %s: not yet", args[0])
		m.missing("history " + args[0])
		return 2
	default:
		n, ok := number(args[0])
		if !ok {
			if strings.HasPrefix(args[0], "-") {
				return m.usage(p, "history", args[0], "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]")
			}
			m.complain(p, "history: %s: numeric argument required", args[0])
			return 1
		}
		limit = n
	}
	first, lines := h.Lines()
	if limit >= 0 && limit < len(lines) {
		first += len(lines) - limit
		lines = lines[len(lines)-limit:]
	}
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%5d  %s\n", first+i, l)
	}
	return m.out(p, "history", []byte(b.String()))
}

// missing notes a feature that is not there, for result.unsupported.
func (m *Machine) missing(what string) {
	for _, w := range m.IO.Missing {
		if w == what {
			return
		}
	}
	m.IO.Missing = append(m.IO.Missing, what)
}

func (m *Machine) notYet(p *Process, what string) int {
	m.complainRaw(p, "eryxsh: "+what+": not yet\n")
	m.missing(what)
	return 2
}

func (m *Machine) biFc(p *Process, _ []string) int { return m.notYet(p, "fc") }
