package vfs

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"eryxsh/vfs/persist"
)

// BuildError says what is wrong with records, and with which inode.
type BuildError struct {
	Ino    Ino // 0: with all of them together
	Reason string
	Over   bool // nothing is wrong but that the limits allow less
}

// Error names the inode and the fault.
func (e *BuildError) Error() string {
	if e.Ino == 0 {
		return "file tree: " + e.Reason
	}
	return fmt.Sprintf("inode %d: %s", e.Ino, e.Reason)
}

// Builder makes a tree from records that may come from anybody. Add each in
// number order, then Finish; after the first error it is of no more use.
type Builder struct {
	fs   *FS
	last Ino
	refs map[Ino]uint32 // names that lead to an inode, and mounts that cover it
	tops []Ino          // roots of mounts
	copy []Ino          // what was copied up from a host
	over bool           // the last fault is that the limits allow less
}

// NewBuilder returns a builder of a tree over gen (nil: nothing) that refuses
// what is over the limits.
func NewBuilder(gen *Generated, lim Limits) *Builder {
	if gen == nil {
		gen = NewGenerated(GeneratedTable{})
	}
	return &Builder{fs: &FS{epoch: persist.NewEpoch(), gen: gen, limits: lim}, refs: map[Ino]uint32{}}
}

// Add takes the next record and keeps its strings and bytes, which nobody may
// change from then on. The error is a *BuildError.
func (b *Builder) Add(r Record) error {
	if reason := b.add(r); reason != "" {
		return &BuildError{r.Ino, reason, b.over}
	}
	return nil
}

// beyond says that the limits allow less.
func (b *Builder) beyond(format string, limit int64) string {
	b.over = true
	return fmt.Sprintf(format, limit)
}

func (b *Builder) add(r Record) (reason string) {
	f := b.fs
	switch {
	case r.Ino == 0 || r.Ino.Generated():
		return "number out of range"
	case r.Ino <= b.last:
		return "not in number order"
	case r.Mode&^(TypeMask|PermMask) != 0:
		return fmt.Sprintf("mode %#o has unknown bits", r.Mode)
	case f.room(0, 1) != nil:
		return b.beyond("more than %d files", f.limits.Most())
	}
	b.last = r.Ino
	if reason := r.strangers(); reason != "" {
		return reason
	}
	in := &inode{own: f.epoch, mode: r.Mode, nlink: r.Nlink, uid: r.UID, gid: r.GID, atime: r.Atime, mtime: r.Mtime, ctime: r.Ctime,
		parent: r.Parent, name: r.Hint}
	switch r.Mode & TypeMask {
	case TypeDir:
		reason = b.names(r, in)
	case TypeFile:
		reason = b.content(r, in)
	case TypeLink:
		if err := checkTarget(r.Target); err != nil {
			return "target of the link: " + err.Error()
		}
		in.head.b, in.size = []byte(r.Target), int64(len(r.Target))
	case TypeFifo:
		if r.Fifo != 0 {
			in.more = &more{num: r.Fifo}
		}
	}
	if reason != "" {
		return reason
	}
	if r.Lower != "" {
		if in.more == nil {
			in.more = &more{}
		}
		in.more.path, in.mount, b.copy = r.Lower, r.Of, append(b.copy, r.Ino)
	}
	if f.room(in.stored(), 0) != nil {
		return b.beyond("more than %d stored bytes", f.limits.Bytes)
	}
	f.usage.Bytes += in.stored()
	f.usage.Files++
	f.inodes.Set(f.epoch, int64(r.Ino), in)
	if r.Held > 0 {
		f.held.Set(f.epoch, int64(r.Ino), r.Held)
	}
	return ""
}

