package regex

import "errors"

// Code is why a pattern is refused. Its text is what regerror(3) of glibc or
// the matcher of GNU grep says.
type Code uint8

// The reasons.
const (
	BadPattern Code = iota + 1
	BadCollation
	BadClass
	BadEscape
	BadBackref
	BadBracket
	BadParen
	BadBrace
	BadInterval
	BadRange
	BadRepeat
	TooBig
	BadCloseParen
	ClassSyntax // [:space:] outside of brackets
	Unsupported // a Perl construct that is known and not there; see Error.What
	BadPerl     // a Perl construct that is not one; see Error.What
)

// Error is the GNU message of a code.
func (c Code) Error() string {
	switch c {
	case BadPattern:
		return "Invalid regular expression"
	case BadCollation:
		return "Invalid collation character"
	case BadClass:
		return "Invalid character class name"
	case BadEscape:
		return "Trailing backslash"
	case BadBackref:
		return "Invalid back reference"
	case BadBracket:
		return "Unmatched [, [^, [:, [., or [="
	case BadParen:
		return "Unmatched ( or \\("
	case BadBrace:
		return "Unmatched \\{"
	case BadInterval:
		return "Invalid content of \\{\\}"
	case BadRange:
		return "Invalid range end"
	case BadRepeat:
		return "Invalid preceding regular expression"
	case TooBig:
		return "Regular expression too big"
	case BadCloseParen:
		return "Unmatched ) or \\)"
	case ClassSyntax:
		return "character class syntax is [[:space:]], not [:space:]"
	case Unsupported:
		return "unsupported regular expression construct"
	}
	return "Invalid regular expression"
}

// Error is a pattern refused.
type Error struct {
	Code   Code
	Index  int    // which of the patterns of CompileAll
	Offset int    // bytes of it read when the fault was seen
	What   string // for Unsupported and BadPerl: the construct, or what pcre2 says
}

// Error says what is wrong, in the words of GNU or of pcre2.
func (e *Error) Error() string {
	switch {
	case e.Code == Unsupported:
		return e.Code.Error() + ": " + e.What
	case e.What != "":
		return e.What
	}
	return e.Code.Error()
}

// Unwrap gives the Code, for errors.Is.
func (e *Error) Unwrap() error { return e.Code }

// ErrSteps is that a match needed more work than Options.Steps allows.
var ErrSteps = errors.New("regular expression needs too many steps")

// errWide is that a narrow program met a byte it does not know.
var errWide = errors.New("not ASCII")
