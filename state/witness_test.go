package state

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/state/internal/numbers"
	"eryxsh/vfs"
)

// witnessFile lists, for each saved field, the script and the safe point at
// which losing the field is noticed, or the reason why nothing can notice it.
//
// WITNESS=search go test ./state -run TestWitnesses looks for witnesses of fields that have none.
const witnessFile = "testdata/witnesses.txt"

// excused are fields that no run can miss, and why they are saved.
var excused = map[string]string{
	"record.Header.Kind":      "for people: inspect",
	"record.Header.Files":     "for people: inspect",
	"record.Header.Created":   "for people: inspect",
	"record.Header.Bytes":     "for people: inspect",
	"record.Header.Tools":     "asked of the host before a load",
	"record.Header.Dropped":   "for people: inspect",
	"record.Header.Features":  "for a later reader",
	"record.Header.Schema":    "TestDamage",
	"record.Header.MinReader": "TestDamage",
	"record.Header.Signed":    "TestKeys",
	"shell.Call.ForkedFrom":   "TestPendingCallOfFork",
	"shell.RunState.Retried":  "TestGivenUpOnce",
	"shell.HostIO.InWanted":   "for people: a list of runs says that one waits for input",
	"tar.Program.Lists":       "of states made before the names were laid out in their order",
	"shell.address.N":         "lists of one place in the text run the same statements",
	"shell.Save.Exec":         "of a utility's descriptor; the shell redirects none today",
	"vfs.Mount.Host":          "TestHostMountGoesOn",
	"vfs.Mount.Bases":         "TestOverlayGoesOn",
	"vfs.Base.Path":           "TestOverlayGoesOn",
	"vfs.Base.Mode":           "TestOverlayGoesOn",
	"vfs.Base.Size":           "TestOverlayGoesOn",
	"vfs.Base.Mtime":          "TestOverlayGoesOn",
	"vfs.Base.Ctime":          "TestOverlayGoesOn",
	"vfs.Base.Sum":            "TestOverlayGoesOn",
	"vfs.Record.Lower":        "TestOverlayGoesOn",
	"vfs.Record.Of":           "TestOverlayGoesOn",
	"shell.OFD.Path":          "TestHostMountGoesOn",
	"shell.Place.Path":        "TestHostMountGoesOn",
	"vfs.Record.Fifo":         "kept for callers of vfs; the shell numbers pipes in Pipe.Ino",
	"vfs.Record.Pieces":       "empty: Inode.Chunks has them",
	"vfs.Piece.Index":         "no piece is saved: Inode.Chunks has them",
	"vfs.Piece.Data":          "no piece is saved: Inode.Chunks has them",
	"std.envProgram.Child":    "TestGolden: only a run that an older version began has it",
	"std.niceProgram.Child":   "TestGolden: only a run that an older version began has it",
	"std.nohupProgram.Child":  "TestGolden: only a run that an older version began has it",
	"std.stdbufProgram.Child": "TestGolden: only a run that an older version began has it",
	"shell.Util.In":           "no codec of a Go library is a utility today",
	"shell.Util.EOF":          "no codec of a Go library is a utility today",
	"shell.Util.Taken":        "no codec of a Go library is a utility today",
}

