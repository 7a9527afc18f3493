package std

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/signals"
	"eryxsh/vfs"
)

func xargs() *cmd.Command {
	return &cmd.Command{
		Name: "xargs", Acts: true, Summary: "run COMMAND with arguments INITIAL-ARGS and more arguments read from input",
		Usage: "xargs [OPTION]... COMMAND [INITIAL-ARGS]...", StopAtOperand: true, Origin: "GNU findutils 4.9.0",
		Options: []cmd.Option{
			{Short: '0', Long: "null", Help: "items are separated by a null, not whitespace; disables quote and backslash processing and logical EOF processing"},
			{Short: 'a', Long: "arg-file", Arg: cmd.Required, Meta: "FILE", Help: "read arguments from FILE, not standard input"},
			{Short: 'd', Long: "delimiter", Arg: cmd.Required, Meta: "CHARACTER", Help: "items in input stream are separated by CHARACTER, not by whitespace; disables quote and backslash processing and logical EOF processing"},
			{Short: 'E', Arg: cmd.Required, Meta: "END", Help: "set logical EOF string; if END occurs as a line of input, the rest of the input is ignored"},
			{Short: 'e', Long: "eof", Arg: cmd.Optional, Meta: "END", Help: "equivalent to -E END if END is specified; otherwise, there is no end-of-file string"},
			{Short: 'I', Arg: cmd.Required, Meta: "R", Help: "same as --replace=R"},
			{Short: 'i', Long: "replace", Arg: cmd.Optional, Meta: "R", Help: "replace R in INITIAL-ARGS with names read from standard input, split at newlines; if R is unspecified, assume {}"},
			{Short: 'L', Arg: cmd.Required, Meta: "MAX-LINES", Help: "use at most MAX-LINES non-blank input lines per command line"},
			{Short: 'l', Long: "max-lines", Arg: cmd.Optional, Meta: "MAX-LINES", Help: "similar to -L but defaults to at most one non-blank input line if MAX-LINES is not specified"},
			{Short: 'n', Long: "max-args", Arg: cmd.Required, Meta: "MAX-ARGS", Help: "use at most MAX-ARGS arguments per command line"},
			{Short: 'o', Long: "open-tty", Help: "reopen stdin as /dev/tty in the child process before executing the command", Missing: true},
			{Short: 'P', Long: "max-procs", Arg: cmd.Required, Meta: "MAX-PROCS", Help: "run at most MAX-PROCS processes at a time"},
			{Short: 'p', Long: "interactive", Help: "prompt before running commands", Missing: true},
			{Long: "process-slot-var", Arg: cmd.Required, Meta: "VAR", Help: "set environment variable VAR in child processes"},
			{Short: 'r', Long: "no-run-if-empty", Help: "if there are no arguments, then do not run COMMAND"},
			{Short: 's', Long: "max-chars", Arg: cmd.Required, Meta: "MAX-CHARS", Help: "limit length of command line to MAX-CHARS"},
			{Long: "show-limits", Help: "show limits on command-line length", Missing: true},
			{Short: 't', Long: "verbose", Help: "print commands before executing them"},
			{Short: 'x', Long: "exit", Help: "exit if the size (see -s) is exceeded"},
		},
		Class: cmd.Step, New: func() cmd.Program { return &xargsProgram{} },
	}
}

// Limits of xargs: the longest command line, and the default, as findutils has them.
const (
	xargsMaxChars     = 2 << 20
	xargsDefaultChars = 128 << 10
	xargsMaxArgs      = 200_000
)

