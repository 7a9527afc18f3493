package host

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"eryxsh/core/ignore"
	"eryxsh/vfs"
)

// Exclusion says what of a directory is not shown: as if it were not there.
type Exclusion struct {
	Patterns  []string // lines of gitignore(5), relative to the directory
	Gitignore bool     // what the .gitignore files in it say, too
}

// ignoreFile is a .gitignore that was read, while it is as it was.
type ignoreFile struct {
	info  fs.FileInfo
	rules ignore.Rules
	used  int64
}

const (
	keptIgnores = 256
	maxIgnore   = 1 << 20 // bytes of a .gitignore; git reads no more than 100 MB
)

// Exclude sets what is not shown.
func (d *Dir) Exclude(e Exclusion) {
	d.exclude = ignore.Parse(strings.Join(e.Patterns, "\n"))
	d.gitignore = e.Gitignore
	d.ignores = map[string]*ignoreFile{}
}

// Excluded reports whether the sandbox is not shown a path.
func (d *Dir) Excluded(p string, dir bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	return d.excluded(p, dir)
}

// excluded is Excluded.
func (d *Dir) excluded(p string, dir bool) bool {
	if p == "." || !d.excludes() {
		return false
	}
	in := "."
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		in = p[:i]
	}
	s := d.sieve(in)
	return s.takes(p, dir)
}

// excludes reports whether anything may be excluded.
func (d *Dir) excludes() bool { return len(d.exclude) > 0 || d.gitignore }

// sieve takes out of the names of a directory what is excluded.
type sieve struct {
	all      bool // the directory is excluded itself, or one that it is in
	patterns ignore.Rules
	files    []gitignore // of the directories down to it
}

// gitignore is what the .gitignore of a directory says.
type gitignore struct {
	from  int // where in a path the one relative to the directory begins
	rules ignore.Rules
}

// sieve makes that of a directory.
func (d *Dir) sieve(dir string) sieve {
	s := sieve{patterns: d.exclude}
	above := strings.TrimPrefix(dir+"/", "./") // with a slash behind each of its names
	for from := 0; ; {
		if d.gitignore {
			s.files = append(s.files, gitignore{from, d.rules(strings.TrimSuffix(above[:from], "/"))})
		}
		n := strings.IndexByte(above[from:], '/')
		if n < 0 {
			return s
		}
		if s.all = s.takes(above[:from+n], true); s.all {
			return s
		}
		from += n + 1
	}
}

// takes reports whether a path in the directory is excluded. Of what matches, the
// patterns go before the .gitignore files, and of these the one that is nearest
// before those above.
func (s *sieve) takes(p string, dir bool) bool {
	if s.all {
		return true
	}
	out, decided := s.patterns.Verdict(p, dir)
	for i := len(s.files) - 1; i >= 0 && !decided; i-- {
		out, decided = s.files[i].rules.Verdict(p[s.files[i].from:], dir)
	}
	return out
}

// rules are those of the .gitignore of a directory, if it has one: a regular file.
func (d *Dir) rules(dir string) ignore.Rules {
	if dir == "" {
		dir = "."
	}
	const name = ".gitignore"
	root, err := d.enter(dir)
	if err != nil {
		return nil
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	d.turn++
	if f := d.ignores[dir]; f != nil && os.SameFile(f.info, info) && f.info.Size() == info.Size() && f.info.ModTime().Equal(info.ModTime()) {
		f.used = d.turn
		return f.rules
	}
	in, err := regular(root, name)
	if err != nil {
		return nil
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxIgnore))
	if err != nil {
		return nil
	}
	d.ignores[dir] = &ignoreFile{info, ignore.Parse(string(text)), d.turn}
	return d.ignores[dir].rules
}

// Keeps reports whether a directory has names that are excluded.
func (d *Dir) Keeps(dir string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	root, err := d.enter(dir)
	if err != nil {
		return false, number(err)
	}
	all, err := list(root)
	if err != nil {
		return false, number(err)
	}
	return len(d.shown(dir, all)) < len(all), nil
}

// shown takes what is excluded out of the names of a directory.
func (d *Dir) shown(dir string, all []vfs.Dirent) []vfs.Dirent {
	if !d.excludes() {
		return all
	}
	s := d.sieve(dir)
	kept := make([]vfs.Dirent, 0, len(all))
	for _, e := range all {
		p := e.Name
		if dir != "." {
			p = dir + "/" + p
		}
		if !s.takes(p, e.Type.IsDir()) {
			kept = append(kept, e)
		}
	}
	return kept
}
