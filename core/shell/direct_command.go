package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// command reads one command with its redirections. The statement begins at
// start, which is before a !.
func (d *direct) command(start, line int) (st *stmt, to int) {
	if d.count++; d.count%manyCommands == 0 {
		d.c.shelf.Took(manyCommands * commandBytes)
	}
	st = d.c.shelf.stmts.One()
	st.place = d.c.span(NStmt, start, 0)
	st.line, st.newline = line, true
	d.open = append(d.open, st)
	d.c.index(st)
	mark, base := len(d.late), line
	if d.at(0) == '(' {
		if d.at(1) == '(' {
			st.cmd = d.arithCommand()
			base = st.cmd.at().line
		} else {
			st.cmd = d.subshell()
		}
	} else {
		switch word := d.keyword(); word {
		case "":
			return st, d.plain(st)
		case "{":
			st.cmd = d.block()
		case "if":
			st.cmd = d.ifClause()
		case "while", "until":
			st.cmd = d.whileClause(word)
		case "for":
			st.cmd = d.forClause()
		case "case":
			st.cmd = d.caseClause()
			base = st.cmd.at().line
		case "[[":
			st.cmd = d.test()
			base = st.cmd.at().line
		case "function":
			st.cmd = d.function()
		default:
			d.fail()
		}
	}
	if d.bad {
		return st, 0
	}
	n := st.cmd
	d.c.index(n)
	to = int(n.at().addr.End)
	if _, ok := n.(*funcDecl); ok {
		d.afterBody()
	} else {
		late := len(d.late)
		if to = max(to, d.behind(st)); len(d.late) > late {
			d.fail() // they count from a line of their own
		}
	}
	d.lines(mark, base)
	st.addr.End = uint32(to)
	return st, to
}

// afterBody refuses what the parser would count to the body of a function.
func (d *direct) afterBody() {
	d.blank()
	switch c := d.at(0); {
	case c == '|', c == '<', c == '>', c == '&' && (d.at(1) == '&' || d.at(1) == '>'):
		d.fail()
	}
}

// behind reads the redirections behind a construct, and gives how far they reach.
func (d *direct) behind(st *stmt) int {
	base := len(d.redirs)
	var h head
	for {
		d.blank()
		from := d.i
		for d.at(0) >= '0' && d.at(0) <= '9' {
			d.i++
		}
		if !d.directs() {
			if d.i > from {
				d.fail()
			}
			break
		}
		d.redirect(&h, st, from)
	}
	st.redirs = d.redirList(base)
	return h.to
}

// begin is the place of a construct that begins here.
func (d *direct) begin(k NodeKind) place {
	p := d.c.span(k, d.i, d.i)
	p.line = d.now
	return p
}

func (d *direct) end(p *place) { p.addr.End = uint32(d.i) }

func (d *direct) arithCommand() node {
	a := &arithCmd{place: d.begin(NArith)}
	from, mark := d.i+2, len(d.nodes)
	d.i += 2
	if d.arith(); d.bad || strings.Trim(d.s[from:d.i], " \t\n") == "" {
		d.fail()
		return a
	}
	a.expr = expand.CompileArith(&d.c.src, from, d.i, d.nodes[mark:]...)
	d.release(mark)
	a.memo, a.line = a.expr.NeedsMemo(), d.now
	d.i += 2
	d.end(&a.place)
	d.base = a.line
	return a
}

func (d *direct) subshell() node {
	n, mark := &subshell{place: d.begin(NSub)}, len(d.open)
	d.i++
	n.body = d.body(")")
	n.last = d.now
	d.around(mark, n.last)
	d.end(&n.place)
	return n
}

func (d *direct) block() node {
	n := &block{place: d.begin(NBlock)}
	d.i++
	n.body = d.body("}")
	d.end(&n.place)
	return n
}

func (d *direct) ifClause() node {
	first := d.c.shelf.ifs.One()
	first.place = d.begin(NIf)
	d.i += len("if")
	all := []*ifClause{first}
	for at := first; !d.bad; {
		at.cond, at.then = d.body("then"), d.body("")
		word := d.keyword()
		if word == "elif" {
			next := d.c.shelf.ifs.One()
			next.place = d.begin(NIf)
			at.els, at = next, next
			all = append(all, next)
			d.c.index(next)
			d.i += len(word)
			continue
		}
		if word == "else" {
			d.i += len(word)
			at.els = d.body("")
		}
		break
	}
	d.expect("fi")
	for _, n := range all {
		d.end(&n.place)
	}
	return first
}

func (d *direct) whileClause(word string) node {
	n := &whileClause{place: d.begin(NWhile), until: word == "until"}
	d.i += len(word)
	n.cond, n.do = d.body("do"), d.body("done")
	d.end(&n.place)
	return n
}

func (d *direct) forClause() node {
	at := d.begin(NFor)
	d.i += len("for")
	d.blank()
	if d.at(0) == '(' && d.at(1) == '(' {
		at.addr.Kind = NCFor
		return d.cFor(at)
	}
	n := &forClause{place: at}
	from := d.i
	for nameByte(d.at(0)) {
		d.i++
	}
	if n.name = d.s[from:d.i]; !validName(n.name) || d.at(0) != 0 && !separates(d.at(0)) {
		d.fail()
		return n
	}
	mark := len(d.late)
	if d.blank(); d.at(0) == ';' {
		d.i++
		d.newlines()
	} else if d.newlines(); d.keyword() == "in" {
		n.in = true
		d.i += len("in")
		base := len(d.words)
		for d.blank(); d.i < len(d.s) && !separates(d.s[d.i]); d.blank() {
			d.words = append(d.words, d.word())
		}
		n.words, n.memo = d.wordList(base)
		switch d.at(0) {
		case ';':
			d.i++
			d.newlines()
		case '\n':
			d.newlines()
		default:
			d.fail()
		}
	}
	d.lines(mark, at.line)
	d.base = at.line
	d.expect("do")
	open := len(d.open)
	n.do = d.body("done")
	d.around(open, at.line)
	d.end(&n.place)
	return n
}

