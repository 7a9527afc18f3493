package expand

import (
	"bufio"
	"encoding/json"
	"errors"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// answer is what bash 5.2 says to a script. Err is the first line of its
// messages without "bash: line N: ". Text is kept as bytes: it need not be
// UTF-8.
type answer struct {
	Script []byte `json:"script"`
	Out    []byte `json:"out"`
	Err    []byte `json:"err,omitempty"`
}

const answersFile = "testdata/answers.jsonl"

// ours runs a script in the toy shell; ok is false if it is beyond that.
func ours(script string, memo bool) (out, msg string, ok bool) {
	sh := newShell()
	sh.memo = memo
	out, err := sh.run(script)
	if err != nil {
		msg = err.Error()
		var parse syntax.ParseError
		var lang syntax.LangError
		if strings.Contains(msg, "toy shell") || errors.As(err, &parse) || errors.As(err, &lang) {
			return "", msg, false
		}
	}
	if sh.warned != "" {
		msg = sh.warned
	}
	msg, _, _ = strings.Cut(msg, "\n")
	return out, msg, true
}

func readAnswers(t testing.TB) []answer {
	f, err := os.Open(answersFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []answer
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var a answer
		if err := json.Unmarshal(sc.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if len(all) < 500 {
		t.Fatalf("only %d answers", len(all))
	}
	return all
}

// TestAnswers compares with what bash answered when the file was recorded.
func TestAnswers(t *testing.T) {
	for _, a := range readAnswers(t) {
		out, msg, ok := ours(string(a.Script), false)
		if !ok || out != string(a.Out) || msg != string(a.Err) {
			t.Errorf("%s\n got %q %q\nwant %q %q", a.Script, out, msg, a.Out, a.Err)
		}
	}
}

// TestMemoChangesNothing runs the same scripts with every command
// substitution interrupting the expansion, which then starts again.
func TestMemoChangesNothing(t *testing.T) {
	for _, a := range readAnswers(t) {
		out, msg, _ := ours(string(a.Script), true)
		if out != string(a.Out) || msg != string(a.Err) {
			t.Errorf("%s\n got %q %q\nwant %q %q", a.Script, out, msg, a.Out, a.Err)
		}
	}
}

// TestScriptsAgainstBash runs testdata/*.sh (scripts separated by lines of
// ---) in the bash that is installed. With EXPAND_RECORD set it writes the
// answers, and those to as many random scripts, for TestAnswers.
func TestScriptsAgainstBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	if v, _ := exec.Command("bash", "-c", "echo ${BASH_VERSION%.*}").Output(); string(v) != "5.2\n" {
		t.Skipf("bash is %s", v)
	}
	var scripts []string
	files, _ := filepath.Glob("testdata/*.sh")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n---\n")...)
	}
	record := os.Getenv("EXPAND_RECORD") != ""
	if record {
		for seed := range int64(900) {
			scripts = append(scripts, (&gen{r: rand.New(rand.NewSource(seed))}).script())
		}
	}
	var out []byte
	for i, s := range scripts {
		got, msg, ok := ours(s, false)
		if !ok {
			if !record {
				t.Errorf("%s\n %s", s, msg)
			}
			continue
		}
		wantOut, wantErr := bash(t, s)
		if got != wantOut || msg != wantErr {
			if i < len(scripts)-900 || !record {
				t.Errorf("%s\n got %q %q\nwant %q %q", s, got, msg, wantOut, wantErr)
			}
			continue
		}
		line, err := json.Marshal(answer{[]byte(s), []byte(wantOut), []byte(wantErr)})
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
	}
	if record {
		if err := os.WriteFile(answersFile, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
