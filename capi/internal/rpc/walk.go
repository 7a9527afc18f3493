package rpc

import (
	"maps"
	"path"
	"slices"
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/expand"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/vfs"
)

// How much of a listing one answer carries, and how many names are asked of the
// tree at a time.
const (
	pageEntries = 10_000
	pageBytes   = 4 << 20
	batch       = 512
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// level is a directory that a walk is in.
type level struct {
	dir   string
	after string // the last name seen
	names []vfs.Dirent
	last  bool // names has all that are left
}

// walker goes through what is below a directory, a directory before what is in
// it, names in byte order. It follows no links, and needs no more stack for a
// deep tree than for a flat one.
type walker struct {
	tree
	levels []level
	deep   bool // into directories
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// next gives the next path; ok is false at the end.
func (w *walker) next() (name string, entry vfs.Dirent, ok bool, err error) {
	for len(w.levels) > 0 {
		l := &w.levels[len(w.levels)-1]
		if len(l.names) == 0 {
			if l.last {
				w.levels = w.levels[:len(w.levels)-1]
				continue
			}
			if l.names, err = w.fs.ReadDir(w.cred, l.dir, l.after, batch); err != nil {
				return "", entry, false, fail("list", l.dir, err)
			}
			l.last = len(l.names) < batch
			continue
		}
		entry = l.names[0]
		l.names, l.after = l.names[1:], entry.Name
		name = join(l.dir, entry.Name)
		if len(name) > vfs.PathMax { // nobody could use it, and leaving it out would be a lie
			return "", entry, false, fail("list", l.dir, vfs.ENAMETOOLONG)
		}
		if w.deep && entry.Type.IsDir() {
			w.levels = append(w.levels, level{dir: name})
		}
		return name, entry, true, nil
	}
	return "", entry, false, nil
}

// resume makes a walker go on behind a path it gave before.
func (w *walker) resume(root, after string) error {
	rest, below := strings.CutPrefix(after, strings.TrimSuffix(root, "/")+"/")
	if !below || rest == "" {
		return fault.New(fault.Invalid, "list", after, "the path to go on behind is not in %s", root)
	}
	w.levels = nil
	dir := root
	for _, name := range strings.Split(rest, "/") {
		w.levels = append(w.levels, level{dir: dir, after: name})
		dir = join(dir, name)
	}
	if st, err := w.fs.Lstat(w.cred, dir); w.deep && err == nil && st.Mode.IsDir() {
		w.levels = append(w.levels, level{dir: dir})
	}
	return nil
}

func list(c *call, p *wire.ListParams) (wire.Page, error) {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return wire.Page{}, err
	}
	if p.Limit < 0 {
		return wire.Page{}, fault.New(fault.Invalid, "list", p.Path, "a limit of %d is negative", p.Limit)
	}
	most := pageEntries
	if p.Limit > 0 {
		most = min(p.Limit, pageEntries)
	}
	root := t.Path(p.Path)
	if trimmed := strings.TrimRight(root, "/"); trimmed != "" {
		root = trimmed
	}
	if _, err := t.fs.ReadDir(t.cred, root, "", 1); err != nil {
		return wire.Page{}, fail("list", p.Path, err)
	}
	w := walker{tree: t, deep: p.Recursive, levels: []level{{dir: root}}}
	if p.After != "" {
		if err := w.resume(root, p.After); err != nil {
			return wire.Page{}, err
		}
	}
	var page wire.Page
	for size := 0; ; {
		name, _, ok, err := w.next()
		if err != nil || !ok {
			return page, err
		}
		if len(page.Entries) == most || size > pageBytes {
			page.Next = page.Entries[len(page.Entries)-1].Path
			return page, nil
		}
		st, err := t.fs.Lstat(t.cred, name)
		if err != nil {
			return page, fail("list", name, err)
		}
		size += len(name)
		page.Entries = append(page.Entries, t.info(name, st))
	}
}

// remove removes a file, or a directory with what is in it.
func remove(t tree, name string, p *wire.RemoveParams) error {
	st, err := t.fs.Lstat(t.cred, name)
	if err == vfs.ENOENT && p.MissingOK {
		return nil
	}
	if err != nil {
		return err
	}
	if !st.Mode.IsDir() {
		return t.fs.Unlink(t.cred, name, t.now)
	}
	if !p.Recursive {
		return vfs.EISDIR
	}
	return t.M.Removing(func() error {
		return t.guarded(func() error { return removeAll(t, name) })
	})
}

// removeAll removes a directory with what is in it.
func removeAll(t tree, name string) error {
	w := walker{tree: t, deep: true, levels: []level{{dir: name}}}
	dirs := []string{name}
	for {
		at, entry, ok, err := w.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if entry.Type.IsDir() {
			dirs = append(dirs, at)
		} else if err := t.fs.Unlink(t.cred, at, t.now); err != nil {
			return fail("rm", at, err)
		}
	}
	for _, dir := range slices.Backward(dirs) { // what is inside comes behind what it is in
		if err := t.fs.Rmdir(t.cred, dir, t.now); err != nil {
			return fail("rm", dir, err)
		}
	}
	return nil
}

// copyTo copies a file, or a directory with what is in it, with modes and times.
func copyTo(t tree, from string, p *wire.CopyParams) error {
	st, err := t.fs.Stat(t.cred, from)
	if err != nil {
		return err
	}
	to := t.Path(p.To)
	if target, err := t.fs.Stat(t.cred, to); err == nil {
		if target.Mode.IsDir() { // as cp does
			to = join(strings.TrimRight(to, "/"), path.Base(strings.TrimRight(from, "/")))
		} else if target.Ino == st.Ino {
			return fault.New(fault.Invalid, "copy", p.To, "it is the same file as %s", p.From)
		}
	}
	if !st.Mode.IsDir() {
		return t.guarded(func() error { return t.copyFile(from, to, st) })
	}
	if !p.Recursive {
		return vfs.EISDIR
	}
	if real, err := t.fs.Realpath(t.cred, to, vfs.MissingAny); err != nil {
		return fail("copy", to, err)
	} else if top, err := t.fs.Realpath(t.cred, from, vfs.MissingNone); err != nil || real == top || strings.HasPrefix(real, strings.TrimSuffix(top, "/")+"/") {
		return fault.New(fault.Invalid, "copy", p.To, "a directory cannot be copied into itself")
	}
	return t.guarded(func() error { return t.copyAll(from, to, st) })
}

func (t tree) copyAll(from, to string, st vfs.Stat) error {
	type made struct {
		path string
		st   vfs.Stat
	}
	var dirs []made
	enter := func(dir string, st vfs.Stat) error {
		if err := t.fs.Mkdir(t.cred, dir, st.Mode&vfs.PermMask, t.now); err != nil && err != vfs.EEXIST {
			return fail("copy", dir, err)
		}
		dirs = append(dirs, made{dir, st})
		return nil
	}
	if err := enter(to, st); err != nil {
		return err
	}
	w := walker{tree: t, deep: true, levels: []level{{dir: from}}}
	for {
		name, entry, ok, err := w.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		st, err := t.fs.Lstat(t.cred, name)
		if err != nil {
			return fail("copy", name, err)
		}
		target := to + strings.TrimPrefix(name, strings.TrimSuffix(from, "/"))
		switch {
		case entry.Type.IsDir():
			err = enter(target, st)
		case entry.Type.IsLink():
			var text string
			if text, err = t.fs.Readlink(t.cred, name); err == nil {
				err = t.fs.Symlink(t.cred, text, target, t.now)
			}
		case entry.Type == vfs.TypeFifo:
			err = t.fs.Mkfifo(t.cred, target, st.Mode&vfs.PermMask, t.now)
		default:
			err = t.copyFile(name, target, st)
		}
		if err != nil {
			return fail("copy", name, err)
		}
	}
	for _, d := range slices.Backward(dirs) { // after what is in them was written
		if err := t.fs.Utimes(t.cred, d.path, true, d.st.Atime, d.st.Mtime, t.now); err != nil {
			return fail("copy", d.path, err)
		}
	}
	return nil
}

// copyFile copies content, holes as holes, mode and times.
func (t tree) copyFile(from, to string, st vfs.Stat) error {
	src, err := t.fs.Open(t.cred, from, vfs.O_RDONLY, 0, t.now)
	if err != nil {
		return err
	}
	dst, err := t.fs.Open(t.cred, to, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, st.Mode&vfs.PermMask, t.now)
	if err != nil {
		return fail("copy", to, err)
	}
	for off := int64(0); ; {
		data, hole, err := t.fs.Chunk(src, off, t.now)
		if err != nil {
			return err
		}
		if data == nil && hole == 0 {
			break
		}
		if data != nil {
			if err := t.fill(dst, data, off); err != nil {
				return fail("copy", to, err)
			}
		}
		off += int64(len(data)) + hole
	}
	if st.Mode.IsRegular() && !src.Generated() {
		if err := t.fs.TruncateIno(dst, st.Size, t.now); err != nil {
			return fail("copy", to, err)
		}
	}
	if err := t.fs.Chmod(t.cred, to, true, st.Mode&vfs.PermMask, t.now); err != nil {
		return fail("copy", to, err)
	}
	return fail("copy", to, t.fs.Utimes(t.cred, to, true, st.Atime, st.Mtime, t.now))
}

// glob lists the paths that match a pattern, part by part. "**" is any number
// of directories. A name that begins with a dot is matched by a dot only.
func glob(c *call, p *wire.GlobParams) ([]string, error) {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return nil, err
	}
	g := globber{tree: t, budget: limit.Or(t.M.Limits.Glob)}
	pattern, base := p.Pattern, ""
	if strings.HasPrefix(pattern, "/") {
		base = "/"
	}
	parts := slices.DeleteFunc(strings.Split(pattern, "/"), func(part string) bool { return part == "" })
	if len(parts) > vfs.PathMax/2 {
		return nil, fail("glob", p.Pattern, vfs.ENAMETOOLONG)
	}
	paths := []string{base}
	for i, part := range parts {
		if paths, err = g.expand(paths, part, i == len(parts)-1 && !strings.HasSuffix(pattern, "/")); err != nil {
			return nil, fail("glob", p.Pattern, err)
		}
	}
	if len(parts) == 0 && base == "" {
		return nil, nil
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

type globber struct {
	tree
	budget int64 // directory entries that may still be looked at
}

// expand puts one part of a pattern behind every path; last says that files count too.
func (g *globber) expand(paths []string, part string, last bool) ([]string, error) {
	var out []string
	special := strings.ContainsAny(part, `*?[\`) || strings.Contains(part, "(")
	matcher := expand.NewMatcher(part, expand.ExtGlob)
	for _, base := range paths {
		below := func(name string) string {
			if base == "" {
				return name
			}
			return join(base, name)
		}
		dir := g.Path(base)
		if base == "" {
			dir = strings.TrimSuffix(g.Path("."), "/.")
		}
		if !special {
			name := below(part)
			st, err := g.fs.Lstat(g.cred, g.Path(name))
			if err == nil && !last {
				st, err = g.fs.Stat(g.cred, g.Path(name))
			}
			if err == nil && (last || st.Mode.IsDir()) {
				out = append(out, name)
			}
			continue
		}
		if st, err := g.fs.Stat(g.cred, dir); err != nil || !st.Mode.IsDir() {
			continue
		}
		if part == "**" && base != "" {
			out = append(out, base)
		} else if part == "**" && !last {
			out = append(out, "")
		}
		w := walker{tree: g.tree, deep: part == "**", levels: []level{{dir: dir}}}
		for {
			name, entry, ok, err := w.next()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if g.budget--; g.budget < 0 {
				return nil, &limit.Reached{Name: "glob"}
			}
			hidden := strings.HasPrefix(entry.Name, ".")
			switch {
			case part == "**":
				if hidden {
					if entry.Type.IsDir() {
						w.levels = w.levels[:len(w.levels)-1]
					}
					continue
				}
			case hidden && part[0] != '.', !matcher.Match(entry.Name):
				continue
			}
			isDir := entry.Type.IsDir()
			if !isDir && !last && entry.Type.IsLink() && part != "**" {
				st, err := g.fs.Stat(g.cred, name)
				isDir = err == nil && st.Mode.IsDir()
			}
			if isDir || last {
				out = append(out, below(strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")+"/")))
			}
		}
	}
	if len(out) > 1 {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out, nil
}
