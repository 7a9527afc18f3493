package cp

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/walk"
)

// Command is cp.
func Command() *cmd.Command {
	options := append([]cmd.Option{
		{Short: 'a', Long: "archive", Help: "same as -dR --preserve=all"},
		{Long: "attributes-only", Help: "don't copy the file data, just the attributes"},
		{Long: "copy-contents", Help: "copy contents of special files when recursive", Missing: true},
		{Short: 'd', Help: "same as --no-dereference --preserve=links"},
		{Short: 'f', Long: "force", Help: "if an existing destination file cannot be opened, remove it and try again"},
		{Short: 'i', Long: "interactive", Help: "prompt before overwrite"},
		{Short: 'H', Help: "follow command-line symbolic links in SOURCE"},
		{Short: 'l', Long: "link", Help: "hard link files instead of copying"},
		{Short: 'L', Long: "dereference", Help: "always follow symbolic links in SOURCE"},
		{Short: 'n', Long: "no-clobber", Help: "do not overwrite an existing file"},
		{Short: 'P', Long: "no-dereference", Help: "never follow symbolic links in SOURCE"},
		{Short: 'p', Help: "same as --preserve=mode,ownership,timestamps"},
		{Long: "preserve", Arg: cmd.Optional, Meta: "ATTR_LIST", Help: "preserve the specified attributes: mode, ownership, timestamps, links, context, xattr, all"},
		{Long: "no-preserve", Arg: cmd.Required, Meta: "ATTR_LIST", Help: "don't preserve the specified attributes"},
		{Long: "parents", Help: "use full source file name under DIRECTORY"},
		{Short: 'r', Long: "recursive", Help: "copy directories recursively"},
		{Short: 'R', Help: "copy directories recursively"},
		{Long: "reflink", Arg: cmd.Optional, Meta: "WHEN", Help: "control clone/CoW copies"},
		{Long: "remove-destination", Help: "remove each existing destination file before attempting to open it"},
		{Long: "sparse", Arg: cmd.Required, Meta: "WHEN", Help: "control creation of sparse files: auto, always, never"},
		{Long: "strip-trailing-slashes", Help: "remove any trailing slashes from each SOURCE argument"},
		{Short: 's', Long: "symbolic-link", Help: "make symbolic links instead of copying"},
		{Short: 'u', Long: "update", Help: "copy only when the SOURCE file is newer than the destination file or when the destination file is missing"},
		{Short: 'v', Long: "verbose", Help: "explain what is being done"},
		{Short: 'x', Long: "one-file-system", Help: "stay on this file system"},
		{Short: 'Z', Help: "set SELinux security context", Missing: true},
	}, append(targetOptions(), backup.Options()...)...)
	return &cmd.Command{
		Name: "cp", Acts: true, Summary: "copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY",
		Usage:   "cp [OPTION]... [-T] SOURCE DEST\ncp [OPTION]... SOURCE... DIRECTORY\ncp [OPTION]... -t DIRECTORY SOURCE...",
		Options: options, Class: cmd.Step, New: func() cmd.Program { return &cpProgram{} },
	}
}

type cpProgram struct {
	I      int    `cbor:"1,keyasint,omitempty"` // the next source
	Into   bool   `cbor:"3,keyasint,omitempty"`
	Copier copier `cbor:"4,keyasint,omitempty"`
	Above  []pair `cbor:"5,keyasint,omitempty"` // of --parents: the directories that get the attributes of theirs at the end

	rules *rules
}

