package expand

import (
	"strings"
)

// replacement is the string of ${x/pattern/string}: text, or pieces between
// which the matched text goes.
type replacement struct {
	text   string
	pieces []string // nil if there is no &
}

// newReplacement reads buf: an unquoted & stands for the match, \& for &.
func newReplacement(buf []byte, quotes []span) replacement {
	var r replacement
	var b strings.Builder
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
			b.Reset()
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

func (r *replacement) write(b *strings.Builder, match string) {
	if r.pieces == nil {
		b.WriteString(r.text)
		return
	}
	for i, p := range r.pieces {
		if i > 0 {
			b.WriteString(match)
		}
		b.WriteString(p)
	}
}

// Replace implements ${s/pattern/r}: anchor is '#', '%' or 0; all replaces
// every match, else the first.
func (m *Matcher) Replace(s string, r replacement, anchor byte, all bool) string {
	if m.err != nil || m.odd || len(m.seq) == 0 && anchor == 0 {
		return s
	}
	var b strings.Builder
	switch anchor {
	case '#':
		n, ok := m.prefix(s, true)
		if !ok {
			return s
		}
		r.write(&b, s[:n])
		b.WriteString(s[n:])
		return b.String()
	case '%':
		i, ok := m.suffix(s, true)
		if !ok {
			return s
		}
		b.WriteString(s[:i])
		r.write(&b, s[i:])
		return b.String()
	}
	if s == "" {
		if n, ok := m.prefix(s, true); ok && n == 0 {
			r.write(&b, "")
		}
		return b.String()
	}
	if m.kind == mLit {
		return m.replaceLit(s, r, all)
	}
	if all && len(s) > muchText {
		b.Grow(2 * len(s))
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
		b.WriteString(s[:i])
		r.write(&b, s[i:i+n])
		s = s[i+n:]
		if !all {
			break
		}
		if n == 0 && s != "" {
			_, w := decode(s, m.byte)
			b.WriteString(s[:w])
			s = s[w:]
		}
	}
	b.WriteString(s)
	return b.String()
}

func (m *Matcher) replaceLit(s string, r replacement, all bool) string {
	i := strings.Index(s, m.lit)
	if i < 0 {
		return s
	}
	var b strings.Builder
	if all && len(s) > muchText && r.pieces == nil { // it need not grow
		b.Grow(len(s) + strings.Count(s, m.lit)*(len(r.text)-len(m.lit)))
	}
	work := 0
	for ; i >= 0; i = strings.Index(s, m.lit) {
		if work += 32 + i>>4; work >= manySteps {
			m.charge(work >> 3)
			work = 0
		}
		b.WriteString(s[:i])
		r.write(&b, m.lit)
		s = s[i+len(m.lit):]
		if !all {
			break
		}
	}
	b.WriteString(s)
	return b.String()
}

// search finds the first match in s, the longest one there. Where what stands
// before the first * matches and the whole does not, what follows the * is not
// to be found further on, and so nowhere behind.
func (m *Matcher) search(s string) (at, length int) {
	star := m.star()
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

// star is where the first * of a pattern without extensions is, -1 if there is none.
func (m *Matcher) star() int {
	if !m.ext {
		for k := range m.seq {
			if m.seq[k].kind == eStar {
				return k
			}
		}
	}
	return -1
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
