package state

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/shell"
)

// effort is how hard the tests of this package search. FREEZE=full stops every
// script at every safe point; FREEZE_SEED chooses another sample; FREEZE_ONLY
// takes only the scripts whose names contain it.
type effort struct {
	full       bool
	seed       uint64
	only       string
	all        int // runs of up to so many steps are stopped after each of them
	sample     int // of longer ones, this many points
	forks      int // points at which a run is forked
	commands   int // of the utilities' cases one in so many is taken
	commandsAt int // and stopped at so many points
}

func effortOf(t testing.TB) effort {
	e := effort{full: os.Getenv("FREEZE") == "full", seed: 20260, only: os.Getenv("FREEZE_ONLY"), all: 200, sample: 50, forks: 4, commands: 3, commandsAt: 6}
	if s := os.Getenv("FREEZE_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		e.seed = n
	}
	switch {
	case e.full:
		e.all, e.forks, e.commands, e.commandsAt = endless, 200, 1, 200
	case testing.Short():
		e.all, e.sample, e.forks, e.commands = 20, 10, 1, 10
	}
	return e
}

// threeWays runs a script plainly, freezes and reloads it, and forks it:
// everything that can be seen must be the same at the end. (The fourth way,
// against bash, is TestAsBash.) It gives the number of safe points at which
// the run was stopped.
func (e effort) threeWays(t *testing.T, s script, all, sample, forks int) int {
	t.Helper()
	p := s.player()
	plain := s.begin(t)
	steps := 0
	for !p.advance(t, plain, 1) {
		if steps++; steps > endless {
			t.Fatalf("%s does not end", s.name)
		}
	}
	defer plain.Close()
	want, _ := s.finish(t, p, plain)
	stops := points(steps, all, sample, e.seed)
	if got, ok := s.frozen(t, stops); !ok || got.differs(want) != "" {
		t.Errorf("%s: frozen and reloaded at %d of %d points (seed %d): %s%s", s.name, len(stops), steps, e.seed, got.differs(want), unended(ok))
	}
	for _, at := range points(steps, forks, forks, e.seed+1) {
		s.forked(t, at, want)
	}
	return len(stops)
}

// unended says that a run has not ended.
func unended(ok bool) string {
	if ok {
		return ""
	}
	return "it does not end"
}

// asBash compares with what bash and the tools answered.
func (s script) asBash(t *testing.T) {
	t.Helper()
	w := s.begin(t)
	defer w.Close()
	got := sight{}
	if !s.player().run(t, w) {
		t.Errorf("%s does not end", s.name)
	}
	got.output(w)
	got["status"] = strconv.Itoa(w.M.Run.Status)
	want := sight{"stdout": s.out, "status": strconv.Itoa(s.status)}
	if !s.silent {
		want["stderr"] = s.err
	}
	if d := got.differs(want); d != "" {
		t.Errorf("%s: not as bash\n%s%s", s.name, s.text, d)
	}
}

func (s script) player() *player {
	return &player{now: epoch, short: s.short, typed: s.typed, answers: map[string]int{}, answer: func(c *shell.Call) shell.Answer { return toolAnswer(c) }}
}

// frozen runs a script and moves it to a fresh world at each of the stops.
func (s script) frozen(t *testing.T, stops []int) (sight, bool) {
	t.Helper()
	p := s.player()
	w := s.begin(t)
	defer func() { w.Close() }()
	at := 0
	for _, stop := range stops {
		if p.advance(t, w, stop-at) {
			t.Errorf("%s: ended before step %d", s.name, stop)
			break
		}
		at = stop
		w = reload(t, w)
	}
	got, ok := s.finish(t, p, w)
	for id, n := range p.answers {
		if n != 1 {
			t.Errorf("%s: call %s was made %d times", s.name, id, n)
		}
	}
	return got, ok
}

// vandal changes everything a script can change.
const vandal = `
cd /; umask 0; set -f -u; shopt -s nullglob; trap 'echo vandal' EXIT USR1; alias ls=rm; hash -p /x cat
for v in $(compgen -v); do case $v in PATH|*BASH*|v) ;; *) unset -v $v; eval "$v=vandal"; esac 2>/dev/null; done
for f in $(compgen -A function); do eval "$f() { echo vandal; }"; done 2>/dev/null
find /home/user -type f | while read -r f; do echo vandal >> "$f"; done
mkdir -p /home/user/vandal; touch /home/user/vandal/{1..30}; rm -rf /home/user/?; ln -s / /home/user/v
set -- vandal vandal; pushd /tmp; exec 0</dev/null 3>/tmp/vandal; sleep 3600
`

