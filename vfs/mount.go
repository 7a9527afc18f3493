package vfs

import (
	"fmt"
	"slices"
	"strings"

	"eryxsh/vfs/persist"
)

// MountMode says what becomes of writes below a mount point.
type MountMode uint8

// The modes. Numbers are saved: append only.
const (
	MountReadOnly MountMode = iota // EROFS
	MountWritable                  // as any file
	MountOverlay                   // a host's, below what the tree has instead
)

// String is what people call the mode.
func (m MountMode) String() string {
	switch m {
	case MountReadOnly:
		return "ro"
	case MountOverlay:
		return "overlay"
	}
	return "rw"
}

// Mount says what is mounted at a directory. It is not changed once it is in a tree.
type Mount struct {
	ID      uint32    `cbor:"1,keyasint"`           // tells the mounts of a tree apart, from 1
	Kind    string    `cbor:"2,keyasint,omitempty"` // the type of file system that /proc/mounts shows
	Source  string    `cbor:"3,keyasint,omitempty"` // what /proc/mounts shows as its device
	Mode    MountMode `cbor:"4,keyasint,omitempty"`
	Covers  Ino       `cbor:"5,keyasint,omitempty"` // the directory that is there without it
	Host    bool      `cbor:"6,keyasint,omitempty"` // its files are a host's, and not saved
	Bases   []Base    `cbor:"7,keyasint,omitempty"` // of an overlay: what the host had where it is hidden, by path
	outside *outside  // of a host's
}

// maxMounts bounds the mounts of one tree, and so their numbers.
const maxMounts = 1000

// String says all of a mount.
func (m *Mount) String() string {
	return fmt.Sprintf("mount %d of %s (%s, %s) over inode %d", m.ID, m.Source, m.Kind, m.Mode, m.Covers)
}

// mounts are the mounts of a tree; a tree with none has no such thing.
type mounts struct {
	own    persist.Epoch
	roots  []Ino   // of their root directories, by ID
	layers []layer // of the same
}

// Mounted is a mount with its place.
type Mounted struct {
	*Mount
	Root Ino
	Path string
}

// mnt gives the mounts to be changed.
func (f *FS) mnt() *mounts {
	switch {
	case f.mounts == nil:
		f.mounts = &mounts{own: f.epoch}
	case f.mounts.own != f.epoch:
		c := *f.mounts
		c.own, c.roots, c.layers = f.epoch, slices.Clone(c.roots), slices.Clone(c.layers)
		f.mounts = &c
	}
	return f.mounts
}

// mount gives the mount an inode belongs to and its root, nil for the tree itself.
func (f *FS) mount(id uint32) (*Mount, Ino) {
	if id == 0 || f.mounts == nil {
		return nil, 0
	}
	for _, root := range f.mounts.roots {
		if m := f.native(root).more.top; m.ID == id {
			return m, root
		}
	}
	return nil, 0
}

// sealed reports that nothing may change below the mount an inode belongs to.
func (f *FS) sealed(in *inode) bool {
	if in.mount == 0 {
		return false
	}
	m, _ := f.mount(in.mount)
	return m != nil && m.Mode == MountReadOnly
}

// Mounts lists what is mounted, in the order it was.
func (f *FS) Mounts() (all []Mounted) {
	if f.mounts == nil {
		return nil
	}
	for _, root := range f.mounts.roots {
		all = append(all, Mounted{f.get(root).more.top, root, f.dirPath(root)})
	}
	return all
}

// Mounted reports whether anything is mounted.
func (f *FS) Mounted() bool { return f.mounts != nil }

// MountOf gives the mount an inode belongs to, false for the tree itself.
func (f *FS) MountOf(ino Ino) (Mounted, bool) {
	if in := f.get(ino); in != nil {
		if m, root := f.mount(in.mount); m != nil {
			return Mounted{m, root, f.dirPath(root)}, true
		}
	}
	return Mounted{}, false
}

