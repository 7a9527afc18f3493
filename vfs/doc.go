// Package vfs is a POSIX-shaped file tree in memory that forks in O(1).
//
// An FS is one version of a tree: a persistent map from inode numbers to
// inodes, with the limits and counters that go with it. Fork gives an
// independent FS that shares everything; from then on each side copies the few
// nodes it touches (see package persist for how). Versions that share nodes may
// be used from different threads at once; one FS has one user at a time.
//
// A regular file is a size and chunks of at most ChunkSize bytes; what no
// chunk covers is a hole, reads as zeros and costs nothing. The first chunk
// lives in the inode and is as long as its content, so a small file is one
// inode and one allocation. A directory is an ordered map from names to
// numbers and is listed in byte order. An inode remembers one parent and name:
// exact for a directory, a hint for a file that may have several.
//
// Operations come in two sorts. Path operations take a Cred and an absolute
// path, resolve it as Linux does ("..", symbolic links, trailing slashes) and
// enforce the mode bits. Inode operations take a number and check nothing but
// the kind of the inode: permission was checked when the file was opened. An
// open file keeps its inode alive with Hold and Release, so an unlinked file
// lives until its last user is gone. Every operation either happens completely
// or not at all, and each lists its errors; they are all of type Errno. The
// current time is always an argument: nothing here asks a clock, and times are
// ns since 1970.
//
// Beside what is saved there is what is generated: /dev, /proc and the names in
// /usr/bin that nobody replaced. They come from an immutable Generated table
// that all forks share, and have numbers of their own at the top of the range.
//
// Records walks what is saved as plain structs in number order; a Builder makes
// an FS from such records and believes none of them.
package vfs
