package shell

import (
	"eryxsh/core/expand"
	"eryxsh/core/limit"
	"eryxsh/core/regex"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"

	"mvdan.cc/sh/v3/syntax"
)

// Machine is a whole running shell world but for history and snapshots: it is
// the part of a World that a script can see and change.
type Machine struct {
	FS      *vfs.FS           `cbor:"-"`
	Procs   []*Process        `cbor:"-"` // by PID; Procs[0] is the shell itself
	Files   []OFD             `cbor:"-"` // open file descriptions; a slot with Refs 0 is free
	Pipes   []Pipe            `cbor:"-"` // a slot with no ends is free
	Sched   Sched             `cbor:"1,keyasint"`
	IO      HostIO            `cbor:"2,keyasint"`
	Clock   Clock             `cbor:"3,keyasint"`
	Rand    Rand              `cbor:"4,keyasint"`
	Meter   limit.Meter       `cbor:"5,keyasint"`
	Limits  limit.Limits      `cbor:"6,keyasint"`
	Host    Identity          `cbor:"7,keyasint"`
	Calls   []*Call           `cbor:"-"` // tool calls waiting for an answer, oldest first
	Tools   persist.Map[Tool] `cbor:"-"` // registered tool names
	CallSeq int64             `cbor:"8,keyasint,omitempty"`
	RunID   string            `cbor:"9,keyasint,omitempty"`
	Run     RunState          `cbor:"10,keyasint"`

	owned
	epoch persist.Epoch
	lib   *Library
	rt    *transient // nil in a fork that was never used
}

// owned is whether a machine's parts are its own, and what is known about them.
type owned struct {
	shared bool  // a fork may still use them: copy before changing
	home   *home // where Procs and Files are, if nobody else uses them
	taken  int   // so many slots of Files, at least, are taken before a free one
}

// Sched is the scheduler's position.
type Sched struct {
	Cur     int `cbor:"1,keyasint,omitempty"` // PID whose turn it is
	Quantum int `cbor:"2,keyasint,omitempty"` // steps left of its turn
	NextPID int `cbor:"3,keyasint,omitempty"`
}

// Identity is who the sandbox says it is.
type Identity struct {
	User     string `cbor:"1,keyasint,omitempty"`
	Hostname string `cbor:"2,keyasint,omitempty"`
	UID      uint32 `cbor:"3,keyasint,omitempty"`
	GID      uint32 `cbor:"4,keyasint,omitempty"`
}

// Chunk is output in order: Stream is 1 or 2.
type Chunk struct {
	Stream int    `cbor:"1,keyasint"`
	Data   []byte `cbor:"2,keyasint"`
}

// HostIO is what crosses to and from the caller.
type HostIO struct {
	Out       []Chunk  `cbor:"1,keyasint,omitempty"` // not yet delivered
	Sent      [2]int64 `cbor:"2,keyasint,omitempty"` // bytes of this run on stdout and stderr
	Cut       [2]bool  `cbor:"3,keyasint,omitempty"`
	In        []byte   `cbor:"4,keyasint,omitempty"` // stdin not yet read
	InOpen    bool     `cbor:"5,keyasint,omitempty"` // more may come: InputNeeded instead of end of file
	InWanted  bool     `cbor:"6,keyasint,omitempty"`
	ToolError []string `cbor:"7,keyasint,omitempty"`
	Missing   []string `cbor:"8,keyasint,omitempty"` // unsupported options met
}

// Clock is the World's time.
type Clock struct {
	Virtual bool  `cbor:"1,keyasint,omitempty"`
	Now     int64 `cbor:"2,keyasint,omitempty"` // ns; the last time seen when the clock is real
}

// RunState is what a run is bounded by and how it ended.
type RunState struct {
	Active   bool     `cbor:"1,keyasint,omitempty"`
	Deadline int64    `cbor:"2,keyasint,omitempty"` // ns on the virtual clock; 0 none. A real clock's timeout is Left
	Status   int      `cbor:"3,keyasint,omitempty"`
	Limit    string   `cbor:"4,keyasint,omitempty"` // the limit that ended it
	Class    string   `cbor:"5,keyasint,omitempty"` // TIMEOUT, CANCELLED, LIMIT_EXCEEDED, CAPABILITY_DENIED
	Steps    int64    `cbor:"6,keyasint,omitempty"` // Meter.Steps at its start
	Suspend  bool     `cbor:"7,keyasint,omitempty"` // on_limit="suspend"
	Command  string   `cbor:"8,keyasint,omitempty"`
	Started  int64    `cbor:"9,keyasint,omitempty"`
	Marks    []string `cbor:"10,keyasint,omitempty"` // checkpoints reached and not yet reported
	Left     int64    `cbor:"12,keyasint,omitempty"` // ns of timeout left on a real clock; 0 none
	Seq      int64    `cbor:"11,keyasint,omitempty"` // runs started
	Retried  int64    `cbor:"13,keyasint,omitempty"` // the step, counted as Meter.Steps, that was given up for a suspension: next time it ends
	Stands   string   `cbor:"14,keyasint,omitempty"` // in the history in place of Command: what history -s or fc put there
}

