package expand

// ErrorKind says what the shell does about an Error.
type ErrorKind uint8

// The kinds of Error.
const (
	Unbound      ErrorKind = iota + 1 // set -u: a non-interactive shell exits
	BadSubst                          // bad substitution: the command line is given up
	BadArith                          // bad arithmetic
	Question                          // ${x:?}: a non-interactive shell exits
	ReadOnlyVar                       // assignment to a read-only variable
	NoMatch                           // failglob
	Ambiguous                         // a redirection target of no or several fields
	BadAssign                         // ${1:=x}: cannot assign in this way
	BadSubscript                      // a[-9]: bad array subscript
	Limit                             // a bound of this package; Name says which
	BadLength                         // ${x:0:-9}: the command line is given up, but set -e does not look at it
	Fatal                             // a transformation that there is none of: a non-interactive shell exits
)

// Error is an expansion that failed. Text is worded as bash does after
// "bash: line N: ".
type Error struct {
	Kind ErrorKind
	Text string
	Name string // of the bound, for Limit; "value" for an integer's
	Deep bool   // of a subscript or an integer's value: not just the line is given up, all that bash -c runs is

	inner bool // of an expansion in an expression, not of the expression
}

// deep marks the error of an expression that is a subscript or an integer's value.
func deep(err error) error {
	if e, ok := err.(*Error); ok && e.Kind == BadArith && !e.inner {
		e.Deep = true
	}
	return err
}

// inner marks the error of what is expanded before an expression is evaluated.
func inner(err error) error {
	if e, ok := err.(*Error); ok {
		e.inner = true
	}
	return err
}

// EvalValue evaluates the value that a variable with the integer attribute gets.
func EvalValue(env Env, s string) (int64, error) {
	n, err := EvalString(env, s)
	if e, ok := deep(err).(*Error); ok && e.Deep {
		e.Name = "value"
	}
	return n, err
}

// Error is the message in bash's words, without "bash: line N:".
func (e *Error) Error() string { return e.Text }

// Bounds of one expansion. They are far above what scripts do and far below
// what would hurt the host.
const (
	maxDepth    = 250     // nested words, parameter operands, quotes
	maxArith    = 1024    // nested arithmetic, names evaluated recursively; bash's own figure
	maxBraces   = 1 << 20 // words out of one brace expansion
	maxGlob     = 1 << 20 // directory entries looked at by one path name expansion
	maxWordSize = 1 << 28 // bytes of one expanded word
)

func tooLarge() error { return limitError("memory", "expanded word too large") }

func limitError(name, text string) error {
	return &Error{Kind: Limit, Name: name, Text: text}
}
