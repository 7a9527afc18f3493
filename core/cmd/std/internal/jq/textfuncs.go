package jq

import (
	"encoding/base32"
	"encoding/base64"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

var textNatives = []native{
	{"format", 1, func(p *Program, a []Value) (Value, bool) { return p.format(a[0], a[1]) }},
	{"tostring", 0, func(p *Program, a []Value) (Value, bool) { return p.tostring(a[0]) }},
	{"tojson", 0, func(p *Program, a []Value) (Value, bool) { return p.tojson(a[0]) }},
	{"fromjson", 0, fromJSON},
	{"tonumber", 0, toNumber},
	{"ascii_downcase", 0, func(p *Program, a []Value) (Value, bool) { return p.mapText(a[0], "ascii_downcase", asciiLower) }},
	{"ascii_upcase", 0, func(p *Program, a []Value) (Value, bool) { return p.mapText(a[0], "ascii_upcase", asciiUpper) }},
	{"explode", 0, explode},
	{"implode", 0, implode},
	{"trim", 0, func(p *Program, a []Value) (Value, bool) { return p.mapTrim(a[0], strings.TrimSpace) }},
	{"ltrim", 0, func(p *Program, a []Value) (Value, bool) {
		return p.mapTrim(a[0], func(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) })
	}},
	{"rtrim", 0, func(p *Program, a []Value) (Value, bool) {
		return p.mapTrim(a[0], func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) })
	}},
	{"ltrimstr", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == String && a[1].K == String {
			return str(strings.TrimPrefix(a[0].S, a[1].S)), true
		}
		return a[0], true
	}},
	{"rtrimstr", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == String && a[1].K == String {
			return str(strings.TrimSuffix(a[0].S, a[1].S)), true
		}
		return a[0], true
	}},
	{"startswith", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("startswith() requires string inputs")
		}
		return boolean(strings.HasPrefix(a[0].S, a[1].S)), true
	}},
	{"endswith", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("endswith() requires string inputs")
		}
		return boolean(strings.HasSuffix(a[0].S, a[1].S)), true
	}},
	{"split", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("split input and separator must be strings")
		}
		return p.splitText(a[0].S, a[1].S), true
	}},
	{"join", 1, joinText},
	{"_strindices", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String {
			return empty, p.raise("%s (%s) cannot be searched, as it is not a string", a[0].kindName(), p.brief(a[0]))
		}
		return p.find(a[0], a[1])
	}},
	{"indices", 1, func(p *Program, a []Value) (Value, bool) { return p.find(a[0], a[1]) }},
	{"index", 1, func(p *Program, a []Value) (Value, bool) { return p.findOne(a[0], a[1], false) }},
	{"rindex", 1, func(p *Program, a []Value) (Value, bool) { return p.findOne(a[0], a[1], true) }},
	{"utf8bytelength", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String {
			return empty, p.raise("%s (%s) only strings have UTF-8 byte length", a[0].kindName(), p.brief(a[0]))
		}
		return num(float64(len(a[0].S))), true
	}},
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 32
		}
		return r
	}, s)
}

func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			r -= 32
		}
		return r
	}, s)
}

func (p *Program) mapText(v Value, name string, f func(string) string) (Value, bool) {
	if v.K != String {
		return empty, p.raise("%s input must be a string", name)
	}
	p.charge(len(v.S))
	return str(f(v.S)), true
}

func (p *Program) mapTrim(v Value, f func(string) string) (Value, bool) {
	if v.K != String {
		return empty, p.raise("%s (%s) cannot be trimmed", v.kindName(), p.brief(v))
	}
	return str(f(v.S)), true
}

// tostring is the text of a value: a string as it is, others as JSON.
func (p *Program) tostring(v Value) (Value, bool) {
	if v.K == String {
		return v, true
	}
	return p.tojson(v)
}

func (p *Program) tojson(v Value) (Value, bool) {
	b, ok := p.appendJSON(nil, v, maxText)
	if !ok {
		return empty, p.raise("String is too long")
	}
	return p.text(b), true
}

