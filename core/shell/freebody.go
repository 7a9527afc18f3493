package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser counts what follows a function's body, as in f() { …; } && g or
// f() { …; } | g, to the body. To bash a definition is one command of the list,
// as any other.

// freeBodies takes it out of the bodies in the statements of a text.
func freeBodies(text string, stmts []*syntax.Stmt) {
	if strings.IndexByte(text, ')') < 0 && !strings.Contains(text, "function") {
		return
	}
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if s, ok := n.(*syntax.Stmt); ok {
				freeBody(s)
			}
			return true
		})
	}
}

// freeBody does so in the list that a statement is.
func freeBody(s *syntax.Stmt) {
	var l flatList
	if l.add(s); !l.found {
		return
	}
	all := l.lists()
	s.Cmd, s.Negated, s.Redirs = all.Cmd, all.Negated, all.Redirs
}

// flatList is a list of commands and what stands between them.
type flatList struct {
	stmts []*syntax.Stmt
	ops   []*syntax.BinaryCmd // without operands
	found bool                // something stood in a function's body
}

func (l *flatList) add(s *syntax.Stmt) {
	switch x := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		first := len(l.stmts)
		l.add(x.X)
		if s.Negated { // the pipeline is: its first command says so here
			negated := *l.stmts[first]
			negated.Negated = true
			l.stmts[first] = &negated
		}
		l.ops = append(l.ops, &syntax.BinaryCmd{OpPos: x.OpPos, Op: x.Op})
		l.add(x.Y)
		return
	case *syntax.FuncDecl:
		if _, ok := x.Body.Cmd.(*syntax.BinaryCmd); ok {
			first := len(l.stmts)
			l.add(x.Body)
			fn := *x
			fn.Body = l.stmts[first]
			l.stmts[first] = &syntax.Stmt{Position: s.Position, Cmd: &fn, Negated: s.Negated}
			l.found = true
			return
		}
	}
	l.stmts = append(l.stmts, s)
}

// lists is the tree of the list: pipelines bind tighter than && and ||.
func (l *flatList) lists() *syntax.Stmt {
	all := l.pipeline()
	for len(l.ops) > 0 {
		op := l.operator()
		op.X, op.Y = all, l.pipeline()
		all = &syntax.Stmt{Position: all.Position, Cmd: op}
	}
	return all
}

// pipeline takes one off the list; a ! before it is before all of it.
func (l *flatList) pipeline() *syntax.Stmt {
	all := l.command()
	for len(l.ops) > 0 && (l.ops[0].Op == syntax.Pipe || l.ops[0].Op == syntax.PipeAll) {
		op := l.operator()
		first := *all
		first.Negated = false
		op.X, op.Y = &first, l.command()
		all = &syntax.Stmt{Position: all.Position, Cmd: op, Negated: all.Negated}
	}
	return all
}

func (l *flatList) command() (s *syntax.Stmt) {
	s, l.stmts = l.stmts[0], l.stmts[1:]
	return s
}

func (l *flatList) operator() (op *syntax.BinaryCmd) {
	op, l.ops = l.ops[0], l.ops[1:]
	return op
}
