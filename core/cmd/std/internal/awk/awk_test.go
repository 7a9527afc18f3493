package awk

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"eryxsh/core/cmd"
)

// TestSaved runs what keeps state in every saved field, with a save and a load
// after every instruction. The corpus in tests/cmd compares with gawk; here the point is the state.
func TestSaved(t *testing.T) {
	const data = "a 1\nb 2\n\nc 3\n"
	for _, test := range []struct{ name, prog, want string }{
		{"fields", `{ $3 = NR; NF = 4; $0 = $0 "!"; print NF, $2, $0 }`, "4 1 a 1 1 !\n4 2 b 2 2 !\n2 !   3 !\n4 3 c 3 4 !\n"},
		{"lazy split", `{ x = $1; y = $2; z = NF; print x y z }`, "a12\nb22\n0\nc32\n"},
		{"range", `/b/,/c/ { print NR }`, "2\n3\n4\n"},
		{"getline var", `NR == 1 { while ((getline l) > 0) s = s l "|"; print s, NR }`, "b 2||c 3| 4\n"},
		{"getline file", `BEGIN { while ((getline l < "f") > 0) print l; close("f"); getline < "f"; print $1 }`, "one\ntwo x\none\n"},
		{"getline command", `BEGIN { while (("echo 1;2;3" | getline l) > 0) s += l; print s, close("echo 1;2;3") }`, "6 0\n"},
		{"print to command", `{ print $1 | "sort" } END { print "x" | "cat"; close("sort"); print "end" }`, "\na\nb\nc\nx\nend\n"},
		{"coprocess", `BEGIN { c = "sort"; print "b" |& c; print "a" |& c; close(c, "to"); while ((c |& getline l) > 0) print l; print close(c) }`, "a\nb\n0\n"},
		{"system", `BEGIN { printf "x"; r = system("echo mid"); print r, system("exit 3") }`, "xmid\n0 3\n"},
		{"files", `{ print $1 > "out" } END { close("out"); while ((getline l < "out") > 0) print "r" l; close("out"); print "z" >> "out"; close("out"); while ((getline l < "out") > 0) n++; print n }`, "ra\nrb\nr\nrc\n5\n"},
		{"arrays", `BEGIN { for (i = -3; i < 40; i += 3) { a[i] = i; a["k" i] = i; a[i * 1000] } delete a[0]; for (k in a) s = s " " k; print s, length(a) }`, ""},
		{"nested arrays", `BEGIN { a[1]["x"] = 1; a[1]["y"][2] = 3; for (k in a[1]) if (isarray(a[1][k])) for (j in a[1][k]) print k, j, a[1][k][j]; delete a[1]["y"]; print length(a[1]) }`, "y 2 3\n1\n"},
		{"recursion", `function f(n,  a) { a[n] = n; if (n) f(n - 1); return length(a) n } BEGIN { print f(20) }`, "120\n"},
		{"by reference", `function g(x, k) { x[k] = k } function f(x) { g(x, 1); g(x, 2) } BEGIN { f(z); f(e["k"]); print length(z), length(e["k"]) }`, "2 2\n"},
		{"sort by function", `function c(i1, v1, i2, v2) { return v2 - v1 } BEGIN { n = split("3 9 1 7", a); asort(a, b, "c"); PROCINFO["sorted_in"] = "c"; for (i in a) s = s i; for (i = 1; i <= n; i++) s = s " " b[i]; print s }`, "2413 9 7 3 1\n"},
		{"sort in sort", `function c(i1, v1, i2, v2,  k, s) { PROCINFO["sorted_in"] = "d"; for (k in q) s = s k; PROCINFO["sorted_in"] = "c"; return v1 - v2 } function d(i1, v1, i2, v2) { return i2 - i1 } BEGIN { split("3 9 1", a); split("5 6", q); PROCINFO["sorted_in"] = "c"; for (i in a) s = s i; print s }`, "312\n"},
		{"sub", `{ n += gsub(/[a-c]/, "<&>", $1); sub(/[0-9]/, "N"); print; } END { print n }`, "<a> N\n<b> N\n\n<c> N\n3\n"},
		{"rand", `BEGIN { srand(4); a = rand(); b = rand(); srand(4); print a == rand(), b == rand() }`, "1 1\n"},
		{"switch", `{ switch ($1) { case "a": print "A"; case /b/: print "B"; break; default: print "D" } }`, "A\nB\nB\nD\nD\n"},
		{"next and exit", `function f() { for (k in x) next } { x[NR]; if (NR == 2) f(); if (NR == 3) exit 0; print NR } END { print "end" }`, "1\nend\n"},
		{"grow", `BEGIN { for (i = 0; i < 100; i++) { s = s "abcdefgh"; a["x"] = a["x"] i } print length(s), length(a["x"]) }`, "800 190\n"},
		{"for in and delete", `BEGIN { for (i = 0; i < 5; i++) a[i]; for (k in a) { delete a[k]; n++ } print n, length(a) }`, "5 0\n"},
		{"regex separator", `BEGIN { RS = "[0-9]\n+"; FS = "[ab]" } { print NF, RT }`, ""},
		{"paragraphs", `BEGIN { RS = "" } { print NR, NF, $NF }`, "1 4 2\n2 2 3\n"},
		{"dynamic regex", `BEGIN { r = "^[" "ab]" } $0 ~ r { n++ } END { print n }`, "2\n"},
		{"beginfile", `BEGINFILE { print "B" } ENDFILE { print "E", FNR } END { print NR }`, "B\nE 4\n4\n"},
		{"bytes", `BEGIN { s = sprintf("%c", "\377") "\200x"; print length(s), s == "\377\200x"; a[s]; for (k in a) print k == s }`, "3 1\n1\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var first string
			for i, w := range []*world{{}, {slice: 1, reload: true}, {slice: 13}} {
				w.t, w.run, w.stdin = t, shell, &pipe{data: data}
				w.files = map[string]string{"f": "one\ntwo x\n"}
				if status := w.do(test.prog); status != 0 || w.stderr != "" {
					t.Fatalf("status %d, stderr %q", status, w.stderr)
				}
				if i == 0 {
					first = w.stdout
				}
				if w.stdout != first || test.want != "" && first != test.want {
					t.Errorf("slice %d reload %v: got %q, in one go %q, want %q", w.slice, w.reload, w.stdout, first, test.want)
				}
			}
		})
	}
}

