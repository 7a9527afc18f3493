package state

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// epoch is when the tests' worlds begin, in ns since 1970.
const epoch = 1_700_000_000_000_000_000

// script is a case of a corpus: what is run and what bash answered.
type script struct {
	name   string
	text   string
	stdin  string
	files  map[string][]byte
	env    map[string]string
	tools  []shell.Tool
	out    string
	err    string
	status int
	silent bool     // nothing is known about stderr
	brief  bool     // the shell itself is not asked at the end
	short  int      // most bytes a utility reads at a time, if positive; its turns are short, too
	typed  []string // what is typed when the run asks for input
	config func(*core.Config)
	before func(testing.TB, *core.World)
	start  core.Start
	early  []shell.Chunk // delivered before a move, and kept for it
}

// archives reads the cases of tests/FOLDER/*.txtar, by archive.
func archives(t testing.TB, folder string) (names []string, all map[string][]script) {
	t.Helper()
	paths, err := filepath.Glob("../tests/" + folder + "/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archive in tests/%s (%v)", folder, err)
	}
	all = map[string][]script{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(p), ".txtar")
		names = append(names, name)
		s := cmdtest.Archive(t, string(data))
		for _, c := range s.Cases() {
			x := script{name: name + "/" + c, text: s[c+".sh"], stdin: s[c+".stdin"], out: s[c+".out"], err: s[c+".err"],
				files: map[string][]byte{}, silent: strings.Contains(string(data), "\n# no stderr\n")}
			for p, body := range s.Files(c) {
				x.files[p] = []byte(body)
			}
			if v := strings.TrimSpace(s[c+".status"]); v != "" {
				if x.status, err = strconv.Atoi(v); err != nil {
					t.Fatalf("%s: status %q", x.name, v)
				}
			}
			all[name] = append(all[name], x)
		}
	}
	return names, all
}

// recorded is a case of tests/corpora/*.jsonl.
type recorded struct {
	ID     string            `json:"id"`
	Script string            `json:"script"`
	Stdin  string            `json:"stdin"`
	Files  map[string]string `json:"files"`
	Env    map[string]string `json:"env"`
}

// corpus reads the scripts of tests/corpora/NAME.jsonl.
func corpus(t testing.TB, name string) (out []script) {
	t.Helper()
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
		s := script{name: name + "/" + c.ID, text: c.Script, stdin: c.Stdin, env: c.Env, files: map[string][]byte{}}
		for p, d := range c.Files {
			s.files[p] = []byte(d)
		}
		out = append(out, s)
	}
	return out
}

// begin makes the world of a script, with the script's run begun.
func (s script) begin(t testing.TB) *core.World {
	t.Helper()
	c := core.Config{Limits: limit.Default(), Virtual: true, Start: epoch, Seed: 1, Files: s.files, Env: s.env, Tools: s.tools}
	if s.config != nil {
		s.config(&c)
	}
	w, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if s.before != nil {
		s.before(t, w)
	}
	start := s.start
	start.Script, start.Stdin = s.text, []byte(s.stdin)
	if _, err := w.Begin(start); err != nil {
		t.Fatal(err)
	}
	return w
}

// stepHost ends a slice when it was asked so often. Its clock stands still but for sleeps.
type stepHost struct {
	n   *int
	now *int64
}

func (h stepHost) Now() int64 { return *h.now }
func (h stepHost) Expired() bool {
	*h.n--
	return *h.n <= 0
}

// player moves worlds and answers their tool calls.
type player struct {
	now     int64
	typed   []string
	refills int
	refill  int64    // what a limit that is met gets, 2e9 if that is 0
	short   int      // see script
	marks   []string // checkpoints that were reported
	asked   int      // how often the machine has asked whether the slice is over
	most    int      // see run
	loose   bool     // panics go through, and any tool may be called
	answer  func(c *shell.Call) shell.Answer
	answers map[string]int // how often each call id was answered
}

// advance moves a world by a number of safe points; it reports the end of the run.
func (p *player) advance(t testing.TB, w *core.World, steps int) bool {
	t.Helper()
	w.M.EachStep(true)
	defer w.M.EachStep(false)
	return p.move(t, w, steps)
}

