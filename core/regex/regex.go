// Package regex is the regular expressions of the utilities: POSIX basic and
// extended ones as glibc and GNU grep, sed, awk and bash read them, fixed
// strings, and those of Perl for grep -P.
//
// The model. A pattern is parsed into a tree (node), the tree is compiled into
// a byte-level NFA (prog), and the NFA is run as automata whose states are made
// when they are first needed and kept in a bounded cache:
//
//   - forward (dfa): one table look-up per byte, finds whether there is a match
//     or where the leftmost-longest one ends. Bytes that cannot begin a match
//     are skipped with bytes.Index where the pattern allows it, or by pairs of bytes.
//   - backward from the end (back): which NFA states lead to that end. It gives
//     the start of the match, and with it the submatches are read off in one
//     forward walk without ever backing up, in the order glibc prefers them.
//
// So time is linear in the text for every POSIX pattern without back-references.
// Back-references and Perl constructs need a backtracking matcher (track); it
// has a budget of steps, and running out of it is ErrSteps, never a wrong answer.
//
// Text is bytes with UTF-8 characters in them. A set, `.` or a class matches one
// whole character; a byte that is not part of valid UTF-8 is matched only by the
// same byte in the pattern, as in glibc. With Options.Bytes every byte is a
// character of its own (charset.go).
//
// A Regexp is not safe for use by several threads at once because it fills its
// caches while it matches; Clone is cheap and gives one that is independent.
package regex

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Syntax says which tool's rules a pattern is read by.
type Syntax uint8

// The syntaxes.
const (
	GrepBasic    Syntax = iota // grep -G
	GrepExtended               // grep -E
	SedBasic                   // sed; also expr and other POSIX basic users
	SedExtended                // sed -E
	Bash                       // [[ =~ ]]: regcomp with REG_EXTENDED
	Awk                        // gawk: \y is a word boundary, no back-references
	Perl                       // grep -P
	Literal                    // a fixed string
)

// Options say how a pattern is read and what its lines are.
type Options struct {
	Syntax Syntax
	// Fold ignores case.
	Fold bool
	// Bytes says that every byte is a character, as in the C locale.
	Bytes bool
	// Multiline is REG_NEWLINE (sed's M): ^ and $ also match at newlines, and
	// neither . nor a negated list matches a newline.
	Multiline bool
	// Records says that the text is lines, each ended by EOL: no match crosses
	// one, and ^ and $ match at each. Needed for FindLine; the other methods then
	// take one line.
	Records bool
	EOL     byte
	// Words wants a match that has no word character on either side (grep -w).
	Words bool
	// Whole wants a match that is the whole line (grep -x).
	Whole bool
	// NoSub says that only whole matches are asked for; Find gives no submatches.
	NoSub bool
	// Steps bounds the work of one call beyond one look-up a byte; 0 means DefaultSteps.
	Steps int
	// Charge hears of the work of compiling and then of matching (Meter), in units of some 100 ns, and Need of
	// bytes that are about to be taken. They may panic to give it up; nil is nobody.
	Charge func(units int)
	Need   func(bytes int)
}

// DefaultSteps is the budget of one call when Options.Steps is 0.
const DefaultSteps = 50_000_000

// Regexp is a compiled pattern.
type Regexp struct {
	opts     Options
	patterns [][]byte
	nsub     int
	warn     []string

	words *words // fixed strings, which are no part of the rest; nil if there are few
	prog  *prog  // byte NFA: exact, or a superset if track is needed; nil if there are words and nothing else
	track *track // backtracking program; nil if prog is exact

	first   *dfa // is there a match: stops at the first end it sees
	longest *dfa // where does the leftmost-longest match end
	back    *back
	work    int
	built   int             // steps spent on states of the automata
	meter   func(units int) // nil: nobody wants to know
}

// teller tells a meter of steps while they are done.
type teller struct {
	meter  func(units int) // nil: nobody wants to know
	untold int
}

