package expand

import (
	"strconv"
	"strings"

	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// goal is what a word is evaluated for.
type goal uint8

const (
	toString  goal = iota // plain text
	toFields              // splitting and path names
	toPattern             // quoted characters escaped for Match
	toRegexp              // … for an extended regular expression
)

// eval evaluates one or more words.
type eval struct {
	env    Env
	flags  Flags
	goal   goal
	out    []string  // fields finished
	globs  []globbed // those of them that stand for path names
	one    string    // the field under construction while it is one piece: buf is empty then
	buf    []byte    // the field under construction
	rope   rope      // of a long text: what comes before one or buf
	quotes []span    // quoted ranges of buf, if there may be a pattern
	leaves []string  // values for pLeaf
	ifs    string
	nested
	joins
	tildes tildeUse
	solid  bool // the word has no unquoted expansion and no pattern
	ready  bool // flags and ifs are loaded
	have   bool // the field exists even if empty
	meta   bool // the field has unquoted pattern characters
	quoted bool // one is quoted
	seen
}

// joins says what stands between the elements of a list that goes into one word.
type joins struct {
	ifsJoin bool // IFS, also if an operation made them
	hereList
}

// hereList says what joins $* and what is made of a list's elements in a here-document: mostly not IFS.
type hereList uint8

const (
	hereIFS    hereList = iota // as in "$*"
	hereSpace                  // a space
	hereNoNull                 // a space, but nothing if IFS is empty
)

// seen is what has been met on the way.
type seen struct {
	wsEnd  bool // the last field was ended by IFS white space
	atNull bool // a quoted $@ without parameters
}

type span struct{ from, to int }

// nested counts what is inside what, and what is held meanwhile.
type nested struct {
	depth int // words
	runs  int // arithmetic nodes
	names int // evaluations of names
	held  int // bytes of the fields finished
	told  int // of them, what env has heard of
}

// child returns an evaluator for a word inside the current one.
func (e *eval) child(g goal) eval {
	return eval{env: e.env, flags: e.flags, ifs: e.ifs, ready: e.ready, nested: e.nested, leaves: e.leaves, goal: g}
}

const defaultIFS = " \t\n"

// load reads the options and IFS, once.
func (e *eval) load() {
	if e.ready {
		return
	}
	e.ready, e.flags, e.ifs = true, e.env.Flags(), defaultIFS
	if v := e.env.Var("IFS"); v.IsSet() {
		e.ifs = v.String()
	}
}

// ifsSet reports whether IFS is unset: only "$*" must know.
func (e *eval) joiner() string {
	e.load()
	if e.ifs == "" {
		return ""
	}
	_, n := decode(e.ifs, e.flags&Bytes != 0)
	return e.ifs[:n]
}

// Fields expands words to fields and appends them to dst: braces, tildes,
// parameters, commands, arithmetic, splitting, quote removal, and after all of
// them, for all words, path names.
func Fields(env Env, dst []string, ws []*Word) ([]string, error) {
	e := eval{env: env, goal: toFields, out: dst}
	return e.fields(dst, ws)
}

// ListFields is Fields for the words of name=( … ), where x=~ is no assignment.
func ListFields(env Env, dst []string, ws []*Word) ([]string, error) {
	e := eval{env: env, goal: toFields, out: dst, tildes: tildesInList}
	return e.fields(dst, ws)
}

func (e *eval) fields(dst []string, ws []*Word) ([]string, error) {
	for _, w := range ws {
		if w.isLit {
			e.out = append(e.out, w.lit)
		} else if err := e.field(w); err != nil {
			return nil, err
		}
	}
	if n := len(e.out) - len(dst); n > fewFields {
		e.env.Charge(n)
	}
	if e.globs != nil {
		return e.paths()
	}
	return e.out, nil
}

// fewFields are no work worth mentioning.
const fewFields = 64

// field expands one word in the goal toFields.
func (e *eval) field(w *Word) error {
	switch w.fast {
	case fastPos:
		p := w.only()
		s, ok := e.env.Param(p.par.pos)
		if !ok {
			break
		}
		if !p.quoted {
			if e.load(); !e.inert(s) {
				break
			}
		}
		if s != "" || p.quoted {
			e.out = append(e.out, s)
		}
		return nil
	case fastQVar, fastVar:
		v := e.env.Var(w.only().par.name)
		if w.fast == fastQVar {
			if v.IsSet() && !v.IsArray() {
				e.out = append(e.out, v.String())
				return nil
			}
			break
		}
		e.load()
		if v.IsSet() && !v.IsArray() {
			s := v.String()
			if e.inert(s) {
				if s != "" {
					e.out = append(e.out, s)
				}
				return nil
			}
		}
	case fastQList:
		return e.quotedList(w.only().par)
	case fastArith:
		p := w.only()
		n, err := p.arith.eval(e)
		if err != nil {
			return err
		}
		s := formatInt(n)
		if p.quoted {
			e.out = append(e.out, s)
			return nil
		}
		e.load()
		if e.inert(s) {
			e.out = append(e.out, s)
			return nil
		}
		e.split(s)
		e.end()
		return nil
	}
	e.load()
	if w.Operand == DeclaredOperand || w.Operand == PosixOperand && e.flags&Posix != 0 {
		return e.declared(w)
	}
	e.solid = w.solid
	if w.braces != nil && e.flags&BraceExpand != 0 {
		return w.braces.each(e, func(w *Word) error {
			if w.isLit && len(w.parts) > 0 {
				e.out = append(e.out, w.lit)
				return nil
			}
			e.solid = w.solid
			if err := e.parts(w.parts, false); err != nil {
				return err
			}
			e.end()
			return nil
		})
	}
	if w.isLit || w.braces != nil && len(w.parts) == 0 {
		e.out = append(e.out, w.lit)
		return nil
	}
	if err := e.parts(w.parts, false); err != nil {
		return err
	}
	e.end()
	return nil
}

// declared expands a word that is an operand of a declaration.
func (e *eval) declared(w *Word) error {
	one := func(w *Word) error {
		c := e.child(toString)
		c.tildes = tildesInOperand
		text, err := c.whole(w)
		if err == nil {
			e.out = append(e.out, text)
		}
		return err
	}
	if w.braces != nil && e.flags&BraceExpand != 0 {
		return w.braces.each(e, one)
	}
	return one(w)
}

// only returns the part of a word that has no other, quotes taken off.
func (w *Word) only() *part {
	if p := &w.parts[0]; p.kind != pQuote {
		return p
	}
	return &w.parts[0].parts[0]
}

// quotedList expands "$@" or "${a[@]}", one field for each element.
func (e *eval) quotedList(p *param) error {
	if p.kind == parSpecial {
		e.chargeFields(len(e.env.Params()))
		e.out = large.Add(e.out, e.env.Params(), e.env)
		return nil
	}
	v := e.env.Var(p.name)
	n := v.Len()
	e.chargeFields(n)
	if n <= manyFields {
		e.out = v.AppendValues(e.out)
		return nil
	}
	e.out = v.AllValues(e.out, e.env)
	return nil
}

// chargeFields charges for n more fields, before they are made: each is one that somebody has.
func (e *eval) chargeFields(n int) {
	if n > manyFields {
		e.env.Charge(n >> 3)
		e.held += n * fieldSize
		e.env.Hold(e.held)
	}
}

// manyFields are charged for before there are more.
const manyFields = 1 << 10

// fieldSize is what a field takes besides its text, in bytes, and newField one
// that is made: the list grows by doubling.
const (
	fieldSize = 16
	newField  = 3 * fieldSize
)

// inert reports whether the value of an unquoted expansion is one field, or
// none, as it is.
func (e *eval) inert(s string) bool {
	if len(s) > 64 {
		return false
	}
	def := e.ifs == defaultIFS
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '*', c == '?', c == '[', c == '\\', c == '(':
			return false
		case def:
			if c == ' ' || c == '\t' || c == '\n' {
				return false
			}
		case e.ifs != "" && strings.IndexByte(e.ifs, c) >= 0:
			return false
		}
	}
	return true
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// end finishes a word: its last field, if there is one.
func (e *eval) end() {
	if e.begun() {
		e.flush()
	}
	e.wsEnd = false
}