// cFor reads for (( from its parentheses on.
func (d *direct) cFor(at place) node {
	n := &cFor{place: at}
	d.i += 2
	var parts [3]*expand.Arith
	for k := range parts {
		from := d.i
		end := strings.IndexAny(d.s[from:], ";)\n")
		if end < 0 || (k < 2) != (d.s[from+end] == ';') || k == 2 && d.s[from+end] != ')' {
			d.fail()
			return n
		}
		text := d.s[from : from+end]
		d.i = from + end + 1
		trimmed := strings.TrimLeft(text, " \t")
		if trimmed == "" {
			continue
		}
		for i := range len(trimmed) {
			if c := trimmed[i]; !nameByte(c) && strings.IndexByte(" \t+-*/%<>=!,", c) < 0 {
				d.fail()
				return n
			}
		}
		from += len(text) - len(trimmed)
		parts[k] = expand.CompileArith(&d.c.src, from, from+len(trimmed))
	}
	n.init, n.cond, n.post = parts[0], parts[1], parts[2]
	d.expect(")")
	d.base = at.line
	if d.blank(); d.at(0) == ';' {
		d.i++
	}
	d.newlines()
	d.expect("do")
	d.cfor = at.line
	n.do = d.body("done")
	n.line = d.cfor
	d.end(&n.place)
	return n
}

func (d *direct) caseClause() node {
	k := &caseClause{place: d.begin(NCase)}
	d.i += len("case")
	d.blank()
	k.word = d.word()
	if d.bad {
		return k
	}
	k.memo, k.line, d.base = k.word.NeedsMemo(), d.now, d.now
	d.newlines()
	d.expect("in")
	d.newlines()
	base, open := len(d.arms), len(d.open)
	defer func() { d.around(open, k.line) }()
	for d.keyword() != "esac" && !d.bad {
		memo := false
		a := arm{}
		d.base = k.line
		a.patterns, memo = d.patterns()
		k.memo = k.memo || memo
		a.body = d.list()
		d.arms = append(d.arms, a)
		last := &d.arms[len(d.arms)-1]
		switch {
		case d.at(0) != ';' || d.at(1) != ';' && d.at(1) != '&':
			last.op = syntax.Break
			d.armsTo(k, base)
			return k
		case d.at(1) == '&':
			last.op = syntax.Fallthrough
			d.i += 2
		case d.at(2) == '&':
			last.op = syntax.Resume
			d.i += 3
		default:
			last.op = syntax.Break
			d.i += 2
		}
		d.newlines()
	}
	d.armsTo(k, base)
	return k
}

// armsTo ends a case and takes its arms off the stack.
func (d *direct) armsTo(k *caseClause, base int) {
	d.expect("esac")
	d.end(&k.place)
	k.arms = append([]arm{}, d.arms[base:]...)
	clear(d.arms[base:])
	d.arms = d.arms[:base]
}

// patterns reads those of an arm, up to the ).
func (d *direct) patterns() (all []*expand.Word, memo bool) {
	if d.at(0) == '(' {
		d.i++
		d.blank()
	}
	base, late := len(d.words), len(d.late)
	for !d.bad {
		w := d.word()
		if d.bad {
			return nil, false
		}
		w.AsPattern()
		d.words = append(d.words, w)
		if d.blank(); d.at(0) == ')' {
			break
		}
		if d.at(0) != '|' || d.at(1) == '|' || d.at(1) == '&' {
			d.fail()
			return nil, false
		}
		d.i++
		d.blank()
	}
	d.skip(1)
	d.lines(late, d.base)
	return d.wordList(base)
}

// wordList takes words off the stack; memo says that one holds a substitution.
func (d *direct) wordList(base int) (all []*expand.Word, memo bool) {
	all = taken(&d.words, base, &d.c.shelf.wordRefs)
	for _, w := range all {
		memo = memo || w.NeedsMemo()
	}
	return all, memo
}

// function reads one that begins with the word function.
func (d *direct) function() node {
	at := d.begin(NFunc)
	d.i += len("function")
	d.blank()
	from := d.i
	if !d.scan() || d.i == from {
		d.fail()
		return nil
	}
	name := d.s[from:d.i]
	if d.blank(); d.at(0) == '(' {
		d.i++
		d.blank()
		d.expect(")")
	}
	return d.declared(at, name)
}

// declared reads a function's body.
func (d *direct) declared(at place, name string) node {
	n := &funcDecl{place: at, name: name}
	d.newlines()
	if d.keyword() != "{" && (d.at(0) != '(' || d.at(1) == '(') {
		d.fail()
		return n
	}
	d.base = d.now
	var to int
	open := len(d.open)
	n.body, to = d.command(d.i, d.now)
	d.around(open, at.line)
	n.addr.End = uint32(to)
	return n
}
