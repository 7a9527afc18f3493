package expand

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/large"
)

// Matcher is a compiled shell pattern. It matches characters, a byte outside
// UTF-8 being one. No pattern takes exponential time: plain patterns keep one
// point to come back to, extended ones work on sets of positions.
type Matcher struct {
	seq  []elem
	lit  string // the pattern, if it is a constant
	kind matchKind
	ext  bool   // contains an extended pattern
	fold bool   // case does not count
	byte bool   // a byte is a character
	odd  bool   // bash takes it for longer or shorter than what it matches
	star int    // where the first * is, -1 if there is none
	env  Env    // charged for the work, if not nil
	back []elem // seq reversed, of a Matcher that has an env and was asked for a suffix
	held int    // bytes of what was made before
	told int    // of them, what env has heard of
	over bool   // a replacement is too long
	err  error
}

type matchKind uint8

const (
	mAny    matchKind = iota
	mLit              // lit
	mPrefix           // lit*
	mSuffix           // *lit
	mInside           // *lit*
)

type elemKind uint8

const (
	eLit elemKind = iota
	eAny
	eStar
	eClass
	eExt
)

// elem is one piece of a pattern.
type elem struct {
	kind elemKind
	text string // eLit
	set  *charSet
	op   byte // of eExt: ? * + @ !
	alts [][]elem
}

const maxPatternDepth = 16

// NewMatcher compiles a pattern; of flags ExtGlob, NoCaseMatch and Bytes count. A
// bracket that is not closed stands for itself. Err tells whether the pattern
// is beyond the bounds; then it matches nothing.
func NewMatcher(pattern string, flags Flags) *Matcher {
	m := &Matcher{fold: flags&NoCaseMatch != 0, byte: flags&Bytes != 0 || !utf8.ValidString(pattern)}
	p := patternParser{s: pattern, ext: flags&ExtGlob != 0, fold: m.fold, byte: m.byte}
	p.sets = brackets{s: pattern, fold: m.fold, byte: m.byte}
	m.seq = p.sequence(0)
	m.ext = p.hasExt
	m.star = firstStar(m.seq)
	m.odd = p.bracket && m.oddLength(pattern)
	if p.deep {
		m.seq, m.err = nil, limitError("depth", "pattern nested too deeply")
	}
	switch {
	case m.fold || m.ext || m.err != nil:
	case len(m.seq) == 0:
		m.kind = mLit
	case len(m.seq) == 1 && m.seq[0].kind == eLit:
		m.kind, m.lit = mLit, m.seq[0].text
	case len(m.seq) == 2 && m.seq[0].kind == eLit && m.seq[1].kind == eStar:
		m.kind, m.lit = mPrefix, m.seq[0].text
	case len(m.seq) == 1 && m.seq[0].kind == eStar:
		m.kind = mSuffix
	case len(m.seq) == 2 && m.seq[1].kind == eLit && m.seq[0].kind == eStar:
		m.kind, m.lit = mSuffix, m.seq[1].text
	case len(m.seq) == 3 && m.seq[0].kind == eStar && m.seq[1].kind == eLit && m.seq[2].kind == eStar && (m.byte || utf8.RuneStart(m.seq[1].text[0])):
		m.kind, m.lit = mInside, m.seq[1].text
	}
	return m
}

// MeteredMatcher is NewMatcher of a pattern that a script has made, whose work env hears of, and which asks for memory.
func MeteredMatcher(env Env, pattern string, flags Flags) *Matcher {
	if len(pattern) > muchText {
		most := 6 * len(pattern)
		for i := range len(pattern) {
			switch pattern[i] {
			case '*', '?', '[':
				most += 3 * elemSize
			}
		}
		env.Charge(len(pattern) >> 2)
		large.Ask(env, most)
	}
	m := NewMatcher(pattern, flags)
	m.env = env
	return m
}

// elemSize is what an elem takes, in bytes.
const elemSize = 64

// Err returns the *Error of a pattern beyond the bounds.
func (m *Matcher) Err() error { return m.err }

