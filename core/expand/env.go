// Package expand turns shell words into strings: braces, tildes, parameters,
// command and arithmetic substitution, field splitting, path names and quote
// removal, as bash 5.2 does them.
//
// The parser's tree is used only to find where words begin and end and which
// commands they contain. CompileWord takes the source text of a word and
// reads it by bash's own rules into a small tree (word.go); it is done once
// per source and the result is immutable, shared by machines and threads.
// Fields, String, Pattern, Regexp, Redirect and HereDoc are the ways a
// compiled word is evaluated; all of them run one evaluator (fields.go) that
// appends to a field under construction and remembers which of its characters
// were quoted.
//
// Everything from outside comes through Env. When a word needs a command's
// output that is not known yet, Env answers ErrNeed and the whole expansion is
// given up; a Recorder (memo.go) keeps every answer given so far, so that the
// next attempt repeats none of them.
//
// Nothing here keeps state between calls, and all recursion is bounded.
package expand

import (
	"errors"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// Env is the process seen from expansion. Errors it returns pass through
// unchanged, and so do panics.
type Env interface {
	// Var returns the variable: namerefs followed, special values computed;
	// nil if there is none.
	Var(name string) *vars.Var
	// Assign assigns (:= and arithmetic), applying the attributes. sub is nil
	// for a whole variable; it is always Resolved.
	Assign(name string, sub *Sub, value string, add bool) error
	// Param returns $0, $1 … and whether it is set.
	Param(i int) (string, bool)
	// Params returns $1 …; the slice is not changed.
	Params() []string
	// Special returns $?, $$, $! and $-.
	Special(c byte) (string, bool)
	// Flags returns the shell options expansion looks at.
	Flags() Flags
	// Command returns a substitution's output, trailing newlines cut; or ErrNeed.
	// n is a *syntax.CmdSubst or a *Runtime.
	Command(n syntax.Node) (string, error)
	// Process returns the path that stands for <( ) or >( ); or ErrNeed.
	Process(n *syntax.ProcSubst) (string, error)
	// Home returns a user's home directory; "" asks for $HOME's fallback.
	Home(user string) (string, bool)
	// ReadDir returns up to n entries after the name after, in byte order.
	ReadDir(dir, after string, n int) ([]vfs.Dirent, error)
	// Stat describes a file; relative paths start at the current directory.
	Stat(path string, follow bool) (vfs.Stat, error)
	// Names returns the names of set variables that begin with prefix, sorted.
	Names(prefix string) []string
	// Ref returns a nameref's target, for ${!ref}.
	Ref(name string) (target string, isRef bool)
	// Lookup returns the binding of name itself, a nameref not followed.
	Lookup(name string) *vars.Var
	// Charge counts work units. It may panic to stop the machine.
	Charge(n int)
	// Hold says that n bytes are held by what is being made. It may panic to stop the machine.
	Hold(n int)
	// Need says that n bytes are about to be taken, or if n is negative, that they are garbage now. It may panic
	// to stop the machine.
	Need(n int)
	// Prompt expands s as a prompt string, for ${x@P}, asking e for what it needs.
	Prompt(e Env, s string) (string, error)
	// DirStack returns the directory of ~N (i ≥ 0 from the top) and ~-N (i < 0:
	// -1 is the last).
	DirStack(i int) (string, bool)
}

// Flags are the shell options that expansion looks at.
type Flags uint32

// The options; those bash has on by default are part of DefaultFlags.
const (
	NoGlob Flags = 1 << iota
	NoUnset
	ExtGlob
	GlobStar
	DotGlob
	NullGlob
	FailGlob
	NoCaseGlob
	NoCaseMatch
	PatSubReplacement
	Posix
	BraceExpand
	GlobASCIIRanges
	GlobSkipDots
	NoLocalDots    // reserved
	Bytes          // in the locale C or POSIX a byte is a character
	RawReplacement // in "${x/pattern/string}" string keeps its quotes
	PlainAssign    // ${x:=value} is the value before x's attributes change it
)

// DefaultFlags are those of a fresh non-interactive bash.
const DefaultFlags = PatSubReplacement | BraceExpand | GlobASCIIRanges | GlobSkipDots

// ErrNeed is returned by Env.Command and Env.Process when the answer is not
// known yet: the machine runs the command and starts the expansion again.
var ErrNeed = errors.New("expand: a substitution has no answer yet")
