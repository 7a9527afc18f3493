// Package ls is ls and dir.
//
// A listing is made in three phases, each in bounded turns: read the names,
// stat the entries, print. Program holds the entries of the one directory that
// is being listed and the paths of those still to come.
package ls

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/merge"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// entry is one file of a listing.
type entry struct {
	Name   string `cbor:"1,keyasint,omitempty"`
	Mode   uint32 `cbor:"2,keyasint,omitempty"` // 0: could not be read
	Ino    uint64 `cbor:"3,keyasint,omitempty"`
	Nlink  uint32 `cbor:"4,keyasint,omitempty"`
	UID    uint32 `cbor:"5,keyasint,omitempty"`
	GID    uint32 `cbor:"6,keyasint,omitempty"`
	Size   int64  `cbor:"7,keyasint,omitempty"`
	Blocks int64  `cbor:"8,keyasint,omitempty"`
	Time   int64  `cbor:"9,keyasint,omitempty"`
	Rdev   uint32 `cbor:"10,keyasint,omitempty"`
	Target string `cbor:"11,keyasint,omitempty"` // of a link
	To     uint32 `cbor:"12,keyasint,omitempty"` // mode of what a link leads to
	Known  bool   `cbor:"13,keyasint,omitempty"` // Mode and what follows were read
}

func (e *entry) mode() vfs.Mode { return vfs.Mode(e.Mode) }

// pending is a directory to list, or the end of one (Leave) for loop detection.
type pending struct {
	Path    string `cbor:"1,keyasint,omitempty"`
	Command bool   `cbor:"2,keyasint,omitempty"` // named on the command line
	Leave   bool   `cbor:"3,keyasint,omitempty"`
}

// Phases of a Program.
const (
	phaseOperands = iota
	phaseNext     // take the next directory
	phaseRead     // read its names
	phaseStat     // stat its entries
	phaseSort
	phaseMeasure // how wide the columns are
	phasePrint
)

// Program is a running ls.
type Program struct {
	Phase   int         `cbor:"1,keyasint,omitempty"`
	I       int         `cbor:"2,keyasint,omitempty" holds:"size"` // operand, or entry
	Status  int         `cbor:"3,keyasint,omitempty"`
	Entries []entry     `cbor:"4,keyasint,omitempty"`
	Queue   []pending   `cbor:"5,keyasint,omitempty"` // last is next
	Dir     walk.Dir    `cbor:"6,keyasint,omitempty"`
	Active  []uint64    `cbor:"7,keyasint,omitempty"` // inodes of directories above, under -LR
	Listed  bool        `cbor:"8,keyasint,omitempty"` // something was printed
	Headers bool        `cbor:"9,keyasint,omitempty"`
	Command bool        `cbor:"10,keyasint,omitempty"` // Dir was named on the command line
	Colored bool        `cbor:"11,keyasint,omitempty"`
	Owners  owner.Names `cbor:"12,keyasint,omitempty"`
	Sort    merge.Sort  `cbor:"13,keyasint,omitempty"` // of Entries
	Widths  widths      `cbor:"14,keyasint,omitempty"`

	o      *options
	cols   []int // column widths of -C and -x
	quotes uint8 // whether some names of the list have them
}

// Wrong checks the place in the list, its columns, and that each directory that is to be left was entered.
func (p *Program) Wrong(c *cmd.Ctx) string {
	leave := 0
	for _, d := range p.Queue {
		if d.Leave {
			leave++
		}
	}
	w := p.Widths
	switch {
	case p.Phase < phaseOperands || p.Phase > phasePrint:
		return "a phase that is none"
	case leave > len(p.Active):
		return "more directories to leave than were entered"
	case !p.Sort.Of(len(p.Entries)):
		return "a sort of other entries"
	case min(w.Inode, w.Blocks, w.Nlink, w.Owner, w.Group, w.Size, w.Minor) < 0 || max(w.Inode, w.Blocks, w.Nlink, w.Owner, w.Group, w.Size, w.Minor) > 1<<16:
		return "a width that cannot be"
	}
	if p.Phase != phasePrint {
		return cmd.Beyond("a place in a list", p.I, 1<<40)
	}
	return cmd.Beyond("a place in a list", p.I, len(p.Entries))
}

// Command is ls.
func Command() *cmd.Command { return command("ls", "list directory contents") }

// Dir is dir: ls -C -b.
func Dir() *cmd.Command { return command("dir", "list directory contents") }

func command(name, summary string) *cmd.Command {
	return &cmd.Command{Name: name, Summary: summary, Usage: name + " [OPTION]... [FILE]...",
		Options: table(), Class: cmd.Step, Status: 2, New: func() cmd.Program { return &Program{} }}
}

