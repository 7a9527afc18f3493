package wire

// SandboxParams are those of every method that needs only a sandbox.
type SandboxParams struct {
	Sandbox int64 `cbor:"1,keyasint" doc:"handle"`
}

// NewParams are those of sandbox.new.
type NewParams struct {
	Env      map[string]string `cbor:"1,keyasint,omitempty" doc:"exported variables added to the default ones"`
	Dir      string            `cbor:"2,keyasint,omitempty" name:"cwd" doc:"working directory; made if absent"`
	User     string            `cbor:"3,keyasint,omitempty" doc:"name of uid 1000"`
	Hostname string            `cbor:"4,keyasint,omitempty" doc:"what hostname prints"`
	Limits   map[string]int64  `cbor:"5,keyasint,omitempty" doc:"by name; 0 is no limit; what is absent has its default"`
	Virtual  bool              `cbor:"6,keyasint,omitempty" doc:"a clock that counts steps instead of the host's"`
	Start    *int64            `cbor:"7,keyasint,omitempty" doc:"time of a virtual clock, ns since 1970"`
	Seed     *int64            `cbor:"8,keyasint,omitempty" doc:"of RANDOM and /dev/urandom; None draws one"`
	Files    map[string][]byte `cbor:"9,keyasint,omitempty" doc:"path to content; parents are made"`
	Tools    []Tool            `cbor:"10,keyasint,omitempty" doc:"names that are tool calls"`
	Process  int64             `cbor:"11,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// Tool is a name that is a tool call.
type Tool struct {
	_    struct{} `cbor:",toarray"`
	Name string
	Held bool   // a callable is behind it: loading a state that has it needs one
	Help string // what extensions info prints
}

// CloseParams are those of sandbox.close.
type CloseParams struct {
	Sandbox int64 `cbor:"1,keyasint" doc:"handle; one that is closed already is fine"`
}

// ForkParams are those of sandbox.fork.
type ForkParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Count   int    `cbor:"2,keyasint" doc:"how many, from 1"`
	Reseed  *int64 `cbor:"3,keyasint,omitempty" doc:"new seed of the forks' random streams; the i-th gets reseed+i"`
}

// SnapshotParams are those of sandbox.snapshot.
type SnapshotParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Name    string `cbor:"2,keyasint,omitempty" doc:"for people; empty for none"`
}

// RestoreParams are those of sandbox.restore.
type RestoreParams struct {
	Sandbox  int64  `cbor:"1,keyasint" doc:"handle"`
	Snapshot string `cbor:"2,keyasint" doc:"id"`
	Reseed   *int64 `cbor:"3,keyasint,omitempty" doc:"new seed of the random stream"`
}

// DropParams are those of sandbox.drop.
type DropParams struct {
	Sandbox  int64  `cbor:"1,keyasint" doc:"handle"`
	Snapshot string `cbor:"2,keyasint" doc:"id"`
}

// SnapshotInfo is one snapshot of the list.
type SnapshotInfo struct {
	ID      string `cbor:"1,keyasint,omitempty" doc:"what restore takes"`
	Name    string `cbor:"2,keyasint,omitempty" doc:"as given, or empty"`
	Created int64  `cbor:"3,keyasint,omitempty" doc:"ns since 1970 on the world's clock"`
	Parent  string `cbor:"4,keyasint,omitempty" doc:"id of the snapshot its state comes from, or empty"`
	Size    int64  `cbor:"5,keyasint,omitempty" doc:"stored bytes of its files"`
	Command string `cbor:"6,keyasint,omitempty" doc:"the last command before it"`
	Own     int64  `cbor:"7,keyasint,omitempty" doc:"stored bytes of its files that its parent has not"`
}

// UndoParams are those of sandbox.undo and sandbox.redo.
type UndoParams struct {
	Sandbox int64 `cbor:"1,keyasint" doc:"handle"`
	N       int   `cbor:"2,keyasint" doc:"commands, from 1"`
}

// DiffParams are those of sandbox.diff.
type DiffParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	A       string `cbor:"2,keyasint,omitempty" doc:"snapshot id or name; empty is the state the sandbox began with"`
	B       string `cbor:"3,keyasint,omitempty" doc:"snapshot id or name; empty is now"`
}

// DiffFile is one changed file.
type DiffFile struct {
	Change     string `cbor:"1,keyasint,omitempty" doc:"added, modified, removed or renamed"`
	Path       string `cbor:"2,keyasint,omitempty" doc:"where it is, or was if it is removed"`
	From       string `cbor:"3,keyasint,omitempty" name:"source" doc:"where a renamed file was"`
	Type       string `cbor:"4,keyasint,omitempty" doc:"as FileInfo.type"`
	Before     int64  `cbor:"5,keyasint,omitempty" doc:"size"`
	After      int64  `cbor:"6,keyasint,omitempty" doc:"size"`
	ModeBefore int    `cbor:"7,keyasint,omitempty" doc:"permission bits"`
	ModeAfter  int    `cbor:"8,keyasint,omitempty" doc:"permission bits"`
}

// DiffValue is one changed variable or function.
type DiffValue struct {
	Name   string  `cbor:"1,keyasint,omitempty" doc:"of the variable or function"`
	Before *string `cbor:"2,keyasint" doc:"its value or text; None: there was none"`
	After  *string `cbor:"3,keyasint" doc:"its value or text; None: there is none"`
}

// Diff is what changed between two states.
type Diff struct {
	Files     []DiffFile  `cbor:"1,keyasint,omitempty" doc:"in path order"`
	Variables []DiffValue `cbor:"2,keyasint,omitempty" doc:"in name order; arrays as declare -p shows them"`
	Functions []DiffValue `cbor:"3,keyasint,omitempty" doc:"in name order; as declare -f shows them"`
	DirBefore string      `cbor:"4,keyasint,omitempty" name:"cwd_before" doc:"working directory, if it changed"`
	DirAfter  string      `cbor:"5,keyasint,omitempty" name:"cwd_after" doc:"working directory, if it changed"`
	Handle    int64       `cbor:"6,keyasint,omitempty" doc:"of the two states, for diff.patch"`
}

// PatchParams are those of diff.patch.
type PatchParams struct {
	Diff    int64  `cbor:"1,keyasint" doc:"handle"`
	Context int    `cbor:"2,keyasint" doc:"lines around a change"`
	Root    string `cbor:"3,keyasint,omitempty" doc:"a directory: only what is below it, by relative names; empty is /"`
	Most    int64  `cbor:"4,keyasint,omitempty" doc:"bytes of content together; 0 is no bound"`
}

// DiffHandleParams are those of diff.close.
type DiffHandleParams struct {
	Diff int64 `cbor:"1,keyasint" doc:"handle; one that is closed already is fine"`
}

// CombineParams are those of sandbox.merge.
type CombineParams struct {
	Sandbox int64           `cbor:"1,keyasint" doc:"handle"`
	Other   int64           `cbor:"2,keyasint" doc:"handle of the sandbox whose changes are brought in"`
	Base    string          `cbor:"3,keyasint,omitempty" doc:"snapshot id or name, of the sandbox or else of the other; empty is where the two parted"`
	Common  int64           `cbor:"4,keyasint,omitempty" doc:"instead: handle of a sandbox that is the base"`
	Take    string          `cbor:"5,keyasint,omitempty" doc:"what becomes of every conflict: ours, theirs or markers; empty leaves it, and nothing changes"`
	Decided []MergeDecision `cbor:"6,keyasint,omitempty" doc:"what becomes of some"`
}

// MergeDecision says what becomes of a conflict.
type MergeDecision struct {
	_    struct{} `cbor:",toarray"`
	ID   string
	Take string // ours, theirs, markers, or write
	Data []byte // of write
}

// MergeConflict is one thing that two sides changed in ways that exclude each other.
type MergeConflict struct {
	ID         string  `cbor:"1,keyasint,omitempty" doc:"the same for the same conflict"`
	Kind       string  `cbor:"2,keyasint,omitempty" doc:"content, add/add, modify/delete, rename/delete, rename/rename, file/directory, mode, variable, function or alias"`
	Path       string  `cbor:"3,keyasint,omitempty" doc:"or name"`
	OursPath   string  `cbor:"4,keyasint,omitempty" doc:"where ours has the file, or empty"`
	TheirsPath string  `cbor:"5,keyasint,omitempty" doc:"where theirs has it, or empty"`
	Base       *string `cbor:"6,keyasint" doc:"content; None: there was none"`
	Ours       *string `cbor:"7,keyasint" doc:"content; None: there is none"`
	Theirs     *string `cbor:"8,keyasint" doc:"content; None: there is none"`
	Merged     *string `cbor:"9,keyasint" doc:"of a text: with what excludes each other between markers"`
}

// Combined is what a merge has done, or why it has done nothing.
type Combined struct {
	Done      bool            `cbor:"1,keyasint,omitempty" doc:"it was done: no conflict was left"`
	Conflicts []MergeConflict `cbor:"2,keyasint,omitempty" doc:"in path order"`
	Diff      Diff            `cbor:"3,keyasint" doc:"what the merge changed"`
}

// ExportParams are those of sandbox.export.
type ExportParams struct {
	Sandbox int64    `cbor:"1,keyasint" doc:"handle"`
	Key     []byte   `cbor:"2,keyasint,omitempty" doc:"HMAC-SHA256 key"`
	Have    []string `cbor:"3,keyasint,omitempty" doc:"snapshot ids the receiver has: a thin pack"`
	Run     string   `cbor:"4,keyasint,omitempty" doc:"id of the run that must be active"`
}

// ImportParams are those of sandbox.import.
type ImportParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	State   Blob   `cbor:"2,keyasint" doc:"what sandbox.export gave"`
	Key     []byte `cbor:"3,keyasint,omitempty" doc:"HMAC-SHA256 key"`
	Base    int64  `cbor:"4,keyasint,omitempty" doc:"handle of a sandbox that holds what a thin pack leaves out"`
}

// FromStateParams are those of sandbox.from_state and run.load.
type FromStateParams struct {
	State   Blob             `cbor:"1,keyasint" doc:"what sandbox.export gave"`
	Key     []byte           `cbor:"2,keyasint,omitempty" doc:"HMAC-SHA256 key"`
	Tools   []Tool           `cbor:"3,keyasint,omitempty" doc:"names that are tool calls here"`
	Limits  map[string]int64 `cbor:"4,keyasint,omitempty" doc:"by name; each bounds the saved one, what is absent has its default"`
	Base    int64            `cbor:"5,keyasint,omitempty" doc:"handle of a sandbox that holds what a thin pack leaves out"`
	Process int64            `cbor:"6,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// InspectParams are those of sandbox.inspect.
type InspectParams struct {
	State Blob   `cbor:"1,keyasint" doc:"what sandbox.export gave"`
	Key   []byte `cbor:"2,keyasint,omitempty" doc:"HMAC-SHA256 key; without it the signature is not checked"`
}

// StateInfo is what a state says about itself.
type StateInfo struct {
	Kind     string   `cbor:"1,keyasint,omitempty" doc:"state, run or thin"`
	Version  int      `cbor:"2,keyasint,omitempty" doc:"schema"`
	Size     int64    `cbor:"3,keyasint,omitempty" doc:"bytes of the blob"`
	Created  int64    `cbor:"4,keyasint,omitempty" doc:"ns since 1970 on the world's clock"`
	Files    int64    `cbor:"5,keyasint,omitempty" doc:"inodes"`
	Bytes    int64    `cbor:"6,keyasint,omitempty" doc:"stored bytes of the files"`
	Tools    []string `cbor:"7,keyasint,omitempty" doc:"names it needs"`
	Features []string `cbor:"8,keyasint,omitempty" doc:"what a reader must know"`
	Dropped  []string `cbor:"9,keyasint,omitempty" doc:"what could not travel"`
	Signed   bool     `cbor:"10,keyasint,omitempty" doc:"has an HMAC"`
	Needs    [][]byte `cbor:"11,keyasint,omitempty" doc:"of a thin pack: ids of commits it was made without, in a store"`
}

// Usage are a sandbox's counters. They are saved and restored.
type Usage struct {
	Commands  int64 `cbor:"1,keyasint,omitempty" doc:"simple commands run"`
	Calls     int64 `cbor:"2,keyasint,omitempty" doc:"tool calls"`
	Runs      int64 `cbor:"3,keyasint,omitempty" doc:"calls of run and start"`
	Steps     int64 `cbor:"4,keyasint,omitempty" doc:"machine steps"`
	Time      int64 `cbor:"5,keyasint,omitempty" doc:"ns in slices and sleeps"`
	Read      int64 `cbor:"6,keyasint,omitempty" doc:"bytes read"`
	Written   int64 `cbor:"7,keyasint,omitempty" doc:"bytes written"`
	Processes int64 `cbor:"8,keyasint,omitempty" doc:"processes started"`
	Files     int64 `cbor:"9,keyasint,omitempty" doc:"inodes now"`
	Bytes     int64 `cbor:"10,keyasint,omitempty" doc:"stored bytes now"`
	Retained  int64 `cbor:"11,keyasint,omitempty" doc:"bytes that snapshots and undo hold beyond the live files"`
}

// Info describes a sandbox for people.
type Info struct {
	User     string           `cbor:"1,keyasint,omitempty" doc:"name"`
	Hostname string           `cbor:"2,keyasint,omitempty" doc:"name"`
	Dir      string           `cbor:"3,keyasint,omitempty" name:"cwd" doc:"working directory"`
	Status   int              `cbor:"4,keyasint,omitempty" doc:"$? now"`
	Run      string           `cbor:"5,keyasint,omitempty" doc:"id of the active run, or empty"`
	Now      int64            `cbor:"6,keyasint,omitempty" doc:"ns since 1970 on the world's clock"`
	Virtual  bool             `cbor:"7,keyasint,omitempty" doc:"the clock counts steps"`
	Seed     int64            `cbor:"8,keyasint,omitempty" doc:"the random stream's"`
	Tools    []string         `cbor:"9,keyasint,omitempty" doc:"names that are tool calls"`
	Limits   map[string]int64 `cbor:"10,keyasint" doc:"by name; 0 is no limit"`
	Commands []string         `cbor:"11,keyasint,omitempty" doc:"builtins and utilities there are"`
}

// AnalyzeParams are those of sandbox.analyze.
type AnalyzeParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Script  string `cbor:"2,keyasint" doc:"shell text"`
}

