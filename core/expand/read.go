package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader takes a cooked text apart.
type reader struct {
	s         string
	i         int
	nodes     []command
	depth     int
	here      bool // in a here-document
	literal   bool // there, in an operand: $'…' means nothing, also in a pattern
	raw       bool // replacements in double quotes are read as bash 4.2 did
	open      bool // a single quote is not closed
	room      *Room
	skip      skipper // of s
	lastBrace int     // behind the last } of s; 0 before it is looked for
	stack     *[]part // of the words being read, the innermost last
}

// mode is the quoting context of the text being read.
type mode uint8

const (
	modeWord     mode = iota // unquoted
	modeDouble               // up to the closing double quote
	modeQDouble              // that, in "${…}": also \} is }
	modeHere                 // a here-document's body: all of it
	modeArith                // arithmetic: double quotes are dropped
	modeOperand              // in ${…}: unquoted, up to }
	modeQOperand             // in "${…}": as in double quotes, up to }
	modePattern              // first operand of ${x/…/…}: unquoted, up to / or }
	modeSub                  // a subscript: unquoted, no tilde
	modeRaw                  // replacement in "${…}" as bash 4.2 had it: quotes stand for themselves
)

func (m mode) quoted() bool {
	return m == modeDouble || m == modeQDouble || m == modeHere || m == modeArith || m == modeQOperand
}

// word reads parts up to the end of the context. A bad substitution is shown
// with all the text that bash expands together with it.
func (r *reader) word(m mode) []part {
	from := r.i
	parts := r.parts(m)
	for i := range parts {
		if p := parts[i].par; p != nil && (p.kind == parBad || p.op == opTransform && p.letter == badTransform) {
			p.text = r.shown(r.s[from:min(r.i, len(r.s))])
		}
	}
	return parts
}

func (r *reader) parts(m mode) []part {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		r.i = len(r.s)
		return []part{{kind: pError, text: "word", leaf: int32(Limit)}}
	}
	b := partsBuilder{r: r, mode: m, base: len(*r.stack)}
	r.here = r.here || m == modeHere
	single := false // between single quotes, which stay but hide a brace
	from := r.i
	if m == modeWord || m == modeOperand || m == modePattern {
		r.tilde(&b, tildeStart)
	}
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case c == mark:
			b.add(r.marked(m.quoted()))
		case c == '\\':
			r.backslash(&b, m)
		case c == '$':
			r.dollar(&b, m)
		case c == '"' && (m == modeDouble || m == modeQDouble):
			return b.done()
		case c == '"' && m == modeArith:
			r.i++
		case c == '"' && m != modeHere && m != modeRaw:
			r.i++
			inner := modeDouble
			if m == modeQOperand {
				inner = modeQDouble
			}
			b.add(part{kind: pQuote, quoted: true, parts: r.word(inner)})
			r.i++
		case c == '\'' && !m.quoted() && m != modeRaw:
			b.add(part{kind: pQuote, quoted: true, single: true, parts: r.single()})
		case c == '\'' && m == modeQOperand:
			if rest := r.s[r.i+1:]; !single {
				n := strings.IndexByte(rest, '\'')
				single = n >= 0 && r.braceBehind(r.i+1+n)
				r.open = r.open || n < 0
			} else {
				single = false
			}
			r.i++
			b.span(r.i-1, r.i, true)
		case c == '}' && !single && (m == modeOperand || m == modeQOperand || m == modePattern || m == modeRaw):
			return b.done()
		case c == '/' && m == modePattern && (r.i > from || from > 0 && r.s[from-1] != '/'): // ${x////-} replaces slashes
			return b.done()
		case c == '`':
			r.runtime(&b, m)
		case nameByte(c) || c == '.' || c == '-' || c == ' ':
			end := r.i + 1
			for end < len(r.s) && nameByte(r.s[end]) {
				end++
			}
			b.span(r.i, end, m.quoted())
			r.i = end
		default:
			r.i++
			b.span(r.i-1, r.i, m.quoted())
			switch {
			case m == modeOperand && c == ':':
				r.tilde(&b, tildeColon)
			case m != modeWord:
			case c == '=' && b.assignment():
				r.tilde(&b, tildeEqual)
			case c == ':' && b.assign:
				r.tilde(&b, tildeAssignColon)
			case c == ':':
				r.tilde(&b, tildeColon)
			}
		}
	}
	return b.done()
}

// braceBehind reports whether there is a } at an offset or behind it.
func (r *reader) braceBehind(at int) bool {
	if r.lastBrace == 0 {
		r.lastBrace = max(strings.LastIndexByte(r.s, '}')+1, 1)
	}
	return r.lastBrace > at
}

