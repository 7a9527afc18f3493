package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bash keeps $( ), <( ) and >( ) as the text it prints for the commands in
// them, and reads that text when it runs them: the line numbers inside are
// those of the printed text, counted from the line of the command around it. A
// body in backquotes or in a here-document is read as it stands.

// inner is a substitution while the unit is compiled.
type inner struct {
	body     *list
	printed  bool // its lines are those of the printed text
	base     int  // line of the command around it that its own are counted from
	from, to int  // its nodes among the addressed ones

	redirected bool // it stands in a redirection
}

// layout gives the nodes of a printed substitution their lines.
type layout struct {
	base int
	c    *compiler
	body *list
	open []*stmt // statements whose line around is not known yet
}

// statement places a statement that was printed from line start on, and the substitutions in it.
func (lay *layout) statement(s *stmt, start int) {
	s.line = lay.base + start
	if s.alone != nil {
		s.alone.line, s.alone.stmts[0].line = s.line, s.line
	}
	for _, in := range lay.c.owned[s] {
		if !in.redirected {
			lay.c.move(in, s.commandLine())
		}
	}
	lay.open = append(lay.open, s)
}

// scope begins what has a line of its own for the statements in it; close ends it.
func (lay *layout) scope() (before []*stmt) {
	if lay == nil {
		return nil
	}
	before, lay.open = lay.open, nil
	return before
}

func (lay *layout) close(before []*stmt, line int) {
	if lay == nil {
		return
	}
	for _, s := range lay.open {
		s.around(lay.base + line)
		for _, in := range lay.c.owned[s] {
			if in.redirected {
				lay.c.move(in, s.redirLine())
			}
		}
	}
	lay.open = before
}

// around tells a statement on which line bash is before it begins: that of the
// construct around it, or the last one read.
func (s *stmt) around(line int) {
	s.outer = line
	switch x := s.cmd.(type) {
	case *forClause:
		x.outer = line
	case *subshell:
		s.outer = x.last
	}
	if s.alone != nil {
		s.alone.stmts[0].outer = s.outer
	}
}

// redirLine is the line that substitutions in redirections count from.
func (s *stmt) redirLine() int {
	if s.bare() {
		return s.commandLine()
	}
	return s.outer
}

// bare reports whether redirections belong to the command itself.
func (s *stmt) bare() bool {
	switch s.cmd.(type) {
	case *simple, *decl:
		return true
	}
	return false
}

// commandLine is the line that substitutions in a statement count from.
func (s *stmt) commandLine() int {
	switch s.cmd.(type) {
	case *simple, *decl, *caseClause, *arithCmd, *testCmd:
		return s.cmd.at().line
	}
	return s.line
}

// move gives a substitution the line it counts from.
func (c *compiler) move(in *inner, base int) {
	if in.printed {
		in.base = base
		pr := printer{comsub: true, lay: &layout{base: base, c: c, body: in.body}}
		pr.list(in.body)
		return
	}
	by := base - in.base
	in.base = base
	if by == 0 {
		return
	}
	for _, a := range c.shelf.addressed[in.from:in.to] {
		a.node.at().line += by
		follow(a.node, by)
	}
}

// follow moves what else of a node is a line.
func follow(n node, by int) {
	switch n := n.(type) {
	case *stmt:
		n.outer += by
	case *forClause:
		n.outer += by
	case *subshell:
		n.last += by
	}
}

// show notes the text that bash prints for a substitution.
func (c *compiler) show(n syntax.Node, body *list, left string) string {
	pr := printer{comsub: true}
	pr.list(body)
	pr.connectAny()
	text := pr.b.String()
	if strings.HasPrefix(text, "(") {
		text = " " + text
	}
	if c.src.Shown == nil {
		c.src.Shown = map[syntax.Node]string{}
	}
	c.src.Shown[n] = left + text + ")"
	return text
}

// substitution compiles the body of a substitution.
func (c *compiler) substitution(n syntax.Node, body []*syntax.Stmt) {
	saved := c.surroundings
	left, raw := "$(", c.verbatim
	switch x := n.(type) {
	case *syntax.CmdSubst:
		raw = raw || x.Backquotes
	case *syntax.ProcSubst:
		left = x.Op.String()
	}
	if from := c.off(n.Pos()); strings.HasPrefix(c.u.Text[min(from+1, len(c.u.Text)):], "((") { // bash reads it as an expression, and finds out later
		raw = true
	}
	from := c.line(n)
	if !raw && len(body) > 0 {
		from = c.line(body[0])
	}
	c.shift += c.base - from
	in := &inner{base: c.base, from: len(c.shelf.addressed), redirected: c.redirected}
	c.verbatim, c.within, c.redirected = false, !raw, false
	in.body = c.top(body, c.off(n.Pos()), c.off(n.End()))
	in.to = len(c.shelf.addressed)
	c.surroundings = saved
	c.u.subst[n] = in.body
	if !raw && !c.printsAsIs(n, body) {
		in.printed = true
		c.show(n, in.body, left)
		if !c.within {
			c.move(in, c.base)
		}
	}
	if c.within {
		if c.owned == nil {
			c.owned = map[*stmt][]*inner{}
		}
		c.owned[c.owner] = append(c.owned[c.owner], in)
	}
}

