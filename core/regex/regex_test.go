package regex

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// show gives the match and its groups as text: "1-3 1-2 -".
func show(t *testing.T, pattern, text string, o Options) string {
	t.Helper()
	re, err := Compile([]byte(pattern), o)
	if err != nil {
		return "error: " + err.Error()
	}
	loc := make([]int, 2*(re.NumSubexp()+1))
	ok, err := re.Find([]byte(text), 0, loc)
	if err != nil {
		return "error: " + err.Error()
	}
	if m, err := re.Match([]byte(text)); m != ok || err != nil {
		t.Errorf("%q on %q: Match %v %v, Find %v", pattern, text, m, err, ok)
	}
	if !ok {
		return "no"
	}
	var out []string
	for i := 0; i < len(loc); i += 2 {
		if loc[i] < 0 {
			out = append(out, "-")
			continue
		}
		out = append(out, fmt.Sprintf("%d-%d", loc[i], loc[i+1]))
	}
	return strings.Join(out, " ")
}

func TestFind(t *testing.T) {
	ext := Options{Syntax: SedExtended}
	bas := Options{Syntax: SedBasic}
	for _, c := range []struct {
		pattern, text string
		o             Options
		want          string
	}{
		{"abc", "xabcx", ext, "1-4"},
		{"(a|ab)(c|bcd)(d*)", "abcd", ext, "0-4 0-1 1-4 4-4"},
		{"(a*|b)*", "abc", ext, "0-2 1-2"},
		{"(a|ab|b|abc)*", "ababc", ext, "0-5 2-5"},
		{"(a*)(a|aa)*", "aaa", ext, "0-3 0-3 -"},
		{"(a*)*", "b", ext, "0-0 -"},
		{"(a*)+", "b", ext, "0-0 0-0"},
		{"((a)|(b))*", "abab", ext, "0-4 3-4 2-3 3-4"},
		{"a|ab|abc", "xabcd", ext, "1-4"},
		{"abcd|c", "abcx", ext, "2-3"},
		{"abcd|c", "abcd", ext, "0-4"},
		{"x*", "aaa", ext, "0-0"},
		{"[0-9]+", "ab123c", ext, "2-5"},
		{".", "é", ext, "0-2"},
		{".", "\xff", ext, "no"},
		{"[^a]", "\xffz", ext, "1-2"},
		{"é*x", "aééx", ext, "1-6"},
		{"\x85", "煢\x85", ext, "3-4"},
		{"[a\x85]+", "煢a\x85", ext, "3-5"},
		{"[à-ü]+", "aéèz", ext, "1-5"},
		{"\\bé", "aé é", ext, "4-6"},
		{"\\Bb\\B", "ab éb cbd", ext, "8-9"},
		{"\\<b", "ab éb bc", ext, "7-8"},
		{"b\\>", "bé b", ext, "4-5"},
		{"\\w+", "  héé!", ext, "2-7"},
		{"a{2,3}", "aaaaa", ext, "0-3"},
		{"a{,2}b", "aaab", ext, "1-4"},
		{"(ab){2}", "ababab", ext, "0-4 2-4"},
		{"a{0}b", "ab", ext, "1-2"},
		{"^a|b$", "ab", ext, "0-1"},
		{"b$", "ab", ext, "1-2"},
		{"(^a)", "ba", ext, "no"},
		{"\\(a\\)\\1", "abaa", bas, "2-4 2-3"},
		{"\\(.*\\)\\1x", "ababx", bas, "0-5 0-2"},
		{"^\\(.*\\)-\\1$", "foo-foo", bas, "0-7 0-3"},
		{"\\(a*\\)*\\1b", "aab", bas, "0-3 0-1"},
		{"*a", "b*a", bas, "1-3"},
		{"\\(*a\\)", "*a", bas, "0-2 0-2"},
		{"a\\|b", "xb", bas, "1-2"},
		{"a\\+", "baa", bas, "1-3"},
		{"a^b$c", "a^b$c", bas, "0-5"},
		{"[[:digit:]]\\{3\\}", "12345", bas, "0-3"},
		{"[]a]*", "a]b", bas, "0-2"},
		{"[^]a]", "a]b", bas, "2-3"},
		{"[\\n]", "\\", bas, "0-1"},
		{"a.b", "a\nb", bas, "0-3"},
		{"a.b", "a\nb", Options{Syntax: SedBasic, Multiline: true}, "no"},
		{"^b", "a\nb", Options{Syntax: SedBasic, Multiline: true}, "2-3"},
		{"\\`b", "a\nb", Options{Syntax: SedBasic, Multiline: true}, "no"},
		{"ABC", "xabc", Options{Syntax: SedBasic, Fold: true}, "1-4"},
		{"[^A]", "aAb", Options{Syntax: SedBasic, Fold: true}, "2-3"},
		{"k", "\u212a", Options{Syntax: SedBasic, Fold: true}, "0-3"},
		{"\\(a\\)\\1", "aA", Options{Syntax: SedBasic, Fold: true}, "0-2 0-1"},
		{"[[:upper:]]", "a", Options{Syntax: SedBasic, Fold: true}, "0-1"},
		{"foo", "xfoo foo", Options{Syntax: GrepBasic, Words: true}, "5-8"},
		{"foo\\|foob", "foobar foo", Options{Syntax: GrepBasic, Words: true}, "7-10"},
		{".*foo", "xfoo foo", Options{Syntax: GrepBasic, Words: true}, "0-8"},
		{"a.c", "a.c", Options{Syntax: Literal}, "0-3"},
		{"a.c", "abc", Options{Syntax: Literal}, "no"},
		{"*a", "xa", Options{Syntax: GrepExtended}, "1-2"},
		{"*a", "xa*a", Options{Syntax: Awk}, "2-4"},
		{"\\yfoo\\y", "a foo", Options{Syntax: Awk}, "2-5"},
		{"a{1", "a{1", Options{Syntax: GrepExtended}, "0-3"},
		{"a)", "a)", Options{Syntax: Bash}, "0-2"},

		{"a+?", "aaa", Options{Syntax: Perl}, "0-1"},
		{"(a|ab)(c|bcd)", "abcd", Options{Syntax: Perl}, "0-4 0-1 1-4"},
		{"a|ab", "ab", Options{Syntax: Perl}, "0-1"},
		{"(?<=a)b", "bab", Options{Syntax: Perl}, "2-3"},
		{"(?<!a)b", "abb", Options{Syntax: Perl}, "2-3"},
		{"(?<=é|xyz)b", "éb", Options{Syntax: Perl}, "2-3"},
		{"a(?=b)", "acab", Options{Syntax: Perl}, "2-3"},
		{"a(?!b)", "abac", Options{Syntax: Perl}, "2-3"},
		{"foo\\Kbar", "foobar", Options{Syntax: Perl}, "3-6"},
		{"(?i)a(?-i)b", "ABAb", Options{Syntax: Perl}, "2-4"},
		{"(?i:a)b", "Ab", Options{Syntax: Perl}, "0-2"},
		{"\\d{2,}?", "1234", Options{Syntax: Perl}, "0-2"},
		{"a++a", "aaa", Options{Syntax: Perl}, "no"},
		{"(?>a+)b", "aab", Options{Syntax: Perl}, "0-3"},
		{"(?<x>a)\\k<x>", "baa", Options{Syntax: Perl}, "1-3 1-2"},
		{"(a)\\g{-1}", "aa", Options{Syntax: Perl}, "0-2 0-1"},
		{"\\Qa.b\\E+", "a.bbb", Options{Syntax: Perl}, "0-5"},
		{"(?x) a b # c", "ab", Options{Syntax: Perl}, "0-2"},
		{"\\x41\\x{e9}", "Aé", Options{Syntax: Perl}, "0-3"},
		{"\\p{Lu}", "aÉ", Options{Syntax: Perl}, "1-3"},
		{"[\\w.]+@", "x.y@z", Options{Syntax: Perl}, "0-4"},
		{"(a*)*b", "aab", Options{Syntax: Perl}, "0-3 2-2"},
		{"^(?:(\\d+)x)?", "12y", Options{Syntax: Perl}, "0-0 -"},
	} {
		if got := show(t, c.pattern, c.text, c.o); got != c.want {
			t.Errorf("%q on %q: got %s, want %s", c.pattern, c.text, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		pattern string
		syntax  Syntax
		want    Code
	}{
		{"[", GrepBasic, BadPattern}, {"[a", GrepBasic, BadBracket}, {"[[:foo:]]", GrepBasic, BadClass},
		{"[:space:]", GrepBasic, ClassSyntax}, {"[:space:]", SedBasic, ClassSyntax}, {"[:space:]", Bash, 0},
		{"\\(", GrepBasic, BadParen}, {"\\)", GrepBasic, BadCloseParen}, {")", GrepExtended, 0},
		{")", SedExtended, BadCloseParen}, {"a\\{1", GrepBasic, BadBrace}, {"a\\{1,2", SedBasic, BadBrace},
		{"a\\{2,1\\}", GrepBasic, BadInterval}, {"a\\{x\\}", GrepBasic, BadInterval}, {"a{x}", SedExtended, BadRepeat},
		{"\\{1\\}", SedBasic, BadRepeat}, {"\\{1\\}", GrepBasic, 0}, {"a**", SedBasic, BadRepeat}, {"a**", GrepBasic, 0},
		{"*a", SedExtended, BadRepeat}, {"a|*b", Bash, BadRepeat}, {"a{1", Bash, BadBrace},
		{"\\", GrepBasic, BadEscape}, {"[z-a]", GrepBasic, BadRange}, {"[[.space.]]", GrepBasic, BadCollation},
		{"[a-z-9]", GrepBasic, BadRange}, {"[--/]", GrepBasic, 0}, {"[%--]", GrepBasic, 0}, {"[a-[:digit:]]", SedBasic, BadRange},
		{"[[:space:]-x]", GrepBasic, BadRange}, {"\\1", GrepBasic, BadBackref}, {"\\(a\\)\\2", GrepBasic, BadBackref},
		{"a\\{32768\\}", GrepBasic, TooBig}, {"a\\{32767\\}", GrepBasic, 0}, {"(.{1000}){1000}", GrepExtended, TooBig},
		{strings.Repeat("(", 100000), GrepExtended, TooBig}, {strings.Repeat("a{1}", 1) + strings.Repeat("{1}", 100000), GrepExtended, TooBig},
		{"(?R)", Perl, Unsupported}, {"(?(1)a)", Perl, Unsupported}, {"\\X", Perl, Unsupported}, {"(", Perl, BadPerl},
	} {
		_, err := Compile([]byte(c.pattern), Options{Syntax: c.syntax})
		if c.want == 0 && err == nil || c.want != 0 && errors.Is(err, c.want) {
			continue
		}
		t.Errorf("%.20q: %v, want %v", c.pattern, err, c.want)
	}
}

func TestFindLine(t *testing.T) {
	text := "one 1\ntwo 22\n\nthree 333\nfour"
	for _, c := range []struct {
		pattern, want string
		o             Options
	}{
		{"[0-9]$", "one 1|two 22|three 333", Options{}},
		{"^t", "two 22|three 333", Options{}},
		{"^$", "", Options{}},
		{"r*", "one 1|two 22||three 333|four", Options{}},
		{"e.*3", "three 333", Options{}},
		{"[a-z] 22", "two 22", Options{}},
		{"four", "four", Options{}},
		{"o", "one 1|two 22|four", Options{}},
		{"[^a]$", "one 1|two 22|three 333|four", Options{}},
		{"\\s", "one 1|two 22|three 333", Options{}},
		{"\\(.\\)\\1", "two 22|three 333", Options{}},
		{"four", "four", Options{Whole: true}},
		{"o", "", Options{Words: true}},
		{"zzz", "", Options{}},
	} {
		c.o.Records, c.o.EOL, c.o.NoSub = true, '\n', true
		re, err := Compile([]byte(c.pattern), c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for at := 0; ; {
			s, e, sure, err := re.FindLine([]byte(text), at)
			if err != nil {
				t.Fatal(err)
			}
			if s < 0 {
				break
			}
			if !sure {
				sure, err = re.Confirm([]byte(text[s:e]))
				if err != nil {
					t.Fatal(err)
				}
			}
			if sure {
				got = append(got, text[s:e])
			}
			at = e + 1
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%q: got %q, want %q", c.pattern, g, c.want)
		}
	}
}

// Time must be bounded whatever the pattern: these are the classics that kill
// backtracking matchers.
func TestSteps(t *testing.T) {
	long := strings.Repeat("a", 5000)
	for _, p := range []string{"(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)(.*)(.*)(.*)(.*)b", "a?{50}a{50}b"} {
		if got := show(t, p, long, Options{Syntax: GrepExtended}); got != "no" {
			t.Errorf("%s: %s", p, got)
		}
	}
	re, err := Compile([]byte(`(a*)*\1b`), Options{Syntax: GrepExtended, Steps: 100000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = re.Find([]byte(strings.Repeat("a", 40)+"cb"), 0, make([]int, 4)); !errors.Is(err, ErrSteps) {
		t.Errorf("no end of steps: %v", err)
	}
}

// Many words share their beginnings; the answer is that of one at a time.
func TestWords(t *testing.T) {
	words := strings.Fields("foo foobar fo bar ba b éa éb kilo sand sandy x")
	text := []string{"", "f", "fo", "xfoob", "BA", "a\u212aILOz", "\u017fand", "É", "éA", "ÉB", "zzz", "sa", "foobar"}
	for _, fold := range []bool{false, true} {
		o := Options{Syntax: Literal, Fold: fold, NoSub: true}
		var list [][]byte
		for _, w := range words {
			list = append(list, []byte(w))
		}
		all, err := CompileAll(list, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range text {
			want, start, end := false, 99, -1
			var loc [2]int
			for _, w := range words {
				one, err := Compile([]byte(w), o)
				if err != nil {
					t.Fatal(err)
				}
				ok, _ := one.Find([]byte(s), 0, loc[:])
				if ok && (loc[0] < start || loc[0] == start && loc[1] > end) {
					want, start, end = true, loc[0], loc[1]
				}
			}
			got, err := all.Find([]byte(s), 0, loc[:])
			if err != nil || got != want || got && loc != [2]int{start, end} {
				t.Errorf("fold %v, %q: %v at %v, want %v at %d-%d", fold, s, got, loc, want, start, end)
			}
		}
	}
}