// tellSteps is how many steps, of about 10 ns, are done before the meter is told.
const tellSteps = 1 << 14

// steps counts n steps.
func (t *teller) steps(n int) {
	if t.untold += n; t.untold >= tellSteps {
		n, t.untold = t.untold, 0
		if t.meter != nil {
			t.meter(n >> 3)
		}
	}
}

// freeStates is how many steps of making states Work is silent about. States are made when they are first
// needed, and again in a run that was moved: what it costs to match must not tell the two apart. A pattern
// that takes more than this makes states all the time.
const freeStates = 1 << 20

// Compile reads one pattern.
func Compile(pattern []byte, o Options) (*Regexp, error) {
	return CompileAll([][]byte{pattern}, o)
}

// CompileAll reads patterns of which any may match, as with several -e of grep.
// Back-references and their numbers are each pattern's own.
// The error is an *Error, its Index the pattern it is in.
func CompileAll(patterns [][]byte, o Options) (*Regexp, error) {
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	re := &Regexp{opts: o, patterns: patterns, meter: o.Charge}
	err := re.build(!o.Bytes)
	if err == nil && re.track != nil && re.prog.narrow {
		err = re.build(false)
	}
	if err != nil {
		return nil, err
	}
	return re, nil
}

// build parses and compiles. Narrow programs know only the ASCII part of the
// classes, which is enough for most text and takes a hundredth of the
// time to make; they give errWide when they meet another byte.
func (re *Regexp) build(narrow bool) error {
	alts := make([]*node, 0, len(re.patterns))
	total, size := 0, 0
	narrowed := false
	re.track, re.warn, re.first, re.longest, re.back = nil, nil, nil, nil, nil
	for i, p := range re.patterns {
		ps := newParser(p, re.opts, total)
		ps.narrow, ps.size = narrow, size
		n, err := ps.parse()
		size = ps.size
		if err != nil {
			return &Error{Code: err.(Code), Index: i, Offset: ps.pos, What: ps.what}
		}
		re.warn = append(re.warn, ps.warnings...)
		total = ps.ncap
		if ps.tracked {
			re.track = &track{}
		}
		narrowed = narrowed || ps.narrowed
		alts = append(alts, n)
	}
	tree := wrap(alternate(alts), re.opts)
	re.nsub = total
	p, err := compile(tree, re.opts, re.track != nil, narrowed)
	if err != nil {
		return &Error{Code: err.(Code)}
	}
	re.prog = p
	if re.track != nil {
		if err := re.track.compile(tree, total, re.opts, p); err != nil {
			return &Error{Code: err.(Code)}
		}
	}
	return nil
}

// wrap adds what -x and -w ask for.
func wrap(n *node, o Options) *node {
	switch {
	case o.Whole && o.Records:
		return concat([]*node{{op: opAssert, assert: atBOL}, n, {op: opAssert, assert: atEOL}})
	case o.Whole:
		return concat([]*node{{op: opAssert, assert: atBOT}, n, {op: opAssert, assert: atEOT}})
	case o.Words:
		return concat([]*node{{op: opAssert, assert: atNoWordBefore}, n, {op: opAssert, assert: atNoWordAfter}})
	}
	return n
}

// Clone gives a Regexp that shares the program and has caches of its own.
func (re *Regexp) Clone() *Regexp {
	c := &Regexp{opts: re.opts, patterns: re.patterns, nsub: re.nsub, warn: re.warn, prog: re.prog, words: re.words}
	if re.track != nil {
		c.track = re.track.clone()
	}
	return c
}

// NumSubexp is the number of groups.
func (re *Regexp) NumSubexp() int { return re.nsub }

// Warnings are what grep says about a pattern that it takes all the same.
func (re *Regexp) Warnings() []string { return re.warn }

// Meter makes a search that takes long call f, instead of Options.Charge, with its work so far, in
// units of some 100 ns, so that it can be given up by a panic; nil ends that.
func (re *Regexp) Meter(f func(units int)) {
	re.meter = f
	if re.words != nil {
		re.words.o.Charge = f
	}
}

