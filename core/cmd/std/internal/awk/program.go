// Package awk is awk as gawk 5.2 runs it, as a machine whose running state is
// plain data.
//
// The model. Program text is cut into tokens (lexer), parsed into a tree
// (parser) and compiled to a flat list of instructions (compile) for a stack
// machine (vm). The functions come first, then BEGIN, then the main loop
// with the rules, then END; opMain reads a record and leaves the loop at the end.
//
//	source ── lexer ── parser ── compile ──► instructions
//	                                            │ pc
//	stack of values, frames, for-in lists ◄── vm ──► variables, arrays (heap)
//	                                            │
//	             record and fields ◄── readers, streams ──► files, pipes, children
//
// A Program holds the text, the pc and all values in exported fields; the
// instructions are compiled again after a load. A turn runs some thousand
// instructions. What may block (getline, print to a pipe, system, close) leaves
// the pc at its own instruction with its operands still on the stack, and
// does its work when it is run again; so every state between two instructions can be saved.
//
// Arrays live in a heap and values name them by number, so that nothing points
// anywhere. An array passed to a function is its number; a variable that is still
// untyped is passed as a Ref to its place, and becomes an array there when it is used as one.
package awk

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/regex"
)

// Program is one running awk. Its numbers of fields run through the parts.
type Program struct {
	Started bool   `cbor:"1,keyasint,omitempty"`
	Units   []Unit `cbor:"2,keyasint,omitempty"`
	Control
	Memory
	Rec     Record   `cbor:"10,keyasint,omitempty"`
	In      Input    `cbor:"11,keyasint,omitempty"`
	Streams []Stream `cbor:"12,keyasint,omitempty"`
	Ended   []Ended  `cbor:"13,keyasint,omitempty"` // children that ended and nobody asked for yet
	Rand    Random   `cbor:"15,keyasint,omitempty"`
	Status  int      `cbor:"17,keyasint,omitempty"`
	Child   int      `cbor:"18,keyasint,omitempty"` // that system() waits for
	Warned  string   `cbor:"21,keyasint,omitempty"` // escapes that were warned of
	// Texts are the files of -f read so far, until the program is compiled; Source is the one being read.
	Texts  []string  `cbor:"25,keyasint,omitempty"`
	Source cmd.Whole `cbor:"26,keyasint,omitempty"`

	machine // rebuilt when it is zero
}

// Control is where a program stands.
type Control struct {
	PC     int32     `cbor:"3,keyasint,omitempty"`
	Frames []Frame   `cbor:"6,keyasint,omitempty"`
	Iters  []Iter    `cbor:"7,keyasint,omitempty"`
	Ranges []bool    `cbor:"14,keyasint,omitempty"` // patterns a,b that are between a and b
	Phase  Phase     `cbor:"16,keyasint,omitempty"`
	Sorts  []Sorting `cbor:"22,keyasint,omitempty"` // waiting for a user function
}

// Memory is all values of a program but those of the record.
type Memory struct {
	Globals []Value `cbor:"4,keyasint,omitempty"`
	Stack   []Value `cbor:"5,keyasint,omitempty"`
	Heap    []Array `cbor:"8,keyasint,omitempty"`
	Held    int     `cbor:"19,keyasint,omitempty"` // bytes in arrays, about
	// Extra are names of variables that only var=value operands mention, after those of the program.
	Extra []string  `cbor:"20,keyasint,omitempty"`
	Elems []ElemRef `cbor:"23,keyasint,omitempty"` // what references to elements stand for
}

// Phase is how far a program has come.
type Phase uint8

// The phases.
const (
	InBegin Phase = iota
	InMain
	InEnd
	Closing // waiting for children
)

// Frame is a call of a user function, or a run of BEGINFILE or ENDFILE rules.
type Frame struct {
	Return int32 `cbor:"1,keyasint,omitempty"`
	Base   int32 `cbor:"2,keyasint,omitempty"` // stack index of the first parameter
	Iters  int32 `cbor:"3,keyasint,omitempty"` // lists that were running
	Func   int32 `cbor:"4,keyasint,omitempty"` // -1: file rules
}

// Iter is a running for (k in a): the subscripts that were there when it began.
type Iter struct {
	Keys []Value `cbor:"1,keyasint,omitempty"`
	Pos  int     `cbor:"2,keyasint,omitempty"`
}

// Ended is a child that has ended.
type Ended struct {
	PID    int `cbor:"1,keyasint,omitempty"`
	Status int `cbor:"2,keyasint,omitempty"`
}

// machine is what a Program needs to run and can make again.
type machine struct {
	c       *cmd.Ctx
	code    *code
	sp      int
	budget  int // instructions, or bytes, left in this turn
	wait    cmd.Next
	regex   []*regex.Regexp          // constant ones
	cache   map[string]*regex.Regexp // dynamic ones
	text    []byte                   // scratch: text being made
	octets  bool                     // characters are bytes
	subject []byte                   // scratch: the subject of a match
	free    []int32                  // numbers of arrays that died: Home is dead
	conv    formats
	split   splitter
	tails   [8]strings.Builder // of texts that grow at their end
	told    int                // what Held was when the machine was told
	tail    int
	none    Value // a field past NF
}

// formats are the variables that say how text is made, as strings.
type formats struct {
	convfmt, ofmt, ofs, ors, subsep string
	rs                              string
	fold                            bool // IGNORECASE
}

