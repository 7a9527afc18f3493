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
		Name: "ln", Acts: true, Summary: "make links between files",
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

// Wrong checks the operand.
func (p *lnProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

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
		if p.I >= len(t.sources) {
			return cmd.Exit(p.Status)
		}
		ok, next := p.link(newLinking(c, plan, t, t.sources[p.I]))
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

// linking is one link that is to be made.
type linking struct {
	c                               *cmd.Ctx
	plan                            backup.Plan
	src, dst, text, into            string // text is what the link will say
	symbolic, follow, force, asking bool
	st                              vfs.Stat // of the source of a hard link
}

func newLinking(c *cmd.Ctx, plan backup.Plan, t target, src string) *linking {
	l := &linking{c: c, plan: plan, src: src, dst: t.of(src), text: src, into: t.dir(), symbolic: c.Flags.Has("s")}
	for _, f := range c.Flags {
		switch f.Name {
		case "L", "P":
			l.follow = f.Name == "L"
		case "f", "i":
			l.force, l.asking = f.Name == "f", f.Name == "i"
		}
	}
	return l
}

// put makes the link at a path.
func (l *linking) put(path string) error {
	if l.symbolic {
		return l.c.Symlink(l.text, path)
	}
	return link(l.c, l.src, path, l.follow)
}

// access looks at the source of a hard link.
func (l *linking) access() (err error) {
	switch {
	case l.symbolic:
	case l.follow:
		l.st, err = l.c.Stat(l.src)
	default:
		l.st, err = l.c.Lstat(l.src)
	}
	return err
}

// link makes one link. ok is false while a question waits for its answer.
func (p *lnProgram) link(l *linking) (ok bool, next cmd.Next) {
	c, plan, src, dst := l.c, l.plan, l.src, l.dst
	if err := l.access(); err != nil {
		p.fail(c, "failed to access %s: %s", quote.Shell(c, src), err)
		return true, next
	}
	if !l.symbolic && l.st.Mode.IsDir() && !c.Flags.Has("d") && !c.Flags.Has("F") {
		p.fail(c, "%s: hard link not allowed for directory", quote.File(c, src))
		return true, next
	}
	if c.Flags.Has("r") {
		l.text = relative(c, src, dst)
	}
	replace, backed := false, ""
	if l.force || l.asking || plan.Kind != 0 {
		var proceed bool
		if replace, backed, proceed, ok, next = p.occupied(l); !ok || !proceed {
			return ok, next
		}
	}
	if _, err := putLink(c, dst, replace, l.put); err != nil {
		p.failed(l, err, backed)
		return true, next
	}
	if !l.symbolic {
		p.Made = append(large.Extend(p.Made, 1, c), dst)
	}
	if c.Flags.Has("v") {
		p.said(c, l.text, dst, backed)
	}
	return true, next
}

// occupied looks at what is to be replaced, and moves it to its backup.
func (p *lnProgram) occupied(l *linking) (replace bool, backed string, proceed, ok bool, next cmd.Next) {
	c := l.c
	to, err := c.Lstat(l.dst)
	switch {
	case err == vfs.ENOENT:
		return false, "", true, true, next
	case err != nil:
		p.fail(c, "failed to access %s: %s", quote.Shell(c, l.dst), err)
		return false, "", false, true, next
	case to.Mode.IsDir():
		p.fail(c, "%s: cannot overwrite directory", quote.File(c, l.dst))
		return false, "", false, true, next
	case p.made.of(c, p.Made, notePath)[l.dst]:
		p.fail(c, "will not overwrite just-created %s with %s", quote.Shell(c, l.dst), quote.Shell(c, l.text))
		return false, "", false, true, next
	case !l.asking && l.losesSource(to):
		p.fail(c, "%s and %s are the same file", quote.Shell(c, l.text), quote.Shell(c, l.dst))
		return false, "", false, true, next
	}
	if l.asking {
		yes, ok, next := p.Asker.Yes(c, "ln: replace "+quote.Shell(c, l.dst)+"? ")
		if !ok || !yes {
			return false, "", false, ok, next
		}
	}
	if l.plan.Kind != 0 {
		backed = l.plan.Name(c, l.dst)
		if err := c.Rename(l.dst, backed); err != nil {
			p.fail(c, "cannot backup %s: %s", quote.Shell(c, l.dst), err)
			return false, "", false, true, next
		}
	}
	return true, backed, true, true, next
}

// losesSource reports whether to remove the destination is to remove the source.
func (l *linking) losesSource(to vfs.Stat) bool {
	st := l.st
	if l.symbolic {
		if l.plan.Kind != 0 {
			return false
		}
		var err error
		if st, err = l.c.Stat(l.text); err != nil {
			return false
		}
	}
	return st.Ino == to.Ino && (st.Nlink == 1 || samePlace(l.c, l.into, l.text, l.dst))
}

// failed reports that a link could not be made, and gives what was backed up its name again.
func (p *lnProgram) failed(l *linking, err error, backed string) {
	text, dst := quote.Shell(l.c, l.text), quote.Shell(l.c, l.dst)
	switch {
	case l.symbolic && (err == vfs.ENAMETOOLONG || l.text == ""):
		p.fail(l.c, "failed to create symbolic link %s -> %s: %s", dst, text, err)
	case l.symbolic:
		p.fail(l.c, "failed to create symbolic link %s: %s", dst, err)
	case err == vfs.EMLINK:
		p.fail(l.c, "failed to create hard link to %s: %s", text, err)
	case err == vfs.EEXIST || err == vfs.ENOSPC || err == vfs.EROFS:
		p.fail(l.c, "failed to create hard link %s: %s", dst, err)
	default:
		p.fail(l.c, "failed to create hard link %s => %s: %s", dst, text, err)
	}
	if backed != "" {
		if err := l.c.Rename(backed, l.dst); err != nil {
			p.fail(l.c, "cannot un-backup %s: %s", dst, err)
		}
	}
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