// Metered returns m charging its work to env.
func (m *Matcher) Metered(env Env) *Matcher {
	c := *m
	c.env = env
	return &c
}

// Match reports whether the whole of s matches pattern.
func Match(pattern, s string, flags Flags) bool {
	if flags&NoCaseMatch == 0 {
		if !hasMeta(pattern) {
			return s == pattern
		}
		if pattern == "*" {
			return true
		}
	}
	return NewMatcher(pattern, flags).Match(s)
}

// patternParser compiles.
type patternParser struct {
	s       string
	i       int
	ext     bool
	fold    bool
	byte    bool
	hasExt  bool
	bracket bool // a [ was seen
	deep    bool
	sets    brackets
	paired  int          // up to where parentheses have been looked at
	pairs   map[int]bool // those that are closed
}

// sequence reads up to the end, or inside an extended pattern up to | or ).
func (p *patternParser) sequence(depth int) []elem {
	var out []elem
	var lit []byte
	flush := func() {
		if len(lit) > 0 {
			out = append(out, elem{kind: eLit, text: string(lit)})
			lit = nil
		}
	}
	for p.i < len(p.s) {
		c := p.s[p.i]
		if depth > 0 && (c == '|' || c == ')') {
			break
		}
		if p.ext && p.i+1 < len(p.s) && p.s[p.i+1] == '(' && strings.IndexByte("?*+@!", c) >= 0 && p.closed(p.i+1) {
			flush()
			out = append(out, p.extended(c, depth))
			continue
		}
		switch c {
		case '*':
			flush()
			if n := len(out); n == 0 || out[n-1].kind != eStar {
				out = append(out, elem{kind: eStar})
			}
			p.i++
		case '?':
			flush()
			out = append(out, elem{kind: eAny})
			p.i++
		case '[':
			p.bracket = true
			set, end := p.sets.at(p.i)
			if set == nil {
				lit = append(lit, c)
				p.i++
				continue
			}
			flush()
			out = append(out, elem{kind: eClass, set: set})
			p.i = end
		default:
			if c == '\\' && p.i+1 < len(p.s) {
				p.i++
			}
			_, n := decode(p.s[p.i:], p.byte)
			if p.fold {
				flush()
			}
			lit = append(lit, p.s[p.i:p.i+n]...)
			p.i += n
		}
	}
	flush()
	return out
}

// closed reports whether an extended pattern whose ( is at i has its ). The first
// time it looks at all parentheses from there on.
func (p *patternParser) closed(i int) bool {
	if i < p.paired {
		return p.pairs[i]
	}
	var open []int
	p.pairs = map[int]bool{}
	from := i
	for ; i < len(p.s); i++ {
		switch p.s[i] {
		case '\\':
			i++
		case '(':
			open = append(open, i)
		case ')':
			if n := len(open); n > 0 {
				p.pairs[open[n-1]] = true
				open = open[:n-1]
			}
		case '[':
			if set, end := p.sets.at(i); set != nil {
				i = end - 1
			}
		}
	}
	p.paired = len(p.s)
	return p.pairs[from]
}

func (p *patternParser) extended(op byte, depth int) elem {
	p.hasExt = true
	p.i += 2
	e := elem{kind: eExt, op: op}
	if depth >= maxPatternDepth {
		p.deep = true
		p.i = len(p.s)
		return e
	}
	for {
		e.alts = append(e.alts, p.sequence(depth+1))
		if p.i >= len(p.s) {
			return e
		}
		c := p.s[p.i]
		p.i++
		if c == ')' {
			return e
		}
	}
}

// oddLength reports whether bash, which takes a pattern without * for one of a
// fixed length, counts that length differently from what the pattern matches:
// then ${x/pattern/} finds nothing, as with [^]] or [[: .
func (m *Matcher) oddLength(s string) bool {
	if m.ext || m.star >= 0 {
		return false
	}
	n, brackets := 0, 0
	for i := 0; i < len(s); n++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		} else if s[i] == '[' {
			end, length := bracketEnd(s, i+1)
			i, n = end, n+length-1
			brackets++
			continue
		}
		_, w := decode(s[i:], m.byte)
		i += w
	}
	for i := range m.seq {
		if m.seq[i].kind == eLit {
			n -= charCount(m.seq[i].text, m.byte)
		} else {
			n--
		}
	}
	return n != 0
}