// Wrong checks the operand.
func (p *cpProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

// Step copies a turn's worth.
func (p *cpProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.rules == nil {
		r, status := cpRules(c)
		if r == nil {
			return cmd.Exit(status)
		}
		p.rules = r
	}
	if p.I == 0 { // the first turn takes an operand
		t, status := findTarget(c, false)
		if status != 0 {
			return cmd.Exit(status)
		}
		if c.Flags.Has("parents") && !t.into {
			c.UsageError("with --parents, the destination must be a directory")
			return cmd.Exit(1)
		}
		p.Into = t.into
	}
	t := p.target(c)
	p.rules.into = t.dir()
	budget := c.Turn(walk.Turn)
	for {
		done, next := p.Copier.turn(c, p.rules, &budget)
		if !done {
			return next
		}
		p.finishParents(c)
		if p.I >= len(t.sources) {
			if p.Copier.Failed {
				return cmd.Exit(1)
			}
			return cmd.Exit(0)
		}
		if budget <= 0 {
			return cmd.Again()
		}
		p.operand(c, t, t.sources[p.I])
		p.I++
	}
}

// target is findTarget's answer again, without looking at the files, which may have changed.
func (p *cpProgram) target(c *cmd.Ctx) target {
	if d, ok := c.Flags.Last("t"); ok {
		return target{c.Args, d.Value, true}
	}
	n := len(c.Args)
	return target{c.Args[:n-1], c.Args[n-1], p.Into}
}

func (p *cpProgram) operand(c *cmd.Ctx, t target, src string) {
	if p.rules.stripSlashes && t.into {
		src = strings.TrimRight(src, "/")
	}
	dst := t.of(src)
	if t.into && walk.Base(src) == ".." { // its content, not what is beside the directory
		dst = walk.Join(t.dest, ".")
	}
	if c.Flags.Has("parents") {
		dst = walk.Join(t.dest, strings.Trim(src, "/"))
		if !p.parents(c, t.dest, strings.TrimLeft(src, "/")) {
			return
		}
		p.Copier.absent = len(p.Above) > 0
	}
	p.Copier.start(src, dst)
	if r := p.rules; r.force && r.backup.Kind != 0 && !t.into && src == dst { // the copy is the backup
		if st, err := c.Stat(dst); err == nil && st.Mode.IsRegular() {
			p.Copier.start(src, r.backup.Name(c, dst))
			p.Copier.Now.Plain = true
		}
	}
}

// parents makes the directories of --parents. If one is missing, all of them get what is preserved, when the copy is made.
func (p *cpProgram) parents(c *cmd.Ctx, dest, src string) bool {
	missing := false
	for i := 1; i < len(src); i++ {
		if src[i] != '/' || src[i-1] == '/' || strings.Trim(src[i:], "/") == "" {
			continue
		}
		from, dir := src[:i], walk.Join(dest, src[:i])
		there := isDir(c, dir) == nil
		missing = missing || !there
		p.Above = append(p.Above, pair{Src: from, Dst: dir})
		if there {
			continue
		}
		st, err := c.Stat(from)
		if err != nil {
			p.Copier.fail(c, "failed to get attributes of %s: %s", quote.Shell(c, from), err)
			return false
		}
		mode := uint32(st.Mode & 0o777)
		if p.rules.noMode {
			mode = 0o777
		}
		if err := c.Mkdir(dir, mode|0o700); err != nil {
			p.Copier.fail(c, "cannot make directory %s: %s", quote.Shell(c, dir), err)
			return false
		}
		if p.rules.verbose {
			c.Out.WriteString(from + " -> " + dir + "\n")
		}
	}
	if !missing {
		p.Above = nil
	}
	return true
}

// finishParents gives the directories of --parents what is preserved of theirs.
func (p *cpProgram) finishParents(c *cmd.Ctx) {
	for _, d := range p.Above {
		if st, err := c.Stat(d.Src); err == nil {
			p.Copier.attributes(c, p.rules, d.Dst, st, true)
		}
	}
	p.Above = nil
}

// cpRules reads the options of cp; nil after an error.
func cpRules(c *cmd.Ctx) (*rules, int) {
	r := &rules{}
	var ok bool
	if r.backup, ok = backup.Parse(c); !ok {
		return nil, 1
	}
	for _, f := range c.Flags {
		switch f.Name {
		case "a":
			r.follow, r.recursive, r.links, r.mode, r.owner, r.times = 'P', true, true, true, true, true
		case "attributes-only":
			r.attributesOnly = true
		case "d":
			r.follow, r.links = 'P', true
		case "f":
			r.force = true
		case "i":
			r.existing = ask
		case "n":
			r.existing = never
		case "H", "L", "P":
			r.follow = f.Name[0]
		case "l":
			r.hardLink = true
		case "s":
			r.symLink = true
		case "p":
			r.mode, r.owner, r.times = true, true, true
		case "preserve", "no-preserve":
			if !r.preserve(c, f) {
				return nil, 1
			}
		case "r", "R":
			r.recursive = true
		case "reflink", "sparse":
			words := "auto,always,never"
			if f.Name == "sparse" {
				words = "never,auto,always"
			}
			if f.Has {
				i, ok := choice.Find(c, "--"+f.Name, f.Value, words)
				if !ok {
					return nil, 1
				}
				if f.Name == "sparse" {
					r.sparseNever, r.sparseAlways = i == 0, i == 2
				}
			}
		case "remove-destination":
			r.replace = true
		case "strip-trailing-slashes":
			r.stripSlashes = true
		case "u":
			r.update = true
		case "v":
			r.verbose = true
		case "x":
			r.oneDevice = true
		}
	}
	if r.hardLink && r.symLink {
		return nil, c.UsageError("cannot make both hard and symbolic links")
	}
	if r.backup.Kind != 0 && r.existing == never {
		return nil, c.UsageError("options --backup and --no-clobber are mutually exclusive")
	}
	if r.follow == 0 {
		r.follow = 'L'
		if r.recursive && !r.hardLink {
			r.follow = 'P'
		}
	}
	return r, 0
}

func (r *rules) preserve(c *cmd.Ctx, f cmd.Flag) bool {
	on := f.Name == "preserve"
	if !f.Has {
		r.mode, r.owner, r.times = true, true, true
		return true
	}
	for _, w := range strings.Split(f.Value, ",") {
		i, ok := choice.Find(c, "--"+f.Name, w, "mode,timestamps,ownership,links,context,xattr,all")
		if !ok {
			return false
		}
		switch i {
		case 0:
			r.mode, r.noMode = on, !on
		case 1:
			r.times = on
		case 2:
			r.owner = on
		case 3:
			r.links = on
		case 6:
			r.mode, r.times, r.owner, r.links, r.noMode = on, on, on, on, !on
		}
	}
	return true
}
