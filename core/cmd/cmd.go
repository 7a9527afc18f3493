// Package cmd is the contract between the shell and its utilities.
//
// A utility is a Command in the registry. It meets the world only through a
// Ctx, and it never runs another command by itself: it asks the machine to.
//
// There are three classes, and each says honestly how the utility can be
// stopped and moved to another process:
//
//   - Step: a Program, plain data with a Step method. One Step is one bounded
//     turn (at most about 64 KiB of input, or some hundred directory entries);
//     between turns the machine may save it, fork it, or never call it again.
//     Everything whose work grows with bytes or entries is of this class, and
//     everything that spawns, writes files or runs user code.
//   - Atomic: one call whose work is bounded whatever the files hold (mkdir,
//     basename, date): never in flight.
//   - Filter: a pure codec from stdin to stdout out of a Go library (gzip),
//     run on a fiber and replayed over its kept input after a load.
package cmd

import (
	"io"

	"eryxsh/core/large"
	"eryxsh/core/locale"
	"eryxsh/vfs"
)

// Class says how a utility runs and how it can be stopped.
type Class uint8

// The three classes of utilities.
const (
	Atomic Class = iota
	Step
	Filter
)

// Command is a utility: what it is called, its options, and one of Run, Start
// and Filter as its Class says.
type Command struct {
	Name    string
	Summary string // one line for help and `extensions`
	Usage   string // "cat [OPTION]... [FILE]..."
	Options []Option
	Class   Class
	// Status is the exit status of a usage error: 1 where GNU says 1 (cat), 2 for ls, grep, sort.
	Status int
	// Wrong is the status of an option that is not there or lacks its argument; 0 is Status (tar's argp has another).
	// WriteStatus is that of a failed write to standard output; 0 is Status, or 1.
	Wrong, WriteStatus int
	// Advice says more of a wrong option, in front of the hint: rm's word on a file that looks like one.
	Advice func(c *Ctx, args []string)
	// Raw leaves the arguments alone: no option parsing, no --help (echo, test, expr).
	Raw bool
	// StopAtOperand ends the options at the first operand, for commands that take a command (env, xargs, timeout).
	StopAtOperand bool
	// Obsolete rewrites forms that getopt does not know (head -5, tail +5) before parsing; nil if there are none.
	Obsolete func(c *Ctx, args []string) []string
	// Origin is what --version says the utility behaves like; "" is GNU coreutils 9.1.
	Origin string
	// Hint follows the message of a usage error, NAME standing for the name the command was called by; "" is
	// "Try 'NAME --help' for more information.\n".
	Hint string
	// Short says that messages name the command without the path it was called by, as util-linux and gzip do.
	Short bool
	// As is the name in every message of a command that is a script around another (zcat around gzip); "" is its own.
	As string
	// PlainDash says that the operand "-" is a file of that name, as in util-linux, not standard input.
	// Acts says that it does more than write to standard output, and goes on with that when it cannot be written.
	PlainDash, Acts bool
	// OpenError and ReadError word what Operands says of a file it cannot open or read: NAME stands for the name,
	// quoted where a shell needs it, 'NAME' for the name always quoted, WHY for the reason. "" is "NAME: WHY".
	// WriteError words what is said, behind the name, of a failed write to standard output; "" is "write error: WHY".
	OpenError, ReadError, WriteError string

	// Run is an Atomic utility. It returns the exit status.
	Run func(*Ctx) int
	// New gives an empty Program of a Step utility; the machine loads saved ones through it.
	New func() Program
	// Filter is a Filter utility, on a fiber: blocking reads, blocking writes.
	// in is its whole input: the file operands one after the other, or stdin.
	Filter func(c *Ctx, in io.Reader, out io.Writer) int
}

// Program is a running Step utility. It is plain data: exported fields with
// numbered tags (`cbor:"1,keyasint,omitempty"`) hold everything a later Step
// needs; unexported fields are caches that a Step rebuilds when they are zero.
// No func, chan, interface or pointer cycle in exported fields.
//
// The first Step sees the zero Program that New made, plus c.Flags and c.Args.
type Program interface {
	Step(c *Ctx) Next
}

// Interpreter is a Program that runs instructions of a language of its own on stacks that are saved. Its parts are checked when
// it is loaded (Checked); whether they are what the next instruction expects only shows when it runs. So the run-time error of one that
// came out of a blob is a fault of its state.
type Interpreter interface {
	Program
	// Interprets says that it is one.
	Interprets()
}

// Op says what a Program wants after a turn.
type Op uint8

