package core

import (
	"strings"
	"testing"

	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// slowHost is a host whose clock moves a millisecond at each look, so that no
// call is answered at once, and that wants the run suspended, once, when it has been asked for the nth time.
type slowHost struct {
	now    int64
	asked  int // in the middle of a step
	nth    int
	always bool // it wants that whenever it is asked
	sliced int  // slices that were given up
	length int  // how often a slice asks whether it is over before it is
	looked int
}

func (h *slowHost) Now() int64    { h.now += 1e6; return h.now }
func (h *slowHost) Expired() bool { h.looked++; return h.length == 0 || h.looked%h.length == 0 }

func (h *slowHost) Midway() shell.Midway {
	if h.asked++; h.asked == h.nth || h.always {
		return shell.ToSuspend
	}
	return shell.GoOn
}

// long is a step that takes long and changes something first.
const long = `echo before; : $((n++)) ${x//+(a|aa)b/c}; echo "$n" >>f; history -s added; fetch $n; y=$((n++))${x//+(a|aa)b/c}; echo $n ${#y} $RANDOM; cat f; history | wc -l`

// TestGoBack: a run that is to be suspended in the middle of a step goes back to
// the beginning of the slice, and comes to the same end as one that is not. A step that was given up once is not given up again.
func TestGoBack(t *testing.T) {
	for name, c := range map[string]struct {
		setup  string // an earlier command
		script string
		change func(*World) // between the beginning and the first slice
	}{
		"first command":  {"", "shopt -s extglob; x=$(printf '%500s' | tr ' ' a); n=1\n" + long, func(*World) {}},
		"first slice":    {"shopt -s extglob; x=$(printf '%500s' | tr ' ' a); n=5", long, func(*World) {}},
		"changed before": {"shopt -s extglob; x=$(printf '%500s' | tr ' ' a); n=5", long, func(w *World) { w.Touched(); _ = w.write("/home/user/f", []byte("given\n"), 1) }},
		"in a pipeline":  {"", "shopt -s extglob; x=$(printf '%500s' | tr ' ' a); n=1; { " + long + "; } | cat -n", func(*World) {}},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(nth int, always bool) (string, *slowHost) {
				var templates Templates
				w, _, err := templates.New(Config{Limits: limit.Default(), Seed: 7})
				if err != nil {
					t.Fatal(err)
				}
				w.M.SetTools([]shell.Tool{{Name: "fetch"}})
				h := &slowHost{}
				if c.setup != "" {
					playOn(t, w, c.setup, h, func(*World) {})
				}
				h.asked, h.nth, h.always = 0, nth, always
				out := playOn(t, w, c.script, h, c.change)
				for _, e := range w.Log {
					out += e.Command + ";"
				}
				return out, h
			}
			plain, h := play(0, false)
			if !strings.Contains(plain, "before") || h.asked < 2 {
				t.Fatalf("%q, asked %d times", plain, h.asked)
			}
			for nth := range h.asked {
				if got, h := play(nth+1, false); got != plain || h.sliced != 1 {
					t.Errorf("question %d, %d given up:\n got %q\nwant %q", nth+1, h.sliced, got, plain)
				}
			}
			if got, h := play(0, true); got != plain || h.sliced != 2 {
				t.Errorf("always, %d given up of %d questions:\n got %q\nwant %q", h.sliced, h.asked, got, plain)
			}
		})
	}
}

// playOn runs a script to its end and gives its output. change is called when it has begun.
func playOn(t *testing.T, w *World, script string, h *slowHost, change func(*World)) string {
	t.Helper()
	id, err := w.Begin(Start{Script: script, Limits: map[string]int64{"depth": 9}})
	if err != nil {
		t.Fatal(err)
	}
	change(w)
	var out strings.Builder
	for range 1 << 16 {
		before := w.M
		outcome, _ := w.Advance(h)
		for _, c := range w.Take() {
			out.Write(c.Data)
		}
		switch {
		case outcome == shell.Done:
			return out.String()
		case w.M.RunID != id || w.M.Limits.Depth != 9:
			t.Fatalf("run %s became %s, with a depth of %d", id, w.M.RunID, w.M.Limits.Depth)
		case outcome == shell.Calls:
			if err := w.M.Resume(w.M.Calls[0].ID, shell.Answer{Stdout: []byte("answer\n")}); err != nil {
				t.Fatal(err)
			}
		case before != w.M:
			h.sliced++
		}
	}
	t.Fatal("no end")
	return ""
}

