package merge

// Kind says what two sides do not agree about.
type Kind string

// The kinds of conflicts. Path is that of a file but for the last five, where it
// is a name.
const (
	Content       Kind = "content"        // both changed the same lines, or what has no lines
	BothAdded     Kind = "add/add"        // both made a file there, not the same one
	ModifyDelete  Kind = "modify/delete"  // one changed it, the other removed it
	RenameDelete  Kind = "rename/delete"  // one moved it, the other removed it
	RenameRename  Kind = "rename/rename"  // both moved it, to two places
	FileDirectory Kind = "file/directory" // a file on one side, a directory on the other
	Mode          Kind = "mode"           // both changed permissions or owner
	Variable      Kind = "variable"
	Function      Kind = "function"
	Alias         Kind = "alias"
)

// Conflict is one thing that both sides changed in ways that exclude each other.
// What does not exist on a side is nil there.
type Conflict struct {
	Kind               Kind
	Path               string // where ours has it, or theirs if ours does not
	OursPath           string // of a file that was moved or is on one side only: where it is; empty where it is not
	TheirsPath         string
	Base, Ours, Theirs []byte // content of a file, target of a link, declaration of what the shell has
	Merged             []byte // of texts: with the parts that exclude each other between markers
}

// Take says which side is taken.
type Take uint8

// What may become of a conflict.
const (
	Leave  Take = iota // it is not decided, and nothing is merged
	Ours               // as if theirs had left it alone
	Theirs             // as if ours had left it alone
	Both               // as git leaves it: texts with markers, both of two files, what was changed of what was removed
	Write              // Decision.Data is what the file holds
)

// Decision is what becomes of a conflict.
type Decision struct {
	Take Take
	Data []byte
}
