package overlay

import (
	"crypto/sha256"
	"io"
	"maps"
	"slices"

	"eryxsh/vfs"
)

// content reads a file as the sandbox sees it.
type content struct {
	fs  *vfs.FS
	ino vfs.Ino
	off int64
	now int64
}

// Read is io.Reader's.
func (c *content) Read(b []byte) (int, error) {
	n, err := c.fs.ReadAt(c.ino, b, c.off, c.now)
	if c.off += int64(n); err == nil && n == 0 && len(b) > 0 {
		err = io.EOF
	}
	return n, err
}

// sum is the SHA-256 of a file as the sandbox sees it.
func (p *plan) sum(ino vfs.Ino) ([]byte, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, &content{fs: p.fs, ino: ino, now: p.now})
	return hash.Sum(nil), err
}

// write makes all that is new, under names of its own. If that fails, or the host
// changed meanwhile, nothing of it is left.
func (p *plan) write() (err error) {
	made := 0
	defer func() {
		if err != nil || len(p.conflicts) > 0 {
			for _, w := range slices.Backward(p.writes[:made]) {
				_ = p.host.Remove(w.path)
			}
		}
	}()
	for _, w := range p.writes {
		mode := permissions(w.st.Mode)
		switch {
		case w.st.Mode.IsDir():
			err = p.host.Mkdir(w.path, mode|0o700) // until what is in it is there
		case w.st.Mode.IsLink():
			err = p.host.Symlink(string(p.fs.Content(w.ino)), w.path)
		default:
			err = p.host.Create(w.path, mode, &content{fs: p.fs, ino: w.ino, now: p.now})
		}
		if err != nil {
			return &PathError{w.path, err}
		}
		made++
	}
	for _, w := range slices.Backward(p.writes) {
		if !w.st.Mode.IsDir() {
			continue
		}
		if err = p.host.Sync(w.path); err == nil && w.st.Mode&0o700 != 0o700 {
			err = p.host.Chmod(w.path, permissions(w.st.Mode))
		}
		if err != nil {
			return &PathError{w.path, err}
		}
	}
	for _, f := range p.seen { // writing may have taken long
		st, _, err := p.host.Lstat(f.path)
		none := err == vfs.ENOENT || err == vfs.ENOTDIR
		if none != f.none || !none && (err != nil || st.Mode != f.st.Mode || !st.Mode.IsDir() && (st.Mtime != f.st.Mtime || st.Ctime != f.st.Ctime || st.Size != f.st.Size)) {
			p.conflicts[f.path] = true
		}
	}
	return nil
}

// apply gives what was made its names, and removes what is gone.
func (p *plan) apply() error {
	dirs := map[string]bool{}
	for _, n := range p.names {
		if err := p.host.Rename(n.from, n.to); err != nil {
			return &PathError{n.to, err}
		}
		dirs[parent(n.to)] = true
	}
	for _, w := range p.modes {
		if err := p.host.Chmod(w.path, permissions(w.st.Mode)); err != nil {
			return &PathError{w.path, err}
		}
	}
	if err := p.sync(dirs); err != nil { // what is new is there before anything goes
		return err
	}
	clear(dirs)
	for _, path := range slices.Backward(p.gone) {
		switch err := p.host.Remove(path); {
		case err == vfs.ENOTEMPTY && p.left(path): // with what is excluded
		case err != nil && err != vfs.ENOENT:
			return &PathError{path, err}
		}
		dirs[parent(path)] = true
		delete(dirs, path)
	}
	return p.sync(dirs)
}

// left reports whether all that is left in a directory is what the sandbox was not shown.
func (p *plan) left(dir string) bool {
	below, err := p.host.ReadDir(dir, "")
	if err != nil {
		return false
	}
	for _, e := range below {
		if !e.Type.IsDir() || !p.left(join(dir, e.Name)) {
			return false
		}
	}
	kept, err := p.keeps(dir)
	return err == nil && kept
}

// sync waits until the names of directories are on the disk.
func (p *plan) sync(dirs map[string]bool) error {
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := p.host.Sync(dir); err != nil {
			return &PathError{dir, err}
		}
	}
	return nil
}