func fromJSON(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != String {
		return empty, p.raise("%s (%s) only strings can be parsed", v.kindName(), p.brief(v))
	}
	p.charge(len(v.S))
	r := Reader{Buf: []byte(v.S), eof: true}
	x, got, msg := r.read(&p.Heap, len(v.S))
	if got == gotNothing {
		return empty, p.raise("Expected JSON value (while parsing '%s')", v.S)
	}
	if got == gotValue {
		switch _, more, again := r.read(&p.Heap, len(v.S)); more {
		case gotValue:
			return empty, p.raise("Unexpected extra JSON values (while parsing '%s')", v.S)
		case gotError:
			got, msg = gotError, again
		}
	}
	if got == gotError {
		return empty, p.raise("%s (while parsing '%s')", msg, v.S)
	}
	return x, true
}

func toNumber(p *Program, a []Value) (Value, bool) {
	v := a[0]
	switch v.K {
	case Number:
		return v, true
	case String:
		if n, ok := fromJSON(p, a); !ok || n.K == Number {
			return n, ok
		}
	}
	return empty, p.raise("%s (%s) cannot be parsed as a number", v.kindName(), p.brief(v))
}

func explode(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != String {
		return empty, p.raise("%s (%s) cannot be exploded", v.kindName(), p.brief(v))
	}
	items := make([]Value, 0, len(v.S))
	for _, c := range v.S {
		items = append(items, num(float64(c)))
	}
	p.charge(8 * len(items))
	return p.Heap.array(items), true
}

func implode(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != Array {
		return empty, p.raise("implode input must be an array")
	}
	var b []byte
	for _, x := range p.Heap.items(v) {
		if x.K != Number || math.IsNaN(x.N) {
			return empty, p.raise("%s (%s) can't be imploded, unicode codepoint needs to be numeric", x.kindName(), p.brief(x))
		}
		r := rune(clampInt(x.N))
		if r < 0 {
			r = utf8.RuneError
		}
		b = utf8.AppendRune(b, r)
	}
	p.charge(len(b))
	return p.text(b), true
}

func joinText(p *Program, a []Value) (Value, bool) {
	v, sep := a[0], a[1]
	if v.K != Array && v.K != Object {
		return empty, p.raise("Cannot iterate over %s (%s)", v.kindName(), p.brief(v))
	}
	items := p.Heap.items(v)
	if len(items) == 0 {
		return str(""), true
	}
	var b []byte
	for i, x := range items {
		if i > 0 {
			switch {
			case sep.K == String:
				b = append(b, sep.S...)
			case sep.K != Null:
				return p.mismatch(str(string(b)), sep, "added")
			}
		}
		switch x.K {
		case Null:
		case String:
			b = append(b, x.S...)
		case Number, True, False:
			b, _ = p.appendJSON(b, x, maxText)
		default:
			return p.mismatch(str(string(b)), x, "added")
		}
		if len(b) > maxText {
			return empty, p.raise("String is too long")
		}
	}
	p.charge(len(b) + 8*len(items))
	return p.text(b), true
}

// find is indices: of a text in a text, an array in an array, an element in an array.
func (p *Program) find(v, x Value) (Value, bool) {
	switch {
	case v.K == Null:
		return null, true
	case v.K == String && x.K == String:
		if x.S == "" {
			return null, true
		}
		var items []Value
		runes, from := 0, 0
		for _, at := range occurrences(v.S, x.S) {
			runes += utf8.RuneCountInString(v.S[from:at])
			from = at
			items = append(items, num(float64(runes)))
		}
		p.charge(len(v.S))
		return p.Heap.array(items), true
	case v.K == Array && x.K == Array:
		return p.indices(v, x), true
	case v.K == Array:
		var items []Value
		for i, y := range p.Heap.items(v) {
			if p.equal(x, y) {
				items = append(items, num(float64(i)))
			}
		}
		return p.Heap.array(items), p.err.K == None
	}
	return p.element(v, x)
}

