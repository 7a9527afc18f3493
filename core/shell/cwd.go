package shell

import (
	"strings"

	"eryxsh/vfs"
)

// The working directory is a directory, not a path: Process.Dir is its inode, and relative paths begin there. What the
// shell calls it, Process.Cwd and PWD, is the name it was entered by, which may since lead elsewhere or nowhere.

// nowhere is the directory of a process whose own is not known: nothing is found in it.
const nowhere = ^vfs.Ino(0)

// cred is who asks, with no working directory: for absolute paths.
func (m *Machine) cred() vfs.Cred { return vfs.Cred{UID: m.Host.UID, GID: m.Host.GID} }

// at is who asks for a process, whose relative paths begin at its working directory.
func (m *Machine) at(p *Process) vfs.Cred {
	return vfs.Cred{UID: m.Host.UID, GID: m.Host.GID, Dir: p.Place.Dir}
}

// directory gives the inode of a directory by its path, nowhere if there is none.
func (m *Machine) directory(path string) vfs.Ino {
	ino, err := m.FS.Lookup(vfs.Cred{Root: true}, path, true)
	if err != nil {
		return nowhere
	}
	return ino
}

// Plain reports whether there is no more than one shell, between two runs, in the directory that its path leads to: what a reader
// that knows of nothing newer continues as well.
func (m *Machine) Plain() bool {
	p := m.Procs[0]
	return len(m.Procs) == 1 && len(p.Frames) == 0 && !p.Place.Removed && p.Place.Dir == m.directory(p.Cwd)
}

// enter makes a directory the process's own, under a name.
func (m *Machine) enter(p *Process, name string, dir vfs.Ino) {
	st, err := m.FS.StatIno(dir)
	removed := err == nil && st.Nlink == 0
	if removed {
		m.FS.Hold(dir)
	}
	m.leave(p)
	p.Cwd, p.Place = name, Place{Dir: dir, Removed: removed, Path: m.FS.OutsidePath(dir)}
}

// leave lets go of the working directory of a process that ends or goes elsewhere.
func (m *Machine) leave(p *Process) {
	if p.Place.Removed {
		m.FS.Release(p.Place.Dir)
		p.Place.Removed = false
	}
}

// comeBack puts back what lend took.
func (m *Machine) comeBack(p *Process, x *Extra) {
	if u := x.Undo; u != nil && u.Place != nil {
		m.leave(p)
		p.Cwd, p.Place = x.Text, *u.Place
		u.Place = nil
		return
	}
	m.enter(p, x.Text, m.directory(x.Text)) // a state of before there were places
}

// places calls each with every place that is worked in, or will be again.
func (m *Machine) places(each func(*Place)) {
	for _, p := range m.Procs {
		if p.Dead {
			continue
		}
		each(&p.Place)
		if at := p.lent(); at != nil {
			each(at)
		}
	}
}

// lent is the place a process comes back to after the run.
func (p *Process) lent() *Place {
	if len(p.Frames) == 0 || p.Frames[0].Kind != FBottom || p.Frames[0].X == nil || p.Frames[0].X.Undo == nil {
		return nil
	}
	return p.Frames[0].X.Undo.Place
}

// share gives a forked process the place of its parent.
func (m *Machine) share(at Place) Place {
	if at.Removed {
		m.FS.Hold(at.Dir)
	}
	return at
}

// Removing does what may remove directories. One that a process works in lives on without a name, as in Unix. It is
// held only from then on: a process that begins or ends should cost the tree nothing.
func (m *Machine) Removing(remove func() error) error {
	m.own()
	m.places(func(at *Place) {
		if !at.Removed {
			m.FS.Hold(at.Dir)
		}
	})
	err := remove()
	m.places(func(at *Place) {
		if at.Removed {
			return
		}
		if st, e := m.FS.StatIno(at.Dir); e == nil && st.Nlink == 0 {
			at.Removed = true
		} else {
			m.FS.Release(at.Dir)
		}
	})
	return err
}

// WorksIn reports whether a process works in a mount, or will again, or has a host's file of it open.
func (m *Machine) WorksIn(mount uint32) (works bool) {
	m.places(func(at *Place) {
		if in, ok := m.FS.MountOf(at.Dir); ok && in.ID == mount {
			works = true
		}
	})
	for i := range m.Files {
		if o := &m.Files[i]; o.Refs > 0 && o.Ino.Outside() {
			if in, ok := m.FS.MountOf(o.Ino); ok && in.ID == mount {
				works = true
			}
		}
	}
	return works
}

