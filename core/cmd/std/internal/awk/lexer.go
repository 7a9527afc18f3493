package awk

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/regex"
)

// token is a lexical token.
type token uint8

const (
	tEOF token = iota
	tNewline
	tNumber
	tString
	tRegex      // /re/
	tTypedRegex // @/re/
	tName
	tFuncName // a name followed directly by (
	tBuiltin
	tKeyword
	tPunct // S holds the operator
)

// lexeme is a token with its text and place.
type lexeme struct {
	kind  token
	s     string // name, operator, or text with escapes read
	n     float64
	unit  int // index of the source
	line  int
	start int // offset in the source
}

// Unit is one piece of program text.
type Unit struct {
	Name string `cbor:"1,keyasint,omitempty"` // "cmd. line" or the file's name
	Text string `cbor:"2,keyasint,omitempty"`
	Line int    `cbor:"3,keyasint,omitempty"` // line of the file at which Text begins, less 1
}

// SyntaxError is a program that cannot be compiled: Text is the whole report
// in gawk's words without the leading name, one message a line.
type SyntaxError struct {
	Lines  []string
	Status int
}

// Error is the report in one text.
func (e *SyntaxError) Error() string { return strings.Join(e.Lines, "\n") }

var keywords = map[string]bool{
	"BEGIN": true, "END": true, "BEGINFILE": true, "ENDFILE": true, "function": true, "func": true,
	"if": true, "else": true, "while": true, "for": true, "do": true, "in": true,
	"break": true, "continue": true, "next": true, "nextfile": true, "exit": true, "return": true,
	"delete": true, "getline": true, "print": true, "printf": true, "switch": true, "case": true, "default": true,
}

// lexer cuts program text into tokens.
type lexer struct {
	units  []Unit
	unit   int
	src    string
	pos    int
	line   int
	warn   []string // warnings, in order
	seen   [256]bool
	last   lexeme
	loaded map[string]bool // functions of extensions that @load has named
}

func newLexer(units []Unit) *lexer {
	l := &lexer{units: units, line: 1}
	if len(units) > 0 {
		l.src = units[0].Text
	}
	return l
}

func (l *lexer) where(unit, line int) string {
	return fmt.Sprintf("%s:%d: ", l.units[unit].Name, line)
}

// fail reports an error at an offset, with the line and a caret below it.
func (l *lexer) fail(at lexeme, format string, args ...any) {
	src := l.units[at.unit].Text
	at.start = min(at.start, len(src))
	from := strings.LastIndexByte(src[:at.start], '\n') + 1
	to := strings.IndexByte(src[from:], '\n')
	if to < 0 {
		to = len(src)
	} else {
		to += from
	}
	w := l.where(at.unit, at.line)
	caret := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, src[from:at.start])
	panic(&SyntaxError{Status: 1, Lines: []string{
		w + src[from:to],
		w + caret + "^ " + fmt.Sprintf(format, args...),
	}})
}

// fatal reports an error without showing the line.
func (l *lexer) fatal(at lexeme, status int, format string, args ...any) {
	panic(&SyntaxError{Status: status, Lines: []string{l.where(at.unit, at.line) + fmt.Sprintf(format, args...)}})
}

func (l *lexer) here() lexeme {
	return lexeme{unit: l.unit, line: l.line, start: l.pos}
}

// next gives the next token. A `/` is always an operator here; the parser asks
// for regex where an operand must begin.
func (l *lexer) next() lexeme {
	l.last = l.scan()
	return l.last
}

func (l *lexer) scan() lexeme {
	for {
		if l.pos >= len(l.src) {
			if l.unit+1 < len(l.units) {
				if l.pos > 0 && l.last.kind != tNewline { // files end their last line
					t := l.here()
					t.kind = tNewline
					l.open(l.unit + 1)
					return t
				}
				l.open(l.unit + 1)
				continue
			}
			t := l.here()
			t.kind = tEOF
			return t
		}
		switch c := l.src[l.pos]; c {
		case ' ', '\t', '\r', '\f', '\v':
			l.pos++
		case '#':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' {
				l.pos++
			}
		case '\\':
			rest := strings.TrimPrefix(l.src[l.pos+1:], "\r")
			if !strings.HasPrefix(rest, "\n") {
				l.fail(l.here(), "backslash not last character on line")
			}
			l.pos = len(l.src) - len(rest) + 1
			l.line++
		case '\n':
			t := l.here()
			t.kind = tNewline
			l.pos++
			l.line++
			return t
		default:
			return l.token(c)
		}
	}
}