// scenarios are scripts for what the corpora cannot set up: limits, timeouts,
// history, snapshots, other settings of a sandbox.
func scenarios() []script {
	history := func(t testing.TB, w *core.World) {
		for _, text := range []string{"echo first; x=1", "false", "touch made; sleep 1"} {
			if _, err := w.Begin(core.Start{Script: text}); err != nil {
				t.Fatal(err)
			}
			p := script{}.player()
			p.run(t, w)
			w.Take()
		}
		gone, err := w.Snapshot("gone")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Snapshot("kept"); err != nil {
			t.Fatal(err)
		}
		if err := w.Drop(gone.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Begin(core.Start{Script: "rm made; y=2; cd /tmp"}); err != nil {
			t.Fatal(err)
		}
		p := script{}.player()
		p.run(t, w)
		w.Take()
		if _, err := w.Snapshot("again"); err != nil {
			t.Fatal(err)
		}
		w.Fork(nil).Close()
	}
	mounted := func(t testing.TB, w *core.World) {
		fs, cred := w.M.FS, w.Cred()
		for _, dir := range []string{"/mnt", "/srv/m/covered"} {
			if err := w.Mkdir(dir, 0); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := fs.Mount(cred, "/mnt", vfs.Mount{Kind: "eryxsh", Source: "one", Mode: vfs.MountWritable}, 0o755, 0); err != nil {
			t.Fatal(err)
		}
		root, err := fs.Mount(cred, "/srv/m", vfs.Mount{Kind: "eryxsh", Source: "two", Mode: vfs.MountWritable}, 0o755, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/mnt/a", "/mnt/d/e/f", "/srv/m/d/f", "/srv/f"} {
			if err := w.Write(path, []byte(path+"\n"), 0); err != nil {
				t.Fatal(err)
			}
		}
		fs.Remount(root, vfs.MountReadOnly)
	}
	return []script{
		{name: "scenario/history", before: history, text: "echo begin; for i in 1 2 3; do echo $i; sleep 1; done; history; hostname; whoami; x=\\\\u; echo ~ann \"${x@P}\" \"$BASH_EXECUTION_STRING\"", tools: tools,
			config: func(c *core.Config) {
				c.Env, c.User, c.Hostname, c.Cwd, c.Limits.Depth = map[string]string{"GIVEN": "yes"}, "ann", "box", "/tmp", 321
			},
			start: core.Start{Keep: true, Timeout: 60e9, Limits: map[string]int64{"depth": 77, "glob": 1234}, Env: map[string]string{"ONLY": "now"}, Cwd: "/"}},
		{name: "scenario/real-clock", before: history, text: "date +%s; sleep 1; date +%s; fetch a; sleep 5; echo $SECONDS; sleep 100; echo never", tools: tools,
			config: func(c *core.Config) { c.Virtual = false }, start: core.Start{Timeout: 20e9}},
		{name: "scenario/mounts", short: 1, before: mounted, text: "cat /proc/mounts; stat -c %d /mnt/a; du -ax --inodes /srv /var | tail -3; find /srv -xdev; mv -v /mnt/d /tmp; cp -rx /srv /tmp/c; find /tmp/c; touch /mnt/a; touch /srv/m/x; mv -v /tmp/d /mnt; du -ax --inodes /mnt; cp -rx /mnt /tmp/e; rm -rv --one-file-system /srv /mnt/d; ls -R /srv /mnt /tmp"},
		{name: "scenario/lent", text: "rmdir w; sleep 1; pwd", start: core.Start{Cwd: "/tmp"}, before: func(t testing.TB, w *core.World) {
			if _, err := w.Begin(core.Start{Script: "mkdir /tmp/w; cd /tmp/w"}); err != nil {
				t.Fatal(err)
			}
			script{}.player().run(t, w)
			w.Take()
		}},
		{name: "scenario/queued", text: "A=$(printf %90000s x) printenv A B | (sleep 1; wc -c); echo ${PIPESTATUS[*]}"},
		{name: "scenario/refills", text: "for i in 1 2 3 4 5 6; do echo $i; x=$(echo $i); done", config: func(c *core.Config) { c.Limits.Steps = 40 },
			start: core.Start{Suspend: true}},
		{name: "scenario/timeout", text: "while true; do sleep 1; echo tick; done", start: core.Start{Timeout: 5e9}},
		{name: "scenario/limits", text: "f() { f $(( $1+1 )); }; (f 0); echo $?; yes | head -c 20000; echo; : {1..300}; for i in {1..20}; do sleep 9 & done; exec 30</dev/null; echo end",
			config: func(c *core.Config) {
				c.Limits = limit.Hardened()
				c.Limits.Output, c.Limits.Processes, c.Limits.Depth = 9000, 18, 40
			}},
		{name: "scenario/typed", text: "read a; echo \"<$a>\"; while read -r l; do echo \"[$l]\"; done; cat", typed: []string{"first\nsec", "ond\nthird", "\nlast"},
			start: core.Start{Open: true}},
		{name: "scenario/descriptors", text: "echo a b > f; xargs -a f -n1 bash -c 'echo /dev/fd/* $0'; find . -name f -exec bash -c 'echo /dev/fd/*' \\;; echo /dev/fd/* <(echo) $(echo /dev/fd/*); echo 'sleep 1; bash -c \"ls /dev/fd\"' > s; bash s"},
		{name: "scenario/short", short: 1, text: "echo a > f; awk 'BEGIN { getline l < \"f\"; system(\"ls /dev/fd\") }'"},
		{name: "scenario/memory", text: "(seq 1000; sleep 9) | sort | tail -1 & sleep 1; seq 1000 | sort | tail -1; wait; seq 4000 | sort | tail -1; x=$(seq 2000 | sort); echo ${#x}; seq 9000 | tac | tail -1", config: func(c *core.Config) { c.Limits.Memory = 30_000 }},
		{name: "scenario/taken", text: "for ((i = 0; ; i++)); do a+=(element); echo $i; done", config: func(c *core.Config) { c.Limits.Memory = 40_000 }},
		{name: "scenario/held", text: "(seq 20000; sleep 9) | sort | tail -1 & sleep 1; for i in 1 2; do echo $i; done; seq 20000 | sort | tail -1; echo end", config: func(c *core.Config) { c.Limits.Memory = 300_000 }},
		{name: "scenario/owners", short: 1, text: "mkdir -p d/e; touch d/e/f d/g; tree -psugD nope d; ls -lR d; find d -ls; chown -R user:user d nope; du --time -a d; ls -l nope d; tree nope; chmod 711 nope d d/e"},
		{name: "scenario/own-output", text: "printf '%s\\n' 1234567 a b c d e f g h i j k l m n > f; { read -r x; cat -E; } < f 1<> f", short: 3,
			config: func(c *core.Config) { c.Limits.Steps = 400 }},
		{name: "scenario/growing", short: 1, text: "seq 3 > a; (wc a a; grep -c . a; tail -n2 a) > o & for i in {1..15}; do echo xxxxxxxxxxxxxxxxxxxx >> a; done; wait; cat o"},
		{name: "scenario/random", short: 1, text: "seq 30 | sort -R; seq 9 | shuf; awk 'BEGIN { srand(3); for (i = 0; i < 40; i++) s = s int(9 * rand()); print s }'"},
		{name: "scenario/full", text: "(seq 20000; sleep 9) | sort | tail -1 & sleep 1; for i in 1 2; do echo $i; done; seq 20000 | sort | tail -1", config: func(c *core.Config) { c.Limits.Memory = 180_000 }},
		{name: "scenario/jq-heap", text: "jq -n '[range(5000)|[.]] as $k | reduce range(12000) as $i ([]; [$i]) | length + ($k|length)'", config: func(c *core.Config) { c.Limits.Memory = 1_500_000 }},
		{name: "scenario/much-written", text: "{ seq 25; sleep 5; } | numfmt --padding=100000 | { head -c 2300000 > /dev/null; date +%s; cat > /dev/null; }"},
		{name: "scenario/awk-heap", text: "awk 'function f(n, a, i) { for (i = 0; i < 300; i++) a[i] = n; return n } BEGIN { f(1); f(2); print \"ok\"; for (i = 0; i < 900; i++) b[i] = i; print \"end\" }'", short: 1,
			config: func(c *core.Config) { c.Limits.Memory = 32_000 }},
		{name: "scenario/asked", text: "touch a b; (sleep 1; rm b; mkdir b; echo y) | mv -i a b; touch c d; (sleep 1; rm d; mkdir d; echo y) | ln -i c d; ls -R"},
		{name: "scenario/ls-unreadable", short: 1, text: "mkdir d e f; touch e/f d/a f/c; chmod 000 f; ls d e f; echo $?; ls -R e . ; echo $?; tree nope e; echo $?; ls -il /dev/null e"},
		{name: "scenario/widths", text: "touch b; { sleep 0.1; truncate -s 100000000 b; echo x; } | wc -c - b"},
		{name: "scenario/shrinks", text: "head -c 300000 /dev/zero > big; tar -cf - big | (sleep 0.2; cat > o) & sleep 0.1; truncate -s 1000 big; wait; tar -tvf o"},
		{name: "scenario/gzip-grows", text: "head -c 300000 /dev/zero | gzip > f.gz; gzip -dc f.gz | (sleep 0.2; wc -c) & sleep 0.1; echo more | gzip >> f.gz; wait"},
		{name: "scenario/missing", text: "ls --no-such-option; checkpoint one; fc; checkpoint two; raises x; fails y; for i in 1 2; do A=$i shows; done; yes | head -c 30000 >&2", tools: tools,
			config: func(c *core.Config) { c.Limits.Output = 5000; c.Seed = 99 }},
	}
}

// bites are the ways a script of a utility is tried again: with its input in
// pieces, so that it is stopped in the middle of a line, and in short turns.
var bites = []struct {
	suffix string
	size   int // bytes
}{{"/in-bites", 3}, {"/in-blocks", 512}}

// witnesses are all the scripts whose runs may miss a field.
func witnesses(t testing.TB) (names []string, all map[string]script) {
	all = map[string]script{}
	add := func(s script) {
		names = append(names, s.name)
		all[s.name] = s
	}
	for _, s := range scenarios() {
		add(s)
	}
	for i := range callScripts {
		add(callScript(i))
	}
	for _, folder := range []string{"script", "cmd"} {
		archive, cases := archives(t, folder)
		for _, a := range archive {
			for _, s := range cases[a] {
				s.name = folder + "/" + s.name
				s.brief = folder == "cmd"
				add(s)
				if folder == "cmd" {
					for _, b := range bites {
						again := s
						again.name, again.short = s.name+b.suffix, b.size
						add(again)
					}
				}
			}
		}
	}
	return names, all
}

// savedFields lists every saved field, those of the utilities' states last.
func savedFields() []field {
	w := newWalker()
	for _, r := range numbers.Records() {
		w.walk(r, r.Name(), "")
	}
	programs := numbers.Programs()
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		w.walk(programs[name], name, "")
	}
	var all []field
	for _, t := range w.order {
		all = append(all, w.structs[t]...)
	}
	return all
}

// misses reports whether a script that is stopped at a point ends otherwise
// when the field is zeroed in what was saved.
func (s script) misses(t testing.TB, p player, data []byte, f field, want plain) (missed, tried bool) {
	b := dissect(t, data)
	if !b.without(f) {
		return false, false
	}
	return s.astray(t, p, b.join(t, nil), want), true
}

// astray reports whether what was saved at a point is refused or leads to another end. The player is left as it is.
func (s script) astray(t testing.TB, p player, data []byte, want plain) bool {
	w, _, err := Import(data, nil, limit.Limits{}) // no bound: those of a host would stand in for limits that are lost
	if err != nil {
		return true
	}
	defer w.Close()
	p.most = want.most
	brief := s
	brief.brief = true // most losses are seen without asking the shell
	c := w.Twin()      // a fork that does not count as one
	got, ok := brief.survive(t, p.copy(), c)
	c.Close()
	for key := range got {
		if got[key] != want.sight[key] {
			return true
		}
	}
	if !ok || s.brief {
		return !ok
	}
	got, ok = s.survive(t, p.copy(), w)
	return !ok || got.differs(want.sight) != ""
}

// survive runs a world that may be damaged to its end. A panic is an end
// otherwise here; TestHostile is about them.
func (s script) survive(t testing.TB, p *player, w *core.World) (got sight, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			got, ok = nil, false
		}
	}()
	c := catcher{TB: t}
	return s.finish(&c, p, w)
}

