package expand

import (
	"strconv"
	"strings"

	"eryxsh/core/vars"
)

type paramKind uint8

const (
	parVar paramKind = iota
	parPos
	parSpecial
	parBad // bad substitution; text is the whole of it
)

type opKind uint8

const (
	opNone      opKind = iota
	opLength           // ${#x}
	opDefault          // - and :-
	opAssign           // = and :=
	opError            // ? and :?
	opAlternate        // + and :+
	opSlice            // ${x:1:2}
	opTrim             // # ## % %%
	opReplace          // / // /# /%
	opCase             // ^ ^^ , ,, ~ ~~
	opTransform        // @Q …
	opNames            // ${!pre*}
	opKeys             // ${!a[@]}
)

// param is a compiled parameter expansion.
type param struct {
	name     string
	pos      int // number of a parPos
	kind     paramKind
	op       opKind
	letter   byte // which of its kind op is: # % ^ , Q …; the anchor of a replacement
	all      bool // the doubled form: ## %% // ^^
	colon    bool // :- rather than -
	indirect bool
	quoted   bool // the expansion stands inside double quotes
	here     bool // the expansion stands in a here-document
	sub      *Sub
	word     *Word    // operand, pattern
	rep      *Word    // replacement
	match    *Matcher // of a constant pattern
	off, len *Arith
	text     string // source, for messages
}

func (p *param) plain() bool {
	return p.kind == parVar && p.op == opNone && p.sub == nil && !p.indirect
}

// isList reports whether p is $@ or a[@] and nothing else.
func (p *param) isList() bool {
	return p.op == opNone && !p.indirect && (p.kind == parSpecial && p.name == "@" || p.kind == parVar && p.sub != nil && p.sub.All == '@')
}

func (p *param) needs() bool {
	return p.sub != nil && p.sub.Word != nil && p.sub.Word.memo || p.word != nil && p.word.memo || p.rep != nil && p.rep.memo ||
		p.off != nil && p.off.NeedsMemo() || p.len != nil && p.len.NeedsMemo()
}

// Sub is a subscript, not interpreted: whether it is arithmetic or a key is
// decided when the kind of the variable is known.
type Sub struct {
	Text string // source, for messages; the key, if Resolved
	Word *Word  // as a key
	All  byte   // '@' or '*' for all elements, else 0

	Resolved bool  // Num or Text is the element; nothing is left to evaluate
	Num      int64 // index, never negative

	arith *Arith
}

// newSub compiles the text between [ and ].
func newSub(m *Room, text string, nodes []command, depth int) *Sub {
	s := &Sub{Text: text}
	if text == "@" || text == "*" {
		s.All = text[0]
	}
	r := m.reader(text, nodes, depth)
	s.Word = m.NewWord()
	s.Word.parts = r.word(modeSub)
	s.Text = r.shown(text)
	r.end()
	s.Word.finish()
	s.arith = arithParts(m, s.Word.parts, depth)
	s.arith.text = s.Text
	return s
}

// Resolve evaluates s for the variable v, which may be nil (then indexed) and
// is called name in messages: the result names one element, or all.
func (s *Sub) Resolve(env Env, name string, v *vars.Var) (*Sub, error) {
	e := eval{env: env}
	return e.resolve(s, name, v)
}

func (e *eval) resolve(s *Sub, name string, v *vars.Var) (*Sub, error) {
	if s.Resolved || s.All != 0 && !v.Is(vars.Assoc) {
		return s, nil
	}
	if v.Is(vars.Assoc) {
		key, err := e.str(s.Word)
		if err != nil {
			return nil, err
		}
		if key == "" {
			return nil, badSubscript(name, s)
		}
		return &Sub{Text: key, Resolved: true}, nil
	}
	n, err := e.index(s, name, v, false)
	if err != nil {
		return nil, err
	}
	return &Sub{Text: strconv.FormatInt(n, 10), Num: n, Resolved: true}, nil
}

// Index evaluates s as an index to assign to of the indexed array v, which may
// be nil, or a scalar: that becomes element 0.
func (s *Sub) Index(env Env, name string, v *vars.Var) (int64, error) {
	e := eval{env: env}
	return e.index(s, name, v, true)
}

// Key evaluates s as a key of an associative array.
func (s *Sub) Key(env Env, name string) (string, error) {
	if s.Resolved {
		return s.Text, nil
	}
	key, err := String(env, s.Word)
	if err == nil && key == "" {
		err = badSubscript(name, s)
	}
	return key, err
}

