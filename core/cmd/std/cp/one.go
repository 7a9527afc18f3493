package cp

import (
	"errors"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// deref is how links are followed for k.Now: -H means only what was named on the command line.
func (k *copier) deref(r *rules) byte {
	if r.follow == 'H' && !k.Now.Command {
		return 'P'
	}
	return r.follow
}

// one begins to copy k.Now. ok is false while a question waits for its answer.
func (k *copier) one(c *cmd.Ctx, r *rules) (ok bool, next cmd.Next) {
	if k.Now.Plain {
		plain := *r
		plain.backup = backup.Plan{}
		r = &plain
	}
	d := &duel{c: c, r: r, src: k.Now.Src, dst: k.Now.Dst, deref: k.deref(r)}
	var err error
	if d.deref == 'P' {
		d.st, err = c.Lstat(d.src)
	} else {
		d.st, err = c.Stat(d.src)
	}
	if err != nil {
		k.fail(c, "cannot stat %s: %s", quote.Shell(c, d.src), err)
		return true, next
	}
	if d.st.Mode.IsDir() && !r.recursive {
		what := "-r not specified; omitting directory"
		if c.Def.Name == "install" {
			what = "omitting directory"
		}
		k.fail(c, "%s %s", what, quote.Shell(c, d.src))
		return true, next
	}
	if k.Now.Command {
		if !d.st.Mode.IsDir() && r.backup.Kind == 0 && k.seenSource(c, d) {
			c.Errorf("warning: source file %s specified more than once", quote.Shell(c, d.src))
			return true, next
		}
	}
	exists, proceed, ok, next := k.meet(d)
	if !ok {
		return false, next
	}
	if k.Now.Command {
		k.Sources = append(large.Extend(k.Sources, 1, c), made{uint64(d.st.Ino), d.src})
	}
	if proceed {
		k.create(d, exists)
	}
	k.backed = ""
	return true, next
}

// seenSource reports whether the same entry was named on the command line before.
func (k *copier) seenSource(c *cmd.Ctx, d *duel) bool {
	for _, path := range k.sources.of(c, k.Sources, noteSource)[uint64(d.st.Ino)] {
		if samePlace(c, "", path, d.src) {
			return true
		}
	}
	return false
}

// byLink reports whether a destination is looked at without following it: only a regular file is written through a link.
func (k *copier) byLink(d *duel) bool {
	regular := d.st.Mode.IsRegular() || !d.r.recursive && !d.st.Mode.IsDir() && !d.st.Mode.IsLink()
	return !regular || d.r.symLink || d.r.hardLink || d.r.backup.Kind != 0 || d.r.replace
}

// meet looks at the destination: may it be replaced, and how? exists says that something is (still) there.
func (k *copier) meet(d *duel) (exists, proceed, ok bool, next cmd.Next) {
	c, r := d.c, d.r
	err := error(vfs.ENOENT)
	switch {
	case k.absent:
		k.absent = false
	case k.byLink(d):
		d.to, err = c.Lstat(d.dst)
	default:
		d.to, err = c.Stat(d.dst)
	}
	switch {
	case err == nil:
		if proceed, ok, next = k.occupied(d); !ok || !proceed {
			return true, false, ok, next
		}
		exists, proceed = k.clear(d)
		if !proceed {
			return exists, false, true, next
		}
	case err == vfs.ELOOP && r.force:
		exists = true
	case err != vfs.ENOENT:
		k.fail(c, "cannot stat %s: %s", quote.Shell(c, d.dst), err)
		return false, false, true, next
	}
	if k.Now.Command && r.backup.Kind == 0 {
		link, err := c.Lstat(d.dst)
		if err == nil && link.Mode.IsLink() && k.created.of(c, k.Created, noteMade)[made{uint64(link.Ino), d.dst}] {
			k.fail(c, "will not copy %s through just-created symlink %s", quote.Shell(c, d.src), quote.Shell(c, d.dst))
			return exists, false, true, next
		}
	}
	return exists, true, true, next
}

// occupied decides whether an existing destination gives way.
func (k *copier) occupied(d *duel) (proceed, ok bool, next cmd.Next) {
	c, r, dir := d.c, d.r, d.st.Mode.IsDir()
	found := distinct
	if r.existing != never {
		if found = d.judge(); found == refused {
			k.fail(c, "%s and %s are the same file", quote.Shell(c, d.src), quote.Shell(c, d.dst))
			return false, true, next
		}
	}
	if r.update && !dir && d.to.Mtime >= d.st.Mtime {
		if k.links(d) {
			k.relink(d, k.remember(c, d.st.Ino, d.dst))
		}
		return false, true, next
	}
	switch {
	case dir:
	case r.existing == never:
		return false, true, next
	case r.existing == ask:
		yes, ok, next := k.Asker.Yes(c, d.question())
		if !ok || !yes {
			return false, ok, next
		}
	}
	switch {
	case found == finished:
		return false, true, next
	case !d.to.Mode.IsDir() && dir:
		k.fail(c, "cannot overwrite non-directory %s with directory %s", quote.Shell(c, d.dst), quote.Shell(c, d.src))
		return false, true, next
	case !d.to.Mode.IsDir() && k.Now.Command && r.backup.Kind != 'n' && k.created.of(c, k.Created, noteMade)[made{uint64(d.to.Ino), d.dst}]:
		k.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, d.dst), quote.Shell(c, d.src))
		return false, true, next
	case d.to.Mode.IsDir() && !dir:
		k.fail(c, "cannot overwrite directory %s with non-directory", quote.Shell(c, d.dst))
		return false, true, next
	}
	return true, true, next
}

