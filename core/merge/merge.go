package merge

import (
	"eryxsh/core/fault"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

// judge decides conflicts and remembers them.
type judge struct {
	ask  func(*Conflict) Decision
	all  []*Conflict
	left int // not decided
}

// labels are those of git: with the paths, if there are two.
func (j *judge) labels(ours, theirs string) Labels {
	if ours == theirs {
		return Labels{"ours", "base", "theirs"}
	}
	return Labels{"ours:" + ours, "base", "theirs:" + theirs}
}

// decide asks what becomes of a conflict.
func (j *judge) decide(c *Conflict) (Decision, error) {
	j.all = append(j.all, c)
	d := j.ask(c)
	if d.Take == Leave {
		j.left++
	}
	if d.Take == Write && !c.writable() {
		return d, fault.New(fault.Invalid, "merge", c.Path, "a conflict of kind %s is decided by \"ours\" or \"theirs\", not by content", c.Kind)
	}
	return d, nil
}

// writable reports whether content decides a conflict.
func (c *Conflict) writable() bool {
	switch c.Kind {
	case Content, BothAdded, ModifyDelete, RenameDelete, RenameRename:
		return c.Ours != nil || c.Theirs != nil
	case Variable, Alias:
		return true
	}
	return false
}

// Files merges what theirs changed since base into out, which begins as a fork
// of ours. If a conflict was left, or on an error, out is of no use.
func Files(base, ours, theirs, out *vfs.FS, ask func(*Conflict) Decision, now int64) (conflicts []*Conflict, left int, err error) {
	j := &judge{ask: ask}
	err = j.files(base, ours, theirs, out, now)
	return j.all, j.left, err
}

// Machine merges what theirs changed since base into a machine, of which ours is
// the state before. ask decides conflicts, which are returned in the order they
// were met. If any was left, or on an error, the machine is of no use.
func Machine(m *shell.Machine, base, ours, theirs *shell.Mark, ask func(*Conflict) Decision) (conflicts []*Conflict, left int, err error) {
	j := &judge{ask: ask}
	err = m.Removing(func() error {
		return j.files(&base.Files, &ours.Files, &theirs.Files, m.FS, m.Now())
	})
	if err != nil {
		return j.all, j.left, err
	}
	a, err := state(base, ours, theirs, j)
	if err == nil && j.left == 0 {
		m.Amend(a)
	}
	return j.all, j.left, err
}