// Step runs one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		o, status := parse(c)
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
		for _, text := range o.complaints {
			if p.Phase == phaseOperands && p.I == 0 { // not again after a load
				c.Errorf("%s", text)
			}
		}
	}
	budget := c.Turn(walk.Turn)
	for budget > 0 {
		switch p.Phase {
		case phaseOperands:
			p.operands(c, &budget)
		case phaseNext:
			if !p.next(c) {
				return cmd.Exit(p.Status)
			}
			budget -= 4
		case phaseRead:
			p.read(c, &budget)
		case phaseStat:
			p.statAll(c, &budget)
		case phaseSort:
			if p.sort(c, &budget) {
				p.sorted(c)
			}
		case phaseMeasure:
			p.measure(c, &budget)
		case phasePrint:
			if c.Pending() > 64<<10 {
				return cmd.Next{Op: cmd.OpWaitWrite}
			}
			p.print(c, &budget)
		}
	}
	return cmd.Again()
}

func (p *Program) fail(c *cmd.Ctx, serious bool, what, name string, err error) {
	c.Errorf("%s %s: %s", what, quote.Shell(c, name), err)
	if serious {
		p.Status = 2
	} else if p.Status == 0 {
		p.Status = 1
	}
}

// operands stats what the command line names and sorts it into files and directories.
func (p *Program) operands(c *cmd.Ctx, budget *int) {
	args := c.Args
	if len(args) == 0 {
		args = []string{"."}
	}
	for ; p.I < len(args) && *budget > 0; p.I++ {
		e, err := p.stat(c, args[p.I], args[p.I], true)
		if err != nil {
			p.fail(c, true, "cannot access", args[p.I], err)
			*budget--
			continue
		}
		p.Entries = append(large.Extend(p.Entries, 1, c), e)
		*budget--
	}
	if p.I < len(args) || !p.sort(c, budget) {
		return
	}
	files := p.Entries[:0]
	var dirs []pending
	for i, e := range p.Entries {
		if i%manyEntries == manyEntries-1 {
			c.Charge(manyEntries / 4)
		}
		isDir := e.mode().IsDir() || p.o.deref == derefCommandDir && vfs.Mode(e.To).IsDir()
		if isDir && !p.o.directory {
			dirs = append(large.Extend(dirs, 1, c), pending{Path: e.Name, Command: true})
		} else {
			files = append(files, e)
		}
	}
	p.Entries = files
	for i := len(dirs) - 1; i >= 0; i-- {
		p.Queue = append(large.Extend(p.Queue, 1, c), dirs[i])
	}
	p.Headers = p.o.recursive || len(dirs) > 1 || len(args) > 1
	p.I, p.Phase = 0, phaseNext
	if len(files) > 0 {
		p.Phase = phaseMeasure
		p.Listed = true
	}
}

// next opens the next directory; false when there is none.
func (p *Program) next(c *cmd.Ctx) bool {
	p.Entries, p.I = nil, 0
	for len(p.Queue) > 0 {
		d := p.Queue[len(p.Queue)-1]
		p.Queue = p.Queue[:len(p.Queue)-1]
		if d.Leave {
			p.Active = p.Active[:len(p.Active)-1]
			continue
		}
		if p.o.recursive && p.o.deref == derefAlways {
			st, err := c.Stat(d.Path)
			if err != nil {
				p.fail(c, d.Command, "cannot open directory", d.Path, err)
				continue
			}
			if contains(p.Active, uint64(st.Ino)) {
				c.Errorf("%s: not listing already-listed directory", d.Path)
				p.Status = 2
				continue
			}
			p.Active = append(p.Active, uint64(st.Ino))
			p.Queue = append(p.Queue, pending{Leave: true})
		}
		p.Dir, p.Command = walk.Dir{Path: d.Path}, d.Command
		p.Phase = phaseRead
		return true
	}
	if p.Colored && p.o.colors != nil {
		if left, right := p.o.colors.codes["lc"], p.o.colors.codes["rc"]; left != "\x1b[" || right != "m" {
			c.Out.WriteString(left + right)
		}
	}
	return false
}

func contains(l []uint64, x uint64) bool {
	for _, v := range l {
		if v == x {
			return true
		}
	}
	return false
}

// read collects the names of the directory.
func (p *Program) read(c *cmd.Ctx, budget *int) {
	first := len(p.Dir.Names) == 0
	if err := p.Dir.Fill(c, budget); err != nil {
		p.fail(c, p.Command, "cannot open directory", p.Dir.Path, err)
		p.Phase = phaseNext
		return
	}
	if first && p.Headers {
		p.header(c)
	}
	if !p.Dir.Full {
		return
	}
	if p.Dir.I == 0 {
		p.Entries = make([]entry, 0, len(p.Dir.Names)+2)
		if p.o.all && !p.removed(c) {
			p.Entries = append(p.Entries, entry{Name: "."}, entry{Name: ".."})
		}
	}
	most, from := 8**budget, p.Dir.I
	for n, typ, ok := p.Dir.Next(); ok; n, typ, ok = p.Dir.Next() {
		if !p.hidden(n) {
			p.Entries = append(p.Entries, entry{Name: n, Mode: uint32(typ)})
		}
		if p.Dir.I-from == most {
			break
		}
	}
	c.Charge(p.Dir.I - from)
	*budget -= (p.Dir.I - from) / 8
	if p.Dir.I >= len(p.Dir.Names) {
		p.Dir.Names, p.Dir.Types = nil, nil
		p.I, p.Phase = 0, phaseStat
	}
}

