package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/vfs"
)

func tee() *cmd.Command {
	return &cmd.Command{
		Name: "tee", Summary: "copy standard input to each FILE, and also to standard output", Acts: true,
		Usage: "tee [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'a', Long: "append", Help: "append to the given FILEs, do not overwrite"},
			{Short: 'i', Long: "ignore-interrupts", Help: "ignore interrupt signals"},
			{Short: 'p', Help: "operate in a more appropriate mode with pipes"},
			{Long: "output-error", Arg: cmd.Optional, Meta: "MODE", Help: "set behavior on write error"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &teeProgram{} },
	}
}

// teeProgram copies its input to standard output and to files.
type teeProgram struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	Opened bool      `cbor:"2,keyasint,omitempty"`
	Files  []teeFile `cbor:"3,keyasint,omitempty"` // besides standard output
	Status int       `cbor:"4,keyasint,omitempty"`
	Silent bool      `cbor:"5,keyasint,omitempty"` // standard output has failed
}

// teeFile is an output that has not failed.
type teeFile struct {
	FD   int    `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

// teeMode is what is done when an output fails. Without one a pipe that nobody reads ends tee, as any program.
type teeMode struct {
	pipes bool // EPIPE is an error as others are; else only that output ends
	exits bool // an error ends tee
	given bool
}

func teeModeOf(c *cmd.Ctx) (m teeMode, ok bool) {
	for _, f := range c.Flags {
		switch {
		case f.Name == "p" || f.Name == "output-error" && !f.Has:
			m = teeMode{given: true}
		case f.Name == "output-error":
			i, ok := choice.Find(c, "--output-error", f.Value, "warn,warn-nopipe,exit,exit-nopipe")
			if !ok {
				return m, false
			}
			m = teeMode{given: true, pipes: i == 0 || i == 2, exits: i >= 2}
		}
	}
	return m, true
}

func (p *teeProgram) Step(c *cmd.Ctx) cmd.Next {
	mode, ok := teeModeOf(c)
	if !ok {
		return cmd.Exit(1)
	}
	if !p.Opened {
		p.Opened = true
		if mode.given {
			c.IgnorePipe()
		}
		p.open(c)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.In.Ended() || p.Silent && len(p.Files) == 0 {
		return cmd.Exit(p.Status)
	}
	switch err := p.In.Fill(c, 0); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(0)
	case p.In.EOF:
	case err != nil:
		c.Errorf("read error: %s", err)
		return cmd.Exit(1)
	}
	data := p.In.Take()
	if !p.Silent {
		if err := c.Write(1, data); err != nil {
			p.Silent = true
			if p.failed(c, mode, quote.Shell(c, "standard output"), err) {
				return cmd.Exit(1)
			}
		}
	}
	good := p.Files[:0]
	for _, f := range p.Files {
		if err := c.Write(f.FD, data); err == nil {
			good = append(good, f)
		} else if p.failed(c, mode, quote.File(c, f.Name), err) {
			return cmd.Exit(1)
		}
	}
	p.Files = good
	return cmd.Again()
}

// open opens the files.
func (p *teeProgram) open(c *cmd.Ctx) {
	flags := vfs.O_WRONLY | vfs.O_CREAT | vfs.O_TRUNC
	if c.Flags.Has("a") {
		flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_APPEND
	}
	for _, name := range c.Args {
		fd, err := c.Open(name, flags, 0o666)
		if err != nil {
			p.Status = c.Fail(name, err)
			continue
		}
		p.Files = append(p.Files, teeFile{fd, name})
	}
}

// failed reports an output that has failed, and whether that is the end.
func (p *teeProgram) failed(c *cmd.Ctx, mode teeMode, name string, err error) (ends bool) {
	if err == vfs.EPIPE && mode.given && !mode.pipes {
		return false
	}
	c.Errorf("%s: %s", name, err)
	p.Status = 1
	return mode.exits
}
