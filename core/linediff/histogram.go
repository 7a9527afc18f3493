package linediff

// mostAlike is how often a line may be in the first file for Histogram to begin
// at it.
const mostAlike = 64

// laborious bounds what Histogram looks at before the rest is compared by Lines'
// search, so that a million scattered changes do not take their square in time.
const laborious = 1 << 26

// Histogram returns what differs between two lists of lines as git's merge sees
// it: the longest common run around the lines that are rarest in a is kept, and
// what is before and behind it is compared in the same way. Where no common line
// is rare it does as Lines.
func Histogram(a, b [][]byte) []Change {
	sides, _ := classes(a, b)
	h := histogram{sides: &sides, next: make([]int, len(a)), count: map[int]int{}, first: map[int]int{}}
	for todo := []Change{{0, len(a), 0, len(b)}}; len(todo) > 0; {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch run, common := h.run(r); {
		case r.A0 == r.A1 || r.B0 == r.B1, !common:
			h.mark(r)
		case run.A0 == run.A1:
			h.search(r)
		default:
			todo = append(todo, Change{run.A1, r.A1, run.B1, r.B1}, Change{r.A0, run.A0, r.B0, run.B0})
		}
	}
	Shift(&sides)
	return Changes(&sides)
}

type histogram struct {
	sides *[2]Side
	next  []int       // by line of a: the next one like it
	count map[int]int // of the range at hand: how often a has a line
	first map[int]int // and where the first is
	work  int
}

// mark notes that nothing in a range is common.
func (h *histogram) mark(r Change) {
	for i := r.A0; i < r.A1; i++ {
		h.sides[0].Changed[i+1] = 1
	}
	for i := r.B0; i < r.B1; i++ {
		h.sides[1].Changed[i+1] = 1
	}
}

// search compares a range as Lines does.
func (h *histogram) search(r Change) {
	var part [2]Side
	for i, at := range [2][2]int{{r.A0, r.A1}, {r.B0, r.B1}} {
		s := &h.sides[i]
		part[i] = Side{Class: s.Class[at[0]:at[1]], Changed: make([]byte, at[1]-at[0]+2)}
	}
	most := 0
	for i := range part {
		for _, k := range part[i].Class {
			most = max(most, k+1)
		}
	}
	search(&part, most)
	for i, from := range [2]int{r.A0, r.B0} {
		copy(h.sides[i].Changed[from+1:], part[i].Changed[1:len(part[i].Changed)-1])
	}
}

// run finds the common run to keep in a range: an empty one if no common line is
// rare enough. common is false if there is no common line.
func (h *histogram) run(r Change) (best Change, common bool) {
	a, b := h.sides[0].Class, h.sides[1].Class
	if r.A0 == r.A1 || r.B0 == r.B1 {
		return best, false
	}
	if h.work += r.A1 - r.A0 + r.B1 - r.B0; h.work > laborious {
		return best, true
	}
	clear(h.count)
	clear(h.first)
	for i := r.A1 - 1; i >= r.A0; i-- {
		h.next[i] = -1
		if n := h.count[a[i]]; n > 0 {
			h.next[i] = h.first[a[i]]
		}
		h.first[a[i]] = i
		h.count[a[i]]++
	}
	rarest, longest := mostAlike+1, 1
	for at := r.B0; at < r.B1; {
		n := h.count[b[at]]
		common = common || n > 0
		past := at + 1
		if n == 0 || n > rarest {
			at = past
			continue
		}
		for i := h.first[b[at]]; i >= 0; {
			c, rare := h.extend(r, i, at, n)
			past = max(past, c.B1)
			if c.A1-c.A0 > longest || rare < rarest {
				best, rarest, longest = c, rare, c.A1-c.A0
			}
			for i = h.next[i]; i >= 0 && i < c.A1; i = h.next[i] {
			}
		}
		at = past
	}
	if rarest > mostAlike {
		best = Change{}
	}
	return best, common
}

// extend returns the common run around a line of each file, and how often a has
// the rarest line of it.
func (h *histogram) extend(r Change, i, j, n int) (c Change, rare int) {
	a, b := h.sides[0].Class, h.sides[1].Class
	c, rare = Change{i, i + 1, j, j + 1}, n
	for c.A0 > r.A0 && c.B0 > r.B0 && a[c.A0-1] == b[c.B0-1] {
		c.A0--
		c.B0--
		rare = min(rare, h.count[a[c.A0]])
	}
	for c.A1 < r.A1 && c.B1 < r.B1 && a[c.A1] == b[c.B1] {
		rare = min(rare, h.count[a[c.A1]])
		c.A1++
		c.B1++
	}
	h.work += c.A1 - c.A0
	return c, rare
}
