package core

import (
	"sort"
	"strings"

	"eryxsh/core/fault"
	"eryxsh/vfs"
)

// Cred is who the host's own file operations act as: the sandbox's user, whom no mode stops.
func (w *World) Cred() vfs.Cred { return vfs.Cred{UID: userID, GID: userID, Root: true} }

// Path makes a path of the host absolute: relative ones begin at the shell's working directory.
func (w *World) Path(p string) string { return absolute(w.M.Directory(w.M.Procs[0]), p) }

func absolute(dir, p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func fileError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Kind: fault.File, Op: op, Path: path, Err: err}
}

// mkdirAll makes a directory and its parents.
func (w *World) mkdirAll(path string, now int64) error {
	cred := vfs.Cred{UID: userID, GID: userID, Root: true}
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		err := w.M.FS.Mkdir(cred, path[:i], 0o755, now)
		if err == nil || err == vfs.EEXIST {
			continue
		}
		return fileError("mkdir", path[:i], err)
	}
	return nil
}

// write makes or replaces a file and its parents.
func (w *World) write(path string, data []byte, now int64) error {
	cred := vfs.Cred{UID: userID, GID: userID, Root: true}
	ino, err := w.M.FS.Open(cred, path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o644, now)
	if err == vfs.ENOENT {
		if i := strings.LastIndexByte(path, '/'); i > 0 {
			if err := w.mkdirAll(path[:i], now); err != nil {
				return err
			}
			ino, err = w.M.FS.Open(cred, path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o644, now)
		}
	}
	if err != nil {
		return fileError("write", path, err)
	}
	_, err = w.M.FS.WriteAt(ino, data, 0, now)
	return fileError("write", path, err)
}

// Write makes or replaces a file of the sandbox; parents are made.
func (w *World) Write(path string, data []byte, now int64) error {
	return w.write(w.Path(path), data, now)
}

// Mkdir makes a directory and its parents.
func (w *World) Mkdir(path string, now int64) error { return w.mkdirAll(w.Path(path), now) }

// Read gives a file's content.
func (w *World) Read(path string, now int64) ([]byte, error) {
	full := w.Path(path)
	ino, err := w.M.FS.Open(w.Cred(), full, vfs.O_RDONLY, 0, now)
	if err != nil {
		return nil, fileError("read", path, err)
	}
	st, err := w.M.FS.StatIno(ino)
	if err != nil {
		return nil, fileError("read", path, err)
	}
	if st.Mode.IsDir() {
		return nil, fileError("read", path, vfs.EISDIR)
	}
	buf := make([]byte, st.Size)
	n, err := w.M.FS.ReadAt(ino, buf, 0, now)
	return buf[:n], fileError("read", path, err)
}