// Mount covers the directory a path leads to with an empty one of another file
// system, whose number it returns; m says what it is, and gets its ID here. The
// path errors; ENOTDIR, EBUSY (the root), EROFS (generated, or in a mount that is
// read-only), ENOSPC.
func (f *FS) Mount(c Cred, path string, m Mount, mode Mode, now int64) (Ino, error) {
	p, in, err := f.find(c, path, true)
	switch {
	case err != nil:
		return 0, err
	case !in.mode.IsDir():
		return 0, ENOTDIR
	case p.ino == Root:
		return 0, EBUSY
	case p.ino.Generated() || (f.sealed(in) || f.overlaid(in)) && in.more.top == nil:
		return 0, EROFS
	}
	if err := f.room(0, 1); err != nil {
		return 0, err
	}
	all := f.mnt()
	m.ID = 1
	for _, root := range all.roots {
		m.ID = max(m.ID, f.get(root).more.top.ID+1)
	}
	if m.ID > maxMounts {
		return 0, ENOSPC
	}
	m.Covers = p.ino
	root := f.alloc(TypeDir|mode&PermMask, c.UID, c.GID, now)
	top := f.mut(root)
	top.nlink, top.parent, top.name, top.mount, top.more.top = 2, in.parent, in.name, m.ID, &m
	f.mut(in.parent).more.entries.Set(f.epoch, top.name, root)
	all.roots, all.layers = append(all.roots, root), append(all.layers, layer{})
	return root, nil
}

// Remount gives the mount at a root directory another mode.
func (f *FS) Remount(root Ino, mode MountMode) {
	in := f.mut(root)
	m := *in.more.top
	m.Mode, in.more.top = mode, &m
}

// Unmount takes a mount away: the directory below is there again. The path
// errors; EINVAL (no mount point), EBUSY (a file in it is open, or something is
// mounted in it).
func (f *FS) Unmount(c Cred, path string) error {
	p, in, err := f.find(c, path, true)
	if err != nil {
		return err
	}
	if in.more == nil || in.more.top == nil {
		return EINVAL
	}
	m := in.more.top
	if f.busy(m) {
		return EBUSY
	}
	f.mut(in.parent).more.entries.Set(f.epoch, in.name, m.Covers)
	if below := f.mut(m.Covers); below != nil { // what is above it may have moved
		below.parent, below.name = in.parent, in.name
	}
	f.freeAll(p.ino)
	all := f.mnt()
	i := slices.Index(all.roots, p.ino)
	all.roots, all.layers = slices.Delete(all.roots, i, i+1), slices.Delete(all.layers, i, i+1)
	if len(all.roots) == 0 {
		f.mounts = nil
	}
	return nil
}

// busy reports whether a mount is in use.
func (f *FS) busy(m *Mount) bool {
	for _, root := range f.mounts.roots {
		if up := f.get(f.get(root).parent); up.mount == m.ID && f.get(root).more.top != m {
			return true
		}
	}
	for ino := range f.held.All() {
		if f.get(Ino(ino)).mount == m.ID {
			return true
		}
	}
	return false
}

// freeAll frees a directory and all that is in it.
func (f *FS) freeAll(dir Ino) {
	for todo := []Ino{dir}; len(todo) > 0; {
		ino := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		in := f.get(ino)
		if in == nil { // a file with several names, seen before
			continue
		}
		if in.mode.IsDir() {
			for _, child := range in.more.entries.All() {
				if child != 0 {
					todo = append(todo, child)
				}
			}
		} else if in.nlink > 1 {
			f.usage.Files -= int64(in.nlink - 1)
		}
		f.free(ino, in)
	}
}

// mountLines is what /proc/mounts says of the mounts.
func (f *FS) mountLines() []byte {
	var out []byte
	for _, m := range f.Mounts() {
		access := "rw"
		if m.Mode == MountReadOnly {
			access = "ro"
		}
		out = fmt.Appendf(out, "%s %s %s %s 0 0\n", octal.Replace(m.Source), octal.Replace(m.Path), octal.Replace(m.Kind), access)
	}
	return out
}

// octal writes what separates the columns of /proc/mounts as Linux does.
var octal = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
