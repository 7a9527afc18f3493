package shell

import (
	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

func (c *compiler) test(x *syntax.TestClause) node {
	t := c.shelf.tests.One()
	t.place = c.place(x, NTest)
	t.line = c.last(x)
	ext := c.u.ext
	t.expr = c.testExpr(x.X, &t.memo)
	c.u.ext = ext // here they need no extglob
	return t
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
			t := c.shelf.exprs.One()
			t.op, t.x = x.Op.String(), (*terms)[first]
			(*terms)[first] = t
			return
		}
	}
	*terms = append(*terms, c.testTerm(x, memo))
}

func (c *compiler) testTerm(x syntax.TestExpr, memo *bool) *testExpr {
	word := func(w *syntax.Word) *expand.Word {
		e := c.word(w)
		*memo = *memo || e.NeedsMemo()
		return e
	}
	if x, ok := x.(*syntax.ParenTest); ok {
		return c.testExpr(x.X, memo)
	}
	t := c.shelf.exprs.One()
	switch x := x.(type) {
	case *syntax.Word:
		t.word = word(x)
		return t
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok {
			t.op, t.word = x.Op.String(), word(w)
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
