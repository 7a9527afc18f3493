package shell

import (
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std"
	"eryxsh/core/limit"
	"eryxsh/vfs"
)

// testHost ends no slice and has a clock that stands still.
type testHost struct{}

func (testHost) Now() int64    { return 1_700_000_000_000_000_000 }
func (testHost) Expired() bool { return false }

var testRegistry = cmd.NewRegistry(std.Commands())

// newTestFS is the tree a sandbox starts with.
func newTestFS(now int64) *vfs.FS {
	gen := vfs.NewGenerated(vfs.GeneratedTable{Bins: append(testRegistry.Names(), "bash", "sh"), Time: now})
	fs := vfs.New(gen, vfs.Limits{}, now)
	root := vfs.Cred{Root: true}
	for _, d := range []string{"/home", "/home/user", "/tmp", "/usr/local", "/usr/local/bin", "/etc", "/var"} {
		if err := fs.Mkdir(root, d, 0o755, now); err != nil {
			panic(d + ": " + err.Error())
		}
		if err := fs.Chown(root, d, true, 1000, 1000, now); err != nil {
			panic(err)
		}
	}
	_ = fs.Chmod(root, "/tmp", true, 0o1777, now)
	_ = fs.Symlink(root, "/usr/bin", "/bin", now)
	return fs
}

// listHistory is a history that no World keeps.
type listHistory struct{ commands []string }

func (h *listHistory) Lines() (int, []string) { return 1, h.commands }
func (h *listHistory) Clear()                 { h.commands = nil }
func (h *listHistory) Add(command string)     { h.commands = append(h.commands, command) }
func (h *listHistory) Replace(command string) { h.Add(command) }
func (h *listHistory) Remove(n int) bool {
	h.commands = append(h.commands[:n-1:n-1], h.commands[n:]...)
	return true
}

func newTestMachine() *Machine {
	now := testHost{}.Now()
	m := New(Config{FS: newTestFS(now), Registry: testRegistry, Limits: limit.Default(), Cwd: "/home/user", Seed: 1,
		Identity: Identity{User: "user", Hostname: "sandbox", UID: 1000, GID: 1000},
		Clock:    Clock{Now: now, Virtual: true},
		Env: map[string]string{"HOME": "/home/user", "USER": "user", "LOGNAME": "user", "PATH": "/usr/local/bin:/usr/bin:/bin",
			"SHELL": "/bin/bash", "TERM": "dumb", "LC_ALL": "C.UTF-8", "TZ": "UTC"}})
	m.SetHistory(&listHistory{})
	return m
}

type outcome struct {
	stdout, stderr string
	status         int
	limit          string
	files          string // names and contents, where they are compared
}

// finish advances a machine to the end of its run.
func finish(m *Machine) outcome {
	for range 1_000_000 {
		out, _ := m.Advance(testHost{})
		if out == Done {
			break
		}
		if out == Calls || out == Input {
			break
		}
	}
	return result(m)
}

func result(m *Machine) outcome {
	var o, e strings.Builder
	for _, c := range m.IO.Out {
		if c.Stream == 1 {
			o.Write(c.Data)
		} else {
			e.Write(c.Data)
		}
	}
	return outcome{stdout: o.String(), stderr: e.String(), status: m.Run.Status, limit: m.Run.Limit}
}

func runScript(script string) outcome {
	m := newTestMachine()
	if err := m.Begin(Start{Script: script, RunID: "r"}); err != nil {
		return outcome{stderr: err.Error(), status: -1}
	}
	return finish(m)
}

func TestFirst(t *testing.T) {
	for _, c := range []struct {
		script, want string
		status       int
	}{
		{"echo hi", "hi\n", 0},
		{"n=0; echo $n $((n++)) $(true) end", "0 0 end\n", 0},
		{"false; echo $? $(true) $?", "1 0\n", 0},
		{"for i in 1 2 3; do echo $i; done", "1\n2\n3\n", 0},
		{"i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", "3\n", 0},
		{"f() { local x=$1; echo $x; return 3; }; f a; echo $?", "a\n3\n", 0},
		{"echo a b c | tr a-z A-Z | cat", "A B C\n", 0},
		{"x=$(echo hi; echo there); echo \"$x\"", "hi\nthere\n", 0},
		{"cat <<E\na $((1+1))\nE", "a 2\n", 0},
		{"(exit 3); echo $?; exit 4", "3\n", 4},
		{"echo x > f; cat f; [[ -f f ]] && echo yes", "x\nyes\n", 0},
		{"nosuch; echo $?", "127\n", 0},
		{"cat < <(echo sub)", "sub\n", 0},
		{"a=(1 2 3); a+=(4); echo ${a[@]} ${#a[@]}", "1 2 3 4 4\n", 0},
		{"declare -A m=([a]=1 [b]=2); echo ${m[a]} ${#m[@]}", "1 2\n", 0},
		{"sleep 5 & wait; echo done", "done\n", 0},
		{"set -e; false; echo no", "", 1},
		{"trap 'echo bye' EXIT; echo hi", "hi\nbye\n", 0},
		{"printf '%s-%d\\n' a 3", "a-3\n", 0},
		{"echo 'a b' | while read x y; do echo $y $x; done", "b a\n", 0},
		{"case abc in a*) echo A;; *) echo B;; esac", "A\n", 0},
		{"seq 3 | xargs echo", "1 2 3\n", 0},
		{"bash -c 'echo $0 $1' x y", "x y\n", 0},
	} {
		if got := runScript(c.script); got.stdout != c.want || got.status != c.status {
			t.Errorf("%s\n got %q status %d stderr %q\nwant %q status %d", c.script, got.stdout, got.status, got.stderr, c.want, c.status)
		}
	}
}
