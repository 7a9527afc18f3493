package wire

// SaveParams begins a save.
type SaveParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Store   string `cbor:"2,keyasint" doc:"identity of the store: what a sandbox saved in another one is of no use"`
	Whole   bool   `cbor:"3,keyasint,omitempty" doc:"save everything, whatever the store is thought to have"`
	If      bool   `cbor:"4,keyasint,omitempty" name:"if_changed" doc:"do nothing if the state is the one that the store has"`
}

// SaveBegun is a save that has begun.
type SaveBegun struct {
	Save      int64    `cbor:"1,keyasint,omitempty" doc:"handle of the save; 0: nothing to save"`
	Base      []byte   `cbor:"2,keyasint,omitempty" doc:"id of the commit it is compared with, or empty"`
	Hooks     [][]byte `cbor:"3,keyasint,omitempty" doc:"ids under which packs with the same content may be known"`
	Unchanged bool     `cbor:"4,keyasint,omitempty" doc:"the store has this state"`
	Command   string   `cbor:"5,keyasint,omitempty" doc:"the last command"`
}

// KnownParams names a pack the store has.
type KnownParams struct {
	Save  int64  `cbor:"1,keyasint" doc:"handle of the save"`
	Pack  []byte `cbor:"2,keyasint" doc:"id"`
	Size  int64  `cbor:"3,keyasint" doc:"bytes"`
	Index Blob   `cbor:"4,keyasint" doc:"the end of the pack, with its index"`
}

// SealParams ends a save.
type SealParams struct {
	Save    int64    `cbor:"1,keyasint" doc:"handle of the save"`
	Parents [][]byte `cbor:"2,keyasint,omitempty" doc:"ids of commits"`
	Time    int64    `cbor:"3,keyasint,omitempty" doc:"ns since 1970"`
	Command string   `cbor:"4,keyasint,omitempty" doc:"that led there"`
	Note    string   `cbor:"5,keyasint,omitempty" doc:"for people"`
	Onto    [][]byte `cbor:"6,keyasint,omitempty" doc:"refs whose history goes on here: their packs are needed, too"`
}

// PackInfo names a pack.
type PackInfo struct {
	ID      []byte `cbor:"1,keyasint,omitempty" doc:"16 bytes"`
	Size    int64  `cbor:"2,keyasint,omitempty" doc:"bytes"`
	Objects int    `cbor:"3,keyasint,omitempty" doc:"how many"`
	New     bool   `cbor:"4,keyasint,omitempty" doc:"this save made it: store.pack has its bytes"`
}

// Sealed is a save with everything it has to write.
type Sealed struct {
	Commit []byte     `cbor:"1,keyasint,omitempty" doc:"id"`
	Ref    []byte     `cbor:"2,keyasint,omitempty" doc:"the ref to put when the packs are there"`
	Packs  []PackInfo `cbor:"3,keyasint,omitempty" doc:"all it needs, the oldest first"`
	Merge  [][]byte   `cbor:"4,keyasint,omitempty" doc:"ids of packs that should become one: store.merge"`
}

// PackParams asks for a pack that a save made.
type PackParams struct {
	Save int64  `cbor:"1,keyasint" doc:"handle of the save"`
	Pack []byte `cbor:"2,keyasint" doc:"id"`
}

