package regex

import (
	"testing"
)

// FuzzSame runs a pattern through all matchers that can run it: they must agree
// on whether, and for POSIX where, it matches.
func FuzzSame(f *testing.F) {
	f.Add("(a|ab)(c|bcd)*$", "xabcd", byte(3))
	f.Add("\\<[^é]*x\\{1,3\\}", "éax xx", byte(2))
	f.Add("(?i)a+?(b|\\w)\\b", "AAbé", byte(6))
	f.Add("[[:alpha:]\\]-z]+\\B.", "\xffaZ_", byte(1))
	f.Fuzz(func(t *testing.T, pattern, text string, syntax byte) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		o := Options{Syntax: Syntax(syntax % 8), Steps: 200_000, Fold: syntax&64 != 0, Multiline: syntax&128 != 0}
		re, err := Compile([]byte(pattern), o)
		if err != nil {
			return
		}
		loc := make([]int, 2*(re.NumSubexp()+1))
		found, err := re.Find([]byte(text), 0, loc)
		if err != nil {
			return
		}
		if ok, err := re.Match([]byte(text)); err == nil && ok != found {
			t.Fatalf("Match %v, Find %v", ok, found)
		}
		if !found {
			return
		}
		for i := 0; i < len(loc); i += 2 {
			if (loc[i] < 0) != (loc[i+1] < 0) && o.Syntax != Perl || loc[i] > len(text) || loc[i+1] > len(text) {
				t.Fatalf("places %v", loc)
			}
		}
		if o.Syntax == Perl || re.track != nil {
			return
		}
		// The backtracking matcher is an independent judge of the automata.
		full := &Regexp{opts: re.opts, patterns: re.patterns}
		if err := full.build(false); err != nil {
			return
		}
		tree, err := newParser([]byte(pattern), full.opts, 0).parse()
		if err != nil {
			t.Fatal(err)
		}
		judge := &track{}
		if judge.compile(tree, full.nsub, full.opts, &prog{eol: '\n', empty: true}) != nil {
			return
		}
		judge.budget = 500_000
		var want [2]int
		ok, err := judge.find([]byte(text), 0, want[:])
		if err == nil && (!ok || want[0] != loc[0] || want[1] != loc[1]) {
			t.Fatalf("automata %v, backtracking %v %v", loc[:2], ok, want)
		}
	})
}
