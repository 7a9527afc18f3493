package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// test reads [[ … ]].
func (d *direct) test() node {
	t := d.c.shelf.tests.One()
	t.place = d.begin(NTest)
	d.i += len("[[")
	t.expr = d.testOr(&t.memo)
	if d.testEnd(); !strings.HasPrefix(d.s[d.i:], "]]") || d.i+2 < len(d.s) && !separates(d.s[d.i+2]) {
		d.fail()
	}
	d.skip(len("]]"))
	d.end(&t.place)
	t.line, d.base = d.now, d.now
	return t
}

// testEnd goes over blanks inside [[ ]], where # begins no comment. Lines are left to the parser.
func (d *direct) testEnd() {
	for d.at(0) == ' ' || d.at(0) == '\t' {
		d.i++
	}
}

// testOr reads operands with || and && between them.
func (d *direct) testOr(memo *bool) *testExpr {
	return d.testChain("||", memo, func() *testExpr {
		return d.testChain("&&", memo, func() *testExpr { return d.testTerm(memo) })
	})
}

// testChain reads what one operator stands between. The last two belong together first, as in bash.
func (d *direct) testChain(op string, memo *bool, operand func() *testExpr) *testExpr {
	if d.depth++; d.depth > maxDirect {
		d.fail()
	}
	defer func() { d.depth-- }()
	x := operand()
	if d.testEnd(); d.bad || !strings.HasPrefix(d.s[d.i:], op) {
		return x
	}
	d.i += len(op)
	t := d.c.shelf.exprs.One()
	t.op, t.x = op, x
	t.y = d.testChain(op, memo, operand)
	return t
}

// testTerm reads one operand with what is applied to it.
func (d *direct) testTerm(memo *bool) *testExpr {
	if d.depth++; d.depth > maxDirect {
		d.fail()
	}
	defer func() { d.depth-- }()
	if d.testEnd(); d.at(0) == '(' {
		d.i++
		t := d.testOr(memo)
		t.parens++
		if d.testEnd(); d.at(0) != ')' {
			d.fail()
		}
		d.skip(1)
		return t
	}
	if d.at(0) == '!' && (d.at(1) == ' ' || d.at(1) == '\t') {
		d.i++
		return d.c.shelf.negation(d.testTerm(memo))
	}
	t := d.c.shelf.exprs.One()
	from := d.i
	word := d.testWord(memo)
	if d.bad {
		return t
	}
	text := d.s[from:d.i]
	if text == "!" || text == "]]" {
		d.fail()
	}
	d.testEnd()
	if op := unaryTest(text); op != "" {
		if d.at(0) == ']' {
			d.fail()
		}
		t.op, t.word = op, d.testWord(memo)
		return t
	}
	if op := d.binaryTest(); op != "" {
		d.i += len(op)
		if d.testEnd(); op == "=~" && !plainRegex(d.s[d.i:]) || d.at(0) == ']' {
			d.fail()
		}
		t.op, t.word, t.with = op, word, d.testWord(memo)
		if !d.bad {
			t.with.AsPattern()
		}
		return t
	}
	t.word = word
	return t
}

func (d *direct) testWord(memo *bool) *expand.Word {
	if d.at(0) == '#' {
		d.fail() // a comment to bash
	}
	w := d.word()
	*memo = *memo || w.NeedsMemo()
	return w
}

// unaryTest is the name of the operator that a word is, "" if it is none.
func unaryTest(word string) string {
	if len(word) != 2 || word[0] != '-' {
		return ""
	}
	if strings.IndexByte("aefdcbpSLhkguGONrwxstznovR", word[1]) >= 0 {
		return word
	}
	return ""
}

// binaryTest is the operator at the position, "" if there is none. A word there that is none is an error.
func (d *direct) binaryTest() string {
	rest := d.s[d.i:]
	end := 0
	for end < len(rest) && !separates(rest[end]) {
		end++
	}
	switch op := rest[:end]; op {
	case "=", "==", "!=", "=~", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return op
	case "", "]]":
	default:
		d.fail()
		return ""
	}
	if end == 0 && (strings.HasPrefix(rest, "< ") || strings.HasPrefix(rest, "> ")) {
		return rest[:1]
	}
	return ""
}

// plainRegex reports whether the word that a text begins with is to a regular
// expression's reader what it is to that of words.
func plainRegex(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t':
			return i > 0
		case !nameByte(c) && strings.IndexByte("^$.*+?{}[],:-_/=@%", c) < 0:
			return false
		}
	}
	return false
}
