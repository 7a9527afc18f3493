package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/vfs"
)

func mkdir() *cmd.Command {
	return &cmd.Command{
		Name: "mkdir", Acts: true, Summary: "create the DIRECTORY(ies), if they do not already exist", Usage: "mkdir [OPTION]... DIRECTORY...",
		Options: []cmd.Option{
			{Short: 'm', Long: "mode", Arg: cmd.Required, Meta: "MODE", Help: "set file mode (as in chmod), not a=rwx - umask"},
			{Short: 'p', Long: "parents", Help: "no error if existing, make parent directories as needed"},
			{Short: 'v', Long: "verbose", Help: "print a message for each created directory"},
			{Short: 'Z', Help: "set SELinux security context", Missing: true},
			{Long: "context", Arg: cmd.Optional, Help: "set SELinux security context", Missing: true},
		},
		Run: runMkdir,
	}
}

func runMkdir(c *cmd.Ctx) int {
	if len(c.Args) == 0 {
		return c.MissingOperand("")
	}
	mode := -1
	if m, ok := c.Flags.Last("m"); ok {
		ch, err := perm.Parse(m.Value)
		if err != nil {
			c.Errorf("invalid mode %s", quote.Locale(c, m.Value))
			return 1
		}
		mode = int(ch.Apply(vfs.TypeDir|0o777, c.Umask()))
	}
	status := 0
	for _, dir := range c.Args {
		name, err := makeDir(c, dir, mode, c.Flags.Has("p"), c.Flags.Has("v"))
		if err != nil {
			c.Errorf("cannot create directory %s: %s", quote.Locale(c, name), err)
			status = 1
		}
	}
	return status
}

// makeDir makes one directory, with its parents if asked; mode -1 is the umask's.
// On an error it gives the directory that could not be made.
func makeDir(c *cmd.Ctx, dir string, mode int, parents, verbose bool) (string, error) {
	create := func(name string) error {
		err := c.Mkdir(name, 0o777)
		if err == nil && verbose {
			c.Out.WriteString("mkdir: created directory " + quote.Shell(c, name) + "\n")
		}
		return err
	}
	if parents {
		for i := 1; i < len(dir); i++ {
			if dir[i] != '/' || dir[i-1] == '/' || strings.Trim(dir[i:], "/") == "" {
				continue
			}
			up := dir[:i]
			err := create(up)
			if err == nil && c.Umask()&0o300 != 0 {
				err = c.Chmod(up, 0o777&^c.Umask()|0o300)
			}
			if err == nil {
				continue
			}
			st, serr := c.Stat(up)
			if serr != nil {
				return up, err
			}
			if !st.Mode.IsDir() {
				return up, vfs.ENOTDIR
			}
		}
	}
	if err := create(dir); err != nil {
		if st, serr := c.Stat(dir); parents && serr == nil && st.Mode.IsDir() {
			return "", nil
		}
		return dir, err
	}
	if mode >= 0 {
		return dir, c.Chmod(dir, uint32(mode))
	}
	return "", nil
}
