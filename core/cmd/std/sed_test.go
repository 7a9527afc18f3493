package std

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"

	"github.com/fxamacker/cbor/v2"
)

func TestSedInPlace(t *testing.T) {
	for _, c := range []struct {
		args  string
		files map[string]string
		want  map[string]string
		out   string
	}{
		{"-i s/o/0/ a b", map[string]string{"a": "foo\n", "b": "no"}, map[string]string{"a": "f0o\n", "b": "n0"}, ""},
		{"-i.bak 1d a", map[string]string{"a": "1\n2\n"}, map[string]string{"a": "2\n", "a.bak": "1\n2\n"}, ""},
		{"-iold_* 1d a", map[string]string{"a": "1\n2\n"}, map[string]string{"a": "2\n", "old_a": "1\n2\n"}, ""},
		{"-i 2q a b", map[string]string{"a": "1\n2\n3\n", "b": "x\n"}, map[string]string{"a": "1\n2\n", "b": "x\n"}, ""},
		{"-n -i $p a b", map[string]string{"a": "1\n2\n", "b": "3\n4"}, map[string]string{"a": "2\n", "b": "4"}, ""},
		{"-i -e 1w/dev/stdout -e s/^/>/ a", map[string]string{"a": "1\n2\n"}, map[string]string{"a": ">1\n>2\n"}, "1\n"},
		{"-n wout a", map[string]string{"a": "1\n2\n"}, map[string]string{"a": "1\n2\n", "out": "1\n2\n"}, ""},
		{"-i $!N;s/\\n/+/ a b", map[string]string{"a": "1\n2\n3\n", "b": "4\n5\n"}, map[string]string{"a": "1+2\n3\n", "b": "4+5\n"}, ""},
		{"-i = a", map[string]string{"a": ""}, map[string]string{"a": ""}, ""},
	} {
		got := cmdtest.Check(t, cmdtest.Run{Command: sedCommand(), Args: strings.Fields(c.args), Files: c.files})
		if tree := cmdtest.Tree(t, got.FS); !reflect.DeepEqual(tree, c.want) || got.Stdout != c.out {
			t.Errorf("%s: %s\nfiles %q\nwant  %q", c.args, got, tree, c.want)
		}
	}
}

// A large input, so that cycles lie across turns in all kinds of places.
func TestSedLongInput(t *testing.T) {
	in := strings.Repeat("one two\nthree\n", 20000)
	got := cmdtest.Check(t, cmdtest.Run{Command: sedCommand(), Args: []string{"N;s/\\n/-/;s/o/0/g;$a end"}, Stdin: in})
	if want := strings.Repeat("0ne tw0-three\n", 20000) + "end\n"; got.Stdout != want {
		t.Errorf("got %.100q… (%d bytes)", got.Stdout, len(got.Stdout))
	}
	got = cmdtest.Check(t, cmdtest.Run{Command: sedCommand(), Args: []string{"-n", "H;${x;s/\\n/,/g;s/[^,]*,//2gp}"}, Stdin: "a\nb\nc\n"})
	if got.Stdout != ",c\n" {
		t.Errorf("%s", got)
	}
}

// quiet is a machine with one line of input, for a program that never ends.
type quiet struct {
	cmd.System
	charged int
}

func (q *quiet) Read(_ int, p []byte) (int, error) { return copy(p, "line\n"), nil }
func (q *quiet) Pending() int                      { return 0 }
func (q *quiet) Charge(n int)                      { q.charged += n }
func (q *quiet) Hold(int)                          {}
func (q *quiet) Need(int)                          {}
func (q *quiet) Flush()                            {}
func (q *quiet) RegexSteps() int                   { return 0 }
func (q *quiet) Turn(n int) int                    { return n }
func (q *quiet) Getenv(string) (string, bool)      { return "", false }

