package std

import (
	"math/big"
	"strings"

	"eryxsh/core/bignum"
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// testCommand is test(1), which find -exec and xargs run; the shell has its own.
func testCommand() *cmd.Command {
	return &cmd.Command{
		Name: "test", Summary: "check file types and compare values", Usage: "test EXPRESSION\ntest\n[ EXPRESSION ]\n[ ]\n[ OPTION",
		Class: cmd.Atomic, Raw: true, Run: func(c *cmd.Ctx) int { return runTest(c, c.Args) },
	}
}

// bracket is test under its other name.
func bracket() *cmd.Command {
	d := testCommand()
	d.Name = "["
	d.Run = func(c *cmd.Ctx) int {
		if c.SoleHelp() {
			return 0
		}
		if len(c.Args) == 0 || c.Args[len(c.Args)-1] != "]" {
			c.Errorf("missing %s", quote.Locale(c, "]"))
			return 2
		}
		return runTest(c, c.Args[:len(c.Args)-1])
	}
	return d
}

func runTest(c *cmd.Ctx, args []string) int {
	if len(args) == 0 {
		return 1
	}
	t := &tester{c: c, args: args}
	ok := t.some(len(args))
	if t.err == "" && t.i < len(args) {
		t.err = "extra argument " + quote.Locale(c, args[t.i])
	}
	switch {
	case t.err != "":
		c.Errorf("%s", t.err)
		return 2
	case ok:
		return 0
	}
	return 1
}

// maxTest bounds parentheses.
const maxTest = 500

// tester evaluates an expression. POSIX decides by the number of arguments.
type tester struct {
	c     *cmd.Ctx
	args  []string
	i     int
	depth int
	err   string
}

func (t *tester) fail(text string) bool {
	if t.err == "" {
		t.err = text
	}
	return false
}

// at is the argument n further on, or "".
func (t *tester) at(n int) string {
	if t.i+n < len(t.args) {
		return t.args[t.i+n]
	}
	return ""
}

// missing says that the expression ends too early.
func (t *tester) missing() bool {
	return t.fail("missing argument after " + quote.Locale(t.c, t.args[len(t.args)-1]))
}

// some evaluates n arguments.
func (t *tester) some(n int) bool {
	switch n {
	case 1:
		t.i++
		return t.args[t.i-1] != ""
	case 2:
		return t.two()
	case 3:
		return t.three()
	case 4:
		if t.at(0) == "!" {
			t.i++
			return !t.three()
		}
		if t.at(0) == "(" && t.at(3) == ")" {
			t.i++
			v := t.two()
			t.i++
			return v
		}
	}
	return t.or()
}

func (t *tester) two() bool {
	switch {
	case t.at(0) == "!":
		t.i += 2
		return t.args[t.i-1] == ""
	case len(t.at(0)) == 2 && t.at(0)[0] == '-':
		return t.unary()
	}
	return t.missing()
}

func (t *tester) three() bool {
	switch {
	case testBinary(t.at(1)):
		return t.binary(false)
	case t.at(0) == "!":
		t.i++
		return !t.two()
	case t.at(0) == "(" && t.at(2) == ")":
		t.i += 3
		return t.args[t.i-2] != ""
	case t.at(1) == "-a" || t.at(1) == "-o":
		return t.or()
	}
	return t.fail(quote.Locale(t.c, t.at(1)) + ": binary operator expected")
}

func (t *tester) or() bool {
	v := t.and()
	for t.err == "" && t.at(0) == "-o" {
		t.i++
		v = t.and() || v
	}
	return v
}

func (t *tester) and() bool {
	v := t.term()
	for t.err == "" && t.at(0) == "-a" {
		t.i++
		v = t.term() && v
	}
	return v
}

func (t *tester) term() bool {
	if t.depth++; t.depth > maxTest {
		return t.fail("expression nested too deeply")
	}
	defer func() { t.depth-- }()
	negated := false
	for t.i < len(t.args) && t.at(0) == "!" {
		t.i++
		negated = !negated
	}
	left, v := len(t.args)-t.i, false
	switch {
	case left <= 0:
		return t.missing()
	case t.at(0) == "(":
		t.i++
		if t.i >= len(t.args) {
			return t.missing()
		}
		n := 1
		for ; t.i+n < len(t.args) && t.at(n) != ")"; n++ {
			if n == 4 {
				n = len(t.args) - t.i
				break
			}
		}
		v = t.some(n)
		switch {
		case t.i >= len(t.args):
			return t.fail(quote.Locale(t.c, ")") + " expected")
		case t.at(0) != ")":
			return t.fail(quote.Locale(t.c, ")") + " expected, found " + quote.Locale(t.c, t.at(0)))
		}
		t.i++
	case left >= 4 && t.at(0) == "-l" && testBinary(t.at(2)):
		t.i++
		v = t.binary(true)
	case left >= 3 && testBinary(t.at(1)):
		v = t.binary(false)
	case len(t.at(0)) == 2 && t.at(0)[0] == '-':
		v = t.unary()
	default:
		t.i++
		v = t.args[t.i-1] != ""
	}
	return v != negated
}

func testBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// integer reads an operand of a comparison.
func (t *tester) integer(s string, length bool) *big.Int {
	if length {
		return big.NewInt(int64(len(s)))
	}
	digits := strings.Trim(s, " \t\n\v\f\r")
	digits = strings.TrimPrefix(digits, "+")
	v, ok := bignum.Parse(digits, 10, t.c)
	if !ok || strings.ContainsAny(digits, "_+") {
		t.fail("invalid integer " + quote.Locale(t.c, s))
		return new(big.Int)
	}
	return v
}

// binary evaluates "x OP y"; x, and y behind another -l, count by their lengths.
func (t *tester) binary(left bool) bool {
	x, op := t.at(0), t.at(1)
	right := t.i+3 < len(t.args) && t.at(2) == "-l"
	if right {
		t.i++
	}
	y := t.at(2)
	t.i += 3
	switch op {
	case "=", "==":
		return x == y
	case "!=":
		return x != y
	case "-nt", "-ot", "-ef":
		if left || right {
			return t.fail(op + " does not accept -l")
		}
		return t.files(x, op, y)
	}
	n := t.integer(x, left).Cmp(t.integer(y, right))
	switch op {
	case "-eq":
		return n == 0
	case "-ne":
		return n != 0
	case "-lt":
		return n < 0
	case "-le":
		return n <= 0
	case "-gt":
		return n > 0
	}
	return n >= 0
}

func (t *tester) files(x, op, y string) bool {
	a, err1 := t.c.Stat(x)
	b, err2 := t.c.Stat(y)
	switch op {
	case "-nt":
		return err1 == nil && (err2 != nil || a.Mtime > b.Mtime)
	case "-ot":
		return err2 == nil && (err1 != nil || a.Mtime < b.Mtime)
	}
	return err1 == nil && err2 == nil && a.Ino == b.Ino
}

// unary evaluates "-X operand".
func (t *tester) unary() bool {
	op := t.at(0)[1]
	if strings.IndexByte("befgGhkLnNOprsStuwxzcd", op) < 0 {
		return t.fail(quote.Locale(t.c, t.at(0)) + ": unary operator expected")
	}
	if t.i+1 >= len(t.args) {
		return t.missing()
	}
	s := t.at(1)
	t.i += 2
	switch op {
	case 'n':
		return s != ""
	case 'z':
		return s == ""
	case 't':
		v := t.integer(s, false)
		return v.IsInt64() && t.c.IsTTY(int(v.Int64()))
	case 'r':
		return t.c.Access(s, vfs.R_OK) == nil
	case 'w':
		return t.c.Access(s, vfs.W_OK) == nil
	case 'x':
		return t.c.Access(s, vfs.X_OK) == nil
	}
	stat := t.c.Stat
	if op == 'h' || op == 'L' {
		stat = t.c.Lstat
	}
	st, err := stat(s)
	return err == nil && t.isKind(op, st)
}

// isKind is the operators that look at what a file is.
func (t *tester) isKind(op byte, st vfs.Stat) bool {
	kind := st.Mode & vfs.TypeMask
	switch op {
	case 'e':
		return true
	case 'c':
		return kind == vfs.TypeChar
	case 'd':
		return kind == vfs.TypeDir
	case 'f':
		return kind == vfs.TypeFile
	case 'h', 'L':
		return kind == vfs.TypeLink
	case 'p':
		return kind == vfs.TypeFifo
	case 's':
		return st.Size > 0
	case 'g':
		return st.Mode&vfs.SetGID != 0
	case 'u':
		return st.Mode&vfs.SetUID != 0
	case 'k':
		return st.Mode&vfs.Sticky != 0
	case 'O':
		return int(st.UID) == t.c.UID()
	case 'G':
		return int(st.GID) == t.c.GID()
	case 'N':
		return st.Mtime > st.Atime
	}
	return false // there are no block devices and no sockets
}