// What a Program may ask for.
const (
	OpAgain     Op = iota // another turn
	OpExit                // ended with Status
	OpWaitRead            // FD has no data now: go on when it has, or at end of file
	OpWaitWrite           // go on when everything queued has been written; with nothing queued, when the others had a turn
	OpWaitChild           // go on when a child has ended, or at Until if it is not 0
	OpSleep               // go on at Until
	OpExec                // become the command of Spawn, as execve does (env, nice)
)

// Next is the answer of a turn.
type Next struct {
	Op     Op
	Status int
	FD     int
	Until  int64  // ns on the World's clock; 0 = never
	Spawn  *Spawn // of OpExec; a pointer, as a Next is handed on at every turn
	Signal int    // of OpExit: the signal by which the program ends, not 0
}

// Again asks for another turn.
func Again() Next { return Next{} }

// Exit ends the program.
func Exit(status int) Next { return Next{Op: OpExit, Status: status} }

// Die ends the program by a signal.
func Die(signal int) Next { return Next{Op: OpExit, Status: 128 + signal, Signal: signal} }

// WaitRead waits until fd has data or is at its end. Use it when Read gave ErrBlocked.
func WaitRead(fd int) Next { return Next{Op: OpWaitRead, FD: fd} }

// WaitWrite waits until everything queued has been written.
func WaitWrite() Next { return Next{Op: OpWaitWrite} }

// WaitChild waits for a child to end, or until a time if it is not 0.
func WaitChild(until int64) Next { return Next{Op: OpWaitChild, Until: until} }

// Sleep waits until a time on the World's clock.
func Sleep(until int64) Next { return Next{Op: OpSleep, Until: until} }

// Exec becomes another command, of which System.CanRun has said that there is one. Its standard streams are this one's.
func Exec(s Spawn) Next { return Next{Op: OpExec, Spawn: &s} }

// Ctx is everything a utility may know and do. Name, Flags and Args are the same
// at every turn, also after a load: Parse makes them from the arguments again.
type Ctx struct {
	Def   *Command // its row in the registry
	Name  string   // what messages call it: the name as it was typed, or its last part (Command.Short)
	Flags Flags    // parsed options, in order
	Args  []string // operands (all arguments if Raw)
	Out   Buffer   // standard output, written after the turn; see System.Flush
	// Errout is standard error. What is written to it directly goes out before what Out holds; call Flush first
	// where a tool does not buffer. Errorf keeps the order.
	Errout Buffer
	// Mute makes Errorf say nothing: a program that reads its options again after a load gave its warnings before.
	Mute bool
	System

	charset charset // what Bytes answered
}

// charset is what a Ctx knows of its locale.
type charset uint8

const (
	unasked charset = iota
	isUTF8
	isBytes
)

// Bytes reports whether a character is a byte to the utility: whether its locale is C.
func (c *Ctx) Bytes() bool {
	if c.charset == unasked {
		c.charset = isUTF8
		if locale.Bytes(c.Getenv) {
			c.charset = isBytes
		}
	}
	return c.charset == isBytes
}

// Buffer is output not yet written. It never fails: a closed pipe ends the program by SIGPIPE.
type Buffer struct {
	B []byte

	work large.Keeper // hears of long texts; nil in a Ctx that Parse did not fill
}

// Pad appends n bytes c, which a script's number may say: what is much is asked for first.
func (b *Buffer) Pad(c byte, n int) {
	if n > 0 {
		b.B = large.Pad(b.B, c, n, b.work)
	}
}

// meter is who hears of long texts.
func (b *Buffer) meter() large.Meter {
	if b.work == nil {
		return large.Free
	}
	return b.work
}

// Write appends p.
func (b *Buffer) Write(p []byte) (int, error) {
	b.B = large.Push(b.B, p, b.meter())
	return len(p), nil
}

// WriteString appends s.
func (b *Buffer) WriteString(s string) (int, error) {
	b.B = large.Push(b.B, s, b.meter())
	return len(s), nil
}

// WriteByte appends c.
func (b *Buffer) WriteByte(c byte) error { b.B = append(b.B, c); return nil }

// Len is the number of bytes that wait.
func (b *Buffer) Len() int { return len(b.B) }

// Spawn describes a child process.
type Spawn struct {
	Argv []string
	Env  []string // "NAME=value"; nil: inherited
	Dir  string   // "": inherited
	// Stdin of the child: -1 is /dev/null, otherwise a descriptor of this process (0 inherits).
	Stdin int
	// Stdout of the child: a descriptor of this process; 0 inherits (1).
	Stdout int
	// Ignore and Default are signals that the child ignores, or no longer ignores.
	Ignore, Default []int
	Nicer           int // what is added to its niceness
}

