package expand

import (
	"bytes"

	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// value is what a parameter stands for before its operator is applied.
type value struct {
	s    string
	set  bool
	list []string // of $@, $*, a[@], a[*]: what the operator looks at of them
	n    int      // how many there are
	many bool     // list holds
	star bool
	far  bool      // found through ${!x}
	v    *vars.Var // the variable, if there is one
	p    *param    // for messages
}

// command returns the output of a substitution.
func (e *eval) command(p *part) (string, error) {
	if p.kind == pProcess {
		return e.env.Process(p.node.(*syntax.ProcSubst))
	}
	return e.env.Command(p.node)
}

// param expands p into the current field.
func (e *eval) param(p *param, quoted bool) error {
	if p.plain() {
		v := e.env.Var(p.name)
		if v == nil {
			if q := e.refElement(p.name); q != nil {
				return e.param(q, quoted)
			}
		}
		s, _, err := e.scalar(p.name, v)
		if err != nil {
			return err
		}
		e.emit(s, quoted)
		return nil
	}
	if p.kind == parBad {
		return &Error{Kind: BadSubst, Text: p.text + ": bad substitution"}
	}
	switch p.op {
	case opNames:
		names := e.env.Names(p.name)
		if e.load(); p.letter == '*' && !quoted && e.ifs == "" {
			e.unquoted(strings.Join(names, ""))
			return nil
		}
		return e.hereAs(p, hereNoNull, func() error { return e.list(names, p.letter == '*', quoted) })
	case opKeys:
		return e.joined(p, quoted, e.env.Var(p.name).AllKeys(e.env), p.sub.All == '*', quoted)
	}
	if p.indirect {
		return e.indirect(p, quoted)
	}
	val, err := e.value(p)
	if err != nil {
		return err
	}
	return e.apply(p, val, quoted)
}

// indirect expands ${!x…}: the value of x names the parameter.
func (e *eval) indirect(p *param, quoted bool) error {
	if p.kind == parVar && p.sub == nil {
		if target, ok := e.env.Ref(p.name); ok {
			q := *p
			q.indirect = false
			return e.apply(&q, value{p: &q, s: target, set: true}, quoted)
		}
	}
	q := *p
	q.op, q.indirect = opNone, false
	val, err := e.value(&q)
	if err != nil {
		return err
	}
	target := val.s
	if val.many {
		if len(val.list) == 0 {
			return nil
		}
		target = strings.Join(val.list, " ")
	}
	if !val.set && !val.many {
		if p.kind != parVar { // $1 that is not there names nothing
			t := *p
			t.sub, t.indirect = nil, false
			return e.apply(&t, value{p: p}, quoted)
		}
		if p.sub != nil && e.env.Var(p.name) != nil { // an element that is not there is empty, and names nothing
			t := *p
			t.sub, t.indirect = nil, false
			return e.apply(&t, value{p: p}, quoted)
		}
		return &Error{Kind: BadSubst, Text: p.shown() + ": invalid indirect expansion"}
	}
	r := roomFor(e.env, target).reader(target+"}", nil, 0)
	t := *p
	t.sub, t.indirect = nil, false
	if !r.name(&t) || r.i != len(target) {
		if target == "" && (p.op == opDefault || p.op == opAlternate) {
			return e.apply(&t, value{p: p}, quoted)
		}
		return &Error{Kind: BadSubst, Text: target + ": invalid variable name"}
	}
	if val, err = e.value(&t); err != nil {
		return err
	}
	val.far = true
	t.name, t.sub, t.kind = "!"+p.name, p.sub, parVar // for messages
	return e.apply(&t, val, quoted)
}

// shown is the parameter as messages name it.
func (p *param) shown() string {
	if p.sub != nil {
		return p.name + "[" + p.sub.Text + "]"
	}
	return p.name
}

// value looks the parameter up. nounset is applied by the operators.
func (e *eval) value(p *param) (value, error) {
	val, err := e.fetch(p)
	if n := len(val.s)>>8 + len(val.list); n > 1 {
		e.env.Charge(n)
	}
	return val, err
}

func (e *eval) fetch(p *param) (value, error) {
	val := value{p: p}
	switch p.kind {
	case parPos:
		val.s, val.set = e.env.Param(p.pos)
		return val, nil
	case parSpecial:
		switch p.name {
		case "@", "*":
			val.list, val.many, val.star = e.env.Params(), true, p.name == "*"
			val.n = len(val.list)
			val.set = val.n > 0
		case "#":
			val.s, val.set = formatInt(int64(len(e.env.Params()))), true
		default:
			val.s, val.set = e.env.Special(p.name[0])
		}
		return val, nil
	}
	v := e.env.Var(p.name)
	if v == nil && p.sub == nil {
		if q := e.refElement(p.name); q != nil {
			return e.value(q)
		}
	}
	val.v = v
	switch {
	case v == nil && p.sub != nil && p.sub.All == 0 && p.op == opLength: // the subscript is not looked at
	case p.sub == nil:
		if v.Is(vars.Assoc) {
			val.s, val.set = v.Key("0")
		} else {
			val.s, val.set = v.Index(0)
		}
	case p.sub.All != 0:
		val.many, val.star = true, p.sub.All == '*'
		val.list, val.n = p.elements(v, e.env), v.Len()
		val.set = val.n > 0
	case v.Is(vars.Assoc):
		key, err := e.str(p.sub.Word)
		if err != nil {
			return val, err
		}
		if key == "" {
			return val, e.noElement(p, badSubscript(p.name, p.sub))
		}
		val.s, val.set = v.Key(key)
	default:
		n, err := e.index(p.sub, p.name, v, false)
		if err != nil {
			return val, e.noElement(p, err)
		}
		val.s, val.set = v.Index(n)
	}
	return val, nil
}

// elements gives those of all elements of a variable that the operator looks at:
// for some there need only be one, or two.
func (p *param) elements(v *vars.Var, m large.Meter) []string {
	switch {
	case p.op == opLength:
		return nil
	case p.op == opSlice && v.Is(vars.Indexed), p.op == opAlternate && !(p.colon && p.sub.All == '*'):
		return v.First(2)
	}
	return v.AllValues(nil, m)
}

// noElement tells of a subscript that no element can have. Of its length bash
// makes an error that ends the command, and shows only what is behind the [.
func (e *eval) noElement(p *param, err error) error {
	if bad, ok := err.(*Error); ok && bad.Kind == BadSubscript && p.op == opLength {
		return &Error{Kind: BadSubst, Text: p.sub.Text + "]: bad array subscript"}
	}
	return e.subscriptWarning(err, p.name)
}

// refElement returns the parameter a nameref stands for if that is an array
// element, nil otherwise.
func (e *eval) refElement(name string) *param {
	target, ok := e.env.Ref(name)
	if !ok || !strings.HasSuffix(target, "]") {
		return nil
	}
	r := roomFor(e.env, target).reader(target+"}", nil, 0)
	q := &param{}
	if !r.name(q) || r.i != len(target) || q.sub == nil || q.name == name {
		return nil
	}
	return q
}

// null reports whether :- and its like take the operand.
func (val *value) null(colon bool) bool {
	if val.many {
		return len(val.list) == 0 || colon && len(val.list) == 1 && val.list[0] == "" && !val.far
	}
	return !val.set || colon && val.s == ""
}

// joinedNull reports whether the elements of "$*" are nothing when they are joined.
func (e *eval) joinedNull(p *param, val value, quoted bool) bool {
	if !p.colon || !quoted || !val.many || !val.star || val.far || len(val.list) > 1 && e.joiner() != "" {
		return false
	}
	for _, s := range val.list {
		if s != "" {
			return false
		}
	}
	return true
}

// apply applies the operator of p and emits the result.
func (e *eval) apply(p *param, val value, quoted bool) error {
	switch p.op {
	case opDefault:
		if val.null(p.colon) || e.joinedNull(p, val, quoted) {
			return e.operand(p.word, quoted)
		}
		return e.give(val, quoted)
	case opAlternate:
		if val.null(p.colon) || e.joinedNull(p, val, quoted) {
			if len(val.list) == 0 && val.many && !val.star && quoted {
				e.atNull = true
			}
			return nil
		}
		return e.operand(p.word, quoted)
	case opAssign:
		if !val.null(p.colon) {
			return e.give(val, quoted)
		}
		return e.assignDefault(p, val, quoted)
	case opError:
		if !val.null(p.colon) {
			return e.give(val, quoted)
		}
		return e.question(p, val)
	}
	if err := e.mustBeSet(p, val); err != nil {
		return err
	}
	switch p.op {
	case opNone:
		return e.give(val, quoted)
	case opLength:
		n := 0
		switch {
		case val.many:
			n = val.n
		default:
			n = e.count(val.s, e.bytes(val.s))
		}
		e.emit(formatInt(int64(n)), quoted)
		return nil
	case opSlice:
		return e.slice(p, val, quoted)
	case opTransform:
		e.ifsJoin = !p.here
		err := e.hereAs(p, hereSpace, func() error { return e.transform(p, val, quoted) })
		e.ifsJoin = false
		return err
	}
	return e.operate(p, val, quoted)
}

// mapped emits f of the value or of each element.
func (e *eval) mapped(val value, quoted bool, f func(string) string) error {
	if !val.many {
		e.emit(f(val.s), quoted)
		return nil
	}
	l := make([]string, len(val.list))
	all := Matcher{env: e.env, held: e.held}
	for i, s := range val.list {
		if i%manyFields == manyFields-1 {
			e.env.Charge(manyFields)
		}
		l[i] = f(s)
		all.made(len(l[i]))
	}
	return e.list(l, val.star, quoted)
}

// give emits the value itself.
func (e *eval) give(val value, quoted bool) error {
	if val.many && val.star && val.p.here && val.p.kind == parSpecial {
		return e.hereAs(val.p, hereSpace, func() error { return e.list(val.list, true, quoted) })
	}
	if val.many {
		return e.list(val.list, val.star, quoted)
	}
	e.emit(val.s, quoted)
	return nil
}

// hereAs runs fn, in which what joins a list in a here-document is as.
func (e *eval) hereAs(p *param, as hereList, fn func() error) error {
	if p.here {
		e.hereList = as
	}
	err := fn()
	e.hereList = hereIFS
	return err
}

// mustBeSet applies nounset.
func (e *eval) mustBeSet(p *param, val value) error {
	if val.set || val.many && !(p.op == opLength && p.kind == parVar && !val.v.Assigned()) {
		return nil
	}
	e.load()
	if e.flags&NoUnset == 0 {
		return nil
	}
	switch {
	case p.op == opLength && p.sub != nil: // the line is given up, the shell goes on
		return &Error{Kind: BadSubst, Text: p.name + ": unbound variable"}
	case val.many:
		return unbound(p.name)
	case p.indirect:
		return unbound("!" + p.shown())
	case p.kind != parVar && !strings.HasPrefix(p.text, "${"):
		return unbound("$" + val.p.shown())
	}
	return unbound(val.p.shown())
}

// operand expands the word of ${x:-word} in place.
func (e *eval) operand(w *Word, quoted bool) error {
	if quoted {
		at := e.atNull
		err := e.parts(w.parts, false)
		e.atNull = at
		return err
	}
	return e.parts(w.parts, true)
}

// str evaluates w to a string: no splitting, no path names.
func (e *eval) str(w *Word) (string, error) { return e.sub(w, toString) }

// sub evaluates w for another goal and leaves the current field alone.
func (e *eval) sub(w *Word, g goal) (string, error) {
	if w.isLit && g == toString {
		return w.lit, nil
	}
	if e.depth++; e.depth > maxDepth {
		return "", limitError("depth", "expansion nested too deeply")
	}
	s := e.child(g)
	err := s.parts(w.parts, false)
	e.depth--
	if err != nil {
		return "", err
	}
	return s.result(), nil
}

func (e *eval) assignDefault(p *param, val value, quoted bool) error {
	s, err := e.str(p.word)
	if err != nil {
		return err
	}
	if p.kind != parVar || val.many {
		if p.kind == parVar {
			return badSubscript(p.name, p.sub)
		}
		return &Error{Kind: BadAssign, Text: "$" + val.p.shown() + ": cannot assign in this way"}
	}
	sub := p.sub
	if sub != nil {
		if sub, err = e.resolve(sub, p.name, val.v); err != nil {
			return err
		}
	}
	if err := e.env.Assign(p.name, sub, s, false); err != nil {
		return err
	}
	if e.load(); e.flags&PlainAssign == 0 { // attributes may have changed it
		s = e.assigned(p.name, sub, s)
	}
	e.emit(s, quoted)
	return nil
}

// assigned is what a variable or an element of it holds after an assignment of s.
func (e *eval) assigned(name string, sub *Sub, s string) string {
	v := e.env.Var(name)
	switch {
	case sub == nil:
		if kept, set, err := e.scalar(name, v); err == nil && set {
			return kept
		}
	case v.Is(vars.Assoc):
		if kept, ok := v.Key(sub.Text); ok {
			return kept
		}
	default:
		if kept, ok := v.Index(sub.Num); ok {
			return kept
		}
	}
	return s
}

func (e *eval) question(p *param, val value) error {
	msg := "parameter not set"
	if p.colon {
		msg = "parameter null or not set"
	}
	if len(p.word.parts) > 0 {
		c := e.child(toFields)
		c.load()
		c.flags |= NoGlob
		if err := c.field(p.word); err != nil {
			return err
		}
		msg = strings.Join(c.out, " ")
	}
	return &Error{Kind: Question, Text: val.p.shown() + ": " + msg}
}

// operate applies a trim, replacement or case change.
func (e *eval) operate(p *param, val value, quoted bool) error {
	if !val.set { // what follows is not even expanded
		if val.many {
			return e.list(nil, val.star, quoted)
		}
		return nil
	}
	e.load()
	fold := e.flags & NoCaseMatch
	if p.op != opReplace {
		fold = 0
	}
	m := p.match
	if m == nil || fold|e.flags&Bytes != 0 {
		pat, err := e.sub(p.word, toPattern)
		if err != nil {
			return err
		}
		m = MeteredMatcher(e.env, pat, e.flags&(ExtGlob|Bytes)|fold)
		if err := m.Err(); err != nil {
			return err
		}
	}
	metered := *m
	metered.env, metered.held = e.env, e.held
	var rep replacement
	if p.op == opReplace {
		var err error
		if rep, err = e.replacement(p); err != nil {
			return err
		}
	}
	if !val.many {
		s := p.applied(&metered, &rep, val.s)
		if metered.over {
			return tooLarge()
		}
		e.emit(s, quoted)
		return nil
	}
	l := make([]string, len(val.list))
	for i, s := range val.list {
		l[i] = p.applied(&metered, &rep, s)
		if metered.over {
			return tooLarge()
		}
		metered.made(len(l[i]))
	}
	return e.joined(p, quoted || p.op == opTrim, l, val.star, quoted)
}

// joined emits the elements that an operation made. Where they go into one
// word, ifs tells whether IFS separates them rather than a space.
func (e *eval) joined(p *param, ifs bool, l []string, star, quoted bool) error {
	e.ifsJoin = ifs && !p.here
	as := hereSpace
	switch {
	case p.indirect:
		as = hereIFS
	case p.op != opTrim && p.op != opKeys: // replacements and changes of case
		as = hereNoNull
	}
	err := e.hereAs(p, as, func() error { return e.list(l, star, quoted) })
	e.ifsJoin = false
	return err
}

// applied is the operation of p on one value.
func (p *param) applied(m *Matcher, rep *replacement, s string) string {
	m.charge(len(s) >> 4)
	switch {
	case p.op == opTrim && p.letter == '#':
		return stretch(s, m.Prefix(s, p.all), len(s), large.Or(m.env))
	case p.op == opTrim:
		return stretch(s, 0, m.Suffix(s, p.all), large.Or(m.env))
	case p.op == opReplace:
		return m.Replace(s, *rep, p.letter, p.all)
	}
	which := m
	if len(p.word.parts) == 0 {
		which = nil
	}
	return cased(s, p.letter, p.all, which, m.byte, large.Or(m.env))
}

// cased is changeCase of a text that may be long: it is done block by block.
func cased(s string, letter byte, all bool, which *Matcher, bytes bool, m large.Meter) string {
	if !all || len(s) <= caseBlock {
		large.Ask(m, len(s))
		return changeCase(s, letter, all, which, bytes)
	}
	slow := 4 // a byte is some 6 ns; matched against a pattern first, four times that
	if which != nil {
		slow = 2
	}
	b := large.Builder{M: m}
	b.Exactly(len(s))
	for len(s) > caseBlock {
		n := caseBlock
		for n < len(s) && n < caseBlock+utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n++
		}
		b.WriteString(changeCase(s[:n], letter, true, which, bytes))
		s = s[n:]
		m.Charge(n >> slow)
	}
	b.WriteString(changeCase(s, letter, true, which, bytes))
	return b.String()
}

