package std

import "eryxsh/core/cmd"

func getconf() *cmd.Command {
	return &cmd.Command{
		Name: "getconf", Summary: "get the value of configuration variables", Usage: "getconf [-v SPEC] VARIABLE [PATHNAME]", Origin: "GNU libc 2.36", Status: 2,
		Options: []cmd.Option{
			{Short: 'a', Help: "print all variables", Missing: true},
			{Short: 'v', Arg: cmd.Required, Meta: "SPEC", Help: "give the value in the compilation environment SPEC", Missing: true},
		},
		Run: func(c *cmd.Ctx) int {
			if len(c.Args) == 0 || len(c.Args) > 2 {
				c.Errout.WriteString("Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n")
				return 2
			}
			v, ok := map[string]string{
				"ARG_MAX": "2097152", "CHAR_BIT": "8", "CHILD_MAX": "1000", "CLK_TCK": "100", "HOST_NAME_MAX": "64", "INT_MAX": "2147483647",
				"INT_MIN": "-2147483648", "IOV_MAX": "1024", "LINE_MAX": "2048", "LINK_MAX": "127000", "LOGIN_NAME_MAX": "256", "LONG_BIT": "64",
				"NAME_MAX": "255", "NGROUPS_MAX": "65536", "OPEN_MAX": "1024", "PAGESIZE": "4096", "PAGE_SIZE": "4096", "PATH": "/bin:/usr/bin",
				"PATH_MAX": "4096", "PIPE_BUF": "4096", "UINT_MAX": "4294967295", "WORD_BIT": "32", "SYMLOOP_MAX": "40", "GNU_LIBC_VERSION": "glibc 2.36",
				"_NPROCESSORS_CONF": "1", "_NPROCESSORS_ONLN": "1", "_POSIX_VERSION": "200809", "_PHYS_PAGES": "262144", "_AVPHYS_PAGES": "131072",
			}[c.Args[0]]
			if !ok {
				c.Errorf("Unrecognized variable `%s'", c.Args[0])
				return 2
			}
			c.Out.WriteString(v + "\n")
			return 0
		},
	}
}