// MergeParams gives packs to become one.
type MergeParams struct {
	Ref     []byte   `cbor:"1,keyasint" doc:"that has them"`
	Packs   [][]byte `cbor:"2,keyasint" doc:"their bytes"`
	Process int64    `cbor:"3,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// Merged is several packs as one.
type Merged struct {
	Ref  []byte `cbor:"1,keyasint,omitempty" doc:"with the one in the place of the several"`
	Pack []byte `cbor:"2,keyasint,omitempty" doc:"id of the one"`
	Data []byte `cbor:"3,keyasint,omitempty" doc:"its bytes"`
}

// SavedParams ends a save's life.
type SavedParams struct {
	Save int64  `cbor:"1,keyasint" doc:"handle of the save"`
	Ref  []byte `cbor:"2,keyasint,omitempty" doc:"what was put; empty: nothing was, forget the save"`
}

// ReadParams begins to read from a store.
type ReadParams struct {
	Ref     []byte           `cbor:"1,keyasint" doc:"as it stands in the store"`
	Store   string           `cbor:"2,keyasint,omitempty" doc:"identity of the store"`
	What    string           `cbor:"3,keyasint" doc:"state, log, check or trim"`
	Commit  []byte           `cbor:"4,keyasint,omitempty" doc:"id of another commit than the ref's"`
	Most    int              `cbor:"5,keyasint,omitempty" doc:"of a log, or kept by a trim: commits; 0 is all"`
	Limits  map[string]int64 `cbor:"6,keyasint,omitempty" doc:"of a state: what may be loaded"`
	Sandbox int64            `cbor:"7,keyasint,omitempty" doc:"of a state: the sandbox whose state it will replace, which says what may be loaded"`
	Since   int64            `cbor:"8,keyasint,omitempty" doc:"kept by a trim: commits from then on, ns since 1970"`
	Process int64            `cbor:"9,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// ReadHandle names what is being read.
type ReadHandle struct {
	Read int64 `cbor:"1,keyasint" doc:"handle"`
}

// PackRange is bytes of a pack.
type PackRange struct {
	Pack []byte `cbor:"1,keyasint,omitempty" doc:"id"`
	At   int64  `cbor:"2,keyasint,omitempty" name:"start" doc:"offset"`
	Size int64  `cbor:"3,keyasint,omitempty" doc:"bytes"`
}

// GiveParams gives bytes that were needed.
type GiveParams struct {
	Read int64  `cbor:"1,keyasint" doc:"handle"`
	Pack []byte `cbor:"2,keyasint" doc:"id"`
	At   int64  `cbor:"3,keyasint" name:"start" doc:"offset"`
	Data Blob   `cbor:"4,keyasint" doc:"the bytes"`
}

// OpenParams makes a sandbox of a state that was read.
type OpenParams struct {
	Read    int64            `cbor:"1,keyasint" doc:"handle"`
	Sandbox int64            `cbor:"2,keyasint,omitempty" doc:"the sandbox whose state it replaces; 0: a new one"`
	Limits  map[string]int64 `cbor:"3,keyasint,omitempty" doc:"of a new one, by name"`
	Tools   []Tool           `cbor:"4,keyasint,omitempty" doc:"of a new one"`
}

// CommitInfo describes a commit.
type CommitInfo struct {
	ID      []byte   `cbor:"1,keyasint,omitempty" doc:"32 bytes"`
	Parents [][]byte `cbor:"2,keyasint,omitempty" doc:"ids"`
	Time    int64    `cbor:"3,keyasint,omitempty" doc:"ns since 1970"`
	Command string   `cbor:"4,keyasint,omitempty" doc:"that led there"`
	Note    string   `cbor:"5,keyasint,omitempty" doc:"for people"`
	Kind    string   `cbor:"6,keyasint,omitempty" doc:"state, or run when a script is suspended in it"`
	Files   int64    `cbor:"7,keyasint,omitempty" doc:"how many"`
	Bytes   int64    `cbor:"8,keyasint,omitempty" doc:"stored in files"`
	Tools   []string `cbor:"9,keyasint,omitempty" doc:"names that held a callable"`
}

// Checked is what a check of a ref found.
type Checked struct {
	Objects int64    `cbor:"1,keyasint,omitempty" doc:"that were looked at"`
	Bytes   int64    `cbor:"2,keyasint,omitempty" doc:"of packs"`
	Commits int64    `cbor:"3,keyasint,omitempty" doc:"in its history"`
	Faults  []string `cbor:"4,keyasint,omitempty" doc:"what is wrong, at most 100"`
}

// Trimmed is a history without its beginning.
type Trimmed struct {
	Gone  int       `cbor:"1,keyasint,omitempty" doc:"commits that are forgotten"`
	Ref   []byte    `cbor:"2,keyasint,omitempty" doc:"the ref to put when the packs are there; empty if none is"`
	Packs []NewPack `cbor:"3,keyasint,omitempty" doc:"what is needed of those that go"`
}

// NewPack is a pack to be put.
type NewPack struct {
	ID   []byte `cbor:"1,keyasint,omitempty" doc:"16 bytes"`
	Data []byte `cbor:"2,keyasint,omitempty" doc:"its bytes"`
}

// RefInfo describes a ref.
type RefInfo struct {
	Commit []byte     `cbor:"1,keyasint,omitempty" doc:"id"`
	Time   int64      `cbor:"2,keyasint,omitempty" doc:"when it was written, ns since 1970"`
	Packs  []PackInfo `cbor:"3,keyasint,omitempty" doc:"all it needs, the oldest first"`
}

// RefParams gives a ref.
type RefParams struct {
	Ref    []byte `cbor:"1,keyasint" doc:"as it stands in the store"`
	Commit []byte `cbor:"2,keyasint,omitempty" doc:"id of another commit it is to lead to"`
	Time   int64  `cbor:"3,keyasint,omitempty" doc:"of the new ref, ns since 1970"`
}
