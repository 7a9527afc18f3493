// Package cp is cp, mv, install and ln: what makes files appear in other places.
//
// They share how a destination is named (target.go), and cp, mv and install the
// copier (copier.go), which goes through trees in bounded turns.
package cp

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// target is where the operands go.
type target struct {
	sources []string
	dest    string
	into    bool // dest is a directory that the sources go into
}

func targetOptions() []cmd.Option {
	return []cmd.Option{
		{Short: 't', Long: "target-directory", Arg: cmd.Required, Meta: "DIRECTORY", Help: "put all SOURCE arguments into DIRECTORY"},
		{Short: 'T', Long: "no-target-directory", Help: "treat DEST as a normal file"},
	}
}

// findTarget reads the operands of cp, mv, install and ln. keepLink says that a
// link to a directory is not a directory (ln -n). On an error status is not 0.
func findTarget(c *cmd.Ctx, keepLink bool) (t target, status int) {
	dir, hasDir := c.Flags.Last("t")
	noDir := c.Flags.Has("T")
	n := len(c.Args)
	times := 0
	for _, f := range c.Flags {
		if f.Name == "t" {
			if times++; times > 1 {
				c.Errorf("multiple target directories specified")
				return t, 1
			}
		}
	}
	switch {
	case n == 0 || n == 1 && !hasDir && (c.Def.Name != "ln" || noDir):
		if n == 0 {
			return t, c.UsageError("missing file operand")
		}
		return t, c.UsageError("missing destination file operand after %s", quote.Shell(c, c.Args[0]))
	case hasDir && noDir:
		if c.Def.Name == "ln" {
			c.Errorf("cannot combine --target-directory and --no-target-directory")
			return t, 1
		}
		c.Errorf("cannot combine --target-directory (-t) and --no-target-directory (-T)")
		return t, 1
	case noDir:
		if n > 2 {
			return t, c.UsageError("extra operand %s", quote.Shell(c, c.Args[2]))
		}
		return target{sources: c.Args[:1], dest: c.Args[1]}, 0
	case hasDir:
		err := isDir(c, dir.Value)
		if err != nil {
			_, none := c.Stat(dir.Value)
			switch {
			case c.Def.Name == "ln" && none == nil:
				c.Errorf("target %s is not a directory", quote.Shell(c, dir.Value))
			case c.Def.Name == "ln" || c.Def.Name == "install":
				c.Errorf("failed to access %s: %s", quote.Shell(c, dir.Value), err)
			default:
				c.Errorf("target directory %s: %s", quote.Shell(c, dir.Value), err)
			}
			return t, 1
		}
		return target{c.Args, dir.Value, true}, 0
	case n == 1:
		return target{c.Args, ".", true}, 0
	}
	t = target{sources: c.Args[:n-1], dest: c.Args[n-1]}
	err := isDir(c, t.dest)
	if st, lerr := c.Lstat(t.dest); keepLink && lerr == nil && st.Mode.IsLink() {
		err = vfs.ENOTDIR
	}
	t.into = err == nil
	if n > 2 && !t.into {
		c.Errorf("target %s: %s", quote.Shell(c, t.dest), err)
		return t, 1
	}
	return t, 0
}

func isDir(c *cmd.Ctx, path string) error {
	st, err := c.Stat(path)
	if err == nil && !st.Mode.IsDir() {
		err = vfs.ENOTDIR
	}
	return err
}

// dir is the directory that the sources go into, "" if there is none.
func (t target) dir() string {
	if t.into {
		return t.dest
	}
	return ""
}

// of is where one source goes.
func (t target) of(source string) string {
	if !t.into {
		return t.dest
	}
	return walk.Join(t.dest, walk.Base(source))
}