// caseBlock is how many bytes of a long text change their case at a time.
const caseBlock = 64 << 10

// replacement evaluates the string of ${x/p/string}.
func (e *eval) replacement(p *param) (replacement, error) {
	if p.rep == nil {
		return replacement{}, nil
	}
	if p.quoted && e.flags&RawReplacement != 0 {
		p = p.raw(e.env)
	}
	if e.flags&PatSubReplacement == 0 {
		s, err := e.str(p.rep)
		return replacement{text: s}, err
	}
	s := e.child(toPattern)
	if err := s.parts(p.rep.parts, false); err != nil {
		return replacement{}, err
	}
	if len(s.quotes) == 0 && bytes.IndexByte(s.buf, '&') < 0 && bytes.IndexByte(s.buf, '\\') < 0 {
		return replacement{text: string(s.buf)}, nil
	}
	return newReplacement(s.buf, s.quotes, e.env), nil
}

// raw is p as bash 4.2 reads it, where it has a replacement in double quotes.
func (p *param) raw(a Account) *param {
	r := roomFor(a, p.text).reader(p.text, nil, 0)
	r.raw, r.i = true, 1
	if old := r.brace(true).par; old.rep != nil {
		return old
	}
	return p
}

// bytes reports whether s is counted in bytes; ASCII is not asked about.
func (e *eval) bytes(s string) bool {
	if e.plain(s) == len(s) {
		return false
	}
	return e.inBytes()
}

