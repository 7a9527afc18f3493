package jq

import (
	"encoding/base32"
	"encoding/base64"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
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
	{"trim", 0, func(p *Program, a []Value) (Value, bool) { return p.trim(a[0], true, true) }},
	{"ltrim", 0, func(p *Program, a []Value) (Value, bool) { return p.trim(a[0], true, false) }},
	{"rtrim", 0, func(p *Program, a []Value) (Value, bool) { return p.trim(a[0], false, true) }},
	{"ltrimstr", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == String && a[1].K == String && hasPrefix(a[0].S, a[1].S, p) {
			return str(a[0].S[len(a[1].S):]), true
		}
		return a[0], true
	}},
	{"rtrimstr", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K == String && a[1].K == String && hasSuffix(a[0].S, a[1].S, p) {
			return str(a[0].S[:len(a[0].S)-len(a[1].S)]), true
		}
		return a[0], true
	}},
	{"startswith", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("startswith() requires string inputs")
		}
		return boolean(hasPrefix(a[0].S, a[1].S, p)), true
	}},
	{"endswith", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("endswith() requires string inputs")
		}
		return boolean(hasSuffix(a[0].S, a[1].S, p)), true
	}},
	{"split", 1, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != String || a[1].K != String {
			return empty, p.raise("split input and separator must be strings")
		}
		return p.splitText(a[0].S, a[1].S)
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
	if len(v.S) <= large.Piece {
		return str(f(v.S)), true
	}
	return p.ownText(translate(v.S, p, func(b []byte, piece string) []byte { return append(b, f(piece)...) })), true
}

// trim takes white space off the sides of a text.
func (p *Program) trim(v Value, left, right bool) (Value, bool) {
	if v.K != String {
		return empty, p.raise("%s (%s) cannot be trimmed", v.kindName(), p.brief(v))
	}
	s := v.S
	for left && len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		if !unicode.IsSpace(c) {
			break
		}
		s = s[n:]
		p.spend(1)
	}
	for right && len(s) > 0 {
		c, n := utf8.DecodeLastRuneInString(s)
		if !unicode.IsSpace(c) {
			break
		}
		s = s[:len(s)-n]
		p.spend(1)
	}
	return str(s), true
}

// tostring is the text of a value: a string as it is, others as JSON.
func (p *Program) tostring(v Value) (Value, bool) {
	if v.K == String {
		return v, true
	}
	return p.tojson(v)
}

func (p *Program) tojson(v Value) (Value, bool) {
	t, l := draft{m: p}, layout{}
	if v.K == String {
		p.charge(len(v.S))
		t.b = append(t.b, '"')
		t.through(v.S, func(b []byte, s string) []byte { return escape(b, s, false) })
		t.b = append(t.b, '"')
		return p.ownText(t.text()), true
	}
	d := Dumper{First: v, On: true}
	for done := false; !done; {
		t.b, done = p.write(t.b, &d, &l, draftPart)
		p.spend(len(t.b)>>2 + 1)
		if t.settle(); t.whole.Len() > maxText {
			return empty, p.raise("String is too long")
		}
	}
	return p.ownText(t.text()), true
}

func fromJSON(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != String {
		return empty, p.raise("%s (%s) only strings can be parsed", v.kindName(), p.brief(v))
	}
	r := Reader{Buf: large.Push(nil, v.S, p), eof: true, work: p}
	x, got, msg := p.read(&r)
	if got == gotNothing {
		return empty, p.unparsed("Expected JSON value", v.S)
	}
	if got == gotValue {
		switch _, more, again := p.read(&r); more {
		case gotValue:
			return empty, p.unparsed("Unexpected extra JSON values", v.S)
		case gotError:
			got, msg = gotError, again
		}
	}
	if got == gotError {
		return empty, p.unparsed(msg, v.S)
	}
	return x, true
}

// read reads the next value of a text that is all there.
func (p *Program) read(r *Reader) (v Value, got verdict, msg string) {
	for {
		before := r.Pos
		v, got, msg = r.read(&p.Heap, cmd.Turn)
		p.charge(r.Pos - before)
		if got != gotPause {
			return v, got, msg
		}
	}
}

