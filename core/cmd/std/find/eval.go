package find

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/size"
)

// evaluate goes on with the expression on Cur until it ends or a command runs.
func (p *Program) evaluate(c *cmd.Ctx) {
	for p.PC < len(p.x.prog) && !p.Quit {
		in := &p.x.prog[p.PC]
		switch in.op {
		case 'v':
			p.Value = true
		case 's':
			p.Value = false
		case '!':
			p.Value = !p.Value
		case 'f', 'j':
			if p.Value == (in.op == 'j') {
				p.PC = in.to
				continue
			}
		case 't':
			if in.exec != nil {
				if !p.exec(c, p.PC, in.exec) {
					return // reap goes on behind it
				}
			} else {
				p.Value = in.test(p, c)
			}
		}
		p.PC++
	}
	p.finish()
}

func testPrint(end byte) func(p *Program, c *cmd.Ctx) bool { return printer(-1, end) }

// printer prints the path to an output file, or to standard output if file is -1.
func printer(file int, end byte) func(p *Program, c *cmd.Ctx) bool {
	return func(p *Program, c *cmd.Ctx) bool {
		if file < 0 {
			c.Out.WriteString(p.Cur.Path)
			c.Out.WriteByte(end)
			return true
		}
		return p.write(c, file, p.Cur.Path+string(rune(end)))
	}
}

func (p *Program) write(c *cmd.Ctx, file int, s string) bool {
	if file < 0 || p.Files[file].FD == 1 {
		c.Out.WriteString(s)
		return true
	}
	if err := c.Write(p.Files[file].FD, []byte(s)); err != nil {
		p.fail(c, p.Files[file].Name, err)
	}
	return true
}

// ls is the line of -ls.
func (p *Program) ls(c *cmd.Ctx) string {
	e := &p.Cur
	if !e.stat(c, p) {
		return ""
	}
	f := &e.Facts
	layout := "%b %e  %Y"
	if f.Mtime <= p.Now+60*60*1e9 && f.Mtime > p.Now-31556952/2*int64(1e9) {
		layout = "%b %e %H:%M"
	}
	s := fmt.Sprintf("%9d %6d %s %3d %-8s %-8s %8d %s %s", f.Ino, (size.Blocks(f.vfs())+1)/2, perm.String(e.mode()), f.Nlink,
		p.Owners.User(c, f.UID), p.Owners.Group(c, f.GID), f.Size, clock.Strftime(layout, p.x.zone.Time(f.Mtime)), quote.Escape(quote.ByBytes(true), e.Path))
	if e.mode().IsLink() {
		if t, err := c.Readlink(e.Path); err == nil {
			s += " -> " + quote.Escape(quote.ByBytes(true), t)
		}
	}
	return s + "\n"
}

// remove is -delete.
func (p *Program) remove(c *cmd.Ctx) bool {
	e := &p.Cur
	if e.Path == "." {
		return true
	}
	var err error
	if e.mode().IsDir() {
		err = c.Rmdir(e.Path)
	} else {
		err = c.Unlink(e.Path)
	}
	if err != nil {
		c.Errorf("cannot delete %s: %s", quote.Locale(c, e.Path), err)
		p.Status = 1
		return false
	}
	return true
}

// empty is -empty.
func (p *Program) empty(c *cmd.Ctx) bool {
	if !p.Cur.stat(c, p) {
		return false
	}
	switch m := p.Cur.mode(); {
	case m.IsDir():
		l, err := c.ReadDir(p.Cur.Path, "", 1)
		if err != nil {
			p.fail(c, p.Cur.Path, err)
			return false
		}
		return len(l) == 0
	case m.IsRegular():
		return p.Cur.Facts.Size == 0
	}
	return false
}

// dirPart is the path without its last component, as %h says: "." if there is no slash.
func dirPart(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "."
	}
	return path[:i]
}
