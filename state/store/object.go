package store

import (
	"crypto/sha256"
	"encoding/hex"
)

// ID is the identity of an object: the SHA-256 of its kind and its body.
type ID [sha256.Size]byte

// String is the id in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Kind says what an object's body is. Kinds are saved: append only.
type Kind byte

// The kinds of objects.
const (
	KindChunk  Kind = 1 // bytes of a file, at most vfs.ChunkSize
	KindBranch Kind = 2 // of a tree over numbers: which of 32 are there, 4 bytes, the lowest bit first, big-endian; their ids
	KindPage   Kind = 3 // inodes whose numbers divided by 32 are the same: records of File one after another
	KindNames  Kind = 4 // a part of a directory: records of Entry one after another
	KindList   Kind = 5 // ids of objects whose bodies belong one after another
	KindPart   Kind = 6 // bytes of the records of a machine
	KindCommit Kind = 7 // a record of Commit
)

// kindEnd is behind the last kind.
const kindEnd = KindCommit + 1

// sum gives the id of an object.
func sum(kind Kind, body []byte) (id ID) {
	h := sha256.New()
	h.Write([]byte{byte(kind)})
	h.Write(body)
	h.Sum(id[:0])
	return id
}
