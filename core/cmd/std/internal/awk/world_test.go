package awk

import (
	"io"
	"sort"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/vfs"

	"github.com/fxamacker/cbor/v2"
)

// world is a System with pipes and children that run when their input is
// complete, so that every blocking path of a Program is taken.
type world struct {
	cmd.System
	t        testing.TB
	files    map[string]string
	fds      map[int]*end
	next     int
	children []*child
	pids     int
	stdout   string
	stderr   string
	stdin    *pipe
	c        *cmd.Ctx
	run      func(script, stdin string) (string, int)
	reload   bool
	slice    int
	maxTurns int
}

type pipe struct {
	data    string
	writers int
}

// end is an open descriptor: of a pipe, or of a file by name.
type end struct {
	pipe  *pipe
	write bool
	file  string
	off   int
}

type child struct {
	pid, status int
	in, out     *end
	script      string
	done        bool
}

func (w *world) put(e *end) int {
	w.next++
	w.fds[w.next] = e
	return w.next
}

func (w *world) Open(name string, flags int, _ uint32) (int, error) {
	if _, ok := w.files[name]; !ok || flags&vfs.O_TRUNC != 0 {
		if flags&vfs.O_CREAT == 0 {
			return 0, vfs.ENOENT
		}
		w.files[name] = ""
	}
	return w.put(&end{file: name}), nil
}

func (w *world) Stat(name string) (vfs.Stat, error) {
	if _, ok := w.files[name]; !ok {
		return vfs.Stat{}, vfs.ENOENT
	}
	return vfs.Stat{}, nil
}

func (w *world) Read(fd int, p []byte) (int, error) {
	e := w.fds[fd]
	if e == nil {
		return 0, vfs.EBADF
	}
	if e.pipe == nil {
		n := copy(p, w.files[e.file][e.off:])
		if e.off += n; n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	if e.pipe.data == "" {
		if e.pipe.writers > 0 {
			return 0, cmd.ErrBlocked
		}
		return 0, io.EOF
	}
	n := copy(p, e.pipe.data[:min(3, len(e.pipe.data))])
	e.pipe.data = e.pipe.data[n:]
	return n, nil
}

func (w *world) Write(fd int, p []byte) error {
	switch e := w.fds[fd]; {
	case fd == 1:
		w.Flush()
		w.stdout += string(p)
	case fd == 2:
		w.stderr += string(p)
	case e == nil:
		return vfs.EBADF
	case e.pipe != nil:
		e.pipe.data += string(p)
	default:
		w.files[e.file] += string(p)
	}
	return nil
}

func (w *world) Close(fd int) error {
	if e := w.fds[fd]; e != nil && e.pipe != nil && e.write {
		e.pipe.writers--
	}
	delete(w.fds, fd)
	return nil
}

func (w *world) Pipe() (r, wr int, err error) {
	p := &pipe{writers: 1}
	return w.put(&end{pipe: p}), w.put(&end{pipe: p, write: true}), nil
}

func (w *world) Spawn(s cmd.Spawn) (int, error) {
	w.pids++
	c := &child{pid: w.pids, script: s.Argv[2], in: w.fds[s.Stdin]}
	if s.Stdout != 0 {
		c.out = w.fds[s.Stdout]
		c.out.pipe.writers++
	}
	w.children = append(w.children, c)
	return c.pid, nil
}

// settle runs the children whose input is complete.
func (w *world) settle() {
	w.stderr += string(w.c.Errout.B)
	w.c.Errout.B = w.c.Errout.B[:0]
	for _, c := range w.children {
		if c.done || c.in != nil && c.in.pipe.writers > 0 {
			continue
		}
		in := ""
		if c.in != nil {
			in, c.in.pipe.data = c.in.pipe.data, ""
		}
		out, status := w.run(c.script, in)
		c.done, c.status = true, status
		if c.out == nil {
			w.stdout += out
			continue
		}
		c.out.pipe.data += out
		c.out.pipe.writers--
	}
}

func (w *world) Reap() (pid, status int, ok bool) {
	for i, c := range w.children {
		if c.done {
			w.children = append(w.children[:i:i], w.children[i+1:]...)
			return c.pid, c.status, true
		}
	}
	return 0, 0, false
}

func (w *world) Flush() {
	w.stdout += string(w.c.Out.B)
	w.c.Out.B = w.c.Out.B[:0]
}

func (w *world) Fstat(int) (vfs.Stat, error)  { return vfs.Stat{Mode: vfs.TypeFile}, nil }
func (w *world) Pending() int                 { return 0 }
func (w *world) Getenv(string) (string, bool) { return "", false }
func (w *world) Environ() []string            { return []string{"A=1", "B=x"} }
func (w *world) UID() int                     { return 1000 }
func (w *world) GID() int                     { return 1000 }
func (w *world) PID() int                     { return 7 }
func (w *world) Now() int64                   { return 1e18 }
func (w *world) Charge(int)                   {}
func (w *world) Hold(int)                     {}
func (w *world) Need(int)                     {}
func (w *world) RegexSteps() int              { return 1 << 20 }

func (w *world) Turn(n int) int {
	if w.slice > 0 {
		return min(n, w.slice)
	}
	return n
}

func (w *world) Unsupported(string) {}

// do runs awk with a program and arguments. It gives the status, or -1 when it does not end.
func (w *world) do(args ...string) int {
	w.fds = map[int]*end{0: {pipe: w.stdin}}
	w.next = 10
	if w.stdin == nil {
		w.fds[0] = &end{pipe: &pipe{}}
	}
	if w.files == nil {
		w.files = map[string]string{}
	}
	if w.maxTurns == 0 {
		w.maxTurns = 100_000
	}
	def := &cmd.Command{Name: "awk", Options: Options(), Class: cmd.Step, StopAtOperand: true}
	ctx := func(old *cmd.Ctx) *cmd.Ctx {
		c := &cmd.Ctx{System: w}
		w.c = c
		cmd.Parse(c, def, args)
		if old != nil {
			c.Out = old.Out
		}
		return c
	}
	c := ctx(nil)
	p := &Program{}
	for range w.maxTurns {
		next := p.Step(c)
		w.settle()
		if next.Op == cmd.OpExit {
			w.Flush()
			return next.Status
		}
		if w.reload {
			data, err := encoding().Marshal(p)
			if err != nil {
				w.t.Fatal(err)
			}
			p = &Program{}
			if err := decoding().Unmarshal(data, p); err != nil {
				w.t.Fatal(err)
			}
			c = ctx(c)
		}
	}
	return -1
}

func encoding() cbor.EncMode {
	m, _ := cbor.EncOptions{String: cbor.StringToByteString}.EncMode()
	return m
}

func decoding() cbor.DecMode {
	m, _ := cbor.DecOptions{ByteStringToString: cbor.ByteStringToStringAllowed}.DecMode()
	return m
}

// shell is what children do in the tests.
func shell(script, stdin string) (string, int) {
	name, arg, _ := strings.Cut(script, " ")
	switch name {
	case "sort":
		lines := strings.SplitAfter(stdin, "\n")
		sort.Strings(lines)
		return strings.Join(lines, ""), 0
	case "cat":
		return stdin, 0
	case "echo":
		return strings.ReplaceAll(arg, ";", "\n") + "\n", 0
	case "exit":
		return "", int(leadingNumber(arg))
	}
	return "", 127
}
