package expand

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// gen makes random scripts out of what expansion knows.
type gen struct {
	r     *rand.Rand
	depth int
}

func (g *gen) pick(l ...string) string { return l[g.r.Intn(len(l))] }

func (g *gen) many(lo, hi int, f func() string) string {
	var b strings.Builder
	for n := lo + g.r.Intn(hi-lo+1); n > 0; n-- {
		b.WriteString(f())
	}
	return b.String()
}

func (g *gen) setup() string {
	var b strings.Builder
	value := func() string {
		return g.pick("", "a", "b c", "' a  b '", "'a:b'", "':a::b:'", "'a*b'", "'[ab]'", `'\a\\b'`, "'x y z'", "abcabc", "'aébü'", "5", "-3", "007", "'1 + 2'", "'a&b'", `'"q"'`, `"it's"`, "$'\\t\\n a'", "hello.tar.gz", "/usr/lib/x", "'b'", "x", "1", "'a[1]'", "'?'", "'~'", "'{a,b}'")
	}
	for _, name := range []string{"x", "y", "z", "p"} {
		if g.r.Intn(5) > 0 {
			fmt.Fprintf(&b, "%s=%s; ", name, value())
		}
	}
	if g.r.Intn(2) == 0 {
		b.WriteString("set -- " + g.many(0, 4, func() string {
			v := value()
			if v == "" {
				v = "''"
			}
			return v + " "
		}) + "; ")
	}
	if g.r.Intn(2) == 0 {
		b.WriteString("a=(" + g.many(0, 4, func() string {
			v := value()
			if v == "" {
				v = "''"
			}
			return v + " "
		}) + "); ")
		if g.r.Intn(3) == 0 {
			b.WriteString("a[7]=seven; unset 'a[1]'; ")
		}
	}
	if g.r.Intn(3) == 0 {
		b.WriteString("declare -A m=([a]=1 [b]='x y' [1]=one [x]=7); ")
	}
	switch g.r.Intn(6) {
	case 0:
		b.WriteString("IFS=" + g.pick(":", "''", "' :'", "b", "': '", "'*'", "' '", "-") + "; ")
	case 1:
		b.WriteString("unset IFS; ")
	}
	if g.r.Intn(4) == 0 {
		b.WriteString("shopt -s extglob\n")
	}
	if g.r.Intn(8) == 0 {
		b.WriteString("set -u; ")
	}
	return b.String()
}

func (g *gen) literal() string {
	return g.pick("a", "b", "xy", ".", "/", ":", "-", "é", "1", "=", "+", ",", "%", "@", "^", `\ `, `\*`, `\$`, `\\`, `\"`, `\'`, "~", "~/", "}", "{", "]", "x=")
}

func (g *gen) word() string {
	return g.many(1, 3, func() string { return g.piece(false) })
}

