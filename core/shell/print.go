package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// printer writes compiled commands as bash prints them from its parsed form:
// for declare -f, for BASH_COMMAND, and for $( ), which bash keeps as this text
// and reads again when it runs. It goes the way of bash's print_cmd.c, quirks
// included, as the line numbers in a substitution are those of this text.
type printer struct {
	b      strings.Builder
	depth  int      // of indentation
	skip   int      // indentations to leave out
	inFunc int      // function definitions around
	flat   bool     // each line is indented by one blank
	comsub bool     // a substitution: newlines between commands stay
	chain  int      // lists, && and pipelines around, which hold back here-documents
	docs   []*redir // here-documents held back
	hadDoc bool     // what was written last is a here-document

	lay   *layout // told of the lines, if not nil
	seen  int     // bytes whose newlines are counted
	lines int     // newlines among them
	cfor  int     // line of the last for ((
}

// FunctionText writes a function as declare -f does.
func FunctionText(fn *Function) string {
	pr := printer{}
	pr.write(fn.Name + " () \n")
	pr.function(fn.Body)
	pr.write("\n")
	return pr.b.String()
}

// functionValue writes a function as it stands in the environment: "() {  echo a;…".
func functionValue(fn *Function) string {
	pr := printer{flat: true, inFunc: 1}
	pr.write("() { ")
	b, group := fn.Body.cmd.(*block)
	if group {
		pr.list(b.body)
	} else {
		pr.stmt(fn.Body)
	}
	pr.connectAny()
	pr.write("\n}")
	if group && len(fn.Body.redirs) > 0 {
		pr.write(" ")
		pr.redirs(fn.Body.redirs)
	}
	return pr.b.String()
}

// at is how many newlines have been written.
func (pr *printer) at() int {
	text := pr.b.String()[pr.seen:]
	pr.lines += strings.Count(text, "\n")
	pr.seen += len(text)
	return pr.lines
}

func (pr *printer) write(s string) { pr.b.WriteString(s) }

// enter indents, unless the command goes on a line.
func (pr *printer) enter() {
	if pr.skip > 0 {
		pr.skip--
		return
	}
	pr.indent()
}

func (pr *printer) indent() {
	if pr.flat {
		pr.write(" ")
		return
	}
	for range pr.depth {
		pr.write("    ")
	}
}

func (pr *printer) newline(s string) {
	pr.write("\n")
	pr.indent()
	pr.write(s)
}

// semicolon ends a command that nothing has ended.
func (pr *printer) semicolon() {
	if s := pr.b.String(); s == "" || s[len(s)-1] != '&' && s[len(s)-1] != '\n' {
		pr.write(";")
	}
}

// connect writes what stands between two commands and the here-documents of the first.
func (pr *printer) connect(op string) {
	shown := op != "" && op != ";"
	if shown {
		pr.write(op)
	}
	if len(pr.docs) > 0 {
		docs := pr.docs
		pr.docs = nil
		pr.bodies(docs)
		if shown {
			pr.write(" ")
		}
		pr.hadDoc = true
	}
}

// bodies writes here-documents.
func (pr *printer) bodies(docs []*redir) {
	pr.write("\n")
	for _, d := range docs {
		body := d.body
		if d.op == syntax.DashHdoc {
			body = withoutTabs(body)
		}
		pr.write(body + d.delim + "\n")
	}
}

// withoutTabs takes off the tabs a line of a <<- document begins with.
func withoutTabs(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}

// list writes a list of commands, which may be empty.
func (pr *printer) list(l *list) {
	if len(l.stmts) == 0 {
		return
	}
	last := len(l.stmts) - 1
	if last == 0 && !l.stmts[0].background {
		pr.stmt(l.stmts[0])
		pr.read(l)
	} else {
		pr.enter()
		pr.skip++
		pr.chain++
		for i, s := range l.stmts {
			pr.stmt(s)
			if i > 0 && (!s.background || l.stmts[i-1].background || l.stmts[i-1].newline) {
				pr.connectAny()
			}
			if i == last || s.newline {
				pr.read(l)
			}
			switch {
			case s.background:
				pr.connect(" &")
				if i < last {
					pr.write(" ")
					pr.skip++
				}
			case i < last:
				pr.next(s.newline)
			}
		}
		pr.chain--
	}
	if pr.lay != nil {
		l.line = l.stmts[0].line
	}
}

