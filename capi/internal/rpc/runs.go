package rpc

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/shell"
)

// The length of a slice that none is given for, and of the longest: nobody
// waits longer for a sandbox's lock or for a signal.
const (
	usualSlice   = 20 * time.Millisecond
	longestSlice = time.Second
)

func runMethods() []binding {
	return []binding{
		drives("run.run", func(c *call, p *wire.StartParams) (*sandbox, pace, error) {
			b, err := start(c, p)
			return b, pace{ns: p.Slice, taken: p.Taken}, err
		}),
		on("run.start", func(c *call, p *wire.StartParams) (string, error) {
			b, err := start(c, p)
			if err != nil {
				return "", err
			}
			return b.M.RunID, nil
		}),
		drives("run.step", func(c *call, p *wire.StepParams) (*sandbox, pace, error) {
			b, err := c.holdAsIs(p.Sandbox)
			b, err = thatRuns(b, p.Run, err)
			c.number = p.Number
			if err == nil && p.Call != "" {
				err = b.M.Resume(p.Call, shell.Answer{Stdout: p.Stdout, Stderr: p.Stderr, Status: p.Status, Error: p.Error})
			}
			return b, pace{ns: p.Slice, steps: p.Steps, taken: p.Taken}, err
		}),
		does("run.answer", func(c *call, p *wire.AnswerParams) error {
			b, err := c.holdRun(p.Sandbox, p.Run)
			if err != nil {
				return err
			}
			return b.M.Resume(p.Call, shell.Answer{Stdout: p.Stdout, Stderr: p.Stderr, Status: p.Status, Error: p.Error})
		}),
		does("run.input", func(c *call, p *wire.InputParams) error {
			b, err := c.holdActive(p.Sandbox, p.Run)
			if err != nil {
				return err
			}
			if !b.M.IO.InWanted {
				return fault.New(fault.AlreadyResumed, "resume", "", "no command waits for input: it was given before, or never asked for")
			}
			return b.M.Feed(p.Data)
		}),
		does("run.cancel", func(c *call, p *wire.CancelParams) error { return c.leaveNote(p, false) }),
		does("run.suspend", func(c *call, p *wire.CancelParams) error { return c.leaveNote(p, true) }),
		does("run.add", func(c *call, p *wire.AddParams) error {
			b, err := c.holdActive(p.Sandbox, p.Run)
			if err != nil {
				return err
			}
			if b.M.Run.Limit == "" {
				return fault.New(fault.AlreadyResumed, "resume", "", "the run waits for no budget: it was added to before, or none was used up")
			}
			return b.Refill(p.Add)
		}),
		on("run.output", func(c *call, p *wire.RunParams) ([]wire.Chunk, error) {
			b, err := c.holdRun(p.Sandbox, p.Run)
			if err != nil {
				return nil, err
			}
			return appendChunks(nil, b.Kept), nil
		}),
		on("run.active", activeRun),
		does("run.drop", func(c *call, p *wire.RunParams) error {
			b, err := c.holdRun(p.Sandbox, p.Run)
			if err != nil {
				return err
			}
			b.Cancel()
			b.Take()
			return nil
		}),
	}
}

// holdRun holds a sandbox whose run, going on or just ended, has an id.
func (c *call) holdRun(handle int64, run string) (*sandbox, error) {
	b, err := c.hold(handle)
	return thatRuns(b, run, err)
}

// holdActive holds a sandbox in which a run with an id goes on: what is given to
// one that has ended would stay in the sandbox.
func (c *call) holdActive(handle int64, run string) (*sandbox, error) {
	b, err := c.holdRun(handle, run)
	if err == nil && !b.M.Run.Active {
		return nil, runGone(run)
	}
	return b, err
}

func thatRuns(b *sandbox, run string, err error) (*sandbox, error) {
	if err == nil && (b.M.RunID != run || run == "") {
		return nil, runGone(run)
	}
	return b, err
}

func runGone(run string) error {
	return fault.New(fault.RunGone, "run", run, "the run has ended, or its sandbox went back to a state without it")
}

// leaveNote tells the holder of the sandbox, without its lock, what to do with the run.
func (c *call) leaveNote(p *wire.CancelParams, suspend bool) error {
	b, err := c.find(p.Sandbox)
	if err != nil {
		return err
	}
	if old := b.note.Load(); suspend && old != nil && !old.suspend && old.run == p.Run {
		return nil // it is being cancelled
	}
	b.note.Store(&note{run: p.Run, suspend: suspend})
	return nil
}

// asked gives what a note wants of the run at hand.
func (b *sandbox) asked() *note {
	n := b.note.Load()
	if n == nil || n.run != "" && n.run != b.M.RunID {
		return nil
	}
	return n
}

