package std

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func chmod() *cmd.Command {
	return &cmd.Command{
		Name: "chmod", Acts: true, Summary: "change the mode of each FILE to MODE", Usage: "chmod [OPTION]... MODE[,MODE]... FILE...\nchmod [OPTION]... OCTAL-MODE FILE...\nchmod [OPTION]... --reference=RFILE FILE...",
		Options: []cmd.Option{
			{Short: 'c', Long: "changes", Help: "like verbose but report only when a change is made"},
			{Short: 'f', Long: "silent", Help: "suppress most error messages"},
			{Long: "quiet", Help: "suppress most error messages"},
			{Short: 'v', Long: "verbose", Help: "output a diagnostic for every file processed"},
			{Long: "no-preserve-root", Help: "do not treat '/' specially (the default)"},
			{Long: "preserve-root", Help: "fail to operate recursively on '/'"},
			{Long: "reference", Arg: cmd.Required, Meta: "RFILE", Help: "use RFILE's mode instead of MODE values"},
			{Short: 'R', Long: "recursive", Help: "change files and directories recursively"},
			{Long: "mode-option", Arg: cmd.Required, Meta: "MODE", Help: "MODE, where it begins with a dash"},
		},
		Obsolete: chmodMode,
		Class:    cmd.Step, New: func() cmd.Program { return &chmodProgram{} },
	}
}

// chmodMode lets a mode begin with a dash, as in chmod -x FILE.
func chmodMode(_ *cmd.Ctx, args []string) []string {
	var out, modes []string
	for i, a := range args {
		if a == "--" {
			out = append(out, args[i:]...)
			break
		}
		if len(a) > 1 && a[0] == '-' && strings.IndexByte("rwxXstugoa,+=01234567", a[1]) >= 0 && !strings.HasPrefix(a, "--") {
			modes = append(modes, a)
			continue
		}
		out = append(out, a)
	}
	if modes == nil {
		return args
	}
	return append([]string{"--mode-option=" + strings.Join(modes, ",")}, out...)
}

type chmodProgram struct {
	I      int        `cbor:"1,keyasint,omitempty" holds:"operand"`
	Stack  []walk.Dir `cbor:"2,keyasint,omitempty"`
	Status int        `cbor:"3,keyasint,omitempty"`
}

// Step changes a turn's worth of files.
func (p *chmodProgram) Step(c *cmd.Ctx) cmd.Next {
	files, mode := c.Args, c.Flags.Value("mode-option")
	ref, hasRef := c.Flags.Last("reference")
	var ch perm.Change
	var err error
	switch {
	case hasRef:
		st, err := c.Stat(ref.Value)
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", quote.Shell(c, ref.Value), err)
			return cmd.Exit(1)
		}
		ch, _ = perm.Parse(fmt.Sprintf("%05o", st.Mode&vfs.PermMask))
		mode = "0"
	case mode == "" && len(files) > 0:
		mode, files = files[0], files[1:]
	}
	if mode == "" && len(files) == 0 {
		return cmd.Exit(c.MissingOperand(""))
	}
	if len(files) == 0 {
		if hasRef {
			return cmd.Exit(c.MissingOperand(""))
		}
		return cmd.Exit(c.MissingOperand(mode))
	}
	if !hasRef {
		if ch, err = perm.Parse(mode); err != nil {
			return cmd.Exit(c.UsageError("invalid mode: %s", quote.Locale(c, mode)))
		}
	}
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if n := len(p.Stack); n > 0 {
			top := &p.Stack[n-1]
			if !top.Full {
				if err := top.Fill(c, &budget); err != nil {
					p.fail(c, "cannot read directory %s: %s", quote.Shell(c, top.Path), err)
				}
			} else if name, _, ok := top.Next(); ok {
				p.change(c, ch, walk.Join(top.Path, name), false)
			} else {
				p.Stack = p.Stack[:n-1]
			}
			continue
		}
		if p.I >= len(files) {
			return cmd.Exit(p.Status)
		}
		p.I++
		p.change(c, ch, files[p.I-1], true)
	}
	return cmd.Again()
}

func (p *chmodProgram) fail(c *cmd.Ctx, format string, args ...any) {
	if !c.Flags.Has("f") && !c.Flags.Has("quiet") {
		c.Errorf(format, args...)
	}
	p.Status = 1
}

// change changes one file; a directory is entered under -R.
func (p *chmodProgram) change(c *cmd.Ctx, ch perm.Change, path string, command bool) {
	st, err := c.Lstat(path)
	if err == nil && st.Mode.IsLink() {
		if !command {
			return
		}
		var to vfs.Stat
		if to, err = c.Stat(path); err != nil {
			if err == vfs.ENOENT {
				p.fail(c, "cannot operate on dangling symlink %s", quote.Shell(c, path))
				return
			}
		}
		st = to
	}
	verbose, changes := c.Flags.Has("v"), c.Flags.Has("c")
	if err != nil {
		p.fail(c, "cannot access %s: %s", quote.Shell(c, path), err)
		if verbose {
			fmt.Fprintf(&c.Out, "%s could not be accessed\n", quote.Shell(c, path))
		}
		return
	}
	if c.Flags.Has("R") && c.Flags.Has("preserve-root") && path == "/" {
		p.fail(c, "it is dangerous to operate recursively on %s", quote.Shell(c, path))
		c.Errorf("use --no-preserve-root to override this failsafe")
		return
	}
	old := st.Mode & vfs.PermMask
	mode := ch.Apply(st.Mode, c.Umask())
	if err := c.Chmod(path, uint32(mode)); err != nil {
		p.fail(c, "changing permissions of %s: %s", quote.Shell(c, path), err)
		if verbose {
			fmt.Fprintf(&c.Out, "failed to change mode of %s from %04o (%s) to %04o (%s)\n", quote.Shell(c, path), old, perm.String(old)[1:], mode, perm.String(mode)[1:])
		}
		return
	}
	if mode != old && (verbose || changes) {
		fmt.Fprintf(&c.Out, "mode of %s changed from %04o (%s) to %04o (%s)\n", quote.Shell(c, path), old, perm.String(old)[1:], mode, perm.String(mode)[1:])
	} else if verbose {
		fmt.Fprintf(&c.Out, "mode of %s retained as %04o (%s)\n", quote.Shell(c, path), mode, perm.String(mode)[1:])
	}
	if mine := ch.Apply(st.Mode, 0); c.Flags.Has("mode-option") && mine != mode && !ch.Octal {
		p.fail(c, "%s: new permissions are %s, not %s", quote.File(c, path), perm.String(mode)[1:], perm.String(mine)[1:])
	}
	if c.Flags.Has("R") && st.Mode.IsDir() {
		if len(p.Stack) >= walk.MaxDepth {
			p.fail(c, "cannot access %s: %s", quote.Shell(c, path), vfs.ENAMETOOLONG)
			return
		}
		p.Stack = append(p.Stack, walk.Dir{Path: path})
	}
}
