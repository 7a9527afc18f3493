package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// What is special about what pair reads.
const (
	pairEscapes   = 1 << iota // $'…': a backslash quotes the quote
	pairQuoted                // inside double quotes
	pairBrace                 // ${ }: the first } closes it
	pairSubscript             // [ ] before an assignment
)

// pair reads what stands between two delimiters, of which the first has been
// read, and the second with it. Between ( ) and the like, quotes hide what is in them.
func (r *syntaxReader) pair(open, closing byte, flags int) bool {
	if r.depth++; r.depth > maxSyntaxDepth {
		return r.tooDeep()
	}
	defer func() { r.depth-- }()
	line, count := r.lineAt(), 1
	if open == '"' {
		flags |= pairQuoted
	}
	inner := flags & pairQuoted
	dollar, angle := false, false // the character before is one
	for {
		if open != '\'' {
			r.joined()
		}
		if r.at >= len(r.text) {
			return r.unmatched(line, closing)
		}
		c := r.text[r.at]
		wasDollar, wasAngle := dollar, angle
		dollar, angle = c == '$' && !dollar, (c == '<' || c == '>') && !angle
		switch {
		case c == closing:
			count--
		case c == open && (flags&pairBrace == 0 || wasDollar):
			count++
		}
		r.at++
		if count == 0 {
			return true
		}
		if open == '\'' {
			if c == '\\' && flags&pairEscapes != 0 && r.at < len(r.text) {
				r.at++
			}
			continue
		}
		ok := true
		switch {
		case c == '\\':
			r.at = min(r.at+1, len(r.text))
		case open != closing && (c == '\'' || c == '"' || c == '`'):
			quote := inner
			if wasDollar && c == '\'' {
				quote |= pairEscapes
			}
			ok = r.pair(c, c, quote)
		case open == '"' && c == '`':
			ok = r.pair(c, c, inner)
		case open == '`':
		case wasDollar && strings.IndexByte("({[", c) >= 0 && (open == closing || flags&(pairSubscript|pairBrace) != 0),
			wasAngle && c == '(' && flags&(pairSubscript|pairBrace) != 0:
			if c == open {
				count--
			}
			r.at -= 2
			ok = r.expansionIn(inner)
			dollar, angle = false, false
		}
		if !ok {
			return false
		}
	}
}

// tooDeep ends the reading without an opinion.
func (r *syntaxReader) tooDeep() bool {
	r.deep = true
	return r.fail(0, "")
}

// expansion reads $( ), <( ), >( ), ${ } or $[ ].
func (r *syntaxReader) expansion() bool { return r.expansionIn(0) }

func (r *syntaxReader) expansionIn(flags int) bool {
	r.at += 2
	switch r.text[r.at-1] {
	case '{':
		return r.pair('{', '}', flags|pairBrace)
	case '[':
		return r.pair('[', ']', flags)
	}
	if strings.HasPrefix(r.text[r.at:], "(") {
		return r.pair('(', ')', 0)
	}
	return r.substitution()
}

// substitution reads the commands of $( ), which bash parses where they stand.
func (r *syntaxReader) substitution() bool {
	if r.depth++; r.depth > maxSyntaxDepth {
		return r.tooDeep()
	}
	outer, aliases := r.tokens, r.aliases
	r.tokens = tokens{tok: tokSubst, braces: outer.braces}
	r.subst++
	if aliases != nil && !aliases.posix { // they are looked for when it runs
		r.aliases = nil
	}
	r.next()
	r.newlines()
	ok := r.tok == ")" || r.commands() && (r.tok == ")" || r.unexpected())
	outer.docs = append(outer.docs, r.docs...) // they are behind the line
	r.tokens, r.aliases = outer, aliases
	r.subst--
	r.depth--
	if !ok {
		r.tok = tokNone
	}
	return ok
}

// elements reads the elements of a list, up to its ).
func (r *syntaxReader) elements() bool {
	if r.depth++; r.depth > maxSyntaxDepth {
		return r.tooDeep()
	}
	defer func() { r.depth-- }()
	tok, last, before, list, assigns, line := r.tok, r.last, r.before, r.list, r.assigns, r.lineAt()
	r.list, r.tok, r.last = true, tokWord, tokWord
	for {
		r.last = tokWord // no word is reserved here
		switch kind := r.token(); kind {
		case ")":
			r.tok, r.last, r.before, r.list, r.assigns = tok, last, before, list, assigns
			return true
		case "newline", tokWord, tokAssign:
		case tokEOF:
			r.fail(line, "unexpected EOF while looking for matching `)'")
			r.fault.Incomplete, r.fault.list = true, true
			return false
		case tokNone:
			if f := r.fault; f.Incomplete && !f.list {
				f.list = true
				f.more = append(f.more, toldLine{r.lastLine(), "syntax error: unexpected end of file"})
			}
			return false
		default:
			r.tok = kind
			return r.unexpected()
		}
	}
}

// gather reads the here-documents of the line that has ended.
func (r *syntaxReader) gather() {
	docs := r.docs
	r.docs = nil
	for _, d := range docs {
		line := r.lineAt()
		for {
			if r.at >= len(r.text) {
				r.warn = append(r.warn, warning{r.lastLine() - 1, unendedDoc(line, d.delim)})
				break
			}
			next := expand.HereLine(r.text, r.at, d.quoted)
			text := strings.TrimSuffix(r.text[r.at:next], "\n")
			if !d.quoted {
				text = expand.Joined(text)
			}
			if d.tabs {
				text = strings.TrimLeft(text, "\t")
			}
			if r.subst > 0 && strings.HasPrefix(text, d.delim+")") {
				r.at += strings.Index(r.text[r.at:], d.delim+")") + len(d.delim)
				r.closed = append(r.closed, r.at)
				r.closedWarn = append(r.closedWarn, warning{r.lineAt(), unendedDoc(line, d.delim)})
				break
			}
			if r.at = next; text == d.delim {
				break
			}
		}
	}
}
