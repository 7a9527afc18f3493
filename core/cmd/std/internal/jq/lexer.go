package jq

import (
	"strings"
	"unicode/utf8"
)

// token is a word of a program. kind is the text of keywords and operators, else one of the names of tokens below.
type token struct {
	kind string
	text string
	pos  int
}

const (
	tEOF     = "end of file"
	tIdent   = "IDENT"
	tField   = "FIELD"
	tNumber  = "LITERAL"
	tFormat  = "FORMAT"
	tQuote   = "QQSTRING_START"
	tBinding = "BINDING"
	tInvalid = "INVALID_CHARACTER"
)

func keyword(s string) bool {
	switch s {
	case "def", "module", "import", "include", "if", "then", "elif", "else", "end", "as", "reduce", "foreach",
		"try", "catch", "label", "and", "or", "__loc__":
		return true
	}
	return false
}

func letter(c byte) bool { return c == '_' || c|32 >= 'a' && c|32 <= 'z' }
func digit(c byte) bool  { return c-'0' < 10 }

// identEnd is where the identifier that begins at i ends.
func identEnd(s string, i int) int {
	for i < len(s) && (letter(s[i]) || digit(s[i])) {
		i++
	}
	return i
}

// advance reads the next token.
func (p *parser) advance() {
	s := p.src
	i := p.at
	for i < len(s) {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				if s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == '\\') {
					i++
				}
				i++
			}
			continue
		}
		break
	}
	t := token{pos: i}
	defer func() { p.tok = t }()
	if i >= len(s) {
		t.kind, p.at = tEOF, len(s)
		return
	}
	end := i + 1
	switch c := s[i]; {
	case letter(c):
		end = identEnd(s, i)
		for strings.HasPrefix(s[end:], "::") && end+2 < len(s) && letter(s[end+2]) {
			end = identEnd(s, end+2)
		}
		t.kind, t.text = tIdent, s[i:end]
		if keyword(t.text) {
			t.kind = t.text
		}
	case digit(c) || c == '.' && i+1 < len(s) && digit(s[i+1]):
		end = numberEnd(s, i)
		t.kind, t.text = tNumber, s[i:end]
	case c == '"':
		t.kind = tQuote
	case c == '.' && i+1 < len(s) && letter(s[i+1]):
		end = identEnd(s, i+1)
		t.kind, t.text = tField, s[i+1:end]
	case c == '$' && i+1 < len(s) && letter(s[i+1]):
		end = identEnd(s, i+1)
		for strings.HasPrefix(s[end:], "::") && end+2 < len(s) && letter(s[end+2]) {
			end = identEnd(s, end+2)
		}
		t.kind, t.text = tBinding, s[i+1:end]
	case c == '@' && i+1 < len(s) && (letter(s[i+1]) || digit(s[i+1])):
		end = identEnd(s, i+1)
		t.kind, t.text = tFormat, s[i:end]
	default:
		t.kind = punctuation(s[i:])
		if t.kind == "" {
			t.kind = tInvalid
			_, n := utf8.DecodeRuneInString(s[i:])
			t.text, end = s[i:i+n], i+n
		} else {
			end = i + len(t.kind)
		}
	}
	p.at = end
}

func punctuation(s string) string {
	for _, op := range [...]string{"?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", ".."} {
		if strings.HasPrefix(s, op) && op != "?//=" {
			return op
		}
	}
	if strings.IndexByte(".?=;,:|+-*/%$<>[]{}()", s[0]) >= 0 {
		return s[:1]
	}
	return ""
}

func numberEnd(s string, i int) int {
	for i < len(s) && digit(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && digit(s[i]); i++ {
		}
	}
	if i < len(s) && s[i]|32 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && digit(s[j]) {
			for j < len(s) && digit(s[j]) {
				j++
			}
			return j
		}
	}
	return i
}
