package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/vfs"
)

func mkfifo() *cmd.Command {
	return &cmd.Command{
		Name: "mkfifo", Summary: "create named pipes (FIFOs) with the given NAMEs", Usage: "mkfifo [OPTION]... NAME...",
		Options: []cmd.Option{
			{Short: 'm', Long: "mode", Arg: cmd.Required, Meta: "MODE", Help: "set file permission bits to MODE, not a=rw - umask"},
			{Short: 'Z', Help: "set SELinux security context", Missing: true},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) == 0 {
				return c.MissingOperand("")
			}
			mode, has := uint32(0o666), false
			if m, ok := c.Flags.Last("m"); ok {
				ch, err := perm.Parse(m.Value)
				if err != nil {
					c.Errorf("invalid mode")
					return 1
				}
				v := ch.Apply(vfs.TypeFile|0o666, c.Umask())
				if v&^0o777 != 0 {
					c.Errorf("mode must specify only file permission bits")
					return 1
				}
				mode, has = uint32(v), true
			}
			status := 0
			for _, name := range c.Args {
				err := c.Mkfifo(name, mode)
				if err == nil && has {
					err = c.Chmod(name, mode)
				}
				if err != nil {
					c.Errorf("cannot create fifo %s: %s", quote.Shell(c, name), err)
					status = 1
				}
			}
			return status
		},
	}
}
