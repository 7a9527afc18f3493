package sed

import (
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/core/regex"
	"eryxsh/vfs"
)

// Range is where the range of a command stands.
type Range struct {
	Active bool  `cbor:"1,keyasint,omitempty"`
	Closed bool  `cbor:"2,keyasint,omitempty"` // it does not begin again
	End    int64 `cbor:"3,keyasint,omitempty"` // its last line, where that is known
}

// Output is a file being written.
type Output struct {
	FD      int  `cbor:"1,keyasint,omitempty" holds:"count"`
	Missing bool `cbor:"2,keyasint,omitempty"` // the last line had no newline: one comes before more text
}

// Reader is a file that R reads line by line.
type Reader struct {
	FD     int       `cbor:"1,keyasint,omitempty"` // negative: it cannot be read
	Opened bool      `cbor:"2,keyasint,omitempty"`
	Lines  cmd.Lines `cbor:"3,keyasint,omitempty"`
}

// Append is something to write at the end of the cycle.
type Append struct {
	Text []byte `cbor:"1,keyasint,omitempty"`
	File string `cbor:"2,keyasint,omitempty"` // or its content
	FD   int    `cbor:"3,keyasint,omitempty"` // of it, when Open
	Open bool   `cbor:"4,keyasint,omitempty"`
}

// Phases of a Program.
const (
	phaseScript uint8 = iota // reading the files of -f
	phaseOpen                // opening the files to write
	phaseRead                // about to read a line
	phaseRun                 // running commands
	phaseEnd                 // the end of the cycle
	phaseAppend              // writing what a, r and R left
	phaseClose               // ending
)

// Program is a running sed.
type Program struct {
	Phase  uint8 `cbor:"1,keyasint,omitempty" holds:"6"`
	Loader `cbor:"2,keyasint,omitempty"`
	In     input `cbor:"3,keyasint,omitempty"`
	Text   `cbor:"4,keyasint,omitempty"`
	Cycle  `cbor:"5,keyasint,omitempty"`
	Files  `cbor:"6,keyasint,omitempty"`
	Ranges []Range `cbor:"7,keyasint,omitempty"`               // by command
	Last   int     `cbor:"8,keyasint,omitempty" holds:"count"` // 1 + the number of the expression used last
	Status int     `cbor:"9,keyasint,omitempty"`

	caches
}

// fits reports whether what was saved is of the script.
func (p *Program) fits() bool {
	s := p.script
	return p.Phase <= phaseOpen || len(p.Ranges) == len(s.commands) && len(p.Readers) == len(s.reads) && len(p.Outs) == 1+len(s.files) &&
		p.PC <= len(s.commands) && p.Last <= len(p.regs)
}

// Loader is the script while it is being read, and then its source.
type Loader struct {
	Sources  []Source `cbor:"1,keyasint,omitempty"`
	SourceFD int      `cbor:"2,keyasint,omitempty" holds:"count"` // 1 + the descriptor of the source being read
}

// Text is what the commands work on.
type Text struct {
	Space    []byte `cbor:"1,keyasint,omitempty"` // the pattern space
	Chomped  bool   `cbor:"2,keyasint,omitempty"` // its line had a newline
	Hold     []byte `cbor:"3,keyasint,omitempty"`
	HoldBare bool   `cbor:"4,keyasint,omitempty"` // the line of the hold space had no newline
}

// Cycle is how far the present cycle is, and how it will end.
type Cycle struct {
	PC       int  `cbor:"1,keyasint,omitempty" holds:"count"`
	Stage    int  `cbor:"2,keyasint,omitempty" holds:"count"` // how far a command is that had to wait
	Done     bool `cbor:"3,keyasint,omitempty"`               // the line was replaced: for t and T
	Silent   bool `cbor:"5,keyasint,omitempty"`               // it ends without printing
	Keep     bool `cbor:"6,keyasint,omitempty"`               // D: the next one does not read
	Quit     bool `cbor:"7,keyasint,omitempty"`
	Quitting bool `cbor:"8,keyasint,omitempty"` // by q, which completes the last line
}

// Files are the files of the script, and what is to be written at the end of the cycle.
type Files struct {
	Outs    []Output  `cbor:"1,keyasint,omitempty"` // the main output, then script.files
	Readers []Reader  `cbor:"2,keyasint,omitempty"`
	Queue   []Append  `cbor:"3,keyasint,omitempty"`
	Child   childWait `cbor:"4,keyasint,omitempty"`
}