// A script that never ends gives control back, pays for its turns, and can be saved.
func TestSedEndless(t *testing.T) {
	machine := &quiet{}
	c := &cmd.Ctx{Name: "sed", System: machine}
	if _, done := cmd.Parse(c, sedCommand(), []string{":a;s/$/x/;s/x$//;ba"}); done {
		t.Fatal(string(c.Errout.B))
	}
	var p cmd.Program = sedCommand().New()
	for turn := range 5 {
		before := machine.charged
		if next := p.Step(c); next.Op != cmd.OpAgain {
			t.Fatal(next)
		}
		if machine.charged-before < 1000 {
			t.Errorf("turn %d charged %d", turn, machine.charged-before)
		}
		data, err := cbor.Marshal(p)
		if err != nil || len(data) > 4096 {
			t.Fatal(len(data), err)
		}
		p = sedCommand().New()
		if err := cbor.Unmarshal(data, p); err != nil {
			t.Fatal(err)
		}
	}
}

// shell answers every child with its command line in brackets.
type shell struct {
	quiet
	in, out string // standard input, and what the child writes
	ended   bool
}

func (s *shell) Read(fd int, p []byte) (int, error) {
	from := &s.in
	if fd == 7 {
		from = &s.out
	}
	n := copy(p, *from)
	if *from = (*from)[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
func (s *shell) Pipe() (r, w int, err error) { return 7, 8, nil }
func (s *shell) Close(int) error             { return nil }
func (s *shell) Spawn(c cmd.Spawn) (int, error) {
	s.out, s.ended = "["+strings.Join(c.Argv, " ")+"]\n", false
	return 2, nil
}
func (s *shell) Reap() (pid, status int, ok bool) {
	ok, s.ended = s.ended, true // the first time it still runs
	return 2, 0, ok
}

// e and s///e ask the machine to run a shell, and can be saved while it runs.
func TestSedCommand(t *testing.T) {
	machine := &shell{in: "a\nb\nc\n"}
	c := &cmd.Ctx{Name: "sed", System: machine}
	if _, done := cmd.Parse(c, sedCommand(), []string{"1e ls\n2s/b/date/e\n3e"}); done {
		t.Fatal(string(c.Errout.B))
	}
	var p cmd.Program = sedCommand().New()
	for next := p.Step(c); next.Op != cmd.OpExit; next = p.Step(c) {
		data, err := cbor.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		p = sedCommand().New()
		if err := cbor.Unmarshal(data, p); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := string(c.Out.B), "[sh -c ls]\na\n[sh -c date]\n[sh -c c]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSedDebugIsLoud(t *testing.T) {
	got := cmdtest.Run{Command: sedCommand(), Args: []string{"--debug", "p"}, Stdin: "a\n"}.Do(t)
	if got.Status != 2 || len(got.Unsupported) != 1 {
		t.Errorf("%s", got)
	}
}

// FuzzSed checks that any script is refused or runs, and the same way when it is
// saved between all turns.
func FuzzSed(f *testing.F) {
	f.Add("s/a\\(b*\\)/\\u\\1&/2g;P;D", "aabb\nb")
	f.Add("/x/,+2{N;l 5;h;G;y/ab/ba/\n}\n$!{1~2d;x}", "x\ny\nz\n")
	f.Add("a\\\ntext\\\nmore\n0,/[[:alpha:]/]/I!c x\n:l;tl", "q\n\nw\x00é\n")
	f.Add("s,[^,]\\{1,3\\}$,\\n\\x41,wo\n$=;W o", "1,2,3\n")
	f.Fuzz(func(t *testing.T, script, in string) {
		if len(script) > 200 || strings.ContainsAny(script, "eb") || strings.Contains(script, "t") || strings.Contains(script, "D") {
			return // these can run for ever
		}
		run := cmdtest.Run{Command: sedCommand(), Args: []string{"-e", script}, Stdin: in}
		plain := run.Do(t)
		run.Reload = true
		if got := run.Do(t); got.Stdout != plain.Stdout || got.Status != plain.Status {
			t.Errorf("%q: reloaded\n%s\nplain\n%s", script, got, plain)
		}
	})
}
