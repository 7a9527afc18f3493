package core

import (
	"slices"

	"eryxsh/core/fault"
	"eryxsh/core/limit"
)

// timeline is how a World goes back in its commands and forward again: the
// states before the last commands, and those that going back has left. Each is
// a World of its own that nobody else uses; one nil stands for the state the
// World was made as, which can be made again.
type timeline struct {
	undo  []*World // before the last commands, oldest first, as Log's entries refer to them
	redo  []*World // what Redo goes to, the nearest last
	entry int      // of a state in undo: the index of the command after it
	first int      // the same for what it was made as
	past  int64    // bytes that undo and redo hold beyond the live files
}

// remember keeps the state before a command, for Undo: O(1), as many as the
// limit undo says. What Redo could go to is forgotten: something new happens.
func (w *World) remember() {
	w.forgetFuture()
	n := int(w.M.Limits.Undo)
	if n <= 0 {
		return
	}
	var b *World
	if !w.asMade() {
		if len(w.undo) >= n { // the oldest gives its memory to the newest
			b = w.forgetOldest()
		}
		if b == nil {
			b = &newRoom().world
		}
		replaced := w.M.Replaced(w.counted)
		if replaced > 0 {
			w.counted = w.M.Meter
		}
		w.copyInto(b)
		b.turned, b.entry = w.turned+replaced, 0
		w.past += b.turned
	}
	w.made, w.turned = 0, 0
	w.undo = append(w.undo, b)
	lim := limit.Or(w.M.Limits.Retained)
	for len(w.undo) > n || w.past > lim {
		w.forgetOldest()
	}
}

// heldBack is what a state in undo or redo keeps alive, in bytes.
func (w *World) heldBack() int64 {
	if w == nil {
		return 0
	}
	return w.turned
}

// asMade reports whether nothing has happened to the World since it was made: to
// go back to it, it can be made again, and until then it takes no memory.
func (w *World) asMade() bool {
	return w.made > 0 && w.M.FS.Written() == 0 && w.made == 1+w.held+w.turned && w.M.Procs[0].Shell.Vars.Unchanged()
}

// forgetOldest takes the oldest state off undo. It is nobody else's: who goes
// back to one gets a copy.
func (w *World) forgetOldest() *World {
	b := w.undo[0]
	w.past -= b.heldBack()
	w.undo = slices.Delete(w.undo, 0, 1)
	return b
}

// forgetFuture empties redo.
func (w *World) forgetFuture() {
	for _, s := range w.redo {
		w.past -= s.heldBack()
	}
	w.redo = nil
}

// before finds, in undo, the state before the command with an index; -1 if it is not kept.
func (w *World) before(index int) int {
	return slices.IndexFunc(w.undo, func(u *World) bool { return u == nil && w.first == index || u != nil && u.entry == index })
}

// stateAt returns a state in undo, which stays as it is.
func (w *World) stateAt(at int) (*World, error) {
	if state := w.undo[at]; state != nil {
		return state, nil
	}
	made, err := New(*w.Config)
	if err == nil {
		made.entry = w.first
	}
	return made, err
}

// Restorable reports whether the state before the command with an index is still kept.
func (w *World) Restorable(index int) bool { return w.before(index) >= 0 }

// Rewind goes back to the state before a command of the history. The command
// and those after it are gone from the history.
func (w *World) Rewind(index int) error {
	if !slices.ContainsFunc(w.Log, func(e Entry) bool { return e.Index == index }) {
		return fault.New(fault.NotFound, "history.restore", "", "the history has no command %d", index)
	}
	at := w.before(index)
	if at < 0 {
		return fault.New(fault.NotFound, "history.restore", "", "the state before command %d is no longer kept", index)
	}
	return w.backTo(at)
}

// Undo goes back to the state before the n-th last command; Redo comes forward
// again. A run that is going counts as the last command.
func (w *World) Undo(n int) error {
	if n < 1 {
		return fault.New(fault.Invalid, "undo", "", "a number of commands from 1 is needed, not %d", n)
	}
	if n > len(w.undo) {
		return fault.New(fault.NotFound, "undo", "", "the state before the %d. last command is not kept: %d can be undone", n, len(w.undo))
	}
	return w.backTo(len(w.undo) - n)
}

// Redo comes forward again by n of the commands that were undone, until something new is run.
func (w *World) Redo(n int) error {
	if n < 1 {
		return fault.New(fault.Invalid, "redo", "", "a number of commands from 1 is needed, not %d", n)
	}
	at := len(w.redo) - n
	if at < 0 {
		return fault.New(fault.NotFound, "redo", "", "%d commands cannot be done again: %d were undone", n, len(w.redo))
	}
	now := w.share()
	w.past += now.heldBack()
	w.undo = append(w.undo, now)
	target := w.redo[at]
	for i := len(w.redo) - 1; i > at; i-- {
		w.undo = append(w.undo, w.redo[i])
	}
	w.redo = w.redo[:at]
	w.past -= target.heldBack()
	w.become(target, nil)
	return nil
}

// backTo goes back to a state in undo; the present and the states between become redo.
func (w *World) backTo(at int) error {
	state, err := w.stateAt(at)
	if err != nil {
		return err
	}
	now := w.share()
	w.past += now.heldBack() - w.undo[at].heldBack()
	w.redo = append(w.redo, now)
	for i := len(w.undo) - 1; i > at; i-- {
		w.redo = append(w.redo, w.undo[i])
	}
	w.undo = slices.Delete(w.undo, at, len(w.undo))
	for lim := limit.Or(w.M.Limits.Retained); w.past > lim && len(w.redo) > 0; {
		w.past -= w.redo[0].heldBack() // the farthest goes first
		w.redo = slices.Delete(w.redo, 0, 1)
	}
	w.become(state, nil)
	return nil
}
