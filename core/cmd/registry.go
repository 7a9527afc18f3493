package cmd

import "sort"

// Registry finds commands by name. It is immutable and can be shared by every World of a process.
type Registry struct {
	byName map[string]*Command
	names  []string
}

// NewRegistry indexes the lists; of two commands with one name the later wins,
// so that an extension can replace a utility.
func NewRegistry(lists ...[]*Command) *Registry {
	r := &Registry{byName: map[string]*Command{}}
	for _, list := range lists {
		for _, c := range list {
			if r.byName[c.Name] == nil {
				r.names = append(r.names, c.Name)
			}
			r.byName[c.Name] = c
		}
	}
	sort.Strings(r.names)
	return r
}

// Lookup finds a command; nil if there is none of that name.
func (r *Registry) Lookup(name string) *Command { return r.byName[name] }

// Names lists the commands in byte order. The caller must not change it.
func (r *Registry) Names() []string { return r.names }
