package host

import (
	"crypto/sha256"
	"io"
	"os"
	"path"
	"strconv"
	"syscall"
	"time"

	"eryxsh/vfs"
)

// What writes to a directory of the host. A path is resolved as for reading, name
// by name from the directory that was opened; what is done at its end is done to a
// name of the directory that was reached, never to what a link there leads to.

// at does something with a path: in the directory it is in, under its name there.
func (d *Dir) at(p string, do func(dir *os.Root, name string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.trim()
	dir, name, err := d.place(p)
	if err == nil {
		err = do(dir, name)
	}
	if delete(d.files, p); err != nil {
		return number(err)
	}
	return nil
}

// Sum is the SHA-256 of a regular file.
func (d *Dir) Sum(p string) (sum []byte, err error) {
	err = d.at(p, func(dir *os.Root, name string) error {
		in, err := regular(dir, name)
		if err != nil {
			return err
		}
		defer in.Close()
		hash := sha256.New()
		_, err = io.Copy(hash, in)
		sum = hash.Sum(nil)
		return err
	})
	return sum, err
}

// Free gives a path in a directory that nothing has.
func (d *Dir) Free(in string) (string, error) {
	for {
		d.mu.Lock()
		d.temp++
		p := path.Join(in, ".eryxsh-"+strconv.Itoa(os.Getpid())+"-"+strconv.FormatInt(d.temp, 36))
		d.mu.Unlock()
		if _, _, err := d.Lstat(p); err == vfs.ENOENT {
			return p, nil
		} else if err != nil {
			return "", err
		}
	}
}

// Create makes a regular file with content, and waits until it is on the disk.
// If that fails there is none.
func (d *Dir) Create(p string, mode vfs.Mode, content io.Reader) error {
	var f *os.File
	err := d.at(p, func(dir *os.Root, name string) (err error) {
		f, err = dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content) // which may be in this directory, too
	if err == nil {
		err = f.Chmod(permissions(mode))
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = d.Remove(p)
		return number(err)
	}
	return nil
}

// Symlink makes a symbolic link.
func (d *Dir) Symlink(target, p string) error {
	return d.at(p, func(dir *os.Root, name string) error { return dir.Symlink(target, name) })
}

// Mkdir makes a directory.
func (d *Dir) Mkdir(p string, mode vfs.Mode) error {
	return d.at(p, func(dir *os.Root, name string) error {
		if err := dir.Mkdir(name, 0o700); err != nil {
			return err
		}
		return change(dir, name, mode, os.FileInfo.IsDir)
	})
}

// Chmod sets the permission bits of a directory.
func (d *Dir) Chmod(p string, mode vfs.Mode) error {
	return d.at(p, func(dir *os.Root, name string) error { return change(dir, name, mode, os.FileInfo.IsDir) })
}

// Rename gives what is in a directory another name there, in place of a file that
// has it.
func (d *Dir) Rename(from, to string) error {
	if path.Dir(from) != path.Dir(to) {
		return vfs.EXDEV
	}
	return d.at(from, func(dir *os.Root, name string) error {
		delete(d.files, to)
		return dir.Rename(name, path.Base(to))
	})
}

// Remove removes a file or an empty directory.
func (d *Dir) Remove(p string) error {
	return d.at(p, func(dir *os.Root, name string) error { return dir.Remove(name) })
}

// Sync waits until the names of a directory are on the disk.
func (d *Dir) Sync(p string) error {
	return d.at(p+"/.", func(dir *os.Root, _ string) error {
		f, err := dir.Open(".")
		if err != nil {
			return err
		}
		defer f.Close()
		if err = f.Sync(); number(err) == vfs.EINVAL { // not of every file system
			return nil
		}
		return err
	})
}

// permissions are the bits that a host is given: no set-id bits.
func permissions(m vfs.Mode) os.FileMode { return os.FileMode(m & 0o777) }

// visible is at, but what is excluded cannot be made or changed: EACCES.
func (d *Dir) visible(p string, dir bool, do func(in *os.Root, name string) error) error {
	return d.at(p, func(in *os.Root, name string) error {
		if d.excluded(p, dir) {
			return syscall.EACCES
		}
		return do(in, name)
	})
}

// Make makes an empty file, a directory or a symbolic link where nothing is.
func (d *Dir) Make(p string, mode vfs.Mode, target string) error {
	return d.visible(p, mode.IsDir(), func(dir *os.Root, name string) error {
		switch {
		case mode.IsLink():
			return dir.Symlink(target, name)
		case mode.IsDir():
			if err := dir.Mkdir(name, 0o700); err != nil {
				return err
			}
			return change(dir, name, mode, os.FileInfo.IsDir)
		case !mode.IsRegular():
			return syscall.EPERM
		}
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Chmod(permissions(mode))
	})
}

// writing opens a regular file to be written to.
func (d *Dir) writing(p string, do func(f *os.File) error) error {
	return d.visible(p, false, func(dir *os.Root, name string) error {
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return syscall.ENXIO
		}
		f, err := dir.OpenFile(name, os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if now, err := f.Stat(); err != nil || !os.SameFile(now, info) { // something was put in its place
			return syscall.ENOENT
		}
		return do(f)
	})
}

// WriteAt writes bytes of a regular file.
func (d *Dir) WriteAt(p string, b []byte, off int64) error {
	return d.writing(p, func(f *os.File) error {
		_, err := f.WriteAt(b, off)
		return err
	})
}

// Truncate sets the size of a regular file.
func (d *Dir) Truncate(p string, size int64) error {
	return d.writing(p, func(f *os.File) error { return f.Truncate(size) })
}

// both does something with two paths, once it is known that no link leads to either.
func (d *Dir) both(old, new string, do func() error) error {
	return d.at(old, func(dir *os.Root, name string) error {
		info, err := dir.Lstat(name)
		if err != nil {
			return err
		}
		if _, _, err := d.place(new); err != nil {
			return err
		}
		if d.excluded(old, info.IsDir()) || d.excluded(new, info.IsDir()) {
			return syscall.EACCES
		}
		delete(d.files, new)
		return do()
	})
}

// Link gives a file another name.
func (d *Dir) Link(old, new string) error {
	return d.both(old, new, func() error { return d.root.Link(old, new) })
}

// Move renames, replacing what rename(2) would replace. Between two directories
// the paths are resolved again: a directory that becomes a link meanwhile leads to
// another place in this one, never out of it.
func (d *Dir) Move(old, new string) error {
	return d.both(old, new, func() error { return d.root.Rename(old, new) })
}

// SetMode sets permission bits.
func (d *Dir) SetMode(p string, mode vfs.Mode) error {
	return d.visible(p, mode.IsDir(), func(dir *os.Root, name string) error {
		return change(dir, name, mode, func(info os.FileInfo) bool { return info.IsDir() == mode.IsDir() && info.Mode()&os.ModeSymlink == 0 })
	})
}

// SetTimes sets the times of access and change.
func (d *Dir) SetTimes(p string, atime, mtime int64) error {
	return d.visible(p, false, func(dir *os.Root, name string) error {
		info, err := dir.Lstat(name)
		switch {
		case err != nil:
			return err
		case info.Mode()&os.ModeSymlink != 0:
			return syscall.EPERM
		}
		return dir.Chtimes(name, time.Unix(0, atime), time.Unix(0, mtime))
	})
}