// forked forks a run at a safe point, ruins one branch, lets another go on, and
// compares how both the fork and the original end.
func (s script) forked(t *testing.T, at int, want sight) {
	t.Helper()
	p, q := s.player(), s.player()
	w := s.begin(t)
	defer w.Close()
	if p.advance(t, w, at) {
		t.Errorf("%s: ended before step %d", s.name, at)
		return
	}
	ruined, other := w.Fork(nil), w.Fork(nil)
	defer ruined.Close()
	defer other.Close()
	q.advance(t, ruined, 3)
	ruined.Cancel()
	if _, err := ruined.Begin(core.Start{Script: vandal}); err != nil {
		t.Fatal(err)
	}
	q.advance(t, ruined, 30_000)
	got, ok := s.finish(t, q, other)
	if ok {
		got["run"], got["run id"], got["answered"] = want["run"], want["run id"], want["answered"] // a fork's runs have names of their own
	}
	if d := got.differs(want); !ok || d != "" {
		t.Errorf("%s: the fork made at step %d: %s", s.name, at, d)
	}
	got, ok = s.finish(t, p, w)
	if d := got.differs(want); !ok || d != "" {
		t.Errorf("%s: the original after a fork at step %d: %s", s.name, at, d)
	}
}

func (e effort) wants(name string) bool { return strings.Contains(name, e.only) }

// TestAsBash compares both corpora with the recorded answers of bash 5.2 and
// the GNU tools.
func TestAsBash(t *testing.T) {
	e := effortOf(t)
	for _, folder := range []string{"script", "cmd"} {
		names, all := archives(t, folder)
		for _, name := range names {
			t.Run(folder+"/"+name, func(t *testing.T) {
				for _, s := range all[name] {
					if e.wants(s.name) {
						s.asBash(t)
					}
				}
			})
		}
	}
}

// TestScripts takes the corpus of the shell's constructs all ways.
func TestScripts(t *testing.T) {
	e := effortOf(t)
	names, all := archives(t, "script")
	stops, cases := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, s := range all[name] {
				if e.wants(s.name) {
					stops += e.threeWays(t, s, e.all, e.sample, e.forks)
					cases++
				}
			}
		})
	}
	t.Logf("%d scripts, stopped at %d safe points, seed %d", cases, stops, e.seed)
}

// TestCommands takes the utilities' corpus all ways.
func TestCommands(t *testing.T) {
	e := effortOf(t)
	names, all := archives(t, "cmd")
	stops, cases := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for i, s := range all[name] {
				s.brief = true
				if e.wants(s.name) && i%e.commands == 0 {
					stops += e.threeWays(t, s, e.commandsAt, e.commandsAt, max(0, e.forks-i%8*e.forks))
					cases++
				}
			}
		})
	}
	t.Logf("%d scripts, stopped at %d safe points, seed %d", cases, stops, e.seed)
}

// TestShortTurns takes utilities' cases all ways in short turns: they are stopped in the middle of small inputs,
// and what a load makes anew must cost no step.
func TestShortTurns(t *testing.T) {
	e := effortOf(t)
	names, all := archives(t, "cmd")
	stops, cases := 0, 0
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for i, s := range all[name] {
				b := bites[i/e.commands%len(bites)]
				s.brief, s.short, s.name = true, b.size, s.name+b.suffix
				if !e.wants(s.name) || i%e.commands != 0 || !s.ends(t, longest) {
					continue
				}
				stops += e.threeWays(t, s, e.commandsAt, e.commandsAt, 0)
				cases++
			}
		})
	}
	t.Logf("%d scripts, stopped at %d safe points, seed %d", cases, stops, e.seed)
}

// ends reports whether a script ends within so many steps.
func (s script) ends(t *testing.T, most int) bool {
	t.Helper()
	w := s.begin(t)
	defer w.Close()
	return s.player().advance(t, w, most)
}

// TestCorpora takes other shells' corpora, of which FREEZE=full takes all.
func TestCorpora(t *testing.T) {
	e := effortOf(t)
	names := []string{"mvdan"}
	if e.full {
		names = []string{"mvdan", "gbash", "justbash", "bashkit", "oils", "awk", "sed", "jq"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			stops, cases := 0, 0
			for _, s := range corpus(t, name) {
				if e.wants(s.name) {
					stops += e.threeWays(t, s, e.all/5, 10, 1)
					cases++
				}
			}
			t.Logf("%d scripts, stopped at %d safe points, seed %d", cases, stops, e.seed)
		})
	}
}
