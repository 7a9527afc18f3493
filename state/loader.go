package state

import (
	"bytes"
	"slices"
	"sync"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// Loader loads states. Many that it loads have much in common, be it only what
// every sandbox begins with: scripts they stand in, variables, files. That is
// read, checked and held once. Any number of threads may use it.
type Loader struct {
	lib *shell.Library

	mu     sync.Mutex
	origin *vars.Origin // the variables of a state that was loaded
	trees  []*tree      // the last ones used first
}

// NewLoader makes a Loader that has loaded nothing yet.
func NewLoader() *Loader { return &Loader{lib: shell.NewLibrary(core.Registry)} }

// What a Loader keeps: so many trees of so many bytes in a blob, variables that take so much memory.
const (
	keptTrees = 8
	keptTree  = 16 << 10
	keptVars  = 64 << 10
)

// tree is a file system that was read and found to be right.
type tree struct {
	data   []byte // its records
	limits vfs.Limits
	next   vfs.Ino
	fs     *vfs.FS // forked under the lock
	chunks [][]byte
	stored int64
}

// Import reads a blob into a World of its own. lim bounds what it may hold, and all limits that it brings, those of its
// snapshots among them: a blob never lifts a limit.
func (l *Loader) Import(blob, key []byte, lim limit.Limits) (w *core.World, h Header, err error) {
	defer func() {
		if x := recover(); x != nil { // a check that is missing must not take the host down
			w, err = nil, fault.New(fault.Panic, "import", "", "%v", x)
		}
	}()
	return l.read(blob, key, lim)
}

// Import is that of a new Loader.
func Import(blob, key []byte, lim limit.Limits) (*core.World, Header, error) {
	return NewLoader().Import(blob, key, lim)
}

// known gives the tree that data begins with, if the same bytes were read before.
func (l *Loader) known(data []byte, lim vfs.Limits, next vfs.Ino) (t *tree, fork *vfs.FS) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range l.trees {
		if t.limits == lim && t.next == next && bytes.HasPrefix(data, t.data) && bytes.HasPrefix(data[len(t.data):], []byte{0x82, RecMachine}) {
			copy(l.trees[1:i+1], l.trees[:i])
			l.trees[0] = t
			return t, t.fs.Fork()
		}
	}
	return nil, nil
}

// learn keeps a tree.
func (l *Loader) learn(t *tree) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.trees) == keptTrees {
		l.trees = l.trees[:keptTrees-1]
	}
	l.trees = slices.Insert(l.trees, 0, t)
}

// variables gives the variables that the next state may have, too.
func (l *Loader) variables() *vars.Origin {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.origin
}

// learnVars keeps variables that had little in common with those before.
func (l *Loader) learnVars(o *vars.Origin) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origin = o
}
