// Package limit holds every bound of a sandbox in one table, and the meter
// that counts against them.
//
// The defaults are generous: an honest script never meets one. A limit that is
// met ends the run with its name; none of them shortens a result silently,
// except output, which cuts, flags and says so.
package limit

import (
	"fmt"
	"math"
	"sort"
)

// Limits are the bounds of one sandbox. A field of 0 means no limit.
type Limits struct {
	Time       int64 `cbor:"1,keyasint,omitempty"`  // ns of slices and sleeps over the sandbox's life
	Steps      int64 `cbor:"2,keyasint,omitempty"`  // machine steps over the sandbox's life
	Memory     int64 `cbor:"3,keyasint,omitempty"`  // bytes held by variables, buffers and utilities
	FileBytes  int64 `cbor:"4,keyasint,omitempty"`  // bytes stored in the file system
	Files      int64 `cbor:"5,keyasint,omitempty"`  // inodes in the file system
	FileSize   int64 `cbor:"6,keyasint,omitempty"`  // logical bytes of one file
	Output     int64 `cbor:"7,keyasint,omitempty"`  // bytes a stream and call; beyond it output is cut and flagged
	Depth      int64 `cbor:"8,keyasint,omitempty"`  // nested functions, sourced files, evals and substitutions
	Processes  int64 `cbor:"9,keyasint,omitempty"`  // live processes
	OpenFiles  int64 `cbor:"10,keyasint,omitempty"` // descriptors of one process
	Pipe       int64 `cbor:"11,keyasint,omitempty"` // bytes buffered in one pipe
	Glob       int64 `cbor:"12,keyasint,omitempty"` // directory entries looked at by one expansion
	RegexSteps int64 `cbor:"13,keyasint,omitempty"` // backtracking steps of one match
	History    int64 `cbor:"14,keyasint,omitempty"` // entries kept
	Undo       int64 `cbor:"15,keyasint,omitempty"` // commands whose state before them is kept
	Retained   int64 `cbor:"16,keyasint,omitempty"` // bytes that snapshots and undo hold beyond the live files
	Frames     int64 `cbor:"17,keyasint,omitempty"` // control frames of one process
}

// Row is one limit as the table lists it.
type Row struct {
	Name    string
	Default int64
	Hard    int64 // the value of Hardened
	Why     string
	Field   func(*Limits) *int64
}

// Table lists every limit, its default, its hardened value and its reason, in field order.
func Table() []Row {
	return []Row{
		{"time", 0, 60e9, "the host's patience; the call's timeout is the everyday bound", func(l *Limits) *int64 { return &l.Time }},
		{"steps", 0, 50e6, "work that no clock measures the same twice", func(l *Limits) *int64 { return &l.Steps }},
		{"memory", 1 << 30, 64 << 20, "a 100 MB sort passes; a runaway string does not take the host down", func(l *Limits) *int64 { return &l.Memory }},
		{"file_bytes", 1 << 30, 64 << 20, "the file system lives in the host's memory", func(l *Limits) *int64 { return &l.FileBytes }},
		{"files", 1 << 20, 20_000, "an inode costs some 300 bytes: also no more than one for each 192 of file_bytes, and 16,384", func(l *Limits) *int64 { return &l.Files }},
		{"file_size", 1 << 42, 1 << 32, "sparse files cost nothing, offsets stay far from overflow", func(l *Limits) *int64 { return &l.FileSize }},
		{"output", 16 << 20, 1 << 20, "what a caller wants to hold in one result", func(l *Limits) *int64 { return &l.Output }},
		{"depth", 50_000, 2_000, "10,000-deep recursion passes; recursion without end stops", func(l *Limits) *int64 { return &l.Depth }},
		{"processes", 2_000, 64, "a fork bomb stops", func(l *Limits) *int64 { return &l.Processes }},
		{"open_files", 1_024, 128, "as ulimit -n", func(l *Limits) *int64 { return &l.OpenFiles }},
		{"pipe", 64 << 10, 64 << 10, "as Linux: a writer waits", func(l *Limits) *int64 { return &l.Pipe }},
		{"glob", 10e6, 200_000, "a pattern over a wide tree", func(l *Limits) *int64 { return &l.Glob }},
		{"regex_steps", 50e6, 2e6, "backreferences can backtrack without end", func(l *Limits) *int64 { return &l.RegexSteps }},
		{"history", 1_000, 1_000, "as HISTSIZE would", func(l *Limits) *int64 { return &l.History }},
		{"undo", 50, 10, "each holds the files it alone still has", func(l *Limits) *int64 { return &l.Undo }},
		{"retained", 256 << 20, 32 << 20, "what snapshots and undo may hold beyond the live files", func(l *Limits) *int64 { return &l.Retained }},
		{"frames", 1 << 20, 50_000, "about 100 bytes each", func(l *Limits) *int64 { return &l.Frames }},
	}
}