// bracketEnd is where bash sees the end of a bracket expression whose inside
// begins at i, and the length it counts for it.
func bracketEnd(s string, i int) (end, length int) {
	length = 1
	inside := byte(0) // of [: [. or [=
	for first := true; i < len(s); first = false {
		c := s[i]
		i++
		switch {
		case c == ']' && !first:
			return i, 1
		case c == '\\':
			if length++; i+1 >= len(s) {
				return len(s), length
			}
			i++
			continue
		case c == '[' && i < len(s) && strings.IndexByte(":.=", s[i]) >= 0:
			inside = s[i]
			i++
			if inside != ':' && i < len(s) && s[i] == ']' {
				i++
				length++
			}
		case inside != 0 && c == inside && i < len(s) && s[i] == ']':
			i++
			inside = 0
		}
		length++
	}
	return len(s), length
}

// one matches an element of fixed length at the beginning of s and returns
// the length, -1 if it does not match.
func (m *Matcher) one(e *elem, s string) int {
	switch {
	case e.kind == eLit && !m.fold:
		if strings.HasPrefix(s, e.text) {
			return len(e.text)
		}
		return -1
	case s == "":
		return -1
	}
	r, n := decode(s, m.byte)
	switch e.kind {
	case eAny:
		return n
	case eClass:
		if e.set.has(r) {
			return n
		}
	case eLit: // one character, since case does not count
		if q, _ := decode(e.text, m.byte); q == r || unicode.ToLower(q) == unicode.ToLower(r) || unicode.ToUpper(q) == unicode.ToUpper(r) {
			return n
		}
	}
	return -1
}

// Charge implements large.Meter.
func (m *Matcher) Charge(n int) { m.charge(n) }

// Need lets package large ask.
func (m *Matcher) Need(n int) {
	if m.env != nil {
		m.env.Need(n)
	}
}

// made counts n bytes of an element that is done.
func (m *Matcher) made(n int) {
	if m.held += fieldSize + n; m.env != nil && m.held-m.told > tellEvery {
		m.told = m.held
		m.env.Hold(m.held)
	}
}

func (m *Matcher) charge(n int) {
	if m.env != nil {
		m.env.Charge(n)
	}
}

// Match reports whether the whole of s matches.
func (m *Matcher) Match(s string) bool {
	switch {
	case m.err != nil:
		return false
	case m.kind == mLit:
		return s == m.lit
	case m.kind == mPrefix:
		return strings.HasPrefix(s, m.lit)
	case m.kind == mSuffix:
		return strings.HasSuffix(s, m.lit)
	case m.kind == mInside:
		return strings.Contains(s, m.lit)
	case m.ext:
		ends := m.ends(m.seq, s, start(len(s)))
		return ends.has(len(s))
	}
	n, ok := m.plain(s, true)
	return ok && n == len(s)
}

// manySteps are charged for before there are more.
const manySteps = 1 << 13

// plain matches a pattern without extensions. whole: up to the end of s, else
// the shortest beginning.
func (m *Matcher) plain(s string, whole bool) (int, bool) {
	i, k := 0, 0
	backK, backI := -1, 0
	work := 0
	for {
		if k == len(m.seq) && (!whole || i == len(s)) {
			m.charge(work >> 3)
			return i, true
		}
		work++
		if k < len(m.seq) {
			if e := &m.seq[k]; e.kind == eStar {
				k++
				if whole && k == len(m.seq) {
					m.charge(work >> 3)
					return len(s), true
				}
				backK, backI = k, i
				continue
			} else if n := m.one(e, s[i:]); n >= 0 {
				i += n
				k++
				continue
			}
		}
		if backK < 0 || backI >= len(s) {
			m.charge(work >> 3)
			return 0, false
		}
		if work >= manySteps {
			m.charge(work >> 3)
			work = 0
		}
		_, n := decode(s[backI:], m.byte)
		backI += n
		i, k = backI, backK
	}
}