// AnalyzedCommand is one command of a script.
type AnalyzedCommand struct {
	Name      string     `cbor:"1,keyasint,omitempty" doc:"empty where it is computed"`
	Args      []string   `cbor:"2,keyasint,omitempty" doc:"words; a computed one as its source text"`
	Redirects []Redirect `cbor:"3,keyasint,omitempty" doc:"in order"`
	Opaque    bool       `cbor:"4,keyasint,omitempty" name:"is_opaque" doc:"the name is computed"`
	Line      int        `cbor:"5,keyasint,omitempty" doc:"from 1"`
	Column    int        `cbor:"6,keyasint,omitempty" doc:"from 1, in bytes"`
	Kind      string     `cbor:"7,keyasint,omitempty" doc:"builtin, function, utility, tool or unknown"`
}

// Redirect is one redirection of a command.
type Redirect struct {
	Op     string `cbor:"1,keyasint,omitempty" doc:"as written: >, >>, <, 2>&1"`
	Target string `cbor:"2,keyasint,omitempty" doc:"word, or its source text where it is computed"`
	Opaque bool   `cbor:"3,keyasint,omitempty" name:"is_opaque" doc:"the target is computed"`
}

// Analysis is what a script would use.
type Analysis struct {
	Commands []AnalyzedCommand `cbor:"1,keyasint,omitempty" doc:"in source order"`
	Opaque   bool              `cbor:"2,keyasint,omitempty" name:"is_opaque" doc:"some command's name is computed"`
}

