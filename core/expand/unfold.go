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
	f := folder{text: text, out: make([]byte, 0, len(text))}
	for _, at := range m.folds {
		f.move(at)
	}
	b := f.all()
	ok = f.moved
	for _, at := range m.bodies {
		if unfoldBody(b[at[0]:max(at[0], at[1])]) {
			ok = true
		}
	}
	return string(b), ok
}

// folder moves line continuations to before their tokens.
type folder struct {
	text  string
	at    int    // what is before it has been copied
	out   []byte // the text without its continuations
	put   []int  // where in it each of them is to be
	moved bool
	stops [3]int // behind the last byte in out of each kind that may end a token
}

// Kinds of bytes that may end a token.
const (
	stopAlways = iota
	stopOperator
	stopParen
)

// copy takes the text up to an offset over.
func (f *folder) copy(to int) {
	for ; f.at < to; f.at++ {
		switch f.out = append(f.out, f.text[f.at]); f.text[f.at] {
		case ' ', '\t', '\n', '\'', '"', '`', '}':
			f.stops[stopAlways] = len(f.out)
		case ';', '&', '|':
			f.stops[stopOperator] = len(f.out)
		case ')':
			f.stops[stopParen] = len(f.out)
		}
	}
}

// move notes where the line continuation at an offset goes.
func (f *folder) move(at int) {
	if at < f.at {
		return
	}
	f.copy(at)
	f.at = at + len("\\\n")
	from := f.token()
	f.moved = f.moved || from < len(f.out)
	f.put = append(f.put, from)
}

// token is where the token begins that is being copied.
func (f *folder) token() int {
	from := f.stops[stopAlways]
	if n := len(f.put); n > 0 {
		from = max(from, f.put[n-1]) // behind a continuation that stands before the same token
	}
	if from == len(f.out) {
		return from
	}
	last := f.out[len(f.out)-1]
	if strings.IndexByte(";&|<>", last) < 0 { // it is no operator that is continued
		from = max(from, f.stops[stopOperator])
	}
	if last != ')' || f.at >= len(f.text) || f.text[f.at] != ')' { // not the )) of an expression
		from = max(from, f.stops[stopParen])
	}
	return from
}

// all is the text with its continuations where they go.
func (f *folder) all() []byte {
	f.copy(len(f.text))
	b, from := make([]byte, 0, len(f.text)), 0
	for _, at := range f.put {
		b = append(append(b, f.out[from:at]...), "\\\n"...)
		from = at
	}
	return append(b, f.out[from:]...)
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
