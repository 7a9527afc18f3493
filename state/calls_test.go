package state

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core/shell"
)

// The tools of the tests.
var tools = []shell.Tool{{Name: "fetch", Held: true, Help: "says what it was asked for"}, {Name: "upper", Held: true}, {Name: "fails"}, {Name: "raises"}, {Name: "shows"}}

// toolAnswer is what the tools do: the same whenever they are asked.
func toolAnswer(c *shell.Call) shell.Answer {
	args := strings.Join(c.Args, " ")
	switch c.Name {
	case "fetch":
		return shell.Answer{Stdout: []byte("<" + args + ">\n")}
	case "upper":
		return shell.Answer{Stdout: []byte(strings.ToUpper(string(c.Stdin) + args))}
	case "fails":
		return shell.Answer{Stdout: []byte("some\n"), Stderr: []byte("fails: " + args + " in " + c.Cwd + "\n"), Status: 3}
	case "shows":
		return shell.Answer{Stdout: []byte(fmt.Sprintln(c.Env))}
	case "raises":
		return shell.Answer{Error: "boom " + args, Status: 1, Stderr: []byte("raises: boom\n")}
	}
	return shell.Answer{Status: 127}
}

// callScripts call tools from everywhere a command can stand: script, stdout, calls.
var callScripts = []struct {
	name, text, out string
	calls           int
}{
	{"loop", `for i in 1 2 3; do fetch $i; done; i=0; while [ $i -lt 2 ]; do fetch w$i; i=$((i+1)); done`, "<1>\n<2>\n<3>\n<w0>\n<w1>\n", 5},
	{"substitution", `x=$(fetch a) y=$(fetch $(fetch b)); echo "$x$y" $(upper < f)`, "<a><<b>> CONTENT\n", 4},
	{"pipeline", `fetch 1 2 | upper | tr '<' '['; echo in | upper; { echo a; echo b; } | upper | { cat; fetch z; } | cat -n; echo ${PIPESTATUS[@]}`,
		"[1 2>\nIN\n     1\tA\n     2\tB\n     3\t<z>\n0 0 0 0\n", 5},
	{"function", `f() { local r=$(fetch "$1"); fails "$r" 2>&1; return $?; }; f x; echo $?; trap 'fetch trapped' EXIT; f y || echo no`,
		"fails: <x> in /home/user\nsome\n3\nfails: <y> in /home/user\nsome\nno\n<trapped>\n", 5},
	{"xargs", `printf 'a\nb\nc\n' | xargs -n1 fetch; printf '1 2' | xargs -I{} fetch {} -; find . -name f -exec fetch {} \;`,
		"<a>\n<b>\n<c>\n<1 2 ->\n<./f>\n", 5},
	{"background", `fetch bg & p=$!; fetch fg; wait $p; echo $?; (fails sub 2>/dev/null; echo $?) & wait; fetch a > o1 & fetch b > o2 & wait; cat o1 o2`,
		"", 5},
	{"conditions", `if fails 2>/dev/null; then echo no; elif fetch yes; then echo ok; fi; fails 2>/dev/null || fetch or; ! fetch not; echo $?; until fetch u; do :; done`,
		"some\n<yes>\nok\nsome\n<or>\n<not>\n1\n<u>\n", 6},
	{"raised", `raises a; echo $?; raises b 2>/dev/null || echo caught; set -e; raises c; echo never`, "1\ncaught\n", 3},
	{"redirected", `fetch to file > o; cat o; fails 2> e; cat e; upper < o; upper <<< here; upper arg < /dev/null; cat <(fetch ps); read x < <(fetch rd); echo $x`,
		"<to file>\nsome\nfails:  in /home/user\n<TO FILE>\nHERE\nARG<ps>\n<rd>\n", 7},
	{"loop input", `while read l; do fetch $l; done <<< $'x\ny'; echo z | while read l; do upper $l; done; eval 'fetch e'; . ./s; bash -c 'fetch child'; env A=b fetch env`,
		"<x>\n<y>\nZ<e>\n<sourced>\n<child>\n<env>\n", 7},
}

func callScript(i int) script {
	c := callScripts[i]
	return script{name: "calls/" + c.name, text: c.text, tools: tools, out: c.out,
		files: map[string][]byte{"f": []byte("content\n"), "s": []byte("fetch sourced\n")}}
}