func (p *Program) findOne(v, x Value, last bool) (Value, bool) {
	r, ok := p.find(v, x)
	if !ok || r.K != Array {
		return r, ok
	}
	items := p.Heap.items(r)
	switch {
	case len(items) == 0:
		return null, true
	case last:
		return items[len(items)-1], true
	}
	return items[0], true
}

// format applies a @format.
func (p *Program) format(v, name Value) (Value, bool) {
	if name.K != String {
		return empty, p.raise("%s (%s) is not a valid format", name.kindName(), p.brief(name))
	}
	switch name.S {
	case "text":
		return p.tostring(v)
	case "json":
		return p.tojson(v)
	case "csv", "tsv":
		return p.table(v, name.S)
	case "sh":
		return p.shell(v)
	}
	s, ok := p.tostring(v)
	if !ok {
		return empty, false
	}
	p.charge(len(s.S) * 2)
	switch name.S {
	case "html":
		return str(strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&#39;", `"`, "&quot;").Replace(s.S)), true
	case "uri":
		const hex = "0123456789ABCDEF"
		var b []byte
		for _, c := range []byte(s.S) {
			if letter(c) || digit(c) || strings.IndexByte("-.~", c) >= 0 {
				b = append(b, c)
			} else {
				b = append(b, '%', hex[c>>4], hex[c&15])
			}
		}
		return p.text(b), true
	case "base64":
		return str(base64.StdEncoding.EncodeToString([]byte(s.S))), true
	case "base64d":
		raw := strings.TrimRight(s.S, "=")
		b, err := base64.RawStdEncoding.DecodeString(raw)
		if err != nil && (len(b) == 0 && raw != "" || len(raw)%4 == 1) {
			return empty, p.raise("%s (%s) is not valid base64 data", s.kindName(), p.brief(s))
		}
		return str(valid(string(b))), true
	case "base32":
		return str(base32.StdEncoding.EncodeToString([]byte(s.S))), true
	case "base32d":
		b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s.S, "="))
		if err != nil {
			return empty, p.raise("%s (%s) is not valid base32 data", s.kindName(), p.brief(s))
		}
		return str(valid(string(b))), true
	}
	return empty, p.raise("%s is not a valid format", name.S)
}

// table is @csv and @tsv.
func (p *Program) table(v Value, name string) (Value, bool) {
	if v.K != Array {
		return empty, p.raise("%s (%s) cannot be %s-formatted, only array", v.kindName(), p.brief(v), name)
	}
	var b []byte
	for i, x := range p.Heap.items(v) {
		if i > 0 {
			if name == "csv" {
				b = append(b, ',')
			} else {
				b = append(b, '\t')
			}
		}
		switch x.K {
		case Null:
		case True:
			b = append(b, "true"...)
		case False:
			b = append(b, "false"...)
		case Number:
			if !math.IsNaN(x.N) {
				b = appendNumber(b, x)
			}
		case String:
			if name == "csv" {
				b = append(b, '"')
				b = append(b, strings.ReplaceAll(x.S, `"`, `""`)...)
				b = append(b, '"')
			} else {
				b = append(b, strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(x.S)...)
			}
		default:
			return empty, p.raise("%s (%s) is not valid in a %s row", x.kindName(), p.brief(x), name)
		}
	}
	p.charge(len(b))
	return p.text(b), true
}

// shell is @sh.
func (p *Program) shell(v Value) (Value, bool) {
	items := []Value{v}
	if v.K == Array {
		items = p.Heap.items(v)
	}
	var b []byte
	for i, x := range items {
		if i > 0 {
			b = append(b, ' ')
		}
		switch x.K {
		case Array, Object:
			return empty, p.raise("%s (%s) can not be escaped for shell", x.kindName(), p.brief(x))
		case String:
			b = append(b, '\'')
			b = append(b, strings.ReplaceAll(x.S, "'", `'\''`)...)
			b = append(b, '\'')
		default:
			b, _ = p.appendJSON(b, x, maxText)
		}
	}
	p.charge(len(b))
	return p.text(b), true
}