// read tells that bash has read a line of a substitution.
func (pr *printer) read(l *list) {
	if pr.lay != nil && pr.lay.body == l {
		pr.lay.close(nil, pr.at())
	}
}

// next writes what ends a command that another one follows.
func (pr *printer) next(newline bool) {
	newline = newline && pr.comsub
	had := pr.hadDoc
	if len(pr.docs) > 0 {
		pr.connect(";")
		had = true
	} else {
		pr.hadDoc = false
	}
	switch {
	case had && newline && pr.inFunc == 0:
		pr.write("\n")
	case had:
	case newline:
		pr.write("\n")
	default:
		pr.write(";")
	}
	switch {
	case pr.inFunc > 0:
		pr.write("\n")
		return
	case !newline:
		pr.write(" ")
	}
	pr.skip++
}

func (pr *printer) stmt(s *stmt) {
	pr.enter()
	start := pr.at()
	cmd := s.cmd
	if t, ok := cmd.(*timeClause); ok {
		pr.write("time ")
		if t.posix {
			pr.write("-p ")
		}
		if s.negated {
			pr.write("! ")
		}
		pr.place(t, start)
		if t.body != nil {
			pr.skip++
			pr.stmt(t.body)
		}
	} else {
		if s.negated {
			pr.write("! ")
		}
		pr.command(s, start)
	}
	if len(s.redirs) > 0 {
		pr.write(" ")
		pr.redirs(s.redirs)
	}
	if pr.lay != nil {
		pr.lay.statement(s, start)
	}
}

// place tells the line of a node.
func (pr *printer) place(n node, line int) {
	if pr.lay != nil {
		n.at().line = pr.lay.base + line
	}
}

func (pr *printer) redirs(rs []*redir) {
	var docs []*redir
	pr.hadDoc = false
	for i, r := range rs {
		if i > 0 {
			pr.write(" ")
		}
		pr.redir(r)
		if r.op == syntax.Hdoc || r.op == syntax.DashHdoc {
			docs = append(docs, r)
		}
	}
	switch {
	case len(docs) == 0:
	case pr.chain > 0:
		pr.docs = docs
	default:
		pr.bodies(docs)
	}
}

