package shell

import (
	"slices"
	"strings"
)

// What begins with (( and does not end with )) is a subshell in a subshell. bash
// finds that out at the ) of the inner one: it reads the text up to the
// character behind it again, as it does with the text of an alias. Where that
// character is the last of its line, or a backslash, it loses what follows.

// seam is where the text that was read again ends.
type seam struct{ from, to int } // behind the first (, behind the inner )

// second gives the offset behind a (( that begins here, 0 if there is none.
func (r *syntaxReader) second() int {
	if r.text[r.at] != '(' {
		return 0
	}
	at := r.at + 1
	for strings.HasPrefix(r.text[at:], "\\\n") {
		at += 2
	}
	if strings.HasPrefix(r.text[at:], "(") {
		return at + 1
	}
	return 0
}

// nest notes that a (( before an offset is no expression, and where its inner ) is.
func (r *syntaxReader) nest(from, to int) {
	r.nested = append(r.nested, edit{from, from, " "})
	if rest := r.text[to:]; strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\\\n") {
		r.seams = append(r.seams, seam{from, to})
	}
}

// atSeam reads the token at a seam, "" if there is nothing odd about it.
func (r *syntaxReader) atSeam() string {
	n := len(r.seams) - 1
	to := r.seams[n].to
	switch {
	case r.at < to:
		return ""
	case r.at == to && r.text[to] == '\n':
		return "" // it comes before what is lost
	}
	r.seams = r.seams[:n]
	if r.at > to+1 { // inside something else that has been read in one piece
		return ""
	}
	if r.text[to] == '\n' {
		return r.lost()
	}
	if r.at += len("\\\n"); r.at >= len(r.text) {
		r.fail(r.lastLine(), "syntax error near unexpected token `'")
		r.fault.Incomplete = true
		return tokNone
	}
	return r.rawWord()
}

// lost is what comes behind the newline: a null character. It ends a text that is a string;
// in a file it is the beginning of the next word, of which nothing is left.
func (r *syntaxReader) lost() string {
	if !r.stream {
		r.fail(r.lineAt(), "")
		from := strings.LastIndexByte(r.text[:r.at-1], '\n') + 1
		line := r.text[from : r.at-1]
		token := strings.TrimRight(line, " \t")
		token = token[strings.LastIndexAny(token, " \n\t;&|")+1:]
		r.fault.Text, r.fault.source = "syntax error near `"+token+"'", line
		return tokNone
	}
	if r.at >= len(r.text) {
		return ""
	}
	from := r.at
	kind := r.rawWord()
	r.word = ""
	r.nested = append(r.nested, edit{from, r.at, "${0:0:0}"})
	return kind
}

// rawWord reads a word that is nothing else.
func (r *syntaxReader) rawWord() string {
	r.from = r.at
	if _, _, ok := r.readWord(); !ok {
		return tokNone
	}
	r.word = strings.ReplaceAll(r.text[r.from:r.at], "\\\n", "")
	return tokWord
}

// edit is a stretch of a text and what is put in its place.
type edit struct {
	from, to int
	with     string
}

// edited is a text with edits, none of which overlap.
func edited(text string, edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.from])
		b.WriteString(e.with)
		at = e.to
	}
	b.WriteString(text[at:])
	return b.String()
}
