package store

import (
	"slices"

	"eryxsh/state/internal/record"
)

// Reading is something that is read from packs: Work, Give what it wants, and
// again, until nothing is wanted.
type Reading interface {
	Work() ([]Range, error)
	Give(r Range, data []byte) error
}

// Commit describes a commit.
type Commit struct {
	ID ID
	record.Commit
}

// Log is a history on its way out of a store: the commits from one on, each
// followed by the one it was made from.
type Log struct {
	tasks
	most    int
	cut     []ID
	Commits []Commit
}

// NewLog begins to read at most so many commits; 0 is all.
func NewLog(r Ref, most int) *Log {
	l := &Log{tasks: tasks{from: NewSource(r.Packs)}, most: most, cut: r.Cut}
	l.next(r.Commit)
	return l
}

func (l *Log) next(id ID) {
	l.need(id, KindCommit, func(b body) error {
		c, err := readCommit(b.data)
		if err != nil {
			return err
		}
		l.Commits = append(l.Commits, Commit{id, c})
		if len(c.Parents) > 0 && len(l.Commits) != l.most && !slices.Contains(l.cut, id) {
			l.next(ID(c.Parents[0]))
		}
		return nil
	})
}

// Check reads everything that leads from a ref and everything else in its packs.
type Check struct {
	from    *Source
	ref     Ref
	asked   bool
	Objects int64
	Bytes   int64
	Commits int64
	Faults  []string // at most mostFaults
}

const mostFaults = 100

// NewCheck begins to check.
func NewCheck(r Ref) *Check { return &Check{from: NewSource(r.Packs), ref: r} }

// Work asks for all packs, whole, and looks at them when they are there.
func (c *Check) Work() (all []Range, err error) {
	if c.asked {
		c.check()
		return nil, nil
	}
	c.asked = true
	for _, p := range c.ref.Packs {
		all = append(all, Range{PackID(p.ID), 0, p.Size})
	}
	return all, nil
}

// Give gives it a pack. Bytes that make no sense are a fault that it notes.
func (c *Check) Give(r Range, data []byte) error {
	c.Bytes += int64(len(data))
	if err := c.from.Give(r, data); err != nil {
		c.fault(err)
	} else if string(data[:len(PackMagic)]) != PackMagic {
		c.fault(damaged("pack %s does not begin as a pack does", r.Pack))
	}
	return nil
}

func (c *Check) fault(err error) {
	if text := err.Error(); len(c.Faults) < mostFaults && !slices.Contains(c.Faults, text) {
		c.Faults = append(c.Faults, text)
	}
}

// check looks at all objects, then at whether each that another names is there.
func (c *Check) check() {
	if c.from.indexes < len(c.from.packs) {
		c.fault(damaged("not all packs can be read"))
		return
	}
	for _, p := range c.from.packs {
		for i, b := range p.index.blocks {
			if p.blocks[i] == nil && b.size() > 0 {
				c.fault(damaged("pack %s: block %d cannot be read", p.index.ID, i))
			}
		}
		used := make([]int, len(p.index.blocks))
		for _, id := range p.index.order {
			at := p.index.objects[id]
			used[at.block] += at.size
			c.Objects++
			if _, _, err := c.from.object(id, at.kind); err != nil {
				c.fault(err)
			}
		}
		for i, b := range p.index.blocks {
			if used[i] != b.size() {
				c.fault(damaged("pack %s: block %d has %d bytes, %d are used", p.index.ID, i, b.size(), used[i]))
			}
		}
	}
	c.reach()
}

// reach follows all that leads from the commit, each object once.
func (c *Check) reach() {
	l := &Load{tasks: tasks{from: c.from, seen: map[ID]bool{}}, left: 1 << 62}
	var commit func(id ID)
	commit = func(id ID) {
		l.need(id, KindCommit, func(b body) error {
			c.Commits++
			all, err := readCommit(b.data)
			if err != nil {
				return err
			}
			for _, p := range all.Parents {
				if !slices.Contains(c.ref.Cut, id) {
					commit(ID(p))
				}
			}
			return l.begin(b)
		})
	}
	commit(c.ref.Commit)
	done, err := l.work()
	if err != nil {
		c.fault(err)
	} else if !done {
		c.fault(damaged("not everything can be read"))
	}
}