func (pr *printer) redir(r *redir) {
	op := r.op.String()
	closes := r.op == syntax.DplOut || r.op == syntax.DplIn
	text := ""
	switch {
	case r.implied:
		text = "1"
	case r.word != nil:
		text = r.word.Text()
	}
	switch {
	case r.name != "":
		pr.write("{" + r.name + "}")
	case closes && (r.implied || r.toFD()):
		fd := r.fd
		if fd < 0 {
			fd = map[bool]int{true: 1, false: 0}[r.op == syntax.DplOut]
		}
		pr.write(itoa(fd))
	case r.fd < 0:
		if r.op == syntax.RdrInOut {
			pr.write("0")
		}
	case r.fd == 1 && op[0] == '>' && r.op != syntax.RdrInOut, r.fd == 0 && op[0] == '<' && r.op != syntax.RdrInOut, r.fd == 1 && r.op == syntax.RdrInOut:
	default:
		pr.write(itoa(r.fd))
	}
	switch {
	case r.op == syntax.Hdoc || r.op == syntax.DashHdoc:
		delim := r.delim
		if r.delim != r.quotedDelim {
			delim = "'" + strings.ReplaceAll(delim, "'", `'\''`) + "'"
		}
		pr.write(op + delim)
	case closes && text == "-":
		pr.write(">&-")
	case closes:
		pr.write(op + text)
	default:
		pr.write(op + " " + text)
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

// command writes the command of a statement, which begins on line start.
func (pr *printer) command(s *stmt, start int) {
	pr.place(s.cmd, start)
	switch x := s.cmd.(type) {
	case *simple:
		pr.simple(x)
	case *decl:
		pr.decl(x)
	case *arithCmd, *testCmd:
		pr.verbatim(x)
		pr.place(x, pr.at())
	case *ifClause:
		pr.ifClause(x)
	case *whileClause:
		pr.write(map[bool]string{false: "while ", true: "until "}[x.until])
		pr.skip++
		pr.list(x.cond)
		pr.connectAny()
		pr.semicolon()
		pr.write(" do\n")
		pr.deeper(x.do)
		pr.semicolon()
		pr.newline("done")
	case *forClause:
		pr.write(commandText(x) + ";")
		before := pr.lay.scope()
		pr.loop(x.do)
		pr.lay.close(before, start)
	case *cFor:
		pr.write("for ((" + arithText(x.init) + "; " + arithText(x.cond) + "; " + arithText(x.post) + "))")
		pr.cfor = start
		pr.loop(x.do)
		pr.place(x, pr.cfor)
	case *caseClause:
		pr.caseClause(x)
	case *andOr:
		pr.andOr(x)
	case *pipeline:
		pr.pipeline(x)
	case *subshell:
		before := pr.lay.scope()
		pr.write("( ")
		pr.skip++
		pr.list(x.body)
		pr.connectAny()
		pr.write(" )")
		pr.lay.close(before, pr.at())
		if pr.lay != nil {
			x.last = pr.lay.base + pr.at()
		}
	case *block:
		pr.block(x)
	case *funcDecl:
		pr.write("function " + x.name + " () \n")
		before := pr.lay.scope()
		pr.function(x.body)
		pr.lay.close(before, start)
	case *coproc:
		pr.write("coproc " + x.name + " ")
		pr.skip++
		pr.stmt(x.body)
	}
}

// connectAny writes the here-documents held back, if there are any.
func (pr *printer) connectAny() {
	if len(pr.docs) > 0 {
		pr.connect("")
	}
}

// deeper writes a list one level deeper.
func (pr *printer) deeper(l *list) {
	pr.depth++
	pr.list(l)
	pr.connectAny()
	pr.depth--
}

// loop writes the body of a for.
func (pr *printer) loop(do *list) {
	pr.newline("do\n")
	pr.depth++
	pr.list(do)
	pr.connectAny()
	pr.semicolon()
	pr.depth--
	pr.newline("done")
}

func arithText(a *expand.Arith) string {
	if a == nil {
		return "1"
	}
	return strings.TrimLeft(expand.Translated(a.Text()), " \t")
}

func (pr *printer) andOr(x *andOr) {
	pr.skip++
	pr.chain++
	for i, s := range x.stmts {
		pr.stmt(s)
		if i > 0 {
			pr.connectAny()
		}
		if i < len(x.and) {
			pr.connect(map[bool]string{true: " && ", false: " || "}[x.and[i]])
			pr.skip++
		}
	}
	pr.chain--
}

func (pr *printer) pipeline(x *pipeline) {
	pr.skip++
	pr.chain++
	for i, s := range x.stages {
		pr.stmt(s)
		if i < len(x.stages)-1 {
			pr.connect(" |")
			pr.write(" ")
			pr.skip++
		}
	}
	pr.connectAny()
	pr.chain--
}

// function writes the body of a function; one that is not a group is put into one.
func (pr *printer) function(body *stmt) {
	pr.indent()
	line := pr.at()
	pr.write("{ \n")
	pr.inFunc++
	pr.depth++
	b, group := body.cmd.(*block)
	if group {
		pr.place(b, line)
		pr.list(b.body)
	} else {
		pr.stmt(body)
	}
	pr.connectAny()
	pr.hadDoc = false
	pr.depth--
	pr.inFunc--
	pr.newline("}")
	if !group {
		return
	}
	if len(body.redirs) > 0 {
		pr.write(" ")
		pr.redirs(body.redirs)
	}
	if pr.lay != nil {
		pr.lay.statement(body, line)
	}
}

func (pr *printer) block(x *block) {
	pr.write("{ ")
	if pr.inFunc == 0 {
		pr.skip++
		pr.list(x.body)
		pr.connectAny()
		pr.semicolon()
		pr.write(" }")
		return
	}
	pr.write("\n")
	pr.deeper(x.body)
	pr.newline("}")
}

func (pr *printer) simple(x *simple) {
	var ends []int // lines that the assignments and words end on
	for _, a := range x.assigns {
		pr.write(map[bool]string{true: " ", false: ""}[len(ends) > 0] + a.text())
		ends = append(ends, pr.at())
	}
	for _, w := range x.words {
		pr.write(map[bool]string{true: " ", false: ""}[len(ends) > 0] + w.Text())
		ends = append(ends, pr.at())
	}
	pr.tail(x, ends, x.redirs, len(x.assigns) > 0)
	if x.keyword != nil {
		pr.place(x.keyword, x.line-pr.base())
	}
}

func (pr *printer) decl(x *decl) {
	pr.write(x.name)
	ends := []int{pr.at()}
	for _, a := range x.written {
		pr.write(" " + a.text())
		ends = append(ends, pr.at())
	}
	pr.tail(x, ends, x.redirs, false)
}

// tail writes the redirections of a simple command and tells its line: the
// parser has read its first assignment or redirection, or its first two words,
// when it makes it.
func (pr *printer) tail(n node, ends []int, rs []*redir, assigned bool) {
	line := pr.at()
	switch {
	case len(ends) > 1 && !assigned:
		line = ends[1]
	case len(ends) > 0 && (assigned || len(rs) == 0):
		line = ends[0]
	}
	if len(rs) > 0 {
		if len(ends) > 0 {
			pr.write(" ")
		}
		pr.redirs(rs)
	}
	pr.place(n, line)
}

func (pr *printer) base() int {
	if pr.lay == nil {
		return 0
	}
	return pr.lay.base
}

// text writes an assignment as it stood in the source, blanks in lists made single.
func (a *assign) text() string {
	if a.word != nil {
		return a.word.Text()
	}
	s := a.name
	if a.sub != nil {
		s += "[" + expand.Translated(a.sub.Text) + "]"
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
				t = "[" + e.sub.Text + map[bool]string{false: "]=", true: "]+="}[e.add]
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
	case *decl:
		pr.decl(x)
	case *forClause:
		kw := "for "
		if x.menu {
			kw = "select "
		}
		words := ` "$@"`
		if x.in {
			words = " " + wordsText(x.words)
		}
		return kw + x.name + " in" + words
	case *caseClause:
		return "case " + x.word.Text() + " in "
	case *subshell:
		pr.write("( ")
		pr.skip++
		pr.list(x.body)
		pr.connectAny()
		pr.write(" )")
	case *arithCmd, *testCmd:
		pr.verbatim(n)
	}
	return pr.b.String()
}

// verbatim writes what bash prints nearly as it stands.
func (pr *printer) verbatim(n node) {
	switch x := n.(type) {
	case *arithCmd:
		pr.write("((" + x.expr.Text() + "))")
	case *testCmd:
		pr.write("[[ " + testText(x.expr) + " ]]")
	}
}

func testText(x *testExpr) string {
	if x.parens > 0 {
		inner := *x
		inner.parens--
		return "( " + testText(&inner) + " )"
	}
	if x.not {
		inner := *x
		inner.not = false
		return "! " + testText(&inner)
	}
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
	pr.write("if ")
	pr.skip++
	pr.list(x.cond)
	pr.semicolon()
	pr.write(" then\n")
	pr.deeper(x.then)
	if x.els != nil {
		pr.semicolon()
		pr.newline("else\n")
		pr.depth++
		switch e := x.els.(type) {
		case *ifClause: // elif is an if inside else
			pr.enter()
			pr.place(e, pr.at())
			pr.ifClause(e)
		case *list:
			pr.list(e)
		}
		pr.connectAny()
		pr.depth--
	}
	pr.semicolon()
	pr.newline("fi")
}

func (pr *printer) caseClause(x *caseClause) {
	pr.write("case " + x.word.Text())
	line := pr.at()
	pr.place(x, line)
	before := pr.lay.scope()
	pr.write(" in ")
	pr.depth++
	for i := range x.arms {
		a := &x.arms[i]
		pr.newline("")
		for i, p := range a.patterns {
			if i > 0 {
				pr.write(" | ")
			}
			pr.write(p.Text())
		}
		pr.write(")\n")
		pr.deeper(a.body)
		pr.newline(a.op.String())
	}
	pr.depth--
	pr.newline("esac")
	pr.lay.close(before, line)
}
