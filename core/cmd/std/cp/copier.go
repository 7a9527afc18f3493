package cp

import (
	"bytes"
	"io"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// How an existing destination is treated.
const (
	overwrite = iota
	ask
	never
)

// rules are what the options of cp, mv and install ask of the copier.
type rules struct {
	recursive, verbose, update, force bool
	replace                           bool // remove an existing destination first
	existing                          int  // overwrite, ask, never
	follow                            byte // L always, H on the command line, P never
	hardLink, symLink, attributesOnly bool
	mode, owner, times, links         bool // preserve
	noMode                            bool // --no-preserve=mode
	sparseAlways, sparseNever         bool
	stripSlashes                      bool
	oneDevice                         bool   // -x
	move                              bool   // rename instead of copying
	across                            bool   // to move it to another file system
	into                              string // the directory that the sources go into, "" if there is none
	backup                            backup.Plan
}

// pair is a source and its destination.
type pair struct {
	Src     string `cbor:"1,keyasint,omitempty"`
	Dst     string `cbor:"2,keyasint,omitempty"`
	Command bool   `cbor:"3,keyasint,omitempty"` // named on the command line
	Plain   bool   `cbor:"4,keyasint,omitempty"` // no backup is made: Dst is the backup
}

// level is a directory being copied.
type level struct {
	Dir   walk.Dir `cbor:"1,keyasint,omitempty"`
	Dst   string   `cbor:"2,keyasint,omitempty"`
	Mode  uint32   `cbor:"3,keyasint,omitempty"` // what Dst gets at the end
	Chmod bool     `cbor:"4,keyasint,omitempty"`
	Ino   uint64   `cbor:"5,keyasint,omitempty"` // of the source
	Dev   uint32   `cbor:"6,keyasint,omitempty"` // of the source
}

// content is a file whose bytes are being copied.
type content struct {
	In    int   `cbor:"1,keyasint,omitempty"`
	Out   int   `cbor:"2,keyasint,omitempty"`
	Open  bool  `cbor:"3,keyasint,omitempty"`
	Holes bool  `cbor:"4,keyasint,omitempty"` // the source is sparse
	Size  int64 `cbor:"5,keyasint,omitempty"` // bytes so far
	Gap   bool  `cbor:"6,keyasint,omitempty"` // the last block was a hole

	Regular bool   `cbor:"7,keyasint,omitempty"` // the destination is, and may have holes
	Skip    bool   `cbor:"8,keyasint,omitempty"` // only the attributes are copied
	Chmod   bool   `cbor:"9,keyasint,omitempty"`
	Mode    uint32 `cbor:"10,keyasint,omitempty"` // what the destination gets at the end if Chmod
}

// made remembers where a source inode with several links went.
type made struct {
	Ino uint64 `cbor:"1,keyasint,omitempty"`
	Dst string `cbor:"2,keyasint,omitempty"`
}

// copier copies one operand at a time.
type copier struct {
	Stack   []level      `cbor:"1,keyasint,omitempty"`
	Now     pair         `cbor:"2,keyasint,omitempty"`
	Busy    bool         `cbor:"3,keyasint,omitempty"` // Now is to be copied
	File    content      `cbor:"4,keyasint,omitempty"`
	Links   []made       `cbor:"5,keyasint,omitempty"`
	Created []made       `cbor:"6,keyasint,omitempty"` // destinations of command-line operands
	Root    uint64       `cbor:"7,keyasint,omitempty"` // inode of the first directory made for the operand
	Failed  bool         `cbor:"8,keyasint,omitempty"`
	Asker   prompt.Asker `cbor:"9,keyasint,omitempty"`
	Sources []made       `cbor:"10,keyasint,omitempty"` // sources named on the command line, by their paths
	Top     pair         `cbor:"11,keyasint,omitempty"` // the operand

	backed  string // the backup of Now.Dst, while it is begun
	absent  bool   // Now.Dst is taken so, since directories were made for it; it is met in the turn in which it is started
	created destinations
	firsts  firstLinks
	sources sourcePaths
}

func (k *copier) start(src, dst string) {
	k.Now, k.Busy, k.Root = pair{Src: src, Dst: dst, Command: true}, true, 0
	k.Top = k.Now
}

func (k *copier) fail(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	k.Failed = true
}

// turn goes on until the budget is used up; done says that the operand is copied.
func (k *copier) turn(c *cmd.Ctx, r *rules, budget *int) (done bool, next cmd.Next) {
	for *budget > 0 {
		switch {
		case k.File.Open:
			if ok, next := k.content(c, r); !ok {
				return false, next
			}
			*budget -= walk.Turn / 4
		case k.Busy:
			ok, next := k.one(c, r)
			if !ok {
				return false, next
			}
			if !k.File.Open {
				k.Busy = false
			}
			*budget--
		case len(k.Stack) == 0:
			return true, next
		default:
			k.level(c, r, budget)
		}
	}
	return len(k.Stack) == 0 && !k.Busy, cmd.Again()
}

// level takes the next entry of the top directory, or ends it.
func (k *copier) level(c *cmd.Ctx, r *rules, budget *int) {
	top := &k.Stack[len(k.Stack)-1]
	if !top.Dir.Full {
		if err := top.Dir.FillByInode(c, budget); err != nil {
			k.fail(c, "cannot access %s: %s", quote.Shell(c, top.Dir.Path), err)
		}
		return
	}
	if name, _, ok := top.Dir.Next(); ok {
		k.Now = pair{Src: walk.Join(top.Dir.Path, name), Dst: walk.Join(top.Dst, name)}
		k.Busy = true
		return
	}
	*budget--
	if st, err := c.Stat(top.Dir.Path); err == nil {
		k.attributes(c, r, top.Dst, st, true)
	}
	if top.Chmod && !r.mode {
		c.Chmod(top.Dst, top.Mode)
	}
	k.Stack = k.Stack[:len(k.Stack)-1]
}

// attributes gives a destination the owner and times of its source, as far as they are preserved.
func (k *copier) attributes(c *cmd.Ctx, r *rules, dst string, st vfs.Stat, follow bool) {
	if r.owner {
		_ = c.Chown(dst, int(st.UID), int(st.GID), follow) // may be refused: GNU is silent too
	}
	if r.mode && follow {
		if err := c.Chmod(dst, uint32(st.Mode&vfs.PermMask)); err != nil {
			k.fail(c, "preserving permissions for %s: %s", quote.Shell(c, dst), err)
		}
	}
	if r.times {
		if err := c.Utimes(dst, st.Atime, st.Mtime, follow); err != nil {
			k.fail(c, "preserving times for %s: %s", quote.Shell(c, dst), err)
		}
	}
}

// content copies one block.
func (k *copier) content(c *cmd.Ctx, r *rules) (ok bool, next cmd.Next) {
	if c.Pending() > cmd.Turn {
		return false, cmd.WaitWrite()
	}
	f := &k.File
	page := cmd.Borrow()
	defer page.Return()
	buf := page[:]
	n, err := 0, io.EOF
	if !f.Skip {
		n, err = c.Read(f.In, buf)
	}
	if err == cmd.ErrBlocked {
		return false, cmd.WaitRead(f.In)
	}
	if n > 0 {
		buf = buf[:n]
		f.Size += int64(n)
		if f.Gap = f.Regular && (f.Holes || r.sparseAlways) && len(bytes.TrimLeft(buf, "\x00")) == 0; f.Gap {
			_, err = c.Seek(f.Out, int64(n), io.SeekCurrent)
		} else {
			err = c.Write(f.Out, buf)
		}
		if err == nil {
			return true, next
		}
		k.fail(c, "error writing %s: %s", quote.Shell(c, k.Now.Dst), err)
	} else if err != nil && err != io.EOF {
		k.fail(c, "error reading %s: %s", quote.Shell(c, k.Now.Src), err)
	}
	if c.Pending() > c.Out.Len() {
		return false, cmd.WaitWrite() // times are set after the last write
	}
	if f.Gap {
		if err := c.Truncate(k.Now.Dst, f.Size); err != nil {
			k.fail(c, "error writing %s: %s", quote.Shell(c, k.Now.Dst), err)
		}
	}
	st, err := c.Fstat(f.In)
	c.Close(f.In)
	c.Close(f.Out)
	if err == nil {
		k.attributes(c, r, k.Now.Dst, st, true)
	}
	if f.Chmod && !r.mode {
		c.Chmod(k.Now.Dst, f.Mode)
	}
	*f = content{}
	k.Busy = false
	return true, next
}
