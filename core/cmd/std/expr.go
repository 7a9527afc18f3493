package std

import (
	"fmt"
	"math/big"
	"strings"

	"eryxsh/core/bignum"
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/core/locale"
	"eryxsh/core/regex"
)

func expr() *cmd.Command {
	return &cmd.Command{
		Name: "expr", WriteStatus: 3, Summary: "print the value of EXPRESSION to standard output",
		Usage: "expr EXPRESSION\nexpr OPTION", Class: cmd.Atomic, Raw: true, Status: 2,
		Run: runExpr,
	}
}

func runExpr(c *cmd.Ctx) int {
	if c.SoleHelp() {
		return 0
	}
	args := c.Args
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return c.MissingOperand("")
	}
	p := &exprParser{args: args, c: c}
	v := p.or(true, 0)
	if p.err == "" && len(p.args) > 0 {
		p.fail("syntax error: unexpected argument %s", quote.Locale(c, p.args[0]))
	}
	if p.err != "" {
		c.Errorf("%s", p.err)
		return 2
	}
	c.Out.WriteString(v.text(c) + "\n")
	return b2i(v.null())
}

// exprValue is a string, or a number.
type exprValue struct {
	str string
	num *big.Int
}

func (v exprValue) text(m large.Meter) string {
	if v.num != nil {
		return bignum.Text(v.num, 10, m)
	}
	return v.str
}

// null reports the values that count as false: an empty string and zero.
func (v exprValue) null() bool {
	if v.num != nil {
		return v.num.Sign() == 0
	}
	s := strings.TrimPrefix(v.str, "-")
	return v.str == "" || s != "" && strings.Trim(s, "0") == ""
}

// number is the value as a number; nil if it is none.
func (v exprValue) number(m large.Meter) *big.Int {
	if v.num != nil {
		return v.num
	}
	if !digits(strings.TrimPrefix(v.str, "-")) {
		return nil
	}
	n, _ := bignum.Parse(v.str, 10, m)
	return n
}

func exprInt(n int) exprValue { return exprValue{num: big.NewInt(int64(n))} }

// exprMaxDepth bounds nested parentheses and exprMaxBits the size of numbers.
const (
	exprMaxDepth = 500
	exprMaxBits  = 1 << 20
)

// exprParser evaluates while it parses. The first error stays in err.
type exprParser struct {
	c    *cmd.Ctx
	args []string
	last string // the argument taken last, for messages
	err  string
}

func (p *exprParser) fail(format string, args ...any) {
	if p.err == "" {
		p.err = fmt.Sprintf(format, args...)
	}
}

// take takes the next argument if it is one of the words.
func (p *exprParser) take(words ...string) string {
	if p.err != "" || len(p.args) == 0 {
		return ""
	}
	for _, w := range words {
		if p.args[0] == w {
			p.last = w
			p.args = p.args[1:]
			return w
		}
	}
	return ""
}

func (p *exprParser) or(eval bool, depth int) exprValue {
	l := p.and(eval, depth)
	for p.take("|") != "" {
		r := p.and(eval && l.null(), depth)
		if l.null() {
			if l = r; r.null() {
				l = exprInt(0)
			}
		}
	}
	return l
}

func (p *exprParser) and(eval bool, depth int) exprValue {
	l := p.compare(eval, depth)
	for p.take("&") != "" {
		r := p.compare(eval && !l.null(), depth)
		if l.null() || r.null() {
			l = exprInt(0)
		}
	}
	return l
}

func (p *exprParser) compare(eval bool, depth int) exprValue {
	l := p.sum(eval, depth)
	for {
		op := p.take("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			return l
		}
		r := p.sum(eval, depth)
		if !eval {
			l = exprInt(0)
			continue
		}
		var d int
		if a, b := l.number(p.c), r.number(p.c); a != nil && b != nil {
			d = a.Cmp(b)
		} else {
			d = strings.Compare(l.text(p.c), r.text(p.c))
		}
		var ok bool
		switch op {
		case "<":
			ok = d < 0
		case "<=":
			ok = d <= 0
		case "=", "==":
			ok = d == 0
		case "!=":
			ok = d != 0
		case ">=":
			ok = d >= 0
		default:
			ok = d > 0
		}
		l = exprInt(b2i(ok))
	}
}

func (p *exprParser) sum(eval bool, depth int) exprValue {
	l := p.product(eval, depth)
	for {
		op := p.take("+", "-")
		if op == "" {
			return l
		}
		r := p.product(eval, depth)
		if eval {
			l = p.arithmetic(op, l, r)
		}
	}
}

func (p *exprParser) product(eval bool, depth int) exprValue {
	l := p.match(eval, depth)
	for {
		op := p.take("*", "/", "%")
		if op == "" {
			return l
		}
		r := p.match(eval, depth)
		if eval {
			l = p.arithmetic(op, l, r)
		}
	}
}

