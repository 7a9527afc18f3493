package bc

import (
	"errors"
	"strings"

	"eryxsh/core/large"
)

// Kinds of tokens; operators and keywords are their own text.
const (
	tEnd    = "end"    // of what there is
	tLine   = "line"   // end of a line
	tName   = "name"   // a variable or function
	tNumber = "number" // a constant
	tString = "string"
	tAssign = "assign" // = += -= *= /= %= ^=, text is the operator before the =
	tRel    = "relation"
)

// errMore says that the text ends before the unit does.
var errMore = errors.New("more")

// token is a word of the language.
type token struct {
	kind, text string
	end        int // of it, in the text
	line       int // lines ended before it
}

// complaint is a message about a text, with the line it is about.
type complaint struct {
	line int
	text string
}

// lexer reads tokens off a text.
type lexer struct {
	text  string
	at    int
	line  int  // lines ended so far
	eof   bool // nothing comes after the text
	moans []complaint

	illegal bool // a character was reported
	tokens  int
	work    large.Keeper // hears of many tokens and complaints; may be nil
}

const keywords = " auto break continue define else for halt ibase if last length limits obase print quit random read return scale sqrt void warranty while history "

func lower(c byte) bool { return c >= 'a' && c <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' }

// next reads a token. Illegal characters are reported and passed over.
func (l *lexer) next() (token, error) {
	const many = 1 << 10
	if l.tokens++; l.tokens%many == 0 {
		l.tell(2*many, 0)
	}
	for l.at < len(l.text) {
		c, rest := l.text[l.at], l.text[l.at:]
		switch {
		case c == '\n':
			l.at++
			l.line++
			return l.token(tLine, ""), nil
		case c == ' ' || c == '\t':
			l.at++
		case c == '\\':
			i := 1
			for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
				i++
			}
			if i == len(rest) && !l.eof {
				return token{}, errMore
			}
			if i == len(rest) || rest[i] != '\n' {
				l.moan("illegal character: \\")
				l.at++
				continue
			}
			l.at += i + 1
			l.line++
		case c == '#':
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				l.at += i
			} else {
				l.at = len(l.text)
			}
		case strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest, "*/")
			if i < 0 {
				l.at = len(l.text)
				return token{}, errMore
			}
			l.line += strings.Count(rest[:i], "\n")
			l.at += i + 2
		case c == '"':
			i := strings.IndexByte(rest[1:], '"')
			if i < 0 {
				l.at = len(l.text)
				return token{}, errMore
			}
			l.line += strings.Count(rest[:i+1], "\n")
			l.at += i + 2
			return l.token(tString, rest[1:i+1]), nil
		case lower(c):
			i := 1
			for i < len(rest) && (lower(rest[i]) || rest[i] == '_' || rest[i] >= '0' && rest[i] <= '9') {
				i++
			}
			l.at += i
			if strings.Contains(keywords, " "+rest[:i]+" ") {
				return l.token(rest[:i], ""), nil
			}
			return l.token(tName, rest[:i]), nil
		case digit(c) || c == '.':
			return l.number(), nil
		default:
			if t, ok := l.operator(rest); ok {
				return t, nil
			}
			l.moan("illegal character: " + show(c))
			l.at++
		}
	}
	if !l.eof {
		return token{}, errMore
	}
	return l.token(tEnd, ""), nil
}

func show(c byte) string {
	if c < 32 || c > 126 {
		return "\\" + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7})
	}
	return string(c)
}

func (l *lexer) moan(text string) {
	const many, size = 1 << 10, 128 // of a complaint and of its message
	if n := len(l.moans); n%many == many-1 {
		l.tell(many, many*size)
	}
	l.moans, l.illegal = append(l.moans, complaint{l.line + 1, text}), true
}

// tell says how much work was done since it was last told, and how many bytes were taken.
func (l *lexer) tell(work, taken int) {
	if l.work != nil {
		l.work.Charge(work)
		l.work.Need(taken)
	}
}

func (l *lexer) token(kind, text string) token {
	return token{kind: kind, text: text, end: l.at, line: l.line}
}

// number reads a constant, which can go on behind a backslash and a newline. A lone point is the last value.
func (l *lexer) number() token {
	var b strings.Builder
	points := 0
	for l.at < len(l.text) {
		c := l.text[l.at]
		if c == '\\' && strings.HasPrefix(l.text[l.at:], "\\\n") {
			l.at += 2
			l.line++
			continue
		}
		if c == '.' {
			points++
		}
		if !digit(c) && c != '.' || points > 1 {
			break
		}
		b.WriteByte(c)
		l.at++
	}
	s := b.String()
	if s == "." {
		return l.token("last", "")
	}
	for len(s) > 1 && s[0] == '0' && s != "0." {
		s = s[1:]
	}
	return l.token(tNumber, s)
}

func (l *lexer) operator(rest string) (token, bool) {
	for _, op := range []string{"&&", "||", "++", "--", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "^="} {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		l.at += 2
		switch {
		case op[1] == '=' && strings.IndexByte("=!<>", op[0]) >= 0:
			return l.token(tRel, op), true
		case op[1] == '=':
			return l.token(tAssign, op[:1]), true
		}
		return l.token(op, ""), true
	}
	c := rest[:1]
	if !strings.Contains("+-*/%^()[]{},;=<>!", c) {
		return token{}, false
	}
	l.at++
	switch c {
	case "=":
		return l.token(tAssign, ""), true
	case "<", ">":
		return l.token(tRel, c), true
	}
	return l.token(c, ""), true
}