func (l *lexer) open(unit int) {
	l.unit, l.src, l.pos, l.line = unit, l.units[unit].Text, 0, l.units[unit].Line+1
}

func isLetter(c byte) bool { return c == '_' || c|32 >= 'a' && c|32 <= 'z' }
func isDigit(c byte) bool  { return c-'0' <= 9 }

func (l *lexer) token(c byte) lexeme {
	t := l.here()
	switch {
	case isLetter(c):
		return l.word(t)
	case isDigit(c) || c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		t.kind = tNumber
		t.n = l.number()
		return t
	case c == '"':
		t.kind = tString
		t.s = l.str(t)
		return t
	case c == '@':
		if strings.HasPrefix(l.src[l.pos:], "@/") {
			l.pos++
			t.kind = tTypedRegex
			t.s = l.regex(t)
			return t
		}
		end := l.pos + 1
		for end < len(l.src) && (isLetter(l.src[end]) || isDigit(l.src[end])) {
			end++
		}
		switch l.src[l.pos+1 : end] {
		case "include":
			l.fatal(t, 1, "error: @include must stand on a line of its own")
		case "load":
			return l.load(t, end)
		case "namespace":
			l.fatal(t, 1, "fatal: %s is not supported here", l.src[l.pos:end])
		}
		l.pos++
		t.kind, t.s = tPunct, "@"
		return t
	}
	for _, op := range [...]string{"**=", "<<=", "|&", "&&", "||", "==", "<=", ">=", "!=", "!~", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", ">>"} {
		if strings.HasPrefix(l.src[l.pos:], op) && op != "<<=" {
			t.kind, t.s = tPunct, op
			l.pos += len(op)
			switch op {
			case "**":
				t.s = "^"
			case "**=":
				t.s = "^="
			}
			return t
		}
	}
	if strings.IndexByte("{}()[];,+-*/%^!<>|?:~$=.", c) < 0 {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		_ = r
		l.fail(t, "invalid char '%s' in expression", l.src[l.pos:l.pos+size])
	}
	l.pos++
	t.kind, t.s = tPunct, l.src[l.pos-1:l.pos]
	return t
}

func (l *lexer) word(t lexeme) lexeme {
	for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || isDigit(l.src[l.pos])) {
		l.pos++
	}
	if strings.HasPrefix(l.src[l.pos:], "::") && l.pos+2 < len(l.src) && isLetter(l.src[l.pos+2]) {
		if l.src[t.start:l.pos] != "awk" {
			l.fatal(t, 1, "fatal: namespaces are not supported here")
		}
		l.pos += 2
		start := l.pos
		for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || isDigit(l.src[l.pos])) {
			l.pos++
		}
		t.s = l.src[start:l.pos]
	} else {
		t.s = l.src[t.start:l.pos]
	}
	switch {
	case keywords[t.s]:
		t.kind = tKeyword
		if t.s == "func" {
			t.s = "function"
		}
	case builtins[t.s].op != 0, l.loaded[t.s]:
		t.kind = tBuiltin
	case l.pos < len(l.src) && l.src[l.pos] == '(':
		t.kind = tFuncName
	default:
		t.kind = tName
	}
	return t
}

// number reads a numeric constant; 0x and leading 0 mean what they mean in C.
func (l *lexer) number() float64 {
	s := l.src[l.pos:]
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && isHex(s[2]) {
		i := 2
		n := 0.0
		for i < len(s) && isHex(s[i]) {
			n = n*16 + float64(hexValue(s[i]))
			i++
		}
		l.pos += i
		return n
	}
	if len(s) > 1 && s[0] == '0' {
		i, octal, n := 1, true, 0.0
		for i < len(s) && isDigit(s[i]) {
			octal = octal && s[i] < '8'
			n = n*8 + float64(s[i]-'0')
			i++
		}
		if octal && i > 1 && (i == len(s) || s[i] != '.' && s[i]|32 != 'e') {
			l.pos += i
			return n
		}
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	if i < len(s) && s[i]|32 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i = j
		}
	}
	l.pos += i
	n, _ := strconv.ParseFloat(s[:i], 64)
	return n
}

