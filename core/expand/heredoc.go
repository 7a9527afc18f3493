package expand

import "strings"

// hereDelim is a here-document that begins behind the line.
type hereDelim struct {
	text   string
	quoted bool
	tabs   bool // <<-
}

// HereDelim is the line that ends a here-document whose delimiter is written as
// word; quoted says that a part of it is, and that the document is taken as it stands.
func HereDelim(word string) (delim string, quoted bool) {
	var b strings.Builder
	for i, double := 0, false; i < len(word); {
		c := word[i]
		switch {
		case strings.HasPrefix(word[i:], "\\\n"):
			i += 2
			continue
		case c == '"':
			double, quoted = !double, true
		case c == '\'' && !double:
			text, _, _ := strings.Cut(word[i+1:], "'")
			b.WriteString(text)
			i, quoted = min(i+len(text)+2, len(word)), true
			continue
		case strings.HasPrefix(word[i:], "$'") && !double:
			text, n := ansiC(word[i+2:])
			b.WriteString(text)
			i, quoted = i+2+n, true
			continue
		case strings.HasPrefix(word[i:], "$\"") && !double: // to be translated
		case c == '\\' && i+1 < len(word) && (!double || strings.IndexByte("$`\"\\", word[i+1]) >= 0):
			i++
			b.WriteByte(word[i])
			quoted = true
		default:
			b.WriteByte(c)
		}
		i++
	}
	return b.String(), quoted
}

// HereEnd finds the line that ends a here-document which begins at an offset:
// where that line begins, and what follows it. In a document that is not quoted a
// line may be continued, and only a whole one ends it.
func HereEnd(text string, from int, delim string, tabs, quoted bool) (end, next int, ok bool) {
	for end = from; end < len(text); end = next {
		next = HereLine(text, end, quoted)
		line := strings.TrimSuffix(text[end:next], "\n")
		if !quoted {
			line = Joined(line)
		}
		if tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == delim && next > end && text[next-1] == '\n' {
			return end, next, true
		}
	}
	return len(text), len(text), false
}

// HereLine is the offset behind the line of a here-document that begins at one.
func HereLine(text string, at int, quoted bool) int {
	for at < len(text) {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		line := text[at : at+n]
		at += n + 1
		if back := len(line) - len(strings.TrimRight(line, "\\")); quoted || back%2 == 0 {
			break
		}
	}
	return at
}

// redirect reads < and notes here-documents.
func (m *masker) redirect() {
	if m.has("<<<") {
		m.i += 3
		return
	}
	if !m.has("<<") {
		m.i++
		return
	}
	m.i += 2
	d := hereDelim{}
	if m.peek(0) == '-' {
		d.tabs = true
		m.i++
	}
	for m.peek(0) == ' ' || m.peek(0) == '\t' {
		m.i++
	}
	from := m.i
	for m.i < len(m.s) && strings.IndexByte(" \t\n;&|()<>", m.s[m.i]) < 0 {
		if m.has("\\\n") {
			m.fold(false)
		}
		m.i = m.quoted(m.i, false)
	}
	word := m.s[from:m.i]
	d.text, d.quoted = HereDelim(word)
	m.here = append(m.here, d)
	if !plainDelim(word) {
		end, next, ok := m.ending()
		if !ok {
			end, next = len(m.s), len(m.s)
		}
		m.plainly(from, end, next, d)
	}
}

// ending finds the end of the document noted last, which is behind those noted before it.
func (m *masker) ending() (end, next int, ok bool) {
	if m.ended.docs == 0 || m.ended.line < m.i {
		m.ended = endings{line: len(m.s)}
		if n := strings.IndexByte(m.s[m.i:], '\n'); n >= 0 {
			m.ended.line = m.i + n
		}
		m.ended.next = min(m.ended.line+1, len(m.s))
	}
	for ; m.ended.docs < len(m.here); m.ended.docs++ {
		d := &m.here[m.ended.docs]
		end, m.ended.next, ok = HereEnd(m.s, m.ended.next, d.text, d.tabs, d.quoted)
	}
	return end, m.ended.next, ok
}

