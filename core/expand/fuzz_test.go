package expand

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

func FuzzEncode(f *testing.F) {
	f.Add([]byte("echo \xff\xfe é \U0010fe80 \U0010ff00 \xf4\x8f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e := Encode(b)
		if !utf8.ValidString(e) {
			t.Fatalf("%q is not valid", e)
		}
		if want := bytes.ReplaceAll(b, []byte{0}, nil); Decode(e) != string(want) {
			t.Fatalf("%q comes back as %q", want, Decode(e))
		}
	})
}

// meter is an Env that stops expansions which take too long.
type meter struct{ *shell }

var errMeter = errors.New("meter")

func (m meter) Hold(int) {}
func (m meter) Need(int) {}

func (m meter) Charge(n int) {
	if m.charge += n; m.charge > 1<<22 {
		panic(errMeter)
	}
}

func bounded(t *testing.T, f func(env Env)) {
	sh := newShell()
	sh.vars.Own("x").SetString("a b*[c]\\")
	sh.vars.Own("i").SetInt(3)
	sh.vars.Own("a").SetIndex(2, "x+i")
	sh.vars.Own("m").SetKey("k", "v")
	sh.params = []string{"one", "", "t w"}
	defer func() {
		if r := recover(); r != nil && r != errMeter {
			panic(r)
		}
	}()
	f(meter{sh})
}

func FuzzWord(f *testing.F) {
	for _, s := range []string{
		`a"b$x"'c'\d`, `${x:-${y:=z}}`, `${a[@]:1:2}${m[k]}`, `{a,{1..3}}$((i++))`, `~/x:~+`, `${x//[!a]/&}`, `$'\x41\u1234'`,
		"`echo`", "${x@Q}${!x*}", "$[1+$i]", "${a[${a[2]}]}", "\x00", "${", "$((", "${x:", "{{{{,", "${x/#%", "${!a[@]@A}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		bounded(t, func(env Env) {
			w := CompileText(nil, s)
			_, _ = Fields(env, nil, []*Word{w})
			_, _ = String(env, w)
			_, _ = Regexp(env, w)
			if p, err := Pattern(env, w); err == nil {
				NewMatcher(p, ExtGlob).Metered(env).Match("abcabc")
			}
			_, _ = HereDoc(env, CompilePrompt(nil, s))
		})
	})
}

func FuzzArith(f *testing.F) {
	for _, s := range []string{"1+2*3", "x=i++,a[2]--", "i?1:2", "16#ff**-1", "((((", "$x+${i}", "a[a[a[2]]]", "08", "1<<64", "m[k]=5", "--i--", "~!-+1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		bounded(t, func(env Env) {
			_, _ = ArithText(nil, s).Eval(env)
			_, _ = EvalString(env, s)
		})
	})
}

// FuzzPattern checks the shortcuts against the general matcher: what matches
// as a whole must be the longest prefix and suffix.
func FuzzPattern(f *testing.F) {
	for _, s := range [][2]string{{"*a", "bbba"}, {"a*", "abc"}, {"?[!b]*", "aéx"}, {"*(a|b)c", "ababc"}, {"!(a)b", "bb"}, {"+([0-9])", "12"}, {"[[:alpha:]-z]", "-"}, {"[", "["}, {"\\", "\\"}, {"@(a|@(b|c))*", "cx"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 60 || len(s) > 200 {
			return
		}
		bounded(t, func(env Env) {
			m := NewMatcher(pattern, ExtGlob).Metered(env)
			if m.Err() != nil {
				return
			}
			whole := m.Match(s)
			n, ok := m.prefix(s, true)
			if whole != (ok && n == len(s)) {
				t.Fatalf("%q: match %v, longest prefix of %q %d %v", pattern, whole, s, n, ok)
			}
			if utf8.ValidString(pattern) && utf8.ValidString(s) {
				if i, ok := m.suffix(s, true); whole != (ok && i == 0) {
					t.Fatalf("%q: match %v, longest suffix of %q from %d %v", pattern, whole, s, i, ok)
				}
			}
			if short, ok2 := m.prefix(s, false); ok != ok2 || ok && short > n {
				t.Fatalf("%q: shortest prefix of %q is %d, longest %d", pattern, s, short, n)
			}
			_ = m.Replace(s, replacement{text: "x"}, 0, true)
		})
	})
}

// FuzzMask checks that masking changes neither length nor line ends, and that
// compiling what the parser then accepts does not fail.
func FuzzMask(f *testing.F) {
	for _, s := range []string{"echo ${m[a b]} $((1 +))", "a=([x y]=1)", "cat <<E\n${x y}\nE\n", "x=$(case a in a) b;; esac)", "`echo ${a b}`", "(( a b ))", "let a b", "a=([1]+=\\\nb)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 500 || !utf8.ValidString(s) || strings.Count(s, "(")+strings.Count(s, "{") > 50 {
			return
		}
		m, ok := Mask(s, nil)
		if len(m) != len(s) || strings.Count(m, "\n") != strings.Count(s, "\n") || !ok && m != s {
			t.Fatalf("%q: %q %v", s, m, ok)
		}
		if u, ok := Unfold(s, nil); len(u) != len(s) || !ok && u != s {
			t.Fatalf("%q: %q %v", s, u, ok)
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(m), "")
		if err != nil {
			return
		}
		src := NewSource(s, file)
		syntax.Walk(file, func(n syntax.Node) bool {
			if w, ok := n.(*syntax.Word); ok {
				CompileWord(src, w)
			}
			return true
		})
	})
}