// turn is how much one Step does: instructions, and bytes at some discount.
const turn = 20_000

// abort ends the program from anywhere below Step; only Step recovers it.
type abort struct{ status int }

const badState = "the saved state does not fit its program"

// Interprets says that a Program runs instructions on what was saved.
func (p *Program) Interprets() {}

// Step runs the program for one turn.
func (p *Program) Step(c *cmd.Ctx) (next cmd.Next) {
	p.c = c
	defer func() {
		if r := recover(); r != nil {
			a, ok := r.(abort)
			if !ok {
				panic(r)
			}
			p.Phase, p.Status = Closing, a.status
			p.save()
			next = cmd.Again()
		}
	}()
	if p.code == nil {
		if !p.Started {
			if next, ok := p.gather(); !ok {
				return next
			}
		}
		if status, ok := p.load(); !ok {
			return cmd.Exit(status)
		}
	}
	p.room(len(p.code.ins) + 64)
	full := c.Turn(turn)
	p.budget = full
	p.wait = cmd.Again()
	if p.Phase == Closing {
		next = p.finish()
	} else {
		p.run()
		next = p.wait
	}
	p.save()
	c.Charge((full - p.budget) / 8)
	p.told = p.Held
	c.Hold(p.held())
	if next.Op == cmd.OpAgain && c.Pending() > cmd.Turn {
		next.Op = cmd.OpWaitWrite
	}
	return next
}

// load compiles the program, the first time and after a load.
func (p *Program) load() (status int, ok bool) {
	first := !p.Started
	if first {
		if status, ok := p.sources(); !ok {
			return status, false
		}
	}
	code, err := compile(p.Units)
	if err != nil {
		e := err.(*SyntaxError)
		p.flushOut()
		for _, l := range e.Lines {
			for i, line := range strings.Split(l, "\n") {
				if i > 0 {
					p.c.Errout.WriteString(line + "\n")
				} else {
					p.c.Errorf("%s", line)
				}
			}
		}
		return e.Status, false
	}
	p.code = code
	p.regex = make([]*regex.Regexp, len(code.regex))
	p.cache = map[string]*regex.Regexp{}
	p.octets = p.byBytes()
	for _, name := range p.Extra {
		p.slotOf(name)
	}
	if first {
		p.Started = true
		p.Globals = make([]Value, len(code.names))
		p.Ranges = make([]bool, code.ranges)
		for _, w := range code.warn {
			p.c.Errorf("%s", w)
		}
		p.start()
	}
	if !first && !p.sound() {
		p.c.Errorf("fatal: %s", badState)
		return 2, false
	}
	p.sp = len(p.Stack)
	if p.Phase != Closing { // which may be because FS is no regular expression
		p.refresh()
	}
	return 0, true
}

// slotOf gives the slot of a global variable, and makes one if need be.
func (p *Program) slotOf(name string) int {
	i, ok := p.code.slots[name]
	if !ok {
		i = len(p.code.names)
		p.code.names = append(p.code.names, name)
		p.code.slots[name] = i
	}
	return i
}

// save puts what the machine holds into the exported fields.
func (p *Program) save() {
	p.Stack = p.Stack[:p.sp]
	for i := range p.Streams {
		p.Streams[i].In.trim()
	}
	p.In.Reader.trim()
}

// room makes sure that n values more fit on the stack.
func (p *Program) room(n int) {
	if need := p.sp + n; need > cap(p.Stack) {
		grown := make([]Value, p.sp, max(need, 2*cap(p.Stack)))
		copy(grown, p.Stack[:p.sp])
		p.Stack = grown
	}
	p.Stack = p.Stack[:cap(p.Stack)]
}

// held is about how many bytes the program holds.
func (p *Program) held() int {
	n := p.Held + 32*len(p.Stack) + p.In.held() + 2*len(p.Rec.V0.S) + 32*len(p.Rec.Fields)
	for i := range p.Globals {
		n += len(p.Globals[i].S)
	}
	for i := range p.Stack {
		n += len(p.Stack[i].S)
	}
	for i := range p.Iters {
		n += 32 * len(p.Iters[i].Keys)
	}
	for i := range p.Streams {
		n += p.Streams[i].In.held()
	}
	return n
}

// where is the place of the running instruction, for messages.
func (p *Program) where() string {
	if p.code == nil || int(p.PC) >= len(p.code.lines) {
		return ""
	}
	at := p.code.lines[p.PC]
	return p.code.units[at&255].Name + ":" + itoa(int(at>>8)) + ": "
}

// position is (FILENAME=… FNR=…) once input is being read.
func (p *Program) position() string {
	if p.In.FNR <= 0 {
		return ""
	}
	file := p.Globals[slotFILENAME]
	if file.S == "" {
		file.S = "-"
	}
	return "(FILENAME=" + file.S + " FNR=" + numberText(p.In.FNR, "%.6g") + ") "
}

// fatal ends the program with a message in gawk's form and status 2.
func (p *Program) fatal(format string, args ...any) {
	p.flushOut()
	p.c.Errorf("%s%sfatal: "+format, append([]any{p.where(), p.position()}, args...)...)
	panic(abort{2})
}

// warn writes a warning.
func (p *Program) warn(format string, args ...any) {
	p.flushOut()
	p.c.Errorf("%s%swarning: "+format, append([]any{p.where(), p.position()}, args...)...)
}