// Process is one of the sandbox, as ps shows it.
type Process struct {
	PID, PPID, PGID int
	Args            []string // of the command it runs; its name is the first
	Started         int64    // ns since 1970, when its shell began
	Waits           bool     // for a child, a pipe, the time
	Self            bool     // the program that asks
}

// Command is the name of the command, without its path.
func (p *Process) Command() string { return base(p.Args[0]) }

// System is what the machine offers to a utility. Paths are relative to the
// working directory; errors are a vfs.Errno unless said otherwise.
type System interface {
	// Open opens a file; flags are vfs.O_*. The descriptor belongs to this program and is closed when it ends.
	Open(path string, flags int, perm uint32) (fd int, err error)
	// Read gives at least one byte, io.EOF, or ErrBlocked (return WaitRead(fd)).
	Read(fd int, p []byte) (int, error)
	// Write queues p for fd behind what is queued already; Out is flushed first if fd is 1.
	Write(fd int, p []byte) error
	// Flush moves Out to the queue now. Without it Out is written when it holds 4 KiB, and at exit.
	Flush()
	// IgnorePipe makes a write to a pipe that nobody reads an error (EPIPE) that does not end the program.
	IgnorePipe()
	// Pending is the number of queued bytes not written yet; above 64 KiB a turn should end.
	Pending() int
	Close(fd int) error
	Seek(fd int, off int64, whence int) (int64, error)
	Fstat(fd int) (vfs.Stat, error)
	IsTTY(fd int) bool // always false today
	// Broken reports whether fd is a pipe that nobody reads any more.
	Broken(fd int) bool

	Stat(path string) (vfs.Stat, error)
	Lstat(path string) (vfs.Stat, error)
	// ReadDir lists up to n names after a name, in byte order, without "." and "..".
	ReadDir(path, after string, n int) ([]vfs.Dirent, error)
	Access(path string, mode uint32) error // vfs.R_OK | W_OK | X_OK
	Mkdir(path string, perm uint32) error  // perm before umask
	Rmdir(path string) error
	Unlink(path string) error
	Rename(from, to string) error
	Link(from, to string) error
	Symlink(target, path string) error
	Readlink(path string) (string, error)
	Mkfifo(path string, perm uint32) error
	Chmod(path string, perm uint32) error
	Chown(path string, uid, gid int, follow bool) error
	Utimes(path string, atime, mtime int64, follow bool) error
	Truncate(path string, size int64) error

	// Statfs tells how much the file system has room for.
	Statfs() vfs.Statfs

	Getenv(name string) (string, bool)
	Environ() []string // sorted "NAME=value"
	// Dir is the path of the working directory, without links; ENOENT if it was removed.
	Dir() (string, error)
	Umask() uint32
	// Niceness is from -20 to 19.
	Niceness() int
	// Ignored are the signals that the program ignores since it began.
	Ignored() []int
	UID() int
	GID() int
	User() string
	Hostname() string
	PID() int

	Now() int64   // ns since 1970 on the World's clock
	Rand() uint64 // from the World's stream
	// Charge counts n units of work (about 100 ns each) against the meter; reads and writes charge themselves.
	Charge(n int)
	// Turn gives how many of n units of work (entries, instructions, bytes of output) this turn may do: n, or as
	// few as one where a test asks for short turns, to stop a utility at more places.
	Turn(n int) int
	// Hold declares how many bytes of state the program keeps in all, for the memory limit.
	Hold(n int)
	// Need asks for n bytes beside what is held, before they are made: a script's numbers say how many.
	// If the memory limit has not got them the run ends.
	Need(n int)

	// Pipe makes a pipe between this program and a child: write to w, read from r.
	// A read is at its end when every w is closed, here and in the children that have it.
	Pipe() (r, w int, err error)
	// Spawn starts a child process that runs argv (no functions, no aliases). Then return WaitChild.
	Spawn(s Spawn) (pid int, err error)
	// CanRun gives the error that Spawn, or Exec, would end in for lack of such a command.
	CanRun(s Spawn) error
	// Reap gives a child that has ended and was not reaped yet.
	Reap() (pid, status int, ok bool)
	// Kill sends a signal to a process of the sandbox.
	Kill(pid, sig int) error
	// Processes are those of the sandbox, by number; the program itself is one.
	Processes() []Process
	// Unsupported reports an option or a feature that GNU has and we do not, for result.unsupported.
	Unsupported(what string)
	// Limits of one turn or one program, from core/limit.
	RegexSteps() int
}