func isHex(c byte) bool { return isDigit(c) || c|32 >= 'a' && c|32 <= 'f' }

func hexValue(c byte) int {
	if isDigit(c) {
		return int(c - '0')
	}
	return int(c|32-'a') + 10
}

// str reads a string constant.
func (l *lexer) str(t lexeme) string {
	i := l.pos + 1
	for i < len(l.src) && l.src[i] != '"' {
		switch l.src[i] {
		case '\n':
			l.fail(t, "unterminated string")
		case '\\':
			i++
			if strings.HasPrefix(l.src[min(i, len(l.src)):], "\r\n") {
				i++
			}
			if i < len(l.src) && l.src[i] == '\n' {
				l.line++
			}
		}
		i++
	}
	if i >= len(l.src) {
		l.fail(t, "unterminated string")
	}
	raw := l.src[l.pos+1 : i]
	l.pos = i + 1
	return unescape(raw, func(c byte) {
		if !l.seen[c] {
			l.seen[c] = true
			l.warn = append(l.warn, fmt.Sprintf("%swarning: escape sequence `\\%c' treated as plain `%c'", l.where(t.unit, t.line), c, c))
		}
	})
}

// unescape reads the escapes of a string constant or of a var=value operand.
// odd is told of an escape that means nothing.
func unescape(s string, odd func(c byte)) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if i == len(s) {
			return string(append(b, '\\'))
		}
		switch c := s[i]; c {
		case '\n':
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case 'a':
			b = append(b, '\a')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'v':
			b = append(b, '\v')
		case '\\', '"':
			b = append(b, c)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, k := 0, 0
			for k < 3 && i+k < len(s) && s[i+k] >= '0' && s[i+k] <= '7' {
				n = n*8 + int(s[i+k]-'0')
				k++
			}
			b = append(b, byte(n))
			i += k - 1
		case 'x':
			n, k := 0, 0
			for k < 2 && i+1+k < len(s) && isHex(s[i+1+k]) {
				n = n*16 + hexValue(s[i+1+k])
				k++
			}
			if k == 0 {
				b = append(b, 'x')
				break
			}
			b = append(b, byte(n))
			i += k
		default:
			if odd != nil {
				odd(c)
			}
			b = append(b, c)
		}
	}
	return string(b)
}

// regex reads a regular expression constant; the position is at its first /.
// In it only \/ is read: the rest is for the regular expression compiler.
func (l *lexer) regex(t lexeme) string {
	i := l.pos + 1
	bracket := 0  // offset after which a ] may end the list
	bare := false // no list ends on the line any more
	ends := regex.ClassEnds{Line: true}
	var b []byte
	for ; ; i++ {
		if i >= len(l.src) || l.src[i] == '\n' {
			t.start++
			l.fail(t, "unterminated regexp")
		}
		c := l.src[i]
		switch {
		case c == '\\' && i+1 < len(l.src):
			i++
			if l.src[i] == '\n' {
				l.line++
				ends, bare = regex.ClassEnds{Line: true}, false
				continue
			}
			if l.src[i] != '/' {
				b = append(b, '\\')
			}
			b = append(b, l.src[i])
			continue
		case bracket > 0:
			if c == '[' && i+1 < len(l.src) && strings.IndexByte(":.=", l.src[i+1]) >= 0 {
				if j := regex.ClassEnd(&ends, l.src, i+2, l.src[i+1]); j > 0 {
					b = append(b, l.src[i:j]...)
					i = j - 1
					continue
				}
			}
			if c == ']' && i >= bracket {
				bracket = 0
			}
		case c == '[':
			bracket = i + 1
			if bracket < len(l.src) && l.src[bracket] == '^' {
				bracket++
			}
			bracket++ // a ] that comes first is an ordinary member
			// Where one is never closed, none that begins later is.
			if bare || !closes(l.src[i+1:]) {
				bracket, bare = 0, true
			}
		case c == '/':
			l.pos = i + 1
			return string(b)
		}
		b = append(b, c)
	}
}

// closes reports whether a bracket list that begins here ends before the line does.
func closes(s string) bool {
	s = strings.TrimPrefix(s, "^")
	if s == "" {
		return false
	}
	line, _, _ := strings.Cut(s[1:], "\n")
	return strings.IndexByte(line, ']') >= 0
}
