package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/vars"
	"eryxsh/vfs/persist"
)

// Hashed is where a command was found, and how often it was run from there.
type Hashed struct {
	Path string
	Hits int
}

// HashedRecord is an entry of the table that hash shows.
type HashedRecord struct {
	Name string `cbor:"1,keyasint"`
	Path string `cbor:"2,keyasint,omitempty"`
	Hits int    `cbor:"3,keyasint,omitempty"`
}

// hashed gives the path of a command, found once and then remembered. A file
// that is gone is not looked for again, as in bash, unless checkhash says so.
func (m *Machine) hashed(p *Process, name string) (string, error) {
	if name == "" || strings.Contains(name, "/") || !p.Shell.Opts.on(OptHashall) || p.tempPath() {
		return m.find(p, name)
	}
	if h, ok := p.Shell.Hashed.Get(name); ok {
		if m.runnable(p, h.Path) == nil || !p.Shell.Opts.on(OptCheckhash) && !p.Shell.Opts.on(OptPosix) {
			p.Shell.Hashed.Set(m.epoch, name, Hashed{h.Path, h.Hits + 1})
			return h.Path, nil
		}
		p.Shell.Hashed.Delete(m.epoch, name)
	}
	path, err := m.find(p, name)
	if err == nil {
		p.Shell.Hashed.Set(m.epoch, name, Hashed{path, 1})
	}
	return path, err
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

const hashUsage = "hash: usage: hash [-lr] [-p pathname] [-dt] [name ...]\n"

// hashOptions is what hash was told.
type hashOptions struct {
	list, remove, reset, show, set bool
	path                           string
	names                          []string
}

func (m *Machine) hashParse(p *Process, argv []string) (o hashOptions, status int) {
	args := argv[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		for i := 1; i < len(a); i++ {
			switch a[i] {
			case 'r':
				o.reset = true
			case 'l':
				o.list = true
			case 'd':
				o.remove = true
			case 't':
				o.show = true
			case 'p':
				o.set = true
				if o.path = a[i+1:]; o.path == "" {
					if len(args) == 0 {
						m.complain(p, "hash: -p: option requires an argument")
						m.complainRaw(p, hashUsage)
						return o, 2
					}
					o.path, args = args[0], args[1:]
				}
				i = len(a)
			default:
				m.complain(p, "hash: -%c: invalid option", a[i])
				m.complainRaw(p, hashUsage)
				return o, 2
			}
		}
	}
	o.names = args
	return o, -1
}

func (m *Machine) biHash(p *Process, argv []string) int {
	if !p.Shell.Opts.on(OptHashall) {
		m.complain(p, "hash: hashing disabled")
		return 1
	}
	o, status := m.hashParse(p, argv)
	if status >= 0 {
		return status
	}
	if o.reset {
		p.Shell.Hashed = persist.Map[Hashed]{}
	}
	if len(o.names) == 0 {
		if o.show {
			m.complain(p, "hash: -t: option requires an argument")
			return 1
		}
		if o.reset {
			return 0
		}
		return m.hashList(p, o.list)
	}
	var b strings.Builder
	status = 0
	for _, name := range o.names {
		found, ok := p.Shell.Hashed.Get(name)
		if o.show && ok { // bash counts that
			p.Shell.Hashed.Set(m.epoch, name, Hashed{found.Path, found.Hits + 1})
		}
		switch {
		case o.show && ok && o.list:
			b.WriteString("builtin hash -p " + found.Path + " " + name + "\n")
		case o.show && ok && len(o.names) > 1:
			b.WriteString(name + "\t" + found.Path + "\n")
		case o.show && ok:
			b.WriteString(found.Path + "\n")
		case (o.show || o.remove) && !ok:
			m.complain(p, "hash: %s: not found", name)
			status = 1
		case o.remove:
			p.Shell.Hashed.Delete(m.epoch, name)
		case o.set:
			p.Shell.Hashed.Set(m.epoch, name, Hashed{Path: o.path})
		case strings.Contains(name, "/") || builtins[name] != nil && !p.disabled(name):
		default:
			if _, function := p.Shell.Funcs.Get(name); function {
				continue
			}
			path, err := m.find(p, name)
			if err != nil {
				m.complain(p, "hash: %s: not found", name)
				status = 1
				continue
			}
			p.Shell.Hashed.Set(m.epoch, name, Hashed{Path: path})
		}
	}
	return max(status, m.out(p, "hash", []byte(b.String())))
}

// hashList shows the whole table.
func (m *Machine) hashList(p *Process, commands bool) int {
	if p.Shell.Hashed.Len() == 0 {
		if commands {
			return 0
		}
		return m.out(p, "hash", []byte("hash: hash table empty\n"))
	}
	var b strings.Builder
	if !commands {
		b.WriteString("hits\tcommand\n")
	}
	for _, name := range p.Shell.hashOrder() {
		h, _ := p.Shell.Hashed.Get(name)
		if commands {
			b.WriteString("builtin hash -p " + h.Path + " " + name + "\n")
		} else {
			fmt.Fprintf(&b, "%4d\t%s\n", h.Hits, h.Path)
		}
	}
	return m.out(p, "hash", []byte(b.String()))
}
