package awk

import (
	"strings"

	"eryxsh/core/large"
	"eryxsh/core/regex"
)

// substitute is sub and gsub; see opSub for the stack. in.b is the size of the
// target's address, in.a where to go when nothing matched (-1: there is nothing to store to).
func (p *Program) substitute(in instr) {
	size := int(in.b)
	target := p.str(p.top(0))
	repl := p.str(p.top(1 + size))
	re := p.regexOf(p.top(2 + size))
	limit := 1
	if in.c == fnGsub {
		limit = -1
	}
	out, n := p.replace(re, target, p.pieces(repl, false), 0, limit)
	if n == 0 || in.a < 0 {
		p.sp -= size + 2
		*p.top(0) = num(float64(n))
		if in.a >= 0 {
			p.jump(in.a)
		}
		return
	}
	*p.top(2 + size) = num(float64(n))
	*p.top(0) = str(out)
}

// piece is a part of a replacement: text, or a group of the match.
type piece struct {
	text  string
	group int // -1: text
}

// pieces reads a replacement. In all of them & is the match and \& an
// ampersand; gensub has \0 to \9 besides.
func (p *Program) pieces(repl string, gensub bool) []piece {
	var list []piece
	var b []byte
	flush := func() {
		if len(b) > 0 {
			list = append(list, piece{string(b), -1})
			b = b[:0]
		}
	}
	for i := 0; i < len(repl); i++ {
		c := repl[i]
		switch {
		case c == '&':
			flush()
			list = append(list, piece{"", 0})
		case c != '\\' || i+1 == len(repl):
			b = append(b, c)
		case gensub:
			i++
			switch d := repl[i]; {
			case isDigit(d):
				flush()
				list = append(list, piece{"", int(d - '0')})
			case d == '&' || d == '\\':
				b = append(b, d)
			default:
				b = append(b, '\\', d)
			}
		default: // two in front of & are one, one takes its meaning; in front of all else they stay
			n := len(repl[i:]) - len(strings.TrimLeft(repl[i:], `\`))
			if i+n == len(repl) || repl[i+n] != '&' {
				b = append(b, repl[i:i+n]...)
				i += n - 1
				break
			}
			b = append(b, repl[i:i+n/2]...)
			if i += n - 1; n%2 == 1 {
				i++
				b = append(b, '&')
			}
		}
	}
	flush()
	return list
}

// manyMatches are charged for before there are more.
const manyMatches = 1 << 12

// muchText is how many bytes a replacement writes for one match that are charged at once: with the others they are at the end.
const muchText = 1 << 10

// replace puts the replacement in for match number which (0: the first ones up
// to limit; limit -1: all). It gives the new text and how many were replaced.
func (p *Program) replace(re *regex.Regexp, s string, repl []piece, which, limit int) (string, int) {
	groups := 0
	for _, x := range repl {
		groups = max(groups, x.group)
	}
	var short [4]int
	loc := short[:2*min(2, groups+1)]
	if groups > 1 {
		loc = make([]int, 2*(groups+1))
	}
	b := p.bytes(s)
	if !p.find(re, b, 0, loc) {
		return s, 0
	}
	out := p.text[:0]
	done, seen, copied, from := 0, 0, 0, 0
	last := -1 // end of the last match that was replaced: an empty one may not follow at once
	for {
		start, end := loc[0], loc[1]
		if !(start == end && start == last) {
			seen++
			if which == 0 || seen == which {
				done++
				out = large.Push(out, s[copied:start], p.c)
				before := len(out)
				out = p.appendPieces(out, s, repl, loc)
				if n := len(out) - before; n >= muchText {
					p.c.Charge(n >> 8)
				}
				copied = end
			}
			if seen%manyMatches == 0 {
				p.c.Charge(2 * manyMatches)
				out = p.ahead(out)
			}
			if which > 0 && seen == which || which == 0 && done == limit {
				break
			}
		}
		if from = end; which == 0 {
			last = end
		}
		if start == end {
			if end >= len(s) {
				break
			}
			from = end + p.offset(s[end:], 1)
		}
		if from > len(s) || !p.find(re, b, from, loc) {
			break
		}
	}
	out = large.Push(out, s[copied:], p.c)
	p.text = out
	p.spend(len(out))
	if done == 0 {
		return s, 0
	}
	return large.Text(out, p.c), done
}

func (p *Program) appendPieces(out []byte, s string, repl []piece, loc []int) []byte {
	for _, x := range repl {
		switch {
		case x.group < 0:
			out = large.Push(out, x.text, p.c)
		case 2*x.group+1 < len(loc) && loc[2*x.group] >= 0:
			out = large.Push(out, s[loc[2*x.group]:loc[2*x.group+1]], p.c)
		}
		p.fits(len(out))
	}
	return out
}

// gensub gives the changed text: regexp, replacement, which, target.
func (p *Program) gensub(args []Value) Value {
	target := p.field(0)
	if len(args) > 3 {
		target = &args[3]
	}
	s := p.str(target)
	which, limit := 0, -1
	how := p.str(&args[2])
	if how == "" || how[0] != 'g' && how[0] != 'G' {
		n := args[2].num()
		if n < 1 {
			if how == "" || !isDigit(how[0]) || n == 0 {
				p.warn("gensub: third argument `%s' treated as 1", how)
			}
			n = 1
		}
		which, limit = int(min(n, 1<<30)), 1
	}
	re := p.regexOf(&args[0])
	out, _ := p.replace(re, s, p.pieces(p.str(&args[1]), true), which, limit)
	return str(out)
}