// index evaluates s as an index of v, counted from the end if negative.
func (e *eval) index(s *Sub, name string, v *vars.Var, assign bool) (int64, error) {
	if s.Resolved {
		return s.Num, nil
	}
	n, err := s.arith.eval(e)
	if err != nil {
		return 0, deep(err)
	}
	if n < 0 {
		if assign && n == -1 && v.IsSet() && !v.IsArray() {
			return 0, nil
		}
		if n += v.MaxIndex() + 1; n < 0 || !v.Is(vars.Indexed) {
			return 0, badSubscript(name, s)
		}
	}
	return n, nil
}

// Warner is an Env with a place for messages that do not end the expansion,
// unless there is an error: with set -e the shell ends.
type Warner interface {
	Warn(text string) error
}

// subscriptWarning makes a message of the error of an index that is read: it
// is as if there were no such element.
func (e *eval) subscriptWarning(err error, name string) error {
	if x, ok := err.(*Error); !ok || x.Kind != BadSubscript {
		return err
	}
	if w, ok := e.env.(Warner); ok {
		return w.Warn(name + ": bad array subscript")
	}
	return nil
}

func badSubscript(name string, s *Sub) error {
	return &Error{Kind: BadSubscript, Text: name + "[" + s.Text + "]: bad array subscript"}
}

// brace reads ${…} with r.i at the brace.
func (r *reader) brace(quoted bool) part {
	start := r.i - 1
	r.i++
	p := r.room.param(param{quoted: quoted, here: r.here})
	if !r.param(p) || r.i >= len(r.s) || r.s[r.i] != '}' {
		r.i, _ = r.skip.brace(start+2, quoted)
		p = &param{kind: parBad, quoted: quoted}
	} else {
		r.i++
	}
	p.text = r.shown(r.s[start:r.i])
	return part{kind: pParam, quoted: quoted, par: p}
}

// param reads the inside of ${…} up to the closing brace.
func (r *reader) param(p *param) bool {
	if r.depth > maxDepth {
		return false
	}
	switch r.peek(0) {
	case '#':
		if c := r.peek(1); c != '}' && c != 0 {
			r.i++
			save := r.i
			if r.name(p) && r.peek(0) == '}' {
				p.op = opLength
				return true
			}
			r.i = save - 1
			p.name, p.sub, p.kind = "", nil, 0
		}
	case '!':
		if c := r.peek(1); nameByte(c) || strings.IndexByte("@*#?$!", c) >= 0 && c != 0 {
			r.i++
			save := r.i
			if r.name(p) && (p.kind != parSpecial || p.name == "#" || p.name == "?" || p.name == "@" || p.name == "*") && r.indirect(p) {
				return true
			}
			if p.kind == parSpecial && r.i > save && c != '@' && c != '*' {
				return false
			}
			r.i = save - 1
			p.name, p.sub, p.kind, p.indirect = "", nil, 0, false
		}
	}
	return r.name(p) && r.operator(p)
}

// indirect reads what follows the name in ${!name…}.
func (r *reader) indirect(p *param) bool {
	c := r.peek(0)
	if p.sub == nil && (c == '@' || c == '*') && r.peek(1) == '}' && p.kind == parVar {
		p.op, p.letter = opNames, c
		r.i++
		return true
	}
	if p.sub != nil && p.sub.All != 0 && c == '}' {
		p.op = opKeys
		return true
	}
	p.indirect = true
	return r.operator(p)
}

func (r *reader) peek(n int) byte {
	if r.i+n < len(r.s) {
		return r.s[r.i+n]
	}
	return 0
}

