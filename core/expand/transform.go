package expand

import (
	"eryxsh/core/dollar"
	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// badTransform is the letter of a transformation that there is none of.
const badTransform = '!'

// transform implements ${x@Q} and its like.
func (e *eval) transform(p *param, val value, quoted bool) error {
	switch p.letter {
	case badTransform:
		if !val.set {
			return e.none(val, quoted)
		}
		return &Error{Kind: Fatal, Text: p.text + ": bad substitution"}
	case 'a':
		if !val.set && val.v == nil {
			return e.none(val, quoted)
		}
		flags := AttrLetters(val.v.Attrs())
		if !val.many {
			e.emit(flags, quoted)
			return nil
		}
		n := len(val.list)
		switch {
		case flags == "":
			n = 0
		case n == 0 && !val.v.Assigned(): // declared only
			n = 1
		}
		l := make([]string, n)
		for i := range l {
			l[i] = flags
		}
		return e.list(l, val.star, quoted)
	case 'A':
		return e.assignment(p, val, quoted)
	case 'K', 'k':
		return e.pairs(p, val, quoted)
	}
	if !val.set && !val.many {
		return nil
	}
	var failed error
	err := e.mapped(val, quoted, func(s string) string {
		out, err := e.transformed(p.letter, s)
		if err != nil && failed == nil {
			failed = err
		}
		return out
	})
	if failed != nil {
		return failed
	}
	return err
}

// none emits the transformation of what is not set: no field for a list in quotes.
func (e *eval) none(val value, quoted bool) error {
	if !val.many {
		return nil
	}
	return e.list(nil, val.star, quoted)
}

func (e *eval) transformed(letter byte, s string) (string, error) {
	switch letter {
	case 'Q':
		return QuoteAt(s, e.inBytes(), e.env), nil
	case 'E':
		return AnsiC(s, e.env), nil
	case 'P':
		return e.env.Prompt(e.env, s)
	case 'U':
		return cased(s, '^', true, nil, e.bytes(s), e.env), nil
	case 'L':
		return cased(s, ',', true, nil, e.bytes(s), e.env), nil
	case 'u':
		return cased(s, '^', false, nil, e.bytes(s), e.env), nil
	}
	return s, nil
}

// AttrLetters returns the letters of declare for a, in bash's order.
func AttrLetters(a vars.Attr) string {
	var b []byte
	for _, f := range []struct {
		a vars.Attr
		c byte
	}{
		{vars.Indexed, 'a'}, {vars.Assoc, 'A'}, {vars.Integer, 'i'}, {vars.Nameref, 'n'}, {vars.ReadOnly, 'r'},
		{vars.Trace, 't'}, {vars.Export, 'x'}, {vars.Capital, 'c'}, {vars.Lower, 'l'}, {vars.Upper, 'u'},
	} {
		if a&f.a != 0 {
			b = append(b, f.c)
		}
	}
	return string(b)
}

// assignment implements ${x@A}: the command that makes the variable.
func (e *eval) assignment(p *param, val value, quoted bool) error {
	if p.kind == parSpecial && val.many {
		if len(val.list) == 0 {
			return nil
		}
		l := []string{"set", "--"}
		for _, s := range val.list {
			l = append(l, QuoteAt(s, e.inBytes(), e.env))
		}
		return e.list(l, val.star, quoted)
	}
	if p.kind != parVar || val.v == nil {
		return e.none(val, quoted)
	}
	flags := AttrLetters(val.v.Attrs())
	if val.many && val.v.IsArray() {
		if !val.v.Assigned() {
			return e.list([]string{"declare", "-" + flags, p.name}, val.star, quoted)
		}
		return e.list([]string{"declare", "-" + flags, large.Join([]string{p.name, "=", DeclareValue(val.v, e.inBytes(), e.env)}, "", e.env)}, val.star, quoted)
	}
	s := p.name
	switch {
	case flags != "":
		s = "declare -" + flags + " " + s
	case !val.set:
		return nil
	}
	if val.set {
		s = large.Join([]string{s, "=", QuoteAt(val.s, e.inBytes(), e.env)}, "", e.env)
	}
	e.emit(s, quoted)
	return nil
}

// DeclareValue returns the value of a variable as declare -p writes it after
// the =: "v", or ([k]="v" …). bytes says that a character is a byte; m, which may be nil, hears of the work.
func DeclareValue(v *vars.Var, bytes bool, m large.Meter) string {
	if !v.IsArray() {
		return QuoteDeclare(v.String(), bytes, m)
	}
	work := large.Or(m)
	b := large.Builder{M: work}
	b.WriteByte('(')
	keys, vals := v.AllKeys(work), v.AllValues(nil, work)
	for i := range keys {
		if i%manyFields == manyFields-1 {
			work.Charge(2 * manyFields)
		}
		if i > 0 && !v.Is(vars.Assoc) {
			b.WriteByte(' ')
		}
		key := keys[i]
		if v.Is(vars.Assoc) {
			key = QuoteKey(key, bytes)
		}
		b.WriteByte('[')
		b.WriteString(key)
		b.WriteString("]=")
		if needsAnsi(vals[i], bytes, m) {
			b.WriteString(dollar.Quote(vals[i], bytes, m))
		} else {
			doubleQuote(&b, vals[i], m)
		}
		if v.Is(vars.Assoc) {
			b.WriteByte(' ')
		}
	}
	b.WriteByte(')')
	return b.String()
}

// pairs implements ${a[@]@K}, one string of quoted pairs, and @k, a field for
// each key and each value.
func (e *eval) pairs(p *param, val value, quoted bool) error {
	if !val.many || !val.v.IsArray() {
		if !val.set && !val.many {
			return nil
		}
		return e.mapped(val, quoted, func(s string) string { return QuoteAt(s, e.inBytes(), e.env) })
	}
	keys := val.v.AllKeys(e.env)
	var l []string
	all := Matcher{env: e.env, held: e.held}
	for i, k := range keys {
		if i%manyFields == manyFields-1 {
			e.env.Charge(manyFields)
		}
		if p.letter == 'k' {
			l = append(l, k, val.list[i])
			continue
		}
		if val.v.Is(vars.Assoc) {
			k = QuoteKey(k, e.inBytes())
		}
		l = append(l, large.Join([]string{k, " ", QuoteDeclare(val.list[i], e.inBytes(), e.env)}, "", e.env))
		all.made(len(l[i]))
	}
	if p.letter == 'K' {
		e.env.Hold(2 * all.held)
		s := large.Join(l, " ", e.env)
		if val.v.Is(vars.Assoc) && s != "" {
			s += " "
		}
		e.emit(s, quoted)
		return nil
	}
	return e.list(l, val.star, quoted)
}
