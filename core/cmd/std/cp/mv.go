package cp

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Mv is mv.
func Mv() *cmd.Command {
	options := append([]cmd.Option{
		{Short: 'f', Long: "force", Help: "do not prompt before overwriting"},
		{Short: 'i', Long: "interactive", Help: "prompt before overwrite"},
		{Short: 'n', Long: "no-clobber", Help: "do not overwrite an existing file"},
		{Long: "strip-trailing-slashes", Help: "remove any trailing slashes from each SOURCE argument"},
		{Short: 'u', Long: "update", Help: "move only when the SOURCE file is newer than the destination file or when the destination file is missing"},
		{Short: 'v', Long: "verbose", Help: "explain what is being done"},
		{Short: 'Z', Long: "context", Help: "set SELinux security context", Missing: true},
	}, append(targetOptions(), backup.Options()...)...)
	return &cmd.Command{
		Name: "mv", Summary: "rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY",
		Usage:   "mv [OPTION]... [-T] SOURCE DEST\nmv [OPTION]... SOURCE... DIRECTORY\nmv [OPTION]... -t DIRECTORY SOURCE...",
		Options: options, Class: cmd.Step, New: func() cmd.Program { return &mvProgram{} },
	}
}

// mvProgram renames: there is one file system.
type mvProgram struct {
	I      int          `cbor:"1,keyasint,omitempty"`
	Begun  bool         `cbor:"2,keyasint,omitempty"`
	Into   bool         `cbor:"3,keyasint,omitempty"`
	Status int          `cbor:"4,keyasint,omitempty"`
	Asker  prompt.Asker `cbor:"9,keyasint,omitempty"`
	Moved  []string     `cbor:"10,keyasint,omitempty"` // destinations so far

	moved paths
}

// Step moves a turn's worth of operands.
func (p *mvProgram) Step(c *cmd.Ctx) cmd.Next {
	r := &rules{}
	var ok bool
	if r.backup, ok = backup.Parse(c); !ok {
		return cmd.Exit(1)
	}
	for _, f := range c.Flags {
		switch f.Name {
		case "f":
			r.existing = overwrite
		case "i":
			r.existing = ask
		case "n":
			r.existing = never
		case "u":
			r.update = true
		case "v":
			r.verbose = true
		}
	}
	if r.backup.Kind != 0 && r.existing == never {
		return cmd.Exit(c.UsageError("options --backup and --no-clobber are mutually exclusive"))
	}
	if !p.Begun {
		t, status := findTarget(c, false)
		if status != 0 {
			return cmd.Exit(status)
		}
		p.Begun, p.Into = true, t.into
	}
	t := (&cpProgram{Into: p.Into}).target(c)
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if p.I == len(t.sources) {
			return cmd.Exit(p.Status)
		}
		src := t.sources[p.I]
		if c.Flags.Has("strip-trailing-slashes") {
			src = strings.TrimRight(src, "/")
		}
		if ok, next := p.move(c, r, src, t.of(src)); !ok {
			return next
		}
		p.I++
	}
	return cmd.Again()
}

func (p *mvProgram) fail(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	p.Status = 1
}

// move renames one source. ok is false while a question waits for its answer.
func (p *mvProgram) move(c *cmd.Ctx, r *rules, src, dst string) (ok bool, next cmd.Next) {
	st, err := c.Lstat(src)
	if err == nil && strings.HasSuffix(src, "/") && !st.Mode.IsDir() {
		err = vfs.ENOTDIR
	}
	if err != nil {
		p.fail(c, "cannot stat %s: %s", quote.Shell(c, src), err)
		return true, next
	}
	if r.backup.Kind != 'n' && p.moved.of(c, p.Moved, notePath)[dst] {
		p.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, dst), quote.Shell(c, src))
		return true, next
	}
	backed := ""
	if to, err := c.Lstat(dst); err == nil {
		var proceed bool
		if proceed, ok, next = p.occupied(c, r, src, dst, st, to); !ok || !proceed {
			return ok, next
		}
		if r.backup.Kind != 0 {
			backed = r.backup.Name(c, dst)
			if err := c.Rename(dst, backed); err != nil {
				p.fail(c, "cannot backup %s: %s", quote.Shell(c, dst), err)
				return true, next
			}
		}
	} else if strings.HasSuffix(dst, "/") && !st.Mode.IsDir() {
		p.fail(c, "cannot move %s to %s: %s", quote.Shell(c, src), quote.Shell(c, dst), vfs.ENOTDIR)
		return true, next
	}
	switch err := c.Rename(src, dst); {
	case err == nil:
		p.Moved = append(large.Extend(p.Moved, 1, c), dst)
		if r.verbose {
			s := "renamed " + quote.Shell(c, src) + " -> " + quote.Shell(c, dst)
			if backed != "" {
				s += " (backup: " + quote.Shell(c, backed) + ")"
			}
			c.Out.WriteString(s + "\n")
		}
	case err == vfs.EINVAL && st.Mode.IsDir():
		p.fail(c, "cannot move %s to a subdirectory of itself, %s", quote.Shell(c, src), quote.Shell(c, dst))
	default:
		p.fail(c, "cannot move %s to %s: %s", quote.Shell(c, src), quote.Shell(c, dst), err)
	}
	return true, next
}

// occupied looks at a destination that exists.
func (p *mvProgram) occupied(c *cmd.Ctx, r *rules, src, dst string, st, to vfs.Stat) (proceed, ok bool, next cmd.Next) {
	if r.existing == never {
		return false, true, next
	}
	if at, err := c.Stat(src); st.Mode.IsLink() && err == nil && at.Ino == to.Ino && r.backup.Kind == 0 {
		p.fail(c, "%s and %s are the same file", quote.Shell(c, src), quote.Shell(c, dst))
		return false, true, next
	}
	if st.Ino == to.Ino {
		if st.Nlink > 1 && !st.Mode.IsDir() && strings.TrimRight(src, "/") != strings.TrimRight(dst, "/") && !samePlace(c, src, dst) {
			if err := c.Unlink(src); err != nil {
				p.fail(c, "cannot remove %s: %s", quote.Shell(c, src), err)
			} else if r.verbose {
				c.Out.WriteString("removed " + quote.Shell(c, src) + "\n")
			}
			return false, true, next
		}
		p.fail(c, "%s and %s are the same file", quote.Shell(c, src), quote.Shell(c, dst))
		return false, true, next
	}
	if to.Mode.IsDir() && !st.Mode.IsDir() {
		p.fail(c, "cannot overwrite directory %s with non-directory", quote.Shell(c, dst))
		return false, true, next
	}
	if !to.Mode.IsDir() && st.Mode.IsDir() && r.backup.Kind == 0 {
		p.fail(c, "cannot overwrite non-directory %s with directory %s", quote.Shell(c, dst), quote.Shell(c, src))
		return false, true, next
	}
	if r.update && !st.Mode.IsDir() && to.Mtime >= st.Mtime {
		return false, true, next
	}
	if r.existing == ask {
		yes, ok, next := p.Asker.Yes(c, "mv: overwrite "+quote.Shell(c, dst)+"? ")
		return yes, ok, next
	}
	return true, true, next
}

// samePlace reports whether two paths name one entry of one directory.
func samePlace(c *cmd.Ctx, a, b string) bool {
	if walk.Base(a) != walk.Base(b) {
		return false
	}
	x, err1 := c.Stat(walk.Parent(a))
	y, err2 := c.Stat(walk.Parent(b))
	return err1 == nil && err2 == nil && x.Ino == y.Ino
}
