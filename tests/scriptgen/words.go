package scriptgen

import (
	"math/rand"
	"strings"
)

// generator chooses among the grammar's alternatives. What a script is most
// about is its theme.
type generator struct {
	r     *rand.Rand
	theme theme
	loops int
	funcs int // functions f0 … defined so far
	inFn  bool
	deep  int
}

type theme int

const (
	mixed theme = iota
	expansions
	arrays
	arithmetic
	splitting
	redirections
	failing // errexit, traps, functions
	builtin1
	globbing
	tracing
	themes
)

func (g *generator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

// oneIn is true once in n times.
func (g *generator) oneIn(n int) bool { return g.r.Intn(n) == 0 }

// many joins lo to hi pieces.
func (g *generator) many(lo, hi int, sep string, f func() string) string {
	var list []string
	for range lo + g.r.Intn(hi-lo+1) {
		list = append(list, f())
	}
	return strings.Join(list, sep)
}

// choose calls one of the functions.
func (g *generator) choose(list ...func() string) string { return list[g.r.Intn(len(list))]() }

func (g *generator) variable() string { return g.pick("x", "y", "z", "x", "y", "n", "e") }

// reference is what can stand after ${ : a name, a subscripted name, a parameter.
func (g *generator) reference() string {
	switch g.r.Intn(12) {
	case 0, 1, 2, 3:
		return g.pick("x", "y", "z", "n", "e", "u", "r", "s")
	case 4, 5:
		return g.pick("1", "2", "3", "@", "*", "#", "?", "0", "11")
	case 6, 7, 8:
		return "a[" + g.pick("@", "*", "0", "1", "-1", "n", "n+1", "x", "$n", "2", "9", "\"1\"", "-9") + "]"
	case 9:
		return "m[" + g.pick("@", "*", "k", "j", "$x", "\"$x\"", "k k", "u", "'k'") + "]"
	}
	return g.pick("a", "b", "b[@]", "m", "b[*]", "x[0]", "x[@]", "u[@]", "x[1]")
}

// parameter is a ${ } form. dq: it stands in double quotes.
func (g *generator) parameter(dq bool) string {
	if g.deep > 3 {
		return "$x"
	}
	g.deep++
	defer func() { g.deep-- }()
	ref := g.reference()
	switch g.r.Intn(16) {
	case 0, 1:
		return "$" + g.pick("x", "y", "z", "n", "e", "u", "1", "2", "@", "*", "#", "?", "a", "m", "r", "-")
	case 2:
		return "${#" + ref + "}"
	case 3, 4:
		return "${" + ref + g.pick(":-", "-", ":+", "+") + g.operand(dq) + "}"
	case 5:
		if g.oneIn(3) {
			return "${" + ref + g.pick(":?", "?") + g.operand(dq) + "}"
		}
		return "${" + g.pick("x", "u", "e", "a[1]", "m[k]", "y", "b[2]", "1", "u[1]") + g.pick(":=", "=") + g.operand(dq) + "}"
	case 6, 7:
		return "${" + ref + g.pick("#", "##", "%", "%%") + g.pattern() + "}"
	case 8, 9:
		return "${" + ref + g.pick("/", "//", "/#", "/%") + g.pattern() + g.pick("", "/", "/r", "/[&]", "/\\&", "/\"&\"", "/$y", "/\"$y\"", "/a b", "/'q'", "/\\\\", "/${x}", "/\\/", "/~", "/é", "/&&") + "}"
	case 10:
		return "${" + ref + g.pick("^", "^^", ",", ",,", "~", "~~") + g.pick("", "", "", "[a-c]", "?", "$x", "b", "*") + "}"
	case 11:
		return "${" + ref + "@" + g.pick("Q", "E", "P", "A", "a", "K", "k", "U", "u", "L") + "}"
	case 12, 13:
		off := g.pick("0", "1", " -1", "n", "2", "(-2)", "$n", "n-1", " -3", "9", " 1 + 1", "", "x", "1?0:1")
		if g.oneIn(2) {
			return "${" + ref + ":" + off + "}"
		}
		return "${" + ref + ":" + off + ":" + g.pick("0", "1", "2", "-1", "n", " -2", "9", "", "$n", "n+1", "-9") + "}"
	case 14:
		return "${!" + g.pick("x", "p", "r", "a[@]", "a[*]", "m[@]", "m[*]", "x*", "a@", "u", "e", "1", "p:-d", "p#a", "q", "a[0]", "@", "#", "b[1]", "s", "q:1", "p@Q", "b[@]", "p/a/b") + "}"
	}
	return "${" + ref + "}"
}

func (g *generator) operand(dq bool) string {
	return g.many(0, 2, "", func() string {
		if g.deep > 3 {
			return "w"
		}
		switch g.r.Intn(5) {
		case 0:
			return g.pick("d e", `\*`, "~", "a:b", "*", " ", `\}`, "x y", "-", "\\", ":", "\n", "{a,b}", "'", "''")
		case 1:
			if dq {
				return g.pick(`"s t"`, "'q r'", `"`+`$x`+`"`, `'$x'`)
			}
			return g.pick("'q r'", `"s t"`, `$'t\tu'`, `"$x y"`, `'}'`, `"}"`)
		case 2:
			return g.substitution()
		}
		return g.parameter(dq)
	})
}

func (g *generator) pattern() string {
	return g.many(1, 2, "", func() string {
		return g.pick("a", "b", "*", "?", "[ab]", "[!a]", "$x", `"$x"`, "*b", "c*", `\*`, "'*'", "[[:alpha:]]", " ", ".", "+(a|b)", "@(a)", "*(a)", "!(a)", "?(a)b", "[a-c]", `\\`, "é", "$y", "[^b]", "[]a]", "[a", "\"a\"*", "[[:space:]]", "${u}", "\\?", "[\"a\"-c]", "[$x]")
	})
}

func (g *generator) substitution() string {
	if g.deep > 2 {
		return "$(echo t)"
	}
	g.deep++
	defer func() { g.deep-- }()
	switch g.r.Intn(8) {
	case 0:
		return "`" + g.pick("echo hi", "echo \\$x", "echo \\\"a  b\\\"", "echo '\\\\'", "echo \\`echo in\\`", "false", "echo \"$x\"") + "`"
	case 1:
		return "$(" + g.pick("< out", "false", "exit 3", "echo 'a  b'; echo c", "printf '%s\\n' $x", "echo \"$@\"", "echo a; return 4", "", " ", "# c\n", "echo $?", "printf 'x\\n\\n'", "x=5; echo $x", "case x in x) echo y;; esac", "cat <<E\n$x\nE\n", "echo \")\"") + ")"
	}
	return "$(" + g.simple() + ")"
}

func (g *generator) arithWord() string {
	if g.oneIn(12) {
		return "$[" + g.arith(1) + "]"
	}
	return "$((" + g.arith(2) + "))"
}

func (g *generator) arith(depth int) string {
	if depth == 0 || g.oneIn(4) {
		switch g.r.Intn(5) {
		case 0, 1:
			return g.pick("1", "2", "0", "7", "-3", "010", "0x1f", "2#101", "36#z", "64#@", "08", "9223372036854775807", "1 2", "16#FF", "1_0", "x y", "''", "\"2\"", "3.5", "0x", "2#3", "1#0")
		case 2:
			return g.pick("n++", "--n", "n--", "++n", "n=4", "n+=2", "n-=1", "n*=3", "n<<=1", "n/=2", "n%=2", "n|=8", "n^=1", "n&=6", "a[1]=5", "a[n]++", "m[k]+=1", "x=y=2", "1=2", "n++ ++", "-n", "- -n", "!n", "~n", "+n", "!!n", "n+++n", "--a[0]")
		}
		return g.pick("n", "x", "y", "u", "e", "a", "a[0]", "a[n]", "m[k]", "$n", "$x", "${#x}", "${n}", "$#", "$?", "${a[1]}", "p", "r", "a[-1]", "a[@]", "m[$x]", "s", "n", "n", "n")
	}
	switch g.r.Intn(9) {
	case 0:
		return "(" + g.arith(depth-1) + ")"
	case 1:
		return g.arith(depth-1) + "?" + g.arith(depth-1) + ":" + g.arith(depth-1)
	case 2:
		return g.pick("!", "~", "-", "+") + g.arith(depth-1)
	}
	return g.arith(depth-1) + g.pick("+", "-", "*", "<", "==", "&&", "||", ",", "&", "|", "<<", ">=", "%", "/", "**", "^", ">>", "!=", "<=", ">", " + ", " - ", "=", " ", "&& ", "?") + g.arith(depth-1)
}

// quoted is a word in quotes of some kind.
func (g *generator) quoted() string {
	switch g.r.Intn(8) {
	case 0:
		return g.pick("'q r'", "''", "'*'", `'\'`, "'$x'", `'"'`, "'a'b", "'\n'")
	case 1:
		return "$'" + g.pick(`a\tb`, `\x41\u00e9`, `\101\e[0m`, `it\'s`, `a\nb`, `\\`, `\q`, `\cA`, `\x`, `é`, `\0101x`, `a\0b`, `\U1F600`, `\"`, `\?`, `\xe9`, `\u00e9`, `\1`, `\xffz`) + "'"
	case 2:
		return `$"` + g.pick("a b", "$x", `\"`) + `"`
	}
	return `"` + g.many(0, 3, "", func() string {
		switch g.r.Intn(6) {
		case 0, 1:
			return g.pick("a", " ", "b c", "*", "'", `\$`, `\"`, `\a`, `\\`, "~", "{a,b}", ":", "[a]", "}", "é", "\\\n", "#", "!", ";", "\t", "$", "\n")
		case 2:
			return g.choose(g.substitution, g.arithWord)
		}
		return g.parameter(true)
	}) + `"`
}

// piece is a part of a word.
func (g *generator) piece() string {
	n := g.r.Intn(20)
	switch g.theme {
	case expansions, splitting, arrays:
		n += 6
	case arithmetic:
		if n < 6 {
			return g.arithWord()
		}
	case globbing:
		if n < 8 {
			return g.glob()
		}
	}
	switch {
	case n < 8:
		return g.pick("a", "bc", "1", "2", "foo.txt", "x=1", "-n", "a:b", "b", "é", "12", "a", "k", "-", "0", ".", "=", "%", "a,b", "+", "@", "^", "]", "!", "a#b")
	case n < 11:
		return g.quoted()
	case n < 12:
		return g.arithWord()
	case n < 13:
		return g.substitution()
	case n < 14:
		return g.pick("{a,b}", "x{1..3}", "{x,y{1,2}}", "{$x,c}", "{a,'b c'}", "{3..1}", "{a..e..2}", "{01..3}", "{a}", "{,a}", "{a,b", "a,b}", "{1..3}{a,b}", "{$n..3}", "\\{a,b}", "{-1..1}", "{1..a}", "{\"a,b\",c}", "{a,}", "{}", "{1..4..0}", "{4..1..-2}", "${x}{a,b}", "{x,$y}")
	case n < 15:
		return g.pick(`\$x`, `a\ b`, `\*`, `\\`, `\"`, `\'`, `\~`, "~", "~/a", "~+", "~nosuch", "x:~", "a=~", "~-", "\\\n", "\\a", "\\é")
	case n < 16:
		return g.glob()
	}
	return g.parameter(false)
}

func (g *generator) glob() string {
	return g.pick("*", "?", "d/*", "*.txt", "[ab]*", "[!a]*", "*/", "d/", "nosuch*", "a\\*", "\"*\"", ".*", "**", "**/f", "@(a|b)", "!(a)", "+([a-z])", "*(b)", "?(a)b", "[[:upper:]]*", "[a-", "*[.]*", "d/?", "./*", "$x*", "*$e", "\\*", "[\\*]", "d/../*", ".[a-z]*", "d/.*", "*/*", "*//f", "'d'/*", "[]a]*", "l/*")
}

func (g *generator) word() string {
	if g.oneIn(3) {
		return g.many(2, 3, "", g.piece)
	}
	return g.piece()
}

func (g *generator) words() string { return g.many(1, 3, " ", g.word) }

// plain is a word that every construct takes.
func (g *generator) plain() string {
	return g.pick("a", "b", "'c d'", "1", "2", "\"$x\"", "$x", "$n", "''", "k", "'*'", "\"${a[@]}\"", "é", "'a:b'", "-1")
}