// removed reports whether the directory has no name any more: then it lists nothing, not even "." and "..".
func (p *Program) removed(c *cmd.Ctx) bool {
	if len(p.Dir.Names) > 0 {
		return false
	}
	st, err := c.Stat(p.Dir.Path)
	return err == nil && st.Nlink == 0
}

func (p *Program) header(c *cmd.Ctx) {
	if p.Listed {
		c.Out.WriteByte('\n')
	}
	p.Listed = true
	c.Out.WriteString(p.o.heading(p.Dir.Path))
	c.Out.WriteString(":")
	c.Out.WriteByte(p.o.eol)
}

// statAll fills the entries.
func (p *Program) statAll(c *cmd.Ctx, budget *int) {
	if !p.o.needStat() {
		p.I = len(p.Entries)
	}
	for ; p.I < len(p.Entries) && *budget > 0; p.I++ {
		name := p.Entries[p.I].Name
		full := name
		if p.Dir.Path != "." {
			full = walk.Join(p.Dir.Path, name)
		}
		e, err := p.stat(c, full, name, false)
		*budget--
		if err != nil {
			p.fail(c, false, "cannot access", full, err)
			e = entry{Name: name, Mode: p.Entries[p.I].Mode}
		}
		p.Entries[p.I] = e
	}
	if p.I >= len(p.Entries) {
		p.Phase = phaseSort
	}
}

// sorted queues what -R goes down to, and begins to print.
func (p *Program) sorted(c *cmd.Ctx) {
	if p.o.recursive {
		for i := len(p.Entries) - 1; i >= 0; i-- {
			if i%manyEntries == manyEntries-1 {
				c.Charge(manyEntries / 2)
			}
			e := &p.Entries[i]
			if e.mode().IsDir() && e.Name != "." && e.Name != ".." {
				p.Queue = append(large.Extend(p.Queue, 1, c), pending{Path: walk.Join(p.Dir.Path, e.Name)})
			}
		}
	}
	p.Listed = true
	p.I, p.Phase = 0, phaseMeasure
	if p.o.long() || p.o.blocks {
		var total int64
		for i := range p.Entries {
			total += p.Entries[i].Blocks
			if i%manyEntries == manyEntries-1 {
				c.Charge(manyEntries / 16)
			}
		}
		c.Out.WriteString("total " + p.o.block.Format(total*512))
		c.Out.WriteByte(p.o.eol)
	}
}

// stat reads one entry.
func (p *Program) stat(c *cmd.Ctx, path, name string, command bool) (entry, error) {
	var st vfs.Stat
	var err error
	switch {
	case p.o.deref == derefAlways, command && p.o.deref == derefCommand:
		if st, err = c.Stat(path); err != nil {
			if l, lerr := c.Lstat(path); lerr == nil && !command {
				p.fail(c, false, "cannot access", path, err)
				return entry{Name: name, Mode: uint32(l.Mode & vfs.TypeMask)}, nil
			}
		}
	case command && p.o.deref == derefCommandDir:
		if st, err = c.Stat(path); err == vfs.ENOENT || err == nil && !st.Mode.IsDir() {
			st, err = c.Lstat(path)
		}
	default:
		st, err = c.Lstat(path)
	}
	if err != nil {
		return entry{}, err
	}
	e := entry{Name: name, Mode: uint32(st.Mode), Ino: uint64(st.Ino), Nlink: st.Nlink, UID: st.UID, GID: st.GID,
		Size: st.Size, Blocks: size.Blocks(st), Rdev: st.Rdev, Known: true}
	switch p.o.time {
	case 'a':
		e.Time = st.Atime
	case 'c', 'b':
		e.Time = st.Ctime
	default:
		e.Time = st.Mtime
	}
	if st.Mode.IsLink() && p.o.needLink() {
		e.Target, _ = c.Readlink(path)
		if to, err := c.Stat(path); err == nil {
			e.To = uint32(to.Mode)
		}
	}
	return e, nil
}

// hidden reports whether a name of a directory is left out.
func (p *Program) hidden(name string) bool {
	o := p.o
	if !o.all && !o.almost {
		if strings.HasPrefix(name, ".") || match(o.hide, name, fnmatch.In(o.charset)) {
			return true
		}
	}
	return match(o.ignore, name, fnmatch.In(o.charset))
}
