package state

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state/internal/numbers"
	"eryxsh/vfs"
)

// goldenFolders hold blobs that earlier versions made, a folder for each: NAME.blob, and NAME.json beside it, which says
// how the blob was made and how the version that made it ended the run. fields.zip has those that GOLDEN=write
// chooses (golden_make_test.go), the others are of tests/golden.py.
const goldenFolders = "testdata/v*"

// golden is a blob of an earlier version.
type golden struct {
	name string
	blob []byte
	row  goldenRow
}

// goldenRow is what stands beside a blob.
type goldenRow struct {
	Script string            `json:"script"`
	Stop   any               `json:"stop"` // the safe point, or "end"
	Typed  []string          `json:"typed"`
	Then   [][2]string       `json:"then"`
	Key    string            `json:"key"`
	Expect goldenEnd         `json:"expect"`
	Of     string            `json:"of,omitempty"` // the case of the corpora it is of
	Stdin  string            `json:"stdin,omitempty"`
	Files  map[string]string `json:"files,omitempty"`
	Short  int               `json:"short,omitempty"` // most bytes a utility read at a time
}

// goldenEnd is how a run ends. Bytes that are no UTF-8 stand as "base64:…".
type goldenEnd struct {
	Stdout string       `json:"stdout"`
	Stderr string       `json:"stderr"`
	Status int          `json:"status"`
	Ended  string       `json:"ended"`
	Files  []string     `json:"files"`
	Then   []goldenThen `json:"then"`
}

// goldenThen is what one thing done afterwards gave.
type goldenThen struct {
	What     string  `json:"what"`
	Argument string  `json:"argument"`
	Stdout   string  `json:"stdout,omitempty"`
	Stderr   string  `json:"stderr,omitempty"`
	Status   int     `json:"status,omitempty"`
	Log      [][]any `json:"log,omitempty"`
}

// goldens reads all golden blobs, by folder and name.
func goldens(t testing.TB) (all []golden) {
	t.Helper()
	paths, err := filepath.Glob(goldenFolders + "/*.blob")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d golden blobs (%v)", len(paths), err)
	}
	add := func(name string, blob, row []byte) {
		g := golden{name: name, blob: blob}
		if err := json.Unmarshal(row, &g.row); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, g)
	}
	for _, p := range paths {
		stem := strings.TrimSuffix(p, ".blob")
		add(strings.TrimPrefix(filepath.ToSlash(stem), "testdata/"), fileOf(t, p), fileOf(t, stem+".json"))
	}
	archives, _ := filepath.Glob(goldenFolders + "/fields.zip")
	for _, p := range archives {
		z, err := zip.OpenReader(p)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		read := func(name string) []byte {
			f, err := z.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			data, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		for _, f := range z.File {
			if stem, ok := strings.CutSuffix(f.Name, ".blob"); ok {
				add(filepath.Base(filepath.Dir(p))+"/"+stem, read(f.Name), read(stem+".json"))
			}
		}
	}
	return all
}

func fileOf(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// goldenText is bytes as goldenEnd has them.
func goldenText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return "base64:" + base64.StdEncoding.EncodeToString(b)
}

// goldenPlayer answers tool calls as tests/golden.py does.
func goldenPlayer(typed []string) *player {
	return &player{now: epoch, typed: typed, answers: map[string]int{}, refill: 1 << 40, answer: func(c *shell.Call) shell.Answer {
		return shell.Answer{Stdout: append([]byte("["+c.Name+" "+strings.Join(c.Args, " ")+"]\n"), c.Stdin...)}
	}}
}

// finishGolden loads a blob, finishes its run, and says what came of it.
func finishGolden(t testing.TB, blob []byte, row goldenRow) (end goldenEnd, err error) {
	t.Helper()
	var key []byte
	if row.Key != "" {
		key = []byte(row.Key)
	}
	w, _, err := Import(blob, key, limit.Default())
	if err != nil {
		return end, err
	}
	defer func() { w.Close() }()
	p := goldenPlayer(slices.Clone(row.Typed))
	p.now = w.M.Clock.Now
	if w.Going() {
		early := slices.Clone(w.Kept)
		if !p.run(t, w) {
			return end, fmt.Errorf("the run does not end")
		}
		end.Stdout, end.Stderr = streams(append(early, w.Take()...))
		end.Status, end.Ended = w.M.Run.Status, w.M.Run.Class
	}
	end.Files = listing(w)
	end.Then = []goldenThen{}
	for _, do := range row.Then {
		step, err := p.do(t, w, do[0], do[1])
		if err != nil {
			return end, err
		}
		end.Then = append(end.Then, step)
	}
	return end, nil
}

