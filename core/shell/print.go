package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// functionText writes a function as declare -f does: bash prints commands from
// its parsed form, in a layout of its own.
func functionText(fn *Function) string {
	pr := printer{}
	pr.b.WriteString(fn.Name + " () \n")
	pr.function(fn.Body)
	pr.hereDocs()
	pr.b.WriteByte('\n')
	return pr.b.String()
}

// printer writes compiled commands as source text.
type printer struct {
	b     strings.Builder
	depth int
	docs  []*redir
}

func (pr *printer) indent() { pr.b.WriteString(strings.Repeat("    ", pr.depth)) }

// function writes a body; one that is not a group is put into one.
func (pr *printer) function(body *stmt) {
	if b, ok := body.cmd.(*block); ok {
		pr.group(b.body)
	} else {
		l := &list{stmts: []*stmt{body}}
		if len(body.redirs) > 0 {
			copied := *body
			copied.redirs = nil
			l.stmts[0] = &copied
		}
		pr.group(l)
	}
	pr.redirs(body.redirs)
}

func (pr *printer) group(l *list) {
	pr.indent()
	pr.b.WriteString("{ \n")
	pr.depth++
	pr.list(l, "")
	pr.depth--
	pr.b.WriteByte('\n')
	pr.indent()
	pr.b.WriteByte('}')
}

// list writes statements one a line; end is written after the last.
func (pr *printer) list(l *list, end string) {
	for i, s := range l.stmts {
		if i == 0 || !l.stmts[i-1].background || len(pr.docs) > 0 {
			pr.indent()
		}
		pr.stmt(s)
		sep := ";"
		if s.background {
			sep = " &"
		}
		last := i == len(l.stmts)-1
		switch {
		case len(pr.docs) > 0:
			if !last || end != "" || s.background {
				if s.background {
					pr.b.WriteString(sep)
				}
			}
			pr.b.WriteByte('\n')
			pr.hereDocs()
			if !last {
				continue
			}
		case !last && s.background:
			pr.b.WriteString(sep + " ")
		case !last:
			pr.b.WriteString(sep + "\n")
		case s.background:
			pr.b.WriteString(sep)
			if end != "" {
				pr.b.WriteByte('\n')
			}
		default:
			pr.b.WriteString(end)
			if end != "" {
				pr.b.WriteByte('\n')
			}
		}
	}
}

// hereDocs writes the bodies of the documents opened on the line before.
func (pr *printer) hereDocs() {
	for _, d := range pr.docs {
		pr.b.WriteString(d.body + d.delim + "\n")
	}
	pr.docs = nil
}

func (pr *printer) stmt(s *stmt) {
	if s.negated {
		pr.b.WriteString("! ")
	}
	pr.command(s.cmd)
	pr.redirs(s.redirs)
}

func (pr *printer) redirs(rs []*redir) {
	for _, r := range rs {
		if !r.implied {
			pr.b.WriteByte(' ')
			pr.redir(r)
		}
	}
}

func (pr *printer) redir(r *redir) {
	op := r.op.String()
	if r.name != "" {
		pr.b.WriteString("{" + r.name + "}")
	} else if r.fd >= 0 && !(op == ">" && r.fd == 1 || op == "<" && r.fd == 0) {
		pr.b.WriteString(itoa(r.fd))
	} else if op == ">&" && r.fd < 0 && r.toFD() {
		pr.b.WriteString("1")
	} else if op == "<&" && r.fd < 0 {
		pr.b.WriteString("0")
	}
	switch op {
	case "<<", "<<-":
		pr.b.WriteString(op + r.quotedDelim)
		pr.docs = append(pr.docs, r)
	case ">&", "<&":
		pr.b.WriteString(op + r.word.Text())
	default:
		pr.b.WriteString(op + " " + r.word.Text())
	}
}

// toFD reports whether the target of >& is a descriptor.
func (r *redir) toFD() bool {
	_, ok := number(strings.TrimSuffix(r.word.Text(), "-"))
	return ok || r.word.Text() == "-"
}