// TestOptions is the command line.
func TestOptions(t *testing.T) {
	for _, test := range []struct {
		args   []string
		out    string
		status int
	}{
		{[]string{"-F", ":", "-v", "x=a\\tb", `BEGIN { $0 = "1:2"; print $2 x }`}, "2a\tb\n", 0},
		{[]string{"-f", "p.awk", "-f", "q.awk"}, "p\nq\n", 0},
		{[]string{"-e", "BEGIN { print 1 }", "--source", "BEGIN { print 2 }"}, "1\n2\n", 0},
		{[]string{"--", "BEGIN { print ARGV[1] }", "-x"}, "-x\n", 0},
		{[]string{"-f", "none"}, "", 2},
		{[]string{"-f", "loop.awk"}, "loop\n", 0},
		{[]string{"BEGIN { exit 7 }"}, "", 7},
		{nil, "", 1},
	} {
		w := &world{t: t, run: shell, files: map[string]string{"p.awk": "BEGIN { print \"p\" }", "q.awk": "BEGIN { print \"q\" }",
			"loop.awk": "@include \"loop.awk\"\nBEGIN { print \"loop\" }\n"}}
		if status := w.do(test.args...); status != test.status || w.stdout != test.out {
			t.Errorf("%q: status %d, %q, %q; want %d, %q", test.args, status, w.stdout, w.stderr, test.status, test.out)
		}
	}
}

