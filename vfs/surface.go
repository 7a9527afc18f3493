package vfs

import "iter"

// Signatures only; replaced file by file in the next commits.

type Limits struct {
	Bytes    int64 // stored content; ENOSPC
	Files    int64 // names and inodes; ENOSPC
	FileSize int64 // logical size of one file; EFBIG
}
type Usage struct{ Bytes, Files, Logical int64 }
type FS struct{}
type Generated struct{}

// GeneratedFile is a file below /proc.
type ProcFile struct {
	Path    string // below /proc: "meminfo", "sys/kernel/ostype"
	Content func(now int64) []byte
}
type GeneratedTable struct {
	Bins []string                 // names in /usr/bin
	Stub func(name string) []byte // content of a name of /usr/bin; nil: a default line
	Proc []ProcFile
	Time int64
}

// Root is the number of the root directory.
const Root Ino = 1

// TimeNow and TimeOmit are special times of Utimes.
const (
	TimeNow  int64 = -1<<63 + 1
	TimeOmit int64 = -1 << 63
)

type Missing int

const (
	MissingNone Missing = iota // realpath -e
	MissingLast                // realpath, readlink -f
	MissingAny                 // realpath -m
)

func NewGenerated(t GeneratedTable) *Generated                                       { return nil }
func New(gen *Generated, lim Limits, now int64) *FS                                  { return nil }
func (f *FS) Fork() *FS                                                              { return nil }
func (f *FS) Limits() Limits                                                         { return Limits{} }
func (f *FS) SetLimits(l Limits)                                                     {}
func (f *FS) Usage() Usage                                                           { return Usage{} }
func (f *FS) Written() int64                                                         { return 0 }
func (f *FS) Lookup(c Cred, path string, follow bool) (Ino, error)                   { return 0, nil }
func (f *FS) Stat(c Cred, path string) (Stat, error)                                 { return Stat{}, nil }
func (f *FS) Lstat(c Cred, path string) (Stat, error)                                { return Stat{}, nil }
func (f *FS) Access(c Cred, path string, how int) error                              { return nil }
func (f *FS) AccessIno(c Cred, ino Ino, how int) error                               { return nil }
func (f *FS) Open(c Cred, path string, flags int, perm Mode, now int64) (Ino, error) { return 0, nil }
func (f *FS) Mkdir(c Cred, path string, perm Mode, now int64) error                  { return nil }
func (f *FS) Rmdir(c Cred, path string, now int64) error                             { return nil }
func (f *FS) Unlink(c Cred, path string, now int64) error                            { return nil }
func (f *FS) Rename(c Cred, old, new string, now int64) error                        { return nil }
func (f *FS) Link(c Cred, old, new string, follow bool, now int64) error             { return nil }
func (f *FS) Symlink(c Cred, target, path string, now int64) error                   { return nil }
func (f *FS) Readlink(c Cred, path string) (string, error)                           { return "", nil }
func (f *FS) Mkfifo(c Cred, path string, perm Mode, now int64) error                 { return nil }
func (f *FS) Chmod(c Cred, path string, follow bool, perm Mode, now int64) error     { return nil }

// uid, gid -1 keeps.
func (f *FS) Chown(c Cred, path string, follow bool, uid, gid int64, now int64) error { return nil }
func (f *FS) Utimes(c Cred, path string, follow bool, atime, mtime, now int64) error  { return nil }
func (f *FS) Truncate(c Cred, path string, size, now int64) error                     { return nil }
func (f *FS) ReadDir(c Cred, path, after string, n int) ([]Dirent, error)             { return nil, nil }
func (f *FS) Realpath(c Cred, path string, missing Missing) (string, error)           { return "", nil }

func (f *FS) StatIno(ino Ino) (Stat, error)                             { return Stat{}, nil }
func (f *FS) Child(dir Ino, name string) (Ino, error)                   { return 0, nil }
func (f *FS) ReadDirIno(dir Ino, after string, n int) ([]Dirent, error) { return nil, nil }

