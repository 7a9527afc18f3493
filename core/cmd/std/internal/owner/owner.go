// Package owner turns user and group ids into names and back, from /etc/passwd
// and /etc/group of the sandbox, and from the process itself where they are
// silent.
package owner

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// maxDatabase bounds what is read of a database file.
const maxDatabase = 64 << 10

// Names is a cache of names by id; its zero value is ready.
type Names struct {
	users, groups map[uint32]string
}

// User is the name of a user id; its number if it has none.
func (n *Names) User(c *cmd.Ctx, uid uint32) string {
	if n.users == nil {
		n.users = table(c, "/etc/passwd")
		if c.UID() >= 0 && n.users[uint32(c.UID())] == "" {
			n.users[uint32(c.UID())] = c.User()
		}
	}
	return name(n.users, uid)
}

// Group is the name of a group id; its number if it has none.
func (n *Names) Group(c *cmd.Ctx, gid uint32) string {
	if n.groups == nil {
		n.groups = table(c, "/etc/group")
		if c.GID() >= 0 && n.groups[uint32(c.GID())] == "" {
			n.groups[uint32(c.GID())] = c.User()
		}
	}
	return name(n.groups, gid)
}

// HasUser reports whether a user id has a name.
func (n *Names) HasUser(c *cmd.Ctx, uid uint32) bool {
	n.User(c, uid)
	_, ok := n.users[uid]
	return ok || uid == 0
}

// HasGroup reports whether a group id has a name.
func (n *Names) HasGroup(c *cmd.Ctx, gid uint32) bool {
	n.Group(c, gid)
	_, ok := n.groups[gid]
	return ok || gid == 0
}

func name(m map[uint32]string, id uint32) string {
	if s, ok := m[id]; ok {
		return s
	}
	if id == 0 {
		return "root"
	}
	return strconv.FormatUint(uint64(id), 10)
}

// UserID is the id of a user name or number.
func (n *Names) UserID(c *cmd.Ctx, s string) (uint32, bool) {
	n.User(c, 0)
	return id(n.users, s)
}

// GroupID is the id of a group name or number.
func (n *Names) GroupID(c *cmd.Ctx, s string) (uint32, bool) {
	n.Group(c, 0)
	return id(n.groups, s)
}

func id(m map[uint32]string, s string) (uint32, bool) {
	best, found := uint32(0), false
	for k, v := range m {
		if v == s && (!found || k < best) {
			best, found = k, true
		}
	}
	if found {
		return best, true
	}
	if s == "root" {
		return 0, true
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 32)
	return uint32(v), err == nil
}

// Record is one line of /etc/passwd.
type Record struct {
	Name        string
	UID, GID    uint32
	Home, Shell string
}

// Lookup finds a user by name.
func Lookup(c *cmd.Ctx, name string) (Record, bool) {
	for _, l := range strings.Split(read(c, "/etc/passwd"), "\n") {
		f := strings.Split(l, ":")
		if len(f) >= 7 && f[0] == name {
			u, _ := strconv.ParseUint(f[2], 10, 32)
			g, _ := strconv.ParseUint(f[3], 10, 32)
			return Record{f[0], uint32(u), uint32(g), f[5], f[6]}, true
		}
	}
	switch name {
	case c.User():
		return Record{Name: name, UID: uint32(c.UID()), GID: uint32(c.GID())}, true
	case "root":
		return Record{Name: name}, true
	}
	return Record{}, false
}

// Supplementary lists the groups that name is a member of in /etc/group, in order.
func Supplementary(c *cmd.Ctx, name string) []uint32 {
	var out []uint32
	for _, l := range strings.Split(read(c, "/etc/group"), "\n") {
		f := strings.Split(l, ":")
		if len(f) < 4 {
			continue
		}
		for _, m := range strings.Split(f[3], ",") {
			if g, err := strconv.ParseUint(f[2], 10, 32); err == nil && m == name {
				out = append(out, uint32(g))
			}
		}
	}
	return out
}

func table(c *cmd.Ctx, file string) map[uint32]string {
	m := map[uint32]string{}
	for _, l := range strings.Split(read(c, file), "\n") {
		f := strings.SplitN(l, ":", 4)
		if len(f) < 4 {
			continue
		}
		v, err := strconv.ParseUint(f[2], 10, 32)
		if _, dup := m[uint32(v)]; err == nil && !dup {
			m[uint32(v)] = f[0]
		}
	}
	return m
}

func read(c *cmd.Ctx, file string) string {
	fd, err := c.Open(file, vfs.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer c.Close(fd)
	var out []byte
	buf := make([]byte, 8192)
	for len(out) < maxDatabase {
		n, err := c.Read(fd, buf)
		if err != nil {
			break
		}
		out = append(out, buf[:n]...)
	}
	return string(out)
}
