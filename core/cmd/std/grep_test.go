package std

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
)

// A tree of which every directory is larger than one turn, searched in byte
// order and saved between all turns.
func TestGrepTree(t *testing.T) {
	files := map[string]string{}
	var want strings.Builder
	for d := range 2 {
		for i := range 300 {
			name := fmt.Sprintf("d%d/f%03d", d, i)
			files[name] = "no\n"
			if i%100 == 7 {
				files[name] = "no\nyes\n"
				want.WriteString(name + ":2:yes\n")
			}
		}
	}
	got := cmdtest.Check(t, cmdtest.Run{Command: grep(), Args: []string{"-rn", "yes"}, Files: files})
	if got.Stdout != want.String() || got.Status != 0 {
		t.Errorf("got %s\nwant %q", got, want.String())
	}
}

// Lines and contexts that lie across the ends of turns.
func TestGrepLongInput(t *testing.T) {
	var in, want strings.Builder
	for i := range 4000 {
		line := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i%90))
		if i%1000 == 999 {
			line = fmt.Sprintf("%d hit\n", i)
		}
		in.WriteString(line)
	}
	lines := strings.SplitAfter(in.String(), "\n")
	for i := 999; i < 4000; i += 1000 {
		if i > 1000 {
			want.WriteString("--\n")
		}
		for j := i - 2; j <= min(i+2, 3999); j++ {
			sep := "-"
			if j == i {
				sep = ":"
			}
			fmt.Fprintf(&want, "%d%s%s", j+1, sep, lines[j])
		}
	}
	got := cmdtest.Check(t, cmdtest.Run{Command: grep(), Args: []string{"-nC2", "hit$"}, Stdin: in.String()})
	if got.Stdout != want.String() {
		t.Errorf("got %.300q\nwant %.300q", got.Stdout, want.String())
	}
	long := strings.Repeat("y", 80_000) + "needle" + strings.Repeat("z", 40_000)
	got = cmdtest.Check(t, cmdtest.Run{Command: grep(), Args: []string{"-ob", "needle"}, Stdin: "a\n" + long + "\nneedle"})
	if want := "80002:needle\n120009:needle\n"; got.Stdout != want {
		t.Errorf("got %q, want %q", got.Stdout, want)
	}
}

// A pattern that would take exponential time ends with an error, not a wrong answer.
func TestGrepSteps(t *testing.T) {
	got := cmdtest.Run{Command: grep(), Args: []string{"-P", "^(a+)+$"}, Stdin: strings.Repeat("a", 60) + "b\n"}.Do(t)
	if got.Status != 1 && got.Status != 2 || got.Stdout != "" {
		t.Errorf("%s", got)
	}
	got = cmdtest.Run{Command: grep(), Args: []string{`^\(\(a*\)*\)*\1b$`}, Stdin: strings.Repeat("a", 60) + "cb\n"}.Do(t)
	if got.Status != 2 || got.Stderr != "grep: (standard input): regular expression needs too many steps\n" {
		t.Errorf("%s", got)
	}
}

func TestGrepUnsupported(t *testing.T) {
	got := cmdtest.Run{Command: grep(), Args: []string{"-P", `a(?R)?b`}, Stdin: "ab\n"}.Do(t)
	if got.Status != 2 || len(got.Unsupported) != 1 || got.Stderr == "" {
		t.Errorf("%s", got)
	}
}

// What is left of a file after -m is there for the next reader.
func TestGrepDigits(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"-5 x", "-C 5 x"}, {"-n12v x", "-C 12 -nv x"}, {"-e -5 x", "-e -5 x"}, {"-A1 x", "-A1 x"},
		{"x -- -5", "x -- -5"}, {"-1e -2 x", "-C 1 -e -2 x"}, {"--regexp -5", "--regexp -5"},
	} {
		if got := strings.Join(grepDigits(nil, strings.Fields(c.in)), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

// FuzzGrep checks that any arguments and input end, and the same way however the input is cut.
func FuzzGrep(f *testing.F) {
	f.Add("-nA1", "a.b\\|^c", "a b\nc\n\nd")
	f.Add("-Eo", "(a|ab)*c{1,2}", "abac\xff\nabcc\n")
	f.Add("-Pc", "(?<=a)b+?\\K.", "abbc\n")
	f.Add("-viwx", "é[[:alpha:]]*", "éa\nÉ\x00b\n")
	f.Fuzz(func(t *testing.T, flags, pattern, in string) {
		args := []string{"-e", pattern}
		if strings.HasPrefix(flags, "-") {
			args = append([]string{flags}, args...)
		}
		if len(pattern) > 200 || strings.ContainsRune(flags, 'f') {
			return
		}
		run := cmdtest.Run{Command: grep(), Args: args, Stdin: in}
		plain := run.Do(t)
		run.Reload = true
		if got := run.Do(t); got.Stdout != plain.Stdout || got.Status != plain.Status {
			t.Errorf("%q: reloaded\n%s\nplain\n%s", args, got, plain)
		}
	})
}

func BenchmarkGrep(b *testing.B) {
	text := benchLog()
	for _, args := range [][]string{{"-cE", "status=(404|500)"}, {"7"}, {"-n", "time=1.*5$"}, {"-o", "[0-9]*$"}, {"-v", "7"}, {"-oP", `(?<=time=)\d+`}} {
		b.Run(strings.Join(args, " "), func(b *testing.B) { benchCommand(b, grep(), args, text) })
	}
}

func BenchmarkSed(b *testing.B) {
	text := benchLog()
	for _, script := range []string{`s/status=\([0-9]*\)/code:\1/g`, "p", "$d", "/404/d;s/GET/PUT/;y/abc/xyz/", `H;${x;s/\n/,/g;p}`} {
		b.Run(script, func(b *testing.B) { benchCommand(b, sedCommand(), []string{script}, text) })
	}
}

func benchLog() string {
	var s strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&s, "%d GET /a/%d status=%d time=%d\n", i, i%77, []int{200, 404, 500}[i*7%11%3], i%997)
	}
	return s.String()
}

func benchCommand(b *testing.B, def *cmd.Command, args []string, in string) {
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		cmdtest.Run{Command: def, Args: args, Stdin: in}.Do(b)
	}
}
