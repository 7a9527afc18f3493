package std

import (
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// tailFollow is a file that tail -f goes on reading.
type tailFollow struct {
	Name string  `cbor:"1,keyasint,omitempty"`
	FD   int     `cbor:"2,keyasint,omitempty"` // or absent, or dead
	Ino  vfs.Ino `cbor:"4,keyasint,omitempty"`
}

// What FD is without a descriptor.
const (
	absent = -1 // it cannot be opened now
	dead   = -2 // it is never tried again
)

// noticed is how long it takes until a change is seen where the kernel tells GNU tail of it at once.
const noticed = 50e6

const sigPipe = 13

// missing is what FD is of a file that cannot be opened.
func (p *tailProgram) missing() int {
	if p.opt.retry {
		return absent
	}
	return dead
}

// keepOpen ends the first pass over the open operand: it stays open if it is to be followed.
func (p *tailProgram) keepOpen(c *cmd.Ctx) {
	name := p.In.Name(c)
	st, err := c.Fstat(p.In.FD)
	stdin := name == "-"
	if p.opt.follow && err == nil && (!stdin || st.Mode.IsRegular()) {
		p.Files = append(p.Files, tailFollow{Name: name, FD: p.In.FD, Ino: st.Ino})
		p.In.Opened = false // the descriptor is the list's now
		p.Shown = len(p.Files)
		return
	}
	p.In.Operands.Close(c)
}

// missed notes operands that could not be opened, for --retry.
func (p *tailProgram) missed(c *cmd.Ctx, from, to int) {
	for i := from; i < to && i < len(c.Args) && p.opt.follow; i++ {
		p.Files = append(p.Files, tailFollow{Name: c.Args[i], FD: p.missing()})
	}
}

// ended is after the last operand: the end, or the beginning of following.
func (p *tailProgram) ended(c *cmd.Ctx) cmd.Next {
	if p.opt.retry && !p.opt.follow {
		c.Errorf("warning: --retry ignored; --retry is useful only when following")
	}
	live := 0
	for i := range p.Files {
		if f := &p.Files[i]; f.FD != dead {
			live++
		}
	}
	if live == 0 {
		if p.opt.follow && len(p.Files) > 0 {
			c.Errorf("no files remaining")
		}
		return cmd.Exit(p.In.Status)
	}
	p.Follow = true
	return cmd.Again()
}

// poll looks for new data in every followed file, and sleeps if there is none.
func (p *tailProgram) poll(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	some := false
	live := 0
	for i := range p.Files {
		f := &p.Files[i]
		if f.FD == dead {
			continue
		}
		if p.opt.byName {
			p.look(c, f)
		} else if f.FD < 0 && p.opt.retry {
			p.reopen(c, f, "%s has appeared;  following new file")
		}
		if f.FD >= 0 && p.read(c, i) {
			some = true
		}
		if f.FD != dead {
			live++
		}
	}
	c.Flush()
	switch {
	case live == 0:
		c.Errorf("no files remaining")
		return cmd.Exit(1)
	case some:
		return cmd.Again()
	case p.opt.pid > 0 && c.Kill(p.opt.pid, 0) != nil:
		return cmd.Exit(p.In.Status)
	case c.Broken(1):
		c.Kill(c.PID(), sigPipe) //nolint:errcheck // it is this program
		return cmd.Exit(1)
	}
	return cmd.Sleep(c.Now() + p.interval(c))
}

// interval is how long to sleep: -s counts where GNU tail cannot have the kernel watch, for standard input, symbolic links,
// files that are neither regular nor pipes, and when an operand could not be opened.
func (p *tailProgram) interval(c *cmd.Ctx) int64 {
	told := p.In.Status == 0 || p.opt.byName
	for i := range p.Files {
		f := &p.Files[i]
		if f.FD < 0 {
			continue
		}
		st, err := c.Fstat(f.FD)
		told = told && f.Name != "-" && err == nil && (st.Mode.IsRegular() || st.Mode&vfs.TypeMask == vfs.TypeFifo)
		link, err := c.Lstat(f.Name)
		told = told && (err != nil || !link.Mode.IsLink())
	}
	if told {
		return min(p.opt.interval, noticed)
	}
	return p.opt.interval
}

// read prints what is new in a file; true if there was something.
func (p *tailProgram) read(c *cmd.Ctx, i int) bool {
	f := &p.Files[i]
	st, err := c.Fstat(f.FD)
	if err != nil {
		return false
	}
	if st.Mode.IsRegular() {
		off, _ := c.Seek(f.FD, 0, io.SeekCurrent)
		if st.Size < off {
			c.Errorf("%s: file truncated", quote.File(c, f.Name))
			off, _ = c.Seek(f.FD, 0, io.SeekStart)
		}
		if st.Size == off {
			return false
		}
	}
	buf := cmd.Borrow()
	defer buf.Return()
	n, _ := c.Read(f.FD, buf[:]) // at its end, a pipe may get another writer
	if n > 0 {
		if p.Shown != i+1 {
			if p.opt.title {
				if p.Wrote {
					c.Out.WriteByte('\n')
				}
				p.Wrote = true
				c.Out.WriteString("==> " + f.Name + " <==\n")
			}
			p.Shown = i + 1
		}
		c.Out.Write(buf[:n])
	}
	return n > 0
}

// look checks whether a name still means the open file.
func (p *tailProgram) look(c *cmd.Ctx, f *tailFollow) {
	st, err := c.Stat(f.Name)
	switch {
	case err != nil && f.FD >= 0:
		c.Errorf("%s has become inaccessible: %s", quote.Shell(c, f.Name), err)
		c.Close(f.FD)
		f.FD = p.missing()
	case err != nil:
	case f.FD < 0:
		p.reopen(c, f, "%s has appeared;  following new file")
	case st.Ino != f.Ino:
		c.Close(f.FD)
		f.FD = absent
		p.reopen(c, f, "%s has been replaced;  following new file")
	}
}

func (p *tailProgram) reopen(c *cmd.Ctx, f *tailFollow, message string) {
	fd, err := c.Open(f.Name, vfs.O_RDONLY, 0)
	if err != nil {
		return
	}
	st, err := c.Fstat(fd)
	if err != nil {
		c.Close(fd)
		return
	}
	c.Errorf(message, quote.Shell(c, f.Name))
	f.FD, f.Ino = fd, st.Ino
}
