// Package quote writes names the way GNU's quotearg does, for a UTF-8 locale.
//
// Messages use Locale (‘name’) or Shell ('name', with $'\n' for what a shell
// could not read back); listings use Maybe, C and Escape.
package quote

import (
	"strings"
	"unicode/utf8"

	"eryxsh/core/dollar"
)

// Locale quotes s as messages do: ‘s’.
func Locale(s string) string { return "‘" + escaped(s, '’', false) + "’" }

// C quotes s as a C string literal: "s".
func C(s string) string { return `"` + escaped(s, '"', false) + `"` }

// Escape writes s with C escapes and escaped blanks, without quotes.
func Escape(s string) string { return escaped(s, 0, true) }

// Shell quotes s for a shell, always with quotes: 's'.
func Shell(s string) string { return shell(s) }

// Maybe quotes s for a shell only where a shell needs it.
func Maybe(s string) string {
	if !Needs(s) {
		return s
	}
	return shell(s)
}

// Needs reports whether Maybe would add quotes.
func Needs(s string) bool {
	if s == "" {
		return true
	}
	if (s == "{" || s == "}") || s[0] == '#' || s[0] == '~' {
		return true
	}
	for i := 0; i < len(s); {
		c := s[i]
		if strings.IndexByte(" ?!\"$&()*;<=>[^`|'\\", c) >= 0 {
			return true
		}
		n, ok := dollar.Printable(s[i:])
		if !ok {
			return true
		}
		i += n
	}
	return false
}

// Hide replaces what cannot be printed by question marks, as ls -q does.
func Hide(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n, ok := dollar.Printable(s[i:])
		if ok {
			b.WriteString(s[i : i+n])
		} else {
			b.WriteByte('?')
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

func octal(b *strings.Builder, c byte) {
	b.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
}

func escaped(s string, quote rune, blank bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n, ok := dollar.Printable(s[i:])
		c := s[i]
		switch {
		case !ok:
			for _, c := range []byte(s[i : i+n]) {
				if l := letter(c); l != 0 {
					b.WriteByte('\\')
					b.WriteByte(l)
				} else {
					octal(&b, c)
				}
			}
		case c == '\\' || blank && c == ' ' || quote != 0 && strings.HasPrefix(s[i:], string(quote)):
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
func shell(s string) string {
	if strings.Contains(s, "'") && plainInDoubleQuotes(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	inEscape := false
	for i := 0; i < len(s); {
		n, ok := dollar.Printable(s[i:])
		if !ok {
			for _, c := range []byte(s[i : i+n]) {
				if !inEscape {
					b.WriteString("'$'")
					inEscape = true
				}
				if l := letter(c); l != 0 {
					b.WriteByte('\\')
					b.WriteByte(l)
				} else {
					octal(&b, c)
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

func plainInDoubleQuotes(s string) bool {
	for i := 0; i < len(s); {
		n, ok := dollar.Printable(s[i:])
		c := s[i]
		switch {
		case !ok:
			return false
		case c >= utf8.RuneSelf, c >= '0' && c <= ':', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case strings.IndexByte("%+,-./]_ '", c) >= 0:
		case i == 0 && (c == '#' || c == '~'):
		default:
			return false
		}
		i += n
	}
	return true
}
