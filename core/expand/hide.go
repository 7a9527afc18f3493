package expand

import "strings"

// Hide changes what the parser would take for something that it is not to bash:
// a # inside a word, behind a quote or an expansion, and a backslash at the end
// of a comment; let and nameref, which are no syntax; x=( … ) where it is one
// word, behind eval, alias and let; and of here-documents delimiters that are
// not plain, and lines that are continued. As with Mask length and lines stay,
// and the tree fits the original. ok is false if there is nothing to hide.
func Hide(text string, a Account) (hidden string, ok bool) {
	if !mayHide(text) {
		return text, false
	}
	m := masker{skipper: &skipper{s: text, meter: a}, out: []byte(text)}
	m.commands(0)
	if len(m.hidden) == 0 {
		return text, false
	}
	out := []byte(text)
	for _, h := range m.hidden {
		for i := h.from; i < h.to; i++ {
			out[i] = h.fill
		}
		copy(out[h.from:h.to], h.put)
	}
	return string(out), true
}

// hiding is a stretch of text that the parser is shown otherwise: put, and fill behind it.
type hiding struct {
	from, to int
	fill     byte
	put      string
}

func (m *masker) hide(from, to int, fill byte) {
	m.hidden = append(m.hidden, hiding{from: from, to: to, fill: fill})
}

// mayHide is the quick look before Hide: whether any of what it is for may be there.
func mayHide(text string) bool {
	if strings.Contains(text, "let") || strings.Contains(text, "nameref") || strings.Contains(text, "=(") && (strings.Contains(text, "eval") || strings.Contains(text, "alias")) {
		return true
	}
	comment, folds := strings.IndexByte(text, '#') >= 0, strings.Contains(text, "\\\n")
	if comment && folds {
		return true
	}
	for i := 1; comment && i < len(text); i++ {
		if text[i] == '#' && strings.IndexByte(" \t\n;&|()<>${[", text[i-1]) < 0 {
			return true
		}
	}
	for rest, ok := text, true; ; {
		if _, rest, ok = strings.Cut(rest, "<<"); !ok {
			return false
		}
		if folds || !plainDelim(strings.TrimLeft(rest, "- \t")) {
			return true
		}
	}
}

// list goes over ( … ), which is a part of a word, and hides it but for the commands in it.
func (m *masker) list() {
	from := m.i
	m.i++
	keep := m.region(")", false)
	if m.i > len(m.s) || m.s[m.i-1] != ')' {
		return
	}
	for _, k := range append(keep, span{m.i, m.i}) {
		if m.hide(from, k.from, '_'); strings.IndexByte(m.s[from:k.from], '\n') >= 0 && k.from > from+1 {
			m.hidden[len(m.hidden)-1].put = quotedLines(m.s[from:k.from])
		}
		from = k.to
	}
}

// quotedLines is a text of the same length in quotes, which has its line ends.
func quotedLines(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] != '\n' {
			b[i] = '_'
		}
	}
	b[0], b[len(b)-1] = '\'', '\''
	return string(b)
}
