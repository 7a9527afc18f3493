// Package fault gives errors of the API a kind that survives the border.
// Kinds are append-only: their numbers are part of the wire format.
package fault

import "fmt"

// Kind is what went wrong, for a program.
type Kind uint8

// The kinds, in the order they were added.
const (
	None Kind = iota
	Internal
	Invalid        // a wrong argument
	Closed         // the sandbox is closed
	Busy           // a run is active
	RunGone        // restored or replaced under the Run
	NotFound       // snapshot, history entry, handle
	File           // a vfs.Errno with its path
	Parse          // analyze only
	State          // a blob that cannot be read
	StateTooNew    // written by a newer version
	Signature      // HMAC wrong or missing
	Drift          // the script's text no longer parses to the same nodes
	Capability     // a tool is missing
	NotSuspendable // a command that cannot be dumped
	AlreadyResumed // a call answered twice
	Quota          // retained bytes, files, bytes
	Limit          // a named limit
	Unsupported    // a feature that is not there yet
	Panic          // a bug, reported with its place
	NoAncestor     // a merge of what has no state in common
)

// Error is an error with a kind, the operation, what it was about, and its cause.
type Error struct {
	Kind Kind
	Op   string
	Path string // the path, name or id it is about
	Err  error
	Line int
	Col  int
}

// Error is the operation, the thing and the cause, separated by colons.
func (e *Error) Error() string {
	s := e.Op
	if e.Path != "" {
		if s != "" {
			s += ": "
		}
		s += e.Path
	}
	if e.Err != nil {
		if s != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes an error of a kind about a thing.
func New(k Kind, op, path string, format string, args ...any) *Error {
	return &Error{Kind: k, Op: op, Path: path, Err: fmt.Errorf(format, args...)}
}
