package expand

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"eryxsh/core/large"
)

// Input that would take the host down, or forever, must end in an error.
func TestHostileInput(t *testing.T) {
	many := strings.Repeat
	deepName := "x"
	for _, c := range []struct{ name, text, limit string }{
		{"braces", "{1..100000000}", "memory"},
		{"brace product", many("{1..1000}", 4), "memory"},
		{"brace nesting", many("{a,", 5000) + many("}", 5000), "depth"},
		{"parameters", many("${x:-", 5000) + many("}", 5000), ""},
		{"quotes", many(`"${x:-`, 5000) + many(`}"`, 5000), ""},
		{"arithmetic", many("$((", 3000) + "1" + many("))", 3000), ""},
		{"parentheses", "$((" + many("(", 100000) + "1" + many(")", 100000) + "))", ""},
		{"unary", "$((" + many("-", 1) + many("- ", 100000) + "1))", ""},
		{"ternary", "$((" + many("1?", 50000) + "1" + many(":1", 50000) + "))", ""},
		{"assignments", "$((" + many("v=", 100000) + "1))", ""},
		{"powers", "$((" + many("1**", 100000) + "1))", ""},
		{"subscripts", "$((" + many("a[", 3000) + "0" + many("]", 3000) + "))", ""},
		{"parameter subscripts", many("${a[", 3000) + "0" + many("]}", 3000), ""},
		{"mixed subscripts", many("${a[$((a[", 800) + "0" + many("]))]}", 800), ""},
		{"extended patterns", "${x#" + many("@(", 3000) + "a" + many(")", 3000) + "}", "depth"},
		{"self reference", "$((" + deepName + "self))", ""},
	} {
		sh := newShell()
		sh.flags |= ExtGlob
		sh.vars.Own("xself").SetString("(xself+1)*(xself)")
		sh.vars.Own("a").SetIndex(0, "0")
		if strings.HasPrefix(c.name, "extended") {
			sh.vars.Own("x").SetString("aaa")
		}
		_, err := Fields(sh, nil, []*Word{CompileText(nil, c.text)})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.limit != "" && (e.Kind != Limit || e.Name != c.limit) {
			t.Errorf("%s: %v %q %s", c.name, e.Kind, e.Name, e.Text)
		}
	}
}

// Long flat input is no depth.
func TestLongFlatInput(t *testing.T) {
	many := strings.Repeat
	for _, c := range []struct{ text, want string }{
		{"$((" + many("1+", 100000) + "1))", "100001"},
		{"$((" + many("1,", 100000) + "7))", "7"},
		{"$((" + many("1&&", 100000) + "7))", "1"},
		{"$((" + many("0||", 100000) + "7))", "1"},
		{many("${u}", 50000) + "x", "x"},
		{many(`"a"`, 50000), many("a", 50000)},
		{"${x//a/}", ""},
		{"${x//?(b)a/c}", many("c", 100000)},
		{"${x%%+(a)}", ""},
		{"${x##*(a)}", ""},
		{"${x/*a*a*a*b/}", many("a", 100000)},
	} {
		sh := newShell()
		sh.flags |= ExtGlob
		n := 100000
		if strings.Contains(c.text, "?(b)") || strings.Contains(c.text, "*b") {
			n = 2000 // quadratic, as in bash; metered
		}
		sh.vars.Own("x").SetString(many("a", n))
		out, err := String(sh, CompileText(nil, c.text))
		if want := c.want[:min(len(c.want), max(n, 50000))]; err != nil || out != want && out != many("c", n) && out != many("a", n) {
			t.Errorf("%.30s: %.30q %v, want %.30q", c.text, out, err, want)
		}
		if n == 2000 && sh.charge == 0 {
			t.Errorf("%.30s is not charged", c.text)
		}
	}
}

// A meter must be able to stop a pattern that takes long.
func TestPatternsAreCharged(t *testing.T) {
	sh := newShell()
	m := NewMatcher("*!(a)*!(b)*c", ExtGlob).Metered(sh)
	m.Match(strings.Repeat("ab", 500))
	if sh.charge < 1000 {
		t.Errorf("only %d units", sh.charge)
	}
}

