// Package find is find.
//
// The expression is compiled to a flat program of tests and jumps over one
// truth value, so that an evaluation can stop at -exec, be saved, and go on when
// the command has ended: all that is saved of it is a program counter and the
// value. The walk is a stack of directories; both take bounded turns.
package find

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// Command is find.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "find", Acts: true, WriteError: "‘standard output’: WHY\nNAME: write error", Summary: "search for files in a directory hierarchy", Usage: "find [-H] [-L] [-P] [-Olevel] [path...] [expression]",
		Raw: true, Class: cmd.Step, Origin: "GNU findutils 4.9.0", New: func() cmd.Program { return &Program{} },
	}
}

// facts are what stat says of an entry.
type facts struct {
	Ino     uint64 `cbor:"1,keyasint,omitempty"`
	Mode    uint32 `cbor:"2,keyasint,omitempty"`
	Nlink   uint32 `cbor:"3,keyasint,omitempty"`
	UID     uint32 `cbor:"4,keyasint,omitempty"`
	GID     uint32 `cbor:"5,keyasint,omitempty"`
	Size    int64  `cbor:"6,keyasint,omitempty"`
	Stored  int64  `cbor:"7,keyasint,omitempty"`
	Atime   int64  `cbor:"8,keyasint,omitempty"`
	Mtime   int64  `cbor:"9,keyasint,omitempty"`
	Ctime   int64  `cbor:"10,keyasint,omitempty"`
	Known   bool   `cbor:"11,keyasint,omitempty"`
	Missing bool   `cbor:"12,keyasint,omitempty"` // stat failed, and it was said
	Dev     uint32 `cbor:"13,keyasint,omitempty"` // the mount
}

// entry is the file the expression looks at.
type entry struct {
	Path  string `cbor:"1,keyasint,omitempty"`
	Start int    `cbor:"2,keyasint,omitempty"` // length of the starting point in Path
	Depth int    `cbor:"3,keyasint,omitempty"`
	Type  uint32 `cbor:"4,keyasint,omitempty"` // from the directory
	Facts facts  `cbor:"5,keyasint,omitempty"`
}

// level is a directory being walked.
type level struct {
	Dir   walk.Dir `cbor:"1,keyasint,omitempty"`
	Entry entry    `cbor:"2,keyasint,omitempty"`
}

// batch is the file names that an -exec … + has collected.
type batch struct {
	PC    int      `cbor:"1,keyasint,omitempty" holds:"count"`
	Dir   string   `cbor:"2,keyasint,omitempty"` // of -execdir
	Names []string `cbor:"3,keyasint,omitempty"`

	chars int // of Names, with what separates them
}

// output is a file of -fprint and its like.
type output struct {
	Name string `cbor:"1,keyasint,omitempty"`
	FD   int    `cbor:"2,keyasint,omitempty"`
}

// Program is a running find.
type Program struct {
	Begun   bool        `cbor:"1,keyasint,omitempty"`
	Now     int64       `cbor:"2,keyasint,omitempty"`
	I       int         `cbor:"3,keyasint,omitempty" holds:"count"` // the next starting point
	Stack   []level     `cbor:"4,keyasint,omitempty"`
	Cur     entry       `cbor:"5,keyasint,omitempty"`
	Active  bool        `cbor:"6,keyasint,omitempty"` // the expression is being evaluated on Cur
	PC      int         `cbor:"7,keyasint,omitempty" holds:"count"`
	Value   bool        `cbor:"8,keyasint,omitempty"`
	Prune   bool        `cbor:"9,keyasint,omitempty"`
	Quit    bool        `cbor:"10,keyasint,omitempty"`
	Child   int         `cbor:"11,keyasint,omitempty"` // pid of the command that runs
	Plus    bool        `cbor:"12,keyasint,omitempty"` // it is of an -exec … +
	Batches []batch     `cbor:"13,keyasint,omitempty"`
	Files   []output    `cbor:"14,keyasint,omitempty"`
	Status  int         `cbor:"15,keyasint,omitempty"`
	Started bool        `cbor:"16,keyasint,omitempty"` // Cur is a directory to enter now
	Refs    []int64     `cbor:"17,keyasint,omitempty"` // what reference files said when it began
	Owners  owner.Names `cbor:"18,keyasint,omitempty"`

	x *expression
}

// Step takes one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.x == nil {
		if p.Now == 0 {
			p.Now = c.Now()
		}
		x, status := parse(c, p)
		if x == nil {
			return cmd.Exit(status)
		}
		p.x, p.Begun = x, true
		if !p.fits() {
			return c.Unfit("it is not of this expression")
		}
	}
	budget := c.Turn(walk.Turn)
	for budget > 0 {
		if c.Pending() > cmd.Turn {
			return cmd.WaitWrite()
		}
		if p.Child != 0 {
			if !p.reap(c) {
				return cmd.WaitChild(0)
			}
			continue
		}
		switch {
		case p.Quit:
			if p.flushBatches(c, 0) {
				continue
			}
			return cmd.Exit(p.Status)
		case p.Active:
			p.evaluate(c)
			c.Charge(4)
			budget--
		case !p.advance(c, &budget):
			if p.flushBatches(c, 0) {
				continue
			}
			return cmd.Exit(p.Status)
		}
	}
	return cmd.Again()
}

