package expand

import (
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
	"eryxsh/core/regex"
)

// result returns the word under construction in the form of the goal.
func (e *eval) result() string {
	switch e.goal {
	case toPattern:
		return e.escaped(`*?[]\()|!^-@+`)
	case toRegexp:
		return e.regexp()
	}
	switch {
	case e.rope.list != nil:
		e.twist("")
		return large.Join(e.rope.list, "", e.env)
	case len(e.buf) == 0:
		return e.one
	}
	return large.Text(e.buf, e.env)
}

// rope is a long text in pieces, which are put together when all are there.
type rope struct {
	list []string
	size int // bytes
}

// twist puts what is under construction, and then s, to the rope.
func (e *eval) twist(s string) {
	last := e.one
	if len(e.buf) > 0 {
		last = large.Text(e.buf, e.env)
	}
	e.rope.list = append(e.rope.list, last, s)
	e.rope.size += len(last) + len(s)
	e.one, e.buf = "", e.buf[:0]
}

// escaped returns the buffer with a backslash before each quoted character
// that is one of special.
func (e *eval) escaped(special string) string {
	if len(e.quotes) == 0 {
		return large.Text(e.buf, e.env)
	}
	b := large.Builder{M: e.env}
	at := 0
	for _, q := range e.quotes {
		b.Write(e.buf[at:q.from])
		for _, c := range e.buf[q.from:q.to] {
			if strings.IndexByte(special, c) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		at = q.to
	}
	b.Write(e.buf[at:])
	return b.String()
}

// regexp returns the buffer as an extended regular expression. Inside a
// bracket expression quoted characters need no backslash, and one there would
// stand for itself.
func (e *eval) regexp() string {
	b := large.Builder{M: e.env}
	q, bracket := 0, 0
	var ends regex.ClassEnds
	for i := 0; i < len(e.buf); i++ {
		for q < len(e.quotes) && e.quotes[q].to <= i {
			q++
		}
		quoted := q < len(e.quotes) && e.quotes[q].from <= i
		c := e.buf[i]
		switch {
		case bracket > 0:
			if c == '[' && !quoted && i+1 < len(e.buf) && strings.IndexByte(":.=", e.buf[i+1]) >= 0 {
				if end := regex.ClassEnd(&ends, e.buf, i+2, e.buf[i+1]); end > 0 {
					b.Write(e.buf[i:end])
					i = end - 1
					bracket++
					continue
				}
			}
			first := bracket == 1
			bracket++
			if first && c == '^' {
				bracket = 1
			}
			if c == ']' && !first {
				bracket = 0
			}
		case quoted && strings.IndexByte(`\.[]()*+?{}|^$`, c) >= 0:
			b.WriteByte('\\')
		case !quoted && c == '\\':
			b.WriteByte(c)
			if i++; i < len(e.buf) {
				b.WriteByte(e.buf[i])
			}
			continue
		case !quoted && c == '[':
			bracket = 1
		}
		b.WriteByte(c)
	}
	return b.String()
}

// String evaluates w without splitting and path names: the value of an
// assignment, the word of case. With w.Assign tildes are expanded after each
// colon, too.
func String(env Env, w *Word) (string, error) {
	if w.isLit && w.braces == nil {
		return w.lit, nil
	}
	switch w.fast {
	case fastQVar, fastVar:
		if v := env.Var(w.only().par.name); v.IsSet() && !v.IsArray() {
			return v.String(), nil
		}
	case fastPos:
		if s, ok := env.Param(w.only().par.pos); ok {
			return s, nil
		}
	case fastArith:
		n, err := w.only().arith.Eval(env)
		return formatInt(n), err
	}
	e := eval{env: env}
	if w.Assign {
		e.tildes = tildesAssigned
	}
	return e.whole(w)
}

// Untilded is String for the keys and values of a list for an associative
// array, where a tilde stands for itself.
func Untilded(env Env, w *Word) (string, error) {
	if w.isLit && w.braces == nil {
		return w.lit, nil
	}
	e := eval{env: env, tildes: noTildes}
	return e.whole(w)
}

func (e *eval) whole(w *Word) (string, error) {
	if w.isLit && w.parts == nil {
		return w.lit, nil
	}
	if err := e.parts(w.parts, false); err != nil {
		return "", err
	}
	return e.result(), nil
}

// Pattern evaluates w for Match: quoted characters come out escaped.
func Pattern(env Env, w *Word) (string, error) {
	e := eval{env: env, goal: toPattern}
	return e.whole(w)
}

// QuotedPattern is Pattern with a backslash before every quoted character, as
// set -x shows it.
func QuotedPattern(env Env, w *Word) (string, error) {
	e := eval{env: env, goal: toPattern}
	if w.isLit && w.parts == nil {
		return w.lit, nil
	}
	if err := e.parts(w.parts, false); err != nil {
		return "", err
	}
	var b strings.Builder
	at := 0
	for _, q := range e.quotes {
		b.Write(e.buf[at:q.from])
		for _, c := range e.buf[q.from:q.to] {
			if utf8.RuneStart(c) {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		at = q.to
	}
	b.Write(e.buf[at:])
	return b.String(), nil
}

// Matches reports whether s matches the pattern w, as case and [[ == ]] ask.
// The pattern of a word of AsPattern that is a constant was compiled with it.
func Matches(env Env, w *Word, s string, flags Flags) (bool, error) {
	if flags&NoCaseMatch == 0 {
		if w.same {
			return w.lit == s, nil
		}
		if w.match != nil && (flags&Bytes == 0 || plainLen(s) == len(s)) { // compiled for UTF-8
			if len(s) > 1<<10 {
				env.Charge(len(s) >> 10)
				metered := *w.match
				metered.env = env
				return metered.Match(s), nil
			}
			return w.match.Match(s), nil
		}
	}
	pattern, err := Pattern(env, w)
	if err != nil {
		return false, err
	}
	if max(len(s), len(pattern)) > 1<<10 && (flags&NoCaseMatch != 0 || hasMeta(pattern)) {
		return MeteredMatcher(env, pattern, flags).Match(s), nil
	}
	return Match(pattern, s, flags), nil
}

// AsPattern prepares a word that has just been compiled for Matches.
func (w *Word) AsPattern() {
	if w.isLit && w.parts == nil {
		w.same = !hasMeta(w.lit)
		if !w.same {
			w.match = NewMatcher(w.lit, 0)
		}
	} else {
		w.match = constant(w.parts)
	}
}

// Regexp evaluates w for [[ =~ ]]: quoted parts come out escaped for an
// extended regular expression.
func Regexp(env Env, w *Word) (string, error) {
	e := eval{env: env, goal: toRegexp}
	return e.whole(w)
}

// HereDoc evaluates the body of a here-document.
func HereDoc(env Env, w *Word) (string, error) { return String(env, w) }

// Redirect evaluates a redirection's target, which must be one field. In POSIX
// mode it is no pattern.
func Redirect(env Env, w *Word) (string, error) {
	e := eval{env: env, goal: toFields}
	if e.load(); e.flags&Posix != 0 {
		e.flags |= NoGlob
	}
	fields, err := e.fields(nil, []*Word{w})
	if err != nil {
		return "", err
	}
	if len(fields) != 1 {
		return "", &Error{Kind: Ambiguous, Text: w.text + ": ambiguous redirect"}
	}
	return fields[0], nil
}

// stretch is s[lo:hi]. A small rest of a long value is copied, so that it does
// not keep the whole in memory; m is charged for that.
func stretch(s string, lo, hi int, m large.Meter) string {
	if n := hi - lo; len(s) > 256 && (n <= 64 || n < len(s)/2) {
		return large.Clone(s[lo:hi], m)
	}
	return s[lo:hi]
}
