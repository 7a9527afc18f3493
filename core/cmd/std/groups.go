package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/owner"
)

func groups() *cmd.Command {
	return &cmd.Command{
		Name: "groups", Summary: "print group memberships for each USERNAME or, if no USERNAME is specified, for the current process",
		Usage: "groups [OPTION]... [USERNAME]...",
		Run: func(c *cmd.Ctx) int {
			var names owner.Names
			list := func(a account) string {
				var l []string
				for _, g := range a.groups {
					l = append(l, names.Group(c, g))
				}
				return strings.Join(l, " ")
			}
			if len(c.Args) == 0 {
				c.Out.WriteString(list(self(c)) + "\n")
				return 0
			}
			status := 0
			for _, s := range c.Args {
				r, ok := owner.Lookup(c, s)
				if !ok {
					c.Errorf("%s: no such user", quote.Locale(c, s))
					status = 1
					continue
				}
				c.Out.WriteString(s + " : " + list(withGroups(c, account{uid: r.UID, gid: r.GID}, r.Name)) + "\n")
			}
			return status
		},
	}
}