// positions is a set of byte offsets.
type positions []uint64

func start(n int) positions {
	p := make(positions, n/64+1)
	p[0] = 1
	return p
}

func (p positions) has(i int) bool { return p[i>>6]>>(i&63)&1 != 0 }
func (p positions) add(i int)      { p[i>>6] |= 1 << (i & 63) }

// first returns the smallest member ≥ i, -1 if there is none.
func (p positions) first(i int) int {
	for ; i < len(p)*64; i++ {
		if w := p[i>>6] >> (i & 63); w == 0 {
			i |= 63
		} else if w&1 != 0 {
			return i
		}
	}
	return -1
}

func (p positions) last() int {
	for i := len(p)*64 - 1; i >= 0; i-- {
		if p.has(i) {
			return i
		}
	}
	return -1
}

// ends returns where a match of seq may end that begins at one of from.
func (m *Matcher) ends(seq []elem, s string, from positions) positions {
	for k := range seq {
		e := &seq[k]
		m.charge(len(from))
		to, work := make(positions, len(from)), 0
		switch e.kind {
		case eStar:
			for i := from.first(0); i >= 0 && i <= len(s); {
				to.add(i)
				if i == len(s) {
					break
				}
				_, n := decode(s[i:], m.byte)
				i += n
				if work++; work >= manySteps {
					m.charge(work >> 3)
					work = 0
				}
			}
		case eExt:
			m.extEnds(e, s, from, to)
		default:
			for i := from.first(0); i >= 0 && i <= len(s); i = from.first(i + 1) {
				if n := m.one(e, s[i:]); n >= 0 {
					to.add(i + n)
				}
				if work++; work >= manySteps {
					m.charge(work >> 3)
					work = 0
				}
			}
		}
		m.charge(work >> 3)
		from = to
	}
	return from
}

func (m *Matcher) alternatives(e *elem, s string, from, to positions) {
	for _, alt := range e.alts {
		for i, w := range m.ends(alt, s, from) {
			to[i] |= w
		}
	}
}

// fixed reports whether each alternative is one element that consumes.
func (e *elem) fixed() bool {
	for _, alt := range e.alts {
		if len(alt) != 1 || alt[0].kind == eStar || alt[0].kind == eExt {
			return false
		}
	}
	return true
}

// repeat matches one or more times the alternatives of such an element.
func (m *Matcher) repeat(e *elem, s string, from, to positions) {
	reach, work := append(positions(nil), from...), 0
	for i := reach.first(0); i >= 0 && i <= len(s); i = reach.first(i + 1) {
		for k := range e.alts {
			if n := m.one(&e.alts[k][0], s[i:]); n > 0 {
				to.add(i + n)
				reach.add(i + n)
			}
			work++
		}
	}
	m.charge(work >> 3)
}

func (m *Matcher) extEnds(e *elem, s string, from, to positions) {
	switch e.op {
	case '?':
		copy(to, from)
		m.alternatives(e, s, from, to)
	case '@':
		m.alternatives(e, s, from, to)
	case '*', '+':
		if e.op == '*' {
			copy(to, from)
		}
		if e.fixed() {
			m.repeat(e, s, from, to)
			return
		}
		seen := make(positions, len(from))
		for front := from; ; {
			next := make(positions, len(from))
			m.alternatives(e, s, front, next)
			more := false
			for i := range next {
				to[i] |= next[i]
				seen[i] |= front[i]
				next[i] &^= seen[i]
				more = more || next[i] != 0
			}
			if !more {
				return
			}
			front = next
		}
	case '!':
		for i := from.first(0); i >= 0 && i <= len(s); i = from.first(i + 1) {
			one, not := make(positions, len(from)), make(positions, len(from))
			one.add(i)
			m.alternatives(e, s, one, not)
			for j := i; j <= len(s); {
				if !not.has(j) {
					to.add(j)
				}
				if j == len(s) {
					break
				}
				_, n := decode(s[j:], m.byte)
				j += n
			}
		}
	}
}

