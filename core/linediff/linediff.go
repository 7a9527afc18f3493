// Package linediff finds what differs between two lists of lines, as GNU diff
// does: Myers' search from both ends in linear space ("An O(ND) Difference
// Algorithm and Its Variations", 1986), lines that match nothing or too much
// left out before it, and runs of changes moved to where they join others after it.
//
// Lines does all of it at once. Whoever must be able to stop in between, as the
// utility diff, takes the steps: Discard, then Search.Compare until no Span is
// left, then Shift and Changes.
package linediff

import (
	"bytes"
	"math"
)

// Span is a pair of ranges still to be compared.
type Span struct {
	X0      int  `cbor:"1,keyasint,omitempty"`
	X1      int  `cbor:"2,keyasint,omitempty"`
	Y0      int  `cbor:"3,keyasint,omitempty"`
	Y1      int  `cbor:"4,keyasint,omitempty"`
	Minimal bool `cbor:"5,keyasint,omitempty"`
}

// Whole returns the stack a search begins with: all that is kept of both sides.
func Whole(s *[2]Side, minimal bool) []Span {
	return []Span{{0, len(s[0].Kept), 0, len(s[1].Kept), minimal}}
}

// Side is one file as the comparison sees it: lines are equivalence classes.
type Side struct {
	Class   []int  // by line
	Changed []byte // by line + 1, with a zero at each end
	Kept    []int  // classes of the lines that are compared
	Index   []int  // their line numbers
}

// Fit reports whether spans and marks that were saved can be of these sides.
func Fit(stack []Span, s *[2]Side) bool {
	for _, p := range stack {
		if p.X0 < 0 || p.X0 > p.X1 || p.X1 > len(s[0].Kept) || p.Y0 < 0 || p.Y0 > p.Y1 || p.Y1 > len(s[1].Kept) {
			return false // the search for its middle would have no end
		}
	}
	for f := range s {
		m := s[f].Changed
		if n := len(m); n != len(s[f].Class)+2 || m[0] != 0 || m[n-1] != 0 {
			return false
		}
	}
	return true
}

// Settled reports whether as many lines have not changed in one of the sides as in the other.
func Settled(s *[2]Side) bool {
	return bytes.Count(s[0].Changed, []byte{0}) == bytes.Count(s[1].Changed, []byte{0})
}

// expensive is how far a search goes before it gives up on the shortest answer.
const expensive = 4096

// Discard leaves out lines that match nothing in the other file, or too much, as
// GNU diff's discard_confusing_lines does.
func Discard(charge func(n int), s *[2]Side, classes int, minimal bool) {
	var count [2][]int
	for f := range s {
		count[f] = make([]int, classes)
		for _, k := range s[f].Class {
			count[f][k]++
		}
	}
	for f := range s {
		n := len(s[f].Class)
		charge(n >> 3)
		d := make([]byte, n)
		s[f].Kept, s[f].Index = make([]int, 0, n), make([]int, 0, n)
		many := 5
		for t := n / 64 >> 2; t > 0; t >>= 2 {
			many *= 2
		}
		for i, k := range s[f].Class {
			switch m := count[1-f][k]; {
			case m == 0:
				d[i] = 1
			case m > many:
				d[i] = 2
			}
		}
		charge(n >> 3)
		settle(d)
		charge(n >> 3)
		for i, k := range s[f].Class {
			if minimal || d[i] == 0 {
				s[f].Kept = append(s[f].Kept, k)
				s[f].Index = append(s[f].Index, i)
			} else {
				s[f].Changed[i+1] = 1
			}
		}
	}
}

// settle decides which provisional discards (2) stand: those inside runs of certain ones (1).
func settle(d []byte) {
	for i := 0; i < len(d); i++ {
		if d[i] == 2 {
			d[i] = 0
			continue
		}
		if d[i] != 1 {
			continue
		}
		j, provisional := i, 0
		for ; j < len(d) && d[j] != 0; j++ {
			if d[j] == 2 {
				provisional++
			}
		}
		for j > i && d[j-1] == 2 {
			j--
			d[j] = 0
			provisional--
		}
		length := j - i
		if provisional*4 > length {
			for j > i {
				if j--; d[j] == 2 {
					d[j] = 0
				}
			}
			continue
		}
		settleRun(d[i : i+length])
		i += length - 1
	}
}

