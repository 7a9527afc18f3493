package expand

import (
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Source is one parsed unit.
type Source struct {
	// Text is the unit's text as it was encoded for the parser. Where the
	// parser was shown something else in its place (same length, same
	// offsets), this is still what bash would read.
	Text string

	// Shown are the texts of substitutions that bash prints otherwise than
	// they stand in Text, by their syntax node.
	Shown map[syntax.Node]string

	base  int // what the parser's offsets in it begin with
	ticks []tick
	room  *Room
}

// off is a position's offset in the text.
func (src *Source) off(p syntax.Pos) int { return max(int(p.Offset())-src.base, 0) }

// tick is an old-style command substitution: in what it contains, one more
// level of backslashes must be taken off.
type tick struct {
	from, to int
	dquote   bool // inside double quotes: \" loses its backslash as well
	parent   int  // index in ticks of the one around it, -1
}

// NewSource returns the Source of text that parsed as nodes. They are walked
// only if text contains a backquote; their depth must have been checked.
func NewSource(text string, nodes ...syntax.Node) *Source {
	src := SourceAt(text, 0, nil)
	src.AddTicks(nodes...)
	return &src
}

// SourceAt is a Source for a text at the parser's offset base, compiled into
// room, which may be nil. One that contains a backquote needs AddTicks.
func SourceAt(text string, base int, room *Room) Source {
	return Source{Text: text, base: base, room: room}
}

// AddTicks tells the source of the text that parsed as nodes.
func (src *Source) AddTicks(nodes ...syntax.Node) {
	if strings.IndexByte(src.Text, '`') < 0 {
		return
	}
	for _, n := range nodes {
		if n != nil {
			src.addTicks(n)
		}
	}
	sort.SliceStable(src.ticks, func(i, j int) bool { return src.ticks[i].from < src.ticks[j].from })
	for i := range src.ticks {
		p := i - 1
		for p >= 0 && src.ticks[p].to <= src.ticks[i].from {
			p = src.ticks[p].parent
		}
		src.ticks[i].parent = p
	}
}

func (src *Source) addTicks(n syntax.Node) {
	quotes := []bool{}
	in := 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			if quotes[len(quotes)-1] {
				in--
			}
			quotes = quotes[:len(quotes)-1]
			return true
		}
		_, q := n.(*syntax.DblQuoted)
		quotes = append(quotes, q)
		if q {
			in++
		}
		if c, ok := n.(*syntax.CmdSubst); ok && c.Backquotes {
			src.ticks = append(src.ticks, tick{src.off(c.Left) + 1, src.off(c.Right), in > 0, -1})
		}
		return true
	})
}

// tickAt returns the innermost old-style substitution around an offset, -1.
func (src *Source) tickAt(off int) int {
	i := sort.Search(len(src.ticks), func(i int) bool { return src.ticks[i].from > off }) - 1
	for i >= 0 && src.ticks[i].to <= off {
		i = src.ticks[i].parent
	}
	return i
}

// command is a command or process substitution in a cooked text.
type command struct {
	node syntax.Node
	text string // as in the source
	show string // as bash prints it, if it differs
}

// shown is the substitution as bash prints it.
func (c command) shown() string {
	if c.show != "" {
		return c.show
	}
	return Decode(c.text)
}

// Inside a cooked text a command or process substitution is replaced by mark,
// its number in decimal and a semicolon: opaque to everything that looks at
// the text. NUL cannot occur in shell text.
const mark = '\x00'

// cook returns the text between two offsets as bash would see it: commands
// replaced by marks, backslashes of backquotes taken off, bytes decoded.
func (src *Source) cook(from, to int, roots ...syntax.Node) (string, []command) {
	from, to = max(0, min(from, len(src.Text))), max(0, min(to, len(src.Text)))
	if to < from {
		to = from
	}
	t := src.tickAt(from)
	for t >= 0 && from > src.ticks[t].from && src.Text[from-1] == '\\' {
		from-- // the parser puts the beginning behind what it takes off
	}
	raw := src.Text[from:to]
	var nodes []syntax.Node
	if strings.IndexByte(raw, '(') >= 0 || strings.IndexByte(raw, '`') >= 0 {
		for _, r := range roots {
			if r != nil {
				nodes = commands(r, nodes)
			}
		}
	}
	if len(nodes) == 0 && t < 0 {
		return dropMarks(Decode(raw)), nil
	}
	sort.SliceStable(nodes, func(i, j int) bool { return nodes[i].Pos().Offset() < nodes[j].Pos().Offset() })
	var b strings.Builder
	at := from
	var kept []command
	for _, n := range nodes {
		lo, hi := src.off(n.Pos()), src.off(n.End())
		if lo < at || hi > to || hi <= lo {
			continue
		}
		b.WriteString(dropMarks(src.Text[at:lo]))
		writeMark(&b, len(kept))
		kept = append(kept, command{n, src.Text[lo:hi], src.Shown[n]})
		at = hi
	}
	b.WriteString(dropMarks(src.Text[at:to]))
	s := b.String()
	for ; t >= 0; t = src.ticks[t].parent {
		s = untick(s, src.ticks[t].dquote)
	}
	return Decode(s), kept
}

