// Package canon resolves symbolic links in paths, for readlink and realpath.
package canon

import (
	"path"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Mode says which components must exist.
type Mode uint8

// Modes of Path.
const (
	AllButLast Mode = iota
	Existing
	Missing
)

// maxLinks is how many links one path may lead through, as in Linux.
const maxLinks = 40

// Path is p, absolute, without links, "." and "..". With logical, ".." is
// removed before links are followed; with strip, links are kept.
func Path(c *cmd.Ctx, p string, mode Mode, logical, strip bool) (string, error) {
	if p == "" {
		return "", vfs.ENOENT
	}
	if !strings.HasPrefix(p, "/") {
		dir, err := c.Dir()
		if err != nil {
			return "", err
		}
		p = dir + "/" + p
	}
	if logical {
		trailing := strings.HasSuffix(p, "/")
		if p = path.Clean(p); trailing && p != "/" {
			p += "/"
		}
	}
	out := "/"
	rest := p
	links := 0
	for rest != "" {
		rest = strings.TrimLeft(rest, "/")
		name, more, _ := strings.Cut(rest, "/")
		after := rest[len(name):]
		rest = more
		switch name {
		case "", ".":
			continue
		case "..":
			out = path.Dir(out)
			continue
		}
		next := path.Join(out, name)
		st, err := c.Lstat(next)
		last := strings.Trim(after, "/") == ""
		switch {
		case err == nil && st.Mode.IsLink() && !strip:
			if links++; links > maxLinks {
				if mode == Missing {
					out = next
					continue
				}
				return "", vfs.ELOOP
			}
			target, err := c.Readlink(next)
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(target, "/") {
				out = "/"
			}
			rest = target + after
			continue
		case err == nil && !st.Mode.IsDir() && after != "" && mode != Missing:
			if t, err := c.Stat(next); err != nil || !t.Mode.IsDir() {
				return "", vfs.ENOTDIR
			}
		case err != nil && mode == Existing, err != nil && mode == AllButLast && (!last || err != vfs.ENOENT):
			return "", err
		}
		out = next
	}
	return out, nil
}