// TestLastIndex: what is searched in pieces is found at every place, across two of them, too.
func TestLastIndex(t *testing.T) {
	for _, lit := range []string{"b", "bb", "bab", ""} {
		m := NewMatcher("*"+lit, 0).Metered(newShell())
		m.lit = lit
		for _, size := range []int{10, large.Piece, 2*large.Piece + 5, 3 * large.Piece} {
			text := strings.Repeat("a", size)
			for _, at := range []int{-1, 0, 1, size/2 - 3, size - large.Piece - 2, size - large.Piece - 1, size - large.Piece, size - 2*large.Piece - 4, size - len(lit)} {
				s := text
				if at >= 0 && at+len(lit) <= size {
					s = text[:at] + lit + text[at+len(lit):]
				}
				if got, want := m.lastIndex(s), strings.LastIndex(s, lit); got != want {
					t.Errorf("%q in %d bytes: %d instead of %d", lit, size, got, want)
				}
			}
		}
	}
}

func TestMemoIsCheckedAgainstTheExpansion(t *testing.T) {
	sh := newShell()
	m := Memo{Entries: []Entry{{Kind: EntryCommand, OK: true, Text: []byte("x")}}}
	var r Recorder
	if _, err := Fields(r.Start(sh, &m), nil, []*Word{CompileText(nil, "$x")}); err == nil && r.Err() == nil {
		t.Error("an entry of another kind must not pass")
	}
}

// TestFieldsAreHeld: who bounds memory hears of many fields while they are made.
func TestFieldsAreHeld(t *testing.T) {
	const n = 100_000
	for _, text := range []string{"$x", "${a[@]}", `"${a[@]}"`, "{1..100000}", "${x:-y}", "$x$x"} {
		sh := newShell()
		sh.vars.Own("x").SetString(strings.Repeat("a ", n))
		for i := range n {
			sh.vars.Own("a").SetIndex(int64(i), "a")
		}
		out, err := Fields(sh, nil, []*Word{CompileText(nil, text)})
		if err != nil || len(out) < n || sh.held < len(out)*fieldSize*9/10 {
			t.Errorf("%s: %d fields hold %d bytes, %v", text, len(out), sh.held, err)
		}
	}
}

// TestTextsAreAskedFor: whatever makes long texts asks for nearly all of the memory before it takes it.
func TestTextsAreAskedFor(t *testing.T) {
	const size = 4 << 20
	for _, text := range []string{
		"$x$x", `"$x$x"`, `"a${x}b"`, "${x@Q}", "${q@Q}", "${c@Q}", "${x@E}", "${x@U}", "${x@L}", "${x@u}", "${x@A}", "${x^^}", "${x,,}", "${x~~}", "${x^}",
		"${x//a/b}", "${x/#/$x}", "${x/%/$x}", "${x/a/$x}", "${x//$x/$x$x}", "${x//?/b}", "${x//[a-c]/bc}", "${x/*/&&}", "${x#a}", "${x%%a}", "${x:1}", "${x:1:2000000}", "${x:-y}$x",
		`"${l[*]}"`, "${l[@]@Q}", "${l[*]/a/b}", "${l[*]^^}", "${l[@]@K}", "${l[@]@A}", "${x}${y:=$x}", "\"$x\"*", "[$x]",
	} {
		for _, as := range []struct {
			name string
			f    func(Env, *Word) (string, error)
		}{{"text", String}, {"pattern", Pattern}, {"regexp", Regexp}} {
			sh := newShell()
			long := strings.Repeat("a", size)
			sh.vars.Own("x").SetString(long)
			sh.vars.Own("q").SetString(strings.Repeat("'", size))
			sh.vars.Own("c").SetString(strings.Repeat("\x01", size))
			for i := range 4 {
				sh.vars.Own("l").SetIndex(int64(i), long[:size/4])
			}
			w := CompileText(nil, text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := as.f(sh, w)
			runtime.ReadMemStats(&after)
			took := int(after.TotalAlloc - before.TotalAlloc)
			if err != nil || took > sh.asked+sh.asked/4+size+2<<20 {
				t.Errorf("%s as %s takes %d MiB and asks for %d, %v", text, as.name, took>>20, sh.asked>>20, err)
			}
		}
	}
}
