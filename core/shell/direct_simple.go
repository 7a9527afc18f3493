package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// head is what of a simple command decides which line it counts to, see
// commandLine, and how far it reaches.
type head struct {
	items      int // assignments and words
	assigned   bool
	from, next int // of the first item and of the second, where they begin
	on, nextOn int // and the lines they end on
	end        int // of the last item
	to         int // of the last redirection, or of its here-document

	directed           bool
	redirAt            int // the first redirection
	redirOn, redirUpTo int // the lines it begins and ends on
}

// item notes an assignment or a word that began at from and has been read.
func (h *head) item(d *direct, from int, assigned bool) {
	switch h.items {
	case 0:
		h.from, h.on, h.assigned = from, d.now, assigned
	case 1:
		h.next, h.nextOn = from, d.now
	}
	h.items++
	h.end = d.i
}

// line is commandLine, for a statement that begins on the line start.
func (h *head) line(start int) int {
	second := h.items > 1 && !h.assigned
	switch {
	case h.items == 0 && !h.directed:
		return start
	case h.directed && (h.items == 0 || h.redirAt < h.from):
		return h.redirUpTo
	case h.assigned || !second && !h.directed:
		return h.on
	case h.directed && (!second || h.redirAt < h.next):
		return h.redirOn
	}
	return h.nextOn
}

// plain reads a simple command, or a declaration, or a function that begins
// with its name, and gives how far it reaches.
func (d *direct) plain(st *stmt) (to int) {
	var h head
	words, assigns, redirs, late := len(d.words), len(d.assigns), len(d.redirs), len(d.late)
	var set []*assign // words that are assignments after set -k
	kept, structured := 0, false
	for d.blank(); !d.endsCommand(); d.blank() {
		from, mark := d.i, len(d.nodes)
		if d.directs() {
			d.redirect(&h, st, from)
			continue
		}
		if d.s[from] == '(' {
			if h.items != 1 || h.assigned || h.directed {
				d.fail()
				return 0
			}
			d.words = d.words[:words]
			return d.named(st, h.end)
		}
		if len(d.words) == words {
			if a := d.assignment(); a != nil {
				structured = structured || a.list || a.sub != nil
				d.assigns = append(d.assigns, a)
				h.item(d, from, true)
				continue
			}
		}
		if h.items == 0 && h.directed {
			if word := d.keyword(); word != "" && word != "[[" && word != "!" { // these two are commands there, that are not found
				d.fail()
			}
		}
		plain := d.scan()
		if d.prefixes(from) {
			d.redirect(&h, st, from)
			continue
		}
		if plain && h.items == 0 && declares(d.s[from:d.i]) {
			if h.directed && !d.listAhead() { // the parser reads it as any other command
				d.fail()
			}
			h.item(d, from, false)
			return d.declaration(st, &h, redirs, late)
		}
		w, before := d.c.shelf.NewWord(), kept
		d.compileWord(w, from, mark, plain)
		if d.bad {
			return 0
		}
		kept = d.i
		if len(d.words) > words {
			if a := d.setting(from, mark); a != nil {
				set, kept = append(set, a), before
			}
		}
		d.release(mark)
		d.words = append(d.words, w)
		h.item(d, from, false)
	}
	if d.bad || h.items == 0 && !h.directed || structured && len(d.words) > words {
		d.fail()
		return 0
	}
	st.redirs = d.redirList(redirs)
	to = max(h.end, h.to)
	st.addr.End = uint32(to)
	if h.items > 0 {
		st.cmd = d.simple(&h, words, assigns, set, kept)
	}
	line := h.line(st.line)
	d.c.settle(st, line)
	d.lines(late, line)
	d.base = line
	return to
}

