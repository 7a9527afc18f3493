package wire

// PathParams are those of the files methods that need only a path.
type PathParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"absolute, or relative to the working directory"`
}

// ReadRangeParams are those of files.read_range.
type ReadRangeParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file"`
	Offset  int64  `cbor:"3,keyasint" doc:"first byte"`
	Size    int64  `cbor:"4,keyasint" doc:"bytes at most; fewer only at the end of the file"`
}

// WriteParams are those of files.write.
type WriteParams struct {
	Sandbox   int64  `cbor:"1,keyasint" doc:"handle"`
	Path      string `cbor:"2,keyasint" doc:"file; parents are made"`
	Data      Blob   `cbor:"3,keyasint" doc:"its whole content"`
	Mode      int    `cbor:"4,keyasint,omitempty" doc:"permission bits of a new file; 0 is 0644"`
	Exclusive bool   `cbor:"5,keyasint,omitempty" doc:"an existing file is an error"`
}

// AppendParams are those of files.append.
type AppendParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file; made with its parents if absent"`
	Data    Blob   `cbor:"3,keyasint" doc:"goes behind what is there"`
}

// WriteAtParams are those of files.write_at.
type WriteAtParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file; it must exist"`
	Data    Blob   `cbor:"3,keyasint" doc:"bytes"`
	Offset  int64  `cbor:"4,keyasint" doc:"where; a hole is left before it if it is past the end"`
}

// WriteManyParams are those of files.write_many.
type WriteManyParams struct {
	Sandbox int64             `cbor:"1,keyasint" doc:"handle"`
	Files   map[string][]byte `cbor:"2,keyasint" doc:"path to content; all or none are written"`
}

// ListParams are those of files.list.
type ListParams struct {
	Sandbox   int64  `cbor:"1,keyasint" doc:"handle"`
	Path      string `cbor:"2,keyasint" doc:"directory"`
	Recursive bool   `cbor:"3,keyasint,omitempty" doc:"everything below it too, in path order"`
	After     string `cbor:"4,keyasint,omitempty" doc:"go on behind this path of an earlier page"`
	Limit     int    `cbor:"5,keyasint,omitempty" doc:"entries of one page; 0 is 10,000"`
}

// FileInfo is one file.
type FileInfo struct {
	Name   string `cbor:"1,keyasint,omitempty" doc:"last part of the path"`
	Path   string `cbor:"2,keyasint,omitempty" doc:"absolute"`
	Type   string `cbor:"3,keyasint,omitempty" doc:"file, dir, symlink, fifo or device"`
	Size   int64  `cbor:"4,keyasint,omitempty" doc:"bytes"`
	Mode   int    `cbor:"5,keyasint,omitempty" doc:"permission bits"`
	Mtime  int64  `cbor:"6,keyasint,omitempty" doc:"ns since 1970"`
	Target string `cbor:"7,keyasint,omitempty" doc:"of a symlink"`
	Inode  int64  `cbor:"8,keyasint,omitempty" doc:"number"`
	Links  int    `cbor:"9,keyasint,omitempty" name:"nlink" doc:"hard links"`
	UID    int    `cbor:"10,keyasint,omitempty" doc:"owner"`
	GID    int    `cbor:"11,keyasint,omitempty" doc:"group"`
	Atime  int64  `cbor:"12,keyasint,omitempty" doc:"ns since 1970"`
}

// Page is a part of a listing.
type Page struct {
	Entries []FileInfo `cbor:"1,keyasint,omitempty" doc:"in byte order of their paths"`
	Next    string     `cbor:"2,keyasint,omitempty" doc:"after of the next page; empty at the end"`
}

// MkdirParams are those of files.mkdir.
type MkdirParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"directory"`
	Parents bool   `cbor:"3,keyasint,omitempty" doc:"make what is missing above it"`
	ExistOK bool   `cbor:"4,keyasint,omitempty" doc:"an existing directory is fine"`
	Mode    int    `cbor:"5,keyasint,omitempty" doc:"permission bits; 0 is 0755"`
}

// RemoveParams are those of files.rm.
type RemoveParams struct {
	Sandbox   int64  `cbor:"1,keyasint" doc:"handle"`
	Path      string `cbor:"2,keyasint" doc:"file or directory"`
	Recursive bool   `cbor:"3,keyasint,omitempty" doc:"a directory with what is in it"`
	MissingOK bool   `cbor:"4,keyasint,omitempty" doc:"nothing there is fine"`
}

// FromToParams are those of files.rename and files.link.
type FromToParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	From    string `cbor:"2,keyasint" name:"source" doc:"what is there"`
	To      string `cbor:"3,keyasint" name:"target" doc:"the new name"`
}

// CopyParams are those of files.copy.
type CopyParams struct {
	Sandbox   int64  `cbor:"1,keyasint" doc:"handle"`
	From      string `cbor:"2,keyasint" name:"source" doc:"what is there"`
	To        string `cbor:"3,keyasint" name:"target" doc:"the new name; content is shared until one side writes"`
	Recursive bool   `cbor:"4,keyasint,omitempty" doc:"a directory with what is in it"`
}

// ChmodParams are those of files.chmod.
type ChmodParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file or directory"`
	Mode    int    `cbor:"3,keyasint" doc:"permission bits"`
}

// SymlinkParams are those of files.symlink.
type SymlinkParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Target  string `cbor:"2,keyasint" doc:"what it points to, as it is"`
	Path    string `cbor:"3,keyasint" doc:"the link"`
}

// GlobParams are those of files.glob.
type GlobParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Pattern string `cbor:"2,keyasint" doc:"as in the shell, with ** for any directories"`
}

// TruncateParams are those of files.truncate.
type TruncateParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file; it must exist"`
	Size    int64  `cbor:"3,keyasint" doc:"bytes; a longer file ends in a hole"`
}

// UtimesParams are those of files.utimes.
type UtimesParams struct {
	Sandbox int64  `cbor:"1,keyasint" doc:"handle"`
	Path    string `cbor:"2,keyasint" doc:"file or directory"`
	Atime   *int64 `cbor:"3,keyasint,omitempty" doc:"ns since 1970; None is now"`
	Mtime   *int64 `cbor:"4,keyasint,omitempty" doc:"ns since 1970; None is now"`
}