// clear moves an existing destination to its backup or removes it, if that is to be; exists says that it is still there.
func (k *copier) clear(d *duel) (exists, proceed bool) {
	c, r := d.c, d.r
	switch {
	case d.backsUp():
		if d.endangers() {
			k.fail(c, "backing up %s might destroy source;  %s not copied", quote.Shell(c, d.dst), quote.Shell(c, d.src))
			return true, false
		}
		name := r.backup.Name(c, d.dst)
		if err := c.Rename(d.dst, name); err != nil {
			k.fail(c, "cannot backup %s: %s", quote.Shell(c, d.dst), err)
			return true, false
		}
		k.backed = name
		return false, true // even if it has a name of the same file, which stays: what is there is not written to
	case d.to.Mode.IsDir():
		return true, true
	case r.replace, !r.attributesOnly && (r.links && d.to.Nlink > 1 || d.deref == 'P' && !d.st.Mode.IsRegular()):
		if err := c.Unlink(d.dst); err != nil && err != vfs.ENOENT {
			k.fail(c, "cannot remove %s: %s", quote.Shell(c, d.dst), err)
			return true, false
		}
		if r.verbose {
			c.Out.WriteString("removed " + quote.Shell(c, d.dst) + "\n")
		}
	default:
		return true, true
	}
	_, err := c.Lstat(d.dst)
	return err == nil, true
}

// create makes the destination.
func (k *copier) create(d *duel, exists bool) {
	c, r, st := d.c, d.r, d.st
	if r.verbose && !st.Mode.IsDir() {
		if r.across {
			c.Out.WriteString("copied ")
		}
		k.said(c)
	}
	if st.Mode.IsDir() {
		k.directory(d, exists)
		return
	}
	if k.links(d) {
		if first := k.remember(c, st.Ino, d.dst); first != "" {
			k.relink(d, first)
			return
		}
	}
	made := true
	switch {
	case r.symLink:
		made = k.symlink(d)
	case r.hardLink:
		made = k.hardlink(d, d.src, r.force || r.existing == ask, false)
	case st.Mode.IsRegular() || !r.recursive && !st.Mode.IsLink():
		made = k.regular(d, exists)
	case st.Mode.IsLink():
		made = k.copyLink(d, exists)
	case st.Mode&vfs.TypeMask == vfs.TypeFifo:
		made = k.fifo(d)
	default:
		made = k.regular(d, exists) // devices: there is no making one
	}
	if !made {
		k.forget(c, st.Ino)
		k.restore(c, d.dst)
	} else if k.Now.Command {
		k.note(c, d.dst)
	}
}