// caches are made again after a load.
type caches struct {
	script *script
	o      *settings
	spare  []byte
	loc    []int
	regs   []*pattern
	index  map[*pattern]int
	out    [][]byte // not handed to the system yet, by output
	broken bool     // a write failed
	work   int      // steps of matching, and an eighth of what was written, not counted yet
	meter  large.Meter
	told   func(int) // the meter's Charge
}

// settings are the flags; a cache.
type settings struct {
	options
	quiet    bool
	separate bool
	inPlace  bool
	suffix   string
	follow   bool
	flush    bool
	delim    byte
	width    int
}

// budget is how many units of work one Step may take; a command takes one and more for the text it moves.
const budget = 1 << 15

// Step runs a bounded number of commands.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil && !p.readFlags(c) {
		return cmd.Exit(1)
	}
	if p.Phase == phaseScript {
		if next, ok := p.gather(c); !ok {
			return next
		}
	}
	if p.script == nil {
		s, err := parse(p.Sources, p.o.options)
		if err != nil {
			p.script = s
			p.open(c) // GNU sed makes the files as it reads their names
			c.Errorf("%s", err)
			status := 1
			if e, ok := err.(*parseError); ok && e.panic {
				status = 4
			}
			return cmd.Exit(status)
		}
		p.script = s
		p.o.quiet = p.o.quiet || s.quiet
		p.numberPatterns()
		if !p.fits() {
			return c.Unfit("it is not of this script")
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	p.meter, p.told = c, c.Charge
	full := c.Turn(budget)
	left := full
	for left > 0 && !p.broken && c.Out.Len() < cmd.Turn {
		next, again := p.turn(c, &left)
		if !again {
			p.flush(c)
			p.charge(c, full-left)
			return next
		}
	}
	p.flush(c)
	p.charge(c, full-left)
	if p.broken {
		return cmd.Exit(4)
	}
	return cmd.Again()
}

// charge accounts for the work of a turn and for what is kept.
func (p *Program) charge(c *cmd.Ctx, n int) {
	c.Charge(n + p.work/8)
	p.work = 0
	if kept := len(p.Space) + len(p.Hold); kept > cmd.Turn {
		c.Hold(kept + p.In.Lines.Size())
	}
}

// turn does one thing of the present phase; again says that there is more to do in this Step.
func (p *Program) turn(c *cmd.Ctx, left *int) (next cmd.Next, again bool) {
	switch p.Phase {
	case phaseOpen:
		if !p.open(c) {
			return cmd.Exit(4), false
		}
		if p.o.inPlace && len(c.Args) <= p.In.skip {
			c.Errorf("no input files")
			return cmd.Exit(4), false
		}
		p.Phase = phaseRead
	case phaseRead:
		if p.Keep {
			p.Keep, p.Phase, p.PC, p.Silent = false, phaseRun, 0, false
			return cmd.Next{}, true
		}
		got, next, ok := p.readLine(c, false)
		if !ok {
			return next, false
		}
		*left -= 1 + len(p.Space)/64
		if !got {
			p.Phase = phaseClose
			return cmd.Next{}, true
		}
		p.Phase, p.PC, p.Silent = phaseRun, 0, false
	case phaseRun:
		return p.run(c, left)
	case phaseEnd:
		if !p.Silent && !p.o.quiet {
			p.print(c, 0, p.Space)
		}
		if p.Quitting {
			p.begin(c, 0)
		}
		p.Phase = phaseAppend
	case phaseAppend:
		if next, ok := p.appended(c, left, 0); !ok {
			return next, false
		}
		if p.Phase = phaseRead; p.Quit {
			p.Phase = phaseClose
		}
	case phaseClose:
		p.In.close(c)
		if err := p.settle(c); err != nil {
			return cmd.Exit(4), false
		}
		return cmd.Exit(p.Status), false
	}
	return cmd.Next{}, true
}

// readFlags reads the options; false after a usage error.
func (p *Program) readFlags(c *cmd.Ctx) bool {
	o := &settings{delim: '\n', width: 70}
	o.bytes = c.Bytes()
	o.regex = regex.Options{Steps: c.RegexSteps(), Bytes: o.bytes, Charge: c.Charge, Need: c.Need}
	scripted := false
	for _, f := range c.Flags {
		switch f.Name {
		case "n":
			o.quiet = true
		case "e", "f":
			scripted = true
		case "E", "r":
			o.extended = true
		case "follow-symlinks":
			o.follow = true
		case "i":
			o.inPlace, o.separate, o.suffix = true, true, f.Value
		case "l":
			o.width = number0(f.Value)
		case "posix":
			o.posix = true
		case "s":
			o.separate = true
		case "sandbox":
			o.sandbox = true
		case "u":
			o.flush = true
		case "z":
			o.zero, o.delim = true, 0
		}
	}
	if cols, _ := c.Getenv("COLS"); number0(cols) > 1 && !c.Flags.Has("l") {
		o.width = number0(cols) - 1
	}
	if _, ok := c.Getenv("POSIXLY_CORRECT"); ok {
		o.posix = true
	}
	if !scripted && len(c.Args) == 0 {
		c.TryHelp()
		return false
	}
	p.o = o
	p.In.skip = 0
	if !scripted {
		p.In.skip = 1
	}
	return true
}

// number0 is atoi.
func number0(s string) int {
	n := 0
	for _, b := range []byte(s) {
		if b < '0' || b > '9' {
			break
		}
		n = min(n*10+int(b-'0'), 1<<30)
	}
	return n
}

// gather collects the script.
func (p *Program) gather(c *cmd.Ctx) (cmd.Next, bool) {
	if len(p.Sources) == 0 {
		for _, f := range c.Flags {
			switch f.Name {
			case "e":
				p.Sources = append(p.Sources, Source{Text: []byte(f.Value), Read: true})
			case "f":
				p.Sources = append(p.Sources, Source{File: f.Value})
			}
		}
		if len(p.Sources) == 0 {
			p.Sources = []Source{{Text: []byte(c.Args[0]), Read: true}}
		}
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		if s.Read {
			continue
		}
		if p.SourceFD == 0 {
			fd := 0
			if s.File != "-" && s.File != "/dev/stdin" {
				var err error
				if fd, err = c.Open(s.File, vfs.O_RDONLY, 0); err != nil {
					c.Errorf("couldn't open file %s: %s", s.File, err)
					return cmd.Exit(4), false
				}
			}
			p.SourceFD = fd + 1
		}
		n := len(s.Text)
		s.Text = large.Room(s.Text, cmd.Turn, c)[:n+cmd.Turn]
		got, err := c.Read(p.SourceFD-1, s.Text[n:])
		s.Text = s.Text[:n+got]
		if held := p.sourceSize(); held > cmd.Turn {
			c.Hold(held)
		}
		switch err {
		case nil:
			return cmd.Again(), false
		case cmd.ErrBlocked:
			return cmd.WaitRead(p.SourceFD - 1), false
		case io.EOF:
		default:
			c.Errorf("read error on %s: %s", s.File, err)
			return cmd.Exit(4), false
		}
		if p.SourceFD > 1 {
			c.Close(p.SourceFD - 1)
		}
		p.SourceFD, s.Read = 0, true
		if n := len(s.Text); n > 0 && s.Text[n-1] == '\n' {
			s.Text = s.Text[:n-1]
		}
	}
	p.Phase = phaseOpen
	return cmd.Next{}, true
}

// sourceSize is how much the script takes, as far as it is read.
func (p *Program) sourceSize() (size int) {
	for i := range p.Sources {
		size += len(p.Sources[i].Text)
	}
	return size
}

// numberPatterns lists the regular expressions, so that the last one used can be saved as a number.
func (p *Program) numberPatterns() {
	p.index = map[*pattern]int{}
	add := func(re *pattern) {
		if re != nil {
			p.index[re] = len(p.regs)
			p.regs = append(p.regs, re)
		}
	}
	for i := range p.script.commands {
		cmd := &p.script.commands[i]
		if cmd.a1 != nil {
			add(cmd.a1.re)
		}
		if cmd.a2 != nil {
			add(cmd.a2.re)
		}
		if cmd.sub != nil {
			add(cmd.sub.re)
		}
	}
}

// regexp gives the expression of a pattern: itself, or the last one used.
func (p *Program) regexp(re *pattern) *regex.Regexp {
	if re.re != nil {
		p.Last = p.index[re] + 1
		re.re.Meter(p.told)
		return re.re
	}
	if p.Last == 0 {
		return nil
	}
	last := p.regs[p.Last-1].re
	last.Meter(p.told)
	return last
}