// strangers reports a field that the kind of the record does not have.
func (r *Record) strangers() string {
	kind := r.Mode & TypeMask
	switch {
	case kind != TypeDir && kind != TypeFile && kind != TypeLink && kind != TypeFifo:
		return fmt.Sprintf("mode %#o is of no kind that is saved", r.Mode)
	case kind != TypeDir && (len(r.Names) > 0 || r.Bins):
		return "names in what is not a directory"
	case kind != TypeFile && (r.Size != 0 || len(r.Pieces) > 0):
		return "content in what is not a regular file"
	case kind != TypeLink && r.Target != "":
		return "target in what is not a symbolic link"
	case kind != TypeFifo && r.Fifo != 0:
		return "pipe in what is not a FIFO"
	case r.Top != nil && (kind != TypeDir || r.Ino == Root):
		return "mount in what is no directory that may have one"
	case r.Lower != "" && (r.Top != nil || kind == TypeFifo || !lowerPath(r.Lower)):
		return "path of a host in what has none"
	case r.Of != 0 && (r.Lower == "" || r.Nlink != 0 || r.Of > maxMounts):
		return "overlay of what has a name"
	case kind == TypeDir && r.Nlink != 0:
		return "link count in a directory"
	case r.Nlink > LinkMax:
		return "too many links"
	case kind == TypeDir && r.Hint == "" && r.Ino != Root: // Parent is where ".." of a removed one leads
	case r.Nlink < 2 && (r.Parent != 0 || r.Hint != ""), (r.Parent == 0) != (r.Hint == ""):
		return "hint for a name where there is none"
	}
	return ""
}

// names checks and takes the entries of a directory.
func (b *Builder) names(r Record, in *inode) string {
	in.more = &more{}
	if r.Top != nil {
		if reason := b.top(r, in); reason != "" {
			return reason
		}
	}
	if r.Bins {
		if b.fs.bin != 0 || r.Ino == Root {
			return "second directory over the generated names"
		}
		b.fs.bin = r.Ino
	}
	for i, e := range r.Names {
		switch {
		case e.Name == "" || e.Name == "." || e.Name == ".." || len(e.Name) > NameMax || strings.ContainsAny(e.Name, "/\x00"):
			return fmt.Sprintf("bad name %q", e.Name)
		case i > 0 && e.Name <= r.Names[i-1].Name:
			return fmt.Sprintf("name %q is out of order", e.Name)
		case e.Ino == 0 && !r.Bins && r.Lower == "" && (r.Top == nil || r.Top.Mode != MountOverlay):
			return fmt.Sprintf("name %q covers nothing", e.Name)
		case e.Ino.Generated():
			return fmt.Sprintf("name %q leads to a generated inode", e.Name)
		}
		if r.Ino == Root {
			if _, ok := b.fs.gen.mounts.Get(e.Name); ok {
				return fmt.Sprintf("name %q is a generated one", e.Name)
			}
		}
		in.more.entries.Set(b.fs.epoch, e.Name, e.Ino)
		if e.Ino == 0 {
			continue
		}
		if b.refs[e.Ino]++; b.refs[e.Ino] > 1 {
			if b.fs.room(0, 1) != nil {
				return b.beyond("more than %d files", b.fs.limits.Most())
			}
			b.fs.usage.Files++
		}
	}
	return ""
}

// content checks and takes the pieces of a regular file.
func (b *Builder) content(r Record, in *inode) string {
	f := b.fs
	if r.Size < 0 || r.Size > MaxFileSize {
		return fmt.Sprintf("size %d is out of range", r.Size)
	}
	if r.Size > f.maxSize() {
		return b.beyond("size above %d bytes", f.maxSize())
	}
	in.size = r.Size
	f.usage.Logical += r.Size
	for i, p := range r.Pieces {
		n := len(p.Data)
		switch {
		case p.Index < 0 || i > 0 && p.Index <= r.Pieces[i-1].Index:
			return fmt.Sprintf("chunk %d is out of order", p.Index)
		case n == 0 || n > ChunkSize:
			return fmt.Sprintf("chunk %d has %d bytes", p.Index, n)
		case p.Index > r.Size/ChunkSize || p.Index*ChunkSize+int64(n) > r.Size:
			return fmt.Sprintf("chunk %d ends behind the file", p.Index)
		}
		c := chunk{b: p.Data[:n:n]}
		if p.Index == 0 {
			in.head = c
			continue
		}
		if in.more == nil {
			in.more = &more{}
		}
		in.more.chunks.Set(f.epoch, p.Index, c)
		in.more.stored += chunkCost(p.Index, n)
	}
	return ""
}

