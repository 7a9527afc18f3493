package sed

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// input is the files of the command line.
type input struct {
	Next   int       `cbor:"1,keyasint,omitempty" holds:"operand"` // operands taken
	FD     int       `cbor:"2,keyasint,omitempty" holds:"count"`
	Opened bool      `cbor:"3,keyasint,omitempty"`
	Lines  cmd.Lines `cbor:"4,keyasint,omitempty"`
	Number int64     `cbor:"6,keyasint,omitempty"` // of the present line
	Name   string    `cbor:"7,keyasint,omitempty"` // the file that is open; F shows it, even if it was opened to see whether more follows
	Target string    `cbor:"8,keyasint,omitempty"` // the file to be replaced by Temp with -i
	Temp   string    `cbor:"9,keyasint,omitempty"`
	Fresh  bool      `cbor:"10,keyasint,omitempty"` // no line of the open file was read yet

	skip int // operands that are the script
}

// operand gives an operand.
func (in *input) operand(c *cmd.Ctx, i int) (string, bool) {
	args := c.Args[min(in.skip, len(c.Args)):]
	if len(args) == 0 && i == 0 {
		return "-", true
	}
	if i >= len(args) {
		return "", false
	}
	return args[i], true
}

func (in *input) close(c *cmd.Ctx) {
	if in.Opened && in.FD != 0 {
		c.Close(in.FD)
	}
	if in.Opened && in.FD == 0 && in.Lines.Left() {
		c.Seek(0, int64(-len(in.Lines.Rest())), 1) //nolint:errcheck // for who reads on; a pipe cannot
	}
	in.Opened = false
}

// outcome of looking for input.
type outcome uint8

const (
	hasLine outcome = iota
	noLine
	mustWait // or the program ends: with the Next that comes with it
)

// peek makes sure that a byte of the next line is there. With across it goes on
// to the files that follow.
func (p *Program) peek(c *cmd.Ctx, across bool) (outcome, cmd.Next) {
	in := &p.In
	in.Lines.Goes(c)
	for {
		if in.Opened {
			if in.Lines.Left() {
				return hasLine, cmd.Next{}
			}
			switch err := in.Lines.Fill(c, in.FD); err {
			case nil:
				continue
			case cmd.ErrBlocked:
				return mustWait, cmd.WaitRead(in.FD)
			case io.EOF:
				if in.Lines.Left() {
					return hasLine, cmd.Next{}
				}
			default:
				c.Flush()
				c.Errorf("read error on %s: %s", in.Name, err)
				return mustWait, cmd.Exit(4)
			}
		}
		if !across {
			return noLine, cmd.Next{}
		}
		in.close(c)
		if err := p.settle(c); err != nil {
			return mustWait, cmd.Exit(4)
		}
		ok, fatal := p.openNext(c)
		if fatal {
			return mustWait, cmd.Exit(4)
		}
		if !ok {
			return noLine, cmd.Next{}
		}
	}
}

// openNext opens the next operand that can be opened.
func (p *Program) openNext(c *cmd.Ctx) (ok, fatal bool) {
	in := &p.In
	for {
		name, ok := in.operand(c, in.Next)
		if !ok {
			return false, false
		}
		in.Next++
		in.Lines.Reset()
		if name == "-" && !p.o.inPlace {
			in.FD, in.Opened, in.Name, in.Fresh = 0, true, "-", true
			return true, false
		}
		path := name
		if p.o.follow {
			if path, ok = followed(c, name); !ok {
				return false, true
			}
		}
		fd, err := c.Open(path, vfs.O_RDONLY, 0)
		if err != nil {
			c.Errorf("can't read %s: %s", name, err)
			p.Status = 2
			continue
		}
		if p.o.inPlace {
			st, err := c.Fstat(fd)
			if err != nil || !st.Mode.IsRegular() {
				c.Errorf("couldn't edit %s: not a regular file", name)
				p.Status = 4
				c.Close(fd)
				continue
			}
			if err := p.openTemp(c, path, st); err != nil {
				c.Errorf("couldn't open temporary file %s: %s", in.Temp, err)
				return false, true
			}
		}
		in.FD, in.Opened, in.Name, in.Fresh = fd, true, path, true
		return true, false
	}
}

// followed resolves a symbolic link, for --follow-symlinks, and says why it cannot.
func followed(c *cmd.Ctx, name string) (path string, ok bool) {
	path = name
	for range 40 {
		to, err := c.Readlink(path)
		switch {
		case err == vfs.EINVAL: // it is none
			return path, true
		case err != nil:
			c.Errorf("couldn't readlink %s: %s", path, err)
			return "", false
		}
		if !strings.HasPrefix(to, "/") {
			if i := strings.LastIndexByte(path, '/'); i >= 0 {
				to = path[:i+1] + to
			}
		}
		path = to
	}
	c.Errorf("couldn't follow symlink %s: %s", name, vfs.ELOOP)
	return "", false
}