// TestCalls takes scripts that call tools all ways: each call is made once,
// whatever happens to the world in between.
func TestCalls(t *testing.T) {
	e := effortOf(t)
	for i, c := range callScripts {
		s := callScript(i)
		if !e.wants(s.name) {
			continue
		}
		w := s.begin(t)
		p := s.player()
		if !p.run(t, w) {
			t.Fatal("no end")
		}
		got := s.look(t, w)
		if s.out != "" && got["stdout"] != s.out {
			t.Errorf("%s\n got %q\nwant %q\nstderr %q", s.text, got["stdout"], s.out, got["stderr"])
		}
		if len(p.answers) != c.calls {
			t.Errorf("%s: %d calls, want %d", s.name, len(p.answers), c.calls)
		}
		e.threeWays(t, s, e.all, e.sample, e.forks)
	}
}

// TestPendingCallOfFork checks that a pending call is offered again under the
// same id by a load, and under another by a fork, which says what it was.
func TestPendingCallOfFork(t *testing.T) {
	s := script{text: `fetch a | cat; echo after`, tools: tools}
	w := s.begin(t)
	n, now := stride, int64(epoch)
	if out, _ := w.Advance(stepHost{&n, &now}); out != shell.Calls {
		t.Fatal("outcome ", out)
	}
	id := w.M.Calls[0].ID
	if !strings.HasPrefix(id, w.M.RunID+"-") {
		t.Errorf("call %s of run %s", id, w.M.RunID)
	}
	twice := export(t, w)
	for range 2 { // a dump that is loaded twice repeats the id on purpose: it is a retry
		l := imported(t, twice)
		if c := l.M.Calls[0]; c.ID != id || c.ForkedFrom != "" || l.M.RunID != w.M.RunID {
			t.Errorf("the load offers %+v", c)
		}
	}
	f := w.Fork(nil)
	if c := f.M.Calls[0]; c.ID == id || c.ForkedFrom != id || f.M.RunID == w.M.RunID {
		t.Errorf("the fork offers %+v", c)
	}
	g := imported(t, export(t, f))
	if g.M.Calls[0].ForkedFrom != id {
		t.Error("the fork's load forgets where the call comes from")
	}
	for _, x := range []*struct {
		id string
		m  *shell.Machine
	}{{id, w.M}, {f.M.Calls[0].ID, f.M}, {g.M.Calls[0].ID, g.M}} {
		if err := x.m.Resume(x.id, shell.Answer{Stdout: []byte("answer\n")}); err != nil {
			t.Error(err)
		}
		if err := x.m.Resume(x.id, shell.Answer{}); err == nil {
			t.Error("a call was answered twice")
		}
	}
}

// TestBlobDoesNotGrow checks that calls made leave nothing behind.
func TestBlobDoesNotGrow(t *testing.T) {
	size := func(n int) int {
		s := script{text: fmt.Sprintf(`for ((i=10000; i<10000+%d; i++)); do x=$(fetch $i); done; fetch end; echo`, n), tools: tools}
		w, p := s.begin(t), s.player()
		p.answer = func(c *shell.Call) shell.Answer {
			if c.Args[0] == "end" {
				return shell.Answer{}
			}
			return toolAnswer(c)
		}
		for len(p.answers) < n {
			if p.advance(t, w, 5) {
				t.Fatal("ended early")
			}
			w.Take()
		}
		return len(export(t, w))
	}
	few, many := size(10), size(5000)
	if many > few+64 { // counters have a few digits more
		t.Errorf("%d bytes after 10 calls, %d after 5,000", few, many)
	}
}

// TestCallIDs checks that no two calls of a run share an id and that ids count up.
func TestCallIDs(t *testing.T) {
	s := script{text: `for i in 1 2 3; do fetch $i & done; wait; fetch 4`, tools: tools}
	w, p := s.begin(t), s.player()
	var ids []string
	p.answer = func(c *shell.Call) shell.Answer { ids = append(ids, c.ID); return toolAnswer(c) }
	if !p.run(t, w) {
		t.Fatal("no end")
	}
	for i, id := range ids {
		if want := w.M.RunID + "-" + strconv.Itoa(i+1); id != want {
			t.Errorf("call %d is %s, not %s", i, id, want)
		}
	}
}
