// Package walk reads directories in bounded turns, for the utilities that go
// down trees. A utility keeps a stack of Dir in its own state; the names of a
// directory are read once, before the first is handed out, so that what a
// utility (or a command it runs) does to the directory meanwhile does not
// change what it visits: GNU's fts does the same.
package walk

import (
	"sort"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// Turn is how many entries a utility handles in one Step.
const Turn = 256

// MaxDepth is how deep a tree may be: beyond, paths would be longer than any system takes.
const MaxDepth = 4096

// Dir is a directory being read or visited.
type Dir struct {
	Path  string   `cbor:"1,keyasint,omitempty"`
	Names []string `cbor:"2,keyasint,omitempty"`
	Types []byte   `cbor:"3,keyasint,omitempty"` // file type bits >> 12, one a name
	I     int      `cbor:"4,keyasint,omitempty"` // the next name
	Full  bool     `cbor:"5,keyasint,omitempty"` // all names are there
	Inos  []uint64 `cbor:"6,keyasint,omitempty"` // of FillByInode, until they are put in order
}

// Wrong checks that the next name is one of them, and that each has a type.
func (d *Dir) Wrong(*cmd.Ctx) string {
	if len(d.Names) != len(d.Types) {
		return "names and types of a directory do not fit"
	}
	if len(d.Names) == 0 { // they are given up when the last was taken
		return cmd.Beyond("a place in a directory", d.I, 1<<40)
	}
	return cmd.Beyond("a place in a directory", d.I, len(d.Names))
}

// Fill reads more names, at most Turn, and counts them off budget. Call it until Full.
func (d *Dir) Fill(c *cmd.Ctx, budget *int) error { return d.fill(c, budget, false) }

func (d *Dir) fill(c *cmd.Ctx, budget *int, inos bool) error {
	if d.Full {
		return nil
	}
	after := ""
	if n := len(d.Names); n > 0 {
		after = d.Names[n-1]
	}
	l, err := c.ReadDir(d.Path, after, Turn)
	if err != nil {
		d.Full = true
		return err
	}
	d.Names = large.Extend(d.Names, len(l), c)
	for _, e := range l {
		d.Names = append(d.Names, e.Name)
		d.Types = append(d.Types, byte(e.Type>>12))
		if inos {
			d.Inos = append(d.Inos, uint64(e.Ino))
		}
	}
	*budget -= 1 + len(l)/4
	d.Full = len(l) < Turn
	return nil
}

// FillByInode is Fill for names in the order of their inodes, that is about as they were made: cp reads a directory so.
func (d *Dir) FillByInode(c *cmd.Ctx, budget *int) error {
	if err := d.fill(c, budget, true); err != nil || !d.Full {
		return err
	}
	c.Charge(len(d.Names))
	sort.Stable((*byInode)(d))
	d.Inos = nil
	return nil
}

type byInode Dir

func (d *byInode) Len() int           { return len(d.Inos) }
func (d *byInode) Less(i, j int) bool { return d.Inos[i] < d.Inos[j] }
func (d *byInode) Swap(i, j int) {
	d.Inos[i], d.Inos[j] = d.Inos[j], d.Inos[i]
	d.Names[i], d.Names[j] = d.Names[j], d.Names[i]
	d.Types[i], d.Types[j] = d.Types[j], d.Types[i]
}

// Next gives the next name, or false at the end.
func (d *Dir) Next() (name string, typ vfs.Mode, ok bool) {
	if d.I >= len(d.Names) {
		return "", 0, false
	}
	d.I++
	return d.Names[d.I-1], vfs.Mode(d.Types[d.I-1]) << 12, true
}

// Join puts a name under a directory, keeping the directory as it was typed.
func Join(dir, name string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

// Base is the last component of a path as typed, without trailing slashes; "/" for the root.
func Base(p string) string {
	t := strings.TrimRight(p, "/")
	if t == "" {
		if p == "" {
			return ""
		}
		return "/"
	}
	return t[strings.LastIndexByte(t, '/')+1:]
}

// Parent is everything before the last component, as dirname(1) says.
func Parent(p string) string {
	t := strings.TrimRight(p, "/")
	if t == "" {
		if p == "" {
			return "."
		}
		return "/"
	}
	i := strings.LastIndexByte(t, '/')
	if i < 0 {
		return "."
	}
	if t = strings.TrimRight(t[:i], "/"); t == "" {
		return "/"
	}
	return t
}
