package shell

import (
	"sync"

	"eryxsh/core/cmd"
)

// Library is what machines share that come from one another by forks, or were
// loaded by one host: the utilities, and the lines they have compiled. Any
// number of machines may use it at a time.
type Library struct {
	reg    *cmd.Registry
	units  unitCache
	loaded unitCache // units of states, which stand for their whole text
}

// NewLibrary makes a Library that has compiled nothing yet.
func NewLibrary(reg *cmd.Registry) *Library { return &Library{reg: reg} }

// load compiles the text of a saved unit.
func (l *Library) load(text string, line int) (*Unit, error) {
	if len(text) > cachedText {
		return loadUnit(text, line)
	}
	key := unitKey{text, line}
	if found, ok := l.loaded.get(key); ok {
		return found.unit, nil
	}
	u, err := loadUnit(text, line)
	if err == nil {
		l.loaded.put(key, cachedUnit{u, len(text)})
	}
	return u, err
}

// Bounds of one half of a unitCache. A compiled line takes some 50 times its text.
const (
	cachedUnits = 256
	cachedBytes = 64 << 10
	cachedText  = 4 << 10 // of one text
)

// unitCache keeps compiled lines by their text: agents and loops send the same
// ones again and again, and parsing takes longer than running them. A unit never
// changes, so any number of machines may run it at a time.
//
// It has two halves. A line that is found or made goes into the young one; when
// that is full it becomes the old one, whose lines are forgotten.
type unitCache struct {
	mu         sync.Mutex
	young, old map[unitKey]cachedUnit
	bytes      int // of the texts in young
}

// unitKey is what nextUnit depends on. Texts are what is left of a script from a line on.
type unitKey struct {
	rest string
	line int
}

type cachedUnit struct {
	unit *Unit
	n    int // bytes of rest it took
}

// next is that of ahead, which it asks only for what it has not seen.
func (c *unitCache) next(a *ahead, text string, off, line int) (u *Unit, next int, err error) {
	if off >= len(text) {
		return nil, len(text), nil
	}
	if len(text) > cachedText {
		return a.next(text, off, line)
	}
	key := unitKey{text[off:], line}
	if found, ok := c.get(key); ok {
		return found.unit, off + found.n, nil
	}
	u, next, err = a.next(text, off, line)
	if err == nil && u != nil {
		c.put(key, cachedUnit{u, next - off})
	}
	return u, next, err
}

func (c *unitCache) get(key unitKey) (cachedUnit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.young[key]; ok {
		return found, true
	}
	found, ok := c.old[key]
	if ok {
		c.keep(key, found)
	}
	return found, ok
}

func (c *unitCache) put(key unitKey, made cachedUnit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, made)
}

// keep puts a line into the young half. The lock is held.
func (c *unitCache) keep(key unitKey, made cachedUnit) {
	if c.young == nil || len(c.young) >= cachedUnits || c.bytes+len(key.rest) > cachedBytes {
		c.young, c.old, c.bytes = make(map[unitKey]cachedUnit), c.young, 0
	}
	c.young[key] = made
	c.bytes += len(key.rest)
}