func wordsText(ws []*expand.Word) string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.Text()
	}
	return strings.Join(out, " ")
}

func (pr *printer) block(l *list, open, close string) {
	pr.b.WriteString(open + "\n")
	pr.depth++
	pr.list(l, ";")
	pr.depth--
	pr.indent()
	pr.b.WriteString(close)
}

// inline writes a list on one line, as the condition of if and while.
func (pr *printer) inline(l *list) {
	for i, s := range l.stmts {
		if i > 0 {
			pr.b.WriteByte(' ')
		}
		pr.stmt(s)
		if s.background {
			pr.b.WriteString(" &")
		} else if i < len(l.stmts)-1 {
			pr.b.WriteByte(';')
		}
	}
}

func (pr *printer) command(n node) {
	switch x := n.(type) {
	case *simple:
		pr.simple(x)
	case *decl, *arithCmd, *testCmd:
		pr.verbatim(x)
	case *ifClause:
		pr.b.WriteString("if ")
		pr.ifClause(x)
	case *whileClause:
		kw := "while "
		if x.until {
			kw = "until "
		}
		pr.b.WriteString(kw)
		pr.inline(x.cond)
		pr.b.WriteString("; ")
		pr.block(x.do, "do", "done")
	case *forClause:
		kw := "for "
		if x.menu {
			kw = "select "
		}
		words := ` "$@"`
		if x.in {
			words = " " + wordsText(x.words)
			if len(x.words) == 0 {
				words = " "
			}
		}
		pr.b.WriteString(kw + x.name + " in" + words + ";\n")
		pr.indent()
		pr.block(x.do, "do", "done")
	case *cFor:
		text := func(a *expand.Arith) string {
			if a == nil {
				return "1"
			}
			return strings.TrimSpace(a.Text())
		}
		pr.b.WriteString("for ((" + text(x.init) + "; " + text(x.cond) + "; " + text(x.post) + "))\n")
		pr.indent()
		pr.block(x.do, "do", "done")
	case *caseClause:
		pr.caseClause(x)
	case *andOr:
		for i, s := range x.stmts {
			if i > 0 {
				pr.b.WriteString(map[bool]string{true: " && ", false: " || "}[x.and[i-1]])
			}
			pr.stmt(s)
		}
	case *pipeline:
		for i, s := range x.stages {
			if i > 0 {
				pr.b.WriteString(map[bool]string{true: " 2>&1 | ", false: " | "}[x.errs[i-1]])
			}
			pr.stmt(s)
		}
	case *subshell:
		pr.b.WriteString("( ")
		pr.sublist(x.body)
		pr.b.WriteString(" )")
	case *block:
		pr.b.WriteString("{ \n")
		pr.depth++
		pr.list(x.body, "")
		pr.depth--
		pr.b.WriteByte('\n')
		pr.indent()
		pr.b.WriteByte('}')
	case *funcDecl:
		pr.b.WriteString("function " + x.name + " () \n")
		pr.function(x.body)
	case *timeClause:
		pr.b.WriteString("time ")
		if x.posix {
			pr.b.WriteString("-p ")
		}
		if x.body != nil {
			pr.stmt(x.body)
		}
	case *coproc:
		pr.b.WriteString("coproc " + x.name + " ")
		pr.stmt(x.body)
	}
}

// sublist writes the body of a subshell: on one line, further statements on lines of their own.
func (pr *printer) sublist(l *list) {
	for i, s := range l.stmts {
		if i > 0 {
			pr.indent()
		}
		pr.stmt(s)
		if s.background {
			pr.b.WriteString(" &")
		}
		if i < len(l.stmts)-1 {
			if !s.background {
				pr.b.WriteByte(';')
			}
			pr.b.WriteByte('\n')
		}
	}
}

func (pr *printer) simple(x *simple) {
	var parts []string
	for _, a := range x.assigns {
		parts = append(parts, a.text())
	}
	if len(x.words) > 0 {
		parts = append(parts, wordsText(x.words))
	}
	pr.b.WriteString(strings.Join(parts, " "))
	for i, r := range x.redirs {
		if r.implied {
			continue
		}
		if i > 0 || len(parts) > 0 {
			pr.b.WriteByte(' ')
		}
		pr.redir(r)
	}
}

