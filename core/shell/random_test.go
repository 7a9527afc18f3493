package shell

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"eryxsh/tests/scriptgen"
	"eryxsh/vfs"
)

const randomFile = "testdata/random.jsonl"

// randomCase is a script and what bash 5.2 answered.
type randomCase struct {
	Script string `json:"script"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	Files  string `json:"files"`
	Status int    `json:"status"`
}

// same reports whether two answers are equal.
func (o outcome) same(w outcome) bool {
	return o.stdout == w.stdout && o.stderr == w.stderr && o.status == w.status && o.files == w.files
}

// ours runs a script here.
func ours(script string) (o outcome, problem string) {
	m := corpusMachine(corpusCase{Script: script})
	o, problem = runMachine(m)
	if problem == "" {
		var b strings.Builder
		listFiles(m.FS, "/home/user", "", &b)
		o.files = b.String()
	}
	return o, problem
}

func listFiles(f *vfs.FS, dir, prefix string, b *strings.Builder) {
	list, _ := f.ReadDir(vfs.Cred{Root: true}, dir, "", 1000)
	for _, d := range list {
		if d.Name == "." || d.Name == ".." || d.Name == "" {
			continue
		}
		switch {
		case d.Type.IsDir():
			fmt.Fprintf(b, "%s/\n", prefix+d.Name)
			listFiles(f, dir+"/"+d.Name, prefix+d.Name+"/", b)
		case d.Type.IsRegular():
			var data [4096]byte
			n := 0
			if ino, err := f.Open(vfs.Cred{Root: true}, dir+"/"+d.Name, vfs.O_RDONLY, 0, 0); err == nil {
				n, _ = f.ReadAt(ino, data[:], 0, 0)
			}
			fmt.Fprintf(b, "%s %q\n", prefix+d.Name, data[:n])
		default:
			fmt.Fprintf(b, "%s other\n", prefix+d.Name)
		}
	}
}

// hostFiles is listFiles for a directory of the machine the test runs on.
func hostFiles(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(strings.TrimPrefix(path, dir), "/")
		switch {
		case err != nil || name == "":
		case d.IsDir():
			fmt.Fprintf(&b, "%s/\n", name)
		case d.Type().IsRegular():
			data, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %q\n", name, data[:min(len(data), 4096)])
		default:
			fmt.Fprintf(&b, "%s other\n", name)
		}
		return nil
	})
	return b.String()
}

// differs runs a script both ways; ok is false where bash's answer is not to be compared.
func differs(t testing.TB, script string) (got, want outcome, problem string, differ, ok bool) {
	want, ok = bashAnswer(t, script)
	if !ok || strings.Contains(want.stdout+want.stderr, "/tmp/") || strings.Contains(want.stdout+want.files, "BASH_EXECUTION") || strings.Contains(want.stdout+want.files, "PPID") {
		return got, want, "", false, false
	}
	got, problem = ours(script)
	return got, want, problem, problem != "" || !got.same(want), true
}

// messages are the lines of a standard error without their numbers.
func messages(s string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(s) {
		if rest, ok := strings.CutPrefix(line, "bash: "); ok {
			rest = strings.TrimPrefix(rest, "-c: ")
			if tail, ok := strings.CutPrefix(rest, "line "); ok {
				_, rest, _ = strings.Cut(tail, ": ")
			}
			line = rest
		}
		all[line] = true
	}
	return all
}

// shrunk leaves out of a script whatever is not needed for a difference of the
// same kind: statements first, then lines, words and characters. What is left
// has no errors that the whole has not.
func shrunk(t testing.TB, list []string, got, want outcome) string {
	tries := 0
	ours, theirs := messages(got.stderr), messages(want.stderr)
	within := func(part, whole map[string]bool) bool {
		for m := range part {
			if !whole[m] {
				return false
			}
		}
		return true
	}
	bad := func(s string) bool {
		if tries++; tries > 700 {
			return false
		}
		g, w, problem, differ, ok := differs(t, s)
		switch {
		case !ok || !differ || problem != "" || !within(messages(g.stderr), ours) || !within(messages(w.stderr), theirs):
			return false
		case got.stdout != want.stdout || got.files != want.files:
			return g.stdout != w.stdout || g.files != w.files
		case got.status != want.status:
			return g.status != w.status
		}
		return true
	}
	list = fewer(list, "\n", bad)
	text := strings.Join(list, "\n")
	for _, cut := range []func(string) []string{
		func(s string) []string { return strings.SplitAfter(s, "\n") },
		func(s string) []string { return strings.SplitAfter(s, " ") },
		func(s string) []string { return strings.Split(s, "") },
	} {
		text = strings.Join(fewer(cut(text), "", bad), "")
	}
	return text
}

// fewer drops runs of a list, long ones first, while what is left is bad.
func fewer(list []string, sep string, bad func(string) bool) []string {
	for n := len(list) / 2; n > 0; n /= 2 {
		for at := 0; at+n <= len(list); {
			rest := append(append([]string(nil), list[:at]...), list[at+n:]...)
			if bad(strings.Join(rest, sep)) {
				list = rest
			} else {
				at += n
			}
		}
	}
	return list
}

// TestRandomScripts compares random scripts with what bash 5.2 answered when
// testdata/random.jsonl was recorded. To look for new differences:
//
//	SCRIPTS=2000 SEED=1 go test ./core/shell -run TestRandomScripts -v
//
// makes that many scripts, runs each here and in the bash installed, and
// prints those whose output, messages, status or files differ, made as short
// as they can be. With RECORD=1 it also writes the answers of those that
// agree; keep what differs in tests/script once it is fixed.
func TestRandomScripts(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SCRIPTS"))
	if n == 0 {
		t.Log("recorded answers of bash 5.2; SCRIPTS=2000 asks the bash installed")
		replayRandom(t)
		return
	}
	needBash(t)
	seed, _ := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	var keep []byte
	differ, compared := 0, 0
	known := map[string]bool{}
	for i := range n {
		list := scriptgen.Statements(seed + int64(i))
		s := strings.Join(list, "\n") + "\n"
		got, want, problem, bad, ok := differs(t, s)
		if !ok {
			continue
		}
		compared++
		if !bad {
			if !utf8.ValidString(s + want.stdout + want.stderr) {
				continue // JSON has no such text
			}
			line, err := json.Marshal(randomCase{s, want.stdout, want.stderr, want.files, want.status})
			if err != nil {
				t.Fatal(err)
			}
			keep = append(append(keep, line...), '\n')
			continue
		}
		again, _ := bashAnswer(t, s)
		if !again.same(want) {
			continue // bash itself does not give it every time
		}
		differ++
		if os.Getenv("RECORD") != "" {
			continue
		}
		if problem == "" {
			s = shrunk(t, list, got, want)
			got, want, problem, _, _ = differs(t, s)
		}
		if !known[s] {
			t.Error(difference(fmt.Sprint("seed ", seed+int64(i)), s, problem, got, want))
		}
		known[s] = true
	}
	t.Logf("%d of %d differ, %d made", differ, compared, n)
	if os.Getenv("RECORD") != "" {
		if err := os.WriteFile(randomFile, keep, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func replayRandom(t *testing.T) {
	f, err := os.Open(randomFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<22)
	n := 0
	for sc.Scan() {
		var c randomCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		got, problem := ours(c.Script)
		want := outcome{stdout: c.Stdout, stderr: c.Stderr, files: c.Files, status: c.Status}
		if problem != "" || !got.same(want) {
			t.Error(difference(fmt.Sprint(n), c.Script, problem, got, want))
		}
		n++
	}
	if n < 200 {
		t.Errorf("only %d recorded scripts", n)
	}
}