// partsBuilder joins literal bytes into parts, which stand on the reader's stack until all are there.
// A literal is a piece of the reader's text; one that is not as it stands there is put together in buf.
type partsBuilder struct {
	r        *reader
	mode     mode
	base     int // of its parts on the stack
	from, to int // the literal in the text, if buf is empty
	buf      []byte
	quoted   bool
	assign   bool // the word began with name=
	element  bool // with name[, which may be one's
	plain    bool // with neither
}

// span adds a piece of the reader's text.
func (b *partsBuilder) span(from, to int, quoted bool) {
	if b.quoted != quoted {
		b.flush()
	}
	b.quoted = quoted
	switch {
	case len(b.buf) > 0:
		b.buf = append(b.buf, b.r.s[from:to]...)
	case b.from == b.to:
		b.from, b.to = from, to
	case b.to == from:
		b.to = to
	default:
		b.buf = append(append(b.buf, b.r.s[b.from:b.to]...), b.r.s[from:to]...)
	}
}

// literal is what has been joined so far.
func (b *partsBuilder) literal() string {
	if len(b.buf) > 0 {
		return string(b.buf)
	}
	return b.r.s[b.from:b.to]
}

func (b *partsBuilder) flush() {
	if s := b.literal(); s != "" {
		*b.r.stack = append(*b.r.stack, part{kind: pLit, quoted: b.quoted, text: s, meta: hasMeta(s)})
		b.buf, b.from, b.to = b.buf[:0], 0, 0
	}
}

func (b *partsBuilder) add(p part) {
	b.flush()
	*b.r.stack = append(*b.r.stack, p)
}

// done takes the parts off the stack.
func (b *partsBuilder) done() []part {
	b.flush()
	read := (*b.r.stack)[b.base:]
	if len(read) == 0 {
		return nil
	}
	parts := b.r.room.some(len(read))
	copy(parts, read)
	clear(read)
	*b.r.stack = (*b.r.stack)[:b.base]
	return parts
}

// assignment reports, right after an =, whether it ends a name at the
// beginning of the word: then a tilde may follow.
func (b *partsBuilder) assignment() bool {
	if b.assign || b.plain || len(*b.r.stack) > b.base || b.quoted {
		return false
	}
	if !b.element {
		name := strings.TrimSuffix(strings.TrimSuffix(b.literal(), "="), "+")
		i := strings.IndexByte(name, '[')
		b.element = i > 0 && isName(name[:i])
		b.assign = !b.element && isName(name)
		b.plain = !b.element && !b.assign // and no = behind it makes one of it
	}
	if b.element {
		b.assign = b.ends("]=") || b.ends("]+=")
	}
	return b.assign
}

// ends reports whether the literal ends in a text.
func (b *partsBuilder) ends(with string) bool {
	if len(b.buf) > 0 {
		return strings.HasSuffix(string(b.buf[max(0, len(b.buf)-len(with)):]), with)
	}
	return strings.HasSuffix(b.r.s[b.from:b.to], with)
}

// hasMeta reports whether s may act as a pattern.
func hasMeta(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[', '\\', '(':
			return true
		}
	}
	return false
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !nameByte(c) || i == 0 && c <= '9' {
			return false
		}
	}
	return s != ""
}

func nameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func nameStart(c byte) bool { return nameByte(c) && (c < '0' || c > '9') }

// tilde reads ~user at the current position, if it is there unquoted.
func (r *reader) tilde(b *partsBuilder, at tildePlace) {
	if r.i >= len(r.s) || r.s[r.i] != '~' {
		return
	}
	end := r.i + 1
	for end < len(r.s) {
		c := r.s[end]
		if c == '/' || c == ':' || c == '}' && b.mode != modeWord {
			break
		}
		if strings.IndexByte("\\'\"$`\x00*?[", c) >= 0 {
			return
		}
		end++
	}
	b.add(part{kind: pTilde, text: r.s[r.i+1 : end], at: at})
	r.i = end
}

// marked reads the mark of a command.
func (r *reader) marked(quoted bool) part {
	n, end := markAt(r.s, r.i)
	r.i = end
	if n >= len(r.nodes) {
		return part{kind: pLeaf, leaf: int32(n), quoted: quoted}
	}
	kind := pCommand
	if _, ok := r.nodes[n].node.(*syntax.ProcSubst); ok {
		kind = pProcess
	}
	return part{kind: kind, node: r.nodes[n].node, quoted: quoted}
}

