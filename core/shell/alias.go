package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// aliasedUnit reads a line as bash does with aliases: the first word of a
// simple command is replaced by the alias's text, and what comes of it is read
// again. A replaced name is not replaced again inside its own text; an alias
// that ends in a blank makes the next word a candidate.
func (m *Machine) aliasedUnit(p *Process, text string, off, line int) (*Unit, string, int, error) {
	rest := text[off:]
	var used []aliasSpan
	for range 256 {
		at, word := m.nextAlias(p, rest, used)
		var stmts []*syntax.Stmt
		n, err := 0, error(nil)
		if at < 0 {
			stmts, n, err = parseUnit(m.env(p), rest)
		}
		for _, s := range stmts {
			if at, word = m.findAlias(p, s, used); at >= 0 {
				break
			}
		}
		if at < 0 && err != nil { // the line may parse only with its aliases replaced
			at, word = m.leadingAlias(p, rest, used)
		}
		if at < 0 {
			if err != nil {
				return nil, text, len(text), syntaxError(m.env(p), err, rest, line)
			}
			text = text[:off] + rest
			if len(stmts) == 0 {
				return nil, text, len(text), nil
			}
			u := newUnit(rest[:n], line)
			if err := u.compile(stmts, origin{}, newShelf(m.env(p))); err != nil {
				return nil, text, len(text), err
			}
			return u, text, off + n, nil
		}
		value, _ := p.Shell.Aliases.Get(word)
		value = expand.Encode([]byte(value))
		rest = rest[:at] + value + rest[at+len(word):]
		d := len(value) - len(word)
		for i := range used {
			if used[i].from > at {
				used[i].from += d
			}
			if used[i].to > at {
				used[i].to += d
			}
		}
		used = append(used, aliasSpan{at, at + len(value), word, strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t")})
	}
	u, next, err := nextUnit(m.env(p), text, off, line)
	return u, text, next, err
}

// aliasSpan is a stretch of text that came from an alias.
type aliasSpan struct {
	from, to int
	name     string
	blank    bool
}

// findAlias gives the offset of the first command word of a tree that is an alias.
func (m *Machine) findAlias(p *Process, s *syntax.Stmt, used []aliasSpan) (at int, word string) {
	at = -1
	syntax.Walk(s, func(n syntax.Node) bool {
		if at >= 0 {
			return false
		}
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			if d, ok := n.(*syntax.DeclClause); ok && m.isAlias(p, d.Variant.Value, int(d.Variant.ValuePos.Offset()), used) {
				at, word = int(d.Variant.ValuePos.Offset()), d.Variant.Value
			}
			return true
		}
		for i, w := range c.Args {
			if len(w.Parts) != 1 {
				break
			}
			l, ok := w.Parts[0].(*syntax.Lit)
			if !ok || len(l.Value) != int(l.ValueEnd.Offset()-l.ValuePos.Offset()) {
				break
			}
			pos := int(l.ValuePos.Offset())
			if i > 0 && !afterBlank(pos, used) {
				break
			}
			if m.isAlias(p, l.Value, pos, used) {
				at, word = pos, l.Value
				return false
			}
			if !inside(pos, used) && i > 0 {
				break
			}
		}
		return true
	})
	return at, word
}

// leadingAlias looks for an alias where a command begins in a text that does not parse.
func (m *Machine) leadingAlias(p *Process, rest string, used []aliasSpan) (int, string) {
	begins := true // a command begins here
	for i := 0; i < len(rest); {
		switch c := rest[i]; {
		case c == ' ' || c == '\t':
			i++
		case c == '#':
			for i < len(rest) && rest[i] != '\n' {
				i++
			}
		case strings.IndexByte("\n;&|()", c) >= 0:
			begins = true
			i++
		default:
			if at, word := m.aliasAt(p, rest, i, used); at >= 0 && begins {
				return at, word
			}
			from := i
			for i < len(rest) && strings.IndexByte(" \t\n;&|()", rest[i]) < 0 {
				i = expand.SkipQuoted(rest, i, m.env(p))
			}
			begins = begins && beforeCommand(rest[from:i])
		}
	}
	return -1, ""
}

// beforeCommand reports whether a command may begin behind a word that stands where one begins.
func beforeCommand(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "while", "until", "do", "!", "time", "{":
		return true
	}
	name, _, ok := strings.Cut(word, "=")
	return ok && validName(strings.TrimSuffix(name, "+"))
}

// nextAlias looks at the word behind an alias that ends in a blank, whatever it is to the grammar.
func (m *Machine) nextAlias(p *Process, rest string, used []aliasSpan) (int, string) {
	for _, s := range used {
		if !s.blank {
			continue
		}
		i := s.to
		for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
			i++
		}
		if at, word := m.aliasAt(p, rest, i, used); at >= 0 {
			return at, word
		}
	}
	return -1, ""
}

// aliasAt gives the alias that the word at an offset is, or -1.
func (m *Machine) aliasAt(p *Process, rest string, i int, used []aliasSpan) (int, string) {
	j := i
	for j < len(rest) && strings.IndexByte(" \t\n;&|()<>'\"$`\\", rest[j]) < 0 {
		j++
	}
	if j > i && (j == len(rest) || strings.IndexByte("'\"$`\\", rest[j]) < 0) && m.isAlias(p, rest[i:j], i, used) {
		return i, rest[i:j]
	}
	return -1, ""
}

func (m *Machine) isAlias(p *Process, word string, at int, used []aliasSpan) bool {
	if _, ok := p.Shell.Aliases.Get(word); !ok {
		return false
	}
	for _, s := range used {
		if s.name == word && at >= s.from && at < s.to {
			return false
		}
	}
	return true
}

func inside(at int, used []aliasSpan) bool {
	for _, s := range used {
		if at >= s.from && at < s.to {
			return true
		}
	}
	return false
}

// afterBlank reports whether the word at an offset directly follows an alias that ends in a blank.
func afterBlank(at int, used []aliasSpan) bool {
	for _, s := range used {
		if s.blank && at >= s.to && at <= s.to+8 {
			return true
		}
	}
	return false
}