// text writes an assignment as it stood in the source, blanks in lists made single.
func (a *assign) text() string {
	if a.word != nil {
		return a.word.Text()
	}
	s := a.name
	if a.sub != nil {
		s += "[" + a.sub.Text + "]"
	}
	if a.naked {
		return s
	}
	if a.add {
		s += "+"
	}
	s += "="
	if a.list {
		var el []string
		for _, e := range a.array {
			t := ""
			if e.sub != nil {
				t = "[" + e.sub.Text + "]="
			}
			if e.value != nil {
				t += e.value.Text()
			}
			el = append(el, t)
		}
		return s + "(" + strings.Join(el, " ") + ")"
	}
	if a.value != nil {
		s += a.value.Text()
	}
	return s
}

// commandText is a command as BASH_COMMAND shows it: of a loop its head.
func commandText(n node) string {
	pr := &printer{}
	switch x := n.(type) {
	case *simple:
		pr.simple(x)
	case *forClause:
		kw := "for "
		if x.menu {
			kw = "select "
		}
		words := ` in "$@"`
		if x.in {
			words = " in " + wordsText(x.words)
		}
		return kw + x.name + words
	case *caseClause:
		return "case " + x.word.Text() + " in "
	case *subshell:
		return "( " + strings.TrimSpace(strings.Trim(x.text(), "()")) + " )"
	case *decl, *arithCmd, *testCmd:
		pr.verbatim(n)
	}
	return pr.b.String()
}

// verbatim writes what bash prints nearly as it stands.
func (pr *printer) verbatim(n node) {
	switch x := n.(type) {
	case *decl:
		parts := []string{x.name}
		for _, a := range x.args {
			parts = append(parts, a.text())
		}
		pr.b.WriteString(strings.Join(parts, " "))
		pr.redirs(x.redirs)
	case *arithCmd:
		pr.b.WriteString("((" + x.expr.Text() + "))")
	case *testCmd:
		pr.b.WriteString("[[ " + testText(x.expr) + " ]]")
	}
}

func testText(x *testExpr) string {
	switch {
	case x.op == "&&" || x.op == "||":
		return testText(x.x) + " " + x.op + " " + testText(x.y)
	case x.op == "!" && x.x != nil:
		return "! " + testText(x.x)
	case x.with != nil:
		return x.word.Text() + " " + x.op + " " + x.with.Text()
	case x.op == "":
		return "-n " + x.word.Text()
	}
	return x.op + " " + x.word.Text()
}

func (pr *printer) ifClause(x *ifClause) {
	pr.inline(x.cond)
	pr.b.WriteString("; then\n")
	pr.depth++
	pr.list(x.then, ";")
	pr.depth--
	switch e := x.els.(type) {
	case *ifClause: // bash prints elif as an if inside else
		pr.indent()
		pr.b.WriteString("else\n")
		pr.depth++
		pr.indent()
		pr.b.WriteString("if ")
		pr.ifClause(e)
		pr.b.WriteString(";\n")
		pr.depth--
	case *list:
		pr.indent()
		pr.b.WriteString("else\n")
		pr.depth++
		pr.list(e, ";")
		pr.depth--
	}
	pr.indent()
	pr.b.WriteString("fi")
}

func (pr *printer) caseClause(x *caseClause) {
	pr.b.WriteString("case " + x.word.Text() + " in \n")
	pr.depth++
	for _, a := range x.arms {
		pr.indent()
		pats := make([]string, len(a.patterns))
		for i, p := range a.patterns {
			pats[i] = p.Text()
		}
		pr.b.WriteString(strings.Join(pats, " | ") + ")\n")
		pr.depth++
		pr.list(a.body, "")
		pr.depth--
		pr.b.WriteByte('\n')
		pr.indent()
		op := a.op.String()
		pr.b.WriteString(op + "\n")
	}
	pr.depth--
	pr.indent()
	pr.b.WriteString("esac")
}