// prefix returns the length of the shortest or longest beginning of s that
// matches.
func (m *Matcher) prefix(s string, longest bool) (int, bool) {
	if m.err != nil {
		return 0, false
	}
	switch m.kind {
	case mLit:
		return len(m.lit), strings.HasPrefix(s, m.lit)
	case mPrefix:
		if !strings.HasPrefix(s, m.lit) {
			return 0, false
		}
		if longest {
			return len(s), true
		}
		return len(m.lit), true
	case mSuffix:
		n := 0
		if longest {
			n = m.lastIndex(s)
		} else {
			n = strings.Index(s, m.lit)
		}
		return n + len(m.lit), n >= 0
	}
	if !m.ext && !longest {
		return m.plain(s, false)
	}
	if !m.ext && m.star < 0 {
		return m.plain(s, false)
	}
	ends := m.ends(m.seq, s, start(len(s)))
	n := ends.first(0)
	if longest {
		n = ends.last()
	}
	return n, n >= 0
}

// lastIndex is strings.LastIndex of the literal text, with the work charged: it looks at one byte after the other.
func (m *Matcher) lastIndex(s string) int {
	for m.env != nil && len(s) > large.Piece+len(m.lit) {
		from := len(s) - large.Piece - len(m.lit)
		if n := strings.LastIndex(s[from:], m.lit); n >= 0 {
			return from + n
		}
		m.env.Charge(large.Piece >> 7)
		s = s[:from+max(len(m.lit), 1)-1] // one that begins before and ends behind is still to be found
	}
	return strings.LastIndex(s, m.lit)
}

// firstStar is asked once for a pattern: one of many elements is tried at many places.
func firstStar(seq []elem) int {
	return slices.IndexFunc(seq, func(e elem) bool { return e.kind == eStar })
}

// Prefix returns the length of what ${s#pattern} removes, or ${s##pattern}.
func (m *Matcher) Prefix(s string, longest bool) int {
	if n, ok := m.prefix(s, longest); ok {
		return n
	}
	return 0
}

// Suffix returns where what ${s%pattern} removes begins, or ${s%%pattern}.
func (m *Matcher) Suffix(s string, longest bool) int {
	if i, ok := m.suffix(s, longest); ok {
		return i
	}
	return len(s)
}

func (m *Matcher) suffix(s string, longest bool) (int, bool) {
	if m.err != nil {
		return 0, false
	}
	switch m.kind {
	case mLit:
		return len(s) - len(m.lit), strings.HasSuffix(s, m.lit)
	case mPrefix:
		if longest {
			n := strings.Index(s, m.lit)
			return n, n >= 0
		}
		n := m.lastIndex(s)
		return n, n >= 0
	case mSuffix:
		if !strings.HasSuffix(s, m.lit) {
			return 0, false
		}
		if longest {
			return 0, true
		}
		return len(s) - len(m.lit), true
	}
	back := m.back
	if back == nil {
		back = reverseSeq(m.seq, m.byte)
		if m.env != nil { // it is one evaluation's own
			m.back = back
		}
	}
	r := Matcher{seq: back, star: firstStar(back), ext: m.ext, fold: m.fold, byte: m.byte, env: m.env}
	n, ok := r.prefix(reverse(s, m.byte), longest)
	return len(s) - n, ok
}

func reverseSeq(seq []elem, bytes bool) []elem {
	out := make([]elem, len(seq))
	for i, e := range seq {
		e.text = reverse(e.text, bytes)
		if e.alts != nil {
			alts := make([][]elem, len(e.alts))
			for j := range alts {
				alts[j] = reverseSeq(e.alts[j], bytes)
			}
			e.alts = alts
		}
		out[len(seq)-1-i] = e
	}
	return out
}

// reverse returns the characters of s in reverse order.
func reverse(s string, bytes bool) string {
	b := make([]byte, len(s))
	for i, at := 0, len(s); i < len(s); {
		_, n := decode(s[i:], bytes)
		at -= n
		copy(b[at:], s[i:i+n])
		i += n
	}
	return string(b)
}