// Work gives the steps spent since the last call, beyond one look-up a byte and the first freeStates.
func (re *Regexp) Work() int {
	n := re.work
	re.work = 0
	if re.words != nil {
		n += re.words.work
		re.words.work = 0
	}
	return n
}

// Match reports whether b holds a match. The error is ErrSteps, TooBig (see FindLine) or nil.
func (re *Regexp) Match(b []byte) (bool, error) {
	if re.words != nil {
		if start, _ := re.words.find(b, 0); start >= 0 || re.prog == nil {
			return start >= 0, nil
		}
	}
	if re.prog.exact {
		return bytes.Contains(b, re.prog.prefix), nil
	}
	end, err := re.firstEnd(b, 0, len(b))
	if err != nil || end < 0 {
		return false, err
	}
	if re.track == nil || re.track.superset == 0 {
		return true, nil
	}
	return re.Confirm(b)
}

// Confirm reports whether a line that FindLine was not sure of holds a match.
func (re *Regexp) Confirm(b []byte) (bool, error) {
	var loc [2]int
	return re.findTracked(b, 0, loc[:])
}

// Find looks for the leftmost match of b that begins at from or later (the
// longest one, but with the syntax Perl the first one) and fills loc with as
// many pairs of offsets as it holds: the whole match, then the groups; -1 for
// a group that took no part. What is before from is seen by ^ and \b.
func (re *Regexp) Find(b []byte, from int, loc []int) (bool, error) {
	if from > len(b) {
		return false, nil
	}
	if re.words != nil {
		return re.findEither(b, from, loc)
	}
	return re.find(b, from, loc)
}

// findEither is Find where there are words: the leftmost of the longest of both.
func (re *Regexp) findEither(b []byte, from int, loc []int) (bool, error) {
	start, end := re.words.find(b, from)
	if re.prog != nil {
		var other [2]int
		ok, err := re.find(b, from, other[:])
		if err != nil {
			return false, err
		}
		if ok && (start < 0 || other[0] < start || other[0] == start && other[1] > end) {
			start, end = other[0], other[1]
		}
	}
	fill(loc, start, end)
	return start >= 0, nil
}

// find is Find without the words.
func (re *Regexp) find(b []byte, from int, loc []int) (bool, error) {
	if re.prog.exact {
		i := bytes.Index(b[from:], re.prog.prefix)
		if i < 0 {
			return false, nil
		}
		fill(loc, from+i, from+i+len(re.prog.prefix))
		return true, nil
	}
	if re.track != nil {
		if end, err := re.firstEnd(b, from, len(b)); err != nil || end < 0 {
			return false, err
		}
		return re.findTracked(b, from, loc)
	}
	end, err := re.lastEnd(b, from)
	if err != nil || end < 0 {
		return false, err
	}
	if re.back == nil {
		re.back = newBack(re.prog)
	}
	re.back.budget, re.back.meter, re.back.need = re.opts.Steps, re.meter, re.opts.ask
	err = re.back.find(b, from, end, loc, re.nsub)
	re.states(re.opts.Steps - re.back.budget)
	return err == nil, err
}

// FindLine looks for the first line of b at or after from, which must be the
// start of a line, that holds a match, and gives its bounds without the EOL.
// start is -1 if there is none. If sure is false the line only may hold a match:
// ask Confirm, whose cost for such patterns the caller may want to see line by line.
// Options.Records must be set. Text beyond ASCII can make a program grow, and
// then also be refused as TooBig.
func (re *Regexp) FindLine(b []byte, from int) (start, end int, sure bool, err error) {
	if re.words == nil {
		return re.findLine(b, from)
	}
	start, end = -1, -1
	if at, _ := re.words.find(b, from); at >= 0 {
		start, end = lineAround(b, from, at, re.opts.EOL)
	}
	if re.prog == nil {
		return start, end, true, nil
	}
	s, e, sure, err := re.findLine(b, from)
	if err != nil || s >= 0 && (start < 0 || s < start) {
		return s, e, sure, err
	}
	return start, end, true, nil
}

