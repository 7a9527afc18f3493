package shell

import (
	"strings"

	"eryxsh/vfs"
)

// toolDir is where tools are found by path. They are no files: what asks for one
// by its path (command -v, which, hash, test -x, ls FILE) is told that it is
// there and can be executed, and not read; the directory does not list it.
const toolDir = "/usr/local/bin/"

// toolAt gives the tool at an absolute path where there is no file.
func (m *Machine) toolAt(path string) (Tool, bool) {
	name, ok := strings.CutPrefix(path, toolDir)
	if !ok {
		return Tool{}, false
	}
	return m.Tools.Get(name)
}

// statTool is what a path with no file is when it is a tool's; else err.
func (m *Machine) statTool(p *Process, path string, err error) (vfs.Stat, error) {
	if err != vfs.ENOENT {
		return vfs.Stat{}, err
	}
	if _, ok := m.toolAt(m.abs(p, path)); !ok {
		return vfs.Stat{}, err
	}
	st, none := m.FS.Stat(m.cred(), toolDir)
	if none != nil {
		return vfs.Stat{}, err
	}
	st.Ino, st.Mode, st.Nlink, st.Size, st.Stored = 0, vfs.TypeFile|0o111, 1, 0, 0
	return st, nil
}

// access reports why a path cannot be used in a mode, or nil.
func (m *Machine) access(p *Process, path string, mode int) error {
	err := m.FS.Access(m.at(p), path, mode)
	if err == vfs.ENOENT {
		if _, err = m.statTool(p, path, err); err == nil && mode&^vfs.X_OK != 0 {
			err = vfs.EACCES
		}
	}
	return err
}