// catcher turns a failed helper into a panic, to be recovered.
type catcher struct{ testing.TB }

func (c *catcher) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (c *catcher) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// plain gives how a script ends when nobody stops it.
func (s script) plain(t testing.TB) plain {
	t.Helper()
	w := s.begin(t)
	defer w.Close()
	p := s.player()
	p.most = endless
	want, ok := s.finish(t, p, w)
	if !ok {
		t.Fatalf("%s does not end", s.name)
	}
	return plain{want, 2*p.asked + 100}
}

// plain is how a script ends, and after how many steps one that has not ended is taken to be endless.
type plain struct {
	sight
	most int
}

// frozenAt is a script stopped at a point, and the player that goes on.
type frozenAt struct {
	data   []byte
	player player
}

// freeze stops a script at each of the points. What was saved there must lead to the end that is wanted: only then
// is another end the fault of what is lost.
func (s script) freeze(t testing.TB, stops []int, want plain) map[int]frozenAt {
	all := map[int]frozenAt{}
	w, p := s.begin(t), s.player()
	defer func() { w.Close() }()
	at := 0
	for _, stop := range stops {
		ended := p.advance(t, w, stop-at)
		if at = stop; w.Keep {
			if ended { // what was delivered before is not kept any more
				break
			}
			w.Take()
		}
		z := frozenAt{export(t, w), *p.copy()}
		if s.astray(t, z.player, z.data, want) {
			t.Fatalf("%s goes astray after step %d with nothing lost", s.name, stop)
		}
		all[stop] = z
		if ended {
			break
		}
	}
	return all
}

