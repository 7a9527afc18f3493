// Package jq is jq 1.7 as a machine whose running state is plain data.
//
// The model. A program's text is parsed into a tree (lexer, parser, term),
// compiled into instructions (compile) and run by a stack machine (vm) that goes
// back to forks, as jq does, for every next result. Values live in a heap with a
// collector of its own and name each other by number.
//
//	text ── parser ── compile ──► instructions
//	                                  │ pc
//	JSON ── Reader ──► input ──► Machine: values, scopes, forks, path ──► Dumper ──► output
//	                                  │
//	                                Heap: arrays and objects
//
// A Program holds all of it in exported fields but the instructions, which are compiled again
// from the text after a load. A turn runs some thousand instructions, reads at
// most 64 KiB, or writes about as much. An input that is not there yet leaves the pc at its instruction.
package jq

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// Phase is what a Program is about to do.
type Phase uint8

// The phases.
const (
	Starting Phase = iota
	Loading        // the files of -f, --slurpfile, --rawfile
	Fetching       // the next input
	Running
	Dumping // a result
	Ending
)

// Program is one running jq.
type Program struct {
	Phase   Phase   `cbor:"1,keyasint,omitempty" holds:"5"`
	Text    string  `cbor:"2,keyasint,omitempty"` // of the program
	VM      Machine `cbor:"3,keyasint,omitempty"`
	Heap    Heap    `cbor:"4,keyasint,omitempty"`
	In      Inputs  `cbor:"5,keyasint,omitempty"`
	Globals []Value `cbor:"6,keyasint,omitempty"`
	Out     Dumper  `cbor:"8,keyasint,omitempty"`
	Status  int     `cbor:"10,keyasint,omitempty"` // so far
	Last    Kind    `cbor:"11,keyasint,omitempty"` // of the last result, for -e
	Load    Loads   `cbor:"12,keyasint,omitempty"`

	driver // rebuilt when it is zero
}

// driver is what a Program needs to run and can make again.
type driver struct {
	c       *cmd.Ctx
	opts    *options
	code    *code
	budget  int
	told    int // the budget when the machine was told of the work
	wait    cmd.Next
	scratch []Value
	regexes map[string]*matcher
	held    int   // what the machine was told that the heap has, or asked for
	err     Value // on its way to a try; no turn ends before it is there
}

const turn = 20_000

// Step runs the program for one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	p.c = c
	full := c.Turn(turn)
	p.budget, p.told = full, full
	p.Heap.work, p.In.Reader.work = p, p
	p.held, p.Heap.asked = p.Heap.Size, p.Heap.Size // as it was told at the end of the last turn, which a load forgets
	p.VM.ready(p)
	p.In.Reader.part = c.Turn(longPart)
	if p.opts == nil {
		if len(p.Heap.Nodes) == 0 {
			p.Heap.Nodes = append(p.Heap.Nodes, Node{})
		}
		if status, done := p.prepare(); done {
			return cmd.Exit(status)
		}
	}
	next := cmd.Again()
	for p.budget > 0 {
		stop := false
		if next, stop = p.advance(); stop {
			break
		}
	}
	if c.Pending() > cmd.Turn && next.Op == cmd.OpAgain {
		next = cmd.WaitWrite()
	}
	p.tell()
	p.held = p.Heap.Size
	c.Hold(p.Heap.Size + p.VM.size() + len(p.In.Raw) + large.Size(p.In.Reader.Parts, p.In.Reader.Buf) + valueSize*len(p.In.Reader.Vals))
	return next
}

// spend takes work off the turn's budget, in units of some 25 ns. The machine is
// told of it when the turn is over, or before that by an operation that takes long by itself.
func (p *Program) spend(n int) {
	if p.budget -= n; p.told-p.budget > turn {
		p.tell()
	}
}

// charge spends for n bytes, or as many other things of some 3 ns.
func (p *Program) charge(n int) { p.spend(n >> 3) }

// Charge tells the machine of n units of 100 ns. It does not come off the turn's
// budget: how often a list finds no room, or a text is looked through again, is
// different after a load, but turns must not be.
func (p *Program) Charge(n int) { p.c.Charge(n) }

// Need asks the machine for n bytes beside those that were made since it was told what there is.
func (p *Program) Need(n int) {
	more := max(p.Heap.Size-p.held, 0)
	p.held += more
	p.c.Need(n + more)
}

// tell charges the machine for the work it was not told of.
func (p *Program) tell() {
	n := p.told - p.budget
	p.told = p.budget
	p.c.Charge(max(n, 1) / 4)
}

