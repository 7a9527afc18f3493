package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
)

// aliasReader replaces aliases as a text is read: where bash looks for one is a
// matter of the tokens before it.
type aliasReader struct {
	lookup func(name string) (value string, ok bool)
	posix  bool        // reserved words are no aliases, and $( ) is read with them where it stands
	spans  []aliasSpan // the texts of aliases that are being read
	also   bool        // the next word is a candidate, wherever it stands
	added  int         // lines that are more than before
	edited bool
	raw    string // the text before
}

// aliasSpan is the text of an alias.
type aliasSpan struct {
	end   int // where it ends
	name  string
	value string
	blank bool // with a blank: the word behind it is a candidate
}

// aliased replaces the aliases of the first command line of a text, and gives how many lines it has more then,
// and the error that it has.
func (m *Machine) aliased(p *Process, text string, line int) (edited string, added int, fault *SyntaxError) {
	r := newSyntaxReader(m.env(p), text, line, p.Shell.Opts.on(OptExtglob))
	r.stream = p.readsStream()
	r.aliases = &aliasReader{raw: text, posix: p.Shell.Opts.on(OptPosix), lookup: func(name string) (string, bool) {
		value, ok := p.Shell.Aliases.Get(name)
		if ok {
			m.hold(len(r.text) + len(value))
			m.charge(len(r.text)>>8 + len(value) + 1)
		}
		return expand.Encode([]byte(value)), ok
	}}
	for r.line(); r.oneLine(); {
		r.line()
	}
	if !r.aliases.edited {
		return text, 0, nil
	}
	return r.text, r.aliases.added, r.fault
}

// asWritten is what bash shows for an error behind which it has read up to an offset: the line as it was
// before aliases were replaced, or the text of the alias that the token is in.
func (r *syntaxReader) asWritten(at int) string {
	a := r.aliases
	for i := len(a.spans) - 1; i >= 0; i-- {
		s := a.spans[i]
		switch n := len(s.value); {
		case at < s.end:
			return strings.TrimRight(s.value, "\n")
		case at == s.end && n > 0 && strings.IndexByte(" \t\n|&;()<>", s.value[n-1]) < 0: // the blank that ends the word is put back in place of its last character
			return s.value[:n-1] + " "
		}
	}
	at = max(at-(len(r.text)-len(a.raw)), 0) // what follows is as it was
	from := strings.LastIndexByte(a.raw[:max(at-1, 0)], '\n') + 1
	line, _, _ := strings.Cut(a.raw[from:], "\n")
	return line
}

// shows puts the text that is shown for an error into what has been found about it with the aliases replaced.
func (e *SyntaxError) shows(found error) error {
	if is, ok := found.(*SyntaxError); ok && e != nil && e.source != "" && is.source != "" && is.Text == e.Text {
		c := *is // which others may have
		c.source = e.source
		return &c
	}
	return found
}

// oneLine puts a ; for the newline in an alias at which a command line has
// ended. What follows it there is still of the alias, and bash counts no line.
func (r *syntaxReader) oneLine() bool {
	at, a := r.at-1, r.aliases
	inside := slices.ContainsFunc(a.spans, func(s aliasSpan) bool { return s.end > at })
	if r.fault != nil || r.tok != "newline" || !inside || r.shown != r.at || r.remark > strings.LastIndexByte(r.text[:at], '\n')+1 {
		return false
	}
	with := ";"
	if r.last == "&" || r.last == ";" || strings.TrimSpace(r.text[:at]) == "" {
		with = " "
	}
	r.replace(at, r.at, with)
	docs := r.docs
	r.tokens = tokens{tok: "newline", last: "newline", docs: docs}
	return true
}

// passed forgets the aliases whose text ends before a word that begins at an offset.
func (a *aliasReader) passed(at int) {
	for n := len(a.spans); n > 0 && a.spans[n-1].end <= at; n = len(a.spans) {
		a.also = a.spans[n-1].blank
		a.spans = a.spans[:n-1]
	}
}

// alias replaces the word that has just been read from an offset on, if it is an
// alias and stands where bash looks for one. What it stands for is read next.
func (r *syntaxReader) alias(from int, word string) bool {
	a := r.aliases
	a.passed(from)
	if !a.also && (r.patterns || !r.commandPosition()) {
		return false
	}
	value, ok := a.lookup(word)
	for _, s := range a.spans {
		ok = ok && s.name != word // which is being expanded
	}
	if !ok {
		a.also = false
		return false
	}
	end, shown := from+len(value), value
	blank := strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t")
	follows := r.at < len(r.text) && strings.IndexByte(" \t\n", r.text[r.at]) >= 0
	if !blank && !follows && !strings.HasSuffix(value, "\n") && !endsQuoted(value) {
		value += " " // its last word ends with it
	}
	r.replace(from, r.at, value)
	r.at = from
	a.spans = append(a.spans, aliasSpan{end: end, name: word, value: shown, blank: blank})
	return true
}

// replace puts something else for a stretch of the text, which has been read.
func (r *syntaxReader) replace(from, to int, with string) {
	a := r.aliases
	a.edited = true
	if r.counted > from {
		r.counted, r.lines = 0, 0
	}
	a.added += strings.Count(with, "\n") - strings.Count(r.text[from:to], "\n")
	for i := range a.spans {
		if a.spans[i].end >= to {
			a.spans[i].end += len(with) - (to - from)
		}
	}
	r.text = r.text[:from] + with + r.text[to:]
	r.at += len(with) - (to - from)
}

// commandPosition reports whether an alias may stand behind the last token.
func (r *syntaxReader) commandPosition() bool {
	switch r.last {
	case tokAssign:
		return true
	case ";;", ";&", ";;&":
		return false
	}
	return r.leading || r.reservable()
}

// endsQuoted reports whether a text ends inside quotes, in a comment or behind a backslash.
func endsQuoted(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return true
			}
		case '\'', '"':
			for i++; i < len(s) && s[i] != c; i++ {
				if s[i] == '\\' && c == '"' {
					i++
				}
			}
			if i >= len(s) {
				return true
			}
		case '#':
			if i == 0 || strings.IndexByte(" \t\n;&|(", s[i-1]) >= 0 {
				n := strings.IndexByte(s[i:], '\n')
				if n < 0 {
					return true
				}
				i += n
			}
		}
	}
	return false
}

// noAlias says that the next word is no candidate because of the alias before it.
func (r *syntaxReader) noAlias() {
	if r.aliases != nil {
		r.aliases.also = false
	}
}