// Replacing does what replaces the files of a mount by those that a host has. What is open and where processes work
// stays what its path leads to then; a file that has none lives on without a name.
func (m *Machine) Replacing(mount uint32, replace func() error) error {
	m.own()
	paths := map[any]string{}
	within := func(of any, ino vfs.Ino) {
		if in, ok := m.FS.MountOf(ino); ok && in.ID == mount {
			paths[of], _ = m.FS.Path(ino)
		}
	}
	m.places(func(at *Place) { within(at, at.Dir) })
	for i := range m.Files {
		if o := &m.Files[i]; o.Refs > 0 && (o.Kind == FileRegular || o.Kind == FileDir) {
			o.Ino = m.FS.Near(o.Ino)
			within(o, o.Ino)
		}
	}
	err := replace()
	for of, path := range paths {
		switch at := of.(type) {
		case *Place:
			m.comeTo(at, path)
		case *OFD:
			m.reopened(at, path)
		}
	}
	return err
}

// comeTo gives a place the directory that a path leads to, or the nearest above it.
func (m *Machine) comeTo(at *Place, path string) {
	if path == "" || at.Removed {
		return
	}
	for {
		dir := m.directory(path)
		if st, err := m.FS.StatIno(dir); err == nil && st.Mode.IsDir() {
			*at = Place{Dir: dir, Path: m.FS.OutsidePath(dir)}
			return
		}
		path = path[:max(strings.LastIndexByte(path, '/'), 1)]
	}
}

// reopened gives an open file the inode that a path leads to.
func (m *Machine) reopened(o *OFD, path string) {
	ino, err := m.FS.Lookup(vfs.Cred{Root: true}, path, false)
	if err != nil || ino == o.Ino {
		return
	}
	st, err := m.FS.StatIno(ino)
	if err != nil || st.Mode.IsDir() != (o.Kind == FileDir) || !st.Mode.IsDir() && !st.Mode.IsRegular() {
		return
	}
	if o.Kind == FileRegular {
		m.FS.Hold(ino)
		m.FS.Release(o.Ino)
	}
	o.Ino, o.Path = ino, m.FS.OutsidePath(ino)
}

// EnterMounts makes who works in a directory that a mount covers work in the mount, where nothing has run yet.
func (m *Machine) EnterMounts() {
	m.own()
	p := m.Procs[0]
	for _, in := range m.FS.Mounts() {
		if in.Covers == p.Place.Dir {
			m.enter(p, p.Cwd, in.Root)
		}
	}
}

// Directory is a path of a process's working directory: the name it was entered by where that still leads there.
func (m *Machine) Directory(p *Process) string {
	if m.directory(p.Cwd) == p.Place.Dir {
		return p.Cwd
	}
	if path, ok := m.FS.Path(p.Place.Dir); ok {
		return path
	}
	return p.Cwd
}

// physical is what getcwd(3) gives: ENOENT for a directory that was removed.
func (m *Machine) physical(p *Process) (string, error) {
	return m.FS.Realpath(m.at(p), ".", vfs.MissingNone)
}

// getcwd finds the working directory's path anew, as bash does when the name it has for it leads nowhere.
func (m *Machine) getcwd(p *Process, who string) (string, bool) {
	path, err := m.physical(p)
	if err != nil {
		m.complainRaw(p, who+": error retrieving current directory: getcwd: cannot access parent directories: "+err.Error()+"\n")
		return "", false
	}
	p.Cwd = path
	return path, true
}

// byLetters is a path for what knows names by their letters: the descriptors in /dev and /proc.
func (m *Machine) byLetters(p *Process, path string) string {
	if path == "" || path[0] == '/' || !strings.HasPrefix(p.Cwd, "/dev") && !strings.HasPrefix(p.Cwd, "/proc") {
		return path
	}
	return m.abs(p, path)
}

// abs makes a path absolute by letters, with what the shell calls its working directory.
func (m *Machine) abs(p *Process, path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	if path == "" {
		return ""
	}
	if p.Cwd == "/" || p.Cwd == "//" {
		return p.Cwd + path
	}
	return p.Cwd + "/" + path
}