// xargsProgram reads items, packs them into commands and runs these.
type xargsProgram struct {
	Lines  cmd.Lines `cbor:"1,keyasint,omitempty"`
	FD     int       `cbor:"2,keyasint,omitempty"`
	Opened bool      `cbor:"3,keyasint,omitempty"`

	Word   []byte `cbor:"4,keyasint,omitempty"` // the item being read
	InWord bool   `cbor:"5,keyasint,omitempty"` // it has begun, maybe as ''
	Quote  byte   `cbor:"6,keyasint,omitempty"` // ' or " or \ when inside one
	Blank  bool   `cbor:"7,keyasint,omitempty"` // the last character was a blank: the line goes on
	Ended  bool   `cbor:"8,keyasint,omitempty"` // no more items
	LineN  int    `cbor:"9,keyasint,omitempty"` // lines in Items, under -L

	Items []string `cbor:"10,keyasint,omitempty"` // for the next command
	Chars int      `cbor:"11,keyasint,omitempty"`
	Ready bool     `cbor:"12,keyasint,omitempty"` // Items are complete: run them
	Ran   bool     `cbor:"13,keyasint,omitempty"` // some command was run
	Held  []string `cbor:"21,keyasint,omitempty"` // an item that did not fit

	Slots  []int `cbor:"16,keyasint,omitempty"` // pids of running commands, 0 is free
	Status int   `cbor:"17,keyasint,omitempty"`
	Over   bool  `cbor:"18,keyasint,omitempty"` // run nothing more, wait for the rest
	NUL    bool  `cbor:"19,keyasint,omitempty"` // the warning about NUL was given
	Torn   byte  `cbor:"20,keyasint,omitempty"` // the quote that was never closed: what came before is run

	o *xargsOptions
}

type xargsOptions struct {
	delim          int // -1: words
	eof            string
	replace        string
	lines, args    int // 0: any
	chars, procs   int
	noEmpty, trace bool
	exitTooLong    bool
	slotVar        string
	command        []string
	base           int // characters of the command and its initial arguments
	file           string
}

