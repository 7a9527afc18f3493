package std

import (
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/owner"
)

func id() *cmd.Command {
	return &cmd.Command{
		Name: "id", Summary: "print user and group information for each specified USER, or (when USER omitted) for the current process",
		Usage: "id [OPTION]... [USER]...",
		Options: []cmd.Option{
			{Short: 'a', Help: "ignore, for compatibility with other versions"},
			{Short: 'Z', Long: "context", Help: "print only the security context of the process"},
			{Short: 'g', Long: "group", Help: "print only the effective group ID"},
			{Short: 'G', Long: "groups", Help: "print all group IDs"},
			{Short: 'n', Long: "name", Help: "print a name instead of a number, for -ugG"},
			{Short: 'r', Long: "real", Help: "print the real ID instead of the effective ID, with -ugG"},
			{Short: 'u', Long: "user", Help: "print only the effective user ID"},
			{Short: 'z', Long: "zero", Help: "delimit entries with NUL characters, not whitespace; not permitted in default format"},
		},
		Run: runID,
	}
}

// account is who id, groups and whoami talk about.
type account struct {
	uid, gid uint32
	groups   []uint32
}

// self is the account of the process.
func self(c *cmd.Ctx) account {
	return withGroups(c, account{uid: uint32(c.UID()), gid: uint32(c.GID())}, c.User())
}

func withGroups(c *cmd.Ctx, a account, name string) account {
	a.groups = []uint32{a.gid}
	for _, g := range owner.Supplementary(c, name) {
		if g != a.gid {
			a.groups = append(a.groups, g)
		}
	}
	return a
}

// accountOf finds a user by name or number.
func accountOf(c *cmd.Ctx, names *owner.Names, s string) (account, bool) {
	if r, ok := owner.Lookup(c, s); ok {
		return withGroups(c, account{uid: r.UID, gid: r.GID}, r.Name), true
	}
	if n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 32); err == nil && names.HasUser(c, uint32(n)) {
		if r, ok := owner.Lookup(c, names.User(c, uint32(n))); ok {
			return withGroups(c, account{uid: r.UID, gid: r.GID}, r.Name), true
		}
	}
	return account{}, false
}

func runID(c *cmd.Ctx) int {
	only := distinct(c.Flags, "ugG")
	name, zero := c.Flags.Has("n"), c.Flags.Has("z")
	switch {
	case c.Flags.Has("Z"):
		c.Errorf("--context (-Z) works only on an SELinux-enabled kernel")
		return 1
	case len(only) > 1:
		c.Errorf("cannot print \"only\" of more than one choice")
		return 1
	case len(only) == 0 && (name || c.Flags.Has("r")):
		c.Errorf("cannot print only names or real IDs in default format")
		return 1
	case len(only) == 0 && zero:
		c.Errorf("option --zero not permitted in default format")
		return 1
	}
	var names owner.Names
	end := "\n"
	if zero {
		end = "\x00"
	}
	show := func(a account) {
		user := func(n uint32) string { return names.User(c, n) }
		group := func(n uint32) string { return names.Group(c, n) }
		if !name {
			number := func(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
			user, group = number, number
		}
		switch {
		case len(only) == 0:
			fmt.Fprintf(&c.Out, "uid=%d(%s) gid=%d(%s) groups=", a.uid, names.User(c, a.uid), a.gid, names.Group(c, a.gid))
			for i, g := range a.groups {
				if i > 0 {
					c.Out.WriteByte(',')
				}
				fmt.Fprintf(&c.Out, "%d(%s)", g, names.Group(c, g))
			}
		case only[0] == 'u':
			c.Out.WriteString(user(a.uid))
		case only[0] == 'g':
			c.Out.WriteString(group(a.gid))
		default:
			sep := " "
			if zero {
				sep = "\x00"
			}
			var l []string
			for _, g := range a.groups {
				l = append(l, group(g))
			}
			c.Out.WriteString(strings.Join(l, sep))
			if zero && len(c.Args) > 1 { // or nobody knew where a user's end
				c.Out.WriteByte(0)
			}
		}
		c.Out.WriteString(end)
	}
	if len(c.Args) == 0 {
		show(self(c))
		return 0
	}
	status := 0
	for _, s := range c.Args {
		a, ok := accountOf(c, &names, s)
		if !ok {
			c.Errorf("%s: no such user", quote.Locale(c, s))
			status = 1
			continue
		}
		show(a)
	}
	return status
}

// distinct lists which of the one-letter flags were given.
func distinct(flags cmd.Flags, letters string) []byte {
	var out []byte
	for i := range len(letters) {
		if flags.Has(letters[i : i+1]) {
			out = append(out, letters[i])
		}
	}
	return out
}