// Tool is a registered command of the host.
type Tool struct {
	Name string `cbor:"1,keyasint"`
	Held bool   `cbor:"2,keyasint,omitempty"` // a callable was registered: a load needs one
	Help string `cbor:"3,keyasint,omitempty"`
}

// Call is a tool call waiting for its answer.
type Call struct {
	ID         string   `cbor:"1,keyasint"`
	PID        int      `cbor:"2,keyasint"`
	Name       string   `cbor:"3,keyasint"`
	Args       []string `cbor:"4,keyasint,omitempty"`
	Stdin      []byte   `cbor:"5,keyasint,omitempty"`
	Env        []string `cbor:"6,keyasint,omitempty"` // shared, never changed
	Cwd        string   `cbor:"7,keyasint,omitempty"`
	ForkedFrom string   `cbor:"8,keyasint,omitempty"`
}

// Answer is what the host gives for a Call.
type Answer struct {
	Stdout []byte `cbor:"1,keyasint,omitempty"`
	Stderr []byte `cbor:"2,keyasint,omitempty"`
	Status int    `cbor:"3,keyasint,omitempty"`
	Error  string `cbor:"-"` // the tool raised: reported in result.tool_errors as soon as it is known
}

// Kinds of open file descriptions.
const (
	FileRegular uint8 = iota + 1
	FilePipe
	FileText    // a here-document or here-string: Text, read only
	FileCapture // collects Text for $( )
	FileNull
	FileZero
	FileFull
	FileRandom
	FileStdin  // the caller's input
	FileStdout // the caller's stream 1
	FileStderr // the caller's stream 2
	FileDir
	FileProc // a generated file, read from Text
)

// OFD is an open file description, shared by dup and fork as in Unix.
type OFD struct {
	Kind  uint8   `cbor:"1,keyasint,omitempty"`
	Flags int     `cbor:"2,keyasint,omitempty"` // vfs.O_*
	Ino   vfs.Ino `cbor:"3,keyasint,omitempty"`
	Off   int64   `cbor:"4,keyasint,omitempty"`
	Pipe  int     `cbor:"5,keyasint,omitempty"`
	Refs  int     `cbor:"6,keyasint,omitempty"`
	Text  []byte  `cbor:"7,keyasint,omitempty"`
	Full  *Filled `cbor:"8,keyasint,omitempty"` // what a long capture holds before Text
	Path  string  `cbor:"9,keyasint,omitempty"` // of a host's file: below its mount
}

func (o *OFD) readable() bool { return o.Flags&vfs.O_ACCMODE != vfs.O_WRONLY }
func (o *OFD) writable() bool { return o.Flags&vfs.O_ACCMODE != vfs.O_RDONLY }

// Pipe is bounded bytes with counted ends. A FIFO's pipe lives while Ino is set and it has an end.
type Pipe struct {
	Buf     []byte  `cbor:"1,keyasint,omitempty"`
	Readers int     `cbor:"2,keyasint,omitempty"`
	Writers int     `cbor:"3,keyasint,omitempty"`
	Ino     vfs.Ino `cbor:"4,keyasint,omitempty"`
	Opened  int     `cbor:"5,keyasint,omitempty"` // ends ever opened, for a FIFO's rendezvous
}

// transient is what a Machine needs beside its state and what is rebuilt when missing.
type transient struct {
	host   Host
	until  int64 // of the virtual clock, where the limit time is met; 0 is never
	fields []string
	frames []Frame // of the run before: empty, to be filled again
	split  []string
	reading
	buf     []byte
	line    []byte
	echo    []byte
	history History
	regex   map[regexKey]*regex.Regexp
	env     procEnv
	credit  int  // work units until the host is asked whether the slice is over
	single  bool // ask the host after every step
	short   int  // most bytes a utility reads at a time, if positive; its turns are short, too
	spare   []*Extra
	weighed

	oversize bool // the utility at hand has written beyond ulimit -f
	asking
	retrying
}

// reading is what is known of scripts that are being read.
type reading struct {
	ahead   ahead
	command openCommand
}

// retrying is about steps that take long.
type retrying struct {
	goesBack bool // the caller has a point to go back to in this slice
	turning  bool // a utility has its turn
	nested   int  // expansions that have begun within others
	overdrew bool // a step of this slice took so long that the host was asked in its middle
	holding  bool // a command began to hold much while output waited: the slice ends
}

// asking is about commands in texts made at run time, which expansion meets unprepared.
type asking struct {
	need   syntax.Node // the substitution met without a memo
	memo   expand.Env  // remembers for the builtin that is run once more
	giving bool        // a builtin runs that is given up if it meets one
}

// Host is the caller's side of a slice. It is never saved.
type Host interface {
	// Now is the host's time in ns since 1970.
	Now() int64
	// Expired reports whether the slice is over; the machine asks about every 100 µs of work.
	Expired() bool
}

// Function is a shell function.
type Function struct {
	Name     string
	Unit     *Unit // its own text
	Body     *stmt
	decl     *funcDecl
	Export   bool
	Trace    bool
	Readonly bool
	Line     int
	File     string
}

// newTable gives the machine's process table its first process.
func newProcess(pid int) *Process {
	return &Process{PID: pid, PGID: pid, Shell: &Shell{Vars: vars.NewTable()}}
}
