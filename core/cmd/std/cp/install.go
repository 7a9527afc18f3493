package cp

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/backup"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// Install is install.
func Install() *cmd.Command {
	options := append([]cmd.Option{
		{Short: 'c', Help: "(ignored)"},
		{Short: 'C', Long: "compare", Help: "compare content of source and destination files", Missing: true},
		{Short: 'd', Long: "directory", Help: "treat all arguments as directory names; create all components of the specified directories"},
		{Short: 'D', Help: "create all leading components of DEST except the last, or all components of --target-directory, then copy SOURCE to DEST"},
		{Short: 'g', Long: "group", Arg: cmd.Required, Meta: "GROUP", Help: "set group ownership, instead of process' current group"},
		{Short: 'm', Long: "mode", Arg: cmd.Required, Meta: "MODE", Help: "set permission mode (as in chmod), instead of rwxr-xr-x"},
		{Short: 'o', Long: "owner", Arg: cmd.Required, Meta: "OWNER", Help: "set ownership (super-user only)"},
		{Short: 'p', Long: "preserve-timestamps", Help: "apply access/modification times of SOURCE files to corresponding destination files"},
		{Short: 's', Long: "strip", Help: "strip symbol tables", Missing: true},
		{Long: "strip-program", Arg: cmd.Required, Meta: "PROGRAM", Help: "program used to strip binaries", Missing: true},
		{Short: 'v', Long: "verbose", Help: "print the name of each directory as it is created"},
		{Long: "preserve-context", Help: "preserve SELinux security context", Missing: true},
		{Short: 'Z', Help: "set SELinux security context", Missing: true},
	}, append(targetOptions(), backup.Options()...)...)
	return &cmd.Command{
		Name: "install", Acts: true, Summary: "copy files and set attributes",
		Usage:   "install [OPTION]... [-T] SOURCE DEST\ninstall [OPTION]... SOURCE... DIRECTORY\ninstall [OPTION]... -t DIRECTORY SOURCE...\ninstall [OPTION]... -d DIRECTORY...",
		Options: options, Class: cmd.Step, New: func() cmd.Program { return &installProgram{} },
	}
}

type installProgram struct {
	I      int    `cbor:"1,keyasint,omitempty"`
	Into   bool   `cbor:"3,keyasint,omitempty"`
	Done   string `cbor:"4,keyasint,omitempty"` // the destination whose attributes are to be set
	Copier copier `cbor:"5,keyasint,omitempty"`
	Before int    `cbor:"6,keyasint,omitempty"` // files made before Done
}

// Wrong checks the operand.
func (p *installProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

// installed is what an installed file gets.
type installed struct {
	mode     uint32
	uid, gid int
}

// Step installs a turn's worth.
func (p *installProgram) Step(c *cmd.Ctx) cmd.Next {
	a, ok := p.attributes(c)
	if !ok {
		return cmd.Exit(1)
	}
	if c.Flags.Has("d") {
		return cmd.Exit(p.directories(c, a))
	}
	r := &rules{follow: 'L', replace: true, verbose: c.Flags.Has("v"), times: c.Flags.Has("p")}
	if r.backup, ok = backup.Parse(c); !ok {
		return cmd.Exit(1)
	}
	if p.I == 0 { // the first turn takes an operand
		if dir, has := c.Flags.Last("t"); c.Flags.Has("D") && has {
			p.leading(c, dir.Value+"/x")
		} else if n := len(c.Args); c.Flags.Has("D") && n >= 2 {
			p.leading(c, c.Args[n-1])
		}
		t, status := findTarget(c, false)
		if status != 0 {
			return cmd.Exit(status)
		}
		p.Into = t.into
	}
	t := (&cpProgram{Into: p.Into}).target(c)
	r.into = t.dir()
	budget := c.Turn(walk.Turn)
	for {
		done, next := p.Copier.turn(c, r, &budget)
		if !done {
			return next
		}
		if p.Done != "" && len(p.Copier.Created) > p.Before {
			p.finish(c, a)
		}
		if p.I >= len(t.sources) {
			if p.Copier.Failed {
				return cmd.Exit(1)
			}
			return cmd.Exit(0)
		}
		if budget <= 0 {
			return cmd.Again()
		}
		src := t.sources[p.I]
		p.I++
		p.Done = t.of(src)
		p.Before = len(p.Copier.Created)
		p.Copier.start(src, p.Done)
	}
}

func (p *installProgram) finish(c *cmd.Ctx, a installed) {
	dst := p.Done
	p.Done = ""
	st, err := c.Lstat(dst)
	if err != nil || !st.Mode.IsRegular() {
		return
	}
	p.set(c, dst, a)
}

func (p *installProgram) set(c *cmd.Ctx, dst string, a installed) {
	if a.uid >= 0 || a.gid >= 0 {
		if err := c.Chown(dst, a.uid, a.gid, true); err != nil {
			p.Copier.fail(c, "cannot change ownership of %s: %s", quote.Shell(c, dst), err)
		}
	}
	if err := c.Chmod(dst, a.mode); err != nil {
		p.Copier.fail(c, "cannot change permissions of %s: %s", quote.Shell(c, dst), err)
	}
}

func (p *installProgram) attributes(c *cmd.Ctx) (installed, bool) {
	a := installed{mode: 0o755, uid: -1, gid: -1}
	if m, ok := c.Flags.Last("m"); ok {
		ch, err := perm.Parse(m.Value)
		if err != nil {
			c.Errorf("invalid mode %s", quote.Locale(c, m.Value))
			return a, false
		}
		base := vfs.TypeFile
		if c.Flags.Has("d") {
			base = vfs.TypeDir
		}
		a.mode = uint32(ch.Apply(base, 0))
	}
	var names owner.Names
	if o, ok := c.Flags.Last("o"); ok {
		id, ok := names.UserID(c, o.Value)
		if !ok {
			c.Errorf("invalid user %s", quote.Locale(c, o.Value))
			return a, false
		}
		a.uid = int(id)
	}
	if g, ok := c.Flags.Last("g"); ok {
		id, ok := names.GroupID(c, g.Value)
		if !ok {
			c.Errorf("invalid group %s", quote.Locale(c, g.Value))
			return a, false
		}
		a.gid = int(id)
	}
	return a, true
}

// directories is install -d.
func (p *installProgram) directories(c *cmd.Ctx, a installed) int {
	if len(c.Args) == 0 {
		return c.UsageError("missing file operand")
	}
	if c.Flags.Has("t") {
		c.Errorf("target directory not allowed when installing a directory")
		return 1
	}
	for _, dir := range c.Args {
		if p.leading(c, dir) && p.create(c, dir) {
			p.set(c, dir, a)
		}
	}
	if p.Copier.Failed {
		return 1
	}
	return 0
}

// leading makes the directories above a path.
func (p *installProgram) leading(c *cmd.Ctx, path string) bool {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && path[i-1] != '/' && strings.Trim(path[i:], "/") != "" && !p.create(c, path[:i]) {
			return false
		}
	}
	return true
}

// create makes one directory unless it is there.
func (p *installProgram) create(c *cmd.Ctx, dir string) bool {
	if isDir(c, dir) == nil {
		return true
	}
	if err := c.Mkdir(dir, 0o755); err != nil {
		p.Copier.fail(c, "cannot create directory %s: %s", quote.Locale(c, dir), err)
		return false
	}
	if c.Flags.Has("v") {
		c.Out.WriteString("install: creating directory " + quote.Shell(c, dir) + "\n")
	}
	return true
}
