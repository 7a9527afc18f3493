// Package sed is the stream editor: a parser for its scripts and a machine that
// runs them in bounded turns.
//
// A script is a flat list of commands; blocks and branches are jumps in it. The
// machine (Program) keeps everything a command can see in exported fields: the
// pattern and hold space, the number of the next command, the state of each
// range, the text to append, the open files. So it can be saved in the middle of a
// cycle, also in that of an endless loop. The parsed script is a cache: it is made
// again from its source, which is part of the state.
package sed

import (
	"strconv"

	"eryxsh/core/regex"
)

// Source is a piece of the script: the argument of one -e, or a file of -f.
type Source struct {
	File string `cbor:"1,keyasint,omitempty"` // "" is an argument
	Text []byte `cbor:"2,keyasint,omitempty"`
	Read bool   `cbor:"3,keyasint,omitempty"` // all of the file is in Text
}

// Kinds of addresses.
const (
	addrLine  uint8 = iota // n
	addrStep               // n~step
	addrLast               // $
	addrRegex              // /re/
	addrPlus               // +n, second only
	addrMult               // ~n, second only
)

type address struct {
	kind uint8
	n    int64
	step int64
	re   *pattern
}

// pattern is a regular expression, or the last one used (re == nil).
type pattern struct{ re *regex.Regexp }

// command is a line of the script.
type command struct {
	a1, a2 *address
	not    bool
	name   byte
	text   []byte // a i c, the label of b t T :, the file of r w
	n      int64  // q Q l L; -1 is none
	target int    // { b t T: the command to go on with
	file   int    // r R w W, and s///w: which of script.files, -1 is none
	sub    *substitute
	pairs  map[rune]rune // y
}

// printFirst is what the flags pe of s say: what is there before it is evaluated is printed.
const printFirst = 2

// first reports that a command is 0r: the file stands before the first line.
func (com *command) first() bool {
	return com.name == 'r' && com.a2 == nil && com.a1 != nil && com.a1.kind == addrLine && com.a1.n == 0
}

// substitute is what s does.
type substitute struct {
	re     *pattern
	parts  []part
	global bool
	print  int
	eval   bool
	number int
	groups int // the highest group that parts use
}

// How letters of a replacement are changed.
const (
	caseKeep  uint8 = iota
	caseUpper       // \U
	caseLower       // \L
	caseEnd         // \E
	caseUp1         // \u
	caseLow1        // \l
)

// part is literal text, a group, or a change of case.
type part struct {
	text  []byte
	group int // -1 is none
	shift uint8
}

// script is a parsed program.
type script struct {
	commands []command
	files    []string // that are written, in the order to open them
	reads    []string // of R
	quiet    bool     // it begins with #n
}

// parseError is a script refused; its text is what GNU sed says.
type parseError struct {
	text  string
	panic bool // GNU sed ends with 4, not 1
}

func (e *parseError) Error() string { return e.text }

// where gives the place of a fault as GNU sed words it.
func where(sources []Source, at, pos int) string {
	s := sources[at]
	if s.File != "" {
		line := 1
		for _, b := range s.Text[:min(pos, len(s.Text))] {
			if b == '\n' {
				line++
			}
		}
		return "file " + s.File + " line " + strconv.Itoa(line) + ": "
	}
	n := 0
	for _, s := range sources[:at+1] {
		if s.File == "" {
			n++
		}
	}
	return "-e expression #" + strconv.Itoa(n) + ", char " + strconv.Itoa(pos) + ": "
}