// size is how long the field under construction is.
func (e *eval) size() int { return e.rope.size + len(e.one) + len(e.buf) }

// begun reports whether there is a field under construction.
func (e *eval) begun() bool { return e.have || e.size() > 0 }

// flush finishes the field under construction, even if it is empty.
func (e *eval) flush() {
	if e.meta && e.flags&NoGlob == 0 && e.goal == toFields {
		e.room()
		if pattern := e.escaped(`*?[]\()|!^-@+`); isPattern(pattern, e.flags) {
			e.globs = append(e.globs, globbed{len(e.out), pattern})
		}
	}
	if len(e.buf) == 0 {
		e.out = append(e.out, e.one)
	} else {
		e.out = append(e.out, large.Text(e.buf, e.env))
	}
	e.held += newField + len(e.out[len(e.out)-1])
	e.tell()
	if len(e.out)%manyFields == 0 {
		e.env.Charge(manyFields)
		e.out = large.Extend(e.out, manyFields, e.env)
	}
	e.one, e.buf, e.quotes, e.have, e.meta = "", e.buf[:0], e.quotes[:0], false, false
}

// tell tells what the fields hold when that has become much more.
func (e *eval) tell() {
	if e.held-e.told > tellEvery {
		e.told = e.held
		e.env.Hold(e.held)
	}
}