// findLine is FindLine without the words.
func (re *Regexp) findLine(b []byte, from int) (start, end int, sure bool, err error) {
	p := re.prog
	eol := re.opts.EOL
	for from < len(b) {
		at := -1
		switch {
		case p.exact:
			if i := bytes.Index(b[from:], p.prefix); i >= 0 {
				at = from + i
			}
		case len(p.must) > 0 && !bytes.Equal(p.must, p.prefix):
			i := bytes.Index(b[from:], p.must)
			if i < 0 {
				return -1, -1, true, nil
			}
			start, end = lineAround(b, from, from+i, eol)
			if at, err = re.firstEnd(b[start:end], 0, end-start); err != nil {
				return -1, -1, true, err
			}
			if at < 0 {
				from = end + 1
				continue
			}
			at += start
		default:
			if at, err = re.firstEnd(b, from, len(b)); err != nil {
				return -1, -1, true, err
			}
		}
		if at < 0 || at == len(b) && at > 0 && b[at-1] == eol {
			break
		}
		start, end = lineAround(b, from, at, eol)
		return start, end, re.track == nil || re.track.superset == 0, nil
	}
	return -1, -1, true, nil
}

// lineAround gives the bounds of the line that at is in; lines begin at from or later.
func lineAround(b []byte, from, at int, eol byte) (int, int) {
	start, end := from, len(b)
	if i := lastIndex(b[from:at], eol); i >= 0 {
		start = from + i + 1
	}
	if i := bytes.IndexByte(b[at:], eol); i >= 0 {
		end = at + i
	}
	return start, end
}

// lastIndex is bytes.LastIndexByte, eight bytes at a time.
func lastIndex(b []byte, c byte) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	all := ones * uint64(c)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b[len(b)-8:]) ^ all
		if x = ^((x&^tops + ^uint64(tops)) | x | ^uint64(tops)); x != 0 { // the top bit of each byte that is c
			return len(b) - 1 - bits.LeadingZeros64(x)/8
		}
		b = b[:len(b)-8]
	}
	return bytes.LastIndexByte(b, c)
}

// firstEnd gives a place at or after the end of some match, -1 if there is none.
func (re *Regexp) firstEnd(b []byte, from, to int) (int, error) {
	if re.first == nil {
		re.first = newDFA(re.prog, false)
	}
	re.first.budget, re.first.meter = re.opts.Steps, re.meter
	end, err := re.first.find(b, from, to)
	re.states(re.opts.Steps - re.first.budget)
	if err == errWide {
		if err = re.build(false); err == nil {
			return re.firstEnd(b, from, to)
		}
	}
	return end, err
}

// lastEnd gives the end of the leftmost-longest match, -1 if there is none.
func (re *Regexp) lastEnd(b []byte, from int) (int, error) {
	if re.longest == nil {
		re.longest = newDFA(re.prog, true)
	}
	re.longest.budget, re.longest.meter = re.opts.Steps, re.meter
	end, err := re.longest.find(b, from, len(b))
	re.states(re.opts.Steps - re.longest.budget)
	if err == errWide {
		if err = re.build(false); err == nil {
			return re.lastEnd(b, from)
		}
	}
	return end, err
}

// states counts steps spent on states of an automaton.
func (re *Regexp) states(n int) {
	paid := max(re.built, freeStates)
	re.built += n
	re.work += max(re.built-paid, 0)
}

func (re *Regexp) findTracked(b []byte, from int, loc []int) (bool, error) {
	re.track.budget, re.track.meter = re.opts.Steps, re.meter
	ok, err := re.track.find(b, from, loc)
	re.work += re.opts.Steps - re.track.budget
	return ok, err
}

func fill(loc []int, start, end int) {
	for i := range loc {
		loc[i] = -1
	}
	if len(loc) >= 2 {
		loc[0], loc[1] = start, end
	}
}