// toCancel reports whether the run at hand is as good as ended: whoever looks at it next ends it.
func (b *sandbox) toCancel() bool {
	n := b.asked()
	return n != nil && !n.suspend
}

func start(c *call, p *wire.StartParams) (*sandbox, error) {
	b, err := c.hold(p.Sandbox)
	if err == nil {
		if b.toCancel() {
			b.Cancel() // nobody has driven it since that was asked
		}
		err = b.Busy("start")
	}
	if err != nil {
		return nil, err
	}
	b.tick(c)
	_, err = b.Begin(core.Start{Script: p.Script, Argv: p.Argv, Stdin: p.Stdin, Open: p.Pipe, Env: p.Env, Cwd: p.Dir, Timeout: p.Timeout,
		Limits: p.Limits, Suspend: p.Suspend, Keep: p.Keep})
	if err != nil {
		return nil, err
	}
	b.note.Store(nil) // what was asked of a run before this one
	b.slept, b.meter = 0, b.M.Meter.Time
	return b, nil
}

// pace is how far one call may drive a run.
type pace struct {
	ns    int64
	steps int64 // safe points; 0 is no bound
	taken int   // streams of which the caller keeps the output, so the run need not: their sum
}

// slice is the host of a machine for one call.
type slice struct {
	*sandbox
	server *Server
	began  time.Time
	length time.Duration
	steps  int64 // left of those the call may take; 0 is no bound
	asked  bool  // for the time
	left   int64 // ns of the run's time when the call began; -1 is no bound
	want   Wanted
	look   time.Duration // since the call began: when it is asked again
	ended  bool          // it said so
}

// Now is the host's time; in a virtual world, whose budgets may not depend on
// the host, it is the world's own. The first time it is that of the call.
func (s *slice) Now() int64 {
	switch {
	case s.M.Clock.Virtual:
		return s.M.Clock.Now
	case !s.asked:
		s.asked = true
		return s.began.UnixNano()
	}
	return s.began.UnixNano() + int64(time.Since(s.began)) // which reads one clock, not two
}

// Expired reports whether the slice is over or somebody wants something.
func (s *slice) Expired() bool {
	if s.steps > 0 {
		if s.steps--; s.steps == 0 {
			return true
		}
	}
	return s.note.Load() != nil || s.closed.Load() || s.server.closing.Load() || time.Since(s.began) >= s.length
}

// Room has garbage collected before n bytes are taken that would not fit beside it.
func (s *slice) Room(n int64) { collector.room(n) }

// Midway says whether a step that takes long goes on.
func (s *slice) Midway() shell.Midway {
	n := s.note.Load()
	wanted := n != nil && (n.run == "" || n.run == s.M.RunID)
	switch {
	case s.closed.Load() || s.server.closing.Load(), wanted && !n.suspend:
		return shell.Cancelled
	case wanted:
		return shell.ToSuspend
	case s.interrupted():
		return shell.Cancelled
	case s.left >= 0 && int64(time.Since(s.began)) >= s.left:
		return shell.OutOfTime
	}
	return shell.GoOn
}

// interrupted reports whether the host wants the run to end: it is asked once in the length of a slice.
func (s *slice) interrupted() bool {
	if s.want == nil || s.ended {
		return s.ended
	}
	if now := time.Since(s.began); now >= max(s.look, usualSlice) {
		s.ended = s.want()
		s.look = time.Since(s.began) + usualSlice
	}
	return s.ended
}

// drives binds a method that moves a run: f gives the sandbox, held, and how
// far it may go.
func drives[P any](name string, f func(c *call, p *P) (*sandbox, pace, error)) binding {
	b := on(name, func(*call, *P) (wire.Output, error) { return wire.Output{}, nil })
	used := sync.Pool{New: func() any { return new(P) }}
	b.handle = func(c *call, params []byte) (Reply, error) {
		p := used.Get().(*P)
		defer func() {
			var none P
			*p = none
			used.Put(p)
		}()
		if err := wire.Params(params, p); err != nil {
			return Reply{}, badParams(err)
		}
		b, far, err := f(c, p)
		if err != nil {
			return Reply{}, err
		}
		return c.drive(b, far)
	}
	return b
}

// drive moves the run for a slice and says why it came back.
func (c *call) drive(b *sandbox, far pace) (Reply, error) {
	length := time.Duration(far.ns)
	if length <= 0 {
		length = usualSlice
	}
	s := &c.slice
	*s = slice{sandbox: b, server: c.Server, began: c.now(), length: min(length, longestSlice), steps: far.steps, left: -1, want: c.want}
	if far.steps > 0 {
		b.M.EachStep(true)
		defer b.M.EachStep(false)
	}
	if left, ok := b.TimeLeft(); ok {
		s.length, s.left = min(s.length, time.Duration(left)), left
	}
	if r, ok, err := c.shown(b, far.taken); ok {
		return r, err
	}
	if b.slept != 0 {
		b.Slept(min(s.began.UnixNano(), b.wake+int64(lag)) - b.slept)
		b.slept = 0
	}
	if r, ok, err := c.obey(b); ok {
		return r, err
	}
	outcome, until := s.advance()
	if r, ok, err := c.shown(b, far.taken); ok {
		return r, err
	}
	if outcome != shell.Done {
		if r, ok, err := c.obey(b); ok {
			return r, err
		}
	}
	return c.answer(b, outcome, until)
}

