package std

import (
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// nameList reads file names that end in NUL, for --files0-from.
type nameList struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	FD     int       `cbor:"2,keyasint,omitempty"`
	Opened bool      `cbor:"3,keyasint,omitempty"`
	Done   bool      `cbor:"4,keyasint,omitempty"`
	List   []string  `cbor:"5,keyasint,omitempty"`
	Status int       `cbor:"6,keyasint,omitempty"` // not 0 after a bad name or a failed read
	Count  int       `cbor:"7,keyasint,omitempty"` // names seen
	Bad    []int     `cbor:"8,keyasint,omitempty"` // which of them are empty
}

// step reads names for one turn; the command's own operands are an error.
func (l *nameList) step(c *cmd.Ctx, file string) cmd.Next {
	if !l.Opened {
		if len(c.Args) > 0 {
			c.Errorf("extra operand %s", quote.Shell(c, c.Args[0]))
			c.Errout.WriteString("file operands cannot be combined with --files0-from\nTry '" + c.Name + " --help' for more information.\n")
			return cmd.Exit(max(1, c.Def.Status))
		}
		if file != "-" {
			fd, err := c.Open(file, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("cannot open %s for reading: %s", quote.Shell(c, file), err)
				return cmd.Exit(max(1, c.Def.Status))
			}
			l.FD = fd
		}
		l.Opened = true
	}
	switch err := l.In.Fill(c, l.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(l.FD)
	default:
		c.Errorf("%s: read error: %s", quote.File(c, file), err)
		return cmd.Exit(max(1, c.Def.Status))
	}
	for name, ok := l.In.Next(0); ok; name, ok = l.In.Next(0) {
		l.Count++
		if len(name) == 0 {
			l.Status = 1
			l.Bad = append(l.Bad, l.Count)
			continue
		}
		if file == "-" && string(name) == "-" {
			l.Status = 1
			c.Errorf("when reading file names from stdin, no file name of %s allowed", quote.Shell(c, "-"))
			continue
		}
		l.List = append(l.List, string(name))
	}
	l.Done = l.In.Ended()
	return cmd.Again()
}

// complain reports the empty names.
func (l *nameList) complain(c *cmd.Ctx, file string) {
	for _, n := range l.Bad {
		c.Errorf("%s:%d: invalid zero-length file name", quote.File(c, file), n)
	}
	l.Bad = nil
}
