package core

import (
	"cmp"
	"slices"
	"strings"

	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// Start is what a run begins with.
type Start struct {
	Script  string
	Argv    []string // instead of Script
	Stdin   []byte
	Open    bool // more input may come
	Env     map[string]string
	Cwd     string
	Timeout int64 // ns; 0 none
	Limits  map[string]int64
	Suspend bool // on_limit="suspend"
	Keep    bool // delivered output stays in the World until the run's end
}

// Begin starts a run and gives its id. One that is active is a Busy fault.
func (w *World) Begin(s Start) (string, error) {
	if w.M.Run.Active {
		return "", w.Busy("start")
	}
	if len(s.Limits) > 0 {
		limits := w.M.Limits
		l := limits
		for _, name := range sortedKeys(s.Limits) {
			if err := l.Set(name, s.Limits[name]); err != nil {
				return "", &fault.Error{Kind: fault.Invalid, Op: "start", Err: err}
			}
		}
		w.M.Bound(l)
		w.saved = &limits
	}
	w.remember()
	begun := shell.Start{Script: s.Script, Argv: s.Argv, Stdin: s.Stdin, Open: s.Open, Env: s.Env, Cwd: s.Cwd, Timeout: s.Timeout, Suspend: s.Suspend}
	if err := w.M.Begin(begun); err != nil {
		w.forget()
		return "", &fault.Error{Kind: fault.File, Op: "start", Path: s.Cwd, Err: err}
	}
	w.M.RunID = w.runID()
	w.Kept, w.Keep, w.own = nil, s.Keep, false
	w.begins(begun)
	return w.M.RunID, nil
}

// Going reports whether there is a run that has not ended, or whose output has not all been taken.
func (w *World) Going() bool { return w.M.Run.Active || len(w.M.IO.Out) > 0 }

// Busy is a Busy fault while a run is going, for an operation that cannot be done meanwhile.
func (w *World) Busy(op string) error {
	if !w.Going() {
		return nil
	}
	return fault.New(fault.Busy, op, w.M.RunID, "the sandbox is busy with the run %s: drive, answer or cancel it first", w.M.RunID)
}

// forget takes back what Begin did before it failed.
func (w *World) forget() {
	if n := len(w.undo); n > 0 {
		w.past -= w.undo[n-1].heldBack()
		w.undo = w.undo[:n-1]
	}
	if w.saved != nil {
		w.M.Bound(*w.saved)
		w.saved = nil
	}
}

// Advance moves the active run for a slice and says why it came back. until is
// the time to come back at when the outcome is Sleeping.
//
// A step that takes long is left in its middle when the run is to be suspended or
// its time is used up, and a limit may be met inside a step. Such a run goes back
// to the beginning of the slice, of which nothing has left the World yet, or further (retry).
func (w *World) Advance(h shell.Host) (out shell.Outcome, until int64) {
	if !w.M.Run.Active {
		return shell.Done, 0
	}
	if len(w.M.Run.Marks) > 0 { // output was taken before it
		return shell.Marked, 0
	}
	w.M.SetHistory((*history)(w))
	began := h.Now()
	if clock := &w.M.Clock; !clock.Virtual {
		clock.Now = max(clock.Now, began)
	}
	before := w.mark(began)
	w.M.GoesBack(before.possible())
	out, until = w.M.Advance(h)
	ended := h.Now()
	if clock := &w.M.Clock; !clock.Virtual {
		clock.Now = max(clock.Now, ended)
	}
	limited := w.M.Run.Suspend && before.point != nil && w.M.Run.Class == "LIMIT_EXCEEDED"
	if out == shell.GivenUp || limited {
		name := w.M.Run.Limit
		w.goBack(&before)
		if out = shell.Sliced; limited {
			w.M.Run.Limit, out = name, shell.Limited
		}
	}
	w.ended(&before, out, began, ended)
	w.spend(ended - began)
	if !w.M.Run.Active {
		w.end()
		return shell.Done, 0
	}
	if name := w.timeUp(); name != "" {
		if w.M.Run.Suspend {
			w.M.Run.Limit = name
			return shell.Limited, 0
		}
		w.M.Expire(name)
		w.end()
		return shell.Done, 0
	}
	return out, until
}

// spend counts time of slices and sleeps against the timeout and the time limit.
func (w *World) spend(ns int64) {
	w.M.Meter.Time += ns
	if r := &w.M.Run; r.Left > 0 {
		if r.Left -= ns; r.Left <= 0 {
			r.Left = -1
		}
	}
}

// Slept counts a sleep the caller waited out.
func (w *World) Slept(ns int64) {
	w.spend(ns)
	if name := w.timeUp(); name != "" && !w.M.Run.Suspend {
		w.M.Expire(name)
		w.end()
	}
}

// timeUp names the budget of time that is used up.
func (w *World) timeUp() string {
	if w.M.Run.Left < 0 {
		return limit.Timeout
	}
	if lim := w.M.Limits.Time; lim > 0 && w.M.Meter.Time >= lim {
		return "time"
	}
	return ""
}

// TimeLeft is how long the run may still take, in ns, by its timeout and the
// limit time; ok is false without either.
func (w *World) TimeLeft() (ns int64, ok bool) {
	ns, ok = max(w.M.Run.Left, 0), w.M.Run.Left != 0
	if lim := w.M.Limits.Time; lim > 0 {
		if left := max(lim-w.M.Meter.Time, 0); !ok || left < ns {
			ns, ok = left, true
		}
	}
	return ns, ok
}

// end records an ended run.
func (w *World) end() {
	r := &w.M.Run
	w.M.IO.In = nil
	if !w.Going() {
		w.Kept = nil
	}
	if w.saved != nil {
		w.M.Bound(*w.saved)
		w.saved = nil
	}
	if r.Command != "" {
		w.record(Entry{Command: cmp.Or(r.Stands, r.Command), Time: r.Started, Status: r.Status, Duration: max(w.M.Now()-r.Started, 0)})
		r.Stands = ""
	}
}

// Cancel ends the active run: status 130.
func (w *World) Cancel() {
	if w.M.Run.Active {
		w.M.Cancel()
		w.end()
	}
}

// Refill adds to budgets that suspended a run, all or, with a fault, none.
// timeout is in ns. A budget never grows beyond what it can hold, and one that
// has no limit has none afterwards.
func (w *World) Refill(add map[string]int64) error {
	l, r := w.M.Limits, w.M.Run
	for _, name := range sortedKeys(add) {
		v := add[name]
		if v <= 0 {
			return fault.New(fault.Invalid, "resume", name, "an amount is positive, not %d", v)
		}
		if name == limit.Timeout {
			if r.Left != 0 {
				r.Left = limit.Plus(max(r.Left, 0), v)
			} else if r.Deadline > 0 {
				r.Deadline = limit.Plus(r.Deadline, v)
			}
			continue
		}
		row, ok := limit.Find(name)
		if !ok {
			return fault.New(fault.Invalid, "resume", name, "no limit is called %q", name)
		}
		if f := row.Field(&l); *f > 0 {
			*f = limit.Plus(*f, v)
		}
	}
	w.M.Bound(l)
	w.M.Run.Left, w.M.Run.Deadline, w.M.Run.Limit = r.Left, r.Deadline, ""
	return nil
}

// Take gives the output written since the last Take, in order.
func (w *World) Take() []shell.Chunk {
	out := w.M.TakeOutput()
	w.left(out, 0)
	return out
}

// TakeFirst gives the next chunk alone, or none. One of a stream that is among
// taken, the sum of their numbers, is the caller's: the World does not keep it.
func (w *World) TakeFirst(taken int) []shell.Chunk {
	c, ok := w.M.TakeChunk()
	if !ok {
		return nil
	}
	out := []shell.Chunk{c}
	w.left(out, taken)
	return out
}

// left notes output that leaves the World.
func (w *World) left(out []shell.Chunk, taken int) {
	if len(out) > 0 && w.retry != nil {
		w.retry.last.leave()
	}
	if !w.Going() {
		w.Kept = nil
	}
	if !w.Keep || !w.Going() {
		return
	}
	for _, c := range out {
		if c.Stream&taken == 0 {
			w.keep(c.Stream, c.Data)
		}
	}
}

// keptChunk is the length of a kept chunk in bytes. A chunk is filled before the
// next begins, so that what is saved does not depend on how it was delivered.
const keptChunk = 64 << 10

// keep adds delivered output to what a dump carries.
func (w *World) keep(stream int, data []byte) {
	if n := len(w.Kept); !w.own && n > 0 { // a fork has the same chunks
		w.Kept = append(make([]shell.Chunk, 0, n+1), w.Kept...)
		w.Kept[n-1].Data = slices.Clip(w.Kept[n-1].Data)
	}
	w.own = true
	for len(data) > 0 {
		n := len(w.Kept)
		if n == 0 || w.Kept[n-1].Stream != stream || len(w.Kept[n-1].Data) >= keptChunk {
			w.Kept = append(w.Kept, shell.Chunk{Stream: stream})
			n++
		}
		last := &w.Kept[n-1].Data
		take := min(keptChunk-len(*last), len(data))
		*last = append(*last, data[:take]...)
		data = data[take:]
	}
}

// history is the World's history as the shell sees it.
type history World

// Lines gives the commands kept, oldest first.
func (h *history) Lines() (first int, commands []string) {
	first = h.LogNext + 1
	for i, e := range h.Log {
		if i == 0 {
			first = e.Index
		}
		commands = append(commands, strings.TrimSuffix(e.Command, "\n"))
	}
	if s := h.M.Run.Stands; s != "" {
		commands = append(commands, s)
	}
	return first, commands
}

// Clear forgets every command.
func (h *history) Clear() {
	(*World)(h).ClearHistory()
	h.M.Run.Stands = ""
}

// Add appends a command that was not run.
func (h *history) Add(command string) {
	w := (*World)(h)
	w.record(Entry{Command: command, Time: w.M.Now()})
}

// Replace puts a command where the one that runs will stand when it has ended.
func (h *history) Replace(command string) {
	r := &h.M.Run
	if r.Command == "" || command == "" { // it will not
		h.Add(command)
		return
	}
	if r.Stands != "" {
		h.Add(r.Stands)
	}
	r.Stands = command
}

// Remove forgets the command that Lines gives a number.
func (h *history) Remove(n int) bool {
	first, lines := h.Lines()
	switch i := n - first; {
	case i < 0 || i >= len(lines):
		return false
	case i == len(h.Log):
		h.M.Run.Stands = ""
	default:
		h.Log = append(h.Log[:i:i], h.Log[i+1:]...)
	}
	return true
}

func (w *World) record(e Entry) {
	w.LogNext++
	e.Index = w.LogNext
	if n := len(w.undo); n > 0 {
		if u := w.undo[n-1]; u != nil {
			u.entry = e.Index
		} else {
			w.first = e.Index
		}
	}
	w.Log = append(w.Log, e)
	if n := int(w.M.Limits.History); n > 0 && len(w.Log) > n {
		w.Log = w.Log[len(w.Log)-n:]
	}
}

// ClearHistory forgets every command; numbers go on.
func (w *World) ClearHistory() { w.Log = nil }

// BaseLimits are the sandbox's own limits while a run has others, or nil.
func (w *World) BaseLimits() *limit.Limits { return w.saved }

// Restrict puts a host's bounds on a World that was loaded: its own limits stay where they are tighter.
func (w *World) Restrict(bound limit.Limits) {
	w.Config.Limits = w.Config.Limits.Within(bound)
	if w.saved != nil {
		base := w.saved.Within(bound)
		w.saved = &base
	}
	w.M.Bound(w.M.Limits.Within(bound))
}

// SetBaseLimits says which limits come back when the run ends.
func (w *World) SetBaseLimits(l limit.Limits) { w.saved = &l }
