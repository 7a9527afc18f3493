// Package cmdtest runs one utility without the shell machine, for table tests.
//
// A Run is a command line over a real file tree and a fake of the rest: standard
// input is bytes, the clock stands still, children are answered by a callback.
// Check runs it several ways and demands the same answer of all: plain; with
// the program saved and loaded between every two turns; and with standard
// input coming in small random pieces with pauses between. A utility that
// passes keeps its state in its exported fields, and does not depend on
// where reads end.
package cmdtest

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"reflect"
	"sort"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/vfs"

	"github.com/fxamacker/cbor/v2"
)

// Home is the working directory of a Run.
const Home = "/home/user"

// Epoch is the time of a Run: 2024-01-15 12:00:00 UTC, in ns.
const Epoch int64 = 1705320000e9

// Run is one utility with its arguments and its world.
type Run struct {
	Command *cmd.Command
	Name    string // what it is called by; "" is the command's name
	Args    []string
	Stdin   string
	Files   map[string]string // below Home; a name that ends in "/" is a directory
	Env     map[string]string // besides HOME, PATH, LC_ALL and TZ
	FS      *vfs.FS           // nil: an empty tree with Home and /tmp
	// Spawn answers for a child: what it writes to its standard output and its status.
	Spawn func(s cmd.Spawn, stdin string) (stdout string, status int)
	// Slept is called when the program sleeps, with how often it did before; false ends the run.
	Slept func(fs *vfs.FS, times int) bool

	// Turned is called after every turn; false ends the run there.
	Turned func(p cmd.Program) bool

	Reload bool   // save and load the program between turns
	Split  uint64 // not 0: the seed for cutting standard input into pieces
	Short  int    // not 0: the most it reads or does in each of its first turns
}

// Result is what came of a Run.
type Result struct {
	Stdout, Stderr string
	Status         int
	Unsupported    []string
	Exec           []string // of a program that ended by becoming another
	Refused        bool     // it asked for a pipe to a child, which there is not
	Turns          int
	FS             *vfs.FS
}

// maxTurns and maxOutput end a program that never does.
const (
	maxTurns  = 1 << 20
	maxOutput = 64 << 20
)

// Do runs the utility once.
func (r Run) Do(t testing.TB) Result {
	t.Helper()
	s := newSystem(t, r)
	c := s.context()
	status, done := cmd.Parse(c, r.Command, r.Args)
	s.settle(c)
	if done {
		return s.result(status)
	}
	switch r.Command.Class {
	case cmd.Atomic:
		status = r.Command.Run(c)
		s.settle(c)
		return s.result(status)
	case cmd.Filter:
		status = r.Command.Filter(c, s.operands(c), &c.Out)
		s.settle(c)
		return s.result(status)
	}
	return s.steps(c)
}

// Drive runs the utility once and calls each after every turn, until it gives
// false: for what a program keeps, and for programs that never end.
func Drive(t testing.TB, r Run, each func(p cmd.Program) bool) Result {
	t.Helper()
	r.Turned = each
	return r.Do(t)
}

// steps drives a Step program to its end.
func (s *system) steps(c *cmd.Ctx) Result {
	s.t.Helper()
	p := s.run.Command.New()
	for s.turns = 1; ; s.turns++ {
		if s.turns > maxTurns || len(s.stdout) > maxOutput {
			s.t.Fatalf("%s %q: still running after %d turns and %d bytes", c.Name, s.run.Args, s.turns, len(s.stdout))
		}
		next := p.Step(c)
		s.settle(c)
		switch next.Op {
		case cmd.OpExit:
			return s.result(next.Status)
		case cmd.OpExec:
			r := s.result(0)
			r.Exec = next.Spawn.Argv
			return r
		case cmd.OpWaitRead:
			if next.FD == 0 {
				s.paused = false
			}
		case cmd.OpWaitWrite:
			s.queued = 0
		case cmd.OpSleep:
			if s.run.Slept == nil || !s.run.Slept(s.fs, s.slept) {
				return s.result(-1)
			}
			s.slept++
			s.now = max(s.now, next.Until)
		case cmd.OpWaitChild:
			if len(s.kids.ended) == 0 && next.Until == 0 && s.kids.waited {
				s.t.Fatalf("%s %q: waits for a child and has none", c.Name, s.run.Args)
			}
			s.kids.waited = len(s.kids.ended) == 0
			if s.kids.waited && next.Until > 0 {
				s.now = max(s.now, next.Until)
			}
		}
		if s.run.Turned != nil && !s.run.Turned(p) {
			return s.result(-1)
		}
		if s.run.Reload {
			p = s.reload(p)
			fresh := s.context()
			cmd.Parse(fresh, s.run.Command, s.run.Args)
			c = fresh
		}
	}
}

// reload moves a program through bytes, as a dump and a load do.
func (s *system) reload(p cmd.Program) cmd.Program {
	s.t.Helper()
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := mode.Marshal(p)
	if err != nil {
		s.t.Fatalf("%s: save: %v", s.run.Command.Name, err)
	}
	q := s.run.Command.New()
	if err := cbor.Unmarshal(data, q); err != nil {
		s.t.Fatalf("%s: load: %v", s.run.Command.Name, err)
	}
	again, err := mode.Marshal(q)
	if err != nil || !bytes.Equal(data, again) {
		s.t.Fatalf("%s: a saved program is not the same after a load (%v)\n%x\n%x", s.run.Command.Name, err, data, again)
	}
	return q
}

