package shell

import (
	"strings"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

func (c *compiler) test(x *syntax.TestClause) node {
	t := c.shelf.tests.One()
	t.place = c.place(x, NTest)
	t.line = c.last(x)
	ext := c.u.ext
	t.expr = c.testExpr(x.X, &t.memo)
	t.negated = c.negated(x.X)
	c.u.ext = ext // here they need no extglob
	return t
}

// negated gives 1 + the offset of the last !( in a [[ ]] that is the negation of
// what is in parentheses if there is no extglob. It notes other patterns that need it.
func (c *compiler) negated(x syntax.TestExpr) (at int) {
	operand := false
	syntax.Walk(x, func(n syntax.Node) bool {
		switch b := n.(type) {
		case *syntax.BinaryTest:
			switch b.Op {
			case syntax.AndTest, syntax.OrTest:
			case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch:
				at = max(at, c.negated(b.X))
				return false
			default:
				operand = true
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp:
			return false
		case *syntax.ExtGlob:
			if off := c.off(b.Pos()); b.Op == syntax.GlobExcept && !operand && off > 0 && strings.IndexByte(" \t\n(", c.u.Text[off-1]) >= 0 {
				at = max(at, off+1)
			} else if c.u.cond == 0 {
				c.u.cond = off + 2
			}
		}
		return true
	})
	return at
}

// testExpr compiles an expression. To the parser a ! or an operator takes all
// that follows; to bash ! binds closest, and && closer than ||.
func (c *compiler) testExpr(x syntax.TestExpr, memo *bool) *testExpr {
	var terms []*testExpr
	var or []bool // the operator behind each is ||
	c.testTerms(x, memo, &terms, &or)
	join := func(op string, terms []*testExpr) *testExpr {
		last := len(terms) - 1
		all := terms[last]
		for i := last - 1; i >= 0; i-- {
			t := c.shelf.exprs.One()
			t.op, t.x, t.y = op, terms[i], all
			all = t
		}
		return all
	}
	groups, from := terms[:0], 0
	for i := range terms {
		if i == len(or) || or[i] {
			groups, from = append(groups, join("&&", terms[from:i+1])), i+1
		}
	}
	return join("||", groups)
}

// testTerms compiles what && and || of one level stand between.
func (c *compiler) testTerms(x syntax.TestExpr, memo *bool, terms *[]*testExpr, or *[]bool) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			c.testTerms(x.X, memo, terms, or)
			*or = append(*or, x.Op == syntax.OrTest)
			c.testTerms(x.Y, memo, terms, or)
			return
		}
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			first := len(*terms)
			c.testTerms(x.X, memo, terms, or)
			(*terms)[first] = c.shelf.negation((*terms)[first])
			return
		}
	}
	*terms = append(*terms, c.testTerm(x, memo))
}

// negation is ! before an expression.
func (to *shelf) negation(x *testExpr) *testExpr {
	switch {
	case x.parens > 0:
	case x.x == nil:
		x.not = !x.not
		return x
	case x.op == "!":
		return x.x
	}
	t := to.exprs.One()
	t.op, t.x = "!", x
	return t
}

// written is a unary operator as it stands in the text: to the parser -h is -L and -a is -e.
func (c *compiler) written(x *syntax.UnaryTest) string {
	op := x.Op.String()
	if at := c.off(x.OpPos); len(op) == 2 && at+2 <= len(c.u.Text) && c.u.Text[at] == '-' {
		return c.u.Text[at : at+2]
	}
	return op
}

func (c *compiler) testTerm(x syntax.TestExpr, memo *bool) *testExpr {
	word := func(w *syntax.Word) *expand.Word {
		e := c.word(w)
		*memo = *memo || e.NeedsMemo()
		return e
	}
	if x, ok := x.(*syntax.ParenTest); ok {
		inner := c.testExpr(x.X, memo)
		inner.parens++
		return inner
	}
	t := c.shelf.exprs.One()
	switch x := x.(type) {
	case *syntax.Word:
		t.word = word(x)
		return t
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok {
			t.op, t.word = c.written(x), word(w)
			return t
		}
	case *syntax.BinaryTest:
		l, ok1 := x.X.(*syntax.Word)
		r, ok2 := x.Y.(*syntax.Word)
		if ok1 && ok2 {
			t.op, t.word, t.with = x.Op.String(), word(l), word(r)
			t.with.AsPattern()
			return t
		}
	}
	c.fail(x, "syntax error in conditional expression")
	return nil
}
