package expand

import (
	"errors"

	"mvdan.cc/sh/v3/syntax"

	"eryxsh/core/large"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// Memo holds the answers an expansion got so far, in evaluation order, so
// that it can be started again without asking twice. It is plain data and
// bounded by what the words of one command ask for.
type Memo struct {
	Entries []Entry `cbor:"1,keyasint,omitempty"`
}

// Entry is one answer of an Env.
type Entry struct {
	Kind EntryKind    `cbor:"1,keyasint,omitempty"`
	OK   bool         `cbor:"2,keyasint,omitempty"` // set, found, no error
	Text []byte       `cbor:"3,keyasint,omitempty"`
	List [][]byte     `cbor:"4,keyasint,omitempty"` // of a command: the parts of a long text before Text
	Num  int64        `cbor:"5,keyasint,omitempty"`
	Var  *vars.Record `cbor:"6,keyasint,omitempty"`
}

// EntryKind is the method of Env an Entry answers. An expansion is
// deterministic, so that entries are met again in the order they were made;
// the kind is there to notice if they are not.
type EntryKind uint8

// The kinds of entries.
const (
	EntryVar EntryKind = iota + 1
	EntryAssign
	EntrySpecial
	EntryCommand // also Process
	EntryDir
	EntryStat
	EntryNames
	EntryPrompt // no longer made
	EntryWarn
)

// Answer appends the output of the command, or the path of the process
// substitution, that the last attempt asked for. The next attempt replays
// everything before it.
func (m *Memo) Answer(text string) {
	m.Entries = append(m.Entries, Entry{Kind: EntryCommand, OK: true, Text: []byte(text)})
}

// AnswerBytes is Answer with a text in parts, which the memo may keep.
func (m *Memo) AnswerBytes(parts [][]byte) {
	e := Entry{Kind: EntryCommand, OK: true}
	if n := len(parts) - 1; n >= 0 {
		e.List, e.Text = parts[:n:n], parts[n]
	}
	m.Entries = append(m.Entries, e)
}

// Recorder makes an Env that records another one's answers in a Memo. It
// replays the recorded ones first; assignments among them are not done again.
type Recorder struct {
	// Missing is the *syntax.CmdSubst, *Runtime or *syntax.ProcSubst that ended the last
	// attempt with ErrNeed, nil if none did.
	Missing syntax.Node

	env  Env
	memo *Memo
	at   int
	live map[int]*vars.Var // variables made from entries
	err  error
}

// Start begins an attempt and returns the Env to expand with.
func (r *Recorder) Start(env Env, m *Memo) Env {
	*r = Recorder{env: env, memo: m}
	return r
}

var errMemo = errors.New("expand: the memo does not belong to this expansion")

// manyAnswers are charged for together when they are replayed.
const manyAnswers = 64

// next returns the recorded entry of the given kind, or makes one by ask.
func (r *Recorder) next(kind EntryKind, ask func(*Entry)) *Entry {
	if r.at < len(r.memo.Entries) {
		e := &r.memo.Entries[r.at]
		if r.at++; r.at%manyAnswers == 0 { // each substitution of a command replays those before it
			r.env.Charge(manyAnswers >> 1)
		}
		if e.Kind != kind {
			r.err = errMemo
			return &Entry{Kind: kind}
		}
		return e
	}
	e := Entry{Kind: kind}
	ask(&e)
	r.memo.Entries = append(r.memo.Entries, e)
	r.at++
	return &r.memo.Entries[r.at-1]
}

// text is the text of a command, with m charged while it is put together.
func (e *Entry) text(m large.Meter) (string, bool) { return large.Joined(e.List, e.Text, m), e.OK }

func (e *Entry) setText(s string, ok bool) { e.Text, e.OK = []byte(s), ok }

func (e *Entry) setList(l []string) {
	for _, s := range l {
		e.List = append(e.List, []byte(s))
	}
}

func (e *Entry) list() []string {
	out := make([]string, len(e.List))
	for i, b := range e.List {
		out[i] = string(b)
	}
	return out
}

// A variable can change between attempts only by an assignment of this very
// expansion: commands run as children. So a reading is recorded by name, and
// its value kept only when the first assignment comes. Values the shell
// computes, such as RANDOM, are kept at once.
const (
	varKept int64 = iota
	varByName
	varByLookup
)

func (r *Recorder) variable(name string, how int64) *vars.Var {
	at := r.at
	var now *vars.Var
	e := r.next(EntryVar, func(e *Entry) {
		now = r.read(name, how)
		if now.Is(vars.Special) {
			e.keep(now)
			return
		}
		e.Text, e.Num = []byte(name), how
	})
	switch {
	case now != nil:
		return now
	case e.Num != varKept:
		return r.read(string(e.Text), e.Num)
	case e.Var == nil:
		return nil
	}
	if v := r.live[at]; v != nil {
		return v
	}
	v, err := vars.FromRecord(*e.Var)
	if err != nil {
		r.err = err
		return nil
	}
	if r.live == nil {
		r.live = map[int]*vars.Var{}
	}
	r.live[at] = v
	return v
}

func (r *Recorder) read(name string, how int64) *vars.Var {
	if how == varByLookup {
		return r.env.Lookup(name)
	}
	return r.env.Var(name)
}

func (e *Entry) keep(v *vars.Var) {
	e.Text, e.Num, e.Var = nil, varKept, nil
	if v != nil {
		rec := v.Record("")
		e.Var = &rec
	}
}

// Err reports a memo that does not belong to the expansion it was given to.
func (r *Recorder) Err() error { return r.err }

// Var implements Env.
func (r *Recorder) Var(name string) *vars.Var { return r.variable(name, varByName) }

// Lookup implements Env.
func (r *Recorder) Lookup(name string) *vars.Var { return r.variable(name, varByLookup) }

// Assign implements Env. An assignment that failed is done again: it has had
// no effect and fails the same way.
func (r *Recorder) Assign(name string, sub *Sub, value string, add bool) error {
	fresh := false
	var err error
	e := r.next(EntryAssign, func(e *Entry) {
		for i := range r.memo.Entries {
			if old := &r.memo.Entries[i]; old.Kind == EntryVar && old.Num != varKept {
				old.keep(r.read(string(old.Text), old.Num))
			}
		}
		err = r.env.Assign(name, sub, value, add)
		e.OK, fresh = err == nil, true
	})
	if !fresh && !e.OK && r.err == nil {
		err = r.env.Assign(name, sub, value, add)
	}
	return err
}

// Param implements Env. Parameters and options do not change during an
// expansion and are not recorded.
func (r *Recorder) Param(i int) (string, bool) { return r.env.Param(i) }

// Params implements Env.
func (r *Recorder) Params() []string { return r.env.Params() }

// Flags implements Env.
func (r *Recorder) Flags() Flags { return r.env.Flags() }

// Special implements Env.
func (r *Recorder) Special(c byte) (string, bool) {
	return r.next(EntrySpecial, func(e *Entry) { e.setText(r.env.Special(c)) }).text(r.env)
}

// Command implements Env: without an answer it notes the node and gives up.
func (r *Recorder) Command(n syntax.Node) (string, error) {
	return r.need(n, func() (string, error) { return r.env.Command(n) })
}

// Process implements Env.
func (r *Recorder) Process(n *syntax.ProcSubst) (string, error) {
	return r.need(n, func() (string, error) { return r.env.Process(n) })
}

func (r *Recorder) need(n syntax.Node, ask func() (string, error)) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	if r.at < len(r.memo.Entries) {
		s, ok := r.next(EntryCommand, nil).text(r.env)
		if !ok && r.err == nil {
			r.err = errMemo
		}
		if len(s) > muchText {
			r.env.Charge(len(s) >> 10)
		}
		return s, r.err
	}
	s, err := ask()
	if err != nil {
		if errors.Is(err, ErrNeed) {
			r.Missing = n
		}
		return "", err
	}
	r.memo.Answer(s)
	r.at++
	return s, nil
}