// markOf is the mark of operand n.
func markOf(n int) string {
	var b strings.Builder
	writeMark(&b, n)
	return b.String()
}

func writeMark(b *strings.Builder, n int) {
	b.WriteByte(mark)
	var d [20]byte
	i := len(d)
	for {
		i--
		d[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	b.Write(d[i:])
	b.WriteByte(';')
}

func dropMarks(s string) string {
	if strings.IndexByte(s, mark) < 0 {
		return s
	}
	return strings.ReplaceAll(s, string(rune(mark)), "")
}

// untick takes off one level of the backslashes inside ` `.
func untick(s string, dquote bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i+1 == len(s) {
				break // it belongs to the closing backquote
			}
			switch c := s[i+1]; {
			case c == '$', c == '`', c == '\\', c == '"' && dquote:
				i++
			case c == mark:
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

// commands appends the outermost command and process substitutions below n.
func commands(n syntax.Node, to []syntax.Node) []syntax.Node {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CmdSubst:
			if x.ReplyVar || x.TempFile { // ${|…;} and ${ …;}, which bash does not have
				return true
			}
			to = append(to, n)
			return false
		case *syntax.ProcSubst:
			to = append(to, n)
			return false
		}
		return true
	})
	return to
}

// Word is a compiled word. It is immutable once Assign is set, and shared.
type Word struct {
	// Assign makes String expand tildes after each unquoted colon, as in the
	// value of an assignment.
	Assign bool
	// Operand makes Fields take the word for the operand of a declaration.
	Operand Operand

	isLit bool     // constant: no expansion, glob or brace
	memo  bool     // contains a command or process substitution
	solid bool     // no unquoted expansion, no pattern
	open  bool     // a single quote in it is not closed
	same  bool     // of AsPattern: a pattern that matches lit and nothing else
	fast  fastKind // which of the common words it is

	parts  []part
	lit    string // the whole word, if isLit
	text   string // source, for messages
	braces *braces
	match  *Matcher // of AsPattern, of a constant
}

// Operand says whether a word is name=value behind the name of a declaration
// builtin: it is neither split nor a pattern, and has the tildes of an assignment.
type Operand uint8

// The kinds of operands: of no declaration, of one, of one in POSIX mode.
const (
	PlainOperand Operand = iota
	DeclaredOperand
	PosixOperand
)

// fastKind singles out the words that most commands consist of.
type fastKind uint8

const (
	fastNone  fastKind = iota
	fastVar            // $name
	fastQVar           // "$name"
	fastArith          // $((…)), quoted or not
	fastQList          // "$@" or "${a[@]}"
	fastPos            // $1, quoted or not
)

type partKind uint8

const (
	pLit partKind = iota
	pQuote
	pParam
	pCommand
	pProcess
	pArith
	pTilde
	pLeaf
	pError
)

// tildePlace tells where a tilde stands, which decides when it is expanded.
type tildePlace uint8

const (
	tildeStart       tildePlace = iota
	tildeEqual                  // after name= : in Fields
	tildeColon                  // after a colon : with Word.Assign
	tildeAssignColon            // after name=…: : in both
)

// part is a piece of a word.
type part struct {
	kind   partKind
	quoted bool        // by quotes or backslash: not split, no pattern
	meta   bool        // an unquoted pLit contains pattern characters
	single bool        // a pQuote in single quotes, which arithmetic does not take
	at     tildePlace  // pTilde
	leaf   int32       // pLeaf: number of an operand already expanded
	text   string      // pLit; the name of pTilde; the message of pError
	parts  []part      // pQuote
	par    *param      // pParam
	node   syntax.Node // pCommand, pProcess
	arith  *Arith      // pArith
}

// CompileWord reads the text of w. Brace expansion is prepared, too; only
// Fields performs it.
func CompileWord(src *Source, w *syntax.Word) *Word {
	out := src.room.NewWord()
	CompileInto(out, src, w)
	return out
}

// CompileInto is CompileWord into a zero Word.
func CompileInto(out *Word, src *Source, w *syntax.Word) {
	if len(w.Parts) == 0 {
		out.isLit = true
		return
	}
	CompileSpan(out, src, src.off(w.Pos()), min(src.off(w.End()), len(src.Text)), w)
}

// CompileSpan compiles the word between two offsets of src into a zero Word.
// Its command and process substitutions are among nodes or below them.
func CompileSpan(out *Word, src *Source, from, to int, nodes ...syntax.Node) {
	raw := src.Text[min(from, to):to]
	if plainText(raw) || raw == "[" {
		out.Plain(raw)
		return
	}
	text, cmds := src.cook(from, to, nodes...)
	out.compile(src.room, text, cmds)
	out.text = src.printed(from, to, cmds)
}

// printed is the text between two offsets as bash prints it.
func (src *Source) printed(from, to int, nodes []command) string {
	var b strings.Builder
	at := from
	for _, n := range nodes {
		lo, hi := src.off(n.node.Pos()), src.off(n.node.End())
		if n.show != "" && lo >= at && hi <= to {
			b.WriteString(Decode(src.Text[at:lo]) + n.show)
			at = hi
		}
	}
	if at == from {
		return Decode(src.Text[from:to])
	}
	b.WriteString(Decode(src.Text[at:to]))
	return b.String()
}

// Plain makes a zero Word the constant that it was written as. All of it is
// letters, digits and what PlainByte allows.
func (w *Word) Plain(text string) { w.text, w.lit, w.isLit = text, text, true }

// PlainByte reports whether c stands for itself wherever it is in a word of such characters.
func PlainByte(c byte) bool {
	if nameByte(c) {
		return true
	}
	switch c {
	case '.', '/', '-', '+', ',', ':', '%', '@', '^', '=', '!', ']':
		return true
	}
	return false
}

// CompilePrompt compiles a text made at run time by the rules of a
// here-document: quotes mean nothing, $ and backslash do. a is charged.
func CompilePrompt(a Account, text string) *Word {
	r := roomFor(a, text).reader(dropMarks(text), nil, 0)
	w := &Word{parts: r.word(modeHere)}
	w.finish()
	return w
}

// CompileText compiles a word from text made at run time, which contains no
// command substitution. a, which may be nil, is charged.
func CompileText(a Account, text string) *Word {
	w := &Word{}
	w.compile(roomFor(a, text), dropMarks(text), nil)
	w.text = text
	return w
}

func (w *Word) compile(m *Room, text string, nodes []command) {
	w.compileOne(m, text, nodes)
	if !w.isLit || strings.IndexByte(text, '{') >= 0 {
		if b := newBraces(m, text, nodes); b != nil {
			w.braces, w.isLit = b, false
		}
	}
}

func compileOne(text string, nodes []command) *Word {
	w := &Word{}
	w.compileOne(nil, text, nodes)
	return w
}

func (w *Word) compileOne(m *Room, text string, nodes []command) {
	r := m.reader(text, nodes, 0)
	w.parts = r.word(modeWord)
	w.open = r.open
	r.end()
	w.finish()
}

// CompileHereDoc compiles the body of a here-document. A body whose delimiter
// was quoted is a constant.
func CompileHereDoc(src *Source, r *syntax.Redirect) *Word {
	if r.Hdoc == nil || len(r.Hdoc.Parts) == 0 {
		return &Word{isLit: true}
	}
	delim := src.Text[min(src.off(r.Word.Pos()), len(src.Text)):min(src.off(r.Word.End()), len(src.Text))]
	_, quoted := HereDelim(delim)
	return CompileBody(src, BodyStart(src, r), src.off(r.Hdoc.End()), r.Op == syntax.DashHdoc, quoted, r.Hdoc)
}

// BodyStart gives the offset of a here-document's body. The parser begins it one
// behind where it does if it begins with a backslash and a newline.
func BodyStart(src *Source, r *syntax.Redirect) int {
	from := min(src.off(r.Hdoc.Pos()), len(src.Text))
	if from > 0 && src.Text[from-1] == '\\' {
		from--
	}
	return from
}

// CompileBody compiles the body of a here-document between two offsets of src,
// as far as its last newline. tabs at the beginning of lines may go; in a
// quoted one nothing is expanded.
func CompileBody(src *Source, from, to int, tabs, quoted bool, nodes ...syntax.Node) *Word {
	if from >= to {
		return &Word{isLit: true}
	}
	text, cmds := src.cook(from, to, nodes...)
	text = text[:strings.LastIndexByte(text, '\n')+1] // without the delimiter's line
	if tabs {
		text = stripTabs(text, quoted)
	}
	if quoted {
		return &Word{isLit: true, lit: text, parts: []part{{kind: pLit, quoted: true, text: text}}}
	}
	rd := src.room.reader(text, cmds, 0)
	w := src.room.NewWord()
	w.parts = rd.word(modeHere)
	rd.end()
	w.finish()
	return w
}

// stripTabs removes the tabs at the beginning of each line, however it is continued.
func stripTabs(s string, quoted bool) string {
	var b strings.Builder
	for len(s) > 0 {
		s = strings.TrimLeft(s, "\t")
		for !quoted && strings.HasPrefix(s, "\\\n") {
			s = strings.TrimLeft(s[2:], "\t")
		}
		n := HereLine(s, 0, quoted)
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String()
}

// finish computes what the fast paths ask.
func (w *Word) finish() {
	w.memo = partsNeed(w.parts)
	w.isLit, w.solid = true, true
	for i := range w.parts {
		p := &w.parts[i]
		w.solid = w.solid && (p.quoted || p.kind == pLit && !p.meta || p.kind == pTilde)
		switch {
		case p.kind == pLit:
		case p.kind == pQuote && len(p.parts) == 0:
		case p.kind == pQuote && len(p.parts) == 1 && p.parts[0].kind == pLit:
		default:
			w.isLit = false
		}
	}
	if w.isLit {
		w.constant()
		return
	}
	if len(w.parts) != 1 {
		return
	}
	p, quoted := &w.parts[0], false
	if p.kind == pQuote && len(p.parts) == 1 {
		p, quoted = &p.parts[0], true
	}
	switch {
	case p.kind == pArith:
		w.fast = fastArith
	case p.kind == pParam && quoted && p.par.plain():
		w.fast = fastQVar
	case p.kind == pParam && quoted && p.par.isList():
		w.fast = fastQList
	case p.kind == pParam && p.par.kind == parPos && p.par.op == opNone && p.par.sub == nil && !p.par.indirect:
		w.fast = fastPos
	case p.kind == pParam && p.par.plain():
		w.fast = fastVar
	}
}

// constant computes the value of a word of literals. It is none if it is a
// pattern.
func (w *Word) constant() {
	if len(w.parts) == 1 {
		p := &w.parts[0]
		if p.kind == pQuote && len(p.parts) == 1 {
			p = &p.parts[0]
		}
		w.isLit = p.kind == pQuote || p.quoted || !p.meta || !isPattern(p.text, ExtGlob)
		w.lit = p.text
		return
	}
	var b, pattern strings.Builder
	for _, p := range w.parts {
		if p.kind == pQuote {
			if len(p.parts) == 0 {
				continue
			}
			p = p.parts[0]
		}
		b.WriteString(p.text)
		if p.quoted {
			escapePattern(&pattern, p.text)
		} else {
			pattern.WriteString(p.text)
			w.isLit = w.isLit && !p.meta
		}
	}
	w.isLit = w.isLit || !isPattern(pattern.String(), ExtGlob)
	w.lit = b.String()
}

func partsNeed(ps []part) bool {
	for i := range ps {
		if ps[i].needs() {
			return true
		}
	}
	return false
}

func (p *part) needs() bool {
	switch p.kind {
	case pCommand, pProcess:
		return true
	case pQuote:
		return partsNeed(p.parts)
	case pArith:
		return p.arith.NeedsMemo()
	case pParam:
		return p.par.needs()
	}
	return false
}

// Unclosed reports whether a single quote inside ${ } is not closed, which the
// parser does not see: to bash the text ends too early.
func (w *Word) Unclosed() bool { return w.open }

// NeedsMemo reports whether w contains a command or process substitution,
// however deep.
func (w *Word) NeedsMemo() bool { return w.memo }

// Literal returns the constant value of a word without expansions, patterns
// and braces.
func (w *Word) Literal() (string, bool) { return w.lit, w.isLit }
