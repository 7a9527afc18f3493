package std

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/remove"
	"eryxsh/core/cmd/std/internal/walk"
)

func rm() *cmd.Command {
	return &cmd.Command{
		Name: "rm", Acts: true, Summary: "remove (unlink) the FILE(s)", Usage: "rm [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'f', Long: "force", Help: "ignore nonexistent files and arguments, never prompt"},
			{Short: 'i', Help: "prompt before every removal"},
			{Short: 'I', Help: "prompt once before removing more than three files, or when removing recursively"},
			{Long: "interactive", Arg: cmd.Optional, Meta: "WHEN", Help: "prompt according to WHEN: never, once (-I), or always (-i)"},
			{Long: "one-file-system", Help: "when removing a hierarchy recursively, skip any directory that is on another file system"},
			{Long: "no-preserve-root", Help: "do not treat '/' specially"},
			{Long: "preserve-root", Arg: cmd.Optional, Meta: "all", Help: "do not remove '/' (default)"},
			{Short: 'r', Long: "recursive", Help: "remove directories and their contents recursively"},
			{Short: 'R', Help: "remove directories and their contents recursively"},
			{Short: 'd', Long: "dir", Help: "remove empty directories"},
			{Short: 'v', Long: "verbose", Help: "explain what is being done"},
		},
		Advice: dashFile, Class: cmd.Step, New: func() cmd.Program { return &rmProgram{} },
	}
}

// dashFile says how to remove a file whose name was taken for an option.
func dashFile(c *cmd.Ctx, args []string) {
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' {
			if _, err := c.Lstat(a); err == nil {
				fmt.Fprintf(&c.Errout, "Try '%s ./%s' to remove the file %s.\n", c.Name, quote.Maybe(c, a), quote.Shell(c, a))
				return
			}
		}
	}
}

type rmProgram struct {
	I       int            `cbor:"1,keyasint,omitempty"` // the next operand
	Begun   bool           `cbor:"2,keyasint,omitempty"` // -I was answered
	Remover remove.Remover `cbor:"4,keyasint,omitempty"`
}

// Wrong checks the operand.
func (p *rmProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

// Step removes a turn's worth of entries.
func (p *rmProgram) Step(c *cmd.Ctx) cmd.Next {
	o := remove.Options{Recursive: c.Flags.Has("r") || c.Flags.Has("R"), Dir: c.Flags.Has("d"), Verbose: c.Flags.Has("v"), OneDevice: c.Flags.Has("one-file-system")}
	once := false
	for _, f := range c.Flags {
		switch f.Name {
		case "f":
			o.Force, o.Ask, once = true, false, false
		case "i":
			o.Force, o.Ask, once = false, true, false
		case "I":
			o.Force, o.Ask, once = false, false, true
		case "no-preserve-root":
			if f.Cut {
				c.Errorf("you may not abbreviate the --no-preserve-root option")
				return cmd.Exit(1)
			}
		case "interactive":
			i := 2
			if f.Has {
				var ok bool
				if i, ok = choice.Find(c, "--interactive", f.Value, "never no none,once,always yes"); !ok {
					return cmd.Exit(1)
				}
			}
			o.Ask, once = i == 2, i == 1
			o.Force = o.Force && i == 0
		}
	}
	if len(c.Args) == 0 {
		if o.Force {
			return cmd.Exit(0)
		}
		return cmd.Exit(c.MissingOperand(""))
	}
	if once && !p.Begun && (o.Recursive || len(c.Args) > 3) {
		yes, ok, next := p.Remover.Asker.Yes(c, onceQuestion(len(c.Args), o.Recursive))
		if !ok {
			return next
		}
		if !yes {
			return cmd.Exit(0)
		}
	}
	p.Begun = true
	budget := c.Turn(walk.Turn)
	for {
		done, next := p.Remover.Turn(c, o, &budget)
		if !done {
			return next
		}
		if p.I >= len(c.Args) {
			if p.Remover.Failed {
				return cmd.Exit(1)
			}
			return cmd.Exit(0)
		}
		if budget <= 0 {
			return cmd.Again()
		}
		p.operand(c, o, c.Args[p.I])
		p.I++
	}
}

func onceQuestion(n int, recursive bool) string {
	s, end := "s", ""
	if n == 1 {
		s = ""
	}
	if recursive {
		end = " recursively"
	}
	return fmt.Sprintf("rm: remove %d argument%s%s? ", n, s, end)
}

// operand starts with one operand, unless it is one that rm refuses.
func (p *rmProgram) operand(c *cmd.Ctx, o remove.Options, path string) {
	if bare := strings.TrimRight(path, "/"); len(path)-len(bare) > 1 { // one slash is enough
		path = bare + "/"
	}
	if st, err := c.Lstat(path); o.Recursive && err == nil && st.Mode.IsDir() {
		if base := walk.Base(path); base == "." || base == ".." {
			c.Errorf("refusing to remove '.' or '..' directory: skipping %s", quote.Shell(c, path))
			p.Remover.Failed = true
			return
		}
		if !c.Flags.Has("no-preserve-root") {
			if root, err := c.Lstat("/"); err == nil && st.Ino == root.Ino && isRoot(path) {
				if path == "/" {
					c.Errorf("it is dangerous to operate recursively on %s", quote.Shell(c, path))
				} else {
					c.Errorf("it is dangerous to operate recursively on %s (same as %s)", quote.Shell(c, path), quote.Shell(c, "/"))
				}
				c.Errorf("use --no-preserve-root to override this failsafe")
				p.Remover.Failed = true
				return
			}
		}
	}
	p.Remover.Start(path)
}

// isRoot reports whether a path that leads to the root's inode is the root itself.
func isRoot(path string) bool {
	for _, r := range path {
		if r != '/' && r != '.' {
			return false
		}
	}
	return path != ""
}
