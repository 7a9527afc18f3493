package cp

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/remove"
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
		Name: "mv", Acts: true, Summary: "rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY",
		Usage:   "mv [OPTION]... [-T] SOURCE DEST\nmv [OPTION]... SOURCE... DIRECTORY\nmv [OPTION]... -t DIRECTORY SOURCE...",
		Options: options, Class: cmd.Step, New: func() cmd.Program { return &mvProgram{} },
	}
}

// mvProgram renames, and copies what goes to another file system.
type mvProgram struct {
	I      int          `cbor:"1,keyasint,omitempty"`
	Begun  bool         `cbor:"2,keyasint,omitempty"`
	Into   bool         `cbor:"3,keyasint,omitempty"`
	Status int          `cbor:"4,keyasint,omitempty"`
	Asker  prompt.Asker `cbor:"9,keyasint,omitempty"`
	Moved  []string     `cbor:"10,keyasint,omitempty"` // destinations so far

	Across  uint8          `cbor:"11,keyasint,omitempty"` // copying or removing a source that goes to another file system
	Copier  copier         `cbor:"12,keyasint,omitempty"`
	Remover remove.Remover `cbor:"13,keyasint,omitempty"`

	moved paths
}

// Wrong checks the operand.
func (p *mvProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

// Step moves a turn's worth of operands.
func (p *mvProgram) Step(c *cmd.Ctx) cmd.Next {
	r := &rules{move: true}
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
	if c.Flags.Has("strip-trailing-slashes") {
		stripSlashes(c.Args)
	}
	if !p.Begun {
		t, status := findTarget(c, false)
		if status != 0 {
			return cmd.Exit(status)
		}
		p.Begun, p.Into = true, t.into
	}
	t := (&cpProgram{Into: p.Into}).target(c)
	r.into = t.dir()
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if p.Across != 0 {
			if done, next := p.across(c, r, t.sources[p.I], &budget); !done {
				return next
			}
			p.I++
			continue
		}
		if p.I >= len(t.sources) {
			return cmd.Exit(p.Status)
		}
		src := t.sources[p.I]
		if ok, next := p.move(c, r, src, t.of(src)); !ok {
			return next
		}
		if p.Across == 0 {
			p.I++
		}
	}
	return cmd.Again()
}

func (p *mvProgram) fail(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	p.Status = 1
}

// move renames one source. ok is false while a question waits for its answer.
func (p *mvProgram) move(c *cmd.Ctx, r *rules, src, dst string) (ok bool, next cmd.Next) {
	d := &duel{c: c, r: r, src: src, dst: dst, deref: 'P'}
	if base := walk.Base(src); r.existing == never && base != "." && base != ".." && there(c, src) && there(c, dst) {
		return true, next
	}
	var err error
	if d.st, err = c.Lstat(src); err == nil && strings.HasSuffix(src, "/") && !d.st.Mode.IsDir() {
		err = vfs.ENOTDIR
	}
	if err != nil {
		p.fail(c, "cannot stat %s: %s", quote.Shell(c, src), err)
		return true, next
	}
	backed := ""
	if d.to, err = c.Lstat(dst); err == nil {
		proceed, ok, next := p.occupied(d)
		if !ok || !proceed {
			return ok, next
		}
		if d.backsUp() {
			if backed, ok = p.backUp(d); !ok {
				return true, next
			}
		}
	} else if err != vfs.ENOENT {
		p.fail(c, "cannot stat %s: %s", quote.Shell(c, dst), err)
		return true, next
	}
	if err = c.Rename(src, dst); err == nil {
		p.Moved = append(large.Extend(p.Moved, 1, c), dst)
		if r.verbose {
			c.Out.WriteString("renamed " + arrow(c, src, dst, backed))
		}
		return true, next
	}
	if err == vfs.EXDEV {
		return true, p.begin(d)
	}
	if err == vfs.EINVAL {
		p.fail(c, "cannot move %s to a subdirectory of itself, %s", quote.Shell(c, src), quote.Shell(c, dst))
	} else {
		p.fail(c, "cannot move %s to %s: %s", quote.Shell(c, src), quote.Shell(c, dst), err)
	}
	return true, next
}

