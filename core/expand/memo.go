package expand

import "mvdan.cc/sh/v3/syntax"

// Memo holds the answers an expansion got so far, in evaluation order, so
// that it can be started again without asking twice. It is plain data.
type Memo struct {
	Entries []Entry `cbor:"1,keyasint,omitempty"`
}

// Entry is one answer.
type Entry struct {
	Kind byte     `cbor:"1,keyasint,omitempty"`
	Set  bool     `cbor:"2,keyasint,omitempty"`
	Text []byte   `cbor:"3,keyasint,omitempty"`
	List [][]byte `cbor:"4,keyasint,omitempty"`
}

// Answer appends the output of the command the last attempt asked for.
func (m *Memo) Answer(text string) {}

// Recorder is an Env that records another one's answers.
type Recorder struct {
	// Need is the *syntax.CmdSubst or *syntax.ProcSubst that ended the last
	// attempt with ErrNeed.
	Need syntax.Node
}

// Start begins an attempt and returns the Env to expand with.
func (r *Recorder) Start(env Env, m *Memo) Env { return env }