// ToolsParams are those of sandbox.set_tools.
type ToolsParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Tools   []Tool `cbor:"2,keyasint,omitempty" doc:"every name that is a tool call from now on"`
}

// ToolInfoParams are those of sandbox.set_extension.
type ToolInfoParams struct {
	Sandbox     int64    `cbor:"1,keyasint" doc:"handle"`
	Name        string   `cbor:"2,keyasint" doc:"of the tool"`
	Description string   `cbor:"3,keyasint,omitempty" doc:"one line for extensions list"`
	Usage       string   `cbor:"4,keyasint,omitempty" doc:"NAME [OPTION]..."`
	Examples    []string `cbor:"5,keyasint,omitempty" doc:"command lines"`
	Category    string   `cbor:"6,keyasint,omitempty" doc:"a heading of extensions list"`
	Help        string   `cbor:"7,keyasint,omitempty" doc:"what extensions info prints"`
}

// MountParams are those of sandbox.mount.
type MountParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"where; made if absent"`
	Host    string `cbor:"3,keyasint,omitempty" doc:"directory of the host; empty: files that are given here"`
	Mode    string `cbor:"4,keyasint" doc:"ro, overlay or rw; of files that are given here ro or rw"`

	Source string            `cbor:"5,keyasint,omitempty" doc:"what /proc/mounts and df say of files that are given here"`
	Files  map[string][]byte `cbor:"6,keyasint,omitempty" doc:"content by path below the mount"`
	Dirs   []string          `cbor:"7,keyasint,omitempty" doc:"directories below the mount that are there even if empty"`
	Begin  bool              `cbor:"8,keyasint,omitempty" doc:"the state the sandbox began with has the mount"`

	Exclude   []string `cbor:"9,keyasint,omitempty" doc:"of a directory of the host: what is not shown, patterns as in a .gitignore file at its top"`
	Gitignore bool     `cbor:"10,keyasint,omitempty" doc:"nor what the .gitignore files in it say"`
}

// MountInfo describes a mount.
type MountInfo struct {
	Path   string `cbor:"1,keyasint" doc:"where"`
	Mode   string `cbor:"2,keyasint" doc:"ro, overlay or rw"`
	Source string `cbor:"3,keyasint" doc:"what was mounted; host for a directory of the host"`

	Missing bool `cbor:"4,keyasint,omitempty" doc:"a directory of the host that was not given since the state was loaded"`
}

// DiscardParams are those of mount.discard.
type DiscardParams struct {
	Sandbox int64    `cbor:"1,keyasint" doc:"handle"`
	Path    string   `cbor:"2,keyasint" doc:"of the mount"`
	Below   []string `cbor:"3,keyasint,omitempty" doc:"paths below the mount; none: all of it"`
}

// MountPointParams are those of sandbox.unmount, mount.diff and mount.commit.
type MountPointParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"where"`
}