// Home implements Env.
func (r *Recorder) Home(user string) (string, bool) { return r.env.Home(user) }

// ReadDir implements Env.
func (r *Recorder) ReadDir(dir, after string, n int) ([]vfs.Dirent, error) {
	var err error
	e := r.next(EntryDir, func(e *Entry) {
		var list []vfs.Dirent
		list, err = r.env.ReadDir(dir, after, n)
		e.OK = err == nil
		for _, d := range list {
			e.List = append(e.List, append([]byte{byte(d.Type >> 12)}, d.Name...))
		}
	})
	if err != nil {
		return nil, err
	}
	if !e.OK {
		return nil, vfs.ENOENT
	}
	out := make([]vfs.Dirent, 0, len(e.List))
	for _, b := range e.List {
		if len(b) > 0 {
			out = append(out, vfs.Dirent{Name: string(b[1:]), Type: vfs.Mode(b[0]) << 12})
		}
	}
	return out, nil
}

// Stat implements Env; of the answer only the mode is kept.
func (r *Recorder) Stat(path string, follow bool) (vfs.Stat, error) {
	e := r.next(EntryStat, func(e *Entry) {
		st, err := r.env.Stat(path, follow)
		e.OK, e.Num = err == nil, int64(st.Mode)
	})
	if !e.OK {
		return vfs.Stat{}, vfs.ENOENT
	}
	return vfs.Stat{Mode: vfs.Mode(e.Num)}, nil
}

// Once gives an answer about files that a command of this expansion may change:
// what it was when it was first asked for.
func (r *Recorder) Once(ask func() bool) bool {
	return r.next(EntryStat, func(e *Entry) { e.OK = ask() }).OK
}

// Names implements Env.
func (r *Recorder) Names(prefix string) []string {
	return r.next(EntryNames, func(e *Entry) { e.setList(r.env.Names(prefix)) }).list()
}

// Ref implements Env.
func (r *Recorder) Ref(name string) (string, bool) { return r.env.Ref(name) }

// Once calls f, but not again when an expansion with a memo starts anew.
func Once(env Env, f func()) {
	if r, ok := env.(*Recorder); ok {
		r.next(EntryWarn, func(*Entry) { f() })
		return
	}
	f()
}

// Warn implements Warner: a message is written by the first attempt only.
func (r *Recorder) Warn(text string) (err error) {
	r.next(EntryWarn, func(*Entry) {
		if w, ok := r.env.(Warner); ok {
			err = w.Warn(text)
		}
	})
	return err
}

// Charge implements Env.
func (r *Recorder) Charge(n int) { r.env.Charge(n) }

// Hold implements Env.
func (r *Recorder) Hold(n int) { r.env.Hold(n) }

// Need implements Env.
func (r *Recorder) Need(n int) { r.env.Need(n) }

// Prompt implements Env: what the prompt asks for is recorded, not its text.
func (r *Recorder) Prompt(e Env, s string) (string, error) { return r.env.Prompt(e, s) }

// DirStack implements Env.
func (r *Recorder) DirStack(i int) (string, bool) { return r.env.DirStack(i) }