// openTemp makes the file that will replace a file edited in place.
func (p *Program) openTemp(c *cmd.Ctx, path string, st vfs.Stat) error {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	in := &p.In
	dir := ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir = path[:i+1]
	}
	for try := 0; ; try++ {
		name := []byte("sedXXXXXX")
		r := c.Rand()
		for i := 3; i < len(name); i++ {
			name[i] = letters[r%uint64(len(letters))]
			r /= uint64(len(letters))
		}
		in.Temp = dir + string(name)
		fd, err := c.Open(in.Temp, vfs.O_RDWR|vfs.O_CREAT|vfs.O_EXCL, 0o600)
		if err == vfs.EEXIST && try < 100 {
			continue
		}
		if err != nil {
			return err
		}
		in.Target = path
		p.Outs[0] = Output{FD: fd}
		c.Chown(in.Temp, int(st.UID), int(st.GID), false) // allowed to the owner of both only
		if err := c.Chmod(in.Temp, uint32(st.Mode&vfs.PermMask)); err != nil {
			return err
		}
		return nil
	}
}

// settle puts the edited file in the place of the old one.
func (p *Program) settle(c *cmd.Ctx) error {
	in := &p.In
	if in.Target == "" {
		return nil
	}
	p.flush(c)
	c.Close(p.Outs[0].FD)
	var err error
	if p.o.suffix != "" {
		backup := backupName(in.Target, p.o.suffix)
		if err = c.Rename(in.Target, backup); err != nil {
			c.Errorf("cannot rename %s: %s", in.Target, err)
		}
	}
	if err == nil {
		if err = c.Rename(in.Temp, in.Target); err != nil {
			c.Errorf("cannot rename %s: %s", in.Temp, err)
		}
	}
	if err != nil {
		c.Unlink(in.Temp)
	}
	in.Target, in.Temp = "", ""
	p.Outs[0] = Output{FD: 1}
	return err
}

// backupName is the name that -iSUFFIX gives: each * in SUFFIX is the file's own name.
func backupName(target, suffix string) string {
	base := walk.Base(target)
	dir := strings.TrimSuffix(target, base)
	name := base + suffix
	if strings.Contains(suffix, "*") {
		name = strings.ReplaceAll(suffix, "*", base)
	}
	if strings.Contains(name, "/") {
		return name
	}
	return dir + name
}

// readLine puts the next line into the pattern space, behind what is there if
// joining, for N. got is false at the end of the input; ok is false if the
// program must return next.
func (p *Program) readLine(c *cmd.Ctx, joining bool) (got bool, next cmd.Next, ok bool) {
	in := &p.In
	switch found, next := p.peek(c, true); found {
	case mustWait:
		return false, next, false
	case noLine:
		return false, cmd.Next{}, true
	}
	line, whole := in.Lines.Next(p.o.delim)
	if !whole {
		switch err := in.Lines.Fill(c, in.FD); err {
		case nil, io.EOF:
			return false, cmd.Again(), false
		case cmd.ErrBlocked:
			return false, cmd.WaitRead(in.FD), false
		default:
			c.Flush()
			c.Errorf("read error on %s: %s", in.Name, err)
			return false, cmd.Exit(4), false
		}
	}
	if in.Fresh {
		in.Fresh = false
		if p.o.separate && in.Next > 1 {
			in.Number = 0
			p.Hold = p.Hold[:0]
			p.resetRanges()
			for i := range p.Readers {
				if r := &p.Readers[i]; r.Opened && r.FD > 0 {
					c.Close(r.FD)
				}
				p.Readers[i] = Reader{}
			}
		}
	}
	in.Number++
	if joining {
		p.Space = join(p.Space, p.o.delim, line, c)
	} else {
		p.Space = large.Push(p.Space[:0], line, c)
	}
	p.Chomped = !in.Lines.Bare()
	p.Done = false
	return true, cmd.Next{}, true
}

// last reports whether the present line is the last one.
func (p *Program) last(c *cmd.Ctx) (is bool, next cmd.Next, ok bool) {
	found, next := p.peek(c, !p.o.separate)
	return found == noLine, next, found != mustWait
}

func (p *Program) resetRanges() {
	for i := range p.Ranges {
		p.Ranges[i] = Range{Active: startsActive(&p.script.commands[i])}
	}
}

// startsActive is the range 0,/re/.
func startsActive(cmd *command) bool {
	return cmd.a2 != nil && cmd.a1.kind == addrLine && cmd.a1.n == 0
}
