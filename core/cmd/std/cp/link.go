package cp

import (
	"fmt"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/canon"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// putLink makes a link at a path by one call, in place of what is there if replace says so: the new one is made beside
// it and renamed, so that nothing is lost if it cannot be.
func putLink(c *cmd.Ctx, path string, replace bool, put func(path string) error) (replaced bool, err error) {
	if err = put(path); err != vfs.EEXIST || !replace {
		return false, err
	}
	aside := walk.Join(walk.Parent(path), fmt.Sprintf("Cu%06x", c.Rand()&0xffffff))
	if err = put(aside); err != nil {
		return false, err
	}
	err = c.Rename(aside, path)
	if e := c.Unlink(aside); err == nil && e != vfs.ENOENT { // a rename between names of one file leaves both
		err = e
	}
	return err == nil, err
}

// link gives a file another name; of a symbolic link what it leads to if follow is set.
func link(c *cmd.Ctx, from, to string, follow bool) error {
	if st, err := c.Lstat(from); follow && err == nil && st.Mode.IsLink() {
		if from, err = canon.Path(c, from, canon.Existing, false, false); err != nil {
			return err
		}
	}
	return c.Link(from, to)
}
