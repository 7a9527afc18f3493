package expand

import (
	"strings"

	"eryxsh/core/large"
)

// replacement is the string of ${x/pattern/string}: text, or pieces between
// which the matched text goes.
type replacement struct {
	text   string
	pieces []string // nil if there is no &
}

// newReplacement reads buf: an unquoted & stands for the match, \& for &.
func newReplacement(buf []byte, quotes []span, m large.Meter) replacement {
	var r replacement
	b := large.Builder{M: m}
	q := 0
	for i := 0; i < len(buf); i++ {
		for q < len(quotes) && quotes[q].to <= i {
			q++
		}
		quoted := q < len(quotes) && quotes[q].from <= i
		switch c := buf[i]; {
		case !quoted && c == '\\' && i+1 < len(buf) && (buf[i+1] == '&' || buf[i+1] == '\\'):
			i++
			b.WriteByte(buf[i])
		case !quoted && c == '&':
			r.pieces = append(r.pieces, b.String())
			b = large.Builder{M: m}
		default:
			b.WriteByte(c)
		}
	}
	if r.pieces != nil {
		r.pieces = append(r.pieces, b.String())
	} else {
		r.text = b.String()
	}
	return r
}

// size is how long the replacement of a match of n bytes is.
func (r *replacement) size(n int) int {
	if r.pieces == nil {
		return len(r.text)
	}
	all := (len(r.pieces) - 1) * n
	for _, p := range r.pieces {
		all += len(p)
	}
	return all
}

// replaced is a text in which matches are replaced. Memory is asked for before it is taken.
type replaced struct {
	*strings.Builder // in place it would make m escape
	m                *Matcher
	r                replacement
}

// room asks for n more bytes. It reports whether there may be so many.
func (b *replaced) room(n int) bool {
	if b.Cap()-b.Len() < n && b.Len()+n > large.Piece {
		large.RoomIn(b.Builder, n, large.Or(b.m.env))
	}
	b.m.over = b.m.over || n > maxWordSize-b.Len()
	return !b.m.over
}

func (b *replaced) add(s string) {
	switch {
	case b.Cap()-b.Len() >= len(s) && len(s) <= large.Piece:
		b.WriteString(s)
	case b.room(len(s)):
		large.Write(b.Builder, s, large.Or(b.m.env))
	}
}

// match puts the replacement of a match.
func (b *replaced) match(s string) {
	r := &b.r
	if !b.room(r.size(len(s))) {
		return
	}
	if r.pieces == nil {
		b.add(r.text)
		return
	}
	for i, p := range r.pieces {
		if i > 0 {
			b.add(s)
		}
		b.add(p)
	}
}

// Replace implements ${s/pattern/r}: anchor is '#', '%' or 0; all replaces
// every match, else the first.
func (m *Matcher) Replace(s string, r replacement, anchor byte, all bool) string {
	if m.err != nil || m.odd || len(m.seq) == 0 && anchor == 0 {
		return s
	}
	b := replaced{new(strings.Builder), m, r}
	switch anchor {
	case '#':
		n, ok := m.prefix(s, true)
		if !ok {
			return s
		}
		b.match(s[:n])
		b.add(s[n:])
		return b.String()
	case '%':
		i, ok := m.suffix(s, true)
		if !ok {
			return s
		}
		b.add(s[:i])
		b.match(s[i:])
		return b.String()
	}
	if s == "" {
		if n, ok := m.prefix(s, true); ok && n == 0 {
			b.match("")
		}
		return b.String()
	}
	if m.kind == mLit {
		return m.replaceLit(s, r, all)
	}
	if all && len(s) > muchText && b.room(2*len(s)) {
		large.RoomIn(b.Builder, 2*len(s), large.Or(m.env))
	}
	work := 0
	for s != "" {
		i, n := m.search(s)
		if work += n + 8; work >= manySteps {
			m.charge(work >> 4)
			work = 0
		}
		if i < 0 {
			break
		}
		b.add(s[:i])
		b.match(s[i : i+n])
		s = s[i+n:]
		if !all || m.over {
			break
		}
		if n == 0 && s != "" {
			_, w := decode(s, m.byte)
			b.add(s[:w])
			s = s[w:]
		}
	}
	b.add(s)
	return b.String()
}

func (m *Matcher) replaceLit(s string, r replacement, all bool) string {
	i := strings.Index(s, m.lit)
	if i < 0 {
		return s
	}
	b := replaced{new(strings.Builder), m, r}
	if len(s) <= muchText {
		b.Grow(len(s) + min(len(r.text), muchText))
	} else if all && r.pieces == nil { // it need not grow
		n := len(s)
		if more := len(r.text) - len(m.lit); more <= 0 {
			n += strings.Count(s, m.lit) * more
		} else if k := strings.Count(s, m.lit); k > (maxWordSize-n)/more {
			n = maxWordSize + 1
		} else {
			n += k * more
		}
		if n > maxWordSize {
			m.over = true
			return s
		}
		large.Ask(large.Or(m.env), n)
		b.Grow(n)
	}
	work := 0
	for ; i >= 0; i = strings.Index(s, m.lit) {
		if work += 32 + i>>4; work >= manySteps {
			m.charge(work >> 3)
			work = 0
		}
		b.add(s[:i])
		b.match(m.lit)
		s = s[i+len(m.lit):]
		if !all || m.over {
			break
		}
	}
	b.add(s)
	return b.String()
}

// search finds the first match in s, the longest one there. Where what stands
// before the first * matches and the whole does not, what follows the * is not
// to be found further on, and so nowhere behind.
func (m *Matcher) search(s string) (at, length int) {
	star := m.star
	if m.ext {
		star = -1
	}
	for i, asked := 0, 0; ; {
		if i-asked >= manySteps {
			m.charge((i - asked) >> 2)
			asked = i
		}
		if m.begins(s[i:], star) {
			if n, ok := m.prefix(s[i:], true); ok {
				return i, n
			}
			if star >= 0 {
				return -1, 0
			}
		}
		if i == len(s) {
			return -1, 0
		}
		_, w := decode(s[i:], m.byte)
		if i += w; i == len(s) {
			return -1, 0
		}
	}
}

// begins reports whether s begins with the first n elements; n of -1 does not look.
func (m *Matcher) begins(s string, n int) bool {
	for k := range max(n, 0) {
		w := m.one(&m.seq[k], s)
		if w < 0 {
			return false
		}
		s = s[w:]
	}
	return true
}

// EscapePattern returns s so that a pattern matches it literally.
func EscapePattern(s string) string {
	var b strings.Builder
	escapePattern(&b, s)
	return b.String()
}

// escapePattern writes s so that a pattern matches it literally.
func escapePattern(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\()|!^-@+`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
}
