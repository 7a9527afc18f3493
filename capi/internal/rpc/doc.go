// Package rpc answers requests. It is the border without C: a Server takes a
// request's bytes and gives an answer's bytes, so everything here is tested as
// plain Go.
//
// # Handles
//
// A sandbox is known outside by a handle: an integer that holds the server's
// generation in its upper bits. A process made by fork loads a fresh copy of
// the library with the next generation, so a handle of its parent is recognised
// as such and never taken for another sandbox.
//
// # Locks
//
// Each sandbox has one lock, held for the length of one call. Calls that drive a
// run end with their time slice, so waiting for the lock is short; a call that
// does not get it within a slice answers TagAgain, and the caller sees to its
// signals before it asks again. Closing, cancelling and suspending do not take
// the lock: they leave a note that the holder reads.
//
// # Panics
//
// No panic leaves a call. It becomes an error that names the place, and the
// sandbox it happened in is not trusted any more: it can be closed, reset or
// restored, and nothing else.
package rpc