// TestHostile is programs that try to take the host down: they end with a message.
func TestHostile(t *testing.T) {
	deep := func(a, b string, n int) string { return strings.Repeat(a, n) + "1" + strings.Repeat(b, n) }
	for name, prog := range map[string]string{
		"parentheses":  "BEGIN { x = " + deep("(", ")", 1e5) + " }",
		"not":          "BEGIN { x = " + deep("!", "", 1e5) + " }",
		"minus":        "BEGIN { x = " + deep("- ", "", 1e5) + " }",
		"power":        "BEGIN { x = " + deep("2^", "", 1e5) + " }",
		"dollar":       "BEGIN { x = " + deep("$", "", 1e5) + " }",
		"ternary":      "BEGIN { x = " + deep("1 ? 1 : ", "", 1e5) + " }",
		"assignments":  "BEGIN { " + deep("x = ", "", 1e5) + " }",
		"subscripts":   "BEGIN { x = " + deep("a[", "]", 1e5) + " }",
		"calls":        "BEGIN { x = " + deep("length(", ")", 1e5) + " }",
		"sum":          "BEGIN { x = 1" + strings.Repeat("+1", 1e5) + " }",
		"and":          "BEGIN { x = 1" + strings.Repeat("&&x", 1e5) + " }",
		"blocks":       "BEGIN { " + deep("{", "}", 1e5) + " }",
		"ifs":          "BEGIN { " + deep("if (1) ", "", 1e5) + " }",
		"else ifs":     "BEGIN { " + deep("if (x) ; else ", "", 1e5) + " }",
		"whiles":       "BEGIN { " + deep("while (0) ", "", 1e5) + " }",
		"subarrays":    "BEGIN { a" + strings.Repeat("[1]", 1e5) + " = 1 }",
		"recursion":    "function f(n) { return f(n + 1) } BEGIN { f(1) }",
		"long string":  `BEGIN { s = "x"; for (;;) s = s s }`,
		"many fields":  "BEGIN { NF = 1e9 }",
		"far field":    "BEGIN { $1e9 = 1 }",
		"wide":         `BEGIN { printf "%999999999d", 1 }`,
		"precise":      `BEGIN { printf "%.999999999f", 1 }`,
		"deep regex":   `BEGIN { r = sprintf("%99999s", ""); gsub(/ /, "(", r); print "x" ~ r }`,
		"nested class": `BEGIN { print "x" ~ "[[:" }`,
	} {
		w := &world{t: t, run: shell, maxTurns: 1 << 20}
		if status := w.do(prog); status != 1 && status != 2 || w.stderr == "" || len(w.stderr) > 1<<20 {
			t.Errorf("%s: status %d, stderr %.200q", name, status, w.stderr)
		}
	}
}

// TestTurns: no turn does more than its share, so that a loop without end can be stopped.
func TestTurns(t *testing.T) {
	w := &world{t: t, run: shell, maxTurns: 50}
	if status := w.do("BEGIN { for (;;) n++ }"); status != -1 {
		t.Errorf("a loop without end ended with %d", status)
	}
}

