package cp

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/canon"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// one begins to copy k.Now. ok is false while a question waits for its answer.
func (k *copier) one(c *cmd.Ctx, r *rules) (ok bool, next cmd.Next) {
	src, dst := k.Now.Src, k.Now.Dst
	follow := r.follow == 'L' || r.follow == 'H' && k.Now.Command
	st, err := c.Lstat(src)
	if follow && err == nil {
		st, err = c.Stat(src)
	}
	if err != nil {
		k.fail(c, "cannot stat %s: %s", quote.Shell(c, src), err)
		return true, next
	}
	if st.Mode.IsDir() && !r.recursive {
		what := "-r not specified; omitting directory"
		if c.Def.Name == "install" {
			what = "omitting directory"
		}
		k.fail(c, "%s %s", what, quote.Shell(c, src))
		return true, next
	}
	if k.Now.Command {
		switch created := k.created.of(c, k.Created, noteMade); {
		case r.backup.Kind == 'n' || !created[made{Dst: dst}]:
		case st.Mode.IsDir():
			c.Errorf("warning: source directory %s specified more than once", quote.Shell(c, src))
			return true, next
		case created[made{uint64(st.Ino), dst}]:
			c.Errorf("warning: source file %s specified more than once", quote.Shell(c, src))
			return true, next
		}
	}
	to, lerr := c.Lstat(dst)
	exists := lerr == nil
	if exists {
		proceed, ok, next := k.occupied(c, r, st, to, follow)
		if !proceed || !ok {
			return ok, next
		}
		_, lerr = c.Lstat(dst)
		exists = lerr == nil
	}
	if k.Now.Command {
		k.Created = append(large.Extend(k.Created, 1, c), made{uint64(st.Ino), dst})
	}
	switch {
	case st.Mode.IsDir():
		k.directory(c, r, st, exists)
	case k.linked(c, r, st):
	case r.hardLink:
		k.said(c, r)
		from := src
		if follow {
			if p, err := canon.Path(c, src, canon.Existing, false, false); err == nil {
				from = p
			}
		}
		if err := c.Link(from, dst); err != nil {
			k.fail(c, "cannot create hard link %s to %s: %s", quote.Shell(c, dst), quote.Shell(c, src), err)
		}
	case r.symLink:
		k.symlink(c, r, src, st)
	case st.Mode.IsLink():
		text, err := c.Readlink(src)
		if err != nil {
			k.fail(c, "cannot read symbolic link %s: %s", quote.Shell(c, src), err)
			break
		}
		k.said(c, r)
		if exists {
			c.Unlink(dst)
		}
		if err := c.Symlink(text, dst); err != nil {
			k.fail(c, "cannot create symbolic link %s: %s", quote.Shell(c, dst), err)
			break
		}
		k.attributes(c, r, dst, st, false)
	case st.Mode&vfs.TypeMask == vfs.TypeFifo && r.recursive:
		k.said(c, r)
		if err := c.Mkfifo(dst, uint32(st.Mode&0o777)); err != nil {
			k.fail(c, "cannot create fifo %s: %s", quote.Shell(c, dst), err)
			break
		}
		k.attributes(c, r, dst, st, true)
	default:
		k.regular(c, r, st, exists)
	}
	k.backed = ""
	return true, next
}