// restore gives the destination its name back after a failure.
func (k *copier) restore(c *cmd.Ctx, dst string) {
	if k.backed == "" {
		return
	}
	if err := c.Rename(k.backed, dst); err != nil {
		k.fail(c, "cannot un-backup %s: %s", quote.Shell(c, dst), err)
	}
}

// note keeps in mind that a destination was made for an operand.
func (k *copier) note(c *cmd.Ctx, dst string) {
	if st, err := c.Lstat(dst); err == nil {
		k.Created = append(large.Extend(k.Created, 1, c), made{uint64(st.Ino), dst})
	}
}

// links reports whether another name of the source may have been copied before. A link that is followed may lead to
// a file that was named itself, whatever its count of names.
func (k *copier) links(d *duel) bool {
	return d.r.links && !d.r.hardLink && (d.st.Nlink > 1 || d.deref != 'P')
}

// remember says where an inode was copied to before; if nowhere, it is to dst now.
func (k *copier) remember(c *cmd.Ctx, ino vfs.Ino, dst string) (first string) {
	if first = k.firsts.of(c, k.Links, noteLink)[uint64(ino)]; first == "" {
		k.Links = append(large.Extend(k.Links, 1, c), made{uint64(ino), dst})
	}
	return first
}

// forget undoes remember: nothing was made.
func (k *copier) forget(c *cmd.Ctx, ino vfs.Ino) {
	if k.firsts.of(c, k.Links, noteLink)[uint64(ino)] != "" {
		k.Links = append(large.Extend(k.Links, 1, c), made{Ino: uint64(ino)})
	}
}

// relink makes the destination another name of one that was made before; first is "" if there is none.
func (k *copier) relink(d *duel, first string) {
	if first != "" && !k.hardlink(d, first, true, d.r.verbose) {
		k.restore(d.c, d.dst)
	}
}

// hardlink makes dst a name of from. With replace it may take the place of another.
func (k *copier) hardlink(d *duel, from string, replace, verbose bool) bool {
	c := d.c
	replaced, err := putLink(c, d.dst, replace, func(path string) error { return link(c, from, path, d.deref != 'P') })
	if err != nil {
		k.fail(c, "cannot create hard link %s to %s: %s", quote.Shell(c, d.dst), quote.Shell(c, from), err)
		return false
	}
	if replaced && verbose {
		c.Out.WriteString("removed " + quote.Shell(c, d.dst) + "\n")
	}
	return true
}

// said writes the line of -v.
func (k *copier) said(c *cmd.Ctx) {
	c.Out.WriteString(arrow(c, k.Now.Src, k.Now.Dst, k.backed))
}

// arrow is what -v says of one file.
func arrow(c *cmd.Ctx, src, dst, backed string) string {
	s := quote.Shell(c, src) + " -> " + quote.Shell(c, dst)
	if backed != "" {
		s += " (backup: " + quote.Shell(c, backed) + ")"
	}
	return s + "\n"
}

// symlink is cp -s.
func (k *copier) symlink(d *duel) bool {
	c := d.c
	if !strings.HasPrefix(d.src, "/") && !here(c, walk.Parent(d.dst)) {
		k.fail(c, "%s: can make relative symbolic links only in current directory", quote.File(c, d.dst))
		return false
	}
	if _, err := putLink(c, d.dst, d.r.force, func(path string) error { return c.Symlink(d.src, path) }); err != nil {
		k.fail(c, "cannot create symbolic link %s to %s: %s", quote.Shell(c, d.dst), quote.Shell(c, d.src), err)
		return false
	}
	return true
}

