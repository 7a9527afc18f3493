// Package persist has three persistent collections with ownership epochs: Vec
// (int64 → T), Map (string → V, unordered) and Sorted (string → V, in byte
// order).
//
// Every node of a collection carries the epoch that created it. A write passes
// its owner's epoch: a node of that epoch is changed in place, any other is
// copied first, and the copy belongs to the writer. To fork, copy the struct
// and give *both* sides a fresh epoch (NewEpoch): from then on all that existed
// is immutable, both sides share it, and each pays for what it touches. A fork
// is therefore O(1) whatever the collection holds.
//
// The zero value of each collection is empty and ready. Methods that take no
// epoch never write, so versions that share nodes may be read and written from
// different threads at once, as long as each version has one user at a time.
// The zero epoch is for a table that one writer fills before anybody else sees
// it, and that nobody writes to afterwards.
package persist

import "sync/atomic"

// Epoch names an owner of nodes. Two owners never share one.
type Epoch uint64

// lastEpoch is process-wide because an epoch must be unique among all
// collections that can ever share a node.
var lastEpoch atomic.Uint64

// NewEpoch returns an epoch nobody else has.
func NewEpoch() Epoch { return Epoch(lastEpoch.Add(1)) }
