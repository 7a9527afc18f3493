package cp

import (
	"path"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/canon"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Ln is ln.
func Ln() *cmd.Command {
	options := append([]cmd.Option{
		{Short: 'd', Long: "directory", Help: "allow the superuser to attempt to hard link directories"},
		{Short: 'F', Help: "allow the superuser to attempt to hard link directories"},
		{Short: 'f', Long: "force", Help: "remove existing destination files"},
		{Short: 'i', Long: "interactive", Help: "prompt whether to remove destinations"},
		{Short: 'L', Long: "logical", Help: "dereference TARGETs that are symbolic links"},
		{Short: 'n', Long: "no-dereference", Help: "treat LINK_NAME as a normal file if it is a symbolic link to a directory"},
		{Short: 'P', Long: "physical", Help: "make hard links directly to symbolic links"},
		{Short: 'r', Long: "relative", Help: "with -s, create links relative to link location"},
		{Short: 's', Long: "symbolic", Help: "make symbolic links instead of hard links"},
		{Short: 'v', Long: "verbose", Help: "print name of each linked file"},
	}, append(targetOptions(), backup.Options()...)...)
	return &cmd.Command{
		Name: "ln", Summary: "make links between files",
		Usage:   "ln [OPTION]... [-T] TARGET LINK_NAME\nln [OPTION]... TARGET\nln [OPTION]... TARGET... DIRECTORY\nln [OPTION]... -t DIRECTORY TARGET...",
		Options: options, Class: cmd.Step, New: func() cmd.Program { return &lnProgram{} },
	}
}

type lnProgram struct {
	I      int          `cbor:"1,keyasint,omitempty"`
	Begun  bool         `cbor:"2,keyasint,omitempty"`
	Into   bool         `cbor:"3,keyasint,omitempty"`
	Status int          `cbor:"4,keyasint,omitempty"`
	Asker  prompt.Asker `cbor:"5,keyasint,omitempty"`
	Made   []string     `cbor:"6,keyasint,omitempty"`

	made paths
}

// Step makes a turn's worth of links.
func (p *lnProgram) Step(c *cmd.Ctx) cmd.Next {
	plan, ok := backup.Parse(c)
	if !ok {
		return cmd.Exit(1)
	}
	if c.Flags.Has("r") && !c.Flags.Has("s") {
		c.Errorf("cannot do --relative without --symbolic")
		return cmd.Exit(1)
	}
	if !p.Begun {
		t, status := findTarget(c, c.Flags.Has("n"))
		if status != 0 {
			return cmd.Exit(status)
		}
		p.Begun, p.Into = true, t.into
	}
	t := target{sources: c.Args, dest: ".", into: true}
	if _, has := c.Flags.Last("t"); has || len(c.Args) > 1 {
		t = (&cpProgram{Into: p.Into}).target(c)
	}
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if p.I == len(t.sources) {
			return cmd.Exit(p.Status)
		}
		ok, next := p.link(c, plan, t.sources[p.I], t.of(t.sources[p.I]))
		if !ok {
			return next
		}
		p.I++
	}
	return cmd.Again()
}

func (p *lnProgram) fail(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	p.Status = 1
}

