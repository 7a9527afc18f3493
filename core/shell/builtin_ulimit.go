package shell

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"eryxsh/vfs"
)

// Ulimit is a resource limit a script has set, in the units of ulimit; -1 is unlimited.
type Ulimit struct {
	What int   `cbor:"1,keyasint"` // the option's letter, or niced
	Soft int64 `cbor:"2,keyasint,omitempty"`
	Hard int64 `cbor:"3,keyasint,omitempty"`
}

const unlimited = -1

// resource is a limit as ulimit -a lists it.
type resource struct {
	letter     byte
	name, unit string
	soft, hard int64
}

// resources are the limits that exist on Linux, in the order of ulimit -a. Only
// -f and -n are enforced by ulimit itself; a sandbox has limits of its own (package limit).
func (m *Machine) resources() []resource {
	own := func(n int64) int64 {
		if n <= 0 {
			return unlimited
		}
		return n
	}
	files, procs := own(m.Limits.OpenFiles), own(m.Limits.Processes)
	return []resource{
		{'R', "real-time non-blocking time", "microseconds", unlimited, unlimited}, {'c', "core file size", "blocks", 0, unlimited},
		{'d', "data seg size", "kbytes", unlimited, unlimited}, {'e', "scheduling priority", "", 0, 0},
		{'f', "file size", "blocks", unlimited, unlimited}, {'i', "pending signals", "", procs, procs},
		{'l', "max locked memory", "kbytes", 8192, 8192}, {'m', "max memory size", "kbytes", unlimited, unlimited},
		{'n', "open files", "", files, files}, {'p', "pipe size", "512 bytes", 8, 8},
		{'q', "POSIX message queues", "bytes", 819200, 819200}, {'r', "real-time priority", "", 0, 0},
		{'s', "stack size", "kbytes", 8192, unlimited}, {'t', "cpu time", "seconds", unlimited, unlimited},
		{'u', "max user processes", "", procs, procs}, {'v', "virtual memory", "kbytes", unlimited, unlimited},
		{'x', "file locks", "", unlimited, unlimited},
	}
}

// ulimitArg is one limit to be shown or set.
type ulimitArg struct {
	letter byte
	value  string
	set    bool
}

func (m *Machine) biUlimit(p *Process, argv []string) int {
	list, spec := m.limits(p), "aSH"
	for _, r := range list {
		spec += string(rune(r.letter)) + ";"
	}
	var todo []ulimitArg
	soft, hard, all := false, false, false
	o := m.options(p, argv, spec)
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'S':
			soft = true
		case 'H':
			hard = true
		case 'a':
			all = true
		default:
			todo = append(todo, ulimitArg{c, o.value, o.given})
		}
	}
	if o.bad {
		return 2
	}
	if all {
		var b strings.Builder
		for _, r := range list {
			b.WriteString(r.line(hard && !soft, true))
		}
		return m.out(p, "ulimit", []byte(b.String()))
	}
	if len(todo) == 0 {
		todo = []ulimitArg{{letter: 'f'}}
	}
	if last := &todo[len(todo)-1]; !last.set && len(o.args) > 0 {
		last.value, last.set = o.args[0], true
	}
	for _, t := range todo {
		list = m.limits(p)
		r := list[slices.IndexFunc(list, func(r resource) bool { return r.letter == t.letter })]
		st := 0
		if t.set {
			st = m.setUlimit(p, r, t.value, soft, hard)
		} else {
			_ = m.send(p, 1, []byte(r.line(hard && !soft, len(todo) > 1))) // a write that fails is not looked at
		}
		if st != 0 {
			return st
		}
	}
	return 0
}

// limits are the resources with what the script has set.
func (m *Machine) limits(p *Process) []resource {
	list := m.resources()
	for i, r := range list {
		if at := p.ulimit(r.letter); at >= 0 {
			list[i].soft, list[i].hard = p.Ulimits[at].Soft, p.Ulimits[at].Hard
		}
	}
	return list
}

