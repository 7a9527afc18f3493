// Package remove takes files and trees away in bounded turns.
package remove

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// Options say what may be removed and how.
type Options struct {
	Recursive, Dir, Force, Verbose, Ask bool

	OneDevice bool // stay on the file system of the operand
}

// level is a directory whose entries are being removed.
type level struct {
	Dir  walk.Dir `cbor:"1,keyasint,omitempty"`
	Kept bool     `cbor:"2,keyasint,omitempty"` // something in it stayed: it stays too
	Dev  uint32   `cbor:"3,keyasint,omitempty"` // its file system
}

// Remover removes one operand at a time.
type Remover struct {
	Stack  []level      `cbor:"1,keyasint,omitempty"`
	Next   string       `cbor:"2,keyasint,omitempty"` // the path to look at
	Busy   bool         `cbor:"3,keyasint,omitempty"` // Next is set
	Failed bool         `cbor:"5,keyasint,omitempty"` // something could not be removed, of any operand so far
	Asker  prompt.Asker `cbor:"6,keyasint,omitempty"`
}

// Start begins with a path.
func (r *Remover) Start(path string) { r.Next, r.Busy = path, true }

// Turn goes on until the budget is used up. done says that the operand is dealt
// with; otherwise the program returns next.
func (r *Remover) Turn(c *cmd.Ctx, o Options, budget *int) (done bool, next cmd.Next) {
	for *budget > 0 {
		if r.Busy {
			if ok, next := r.one(c, o); !ok {
				return false, next
			}
			r.Busy, r.Next = false, ""
			*budget--
			continue
		}
		if len(r.Stack) == 0 {
			return true, next
		}
		top := &r.Stack[len(r.Stack)-1]
		if !top.Dir.Full {
			if err := top.Dir.Fill(c, budget); err != nil { // it may be empty
				if ok, next := r.leave(c, o, top, err); !ok {
					return false, next
				}
			}
			continue
		}
		if name, _, ok := top.Dir.Next(); ok {
			r.Next, r.Busy = walk.Join(top.Dir.Path, name), true
			continue
		}
		if ok, next := r.leave(c, o, top, nil); !ok {
			return false, next
		}
		*budget--
	}
	return len(r.Stack) == 0 && !r.Busy, cmd.Again()
}

func (r *Remover) fail(c *cmd.Ctx, path string, err error) {
	c.Errorf("cannot remove %s: %s", quote.Shell(c, path), err)
	r.keep()
	r.Failed = true
}

// keep marks the directories above as not empty.
func (r *Remover) keep() {
	for i := range r.Stack {
		r.Stack[i].Kept = true
	}
}

// ask asks if something may be done to a file of a kind; ok is false while there is no answer.
func (r *Remover) ask(c *cmd.Ctx, o Options, what, kind, path string) (yes, ok bool, next cmd.Next) {
	if !o.Ask {
		return true, true, next
	}
	if kind != "symbolic link" && c.Access(path, vfs.W_OK) == vfs.EACCES {
		kind = "write-protected " + kind
	}
	yes, ok, next = r.Asker.Yes(c, c.Name+": "+what+" "+kind+" "+quote.Shell(c, path)+"? ")
	if ok && !yes {
		r.keep()
	}
	return yes, ok, next
}

// one removes r.Next, or enters it if it is a directory.
func (r *Remover) one(c *cmd.Ctx, o Options) (ok bool, next cmd.Next) {
	path := r.Next
	st, err := c.Lstat(path)
	if err != nil {
		if !o.Force || err != vfs.ENOENT && err != vfs.ENOTDIR {
			r.fail(c, path, err)
		}
		return true, next
	}
	if !st.Mode.IsDir() {
		yes, ok, next := r.ask(c, o, "remove", Kind(st), path)
		if !ok || !yes {
			return ok, next
		}
		if err := c.Unlink(path); err != nil {
			r.fail(c, path, err)
		} else if o.Verbose {
			c.Out.WriteString("removed " + quote.Shell(c, path) + "\n")
		}
		return true, next
	}
	empty := false
	if l, err := c.ReadDir(path, "", 1); err == nil && len(l) == 0 {
		empty = true
	}
	if !o.Recursive {
		if !o.Dir {
			r.fail(c, path, vfs.EISDIR)
			return true, next
		}
		if !empty {
			r.fail(c, path, vfs.ENOTEMPTY)
			return true, next
		}
	}
	if len(r.Stack) >= walk.MaxDepth {
		r.fail(c, path, vfs.ENAMETOOLONG)
		return true, next
	}
	if o.OneDevice && len(r.Stack) > 0 && st.Dev != r.Stack[0].Dev {
		c.Errorf("skipping %s, since it's on a different device", quote.Shell(c, path))
		r.keep()
		r.Failed = true
		return true, next
	}
	if !empty {
		yes, ok, next := r.ask(c, o, "descend into", "directory", path)
		if !ok || !yes {
			return ok, next
		}
		r.Stack = append(r.Stack, level{Dir: walk.Dir{Path: path}, Dev: st.Dev})
		return true, next
	}
	yes, ok, next := r.ask(c, o, "remove", "directory", path)
	if ok && yes {
		r.rmdir(c, o, path, nil)
	}
	return ok, next
}

// leave removes the top directory, whose entries are done, or could not be read.
func (r *Remover) leave(c *cmd.Ctx, o Options, top *level, unread error) (ok bool, next cmd.Next) {
	path, kept := top.Dir.Path, top.Kept
	if !kept {
		yes, ok, next := r.ask(c, o, "remove", "directory", path)
		if !ok {
			return false, next
		}
		kept = !yes
	}
	r.Stack = r.Stack[:len(r.Stack)-1]
	if !kept {
		r.rmdir(c, o, path, unread)
	}
	return true, next
}

// rmdir removes a directory. What is in it may not be known, for a reason that says more than that it is not empty.
func (r *Remover) rmdir(c *cmd.Ctx, o Options, path string, unread error) {
	if err := c.Rmdir(path); err != nil {
		if err == vfs.ENOTEMPTY && unread != nil {
			err = unread
		}
		r.fail(c, path, err)
	} else if o.Verbose {
		c.Out.WriteString("removed directory " + quote.Shell(c, path) + "\n")
	}
}

// Kind names a file type as GNU messages and stat do.
func Kind(st vfs.Stat) string {
	switch st.Mode & vfs.TypeMask {
	case vfs.TypeDir:
		return "directory"
	case vfs.TypeLink:
		return "symbolic link"
	case vfs.TypeFifo:
		return "fifo"
	case vfs.TypeChar:
		return "character special file"
	case vfs.TypeFile:
		if st.Size == 0 {
			return "regular empty file"
		}
		return "regular file"
	case 0o140000:
		return "socket"
	case 0o060000:
		return "block special file"
	}
	return "weird file"
}
