// Package core is the sandbox in process: a World and everything that can be
// done with one. It knows nothing of bytes on disk, of C or of Python.
//
// A World is a shell machine with its files (package shell), a history and
// snapshots. Forking or snapshotting a World is O(1): both sides share
// everything and copy what they change. A World belongs to one thread at a
// time; different Worlds, forks of each other too, may be used in parallel.
//
// A run is driven in slices: Begin starts it, Advance moves it until its host
// says the slice is over or nothing can go on without an answer. Whatever
// Advance came back with, the World can be saved, forked or dropped there.
package core