// here reports whether a directory is the working directory; one that cannot be looked at fails later.
func here(c *cmd.Ctx, dir string) bool {
	a, err1 := c.Stat(".")
	b, err2 := c.Stat(dir)
	return err1 != nil || err2 != nil || a.Ino == b.Ino
}

// copyLink copies a symbolic link as it is.
func (k *copier) copyLink(d *duel, exists bool) bool {
	c := d.c
	text, err := c.Readlink(d.src)
	if err != nil {
		k.fail(c, "cannot read symbolic link %s: %s", quote.Shell(c, d.src), err)
		return false
	}
	_, err = putLink(c, d.dst, d.r.force, func(path string) error { return c.Symlink(text, path) })
	if err != nil && d.r.update && exists {
		if old, e := c.Readlink(d.dst); e == nil && old == text {
			err = nil
		}
	}
	if err != nil {
		k.fail(c, "cannot create symbolic link %s: %s", quote.Shell(c, d.dst), err)
		return false
	}
	k.attributes(c, d.r, d.dst, d.st, false)
	return true
}

func (k *copier) fifo(d *duel) bool {
	if err := d.c.Mkfifo(d.dst, uint32(d.st.Mode&0o777)); err != nil {
		k.fail(d.c, "cannot create fifo %s: %s", quote.Shell(d.c, d.dst), err)
		return false
	}
	k.attributes(d.c, d.r, d.dst, d.st, true)
	return true
}

// directory makes a destination directory and enters the source.
func (k *copier) directory(d *duel, exists bool) {
	c, st := d.c, d.st
	first := ""
	if k.Now.Command {
		first = k.remember(c, st.Ino, d.dst)
	} else {
		first = k.firsts.of(c, k.Links, noteLink)[uint64(st.Ino)]
	}
	switch {
	case first == "":
	case samePlace(c, d.r.into, d.src, first):
		k.intoSelf(c)
		return
	case samePlace(c, d.r.into, d.dst, first):
		c.Errorf("warning: source directory %s specified more than once", quote.Shell(c, k.Top.Src))
		return
	case d.deref == 'P':
		k.fail(c, "will not create hard link %s to directory %s", quote.Shell(c, d.dst), quote.Shell(c, first))
		return
	}
	for _, l := range k.Stack {
		if l.Ino == uint64(st.Ino) {
			k.fail(c, "cannot copy cyclic symbolic link %s", quote.Shell(c, d.src))
			return
		}
	}
	if len(k.Stack) >= walk.MaxDepth {
		k.fail(c, "cannot create directory %s: %s", quote.Shell(c, d.dst), vfs.ENAMETOOLONG)
		return
	}
	l := level{Dir: walk.Dir{Path: d.src}, Dst: d.dst, Ino: uint64(st.Ino), Dev: st.Dev}
	if r := d.r; r.oneDevice && len(k.Stack) > 0 && st.Dev != k.Stack[0].Dev {
		l.Dir.Full = true // it is made, and nothing in it
	}
	if !exists && !k.mkdir(d, &l) {
		k.forget(c, st.Ino)
		return
	}
	if k.Now.Command {
		k.note(c, d.dst)
	}
	k.Stack = append(k.Stack, l)
}

// intoSelf ends the copying of an operand whose copy is below itself: it would never end.
func (k *copier) intoSelf(c *cmd.Ctx) {
	k.fail(c, "cannot copy a directory, %s, into itself, %s", quote.Shell(c, k.Top.Src), quote.Shell(c, k.Top.Dst))
	for i := range k.Stack {
		k.Stack[i].Dir.I = len(k.Stack[i].Dir.Names)
	}
}