func streams(chunks []shell.Chunk) (stdout, stderr string) {
	var out [3]bytes.Buffer
	for _, c := range chunks {
		out[c.Stream].Write(c.Data)
	}
	return goldenText(out[1].Bytes()), goldenText(out[2].Bytes())
}

// do does one thing between runs.
func (p *player) do(t testing.TB, w *core.World, what, argument string) (goldenThen, error) {
	step := goldenThen{What: what, Argument: argument}
	id := ""
	for _, s := range w.Snaps {
		if s.Name == argument {
			id = s.ID
		}
	}
	var err error
	switch what {
	case "run":
		if _, err = w.Begin(core.Start{Script: argument, Timeout: 30e9}); err != nil {
			return step, err
		}
		if !p.run(t, w) {
			return step, fmt.Errorf("%q does not end", argument)
		}
		step.Stdout, step.Stderr = streams(w.Take())
		step.Status = w.M.Run.Status
	case "snapshot":
		_, err = w.Snapshot(argument)
	case "drop":
		err = w.Drop(id)
	case "restore":
		err = w.Restore(id, nil)
	case "fork":
		w.Fork(nil).Close()
	case "reset":
		err = w.Reset()
	case "history":
		for _, e := range w.Log {
			step.Log = append(step.Log, []any{float64(e.Index), e.Command, float64(e.Status)})
		}
	case "snapshots":
		for _, s := range w.Snaps {
			step.Log = append(step.Log, []any{s.ID, s.Name, s.Command})
		}
	default:
		err = fmt.Errorf("what is %q?", what)
	}
	return step, err
}

// shownBytes is up to which size a file's content is compared.
const shownBytes = 1 << 20

// listing lists the files, but for those that are generated: path, type, mode, size, links, and a digest or a target.
func listing(w *core.World) []string {
	all := map[vfs.Ino]vfs.Record{}
	var root vfs.Ino
	for r := range w.M.FS.Records() {
		if all[r.Ino] = r; root == 0 || r.Ino < root {
			root = r.Ino
		}
	}
	var lines []string
	var walk func(ino vfs.Ino, path string)
	walk = func(ino vfs.Ino, path string) {
		for _, e := range all[ino].Names {
			r, ok := all[e.Ino]
			if !ok || path == "" && slices.Contains([]string{"bin", "dev", "proc", "usr"}, e.Name) {
				continue
			}
			at := path + "/" + e.Name
			lines = append(lines, at+" "+described(r))
			walk(e.Ino, at)
		}
	}
	walk(root, "")
	sort.Strings(lines)
	return lines
}

// described says what a file is.
func described(r vfs.Record) string {
	mode := fmt.Sprintf("%o", r.Mode&0o7777)
	switch r.Mode & 0o170000 {
	case 0o040000:
		return "dir " + mode
	case 0o120000:
		return "symlink " + mode + " -> " + r.Target
	case 0o100000:
		line := fmt.Sprintf("file %s %d %d", mode, r.Size, r.Nlink)
		if r.Size > shownBytes {
			return line
		}
		content := make([]byte, r.Size)
		for _, p := range r.Pieces {
			copy(content[p.Index*vfs.ChunkSize:], p.Data)
		}
		return fmt.Sprintf("%s %x", line, sha256.Sum256(content))[:len(line)+1+16]
	}
	return "fifo " + mode
}

// TestGolden loads every blob of an earlier version, finishes its run and compares with how that version ended it.
func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		got, err := finishGolden(t, g.blob, g.row)
		if err != nil {
			t.Errorf("%s: %v", g.name, err)
			continue
		}
		if a, b := jsonOf(t, got), jsonOf(t, g.row.Expect); a != b {
			x, y := firstDifference(a, b)
			t.Errorf("%s: got %s, want %s", g.name, x, y)
		}
	}
}

