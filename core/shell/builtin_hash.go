package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Hashed is a command whose place is remembered: it is run from there until
// the table is emptied, also when PATH would now lead elsewhere.
type Hashed struct {
	Name string `cbor:"1,keyasint"`
	Path string `cbor:"2,keyasint,omitempty"`
	Hits int    `cbor:"3,keyasint,omitempty"` // how often it was run
}

// lookUp finds the file of a command that is about to run, and remembers it.
func (m *Machine) lookUp(p *Process, name string) (string, error) {
	if strings.Contains(name, "/") || p.tempPath() {
		return m.find(p, name)
	}
	h, ok := p.Shell.Hashed.Get(name)
	if ok && (p.Shell.Opts.on(OptCheckhash) || p.Shell.Opts.on(OptPosix)) && m.runnable(p, h.Path) != nil {
		ok = false
	}
	if !ok {
		path, err := m.find(p, name)
		if err != nil || !p.Shell.Opts.on(OptHashall) {
			return path, err
		}
		h = Hashed{Name: name, Path: path}
	}
	m.hit(p, h)
	return h.Path, m.runnable(p, h.Path)
}

// tempPath reports whether PATH is set for the command at hand only.
func (p *Process) tempPath() bool {
	f := p.top()
	return f.Kind == FSimple && f.X != nil && slices.ContainsFunc(f.X.Vars, func(s Saved) bool { return s.Temp && s.Name == "PATH" })
}

// hashOrder lists the table as bash does: by chain, of which there are 256.
func (s *Shell) hashOrder() (names []string) {
	names = s.Hashed.Keys()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(vars.Hash(a)&255, vars.Hash(b)&255) })
	return names
}

// hit counts a use of a remembered place.
func (m *Machine) hit(p *Process, h Hashed) {
	h.Hits++
	p.Shell.Hashed.Set(m.epoch, h.Name, h)
}

// biHash shows and changes the table of remembered commands.
func (m *Machine) biHash(p *Process, argv []string) int {
	if !p.Shell.Opts.on(OptHashall) {
		m.complain(p, "hash: hashing disabled")
		return 1
	}
	list, remove, show, clear, path := false, false, false, false, ""
	o := m.options(p, argv, "dlp:rt")
	for c := o.next(); c != 0; c = o.next() {
		switch c {
		case 'r':
			clear = true
		case 'l':
			list = true
		case 'd':
			remove = true
		case 't':
			show = true
		case 'p':
			path = o.value
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	if len(args) == 0 && (remove || show) {
		m.complain(p, "hash: -%s: option requires an argument", map[bool]string{true: "d", false: "t"}[remove])
		return 1
	}
	if clear {
		p.Shell.Hashed = persist.Map[Hashed]{}
	}
	if len(args) == 0 {
		if clear {
			return 0
		}
		return m.hashTable(p, list)
	}
	var b strings.Builder
	status := 0
	for _, name := range args {
		switch {
		case path != "":
			if m.runnable(p, path) == vfs.EISDIR {
				m.complain(p, "hash: %s: Is a directory", path)
				status = 1
				continue
			}
			p.Shell.Hashed.Set(m.epoch, name, Hashed{Name: name, Path: path})
		case remove || show:
			h, ok := p.Shell.Hashed.Get(name)
			if !ok {
				m.complainAfter(p, &b, "hash", "%s: not found", name)
				status = 1
				continue
			}
			m.hit(p, h)
			switch {
			case remove:
				p.Shell.Hashed.Delete(m.epoch, name)
			case list:
				b.WriteString("builtin hash -p " + h.Path + " " + name + "\n")
			case len(args) > 1:
				b.WriteString(name + "\t" + h.Path + "\n")
			default:
				b.WriteString(h.Path + "\n")
			}
		default:
			status = max(status, m.hashName(p, name))
		}
	}
	return max(status, m.out(p, "hash", []byte(b.String())))
}

// hashName looks a command up anew and remembers it.
func (m *Machine) hashName(p *Process, name string) int {
	if _, fn := p.Shell.Funcs.Get(name); fn || builtins[name] != nil || strings.Contains(name, "/") {
		return 0
	}
	p.Shell.Hashed.Delete(m.epoch, name)
	file, err := m.find(p, name)
	if err != nil {
		m.complain(p, "hash: %s: not found", name)
		return 1
	}
	p.Shell.Hashed.Set(m.epoch, name, Hashed{Name: name, Path: file})
	return 0
}

// hashTable prints the table, as commands or for people.
func (m *Machine) hashTable(p *Process, list bool) int {
	var b strings.Builder
	if p.Shell.Hashed.Len() == 0 && (!list || p.Shell.Opts.compat() <= 50) && !p.Shell.Opts.on(OptPosix) {
		b.WriteString("hash: hash table empty\n")
	}
	if p.Shell.Hashed.Len() > 0 && !list {
		b.WriteString("hits\tcommand\n")
	}
	for _, name := range p.Shell.hashOrder() {
		h, _ := p.Shell.Hashed.Get(name)
		if list {
			b.WriteString("builtin hash -p " + h.Path + " " + name + "\n")
		} else {
			fmt.Fprintf(&b, "%4d\t%s\n", h.Hits, h.Path)
		}
	}
	return m.out(p, "hash", []byte(b.String()))
}
