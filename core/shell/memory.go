package shell

import (
	"eryxsh/core/large"
	"eryxsh/core/limit"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// The limit memory is of all that variables, parameters, buffers and utilities
// hold together. Counting it takes as long as there is much, so it is done only
// when it may have been met: what was held when it was counted last, and all
// that was taken since, garbage or not, are more than the limit.

// slack is the part of the limit that must have been taken before it is counted
// again: a script that stays close below the limit is not counted all the time.
const slack = 16

// takenCost is what a value takes besides its text, in bytes.
const takenCost = 48

// About what a frame takes, with and without an Extra, and a process besides; a call and what it stands in; a function,
// and an alias or a hashed command: bytes.
const (
	frameCost    = 112
	extraCost    = 448
	processCost  = 2048
	callCost     = 1280
	fewFrames    = 64 << 10 // of frames and processes that any script may have
	functionCost = 1024
	nameCost     = 128
)

// Bound puts limits on the machine and its file system. A pipe has room for what it holds already, as F_SETPIPE_SZ has it.
func (m *Machine) Bound(l limit.Limits) {
	for i := range m.Pipes {
		if n := int64(len(m.Pipes[i].Buf)); l.Pipe > 0 && n > l.Pipe {
			l.Pipe = n
		}
	}
	m.Limits = l
	m.FS.SetLimits(vfs.Limits{Bytes: l.FileBytes, Files: l.Files, FileSize: l.FileSize})
}

// retain counts a value of n bytes that is about to be kept.
func (m *Machine) retain(n int) {
	t := &m.Meter
	t.Taken += int64(n) + takenCost
	if lim := m.Limits.Memory; lim > 0 && t.Held+t.Taken > lim && t.Taken > lim/slack {
		m.hold(n)
		m.count()
		if t.Held+int64(n) > lim {
			m.stop("memory")
		}
	}
}

// need asks for n bytes that are about to be taken beside all that is held: a buffer that is made
// and may be gone soon, an old one beside the new. So all together may be half as much again as the
// limit. Without a limit, only what no machine has is refused.
func (m *Machine) need(n int64) {
	m.fits(n)
	m.makeRoom(n)
}

// fits ends the run if n bytes are too many beside what is held.
func (m *Machine) fits(n int64) {
	t, lim := &m.Meter, m.Limits.Memory
	if lim <= 0 {
		lim = limit.MostMemory
	}
	if n > lim {
		m.stop("memory")
	}
	if most := lim + lim/2 - n; t.Held+t.Taken > most {
		if m.count(); t.Held > most {
			m.stop("memory")
		}
	}
}

// makeRoom tells the host that n bytes are about to be taken.
func (m *Machine) makeRoom(n int64) {
	if h, ok := m.rt.host.(roomy); ok && n > little {
		h.Room(n)
	}
}

// roomy is a Host that can have garbage collected: what was asked for in a step, and is garbage, would be
// beside what is about to be taken. Nothing of a run depends on it.
type roomy interface {
	// Room says that n bytes are about to be taken.
	Room(n int64)
}

// needMore is need for a step that makes several buffers, of which the earlier may still be used:
// n bytes beside those. If n is negative, so many of them are garbage.
func (m *Machine) needMore(n int64) {
	m.rt.made = max(m.rt.made+n, 0)
	if n > 0 {
		m.fits(m.rt.made)
		m.makeRoom(n)
	}
}

// deepens ends the run if p calls itself too deep. That calls take memory is counted now and then.
func (m *Machine) deepens(p *Process) {
	const often = 64
	if int64(p.Depth) >= m.limit(m.Limits.Depth) {
		m.stop("depth")
	}
	if p.Depth%often == often-1 {
		m.retain(often * callCost)
	}
}

// retainAll is retain for a list of words.
func (m *Machine) retainAll(words []string) {
	for i, w := range words {
		m.retain(len(w))
		if i&(manyWords-1) == manyWords-1 {
			m.charge(manyWords >> 3)
		}
	}
}

// manyWords is how many words are worth charging for.
const manyWords = 1 << 10

// list copies words, of which there may be very many.
func (m *Machine) list(p *Process, words []string) []string {
	if len(words) <= manyWords {
		return append([]string(nil), words...)
	}
	return large.List(words, m.env(p))
}

// retainMore counts a value that is about to be put behind an old one.
func (m *Machine) retainMore(old *vars.Var, value string, add bool) {
	m.retain(len(value))
	if add && old.Len() <= 1 {
		m.growTo(old, old.String(), value)
	}
}

// growTo asks for what it takes to put more behind a value of v.
func (m *Machine) growTo(v *vars.Var, old, more string) {
	if len(old)+len(more) > little {
		m.hold(len(old) + len(more))
		m.need(int64(v.Growth(old, more)))
	}
}

// count sets what is held. Only what the run itself does may count: when it is done is seen in
// Meter, and whoever else looks at a machine must leave it as it would be without him.
func (m *Machine) count() { m.Meter.Held, m.Meter.Taken = m.census(), 0 }

// census is what is held.
func (m *Machine) census() int64 {
	var c vars.Census
	var first *vars.Table
	var control int64
	for _, p := range m.Procs {
		if s := p.Shell; s != nil {
			c.Table(s.Vars, first)
			if first == nil {
				first = s.Vars
			}
			c.Texts(s.Params)
			c.Texts(s.Dirs)
			if s.Args != nil {
				c.Texts(s.Args.Words)
			}
			if s.Editor != nil {
				c.Bytes += s.Editor.Size()
			}
			c.Bytes += int64(s.Aliases.Len()+s.Hashed.Len())*nameCost + int64(s.Funcs.Len())*functionCost
		}
		control += processCost + frameCost*int64(len(p.Frames))
		for i := range p.Frames {
			c.Texts(p.Frames[i].Words)
			if x := p.Frames[i].X; x != nil {
				control += extraCost
				x.count(&c)
			}
		}
		for _, q := range p.Queue {
			c.Bytes += int64(len(q.Data))
		}
	}
	for i := range m.Files {
		c.Bytes += int64(m.Files[i].size())
	}
	c.Bytes += max(control-fewFrames, 0)
	return c.Bytes
}

func (x *Extra) count(c *vars.Census) {
	c.Texts(x.Params)
	c.Texts(x.Fields)
	c.Text(x.Text)
	c.Bytes += int64(x.size())
	for i := range x.Vars {
		c.Var(x.Vars[i].Var)
	}
	for i := range x.Memo.Entries {
		c.Bytes += int64(large.Size(x.Memo.Entries[i].List, x.Memo.Entries[i].Text))
	}
	if x.Util != nil {
		c.Bytes += int64(x.Util.Held + len(x.Util.Out))
	}
}

// heavyPart is the part of the limit memory that makes a machine heavy.
const heavyPart = 4

// Heavy reports whether so much is held that another version of it beside it would be
// over what the limit memory means: the text that grows is copied where a point has the old one.
// The host asks whenever it likes, so it leaves no trace in Meter: what was held when it asked last
// is remembered apart, and counted again when a slack's worth more was taken.
func (m *Machine) Heavy() bool {
	t, w, most := &m.Meter, &m.rt.weighed, m.Limits.Memory/heavyPart
	if most <= 0 || t.Held+t.Taken <= most {
		return false
	}
	if t.Taken <= most {
		return t.Held > most
	}
	if more := t.Taken - w.taken; t.Held != w.before || more < 0 || more > most/slack {
		w.before, w.taken, w.held = t.Held, t.Taken, m.census()
	}
	return w.held > most
}

// weighed is what is known of memory beside Meter: what Heavy found at a time, and what a step has asked for.
type weighed struct {
	before, taken int64 // Meter when Heavy counted
	held          int64 // what it found
	made          int64 // bytes asked for by expansions in this step, which may still be used
}

// little is what is not worth counting: bytes.
const little = 1 << 20

// Replaced is about how many bytes of variables and buffers are not those of an
// earlier time any more, at most: since is what Meter was then. Little is 0, and then
// the earlier time stays the one to compare with.
func (m *Machine) Replaced(since limit.Meter) int64 {
	t := &m.Meter
	taken := t.Taken - since.Taken
	switch {
	case t.Held != since.Held || taken < 0: // counted since
		return m.census()
	case taken < little:
		return 0
	}
	return min(taken, m.census())
}
