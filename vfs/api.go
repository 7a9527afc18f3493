package vfs

// Ino is an inode number. Numbers are never reused within a lineage; 0 is none.
type Ino uint64

// Root is the number of the root directory.
const Root Ino = 1

// Mode holds the file type and the permission bits under their Linux values.
type Mode uint32

// File types and bits of Mode.
const (
	TypeMask Mode = 0o170000
	TypeFifo Mode = 0o010000
	TypeChar Mode = 0o020000
	TypeDir  Mode = 0o040000
	TypeFile Mode = 0o100000
	TypeLink Mode = 0o120000
	SetUID   Mode = 0o4000
	SetGID   Mode = 0o2000
	Sticky   Mode = 0o1000
	PermMask Mode = 0o7777
)

// IsDir reports whether m is a directory's.
func (m Mode) IsDir() bool { return m&TypeMask == TypeDir }

// IsRegular reports whether m is a regular file's.
func (m Mode) IsRegular() bool { return m&TypeMask == TypeFile }

// IsLink reports whether m is a symbolic link's.
func (m Mode) IsLink() bool { return m&TypeMask == TypeLink }

// Flags of Open, under their Linux values.
const (
	O_RDONLY    = 0
	O_WRONLY    = 1
	O_RDWR      = 2
	O_ACCMODE   = 3
	O_CREAT     = 0o100
	O_EXCL      = 0o200
	O_TRUNC     = 0o1000
	O_APPEND    = 0o2000
	O_NOFOLLOW  = 0o400000
	O_DIRECTORY = 0o200000
)

// Modes of Access.
const (
	R_OK = 4
	W_OK = 2
	X_OK = 1
	F_OK = 0
)

// Special times of Utimes.
const (
	TimeNow  int64 = -1<<63 + 1 // the current time; needs write permission only
	TimeOmit int64 = -1 << 63   // leave as it is
)

// Sizes the tree imposes, as Linux does.
const (
	ChunkSize   = 16 << 10 // most bytes of one stored chunk
	MaxFileSize = 1 << 42  // logical, whatever Limits says
	NameMax     = 255      // bytes of one name
	PathMax     = 4095     // bytes of a path or of a link's target
	LinkMax     = 65000    // names of one file
	maxFollowed = 40       // symbolic links followed in one resolution
)

// Cred is who asks, and from where: the mode bits are enforced for it. Root
// ignores them, but executes only what has an execute bit.
type Cred struct {
	UID, GID uint32
	Root     bool
	Dir      Ino // the working directory, where relative paths begin; 0 is the root
}

// may reports whether c has all of want (R_OK, W_OK, X_OK) on an inode.
func (c Cred) may(in *inode, want Mode) bool {
	bits := in.mode
	switch {
	case c.Root:
		return want&X_OK == 0 || in.mode.IsDir() || in.mode&0o111 != 0
	case c.UID == in.uid:
		bits >>= 6
	case c.GID == in.gid:
		bits >>= 3
	}
	return bits&want == want
}

// owns reports whether c may change the attributes of an inode.
func (c Cred) owns(in *inode) bool { return c.Root || c.UID == in.uid }

// Stat describes an inode. Times are ns since 1970.
type Stat struct {
	Ino                 Ino
	Dev                 uint32 // the mount it belongs to, 0 for the tree itself
	Mode                Mode
	Nlink               uint32
	UID, GID            uint32
	Size                int64  // logical bytes; for a link the length of its target
	Stored              int64  // bytes the content takes: holes take none
	Rdev                uint32 // device of a TypeChar: one of Dev*
	Atime, Mtime, Ctime int64
}

// Devices of /dev.
const (
	DevNone uint32 = iota
	DevNull
	DevZero
	DevFull
	DevRandom
	DevTTY
	DevFd // an entry of /dev/fd: see Ino.Fd
)

// Dirent is one name in a directory.
type Dirent struct {
	Name string
	Ino  Ino
	Type Mode // TypeDir, TypeFile …
}