// lag is how much later than asked for a caller who waits may come back, and all of the time
// is the run's: ten thousand short sleeps are late by seconds. Who comes later was away.
const lag = 10 * time.Millisecond

// advance moves the run, with the collector minding its memory.
func (s *slice) advance() (shell.Outcome, int64) {
	defer collector.leave(collector.enter(s.M.Limits.Memory))
	if s.goesOn {
		collector.mind()
	}
	outcome, until := s.Advance(s)
	if outcome == shell.Done && (s.goesOn || time.Since(s.began) >= usualSlice) {
		collector.giveBack()
	}
	s.goesOn = outcome != shell.Done
	return outcome, until
}

// shown gives the first of the output to a caller who keeps it, as a slice of its
// own. What he has not got stays in the World, whoever saves or forks it meanwhile,
// and why the run came back is for a step that finds no output. Only the last output
// of a run that has ended comes with its end.
func (c *call) shown(b *sandbox, taken int) (Reply, bool, error) {
	if taken == 0 || !b.M.Run.Active && len(b.M.IO.Out) < 2 {
		return Reply{}, false, nil
	}
	first := b.TakeFirst(taken)
	if first == nil {
		return Reply{}, false, nil
	}
	out := wire.Slice{Output: wire.Output{Run: b.M.RunID, Output: appendChunks(c.chunks[:0], first)}}
	r, err := say(wire.TagSlice, &out.Output, &out, usualBody)
	return r, true, err
}

// obey does what a note asks, if there is one for this run.
func (c *call) obey(b *sandbox) (Reply, bool, error) {
	n := b.asked()
	if n == nil {
		if late := b.note.Load(); late != nil {
			b.note.CompareAndSwap(late, nil) // of a run that is over: it would end every slice of this one
		}
		return Reply{}, false, nil
	}
	if !b.M.Run.Active {
		return Reply{}, false, nil
	}
	b.note.CompareAndSwap(n, nil)
	if n.suspend {
		b.Rest()
		out := wire.Suspended{Output: c.output(b)}
		r, err := say(wire.TagSuspended, &out.Output, &out, usualBody)
		return r, true, err
	}
	b.Cancel()
	r, err := c.answer(b, shell.Done, 0)
	return r, true, err
}

// output takes the output so far, which every answer of a run begins with.
func (c *call) output(b *sandbox) wire.Output {
	return wire.Output{Run: b.M.RunID, Output: appendChunks(c.chunks[:0], b.Take())}
}

// manyPieces is from how many pieces on output is given in one for each stream: a
// short piece takes its reader ten times its bytes, and as much time as running the command that wrote it.
const manyPieces = 256

// joined puts pieces together by stream, with the order they came in behind them.
func joined(to []wire.Chunk, taken []shell.Chunk) []wire.Chunk {
	var size [2]int
	for _, c := range taken {
		size[c.Stream-1] += len(c.Data)
	}
	out, err, order := make([]byte, 0, size[0]), make([]byte, 0, size[1]), make([]byte, 0, 4*len(taken))
	for _, c := range taken {
		length := int32(len(c.Data))
		if c.Stream == 1 {
			out = append(out, c.Data...)
		} else {
			err, length = append(err, c.Data...), -length
		}
		order = binary.LittleEndian.AppendUint32(order, uint32(length))
	}
	return append(to, wire.Chunk{FD: 1, Data: out}, wire.Chunk{FD: 2, Data: err}, wire.Chunk{Data: order})
}

// usualBody is a guess of the bytes of an answer besides its output.
const usualBody = 256

// say makes an answer of a run.
// more is a guess of its length besides the output.
func say(tag wire.Tag, out *wire.Output, body any, more int) (Reply, error) {
	size := more
	for _, c := range out.Output {
		size += len(c.Data) + 16
	}
	return encoded(tag, body, size)
}

func appendChunks(to []wire.Chunk, taken []shell.Chunk) []wire.Chunk {
	if len(taken) >= manyPieces {
		return joined(to, taken)
	}
	to = slices.Grow(to, len(taken))
	for _, c := range taken {
		to = append(to, wire.Chunk{FD: c.Stream, Data: c.Data})
	}
	return to
}