// mkdir makes the directory of a level, open to its owner while it is filled.
func (k *copier) mkdir(d *duel, l *level) bool {
	c, r := d.c, d.r
	mode := uint32(d.st.Mode & 0o1777)
	if r.noMode {
		mode = 0o777
	}
	if err := c.Mkdir(d.dst, mode|0o700); err != nil {
		k.fail(c, "cannot create directory %s: %s", quote.Shell(c, d.dst), err)
		return false
	}
	if l.Mode, l.Chmod = mode&^c.Umask(), true; r.mode {
		l.Mode = uint32(d.st.Mode & vfs.PermMask)
	}
	switch {
	case r.verbose && r.across:
		c.Out.WriteString("created directory " + quote.Shell(c, d.dst) + "\n")
	case r.verbose:
		k.said(c)
	}
	if st, err := c.Stat(d.dst); err == nil && k.Root == 0 { // the first that is made for an operand
		k.Root = uint64(st.Ino)
		k.remember(c, st.Ino, d.dst)
	}
	return true
}

// regular opens both ends; the bytes follow in later turns.
func (k *copier) regular(d *duel, exists bool) bool {
	c, r := d.c, d.r
	in, err := c.Open(d.src, vfs.O_RDONLY, 0)
	if err != nil {
		k.fail(c, "cannot open %s for reading: %s", quote.Shell(c, d.src), err)
		return false
	}
	out, fresh, err := k.openOut(d, exists)
	if err != nil {
		c.Close(in)
		if err != errTold {
			k.fail(c, "cannot create regular file %s: %s", quote.Shell(c, d.dst), err)
		}
		return false
	}
	f := content{In: in, Out: out, Open: true, Skip: r.attributesOnly}
	if to, err := c.Fstat(out); err == nil && to.Mode.IsRegular() {
		f.Regular, f.Holes = true, d.st.Mode.IsRegular() && d.st.Stored < d.st.Size-4095 && !r.sparseNever
	}
	if fresh && (r.noMode || r.owner) {
		f.Chmod, f.Mode = true, newMode(d)&^c.Umask()
	}
	k.File = f
	return true
}

// newMode is the mode a regular file is made with, before umask.
func newMode(d *duel) uint32 {
	if d.r.noMode {
		return 0o666
	}
	return uint32(d.st.Mode & 0o777)
}

// errTold is an error that was reported.
var errTold = errors.New("reported")

// openOut opens the destination; fresh says that it was not there.
func (k *copier) openOut(d *duel, exists bool) (fd int, fresh bool, err error) {
	c, r := d.c, d.r
	mode := newMode(d)
	if r.owner {
		mode &= 0o700
	}
	if exists {
		flags := vfs.O_WRONLY | vfs.O_TRUNC
		if r.attributesOnly {
			flags = vfs.O_WRONLY
		}
		if fd, err = c.Open(d.dst, flags, 0); err == nil || err != vfs.ENOENT && !r.force {
			return fd, false, err
		}
		if err != vfs.ENOENT {
			if err = c.Unlink(d.dst); err != nil {
				k.fail(c, "cannot remove %s: %s", quote.Shell(c, d.dst), err)
				return -1, false, errTold
			}
			if r.verbose {
				c.Out.WriteString("removed " + quote.Shell(c, d.dst) + "\n")
			}
		}
	}
	fd, err = c.Open(d.dst, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_EXCL, mode)
	if err == vfs.EEXIST {
		if st, e := c.Lstat(d.dst); e == nil && st.Mode.IsLink() {
			if _, posix := c.Getenv("POSIXLY_CORRECT"); !posix || c.Def.Name != "cp" {
				k.fail(c, "not writing through dangling symlink %s", quote.Shell(c, d.dst))
				return -1, false, errTold
			}
			fd, err = c.Open(d.dst, vfs.O_WRONLY|vfs.O_CREAT, mode)
		}
	}
	if err == vfs.EISDIR && strings.HasSuffix(d.dst, "/") {
		err = vfs.ENOTDIR
	}
	return fd, true, err
}
