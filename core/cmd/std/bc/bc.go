// Package bc is bc(1), the calculator language, as GNU bc 1.07.1 speaks it.
//
// A unit (a line of statements, or a function) is compiled as soon as it is
// complete; the code, the stack and the variables are plain data, and a
// turn runs some of it. The mathematics library is a program of this language.
package bc

import (
	"math"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Command is bc.
func Command() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	return &cmd.Command{
		Name: "bc", Summary: "an arbitrary precision calculator language", Usage: "bc [options] [file ...]", Origin: "GNU bc 1.07.1",
		Options: []cmd.Option{
			o('h', "help", "print this usage and exit"), o('i', "interactive", "force interactive mode"),
			o('l', "mathlib", "use the predefined math routines"), o('q', "quiet", "don't print initial banner"),
			{Short: 's', Long: "standard", Help: "non-standard bc constructs are errors", Missing: true},
			{Short: 'w', Long: "warn", Help: "warn about non-standard bc constructs", Missing: true},
			o('v', "version", "print version information and exit"),
		},
		Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// Items is an array: its elements that were ever set.
type Items map[int64]Num

// Value is a number, or an array handed to a function.
type Value struct {
	Num  Num  `cbor:"1,keyasint,omitempty"`
	Heap int  `cbor:"2,keyasint,omitempty"` // 1 + the array's place
	Void bool `cbor:"3,keyasint,omitempty"` // of a function that gives none
}

// Saved is what a name meant before a function took it.
type Saved struct {
	Name  string `cbor:"1,keyasint,omitempty"`
	Array bool   `cbor:"2,keyasint,omitempty"`
	Heap  int    `cbor:"3,keyasint,omitempty"`
	Num   Num    `cbor:"4,keyasint,omitempty"`
}

// Call is a function that is running.
type Call struct {
	Name  string  `cbor:"1,keyasint,omitempty"`
	Back  int     `cbor:"2,keyasint,omitempty"` // where its caller goes on
	Base  int     `cbor:"3,keyasint,omitempty"` // height of the stack
	Heap  int     `cbor:"4,keyasint,omitempty"` // arrays there were
	Saved []Saved `cbor:"5,keyasint,omitempty"`
}

// Program is a running bc.
type Program struct {
	In   cmd.Input `cbor:"1,keyasint,omitempty"`
	Text []byte    `cbor:"2,keyasint,omitempty"` // lines that are not compiled yet
	Line int       `cbor:"3,keyasint,omitempty"` // lines of the file before them
	File string    `cbor:"4,keyasint,omitempty"` // as messages call it

	State  State           `cbor:"6,keyasint,omitempty"`
	Funcs  map[string]Func `cbor:"7,keyasint,omitempty"`
	Code   []Op            `cbor:"8,keyasint,omitempty"` // of the unit
	PC     int             `cbor:"9,keyasint,omitempty" holds:"count"`
	Stack  []Value         `cbor:"10,keyasint,omitempty"`
	Calls  []Call          `cbor:"11,keyasint,omitempty"`
	Column int             `cbor:"12,keyasint,omitempty"` // of the output
	Begun  bool            `cbor:"13,keyasint,omitempty"`

	wide int // length of lines; 0: not known yet
	code []Op
	name string // of the function code is of
}

// Wrong checks the bases, and the arrays that names, calls and values lead to.
func (p *Program) Wrong(*cmd.Ctx) string {
	if p.Begun && (p.State.In < 2 || p.State.In > 36 || p.State.Out < 2 || p.State.Out > math.MaxInt32) {
		return "a base that cannot be"
	}
	arrays := len(p.State.Heap)
	for _, at := range p.State.Arrays {
		if at < 0 || at >= arrays {
			return noArray
		}
	}
	for _, v := range p.Stack {
		if v.Heap < 0 || v.Heap > arrays || v.Num.wrong() {
			return noArray
		}
	}
	for _, items := range p.State.Heap {
		for _, n := range items {
			if n.wrong() {
				return noNumber
			}
		}
	}
	for _, n := range p.State.Vars {
		if n.wrong() {
			return noNumber
		}
	}
	if p.State.Last.wrong() {
		return noNumber
	}
	return p.wrongCalls()
}

const (
	noArray  = "an array that is not there"
	noNumber = "a number that cannot be"
)

// wrongCalls checks what the calls give back when they end: the arrays that are there when they do.
func (p *Program) wrongCalls() string {
	arrays := len(p.State.Heap)
	for i := len(p.Calls) - 1; i >= 0; i-- {
		call := &p.Calls[i]
		if call.Heap < 0 || call.Base < 0 || call.Back < 0 {
			return "a call that does not end"
		}
		arrays = min(arrays, call.Heap)
		for _, s := range call.Saved {
			if s.Num.wrong() {
				return noNumber
			}
			if s.Array && (s.Heap < 0 || s.Heap > arrays) {
				return noArray
			}
		}
	}
	return ""
}

// Interprets says that a Program runs instructions on what was saved.
func (p *Program) Interprets() {}

// State is what variables hold.
type State struct {
	Vars   map[string]Num `cbor:"1,keyasint,omitempty"`
	Arrays map[string]int `cbor:"2,keyasint,omitempty"` // places in Heap
	Heap   []Items        `cbor:"3,keyasint,omitempty"`
	Scale  int            `cbor:"4,keyasint,omitempty" holds:"2147483647"`
	In     int64          `cbor:"5,keyasint,omitempty"` // base
	Out    int64          `cbor:"6,keyasint,omitempty"`
	Last   Num            `cbor:"7,keyasint,omitempty"`
}

// Step compiles and runs for a turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if len(c.Args) > 0 && c.Args[len(c.Args)-1] != "-" {
		c.Args = append(c.Args[:len(c.Args):len(c.Args)], "-")
	}
	if p.State.Vars == nil {
		p.State.Vars = map[string]Num{}
	}
	if p.State.Arrays == nil {
		p.State.Arrays = map[string]int{}
	}
	if p.Funcs == nil {
		p.Funcs = map[string]Func{}
	}
	if !p.Begun {
		p.begin(c)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.PC < len(p.Code) || len(p.Calls) > 0 {
		if status, over := p.run(c); over {
			return cmd.Exit(status)
		}
		c.Flush()
		return cmd.Again()
	}
	if len(p.Text) > 0 {
		if compiled, over := p.compile(c); over {
			return cmd.Exit(p.In.Status)
		} else if compiled {
			return cmd.Again()
		}
	}
	return p.read(c)
}

func (p *Program) begin(c *cmd.Ctx) {
	p.Begun, p.File = true, "(standard_in)"
	p.State.In, p.State.Out = 10, 10
	if !c.Flags.Has("l") {
		return
	}
	p.State.Scale = 20
	l := &lexer{text: library, eof: true}
	for l.at < len(l.text) {
		u := &parser{l: l}
		if u := u.unit(); u != nil && u.fn != nil {
			for i := range u.fn.Code {
				if u.fn.Code[i].Code == opConst {
					u.fn.Code[i].N = 1
				}
			}
			p.Funcs[u.name] = *u.fn
		}
	}
}

// compile makes code of the next unit of the text. over says that it is "quit".
func (p *Program) compile(c *cmd.Ctx) (done, over bool) {
	l := &lexer{text: string(p.Text), line: p.Line, eof: p.In.Ended(), work: c}
	u := &parser{l: l}
	made := u.unit()
	c.Charge(l.at / 8)
	if u.quit {
		return false, true
	}
	if u.err != nil {
		return false, false
	}
	for _, m := range l.moans {
		c.Errout.WriteString(p.File + " " + itoa(m.line) + ": " + m.text + "\n")
	}
	p.Text, p.Line = p.Text[min(l.at, len(p.Text)):], l.line
	if u.bad || u.failed || l.illegal || made == nil {
		return true, false
	}
	if made.fn != nil {
		p.Funcs[made.name] = *made.fn
		return true, false
	}
	p.Code, p.PC, p.code = made.code, 0, nil
	return true, false
}

// read takes more lines.
func (p *Program) read(c *cmd.Ctx) cmd.Next {
	if p.In.Ended() && len(p.Text) == 0 {
		p.Line = 0
	}
	if i := p.In.I; (!p.In.Opened || p.In.Ended()) && i < len(c.Args) && c.Args[i] != "-" {
		fd, err := c.Open(c.Args[i], vfs.O_RDONLY, 0)
		if err != nil {
			c.Errout.WriteString("File " + c.Args[i] + " is unavailable.\n")
			return cmd.Exit(1)
		}
		c.Close(fd)
	}
	count := p.In.Count
	next, ok := p.In.Turn(c)
	if p.In.Count > count {
		if p.File = "(standard_in)"; p.In.Name(c) != "-" {
			p.File = p.In.Name(c)
		}
	}
	if !ok {
		return next
	}
	for line, ok := p.In.Next('\n'); ok; line, ok = p.In.Next('\n') {
		p.Text = append(p.Text, line...)
		if !p.In.Bare() {
			p.Text = append(p.Text, '\n')
		}
	}
	p.In.Kept = len(p.Text)
	return cmd.Again()
}

// out writes text, cutting lines as bc does.
func (p *Program) out(c *cmd.Ctx, s string) {
	if p.wide == 0 {
		p.wide = 70
		if v, ok := c.Getenv("BC_LINE_LENGTH"); ok {
			n := 0
			for _, b := range []byte(strings.TrimSpace(v)) {
				if b < '0' || b > '9' {
					n = -1
					break
				}
				n = min(n*10+int(b-'0'), 1<<30)
			}
			if n == 0 {
				p.wide = 1 << 60
			} else if n > 2 {
				p.wide = n
			}
		}
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			p.Column = 0
		} else if p.Column++; p.Column == p.wide-1 {
			c.Out.WriteString("\\\n")
			p.Column = 1
		}
		c.Out.WriteByte(s[i])
	}
}