func jsonOf(t testing.TB, x any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(x); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// notGolden are the kinds that no golden blob holds, and why. What a later version adds comes here: "new in schema N".
var notGolden = map[string]string{
	"FFilter":     "no codec of a Go library is a utility today",
	"FCoproc":     "reserved",
	"FExecWait":   "nothing makes one",
	"FPause":      "nothing makes one",
	"NBlock":      "no frame stands at one: its list has one",
	"NCoproc":     "no frame stands at one: its stages' bottoms have one",
	"FileProc":    "nothing makes one",
	"EntryDir":    "patterns are matched when the last command of an expansion has answered",
	"EntryStat":   "patterns are matched when the last command of an expansion has answered",
	"EntryPrompt": "no longer made",
	"pr":          "newer than the blobs of schema 1",
	"chgrp":       "its state is chown's",
}

// kinds are the constants of a type in a file, by name.
func kinds(t testing.TB, path, typ string) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		first := g.Specs[0].(*ast.ValueSpec)
		if id, ok := first.Type.(*ast.Ident); !ok || id.Name != typ || len(first.Values) != 1 {
			continue
		}
		from := 0
		if _, ok := first.Values[0].(*ast.BinaryExpr); ok { // iota + 1
			from = 1
		}
		for i, s := range g.Specs {
			all[s.(*ast.ValueSpec).Names[0].Name] = i + from
		}
	}
	if len(all) < 3 {
		t.Fatalf("%s has no constants of type %s", path, typ)
	}
	return all
}

// TestGoldenCovers checks that the golden blobs hold every kind of frame, node, wait, open file and answer,
// and every utility in flight that has a state.
func TestGoldenCovers(t *testing.T) {
	held := map[string]bool{}
	for _, g := range goldens(t) {
		for key := range holds(t, g.blob) {
			held[key] = true
		}
	}
	missing := func(name, key string) {
		if reason := notGolden[name]; reason == "" && !held[key] {
			t.Errorf("no golden blob holds %s: make one, or say in notGolden why not", name)
		} else if reason != "" && held[key] {
			t.Errorf("%s is in notGolden, and a golden blob holds it", name)
		}
	}
	for _, k := range []struct{ what, path, typ string }{
		{"frame", "../core/shell/frame.go", "FrameKind"}, {"node", "../core/shell/code.go", "NodeKind"}, {"wait", "../core/shell/process.go", "WaitKind"},
		{"file kind", "../core/shell/machine.go", "uint8"}, {"memo", "../core/expand/memo.go", "EntryKind"},
	} {
		for name, n := range kinds(t, k.path, k.typ) {
			missing(name, k.what+" "+strconv.Itoa(n))
		}
	}
	for name := range numbers.Programs() {
		missing(name, "program "+name)
	}
}

// TestGoldenSchemas checks which readers a blob is written for, and that a path of schema 1 becomes a directory, which is moved with the shell in it.
func TestGoldenSchemas(t *testing.T) {
	at := func(text string) (Header, []byte) {
		w := script{text: "mkdir d; cd d; " + text, tools: tools}.begin(t)
		defer w.Close()
		p := script{}.player()
		p.run(t, w)
		w.Take()
		blob := export(t, w)
		h, err := Inspect(blob, nil)
		if err != nil {
			t.Fatal(err)
		}
		return h, blob
	}
	for text, want := range map[string]int{"x=1": 1, "mv ../d ../e": 2, "rmdir ../d": 2, "sleep 100 &": 2} {
		if h, _ := at(text); h.Schema != 2 || h.MinReader != want {
			t.Errorf("%s: schema %d for readers of %d, want 2 and %d", text, h.Schema, h.MinReader, want)
		}
	}
	_, blob := at("x=1")
	b := dissect(t, blob)
	b.header.Schema = 1
	last[shell.ProcRecord](t, b).Process.Place = shell.Place{}
	w := imported(t, b.join(t, nil))
	defer w.Close()
	if _, err := w.Begin(core.Start{Script: "mv ../d ../e; echo in > f; cat ../e/f"}); err != nil {
		t.Fatal(err)
	}
	p := script{}.player()
	p.run(t, w)
	if out, _ := streams(w.Take()); out != "in\n" {
		t.Errorf("a directory that was a path: %q", out)
	}
	b.header.Schema = 2
	if _, _, err := Import(b.join(t, nil), nil, limit.Default()); kindOf(err) != fault.State {
		t.Errorf("a process that works nowhere: %v", err)
	}
}