// ReadAt returns 0, nil at the end of the file. now is for generated content.
func (f *FS) ReadAt(ino Ino, p []byte, off, now int64) (int, error) { return 0, nil }

// Chunk: data from off to the end of the chunk, or the length of the hole there; both zero at the end.
func (f *FS) Chunk(ino Ino, off, now int64) (data []byte, hole int64, err error) { return nil, 0, nil }
func (f *FS) WriteAt(ino Ino, p []byte, off, now int64) (int, error)             { return 0, nil }
func (f *FS) Append(ino Ino, p []byte, now int64) (int, error)                   { return 0, nil }
func (f *FS) TruncateIno(ino Ino, size, now int64) error                         { return nil }
func (f *FS) SeekData(ino Ino, off int64) (int64, error)                         { return 0, nil }
func (f *FS) SeekHole(ino Ino, off int64) (int64, error)                         { return 0, nil }
func (f *FS) ChmodIno(c Cred, ino Ino, perm Mode, now int64) error               { return nil }
func (f *FS) Hold(ino Ino)                                                       {}
func (f *FS) Release(ino Ino)                                                    {}
func (f *FS) Path(ino Ino) (string, bool)                                        { return "", false }
func (f *FS) Fifo(ino Ino) uint64                                                { return 0 }
func (f *FS) SetFifo(ino Ino, pipe uint64) error                                 { return nil }

// Stub reports that ino is a generated name of /usr/bin, and which.
func (f *FS) Stub(ino Ino) (name string, ok bool) { return "", false }

// Fd reports that ino is /dev/fd/N or /proc/self/fd/N (also reached by /dev/stdin …): the shell
// uses its own open file N.
func (i Ino) Fd() (n int, ok bool) { return 0, false }

// Generated reports that ino is never saved.
func (i Ino) Generated() bool { return false }

type Entry struct {
	Name string `cbor:"1,keyasint,omitempty"`
	Ino  Ino    `cbor:"2,keyasint,omitempty"` // 0: a whiteout of a generated name
}
type Piece struct {
	Index int64  `cbor:"1,keyasint,omitempty"` // of ChunkSize
	Data  []byte `cbor:"2,keyasint,omitempty"`
}
type Record struct {
	Ino     Ino     `cbor:"1,keyasint,omitempty"`
	Mode    Mode    `cbor:"2,keyasint,omitempty"`
	Nlink   uint32  `cbor:"3,keyasint,omitempty"`
	UID     uint32  `cbor:"4,keyasint,omitempty"`
	GID     uint32  `cbor:"5,keyasint,omitempty"`
	Atime   int64   `cbor:"6,keyasint,omitempty"`
	Mtime   int64   `cbor:"7,keyasint,omitempty"`
	Ctime   int64   `cbor:"8,keyasint,omitempty"`
	Size    int64   `cbor:"9,keyasint,omitempty"`
	Target  string  `cbor:"10,keyasint,omitempty"`
	Fifo    uint64  `cbor:"11,keyasint,omitempty"`
	Entries []Entry `cbor:"12,keyasint,omitempty"`
	Pieces  []Piece `cbor:"13,keyasint,omitempty"`
	Held    uint32  `cbor:"14,keyasint,omitempty"`
}

// ChunkSize is the most bytes one stored chunk has.
const ChunkSize = 16 << 10

func (f *FS) Records() iter.Seq[Record] { return nil }
func (f *FS) Next() Ino                 { return 0 }

type Builder struct{}

func NewBuilder(gen *Generated, lim Limits) *Builder { return nil }
func (b *Builder) Add(r Record) error                { return nil }
func (b *Builder) Finish(next Ino) (*FS, error)      { return nil, nil }

type Change struct {
	Ino           Ino
	Before, After string // path in each, "" where it is not
}

func Diff(a, b *FS) []Change { return nil }