func (p *exprParser) arithmetic(op string, l, r exprValue) exprValue {
	if p.err != "" {
		return l
	}
	a, b := l.number(p.c), r.number(p.c)
	n := new(big.Int)
	switch {
	case a == nil || b == nil:
		p.fail("non-integer argument")
	case (op == "/" || op == "%") && b.Sign() == 0:
		p.fail("division by zero")
	case op == "+":
		n.Add(a, b)
	case op == "-":
		n.Sub(a, b)
	case op == "*":
		if a.BitLen()+b.BitLen() > exprMaxBits {
			p.fail("number too large")
			break
		}
		n = bignum.Mul(a, b, p.c)
	case op == "/":
		n = bignum.Quo(a, b, p.c)
	default:
		_, n = bignum.QuoRem(a, b, p.c)
	}
	return exprValue{num: n}
}

func (p *exprParser) match(eval bool, depth int) exprValue {
	l := p.word(eval, depth)
	for p.take(":") != "" {
		r := p.word(eval, depth)
		if eval {
			l = p.regex(l.text(p.c), r.text(p.c))
		}
	}
	return l
}

// word is a keyword with its arguments, or a primary.
func (p *exprParser) word(eval bool, depth int) exprValue {
	if depth > exprMaxDepth {
		p.fail("expression nested too deeply")
		return exprInt(0)
	}
	switch p.take("+", "length", "match", "index", "substr") {
	case "+":
		if len(p.args) == 0 {
			p.fail("syntax error: missing argument after %s", quote.Locale(p.c, "+"))
			return exprInt(0)
		}
		v := exprValue{str: p.args[0]}
		p.last, p.args = p.args[0], p.args[1:]
		return v
	case "length":
		return exprInt(locale.Count(p.word(eval, depth+1).text(p.c), p.c.Bytes()))
	case "match":
		l, r := p.word(eval, depth+1), exprValue{}
		r = p.word(eval, depth+1)
		if eval {
			return p.regex(l.text(p.c), r.text(p.c))
		}
		return l
	case "index":
		l := p.word(eval, depth+1)
		r := p.word(eval, depth+1)
		return exprInt(p.index(l.text(p.c), r.text(p.c)))
	case "substr":
		l := p.word(eval, depth+1)
		from := p.word(eval, depth+1)
		length := p.word(eval, depth+1)
		return p.substr(l.text(p.c), from.number(p.c), length.number(p.c))
	}
	return p.primary(eval, depth)
}

// index is the place of the first character of s that is one of set's, from 1; 0 if there is none.
func (p *exprParser) index(s, set string) int {
	in := map[string]bool{}
	for n := 0; set != ""; set = set[n:] {
		n = locale.Next(set, p.c.Bytes())
		in[set[:n]] = true
	}
	for i, n := 1, 0; s != ""; i, s = i+1, s[n:] {
		if n = locale.Next(s, p.c.Bytes()); in[s[:n]] {
			return i
		}
	}
	return 0
}

func (p *exprParser) substr(s string, from, length *big.Int) exprValue {
	chars := big.NewInt(int64(locale.Count(s, p.c.Bytes())))
	if from == nil || length == nil || from.Sign() <= 0 || length.Sign() <= 0 || from.Cmp(chars) > 0 {
		return exprValue{}
	}
	s = s[locale.Offset(s, int(from.Int64())-1, p.c.Bytes()):]
	if length.Cmp(chars) < 0 {
		s = s[:locale.Offset(s, int(length.Int64()), p.c.Bytes())]
	}
	return exprValue{str: s}
}

func (p *exprParser) primary(eval bool, depth int) exprValue {
	if p.err != "" {
		return exprInt(0)
	}
	if len(p.args) == 0 {
		p.fail("syntax error: missing argument after %s", quote.Locale(p.c, p.last))
		return exprInt(0)
	}
	switch {
	case p.take("(") != "":
		v := p.or(eval, depth+1)
		if p.err == "" && p.take(")") == "" {
			if len(p.args) == 0 {
				p.fail("syntax error: expecting ')' after %s", quote.Locale(p.c, p.last))
			} else {
				p.fail("syntax error: expecting ')' instead of %s", quote.Locale(p.c, p.args[0]))
			}
		}
		return v
	case p.take(")") != "":
		p.fail("syntax error: unexpected ')'")
		return exprInt(0)
	}
	v := exprValue{str: p.args[0]}
	p.last, p.args = p.args[0], p.args[1:]
	return v
}

// regex is STRING : REGEX: the first group, or how many characters match.
func (p *exprParser) regex(s, pattern string) exprValue {
	if p.err != "" {
		return exprInt(0)
	}
	re, err := regex.Compile([]byte(pattern), regex.Options{Syntax: regex.GrepBasic, Bytes: p.c.Bytes(), Charge: p.c.Charge, Need: p.c.Need})
	if err != nil {
		p.fail("%s", err)
		return exprInt(0)
	}
	loc := make([]int, 2*(re.NumSubexp()+1))
	re.Meter(p.c.Charge)
	found, err := re.Find(large.Push(nil, s, p.c), 0, loc)
	if err != nil {
		p.fail("error in regular expression matcher")
		return exprInt(0)
	}
	found = found && loc[0] == 0
	if re.NumSubexp() > 0 {
		if !found || loc[2] < 0 {
			return exprValue{}
		}
		return exprValue{str: s[loc[2]:loc[3]]}
	}
	if !found {
		return exprInt(0)
	}
	return exprInt(locale.Count(s[:loc[1]], p.c.Bytes()))
}
