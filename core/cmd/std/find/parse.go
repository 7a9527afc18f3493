package find

import (
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/regex"
	"eryxsh/vfs"
)

// maxNesting is how deep parentheses and ! may go.
const maxNesting = 500

// inst is one instruction: a test, or a jump over the value.
type inst struct {
	op   byte // 't' test, 'f' jump if false, 'j' jump if true, '!' not, 'v' set true, 's' set false
	to   int
	test func(p *Program, c *cmd.Ctx) bool
	exec *command
}

// expression is a compiled command line.
type expression struct {
	prog               []inst
	paths              []string
	follow             byte // P, H, L
	depth              bool
	minDepth, maxDepth int
	oneDevice          bool // -xdev
	action             bool // something prints or runs
	zone               *clock.Zone
}

type parser struct {
	c        *cmd.Ctx
	p        *Program
	x        *expression
	args     []string
	i        int
	nesting  int
	refs     int // reference values taken so far
	origin   int64
	daystart bool
	syntax   regex.Syntax
	emacs    bool
	status   int
	failed   bool
	last     string // the predicate before
}

func (q *parser) fail(format string, args ...any) {
	if !q.failed {
		q.c.Errorf(format, args...)
		q.status, q.failed = 1, true
	}
}

// parse compiles the command line. nil means that the program is over, with that status.
func parse(c *cmd.Ctx, p *Program) (*expression, int) {
	x := &expression{follow: 'P', maxDepth: math.MaxInt, zone: clock.Local(c)}
	q := &parser{c: c, p: p, x: x, args: c.Args, syntax: regex.GrepExtended, emacs: true, origin: p.Now}
options:
	for q.i < len(q.args) {
		switch a := q.args[q.i]; {
		case a == "-H" || a == "-L" || a == "-P":
			x.follow = a[1]
		case a == "-D":
			if q.i++; q.i == len(q.args) {
				return nil, c.UsageError("Missing argument after the -D option.")
			}
		case strings.HasPrefix(a, "-O"):
		case a == "--":
			q.i++
			break options
		default:
			break options
		}
		q.i++
	}
	for q.i < len(q.args) && !isExpression(q.args[q.i]) {
		x.paths = append(x.paths, q.args[q.i])
		q.i++
	}
	if len(x.paths) == 0 {
		x.paths = []string{"."}
	}
	if q.i < len(q.args) {
		q.list()
		if !q.failed && q.i < len(q.args) {
			switch a := q.args[q.i]; a {
			case ")":
				q.fail("you have too many ')'")
			case ",":
				q.fail("invalid expression")
			default:
				q.stray(a)
			}
		}
	}
	if q.failed {
		return nil, q.status
	}
	if !x.action {
		end := len(x.prog)
		x.prog = append(x.prog, inst{op: 'f', to: end + 2}, inst{op: 't', test: testPrint('\n')})
	}
	return x, 0
}

func isExpression(a string) bool {
	return len(a) > 1 && a[0] == '-' || a == "(" || a == "!"
}

// stray is an operand where the expression should go on.
func (q *parser) stray(a string) {
	q.fail("paths must precede expression: `%s'", a)
	if _, err := q.c.Lstat(a); err == nil && q.last != "" {
		q.c.Errorf("possible unquoted pattern after predicate `%s'?", q.last)
	}
}

func (q *parser) peek() string {
	if q.i < len(q.args) {
		return q.args[q.i]
	}
	return ""
}

func (q *parser) emit(in inst) int {
	q.x.prog = append(q.x.prog, in)
	return len(q.x.prog) - 1
}

func (q *parser) here() int { return len(q.x.prog) }

// list is expr , expr.
func (q *parser) list() {
	q.or()
	for !q.failed && q.i < len(q.args) && q.peek() == "," {
		q.i++
		if q.i == len(q.args) || q.peek() == ")" {
			if q.i == len(q.args) {
				q.fail("invalid expression")
			} else {
				q.fail("invalid expression; expected to find a ')' but didn't see one.  Perhaps you need an extra predicate after ','")
			}
			return
		}
		q.emit(inst{op: 'v'})
		q.or()
	}
}

// hanging reports an operator with nothing after it.
func (q *parser) hanging(op string) {
	if q.i < len(q.args) {
		q.fail("expected an expression between '%s' and ')'", op)
	} else {
		q.fail("expected an expression after '%s'", op)
	}
}

func (q *parser) or() {
	q.and()
	for !q.failed && (q.peek() == "-o" || q.peek() == "-or") {
		name := q.peek()
		q.i++
		if q.i == len(q.args) || q.peek() == ")" {
			q.hanging(name)
			return
		}
		jump := q.emit(inst{op: 'j'})
		q.and()
		q.x.prog[jump].to = q.here()
	}
}

func (q *parser) and() {
	q.not()
	for !q.failed && q.i < len(q.args) {
		switch a := q.peek(); a {
		case "-o", "-or", ",", ")":
			return
		case "-a", "-and":
			q.i++
			if q.i == len(q.args) || q.peek() == ")" {
				q.hanging(a)
				return
			}
		}
		jump := q.emit(inst{op: 'f'})
		q.not()
		q.x.prog[jump].to = q.here()
	}
}

