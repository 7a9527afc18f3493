package std

import (
	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

func tee() *cmd.Command {
	return &cmd.Command{
		Name: "tee", Summary: "copy standard input to each FILE, and also to standard output",
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
	Files  []teeFile `cbor:"3,keyasint,omitempty"`
	Status int       `cbor:"4,keyasint,omitempty"`
}

// teeFile is an output that has not failed.
type teeFile struct {
	FD   int    `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

func (p *teeProgram) Step(c *cmd.Ctx) cmd.Next {
	if !p.Opened {
		p.Opened = true
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
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.In.Ended() {
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
	c.Out.Write(data)
	c.Flush()
	good := p.Files[:0]
	for _, f := range p.Files {
		if err := c.Write(f.FD, data); err != nil {
			p.Status = c.Fail(f.Name, err)
			continue
		}
		good = append(good, f)
	}
	p.Files = good
	return cmd.Again()
}
