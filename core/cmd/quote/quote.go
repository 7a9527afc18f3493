// Package quote writes names the way GNU's quotearg does.
//
// Messages use Locale (‘name’, and 'name' where characters are bytes) or Shell ('name', with $'\n' for what a shell
// could not read back); listings use Maybe, C and Escape.
package quote

import (
	"strings"
	"unicode/utf8"

	"eryxsh/core/dollar"
	"eryxsh/core/large"
)

// A Charset says what a character is: a byte in the C locale, where those beyond
// ASCII cannot be printed, or a piece of UTF-8.
type Charset interface {
	Bytes() bool
}

// ByBytes is a Charset that is known already.
type ByBytes bool

// Bytes is the Charset's answer.
func (b ByBytes) Bytes() bool { return bool(b) }

// builder is where s is quoted. A Charset that is a utility is charged for a long one, and asked for memory.
func builder(c Charset, s string) large.Builder {
	m, _ := c.(large.Meter)
	if m != nil && len(s) > large.Piece {
		m.Charge(len(s) >> 3)
	}
	return large.Builder{M: m}
}

// Locale quotes s as messages do: ‘s’.
func Locale(c Charset, s string) string {
	if c.Bytes() {
		return "'" + escaped(c, s, '\'', false) + "'"
	}
	return "‘" + escaped(c, s, '’', false) + "’"
}

// Bytewise writes s as tr and some others show their arguments: each byte beyond ASCII as an octal escape.
func Bytewise(s string) string { return escaped(ByBytes(true), s, 0, false) }

// Marks replaces the marks ‘ and ’ in the fixed part of a message, where it has lists of valid arguments.
func Marks(c Charset, message string) string {
	if c.Bytes() {
		return asciiMarks.Replace(message)
	}
	return message
}

var asciiMarks = strings.NewReplacer("‘", "'", "’", "'")

// C quotes s as a C string literal: "s".
func C(c Charset, s string) string { return `"` + escaped(c, s, '"', false) + `"` }

// Escape writes s with C escapes and escaped blanks, without quotes.
func Escape(c Charset, s string) string { return escaped(c, s, 0, true) }

// Shell quotes s for a shell, always with quotes: 's'.
func Shell(c Charset, s string) string { return shell(c, s) }

// Maybe quotes s for a shell only where a shell needs it.
func Maybe(c Charset, s string) string {
	if !Needs(c, s) {
		return s
	}
	return shell(c, s)
}

// File quotes a file's name as GNU coreutils' messages do: where a shell needs it, or a colon would look like theirs.
func File(c Charset, s string) string {
	if strings.IndexByte(s, ':') >= 0 {
		return shell(c, s)
	}
	return Maybe(c, s)
}

// Printable gives the length of the first character of s, which is not empty, and whether it can be printed.
func Printable(c Charset, s string) (int, bool) {
	return dollar.Printable(s, s[0] >= utf8.RuneSelf && c.Bytes())
}

// Needs reports whether Maybe would add quotes.
func Needs(c Charset, s string) bool {
	if s == "" {
		return true
	}
	if (s == "{" || s == "}") || s[0] == '#' || s[0] == '~' {
		return true
	}
	for i := 0; i < len(s); {
		ch := s[i]
		if strings.IndexByte(" ?!\"$&()*;<=>[^`|'\\", ch) >= 0 {
			return true
		}
		n, ok := Printable(c, s[i:])
		if !ok {
			return true
		}
		i += n
	}
	return false
}

// Hide replaces what cannot be printed by question marks, as ls -q does.
func Hide(c Charset, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n, ok := Printable(c, s[i:])
		if ok {
			b.WriteString(s[i : i+n])
		} else {
			b.WriteByte('?')
			if !c.Bytes() && !utf8.FullRuneInString(s[i:]) { // cut off at its end
				break
			}
		}
		i += n
	}
	return b.String()
}

// letter is the letter of a C escape, or 0.
func letter(c byte) byte {
	if i := strings.IndexByte("\a\b\f\n\r\t\v", c); i >= 0 {
		return "abfnrtv"[i]
	}
	return 0
}

func octal(b *large.Builder, c byte) {
	_, _ = b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

func escaped(c Charset, s string, quote rune, blank bool) string {
	b := builder(c, s)
	for i := 0; i < len(s); {
		n, ok := Printable(c, s[i:])
		ch := s[i]
		switch {
		case !ok:
			for _, ch := range []byte(s[i : i+n]) {
				if l := letter(ch); l != 0 {
					b.WriteByte('\\')
					b.WriteByte(l)
				} else {
					octal(&b, ch)
				}
			}
		case ch == '\\' || blank && ch == ' ' || quote != 0 && strings.HasPrefix(s[i:], string(quote)):
			b.WriteByte('\\')
			b.WriteString(s[i : i+n])
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// shell quotes s with single quotes; with double quotes if it has apostrophes
// and nothing else that is special.
func shell(c Charset, s string) string {
	if strings.Contains(s, "'") && Doubled(c, s) {
		return `"` + s + `"`
	}
	b := builder(c, s)
	b.WriteByte('\'')
	inEscape := false
	for i := 0; i < len(s); {
		n, ok := Printable(c, s[i:])
		if !ok {
			for _, ch := range []byte(s[i : i+n]) {
				if !inEscape {
					b.WriteString("'$'")
					inEscape = true
				}
				if l := letter(ch); l != 0 {
					b.WriteByte('\\')
					b.WriteByte(l)
				} else {
					octal(&b, ch)
				}
			}
			i += n
			continue
		}
		switch {
		case s[i] == '\'':
			b.WriteString(`'\''`)
			inEscape = false
		default:
			if inEscape {
				b.WriteString("''")
				inEscape = false
			}
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// Doubled reports whether the shell styles put s, if it has apostrophes, in double quotes: nothing else in it is special.
func Doubled(c Charset, s string) bool {
	for i := 0; i < len(s); {
		n, ok := Printable(c, s[i:])
		ch := s[i]
		switch {
		case !ok:
			return false
		case ch >= utf8.RuneSelf, ch >= '0' && ch <= ':', ch >= 'a' && ch <= 'z', ch >= 'A' && ch <= 'Z':
		case strings.IndexByte("%+,-./]_ '", ch) >= 0:
		case i == 0 && (ch == '#' || ch == '~'):
		default:
			return false
		}
		i += n
	}
	return true
}