// TestNumbers compares the conversions with those of another printf.
func TestNumbers(t *testing.T) {
	for _, n := range []float64{0, 1, -1, 0.5, 1.0 / 3, 100000, 123456, 1234567, 0.0001, 0.00001234, 1e21, 1.5e300, 5e-324, math.Pi, 999999.5, 9.9999995} {
		for _, f := range []string{"%e", "%f", "%.0f", "%.3e", "%8.2f", "%-12.3e|", "%+.1f", "%012.4f", "% f", "%.10e"} {
			fm := formatter{args: []Value{num(n)}, convfmt: "%.6g"}
			got, _ := fm.format(nil, f)
			if want := fmt.Sprintf(f, n); string(got) != want {
				t.Errorf("%s of %v: %q, want %q", f, n, got, want)
			}
		}
	}
	for s, want := range map[string]float64{"": 0, " 12 ": 12, "1e3": 1000, "1e": 1, ".5": .5, "-.5e1x": -5, "0x1A": 0, "+5": 5, "--5": 0,
		"12345678901234567890": 12345678901234567890, "0.1": 0.1, "123456789.123456789": 123456789.123456789, "1e400": math.Inf(1), "inf": 0, "nan": 0} {
		if got := leadingNumber(s); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
	for s, want := range map[string]bool{"1": true, " 1 ": true, "": false, " ": false, "1x": false, "0x1": false, "1e5": true, ".": false, "+": false, "+inf": true, "inf": false, "1 2": false} {
		if _, got := looksNumeric(s); got != want {
			t.Errorf("%q looks numeric: %v", s, got)
		}
	}
}

// FuzzProgram compiles and runs whatever it is given: no panic, and a reload changes nothing.
func FuzzProgram(f *testing.F) {
	for _, s := range []string{
		`{ $3 = NR; print NF }`, `BEGIN { while ((getline l < "f") > 0) print l }`, `function f(a) { a[1]; return f } BEGIN { f(x) }`,
		`BEGIN { a[1]["x"]; for (k in a) delete a[k]; print length(a) }`, `/a/,/b/ { gsub(/x*/, "&-"); print }`, `BEGIN{printf "%*.*s|%c", 3, 1, "abc", 65}`,
		`{ print $1 | "sort" }`, `BEGIN { switch (1) { case 1: print } }`, `BEGIN { x = x "y" x; $x++; print -x ^ 2 ~ /[/]/ }`,
	} {
		f.Add(s, "a b\nc\n")
	}
	f.Fuzz(func(t *testing.T, prog, stdin string) {
		var outs [2]string
		for i, w := range []*world{{maxTurns: 8}, {slice: 50, reload: true, maxTurns: 8 * turn / 50}} {
			w.t, w.run, w.stdin = t, shell, &pipe{data: stdin}
			w.files = map[string]string{"f": "1\n2\n"}
			status := w.do("--", prog)
			if status < 0 || len(w.stdout) > 1<<16 {
				return
			}
			outs[i] = fmt.Sprint(status, w.stdout, w.stderr)
		}
		if outs[0] != outs[1] {
			t.Errorf("%q: %q, with reloads %q", prog, outs[0], outs[1])
		}
	})
}

func BenchmarkCount(b *testing.B) {
	benchmark(b, `{ c[$2]++ } END { for (k in c) n++; print n }`)
}

func BenchmarkSum(b *testing.B) {
	benchmark(b, `{ s += $3 } END { print s }`)
}

func BenchmarkLoop(b *testing.B) {
	benchmark(b, `BEGIN { for (i = 0; i < 100000; i++) s += i * 2; print s }`)
}

func benchmark(b *testing.B, prog string) {
	var in strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, "%d key%d %d.5 some more text\n", i, i%500, i)
	}
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		w := &world{t: b, run: shell, files: map[string]string{"data": in.String()}}
		if status := w.do(prog, "data"); status != 0 {
			b.Fatal(status, w.stderr)
		}
	}
}

// FuzzState changes bytes of a saved state: a load refuses it, or the program goes on or ends at
// once: its panics are those of an index, which the machine takes for a state that does not fit, and it neither hangs nor grows.
func FuzzState(f *testing.F) {
	f.Add(uint(0), byte(1), uint(100))
	f.Add(uint(700), byte(0xff), uint(3))
	f.Fuzz(func(t *testing.T, at uint, change byte, steps uint) {
		w := &world{t: t, run: shell, slice: 1, maxTurns: 1, stdin: &pipe{data: "a b\nc d\n"}}
		c := &cmd.Ctx{System: w, Name: "awk", Args: []string{`function f(x, n) { x[n] = n; return n ? f(x, n - 1) : length(x) }
			{ a[$1] = NR; a[NR] = f(z, 3); b["k"]["l"]; f(b["m"], 1); s = s $2; for (k in a) n += a[k]; r += rand() } END { print length(a), s, r > 0 }`}}
		w.c, w.fds, w.files, w.next = c, map[int]*end{0: {pipe: w.stdin}}, map[string]string{}, 10
		p := &Program{}
		for range steps % 400 {
			if p.Step(c).Op == cmd.OpExit {
				return
			}
		}
		data, err := encoding().Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		data[at%uint(len(data))] ^= change
		p = &Program{}
		if decoding().Unmarshal(data, p) != nil {
			return
		}
		defer func() { // as the machine does for what Interprets
			if x := recover(); x != nil {
				if _, ok := x.(runtime.Error); !ok {
					panic(x)
				}
			}
		}()
		for range 500 {
			// The machine would stop it for its memory.
			if p.Step(c).Op == cmd.OpExit || p.held() > 1<<20 {
				return
			}
		}
	})
}