// move moves a world until the machine has asked so often whether the slice is over.
func (p *player) move(t testing.TB, w *core.World, n int) bool {
	t.Helper()
	first := n
	defer func() {
		p.asked += first - n
		if p.loose {
			return
		}
		if x := recover(); x != nil {
			t.Fatalf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	w.M.ShortTurns(p.short)
	for {
		if len(w.M.Run.Marks) > 0 {
			p.marks = append(p.marks, w.M.Run.Marks...)
			w.M.Run.Marks = nil
		}
		out, until := w.Advance(stepHost{&n, &p.now})
		switch out {
		case shell.Done:
			return true
		case shell.Sliced:
			if n <= 0 {
				return false
			}
		case shell.Marked:
			if n--; n <= 0 {
				return false
			}
		case shell.Input:
			line := ""
			if len(p.typed) > 0 {
				line, p.typed = p.typed[0], p.typed[1:]
			}
			if err := w.M.Feed([]byte(line)); err != nil {
				t.Fatal(err)
			}
		case shell.Sleeping:
			d := until - p.now
			if left, ok := w.TimeLeft(); ok {
				d = min(d, left)
			}
			p.now += d
			if w.Slept(d); !w.M.Run.Active {
				return true
			}
		case shell.Limited:
			if p.refills++; p.refills > 100 {
				t.Fatalf("limit %s is met again and again", w.M.Run.Limit)
			}
			if err := w.Refill(map[string]int64{w.M.Run.Limit: cmp.Or(p.refill, 2e9)}); err != nil {
				t.Fatal(err)
			}
		case shell.Calls:
			c := w.M.Calls[0]
			if p.answer == nil {
				t.Fatalf("unexpected call of %s", c.Name)
			}
			p.answers[c.ID]++
			if err := w.M.Resume(c.ID, p.answer(c)); err != nil {
				t.Fatal(err)
			}
			if n--; n <= 0 { // answered and not yet taken notice of
				return false
			}
		default:
			t.Fatalf("outcome %d", out)
		}
	}
}

// endless is more steps than a script of the corpora may take.
const endless = 200_000

// stride is how many questions whether a slice is over a run may take: each
// comes after some thousand steps.
const stride = 2000

// run moves a world to its end without stops; false if there is no end in sight,
// after most steps if that is set.
func (p *player) run(t testing.TB, w *core.World) bool {
	t.Helper()
	if p.most > 0 {
		return p.advance(t, w, p.most)
	}
	return p.move(t, w, stride)
}

// finish runs to the end and looks; false if there is no end in sight.
func (s script) finish(t testing.TB, p *player, w *core.World) (sight, bool) {
	t.Helper()
	s.early = slices.Clone(w.Kept)
	if !p.run(t, w) {
		return nil, false
	}
	got := s.look(t, w)
	got["marks"] = fmt.Sprint(p.marks)
	got["answered"] = fmt.Sprint(p.answers)
	return got, true
}

// sight is everything that can be seen of a world, by aspect.
type sight map[string]string

// probe asks a shell for what no API shows: it is run after the script under test.
const probe = `probe() {
printf '%s\n' "$?|$-|$!|$$|$PPID|$BASHPID|$_|$0|$#|$*|${PIPESTATUS[*]}|$SHLVL|$BASH_SUBSHELL|$LINENO|$OPTIND|$SECONDS|$RANDOM|$SRANDOM"
}
probe
pwd; dirs -v; umask; set +o; shopt; trap -p; alias; hash; enable -n; declare -p; declare -F; declare -f; export -f; jobs -l; history
getopts ab probe_o; echo "$probe_o $OPTIND"; type ls cd; date; echo ~ "$(echo sub)"; mktemp -u; wait; times >/dev/null; echo $BASHPID
`

// look gives what can be seen of a world whose run has ended.
func (sc script) look(t testing.TB, w *core.World) sight {
	t.Helper()
	s := sight{"status": fmt.Sprint(w.M.Run.Status), "class": w.M.Run.Class, "limit": w.M.Run.Limit, "cut": fmt.Sprint(w.M.IO.Cut),
		"steps": fmt.Sprint(w.M.Meter.Steps - w.M.Run.Steps), "started": fmt.Sprint(w.M.Run.Started), "clock": fmt.Sprint(w.M.Now()),
		"meter": fmt.Sprintf("%+v", w.M.Meter), "tool errors": fmt.Sprintf("%q", w.M.IO.ToolError), "unsupported": fmt.Sprintf("%q", w.M.IO.Missing),
		"run id": w.M.RunID, "left": timeLeft(w), "base": fmt.Sprint(w.BaseLimits() == nil), "calls": fmt.Sprint(len(w.M.Calls))}
	s.output(w, sc.early...)
	s.files(w)
	s.variables(w)
	var log strings.Builder
	for _, e := range w.Log {
		fmt.Fprintf(&log, "%d %q %d %d %d\n", e.Index, e.Command, e.Time, e.Status, e.Duration)
	}
	for _, n := range w.Snaps {
		fmt.Fprintf(&log, "snapshot %s %q %d %s %d %q\n", n.ID, n.Name, n.Created, n.Parent, n.Size, n.Command)
	}
	s["log"] = log.String()
	s["kept"] = fmt.Sprintf("%v %v", w.Keep, w.Kept)
	s["limits"] = fmt.Sprintf("%+v", w.M.Limits)
	s["tools"] = toolsOf(w)
	if sc.brief {
		return s
	}
	s["run"] = sc.ask(t, w, "shell", s)
	if sc.before == nil {
		return s
	}
	for i, n := range w.Snaps { // what a snapshot holds, and what comes after it
		if err := w.Restore(n.ID, nil); err != nil {
			t.Fatal(err)
		}
		sc.ask(t, w, fmt.Sprint("snapshot", i), s)
	}
	f := w.Fork(nil)
	sc.ask(t, f, "fork", s)
	if n, err := w.Snapshot(""); err == nil {
		s["snapshot"] = n.ID + n.Parent
	}
	if err := w.Reset(); err != nil {
		t.Fatal(err)
	}
	s["limits of reset"], s["tools of reset"] = fmt.Sprintf("%+v", w.M.Limits), toolsOf(w)
	w.M.SetTools(nil)
	sc.ask(t, w, "reset", s)
	return s
}

// toolsOf lists the tools that are registered.
func toolsOf(w *core.World) (all string) {
	for name, tool := range w.M.Tools.Sorted() {
		all += fmt.Sprintf("%s %+v\n", name, tool)
	}
	return all
}

// ask runs the probe and keeps what it says; it gives the id of its run.
func (sc script) ask(t testing.TB, w *core.World, key string, s sight) string {
	t.Helper()
	p := sc.player()
	if w.M.Run.Active {
		p.run(t, w)
	}
	before := w.Take()
	id, err := w.Begin(core.Start{Script: probe})
	if err != nil {
		t.Fatal(err)
	}
	if !p.run(t, w) {
		t.Fatal("the probe does not end")
	}
	after := sight{}
	after.output(w, before...)
	s[key] = after["output"]
	if key != "shell" {
		after.files(w)
		s[key] += id + "\n" + after["files"]
	}
	return id
}

// output is what the run has written; early was delivered before.
func (s sight) output(w *core.World, early ...shell.Chunk) {
	var all, out, err bytes.Buffer
	last := 0
	for _, c := range append(early, w.Take()...) {
		if c.Stream != last {
			fmt.Fprintf(&all, "\x00%d:", c.Stream)
			last = c.Stream
		}
		all.Write(c.Data)
		if c.Stream == 1 {
			out.Write(c.Data)
		} else {
			err.Write(c.Data)
		}
	}
	s["output"], s["stdout"], s["stderr"] = all.String(), out.String(), err.String()
}

func (s sight) files(w *core.World) {
	var b strings.Builder
	for r := range w.M.FS.Records() {
		sum := sha256.New()
		for _, p := range r.Pieces {
			fmt.Fprintf(sum, "%d:%d:", p.Index, len(p.Data))
			sum.Write(p.Data)
		}
		r.Pieces = nil
		fmt.Fprintf(&b, "%+v %x\n", r, sum.Sum(nil)[:8])
	}
	fmt.Fprintf(&b, "next %d, usage %+v\n", w.M.FS.NextIno(), w.M.FS.Usage())
	s["files"] = b.String()
}

func (s sight) variables(w *core.World) {
	var b strings.Builder
	all := w.M.Variables()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%+q\n", fmt.Sprintf("%+v", all[name].Record(name)))
	}
	s["variables"] = b.String()
}

// differs lists the aspects that are not equal, with the first line that is not.
func (s sight) differs(want sight) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if s[k] != want[k] {
			g, w := firstDifference(s[k], want[k])
			fmt.Fprintf(&b, "%s: got %q, want %q\n", k, g, w)
		}
	}
	return b.String()
}