// printsAsIs reports whether a substitution is a command of plain words on one
// line, as most are: bash prints it as it stands.
func (c *compiler) printsAsIs(n syntax.Node, body []*syntax.Stmt) bool {
	text := c.u.Text[min(c.off(n.Pos()), len(c.u.Text)):min(c.off(n.End()), len(c.u.Text))]
	if len(body) == 1 {
		s := body[0]
		if _, ok := s.Cmd.(*syntax.CallExpr); !ok || len(s.Redirs) > 0 || s.Negated || s.Background || s.Semicolon.IsValid() {
			return false
		}
	}
	return len(body) <= 1 && plainSubstitution(text)
}

// plainBody is what printsAsIs asks of compiled commands.
func plainBody(l *list) bool {
	if len(l.stmts) == 0 {
		return true
	}
	s := l.stmts[0]
	c, ok := s.cmd.(*simple)
	return ok && len(c.redirs) == 0 && !s.negated && !s.background && s.newline
}

// plainSubstitution reports whether a substitution is words on a line with one blank between them.
func plainSubstitution(text string) bool {
	if len(text) < 3 {
		return false
	}
	text = text[2 : len(text)-1]
	if text == "" {
		return true
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n', '\t', '\\', '\'', '(', '`', '#', '[':
			return false
		case ' ':
			if text[i-1] == ' ' {
				return false
			}
		case '"':
			if i > 0 && text[i-1] == '$' {
				return false
			}
		}
	}
	return true
}

// top compiles the body of a substitution. bash reads it line by line: what
// stands on one line has its end before it.
func (c *compiler) top(body []*syntax.Stmt, start, end int) *list {
	l := c.newList(body, start, end)
	for i, first := 0, 0; i < len(body); i++ {
		if i == first {
			last := i
			for last+1 < len(body) && body[last+1].Pos().Line() == body[last].End().Line() {
				last++
			}
			c.outer = c.last(body[last])
			first = last + 1
		}
		l.stmts[i] = c.stmt(body[i])
	}
	return l
}

// commandLine is the line bash counts a command to. The parser has read the
// first assignment or redirection of a simple command, or its first two words,
// when it makes it.
func (c *compiler) commandLine(s *syntax.Stmt) int {
	switch x := s.Cmd.(type) {
	case *syntax.ArithmCmd, *syntax.TestClause:
		return c.last(x)
	case *syntax.CaseClause:
		return c.last(x.Word)
	case *syntax.CallExpr, *syntax.DeclClause:
	default:
		return c.line(s)
	}
	first, second := words2(s.Cmd)
	r := syntax.Node(nil)
	if len(s.Redirs) > 0 {
		r = s.Redirs[0]
	}
	before := func(a, b syntax.Node) bool { return a != nil && (b == nil || a.Pos().Offset() < b.Pos().Offset()) }
	switch {
	case first == nil && r == nil:
		return c.line(s)
	case before(r, first):
		return c.last(s.Redirs[0].Word)
	case isAssign(first) || second == nil && r == nil:
		return c.last(first)
	case before(r, second):
		return c.line(r)
	}
	return c.last(second)
}

// compound reports whether a command is none of words, which has a line of its own.
func compound(cmd syntax.Command) bool {
	switch cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return false
	}
	return true
}

func isAssign(n syntax.Node) bool {
	a, ok := n.(*syntax.Assign)
	return ok && a.Name != nil
}

// words2 are the first two words of a command, assignments before it included.
func words2(cmd syntax.Command) (first, second syntax.Node) {
	switch x := cmd.(type) {
	case *syntax.CallExpr:
		if len(x.Assigns) > 0 {
			return x.Assigns[0], nil
		}
		if len(x.Args) > 0 {
			first = x.Args[0]
		}
		if len(x.Args) > 1 {
			second = x.Args[1]
		}
	case *syntax.DeclClause:
		first = x.Variant
		if len(x.Args) > 0 {
			second = x.Args[0]
		}
	}
	return first, second
}
