package wire

// Tag says what the body of an answer is. Numbers are append-only.
type Tag int64

// The tags. Those from TagDone on answer the methods that drive a run.
const (
	TagValue      Tag = iota // the method's result
	TagBytes                 // the body itself is the result, not CBOR
	TagError                 // Error
	TagAgain                 // another thread holds the sandbox: let signals be handled, then ask again
	TagDone                  // Done: the run has ended
	TagSlice                 // Slice: the time slice is over, the script goes on
	TagCalls                 // Calls: nothing can go on before a tool call is answered
	TagSleeping              // Sleeping: every process waits for a time
	TagInput                 // Input: the script reads from a PIPE that is empty
	TagLimit                 // Limited: a budget is used up and on_limit is suspend
	TagCheckpoint            // Checkpointed: the checkpoint builtin ran
	TagSuspended             // Suspended: somebody asked the run to stop
)

// Answer is a union: one row per tag of a run's answers.
type Answer struct {
	Tag  Tag
	Name string
	Body any
	Doc  string
}

// Answers lists the ways a slice of a run can end, in tag order.
func Answers() []Answer {
	return []Answer{
		{TagDone, "Done", Done{}, "The run has ended."},
		{TagSlice, "Slice", Slice{}, "The time slice is over and the script goes on: step again."},
		{TagCalls, "Calls", Calls{}, "Nothing can go on before a tool call is answered (run.answer), then step again."},
		{TagSleeping, "Sleeping", Sleeping{}, "Every process sleeps: wait, then step again."},
		{TagInput, "Input", Input{}, "The script reads its stdin, which is a PIPE with nothing in it: run.input, then step again."},
		{TagLimit, "Limited", Limited{}, "A budget is used up and the run waits: run.add and step again, or run.cancel."},
		{TagCheckpoint, "Checkpointed", Checkpointed{}, "The checkpoint builtin ran: save if you like, then step again."},
		{TagSuspended, "Suspended", Suspended{}, "The run stopped because run.suspend asked for it: step goes on."},
	}
}

// Chunk is output in the order it was written: the stream (1 or 2) and bytes.
// Where there would be many, each stream comes in one, and then the order they
// were written in: stream 0, and the lengths of the pieces, each four bytes, little end first, those of stream 2 negative.
type Chunk struct {
	_    struct{} `cbor:",toarray"`
	FD   int
	Data []byte
}

// Output is what every answer of a run begins with.
type Output struct {
	Run    string  `cbor:"1,keyasint,omitempty" doc:"id of the run"`
	Output []Chunk `cbor:"2,keyasint,omitempty" doc:"output since the last answer, in order: (1 or 2, bytes); much of it as (1, all of stdout), (2, all of stderr), (0, order): the lengths of its pieces, each four bytes, little end first, those of stderr negative"`
}

// Done is the end of a run.
type Done struct {
	Output
	Status          int      `cbor:"3,keyasint,omitempty" doc:"exit status"`
	Steps           int64    `cbor:"4,keyasint,omitempty" doc:"machine steps of this run"`
	Time            int64    `cbor:"5,keyasint,omitempty" doc:"ns in slices and sleeps"`
	ErrorClass      string   `cbor:"6,keyasint,omitempty" doc:"TIMEOUT, CANCELLED, LIMIT_EXCEEDED, CAPABILITY_DENIED or empty"`
	Limit           string   `cbor:"7,keyasint,omitempty" doc:"name of the limit that ended the run"`
	StdoutTruncated bool     `cbor:"8,keyasint,omitempty" doc:"stdout was cut at the output limit"`
	StderrTruncated bool     `cbor:"9,keyasint,omitempty" doc:"stderr was cut at the output limit"`
	Unsupported     []string `cbor:"10,keyasint,omitempty" doc:"options and features the script used that do not exist here"`
	ToolErrors      []string `cbor:"11,keyasint,omitempty" doc:"what tools that failed said, in order"`
}

// Slice is the end of a time slice.
type Slice struct {
	Output
}

// Calls are the tool calls that wait.
type Calls struct {
	Output
	Calls []Call `cbor:"3,keyasint,omitempty" doc:"every unanswered call, oldest first"`
}

// Call is one tool call.
type Call struct {
	ID         string   `cbor:"1,keyasint,omitempty" doc:"call_id: the idempotency key"`
	Name       string   `cbor:"2,keyasint,omitempty" doc:"the tool"`
	Args       []string `cbor:"3,keyasint,omitempty" doc:"arguments, without the name"`
	Stdin      []byte   `cbor:"4,keyasint,omitempty" doc:"what a pipe or a redirection fed it"`
	Env        []byte   `cbor:"5,keyasint,omitempty" doc:"exported variables: NAME=value, each ended by a NUL"`
	Dir        string   `cbor:"6,keyasint,omitempty" name:"cwd" doc:"working directory"`
	ForkedFrom string   `cbor:"7,keyasint,omitempty" doc:"the call_id this one was forked from"`
}

// Sleeping waits for a time.
type Sleeping struct {
	Output
	Until int64 `cbor:"3,keyasint,omitempty" doc:"ns since 1970 on the world's clock"`
	Wait  int64 `cbor:"4,keyasint,omitempty" doc:"ns from now on the host's clock"`
}

// Input waits for bytes.
type Input struct {
	Output
	FD int `cbor:"3,keyasint,omitempty" doc:"descriptor that is read"`
}

// Limited waits for a larger budget.
type Limited struct {
	Output
	Limit string `cbor:"3,keyasint,omitempty" doc:"name of the limit, or timeout"`
}

// Checkpointed says that the checkpoint builtin ran.
type Checkpointed struct {
	Output
	Name     string `cbor:"3,keyasint,omitempty" doc:"the name given to it"`
	Snapshot string `cbor:"4,keyasint,omitempty" doc:"id of the snapshot taken for it, or empty"`
}

// Suspended says that the run stopped because it was asked to.
type Suspended struct {
	Output
}

// Error is the body of TagError.
type Error struct {
	Kind    int    `cbor:"1,keyasint,omitempty" doc:"a kind of the table below"`
	Op      string `cbor:"2,keyasint,omitempty" doc:"what was being done"`
	Path    string `cbor:"3,keyasint,omitempty" doc:"the path, name or id it is about"`
	Errno   int    `cbor:"4,keyasint,omitempty" doc:"Linux number of a file error"`
	Limit   string `cbor:"5,keyasint,omitempty" doc:"name of the limit that was met"`
	Line    int    `cbor:"6,keyasint,omitempty" doc:"from 1"`
	Column  int    `cbor:"7,keyasint,omitempty" doc:"from 1, in bytes"`
	Message string `cbor:"8,keyasint,omitempty" doc:"for a person"`
}
