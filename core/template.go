package core

import (
	"sync"

	"eryxsh/core/shell"
	"eryxsh/core/vars"
)

// Templates makes Worlds as New does, but as forks of one made before: that
// takes a hundredth of the time, and what the Worlds have in common is there
// once. The zero value is ready; any number of threads may use it.
type Templates struct {
	mu   sync.Mutex
	made map[profile]*template
}

// profile is what a template cannot be changed in afterwards: its tree shows it.
type profile struct {
	user, hostname, cwd string
	virtual             bool
	start               int64 // of a virtual clock
}

type template struct {
	world  *World // forked under the lock
	origin *shell.Mark
}

// maxTemplates bounds the profiles kept; a program has one or two.
const maxTemplates = 16

// New makes a World. origin is the same state, for comparing with, and may be
// shared. Errors are a fault.Error of kind Invalid or File.
func (t *Templates) New(c Config) (w *World, origin *shell.Mark, err error) {
	c.normalize()
	if err := c.fits(); err != nil {
		return nil, nil, err
	}
	if w, origin, err = t.fork(c); err != nil {
		return nil, nil, err
	}
	for name := range c.Env {
		if _, ok := defaultEnv(c.User)[name]; !ok && w.M.Procs[0].Shell.Vars.Get(name) != nil {
			// a variable that the shell makes something else of when it starts
			if w, err = New(c); err != nil {
				return nil, nil, err
			}
			return w, w.Mark(), nil
		}
	}
	if err := w.dress(c); err != nil {
		return nil, nil, err
	}
	for _, name := range sortedKeys(c.Env) {
		w.M.Procs[0].Shell.Vars.Bind(name, vars.New(c.Env[name], vars.Export))
	}
	if len(c.Env)+len(c.Files) > 0 {
		origin = w.Mark()
	} else {
		w.made = 1 + w.held + w.turned
	}
	return w, origin, nil
}

func (t *Templates) fork(c Config) (w *World, origin *shell.Mark, err error) {
	key := profile{user: c.User, hostname: c.Hostname, cwd: c.Cwd, virtual: c.Virtual}
	if c.Virtual {
		key.start = c.Start
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	made := t.made[key]
	if made == nil {
		bare := Config{User: c.User, Hostname: c.Hostname, Cwd: c.Cwd, Virtual: c.Virtual, Start: c.Start}
		if w, err = newBare(bare); err != nil {
			return nil, nil, err
		}
		w.M.Procs[0].Shell.Vars.Environ() // kept in the table, and so in all its forks
		w.M.Procs[0].Shell.Vars.SetOrigin()
		made = &template{world: w, origin: w.Mark()}
		if t.made == nil || len(t.made) >= maxTemplates {
			t.made = map[profile]*template{}
		}
		t.made[key] = made
	}
	return made.world.share(), made.origin, nil
}

// Mark keeps what a later state is compared with.
func (w *World) Mark() *shell.Mark {
	w.count()
	return w.M.Mark()
}

// dress gives a bare World what its Config asks for besides its profile and its environment.
func (w *World) dress(c Config) error {
	w.Config, w.Lineage = &c, mix(c.Seed^0x6c696e65616765)
	w.M.Reseed(c.Seed)
	w.M.Bound(c.Limits)
	w.M.Clock.Now = c.Start
	w.M.Procs[0].Shell.Started = c.Start
	for _, p := range sortedKeys(c.Files) {
		if err := w.write(absolute(c.Cwd, p), c.Files[p], c.Start); err != nil {
			return err
		}
	}
	if len(c.Tools) > 0 {
		w.M.SetTools(c.Tools)
	}
	return nil
}