// simple makes a command of what is on the stacks.
func (d *direct) simple(h *head, words, assigns int, set []*assign, kept int) *simple {
	s := d.c.shelf.simples.One()
	s.place = d.c.span(NSimple, h.from, h.end)
	all := d.words[words:]
	s.assigns = d.assignList(assigns)
	for _, a := range s.assigns {
		s.arrays = s.arrays || a.needsMemo()
	}
	if set != nil {
		k := d.c.shelf.simples.One()
		k.place, k.assigns, k.arrays = d.c.span(NSimple, h.from, kept), s.assigns, s.arrays
		for i, w := range all {
			if i == 0 || !isSetting(w.Text()) {
				k.words = append(k.words, w)
				k.memo = k.memo || w.NeedsMemo()
			}
		}
		k.fix()
		k.assigns = append(k.assigns[:len(k.assigns):len(k.assigns)], set...)
		for _, a := range set {
			k.arrays = k.arrays || a.needsMemo()
		}
		k.plain, k.bare, k.temp = false, false, false
		d.c.index(k)
		s.keyword = k
	}
	s.words, s.memo = d.wordList(words)
	s.fix()
	d.c.index(s)
	return s
}

// endsCommand reports whether a simple command ends here.
func (d *direct) endsCommand() bool {
	switch d.at(0) {
	case 0, '\n', ';', '|', ')':
		return true
	case '&':
		return d.at(1) != '>'
	}
	return false
}

// declares reports whether a word makes its operands assignments.
func declares(word string) bool {
	switch word {
	case "declare", "local", "export", "readonly", "typeset":
		return true
	}
	return false
}

// named reads the rest of name() and the function's body.
func (d *direct) named(st *stmt, end int) int {
	name := d.s[st.addr.Start:end]
	for i := range len(name) {
		if !expand.PlainByte(name[i]) || strings.IndexByte("=!]", name[i]) >= 0 {
			d.fail()
			return 0
		}
	}
	d.i++
	d.blank()
	d.expect(")")
	at := d.c.span(NFunc, int(st.addr.Start), 0)
	at.line = st.line
	n := d.declared(at, name)
	if d.bad {
		return 0
	}
	d.c.index(n)
	st.cmd, st.addr.End = n, n.at().addr.End
	d.afterBody()
	return int(st.addr.End)
}

// listAhead reports whether an operand in the rest of the line may be a list.
func (d *direct) listAhead() bool { return strings.Contains(d.s[d.i:lineEnd(d.s, d.i)], "=(") }

// declaration reads the operands of declare and its like. Redirections that
// stand before it are on the stack from redirs on.
func (d *direct) declaration(st *stmt, h *head, redirs, late int) (to int) {
	n := d.c.shelf.decls.One()
	n.name = d.s[h.from:d.i]
	assigns, led := len(d.assigns), h.directed
	for d.blank(); !d.endsCommand(); d.blank() {
		from, mark := d.i, len(d.nodes)
		if d.directs() {
			d.redirect(h, st, from)
			continue
		}
		a := d.assignment()
		if a == nil {
			d.scan()
			if d.prefixes(from) {
				d.redirect(h, st, from)
				continue
			}
			a = d.c.shelf.assigns.One()
			a.naked = true
			if text := d.s[from:d.i]; validName(text) {
				a.name = text
			} else {
				a.word = d.c.shelf.NewWord()
				d.compileWord(a.word, from, mark, false)
				if assignsBadly(text) {
					d.fail()
				}
			}
			d.release(mark)
		}
		if d.bad || h.directed && !led {
			d.fail()
			return 0
		}
		d.assigns = append(d.assigns, a)
		h.item(d, from, false)
	}
	if d.bad {
		return 0
	}
	n.place = d.c.span(NDecl, h.from, h.end)
	n.args = d.assignList(assigns)
	for _, a := range n.args {
		n.memo = n.memo || a.needsMemo()
	}
	n.finish()
	st.redirs = d.redirList(redirs)
	to = max(h.end, h.to)
	st.addr.End = uint32(to)
	line := h.line(st.line)
	d.c.index(n)
	st.cmd = n
	d.c.settle(st, line)
	d.lines(late, line)
	d.base = line
	return to
}

