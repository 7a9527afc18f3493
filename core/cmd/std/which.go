package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func which() *cmd.Command {
	return &cmd.Command{
		Name: "which", Summary: "locate a command", Usage: "which [-a] args", Raw: true, Origin: "debianutils 5.7", Run: runWhich,
	}
}

func runWhich(c *cmd.Ctx) int {
	status, all := 0, false
	names := c.Args
	for len(names) > 0 && len(names[0]) > 1 && names[0][0] == '-' {
		opt := names[0]
		names = names[1:]
		if opt == "--" {
			break
		}
		for _, r := range opt[1:] {
			if r != 'a' {
				c.Errout.WriteString("Illegal option -" + string(r) + "\n")
				c.Out.WriteString("Usage: /usr/bin/which [-a] args\n")
				return 2
			}
			all = true
		}
	}
	if len(names) == 0 {
		return 1
	}
	path, _ := c.Getenv("PATH")
	for _, name := range names {
		dirs := strings.Split(path, ":")
		if strings.Contains(name, "/") {
			dirs = []string{""}
		}
		found := false
		for _, d := range dirs {
			full := name
			if !strings.Contains(name, "/") {
				if d == "" {
					d = "."
				}
				full = walk.Join(d, name)
			}
			if st, err := c.Stat(full); err != nil || !st.Mode.IsRegular() || c.Access(full, vfs.X_OK) != nil {
				continue
			}
			found = true
			c.Out.WriteString(full + "\n")
			if !all {
				break
			}
		}
		if !found {
			status = 1
		}
	}
	return status
}
