package state

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// stepHost ends the slice after every step.
type stepHost struct{ n *int }

func (stepHost) Now() int64 { return 1_700_000_000_000_000_000 }
func (h stepHost) Expired() bool {
	*h.n--
	return *h.n < 0
}

func newWorld(t testing.TB, script, stdin string, files map[string][]byte, env map[string]string) *core.World {
	w, err := core.New(core.Config{Limits: limit.Default(), Virtual: true, Start: 1_700_000_000_000_000_000, Seed: 1, Files: files, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Begin(core.Start{Script: script, Stdin: []byte(stdin)}); err != nil {
		t.Fatal(err)
	}
	return w
}

// advance moves a world by at most steps safe points; it reports the end of the run.
func advance(w *core.World, steps int) bool {
	n := steps
	w.M.EachStep(true)
	defer w.M.EachStep(false)
	for {
		out, _ := w.Advance(stepHost{&n})
		if out != shell.Sliced {
			return true
		}
		if n < 0 {
			return false
		}
	}
}

type ending struct {
	out    string
	status int
	vars   string
}

func endOf(w *core.World, before []shell.Chunk) ending {
	var b strings.Builder
	for _, c := range append(before, w.Take()...) {
		fmt.Fprintf(&b, "%d:%s", c.Stream, c.Data)
	}
	return ending{mergeChunks(b.String()), w.M.Run.Status, ""}
}

func mergeChunks(s string) string { return s }

func reload(t testing.TB, w *core.World) (*core.World, []byte) {
	parts, err := Export(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	blob := Join(parts)
	n, _, err := Import(blob, nil, limit.Default())
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return n, blob
}

type recorded struct {
	ID     string            `json:"id"`
	Script string            `json:"script"`
	Stdin  string            `json:"stdin"`
	Files  map[string]string `json:"files"`
	Env    map[string]string `json:"env"`
	Stdout string            `json:"expect_stdout"`
	Status int               `json:"expect_status"`
}

func corpus(t testing.TB, name string) (out []recorded) {
	f, err := os.Open("../tests/corpora/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		var c recorded
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func (c recorded) world(t testing.TB) *core.World {
	files := map[string][]byte{}
	for p, d := range c.Files {
		files[p] = []byte(d)
	}
	return newWorld(t, c.Script, c.Stdin, files, c.Env)
}

// TestFreeze stops scripts at safe points, saves, loads and goes on: the same
// output and status, and a save of what was loaded is the same bytes.
func TestFreeze(t *testing.T) {
	names := os.Getenv("FREEZE")
	if names == "" {
		names = "mvdan"
	}
	every := 37
	for _, name := range strings.Split(names, ",") {
		points, cases := 0, 0
		for _, c := range corpus(t, name) {
			if only := os.Getenv("FREEZE_ONLY"); only != "" && !strings.Contains(c.ID, only) {
				continue
			}
			plain := c.world(t)
			if !advance(plain, 3000) {
				plain.Close()
				continue
			}
			want := endOf(plain, nil)
			cases++
			w := c.world(t)
			for p := 0; p < 60; p++ {
				step := 1
				if p > 20 {
					step = every
				}
				if advance(w, step) {
					break
				}
				points++
				n, blob := reload(t, w)
				again, err := Export(n, nil)
				if err != nil {
					t.Errorf("%s: export after load: %v", c.ID, err)
					break
				}
				if !bytes.Equal(Join(again), blob) {
					t.Errorf("%s: saving what was loaded gives other bytes at point %d", c.ID, p)
					break
				}
				w.Close()
				w = n
			}
			advance(w, 1<<30)
			if got := endOf(w, nil); got != want {
				t.Errorf("%s: frozen and reloaded\n%s\n got %q %d\nwant %q %d", c.ID, c.Script, got.out, got.status, want.out, want.status)
			}
			w.Close()
		}
		t.Logf("%s: %d cases, %d points", name, cases, points)
	}
}
