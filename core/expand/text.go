package expand

import "strings"

// Text is the word as bash shows it, for declare -f and set -x: as it stood in
// the source, but for line continuations, which bash takes out when it reads
// them, and $'…' and $"…", which it translates.
func (w *Word) Text() string {
	if w == nil {
		return ""
	}
	return Translated(joined(w.text))
}

// Translated is a text with every $'…' that is not in double quotes replaced by
// what it stands for, in single quotes, and every $"…" without its $. In "${…}",
// too, they are translated, and only behind # % / ^ and , put in single quotes.
func Translated(text string) string {
	if !strings.Contains(text, "$'") && !strings.Contains(text, `$"`) {
		return text
	}
	t := translator{skipper: skipper{s: text}}
	t.word(0, false, false)
	return t.b.String()
}

// translator copies a text from i on.
type translator struct {
	skipper
	b strings.Builder
	i int
}

func (t *translator) has(p string) bool { return strings.HasPrefix(t.s[t.i:], p) }

func (t *translator) copy(to int) {
	to = min(to, len(t.s))
	t.b.WriteString(t.s[t.i:to])
	t.i = to
}

// word copies up to a character that closes it. dquote says that it is in double
// quotes; bare, that what is translated gets no quotes.
func (t *translator) word(closing byte, dquote, bare bool) {
	t.depth++
	defer func() { t.depth-- }()
	for t.i < len(t.s) && (closing == 0 || t.s[t.i] != closing) {
		switch quoted := closing == '"'; {
		case t.has("$$"): // the process, whatever follows
			t.copy(t.i + 2)
		case t.has("$'") && !quoted:
			s, n := ansiC(t.s[t.i+2:])
			switch {
			case bare:
			case s == "'":
				s = `\'`
			default:
				s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
			}
			t.b.WriteString(s)
			t.i += 2 + n
		case t.has(`$"`) && !quoted:
			t.i++
		case t.s[t.i] == '"' && t.depth < maxDepth:
			t.copy(t.i + 1)
			t.word('"', true, false)
			t.copy(t.i + 1)
		case t.has("${") && t.depth < maxDepth:
			t.copy(t.i + 2)
			t.parameter(dquote)
		case t.has("$(("):
			t.copy(t.i + 3)
		default:
			t.copy(t.quoted(t.i, dquote))
		}
	}
}

// parameter copies the inside of ${…} and what closes it.
func (t *translator) parameter(dquote bool) {
	from := t.i
	for t.i < len(t.s) && (t.i == from || strings.IndexByte("#%^,~:-=?+/}[", t.s[t.i]) < 0) {
		t.copy(t.i + 1)
	}
	bare := dquote && (t.i == len(t.s) || strings.IndexByte("#%^,/", t.s[t.i]) < 0)
	t.word('}', dquote, bare)
	t.copy(t.i + 1)
}

// Text is the expression as it stood in the source, without line continuations.
func (a *Arith) Text() string { return Joined(a.text) }