// parts evaluates parts into the current field. operand: they are the operand
// of an unquoted expansion, whose unquoted text is split, too.
func (e *eval) parts(ps []part, operand bool) error {
	if e.depth++; e.depth > maxDepth {
		return limitError("depth", "expansion nested too deeply")
	}
	var err error
	for i := range ps {
		if err = e.part(&ps[i], operand); err == nil && e.rope.size+len(e.buf) > maxWordSize {
			err = tooLarge()
		}
		if err != nil {
			break
		}
	}
	e.depth--
	return err
}

func (e *eval) part(p *part, operand bool) error {
	switch p.kind {
	case pLit:
		switch {
		case p.quoted:
			e.quote(p.text)
		case operand:
			e.unquoted(p.text)
		default:
			e.text(p.text, p.meta)
		}
	case pQuote:
		at, n, f := e.atNull, e.size(), len(e.out)
		e.atNull = false
		if err := e.parts(p.parts, false); err != nil {
			return err
		}
		if !e.atNull || e.size() > n || len(e.out) > f {
			e.have = true
		}
		e.atNull = at
	case pParam:
		return e.param(p.par, p.quoted)
	case pCommand, pProcess:
		s, err := e.command(p)
		if err != nil {
			return err
		}
		e.emit(s, p.quoted)
	case pArith:
		n, err := p.arith.eval(e)
		if err != nil {
			return err
		}
		var d [20]byte
		if p.quoted || e.goal == toString {
			e.quoteBytes(strconv.AppendInt(d[:0], n, 10))
			return nil
		}
		e.emit(formatInt(n), false)
	case pTilde:
		e.tilde(p)
	case pLeaf:
		if int(p.leaf) < len(e.leaves) {
			e.emit(e.leaves[p.leaf], true)
		}
	case pError:
		if p.leaf == int32(Limit) {
			return limitError("depth", "expansion nested too deeply")
		}
		return &Error{Kind: BadSubst, Text: p.text}
	}
	return nil
}

// room makes the buffer ready to be written to.
func (e *eval) room() {
	if e.buf == nil {
		e.buf = make([]byte, 0, 64)
	}
	if e.one != "" {
		e.push(e.one)
		e.one = ""
		if e.quoted {
			e.quoteRange(0)
		}
	}
}

// add appends a piece to the field. The first one is only kept: most fields
// are one piece, and then its string is the field.
func (e *eval) add(s string, quoted bool) {
	e.wsEnd = false
	if e.size() == 0 && e.goal <= toFields {
		e.one, e.quoted = s, quoted
		return
	}
	if e.goal == toString && len(s) > large.Piece {
		e.twist(s)
		return
	}
	e.room()
	from := len(e.buf)
	e.push(s)
	if quoted {
		e.quoteRange(from)
	}
}

