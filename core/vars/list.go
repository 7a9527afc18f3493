package vars

import (
	"math/bits"
	"slices"
	"sort"

	"eryxsh/core/large"
)

// list is an indexed array: a sorted directory of chunks, each the elements
// of 64 neighbouring indices packed behind a bitmap. Dense arrays find their
// chunk by division, sparse ones by binary search; both append in amortised
// O(1), and a write after a fork copies the directory and one chunk.
type list struct {
	dir []slot
	n   int
}

type slot struct {
	base int64 // index / 64
	c    *chunk
}

type chunk struct {
	own  *token
	mask uint64
	vals []string
}

func (l *list) clone() *list {
	return &list{dir: slices.Clone(l.dir), n: l.n}
}

// release makes every chunk nobody's, so that whoever writes one copies it first.
func (l *list) release() {
	for _, s := range l.dir {
		if s.c.own != nil && !s.c.own.shared {
			s.c.own = nil
		}
	}
}

// find returns where the chunk of base is, or would be inserted.
func (l *list) find(base int64) (int, bool) {
	if n := int64(len(l.dir)); base < n && l.dir[base].base == base {
		return int(base), true
	} else if n == 0 || l.dir[n-1].base < base {
		return int(n), false
	}
	i := sort.Search(len(l.dir), func(i int) bool { return l.dir[i].base >= base })
	return i, l.dir[i].base == base
}

func (c *chunk) rank(k uint) (int, bool) {
	return bits.OnesCount64(c.mask & (1<<k - 1)), c.mask>>k&1 != 0
}

func (l *list) get(i int64) (string, bool) {
	if i < 0 {
		return "", false
	}
	if d, ok := l.find(i >> 6); ok {
		c := l.dir[d].c
		if r, ok := c.rank(uint(i & 63)); ok {
			return c.vals[r], true
		}
	}
	return "", false
}

// write returns the chunk at directory position d, owned by t.
func (l *list) write(t *token, d int) *chunk {
	c := l.dir[d].c
	if c.own != t {
		vals := make([]string, len(c.vals), len(c.vals)+1)
		copy(vals, c.vals)
		c = &chunk{own: t, mask: c.mask, vals: vals}
		l.dir[d].c = c
	}
	return c
}

func (l *list) set(t *token, i int64, s string) {
	if i < 0 {
		return
	}
	d, ok := l.find(i >> 6)
	if !ok {
		l.dir = slices.Insert(l.dir, d, slot{i >> 6, &chunk{own: t}})
	}
	c := l.write(t, d)
	k := uint(i & 63)
	r, ok := c.rank(k)
	if ok {
		c.vals[r] = s
		return
	}
	c.vals = slices.Insert(c.vals, r, s)
	c.mask |= 1 << k
	l.n++
}

func (l *list) unset(t *token, i int64) {
	if i < 0 {
		return
	}
	d, ok := l.find(i >> 6)
	if !ok {
		return
	}
	r, ok := l.dir[d].c.rank(uint(i & 63))
	if !ok {
		return
	}
	c := l.write(t, d)
	c.vals = slices.Delete(c.vals, r, r+1)
	c.mask &^= 1 << uint(i&63)
	l.n--
	if c.mask == 0 {
		l.dir = slices.Delete(l.dir, d, d+1)
	}
}

func (l *list) max() int64 {
	if len(l.dir) == 0 {
		return -1
	}
	s := l.dir[len(l.dir)-1]
	return s.base<<6 + int64(bits.Len64(s.c.mask)) - 1
}

func (l *list) values(dst []string) []string {
	if l.n > 64 {
		dst = slices.Grow(dst, l.n)
	}
	for _, s := range l.dir {
		dst = append(dst, s.c.vals...)
	}
	return dst
}

func (l *list) each(f func(i int64, s string)) {
	for _, s := range l.dir {
		m := s.c.mask
		for _, v := range s.c.vals {
			k := bits.TrailingZeros64(m)
			m &= m - 1
			f(s.base<<6+int64(k), v)
		}
	}
}

// from returns the first values with index ≥ i, most at most.
func (l *list) from(i int64, most int, m large.Meter) []string {
	var out []string
	i = max(i, 0)
	d, _ := l.find(i >> 6)
	for ; d < len(l.dir) && len(out) < most; d++ {
		vals := l.dir[d].c.vals
		if l.dir[d].base == i>>6 {
			r, _ := l.dir[d].c.rank(uint(i & 63))
			vals = vals[r:]
		}
		vals = vals[:min(len(vals), most-len(out))]
		out = append(large.Extend(out, len(vals), m), vals...)
		m.Charge(len(vals) >> 3)
	}
	return out
}