// top checks and takes what a mount is.
func (b *Builder) top(r Record, in *inode) string {
	m := *r.Top
	switch {
	case m.ID == 0 || m.ID > maxMounts:
		return fmt.Sprintf("mount %d is out of range", m.ID)
	case m.Mode > MountOverlay || m.Mode == MountOverlay && !m.Host || m.Mode != MountOverlay && len(m.Bases) > 0:
		return fmt.Sprintf("mount of mode %d", m.Mode)
	case m.Covers == 0 || m.Covers.Generated() || m.Covers == r.Ino || m.Covers == Root:
		return "mount over nothing"
	case strings.ContainsRune(m.Source+m.Kind, 0) || len(m.Source) > PathMax || len(m.Kind) > NameMax:
		return "source of the mount"
	}
	if b.refs[m.Covers]++; b.refs[m.Covers] > 1 {
		return "mount over what has a name"
	}
	in.more.top, b.tops = &m, append(b.tops, r.Ino)
	if m.Host {
		if len(r.Names) > 0 && m.Mode != MountOverlay {
			return "names in the root of a host's directory"
		}
		m.outside, in.more.path = &outside{id: m.ID, nodes: map[Ino]*seen{}}, "."
	}
	return ""
}

// covered gives what mounts cover a place: that of the mount.
func (b *Builder) covered() error {
	f := b.fs
	id := func(root Ino) int { return int(f.get(root).more.top.ID) }
	slices.SortFunc(b.tops, func(x, y Ino) int { return id(x) - id(y) })
	for i := len(b.tops) - 1; i >= 0; i-- {
		root := f.get(b.tops[i])
		below := f.get(root.more.top.Covers)
		switch {
		case i > 0 && id(b.tops[i]) == id(b.tops[i-1]):
			return &BuildError{Ino: b.tops[i], Reason: "second mount of its number"}
		case below == nil || !below.mode.IsDir() || b.refs[root.more.top.Covers] > 1:
			return &BuildError{Ino: b.tops[i], Reason: "mount over no directory, or over one that has a name"}
		case root.parent == 0: // or it is covered by one that is older
			return &BuildError{Ino: b.tops[i], Reason: "mount at no place"}
		}
		below.parent, below.name = root.parent, root.name
	}
	if len(b.tops) > 0 {
		f.mounts = &mounts{own: f.epoch, roots: b.tops, layers: make([]layer, len(b.tops))}
	}
	for i, root := range b.tops {
		m := *f.get(root).more.top
		for at, base := range m.Bases {
			if !lowerPath(base.Path) || at > 0 && base.Path <= m.Bases[at-1].Path || len(base.Sum) != 0 && len(base.Sum) != sha256.Size || base.Mode&^(TypeMask|PermMask) != 0 {
				return &BuildError{Ino: root, Reason: fmt.Sprintf("what a host had: %q", base.Path)}
			}
			f.mounts.layers[i].bases.Set(f.epoch, base.Path, &m.Bases[at])
		}
		m.Bases = nil
		f.mut(root).more.top = &m
	}
	return nil
}

// copied gives overlays what was copied up to them, once it is known what is below which.
func (b *Builder) copied() error {
	f := b.fs
	for _, ino := range b.copy {
		in := f.native(ino)
		if !f.overlaid(in) {
			return &BuildError{Ino: ino, Reason: "copied up, and below no overlay"}
		}
		l := f.over(in.mount)
		if _, ok := l.upper.Get(in.more.path); ok {
			return &BuildError{Ino: ino, Reason: fmt.Sprintf("second copy of %q", in.more.path)}
		}
		if base, ok := l.bases.Get(in.more.path); !ok || base.Mode&TypeMask != in.mode&TypeMask {
			return &BuildError{Ino: ino, Reason: fmt.Sprintf("copy of %q, which is not noted", in.more.path)}
		}
		l.upper.Set(f.epoch, in.more.path, ino)
	}
	return nil
}

// Finish checks how the records fit together and returns the tree, which gives
// next as the number of its next inode. The error is a *BuildError.
func (b *Builder) Finish(next Ino) (*FS, error) {
	f := b.fs
	switch root := f.get(Root); {
	case root == nil:
		return nil, &BuildError{Ino: 0, Reason: "there is no root directory"}
	case !root.mode.IsDir():
		return nil, &BuildError{Ino: Root, Reason: "the root is not a directory"}
	case b.refs[Root] > 0:
		return nil, &BuildError{Ino: Root, Reason: "the root has a name"}
	case next <= b.last || next >= genBase:
		return nil, &BuildError{Ino: 0, Reason: fmt.Sprintf("next number %d is out of range", next)}
	}
	f.next = next
	for ino, in := range f.inodes.All() {
		if in.mode.IsDir() {
			if err := b.enter(Ino(ino), in); err != nil {
				return nil, err
			}
		}
	}
	if err := b.covered(); err != nil {
		return nil, err
	}
	root := f.get(Root)
	root.parent, root.nlink = Root, root.nlink+2+uint32(f.gen.mounts.Len())
	reached := b.reach()
	if err := b.above(); err != nil {
		return nil, err
	}
	if err := b.copied(); err != nil {
		return nil, err
	}
	for ino, in := range f.inodes.All() {
		if reason := b.counted(Ino(ino), in, reached[Ino(ino)]); reason != "" {
			return nil, &BuildError{Ino: Ino(ino), Reason: reason}
		}
	}
	return f, nil
}