func settleRun(d []byte) {
	minimum := 1
	for t := len(d) >> 4; t > 0; t >>= 2 {
		minimum <<= 1
	}
	minimum++
	for j, consec := 0, 0; j < len(d); j++ {
		if d[j] != 2 {
			consec = 0
			continue
		}
		if consec++; consec == minimum {
			j -= consec
		} else if consec > minimum {
			d[j] = 0
		}
	}
	for _, at := range []func(int) *byte{func(j int) *byte { return &d[j] }, func(j int) *byte { return &d[len(d)-1-j] }} {
		for j, consec := 0, 0; j < len(d) && consec < 3; j++ {
			x := at(j)
			if j >= 8 && *x == 1 {
				break
			}
			switch *x {
			case 2:
				consec, *x = 0, 0
			case 0:
				consec = 0
			default:
				consec++
			}
		}
	}
}

// Search holds the frontiers of the two-way search; the slices are indexed by diagonal + off.
type Search struct {
	x, y   []int
	fd, bd []int
	off    int
	work   int // steps taken in this turn
	told   int // those that were charged
	limit  int
	charge func(n int)
}

// Begin begins a turn, whose work is charged as it is done.
func (s *Search) Begin(charge func(n int)) { s.work, s.told, s.charge = 0, 0, charge }

// Work returns how many steps this turn has taken.
func (s *Search) Work() int { return s.work }

// End charges for what this turn did and was not charged yet.
func (s *Search) End() { s.charge((s.work - s.told) / 8) }

// tell charges for the steps that were not charged yet, if they are many.
func (s *Search) tell() {
	const many = 1 << 13
	if n := s.work - s.told; n >= many {
		s.charge(n / 8)
		s.told = s.work
	}
}

// NewSearch begins a search between the kept lines of two sides.
func NewSearch(sides *[2]Side) *Search {
	x, y := sides[0].Kept, sides[1].Kept
	n := len(x) + len(y) + 3
	limit := 1
	for d := n; d != 0; d >>= 2 {
		limit <<= 1
	}
	return &Search{x: x, y: y, fd: make([]int, n), bd: make([]int, n), off: len(y) + 1, limit: max(limit, expensive), charge: func(int) {}}
}