// EnvNameParams are those of env.get and env.unset.
type EnvNameParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Name    string `cbor:"2,keyasint" doc:"variable"`
}

// EnvSetParams are those of env.set.
type EnvSetParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Name    string `cbor:"2,keyasint" doc:"variable; exported"`
	Value   string `cbor:"3,keyasint" doc:"its value"`
}

// EnvAllParams are those of env.all.
type EnvAllParams struct {
	Sandbox  int64 `cbor:"1,keyasint" doc:"handle"`
	Exported bool  `cbor:"2,keyasint,omitempty" doc:"only exported ones"`
}

// HistoryListParams are those of history.list.
type HistoryListParams struct {
	Sandbox int64 `cbor:"1,keyasint" doc:"handle"`
	Limit   int   `cbor:"2,keyasint,omitempty" doc:"the last so many; 0 is all"`
}

// HistoryEntry is one command of the past.
type HistoryEntry struct {
	Index    int    `cbor:"1,keyasint,omitempty" doc:"from 1, never reused"`
	Command  string `cbor:"2,keyasint,omitempty" doc:"as it was given"`
	Time     int64  `cbor:"3,keyasint,omitempty" name:"timestamp" doc:"ns since 1970 on the world's clock"`
	Status   int    `cbor:"4,keyasint,omitempty" name:"exit_code" doc:"of the run"`
	Duration int64  `cbor:"5,keyasint,omitempty" doc:"ns"`
	Snapshot string `cbor:"6,keyasint,omitempty" doc:"id of the state before it, for sandbox.restore; empty when it is no longer kept"`
}

// HistoryRestoreParams are those of history.restore.
type HistoryRestoreParams struct {
	Sandbox int64 `cbor:"1,keyasint" doc:"handle"`
	Index   int   `cbor:"2,keyasint" doc:"the entry: back to before it ran"`
}