func (r *reader) backslash(b *partsBuilder, m mode) {
	r.i++
	if r.i == len(r.s) || r.s[r.i] == mark {
		b.span(r.i-1, r.i, true)
		return
	}
	c := r.s[r.i]
	r.i++
	if c == '\n' {
		return
	}
	switch m {
	case modeDouble, modeQDouble, modeHere, modeArith, modeQOperand, modeRaw:
		keep := c != '$' && c != '`' && c != '\\' &&
			!(c == '"' && m != modeHere) && !(c == '}' && (m == modeQOperand || m == modeQDouble))
		if keep {
			b.span(r.i-2, r.i-1, m != modeRaw)
		}
	}
	b.span(r.i-1, r.i, m != modeRaw)
}

// single reads '…'.
func (r *reader) single() []part {
	r.i++
	n := strings.IndexByte(r.s[r.i:], '\'')
	if n < 0 {
		n, r.open = len(r.s)-r.i, true
	}
	s := r.s[r.i : r.i+n]
	r.i = min(r.i+n+1, len(r.s))
	if s == "" {
		return nil
	}
	parts := r.room.some(1)
	parts[0] = part{kind: pLit, quoted: true, text: r.unmark(s)}
	return parts
}

// unmark puts back the source text of substitutions that the parser saw in
// what bash takes for quoted text.
func (r *reader) unmark(s string) string {
	return r.restored(s, func(c command) string { return Decode(c.text) })
}

// shown puts back substitutions as bash prints them, for messages.
func (r *reader) shown(s string) string { return r.restored(s, command.shown) }

func (r *reader) restored(s string, text func(command) string) string {
	i := strings.IndexByte(s, mark)
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0; i = strings.IndexByte(s, mark) {
		n, end := markAt(s, i)
		b.WriteString(s[:i])
		if n < len(r.nodes) {
			b.WriteString(text(r.nodes[n]))
		}
		s = s[end:]
	}
	b.WriteString(s)
	return b.String()
}

// markAt returns the number of the mark at i and the position after it.
func markAt(s string, i int) (n, end int) {
	for i++; i < len(s) && s[i] != ';'; i++ {
		if n < 1<<24 {
			n = n*10 + int(s[i]-'0')
		}
	}
	return n, min(i+1, len(s))
}

// dollar reads what begins with $.
func (r *reader) dollar(b *partsBuilder, m mode) {
	quoted := m.quoted()
	start := r.i
	r.i++
	if r.i == len(r.s) {
		b.span(start, start+1, quoted)
		return
	}
	switch c := r.s[r.i]; {
	case c == '{':
		b.add(r.brace(quoted))
	case c == '(' && r.i+1 < len(r.s) && r.s[r.i+1] == '(':
		if end, ok := r.skip.arith(r.i + 2); ok {
			a := newArith(r.room, r.s[r.i+2:end], r.nodes, r.depth)
			b.add(part{kind: pArith, arith: a, quoted: quoted})
			r.i = end + 2
			return
		}
		r.i = start
		r.runtime(b, m)
	case c == '(':
		r.i = start
		r.runtime(b, m)
	case c == '[':
		end, ok := r.skip.to(r.i + 1)
		if !ok {
			b.span(start, start+1, quoted)
			return
		}
		b.add(part{kind: pArith, arith: newArith(r.room, r.s[r.i+1:end], r.nodes, r.depth), quoted: quoted})
		r.i = end + 1
	case nameStart(c):
		end := r.i
		for end < len(r.s) && nameByte(r.s[end]) {
			end++
		}
		b.add(part{kind: pParam, quoted: quoted, par: r.room.param(param{name: r.s[r.i:end], kind: parVar})})
		r.i = end
	case c >= '0' && c <= '9':
		b.add(part{kind: pParam, quoted: quoted, par: r.room.param(param{name: r.s[r.i : r.i+1], kind: parPos, pos: int(c - '0')})})
		r.i++
	case strings.IndexByte("@*#?-$!", c) >= 0:
		b.add(part{kind: pParam, quoted: quoted, par: r.room.param(param{name: r.s[r.i : r.i+1], kind: parSpecial, here: r.here})})
		r.i++
	case c == '\'' && !r.literal && (!quoted || m == modeQOperand && !r.here):
		r.i++
		s, n := ansiC(r.s[r.i:])
		r.i += n
		var ps []part
		if s != "" {
			ps = []part{{kind: pLit, quoted: true, text: s}}
		}
		b.add(part{kind: pQuote, quoted: true, parts: ps})
	case c == '"' && (!quoted || m == modeQOperand && !r.here):
		// $"…" without a catalogue is "…"
	default:
		b.span(start, start+1, quoted)
	}
}