// Step takes one turn: it reads, or starts a command, or waits.
func (p *xargsProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		c.Mute = p.Opened
		o, status := xargsParse(c)
		c.Mute = false
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if !p.Opened {
		p.Opened = true
		if p.o.file != "" && p.o.file != "-" {
			fd, err := c.Open(p.o.file, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("Cannot open input file %s: %s", quote.Locale(c, p.o.file), err)
				return cmd.Exit(1)
			}
			p.FD = fd
		}
	}
	p.reap(c)
	switch {
	case p.Over:
		if p.running() > 0 {
			return cmd.WaitChild(0)
		}
		if p.Torn != 0 && p.Status == 0 {
			p.Status = 1
		}
		return cmd.Exit(p.Status)
	case p.Ready:
		if p.running() >= len(p.Slots) && p.running() > 0 && (p.o.procs > 0 && p.running() >= p.o.procs) {
			return cmd.WaitChild(0)
		}
		if p.o.replace != "" && len(p.Items) == 0 {
			return c.Unfit("there is no item")
		}
		p.run(c)
		return cmd.Again()
	case p.Ended:
		if p.Over = true; p.Torn != 0 {
			kind := "double"
			if p.Torn == '\'' {
				kind = "single"
			}
			c.Errorf("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
		}
		return cmd.Again()
	}
	return p.read(c)
}

func (p *xargsProgram) running() int {
	n := 0
	for _, pid := range p.Slots {
		if pid != 0 {
			n++
		}
	}
	return n
}

// reap takes in the statuses of commands that have ended.
func (p *xargsProgram) reap(c *cmd.Ctx) {
	for {
		pid, status, ok := c.Reap()
		if !ok {
			return
		}
		i := slices.Index(p.Slots, pid)
		if i < 0 {
			continue
		}
		p.Slots[i] = 0
		switch {
		case status == 255:
			c.Errorf("%s: exited with status 255; aborting", p.o.command[0])
			if p.Over = true; p.Status == 0 {
				p.Status = 124
			}
		case status == 126 || status == 127:
			p.Status = 123
		case status != 0 && p.Status == 0:
			p.Status = 123
		}
	}
}

// run starts the command with the items that are there.
func (p *xargsProgram) run(c *cmd.Ctx) {
	argv := slices.Clone(p.o.command)
	if p.o.replace != "" {
		for i := 1; i < len(argv); i++ {
			argv[i] = strings.ReplaceAll(argv[i], p.o.replace, p.Items[0])
		}
	} else {
		argv = append(argv, p.Items...)
	}
	p.Items, p.Chars, p.LineN, p.Ready, p.Ran = nil, 0, 0, false, true
	if p.o.trace {
		c.Flush()
		for i, a := range argv {
			if i > 0 {
				c.Errout.WriteByte(' ')
			}
			c.Errout.WriteString(quote.Maybe(c, a))
		}
		c.Errout.WriteByte('\n')
	}
	total := 0
	for _, a := range argv {
		total += len(a) + 1
	}
	if total > p.o.chars {
		c.Errorf("argument list too long")
		p.Over, p.Status = true, 1
		return
	}
	slot := slices.Index(p.Slots, 0)
	if slot < 0 {
		slot = len(p.Slots)
		p.Slots = append(p.Slots, 0)
	}
	spawn := cmd.Spawn{Argv: argv, Stdin: -1, Default: []int{signals.USR1, signals.USR2}} // which change the number of processes
	if p.FD != 0 {
		spawn.Stdin = 0
	}
	if p.o.slotVar != "" {
		spawn.Env = setenv(slices.Clone(c.Environ()), p.o.slotVar, strconv.Itoa(slot), true)
	}
	c.Flush()
	pid, err := c.Spawn(spawn)
	if err != nil {
		c.Errorf("%s: %s", argv[0], err)
		p.Over, p.Status = true, 126
		if err == vfs.ENOENT {
			p.Status = 127
		}
		return
	}
	p.Slots[slot] = pid
}

// read takes input until a command is complete or there is no more.
func (p *xargsProgram) read(c *cmd.Ctx) cmd.Next {
	if p.held() {
		p.addHeld()
	}
	p.Lines.Goes(c)
	for !p.Ready && !p.Over && p.Torn == 0 {
		rest := p.Lines.Rest()
		if len(rest) == 0 {
			if p.Lines.Ended() {
				return p.finish(c)
			}
			switch err := p.Lines.Fill(c, p.FD); err {
			case nil, io.EOF:
				if !p.Lines.Left() {
					continue
				}
				return cmd.Again()
			case cmd.ErrBlocked:
				return cmd.WaitRead(p.FD)
			default:
				c.Errorf("read error: %s", err)
				p.Over, p.Status = true, 1
				return cmd.Again()
			}
		}
		n := 0
		for n < len(rest) && !p.Ready && !p.Over && !p.Ended && !p.held() {
			p.char(c, rest[n])
			n++
		}
		p.Lines.Skip(n)
		if len(p.Word) > p.o.chars {
			c.Errorf("argument line too long")
			p.Over, p.Status = true, 1
		}
		if p.Ended && !p.Ready && !p.Over {
			return p.finish(c)
		}
	}
	c.Hold(len(p.Word) + p.Chars + p.Lines.Size())
	return cmd.Again()
}

// held reports whether an item waits that did not fit into the command before.
func (p *xargsProgram) held() bool { return len(p.Held) > 0 }

func (p *xargsProgram) addHeld() {
	item := p.Held[0]
	p.Held = nil
	p.add(item)
}

// finish takes the last item and the last command.
func (p *xargsProgram) finish(c *cmd.Ctx) cmd.Next {
	if p.Torn != 0 {
		return cmd.Again()
	}
	if !p.Ended {
		if p.Quote == '\'' || p.Quote == '"' {
			p.unmatched()
			return cmd.Again()
		}
		p.Ended = true
		if p.InWord && (len(p.Word) > 0 || p.o.delim >= 0) {
			p.word(c)
		}
	}
	if p.held() && !p.Ready {
		p.addHeld()
	}
	if p.held() {
		// One more command follows this one.
		p.Ended = false
		return cmd.Again()
	}
	if len(p.Items) > 0 || !p.Ran && !p.o.noEmpty && p.o.replace == "" {
		p.Ready = true
	}
	return cmd.Again()
}

// unmatched ends the input at a quote that is never closed.
func (p *xargsProgram) unmatched() {
	p.Torn, p.Ended = p.Quote, true
	if p.held() {
		p.addHeld()
	}
	p.Ready = p.Ready || len(p.Items) > 0 && p.o.replace == "" && !p.o.exitTooLong
}

// char takes one byte of input.
func (p *xargsProgram) char(c *cmd.Ctx, b byte) {
	o := p.o
	if o.delim >= 0 {
		if int(b) == o.delim {
			p.InWord = true
			p.word(c)
		} else {
			p.Word, p.InWord = append(p.Word, b), true
		}
		return
	}
	switch {
	case p.Quote == '\\':
		p.Quote = 0
		p.Word, p.InWord = append(p.Word, b), true
	case p.Quote != 0:
		switch b {
		case p.Quote:
			p.Quote = 0
		case '\n':
			p.unmatched()
		default:
			p.Word = append(p.Word, b)
		}
	case b == '\n':
		blank := p.Blank
		p.Blank = false
		some := p.InWord
		if p.InWord {
			p.word(c)
		}
		if o.lines > 0 && !p.Ended && (some || len(p.Items) > 0) && !blank {
			if p.LineN++; p.LineN >= o.lines {
				p.Ready = len(p.Items) > 0
			}
		}
	case b == 0:
		if !p.NUL {
			p.NUL = true
			c.Errorf("WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?")
		}
		p.Word, p.InWord = append(p.Word, b), true
	case !p.InWord && b >= '\v' && b <= '\r': // between words all white space goes
	case b == ' ' || b == '\t':
		switch {
		case o.replace != "" && p.InWord:
			p.Word = append(p.Word, b)
		case p.InWord:
			p.word(c)
		}
		p.Blank = len(p.Items) > 0 || p.Ready
	case b == '\'' || b == '"' || b == '\\':
		p.Quote, p.InWord, p.Blank = b, true, false
	default:
		p.Word, p.InWord, p.Blank = append(p.Word, b), true, false
	}
}

// word ends an item; it reports whether it was the logical end of input.
func (p *xargsProgram) word(c *cmd.Ctx) bool {
	s, _, _ := strings.Cut(string(p.Word), "\x00") // what execve would pass
	p.Word, p.InWord = p.Word[:0], false
	if p.o.eof != "" && p.o.delim < 0 && s == p.o.eof {
		p.Ended = true
		return true
	}
	if p.o.base+len(s)+1 > p.o.chars {
		c.Errorf("argument line too long")
		p.Over, p.Status = true, 1
		return false
	}
	if p.o.base+p.Chars+len(s)+1 > p.o.chars && p.o.replace == "" || len(p.Items) >= xargsMaxArgs {
		if p.o.exitTooLong && (p.o.lines > 0 || p.o.args > 0) {
			c.Errorf("argument list too long")
			p.Over, p.Status = true, 1
			return false
		}
		p.Held, p.Ready = []string{s}, true
		return false
	}
	p.add(s)
	return false
}

// add puts an item into the next command.
func (p *xargsProgram) add(s string) {
	p.Items = append(p.Items, s)
	p.Chars += len(s) + 1
	if p.o.replace != "" || p.o.args > 0 && len(p.Items) >= p.o.args || p.o.lines > 0 && p.o.delim >= 0 && len(p.Items) >= p.o.lines {
		p.Ready = true
	}
}

// xargsParse reads the options; nil after an error, with its status.
func xargsParse(c *cmd.Ctx) (*xargsOptions, int) {
	o := &xargsOptions{delim: -1, chars: xargsDefaultChars, procs: 1, command: c.Args}
	number := func(f cmd.Flag, least int) (int, bool) {
		n, err := strconv.Atoi(strings.TrimSpace(f.Value))
		if err != nil {
			c.UsageError("invalid number \"%s\" for -%s option", f.Value, f.Name)
			return 0, false
		}
		if n < least {
			c.UsageError("value %s for -%s option should be >= %d", f.Value, f.Name, least)
			return 0, false
		}
		return n, true
	}
	// later takes the place of an option that excludes it.
	later := func(f cmd.Flag, what string) {
		for _, old := range []struct {
			set  bool
			name string
		}{{o.lines > 0, "--max-lines"}, {o.args > 0, "--max-args"}, {o.replace != "", "--replace"}} {
			if old.set && !strings.HasPrefix(what, old.name) && !(old.name == "--max-lines" && f.Name == "L") {
				c.Errorf("warning: options %s and %s are mutually exclusive, ignoring previous %s value", old.name, what, old.name)
			}
		}
		o.lines, o.args, o.replace = 0, 0, ""
	}
	for _, f := range c.Flags {
		ok := true
		switch f.Name {
		case "0":
			o.delim = 0
		case "a":
			o.file = f.Value
		case "d":
			if o.delim, ok = xargsDelimiter(c, f.Value); !ok {
				return nil, 1
			}
		case "E", "e":
			o.eof = f.Value
		case "I", "i":
			later(f, "--replace/-I/-i")
			if o.replace = f.Value; o.replace == "" {
				o.replace = "{}"
			}
		case "L":
			later(f, "-L")
			o.lines, ok = number(f, 1)
		case "l":
			later(f, "--max-lines/-l")
			if o.lines = 1; f.Has {
				o.lines, ok = number(f, 1)
			}
		case "n":
			n := 0
			if n, ok = number(f, 1); n == 1 && o.replace != "" {
				break // each item has its own command anyway
			}
			later(f, "--max-args/-n")
			o.args = n
		case "P":
			if o.procs, ok = number(f, 0); o.procs == 0 {
				o.procs = math.MaxInt
			}
		case "process-slot-var":
			o.slotVar = f.Value
		case "r":
			o.noEmpty = true
		case "s":
			if o.chars, ok = number(f, 1); !ok && f.Value != "" && strings.Trim(f.Value, "0") == "" {
				c.Errorf("cannot fit single argument within argument list size limit")
			}
			if o.chars > xargsMaxChars {
				c.Errorf("value %s for -s option should be <= %d", f.Value, xargsMaxChars)
				o.chars = xargsMaxChars
			}
		case "t":
			o.trace = true
		case "x":
			o.exitTooLong = true
		}
		if !ok {
			return nil, 1
		}
	}
	if len(o.command) == 0 {
		o.command = []string{"echo"}
	}
	for _, a := range o.command {
		o.base += len(a) + 1
	}
	if o.base > o.chars {
		c.Errorf("cannot fit single argument within argument list size limit")
		return nil, 1
	}
	if o.eof != "" && o.delim >= 0 {
		c.Errorf("warning: the -E option has no effect if -0 or -d is used.\n")
	}
	return o, 0
}

// xargsDelimiter reads the argument of -d: one byte or an escape.
func xargsDelimiter(c *cmd.Ctx, s string) (int, bool) {
	if len(s) == 1 {
		return int(s[0]), true
	}
	if len(s) > 1 && s[0] == '\\' {
		if i := strings.IndexByte("abfnrtv\\", s[1]); i >= 0 && len(s) == 2 {
			return int("\a\b\f\n\r\t\v\\"[i]), true
		}
		digits, base := s[1:], 8
		if s[1] == 'x' {
			digits, base = s[2:], 16
		}
		if n, err := strconv.ParseUint(digits, base, 8); err == nil {
			return int(n), true
		}
		if s[1] == 'x' || s[1] >= '0' && s[1] <= '7' {
			c.Errorf("Invalid escape sequence %s in input delimiter specification.", s)
			return 0, false
		}
		c.Errorf("Invalid escape sequence %s in input delimiter specification.", s)
		return 0, false
	}
	c.Errorf("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", s)
	return 0, false
}
