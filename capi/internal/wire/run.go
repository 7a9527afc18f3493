package wire

// StartParams are those of run.start and run.run.
type StartParams struct {
	Sandbox int64             `cbor:"1,keyasint" doc:"handle"`
	Script  string            `cbor:"2,keyasint,omitempty" doc:"shell text"`
	Argv    []string          `cbor:"3,keyasint,omitempty" doc:"instead of a script: one command, no parsing, no expansion"`
	Stdin   []byte            `cbor:"4,keyasint,omitempty" doc:"all of its input; None is end of file"`
	Pipe    bool              `cbor:"5,keyasint,omitempty" doc:"input comes by run.input instead"`
	Env     map[string]string `cbor:"6,keyasint,omitempty" doc:"exported for this run only"`
	Dir     string            `cbor:"7,keyasint,omitempty" name:"cwd" doc:"working directory for this run only"`
	Timeout int64             `cbor:"8,keyasint,omitempty" doc:"ns; 0 is none"`
	Limits  map[string]int64  `cbor:"9,keyasint,omitempty" doc:"by name, for this run only"`
	Suspend bool              `cbor:"10,keyasint,omitempty" name:"suspend_on_limit" doc:"a timeout or budget gives Limited instead of ending the run"`
	Keep    bool              `cbor:"11,keyasint,omitempty" doc:"output delivered by answers stays in the run too, for run.output after a dump"`
	Slice   int64             `cbor:"12,keyasint,omitempty" name:"slice_ns" doc:"ns of the first slice (run.run); 0 is 20 ms"`
	Taken   int               `cbor:"13,keyasint,omitempty" doc:"as of run.step (run.run)"`
}

// StepParams are those of run.step.
type StepParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Run     string `cbor:"2,keyasint" doc:"id"`
	Slice   int64  `cbor:"3,keyasint,omitempty" name:"slice_ns" doc:"ns; 0 is 20 ms"`
	Steps   int64  `cbor:"4,keyasint,omitempty" doc:"end the slice after so many safe points, for tests that stop a run at each; 0 is no end"`
	Taken   int    `cbor:"5,keyasint,omitempty" doc:"streams whose output does not stay in the run, even if it keeps its output: 1, 2 or 3 for both; output then comes in chunks, each as a slice of its own, until the end"`
	Call    string `cbor:"6,keyasint,omitempty" name:"call_id" doc:"answer this tool call first, as run.answer does"`
	Stdout  []byte `cbor:"7,keyasint,omitempty" doc:"what the tool printed"`
	Stderr  []byte `cbor:"8,keyasint,omitempty" doc:"what it said on stderr"`
	Status  int    `cbor:"9,keyasint,omitempty" doc:"exit status"`
	Error   string `cbor:"10,keyasint,omitempty" doc:"what the tool raised, for Done.tool_errors"`
	Number  int64  `cbor:"11,keyasint,omitempty" doc:"of several tool calls give one: the oldest whose id ends in this number or a greater one, or the oldest; 0 is all"`
}

// AnswerParams are those of run.answer.
type AnswerParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Run     string `cbor:"2,keyasint" doc:"id"`
	Call    string `cbor:"3,keyasint" name:"call_id" doc:"each is answered once"`
	Stdout  []byte `cbor:"4,keyasint,omitempty" doc:"what the tool printed"`
	Stderr  []byte `cbor:"5,keyasint,omitempty" doc:"what it said on stderr"`
	Status  int    `cbor:"6,keyasint,omitempty" doc:"exit status"`
	Error   string `cbor:"7,keyasint,omitempty" doc:"what the tool raised, for Done.tool_errors"`
}

// InputParams are those of run.input.
type InputParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Run     string `cbor:"2,keyasint" doc:"id"`
	Data    []byte `cbor:"3,keyasint,omitempty" doc:"bytes for its stdin; none is end of file"`
}

// RunParams are those of the methods that need only a run.
type RunParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Run     string `cbor:"2,keyasint" doc:"id"`
}

// Loaded is a sandbox that was made out of a blob, with its run.
type Loaded struct {
	Output        // what was kept since the run's start
	Sandbox int64 `cbor:"3,keyasint" doc:"handle"`
}

// CancelParams are those of run.cancel and run.suspend.
type CancelParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Run     string `cbor:"2,keyasint,omitempty" doc:"id; empty is whichever is active"`
}

// AddParams are those of run.add.
type AddParams struct {
	Sandbox int64            `cbor:"1,keyasint" doc:"handle"`
	Run     string           `cbor:"2,keyasint" doc:"id"`
	Add     map[string]int64 `cbor:"3,keyasint" doc:"limit name (or timeout, in ns) to what is added to it"`
}

// RunInfo describes the active run.
type RunInfo struct {
	Run     string `cbor:"1,keyasint,omitempty" doc:"id; empty when there is none"`
	Script  string `cbor:"2,keyasint,omitempty" doc:"its text"`
	State   string `cbor:"3,keyasint,omitempty" doc:"running, calls, sleeping, input, limit, suspended"`
	Started int64  `cbor:"4,keyasint,omitempty" doc:"ns since 1970 on the world's clock"`
	Steps   int64  `cbor:"5,keyasint,omitempty" doc:"machine steps so far"`
	Calls   []Call `cbor:"6,keyasint,omitempty" doc:"unanswered calls, oldest first"`
}