// assignsBadly reports whether the parser would take an operand for an assignment to what is no name.
func assignsBadly(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '=':
			return true
		case '\'', '"', '$':
			return false
		}
	}
	return false
}

// assignment reads NAME=value, NAME+=value, NAME[subscript]=value or
// NAME=(words), or gives nil where none of these begins.
func (d *direct) assignment() *assign {
	from, j := d.i, d.i
	for j < len(d.s) && nameByte(d.s[j]) {
		j++
	}
	if j == from || j == len(d.s) || d.s[from] <= '9' {
		return nil
	}
	a := (*assign)(nil)
	name, at := d.s[from:j], j
	if d.s[j] == '[' {
		for j++; j < len(d.s) && (nameByte(d.s[j]) || d.s[j] == '$'); {
			j++
		}
		if j == at+1 || j+1 >= len(d.s) || d.s[j] != ']' || d.s[j-1] == '$' || d.s[j+1] != '=' && d.s[j+1] != '+' {
			d.fail()
			return nil
		}
		a = d.c.shelf.assigns.One()
		a.sub = expand.CompileSub(&d.c.src, at+1, j)
		j++
	}
	add := d.s[j] == '+' && j+1 < len(d.s) && d.s[j+1] == '='
	if add {
		j++
	}
	if d.s[j] != '=' {
		if a != nil {
			d.fail()
		}
		return nil
	}
	if a == nil {
		a = d.c.shelf.assigns.One()
	}
	a.name, a.add = name, add
	d.i = j + 1
	switch {
	case d.at(0) == '(' && a.sub == nil:
		d.array(a)
	case d.i == len(d.s) || separates(d.s[d.i]):
		if a.add || a.sub != nil || d.at(0) == '(' {
			d.fail()
		}
	default:
		a.value = d.word()
		a.value.Assign = true
	}
	return a
}

// array reads the words of a list.
func (d *direct) array(a *assign) {
	a.list = true
	base := len(d.words)
	d.i++
	for !d.bad {
		if d.newlines(); d.at(0) == ')' {
			break
		}
		if d.at(0) == '[' {
			d.fail()
			return
		}
		d.words = append(d.words, d.word())
	}
	d.skip(1)
	if d.i < len(d.s) && !separates(d.s[d.i]) || d.at(0) == '(' || d.docNext > 0 {
		d.fail()
	}
	all := d.words[base:]
	a.array, a.words = make([]element, len(all)), make([]*expand.Word, len(all))
	for i, w := range all {
		a.array[i].value, a.words[i] = w, w
	}
	clear(all)
	d.words = d.words[:base]
}

// assignList takes assignments off the stack.
func (d *direct) assignList(base int) []*assign { return taken(&d.assigns, base, &d.c.shelf.assigned) }

// isSetting reports whether a word begins with NAME= or NAME+=.
func isSetting(text string) bool { return settingValue(text) > 0 }

// settingValue is the offset behind NAME= or NAME+=, 0 if a word does not begin so.
func settingValue(text string) int {
	i := 0
	for i < len(text) && nameByte(text[i]) {
		i++
	}
	if i == 0 || i == len(text) || text[0] <= '9' {
		return 0
	}
	if text[i] == '+' {
		i++
	}
	if i == len(text) || text[i] != '=' {
		return 0
	}
	return i + 1
}

// setting is what set -k makes of the word that has just been read.
func (d *direct) setting(from, mark int) *assign {
	n := settingValue(d.s[from:d.i])
	if n == 0 {
		return nil
	}
	a := &assign{add: d.s[from+n-2] == '+'}
	a.name = d.s[from : from+n-1]
	if a.add {
		a.name = a.name[:len(a.name)-1]
	}
	if from+n < d.i {
		a.value = d.c.shelf.NewWord()
		d.compileWord(a.value, from+n, mark, false)
		a.value.Assign = true
	}
	return a
}