// TestGoBackFar: where commands hold much, a run goes back further than to the
// beginning of the slice, but never beyond what has left the World.
func TestGoBackFar(t *testing.T) {
	const heavy = `seq 60000 | awk '{ a[NR] = $0 } END { x = sprintf("%300000s", ""); print gsub(/ /, "ab", x), length(x), NR, rand() }'; echo $RANDOM`
	for name, c := range map[string]struct {
		script string
		far    bool
		look   func(*World) // after each slice
	}{
		"commands hold much":     {"echo begun; for i in {1..10000}; do :; done; " + heavy, true, func(*World) {}},
		"the host looks at it":   {"echo begun; for i in {1..10000}; do :; done; " + heavy, false, (*World).Touched},
		"there is always output": {"{ while :; do echo; sleep 0; done & } ; " + heavy + "; kill $!", false, func(*World) {}},
	} {
		t.Run(name, func(t *testing.T) {
			play := func(nth int) (out string, lost int64, asked int) {
				var templates Templates
				w, _, err := templates.New(Config{Limits: limit.Default(), Seed: 7, Virtual: true})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Begin(Start{Script: c.script}); err != nil {
					t.Fatal(err)
				}
				h := &slowHost{nth: nth, length: 5}
				for range 1 << 20 {
					before, steps := w.M, w.M.Meter.Steps
					outcome, _ := w.Advance(h)
					if before != w.M {
						lost = steps - w.M.Meter.Steps
					}
					for _, c := range w.Take() {
						out += strings.ReplaceAll(string(c.Data), "\n\n", "")
					}
					if outcome == shell.Done {
						return out, lost, h.asked
					}
					c.look(w)
				}
				t.Fatal("no end")
				return "", 0, 0
			}
			plain, _, asked := play(0)
			if asked == 0 {
				t.Fatal("no step took long")
			}
			got, lost, _ := play(asked)
			if got != plain || !strings.Contains(plain, "300000 600000 60000") {
				t.Errorf("got %q\nwant %q", got, plain)
			}
			if (lost > 0) != c.far {
				t.Errorf("%d steps were lost beyond the slice", lost)
			}
		})
	}
}

// TestGoBackAfterOutput: what a script printed before a command that holds much
// is no hindrance, wherever its slices end.
func TestGoBackAfterOutput(t *testing.T) {
	const script = "for i in {1..20000}; do :; done; echo begun; " +
		`seq 30000 | awk '{ a[NR] = $0 } END { x = sprintf("%300000s", ""); print gsub(/ /, "ab", x) }'`
	for length := 1; length < 60; length += 3 {
		play := func(nth int) (out string, gone, asked int) {
			var templates Templates
			w, _, err := templates.New(Config{Limits: limit.Default(), Seed: 7, Virtual: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Begin(Start{Script: script}); err != nil {
				t.Fatal(err)
			}
			h := &slowHost{nth: nth, length: length}
			for range 1 << 20 {
				before := w.M
				outcome, _ := w.Advance(h)
				if before != w.M {
					gone++
				}
				for _, c := range w.Take() {
					out += string(c.Data)
				}
				if outcome == shell.Done {
					return out, gone, h.asked
				}
			}
			t.Fatal("no end")
			return "", 0, 0
		}
		plain, _, asked := play(0)
		if asked == 0 {
			t.Fatal("no step took long")
		}
		if got, gone, _ := play(asked); got != plain || gone != 1 {
			t.Errorf("slices of %d: gone back %d times; got %q, want %q", length, gone, got, plain)
		}
	}
}