// TestScenarios takes what the corpora cannot set up all ways but for forks.
func TestScenarios(t *testing.T) {
	e := effortOf(t)
	for _, s := range scenarios() {
		if e.wants(s.name) {
			e.threeWays(t, s, e.all, e.sample, 0)
		}
	}
}

// table reads the witness file: field → script and step.
func table(t testing.TB) map[string]string {
	rows := map[string]string{}
	data, err := os.ReadFile(witnessFile)
	if errors.Is(err, os.ErrNotExist) {
		return rows
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if name, where, ok := strings.Cut(line, "\t"); ok {
			rows[name] = where
		}
	}
	return rows
}

// TestWitnesses is the mutation gate: losing any saved field is noticed by the
// script that the table names for it.
func TestWitnesses(t *testing.T) {
	rows := table(t)
	fields := savedFields()
	if os.Getenv("WITNESS") != "" {
		search(t, fields, rows)
		return
	}
	byScript := map[string][]field{}
	known := map[string]bool{}
	for _, f := range fields {
		known[f.String()] = true
		where, ok := rows[f.String()]
		switch {
		case excused[f.String()] != "":
		case !ok:
			t.Errorf("%s has no witness: give it a script that notices its loss and run WITNESS=search, or remove it", f)
		default:
			name, _, _ := strings.Cut(where, "\t")
			byScript[name] = append(byScript[name], f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if !known[name] {
			t.Errorf("%s is in the table and not saved", name)
		}
	}
	_, all := witnesses(t)
	moved := 0
	for _, name := range slices.Sorted(maps.Keys(byScript)) {
		s, ok := all[name]
		if !ok {
			t.Errorf("no script is called %s: %s", name, byScript[name])
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, f := range s.testify(t, byScript[name], rows) {
				if moved++; s.find(t, f, s.plain(t)) == 0 {
					t.Errorf("%s: its loss is no longer noticed", f)
				}
			}
		})
	}
	t.Logf("%d fields have a witness, %d at another step than the table says", len(rows), moved)
}

// utility reports whether a field is of a utility's state.
func (f field) utility() bool {
	p := f.owner.PkgPath()
	return strings.HasPrefix(p, "eryxsh/core/cmd") || strings.HasPrefix(p, "eryxsh/core/regex")
}

// testify tries the fields a script is the witness of. It gives those whose loss
// is not noticed at the step the table names: steps may have moved since it was written.
func (s script) testify(t testing.TB, fields []field, rows map[string]string) (missing []field) {
	want := s.plain(t)
	var stops []int
	for _, f := range fields {
		_, step, _ := strings.Cut(rows[f.String()], "\t")
		n, err := strconv.Atoi(step)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if n > 0 && !slices.Contains(stops, n) {
			stops = append(stops, n)
		}
	}
	slices.Sort(stops)
	frozen := s.freeze(t, stops, want)
	for _, f := range fields {
		_, step, _ := strings.Cut(rows[f.String()], "\t")
		n, _ := strconv.Atoi(step)
		if z, ok := frozen[n]; ok {
			if missed, _ := s.misses(t, z.player, z.data, f, want); missed {
				continue
			}
		}
		missing = append(missing, f)
	}
	return missing
}

// find looks for a point at which a script misses a field; 0 if there is none.
func (s script) find(t testing.TB, f field, want plain) int {
	key := f.String()
	set := s.trace(t, map[string]field{key: f})[key]
	var stops []int
	for _, i := range spread(len(set), 100) {
		stops = append(stops, set[i])
	}
	frozen := s.freeze(t, stops, want)
	for _, at := range stops {
		if z, ok := frozen[at]; ok {
			if missed, _ := s.misses(t, z.player, z.data, f, want); missed {
				return at
			}
		}
	}
	return 0
}