// mode is a way to run.
type mode struct {
	reload bool
	split  uint64
	short  int
}

func modes() []mode {
	return []mode{{}, {reload: true}, {split: 1}, {reload: true, split: 2}, {reload: true, short: 3}}
}

// Check runs the utility in every way and fails unless all answers are equal. It gives the answer.
func Check(t testing.TB, r Run) Result {
	t.Helper()
	var first Result
	for i, m := range modes() {
		q := r
		q.Reload, q.Split, q.Short = m.reload, m.split, m.short
		if r.FS != nil {
			q.FS = r.FS.Fork()
		}
		got := q.Do(t)
		if i == 0 {
			first = got
			continue
		}
		same(t, fmt.Sprintf("%s %q", r.Command.Name, r.Args), m, first, got)
	}
	return first
}

// same fails unless two answers, and the files they left, are equal.
func same(t testing.TB, what string, m mode, first, got Result) {
	t.Helper()
	a, b := first, got
	a.FS, b.FS, a.Turns, b.Turns = nil, nil, 0, 0
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: with %+v another answer than plain:\n%s\nplain:\n%s", what, m, b, a)
	}
	if x, y := Tree(t, first.FS), Tree(t, got.FS); !reflect.DeepEqual(x, y) {
		t.Errorf("%s: with %+v other files:\n%q\nplain:\n%q", what, m, y, x)
	}
}

// String shows a result in the message of a test that fails.
func (r Result) String() string {
	return fmt.Sprintf("status %d\nstdout %q\nstderr %q\nunsupported %q", r.Status, r.Stdout, r.Stderr, r.Unsupported)
}

// Tree lists the files below Home with their content: "a" → "hello", "d/" → "", a link → "-> target".
func Tree(t testing.TB, fs *vfs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	var walk func(dir, name string)
	walk = func(dir, name string) {
		list, err := fs.ReadDir(cred, dir, "", 1<<20)
		if err != nil {
			return
		}
		for _, e := range list {
			p, n := path.Join(dir, e.Name), name+e.Name
			switch e.Type {
			case vfs.TypeDir:
				all[n+"/"] = ""
				walk(p, n+"/")
			case vfs.TypeLink:
				to, _ := fs.Readlink(cred, p)
				all[n] = "-> " + to
			case vfs.TypeFile:
				all[n] = string(content(fs, e.Ino))
			default:
				all[n] = "special"
			}
		}
	}
	walk(Home, "")
	return all
}

func content(fs *vfs.FS, ino vfs.Ino) []byte {
	var all []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := fs.ReadAt(ino, buf, int64(len(all)), Epoch)
		all = append(all, buf[:n]...)
		if n == 0 || err != nil {
			return all
		}
	}
}

// NewFS is an empty tree with Home and /tmp.
func NewFS(t testing.TB) *vfs.FS {
	t.Helper()
	fs := vfs.New(vfs.NewGenerated(vfs.GeneratedTable{}), vfs.Limits{Bytes: 1 << 40, Files: 1 << 30, FileSize: 1 << 50}, Epoch)
	root := vfs.Cred{Root: true}
	for _, d := range []string{"/home", Home, "/tmp"} {
		if err := fs.Mkdir(root, d, 0o777, Epoch); err != nil && err != vfs.EEXIST {
			t.Fatal(d, err)
		}
	}
	if err := fs.Chown(root, Home, true, int64(cred.UID), int64(cred.GID), Epoch); err != nil {
		t.Fatal(err)
	}
	return fs
}

// WriteFile makes a file; its directory must be there.
func WriteFile(t testing.TB, fs *vfs.FS, name, data string) {
	t.Helper()
	ino, err := fs.Open(cred, path.Join(Home, name), vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o644, Epoch)
	if err == nil {
		_, err = fs.Append(ino, []byte(data), Epoch)
	}
	if err != nil {
		t.Fatal(name, err)
	}
}

func writeFiles(t testing.TB, fs *vfs.FS, files map[string]string) {
	t.Helper()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		dir := path.Dir(name)
		if name[len(name)-1] == '/' {
			dir = name
		}
		for i := range dir {
			if dir[i] == '/' {
				fs.Mkdir(cred, path.Join(Home, dir[:i]), 0o755, Epoch)
			}
		}
		if dir != "." {
			fs.Mkdir(cred, path.Join(Home, dir), 0o755, Epoch)
		}
		if name[len(name)-1] != '/' {
			WriteFile(t, fs, name, files[name])
		}
	}
}

// operands is the input of a Filter.
func (s *system) operands(c *cmd.Ctx) io.Reader {
	var readers []io.Reader
	for _, name := range c.Args {
		if name == "-" {
			readers = append(readers, &reader{s, 0})
			continue
		}
		fd, err := s.Open(name, vfs.O_RDONLY, 0)
		if err != nil {
			c.Fail(name, err)
			continue
		}
		readers = append(readers, &reader{s, fd})
	}
	if len(c.Args) == 0 {
		return &reader{s, 0}
	}
	return io.MultiReader(readers...)
}

// reader reads a descriptor and never blocks.
type reader struct {
	s  *system
	fd int
}

func (r *reader) Read(p []byte) (int, error) {
	for {
		n, err := r.s.Read(r.fd, p)
		if err != cmd.ErrBlocked {
			return n, err
		}
		r.s.paused = false
	}
}