// inBytes reports whether characters are bytes.
func (e *eval) inBytes() bool {
	e.load()
	return e.flags&Bytes != 0
}

// charCount counts characters; a byte outside UTF-8 is one.
func charCount(s string, bytes bool) int {
	if bytes {
		return len(s)
	}
	n := plainLen(s)
	return n + utf8.RuneCountInString(s[n:])
}

// count is charCount, with the work charged.
func (e *eval) count(s string, bytes bool) int {
	if bytes || len(s) <= large.Piece {
		return charCount(s, bytes)
	}
	n := 0
	for piece := range large.Pieces(s, e.env) {
		n += charCount(piece, false)
	}
	return n
}

// plain is plainLen, with the work charged.
func (e *eval) plain(s string) int {
	n := 0
	for len(s)-n > large.Piece {
		if k := plainLen(s[n : n+large.Piece]); k < large.Piece {
			return n + k
		}
		n += large.Piece
		e.env.Charge(large.Piece >> 8)
	}
	return n + plainLen(s[n:])
}

// plainLen is the length of the beginning of s that is surely ASCII, looked at
// in words of eight bytes.
func plainLen(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := s[i : i+8]
		if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&utf8.RuneSelf != 0 {
			return i
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// changeCase implements ^ , and ~ on the characters that match m.
func changeCase(s string, letter byte, all bool, m *Matcher, bytes bool) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if c := s[i]; m == nil && c < utf8.RuneSelf && all {
			b.WriteByte(asciiCase(c, letter))
			i++
			continue
		}
		r, n := decode(s[i:], bytes)
		c := s[i : i+n]
		if r <= utf8.MaxRune && (m == nil || m.Match(c)) {
			switch u := unicode.ToUpper(r); {
			case letter == '^', letter == '~' && r != u:
				r = u
			default:
				r = unicode.ToLower(r)
			}
			b.WriteRune(r)
		} else {
			b.WriteString(c)
		}
		i += n
		if !all {
			b.WriteString(s[i:])
			break
		}
	}
	return b.String()
}

// ChangeCase is s, or only its first character unless all, in upper (^) or lower (,) case.
// bytes says that a character is a byte; work hears of it.
func ChangeCase(s string, letter byte, all, bytes bool, work large.Meter) string {
	return cased(s, letter, all, nil, bytes, work)
}

// asciiCase is c as ^ , or ~ leaves it.
func asciiCase(c, letter byte) byte {
	lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	if lower && letter != ',' || upper && letter != '^' {
		c ^= 'a' ^ 'A'
	}
	return c
}
