package ls

import (
	"strings"

	"eryxsh/core/cmd/quote"
)

// quoted writes a name in the quoting style.
func (o *options) quoted(name string) string {
	switch o.quoting {
	case "c":
		return quote.C(o.charset, name)
	case "c-maybe":
		if q := quote.C(o.charset, name); len(q) != len(name)+2 {
			return q
		}
		return name
	case "escape":
		return quote.Escape(o.charset, name)
	case "locale":
		return quote.Locale(o.charset, name)
	case "clocale":
		if o.charset.Bytes() {
			return quote.C(o.charset, name)
		}
		return quote.Locale(o.charset, name)
	case "shell-escape":
		return quote.Maybe(o.charset, name)
	case "shell-escape-always":
		return quote.Shell(o.charset, name)
	case "shell", "shell-always":
		quoted := o.quoting == "shell-always" || needsQuotes(name)
		if o.hideControl {
			name = quote.Hide(o.charset, name)
		}
		if !quoted {
			return name
		}
		if strings.Contains(name, "'") && quote.Doubled(o.charset, name) {
			return `"` + name + `"`
		}
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	if o.hideControl {
		return quote.Hide(o.charset, name)
	}
	return name
}

// needsQuotes reports whether a shell would not read name back as it is. What cannot be printed does not
// count: the style "shell" leaves it.
func needsQuotes(name string) bool {
	return name == "" || name == "{" || name == "}" || name[0] == '#' || name[0] == '~' ||
		strings.ContainsAny(name, " \t\n\r?!\"$&()*;<=>[^`|'\\")
}

// heading is the name of a folder above its list. A colon ends it, not a blank.
func (o *options) heading(name string) string {
	q := o.quoted(name)
	switch o.quoting {
	case "escape":
		q = strings.ReplaceAll(strings.ReplaceAll(q, `\ `, " "), ":", `\:`)
	case "c":
		q = strings.ReplaceAll(q, ":", `\:`)
	case "shell", "shell-escape":
		if q == name && strings.Contains(q, ":") {
			q = "'" + q + "'"
		}
	}
	return q
}

// aligned reports whether names without quotes begin with a blank, below the quotes of others: in
// columns, where a style quotes some names and not all.
func (o *options) aligned() bool {
	columns := o.long() || (o.format == 'C' || o.format == 'x') && o.width > 0
	return columns && (o.quoting == "shell" || o.quoting == "shell-escape" || o.quoting == "c-maybe")
}

// blank is the blank in front of a name, or "".
func (p *Program) blank(name string) string {
	if p.quotes == unknown {
		p.quotes = none
		if p.o.aligned() {
			for i := range p.Entries {
				if n := p.Entries[i].Name; p.o.quoted(n) != n {
					p.quotes = some
					break
				}
			}
		}
	}
	if p.quotes == some && p.o.quoted(name) == name {
		return " "
	}
	return ""
}

// Whether the names of a list have quotes that the others are to stand below.
const (
	unknown uint8 = iota
	none
	some
)