func (g *gen) piece(dq bool) string {
	if g.depth > 3 {
		return "d"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.r.Intn(14) {
	case 0, 1, 2:
		if dq {
			return g.pick("a", " ", "b c", "*", "'", `\$`, `\"`, `\a`, `\\`, "~", "{a,b}", ":", "[a]", "}")
		}
		return g.literal()
	case 3, 4:
		if dq {
			return "$x"
		}
		return `"` + g.many(0, 3, func() string { return g.piece(true) }) + `"`
	case 5:
		if dq {
			return "'"
		}
		return g.pick("'a b'", "''", "'*'", `'\'`, `$'a\tb'`, `'"'`, "'$x'")
	case 6, 7, 8:
		return g.pick("$x", "$y", "${z}", "$1", "$@", "$*", "$#", "${a[@]}", "${a[*]}", "$a", "${a[1]}", "${m[a]}", "${m[@]}", "$?", "${#x}", "${#a[@]}", "${!p}", "${!a[@]}", "${@:2}", "${a[@]:1:2}", "${x:1}", "${x: -2}", "${x:1:2}", "${*:1:2}", "${#@}", "${a[-1]}")
	case 9:
		return "$((" + g.arith() + "))"
	case 10:
		return "$(echo " + g.pick("hi", "'a  b'", "$x", `"$x"`, "\"$@\"", "a:b") + ")"
	case 11:
		if dq || g.depth > 2 {
			return "b"
		}
		return g.pick("{a,b}", "{1..3}", "{$x,c}", "{a,{b,c}}", "{,x}", "{a..c}", "{a}", "{\"a b\",c}")
	default:
		return g.param(dq)
	}
}

func (g *gen) param(dq bool) string {
	name := g.pick("x", "y", "z", "u", "p", "1", "2", "@", "*", "a[@]", "a[*]", "a[1]", "a", "m[a]", "m[@]", "u")
	switch g.r.Intn(9) {
	case 0, 1, 2:
		return "${" + name + g.pick(":-", "-", ":+", "+") + g.operand(dq) + "}"
	case 3:
		if strings.ContainsAny(name, "@*12") {
			name = "u"
		}
		return "${" + name + g.pick(":=", "=") + g.operand(dq) + "}"
	case 4, 5:
		return "${" + name + g.pick("#", "##", "%", "%%") + g.pattern() + "}"
	case 6:
		return "${" + name + g.pick("/", "//", "/#", "/%") + g.pattern() + g.pick("", "/", "/r", "/[&]", "/\\&", "/\"&\"", "/$y", "/\"$y\"", "/a b", "/'q'") + "}"
	case 7:
		return "${" + name + g.pick("^", "^^", ",", ",,") + g.pick("", "", "[a-c]", "?") + "}"
	default:
		return "${" + name + g.pick("@Q", "@U", "@u", "@L", "@a", ":1", ":0:2", ":1:1", ": -1") + "}"
	}
}

func (g *gen) operand(dq bool) string {
	return g.many(0, 2, func() string {
		switch g.r.Intn(4) {
		case 0:
			return g.pick("d e", "'q r'", `"s t"`, `\*`, "~", "a:b", "*", " ", `\}`)
		default:
			return strings.NewReplacer("}", "", "{", "").Replace(g.pick("w", "x y", "-")) + g.piece(dq)
		}
	})
}

func (g *gen) pattern() string {
	return g.many(1, 2, func() string {
		return g.pick("a", "b", "*", "?", "[ab]", "[!a]", "$x", `"$x"`, "*b", "c*", `\*`, "'*'", "[[:alpha:]]", " ", ".", "+(a|b)", "@(a)", "*(a)", "!(a)", "?(a)b", "[a-c]", `\\`, "é", "$p")
	})
}

func (g *gen) arith() string {
	if g.depth > 4 {
		return "1"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.r.Intn(10) {
	case 0, 1:
		return g.pick("1", "2", "0", "7", "010", "0x1f", "2#101", "64#z", "-3")
	case 2, 3:
		return g.pick("y", "n", "$#", "i", "a[0]", "k", "${#x}", "$n", "j++", "--j", "a[i]", "m[a]", "m[x]")
	case 4:
		return "(" + g.arith() + ")"
	case 5:
		return g.pick("!", "~", "-", "+", "- ") + g.arith()
	case 6:
		return g.arith() + "?" + g.arith() + ":" + g.arith()
	case 7:
		return g.pick("n", "i", "a[2]", "m[n]", "k") + g.pick("=", "+=", "-=", "*=", "<<=", "|=", "/=") + g.arith()
	default:
		return g.arith() + g.pick("+", "-", "*", "/", "%", "**", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", ",", " + ", " - ", "\n+") + g.arith()
	}
}

func (g *gen) script() string {
	g.depth = 0
	s := g.setup()
	switch g.r.Intn(10) {
	case 0, 1:
		return s + "v=" + g.word() + "; n \"$v\" " + g.pick("", "$v", "$x")
	case 2:
		return s + "[[ " + g.word() + " == " + g.pattern() + " ]] && echo yes || echo no"
	case 3:
		return s + "i=1; n=4; k=n; echo $((" + g.arith() + ")) $i $n $j; n \"${a[@]}\""
	case 4:
		return s + "cat <<E\n" + g.many(1, 4, func() string { return g.piece(true) }) + "\nE\n"
	case 5:
		return s + "b=(" + g.word() + " " + g.word() + "); n \"${b[@]}\""
	default:
		return s + "n " + g.many(1, 3, func() string { return g.word() + " " })
	}
}

// TestRandomAgainstBash compares random scripts with the bash that is
// installed: EXPAND_RANDOM says how many, EXPAND_SEED from which seed on.
func TestRandomAgainstBash(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("EXPAND_RANDOM"))
	if count == 0 {
		t.Skip("set EXPAND_RANDOM to a number of scripts")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	seed, _ := strconv.ParseInt(os.Getenv("EXPAND_SEED"), 10, 64)
	same, skipped, bad := 0, 0, 0
	for i := range int64(count) {
		g := gen{r: rand.New(rand.NewSource(seed + i))}
		script := g.script()
		out, msg, ok := ours(script, false)
		if !ok {
			skipped++
			continue
		}
		wantOut, wantErr := bash(t, script)
		if strings.Contains(wantErr, "unexpected EOF") || strings.Contains(wantErr, "near unexpected token") || strings.Contains(wantErr, "here-document at line") {
			skipped++
			continue
		}
		if out != wantOut || msg != wantErr {
			if bad++; bad <= 25 {
				t.Errorf("seed %d: %s\n got %q %q\nwant %q %q", seed+i, script, out, msg, wantOut, wantErr)
			}
			continue
		}
		same++
	}
	t.Logf("%d same, %d skipped, %d bad", same, skipped, bad)
}