// What is done with a source that goes to another file system.
const (
	copying uint8 = iota + 1
	removing
)

// begin takes the destination away, as rename(2) would have, and starts to copy.
func (p *mvProgram) begin(d *duel) (next cmd.Next) {
	away := d.c.Unlink
	if d.st.Mode.IsDir() {
		away = d.c.Rmdir
	}
	if err := away(d.dst); err != nil && err != vfs.ENOENT {
		p.fail(d.c, "inter-device move failed: %s to %s; unable to remove target: %s", quote.Shell(d.c, d.src), quote.Shell(d.c, d.dst), err)
		return next
	}
	p.Across, p.Copier.Failed = copying, false
	p.Copier.start(d.src, d.dst)
	return next
}

// across copies a source and then removes it; a copy that failed leaves it where it is.
func (p *mvProgram) across(c *cmd.Ctx, r *rules, src string, budget *int) (done bool, next cmd.Next) {
	if p.Across == copying {
		all := &rules{across: true, follow: 'P', recursive: true, links: true, mode: true, owner: true, times: true, verbose: r.verbose}
		if done, next := p.Copier.turn(c, all, budget); !done {
			return false, next
		}
		if p.Copier.Failed {
			p.Status, p.Across = 1, 0
			return true, next
		}
		p.Moved = append(large.Extend(p.Moved, 1, c), p.Copier.Top.Dst)
		p.Across, p.Remover.Failed = removing, false
		p.Remover.Start(src)
	}
	done, next = p.Remover.Turn(c, remove.Options{Recursive: true, Force: true, Verbose: r.verbose}, budget)
	if !done {
		return false, next
	}
	if p.Across = 0; p.Remover.Failed {
		p.Status = 1
	}
	return true, next
}

// stripSlashes takes the slashes off the ends of paths.
func stripSlashes(paths []string) {
	for i, path := range paths {
		if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
			paths[i] = trimmed
		}
	}
}

// there reports whether a name is taken, whatever it leads to.
func there(c *cmd.Ctx, path string) bool {
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		path = trimmed
	}
	_, err := c.Lstat(path)
	return err == nil
}

// backUp moves the destination out of the way.
func (p *mvProgram) backUp(d *duel) (name string, ok bool) {
	if d.endangers() {
		p.fail(d.c, "backing up %s might destroy source;  %s not moved", quote.Shell(d.c, d.dst), quote.Shell(d.c, d.src))
		return "", false
	}
	name = d.r.backup.Name(d.c, d.dst)
	if err := d.c.Rename(d.dst, name); err != nil {
		p.fail(d.c, "cannot backup %s: %s", quote.Shell(d.c, d.dst), err)
		return "", false
	}
	return name, true
}

// occupied decides whether an existing destination gives way.
func (p *mvProgram) occupied(d *duel) (proceed, ok bool, next cmd.Next) {
	c, r := d.c, d.r
	if r.existing == never {
		return false, true, next
	}
	if d.judge() != distinct {
		p.fail(c, "%s and %s are the same file", quote.Shell(c, d.src), quote.Shell(c, d.dst))
		return false, true, next
	}
	if r.update && !d.st.Mode.IsDir() && d.to.Mtime >= d.st.Mtime {
		return false, true, next
	}
	if r.existing == ask {
		if yes, ok, next := p.Asker.Yes(c, d.question()); !ok || !yes {
			return false, ok, next
		}
	}
	from, to := d.st.Mode.IsDir(), d.to.Mode.IsDir()
	switch {
	case !to && from && r.backup.Kind == 0:
		p.fail(c, "cannot overwrite non-directory %s with directory %s", quote.Shell(c, d.dst), quote.Shell(c, d.src))
	case !to && r.backup.Kind != 'n' && p.moved.of(c, p.Moved, notePath)[d.dst]:
		p.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, d.dst), quote.Shell(c, d.src))
	case to && !from && r.backup.Kind == 0:
		p.fail(c, "cannot overwrite directory %s with non-directory", quote.Shell(c, d.dst))
	default:
		return true, true, next
	}
	return false, true, next
}
