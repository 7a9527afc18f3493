// Package codec writes and reads the records of a blob without reflection: the
// code for each struct is generated from its tags (go generate). It writes the
// same bytes as the general CBOR library does with package state's settings.
//
// It reads what it writes and nothing else: fields in their order, none twice,
// none unknown, values of the kind that is written. Of anything else it says
// ErrUnusual, and the general library decides what that is; a test compares the
// two on good and on damaged bytes. Memory is charged before it is taken, as
// much as the general way would charge.
package codec

//go:generate go run ./gen
//go:generate go run ../numbers/gen -root ../../..

import (
	"errors"

	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/state/internal/record"
	"eryxsh/vfs"
)

// ErrUnusual leaves a record to the general decoder.
var ErrUnusual = errors.New("not as it is usually written")

// ErrCost reports a record that would take more memory than it may.
var ErrCost = errors.New("holds more than the limit memory allows")

// AppendHeader adds a blob's header.
func AppendHeader(b []byte, x *record.Header) []byte {
	w := writer{b}
	w.recordHeader(x)
	return w.b
}

// AppendWorld adds the record that begins a world.
func AppendWorld(b []byte, x *record.World) []byte {
	w := writer{b}
	w.recordWorld(x)
	return w.b
}

// AppendTree adds the record of a file system's counters.
func AppendTree(b []byte, x *record.Tree) []byte {
	w := writer{b}
	w.recordTree(x)
	return w.b
}

// AppendInode adds an inode's record.
func AppendInode(b []byte, x *record.Inode) []byte {
	w := writer{b}
	w.recordInode(x)
	return w.b
}

// AppendImage adds a machine's record, without its processes.
func AppendImage(b []byte, x *shell.Image) []byte {
	w := writer{b}
	w.shellImage(x)
	return w.b
}

// AppendProcess adds a process's record.
func AppendProcess(b []byte, x *shell.ProcRecord) []byte {
	w := writer{b}
	w.shellProcRecord(x)
	return w.b
}

// AppendFile adds an inode of a store's page.
func AppendFile(b []byte, x *record.File) []byte {
	w := writer{b}
	w.recordFile(x)
	return w.b
}

// AppendName adds an entry of a directory.
func AppendName(b []byte, x *vfs.Entry) []byte {
	w := writer{b}
	w.vfsEntry(x)
	return w.b
}

// AppendCommit adds a commit.
func AppendCommit(b []byte, x *record.Commit) []byte {
	w := writer{b}
	w.recordCommit(x)
	return w.b
}

// AppendRef adds a ref.
func AppendRef(b []byte, x *record.Ref) []byte {
	w := writer{b}
	w.recordRef(x)
	return w.b
}

// AppendCount adds a number that is not negative.
func AppendCount(b []byte, n int) []byte {
	w := writer{b}
	w.head(isUint, uint64(n))
	return w.b
}

// AppendSize adds the head of a byte string of so many bytes.
func AppendSize(b []byte, n int) []byte {
	w := writer{b}
	w.head(isBytes, uint64(n))
	return w.b
}

// ReadCount reads a number.
func ReadCount(data []byte, x *int, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	readInt(&r, x)
	return r.end(left)
}

// ReadHeader reads a header at the front of data and gives what follows it. left is the
// memory that may be taken, in bytes; what is taken is subtracted. The error is ErrUnusual
// or ErrCost, as it is of all that read.
func ReadHeader(data []byte, x *record.Header, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordHeader(x)
	return r.end(left)
}

// ReadWorld reads the record that begins a world.
func ReadWorld(data []byte, x *record.World, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordWorld(x)
	return r.end(left)
}

// ReadTree reads the record of a file system's counters.
func ReadTree(data []byte, x *record.Tree, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordTree(x)
	return r.end(left)
}

// ReadInode reads an inode's record.
func ReadInode(data []byte, x *record.Inode, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordInode(x)
	return r.end(left)
}

// ReadImage reads a machine's record.
func ReadImage(data []byte, x *shell.Image, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.shellImage(x)
	return r.end(left)
}

// ReadProcess reads a process's record. If origin is not nil and has most of its
// variables, a Delta stands for them.
func ReadProcess(data []byte, x *shell.ProcRecord, origin *vars.Origin, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left, origin: origin}
	r.shellProcRecord(x)
	return r.end(left)
}

// ReadFile reads an inode of a store's page.
func ReadFile(data []byte, x *record.File, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordFile(x)
	return r.end(left)
}

// ReadName reads an entry of a directory.
func ReadName(data []byte, x *vfs.Entry, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.vfsEntry(x)
	return r.end(left)
}

// ReadCommit reads a commit.
func ReadCommit(data []byte, x *record.Commit, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordCommit(x)
	return r.end(left)
}

// ReadRef reads a ref.
func ReadRef(data []byte, x *record.Ref, left *int64) ([]byte, error) {
	r := reader{data: data, left: *left}
	r.recordRef(x)
	return r.end(left)
}