// name reads the parameter and its subscript.
func (r *reader) name(p *param) bool {
	c := r.peek(0)
	end := r.i
	switch {
	case nameStart(c):
		for end < len(r.s) && nameByte(r.s[end]) {
			end++
		}
		p.kind = parVar
	case nameByte(c):
		for end < len(r.s) && r.s[end] >= '0' && r.s[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(r.s[r.i:end])
		if err != nil {
			n = 1 << 30
		}
		p.kind, p.pos = parPos, n
	case c != 0 && strings.IndexByte("@*#?-$!", c) >= 0:
		end++
		p.kind = parSpecial
	default:
		return false
	}
	p.name = r.s[r.i:end]
	r.i = end
	if p.kind == parVar && r.peek(0) == '[' {
		close, ok := r.skip.to(r.i + 1)
		if !ok || close == r.i+1 {
			return false
		}
		p.sub = newSub(r.room, r.s[r.i+1:close], r.nodes, r.depth+1)
		r.i = close + 1
	}
	return true
}

// operator reads the operator and its operands.
func (r *reader) operator(p *param) bool {
	c, d := r.peek(0), r.peek(1)
	if c == ':' && d != 0 && strings.IndexByte("-=?+", d) >= 0 {
		p.colon = true
		r.i++
		c = d
	}
	double := func() {
		r.i++
		if p.all = r.peek(0) == c; p.all {
			r.i++
		}
	}
	switch c {
	case '}':
		return true
	case '-', '=', '?', '+':
		switch c {
		case '-':
			p.op = opDefault
		case '=':
			p.op = opAssign
		case '?':
			p.op = opError
		case '+':
			p.op = opAlternate
		}
		r.i++
		p.word = r.operand(p, false)
	case ':':
		return r.slice(p)
	case '#', '%':
		p.op, p.letter = opTrim, c
		double()
		p.word = r.operand(p, true)
	case '^', ',', '~':
		if p.kind == parSpecial && p.name != "@" && p.name != "*" && p.name != "!" {
			return false
		}
		p.op, p.letter = opCase, c
		double()
		p.word = r.operand(p, true)
	case '/':
		p.op = opReplace
		double()
		if !p.all && (r.peek(0) == '#' || r.peek(0) == '%') {
			p.letter = r.peek(0)
			r.i++
		}
		p.word = &Word{parts: r.word(modePattern)}
		p.word.finish()
		p.constant()
		if r.peek(0) == '/' {
			r.i++
			if r.raw && p.quoted {
				p.rep = &Word{parts: r.word(modeRaw)}
				p.rep.finish()
			} else {
				p.rep = r.operand(p, true)
			}
		}
		return true
	case '@':
		if d == 0 {
			return false
		}
		p.op, p.letter = opTransform, d
		if r.i++; d != '}' {
			r.i++
		}
		if r.peek(0) != '}' || strings.IndexByte("QEPAaKkUuL", d) < 0 { // wrong if there is a value
			p.letter = badTransform
			for r.i < len(r.s) && r.s[r.i] != '}' {
				r.i = r.skip.quoted(r.i, p.quoted)
			}
		}
	default:
		return false
	}
	if p.op == opTrim || p.op == opCase {
		p.constant()
	}
	return true
}

// constant compiles a pattern that is known now.
func (p *param) constant() { p.match = constant(p.word.parts) }

// constant compiles a pattern that is known now; nil for one that is not.
func constant(parts []part) *Matcher {
	var b strings.Builder
	for _, q := range parts {
		switch {
		case q.kind == pLit && !q.quoted:
			b.WriteString(q.text)
		case q.kind == pLit:
			escapePattern(&b, q.text)
		case q.kind == pQuote && len(q.parts) == 0:
		case q.kind == pQuote && len(q.parts) == 1 && q.parts[0].kind == pLit:
			escapePattern(&b, q.parts[0].text)
		default:
			return nil
		}
	}
	s := b.String()
	if strings.IndexByte(s, '(') >= 0 { // it depends on extglob
		return nil
	}
	return NewMatcher(s, 0)
}

// operand reads a word up to the closing brace. Patterns and replacements are
// read as unquoted text even inside double quotes.
func (r *reader) operand(p *param, pattern bool) *Word {
	m := modeOperand
	if p.quoted && !pattern {
		m = modeQOperand
	}
	literal := r.literal
	r.literal = literal || m == modeQOperand && r.here
	w := &Word{parts: r.word(m)}
	r.literal = literal
	w.finish()
	return w
}

// slice reads :offset and :length.
func (r *reader) slice(p *param) bool {
	p.op = opSlice
	r.i++
	if r.peek(0) == '}' {
		return false
	}
	k := &r.skip
	end, ok := k.colon(r.i)
	if !ok {
		return false
	}
	p.off = newArith(r.room, r.s[r.i:end], r.nodes, r.depth+1)
	r.i = end
	if r.s[end] == ':' {
		r.i++
		// everything up to the brace is the length
		for end = r.i; end < len(r.s) && r.s[end] != '}'; {
			end = k.quoted(end, false)
		}
		p.len = newArith(r.room, r.s[r.i:min(end, len(r.s))], r.nodes, r.depth+1)
		r.i = min(end, len(r.s))
	}
	return true
}

// colon finds the : or } that ends the offset of a slice: one that is not
// nested and not part of ?:.
func (k *skipper) colon(i int) (int, bool) {
	s := k.s
	for parens, quest := 0, 0; i < len(s); {
		switch s[i] {
		case '(', '[':
			parens++
		case ')', ']':
			parens--
		case '?':
			quest++
		case ':':
			if parens <= 0 && quest == 0 {
				return i, true
			}
			quest = max(0, quest-1)
		case '}':
			return i, true
		}
		i = k.quoted(i, false)
	}
	return i, false
}