// occupied looks at a destination that exists: may it be replaced, and is it the same file?
func (k *copier) occupied(c *cmd.Ctx, r *rules, st, to vfs.Stat, follow bool) (proceed, ok bool, next cmd.Next) {
	src, dst := k.Now.Src, k.Now.Dst
	seen := to
	if to.Mode.IsLink() && !(st.Mode.IsLink() && !follow) {
		if s, err := c.Stat(dst); err == nil {
			seen = s
		}
	}
	if r.existing == never && !st.Mode.IsDir() {
		return false, true, next
	}
	same := seen.Ino == st.Ino && !st.Mode.IsDir()
	if same && !r.hardLink || same && r.hardLink && to.Ino == st.Ino {
		switch {
		case r.hardLink:
			return false, true, next
		case r.symLink && to.Mode.IsLink() && r.force, r.replace && to.Ino != st.Ino, r.backup.Kind != 0 && to.Ino == st.Ino && src != dst && st.Nlink > 1,
			r.replace && src != dst && to.Nlink > 1, c.Def.Name == "install" && to.Ino != st.Ino:
		case r.backup.Kind != 0 && r.force && src == dst:
		default:
			k.fail(c, "%s and %s are the same file", quote.Shell(c, src), quote.Shell(c, dst))
			return false, true, next
		}
	}
	if r.update && !st.Mode.IsDir() && seen.Mtime >= st.Mtime {
		return false, true, next
	}
	if seen.Mode.IsDir() != st.Mode.IsDir() {
		switch {
		case st.Mode.IsDir():
			if to.Mode.IsLink() || !r.hardLink {
				k.fail(c, "cannot overwrite non-directory %s with directory %s", quote.Shell(c, dst), quote.Shell(c, src))
				return false, true, next
			}
		case to.Mode.IsDir():
			k.fail(c, "cannot overwrite directory %s with non-directory", quote.Shell(c, dst))
			return false, true, next
		}
	}
	if st.Mode.IsDir() {
		return true, true, next
	}
	if r.existing == ask {
		yes, ok, next := k.Asker.Yes(c, c.Name+": overwrite "+quote.Shell(c, dst)+"? ")
		if !ok || !yes {
			return false, ok, next
		}
	}
	if k.Now.Command && r.backup.Kind != 'n' && k.created.of(c, k.Created, noteMade)[made{Dst: dst}] {
		k.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, dst), quote.Shell(c, src))
		return false, true, next
	}
	if r.backup.Kind != 0 {
		name := r.backup.Name(c, dst)
		if err := c.Rename(dst, name); err != nil {
			k.fail(c, "cannot backup %s: %s", quote.Shell(c, dst), err)
			return false, true, next
		}
		k.backed = name
		if src == dst {
			k.Now.Src = name
		}
		return true, true, next
	}
	if r.replace || r.force && (r.hardLink || r.symLink) || st.Mode.IsLink() && !follow ||
		(r.links && st.Nlink > 1 && k.firsts.of(c, k.Links, noteLink)[uint64(st.Ino)] != "") {
		if err := c.Unlink(dst); err != nil {
			k.fail(c, "cannot remove %s: %s", quote.Shell(c, dst), err)
			return false, true, next
		}
		if r.verbose {
			c.Out.WriteString("removed " + quote.Shell(c, dst) + "\n")
		}
	}
	return true, true, next
}

// linked makes a link where another link of the source was copied before.
func (k *copier) linked(c *cmd.Ctx, r *rules, st vfs.Stat) bool {
	if !r.links || st.Nlink < 2 {
		return false
	}
	first, ok := k.firsts.of(c, k.Links, noteLink)[uint64(st.Ino)]
	if !ok {
		k.Links = append(large.Extend(k.Links, 1, c), made{uint64(st.Ino), k.Now.Dst})
		return false
	}
	k.said(c, r)
	if err := c.Link(first, k.Now.Dst); err != nil {
		k.fail(c, "cannot create hard link %s to %s: %s", quote.Shell(c, k.Now.Dst), quote.Shell(c, first), err)
	}
	return true
}

// said writes the line of -v.
func (k *copier) said(c *cmd.Ctx, r *rules) {
	if !r.verbose {
		return
	}
	s := quote.Shell(c, k.Now.Src) + " -> " + quote.Shell(c, k.Now.Dst)
	if k.backed != "" {
		s += " (backup: " + quote.Shell(c, k.backed) + ")"
	}
	c.Out.WriteString(s + "\n")
}

func (k *copier) symlink(c *cmd.Ctx, r *rules, src string, st vfs.Stat) {
	dst := k.Now.Dst
	if !strings.HasPrefix(src, "/") && strings.Contains(dst, "/") && walk.Parent(dst) != "." {
		k.fail(c, "%s: can make relative symbolic links only in current directory", quote.Maybe(c, dst))
		return
	}
	k.said(c, r)
	if err := c.Symlink(src, dst); err != nil {
		k.fail(c, "cannot create symbolic link %s to %s: %s", quote.Shell(c, dst), quote.Shell(c, src), err)
	}
}