// endings is how far the ends of the documents of a line have been looked for.
type endings struct {
	line int // the end of the line
	docs int // documents whose ends are known
	next int // behind the last of them
}

// plainDelim reports whether the parser reads the delimiter that a text begins with as bash does.
func plainDelim(text string) bool {
	if text == "" {
		return true
	}
	quote := text[0]
	if strings.IndexByte("'\"\\", quote) >= 0 {
		text = text[1:]
	} else {
		quote = 0
	}
	n := 0
	for n < len(text) && nameByte(text[n]) {
		n++
	}
	if text = text[n:]; quote == '\'' || quote == '"' {
		if text == "" || text[0] != quote {
			return false
		}
		text = text[1:]
	}
	return text == "" || strings.IndexByte(" \t\n;&|()<>", text[0]) >= 0
}

// plainly shows the parser a delimiter between an offset and the position, and
// the line that ends its document, as ones that it knows. Their lengths stay.
func (m *masker) plainly(from, end, next int, d hereDelim) {
	const fill = "\x01" // in no line
	n, word := len(d.text), m.i-from
	spare := word - n
	quotes := max(0, spare-n+1) / 2 // '' for two characters of it, \ for one
	escapes := spare - 2*quotes
	line := strings.TrimSuffix(m.s[end:next], "\n")
	if end == len(m.s) { // it does not end
		line = d.text
	}
	if spare < 0 || escapes < 0 || escapes > n || !strings.HasSuffix(line, d.text) || strings.IndexByte(line, '\n') >= 0 || strings.IndexByte(m.s[from:m.i], '\n') >= 0 {
		return
	}
	m.hidden = append(m.hidden, hiding{from: from, to: m.i, put: strings.Repeat("''", quotes) + strings.Repeat("\\"+fill, escapes) + strings.Repeat(fill, n-escapes)})
	if end < len(m.s) {
		m.hidden = append(m.hidden, hiding{from: end + len(line) - n, to: end + len(line), fill: fill[0]})
	}
}

// hereDocs reads the bodies that begin at the current line.
func (m *masker) hereDocs() {
	docs := m.here
	m.here, m.ended = nil, endings{}
	for _, d := range docs {
		end, next, ok := HereEnd(m.s, m.i, d.text, d.tabs, d.quoted)
		if d.quoted {
			m.i = next
			continue
		}
		if ok {
			m.endsAs(end, next-1)
		}
		for line := m.i; m.i < end; {
			if m.i == line || m.i > line && m.s[m.i-1] == '\n' {
				line = m.continued(d)
			}
			switch c := m.s[m.i]; {
			case m.has("\\\n"): // the line that ends the document may be continued, too
				m.fold(false)
				m.i += 2
			case c == '\\' || c == '$' || c == '`':
				from := m.i
				if m.char(true); m.tokens && c != '\\' {
					m.bodies = append(m.bodies, [2]int{from, min(m.i, end)})
				}
			default:
				m.i++
			}
		}
		for ; m.i < next; m.i++ {
			if m.has("\\\n") {
				m.fold(false)
			}
		}
	}
}

// endsAs shows the parser the line that ends a document in one piece, where it is continued.
func (m *masker) endsAs(from, to int) {
	line := m.s[from:to]
	if n := strings.Count(line, "\\\n"); n > 0 {
		m.hidden = append(m.hidden, hiding{from: from, to: to, put: strings.Repeat("_\n", n) + strings.ReplaceAll(line, "\\\n", "")})
	}
}

// continued hides the lines that the one which begins here goes on with, if one
// of them alone would end the document, and gives where they end.
func (m *masker) continued(d hereDelim) (next int) {
	next = HereLine(m.s, m.i, false)
	for at := m.i; ; {
		n := strings.IndexByte(m.s[at:next], '\n')
		if n < 0 || at+n+1 >= next {
			return next
		}
		at += n + 1
		line, _, _ := strings.Cut(m.s[at:next], "\n")
		if d.tabs {
			line = strings.TrimLeft(line, "\t")
		}
		if line == d.text && line != "" {
			m.hide(at, at+1, '_')
		}
	}
}
