package expand

import "strings"

// Unfold moves each line continuation in the middle of a token to before it:
// $\<newline>x becomes \<newline>$x. To bash they are one; the parser looks for
// $x, && and keywords in one piece. Length and number of lines stay. ok is
// false if there was none.
func Unfold(text string, a Account) (unfolded string, ok bool) {
	if !strings.Contains(text, "\\\n") {
		return text, false
	}
	m := masker{skipper: &skipper{s: text, meter: a}, dry: true, within: true, tokens: true}
	m.commands(0)
	b := []byte(text)
	for _, at := range m.folds {
		if from := tokenStart(b, at); from < at {
			copy(b[from+2:at+2], b[from:at])
			b[from], b[from+1] = '\\', '\n'
			ok = true
		}
	}
	for _, at := range m.bodies {
		if unfoldBody(b[at[0]:max(at[0], at[1])]) {
			ok = true
		}
	}
	return string(b), ok
}

// unfoldBody moves the line continuations of an expansion in a here-document to before it: bash has taken them out
// before it reads the expansion, also out of '…' there.
func unfoldBody(b []byte) (ok bool) {
	text := string(b)
	rest := Joined(text)
	n := (len(text) - len(rest)) / 2
	if n == 0 {
		return false
	}
	moved := strings.Repeat("\\\n", n) + rest
	copy(b, moved)
	return true
}

// tokenStart is where the token begins that a line continuation stands in.
func tokenStart(b []byte, at int) int {
	if at == 0 {
		return 0
	}
	stops := " \t\n'\"`)}"
	if strings.IndexByte(";&|<>", b[at-1]) < 0 { // it is no operator that is continued
		stops += ";&|"
	}
	if b[at-1] == ')' && at+2 < len(b) && b[at+2] == ')' { // the )) of an expression
		stops = strings.Replace(stops, ")", "", 1)
	}
	from := at
	for from > 0 && strings.IndexByte(stops, b[from-1]) < 0 {
		from--
	}
	return from
}

// fold notes the line continuation at the position. In double quotes it is in no
// token but a parameter's name.
func (m *masker) fold(dquote bool) {
	if m.tokens && dquote {
		i := m.i
		for i > 0 && nameByte(m.s[i-1]) {
			i--
		}
		if i == 0 || m.s[i-1] != '$' {
			return
		}
	}
	m.folds = append(m.folds, m.i)
}

// joined is a word without its line continuations: as bash has read it, which
// takes each \<newline> out as it reads, but in '…' and $'…'.
func joined(text string) string {
	if !strings.Contains(text, "\\\n") {
		return text
	}
	m := masker{skipper: &skipper{s: text}, dry: true, within: true}
	m.commands(0)
	var b strings.Builder
	from := 0
	for _, at := range m.folds {
		b.WriteString(text[from:at])
		from = at + 2
	}
	b.WriteString(text[from:])
	return b.String()
}

// Joined is a text without its line continuations where no quotes keep one: an
// expression, or the body of a here-document.
func Joined(text string) string {
	if !strings.Contains(text, "\\\n") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] == '\n' {
				continue
			}
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
