package expand

import "strings"

// Unfold moves each line continuation in the middle of a token to before it:
// $\<newline>x becomes \<newline>$x. To bash they are one; the parser looks for
// $x, && and keywords in one piece. Length and number of lines stay. ok is
// false if there was none.
func Unfold(text string) (unfolded string, ok bool) {
	if !strings.Contains(text, "\\\n") {
		return text, false
	}
	m := masker{s: text, dry: true}
	m.commands(0)
	b := []byte(text) // m has blanked things
	for _, at := range m.folds {
		from := at
		for from > 0 && strings.IndexByte(" \t\n'\"`)}", b[from-1]) < 0 {
			from--
		}
		if from < at {
			copy(b[from+2:at+2], b[from:at])
			b[from], b[from+1] = '\\', '\n'
			ok = true
		}
	}
	return string(b), ok
}