// muchText is how many bytes are worth charging for.
const muchText = 1 << 12

// much charges for a text of n bytes that is copied.
func (e *eval) much(n int) {
	if n > muchText {
		e.env.Charge(n >> 10)
	}
}

// push appends bytes to the buffer.
func (e *eval) push(s string) {
	if len(e.buf)+len(s) <= muchText {
		e.buf = append(e.buf, s...)
		return
	}
	e.buf = large.Push(e.buf, s, e.env)
}

// text appends unquoted literal text: not split, but it may be a pattern.
func (e *eval) text(s string, meta bool) {
	e.meta = e.meta || meta
	e.add(s, false)
}

// quote appends text whose characters stand for themselves.
func (e *eval) quote(s string) {
	if s != "" {
		e.add(s, true)
	}
}

func (e *eval) quoteBytes(s []byte) {
	e.room()
	from := len(e.buf)
	e.buf = append(e.buf, s...)
	e.wsEnd = false
	e.quoteRange(from)
}

func (e *eval) quoteRange(from int) {
	if e.goal == toString || e.solid && e.goal == toFields {
		return
	}
	if e.quotes == nil {
		e.quotes = make([]span, 0, 4)
	}
	if n := len(e.quotes); n > 0 && e.quotes[n-1].to == from {
		e.quotes[n-1].to = len(e.buf)
		return
	}
	e.quotes = append(e.quotes, span{from, len(e.buf)})
}

// emit appends the result of an expansion.
func (e *eval) emit(s string, quoted bool) {
	if quoted || e.goal == toString {
		e.quote(s)
	} else {
		e.unquoted(s)
	}
}

// unquoted appends text that is split in fields and may be a pattern.
func (e *eval) unquoted(s string) {
	if e.goal == toFields {
		e.split(s)
		return
	}
	if s != "" {
		e.text(s, true)
	}
}

// list appends the elements of $@, $* or an array.
func (e *eval) list(l []string, star, quoted bool) error {
	switch {
	case quoted && star:
		sep := e.joiner()
		if sep != "" && e.hereList == hereNoNull || e.hereList == hereSpace {
			sep = " "
		}
		size := len(sep) * len(l)
		for _, s := range l {
			size += len(s)
		}
		if size > maxWordSize {
			return tooLarge()
		}
		e.env.Hold(e.held + size)
		e.quote(large.Join(l, sep, e.env))
	case e.goal != toFields:
		sep := " "
		if star || e.ifsJoin {
			sep = e.joiner()
		}
		if !star && sep == "" {
			sep = " "
		}
		for i, s := range l {
			if i%manyFields == manyFields-1 {
				e.env.Charge(manyFields)
			}
			if i > 0 {
				e.emit(sep, quoted)
			}
			e.emit(s, quoted)
		}
	case quoted:
		if len(l) == 0 {
			e.atNull = true
			return nil
		}
		for i, s := range l {
			if i > 0 {
				e.have = true
				e.flush()
			}
			e.quote(s)
		}
		e.have = true
	default:
		e.load()
		for i, s := range l {
			if i > 0 {
				if e.ifs == "" {
					if e.begun() {
						e.flush()
					}
				} else {
					e.split(e.joiner())
				}
			}
			e.split(s)
		}
	}
	return nil
}

// scalar returns the value of a plain variable, with nounset applied.
func (e *eval) scalar(name string, v *vars.Var) (string, bool, error) {
	set := v.IsSet()
	if v.IsArray() {
		if v.Is(vars.Assoc) {
			_, set = v.Key("0")
		} else {
			_, set = v.Index(0)
		}
	}
	if !set {
		e.load()
		if e.flags&NoUnset != 0 {
			return "", false, unbound(name)
		}
		return "", false, nil
	}
	return v.String(), true, nil
}

func unbound(name string) error {
	return &Error{Kind: Unbound, Text: name + ": unbound variable"}
}