// enter follows the names of a directory: it counts its subdirectories and gives
// what has one name that name as its path.
func (b *Builder) enter(dir Ino, in *inode) error {
	for name, ino := range in.more.entries.All() {
		if ino == 0 {
			continue
		}
		child := b.fs.get(ino)
		switch {
		case child == nil:
			return &BuildError{Ino: dir, Reason: fmt.Sprintf("name %q leads to inode %d, which is not there", name, ino)}
		case child.mode.IsDir() && b.refs[ino] > 1:
			return &BuildError{Ino: ino, Reason: "directory with two names"}
		case child.mode.IsDir() && child.parent != 0:
			return &BuildError{Ino: ino, Reason: "parent given for a directory that has a name"}
		case child.mode.IsDir():
			in.nlink++
		}
		if b.refs[ino] == 1 {
			child.parent, child.name = dir, name
		}
	}
	return nil
}

// above follows ".." of the directories that were removed: each keeps the one above it, and none is above itself.
func (b *Builder) above() error {
	f := b.fs
	removed := func(dir Ino) *inode {
		if in := f.get(dir); in != nil && in.mode.IsDir() && b.refs[dir] == 0 && dir != Root {
			return in
		}
		return nil
	}
	passed := map[Ino]Ino{} // removed directories, and from which one they were met first
	for i := range f.inodes.All() {
		first := Ino(i)
		in := removed(first)
		if in == nil || in.parent == 0 {
			continue
		}
		if up := f.get(in.parent); up == nil || in.parent.Generated() || !up.mode.IsDir() {
			return &BuildError{Ino: first, Reason: "parent that is no directory"}
		}
		*f.below.Slot(f.epoch, int64(in.parent))++
		at := first
		for ; removed(at) != nil && passed[at] == 0; at = f.get(at).parent {
			passed[at] = first
		}
		if passed[at] == first {
			return &BuildError{Ino: first, Reason: "removed directory above itself"}
		}
	}
	return nil
}

// reach gives the directories below the root their own two links, and all that is there its mount, and returns
// which they are: a circle of directories is not among them.
func (b *Builder) reach() map[Ino]bool {
	reached := map[Ino]bool{Root: true}
	for todo := []Ino{Root}; len(todo) > 0; {
		in := b.fs.get(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		for _, ino := range in.more.entries.All() {
			if ino == 0 {
				continue
			}
			for child := b.fs.get(ino); ; { // and what it covers, if it is a mount
				child.mount = in.mount
				if child.mode.IsDir() {
					child.nlink += 2
					reached[ino] = true
					todo = append(todo, ino)
				}
				if child.more == nil || child.more.top == nil {
					break
				}
				child.mount, ino = child.more.top.ID, child.more.top.Covers
				child = b.fs.get(ino)
			}
		}
	}
	return reached
}

// counted checks the links of one inode, once all are known.
func (b *Builder) counted(ino Ino, in *inode, reached bool) (reason string) {
	refs, held := b.refs[ino], b.fs.kept(ino)
	if in.mode.IsDir() {
		switch {
		case refs == 0 && ino != Root && (!held || len(b.fs.list(ino, in, "", 1)) > 0 || ino == b.fs.bin):
			return "directory that nothing leads to"
		case refs > 0 && !reached:
			return "directory inside itself"
		}
		return ""
	}
	switch {
	case in.nlink != refs:
		return fmt.Sprintf("link count %d, but %d names", in.nlink, refs)
	case refs == 0 && !held:
		return "file that nothing leads to"
	case refs > 1 && in.parent != 0:
		up := b.fs.get(in.parent)
		if up == nil || !up.mode.IsDir() {
			return "hint for a name that is not there"
		}
		if at, _ := up.more.entries.Get(in.name); at != ino {
			return "hint for a name that is not there"
		}
	}
	return ""
}