// link makes one link.
func (p *lnProgram) link(c *cmd.Ctx, plan backup.Plan, src, dst string) (ok bool, next cmd.Next) {
	symbolic := c.Flags.Has("s")
	follow := false
	for _, f := range c.Flags {
		if f.Name == "L" || f.Name == "P" {
			follow = f.Name == "L"
		}
	}
	var st vfs.Stat
	if !symbolic {
		var err error
		if follow {
			st, err = c.Stat(src)
		} else {
			st, err = c.Lstat(src)
		}
		if err != nil {
			p.fail(c, "failed to access %s: %s", quote.Shell(c, src), err)
			return true, next
		}
		if st.Mode.IsDir() && !c.Flags.Has("d") && !c.Flags.Has("F") {
			p.fail(c, "%s: hard link not allowed for directory", quote.Maybe(c, src))
			return true, next
		}
	}
	text := src
	if c.Flags.Has("r") {
		text = relative(c, src, dst)
	}
	force, asked := false, false
	for _, f := range c.Flags {
		if f.Name == "f" || f.Name == "i" {
			force, asked = f.Name == "f", f.Name == "i"
		}
	}
	if force && p.made.of(c, p.Made, notePath)[dst] { // without -f the link fails by itself
		p.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, dst), quote.Shell(c, src))
		return true, next
	}
	backed := ""
	if to, err := c.Lstat(dst); err == nil {
		if to.Mode.IsDir() {
			if force || asked || plan.Kind != 0 {
				p.fail(c, "%s: cannot overwrite directory", quote.Maybe(c, dst))
				return true, next
			}
		} else if force && symbolic && plan.Kind == 0 && samePlace(c, text, dst) {
			p.fail(c, "%s and %s are the same file", quote.Shell(c, src), quote.Shell(c, dst))
			return true, next
		} else if !symbolic && to.Ino == st.Ino && (force || asked) {
			if samePlace(c, src, dst) {
				p.fail(c, "%s and %s are the same file", quote.Shell(c, src), quote.Shell(c, dst))
				return true, next
			}
			p.Made = append(large.Extend(p.Made, 1, c), dst)
			if c.Flags.Has("v") {
				p.said(c, src, dst, backed)
			}
			return true, next
		}
		if asked {
			yes, ok, next := p.Asker.Yes(c, "ln: replace "+quote.Shell(c, dst)+"? ")
			if !ok || !yes {
				return ok, next
			}
		}
		if plan.Kind != 0 {
			backed = plan.Name(c, dst)
			if err := c.Rename(dst, backed); err != nil {
				p.fail(c, "cannot backup %s: %s", quote.Shell(c, dst), err)
				return true, next
			}
		} else if force || asked {
			if err := c.Unlink(dst); err != nil {
				p.fail(c, "cannot remove %s: %s", quote.Shell(c, dst), err)
				return true, next
			}
		}
	}
	if symbolic {
		if err := c.Symlink(text, dst); err != nil {
			if text != "" {
				p.fail(c, "failed to create symbolic link %s: %s", quote.Shell(c, dst), err)
			} else {
				p.fail(c, "failed to create symbolic link %s -> %s: %s", quote.Shell(c, dst), quote.Shell(c, text), err)
			}
			return true, next
		}
	} else {
		from := src
		if follow {
			if full, err := canon.Path(c, src, canon.Existing, false, false); err == nil {
				from = full
			}
		}
		if err := c.Link(from, dst); err != nil {
			if err == vfs.EEXIST {
				p.fail(c, "failed to create hard link %s: %s", quote.Shell(c, dst), err)
			} else {
				p.fail(c, "failed to create hard link %s => %s: %s", quote.Shell(c, dst), quote.Shell(c, src), err)
			}
			return true, next
		}
	}
	if !symbolic {
		p.Made = append(large.Extend(p.Made, 1, c), dst)
	}
	if c.Flags.Has("v") {
		p.said(c, text, dst, backed)
	}
	return true, next
}

func (p *lnProgram) said(c *cmd.Ctx, src, dst, backed string) {
	arrow := " => "
	if c.Flags.Has("s") {
		arrow = " -> "
	}
	s := quote.Shell(c, dst) + arrow + quote.Shell(c, src)
	if backed != "" {
		s = quote.Shell(c, backed) + " ~ " + s
	}
	c.Out.WriteString(s + "\n")
}

// relative is a link's text for src as seen from the directory of dst.
func relative(c *cmd.Ctx, src, dst string) string {
	dir, err := canon.Path(c, walk.Parent(dst), canon.Missing, false, false)
	if err != nil {
		return src
	}
	full, err := canon.Path(c, src, canon.Missing, false, false)
	if err != nil {
		return src
	}
	a, b := split(full), split(dir)
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	out := strings.Repeat("../", len(b)-i) + strings.Join(a[i:], "/")
	return path.Clean(out)
}

func split(p string) []string { return strings.FieldsFunc(p, func(r rune) bool { return r == '/' }) }
