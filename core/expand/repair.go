package expand

import "strings"

// Repair changes masked so that the parser takes what it has refused at an
// offset, saying why, though bash takes it. As with Mask only what this package
// reads for itself is blanked: length and lines stay, and the tree fits the
// original text. ok is false if there is nothing to be done.
func Repair(masked, why string, at int) (repaired string, ok bool) {
	if at < 0 || at >= len(masked) {
		at = max(0, len(masked)-1)
	}
	m := masker{skipper: &skipper{s: masked}, out: []byte(masked), i: at}
	switch {
	case strings.Contains(why, "inline variables cannot be arrays"):
		m.inline()
	case strings.Contains(why, "arrays cannot be nested"):
		if m.peek(0) == '=' {
			m.i++
		}
		m.group()
	case strings.Contains(why, "valid test operator: `(`"):
		m.emptyGroup()
	case strings.Contains(why, "expansions not allowed in heredoc words"):
		m.delimiter()
	case why == "invalid var name":
		m.varName()
	case strings.Contains(why, "invalid func name"):
		m.funcName()
	}
	if !m.done {
		for m.i = 0; m.i < len(m.s); m.i++ {
			if m.has("()") {
				m.emptyGroup()
			}
		}
	}
	if !m.done {
		m.i = 0
		m.ticks()
	}
	return string(m.out), m.done
}

// group blanks a list in parentheses, the commands in it excepted.
func (m *masker) group() {
	from := m.i
	if m.peek(0) != '(' {
		return
	}
	m.i++
	keep := m.region(")", false)
	if m.i > len(m.s) || m.s[m.i-1] != ')' {
		return
	}
	m.blank(from, m.i, '_', keep)
	for j := from; j < m.i; j++ {
		if m.out[j] == '\n' {
			m.out[j] = '_'
		}
	}
}

// inline blanks the list, or the subscript, of an assignment before a command.
func (m *masker) inline() {
	for nameByte(m.peek(0)) {
		m.i++
	}
	if m.peek(0) == '[' {
		end, ok := m.to(m.i + 1)
		if !ok {
			return
		}
		m.blank(m.i, end+1, '_', nil)
		return
	}
	if m.peek(0) == '+' {
		m.i++
	}
	if m.peek(0) == '=' {
		m.i++
		m.group()
	}
}

// emptyGroup blanks the pattern @() .
func (m *masker) emptyGroup() {
	if m.i > 0 && m.peek(1) == ')' && strings.IndexByte("?*+@!", m.s[m.i-1]) >= 0 {
		m.blank(m.i-1, m.i+2, '_', nil)
	}
}

// delimiter blanks the expansion in a here-document's delimiter, which bash
// takes as it is written, there and at the document's end.
func (m *masker) delimiter() {
	from := m.i
	for from > 0 && strings.IndexByte(" \t<-", m.s[from-1]) < 0 {
		from--
	}
	to := m.i
	for to < len(m.s) && strings.IndexByte(" \t\n;&|<>", m.s[to]) < 0 {
		if n := m.quoted(to, false); n > to {
			to = n
		}
	}
	word := m.s[from:to]
	end := strings.Index(m.s[to:], "\n"+word)
	if end < 0 || strings.ContainsAny(word, "'\"\\\n") {
		return
	}
	end += to + 1
	for j := range word {
		if !nameByte(word[j]) {
			m.blank(from+j, from+j+1, '_', nil)
			m.blank(end+j, end+j+1, '_', nil)
		}
	}
}

// funcName blanks what a function's name may not be made of: it fails when it runs.
func (m *masker) funcName() {
	for m.i < len(m.s) && !m.has("()") && strings.IndexByte("\n;&|<>", m.s[m.i]) < 0 {
		from := m.i
		if m.i = m.quoted(m.i, false); m.i > from+1 || m.s[from] == '$' {
			m.blank(from, m.i, '_', nil)
		}
	}
}

// varName makes a name of what a declaration assigns to, which is none: declare a=() x-y=z.
func (m *masker) varName() {
	from := m.i
	for m.i < len(m.s) && strings.IndexByte("=+ \t\n;&|<>()$`'\"\\[", m.s[m.i]) < 0 {
		m.i++
	}
	if m.has("=") || m.has("+=") {
		m.blank(from, m.i, '_', nil)
	}
}

// ticks blanks old-style substitutions: what is in them is read when they run,
// and only there wrong.
func (m *masker) ticks() {
	var quotes doubleQuotes
	for m.i < len(m.s) {
		if m.s[m.i] != '`' {
			if m.s[m.i] == '\'' && !quotes.at(m.s, m.i) {
				m.skipSingle()
				continue
			}
			if m.s[m.i] == '\\' {
				m.i++
			}
			m.i++
			continue
		}
		end, ok := m.command(m.i+1, '`')
		if !ok {
			return
		}
		m.blank(m.i, end, '_', nil)
		for j := m.i; j < end; j++ {
			if m.out[j] == '\n' {
				m.out[j] = '_'
			}
		}
		m.i = end
	}
}

// doubleQuotes knows where a text, read from left to right, is inside double quotes, as far as each line tells.
type doubleQuotes struct {
	next   int
	inside bool
}

// at reports whether the position i of s is.
func (q *doubleQuotes) at(s string, i int) bool {
	for ; q.next < i; q.next++ {
		switch s[q.next] {
		case '\n':
			q.inside = false
		case '\\':
			if q.next++; q.next < len(s) && s[q.next] == '\n' {
				q.inside = false
			}
		case '"':
			q.inside = !q.inside
		}
	}
	return q.inside
}
