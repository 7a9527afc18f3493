package shell

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eryxsh/vfs"
)

// corpusCase is a recorded case of tests/corpora: a script and what bash 5.2 gave.
type corpusCase struct {
	ID     string            `json:"id"`
	Script string            `json:"script"`
	Stdin  string            `json:"stdin"`
	Files  map[string]string `json:"files"`
	Env    map[string]string `json:"env"`
	Stdout string            `json:"expect_stdout"`
	Status int               `json:"expect_status"`
	Tags   []string          `json:"tags"`
}

func loadCorpus(t testing.TB, name string) []corpusCase {
	f, err := os.Open(filepath.Join("../../tests/corpora", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []corpusCase
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var c corpusCase
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// corpusMachine sets a case up and starts its run.
func corpusMachine(c corpusCase) *Machine {
	m := newTestMachine()
	cred := vfs.Cred{UID: 1000, GID: 1000}
	now := m.Clock.Now
	for _, p := range sortedKeys(c.Files) {
		path := cleanPath(m.abs(m.Procs[0], p))
		dir := path[:strings.LastIndexByte(path, '/')]
		for i := 1; i <= len(dir); i++ {
			if i == len(dir) || dir[i] == '/' {
				_ = m.FS.Mkdir(cred, dir[:i], 0o755, now)
			}
		}
		mode := vfs.Mode(0o644)
		if strings.HasPrefix(c.Files[p], "#!") {
			mode = 0o755
		}
		ino, err := m.FS.Open(cred, path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, mode, now)
		if err == nil {
			_, _ = m.FS.WriteAt(ino, []byte(c.Files[p]), 0, now)
		}
	}
	for _, k := range sortedKeys(c.Env) {
		_ = m.Setenv(k, c.Env[k], false)
	}
	_ = m.Begin(Start{Script: c.Script, Stdin: []byte(c.Stdin), RunID: "r"})
	return m
}

// slowHost ends a slice when its time is up.
type slowHost struct{ until time.Time }

func (slowHost) Now() int64      { return testHost{}.Now() }
func (h slowHost) Expired() bool { return time.Now().After(h.until) }

// runCase runs a case to its end, within a time.
func runCase(c corpusCase) (o outcome, problem string) { return runMachine(corpusMachine(c)) }

func runMachine(m *Machine) (o outcome, problem string) {
	defer func() {
		if x := recover(); x != nil {
			problem = fmt.Sprint("panic: ", x)
		}
	}()
	end := time.Now().Add(5 * time.Second)
	for {
		out, _ := m.Advance(slowHost{end})
		if out == Done {
			return result(m), ""
		}
		if time.Now().After(end) {
			return result(m), "timeout"
		}
		if out == Calls || out == Input {
			return result(m), fmt.Sprint("outcome ", out)
		}
	}
}

// TestCorpus is run by hand: CORPUS=oils go test -run TestCorpus; failures go to the file CORPUS_OUT names.
func TestCorpus(t *testing.T) {
	names := os.Getenv("CORPUS")
	if names == "" {
		names = "mvdan"
	}
	var w *os.File
	if p := os.Getenv("CORPUS_OUT"); p != "" {
		w, _ = os.Create(p)
		defer w.Close()
	}
	for _, name := range strings.Split(names, ",") {
		ok, n := 0, 0
		for _, c := range loadCorpus(t, name) {
			if only := os.Getenv("CORPUS_ONLY"); only != "" && !strings.Contains(c.ID, only) {
				continue
			}
			n++
			o, problem := runCase(c)
			if problem == "" && o.stdout == c.Stdout && o.status == c.Status {
				ok++
				continue
			}
			if w != nil {
				fmt.Fprintf(w, "=== %s %s\n%s\n--- want %d %q\n--- got  %d %q\n--- err %q\n", c.ID, problem, c.Script, c.Status, c.Stdout, o.status, o.stdout, o.stderr)
			}
		}
		t.Logf("%s: %d of %d", name, ok, n)
	}
}