// unparsed makes the error that a text is not JSON.
func (p *Program) unparsed(why, text string) bool {
	p.err = str(large.Join([]string{why, " (while parsing '", text, "')"}, "", p))
	return false
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
	items := p.Heap.room(min(large.Runes(v.S, p), maxItems))
	for _, c := range v.S {
		items = p.add(items, num(float64(c)))
	}
	return p.list(items)
}

func implode(p *Program, a []Value) (Value, bool) {
	v := a[0]
	if v.K != Array {
		return empty, p.raise("implode input must be an array")
	}
	t := draft{m: p}
	for _, x := range p.Heap.items(v) {
		p.spend(1)
		t.settle()
		if x.K != Number || math.IsNaN(x.N) {
			return empty, p.raise("%s (%s) can't be imploded, unicode codepoint needs to be numeric", x.kindName(), p.brief(x))
		}
		r := rune(clampInt(x.N))
		if r < 0 {
			r = utf8.RuneError
		}
		t.b = utf8.AppendRune(t.b, r)
	}
	return p.ownText(t.text()), true
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
	t := draft{m: p}
	for i, x := range items {
		if i > 0 {
			switch {
			case sep.K == String:
				t.put(sep.S)
			case sep.K != Null:
				return p.mismatch(p.ownText(t.text()), sep, "added")
			}
		}
		p.spend(2)
		switch x.K {
		case Null:
		case String:
			p.charge(len(x.S))
			t.put(x.S)
		case Number, True, False:
			t.b, _ = p.appendJSON(t.b, x, maxText)
		default:
			return p.mismatch(p.ownText(t.text()), x, "added")
		}
		if t.settle(); t.whole.Len() > maxText {
			return empty, p.raise("String is too long")
		}
	}
	return p.ownText(t.text()), true
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
		return p.occurrences(v.S, x.S)
	case v.K == Array && x.K == Array:
		return p.indices(v, x)
	case v.K == Array:
		var items []Value
		for i, y := range p.Heap.items(v) {
			if p.equal(x, y) {
				items = p.add(items, num(float64(i)))
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
		return p.ownText(translate(s.S, p, appendHTML)), true
	case "uri":
		return p.ownText(translate(s.S, p, appendURI)), true
	case "base64":
		return p.ownText(p.coded(s.S, 3, base64.StdEncoding.AppendEncode)), true
	case "base64d":
		raw := strings.TrimRight(s.S, "=")
		text, err := p.decoded(raw, 4, base64.RawStdEncoding.AppendDecode)
		if err != nil && (text == "" && raw != "" || len(raw)%4 == 1) {
			return empty, p.raise("%s (%s) is not valid base64 data", s.kindName(), p.brief(s))
		}
		return p.ownText(text), true
	case "base32":
		return p.ownText(p.coded(s.S, 5, base32.StdEncoding.AppendEncode)), true
	case "base32d":
		text, err := p.decoded(strings.TrimRight(s.S, "="), 8, base32.StdEncoding.WithPadding(base32.NoPadding).AppendDecode)
		if err != nil {
			return empty, p.raise("%s (%s) is not valid base32 data", s.kindName(), p.brief(s))
		}
		return p.ownText(text), true
	}
	return empty, p.raise("%s is not a valid format", name.S)
}

// appendEscaped writes a text with something else for some of its bytes.
func appendEscaped(b []byte, s string, escape func(c byte) string) []byte {
	from := 0
	for i := range len(s) {
		if e := escape(s[i]); e != "" {
			b = append(append(b, s[from:i]...), e...)
			from = i + 1
		}
	}
	return append(b, s[from:]...)
}

func appendHTML(b []byte, s string) []byte {
	return appendEscaped(b, s, func(c byte) string {
		switch c {
		case '<':
			return "&lt;"
		case '>':
			return "&gt;"
		case '&':
			return "&amp;"
		case '\'':
			return "&#39;"
		case '"':
			return "&quot;"
		}
		return ""
	})
}

func appendTSV(b []byte, s string) []byte {
	return appendEscaped(b, s, func(c byte) string {
		switch c {
		case '\\':
			return `\\`
		case '\t':
			return `\t`
		case '\n':
			return `\n`
		case '\r':
			return `\r`
		}
		return ""
	})
}

// appendDoubled is for @csv.
func appendDoubled(b []byte, s string) []byte { return appendReplaced(b, s, '"', `""`) }

// appendShell is for @sh.
func appendShell(b []byte, s string) []byte { return appendReplaced(b, s, '\'', `'\''`) }

func appendReplaced(b []byte, s string, c byte, by string) []byte {
	for {
		i := strings.IndexByte(s, c)
		if i < 0 {
			return append(b, s...)
		}
		b = append(append(b, s[:i]...), by...)
		s = s[i+1:]
	}
}

// appendURI writes a text as a part of a URI.
func appendURI(b []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		if letter(c) || digit(c) || strings.IndexByte("-.~", c) >= 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}

// codePart is how many groups of bytes are encoded, or decoded, at a time.
const codePart = 1 << 13

// coded is a text in a code that takes bytes in groups.
func (p *Program) coded(s string, group int, f func(to, from []byte) []byte) string {
	t := draft{m: p}
	for n := group * codePart; len(s) > n; s = s[n:] {
		t.b = f(t.b, []byte(s[:n]))
		t.settle()
		p.charge(n)
	}
	t.b = f(t.b, []byte(s))
	return t.text()
}

// appendUnbroken writes a text without line ends.
func appendUnbroken(b []byte, s string) []byte {
	for i := range len(s) {
		if s[i] != '\r' && s[i] != '\n' {
			b = append(b, s[i])
		}
	}
	return b
}

// decoded is a text out of a code that has characters in groups; with an error, what is before it.
func (p *Program) decoded(s string, group int, f func(to, from []byte) ([]byte, error)) (string, error) {
	t := draft{m: p}
	if len(s) > group*codePart {
		s = translate(s, p, appendUnbroken) // line ends are part of no group
	}
	var err error
	for n := group * codePart; len(s) > n && err == nil; s = s[n:] {
		t.b, err = f(t.b, []byte(s[:n]))
		t.settle()
		p.charge(n)
	}
	if err == nil {
		t.b, err = f(t.b, []byte(s))
	}
	return valid(t.text(), p), err
}

// table is @csv and @tsv.
func (p *Program) table(v Value, name string) (Value, bool) {
	if v.K != Array {
		return empty, p.raise("%s (%s) cannot be %s-formatted, only array", v.kindName(), p.brief(v), name)
	}
	t := draft{m: p}
	for i, x := range p.Heap.items(v) {
		p.spend(2)
		t.settle()
		if i > 0 {
			if name == "csv" {
				t.b = append(t.b, ',')
			} else {
				t.b = append(t.b, '\t')
			}
		}
		switch x.K {
		case Null:
		case True:
			t.b = append(t.b, "true"...)
		case False:
			t.b = append(t.b, "false"...)
		case Number:
			if !math.IsNaN(x.N) {
				t.b = appendNumber(t.b, x)
			}
		case String:
			p.charge(len(x.S))
			if name == "csv" {
				t.b = append(t.b, '"')
				t.through(x.S, appendDoubled)
				t.b = append(t.b, '"')
			} else {
				t.through(x.S, appendTSV)
			}
		default:
			return empty, p.raise("%s (%s) is not valid in a %s row", x.kindName(), p.brief(x), name)
		}
	}
	return p.ownText(t.text()), true
}

// shell is @sh.
func (p *Program) shell(v Value) (Value, bool) {
	items := []Value{v}
	if v.K == Array {
		items = p.Heap.items(v)
	}
	t := draft{m: p}
	for i, x := range items {
		p.spend(2)
		t.settle()
		if i > 0 {
			t.b = append(t.b, ' ')
		}
		switch x.K {
		case Array, Object:
			return empty, p.raise("%s (%s) can not be escaped for shell", x.kindName(), p.brief(x))
		case String:
			p.charge(len(x.S))
			t.b = append(t.b, '\'')
			t.through(x.S, appendShell)
			t.b = append(t.b, '\'')
		default:
			t.b, _ = p.appendJSON(t.b, x, maxText)
		}
	}
	return p.ownText(t.text()), true
}
