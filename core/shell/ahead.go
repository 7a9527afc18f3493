package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// aheadBytes is how much of a script is parsed at a time. A parse has a price
// of its own, several KiB and as many microseconds as a line takes.
const aheadBytes = 1 << 10

// ahead is what has been parsed of a script and not yet been run. It is no
// state: a line that is not there is parsed when it is needed, and one that
// means something else by then, such as after alias, is not asked for here.
type ahead struct {
	text  string
	units []parsedUnit
	first int            // of units, the next one
	stmts []*syntax.Stmt // of units
	shelf *shelf         // of the script's code
	lines string         // the text whose code is on it
	took  int            // bytes of that
	work  expand.Account // hears of what is read of a long text; may be nil
}

// shelfText is how much of a long text is compiled to one shelf. Lines share its
// blocks, so none of their code is garbage while the last of them runs; nor is
// their text, of which there is another one behind each alias.
const shelfText = 4 << 10

// parsedUnit is the tree of one complete line.
type parsedUnit struct {
	off, start, next int // in the text: with the comments before it, without, its end
	origin
	stmts []*syntax.Stmt
}

// origin is where a unit begins in what the parser was given.
type origin struct{ off, line int }

// next is nextUnit, which parses a few lines more than it is asked for.
func (a *ahead) next(text string, off, line int) (u *Unit, next int, err error) {
	if a.shelf == nil || len(text) > cachedText && (a.took >= shelfText || a.lines != text) {
		a.shelf, a.lines, a.took = &shelf{}, text, 0
	}
	defer func() { a.took += next - off }()
	a.shelf.Account = a.work
	a.shelf.Begin()
	if a.text != text || a.first == len(a.units) || a.units[a.first].off != off {
		if start := skipComments(text, off); start < len(text) {
			if u, n := a.shelf.direct(text[start:], line+strings.Count(text[off:start], "\n")); u != nil {
				if start+n == len(text) {
					*a = ahead{}
				}
				return u, start + n, nil
			}
		}
		a.fill(text, off)
	}
	if len(a.units) == 0 {
		return nextUnit(a.shelf.Account, text, off, line)
	}
	p := a.units[a.first]
	a.units[a.first] = parsedUnit{} // its tree is garbage now
	a.first++
	u = newUnit(text[p.start:p.next], line+strings.Count(text[off:p.start], "\n"))
	if err := u.compile(p.stmts, p.origin, a.shelf); err != nil {
		return nil, len(text), err
	}
	if p.next == len(text) {
		*a = ahead{}
	}
	return u, p.next, nil
}

// fill parses lines from off on, up to one that has an error.
func (a *ahead) fill(text string, off int) {
	if a.text != text {
		*a = ahead{text: text, shelf: a.shelf, lines: a.lines, took: a.took, work: a.work}
	}
	clear(a.units)
	clear(a.stmts)
	a.units, a.first, a.stmts = a.units[:0], 0, a.stmts[:0]
	r := &lineReader{account: a.work, text: text, off: off, checked: off, between: true}
	p, from := parsedUnit{off: off}, 0
	end := func() {
		p.next = r.off
		p.stmts, from = a.stmts[from:], len(a.stmts)
		a.units = append(a.units, p)
		p = parsedUnit{off: r.off, origin: origin{r.given, r.lines}}
		r.between = true
	}
	err := r.parse(func(s *syntax.Stmt) {
		if len(a.stmts) == from {
			p.start = skipComments(text, p.off)
		}
		a.stmts = append(a.stmts, s)
		if at := int(s.End().Offset()) - p.origin.off + p.start; !endsLine(text[:r.off], at) {
			return
		}
		if !shallowAll(a.stmts[from:], r.off-p.start) || faulty(a.shelf.Account, text[p.start:r.off]) || hides(a.shelf.Account, text[p.start:r.off]) { // left to nextUnit, which words the error
			r.stop = true
			return
		}
		end()
		r.stop = r.off-off >= aheadBytes
	})
	if err == nil && !r.stop && len(a.stmts) > from && shallowAll(a.stmts[from:], r.off-p.start) && !faulty(a.shelf.Account, text[p.start:r.off]) && !hides(a.shelf.Account, text[p.start:r.off]) {
		end() // the text ends without a newline
	}
}