// say writes to the standard error.
func (p *Program) say(parts ...string) {
	for _, s := range parts {
		p.c.Errout.B = large.Push(p.c.Errout.B, s, p)
	}
}

// prepare reads the command line, the first time and after a load, and compiles again after a load.
func (p *Program) prepare() (status int, done bool) {
	opts, status, done := parseOptions(p.c)
	if done {
		return status, true
	}
	p.opts = opts
	p.In.Reader.stream, p.In.Reader.seq, p.In.Reader.eof = opts.stream, opts.seq, p.atEnd()
	if p.Phase > Loading {
		if status, ok := p.compile(); !ok {
			return status, true
		}
	}
	return 0, false
}

// advance does the next part of the work. stop ends the turn with next.
func (p *Program) advance() (next cmd.Next, stop bool) {
	if p.c.Pending() > cmd.Turn || p.c.Out.Len() > cmd.Turn {
		return cmd.Again(), true
	}
	switch p.Phase {
	case Starting:
		p.Text = p.opts.text
		p.Phase = Loading
		if len(p.opts.files) > 0 {
			// jq compiles its library before it opens a file. The rest of a pipeline has started by then:
			// "jq . f | tee f" finds f empty.
			return cmd.WaitWrite(), true
		}
	case Loading:
		return p.loadNext()
	case Fetching:
		return p.fetch()
	case Running:
		return p.runOn()
	case Dumping:
		if p.dump() {
			p.Phase = Running
		}
	case Ending:
		return cmd.Exit(p.exitStatus()), true
	}
	return next, false
}

// exitStatus is the status of jq.
func (p *Program) exitStatus() int {
	switch {
	case p.Status != 0 || !p.opts.exit:
		return p.Status
	case p.Last == None:
		return 4
	case p.Last <= False:
		return 1
	}
	return 0
}

// fetch takes the next input and starts the program with it.
func (p *Program) fetch() (cmd.Next, bool) {
	if p.opts.null {
		if p.In.Begun {
			p.Phase = Ending
			return cmd.Next{}, false
		}
		p.In.Begun = true
		p.VM.begin(null, p.Globals)
		p.Phase = Running
		return cmd.Next{}, false
	}
	v, got, msg := p.input()
	switch got {
	case gotValue:
		p.VM.begin(v, p.Globals)
		p.Phase = Running
	case gotPause:
		return p.wait, true
	case gotError:
		p.badInput(msg)
	default:
		p.Phase = Ending
	}
	return cmd.Next{}, false
}

// badInput reports a syntax error of the input, which ends jq.
func (p *Program) badInput(msg string) {
	p.c.Errout.WriteString("jq: parse error: " + msg + "\n")
	p.Status, p.Phase = 2, Ending
}

// runOn runs the program until something is to be done outside.
func (p *Program) runOn() (cmd.Next, bool) {
	switch p.run() {
	case runTurn:
		return cmd.Again(), true
	case runWait:
		return p.wait, true
	case runResult:
		v := p.VM.Stack[p.VM.Top].V
		p.Last = v.K
		p.begin(v)
		p.Phase = Dumping
	case runHalt:
		p.Phase = Ending
		return cmd.Exit(p.Status), true
	case runEnd:
		p.Phase = Fetching
	case runError:
		p.report()
		p.Phase = Fetching
	}
	return cmd.Next{}, false
}

// report writes the error that nobody caught.
func (p *Program) report() {
	e := p.err
	p.err = empty
	p.Status = 5
	p.say("jq: error (at ", p.In.where(), ")")
	switch e.K {
	case Break:
		p.say(": break\n")
	case String:
		p.say(": ", e.S, "\n")
	default:
		p.say(" (not a string): ", p.json(e), "\n")
	}
}

// raise makes an error with a message. It is false, for the caller to give back.
func (p *Program) raise(format string, args ...any) bool {
	p.err = str(fmt.Sprintf(format, args...))
	return false
}

// compile compiles the text and reports what is wrong with it.
func (p *Program) compile() (status int, ok bool) {
	e, err := parseProgram(p.Text)
	if err == nil {
		p.code, err = compileProgram(e, p.opts.variables())
	}
	if err == nil {
		return 0, true
	}
	s := err.(*SyntaxError)
	line, text := lineOf(p.Text, s.Pos)
	before := p.Text[:min(max(s.Pos, 0), len(p.Text))]
	pad := strings.Repeat(" ", len(before)-strings.LastIndexByte(before, '\n')-1)
	fmt.Fprintf(&p.c.Errout, "jq: error: %s at <top-level>, line %d:\n%s%s\njq: 1 compile error\n", s.Msg, line, text, pad)
	return 3, false
}