var ordinary, hardened = column(func(r *Row) int64 { return r.Default }), column(func(r *Row) int64 { return r.Hard })

// column gives the limits of one column of the table.
func column(of func(*Row) int64) (l Limits) {
	for _, r := range Table() {
		*r.Field(&l) = of(&r)
	}
	return l
}

// Default gives the limits of an ordinary sandbox.
func Default() Limits { return ordinary }

// Hardened gives the limits for text nobody has read.
func Hardened() Limits { return hardened }

// Find gives the row of a limit.
func Find(name string) (row Row, ok bool) {
	for _, r := range Table() {
		if r.Name == name {
			return r, true
		}
	}
	return Row{}, false
}

// Most bounds budgets and counters: far above what can be used up or counted,
// far below overflow. A saved state with a greater one is refused.
const Most = 1 << 62

// MostMemory is more bytes than any machine gives one sandbox: who asks for more at once is
// refused, also where the limit memory was lifted.
const MostMemory = 1 << 42

// Times is a*b, or the largest number where that is more: sizes that a script gives are
// multiplied by it and then asked for. Neither is negative.
func Times(a, b int) int {
	if b != 0 && a > math.MaxInt/2/b {
		return math.MaxInt / 2
	}
	return a * b
}

// Plus adds to a budget, up to Most. Neither number is negative.
func Plus(budget, more int64) int64 {
	if budget > Most-min(more, Most) {
		return max(budget, Most)
	}
	return budget + more
}

// Set changes one limit by name. A negative value is an error; 0 lifts the limit.
func (l *Limits) Set(name string, v int64) error {
	r, ok := Find(name)
	if !ok {
		return fmt.Errorf("no limit is called %q", name)
	}
	if v < 0 {
		return fmt.Errorf("limit %s: %d is negative", name, v)
	}
	*r.Field(l) = v
	return nil
}

// Wrong says which limit is negative, "" if none is.
func (l Limits) Wrong() string {
	for i := range rows {
		if v := *rows[i].Field(&l); v < 0 {
			return fmt.Sprintf("limit %s is %d", rows[i].Name, v)
		}
	}
	return ""
}

// Within gives the tighter of two limits, each by itself: 0 is the loosest.
func (l Limits) Within(bound Limits) Limits {
	return l.each(bound, func(a, b int64) bool { return b < a })
}

// Beyond gives the looser of two limits, each by itself.
func (l Limits) Beyond(other Limits) Limits {
	return l.each(other, func(a, b int64) bool { return b > a })
}

// each takes the limits of other that are preferred to one's own.
func (l Limits) each(other Limits, prefers func(mine, theirs int64) bool) Limits {
	for i := range rows {
		mine, theirs := rows[i].Field(&l), rows[i].Field(&other)
		if prefers(Or(*mine), Or(*theirs)) {
			*mine = *theirs
		}
	}
	return l
}

var rows = Table()

// Names lists the limits in alphabetical order.
func Names() []string {
	var s []string
	for _, r := range Table() {
		s = append(s, r.Name)
	}
	sort.Strings(s)
	return s
}

// What ends a run besides the bounds of the table.
const (
	Timeout  = "timeout"  // the call's own time is used up
	Deadlock = "deadlock" // every process waits for another
)

// Or gives v, or the largest number where v is 0 and so unlimited.
func Or(v int64) int64 {
	if v == 0 {
		return math.MaxInt64
	}
	return v
}

// Meter counts what a sandbox has used. It is saved with the World: only
// `resume(add=…)` gives back a budget.
type Meter struct {
	Steps    int64 `cbor:"1,keyasint,omitempty"`
	Time     int64 `cbor:"2,keyasint,omitempty"` // ns in slices and sleeps
	Read     int64 `cbor:"3,keyasint,omitempty"` // bytes read
	Written  int64 `cbor:"4,keyasint,omitempty"` // bytes written
	Commands int64 `cbor:"5,keyasint,omitempty"`
	Calls    int64 `cbor:"6,keyasint,omitempty"` // tool calls
	Runs     int64 `cbor:"7,keyasint,omitempty"`
	Spawned  int64 `cbor:"8,keyasint,omitempty"`  // processes started
	Held     int64 `cbor:"9,keyasint,omitempty"`  // bytes of memory, when they were counted last
	Taken    int64 `cbor:"10,keyasint,omitempty"` // bytes of memory taken since, at most
}

// Reached is the error of a limit that was met.
type Reached struct{ Name string }

// Error names the limit.
func (r *Reached) Error() string { return "limit " + r.Name + " reached" }