func firstDifference(a, b string) (string, string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return "(end)", y[i]
		case i >= len(y):
			return x[i], "(end)"
		case x[i] != y[i]:
			return x[i], y[i]
		}
	}
	return a, b
}

// export gives a world's blob.
func export(t testing.TB, w *core.World) []byte {
	t.Helper()
	parts, err := Export(w, nil)
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	return parts.Bytes()
}

// reload gives the world that a world's blob holds, and closes the one it was made from.
func reload(t testing.TB, w *core.World) *core.World {
	t.Helper()
	blob := export(t, w)
	w.Close()
	n, _, err := Import(blob, nil, limit.Default())
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	if again := export(t, n); !bytes.Equal(again, blob) {
		t.Fatalf("saving what was loaded gives other bytes: %s", describe(blob, again))
	}
	return n
}

// describe says where two blobs differ first.
func describe(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	at := func(x []byte) []byte { return x[max(0, min(i-40, len(x))):min(len(x), i+40)] }
	return fmt.Sprintf("%d and %d bytes, at %d\n%q\n%q", len(a), len(b), i, at(a), at(b))
}

// points are the safe points to stop a run of so many steps at: all if there
// are few, otherwise a sample.
func points(total, all, sample int, seed uint64) []int {
	if total <= all {
		list := make([]int, 0, total)
		for i := 1; i < total; i++ {
			list = append(list, i)
		}
		return list
	}
	chosen := map[int]bool{}
	for x := seed; len(chosen) < min(sample, total-1); {
		x = x*6364136223846793005 + 1442695040888963407
		chosen[1+int((x>>33)%uint64(total-1))] = true
	}
	list := slices.Collect(maps.Keys(chosen))
	sort.Ints(list)
	return list
}

func timeLeft(w *core.World) string {
	ns, ok := w.TimeLeft()
	return fmt.Sprint(ns, ok)
}

// imported gives the world of a blob that must be good.
func imported(t testing.TB, data []byte) *core.World {
	t.Helper()
	w, _, err := Import(data, nil, limit.Default())
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return w
}

// copy gives a player that goes on from here by itself.
func (p *player) copy() *player {
	q := *p
	q.answers, q.marks = maps.Clone(p.answers), slices.Clone(p.marks)
	return &q
}