// fits reports whether the commands that wait for more names are of the expression.
func (p *Program) fits() bool {
	for _, b := range p.Batches {
		if b.PC >= len(p.x.prog) || p.x.prog[b.PC].exec == nil || !p.x.prog[b.PC].exec.plus {
			return false
		}
	}
	return true
}

func (p *Program) fail(c *cmd.Ctx, path string, err error) {
	c.Errorf("%s: %s", quote.Locale(c, path), err)
	p.Status = 1
}

// advance finds the next entry to look at; false when there is none.
func (p *Program) advance(c *cmd.Ctx, budget *int) bool {
	if p.Started {
		p.Started = false
		p.enter(c)
		return true
	}
	if len(p.Stack) == 0 {
		if p.I >= len(p.x.paths) {
			return false
		}
		path := p.x.paths[p.I]
		p.I++
		*budget--
		p.visit(c, entry{Path: path, Start: len(path)})
		return true
	}
	top := &p.Stack[len(p.Stack)-1]
	if !top.Dir.Full {
		if err := top.Dir.Fill(c, budget); err != nil {
			p.fail(c, top.Dir.Path, err)
		}
		return true
	}
	name, typ, ok := top.Dir.Next()
	if !ok {
		e := top.Entry
		p.Stack = p.Stack[:len(p.Stack)-1]
		p.leave(c, e.Depth)
		if p.x.depth {
			p.begin(e)
		}
		return true
	}
	p.visit(c, entry{Path: walk.Join(top.Dir.Path, name), Start: top.Entry.Start, Depth: top.Entry.Depth + 1, Type: uint32(typ)})
	*budget--
	return true
}

// visit takes up an entry: it evaluates the expression on it, before or after its contents.
func (p *Program) visit(c *cmd.Ctx, e entry) {
	if e.Depth == 0 || e.Type == 0 || p.x.follow == 'L' {
		if !e.stat(c, p) {
			return
		}
	}
	if p.x.follow == 'L' && e.mode().IsDir() && p.loops(c, &e) {
		return
	}
	if p.x.oneDevice && e.mode().IsDir() && !e.stat(c, p) {
		return
	}
	if p.x.depth && e.mode().IsDir() && e.Depth < p.x.maxDepth && !p.abroad(&e) {
		p.Cur = e
		p.enter(c)
		return
	}
	p.begin(e)
}

// loops reports that a directory is one of those it is in, and says so: such an
// entry is not looked at.
func (p *Program) loops(c *cmd.Ctx, e *entry) bool {
	for _, l := range p.Stack {
		if l.Entry.Facts.Ino == e.Facts.Ino {
			c.Errorf("File system loop detected; %s is part of the same file system loop as %s.", quote.Locale(c, e.Path), quote.Locale(c, l.Entry.Path))
			p.Status = 1
			return true
		}
	}
	return false
}

// begin starts the evaluation on an entry.
func (p *Program) begin(e entry) {
	p.Cur, p.PC, p.Value, p.Prune = e, 0, true, false
	p.Active = e.Depth >= p.x.minDepth
	if !p.Active {
		p.finish()
	}
}

// finish ends the evaluation on Cur.
func (p *Program) finish() {
	p.Active = false
	p.Started = !p.Prune && !p.x.depth && p.Cur.mode().IsDir() && p.Cur.Depth < p.x.maxDepth && !p.abroad(&p.Cur)
}

// abroad reports that a directory is on another file system than the starting point, which -xdev does not leave.
func (p *Program) abroad(e *entry) bool {
	return p.x.oneDevice && len(p.Stack) > 0 && e.Facts.Dev != p.Stack[0].Entry.Facts.Dev
}

// enter goes down into Cur.
func (p *Program) enter(c *cmd.Ctx) {
	e := p.Cur
	if len(p.Stack) >= walk.MaxDepth {
		p.fail(c, e.Path, vfs.ENAMETOOLONG)
		return
	}
	p.Stack = append(p.Stack, level{Dir: walk.Dir{Path: e.Path}, Entry: e})
}

// mode is the entry's mode, or its type alone.
func (e *entry) mode() vfs.Mode {
	if e.Facts.Known {
		return vfs.Mode(e.Facts.Mode)
	}
	return vfs.Mode(e.Type)
}

// stat reads what is to know about the entry; false if it is not there.
func (e *entry) stat(c *cmd.Ctx, p *Program) bool {
	if e.Facts.Known || e.Facts.Missing {
		return e.Facts.Known
	}
	st, err := c.Lstat(e.Path)
	if err == nil && st.Mode.IsLink() && (p.x.follow == 'L' || p.x.follow == 'H' && e.Depth == 0) {
		if to, terr := c.Stat(e.Path); terr == nil {
			st = to
		}
	}
	if err != nil {
		p.fail(c, e.Path, err)
		e.Facts.Missing = true
		return false
	}
	e.Facts = facts{Ino: uint64(st.Ino), Dev: st.Dev, Mode: uint32(st.Mode), Nlink: st.Nlink, UID: st.UID, GID: st.GID, Size: st.Size, Stored: st.Stored,
		Atime: st.Atime, Mtime: st.Mtime, Ctime: st.Ctime, Known: true}
	return true
}

func (f *facts) vfs() vfs.Stat {
	return vfs.Stat{Mode: vfs.Mode(f.Mode), Size: f.Size, Stored: f.Stored}
}
