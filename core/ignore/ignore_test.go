package ignore

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		rules, path string
		dir         bool
		want        string
	}{
		{"*.o", "a/b.o", false, "excluded"},
		{"*.o\n!keep.o", "keep.o", false, "kept"},
		{"/a", "b/a", false, ""},
		{"a/", "a", false, ""},
		{"a/", "x/a", true, "excluded"},
		{"a/b", "x/a/b", false, ""},
		{"**/a/b", "x/a/b", false, "excluded"},
		{"a/**", "a", true, ""},
		{"a/**", "a/b/c", false, "excluded"},
		{"a/**/b", "a/b", false, "excluded"},
		{"a/*", "a/b/c", false, ""},
		{"# c\n\\#x", "#x", false, "excluded"},
		{"a  \n", "a", false, "excluded"},
		{"a\\ \n", "a ", false, "excluded"},
		{"a\r\n", "a", false, "excluded"},
		{"\ufeffa", "a", false, "excluded"},
		{"[[:digit:]-]x", "-x", false, "excluded"},
		{"[a", "[a", false, ""},
	} {
		got := ""
		if excluded, decided := Parse(c.rules).Verdict(c.path, c.dir); decided {
			got = map[bool]string{true: "excluded", false: "kept"}[excluded]
		}
		if got != c.want {
			t.Errorf("%q of %s: %q, want %q", c.rules, c.path, got, c.want)
		}
	}
}

// TestManyStars takes a pattern that would try for ever.
func TestManyStars(t *testing.T) {
	pattern, text := strings.Repeat("*a", 200)+"b", strings.Repeat("a", 2000)
	if excluded, _ := Parse(pattern).Verdict(text, false); excluded {
		t.Error("it does not end with b")
	}
}

// TestAsGit compares random rules with git, where there is one.
func TestAsGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	git := func(input string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && (!asExit(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	git("", "init", "-q")
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewSource(seed))
	pieces := []string{"a", "b", "c", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-c]", `\a`, `\*`, "[[:alpha:]]", "[", "]", " ", `\ `, "-", "[]-]", "[a\\]]"}
	names := []string{"a", "b", "c", "ab", "abc", "*", "[", "-", "a ", "]"}
	pick := func(from []string, most int) string {
		var b strings.Builder
		for range 1 + r.Intn(most) {
			b.WriteString(from[r.Intn(len(from))])
		}
		return b.String()
	}
	for range 60 {
		var lines []string
		for range 1 + r.Intn(3) {
			lines = append(lines, []string{"", "", "!"}[r.Intn(3)]+pick(pieces, 6)+[]string{"", "", "/"}[r.Intn(3)])
		}
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		rules := Parse(text)
		var paths []string
		want := map[string]bool{}
		for range 40 {
			path := names[r.Intn(len(names))]
			for range r.Intn(3) {
				path += "/" + names[r.Intn(len(names))]
			}
			paths = append(paths, path)
			want[path] = false
		}
		for _, path := range strings.Split(git(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
			if path != "" {
				want[path] = true
			}
		}
		for _, path := range paths {
			if got := excluded(rules, path); got != want[path] {
				t.Fatalf("%q: %q is excluded: %v, git says %v", text, path, got, want[path])
			}
		}
	}
}

// excluded is what one ignore file at the top says of a file, by the directories it is in.
func excluded(rules Rules, path string) bool {
	for i := range path {
		if path[i] == '/' {
			if out, _ := rules.Verdict(path[:i], true); out {
				return true
			}
		}
	}
	out, _ := rules.Verdict(path, false)
	return out
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

func ExampleParse() {
	rules := Parse("*.log\n!kept.log\n")
	fmt.Println(rules.Verdict("x/a.log", false))
	fmt.Println(rules.Verdict("kept.log", false))
	// Output:
	// true true
	// false true
}

// Patterns of many stars take time in proportion to pattern and text.
func TestStarsWithinStars(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("**/", 60) + "b", strings.Repeat("*a", 60) + "b", strings.Repeat("**/a/", 30) + "b", strings.Repeat("a*/**/", 20) + "b"} {
		done := make(chan bool)
		go func() { done <- match(pattern, strings.Repeat("a/", 60)+"a", true) }()
		select {
		case got := <-done:
			if got {
				t.Errorf("%s matches", pattern)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s takes too long", pattern)
		}
	}
	if match(strings.Repeat("**/", 100_000)+"a", "a", true) { // too many: git's own would find the end of its stack
		t.Error("a pattern of 100,000 stars matches")
	}
}