// line shows a limit, with what it is if several are shown.
func (r resource) line(hard, many bool) string {
	n := r.soft
	if hard {
		n = r.hard
	}
	value := "unlimited"
	if n >= 0 {
		value = strconv.FormatInt(n, 10)
	}
	if !many {
		return value + "\n"
	}
	unit := "(-" + string(rune(r.letter)) + ") "
	if r.unit != "" {
		unit = "(" + r.unit + ", -" + string(rune(r.letter)) + ") "
	}
	return fmt.Sprintf("%-20s %20s%s\n", r.name, unit, value)
}

func (m *Machine) setUlimit(p *Process, r resource, value string, soft, hard bool) int {
	var n int64
	switch value {
	case "hard":
		n = r.hard
	case "soft":
		n = r.soft
	case "unlimited":
		n = unlimited
	default:
		v := uint64(0)
		for _, c := range []byte(value) {
			if c < '0' || c > '9' {
				m.complain(p, "ulimit: %s: invalid number", value)
				return 1
			}
			v = v*10 + uint64(c-'0') // it wraps, as bash's does
		}
		if (r.unit == "blocks" || r.unit == "kbytes") && v > math.MaxUint64/1024 {
			m.complain(p, "ulimit: %s: limit out of range", value)
			return 1
		}
		n = int64(min(v, math.MaxInt64))
	}
	above := func(a, b int64) bool { return b >= 0 && (a < 0 || a > b) }
	if !soft && !hard {
		soft, hard = true, true
	}
	set := Ulimit{int(r.letter), r.soft, r.hard}
	if soft {
		set.Soft = n
	}
	if hard {
		set.Hard = n
	}
	why := error(nil)
	switch {
	case above(set.Soft, set.Hard) || r.letter == 'p':
		why = vfs.EINVAL
	case above(set.Hard, r.hard):
		why = vfs.EPERM
	}
	if why != nil {
		m.complain(p, "ulimit: %s: cannot modify limit: %s", r.name, why)
		return 1
	}
	p.setUlimit(set)
	return 0
}

func (p *Process) setUlimit(set Ulimit) {
	p.Ulimits = slices.Clone(p.Ulimits) // forks share it
	if at := p.ulimit(byte(set.What)); at >= 0 {
		p.Ulimits[at] = set
	} else {
		p.Ulimits = append(p.Ulimits, set)
	}
}

// niced is no option's letter: what stands there is the niceness of the process.
const niced = 0

// niceness is what nice has added, from -20 to 19. The scheduler does not ask.
func (p *Process) niceness() int {
	if at := p.ulimit(niced); at >= 0 {
		return int(p.Ulimits[at].Soft)
	}
	return 0
}

func (p *Process) setNiceness(n int) {
	p.setUlimit(Ulimit{What: niced, Soft: int64(max(-20, min(n, 19)))})
}

func (p *Process) ulimit(letter byte) int {
	return slices.IndexFunc(p.Ulimits, func(u Ulimit) bool { return u.What == int(letter) })
}

// openFiles is the first number that no descriptor of a process may have: the limit of the sandbox, or what ulimit -n says.
func (m *Machine) openFiles(p *Process) int {
	n := m.limit(m.Limits.OpenFiles)
	if at := p.ulimit('n'); at >= 0 && p.Ulimits[at].Soft >= 0 {
		n = min(n, p.Ulimits[at].Soft)
	}
	return int(min(n, math.MaxInt))
}

const sigXFSZ = 25

// fileRoom is how many bytes a process may still write at an offset: ulimit -f.
// At the limit it gets SIGXFSZ.
func (m *Machine) fileRoom(p *Process, off int64, n int) (room int, err error) {
	if len(p.Ulimits) == 0 {
		return n, nil
	}
	at := p.ulimit('f')
	if at < 0 || p.Ulimits[at].Soft < 0 {
		return n, nil
	}
	if left := p.Ulimits[at].Soft*1024 - off; left < int64(n) {
		if left > 0 {
			return int(left), nil
		}
		t := p.trap(sigXFSZ)
		switch utility := p.top().Kind == FUtil || p.top().Kind == FFilter; {
		case utility && (t == nil || t.Text != "" || t.Inherited):
			m.rt.oversize = true
		case !utility && (t == nil || t.Inherited):
			m.signal(p, sigXFSZ)
		}
		return 0, vfs.EFBIG
	}
	return n, nil
}
