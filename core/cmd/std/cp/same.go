package cp

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/canon"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// verdict is what may be done with a source and a destination that exist.
type verdict uint8

const (
	distinct verdict = iota // go on: writing the destination does not harm the source
	refused                 // they are the same file
	finished                // they are what was asked for: nothing is to be done
)

// duel is a source and an existing destination, as the command looks at them: st is what will be copied or moved, to
// what will be replaced or written to.
type duel struct {
	c        *cmd.Ctx
	r        *rules
	src, dst string
	deref    byte // L, H or P for this source
	st, to   vfs.Stat
}

// judge tells whether the destination may be written, replaced or backed up without losing the source. Its rules are
// those of GNU: one file may have several names, and each way to make the destination does away with another part.
func (d *duel) judge() verdict {
	same := d.st.Ino == d.to.Ino
	if same && d.r.hardLink {
		return finished
	}
	srcLink, dstLink := d.st, d.to // without following
	if d.deref != 'P' {
		if !same {
			return distinct
		}
		var err1, err2 error
		srcLink, err1 = d.c.Lstat(d.src)
		dstLink, err2 = d.c.Lstat(d.dst)
		if err1 != nil || err2 != nil {
			return distinct
		}
		if srcLink.Mode.IsLink() && dstLink.Mode.IsLink() && d.r.replace {
			return distinct // the link goes, what it points at stays
		}
	} else if d.st.Mode.IsLink() && d.to.Mode.IsLink() {
		return d.twoLinks(same)
	}
	sameEntry := srcLink.Ino == dstLink.Ino
	if d.r.backup.Kind != 0 {
		return d.backedUp(sameEntry, srcLink, dstLink)
	}
	if d.r.move || d.r.replace {
		if dstLink.Mode.IsLink() {
			return distinct
		}
		if sameEntry && dstLink.Nlink > 1 && !samePlace(d.c, d.r.into, d.src, d.dst) {
			return unless(d.r.move) // to rename one name of a file over another does nothing
		}
	}
	if !srcLink.Mode.IsLink() && !dstLink.Mode.IsLink() {
		if !sameEntry {
			return distinct
		}
		if d.r.hardLink {
			return finished
		}
	}
	if d.r.move && d.st.Mode.IsLink() && dstLink.Nlink > 1 { // the referent has another name, unless the link leads to this one
		if full, err := canon.Path(d.c, d.src, canon.Existing, false, false); err == nil {
			return unless(samePlace(d.c, d.r.into, full, d.dst))
		}
	}
	if d.r.symLink && dstLink.Mode.IsLink() {
		return distinct
	}
	if d.deref == 'P' {
		return d.behindLinks(srcLink, dstLink)
	}
	return refused
}

// twoLinks judges symbolic links that are kept as links.
func (d *duel) twoLinks(same bool) verdict {
	switch {
	case samePlace(d.c, d.r.into, d.src, d.dst):
		return refused
	case d.r.backup.Kind != 0 || !same:
		return distinct
	case d.r.move:
		return refused
	}
	return finished
}

// backedUp judges what is moved out of the way first.
func (d *duel) backedUp(sameEntry bool, srcLink, dstLink vfs.Stat) verdict {
	if sameEntry {
		return unless(samePlace(d.c, d.r.into, d.src, d.dst))
	}
	// The link that is read would dangle once its referent has another name.
	return unless(!d.r.move && d.deref != 'P' && srcLink.Mode.IsLink() && !dstLink.Mode.IsLink())
}

// behindLinks judges a link beside a file that is none.
func (d *duel) behindLinks(srcLink, dstLink vfs.Stat) verdict {
	behind := func(path string, st vfs.Stat) (vfs.Stat, error) {
		if st.Mode.IsLink() {
			return d.c.Stat(path)
		}
		return st, nil
	}
	a, err1 := behind(d.src, srcLink)
	b, err2 := behind(d.dst, dstLink)
	switch {
	case err1 != nil || err2 != nil || a.Ino != b.Ino:
		return distinct
	case !d.r.hardLink:
		return refused
	case dstLink.Mode.IsLink():
		return distinct
	}
	return finished
}

// unless is refused when something holds.
func unless(holds bool) verdict {
	if holds {
		return refused
	}
	return distinct
}

// endangers reports whether the backup of the destination would overwrite the source.
func (d *duel) endangers() bool {
	if d.r.backup.Kind == 'n' || walk.Base(d.src) != walk.Base(d.dst)+d.r.backup.Suffix {
		return false
	}
	at, err := d.c.Stat(d.dst + d.r.backup.Suffix)
	return err == nil && at.Ino == d.st.Ino
}

// backsUp reports whether the destination is moved out of the way: not for a source "." or "..", and a directory
// only by mv.
func (d *duel) backsUp() bool {
	if d.r.backup.Kind == 0 || !d.r.move && d.to.Mode.IsDir() {
		return false
	}
	base := walk.Base(d.src)
	return base != "." && base != ".."
}

// question is what is asked before the destination is replaced.
func (d *duel) question() string {
	name := quote.Shell(d.c, d.dst)
	if d.to.Mode.IsLink() || d.c.Access(d.dst, vfs.W_OK) == nil {
		return d.c.Name + ": overwrite " + name + "? "
	}
	bits, letters := fmt.Sprintf("%04o", d.to.Mode&vfs.PermMask), perm.String(d.to.Mode)[1:]
	if d.r.move || d.r.replace || d.r.force {
		return d.c.Name + ": replace " + name + ", overriding mode " + bits + " (" + letters + ")? "
	}
	return d.c.Name + ": unwritable " + name + " (mode " + bits + ", " + letters + "); try anyway? "
}

// samePlace reports whether two paths name one entry of one directory. It is not looked for behind a link, unless b is
// in the directory that everything goes into.
func samePlace(c *cmd.Ctx, into, a, b string) bool {
	if walk.Base(a) != walk.Base(b) {
		return false
	}
	x, err1 := c.Lstat(walk.Parent(a))
	dir, look := walk.Parent(b), c.Lstat
	if into != "" && dir == strings.TrimRight(into, "/") {
		look = c.Stat
	}
	y, err2 := look(dir)
	return err1 == nil && err2 == nil && x.Ino == y.Ino
}