// split finds the middle of a shortest edit of a span, as GNU's diag does.
func (s *Search) split(p Span) (xmid, ymid int, lo, hi bool) {
	fd, bd := s.fd, s.bd
	dmin, dmax := p.X0-p.Y1+s.off, p.X1-p.Y0+s.off
	fmid, bmid := p.X0-p.Y0+s.off, p.X1-p.Y1+s.off
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	odd := (fmid-bmid)&1 != 0
	fd[fmid], bd[bmid] = p.X0, p.X1
	for c := 1; ; c++ {
		if fmin > dmin {
			fmin--
			fd[fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < dmax {
			fmax++
			fd[fmax+1] = -1
		} else {
			fmax--
		}
		for d := fmax; d >= fmin; d -= 2 {
			x := fd[d-1] + 1
			if fd[d-1] < fd[d+1] {
				x = fd[d+1]
			}
			y := x - d + s.off
			for x < p.X1 && y < p.Y1 && s.x[x] == s.y[y] {
				x++
				y++
				s.work++
			}
			s.work++
			fd[d] = x
			if odd && bmin <= d && d <= bmax && bd[d] <= x {
				return x, y, true, true
			}
		}
		if bmin > dmin {
			bmin--
			bd[bmin-1] = math.MaxInt
		} else {
			bmin++
		}
		if bmax < dmax {
			bmax++
			bd[bmax+1] = math.MaxInt
		} else {
			bmax--
		}
		for d := bmax; d >= bmin; d -= 2 {
			x := bd[d+1] - 1
			if bd[d-1] < bd[d+1] {
				x = bd[d-1]
			}
			y := x - d + s.off
			for p.X0 < x && p.Y0 < y && s.x[x-1] == s.y[y-1] {
				x--
				y--
				s.work++
			}
			s.work++
			bd[d] = x
			if !odd && fmin <= d && d <= fmax && x <= fd[d] {
				return x, y, true, true
			}
		}
		s.tell()
		if !p.Minimal && c >= s.limit {
			return s.giveUp(p, fmin, fmax, bmin, bmax)
		}
	}
}

// giveUp takes the best diagonal there is when the search has become too expensive.
func (s *Search) giveUp(p Span, fmin, fmax, bmin, bmax int) (xmid, ymid int, lo, hi bool) {
	fbest, fx, bbest, bx := -1, 0, math.MaxInt, 0
	for d := fmax; d >= fmin; d -= 2 {
		x := min(s.fd[d], p.X1)
		y := x - d + s.off
		if y > p.Y1 {
			x, y = p.Y1+d-s.off, p.Y1
		}
		if fbest < x+y {
			fbest, fx = x+y, x
		}
	}
	for d := bmax; d >= bmin; d -= 2 {
		x := max(s.bd[d], p.X0)
		y := x - d + s.off
		if y < p.Y0 {
			x, y = p.Y0+d-s.off, p.Y0
		}
		if x+y < bbest {
			bbest, bx = x+y, x
		}
	}
	if p.X1+p.Y1-bbest < fbest-(p.X0+p.Y0) {
		return fx, fbest - fx, true, false
	}
	return bx, bbest - bx, false, true
}

// Compare takes the top Span off the stack: it marks what has changed in it, or
// pushes its two halves.
func (s *Search) Compare(stack []Span, f *[2]Side) []Span {
	s.work++
	p := stack[len(stack)-1]
	stack = stack[:len(stack)-1]
	for p.X0 < p.X1 && p.Y0 < p.Y1 && s.x[p.X0] == s.y[p.Y0] {
		p.X0++
		p.Y0++
		s.work++
	}
	for p.X0 < p.X1 && p.Y0 < p.Y1 && s.x[p.X1-1] == s.y[p.Y1-1] {
		p.X1--
		p.Y1--
		s.work++
	}
	switch {
	case p.X0 == p.X1:
		for ; p.Y0 < p.Y1; p.Y0++ {
			f[1].Changed[f[1].Index[p.Y0]+1] = 1
		}
	case p.Y0 == p.Y1:
		for ; p.X0 < p.X1; p.X0++ {
			f[0].Changed[f[0].Index[p.X0]+1] = 1
		}
	default:
		x, y, lo, hi := s.split(p)
		stack = append(stack, Span{x, p.X1, y, p.Y1, hi}, Span{p.X0, x, p.Y0, y, lo})
	}
	return stack
}

// Shift moves runs of changes to where they join others or, failing that, as far
// down as they go: GNU diff's shift_boundaries.
func Shift(s *[2]Side) {
	for f := range s {
		changed, other, class := s[f].Changed[1:], s[1-f].Changed[1:], s[f].Class
		at := func(l []byte, i int) bool { return i >= 0 && i < len(l) && l[i] != 0 }
		end := len(class)
		i, j := 0, 0
		for {
			for i < end && !at(changed, i) {
				for at(other, j) {
					j++
				}
				j++
				i++
			}
			if i == end {
				break
			}
			start := i
			for i++; at(changed, i); i++ {
			}
			for at(other, j) {
				j++
			}
			var corresponding int
			for {
				run := i - start
				for start > 0 && class[start-1] == class[i-1] {
					start--
					changed[start] = 1
					i--
					changed[i] = 0
					for at(changed, start-1) {
						start--
					}
					for j--; at(other, j); j-- {
					}
				}
				corresponding = end
				if at(other, j-1) {
					corresponding = i
				}
				for i != end && class[start] == class[i] {
					changed[start] = 0
					start++
					changed[i] = 1
					i++
					for at(changed, i) {
						i++
					}
					for j++; at(other, j); j++ {
						corresponding = i
					}
				}
				if run == i-start {
					break
				}
			}
			for corresponding < i {
				start--
				changed[start] = 1
				i--
				changed[i] = 0
				for j--; at(other, j); j-- {
				}
			}
		}
	}
}

// Change is one place where the files differ: lines [A0,A1) became [B0,B1).
type Change struct {
	A0, A1, B0, B1 int
}

// Changes lists the differences in order.
func Changes(s *[2]Side) []Change {
	var out []Change
	a, b := s[0].Changed[1:], s[1].Changed[1:]
	na, nb := len(s[0].Class), len(s[1].Class)
	for i, j := 0, 0; i < na || j < nb; {
		if a[i] == 0 && b[j] == 0 {
			i++
			j++
			continue
		}
		k := Change{A0: i, B0: j}
		for i < na && a[i] != 0 {
			i++
		}
		for j < nb && b[j] != 0 {
			j++
		}
		k.A1, k.B1 = i, j
		out = append(out, k)
	}
	return out
}