// directory makes a destination directory and enters the source.
func (k *copier) directory(c *cmd.Ctx, r *rules, st vfs.Stat, exists bool) {
	src, dst := k.Now.Src, k.Now.Dst
	for _, l := range k.Stack {
		if l.Ino == uint64(st.Ino) {
			k.fail(c, "cannot copy cyclic symbolic link %s", quote.Shell(c, src))
			return
		}
	}
	if k.Root != 0 && uint64(st.Ino) == k.Root {
		top := k.Stack[0]
		k.fail(c, "cannot copy a directory, %s, into itself, %s", quote.Shell(c, strings.TrimRight(top.Dir.Path, "/")), quote.Shell(c, top.Dst))
		return
	}
	if len(k.Stack) >= walk.MaxDepth {
		k.fail(c, "cannot create directory %s: %s", quote.Shell(c, dst), vfs.ENAMETOOLONG)
		return
	}
	l := level{Dir: walk.Dir{Path: src}, Dst: dst, Ino: uint64(st.Ino)}
	if !exists {
		mode := uint32(st.Mode & 0o777)
		if r.noMode {
			mode = 0o777
		}
		if err := c.Mkdir(dst, mode|0o700); err != nil {
			k.fail(c, "cannot create directory %s: %s", quote.Shell(c, dst), err)
			return
		}
		l.Mode, l.Chmod = mode&^c.Umask(), !r.mode
		if r.mode {
			l.Mode, l.Chmod = uint32(st.Mode&vfs.PermMask), true
		}
		k.said(c, r)
		if made, err := c.Stat(dst); err == nil && len(k.Stack) == 0 {
			k.Root = uint64(made.Ino)
		}
	}
	k.Stack = append(k.Stack, l)
}

// regular opens both ends; the bytes follow in later turns.
func (k *copier) regular(c *cmd.Ctx, r *rules, st vfs.Stat, exists bool) {
	src, dst := k.Now.Src, k.Now.Dst
	if r.attributesOnly {
		fd, err := c.Open(dst, vfs.O_WRONLY|vfs.O_CREAT, uint32(st.Mode&0o777))
		if err != nil {
			k.fail(c, "cannot create regular file %s: %s", quote.Shell(c, dst), err)
			return
		}
		c.Close(fd)
		k.said(c, r)
		k.attributes(c, r, dst, st, true)
		return
	}
	in, err := c.Open(src, vfs.O_RDONLY, 0)
	if err != nil {
		k.fail(c, "cannot open %s for reading: %s", quote.Shell(c, src), err)
		return
	}
	if to, err := c.Lstat(dst); err == nil && to.Mode.IsLink() {
		if _, err := c.Stat(dst); err != nil {
			c.Close(in)
			k.fail(c, "not writing through dangling symlink %s", quote.Shell(c, dst))
			return
		}
	}
	mode := uint32(st.Mode & 0o777)
	if r.noMode {
		mode = 0o666
	}
	if r.mode || r.owner {
		mode &= 0o700
	}
	out, err := c.Open(dst, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, mode)
	if err != nil && exists && r.force {
		if c.Unlink(dst) == nil {
			if r.verbose {
				c.Out.WriteString("removed " + quote.Shell(c, dst) + "\n")
			}
			out, err = c.Open(dst, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_EXCL, mode)
		}
	}
	if err != nil {
		if err == vfs.EISDIR && strings.HasSuffix(dst, "/") {
			err = vfs.ENOTDIR
		}
		c.Close(in)
		k.fail(c, "cannot create regular file %s: %s", quote.Shell(c, dst), err)
		return
	}
	k.said(c, r)
	k.File = content{In: in, Out: out, Open: true, Holes: st.Mode.IsRegular() && st.Stored < st.Size-4095}
}
