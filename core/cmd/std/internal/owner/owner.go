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

// Names are names by id, as the databases had them when they were first asked
// for; the zero value is ready. They are saved with the program: what is read
// once is not read again after a move.
type Names struct {
	Users  []Name  `cbor:"1,keyasint,omitempty"`
	Groups []Name  `cbor:"2,keyasint,omitempty"`
	Read   [2]bool `cbor:"3,keyasint,omitempty"` // users, groups
}

// Name is what an id is called.
type Name struct {
	ID   uint32 `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

// User is the name of a user id; its number if it has none.
func (n *Names) User(c *cmd.Ctx, uid uint32) string { return named(n.users(c), uid) }

// Group is the name of a group id; its number if it has none.
func (n *Names) Group(c *cmd.Ctx, gid uint32) string { return named(n.groups(c), gid) }

// HasUser reports whether a user id has a name.
func (n *Names) HasUser(c *cmd.Ctx, uid uint32) bool {
	_, ok := find(n.users(c), uid)
	return ok || uid == 0
}

// HasGroup reports whether a group id has a name.
func (n *Names) HasGroup(c *cmd.Ctx, gid uint32) bool {
	_, ok := find(n.groups(c), gid)
	return ok || gid == 0
}

// UserID is the id of a user name or number.
func (n *Names) UserID(c *cmd.Ctx, s string) (uint32, bool) { return id(n.users(c), s) }

// GroupID is the id of a group name or number.
func (n *Names) GroupID(c *cmd.Ctx, s string) (uint32, bool) { return id(n.groups(c), s) }

func (n *Names) users(c *cmd.Ctx) []Name {
	if !n.Read[0] {
		n.Users, n.Read[0] = table(c, "/etc/passwd", c.UID()), true
	}
	return n.Users
}

func (n *Names) groups(c *cmd.Ctx) []Name {
	if !n.Read[1] {
		n.Groups, n.Read[1] = table(c, "/etc/group", c.GID()), true
	}
	return n.Groups
}

func find(list []Name, id uint32) (string, bool) {
	for _, n := range list {
		if n.ID == id {
			return n.Name, true
		}
	}
	return "", false
}

func named(list []Name, id uint32) string {
	if s, ok := find(list, id); ok {
		return s
	}
	if id == 0 {
		return "root"
	}
	return strconv.FormatUint(uint64(id), 10)
}

func id(list []Name, s string) (uint32, bool) {
	best, found := uint32(0), false
	for _, n := range list {
		if n.Name == s && (!found || n.ID < best) {
			best, found = n.ID, true
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

// table reads a database; the process itself is in it where the file does not say so.
func table(c *cmd.Ctx, file string, self int) []Name {
	var list []Name
	for _, l := range strings.Split(read(c, file), "\n") {
		f := strings.SplitN(l, ":", 4)
		if len(f) < 4 {
			continue
		}
		v, err := strconv.ParseUint(f[2], 10, 32)
		if _, dup := find(list, uint32(v)); err == nil && !dup {
			list = append(list, Name{uint32(v), f[0]})
		}
	}
	if self >= 0 {
		if _, ok := find(list, uint32(self)); !ok {
			list = append(list, Name{uint32(self), c.User()})
		}
	}
	return list
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
