package expand

import "strings"

// Text is the word as bash shows it, for declare -f and set -x: as it stood in
// the source, but for $'…' and $"…", which bash translates when it reads them.
func (w *Word) Text() string {
	if w == nil {
		return ""
	}
	return Translated(w.text)
}

// Translated is a text with every $'…' that is not in double quotes replaced by
// what it stands for, in single quotes, and every $"…" without its $.
func Translated(text string) string {
	if !strings.Contains(text, "$'") && !strings.Contains(text, `$"`) {
		return text
	}
	var b strings.Builder
	for i, dquote := 0, false; i < len(text); {
		rest := text[i:]
		switch {
		case dquote && text[i] == '"':
			dquote = false
		case dquote:
			n := skipQuoted(text, i, true, 0)
			b.WriteString(text[i:n])
			i = n
			continue
		case strings.HasPrefix(rest, "$'"):
			s, n := ansiC(rest[2:])
			b.WriteString("'" + strings.ReplaceAll(s, "'", `'\''`) + "'")
			i += 2 + n
			continue
		case strings.HasPrefix(rest, `$"`):
			i++
			continue
		case text[i] == '"':
			dquote = true
		default:
			n := skipQuoted(text, i, false, 0)
			b.WriteString(text[i:n])
			i = n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// Text is the expression as it stood in the source.
func (a *Arith) Text() string { return a.text }