// answer says how a slice ended.
func (c *call) answer(b *sandbox, outcome shell.Outcome, until int64) (Reply, error) {
	m, o := b.M, c.output(b)
	switch outcome {
	case shell.Sliced:
		if c.slice.steps == 0 && !m.Clock.Virtual { // what it takes to give the output, and to come back, is the run's
			b.slept = c.now().UnixNano()
			b.wake = b.slept
		}
		return say(wire.TagSlice, &o, &wire.Slice{Output: o}, usualBody)
	case shell.Calls:
		c.asks = wire.Calls{Output: o, Calls: c.pending(c.wanted(b), c.asked[:0])}
		size := 64
		for _, call := range c.asks.Calls {
			size += 128 + len(call.Stdin) + len(call.Env)
		}
		return say(wire.TagCalls, &o, &c.asks, size)
	case shell.Sleeping:
		now := time.Now().UnixNano()
		wait := max(until-m.Now(), 0)
		if left, ok := b.TimeLeft(); ok {
			wait = min(wait, left)
		}
		b.slept, b.wake = now, now+wait
		return say(wire.TagSleeping, &o, &wire.Sleeping{Output: o, Until: until, Wait: wait}, usualBody)
	case shell.Input:
		return say(wire.TagInput, &o, &wire.Input{Output: o}, usualBody)
	case shell.Limited:
		return say(wire.TagLimit, &o, &wire.Limited{Output: o, Limit: m.Run.Limit}, usualBody)
	case shell.Marked:
		name := m.Run.Marks[0]
		m.Run.Marks = m.Run.Marks[1:]
		return say(wire.TagCheckpoint, &o, &wire.Checkpointed{Output: o, Name: name}, usualBody)
	}
	c.done = wire.Done{Output: o, Status: m.Run.Status, Steps: m.Meter.Steps - m.Run.Steps, Time: m.Meter.Time - b.meter,
		ErrorClass: m.Run.Class, Limit: m.Run.Limit, StdoutTruncated: m.IO.Cut[0], StderrTruncated: m.IO.Cut[1],
		Unsupported: m.IO.Missing, ToolErrors: m.IO.ToolError}
	return say(wire.TagDone, &o, &c.done, usualBody)
}

// wanted gives the unanswered tool calls, or the one that the caller asks for:
// who takes a thousand one by one should not be given a thousand each time.
func (c *call) wanted(b *sandbox) []*shell.Call {
	all := b.M.Calls
	if c.number == 0 || len(all) < 2 {
		return all
	}
	at, _ := slices.BinarySearchFunc(all, c.number, func(a *shell.Call, n int64) int { return cmp.Compare(a.Number(), n) })
	if at == len(all) {
		at = 0
	}
	return all[at : at+1]
}

// pending gives tool calls as they are sent.
func (c *call) pending(calls []*shell.Call, out []wire.Call) []wire.Call {
	out = slices.Grow(out, len(calls))
	for _, a := range calls {
		out = append(out, wire.Call{ID: a.ID, Name: a.Name, Args: a.Args, Stdin: a.Stdin, Env: c.joined(a.Env), Dir: a.Cwd, ForkedFrom: a.ForkedFrom})
	}
	return out
}

// environment is the list of a tool call, and the text it makes.
type environment struct {
	list []string
	text []byte
}

// joined gives an environment as a call has it, NAME=VALUE with a NUL behind
// each. It is the same list, which nobody changes, until a variable is exported,
// and mostly that of all sandboxes.
func (s *Server) joined(env []string) []byte {
	if len(env) == 0 {
		return nil
	}
	if last := s.lastEnv.Load(); last != nil && len(last.list) == len(env) && &last.list[0] == &env[0] {
		return last.text
	}
	n := 0
	for _, kv := range env {
		n += len(kv) + 1
	}
	text := make([]byte, 0, n)
	for _, kv := range env {
		text = append(append(text, kv...), 0)
	}
	s.lastEnv.Store(&environment{env, text})
	return text
}

func activeRun(c *call, p *wire.SandboxParams) (wire.RunInfo, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.RunInfo{}, err
	}
	m := b.M
	if !b.Going() || b.toCancel() {
		return wire.RunInfo{}, nil
	}
	r := wire.RunInfo{Run: m.RunID, Script: m.Run.Command, State: "running", Started: m.Run.Started, Steps: m.Meter.Steps - m.Run.Steps, Calls: c.pending(b.M.Calls, nil)}
	switch {
	case m.Run.Limit != "":
		r.State = "limit"
	case m.IO.InWanted:
		r.State = "input"
	case len(m.Calls) > 0:
		r.State = "calls"
	case b.slept != 0 && b.wake > b.slept:
		r.State = "sleeping"
	}
	return r, nil
}