func (q *parser) not() {
	if q.nesting++; q.nesting > maxNesting {
		q.fail("expression is nested too deeply")
	}
	defer func() { q.nesting-- }()
	if q.failed {
		return
	}
	switch a := q.peek(); a {
	case "!", "-not":
		q.i++
		if q.i == len(q.args) || q.peek() == ")" {
			q.fail("expected an expression after '%s'", a)
			return
		}
		q.not()
		q.emit(inst{op: '!'})
	case "(":
		q.i++
		if q.peek() == ")" && q.i < len(q.args) {
			q.fail("invalid expression; empty parentheses are not allowed.")
			return
		}
		if q.i == len(q.args) {
			q.fail("invalid expression; expected to find a ')' but didn't see one.  Perhaps you need an extra predicate after '('")
			return
		}
		q.list()
		if q.failed {
			return
		}
		if q.i == len(q.args) {
			q.fail("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
			return
		}
		q.i++
	case "-o", "-or", "-a", "-and", ",":
		q.fail("invalid expression; you have used a binary operator '%s' with nothing before it.", a)
	case ")":
		q.fail("invalid expression; you have too many ')'")
	default:
		q.predicate(a)
	}
}

// arg takes the argument of a predicate.
func (q *parser) arg(name string) string {
	if q.i >= len(q.args) {
		q.fail("missing argument to `%s'", name)
		return ""
	}
	q.i++
	return q.args[q.i-1]
}

func (q *parser) test(f func(p *Program, c *cmd.Ctx) bool) { q.emit(inst{op: 't', test: f}) }

// reference gives a number about a file that the command line names: read once, then kept.
func (q *parser) reference(path string, f func(st vfs.Stat) int64) int64 {
	if q.refs < len(q.p.Refs) {
		q.refs++
		return q.p.Refs[q.refs-1]
	}
	st, err := q.c.Lstat(path)
	if q.x.follow != 'P' && err == nil {
		st, err = q.c.Stat(path)
	}
	if err != nil {
		q.fail("%s: %s", quote.Locale(q.c, path), err)
		return 0
	}
	v := f(st)
	q.p.Refs = append(q.p.Refs, v)
	q.refs++
	return v
}

// output opens a file of -fprint; the same name is opened once.
func (q *parser) output(name string) int {
	for i, f := range q.p.Files {
		if f.Name == name {
			return i
		}
	}
	if name == "/dev/stdout" {
		q.p.Files = append(q.p.Files, output{name, 1})
		return len(q.p.Files) - 1
	}
	fd, err := q.c.Open(name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
	if err != nil {
		q.fail("%s: %s", quote.Locale(q.c, name), err)
		return 0
	}
	q.p.Files = append(q.p.Files, output{name, fd})
	return len(q.p.Files) - 1
}

// number reads [+-]N.
func (q *parser) number(name, s string) comparison {
	cmp := comparison{}
	t := s
	if t != "" && (t[0] == '+' || t[0] == '-') {
		cmp.op, t = t[0], t[1:]
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || t[0] == '+' || t[0] == '-' {
		q.fail("invalid argument `%s' to `%s'", s, name)
	}
	cmp.n = n
	return cmp
}

// comparison is [+-]N.
type comparison struct {
	op byte // '+', '-' or 0
	n  int64
}

func (k comparison) ok(v int64) bool {
	switch k.op {
	case '+':
		return v > k.n
	case '-':
		return v < k.n
	}
	return v == k.n
}

func (q *parser) level(name, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || s[0] < '0' || s[0] > '9' {
		q.fail("Expected a positive decimal integer argument to %s, but got %s", name, quote.Locale(q.c, s))
	}
	return n
}

// regexType sets the syntax of -regex.
func (q *parser) regexType(s string) {
	q.emacs = false
	switch s {
	case "findutils-default", "emacs":
		q.syntax, q.emacs = regex.GrepExtended, true
	case "ed", "sed":
		q.syntax = regex.SedBasic
	case "grep", "posix-basic", "posix-minimal-basic":
		q.syntax = regex.GrepBasic
	case "egrep", "posix-egrep", "posix-extended":
		q.syntax = regex.GrepExtended
	case "awk", "posix-awk", "gnu-awk":
		q.syntax = regex.Awk
	default:
		q.fail(quote.Marks(q.c, "Unknown regular expression type %s; valid types are ‘findutils-default’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, ‘awk’, ‘posix-basic’, ‘posix-egrep’, ‘egrep’, ‘posix-extended’, ‘posix-minimal-basic’, ‘sed’."), quote.Locale(q.c, s))
	}
}

// emacs rewrites an Emacs pattern, where \( \) \| are special and ( ) | { } are not, as an extended one.
func emacs(s string) string {
	var b strings.Builder
	var ends regex.ClassEnds
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if strings.IndexByte("()|", s[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case strings.IndexByte("()|{}", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '[':
			j := i + 1
			if j < len(s) && s[j] == '^' {
				j++
			}
			if j < len(s) && s[j] == ']' {
				j++
			}
			for j < len(s) && s[j] != ']' {
				if s[j] == '[' && j+1 < len(s) && strings.IndexByte(":.=", s[j+1]) >= 0 {
					if k := regex.ClassEnd(&ends, s, j+2, s[j+1]); k > 0 {
						j = k - 1
					}
				}
				j++
			}
			j = min(j, len(s)-1)
			b.WriteString(s[i : j+1])
			i = j
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
